/* The critical path method over nodes, lanes and fallbacks.
 *
 *     primary ----(runs)----> handed on ----> successors      A fallback's place is its own
 *     fallback --(replaced)----^                              `handed on` where it names one too
 *
 * One list of links serves both directions: readiness is pushed along it in topological order,
 * latest starts are pulled along it in the reverse. */
#include <config.h>

#include "graph_cycle.h"
#include "windows.h"
#include <math.h>
#include <stdlib.h>

#define UNBOUND INT64_MAX /* as in a node's deadline: no required finish, so no latest start */

struct sl_window_link {
    int64_t lag_ps;
    uint32_t to; /* a place */
};

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

/* The place that stands for all of what `node` owes its successors. */
static uint32_t duty_of(const struct sl_windows *w, uint32_t node)
{
    return w->handed[node] == SL_NONE ? node : w->handed[node];
}

/* Calls `visit` for every link; `takeovers`: also for those by which a fallback takes over. */
static void each_link(struct sl_windows *w, const uint32_t *lane_previous, bool takeovers,
                      void (*visit)(struct sl_windows *w, uint32_t from, uint32_t to, int64_t lag))
{
    const struct sl_graph *graph = w->graph;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (edge->next > 0)
            continue;
        bool own_way = edge->to.i == graph->nodes[edge->from.i].fallback.i;
        visit(w, own_way ? edge->from.i : duty_of(w, edge->from.i), edge->to.i, edge->lag_ps);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (lane_previous[i] != SL_NONE)
            visit(w, lane_previous[i], i, 0);
        if (w->handed[i] == SL_NONE)
            continue;
        visit(w, i, w->handed[i], 0);
        if (takeovers)
            visit(w, duty_of(w, graph->nodes[i].fallback.i), w->handed[i], 0);
    }
}

/* Counts are kept two places ahead, so that filling leaves each list's start in its place. */
static void count_link(struct sl_windows *w, uint32_t from, uint32_t to, int64_t lag)
{
    (void)to;
    (void)lag;
    w->first[from + 2]++;
}

static void put_link(struct sl_windows *w, uint32_t from, uint32_t to, int64_t lag)
{
    w->links[w->first[from + 1]++] = (struct sl_window_link){.lag_ps = lag, .to = to};
}

/* Kahn's algorithm; false when some places wait for each other. */
static bool order_places(struct sl_windows *w, uint32_t *waiting)
{
    uint32_t links = w->first[w->place_count], placed = 0;
    for (uint32_t x = 0; x < w->place_count; x++)
        waiting[x] = 0;
    for (uint32_t l = 0; l < links; l++)
        waiting[w->links[l].to]++;
    for (uint32_t x = 0; x < w->place_count; x++)
        if (waiting[x] == 0)
            w->order[placed++] = x;
    for (uint32_t k = 0; k < placed; k++)
        for (uint32_t l = w->first[w->order[k]]; l < w->first[w->order[k] + 1]; l++)
            if (--waiting[w->links[l].to] == 0)
                w->order[placed++] = w->links[l].to;
    return placed == w->place_count;
}

