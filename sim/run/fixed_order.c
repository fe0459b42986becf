/* Whether a plan's order is fixed: resources, contention, bytes, and what else decides late. */
#include "fixed_order.h"
#include "proof_progress.h"
#include <stdlib.h>

#define MOST_STEPS (UINT64_C(1) << 28) /* edges followed */

struct check {
    const struct sl_graph *graph;
    const struct sl_engine_options *engine;
    uint32_t *lane_before; /* per node, SL_NONE */
    uint32_t *latest;      /* per node: the latest member before it or itself, from 1; 0: none */
    bool *member;          /* per node */
    uint64_t steps;        /* left */
    char *why;
    size_t size;
};

static bool check_open(struct check *check)
{
    const struct sl_graph *graph = check->graph;
    size_t n = graph->node_count, lanes = graph->lane_names.count;
    check->lane_before = malloc((n + 1) * sizeof *check->lane_before);
    check->latest = malloc((n + 1) * sizeof *check->latest);
    check->member = malloc(n + 1);
    uint32_t *last = malloc((lanes + 1) * sizeof *last);
    bool ok = check->lane_before && check->latest && check->member && last;
    for (size_t lane = 0; ok && lane < lanes; lane++)
        last[lane] = SL_NONE;
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t lane = graph->nodes[i].lane;
        check->lane_before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
    }
    free(last);
    return ok;
}

static void check_close(struct check *check)
{
    free(check->lane_before);
    free(check->latest);
    free(check->member);
}

static uint32_t latest_before(struct check *check, uint32_t node)
{
    const struct sl_graph *graph = check->graph;
    uint32_t latest = 0;
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        if (edge->next == 0 && check->latest[edge->from.i] > latest)
            latest = check->latest[edge->from.i];
        check->steps -= check->steps > 0;
    }
    if (check->lane_before[node] != SL_NONE && check->latest[check->lane_before[node]] > latest)
        latest = check->latest[check->lane_before[node]];
    check->steps -= check->steps > 0;
    return latest;
}

/* Whether the members are one after the other: in topological order, each has the one before it
 * among those before it.  `two` gets the first two that are not. */
static bool in_one_line(struct check *check, uint32_t two[2])
{
    const struct sl_graph *graph = check->graph;
    uint32_t count = 0;
    two[0] = two[1] = SL_NONE;
    for (uint32_t k = 0; k < graph->node_count; k++) {
        uint32_t i = graph->topo[k];
        check->latest[i] = latest_before(check, i);
        if (!check->member[i])
            continue;
        two[1] = i;
        if (check->latest[i] != count || check->steps == 0)
            return false;
        check->latest[i] = ++count;
        two[0] = i;
    }
    return true;
}

static void tell_pair(struct check *check, const char *what, const char *name,
                      const uint32_t two[2])
{
    const struct sl_graph *graph = check->graph;
    if (check->steps == 0)
        snprintf(check->why, check->size, "the plan is too large to tell its order");
    else
        snprintf(check->why, check->size, "no edge or lane orders '%.60s' and '%.60s' on %s %.60s",
                 graph->nodes[two[0]].name, graph->nodes[two[1]].name, what, name);
}

static bool served_in_turn(const struct check *check, uint32_t resource)
{
    const struct sl_graph *graph = check->graph;
    const struct sl_resource *r = &graph->platform->resources[resource];
    enum sl_order order = check->engine->dispatch_given ? check->engine->dispatch : r->order;
    if (order != SL_ORDER_ISSUE || r->servers != 1 || r->admission == SL_STRICT)
        return false;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (check->member[i] && graph->demands[graph->nodes[i].demands.first].resource != resource)
            return false;
    return true;
}

