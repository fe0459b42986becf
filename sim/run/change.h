/* What-if changes: a copy of a graph and of its machine in which some things are scaled.
 *
 * A copy shares with its original what is read-only (names, distributions, the index of measured
 * sets) and owns what a change touches, so that cells that run on the original see nothing of it.
 * Nodes keep their keys: a changed run sees the draws of the original (common random numbers).
 * Every decision that the engine takes, and what it computes from means (latest starts, orders by
 * length or by critical path), is taken anew on the copy. */
#ifndef SL_CHANGE_H
#define SL_CHANGE_H
#include "scenario.h"

/* Factors, at least 0, 1 where nothing changes.  All hold at once: a transfer whose class and route
 * are both scaled is scaled by the product.
 *
 * classes     duration of the nodes of the class: the hold and the pipelined latency of a transfer
 * routes      the same of the nodes that move from the route's one end to its other
 * lags        lags of all edges of that type, those that planning added among them, to whole ps
 * kappas      a row of the table, a pair or a set; clipped to [1, SL_KAPPA_MAX].  What the table
 *             implies follows, as if the file said so: composed values, and the largest kappa, which
 *             stands for unknown pairs at the pessimistic corner
 * unknown     the number that the scenario states for pairs without a row; clipped alike
 * capacities  of a domain that declares one, to whole bytes; its reserve stays
 *
 * Releases, deadlines, API costs and the demands of the bandwidth rule stay. */
struct sl_change {
    double *classes; /* by class of the platform's kappa */
    double *routes;  /* by route of the platform */
    double lags[SL_EDGE_TYPES];
    double *kappas;     /* by row of the platform's kappa */
    double unknown;
    double *capacities; /* by domain */
    struct sl_arena arena;
};

/* A change of nothing yet.  sl_change_free releases, after a failure too. */
enum sl_status sl_change_init(struct sl_change *change, const struct sl_platform *platform,
                              struct sl_error *err) SL_NODISCARD;
void sl_change_reset(struct sl_change *change, const struct sl_platform *platform);
void sl_change_free(struct sl_change *change);

/* The graph points to the platform beside it, so that the struct must stay where it is. */
struct sl_changed {
    struct sl_graph *graph; /* finished */
    struct sl_platform platform;
    struct sl_arena arena;
};

/* The changed copy of a finished graph, a plan's or a scenario's, which must outlive it; the change
 * need not.  Routes of the copied platform are scaled too, by their own factor and their class's,
 * so that a policy that plans on a changed scenario moves at the changed speed; their overhead and
 * latency are whole ps.  SL_INVALID: a factor is negative or not finite, or a lag leaves the range
 * of time.  sl_changed_free releases, after a failure too. */
enum sl_status sl_changed_make(struct sl_changed *changed, const struct sl_graph *graph,
                               const struct sl_change *change, struct sl_error *err) SL_NODISCARD;
void sl_changed_free(struct sl_changed *changed);

/* `scenario` with the changed graph and platform, for sl_policy_plan.  A view: it borrows from both
 * and is not freed. */
struct sl_scenario sl_changed_scenario(const struct sl_scenario *scenario,
                                       const struct sl_changed *changed);
#endif
