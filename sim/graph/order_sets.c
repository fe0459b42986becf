/* Sets of 64 passed along the topological order. */
#include <config.h>

#include "graph_cycle.h"
#include "order_sets.h"
#include <stdlib.h>
#include <string.h>

bool sl_order_sets_open(struct sl_order_sets *sets, const struct sl_graph *graph, uint64_t *budget)
{
    size_t nodes = (size_t)graph->node_count + 1;
    *sets = (struct sl_order_sets){.graph = graph,
                                   .lane_previous = malloc(nodes * sizeof(uint32_t)),
                                   .lane_next = malloc(nodes * sizeof(uint32_t)),
                                   .position = malloc(nodes * sizeof(uint32_t)),
                                   .opaque = calloc(nodes, sizeof(bool)),
                                   .budget = budget};
    if (!sets->lane_previous || !sets->lane_next || !sets->position || !sets->opaque ||
        !sl_lane_previous(graph, sets->lane_previous))
        return false;
    memset(sets->lane_next, 0xff, nodes * sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t fallback = graph->nodes[i].fallback.i;
        sets->position[graph->topo[i]] = i;
        if (fallback != SL_NONE)
            sets->opaque[i] = sets->opaque[fallback] = true;
        if (sets->lane_previous[i] != SL_NONE)
            sets->lane_next[sets->lane_previous[i]] = i;
    }
    return true;
}

void sl_order_sets_close(struct sl_order_sets *sets)
{
    free(sets->lane_previous);
    free(sets->lane_next);
    free(sets->position);
    free(sets->opaque);
    *sets = (struct sl_order_sets){0};
}

static bool spend(const struct sl_order_sets *sets, uint64_t edges)
{
    bool enough = *sets->budget > edges;
    *sets->budget -= enough ? edges : *sets->budget;
    return enough;
}

bool sl_order_sets_forward(const struct sl_order_sets *sets, uint32_t first, uint32_t last,
                           uint64_t *words)
{
    const struct sl_graph *graph = sets->graph;
    for (uint32_t t = first; t <= last; t++) {
        uint32_t node = graph->topo[t], lane = sets->lane_previous[node];
        if (sets->opaque[node])
            continue;
        uint64_t word = words[node] | (lane == SL_NONE ? 0 : words[lane]);
        uint32_t begin = graph->pred_start[node], end = graph->pred_start[node + 1];
        for (uint32_t k = begin; k < end; k++) {
            uint32_t e = graph->pred_edges[k];
            if (graph->edges[e].next == 0 && !(sets->left_out && sets->left_out[e]))
                word |= words[graph->edges[e].from.i];
        }
        words[node] = word;
        if (!spend(sets, end - begin + UINT64_C(1)))
            return false;
    }
    return true;
}

bool sl_order_sets_backward(const struct sl_order_sets *sets, uint32_t first, uint32_t last,
                            uint64_t *words)
{
    const struct sl_graph *graph = sets->graph;
    for (uint32_t t = last + 1; t-- > first;) {
        uint32_t node = graph->topo[t], lane = sets->lane_next[node];
        if (sets->opaque[node])
            continue;
        uint64_t word = words[node] | (lane == SL_NONE ? 0 : words[lane]);
        uint32_t begin = graph->succ_start[node], end = graph->succ_start[node + 1];
        for (uint32_t k = begin; k < end; k++) {
            uint32_t e = graph->succ_edges[k];
            if (graph->edges[e].next == 0 && !(sets->left_out && sets->left_out[e]))
                word |= words[graph->edges[e].to.i];
        }
        words[node] = word;
        if (!spend(sets, end - begin + UINT64_C(1)))
            return false;
    }
    return true;
}
