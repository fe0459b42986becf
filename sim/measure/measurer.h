/* What the files of measure/ share: a graph repacked for one pass per trial. */
#ifndef SL_MEASURER_H
#define SL_MEASURER_H
#include "measure.h"

struct measured_user {
    uint32_t node, units;
};

struct measured_pred {
    uint32_t node;
    int64_t lag_ps;
};

struct measured_hold {
    int64_t start_ps;
    uint32_t node;
};

struct sl_measurer {
    const struct sl_graph *graph;
    /* Nodes that demand a resource: users[user_start[r] .. user_start[r + 1]). */
    uint32_t *user_start;
    struct measured_user *users;
    /* Predecessors, lane included, of the node at each place of the topological order. */
    uint32_t *pred_start;
    struct measured_pred *preds;
    int64_t *release_ps; /* by place in the topological order */
    bool *is_fallback; /* some node names it as its fallback */
    int64_t *done_ps;  /* by node: earliest possible finish */
    /* Holds of one resource by start; the order found in the last trial is where the next sort
     * begins, because trials resemble each other. */
    uint32_t order_of; /* resource, SL_NONE: none yet */
    uint32_t *order;   /* its users' nodes */
    struct measured_hold *holds, *scratch;
    size_t hold_capacity; /* of both: more than nodes where latent ones ran often */
    struct sl_arena arena;
};
#endif
