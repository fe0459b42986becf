/* Template moe: one sequence decodes through a mixture of experts of which only some are in GPU
 * memory; the others are fetched once the gate has chosen them, or on a guess made a layer ahead.
 *
 * A gate stands for the layer up to its experts: e(2hq + 2hg) bytes of weights; an expert has
 * 3ehf bytes, read once.  Each of a layer's top_k places has one expert per token:
 *
 *     guess -> hit   the guess is the expert that the gate chooses (guard `right`)
 *     fetch -> miss  it is not; a needed fetch goes before guesses
 *     plain          without guesses (guard `foreseeing` at 0)
 *
 * each with a twin for an expert that is kept anyway. */
#include "config.h"

#include "outfile.h"
#include "template_parts.h"

enum {
    LAYERS,
    HIDDEN,
    FFN,
    HEADS,
    KV_HEADS,
    TOP_K,
    KEPT,
    RECALL,
    ROOM,
    DTYPE,
    DEVICE,
    HEAD_DIM,
    PARAMS
};
static const struct sl_template_param params[PARAMS] = {
    SL_LLM_PARAMS("8", "4096", "14336", "moe_intermediate_size;intermediate_size", "32", "8"),
    [TOP_K] = {"top_k", SL_TEMPLATE_INTEGER, "2", 1, 64, NULL,
               "experts that a token needs in a layer", "num_experts_per_tok"},
    [KEPT] = {"kept", SL_TEMPLATE_NUMBER, "0.7734", 0, 1, NULL,
              "share of experts that are in GPU memory", NULL},
    [RECALL] = {"recall", SL_TEMPLATE_NUMBER, "0.8", 0, 1, NULL,
                "probability that a guess is right; swept from 0.5 to 1, too", NULL},
    [ROOM] = {"room", SL_TEMPLATE_INTEGER, "3", 1, 1024, NULL,
              "experts that fit into what is left for those that come and go", NULL},
    [DTYPE] = SL_DTYPE_PARAM,
    [DEVICE] = SL_DEVICE_PARAM,
    [HEAD_DIM] = SL_HEAD_DIM_PARAM,
};

struct moe {
    const struct sl_template_value *values;
    const char *device;
    int64_t layers, top_k, expert_bytes, gate_bytes, token_bytes;
};

#define SHAPE "assumed: weights read once"

/* ---- nodes.csv ------------------------------------------------------------------------------- */

static void put_gate(FILE *out, const struct moe *moe, long long layer)
{
    fprintf(out, "gate.%lld,compute,elementwise,compute,bytes=%lldB,", layer,
            (long long)moe->gate_bytes);
    for (int64_t k = 0; layer > 0 && k < moe->top_k; k++)
        fprintf(out, "%sh.%lld.%lld", k ? ";" : "", layer - 1, (long long)k);
    fprintf(out, ",a.%lld,,,,,,,%s\n", layer, SHAPE);
}

static void put_copy(FILE *out, const char *name, const char *kind, const char *object,
                     const char *place, const char *guard, int priority)
{
    fprintf(out, "%s.%s,%s,,,,,,%s.%s,pinned,hbm,%s,%s,%d,\n", name, place, kind, object, place,
            place, guard, priority);
}

/* `object`: what was fetched; NULL: the expert was there. */
static void put_expert(FILE *out, const struct moe *moe, const char *name, const char *object,
                       long long layer, const char *place, const char *guard)
{
    fprintf(out, "%s.%s,compute,elementwise,compute,bytes=%lldB,a.%lld", name, place,
            (long long)moe->expert_bytes, layer);
    if (object)
        fprintf(out, ";%s.%s", object, place);
    fprintf(out, ",h.%s,,,,%s,%s,,%s\n", place, place, guard, SHAPE);
}

