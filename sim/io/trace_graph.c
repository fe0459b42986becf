/* Building the graph of a trace: its columns, its parts one after the other, its doubts. */
#include <config.h>

#include "trace_graph.h"
#include "trace_parts.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
} doubts[SL_DOUBTS] = {
    [SL_DOUBT_EARLY_START] = {"early-start",
                              "works start before what they wait for; not made to wait"},
    [SL_DOUBT_EARLY_RETURN] = {"early-return", "calls return before the works that they wait for "
                                               "have ended; not made to wait"},
    [SL_DOUBT_NO_LAUNCH] = {"no-launch",
                            "works have no launching call; they follow their stream alone"},
    [SL_DOUBT_OVERLAP] = {"overlap", "works start before an earlier one of their stream has ended; "
                                     "on lanes of their own"},
    [SL_DOUBT_TOUCH] = {"touch", "works start before the one ahead of them on their stream has "
                                 "ended, by no more than rounding; they follow it, and it ends "
                                 "then"},
    [SL_DOUBT_NESTED] = {"nested", "calls lie within others; part of these"},
    [SL_DOUBT_ASSUMED_SYNC] = {"assumed-sync",
                               "synchronisations do not say with what; assumed: with the stream "
                               "that was through last before they returned"},
    [SL_DOUBT_LONG_WAIT] = {"long-wait", "synchronisations go on for over 100 us when no work that "
                                         "they are known to wait for runs; that time is as "
                                         "recorded, whatever works take"},
    [SL_DOUBT_BLIND_WAIT] = {"blind-wait", "waits of streams do not say for what"},
    [SL_DOUBT_ASSUMED_WAIT] = {"assumed-wait",
                               "works launched behind such a wait start late, within 10 us of the "
                               "end of a work of another stream; assumed: they waited for it"},
    [SL_DOUBT_ASSUMED_TURN] = {"assumed-turn", "times a thread goes on within 2 ms of another one "
                                               "becoming quiet; assumed: it waited for that one"},
    [SL_DOUBT_CYCLE] = {"cycle", "edges lead against the order of time; a release stands for each"},
    [SL_DOUBT_LATE] = {"late", "works start over 10 us later than launch, stream and events "
                               "explain; a lag stands for it"},
    [SL_DOUBT_THREAD_START] = {"thread-start",
                               "threads start late, and nothing says why; a release stands for it"},
};

const char *sl_doubt_name(enum sl_trace_doubt doubt)
{
    return doubts[doubt].name;
}

const char *sl_doubt_text(enum sl_trace_doubt doubt)
{
    return doubts[doubt].text;
}

const char *sl_trace_reason_text(enum sl_trace_reason reason)
{
    static const char *const texts[SL_REASONS] = {
        "launch",          "stream order",  "stream waits for event",
        "synchronisation", "blocking copy", "a thread after another"};
    return texts[reason];
}

enum sl_status sl_trace_no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the graph of the trace");
}

enum sl_status sl_trace_add_node(struct sl_trace_builder *b, const struct sl_trace_node *node,
                                 uint32_t *index)
{
    struct sl_trace_graph *g = b->graph;
    if (g->node_count >= SL_TRACE_MOST_NODES)
        return SL_FAIL(b->err, SL_INVALID,
                       "the scope makes more than %d nodes; import a part of it (--step or "
                       "--window)",
                       SL_TRACE_MOST_NODES);
    if (!sl_grow((void **)&g->nodes, &g->node_capacity, g->node_count + 1, sizeof *g->nodes))
        return sl_trace_no_memory(b->err);
    *index = g->node_count++;
    g->nodes[*index] = *node;
    return SL_OK;
}

enum sl_status sl_trace_add_edge(struct sl_trace_builder *b, const struct sl_trace_edge *edge)
{
    struct sl_trace_graph *g = b->graph;
    enum { MOST_EDGES = 8 * SL_TRACE_MOST_NODES };
    if (g->edge_count >= MOST_EDGES)
        return SL_FAIL(b->err, SL_INVALID,
                       "the scope makes more than %d edges; import a part of it (--step or "
                       "--window)",
                       MOST_EDGES);
    if (!sl_grow((void **)&g->edges, &g->edge_capacity, g->edge_count + 1, sizeof *g->edges))
        return sl_trace_no_memory(b->err);
    g->edges[g->edge_count++] = *edge;
    return SL_OK;
}

