/* Waits of a plan as a runtime runs it, counted from readiness in the plan's own graph.
 *
 * The engine counts a wait from the last condition of a node, and what a runtime inserts is one of
 * them: who waits for an inserted edge is not ready yet, and would never seem to wait.  Here the
 * conditions of the plan before the answer make a node ready, at the times of the run with it:
 *
 *     wait_i = start_i - max(release_i, max over own predecessors j of end_j + lag_ji) */
#ifndef SL_OWN_WAITS_H
#define SL_OWN_WAITS_H
#include "cell.h"
#include "reply.h"

struct sl_own_wait {
    uint32_t node, trial; /* node SL_NONE: nobody waited */
    int64_t wait_ps;
    int64_t inserted_ps; /* of it: until the last inserted edge let the node go; the rest came after
                          * that, for `cause` */
    uint32_t edge, queue; /* that edge: a place in the reply's edges, or of a queue; SL_NONE */
    uint32_t before;      /* the node that it waited for there; SL_NONE */
    enum sl_cause cause;
};
struct sl_own_waits {
    struct sl_own_wait longest; /* of equal ones that of the smallest trial, then node */
    uint64_t starved;           /* waits beyond the bound, over all trials */
};

/* Runs the trials of a finished cell of the recomputed plan again, on its seed.  `own` is the plan
 * before the answer, with the same nodes; bound_ps < 0: none is declared. */
enum sl_status sl_own_waits_find(struct sl_own_waits *found, const struct sl_cell *cell,
                                 const struct sl_graph *own, const struct sl_reply *reply,
                                 uint64_t seed, struct sl_pool *pool,
                                 struct sl_error *err) SL_NODISCARD;

/* What makes nodes of a graph ready. */
struct sl_own_conditions {
    const struct sl_graph *graph; /* finished */
    uint32_t *lane_before;        /* by node; SL_NONE */
    bool *is_fallback;            /* by node */
};
bool sl_own_conditions_init(struct sl_own_conditions *own, const struct sl_graph *graph,
                            struct sl_arena *arena) SL_NODISCARD; /* false: out of memory */
/* When the node, which ran in the trial, was ready by these alone.  Of a plan to which nothing is
 * added this is the engine's own readiness. */
int64_t sl_own_readiness(const struct sl_own_conditions *own, const struct sl_trial *trial,
                         uint32_t node);
#endif
