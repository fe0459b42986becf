/* The run description of templates whose objects come from the host, layer by layer. */
#include "config.h"

#include "stream_yaml.h"

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

struct run {
    const struct sl_stream_template *template;
    const char *capacities, *device;
};

static void put_yaml(FILE *out, const void *what)
{
    const struct run *run = what;
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
        "  clock: {draw: \"lognormal(mean=1, cv=0.01)\", per: trial, classes: [gemm, "
        "elementwise], evidence: \"assumed: it differs from pass to pass\"}\n"
        "  # Assumed: other GPUs share the host link, which has half of its bandwidth for 5%% of "
        "the time.\n"
        "  link: {draw: \"regime(p=0.05, level=2, dwell=50ms)\", classes: [copy.h2d], "
        "evidence: \"assumed: other GPUs share the host link\"}\n"
        "objective:\n"
        "  metric: makespan\n"
        "  tail: 0.99\n"
        "  order: [tail, median, peak.hbm]\n"
        "  min_gain: 1%%\n",
        run->template->head, run->template->name, run->template->description, run->device);
    fputs(policies, out);
    fputs("sweep:\n  domains.hbm.capacity: ", out);
    sl_template_put_list(out, run->capacities);
    fputs("\ntrials: 1000\nseed: 1\n", out);
}

static enum sl_status write_tables(const char *dir, const struct sl_stream_template *template,
                                   const void *pass, struct sl_error *err)
{
    struct sl_tables tables;
    enum sl_status status = sl_tables_open(&tables, dir, "work", err);
    if (status == SL_OK)
        status = template->add_rows(pass, &tables, err);
    if (status == SL_OK)
        status = sl_tables_commit(&tables, err);
    sl_tables_close(&tables);
    return status;
}

enum sl_status sl_stream_write(const char *dir, const struct sl_stream_template *template,
                               const struct sl_llm_shape *shape, const char *capacities,
                               const char *device, const void *pass, struct sl_error *err)
{
    char path[SL_TEMPLATE_PATH];
    struct run run = {template, capacities, path};
    enum sl_status status = sl_template_check_shape(shape, err);
    if (status == SL_OK)
        status = sl_template_check_capacities(capacities, err);
    if (status == SL_OK)
        status = sl_template_device(dir, device, path, err);
    if (status == SL_OK)
        status = write_tables(dir, template, pass, err);
    if (status == SL_OK)
        status = sl_template_write_file(dir, "scenario.yaml", put_yaml, &run, err);
    return status == SL_OK ? sl_template_write_readme(dir, template->put_readme, pass, err)
                           : status;
}
