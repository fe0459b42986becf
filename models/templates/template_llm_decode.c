/* Template llm-decode: one decoding step of a batch whose keys and values wait, for most layers, in
 * page-locked host memory.
 *
 * Per layer two kernels for B sequences with s tokens of context each:
 *
 *     attention   2B(2hq + 2hg) + 4Bsq FLOP;  e(2hq + 2hg) B of weights, 2egsB B of keys, values
 *     mlp         6Bhf FLOP;                  3ehf B of weights
 *
 * each taking the time of the roofline's side that binds.  Weights stay in GPU memory. */
#include "config.h"

#include "stream_yaml.h"

enum {
    LAYERS,
    HIDDEN,
    FFN,
    HEADS,
    KV_HEADS,
    CONTEXT,
    BATCH,
    VOCAB,
    RESIDENT,
    DTYPE,
    RIDGE,
    CAPACITIES,
    DEVICE,
    HEAD_DIM,
    PARAMS
};
static const struct sl_template_param params[PARAMS] = {
    SL_LLM_PARAMS("32", "4096", "14336", "intermediate_size", "32", "8"),
    [CONTEXT] = {"context", SL_TEMPLATE_INTEGER, "32768", 1, 16777216, NULL,
                 "tokens of context of each sequence", NULL},
    [BATCH] = {"batch", SL_TEMPLATE_INTEGER, "32", 1, 65536, NULL, "sequences", NULL},
    [VOCAB] = {"vocab", SL_TEMPLATE_INTEGER, "128256", 16, 1048576, NULL, "vocabulary",
               "vocab_size"},
    [RESIDENT] = {"resident_layers", SL_TEMPLATE_INTEGER, "8", 0, 512, NULL,
                  "layers whose keys and values stay in GPU memory", NULL},
    [DTYPE] = SL_DTYPE_PARAM,
    [RIDGE] = SL_RIDGE_PARAM,
    [CAPACITIES] = {"capacities", SL_TEMPLATE_TEXT, "56GiB;64GiB;76GiB", 0, 0, NULL,
                    "swept capacities of the GPU memory", NULL},
    [DEVICE] = SL_DEVICE_PARAM,
    [HEAD_DIM] = SL_HEAD_DIM_PARAM,
};

struct step {
    struct sl_llm_shape shape; /* sequence: the context; micro_batch: the batch */
    int64_t resident;
    int64_t weight_bytes; /* of all layers, embedding and head */
    int64_t kv_bytes;     /* of a layer */
    double ridge;
};

static struct step step_of(const struct sl_template_value *values)
{
    int64_t number[RESIDENT + 1];
    for (int i = 0; i <= RESIDENT; i++)
        number[i] = (int64_t)values[i].number;
    struct step step = {.shape = {number[LAYERS], number[HIDDEN], number[FFN], number[HEADS],
                                  number[KV_HEADS], number[CONTEXT], number[BATCH], number[VOCAB],
                                  1, sl_template_element_bytes(values[DTYPE].text),
                                  (int64_t)values[HEAD_DIM].number},
                        .resident = number[RESIDENT],
                        .ridge = values[RIDGE].number};
    const struct sl_llm_shape *s = &step.shape;
    step.weight_bytes = sl_llm_parameters(s) * s->element_bytes;
    step.kv_bytes = 2 * sl_llm_kv_width(s) * sl_llm_tokens(s) * s->element_bytes;
    return step;
}

static enum sl_status add_object(struct sl_tables *tables, const char *stem, int64_t layer,
                                 const struct sl_table_object *like, struct sl_error *err)
{
    char name[32];
    struct sl_table_object object = *like;
    snprintf(name, sizeof name, "%s.%02lld", stem, (long long)layer);
    object.name = name;
    return sl_tables_object(tables, &object, err);
}

static enum sl_status add_objects(const struct step *step, struct sl_tables *tables,
                                  struct sl_error *err)
{
    const struct sl_llm_shape *s = &step->shape;
    char formula[SL_LLM_FORMULA];
    struct sl_table_object weights = {
        "weights",
        "hbm",
        "hbm",
        "",
        sl_llm_formula(formula, s, "assumed: e(2Vh+h+layers(2hq+2hg+3hf+2h)) B"),
        step->weight_bytes,
        true};
    struct sl_table_object stays = {"", "hbm", "hbm", "", "assumed: 2egsB B", step->kv_bytes, true};
    struct sl_table_object comes = {
        "", "hbm;pinned", "pinned", "", "assumed: 2egsB B", step->kv_bytes, false};
    struct sl_table_object hidden = {
        "", "hbm", "", "", "assumed: eBh B", s->micro_batch * s->hidden * s->element_bytes, false};
    enum sl_status status = sl_tables_object(tables, &weights, err);
    for (int64_t layer = 0; layer < s->layers && status == SL_OK; layer++) {
        status = add_object(tables, "kv", layer, layer < step->resident ? &stays : &comes, err);
        if (status == SL_OK)
            status = add_object(tables, "mid", layer, &hidden, err);
        if (status == SL_OK)
            status = add_object(tables, "x", layer, &hidden, err);
    }
    return status;
}

