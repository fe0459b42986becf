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

void sl_batch_fill_record(struct sl_worker *w, uint32_t k)
{
    const struct batch_plan *plan = w->p->batch;
    struct batch_run *run = w->batch_run;
    for (uint32_t place = 1; place <= plan->place_count; place++) {
        uint32_t node = plan->node[place];
        const struct batch_reason *reason = &plan->reasons[run->reason[place].of[k]];
        w->start[node] = run->start[place].of[k];
        w->finish[node] = run->finish[place].of[k];
        w->lag[node] = reason->lag_ps;
        w->behind[node] = reason->behind;
        w->cause[node] = reason->cause;
    }
    for (uint32_t place = 1; run->latency && place <= plan->place_count; place++)
        w->free[plan->node[place]] = run->free[place].of[k];
    struct sl_trial *record = &run->record;
    record->duration_ps = run->hold + k * run->stride;
    record->last_run = SL_NONE;
    for (uint32_t i = 0; i < w->p->n && record->last_run == SL_NONE; i++)
        record->last_run = w->finish[i] == record->makespan_ps ? i : SL_NONE;
    fill_sums(w, k);
    if (!sl_chain_walk(record, w->chain, &record->chain_count))
        sl_worker_fault(w, "internal: the critical chain does not cover the makespan of %lld ps",
                        (long long)run->record.makespan_ps);
}
