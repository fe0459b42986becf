/* Packs a finished graph for measuring: users by resource, the steps of the longest path. */
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
    measurer->same_units = sl_arena_array(&measurer->arena, (size_t)resources + 1, sizeof(bool));
    if (!measurer->user_start || !measurer->users || !measurer->same_units || total >= UINT32_MAX)
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
    for (uint32_t r = 0; r < resources; r++) {
        measurer->same_units[r] = true;
        for (uint32_t k = start[r]; k < start[r + 1]; k++)
            measurer->same_units[r] &= measurer->users[k].units == measurer->users[start[r]].units;
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

/* What is being packed: where a node's own step is, and how much was made so far. */
struct packing {
    struct sl_measurer *measurer;
    uint32_t *place; /* by node */
    uint32_t lags;
};

/* Releases and lags, and the steps that these and predecessors beyond two need. */
static void count_steps(const struct sl_graph *graph, const uint32_t *lane_before, size_t *releases,
                        size_t *lags, size_t *steps)
{
    *releases = *lags = 0;
    *steps = graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        bool released = graph->nodes[i].release_ps > 0;
        uint32_t operands = released + (uint32_t)(lane_before[i] != SL_NONE);
        *releases += released;
        for (uint32_t e = graph->pred_start[i]; e < graph->pred_start[i + 1]; e++) {
            const struct sl_edge *edge = &graph->edges[graph->pred_edges[e]];
            operands += edge->next == 0;
            *lags += edge->next == 0 && edge->lag_ps > 0;
        }
        *steps += operands > 2 ? operands - 2 : 0;
    }
    *steps += *lags;
}

/* Appends a step; returns where its result will be. */
static uint32_t add_step(struct packing *packing, struct path_step step, uint32_t node)
{
    struct sl_measurer *measurer = packing->measurer;
    measurer->step_node[measurer->step_count] = node;
    measurer->steps[measurer->step_count++] = step;
    return measurer->release_count + measurer->step_count; /* behind the 0 and the releases */
}

/* Takes one more operand into `pair`, which holds the first `count` of them. */
static void add_operand(struct packing *packing, uint32_t pair[2], uint32_t *count, uint32_t place)
{
    if (*count >= 2) {
        uint32_t none = packing->measurer->graph->node_count;
        pair[0] = add_step(packing, (struct path_step){pair[0], pair[1], none}, SL_NONE);
        pair[1] = place;
    } else {
        pair[*count] = place;
    }
    ++*count;
}

static void pack_node(struct packing *packing, uint32_t node, uint32_t lane_before,
                      uint32_t *release)
{
    struct sl_measurer *measurer = packing->measurer;
    const struct sl_graph *graph = measurer->graph;
    uint32_t pair[2] = {0, 0}, count = 0, none = graph->node_count;
    if (graph->nodes[node].release_ps > 0) {
        measurer->release_node[*release] = node;
        add_operand(packing, pair, &count, 1 + (*release)++);
    }
    for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[e]];
        if (edge->next != 0)
            continue;
        uint32_t place = packing->place[edge->from.i];
        if (edge->lag_ps > 0) {
            uint32_t lag = none + 1 + packing->lags++;
            measurer->weight_ps[lag] = edge->lag_ps;
            place = add_step(packing, (struct path_step){place, 0, lag}, SL_NONE);
        }
        add_operand(packing, pair, &count, place);
    }
    if (lane_before != SL_NONE)
        add_operand(packing, pair, &count, packing->place[lane_before]);
    packing->place[node] = add_step(packing, (struct path_step){pair[0], pair[1], node}, node);
}

static bool pack_path(struct sl_measurer *measurer)
{
    const struct sl_graph *graph = measurer->graph;
    struct sl_arena *arena = &measurer->arena;
    size_t n = graph->node_count, releases, lags, steps;
    struct packing packing = {.measurer = measurer};
    uint32_t *lane_before = lane_predecessors(measurer), release = 0;
    if (!lane_before)
        return false;
    count_steps(graph, lane_before, &releases, &lags, &steps);
    measurer->release_count = (uint32_t)releases;
    measurer->steps = sl_arena_array(arena, steps + 1, sizeof *measurer->steps);
    measurer->step_node = sl_arena_array(arena, steps + 1, sizeof *measurer->step_node);
    measurer->release_node = sl_arena_array(arena, releases + 1, sizeof *measurer->release_node);
    measurer->done_ps = sl_arena_array(arena, 1 + releases + steps, sizeof *measurer->done_ps);
    measurer->weight_ps = sl_arena_array(arena, n + 1 + lags, sizeof *measurer->weight_ps);
    packing.place = sl_arena_array(arena, n + 1, sizeof *packing.place);
    if (!measurer->steps || !measurer->step_node || !measurer->release_node || !measurer->done_ps ||
        !measurer->weight_ps || !packing.place || steps >= UINT32_MAX / 2)
        return false;
    for (uint32_t k = 0; k < graph->node_count; k++)
        pack_node(&packing, graph->topo[k], lane_before[graph->topo[k]], &release);
    return true;
}

static bool pack_scratch(struct sl_measurer *measurer)
{
    const struct sl_graph *graph = measurer->graph;
    size_t n = (size_t)graph->node_count + 1;
    measurer->order_of = SL_NONE;
    measurer->is_fallback = sl_arena_array(&measurer->arena, n, sizeof *measurer->is_fallback);
    measurer->order = sl_arena_array(&measurer->arena, n, sizeof *measurer->order);
    measurer->hold_capacity = n;
    measurer->holds = sl_arena_array(&measurer->arena, n, sizeof *measurer->holds);
    measurer->scratch = sl_arena_array(&measurer->arena, n, sizeof *measurer->scratch);
    if (!measurer->is_fallback || !measurer->order || !measurer->holds || !measurer->scratch)
        return false;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            measurer->is_fallback[graph->nodes[i].fallback.i] = true;
    return true;
}

enum sl_status sl_measurer_create(struct sl_measurer **measurer, const struct sl_graph *graph,
                                  struct sl_error *err)
{
    *measurer = calloc(1, sizeof **measurer);
    if (!*measurer)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    (*measurer)->graph = graph;
    if (pack_users(*measurer) && pack_path(*measurer) && pack_scratch(*measurer))
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
