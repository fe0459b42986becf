/* Factors of a device and of a scenario over it: what overrides what, which random number a factor
 * takes, what is refused, and what a shared factor does to a sum. */
#include "config.h"

#include "planlab.h"
#include "quantile.h"
#include <math.h>

#define US      INT64_C(1000000) /* ps */
#define MACHINE "resources: {r: {servers: 1}, s: {servers: unlimited}}\n"

static const char device_yaml[] =
    "name: toy\n"
    "factors:\n"
    "  slow: {draw: 'lognormal(median=1, sigma=0.1)', classes: heavy, with: machine,\n"
    "         evidence: 'measured: here'}\n"
    "  mild: {draw: 'lognormal(median=1, sigma=0.04)', classes: light, with: machine,\n"
    "         evidence: 'measured: here'}\n"
    "  idle: {draw: const(3), classes: absent, evidence: 'assumed: nothing'}\n";
static const char nodes_csv[] = "node,kind,class,resource,duration\n"
                                "a,compute,heavy,s,1ms\n"
                                "b,compute,light,s,1ms\n"
                                "c,compute,other,s,1ms\n";

static struct tempdir device;
static struct planlab lab;
static struct planlab_run run;
static const struct sl_graph *graph;
static const struct sl_trial *t;

static void open_device(void)
{
    tempdir_make(&device);
    tempdir_write(&device, "device.yaml", device_yaml);
}

static void close_scenario(void)
{
    planlab_end(&run);
    planlab_close(&lab);
}

static void close_device(void)
{
    close_scenario();
    tempdir_remove(&device);
}

/* Loads a scenario of that device with further lines and runs trial 0. */
static void run_over(const char *more, const char *nodes)
{
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "name: t\ndevice: %s\n" MACHINE "%s", device.path, more);
    run = (struct planlab_run){0};
    planlab_open(&lab, yaml, nodes, NULL);
    graph = planlab_plan(&lab, "as-given");
    t = planlab_trial(&lab, &run);
}

static void next_trial(uint32_t trial)
{
    ck_assert_int_eq(sl_worker_run(run.worker, 1, trial, 0, &run.trial, &lab.err), SL_OK);
    t = run.trial;
}

/* ln of how much longer than 1 ms. */
static double stretch(const char *name)
{
    return log((double)t->duration_ps[planlab_node(graph, name)] / (1000.0 * (double)US));
}

/* One state of the machine: with u the uniform of `machine`, z its normal quantile, the classes are
 * slowed by exp(0.1 z) and exp(0.04 z). */
START_TEST(factors_that_go_together)
{
    double sum = 0, squares = 0;
    enum { TRIALS = 2000 };
    run_over("", nodes_csv);
    ck_assert_uint_eq(graph->factor_count, 3);
    for (uint32_t i = 0; i < TRIALS; i++) {
        next_trial(i);
        ck_assert_double_eq_tol(stretch("b"), 0.4 * stretch("a"), 1e-8);
        ck_assert_double_eq(stretch("c"), 0);
        sum += stretch("a");
        squares += stretch("a") * stretch("a");
    }
    /* 4.5 standard errors: wrong once in 150,000 */
    ck_assert_double_eq_tol(sum / TRIALS, 0, 4.5 * 0.1 / sqrt(TRIALS));
    ck_assert_double_eq_tol(squares / TRIALS, 0.01, 4.5 * 0.01 * sqrt(2.0 / TRIALS));
}
END_TEST

/* `with: NAME` takes the number of the hash of factor:NAME, whether or not a factor has that name,
 * and per iteration the one of factor:NAME;iteration:I. */
START_TEST(the_number_is_that_of_the_name)
{
    run_over("factors: {machine: {draw: 'lognormal(median=1, sigma=0.3)', classes: other}}\n",
             nodes_csv);
    for (uint32_t i = 0; i < 20; i++) {
        next_trial(i);
        ck_assert_double_eq_tol(stretch("c"), 3 * stretch("a"), 1e-8);
    }
    close_scenario();
    run_over("run: {mode: iterate, iterations: 2}\n"
             "factors:\n"
             "  slow: none\n"
             "  mild: none\n"
             "  x: {draw: 'lognormal(median=1, sigma=0.3)', per: iteration, nodes: a}\n"
             "  y: {draw: 'lognormal(median=1, sigma=0.6)', per: iteration, nodes: b, with: x}\n",
             nodes_csv);
    ck_assert_double_eq_tol(stretch("b"), 2 * stretch("a"), 1e-8);
    ck_assert_double_eq_tol(stretch("b@2"), 2 * stretch("a@2"), 1e-8);
    ck_assert(fabs(stretch("a@2") - stretch("a")) > 1e-3);
}
END_TEST

