/* Can a wait for bytes arise at all?  Not in a domain that holds everything at once. */
#include "proof_progress.h"
#include <math.h>
#include <stdlib.h>

/* A node's workspace in a domain, and what keeps such nodes apart. */
struct demand {
    uint32_t domain;
    enum { BY_LANE, BY_RESOURCE, BY_NOTHING } apart;
    uint32_t of; /* lane or resource */
    double bytes;
};

/* Nodes of a lane run one after the other.  Of a resource with servers, so many nodes hold it at
 * once; with a pipelined latency the workspace outlasts the units. */
static struct demand demand_of(const struct sl_graph *graph, const struct sl_node *node,
                               struct sl_amount amount)
{
    struct demand demand = {amount.domain, BY_NOTHING, 0, (double)amount.bytes};
    if (node->lane != SL_NONE) {
        demand.apart = BY_LANE;
        demand.of = node->lane;
    } else if (node->demands.count > 0 && node->latency_scale == 0) {
        uint32_t resource = graph->demands[node->demands.first].resource;
        if (graph->platform->resources[resource].servers != SL_UNLIMITED) {
            demand.apart = BY_RESOURCE;
            demand.of = resource;
        }
    }
    return demand;
}

static int compare_demands(const void *a, const void *b)
{
    const struct demand *x = a, *y = b;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    if (x->apart != y->apart)
        return (int)x->apart - (int)y->apart;
    return (x->of > y->of) - (x->of < y->of);
}

/* The most bytes that the demands of one kind can come to at once. */
static double most_at_once(const struct sl_graph *graph, const struct demand *demands, size_t count)
{
    double sum = 0, largest = 0;
    for (size_t k = 0; k < count; k++) {
        sum += demands[k].bytes;
        largest = fmax(largest, demands[k].bytes);
    }
    if (demands->apart == BY_NOTHING)
        return sum;
    double places = demands->apart == BY_LANE ? 1 : graph->platform->resources[demands->of].servers;
    return fmin(sum, places * largest);
}

static void add_workspace(const struct sl_graph *graph, struct demand *demands,
                          struct sl_capacity_need *needs)
{
    size_t count = 0;
    for (size_t k = 0; k < graph->node_count; k++) {
        const struct sl_node *node = &graph->nodes[k];
        for (uint32_t w = 0; w < node->workspace.count; w++)
            demands[count++] = demand_of(graph, node, graph->amounts[node->workspace.first + w]);
    }
    qsort(demands, count, sizeof *demands, compare_demands);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && !compare_demands(&demands[first], &demands[end]);)
            end++;
        needs[demands[first].domain].workspace_bytes +=
            most_at_once(graph, &demands[first], end - first);
    }
}

static double held_bytes(const struct sl_graph *graph, const struct sl_holding *holding)
{
    double unit = (double)graph->platform->domains[holding->domain].rounding;
    double bytes = (double)holding->bytes;
    return holding->kind == SL_HOLD_OBJECT && unit > 1 ? ceil(bytes / unit) * unit : bytes;
}

enum sl_status sl_capacity_needs(const struct sl_graph *graph, struct sl_capacity_need *needs,
                                 struct sl_error *err)
{
    const struct sl_platform *platform = graph->platform;
    size_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        count += graph->nodes[i].workspace.count;
    struct demand *demands = malloc((count + 1) * sizeof *demands);
    if (!demands)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %zu workspaces", count);
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        needs[d] = (struct sl_capacity_need){
            .limit_bytes =
                domain->capacity < 0 ? INFINITY : (double)(domain->capacity - domain->reserve),
            .drawn = domain->fragmentation != NULL && domain->capacity >= 0};
    }
    for (uint32_t h = 0; h < graph->holding_count; h++)
        needs[graph->holdings[h].domain].held_bytes += held_bytes(graph, &graph->holdings[h]);
    add_workspace(graph, demands, needs);
    for (uint32_t d = 0; d < platform->domain_names.count; d++)
        needs[d].can_wait =
            needs[d].drawn || needs[d].held_bytes + needs[d].workspace_bytes > needs[d].limit_bytes;
    free(demands);
    return SL_OK;
}
