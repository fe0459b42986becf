/* One cell: plan, run trials in one lot or several, reduce, draw. */
#include <config.h>

#include "cellparts.h"
#include "clock.h"
#include "job_cell.h"
#include "portion.h"
#include "tallies.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_UNTIL 10000000 /* trials that nobody stated */
#define NODE_BYTES 4096     /* of a plan, its program, a worker and the sums, about */

/* Bytes that each trial takes: its row of a cell, and its jobs. */
static double trial_bytes(const struct sl_scenario *scenario)
{
    size_t domains = scenario->platform.domain_names.count;
    size_t row = (5 + SL_STALLS) * sizeof(int64_t) + sizeof(uint32_t) +
                 domains * (sizeof(int64_t) + sizeof(double));
    return (double)row + (sl_scenario_has_jobs(scenario) ? sl_job_cell_bytes(scenario) : 0);
}

double sl_cell_bytes(const struct sl_scenario *scenario, uint64_t trials)
{
    return trial_bytes(scenario) * (double)trials +
           (double)NODE_BYTES * scenario->graph->node_count;
}

double sl_machine_bytes(void)
{
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return bytes > 0 ? bytes : 0;
}

/* While arrays grow, the old ones are there too. */
static enum sl_status check_memory(const struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    double need = trial_bytes(cell->scenario) * ((double)cell->trials + had);
    double have = sl_machine_bytes();
    if (need > have && have > 0)
        return SL_FAIL(err, SL_SYSTEM,
                       "%" PRIu32 " trials need %.1f GiB of memory and this machine has %.1f GiB; "
                       "run fewer trials",
                       cell->trials, need / 0x1p30, have / 0x1p30);
    return SL_OK;
}

