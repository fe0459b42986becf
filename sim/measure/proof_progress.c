/* Wait edges of trials, gathered in a hash set, and the topological sorts that judge them. */
#include "evictor.h"
#include "proof_progress.h"
#include "proof_union.h"
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[SL_WAIT_KINDS] = {"queue", "capacity", "overlap", "fallback"};

const char *sl_wait_kind_name(enum sl_wait_kind kind)
{
    return kind_names[kind];
}

struct sl_waits {
    const struct sl_graph *graph;
    struct proof_lanes lanes;
    /* The set: open addressing; trials 0: empty. */
    struct sl_wait_edge *slots;
    uint32_t slot_count, used, most; /* slot_count: a power of two */
    uint32_t trials, cyclic_trials, first_cyclic;
    bool overflow;
    /* One trial's edges, and its sort. */
    struct sl_wait_edge *found;
    uint32_t found_count, found_capacity;
    uint32_t *indegree, *degree, *queue; /* per node; indegree: of precedence alone */
    uint32_t *head, *next;               /* the trial's edges by producer */
    uint32_t next_capacity;
    bool *late; /* per node: cancelled at its latest start, whatever its predecessors did */
    struct sl_wait_edge *sorted; /* malloc'ed by sl_waits_facts */
    struct sl_arena arena;
};

enum sl_status sl_waits_create(struct sl_waits **waits, const struct sl_graph *graph,
                               uint32_t most_edges, struct sl_error *err)
{
    struct sl_waits *p = *waits = calloc(1, sizeof *p);
    if (!p)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
    size_t n = (size_t)graph->node_count + 1;
    p->graph = graph;
    p->most = most_edges;
    p->first_cyclic = SL_NONE;
    p->slot_count = 64;
    p->slots = calloc(p->slot_count, sizeof *p->slots);
    p->indegree = sl_arena_array(&p->arena, n, sizeof(uint32_t));
    p->degree = sl_arena_array(&p->arena, n, sizeof(uint32_t));
    p->queue = sl_arena_array(&p->arena, n, sizeof(uint32_t));
    p->head = sl_arena_array(&p->arena, n, sizeof(uint32_t));
    p->late = sl_arena_array(&p->arena, n, sizeof(bool));
    if (p->slots && p->indegree && p->degree && p->queue && p->head && p->late &&
        sl_proof_lanes_find(&p->lanes, graph, &p->arena)) {
        sl_proof_indegrees(graph, &p->lanes, p->indegree);
        return SL_OK;
    }
    sl_waits_free(p);
    *waits = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
}

void sl_waits_free(struct sl_waits *waits)
{
    if (!waits)
        return;
    free(waits->slots);
    free(waits->found);
    free(waits->next);
    free(waits->sorted);
    sl_arena_free(&waits->arena);
    free(waits);
}

/* ---- the set ------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct sl_wait_edge *slots, uint32_t slot_count,
                        const struct sl_wait_edge *edge)
{
    uint64_t key = ((uint64_t)edge->from << 32 | edge->to) * 4 + (uint64_t)edge->kind;
    key *= UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(key >> 32) & (slot_count - 1);
    while (slots[at].trials && (slots[at].from != edge->from || slots[at].to != edge->to ||
                                slots[at].kind != edge->kind))
        at = (at + 1) & (slot_count - 1);
    return at;
}

static bool double_slots(struct sl_waits *p)
{
    uint32_t count = 2 * p->slot_count;
    struct sl_wait_edge *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t k = 0; k < p->slot_count; k++)
        if (p->slots[k].trials)
            slots[slot_of(slots, count, &p->slots[k])] = p->slots[k];
    free(p->slots);
    p->slots = slots;
    p->slot_count = count;
    return true;
}

/* Adds edge->trials to the edge's count.  Past the cap nothing is kept but the fact. */
static enum sl_status count_edge(struct sl_waits *p, const struct sl_wait_edge *edge,
                                 struct sl_error *err)
{
    if (p->overflow)
        return SL_OK;
    struct sl_wait_edge *slot = &p->slots[slot_of(p->slots, p->slot_count, edge)];
    if (slot->trials) {
        slot->trials += edge->trials;
        return SL_OK;
    }
    if (p->used == p->most) {
        p->overflow = true;
        return SL_OK;
    }
    *slot = *edge;
    if (2 * ++p->used > p->slot_count && !double_slots(p))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u wait edges", (unsigned)p->used);
    return SL_OK;
}

