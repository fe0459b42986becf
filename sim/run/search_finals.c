/* Winner, runner-up and the best policy as cells; and what bounds all plans from below. */
#include "search_finals.h"
#include "change.h"
#include "order_choices.h"
#include "order_insert.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OF_SET    16
#define ROUNDING       1e-9
#define LARGE_CAPACITY 0x1p59 /* bytes: as good as unlimited */

static bool is_taken(const struct sl_finals *finals, const struct sl_scenario *scenario,
                     const char *name)
{
    for (uint32_t i = 0; i < finals->count; i++)
        if (strcmp(finals->items[i].name, name) == 0)
            return true;
    return sl_scenario_policy(scenario, name) != NULL;
}

/* The policy's own name where it is its very plan, else "found", "found-2" ... */
static const char *name_of(struct sl_finals *finals, const struct sl_scenario *scenario,
                           const struct sl_search_plan *plan)
{
    const char *name = plan->named ? plan->named : "found";
    for (uint32_t k = 2; name && !plan->named && is_taken(finals, scenario, name); k++)
        name = sl_arena_printf(&finals->arena, "found-%u", k);
    return name;
}

static enum sl_status add(struct sl_finals *finals, const struct sl_scenario *scenario,
                          const struct sl_search_plan *plan, uint32_t *index, struct sl_error *err)
{
    for (*index = 0; *index < finals->count; ++*index)
        if (finals->items[*index].plan->digest == plan->digest)
            return SL_OK;
    struct sl_final *item = &finals->items[finals->count];
    item->plan = plan;
    item->name = name_of(finals, scenario, plan);
    if (!item->name)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the plans of a search");
    finals->count++;
    return SL_OK;
}

/* The first, and after it those that complete every trial and keep the constraints. */
static bool may_be_told(const struct sl_search_plan *plan, uint32_t i)
{
    return i == 0 || (plan->figures.stuck <= 0 && plan->figures.violation <= 0);
}

static enum sl_status choose(struct sl_finals *finals, const struct sl_search_result *result,
                             const struct sl_scenario *scenario, struct sl_error *err)
{
    uint32_t most = result->pareto ? MOST_OF_SET : 2, at;
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < result->plan_count && i < most && status == SL_OK; i++)
        if (may_be_told(&result->plans[i], i))
            status = add(finals, scenario, &result->plans[i], &at, err);
    finals->runner_up = finals->count > 1 ? 1 : SL_NONE;
    finals->named = SL_NONE;
    if (status == SL_OK && result->named.base)
        status = add(finals, scenario, &result->named, &finals->named, err);
    return status;
}

static enum sl_status run_cell(struct sl_finals *finals, uint32_t i, struct sl_scenario *scenario,
                               const struct sl_run_options *options, struct sl_diags *diags,
                               struct sl_error *err)
{
    struct sl_final *item = &finals->items[i];
    const char **texts = sl_arena_array(&finals->arena, scenario->axis_count + 1u, sizeof *texts);
    if (!texts)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the plans of a search");
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        texts[a] = "";
    struct sl_policy_spec policy = item->plan->policy;
    policy.name = item->name;
    const struct sl_cell_spec spec = {
        .index = i, .policy = item->name, .axis_texts = texts, .axis_count = scenario->axis_count};
    enum sl_status status = sl_cell_run(&item->cell, scenario, &policy, &spec, options, diags, err);
    return status == SL_OK ? sl_contest_add(&finals->contest, &item->cell, err) : status;
}

/* The policy of the least work: everything stays, and what begins elsewhere comes as soon as it
 * can. */
