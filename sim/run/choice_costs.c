/* Which choices are looked at, and the plan and the runs of each. */
#include "choice_costs.h"
#include "choice_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_TRIALS 100 /* before fewer gaps are looked at */

const char *sl_choice_state_name(enum sl_choice_state state)
{
    static const char *const names[SL_CHOICE_STATES] = {"run", "not-eligible", "illegal",
                                                        "deadlock"};
    return names[state];
}

struct maker {
    struct sl_choice_costs *costs;
    const struct sl_decision *decision;
    const struct sl_run_options *options;
    struct sl_plan_trials trials;
    struct sl_plan_sums base;
    struct sl_diags *diags;
    struct sl_error *err;
};

/* ---- which gaps ------------------------------------------------------------------------------ */

struct item {
    uint32_t gap, others; /* choices besides the policy's */
    double weight;        /* bytes x gap */
};

/* What could be otherwise first; then the largest. */
static int compare(const void *x, const void *y)
{
    const struct item *a = x, *b = y;
    if (!a->others != !b->others)
        return a->others ? -1 : 1;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->gap < b->gap ? -1 : a->gap > b->gap;
}

/* Retain, offload to the refuge and remat: what the policy does is marked, and so is what cannot be
 * done. */
static void list_actions(const struct maker *m, struct sl_gap_costs *row)
{
    static const char *const actions[] = {"retain", "offload", "remat"};
    row->choice_count = 0;
    for (int c = 0; c < 3; c++) {
        bool moves = strcmp(actions[c], "offload") == 0;
        struct sl_choice_cost *cost = &row->choices[row->choice_count++];
        *cost = (struct sl_choice_cost){.action = actions[c],
                                        .decided = strcmp(row->gap.action, actions[c]) == 0,
                                        .refuge = moves ? row->gap.refuge : SL_NONE,
                                        .timing = moves ? row->gap.timing : NULL};
        if (!cost->decided)
            cost->reason = sl_decision_obstacle(m->decision, row->index, actions[c]);
        if (cost->reason)
            cost->state = SL_CHOICE_NOT;
    }
}

/* Other places to offload to, before what comes last. */
static enum sl_status list_refuges(const struct maker *m, struct sl_gap_costs *row)
{
    uint32_t refuges[SL_CHOICES], count;
    enum sl_status status = sl_decision_refuges(m->decision, row->index, refuges,
                                                SL_CHOICES - row->choice_count, &count, m->err);
    struct sl_choice_cost last = row->choices[row->choice_count - 1];
    if (status != SL_OK)
        return status;
    for (uint32_t k = 0; k < count; k++)
        row->choices[row->choice_count - 1 + k] = (struct sl_choice_cost){
            .action = "offload", .refuge = refuges[k], .timing = row->gap.timing};
    row->choice_count += count;
    row->choices[row->choice_count - 1] = last;
    return SL_OK;
}

static void open_row(const struct maker *m, uint32_t gap, struct sl_gap_costs *row)
{
    const struct sl_graph *graph = m->costs->scenario->graph;
    row->index = gap;
    row->gap = sl_decision_gap(m->decision, gap);
    row->bytes = graph->objects[row->gap.object].bytes;
    row->home = sl_object_home(graph, row->gap.object);
}

/* Plans that the gap's choices need besides the policy's. */
static uint32_t others(const struct sl_gap_costs *row)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < row->choice_count; c++)
        count += row->choices[c].state == SL_CHOICE_RUN && !row->choices[c].decided;
    return count;
}

/* Fewer trials, then fewer gaps, so that all runs of nodes stay within the work; one gap at least.
 */
static void bound_work(struct sl_choice_costs *costs, uint32_t nodes)
{
    double plans = 1.0, each = (double)nodes + 1.0;
    for (uint32_t g = 0; g < costs->gap_count; g++)
        plans += others(&costs->gaps[g]);
    if (plans * each * costs->trials <= SL_COSTS_WORK)
        return;
    double fits = SL_COSTS_WORK / each / plans;
    uint32_t least = costs->trials < LEAST_TRIALS ? costs->trials : LEAST_TRIALS;
    costs->trials = fits > least ? (uint32_t)fits : least;
    while (costs->gap_count > 1 && plans * each * costs->trials > SL_COSTS_WORK)
        plans -= others(&costs->gaps[--costs->gap_count]);
    fits = SL_COSTS_WORK / each / plans;
    if (fits < costs->trials)
        costs->trials = fits > 1.0 ? (uint32_t)fits : 1;
}

