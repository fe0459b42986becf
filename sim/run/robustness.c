/* Looking for the drifts that change the answer. */
#include "robustness.h"
#include "cellparts.h"
#include "changed_run.h"
#include "paired.h"
#include "sensitivity_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LADDER 4 /* looks outwards */
#define LOOKS  (1 + LADDER + SL_DRIFT_HALVINGS)

const char *sl_drift_state_name(enum sl_drift_state state)
{
    static const char *const names[SL_DRIFT_STATES] = {"flips", "no-flip", "no-effect", "at-limit"};
    return names[state];
}

void sl_robustness_free(struct sl_robustness *robustness)
{
    free(robustness->drifts);
    sl_arena_free(&robustness->arena);
    *robustness = (struct sl_robustness){0};
}

/* All policies at one factor: the trials of policy p from samples[p * trials] on. */
struct look {
    double step; /* |log factor| */
    double *samples;
    uint32_t leader;
    double lowest;
};

struct scout {
    struct sl_robustness *r;
    struct sl_plan *plans; /* by policy; graph NULL: none */
    const struct sl_run_options *options;
    struct sl_change change;
    uint64_t seed;
    double *sorted;
    struct look looks[LOOKS]; /* ascending in step; the first is the base */
    uint32_t look_count;
    uint32_t done, expected;
};

/* ---- one look -------------------------------------------------------------------------------- */

static double *samples_of(const struct scout *scout, const struct look *look, uint32_t policy)
{
    return look->samples + (size_t)policy * scout->r->trials;
}

static double figure_of(struct scout *scout, const double *samples)
{
    size_t n = scout->r->trials;
    if (isnan(scout->r->q))
        return sl_mean(samples, n, SL_LEVEL_CONFIDENCE).value;
    memcpy(scout->sorted, samples, n * sizeof *samples);
    sl_sort_doubles(scout->sorted, n);
    return sl_quantile(scout->sorted, n, scout->r->q, SL_LEVEL_CONFIDENCE).value;
}

static bool pass_progress(void *user, uint64_t done)
{
    const struct scout *scout = user;
    uint64_t trials = scout->r->trials;
    return scout->options->progress(scout->options->user, scout->done * trials + done,
                                    scout->expected * trials, scout->done, scout->expected);
}

/* A policy without a plan is infinitely slow. */
static enum sl_status run_policy(struct scout *scout, uint32_t p, double *samples,
                                 struct sl_error *err)
{
    struct sl_robustness *r = scout->r;
    struct sl_changed_run run = {.scenario = r->scenario,
                                 .policy = r->policies[p],
                                 .plan = &scout->plans[p],
                                 .seed = scout->seed,
                                 .trials = r->trials,
                                 .pool = scout->options->pool,
                                 .progress = scout->options->progress ? pass_progress : NULL,
                                 .user = scout};
    struct sl_error why = {0};
    enum sl_status status = SL_NO;
    if (scout->plans[p].graph)
        status = sl_changed_run(&run, &scout->change, r->replanned, samples, &why);
    scout->done++;
    for (uint32_t t = 0; (status == SL_NO || status == SL_INVALID) && t < r->trials; t++)
        samples[t] = INFINITY;
    if (status == SL_NO || status == SL_INVALID)
        return SL_OK;
    if (status != SL_OK && err && err->status == SL_OK)
        *err = why;
    return status;
}

static void apply(struct scout *scout, const struct sl_drift *drift, double factor)
{
    struct sl_change *change = &scout->change;
    sl_change_reset(change, &scout->r->scenario->platform);
    if (!drift)
        return;
    double *factors = drift->kind == SL_LEVER_CLASS   ? change->classes
                      : drift->kind == SL_LEVER_ROUTE ? change->routes
                                                      : change->kappas;
    factors[drift->index] = factor;
}

static double factor_at(const struct sl_drift *drift, double step)
{
    return drift && !drift->up ? exp(-step) : exp(step);
}

