/* Ratio of two means, such as members per batch: figures of pairs. */
#ifndef SL_RATIO_H
#define SL_RATIO_H
#include "quantile.h"

/* R = sum a / sum b; NAN, and nothing is written, where b sums to 0 or less.  Else over each a_i is
 * written x_i = R + (a_i - R b_i) / mean b: values of which the mean is R and varies as R does to
 * first order (Cochran, Sampling Techniques, 2.11), so that an interval of their mean is one of R.
 */
double sl_ratio_linearise(double *a, const double *b, size_t n);
/* R with a Student t interval over the pairs, by that; the interval of one pair is NAN. */
struct sl_estimate sl_ratio(double *a, const double *b, size_t n, double level);
#endif
