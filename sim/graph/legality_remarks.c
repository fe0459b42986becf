/* Remarks of a check: what the answer rests on without evidence. */
#include <config.h>

#include "legality.h"
#include <stdlib.h>

enum { NAMED = 3 };

/* Said once, of the route. */
static bool takes_unproven_route(const struct sl_graph *graph, const struct sl_node *node)
{
    const struct sl_route *route =
        sl_node_moves(node->kind) && node->from != SL_NONE && node->to != SL_NONE
            ? sl_platform_route(graph->platform, node->from, node->to)
            : NULL;
    return route && !route->evidence;
}

/* "'a', 'b', 'c' and 4 more" of the nodes that take time without evidence; returns their number. */
static uint32_t name_unproven(const struct sl_graph *graph, uint32_t nodes[NAMED], char *names,
                              size_t size, uint32_t *timed)
{
    uint32_t without = 0;
    size_t used = 0;
    *timed = 0;
    names[0] = '\0';
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (!node->dist || node->derived)
            continue;
        (*timed)++;
        if (node->evidence != SL_EVIDENCE_NONE || takes_unproven_route(graph, node))
            continue;
        if (without < NAMED && used < size)
            used += (size_t)snprintf(names + used, size - used, "%s'%s'", without > 0 ? ", " : "",
                                     node->name);
        if (without < NAMED)
            nodes[without] = i;
        without++;
    }
    if (without > NAMED && used < size)
        snprintf(names + used, size - used, " and %u more", without - NAMED);
    return without;
}

static uint32_t count_unproven_costs(const struct sl_platform *platform, struct sl_place *first)
{
    uint32_t without = 0;
    for (uint32_t c = 0; c < platform->cost_count; c++)
        if (!platform->costs[c].evidence && without++ == 0)
            *first = platform->costs[c].place;
    return without;
}

void sl_check_evidence(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    uint32_t nodes[NAMED], timed;
    char names[500], costs[80] = "";
    struct sl_place first = {0};
    uint32_t without = name_unproven(l->graph, nodes, names, sizeof names, &timed);
    uint32_t unproven_costs = count_unproven_costs(platform, &first);
    if (without == 0 && unproven_costs == 0)
        return;
    if (unproven_costs > 0)
        snprintf(costs, sizeof costs, "%u of %u costs %s no evidence (key evidence)",
                 unproven_costs, platform->cost_count, unproven_costs == 1 ? "has" : "have");
    if (without > 0)
        sl_report(l, l->graph->nodes[nodes[0]].place,
                  "%u of %u durations %s no evidence (column evidence): %s%s%s", without, timed,
                  without == 1 ? "has" : "have", names, costs[0] ? "; " : "", costs);
    else
        sl_report(l, first, "%s", costs);
    for (uint32_t k = 0; k < without && k < NAMED; k++)
        sl_report_also_node(l, nodes[k]);
    sl_diags_suggest(l->diags, "state where each duration comes from, such as 'measured: nsys, run "
                               "12' or 'assumed: datasheet'");
}

void sl_check_bandwidths(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    for (uint32_t r = 0; r < platform->route_count; r++) {
        const struct sl_route *route = &platform->routes[r];
        if (route->evidence)
            continue;
        sl_report(l, route->place,
                  "the route from '%s' to '%s' states %.3g GB/s without evidence (key evidence)",
                  sl_domain_name(l, route->from), sl_domain_name(l, route->to),
                  route->bandwidth / 1e9);
        sl_diags_suggest(l->diags,
                         "state where it comes from, such as 'evidence: \"measured: copies "
                         "of 256 MiB\"' or 'evidence: \"assumed: datasheet\"'");
    }
}

/* Equal priorities order nothing; aging would still order by waiting time. */
void sl_check_priorities(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    const struct sl_graph *graph = l->graph;
    bool *ordered = calloc((size_t)platform->resource_names.count + 1, sizeof *ordered);
    bool *used = calloc((size_t)platform->resource_names.count + 1, sizeof *used);
    for (uint32_t i = 0; ordered && used && i < graph->node_count; i++)
        if (graph->nodes[i].demands.count > 0) {
            uint32_t r = graph->demands[graph->nodes[i].demands.first].resource;
            used[r] = true;
            ordered[r] |= graph->nodes[i].priority != 0.0;
        }
    for (uint32_t r = 0; ordered && used && r < platform->resource_names.count; r++) {
        const struct sl_resource *resource = &platform->resources[r];
        if (resource->order != SL_ORDER_PRIORITY || resource->aging_ps > 0 || !used[r] ||
            ordered[r])
            continue;
        sl_report(l, resource->place,
                  "resource '%s' serves by priority, but no node on it states one: 0 is assumed",
                  platform->resource_names.names[r]);
        sl_diags_suggest(l->diags,
                         "state priorities (column priority), or another order for '%s', such as "
                         "'order: fifo'",
                         platform->resource_names.names[r]);
    }
    free(ordered);
    free(used);
}

void sl_check_reserves(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        if (platform->domains[d].capacity < 0 || platform->domains[d].reserve_given)
            continue;
        sl_report(l, platform->domains[d].place,
                  "domain '%s' states no reserve: 0 bytes are assumed", sl_domain_name(l, d));
        sl_diags_suggest(l->diags, "state what of '%s' nothing may use, such as 'reserve: 0B'",
                         sl_domain_name(l, d));
    }
}

void sl_check_tail(struct sl_legality *l)
{
    if (l->scenario->objective.tail_given)
        return;
    sl_report(l, l->scenario->place, "the objective states no tail: the quantile 0.99 is assumed");
    sl_diags_suggest(l->diags,
                     "state the quantile that decides, such as 'objective: {tail: 0.99}'");
}