static void put_nodes(FILE *out, const void *what)
{
    const struct moe *moe = what;
    fputs("node,kind,class,resource,work,inputs,outputs,object,from,to,layer,guard,priority,"
          "evidence\n",
          out);
    for (long long l = 0; l < moe->layers; l++) {
        put_gate(out, moe, l);
        for (long long k = 0; k < moe->top_k; k++) {
            char at[48];
            snprintf(at, sizeof at, "%lld.%lld", l, k);
            put_copy(out, "guess", "prefetch", "p", at, "foreseeing & !kept", 0);
            put_copy(out, "fetch", "transfer", "x", at, "foreseeing & !right & !other_kept", 1);
            put_copy(out, "fetch.plain", "transfer", "x", at, "!foreseeing & !kept", 1);
            put_expert(out, moe, "hit", "p", l, at, "foreseeing & right & !kept");
            put_expert(out, moe, "hit.kept", NULL, l, at, "foreseeing & right & kept");
            put_expert(out, moe, "miss", "x", l, at, "foreseeing & !right & !other_kept");
            put_expert(out, moe, "miss.kept", NULL, l, at, "foreseeing & !right & other_kept");
            put_expert(out, moe, "plain", "x", l, at, "!foreseeing & !kept");
            put_expert(out, moe, "plain.kept", NULL, l, at, "!foreseeing & kept");
        }
    }
}

/* ---- the other files ------------------------------------------------------------------------- */

/* Guesses are made a layer ahead, those of the first layer when the token before is at its last; a
 * token starts when the one before has ended. */
static void put_edges(FILE *out, const void *what)
{
    static const char *const ends[] = {"hit",       "hit.kept", "miss",
                                       "miss.kept", "plain",    "plain.kept"};
    const struct moe *moe = what;
    long long last = (long long)moe->layers - 1;
    fputs("from,to,type,scope\n", out);
    for (long long l = 0; l < moe->layers; l++)
        for (long long k = 0; k < moe->top_k; k++) {
            fprintf(out, "gate.%lld,guess.%lld.%lld,ordering,%s\n", l > 0 ? l - 1 : last, l, k,
                    l > 0 ? "" : "next");
            fprintf(out, "gate.%lld,fetch.%lld.%lld,ordering,\n", l, l, k);
            fprintf(out, "gate.%lld,fetch.plain.%lld.%lld,ordering,\n", l, l, k);
        }
    for (long long k = 0; k < moe->top_k; k++)
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
            fprintf(out, "%s.%lld.%lld,gate.0,ordering,next\n", ends[i], last, k);
}

static void put_objects(FILE *out, const void *what)
{
    const struct moe *moe = what;
    long long token = (long long)moe->token_bytes, expert = (long long)moe->expert_bytes;
    fputs("object,size,home,placements,initial,evidence\n", out);
    for (long long l = 0; l < moe->layers; l++) {
        fprintf(out, "a.%lld,%lldB,hbm,hbm,,assumed: eh B\n", l, token);
        for (long long k = 0; k < moe->top_k; k++) {
            fprintf(out, "p.%lld.%lld,%lldB,hbm,hbm;pinned,pinned,assumed: 3ehf B\n", l, k, expert);
            fprintf(out, "x.%lld.%lld,%lldB,hbm,hbm;pinned,pinned,assumed: 3ehf B\n", l, k, expert);
            fprintf(out, "h.%lld.%lld,%lldB,hbm,hbm,,assumed: eh B\n", l, k, token);
        }
    }
}

