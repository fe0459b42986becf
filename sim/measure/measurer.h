/* What the files of measure/ share: a graph repacked for one pass per trial. */
#ifndef SL_MEASURER_H
#define SL_MEASURER_H
#include "measure.h"

struct measured_user {
    uint32_t node, units;
};

/* done[k] = max(done[a], done[b]) + weight[w]: a path's length takes no branch. */
struct path_step {
    uint32_t a, b, weight;
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
    bool *same_units; /* by resource: all of its users demand as many */
    /* The longest path in topological order: a step for each node, before it one for each lag and
     * for each predecessor (lane included) beyond two.
     *
     *     done_ps:   0 | releases | steps          weight_ps:   nodes | 0 | lags */
    struct path_step *steps;
    uint32_t *step_node;    /* whose step it is; SL_NONE: part of another's */
    uint32_t *release_node; /* by release: whose it is */
    uint32_t step_count, release_count;
    int64_t *done_ps, *weight_ps;
    bool *is_fallback; /* some node names it as its fallback */
    /* Holds of one resource by start; the order found in the last trial is where the next sort
     * begins, because trials resemble each other. */
    uint32_t order_of; /* resource, SL_NONE: none yet */
    uint32_t *order;   /* its users' nodes */
    struct measured_hold *holds, *scratch;
    size_t hold_capacity; /* of both: more than nodes where latent ones ran often */
    struct sl_arena arena;
};
#endif
