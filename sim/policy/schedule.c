/* Expected times: a list schedule in a given order at isolated means.
 *
 *     start = max(predecessors' finish + lag, lane predecessor's finish, release,
 *                 the time at which enough servers of each demanded resource are free)
 *
 * Memory, contention and guards are left out; it ranks gaps and places prefetches, nothing more. */
#include "facts.h"
#include <math.h>
#include <stdlib.h>

#define MAX_SERVERS 1024 /* a resource with more counts as unlimited here */

struct servers {
    double *free_ps; /* per server; NULL: unlimited */
    uint32_t count;
};

struct expectation {
    const struct sl_graph *graph;
    struct servers *resources;
    double *lane_finish;
    uint32_t *pred_start, *pred_edges;
    double *start, *finish;
};

/* The `units` servers that come free first are sorted to the front; the time at which they are. */
static double free_at(struct servers *servers, uint32_t units)
{
    for (uint32_t k = 0; k < units; k++) {
        uint32_t least = k;
        for (uint32_t s = k + 1; s < servers->count; s++)
            if (servers->free_ps[s] < servers->free_ps[least])
                least = s;
        double swap = servers->free_ps[k];
        servers->free_ps[k] = servers->free_ps[least];
        servers->free_ps[least] = swap;
    }
    return units > 0 ? servers->free_ps[units - 1] : 0.0;
}

/* A mean that exists, for distributions that have none. */
static double real_mean(double mean, const struct sl_node *node, double scale)
{
    return isfinite(mean) ? mean : node->dist ? sl_dist_quantile(node->dist, 0.5) * scale : 0.0;
}

static void expect(struct expectation *x, uint32_t index)
{
    const struct sl_graph *graph = x->graph;
    const struct sl_node *node = &graph->nodes[index];
    double at = (double)node->release_ps;
    for (uint32_t k = x->pred_start[index]; k < x->pred_start[index + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[x->pred_edges[k]];
        at = fmax(at, x->finish[edge->from.i] + (double)edge->lag_ps);
    }
    if (node->lane != SL_NONE)
        at = fmax(at, x->lane_finish[node->lane]);
    for (uint32_t k = 0; k < node->demands.count; k++) {
        struct sl_demand demand = graph->demands[node->demands.first + k];
        struct servers *servers = &x->resources[demand.resource];
        if (servers->free_ps && demand.units <= servers->count)
            at = fmax(at, free_at(servers, demand.units));
    }
    double hold = real_mean(sl_node_mean_hold(graph, (sl_node_id){index}), node, sl_node_mean_scale(node));
    double latency =
        real_mean(sl_node_mean_latency(graph, (sl_node_id){index}), node, node->latency_scale);
    x->start[index] = at;
    x->finish[index] = at + hold + latency;
    for (uint32_t k = 0; k < node->demands.count; k++) {
        struct sl_demand demand = graph->demands[node->demands.first + k];
        struct servers *servers = &x->resources[demand.resource];
        for (uint32_t s = 0; servers->free_ps && s < demand.units && s < servers->count; s++)
            servers->free_ps[s] = at + hold;
    }
    if (node->lane != SL_NONE)
        x->lane_finish[node->lane] = x->finish[index];
}

static bool open_servers(struct expectation *x)
{
    const struct sl_platform *platform = x->graph->platform;
    uint32_t count = platform->resource_names.count;
    x->resources = calloc((size_t)count + 1, sizeof *x->resources);
    for (uint32_t r = 0; x->resources && r < count; r++) {
        uint32_t servers = platform->resources[r].servers;
        if (servers > MAX_SERVERS)
            continue;
        x->resources[r].count = servers;
        x->resources[r].free_ps = calloc((size_t)servers + 1, sizeof(double));
        if (!x->resources[r].free_ps)
            return false;
    }
    return x->resources != NULL;
}

enum sl_status sl_schedule_expect(const struct sl_graph *graph, const uint32_t *order,
                                  uint32_t count, double *start, double *finish,
                                  struct sl_error *err)
{
    struct expectation x = {.graph = graph, .start = start, .finish = finish};
    x.lane_finish = calloc((size_t)graph->lane_names.count + 1, sizeof *x.lane_finish);
    bool ok =
        x.lane_finish && open_servers(&x) && sl_graph_preds(graph, &x.pred_start, &x.pred_edges);
    for (uint32_t t = 0; ok && t < count; t++)
        expect(&x, order[t]);
    for (uint32_t r = 0; x.resources && r < graph->platform->resource_names.count; r++)
        free(x.resources[r].free_ps);
    free(x.resources);
    free(x.lane_finish);
    free(x.pred_start);
    free(x.pred_edges);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for expected times");
}
