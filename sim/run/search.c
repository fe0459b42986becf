/* A search from its options to its result: starts, the climb or all plans in turn, the last heat.
 */
#include "clock.h"
#include "searchparts.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAST_HEAT   8  /* plans */
#define HEAT_TRIALS 4  /* times the trials of a plan, at the most */
#define HURRIED     16 /* part of its trials */
/* The best plans get orders of their own when so many plans were made, and each time four times as
 * many; where all plans can be tried the climb is but the beginning, so that an early end has a
 * good answer.  What is done never depends on how much may be done. */
#define FIRST_ORDERS 128
#define SMALL_CLIMB  256
#define MOST_WALKED  1e7                          /* plans */
#define SEED_OFFSET  UINT64_C(0xd1b54a32d192ed03) /* draws of no result */

static bool ask_user(struct sl_search *s)
{
    if (s->options->progress &&
        !s->options->progress(s->options->user, s->result->evaluations, s->most))
        s->result->interrupted = s->stopped = true;
    return !s->result->interrupted;
}

static uint32_t heat_plans(const struct sl_search *s)
{
    uint32_t count = s->goal.pareto ? s->archive.count : LAST_HEAT;
    return count < s->archive.count ? count : s->archive.count;
}

/* Of each plan of the last heat, so many that all of it takes no longer than the search before it;
 * 0: no more than they had. */
static uint32_t heat_trials(const struct sl_search *s)
{
    uint32_t count = heat_plans(s);
    uint64_t most = (uint64_t)HEAT_TRIALS * s->judge.trials;
    uint64_t fair = count > 0 ? s->result->trials / count : 0, trials = fair < most ? fair : most;
    return trials > s->judge.trials ? (uint32_t)trials : 0;
}

/* Whether the budget leaves but what the last heat takes, at the pace so far. */
static bool is_spent(const struct sl_search *s)
{
    double trials = (double)s->result->trials;
    double heat = trials > 0 ? (double)heat_plans(s) * heat_trials(s) / trials : 0;
    return (sl_clock_s() - s->begin_s) * (1 + heat) > s->budget_s;
}

static bool go_on(void *user)
{
    struct sl_search *s = user;
    s->stopped |= !ask_user(s) || is_spent(s);
    return !s->stopped;
}

static bool go_on_with_heat(void *user)
{
    return ask_user(user);
}

static enum sl_status no_memory(struct sl_search *s)
{
    return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a search");
}

static bool make_room(struct sl_search *s)
{
    struct sl_arena *arena = &s->space.arena;
    size_t gaps = (size_t)s->space.gap_count + 1;
    s->guide.move_ps = sl_arena_array(arena, gaps, sizeof *s->guide.move_ps);
    s->guide.remat_ps = sl_arena_array(arena, gaps, sizeof *s->guide.remat_ps);
    s->guide.at_peak = sl_arena_array(arena, gaps, sizeof *s->guide.at_peak);
    s->start_digests =
        sl_arena_array(arena, (size_t)s->space.base_count + 1, sizeof *s->start_digests);
    s->result->moves = sl_arena_array(&s->result->arena, sl_move_kinds() + (size_t)SL_OF_MOVES,
                                      sizeof *s->result->moves);
    bool ok = s->guide.move_ps && s->guide.remat_ps && s->guide.at_peak && s->start_digests &&
              s->result->moves && sl_draft_new(&s->space, &s->current.draft, arena) &&
              sl_draft_new(&s->space, &s->named.draft, arena) &&
              sl_archive_open(&s->archive, &s->space, &s->goal, arena);
    for (uint32_t i = 0; i < SL_SEARCH_BATCH && ok; i++)
        ok = sl_draft_new(&s->space, &s->batch[i].draft, arena);
    return ok;
}

static void name_moves(struct sl_search_result *result)
{
    static const char *const names[SL_OF_MOVES] = {"start", "shake", "walk", "reorder"};
    result->move_count = SL_OF_MOVES + sl_move_kinds();
    for (uint32_t k = 0; k < result->move_count; k++)
        result->moves[k].name = k < SL_OF_MOVES ? names[k] : sl_move_kind_at(k - SL_OF_MOVES)->name;
}