/* A field that is not stated stays the device's; `none` takes a factor away; new ones come last. */
START_TEST(a_scenario_overrides_by_name)
{
    run_over("factors: {slow: {draw: const(2)}, mild: none, more: {draw: const(5), nodes: c}}\n",
             nodes_csv);
    ck_assert_uint_eq(graph->factor_count, 3);
    ck_assert_str_eq(graph->factors[0].name, "slow");
    ck_assert_str_eq(graph->factors[0].classes, "heavy");
    ck_assert_str_eq(graph->factors[0].evidence, "measured: here");
    ck_assert_str_eq(graph->factors[1].name, "idle");
    ck_assert_str_eq(graph->factors[2].name, "more");
    ck_assert_int_eq(t->duration_ps[planlab_node(graph, "a")], 2000 * US);
    ck_assert_int_eq(t->duration_ps[planlab_node(graph, "b")], 1000 * US);
    ck_assert_int_eq(t->duration_ps[planlab_node(graph, "c")], 5000 * US);
    close_scenario();
    run_over("factors: {slow: {draw: 'regime(p=1, level=4, dwell=1ms)', with: none}}\n", nodes_csv);
    ck_assert(graph->factors[0].is_regime && !graph->factors[0].draw);
}
END_TEST

/* Twenty nodes one after the other, each exp(0.05 z_i) ms times exp(0.1 z) of all: the logarithm of
 * their sum has variance 0.1^2 + ln(1 + (exp(0.05^2) - 1) / 20), the latter as a sum of so many
 * nearly normal terms is lognormal, too; p90 / median = exp(1.2816 sd).  The error of a p90 of N
 * trials is sd x sqrt(0.9 x 0.1 / N) / phi(1.2816) = 1.71 sd / sqrt(N), that of the median 1.25. */
START_TEST(a_sum_keeps_what_is_shared)
{
    enum { NODES = 20, TRIALS = 4000 };
    static const char *const more[] = {"", "factors: {slow: none}\n"};
    static const double shared[] = {0.1, 0};
    static double makespans[TRIALS];
    char nodes[1500] = "node,kind,class,resource,duration\n";
    for (int i = 0; i < NODES; i++)
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "n%d,compute,heavy,r,'lognormal(median=1ms, sigma=0.05)'\n", i);
    for (char *c = nodes; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    run_over(more[_i], nodes);
    for (uint32_t i = 0; i < TRIALS; i++) {
        next_trial(i);
        makespans[i] = (double)t->makespan_ps;
    }
    double sd = sqrt(shared[_i] * shared[_i] + log1p(expm1(0.05 * 0.05) / NODES));
    sl_sort_doubles(makespans, TRIALS);
    double p90 = sl_quantile(makespans, TRIALS, 0.9, 0.95).value;
    double median = sl_quantile(makespans, TRIALS, 0.5, 0.95).value;
    ck_assert_double_eq_tol(log(p90 / median), 1.2816 * sd, 4.5 * 2.2 * sd / sqrt(TRIALS));
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    static const char *const texts[][2] = {
        {"factors: {slwo: none}", "unknown-factor"},
        {"factors: {x: {draw: const(2), nodes: a, with: slow}}", "bad-with"},
        {"factors: {x: {draw: const(2), nodes: a, with: x}}", "bad-with"},
        {"factors: {x: {draw: const(2), nodes: a, per: iteration, with: machine}}", "bad-with"},
        {"factors: {x: {draw: 'regime(p=0.1, level=2, dwell=1ms)', nodes: a, with: machine}}",
         "bad-with"},
        {"factors: {machine: {draw: 'regime(p=0.1, level=2, dwell=1ms)', nodes: a}}", "bad-with"},
        {"factors: {x: {nodes: a}}", "missing-key"},
        {"factors: {slow: never}", "wrong-type"},
        {"factors: {slow: {evidence: 'guessed'}}", "unknown-evidence"},
    };
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "name: t\ndevice: %s\n" MACHINE "%s\n", device.path, texts[_i][0]);
    run_over("", nodes_csv);
    tempdir_write(&lab.dir, "scenario.yaml", yaml);
    struct sl_scenario scenario = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_scenario_load(&scenario, lab.dir.path, NULL, 0, &diags, &err), SL_INVALID);
    bool told = false;
    for (size_t i = 0; i < diags.count; i++)
        told |= diags.items[i].severity == SL_ERROR && !strcmp(diags.items[i].code, texts[_i][1]);
    ck_assert_msg(told, "%s: no %s", texts[_i][0], texts[_i][1]);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
END_TEST

/* A device's factor without evidence is a fault of the device. */
START_TEST(a_device_states_its_evidence)
{
    run_over("", nodes_csv);
    tempdir_write(&device, "device.yaml", "name: toy\nfactors: {slow: {draw: const(2)}}\n");
    struct sl_platform platform = {0};
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_device_load(&platform, device.path, &arena, &diags, &err), SL_INVALID);
    ck_assert_str_eq(diags.items[0].code, "missing-key");
    sl_platform_free(&platform);
    sl_arena_free(&arena);
    sl_diags_free(&diags);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("factors");
    TCase *c = tcase_create("factors");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_add_test(c, factors_that_go_together);
    tcase_add_test(c, the_number_is_that_of_the_name);
    tcase_add_test(c, a_scenario_overrides_by_name);
    tcase_add_loop_test(c, a_sum_keeps_what_is_shared, 0, 2);
    tcase_add_loop_test(c, what_cannot_be_is_refused, 0, 9);
    tcase_add_test(c, a_device_states_its_evidence);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
