/* Replications of a cell in mode open or closed, on the threads of the pool. */
#include <config.h>

#include "cellparts.h"
#include "job_cell.h"
#include "job_source.h"
#include "job_telling.h"
#include "node_sums.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

double sl_job_cell_bytes(const struct sl_scenario *scenario)
{
    size_t counts = scenario->jobs.values.count - scenario->jobs.parameters.count;
    size_t numbers =
        (size_t)2 + sl_job_metric_count(scenario) + counts + sl_job_due_count(scenario->graph);
    double warmup = scenario->jobs.warmup < 0 ? SL_JOB_STRETCH_BYTES : 0;
    return (double)sl_job_mode_count(&scenario->jobs) *
           ((double)(numbers * sizeof(double) + sizeof(bool)) + warmup);
}

enum sl_status sl_job_cell_open(struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_job_mode *mode = &cell->scenario->jobs;
    struct sl_job_cell *jobs = cell->jobs = sl_arena_alloc(&cell->arena, sizeof *cell->jobs);
    if (!jobs)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    jobs->bottleneck = SL_NONE;
    size_t domains = cell->plan.graph->platform->domain_names.count;
    cell->limit_mattered = sl_arena_array(&cell->arena, domains + 1, sizeof(bool));
    if (!cell->limit_mattered)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status =
        sl_job_metrics_make(&jobs->metrics, cell->scenario, cell->plan.graph, &cell->arena, err);
    jobs->shape = (struct sl_job_shape){
        .resources = cell->plan.graph->platform->resource_names.count,
        .nodes = cell->plan.graph->node_count,
        .parameters = mode->parameters.count,
    };
    if (status == SL_OK)
        status = sl_job_batch_nodes(&jobs->shape, cell->plan.graph, &cell->arena, err);
    if (status == SL_OK)
        status = sl_job_shared_objects(&jobs->shape, cell->plan.graph, &cell->arena, err);
    if (status != SL_OK)
        return status;
    int64_t bound_ps = cell->scenario->starvation_bound_ps;
    const struct sl_jobs_options options = {
        .engine = cell->plan.engine,
        .clients = cell->scenario->mode == SL_MODE_CLOSED ? mode->concurrency : 0,
        .admitted_most = mode->admitted_most,
        .when_full = mode->reject_when_full ? SL_WHEN_FULL_REJECT : SL_WHEN_FULL_QUEUE,
        .by_memory = mode->memory != SL_NONE,
        .memory = mode->memory,
        .when_short = mode->reject_when_short ? SL_WHEN_FULL_REJECT : SL_WHEN_FULL_QUEUE,
        .parameter_count = mode->parameters.count,
        .bound_ps = bound_ps < 0 ? INT64_MAX : bound_ps,
        .marks = jobs->metrics.marks,
        .mark_count = jobs->metrics.mark_count,
    };
    return sl_jobs_program_create(&jobs->program, cell->plan.graph, &options, err);
}

/* ---- replications ---------------------------------------------------------------------------- */

struct run {
    struct sl_cell *cell;
    uint32_t had;
    uint64_t seed;
    const struct sl_run_options *options;
    struct sl_jobs_worker **workers; /* by seat; NULL: it had no replication yet */
};

/* Each trial has rows of its own in the arrays by trial. */
static void note_trial(struct sl_cell *cell, uint32_t trial, const struct sl_job_sample *sample,
                       const struct sl_jobs_totals *totals)
{
    size_t domains = cell->plan.graph->platform->domain_names.count, at = trial * domains;
    double mean_ps = sample->completed ? sample->latency_ps / (double)sample->completed : 0;
    cell->metric_ps[trial] = sample->deadlocked ? INT64_MAX : llround(mean_ps);
    cell->max_wait_ps[trial] = sample->longest_wait_ps;
    cell->starved[trial] = sample->starved < UINT32_MAX ? (uint32_t)sample->starved : UINT32_MAX;
    for (size_t d = 0; d < domains; d++) {
        cell->peak_bytes[at + d] = totals->peak_bytes[d];
        cell->staging_byte_s[at + d] = totals->staging_byte_s[d];
    }
}

