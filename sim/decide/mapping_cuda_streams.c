/* Streams and events: which stream runs which nodes in which order, what is kept apart, and how
 * many events that takes.
 *
 * A stream runs what is submitted to it in that order, one after the other, and nothing passes its
 * head (CUDA C++ Programming Guide, "Streams").  Work of different streams is ordered by an event
 * recorded in one and waited for in the other ("Events", cudaStreamWaitEvent). */
#include <config.h>

#include "class_groups.h"
#include "mapping_cuda.h"
#include <stdlib.h>

/* Connections between host and device at most; streams beyond them share one, and wait for each
 * other without need (CUDA C++ Programming Guide, "CUDA Environment Variables":
 * CUDA_DEVICE_MAX_CONNECTIONS, 1 to 32). */
enum { MOST_CONNECTIONS = 32 };
/* Edges that keep one pair of classes or nodes apart, at most. */
enum { MOST_APART = 200000 };

static uint32_t new_stream(struct cuda_mapping *m, const char *name, uint32_t resource)
{
    struct cuda_stream *streams = m->streams;
    if (m->stream_count == m->stream_capacity) { /* the arena has no realloc; there are few */
        uint32_t capacity = 2 * m->stream_capacity + 8;
        streams = sl_arena_array(&m->arena, capacity, sizeof *streams);
        if (!streams) {
            m->failed = true;
            return SL_NONE;
        }
        for (uint32_t s = 0; s < m->stream_count; s++)
            streams[s] = m->streams[s];
        m->streams = streams;
        m->stream_capacity = capacity;
    }
    streams[m->stream_count] =
        (struct cuda_stream){.name = name, .resource = resource, .last = SL_NONE};
    return m->stream_count++;
}

/* The place where a node's first resource works; CUDA_HOST without one. */
static enum cuda_place place_of(const struct cuda_mapping *m, const struct sl_node *node)
{
    return node->demands.count == 0 ? CUDA_HOST
                                    : m->places[m->graph->demands[node->demands.first].resource];
}

/* One stream for each direction of copies; of kernels the first that is free at means. */
static uint32_t stream_of_resource(struct cuda_mapping *m, uint32_t node)
{
    const struct sl_names *names = &m->graph->platform->resource_names;
    uint32_t resource = m->graph->demands[m->graph->nodes[node].demands.first].resource,
             free = SL_NONE;
    uint32_t count = 0;
    for (uint32_t s = 0; s < m->stream_count; s++) {
        if (m->streams[s].resource != resource)
            continue;
        count++;
        if (m->places[resource] == CUDA_COPIES ||
            (free == SL_NONE && m->streams[s].free_ps <= m->mean.start_ps[node]))
            free = free == SL_NONE ? s : free;
    }
    if (free != SL_NONE)
        return free;
    if (m->stream_count >= MOST_CONNECTIONS && count > 0) { /* shared: the one that is free first */
        for (uint32_t s = 0; s < m->stream_count; s++)
            if (m->streams[s].resource == resource &&
                (free == SL_NONE || m->streams[s].free_ps < m->streams[free].free_ps))
                free = s;
        return free;
    }
    return new_stream(m, CUDA_TEXT(m, "stream %s.%u", names->names[resource], (unsigned)count),
                      resource);
}

static uint32_t choose_stream(struct cuda_mapping *m, uint32_t node, uint32_t *of_lane)
{
    const struct sl_node *what = &m->graph->nodes[node];
    if (place_of(m, what) == CUDA_HOST)
        return SL_NONE;
    if (what->lane == SL_NONE)
        return stream_of_resource(m, node);
    if (of_lane[what->lane] == SL_NONE)
        of_lane[what->lane] = new_stream(
            m, CUDA_TEXT(m, "stream %s", m->graph->lane_names.names[what->lane]), SL_NONE);
    return of_lane[what->lane];
}

