/* Comparing graphs field by field: structs have padding and spans of pools, which may lie
 * elsewhere. */
#include "same_graph.h"
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_numbers(const uint32_t *x, struct sl_span a, const uint32_t *y, struct sl_span b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(x + a.first, y + b.first, a.count * sizeof *x) == 0);
}

static bool same_demands(const struct sl_graph *x, struct sl_span a, const struct sl_graph *y,
                         struct sl_span b)
{
    bool same = a.count == b.count;
    for (uint32_t k = 0; same && k < a.count; k++) {
        const struct sl_demand *p = &x->demands[a.first + k], *q = &y->demands[b.first + k];
        same = p->resource == q->resource && p->units == q->units;
    }
    return same;
}

static bool same_amounts(const struct sl_graph *x, struct sl_span a, const struct sl_graph *y,
                         struct sl_span b)
{
    bool same = a.count == b.count;
    for (uint32_t k = 0; same && k < a.count; k++) {
        const struct sl_amount *p = &x->amounts[a.first + k], *q = &y->amounts[b.first + k];
        same = p->domain == q->domain && p->bytes == q->bytes;
    }
    return same;
}

static bool same_objects(const struct sl_graph *x, struct sl_span a, const struct sl_graph *y,
                         struct sl_span b)
{
    bool same = a.count == b.count;
    for (uint32_t k = 0; same && k < a.count; k++)
        same = x->objects_pool[a.first + k].i == y->objects_pool[b.first + k].i;
    return same;
}

static bool same_terms(const struct sl_graph *x, struct sl_span a, const struct sl_graph *y,
                       struct sl_span b)
{
    bool same = a.count == b.count;
    for (uint32_t k = 0; same && k < a.count; k++) {
        const struct sl_guard_term *p = &x->guard_terms[a.first + k],
                                   *q = &y->guard_terms[b.first + k];
        same = p->guard == q->guard && p->negated == q->negated;
    }
    return same;
}

static bool same_node_lists(const struct sl_graph *x, const struct sl_node *a,
                            const struct sl_graph *y, const struct sl_node *b)
{
    return same_demands(x, a->demands, y, b->demands) && same_objects(x, a->inputs, y, b->inputs) &&
           same_objects(x, a->outputs, y, b->outputs) &&
           same_amounts(x, a->workspace, y, b->workspace) &&
           same_amounts(x, a->staging, y, b->staging) && same_terms(x, a->guards, y, b->guards) &&
           same_numbers(x->holdings_pool, a->takes, y->holdings_pool, b->takes) &&
           same_numbers(x->holdings_pool, a->gives, y->holdings_pool, b->gives);
}

static bool same_node(const struct sl_graph *x, const struct sl_graph *y, uint32_t i)
{
    const struct sl_node *a = &x->nodes[i], *b = &y->nodes[i];
    return a->key_hash == b->key_hash && same_text(a->name, b->name) && a->kind == b->kind &&
           a->klass == b->klass && a->dist == b->dist && a->scale == b->scale &&
           a->times == b->times && a->steps == b->steps && a->steps_mean == b->steps_mean &&
           a->latency_scale == b->latency_scale && a->object.i == b->object.i &&
           a->from == b->from && a->to == b->to && a->ahead == b->ahead &&
           a->staging_until.i == b->staging_until.i && a->lane == b->lane && a->layer == b->layer &&
           a->release_ps == b->release_ps && a->deadline_ps == b->deadline_ps &&
           a->priority == b->priority && a->fallback.i == b->fallback.i &&
           a->iteration == b->iteration && a->first.i == b->first.i && same_node_lists(x, a, y, b);
}

static bool same_edge(const struct sl_edge *a, const struct sl_edge *b)
{
    return a->from.i == b->from.i && a->to.i == b->to.i && a->type == b->type &&
           a->lag_ps == b->lag_ps && a->object.i == b->object.i && a->next == b->next;
}

