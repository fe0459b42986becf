/* Template weight-stream: one forward pass of a decoder that is larger than the GPU's memory; each
 * layer's weights wait in page-locked host memory, come in before it and are read once.
 *
 * A layer is one node of 2T(2hq + 2hg + 3hf) + 2Tsq FLOP (llm_shape.h) that reads
 * e(2hq + 2hg + 3hf + 2h) bytes of weights; its time is that of the roofline's side that binds. */
#include "config.h"

#include "stream_yaml.h"

enum {
    LAYERS,
    HIDDEN,
    FFN,
    HEADS,
    KV_HEADS,
    SEQUENCE,
    MICRO_BATCH,
    DTYPE,
    RIDGE,
    CAPACITIES,
    DEVICE,
    HEAD_DIM,
    PARAMS
};
static const struct sl_template_param params[PARAMS] = {
    SL_LLM_PARAMS("80", "8192", "28672", "intermediate_size", "64", "8"),
    [SEQUENCE] = {"sequence", SL_TEMPLATE_INTEGER, "4096", 1, 1048576, NULL, "tokens per sequence",
                  NULL},
    [MICRO_BATCH] = {"micro_batch", SL_TEMPLATE_INTEGER, "2", 1, 4096, NULL, "sequences per pass",
                     NULL},
    [DTYPE] = SL_DTYPE_PARAM,
    [RIDGE] = SL_RIDGE_PARAM,
    [CAPACITIES] = {"capacities", SL_TEMPLATE_TEXT, "2GiB;3.5GiB;8.5GiB", 0, 0, NULL,
                    "swept capacities for weights", NULL},
    [DEVICE] = SL_DEVICE_PARAM,
    [HEAD_DIM] = SL_HEAD_DIM_PARAM,
};

struct pass {
    struct sl_llm_shape shape;
    double layer_flop, layer_bytes;
    double ridge;
};

static struct pass pass_of(const struct sl_template_value *values)
{
    int64_t number[MICRO_BATCH + 1];
    for (int i = 0; i <= MICRO_BATCH; i++)
        number[i] = (int64_t)values[i].number;
    struct pass pass = {.shape = {number[LAYERS], number[HIDDEN], number[FFN], number[HEADS],
                                  number[KV_HEADS], number[SEQUENCE], number[MICRO_BATCH], 1, 1,
                                  sl_template_element_bytes(values[DTYPE].text),
                                  (int64_t)values[HEAD_DIM].number},
                        .ridge = values[RIDGE].number};
    for (size_t i = 0; i < sl_llm_forward_count; i++)
        pass.layer_flop += sl_llm_kernel_flop(&pass.shape, &sl_llm_forward[i]);
    pass.layer_bytes = (double)(sl_llm_layer_parameters(&pass.shape) * pass.shape.element_bytes);
    return pass;
}

/* Layers hand on their hidden states, e T h bytes each. */
static enum sl_status add_objects(const struct pass *pass, struct sl_tables *tables,
                                  struct sl_error *err)
{
    const struct sl_llm_shape *s = &pass->shape;
    enum sl_status status = SL_OK;
    for (int64_t layer = 0; layer < s->layers && status == SL_OK; layer++) {
        char name[32], formula[SL_LLM_FORMULA];
        struct sl_table_object weights = {
            name,
            "hbm;pinned",
            "pinned",
            "",
            sl_llm_formula(formula, s, "assumed: e(2hq+2hg+3hf+2h) B"),
            (int64_t)pass->layer_bytes,
            false};
        snprintf(name, sizeof name, "weights.%02lld", (long long)layer);
        status = sl_tables_object(tables, &weights, err);
    }
    for (int64_t layer = 1; layer <= s->layers && status == SL_OK; layer++) {
        char name[32];
        struct sl_table_object hidden = {
            name, "hbm", "", "", "assumed: eTh B", sl_llm_tokens(s) * s->hidden * s->element_bytes,
            false};
        snprintf(name, sizeof name, "x.%02lld", (long long)layer);
        status = sl_tables_object(tables, &hidden, err);
    }
    return status;
}

