/* product: kappa(i|S) = product over the others of kappa(i|j). */
#include "kappa.h"
#include <math.h>

static double compose(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown)
{
    double product = 1;
    for (uint32_t c = 0; c < kappa->classes.count; c++)
        if (counts[c] > 0)
            product *= pow(sl_kappa_pair(kappa, victim, c, unknown), counts[c]);
    return product;
}

const struct sl_kappa_rule sl_kappa_rule_product = {
    .name = "product",
    .description = "slowdowns multiply: product of kappa over the others",
    .example = "{table: kappa.csv, rule: product}",
    .compose = compose,
    .uses_pairs = true,
};
