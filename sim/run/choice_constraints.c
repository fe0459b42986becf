/* Whether a choice's plan keeps what the objective declares.  Limits of figures are judged; a
 * probability and deadline_miss want a cell's trials, and are left to `run`. */
#include "choice_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95

/* A quantile or (q NAN) the mean of the metric, us; NAN where the trials are too few for it.
 * `sorted`: the trials' metrics, ascending. */
static double metric_us(const struct sl_plan_sums *sums, const double *sorted, double q)
{
    if (!sums->random)
        return sums->metric_us[0];
    return isnan(q) ? sl_mean(sums->metric_us, sums->trials, LEVEL).value
                    : sl_quantile(sorted, sums->trials, q, LEVEL).value;
}

/* The figure that a constraint is about, in ps or bytes; NAN: not judged here. */
static double figure(const struct sl_scenario *scenario, const struct sl_plan_sums *sums,
                     const double *sorted, const char *left)
{
    if (strncmp(left, "peak.", 5) == 0) {
        uint32_t domain = sl_names_find(&scenario->platform.domain_names, left + 5);
        return domain == SL_NONE ? (double)NAN : (double)sums->peak_bytes[domain];
    }
    if (strcmp(left, "max_wait") == 0)
        return (double)sums->max_wait_ps;
    double us = NAN;
    if (strcmp(left, "tail") == 0)
        us = metric_us(sums, sorted, scenario->objective.tail);
    else if (strcmp(left, "median") == 0)
        us = metric_us(sums, sorted, 0.5);
    else if (strcmp(left, "mean") == 0)
        us = metric_us(sums, sorted, NAN);
    return us * (double)SL_PS_PER_US;
}

enum sl_status sl_choice_breaks(const struct sl_scenario *scenario, const struct sl_plan_sums *sums,
                                const char **breaks, struct sl_error *err)
{
    *breaks = NULL;
    if (scenario->objective.constraint_count == 0)
        return SL_OK;
    double *sorted = malloc(sums->trials * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u trials", sums->trials);
    memcpy(sorted, sums->metric_us, sums->trials * sizeof *sorted);
    sl_sort_doubles(sorted, sums->trials);
    for (uint32_t k = 0; k < scenario->objective.constraint_count && !*breaks; k++) {
        const struct sl_constraint *constraint = &scenario->objective.constraints[k];
        if (constraint->probability <= 0 &&
            figure(scenario, sums, sorted, constraint->left) > constraint->limit)
            *breaks = constraint->text;
    }
    free(sorted);
    return SL_OK;
}