/* ---- one trial ----------------------------------------------------------------------------- */

static bool found_edge(struct sl_waits *p, uint32_t from, uint32_t to, enum sl_wait_kind kind)
{
    if (!sl_grow((void **)&p->found, &p->found_capacity, p->found_count + 1, sizeof *p->found))
        return false;
    p->found[p->found_count++] = (struct sl_wait_edge){from, to, kind, 1};
    return true;
}

/* A cancelled node's successors wait for the first of its chain of fallbacks that was not cancelled
 * itself, and that one waits for the cancellation. */
static bool find_handover(struct sl_waits *p, const struct sl_trial *trial, uint32_t node)
{
    const struct sl_graph *graph = p->graph;
    uint32_t taker = node;
    for (uint32_t hops = 0; trial->state[taker] == SL_CANCELLED && hops < graph->node_count; hops++)
        if ((taker = graph->nodes[taker].fallback.i) == SL_NONE)
            return true;
    if (trial->state[taker] != SL_RAN)
        return true; /* it gave nobody anything in this trial */
    /* A fallback of several nodes may have run by the time this one was cancelled. */
    bool ok = trial->start_ps[taker] < trial->finish_ps[node] ||
              found_edge(p, node, taker, SL_WAIT_FALLBACK);
    for (uint32_t e = graph->succ_start[node]; ok && e < graph->succ_start[node + 1]; e++) {
        const struct sl_edge *edge = &graph->edges[graph->succ_edges[e]];
        if (edge->next == 0 && edge->to.i != graph->nodes[node].fallback.i &&
            trial->state[edge->to.i] == SL_RAN)
            ok = found_edge(p, taker, edge->to.i, SL_WAIT_FALLBACK);
    }
    return ok;
}

/* The trial's wait edges into p->found. */
static bool find_waits(struct sl_waits *p, const struct sl_trial *trial)
{
    bool ok = true;
    p->found_count = 0;
    for (uint32_t i = 0; ok && i < p->graph->node_count; i++) {
        p->late[i] = trial->state[i] == SL_CANCELLED && trial->cause[i] == SL_CAUSE_RELEASE;
        if (trial->state[i] == SL_CANCELLED)
            ok = find_handover(p, trial, i);
        if (trial->state[i] != SL_RAN || trial->behind[i] == SL_NONE ||
            trial->start_ps[i] <= trial->ready_ps[i] ||
            sl_node_is_latent(p->graph, trial->behind[i]))
            continue; /* a latent node runs at many times: it has no one place in an order */
        if (trial->cause[i] == SL_CAUSE_QUEUE)
            ok = found_edge(p, trial->behind[i], i, SL_WAIT_QUEUE);
        else if (trial->cause[i] == SL_CAUSE_CAPACITY)
            ok = found_edge(p, trial->behind[i], i, SL_WAIT_CAPACITY);
        else if (trial->cause[i] == SL_CAUSE_OVERLAP)
            ok = found_edge(p, trial->behind[i], i, SL_WAIT_OVERLAP);
    }
    return ok && sl_grow((void **)&p->next, &p->next_capacity, p->found_count + 1, sizeof *p->next);
}

/* One predecessor of `node` has come off. */
static void take_off(struct sl_waits *p, uint32_t node, uint32_t *end)
{
    if (!p->late[node] && --p->degree[node] == 0)
        p->queue[(*end)++] = node;
}

/* Kahn's sort of precedence and the edges found: true when every node comes off.  Nothing binds a
 * node that was cancelled at its latest start. */
