/* additive: kappa(i|S) = 1 + sum over the others of (kappa(i|j) - 1). */
#include "isa.h"
#include "kappa_crowd.h"

static double compose(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown)
{
    double sum = 1;
    for (uint32_t c = 0; c < kappa->classes.count; c++)
        if (counts[c] > 0)
            sum += counts[c] * (sl_kappa_pair(kappa, victim, c, unknown) - 1);
    return sum;
}

/* Every victim's sum in the order of compose; what does not run adds 0, which changes no sum. */
static SL_ALWAYS_INLINE void add_up_body(const struct sl_kappa_crowd *crowd, const uint32_t *counts,
                                         double *kappa)
{
    for (uint32_t k = 0; k < crowd->lanes; k += SL_CROWD_LANES) {
        const double *beside = crowd->beside + k;
        sl_crowd_lanes sum = {1, 1, 1, 1};
        for (uint32_t c = 0; c < crowd->count; c++, beside += crowd->lanes)
            sum += SL_CROWD_OTHERS((double)counts[c], c, k) * (*(const sl_crowd_lanes *)beside - 1);
        *(sl_crowd_lanes *)(kappa + k) = sum;
    }
}
SL_FOR_EACH_ISA(add_up, (const struct sl_kappa_crowd *crowd, const uint32_t *counts, double *kappa),
                (crowd, counts, kappa))

const struct sl_kappa_rule sl_kappa_rule_additive = {
    .name = "additive",
    .description = "slowdowns add: 1 + sum(kappa - 1) over the others",
    .example = "{table: kappa.csv, rule: additive}",
    .compose = compose,
    .compose_crowd = add_up,
    .uses_pairs = true,
};
