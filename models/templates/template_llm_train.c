/* Template llm-train: one training step (forward, backward, optimizer) of a LLaMA-like decoder on
 * one rank of a data-parallel group that shards weights, gradients and optimizer state.
 *
 * Saved activations are one object per tensor, each with the kernel that would reproduce it, so
 * that a policy can keep, offload or recompute every one of them.  Formulas: llm_shape.c. */
#include "config.h"

#include "llm_shape.h"
#include "llm_train_yaml.h"
#include "scenario_tables.h"
#include "template_parts.h"
#include <math.h>
#include <string.h>

enum {
    LAYERS,
    HIDDEN,
    FFN,
    HEADS,
    KV_HEADS,
    SEQUENCE,
    MICRO_BATCH,
    VOCAB,
    RANKS,
    CONTEXT_MIB,
    MFU,
    CAPACITIES,
    DEVICE,
    HEAD_DIM,
    PARAMS
};

static const struct sl_template_param params[PARAMS] = {
    SL_LLM_PARAMS("32", "4096", "11008", "intermediate_size", "32", "32"),
    [SEQUENCE] = {"sequence", SL_TEMPLATE_INTEGER, "4096", 16, 1048576, NULL,
                  "tokens per sequence"},
    [MICRO_BATCH] = {"micro_batch", SL_TEMPLATE_INTEGER, "4", 1, 4096, NULL,
                     "sequences per step and rank"},
    [VOCAB] = {"vocab", SL_TEMPLATE_INTEGER, "32000", 16, 1048576, NULL, "vocabulary",
               "vocab_size"},
    [RANKS] = {"ranks", SL_TEMPLATE_INTEGER, "8", 1, 65536, NULL,
               "ranks that the state is sharded over"},
    [CONTEXT_MIB] = {"context_mib", SL_TEMPLATE_INTEGER, "1024", 1, 65536, NULL,
                     "MiB that driver context, libraries and communication buffers hold"},
    [MFU] = {"mfu", SL_TEMPLATE_NUMBER, "0.5", 0.05, 1, NULL,
             "share of peak FLOP/s that a layer reaches; the device's table states 0.5"},
    [CAPACITIES] = {"capacities", SL_TEMPLATE_TEXT, "79.6GiB;52GiB;44GiB", 0, 0, NULL,
                    "swept capacities of the GPU memory"},
    [DEVICE] = SL_DEVICE_PARAM,
    [HEAD_DIM] = SL_HEAD_DIM_PARAM,
};

/* "x_in+1" of layer 3 is "x_in.04".  The layer before the first is the embedding. */
static size_t put_name(char *out, size_t size, const char *tensor, size_t length, int64_t layer)
{
    int64_t shift = 0;
    if (length > 2 && (tensor[length - 2] == '+' || tensor[length - 2] == '-')) {
        shift = tensor[length - 2] == '+' ? 1 : -1;
        length -= 2;
    }
    int put = layer + shift < 0 ? snprintf(out, size, "%.*s.embed", (int)length, tensor)
                                : snprintf(out, size, "%.*s.%02lld", (int)length, tensor,
                                           (long long)(layer + shift));
    return (size_t)put;
}

/* The ';'-separated tensors of a kernel as objects of its layer, in `buffer`. */
static const char *layer_names(char *buffer, size_t size, const char *tensors, int64_t layer)
{
    size_t used = 0;
    *buffer = '\0';
    for (const char *at = tensors; *at && used + 1 < size;) {
        size_t length = strcspn(at, ";");
        used += put_name(buffer + used, size - used, at, length, layer);
        at += length;
        if (*at == ';' && used + 1 < size) {
            buffer[used++] = *at++;
            buffer[used] = '\0';
        }
    }
    return buffer;
}

struct build {
    const struct sl_llm_shape *shape;
    struct sl_tables *tables;
    struct sl_error *err;
};

static enum sl_status add_state(const struct build *build, const char *name, int64_t bytes,
                                const char *evidence)
{
    struct sl_table_object object = {name, "hbm", "hbm", "", evidence, bytes, true};
    return bytes == 0 ? SL_OK : sl_tables_object(build->tables, &object, build->err);
}

/* Mixed precision: 16-bit weights and gradients; 32-bit master weights and two moments. */
static enum sl_status add_all_state(const struct build *build, int64_t context_mib)
{
    const struct sl_llm_shape *s = build->shape;
    int64_t shard = (sl_llm_parameters(s) + s->ranks - 1) / s->ranks;
    int64_t layer = sl_llm_layer_parameters(s) * s->element_bytes;
    int64_t table = s->vocab * s->hidden * s->element_bytes;
    enum sl_status status =
        add_state(build, "weights_shard", shard * s->element_bytes, "assumed: 2P/ranks B");
    if (status == SL_OK)
        status = add_state(build, "grads_shard", shard * s->element_bytes, "assumed: 2P/ranks B");
    if (status == SL_OK)
        status = add_state(build, "optimizer_shard", shard * 12,
                           "assumed: 12P/ranks B (fp32 master and two moments)");
    if (status == SL_OK)
        status = add_state(build, "layers_gathered", 2 * layer, "assumed: two whole layers");
    if (status == SL_OK)
        status = add_state(build, "layer_grads", layer, "assumed: gradients of one whole layer");
    if (status == SL_OK)
        status = add_state(build, "head_gathered", 2 * table, "assumed: embedding and head 2eVh B");
    if (status == SL_OK)
        status = add_state(build, "context", context_mib << 20,
                           "assumed: driver context and libraries and communication buffers");
    return status;
}

