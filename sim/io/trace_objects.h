/* What the copies of a trace move: a buffer each. */
#ifndef SL_TRACE_OBJECTS_H
#define SL_TRACE_OBJECTS_H
#include "trace_names.h"

/* A copy between two known memories of a known size, and who else uses its buffer: what runs next
 * on its stream reads what came in, what ran before it wrote what goes out.  That is assumed. */
struct sl_trace_move {
    uint32_t node;
    uint32_t reader, writer; /* nodes; SL_NONE */
    int64_t bytes;
    char from[SL_TRACE_NAME], to[SL_TRACE_NAME];
};
/* Whether the event is such a copy, and from where to where. */
bool sl_trace_is_move(const struct sl_timeline *timeline, uint32_t event, char from[SL_TRACE_NAME],
                      char to[SL_TRACE_NAME]);
struct sl_trace_moves {
    uint32_t *next, *before; /* by node: of its lane */
};
bool sl_trace_moves_make(struct sl_trace_moves *moves,
                         const struct sl_trace_graph *graph) SL_NODISCARD;
/* False where the node is no such copy. */
bool sl_trace_move_of(const struct sl_trace_moves *moves, const struct sl_trace_graph *graph,
                      uint32_t node, struct sl_trace_move *move);
void sl_trace_moves_free(struct sl_trace_moves *moves);
#endif
