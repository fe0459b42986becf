/* Mode iterate against closed forms and timelines computed by hand, from the tables of a scenario
 * to the time per iteration.  The equation stands above each case. */
#include "config.h"

#include "by_hand.h"
#include "cell.h"
#include <math.h>

/* Loads, plans (as-given) and runs one trial.  `more`: further lines of scenario.yaml. */
static void run_tables(uint32_t iterations, uint32_t warmup, const char *more, const char *nodes,
                       const char *objects, const char *edges, const char *overlap)
{
    char yaml[1200];
    snprintf(yaml, sizeof yaml,
             "name: loop\nresources: {a: {servers: 1}, b: {servers: 1}, r: {servers: unlimited}}\n"
             "run: {mode: iterate, iterations: %u, warmup: %u}\n%s",
             iterations, warmup, more);
    timeline_run(yaml, nodes, objects, edges, overlap);
}

/* Time per iteration of a cell of 20 trials. */
static struct sl_estimate per_iteration(void)
{
    struct sl_cell cell;
    struct sl_cell_spec spec = {.policy = "as-given"};
    struct sl_run_options options = {.trials = 20};
    enum sl_status status =
        sl_cell_run(&cell, &lab.scenario, sl_scenario_policy(&lab.scenario, "as-given"), &spec,
                    &options, &lab.diags, &lab.err);
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
    struct sl_estimate mean = cell.iteration_mean;
    ck_assert(mean.value == cell.iteration_median.value); /* all trials are alike */
    sl_cell_free(&cell);
    return mean;
}

/* Two stages x and y on machines of their own, pipelined over N iterations, the first stage in
 * order by an edge of scope next:  makespan = N max(x, y) + min(x, y). Iteration k ends at k max +
 * min, so that an iteration takes max(x, y) after any warm-up >= 1, and (N max + min) / N without.
 */
START_TEST(pipeline_of_two_stages)
{
    static const struct {
        int x, y, n, w;
    } cases[] = {{3, 5, 7, 2}, {5, 3, 7, 1}, {4, 4, 6, 5}, {2, 6, 10, 0}};
    int x = cases[_i].x, y = cases[_i].y, n = cases[_i].n, w = cases[_i].w;
    int max = x > y ? x : y, min = x > y ? y : x;
    char nodes[200];
    snprintf(nodes, sizeof nodes,
             "node,kind,resource,duration\nx,compute,a,%dus\ny,compute,b,%dus\n", x, y);
    run_tables((uint32_t)n, (uint32_t)w, "", nodes, NULL,
               "from,to,type,scope\nx,y,,\nx,x,ordering,next\n", NULL);
    ck_assert_int_eq(t->makespan_ps, (n * max + min) * US);
    double expected = w > 0 ? max : (double)(n * max + min) / n;
    ck_assert_double_eq_tol(per_iteration().value, expected, 1e-9);
}
END_TEST

/* Edges of scope next:2 into the first two iterations are met: x (1us, any number at once) runs in
 * pairs, at 0, 0, 1, 1, 2, 2. */
START_TEST(the_first_iterations_wait_for_nobody)
{
    run_tables(6, 0, "", "node,kind,resource,duration\nx,compute,r,1us\n", NULL,
               "from,to,type,scope\nx,x,ordering,next:2\n", NULL);
    ck_assert_int_eq(t->makespan_ps, 3 * US);
    starts("x@2", 0);
    starts("x@3", 1);
    cause("x@3", SL_CAUSE_ORDERING, "x");
    starts("x@6", 2);
    cause("x@6", SL_CAUSE_ORDERING, "x@4");
}
END_TEST

/* Double buffering: the producer (1us) may be two iterations ahead of the consumer (5us): it starts
 * iteration k > 2 when iteration k - 2 is consumed, at 1 + 5 (k - 2).  By an edge, or by the bytes
 * of two buffers; unbounded it would start at k - 1. */