/* The gaps that are asked for, in order; returns their number. */
static uint32_t rank_gaps(const struct maker *m, const char *objects, struct item *items)
{
    const struct sl_graph *graph = m->costs->scenario->graph;
    uint32_t count = 0;
    for (uint32_t g = 0; g < sl_decision_gap_count(m->decision); g++) {
        struct sl_gap_costs row = {0};
        open_row(m, g, &row);
        if (objects && !sl_glob_any(objects, graph->objects[row.gap.object].name))
            continue;
        list_actions(m, &row);
        double weight = (double)row.bytes * fmax(row.gap.length_ps, 0.0);
        items[count++] = (struct item){g, others(&row), weight};
    }
    qsort(items, count, sizeof *items, compare);
    return count;
}

static enum sl_status choose_gaps(struct maker *m, const struct sl_costs_request *request,
                                  uint32_t nodes)
{
    struct sl_choice_costs *costs = m->costs;
    uint32_t most = SL_COSTS_WORK / (nodes + 1) + 1; /* more would not be within the work */
    struct item *items = malloc(((size_t)sl_decision_gap_count(m->decision) + 1) * sizeof *items);
    if (!items)
        return SL_FAIL(m->err, SL_SYSTEM, "out of memory for the costs of choices");
    costs->matching = rank_gaps(m, request->objects, items);
    most = most < request->gaps ? most : request->gaps;
    costs->gap_count = costs->matching < most ? costs->matching : most;
    costs->gaps = sl_arena_array(&costs->arena, (size_t)costs->gap_count + 1, sizeof *costs->gaps);
    enum sl_status status =
        costs->gaps ? SL_OK : SL_FAIL(m->err, SL_SYSTEM, "out of memory for the costs of choices");
    for (uint32_t g = 0; g < costs->gap_count && status == SL_OK; g++) {
        open_row(m, items[g].gap, &costs->gaps[g]);
        list_actions(m, &costs->gaps[g]);
        status = list_refuges(m, &costs->gaps[g]);
    }
    free(items);
    if (status != SL_OK)
        return status;
    bound_work(costs, nodes);
    costs->planned = 1;
    for (uint32_t g = 0; g < costs->gap_count; g++)
        costs->planned += others(&costs->gaps[g]);
    return SL_OK;
}

/* ---- one choice ------------------------------------------------------------------------------ */

static bool pass_progress(void *user, uint64_t done)
{
    const struct maker *m = user;
    const struct sl_choice_costs *costs = m->costs;
    uint64_t trials = costs->trials;
    return m->options->progress(m->options->user, costs->plans * trials + done,
                                costs->planned * trials, costs->plans, costs->planned);
}

static const char *keep(struct maker *m, const char *text)
{
    const char *copy = sl_arena_strdup(&m->costs->arena, text);
    return copy ? copy : "out of memory";
}

static void note_deadlocks(struct maker *m, struct sl_choice_cost *cost,
                           const struct sl_plan_sums *sums)
{
    cost->deadlocked = sums->deadlocked;
    if (sums->deadlocked > 0)
        cost->reason = keep(m, sums->deadlock);
    if (sums->deadlocked == sums->trials)
        cost->state = SL_CHOICE_DEADLOCK;
}

/* Plans and runs the gap's choice; SL_NO: there is no legal plan; SL_INVALID: the policy's own table
 * names nodes that it lacks. */
