/* Threads of a trace as nodes: calls that launch, wait or manage memory, and the host's time
 * between them.  The walk goes by time, so that it knows at each synchronisation what was launched
 * before. */
#include <config.h>

#include "trace_parts.h"
#include <stdlib.h>

/* A call returns sooner after what it waited for; else it waited for what nobody recorded. */
static const int64_t long_ps = 100 * 1000 * INT64_C(1000);

struct thread {
    bool begun;
    uint32_t lane;     /* of the graph; SL_NONE: it has no node yet */
    uint32_t last;     /* its last node */
    int64_t until_ps;  /* the end of that; before it, where the thread begins */
    int64_t active_ps; /* the end of all that it did so far */
};

struct walk {
    struct sl_trace_builder *b;
    struct thread *threads; /* by lane of the timeline */
    struct sl_trace_awaits awaits;
    struct sl_trace_turns turns;
};

static bool walk_make(struct walk *w)
{
    w->threads = calloc(w->b->timeline->lane_count + 1u, sizeof *w->threads);
    return w->threads && sl_trace_awaits_make(&w->awaits, w->b) &&
           sl_trace_turns_make(&w->turns, w->b->timeline);
}

static void walk_free(struct walk *w)
{
    free(w->threads);
    sl_trace_awaits_free(&w->awaits);
    sl_trace_turns_free(&w->turns);
}

static enum sl_status add_node(struct walk *w, uint32_t lane, enum sl_trace_role role,
                               uint32_t event, int64_t from_ps, int64_t to_ps, uint32_t *index)
{
    struct thread *thread = &w->threads[lane];
    struct sl_trace_node node = {from_ps, to_ps, event, SL_NONE, (uint8_t)role, false};
    enum sl_status status = SL_OK;
    if (thread->lane == SL_NONE) {
        node.released = true;
        w->b->graph->threads++;
        status = sl_trace_add_lane(w->b, lane, 0, &thread->lane);
    }
    node.lane = thread->lane;
    thread->until_ps = to_ps;
    if (status == SL_OK)
        status = sl_trace_add_node(w->b, &node, index);
    if (status == SL_OK)
        thread->last = *index;
    return status;
}

/* The thread's time up to `until_ps`, since its last node. */
static enum sl_status add_time(struct walk *w, uint32_t lane, int64_t until_ps)
{
    uint32_t index;
    int64_t from_ps = w->threads[lane].until_ps;
    return until_ps > from_ps ? add_node(w, lane, SL_TRACE_HOST, SL_NONE, from_ps, until_ps, &index)
                              : SL_OK;
}

static enum sl_status add_found(struct walk *w, uint32_t node, enum sl_trace_reason reason)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < w->awaits.found_count && status == SL_OK; i++)
        status = sl_trace_add_edge(
            w->b, &(struct sl_trace_edge){w->awaits.found[i], node, 0, 0, (uint8_t)reason});
    return status;
}

/* From when all that was found is done, but not before `from_ps`, the call is a node. */
static enum sl_status add_wait(struct walk *w, uint32_t call, int64_t from_ps,
                               enum sl_trace_reason reason)
{
    const struct sl_timeline *t = w->b->timeline;
    uint32_t node;
    for (uint32_t i = 0; i < w->awaits.found_count; i++) {
        int64_t end_ps = w->b->graph->nodes[w->awaits.found[i]].end_ps;
        from_ps = end_ps > from_ps ? end_ps : from_ps;
    }
    if (reason == SL_REASON_SYNC && t->end_ps[call] - from_ps > long_ps)
        sl_trace_doubt(w->b, SL_DOUBT_LONG_WAIT, t->end_ps[call] - from_ps);
    enum sl_status status =
        add_node(w, t->lane[call], SL_TRACE_WAIT, call, from_ps, t->end_ps[call], &node);
    return status == SL_OK ? add_found(w, node, reason) : status;
}

/* A copy from or to pageable memory, or by a call that says so, holds the host until it is done. */
static bool is_blocking(const struct sl_trace_builder *b, uint32_t call, uint32_t work)
{
    const struct sl_timeline *t = b->timeline;
    const struct sl_event_detail *detail = sl_trace_detail(t, work);
    if (t->kind[work] != SL_EVENT_COPY || t->end_ps[work] > t->end_ps[call] ||
        t->start_ps[work] < t->start_ps[call])
        return false;
    return b->call_class[t->name[call]] == SL_CALL_BLOCKING_COPY ||
           (detail && (detail->from == SL_MEMORY_PAGEABLE || detail->to == SL_MEMORY_PAGEABLE));
}

/* A launch is a node until its first work starts; what is left of the call is the host's time. */
static enum sl_status add_launch(struct walk *w, uint32_t call)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    int64_t start_ps = t->start_ps[call], until_ps = t->end_ps[call];
    enum sl_status status = SL_OK;
    w->awaits.found_count = 0;
    for (uint32_t i = b->first_work[call]; i != SL_NONE && status == SL_OK; i = b->next_work[i]) {
        if (t->start_ps[i] >= start_ps && t->start_ps[i] < until_ps)
            until_ps = t->start_ps[i];
        if (is_blocking(b, call, i))
            status = sl_trace_find_one(&w->awaits, b->node_of[i], t->end_ps[call]);
    }
    if (status == SL_OK)
        status = add_node(w, t->lane[call], SL_TRACE_LAUNCH, call, start_ps, until_ps,
                          &b->node_of[call]);
    for (uint32_t i = b->first_work[call]; i != SL_NONE && status == SL_OK; i = b->next_work[i])
        sl_trace_launched(&w->awaits, i);
    if (status == SL_OK && w->awaits.found_count > 0)
        status = add_wait(w, call, until_ps, SL_REASON_COPY);
    return status;
}

