/* Finishing a graph: duplicate edges out, adjacency in CSR form, topological order.
 *
 *     pred_start: | 0 | 2 | 2 | 5 | ...     pred_edges: | e7 e9 | | e1 e3 e4 | ...
 *
 * The order of equal candidates is by node index everywhere, so that plans, events and draws do
 * not depend on how a graph was built. */
#include <config.h>

#include "graph_cycle.h"
#include <stdlib.h>
#include <string.h>

#define CYCLE_NAMES 12 /* names of a cycle that fit an error's message */

/* Counting sort of edge indices by consumer or producer; ascending within each. */
static bool group_edges(const struct sl_graph *graph, bool by_consumer, uint32_t **start_out,
                        uint32_t **edges_out)
{
    size_t nodes = graph->node_count;
    uint32_t *start = calloc(nodes + 2, sizeof *start);
    uint32_t *edges = malloc(((size_t)graph->edge_count + 1) * sizeof *edges);
    if (!start || !edges) {
        free(start);
        free(edges);
        return false;
    }
    /* start[i + 2] counts node i first; after the prefix sum, start[i + 1] is the next free place
     * of i, and having been filled it is the start of i + 1. */
    for (uint32_t e = 0; e < graph->edge_count; e++)
        start[(by_consumer ? graph->edges[e].to.i : graph->edges[e].from.i) + 2]++;
    for (size_t i = 2; i < nodes + 2; i++)
        start[i] += start[i - 1];
    for (uint32_t e = 0; e < graph->edge_count; e++)
        edges[start[(by_consumer ? graph->edges[e].to.i : graph->edges[e].from.i) + 1]++] = e;
    free(*start_out);
    free(*edges_out);
    *start_out = start;
    *edges_out = edges;
    return true;
}

/* Orders edges of one producer so that duplicates are neighbours, the first written one first. */
static int compare_edges(const void *a, const void *b)
{
    const struct sl_edge *x = *(const struct sl_edge *const *)a;
    const struct sl_edge *y = *(const struct sl_edge *const *)b;
    if (x->to.i != y->to.i)
        return x->to.i < y->to.i ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->lag_ps != y->lag_ps)
        return x->lag_ps < y->lag_ps ? -1 : 1;
    if (x->next != y->next)
        return x->next < y->next ? -1 : 1;
    if (x->object.i != y->object.i)
        return x->object.i < y->object.i ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The object counts too: lifetime-hold edges hold what they name. */
static bool same_edge(const struct sl_edge *x, const struct sl_edge *y)
{
    return x->to.i == y->to.i && x->type == y->type && x->lag_ps == y->lag_ps &&
           x->next == y->next && x->object.i == y->object.i;
}

/* Marks the node's later ones of equal edges. */
static uint32_t mark_equal(const struct sl_graph *graph, uint32_t node,
                           const struct sl_edge **sorted, bool *drop)
{
    uint32_t first = graph->succ_start[node], count = graph->succ_start[node + 1] - first;
    uint32_t marked = 0;
    for (uint32_t k = 0; k < count; k++)
        sorted[k] = &graph->edges[graph->succ_edges[first + k]];
    qsort((void *)sorted, count, sizeof(*sorted), compare_edges);
    for (uint32_t k = 1; k < count; k++)
        if (same_edge(sorted[k - 1], sorted[k])) {
            drop[sorted[k] - graph->edges] = true;
            marked++;
        }
    return marked;
}

/* Marks duplicates by the succ lists.  Few nodes have two edges to one other, so few are sorted. */
static bool mark_duplicates(const struct sl_graph *graph, bool *drop, uint32_t *marked)
{
    const struct sl_edge **sorted = malloc(((size_t)graph->edge_count + 1) * sizeof(*sorted));
    uint32_t *last_from = malloc(((size_t)graph->node_count + 1) * sizeof *last_from);
    bool ok = sorted && last_from;
    for (uint32_t i = 0; ok && i < graph->node_count; i++)
        last_from[i] = SL_NONE;
    for (uint32_t i = 0; ok && i < graph->node_count; i++) {
        bool twice = false;
        for (uint32_t k = graph->succ_start[i]; k < graph->succ_start[i + 1]; k++) {
            uint32_t to = graph->edges[graph->succ_edges[k]].to.i;
            twice |= last_from[to] == i;
            last_from[to] = i;
        }
        if (twice)
            *marked += mark_equal(graph, i, sorted, drop);
    }
    free((void *)sorted);
    free(last_from);
    return ok;
}

/* Removes marked edges, keeping the order of the rest. */
static enum sl_status drop_marked(struct sl_graph *graph, const bool *drop, struct sl_error *err)
{
    enum sl_status status = sl_graph_edit_edges(graph, err);
    if (status != SL_OK)
        return status;
    uint32_t kept = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (!drop[e])
            graph->own_edges[kept++] = graph->edges[e];
    graph->edge_count = kept;
    return SL_OK;
}

static enum sl_status make_lists(struct sl_graph *graph, struct sl_error *err)
{
    bool *drop = calloc((size_t)graph->edge_count + 1, sizeof *drop);
    uint32_t marked = 0;
    enum sl_status status = SL_OK;
    bool ok = drop && group_edges(graph, false, &graph->succ_start, &graph->succ_edges) &&
              mark_duplicates(graph, drop, &marked);
    if (ok && marked > 0) {
        status = drop_marked(graph, drop, err);
        ok = group_edges(graph, false, &graph->succ_start, &graph->succ_edges);
    }
    ok = ok && group_edges(graph, true, &graph->pred_start, &graph->pred_edges);
    free(drop);
    return status == SL_OK && !ok ? SL_FAIL(err, SL_SYSTEM, "out of memory for the graph's edges")
                                  : status;
}

