/* Finding and printing a precedence cycle.
 *
 * Every node that a topological sort leaves over has a left-over predecessor, so walking back from
 * any of them must come around; the walk stops at the first node that it meets twice. */
#include <config.h>
#include "graph_cycle.h"
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

/* The smallest left-over predecessor of a left-over node. */
static uint32_t remaining_predecessor(const struct sl_graph *graph, const uint32_t *previous,
                                      const bool *remaining, uint32_t node)
{
    uint32_t best = SL_NONE;
    if (previous[node] != SL_NONE && remaining[previous[node]])
        best = previous[node];
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        if (edge->next == 0 && remaining[edge->from.i] && edge->from.i < best)
            best = edge->from.i;
    }
    return best;
}

enum sl_status sl_graph_cycle(const struct sl_graph *graph, const uint32_t *previous,
                              const bool *remaining, uint32_t **nodes, uint32_t *count,
                              struct sl_error *err)
{
    *nodes = NULL;
    *count = 0;
    uint32_t start = 0;
    while (start < graph->node_count && !remaining[start])
        start++;
    if (start == graph->node_count)
        return SL_OK;
    uint32_t *walk = malloc((size_t)graph->node_count * sizeof *walk);
    uint32_t *step = malloc((size_t)graph->node_count * sizeof *step); /* 0: not met yet */
    if (!walk || !step) {
        free(walk);
        free(step);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a cycle");
    }
    memset(step, 0, (size_t)graph->node_count * sizeof *step);
    uint32_t length = 0, node = start;
    while (step[node] == 0) {
        walk[length++] = node;
        step[node] = length;
        node = remaining_predecessor(graph, previous, remaining, node);
    }
    /* walk[step[node] - 1 .. length) goes backwards around the cycle. */
    uint32_t first = step[node] - 1, size = length - first, smallest = first;
    for (uint32_t k = first; k < length; k++)
        if (walk[k] < walk[smallest])
            smallest = k;
    for (uint32_t k = 0; k < size; k++) /* `step` is free now: the cycle in order of running */
        step[k] = walk[first + (smallest - first + size - k) % size];
    free(walk);
    *nodes = step;
    *count = size;
    return SL_OK;
}

char *sl_cycle_text(const struct sl_graph *graph, const uint32_t *nodes, uint32_t count,
                    uint32_t limit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (uint32_t k = 0; k < count; k++) {
        if (k >= limit) {
            fprintf(out, "... (%u more) -> ", count - k);
            break;
        }
        fprintf(out, "%s -> ", graph->nodes[nodes[k]].name);
    }
    fprintf(out, "%s", graph->nodes[nodes[0]].name);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
