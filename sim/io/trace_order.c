/* The order of a trace's nodes, and when they start at given durations. */
#include <config.h>

#include "keysort.h"
#include "trace_parts.h"
#include <stdlib.h>
#include <string.h>

/* By start, of equal ones by end, then as they were added; `place[i]`: where node i goes. */
static bool sort_nodes(struct sl_trace_graph *g, uint32_t *place)
{
    size_t count = g->node_count;
    struct sl_keyed *sorted = malloc((2 * count + 1) * sizeof *sorted);
    struct sl_trace_node *nodes = malloc((count + 1) * sizeof *nodes);
    bool made = sorted && nodes;
    if (made) {
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = (struct sl_keyed){g->nodes[i].end_ps, i};
        sl_sort_keyed(sorted, sorted + count, count);
        for (uint32_t i = 0; i < count; i++)
            sorted[i].key = g->nodes[sorted[i].value].start_ps;
        sl_sort_keyed(sorted, sorted + count, count);
        for (uint32_t i = 0; i < count; i++) {
            place[sorted[i].value] = i;
            nodes[i] = g->nodes[sorted[i].value];
        }
        free(g->nodes);
        g->nodes = nodes;
        g->node_capacity = (uint32_t)count + 1;
        nodes = NULL;
    }
    free(sorted);
    free(nodes);
    return made;
}

static void shift_times(struct sl_trace_builder *b)
{
    struct sl_trace_graph *g = b->graph;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].start_ps < first)
            first = g->nodes[i].start_ps;
    for (uint32_t i = 0; i < g->node_count; i++) {
        struct sl_trace_node *node = &g->nodes[i];
        node->start_ps -= first;
        node->end_ps -= first;
        node->released = node->released && node->start_ps > 0;
        if (node->released && node->role != SL_TRACE_WORK && node->role != SL_TRACE_BACKLOG)
            sl_trace_doubt(b, SL_DOUBT_THREAD_START, node->start_ps);
    }
    g->origin_ps = first;
}

/* Renames the ends of edges, drops those against the order, instead of which the node has a
 * release, and sorts by where they lead. */
static bool sort_edges(struct sl_trace_builder *b, const uint32_t *place)
{
    struct sl_trace_graph *g = b->graph;
    size_t count = g->edge_count;
    struct sl_keyed *sorted = malloc((2 * count + 1) * sizeof *sorted);
    struct sl_trace_edge *edges = malloc((count + 1) * sizeof *edges);
    uint32_t kept = 0;
    for (uint32_t i = 0; sorted && edges && i < g->edge_count; i++) {
        struct sl_trace_edge *edge = &g->edges[i];
        edge->from = place[edge->from];
        edge->to = place[edge->to];
        if (edge->from < edge->to) {
            sorted[kept++] = (struct sl_keyed){edge->to, i};
        } else {
            sl_trace_doubt(b, SL_DOUBT_CYCLE, 0);
            g->nodes[edge->to].released = true;
        }
    }
    bool made = sorted && edges;
    if (made) {
        sl_sort_keyed(sorted, sorted + count, kept);
        for (uint32_t i = 0; i < kept; i++)
            edges[i] = g->edges[sorted[i].value];
        free(g->edges);
        g->edges = edges;
        g->edge_count = kept;
        g->edge_capacity = (uint32_t)count + 1;
        edges = NULL;
    }
    free(sorted);
    free(edges);
    return made;
}

enum sl_status sl_trace_order(struct sl_trace_builder *b)
{
    struct sl_trace_graph *g = b->graph;
    uint32_t *place = malloc((g->node_count + 1u) * sizeof *place);
    shift_times(b);
    bool made = place && sort_nodes(g, place) && sort_edges(b, place);
    free(place);
    for (uint32_t i = 0; made && i < g->node_count; i++)
        g->nodes_of[g->nodes[i].role]++;
    for (uint32_t i = 0; made && i < g->edge_count; i++)
        g->edges_of[g->edges[i].reason]++;
    return made ? SL_OK : sl_trace_no_memory(b->err);
}

/* Each node starts at the latest of its release, its lane's node before it, and its edges, whose
 * lags are shorter by their excess when `explained`. */
static void run(const struct sl_trace_graph *g, bool explained, int64_t *lane_free, int64_t *ends)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < g->lane_count; i++)
        lane_free[i] = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct sl_trace_node *node = &g->nodes[i];
        int64_t start = node->released ? node->start_ps : 0;
        if (node->lane != SL_NONE && lane_free[node->lane] > start)
            start = lane_free[node->lane];
        for (; k < g->edge_count && g->edges[k].to == i; k++) {
            const struct sl_trace_edge *edge = &g->edges[k];
            int64_t at = ends[edge->from] + edge->lag_ps - (explained ? edge->excess_ps : 0);
            start = at > start ? at : start;
        }
        ends[i] = start + node->end_ps - node->start_ps;
        if (node->lane != SL_NONE)
            lane_free[node->lane] = ends[i];
    }
}

/* Span, and the time in which any work runs. */
static bool sum_up(const struct sl_trace_graph *g, const int64_t *ends, struct sl_keyed *sorted,
                   struct sl_trace_replay *replay)
{
    struct sl_intervals busy = {0};
    uint32_t count = 0;
    bool made = true;
    *replay = (struct sl_trace_replay){0};
    for (uint32_t i = 0; i < g->node_count; i++) {
        int64_t length = g->nodes[i].end_ps - g->nodes[i].start_ps;
        if (ends[i] > replay->span_ps)
            replay->span_ps = ends[i];
        if (g->nodes[i].role == SL_TRACE_WORK)
            sorted[count++] = (struct sl_keyed){ends[i] - length, i};
    }
    sl_sort_keyed(sorted, sorted + g->node_count, count);
    for (uint32_t i = 0; i < count && made; i++)
        made = sl_intervals_add(&busy, sorted[i].key, ends[sorted[i].value]);
    replay->busy_ps = sl_intervals_length(&busy);
    sl_intervals_free(&busy);
    return made;
}

enum sl_status sl_trace_replay(struct sl_trace_graph *g, struct sl_error *err)
{
    int64_t *lane_free = malloc((g->lane_count + 1u) * sizeof *lane_free);
    int64_t *ends = malloc((g->node_count + 1u) * sizeof *ends);
    struct sl_keyed *sorted = malloc((2 * (size_t)g->node_count + 1) * sizeof *sorted);
    bool made = lane_free && ends && sorted;
    for (uint32_t i = 0; made && i < g->node_count; i++)
        ends[i] = g->nodes[i].end_ps;
    made = made && sum_up(g, ends, sorted, &g->recorded);
    if (made) {
        run(g, false, lane_free, ends);
        made = sum_up(g, ends, sorted, &g->replayed);
    }
    if (made) {
        run(g, true, lane_free, ends);
        made = sum_up(g, ends, sorted, &g->explained);
    }
    free(lane_free);
    free(ends);
    free(sorted);
    return made ? SL_OK : sl_trace_no_memory(err);
}
