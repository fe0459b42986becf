/* Joint resampling of two paired samples: which spread their figures' differences have. */
#ifndef SL_BOOTSTRAP_H
#define SL_BOOTSTRAP_H
#include "quantile.h"

/* Percentile intervals of q(A) - q(B) for each q of quantiles[count], and of the difference of the
 * mean beyond `tail`, from `resamples` samples of n trial numbers drawn with replacement.  `order_a`
 * and `order_b` hold the trial numbers by ascending value; `quantiles` ascend, and the lowest is not
 * above `tail`.  Resample r draws from Philox counters
 * (block, r, 0, 0), so the result depends on nothing but its arguments.  `resamples` should make
 * (resamples + 1) (1 - level) / 2 a whole number. */
struct sl_bootstrap {
    const double *a, *b; /* by trial */
    const uint32_t *order_a, *order_b;
    uint32_t n, resamples;
    const double *quantiles;
    uint32_t count;
    double tail;
    uint64_t key;
    double level;
};

/* intervals[0 .. count - 1] by quantile, intervals[count] of the mean beyond the tail; their
 * values are left alone.  SL_SYSTEM: out of memory. */
enum sl_status sl_bootstrap_run(const struct sl_bootstrap *bootstrap, struct sl_estimate *intervals,
                                struct sl_error *err) SL_NODISCARD;
#endif
