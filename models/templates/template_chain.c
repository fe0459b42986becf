/* Template chain: forward and backward pass over a chain of equal steps, the plainest case of
 * checkpointing: what step k saves is read by step k + 1 and by k's backward, and can be kept,
 * offloaded or computed again. */
#include "config.h"

#include "scenario_tables.h"
#include "template_parts.h"

enum { LENGTH, FORWARD_MS, BACKWARD, CV, SAVED_MIB, GRADIENT_MIB, CAPACITIES, DEVICE, PARAMS };
static const struct sl_template_param params[PARAMS] = {
    [LENGTH] = {"length", SL_TEMPLATE_INTEGER, "24", 2, 100000, NULL, "steps of the chain", NULL},
    [FORWARD_MS] = {"forward_ms", SL_TEMPLATE_NUMBER, "10", 1e-3, 1e6, NULL,
                    "mean milliseconds of a step forward", NULL},
    [BACKWARD] = {"backward", SL_TEMPLATE_NUMBER, "2", 0.01, 100, NULL,
                  "time of a step backward over forward", NULL},
    [CV] = {"cv", SL_TEMPLATE_NUMBER, "0.02", 0, 1, NULL,
            "coefficient of variation of a step's time, lognormal; 0: constant", NULL},
    [SAVED_MIB] = {"saved_mib", SL_TEMPLATE_INTEGER, "1024", 1, 1048576, NULL,
                   "MiB that a step saves", NULL},
    [GRADIENT_MIB] = {"gradient_mib", SL_TEMPLATE_INTEGER, "256", 1, 1048576, NULL,
                      "MiB that a step backward hands on", NULL},
    [CAPACITIES] = {"capacities", SL_TEMPLATE_TEXT, "28GiB;16GiB;8GiB", 0, 0, NULL,
                    "swept capacities of the GPU memory", NULL},
    [DEVICE] = SL_DEVICE_PARAM,
};

struct chain {
    const struct sl_template_value *values;
    const char *device;
    int64_t length, saved_bytes, gradient_bytes;
};

static enum sl_status add_objects(const struct chain *chain, struct sl_tables *tables,
                                  struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (int64_t k = 0; k < chain->length && status == SL_OK; k++) {
        char saved[32], gradient[32], rebuilt_by[32];
        snprintf(saved, sizeof saved, "saved.%03lld", (long long)k);
        snprintf(gradient, sizeof gradient, "gradient.%03lld", (long long)k);
        snprintf(rebuilt_by, sizeof rebuilt_by, "fwd.%03lld", (long long)k);
        struct sl_table_object object = {
            saved, "hbm;pinned", "", rebuilt_by, "assumed: saved_mib", chain->saved_bytes, false};
        status = sl_tables_object(tables, &object, err);
        object = (struct sl_table_object){
            gradient, "hbm", "", "", "assumed: gradient_mib", chain->gradient_bytes, false};
        if (status == SL_OK)
            status = sl_tables_object(tables, &object, err);
    }
    return status;
}

/* A cell of nodes.csv. */
static void put_time(char *text, size_t size, double ms, double cv)
{
    if (cv > 0)
        snprintf(text, size, "\"lognormal(mean=%.9gms, cv=%.9g)\"", ms, cv);
    else
        snprintf(text, size, "%.9gms", ms);
}

static enum sl_status add_forward(struct sl_tables *tables, int64_t k, const char *time,
                                  struct sl_error *err)
{
    char name[32], inputs[32] = "", outputs[32];
    snprintf(name, sizeof name, "fwd.%03lld", (long long)k);
    if (k > 0)
        snprintf(inputs, sizeof inputs, "saved.%03lld", (long long)k - 1);
    snprintf(outputs, sizeof outputs, "saved.%03lld", (long long)k);
    struct sl_table_node node = {name,   "", "step", time, "assumed: forward_ms",
                                 inputs, outputs};
    return sl_tables_node(tables, &node, err);
}

static enum sl_status add_backward(const struct chain *chain, struct sl_tables *tables, int64_t k,
                                   const char *time, struct sl_error *err)
{
    char name[32], inputs[64], outputs[32];
    snprintf(name, sizeof name, "bwd.%03lld", (long long)k);
    int length = snprintf(inputs, sizeof inputs, "saved.%03lld", (long long)k);
    if (k + 1 < chain->length)
        snprintf(inputs + length, sizeof inputs - (size_t)length, ";gradient.%03lld",
                 (long long)k + 1);
    snprintf(outputs, sizeof outputs, "gradient.%03lld", (long long)k);
    struct sl_table_node node = {name,   "", "step", time, "assumed: backward x forward_ms",
                                 inputs, outputs};
    return sl_tables_node(tables, &node, err);
}

