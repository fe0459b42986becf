/* Packing a graph for windows: links between places, in topological order.
 *
 *     primary ----(runs)----> handed on ----> successors      A fallback's place is its own
 *     fallback --(replaced)----^                              `handed on` where it names one too */
#include <config.h>

#include "graph_cycle.h"
#include "windows.h"
#include <stdlib.h>

struct packing {
    struct sl_windows *w;
    uint32_t *lane_previous;
    bool *impossible;  /* by node: no takeover from it */
    uint32_t *waiting; /* by place: links from places that are not ordered yet; or the next link
                        * that a search follows */
    uint32_t *stack, *component; /* of places */
    bool backwards;              /* every link is turned around */
    struct sl_arena arena;
};

/* The place that stands for all of what `node` owes its successors. */
static uint32_t duty_of(const struct sl_windows *w, uint32_t node)
{
    return w->handed[node] == SL_NONE ? node : w->handed[node];
}

typedef void link_visitor(struct sl_windows *w, uint32_t from, uint32_t to, int64_t lag_ps);

static void each_link(const struct packing *p, link_visitor *visit)
{
    struct sl_windows *w = p->w;
    const struct sl_graph *graph = w->graph;
#define VISIT(from, to, lag)                                                                       \
    visit(w, p->backwards ? (to) : (from), p->backwards ? (from) : (to), lag)
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (edge->next > 0)
            continue;
        bool own_way = edge->to.i == graph->nodes[edge->from.i].fallback.i;
        uint32_t from = own_way ? edge->from.i : duty_of(w, edge->from.i);
        VISIT(from, edge->to.i, edge->lag_ps);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (p->lane_previous[i] != SL_NONE)
            VISIT(p->lane_previous[i], i, 0);
        if (w->handed[i] == SL_NONE)
            continue;
        VISIT(i, w->handed[i], 0);
        if (!p->impossible[i])
            VISIT(duty_of(w, graph->nodes[i].fallback.i), w->handed[i], 0);
    }
#undef VISIT
}

/* Counts are kept two places ahead, so that filling leaves each list's start in its place. */
static void count_link(struct sl_windows *w, uint32_t from, uint32_t to, int64_t lag_ps)
{
    (void)to;
    (void)lag_ps;
    w->first[from + 2]++;
}

static void put_link(struct sl_windows *w, uint32_t from, uint32_t to, int64_t lag_ps)
{
    w->links[w->first[from + 1]++] = (struct sl_window_link){.lag_ps = lag_ps, .to = to};
}

/* Kahn's algorithm; false when some places wait for each other. */
static bool order_places(struct packing *p)
{
    struct sl_windows *w = p->w;
    uint32_t placed = 0;
    for (uint32_t x = 0; x < w->place_count; x++)
        p->waiting[x] = 0;
    for (uint32_t l = 0; l < w->first[w->place_count]; l++)
        p->waiting[w->links[l].to]++;
    for (uint32_t x = 0; x < w->place_count; x++)
        if (p->waiting[x] == 0)
            w->order[placed++] = x;
    for (uint32_t k = 0; k < placed; k++)
        for (uint32_t l = w->first[w->order[k]]; l < w->first[w->order[k] + 1]; l++)
            if (--p->waiting[w->links[l].to] == 0)
                w->order[placed++] = w->links[l].to;
    return placed == w->place_count;
}

static void link_places(struct packing *p, bool backwards)
{
    struct sl_windows *w = p->w;
    p->backwards = backwards;
    for (size_t x = 0; x < (size_t)w->place_count + 2; x++)
        w->first[x] = 0;
    each_link(p, count_link);
    for (size_t x = 2; x < (size_t)w->place_count + 2; x++)
        w->first[x] += w->first[x - 1];
    each_link(p, put_link);
}

/* Fills w->order with the places as depth-first searches over the links leave them. */
static void order_by_leaving(struct packing *p)
{
    struct sl_windows *w = p->w;
    uint32_t left = 0;
    for (uint32_t x = 0; x < w->place_count; x++)
        p->waiting[x] = SL_NONE;
    for (uint32_t root = 0; root < w->place_count; root++) {
        if (p->waiting[root] != SL_NONE)
            continue;
        uint32_t depth = 0;
        p->waiting[root] = w->first[root];
        p->stack[depth++] = root;
        while (depth > 0) {
            uint32_t x = p->stack[depth - 1];
            if (p->waiting[x] == w->first[x + 1]) {
                w->order[left++] = x;
                depth--;
                continue;
            }
            uint32_t to = w->links[p->waiting[x]++].to;
            if (p->waiting[to] == SL_NONE) {
                p->waiting[to] = w->first[to];
                p->stack[depth++] = to;
            }
        }
    }
}

/* What is reached over the turned links, the place left last first, is a strongly connected
 * component (Sharir 1981). */
