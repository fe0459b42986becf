/* Deadlines, fallbacks, guards and slack of a cell against closed forms.
 *
 * Statistical checks allow 3.9 standard errors: a false alarm in 1 of 10,000 for each (normal). */
#include <config.h>

#include "celllab.h"
#include "window_estimates.h"
#include <math.h>

#define TRIALS   4000
#define TEXT(x)  TEXT2(x)
#define TEXT2(x) #x
#define Z        3.9
#define YAML     "name: outcomes\nnodes: nodes.csv\nresources:\n  compute: {servers: unlimited}\n"

static void assert_near(double value, double expected, double sd)
{
    ck_assert_double_eq_tol(value, expected, Z * sd / sqrt(TRIALS));
}

static struct sl_window_estimates estimates_of(const struct sl_cell *cell, uint32_t node)
{
    struct sl_window_scratch scratch = SL_WINDOW_SCRATCH;
    return sl_window_estimates(cell, node, &scratch);
}

static void assert_share(uint32_t hits, double p)
{
    assert_near((double)hits / TRIALS, p, sqrt(p * (1 - p)));
}

/* One node, exponential with mean m = 100us, deadline D = m ln 10:
 *     P(miss) = exp(-D/m) = 0.1          E T = m exp(-D/m) = 10us     (T: tardiness)
 *     Var T = 2 m^2 0.1 - 10^2           E[T | miss] = m, sd m        (no memory)
 *     P(T > t) = exp(-(D+t)/m), so p99 = m ln 100 - D, with density 0.01/m there */
START_TEST(exponential_deadline)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, YAML CELLLAB_TAIL TEXT(TRIALS) "\n",
                 "node,kind,resource,duration,deadline\n"
                 "a,compute,compute,exponential(mean=100us),230.258509us\n"
                 "b,compute,compute,1us,\n",
                 NULL, NULL, NULL);
    celllab_run(&lab, &cell);
    ck_assert_uint_eq(cell.deadline_count, 1);
    const struct sl_deadline *deadline = &cell.deadlines[0];
    ck_assert_uint_eq(deadline->node, celllab_node(&cell, "a"));
    assert_share(deadline->misses, 0.1);
    ck_assert_uint_eq(deadline->misses, cell.deadline_missed);
    ck_assert_uint_eq(deadline->never, 0);
    ck_assert(deadline->miss.lo < deadline->miss.value && deadline->miss.value < deadline->miss.hi);
    assert_near(deadline->tardiness_mean.value, 10, sqrt(2e3 - 1e2));
    assert_near(deadline->tardiness_when_missed.value, 100, 100 * sqrt(1 / 0.1));
    assert_near(deadline->tardiness_p99.value, 100 * log(100) - 230.258509,
                sqrt(0.01 * 0.99) / (0.01 / 100));
    double longest = cell.max_us - 230.258509;
    ck_assert_double_eq_tol((double)deadline->max_tardiness_ps / 1e6, longest, 1e-5);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* A trial that never ends delivers nothing: two holders of half the memory that each want more. */
START_TEST(a_deadlock_misses)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab,
                 "name: jobs\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n"
                 "resources:\n  compute: {servers: unlimited}\n"
                 "domains:\n  hbm: {capacity: 2GiB}\n" CELLLAB_TAIL "400\n",
                 "node,kind,resource,duration,inputs,outputs,deadline\n"
                 "a1,compute,compute,1us,,ao,1s\na2,compute,compute,1us,ao,ap,\n"
                 "a3,compute,compute,1us,ao;ap,,\nb1,compute,compute,1us,,bo,\n"
                 "b2,compute,compute,1us,bo,bp,\nb3,compute,compute,1us,bo;bp,,\n",
                 "from,to,type\na1,a2,data-ready\na2,a3,data-ready\nb1,b2,data-ready\n"
                 "b2,b3,data-ready\n",
                 "object,size\nao,1GiB\nap,1GiB\nbo,1GiB\nbp,1GiB\n", NULL);
    celllab_run(&lab, &cell);
    const struct sl_deadline *deadline = &cell.deadlines[0];
    ck_assert_uint_eq(deadline->misses, 400);
    ck_assert_uint_eq(deadline->never, 400);
    ck_assert_double_eq(deadline->miss.value, 1);
    ck_assert(isnan(deadline->tardiness_mean.value));
    ck_assert(isinf(deadline->tardiness_p99.value));
    ck_assert_uint_eq(cell.window_trials, 0);
    ck_assert(isnan(estimates_of(&cell, 0).slack.value));
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* a (exponential, m = 100us) -> p (20us, deadline D = 170us, fallback f) and a -> f (5us); s after
 * p. LS_p = D - 20 = 150us, so P(p cancelled) = P(a > 150) = exp(-1.5) f starts when a ends:
 * P(miss) = P(a > D - 5) = exp(-1.65); f always delivers slack of a: 150 - a while p runs, D - 5 -
 * a when f has taken over; so it is negative only in the trials that miss, and then nothing stands
 * by */
