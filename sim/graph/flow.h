/* Data flow: the order that inputs, outputs and movements imply.
 *
 * A scenario may leave out edges that say no more than its inputs and outputs do.  Readers follow
 * the writer, a later writer follows the readers of the earlier value; several writers count in
 * topological order. */
#ifndef SL_FLOW_H
#define SL_FLOW_H
#include "graph.h"

/* What reads and writes one copy of an object, in order: each read follows the writers, each write
 * follows the readers since the last write.  Writers of which only one runs count as one write.
 * Lists of node entries in a pool. */
struct sl_flow {
    uint32_t writers, readers; /* heads; 0: empty */
    uint32_t previous; /* what a guarded writer follows: one in its stead must follow it too */
};
struct sl_flow_entry {
    uint32_t node, next;
    enum sl_edge_type type; /* of the edge from a writer to its readers */
};
struct sl_flow_pool {
    struct sl_flow_entry *entries; /* entry 0 is not used */
    uint32_t count, capacity;
};
/* Called for every edge that is needed. */
typedef enum sl_status sl_flow_need(void *user, uint32_t from, uint32_t to, enum sl_edge_type type,
                                    uint32_t object);
enum sl_status sl_flow_read(const struct sl_graph *graph, struct sl_flow_pool *pool,
                            struct sl_flow *flow, uint32_t node, uint32_t object,
                            sl_flow_need *need, void *user, struct sl_error *err) SL_NODISCARD;
/* `type` is SL_EDGE_STORAGE for a node that only makes room (allocation, mapping). */
enum sl_status sl_flow_write(const struct sl_graph *graph, struct sl_flow_pool *pool,
                             struct sl_flow *flow, uint32_t node, uint32_t object,
                             enum sl_edge_type type, sl_flow_need *need, void *user,
                             struct sl_error *err) SL_NODISCARD;

/* Every mention of a copy by a node, in the order in which it counts: what it reads, makes room
 * for, writes and reclaims. */
enum sl_mention { SL_MENTION_READ, SL_MENTION_ROOM, SL_MENTION_WRITE, SL_MENTION_RECLAIM };
typedef enum sl_status sl_mention_visit(void *user, uint32_t node, uint32_t object, uint32_t domain,
                                        enum sl_mention what);
enum sl_status sl_mentions(const struct sl_graph *graph, uint32_t node, sl_mention_visit *visit,
                           void *user) SL_NODISCARD;

/* Two nodes of which at most one runs: opposite guards of one draw, or a node and one that stands by
 * for it, directly or behind another. */
bool sl_nodes_alternate(const struct sl_graph *graph, uint32_t a, uint32_t b);

/* Calls `need` for every edge that the data flow of a finished graph implies, whether the graph has
 * it or not.  All but one kind follow graph->topo: a reader that nothing before it provides for
 * needs the first writer, wherever that stands. */
enum sl_status sl_flow_derive(const struct sl_graph *graph, uint32_t domain_count,
                              sl_flow_need *need, void *user, struct sl_error *err) SL_NODISCARD;
#endif
