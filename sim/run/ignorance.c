/* Sources of ignorance in a plan, and the plan at other values of them. */
#include <config.h>

#include "exactness.h"
#include "ignorance.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <Random123/philox.h>

struct sl_varied_node {
    uint32_t node, source;
    struct sl_known below, above; /* factors of the neighbouring rows */
    double share;
};

const char *sl_source_kind_name(enum sl_source_kind kind)
{
    return kind == SL_SOURCE_DURATION ? "duration" : "kappa";
}

static uint32_t source_of(struct sl_ignorance *ignorance, enum sl_source_kind kind, uint32_t klass)
{
    uint32_t s = 0;
    while (s < ignorance->source_count &&
           (ignorance->sources[s].kind != kind || ignorance->sources[s].klass != klass))
        s++;
    if (s == ignorance->source_count)
        ignorance->sources[ignorance->source_count++] =
            (struct sl_source){.kind = kind, .klass = klass, .lo = 1, .hi = 1};
    return s;
}

static void widen(struct sl_source *source, struct sl_known figure)
{
    source->figures++;
    source->lo = fmin(source->lo, figure.lo / figure.value);
    source->hi = fmax(source->hi, figure.hi / figure.value);
}

/* Durations of a class by `met`, rows that some node of the plan takes. */
static void find_durations(struct sl_ignorance *ignorance, const bool *met)
{
    const struct sl_platform *platform = ignorance->graph->platform;
    for (uint32_t i = 0; i < platform->duration_count; i++) {
        const struct sl_duration_row *row = &platform->durations[i];
        if (!sl_known_varies(row->factor))
            continue;
        uint32_t s = source_of(ignorance, SL_SOURCE_DURATION, row->klass);
        if (met[i])
            widen(&ignorance->sources[s], row->factor);
    }
}

static void find_kappas(struct sl_ignorance *ignorance, const struct sl_exactness *exactness)
{
    const struct sl_kappa *kappa = &ignorance->graph->platform->kappa;
    for (uint32_t r = 0; r < kappa->row_count; r++) {
        struct sl_known figure = sl_kappa_known(&kappa->rows[r]);
        ignorance->row_source[r] = SL_NONE;
        if (!sl_known_varies(figure))
            continue;
        ignorance->row_source[r] = source_of(ignorance, SL_SOURCE_KAPPA, kappa->rows[r].victim);
        if (sl_exactness_meets(exactness, &kappa->rows[r]))
            widen(&ignorance->sources[ignorance->row_source[r]], figure);
    }
}

static enum sl_status find_nodes(struct sl_ignorance *ignorance, bool *met, struct sl_error *err)
{
    const struct sl_graph *graph = ignorance->graph;
    const struct sl_platform *platform = graph->platform;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        struct sl_work_rows rows;
        if (!node->work)
            continue;
        enum sl_status status =
            sl_work_find(platform, node->klass, node->work, node->place, &rows, err);
        if (status != SL_OK)
            return status;
        met[rows.below - platform->durations] = true;
        met[rows.above - platform->durations] = true;
        if (sl_known_varies(rows.below->factor) || sl_known_varies(rows.above->factor))
            ignorance->varied[ignorance->varied_count++] = (struct sl_varied_node){
                .node = i,
                .source = source_of(ignorance, SL_SOURCE_DURATION, node->klass),
                .below = rows.below->factor,
                .above = rows.above->factor,
                .share = rows.share};
    }
    return SL_OK;
}

static bool reserve(struct sl_ignorance *ignorance)
{
    const struct sl_graph *graph = ignorance->graph;
    struct sl_arena *arena = &ignorance->arena;
    size_t nodes = graph->node_count, rows = graph->platform->kappa.row_count;
    size_t sources = 2 * (size_t)graph->platform->kappa.classes.count;
    ignorance->sources = sl_arena_array(arena, sources + 1, sizeof *ignorance->sources);
    ignorance->varied = sl_arena_array(arena, nodes + 1, sizeof *ignorance->varied);
    ignorance->row_source = sl_arena_array(arena, rows + 1, sizeof *ignorance->row_source);
    return ignorance->sources && ignorance->varied && ignorance->row_source;
}