static enum sl_status open_search(struct sl_search *s, const struct sl_scenario *scenario,
                                  struct sl_diags *diags)
{
    const struct sl_search_options *options = s->options;
    s->begin_s = sl_clock_s();
    enum sl_status status = sl_space_open(&s->space, scenario, options->start, diags, s->err);
    if (status != SL_OK)
        return status;
    uint64_t seed = options->seed_given ? options->seed : scenario->seed;
    status = sl_search_goal_set(&s->goal, &s->space, &s->result->arena, s->err);
    if (status != SL_OK)
        return status;
    s->judge = (struct sl_judge){
        .space = &s->space,
        .goal = &s->goal,
        .seed = sl_hash_index(seed + SEED_OFFSET),
        .trials = options->trials ? options->trials : SL_SEARCH_TRIALS,
        .pool = options->pool,
        .seen = &s->plans,
        .go_on = go_on,
        .user = s,
    };
    s->dice.key = sl_hash_index(s->judge.seed + SEED_OFFSET);
    s->most = options->evaluations ? options->evaluations : SL_SEARCH_EVALUATIONS;
    s->budget_s = options->budget_s > 0 ? options->budget_s : (double)INFINITY;
    if (!make_room(s))
        return no_memory(s);
    name_moves(s->result);
    return SL_OK;
}

static void close_search(struct sl_search *s)
{
    for (uint32_t i = 0; i < SL_SEARCH_BATCH; i++)
        sl_samples_free(&s->batch[i].samples);
    sl_samples_free(&s->current.samples);
    free(s->drafts.slots);
    free(s->plans.slots);
    free(s->ordered.slots);
    sl_space_close(&s->space);
}

/* A policy without a plan here is told; one whose table asks for what there is not is a fault of
 * the input. */
static enum sl_status note_refusal(struct sl_search *s, const struct sl_contestant *c)
{
    if (c->err.status == SL_INVALID)
        return SL_FAIL_AT(s->err, SL_INVALID, c->err.place, "policy '%s': %s",
                          s->space.bases[c->draft.base]->name, c->err.message);
    const char *why = sl_arena_strdup(&s->space.arena, c->err.message);
    s->space.refusals[c->draft.base] = why;
    return why ? SL_OK : no_memory(s);
}

/* Remembers what a policy's own plan is, and which of them is best. */
static void note_start(struct sl_search *s, struct sl_contestant *c)
{
    uint32_t base = c->draft.base;
    bool first = s->current.digest == 0;
    s->start_digests[base] = c->digest;
    if (c->digest == 0 || c->repeated)
        return;
    if (base < s->space.scenario->policy_count &&
        (s->named.digest == 0 ||
         sl_search_compare(&c->figures, &s->named.figures, s->goal.levels) < 0)) {
        sl_draft_copy(&s->space, &s->named.draft, &c->draft);
        s->named.figures = c->figures;
        s->named.digest = c->digest;
    }
    if (first || sl_search_compare(&c->figures, &s->current.figures, s->goal.levels) < 0)
        sl_search_stand_on(s, c);
}

/* Out of time, or interrupted, before all of the policies' plans were judged: the others get few
 * trials, since none of them may be left out of an answer. */
static void hurry(struct sl_search *s)
{
    s->judge.trials = s->judge.trials / HURRIED < 1 ? 1 : s->judge.trials / HURRIED;
    s->judge.go_on = NULL;
    s->stopped = false;
    s->result->hurried = true;
}

