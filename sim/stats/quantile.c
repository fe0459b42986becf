/* Estimates over independent trials. */
#include <config.h>

#include "quantile.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#define MOST_TRIALS 1000000000u /* more settle nothing in practice */

static bool valid(double q, double level)
{
    return q > 0 && q < 1 && level > 0 && level < 1;
}

/* The largest extreme-order interval fails with probability q^n above and (1-q)^n below; each must
 * fit in its tail of (1 - level) / 2. */
size_t sl_quantile_min_n(double q, double level)
{
    if (!valid(q, level))
        return SIZE_MAX;
    double tail = (1 - level) / 2, side = fmax(q, 1 - q);
    double n = ceil(log(tail) / log(side));
    if (!(n < 0x1p53))
        return SIZE_MAX;
    /* The quotient of logarithms may err by a rounding at whole numbers. */
    while (n > 1 && pow(side, n - 1) <= tail)
        n--;
    while (pow(side, n) > tail)
        n++;
    return (size_t)n;
}

/* The rank ceil(nq), from 1: 0.95 * 4000 must be 3800 whatever its last bit. */
size_t sl_quantile_rank(size_t n, double q)
{
    double rank = ceil((double)n * q * (1 - 8 * 2.3e-16));
    return rank < 1 ? 1 : rank > (double)n ? n : (size_t)rank;
}

/* Of B ~ binomial(n, q), the number of values below the quantile: the least k >= 0 whose upper tail
 * P(B > k) is at most `tail`. */
