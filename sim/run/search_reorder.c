/* The best plans again, each in an order that the order search finds at the durations of its runs.
 *
 * What a schedule inserts becomes rows of the plan's table of choices: nodes that run after others,
 * nodes that are released later.  Contention and chance are not in a schedule, so that these plans
 * are judged like all others.  Waiting orders stay as they are.  Plans of several iterations are
 * left alone: a table names nodes of one. */
#include "order_choices.h"
#include "order_insert.h"
#include "order_search.h"
#include "searchparts.h"
#include "text.h"
#include "windows.h"
#include <math.h>
#include <stdlib.h>

#define PLANS           4     /* that are ordered anew */
#define TRIALS          16    /* whose mean durations a schedule is made for */
#define PLACEMENTS      40000 /* of nodes, all schedules of a plan together ... */
#define LEAST_SCHEDULES 64    /* ... but so many at least, and at most: */
#define MOST_SCHEDULES  1000
#define NOTHING_ELSE    20 /* times as many where only the order is open */

static const unsigned forms[] = {SL_ORDER_EDGES, SL_ORDER_DELAYS, SL_ORDER_EDGES | SL_ORDER_DELAYS};
#define FORMS ((uint32_t)(sizeof forms / sizeof *forms))

/* A plan, how long its nodes take and when they start in its trials. */
struct measured {
    struct sl_plan plan;
    struct sl_order_durations durations;
    int64_t *start_ps;
    bool ran; /* some trial was completed: else the durations are isolated means */
};

struct sums {
    double start, hold, latency;
    uint32_t ran;
};

static void add_trial(struct sums *sums, const struct sl_trial *record, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (record->start_ps[i] < 0)
            continue;
        sums[i].ran++;
        sums[i].start += (double)record->start_ps[i];
        sums[i].hold += (double)(record->free_ps[i] - record->start_ps[i]);
        sums[i].latency += (double)(record->finish_ps[i] - record->free_ps[i]);
    }
}

static void take_means(struct measured *m, const struct sums *sums)
{
    for (uint32_t i = 0; i < m->plan.graph->node_count; i++) {
        uint32_t ran = sums[i].ran;
        m->durations.roles[i] = ran > 0 ? SL_WINDOW_RUNS : SL_WINDOW_PASSES;
        m->start_ps[i] = ran > 0 ? llround(sums[i].start / ran) : -1;
        m->durations.hold_ps[i] = ran > 0 ? llround(sums[i].hold / ran) : 0;
        m->durations.latency_ps[i] = ran > 0 ? llround(sums[i].latency / ran) : 0;
    }
}

static enum sl_status run_trials(struct sl_search *s, struct measured *m, struct sums *sums)
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *record;
    enum sl_status status = sl_program_create(&program, m->plan.graph, &m->plan.engine, s->err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, s->err);
    uint32_t trials = status == SL_OK && sl_program_is_random(program) ? TRIALS : 1;
    for (uint32_t t = 0; t < trials && status == SL_OK; t++) {
        status = sl_worker_run(worker, s->judge.seed, t, 0, &record, s->err);
        if (status == SL_OK && record->outcome == SL_DONE) {
            add_trial(sums, record, m->plan.graph->node_count);
            m->ran = true;
        }
    }
    sl_worker_free(worker);
    sl_program_free(program);
    return status;
}

static void measured_free(struct measured *m)
{
    sl_plan_free(&m->plan);
    sl_order_durations_free(&m->durations);
    free(m->start_ps);
}

/* Plans the draft and runs it; measured_free in every case. */
static enum sl_status measure(struct sl_search *s, const struct sl_draft *draft, struct measured *m)
{
    struct sl_arena scratch = {0};
    struct sl_policy_spec policy;
    struct sums *sums = NULL;
    *m = (struct measured){0};
    enum sl_status status = sl_draft_policy(&s->space, draft, &policy, &scratch, s->err);
    if (status == SL_OK)
        status = sl_planner_plan(s->space.planner, &m->plan, &policy, NULL, s->err);
    if (status == SL_OK)
        status = sl_order_durations_make(&m->durations, m->plan.graph, s->err);
    if (status == SL_OK) {
        m->plan.engine.corner = SL_CORNER_PESSIMISTIC;
        m->start_ps = calloc((size_t)m->plan.graph->node_count + 1, sizeof *m->start_ps);
        sums = calloc((size_t)m->plan.graph->node_count + 1, sizeof *sums);
        if (!m->start_ps || !sums)
            status = SL_FAIL(s->err, SL_SYSTEM, "out of memory for an order");
    }
    if (status == SL_OK)
        status = run_trials(s, m, sums);
    if (status == SL_OK && m->ran)
        take_means(m, sums);
    free(sums);
    sl_arena_free(&scratch);
    return status;
}

