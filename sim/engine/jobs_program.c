/* Packing a plan for jobs: what the mode cannot do, and what the loop reads of a node.  All else is
 * the ordinary program's. */
#include "evictor.h"
#include "jobs_parts.h"
#include "waitlist.h"
#include <stdlib.h>

/* ---- what the mode cannot -------------------------------------------------------------------- */

static const char *holding_name(const struct sl_graph *g, const struct sl_holding *holding)
{
    return holding->object.i == SL_NONE ? "staging" : g->objects[holding->object.i].name;
}

const struct sl_expr *sl_jobs_size_of(const struct sl_graph *g, uint32_t holding)
{
    sl_object_id object = g->holdings[holding].object;
    if (object.i == SL_NONE || g->holdings[holding].kind != SL_HOLD_OBJECT)
        return NULL;
    const struct sl_expr *size = g->objects[sl_object_root(g, object).i].size;
    return size && sl_expr_varies(size) ? size : NULL;
}

/* Jobs share what is there at the start: one that gave it back would take it from the others. */
static enum sl_status check_gives(const struct sl_graph *g, const struct sl_node *node,
                                  struct sl_error *err)
{
    for (uint32_t k = 0; k < node->gives.count; k++) {
        uint32_t h = g->holdings_pool[node->gives.first + k];
        if (h < g->holding_count && g->holdings[h].initial)
            return SL_FAIL_AT(err, SL_NO, node->place,
                              "'%s' gives '%s' back, which is there at the start and which all "
                              "jobs share: it has to persist",
                              node->name, holding_name(g, &g->holdings[h]));
    }
    return SL_OK;
}

static enum sl_status check_nodes(const struct sl_graph *g, struct sl_error *err)
{
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct sl_node *node = &g->nodes[i];
        if (node->fallback.i != SL_NONE)
            return SL_FAIL_AT(err, SL_NO, node->place,
                              "'%s' names a fallback, which jobs cannot have", node->name);
        enum sl_status status = check_gives(g, node, err);
        if (status)
            return status;
    }
    return SL_OK;
}

static enum sl_status check_plan(const struct sl_graph *g, const struct sl_jobs_options *options,
                                 struct sl_error *err)
{
    if (!g->finished)
        return SL_FAIL(err, SL_USAGE, "the graph is not finished");
    if (!g->node_count)
        return SL_FAIL(err, SL_NO, "a job without nodes does nothing");
    if (options->engine.evict.worth || sl_graph_planned(g) < g->node_count)
        return SL_FAIL(err, SL_NO, "jobs cannot evict while running");
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].next)
            return SL_FAIL_AT(err, SL_NO, g->edges[e].place,
                              "an edge of scope next leads to a later iteration: jobs have none");
    for (uint32_t h = 0; h < g->holding_count; h++)
        if (g->holdings[h].initial && sl_jobs_size_of(g, h))
            return SL_FAIL(err, SL_NO,
                           "'%s' is there at the start, and all jobs share it: its size cannot be "
                           "a job's own",
                           holding_name(g, &g->holdings[h]));
    for (uint32_t o = 0; o < g->overlap_count; o++)
        if (sl_overlap_restricts(&g->overlaps[o]))
            return SL_FAIL(err, SL_NO,
                           "overlap.csv keeps '%s' and '%s' apart, which jobs cannot obey",
                           g->overlaps[o].a, g->overlaps[o].b);
    if (options->by_memory && options->memory >= g->platform->domain_names.count)
        return SL_FAIL(err, SL_USAGE, "admission is by domain %u, which is none", options->memory);
    for (uint32_t k = 0; k < options->mark_count; k++)
        if (options->marks[k] >= g->node_count)
            return SL_FAIL(err, SL_USAGE, "mark %u is not a node", k);
    return check_nodes(g, err);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint64_t key_of(const struct sl_program *base, uint32_t i, enum sl_order order)
{
    switch (order) {
    case SL_ORDER_FIFO:
    case SL_ORDER_ISSUE: /* the turn is the job's own matter */
        return 0;
    case SL_ORDER_EDF:
        return (uint64_t)base->graph->nodes[i].deadline_ps;
    default:
        return base->hot[i].key;
    }
}

static void pack_nodes(struct sl_jobs_program *p)
{
    const struct sl_program *base = p->base;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct node_hot *hot = &base->hot[i];
        p->nodes[i] = (struct job_node){
            .succ_first = hot->succ_first,
            .succ_count = hot->succ_count,
            .resource = hot->resource,
            .units = hot->units,
            .cell = hot->cell,
            .klass = base->graph->nodes[i].klass,
            .flags = hot->flags,
            .queue = SL_NONE,
            .key = key_of(base, i, base->resources[sublist_of(base, i)].order),
        };
        p->template[i] = (struct job_run){
            .ready = base->template[i].ready,
            .duration = base->fixed_duration[i],
            .latency = base->fixed_latency[i],
            .node = i,
            .behind = SL_NONE,
            .pending = base->template[i].pending,
            .cause = SL_CAUSE_ARRIVAL,
        };
        p->any_release |= base->template[i].ready > 0;
    }
}