static enum sl_status take_call(struct walk *w, uint32_t call)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t lane = t->lane[call], node;
    enum sl_call_class class = (enum sl_call_class)b->call_class[t->name[call]];
    bool launches = b->first_work[call] != SL_NONE, waits = sl_trace_synchronises(b, call);
    bool manages = class == SL_CALL_ALLOC || class == SL_CALL_FREE || class == SL_CALL_MAP;
    enum sl_status status = t->correlation[call] >= 0
                                ? sl_trace_record_events(&w->awaits, t->correlation[call])
                                : SL_OK;
    if (status != SL_OK)
        return status;
    if (class == SL_CALL_STREAM_WAIT)
        sl_trace_order_streams(&w->awaits, call);
    if (!launches && !waits && !manages)
        return SL_OK;
    if (t->start_ps[call] < w->threads[lane].until_ps) {
        sl_trace_doubt(b, SL_DOUBT_NESTED, 0);
        for (uint32_t i = b->first_work[call]; i != SL_NONE; i = b->next_work[i])
            sl_trace_launched(&w->awaits, i);
        return SL_OK;
    }
    status = add_time(w, lane, t->start_ps[call]);
    if (status == SL_OK && launches)
        status = add_launch(w, call);
    else if (status == SL_OK && waits &&
             (status = sl_trace_find_awaited(&w->awaits, call)) == SL_OK)
        status = add_wait(w, call, t->start_ps[call], SL_REASON_SYNC);
    else if (status == SL_OK && manages)
        status = add_node(w, lane, SL_TRACE_CALL, call, t->start_ps[call], t->end_ps[call], &node);
    return status;
}

/* The part of an event that lies in the scope; false for none.  Calls are in it as a whole. */
static bool clip(const struct sl_trace_builder *b, uint32_t event, int64_t *from_ps, int64_t *to_ps)
{
    const struct sl_timeline *t = b->timeline;
    enum sl_event_kind kind = (enum sl_event_kind)t->kind[event];
    *from_ps = t->start_ps[event];
    *to_ps = t->end_ps[event];
    if (kind == SL_EVENT_CALL)
        return sl_trace_in_scope(b->scope, *from_ps);
    if (kind != SL_EVENT_OPERATOR && kind != SL_EVENT_OTHER && event != b->scope->range)
        return false;
    if (*from_ps < b->scope->from_ps)
        *from_ps = b->scope->from_ps;
    if (*to_ps > b->scope->to_ps)
        *to_ps = b->scope->to_ps;
    return *from_ps <= *to_ps && *from_ps < b->scope->to_ps;
}

/* The thread goes on because another one has become quiet: it waits for that one, and the time from
 * there to its next event is its own. */
static enum sl_status take_turn(struct walk *w, uint32_t lane, const struct sl_trace_turn *turn,
                                int64_t now_ps)
{
    const struct thread *own = &w->threads[lane], *other = &w->threads[turn->other];
    uint32_t node;
    if (own->lane != SL_NONE && own->until_ps > turn->quiet_ps)
        return SL_OK; /* within a call after all */
    enum sl_status status = add_time(w, turn->other, turn->since_ps);
    if (status != SL_OK || other->lane == SL_NONE || other->until_ps != turn->since_ps)
        return status;
    status = add_time(w, lane, turn->quiet_ps);
    if (status == SL_OK)
        status = add_node(w, lane, SL_TRACE_HOST, SL_NONE, turn->since_ps, now_ps, &node);
    if (status != SL_OK)
        return status;
    w->b->graph->nodes[node].released = false; /* even where it is the thread's first */
    sl_trace_doubt(w->b, SL_DOUBT_ASSUMED_TURN, 0);
    return sl_trace_add_edge(w->b,
                             &(struct sl_trace_edge){other->last, node, 0, 0, SL_REASON_THREAD});
}

static enum sl_status take_event(struct walk *w, uint32_t event)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t lane = t->lane[event];
    int64_t from_ps, to_ps;
    if (b->node_of[event] != SL_NONE && sl_event_on_gpu((enum sl_event_kind)t->kind[event]) &&
        t->cause[event] == SL_NONE)
        sl_trace_launched(&w->awaits, event); /* by nobody knows whom: known from its start on */
    if (t->lanes[lane].kind != SL_LANE_THREAD || !clip(b, event, &from_ps, &to_ps))
        return SL_OK;
    struct thread *thread = &w->threads[lane];
    struct sl_trace_turn turn;
    if (!thread->begun)
        *thread = (struct thread){true, SL_NONE, SL_NONE, from_ps, from_ps};
    if (to_ps > thread->active_ps)
        thread->active_ps = to_ps;
    enum sl_status status = SL_OK;
    if (event != b->scope->range) {
        if (!sl_trace_turns_begin(&w->turns, event, from_ps, to_ps, &turn))
            return sl_trace_no_memory(b->err);
        if (turn.other != SL_NONE)
            status = take_turn(w, lane, &turn, from_ps);
    }
    return status == SL_OK && t->kind[event] == SL_EVENT_CALL ? take_call(w, event) : status;
}

enum sl_status sl_trace_hosts(struct sl_trace_builder *b)
{
    struct walk w = {.b = b};
    enum sl_status status = walk_make(&w) ? SL_OK : sl_trace_no_memory(b->err);
    for (uint32_t i = 0; i < b->timeline->count && status == SL_OK; i++)
        status = take_event(&w, i);
    for (uint32_t lane = 0; lane < b->timeline->lane_count && status == SL_OK; lane++)
        if (w.threads[lane].begun)
            status = add_time(&w, lane, w.threads[lane].active_ps);
    walk_free(&w);
    return status;
}
