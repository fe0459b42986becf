/* The critical path method: readiness is pushed along the links in topological order, latest starts
 * are pulled along them in the reverse. */
#include <config.h>

#include "evictor.h"
#include "windows.h"
#include <math.h>

#define UNBOUND INT64_MAX /* as in a node's deadline: no required finish, so no latest start */

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
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
        mean = sl_dist_quantile(node->dist, 0.5) *
               (sl_node_mean_scale(node) + node->latency_scale);
    return mean > 0 ? (mean < 0x1p62 ? llround(mean) : INT64_C(1) << 62) : 0;
}

void sl_windows_means(const struct sl_graph *graph, int64_t *duration_ps, uint8_t *roles)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        duration_ps[i] = mean_ps(graph, i);
        roles[i] = sl_node_is_latent(graph, i) ? SL_WINDOW_PASSES : SL_WINDOW_RUNS;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            roles[graph->nodes[i].fallback.i] = SL_WINDOW_PASSES;
}
