/* What action best does: a descent over whole plans, each judged by running it.
 *
 * A candidate says for every gap whether it would be offloaded or recomputed, and in which order
 * gaps are taken until the plan fits; what is not taken stays.  It is planned in full and run for a
 * few trials by the engine, on draws that are the same for all candidates and those of no result.
 * So what counts is the objective under contention, queueing and capacity, not a duration.  The
 * figure is the mean of the worst tenth of the trials, or the median or mean of all where the
 * objective's order begins with it.
 *
 *     start      a gap is recomputed where that takes less than a price times what its copies keep
 *                the engines busy, offloaded elsewhere: the best of seven prices, then of four
 *                orders (where the policy names none)
 *     descent    gaps whose moves are on the realized chain of the trials that count for longer
 *                than a recomputation takes are recomputed instead, the worst first: an eighth of
 *                them at once, twice as many after a success, half as many after a failure; then
 *                those whose recomputations are on it are moved; and so on
 *
 * It ends when no single change helps, or with its budget.  Changes are made one set at a time, so
 * a plan that is better only after two of them is not found. */
#include "attempt.h"
#include "chain_time.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RUNS     64 /* trials of a candidate */
#define MOST_PLANS    48 /* candidates */
#define LEAST_PLANS   4
#define NODES_RUN     2000000 /* in all: large graphs have fewer trials */
#define NODES_PLANNED 200000  /* and candidates */
#define SEED_OFFSET   UINT64_C(0x9e3779b97f4a7c15)

struct best {
    const struct sl_facts *facts;
    const struct sl_rules *rules;
    const struct sl_policy_spec *policy;
    struct sl_error *err;
    uint32_t gaps, trials, plans_left;
    const struct sl_part **actions;       /* per gap: of the best so far */
    const struct sl_part **trial_actions; /* ... and of a candidate */
    const struct sl_part *order;
    double figure, price;       /* of the best so far */
    uint32_t leaving;           /* gaps in which something leaves in it */
    struct sl_choice *choices;  /* of the candidate */
    double *chain, *best_chain; /* per object: mean time on the chain where it counts, ps */
    uint64_t seed;
    int64_t *makespans, *sorted; /* per trial; and in order */
    struct sl_chain_time time;   /* adds to `chain` */
    bool *taken;  /* per gap: the object leaves in it in the best so far, by such a rule */
    bool *failed; /* per gap: changing it alone did not help */
};

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The objective of the first `count` trials, ps; infinite when one deadlocked.  *least: the
 * makespan from which on trials count for it. */
static double judge(const struct best *b, uint32_t count, int64_t *least)
{
    const struct sl_scenario *scenario = b->facts->scenario;
    const char *first =
        scenario->objective.order_count ? scenario->objective.order[0].name : "tail";
    bool middle = strcmp(first, "median") == 0, all = middle || strcmp(first, "mean") == 0;
    uint32_t from = all ? 0 : count - (count + 9) / 10;
    double sum = 0.0;
    memcpy(b->sorted, b->makespans, count * sizeof *b->sorted);
    qsort(b->sorted, count, sizeof *b->sorted, compare_times);
    *least = b->sorted[from];
    if (b->sorted[count - 1] == INT64_MAX)
        return INFINITY;
    if (middle)
        return (double)b->sorted[count / 2];
    for (uint32_t i = from; i < count; i++)
        sum += (double)b->sorted[i];
    return sum / (count - from);
}

/* Mean times on the chain over the trials that count: they are run once more. */
static enum sl_status find_chains(struct best *b, const struct sl_program *program,
                                  struct sl_worker *worker, uint32_t trials, int64_t least)
{
    const struct sl_trial *trial;
    enum sl_status status = SL_OK;
    uint32_t count = 0;
    b->time.move_ps = b->time.remat_ps = b->chain;
    for (uint32_t t = 0; t < trials && status == SL_OK; t++) {
        if (b->makespans[t] < least)
            continue;
        status = sl_worker_run(worker, b->seed, t, 0, &trial, b->err);
        if (status == SL_OK)
            status = sl_chain_time_add(&b->time, program, trial, b->err);
        count++;
    }
    for (uint32_t o = 0; o < b->facts->object_count; o++)
        b->chain[o] /= count;
    return status;
}

