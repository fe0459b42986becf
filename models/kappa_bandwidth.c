/* bandwidth: max-min fair shares of links of capacity 1.
 *
 * The progress rates of all running nodes (the victim included) rise equally until a link is full,
 * sum(demand x rate) = 1, which freezes the rates of its users; the others rise on, to at most 1.
 * kappa = 1/rate.  So a class's rate is the least level at which one of its links filled, and only
 * these levels are state.  Unlike the rules over pairs, more company may raise a node's rate: a
 * newcomer that freezes a rival on another link leaves more of this one. */
#include "kappa_crowd.h"
#include <math.h>

struct filling {
    const struct sl_kappa *kappa;
    const uint32_t *classes; /* of the members, ascending; NULL: all classes */
    const uint32_t *counts;  /* ... and how many run */
    uint32_t members;
    uint32_t victim;                 /* a class of which one more runs, SL_NONE */
    double level[SL_KAPPA_LINK_MAX]; /* rate of the users of a full link; INFINITY: not full yet */
};

static double rate_of(const struct filling *f, uint32_t klass)
{
    double rate = INFINITY;
    for (uint32_t d = f->kappa->demand_first[klass]; d < f->kappa->demand_first[klass + 1]; d++)
        if (f->kappa->demands[d].fraction > 0 && f->level[f->kappa->demands[d].link] < rate)
            rate = f->level[f->kappa->demands[d].link];
    return rate;
}

/* Splits the demand on each link into what frozen nodes use and what still rises. */
static void load(const struct filling *f, double *used, double *rising)
{
    for (uint32_t l = 0; l < f->kappa->links.count; l++)
        used[l] = rising[l] = 0;
    for (uint32_t m = 0; m < f->members; m++) {
        uint32_t c = f->classes ? f->classes[m] : m;
        double count = f->counts[m] + (c == f->victim ? 1.0 : 0.0);
        if (count == 0)
            continue;
        double rate = rate_of(f, c);
        for (uint32_t d = f->kappa->demand_first[c]; d < f->kappa->demand_first[c + 1]; d++) {
            const struct sl_kappa_demand *demand = &f->kappa->demands[d];
            if (isinf(rate))
                rising[demand->link] += count * demand->fraction;
            else
                used[demand->link] += count * demand->fraction * rate;
        }
    }
}

/* Fills the next link; false when none fills below rate 1. */
static bool fill_next(struct filling *f)
{
    double used[SL_KAPPA_LINK_MAX], rising[SL_KAPPA_LINK_MAX], next = 1;
    load(f, used, rising);
    uint32_t full = SL_NONE;
    for (uint32_t l = 0; l < f->kappa->links.count; l++) {
        if (!isinf(f->level[l]) || rising[l] == 0)
            continue;
        double level = (1 - used[l]) / rising[l];
        if (level < next) {
            next = level;
            full = l;
        }
    }
    if (full == SL_NONE)
        return false;
    f->level[full] = next;
    return true;
}

static void begin(struct filling *f)
{
    for (uint32_t l = 0; l < f->kappa->links.count; l++)
        f->level[l] = INFINITY;
}

static double compose(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown)
{
    (void)unknown;
    if (victim >= kappa->demand_classes)
        return 1;
    struct filling f = {
        .kappa = kappa, .counts = counts, .members = kappa->demand_classes, .victim = victim};
    begin(&f);
    while (isinf(rate_of(&f, victim)) && fill_next(&f))
        continue;
    return 1 / fmin(1, rate_of(&f, victim));
}

/* All victims see the same filling, and each one's rate is that of its first full link: a later one
 * may have a level that rounding puts below it. */
static void compose_crowd(const struct sl_kappa_crowd *crowd, const uint32_t *counts, double *kappa)
{
    struct filling f = {
        .kappa = crowd->kappa, .classes = crowd->classes, .counts = counts, .victim = SL_NONE};
    begin(&f);
    while (f.members < crowd->count && crowd->classes[f.members] < crowd->kappa->demand_classes)
        f.members++;
    for (uint32_t m = 0; m < crowd->count; m++)
        kappa[m] = 0; /* still rises */
    for (bool rising = true; rising;) {
        bool full = fill_next(&f);
        rising = false;
        for (uint32_t m = 0; m < crowd->count; m++) {
            if (kappa[m] > 0 || !counts[m])
                continue;
            double rate = m < f.members ? rate_of(&f, crowd->classes[m]) : INFINITY;
            if (!isinf(rate) || !full)
                kappa[m] = 1 / fmin(1, rate);
            else
                rising = true;
        }
    }
}

const struct sl_kappa_rule sl_kappa_rule_bandwidth = {
    .name = "bandwidth",
    .description = "max-min fair share of declared demands on links of capacity 1",
    .example = "{rule: bandwidth, demands: {gemm: {hbm: 0.4}, copy.h2d: {hbm: 0.1, link: 1}}}",
    .compose = compose,
    .compose_crowd = compose_crowd,
    .uses_pairs = false,
};