/* The queues of the reply, in the order at means. */
static void put_queues(struct cuda_mapping *m)
{
    struct sl_reply *reply = m->reply;
    for (uint32_t s = 0; s < m->stream_count && !m->failed; s++) {
        struct sl_reply_queue *queue = SL_REPLY_ADD(reply->queues);
        m->failed |= !queue;
        if (!queue)
            return;
        queue->name = m->streams[s].name;
        queue->reason = "a stream runs its work in the order of submission";
        queue->nodes = malloc(((size_t)m->streams[s].count + 1) * sizeof *queue->nodes);
        m->failed |= !queue->nodes;
    }
    for (uint32_t k = 0; k < m->planned && !m->failed; k++) {
        uint32_t node = m->mean.order[k], stream = m->stream_of[node];
        if (stream == SL_NONE)
            continue;
        struct sl_reply_queue *queue = &reply->queues.items[stream];
        queue->nodes[queue->count++] = node;
    }
}

/* Resources whose order the plan leaves to the run, and which streams fix. */
static void judge_order(struct cuda_mapping *m)
{
    static const char *const orders[] = {"fifo", "priority",      "edf",
                                         "sjf",  "critical-path", "issue"};
    const struct sl_platform *platform = m->graph->platform;
    const struct sl_engine_options *engine = &m->plan->engine;
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        const struct sl_resource *resource = &platform->resources[r];
        uint64_t nodes = 0;
        for (uint32_t s = 0; s < m->stream_count; s++)
            nodes += m->streams[s].resource == r ? m->streams[s].count : 0;
        enum sl_order order = engine->dispatch_given ? engine->dispatch : resource->order;
        int64_t aging = engine->aging_given ? engine->aging_ps : resource->aging_ps;
        if (nodes < 2 || (m->places[r] == CUDA_COPIES && order == SL_ORDER_ISSUE))
            continue;
        const char *wish =
            CUDA_TEXT(m, "%s serves its waiting nodes by %s%s", platform->resource_names.names[r],
                      orders[order],
                      resource->admission == SL_BACKFILL ? ", and one that fits may pass" : "");
        sl_cuda_wish(m, SL_TRUTH_YES, nodes, wish,
                     "submission in the order of the plan at mean durations",
                     "the order is fixed at submission; the schedule is computed again with it");
        sl_cuda_deviation(m, wish, "the order of the plan at mean durations",
                          "a stream is first in, first out: nothing passes its head",
                          "a node whose data come late holds up what stands behind it");
        if (aging > 0 && order == SL_ORDER_PRIORITY)
            sl_cuda_wish(
                m, SL_TRUTH_NO, nodes,
                CUDA_TEXT(m, "waiting raises priorities on %s", platform->resource_names.names[r]),
                NULL,
                "a stream's priority is set when it is created and does not change: waits are "
                "bounded by the fixed order alone");
    }
}

/* A copy engine moves one copy at a time in its direction. */
static void limit_engines(struct cuda_mapping *m)
{
    const struct sl_platform *platform = m->graph->platform;
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        if (m->places[r] != CUDA_COPIES || platform->resources[r].servers == 1)
            continue;
        struct sl_reply_limit *limit = SL_REPLY_ADD(m->reply->limits);
        m->failed |= !limit;
        if (limit)
            *limit = (struct sl_reply_limit){
                .resource = r,
                .domain = SL_NONE,
                .servers = 1,
                .capacity = -1,
                .reason = "one copy engine serves a direction, first in, first out "
                          "(cudaDeviceProp.asyncEngineCount)"};
    }
}

void sl_cuda_assign_streams(struct cuda_mapping *m)
{
    const struct sl_graph *graph = m->graph;
    uint32_t *of_lane =
        sl_arena_array(&m->arena, (size_t)graph->lane_names.count + 1, sizeof *of_lane);
    m->failed |= !of_lane;
    for (uint32_t l = 0; of_lane && l < graph->lane_names.count; l++)
        of_lane[l] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++)
        m->stream_of[i] = SL_NONE;
    for (uint32_t k = 0; k < m->planned && !m->failed; k++) {
        uint32_t node = m->mean.order[k], stream = choose_stream(m, node, of_lane);
        m->stream_of[node] = stream;
        if (stream == SL_NONE)
            continue;
        m->streams[stream].count++;
        if (m->mean.finish_ps[node] > m->streams[stream].free_ps)
            m->streams[stream].free_ps = m->mean.finish_ps[node];
    }
    if (m->failed)
        return;
    put_queues(m);
    limit_engines(m);
    sl_cuda_wish(
        m, SL_TRUTH_YES, m->stream_count, "nodes run in their sequences and on their resources",
        "a stream for each sequence, each direction of copies, and each kernel that runs beside "
        "others (cudaStreamCreateWithFlags, cudaStreamNonBlocking)",
        m->stream_count > MOST_CONNECTIONS
            ? "more streams than connections (CUDA_DEVICE_MAX_CONNECTIONS, 32 at most): some wait "
              "for each other without need"
            : NULL);
    if (!sl_cuda_has_jobs(m)) /* else between jobs, too: by the host */
        judge_order(m);
}

