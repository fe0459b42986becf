/* Waits counted from readiness in the plan's own graph. */
#include "config.h"

#include "graph_cycle.h"
#include "own_waits.h"
#include "trials.h"
#include <stdlib.h>

/* An edge that the runtime inserts, and where the reply has it. */
struct insertion {
    uint32_t from, edge, queue;
    int64_t lag_ps;
};
struct shared {
    struct sl_own_conditions own;
    uint32_t *first; /* by node: its insertions are items[first[n] .. first[n + 1]) */
    struct insertion *items;
    int64_t bound_ps; /* INT64_MAX: none */
};
struct witness {
    const struct shared *shared;
    struct sl_own_waits found;
};

/* ---- readiness --------------------------------------------------------------------------------
 */

bool sl_own_conditions_init(struct sl_own_conditions *own, const struct sl_graph *graph,
                            struct sl_arena *arena)
{
    size_t n = graph->node_count;
    *own = (struct sl_own_conditions){graph, sl_arena_array(arena, n + 1, sizeof *own->lane_before),
                                      sl_arena_array(arena, n + 1, sizeof *own->is_fallback)};
    if (!own->lane_before || !own->is_fallback)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            own->is_fallback[graph->nodes[i].fallback.i] = true;
    return sl_lane_previous(graph, own->lane_before);
}

/* When a predecessor's duty to a successor was done: a cancelled one's by the last of its
 * fallbacks, but for its own fallback, which goes on at once. */
static int64_t end_of(const struct sl_graph *graph, const struct sl_trial *trial, uint32_t from,
                      uint32_t to)
{
    int64_t end = trial->finish_ps[from];
    while (trial->state[from] == SL_CANCELLED && graph->nodes[from].fallback.i != SL_NONE &&
           graph->nodes[from].fallback.i != to) {
        from = graph->nodes[from].fallback.i;
        end = trial->finish_ps[from] > end ? trial->finish_ps[from] : end;
    }
    return end;
}

/* A fallback is called when the first of its primaries is cancelled. */
static int64_t call_of(const struct sl_graph *graph, const struct sl_trial *trial, uint32_t node)
{
    int64_t call = INT64_MAX;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i == node && trial->state[i] == SL_CANCELLED &&
            trial->finish_ps[i] < call)
            call = trial->finish_ps[i];
    return call == INT64_MAX ? 0 : call;
}

int64_t sl_own_readiness(const struct sl_own_conditions *own, const struct sl_trial *trial,
                         uint32_t node)
{
    const struct sl_graph *graph = own->graph;
    int64_t ready = graph->nodes[node].release_ps;
    int64_t call = own->is_fallback[node] ? call_of(graph, trial, node) : 0;
    ready = call > ready ? call : ready;
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        int64_t at = end_of(graph, trial, edge->from.i, node) + edge->lag_ps;
        if (edge->next == 0 && at > ready)
            ready = at;
    }
    uint32_t before = own->lane_before[node];
    if (before != SL_NONE && trial->finish_ps[before] > ready)
        ready = trial->finish_ps[before];
    return ready;
}

/* ---- trials -----------------------------------------------------------------------------------
 */

static struct sl_own_wait wait_of(const struct shared *shared, const struct sl_trial *trial,
                                  uint32_t run)
{
    uint32_t nodes = shared->own.graph->node_count;
    struct sl_own_wait wait = {.node = sl_trial_node(trial, nodes, run),
                               .trial = trial->trial,
                               .wait_ps = trial->start_ps[run] - trial->ready_ps[run],
                               .edge = SL_NONE,
                               .queue = SL_NONE,
                               .before = SL_NONE,
                               .cause = (enum sl_cause)trial->cause[run]};
    if (run >= nodes || shared->first[run] == shared->first[run + 1])
        return wait;
    int64_t own = sl_own_readiness(&shared->own, trial, run), last = own;
    for (uint32_t k = shared->first[run]; k < shared->first[run + 1]; k++) {
        const struct insertion *item = &shared->items[k];
        int64_t at = end_of(shared->own.graph, trial, item->from, run) + item->lag_ps;
        if (at <= last)
            continue;
        last = at;
        wait.edge = item->edge;
        wait.queue = item->queue;
        wait.before = item->from;
    }
    wait.wait_ps = trial->start_ps[run] - own;
    wait.inserted_ps = last - own;
    return wait;
}