static void name_components(struct packing *p)
{
    const struct sl_windows *w = p->w;
    for (uint32_t x = 0; x < w->place_count; x++)
        p->component[x] = SL_NONE;
    for (uint32_t k = w->place_count; k-- > 0;) {
        uint32_t root = w->order[k], depth = 0;
        if (p->component[root] != SL_NONE)
            continue;
        p->component[root] = root;
        p->stack[depth++] = root;
        while (depth > 0) {
            uint32_t x = p->stack[--depth];
            for (uint32_t l = w->first[x]; l < w->first[x + 1]; l++) {
                uint32_t to = w->links[l].to;
                if (p->component[to] != SL_NONE)
                    continue;
                p->component[to] = root;
                p->stack[depth++] = to;
            }
        }
    }
}

/* A fallback that waits for what waits for its primary can only deadlock once it is called: that
 * takeover is on a cycle, so both its ends are in one component.  Such takeovers are left out, and
 * no others.  What else there is has no cycle. */
static void leave_out_impossible(struct packing *p)
{
    const struct sl_windows *w = p->w;
    order_by_leaving(p);
    link_places(p, true);
    name_components(p);
    for (uint32_t i = 0; i < w->graph->node_count; i++)
        if (w->handed[i] != SL_NONE)
            p->impossible[i] = p->component[w->handed[i]] ==
                               p->component[duty_of(w, w->graph->nodes[i].fallback.i)];
}

static bool reserve(struct sl_windows *w)
{
    const struct sl_graph *graph = w->graph;
    size_t n = graph->node_count, places = w->place_count;
    w->ready_ps = sl_arena_array(&w->arena, places + 1, sizeof(int64_t));
    w->latest_start_ps = sl_arena_array(&w->arena, places + 1, sizeof(int64_t));
    w->limit = sl_arena_array(&w->arena, places + 1, sizeof(uint32_t));
    w->order = sl_arena_array(&w->arena, places + 1, sizeof(uint32_t));
    w->before = sl_arena_array(&w->arena, places + 1, sizeof(uint32_t));
    w->first = sl_arena_array(&w->arena, places + 2, sizeof(uint32_t));
    w->links = sl_arena_array(&w->arena, (size_t)graph->edge_count + 3 * n + 1, sizeof *w->links);
    return w->ready_ps && w->latest_start_ps && w->limit && w->order && w->before && w->first &&
           w->links;
}

static bool name_places(struct sl_windows *w)
{
    const struct sl_graph *graph = w->graph;
    size_t size = (size_t)graph->node_count + 1;
    w->handed = sl_arena_array(&w->arena, size, sizeof(uint32_t));
    w->handed_by = sl_arena_array(&w->arena, size, sizeof(uint32_t));
    if (!w->handed || !w->handed_by)
        return false;
    w->place_count = graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        w->handed[i] = graph->nodes[i].fallback.i == SL_NONE ? SL_NONE : w->place_count;
        if (w->handed[i] != SL_NONE)
            w->handed_by[w->place_count++ - graph->node_count] = i;
    }
    return true;
}

static bool reserve_packing(struct packing *p)
{
    size_t nodes = (size_t)p->w->graph->node_count + 1, places = (size_t)p->w->place_count + 1;
    p->lane_previous = sl_arena_array(&p->arena, nodes, sizeof *p->lane_previous);
    p->impossible = sl_arena_array(&p->arena, nodes, sizeof *p->impossible);
    p->waiting = sl_arena_array(&p->arena, places, sizeof *p->waiting);
    p->stack = sl_arena_array(&p->arena, places, sizeof *p->stack);
    p->component = sl_arena_array(&p->arena, places, sizeof *p->component);
    return p->lane_previous && p->impossible && p->waiting && p->stack && p->component &&
           sl_lane_previous(p->w->graph, p->lane_previous);
}

enum sl_status sl_windows_create(struct sl_windows **windows, const struct sl_graph *graph,
                                 struct sl_error *err)
{
    struct sl_windows *w = *windows = calloc(1, sizeof *w);
    struct packing packing = {.w = w};
    if (w)
        w->graph = graph;
    bool ok = w && name_places(w) && reserve(w) && reserve_packing(&packing);
    if (ok) {
        link_places(&packing, false);
        if (!order_places(&packing)) {
            leave_out_impossible(&packing);
            link_places(&packing, false);
            (void)order_places(&packing);
        }
    }
    sl_arena_free(&packing.arena);
    if (ok)
        return SL_OK;
    sl_windows_free(w);
    *windows = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the windows of %u nodes",
                   (unsigned)graph->node_count);
}

void sl_windows_free(struct sl_windows *windows)
{
    if (!windows)
        return;
    sl_arena_free(&windows->arena);
    free(windows);
}
