/* Finding and printing a precedence cycle.
 *
 * Every node that a topological sort leaves over has a left-over predecessor, so walking back from
 * any of them must come around; the walk stops at the first node that it meets twice. */
#include <config.h>

#include "graph_cycle.h"
#include "memout.h"
#include <stdlib.h>
#include <string.h>

bool sl_lane_previous(const struct sl_graph *graph, uint32_t *previous)
{
    uint32_t lanes = graph->lane_names.count;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].lane != SL_NONE && graph->nodes[i].lane >= lanes)
            lanes = graph->nodes[i].lane + 1;
    uint32_t *last = malloc(((size_t)lanes + 1) * sizeof *last);
    if (!last)
        return false;
    memset(last, 0xff, ((size_t)lanes + 1) * sizeof *last);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        previous[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
    }
    free(last);
    return true;
}

/* Kahn's algorithm without an order: afterwards waiting[i] > 0 for exactly the nodes on a cycle or
 * behind one.  `next` and `stack` are scratch; each array holds node_count elements. */
static void leave_over(const struct sl_graph *graph, const uint32_t *previous, uint32_t *waiting,
                       uint32_t *next, uint32_t *stack)
{
    uint32_t depth = 0;
    memset(next, 0xff, (size_t)graph->node_count * sizeof *next);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        waiting[i] = previous[i] != SL_NONE;
        for (uint32_t k = graph->pred_start[i]; k < graph->pred_start[i + 1]; k++)
            waiting[i] += graph->edges[graph->pred_edges[k]].next == 0;
        if (previous[i] != SL_NONE)
            next[previous[i]] = i;
        if (waiting[i] == 0)
            stack[depth++] = i;
    }
    while (depth > 0) {
        uint32_t node = stack[--depth];
        for (uint32_t k = graph->succ_start[node]; k < graph->succ_start[node + 1]; k++) {
            const struct sl_edge *edge = &graph->edges[graph->succ_edges[k]];
            if (edge->next == 0 && --waiting[edge->to.i] == 0)
                stack[depth++] = edge->to.i;
        }
        if (next[node] != SL_NONE && --waiting[next[node]] == 0)
            stack[depth++] = next[node];
    }
}

/* The smallest left-over predecessor of a left-over node. */
static uint32_t remaining_predecessor(const struct sl_graph *graph, const uint32_t *previous,
                                      const uint32_t *waiting, uint32_t node)
{
    uint32_t best = SL_NONE;
    if (previous[node] != SL_NONE && waiting[previous[node]] > 0)
        best = previous[node];
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        if (edge->next == 0 && waiting[edge->from.i] > 0 && edge->from.i < best)
            best = edge->from.i;
    }
    return best;
}

/* Walks back from `start` until a node comes again; the cycle in order of running goes to `cycle`.
 * `step` is zeroed scratch; both hold node_count elements.  Returns the cycle's length. */
static uint32_t walk_back(const struct sl_graph *graph, const uint32_t *previous,
                          const uint32_t *waiting, uint32_t start, uint32_t *walk, uint32_t *step,
                          uint32_t *cycle)
{
    uint32_t length = 0, node = start;
    while (step[node] == 0) {
        walk[length++] = node;
        step[node] = length;
        node = remaining_predecessor(graph, previous, waiting, node);
    }
    uint32_t first = step[node] - 1, size = length - first, smallest = first;
    for (uint32_t k = first; k < length; k++)
        if (walk[k] < walk[smallest])
            smallest = k;
    for (uint32_t k = 0; k < size; k++)
        cycle[k] = walk[first + (smallest - first + size - k) % size];
    return size;
}

enum sl_status sl_graph_cycle(const struct sl_graph *graph, const uint32_t *previous,
                              uint32_t **nodes, uint32_t *count, struct sl_error *err)
{
    size_t size = graph->node_count;
    *nodes = NULL;
    *count = 0;
    uint32_t *waiting = calloc(size + 1, 3 * sizeof *waiting);
    uint32_t *cycle = malloc((size + 1) * sizeof *cycle);
    if (!waiting || !cycle) {
        free(waiting);
        free(cycle);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a cycle");
    }
    uint32_t *walk = waiting + size, *step = walk + size, start = 0;
    leave_over(graph, previous, waiting, step, walk);
    memset(step, 0, size * sizeof *step);
    while (start < graph->node_count && waiting[start] == 0)
        start++;
    if (start < graph->node_count)
        *count = walk_back(graph, previous, waiting, start, walk, step, cycle);
    free(waiting);
    if (*count == 0) {
        free(cycle);
        return SL_OK;
    }
    *nodes = cycle;
    return SL_OK;
}

char *sl_cycle_text(const struct sl_graph *graph, const uint32_t *nodes, uint32_t count,
                    uint32_t limit)
{
    struct sl_memout out;
    if (!sl_memout_open(&out))
        return NULL;
    for (uint32_t k = 0; k < count; k++) {
        if (k >= limit) {
            fprintf(out.stream, "... (%u more) -> ", count - k);
            break;
        }
        fprintf(out.stream, "%s -> ", graph->nodes[nodes[k]].name);
    }
    fprintf(out.stream, "%s", graph->nodes[nodes[0]].name);
    return sl_memout_close(&out);
}
