/* Inside of the graph of a trace: its parts, in the order in which they run. */
#ifndef SL_TRACE_PARTS_H
#define SL_TRACE_PARTS_H
#include "audit.h"
#include "trace_graph.h"

struct sl_trace_builder {
    struct sl_trace_graph *graph;
    const struct sl_timeline *timeline;
    const struct sl_trace_scope *scope;
    struct sl_error *err;
    uint8_t *call_class; /* enum sl_call_class, by name of the timeline */
    /* By event. */
    uint32_t *first_work, *next_work; /* of a call: its works of the scope, in order of start */
    uint32_t *wait_of;                /* of a call: the wait that it asked for */
    uint32_t *node_of;                /* of a work: its node; of a call: the node that launches */
    /* By node of a work; these are the first `work_count` nodes. */
    uint32_t *before;  /* the latest work of its stream that ends before it starts */
    uint32_t *awaited; /* the last work of another stream that its stream waits for */
    uint32_t work_count;
    /* By lane of the timeline. */
    int64_t *backlog_ps; /* until then it is busy with works from before the scope; INT64_MIN */
    uint32_t *last;      /* node that ends last of what is launched so far */
};

static inline bool sl_trace_in_scope(const struct sl_trace_scope *scope, int64_t t_ps)
{
    return t_ps >= scope->from_ps && t_ps < scope->to_ps;
}

enum sl_status sl_trace_no_memory(struct sl_error *err);
enum sl_status sl_trace_add_node(struct sl_trace_builder *b, const struct sl_trace_node *node,
                                 uint32_t *index) SL_NODISCARD;
enum sl_status sl_trace_add_edge(struct sl_trace_builder *b,
                                 const struct sl_trace_edge *edge) SL_NODISCARD;
enum sl_status sl_trace_add_lane(struct sl_trace_builder *b, uint32_t of, uint32_t part,
                                 uint32_t *index) SL_NODISCARD;
void sl_trace_doubt(struct sl_trace_builder *b, enum sl_trace_doubt doubt, int64_t time_ps);

/* Nodes of works and of backlogs, and the lanes of streams. */
enum sl_status sl_trace_works(struct sl_trace_builder *b) SL_NODISCARD;
/* Nodes of threads, and edges of synchronisation. */
enum sl_status sl_trace_hosts(struct sl_trace_builder *b) SL_NODISCARD;
/* Edges into works, and how much of their waits is usual. */
enum sl_status sl_trace_starts(struct sl_trace_builder *b) SL_NODISCARD;
/* Puts nodes in order and drops edges against it. */
enum sl_status sl_trace_order(struct sl_trace_builder *b) SL_NODISCARD;
/* Fills recorded, replayed and explained. */
enum sl_status sl_trace_replay(struct sl_trace_graph *graph, struct sl_error *err) SL_NODISCARD;
#endif
