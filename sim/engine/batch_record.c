/* The record of one trial of a batch, from what the pass left side by side. */
#include "batch.h"
#include <string.h>

#define SWEPT 4 /* trials whose chains are swept at once */

/* ---- time in which classes run together --------------------------------------------------------
 */

static inline struct front front_at(const struct batch_plan *plan, const struct batch_run *run,
                                    uint32_t at, uint32_t k)
{
    uint32_t place = plan->timed_places[at];
    return (struct front){run->start[place].of[k], run->free[place].of[k], plan->klass[place], at};
}

/* Of the fronts the one that ends first shares with each other what lies after the starts of both;
 * with itself its own time.  Then it is the next one's turn.  Choices are made by value: which
 * chain is first cannot be guessed. */
static inline void pass_first(const struct sl_worker *w, uint32_t k, struct front *fronts,
                              int64_t *overlap)
{
    const struct batch_plan *plan = w->p->batch;
    uint32_t first = 0;
    int64_t end = fronts[0].end;
    for (uint32_t c = 1; c < plan->timed_count; c++) {
        bool earlier = fronts[c].end < end;
        end = earlier ? fronts[c].end : end;
        first = earlier ? c : first;
    }
    int64_t start = fronts[first].start;
    int64_t *row = overlap + (size_t)fronts[first].klass * w->p->class_count;
    for (uint32_t c = 0; c < plan->timed_count; c++) {
        int64_t both = end - (fronts[c].start > start ? fronts[c].start : start);
        row[fronts[c].klass] += both > 0 ? both : 0;
    }
    fronts[first] = front_at(plan, w->batch_run, fronts[first].at + 1, k);
}

/* Several trials side by side, as the steps of one follow upon each other. */
static void sweep(const struct sl_worker *w, uint32_t first, struct front *fronts)
{
    const struct batch_plan *plan = w->p->batch;
    size_t square = (size_t)w->p->class_count * w->p->class_count;
    uint32_t chains = plan->timed_count, steps = 0;
    for (uint32_t c = 0; c < chains; c++) {
        for (uint32_t k = 0; k < SWEPT; k++)
            fronts[k * chains + c] = front_at(plan, w->batch_run, plan->timed[c].first, first + k);
        steps += plan->timed[c].count;
    }
    for (; steps > 0; steps--)
        for (uint32_t k = 0; k < SWEPT; k++)
            pass_first(w, first + k, fronts + k * chains,
                       w->batch_run->overlap + (first + k) * square);
}

/* The diagonal comes out as each class's own time; two nodes of it never run together. */
static void take_diagonal(const struct sl_worker *w, int64_t *overlap, int64_t *own)
{
    for (size_t c = 0; c < w->p->class_count; c++) {
        own[c] = overlap[c * w->p->class_count + c];
        overlap[c * w->p->class_count + c] = 0;
    }
}

void sl_batch_overlaps(struct sl_worker *w)
{
    struct batch_run *run = w->batch_run;
    size_t classes = w->p->class_count, square = classes * classes;
    if (!w->p->batch->classes_by_chain)
        return;
    memset(run->overlap, 0, SL_BATCH * square * sizeof *run->overlap);
    for (uint32_t first = 0; first < SL_BATCH; first += SWEPT)
        sweep(w, first, run->fronts);
    for (uint32_t k = 0; k < SL_BATCH; k++) {
        take_diagonal(w, run->overlap + k * square, run->class_busy + k * classes);
        sl_worker_mirror_overlaps(w, run->overlap + k * square);
    }
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

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