static enum sl_status add_tensor(const struct build *build, const struct sl_llm_tensor *tensor,
                                 int64_t layer)
{
    char name[64], rebuilt_by[64] = "", evidence[128];
    snprintf(name, sizeof name, "%s.%02lld", tensor->name, (long long)layer);
    char formula[SL_LLM_FORMULA];
    snprintf(evidence, sizeof evidence, "assumed: %s B",
             sl_llm_formula(formula, build->shape, tensor->formula));
    if (tensor->rebuilt_by)
        snprintf(rebuilt_by, sizeof rebuilt_by, "fwd.%s.%02lld", tensor->rebuilt_by,
                 (long long)layer);
    /* Gradients live for one or two kernels: nothing to move. */
    const char *placements = name[0] == 'd' ? "hbm" : "hbm;pinned";
    struct sl_table_object object = {
        name, placements, "", rebuilt_by, evidence, sl_llm_tensor_bytes(build->shape, tensor),
        false};
    return sl_tables_object(build->tables, &object, build->err);
}

static enum sl_status add_passing(const struct build *build, const char *name, double bytes,
                                  const char *placements, const char *evidence)
{
    struct sl_table_object object = {name, placements, "", "", evidence, (int64_t)bytes, false};
    return sl_tables_object(build->tables, &object, build->err);
}

static enum sl_status add_objects(const struct build *build, int64_t context_mib)
{
    const struct sl_llm_shape *s = build->shape;
    double rows = (double)(sl_llm_tokens(s) * s->element_bytes);
    double hidden = rows * (double)s->hidden, logits = rows * (double)s->vocab;
    char final_name[64];
    snprintf(final_name, sizeof final_name, "x_in.%02lld", (long long)s->layers);
    enum sl_status status = add_all_state(build, context_mib);
    for (int64_t layer = 0; layer < s->layers && status == SL_OK; layer++)
        for (size_t i = 0; i < sl_llm_tensor_count && status == SL_OK; i++)
            status = add_tensor(build, &sl_llm_tensors[i], layer);
    if (status == SL_OK)
        status = add_passing(build, final_name, hidden, "hbm", "assumed: eTh B");
    if (status == SL_OK)
        status = add_passing(build, "norm_f", hidden, "hbm", "assumed: eTh B");
    if (status == SL_OK)
        status = add_passing(build, "logits", logits, "hbm", "assumed: eTV B");
    if (status == SL_OK)
        status = add_passing(build, "dlogits", logits, "hbm", "assumed: eTV B");
    if (status == SL_OK)
        status = add_passing(build, "dnorm_f", hidden, "hbm", "assumed: eTh B");
    if (status == SL_OK)
        status = add_passing(build, "dy.embed", hidden, "hbm", "assumed: eTh B");
    return status;
}

static enum sl_status add_node(const struct build *build, const char *name, const char *klass,
                               double flop, double bytes, const char *formula, const char *inputs,
                               const char *outputs)
{
    char work[SL_TEMPLATE_WORK], evidence[112];
    sl_template_work(work, flop, bytes);
    char printed[SL_LLM_FORMULA];
    snprintf(evidence, sizeof evidence, "assumed: %s",
             sl_llm_formula(printed, build->shape, formula));
    struct sl_table_node node = {name, klass, "step", work, evidence, inputs, outputs};
    return sl_tables_node(build->tables, &node, build->err);
}

static enum sl_status add_layer(const struct build *build, const char *pass,
                                const struct sl_llm_kernel *kernels, size_t count, int64_t layer)
{
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count && status == SL_OK; i++) {
        char name[64], inputs[256], outputs[256];
        snprintf(name, sizeof name, "%s.%s.%02lld", pass, kernels[i].name, (long long)layer);
        status =
            add_node(build, name, kernels[i].klass, sl_llm_kernel_flop(build->shape, &kernels[i]),
                     sl_llm_kernel_bytes(build->shape, &kernels[i]), kernels[i].formula,
                     layer_names(inputs, sizeof inputs, kernels[i].inputs, layer),
                     layer_names(outputs, sizeof outputs, kernels[i].outputs, layer));
    }
    return status;
}

