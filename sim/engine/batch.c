/* The frame of a batch: draws, the pass, and then trial by trial the replay, the record, the visit.
 * A trial that the pass cannot tell runs by events in its turn, and so does a single one. */
#include "batch.h"
#include <string.h>

bool sl_program_order_is_fixed(const struct sl_program *program, const char **why)
{
    if (why)
        *why = program->batch_refusal;
    return program->batch != NULL;
}

/* Allocates `count` elements into *pointer, from the begin of a cache line, as the arena has it for
 * 1024 bytes and more; false when out of memory. */
static bool take(struct sl_worker *w, void *pointer, uint64_t count, size_t size)
{
    void *memory = sl_arena_array(&w->arena, (size_t)count + 1024 / size, size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}
#define TAKE(field, count) take(w, &run->field, (count), sizeof *run->field)

/* Eight arrays side by side would fall upon one set of the cache where n is a power of two. */
static size_t stride_of(uint32_t n)
{
    return ((size_t)n + 63) / 64 * 64 + 8;
}

static bool take_arrays(struct sl_worker *w, struct batch_run *run)
{
    const struct sl_program *p = w->p;
    const struct batch_plan *plan = p->batch;
    uint64_t n = p->n, places = n + 2, items = 3 * (uint64_t)plan->replayed_count;
    run->stride = stride_of(p->n);
    run->period_stride = plan->few_chains ? stride_of(p->n + SL_BATCH_CHAINS) : 0;
    if (!TAKE(hold, SL_BATCH * run->stride) || !TAKE(start, places) || !TAKE(finish, places) ||
        !TAKE(why, places) || !TAKE(makespan, 1) || !TAKE(state, n) || !TAKE(by_free, n) ||
        !TAKE(bypassed, n) ||
        !TAKE(overlap, SL_BATCH * (uint64_t)p->class_count * p->class_count) ||
        !TAKE(class_busy, SL_BATCH * (uint64_t)p->class_count) ||
        !TAKE(fronts, SL_BATCH * (uint64_t)plan->timed_count) ||
        !TAKE(periods, SL_BATCH * (uint64_t)run->period_stride) ||
        !TAKE(round, plan->replayed_count ? places : 0) || !TAKE(items, items) ||
        !TAKE(sorted, items))
        return false;
    size_t rows = SL_BATCH_ROWS * run->stride;
    if (!TAKE(rows.start, rows) || !TAKE(rows.finish, rows) || !TAKE(rows.lag, rows) ||
        !TAKE(rows.why, rows) || !TAKE(rows.behind, rows) || !TAKE(rows.cause, rows) ||
        !TAKE(rows.free, p->any_latency ? rows : 0))
        return false;
    run->free = run->finish;
    if (p->any_latency && (!TAKE(latency, SL_BATCH * run->stride) || !TAKE(free, places)))
        return false;
    return true;
}

/* What is the same in all trials. */
static void fill_constants(struct sl_worker *w, struct batch_run *run)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < SL_BATCH; k++) {
        memcpy(run->hold + k * run->stride, p->fixed_duration, p->n * sizeof *run->hold);
        if (run->latency)
            memcpy(run->latency + k * run->stride, p->fixed_latency, p->n * sizeof *run->latency);
        run->start[p->n + 1].of[k] = run->free[p->n + 1].of[k] = INT64_MAX;
    }
    memset(run->state, SL_RAN, p->n);
    struct sl_trial *record = &run->record;
    *record = w->record;
    record->outcome = SL_DONE;
    record->all_ran = true;
    record->run_count = p->n;
    record->state = run->state;
    record->behind_by_free = run->by_free;
    record->bypassed = run->bypassed;
}

static enum sl_status create_run(struct sl_worker *w, struct sl_error *err)
{
    struct batch_run *run = sl_arena_array(&w->arena, 1, sizeof *run);
    if (!run || !take_arrays(w, run))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %d trials of %u nodes", SL_BATCH,
                       w->p->n);
    sl_worker_fill_record(w);
    fill_constants(w, run);
    w->batch_run = run;
    return SL_OK;
}

