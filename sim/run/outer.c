/* Outer draws: the plan at each draw of the calibration, its inner trials, and their band. */
#include <config.h>

#include "outer.h"
#include "trials.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t sl_outer_inner(uint32_t trials, double tail)
{
    size_t least = sl_quantile_min_n(tail, 0.95);
    uint32_t tenth = trials / 10 + (trials % 10 > 0);
    return least > UINT32_MAX ? UINT32_MAX : tenth > least ? tenth : (uint32_t)least;
}

enum sl_status sl_outer_check(uint32_t draws, uint32_t inner, struct sl_error *err)
{
    if ((uint64_t)draws * inner <= UINT32_MAX)
        return SL_OK;
    return SL_FAIL(err, SL_USAGE,
                   "%u calibration draws of %u trials are more than 4,294,967,295 trials: take "
                   "fewer trials or a lower run.outer",
                   draws, inner);
}

/* What the draws share while they run. */
struct run {
    const struct sl_outer_request *request;
    struct sl_outer *outer;
    struct sl_ignorance *ignorance;
    uint32_t draw;
    uint32_t *numbers; /* of the draw's trials */
    double *metric_us; /* by inner trial; sorted at last */
    double *weights, *variances;
    void **states;
};

static enum sl_status take_trial(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct run *run = state;
    (void)err;
    run->metric_us[record->trial - run->numbers[0]] =
        sl_us_of(record->outcome == SL_DEADLOCK ? INT64_MAX : record->makespan_ps);
    return SL_OK;
}

static bool pass_progress(void *user, uint64_t done)
{
    const struct run *run = user;
    return run->request->progress(run->request->user,
                                  (uint64_t)run->draw * run->request->inner + done);
}

/* The story of the first deadlock of all draws, from its trial run again. */
static enum sl_status tell_deadlock(struct run *run, const struct sl_program *program,
                                    struct sl_arena *arena, struct sl_error *err)
{
    struct sl_worker *worker = NULL;
    const struct sl_trial *record;
    uint32_t trial = 0;
    while (!isinf(run->metric_us[trial]))
        trial++;
    enum sl_status status = sl_worker_create(&worker, program, err);
    if (status == SL_OK)
        status = sl_worker_run(worker, run->request->seed, run->numbers[trial], 0, &record, err);
    if (status == SL_OK && record->deadlock)
        run->outer->deadlock = sl_arena_strdup(arena, record->deadlock);
    sl_worker_free(worker);
    return status;
}

static enum sl_status reduce(struct run *run, const struct sl_program *program,
                             struct sl_arena *arena, struct sl_error *err)
{
    struct sl_outer *outer = run->outer;
    uint32_t d = run->draw, inner = outer->inner;
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < inner; k++)
        outer->deadlocked[d] += isinf(run->metric_us[k]) ? 1 : 0;
    if (outer->deadlocked[d] > 0 && outer->deadlocked_draws++ == 0) {
        outer->first_deadlocked = d;
        status = tell_deadlock(run, program, arena, err);
    }
    sl_sort_doubles(run->metric_us, inner);
    outer->median_us[d] = run->metric_us[sl_quantile_rank(inner, 0.5) - 1];
    outer->tail_us[d] = run->metric_us[sl_quantile_rank(inner, run->request->tail) - 1];
    run->variances[d] = sl_quantile_variance(run->metric_us, run->weights, inner);
    return status;
}

static enum sl_status run_draw(struct run *run, struct sl_arena *arena, struct sl_error *err)
{
    const struct sl_outer_request *request = run->request;
    double *normals = &run->outer->normals[(size_t)run->draw * run->outer->source_count];
    struct sl_program *program = NULL;
    sl_ignorance_draw(run->ignorance, request->seed, run->draw, normals);
    for (uint32_t k = 0; k < request->inner; k++)
        run->numbers[k] = run->draw * request->inner + k;
    struct sl_changed changed;
    enum sl_status status = sl_ignorance_apply(run->ignorance, normals, &changed, err);
    if (status == SL_OK)
        status = sl_program_create(&program, changed.graph, request->engine, err);
    struct sl_trials_job job = {
        .program = program,
        .seed = request->seed,
        .trials = request->inner,
        .numbers = run->numbers,
        .pool = request->pool,
        .threads = sl_trials_threads(request->pool, request->inner),
        .flags = SL_ONLY_MAKESPAN,
        .visit = take_trial,
        .states = run->states,
        .progress = request->progress ? pass_progress : NULL,
        .user = run,
    };
    if (status == SL_OK)
        status = sl_trials_run(&job, err);
    if (status == SL_OK)
        status = reduce(run, program, arena, err);
    sl_program_free(program);
    sl_changed_free(&changed);
    return status;
}