static void put_yaml(FILE *out, const void *what)
{
    const struct moe *moe = what;
    double kept = moe->values[KEPT].number;
    fprintf(out,
            "# A mixture of experts decodes one sequence; an iteration is the pass of one token "
            "through %lld layers.\n"
            "# Written by `slackline generate moe`.\n"
            "name: moe\n"
            "description: experts in host memory, fetched on demand or on a guess made one layer "
            "ahead\n"
            "device: %s\n"
            "nodes: nodes.csv\n"
            "edges: edges.csv\n"
            "objects: objects.csv\n"
            "resources:\n"
            "  h2d: {order: priority} # a fetch that is needed goes before a guess, but does not "
            "stop one that runs\n"
            "domains:\n"
            "  # What is left for experts that come and go: %g, and 16 MiB for hidden states.\n"
            "  hbm: {capacity: %lldB, reserve: 0B}\n",
            (long long)moe->layers, moe->device, moe->values[ROOM].number,
            (long long)moe->values[ROOM].number * (long long)moe->expert_bytes + (16 << 20));
    fprintf(
        out,
        "guards:\n"
        "  foreseeing: {probability: 1} # whether guesses are made: 1 or 0\n"
        "  right: {probability: %.9g, scope: layer} # the guess is the expert that the gate "
        "chooses: recall\n"
        "  # Assumed: the expert of a place is there again at the next token more often than by "
        "chance.\n"
        "  kept: {probability: %.9g, scope: layer, persistence: 0.4}\n"
        "  other_kept: {probability: %.9g, scope: layer, persistence: 0.4}\n"
        "run: {mode: iterate, iterations: 60, warmup: 5}\n"
        "objective: {metric: makespan, tail: 0.95, order: [tail, median], min_gain: 1%%}\n"
        "baseline: as-given\n"
        "policies:\n"
        "  - {name: as-given, action: as-given}\n"
        "sweep:\n"
        "  guards.right.probability: [0.5, 0.65, 0.8, 0.9, 0.95, 1]\n"
        "trials: 100\n"
        "seed: 1\n",
        moe->values[RECALL].number, kept, kept);
}

static void put_readme(FILE *out, const void *what)
{
    const struct moe *moe = what;
    fprintf(out,
            "# Experts in host memory, by `slackline generate moe`\n\n"
            "%lld layers, %lld of their experts per token, %.4g MiB each; a share of %g is in GPU "
            "memory, the others are fetched.\n\n"
            "    slackline sweep DIR -o results                                # by the guess's "
            "recall\n"
            "    slackline run DIR --set guards.foreseeing.probability=0       # on demand\n\n"
            "No cache is simulated: which experts are kept is drawn. Every figure but the device's "
            "is assumed.\n",
            (long long)moe->layers, (long long)moe->top_k,
            (double)moe->expert_bytes / (1024.0 * 1024.0), moe->values[KEPT].number);
}

static enum sl_status write_moe(const char *dir, const struct sl_template_value *values,
                                struct sl_error *err)
{
    static const struct {
        const char *name;
        void (*put)(FILE *out, const void *what);
    } files[] = {{"nodes.csv", put_nodes},
                 {"edges.csv", put_edges},
                 {"objects.csv", put_objects},
                 {"scenario.yaml", put_yaml}};
    int64_t number[KV_HEADS + 1];
    for (int i = 0; i <= KV_HEADS; i++)
        number[i] = (int64_t)values[i].number;
    int64_t e = sl_template_element_bytes(values[DTYPE].text);
    struct sl_llm_shape s = {number[LAYERS],
                             number[HIDDEN],
                             number[FFN],
                             number[HEADS],
                             number[KV_HEADS],
                             1,
                             1,
                             1,
                             1,
                             e,
                             (int64_t)values[HEAD_DIM].number};
    char device[SL_TEMPLATE_PATH];
    enum sl_status status = sl_template_check_shape(&s, err);
    if (status == SL_OK)
        status = sl_template_device(dir, values[DEVICE].text, device, err);
    struct moe moe = {values,
                      device,
                      s.layers,
                      (int64_t)values[TOP_K].number,
                      3 * e * s.hidden * s.ffn,
                      2 * e * s.hidden * (sl_llm_query_width(&s) + sl_llm_kv_width(&s)),
                      e * s.hidden};
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == SL_OK; i++)
        status = sl_template_write_file(dir, files[i].name, files[i].put, &moe, err);
    return status == SL_OK ? sl_template_write_readme(dir, put_readme, &moe, err) : status;
}

const struct sl_template sl_template_moe = {
    .name = "moe",
    .description = "a mixture of experts decodes one sequence; experts fetched on demand or on a "
                   "guess",
    .example = "slackline generate moe -o DIR --set config=config.json --set kept=0.5",
    .params = params,
    .param_count = PARAMS,
    .refused = SL_LATENT_KEYS,
    .write = write_moe,
};
