/* prefetch.when lookahead: a move begins k consumers ahead of its own.
 *
 * With c_0, c_1 ... the distinct nodes that end gaps, in plan order, a move for c_i waits for the
 * finish of c_(i-k-1): with k = 1 it may run while c_(i-1) runs.  For the first ones, where there
 * is no such node, it waits for the turning point: the last use before any gap, of those that come
 * before c_i in the plan. */
#include "attempt.h"
#include <stdlib.h>

/* Latest last use before a gap that the plan places before `consumer`; SL_NONE: there is none. */
static uint32_t turning_point(const struct sl_attempt *a, uint32_t consumer)
{
    uint32_t latest = SL_NONE;
    for (uint32_t m = 0; m < a->move_count; m++) {
        uint32_t before = a->moves[m].before;
        if (before != SL_NONE && a->label[before] < a->label[consumer] &&
            (latest == SL_NONE || a->label[before] > a->label[latest]))
            latest = before;
    }
    return latest;
}

static enum sl_status trigger(struct sl_attempt *a, const struct sl_part *self)
{
    uint32_t *consumers = malloc(((size_t)a->move_count + 1) * sizeof *consumers);
    uint32_t count = 0; /* distinct ones up to the current move: moves are in their order */
    enum sl_status status =
        consumers ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++) {
        struct sl_move *move = &a->moves[m];
        if (count == 0 || consumers[count - 1] != move->consumer)
            consumers[count++] = move->consumer;
        if (move->rule->when != self)
            continue;
        int64_t ahead = (int64_t)count - 1 - move->rule->lookahead - 1;
        uint32_t node = ahead >= 0 ? consumers[ahead] : turning_point(a, move->consumer);
        if (node != SL_NONE)
            status = sl_move_wait(a, move, node, 0);
    }
    free(consumers);
    return status;
}

static const struct sl_param params[] = {
    {"prefetch.lookahead", SL_PARAM_INTEGER, offsetof(struct sl_rule, lookahead), 0, 1e6},
};

const struct sl_part sl_prefetch_lookahead = {
    .role = "prefetch.when",
    .name = "lookahead",
    .description = "k consumers ahead: while the k-th consumer before its own runs",
    .parameters = "lookahead=1 (0 to 1000000): consumers ahead",
    .example = "{action: offload, prefetch: {when: lookahead, lookahead: 2}}",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .trigger = trigger,
};
