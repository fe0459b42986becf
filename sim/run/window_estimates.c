/* Estimates of windows, from what the windows' tally kept of the first trials. */
#include <config.h>

#include "cellparts.h"
#include "units.h"
#include "window_estimates.h"
#include <gsl/gsl_sort.h>
#include <math.h>

/* The slacks of the trials in which the node ran, in us, into scratch->values. */
static size_t take_slacks(const struct sl_cell *cell, uint32_t node,
                          struct sl_window_scratch *scratch)
{
    uint32_t nodes = cell->plan.graph->node_count;
    size_t n = 0;
    for (uint32_t t = 0; t < cell->slack_trials; t++) {
        int64_t ps = cell->slack_ps[(size_t)t * nodes + node];
        if (ps != SL_SLACK_DID_NOT_RUN)
            scratch->values[n++] = (double)ps / (double)SL_PS_PER_US;
    }
    return n;
}

static struct sl_estimate mean_of(const struct sl_window_scratch *scratch, size_t n)
{
    return n > 0 ? sl_mean(scratch->values, n, SL_LEVEL_CONFIDENCE) : SL_NO_ESTIMATE;
}

/* The 5% quantile by the smallest values alone: sorting all of them would take longer. */
static struct sl_estimate low_quantile(struct sl_window_scratch *scratch, size_t n)
{
    if (scratch->ranks_of != n) {
        scratch->ranks = sl_quantile_ranks(n, 0.05, SL_LEVEL_CONFIDENCE);
        scratch->ranks_of = n;
    }
    struct sl_quantile_ranks ranks = scratch->ranks;
    if (ranks.value == 0)
        return SL_NO_ESTIMATE;
    gsl_sort_smallest(scratch->smallest, ranks.hi, scratch->values, 1, n);
    return (struct sl_estimate){scratch->smallest[ranks.value - 1], scratch->smallest[ranks.lo - 1],
                                scratch->smallest[ranks.hi - 1]};
}

struct sl_estimate sl_window_slack(const struct sl_cell *cell, uint32_t node,
                                   struct sl_window_scratch *scratch)
{
    return mean_of(scratch, take_slacks(cell, node, scratch));
}

struct sl_window_estimates sl_window_estimates(const struct sl_cell *cell, uint32_t node,
                                               struct sl_window_scratch *scratch)
{
    const struct sl_node_window *window = &cell->windows[node];
    size_t n = take_slacks(cell, node, scratch);
    struct sl_window_estimates found = {
        .slack = mean_of(scratch, n),
        .slack_p5 = low_quantile(scratch, n),
        .ready_us =
            n > 0 ? (double)window->ready_sum_ps / (double)n / (double)SL_PS_PER_US : (double)NAN,
        .negative_share = cell->window_shares.of[window->negative],
        .exposed_share = cell->window_shares.of[window->exposed],
    };
    found.latest_us = found.ready_us + found.slack.value;
    return found;
}
