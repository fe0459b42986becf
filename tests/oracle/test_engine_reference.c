/* The engine against the reference simulator, event by event: starts, finishes, states, causes and
 * who is behind them, bypasses, peaks, and the bytes of each domain at every instant.
 *
 * Two kinds of cases.  Random planned graphs made by calls: several resources with one or more
 * servers, groups, classes with contention (pairs, sets, links, unknown pairs at both corners),
 * demands of several units and resources, every waiting order, strict and backfill, aging, lanes,
 * lags, releases, capacity with holdings and workspace, fragmentation, pipelined latency, pairs
 * that must not overlap or only within a window, guards, fallbacks, and several iterations with
 * edges between them, which the reference knows by arithmetic and the engine by an unrolled graph.
 * And random legal scenarios, read from their files and planned: as given, and by one other policy
 * each. */
#include "config.h"

#include "lab.h"
#include "policy.h"
#include "random_graph.h"
#include "random_scenario.h"
#include "reference_check.h"
#include "unroll.h"

/* Graphs and scenarios of each part; parts run as test cases of their own. */
#define PARTS     (sl_test_long() ? 10 : 4)
#define GRAPHS    1000u
#define SCENARIOS (sl_test_long() ? 1000u : 100u)

/* ---- graphs made by calls -------------------------------------------------------------------- */

/* Runs an unrolled copy; what comes back is the graph of one iteration, by which the reference goes
 * and which outlives the copy. */
static struct sl_graph *unroll(struct lab *lab, uint32_t iterations)
{
    struct sl_graph *one = lab->graph;
    struct sl_plan plan = {.graph = sl_graph_copy(one)};
    ck_assert_ptr_nonnull(plan.graph);
    lab->graph = plan.graph;
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
    if (iterations > 1)
        LAB_OK(lab, sl_plan_unroll(&plan, iterations, &lab->err));
    return one;
}

static void check_graph(uint64_t seed, struct ref_tally *tally)
{
    static struct lab lab;
    struct random_features f;
    char what[64];
    lab_open(&lab);
    random_graph_make(&lab, seed, &f);
    struct sl_graph *one = unroll(&lab, f.iterations);
    snprintf(what, sizeof what, "graph %llu", (unsigned long long)seed);
    struct ref_case c = {one,  f.iterations,         lab.graph, &lab.options,
                         seed, (uint32_t)(seed % 7), what};
    ref_check(&c, tally);
    lab_close(&lab);
    sl_graph_free(one);
}

/* ---- scenarios ------------------------------------------------------------------------------- */

static void check_plan(const struct sl_scenario *scenario, const struct sl_policy_spec *policy,
                       uint64_t seed, struct ref_tally *tally)
{
    struct sl_plan plan;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char what[128];
    snprintf(what, sizeof what, "scenario %llu, %u iterations, policy %s", (unsigned long long)seed,
             scenario->iterations, policy->name);
    if (sl_policy_plan(&plan, scenario, policy, &diags, &err) == SL_OK) {
        struct ref_case c = {plan.graph, 1, plan.graph, &plan.engine, seed, 0, what};
        ref_check(&c, tally);
    }
    sl_plan_free(&plan);
    sl_diags_free(&diags);
}

/* Policies that nothing about a trial tells apart from as-given do not plan. */
static void check_scenario(struct tempdir *dir, uint64_t seed, struct ref_tally *tally)
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
    ck_assert_msg(status == SL_OK, "scenario %llu: %s", (unsigned long long)seed, err.message);
    scenario.iterations = seed % 8 == 5 ? 2 : 1;
    const struct sl_policy_spec *given = sl_scenario_policy(&scenario, "as-given");
    if (given)
        check_plan(&scenario, given, seed, tally);
    check_plan(&scenario, &scenario.policies[seed % scenario.policy_count], seed, tally);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}

/* ---- what was compared ----------------------------------------------------------------------- */

/* Of 1000 graphs, and of 1000 plans of scenarios, those in which it must happen: less than half of
 * what the generators give, so that the agreement can't become one about nothing. */
static const struct {
    enum ref_event event;
    unsigned of_graphs, of_plans;
} least[] = {{REF_GUARD_FAILED, 200, 400},
             {REF_CANCELLED_BY_GUARD, 60, 20},
             {REF_CANCELLED_LATE, 150, 50},
             {REF_FALLBACK_RAN, 130, 60},
             {REF_FALLBACK_IDLE, 130, 150},
             {REF_FALLBACK_TOO_LATE, 3, 0},
             {REF_WAITED_UNITS, 300, 400},
             {REF_WAITED_TURN, 40, 30},
             {REF_WAITED_STRICT, 20, 0},
             {REF_WAITED_BYTES, 100, 30},
             {REF_WAITED_OVERLAP, 70, 20},
             {REF_WINDOW_OPENED, 6, 0},
             {REF_LANE, 200, 200},
             {REF_LAG, 150, 200},
             {REF_RELEASE, 200, 40},
             {REF_LATENCY, 120, 250},
             {REF_BYPASSED, 150, 60},
             {REF_OVERTOOK, 60, 20},
             {REF_AGED, 20, 30},
             {REF_SLOWED, 200, 150},
             {REF_SLOWED_BY_TWO, 100, 30},
             {REF_SET_ROW, 12, 0},
             {REF_UNKNOWN_PAIR, 100, 80},
             {REF_BANDWIDTH, 25, 0},
             {REF_ROUNDS, 400, 400},
             {REF_DEADLOCK, 50, 30}};

static void report(const char *name, int part, const struct ref_tally *tally)
{
    printf("# %s %d: %u cases of %u nodes in all, %u records; all at once in %u\n", name, part,
           tally->graphs, tally->nodes, tally->ways, tally->together);
    for (int e = 0; e < REF_EVENTS; e++)
        printf("#   %s: %u\n", ref_event_names[e], tally->seen[e]);
}

START_TEST(graphs_agree)
{
    struct ref_tally tally = {0};
    for (uint32_t k = 0; k < GRAPHS; k++)
        check_graph((uint64_t)_i * GRAPHS + k, &tally);
    report("graphs", _i, &tally);
    for (size_t k = 0; k < sizeof least / sizeof *least; k++)
        ck_assert_msg(tally.seen[least[k].event] * 1000 >= least[k].of_graphs * tally.graphs,
                      "%s: in %u of %u graphs", ref_event_names[least[k].event],
                      tally.seen[least[k].event], tally.graphs);
    ck_assert_uint_ge(tally.together * 1000, 8 * tally.graphs);
    ck_assert_uint_lt(tally.seen[REF_DEADLOCK] * 2, tally.graphs);
}
END_TEST

START_TEST(scenarios_agree)
{
    struct ref_tally tally = {0};
    struct tempdir dir;
    tempdir_make(&dir);
    for (uint32_t k = 0; k < SCENARIOS; k++)
        check_scenario(&dir, (uint64_t)_i * SCENARIOS + k, &tally);
    tempdir_remove(&dir);
    report("plans of scenarios", _i, &tally);
    for (size_t k = 0; k < sizeof least / sizeof *least; k++)
        ck_assert_msg(tally.seen[least[k].event] * 1000 >= least[k].of_plans * tally.graphs,
                      "%s: in %u of %u plans", ref_event_names[least[k].event],
                      tally.seen[least[k].event], tally.graphs);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("engine_reference");
    TCase *c = tcase_create("random graphs");
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, graphs_agree, 0, PARTS);
    suite_add_tcase(s, c);
    c = tcase_create("random scenarios");
    tcase_set_timeout(c, 0);
    tcase_add_loop_test(c, scenarios_agree, 0, PARTS);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
