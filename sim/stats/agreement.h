/* How far two judges of the same pairs agree, where each may not tell a pair apart. */
#ifndef SL_AGREEMENT_H
#define SL_AGREEMENT_H
#include <stdint.h>

struct sl_agreement {
    uint32_t pairs, first, second; /* in all, and told apart by the first, by the second judge */
    uint32_t both, concordant;     /* told apart by both, and of them alike */
    double tau_b;                  /* NAN where a judge tells none apart */
};

/* first[k] and second[k] say of pair k: -1 and 1, which is the lower, or 0, not told apart.
 *
 *     tau_b = (concordant - discordant) / sqrt(first x second)
 *
 * (Kendall 1945; ties are the pairs that are not told apart). */
struct sl_agreement sl_agreement_of(const signed char *first, const signed char *second,
                                    uint32_t pairs);
#endif
