/* Looks for a short schedule of a finished graph: which node goes before which on a resource or for
 * bytes, and which start is better delayed.  The engine starts whatever can start, so that on its
 * own it never leaves a server idle for a node that is about to come; see order_insert.h for how a
 * plan is made to follow a schedule.
 *
 * A genetic search over lists for the serial scheme (Hartmann, Naval Research Logistics 45, 1998)
 * with forward-backward improvement of each (Valls, Ballestin, Quintanilla, EJOR 165, 2005), at
 * given durations: what it finds has to be judged by the engine. */
#ifndef SL_ORDER_SEARCH_H
#define SL_ORDER_SEARCH_H
#include "order_model.h"

struct sl_order_options {
    const struct sl_order_durations *durations; /* NULL: isolated means */
    const int64_t *start_ps; /* by node: a schedule to begin with, such as a trial's; NULL: none.
                              * Negative: the node did not run in it */
    bool keep_issue;         /* resources in issue order serve in that order */
    uint32_t schedules;      /* budget: schedules that are built at most, at least 1 */
    uint64_t seed;
    /* Called about every hundred schedules; false stops with the best so far.  NULL: none. */
    bool (*progress)(void *user, uint32_t schedules, int64_t makespan_ps);
    void *user;
};

/* The schedule with the least tardiness, and of those the shortest that was met. */
struct sl_order_schedule {
    /* By node; -1 for fallbacks, which are idle. */
    int64_t *start_ps, *free_ps, *finish_ps;
    int64_t makespan_ps;
    int64_t tardiness_ps; /* sum over the nodes that finish beyond their deadlines */
    int64_t bound_ps;     /* no schedule at these durations has a shorter makespan */
    uint32_t schedules;   /* built */
};

/* The same schedule at every call with the same graph and options.  Ends early at a makespan equal
 * to the bound, without tardiness.  SL_NO: the graph is too large, or no schedule was met whose
 * bytes fit.  sl_order_free in every case. */
enum sl_status sl_order_search(struct sl_order_schedule *order, const struct sl_graph *graph,
                               const struct sl_order_options *options,
                               struct sl_error *err) SL_NODISCARD;
void sl_order_schedule_free(struct sl_order_schedule *order);
#endif