bool sl_cuda_on_host(const struct cuda_mapping *m, uint32_t node)
{
    return m->stream_of[node] == SL_NONE && m->graph->nodes[node].dist;
}

/* ---- events -----------------------------------------------------------------------------------
 */

/* Edges between streams that no earlier wait of the consumer's stream implies. */
void sl_cuda_count_events(struct cuda_mapping *m)
{
    const struct sl_graph *graph = m->graph;
    uint64_t crossing = 0, needed = 0, host = 0, none = 0;
    size_t streams = m->stream_count;
    uint32_t *seen = sl_arena_array(&m->arena, streams * streams + 1, sizeof *seen);
    m->failed |= !seen;
    for (uint32_t k = 0; seen && k < m->planned; k++) {
        uint32_t node = m->mean.order[k], to = m->stream_of[node];
        for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
            uint32_t from_node = graph->edges[graph->pred_edges[e]].from.i;
            uint32_t from = m->stream_of[from_node];
            bool hosts =
                sl_cuda_on_host(m, node) || sl_cuda_on_host(m, from_node); /* one of the ends */
            if (from == SL_NONE || to == SL_NONE) {
                host += hosts;
                none += !hosts;
                continue;
            }
            uint32_t place = m->position[from_node] + 1, *last = &seen[to * streams + from];
            crossing += from != to;
            needed += from != to && place > *last;
            *last = place > *last ? place : *last;
        }
    }
    needed += m->reply->edges.count;
    m->events = needed;
    if (crossing + m->reply->edges.count > 0)
        sl_cuda_wish(
            m, SL_TRUTH_YES, needed, "nodes of different streams wait for each other",
            "cudaEventRecord behind the producer, cudaStreamWaitEvent before the consumer",
            CUDA_TEXT(m,
                      "%llu edges between streams and %u inserted ones; the other edges are "
                      "implied by the order of streams",
                      (unsigned long long)crossing, m->reply->edges.count));
    if (host > 0)
        sl_cuda_wish(m, SL_TRUTH_YES, host, "nodes of the host wait and are waited for",
                     "a host thread on cudaEventSynchronize, between captured stretches", NULL);
    if (none > 0)
        sl_cuda_wish(m, SL_TRUTH_YES, none,
                     "nodes that take no time and no resource wait and are waited for",
                     "the events of what they wait for, waited for by what waits for them",
                     "there is nothing to submit for them");
}

/* ---- what must not run together ----------------------------------------------------------------
 */

static bool is_of(const struct cuda_mapping *m, uint32_t node, uint32_t klass, uint32_t named)
{
    return sl_node_first(m->graph, node) == named ||
           (klass != SL_NONE && m->graph->nodes[node].klass == klass);
}

/* In the order at means, every node of a side waits for those of the other side that came since the
 * sides last changed: events both ways.  A node of both sides waits for all, and all for it. */
