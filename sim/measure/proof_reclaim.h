/* Proof that no copy of an object was reclaimed too early in a trial:
 *
 *     reclaim_ready = max(last reader's finish, last alias use's finish,
 *                         last transfer's finish, last protecting barrier's finish)
 *
 * The users of a copy are found from what nodes say of themselves (inputs, outputs, object, from,
 * to), from aliases and barriers, and from the times of the record; not from the edges by which
 * planning or the user placed the reclamation.  So a plan that reclaims too early is told from one
 * that does not. */
#ifndef SL_PROOF_RECLAIM_H
#define SL_PROOF_RECLAIM_H
#include "engine.h"

/* READER: reads or writes it by its own name.  BARRIER: a barrier node that names it, or any other
 * node that holds it by a lifetime-hold edge: the producer of one into its reclamation, the
 * consumer of one that names the object. */
enum sl_reclaim_term {
    SL_TERM_READER, SL_TERM_ALIAS, SL_TERM_TRANSFER, SL_TERM_BARRIER, SL_TERMS
};
const char *sl_reclaim_term_name(enum sl_reclaim_term term); /* "none" for SL_TERMS */

enum sl_reclaim_verdict {
    SL_RECLAIM_PROVEN,   /* given back at reclaim_ready or later */
    SL_RECLAIM_VIOLATED, /* given back while a user was still running or to come */
    SL_RECLAIM_KEPT,     /* no node gives it back */
    SL_RECLAIM_OPEN,     /* its reclaimer has not run in this trial */
    SL_RECLAIM_ABSENT    /* the copy was never made in this trial */
};
const char *sl_reclaim_verdict_name(enum sl_reclaim_verdict verdict);

struct sl_reclaim_proof {
    uint32_t holding;   /* of kind SL_HOLD_OBJECT: the object's copy in a domain */
    uint32_t number;    /* among the object's copies in that domain, by time, from 1 */
    uint32_t taker;     /* node at whose start its bytes were taken; SL_NONE: initial, or absent */
    uint32_t reclaimer; /* node at whose finish they were given back; SL_NONE: none did */
    int64_t taken_ps;   /* 0 when initial, -1 when absent */
    int64_t given_ps;   /* -1 when not given back */
    /* The last user of each role and its finish; SL_NONE and -1 without one, INT64_MAX when it is
     * still to finish in a trial that deadlocked. */
    uint32_t user[SL_TERMS];
    int64_t finish_ps[SL_TERMS];
    enum sl_reclaim_term binding; /* the latest term, the first of equals; SL_TERMS without users */
    int64_t ready_ps;             /* reclaim_ready; taken_ps without users */
    enum sl_reclaim_verdict verdict;
};

struct sl_reclaim_prover; /* scratch of one worker */
enum sl_status sl_reclaim_prover_create(struct sl_reclaim_prover **prover,
                                        const struct sl_graph *graph,
                                        struct sl_error *err) SL_NODISCARD;
void sl_reclaim_prover_free(struct sl_reclaim_prover *prover);

/* The proofs of every copy in a trial, by object, then domain, then time; *count of them.  Owned by
 * the prover and overwritten by its next trial. */
const struct sl_reclaim_proof *sl_reclaim_prove(struct sl_reclaim_prover *prover,
                                                const struct sl_trial *trial, uint32_t *count);

/* How long the bytes were held beyond reclaim_ready, ps; 0 unless proven. */
int64_t sl_reclaim_retained(const struct sl_reclaim_proof *proof);
#endif