static bool pack_issue_order(struct sl_jobs_program *p)
{
    uint32_t *last = malloc(((size_t)p->base->resource_count + 1) * sizeof *last);
    if (!last)
        return false;
    for (uint32_t r = 0; r <= p->base->resource_count; r++)
        last[r] = SL_NONE;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t r = sublist_of(p->base, i);
        p->issue_before[i] = last[r];
        p->issue_after[i] = SL_NONE;
        if (last[r] != SL_NONE)
            p->issue_after[last[r]] = i;
        last[r] = i;
    }
    free(last);
    return true;
}

/* ---- what parameters say --------------------------------------------------------------------- */

static bool pack_times(struct sl_jobs_program *p)
{
    const struct sl_program *base = p->base;
    p->times = sl_arena_array(&p->arena, p->n, sizeof *p->times);
    uint32_t *draw = malloc((size_t)p->n * sizeof *draw);
    for (uint32_t i = 0; draw && i < p->n; i++)
        draw[i] = SL_NONE;
    for (uint32_t k = 0; draw && k < base->draw_count; k++)
        draw[base->draw_node[k]] = k;
    for (uint32_t i = 0; p->times && draw && i < p->n; i++)
        if (base->graph->nodes[i].times && base->graph->nodes[i].dist)
            p->times[p->times_count++] = (struct job_times){i, draw[i], false};
    bool ok = p->times && draw;
    free(draw);
    return ok;
}

static bool pack_sized(struct sl_jobs_program *p)
{
    p->sized = sl_arena_array(&p->arena, (size_t)p->holdings + 1, sizeof *p->sized);
    for (uint32_t h = 0; p->sized && h < p->holdings; h++)
        if (sl_jobs_size_of(p->base->graph, h))
            p->sized[p->sized_count++] = h;
    return p->sized != NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* So many nodes of a cell may run at once as there are jobs: nothing that counts on the nodes of
 * one plan holds. */
static void forget_bounds(struct sl_program *base)
{
    base->compact = base->class_states = base->brisk = false;
    base->plain = NULL;
    base->common = NULL;
    for (uint32_t k = 0; k < base->island_count; k++)
        base->islands[k].exact = false;
    for (uint32_t c = 0; c < base->cell_count; c++)
        base->cells[c].hash = sl_hash_index(c);
}

static bool pack(struct sl_jobs_program *p)
{
    const struct sl_graph *g = p->base->graph;
    for (uint32_t h = 0; h < g->holding_count && !p->holdings; h++)
        p->holdings = g->holdings[h].initial ? 0 : g->holding_count;
    p->nodes = sl_arena_array(&p->arena, p->n, sizeof *p->nodes);
    p->template = sl_arena_array(&p->arena, p->n, sizeof *p->template);
    p->queues = sl_arena_array(&p->arena, 2 * (size_t)p->n, sizeof *p->queues);
    p->issue_before = sl_arena_array(&p->arena, p->n, sizeof *p->issue_before);
    p->issue_after = sl_arena_array(&p->arena, p->n, sizeof *p->issue_after);
    p->simple_queue =
        sl_arena_array(&p->arena, (size_t)p->base->resource_count + 1, sizeof *p->simple_queue);
    uint32_t *marks = sl_arena_array(&p->arena, (size_t)p->options.mark_count + 1, sizeof *marks);
    if (!p->nodes || !p->template || !p->queues || !p->issue_before || !p->issue_after ||
        !p->simple_queue || !marks)
        return false;
    for (uint32_t k = 0; k < p->options.mark_count; k++)
        marks[k] = p->options.marks[k];
    p->options.marks = marks;
    pack_nodes(p);
    if (!pack_issue_order(p) || !pack_times(p) || !pack_sized(p) || !sl_jobs_queues_pack(p))
        return false;
    p->lone = sl_jobs_lone_serves(p);
    return true;
}

enum sl_status sl_jobs_program_create(struct sl_jobs_program **program,
                                      const struct sl_graph *graph,
                                      const struct sl_jobs_options *options, struct sl_error *err)
{
    *program = NULL;
    enum sl_status status = check_plan(graph, options, err);
    if (status)
        return status;
    struct sl_jobs_program *p = calloc(1, sizeof *p);
    if (!p)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    p->options = *options;
    p->n = graph->node_count;
    status = sl_program_create(&p->base, graph, &options->engine, err);
    if (!status)
        status = sl_jobs_batch_check(p->base, err);
    if (!status) {
        forget_bounds(p->base);
        if (!pack(p))
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
        else
            status = sl_jobs_cache_pack(p, err);
    }
    if (!status && !sl_jobs_queues_bytes(p))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!status)
        status = sl_jobs_needs_pack(p, err);
    if (status) {
        sl_jobs_program_free(p);
        return status;
    }
    *program = p;
    return SL_OK;
}

void sl_jobs_program_free(struct sl_jobs_program *program)
{
    if (!program)
        return;
    sl_program_free(program->base);
    free(program->needs.items);
    sl_arena_free(&program->arena);
    free(program);
}
