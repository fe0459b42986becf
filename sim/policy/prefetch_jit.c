/* prefetch.when jit: a move begins at the latest time at which it still arrives in time with the
 * given quantile of its duration.
 *
 * Deadlines D_i are the expected starts of the consumers (minus the margin), from a list schedule
 * at isolated means with recomputations and without movements.  On one engine, in order of
 * submission, with hold h_i and latency l_i at the quantile:
 *
 *     latest start  S_i = min(D_i - l_i, S_(i+1)) - h_i
 *
 * Over several routes the latest start of each hop is the deadline of the one before it, later by
 * what they overlap where their chunks are pipelined.
 *
 * A move is tied to the latest node on its consumer's resource whose expected finish F is at most
 * S_i: it begins at that node's finish plus the lag S_i - F, so that it follows the run and not the
 * clock.  Without such a node it waits for nothing.  The quantile of a duration is taken as the
 * product of the quantiles of the route's noise and of each factor: cautious where there are
 * several.
 *
 * A busy engine makes latest starts early.  Where the plan has no room for the object then, the
 * move waits for the node after which it has (see sl_room_find): a copy that comes early must not
 * keep what has to run before its consumer from its memory. */
#include "attempt.h"
#include <math.h>
#include <stdlib.h>

struct timing {
    double *start, *finish; /* expected, per node */
    uint32_t *order;
};

/* Quantile of a factor; of two levels, the larger one as soon as it is not too rare. */
static double factor_quantile(const struct sl_factor *factor, double q)
{
    if (!factor->is_regime)
        return sl_dist_quantile(factor->draw, q);
    double low = fmin(factor->level, 1.0), high = fmax(factor->level, 1.0);
    double share_of_low = factor->level < 1.0 ? factor->p : 1.0 - factor->p;
    return q <= share_of_low ? low : high;
}

static void duration_quantile(const struct sl_attempt *a, uint32_t hop, double q, double *hold,
                              double *latency)
{
    const struct sl_graph *graph = a->graph;
    const struct sl_node *node = &graph->nodes[hop];
    double product = node->dist ? sl_dist_quantile(node->dist, q) : 0.0;
    for (uint32_t f = 0; f < graph->factor_count; f++)
        if (sl_factor_applies(graph, &graph->factors[f], (sl_node_id){hop}))
            product *= factor_quantile(&graph->factors[f], q);
    *hold = sl_node_mean_scale(node) * product;
    *latency = node->latency_scale * product;
}

static enum sl_status anchor(struct sl_attempt *a, struct sl_move *move,
                             const struct timing *timing, double latest)
{
    const struct sl_graph *graph = a->graph;
    struct sl_span demands = graph->nodes[move->consumer].demands;
    if (demands.count == 0)
        return SL_OK;
    uint32_t resource = graph->demands[demands.first].resource;
    for (uint32_t n = a->prev[move->consumer]; n != SL_NONE; n = a->prev[n]) {
        const struct sl_node *node = &graph->nodes[n];
        if ((node->kind != SL_COMPUTE && node->kind != SL_REMATERIALIZATION) ||
            node->demands.count == 0 || timing->finish[n] > latest ||
            graph->demands[node->demands.first].resource != resource)
            continue;
        return sl_move_wait(a, move, n, llround(latest - timing->finish[n]));
    }
    return SL_OK;
}

/* The backward pass over the moves and, within each, its hops; next[engine] is S_(i+1). */
static enum sl_status time_moves(struct sl_attempt *a, const struct sl_part *self,
                                 const struct timing *timing, double *next)
{
    enum sl_status status = SL_OK;
    for (uint32_t m = a->move_count; m-- > 0 && status == SL_OK;) {
        struct sl_move *move = &a->moves[m];
        double latest = timing->start[move->consumer] - (double)move->rule->margin_ps;
        double next_hold = 0.0;
        for (uint32_t h = move->back->hops; h-- > 0;) {
            struct sl_span demands = a->graph->nodes[move->first + h].demands;
            uint32_t engine = a->graph->demands[demands.first].resource;
            double hold, latency;
            duration_quantile(a, move->first + h, move->rule->quantile, &hold, &latency);
            latest += sl_hop_overlap(a->facts, move->object, move->back, h, hold, next_hold);
            latest = next[engine] = fmin(latest - latency, next[engine]) - hold;
            next_hold = hold;
        }
        if (move->rule->when == self)
            status = anchor(a, move, timing, latest);
    }
    return status;
}

static enum sl_status expect(struct sl_attempt *a, struct timing *timing)
{
    size_t size = (size_t)a->graph->node_count + 1;
    uint32_t count = 0;
    timing->start = calloc(size, sizeof *timing->start);
    timing->finish = calloc(size, sizeof *timing->finish);
    timing->order = malloc(size * sizeof *timing->order);
    if (!timing->start || !timing->finish || !timing->order)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t n = a->head; n != SL_NONE; n = a->next[n])
        timing->order[count++] = n;
    return sl_schedule_expect(a->graph, timing->order, count, timing->start, timing->finish,
                              a->err);
}

static enum sl_status trigger(struct sl_attempt *a, const struct sl_part *self)
{
    bool any = false;
    for (uint32_t m = 0; m < a->move_count && !any; m++)
        any = a->moves[m].rule->when == self;
    if (!any)
        return SL_OK;
    struct timing timing = {0};
    uint32_t engines = a->facts->platform->resource_names.count;
    double *next = malloc(((size_t)engines + 1) * sizeof *next);
    enum sl_status status =
        next ? expect(a, &timing) : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t r = 0; r < engines && next; r++)
        next[r] = INFINITY;
    if (status == SL_OK)
        status = time_moves(a, self, &timing, next);
    free(next);
    free(timing.start);
    free(timing.finish);
    free(timing.order);
    return status;
}

static const struct sl_param params[] = {
    {"prefetch.quantile", SL_PARAM_NUMBER, offsetof(struct sl_rule, quantile), 0.0, 1.0, NULL},
    {"prefetch.margin", SL_PARAM_TIME, offsetof(struct sl_rule, margin_ps), 0.0, 0.0, NULL},
};

const struct sl_part sl_prefetch_jit = {
    .role = "prefetch.when",
    .waits_for_room = true,
    .needs_room = true,
    .name = "jit",
    .description = "at the latest start that meets the consumer's expected start",
    .parameters = "quantile=0.95 (between 0 and 1): of the transfer's time; margin=0us: extra time",
    .example = "{action: offload, prefetch: {when: jit, quantile: 0.99, margin: 1ms}}",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .trigger = trigger,
};
