/* A line that one odd point does not bend, such as a copy's time over its size. */
#ifndef SL_ROBUST_LINE_H
#define SL_ROBUST_LINE_H
#include <stdint.h>

struct sl_robust_line {
    double intercept, slope; /* y = intercept + slope x */
};
/* The line of least sum of |y_i - y(x_i)| / y_i among those with intercept >= 0 and slope > 0.
 *
 * Absolute values, so that one point at which something else happens does not bend the line;
 * relative ones, so that small y count as much as large ones.  The least sum is reached on a line
 * through two of the points, or through one and the origin: all of them are tried, which takes time
 * in proportion to count^3.  x and y are above 0, no two x equal.  NAN without points. */
struct sl_robust_line sl_robust_line_fit(const double *x, const double *y, uint32_t count);
#endif
