/* Counting pairs. */
#include "agreement.h"
#include <math.h>

struct sl_agreement sl_agreement_of(const signed char *first, const signed char *second,
                                    uint32_t pairs)
{
    struct sl_agreement agreement = {.pairs = pairs, .tau_b = NAN};
    for (uint32_t k = 0; k < pairs; k++) {
        agreement.first += first[k] != 0;
        agreement.second += second[k] != 0;
        agreement.both += first[k] != 0 && second[k] != 0;
        agreement.concordant += first[k] != 0 && first[k] == second[k];
    }
    if (agreement.first > 0 && agreement.second > 0) {
        double discordant = (double)agreement.both - agreement.concordant;
        agreement.tau_b =
            (agreement.concordant - discordant) / sqrt((double)agreement.first * agreement.second);
    }
    return agreement;
}
