/* Ratio of two means, linearised. */
#include "ratio.h"
#include <math.h>

double sl_ratio_linearise(double *a, const double *b, size_t n)
{
    double sum_a = 0, sum_b = 0;
    for (size_t i = 0; i < n; i++) {
        sum_a += a[i];
        sum_b += b[i];
    }
    if (!(sum_b > 0))
        return NAN;
    double ratio = sum_a / sum_b, mean_b = sum_b / (double)n;
    for (size_t i = 0; i < n; i++)
        a[i] = ratio + (a[i] - ratio * b[i]) / mean_b;
    return ratio;
}

struct sl_estimate sl_ratio(double *a, const double *b, size_t n, double level)
{
    double ratio = sl_ratio_linearise(a, b, n);
    if (isnan(ratio))
        return SL_NO_ESTIMATE;
    struct sl_estimate estimate = sl_mean(a, n, level);
    estimate.value = ratio; /* which the mean is but for rounding */
    return estimate;
}
