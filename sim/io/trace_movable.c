/* Finding the copies of a trace that works wait for, what they bring, and what becomes of edges. */
#include <config.h>

#include "audit.h"
#include "trace_movable.h"
#include <stdlib.h>
#include <string.h>

struct finder {
    struct sl_trace_movable *m;
    const struct sl_trace_graph *graph;
    const struct sl_trace_routes *routes;
    uint32_t edge; /* the first one that leads to the present node or a later one */
    /* By stream, which is a lane of the timeline: */
    uint32_t *first, *last; /* copies to the device that nothing read yet, the oldest first */
    uint32_t *computed;     /* its latest computation */
    uint32_t *synced;       /* the latest node of it that a thread waited for */
    uint32_t *next;         /* by node: of those copies */
    uint32_t *out_of;       /* by node of a copy to a device: the one from it that it brings back */
    uint32_t *writer;       /* by node of a copy from a device: the work before it */
    bool *behind;           /* by node of a copy to a device: one of its size left before */
    uint32_t *under;        /* by node of a copy from a device: of its size, the one before it */
    struct sl_names sizes;  /* "TO>FROM BYTES" */
    uint32_t *tops, tops_capacity; /* by index in sizes: the latest copy from the device */
};

static uint32_t stream_of(const struct sl_trace_graph *g, uint32_t node)
{
    return g->timeline->lane[g->nodes[node].event];
}

static bool is_work(const struct sl_trace_graph *g, uint32_t node)
{
    return g->nodes[node].role == SL_TRACE_WORK;
}

/* Of a copy between a device and a host's memory that a route can stand for; else NULL. */
static const struct sl_trace_route *route_of(const struct sl_trace_routes *routes,
                                             const struct sl_trace_graph *g, uint32_t node)
{
    const struct sl_trace_route *route =
        is_work(g, node) ? sl_trace_route_of(routes, g->timeline, g->nodes[node].event) : NULL;
    return route && route->bytes_per_s > 0 &&
                   (strcmp(route->class, "copy.h2d") == 0 || strcmp(route->class, "copy.d2h") == 0)
               ? route
               : NULL;
}

static bool goes_in(const struct sl_trace_route *route)
{
    return strcmp(route->class, "copy.h2d") == 0;
}

static bool add_buffer(struct finder *f, uint32_t copy)
{
    struct sl_trace_movable *m = f->m;
    const struct sl_trace_graph *g = f->graph;
    uint32_t out = f->out_of[copy];
    if (!sl_grow((void **)&m->buffers, &m->capacity, m->count + 1, sizeof *m->buffers))
        return false;
    m->buffer_of[copy] = m->count;
    if (out != SL_NONE)
        m->buffer_of[out] = m->count;
    m->pair_count += out != SL_NONE;
    m->behind += out == SL_NONE && f->behind[copy];
    m->unpinned += strcmp(route_of(f->routes, g, copy)->from, "pinned") != 0;
    m->buffers[m->count++] = (struct sl_trace_buffer){
        copy, out, out == SL_NONE ? SL_NONE : f->writer[out],
        g->timeline->bytes[g->nodes[copy].event], route_of(f->routes, g, copy)};
    return true;
}

static bool add_read(struct finder *f, uint32_t node, uint32_t copy)
{
    struct sl_trace_movable *m = f->m;
    if (!sl_grow((void **)&m->reads, &m->read_capacity, m->read_count + 1, sizeof *m->reads))
        return false;
    m->reads[m->read_count++] = (struct sl_keyed){node, m->buffer_of[copy]};
    return true;
}

/* The node reads what copies of the stream up to `until` brought and nothing read before. */
static bool read_stream(struct finder *f, uint32_t node, uint32_t stream, uint32_t until)
{
    while (f->first[stream] != SL_NONE && f->first[stream] <= until) {
        uint32_t copy = f->first[stream];
        f->first[stream] = f->next[copy];
        if (!add_buffer(f, copy) || !add_read(f, node, copy))
            return false;
    }
    return true;
}

