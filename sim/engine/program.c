/* Packing a finished graph: successor lists with lane order, readiness templates, guards of
 * fallbacks.  The other program_*.c files add resources, bytes, contention, keys and draws. */
#include "evictor.h"
#include "common.h"
#include "plain.h"
#include <stdlib.h>

static const char *const cause_names[SL_CAUSES] = {
    "data",  "storage",  "ordering", "lifetime", "barrier", "lane",    "release",
    "queue", "capacity", "overlap",  "guard",    "lag",     "arrival", "none"};

const char *sl_cause_name(enum sl_cause cause)
{
    return cause_names[cause];
}

const struct sl_graph *sl_program_graph(const struct sl_program *program)
{
    return program->graph;
}

/* A barrier makes no data: whoever waits for one waits at a rendezvous. */
static uint8_t edge_cause(const struct sl_graph *g, const struct sl_edge *edge)
{
    switch (edge->type) {
    case SL_EDGE_DATA:
        return g->nodes[edge->from.i].kind == SL_BARRIER ? SL_CAUSE_BARRIER : SL_CAUSE_DATA;
    case SL_EDGE_STORAGE:
        return SL_CAUSE_STORAGE;
    case SL_EDGE_ORDERING:
        return SL_CAUSE_ORDERING;
    case SL_EDGE_LIFETIME:
        return SL_CAUSE_LIFETIME;
    case SL_EDGE_BARRIER:
        return SL_CAUSE_BARRIER;
    default:
        return SL_CAUSE_CAPACITY;
    }
}

/* Lane order is row order: calls `visit` for each pair of neighbours in a lane. */
static bool each_lane_pair(struct sl_program *p,
                           void (*visit)(struct sl_program *, uint32_t from, uint32_t to))
{
    const struct sl_graph *g = p->graph;
    uint32_t *last = malloc((g->lane_names.count + 1) * sizeof *last);
    if (!last)
        return false;
    for (uint32_t i = 0; i < g->lane_names.count; i++)
        last[i] = SL_NONE;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t lane = g->nodes[i].lane;
        if (lane == SL_NONE)
            continue;
        if (last[lane] != SL_NONE)
            visit(p, last[lane], i);
        last[lane] = i;
    }
    free(last);
    return true;
}

static void count_lane(struct sl_program *p, uint32_t from, uint32_t to)
{
    p->hot[from].succ_count++;
    p->template[to].pending++;
}

static void put_succ(struct sl_program *p, uint32_t from, uint32_t to, uint8_t cause, int64_t lag)
{
    struct node_hot *hot = &p->hot[from];
    uint32_t at = hot->succ_first + hot->succ_count++;
    p->succ[at] = (struct succ){to, cause, lag > 0};
    if (lag > 0) { /* pages that stay zero take no memory */
        p->succ_lag[at] = lag;
        p->fixed_sum_ps += (double)lag;
    }
}

static void put_lane(struct sl_program *p, uint32_t from, uint32_t to)
{
    p->lane_before[to] = from;
    put_succ(p, from, to, SL_CAUSE_LANE, 0);
}

static enum sl_status pack_successors(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (g->edges[e].next)
            continue;
        if (g->edges[e].lag_ps < 0)
            return SL_FAIL_AT(err, SL_INVALID, g->edges[e].place, "a lag is negative");
        p->hot[g->edges[e].from.i].succ_count++;
        p->template[g->edges[e].to.i].pending++;
    }
    if (!each_lane_pair(p, count_lane))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    uint64_t total = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        p->hot[i].succ_first = (uint32_t)total;
        total += p->hot[i].succ_count;
        p->hot[i].succ_count = 0;
    }
    if (total > UINT32_MAX / 2)
        return SL_FAIL(err, SL_INVALID, "too many edges");
    p->succ = sl_arena_array(&p->arena, total + 1, sizeof *p->succ);
    p->succ_lag = sl_arena_array(&p->arena, total + 1, sizeof *p->succ_lag);
    if (!p->succ || !p->succ_lag)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct sl_edge *edge = &g->edges[e];
        if (!edge->next)
            put_succ(p, edge->from.i, edge->to.i, edge_cause(g, edge), edge->lag_ps);
    }
    if (!each_lane_pair(p, put_lane))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    return SL_OK;
}

/* A fallback has one condition more: that some primary is cancelled (it runs) or that all have
 * passed (it is skipped).  Its release counts only when it runs, so it stays out of the template.
 */
static enum sl_status pack_fallbacks(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    bool any = false;
    for (uint32_t i = 0; i < p->n; i++)
        any |= g->nodes[i].fallback.i != SL_NONE;
    if (!any)
        return SL_OK;
    p->fallback = sl_arena_array(&p->arena, p->n, sizeof *p->fallback);
    p->primaries = sl_arena_array(&p->arena, p->n, sizeof *p->primaries);
    p->latest_start = sl_arena_array(&p->arena, p->n, sizeof *p->latest_start);
    if (!p->fallback || !p->primaries || !p->latest_start)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < p->n; i++) {
        const struct sl_node *node = &g->nodes[i];
        p->fallback[i] = node->fallback.i;
        p->latest_start[i] = INT64_MAX;
        if (node->fallback.i == SL_NONE)
            continue;
        if (node->fallback.i >= p->n || node->fallback.i == i)
            return SL_FAIL_AT(err, SL_INVALID, node->place, "the fallback of '%s' is not a node",
                              node->name);
        p->hot[i].flags |= NODE_PRIMARY;
        p->hot[node->fallback.i].flags |= NODE_FALLBACK;
        if (!p->primaries[node->fallback.i]++)
            p->template[node->fallback.i].pending++;
    }
    return SL_OK;
}

