/* A plan's trials, summed by node.  Each thread adds up integers of its own; what is not an integer
 * is kept by trial and added in order, so that the number of threads does not show. */
#include "plan_sums.h"
#include "trials.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What all threads write to, at places of their own trials. */
struct shared {
    struct sl_plan_sums *sums;
    const struct sl_scenario *scenario;
    const struct sl_program *program;
    uint32_t domains;
    int64_t bound_ps;            /* of waits */
    double *pressure;            /* trials x domains */
    double *staging, *workspace; /* by trial */
};

struct part {
    struct shared *shared;
    struct sl_measurer *measurer;
    struct sl_node_sums *nodes;
    int64_t *stalls, *peaks; /* by node; per domain */
    struct sl_link *links;
    size_t link_capacity;
    uint32_t *last_on_chain; /* by node: 1 + the last trial with it there */
    int64_t makespan_sum_ps, barrier_stall_ps, max_wait_ps;
    uint32_t max_wait_trial, max_wait_node, deadlocked, first_deadlock;
    uint64_t starved;
    char deadlock[256];
    bool hypothetical;
    struct sl_arena arena;
};

static enum sl_status open_part(struct part *part, struct shared *shared, struct sl_error *err)
{
    size_t n = (size_t)shared->sums->graph->node_count + 1;
    struct sl_arena *arena = &part->arena;
    part->shared = shared;
    part->first_deadlock = part->max_wait_node = SL_NONE;
    part->nodes = sl_arena_array(arena, n, sizeof *part->nodes);
    part->stalls = sl_arena_array(arena, n, sizeof *part->stalls);
    part->peaks = sl_arena_array(arena, (size_t)shared->domains + 1, sizeof *part->peaks);
    part->last_on_chain = sl_arena_array(arena, n, sizeof *part->last_on_chain);
    if (!part->nodes || !part->stalls || !part->peaks || !part->last_on_chain)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the sums of a plan");
    return sl_measurer_create(&part->measurer, shared->sums->graph, err);
}

static void close_part(struct part *part)
{
    sl_measurer_free(part->measurer);
    sl_arena_free(&part->arena);
}

/* Bytes of workspace x the time for which the node runs. */
static double workspace_of(const struct sl_graph *graph, uint32_t node, int64_t run_ps)
{
    struct sl_span amounts = graph->nodes[node].workspace;
    double bytes = 0.0;
    for (uint32_t k = 0; k < amounts.count; k++)
        bytes += (double)graph->amounts[amounts.first + k].bytes;
    return bytes * (double)run_ps * 1e-12;
}

static void add_nodes(struct part *part, const struct sl_trial *t)
{
    const struct sl_graph *graph = part->shared->sums->graph;
    double *workspace = &part->shared->workspace[t->trial];
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (t->state[i] != SL_RAN)
            continue;
        struct sl_node_sums *sum = &part->nodes[i];
        int64_t wait = t->start_ps[i] - t->ready_ps[i], run = t->finish_ps[i] - t->start_ps[i];
        sum->run_ps += run;
        sum->isolated_ps += t->duration_ps[i] + t->finish_ps[i] - t->free_ps[i];
        if (t->cause[i] == SL_CAUSE_CAPACITY)
            sum->capacity_wait_ps += wait;
        if (wait > part->max_wait_ps) { /* a thread's trials come in rising order */
            part->max_wait_ps = wait;
            part->max_wait_trial = t->trial;
            part->max_wait_node = i;
        }
        part->starved += wait > part->shared->bound_ps;
        *workspace += workspace_of(graph, i, run);
    }
}

