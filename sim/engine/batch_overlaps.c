/* Time in which classes run together, in all trials of a batch, where each class has its nodes on
 * one chain: a sweep over the fronts, the nodes of the chains that end next.
 *
 * Of the fronts the one that ends first shares with each other what lies after the starts of both;
 * then it is the next one's turn.  Few chains of one class each go in vectors of trials, others
 * trial by trial. */
#include "batch.h"
#include "isa.h"
#include <string.h>

/* ---- few chains, in vectors ------------------------------------------------------------------ */

#define WIDTH  4 /* trials; as in batch_pass.c */
#define CHAINS SL_BATCH_CHAINS
#define PAIRS  (CHAINS * (CHAINS - 1) / 2)

typedef int64_t times_t __attribute__((vector_size(8 * WIDTH), may_alias));

#define EACH_CHAIN(c)      _Pragma("GCC unroll 4") for (uint32_t c = 0; c < CHAINS; c++)
#define EACH_TRIAL(k)      _Pragma("GCC unroll 4") for (uint32_t k = 0; k < WIDTH; k++)
#define CHOICE(mask, a, b) ((b) ^ (((a) ^ (b)) & (mask)))

/* What runs next on each chain, by trial. */
struct lane_fronts {
    times_t start[CHAINS], end[CHAINS];
    times_t at[CHAINS]; /* in a trial's periods */
};

/* By trial: each chain's time, and that of two together. */
struct lane_sums {
    times_t own[CHAINS], shared[PAIRS];
};
struct chain_sums {
    struct sl_eight own[CHAINS], shared[PAIRS];
};

/* Nodes of chain c that follow one another at once are one period, as most of a busy chain are: the
 * sweep takes a step for each.  Adds their number to count[trial]. */
static void merge(const struct batch_plan *plan, const struct batch_run *run, uint32_t first,
                  uint32_t c, uint32_t *count)
{
    const struct range chain = plan->timed[c];
    const uint32_t *places = plan->timed_places + chain.first;
    struct period *periods = run->periods + first * run->period_stride + chain.first;
    struct period *at[WIDTH];
    EACH_TRIAL(k)
    {
        at[k] = periods + k * run->period_stride;
        *at[k] = (struct period){run->start[places[0]].of[first + k],
                                 run->free[places[0]].of[first + k]};
    }
    const int64_t *last = run->free[places[0]].of + first; /* at[k]->end, without waiting */
    for (uint32_t i = 1; i < chain.count; i++) {
        const int64_t *start = run->start[places[i]].of + first;
        const int64_t *end = run->free[places[i]].of + first;
        EACH_TRIAL(k)
        { /* without a branch: the next period begins here, if this one has ended before */
            at[k][1].start = start[k];
            at[k] += start[k] != last[k];
            at[k]->end = end[k];
        }
        last = end;
    }
    EACH_TRIAL(k)
    {
        count[k] += (uint32_t)(at[k] - (periods + k * run->period_stride)) + 1;
        at[k][1] = (struct period){INT64_MAX, INT64_MAX};
    }
}

/* Chains beyond those that there are have come to their end. */
static SL_ALWAYS_INLINE void open_fronts(const struct batch_plan *plan,
                                         const struct period *periods, size_t stride,
                                         struct lane_fronts *f)
{
    EACH_CHAIN(c)
    {
        f->start[c] = f->end[c] = (times_t){0} + INT64_MAX;
        f->at[c] = (times_t){0};
        if (c >= plan->timed_count)
            continue;
        const struct period *p = periods + plan->timed[c].first;
        f->start[c] =
            (times_t){p[0].start, p[stride].start, p[2 * stride].start, p[3 * stride].start};
        f->end[c] = (times_t){p[0].end, p[stride].end, p[2 * stride].end, p[3 * stride].end};
        f->at[c] += plan->timed[c].first;
    }
}

/* What follows in each trial. */
static SL_ALWAYS_INLINE void follow(const struct period *periods, size_t stride,
                                    const times_t *places, times_t *start, times_t *end)
{
    times_t at = *places;
    const struct period *a = periods + at[0], *b = periods + stride + at[1];
    const struct period *c = periods + 2 * stride + at[2], *d = periods + 3 * stride + at[3];
    times_t ac = {a->start, a->end, c->start, c->end}, bd = {b->start, b->end, d->start, d->end};
    *start = SL_SHUFFLE(times_t, ac, bd, 0, 4, 2, 6);
    *end = SL_SHUFFLE(times_t, ac, bd, 1, 5, 3, 7);
}

/* One step: in each trial the front that ends first adds to its pairs, and gives way to the next.
 * In one that has come to its end that is the first chain, which stays as it is. */
