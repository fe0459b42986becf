/* prefetch.when demand: a move begins when its consumer could start but for the object.
 *
 * It waits for the consumer's predecessors (edges with their lags, the node before it in its lane)
 * and, since recomputations for the same consumer run first, for those. */
#include "attempt.h"
#include <stdlib.h>

struct before {
    uint32_t *start, *edges; /* predecessors in CSR form */
    uint32_t *lane;          /* node before in the lane, SL_NONE */
};

/* Lane order is the order of the sequence: rows for the user's nodes, clones ahead of consumers. */
static bool find_lanes(const struct sl_attempt *a, uint32_t *previous)
{
    uint32_t lanes = a->graph->lane_names.count;
    uint32_t *last = malloc(((size_t)lanes + 1) * sizeof *last);
    if (!last)
        return false;
    for (uint32_t l = 0; l < lanes; l++)
        last[l] = SL_NONE;
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n]) {
        uint32_t lane = a->graph->nodes[n].lane;
        previous[n] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = n;
    }
    free(last);
    return true;
}

static enum sl_status wait_for_predecessors(struct sl_attempt *a, struct sl_move *move,
                                            const struct before *before)
{
    uint32_t consumer = move->consumer;
    enum sl_status status = SL_OK;
    for (uint32_t k = before->start[consumer]; k < before->start[consumer + 1] && !status; k++) {
        const struct sl_edge *edge = &a->graph->edges[before->edges[k]];
        status = sl_move_wait(a, move, edge->from.i, edge->lag_ps);
    }
    if (status == SL_OK && before->lane[consumer] != SL_NONE)
        status = sl_move_wait(a, move, before->lane[consumer], 0);
    for (uint32_t n = a->prev[consumer]; n != SL_NONE && status == SL_OK; n = a->prev[n]) {
        if (a->slot[n] != a->slot[consumer])
            break;
        status = sl_move_wait(a, move, n, 0);
    }
    return status;
}

static enum sl_status trigger(struct sl_attempt *a, const struct sl_part *self)
{
    struct before before = {.lane = malloc(((size_t)a->graph->node_count + 1) * sizeof(uint32_t))};
    enum sl_status status = SL_OK;
    if (!before.lane || !find_lanes(a, before.lane) ||
        !sl_graph_preds(a->graph, &before.start, &before.edges))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++)
        if (a->moves[m].rule->when == self)
            status = wait_for_predecessors(a, &a->moves[m], &before);
    free(before.start);
    free(before.edges);
    free(before.lane);
    return status;
}

const struct sl_part sl_prefetch_demand = {
    .role = "prefetch.when",
    .name = "demand",
    .description = "when the consumer could start but for the object",
    .parameters = "none",
    .example = "{action: offload, prefetch: demand}",
    .trigger = trigger,
};