static enum sl_status run_trial(struct run *run, uint32_t seat, uint32_t trial,
                                struct sl_error *err)
{
    struct sl_cell *cell = run->cell;
    struct sl_job_sample *sample = &cell->jobs->samples[trial];
    const struct sl_jobs_totals *totals;
    struct sl_job_source source = {0};
    enum sl_status status = SL_OK;
    if (!run->workers[seat])
        status = sl_jobs_worker_create(&run->workers[seat], cell->jobs->program, err);
    if (status == SL_OK)
        status = sl_jobs_worker_use(run->workers[seat], trial == 0, err);
    if (status == SL_OK)
        status = sl_job_sample_init(sample, &cell->jobs->metrics, &cell->jobs->shape,
                                    sl_job_mode_count(&cell->scenario->jobs),
                                    cell->scenario->jobs.warmup,
                                    cell->scenario->starvation_bound_ps, trial == 0, err);
    if (status == SL_OK)
        status = sl_job_source_open(&source, cell->scenario, run->seed, trial, err);
    if (status == SL_OK)
        status = sl_jobs_run(run->workers[seat], run->seed, trial, &source, sl_job_sample_visit,
                             sample, &totals, err);
    if (status == SL_OK)
        status = sl_job_sample_close(sample, totals, err);
    if (status == SL_OK)
        note_trial(cell, trial, sample, totals);
    sl_job_source_close(&source);
    return status;
}

static enum sl_status run_some(void *user, uint32_t seat, uint64_t first, uint32_t count,
                               uint32_t *done, struct sl_error *err)
{
    struct run *run = user;
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < count && status == SL_OK; k++) {
        status = run_trial(run, seat, run->had + (uint32_t)first + k, err);
        *done += status == SL_OK;
    }
    return status;
}

static bool pass_progress(void *user, uint64_t done)
{
    const struct run *run = user;
    const struct sl_run_options *options = run->options;
    return options->progress(options->user, run->had + done, run->cell->trials, 0, 1);
}

/* Jobs waited for admission, or were rejected: the domain by which they are admitted was short,
 * even where nodes never waited for its bytes. */
static bool memory_was_short(const struct sl_job_sample *sample)
{
    double waited = sl_job_sample_parts(sample, 0).admission;
    return waited > 0 || sample->rejected_for[SL_REJECTED_MEMORY] > 0 ||
           sample->rejected_for[SL_REJECTED_TOO_LARGE] > 0;
}

static void note_outcomes(struct sl_cell *cell, uint32_t had)
{
    uint32_t memory = cell->scenario->jobs.memory;
    for (uint32_t t = had; t < cell->trials; t++) {
        const struct sl_job_sample *sample = &cell->jobs->samples[t];
        cell->hypothetical |= sample->hypothetical;
        if (memory != SL_NONE)
            cell->limit_mattered[memory] |= memory_was_short(sample);
        for (uint32_t i = 0; i < cell->plan.graph->node_count; i++)
            cell->node_runs += (uint64_t)sample->node_runs[i];
        if (sample->deadlocked && cell->deadlocked++ == 0)
            snprintf(cell->reason, sizeof cell->reason, "trial %u: %.450s", (unsigned)t,
                     sample->deadlock);
    }
}

/* Once more the replication with the longest wait, if that is beyond the declared bound, to see who
 * overtook. */
