/* Whole runs as described in whole_run.h. */
#include <config.h>

#include "sweep.h"
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

struct whole_run whole_run(const char *dir, uint32_t trials, uint32_t threads)
{
    struct whole_run run = {0};
    static const char *const baseline[] = {"as-given"};
    struct sl_sweep_request request = {
        .path = dir,
        .policies = baseline,
        .policy_count = 1,
        .no_axes = true,
        .options = {.trials = trials, .threads = threads},
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

/* Fills what is known in the child: the parent learns of the memory. */
static struct first_trial load_and_run(const char *dir)
{
    struct first_trial times = {0};
    struct sl_scenario scenario = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct sl_cell cell = {0};
    const struct sl_cell_spec spec = {.policy = "as-given"};
    const struct sl_run_options options = {.trials = 1, .threads = 1};
    enum sl_status status = sl_scenario_load(&scenario, dir, NULL, 0, &diags, &err);
    if (status == SL_OK)
        status = sl_cell_open(&cell, &scenario, sl_scenario_policy(&scenario, spec.policy), &spec,
                              &diags, &err);
    times.load_s = cpu_seconds();
    if (status == SL_OK)
        status = sl_cell_run_trials(&cell, &options, &err);
    times.all_s = cpu_seconds();
    if (status != SL_OK)
        fprintf(stderr, "%s: %s\n", dir, err.message);
    return times;
}

struct first_trial first_trial(const char *dir)
{
    int ends[2], state = 1;
    struct first_trial times = {0};
    struct rusage used = {0};
    fflush(stdout);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        times = load_and_run(dir);
        _exit(write(ends[1], &times, sizeof times) == sizeof times ? 0 : 1);
    }
    bool read_it = child > 0 && read(ends[0], &times, sizeof times) == sizeof times;
    if (!read_it || wait4(child, &state, 0, &used) < 0 || state != 0) {
        fprintf(stderr, "%s: the first trial failed\n", dir);
        exit(EXIT_FAILURE);
    }
    close(ends[0]);
    close(ends[1]);
    times.peak_gib = (double)used.ru_maxrss / 0x1p20; /* from KiB */
    return times;
}