START_TEST(double_buffering)
{
    static const char nodes[] = "node,kind,resource,duration,inputs,outputs\n"
                                "p,compute,a,1us,,X\nc,compute,b,5us,X,\n";
    static const char *const memory[] = {"domains: {hbm: {capacity: 99B, reserve: 0B}}\n",
                                         "domains: {hbm: {capacity: 9B, reserve: 0B}}\n",
                                         "domains: {hbm: {capacity: 99B, reserve: 0B}}\n"};
    run_tables(8, 2, memory[_i], nodes, "object,size\nX,4B\n",
               _i == 0 ? "from,to,type,scope\nc,p,lifetime-hold,next:2\n" : NULL, NULL);
    ck_assert_int_eq(t->makespan_ps, (1 + 5 * 8) * US);
    starts("p@2", 1);
    for (int k = 3; k <= 8; k++) {
        char name[16], before[16];
        snprintf(name, sizeof name, "p@%d", k);
        snprintf(before, sizeof before, k > 3 ? "c@%d" : "c", k - 2);
        starts(name, _i < 2 ? 1 + 5 * (k - 2) : k - 1);
        if (_i < 2)
            cause(name, _i == 0 ? SL_CAUSE_LIFETIME : SL_CAUSE_CAPACITY, before);
    }
    /* Two buffers of 4 bytes; or one more for every 1us by which the producer is ahead. */
    ck_assert_int_eq(t->peak_bytes[0], _i < 2 ? 8 : 4 * 7);
}
END_TEST

/* A lane goes on from one iteration to the next: x y x y ..., 3us each. */
START_TEST(lanes_go_on)
{
    run_tables(4, 1, "", "node,kind,resource,duration,lane\nx,compute,r,1us,s\ny,compute,r,2us,s\n",
               NULL, NULL, NULL);
    ck_assert_int_eq(t->makespan_ps, 12 * US);
    starts("x@3", 6);
    cause("x@3", SL_CAUSE_LANE, "y@2");
    ck_assert_double_eq_tol(per_iteration().value, 3, 1e-9);
}
END_TEST

/* Weights W (4 bytes) are there once; the step u writes them, so the next f reads them after that
 * although no edge says so: 3us an iteration, at a peak of 4 + 3 bytes. */
START_TEST(weights_are_shared)
{
    static const char nodes[] = "node,kind,resource,duration,inputs,outputs\n"
                                "f,compute,r,1us,W,X\nu,compute,r,2us,X,W\n";
    static const char *const objects[] = {"object,size,initial,persist\nW,4B,hbm,yes\nX,3B,,\n",
                                          "object,size,initial,persist\nW,4B,hbm,\nX,3B,,\n"};
    run_tables(5, 1, "domains: {hbm: {capacity: 99B, reserve: 0B}}\n", nodes, objects[_i], NULL,
               NULL);
    ck_assert_int_eq(t->makespan_ps, 15 * US);
    starts("f@2", 3);
    cause("f@2", SL_CAUSE_DATA, "u");
    ck_assert_int_eq(t->peak_bytes[0], 7);
    /* 4 bytes all the time, 3 from each f's start to u's end: all the time as well. */
    ck_assert_double_eq_tol(t->pressure_byte_s[0], 7 * 15e-6, 1e-15);
}
END_TEST

/* Weights that are only read order nothing: two servers' worth of readers run at once. */
START_TEST(readers_of_shared_weights_are_free)
{
    run_tables(4, 1, "domains: {hbm: {capacity: 99B, reserve: 0B}}\n",
               "node,kind,resource,duration,inputs\nf,compute,r,1us,W\n",
               "object,size,initial\nW,4B,hbm\n", NULL, NULL);
    ck_assert_int_eq(t->makespan_ps, US);
    ck_assert_int_eq(t->peak_bytes[0], 4);
}
END_TEST

/* A cache that the first iteration makes and nothing reclaims is taken once: 4 bytes, not 4 x 3;
 * writers go one after the other. */
START_TEST(persistent_objects_are_taken_once)
{
    run_tables(3, 1, "domains: {hbm: {capacity: 5B, reserve: 0B}}\n",
               "node,kind,resource,duration,outputs\nf,compute,r,1us,K\n",
               "object,size,persist\nK,4B,yes\n", NULL, NULL);
    ck_assert_int_eq(t->outcome, SL_DONE);
    ck_assert_int_eq(t->makespan_ps, 3 * US);
    cause("f@2", SL_CAUSE_ORDERING, "f");
    ck_assert_int_eq(t->peak_bytes[0], 4);
}
END_TEST

/* q of iteration i + 1 uses what p made in iteration i: X@1 and X@2 (4 bytes each, from 0) are kept
 * until q@2 and q@3 are done, 1 + 3us; X@3, which nobody uses, until 1us. */
START_TEST(a_later_iteration_keeps_the_copy)
{
    static const char *const types[] = {"data-ready", "lifetime-hold", "ordering"};
    char edges[100];
    snprintf(edges, sizeof edges, "from,to,type,object,scope\np,q,%s,X,next\n", types[_i]);
    run_tables(3, 1, "domains: {hbm: {capacity: 99B, reserve: 0B}}\n",
               "node,kind,resource,duration,outputs\np,compute,r,1us,X\nq,compute,r,3us,\n",
               "object,size\nX,4B\n", edges, NULL);
    starts("q", 0);
    starts("q@3", 1);
    ck_assert_int_eq(t->peak_bytes[0], 12);
    /* An ordering edge keeps nothing. */
    ck_assert_double_eq_tol(t->pressure_byte_s[0], (_i < 2 ? 4 + 4 + 1 : 3) * 4e-6, 1e-15);
}
END_TEST

