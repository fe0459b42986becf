/* Differences of samples without pairs. */
#include "unpaired.h"

static struct sl_estimate figure_of(const double *sorted, size_t n, double q, double level)
{
    if (!isnan(q))
        return sl_quantile(sorted, n, q, level);
    return n < 2 ? SL_NO_ESTIMATE : sl_mean(sorted, n, level);
}

struct sl_difference sl_unpaired_at(const double *a, size_t a_count, const double *b,
                                    size_t b_count, double q, double level)
{
    double each = 1 - (1 - level) / 2;
    return sl_difference_by_limits(figure_of(a, a_count, q, each), figure_of(b, b_count, q, each),
                                   isnan(q) ? 2 : sl_paired_min_n(q, level));
}