static SL_ALWAYS_INLINE void step(const struct period *periods, size_t stride,
                                  struct lane_fronts *f, struct lane_sums *sums)
{
    times_t end = f->end[0], at = f->at[0], is_first[CHAINS], after[CHAINS];
    is_first[0] = ~(times_t){0};
#pragma GCC unroll 4
    for (uint32_t c = 1; c < CHAINS; c++) {
        is_first[c] = f->end[c] < end;
        end = CHOICE(is_first[c], f->end[c], end);
        at = CHOICE(is_first[c], f->at[c], at);
#pragma GCC unroll 4
        for (uint32_t b = 0; b < c; b++)
            is_first[b] &= ~is_first[c];
    }
    is_first[0] &= end != INT64_MAX;
    EACH_CHAIN(c)
    {
        after[c] = end - f->start[c];
        after[c] &= after[c] > 0;
        sums->own[c] += after[c] & is_first[c];
    }
    uint32_t pair = 0;
    EACH_CHAIN(a)
#pragma GCC unroll 4
    for (uint32_t b = a + 1; b < CHAINS; b++) {
        times_t less = after[a] < after[b];
        sums->shared[pair++] += CHOICE(less, after[a], after[b]) & (is_first[a] | is_first[b]);
    }
    times_t next_start, next_end;
    follow(periods + 1, stride, &at, &next_start, &next_end);
    EACH_CHAIN(c)
    {
        f->start[c] = CHOICE(is_first[c], next_start, f->start[c]);
        f->end[c] = CHOICE(is_first[c], next_end, f->end[c]);
        f->at[c] -= is_first[c]; /* -1 where it is */
    }
}

static SL_ALWAYS_INLINE void sweep_few_body(const struct batch_plan *plan,
                                            const struct batch_run *run, uint32_t first,
                                            uint32_t steps, struct chain_sums *to)
{
    size_t stride = run->period_stride;
    const struct period *periods = run->periods + first * stride;
    struct lane_fronts f;
    struct lane_sums sums = {0};
    open_fronts(plan, periods, stride, &f);
    for (; steps > 0; steps--)
        step(periods, stride, &f, &sums);
    for (uint32_t c = 0; c < CHAINS; c++)
        *(times_t *)(void *)(to->own[c].of + first) = sums.own[c];
    for (uint32_t pair = 0; pair < PAIRS; pair++)
        *(times_t *)(void *)(to->shared[pair].of + first) = sums.shared[pair];
}
SL_FOR_EACH_ISA(sweep_few,
                (const struct batch_plan *plan, const struct batch_run *run, uint32_t first,
                 uint32_t steps, struct chain_sums *to),
                (plan, run, first, steps, to))

static uint32_t class_of(const struct batch_plan *plan, uint32_t c)
{
    return plan->klass[plan->timed_places[plan->timed[c].first]];
}

static void overlaps_of_few(const struct sl_worker *w)
{
    const struct batch_plan *plan = w->p->batch;
    struct batch_run *run = w->batch_run;
    size_t classes = w->p->class_count;
    struct chain_sums sums;
    for (uint32_t first = 0; first < SL_BATCH; first += WIDTH) {
        uint32_t count[WIDTH] = {0}, steps = 0;
        for (uint32_t c = 0; c < plan->timed_count; c++)
            merge(plan, run, first, c, count);
        for (uint32_t k = 0; k < WIDTH; k++)
            steps = count[k] > steps ? count[k] : steps;
        sweep_few(plan, run, first, steps, &sums);
    }
    uint32_t pair = 0;
    for (uint32_t a = 0; a < plan->timed_count; a++, pair += CHAINS - a) {
        size_t klass = class_of(plan, a);
        for (uint32_t k = 0; k < SL_BATCH; k++) {
            int64_t *row = run->overlap + (k * classes + klass) * classes;
            run->class_busy[k * classes + klass] = sums.own[a].of[k];
            for (uint32_t b = a + 1; b < plan->timed_count; b++)
                row[class_of(plan, b)] = sums.shared[pair + b - a - 1].of[k];
        }
    }
}

/* ---- any chains, trial by trial -------------------------------------------------------------- */

#define SWEPT 4 /* trials whose chains are swept at once */

static inline struct front front_at(const struct batch_plan *plan, const struct batch_run *run,
                                    uint32_t at, uint32_t k)
{
    uint32_t place = plan->timed_places[at];
    return (struct front){run->start[place].of[k], run->free[place].of[k], plan->klass[place], at};
}

/* The front that ends first shares with itself its own time.  Choices are made by value: which
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

static void overlaps_of_many(const struct sl_worker *w)
{
    struct batch_run *run = w->batch_run;
    size_t classes = w->p->class_count, square = classes * classes;
    for (uint32_t first = 0; first < SL_BATCH; first += SWEPT)
        sweep(w, first, run->fronts);
    for (uint32_t k = 0; k < SL_BATCH; k++)
        take_diagonal(w, run->overlap + k * square, run->class_busy + k * classes);
}

/* ---- both ------------------------------------------------------------------------------------ */

void sl_batch_overlaps(struct sl_worker *w)
{
    const struct batch_plan *plan = w->p->batch;
    struct batch_run *run = w->batch_run;
    size_t classes = w->p->class_count, square = classes * classes;
    if (!plan->classes_by_chain)
        return;
    memset(run->overlap, 0, SL_BATCH * square * sizeof *run->overlap);
    memset(run->class_busy, 0, SL_BATCH * classes * sizeof *run->class_busy);
    if (plan->few_chains)
        overlaps_of_few(w);
    else
        overlaps_of_many(w);
    for (uint32_t k = 0; k < SL_BATCH; k++)
        sl_worker_mirror_overlaps(w, run->overlap + k * square);
}
