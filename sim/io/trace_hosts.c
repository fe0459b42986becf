/* Threads of a trace as nodes: calls that launch, wait or manage memory, and the host's time
 * between them.  The walk goes by time, so that it knows at each synchronisation what was launched
 * before. */
#include <config.h>

#include "keysort.h"
#include "trace_parts.h"
#include <stdlib.h>

/* Steps of looking for what synchronisations wait for: a broken trace may bring any number of
 * streams and of calls. */
#define MOST_LOOKS (UINT64_C(1) << 30)

struct thread {
    bool begun;
    uint32_t lane;     /* of the graph; SL_NONE: it has no node yet */
    int64_t until_ps;  /* the end of its last node */
    int64_t active_ps; /* the end of all that it did so far */
};

struct walk {
    struct sl_trace_builder *b;
    struct thread *threads; /* by lane of the timeline */
    uint32_t *pending;      /* by lane: what its next work waits for (a node of another stream) */
    uint32_t *streams;      /* lanes that have works or a backlog */
    uint32_t stream_count;
    struct sl_keyed *records; /* waits, by the correlation of the call that recorded their event */
    uint32_t record_count;
    uint32_t *found; /* what a call waits for: nodes */
    uint32_t found_count, found_capacity;
    uint64_t looks;
};

static bool is_wait(const struct sl_timeline *t, uint32_t event)
{
    return t->kind[event] == SL_EVENT_STREAM_WAIT || t->kind[event] == SL_EVENT_HOST_WAIT;
}

static const struct sl_event_detail *detail_of(const struct sl_timeline *t, uint32_t event)
{
    return t->detail[event] == SL_NONE ? NULL : &t->details[t->detail[event]];
}

/* Lists the waits for recorded events.  One whose event was recorded before the scope waits for the
 * backlog. */
static bool list_records(struct walk *w)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += is_wait(t, i);
    w->records = malloc((2 * (size_t)count + 1) * sizeof *w->records);
    if (!w->records)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct sl_event_detail *detail = is_wait(t, i) ? detail_of(t, i) : NULL;
        if (!detail || detail->waited_correlation < 0 || detail->waited_lane < 0)
            continue;
        b->node_of[i] = b->last[detail->waited_lane];
        w->records[w->record_count++] = (struct sl_keyed){detail->waited_correlation, i};
    }
    sl_sort_keyed(w->records, w->records + count, w->record_count);
    return true;
}

static bool walk_make(struct walk *w)
{
    struct sl_trace_builder *b = w->b;
    uint32_t lanes = b->timeline->lane_count;
    w->threads = calloc(lanes + 1u, sizeof *w->threads);
    w->pending = malloc((lanes + 1u) * sizeof *w->pending);
    w->streams = malloc((lanes + 1u) * sizeof *w->streams);
    bool *used = calloc(lanes + 1u, sizeof *used);
    bool made = w->threads && w->pending && w->streams && used && list_records(w);
    for (uint32_t i = 0; made && i < b->graph->lane_count; i++)
        used[b->graph->lanes[i].of] = true;
    for (uint32_t lane = 0; made && lane < lanes; lane++) {
        w->pending[lane] = SL_NONE;
        if (used[lane])
            w->streams[w->stream_count++] = lane;
    }
    free(used);
    return made;
}

static void walk_free(struct walk *w)
{
    free(w->threads);
    free(w->pending);
    free(w->streams);
    free(w->records);
    free(w->found);
}

static bool ends_later(const struct sl_trace_builder *b, uint32_t node, uint32_t than)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    return node != SL_NONE && (than == SL_NONE || nodes[node].end_ps >= nodes[than].end_ps);
}

/* The work is launched: who synchronises with its stream from now on waits for it, and it waits
 * for what its stream was told to. */
static void launched(struct walk *w, uint32_t work)
{
    struct sl_trace_builder *b = w->b;
    uint32_t node = b->node_of[work], lane = b->timeline->lane[work];
    if (ends_later(b, node, b->last[lane]))
        b->last[lane] = node;
    uint32_t awaited = w->pending[lane];
    w->pending[lane] = SL_NONE;
    if (awaited == SL_NONE)
        return;
    if (b->graph->nodes[awaited].end_ps <= b->graph->nodes[node].start_ps)
        b->awaited[node] = awaited;
    else
        sl_trace_doubt(b, SL_DOUBT_EARLY_START,
                       b->graph->nodes[awaited].end_ps - b->graph->nodes[node].start_ps);
}