enum sl_status sl_trace_add_lane(struct sl_trace_builder *b, uint32_t of, uint32_t part,
                                 uint32_t *index)
{
    struct sl_trace_graph *g = b->graph;
    if (!sl_grow((void **)&g->lanes, &g->lane_capacity, g->lane_count + 1, sizeof *g->lanes))
        return sl_trace_no_memory(b->err);
    *index = g->lane_count++;
    g->lanes[*index] = (struct sl_trace_lane){of, part};
    return SL_OK;
}

void sl_trace_doubt(struct sl_trace_builder *b, enum sl_trace_doubt doubt, int64_t time_ps)
{
    struct sl_trace_doubts *sum = &b->graph->doubts[doubt];
    sum->count++;
    if (__builtin_add_overflow(sum->time_ps, time_ps, &sum->time_ps))
        sum->time_ps = INT64_MAX;
}

static bool make_columns(struct sl_trace_builder *b)
{
    const struct sl_timeline *t = b->timeline;
    size_t bytes = (t->count + 1u) * sizeof *b->first_work;
    b->call_class = malloc(t->names.count + 1u);
    b->first_work = malloc(bytes);
    b->next_work = malloc(bytes);
    b->wait_of = malloc(bytes);
    b->node_of = malloc(bytes);
    b->backlog_ps = malloc((t->lane_count + 1u) * sizeof *b->backlog_ps);
    b->last = malloc((t->lane_count + 1u) * sizeof *b->last);
    if (!b->call_class || !b->first_work || !b->next_work || !b->wait_of || !b->node_of ||
        !b->backlog_ps || !b->last)
        return false;
    for (uint32_t i = 0; i < t->names.count; i++)
        b->call_class[i] = (uint8_t)sl_call_class_of(t->names.names[i]);
    for (uint32_t i = 0; i < t->count; i++)
        b->first_work[i] = b->next_work[i] = b->wait_of[i] = b->node_of[i] = SL_NONE;
    for (uint32_t lane = 0; lane < t->lane_count; lane++) {
        b->backlog_ps[lane] = INT64_MIN;
        b->last[lane] = SL_NONE;
    }
    return true;
}

static void free_columns(struct sl_trace_builder *b)
{
    free(b->call_class);
    free(b->first_work);
    free(b->next_work);
    free(b->wait_of);
    free(b->node_of);
    free(b->before);
    free(b->awaited);
    free(b->told);
    free(b->backlog_ps);
    free(b->last);
}

enum sl_status sl_trace_graph_make(struct sl_trace_graph *graph, const struct sl_timeline *timeline,
                                   const struct sl_trace_scope *scope, struct sl_error *err)
{
    struct sl_trace_builder b = {.graph = graph, .timeline = timeline, .scope = scope, .err = err};
    graph->timeline = timeline;
    enum sl_status status = make_columns(&b) ? SL_OK : sl_trace_no_memory(err);
    if (status == SL_OK)
        status = sl_trace_works(&b);
    if (status == SL_OK)
        status = sl_trace_hosts(&b);
    if (status == SL_OK)
        status = sl_trace_starts(&b);
    if (status == SL_OK && graph->node_count == 0)
        status = SL_FAIL(err, SL_INVALID,
                         "nothing in the scope: no call, no work of a device, no host operator");
    if (status == SL_OK)
        status = sl_trace_order(&b);
    if (status == SL_OK)
        status = sl_trace_replay(graph, err);
    free_columns(&b);
    return status;
}

void sl_trace_graph_free(struct sl_trace_graph *graph)
{
    free(graph->nodes);
    free(graph->edges);
    free(graph->lanes);
    *graph = (struct sl_trace_graph){0};
}
