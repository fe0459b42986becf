/* What a route makes of a move: its engine, class, time on the engine and pipelined latency. */
#include <config.h>

#include "graph.h"

/* The buckets that the copy takes, unless the node states what it stages there. */
static enum sl_status take_buckets(struct sl_graph *graph, struct sl_node *node,
                                   const struct sl_route *route, int64_t bytes,
                                   struct sl_error *err)
{
    int64_t buckets = sl_route_buckets(graph->platform, route, bytes);
    for (uint32_t k = 0; k < node->staging.count; k++)
        if (graph->amounts[node->staging.first + k].domain == route->staging.domain)
            return SL_OK;
    if (buckets == 0)
        return SL_OK;
    struct sl_amount amount = {route->staging.domain, buckets * route->staging.bucket};
    return sl_graph_push_amount(graph, &node->staging, amount, err);
}

enum sl_status sl_graph_route_node(struct sl_graph *graph, struct sl_node *node,
                                   const struct sl_route *route, int64_t bytes,
                                   struct sl_error *err)
{
    double hold = sl_route_hold(graph->platform, route, bytes);
    if (hold + (double)route->latency_ps > 0x1p62)
        return SL_FAIL_AT(err, SL_INVALID, node->place,
                          "node '%s': moving %lld bytes takes longer than 53 days", node->name,
                          (long long)bytes);
    node->from = route->from;
    node->to = route->to;
    node->dist = route->noise ? route->noise : graph->one;
    node->scale = hold;
    node->latency_scale = (double)route->latency_ps;
    if (node->klass == SL_NONE)
        node->klass = route->klass;
    enum sl_status status = take_buckets(graph, node, route, bytes, err);
    if (node->demands.count > 0 || status)
        return status;
    return sl_graph_push_demand(graph, &node->demands, (struct sl_demand){route->resource, 1}, err);
}
