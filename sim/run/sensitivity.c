/* Simulating the effects of a sensitivity: the metric of every trial and nothing else. */
#include "sensitivity.h"
#include "cellparts.h"
#include "changed_run.h"
#include "composition.h"
#include "fixed_order.h"
#include "sensitivity_parts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_SHARE 0.01 /* of the trials, around the quantile ... */
#define NEAR_LEAST 50   /* ... but so many at least */

const char *sl_effect_state_name(enum sl_effect_state state)
{
    static const char *const names[SL_EFFECT_STATES] = {"waits", "effect", "no-effect",
                                                        "cannot-act", "refused"};
    return names[state];
}

const char *sl_anomaly_name(enum sl_anomaly_kind kind)
{
    return kind == SL_ANOMALY_REVERSAL ? "reversal" : kind == SL_ANOMALY_TURN ? "turn" : "";
}

const char *sl_effect_figure_name(enum sl_effect_figure figure)
{
    static const char *const names[SL_EFFECT_FIGURES] = {"mean", "median", "tail"};
    return names[figure];
}

void sl_sensitivity_free(struct sl_sensitivity *s)
{
    free(s->levers);
    sl_arena_free(&s->arena);
    *s = (struct sl_sensitivity){0};
}

enum sl_status sl_sensitivity_open(struct sl_sensitivity *s, const struct sl_cell *cell, bool steps,
                                   const struct sl_speedup *speedups, uint32_t count,
                                   struct sl_error *err)
{
    *s = (struct sl_sensitivity){.cell = cell,
                                 .speedups = speedups,
                                 .speedup_count = count,
                                 .tail = cell->scenario->objective.tail};
    enum sl_status status = sl_levers_make(s, steps, err);
    if (status == SL_OK)
        status = sl_order_fixed(cell->plan.graph, &cell->plan.engine, &s->order_fixed,
                                s->order_reason, sizeof s->order_reason, err);
    for (uint32_t k = 0; status == SL_OK && k < s->lever_count; k++)
        for (uint32_t e = 0; e < s->levers[k].effect_count; e++) {
            s->simulated += s->levers[k].effects[e].state == SL_EFFECT_WAITS;
            s->cannot += s->levers[k].effects[e].state == SL_EFFECT_CANNOT;
        }
    return status;
}

/* ---- one effect ------------------------------------------------------------------------------ */

struct runner {
    struct sl_sensitivity *s;
    const struct sl_run_options *options;
    uint64_t seed;
    double *base; /* us by trial */
    struct sl_change change;
    uint32_t done; /* effects */
};

static bool pass_progress(void *user, uint64_t done)
{
    const struct runner *runner = user;
    uint64_t trials = runner->s->cell->trials;
    return runner->options->progress(runner->options->user, runner->done * trials + done,
                                     runner->s->simulated * trials, runner->done,
                                     runner->s->simulated);
}

static enum sl_status run_effect(struct runner *runner, const struct sl_lever *lever,
                                 struct sl_effect *effect, double *metric, struct sl_error *err)
{
    struct sl_sensitivity *s = runner->s;
    struct sl_error why = {0};
    sl_change_reset(&runner->change, s->cell->plan.graph->platform);
    sl_lever_apply(s, lever, effect, &runner->change);
    const struct sl_changed_run run = {.scenario = s->cell->scenario,
                                       .policy = s->cell->spec.policy,
                                       .plan = &s->cell->plan,
                                       .seed = runner->seed,
                                       .trials = s->cell->trials,
                                       .pool = runner->options->pool,
                                       .progress = runner->options->progress ? pass_progress : NULL,
                                       .user = runner};
    enum sl_status status = sl_changed_run(&run, &runner->change, effect->replanned, metric, &why);
    runner->done++;
    if (status == SL_NO || status == SL_INVALID) {
        effect->state = SL_EFFECT_REFUSED;
        effect->note = sl_arena_strdup(&s->arena, why.message);
        return effect->note ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    if (status != SL_OK && err && err->status == SL_OK)
        *err = why;
    for (uint32_t t = 0; status == SL_OK && t < s->cell->trials; t++)
        effect->deadlocked += isinf(metric[t]) ? 1 : 0;
    return status;
}

static enum sl_status run_lever(struct runner *runner, struct sl_lever *lever, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    double **metrics = calloc(lever->effect_count, sizeof *metrics);
    if (!metrics)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t e = 0; e < lever->effect_count && status == SL_OK; e++) {
        struct sl_effect *effect = &lever->effects[e];
        if (effect->state != SL_EFFECT_WAITS)
            continue;
        metrics[e] = malloc(runner->s->cell->trials * sizeof *metrics[e]);
        status = metrics[e] ? run_effect(runner, lever, effect, metrics[e], err)
                            : SL_FAIL(err, SL_SYSTEM, "out of memory for the trials of a change");
        if (effect->state == SL_EFFECT_REFUSED) {
            free(metrics[e]);
            metrics[e] = NULL;
        }
    }
    if (status == SL_OK)
        status = sl_lever_judge(runner->s, lever, metrics, runner->base, runner->seed, err);
    if (status == SL_OK && lever->kind != SL_LEVER_SPEEDUP)
        status = sl_lever_slope(runner->s, lever, metrics, runner->base, runner->seed, err);
    for (uint32_t e = 0; e < lever->effect_count; e++)
        free(metrics[e]);
    free(metrics);
    return status;
}