static bool resource_fixed(struct check *check, uint32_t resource)
{
    const struct sl_graph *graph = check->graph;
    uint32_t servers = graph->platform->resources[resource].servers, two[2];
    uint64_t units = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_span *span = &graph->nodes[i].demands;
        check->member[i] = false;
        for (uint32_t k = 0; k < span->count; k++)
            if (graph->demands[span->first + k].resource == resource) {
                check->member[i] = true;
                units += graph->demands[span->first + k].units;
            }
    }
    check->steps -= check->steps < graph->node_count ? check->steps : graph->node_count;
    if (servers == SL_UNLIMITED || units <= servers || served_in_turn(check, resource) ||
        in_one_line(check, two))
        return true;
    tell_pair(check, "resource", graph->platform->resource_names.names[resource], two);
    return false;
}

/* Whatever runs, kappa is 1; with `forbid`, unknown pairs are kept apart instead. */
static bool all_kappas_one(const struct sl_kappa *kappa)
{
    if (kappa->unknown == SL_UNKNOWN_FORBID || !kappa->rule->uses_pairs)
        return false;
    return kappa->largest <= 1 &&
           (kappa->unknown != SL_UNKNOWN_NUMBER || kappa->unknown_value <= 1);
}

static bool contention_fixed(struct check *check)
{
    const struct sl_graph *graph = check->graph;
    const struct sl_platform *platform = graph->platform;
    if (sl_kappa_is_trivial(&platform->kappa) || all_kappas_one(&platform->kappa))
        return true;
    for (uint32_t group = 0; group < 64; group++) {
        uint32_t members = 0, two[2];
        for (uint32_t i = 0; i < graph->node_count; i++) {
            const struct sl_node *node = &graph->nodes[i];
            check->member[i] =
                node->klass != SL_NONE && node->dist && (sl_node_groups(graph, node) >> group & 1);
            members += check->member[i];
        }
        if (members < 2 || in_one_line(check, two))
            continue;
        tell_pair(check, "contention group",
                  group < platform->group_names.count ? platform->group_names.names[group] : "",
                  two);
        return false;
    }
    return true;
}

static bool decided_early(struct check *check)
{
    const struct sl_graph *graph = check->graph;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE) {
            snprintf(check->why, check->size, "'%.60s' has a fallback", graph->nodes[i].name);
            return false;
        }
    for (uint32_t k = 0; k < graph->overlap_count; k++)
        if (sl_overlap_restricts(&graph->overlaps[k])) {
            snprintf(check->why, check->size, "overlap.csv keeps '%.60s' and '%.60s' apart",
                     graph->overlaps[k].a, graph->overlaps[k].b);
            return false;
        }
    for (uint32_t k = 0; k < graph->factor_count; k++)
        if (graph->factors[k].is_regime) {
            snprintf(check->why, check->size, "factor '%.60s' changes with time",
                     graph->factors[k].name);
            return false;
        }
    return true;
}

static enum sl_status bytes_fixed(struct check *check, bool *fixed, struct sl_error *err)
{
    const struct sl_graph *graph = check->graph;
    uint32_t domains = graph->platform->domain_names.count;
    struct sl_capacity_need *needs = calloc((size_t)domains + 1, sizeof *needs);
    enum sl_status status =
        needs ? sl_capacity_needs(graph, needs, err) : SL_FAIL(err, SL_SYSTEM, "out of memory");
    *fixed = status == SL_OK;
    for (uint32_t d = 0; *fixed && d < domains; d++)
        if (needs[d].can_wait) {
            snprintf(check->why, check->size, "some order may make a node wait for bytes of %.60s",
                     graph->platform->domain_names.names[d]);
            *fixed = false;
        }
    free(needs);
    return status;
}

enum sl_status sl_order_fixed(const struct sl_graph *graph, const struct sl_engine_options *engine,
                              bool *fixed, char *why, size_t size, struct sl_error *err)
{
    struct check check = {
        .graph = graph, .engine = engine, .steps = MOST_STEPS, .why = why, .size = size};
    enum sl_status status = check_open(&check) ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    *fixed = status == SL_OK && decided_early(&check) && contention_fixed(&check);
    for (uint32_t r = 0; *fixed && r < graph->platform->resource_names.count; r++)
        *fixed = resource_fixed(&check, r);
    if (*fixed)
        status = bytes_fixed(&check, fixed, err);
    check_close(&check);
    return status;
}