/* Final norm, head and loss, forward and backward: the turning point of the step. */
static enum sl_status add_head(const struct build *build)
{
    const struct sl_llm_shape *s = build->shape;
    double rows = (double)(sl_llm_tokens(s) * s->element_bytes);
    double hidden = rows * (double)s->hidden, logits = rows * (double)s->vocab;
    double gemm = 2 * (double)sl_llm_tokens(s) * (double)s->hidden * (double)s->vocab;
    char last[64], inputs[128], dy[64];
    snprintf(last, sizeof last, "x_in.%02lld", (long long)s->layers);
    snprintf(inputs, sizeof inputs, "dnorm_f;%s", last);
    snprintf(dy, sizeof dy, "dy.%02lld", (long long)(s->layers - 1));
    enum sl_status status =
        add_node(build, "fwd.norm_f", "elementwise", 0, 2 * hidden, "2eTh B", last, "norm_f");
    if (status == SL_OK)
        status = add_node(build, "fwd.head", "gemm", gemm, 0, "2ThV FLOP", "norm_f", "logits");
    if (status == SL_OK)
        status =
            add_node(build, "loss", "elementwise", 0, 3 * logits, "3eTV B", "logits", "dlogits");
    if (status == SL_OK)
        status = add_node(build, "bwd.head", "gemm", 2 * gemm, 0, "4ThV FLOP", "dlogits;norm_f",
                          "dnorm_f");
    if (status == SL_OK)
        status = add_node(build, "bwd.norm_f", "elementwise", 0, 3 * hidden, "3eTh B", inputs, dy);
    return status;
}

static enum sl_status add_nodes(const struct build *build)
{
    const struct sl_llm_shape *s = build->shape;
    double hidden = (double)(sl_llm_tokens(s) * s->element_bytes * s->hidden);
    double shard = (double)((sl_llm_parameters(s) + s->ranks - 1) / s->ranks);
    /* State is named by a kernel or two that use it: it stays anyway. */
    enum sl_status status = add_node(build, "fwd.embed", "elementwise", 0, 2 * hidden, "2eTh B",
                                     "head_gathered;layers_gathered;context", "x_in.00");
    for (int64_t layer = 0; layer < s->layers && status == SL_OK; layer++)
        status = add_layer(build, "fwd", sl_llm_forward, sl_llm_forward_count, layer);
    if (status == SL_OK)
        status = add_head(build);
    for (int64_t layer = s->layers - 1; layer >= 0 && status == SL_OK; layer--)
        status = add_layer(build, "bwd", sl_llm_backward, sl_llm_backward_count, layer);
    if (status == SL_OK)
        status =
            add_node(build, "bwd.embed", "elementwise", 0, 3 * hidden, "3eTh B", "dy.embed", "");
    if (status == SL_OK) /* read and write three fp32 values, read a gradient, write a weight */
        status = add_node(build, "optimizer", "elementwise", 0,
                          shard * (double)(24 + 2 * s->element_bytes), "28P/ranks B",
                          "layer_grads;grads_shard;optimizer_shard", "weights_shard");
    return status;
}

static enum sl_status write_tables(const char *dir, const struct sl_llm_shape *shape,
                                   int64_t context_mib, struct sl_error *err)
{
    struct sl_tables tables;
    struct build build = {shape, &tables, err};
    enum sl_status status = sl_tables_open(&tables, dir, "work", err);
    if (status == SL_OK)
        status = add_objects(&build, context_mib);
    if (status == SL_OK)
        status = add_nodes(&build);
    if (status == SL_OK)
        status = sl_tables_commit(&tables, err);
    sl_tables_close(&tables);
    return status;
}

static enum sl_status write_llm_train(const char *dir, const struct sl_template_value *values,
                                      struct sl_error *err)
{
    int64_t number[PARAMS];
    for (int i = 0; i <= CONTEXT_MIB; i++)
        number[i] = (int64_t)values[i].number;
    struct sl_llm_shape shape = {number[LAYERS],
                                 number[HIDDEN],
                                 number[FFN],
                                 number[HEADS],
                                 number[KV_HEADS],
                                 number[SEQUENCE],
                                 number[MICRO_BATCH],
                                 number[VOCAB],
                                 number[RANKS],
                                 2,
                                 (int64_t)values[HEAD_DIM].number};
    char device[SL_TEMPLATE_PATH];
    enum sl_status status = sl_template_check_shape(&shape, err);
    if (status == SL_OK)
        status = sl_template_check_capacities(values[CAPACITIES].text, err);
    if (status == SL_OK)
        status = sl_template_device(dir, values[DEVICE].text, device, err);
    if (status == SL_OK)
        status = write_tables(dir, &shape, number[CONTEXT_MIB], err);
    if (status == SL_OK)
        status = sl_llm_train_write_yaml(dir, &shape, values[MFU].number, values[CAPACITIES].text,
                                         device, err);
    return status == SL_OK ? sl_llm_train_write_readme(dir, &shape, err) : status;
}

const struct sl_template sl_template_llm_train = {
    .name = "llm-train",
    .description = "one training step of a LLaMA-like decoder; activations kept, offloaded or "
                   "recomputed",
    .example = "slackline generate llm-train -o DIR --set layers=40 --set hidden=5120 "
               "--set ffn=13824 --set heads=40 --set kv_heads=40",
    .params = params,
    .param_count = PARAMS,
    .refused = SL_EXPERT_KEYS,
    .write = write_llm_train,
};
