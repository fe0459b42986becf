/* What every policy's plan of a random scenario must do in its trials. */
#include <config.h>

#include "proof_progress.h"
#include "proof_reclaim.h"
#include "random_runs.h"
#include "record_audit.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct sl_diags *diags, enum sl_severity severity)
{
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == severity)
            return diags->items[i].message;
    return "";
}

static void audit(const struct sl_program *program, const struct sl_trial *trial,
                  uint32_t iterations, uint64_t seed, const char *policy)
{
    struct audit a = {.graph = sl_program_graph(program), .trial = trial, .iterations = iterations};
    audit_order(&a);
    audit_copies(&a);
    audit_windows(&a);
    audit_stalls(&a);
    audit_chain(&a, program);
    ck_assert_msg(!a.fault[0], "seed %llu, %s, trial %u: %s", (unsigned long long)seed, policy,
                  trial->trial, a.fault);
}

/* What `explain` would prove of the trial. */
struct provers {
    struct sl_reclaim_prover *reclaim;
    struct sl_waits *waits;
};

/* The same trial, but one reclamation 1 ps before its copy's last user ends: that copy, and the
 * trial, must be refused.  Returns false where the giver is that user itself. */
static bool refute(const struct provers *provers, const struct sl_graph *graph,
                   const struct sl_trial *trial, struct sl_reclaim_proof proof)
{
    uint32_t count, n = graph->node_count;
    if (proof.reclaimer == SL_NONE || proof.binding == SL_TERMS ||
        proof.user[proof.binding] == proof.reclaimer || proof.ready_ps <= proof.taken_ps)
        return false;
    int64_t *start = malloc(n * sizeof *start), *finish = malloc(n * sizeof *finish);
    ck_assert(start && finish);
    memcpy(start, trial->start_ps, n * sizeof *start);
    memcpy(finish, trial->finish_ps, n * sizeof *finish);
    start[proof.reclaimer] = finish[proof.reclaimer] = proof.ready_ps - 1;
    struct sl_trial wrong = *trial;
    wrong.start_ps = start;
    wrong.finish_ps = finish;
    const struct sl_reclaim_proof *proofs = sl_reclaim_prove(provers->reclaim, &wrong, &count);
    bool found = false;
    for (uint32_t k = 0; k < count; k++)
        found |= proofs[k].holding == proof.holding && proofs[k].verdict == SL_RECLAIM_VIOLATED;
    ck_assert_msg(found, "%s gives %s back too early, and the proof says no word of it",
                  graph->nodes[proof.reclaimer].name,
                  graph->objects[graph->holdings[proof.holding].object.i].name);
    free(start);
    free(finish);
    return true;
}

/* Where no wait for bytes can arise, by the sum of all that is ever held, none did. */
static void check_needs(const struct sl_graph *graph, const struct sl_waits_facts *facts,
                        uint64_t seed, const char *policy)
{
    struct sl_capacity_need needs[16];
    bool may_wait = false, waited = false;
    ck_assert_uint_le(graph->platform->domain_names.count, 16);
    ck_assert_int_eq(sl_capacity_needs(graph, needs, NULL), SL_OK);
    for (uint32_t d = 0; d < graph->platform->domain_names.count; d++)
        may_wait |= needs[d].can_wait;
    for (uint32_t k = 0; k < facts->edge_count; k++)
        waited |= facts->edges[k].kind == SL_WAIT_CAPACITY;
    ck_assert_msg(may_wait || !waited, "seed %llu, %s: a node waited for bytes and could not have",
                  (unsigned long long)seed, policy);
}