static bool is_longer(const struct sl_own_wait *a, const struct sl_own_wait *b)
{
    if (a->wait_ps != b->wait_ps)
        return a->wait_ps > b->wait_ps;
    return a->wait_ps > 0 && (a->trial != b->trial ? a->trial < b->trial : a->node < b->node);
}

static enum sl_status visit(void *state, const struct sl_trial *trial, struct sl_error *err)
{
    struct witness *witness = state;
    (void)err;
    for (uint32_t run = 0; run < trial->run_count; run++) {
        if (trial->state[run] != SL_RAN)
            continue;
        struct sl_own_wait wait = wait_of(witness->shared, trial, run);
        witness->found.starved += wait.wait_ps > witness->shared->bound_ps;
        if (is_longer(&wait, &witness->found.longest))
            witness->found.longest = wait;
    }
    return SL_OK;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

/* Calls for every insertion in turn: counts by consumer, then puts them at their places. */
static void each_insertion(const struct sl_reply *reply, uint32_t *places, struct insertion *items)
{
    for (uint32_t k = 0; k < reply->edges.count; k++) {
        const struct sl_reply_edge *edge = &reply->edges.items[k];
        uint32_t at = places[edge->to]++;
        if (items)
            items[at] = (struct insertion){edge->from, k, SL_NONE, edge->lag_ps};
    }
    for (uint32_t q = 0; q < reply->queues.count; q++)
        for (uint32_t k = 1; k < reply->queues.items[q].count; k++) {
            const uint32_t *nodes = reply->queues.items[q].nodes;
            uint32_t at = places[nodes[k]]++;
            if (items)
                items[at] = (struct insertion){nodes[k - 1], SL_NONE, q, 0};
        }
}

static bool prepare(struct shared *shared, const struct sl_graph *own, const struct sl_reply *reply,
                    struct sl_arena *arena)
{
    size_t n = own->node_count;
    uint32_t *places = sl_arena_array(arena, n + 1, sizeof *places), total = 0;
    shared->first = sl_arena_array(arena, n + 1, sizeof *shared->first);
    if (!places || !shared->first || !sl_own_conditions_init(&shared->own, own, arena))
        return false;
    each_insertion(reply, places, NULL);
    for (size_t i = 0; i <= n; i++) {
        uint32_t count = i < n ? places[i] : 0;
        shared->first[i] = places[i] = total;
        total += count;
    }
    shared->items = sl_arena_array(arena, (size_t)total + 1, sizeof *shared->items);
    if (!shared->items)
        return false;
    each_insertion(reply, places, shared->items);
    return true;
}

static enum sl_status run(struct sl_own_waits *found, const struct shared *shared,
                          struct sl_trials_job *job, struct sl_arena *arena, struct sl_error *err)
{
    struct witness *witnesses = sl_arena_array(arena, job->threads, sizeof *witnesses);
    job->states = sl_arena_array(arena, job->threads, sizeof *job->states);
    if (!witnesses || !job->states)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the waits of a plan");
    for (uint32_t t = 0; t < job->threads; t++) {
        witnesses[t] = (struct witness){shared, *found};
        job->states[t] = &witnesses[t];
    }
    enum sl_status status = sl_trials_run(job, err);
    for (uint32_t t = 0; status == SL_OK && t < job->threads; t++) {
        found->starved += witnesses[t].found.starved;
        if (is_longer(&witnesses[t].found.longest, &found->longest))
            found->longest = witnesses[t].found.longest;
    }
    return status;
}

enum sl_status sl_own_waits_find(struct sl_own_waits *found, const struct sl_cell *cell,
                                 const struct sl_graph *own, const struct sl_reply *reply,
                                 uint64_t seed, struct sl_pool *pool, struct sl_error *err)
{
    int64_t bound = cell->scenario->starvation_bound_ps;
    struct shared shared = {.bound_ps = bound < 0 ? INT64_MAX : bound};
    struct sl_program *program = NULL;
    struct sl_arena arena = {0};
    struct sl_trials_job job = {.seed = seed,
                                .trials = cell->trials,
                                .pool = pool,
                                .threads = sl_trials_threads(pool, cell->trials),
                                .visit = visit};
    *found = (struct sl_own_waits){.longest = {.node = SL_NONE}};
    enum sl_status status = prepare(&shared, own, reply, &arena)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for the waits of a plan");
    if (status == SL_OK)
        status = sl_program_create(&program, cell->plan.graph, &cell->plan.engine, err);
    job.program = program;
    if (status == SL_OK)
        status = run(found, &shared, &job, &arena, err);
    sl_program_free(program);
    sl_arena_free(&arena);
    return status;
}