/* A computation reads what it waited for. */
static bool take_computation(struct finder *f, uint32_t node)
{
    const struct sl_trace_graph *g = f->graph;
    uint32_t known = f->m->count;
    bool made = read_stream(f, node, stream_of(g, node), node);
    for (uint32_t k = f->edge; made && k < g->edge_count && g->edges[k].to == node; k++) {
        uint32_t from = g->edges[k].from;
        if (g->edges[k].reason != SL_REASON_STREAM_WAIT || !is_work(g, from))
            continue;
        made = read_stream(f, node, stream_of(g, from), from);
        uint32_t buffer = f->m->buffer_of[from];
        if (made && buffer < known && f->m->buffers[buffer].in == from)
            made = add_read(f, node, from); /* beside another one */
    }
    f->computed[stream_of(g, node)] = node;
    return made;
}

/* The stack of copies from a device by what they could come back as; NULL: out of memory. */
static uint32_t *find_top(struct finder *f, const char *away, const char *device, int64_t bytes)
{
    char key[2 * SL_TRACE_NAME + 24];
    snprintf(key, sizeof key, "%s>%s %lld", away, device, (long long)bytes);
    uint32_t known = f->sizes.count, index = sl_names_add(&f->sizes, key);
    if (index == SL_NONE ||
        !sl_grow((void **)&f->tops, &f->tops_capacity, index + 1, sizeof *f->tops))
        return NULL;
    if (index == known)
        f->tops[index] = SL_NONE;
    return &f->tops[index];
}

static bool take_out(struct finder *f, uint32_t node, const struct sl_trace_route *route)
{
    const struct sl_trace_graph *g = f->graph;
    uint32_t writer = f->computed[stream_of(g, node)];
    for (uint32_t k = f->edge; k < g->edge_count && g->edges[k].to == node; k++)
        if (g->edges[k].reason == SL_REASON_STREAM_WAIT && is_work(g, g->edges[k].from) &&
            g->timeline->kind[g->nodes[g->edges[k].from].event] != SL_EVENT_COPY)
            writer = g->edges[k].from;
    uint32_t *top = find_top(f, route->to, route->from, g->timeline->bytes[g->nodes[node].event]);
    if (!top || writer == SL_NONE)
        return top != NULL;
    f->writer[node] = writer;
    f->under[node] = *top;
    *top = node;
    return true;
}

/* A copy to a device waits for its reader, and may bring back what left. */
static bool take_in(struct finder *f, uint32_t node, const struct sl_trace_route *route)
{
    const struct sl_trace_graph *g = f->graph;
    uint32_t stream = stream_of(g, node);
    uint32_t *top = find_top(f, route->from, route->to, g->timeline->bytes[g->nodes[node].event]);
    if (!top)
        return false;
    f->behind[node] = *top != SL_NONE && g->nodes[*top].end_ps <= g->nodes[node].start_ps;
    if (f->m->both && f->behind[node]) {
        uint32_t out = *top, synced = f->synced[stream_of(g, out)];
        *top = f->under[out];
        if (synced == SL_NONE || synced < out) /* else a thread may have read it */
            f->out_of[node] = out;
    }
    f->next[node] = SL_NONE;
    *(f->first[stream] == SL_NONE ? &f->first[stream] : &f->next[f->last[stream]]) = node;
    f->last[stream] = node;
    return true;
}

/* A thread that waits for a stream or an event, not for all of a device, may read what it brought.
 */
