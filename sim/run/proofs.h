/* Proofs over all trials of a cell, run once more: reclamations, waits, deadlocks. */
#ifndef SL_PROOFS_H
#define SL_PROOFS_H
#include "cell.h"
#include "proof_progress.h"
#include "proof_reclaim.h"

#define SL_PROOF_EDGES (1u << 20) /* different wait edges that are kept */

struct sl_proofs {
    uint32_t trials;
    /* Reclamations of all trials, and those that a proof found too early. */
    uint64_t reclamations, violations;
    uint32_t first_violation; /* trial, SL_NONE */
    /* Waits.  `acyclic`, `cycle` say nothing after waits.overflow. */
    struct sl_waits_facts waits;
    bool acyclic; /* precedence and all wait edges together */
    struct sl_wait_edge *cycle;
    uint32_t cycle_count;
    bool cut_short; /* the search for a shortest cycle was ended */
    struct sl_capacity_need *needs; /* per domain */
    /* Deadlocks. */
    uint32_t deadlocked;
    struct sl_estimate deadlock_share; /* exact binomial 95% interval */
    uint32_t deadlock_texts;  /* different reports */
    uint32_t common_count;    /* trials with the most frequent one ... */
    uint32_t common_deadlock; /* ... and the first of them, SL_NONE */
    char *common_text;
    struct sl_waits *gathered; /* owns waits.edges */
};

/* `cell` has been run and has a plan; `program` is of that plan.  Seed, threads and progress as the
 * cell's run had them.  Release *proofs in any case. */
enum sl_status sl_proofs_gather(struct sl_proofs *proofs, const struct sl_cell *cell,
                                const struct sl_program *program,
                                const struct sl_run_options *options,
                                struct sl_error *err) SL_NODISCARD;
void sl_proofs_free(struct sl_proofs *proofs);
#endif