static enum sl_status simulate(struct maker *m, uint32_t gap, const struct sl_choice_cost *cost,
                               struct sl_plan *plan, struct sl_plan_sums *sums,
                               struct sl_error *err)
{
    enum sl_status status =
        sl_decision_plan(m->decision, gap, cost->action, cost->refuge, plan, NULL, err);
    if (status == SL_OK)
        status = sl_plan_sums_run(sums, plan, m->costs->scenario, &m->trials, err);
    m->costs->plans++;
    return status;
}

static enum sl_status run_choice(struct maker *m, const struct sl_gap_costs *row,
                                 struct sl_choice_cost *cost)
{
    struct sl_plan plan = {0};
    struct sl_plan_sums sums = {0};
    struct sl_error why = {0};
    enum sl_status status = simulate(m, row->index, cost, &plan, &sums, &why);
    if (status == SL_NO || status == SL_INVALID) {
        cost->state = SL_CHOICE_ILLEGAL;
        cost->reason = keep(m, why.message);
        status = SL_OK;
    } else if (status == SL_OK) {
        note_deadlocks(m, cost, &sums);
        status = sl_choice_figures(m->costs, row, cost, &sums, &m->base, m->trials.seed, m->err);
    } else if (m->err && m->err->status == SL_OK) {
        *m->err = why;
    }
    sl_plan_sums_free(&sums);
    sl_plan_free(&plan);
    return status;
}

static enum sl_status cost_gap(struct maker *m, struct sl_gap_costs *row)
{
    enum sl_status status = SL_OK;
    for (uint32_t c = 0; c < row->choice_count && status == SL_OK; c++) {
        struct sl_choice_cost *cost = &row->choices[c];
        if (cost->state == SL_CHOICE_NOT)
            continue;
        if (!cost->decided) {
            status = run_choice(m, row, cost);
            continue;
        }
        note_deadlocks(m, cost, &m->base);
        status = sl_choice_figures(m->costs, row, cost, &m->base, &m->base, m->trials.seed, m->err);
    }
    return status;
}

static enum sl_status make_all(struct maker *m, const struct sl_costs_request *request)
{
    struct sl_choice_costs *costs = m->costs;
    struct sl_plan plan = {0};
    enum sl_status status =
        sl_decision_plan(m->decision, SL_NONE, NULL, SL_NONE, &plan, m->diags, m->err);
    if (status == SL_OK)
        status = choose_gaps(m, request, plan.graph->node_count);
    m->trials.count = costs->trials;
    if (status == SL_OK)
        status = sl_plan_sums_run(&m->base, &plan, costs->scenario, &m->trials, m->err);
    costs->plans++;
    costs->deadlocked = m->base.deadlocked;
    for (uint32_t g = 0; g < costs->gap_count && status == SL_OK; g++)
        status = cost_gap(m, &costs->gaps[g]);
    sl_plan_sums_free(&m->base);
    sl_plan_free(&plan);
    return status;
}

enum sl_status sl_choice_costs_make(struct sl_choice_costs *costs,
                                    const struct sl_scenario *scenario,
                                    const struct sl_policy_spec *policy,
                                    const struct sl_costs_request *request,
                                    const struct sl_run_options *options, struct sl_diags *diags,
                                    struct sl_error *err)
{
    struct sl_decision *decision;
    *costs = (struct sl_choice_costs){.scenario = scenario,
                                      .trials = request->trials,
                                      .tail = scenario->objective.tail,
                                      .bounded = scenario->starvation_bound_ps >= 0};
    if (request->trials == 0)
        return SL_FAIL(err, SL_INVALID, "the number of trials is 0; it must be at least 1");
    enum sl_status status = sl_decision_make(&decision, scenario, policy, diags, err);
    struct maker m = {.costs = costs,
                      .decision = decision,
                      .options = options,
                      .trials = {.pool = options->pool,
                                 .seed = request->seed,
                                 .progress = options->progress ? pass_progress : NULL},
                      .diags = diags,
                      .err = err};
    m.trials.user = &m;
    if (status == SL_OK)
        status = make_all(&m, request);
    sl_decision_free(decision);
    return status;
}

void sl_choice_costs_free(struct sl_choice_costs *costs)
{
    sl_arena_free(&costs->arena);
    *costs = (struct sl_choice_costs){0};
}
