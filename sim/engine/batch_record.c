/* The record of one trial of a batch, from what the pass left side by side. */
#include "batch.h"
#include <string.h>

/* Nodes of one chain never run at once, so that their times add up. */
static int64_t sum_of(const int64_t *hold, const uint32_t *nodes, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += hold[nodes[k]];
    return sum;
}

static void fill_sums(struct sl_worker *w, uint32_t k)
{
    const struct sl_program *p = w->p;
    const struct batch_plan *plan = p->batch;
    struct batch_run *run = w->batch_run;
    const int64_t *hold = run->hold + k * run->stride;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        w->busy[plan->chain_resource[c]] =
            sum_of(hold, plan->user_nodes + plan->users[c].first, plan->users[c].count);
    bool swept = plan->classes_by_chain;
    size_t classes = p->class_count;
    run->record.overlap_ps = swept ? run->overlap + k * classes * classes : w->overlap;
    run->record.class_busy_ps = swept ? run->class_busy + k * classes : w->class_busy;
}

/* A cache line has a place's values in all trials, so that several records are filled at once. */
void sl_batch_fill_rows(struct sl_worker *w, uint32_t first)
{
    const struct batch_plan *plan = w->p->batch;
    struct batch_run *run = w->batch_run;
    const struct batch_rows rows =
        run->rows; /* here, where no byte that is written can change it */
    const struct sl_eight *start = run->start, *finish = run->finish, *reasons = run->reason;
    size_t stride = run->stride;
    for (uint32_t place = 1, n = plan->place_count; place <= n; place++) {
        size_t to = plan->node[place];
#pragma GCC unroll 4
        for (uint32_t k = first; k < first + SL_BATCH_ROWS; k++, to += stride) {
            const struct batch_reason reason = plan->reasons[reasons[place].of[k]];
            rows.start[to] = start[place].of[k];
            rows.finish[to] = finish[place].of[k];
            rows.lag[to] = reason.lag_ps;
            rows.behind[to] = reason.behind;
            rows.cause[to] = reason.cause;
        }
    }
    for (uint32_t place = 1; run->latency && place <= plan->place_count; place++)
        for (uint32_t k = 0; k < SL_BATCH_ROWS; k++)
            rows.free[plan->node[place] + k * stride] = run->free[place].of[first + k];
}

/* Points the record at the rows of a trial. */
static void take_rows(struct sl_trial *record, const struct batch_run *run, uint32_t k)
{
    const struct batch_rows *rows = &run->rows;
    size_t at = k % SL_BATCH_ROWS * run->stride;
    record->ready_ps = record->start_ps = rows->start + at;
    record->finish_ps = rows->finish + at;
    record->free_ps = (run->latency ? rows->free : rows->finish) + at;
    record->lag_ps = rows->lag + at;
    record->behind = record->behind_run = rows->behind + at;
    record->cause = rows->cause + at;
    record->duration_ps = run->hold + k * run->stride;
}

void sl_batch_fill_record(struct sl_worker *w, uint32_t k)
{
    struct batch_run *run = w->batch_run;
    struct sl_trial *record = &run->record;
    take_rows(record, run, k);
    record->last_run = SL_NONE;
    for (uint32_t i = 0; i < w->p->n && record->last_run == SL_NONE; i++)
        record->last_run = record->finish_ps[i] == record->makespan_ps ? i : SL_NONE;
    fill_sums(w, k);
    if (!sl_chain_walk(record, w->chain, &record->chain_count))
        sl_worker_fault(w, "internal: the critical chain does not cover the makespan of %lld ps",
                        (long long)record->makespan_ps);
}
