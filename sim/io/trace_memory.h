/* Allocations of a trace as objects: from the changes of a device's memory that it recorded.
 *
 * Each is taken and given back at its time, counted from the end of what the host did before it.
 * What was there before the scope is one object that stays, and one for each that the scope gives
 * back. */
#ifndef SL_TRACE_MEMORY_H
#define SL_TRACE_MEMORY_H
#include "trace_graph.h"

/* A change: behind the end of a node of the host, or, `after` SL_NONE, at a time. */
struct sl_trace_change {
    uint32_t after;
    int64_t lag_ps; /* behind that end, or from 0 */
    uint32_t item;  /* index in items */
    bool gives;     /* it is given back, else taken */
    bool follows;   /* the change before it is at the same time, and came first */
};
struct sl_trace_allocation {
    int32_t device;
    int64_t bytes;
    uint32_t taken, given; /* index in changes; SL_NONE: before the scope, after it */
};
struct sl_trace_memory {
    struct sl_trace_allocation *items;
    uint32_t count, capacity;
    struct sl_trace_change *changes;
    uint32_t change_count, change_capacity;
    /* Changes of the scope that are not used: */
    uint64_t left_out; /* all of them */
    uint64_t hosts;    /* of a host's memory, or of an unknown device's */
    uint64_t nameless; /* of a device's, without an address */
    uint64_t twice;    /* of an address that is taken already */
};

/* Fills the zeroed memory.  A graph that would have too many nodes with it gets none: all is left
 * out.  sl_trace_memory_free releases in any state. */
enum sl_status sl_trace_memory_make(struct sl_trace_memory *memory,
                                    const struct sl_trace_graph *graph,
                                    struct sl_error *err) SL_NODISCARD;
/* Makes no objects of them: all changes of the scope are left out. */
void sl_trace_memory_skip(struct sl_trace_memory *memory, const struct sl_trace_graph *graph);
/* memory-observed.csv: the totals that changes of the scope state, whether or not they are used. */
void sl_trace_memory_totals(const struct sl_trace_graph *graph, FILE *out);
/* Rows of nodes.csv, edges.csv and objects.csv. */
void sl_trace_memory_write(const struct sl_trace_memory *memory, const struct sl_trace_graph *graph,
                           FILE *nodes, FILE *edges, FILE *objects);
void sl_trace_memory_free(struct sl_trace_memory *memory);
#endif
