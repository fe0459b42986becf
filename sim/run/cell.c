/* One cell: plan, run every trial, reduce, draw. */
#include <config.h>

#include "cellparts.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes that each trial's row of a cell takes. */
static size_t trial_bytes(size_t domains)
{
    return (5 + SL_STALLS) * sizeof(int64_t) + sizeof(uint32_t) +
           domains * (sizeof(int64_t) + sizeof(double));
}

static enum sl_status check_memory(const struct sl_cell *cell, size_t domains, struct sl_error *err)
{
    double need = (double)trial_bytes(domains) * cell->trials;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (need > have && have > 0)
        return SL_FAIL(err, SL_SYSTEM,
                       "%" PRIu32 " trials need %.1f GiB of memory and this machine has %.1f GiB; "
                       "run fewer trials",
                       cell->trials, need / 0x1p30, have / 0x1p30);
    return SL_OK;
}

static bool reserve_trials(struct sl_cell *cell, size_t domains)
{
    struct sl_arena *arena = &cell->arena;
    size_t n = cell->trials;
    cell->metric_ps = sl_arena_array(arena, n, sizeof(int64_t));
    cell->bound_path_ps = sl_arena_array(arena, n, sizeof(int64_t));
    cell->bound_load_ps = sl_arena_array(arena, n, sizeof(int64_t));
    cell->max_wait_ps = sl_arena_array(arena, n, sizeof(int64_t));
    cell->starved = sl_arena_array(arena, n, sizeof(uint32_t));
    cell->stall_ps = sl_arena_array(arena, n, SL_STALLS * sizeof(int64_t));
    cell->peak_bytes = sl_arena_array(arena, n, (domains + 1) * sizeof(int64_t));
    cell->staging_byte_s = sl_arena_array(arena, n, (domains + 1) * sizeof(double));
    return cell->metric_ps && cell->bound_path_ps && cell->bound_load_ps && cell->max_wait_ps &&
           cell->starved && cell->stall_ps && cell->peak_bytes && cell->staging_byte_s;
}

static bool reserve_sums(struct sl_cell *cell, size_t domains)
{
    struct sl_arena *arena = &cell->arena;
    struct sl_node_totals *nodes = &cell->nodes;
    size_t n = (size_t)cell->plan.graph->node_count + 1;
    size_t classes = cell->plan.graph->platform->kappa.classes.count;
    nodes->on_chain = sl_arena_array(arena, n, sizeof(uint32_t));
    nodes->chain_ps = sl_arena_array(arena, n, sizeof(int64_t));
    nodes->ran = sl_arena_array(arena, n, sizeof(uint32_t));
    nodes->wait_ps = sl_arena_array(arena, n, sizeof(int64_t));
    nodes->max_wait_ps = sl_arena_array(arena, n, sizeof(int64_t));
    nodes->bypassed = sl_arena_array(arena, n, sizeof(uint64_t));
    nodes->run_ps = sl_arena_array(arena, n, sizeof(int64_t));
    nodes->hold_ps = sl_arena_array(arena, n, sizeof(int64_t));
    nodes->isolated_ps = sl_arena_array(arena, n, sizeof(int64_t));
    cell->chain_kind_cause_ps =
        sl_arena_array(arena, (size_t)SL_CHAIN_ROWS * SL_CAUSES, sizeof(int64_t));
    cell->overlap_ps = sl_arena_array(arena, classes * classes + 1, sizeof(int64_t));
    cell->class_busy_ps = sl_arena_array(arena, classes + 1, sizeof(int64_t));
    cell->limit_mattered = sl_arena_array(arena, domains + 1, sizeof(bool));
    return nodes->on_chain && nodes->chain_ps && nodes->ran && nodes->wait_ps &&
           nodes->max_wait_ps && nodes->bypassed && nodes->run_ps && nodes->hold_ps &&
           nodes->isolated_ps && cell->chain_kind_cause_ps && cell->overlap_ps &&
           cell->class_busy_ps && cell->limit_mattered;
}

enum sl_status sl_cell_reserve(struct sl_cell *cell, struct sl_error *err)
{
    size_t domains = cell->plan.graph->platform->domain_names.count;
    enum sl_status status = check_memory(cell, domains, err);
    if (status != SL_OK)
        return status;
    if (!reserve_trials(cell, domains) || !reserve_sums(cell, domains))
        return SL_FAIL(err, SL_SYSTEM,
                       "not enough memory for %" PRIu32 " trials (%.1f GiB); run fewer trials",
                       cell->trials, (double)trial_bytes(domains) * cell->trials / 0x1p30);
    return SL_OK;
}

/* Progress of a cell as the pool reports it, passed on with the cell's own total. */
struct cell_progress {
    const struct sl_run_options *options;
    uint64_t before, total;
};

