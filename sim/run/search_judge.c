/* Running the plans of drafts: few trials first, more where they may be better.
 *
 * Looks are taken after a sixteenth and a quarter of the trials.  A plan is dropped when
 * neither its mean nor the mean of its worst tenth is below those of the plan that it should beat,
 * on the same trials, by a share of 0.00002: for the mean by the upper limit of the paired
 * difference, wrong with probability 0.001.  A plan that deadlocks ends at its first look.
 *
 * Each draft is judged by one thread alone, against what was known before: so the number of threads
 * does not show. */
#include "clock.h"
#include "paired.h"
#include "same_graph.h"
#include "searchparts.h"
#include "text.h"
#include "trials.h"
#include "units.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_OF_A_LOOK 0.001
#define LEAST_LOOK      8
#define LEAST_GAIN      2e-5 /* that is worth more trials */

struct heat {
    const struct sl_judge *judge;
    struct sl_contestant *contestants;
    const struct sl_samples *against;
    uint32_t count;
    _Atomic uint32_t next;
    atomic_bool stop;
};

static double worst_tenth(const double *sorted, uint32_t n)
{
    uint32_t of = (n + 9) / 10;
    double sum = 0;
    for (uint32_t i = n - of; i < n; i++)
        sum += sorted[i];
    return sum / of;
}

/* Whether the trials so far show that the plan is not better than what it should beat. */
static enum sl_status is_worse(const struct sl_samples *samples, const struct sl_samples *against,
                               bool *worse, struct sl_error *err)
{
    uint32_t n = samples->count;
    double *values = malloc(2 * ((size_t)n + 1) * sizeof *values), upper;
    *worse = false;
    if (!values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a look at a plan");
    double *own = values, *other = values + n;
    for (uint32_t t = 0; t < n; t++) {
        own[t] = sl_us_of(samples->metric_ps[t]);
        other[t] = sl_us_of(against->metric_ps[t]);
    }
    double least = LEAST_GAIN * other[0];
    enum sl_status status = sl_paired_mean_upper(&upper, other, own, n, ERROR_OF_A_LOOK, err);
    if (status == SL_OK && upper < least) {
        sl_sort_doubles(own, n);
        sl_sort_doubles(other, n);
        *worse = worst_tenth(own, n) > worst_tenth(other, n) - least;
    }
    free(values);
    return status;
}

static bool is_of_metric(enum sl_measure measure)
{
    return measure == SL_MEASURE_TAIL || measure == SL_MEASURE_MEDIAN || measure == SL_MEASURE_MEAN;
}

/* Sets `dropped` where the plan may be dropped before it had all trials, and is. */
static enum sl_status look(const struct heat *heat, struct sl_contestant *c)
{
    const struct sl_judge *judge = heat->judge;
    const struct sl_samples *against = heat->against;
    if (c->full || !against || against->unfinished > 0 || judge->goal->pareto ||
        judge->goal->scenario->objective.constraint_count > 0 ||
        !is_of_metric(judge->goal->order[0].measure) || against->count < c->samples.count)
        return SL_OK;
    return is_worse(&c->samples, against, &c->dropped, &c->err);
}

/* By the calling thread, which may ask. */
static void ask(void *user)
{
    struct heat *heat = user;
    const struct sl_judge *judge = heat->judge;
    if (judge->go_on && !judge->go_on(judge->user))
        atomic_store(&heat->stop, true);
}

static bool must_stop(struct heat *heat, uint32_t seat)
{
    if (seat == 0)
        ask(heat);
    return atomic_load_explicit(&heat->stop, memory_order_relaxed);
}

static enum sl_status run_trials(struct heat *heat, uint32_t seat, struct sl_contestant *c,
                                 const struct sl_program *program)
{
    const struct sl_judge *judge = heat->judge;
    const struct sl_trial *record;
    struct sl_worker *worker = NULL;
    uint32_t most = sl_program_is_random(program) ? judge->trials : 1;
    uint32_t next = most / 16 > LEAST_LOOK ? most / 16 : most < LEAST_LOOK ? most : LEAST_LOOK;
    sl_samples_clear(&c->samples, judge->space->scenario);
    enum sl_status status = sl_worker_create(&worker, program, &c->err);
    while (status == SL_OK && !c->dropped && c->samples.unfinished <= 0 &&
           c->samples.count < most) {
        for (uint32_t t = c->samples.count; t < next && status == SL_OK; t++) {
            status = must_stop(heat, seat)
                         ? SL_INTERRUPTED
                         : sl_worker_run(worker, judge->seed, t, 0, &record, &c->err);
            if (status == SL_OK)
                sl_samples_add(&c->samples, judge->space->scenario, sl_program_graph(program),
                               record);
        }
        if (status == SL_OK && c->samples.count < most)
            status = look(heat, c);
        next = next < most / 4 ? 4 * next : most;
    }
    sl_worker_free(worker);
    return status;
}

/* Everything that the engine reads and choices or other rules change.  Plans that let copies leave while
 * they run do so by the rules of their `base`: those of two are told apart. */
static uint64_t digest_of(const struct sl_plan *plan, uint32_t base)
{
    const struct sl_graph *graph = plan->graph;
    uint64_t digest = sl_graph_digest(graph);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const struct sl_node *node = &graph->nodes[n];
        uint64_t bits;
        memcpy(&bits, &node->priority, sizeof bits);
        digest = sl_hash_index(digest ^ bits ^ (uint64_t)node->release_ps << 1);
        digest ^= (uint64_t)node->takes.count << 32 | node->gives.count;
        for (uint32_t k = 0; k < node->takes.count; k++)
            digest = sl_hash_index(digest ^ graph->holdings_pool[node->takes.first + k]);
        for (uint32_t k = 0; k < node->gives.count; k++)
            digest = sl_hash_index(digest ^ ~graph->holdings_pool[node->gives.first + k]);
    }
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].lag_ps != 0)
            digest = sl_hash_index(digest ^ (uint64_t)graph->edges[e].lag_ps ^ (uint64_t)e << 40);
    if (plan->engine.evict.worth)
        digest = sl_hash_index(digest ^ (base + 1));
    digest = sl_hash_index(digest ^ (uint64_t)plan->engine.dispatch_given << 8 ^
                           (uint64_t)plan->engine.dispatch);
    digest = sl_hash_index(digest ^ (uint64_t)plan->engine.aging_given ^
                           (uint64_t)plan->engine.aging_ps << 1);
    return digest ? digest : 1;
}

