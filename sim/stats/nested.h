/* Two populations kept apart: a quantile over inner trials (noise of the machine) in each of
 * several outer draws (ignorance of the calibration).
 *
 * The spread of the quantile over outer draws holds both.  Inner trials are independent between
 * draws, so that the variances add, and the part that is noise is the mean of what each quantile's
 * own sampling variance is. */
#ifndef SL_NESTED_H
#define SL_NESTED_H
#include "quantile.h"

/* Weights of the order statistics x_(1) .. x_(n) in the bootstrap law of the q-quantile, x_(k):
 *
 *     w_i = I_{i/n}(k, n-k+1) - I_{(i-1)/n}(k, n-k+1)
 *
 * (Maritz and Jarrett 1978; I is the regularised incomplete beta function).  They sum to 1. */
void sl_quantile_weights(double *weights, size_t n, double q);
/* The variance of the quantile of `sorted` under that law, in its unit squared; NAN where a value
 * of weight is infinite. */
double sl_quantile_variance(const double *sorted, const double *weights, size_t n);

struct sl_band {
    struct sl_estimate p5, p50, p95; /* order statistics of the draws; limits NAN below 72 draws */
    double min, max;
    double noise; /* share of the variance over draws that is inner sampling noise, at most 1; 0
                   * where nothing varies; NAN where a value is infinite */
};

/* `values`: a quantile by draw, INFINITY where it is a deadlock; `variances` its sampling variance.
 * All NAN without draws. */
enum sl_status sl_band_of(struct sl_band *band, const double *values, const double *variances,
                          size_t draws, struct sl_error *err) SL_NODISCARD;

/* How often a contender has the lowest value. */
struct sl_win_share {
    uint32_t wins;            /* draws in which it alone does */
    uint32_t ties;            /* ... in which others do too */
    struct sl_estimate share; /* a tie of k counts 1/k; exact binomial limits, ties counted the
                               * wider way */
};

/* values[i][d] of contender i in draw d.  A draw in which all are infinite is nobody's: returns how
 * many there are. */
uint32_t sl_win_shares(struct sl_win_share *shares, const double *const *values, uint32_t count,
                       uint32_t draws);
/* The share of draws in which `leader` is below (1 - min_gain) times every other; all of them where
 * there is no other. */
struct sl_estimate sl_lead_share(const double *const *values, uint32_t count, uint32_t draws,
                                 uint32_t leader, double min_gain);
/* Spearman's rank correlation of n pairs, mid-ranks for ties; NAN where one does not vary.  `work`
 * has room for 2 n. */
double sl_rank_correlation(const double *x, const double *y, size_t n, double *work);
#endif
