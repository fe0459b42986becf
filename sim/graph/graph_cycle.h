/* Precedence within one iteration: edges that are not `next`, and lane order. */
#ifndef SL_GRAPH_CYCLE_H
#define SL_GRAPH_CYCLE_H
#include "graph.h"

/* previous[i] is the node before i in its lane (row order), SL_NONE for the first or without a
 * lane.  `previous` holds node_count elements.  False when out of memory. */
bool sl_lane_previous(const struct sl_graph *graph, uint32_t *previous) SL_NODISCARD;

/* Nodes of one precedence cycle in order of running, from the one with the smallest index, in
 * malloc'ed *nodes (NULL when there is none; the caller frees).  Needs the CSR lists. */
enum sl_status sl_graph_cycle(const struct sl_graph *graph, const uint32_t *previous,
                              uint32_t **nodes, uint32_t *count,
                              struct sl_error *err) SL_NODISCARD;

/* "a -> b -> a", malloc'ed; at most `limit` names, the rest as a count.  NULL: out of memory. */
char *sl_cycle_text(const struct sl_graph *graph, const uint32_t *nodes, uint32_t count,
                    uint32_t limit);
#endif
