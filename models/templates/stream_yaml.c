/* The run description of templates whose objects come from the host, layer by layer. */
#include "config.h"

#include "stream_yaml.h"
#include "template_parts.h"

/* clang-format off: one line here is one line there */
static const char policies[] =
    "baseline: demand\n"
    "policies:\n"
    "  # What a layer reads comes when all else is ready.\n"
    "  - {name: demand, action: offload, prefetch: {when: demand}}\n"
    "  # It comes while the layers before it run, 1, 2 or 4 of them.\n"
    "  - {name: lookahead-1, action: offload, prefetch: {when: lookahead, lookahead: 1}}\n"
    "  - {name: lookahead-2, action: offload, prefetch: {when: lookahead, lookahead: 2}}\n"
    "  - {name: lookahead-4, action: offload, prefetch: {when: lookahead, lookahead: 4}}\n"
    "  # So late that 95% of the copies are in time; for 99.9%.\n"
    "  - {name: jit, action: offload, prefetch: {when: jit, quantile: 0.95}}\n"
    "  - {name: jit-early, action: offload, prefetch: {when: jit, quantile: 0.999}}\n"
    "  # As early as there is room.\n"
    "  - {name: window, action: offload, prefetch: {when: window}}\n";
/* clang-format on */

static void put_yaml(FILE *out, const void *what)
{
    const struct sl_stream_run *run = what;
    fprintf(
        out,
        "%sname: %s\n"
        "description: %s\n"
        "device: %s\n"
        "nodes: nodes.csv\n"
        "edges: edges.csv\n"
        "objects: objects.csv\n"
        "domains:\n"
        "  hbm: {reserve: 0B}\n"
        "factors:\n"
        "  # Assumed: the GPU's clock differs from pass to pass.\n"
        "  clock: {draw: \"lognormal(mean=1, cv=0.01)\", per: trial, classes: [%s]}\n"
        "  # Assumed: other GPUs share the host link, which has half of its bandwidth for 5%% of "
        "the time.\n"
        "  link: {draw: \"regime(p=0.05, level=2, dwell=50ms)\", classes: [copy.h2d]}\n"
        "objective:\n"
        "  metric: makespan\n"
        "  tail: 0.99\n"
        "  order: [tail, median, peak.hbm]\n"
        "  min_gain: 1%%\n",
        run->head, run->name, run->description, run->device, run->classes);
    fputs(policies, out);
    fputs("sweep:\n  domains.hbm.capacity: ", out);
    sl_template_put_list(out, run->capacities);
    fputs("\ntrials: 1000\nseed: 1\n", out);
}

enum sl_status sl_stream_write_yaml(const char *dir, const struct sl_stream_run *run,
                                    struct sl_error *err)
{
    return sl_template_write_file(dir, "scenario.yaml", put_yaml, run, err);
}
