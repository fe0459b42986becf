/* The one schedule of a plan in which every draw is its mean: the order that a report, a hand-off
 * or a mapping speaks of when it needs one.  No trial need run so. */
#ifndef SL_MEAN_RUN_H
#define SL_MEAN_RUN_H
#include "engine.h"

/* By node of the graph, ps.  A node that was skipped has its instant as both; one that never got
 * there (a deadlock) has -1. */
struct sl_mean_run {
    int64_t *start_ps, *finish_ps;
    uint8_t *state;      /* enum sl_node_state */
    uint32_t *order;     /* nodes by start, then topological order; those at -1 last */
    int64_t makespan_ps; /* INT64_MAX: it deadlocks */
    struct sl_arena arena;
};

/* Runs the finished graph with isolated mean durations (the median where a mean is infinite) under
 * contention, factors at their means and regimes at 1, each guard as it is more often, holding at
 * 1/2.  sl_mean_run_free releases, after a failure too. */
enum sl_status sl_mean_run(struct sl_mean_run *run, const struct sl_graph *graph,
                           const struct sl_engine_options *options,
                           struct sl_error *err) SL_NODISCARD;
void sl_mean_run_free(struct sl_mean_run *run);
#endif