static bool sorts(struct sl_waits *p)
{
    const struct sl_graph *graph = p->graph;
    uint32_t n = graph->node_count, begin = 0, end = 0;
    memcpy(p->degree, p->indegree, n * sizeof *p->degree);
    for (uint32_t i = 0; i < n; i++)
        p->head[i] = SL_NONE;
    for (uint32_t k = 0; k < p->found_count; k++) {
        p->next[k] = p->head[p->found[k].from];
        p->head[p->found[k].from] = k;
        p->degree[p->found[k].to]++;
    }
    for (uint32_t i = 0; i < n; i++)
        if (p->degree[i] == 0 || p->late[i])
            p->queue[end++] = i;
    while (begin < end) {
        uint32_t node = p->queue[begin++];
        for (uint32_t e = graph->succ_start[node]; e < graph->succ_start[node + 1]; e++) {
            const struct sl_edge *edge = &graph->edges[graph->succ_edges[e]];
            if (edge->next == 0)
                take_off(p, edge->to.i, &end);
        }
        if (p->lanes.next[node] != SL_NONE)
            take_off(p, p->lanes.next[node], &end);
        for (uint32_t k = p->head[node]; k != SL_NONE; k = p->next[k])
            take_off(p, p->found[k].to, &end);
    }
    return end == n;
}

enum sl_status sl_waits_add(struct sl_waits *p, const struct sl_trial *trial, struct sl_error *err)
{
    if (!find_waits(p, trial))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the wait edges of a trial");
    p->trials++;
    if (p->found_count > 0 && !sorts(p)) {
        p->cyclic_trials++;
        p->first_cyclic = trial->trial < p->first_cyclic ? trial->trial : p->first_cyclic;
    }
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < p->found_count && status == SL_OK; k++)
        status = count_edge(p, &p->found[k], err);
    return status;
}

enum sl_status sl_waits_merge(struct sl_waits *into, const struct sl_waits *from,
                              struct sl_error *err)
{
    enum sl_status status = SL_OK;
    into->trials += from->trials;
    into->cyclic_trials += from->cyclic_trials;
    if (from->first_cyclic < into->first_cyclic)
        into->first_cyclic = from->first_cyclic;
    into->overflow |= from->overflow;
    for (uint32_t k = 0; k < from->slot_count && status == SL_OK; k++)
        if (from->slots[k].trials)
            status = count_edge(into, &from->slots[k], err);
    return status;
}

/* ---- all trials ---------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
    const struct sl_wait_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

enum sl_status sl_waits_facts(struct sl_waits *p, struct sl_waits_facts *facts,
                              struct sl_error *err)
{
    *facts = (struct sl_waits_facts){.trials = p->trials,
                                     .cyclic_trials = p->cyclic_trials,
                                     .first_cyclic = p->first_cyclic,
                                     .overflow = p->overflow};
    if (p->overflow)
        return SL_OK;
    free(p->sorted);
    p->sorted = malloc(((size_t)p->used + 1) * sizeof *p->sorted);
    if (!p->sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u wait edges", (unsigned)p->used);
    for (uint32_t k = 0; k < p->slot_count; k++)
        if (p->slots[k].trials)
            p->sorted[facts->edge_count++] = p->slots[k];
    qsort(p->sorted, facts->edge_count, sizeof *p->sorted, compare_edges);
    facts->edges = p->sorted;
    return SL_OK;
}

enum sl_status sl_waits_union(struct sl_waits *p, bool *acyclic, struct sl_wait_edge **steps,
                              uint32_t *count, bool *cut_short, struct sl_error *err)
{
    struct sl_waits_facts facts;
    enum sl_status status = sl_waits_facts(p, &facts, err);
    *steps = NULL;
    *count = 0;
    *cut_short = false;
    if (status != SL_OK)
        return status;
    if (facts.overflow)
        return SL_FAIL(err, SL_USAGE, "too many wait edges to test their union");
    struct proof_union all = {.graph = p->graph,
                              .lanes = &p->lanes,
                              .indegree = p->indegree,
                              .edges = facts.edges,
                              .edge_count = facts.edge_count};
    bool ok = sl_proof_union_sort(&all, acyclic) &&
              (*acyclic || sl_proof_union_cycle(&all, steps, count, cut_short));
    sl_proof_union_free(&all);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for a union of wait edges");
}
