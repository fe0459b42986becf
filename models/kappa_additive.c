/* additive: kappa(i|S) = 1 + sum over the others of (kappa(i|j) - 1). */
#include "kappa.h"

static double compose(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown)
{
    double sum = 1;
    for (uint32_t c = 0; c < kappa->classes.count; c++)
        if (counts[c] > 0)
            sum += counts[c] * (sl_kappa_pair(kappa, victim, c, unknown) - 1);
    return sum;
}

const struct sl_kappa_rule sl_kappa_rule_additive = {
    .name = "additive",
    .description = "slowdowns add: 1 + sum(kappa - 1) over the others",
    .example = "{table: kappa.csv, rule: additive}",
    .compose = compose,
    .uses_pairs = true,
};