static bool same_object(const struct sl_graph *x, const struct sl_graph *y, uint32_t i)
{
    const struct sl_object *a = &x->objects[i], *b = &y->objects[i];
    return same_text(a->name, b->name) && a->bytes == b->bytes && a->size == b->size &&
           a->home == b->home && a->alias_of.i == b->alias_of.i && a->initial == b->initial &&
           a->persist == b->persist && a->reconstruct.i == b->reconstruct.i &&
           same_numbers(x->domains_pool, a->placements, y->domains_pool, b->placements);
}

static bool same_holding(const struct sl_holding *a, const struct sl_holding *b)
{
    return a->kind == b->kind && a->domain == b->domain && a->bytes == b->bytes &&
           a->object.i == b->object.i && a->initial == b->initial;
}

static bool same_guard(const struct sl_guard *a, const struct sl_guard *b)
{
    return same_text(a->name, b->name) && a->probability == b->probability &&
           a->scope == b->scope && a->persistence == b->persistence &&
           same_text(a->factor, b->factor) && a->rho == b->rho;
}

static bool same_factor(const struct sl_factor *a, const struct sl_factor *b)
{
    return same_text(a->name, b->name) && a->draw == b->draw && a->scope == b->scope &&
           a->is_regime == b->is_regime && a->p == b->p && a->level == b->level &&
           a->dwell_ps == b->dwell_ps && same_text(a->classes, b->classes) &&
           same_text(a->nodes, b->nodes) && same_text(a->routes, b->routes) &&
           same_text(a->with, b->with);
}

static bool same_overlap(const struct sl_overlap *a, const struct sl_overlap *b)
{
    return same_text(a->a, b->a) && same_text(a->b, b->b) && a->allowed == b->allowed &&
           a->earliest_ps == b->earliest_ps && a->latest_ps == b->latest_ps;
}

static bool same_rules(const struct sl_graph *a, const struct sl_graph *b)
{
    bool same = a->guard_count == b->guard_count && a->factor_count == b->factor_count &&
                a->overlap_count == b->overlap_count;
    for (uint32_t i = 0; same && i < a->guard_count; i++)
        same = same_guard(&a->guards[i], &b->guards[i]);
    for (uint32_t i = 0; same && i < a->factor_count; i++)
        same = same_factor(&a->factors[i], &b->factors[i]);
    for (uint32_t i = 0; same && i < a->overlap_count; i++)
        same = same_overlap(&a->overlaps[i], &b->overlaps[i]);
    return same;
}

bool sl_graph_same(const struct sl_graph *a, const struct sl_graph *b)
{
    bool same = a->platform == b->platform && a->node_count == b->node_count &&
                a->edge_count == b->edge_count && a->object_count == b->object_count &&
                a->holding_count == b->holding_count && same_rules(a, b);
    for (uint32_t i = 0; same && i < a->edge_count; i++)
        same = same_edge(&a->edges[i], &b->edges[i]);
    for (uint32_t i = 0; same && i < a->node_count; i++)
        same = same_node(a, b, i);
    for (uint32_t i = 0; same && i < a->object_count; i++)
        same = same_object(a, b, i);
    for (uint32_t i = 0; same && i < a->holding_count; i++)
        same = same_holding(&a->holdings[i], &b->holdings[i]);
    return same;
}

/* FNV-1a over 64-bit words. */
static void mix(uint64_t *digest, uint64_t word)
{
    *digest = (*digest ^ word) * UINT64_C(0x100000001b3);
}

uint64_t sl_graph_digest(const struct sl_graph *graph)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        mix(&digest, graph->nodes[i].key_hash);
        mix(&digest, (uint64_t)graph->nodes[i].kind);
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        mix(&digest, ((uint64_t)graph->edges[i].from.i << 32) | graph->edges[i].to.i);
        mix(&digest, (uint64_t)graph->edges[i].type);
    }
    return digest;
}
