/* Every trial again, with a prover in each thread.  What they find are sums and sets, which do not
 * depend on who ran which trial. */
#include <config.h>

#include "cellparts.h"
#include "proofs.h"
#include <stdlib.h>
#include <string.h>

/* What one thread gathers. */
struct witness {
    struct sl_waits *waits;
    struct sl_reclaim_prover *prover;
    uint64_t reclamations, violations;
    uint32_t first_violation;
    uint64_t *deadlock_hash; /* per trial; shared, threads write different trials; 0: none */
};

static void prove_reclamations(struct witness *witness, const struct sl_trial *record)
{
    uint32_t count;
    const struct sl_reclaim_proof *proofs = sl_reclaim_prove(witness->prover, record, &count);
    for (uint32_t k = 0; k < count; k++) {
        witness->reclamations += proofs[k].reclaimer != SL_NONE;
        if (proofs[k].verdict != SL_RECLAIM_VIOLATED)
            continue;
        witness->violations++;
        if (record->trial < witness->first_violation)
            witness->first_violation = record->trial;
    }
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    struct witness *witness = state;
    prove_reclamations(witness, record);
    if (record->outcome == SL_DEADLOCK)
        witness->deadlock_hash[record->trial] =
            sl_hash_text(record->deadlock ? record->deadlock : "") | 1;
    return sl_waits_add(witness->waits, record, err);
}

static enum sl_status merge(struct sl_proofs *proofs, struct witness *witnesses, uint32_t count,
                            struct sl_error *err)
{
    enum sl_status status = SL_OK;
    proofs->first_violation = SL_NONE;
    for (uint32_t t = 0; t < count && status == SL_OK; t++) {
        const struct witness *witness = &witnesses[t];
        proofs->reclamations += witness->reclamations;
        proofs->violations += witness->violations;
        if (witness->first_violation < proofs->first_violation)
            proofs->first_violation = witness->first_violation;
        if (t > 0)
            status = sl_waits_merge(witnesses[0].waits, witness->waits, err);
    }
    proofs->gathered = witnesses[0].waits;
    witnesses[0].waits = NULL;
    return status;
}

static enum sl_status run(struct sl_proofs *proofs, const struct sl_cell *cell,
                          struct sl_trials_job *job, uint64_t *deadlock_hash, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct witness *witnesses = calloc(job->threads, sizeof *witnesses);
    void **states = calloc(job->threads, sizeof *states);
    if (!witnesses || !states)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
    for (uint32_t t = 0; t < job->threads && status == SL_OK; t++) {
        states[t] = &witnesses[t];
        witnesses[t].deadlock_hash = deadlock_hash;
        witnesses[t].first_violation = SL_NONE;
        status = sl_waits_create(&witnesses[t].waits, cell->plan.graph, SL_PROOF_EDGES, err);
        if (status == SL_OK)
            status = sl_reclaim_prover_create(&witnesses[t].prover, cell->plan.graph, err);
    }
    job->visit = visit;
    job->states = states;
    if (status == SL_OK)
        status = sl_trials_run(job, err);
    if (status == SL_OK)
        status = merge(proofs, witnesses, job->threads, err);
    for (uint32_t t = 0; witnesses && t < job->threads; t++) {
        sl_waits_free(witnesses[t].waits);
        sl_reclaim_prover_free(witnesses[t].prover);
    }
    free(witnesses);
    free(states);
    return status;
}

struct hashed {
    uint64_t hash;
    uint32_t trial;
};

static int compare_hashed(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

/* The report that most deadlocked trials give; of equally frequent ones that of the first trial. */
static bool find_common(struct sl_proofs *proofs, const uint64_t *by_trial)
{
    struct hashed *sorted = malloc(((size_t)proofs->trials + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    uint32_t count = 0;
    for (uint32_t t = 0; t < proofs->trials; t++)
        if (by_trial[t])
            sorted[count++] = (struct hashed){by_trial[t], t};
    qsort(sorted, count, sizeof *sorted, compare_hashed);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sorted[end].hash == sorted[first].hash;)
            end++;
        proofs->deadlock_texts++;
        if (end - first > proofs->common_count || (end - first == proofs->common_count &&
                                                   sorted[first].trial < proofs->common_deadlock)) {
            proofs->common_count = end - first;
            proofs->common_deadlock = sorted[first].trial;
        }
    }
    proofs->deadlocked = count;
    free(sorted);
    return true;
}

static enum sl_status read_common(struct sl_proofs *proofs, const struct sl_trials_job *job,
                                  struct sl_error *err)
{
    struct sl_worker *worker = NULL;
    const struct sl_trial *record = NULL;
    enum sl_status status = sl_worker_create(&worker, job->program, err);
    if (status == SL_OK)
        status = sl_worker_run(worker, job->seed, proofs->common_deadlock, 0, &record, err);
    if (status == SL_OK) {
        proofs->common_text = strdup(record->deadlock ? record->deadlock : "");
        if (!proofs->common_text)
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    sl_worker_free(worker);
    return status;
}

static enum sl_status judge(struct sl_proofs *proofs, const struct sl_graph *graph,
                            struct sl_error *err)
{
    proofs->needs = calloc((size_t)graph->platform->domain_names.count + 1, sizeof *proofs->needs);
    if (!proofs->needs)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
    enum sl_status status = sl_capacity_needs(graph, proofs->needs, err);
    if (status == SL_OK)
        status = sl_waits_facts(proofs->gathered, &proofs->waits, err);
    if (status != SL_OK || proofs->waits.overflow)
        return status;
    status = sl_waits_union(proofs->gathered, &proofs->acyclic, &proofs->cycle,
                            &proofs->cycle_count, &proofs->cut_short, err);
    /* The union sorted the edges anew. */
    return status == SL_OK ? sl_waits_facts(proofs->gathered, &proofs->waits, err) : status;
}

static bool pass_progress(void *user, uint64_t done)
{
    const struct sl_run_options *options = user;
    return options->progress(options->user, done, 0, 0, 1);
}

enum sl_status sl_proofs_gather(struct sl_proofs *proofs, const struct sl_cell *cell,
                                const struct sl_program *program,
                                const struct sl_run_options *options, struct sl_error *err)
{
    *proofs = (struct sl_proofs){.trials = cell->trials, .common_deadlock = SL_NONE};
    struct sl_run_options passed = *options;
    struct sl_trials_job job = {.program = program,
                                .seed = options->seed_given ? options->seed : cell->scenario->seed,
                                .trials = cell->trials,
                                .pool = options->pool,
                                .threads = sl_trials_threads(options->pool, cell->trials),
                                .progress = options->progress ? pass_progress : NULL,
                                .user = &passed};
    uint64_t *deadlock_hash = calloc((size_t)cell->trials + 1, sizeof *deadlock_hash);
    enum sl_status status = SL_OK;
    if (!deadlock_hash)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
    if (status == SL_OK)
        status = run(proofs, cell, &job, deadlock_hash, err);
    if (status == SL_OK && !find_common(proofs, deadlock_hash))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for proofs");
    if (status == SL_OK && proofs->deadlocked > 0)
        status = read_common(proofs, &job, err);
    if (status == SL_OK)
        status = judge(proofs, cell->plan.graph, err);
    proofs->deadlock_share = sl_proportion(proofs->deadlocked, proofs->trials, SL_LEVEL_CONFIDENCE);
    free(deadlock_hash);
    return status;
}

void sl_proofs_free(struct sl_proofs *proofs)
{
    sl_waits_free(proofs->gathered);
    free(proofs->cycle);
    free(proofs->needs);
    free(proofs->common_text);
    *proofs = (struct sl_proofs){0};
}