static enum sl_status run(struct best *b, const struct sl_graph *graph, double *figure)
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    uint32_t count = 0;
    int64_t least;
    enum sl_status status = sl_program_create(&program, graph, &b->rules->engine, b->err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, b->err);
    while (count < b->trials && status == SL_OK) {
        status = sl_worker_run(worker, b->seed, count, 0, &trial, b->err);
        if (status)
            break;
        b->makespans[count++] = trial->makespan_ps;
        if (trial->outcome == SL_DEADLOCK)
            break;
    }
    memset(b->chain, 0, b->facts->object_count * sizeof *b->chain);
    if (status == SL_OK) {
        *figure = judge(b, count, &least);
        if (isfinite(*figure))
            status = find_chains(b, program, worker, count, least);
    }
    sl_worker_free(worker);
    sl_program_free(program);
    return status;
}

/* Plans and runs the candidate in trial_actions. */
static enum sl_status evaluate(struct best *b, const struct sl_part *order, double *figure)
{
    struct sl_plan plan = {0};
    struct sl_attempt attempt = {0};
    const struct sl_preference preference = {b->trial_actions, order};
    b->plans_left--;
    enum sl_status status =
        sl_selection_decide(b->facts, b->rules, b->policy, &preference, b->choices, NULL, b->err);
    if (status == SL_OK)
        status = sl_attempt_complete(&attempt, b->facts, b->rules, b->choices, &plan, NULL, b->err);
    if (status == SL_OK)
        status = sl_plan_renumber(&attempt);
    if (status == SL_OK)
        status = run(b, attempt.graph, figure);
    sl_attempt_free(&attempt);
    return status;
}

/* Keeps the candidate that was evaluated last if it is better, or as good with less that leaves. */
static bool keep_better(struct best *b, const struct sl_part *order, double figure)
{
    uint32_t leaving = 0;
    for (uint32_t g = 0; g < b->gaps; g++)
        leaving += b->choices[g].action != NULL;
    if (b->order && !(figure < b->figure || (figure <= b->figure && leaving < b->leaving)))
        return false;
    double *chain = b->best_chain;
    b->best_chain = b->chain;
    b->chain = chain;
    memcpy(b->actions, b->trial_actions, b->gaps * sizeof *b->actions);
    for (uint32_t g = 0; g < b->gaps; g++)
        b->taken[g] = b->choices[g].rule && b->choices[g].rule->action == &sl_action_best;
    b->order = order;
    b->figure = figure;
    b->leaving = leaving;
    return true;
}

/* Each gap is recomputed where that takes less than `price` times what the engines would be busy
 * with its copies, and offloaded elsewhere; what can do one alone does that. */
static void choose_by_price(struct best *b, double price)
{
    for (uint32_t g = 0; g < b->gaps; g++) {
        const struct sl_gap *gap = &b->facts->gaps[g];
        bool moves = !sl_action_offload.eligible(b->facts, gap);
        bool repeats = !sl_action_remat.eligible(b->facts, gap);
        if (moves && repeats)
            moves = !(sl_action_remat.cost(b->facts, gap) <
                      price * sl_action_offload.cost(b->facts, gap));
        b->trial_actions[g] = moves ? &sl_action_offload : repeats ? &sl_action_remat : NULL;
    }
}

static enum sl_status start_with(struct best *b, double price, const struct sl_part *order)
{
    double figure;
    if (b->plans_left == 0)
        return SL_OK;
    choose_by_price(b, price);
    enum sl_status status = evaluate(b, order, &figure);
    if (status == SL_OK && keep_better(b, order, figure))
        b->price = price;
    return status;
}

/* Prices in the first order, then the other orders at the best price. */
static enum sl_status start(struct best *b)
{
    static const double prices[] = {0.0, 0.0625, 0.125, 0.25, 0.5, 1.0, INFINITY};
    static const struct sl_part *const orders[] = {&sl_select_cost_benefit, &sl_select_belady,
                                                   &sl_select_largest, &sl_select_slack};
    bool open = false; /* some rule leaves the order open */
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < b->rules->count; r++)
        open |=
            b->rules->items[r].action == &sl_action_best && b->rules->items[r].select->takes_all;
    for (size_t i = 0; i < sizeof prices / sizeof *prices && status == SL_OK; i++)
        status = start_with(b, prices[i], orders[0]);
    for (size_t i = 1; i < sizeof orders / sizeof *orders && open && status == SL_OK; i++)
        status = start_with(b, b->price, orders[i]);
    return status;
}

struct proposal {
    double gain_ps;
    uint32_t gap;
};

static int compare_proposals(const void *x, const void *y)
{
    const struct proposal *a = x, *b = y;
    if (a->gain_ps < b->gain_ps || a->gain_ps > b->gain_ps)
        return a->gain_ps > b->gain_ps ? -1 : 1;
    return a->gap < b->gap ? -1 : a->gap > b->gap;
}

/* Gaps that do `from` and had better do `to`, by what they spend on the chain less what the other
 * action would (a recomputation: its time; a move may hide: nothing). */
