/* Intervals from a figure computed again without each part of the data in turn. */
#ifndef SL_JACKKNIFE_H
#define SL_JACKKNIFE_H
#include <stdint.h>

/* Half of the interval: `without[i]` is the figure without part i of `parts` parts of the same
 * size.
 *
 *     t(parts - 1) sqrt((parts - 1) / parts sum (without_i - mean)^2)
 *
 * (Tukey 1958, with Student's t).  Of quantiles it holds where a part is large against the root of
 * all (Shao and Wu 1989).  NAN below two parts. */
double sl_jackknife_half(const double *without, uint32_t parts, double level);
#endif
