/* Whether something grows over time: the least-squares line through means of consecutive windows.
 */
#ifndef SL_TREND_H
#define SL_TREND_H
#include "quantile.h"

struct sl_trend {
    struct sl_estimate slope; /* per unit of t, with Student's t limits of n - 2 degrees */
    double rise;              /* of the line from the first to the last t, over the mean of y */
};

/* All NAN of fewer than 5 points, and where t does not vary. */
struct sl_trend sl_trend_of(const double *t, const double *y, size_t n, double level);
#endif
