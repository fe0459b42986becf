/* A plan with what a runtime inserts: makespans by hand, in exact picoseconds. */
#include <config.h>

#include "engine.h"
#include "planlab.h"
#include "recompute.h"
#include <math.h>

#define US INT64_C(1000000)

static struct planlab lab;
static struct sl_reply reply;
static struct sl_recomputed made;

static const char *const nodes =
    "node,kind,class,resource,duration,inputs,outputs,deadline,fallback\n"
    "a,compute,gemm,sm,10us,,x,,\n"
    "b,compute,gemm,sm,20us,,y,,\n"
    "c,compute,copy,sm,30us,,,,\n";

static void open_with(const char *table)
{
    planlab_open(&lab,
                 "name: t\nnodes: nodes.csv\nobjects: objects.csv\n"
                 "resources: {sm: {servers: 3}}\n"
                 "domains: {hbm: {capacity: 8MiB, reserve: 1MiB}}\n"
                 "policies: [{name: p, action: as-given}]\n",
                 table, "object,size,home\nx,3MiB,hbm\ny,3MiB,hbm\n");
    planlab_plan(&lab, "p");
    reply = (struct sl_reply){.runtime = "r", .feasible = SL_REPLY_CONSTRAINED};
}

static void teardown(void)
{
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

static void add_queue(const char *name, const char *first, const char *second, const char *third)
{
    const char *const names[] = {first, second, third};
    struct sl_reply_queue *queue = SL_REPLY_ADD(reply.queues);
    queue->name = name;
    queue->nodes = malloc(3 * sizeof *queue->nodes);
    for (int k = 0; k < 3 && names[k]; k++)
        queue->nodes[queue->count++] = node(names[k]);
}

static struct sl_reply_overhead *add_overhead(const char *text)
{
    struct sl_reply_overhead *overhead = SL_REPLY_ADD(reply.overheads);
    *overhead = (struct sl_reply_overhead){.node = SL_NONE, .klass = SL_NONE, .kind = -1};
    if (text)
        ck_assert_int_eq(sl_dist_parse(&overhead->dist, text, SL_DIST_TIME, NULL,
                                       (struct sl_place){0}, &reply.arena, &lab.err),
                         SL_OK);
    return overhead;
}

static struct sl_reply_limit *add_limit(void)
{
    struct sl_reply_limit *limit = SL_REPLY_ADD(reply.limits);
    *limit = (struct sl_reply_limit){.resource = SL_NONE, .domain = SL_NONE, .capacity = -1};
    return limit;
}

static int64_t run_trial(const struct sl_plan *plan, uint32_t trial)
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *record;
    enum sl_status status = sl_program_create(&program, plan->graph, &plan->engine, &lab.err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, &lab.err);
    if (status == SL_OK)
        status = sl_worker_run(worker, 1, trial, 0, &record, &lab.err);
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
    int64_t makespan = record->makespan_ps;
    sl_worker_free(worker);
    sl_program_free(program);
    return makespan;
}

static int64_t recompute(void)
{
    enum sl_status status = sl_recompute(&made, &lab.plan, &reply, &lab.err);
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
    return run_trial(&made.plan, 0);
}

static void refuse(const char *says)
{
    ck_assert_int_eq(sl_recompute(&made, &lab.plan, &reply, &lab.err), SL_NO);
    ck_assert_msg(strstr(lab.err.message, says) != NULL, "%s", lab.err.message);
}

/* a, b, c side by side: 30 us.  a -> b with 5 us: 10 + 5 + 20 = 35 us, and c takes 30 + 7. */
START_TEST(an_edge_and_an_overhead)
{
    open_with(nodes);
    ck_assert_int_eq(run_trial(&lab.plan, 0), 30 * US);
    add_edge("a", "b", 5 * US);
    add_overhead("7us")->node = node("c");
    ck_assert_int_eq(recompute(), 37 * US);
    ck_assert_uint_eq(made.edges, 1);
    ck_assert_uint_eq(made.overheads, 1);
    ck_assert_double_eq(made.overhead_us, 7);
    ck_assert_int_eq(run_trial(&lab.plan, 0), 30 * US); /* the plan itself is as it was */
}
END_TEST

/* One queue: 10 + 20 + 30; and with 1 us for each of a class, 2 us for each of a kind else:
 * (10 + 1) + (20 + 1) + (30 + 2). */
