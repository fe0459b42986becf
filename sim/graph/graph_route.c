/* What a route makes of a move: its engine, class, time on the engine and pipelined latency. */
#include <config.h>

#include "graph.h"

static const double ps_per_s = 1e12;

enum sl_status sl_graph_route_node(struct sl_graph *graph, struct sl_node *node,
                                   const struct sl_route *route, int64_t bytes,
                                   struct sl_error *err)
{
    int64_t chunks = route->chunk > 0 && bytes > 0 ? (bytes - 1) / route->chunk + 1 : 1;
    double hold =
        (double)route->overhead_ps * (double)chunks + (double)bytes / route->bandwidth * ps_per_s;
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
    if (node->demands.count > 0)
        return SL_OK;
    return sl_graph_push_demand(graph, &node->demands, (struct sl_demand){route->resource, 1}, err);
}
