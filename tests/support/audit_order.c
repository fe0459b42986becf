/* Audit of order: nobody starts before what it waits for, takes more units than there are, or runs
 * beside what it must not run beside; guards and fallbacks mean what they say. */
#include <config.h>

#include "record_audit.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void audit_fault(struct audit *a, const char *format, ...)
{
    va_list args;
    if (a->fault[0])
        return;
    va_start(args, format);
    vsnprintf(a->fault, sizeof a->fault, format, args);
    va_end(args);
}

static const char *name(const struct audit *a, uint32_t node)
{
    return a->graph->nodes[node].name;
}

/* When the duty of `node` towards `successor` was done: a cancelled node's is its fallback's,
 * except towards that fallback itself.  -1: never. */
static int64_t done_ps(const struct audit *a, uint32_t node, uint32_t successor)
{
    int64_t latest = -1;
    for (;;) {
        if (a->trial->state[node] == SL_UNFINISHED)
            return -1;
        if (a->trial->finish_ps[node] > latest)
            latest = a->trial->finish_ps[node];
        uint32_t fallback = a->graph->nodes[node].fallback.i;
        if (a->trial->state[node] != SL_CANCELLED || fallback == successor)
            return latest;
        node = fallback;
    }
}

/* Started (or, if skipped, passed) no earlier than its predecessors, lane and release allow. */
static void check_precedence(struct audit *a, const uint32_t *lane_before)
{
    const struct sl_graph *g = a->graph;
    for (uint32_t i = 0; i < g->node_count; i++) {
        uint8_t state = a->trial->state[i];
        if (state != SL_RAN && state != SL_SKIPPED)
            continue;
        int64_t began = state == SL_RAN ? a->trial->start_ps[i] : a->trial->finish_ps[i];
        for (uint32_t k = g->pred_start[i]; k < g->pred_start[i + 1]; k++) {
            const struct sl_edge *edge = &g->edges[g->pred_edges[k]];
            if (edge->next)
                continue;
            int64_t done = done_ps(a, edge->from.i, i);
            if (done < 0 || began < done + edge->lag_ps)
                audit_fault(a, "'%s' went on at %lld ps, before '%s' was done at %lld", name(a, i),
                            (long long)began, name(a, edge->from.i), (long long)done);
        }
        if (lane_before[i] != SL_NONE && (a->trial->state[lane_before[i]] == SL_UNFINISHED ||
                                          began < a->trial->finish_ps[lane_before[i]]))
            audit_fault(a, "'%s' overtook '%s' in its lane", name(a, i), name(a, lane_before[i]));
        if (state == SL_RAN && (began < g->nodes[i].release_ps || began < a->trial->ready_ps[i]))
            audit_fault(a, "'%s' started before its release or before it was ready", name(a, i));
    }
}

/* Contention only slows down; rounding is to a picosecond at every change of the running set. */
static void check_durations(struct audit *a)
{
    for (uint32_t i = 0; i < a->graph->node_count; i++)
        if (audit_ran(a, i) && (a->trial->free_ps[i] - a->trial->start_ps[i] <
                                    a->trial->duration_ps[i] - (int64_t)a->graph->node_count ||
                                a->trial->finish_ps[i] < a->trial->free_ps[i]))
            audit_fault(a, "'%s' was done faster than its duration", name(a, i));
}

/* ---- who runs beside whom -------------------------------------------------------------------- */

static bool is_called(const struct audit *a, uint32_t node, const char *text)
{
    uint32_t klass = a->graph->nodes[node].klass;
    return strcmp(name(a, node), text) == 0 ||
           (klass != SL_NONE && strcmp(a->graph->platform->kappa.classes.names[klass], text) == 0);
}

static uint64_t groups(const struct audit *a, uint32_t node)
{
    uint64_t all = 0;
    struct sl_span demands = a->graph->nodes[node].demands;
    for (uint32_t k = 0; k < demands.count; k++)
        all |= a->graph->platform->resources[a->graph->demands[demands.first + k].resource].groups;
    return all;
}