/* The plans of all policies, each with all trials. */
static enum sl_status run_starts(struct sl_search *s)
{
    enum sl_status status = SL_OK;
    for (uint32_t base = 0; base < s->space.base_count && status == SL_OK;) {
        uint32_t count = 0, first = base;
        for (; base < s->space.base_count && count < SL_SEARCH_BATCH; base++) {
            struct sl_contestant *c = &s->batch[count];
            if (!s->space.starts[base].steps)
                continue;
            sl_draft_copy(&s->space, &c->draft, &s->space.starts[base]);
            c->move = SL_OF_START;
            c->full = true;
            if (!sl_seen_add(&s->drafts, sl_draft_hash(&s->space, &c->draft)))
                return no_memory(s);
            count++;
        }
        status = sl_search_batch(s, count, NULL);
        if (status == SL_OK && s->stopped) {
            hurry(s);
            base = first;
            continue;
        }
        for (uint32_t i = 0; i < count && status == SL_OK; i++) {
            note_start(s, &s->batch[i]);
            if (s->batch[i].refused)
                status = note_refusal(s, &s->batch[i]);
        }
    }
    s->stopped = s->result->hurried;
    return status;
}

/* Every plan of the space that was not made yet. */
static enum sl_status walk(struct sl_search *s)
{
    struct sl_draft next;
    if (!sl_draft_new(&s->space, &next, &s->space.arena))
        return no_memory(s);
    sl_space_first(&s->space, &next);
    bool more = true;
    enum sl_status status = SL_OK;
    while (more && status == SL_OK && !s->stopped && s->result->evaluations < s->most) {
        uint32_t count = 0;
        uint32_t left = s->most - s->result->evaluations;
        uint32_t size = left < SL_SEARCH_BATCH ? left : SL_SEARCH_BATCH;
        for (; more && count < size; more = sl_space_next(&s->space, &next)) {
            if (sl_seen_has(&s->drafts, sl_draft_hash(&s->space, &next)))
                continue;
            sl_draft_copy(&s->space, &s->batch[count].draft, &next);
            s->batch[count].move = SL_OF_WALK;
            s->batch[count++].full = false;
        }
        status = sl_search_batch(s, count, &s->current.samples);
        for (uint32_t i = 0; i < count && status == SL_OK && !s->stopped; i++)
            if (!s->batch[i].repeated && s->batch[i].digest != 0 &&
                sl_search_compare(&s->batch[i].figures, &s->current.figures, s->goal.levels) < 0)
                sl_search_stand_on(s, &s->batch[i]);
    }
    s->result->exhausted = status == SL_OK && !s->stopped && !more;
    return status;
}

/* The best plans with more trials: their figures are the exact ones of those. */
static enum sl_status run_heat(struct sl_search *s)
{
    uint32_t count = heat_plans(s), trials = heat_trials(s);
    enum sl_status status = SL_OK;
    if (trials == 0)
        return SL_OK;
    s->judge.trials = trials;
    s->judge.seen = NULL;
    s->judge.go_on = go_on_with_heat;
    for (uint32_t first = 0; first < count && status == SL_OK; first += SL_SEARCH_BATCH) {
        uint32_t part = count - first < SL_SEARCH_BATCH ? count - first : SL_SEARCH_BATCH;
        for (uint32_t i = 0; i < part; i++) {
            sl_draft_copy(&s->space, &s->batch[i].draft, &s->archive.items[first + i].draft);
            s->batch[i].full = true;
        }
        status = sl_judge_all(&s->judge, s->batch, part, NULL, s->err);
        for (uint32_t i = 0; i < part && status == SL_OK; i++) {
            s->result->trials += s->batch[i].samples.count;
            status = sl_search_figure(&s->goal, &s->batch[i].samples, true,
                                      &s->archive.items[first + i].figures, s->err);
        }
    }
    s->archive.count = count;
    return status == SL_INTERRUPTED ? SL_OK : status;
}

static enum sl_status keep_plan(struct sl_search *s, const struct sl_elite *elite,
                                struct sl_search_plan *plan)
{
    *plan = (struct sl_search_plan){.base = s->space.bases[elite->draft.base]->name,
                                    .figures = elite->figures,
                                    .digest = elite->digest};
    for (uint32_t b = 0; b < s->space.base_count && !plan->named; b++)
        if (s->start_digests[b] == elite->digest)
            plan->named = s->space.bases[b]->name;
    return sl_draft_policy(&s->space, &elite->draft, &plan->policy, &s->result->arena, s->err);
}