/* Runs all policies and inserts the look where its step belongs; *look is its index. */
static enum sl_status look_at(struct scout *scout, const struct sl_drift *drift, double step,
                              uint32_t *index, struct sl_error *err)
{
    struct sl_robustness *r = scout->r;
    struct look look = {.step = step, .leader = SL_NONE, .lowest = INFINITY};
    look.samples = malloc(((size_t)r->policy_count * r->trials + 1) * sizeof *look.samples);
    enum sl_status status =
        look.samples ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the trials of a drift");
    apply(scout, drift, factor_at(drift, step));
    for (uint32_t p = 0; p < r->policy_count && status == SL_OK; p++) {
        double *samples = samples_of(scout, &look, p);
        status = run_policy(scout, p, samples, err);
        double figure = status == SL_OK ? figure_of(scout, samples) : NAN;
        if (scout->look_count == 0 && status == SL_OK)
            r->figures_us[p] = figure;
        /* The leader at 1 stays one of several that are equal. */
        if (figure < look.lowest ||
            (figure == look.lowest && scout->look_count > 0 && p == scout->looks[0].leader)) {
            look.lowest = figure;
            look.leader = p;
        }
    }
    if (status != SL_OK) {
        free(look.samples);
        return status;
    }
    uint32_t at = scout->look_count++;
    for (; at > 0 && scout->looks[at - 1].step > step; at--)
        scout->looks[at] = scout->looks[at - 1];
    scout->looks[at] = look;
    *index = at;
    return SL_OK;
}

/* ---- one direction --------------------------------------------------------------------------- */

static bool is_new(const struct scout *scout, const struct look *look)
{
    return look->leader != SL_NONE && look->leader != scout->looks[0].leader;
}

static bool is_same(const struct scout *scout, const struct look *look)
{
    size_t bytes = (size_t)scout->r->policy_count * scout->r->trials * sizeof(double);
    return memcmp(look->samples, scout->looks[0].samples, bytes) == 0;
}

static enum sl_status difference_at(const struct scout *scout, const struct look *look, uint32_t a,
                                    uint32_t b, struct sl_estimate *difference,
                                    struct sl_error *err)
{
    const double *x = samples_of(scout, look, a), *y = samples_of(scout, look, b);
    size_t n = scout->r->trials;
    if (!isnan(scout->r->q)) {
        struct sl_difference made;
        enum sl_status status =
            sl_paired_at(&made, x, y, n, scout->r->q, scout->seed, SL_LEVEL_CONFIDENCE, err);
        *difference = made.estimate;
        return status;
    }
    for (size_t t = 0; t < n; t++)
        scout->sorted[t] = x[t] - y[t];
    *difference = sl_mean(scout->sorted, n, SL_LEVEL_CONFIDENCE);
    return SL_OK;
}

/* The first step at which a broken line through the looks rises above zero; *open: nowhere. */
static double rise(const struct scout *scout, const double *values, bool *open)
{
    *open = values[0] > 0;
    if (values[0] > 0)
        return 0;
    for (uint32_t i = 1; i < scout->look_count; i++) {
        double from = values[i - 1], to = values[i];
        double low = scout->looks[i - 1].step, high = scout->looks[i].step;
        if (!(to > 0))
            continue;
        return isfinite(from) && isfinite(to) ? low + (high - low) * (from / (from - to))
                                              : (low + high) / 2;
    }
    *open = true;
    return scout->looks[scout->look_count - 1].step;
}

/* The flip and its band from the differences leader - `to` at all looks. */
static enum sl_status place_flip(struct scout *scout, struct sl_drift *drift, struct sl_error *err)
{
    double value[LOOKS], lo[LOOKS], hi[LOOKS];
    bool never;
    for (uint32_t i = 0; i < scout->look_count; i++) {
        struct sl_estimate difference;
        enum sl_status status = difference_at(scout, &scout->looks[i], scout->looks[0].leader,
                                              drift->to, &difference, err);
        if (status != SL_OK)
            return status;
        value[i] = difference.value;
        lo[i] = difference.lo;
        hi[i] = difference.hi;
    }
    drift->flip = factor_at(drift, rise(scout, value, &never));
    drift->lo = factor_at(drift, rise(scout, hi, &drift->lo_open));
    drift->hi = factor_at(drift, rise(scout, lo, &drift->hi_open));
    return SL_OK;
}