/* Takes the roofline's time of `flop` and `bytes`. */
static enum sl_status add_node(const struct step *step, struct sl_tables *tables,
                               struct sl_table_node node, double flop, double bytes,
                               struct sl_error *err)
{
    char work[SL_TEMPLATE_WORK];
    node.klass = sl_template_roofline(work, flop, bytes, step->ridge);
    node.time = work;
    node.lane = "step";
    return sl_tables_node(tables, &node, err);
}

static enum sl_status add_layer(const struct step *step, struct sl_tables *tables, int64_t layer,
                                struct sl_error *err)
{
    const struct sl_llm_shape *s = &step->shape;
    double h = (double)s->hidden, f = (double)s->ffn;
    double q = (double)sl_llm_query_width(s), g = (double)sl_llm_kv_width(s);
    double batch = (double)s->micro_batch, e = (double)s->element_bytes;
    double projections = 2 * h * q + 2 * h * g;
    char formula[SL_LLM_FORMULA], attention[32], mlp[32], kv[64], mid[32], out[32];
    int length = snprintf(kv, sizeof kv, "%skv.%02lld", layer ? "" : "weights;", (long long)layer);
    if (layer > 0)
        snprintf(kv + length, sizeof kv - (size_t)length, ";x.%02lld", (long long)layer - 1);
    snprintf(attention, sizeof attention, "attention.%02lld", (long long)layer);
    snprintf(mlp, sizeof mlp, "mlp.%02lld", (long long)layer);
    snprintf(mid, sizeof mid, "mid.%02lld", (long long)layer);
    snprintf(out, sizeof out, "x.%02lld", (long long)layer);
    struct sl_table_node first = {.name = attention,
                                  .evidence = sl_llm_formula(formula, s,
                                                             "assumed: 2B(2hq+2hg)+4Bsq FLOP or "
                                                             "e(2hq+2hg)+2egsB B"),
                                  .inputs = kv,
                                  .outputs = mid};
    struct sl_table_node second = {
        .name = mlp, .evidence = "assumed: 6Bhf FLOP or 3ehf B", .inputs = mid, .outputs = out};
    enum sl_status status =
        add_node(step, tables, first, 2 * batch * projections + 4 * batch * q * (double)s->sequence,
                 e * projections + (double)step->kv_bytes, err);
    return status == SL_OK ? add_node(step, tables, second, 6 * batch * h * f, 3 * e * h * f, err)
                           : status;
}

static void put_readme(FILE *out, const void *what)
{
    const struct step *step = what;
    const struct sl_llm_shape *s = &step->shape;
    double gib = 1024.0 * 1024.0 * 1024.0;
    fprintf(
        out,
        "# One decoding step, by `slackline generate llm-decode`\n\n"
        "%lld layers, h = %lld, f = %lld; %lld sequences with %lld tokens of context each. "
        "Weights %.1f GiB, which stay; keys and\n"
        "values %.3f GiB a layer, %.1f GiB in all, of which those of %lld layers stay and the "
        "others come from the host.\n\n"
        "    slackline sweep DIR -o results\n"
        "    slackline plot results\n\n"
        "A kernel takes the time of its FLOP where it has %g FLOP per byte or more, else of its "
        "bytes, by the device's tables:\n"
        "assumed, as column `evidence` says. The step's own keys and values, norms, head and "
        "sampling are left out.\n",
        (long long)s->layers, (long long)s->hidden, (long long)s->ffn, (long long)s->micro_batch,
        (long long)s->sequence, (double)step->weight_bytes / gib, (double)step->kv_bytes / gib,
        (double)(step->kv_bytes * s->layers) / gib, (long long)step->resident, step->ridge);
}

static enum sl_status add_rows(const void *what, struct sl_tables *tables, struct sl_error *err)
{
    const struct step *step = what;
    enum sl_status status = add_objects(step, tables, err);
    for (int64_t layer = 0; layer < step->shape.layers && status == SL_OK; layer++)
        status = add_layer(step, tables, layer, err);
    return status;
}

static enum sl_status write_llm_decode(const char *dir, const struct sl_template_value *values,
                                       struct sl_error *err)
{
    static const struct sl_stream_template stream = {
        .head = "# One decoding step of a batch whose keys and values wait in page-locked host "
                "memory, but for a few layers'.\n"
                "# Written by `slackline generate llm-decode`.\n",
        .name = "llm-decode",
        .description = "one decoding step, keys and values streamed from the host",
        .add_rows = add_rows,
        .put_readme = put_readme};
    struct step step = step_of(values);
    if (step.resident > step.shape.layers)
        return SL_FAIL(err, SL_USAGE, "resident_layers = %lld is above layers = %lld",
                       (long long)step.resident, (long long)step.shape.layers);
    return sl_stream_write(dir, &stream, &step.shape, values[CAPACITIES].text, values[DEVICE].text,
                           &step, err);
}

const struct sl_template sl_template_llm_decode = {
    .name = "llm-decode",
    .description = "one decoding step of a batch; keys and values of most layers streamed from the "
                   "host",
    .example = "slackline generate llm-decode -o DIR --set context=65536 --set batch=8",
    .params = params,
    .param_count = PARAMS,
    .refused = SL_EXPERT_KEYS,
    .write = write_llm_decode,
};