START_TEST(a_queue_and_its_overheads)
{
    open_with(nodes);
    add_queue("q", "a", "b", "c");
    add_overhead("1us")->klass = lab.plan.graph->nodes[node("a")].klass;
    add_overhead("2us")->kind = SL_COMPUTE;
    ck_assert_int_eq(recompute(), 64 * US);
    ck_assert_uint_eq(made.queue_edges, 2);
    ck_assert_uint_eq(made.pairs, 3);
    ck_assert_uint_eq(made.inversions, 0); /* all start at 0 in the plan */
    ck_assert_double_eq(made.overhead_us, 4);
}
END_TEST

/* An overhead that is not known adds nothing, and says so. */
START_TEST(an_unknown_overhead)
{
    open_with(nodes);
    add_overhead(NULL)->kind = SL_COMPUTE;
    ck_assert_int_eq(recompute(), 30 * US);
    ck_assert_uint_eq(made.unknown, 3);
    ck_assert(made.overhead_us != made.overhead_us);
}
END_TEST

/* The plan runs a, b, c by lane; the queue runs c, b, a: 3 of 3 pairs, and 10 + 20 + 30. */
START_TEST(order_is_held_against_the_plan)
{
    planlab_open(&lab,
                 "name: t\nnodes: nodes.csv\nresources: {sm: {servers: 1}}\n"
                 "policies: [{name: p, action: as-given}]\n",
                 "node,kind,resource,duration\na,compute,sm,10us\nb,compute,sm,20us\n"
                 "c,compute,sm,30us\n",
                 NULL);
    planlab_plan(&lab, "p");
    reply = (struct sl_reply){.runtime = "r", .feasible = SL_REPLY_CONSTRAINED};
    add_queue("q", "c", "b", "a");
    ck_assert_int_eq(recompute(), 60 * US);
    ck_assert_uint_eq(made.pairs, 3);
    ck_assert_uint_eq(made.inversions, 3);
    ck_assert_uint_eq(made.swap_count, 2);
    ck_assert_uint_eq(made.swaps[0].before, node("c"));
    ck_assert_uint_eq(made.swaps[0].after, node("b"));
}
END_TEST

/* One server: 10 + 20 + 30. */
START_TEST(fewer_servers)
{
    open_with(nodes);
    struct sl_reply_limit *limit = add_limit();
    limit->resource = 0;
    limit->servers = 1;
    ck_assert_int_eq(recompute(), 60 * US);
    ck_assert_uint_eq(lab.scenario.platform.resources[0].servers, 3);
}
END_TEST

/* 3 MiB each, of 7: both at once.  In pieces of 4 MiB they take 8: b waits for a, 10 + 20 = 30 us,
 * and with c's 30 us beside them the whole still takes 30; with 25 us for a, 45. */
START_TEST(granularity_of_allocations)
{
    open_with("node,kind,class,resource,duration,inputs,outputs\n"
              "a,compute,gemm,sm,25us,,x\nb,compute,gemm,sm,20us,,y\nc,compute,copy,sm,30us,,\n");
    ck_assert_int_eq(run_trial(&lab.plan, 0), 30 * US);
    struct sl_reply_limit *limit = add_limit();
    limit->domain = 0;
    limit->rounding = 4 << 20;
    ck_assert_int_eq(recompute(), 45 * US);
}
END_TEST

START_TEST(bytes_that_no_order_has_room_for)
{
    open_with("node,kind,class,resource,duration,inputs,outputs\n"
              "a,compute,gemm,sm,25us,,x\nb,compute,gemm,sm,20us,x,y\nc,compute,copy,sm,30us,y,\n");
    struct sl_reply_limit *limit = add_limit();
    limit->domain = 0;
    limit->rounding = 4 << 20;
    refuse("hbm");
}
END_TEST

START_TEST(a_cycle_is_named)
{
    open_with(nodes);
    add_edge("a", "b", 0);
    add_edge("b", "c", 0);
    add_edge("c", "a", 0);
    refuse("a -> b -> c -> a");
}
END_TEST

START_TEST(an_order_against_an_edge_is_a_cycle)
{
    open_with(nodes);
    add_edge("a", "b", 0);
    add_queue("q", "b", "a", NULL);
    refuse("->");
}
END_TEST

START_TEST(no_is_no)
{
    open_with(nodes);
    reply.feasible = SL_REPLY_NO;
    reply.why = "out of luck";
    refuse("out of luck");
}
END_TEST

/* b waits for a 100 us and would be cancelled at 50 - 20 = 30 us, when its fallback of 1 us takes
 * its place.  What is submitted is not cancelled: 100 + 20. */
