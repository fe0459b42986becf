/* YAML trees, and values set in them by path: the first line is a --set. */
#include <config.h>

#include "fuzz.h"
#include "scenario.h"
#include "yamldoc.h"
#include <stdlib.h>
#include <string.h>

static uint32_t count_nodes(const struct sl_yaml *node, int depth)
{
    uint32_t count = 1;
    FUZZ_CHECK(depth <= 70, "deeper than what is refused");
    for (uint32_t i = 0; i < node->count; i++)
        count += count_nodes(node->items[i], depth + 1);
    return count;
}

static void run(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    if (!line)
        return;
    struct sl_arena arena = {0};
    struct sl_yaml *root;
    struct sl_override override;
    struct sl_error err = {0};
    const char *rest = (const char *)line + 1;
    enum sl_status status =
        sl_yaml_parse(rest, size - (size_t)(line + 1 - data), "fuzz", &arena, &root, &err);
    fuzz_judge(status, NULL, &err);
    if (status == SL_OK) {
        count_nodes(root, 0);
        char *set = fuzz_text(data, (size_t)(line - data));
        status = sl_override_parse(&override, set, &arena, &err);
        fuzz_judge(status, NULL, &err);
        if (status == SL_OK)
            fuzz_judge(
                sl_yaml_set(root, override.path, (struct sl_yaml *) override.value, &arena, &err),
                NULL, &err);
        count_nodes(root, 0);
        free(set);
    }
    sl_arena_free(&arena);
}

static void seed(const struct fuzz_seeds *seeds)
{
    fuzz_seed_file(seeds, "tests/fuzz/base/scenario.yaml", "domains.hbm.capacity=44GiB");
    fuzz_seed_file(seeds, "scenarios/two-gpu/scenario.yaml", "routes.*.bandwidth=1GB/s");
    fuzz_seed_file(seeds, "scenarios/hello/scenario.yaml", "policies.keep.action={how: offload}");
    fuzz_seed_file(seeds, "scenarios/hello/scenario.yaml", "policies.0.x.y=[1, 2]");
}

const struct fuzz_target fuzz_target_yaml = {
    .name = "yaml",
    .description = "YAML, and values set by path",
    .run = run,
    .seeds = seed,
};
