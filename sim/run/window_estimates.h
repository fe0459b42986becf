/* What a cell's trials say about the window of a node.  Estimated when asked for, a node at a time:
 * for a graph of a million nodes they would take as much memory as the trials do. */
#ifndef SL_WINDOW_ESTIMATES_H
#define SL_WINDOW_ESTIMATES_H
#include "cell.h"
#include "tallies.h"

struct sl_window_estimates {
    double ready_us, latest_us;         /* means over the trials in which it ran; NAN: none */
    struct sl_estimate slack, slack_p5; /* mean and 5% quantile, us */
    struct sl_estimate negative_share, exposed_share; /* of the window trials */
};

/* What one estimate leaves to the next; begins as SL_WINDOW_SCRATCH. */
struct sl_window_scratch {
    double values[SL_TALLY_MOST_FIRST], smallest[SL_TALLY_MOST_FIRST];
    struct sl_quantile_ranks ranks;
    size_t ranks_of; /* number of values; SIZE_MAX: none yet */
};
#define SL_WINDOW_SCRATCH ((struct sl_window_scratch){.ranks_of = SIZE_MAX})

/* `node` of a finished cell that has windows. */
struct sl_window_estimates sl_window_estimates(const struct sl_cell *cell, uint32_t node,
                                               struct sl_window_scratch *scratch);
/* The mean slack alone. */
struct sl_estimate sl_window_slack(const struct sl_cell *cell, uint32_t node,
                                   struct sl_window_scratch *scratch);
#endif
