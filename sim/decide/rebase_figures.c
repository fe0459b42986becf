/* The figure that two devices are compared by: a quantile or the mean over trials; of jobs, whose
 * replications have figures of their own, the mean of these. */
#include "config.h"

#include "decide_parts.h"
#include "order_figures.h"
#include "rebase_parts.h"
#include <math.h>
#include <string.h>

const char *sl_rebase_figure_name(const struct sl_rebase *rebase, char buffer[16])
{
    snprintf(buffer, 16, "p%.4g", 100 * rebase->q);
    return isnan(rebase->q) ? "mean" : rebase->q == 0.5 ? "median" : buffer;
}

bool sl_rebase_take(const struct sl_rebase *rebase, const struct sl_cell *cell, double *metric_us)
{
    enum sl_measure measure = !cell->jobs || isnan(rebase->q) ? SL_MEASURE_MEAN
                              : rebase->q == 0.5              ? SL_MEASURE_MEDIAN
                                                              : SL_MEASURE_TAIL;
    const struct sl_order_item item = {.measure = measure, .domain = SL_NONE};
    if (!cell->metric_ps || (cell->jobs && !cell->jobs->estimated))
        return false;
    for (uint32_t t = 0; t < cell->trials; t++)
        metric_us[t] = sl_order_trial_value(&item, cell, t);
    return true;
}

static bool is_mean(const struct sl_rebase *rebase)
{
    return rebase->jobs || isnan(rebase->q);
}

double sl_rebase_value(const struct sl_rebase *rebase, double *values, uint32_t count)
{
    double sum = 0;
    if (!is_mean(rebase)) {
        sl_sort_doubles(values, count);
        return values[sl_quantile_rank(count, rebase->q) - 1];
    }
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

struct sl_estimate sl_rebase_figure(const struct sl_rebase *rebase, const double *metric_us,
                                    double *scratch)
{
    uint32_t count = rebase->trials;
    memcpy(scratch, metric_us, count * sizeof *scratch);
    if (is_mean(rebase))
        return sl_mean(scratch, count, SL_DECIDE_LEVEL);
    sl_sort_doubles(scratch, count);
    return sl_quantile(scratch, count, rebase->q, SL_DECIDE_LEVEL);
}

enum sl_status sl_rebase_difference(const struct sl_rebase *rebase, const double *a,
                                    const double *b, uint64_t seed, struct sl_estimate *estimate,
                                    struct sl_error *err)
{
    struct sl_difference difference = {.estimate = SL_NO_ESTIMATE};
    enum sl_status status = is_mean(rebase)
                                ? sl_decide_mean_difference(a, b, rebase->trials, &difference, err)
                                : sl_paired_at(&difference, a, b, rebase->trials, rebase->q, seed,
                                               SL_DECIDE_LEVEL, err);
    *estimate = difference.estimate;
    return status;
}
