/* The run description of the llm-train template: memory, factors, policies, sweep. */
#include "config.h"

#include "llm_train_yaml.h"
#include "template_parts.h"
#include "text.h"
#include <string.h>

/* Kernels without a matrix product cost under 1.1 ms per GiB: every policy repeats them. */
#define CHEAP                                                                                      \
    "    rules: [{objects: \"norm1.*;norm2.*;silu.*;product.*\", action: remat, select: all}"

/* clang-format off: one line here is one line there */
static const char policies[] =
    "# Norms, silu and product are recomputed under every policy: without them the full set fits "
    "no\n"
    "# capacity.  A `select` other than all takes objects in its order until the rest fits.\n"
    "policies:\n"
    "  # The lean set stays.\n"
    "  - name: retain\n"
    "    action: retain\n" CHEAP "]\n"
    "  # Only layer inputs stay.\n"
    "  - name: recompute-all\n"
    "    action: remat\n"
    "    rules: [{objects: \"x_in.*\", action: retain}]\n"
    "  # What does not fit is recomputed, longest gap first.\n"
    "  - name: recompute-fit\n"
    "    action: remat\n"
    "    select: belady\n" CHEAP ", {objects: \"x_in.*\", action: retain}]\n"
    "  # Everything that is not recomputed goes out and comes back.\n"
    "  - name: offload-all-asap\n"
    "    action: offload\n"
    "    prefetch: {when: asap}\n" CHEAP "]\n"
    "  - name: offload-all-lookahead\n"
    "    action: offload\n"
    "    prefetch: {when: lookahead}\n" CHEAP "]\n"
    "  # What does not fit goes out, longest gap first.  When does it come back?\n"
    "  - name: offload-demand\n"
    "    action: offload\n"
    "    select: belady\n"
    "    prefetch: {when: demand}\n" CHEAP "]\n"
    "  - name: offload-asap\n"
    "    action: offload\n"
    "    select: belady\n"
    "    prefetch: {when: asap}\n" CHEAP "]\n"
    "  - name: offload-lookahead\n"
    "    action: offload\n"
    "    select: belady\n"
    "    prefetch: {when: lookahead}\n" CHEAP "]\n"
    "  # Large objects first: the moves spread over all layers.\n"
    "  - name: offload-largest\n"
    "    action: offload\n"
    "    select: largest\n"
    "    prefetch: {when: lookahead}\n" CHEAP "]\n"
    "  # In time for 95% of copies; for the slow link too, with room kept for what then comes "
    "early; for\n"
    "  # nearly every copy, without that room.\n"
    "  - name: offload-jit\n"
    "    action: offload\n"
    "    select: belady\n"
    "    prefetch: {when: jit, quantile: 0.95}\n" CHEAP "]\n"
    "  - name: offload-jit-slow\n"
    "    action: offload\n"
    "    select: {how: belady, headroom: 2GiB}\n"
    "    prefetch: {when: jit, quantile: 0.99}\n" CHEAP "]\n"
    "  - name: offload-jit-early\n"
    "    action: offload\n"
    "    select: belady\n"
    "    prefetch: {when: jit, quantile: 0.999}\n" CHEAP "]\n"
    "  # Attention of the first ten layers is recomputed, so that the link has slack.\n"
    "  - name: mixed-lookahead\n"
    "    action: offload\n"
    "    select: cost-benefit\n"
    "    prefetch: {when: lookahead}\n" CHEAP
    ", {objects: \"attn.0?\", action: remat, select: all}]\n"
    "  - name: mixed-jit\n"
    "    action: offload\n"
    "    select: {how: cost-benefit, headroom: 2GiB}\n"
    "    prefetch: {when: jit, quantile: 0.99}\n" CHEAP
    ", {objects: \"attn.0?\", action: remat, select: all}]\n";
/* clang-format on */