/* A row of the table that says what `other` alone does to `victim`. */
static bool has_evidence(const struct sl_kappa *kappa, uint32_t victim, uint32_t other)
{
    for (uint32_t r = 0; r < kappa->row_count; r++)
        if (kappa->rows[r].victim == victim && kappa->rows[r].set_size == 1 &&
            kappa->rows[r].set[0] == other)
            return true;
    return false;
}

/* `y` started while `x` held its units. */
static bool may_run_together(const struct audit *a, uint32_t x, uint32_t y)
{
    const struct sl_graph *g = a->graph;
    const struct sl_kappa *kappa = &g->platform->kappa;
    int64_t t = a->trial->start_ps[y];
    for (uint32_t r = 0; r < g->overlap_count; r++) {
        const struct sl_overlap *row = &g->overlaps[r];
        bool permitted = row->allowed && row->earliest_ps <= t && t <= row->latest_ps;
        if (!permitted && ((is_called(a, x, row->a) && is_called(a, y, row->b)) ||
                           (is_called(a, x, row->b) && is_called(a, y, row->a))))
            return false;
    }
    uint32_t cx = g->nodes[x].klass, cy = g->nodes[y].klass;
    return kappa->unknown != SL_UNKNOWN_FORBID || cx == SL_NONE || cy == SL_NONE ||
           !(groups(a, x) & groups(a, y)) ||
           (has_evidence(kappa, cx, cy) && has_evidence(kappa, cy, cx));
}

static void add_units(const struct audit *a, uint32_t node, int64_t sign, int64_t *used)
{
    struct sl_span demands = a->graph->nodes[node].demands;
    for (uint32_t k = 0; k < demands.count; k++)
        used[a->graph->demands[demands.first + k].resource] +=
            sign * a->graph->demands[demands.first + k].units;
}

static const struct audit *sorting; /* qsort has no argument for it */

static int compare_starts(const void *x, const void *y)
{
    int64_t a = sorting->trial->start_ps[*(const uint32_t *)x];
    int64_t b = sorting->trial->start_ps[*(const uint32_t *)y];
    return a < b ? -1 : a > b;
}

/* Sweeps over the starts with the set of nodes that hold their units then. */
static void check_running_sets(struct audit *a)
{
    const struct sl_platform *platform = a->graph->platform;
    uint32_t *order = malloc((a->graph->node_count + 1u) * sizeof *order);
    uint32_t *running = malloc((a->graph->node_count + 1u) * sizeof *running);
    int64_t *used = calloc(platform->resource_names.count + 1u, sizeof *used);
    uint32_t count = 0, active = 0;
    for (uint32_t i = 0; i < a->graph->node_count; i++)
        if (audit_ran(a, i) && a->trial->free_ps[i] > a->trial->start_ps[i])
            order[count++] = i;
    sorting = a;
    qsort(order, count, sizeof *order, compare_starts);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t node = order[k], kept = 0;
        for (uint32_t r = 0; r < active; r++)
            if (a->trial->free_ps[running[r]] > a->trial->start_ps[node])
                running[kept++] = running[r];
            else
                add_units(a, running[r], -1, used);
        active = kept;
        for (uint32_t r = 0; r < active; r++)
            if (!may_run_together(a, running[r], node))
                audit_fault(a, "'%s' and '%s' ran together", name(a, running[r]), name(a, node));
        running[active++] = node;
        add_units(a, node, 1, used);
        for (uint32_t r = 0; r < platform->resource_names.count; r++)
            if (platform->resources[r].servers != SL_UNLIMITED &&
                used[r] > platform->resources[r].servers)
                audit_fault(a, "with '%s' more units of '%s' ran than there are", name(a, node),
                            platform->resource_names.names[r]);
    }
    free(order);
    free(running);
    free(used);
}

/* ---- guards and fallbacks -------------------------------------------------------------------- */

/* The two nodes have a guard of one draw, of which one needs that it holds and the other that it
 * fails. */
