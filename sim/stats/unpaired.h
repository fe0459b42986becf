/* Two samples that have nothing in common: the difference of a figure of each. */
#ifndef SL_UNPAIRED_H
#define SL_UNPAIRED_H
#include "paired.h"

/* The difference A - B of the q-quantiles (q NAN: of the means) of two samples, each ascending and
 * finite, by the limits of each at half the error: conservative, of samples of different sizes too.
 * Without `needs` values in each there is none. */
struct sl_difference sl_unpaired_at(const double *a, size_t a_count, const double *b,
                                    size_t b_count, double q, double level);
#endif
