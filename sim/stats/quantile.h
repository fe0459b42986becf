/* Quantiles of independent trials with distribution-free intervals from order statistics. */
#ifndef SL_QUANTILE_H
#define SL_QUANTILE_H
#include "numsort.h"
#include "status.h"
#include <math.h>

#define SL_NO_ESTIMATE ((struct sl_estimate){(double)NAN, (double)NAN, (double)NAN})

/* The q-quantile of sorted values (ascending; +inf for deadlocked trials): the ceil(nq)-th order
 * statistic.  The interval [x_(l), x_(u)] has l and u chosen so that the exact binomial coverage is
 * at least `level` with tails as equal as possible.  All NAN when n is below sl_quantile_min_n. */
struct sl_estimate sl_quantile(const double *sorted, size_t n, double q, double level);
/* The ranks from 1 of those order statistics; all 0 when n is below sl_quantile_min_n. */
struct sl_quantile_ranks {
    size_t lo, value, hi;
};
struct sl_quantile_ranks sl_quantile_ranks(size_t n, double q, double level);
/* The ranks of one-sided limits, each wrong with probability `error` at most; 0 where n is too
 * small for it.  The lower one of a high quantile takes few values, the upper one ln(error) /
 * ln(q). */
size_t sl_quantile_lower_rank(size_t n, double q, double error);
size_t sl_quantile_upper_rank(size_t n, double q, double error);
/* The rank of the estimate alone. */
size_t sl_quantile_rank(size_t n, double q);
/* Least n for which each tail can hold its half of 1 - level: q^n and (1-q)^n at most
 * (1 - level) / 2.  At level 0.95: the median 6, p99 368, p99.9 3688.  SIZE_MAX when q or level is
 * outside (0, 1). */
size_t sl_quantile_min_n(double q, double level);
/* Mean with a Student t interval; NAN when any value is infinite.  The interval of one value is
 * NAN. */
struct sl_estimate sl_mean(const double *values, size_t n, double level);
/* The interval around `value`, which may not be below 0, from the same figure of n independent
 * groups: Student's t of their logarithms, value x exp(+- t s / sqrt(n)).  Its limits are above 0,
 * and it is longer upwards, as the errors of skewed figures are.  Where something is not above 0,
 * Student's t of the figures, cut off at 0.  Limits are NAN when n < 2 or anything is infinite. */
struct sl_estimate sl_positive(double value, const double *figures, size_t n, double level);
/* Standard deviation with n - 1; NAN when n < 2 or any value is infinite. */
double sl_stddev(const double *values, size_t n);
/* Mean of the values above the q-quantile (expected shortfall), sorted input.  The interval is
 * normal with the variance of the influence function, Var (X - quantile)+ / (1-q)^2 / n.  NAN when
 * any value is infinite or n is below sl_quantile_min_n. */
struct sl_estimate sl_cvar(const double *sorted, size_t n, double q, double level);

/* The share hits / n of independent trials with its exact binomial interval (Clopper and Pearson
 * 1934): lo is the share for which P(B >= hits) is half of 1 - level, hi the one for which
 * P(B <= hits) is; 0 at hits = 0 and 1 at hits = n.  All NAN when n is 0 or hits above n. */
struct sl_estimate sl_proportion(size_t hits, size_t n, double level);
/* The least number of trials at which that interval, around the same share, would leave `bound` on
 * one side: a share of 1 is above the bound b at ln((1 - level) / 2) / ln b.  INFINITY above 1e9
 * and where the share is the bound; NAN where sl_proportion is. */
double sl_proportion_trials_to_settle(size_t hits, size_t n, double bound, double level);
#endif
