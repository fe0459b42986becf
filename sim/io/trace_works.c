/* Works of a trace as nodes: each stream is a lane, and one whose works overlap has several. */
#include <config.h>

#include "trace_parts.h"
#include "units.h"
#include <stdlib.h>

/* Lanes of one stream, at most; where more works run at once, the others are in no lane. */
enum { MOST_PARTS = 64 };

struct streams {
    uint32_t *first_lane, *parts; /* by lane of the timeline: its first lane, how many it has */
    uint32_t *done; /* by lane of the timeline: ends last of what no lane ends with any more */
    uint32_t *next_lane, *last; /* by lane of the graph: the stream's next lane; its last node */
    uint32_t next_capacity, last_capacity;
};

static uint32_t *indices(uint32_t count)
{
    uint32_t *items = malloc((count + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < count; i++)
        items[i] = SL_NONE;
    return items;
}

static bool streams_make(struct streams *s, uint32_t lanes)
{
    s->first_lane = indices(lanes);
    s->done = indices(lanes);
    s->parts = calloc(lanes + 1u, sizeof *s->parts);
    return s->first_lane && s->done && s->parts;
}

static void streams_free(struct streams *s)
{
    free(s->first_lane);
    free(s->parts);
    free(s->done);
    free(s->next_lane);
    free(s->last);
}

/* Links works to the calls that launched them, and waits to those that asked for them.  What was
 * launched before the scope and still runs in it is a backlog. */
static void link_events(struct sl_trace_builder *b)
{
    const struct sl_timeline *t = b->timeline;
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t call = t->cause[i];
        enum sl_event_kind kind = (enum sl_event_kind)t->kind[i];
        if (call != SL_NONE && (kind == SL_EVENT_STREAM_WAIT || kind == SL_EVENT_HOST_WAIT))
            b->wait_of[call] = i;
        if (!sl_event_on_gpu(kind))
            continue;
        int64_t from_ps = t->start_ps[call == SL_NONE ? i : call];
        if (from_ps < b->scope->from_ps && t->end_ps[i] > b->backlog_ps[t->lane[i]])
            b->backlog_ps[t->lane[i]] = t->end_ps[i];
        if (call != SL_NONE && sl_trace_in_scope(b->scope, from_ps)) {
            b->next_work[i] = b->first_work[call];
            b->first_work[call] = i;
        }
    }
}

static bool later(const struct sl_trace_builder *b, uint32_t node, uint32_t than)
{
    const struct sl_trace_node *nodes = b->graph->nodes;
    return than == SL_NONE || nodes[node].end_ps > nodes[than].end_ps;
}

/* A clock of ns stands in the record, or one of us. */
static int64_t tick_of(const struct sl_timeline *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->start_ps[i] % SL_PS_PER_US != 0 || t->end_ps[i] % SL_PS_PER_US != 0)
            return 1000;
    return SL_PS_PER_US;
}

/* Streams run in order: where `next` starts before `last` has ended by a tick of the record, or by
 * so little that it is small beside both, that is rounding. */
static bool touches(const struct sl_trace_builder *b, const struct sl_trace_node *last,
                    const struct sl_trace_node *next)
{
    int64_t overlap = last->end_ps - next->start_ps, last_ps = last->end_ps - last->start_ps;
    int64_t next_ps = next->end_ps - next->start_ps, least = last_ps < next_ps ? last_ps : next_ps;
    if (overlap <= 0 || next->end_ps < last->end_ps || next->start_ps <= last->start_ps)
        return false;
    return overlap <= b->tick_ps || (overlap <= SL_PS_PER_US && overlap <= least / 10);
}

/* Gives the node a lane of its stream that is free at its start, of several the one that became
 * free last, and finds the work before it. */
