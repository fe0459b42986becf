/* Packing a trial's random numbers: nodes with a random duration grouped by law, factors with the
 * hash that names their draw. */
#include "program.h"
#include "sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pending_draw {
    const void *law; /* the table that its distribution shares with others, or the distribution */
    const struct sl_qtable *table; /* NULL: none */
    double unit;                   /* of the table's values */
    uint32_t node;
};

static struct pending_draw pending(const struct sl_dist *dist, uint32_t node)
{
    struct pending_draw draw = {.law = dist, .unit = 1, .node = node};
    draw.table = sl_dist_table(dist, &draw.unit);
    if (draw.table)
        draw.law = draw.table;
    return draw;
}

static int by_law_then_node(const void *left, const void *right)
{
    const struct pending_draw *a = left, *b = right;
    if (a->law != b->law)
        return (uintptr_t)a->law < (uintptr_t)b->law ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool per_iteration(const struct sl_factor *factor)
{
    return factor->scope == SL_SCOPE_ITERATION && !factor->is_regime;
}

/* One draw per trial, or per iteration: those stand side by side. */
static enum sl_status place_factors(struct sl_program *p, uint32_t iterations, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    size_t count = 0;
    for (uint32_t f = 0; f < g->factor_count; f++)
        count += per_iteration(&g->factors[f]) ? iterations : 1;
    p->factors = sl_arena_array(&p->arena, count, sizeof *p->factors);
    if (!p->factors || count > UINT32_MAX / 2)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t f = 0; f < g->factor_count; f++) {
        const struct sl_factor *from = &g->factors[f];
        for (uint32_t k = 0; k < (per_iteration(from) ? iterations : 1); k++) {
            const char *name = from->with ? from->with : from->name;
            char *key = k == 0 ? sl_arena_printf(&p->arena, "factor:%s", name)
                               : sl_arena_printf(&p->arena, "factor:%s;iteration:%u", name, k + 1);
            if (!key)
                return SL_FAIL(err, SL_SYSTEM, "out of memory");
            p->factors[p->factor_count++] =
                (struct factor_static){from->is_regime ? NULL : from->draw, sl_hash_text(key),
                                       from->p, from->level, (double)from->dwell_ps};
        }
        p->regime_count += from->is_regime;
    }
    return SL_OK;
}

static enum sl_status pack_factors(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    if (!g->factor_count)
        return SL_OK;
    uint32_t iterations = 1;
    for (uint32_t i = 0; i < p->n; i++)
        iterations = g->nodes[i].iteration >= iterations ? g->nodes[i].iteration + 1 : iterations;
    enum sl_status status = place_factors(p, iterations, err);
    if (status)
        return status;
    p->node_factors = sl_arena_array(&p->arena, p->n + 1, sizeof *p->node_factors);
    if (!p->node_factors)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    uint64_t uses = 0;
    for (uint32_t f = 0; f < g->factor_count; f++)
        for (uint32_t i = 0; i < p->n; i++)
            p->node_factors[i].count += sl_factor_applies(g, &g->factors[f], (sl_node_id){i});
    for (uint32_t i = 0; i < p->n; i++) {
        p->node_factors[i].first = (uint32_t)uses;
        uses += p->node_factors[i].count;
        p->node_factors[i].count = 0;
    }
    p->factor_uses = sl_arena_array(&p->arena, uses + 1, sizeof *p->factor_uses);
    if (!p->factor_uses)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t f = 0, slot = 0; f < g->factor_count; f++) {
        bool each = per_iteration(&g->factors[f]);
        for (uint32_t i = 0; i < p->n; i++)
            if (sl_factor_applies(g, &g->factors[f], (sl_node_id){i})) {
                struct range *range = &p->node_factors[i];
                p->factor_uses[range->first + range->count++] =
                    slot + (each ? g->nodes[i].iteration : 0);
                if (g->factors[f].is_regime)
                    p->hot[i].flags |= NODE_REGIME;
            }
        slot += each ? iterations : 1;
    }
    return SL_OK;
}

static enum sl_status pack_fragmentation(struct sl_program *p, struct sl_error *err)
{
    p->fragmentation_hash =
        sl_arena_array(&p->arena, p->domain_count + 1, sizeof *p->fragmentation_hash);
    if (!p->fragmentation_hash)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t m = 0; m < p->domain_count; m++) {
        char *key = sl_arena_printf(&p->arena, "fragmentation:%s",
                                    p->graph->platform->domain_names.names[m]);
        if (!key)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        p->fragmentation_hash[m] = sl_hash_text(key);
    }
    return SL_OK;
}

/* A constant duration that no factor touches is the same in every trial. */
static enum sl_status fix_duration(struct sl_program *p, uint32_t i, struct sl_error *err)
{
    const struct sl_node *node = &p->graph->nodes[i];
    double value = node->dist ? sl_dist_value(node->dist, 0.5, 0.5) : 0;
    double hold = value * node->scale, latency = value * node->latency_scale;
    if (!(hold >= 0 && hold < 0x1p61 && latency >= 0 && latency < 0x1p61))
        return SL_FAIL_AT(err, SL_INVALID, node->place, "the duration of '%s' is out of range",
                          node->name);
    p->fixed_duration[i] = sl_round_ps(hold);
    p->fixed_latency[i] = sl_round_ps(latency);
    p->fixed_sum_ps += hold + latency;
    return SL_OK;
}

