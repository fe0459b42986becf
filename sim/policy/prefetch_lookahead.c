/* prefetch.when lookahead: a move begins k consumers ahead of its own.
 *
 * Consumers c_0, c_1 ... are the distinct nodes that end the longest gap of some object, whether it
 * is moved or not, or that wait for a move, in plan order: so k means the same whatever is
 * selected. A move for c_i waits for the finish of c_(i-k-1): with k = 1 it may run while c_(i-1)
 * runs.  For the first ones, where there is no such node, it waits for the turning point: the
 * latest last use before any such gap that comes before c_i in the plan. */
#include "attempt.h"
#include <stdlib.h>

struct ends {
    uint32_t *labels, *nodes; /* of consumers, by label; distinct */
    uint32_t count;
};

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Labels are distinct among consumers, so that sorting them sorts the consumers. */
static bool gather(const struct sl_attempt *a, struct ends *ends)
{
    const struct sl_facts *facts = a->facts;
    size_t room = (size_t)facts->object_count + a->move_count + 1;
    uint32_t *node_at = malloc(((size_t)a->graph->node_count + 1) * sizeof *node_at);
    ends->labels = malloc(room * sizeof *ends->labels);
    ends->nodes = malloc(room * sizeof *ends->nodes);
    bool ok = node_at && ends->labels && ends->nodes;
    uint32_t count = 0;
    for (uint32_t o = 0; ok && o < facts->object_count; o++)
        if (sl_facts_has_gap(facts, o))
            ends->labels[count++] = a->label[sl_facts_longest(facts, o)->after];
    for (uint32_t m = 0; ok && m < a->move_count; m++)
        ends->labels[count++] = a->label[a->moves[m].consumer];
    for (uint32_t n = a->head; ok && n != SL_NONE; n = a->next[n])
        node_at[a->label[n]] = n;
    if (ok && count > 0)
        qsort(ends->labels, count, sizeof *ends->labels, compare);
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t label = ends->labels[i];
        if (ends->count > 0 && ends->labels[ends->count - 1] == label)
            continue;
        ends->nodes[ends->count] = node_at[label];
        ends->labels[ends->count++] = label;
    }
    free(node_at);
    return ok;
}

/* The latest last use before a gap that the plan places before `consumer`; SL_NONE: none. */
static uint32_t turning_point(const struct sl_attempt *a, uint32_t consumer)
{
    const struct sl_facts *facts = a->facts;
    uint32_t latest = SL_NONE;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        if (!sl_facts_has_gap(facts, o))
            continue;
        uint32_t before = sl_facts_longest(facts, o)->before;
        if (a->label[before] < a->label[consumer] &&
            (latest == SL_NONE || a->label[before] > a->label[latest]))
            latest = before;
    }
    return latest;
}

static enum sl_status trigger(struct sl_attempt *a, const struct sl_part *self)
{
    struct ends ends = {0};
    enum sl_status status =
        gather(a, &ends) ? SL_OK : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    uint32_t at = 0; /* the current move's consumer: moves are in their order */
    for (uint32_t m = 0; m < a->move_count && status == SL_OK; m++) {
        struct sl_move *move = &a->moves[m];
        while (ends.labels[at] < a->label[move->consumer])
            at++;
        if (move->rule->when != self)
            continue;
        int64_t ahead = (int64_t)at - move->rule->lookahead - 1;
        uint32_t node = ahead >= 0 ? ends.nodes[ahead] : turning_point(a, move->consumer);
        if (node != SL_NONE)
            status = sl_move_wait(a, move, node, 0);
    }
    free(ends.labels);
    free(ends.nodes);
    return status;
}

static const struct sl_param params[] = {
    {"prefetch.lookahead", SL_PARAM_INTEGER, offsetof(struct sl_rule, lookahead), 0, 1e6, NULL},
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
