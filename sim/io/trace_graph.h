/* A graph of what a trace recorded: one node per work of a device, host threads as chains of calls
 * and of the time between them, and edges that say why a node could not start earlier.  At recorded
 * durations each node starts when it did in the record; slackline-import(1) says how edges are
 * found.
 *
 * Times are ps from the graph's first node. */
#ifndef SL_TRACE_GRAPH_H
#define SL_TRACE_GRAPH_H
#include "intervals.h"
#include "timeline.h"

enum sl_trace_role {
    SL_TRACE_HOST,    /* a thread between two calls that matter */
    SL_TRACE_LAUNCH,  /* a call that launches, until its first work starts or it returns */
    SL_TRACE_WAIT,    /* the rest of a call once what it waited for is done */
    SL_TRACE_CALL,    /* a call that allocates, frees or maps */
    SL_TRACE_WORK,    /* of a device */
    SL_TRACE_BACKLOG, /* a stream is busy with what was launched before the scope */
    SL_TRACE_ROLES
};

struct sl_trace_node {
    int64_t start_ps, end_ps; /* as recorded; the end cut to the start of what touches (below) */
    uint32_t event;           /* of the timeline; SL_NONE: none (host time, backlog) */
    uint32_t lane;            /* index in lanes; SL_NONE: none */
    uint8_t role;
    bool released; /* it starts at start_ps at the earliest, whatever comes before it */
};

/* Why a node waits for another. */
enum sl_trace_reason {
    SL_REASON_LAUNCH,      /* a work for its call */
    SL_REASON_STREAM,      /* a work for what runs before it on its stream */
    SL_REASON_STREAM_WAIT, /* a work for an event of another stream */
    SL_REASON_SYNC,        /* a call for the works that it synchronises with */
    SL_REASON_COPY,        /* a blocking copy's call for the copy */
    SL_REASON_THREAD,      /* a thread for another one, after which it goes on */
    SL_REASONS
};
const char *sl_trace_reason_text(enum sl_trace_reason reason);

struct sl_trace_edge {
    uint32_t from, to;
    int64_t lag_ps;
    int64_t excess_ps; /* of the lag: beyond what is usual, and nothing recorded says why */
    uint8_t reason;
};

/* A thread, a stream, or a further lane of a stream whose works overlap. */
struct sl_trace_lane {
    uint32_t of;   /* of the timeline */
    uint32_t part; /* of the stream, from 0 */
};

/* What cannot be as the record says, or is not said. */
enum sl_trace_doubt {
    SL_DOUBT_EARLY_START,  /* works that start before their call; the edge is left out */
    SL_DOUBT_EARLY_RETURN, /* calls that return before what they wait for has ended; left out */
    SL_DOUBT_NO_LAUNCH,    /* works without a launching call */
    SL_DOUBT_OVERLAP,      /* works of one stream that overlap: on lanes of their own */
    SL_DOUBT_TOUCH,        /* such that overlap by no more than rounding: one after the other */
    SL_DOUBT_NESTED,       /* calls within calls, left out */
    SL_DOUBT_ASSUMED_SYNC, /* synchronisations that do not say with what: found by time */
    SL_DOUBT_LONG_WAIT,    /* synchronisations that last longer than works explain */
    SL_DOUBT_BLIND_WAIT,   /* waits of streams that do not say for what */
    SL_DOUBT_ASSUMED_WAIT, /* what such a wait was for, found by time */
    SL_DOUBT_ASSUMED_TURN, /* threads that go on when another one has become quiet */
    SL_DOUBT_CYCLE,        /* edges against the order of time, left out */
    SL_DOUBT_LATE,         /* works that start later than their edges explain */
    SL_DOUBT_THREAD_START, /* threads of which nothing says why they start when they do */
    SL_DOUBTS
};
const char *sl_doubt_name(enum sl_trace_doubt doubt); /* "early-start": a contract */
const char *sl_doubt_text(enum sl_trace_doubt doubt); /* for people, behind a count */

struct sl_trace_doubts {
    uint64_t count;
    int64_t time_ps; /* by how much, together */
};

/* The graph at given durations: each node as early as its edges let it. */
struct sl_trace_replay {
    int64_t span_ps, busy_ps; /* busy: any work runs */
};

struct sl_trace_graph {
    const struct sl_timeline *timeline;
    struct sl_trace_node *nodes; /* in the order of start: every edge and lane leads forward */
    uint32_t node_count, node_capacity;
    struct sl_trace_edge *edges; /* in the order of the node that they lead to */
    uint32_t edge_count, edge_capacity;
    struct sl_trace_lane *lanes;
    uint32_t lane_count, lane_capacity;
    int64_t origin_ps; /* of the timeline, at time 0 of the graph */
    uint32_t nodes_of[SL_TRACE_ROLES], edges_of[SL_REASONS];
    uint32_t streams, threads;
    struct sl_trace_doubts doubts[SL_DOUBTS];
    int64_t launch_ps, gap_ps; /* what is usual, the medians: from call to start on an idle stream,
                                  between works of a busy one; 0: none was seen */
    struct sl_trace_replay recorded, replayed, explained; /* explained: without excess of lags */
};

struct sl_trace_scope {
    int64_t from_ps, to_ps; /* calls that start in [from, to) and the works that they launch; works
                               of unknown launch that start there */
    uint32_t range; /* the annotation whose thread is busy from its start to its end; SL_NONE */
};
/* Nodes of a graph, at most: as many as a run takes without trouble. */
enum { SL_TRACE_MOST_NODES = 1 << 20 };

/* Builds the graph of a finished timeline, which has to outlive it.  A scope without calls and
 * works or with more than SL_TRACE_MOST_NODES nodes is SL_INVALID.  sl_trace_graph_free releases in
 * any state. */
enum sl_status sl_trace_graph_make(struct sl_trace_graph *graph, const struct sl_timeline *timeline,
                                   const struct sl_trace_scope *scope,
                                   struct sl_error *err) SL_NODISCARD;
void sl_trace_graph_free(struct sl_trace_graph *graph);
#endif
