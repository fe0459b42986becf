/* What CUDA's documented mechanisms make of a plan: streams, events, copy engines, memory pools,
 * graphs.  Sources of the facts: doc/mapping-cuda.md. */
#include <config.h>

#include "mapping_cuda.h"
#include <stdarg.h>
#include <string.h>

/* Of all nodes all that comes before each is kept: 128 MiB of bits. */
enum { MOST_NODES = 32768 };

const char *sl_cuda_text(struct cuda_mapping *m, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = sl_arena_strdup(&m->reply->arena, text);
    m->failed |= !kept;
    return kept ? kept : "";
}

void sl_cuda_wish(struct cuda_mapping *m, enum sl_truth realizable, uint64_t count,
                  const char *wish, const char *mechanism, const char *note)
{
    struct sl_reply_mechanism *item = SL_REPLY_ADD(m->reply->mechanisms);
    m->failed |= !item;
    if (item)
        *item = (struct sl_reply_mechanism){.wish = wish,
                                            .mechanism = mechanism,
                                            .note = note,
                                            .count = count,
                                            .realizable = realizable};
}

void sl_cuda_deviation(struct cuda_mapping *m, const char *wish, const char *instead,
                       const char *why, const char *consequence)
{
    struct sl_reply_deviation *item = SL_REPLY_ADD(m->reply->deviations);
    m->failed |= !item;
    if (item)
        *item = (struct sl_reply_deviation){NULL, wish, instead, why, consequence};
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

enum cuda_memory sl_cuda_memory(const struct cuda_mapping *m, uint32_t domain)
{
    const char *name = m->graph->platform->domain_names.names[domain];
    return begins(name, "hbm") || begins(name, "gpu") || begins(name, "vram")    ? CUDA_DEVICE
           : begins(name, "pinned")                                              ? CUDA_PINNED
           : begins(name, "nvme") || begins(name, "ssd") || begins(name, "disk") ? CUDA_STORAGE
                                                                                 : CUDA_PAGEABLE;
}

/* By the routes that name it, then by its name. */
static void place_resources(struct cuda_mapping *m)
{
    const struct sl_platform *platform = m->graph->platform;
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        const char *name = platform->resource_names.names[r];
        bool host = begins(name, "host") || begins(name, "cpu") || begins(name, "nvme") ||
                    begins(name, "ssd") || begins(name, "disk");
        m->places[r] = host ? CUDA_HOST : CUDA_KERNELS;
    }
    for (uint32_t k = 0; k < platform->route_count; k++)
        if (m->places[platform->routes[k].resource] != CUDA_HOST)
            m->places[platform->routes[k].resource] = CUDA_COPIES;
}

bool sl_cuda_ordered(const struct cuda_mapping *m, uint32_t a, uint32_t b)
{
    return m->before[b * m->before_words + a / 64] >> (a % 64) & 1;
}

static void put_before(struct cuda_mapping *m, uint32_t a, uint32_t b)
{
    uint64_t *of_b = &m->before[b * m->before_words];
    const uint64_t *of_a = &m->before[a * m->before_words];
    for (size_t k = 0; k < m->before_words; k++)
        of_b[k] |= of_a[k];
    of_b[a / 64] |= UINT64_C(1) << (a % 64);
}

void sl_cuda_follow(struct cuda_mapping *m, uint32_t node)
{
    const struct sl_graph *graph = m->graph;
    for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++)
        if (graph->edges[graph->pred_edges[e]].next == 0)
            put_before(m, graph->edges[graph->pred_edges[e]].from.i, node);
    if (m->lane_before[node] != SL_NONE)
        put_before(m, m->lane_before[node], node);
    if (m->stream_before[node] != SL_NONE)
        put_before(m, m->stream_before[node], node);
}

/* The order at means goes with all edges, so that what comes before a node is complete when the
 * node is reached. */