/* A binary min-heap of node indices. */
struct heap {
    uint32_t *items;
    uint32_t count;
};

static void heap_push(struct heap *heap, uint32_t value)
{
    uint32_t at = heap->count++;
    while (at > 0 && heap->items[(at - 1) / 2] > value) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = value;
}

static uint32_t heap_pop(struct heap *heap)
{
    uint32_t top = heap->items[0], value = heap->items[--heap->count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->items[child + 1] < heap->items[child])
            child++;
        if (heap->items[child] >= value)
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = value;
    return top;
}

/* Kahn's algorithm; returns the number of nodes placed in graph->topo, in order. */
static uint32_t sort_nodes(struct sl_graph *graph, const uint32_t *next_in_lane, uint32_t *waiting,
                           struct heap *heap)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (waiting[i] == 0)
            heap_push(heap, i);
    while (heap->count > 0) {
        uint32_t node = heap_pop(heap);
        graph->topo[placed++] = node;
        for (uint32_t k = graph->succ_start[node]; k < graph->succ_start[node + 1]; k++) {
            const struct sl_edge *edge = &graph->edges[graph->succ_edges[k]];
            if (edge->next == 0 && --waiting[edge->to.i] == 0)
                heap_push(heap, edge->to.i);
        }
        uint32_t follower = next_in_lane[node];
        if (follower != SL_NONE && --waiting[follower] == 0)
            heap_push(heap, follower);
    }
    return placed;
}

/* SL_NO naming the nodes that wait for each other. */
static enum sl_status fail_cycle(const struct sl_graph *graph, const uint32_t *previous,
                                 struct sl_error *err)
{
    uint32_t *cycle = NULL, count = 0;
    enum sl_status status = sl_graph_cycle(graph, previous, &cycle, &count, err);
    if (status)
        return status;
    char *text = sl_cycle_text(graph, cycle, count, CYCLE_NAMES);
    status = SL_FAIL_AT(err, SL_NO, graph->nodes[cycle[0]].place, "precedence cycle: %s",
                        text ? text : "(out of memory)");
    free(text);
    free(cycle);
    return status;
}

/* Where every edge goes to a later row, as lanes do, rows are in order. */
static bool rows_in_order(const struct sl_graph *graph)
{
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0 && graph->edges[e].from.i >= graph->edges[e].to.i)
            return false;
    return true;
}

static enum sl_status order_nodes(struct sl_graph *graph, struct sl_error *err)
{
    size_t size = ((size_t)graph->node_count + 1) * sizeof(uint32_t);
    uint32_t *previous = malloc(size), *next = malloc(size), *waiting = malloc(size);
    struct heap heap = {malloc(size), 0};
    free(graph->topo);
    graph->topo = malloc(size);
    enum sl_status status = SL_OK;
    if (graph->topo && rows_in_order(graph)) {
        for (uint32_t i = 0; i < graph->node_count; i++)
            graph->topo[i] = i;
        goto out;
    }
    if (!previous || !next || !waiting || !heap.items || !graph->topo ||
        !sl_lane_previous(graph, previous)) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the graph's order");
        goto out;
    }
    memset(waiting, 0, size);
    memset(next, 0xff, size);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0)
            waiting[graph->edges[e].to.i]++;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (previous[i] != SL_NONE) {
            waiting[i]++;
            next[previous[i]] = i;
        }
    if (sort_nodes(graph, next, waiting, &heap) < graph->node_count)
        status = fail_cycle(graph, previous, err);
out:
    free(previous);
    free(next);
    free(waiting);
    free(heap.items);
    return status;
}

void sl_graph_drop_lists(struct sl_graph *graph)
{
    if (!graph->shares_lists) {
        free(graph->pred_start);
        free(graph->pred_edges);
        free(graph->succ_start);
        free(graph->succ_edges);
        free(graph->topo);
    }
    graph->pred_start = graph->pred_edges = graph->succ_start = graph->succ_edges = NULL;
    graph->topo = NULL;
    graph->shares_lists = graph->finished = false;
}

/* A copy that changed neither nodes nor edges has its original's lists. */
static bool is_original(const struct sl_graph *graph)
{
    const struct sl_graph *original = graph->original;
    return original && original->finished && graph->nodes == original->nodes &&
           graph->node_count == original->node_count && graph->edges == original->edges &&
           graph->edge_count == original->edge_count;
}

enum sl_status sl_graph_finish(struct sl_graph *graph, struct sl_error *err)
{
    sl_graph_drop_lists(graph);
    if (is_original(graph)) {
        graph->pred_start = graph->original->pred_start;
        graph->pred_edges = graph->original->pred_edges;
        graph->succ_start = graph->original->succ_start;
        graph->succ_edges = graph->original->succ_edges;
        graph->topo = graph->original->topo;
        graph->shares_lists = graph->finished = true;
        return SL_OK;
    }
    enum sl_status status = make_lists(graph, err);
    if (status == SL_OK)
        status = order_nodes(graph, err);
    graph->finished = status == SL_OK;
    return status;
}
