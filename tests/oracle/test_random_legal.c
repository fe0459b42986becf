/* Six hundred random legal scenarios, of all kinds of nodes and edges: none is called illegal,
 * every policy plans each and runs it to the end, or into a deadlock that is named, and an audit
 * that shares no code with the engine finds nothing wrong in any record; nor do the proofs of
 * `explain`.  Every fifth one also runs for three iterations; every fourth one has objects that go
 * over two routes, half of them chunk by chunk. */
#include <config.h>

#include "harness.h"
#include "policy.h"
#include "proof_progress.h"
#include "proof_reclaim.h"
#include "random_scenario.h"
#include "record_audit.h"

#define PARTS 10  /* test cases that share the graphs */
#define LEAST 100 /* of 1000 scenarios have each kind, edge type and feature */

/* ---- what the scenarios are made of ---------------------------------------------------------- */

enum feature {
    ALIASES,
    COMPLEMENTS,
    SPECULATION,
    GUARD_BY_LAYER,
    FALLBACKS,
    CHAINS_OF_FALLBACKS,
    GUARDS_WITH_FALLBACK,
    LAGS,
    RELEASES,
    NEXT_EDGES,
    WORKSPACE,
    STAGING,
    STAGING_UNTIL,
    ONE_LANE,
    FREE_LANES,
    FORBIDDEN,
    PERMITTED,
    WINDOWS,
    HOLDS,
    DEADLINES,
    KAPPA_TABLE,
    COSTS,
    FACTORS,
    STRICT,
    ISSUE_ORDER,
    SEVERAL_UNITS,
    SEVERAL_RESOURCES,
    PERSISTENT,
    INITIAL,
    BEGINS_AWAY,
    WRITTEN_OUT,
    DERIVED,
    UPDATES,
    TIGHT,
    LIMITED,
    UNLIMITED,
    FEATURES
};
static const char *const feature_names[FEATURES] = {"aliases",
                                                    "complementary guards",
                                                    "speculation",
                                                    "guard by layer",
                                                    "fallbacks",
                                                    "chains of fallbacks",
                                                    "guard with fallback",
                                                    "lags",
                                                    "releases",
                                                    "next edges",
                                                    "workspace",
                                                    "staging",
                                                    "staging_until",
                                                    "a lane per resource",
                                                    "free lanes",
                                                    "forbidden overlap",
                                                    "permitted overlap",
                                                    "windows of overlap",
                                                    "held copies",
                                                    "deadlines",
                                                    "kappa",
                                                    "costs",
                                                    "factors",
                                                    "strict",
                                                    "issue order",
                                                    "several units",
                                                    "several resources",
                                                    "persist",
                                                    "initial",
                                                    "begins away",
                                                    "written-out lifetimes",
                                                    "derived lifetimes",
                                                    "updates in place",
                                                    "tight capacity",
                                                    "some capacity",
                                                    "no limit"};

struct coverage {
    unsigned kinds[SL_NODE_KINDS], edges[SL_EDGE_TYPES], features[FEATURES];
};

static void note_node(const struct draft *d, const struct draft_node *node, bool *has)
{
    has[SPECULATION] |= node->guard == 2;
    has[GUARD_BY_LAYER] |= node->guard == 1;
    has[COMPLEMENTS] |= node->guard != SL_NONE && node->guard_negated;
    has[FALLBACKS] |= node->fallback != SL_NONE;
    has[CHAINS_OF_FALLBACKS] |=
        node->fallback != SL_NONE && d->nodes[node->fallback].fallback != SL_NONE;
    has[GUARDS_WITH_FALLBACK] |= node->fallback != SL_NONE && node->guard != SL_NONE;
    has[RELEASES] |= node->release_ns > 0;
    has[WORKSPACE] |= node->workspace[HBM] || node->workspace[PINNED];
    has[STAGING] |= node->staging[PINNED] > 0;
    has[STAGING_UNTIL] |= node->staging_until != SL_NONE;
    has[FREE_LANES] |= node->lane && node->lane[0] == 's' && node->lane[1] != 't';
    has[ONE_LANE] |= node->lane && (node->lane[0] != 's' || node->lane[1] == 't');
    has[DEADLINES] |= node->deadline_ns > 0 && node->fallback == SL_NONE;
    has[SEVERAL_UNITS] |= node->units > 1;
    has[SEVERAL_RESOURCES] |= node->second != SL_NONE;
    has[WRITTEN_OUT] |= node->kind == SL_ALLOCATION || node->kind == SL_RECLAMATION;
    for (unsigned i = 0; i < node->outputs.count; i++)
        has[UPDATES] |= draft_list_has(&node->inputs, node->outputs.items[i]);
}

static void note_objects(const struct draft *d, bool *has)
{
    bool reclaimed[DRAFT_OBJECTS] = {false};
    for (unsigned i = 0; i < d->node_count; i++)
        if (d->nodes[i].kind == SL_RECLAMATION)
            reclaimed[d->nodes[i].object] = true;
    for (unsigned o = 0; o < d->object_count; o++) {
        has[ALIASES] |= d->objects[o].alias_of != SL_NONE;
        has[PERSISTENT] |= d->objects[o].persist;
        has[INITIAL] |= d->objects[o].initial == HBM;
        has[BEGINS_AWAY] |= d->objects[o].initial == PINNED;
        has[DERIVED] |= !reclaimed[o] && !d->objects[o].persist;
    }
}

static bool any_setting(const struct draft *d, const char *text)
{
    for (unsigned r = 0; r < DRAFT_RESOURCES; r++)
        if (d->resources[r].settings && strstr(d->resources[r].settings, text))
            return true;
    return false;
}

