/* max: kappa(i|S) = the largest kappa(i|j) of the others. */
#include "isa.h"
#include "kappa_crowd.h"
#include <math.h>

static double compose(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown)
{
    double largest = 1;
    for (uint32_t c = 0; c < kappa->classes.count; c++)
        if (counts[c] > 0)
            largest = fmax(largest, sl_kappa_pair(kappa, victim, c, unknown));
    return largest;
}

static SL_ALWAYS_INLINE void find_worst_body(const struct sl_kappa_crowd *crowd,
                                             const uint32_t *counts, double *kappa)
{
    for (uint32_t k = 0; k < crowd->lanes; k += SL_CROWD_LANES) {
        const double *beside = crowd->beside + k;
        sl_crowd_words largest = (sl_crowd_words)(sl_crowd_lanes){1, 1, 1, 1};
        for (uint32_t c = 0; c < crowd->count; c++, beside += crowd->lanes) {
            sl_crowd_words pair = *(const sl_crowd_words *)beside;
            sl_crowd_words larger = (SL_CROWD_OTHERS((double)counts[c], c, k) > 0) &
                                    ((sl_crowd_lanes)pair > (sl_crowd_lanes)largest);
            largest = (pair & larger) | (largest & ~larger);
        }
        *(sl_crowd_words *)(kappa + k) = largest;
    }
}
SL_FOR_EACH_ISA(find_worst,
                (const struct sl_kappa_crowd *crowd, const uint32_t *counts, double *kappa),
                (crowd, counts, kappa))

const struct sl_kappa_rule sl_kappa_rule_max = {
    .name = "max",
    .description = "only the worst neighbour counts: largest kappa of the others",
    .example = "{table: kappa.csv, rule: max}",
    .compose = compose,
    .compose_crowd = find_worst,
    .uses_pairs = true,
};