static bool pass_progress(void *user, uint64_t done)
{
    const struct cell_progress *progress = user;
    return progress->options->progress(progress->options->user, progress->before + done,
                                       progress->total, 0, 1);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Both corners, the reductions and the pictures of a legal plan. */
static enum sl_status run_program(struct sl_cell *cell, const struct sl_program *program,
                                  const struct sl_run_options *options, struct sl_diags *diags,
                                  struct sl_error *err)
{
    struct cell_progress progress = {.options = options, .total = cell->trials};
    struct sl_trials_job job = {
        .trials = cell->trials,
        .seed = options->seed_given ? options->seed : cell->scenario->seed,
        .threads = sl_trials_threads(options->threads, cell->trials),
        .progress = options->progress ? pass_progress : NULL,
        .user = &progress,
    };
    double begin = now_s();
    enum sl_status status = sl_cell_collect(cell, program, &job, err);
    if (status == SL_OK && cell->hypothetical &&
        cell->scenario->platform.kappa.unknown == SL_UNKNOWN_BOUND) {
        progress.before = cell->trials;
        progress.total = 2 * (uint64_t)cell->trials;
        status = sl_cell_collect_optimistic(cell, &job, err);
    }
    cell->seconds = now_s() - begin;
    if (status == SL_OK)
        status = sl_cell_reduce(cell, diags, err);
    if (status == SL_OK)
        status = sl_cell_tail_chain(cell, program, &job, err);
    if (status == SL_OK)
        status = sl_cell_pictures(cell, program, &job, err);
    return status;
}

static void clear_estimates(struct sl_cell *cell)
{
    struct sl_estimate none = {NAN, NAN, NAN};
    cell->mean = cell->median = cell->p90 = cell->p95 = cell->p99 = cell->p999 = none;
    cell->cvar99 = cell->median_optimistic = cell->p99_optimistic = none;
    cell->max_us = cell->sd_us = cell->bound_us = NAN;
    cell->median_trial = cell->p99_trial = SL_NONE;
}

/* A plan that the engine refuses asks for more than the machine has, perhaps of bytes: its limits
 * count as mattering.  One that could not be made says nothing about them. */
static void note_refusal(struct sl_cell *cell)
{
    size_t domains = cell->scenario->platform.domain_names.count;
    if (!cell->plan.graph)
        return;
    cell->limit_mattered = sl_arena_array(&cell->arena, domains + 1, sizeof(bool));
    if (cell->limit_mattered)
        memset(cell->limit_mattered, 1, domains * sizeof(bool));
}

static void set_illegal(struct sl_cell *cell, const struct sl_error *why)
{
    note_refusal(cell);
    sl_plan_free(&cell->plan);
    cell->plan = (struct sl_plan){0};
    cell->verdict = SL_VERDICT_ILLEGAL;
    cell->trials = 0;
    snprintf(cell->reason, sizeof cell->reason, "%.500s", why->message);
}

enum sl_status sl_cell_run(struct sl_cell *cell, struct sl_scenario *scenario,
                           const struct sl_policy_spec *policy, const struct sl_cell_spec *spec,
                           const struct sl_run_options *options, struct sl_diags *diags,
                           struct sl_error *err)
{
    *cell = (struct sl_cell){.spec = *spec, .scenario = scenario};
    clear_estimates(cell);
    cell->trials = options->trials ? options->trials : scenario->trials;
    if (cell->trials == 0)
        return SL_FAIL(err, SL_INVALID, "the number of trials is 0; it must be at least 1");
    /* A plan that cannot be legal is an answer, not an error. */
    struct sl_error why = {0};
    struct sl_program *program = NULL;
    enum sl_status status = sl_policy_plan(&cell->plan, scenario, policy, diags, &why);
    if (status == SL_OK) {
        cell->plan.engine.corner = SL_CORNER_PESSIMISTIC;
        status = sl_program_create(&program, cell->plan.graph, &cell->plan.engine, &why);
    }
    if (status == SL_NO) {
        set_illegal(cell, &why);
        return SL_OK;
    }
    if (status != SL_OK) {
        if (err && err->status == SL_OK)
            *err = why;
        return status;
    }
    status = sl_cell_reserve(cell, err);
    if (status == SL_OK)
        status = run_program(cell, program, options, diags, err);
    sl_program_free(program);
    return status;
}

void sl_cell_free(struct sl_cell *cell)
{
    sl_plan_free(&cell->plan);
    sl_peer_waits_free(&cell->peer_sums);
    sl_arena_free(&cell->arena);
    *cell = (struct sl_cell){0};
}

int64_t *sl_cell_sorted_metrics(const struct sl_cell *cell)
{
    int64_t *sorted = malloc((size_t)cell->trials * sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, cell->metric_ps, (size_t)cell->trials * sizeof *sorted);
    sl_sort_integers(sorted, cell->trials);
    return sorted;
}

uint32_t sl_cell_trial_with(const struct sl_cell *cell, int64_t metric_ps)
{
    uint32_t trial = 0;
    while (cell->metric_ps[trial] != metric_ps)
        trial++;
    return trial;
}
