/* Whether a choice's plan keeps what the objective declares.  Limits of figures are judged; a
 * probability and deadline_miss want a cell's trials, and are left to `run`. */
#include "choice_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95

/* A quantile or (q NAN) the mean of the metric, us; NAN where the trials are too few for it. */
static double metric_us(const struct sl_plan_sums *sums, double q)
{
    if (!sums->random)
        return sums->metric_us[0];
    if (isnan(q))
        return sl_mean(sums->metric_us, sums->trials, LEVEL).value;
    double *sorted = malloc(sums->trials * sizeof *sorted);
    if (!sorted)
        return NAN;
    memcpy(sorted, sums->metric_us, sums->trials * sizeof *sorted);
    sl_sort_doubles(sorted, sums->trials);
    double value = sl_quantile(sorted, sums->trials, q, LEVEL).value;
    free(sorted);
    return value;
}

/* The figure that a constraint is about, in ps or bytes; NAN: not judged here. */
static double figure(const struct sl_scenario *scenario, const struct sl_plan_sums *sums,
                     const char *left)
{
    if (strncmp(left, "peak.", 5) == 0) {
        uint32_t domain = sl_names_find(&scenario->platform.domain_names, left + 5);
        return domain == SL_NONE ? (double)NAN : (double)sums->peak_bytes[domain];
    }
    if (strcmp(left, "max_wait") == 0)
        return (double)sums->max_wait_ps;
    double us = NAN;
    if (strcmp(left, "tail") == 0)
        us = metric_us(sums, scenario->objective.tail);
    else if (strcmp(left, "median") == 0)
        us = metric_us(sums, 0.5);
    else if (strcmp(left, "mean") == 0)
        us = metric_us(sums, NAN);
    return us * (double)SL_PS_PER_US;
}

const char *sl_choice_breaks(const struct sl_scenario *scenario, const struct sl_plan_sums *sums)
{
    for (uint32_t k = 0; k < scenario->objective.constraint_count; k++) {
        const struct sl_constraint *constraint = &scenario->objective.constraints[k];
        if (constraint->probability <= 0 &&
            figure(scenario, sums, constraint->left) > constraint->limit)
            return constraint->text;
    }
    return NULL;
}