static enum sl_status least_policy(struct sl_policy_spec *policy, bool given,
                                   struct sl_arena *arena, struct sl_error *err)
{
    static const char *const texts[][2] = {
        {"action", "offload"}, {"select", "none"}, {"prefetch", "asap"}};
    enum { SETTINGS = sizeof texts / sizeof *texts };
    struct sl_policy_rule *rule = sl_arena_alloc(arena, sizeof *rule);
    struct sl_setting *settings = sl_arena_array(arena, SETTINGS, sizeof *settings);
    const char **values = sl_arena_array(arena, SETTINGS, sizeof *values);
    if (!rule || !settings || !values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a bound");
    for (int i = 0; i < SETTINGS; i++) {
        values[i] = given ? "as-given" : texts[i][1];
        settings[i] =
            (struct sl_setting){.key = texts[i][0], .values = &values[i], .value_count = 1};
    }
    *rule = (struct sl_policy_rule){.settings = settings, .count = given ? 1 : SETTINGS};
    *policy = (struct sl_policy_spec){.name = "bound", .rules = rule, .rule_count = 1};
    return SL_OK;
}

static bool leaves_all_to_graph(const struct sl_policy_spec *policy)
{
    const struct sl_policy_rule *rule = &policy->rules[0];
    for (uint32_t i = 0; i < rule->count; i++)
        if (strcmp(rule->settings[i].key, "action") == 0 && rule->settings[i].value_count == 1)
            return strcmp(rule->settings[i].values[0], "as-given") == 0;
    return false;
}

static void take_bounds(struct sl_finals *finals, const struct sl_cell *cell, double *values,
                        double tail)
{
    if (cell->deadlocked > 0 || cell->trials == 0)
        return;
    for (uint32_t t = 0; t < cell->trials; t++) {
        int64_t path = cell->bound_path_ps[t], load = cell->bound_load_ps[t];
        values[t] = sl_us_of(path > load ? path : load);
    }
    sl_sort_doubles(values, cell->trials);
    finals->bounds[SL_MEASURE_TAIL] = sl_quantile(values, cell->trials, tail, 0.95);
    finals->bounds[SL_MEASURE_MEDIAN] = sl_quantile(values, cell->trials, 0.5, 0.95);
    finals->bounds[SL_MEASURE_MEAN] = sl_mean(values, cell->trials, 0.95);
}

/* No plan may be below a bound that holds for all. */
static void check_bounds(struct sl_finals *finals)
{
    for (uint32_t i = 0; i < finals->count; i++) {
        const struct sl_cell *cell = &finals->items[i].cell;
        const struct sl_estimate *bounds = finals->bounds;
        finals->bound_broken |=
            cell->median.value < bounds[SL_MEASURE_MEDIAN].value * (1 - ROUNDING) ||
            cell->mean.value < bounds[SL_MEASURE_MEAN].value * (1 - ROUNDING);
    }
    for (int m = 0; finals->bound_broken && m <= SL_MEASURE_MEAN; m++)
        finals->bounds[m] = SL_NO_ESTIMATE;
}

/* Every plan runs the scenario's own nodes, with the arrivals that it needs: what all of that takes
 * where there is room for everything, no plan undercuts. */
static enum sl_status find_bound(struct sl_finals *finals, struct sl_scenario *scenario,
                                 const struct sl_run_options *options, struct sl_error *err)
{
    struct sl_change change = {0};
    struct sl_changed changed = {0};
    struct sl_policy_spec policy;
    struct sl_cell cell = {0};
    struct sl_diags unheard = {0};
    const struct sl_cell_spec spec = {.policy = "bound"};
    const struct sl_platform *platform = &scenario->platform;
    bool given = leaves_all_to_graph(&finals->items[0].plan->policy);
    enum sl_status status = sl_change_init(&change, platform, err);
    for (uint32_t d = 0; d < platform->domain_names.count && status == SL_OK; d++)
        if (platform->domains[d].capacity > 0)
            change.capacities[d] = fmax(1, LARGE_CAPACITY / (double)platform->domains[d].capacity);
    if (status == SL_OK)
        status = sl_changed_make(&changed, scenario->graph, &change, err);
    if (status == SL_OK)
        status = least_policy(&policy, given, &finals->arena, err);
    if (status == SL_OK) {
        struct sl_scenario view = sl_changed_scenario(scenario, &changed);
        view.objective.constraint_count = 0;
        view.outer = 0;
        view.axis_count = 0;
        status = sl_cell_run(&cell, &view, &policy, &spec, options, &unheard, err);
    }
    double *values = malloc(((size_t)cell.trials + 1) * sizeof *values);
    if (status == SL_OK && !values)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a bound");
    if (status == SL_OK && cell.bound_path_ps)
        take_bounds(finals, &cell, values, scenario->objective.tail);
    check_bounds(finals);
    free(values);
    sl_cell_free(&cell);
    sl_changed_free(&changed);
    sl_change_free(&change);
    sl_diags_free(&unheard);
    return status;
}

/* The winner's rows, and those that hold its plan to what a trial did. */
static enum sl_status join_rows(struct sl_finals *finals, const struct sl_plan *ordered,
                                struct sl_error *err)
{
    const struct sl_final *winner = &finals->items[0];
    const struct sl_tuning *own = winner->plan->policy.tuning;
    struct sl_node_choice *rows, *all;
    uint32_t count;
    enum sl_status status =
        sl_order_choices(&winner->cell.plan, ordered, &finals->arena, &rows, &count, err);
    if (status != SL_OK)
        return status;
    struct sl_tuning *tuning = sl_arena_alloc(&finals->arena, sizeof *tuning);
    all = sl_arena_array(&finals->arena, (size_t)own->node_count + count + 1, sizeof *all);
    if (!tuning || !all)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the order of a plan");
    if (own->node_count > 0)
        memcpy(all, own->nodes, own->node_count * sizeof *all);
    if (count > 0)
        memcpy(all + own->node_count, rows, count * sizeof *all);
    *tuning = *own;
    tuning->nodes = all;
    tuning->node_count = own->node_count + count;
    finals->in_order = tuning;
    return SL_OK;
}

/* Runs the winner's median trial again, and takes its order.  Where copies leave while the plan
 * runs, or it is repeated, a table cannot name what ran. */
static enum sl_status realize(struct sl_finals *finals, uint64_t seed, struct sl_error *err)
{
    const struct sl_cell *cell = &finals->items[0].cell;
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *record;
    struct sl_plan ordered = {0};
    struct sl_error why = {0};
    if (!cell->plan.graph || cell->median_trial == SL_NONE || cell->scenario->iterations > 1 ||
        cell->plan.engine.evict.worth)
        return SL_OK;
    enum sl_status status = sl_program_create(&program, cell->plan.graph, &cell->plan.engine, err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, err);
    if (status == SL_OK)
        status = sl_worker_run(worker, seed, cell->median_trial, 0, &record, err);
    if (status == SL_OK) {
        struct sl_order_times times = sl_order_realized(record);
        enum sl_status inserted =
            sl_order_insert(&ordered, &cell->plan, &times, SL_ORDER_EDGES | SL_ORDER_CLOCK, &why);
        if (inserted == SL_OK)
            status = join_rows(finals, &ordered, err);
        else if (inserted != SL_NO)
            status = SL_FAIL(err, inserted, "%s", why.message);
    }
    sl_plan_free(&ordered);
    sl_worker_free(worker);
    sl_program_free(program);
    return status;
}

enum sl_status sl_finals_run(struct sl_finals *finals, const struct sl_search_result *result,
                             struct sl_scenario *scenario, const struct sl_run_options *options,
                             struct sl_diags *diags, struct sl_error *err)
{
    uint64_t seed = options->seed_given ? options->seed : scenario->seed;
    for (int m = 0; m <= SL_MEASURE_MEAN; m++)
        finals->bounds[m] = SL_NO_ESTIMATE;
    enum sl_status status = choose(finals, result, scenario, err);
    for (uint32_t i = 0; i < finals->count && status == SL_OK; i++)
        status = run_cell(finals, i, scenario, options, diags, err);
    for (uint32_t i = 1; i < finals->count && status == SL_OK; i++)
        status = sl_contest_match(&finals->contest, 0, i, seed, scenario->objective.min_gain, err);
    if (status == SL_OK)
        status = realize(finals, seed, err);
    return status == SL_OK ? find_bound(finals, scenario, options, err) : status;
}

void sl_finals_free(struct sl_finals *finals)
{
    for (uint32_t i = 0; i < finals->count; i++)
        sl_cell_free(&finals->items[i].cell);
    sl_contest_free(&finals->contest);
    sl_arena_free(&finals->arena);
    *finals = (struct sl_finals){0};
}
