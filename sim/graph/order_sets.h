/* Precedence within one iteration, for up to 64 questions at a time: one bit each, passed along the
 * topological order of a finished graph. */
#ifndef SL_ORDER_SETS_H
#define SL_ORDER_SETS_H
#include "graph.h"

struct sl_order_sets {
    const struct sl_graph *graph;
    uint32_t *lane_previous, *lane_next; /* per node, SL_NONE at the ends */
    uint32_t *position;                  /* of a node in topological order */
    /* Per node: what comes before it need not come before what comes after it.  Marked at opening:
     * nodes with a fallback, which are cancelled whatever they still wait for, and fallbacks, which
     * nothing waits for while they stand by. */
    bool *opaque;
    const bool *left_out; /* per edge: does not count; borrowed, NULL: all count */
    uint64_t *budget;     /* edges that may still be followed; borrowed */
};

bool sl_order_sets_open(struct sl_order_sets *sets, const struct sl_graph *graph, uint64_t *budget)
    SL_NODISCARD; /* false: out of memory; close it all the same */
void sl_order_sets_close(struct sl_order_sets *sets);

/* Every node within positions [first, last] of the topological order gets the bits of all nodes
 * before it (forward) or after it (backward) within them; an opaque one keeps its own.  `words` has
 * one word a node, 0 outside the positions.  False when the budget ran out: the words are then of
 * no use. */
bool sl_order_sets_forward(const struct sl_order_sets *sets, uint32_t first, uint32_t last,
                           uint64_t *words);
bool sl_order_sets_backward(const struct sl_order_sets *sets, uint32_t first, uint32_t last,
                            uint64_t *words);
#endif
