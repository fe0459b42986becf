/* Legality of time: deadlines and windows that durations leave no room for.
 *
 * An error rests on the least time that each node can take, so that no run is better.  What a guard
 * or a fallback may leave out takes none, and a node with a fallback orders nothing: it is
 * cancelled whatever it still waits for. */
#include <config.h>

#include "legality.h"
#include "units.h"
#include "windows.h"
#include <math.h>
#include <stdlib.h>

bool sl_may_be_left_out(const struct sl_legality *l, uint32_t node)
{
    return l->graph->nodes[node].guards.count > 0 || l->graph->nodes[node].fallback.i != SL_NONE ||
           l->primary[node] != SL_NONE;
}

/* Edges of the order that bind in every run: what a fallback owes in the place of its primary does
 * not, and is the only derived order that is about no object. */
static bool binds(const struct sl_legality *l, uint32_t edge_index)
{
    const struct sl_edge *edge = &l->order->edges[edge_index];
    return edge->next == 0 && (edge_index < l->graph->edge_count || edge->object.i != SL_NONE);
}

double sl_least_time(const struct sl_legality *l, uint32_t index)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_node *node = &graph->nodes[index];
    const double u = 0x1p-54; /* the smallest uniform that is ever drawn */
    if (!node->dist || sl_may_be_left_out(l, index))
        return 0.0;
    /* Of what varies by job, nothing is known for certain but that it is not negative. */
    double scale = node->times ? 0.0 : node->scale;
    double time = sl_dist_value(node->dist, u, u) * (scale + node->latency_scale);
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const struct sl_factor *factor = &graph->factors[f];
        if (!sl_factor_applies(graph, factor, (sl_node_id){index}))
            continue;
        time *= factor->is_regime ? fmin(1.0, factor->level) : sl_dist_value(factor->draw, u, u);
    }
    /* A mixture's components are not ordered by u, so its least value is unknown. */
    return sl_dist_needs_second(node->dist) ? 0.0 : time;
}

void sl_earliest_starts(const struct sl_legality *l, const double *time_ps, double *start_ps)
{
    const struct sl_graph *order = l->order;
    for (uint32_t t = 0; t < order->node_count; t++) {
        uint32_t i = order->topo[t], lane = l->lane_previous[i];
        start_ps[i] = sl_may_be_left_out(l, i) ? 0.0 : (double)order->nodes[i].release_ps;
        if (order->nodes[i].fallback.i != SL_NONE)
            continue;
        if (lane != SL_NONE)
            start_ps[i] = fmax(start_ps[i], start_ps[lane] + time_ps[lane]);
        for (uint32_t k = order->pred_start[i]; k < order->pred_start[i + 1]; k++) {
            const struct sl_edge *edge = &order->edges[order->pred_edges[k]];
            uint32_t from = edge->from.i;
            if (binds(l, order->pred_edges[k]))
                start_ps[i] =
                    fmax(start_ps[i], start_ps[from] + time_ps[from] + (double)edge->lag_ps);
        }
    }
}

void sl_latest_finishes(const struct sl_legality *l, const double *time_ps, double *finish_ps)
{
    const struct sl_graph *order = l->order;
    for (uint32_t t = order->node_count; t-- > 0;) {
        uint32_t i = order->topo[t], lane = l->lane_next[i];
        int64_t deadline = order->nodes[i].deadline_ps;
        finish_ps[i] =
            deadline == INT64_MAX || sl_may_be_left_out(l, i) ? INFINITY : (double)deadline;
        if (order->nodes[i].fallback.i != SL_NONE)
            continue;
        if (lane != SL_NONE && order->nodes[lane].fallback.i == SL_NONE)
            finish_ps[i] = fmin(finish_ps[i], finish_ps[lane] - time_ps[lane]);
        for (uint32_t k = order->succ_start[i]; k < order->succ_start[i + 1]; k++) {
            const struct sl_edge *edge = &order->edges[order->succ_edges[k]];
            uint32_t to = edge->to.i;
            if (binds(l, order->succ_edges[k]) && order->nodes[to].fallback.i == SL_NONE)
                finish_ps[i] =
                    fmin(finish_ps[i], finish_ps[to] - time_ps[to] - (double)edge->lag_ps);
        }
    }
}

static bool any_deadline(const struct sl_graph *graph)
{
    bool any = false;
    for (uint32_t i = 0; i < graph->node_count && !any; i++)
        any = graph->nodes[i].deadline_ps != INT64_MAX;
    return any;
}

/* malloc'ed least finishes of all nodes; NULL: no node has a deadline, or out of memory. */
static double *least_finishes(const struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    size_t nodes = (size_t)graph->node_count + 1;
    if (!any_deadline(graph))
        return NULL;
    double *finish = malloc(nodes * sizeof *finish), *time = malloc(nodes * sizeof *time);
    if (finish && time) {
        for (uint32_t i = 0; i < graph->node_count; i++)
            time[i] = sl_least_time(l, i);
        sl_earliest_starts(l, time, finish);
        for (uint32_t i = 0; i < graph->node_count; i++)
            finish[i] += time[i];
    }
    free(time);
    return finish;
}

