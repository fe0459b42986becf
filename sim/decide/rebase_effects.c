/* Which rows of the tables moved the selected policy against its rival: each row of the new device
 * alone on the old one, on common draws, and all at once.
 *
 * The figure is the difference D of the two policies' figures (rebase_figures.c).  With the rows S
 * of the new device it is D(S); the effect of a row r is D({r}) - D({}), the interaction D(all) -
 * D({}) less the sum of the effects, and what is in no row D(new) - D(all).  Intervals are the
 * jackknife's over groups of trials. */
#include "config.h"

#include "changed_run.h"
#include "jackknife.h"
#include "rebase_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95
enum { GROUPS = 20 }; /* at most: replications of jobs may be fewer */

/* D of one machine: over all trials, and without each group. */
struct gap {
    double value, without[GROUPS];
    bool known;
};

struct effects {
    uint32_t groups;
    struct sl_rebase *rebase;
    const struct sl_record *record;
    struct sl_pool *pool;
    double *metric[2], *sorted; /* scratch: rival, selected */
    struct gap old, new, all;
    struct gap *alone;       /* by swap */
    const struct gap **gaps; /* and `signs`: what is combined, for the interaction */
    double *signs;
};

/* The figure without the trials of a group (e->groups: of all). */
static double figure(struct effects *e, const double *metric, uint32_t group)
{
    uint32_t n = e->rebase->trials, kept = 0;
    for (uint32_t t = 0; t < n; t++)
        if ((uint32_t)((uint64_t)t * e->groups / n) != group)
            e->sorted[kept++] = metric[t];
    return sl_rebase_value(e->rebase, e->sorted, kept);
}

static void measure(struct effects *e, const double *rival, const double *selected, struct gap *gap)
{
    gap->value = figure(e, rival, e->groups) - figure(e, selected, e->groups);
    for (uint32_t g = 0; g < e->groups; g++)
        gap->without[g] = figure(e, rival, g) - figure(e, selected, g);
    gap->known = isfinite(gap->value);
}

/* Replications of jobs under a policy's plan on the changed machine.  SL_NO: there are no figures.
 */
static enum sl_status run_jobs(struct effects *e, struct sl_scenario *view,
                               const struct sl_rebase_candidate *of, double *metric,
                               struct sl_error *err)
{
    const struct sl_run_options options = {.pool = e->pool,
                                           .trials = e->rebase->trials,
                                           .seed_given = true,
                                           .seed = e->record->fresh_seed,
                                           .nominal = true};
    const struct sl_cell_spec spec = {.policy = of->policy};
    struct sl_diags diags = {0};
    struct sl_cell cell = {0};
    enum sl_status status = sl_cell_run(&cell, view, of->specs[0], &spec, &options, &diags, err);
    if (status == SL_OK && (cell.trials != e->rebase->trials || cell.verdict != SL_VERDICT_OK ||
                            !sl_rebase_take(e->rebase, &cell, metric)))
        status = SL_NO;
    sl_cell_free(&cell);
    sl_diags_free(&diags);
    return status;
}

/* A machine on which one of the two has no plan has no gap. */
static enum sl_status run_swapped(struct effects *e, const bool *chosen, struct gap *gap,
                                  struct sl_error *err)
{
    struct sl_rebase *rebase = e->rebase;
    const struct sl_rebase_candidate *of[2] = {&rebase->candidates[rebase->rival],
                                               &rebase->candidates[0]};
    const struct sl_changed_run run = {
        .seed = e->record->fresh_seed, .trials = rebase->trials, .pool = e->pool};
    struct sl_changed changed;
    struct sl_scenario view;
    struct sl_error own = {0};
    enum sl_status status = sl_swaps_apply(&rebase->swaps, chosen, &changed, &view, &own);
    for (int i = 0; status == SL_OK && i < 2; i++)
        status = rebase->jobs
                     ? run_jobs(e, &view, of[i], e->metric[i], &own)
                     : sl_changed_view_run(&run, &view, of[i]->specs[0], e->metric[i], &own);
    sl_changed_free(&changed);
    if (status == SL_OK)
        measure(e, e->metric[0], e->metric[1], gap);
    if (status == SL_NO)
        return SL_OK;
    if (status != SL_OK && err)
        *err = own;
    return status;
}

/* sum of signs[i] x gaps[i]. */
static struct sl_estimate combine(const struct effects *e, const struct gap *const *gaps,
                                  const double *signs, uint32_t count)
{
    double value = 0, without[GROUPS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (!gaps[i]->known)
            return SL_NO_ESTIMATE;
        value += signs[i] * gaps[i]->value;
        for (uint32_t g = 0; g < e->groups; g++)
            without[g] += signs[i] * gaps[i]->without[g];
    }
    double half = sl_jackknife_half(without, e->groups, LEVEL);
    return (struct sl_estimate){value, value - half, value + half};
}

