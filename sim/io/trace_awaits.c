/* What calls of a trace wait for, and what works wait for beyond their stream.  Told of calls in
 * the order of time, so that it knows at each of them what was launched before. */
#include <config.h>

#include "keysort.h"
#include "trace_parts.h"
#include <stdlib.h>

/* Of all records on legacy default streams together. */
enum { MOST_MEMBERS = 8 * SL_TRACE_MOST_NODES };

static bool is_wait(const struct sl_timeline *t, uint32_t event)
{
    return t->kind[event] == SL_EVENT_STREAM_WAIT || t->kind[event] == SL_EVENT_HOST_WAIT;
}

static enum sl_status look(struct sl_trace_awaits *w, uint64_t more)
{
    w->looks += more;
    return w->looks <= SL_TRACE_MOST_LOOKS
               ? SL_OK
               : SL_FAIL(w->b->err, SL_INVALID,
                         "the trace synchronises too often with too many streams; import a part "
                         "of it (--step or --window)");
}

static bool ends_later(const struct sl_trace_builder *b, uint32_t node, uint32_t than)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    return node != SL_NONE && (than == SL_NONE || nodes[node].end_ps >= nodes[than].end_ps);
}

/* Lists the waits for recorded events.  One whose event was recorded before the scope waits for the
 * backlog. */
static bool list_records(struct sl_trace_awaits *w)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += is_wait(t, i);
    w->records = malloc((2 * (size_t)count + 1) * sizeof *w->records);
    w->sets = calloc(count + 1u, sizeof *w->sets);
    if (!w->records || !w->sets)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct sl_event_detail *detail = is_wait(t, i) ? sl_trace_detail(t, i) : NULL;
        if (!detail || detail->waited_correlation < 0 || detail->waited_lane < 0)
            continue;
        b->node_of[i] = b->last[detail->waited_lane];
        w->records[w->record_count++] = (struct sl_keyed){detail->waited_correlation, i};
    }
    sl_sort_keyed(w->records, w->records + count, w->record_count);
    return true;
}

bool sl_trace_awaits_make(struct sl_trace_awaits *w, struct sl_trace_builder *b)
{
    uint32_t lanes = b->timeline->lane_count;
    w->b = b;
    w->pending = malloc((lanes + 1u) * sizeof *w->pending);
    w->told = calloc(lanes + 1u, sizeof *w->told);
    w->streams = malloc((lanes + 1u) * sizeof *w->streams);
    bool *used = calloc(lanes + 1u, sizeof *used);
    bool made = w->pending && w->told && w->streams && used && list_records(w);
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

void sl_trace_awaits_free(struct sl_trace_awaits *w)
{
    free(w->pending);
    free(w->told);
    free(w->streams);
    free(w->records);
    free(w->sets);
    free(w->members);
    free(w->found);
}

void sl_trace_launched(struct sl_trace_awaits *w, uint32_t work)
{
    struct sl_trace_builder *b = w->b;
    uint32_t node = b->node_of[work], lane = b->timeline->lane[work];
    if (ends_later(b, node, b->last[lane]))
        b->last[lane] = node;
    uint32_t call = b->timeline->cause[work];
    if (call != SL_NONE) {
        b->told[node] = w->told[b->timeline->lane[call]];
        w->told[b->timeline->lane[call]] = false;
    }
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

/* What is on the legacy default stream follows what is on the blocking streams of its process. */
static bool precedes(const struct sl_timeline *t, uint32_t lane, uint32_t legacy)
{
    const struct sl_lane *own = &t->lanes[lane], *other = &t->lanes[legacy];
    return lane == legacy ||
           (own->stream_type == SL_STREAM_BLOCKING && own->process == other->process &&
            own->number >> 32 == other->number >> 32);
}

/* Lists the last nodes of what precedes the legacy stream now; *latest ends last of them. */
static enum sl_status gather(struct sl_trace_awaits *w, uint32_t legacy, struct sl_trace_set *set,
                             uint32_t *latest)
{
    const struct sl_trace_builder *b = w->b;
    enum sl_status status = look(w, w->stream_count);
    *set = (struct sl_trace_set){w->member_count, 0};
    for (uint32_t i = 0; i < w->stream_count && status == SL_OK; i++) {
        uint32_t node = b->last[w->streams[i]];
        if (node == SL_NONE || !precedes(b->timeline, w->streams[i], legacy))
            continue;
        if (w->member_count >= MOST_MEMBERS)
            return look(w, SL_TRACE_MOST_LOOKS);
        if (!sl_grow((void **)&w->members, &w->member_capacity, w->member_count + 1,
                     sizeof *w->members))
            return sl_trace_no_memory(b->err);
        w->members[w->member_count++] = node;
        set->count++;
        if (ends_later(b, node, *latest))
            *latest = node;
    }
    return status;
}

enum sl_status sl_trace_record_events(struct sl_trace_awaits *w, int64_t correlation)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    uint32_t first = sl_keyed_from(w->records, w->record_count, correlation);
    if (first >= w->record_count || w->records[first].key != correlation)
        return SL_OK;
    uint32_t lane = (uint32_t)sl_trace_detail(t, w->records[first].value)->waited_lane;
    uint32_t node = b->last[lane];
    enum sl_status status = t->lanes[lane].stream_type == SL_STREAM_LEGACY
                                ? gather(w, lane, &w->sets[first], &node)
                                : SL_OK;
    for (uint32_t at = first; at < w->record_count && w->records[at].key == correlation; at++) {
        uint32_t wait = w->records[at].value;
        bool same = (uint32_t)sl_trace_detail(t, wait)->waited_lane == lane;
        b->node_of[wait] = same ? node : b->last[sl_trace_detail(t, wait)->waited_lane];
    }
    return status;
}

/* What a wait of the host for a recorded event is for. */
static enum sl_status find_recorded(struct sl_trace_awaits *w, uint32_t wait, int64_t until_ps)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_event_detail *detail = sl_trace_detail(b->timeline, wait);
    uint32_t at = sl_keyed_from(w->records, w->record_count, detail->waited_correlation);
    bool legacy = b->timeline->lanes[detail->waited_lane].stream_type == SL_STREAM_LEGACY;
    struct sl_trace_set set = legacy ? w->sets[at] : (struct sl_trace_set){0, 0};
    if (set.count == 0)
        return sl_trace_find_one(w, b->node_of[wait], until_ps);
    enum sl_status status = look(w, set.count);
    for (uint32_t i = 0; i < set.count && status == SL_OK; i++)
        status = sl_trace_find_one(w, w->members[set.first + i], until_ps);
    return status;
}