static enum sl_status collect_draws(struct sl_program *p, struct pending_draw *draws,
                                    struct sl_error *err)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct sl_node *node = &p->graph->nodes[i];
        bool latent = i >= p->planned; /* drawn each time it is called */
        bool touched = p->node_factors && p->node_factors[i].count;
        if (!(node->scale >= 0) || !(node->latency_scale >= 0))
            return SL_FAIL_AT(err, SL_INVALID, node->place, "the scale of '%s' is negative",
                              node->name);
        if (node->dist && node->latency_scale > 0) {
            p->hot[i].flags |= NODE_LATENCY;
            p->any_latency = true;
        }
        if (latent)
            continue;
        if (node->dist && (touched || !sl_dist_is_const(node->dist)))
            draws[p->draw_count++] = pending(node->dist, i);
        else {
            enum sl_status status = fix_duration(p, i, err);
            if (status)
                return status;
        }
    }
    return SL_OK;
}

static enum sl_status place_draws(struct sl_program *p, const struct pending_draw *draws,
                                  struct sl_error *err)
{
    size_t count = (size_t)p->draw_count + SL_DRAWS_AT_ONCE;
    p->draw_groups = sl_arena_array(&p->arena, count, sizeof *p->draw_groups);
    p->draw_node = sl_arena_array(&p->arena, count, sizeof *p->draw_node);
    p->draw_hash = sl_arena_array(&p->arena, count, sizeof *p->draw_hash);
    p->draw_scale = sl_arena_array(&p->arena, count, sizeof *p->draw_scale);
    p->draw_latency = sl_arena_array(&p->arena, count, sizeof *p->draw_latency);
    p->draw_unit = sl_arena_array(&p->arena, count, sizeof *p->draw_unit);
    if (!p->draw_groups || !p->draw_node || !p->draw_hash || !p->draw_scale || !p->draw_latency ||
        !p->draw_unit)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    p->draws_in_order = true;
    for (uint32_t k = 0; k < p->draw_count; k++) {
        const struct sl_node *node = &p->graph->nodes[draws[k].node];
        p->draws_in_order &= draws[k].node == draws[0].node + k;
        p->draw_node[k] = draws[k].node;
        p->draw_hash[k] = node->key_hash;
        p->draw_scale[k] = node->scale;
        if (node->latency_scale > 0) /* pages that stay zero take no memory */
            p->draw_latency[k] = node->latency_scale;
        p->draw_unit[k] = draws[k].unit;
        p->any_second |= sl_dist_needs_second(node->dist);
        if (!k || draws[k].law != draws[k - 1].law)
            p->draw_groups[p->draw_group_count++] =
                (struct draw_group){node->dist, draws[k].table, {k, 0}};
        p->draw_groups[p->draw_group_count - 1].draws.count++;
    }
    return SL_OK;
}

enum sl_status sl_program_pack_draws(struct sl_program *p, struct sl_error *err)
{
    enum sl_status status;
    if ((status = pack_factors(p, err)) || (status = sl_program_pack_guards(p, err)) ||
        (status = pack_fragmentation(p, err)))
        return status;
    p->fixed_duration = sl_arena_array(&p->arena, p->n + 1, sizeof *p->fixed_duration);
    p->fixed_latency = sl_arena_array(&p->arena, p->n + 1, sizeof *p->fixed_latency);
    struct pending_draw *draws = malloc(((size_t)p->n + 1) * sizeof *draws);
    if (!p->fixed_duration || !p->fixed_latency || !draws) {
        free(draws);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    status = collect_draws(p, draws, err);
    if (!status) {
        sl_sort(draws, p->draw_count, sizeof *draws, by_law_then_node);
        status = place_draws(p, draws, err);
    }
    free(draws);
    if (!status && !(p->fixed_sum_ps < 0x1p61))
        status = SL_FAIL(err, SL_INVALID, "durations, lags and releases sum to more than 2^61 ps");
    return status;
}

bool sl_program_is_random(const struct sl_program *program)
{
    const struct sl_platform *platform = program->graph->platform;
    bool random = program->draw_count > 0;
    for (uint32_t k = 0; k < program->guard_count && !random; k++)
        random = program->guards[k].probability > 0 && program->guards[k].probability < 1;
    for (uint32_t m = 0; m < program->domain_count && !random; m++) {
        const struct sl_dist *dist = platform->domains[m].fragmentation;
        random = dist && !sl_dist_is_const(dist);
    }
    for (uint32_t i = program->planned; i < program->n && program->evictor && !random; i++) {
        const struct sl_dist *dist = program->graph->nodes[i].dist;
        random = (dist && !sl_dist_is_const(dist)) ||
                 (program->node_factors && program->node_factors[i].count);
    }
    return random;
}