static void note_waits(struct finder *f, uint32_t node)
{
    const struct sl_trace_graph *g = f->graph;
    const struct sl_timeline *t = g->timeline;
    if (f->edge >= g->edge_count || g->edges[f->edge].to != node ||
        g->nodes[node].event == SL_NONE ||
        sl_call_class_of(t->names.names[t->name[g->nodes[node].event]]) == SL_CALL_SYNC_DEVICE)
        return;
    for (uint32_t k = f->edge; k < g->edge_count && g->edges[k].to == node; k++) {
        uint32_t from = g->edges[k].from;
        if (!is_work(g, from))
            continue;
        uint32_t *synced = &f->synced[stream_of(g, from)];
        *synced = *synced == SL_NONE || from > *synced ? from : *synced;
    }
}

static bool find_all(struct finder *f)
{
    const struct sl_trace_graph *g = f->graph;
    bool made = true;
    for (uint32_t i = 0; made && i < g->node_count; i++) {
        const struct sl_trace_route *route = route_of(f->routes, g, i);
        if (route)
            made = goes_in(route) ? take_in(f, i, route) : take_out(f, i, route);
        else if (!is_work(g, i))
            note_waits(f, i);
        else if (g->timeline->kind[g->nodes[i].event] != SL_EVENT_COPY)
            made = take_computation(f, i);
        while (f->edge < g->edge_count && g->edges[f->edge].to == i)
            f->edge++;
    }
    return made;
}

