/* Threads that take turns: one goes on soon after another has become quiet, and that one stays
 * quiet meanwhile, as the thread of a backward pass does with the one that asked for it.  No trace
 * says so, so it is assumed.
 *
 * A thread is quiet between two starts or ends of its events that are far enough apart, unless it
 * is in a call, which may wait for a device. */
#include <config.h>

#include "trace_parts.h"
#include <stdlib.h>

static const int64_t quiet_ps = 100 * 1000 * INT64_C(1000);
/* What may lie between one becoming quiet and the other one going on. */
static const int64_t reach_ps = 2 * 1000 * 1000 * INT64_C(1000);

static bool is_host(const struct sl_timeline *t, uint32_t event)
{
    enum sl_event_kind kind = (enum sl_event_kind)t->kind[event];
    return t->lanes[t->lane[event]].kind == SL_LANE_THREAD &&
           (kind == SL_EVENT_CALL || kind == SL_EVENT_OPERATOR || kind == SL_EVENT_OTHER);
}

bool sl_trace_turns_make(struct sl_trace_turns *turns, const struct sl_timeline *t)
{
    turns->timeline = t;
    turns->threads = calloc(t->lane_count + 1u, sizeof *turns->threads);
    turns->lanes = malloc((t->lane_count + 1u) * sizeof *turns->lanes);
    turns->next = malloc((t->count + 1u) * sizeof *turns->next);
    uint32_t *first = malloc((t->lane_count + 1u) * sizeof *first);
    bool made = turns->threads && turns->lanes && turns->next && first;
    for (uint32_t lane = 0; made && lane < t->lane_count; lane++)
        first[lane] = SL_NONE;
    for (uint32_t i = t->count; made && i-- > 0;) {
        turns->next[i] = first[t->lane[i]];
        if (is_host(t, i))
            first[t->lane[i]] = i;
    }
    for (uint32_t lane = 0; made && lane < t->lane_count; lane++)
        if (first[lane] != SL_NONE)
            turns->lanes[turns->lane_count++] = lane;
    free(first);
    return made;
}

void sl_trace_turns_free(struct sl_trace_turns *turns)
{
    for (uint32_t lane = 0; turns->threads && lane < turns->timeline->lane_count; lane++)
        free(turns->threads[lane].open);
    free(turns->threads);
    free(turns->lanes);
    free(turns->next);
}

/* Closes what has ended by then. */
static void settle(struct sl_trace_thread *thread, int64_t now_ps)
{
    while (thread->open_count > 0 && thread->open[thread->open_count - 1].end_ps <= now_ps) {
        int64_t end_ps = thread->open[--thread->open_count].end_ps;
        thread->mark_ps = end_ps > thread->mark_ps ? end_ps : thread->mark_ps;
    }
}

static bool is_in_call(const struct sl_trace_thread *thread)
{
    return thread->open_count > 0 && thread->open[thread->open_count - 1].call;
}

/* Until when nothing of the thread starts or ends; INT64_MAX: any more. */
static int64_t quiet_until(const struct sl_trace_turns *turns, const struct sl_trace_thread *thread)
{
    uint32_t next = turns->next[thread->last];
    int64_t until_ps = next == SL_NONE ? INT64_MAX : turns->timeline->start_ps[next];
    if (thread->open_count > 0 && thread->open[thread->open_count - 1].end_ps < until_ps)
        until_ps = thread->open[thread->open_count - 1].end_ps;
    return until_ps;
}

/* The thread that became quiet last before `now_ps`, and is to stay so for a while. */
static struct sl_trace_turn find_other(struct sl_trace_turns *turns, uint32_t lane, int64_t now_ps)
{
    const struct sl_trace_thread *own = &turns->threads[lane];
    struct sl_trace_turn turn = {SL_NONE, own->begun ? own->mark_ps : now_ps, INT64_MIN};
    int64_t earliest_ps = now_ps - reach_ps;
    if (own->begun && own->mark_ps > earliest_ps)
        earliest_ps = own->mark_ps;
    for (uint32_t i = 0; i < turns->lane_count; i++) {
        struct sl_trace_thread *other = &turns->threads[turns->lanes[i]];
        if (turns->lanes[i] == lane || !other->begun)
            continue;
        settle(other, now_ps);
        if (is_in_call(other) || other->mark_ps < earliest_ps || other->mark_ps > now_ps ||
            other->mark_ps <= turn.since_ps || quiet_until(turns, other) - now_ps < quiet_ps)
            continue;
        turn.other = turns->lanes[i];
        turn.since_ps = other->mark_ps;
    }
    return turn;
}

bool sl_trace_turns_begin(struct sl_trace_turns *turns, uint32_t event, int64_t from_ps,
                          int64_t to_ps, struct sl_trace_turn *turn)
{
    const struct sl_timeline *t = turns->timeline;
    uint32_t lane = t->lane[event];
    struct sl_trace_thread *own = &turns->threads[lane];
    *turn = (struct sl_trace_turn){SL_NONE, from_ps, from_ps};
    settle(own, from_ps);
    bool quiet = !own->begun || (!is_in_call(own) && from_ps - own->mark_ps >= quiet_ps);
    if (quiet && turns->looks < SL_TRACE_MOST_LOOKS) {
        turns->looks += turns->lane_count;
        *turn = find_other(turns, lane, from_ps);
    }
    own->begun = true;
    own->mark_ps = from_ps;
    own->last = event;
    if (!sl_grow((void **)&own->open, &own->open_capacity, own->open_count + 1, sizeof *own->open))
        return false;
    own->open[own->open_count++] = (struct sl_trace_open){to_ps, t->kind[event] == SL_EVENT_CALL};
    return true;
}