static void write_yaml(FILE *out, const struct sl_llm_shape *s, double mfu, const char *capacities,
                       const char *device)
{
    fprintf(out,
            "# One training step of a decoder with %lld layers, h = %lld, f = %lld on one rank of "
            "%lld;\n"
            "# %lld tokens a step.  Written by `slackline generate llm-train`.\n",
            (long long)s->layers, (long long)s->hidden, (long long)s->ffn, (long long)s->ranks,
            (long long)sl_llm_tokens(s));
    fprintf(out,
            "name: activation-offload\n"
            "description: keep, offload or recompute each saved activation of one training step\n"
            "device: %s\n"
            "nodes: nodes.csv\n"
            "edges: edges.csv\n"
            "objects: objects.csv\n"
            "domains:\n"
            "  hbm: {reserve: 2GiB}\n"
            "  pinned: {capacity: 64GiB, reserve: 0B} # assumed: a rank's share of the host's "
            "page-locked memory\n"
            "factors:\n"
            "  # Assumed: the GPU's clock differs from step to step; a mean of 1 is %s of peak.\n"
            "  clock: {draw: \"lognormal(mean=%.6g, cv=0.01)\", per: trial, classes: [gemm, "
            "attention, elementwise], evidence: \"assumed: it differs from step to step\"}\n"
            "  # Assumed: other GPUs share the host link; 95%% of the time 52 GB/s, else 26.\n"
            "  link: {draw: \"regime(p=0.05, level=2, dwell=50ms)\", classes: [copy.h2d, "
            "copy.d2h], evidence: \"assumed: other GPUs share the host link\"}\n"
            "objective:\n"
            "  metric: makespan\n"
            "  tail: 0.99\n"
            "  order: [tail, median, peak.hbm]\n"
            "  min_gain: 1%%\n"
            "baseline: retain\n"
            "fallback_baseline: recompute-all\n",
            device, "50%", 0.5 / mfu);
    fputs(policies, out);
    fputs("sweep:\n  domains.hbm.capacity: ", out);
    sl_template_put_list(out, capacities);
    fputs("\n  policy.prefetch.lookahead: [1, 2, 4, 8]\ntrials: 4000\nseed: 1\n", out);
}

static void write_readme(FILE *out, const struct sl_llm_shape *s)
{
    double gib = 1024.0 * 1024.0 * 1024.0;
    int64_t full = 0, lean = 0;
    for (size_t i = 0; i < sl_llm_tensor_count; i++) {
        const struct sl_llm_tensor *tensor = &sl_llm_tensors[i];
        bool saved = tensor->rebuilt_by || strcmp(tensor->name, "x_in") == 0;
        bool cheap = tensor->rebuilt_by && sl_glob_any("norm?;silu;product", tensor->rebuilt_by);
        full += saved ? sl_llm_tensor_bytes(s, tensor) : 0;
        lean += saved && !cheap ? sl_llm_tensor_bytes(s, tensor) : 0;
    }
    fprintf(out,
            "# One training step, by `slackline generate llm-train`\n\n"
            "%lld layers, h = %lld, f = %lld, %lld tokens, sharded over %lld ranks: %.2f billion "
            "parameters.\n"
            "Saved activations: %.1f GiB in all; %.1f GiB when norms, silu and product are "
            "recomputed; %.1f GiB for\n"
            "layer inputs alone. Formulas: doc/flagship.md of Slackline.\n\n"
            "    slackline check DIR\n"
            "    slackline sweep DIR -o results\n"
            "    slackline plot results\n\n"
            "Every duration comes from the device's tables through the column `work`; figures that "
            "are assumed say so in the\n"
            "column `evidence` and in scenario.yaml. Collectives are taken as hidden.\n",
            (long long)s->layers, (long long)s->hidden, (long long)s->ffn,
            (long long)sl_llm_tokens(s), (long long)s->ranks, (double)sl_llm_parameters(s) / 1e9,
            (double)(full * s->layers) / gib, (double)(lean * s->layers) / gib,
            (double)(sl_llm_tensor_bytes(s, &sl_llm_tensors[0]) * s->layers) / gib);
}

struct run {
    const struct sl_llm_shape *shape;
    double mfu;
    const char *capacities, *device;
};

static void put_yaml(FILE *out, const void *what)
{
    const struct run *run = what;
    write_yaml(out, run->shape, run->mfu, run->capacities, run->device);
}

static void put_readme(FILE *out, const void *what)
{
    write_readme(out, what);
}

enum sl_status sl_llm_train_write_yaml(const char *dir, const struct sl_llm_shape *shape,
                                       double mfu, const char *capacities, const char *device,
                                       struct sl_error *err)
{
    struct run run = {shape, mfu, capacities, device};
    return sl_template_write_file(dir, "scenario.yaml", put_yaml, &run, err);
}

enum sl_status sl_llm_train_write_readme(const char *dir, const struct sl_llm_shape *shape,
                                         struct sl_error *err)
{
    return sl_template_write_readme(dir, put_readme, shape, err);
}