static uint64_t keep_pair_apart(struct cuda_mapping *m, const uint32_t klass[2],
                                const uint32_t named[2], const char *reason)
{
    uint32_t *block[2], count[2] = {0, 0};
    uint64_t edges = 0;
    unsigned last = 0; /* sides of the node before */
    for (int s = 0; s < 2; s++)
        block[s] = sl_arena_array(&m->arena, (size_t)m->planned + 1, sizeof **block);
    m->failed |= !block[0] || !block[1];
    for (uint32_t k = 0; k < m->planned && !m->failed; k++) {
        uint32_t node = m->mean.order[k];
        unsigned sides = (unsigned)is_of(m, node, klass[0], named[0]) |
                         (unsigned)is_of(m, node, klass[1], named[1]) << 1;
        sl_cuda_follow(m, node);
        if (sides == 0 || !m->graph->nodes[node].dist)
            continue;
        for (unsigned s = 0; s < 2; s++)
            for (uint32_t b = 0; sides >> (1 - s) & 1 && b < count[s] && edges < MOST_APART; b++)
                if (block[s][b] != node) {
                    sl_cuda_edge(m, block[s][b], node, SL_EDGE_ORDERING, reason);
                    edges++;
                }
        for (unsigned s = 0; s < 2; s++) {
            if (!(sides >> s & 1))
                continue;
            if (last != 1u << s || sides == 3)
                count[s] = 0;
            block[s][count[s]++] = node;
        }
        last = sides;
    }
    return edges;
}

static void judge_row(struct cuda_mapping *m, const struct sl_overlap *row)
{
    const struct sl_names *classes = &m->graph->platform->kappa.classes;
    uint32_t klass[2] = {sl_names_find(classes, row->a), sl_names_find(classes, row->b)};
    uint32_t named[2] = {sl_names_find(&m->graph->node_names, row->a),
                         sl_names_find(&m->graph->node_names, row->b)};
    if (row->allowed) {
        sl_cuda_wish(m, SL_TRUTH_NO, 1,
                     CUDA_TEXT(m, "'%.60s' and '%.60s' run together only in a window of time",
                               row->a, row->b),
                     NULL,
                     "no call starts queued work at a time: the host would have to hold it back");
        return;
    }
    const char *wish = CUDA_TEXT(m, "'%.60s' and '%.60s' never run together", row->a, row->b);
    if (sl_cuda_has_jobs(m)) {
        sl_cuda_wish(m, SL_TRUTH_YES, 1, wish,
                     "the host holds one back until the event of the other has come",
                     "they may be of different jobs, which no edge of a job orders");
        return;
    }
    uint64_t edges = keep_pair_apart(m, klass, named, "they may not run together");
    sl_cuda_wish(m, edges < MOST_APART ? SL_TRUTH_YES : SL_TRUTH_UNKNOWN, edges > 0 ? edges : 1,
                 wish, "events both ways, in the order of the plan at mean durations",
                 edges < MOST_APART ? NULL : "too many pairs to order: not all are kept apart");
}

/* Pairs of classes without a kappa, where the scenario forbids such overlap. */
static void judge_unknown(struct cuda_mapping *m)
{
    const struct sl_kappa *kappa = &m->graph->platform->kappa;
    const uint32_t none[2] = {SL_NONE - 1, SL_NONE - 1}; /* no node's */
    const uint64_t *groups = sl_class_groups(m->graph, &m->arena);
    uint64_t edges = 0, pairs = 0;
    m->failed |= !groups;
    if (kappa->unknown != SL_UNKNOWN_FORBID || !groups)
        return;
    if (sl_cuda_has_jobs(m)) {
        sl_cuda_wish(m, SL_TRUTH_YES, 1, "classes without a measured kappa never run together",
                     "the host holds one back until the event of the other has come",
                     "they may be of different jobs, which no edge of a job orders");
        return;
    }
    for (uint32_t a = 0; a < kappa->classes.count; a++)
        for (uint32_t b = a; groups[a] && b < kappa->classes.count; b++)
            if (groups[a] & groups[b] &&
                (sl_kappa_unknown_pair(kappa, a, b) || sl_kappa_unknown_pair(kappa, b, a))) {
                const uint32_t klass[2] = {a, b};
                edges += keep_pair_apart(m, klass, none,
                                         "their contention is unknown, and such overlap forbidden");
                pairs++;
            }
    if (pairs > 0)
        sl_cuda_wish(m, SL_TRUTH_YES, edges > 0 ? edges : 1,
                     "classes without a measured kappa never run together",
                     "events both ways, in the order of the plan at mean durations", NULL);
}

void sl_cuda_keep_apart(struct cuda_mapping *m)
{
    for (uint32_t o = 0; o < m->graph->overlap_count; o++)
        if (sl_overlap_restricts(&m->graph->overlaps[o]))
            judge_row(m, &m->graph->overlaps[o]);
    judge_unknown(m);
}
