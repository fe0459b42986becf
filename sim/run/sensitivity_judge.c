/* What the simulated effects of a lever say: differences with intervals, scheduling anomalies. */
#include "cellparts.h"
#include "sensitivity_parts.h"
#include <math.h>

/* +1: more of it should be slower; -1: faster. */
static int direction(const struct sl_lever *lever)
{
    return lever->kind == SL_LEVER_CAPACITY ? -1 : 1;
}

/* Differences a - b of the three figures. */
static enum sl_status compare(const struct sl_sensitivity *s, const double *a, const double *b,
                              uint64_t seed, struct sl_difference figures[SL_EFFECT_FIGURES],
                              struct sl_paired *paired, struct sl_error *err)
{
    size_t n = s->cell->trials;
    enum sl_status status = sl_paired_compare(paired, a, b, n, seed, SL_LEVEL_CONFIDENCE, err);
    if (status != SL_OK)
        return status;
    figures[SL_EFFECT_MEAN] = paired->figures[SL_PAIRED_MEAN];
    figures[SL_EFFECT_MEDIAN] = paired->figures[SL_PAIRED_MEDIAN];
    for (int f = SL_PAIRED_MEDIAN; f <= SL_PAIRED_P99; f++)
        if (sl_paired_quantile((enum sl_paired_figure)f) == s->tail) {
            figures[SL_EFFECT_TAIL] = paired->figures[f];
            return SL_OK;
        }
    return sl_paired_at(&figures[SL_EFFECT_TAIL], a, b, n, s->tail, seed, SL_LEVEL_CONFIDENCE, err);
}

/* Samples of which `slow` should not be the slower one. */
struct suspicion {
    const struct sl_sensitivity *s;
    const double *slow, *fast;
    uint64_t seed;
};

/* Each simulated effect is suspected in every figure, against the base and the next smaller change:
 * 5% over all of these. */
static double error_each(const struct sl_sensitivity *s)
{
    return 0.05 / (2.0 * SL_EFFECT_FIGURES * s->simulated);
}

/* Shown at the corrected error: the upper limit of fast - slow is below 0. */
static enum sl_status confirm(const struct suspicion *x, enum sl_effect_figure figure, bool *shown,
                              struct sl_error *err)
{
    double upper = NAN, error = error_each(x->s);
    size_t n = x->s->cell->trials;
    double q = figure == SL_EFFECT_TAIL ? x->s->tail : 0.5;
    enum sl_status status =
        figure == SL_EFFECT_MEAN
            ? sl_paired_mean_upper(&upper, x->fast, x->slow, n, error, err)
            : sl_paired_upper(&upper, x->fast, x->slow, n, q, error, x->seed, err);
    *shown = upper < 0;
    return status;
}

/* Notes the worst figure that is shown to lie where it should not: slower (`sign` 1) or faster. */
static enum sl_status note_anomaly(const struct suspicion *x, struct sl_effect *effect,
                                   enum sl_anomaly_kind kind, double percent,
                                   const struct sl_difference figures[SL_EFFECT_FIGURES], int sign,
                                   struct sl_error *err)
{
    for (int f = 0; f < SL_EFFECT_FIGURES; f++) {
        struct sl_estimate e = figures[f].estimate;
        bool wrong = sign > 0 ? e.lo > 0 : e.hi < 0;
        if (!wrong || (effect->anomaly && fabs(e.value) <= fabs(effect->anomaly_us.value)))
            continue;
        enum sl_status status = confirm(x, (enum sl_effect_figure)f, &wrong, err);
        if (status != SL_OK)
            return status;
        if (!wrong)
            continue;
        effect->anomaly = kind;
        effect->anomaly_figure = (enum sl_effect_figure)f;
        effect->anomaly_us = e;
        effect->anomaly_percent = percent;
    }
    return SL_OK;
}

static bool any_wrong(const double *a, const double *b, size_t n, int sign)
{
    for (size_t i = 0; i < n; i++)
        if (sign > 0 ? a[i] > b[i] : a[i] < b[i])
            return true;
    return false;
}