/* A policy's moves happen in every iteration, and the copy that came back is what the next one
 * finds: W (8 of 10 bytes) goes out and comes back in each, at the end it is where it was. */
START_TEST(offloads_come_back_for_the_next_iteration)
{
    planlab_open_tables(
        &lab,
        "name: out\nresources: {r: {servers: 1}, link: {servers: 1}}\n"
        "domains: {hbm: {capacity: 10B, reserve: 0B}, host: {capacity: 10B, reserve: 0B}}\n"
        "routes:\n"
        "  - {from: hbm, to: host, resource: link, bandwidth: 8MB/s}\n"
        "  - {from: host, to: hbm, resource: link, bandwidth: 8MB/s}\n"
        "run: {mode: iterate, iterations: 3, warmup: 1}\n"
        "policies: [{name: out, action: offload, select: all}]\n",
        "node,kind,resource,duration,inputs,outputs,lane\n"
        "w,compute,r,1us,W,,s\nbig,compute,r,9us,,Y,s\nuse,compute,r,1us,Y,,s\nr,compute,r,1us,W,,"
        "s\n",
        "object,size,home,initial\nW,8B,hbm,hbm\nY,8B,hbm,\n", NULL, NULL);
    graph = planlab_plan(&lab, "out");
    run = (struct planlab_run){0};
    t = planlab_trial(&lab, &run);
    ck_assert_int_eq(t->outcome, SL_DONE);
    ck_assert_uint_eq(planlab_count(graph, "offload:W"), 3);
    /* w 1us and the copy out from the start (1us): big starts at 1, use ends at 11; the copy back
     * takes 1us, r 1us: 13us each, w@2 reads the copy that came back. */
    ck_assert_int_eq(t->makespan_ps, 3 * 13 * US);
    starts("w@2", 13);
    ck_assert_int_eq(t->peak_bytes[0], 8);
}
END_TEST

/* Iterations have draws of their own: x@2 is drawn as a node with that key would be. */
START_TEST(draws_per_iteration)
{
    static const char nodes[] =
        "node,kind,resource,duration\nx,compute,r,\"uniform(low=1us, high=9us)\"\n";
    run_tables(3, 1, "", nodes, NULL, NULL, NULL);
    int64_t drawn[] = {t->duration_ps[node("x")], t->duration_ps[node("x@2")],
                       t->duration_ps[node("x@3")]};
    timeline_close();
    planlab_open(&lab, "name: keys\nresources: {r: {servers: unlimited}}\n",
                 "node,key,kind,resource,duration\n"
                 "p,x,compute,r,\"uniform(low=1us, high=9us)\"\n"
                 "q,x@2,compute,r,\"uniform(low=1us, high=9us)\"\n"
                 "s,x@3,compute,r,\"uniform(low=1us, high=9us)\"\n",
                 NULL);
    graph = planlab_plan(&lab, "as-given");
    run = (struct planlab_run){0};
    t = planlab_trial(&lab, &run);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(t->duration_ps[i], drawn[i]);
    ck_assert(drawn[0] != drawn[1] && drawn[1] != drawn[2]);
}
END_TEST

/* Share of 400 trials in which two nodes fared alike: ran both or neither, or took equally long. */
static double alike(const char *a, const char *b)
{
    uint32_t i = node(a), j = node(b), equal = 0;
    for (uint32_t trial = 0; trial < 400; trial++) {
        const struct sl_trial *record;
        ck_assert_int_eq(sl_worker_run(run.worker, 1, trial, 0, &record, &lab.err), SL_OK);
        equal += record->state[i] == record->state[j] &&
                 record->duration_ps[i] == record->duration_ps[j];
    }
    return equal / 400.0;
}

/* Guards of scope iteration, layer and node are drawn in every iteration, of scope job once.  Two
 * independent ones of probability 0.5 are alike in half of the trials: 0.5 +- 5 x 0.025 holds but
 * for a chance of 6e-7 per check, fixed seed. */
