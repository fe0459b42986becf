/* What a results folder is read back from: manifest.json and tables; and a model's config.json. */
#include <config.h>

#include "frame.h"
#include "fuzz.h"
#include "manifest.h"
#include "template_config.h"
#include <stdlib.h>

static void read_frame(const uint8_t *data, size_t size)
{
    struct sl_frame frame = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_frame_parse(&frame, (const char *)data, size, &err);
    fuzz_judge(status, NULL, &err);
    for (uint32_t r = 0; status == SL_OK && r < frame.row_count; r++)
        for (uint32_t c = 0; c < frame.column_count; c++) {
            sl_frame_number(&frame, r, c);
            FUZZ_CHECK(sl_frame_text(&frame, r, c), "a cell without a text");
        }
    sl_frame_free(&frame);
}

static void run(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    struct sl_manifest manifest = {0};
    struct sl_template_config config = {0};
    struct sl_error err = {0};
    if (data[0] == '{') {
        fuzz_judge(sl_template_config_read(&config, fuzz_write("manifest.json", data, size), &err),
                   NULL, &err);
        sl_template_config_free(&config);
        err = (struct sl_error){0};
        fuzz_judge(sl_manifest_read(&manifest, fuzz_dir(), &err), NULL, &err);
        sl_manifest_free(&manifest);
    } else {
        read_frame(data, size);
    }
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "cell,policy,median_us\n0,a,1.5\n1,\"b, \"\"c\"\"\",inf\n2,,\n",
        "{\"version\": \"0.1.0\", \"finished\": true, \"scenario\": \"hello\", \"seed\": \"1\", "
        "\"trials\": 1000, \"objective\": {\"metric\": \"makespan\", \"tail\": 0.99}, "
        "\"baseline\": "
        "\"keep\", \"settings\": [\"a=1\"], \"policies\": [\"keep\"], \"axes\": [\"x\"], "
        "\"domains\": "
        "[\"hbm\"], \"inputs\": [{\"path\": \"a\", \"sha256\": \"00\"}]}",
        "{\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"a\": [1, {\"b\": null}], \"c\": "
        "true}",
    };
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
    fuzz_seed_file(seeds, "scenarios/hello/nodes.csv", NULL);
}

const struct fuzz_target fuzz_target_results = {
    .name = "results",
    .description = "results read back (manifest.json, tables), model configurations",
    .run = run,
    .seeds = seed,
};