enum sl_status sl_ignorance_find(struct sl_ignorance *ignorance, const struct sl_graph *plan,
                                 struct sl_error *err)
{
    *ignorance = (struct sl_ignorance){.graph = plan};
    const struct sl_platform *platform = plan->platform;
    bool *met =
        sl_arena_array(&ignorance->arena, (size_t)platform->duration_count + 1, sizeof *met);
    if (!met || !reserve(ignorance))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for calibration draws");
    enum sl_status status = sl_change_init(&ignorance->change, platform, err);
    if (status == SL_OK)
        status = find_nodes(ignorance, met, err);
    struct sl_exactness exactness;
    if (status == SL_OK)
        status = sl_exactness_find(&exactness, plan, met, &ignorance->arena, err);
    if (status != SL_OK)
        return status;
    find_durations(ignorance, met);
    find_kappas(ignorance, &exactness);
    ignorance->exact = exactness.text;
    return SL_OK;
}

void sl_ignorance_free(struct sl_ignorance *ignorance)
{
    sl_change_free(&ignorance->change);
    sl_arena_free(&ignorance->arena);
}

/* By the names of things, not their indices: those differ between scenarios of one sweep. */
static double standard_normal(uint64_t key, uint32_t draw, uint64_t name)
{
    philox4x32_ctr_t counter = {{draw, (uint32_t)name, (uint32_t)(name >> 32), 0}};
    philox4x32_key_t philox_key = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    philox4x32_ctr_t r = philox4x32(counter, philox_key);
    uint64_t bits = (uint64_t)r.v[1] << 32 | r.v[0];
    return gsl_cdf_ugaussian_Pinv(((double)(bits >> 11) + 0.5) * 0x1p-53);
}

void sl_ignorance_draw(const struct sl_ignorance *ignorance, uint64_t seed, uint32_t draw,
                       double *normals)
{
    const struct sl_names *classes = &ignorance->graph->platform->kappa.classes;
    uint64_t key = seed ^ sl_hash_text("calibration draw");
    for (uint32_t s = 0; s < ignorance->source_count; s++) {
        const struct sl_source *source = &ignorance->sources[s];
        uint64_t name = sl_hash_text(classes->names[source->klass]);
        normals[s] = standard_normal(key, draw, sl_hash_index(name + source->kind));
    }
}

static double factor_at(const struct sl_varied_node *varied, double z)
{
    double below = log(sl_known_at(varied->below, z)), above = log(sl_known_at(varied->above, z));
    return exp((1 - varied->share) * below + varied->share * above);
}

enum sl_status sl_ignorance_apply(struct sl_ignorance *ignorance, const double *normals,
                                  struct sl_changed *changed, struct sl_error *err)
{
    const struct sl_kappa *kappa = &ignorance->graph->platform->kappa;
    for (uint32_t r = 0; r < kappa->row_count; r++) {
        struct sl_known figure = sl_kappa_known(&kappa->rows[r]);
        if (ignorance->row_source[r] != SL_NONE)
            ignorance->change.kappas[r] =
                sl_known_at(figure, normals[ignorance->row_source[r]]) / figure.value;
    }
    enum sl_status status = sl_changed_make(changed, ignorance->graph, &ignorance->change, err);
    for (uint32_t k = 0; status == SL_OK && k < ignorance->varied_count; k++) {
        const struct sl_varied_node *varied = &ignorance->varied[k];
        struct sl_node *node = sl_graph_edit_node(changed->graph, varied->node, err);
        if (!node)
            return SL_SYSTEM;
        node->scale *= factor_at(varied, normals[varied->source]);
    }
    return status;
}
