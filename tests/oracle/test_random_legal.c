/* Six hundred random legal scenarios, of all kinds of nodes and edges: none is called illegal,
 * every policy plans each and runs it to the end, or into a deadlock that is named, and an audit
 * that shares no code with the engine finds nothing wrong in any record; nor do the proofs of
 * `explain`.  Every fifth one also runs for three iterations; every fourth one has objects that go
 * over two routes, half of them chunk by chunk. */
#include <config.h>

#include "harness.h"
#include "random_runs.h"

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

static void run_policies(const struct random_scenario *made, const struct sl_scenario *scenario,
                         uint64_t seed, struct random_tally *tally)
{
    for (uint32_t p = 0; p < scenario->policy_count; p++)
        random_policy_run(made, scenario, &scenario->policies[p], seed, tally);
}

static void run_seed(struct tempdir *dir, uint64_t seed, struct random_tally *tally)
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
    struct random_tally tally = {0};
    uint64_t count = sl_test_cases(sl_test_long() ? 1000 : 60);
    tempdir_make(&dir);
    for (uint64_t seed = (uint64_t)_i * count; seed < ((uint64_t)_i + 1) * count; seed++)
        run_seed(&dir, seed, &tally);
    tempdir_remove(&dir);
    ck_assert_uint_gt(tally.refuted, tally.trials / 20); /* wrong records were really made */
    ck_assert_uint_gt(tally.far, tally.plans / 50);
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