static void note_coverage(const struct draft *d, struct coverage *coverage)
{
    bool has[FEATURES] = {false}, kinds[SL_NODE_KINDS] = {false}, edges[SL_EDGE_TYPES] = {false};
    for (unsigned i = 0; i < d->node_count; i++) {
        kinds[d->nodes[i].kind] = true;
        note_node(d, &d->nodes[i], has);
    }
    for (unsigned e = 0; e < d->edge_count; e++) {
        edges[d->edges[e].type] = true;
        has[LAGS] |= d->edges[e].lag_ns > 0;
        has[NEXT_EDGES] |= d->edges[e].next > 0;
        has[HOLDS] |=
            d->edges[e].type == SL_EDGE_LIFETIME && d->nodes[d->edges[e].to].kind != SL_RECLAMATION;
    }
    note_objects(d, has);
    for (unsigned k = 0; k < d->overlap_count; k++)
        has[d->overlaps[k].allowed ? PERMITTED : FORBIDDEN] = true;
    for (unsigned k = 0; k < d->overlap_count; k++)
        has[WINDOWS] |= d->overlaps[k].latest_ns > 0;
    has[KAPPA_TABLE] = d->kappa;
    has[COSTS] = d->costs;
    has[FACTORS] = d->factors;
    has[STRICT] = any_setting(d, "strict");
    has[ISSUE_ORDER] = any_setting(d, "issue");
    has[TIGHT] = d->tight;
    has[LIMITED] = d->domains[HBM].capacity_mib >= 0;
    has[UNLIMITED] = !has[LIMITED];
    for (unsigned k = 0; k < SL_NODE_KINDS; k++)
        coverage->kinds[k] += kinds[k];
    for (unsigned k = 0; k < SL_EDGE_TYPES; k++)
        coverage->edges[k] += edges[k];
    for (unsigned k = 0; k < FEATURES; k++)
        coverage->features[k] += has[k];
}

/* ---- running --------------------------------------------------------------------------------- */

struct tally {
    unsigned plans, refused, trials, deadlocks, misfits; /* plans that do not fit in order */
    unsigned refuted; /* records made wrong that a proof refused */
    unsigned far;     /* moves from or to the disk, which no route joins with where they are used */
};

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
                  struct tally *tally)
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
                     const char *policy, struct tally *tally)
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

static void run_policies(const struct random_scenario *made, const struct sl_scenario *scenario,
                         uint64_t seed, struct tally *tally)
{
    for (uint32_t p = 0; p < scenario->policy_count; p++) {
        const struct sl_policy_spec *policy = &scenario->policies[p];
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
            tally->far += sl_node_moves(plan.graph->nodes[n].kind) &&
                          plan.graph->nodes[n].from >= DRAFT_DOMAINS;
        if (status == SL_OK)
            run_plan(&plan, scenario->iterations, seed, policy->name, tally);
        sl_plan_free(&plan);
        sl_diags_free(&diags);
    }
}

static void run_seed(struct tempdir *dir, uint64_t seed, struct tally *tally)
{
    static struct random_scenario made;
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    random_scenario_make(&made, seed);
    if (seed % 4 == 3)
        random_scenario_send_far(&made, seed % 8 == 7 ? 6 : 0);
    draft_write(&made.draft, dir);
    enum sl_status status = sl_scenario_load(&scenario, dir->path, NULL, 0, &diags, &err);
    if (status != SL_OK)
        sl_diags_print(&diags, stderr);
    ck_assert_msg(status == SL_OK, "seed %llu: %s", (unsigned long long)seed, err.message);
    run_policies(&made, &scenario, seed, tally);
    if (seed % 5 == 0) {
        scenario.iterations = 3;
        run_policies(&made, &scenario, seed, tally);
    }
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}

START_TEST(legal_scenarios_run)
{
    struct tempdir dir;
    struct tally tally = {0};
    uint64_t count = sl_test_long() ? 1000 : 60;
    tempdir_make(&dir);
    for (uint64_t seed = (uint64_t)_i * count; seed < ((uint64_t)_i + 1) * count; seed++)
        run_seed(&dir, seed, &tally);
    tempdir_remove(&dir);
    ck_assert_uint_gt(tally.refuted, tally.trials / 20); /* wrong records were really made */
    ck_assert_uint_gt(tally.far, tally.plans / 20);
    printf("# part %d: %u plans (%u refused), %u trials, %u deadlocked, %u made wrong, %u from a "
           "disk\n",
           _i, tally.plans, tally.refused, tally.trials, tally.deadlocks, tally.refuted, tally.far);
}
END_TEST

/* The scenarios are about what they claim to be about. */
START_TEST(everything_occurs)
{
    static struct random_scenario made;
    struct coverage coverage = {0};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        random_scenario_make(&made, seed);
        note_coverage(&made.draft, &coverage);
    }
    for (unsigned k = 0; k < SL_NODE_KINDS; k++)
        ck_assert_msg(coverage.kinds[k] >= LEAST, "%s occurs in %u of 1000",
                      sl_node_kind_name((enum sl_node_kind)k), coverage.kinds[k]);
    for (unsigned k = 0; k < SL_EDGE_TYPES; k++)
        ck_assert_msg(coverage.edges[k] >= LEAST, "%s occurs in %u of 1000",
                      sl_edge_type_name((enum sl_edge_type)k), coverage.edges[k]);
    for (unsigned k = 0; k < FEATURES; k++)
        ck_assert_msg(coverage.features[k] >= LEAST, "%s occurs in %u of 1000", feature_names[k],
                      coverage.features[k]);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("random_legal");
    TCase *c = tcase_create("scenarios");
    tcase_set_timeout(c, 0);
    tcase_add_test(c, everything_occurs);
    tcase_add_loop_test(c, legal_scenarios_run, 0, PARTS);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