START_TEST(guards_per_scope)
{
    static const struct {
        const char *scope;
        bool within, across;
    } cases[] = {{"iteration", true, false},
                 {"layer", true, false},
                 {"node", false, false},
                 {"job", true, true}};
    char more[100];
    snprintf(more, sizeof more, "guards: {g: {probability: 0.5, scope: %s}}\n", cases[_i].scope);
    run_tables(
        3, 1, more,
        "node,kind,resource,duration,guard,layer\nx,compute,r,1us,g,L\ny,compute,r,1us,g,L\n", NULL,
        NULL, NULL);
    double within = alike("x@2", "y@2"), across = alike("x", "x@2"), later = alike("x@2", "x@3");
    ck_assert(cases[_i].within ? within == 1 : fabs(within - 0.5) < 0.125);
    ck_assert(cases[_i].across ? across == 1 : fabs(across - 0.5) < 0.125);
    ck_assert(cases[_i].across ? later == 1 : fabs(later - 0.5) < 0.125);
}
END_TEST

/* A factor per iteration is one draw for all nodes of an iteration, and another in the next. */
START_TEST(factors_per_iteration)
{
    run_tables(
        3, 1, "factors: {clock: {draw: 'uniform(low=1, high=2)', per: iteration, nodes: '[xy]'}}\n",
        "node,kind,resource,duration\nx,compute,r,1us\ny,compute,r,1us\n", NULL, NULL, NULL);
    ck_assert(alike("x", "y") == 1 && alike("x@3", "y@3") == 1);
    ck_assert(alike("x", "x@2") == 0 && alike("x@2", "x@3") == 0);
}
END_TEST

/* A rule about the nodes x and y is one about all their iterations: both x (3us) start at 0, both y
 * wait for both of them. */
START_TEST(rules_hold_for_all_iterations)
{
    run_tables(2, 1, "", "node,kind,resource,duration\nx,compute,r,3us\ny,compute,r,2us\n", NULL,
               NULL, "a,b,allowed\nx,y,no\n");
    starts("x@2", 0);
    starts("y", 3);
    starts("y@2", 3);
    ck_assert_int_eq(t->cause[node("y@2")], SL_CAUSE_OVERLAP);
    ck_assert_int_eq(t->makespan_ps, 5 * US);
}
END_TEST

static enum sl_status plan_fails(const char *nodes, const char *objects)
{
    planlab_open_tables(&lab,
                        "name: no\nresources: {r: {servers: 1}}\n"
                        "domains: {hbm: {capacity: 9B, reserve: 0B}}\n"
                        "run: {mode: iterate, iterations: 12}\n",
                        nodes, objects, NULL, NULL);
    run = (struct planlab_run){0};
    return sl_policy_plan(&lab.plan, &lab.scenario, sl_scenario_policy(&lab.scenario, "as-given"),
                          &lab.diags, &lab.err);
}

START_TEST(what_cannot_be_iterated)
{
    if (_i == 0) {
        ck_assert_int_eq(plan_fails("node,kind,resource,duration\nx@12,compute,r,1us\n", NULL),
                         SL_NO);
        ck_assert_ptr_nonnull(strstr(lab.err.message, "'x@12'"));
    } else if (_i == 1) {
        ck_assert_int_eq(plan_fails("node,kind,resource,duration\nx@13,compute,r,1us\n", NULL),
                         SL_OK);
    } else {
        ck_assert_int_eq(plan_fails("node,kind,resource,duration,inputs,object,lane\n"
                                    "x,compute,r,1us,W,,s\nfree,reclamation,,,,W,s\n",
                                    "object,size,initial\nW,4B,hbm\n"),
                         SL_NO);
        ck_assert_ptr_nonnull(strstr(lab.err.message, "object 'W' is in 'hbm' at the start"));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("iterate_oracles");
    TCase *c = tcase_create("iterate");
    tcase_add_checked_fixture(c, NULL, timeline_close);
    tcase_add_loop_test(c, pipeline_of_two_stages, 0, 4);
    tcase_add_test(c, the_first_iterations_wait_for_nobody);
    tcase_add_loop_test(c, double_buffering, 0, 3);
    tcase_add_test(c, lanes_go_on);
    tcase_add_loop_test(c, weights_are_shared, 0, 2);
    tcase_add_test(c, readers_of_shared_weights_are_free);
    tcase_add_test(c, persistent_objects_are_taken_once);
    tcase_add_loop_test(c, a_later_iteration_keeps_the_copy, 0, 3);
    tcase_add_test(c, offloads_come_back_for_the_next_iteration);
    tcase_add_test(c, draws_per_iteration);
    tcase_add_loop_test(c, guards_per_scope, 0, 4);
    tcase_add_test(c, factors_per_iteration);
    tcase_add_test(c, rules_hold_for_all_iterations);
    tcase_add_loop_test(c, what_cannot_be_iterated, 0, 3);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
