/* The plans that a search answers with, estimated anew: as cells of full size, on the seed of the
 * results, which the search did not look at. */
#ifndef SL_SEARCH_FINALS_H
#define SL_SEARCH_FINALS_H
#include "contest.h"
#include "search.h"

#define SL_FINALS 17 /* at most: of a Pareto set, and a policy to compare with */

struct sl_final {
    const char *name;                  /* a policy's own, or one that the search gave */
    const struct sl_search_plan *plan; /* in the result */
    struct sl_cell cell;
};

/* Zero-initialise; sl_finals_free releases. */
struct sl_finals {
    struct sl_arena arena;
    struct sl_final items[SL_FINALS];
    uint32_t count;
    uint32_t runner_up,
        named; /* in `items`, where the winner is the first; SL_NONE: there is none */
    struct sl_contest contest; /* all of them, and the winner against each other one */
    /* The winner's table with the order and the starts of its median trial, for a search on another
     * machine to begin with (order_insert.h); NULL: it cannot be told. */
    const struct sl_tuning *in_order;
    /* Lower bounds on every plan, by trial: the longest path and the largest load of the work that
     * none can do without, with unlimited memory.  us, by measure (tail, median, mean); NAN where
     * the plan of that work does not run, or trials are too few. */
    struct sl_estimate bounds[SL_MEASURE_MEAN + 1];
    bool bound_broken; /* a plan here is below them: a defect, and none is told */
};

/* Runs the winner, the runner-up (where no order is stated: the whole set) and the best policy of
 * the scenario; `result` must outlive the finals. */
enum sl_status sl_finals_run(struct sl_finals *finals, const struct sl_search_result *result,
                             struct sl_scenario *scenario, const struct sl_run_options *options,
                             struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_finals_free(struct sl_finals *finals);
#endif