static struct sl_estimate difference(const struct effects *e, const struct gap *a,
                                     const struct gap *b)
{
    const struct gap *const gaps[] = {a, b};
    const double signs[] = {1, -1};
    return combine(e, gaps, signs, 2);
}

static struct sl_estimate interact(const struct effects *e)
{
    uint32_t count = e->rebase->swaps.count;
    e->gaps[0] = &e->all;
    e->signs[0] = 1;
    e->gaps[1] = &e->old;
    e->signs[1] = (double)count - 1; /* -1, and 1 of each effect */
    for (uint32_t i = 0; i < count; i++) {
        e->gaps[i + 2] = &e->alone[i];
        e->signs[i + 2] = -1;
    }
    return combine(e, e->gaps, e->signs, count + 2);
}

static int by_size(const void *left, const void *right)
{
    const struct sl_rebase_effect *a = left, *b = right;
    double of_a = fabs(a->effect.value), of_b = fabs(b->effect.value);
    if (isnan(of_a) || isnan(of_b))
        return (int)isnan(of_a) - (int)isnan(of_b);
    return (of_a < of_b) - (of_a > of_b);
}

static bool flips(const struct effects *e, const struct gap *alone)
{
    const struct gap *old = &e->old;
    struct sl_estimate now = combine(e, &alone, (const double[]){1}, 1);
    return old->known && ((old->value > 0 && now.hi < 0) || (old->value < 0 && now.lo > 0));
}

static void tell(struct effects *e)
{
    struct sl_rebase *rebase = e->rebase;
    for (uint32_t i = 0; i < rebase->swaps.count; i++)
        rebase->effects[rebase->effect_count++] =
            (struct sl_rebase_effect){rebase->swaps.items[i].name,
                                      difference(e, &e->alone[i], &e->old), flips(e, &e->alone[i])};
    qsort(rebase->effects, rebase->effect_count, sizeof *rebase->effects, by_size);
    rebase->together = difference(e, &e->all, &e->old);
    rebase->interaction = interact(e);
    rebase->others = difference(e, &e->new, &e->all);
}

static bool take_memory(struct effects *e, bool **chosen)
{
    struct sl_rebase *rebase = e->rebase;
    struct sl_arena *arena = &rebase->arena;
    size_t trials = (size_t)rebase->trials + 1, swaps = (size_t)rebase->swaps.count + 1;
    e->metric[0] = sl_arena_array(arena, trials, sizeof(double));
    e->metric[1] = sl_arena_array(arena, trials, sizeof(double));
    e->sorted = sl_arena_array(arena, trials, sizeof(double));
    e->alone = sl_arena_array(arena, swaps, sizeof *e->alone);
    rebase->effects = sl_arena_array(arena, swaps, sizeof *rebase->effects);
    e->gaps = sl_arena_array(arena, swaps + 1, sizeof *e->gaps);
    e->signs = sl_arena_array(arena, swaps + 1, sizeof *e->signs);
    *chosen = sl_arena_array(arena, swaps, sizeof **chosen);
    return e->metric[0] && e->metric[1] && e->sorted && e->alone && rebase->effects && e->gaps &&
           e->signs && *chosen;
}

enum sl_status sl_rebase_effects(struct sl_rebase *rebase, const struct sl_record *record,
                                 struct sl_pool *pool, struct sl_error *err)
{
    struct effects e = {.rebase = rebase, .record = record, .pool = pool};
    bool *chosen;
    uint32_t least = rebase->jobs ? 2 : 2 * GROUPS;
    if (rebase->rival == SL_NONE || rebase->trials < least)
        return SL_OK; /* there is nothing to compare with */
    e.groups = rebase->trials < GROUPS ? rebase->trials : GROUPS;
    if (!take_memory(&e, &chosen))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the effects of rows");
    const struct sl_rebase_candidate *rival = &rebase->candidates[rebase->rival],
                                     *selected = &rebase->candidates[0];
    if (rival->metric_us[0] && selected->metric_us[0])
        measure(&e, rival->metric_us[0], selected->metric_us[0], &e.old);
    if (rival->metric_us[1] && selected->metric_us[1])
        measure(&e, rival->metric_us[1], selected->metric_us[1], &e.new);
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < rebase->swaps.count; i++) {
        chosen[i] = true;
        status = run_swapped(&e, chosen, &e.alone[i], err);
        chosen[i] = false;
    }
    for (uint32_t i = 0; i < rebase->swaps.count; i++)
        chosen[i] = true;
    if (status == SL_OK)
        status = run_swapped(&e, chosen, &e.all, err);
    if (status == SL_OK)
        tell(&e);
    return status;
}
