/* The union of precedence and all wait edges: its sort, and a short cycle where it has one. Private
 * to measure/. */
#ifndef SL_PROOF_UNION_H
#define SL_PROOF_UNION_H
#include "proof_progress.h"

/* The next node in each one's lane (lane order is node order); SL_NONE: none. */
struct proof_lanes {
    uint32_t *next;
};
bool sl_proof_lanes_find(struct proof_lanes *lanes, const struct sl_graph *graph,
                         struct sl_arena *arena) SL_NODISCARD;
/* Predecessors of each node by edges of the same iteration and lanes. */
void sl_proof_indegrees(const struct sl_graph *graph, const struct proof_lanes *lanes,
                        uint32_t *indegree);

struct proof_union {
    const struct sl_graph *graph;
    const struct proof_lanes *lanes;
    const uint32_t *indegree;
    const struct sl_wait_edge *edges; /* ascending by from */
    uint32_t edge_count;
    uint32_t *first;  /* per node: its edges are [first[i], first[i + 1]) */
    uint32_t *degree; /* what the sort left: 0 for nodes that came off */
    struct sl_arena arena;
};
/* Both are false when out of memory; the cycle's steps are malloc'ed. */
bool sl_proof_union_sort(struct proof_union *all, bool *acyclic) SL_NODISCARD;
bool sl_proof_union_cycle(struct proof_union *all, struct sl_wait_edge **steps, uint32_t *count,
                          bool *cut_short) SL_NODISCARD;
void sl_proof_union_free(struct proof_union *all);
#endif
