/* The slope of a lever: the tail's change per percent of it, from the run with more of it against
 * the run with less, on the same draws.
 *
 * A percent more or less moves few trials across the quantile, so that its slope is mostly noise;
 * 20% may bend.  Of the steps the largest is taken that nothing shown by the smaller ones speaks
 * against: both sides of it have one slope within their intervals, and it lies in the interval of
 * the next smaller step. */
#include "cellparts.h"
#include "sensitivity_parts.h"
#include <math.h>

#define ROUNDING_US 4e-6 /* of two durations in whole picoseconds, and of their sums */

/* The tail's change between two runs, in percent of the base's tail per percent between them. */
static struct sl_estimate per_percent(const struct sl_sensitivity *s, struct sl_estimate us,
                                      double percent)
{
    double unit = 100 / (s->base_us[SL_EFFECT_TAIL] * percent);
    return (struct sl_estimate){us.value * unit, us.lo * unit, us.hi * unit};
}

static double percent_of(const struct sl_effect *effect)
{
    return 100 * (effect->after / effect->before - 1);
}

/* False: it has no finite tail to tell a slope from. */
static bool tail_change(const struct sl_effect *effect, struct sl_estimate *us)
{
    bool same = effect->state == SL_EFFECT_NONE || effect->state == SL_EFFECT_CANNOT;
    *us = same ? (struct sl_estimate){0, 0, 0} : effect->figures[SL_EFFECT_TAIL].estimate;
    return (same || effect->state == SL_EFFECT_SOME) && isfinite(us->value) && isfinite(us->lo) &&
           isfinite(us->hi);
}

/* Slopes of less and of more of a lever meet within their intervals; one side may be clipped away.
 */
static bool sides_agree(const struct sl_sensitivity *s, const struct sl_effect *less,
                        const struct sl_effect *more)
{
    struct sl_estimate down, up;
    double width = fmin(-percent_of(less), percent_of(more));
    if (!tail_change(less, &down) || !tail_change(more, &up))
        return false;
    if (!(width > 0))
        return true;
    double slack = 2 * 100 * ROUNDING_US / (s->base_us[SL_EFFECT_TAIL] * width);
    struct sl_estimate above = per_percent(s, up, percent_of(more));
    struct sl_estimate below = per_percent(s, (struct sl_estimate){down.value, down.hi, down.lo},
                                           percent_of(less)); /* a negative unit turns the ends */
    return above.lo <= below.hi + slack && below.lo <= above.hi + slack;
}

/* `a` and `b`: the trials of more and of less. */
static enum sl_status find_chord(const struct sl_sensitivity *s, const struct sl_effect *less,
                                 const struct sl_effect *more, const double *a, const double *b,
                                 uint64_t seed, struct sl_estimate *slope, struct sl_error *err)
{
    struct sl_difference tail = {.estimate = {0, 0, 0}};
    enum sl_status status = SL_OK;
    if (a != b)
        status =
            sl_paired_at(&tail, a, b, s->cell->trials, s->tail, seed, SL_LEVEL_CONFIDENCE, err);
    *slope = per_percent(s, tail.estimate, percent_of(more) - percent_of(less));
    return status;
}

enum sl_status sl_lever_slope(const struct sl_sensitivity *s, struct sl_lever *lever,
                              double *const *metrics, const double *base, uint64_t seed,
                              struct sl_error *err)
{
    uint32_t n = lever->effect_count;
    struct sl_slope found = lever->slope;
    enum sl_status status = SL_OK;
    for (uint32_t step = n / 2; step-- > 0 && status == SL_OK;) {
        const struct sl_effect *less = &lever->effects[step], *more = &lever->effects[n - 1 - step];
        bool smallest = step + 1 == n / 2;
        struct sl_estimate us;
        if (!(s->base_us[SL_EFFECT_TAIL] > 0) || !tail_change(less, &us) || !tail_change(more, &us))
            break;
        bool agree = sides_agree(s, less, more);
        found.kinked = smallest && !agree;
        if (!agree)
            break;
        struct sl_estimate chord;
        const double *a = metrics[n - 1 - step] ? metrics[n - 1 - step] : base;
        const double *b = metrics[step] ? metrics[step] : base;
        status = find_chord(s, less, more, a, b, seed, &chord, err);
        double slack = 100 * ROUNDING_US / s->base_us[SL_EFFECT_TAIL];
        if (!smallest &&
            !(chord.value >= found.estimate.lo - slack && chord.value <= found.estimate.hi + slack))
            break;
        found = (struct sl_slope){.estimate = chord, .step = more->percent};
    }
    lever->slope = found;
    return status;
}