/* The call records events: waits for them wait for what their stream has at this time. */
static void record_events(struct walk *w, int64_t correlation)
{
    uint32_t low = 0, high = w->record_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->records[middle].key < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->record_count && w->records[low].key == correlation; low++) {
        uint32_t wait = w->records[low].value;
        w->b->node_of[wait] = w->b->last[detail_of(w->b->timeline, wait)->waited_lane];
    }
}

/* The call waits for the node, unless it returned before that one's end. */
static enum sl_status find_one(struct walk *w, uint32_t node, int64_t until_ps)
{
    if (node == SL_NONE)
        return SL_OK;
    int64_t end_ps = w->b->graph->nodes[node].end_ps;
    if (end_ps > until_ps) {
        sl_trace_doubt(w->b, SL_DOUBT_EARLY_RETURN, end_ps - until_ps);
        return SL_OK;
    }
    if (!sl_grow((void **)&w->found, &w->found_capacity, w->found_count + 1, sizeof *w->found))
        return sl_trace_no_memory(w->b->err);
    w->found[w->found_count++] = node;
    return SL_OK;
}

static enum sl_status look(struct walk *w, uint64_t more)
{
    w->looks += more;
    return w->looks <= MOST_LOOKS
               ? SL_OK
               : SL_FAIL(w->b->err, SL_INVALID,
                         "the trace synchronises too often with too many streams; import a part "
                         "of it (--step or --window)");
}

/* All streams of a device; of every device where the record names none (wait SL_NONE). */
static enum sl_status find_device(struct walk *w, uint32_t wait, int64_t until_ps)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    enum sl_status status = look(w, w->stream_count);
    for (uint32_t i = 0; i < w->stream_count && status == SL_OK; i++) {
        uint32_t lane = w->streams[i];
        if (wait == SL_NONE || t->lanes[lane].process == t->lanes[t->lane[wait]].process)
            status = find_one(w, b->last[lane], until_ps);
    }
    return status;
}

/* The record does not say which stream or event: the stream that was through last before the call
 * returned. */
static enum sl_status find_by_time(struct walk *w, int64_t until_ps)
{
    struct sl_trace_builder *b = w->b;
    uint32_t best = SL_NONE;
    enum sl_status status = look(w, w->stream_count);
    for (uint32_t i = 0; i < w->stream_count; i++) {
        uint32_t node = b->last[w->streams[i]];
        if (node != SL_NONE && b->graph->nodes[node].end_ps <= until_ps &&
            ends_later(b, node, best))
            best = node;
    }
    sl_trace_doubt(b, SL_DOUBT_ASSUMED_SYNC, 0);
    return status == SL_OK ? find_one(w, best, until_ps) : status;
}

/* Fills `found` with what a synchronising call waits for. */
static enum sl_status find_awaited(struct walk *w, uint32_t call)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t wait = b->wait_of[call];
    int64_t until_ps = t->end_ps[call];
    w->found_count = 0;
    if (wait == SL_NONE)
        return b->call_class[t->name[call]] == SL_CALL_SYNC_DEVICE
                   ? find_device(w, SL_NONE, until_ps)
                   : find_by_time(w, until_ps);
    const struct sl_event_detail *detail = detail_of(t, wait);
    const struct sl_lane *lane = &t->lanes[t->lane[wait]];
    if (detail && detail->waited_correlation >= 0 && detail->waited_lane >= 0)
        return find_one(w, b->node_of[wait], until_ps);
    if (lane->kind != SL_LANE_STREAM)
        return find_by_time(w, until_ps);
    return lane->number < 0 ? find_device(w, wait, until_ps)
                            : find_one(w, b->last[t->lane[wait]], until_ps);
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
    return status == SL_OK ? sl_trace_add_node(w->b, &node, index) : status;
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
    for (uint32_t i = 0; i < w->found_count && status == SL_OK; i++)
        status = sl_trace_add_edge(
            w->b, &(struct sl_trace_edge){w->found[i], node, 0, 0, (uint8_t)reason});
    return status;
}

/* From when all that was found is done, but not before `from_ps`, the call is a node. */
static enum sl_status add_wait(struct walk *w, uint32_t call, int64_t from_ps,
                               enum sl_trace_reason reason)
{
    const struct sl_timeline *t = w->b->timeline;
    uint32_t node;
    for (uint32_t i = 0; i < w->found_count; i++) {
        int64_t end_ps = w->b->graph->nodes[w->found[i]].end_ps;
        from_ps = end_ps > from_ps ? end_ps : from_ps;
    }
    enum sl_status status =
        add_node(w, t->lane[call], SL_TRACE_WAIT, call, from_ps, t->end_ps[call], &node);
    return status == SL_OK ? add_found(w, node, reason) : status;
}

