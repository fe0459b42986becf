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

static const struct sl_expr *varying_size(const struct sl_graph *graph, const struct sl_node *node)
{
    uint32_t root = sl_object_root(graph, node->object).i;
    return root < graph->object_count ? graph->objects[root].size : NULL;
}

/* The scale of the hold of a node, one for all jobs or by job. */
static enum sl_status take_time(struct sl_graph *graph, struct sl_node *node,
                                const struct sl_route *route, double hold, struct sl_error *err)
{
    const struct sl_expr *size = varying_size(graph, node);
    node->scale = size ? 1.0 : hold;
    node->times = NULL;
    if (!size)
        return SL_OK;
    if (route->staging.domain != SL_NONE)
        return SL_FAIL_AT(err, SL_INVALID, node->place,
                          "node '%s' moves '%s', whose size varies by job, through the staging "
                          "buckets of its route, which is not supported (state a route without "
                          "staging)",
                          node->name, graph->objects[node->object.i].name);
    node->times_mean = hold;
    node->times = sl_expr_copy_time(size, (double)route->overhead_ps, route->chunk,
                                    route->bandwidth, &graph->arena);
    return node->times ? SL_OK
                       : SL_FAIL(err, SL_SYSTEM, "out of memory for a move of varying size");
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
    node->latency_scale = (double)route->latency_ps;
    if (node->klass == SL_NONE)
        node->klass = route->klass;
    enum sl_status status = take_time(graph, node, route, hold, err);
    if (status == SL_OK)
        status = take_buckets(graph, node, route, bytes, err);
    if (node->demands.count > 0 || status)
        return status;
    return sl_graph_push_demand(graph, &node->demands, (struct sl_demand){route->resource, 1}, err);
}