/* Fallbacks form chains; a ring of them would hand a duty round for ever. */
static enum sl_status check_fallback_rings(struct sl_program *p, struct sl_error *err)
{
    uint32_t *walk = p->fallback ? sl_arena_array(&p->arena, p->n, sizeof *walk) : NULL;
    if (p->fallback && p->n && !walk)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; p->fallback && i < p->n; i++) {
        uint32_t at = i;
        for (; at != SL_NONE && !walk[at]; at = p->fallback[at])
            walk[at] = i + 1;
        if (at != SL_NONE && walk[at] == i + 1)
            return SL_FAIL_AT(err, SL_INVALID, p->graph->nodes[at].place,
                              "the fallbacks of '%s' form a ring", p->graph->nodes[at].name);
    }
    return SL_OK;
}

/* LS = deadline - isolated mean, of nodes that name a fallback. */
static void pack_latest_starts(struct sl_program *p)
{
    for (uint32_t i = 0; p->fallback && i < p->n; i++) {
        int64_t deadline = p->graph->nodes[i].deadline_ps;
        if (p->fallback[i] == SL_NONE || deadline == INT64_MAX)
            continue;
        double mean = p->mean_ps[i];
        int64_t latest = mean < (double)deadline ? deadline - sl_round_ps(mean) : 0;
        p->latest_start[i] = latest > 0 ? latest : 0;
    }
}

static enum sl_status pack_template(struct sl_program *p, struct sl_error *err)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct sl_node *node = &p->graph->nodes[i];
        struct node_run *run = &p->template[i];
        run->behind = SL_NONE;
        run->cause = SL_CAUSE_NONE;
        if (node->release_ps < 0 || node->release_ps >= SL_TIME_LIMIT)
            return SL_FAIL_AT(err, SL_INVALID, node->place, "the release of '%s' is out of range",
                              node->name);
        p->fixed_sum_ps += (double)node->release_ps;
        if (node->release_ps && !(p->hot[i].flags & NODE_FALLBACK)) {
            run->ready = node->release_ps;
            run->cause = SL_CAUSE_RELEASE;
        }
    }
    return SL_OK;
}

static enum sl_status pack_roots(struct sl_program *p, struct sl_error *err)
{
    p->roots = sl_arena_array(&p->arena, p->n + 1, sizeof *p->roots);
    if (!p->roots)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < p->planned; i++)
        if (!p->template[i].pending)
            p->roots[p->root_count++] = i;
    return SL_OK;
}

static enum sl_status pack(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    p->hot = sl_arena_array(&p->arena, p->n + 1, sizeof *p->hot);
    p->template = sl_arena_array(&p->arena, p->n + 1, sizeof *p->template);
    p->lane_before = sl_arena_array(&p->arena, p->n + 1, sizeof *p->lane_before);
    if (!p->hot || !p->template || !p->lane_before)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < p->n; i++) {
        p->lane_before[i] = SL_NONE;
        p->hot[i] = (struct node_hot){.resource = SL_NONE, .cell = SL_NONE};
        p->hot[i].klass = g->nodes[i].klass;
    }
    enum sl_status status;
    if ((status = pack_successors(p, err)) || (status = pack_fallbacks(p, err)) ||
        (status = check_fallback_rings(p, err)) || (status = pack_template(p, err)) ||
        (status = pack_roots(p, err)) || (status = sl_program_pack_capacity(p, err)) ||
        (status = sl_program_pack_cells(p, err)) || (status = sl_program_pack_overlaps(p, err)) ||
        (status = sl_program_pack_resources(p, err)) || (status = sl_program_pack_keys(p, err)) ||
        (status = sl_program_pack_draws(p, err)) || (status = sl_program_pack_batch(p, err)))
        return status;
    pack_latest_starts(p);
    for (uint32_t i = 0; p->class_states && i < p->n; i++)
        p->hot[i].klass = SL_NONE; /* the loop has no classes to time */
    p->brisk = sl_compact_is_brisk(p);
    status = sl_plain_pack(p, err);
    return status ? status : sl_common_pack(p, err);
}

enum sl_status sl_program_create(struct sl_program **program, const struct sl_graph *graph,
                                 const struct sl_engine_options *options, struct sl_error *err)
{
    *program = NULL;
    if (!graph->finished)
        return SL_FAIL(err, SL_USAGE, "the graph is not finished");
    if (graph->node_count >= UINT32_C(1) << 29)
        return SL_FAIL(err, SL_INVALID, "%u nodes are too many", graph->node_count);
    struct sl_program *p = calloc(1, sizeof *p);
    if (!p)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    p->graph = graph;
    if (options)
        p->options = *options;
    p->n = graph->node_count;
    p->planned = sl_graph_planned(graph);
    p->evictor = p->options.evict.worth ? graph->evictor : NULL;
    p->resource_count = graph->platform->resource_names.count;
    p->domain_count = graph->platform->domain_names.count;
    p->class_count = graph->platform->kappa.classes.count;
    enum sl_status status = pack(p, err);
    if (status) {
        sl_program_free(p);
        return status;
    }
    *program = p;
    return SL_OK;
}

void sl_program_free(struct sl_program *program)
{
    if (!program)
        return;
    sl_batch_plan_free(program->batch);
    sl_arena_free(&program->arena);
    free(program);
}
