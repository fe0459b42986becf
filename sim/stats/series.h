/* Figures of dependent observations, such as the latencies of jobs that queue behind each other.
 *
 * Values of one series follow each other in time and depend on each other; series of different
 * replications are independent.  The estimate pools all values.  Its interval comes from figures of
 * groups that are (nearly) independent of each other:
 *
 *     replications   five series or more: Student's t of the figures of the series; where one has
 *                    too few values for the figure, of as many series together as have enough
 *     batches        fewer: Student's t of the figures of batches, stretches of consecutive values
 *                    (Law, Simulation Modeling and Analysis, 9.5.3): 20 of them, or 10, or 5, the
 *                    most whose means do not correlate with the next one's by more than 0.1
 *     blocks         series that share one course of events, a trace: percentiles over resamples
 *                    of it by stretches, the same of every series (moving-block bootstrap; Kuensch
 *                    1989).  It holds within this course, and says nothing of another one
 *
 * The t interval is centred at the pooled figure, which has less bias than the mean of the groups'.
 * Of times it is one of logarithms (sl_positive), whose limits are not below 0.
 */
#ifndef SL_SERIES_H
#define SL_SERIES_H
#include "quantile.h"

enum sl_series_method {
    SL_SERIES_NONE, /* no interval: too few values, or groups */
    SL_SERIES_REPLICATIONS,
    SL_SERIES_BATCHES,
    SL_SERIES_BLOCKS,
    SL_SERIES_METHODS
};
const char *sl_series_method_name(enum sl_series_method method);

enum sl_series_kind { SL_SERIES_MEAN, SL_SERIES_QUANTILE, SL_SERIES_CVAR /* mean beyond q */ };
struct sl_series_figure {
    enum sl_series_kind kind;
    double q; /* of a mean: not looked at */
};

/* Borrowed.  counts[r] values of series r, finite, in order of time. */
struct sl_series {
    const double *const *values;
    const size_t *counts;
    uint32_t count;
    bool one_course; /* the series share one course of events */
    bool times;      /* no value is below 0 */
};

struct sl_series_result {
    /* NAN where fewer than `needs` values are there; limits NAN with SL_SERIES_NONE. */
    struct sl_estimate estimate;
    enum sl_series_method method;
    uint32_t groups; /* behind the interval; of blocks: stretches of a series */
    size_t n, needs; /* values; least number for the figure: 10 / (1 - q) of a quantile q >= 0.5 */
    /* Of a mean by batches: of how many independent values its interval would be as wide, at most
     * n; else NAN. */
    double effective;
    bool short_run; /* by batches: even 5 of them correlate, so that the interval is too narrow */
};

#define SL_SERIES_LEAST_GROUPS 5
#define SL_SERIES_BEYOND       10 /* values beyond a quantile, in a group that tells it */

/* Least values for the figure: one of a mean. */
size_t sl_series_needs(struct sl_series_figure figure);
/* All figures of one series at once.  SL_SYSTEM: out of memory. */
enum sl_status sl_series_estimate(const struct sl_series *series,
                                  const struct sl_series_figure *figures, uint32_t figure_count,
                                  double level, struct sl_series_result *results,
                                  struct sl_error *err) SL_NODISCARD;
/* One figure of `n` values, which `sorted` has ascending; NAN of none. */
double sl_series_figure_of(struct sl_series_figure figure, const double *values,
                           const double *sorted, size_t n);
#endif