static void prove(const struct provers *provers, const struct sl_graph *graph,
                  const struct sl_trial *trial, uint64_t seed, const char *policy,
                  struct random_tally *tally)
{
    uint32_t count;
    const struct sl_reclaim_proof *proofs = sl_reclaim_prove(provers->reclaim, trial, &count);
    for (uint32_t k = 0; k < count; k++)
        ck_assert_msg(proofs[k].verdict != SL_RECLAIM_VIOLATED,
                      "seed %llu, %s, trial %u: copy %u of %s is given back too early",
                      (unsigned long long)seed, policy, trial->trial, proofs[k].number,
                      graph->objects[graph->holdings[proofs[k].holding].object.i].name);
    if (count > 0)
        tally->refuted += refute(provers, graph, trial, proofs[(seed + trial->trial) % count]);
    struct sl_waits_facts facts;
    ck_assert_int_eq(sl_waits_add(provers->waits, trial, NULL), SL_OK);
    ck_assert_int_eq(sl_waits_facts(provers->waits, &facts, NULL), SL_OK);
    check_needs(graph, &facts, seed, policy);
    ck_assert_msg(facts.cyclic_trials == 0, "seed %llu, %s, trial %u: its waits are cyclic",
                  (unsigned long long)seed, policy, trial->trial);
}

/* A deadlock is a cycle of waits by name, for bytes or a turn among them, since a plan's edges
 * alone close none; or bytes that nobody is left to give back. */
static void check_deadlock(const struct sl_trial *trial, uint64_t seed, const char *policy)
{
    const char *text = trial->deadlock;
    ck_assert_msg(text && (strstr(text, "held by") || strstr(text, "for its turn") ||
                           strstr(text, "strict queue") || strstr(text, "can never be met")),
                  "seed %llu, %s: a deadlock says '%s'", (unsigned long long)seed, policy,
                  text ? text : "");
}

static void run_plan(const struct sl_plan *plan, uint32_t iterations, uint64_t seed,
                     const char *policy, struct random_tally *tally)
{
    struct sl_program *program;
    struct sl_worker *worker;
    struct provers provers;
    const struct sl_trial *trial;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_reclaim_prover_create(&provers.reclaim, plan->graph, &err), SL_OK);
    ck_assert_int_eq(sl_waits_create(&provers.waits, plan->graph, 1 << 20, &err), SL_OK);
    ck_assert_msg(sl_program_create(&program, plan->graph, &plan->engine, &err) == SL_OK,
                  "seed %llu, %s: %s", (unsigned long long)seed, policy, err.message);
    ck_assert_int_eq(sl_worker_create(&worker, program, &err), SL_OK);
    for (uint32_t t = 0; t < 2; t++) {
        ck_assert_msg(sl_worker_run(worker, seed, t, SL_RECORD_LEVELS, &trial, &err) == SL_OK,
                      "seed %llu, %s: %s", (unsigned long long)seed, policy, err.message);
        tally->trials++;
        if (trial->outcome == SL_DEADLOCK) {
            tally->deadlocks++;
            check_deadlock(trial, seed, policy);
        }
        audit(program, trial, iterations, seed, policy);
        prove(&provers, plan->graph, trial, seed, policy, tally);
    }
    sl_reclaim_prover_free(provers.reclaim);
    sl_waits_free(provers.waits);
    sl_worker_free(worker);
    sl_program_free(program);
}

void random_policy_run(const struct random_scenario *made, const struct sl_scenario *scenario,
                       const struct sl_policy_spec *policy, uint64_t seed,
                       struct random_tally *tally)
{
    struct sl_plan plan;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_policy_plan(&plan, scenario, policy, &diags, &err);
    bool may_refuse = (made->begins_away && strcmp(policy->name, "as-given") == 0) ||
                      strstr(err.message, "are not a chain") ||
                      strstr(err.message, "do not lie within one another") ||
                      (scenario->iterations > 1 && strstr(err.message, "no second iteration"));
    ck_assert_msg(status == SL_OK || (may_refuse && status == SL_NO && err.message[0]),
                  "seed %llu, %s: status %d, %s %s", (unsigned long long)seed, policy->name,
                  (int)status, err.message, text_of(&diags, SL_ERROR));
    tally->plans++;
    tally->refused += status == SL_NO;
    for (uint32_t n = 0; status == SL_OK && made->draft.disk && n < plan.graph->node_count; n++)
        tally->far +=
            sl_node_moves(plan.graph->nodes[n].kind) && plan.graph->nodes[n].from >= DRAFT_DOMAINS;
    if (status == SL_OK)
        run_plan(&plan, scenario->iterations, seed, policy->name, tally);
    sl_plan_free(&plan);
    sl_diags_free(&diags);
}
