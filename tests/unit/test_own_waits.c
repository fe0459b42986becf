/* Waits from readiness in the plan's own graph: without anything inserted they are the engine's;
 * with inserted edges and queues of known delays, closed forms. */
#include <config.h>

#include "cell.h"
#include "own_waits.h"
#include "planlab.h"
#include "recompute.h"

#define US INT64_C(1000000)

static struct planlab lab;
static struct sl_reply reply;
static struct sl_recomputed made;
static struct sl_cell cell;
static struct sl_own_waits found;

/* Three works of 10, 20 and 30 us that may run side by side, and one of 5 us after a. */
static const char *const nodes = "node,kind,class,resource,duration\n"
                                 "a,compute,gemm,sm,10us\n"
                                 "b,compute,gemm,sm,20us\n"
                                 "c,compute,copy,sm,30us\n"
                                 "d,compute,copy,sm,5us\n";

static void open_with(const char *constraints, int servers)
{
    char yaml[400];
    snprintf(yaml, sizeof yaml,
             "name: t\nnodes: nodes.csv\nedges: edges.csv\nresources: {sm: {servers: %d}}\n"
             "objective: {tail: 0.9, constraints: [%s]}\ntrials: 30\n"
             "policies: [{name: p, action: as-given}]\n",
             servers, constraints);
    planlab_open_tables(&lab, yaml, nodes, NULL, "from,to,type\na,d,ordering\n", NULL);
    planlab_plan(&lab, "p");
    reply = (struct sl_reply){.runtime = "r", .feasible = SL_REPLY_CONSTRAINED};
}

static void teardown(void)
{
    sl_cell_free(&cell);
    sl_recomputed_free(&made);
    sl_reply_free(&reply);
    planlab_close(&lab);
}

static uint32_t node(const char *name)
{
    return sl_names_find(&lab.plan.graph->node_names, name);
}

static void add_edge(const char *from, const char *to, int64_t lag_ps)
{
    struct sl_reply_edge *edge = SL_REPLY_ADD(reply.edges);
    *edge = (struct sl_reply_edge){node(from), node(to), SL_EDGE_ORDERING, lag_ps, "test", {0}};
}

static void add_queue(const char *name, const char *const *names, uint32_t count)
{
    struct sl_reply_queue *queue = SL_REPLY_ADD(reply.queues);
    queue->name = name;
    queue->nodes = malloc(count * sizeof *queue->nodes);
    for (uint32_t k = 0; k < count; k++)
        queue->nodes[queue->count++] = node(names[k]);
}

static void find(void)
{
    struct sl_cell_spec spec = {.policy = "p"};
    struct sl_run_options options = {.trials = 30, .seed_given = true, .seed = 1};
    ck_assert_int_eq(sl_recompute(&made, &lab.plan, &reply, &lab.err), SL_OK);
    ck_assert_int_eq(sl_cell_open_plan(&cell, &lab.scenario, &made.plan, &spec, &lab.err), SL_OK);
    ck_assert_int_eq(sl_cell_run_trials(&cell, &options, &lab.err), SL_OK);
    ck_assert_int_eq(sl_cell_finish(&cell, &options, &lab.diags, &lab.err), SL_OK);
    enum sl_status status =
        sl_own_waits_find(&found, &cell, lab.plan.graph, &reply, 1, NULL, &lab.err);
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
}

/* a -> b with 7 us: b was ready at 0 and starts at 10 + 7.  The engine sees nobody wait. */
START_TEST(behind_an_inserted_edge)
{
    open_with("max_wait <= 16us", 4);
    add_edge("a", "b", 7 * US);
    find();
    ck_assert_int_eq(cell.max_wait_ps[0], 0);
    ck_assert_int_eq(found.longest.wait_ps, 17 * US);
    ck_assert_int_eq(found.longest.inserted_ps, 17 * US);
    ck_assert_uint_eq(found.longest.node, node("b"));
    ck_assert_uint_eq(found.longest.before, node("a"));
    ck_assert_uint_eq(found.longest.edge, 0);
    ck_assert_uint_eq(found.longest.queue, SL_NONE);
    ck_assert_uint_eq(found.starved, 30); /* once in each trial */
}
END_TEST

/* A queue c, b, d: b waits 30 from 0 on; d, ready when a ends at 10, starts at 30 + 20: 40. */
START_TEST(behind_an_inserted_queue)
{
    static const char *const order[] = {"c", "b", "d"};
    open_with("max_wait <= 35us", 4);
    add_queue("stream 7", order, 3);
    find();
    ck_assert_int_eq(found.longest.wait_ps, 40 * US);
    ck_assert_uint_eq(found.longest.node, node("d"));
    ck_assert_uint_eq(found.longest.before, node("b"));
    ck_assert_uint_eq(found.longest.queue, 0);
    ck_assert_uint_eq(found.starved, 30);
}
END_TEST

/* a -> d is in the plan already; the runtime adds 9 us to it. */
START_TEST(a_lag_on_an_edge_of_the_plan)
{
    open_with("", 4);
    add_edge("a", "d", 9 * US);
    find();
    ck_assert_int_eq(found.longest.wait_ps, 9 * US);
    ck_assert_uint_eq(found.longest.node, node("d"));
    ck_assert_uint_eq(found.starved, 0); /* there is no bound */
}
END_TEST

