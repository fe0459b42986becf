/* Quantiles of independent trials with distribution-free intervals from order statistics. */
#ifndef SL_QUANTILE_H
#define SL_QUANTILE_H
#include "status.h"

/* An estimate with its 95% interval.  NAN where there are too few trials. */
struct sl_estimate {
    double value, lo, hi;
};

/* The q-quantile of sorted values (ascending; +inf for deadlocked trials): the ceil(nq)-th order
 * statistic.  The interval [x_(l), x_(u)] has l and u chosen so that the exact binomial coverage is
 * at least `level` with tails as equal as possible.  All NAN when n is below sl_quantile_min_n. */
struct sl_estimate sl_quantile(const double *sorted, size_t n, double q, double level);
/* Least n for which a two-sided interval exists at all: 1 - q^n - (1-q)^n >= level
 * (p99 at 95%: 299 by one side; the two-sided rule with equal tails gives 368, p99.9 3688). */
size_t sl_quantile_min_n(double q, double level);
/* Mean with a Student t interval; NAN when any value is infinite. */
struct sl_estimate sl_mean(const double *values, size_t n, double level);
double sl_stddev(const double *values, size_t n);
/* Mean of the values above the q-quantile (expected shortfall), interval from its influence
 * function; sorted input. */
struct sl_estimate sl_cvar(const double *sorted, size_t n, double q, double level);
#endif