static enum sl_status keep_refusals(struct sl_search *s)
{
    struct sl_search_result *result = s->result;
    struct sl_arena *arena = &result->arena;
    result->refusals =
        sl_arena_array(arena, (size_t)s->space.base_count + 1, sizeof *result->refusals);
    if (!result->refusals)
        return no_memory(s);
    for (uint32_t b = 0; b < s->space.base_count; b++) {
        if (!s->space.refusals[b])
            continue;
        const char *why = sl_arena_strdup(arena, s->space.refusals[b]);
        if (!why)
            return no_memory(s);
        result->refusals[result->refusal_count++] =
            (struct sl_search_refusal){s->space.bases[b]->name, why};
    }
    return SL_OK;
}

/* The archive as a list, best first. */
static enum sl_status keep_plans(struct sl_search *s)
{
    struct sl_search_result *result = s->result;
    result->plans =
        sl_arena_array(&result->arena, (size_t)s->archive.count + 1, sizeof *result->plans);
    if (!result->plans)
        return no_memory(s);
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < s->archive.count && status == SL_OK; i++) {
        uint32_t at = i;
        for (; at > 0 && sl_search_compare(&s->archive.items[i].figures,
                                           &result->plans[at - 1].figures, s->goal.levels) < 0;
             at--)
            result->plans[at] = result->plans[at - 1];
        status = keep_plan(s, &s->archive.items[i], &result->plans[at]);
    }
    result->plan_count = s->archive.count;
    if (status == SL_OK && s->named.digest != 0)
        status = keep_plan(s, &s->named, &result->named);
    return status;
}

/* Choices and orders in turn; small spaces are walked through at last. */
static enum sl_status search_all(struct sl_search *s)
{
    bool small = s->result->space <= SL_SEARCH_EVALUATIONS;
    uint32_t most = small && s->most > SMALL_CLIMB ? SMALL_CLIMB : s->most, made = UINT32_MAX;
    enum sl_status status = SL_OK;
    uint32_t stage = FIRST_ORDERS;
    while (status == SL_OK && !s->stopped && made != s->result->evaluations) {
        while (stage <= s->result->evaluations)
            stage *= 4;
        made = s->result->evaluations;
        status = sl_search_climb(s, stage < most ? stage : most);
        if (status == SL_OK && !s->stopped && s->result->evaluations < most)
            status = sl_search_reorder(s);
    }
    if (status != SL_OK || s->stopped || s->result->space > MOST_WALKED)
        return status;
    status = walk(s);
    return status == SL_OK && !s->stopped ? sl_search_reorder(s) : status;
}

static enum sl_status search(struct sl_search *s)
{
    enum sl_status status = run_starts(s);
    if (status == SL_OK && s->archive.count == 0)
        return SL_FAIL(s->err, SL_NO, "no policy of the scenario has a legal plan to begin with");
    if (status == SL_OK && !s->stopped)
        status = search_all(s);
    if (status == SL_OK && !s->result->interrupted && !s->result->hurried)
        status = run_heat(s);
    if (status == SL_OK)
        status = keep_refusals(s);
    return status == SL_OK ? keep_plans(s) : status;
}

enum sl_status sl_search_run(struct sl_search_result *result, const struct sl_scenario *scenario,
                             const struct sl_search_options *options, struct sl_diags *diags,
                             struct sl_error *err)
{
    struct sl_search *s = calloc(1, sizeof *s);
    *result = (struct sl_search_result){0};
    if (!s)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a search");
    s->options = options;
    s->result = result;
    s->err = err;
    enum sl_status status = open_search(s, scenario, diags);
    if (status == SL_OK) {
        result->levels = s->goal.levels;
        result->pareto = s->goal.pareto;
        memcpy(result->order, s->goal.order, sizeof result->order);
        result->gaps = s->space.gap_count;
        result->space = sl_space_size(&s->space);
        status = search(s);
    }
    close_search(s);
    free(s);
    return status;
}

void sl_search_free(struct sl_search_result *result)
{
    free(result->log);
    sl_arena_free(&result->arena);
    *result = (struct sl_search_result){0};
}
