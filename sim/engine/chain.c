/* The realized critical chain, walked back from the end of the run: each node's start equals the
 * free or finish time of the node behind it plus a lag. */
#include "program.h"

/* The run that ended last, the first of them by index; SL_NONE when the trial did not end. */
static uint32_t last_run(const struct sl_trial *t)
{
    for (uint32_t i = 0; t->outcome == SL_DONE && i < t->run_count; i++)
        if (t->finish_ps[i] == t->makespan_ps)
            return i;
    return SL_NONE;
}

static uint8_t wait_cause(const struct sl_trial *t, uint32_t node)
{
    /* A node that started when it was ready waited for an edge; capacity may be a stated one. */
    bool by_edge = t->behind_run[node] != SL_NONE &&
                   (t->cause[node] <= SL_CAUSE_LANE ||
                    (t->cause[node] == SL_CAUSE_CAPACITY && t->start_ps[node] == t->ready_ps[node]));
    return by_edge ? SL_CAUSE_LAG : t->cause[node];
}

/* Walks from the end; fills `links` (may be NULL) with the latest first.  Returns false when a
 * link does not meet the next, so that their lengths would not sum to the makespan. */
static bool walk(const struct sl_program *p, const struct sl_trial *t, struct sl_link *links,
                 size_t capacity, size_t *count)
{
    uint32_t node = last_run(t);
    int64_t at = t->makespan_ps;
    *count = 0;
    for (uint32_t steps = 0; node != SL_NONE; steps++) {
        int64_t begin = t->state[node] == SL_RAN ? t->start_ps[node] : t->finish_ps[node];
        int64_t lag = t->lag_ps[node];
        if (steps > t->run_count || begin > at || lag < 0)
            return false;
        if (links && t->state[node] == SL_RAN && *count < capacity)
            links[(*count)++] = (struct sl_link){sl_trial_node(t, p->n, node), node, false,
                                                 t->cause[node], begin, at};
        if (links && lag && *count < capacity)
            links[(*count)++] =
                (struct sl_link){sl_trial_node(t, p->n, node), node, true, wait_cause(t, node),
                                 begin - lag, begin};
        uint32_t behind = t->behind_run[node];
        at = begin - lag;
        if (behind != SL_NONE &&
            at != (t->behind_by_free[node] ? t->free_ps[behind] : t->finish_ps[behind]))
            return false;
        node = behind;
    }
    return at == 0 || !p->n;
}

bool sl_chain_holds(const struct sl_program *p, const struct sl_trial *trial)
{
    size_t count;
    return walk(p, trial, NULL, 0, &count);
}

bool sl_trial_chain_room(struct sl_link **links, size_t *capacity, const struct sl_trial *trial,
                         struct sl_arena *arena)
{
    size_t most = 2 * (size_t)trial->run_count + 2;
    if (most <= *capacity)
        return true;
    most = most > 2 * *capacity ? most : 2 * *capacity;
    *links = sl_arena_array(arena, most, sizeof **links);
    *capacity = *links ? most : 0;
    return *links != NULL;
}

size_t sl_trial_chain(const struct sl_program *program, const struct sl_trial *trial,
                      struct sl_link *links, size_t capacity)
{
    size_t count;
    if (trial->outcome != SL_DONE)
        return 0;
    (void)walk(program, trial, links, capacity, &count);
    for (size_t i = 0; i < count / 2; i++) {
        struct sl_link last = links[count - 1 - i];
        links[count - 1 - i] = links[i];
        links[i] = last;
    }
    return count;
}
