/* What may leave its home domain while a plan runs, and the nodes that take it away and bring it
 * back.
 *
 * Those nodes are *latent*: the last ones of the plan's graph, without edges or lanes.  The engine
 * runs one whenever a copy has to leave or to return, any number of times; otherwise never.  A copy
 * is numbered by its place in `copies`; there are also copies that cannot leave but are read by a
 * recomputation (back SL_NONE), so that their end waits for it. */
#ifndef SL_EVICTOR_H
#define SL_EVICTOR_H
#include "graph.h"

struct sl_evict_user {
    uint32_t node;
    bool writes;
};

struct sl_evict_copy {
    uint32_t holding;      /* at home */
    uint32_t out;          /* latent: moves it to its refuge; SL_NONE: it is just dropped */
    uint32_t back;         /* latent: fetches it or computes it again; SL_NONE: it cannot leave */
    uint32_t refuge;       /* holding of the copy elsewhere; SL_NONE */
    struct sl_span users;  /* in evictor->users, in plan order: who needs it there */
    struct sl_span clones; /* in evictor->pool: latent recomputations that read it */
};

struct sl_latent {
    struct sl_span moves; /* in evictor->pool: the copies that it takes away or brings back */
    struct sl_span reads; /* ... and those that it reads, of a recomputation */
    uint32_t original;    /* ... the node that it runs again; SL_NONE */
};

struct sl_evictor {
    uint32_t first_latent; /* nodes of the graph before it are the plan's own */
    struct sl_evict_copy *copies;
    uint32_t copy_count;
    struct sl_latent *latents; /* by node - first_latent */
    struct sl_evict_user *users;
    uint32_t *pool;
    uint32_t *copy_of;    /* per holding; SL_NONE */
    bool *kept;           /* per holding: a copy elsewhere that stays, whoever gives it back by plan */
    struct sl_span *uses; /* per node before first_latent, in pool: copies it needs, not those it takes */
};

/* Nodes of the plan itself. */
static inline uint32_t sl_graph_planned(const struct sl_graph *graph)
{
    return graph->evictor ? graph->evictor->first_latent : graph->node_count;
}
static inline bool sl_node_is_latent(const struct sl_graph *graph, uint32_t node)
{
    return node >= sl_graph_planned(graph);
}
#endif