/* Puts the draft's plan in each form of the order into the batch, if it is a new one. */
static enum sl_status add_forms(struct sl_search *s, const struct sl_draft *draft,
                                const struct measured *m, const struct sl_order_schedule *order,
                                uint32_t *count)
{
    struct sl_order_times times = {order->start_ps, order->free_ps, order->finish_ps};
    enum sl_status status = SL_OK;
    for (uint32_t f = 0; f < FORMS && status == SL_OK; f++) {
        struct sl_contestant *c = &s->batch[*count];
        struct sl_plan ordered;
        if (*count == SL_SEARCH_BATCH || s->result->evaluations + *count >= s->most)
            return SL_OK;
        status = sl_order_insert(&ordered, &m->plan, &times, forms[f], s->err);
        if (status != SL_OK)
            return status;
        sl_draft_copy(&s->space, &c->draft, draft);
        struct sl_node_choice *rows; /* their names last as long as the result */
        status = sl_order_choices(&m->plan, &ordered, &s->result->arena, &rows,
                                  &c->draft.node_count, s->err);
        c->draft.nodes = rows;
        sl_plan_free(&ordered);
        uint64_t hash = sl_draft_hash(&s->space, &c->draft);
        if (status != SL_OK || c->draft.node_count == 0 || sl_seen_has(&s->drafts, hash))
            continue;
        if (!sl_seen_add(&s->drafts, hash) || !sl_seen_add(&s->ordered, hash))
            return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a search");
        c->move = SL_OF_ORDER;
        c->full = true;
        ++*count;
    }
    return status;
}

static bool go_on(void *user, uint32_t schedules, int64_t makespan_ps)
{
    struct sl_search *s = user;
    (void)schedules;
    (void)makespan_ps;
    return s->judge.go_on(s->judge.user);
}

static uint32_t schedules_for(const struct sl_space *space, uint32_t nodes)
{
    uint32_t schedules = PLACEMENTS / (nodes + 1);
    if (schedules < LEAST_SCHEDULES)
        schedules = LEAST_SCHEDULES;
    if (schedules > MOST_SCHEDULES)
        schedules = MOST_SCHEDULES;
    return space->gap_count == 0 ? NOTHING_ELSE * schedules : schedules;
}

/* An order of the draft's plan, judged in each form.  What it was told to do with its nodes before
 * is where the schedules begin, not what they must keep. */
static enum sl_status reorder(struct sl_search *s, struct sl_draft *draft)
{
    struct measured m, bare = {0};
    struct sl_order_schedule order = {0};
    uint32_t count = 0;
    enum sl_status status = measure(s, draft, &m);
    bool told = draft->node_count > 0;
    draft->node_count = 0;
    if (status == SL_OK && told)
        status = measure(s, draft, &bare);
    const struct measured *plan = told ? &bare : &m;
    if (status == SL_OK) {
        uint32_t nodes = plan->plan.graph->node_count;
        struct sl_order_options options = {
            .durations = &plan->durations,
            .start_ps = m.ran && m.plan.graph->node_count == nodes ? m.start_ps : NULL,
            .keep_issue = !plan->plan.engine.dispatch_given,
            .schedules = schedules_for(&s->space, nodes),
            .seed = s->judge.seed,
            .progress = go_on,
            .user = s,
        };
        status = sl_order_search(&order, plan->plan.graph, &options, s->err);
    }
    if (status == SL_OK && !s->stopped)
        status = add_forms(s, draft, plan, &order, &count);
    if (status == SL_OK && !s->stopped && count > 0)
        status = sl_search_batch(s, count, NULL);
    sl_order_schedule_free(&order);
    measured_free(&m);
    measured_free(&bare);
    return status;
}

/* The best plans whose order was not looked for yet. */
static enum sl_status choose(struct sl_search *s, struct sl_draft drafts[PLANS], uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < s->archive.count && i < PLANS; i++) {
        const struct sl_draft *draft = &s->archive.items[i].draft;
        uint64_t hash = sl_draft_hash(&s->space, draft);
        if (sl_seen_has(&s->ordered, hash))
            continue;
        struct sl_draft *chosen = &drafts[(*count)++];
        if (!sl_seen_add(&s->ordered, hash) || !sl_draft_new(&s->space, chosen, &s->space.arena))
            return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a search");
        sl_draft_copy(&s->space, chosen, draft);
    }
    return SL_OK;
}

enum sl_status sl_search_reorder(struct sl_search *s)
{
    struct sl_draft drafts[PLANS];
    uint32_t count;
    if (s->space.scenario->iterations > 1)
        return SL_OK;
    enum sl_status status = choose(s, drafts, &count);
    for (uint32_t i = 0; i < count && status == SL_OK && !s->stopped; i++) {
        struct sl_error why = {0}, *err = s->err;
        s->err = &why; /* a plan without an order is none to add */
        status = reorder(s, &drafts[i]);
        s->err = err;
        if (status == SL_NO)
            status = SL_OK;
        else if (status != SL_OK && err && err->status == SL_OK)
            *err = why;
    }
    return status;
}