static unsigned upper_rank(unsigned n, double q, double tail)
{
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (gsl_cdf_binomial_Q(middle, q, n) <= tail)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The number of k >= 0 whose lower tail P(B <= k) is at most `tail`. */
static unsigned lower_rank(unsigned n, double q, double tail)
{
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (gsl_cdf_binomial_P(middle, q, n) <= tail)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* x_(l) is above the quantile when B < l, x_(u) below it when B >= u (David and Nagaraja, Order
 * Statistics, 7.1): l is the largest with P(B <= l-1) <= tail, u the least with P(B > u-1) <= tail.
 */
struct sl_quantile_ranks sl_quantile_ranks(size_t n, double q, double level)
{
    struct sl_quantile_ranks none = {0, 0, 0};
    if (!valid(q, level) || n > UINT_MAX || n < sl_quantile_min_n(q, level))
        return none;
    double tail = (1 - level) / 2;
    size_t lower = sl_quantile_lower_rank(n, q, tail), upper = sl_quantile_upper_rank(n, q, tail);
    if (lower == 0 || upper == 0) /* n at its minimum, and a tail that rounds the other way */
        return none;
    return (struct sl_quantile_ranks){lower, sl_quantile_rank(n, q), upper};
}

size_t sl_quantile_lower_rank(size_t n, double q, double error)
{
    return n > UINT_MAX ? 0 : lower_rank((unsigned)n, q, error);
}

size_t sl_quantile_upper_rank(size_t n, double q, double error)
{
    size_t rank = n > UINT_MAX ? 0 : (size_t)upper_rank((unsigned)n, q, error) + 1;
    return rank > n ? 0 : rank;
}

struct sl_estimate sl_quantile(const double *sorted, size_t n, double q, double level)
{
    struct sl_quantile_ranks ranks = sl_quantile_ranks(n, q, level);
    if (ranks.value == 0)
        return SL_NO_ESTIMATE;
    return (struct sl_estimate){sorted[ranks.value - 1], sorted[ranks.lo - 1],
                                sorted[ranks.hi - 1]};
}

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

struct sl_estimate sl_mean(const double *values, size_t n, double level)
{
    if (n == 0 || !valid(0.5, level) || !all_finite(values, n))
        return SL_NO_ESTIMATE;
    double mean = gsl_stats_mean(values, 1, n);
    if (n == 1)
        return (struct sl_estimate){mean, NAN, NAN};
    double t = gsl_cdf_tdist_Qinv((1 - level) / 2, (double)(n - 1));
    double half = t * gsl_stats_sd_m(values, 1, n, mean) / sqrt((double)n);
    return (struct sl_estimate){mean, mean - half, mean + half};
}

struct sl_estimate sl_positive(double value, const double *figures, size_t n, double level)
{
    if (n < 2 || !isfinite(value) || !all_finite(figures, n))
        return (struct sl_estimate){value, NAN, NAN};
    double t = gsl_cdf_tdist_Qinv((1 - level) / 2, (double)(n - 1)), mean = 0, squares = 0;
    bool logs = value > 0;
    for (size_t i = 0; logs && i < n; i++) {
        logs = figures[i] > 0;
        double from_mean = log(figures[i]) - mean; /* Welford's recursion */
        mean += from_mean / (double)(i + 1);
        squares += from_mean * (log(figures[i]) - mean);
    }
    if (logs) {
        double factor = exp(t * sqrt(squares / (double)(n - 1) / (double)n));
        return (struct sl_estimate){value, value / factor, value * factor};
    }
    double half = t * gsl_stats_sd(figures, 1, n) / sqrt((double)n);
    return (struct sl_estimate){value, fmax(value - half, 0), value + half};
}

double sl_stddev(const double *values, size_t n)
{
    return n < 2 || !all_finite(values, n) ? NAN : gsl_stats_sd(values, 1, n);
}

/* ES = 1/(1-q) * integral of the sample quantile function over (q, 1): the values above rank
 * k = ceil(nq) whole, x_(k) with the weight k - nq that is left of its step (Acerbi and Tasche
 * 2002).  Since ES = min over c of c + E(X-c)+ / (1-q), attained at the quantile v (Rockafellar and
 * Uryasev 2002), the estimate of v adds no first-order error and the influence function is
 * v + (x-v)+ / (1-q) - ES; so sqrt(n) (estimate - ES) has variance Var (X-v)+ / (1-q)^2
 * (Hong, Hu and Liu 2014, ACM TOMACS 24:22). */
struct sl_estimate sl_cvar(const double *sorted, size_t n, double q, double level)
{
    if (!valid(q, level) || n < sl_quantile_min_n(q, level) || !all_finite(sorted, n))
        return SL_NO_ESTIMATE;
    size_t k = sl_quantile_rank(n, q);
    double size = (double)n, beyond = 1 - q, v = sorted[k - 1], sum = 0, squares = 0;
    for (size_t i = k; i < n; i++) {
        double excess = sorted[i] - v;
        sum += excess;
        squares += excess * excess;
    }
    /* The weights of the integral add up to n(1-q), so x_(k) enters as v alone. */
    double value = v + sum / (size * beyond);
    double variance = fmax(0, (squares - sum * sum / size) / (size - 1));
    double half = gsl_cdf_ugaussian_Qinv((1 - level) / 2) * sqrt(variance / size) / beyond;
    return (struct sl_estimate){value, value - half, value + half};
}

/* The share p at which the lower tail P(B <= k) of binomial(n, p) has come down to `tail`.  It
 * falls in p; bisection, because inverses of the beta distribution fail to converge at small
 * shares. */
static double share_at(unsigned k, unsigned n, double tail)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (gsl_cdf_binomial_P(k, middle, n) > tail)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct sl_estimate sl_proportion(size_t hits, size_t n, double level)
{
    if (n == 0 || n > UINT_MAX || hits > n || !valid(0.5, level))
        return SL_NO_ESTIMATE;
    double tail = (1 - level) / 2;
    unsigned k = (unsigned)hits, size = (unsigned)n;
    return (struct sl_estimate){(double)k / size, k == 0 ? 0 : share_at(k - 1, size, 1 - tail),
                                k == size ? 1 : share_at(k, size, tail)};
}

/* Rounds hits towards the bound. */
static bool settles(double share, size_t n, double bound, double level)
{
    if (share > bound)
        return sl_proportion((size_t)floor(share * (double)n + 1e-6), n, level).lo >= bound;
    return sl_proportion((size_t)ceil(share * (double)n - 1e-6), n, level).hi < bound;
}

double sl_proportion_trials_to_settle(size_t hits, size_t n, double bound, double level)
{
    double share = sl_proportion(hits, n, level).value;
    size_t low = 0, high = 1;
    if (isnan(share))
        return NAN;
    while (share != bound && high <= MOST_TRIALS && !settles(share, high, bound, level)) {
        low = high;
        high *= 2;
    }
    if (share == bound || high > MOST_TRIALS)
        return INFINITY;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (settles(share, middle, bound, level))
            high = middle;
        else
            low = middle;
    }
    return (double)high;
}