/* Halves the stretch before the look `at`, whose leader is a new one. */
static enum sl_status close_in(struct scout *scout, struct sl_drift *drift, uint32_t at,
                               struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (int k = 0; k < SL_DRIFT_HALVINGS && status == SL_OK; k++) {
        uint32_t middle = at;
        status = look_at(scout, drift, (scout->looks[at - 1].step + scout->looks[at].step) / 2,
                         &middle, err);
        if (status == SL_OK && !is_new(scout, &scout->looks[middle]))
            at = middle + 1; /* the new leader's look has moved up by one */
    }
    if (status != SL_OK)
        return status;
    drift->state = SL_DRIFT_FLIPS;
    drift->to = scout->looks[at].leader;
    return place_flip(scout, drift, err);
}

static enum sl_status search(struct scout *scout, struct sl_drift *drift, struct sl_error *err)
{
    double whole = log(scout->r->within);
    bool idle = true;
    enum sl_status status = SL_OK;
    drift->state = SL_DRIFT_NONE;
    if (drift->kind == SL_LEVER_KAPPA && !drift->up && drift->value <= 1)
        drift->state = SL_DRIFT_LIMIT;
    for (int k = 1; k <= LADDER && status == SL_OK && drift->state == SL_DRIFT_NONE; k++) {
        uint32_t at = 0;
        status = look_at(scout, drift, whole * k / LADDER, &at, err);
        if (status != SL_OK)
            break;
        idle = idle && is_same(scout, &scout->looks[at]);
        if (is_new(scout, &scout->looks[at]))
            status = close_in(scout, drift, at, err);
    }
    if (drift->state == SL_DRIFT_NONE && idle)
        drift->state = SL_DRIFT_IDLE;
    drift->looks = scout->look_count - 1;
    while (scout->look_count > 1)
        free(scout->looks[--scout->look_count].samples);
    return status;
}

/* ---- what may drift -------------------------------------------------------------------------- */

/* Some policy's plan has nodes of the class, or on the route, that take time. */
static bool is_in_plans(const struct scout *scout, enum sl_lever_kind kind, uint32_t index)
{
    const struct sl_platform *platform = &scout->r->scenario->platform;
    for (uint32_t p = 0; p < scout->r->policy_count; p++) {
        const struct sl_graph *graph = scout->plans[p].graph;
        for (uint32_t i = 0; graph && i < graph->node_count; i++) {
            const struct sl_node *node = &graph->nodes[i];
            const struct sl_route *route = sl_platform_route(platform, node->from, node->to);
            if (node->dist &&
                (kind == SL_LEVER_CLASS ? node->klass == index
                                        : route && route - platform->routes == (ptrdiff_t)index))
                return true;
        }
    }
    return false;
}

static bool row_is_in_plans(const struct scout *scout, const struct sl_kappa_row *row)
{
    bool all = is_in_plans(scout, SL_LEVER_CLASS, row->victim);
    for (uint32_t k = 0; k < row->set_size && all; k++)
        all = is_in_plans(scout, SL_LEVER_CLASS, row->set[k]);
    return all;
}

/* The name is kept: the scenario may go before the report is printed. */
static bool add(struct sl_robustness *r, enum sl_lever_kind kind, uint32_t index, const char *text,
                double value)
{
    const char *name = text ? sl_arena_strdup(&r->arena, text) : NULL;
    if (!name ||
        !sl_grow((void **)&r->drifts, &r->drift_capacity, r->drift_count + 2, sizeof *r->drifts))
        return false;
    for (int up = 0; up < 2; up++)
        r->drifts[r->drift_count++] = (struct sl_drift){.kind = kind,
                                                        .index = index,
                                                        .name = name,
                                                        .value = value,
                                                        .up = up == 1,
                                                        .flip = NAN,
                                                        .lo = NAN,
                                                        .hi = NAN,
                                                        .to = SL_NONE};
    return true;
}