static bool exclude(const struct audit *a, uint32_t i, struct sl_guard_term p, uint32_t k,
                    struct sl_guard_term q)
{
    const struct sl_node *x = &a->graph->nodes[i], *y = &a->graph->nodes[k];
    if (p.guard != q.guard || p.negated == q.negated)
        return false;
    enum sl_scope scope = a->graph->guards[p.guard].scope;
    return scope == SL_SCOPE_JOB ||
           (scope != SL_SCOPE_NODE && audit_iteration(a, i) == audit_iteration(a, k) &&
            (scope != SL_SCOPE_LAYER || x->layer == y->layer));
}

static void check_guards(struct audit *a)
{
    const struct sl_graph *g = a->graph;
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            struct sl_span x = g->nodes[i].guards, y = g->nodes[k].guards;
            bool apart = false;
            for (uint32_t p = 0; p < x.count; p++)
                for (uint32_t q = 0; q < y.count; q++)
                    apart |=
                        exclude(a, i, g->guard_terms[x.first + p], k, g->guard_terms[y.first + q]);
            if (apart && audit_ran(a, i) && audit_ran(a, k))
                audit_fault(a, "'%s' and '%s' ran, whose guards exclude each other", name(a, i),
                            name(a, k));
        }
}

/* A node with a fallback starts by deadline - isolated mean or is cancelled; its fallback runs in
 * its stead and only then. */
static void check_fallback(struct audit *a, uint32_t primary)
{
    const struct sl_graph *g = a->graph;
    const struct sl_node *node = &g->nodes[primary];
    uint32_t fallback = node->fallback.i;
    uint8_t state = a->trial->state[primary];
    double mean = sl_node_mean_hold(g, (sl_node_id){primary}) +
                  sl_node_mean_latency(g, (sl_node_id){primary});
    if (state == SL_RAN && node->deadline_ps != INT64_MAX &&
        (double)a->trial->start_ps[primary] > fmax(0.0, (double)node->deadline_ps - mean) + 1.0)
        audit_fault(a, "'%s' started after its latest start", name(a, primary));
    if (state == SL_RAN &&
        (a->trial->state[fallback] == SL_RAN || a->trial->state[fallback] == SL_CANCELLED))
        audit_fault(a, "'%s' ran and its fallback was not skipped", name(a, primary));
    if (state == SL_CANCELLED && a->trial->state[fallback] == SL_SKIPPED)
        audit_fault(a, "'%s' was cancelled and its fallback skipped", name(a, primary));
}

/* In a trial that came to its end everything ran but what a guard or a fallback left out. */
static void check_states(struct audit *a)
{
    const struct sl_graph *g = a->graph;
    bool *stands_by = calloc(g->node_count + 1u, sizeof *stands_by);
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].fallback.i != SL_NONE)
            stands_by[g->nodes[i].fallback.i] = true;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct sl_node *node = &g->nodes[i];
        uint8_t state = a->trial->state[i];
        if (state == SL_UNFINISHED && a->trial->outcome == SL_DONE)
            audit_fault(a, "'%s' never ended", name(a, i));
        if (state == SL_SKIPPED && node->guards.count == 0 && !stands_by[i])
            audit_fault(a, "'%s' was skipped without a reason", name(a, i));
        if (state == SL_CANCELLED && node->fallback.i == SL_NONE)
            audit_fault(a, "'%s' was cancelled and has no fallback", name(a, i));
        if (node->fallback.i != SL_NONE)
            check_fallback(a, i);
    }
    free(stands_by);
}

void audit_order(struct audit *a)
{
    const struct sl_graph *g = a->graph;
    uint32_t *last = malloc((g->lane_names.count + 1u) * sizeof *last);
    uint32_t *before = malloc((g->node_count + 1u) * sizeof *before);
    for (uint32_t l = 0; l < g->lane_names.count; l++)
        last[l] = SL_NONE;
    for (uint32_t i = 0; i < g->node_count; i++) {
        before[i] = SL_NONE;
        if (g->nodes[i].lane != SL_NONE) {
            before[i] = last[g->nodes[i].lane];
            last[g->nodes[i].lane] = i;
        }
    }
    check_precedence(a, before);
    check_durations(a);
    check_running_sets(a);
    check_guards(a);
    check_states(a);
    free(last);
    free(before);
}
