/* A machine of some rows of one device and the rest of another. */
#include "config.h"

#include "swap.h"
#include <string.h>

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the rows of two devices");
}

static void take_route(struct sl_route *route, const struct sl_route *other)
{
    route->bandwidth = other->bandwidth;
    route->overhead_ps = other->overhead_ps;
    route->latency_ps = other->latency_ps;
    route->chunk = other->chunk;
    route->pipeline = other->pipeline;
    route->noise = other->noise;
}

static void take_rule(struct sl_kappa *kappa, const struct sl_kappa *other, enum sl_swap_what what)
{
    if (what == SL_SWAP_RULE) {
        kappa->rule = other->rule;
        kappa->rule_name = other->rule_name;
    } else if (what == SL_SWAP_UNKNOWN) {
        kappa->unknown = other->unknown;
        kappa->unknown_value = other->unknown_value;
    }
}

static bool takes_node(const struct sl_swaps *s, const bool *chosen, const struct sl_node *node)
{
    const struct sl_route *route = sl_platform_route(&s->from->platform, node->from, node->to);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sl_swap *swap = &s->items[i];
        if (!chosen[i])
            continue;
        if (swap->what == SL_SWAP_CLASS && !route && node->klass == swap->index)
            return true;
        if (swap->what == SL_SWAP_ROUTE && route == &s->from->platform.routes[swap->index])
            return true;
    }
    return false;
}

static enum sl_status take_nodes(const struct sl_swaps *s, const bool *chosen,
                                 struct sl_graph *graph, struct sl_error *err)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *other = &s->to->graph->nodes[i];
        if (!takes_node(s, chosen, &s->from->graph->nodes[i]))
            continue;
        struct sl_node *node = sl_graph_edit_node(graph, i, err);
        if (!node)
            return SL_SYSTEM;
        node->dist = other->dist;
        node->scale = other->scale;
        node->latency_scale = other->latency_scale;
        node->times = other->times; /* of the same parameters */
        node->times_mean = other->times_mean;
    }
    return sl_graph_finish(graph, err);
}

static const struct sl_swap *chosen_factor(const struct sl_swaps *s, const bool *chosen,
                                           uint32_t index)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (chosen[i] && s->items[i].what == SL_SWAP_FACTOR && s->items[i].index == index)
            return &s->items[i];
    return NULL;
}

/* The old ones in their order, then those that only the new device has. */
static enum sl_status take_factors(const struct sl_swaps *s, const bool *chosen,
                                   struct sl_graph *graph, struct sl_error *err)
{
    const struct sl_graph *from = s->from->graph, *to = s->to->graph;
    uint32_t most = from->factor_count + to->factor_count, count = 0;
    if (!sl_grow((void **)&graph->factors, &graph->factor_capacity, most, sizeof *graph->factors))
        return no_memory(err);
    for (uint32_t f = 0; f < from->factor_count; f++) {
        const struct sl_swap *swap = chosen_factor(s, chosen, f);
        if (!swap)
            graph->factors[count++] = from->factors[f];
        else if (swap->other != SL_NONE)
            graph->factors[count++] = to->factors[swap->other];
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (chosen[i] && s->items[i].what == SL_SWAP_FACTOR && s->items[i].index == SL_NONE)
            graph->factors[count++] = to->factors[s->items[i].other];
    graph->factor_count = count;
    return SL_OK;
}

enum sl_status sl_swaps_apply(const struct sl_swaps *swaps, const bool *chosen,
                              struct sl_changed *changed, struct sl_scenario *view,
                              struct sl_error *err)
{
    struct sl_change change;
    *changed = (struct sl_changed){0};
    enum sl_status status = sl_change_init(&change, &swaps->from->platform, err);
    for (uint32_t i = 0; status == SL_OK && i < swaps->count; i++)
        if (chosen[i] && swaps->items[i].what == SL_SWAP_KAPPA)
            change.kappas[swaps->items[i].index] =
                swaps->to->platform.kappa.rows[swaps->items[i].other].kappa /
                swaps->from->platform.kappa.rows[swaps->items[i].index].kappa;
    if (status == SL_OK)
        status = sl_changed_make(changed, swaps->from->graph, &change, err);
    for (uint32_t i = 0; status == SL_OK && i < swaps->count; i++)
        if (chosen[i] && swaps->items[i].what == SL_SWAP_ROUTE)
            take_route(&changed->platform.routes[swaps->items[i].index],
                       &swaps->to->platform.routes[swaps->items[i].other]);
    for (uint32_t i = 0; status == SL_OK && i < swaps->count; i++)
        if (chosen[i])
            take_rule(&changed->platform.kappa, &swaps->to->platform.kappa, swaps->items[i].what);
    if (status == SL_OK)
        status = take_factors(swaps, chosen, changed->graph, err);
    if (status == SL_OK)
        status = take_nodes(swaps, chosen, changed->graph, err);
    if (status == SL_OK)
        *view = sl_changed_scenario(swaps->from, changed);
    sl_change_free(&change);
    return status;
}
