/* max: kappa(i|S) = the largest kappa(i|j) of the others. */
#include "kappa.h"
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

const struct sl_kappa_rule sl_kappa_rule_max = {
    .name = "max",
    .description = "only the worst neighbour counts: largest kappa of the others",
    .example = "{table: kappa.csv, rule: max}",
    .compose = compose,
    .uses_pairs = true,
};