static enum sl_status watch_longest(const struct run *run, struct sl_error *err)
{
    struct sl_cell *cell = run->cell;
    struct sl_job_starvation *longest = &cell->jobs->starvation;
    size_t nodes = cell->plan.graph->node_count;
    int64_t bound_ps = cell->scenario->starvation_bound_ps;
    const struct sl_jobs_totals *totals;
    struct sl_job_source source = {0};
    sl_job_starvation_find(longest, cell->jobs->samples, cell->trials);
    if (cell->deadlocked || bound_ps < 0 || longest->wait_ps <= bound_ps)
        return SL_OK;
    uint64_t *overtakers = sl_arena_array(&cell->arena, nodes, sizeof *overtakers);
    enum sl_status status =
        overtakers ? sl_job_source_open(&source, cell->scenario, run->seed, longest->trial, err)
                   : SL_FAIL(err, SL_SYSTEM, "out of memory for the longest wait");
    if (status == SL_OK && !run->workers[0]) /* the other threads ran all replications */
        status = sl_jobs_worker_create(&run->workers[0], cell->jobs->program, err);
    if (status != SL_OK) {
        sl_job_source_close(&source);
        return status;
    }
    sl_jobs_worker_watch(run->workers[0], longest->job, longest->node);
    status =
        sl_jobs_run(run->workers[0], run->seed, longest->trial, &source, NULL, NULL, &totals, err);
    sl_job_source_close(&source);
    if (status != SL_OK)
        return status;
    memcpy(overtakers, totals->overtakers, nodes * sizeof *overtakers);
    longest->overtakers = overtakers;
    return SL_OK;
}

enum sl_status sl_job_cell_run(struct sl_cell *cell, uint32_t had,
                               const struct sl_run_options *options, uint64_t seed,
                               struct sl_error *err)
{
    struct sl_job_cell *jobs = cell->jobs;
    uint32_t seats = sl_trials_threads(options->pool, cell->trials - had);
    struct run run = {.cell = cell, .had = had, .seed = seed, .options = options};
    run.workers = calloc(seats, sizeof *run.workers);
    if (!run.workers || !sl_grow((void **)&jobs->samples, &jobs->sample_capacity, cell->trials,
                                 sizeof *jobs->samples)) {
        free(run.workers);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %" PRIu32 " replications", cell->trials);
    }
    memset(&jobs->samples[had], 0, (cell->trials - had) * sizeof *jobs->samples);
    jobs->sample_count = cell->trials;
    const struct sl_items items = {.count = cell->trials - had,
                                   .seats = seats,
                                   .most_at_once = 1,
                                   .together = 1,
                                   .run = run_some,
                                   .progress = options->progress ? pass_progress : NULL,
                                   .user = &run};
    enum sl_status status = sl_pool_each(options->pool, &items, err);
    if (status == SL_OK) {
        note_outcomes(cell, had);
        status = watch_longest(&run, err);
    }
    if (status == SL_OK)
        status = sl_job_admission_tell(cell, seed, err);
    for (uint32_t s = 0; s < seats; s++)
        sl_jobs_worker_free(run.workers[s]);
    free(run.workers);
    return status;
}

/* ---- figures --------------------------------------------------------------------------------- */

static const struct sl_estimate endless = {(double)INFINITY, (double)NAN, (double)NAN};

/* The cell's own estimates are those of the objective's metric; a queue that grows has none. */
static void put_estimates(struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    const struct sl_job_estimates *main = &jobs->estimates[jobs->metrics.main];
    struct sl_estimate *const to[] = {
        [SL_JOB_MEAN] = &cell->mean,     [SL_JOB_MEDIAN] = &cell->median,
        [SL_JOB_P90] = &cell->p90,       [SL_JOB_P95] = &cell->p95,
        [SL_JOB_P99] = &cell->p99,       [SL_JOB_P999] = &cell->p999,
        [SL_JOB_CVAR99] = &cell->cvar99,
    };
    for (size_t f = 0; f < sizeof to / sizeof *to; f++)
        if (jobs->growth.grows)
            *to[f] = endless;
        else
            *to[f] = jobs->metrics.throughput ? jobs->time_per_job : main->figures[f].estimate;
    cell->max_us = main->max;
    cell->sd_us = main->sd;
    cell->bound_us = jobs->bound_us;
    for (uint32_t t = 0; t < cell->trials; t++)
        cell->metric_ps[t] = llround(jobs->trials[t].mean * (double)SL_PS_PER_US);
}

