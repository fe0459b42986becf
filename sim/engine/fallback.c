/* Fallbacks: a primary that misses its latest start, or whose guard fails, is cancelled; its
 * fallback then runs, and the primary's successors wait for the fallback instead. */
#include "evict.h"

/* The primary started, or was skipped without need: one reason less to run its fallback. */
void sl_fallback_primary_passed(struct sl_worker *w, uint32_t primary)
{
    uint32_t fallback = w->p->fallback[primary];
    if (--w->undecided[fallback] || w->activated[fallback])
        return;
    w->run[fallback].skip = RUN_SKIP;
    sl_instant_satisfy(w, fallback, w->now, CAUSE_DECISION, primary);
}

static uint32_t cancel(struct sl_worker *w, uint32_t node, bool by_guard);

/* Returns the last to be cancelled so far: the primary, or one of those called too late. */
static uint32_t activate(struct sl_worker *w, uint32_t fallback, uint32_t primary, bool by_guard)
{
    struct node_run *run = &w->run[fallback];
    int64_t release = w->p->graph->nodes[fallback].release_ps;
    int64_t latest = w->p->latest_start[fallback];
    w->activated[fallback] = true;
    /* A fallback that is called too late is cancelled at once: the next of the chain has to do.  A
     * failed guard calls it ahead of this instant's scan, in which it must not start. */
    if (latest < w->now)
        return cancel(w, fallback, false);
    if (latest != INT64_MAX)
        sl_instant_push(w, latest, EVENT_LATEST_START, fallback);
    bool tie = release > 0 && release == run->ready && run->cause > SL_CAUSE_RELEASE;
    if ((release > run->ready || tie) && !run->skip) {
        run->ready = release;
        run->cause = SL_CAUSE_RELEASE;
        run->behind = SL_NONE;
    }
    sl_instant_satisfy(w, fallback, w->now, by_guard ? SL_CAUSE_GUARD : SL_CAUSE_RELEASE, primary);
    return primary;
}

enum duty { DUTY_NOW /* lane order, and the way to the own fallback */, DUTY_HANDED_ON };

static void tell_successors(struct sl_worker *w, uint32_t node, enum duty duty, uint32_t behind)
{
    const struct node_hot *hot = &w->p->hot[node];
    for (uint32_t s = 0; s < hot->succ_count; s++) {
        uint32_t at = hot->succ_first + s;
        const struct succ *succ = &w->p->succ[at];
        bool now = succ->cause == SL_CAUSE_LANE || succ->to == w->p->fallback[node];
        if (now == (duty == DUTY_NOW))
            sl_instant_satisfy(w, succ->to, w->now + w->p->succ_lag[at], succ->cause, behind);
    }
}

/* `node` is done: so are all whose duty it took over, directly or through a cancelled fallback. */
static void deliver(struct sl_worker *w, uint32_t node, uint32_t behind)
{
    for (uint32_t heir = w->heir_first[node]; heir != SL_NONE; heir = w->heir_next[heir]) {
        tell_successors(w, heir, DUTY_HANDED_ON, behind);
        deliver(w, heir, behind);
    }
    w->heir_first[node] = SL_NONE;
}

void sl_fallback_deliver(struct sl_worker *w, uint32_t node)
{
    deliver(w, node, node);
}

/* Returns the last node that was cancelled with it. */
static uint32_t cancel(struct sl_worker *w, uint32_t node, bool by_guard)
{
    uint32_t fallback = w->p->fallback[node], last = node;
    if (!by_guard) {
        if (w->run[node].phase == PHASE_WAITING)
            sl_waiting_remove(w, node);
        if (w->evict)
            sl_evict_forgo(w, node);
        w->cause[node] = SL_CAUSE_RELEASE;
        w->behind[node] = SL_NONE;
        w->by_free[node] = 0;
        w->lag[node] = w->now;
    }
    w->state[node] = SL_CANCELLED;
    w->run[node].phase = PHASE_PASSED;
    w->finish[node] = w->now;
    w->passed++;
    w->scan_needed = true;
    if (w->p->hot[node].flags & NODE_ISSUE)
        sl_waiting_pass_issue(w, node);
    tell_successors(w, node, DUTY_NOW, node);
    w->undecided[fallback]--;
    if (!w->activated[fallback])
        last = activate(w, fallback, node, by_guard);
    /* The duty falls to the first of the chain that is not cancelled itself. */
    uint32_t taker = fallback;
    while (w->state[taker] == SL_CANCELLED)
        taker = w->p->fallback[taker];
    w->heir_next[node] = w->heir_first[taker];
    w->heir_first[taker] = node;
    if (w->run[taker].phase == PHASE_PASSED)
        deliver(w, taker, last);
    return last;
}

/* Cancels an unstarted node; with by_guard its record already says why. */
void sl_fallback_cancel(struct sl_worker *w, uint32_t node, bool by_guard)
{
    (void)cancel(w, node, by_guard);
}