START_TEST(late_primary)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, YAML "edges: edges.csv\n" CELLLAB_TAIL TEXT(TRIALS) "\n",
                 "node,kind,resource,duration,deadline,fallback\n"
                 "a,compute,compute,exponential(mean=100us),,\n"
                 "p,compute,compute,20us,170us,f\nf,compute,compute,5us,,\n",
                 "from,to,type\na,p,data-ready\na,f,data-ready\n", NULL, NULL);
    celllab_run(&lab, &cell);
    ck_assert_uint_eq(cell.fallback_count, 1);
    const struct sl_fallback_use *use = &cell.fallbacks[0];
    ck_assert_uint_eq(use->primary, celllab_node(&cell, "p"));
    assert_share(use->late, exp(-1.5));
    ck_assert_uint_eq(use->guard_failed, 0);
    ck_assert_uint_eq(use->delivered, use->late);
    assert_share(cell.deadlines[0].misses, exp(-1.65));
    const struct sl_node_window *a = &cell.windows[celllab_node(&cell, "a")];
    /* At means: LS_a = 150 - 100, limited by p. */
    ck_assert_int_eq(a->mean_latest_ps, 50000000);
    ck_assert_uint_eq(a->mean_limit, use->primary);
    ck_assert(cell.windows[celllab_node(&cell, "f")].idle);
    ck_assert_uint_eq(cell.window_trials, 1000);
    ck_assert_uint_eq(a->ran, 1000);
    ck_assert_uint_eq(a->negative, a->exposed);
    ck_assert_double_eq_tol(a->negative / 1000.0, exp(-1.65),
                            Z * sqrt(exp(-1.65) * (1 - exp(-1.65)) / 1000));
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* p runs in 0.7 of the trials; its guard failing calls f, and f's own guard holds in 0.5 of them:
 *     P(p cancelled) = 0.3     P(f ran in its place) = 0.15     never, so missed: 0.15
 * q has the guard negated and no fallback: left out when it holds, and then it misses nothing.
 * Guard `hit` leaves out exactly one node, p or q, in every trial. */
START_TEST(failed_guards)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab,
                 YAML "guards:\n  hit: {probability: 0.7, scope: job}\n"
                      "  coin: {probability: 0.5, scope: job}\n" CELLLAB_TAIL TEXT(TRIALS) "\n",
                 "node,kind,resource,duration,deadline,guard,fallback\n"
                 "p,compute,compute,20us,1ms,hit,f\nf,compute,compute,5us,,coin,\n"
                 "q,compute,compute,1us,1ms,!hit,\n",
                 NULL, NULL, NULL);
    celllab_run(&lab, &cell);
    const struct sl_fallback_use *use = &cell.fallbacks[0];
    assert_share(use->guard_failed, 0.3);
    ck_assert_uint_eq(use->late, 0);
    assert_share(use->delivered, 0.15);
    ck_assert_uint_eq(cell.guard_count, 2);
    ck_assert_uint_eq(cell.guards[0].failed, use->guard_failed);
    ck_assert_uint_eq(cell.guards[0].left_out, TRIALS);
    assert_share(cell.guards[1].failed, 0.5);
    ck_assert_uint_eq(cell.deadline_count, 2);
    ck_assert_uint_eq(cell.deadlines[0].misses, use->guard_failed - use->delivered);
    ck_assert_uint_eq(cell.deadlines[0].never, cell.deadlines[0].misses);
    ck_assert_uint_eq(cell.deadlines[1].misses, 0);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* a (exponential, m = 100us) -> b (20us, deadline 220us), and c beside them (1us, no deadline):
 *     slack of a and of b: X = 200 - a in every trial; mean 100, sd 100, 5% quantile
 *     200 - m ln 20, density 0.05/m there; P(X < 0) = exp(-2)
 *     slack of c: end - 1us - 0, the end being the makespan a + 20us: mean 119us
 * The first 1000 trials take part. */