START_TEST(what_is_submitted_runs)
{
    open_with("node,kind,class,resource,duration,inputs,outputs,deadline,fallback\n"
              "a,compute,gemm,sm,100us,,x,,\nb,compute,gemm,sm,20us,x,,50us,f\n"
              "f,compute,copy,sm,1us,,,,\n");
    ck_assert_int_eq(run_trial(&lab.plan, 0), 100 * US);
    struct sl_reply_kept *kept = SL_REPLY_ADD(reply.kept);
    kept->node = node("b");
    ck_assert_int_eq(recompute(), 120 * US);
    ck_assert_uint_eq(made.kept, 1);
}
END_TEST

/* A random overhead is drawn apart: the node's own draw stays, so that a trial grows by what lies
 * in [1, 3] us.  Of 2000 trials the mean is within 4 standard errors, 4 x 0.577 / sqrt(2000) us, of
 * 2, and its correlation with the own draw within 4 / sqrt(2000) of 0: false alarms below 2e-4. */
START_TEST(a_random_overhead_is_drawn_apart)
{
    enum { TRIALS = 2000 };
    static double before[TRIALS], grown[TRIALS];
    open_with("node,kind,class,resource,duration\n"
              "a,compute,gemm,sm,\"mixture(0.5*lognormal(mean=100us, cv=0.2), "
              "0.5*uniform(low=50us, high=60us))\"\n");
    add_overhead("uniform(low=1us, high=3us)")->kind = SL_COMPUTE;
    ck_assert_int_eq(sl_recompute(&made, &lab.plan, &reply, &lab.err), SL_OK);
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (uint32_t t = 0; t < TRIALS; t++) {
        before[t] = (double)run_trial(&lab.plan, t) / 1e6;
        grown[t] = (double)run_trial(&made.plan, t) / 1e6 - before[t];
        ck_assert_msg(grown[t] >= 1 - 1e-5 && grown[t] <= 3 + 1e-5, "%g", grown[t]);
        x += before[t] / TRIALS;
        y += grown[t] / TRIALS;
    }
    for (uint32_t t = 0; t < TRIALS; t++) {
        xx += (before[t] - x) * (before[t] - x);
        yy += (grown[t] - y) * (grown[t] - y);
        xy += (before[t] - x) * (grown[t] - y);
    }
    ck_assert_double_eq_tol(y, 2, 4 * 0.57735 / 44.72);
    ck_assert_double_eq_tol(xy / sqrt(xx * yy), 0, 4 / 44.72);
}
END_TEST

/* The law of the sum by itself: of two uniform laws a triangle, of which all is known. */
START_TEST(the_law_of_a_sum)
{
    struct sl_arena arena = {0};
    const struct sl_dist *u, *sum;
    ck_assert_int_eq(sl_dist_parse(&u, "uniform(low=0us, high=1us)", SL_DIST_TIME, NULL,
                                   (struct sl_place){0}, &arena, &lab.err),
                     SL_OK);
    sum = sl_dist_sum(u, 1, u, 1, "two", &arena);
    ck_assert_double_eq_tol(sl_dist_mean(sum), 1e6, 1e-3);
    ck_assert_double_eq_tol(sl_dist_cdf(sum, 0.5e6), 0.125, 1e-3);
    ck_assert_double_eq_tol(sl_dist_cdf(sum, 1.5e6), 0.875, 1e-3);
    ck_assert_double_eq_tol(sl_dist_quantile(sum, 0.98), 1.8e6, 2e3); /* 2 - sqrt(2 x 0.02) */
    ck_assert_str_eq(sl_dist_text(sum), "two");
    sl_arena_free(&arena);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("recompute");
    TCase *tc = tcase_create("recompute");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, an_edge_and_an_overhead);
    tcase_add_test(tc, a_queue_and_its_overheads);
    tcase_add_test(tc, an_unknown_overhead);
    tcase_add_test(tc, order_is_held_against_the_plan);
    tcase_add_test(tc, fewer_servers);
    tcase_add_test(tc, granularity_of_allocations);
    tcase_add_test(tc, bytes_that_no_order_has_room_for);
    tcase_add_test(tc, a_cycle_is_named);
    tcase_add_test(tc, an_order_against_an_edge_is_a_cycle);
    tcase_add_test(tc, no_is_no);
    tcase_add_test(tc, what_is_submitted_runs);
    tcase_add_test(tc, a_random_overhead_is_drawn_apart);
    suite_add_tcase(all, tc);
    TCase *laws = tcase_create("laws");
    tcase_add_test(laws, the_law_of_a_sum);
    suite_add_tcase(all, laws);
    return all;
}

int main(void)
{
    return sl_test_run(suite());
}