static enum sl_status add_chain(struct part *part, const struct sl_trial *t, struct sl_error *err)
{
    if (!sl_trial_chain_room(&part->links, &part->link_capacity, t, &part->arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    size_t count = sl_trial_chain(part->shared->program, t, part->links, part->link_capacity);
    for (size_t k = 0; k < count; k++) {
        uint32_t node = part->links[k].node;
        if (part->links[k].waiting)
            continue;
        part->nodes[node].chain_ps += part->links[k].end_ps - part->links[k].begin_ps;
        part->nodes[node].on_chain += part->last_on_chain[node] != t->trial + 1;
        part->last_on_chain[node] = t->trial + 1;
    }
    return SL_OK;
}

static enum sl_status visit(void *state, const struct sl_trial *t, struct sl_error *err)
{
    struct part *part = state;
    struct shared *shared = part->shared;
    bool dead = t->outcome == SL_DEADLOCK;
    shared->sums->metric_us[t->trial] = sl_us_of(dead ? INT64_MAX : t->makespan_ps);
    part->hypothetical |= t->hypothetical;
    if (dead) {
        if (part->deadlocked++ == 0) {
            part->first_deadlock = t->trial;
            snprintf(part->deadlock, sizeof part->deadlock, "%s", t->deadlock ? t->deadlock : "");
        }
        return SL_OK;
    }
    if (__builtin_add_overflow(part->makespan_sum_ps, t->makespan_ps, &part->makespan_sum_ps))
        return SL_FAIL(err, SL_INVALID, "the makespans of all trials sum to more than 106 days");
    for (uint32_t d = 0; d < shared->domains; d++) {
        if (t->peak_bytes[d] > part->peaks[d])
            part->peaks[d] = t->peak_bytes[d];
        shared->pressure[(size_t)t->trial * shared->domains + d] = t->pressure_byte_s[d];
        shared->staging[t->trial] += t->staging_byte_s[d];
    }
    add_nodes(part, t);
    enum sl_status status = add_chain(part, t, err);
    if (status)
        return status;
    struct sl_stalls stalls;
    status = sl_measure_stalls_behind(part->measurer, t, shared->scenario->objective.busy, &stalls,
                                      part->stalls, err);
    part->barrier_stall_ps += stalls.idle_ps[SL_CAUSE_BARRIER];
    return status;
}

static void add_part(struct sl_plan_sums *sums, const struct part *part, uint32_t domains)
{
    for (uint32_t i = 0; i < sums->graph->node_count; i++) {
        struct sl_node_sums *to = &sums->nodes[i];
        const struct sl_node_sums *from = &part->nodes[i];
        to->run_ps += from->run_ps;
        to->isolated_ps += from->isolated_ps;
        to->chain_ps += from->chain_ps;
        to->stall_ps += part->stalls[i];
        to->capacity_wait_ps += from->capacity_wait_ps;
        to->on_chain += from->on_chain;
    }
    for (uint32_t d = 0; d < domains; d++)
        if (part->peaks[d] > sums->peak_bytes[d])
            sums->peak_bytes[d] = part->peaks[d];
    sums->barrier_stall_ps += part->barrier_stall_ps;
    sums->starved += part->starved;
    sums->deadlocked += part->deadlocked;
    sums->hypothetical |= part->hypothetical;
}

static enum sl_status merge(struct sl_plan_sums *sums, const struct part *parts, uint32_t count,
                            uint32_t domains, struct sl_error *err)
{
    int64_t total = 0; /* bounds every sum of times */
    uint32_t first = SL_NONE, wait_trial = SL_NONE;
    for (uint32_t p = 0; p < count; p++) {
        const struct part *part = &parts[p];
        if (__builtin_add_overflow(total, part->makespan_sum_ps, &total))
            return SL_FAIL(err, SL_INVALID,
                           "the makespans of all trials sum to more than 106 days");
        add_part(sums, part, domains);
        if (part->max_wait_node != SL_NONE &&
            (part->max_wait_ps > sums->max_wait_ps ||
             (part->max_wait_ps == sums->max_wait_ps && part->max_wait_trial < wait_trial))) {
            sums->max_wait_ps = part->max_wait_ps;
            sums->max_wait_node = part->max_wait_node;
            wait_trial = part->max_wait_trial;
        }
        if (part->first_deadlock < first) {
            first = part->first_deadlock;
            snprintf(sums->deadlock, sizeof sums->deadlock, "%s", part->deadlock);
        }
    }
    return SL_OK;
}

static void take_means(struct sl_plan_sums *sums, const struct shared *shared)
{
    uint32_t completed = sums->trials - sums->deadlocked;
    for (uint32_t t = 0; t < sums->trials; t++) {
        for (uint32_t d = 0; d < shared->domains; d++)
            sums->pressure_byte_s[d] += shared->pressure[(size_t)t * shared->domains + d];
        sums->staging_byte_s += shared->staging[t];
        sums->workspace_byte_s += shared->workspace[t];
    }
    for (uint32_t d = 0; d < shared->domains && completed > 0; d++)
        sums->pressure_byte_s[d] /= completed;
    sums->staging_byte_s /= completed ? completed : 1;
    sums->workspace_byte_s /= completed ? completed : 1;
}

static enum sl_status run(struct sl_plan_sums *sums, struct shared *shared,
                          struct sl_trials_job *job, struct sl_error *err)
{
    struct part *parts = calloc(job->threads, sizeof *parts);
    void **states = calloc(job->threads, sizeof *states);
    enum sl_status status =
        parts && states ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the sums of a plan");
    for (uint32_t t = 0; t < job->threads && status == SL_OK; t++) {
        states[t] = &parts[t];
        status = open_part(&parts[t], shared, err);
    }
    job->states = states;
    if (status == SL_OK)
        status = sl_trials_run(job, err);
    if (status == SL_OK)
        status = merge(sums, parts, job->threads, shared->domains, err);
    if (status == SL_OK)
        take_means(sums, shared);
    for (uint32_t t = 0; parts && t < job->threads; t++)
        close_part(&parts[t]);
    free(parts);
    free(states);
    return status;
}

/* What the sums hold, and what they are made from, which goes with them. */
static bool reserve(struct sl_plan_sums *sums, struct shared *shared)
{
    struct sl_arena *arena = &sums->arena;
    size_t trials = (size_t)sums->trials + 1, domains = (size_t)shared->domains + 1;
    sums->metric_us = sl_arena_array(arena, trials, sizeof(double));
    sums->nodes = sl_arena_array(arena, (size_t)sums->graph->node_count + 1, sizeof *sums->nodes);
    sums->peak_bytes = sl_arena_array(arena, domains, sizeof(int64_t));
    sums->pressure_byte_s = sl_arena_array(arena, domains, sizeof(double));
    shared->pressure = sl_arena_array(arena, trials * domains, sizeof(double));
    shared->staging = sl_arena_array(arena, trials, sizeof(double));
    shared->workspace = sl_arena_array(arena, trials, sizeof(double));
    return sums->metric_us && sums->nodes && sums->peak_bytes && sums->pressure_byte_s &&
           shared->pressure && shared->staging && shared->workspace;
}

enum sl_status sl_plan_sums_run(struct sl_plan_sums *sums, const struct sl_plan *plan,
                                const struct sl_scenario *scenario,
                                const struct sl_plan_trials *trials, struct sl_error *err)
{
    struct sl_program *program = NULL;
    struct sl_engine_options engine = plan->engine;
    *sums = (struct sl_plan_sums){
        .graph = plan->graph, .trials = trials->count, .max_wait_node = SL_NONE};
    struct shared shared = {
        .sums = sums,
        .scenario = scenario,
        .domains = plan->graph->platform->domain_names.count,
        .bound_ps = scenario->starvation_bound_ps < 0 ? INT64_MAX : scenario->starvation_bound_ps};
    engine.corner = SL_CORNER_PESSIMISTIC;
    enum sl_status status = sl_program_create(&program, plan->graph, &engine, err);
    if (status == SL_OK && !reserve(sums, &shared))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for %u trials", (unsigned)trials->count);
    shared.program = program;
    sums->random = program && sl_program_is_random(program);
    struct sl_trials_job job = {.program = program,
                                .seed = trials->seed,
                                .trials = trials->count,
                                .pool = trials->pool,
                                .threads = sl_trials_threads(trials->pool, trials->count),
                                .visit = visit,
                                .progress = trials->progress,
                                .user = trials->user};
    if (status == SL_OK)
        status = run(sums, &shared, &job, err);
    sl_program_free(program);
    return status;
}

void sl_plan_sums_free(struct sl_plan_sums *sums)
{
    sl_arena_free(&sums->arena);
    *sums = (struct sl_plan_sums){0};
}

double sl_plan_sums_us(const struct sl_plan_sums *sums, int64_t ps)
{
    uint32_t completed = sums->trials - sums->deadlocked;
    return completed ? (double)ps / completed / (double)SL_PS_PER_US : 0.0;
}
