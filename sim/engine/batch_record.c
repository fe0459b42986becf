/* The record of one trial of a batch, from what the pass left side by side: a cache line has a
 * place's values in all trials, so that several records are filled at once. */
#include "batch.h"
#include "isa.h"
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

typedef int64_t times_t __attribute__((vector_size(8 * SL_BATCH_ROWS), may_alias));
typedef int64_t row_t __attribute__((vector_size(8 * SL_BATCH_ROWS), aligned(8), may_alias));
#define SHUFFLE(a, b, ...) SL_SHUFFLE(times_t, a, b, __VA_ARGS__)

/* The values of four places that follow one another, in trials `first` and the next three, by
 * trial.
 */
static SL_ALWAYS_INLINE void turn(const struct sl_eight *from, uint32_t first, void *to,
                                  size_t stride)
{
    int64_t *rows = to;
    times_t a = *(const times_t *)(const void *)(from[0].of + first);
    times_t b = *(const times_t *)(const void *)(from[1].of + first);
    times_t c = *(const times_t *)(const void *)(from[2].of + first);
    times_t d = *(const times_t *)(const void *)(from[3].of + first);
    times_t ab02 = SHUFFLE(a, b, 0, 4, 2, 6), ab13 = SHUFFLE(a, b, 1, 5, 3, 7);
    times_t cd02 = SHUFFLE(c, d, 0, 4, 2, 6), cd13 = SHUFFLE(c, d, 1, 5, 3, 7);
    *(row_t *)rows = SHUFFLE(ab02, cd02, 0, 1, 4, 5);
    *(row_t *)(rows + stride) = SHUFFLE(ab13, cd13, 0, 1, 4, 5);
    *(row_t *)(rows + 2 * stride) = SHUFFLE(ab02, cd02, 2, 3, 6, 7);
    *(row_t *)(rows + 3 * stride) = SHUFFLE(ab13, cd13, 2, 3, 6, 7);
}

static SL_ALWAYS_INLINE void turn_rows_body(const struct batch_plan *plan,
                                            const struct batch_run *run, uint32_t first)
{
    const struct batch_rows rows =
        run->rows; /* here, where no byte that is written can change it */
    size_t stride = run->stride;
    uint32_t place = 1, n = plan->place_count;
    for (; plan->in_order && place + 3 <= n; place += 4) {
        turn(run->start + place, first, rows.start + place - 1, stride);
        turn(run->why + place, first, rows.why + place - 1, stride);
    }
    for (; place <= n; place++) {
        size_t to = plan->node[place];
#pragma GCC unroll 4
        for (uint32_t k = first; k < first + SL_BATCH_ROWS; k++, to += stride) {
            rows.start[to] = run->start[place].of[k];
            rows.why[to] = (uint64_t)run->why[place].of[k];
        }
    }
}
SL_FOR_EACH_ISA(turn_rows,
                (const struct batch_plan *plan, const struct batch_run *run, uint32_t first),
                (plan, run, first))

/* At -O2 GCC leaves loops of unknown length as they are. */
#pragma GCC push_options
#pragma GCC optimize("O3")

static SL_ALWAYS_INLINE void add_holds(int64_t *restrict to, const int64_t *restrict from,
                                       const int64_t *restrict hold, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i] + hold[i];
}

/* All else of a trial's row follows from when nodes start and why. */
static SL_ALWAYS_INLINE void fill_row_body(const struct batch_run *run, uint32_t k, uint32_t n)
{
    size_t at = k % SL_BATCH_ROWS * run->stride, drawn = k * run->stride;
    const uint64_t *restrict why = run->rows.why + at;
    uint32_t *restrict behind = run->rows.behind + at;
    uint8_t *restrict cause = run->rows.cause + at;
    int64_t *finish = run->rows.finish + at, *hold = run->hold + drawn;
    if (run->latency) {
        add_holds(run->rows.free + at, run->rows.start + at, hold, n);
        add_holds(finish, run->rows.free + at, run->latency + drawn, n);
    } else
        add_holds(finish, run->rows.start + at, hold, n);
    for (uint32_t i = 0; i < n; i++)
        behind[i] = (uint32_t)why[i];
    for (uint32_t i = 0; i < n; i++)
        cause[i] = (uint8_t)(why[i] >> 32);
}
SL_FOR_EACH_ISA(fill_row, (const struct batch_run *run, uint32_t k, uint32_t n), (run, k, n))
#pragma GCC pop_options

static void fill_lags(const struct batch_rows *rows, size_t at, uint32_t n)
{
    const int64_t *finish = rows->finish + at;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t behind = rows->behind[at + i];
        rows->lag[at + i] = rows->start[at + i] - (behind == SL_NONE ? 0 : finish[behind]);
    }
}

void sl_batch_fill_rows(struct sl_worker *w, uint32_t first)
{
    const struct batch_plan *plan = w->p->batch;
    struct batch_run *run = w->batch_run;
    turn_rows(plan, run, first);
    for (uint32_t k = first; k < first + SL_BATCH_ROWS; k++) {
        fill_row(run, k, w->p->n);
        if (plan->any_lag)
            fill_lags(&run->rows, k % SL_BATCH_ROWS * run->stride, w->p->n);
    }
}

/* ---- a record -------------------------------------------------------------------------------- */

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
    size_t classes = p->class_count;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        w->busy[plan->chain_resource[c]] =
            plan->own_class[c] != SL_NONE
                ? run->class_busy[k * classes + plan->own_class[c]]
                : sum_of(hold, plan->user_nodes + plan->users[c].first, plan->users[c].count);
    bool swept = plan->classes_by_chain;
    run->record.overlap_ps = swept ? run->overlap + k * classes * classes : w->overlap;
    run->record.class_busy_ps = swept ? run->class_busy + k * classes : w->class_busy;
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
    record->last_run =
        w->p->n ? sl_worker_first_at(record->finish_ps, w->p->n, record->makespan_ps) : SL_NONE;
    fill_sums(w, k);
    if (!sl_chain_walk(record, w->chain, &record->chain_count))
        sl_worker_fault(w, "internal: the critical chain does not cover the makespan of %lld ps",
                        (long long)record->makespan_ps);
}