static enum sl_status choose_lane(struct sl_trace_builder *b, struct streams *s, uint32_t stream,
                                  struct sl_trace_node *node, uint32_t *before)
{
    struct sl_trace_node *nodes = b->graph->nodes;
    int64_t overlap = 0;
    *before = s->done[stream];
    for (uint32_t lane = s->first_lane[stream]; lane != SL_NONE; lane = s->next_lane[lane]) {
        uint32_t last = s->last[lane];
        if (touches(b, &nodes[last], node)) {
            sl_trace_doubt(b, SL_DOUBT_TOUCH, nodes[last].end_ps - node->start_ps);
            nodes[last].end_ps = node->start_ps;
        }
        if (nodes[last].end_ps > node->start_ps) {
            int64_t beyond = nodes[last].end_ps - node->start_ps;
            overlap = beyond > overlap ? beyond : overlap;
            continue;
        }
        if (node->lane == SL_NONE || nodes[last].end_ps > nodes[s->last[node->lane]].end_ps)
            node->lane = lane;
        if (later(b, last, *before))
            *before = last;
    }
    if (overlap > 0)
        sl_trace_doubt(b, SL_DOUBT_OVERLAP, overlap);
    if (node->lane != SL_NONE || s->parts[stream] >= MOST_PARTS)
        return SL_OK;
    enum sl_status status = sl_trace_add_lane(b, stream, s->parts[stream]++, &node->lane);
    if (status != SL_OK)
        return status;
    if (!sl_grow((void **)&s->next_lane, &s->next_capacity, node->lane + 1, sizeof *s->next_lane) ||
        !sl_grow((void **)&s->last, &s->last_capacity, node->lane + 1, sizeof *s->last))
        return sl_trace_no_memory(b->err);
    s->next_lane[node->lane] = s->first_lane[stream];
    s->first_lane[stream] = node->lane;
    s->last[node->lane] = SL_NONE;
    return SL_OK;
}

static enum sl_status add_work(struct sl_trace_builder *b, struct streams *s, uint32_t stream,
                               struct sl_trace_node *node)
{
    uint32_t before, index;
    enum sl_status status = choose_lane(b, s, stream, node, &before);
    if (status == SL_OK)
        status = sl_trace_add_node(b, node, &index);
    if (status != SL_OK)
        return status;
    b->before[index] = before;
    b->awaited[index] = SL_NONE;
    if (node->event != SL_NONE)
        b->node_of[node->event] = index;
    else
        b->last[stream] = index;
    if (node->lane == SL_NONE)
        return SL_OK;
    uint32_t replaced = s->last[node->lane];
    if (replaced != SL_NONE && later(b, replaced, s->done[stream]))
        s->done[stream] = replaced;
    s->last[node->lane] = index;
    return SL_OK;
}

static enum sl_status add_backlogs(struct sl_trace_builder *b, struct streams *s)
{
    enum sl_status status = SL_OK;
    for (uint32_t lane = 0; lane < b->timeline->lane_count && status == SL_OK; lane++) {
        struct sl_trace_node node = {b->scope->from_ps, b->backlog_ps[lane], SL_NONE,
                                     SL_NONE,           SL_TRACE_BACKLOG,    true};
        if (node.end_ps > node.start_ps)
            status = add_work(b, s, lane, &node);
    }
    return status;
}

static bool is_work(const struct sl_trace_builder *b, uint32_t event)
{
    const struct sl_timeline *t = b->timeline;
    uint32_t call = t->cause[event];
    return sl_event_on_gpu((enum sl_event_kind)t->kind[event]) &&
           sl_trace_in_scope(b->scope, t->start_ps[call == SL_NONE ? event : call]);
}

static enum sl_status add_works(struct sl_trace_builder *b, struct streams *s)
{
    const struct sl_timeline *t = b->timeline;
    enum sl_status status = add_backlogs(b, s);
    for (uint32_t i = 0; i < t->count && status == SL_OK; i++) {
        if (!is_work(b, i))
            continue;
        struct sl_trace_node node = {t->start_ps[i], t->end_ps[i],  i,
                                     SL_NONE,        SL_TRACE_WORK, false};
        status = add_work(b, s, t->lane[i], &node);
    }
    b->work_count = b->graph->node_count;
    return status;
}

/* Room for what is kept by node of a work. */
static bool make_columns(struct sl_trace_builder *b)
{
    uint64_t count = b->timeline->lane_count;
    for (uint32_t i = 0; i < b->timeline->count; i++)
        count += is_work(b, i);
    if (count > SL_TRACE_MOST_NODES)
        count = SL_TRACE_MOST_NODES; /* adding nodes stops there */
    b->before = indices((uint32_t)count);
    b->awaited = indices((uint32_t)count);
    b->told = calloc(count + 1, sizeof *b->told);
    return b->before && b->awaited && b->told;
}

enum sl_status sl_trace_works(struct sl_trace_builder *b)
{
    struct streams streams = {0};
    enum sl_status status = SL_OK;
    b->tick_ps = tick_of(b->timeline);
    link_events(b);
    if (!make_columns(b) || !streams_make(&streams, b->timeline->lane_count))
        status = sl_trace_no_memory(b->err);
    if (status == SL_OK)
        status = add_works(b, &streams);
    for (uint32_t lane = 0; status == SL_OK && lane < b->timeline->lane_count; lane++)
        b->graph->streams += streams.parts[lane] > 0;
    streams_free(&streams);
    return status;
}