/* Each trial's draws, into rows of their own. */
static void fill_draws(struct sl_worker *w, uint64_t seed, const uint32_t *trials, uint32_t count)
{
    struct batch_run *run = w->batch_run;
    int64_t *duration = w->duration, *latency = w->latency;
    for (uint32_t k = 0; k < count; k++) {
        w->fault = NULL;
        w->duration = run->hold + k * run->stride;
        if (run->latency)
            w->latency = run->latency + k * run->stride;
        sl_draws_fill(w, seed, trials[k]);
        run->out_of_range[k] = w->fault != NULL;
        if (w->fault) { /* told by events; the pass would sum beyond all times */
            memset(w->duration, 0, run->stride * sizeof *w->duration);
            if (run->latency)
                memset(w->latency, 0, run->stride * sizeof *w->latency);
        }
    }
    w->fault = NULL;
    w->duration = duration;
    w->latency = latency;
}

/* The record of trial k of the batch, or what is asked for of it; false where the pass does not
 * hold for it. */
static bool tell(struct sl_worker *w, uint32_t k, uint32_t trial, bool replay, bool all)
{
    struct batch_run *run = w->batch_run;
    if (run->out_of_range[k] || (replay && !sl_batch_replay(w, k, trial)))
        return false;
    run->record.trial = trial;
    run->record.makespan_ps = run->makespan->of[k];
    if (all)
        sl_batch_fill_record(w, k);
    return true;
}

static enum sl_status run_batch(struct sl_worker *w, uint64_t seed, const uint32_t *trials,
                                uint32_t count, unsigned flags, sl_trial_visit visit, void *state,
                                uint32_t *done, struct sl_error *err)
{
    const struct batch_plan *plan = w->p->batch;
    bool all = !(flags & SL_ONLY_MAKESPAN), replay = all || plan->may_lack;
    enum sl_status status = w->batch_run ? SL_OK : create_run(w, err);
    if (status)
        return status;
    fill_draws(w, seed, trials, count);
    if (replay)
        sl_batch_pass(plan, w->batch_run);
    else
        sl_batch_makespans(plan, w->batch_run);
    if (all)
        sl_batch_overlaps(w);
    for (uint32_t k = 0; k < count && !status; k++, *done += !status) {
        const struct sl_trial *record = &w->batch_run->record;
        if (all && k % SL_BATCH_ROWS == 0)
            sl_batch_fill_rows(w, k);
        if (!tell(w, k, trials[k], replay, all))
            status = sl_worker_run(w, seed, trials[k], flags, &record, err);
        else if (w->fault)
            status = SL_FAIL(err, SL_SYSTEM, "%s (trial %u)", w->fault, trials[k]);
        if (!status)
            status = visit(state, record, err);
    }
    return status;
}

static enum sl_status run_one(struct sl_worker *w, uint64_t seed, uint32_t trial, unsigned flags,
                              sl_trial_visit visit, void *state, struct sl_error *err)
{
    const struct sl_trial *record;
    enum sl_status status = sl_worker_run(w, seed, trial, flags, &record, err);
    return status ? status : visit(state, record, err);
}

enum sl_status sl_worker_run_all(struct sl_worker *worker, uint64_t seed, const uint32_t *trials,
                                 uint32_t count, unsigned flags, sl_trial_visit visit, void *state,
                                 uint32_t *done, struct sl_error *err)
{
    bool batched = worker->p->batch && !(flags & (SL_RECORD_LEVELS | SL_GENERAL_LOOP));
    enum sl_status status = SL_OK;
    *done = 0;
    while (*done < count && !status) {
        uint32_t left = count - *done, at_once = left < SL_BATCH ? left : SL_BATCH;
        if (batched && at_once > 1)
            status =
                run_batch(worker, seed, trials + *done, at_once, flags, visit, state, done, err);
        else {
            status = run_one(worker, seed, trials[*done], flags, visit, state, err);
            *done += !status;
        }
    }
    return status;
}