static enum sl_status list_drifts(struct scout *scout, struct sl_error *err)
{
    struct sl_robustness *r = scout->r;
    const struct sl_platform *platform = &r->scenario->platform;
    bool ok = true;
    for (uint32_t c = 0; ok && c < platform->kappa.classes.count; c++)
        if (is_in_plans(scout, SL_LEVER_CLASS, c))
            ok = add(r, SL_LEVER_CLASS, c, platform->kappa.classes.names[c], 1);
    for (uint32_t k = 0; ok && k < platform->route_count; k++)
        if (is_in_plans(scout, SL_LEVER_ROUTE, k))
            ok = add(r, SL_LEVER_ROUTE, k, sl_route_name(platform, k, &r->arena), 1);
    for (uint32_t k = 0; ok && k < platform->kappa.row_count; k++)
        if (row_is_in_plans(scout, &platform->kappa.rows[k]))
            ok = add(r, SL_LEVER_KAPPA, k, sl_kappa_row_name(&platform->kappa, k, &r->arena),
                     platform->kappa.rows[k].kappa);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for what may drift");
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A policy without a legal plan stays without one. */
static enum sl_status make_plans(struct scout *scout, struct sl_error *err)
{
    struct sl_robustness *r = scout->r;
    for (uint32_t p = 0; p < r->policy_count; p++) {
        struct sl_diags said_before = {0};
        struct sl_error why = {0};
        enum sl_status status =
            sl_policy_plan(&scout->plans[p], r->scenario,
                           sl_scenario_policy(r->scenario, r->policies[p]), &said_before, &why);
        sl_diags_free(&said_before);
        scout->plans[p].engine.corner = SL_CORNER_PESSIMISTIC;
        if (status == SL_OK)
            continue;
        sl_plan_free(&scout->plans[p]);
        scout->plans[p] = (struct sl_plan){0};
        if (status == SL_NO)
            continue;
        if (err && err->status == SL_OK)
            *err = why;
        return status;
    }
    return SL_OK;
}

/* Who leads at 1, and by how much. */
static enum sl_status judge_base(struct scout *scout, struct sl_error *err)
{
    struct sl_robustness *r = scout->r;
    uint32_t at;
    enum sl_status status = look_at(scout, NULL, 0, &at, err);
    if (status != SL_OK)
        return status;
    r->leader = scout->looks[0].leader;
    r->runner_up = SL_NONE;
    for (uint32_t p = 0; p < r->policy_count; p++)
        if (p != r->leader && isfinite(r->figures_us[p]) &&
            (r->runner_up == SL_NONE || r->figures_us[p] < r->figures_us[r->runner_up]))
            r->runner_up = p;
    if (r->leader == SL_NONE || r->runner_up == SL_NONE)
        return SL_FAIL(err, SL_USAGE,
                       "--robustness compares policies, and fewer than two of these have a figure "
                       "(no legal plan, deadlocks, or too few trials)");
    status = difference_at(scout, &scout->looks[0], r->runner_up, r->leader, &r->margin, err);
    if (status == SL_OK && isnan(r->margin.lo))
        return SL_FAIL(err, SL_USAGE,
                       "--robustness needs %zu trials for a difference of its figure",
                       isnan(r->q) ? (size_t)2 : sl_paired_min_n(r->q, SL_LEVEL_CONFIDENCE));
    return status;
}

enum sl_status sl_robustness_run(struct sl_robustness *r, const struct sl_run_options *options,
                                 struct sl_error *err)
{
    struct scout scout = {.r = r,
                          .options = options,
                          .seed = options->seed_given ? options->seed : r->scenario->seed,
                          .plans = calloc((size_t)r->policy_count + 1, sizeof *scout.plans),
                          .sorted = malloc(((size_t)r->trials + 1) * sizeof *scout.sorted)};
    r->figures_us = sl_arena_array(&r->arena, (size_t)r->policy_count + 1, sizeof(double));
    enum sl_status status = sl_change_init(&scout.change, &r->scenario->platform, err);
    if (status == SL_OK && (!scout.plans || !scout.sorted || !r->figures_us))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = make_plans(&scout, err);
    if (status == SL_OK)
        status = list_drifts(&scout, err);
    scout.expected = r->policy_count * (1 + LADDER * r->drift_count);
    if (status == SL_OK)
        status = judge_base(&scout, err);
    for (uint32_t d = 0; d < r->drift_count && status == SL_OK; d++)
        status = search(&scout, &r->drifts[d], err);
    for (uint32_t i = 0; i < scout.look_count; i++)
        free(scout.looks[i].samples);
    for (uint32_t p = 0; scout.plans && p < r->policy_count; p++)
        sl_plan_free(&scout.plans[p]);
    sl_change_free(&scout.change);
    free(scout.plans);
    free(scout.sorted);
    return status;
}
