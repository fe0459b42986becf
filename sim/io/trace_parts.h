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
    bool *told;        /* the call before its launch made some stream wait for something */
    uint32_t work_count;
    int64_t tick_ps; /* in which the record counts: 1 us or 1 ns */
    /* By lane of the timeline. */
    int64_t *backlog_ps; /* until then it is busy with works from before the scope; INT64_MIN */
    uint32_t *last;      /* node that ends last of what is launched so far */
};

/* Steps of looking for what is waited for: a broken trace may bring any number of streams, threads
 * and calls. */
#define SL_TRACE_MOST_LOOKS (UINT64_C(1) << 30)

/* What calls wait for, and works beyond their stream.  Told of calls in the order of time. */
struct sl_trace_awaits {
    struct sl_trace_builder *b;
    uint32_t *pending; /* by stream: what its next work waits for (a node of another stream) */
    bool *told;        /* by thread: since its last launch it made an unknown stream wait */
    uint32_t *streams; /* lanes that have works or a backlog */
    uint32_t stream_count;
    struct sl_keyed *records; /* waits, by the correlation of the call that recorded their event */
    uint32_t record_count;
    /* By the first of the records of one call, where its event is of a legacy default stream: the
     * last nodes of all streams that such an event follows. */
    struct sl_trace_set {
        uint32_t first, count; /* of members */
    } * sets;
    uint32_t *members, member_count, member_capacity;
    uint32_t *found; /* what a call waits for: nodes that end before it does */
    uint32_t found_count, found_capacity;
    uint64_t looks;
};
bool sl_trace_awaits_make(struct sl_trace_awaits *awaits, struct sl_trace_builder *b) SL_NODISCARD;
void sl_trace_awaits_free(struct sl_trace_awaits *awaits);
/* A work is launched: who synchronises with its stream from now on waits for it, and it waits for
 * what its stream was told to. */
void sl_trace_launched(struct sl_trace_awaits *awaits, uint32_t work);
/* A call records events: waits for them wait for what their stream has at this time; on the legacy
 * default stream, for what all blocking streams have. */
enum sl_status sl_trace_record_events(struct sl_trace_awaits *awaits,
                                      int64_t correlation) SL_NODISCARD;
/* The stream of a call waits, and with it the next work that is launched on it. */
void sl_trace_order_streams(struct sl_trace_awaits *awaits, uint32_t call);
bool sl_trace_synchronises(const struct sl_trace_builder *b, uint32_t call);
/* Fills `found` with what a synchronising call waits for. */
enum sl_status sl_trace_find_awaited(struct sl_trace_awaits *awaits, uint32_t call) SL_NODISCARD;
/* Adds the node to `found`, unless it ends later than the call that waits for it. */
enum sl_status sl_trace_find_one(struct sl_trace_awaits *awaits, uint32_t node,
                                 int64_t until_ps) SL_NODISCARD;

/* Threads that take turns. */
struct sl_trace_open {
    int64_t end_ps;
    bool call;
};
struct sl_trace_thread {
    bool begun;
    struct sl_trace_open *open; /* events that it is in, innermost last */
    uint32_t open_count, open_capacity;
    int64_t mark_ps; /* the latest start or end of an event */
    uint32_t last;   /* event that started last */
};
struct sl_trace_turns {
    const struct sl_timeline *timeline;
    struct sl_trace_thread *threads; /* by lane of the timeline */
    uint32_t *lanes, lane_count;     /* threads that have events */
    uint32_t *next;                  /* by event: the next one of its thread */
    uint64_t looks;
};
struct sl_trace_turn {
    uint32_t other;   /* lane of the thread that was followed; SL_NONE */
    int64_t quiet_ps; /* since then the own thread was quiet; now, where it has not begun */
    int64_t since_ps; /* since then the other one is */
};
bool sl_trace_turns_make(struct sl_trace_turns *turns,
                         const struct sl_timeline *timeline) SL_NODISCARD;
void sl_trace_turns_free(struct sl_trace_turns *turns);
/* An event of a thread begins, in the order of time.  False when out of memory. */
bool sl_trace_turns_begin(struct sl_trace_turns *turns, uint32_t event, int64_t from_ps,
                          int64_t to_ps, struct sl_trace_turn *turn) SL_NODISCARD;

static inline const struct sl_event_detail *sl_trace_detail(const struct sl_timeline *t,
                                                            uint32_t event)
{
    return t->detail[event] == SL_NONE ? NULL : &t->details[t->detail[event]];
}

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