static bool reserve(struct sl_outer *outer, const struct sl_ignorance *ignorance,
                    struct sl_arena *arena)
{
    size_t draws = outer->draws, sources = ignorance->source_count;
    outer->source_count = ignorance->source_count;
    outer->median_us = sl_arena_array(arena, draws, sizeof(double));
    outer->tail_us = sl_arena_array(arena, draws, sizeof(double));
    outer->deadlocked = sl_arena_array(arena, draws, sizeof(uint32_t));
    outer->normals = sl_arena_array(arena, draws, (sources + 1) * sizeof(double));
    outer->sources = sl_arena_array(arena, sources + 1, sizeof *outer->sources);
    outer->correlation = sl_arena_array(arena, sources + 1, sizeof(double));
    outer->exact = sl_arena_strdup(arena, ignorance->exact);
    if (!outer->median_us || !outer->tail_us || !outer->deadlocked || !outer->normals ||
        !outer->sources || !outer->correlation || !outer->exact)
        return false;
    memcpy(outer->sources, ignorance->sources, sources * sizeof *outer->sources);
    return true;
}

static bool run_init(struct run *run)
{
    uint32_t threads = sl_trials_threads(run->request->pool, run->request->inner);
    size_t inner = run->request->inner;
    run->numbers = malloc(inner * sizeof *run->numbers);
    run->metric_us = malloc(inner * sizeof *run->metric_us);
    run->weights = malloc(inner * sizeof *run->weights);
    run->variances = malloc(run->request->draws * sizeof *run->variances);
    run->states = calloc(threads, sizeof *run->states);
    if (!run->numbers || !run->metric_us || !run->weights || !run->variances || !run->states)
        return false;
    for (uint32_t t = 0; t < threads; t++)
        run->states[t] = run; /* threads write different trials only */
    sl_quantile_weights(run->weights, inner, run->request->tail);
    return true;
}

static void run_free(struct run *run)
{
    free(run->numbers);
    free(run->metric_us);
    free(run->weights);
    free(run->variances);
    free(run->states);
}

/* What moves the tail most. */
static enum sl_status correlate(struct sl_outer *outer, struct sl_error *err)
{
    double *column = malloc(3 * (size_t)outer->draws * sizeof *column);
    if (!column)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u calibration draws", outer->draws);
    for (uint32_t s = 0; s < outer->source_count; s++) {
        for (uint32_t d = 0; d < outer->draws; d++)
            column[d] = outer->normals[(size_t)d * outer->source_count + s];
        outer->correlation[s] =
            sl_rank_correlation(column, outer->tail_us, outer->draws, &column[outer->draws]);
    }
    free(column);
    return SL_OK;
}

enum sl_status sl_outer_run(struct sl_outer *outer, const struct sl_outer_request *request,
                            struct sl_arena *arena, struct sl_error *err)
{
    struct sl_ignorance ignorance;
    struct run run = {.request = request, .outer = outer, .ignorance = &ignorance};
    *outer = (struct sl_outer){
        .draws = request->draws, .inner = request->inner, .first_deadlocked = SL_NONE};
    enum sl_status status = sl_outer_check(request->draws, request->inner, err);
    if (status != SL_OK)
        return status;
    status = sl_ignorance_find(&ignorance, request->plan, err);
    if (status == SL_OK && (!reserve(outer, &ignorance, arena) || !run_init(&run)))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for %u calibration draws", request->draws);
    for (; run.draw < request->draws && status == SL_OK; run.draw++)
        status = run_draw(&run, arena, err);
    if (status == SL_OK)
        status = sl_band_of(&outer->band, outer->tail_us, run.variances, outer->draws, err);
    if (status == SL_OK)
        status = correlate(outer, err);
    run_free(&run);
    sl_ignorance_free(&ignorance);
    return status;
}