/* True when no run meets the node's deadline; half a tick each way is rounding. */
static bool hopeless(const struct sl_legality *l, const double *least_finish, uint32_t node)
{
    int64_t deadline = l->graph->nodes[node].deadline_ps;
    return deadline != INT64_MAX && least_finish[node] > (double)deadline + 1.0;
}

/* The time in three digits, none of which says less than it is. */
static char *format_at_least(char *text, size_t size, double ps)
{
    double step = ps > 1000 ? pow(10, floor(log10(ps)) - 2) : 1;
    return sl_format_time(text, size, step * ceil(ps / step));
}

void sl_check_deadlines(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    double *finish = least_finishes(l);
    for (uint32_t i = 0; finish && i < graph->node_count; i++) {
        char deadline[32], bound[32], later[32];
        double deadline_ps = (double)graph->nodes[i].deadline_ps;
        if (!hopeless(l, finish, i))
            continue;
        sl_report_node(
            l, i, "node '%s' has its deadline at %s; precedence alone takes it to %s, %s later",
            graph->nodes[i].name, sl_format_time(deadline, sizeof deadline, deadline_ps),
            format_at_least(bound, sizeof bound, finish[i]),
            sl_format_time(later, sizeof later, finish[i] - deadline_ps));
        sl_diags_suggest(l->diags, "set the deadline of '%s' to %s or later, or give it a fallback",
                         graph->nodes[i].name, bound);
    }
    free(finish);
}

/* At means: r + d past the deadline of the node itself.  Nodes before it on the way have negative
 * slack too; one line for the deadline says it once. */
static void report_negative(struct sl_legality *l, const struct sl_windows *windows,
                            const int64_t *time_ps, uint32_t node)
{
    const struct sl_graph *graph = l->graph;
    uint32_t narrow = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        narrow += windows->limit[i] == node && windows->latest_start_ps[i] < windows->ready_ps[i];
    char slack[32], ready[32], time[32], deadline[32];
    double lacks = (double)windows->ready_ps[node] + (double)time_ps[node] -
                   (double)graph->nodes[node].deadline_ps;
    sl_report_node(
        l, node,
        "node '%s' has a negative window: at mean durations it is ready at %s and takes %s, but is "
        "due at %s (slack -%s; %u node%s up to it %s too late)",
        graph->nodes[node].name,
        sl_format_time(ready, sizeof ready, (double)windows->ready_ps[node]),
        sl_format_time(time, sizeof time, (double)time_ps[node]),
        sl_format_time(deadline, sizeof deadline, (double)graph->nodes[node].deadline_ps),
        sl_format_time(slack, sizeof slack, lacks), narrow, narrow == 1 ? "" : "s",
        narrow == 1 ? "is" : "are");
    sl_diags_suggest(
        l->diags,
        "give '%s' a fallback, a deadline %s later, or less to wait for: 'run' tells how "
        "often it is missed",
        graph->nodes[node].name, slack);
}

static void judge_windows(struct sl_legality *l, struct sl_windows *windows, int64_t *time_ps,
                          uint8_t *roles, const double *least_finish)
{
    const struct sl_graph *graph = l->graph;
    sl_windows_means(graph, time_ps, roles);
    sl_windows_latest(windows, time_ps, roles, sl_windows_ready(windows, time_ps, roles));
    for (uint32_t i = 0; i < graph->node_count; i++) {
        int64_t deadline = graph->nodes[i].deadline_ps;
        double finish = (double)windows->ready_ps[i] + (double)time_ps[i];
        if (deadline != INT64_MAX && !sl_may_be_left_out(l, i) && finish > (double)deadline + 1.0 &&
            !hopeless(l, least_finish, i))
            report_negative(l, windows, time_ps, i);
    }
}

/* The graph with its data flow; fallbacks are the windows' own business. */
static enum sl_status with_flow(const struct sl_legality *l, struct sl_graph **flow,
                                struct sl_error *err)
{
    *flow = sl_graph_copy_edges(l->graph);
    enum sl_status status = *flow ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for windows");
    for (uint32_t e = l->graph->edge_count; e < l->order->edge_count && status == SL_OK; e++)
        if (binds(l, e))
            status = sl_graph_add_edge(*flow, &l->order->edges[e], err);
    return status == SL_OK ? sl_graph_finish(*flow, err) : status;
}

void sl_check_windows(struct sl_legality *l)
{
    size_t nodes = (size_t)l->graph->node_count + 1;
    struct sl_windows *windows = NULL;
    struct sl_graph *flow = NULL;
    struct sl_error err = {0};
    double *least_finish = least_finishes(l);
    int64_t *time_ps = malloc(nodes * sizeof *time_ps);
    uint8_t *roles = malloc(nodes * sizeof *roles);
    if (least_finish && time_ps && roles && with_flow(l, &flow, &err) == SL_OK &&
        sl_windows_create(&windows, flow, &err) == SL_OK)
        judge_windows(l, windows, time_ps, roles, least_finish);
    sl_windows_free(windows);
    sl_graph_free(flow);
    free(least_finish);
    free(time_ps);
    free(roles);
}