static enum sl_status add_nodes(const struct pass *pass, struct sl_tables *tables,
                                struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (int64_t layer = 0; layer < pass->shape.layers && status == SL_OK; layer++) {
        char name[32], work[SL_TEMPLATE_WORK], inputs[64], outputs[32], formula[SL_LLM_FORMULA];
        const char *klass =
            sl_template_roofline(work, pass->layer_flop, pass->layer_bytes, pass->ridge);
        snprintf(name, sizeof name, "layer.%02lld", (long long)layer);
        int length = snprintf(inputs, sizeof inputs, "weights.%02lld", (long long)layer);
        if (layer > 0)
            snprintf(inputs + length, sizeof inputs - (size_t)length, ";x.%02lld",
                     (long long)layer);
        snprintf(outputs, sizeof outputs, "x.%02lld", (long long)layer + 1);
        struct sl_table_node node = {name,
                                     klass,
                                     "pass",
                                     work,
                                     sl_llm_formula(formula, &pass->shape,
                                                    "assumed: 2T(2hq+2hg+3hf)+2Tsq FLOP or its "
                                                    "weights' bytes"),
                                     inputs,
                                     outputs};
        status = sl_tables_node(tables, &node, err);
    }
    return status;
}

static void put_readme(FILE *out, const void *what)
{
    const struct pass *pass = what;
    const struct sl_llm_shape *s = &pass->shape;
    double gib = 1024.0 * 1024.0 * 1024.0;
    fprintf(out,
            "# A model larger than the GPU, by `slackline generate weight-stream`\n\n"
            "%lld layers, h = %lld, f = %lld; %lld tokens a pass. A layer: %.3g TFLOP, %.3f GiB of "
            "weights; all: %.1f GiB.\n"
            "How many layers' room must the pass have, and when should a copy start?\n\n"
            "    slackline sweep DIR -o results\n"
            "    slackline plot results\n\n"
            "A layer takes the time of its FLOP where it has %g FLOP per byte of weights or more, "
            "else of those bytes, by the\n"
            "device's tables: assumed, as column `evidence` says. Norms, embedding, head and "
            "sampling are left out.\n",
            (long long)s->layers, (long long)s->hidden, (long long)s->ffn,
            (long long)sl_llm_tokens(s), pass->layer_flop / 1e12, pass->layer_bytes / gib,
            pass->layer_bytes * (double)s->layers / gib, pass->ridge);
}

static enum sl_status add_rows(const void *what, struct sl_tables *tables, struct sl_error *err)
{
    enum sl_status status = add_objects(what, tables, err);
    return status == SL_OK ? add_nodes(what, tables, err) : status;
}

static enum sl_status write_weight_stream(const char *dir, const struct sl_template_value *values,
                                          struct sl_error *err)
{
    static const struct sl_stream_template stream = {
        .head = "# One forward pass of a decoder whose weights wait in page-locked host memory.\n"
                "# Written by `slackline generate weight-stream`.\n",
        .name = "weight-stream",
        .description = "one forward pass of a model larger than GPU memory",
        .add_rows = add_rows,
        .put_readme = put_readme};
    struct pass pass = pass_of(values);
    return sl_stream_write(dir, &stream, &pass.shape, values[CAPACITIES].text, values[DEVICE].text,
                           &pass, err);
}

const struct sl_template sl_template_weight_stream = {
    .name = "weight-stream",
    .description = "one forward pass of a decoder larger than GPU memory, its weights streamed "
                   "from the host",
    .example = "slackline generate weight-stream -o DIR --set config=config.json "
               "--set micro_batch=4",
    .params = params,
    .param_count = PARAMS,
    .refused = SL_EXPERT_KEYS,
    .write = write_weight_stream,
};