/* Room for cell->trials trials in the arrays by trial, of which `had` are there. */
static enum sl_status reserve_trials(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    size_t domains = cell->plan.graph->platform->domain_names.count, n = cell->trials;
    enum sl_status status = check_memory(cell, had, err);
    if (status != SL_OK)
        return status;
    cell->metric_ps = sl_cell_more_rows(cell, cell->metric_ps, had, n, sizeof(int64_t));
    cell->bound_path_ps = sl_cell_more_rows(cell, cell->bound_path_ps, had, n, sizeof(int64_t));
    cell->bound_load_ps = sl_cell_more_rows(cell, cell->bound_load_ps, had, n, sizeof(int64_t));
    cell->max_wait_ps = sl_cell_more_rows(cell, cell->max_wait_ps, had, n, sizeof(int64_t));
    cell->starved = sl_cell_more_rows(cell, cell->starved, had, n, sizeof(uint32_t));
    cell->stall_ps = sl_cell_more_rows(cell, cell->stall_ps, had, n, SL_STALLS * sizeof(int64_t));
    cell->peak_bytes = sl_cell_more_rows(cell, cell->peak_bytes, had, n, domains * sizeof(int64_t));
    cell->staging_byte_s =
        sl_cell_more_rows(cell, cell->staging_byte_s, had, n, domains * sizeof(double));
    bool ok = cell->metric_ps && cell->bound_path_ps && cell->bound_load_ps && cell->max_wait_ps &&
              cell->starved && cell->stall_ps && cell->peak_bytes && cell->staging_byte_s;
    if (ok)
        return cell->jobs ? SL_OK : sl_cell_grow_tallies(cell, had, err);
    return SL_FAIL(err, SL_SYSTEM,
                   "not enough memory for %" PRIu32 " trials (%.1f GiB); run fewer trials",
                   cell->trials, trial_bytes(cell->scenario) * cell->trials / 0x1p30);
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

static uint64_t seed_of(const struct sl_cell *cell, const struct sl_run_options *options)
{
    return options->seed_given ? options->seed : cell->scenario->seed;
}

static struct sl_trials_job job_of(const struct sl_cell *cell, const struct sl_run_options *options,
                                   struct cell_progress *progress)
{
    return (struct sl_trials_job){
        .program = cell->program,
        .trials = cell->trials,
        .seed = seed_of(cell, options),
        .pool = options->pool,
        .threads = sl_trials_threads(options->pool, cell->trials),
        .progress = options->progress ? pass_progress : NULL,
        .user = progress,
    };
}

uint32_t sl_asked_trials(const struct sl_run_options *options, const struct sl_scenario *scenario)
{
    return options->trials ? options->trials : scenario->trials;
}

uint32_t sl_asked_inner(const struct sl_run_options *options, const struct sl_scenario *scenario)
{
    return sl_outer_inner(sl_asked_trials(options, scenario), scenario->objective.tail);
}

static uint64_t outer_trials(const struct sl_cell *cell, const struct sl_run_options *options)
{
    uint32_t draws = options->nominal ? 0 : cell->scenario->outer;
    return (uint64_t)draws * sl_asked_inner(options, cell->scenario);
}

/* Of the cell's policy, when it is the input's fault: a sweep runs many. */
static enum sl_status name_policy(const struct sl_cell *cell, const struct sl_error *failure,
                                  struct sl_error *err)
{
    if (failure->status == SL_INVALID)
        return SL_FAIL(err, SL_INVALID, "policy '%s': %s", cell->spec.policy, failure->message);
    if (err && err->status == SL_OK)
        *err = *failure;
    return failure->status;
}

static void clear_estimates(struct sl_cell *cell)
{
    cell->mean = cell->median = cell->p90 = cell->p95 = cell->p99 = cell->p999 = SL_NO_ESTIMATE;
    cell->cvar99 = cell->median_optimistic = cell->p99_optimistic = SL_NO_ESTIMATE;
    cell->max_us = cell->sd_us = cell->bound_us = NAN;
    cell->median_trial = cell->p99_trial = SL_NONE;
}

/* An illegal plan cannot. */
static bool can_run(const struct sl_cell *cell)
{
    return cell->program || cell->jobs;
}

/* Runs trials first .. cell->trials - 1 where the rows of `had` are there. */
static enum sl_status run_from(struct sl_cell *cell, uint32_t had, uint32_t first,
                               const struct sl_run_options *options, struct sl_error *err)
{
    const struct sl_cell_helpers *helpers = options->helpers;
    struct cell_progress progress = {
        .options = options, .before = first, .total = cell->trials + outer_trials(cell, options)};
    struct sl_trials_job job = job_of(cell, options, &progress);
    double begin = sl_clock_s();
    struct sl_error failure = {0};
    enum sl_status status = reserve_trials(cell, had, err);
    if (status == SL_OK && cell->jobs)
        status = sl_job_cell_run(cell, first, options, job.seed, &failure);
    else if (status == SL_OK)
        status = helpers ? helpers->collect(helpers->user, cell, first, &job, &failure)
                         : sl_cell_collect(cell, first, &job, &failure);
    if (failure.status != SL_OK)
        status = name_policy(cell, &failure, err);
    cell->seconds += sl_clock_s() - begin;
    return status;
}

enum sl_status sl_cell_extend(struct sl_cell *cell, uint32_t trials,
                              const struct sl_run_options *options, struct sl_error *err)
{
    uint32_t had = cell->trials;
    if (!can_run(cell) || trials <= had)
        return SL_OK;
    cell->trials = trials;
    return run_from(cell, had, had, options, err);
}

enum sl_status sl_cell_run_portion(struct sl_cell *cell, uint32_t first, uint32_t trials,
                                   const struct sl_run_options *options, struct sl_error *err)
{
    cell->trials = first + trials;
    return run_from(cell, 0, first, options, err);
}

enum sl_status sl_cell_renew(struct sl_cell *cell, struct sl_error *err)
{
    struct sl_cell fresh = {.spec = cell->spec,
                            .plan = cell->plan,
                            .program = cell->program,
                            .scenario = cell->scenario};
    sl_peer_waits_free(&cell->peer_sums);
    sl_arena_free(&cell->arena);
    *cell = fresh;
    clear_estimates(cell);
    return sl_cell_begin(cell, err);
}

uint32_t sl_until_most(const struct sl_scenario *scenario)
{
    uint64_t most = UINT64_C(100) * scenario->trials;
    most = most < MOST_UNTIL ? most : MOST_UNTIL;
    return most > scenario->trials ? (uint32_t)most : scenario->trials;
}

static enum sl_status look(struct sl_cell *cell, struct sl_error *err)
{
    double *values = malloc((size_t)cell->trials * sizeof *values);
    if (!values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a look at %" PRIu32 " trials",
                       cell->trials);
    for (uint32_t t = 0; t < cell->trials; t++)
        values[t] = sl_us_of(cell->metric_ps[t]);
    enum sl_status status = sl_until_look(&cell->until, values, cell->trials, err);
    free(values);
    return status;
}

/* The report is about the tail too, whatever figure says when to stop. */
static uint32_t tail_trials(const struct sl_scenario *scenario)
{
    size_t least = sl_quantile_min_n(scenario->objective.tail, SL_LEVEL_CONFIDENCE);
    return least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

enum sl_status sl_cell_run_trials(struct sl_cell *cell, const struct sl_run_options *options,
                                  struct sl_error *err)
{
    uint32_t most = sl_asked_trials(options, cell->scenario);
    if (!(options->until.width > 0) || !cell->program)
        return sl_cell_extend(cell, most, options, err);
    if (options->trials == 0)
        most = sl_until_most(cell->scenario);
    struct sl_until_result *until = &cell->until;
    until->asked = options->until;
    until->looks = sl_until_looks(&options->until, tail_trials(cell->scenario), most);
    until->exact = !sl_program_is_random(cell->program);
    enum sl_status status = SL_OK;
    while (status == SL_OK && !until->reached && cell->deadlocked == 0 && cell->trials < most) {
        status =
            sl_cell_extend(cell, sl_until_trials(&until->looks, most, until->look), options, err);
        if (status == SL_OK)
            status = look(cell, err);
    }
    return status;
}

/* Draws of the calibration, where they are asked for and the nominal plan completes a trial. */
static enum sl_status run_outer(struct sl_cell *cell, const struct sl_trials_job *job,
                                const struct sl_run_options *options, struct sl_error *err)
{
    const struct sl_scenario *scenario = cell->scenario;
    if (outer_trials(cell, options) == 0 || cell->verdict == SL_VERDICT_DEADLOCK)
        return SL_OK;
    struct sl_outer_request request = {
        .plan = cell->plan.graph,
        .engine = &cell->plan.engine,
        .draws = scenario->outer,
        .inner = sl_asked_inner(options, scenario),
        .pool = options->pool,
        .tail = scenario->objective.tail,
        .seed = job->seed,
        .progress = job->progress,
        .user = job->user,
    };
    return sl_outer_run(&cell->outer, &request, &cell->arena, err);
}

static enum sl_status finish_jobs(struct sl_cell *cell, struct sl_diags *diags,
                                  struct sl_error *err)
{
    enum sl_status status = cell->deadlocked > 0 ? SL_OK : sl_job_cell_estimate(cell, err);
    if (status != SL_OK)
        return status;
    sl_cell_mark_limits(cell);
    return cell->verdict == SL_VERDICT_GROWS
               ? SL_OK
               : sl_cell_judge(cell, sl_job_cell_tail(cell->jobs).value, diags, err);
}

/* The other corner, the reductions, the pictures and the draws of the calibration. */
enum sl_status sl_cell_finish(struct sl_cell *cell, const struct sl_run_options *options,
                              struct sl_diags *diags, struct sl_error *err)
{
    if (cell->jobs)
        return finish_jobs(cell, diags, err);
    if (!cell->program)
        return SL_OK;
    struct cell_progress progress = {.options = options,
                                     .before = cell->trials,
                                     .total =
                                         2 * (uint64_t)cell->trials + outer_trials(cell, options)};
    struct sl_trials_job job = job_of(cell, options, &progress);
    enum sl_status status = sl_cell_finish_tallies(cell, err);
    if (status == SL_OK && cell->hypothetical &&
        cell->scenario->platform.kappa.unknown == SL_UNKNOWN_BOUND) {
        double begin = sl_clock_s();
        status = sl_cell_collect_optimistic(cell, &job, err);
        cell->seconds += sl_clock_s() - begin;
    }
    if (status == SL_OK)
        status = sl_cell_reduce(cell, diags, err);
    if (status == SL_OK)
        status = sl_cell_tail_chain(cell, cell->program, &job, err);
    if (status == SL_OK)
        status = sl_cell_pictures(cell, cell->program, &job, err);
    sl_program_free(cell->program);
    cell->program = NULL;
    progress.before = progress.total - outer_trials(cell, options);
    return status == SL_OK ? run_outer(cell, &job, options, err) : status;
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
    sl_job_cell_free(cell->jobs);
    cell->jobs = NULL;
    sl_plan_free(&cell->plan);
    cell->plan = (struct sl_plan){0};
    cell->verdict = SL_VERDICT_ILLEGAL;
    cell->trials = 0;
    snprintf(cell->reason, sizeof cell->reason, "%.500s", why->message);
}

void sl_cell_refuse(struct sl_cell *cell, struct sl_scenario *scenario,
                    const struct sl_cell_spec *spec, const struct sl_error *why)
{
    *cell = (struct sl_cell){.spec = *spec, .scenario = scenario};
    clear_estimates(cell);
    set_illegal(cell, why);
}

/* The reason outlives the program. */
static enum sl_status note_order(struct sl_cell *cell, struct sl_error *err)
{
    const char *why = "its jobs share what they run on";
    if (cell->program && sl_program_order_is_fixed(cell->program, &why))
        return SL_OK;
    cell->not_fixed = sl_arena_strdup(&cell->arena, why);
    return cell->not_fixed ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* Of a plan that may have failed, as *why says: what cannot be legal is an answer, not an error. */
static enum sl_status open_planned(struct sl_cell *cell, enum sl_status status,
                                   struct sl_error *why, struct sl_error *err)
{
    if (status == SL_OK) {
        cell->plan.engine.corner = SL_CORNER_PESSIMISTIC;
        status = sl_scenario_has_jobs(cell->scenario)
                     ? sl_job_cell_open(cell, why)
                     : sl_program_create(&cell->program, cell->plan.graph, &cell->plan.engine, why);
    }
    if (status == SL_NO) {
        set_illegal(cell, why);
        return SL_OK;
    }
    if (status != SL_OK) {
        if (err && err->status == SL_OK)
            *err = *why;
        return status;
    }
    status = note_order(cell, err);
    if (cell->jobs)
        return status;
    return status == SL_OK ? sl_cell_begin(cell, err) : status;
}

enum sl_status sl_cell_open(struct sl_cell *cell, struct sl_scenario *scenario,
                            const struct sl_policy_spec *policy, const struct sl_cell_spec *spec,
                            struct sl_diags *diags, struct sl_error *err)
{
    struct sl_error why = {0};
    *cell = (struct sl_cell){.spec = *spec, .scenario = scenario};
    clear_estimates(cell);
    enum sl_status status = sl_policy_plan(&cell->plan, scenario, policy, diags, &why);
    return open_planned(cell, status, &why, err);
}

enum sl_status sl_cell_open_plan(struct sl_cell *cell, struct sl_scenario *scenario,
                                 struct sl_plan *plan, const struct sl_cell_spec *spec,
                                 struct sl_error *err)
{
    struct sl_error why = {0};
    *cell = (struct sl_cell){.spec = *spec, .scenario = scenario, .plan = *plan};
    *plan = (struct sl_plan){0};
    clear_estimates(cell);
    return open_planned(cell, SL_OK, &why, err);
}

enum sl_status sl_cell_run(struct sl_cell *cell, struct sl_scenario *scenario,
                           const struct sl_policy_spec *policy, const struct sl_cell_spec *spec,
                           const struct sl_run_options *options, struct sl_diags *diags,
                           struct sl_error *err)
{
    *cell = (struct sl_cell){0};
    if (options->trials == 0 && scenario->trials == 0)
        return SL_FAIL(err, SL_INVALID, "the number of trials is 0; it must be at least 1");
    enum sl_status status = sl_cell_open(cell, scenario, policy, spec, diags, err);
    if (status == SL_OK)
        status = sl_cell_run_trials(cell, options, err);
    if (status == SL_OK)
        status = sl_cell_finish(cell, options, diags, err);
    return status;
}

void sl_cell_free(struct sl_cell *cell)
{
    sl_program_free(cell->program);
    sl_job_cell_free(cell->jobs);
    sl_plan_free(&cell->plan);
    sl_peer_waits_free(&cell->peer_sums);
    sl_arena_free(&cell->arena);
    *cell = (struct sl_cell){0};
}

uint32_t sl_cell_trial_with(const struct sl_cell *cell, int64_t metric_ps)
{
    uint32_t trial = 0;
    while (cell->metric_ps[trial] != metric_ps)
        trial++;
    return trial;
}
