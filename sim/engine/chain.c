/* The realized critical chain, walked back from the end of the run: each node's start equals the
 * free or finish time of the node behind it plus a lag.  A trial is walked once, and what it met is
 * kept for those that ask for links. */
#include "worker.h"

/* When `run` took over on the chain from the run before it. */
static inline int64_t begin_of(const struct sl_trial *t, uint32_t run)
{
    return t->state[run] == SL_RAN ? t->start_ps[run] : t->finish_ps[run];
}

enum sl_cause sl_trial_wait_cause(const struct sl_trial *trial, uint32_t run)
{
    const struct sl_trial *t = trial;
    /* A node that started when it was ready waited for an edge; capacity may be a stated one. */
    bool by_edge = t->behind_run[run] != SL_NONE &&
                   (t->cause[run] <= SL_CAUSE_LANE ||
                    (t->cause[run] == SL_CAUSE_CAPACITY && t->start_ps[run] == t->ready_ps[run]));
    return by_edge ? SL_CAUSE_LAG : (enum sl_cause)t->cause[run];
}

bool sl_chain_walk(const struct sl_trial *t, uint32_t *chain, uint32_t *count)
{
    int64_t at = t->makespan_ps;
    *count = 0;
    for (uint32_t run = t->last_run; run != SL_NONE;) {
        int64_t begin = begin_of(t, run), lag = t->lag_ps[run];
        if (*count == t->run_count || begin > at || lag < 0)
            return false;
        chain[(*count)++] = run;
        uint32_t behind = t->behind_run[run];
        at = begin - lag;
        if (behind != SL_NONE &&
            at != (t->behind_by_free[run] ? t->free_ps[behind] : t->finish_ps[behind]))
            return false;
        run = behind;
    }
    return at == 0 || !t->run_count;
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
    const struct sl_trial *t = trial;
    size_t count = 0;
    for (uint32_t k = t->chain_count; k-- > 0;) { /* the first run is the last that was met */
        struct sl_chain_place at = sl_trial_chain_place(t, k);
        uint32_t node = sl_trial_node(t, program->n, at.run);
        if (at.wait_ps && count < capacity)
            links[count++] = (struct sl_link){node,
                                              at.run,
                                              true,
                                              (uint8_t)sl_trial_wait_cause(t, at.run),
                                              at.begin_ps - at.wait_ps,
                                              at.begin_ps};
        if (at.ran && count < capacity)
            links[count++] =
                (struct sl_link){node, at.run, false, t->cause[at.run], at.begin_ps, at.end_ps};
    }
    return count;
}
