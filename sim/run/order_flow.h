/* Who hands what to whom in a schedule: units of resources and bytes go from the nodes that give
 * them back to nodes that take them later.  A partial-order schedule (Policella, Cesta, Oddi,
 * Smith, AI Communications 20, 2007): where each of these pairs is an edge, nothing ever waits for
 * a stock, whatever the durations, and no node starts later than in the schedule at the same
 * durations. */
#ifndef SL_ORDER_FLOW_H
#define SL_ORDER_FLOW_H
#include "order_model.h"

struct sl_order_pair {
    uint32_t from, to, stock;
};

struct sl_order_flow {
    uint32_t *sequence; /* nodes that run, in order of start; each behind all that it waits for */
    uint32_t sequence_count;
    /* Pairs that no path of the graph and of earlier pairs orders.  Missing are those whose units
     * come free before their node's latency has passed: an edge would wait for that. */
    struct sl_order_pair *pairs; /* malloc'ed */
    uint32_t pair_count, pair_capacity;
    struct sl_arena arena;
};

/* The flow of a schedule, given by the starts of the model's nodes, which fits the stocks; the
 * model's durations are the schedule's.  sl_order_flow_free in every case. */
enum sl_status sl_order_flow_find(struct sl_order_flow *flow, const struct sl_order_model *model,
                                  const int64_t *start_ps, struct sl_error *err) SL_NODISCARD;
void sl_order_flow_free(struct sl_order_flow *flow);
#endif
