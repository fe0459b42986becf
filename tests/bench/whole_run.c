/* Whole runs as described in whole_run.h. */
#include <config.h>

#include "job_cell.h"
#include "job_source.h"
#include "sweep.h"
#include "thread_pool.h"
#include "whole_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static double wall_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

static enum sl_status note(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    (void)err;
    *(double *)user = cell->mean.value;
    return SL_OK;
}

static struct sl_pool *make_pool(uint32_t threads)
{
    struct sl_pool *pool;
    struct sl_error err = {0};
    if (sl_pool_create(&pool, threads, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(EXIT_FAILURE);
    }
    return pool;
}

struct whole_run whole_run(const char *dir, uint32_t trials, uint32_t threads)
{
    struct whole_run run = {0};
    struct sl_pool *pool = threads > 1 ? make_pool(threads) : NULL;
    static const char *const baseline[] = {"as-given"};
    struct sl_sweep_request request = {
        .path = dir,
        .policies = baseline,
        .policy_count = 1,
        .no_axes = true,
        .options = {.trials = trials, .pool = pool},
        .sink = note,
        .user = &run.makespan_us,
    };
    struct sl_sweep_totals totals;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    double cpu = cpu_seconds(), wall = wall_seconds();
    if (sl_sweep_run(&request, &totals, &diags, &err) != SL_OK) {
        fprintf(stderr, "%s: %s\n", dir, err.message);
        exit(EXIT_FAILURE);
    }
    run.cpu_s = cpu_seconds() - cpu;
    run.wall_s = wall_seconds() - wall;
    sl_pool_free(pool);
    run.nodes = totals.nodes;
    sl_diags_free(&diags);
    return run;
}

struct whole_run whole_run_difference(const char *dir, uint32_t few, uint32_t more,
                                      uint32_t threads)
{
    struct whole_run first = whole_run(dir, few, threads),
                     all = whole_run(dir, few + more, threads);
    return (struct whole_run){.cpu_s = all.cpu_s - first.cpu_s,
                              .wall_s = all.wall_s - first.wall_s,
                              .nodes = all.nodes - first.nodes,
                              .makespan_us = all.makespan_us};
}

/* A cell of policy as-given, opened; ends the program when that fails. */
struct opened {
    struct sl_scenario scenario;
    struct sl_cell cell;
    struct sl_cell_spec spec;
};

static void open_cell(struct opened *opened, const char *dir)
{
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    *opened = (struct opened){.spec = {.policy = "as-given"}};
    enum sl_status status = sl_scenario_load(&opened->scenario, dir, NULL, 0, &diags, &err);
    if (status == SL_OK)
        status = sl_cell_open(&opened->cell, &opened->scenario,
                              sl_scenario_policy(&opened->scenario, opened->spec.policy),
                              &opened->spec, &diags, &err);
    sl_diags_free(&diags);
    if (status == SL_OK)
        return;
    fprintf(stderr, "%s: %s\n", dir, err.message);
    exit(EXIT_FAILURE);
}

static void close_cell(struct opened *opened)
{
    sl_cell_free(&opened->cell);
    sl_scenario_free(&opened->scenario);
}

static enum sl_status look_away(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    return SL_OK;
}

double engine_ns(const char *dir, uint32_t trials, unsigned flags, bool together)
{
    struct opened opened;
    struct sl_error err = {0};
    struct sl_worker *worker = NULL;
    open_cell(&opened, dir);
    uint32_t *numbers = calloc(trials, sizeof *numbers), done = 0;
    for (uint32_t t = 0; numbers && t < trials; t++)
        numbers[t] = t;
    if (!numbers || sl_worker_create(&worker, opened.cell.program, &err) != SL_OK)
        exit(EXIT_FAILURE);
    double begin = cpu_seconds();
    uint32_t lot = together ? trials : 1;
    for (uint32_t t = 0; t < trials; t += lot)
        if (sl_worker_run_all(worker, 1, numbers + t, lot, flags, look_away, NULL, &done, &err))
            exit(EXIT_FAILURE);
    double seconds = cpu_seconds() - begin;
    uint32_t nodes = opened.cell.plan.graph->node_count;
    sl_worker_free(worker);
    free(numbers);
    close_cell(&opened);
    return seconds * 1e9 / nodes / trials;
}

/* Runs `work` in a process of its own, which is to write `size` bytes into `result`; returns its
 * resident memory at most, KiB. */
static double apart(void (*work)(const char *dir, void *result), const char *dir, void *result,
                    size_t size)
{
    int ends[2], state = 1;
    struct rusage used = {0};
    fflush(stdout);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        work(dir, result);
        _exit(write(ends[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    bool read_it = child > 0 && read(ends[0], result, size) == (ssize_t)size;
    if (!read_it || wait4(child, &state, 0, &used) < 0 || state != 0) {
        fprintf(stderr, "%s: a run in a process of its own failed\n", dir);
        exit(EXIT_FAILURE);
    }
    close(ends[0]);
    close(ends[1]);
    return (double)used.ru_maxrss;
}

/* Fills what is known in the child: the parent learns of the memory. */
/* Of this process so far. */
static double peak_gib(void)
{
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss / 0x1p20;
}

static void load_and_run(const char *dir, void *result)
{
    struct first_trial *times = result;
    struct opened opened;
    struct sl_error err = {0};
    const struct sl_run_options options = {.trials = 1};
    open_cell(&opened, dir);
    times->load_s = cpu_seconds();
    times->load_gib = peak_gib();
    if (sl_cell_run_trials(&opened.cell, &options, &err) != SL_OK) {
        fprintf(stderr, "%s: %s\n", dir, err.message);
        exit(EXIT_FAILURE);
    }
    times->all_s = cpu_seconds();
}

struct first_trial first_trial(const char *dir)
{
    struct first_trial times = {0};
    double kib = apart(load_and_run, dir, &times, sizeof times);
    times.peak_gib = kib / 0x1p20;
    return times;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static enum sl_status add_response(void *user, const struct sl_job_record *job,
                                   struct sl_error *err)
{
    (void)err;
    *(double *)user += (double)(job->finish_ps - job->arrival_ps) * 1e-6;
    return SL_OK;
}

struct jobs_cost engine_jobs(const char *dir)
{
    struct opened opened;
    struct sl_error err = {0};
    struct sl_jobs_worker *worker;
    struct sl_job_source source;
    const struct sl_jobs_totals *totals;
    double response_us = 0;
    open_cell(&opened, dir);
    if (sl_jobs_worker_create(&worker, opened.cell.jobs->program, &err) != SL_OK ||
        sl_job_source_open(&source, &opened.scenario, 1, 0, &err) != SL_OK)
        exit(EXIT_FAILURE);
    double begin = cpu_seconds();
    if (sl_jobs_run(worker, 1, 0, &source, add_response, &response_us, &totals, &err) != SL_OK) {
        fprintf(stderr, "%s: %s\n", dir, err.message);
        exit(EXIT_FAILURE);
    }
    double jobs = (double)totals->completed;
    struct jobs_cost cost = {(cpu_seconds() - begin) * 1e9 / jobs, response_us / jobs};
    sl_job_source_close(&source);
    sl_jobs_worker_free(worker);
    close_cell(&opened);
    return cost;
}

static void jobs_apart(const char *dir, void *result)
{
    *(struct jobs_cost *)result = engine_jobs(dir);
}

double engine_jobs_kib(const char *dir)
{
    struct jobs_cost cost;
    return apart(jobs_apart, dir, &cost, sizeof cost);
}

static void run_apart(const char *dir, void *result)
{
    *(struct whole_run *)result = whole_run(dir, 1, 1);
}

double whole_run_kib(const char *dir)
{
    struct whole_run run;
    return apart(run_apart, dir, &run, sizeof run);
}