static enum sl_status write_tables(const char *dir, const struct chain *chain, struct sl_error *err)
{
    struct sl_tables tables;
    char forward[96], backward[96];
    const struct sl_template_value *values = chain->values;
    double ms = values[FORWARD_MS].number;
    put_time(forward, sizeof forward, ms, values[CV].number);
    put_time(backward, sizeof backward, ms * values[BACKWARD].number, values[CV].number);
    enum sl_status status = sl_tables_open(&tables, dir, "duration", err);
    if (status == SL_OK)
        status = add_objects(chain, &tables, err);
    for (int64_t k = 0; k < chain->length && status == SL_OK; k++)
        status = add_forward(&tables, k, forward, err);
    for (int64_t k = chain->length - 1; k >= 0 && status == SL_OK; k--)
        status = add_backward(chain, &tables, k, backward, err);
    if (status == SL_OK)
        status = sl_tables_commit(&tables, err);
    sl_tables_close(&tables);
    return status;
}

/* clang-format off: one line here is one line there */
static const char policies[] =
    "policies:\n"
    "  - {name: retain, action: retain}\n"
    "  # Everything is computed again; what does not fit, longest gap first; as little as the room "
    "allows.\n"
    "  - {name: remat-all, action: remat}\n"
    "  - {name: remat-fit, action: remat, select: belady}\n"
    "  - {name: chain-optimal, action: chain-optimal}\n"
    "  # What does not fit goes out, and comes back as early as there is room, or just in time.\n"
    "  - {name: offload-fit, action: offload, select: belady, prefetch: {when: window}}\n"
    "  - {name: offload-jit, action: offload, select: belady, prefetch: {when: jit, quantile: "
    "0.95}}\n"
    "  # In each gap whatever whole runs say.\n"
    "  - {name: best, action: best, select: belady, prefetch: {when: window}}\n"
    "baseline: retain\n"
    "fallback_baseline: chain-optimal\n";
/* clang-format on */

static void put_yaml(FILE *out, const void *what)
{
    const struct chain *chain = what;
    fprintf(out,
            "# Forward and backward over %lld equal steps. Written by `slackline generate chain`.\n"
            "name: chain\n"
            "description: keep, offload or recompute what the steps of a chain save\n"
            "device: %s\n"
            "nodes: nodes.csv\n"
            "edges: edges.csv\n"
            "objects: objects.csv\n"
            "domains:\n"
            "  hbm: {reserve: 0B}\n"
            "objective:\n"
            "  metric: makespan\n"
            "  tail: 0.99\n"
            "  order: [tail, median, peak.hbm]\n"
            "  min_gain: 1%%\n",
            (long long)chain->length, chain->device);
    fputs(policies, out);
    fputs("sweep:\n  domains.hbm.capacity: ", out);
    sl_template_put_list(out, chain->values[CAPACITIES].text);
    fputs("\ntrials: 1000\nseed: 1\n", out);
}

static void put_readme(FILE *out, const void *what)
{
    const struct chain *chain = what;
    double ms = chain->values[FORWARD_MS].number, steps = (double)chain->length;
    fprintf(out,
            "# A chain, by `slackline generate chain`\n\n"
            "%lld steps of %.3g ms forward and %.3g ms backward: %.4g ms when all is kept, which "
            "takes %.4g GiB beside the gradients.\n\n"
            "    slackline sweep DIR -o results\n"
            "    slackline plot results\n\n"
            "Every figure is assumed.\n",
            (long long)chain->length, ms, ms * chain->values[BACKWARD].number,
            steps * ms * (1 + chain->values[BACKWARD].number),
            steps * (double)chain->saved_bytes / (1024.0 * 1024.0 * 1024.0));
}

static enum sl_status write_chain(const char *dir, const struct sl_template_value *values,
                                  struct sl_error *err)
{
    char device[SL_TEMPLATE_PATH];
    struct chain chain = {values, device, (int64_t)values[LENGTH].number,
                          (int64_t)values[SAVED_MIB].number << 20,
                          (int64_t)values[GRADIENT_MIB].number << 20};
    enum sl_status status = sl_template_check_capacities(values[CAPACITIES].text, err);
    if (status == SL_OK)
        status = sl_template_device(dir, values[DEVICE].text, device, err);
    if (status == SL_OK)
        status = write_tables(dir, &chain, err);
    if (status == SL_OK)
        status = sl_template_write_file(dir, "scenario.yaml", put_yaml, &chain, err);
    return status == SL_OK ? sl_template_write_readme(dir, put_readme, &chain, err) : status;
}

const struct sl_template sl_template_chain = {
    .name = "chain",
    .description = "forward and backward over a chain of equal steps; what they save kept, "
                   "offloaded or recomputed",
    .example = "slackline generate chain -o DIR --set length=48 --set forward_ms=5",
    .params = params,
    .param_count = PARAMS,
    .write = write_chain,
};
