/* Who uses which copies of a graph, in which role: of proofs, and of the
 * hand-off to a runtime. */
#ifndef SL_PROOF_USES_H
#define SL_PROOF_USES_H
#include "proof_reclaim.h"

struct proof_use {
    uint32_t node, place;
    uint32_t since;     /* it holds the copy from that node's finish on; SL_NONE: its own start */
    uint32_t until;     /* it holds what that reclamation gives back; SL_NONE: what is there */
    uint32_t iteration; /* whose copy it means */
    enum sl_reclaim_term term;
};

/* A place is a root object in one domain where holdings of it lie.  Lists are in CSR form. */
struct proof_uses {
    uint32_t *position; /* of a node in topological order */
    uint32_t place_count;
    uint32_t *place_first, *holdings; /* a place's holdings, ascending */
    uint32_t *use_first;              /* a node's uses */
    struct proof_use *uses;
    uint32_t use_count, use_capacity;                      /* the array is malloc'ed */
    uint32_t *taker_first, *takers, *giver_first, *givers; /* a holding's nodes */
    struct sl_arena arena;
};

/* Fills *uses (zero-initialised) from a finished graph; false when out of memory.  Free in either
 * case. */
bool sl_proof_uses_gather(struct proof_uses *uses, const struct sl_graph *graph) SL_NODISCARD;
void sl_proof_uses_free(struct proof_uses *uses);
#endif