static const struct sl_search_figures no_plan = {.stuck = 2};

static enum sl_status run_plan(struct heat *heat, uint32_t seat, struct sl_contestant *c,
                               struct sl_plan *plan)
{
    const struct sl_judge *judge = heat->judge;
    struct sl_program *program = NULL;
    c->digest = digest_of(plan, c->draft.base);
    c->repeated = judge->seen && sl_seen_has(judge->seen, c->digest);
    if (c->repeated)
        return SL_OK;
    if (!sl_samples_reserve(&c->samples, judge->space->scenario, judge->trials))
        return SL_FAIL(&c->err, SL_SYSTEM, "out of memory for the trials of a plan");
    plan->engine.corner = SL_CORNER_PESSIMISTIC;
    enum sl_status status = sl_program_create(&program, plan->graph, &plan->engine, &c->err);
    if (status == SL_OK)
        status = run_trials(heat, seat, c, program);
    if (status == SL_OK)
        status = sl_search_figure(judge->goal, &c->samples, false, &c->figures, &c->err);
    sl_program_free(program);
    return status;
}

static void judge_one(struct heat *heat, uint32_t seat, struct sl_contestant *c)
{
    const struct sl_judge *judge = heat->judge;
    struct sl_arena scratch = {0};
    struct sl_policy_spec policy;
    struct sl_plan plan = {0};
    double begin = sl_clock_s();
    c->digest = 0;
    c->repeated = c->dropped = c->refused = false;
    c->err = (struct sl_error){0};
    c->figures = no_plan;
    c->run_s = 0;
    c->status = sl_draft_policy(judge->space, &c->draft, &policy, &scratch, &c->err);
    if (c->status == SL_OK)
        c->status = sl_planner_plan(judge->space->planner, &plan, &policy, NULL, &c->err);
    c->plan_s = sl_clock_s() - begin;
    if (c->status == SL_OK)
        c->status = run_plan(heat, seat, c, &plan);
    c->run_s = sl_clock_s() - begin - c->plan_s;
    if (c->status == SL_NO || c->status == SL_INVALID) {
        c->figures = no_plan; /* an answer: nothing runs so */
        c->refused = true;
        c->status = SL_OK;
    }
    sl_plan_free(&plan);
    sl_arena_free(&scratch);
}

static enum sl_lot_state judge_next(void *user, uint32_t seat)
{
    struct heat *heat = user;
    uint32_t i = atomic_fetch_add(&heat->next, 1);
    if (i >= heat->count)
        return SL_LOT_OVER;
    judge_one(heat, seat, &heat->contestants[i]);
    return SL_LOT_MORE;
}

/* Of two that are one plan, the later one counts as repeated. */
static void find_twins(struct sl_contestant *contestants, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i && contestants[i].digest != 0; k++)
            contestants[i].repeated |= contestants[k].digest == contestants[i].digest;
}

enum sl_status sl_judge_all(const struct sl_judge *judge, struct sl_contestant *contestants,
                            uint32_t count, const struct sl_samples *against, struct sl_error *err)
{
    struct heat heat = {
        .judge = judge, .contestants = contestants, .against = against, .count = count};
    const struct sl_lot lot = {.seats = sl_trials_threads(judge->pool, count),
                               .run = judge_next,
                               .watch = ask,
                               .user = &heat};
    sl_pool_run(judge->pool, &lot);
    find_twins(contestants, count);
    for (uint32_t i = 0; i < count; i++)
        if (contestants[i].status != SL_OK) {
            if (err && err->status == SL_OK)
                *err = contestants[i].err;
            return contestants[i].status;
        }
    return SL_OK;
}
