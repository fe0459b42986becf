/* A plan that follows a schedule: a copy of another plan with
 *
 *     edges        from a node to those that take over its units or bytes (order_flow.h): keep the
 *                  order and follow the run, whatever the durations
 *     delays       releases, where the schedule starts a node later than its predecessors allow
 *     clock        releases of all nodes at the schedule's starts: follow the clock
 *     priorities   nodes wait in the order in which the schedule starts them, on every resource
 *
 * Without priorities, resources in issue order serve in that order: the schedule has to keep it.
 * With edges a run at the schedule's durations ends no later than the schedule, and still does on a
 * machine with more servers, more bytes or shorter durations, if nothing contends.  With edges and
 * clock that holds for smaller kappas, too, by every rule under which fewer running nodes slow a
 * node no more: nothing starts earlier than it did, so that no time sees more running than before.
 * On random durations each form may be the best one: the engine is to judge. */
#ifndef SL_ORDER_INSERT_H
#define SL_ORDER_INSERT_H
#include "policy.h"

enum { SL_ORDER_EDGES = 1, SL_ORDER_DELAYS = 2, SL_ORDER_CLOCK = 4, SL_ORDER_PRIORITIES = 8 };

/* A schedule, by node: free is the finish less pipelined latency; -1: the node did not run.
 * Borrowed. */
struct sl_order_times {
    const int64_t *start_ps, *free_ps, *finish_ps;
};
/* The order that a trial realized; lasts until the worker's next trial. */
static inline struct sl_order_times sl_order_realized(const struct sl_trial *trial)
{
    return (struct sl_order_times){trial->start_ps, trial->free_ps, trial->finish_ps};
}

/* Makes *ordered from `plan`, which must outlive it, and whose nodes the times are of, though they
 * may be from another machine.  Its edit list goes on with what is inserted.  SL_NO: a node starts
 * before what it waits for, the graph is too large (sl_order_model_make), or edges and fallbacks
 * together form a cycle. */
enum sl_status sl_order_insert(struct sl_plan *ordered, const struct sl_plan *plan,
                               const struct sl_order_times *times, unsigned what,
                               struct sl_error *err) SL_NODISCARD;
#endif
