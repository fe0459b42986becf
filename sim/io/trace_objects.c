/* Buffers of a trace's copies. */
#include <config.h>

#include "trace_objects.h"
#include <stdlib.h>
#include <string.h>

bool sl_trace_moves_make(struct sl_trace_moves *moves, const struct sl_trace_graph *graph)
{
    moves->next = malloc((graph->node_count + 1u) * sizeof *moves->next);
    moves->before = malloc((graph->node_count + 1u) * sizeof *moves->before);
    uint32_t *last = malloc((graph->lane_count + 1u) * sizeof *last);
    bool made = moves->next && moves->before && last;
    for (uint32_t i = 0; made && i < graph->lane_count; i++)
        last[i] = SL_NONE;
    for (uint32_t i = 0; made && i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        moves->next[i] = SL_NONE;
        moves->before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane == SL_NONE)
            continue;
        if (last[lane] != SL_NONE)
            moves->next[last[lane]] = i;
        last[lane] = i;
    }
    free(last);
    return made;
}

static bool computes(const struct sl_trace_graph *graph, uint32_t node)
{
    return node != SL_NONE && graph->nodes[node].role == SL_TRACE_WORK &&
           graph->timeline->kind[graph->nodes[node].event] != SL_EVENT_COPY;
}

bool sl_trace_is_move(const struct sl_timeline *t, uint32_t event, char from[SL_TRACE_NAME],
                      char to[SL_TRACE_NAME])
{
    return t->kind[event] == SL_EVENT_COPY && t->bytes[event] > 0 &&
           sl_trace_place(t, event, true, from) && sl_trace_place(t, event, false, to) &&
           strcmp(from, to) != 0;
}

bool sl_trace_move_of(const struct sl_trace_moves *moves, const struct sl_trace_graph *graph,
                      uint32_t node, struct sl_trace_move *move)
{
    const struct sl_timeline *t = graph->timeline;
    uint32_t event = graph->nodes[node].event;
    if (graph->nodes[node].role != SL_TRACE_WORK ||
        !sl_trace_is_move(t, event, move->from, move->to))
        return false;
    uint32_t next = moves->next[node], before = moves->before[node];
    bool in = strncmp(move->to, "hbm", 3) == 0, out = strncmp(move->from, "hbm", 3) == 0;
    move->node = node;
    move->bytes = t->bytes[event];
    move->reader = in && computes(graph, next) ? next : SL_NONE;
    move->writer = out && computes(graph, before) ? before : SL_NONE;
    return true;
}

void sl_trace_moves_free(struct sl_trace_moves *moves)
{
    free(moves->next);
    free(moves->before);
}