static bool link_places(struct sl_windows *w, const uint32_t *lane_previous, uint32_t *waiting,
                        bool takeovers)
{
    for (size_t x = 0; x < (size_t)w->place_count + 2; x++)
        w->first[x] = 0;
    each_link(w, lane_previous, takeovers, count_link);
    for (size_t x = 2; x < (size_t)w->place_count + 2; x++)
        w->first[x] += w->first[x - 1];
    each_link(w, lane_previous, takeovers, put_link);
    return order_places(w, waiting);
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

enum sl_status sl_windows_create(struct sl_windows **windows, const struct sl_graph *graph,
                                 struct sl_error *err)
{
    size_t size = ((size_t)graph->node_count + 1) * sizeof(uint32_t);
    struct sl_windows *w = *windows = calloc(1, sizeof *w);
    uint32_t *lane_previous = malloc(size), *waiting = malloc(2 * size);
    bool ok = w && lane_previous && waiting && sl_lane_previous(graph, lane_previous);
    if (ok) {
        w->graph = graph;
        ok = name_places(w) && reserve(w);
    }
    /* A fallback that waits for what waits for its primary can only deadlock once it is called:
     * then takeovers stay out of the order, and out of the windows. */
    if (ok && !link_places(w, lane_previous, waiting, true))
        (void)link_places(w, lane_previous, waiting, false);
    free(lane_previous);
    free(waiting);
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

static enum sl_window_role role_of(const uint8_t *roles, uint32_t node)
{
    return roles ? (enum sl_window_role)roles[node] : SL_WINDOW_RUNS;
}

/* Whether the link from place `from` to place `to` holds while nodes play these roles. */
static bool binds(const struct sl_windows *w, const uint8_t *roles, uint32_t from, uint32_t to)
{
    uint32_t n = w->graph->node_count;
    if (to < n)
        return role_of(roles, to) != SL_WINDOW_REPLACED;
    uint32_t primary = w->handed_by[to - n];
    bool replaced = role_of(roles, primary) == SL_WINDOW_REPLACED;
    return from == primary ? !replaced : replaced;
}

static bool runs(const struct sl_windows *w, const uint8_t *roles, uint32_t place)
{
    return place < w->graph->node_count && role_of(roles, place) == SL_WINDOW_RUNS;
}

int64_t sl_windows_ready(struct sl_windows *w, const int64_t *duration_ps, const uint8_t *roles)
{
    const struct sl_graph *graph = w->graph;
    int64_t *ready = w->ready_ps, last = 0;
    for (uint32_t x = 0; x < w->place_count; x++)
        ready[x] = runs(w, roles, x) ? graph->nodes[x].release_ps : 0;
    for (uint32_t k = 0; k < w->place_count; k++) {
        uint32_t x = w->order[k];
        int64_t done = plus(ready[x], (runs(w, roles, x) ? duration_ps[x] : 0));
        last = done > last ? done : last;
        for (uint32_t l = w->first[x]; l < w->first[x + 1]; l++) {
            const struct sl_window_link *link = &w->links[l];
            int64_t at = plus(done, link->lag_ps);
            if (at > ready[link->to] && binds(w, roles, x, link->to))
                ready[link->to] = at;
        }
    }
    return last;
}

/* The place's own deadline.  That of a node with a fallback stands where the duty is handed on. */
static int64_t own_deadline(const struct sl_windows *w, const uint8_t *roles, uint32_t place,
                            uint32_t *node)
{
    uint32_t n = w->graph->node_count;
    *node = place < n ? place : w->handed_by[place - n];
    if ((place < n && w->handed[place] != SL_NONE) || role_of(roles, *node) == SL_WINDOW_PASSES)
        return UNBOUND;
    return w->graph->nodes[*node].deadline_ps;
}

void sl_windows_latest(struct sl_windows *w, const int64_t *duration_ps, const uint8_t *roles,
                       int64_t end_ps)
{
    for (uint32_t k = w->place_count; k > 0; k--) {
        uint32_t x = w->order[k - 1], limit;
        int64_t finish = own_deadline(w, roles, x, &limit);
        for (uint32_t l = w->first[x]; l < w->first[x + 1]; l++) {
            const struct sl_window_link *link = &w->links[l];
            int64_t start = w->latest_start_ps[link->to];
            if (start == UNBOUND || plus(start, -link->lag_ps) >= finish ||
                !binds(w, roles, x, link->to))
                continue;
            finish = plus(start, -link->lag_ps);
            limit = w->limit[link->to];
        }
        if (finish == UNBOUND) {
            limit = SL_NONE;
            if (runs(w, roles, x))
                finish = end_ps;
        }
        w->limit[x] = limit;
        w->latest_start_ps[x] = runs(w, roles, x) ? plus(finish, -duration_ps[x]) : finish;
    }
}

int64_t sl_windows_critical_path(struct sl_windows *w, const int64_t *duration_ps,
                                 const uint8_t *roles, sl_node_id *path, uint32_t *count)
{
    uint32_t n = w->graph->node_count, last = SL_NONE, found = 0;
    int64_t *begin = w->ready_ps, longest = -1;
    for (uint32_t x = 0; x < w->place_count; x++) {
        begin[x] = 0;
        w->before[x] = SL_NONE;
    }
    for (uint32_t k = 0; k < w->place_count; k++) {
        uint32_t x = w->order[k];
        int64_t end = plus(begin[x], (runs(w, roles, x) ? duration_ps[x] : 0));
        if (end > longest) {
            longest = end;
            last = x;
        }
        for (uint32_t l = w->first[x]; l < w->first[x + 1]; l++) {
            const struct sl_window_link *link = &w->links[l];
            int64_t at = plus(end, link->lag_ps);
            if ((at > begin[link->to] || w->before[link->to] == SL_NONE) &&
                binds(w, roles, x, link->to)) {
                begin[link->to] = at;
                w->before[link->to] = x;
            }
        }
    }
    for (uint32_t x = last; path && x != SL_NONE; x = w->before[x])
        if (x < n && role_of(roles, x) == SL_WINDOW_RUNS)
            path[found++].i = x;
    for (uint32_t a = 0; a < found / 2; a++) {
        sl_node_id swap = path[a];
        path[a] = path[found - 1 - a];
        path[found - 1 - a] = swap;
    }
    if (count)
        *count = found;
    return longest > 0 ? longest : 0;
}

static int64_t mean_ps(const struct sl_graph *graph, uint32_t index)
{
    const struct sl_node *node = &graph->nodes[index];
    double mean = sl_node_mean_hold(graph, (sl_node_id){index}) +
                  sl_node_mean_latency(graph, (sl_node_id){index});
    if (!isfinite(mean) && node->dist)
        mean = sl_dist_quantile(node->dist, 0.5) * (node->scale + node->latency_scale);
    return mean > 0 ? (mean < 0x1p62 ? llround(mean) : INT64_C(1) << 62) : 0;
}

void sl_windows_means(const struct sl_graph *graph, int64_t *duration_ps, uint8_t *roles)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        duration_ps[i] = mean_ps(graph, i);
        roles[i] = SL_WINDOW_RUNS;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            roles[graph->nodes[i].fallback.i] = SL_WINDOW_PASSES;
}
