/* Bytes in each domain at the measured times: what works take at their start and give back at their
 * end is the plan's, when they did is the measurement's.  A node that is in no timeline (a
 * reclamation) takes place when all that it waits for has ended.  Releases of an instant come
 * before what is taken then, as in the simulator. */
#include "config.h"

#include "measuring.h"
#include "record_shape.h"
#include <stdlib.h>
#include <string.h>

struct moment {
    int64_t t;
    uint32_t node;
    bool begins;
};

struct peaks {
    struct sl_measuring *measure;
    const struct sl_graph *graph;
    int64_t *from_ps, *to_ps; /* by node */
    int64_t *lane_ps;         /* by lane: end of its last node */
    struct moment *moments;
    bool *held;            /* by holding */
    int64_t *level, *peak; /* by domain */
};

static bool take_memory(struct peaks *p)
{
    struct sl_arena *arena = &p->measure->arena;
    const struct sl_graph *graph = p->graph;
    size_t nodes = (size_t)graph->node_count + 1, holdings = (size_t)graph->holding_count + 1;
    size_t domains = (size_t)graph->platform->domain_names.count + 1;
    size_t lanes = (size_t)graph->lane_names.count + 1;
    p->from_ps = sl_arena_array(arena, nodes, sizeof *p->from_ps);
    p->to_ps = sl_arena_array(arena, nodes, sizeof *p->to_ps);
    p->lane_ps = sl_arena_array(arena, lanes, sizeof *p->lane_ps);
    p->moments = sl_arena_array(arena, 2 * nodes, sizeof *p->moments);
    p->held = sl_arena_array(arena, holdings, sizeof *p->held);
    p->level = sl_arena_array(arena, domains, sizeof *p->level);
    p->peak = sl_arena_array(arena, domains, sizeof *p->peak);
    return p->from_ps && p->to_ps && p->lane_ps && p->moments && p->held && p->level && p->peak;
}

/* ---- times -------------------------------------------------------------------------------------
 */

/* False: a planned work was not seen in this run. */
static bool take_times(struct peaks *p, const struct sl_realized_run *run)
{
    const struct sl_planned *planned = p->measure->planned;
    for (uint32_t i = 0; i < p->graph->node_count; i++)
        p->from_ps[i] = p->to_ps[i] = -1;
    for (uint32_t k = 0; k < run->count; k++) {
        const struct sl_realized_work *work = &p->measure->realized->works[run->first + k];
        uint32_t w = p->measure->work_of[work->name];
        if (w == SL_NONE)
            continue;
        p->from_ps[planned->works[w].node] = work->from_ps;
        p->to_ps[planned->works[w].node] = work->to_ps;
    }
    for (uint32_t w = 0; w < planned->count; w++)
        if (p->from_ps[planned->works[w].node] < 0)
            return false;
    return true;
}

/* When all that the node waits for has ended. */
static int64_t ready_ps(const struct peaks *p, uint32_t node)
{
    const struct sl_graph *graph = p->graph;
    int64_t ready = 0;
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        int64_t end = edge->next > 0 ? 0 : p->to_ps[edge->from.i] + edge->lag_ps;
        ready = end > ready ? end : ready;
    }
    uint32_t lane = graph->nodes[node].lane;
    return lane != SL_NONE && p->lane_ps[lane] > ready ? p->lane_ps[lane] : ready;
}

static void fill_times(struct peaks *p)
{
    const struct sl_graph *graph = p->graph;
    memset(p->lane_ps, 0, graph->lane_names.count * sizeof *p->lane_ps);
    for (uint32_t k = 0; k < graph->node_count; k++) {
        uint32_t node = graph->topo[k];
        if (p->from_ps[node] < 0) {
            p->from_ps[node] = ready_ps(p, node);
            p->to_ps[node] = p->from_ps[node];
            if (graph->nodes[node].dist) /* time that passes on no resource */
                p->to_ps[node] += (int64_t)sl_node_mean_hold(graph, (sl_node_id){node});
        }
        if (graph->nodes[node].lane != SL_NONE)
            p->lane_ps[graph->nodes[node].lane] = p->to_ps[node];
    }
}

/* ---- levels ------------------------------------------------------------------------------------
 */