START_TEST(slack_of_a_chain)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, YAML "edges: edges.csv\n" CELLLAB_TAIL TEXT(TRIALS) "\n",
                 "node,kind,resource,duration,deadline\n"
                 "a,compute,compute,exponential(mean=100us),\n"
                 "b,compute,compute,20us,220us\nc,compute,compute,1us,\n",
                 "from,to,type\na,b,data-ready\n", NULL, NULL);
    celllab_run(&lab, &cell);
    const struct sl_node_window *a = &cell.windows[celllab_node(&cell, "a")];
    const struct sl_node_window *b = &cell.windows[celllab_node(&cell, "b")];
    const struct sl_node_window *c = &cell.windows[celllab_node(&cell, "c")];
    ck_assert_int_eq(a->mean_ready_ps, 0);
    ck_assert_int_eq(a->mean_latest_ps, 100000000);
    ck_assert(!a->mean_exposed);
    ck_assert_uint_eq(c->mean_limit, SL_NONE);
    ck_assert_uint_eq(cell.window_trials, 1000);
    double se = 100 / sqrt(1000), p = exp(-2);
    struct sl_window_estimates of_a = estimates_of(&cell, celllab_node(&cell, "a")),
                               of_b = estimates_of(&cell, celllab_node(&cell, "b")),
                               of_c = estimates_of(&cell, celllab_node(&cell, "c"));
    ck_assert_double_eq_tol(of_a.slack.value, 100, Z * se);
    ck_assert_double_eq_tol(of_b.slack.value, of_a.slack.value, 1e-9);
    ck_assert_double_eq_tol(of_b.ready_us + of_b.slack.value, of_b.latest_us, 1e-9);
    ck_assert_double_eq_tol(of_c.slack.value, 119, Z * se);
    ck_assert_double_eq(of_a.negative_share.value, a->negative / 1000.0);
    ck_assert_double_eq_tol(of_a.slack_p5.value, 200 - 100 * log(20),
                            Z * sqrt(0.05 * 0.95 / 1000) / (0.05 / 100));
    ck_assert_double_eq_tol(a->negative / 1000.0, p, Z * sqrt(p * (1 - p) / 1000));
    ck_assert_uint_eq(b->negative, a->negative);
    ck_assert_uint_eq(b->exposed, b->negative); /* there is no fallback */
    ck_assert_uint_eq(b->late, b->negative);    /* b starts when it is ready */
    ck_assert_uint_eq(c->negative, 0);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* Negative already at means: 30us of work before a deadline of 40us, behind a release at 20us. */
START_TEST(negative_at_means)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, YAML "edges: edges.csv\n" CELLLAB_TAIL "10\n",
                 "node,kind,resource,duration,release,deadline\n"
                 "a,compute,compute,exponential(mean=10us),20us,\n"
                 "b,compute,compute,exponential(mean=20us),,40us\n",
                 "from,to,type\na,b,data-ready\n", NULL, NULL);
    celllab_run(&lab, &cell);
    const struct sl_node_window *a = &cell.windows[celllab_node(&cell, "a")];
    ck_assert_int_eq(a->mean_ready_ps, 20000000);
    ck_assert_int_eq(a->mean_latest_ps, 10000000);
    ck_assert(a->mean_exposed);
    ck_assert(cell.windows[celllab_node(&cell, "b")].mean_exposed);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

static void assert_same(const struct sl_cell *x, const struct sl_cell *y)
{
    ck_assert_uint_eq(x->window_trials, y->window_trials);
    for (uint32_t i = 0; i < x->plan.graph->node_count; i++) {
        const struct sl_node_window *a = &x->windows[i], *b = &y->windows[i];
        ck_assert_uint_eq(a->ran, b->ran);
        ck_assert_uint_eq(a->negative, b->negative);
        ck_assert_uint_eq(a->late, b->late);
        struct sl_window_estimates of_a = estimates_of(x, i), of_b = estimates_of(y, i);
        ck_assert_mem_eq(&of_a, &of_b, sizeof of_a);
    }
    ck_assert_uint_eq(x->deadlines[0].misses, y->deadlines[0].misses);
    ck_assert_mem_eq(&x->deadlines[0].tardiness_p99, &y->deadlines[0].tardiness_p99,
                     sizeof x->deadlines[0].tardiness_p99);
}

/* The number of threads does not show. */
START_TEST(threads_do_not_show)
{
    struct celllab lab;
    struct sl_cell one, more;
    celllab_open(&lab,
                 "name: threads\nnodes: nodes.csv\nedges: edges.csv\n"
                 "resources:\n  compute: {servers: 2}\n" CELLLAB_TAIL "700\n",
                 "node,kind,class,resource,duration,deadline\n"
                 "a,compute,x,compute,exponential(mean=1us),\n"
                 "b,compute,y,compute,exponential(mean=2us),5us\n"
                 "c,compute,x,compute,exponential(mean=1us),\n"
                 "d,compute,y,compute,exponential(mean=3us),\n"
                 "e,compute,x,compute,exponential(mean=1us),\n",
                 "from,to,type\na,b,data-ready\nc,d,data-ready\nc,e,data-ready\n", NULL, NULL);
    celllab_run(&lab, &one);
    ck_assert_uint_gt(one.deadlines[0].misses, 0);
    for (uint32_t threads = 2; threads <= 3; threads++) {
        celllab_threads(&lab, threads);
        celllab_run(&lab, &more);
        assert_same(&one, &more);
        sl_cell_free(&more);
    }
    sl_cell_free(&one);
    celllab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("outcomes");
    TCase *tests = tcase_create("outcomes");
    tcase_add_test(tests, exponential_deadline);
    tcase_add_test(tests, a_deadlock_misses);
    tcase_add_test(tests, late_primary);
    tcase_add_test(tests, failed_guards);
    tcase_add_test(tests, slack_of_a_chain);
    tcase_add_test(tests, negative_at_means);
    tcase_add_test(tests, threads_do_not_show);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