struct sl_estimate sl_job_cell_tail(const struct sl_job_cell *jobs)
{
    if (!jobs->estimated)
        return SL_NO_ESTIMATE;
    if (jobs->growth.grows)
        return endless;
    return jobs->metrics.throughput
               ? jobs->time_per_job
               : jobs->estimates[jobs->metrics.main].figures[SL_JOB_TAIL].estimate;
}

static void tell_growth(struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    char load[300] = "", slope[80] = "";
    if (jobs->bottleneck != SL_NONE)
        snprintf(load, sizeof load, "offered load %.3g at %.200s",
                 jobs->loads[jobs->bottleneck].offered.value,
                 cell->scenario->platform.resource_names.names[jobs->bottleneck]);
    if (jobs->growth.seen)
        snprintf(slope, sizeof slope, "the latency grows by %.3g s per second of arrivals%s",
                 jobs->growth.slope.value / 1e6, *load ? "; " : "");
    cell->verdict = SL_VERDICT_GROWS;
    snprintf(cell->reason, sizeof cell->reason, "no steady state: %s%s%s", slope, load,
             jobs->growth.seen ? "" : ", and from 1 on a queue grows as long as jobs arrive");
}

/* The verdict stays: nothing speaks against a steady state, and nothing for it. */
static void tell_too_few(struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    struct sl_estimate load = jobs->loads[jobs->bottleneck].offered;
    char interval[60] = "";
    if (!isnan(load.lo))
        snprintf(interval, sizeof interval, " [%.3g, %.3g]", load.lo, load.hi);
    snprintf(cell->reason, sizeof cell->reason,
             "too few jobs to tell whether a queue grows: offered load %.3g%s at %.200s, and from "
             "1 on one does; %u jobs per trial (run.jobs) would tell",
             load.value, interval, cell->scenario->platform.resource_names.names[jobs->bottleneck],
             SL_JOB_GROWTH_JOBS);
}

/* Of the first trial, whose use by windows is told. */
static enum sl_status find_windows(struct sl_job_cell *jobs, struct sl_arena *arena,
                                   struct sl_error *err)
{
    const struct sl_job_sample *sample = &jobs->samples[0];
    jobs->window_count = sl_job_window_count(sample, sample->window_ps);
    jobs->windows = sl_arena_array(arena, jobs->window_count + 1u, sizeof *jobs->windows);
    if (!jobs->windows)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for windows of jobs");
    return sl_job_windows(sample, sample->window_ps, jobs->windows, err);
}

enum sl_status sl_job_cell_estimate(struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_scenario *scenario = cell->scenario;
    const struct sl_arrivals *arrivals = scenario->jobs.arrivals;
    const struct sl_job_question question = {
        .platform = cell->plan.graph->platform,
        .tail = scenario->objective.tail,
        .warmup = scenario->jobs.warmup,
        .one_course = arrivals && sl_arrivals_is_trace(arrivals),
        .open = scenario->mode == SL_MODE_OPEN,
    };
    enum sl_status status = sl_job_estimate(cell->jobs, &question, &cell->arena, err);
    if (status != SL_OK)
        return status;
    put_estimates(cell);
    status = find_windows(cell->jobs, &cell->arena, err);
    if (status == SL_OK && cell->jobs->growth.grows)
        tell_growth(cell);
    else if (status == SL_OK && cell->jobs->growth.too_few)
        tell_too_few(cell);
    return status;
}

void sl_job_cell_free(struct sl_job_cell *jobs)
{
    if (!jobs)
        return;
    sl_jobs_program_free(jobs->program);
    for (uint32_t r = 0; r < jobs->sample_count; r++)
        sl_job_sample_free(&jobs->samples[r]);
    free(jobs->samples);
}
