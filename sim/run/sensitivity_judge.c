/* What the simulated effects of a lever say: differences with intervals, and scheduling anomalies.
 */
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

/* Notes the worst figure whose interval lies where it should not: above 0 (`sign` 1) or below. */
static void note_anomaly(struct sl_effect *effect, enum sl_anomaly_kind kind, double percent,
                         const struct sl_difference figures[SL_EFFECT_FIGURES], int sign)
{
    for (int f = 0; f < SL_EFFECT_FIGURES; f++) {
        struct sl_estimate e = figures[f].estimate;
        bool wrong = sign > 0 ? e.lo > 0 : e.hi < 0;
        if (!wrong || (effect->anomaly && fabs(e.value) <= fabs(effect->anomaly_us.value)))
            continue;
        effect->anomaly = kind;
        effect->anomaly_figure = (enum sl_effect_figure)f;
        effect->anomaly_us = e;
        effect->anomaly_percent = percent;
    }
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
    note_anomaly(effect, SL_ANOMALY_REVERSAL, 0, effect->figures, -right);
    return SL_OK;
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
    if (status == SL_OK)
        note_anomaly(effect, SL_ANOMALY_TURN, lever->effects[inner].percent, figures, -right);
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
        bool down = lever->effects[e].percent<0, up = lever->effects[e + 1].percent> 0;
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
