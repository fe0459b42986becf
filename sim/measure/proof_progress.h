/* Progress proofs: which waits for resources arose, and whether they and the precedence edges form
 * an acyclic graph, in each trial and over all of them.
 *
 *     acyclic(precedence_edges union induced_resource_wait_edges)
 *
 * A wait edge runs from the node whose release ended a wait to the node that waited.  Precedence
 * are the graph's edges and lanes; a node that a trial cancelled at its latest start waits for
 * nobody in that trial.  Acyclicity is tested by a topological sort, not read off the times. */
#ifndef SL_PROOF_PROGRESS_H
#define SL_PROOF_PROGRESS_H
#include "engine.h"

/* FALLBACK: a fallback that ran in a cancelled node's place, which its successors then waited for.
 */
enum sl_wait_kind {
    SL_WAIT_QUEUE,
    SL_WAIT_CAPACITY,
    SL_WAIT_OVERLAP,
    SL_WAIT_FALLBACK,
    SL_WAIT_KINDS
};
const char *sl_wait_kind_name(enum sl_wait_kind kind);

struct sl_wait_edge {
    uint32_t from, to;
    enum sl_wait_kind kind;
    uint32_t trials; /* in how many it arose */
};

struct sl_waits; /* the edges of some trials, and scratch; one per thread */
/* Keeps at most `most_edges` different edges (at least 1). */
enum sl_status sl_waits_create(struct sl_waits **waits, const struct sl_graph *graph,
                               uint32_t most_edges, struct sl_error *err) SL_NODISCARD;
void sl_waits_free(struct sl_waits *waits);

/* Adds a trial's wait edges, and tests them together with precedence.  A deadlocked trial counts
 * with the waits that ended in it.  Each edge is added once a trial. */
enum sl_status sl_waits_add(struct sl_waits *waits, const struct sl_trial *trial,
                            struct sl_error *err) SL_NODISCARD;
/* Adds what another one gathered: the result does not depend on who ran which trial. */
enum sl_status sl_waits_merge(struct sl_waits *into, const struct sl_waits *from,
                              struct sl_error *err) SL_NODISCARD;

struct sl_waits_facts {
    uint32_t trials;        /* that were added */
    uint32_t cyclic_trials; /* whose own union has a cycle: such a record is wrong */
    uint32_t first_cyclic;  /* smallest of them, SL_NONE */
    bool overflow;          /* more different edges than are kept: the union was not tested */
    uint32_t edge_count;    /* different edges; ascending by from, to, kind */
    const struct sl_wait_edge *edges;
};
/* Sorts the edges; they stay until the next call. */
enum sl_status sl_waits_facts(struct sl_waits *waits, struct sl_waits_facts *facts,
                              struct sl_error *err) SL_NODISCARD;

/* Whether precedence and all gathered edges are acyclic.  If not, *steps is a shortest cycle
 * through a wait edge, or the shortest that was found where *cut_short says that the search was
 * ended: *count steps, each from where the last one went; those by precedence have trials 0.
 * malloc'ed by the callee, freed by the caller.  SL_USAGE after an overflow. */
enum sl_status sl_waits_union(struct sl_waits *waits, bool *acyclic, struct sl_wait_edge **steps,
                              uint32_t *count, bool *cut_short, struct sl_error *err) SL_NODISCARD;

/* Whether any order of the nodes can make one wait for bytes of a domain. */
struct sl_capacity_need {
    double held_bytes;      /* all holdings there, as if at once */
    double workspace_bytes; /* the most workspace that can be in use at once: per lane the largest,
                               per resource at most servers x the largest, else the sum */
    double limit_bytes;     /* capacity - reserve; +inf without a capacity */
    bool drawn;             /* its fragmentation is drawn, so that no limit is sure */
    bool can_wait;          /* drawn, or the two together exceed the limit */
};
/* Fills needs[domain].  A need that exceeds its limit shows only that this argument fails. */
enum sl_status sl_capacity_needs(const struct sl_graph *graph, struct sl_capacity_need *needs,
                                 struct sl_error *err) SL_NODISCARD;
#endif