enum sl_status sl_trace_find_one(struct sl_trace_awaits *w, uint32_t node, int64_t until_ps)
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

/* All streams of a device; of every device where the record names none (wait SL_NONE). */
static enum sl_status find_device(struct sl_trace_awaits *w, uint32_t wait, int64_t until_ps)
{
    struct sl_trace_builder *b = w->b;
    const struct sl_timeline *t = b->timeline;
    enum sl_status status = look(w, w->stream_count);
    for (uint32_t i = 0; i < w->stream_count && status == SL_OK; i++) {
        uint32_t lane = w->streams[i];
        if (wait == SL_NONE || t->lanes[lane].process == t->lanes[t->lane[wait]].process)
            status = sl_trace_find_one(w, b->last[lane], until_ps);
    }
    return status;
}

/* The record does not say which stream or event: the stream that was through last before the call
 * returned. */
static enum sl_status find_by_time(struct sl_trace_awaits *w, int64_t until_ps)
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
    return status == SL_OK ? sl_trace_find_one(w, best, until_ps) : status;
}

enum sl_status sl_trace_find_awaited(struct sl_trace_awaits *w, uint32_t call)
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
    const struct sl_event_detail *detail = sl_trace_detail(t, wait);
    const struct sl_lane *lane = &t->lanes[t->lane[wait]];
    if (detail && detail->waited_correlation >= 0 && detail->waited_lane >= 0)
        return find_recorded(w, wait, until_ps);
    if (lane->kind != SL_LANE_STREAM)
        return find_by_time(w, until_ps);
    return lane->number < 0 ? find_device(w, wait, until_ps)
                            : sl_trace_find_one(w, b->last[t->lane[wait]], until_ps);
}

void sl_trace_order_streams(struct sl_trace_awaits *w, uint32_t call)
{
    struct sl_trace_builder *b = w->b;
    uint32_t wait = b->wait_of[call];
    if (wait == SL_NONE || !sl_trace_detail(b->timeline, wait) ||
        sl_trace_detail(b->timeline, wait)->waited_lane < 0) {
        sl_trace_doubt(b, SL_DOUBT_BLIND_WAIT, 0);
        w->told[b->timeline->lane[call]] = true;
        return;
    }
    uint32_t *pending = &w->pending[b->timeline->lane[wait]];
    if (ends_later(b, b->node_of[wait], *pending))
        *pending = b->node_of[wait];
}

bool sl_trace_synchronises(const struct sl_trace_builder *b, uint32_t call)
{
    enum sl_call_class class = (enum sl_call_class)b->call_class[b->timeline->name[call]];
    uint32_t wait = b->wait_of[call];
    return (wait != SL_NONE && b->timeline->kind[wait] == SL_EVENT_HOST_WAIT) ||
           class == SL_CALL_SYNC_DEVICE || class == SL_CALL_SYNC_STREAM ||
           class == SL_CALL_SYNC_EVENT;
}