static int by_time(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->t != b->t)
        return a->t < b->t ? -1 : 1;
    if (a->begins != b->begins)
        return a->begins ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

static int64_t bytes_of(const struct peaks *p, uint32_t holding)
{
    const struct sl_holding *h = &p->graph->holdings[holding];
    return h->kind == SL_HOLD_OBJECT
               ? sl_rounded_bytes(h->bytes, p->graph->platform->domains[h->domain].rounding)
               : h->bytes;
}

static void hold(struct peaks *p, struct sl_span span, bool held)
{
    for (uint32_t k = 0; k < span.count; k++) {
        uint32_t h = p->graph->holdings_pool[span.first + k];
        if (p->held[h] == held)
            continue;
        p->held[h] = held;
        p->level[p->graph->holdings[h].domain] += held ? bytes_of(p, h) : -bytes_of(p, h);
    }
}

static void add_workspace(struct peaks *p, struct sl_span span, int64_t sign)
{
    for (uint32_t k = 0; k < span.count; k++) {
        const struct sl_amount *amount = &p->graph->amounts[span.first + k];
        p->level[amount->domain] += sign * amount->bytes;
    }
}

static void note_peaks(struct peaks *p)
{
    for (uint32_t d = 0; d < p->graph->platform->domain_names.count; d++)
        p->peak[d] = p->level[d] > p->peak[d] ? p->level[d] : p->peak[d];
}

/* What works of one instant take and give back at once never meets a limit in between; what takes
 * no time gives back what it took. */
static void sweep(struct peaks *p)
{
    const struct sl_graph *graph = p->graph;
    uint32_t count = 0;
    memset(p->level, 0, graph->platform->domain_names.count * sizeof *p->level);
    memset(p->held, 0, graph->holding_count * sizeof *p->held);
    for (uint32_t h = 0; h < graph->holding_count; h++)
        if (graph->holdings[h].initial) {
            p->held[h] = true;
            p->level[graph->holdings[h].domain] += bytes_of(p, h);
        }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        p->moments[count++] = (struct moment){p->from_ps[i], i, true};
        if (p->to_ps[i] > p->from_ps[i])
            p->moments[count++] = (struct moment){p->to_ps[i], i, false};
        else if (graph->nodes[i].gives.count > 0 && graph->nodes[i].takes.count == 0)
            p->moments[count - 1].begins = false; /* a reclamation */
    }
    qsort(p->moments, count, sizeof *p->moments, by_time);
    note_peaks(p);
    for (uint32_t k = 0; k < count; k++) {
        const struct sl_node *node = &graph->nodes[p->moments[k].node];
        if (p->moments[k].begins) {
            hold(p, node->takes, true);
            add_workspace(p, node->workspace, 1);
            note_peaks(p);
        }
        bool ends =
            !p->moments[k].begins || p->to_ps[p->moments[k].node] == p->from_ps[p->moments[k].node];
        if (ends) {
            hold(p, node->gives, false);
            if (p->moments[k].begins ||
                p->to_ps[p->moments[k].node] > p->from_ps[p->moments[k].node])
                add_workspace(p, node->workspace, -1);
        }
    }
}

enum sl_status sl_measuring_peaks(struct sl_measuring *measure, struct sl_error *err)
{
    struct peaks p = {.measure = measure, .graph = measure->planned->graph};
    const struct sl_realized *realized = measure->realized;
    const struct sl_names *domains = &p.graph->platform->domain_names;
    struct sl_record *record = measure->record;
    uint32_t seen = 0;
    if (!take_memory(&p))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t r = 0; r < realized->run_count && !p.graph->evictor; r++) {
        if (!take_times(&p, &realized->runs[r]))
            continue;
        fill_times(&p);
        sweep(&p);
        seen++;
    }
    for (uint32_t d = 0; seen > 0 && d < domains->count; d++) {
        struct sl_record_peak *peak =
            sl_record_add(record, &record->measured.peaks, &sl_shape_peak);
        if (!peak)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        peak->domain = sl_arena_strdup(&record->arena, domains->names[d]);
        peak->bytes = (double)p.peak[d];
        if (!peak->domain)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    return SL_OK;
}