static uint32_t *indices(uint32_t count)
{
    uint32_t *items = malloc((count + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < count; i++)
        items[i] = SL_NONE;
    return items;
}

static bool finder_make(struct finder *f)
{
    uint32_t nodes = f->graph->node_count, streams = f->graph->timeline->lane_count;
    f->m->buffer_of = indices(nodes);
    f->m->freed_ps = calloc(nodes + 1u, sizeof *f->m->freed_ps);
    f->first = indices(streams);
    f->last = indices(streams);
    f->computed = indices(streams);
    f->synced = indices(streams);
    f->next = indices(nodes);
    f->out_of = indices(nodes);
    f->writer = indices(nodes);
    f->under = indices(nodes);
    f->behind = calloc(nodes + 1u, sizeof *f->behind);
    return f->m->buffer_of && f->m->freed_ps && f->first && f->last && f->computed && f->synced &&
           f->next && f->out_of && f->writer && f->under && f->behind;
}

static void finder_free(struct finder *f)
{
    free(f->first);
    free(f->last);
    free(f->computed);
    free(f->synced);
    free(f->next);
    free(f->out_of);
    free(f->writer);
    free(f->under);
    free(f->behind);
    free(f->tops);
    sl_names_free(&f->sizes);
}

/* What is written, in the order of nodes, and which routes are used. */
static bool list_writes(struct sl_trace_movable *m, const struct sl_trace_routes *routes,
                        const struct sl_trace_graph *g)
{
    size_t room = m->pair_count + 1u;
    struct sl_keyed *scratch = malloc(room * sizeof *scratch);
    m->writes = malloc(room * sizeof *m->writes);
    bool made = scratch && m->writes;
    for (uint32_t i = 0; made && i < m->count; i++) {
        const struct sl_trace_buffer *buffer = &m->buffers[i];
        m->routes_used |= UINT64_C(1) << (buffer->route - routes->items);
        if (buffer->out == SL_NONE)
            continue;
        m->writes[m->write_count++] = (struct sl_keyed){buffer->writer, i};
        m->routes_used |= UINT64_C(1) << (route_of(routes, g, buffer->out) - routes->items);
    }
    if (made)
        sl_sort_keyed(m->writes, scratch, m->write_count);
    free(scratch);
    return made;
}

static void count_copies(struct sl_trace_movable *m, const struct sl_trace_graph *g)
{
    char from[SL_TRACE_NAME], to[SL_TRACE_NAME];
    for (uint32_t i = 0; i < g->node_count; i++) {
        int64_t length = g->nodes[i].end_ps - g->nodes[i].start_ps;
        if (m->buffer_of[i] != SL_NONE)
            m->moved_ps += length;
        if (!is_work(g, i) || m->buffer_of[i] != SL_NONE ||
            !sl_trace_is_move(g->timeline, g->nodes[i].event, from, to))
            continue;
        m->kept_ps += length;
        *(strncmp(to, "hbm", 3) == 0 ? &m->unread : &m->away) += 1;
    }
}

static void count_edges(struct sl_trace_movable *m, const struct sl_trace_graph *g)
{
    for (uint32_t i = 0; i < g->edge_count; i++) {
        const struct sl_trace_edge *edge = &g->edges[i];
        if (sl_trace_edge_from(m, edge) != SL_NONE)
            continue;
        m->dropped++;
        m->dropped_ps += edge->lag_ps;
        m->waits += edge->reason == SL_REASON_SYNC || edge->reason == SL_REASON_COPY;
    }
}

/* A call may hold its thread while its copy runs, to stage what lies in pageable memory.  Behind
 * the launch that is time of the thread; it is not, once a policy moves the bytes. */
static void free_threads(struct sl_trace_movable *m, const struct sl_trace_graph *g)
{
    for (uint32_t i = 0; i < g->edge_count; i++) {
        uint32_t copy = g->edges[i].to, launch = g->edges[i].from;
        if (g->edges[i].reason != SL_REASON_LAUNCH || sl_trace_stays(m, copy))
            continue;
        uint32_t next = m->moves.next[launch];
        int64_t until_ps = g->timeline->end_ps[g->nodes[launch].event] - g->origin_ps;
        if (until_ps > g->nodes[copy].end_ps)
            until_ps = g->nodes[copy].end_ps;
        if (next == SL_NONE || g->nodes[next].role != SL_TRACE_HOST ||
            until_ps <= g->nodes[next].start_ps)
            continue;
        if (until_ps > g->nodes[next].end_ps)
            until_ps = g->nodes[next].end_ps;
        m->freed_ps[next] = until_ps - g->nodes[next].start_ps;
        m->all_freed_ps += m->freed_ps[next];
        m->freed++;
    }
}

bool sl_trace_link_used(const struct sl_trace_movable *m, const struct sl_trace_routes *routes,
                        const struct sl_trace_route *route)
{
    for (uint32_t i = 0; i < routes->count; i++)
        if (sl_trace_route_used(m, i) && strcmp(routes->items[i].link, route->link) == 0)
            return true;
    return false;
}

uint32_t sl_trace_lane_before(const struct sl_trace_movable *m, uint32_t node)
{
    uint32_t before = m->moves.before[node];
    while (before != SL_NONE && !sl_trace_stays(m, before))
        before = m->moves.before[before];
    return before;
}

uint32_t sl_trace_edge_from(const struct sl_trace_movable *m, const struct sl_trace_edge *edge)
{
    if (!sl_trace_stays(m, edge->to))
        return SL_NONE;
    if (sl_trace_stays(m, edge->from))
        return edge->from;
    return edge->reason == SL_REASON_STREAM ? sl_trace_lane_before(m, edge->from) : SL_NONE;
}

enum sl_status sl_trace_movable_make(struct sl_trace_movable *m, const struct sl_trace_graph *graph,
                                     const struct sl_trace_routes *routes, bool both,
                                     struct sl_error *err)
{
    m->both = both;
    struct finder f = {.m = m, .graph = graph, .routes = routes};
    bool made = sl_trace_moves_make(&m->moves, graph) && finder_make(&f) && find_all(&f) &&
                list_writes(m, routes, graph);
    finder_free(&f);
    if (made) {
        count_copies(m, graph);
        count_edges(m, graph);
        free_threads(m, graph);
        made = sl_trace_movable_sizes(m, graph);
    }
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the buffers of the trace");
}

void sl_trace_movable_free(struct sl_trace_movable *m)
{
    free(m->buffers);
    free(m->buffer_of);
    free(m->freed_ps);
    free(m->reads);
    free(m->writes);
    sl_trace_moves_free(&m->moves);
    *m = (struct sl_trace_movable){0};
}