void sl_cuda_order(struct cuda_mapping *m)
{
    const struct sl_graph *graph = m->graph;
    size_t nodes = (size_t)graph->node_count + 1;
    uint32_t *last = sl_arena_array(&m->arena, (size_t)graph->lane_names.count + 1, sizeof *last);
    m->lane_before = sl_arena_array(&m->arena, nodes, sizeof *m->lane_before);
    m->stream_before = sl_arena_array(&m->arena, nodes, sizeof *m->stream_before);
    m->failed |= !last || !m->lane_before || !m->stream_before;
    if (m->failed)
        return;
    m->before_words = graph->node_count / 64 + 1;
    m->before = sl_arena_array(&m->arena, nodes, m->before_words * sizeof(uint64_t));
    m->failed |= !m->before;
    for (uint32_t l = 0; l < graph->lane_names.count; l++)
        last[l] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        m->lane_before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
    }
    for (uint32_t s = 0; s < m->stream_count; s++)
        m->streams[s].last = SL_NONE;
    for (uint32_t k = 0; k < m->planned && !m->failed; k++) {
        uint32_t node = m->mean.order[k], stream = m->stream_of[node];
        m->stream_before[node] = stream == SL_NONE ? SL_NONE : m->streams[stream].last;
        if (stream != SL_NONE)
            m->streams[stream].last = node;
        sl_cuda_follow(m, node);
    }
}

void sl_cuda_edge(struct cuda_mapping *m, uint32_t from, uint32_t to, enum sl_edge_type type,
                  const char *reason)
{
    if (from == to || sl_cuda_ordered(m, from, to))
        return;
    struct sl_reply_edge *edge = SL_REPLY_ADD(m->reply->edges);
    m->failed |= !edge;
    if (!edge)
        return;
    *edge = (struct sl_reply_edge){.from = from, .to = to, .type = type, .reason = reason};
    put_before(m, from, to);
}

static void say_no(struct cuda_mapping *m, const char *why)
{
    m->reply->feasible = SL_REPLY_NO;
    m->reply->why = why;
}

static void map_all(struct cuda_mapping *m)
{
    struct sl_reply *reply = m->reply;
    place_resources(m);
    sl_cuda_assign_streams(m);
    if (!m->failed)
        sl_cuda_order(m);
    if (!m->failed)
        sl_cuda_keep_apart(m);
    if (!m->failed)
        sl_cuda_plan_memory(m);
    if (!m->failed)
        sl_cuda_count_events(m);
    sl_cuda_judge_copies(m);
    if (!m->failed)
        sl_cuda_judge_jobs(m);
    sl_cuda_judge_decisions(m);
    sl_cuda_judge_capture(m);
    bool inserts =
        reply->edges.count + reply->limits.count + reply->kept.count > 0 || reply->queues.count > 0;
    reply->feasible = inserts ? SL_REPLY_CONSTRAINED : SL_REPLY_YES;
}

static enum sl_status answer(struct sl_reply *reply, const struct sl_scenario *scenario,
                             const struct sl_plan *plan, struct sl_error *err)
{
    const struct sl_graph *graph = plan->graph;
    size_t nodes = (size_t)graph->node_count + 1;
    struct cuda_mapping m = {.reply = reply,
                             .scenario = scenario,
                             .plan = plan,
                             .graph = graph,
                             .planned = sl_graph_planned(graph),
                             .err = err};
    if (graph->node_count > MOST_NODES)
        return SL_FAIL(err, SL_INVALID,
                       "a plan of %u nodes is too large for the built-in mapping (at most %d): map "
                       "fewer iterations",
                       graph->node_count, MOST_NODES);
    reply->runtime = "cuda (built in)";
    enum sl_status status = sl_mean_run(&m.mean, graph, &plan->engine, err);
    m.places = sl_arena_array(&m.arena, (size_t)graph->platform->resource_names.count + 1,
                              sizeof *m.places);
    m.stream_of = sl_arena_array(&m.arena, nodes, sizeof *m.stream_of);
    m.position = sl_arena_array(&m.arena, nodes, sizeof *m.position);
    if (status == SL_OK && (!m.places || !m.stream_of || !m.position))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a mapping");
    if (status == SL_OK && m.mean.makespan_ps == INT64_MAX) {
        say_no(&m, "the plan deadlocks at mean durations: there is no order to submit it in");
    } else if (status == SL_OK) {
        for (uint32_t k = 0; k < graph->node_count; k++)
            m.position[m.mean.order[k]] = k;
        map_all(&m);
        sl_cuda_put_calls(&m);
        if (m.failed)
            status = SL_FAIL(err, SL_SYSTEM, "out of memory for a mapping");
    }
    sl_mean_run_free(&m.mean);
    sl_arena_free(&m.arena);
    return status;
}

const struct sl_mapping sl_mapping_cuda = {
    .name = "cuda",
    .description = "streams, events, copy engines, pools and graphs of CUDA, by its documentation",
    .example = "slackline feasibility decision.yaml --mapping cuda",
    .answer = answer,
};