/* ---- chains near the tail -------------------------------------------------------------------- */

struct ranked {
    int64_t metric_ps;
    uint32_t trial;
};

static int by_metric(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->metric_ps != b->metric_ps)
        return a->metric_ps < b->metric_ps ? -1 : 1;
    return (a->trial > b->trial) - (a->trial < b->trial);
}

/* The completed trials nearest in rank to the quantile, half of them on either side where there are
 * so many; their numbers into `numbers`. */
static uint32_t near_tail(const struct sl_sensitivity *s, struct ranked *ranked, uint32_t *numbers)
{
    const struct sl_cell *cell = s->cell;
    uint32_t n = cell->trials, completed = 0, count = 0;
    for (uint32_t t = 0; t < n; t++)
        ranked[t] = (struct ranked){cell->metric_ps[t], t};
    qsort(ranked, n, sizeof *ranked, by_metric);
    while (completed < n && ranked[completed].metric_ps != INT64_MAX)
        completed++;
    uint32_t wanted = (uint32_t)fmax(NEAR_LEAST, NEAR_SHARE * n);
    wanted = wanted < completed ? wanted : completed;
    uint32_t at = (uint32_t)sl_quantile_rank(n, s->tail),
             first = at > wanted / 2 ? at - wanted / 2 : 0;
    first = first + wanted > completed ? completed - wanted : first;
    for (; count < wanted; count++)
        numbers[count] = ranked[first + count].trial;
    return count;
}

static void set_shares(struct sl_sensitivity *s, const struct sl_composition *sums)
{
    for (uint32_t k = 0; k < s->lever_count && sums->total_ps > 0; k++) {
        struct sl_lever *lever = &s->levers[k];
        int64_t ps;
        if (lever->kind == SL_LEVER_CLASS)
            ps = sums->class_ps[lever->index];
        else if (lever->kind == SL_LEVER_ROUTE)
            ps = sums->route_ps[lever->index];
        else if (lever->kind == SL_LEVER_LAG)
            ps = sums->lag_ps[lever->index];
        else
            continue;
        lever->chain_share = (double)ps / (double)sums->total_ps;
        if (s->order_fixed)
            lever->elasticity = lever->chain_share;
    }
}

static enum sl_status find_shares(struct runner *runner, struct sl_error *err)
{
    struct sl_sensitivity *s = runner->s;
    const struct sl_plan *plan = &s->cell->plan;
    struct sl_composition sums = {0};
    struct sl_program *program = NULL;
    struct ranked *ranked = calloc(s->cell->trials, sizeof *ranked);
    uint32_t *numbers = calloc(s->cell->trials, sizeof *numbers);
    enum sl_status status =
        ranked && numbers ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for chains");
    if (status == SL_OK)
        s->chain_trials = near_tail(s, ranked, numbers);
    if (status == SL_OK && s->chain_trials > 0)
        status = sl_program_create(&program, plan->graph, &plan->engine, err);
    if (program)
        status = sl_composition_gather(&sums, program, runner->seed, numbers, s->chain_trials,
                                       runner->options->pool, err);
    if (status == SL_OK && program)
        set_shares(s, &sums);
    sl_composition_free(&sums);
    sl_program_free(program);
    free(numbers);
    free(ranked);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static enum sl_status set_base(struct sl_sensitivity *s, const double *base, struct sl_error *err)
{
    size_t n = s->cell->trials;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %zu trials", n);
    memcpy(sorted, base, n * sizeof *sorted);
    sl_sort_doubles(sorted, n);
    s->base_us[SL_EFFECT_MEAN] = sl_mean(base, n, SL_LEVEL_CONFIDENCE).value;
    s->base_us[SL_EFFECT_MEDIAN] = sl_quantile(sorted, n, 0.5, SL_LEVEL_CONFIDENCE).value;
    s->base_us[SL_EFFECT_TAIL] = sl_quantile(sorted, n, s->tail, SL_LEVEL_CONFIDENCE).value;
    free(sorted);
    return SL_OK;
}

enum sl_status sl_sensitivity_run(struct sl_sensitivity *s, const struct sl_run_options *options,
                                  struct sl_error *err)
{
    const struct sl_cell *cell = s->cell;
    struct runner runner = {.s = s,
                            .options = options,
                            .seed = options->seed_given ? options->seed : cell->scenario->seed,
                            .base = malloc(cell->trials * sizeof *runner.base)};
    enum sl_status status = sl_change_init(&runner.change, cell->plan.graph->platform, err);
    if (status == SL_OK && !runner.base)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t t = 0; status == SL_OK && t < cell->trials; t++)
        runner.base[t] = sl_us_of(cell->metric_ps[t]);
    if (status == SL_OK)
        status = set_base(s, runner.base, err);
    if (status == SL_OK)
        status = find_shares(&runner, err);
    for (uint32_t k = 0; k < s->lever_count && status == SL_OK; k++)
        status = run_lever(&runner, &s->levers[k], err);
    sl_change_free(&runner.change);
    free(runner.base);
    return status;
}