static enum sl_status judge_against_base(const struct sl_sensitivity *s, struct sl_lever *lever,
                                         struct sl_effect *effect, const double *metric,
                                         const double *base, uint64_t seed, struct sl_error *err)
{
    struct sl_paired paired;
    int right = effect->after > effect->before ? direction(lever) : -direction(lever);
    if (lever->kind == SL_LEVER_SPEEDUP)
        right = -1;
    enum sl_status status = compare(s, metric, base, seed, effect->figures, &paired, err);
    if (status != SL_OK)
        return status;
    effect->state = paired.ties == paired.n ? SL_EFFECT_NONE : SL_EFFECT_SOME;
    effect->against = (uint32_t)(right > 0 ? paired.less : paired.n - paired.less - paired.ties);
    struct suspicion x = {s, right < 0 ? metric : base, right < 0 ? base : metric, seed};
    return note_anomaly(&x, effect, SL_ANOMALY_REVERSAL, 0, effect->figures, -right, err);
}

/* Going from a smaller change to a larger one of the same sign must go on in the same direction. */
static enum sl_status judge_turn(const struct sl_sensitivity *s, struct sl_lever *lever,
                                 uint32_t outer, uint32_t inner, double *const *metrics,
                                 const double *base, uint64_t seed, struct sl_error *err)
{
    struct sl_effect *effect = &lever->effects[outer];
    const double *from = metrics[inner] ? metrics[inner] : base;
    int right = effect->after > effect->before ? direction(lever) : -direction(lever);
    struct sl_difference figures[SL_EFFECT_FIGURES];
    struct sl_paired paired;
    if (!metrics[outer] || effect->anomaly || lever->effects[inner].state == SL_EFFECT_REFUSED ||
        !any_wrong(metrics[outer], from, s->cell->trials, -right))
        return SL_OK;
    enum sl_status status = compare(s, metrics[outer], from, seed, figures, &paired, err);
    struct suspicion x = {s, right < 0 ? metrics[outer] : from, right < 0 ? from : metrics[outer],
                          seed};
    if (status == SL_OK)
        status = note_anomaly(&x, effect, SL_ANOMALY_TURN, lever->effects[inner].percent, figures,
                              -right, err);
    return status;
}

enum sl_status sl_lever_judge(const struct sl_sensitivity *s, struct sl_lever *lever,
                              double *const *metrics, const double *base, uint64_t seed,
                              struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t e = 0; e < lever->effect_count && status == SL_OK; e++)
        if (metrics[e])
            status = judge_against_base(s, lever, &lever->effects[e], metrics[e], base, seed, err);
    if (lever->kind == SL_LEVER_SPEEDUP)
        return status;
    for (uint32_t e = 0; e + 1 < lever->effect_count && status == SL_OK; e++) {
        bool down = lever->effects[e].percent < 0;
        bool up = lever->effects[e + 1].percent > 0;
        if (down && !up)
            status = judge_turn(s, lever, e, e + 1, metrics, base, seed, err);
        else if (!down && up)
            status = judge_turn(s, lever, e + 1, e, metrics, base, seed, err);
    }
    return status;
}

double sl_effect_per_percent(const struct sl_effect *effect)
{
    const struct sl_difference *tail = &effect->figures[SL_EFFECT_TAIL];
    double percent = 100 * (effect->after / effect->before - 1);
    if (effect->state == SL_EFFECT_NONE || effect->state == SL_EFFECT_CANNOT)
        return 0;
    if (effect->state != SL_EFFECT_SOME || !isfinite(tail->estimate.value) || percent == 0)
        return (double)NAN;
    return 100 * tail->estimate.value / tail->b / percent;
}

double sl_lever_weight(const struct sl_lever *lever)
{
    double weight = 0;
    for (uint32_t e = 0; e < lever->effect_count; e++) {
        const struct sl_effect *effect = &lever->effects[e];
        double change = fabs(effect->figures[SL_EFFECT_TAIL].estimate.value);
        if (effect->state == SL_EFFECT_REFUSED)
            return INFINITY;
        if (effect->state == SL_EFFECT_SOME && change > weight)
            weight = change;
    }
    return weight;
}