/* A copy from or to pageable memory, or by a call that says so, holds the host until it is done. */
static bool is_blocking(const struct sl_trace_builder *b, uint32_t call, uint32_t work)
{
    const struct sl_timeline *t = b->timeline;
    const struct sl_event_detail *detail = detail_of(t, work);
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
    w->found_count = 0;
    for (uint32_t i = b->first_work[call]; i != SL_NONE && status == SL_OK; i = b->next_work[i]) {
        if (t->start_ps[i] >= start_ps && t->start_ps[i] < until_ps)
            until_ps = t->start_ps[i];
        if (is_blocking(b, call, i))
            status = find_one(w, b->node_of[i], t->end_ps[call]);
    }
    if (status == SL_OK)
        status = add_node(w, t->lane[call], SL_TRACE_LAUNCH, call, start_ps, until_ps,
                          &b->node_of[call]);
    for (uint32_t i = b->first_work[call]; i != SL_NONE && status == SL_OK; i = b->next_work[i])
        launched(w, i);
    if (status == SL_OK && w->found_count > 0)
        status = add_wait(w, call, until_ps, SL_REASON_COPY);
    return status;
}

/* The stream of the call waits, and with it the next work that is launched on it. */
static void order_streams(struct walk *w, uint32_t call)
{
    struct sl_trace_builder *b = w->b;
    uint32_t wait = b->wait_of[call];
    if (wait == SL_NONE || !detail_of(b->timeline, wait) ||
        detail_of(b->timeline, wait)->waited_lane < 0) {
        sl_trace_doubt(b, SL_DOUBT_BLIND_WAIT, 0);
        return;
    }
    uint32_t *pending = &w->pending[b->timeline->lane[wait]];
    if (ends_later(b, b->node_of[wait], *pending))
        *pending = b->node_of[wait];
}

static bool synchronises(const struct sl_trace_builder *b, uint32_t call)
{
    enum sl_call_class class = (enum sl_call_class)b->call_class[b->timeline->name[call]];
    uint32_t wait = b->wait_of[call];
    return (wait != SL_NONE && b->timeline->kind[wait] == SL_EVENT_HOST_WAIT) ||
           class == SL_CALL_SYNC_DEVICE || class == SL_CALL_SYNC_STREAM ||
           class == SL_CALL_SYNC_EVENT;
}

static enum sl_status take_call(struct walk *w, uint32_t call)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t lane = t->lane[call], node;
    enum sl_call_class class = (enum sl_call_class)b->call_class[t->name[call]];
    bool launches = b->first_work[call] != SL_NONE, waits = synchronises(b, call);
    bool manages = class == SL_CALL_ALLOC || class == SL_CALL_FREE || class == SL_CALL_MAP;
    if (t->correlation[call] >= 0)
        record_events(w, t->correlation[call]);
    if (class == SL_CALL_STREAM_WAIT)
        order_streams(w, call);
    if (!launches && !waits && !manages)
        return SL_OK;
    if (t->start_ps[call] < w->threads[lane].until_ps) {
        sl_trace_doubt(b, SL_DOUBT_NESTED, 0);
        for (uint32_t i = b->first_work[call]; i != SL_NONE; i = b->next_work[i])
            launched(w, i);
        return SL_OK;
    }
    enum sl_status status = add_time(w, lane, t->start_ps[call]);
    if (status == SL_OK && launches)
        status = add_launch(w, call);
    else if (status == SL_OK && waits && (status = find_awaited(w, call)) == SL_OK)
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

static enum sl_status take_event(struct walk *w, uint32_t event)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t lane = t->lane[event];
    int64_t from_ps, to_ps;
    if (b->node_of[event] != SL_NONE && sl_event_on_gpu((enum sl_event_kind)t->kind[event]) &&
        t->cause[event] == SL_NONE)
        launched(w, event); /* by nobody knows whom: known from its start on */
    if (t->lanes[lane].kind != SL_LANE_THREAD || !clip(b, event, &from_ps, &to_ps))
        return SL_OK;
    struct thread *thread = &w->threads[lane];
    if (!thread->begun)
        *thread = (struct thread){true, SL_NONE, from_ps, from_ps};
    if (to_ps > thread->active_ps)
        thread->active_ps = to_ps;
    return t->kind[event] == SL_EVENT_CALL ? take_call(w, event) : SL_OK;
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
