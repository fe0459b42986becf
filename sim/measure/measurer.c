/* Packs a finished graph for measuring: users by resource, predecessors in topological order. */
#include "measurer.h"
#include <stdlib.h>

static bool pack_users(struct sl_measurer *measurer)
{
    const struct sl_graph *graph = measurer->graph;
    uint32_t resources = graph->platform->resource_names.count;
    size_t total = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        total += graph->nodes[i].demands.count;
    measurer->user_start =
        sl_arena_array(&measurer->arena, (size_t)resources + 2, sizeof(uint32_t));
    measurer->users = sl_arena_array(&measurer->arena, total + 1, sizeof *measurer->users);
    if (!measurer->user_start || !measurer->users || total >= UINT32_MAX)
        return false;
    /* Counts are kept two places ahead, so that filling leaves each list's start in its place. */
    uint32_t *start = measurer->user_start;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_span span = graph->nodes[i].demands;
        for (uint32_t k = 0; k < span.count; k++)
            start[graph->demands[span.first + k].resource + 2]++;
    }
    for (uint32_t r = 2; r < resources + 2; r++)
        start[r] += start[r - 1];
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_span span = graph->nodes[i].demands;
        for (uint32_t k = 0; k < span.count; k++) {
            struct sl_demand demand = graph->demands[span.first + k];
            measurer->users[start[demand.resource + 1]++] =
                (struct measured_user){.node = i, .units = demand.units};
        }
    }
    return true;
}

/* The node before each one in its lane (lane order is node order), SL_NONE without one. */
static uint32_t *lane_predecessors(struct sl_measurer *measurer)
{
    const struct sl_graph *graph = measurer->graph;
    uint32_t lanes = graph->lane_names.count;
    uint32_t *before =
        sl_arena_array(&measurer->arena, (size_t)graph->node_count + 1, sizeof *before);
    uint32_t *last = sl_arena_array(&measurer->arena, (size_t)lanes + 1, sizeof *last);
    if (!before || !last)
        return NULL;
    for (uint32_t l = 0; l < lanes; l++)
        last[l] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
    }
    return before;
}

static bool pack_predecessors(struct sl_measurer *measurer)
{
    const struct sl_graph *graph = measurer->graph;
    uint32_t n = graph->node_count;
    uint32_t *lane_before = lane_predecessors(measurer);
    measurer->pred_start = sl_arena_array(&measurer->arena, (size_t)n + 1, sizeof(uint32_t));
    measurer->preds = sl_arena_array(&measurer->arena, (size_t)graph->edge_count + n + 1,
                                     sizeof *measurer->preds);
    if (!lane_before || !measurer->pred_start || !measurer->preds)
        return false;
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t node = graph->topo[k];
        for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
            const struct sl_edge *edge = &graph->edges[graph->pred_edges[e]];
            if (edge->next == 0)
                measurer->preds[count++] =
                    (struct measured_pred){.node = edge->from.i, .lag_ps = edge->lag_ps};
        }
        if (lane_before[node] != SL_NONE)
            measurer->preds[count++] = (struct measured_pred){.node = lane_before[node]};
        measurer->pred_start[k + 1] = count;
    }
    return true;
}

static bool pack_scratch(struct sl_measurer *measurer)
{
    const struct sl_graph *graph = measurer->graph;
    size_t n = (size_t)graph->node_count + 1;
    measurer->order_of = SL_NONE;
    measurer->is_fallback = sl_arena_array(&measurer->arena, n, sizeof *measurer->is_fallback);
    measurer->release_ps = sl_arena_array(&measurer->arena, n, sizeof *measurer->release_ps);
    measurer->done_ps = sl_arena_array(&measurer->arena, n, sizeof *measurer->done_ps);
    measurer->order = sl_arena_array(&measurer->arena, n, sizeof *measurer->order);
    measurer->hold_capacity = n;
    measurer->holds = sl_arena_array(&measurer->arena, n, sizeof *measurer->holds);
    measurer->scratch = sl_arena_array(&measurer->arena, n, sizeof *measurer->scratch);
    if (!measurer->is_fallback || !measurer->release_ps || !measurer->done_ps ||
        !measurer->order || !measurer->holds || !measurer->scratch)
        return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        measurer->release_ps[i] = graph->nodes[graph->topo[i]].release_ps;
        if (graph->nodes[i].fallback.i != SL_NONE)
            measurer->is_fallback[graph->nodes[i].fallback.i] = true;
    }
    return true;
}

enum sl_status sl_measurer_create(struct sl_measurer **measurer, const struct sl_graph *graph,
                                  struct sl_error *err)
{
    *measurer = calloc(1, sizeof **measurer);
    if (!*measurer)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    (*measurer)->graph = graph;
    if (pack_users(*measurer) && pack_predecessors(*measurer) && pack_scratch(*measurer))
        return SL_OK;
    sl_measurer_free(*measurer);
    *measurer = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory");
}

void sl_measurer_free(struct sl_measurer *measurer)
{
    if (!measurer)
        return;
    sl_arena_free(&measurer->arena);
    free(measurer);
}