static uint32_t propose(const struct best *b, const struct sl_part *from, const struct sl_part *to,
                        struct proposal *proposals)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < b->gaps; g++) {
        const struct sl_gap *gap = &b->facts->gaps[g];
        if (!b->taken[g] || b->actions[g] != from || b->failed[g] || to->eligible(b->facts, gap))
            continue;
        double cost = to == &sl_action_remat ? to->cost(b->facts, gap) : 0.0;
        double gain = b->best_chain[gap->object] - cost;
        if (gain > 0.0)
            proposals[count++] = (struct proposal){gain, g};
    }
    qsort(proposals, count, sizeof *proposals, compare_proposals);
    return count;
}

/* Changes gaps from one action to the other while it helps; *helped says whether it did. */
static enum sl_status descend(struct best *b, const struct sl_part *from, const struct sl_part *to,
                              struct proposal *proposals, bool *helped)
{
    uint32_t count = propose(b, from, to, proposals), batch = (count + 7) / 8;
    enum sl_status status = SL_OK;
    while (count > 0 && b->plans_left > 0 && status == SL_OK) {
        double figure;
        batch = batch < count ? batch : count;
        memcpy(b->trial_actions, b->actions, b->gaps * sizeof *b->actions);
        for (uint32_t i = 0; i < batch; i++)
            b->trial_actions[proposals[i].gap] = to;
        status = evaluate(b, b->order, &figure);
        if (status == SL_OK && keep_better(b, b->order, figure)) {
            *helped = true;
            batch *= 2;
        } else if (batch == 1) {
            b->failed[proposals[0].gap] = true;
        } else {
            batch /= 2;
        }
        count = propose(b, from, to, proposals);
    }
    return status;
}

static enum sl_status improve(struct best *b, struct proposal *proposals)
{
    bool helped = isfinite(b->figure);
    enum sl_status status = SL_OK;
    while (helped && b->plans_left > 0 && status == SL_OK) {
        helped = false;
        memset(b->failed, 0, b->gaps * sizeof *b->failed);
        status = descend(b, &sl_action_offload, &sl_action_remat, proposals, &helped);
        if (status == SL_OK)
            status = descend(b, &sl_action_remat, &sl_action_offload, proposals, &helped);
    }
    return status;
}

static uint32_t between(uint32_t least, uint32_t value, uint32_t most)
{
    return value < least ? least : value > most ? most : value;
}

enum sl_status sl_best_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                              const struct sl_policy_spec *policy, struct sl_choice *choices,
                              struct sl_diags *diags, struct sl_error *err)
{
    struct best b = {.facts = facts,
                     .rules = rules,
                     .policy = policy,
                     .err = err,
                     .gaps = facts->gap_start[facts->object_count],
                     .seed = facts->scenario->seed + SEED_OFFSET,
                     .choices = choices};
    uint32_t nodes = facts->graph->node_count + 1;
    size_t gaps = (size_t)b.gaps + 1, objects = (size_t)facts->object_count + 1;
    b.plans_left = between(LEAST_PLANS, NODES_PLANNED / nodes, MOST_PLANS);
    b.trials = between(1, NODES_RUN / MOST_PLANS / nodes, MOST_RUNS);
    b.actions = calloc(gaps, sizeof *b.actions);
    b.trial_actions = calloc(gaps, sizeof *b.trial_actions);
    b.taken = calloc(gaps, sizeof *b.taken);
    b.failed = calloc(gaps, sizeof *b.failed);
    b.chain = calloc(objects, sizeof *b.chain);
    b.best_chain = calloc(objects, sizeof *b.best_chain);
    b.makespans = malloc(MOST_RUNS * sizeof *b.makespans);
    b.sorted = malloc(MOST_RUNS * sizeof *b.sorted);
    struct proposal *proposals = malloc(gaps * sizeof *proposals);
    enum sl_status status = SL_OK;
    if (!b.actions || !b.trial_actions || !b.taken || !b.failed || !b.chain || !b.best_chain ||
        !b.makespans || !b.sorted || !proposals)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for action best");
    if (status == SL_OK)
        status = start(&b);
    if (status == SL_OK)
        status = improve(&b, proposals);
    if (status == SL_OK) {
        const struct sl_preference preference = {b.actions, b.order};
        status = sl_selection_decide(facts, rules, policy, &preference, choices, diags, err);
    }
    free(b.actions);
    free(b.trial_actions);
    free(b.taken);
    free(b.failed);
    free(b.chain);
    free(b.best_chain);
    free(b.makespans);
    free(b.sorted);
    sl_arena_free(&b.time.arena);
    free(proposals);
    return status;
}