/* An inserted edge that nobody waits for: what is left is the wait for the one server, by itself:
 * a, b, c from 0 on, d from 10 on: 0, 10, 30, 60 - 10. */
START_TEST(behind_the_plan_itself)
{
    open_with("", 1);
    add_edge("a", "c", 0);
    find();
    ck_assert_int_eq(found.longest.wait_ps, 50 * US);
    ck_assert_int_eq(found.longest.inserted_ps, 0);
    ck_assert_uint_eq(found.longest.node, node("d"));
    ck_assert_int_eq(found.longest.cause, SL_CAUSE_QUEUE);
}
END_TEST

/* ---- the engine's own readiness ---------------------------------------------------------------
 */

static uint64_t compare(const struct sl_plan *plan, uint32_t trials)
{
    struct sl_arena arena = {0};
    struct sl_own_conditions own;
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    uint64_t compared = 0;
    ck_assert(sl_own_conditions_init(&own, plan->graph, &arena));
    ck_assert_int_eq(sl_program_create(&program, plan->graph, &plan->engine, &lab.err), SL_OK);
    ck_assert_int_eq(sl_worker_create(&worker, program, &lab.err), SL_OK);
    for (uint32_t t = 0; t < trials; t++) {
        ck_assert_int_eq(sl_worker_run(worker, 3, t, 0, &trial, &lab.err), SL_OK);
        for (uint32_t i = 0; i < plan->graph->node_count; i++) {
            if (trial->state[i] != SL_RAN)
                continue;
            int64_t ready = sl_own_readiness(&own, trial, i);
            ck_assert_msg(ready == trial->ready_ps[i], "%s in trial %u: %lld, not %lld",
                          plan->graph->nodes[i].name, t, (long long)ready,
                          (long long)trial->ready_ps[i]);
            compared++;
        }
    }
    sl_worker_free(worker);
    sl_program_free(program);
    sl_arena_free(&arena);
    return compared;
}

/* Every policy of a shipped scenario that has a plan at all. */
static void compare_all(const char *name)
{
    struct tempdir none;
    char path[4096];
    uint64_t compared = 0;
    snprintf(path, sizeof path, "%s/scenarios/%s", getenv("SL_SRCDIR"), name);
    tempdir_make(&none);
    lab = (struct planlab){.dir = none};
    enum sl_status status = sl_scenario_load(&lab.scenario, path, NULL, 0, &lab.diags, &lab.err);
    ck_assert_msg(status == SL_OK, "%s: %s", path, lab.err.message);
    for (uint32_t p = 0; p < lab.scenario.policy_count; p++) {
        sl_plan_free(&lab.plan);
        lab.plan = (struct sl_plan){0};
        if (sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[p], &lab.diags,
                           &lab.err) == SL_OK)
            compared += compare(&lab.plan, 5);
    }
    ck_assert_uint_gt(compared, 20);
}

START_TEST(nothing_inserted_is_the_engines_readiness)
{
    static const char *const names[] = {"hello", "weight-stream", "moe-prefetch", "two-gpu",
                                        "activation-remat"};
    compare_all(names[_i]);
}
END_TEST

/* Guards, lanes, releases, lags and a chain of fallbacks: w is late in about half of the trials,
 * its fallback f has a guard of its own, and g stands in for that. */
START_TEST(with_guards_and_fallbacks)
{
    planlab_open_tables(
        &lab,
        "name: t\nnodes: nodes.csv\nedges: edges.csv\nresources: {sm: {servers: 2}}\n"
        "guards: {hit: {probability: 0.5, scope: job}}\n"
        "policies: [{name: p, action: as-given}]\n",
        "node,kind,resource,duration,lane,release,deadline,guard,fallback\n"
        "s,compute,sm,\"uniform(low=10us, high=50us)\",l,3us,,,\n"
        "w,compute,sm,10us,,,40us,,f\n"
        "f,compute,sm,4us,,,,hit,g\n"
        "g,compute,sm,6us,,,,,\n"
        "v,compute,sm,7us,l,,,,\n"
        "z,compute,sm,1us,,25us,,,\n",
        NULL, "from,to,type,lag\ns,w,ordering,1us\nw,z,ordering,2us\ns,g,ordering,\n", NULL);
    const struct sl_policy_spec *spec = sl_scenario_policy(&lab.scenario, "p");
    ck_assert_int_eq(sl_policy_plan(&lab.plan, &lab.scenario, spec, &lab.diags, &lab.err), SL_OK);
    ck_assert_uint_ge(compare(&lab.plan, 200), 800);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("own_waits");
    TCase *tc = tcase_create("own_waits");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, behind_an_inserted_edge);
    tcase_add_test(tc, behind_an_inserted_queue);
    tcase_add_test(tc, a_lag_on_an_edge_of_the_plan);
    tcase_add_test(tc, behind_the_plan_itself);
    tcase_add_loop_test(tc, nothing_inserted_is_the_engines_readiness, 0, 5);
    tcase_add_test(tc, with_guards_and_fallbacks);
    suite_add_tcase(all, tc);
    return all;
}

int main(void)
{
    return sl_test_run(suite());
}
