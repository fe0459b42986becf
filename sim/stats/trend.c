/* Least squares of one variable. */
#include "trend.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

#define LEAST_POINTS 5

struct sl_trend sl_trend_of(const double *t, const double *y, size_t n, double level)
{
    struct sl_trend trend = {SL_NO_ESTIMATE, NAN};
    double start, slope, var_start, covariance, var_slope, squares;
    if (n < LEAST_POINTS || !(gsl_stats_sd(t, 1, n) > 0))
        return trend;
    gsl_fit_linear(t, 1, y, 1, n, &start, &slope, &var_start, &covariance, &var_slope, &squares);
    double half = gsl_cdf_tdist_Qinv((1 - level) / 2, (double)(n - 2)) * sqrt(var_slope);
    trend.slope = (struct sl_estimate){slope, slope - half, slope + half};
    trend.rise = slope * (t[n - 1] - t[0]) / gsl_stats_mean(y, 1, n);
    return trend;
}
