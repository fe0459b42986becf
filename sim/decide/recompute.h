/* A plan as the runtime that answered would run it: its inserted edges, queues, limits and
 * overheads put into the plan's graph, which is then simulated like any other. */
#ifndef SL_RECOMPUTE_H
#define SL_RECOMPUTE_H
#include "policy.h"
#include "reply.h"
#include "scenario.h"

/* Two nodes of a queue, one after the other, whose starts are the other way round in the plan. */
struct sl_order_swap {
    uint32_t queue, before, after; /* nodes, in the queue's order */
};

struct sl_recomputed {
    struct sl_plan plan; /* its graph reads from the original plan's, and from `platform` */
    struct sl_platform platform;
    uint32_t edges;        /* inserted, those of queues aside */
    uint32_t queue_edges;  /* from each node of a queue to the next */
    uint32_t overheads;    /* nodes whose duration grew */
    uint32_t unknown;      /* nodes whose overhead is not known: nothing is added */
    double overhead_us;    /* mean of all that was added to one run; NAN where any is unknown */
    uint32_t limits, kept; /* applied */
    /* Pairs of nodes of one queue, and those of them whose starts are the other way round in the
     * plan's run at means; equal starts are no swap.  The first swaps of neighbours are listed. */
    uint64_t pairs, inversions;
    struct sl_order_swap *swaps;
    uint32_t swap_count;
    struct sl_arena arena;
};
#define SL_SWAPS_KEPT 100

/* Applies the reply to a copy of the plan.
 *
 *     edges, queues   edges of the graph; a queue's nodes are ordered one after the other
 *     overheads       a node takes its own time and the overhead, drawn independently; its own draw
 *                     stays what it was, and so does the mean of a pipelined latency
 *     servers         of a resource; capacity and rounding of a domain
 *     uncancellable   the node has no deadline by which it is cancelled any more
 *
 * SL_NO, with the reason, where such a plan cannot run: the runtime says no, what it inserts makes
 * a cycle (named), a node demands more than there is, or bytes exceed the limit in whatever order.
 * sl_recomputed_free releases, after a failure too; the original plan must outlive it. */
enum sl_status sl_recompute(struct sl_recomputed *recomputed, const struct sl_plan *plan,
                            const struct sl_reply *reply, struct sl_error *err) SL_NODISCARD;
/* Runs the rules of `check` on the plan before and after: SL_NO, with its code and text, where one
 * finds an error that it did not find without the answer. */
enum sl_status sl_recomputed_check(const struct sl_recomputed *recomputed,
                                   const struct sl_plan *plan, const struct sl_scenario *scenario,
                                   struct sl_error *err) SL_NODISCARD;
void sl_recomputed_free(struct sl_recomputed *recomputed);
#endif
