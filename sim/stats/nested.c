/* Quantiles over outer draws: their band, its noise, and who is lowest how often. */
#include <config.h>

#include "nested.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAND_LEVEL   0.95
#define LEAST_WEIGHT 1e-12 /* less moves nothing, even where a value is infinite */

void sl_quantile_weights(double *weights, size_t n, double q)
{
    double k = (double)sl_quantile_rank(n, q), before = 0;
    for (size_t i = 0; i < n; i++) {
        double upto = gsl_cdf_beta_P((double)(i + 1) / (double)n, k, (double)n - k + 1);
        weights[i] = upto - before;
        before = upto;
    }
}

double sl_quantile_variance(const double *sorted, const double *weights, size_t n)
{
    double sum = 0, squares = 0;
    size_t first = 0; /* value of weight: a centre against cancellation */
    while (first + 1 < n && weights[first] <= LEAST_WEIGHT)
        first++;
    for (size_t i = first; i < n; i++) {
        if (weights[i] <= LEAST_WEIGHT)
            continue;
        double from_first = sorted[i] - sorted[first];
        sum += weights[i] * from_first;
        squares += weights[i] * from_first * from_first;
    }
    return isfinite(squares) ? fmax(squares - sum * sum, 0) : NAN;
}

/* The estimate stands without limits where the draws are too few for them. */
static struct sl_estimate quantile(const double *sorted, size_t n, double q)
{
    struct sl_estimate estimate = sl_quantile(sorted, n, q, BAND_LEVEL);
    estimate.value = sorted[sl_quantile_rank(n, q) - 1];
    return estimate;
}

static double noise_share(const double *values, const double *variances, size_t n)
{
    double spread = sl_stddev(values, n), noise = 0;
    for (size_t d = 0; d < n; d++)
        noise += variances[d] / (double)n;
    if (isnan(spread) || isnan(noise))
        return NAN;
    return spread > 0 ? fmin(noise / (spread * spread), 1) : 0;
}

enum sl_status sl_band_of(struct sl_band *band, const double *values, const double *variances,
                          size_t draws, struct sl_error *err)
{
    const struct sl_estimate none = SL_NO_ESTIMATE;
    *band = (struct sl_band){none, none, none, NAN, NAN, NAN};
    if (draws == 0)
        return SL_OK;
    double *sorted = malloc(draws * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %zu calibration draws", draws);
    memcpy(sorted, values, draws * sizeof *sorted);
    sl_sort_doubles(sorted, draws);
    *band = (struct sl_band){
        .p5 = quantile(sorted, draws, 0.05),
        .p50 = quantile(sorted, draws, 0.5),
        .p95 = quantile(sorted, draws, 0.95),
        .min = sorted[0],
        .max = sorted[draws - 1],
        .noise = noise_share(values, variances, draws),
    };
    free(sorted);
    return SL_OK;
}

static double lowest_of(const double *const *values, uint32_t count, uint32_t draw, uint32_t except)
{
    double lowest = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        if (i != except)
            lowest = fmin(lowest, values[i][draw]);
    return lowest;
}

uint32_t sl_win_shares(struct sl_win_share *shares, const double *const *values, uint32_t count,
                       uint32_t draws)
{
    uint32_t nobodys = 0;
    memset(shares, 0, count * sizeof *shares);
    for (uint32_t d = 0; d < draws; d++) {
        double lowest = lowest_of(values, count, d, SL_NONE);
        uint32_t together = 0;
        for (uint32_t i = 0; i < count; i++)
            together += values[i][d] == lowest && isfinite(lowest);
        nobodys += together == 0;
        for (uint32_t i = 0; i < count; i++) {
            if (values[i][d] != lowest || together == 0)
                continue;
            shares[i].wins += together == 1;
            shares[i].ties += together > 1;
            shares[i].share.value += 1.0 / together;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sl_win_share *share = &shares[i];
        share->share.value /= draws;
        share->share.lo = sl_proportion(share->wins, draws, BAND_LEVEL).lo;
        share->share.hi = sl_proportion((size_t)share->wins + share->ties, draws, BAND_LEVEL).hi;
    }
    return nobodys;
}

struct sl_estimate sl_lead_share(const double *const *values, uint32_t count, uint32_t draws,
                                 uint32_t leader, double min_gain)
{
    uint32_t holds = 0;
    for (uint32_t d = 0; d < draws; d++)
        holds += isfinite(values[leader][d]) &&
                 values[leader][d] < (1 - min_gain) * lowest_of(values, count, d, leader);
    return sl_proportion(holds, draws, BAND_LEVEL);
}

double sl_rank_correlation(const double *x, const double *y, size_t n, double *work)
{
    return n > 1 ? gsl_stats_spearman(x, 1, y, 1, n, work) : (double)NAN;
}
