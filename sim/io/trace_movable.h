/* Copies of a trace that a policy may decide about: what they bring becomes an object that the
 * works read which waited for them, and the copies leave the graph.
 *
 * A copy to a device is awaited by the works that wait for an event behind it or run next on its
 * stream; of several copies that one work waits for, it reads all that nothing else read before.
 *
 * On demand (`both`), a copy from a device that comes back, by a later copy of the same size from
 * the same memory to the same device, and no thread waited for its stream in between, was an
 * eviction: one object, written by the work before it and read by those that await the later copy.
 * Of several that could be the one, the last out is the first in.  Only sizes say so, and results
 * that are as large as the next inputs look alike: a trace names no buffers. */
#ifndef SL_TRACE_MOVABLE_H
#define SL_TRACE_MOVABLE_H
#include "keysort.h"
#include "trace_objects.h"
#include "trace_routes.h"

struct sl_trace_buffer {
    uint32_t in;          /* node of the copy to the device, by which the object is named */
    uint32_t out, writer; /* of one that left before; SL_NONE */
    int64_t bytes;
    const struct sl_trace_route *route; /* of `in` */
};
struct sl_trace_movable {
    struct sl_trace_buffer *buffers;
    uint32_t count, capacity, pair_count;
    uint32_t *buffer_of;             /* by node: of a copy that leaves the graph; SL_NONE */
    struct sl_trace_moves moves;     /* what comes before and next on lanes */
    struct sl_keyed *reads, *writes; /* node and buffer, in the order of nodes */
    uint32_t read_count, read_capacity, write_count;
    uint32_t behind;   /* buffers whose copy came after one of their size from the device ended */
    uint32_t unpinned; /* buffers that lie in a host's memory that is not known to be page-locked */
    bool both;         /* copies from a device are looked at, too */
    int64_t *freed_ps; /* by node: time of a thread that only staged copies which left */
    uint64_t routes_used; /* bit i: index i in the routes */
    /* Copies between a device's memory and another one that stay as recorded: */
    uint32_t unread;           /* to a device, and no work waits for it, or there is no route */
    uint32_t away;             /* from a device, and it does not come back */
    int64_t moved_ps, kept_ps; /* time of copies that left the graph, and of those that stay */
    uint32_t waits;            /* of threads, for copies that left */
    uint32_t freed;            /* nodes with freed_ps */
    int64_t all_freed_ps;      /* the sum of it */
    uint32_t dropped;          /* edges of copies that left */
    int64_t dropped_ps;        /* their lags */
    uint32_t ahead; /* when a copy to a device began, so many reading works before its reader were
                       not done: the median */
    char domain[SL_TRACE_NAME];    /* that most bytes are brought to; "" where count is 0 */
    int64_t held_bytes, all_bytes; /* there: the most that the record held at once, and all */
};

/* Finds them, with `both` those that leave and come back, too; the graph, its timeline and the
 * routes have to outlive the zeroed result, which sl_trace_movable_free releases in any state. */
enum sl_status sl_trace_movable_make(struct sl_trace_movable *movable,
                                     const struct sl_trace_graph *graph,
                                     const struct sl_trace_routes *routes, bool both,
                                     struct sl_error *err) SL_NODISCARD;
/* Whether the node stays in the graph. */
static inline bool sl_trace_stays(const struct sl_trace_movable *movable, uint32_t node)
{
    return !movable || movable->buffer_of[node] == SL_NONE;
}
/* Whether a policy moves anything along that route, or along one that shares its link. */
static inline bool sl_trace_route_used(const struct sl_trace_movable *movable, uint32_t index)
{
    return movable->routes_used >> index & 1;
}
bool sl_trace_link_used(const struct sl_trace_movable *movable,
                        const struct sl_trace_routes *routes, const struct sl_trace_route *route);
/* What comes before the node on its lane and stays in the graph; SL_NONE. */
uint32_t sl_trace_lane_before(const struct sl_trace_movable *movable, uint32_t node);
/* Where the edge comes from once copies have left: a work behind a copy of its stream follows what
 * ran before that.  SL_NONE: there is no such edge any more. */
uint32_t sl_trace_edge_from(const struct sl_trace_movable *movable,
                            const struct sl_trace_edge *edge);
/* Fills ahead, domain, held_bytes and all_bytes.  False when out of memory. */
bool sl_trace_movable_sizes(struct sl_trace_movable *movable,
                            const struct sl_trace_graph *graph) SL_NODISCARD;
void sl_trace_movable_free(struct sl_trace_movable *movable);
#endif
