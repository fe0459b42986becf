/* Effects of changes against closed forms: constants in a chain, a fork with a kink, contention of
 * two, capacity that puts two in line; a scheduling anomaly; speedups.  Durations are constants, so
 * that every figure of a difference is the hand-computed number and its interval that number alone.
 */
#include <config.h>

#include "celllab.h"
#include "sensitivity.h"
#include "units.h"
#include <math.h>
#include <string.h>

struct sensitivity_lab {
    struct celllab lab;
    struct sl_cell cell;
    struct sl_sensitivity result;
};

static void open_lab(struct sensitivity_lab *s, const char *yaml, const char *nodes,
                     const char *edges, const char *kappa, const struct sl_speedup *speedups,
                     uint32_t count)
{
    celllab_open(&s->lab, yaml, nodes, edges, NULL, kappa);
    celllab_run(&s->lab, &s->cell);
    enum sl_status status =
        sl_sensitivity_open(&s->result, &s->cell, true, speedups, count, &s->lab.err);
    if (status == SL_OK)
        status = sl_sensitivity_run(&s->result, &s->lab.options, &s->lab.err);
    ck_assert_msg(status == SL_OK, "%s", s->lab.err.message);
}

static void close_lab(struct sensitivity_lab *s)
{
    sl_sensitivity_free(&s->result);
    sl_cell_free(&s->cell);
    celllab_close(&s->lab);
}

static const struct sl_lever *lever_of(const struct sensitivity_lab *s, enum sl_lever_kind kind,
                                       const char *name)
{
    for (uint32_t k = 0; k < s->result.lever_count; k++)
        if (s->result.levers[k].kind == kind && strcmp(s->result.levers[k].name, name) == 0)
            return &s->result.levers[k];
    ck_abort_msg("no lever '%s'", name);
    return NULL;
}

static const struct sl_effect *effect_of(const struct sl_lever *lever, double percent)
{
    for (uint32_t e = 0; e < lever->effect_count; e++)
        if (lever->effects[e].percent == percent)
            return &lever->effects[e];
    ck_abort_msg("no effect at %g%%", percent);
    return NULL;
}

/* The difference of every figure is `us`, and so are the ends of its interval. */
static void moves_by(const struct sl_lever *lever, double percent, double us)
{
    const struct sl_effect *effect = effect_of(lever, percent);
    ck_assert_msg(effect->state == SL_EFFECT_SOME, "%s at %g%%: %s", lever->name, percent,
                  sl_effect_state_name(effect->state));
    for (int f = 0; f < SL_EFFECT_FIGURES; f++) {
        struct sl_estimate e = effect->figures[f].estimate;
        ck_assert_double_eq_tol(e.value, us, 2e-6); /* two picoseconds */
        ck_assert_double_eq_tol(e.lo, us, 2e-6);
        ck_assert_double_eq_tol(e.hi, us, 2e-6);
    }
}

static void is(const struct sl_lever *lever, double percent, enum sl_effect_state state)
{
    const struct sl_effect *effect = effect_of(lever, percent);
    ck_assert_msg(effect->state == state, "%s at %g%%: %s", lever->name, percent,
                  sl_effect_state_name(effect->state));
}

/* The lever's slope between `step` percent less and more, with an interval of that number alone. */
static void slopes_by(const struct sl_lever *lever, double step, double slope)
{
    ck_assert(!lever->slope.kinked);
    ck_assert_double_eq(lever->slope.step, step);
    ck_assert_double_eq_tol(lever->slope.estimate.value, slope, 1e-6);
    ck_assert_double_eq_tol(lever->slope.estimate.lo, slope, 1e-6);
    ck_assert_double_eq_tol(lever->slope.estimate.hi, slope, 1e-6);
}

#define TWO_MACHINES "resources:\n  p: {servers: 1, group: all}\n  q: {servers: 1, group: all}\n"

/* x 10 us, 5 us of lag, y 20 us. */
START_TEST(a_chain_of_constants)
{
    struct sensitivity_lab s;
    open_lab(&s,
             "name: chain\nnodes: nodes.csv\nedges: edges.csv\n" TWO_MACHINES
             "domains: {hbm: {capacity: 1GiB}, pinned: {capacity: 1GiB}}\n"
             "routes: [{from: hbm, to: pinned, resource: q, class: copy, bandwidth: "
             "1GB/s}]\n" CELLLAB_TAIL "500\n",
             "node,kind,class,resource,duration\na,compute,x,p,10us\nb,compute,y,p,20us\n"
             "c,compute,y,q,1us\n",
             "from,to,type,lag\na,b,data-ready,5us\n", NULL, NULL, 0);
    const struct sl_lever *x = lever_of(&s, SL_LEVER_CLASS, "x");
    const struct sl_lever *y = lever_of(&s, SL_LEVER_CLASS, "y");
    const struct sl_lever *lag = lever_of(&s, SL_LEVER_LAG, "data-ready");
    static const double percents[] = {-20, -5, -1, 1, 5, 20};
    for (size_t k = 0; k < sizeof percents / sizeof *percents; k++) {
        moves_by(x, percents[k], 0.10 * percents[k]);
        moves_by(y, percents[k], 0.20 * percents[k]);
        moves_by(lag, percents[k], 0.05 * percents[k]);
        is(lever_of(&s, SL_LEVER_LAG, "ordering"), percents[k], SL_EFFECT_CANNOT);
        is(lever_of(&s, SL_LEVER_CLASS, "copy"), percents[k], SL_EFFECT_CANNOT);
        is(lever_of(&s, SL_LEVER_ROUTE, "hbm->pinned"), percents[k], SL_EFFECT_CANNOT);
        ck_assert_double_eq_tol(sl_effect_per_percent(effect_of(x, percents[k])), 10.0 / 35, 1e-6);
        ck_assert_uint_eq(effect_of(x, percents[k])->against, 0);
        ck_assert_int_eq(effect_of(x, percents[k])->anomaly, SL_ANOMALY_NONE);
    }
    ck_assert_msg(s.result.order_fixed, "%s", s.result.order_reason);
    ck_assert_double_eq_tol(x->elasticity, 10.0 / 35, 1e-12);
    ck_assert_double_eq_tol(y->elasticity, 20.0 / 35, 1e-12);
    ck_assert_double_eq_tol(lag->elasticity, 5.0 / 35, 1e-12);
    ck_assert_uint_eq(s.result.simulated, 18);
    slopes_by(x, 20, 10.0 / 35);
    slopes_by(y, 20, 20.0 / 35);
    slopes_by(lag, 20, 5.0 / 35);
    close_lab(&s);
}
END_TEST

/* max(x, y) + 5 us with x 10 us and y 9 us: x counts down to 9 us, y from 10 us on.  So 5% are the
 * largest step at which both sides have one slope. */
START_TEST(a_fork_has_a_kink)
{
    struct sensitivity_lab s;
    open_lab(&s,
             "name: fork\nnodes: nodes.csv\nedges: edges.csv\n" TWO_MACHINES CELLLAB_TAIL "500\n",
             "node,kind,class,resource,duration\na,compute,x,p,10us\nb,compute,y,q,9us\n"
             "c,compute,z,p,5us\n",
             "from,to,type\na,c,data-ready\nb,c,data-ready\n", NULL, NULL, 0);
    const struct sl_lever *x = lever_of(&s, SL_LEVER_CLASS, "x");
    const struct sl_lever *y = lever_of(&s, SL_LEVER_CLASS, "y");
    moves_by(x, -20, -1);
    moves_by(x, -5, -0.5);
    moves_by(x, 20, 2);
    is(y, -20, SL_EFFECT_NONE);
    is(y, 1, SL_EFFECT_NONE);
    is(y, 5, SL_EFFECT_NONE);
    moves_by(y, 20, 0.8);
    ck_assert(s.result.order_fixed);
    ck_assert_double_eq_tol(x->elasticity, 10.0 / 15, 1e-12);
    ck_assert_double_eq(y->elasticity, 0);
    slopes_by(x, 5, 10.0 / 15);
    slopes_by(y, 5, 0);
    ck_assert_double_eq(sl_lever_weight(y),
                        effect_of(y, 20)->figures[SL_EFFECT_TAIL].estimate.value);
    close_lab(&s);
}
END_TEST

/* A 10 us and B 6 us side by side, kappa 1.5 of A and 2 of B: B ends at 12 us, when A has done 8,
 * and A at 14 us.  With kappa 1.8 of A it has done 12/1.8 by then, and ends at 22 - 12/1.8;
 * with 1.2 it ends at 12 us.  With kappa 2.4 of B, B ends at 14.4 us, when A has done 9.6.  C comes
 * after both. */
START_TEST(kappa_of_two)
{
    struct sensitivity_lab s;
    open_lab(&s,
             "name: kappa\nnodes: nodes.csv\nedges: edges.csv\n" TWO_MACHINES
             "kappa: {rule: additive, table: kappa.csv, unknown_kappa: forbid}\n" CELLLAB_TAIL
             "500\n",
             "node,kind,class,resource,duration\na,compute,x,p,10us\nb,compute,y,q,6us\n"
             "c,compute,z,q,1us\n",
             "from,to,type\na,c,data-ready\nb,c,data-ready\n",
             "victim,set,kappa\nx,y,1.5\ny,x,2\nx,z,3\nx,w,3\nz,x,1\n", NULL, 0);
    const struct sl_lever *x = lever_of(&s, SL_LEVER_KAPPA, "x beside y");
    const struct sl_lever *y = lever_of(&s, SL_LEVER_KAPPA, "y beside x");
    moves_by(x, 20, 22 - 12 / 1.8 - 14);
    moves_by(x, -20, -2);
    moves_by(y, 20, 0.4 + 14.4 - 14);
    is(lever_of(&s, SL_LEVER_KAPPA, "x beside z"), 20, SL_EFFECT_CANNOT); /* never side by side */
    is(lever_of(&s, SL_LEVER_KAPPA, "x beside w"), 20, SL_EFFECT_CANNOT); /* no such node */
    is(lever_of(&s, SL_LEVER_KAPPA, "z beside x"), -20, SL_EFFECT_CANNOT);
    ck_assert(!s.result.order_fixed);
    ck_assert(isnan(lever_of(&s, SL_LEVER_CLASS, "x")->elasticity));
    close_lab(&s);
}
END_TEST

/* Two nodes of 10 us want 1 GiB each: of 2 GiB the second one waits as soon as a byte is missing. A
 * node that wants all of `tight` finds it no more with any byte less. */
START_TEST(capacity_steps)
{
    struct sensitivity_lab s;
    open_lab(&s,
             "name: capacity\nnodes: nodes.csv\n" TWO_MACHINES
             "domains:\n  hbm: {capacity: 2GiB, reserve: 0B}\n"
             "  tight: {capacity: 1GiB, reserve: 0B}\n  wide: {capacity: 4GiB, reserve: "
             "0B}\n" CELLLAB_TAIL "500\n",
             "node,kind,class,resource,duration,workspace\n"
             "a,compute,x,p,10us,hbm:1GiB;tight:1GiB\nb,compute,x,q,10us,hbm:1GiB;wide:1GiB\n",
             NULL, NULL, NULL, 0);
    const struct sl_lever *hbm = lever_of(&s, SL_LEVER_CAPACITY, "hbm");
    const struct sl_lever *tight = lever_of(&s, SL_LEVER_CAPACITY, "tight");
    moves_by(hbm, -1, 10);
    moves_by(hbm, -20, 10);
    is(hbm, 1, SL_EFFECT_CANNOT);
    is(lever_of(&s, SL_LEVER_CAPACITY, "wide"), -20, SL_EFFECT_CANNOT);
    is(tight, 20, SL_EFFECT_CANNOT);
    ck_assert(hbm->slope.kinked); /* 10 us for 1% less, nothing for 1% more */
    ck_assert(isnan(hbm->slope.estimate.value));
    ck_assert(isnan(tight->slope.estimate.value) && !tight->slope.kinked);
    ck_assert_uint_eq(effect_of(tight, -1)->deadlocked, 500);
    ck_assert(isinf(effect_of(tight, -1)->figures[SL_EFFECT_TAIL].estimate.value));
    ck_assert(isinf(sl_lever_weight(tight)));
    ck_assert(s.result.order_fixed);
    close_lab(&s);
}
END_TEST

/* What is held from the start no longer fits: the engine refuses the plan, and that is told. */
START_TEST(a_refused_plan_is_named)
{
    struct celllab lab;
    struct sl_cell cell;
    struct sl_sensitivity result;
    celllab_open(
        &lab,
        "name: full\nnodes: nodes.csv\nobjects: objects.csv\nresources: {p: {servers: 1}}\n"
        "domains: {hbm: {capacity: 1GiB, reserve: 0B}}\n" CELLLAB_TAIL "400\n",
        "node,kind,resource,duration,inputs\na,compute,p,10us,w\n", NULL,
        "object,size,home,initial,persist\nw,1GiB,hbm,hbm,true\n", NULL);
    celllab_run(&lab, &cell);
    ck_assert(sl_sensitivity_open(&result, &cell, true, NULL, 0, &lab.err) == SL_OK);
    ck_assert(sl_sensitivity_run(&result, &lab.options, &lab.err) == SL_OK);
    const struct sl_lever *hbm = &result.levers[result.lever_count - 1];
    for (int e = 0; e < 3; e++) {
        ck_assert_int_eq(hbm->effects[e].state, SL_EFFECT_REFUSED);
        ck_assert_ptr_nonnull(strstr(hbm->effects[e].note, "exceeds its capacity"));
    }
    sl_sensitivity_free(&result);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* tests/fixtures/anomaly: the bulk copy is 8.4% of the chain, so that its derivative promises a
 * gain of a faster one.  5% faster it ends before the urgent copy does, and the run takes copy.bulk
 * + bulk + urgent + collective instead of copy.bulk + bulk: 100.05 us more, less 5% of the
 * copy's 10.08 to 10.12 us. */
START_TEST(an_anomaly_is_named_and_no_derivative_given)
{
    char path[1000];
    struct celllab lab = {0};
    struct sl_cell cell;
    struct sl_sensitivity result;
    snprintf(path, sizeof path, "%s/tests/fixtures/anomaly", getenv("SL_SRCDIR"));
    enum sl_status status = sl_scenario_load(&lab.scenario, path, NULL, 0, &lab.diags, &lab.err);
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
    celllab_run(&lab, &cell);
    ck_assert(sl_sensitivity_open(&result, &cell, true, NULL, 0, &lab.err) == SL_OK);
    ck_assert(sl_sensitivity_run(&result, &lab.options, &lab.err) == SL_OK);
    const struct sl_lever *copy = NULL;
    for (uint32_t k = 0; k < result.lever_count; k++) {
        ck_assert(isnan(result.levers[k].elasticity));
        if (strcmp(result.levers[k].name, "copy.bulk") == 0)
            copy = &result.levers[k];
    }
    ck_assert_ptr_nonnull(copy);
    ck_assert_double_eq_tol(copy->chain_share, 10.12 / 120.12, 1e-4);
    const struct sl_effect *faster = effect_of(copy, -5);
    ck_assert_int_eq(faster->anomaly, SL_ANOMALY_REVERSAL);
    ck_assert_uint_eq(faster->against, cell.trials);
    struct sl_estimate mean = faster->figures[SL_EFFECT_MEAN].estimate;
    ck_assert(mean.value > 100.05 - 0.05 * 10.12 && mean.value < 100.05 - 0.05 * 10.08);
    ck_assert_int_eq(effect_of(copy, 5)->anomaly, SL_ANOMALY_NONE);
    ck_assert(!result.order_fixed);
    ck_assert_ptr_nonnull(strstr(result.order_reason, "'urgent' and 'bulk'"));
    sl_sensitivity_free(&result);
    sl_cell_free(&cell);
    sl_scenario_free(&lab.scenario);
    sl_diags_free(&lab.diags);
}
END_TEST

/* Class u stands before both kernels: `urgent` is ready at 5 + 5 f us, `bulk` at max(10.1, 9.5 f).
 * At f = 1.05 that is 10.25 and 10.1: bulk is first, and what urgent holds up ends at 10.1 + 110 +
 * 0.05 + 100.  At f = 1.2 it is 11 and 11.4: urgent is first again, and bulk ends at 121.4; at 1 at
 * 120.1. */
START_TEST(a_turn_is_named)
{
    struct sensitivity_lab s;
    open_lab(&s,
             "name: turn\nnodes: nodes.csv\nedges: edges.csv\nresources:\n  gpu: {servers: 1}\n"
             "  a: {servers: 1}\n  b: {servers: 1}\n  c: {servers: 1}\n" CELLLAB_TAIL "500\n",
             "node,kind,class,resource,duration\na0,compute,k,a,5us\na1,compute,u,a,5us\n"
             "b0,compute,k,b,10.1us\nc0,compute,u,c,9.5us\nurgent,compute,k,gpu,50ns\n"
             "bulk,compute,k,gpu,110us\ncollective,compute,k,a,100us\n",
             "from,to,type\na0,a1,data-ready\na1,urgent,data-ready\nb0,bulk,data-ready\n"
             "c0,bulk,data-ready\nurgent,collective,data-ready\n",
             NULL, NULL, 0);
    const struct sl_lever *u = lever_of(&s, SL_LEVER_CLASS, "u");
    moves_by(u, 5, 100.05);
    ck_assert_int_eq(effect_of(u, 5)->anomaly, SL_ANOMALY_NONE);
    moves_by(u, 20, 1.3);
    ck_assert_int_eq(effect_of(u, 20)->anomaly, SL_ANOMALY_TURN);
    ck_assert_double_eq(effect_of(u, 20)->anomaly_percent, 5);
    ck_assert_double_eq_tol(effect_of(u, 20)->anomaly_us.value, 1.3 - 100.05, 2e-6);
    is(u, -20, SL_EFFECT_NONE);
    close_lab(&s);
}
END_TEST

/* x 10 us then y 20 us: 20% off x and half of y are 2 and 10 us. */
START_TEST(speedups_act_together)
{
    static const struct sl_speedup both[] = {{"x", 0.2}, {"y", 0.5}};
    struct sensitivity_lab s;
    open_lab(&s,
             "name: chain\nnodes: nodes.csv\nedges: edges.csv\n" TWO_MACHINES CELLLAB_TAIL "500\n",
             "node,kind,class,resource,duration\na,compute,x,p,10us\nb,compute,y,p,20us\n",
             "from,to,type\na,b,data-ready\n", NULL, both, 2);
    const struct sl_lever *speedup = lever_of(&s, SL_LEVER_SPEEDUP, "x=20%;y=50%");
    for (int e = 0; e < 2; e++) {
        ck_assert_int_eq(speedup->effects[e].replanned, e == 1);
        ck_assert_double_eq_tol(speedup->effects[e].figures[SL_EFFECT_TAIL].estimate.value, -12,
                                1e-9);
    }
    close_lab(&s);
}
END_TEST

/* The 99th percentile of f A + B, A and B exponential with mean 1: P(> x) is
 * (f exp(-x / f) - exp(-x)) / (f - 1), and (1 + x) exp(-x) at f = 1. */
static double exact_p99(double f)
{
    double lo = 0, hi = 50;
    for (int k = 0; k < 100; k++) {
        double x = (lo + hi) / 2;
        double above = f == 1 ? (1 + x) * exp(-x) : (f * exp(-x / f) - exp(-x)) / (f - 1);
        *(above > 0.01 ? &lo : &hi) = x;
    }
    return lo;
}

/* Two exponentials of the same mean in line: by symmetry each has the same slope.  Both 95%
 * intervals hold it with a fixed seed; another seed would fail in at most 10%. */
START_TEST(equal_parts_have_the_same_slope)
{
    struct sensitivity_lab s;
    open_lab(&s,
             "name: chain\nnodes: nodes.csv\nedges: edges.csv\n" TWO_MACHINES CELLLAB_TAIL "6000\n",
             "node,kind,class,resource,duration\na,compute,ka,p,exponential(mean=100us)\n"
             "b,compute,kb,p,exponential(mean=100us)\n",
             "from,to,type\na,b,data-ready\n", NULL, NULL, 0);
    static const char *const names[] = {"ka", "kb"};
    for (int k = 0; k < 2; k++) {
        const struct sl_slope *slope = &lever_of(&s, SL_LEVER_CLASS, names[k])->slope;
        double step = slope->step / 100;
        double exact = (exact_p99(1 + step) - exact_p99(1 - step)) / (2 * step) / exact_p99(1);
        ck_assert(!slope->kinked);
        ck_assert(step > 0.01); /* 1% is mostly noise */
        ck_assert_msg(slope->estimate.lo <= exact && exact <= slope->estimate.hi,
                      "%s: %g is not in [%g, %g]", names[k], exact, slope->estimate.lo,
                      slope->estimate.hi);
        ck_assert(slope->estimate.hi - slope->estimate.lo < 0.5);
    }
    close_lab(&s);
}
END_TEST

/* To the last bit, NANs included; the struct has room between its members. */
static void assert_same_difference(const struct sl_difference *x, const struct sl_difference *y)
{
    ck_assert_mem_eq(&x->estimate, &y->estimate, sizeof x->estimate);
    ck_assert(x->method == y->method && x->needs == y->needs);
    ck_assert_mem_eq(&x->a, &y->a, sizeof x->a);
    ck_assert_mem_eq(&x->b, &y->b, sizeof x->b);
}

/* Exponential durations on two servers: the same numbers at any number of threads. */
START_TEST(threads_do_not_show)
{
    struct sensitivity_lab one, more;
    const char *yaml =
        "name: random\nnodes: nodes.csv\nresources: {p: {servers: 2}}\n" CELLLAB_TAIL "500\n";
    const char *nodes =
        "node,kind,class,resource,duration\n"
        "a,compute,x,p,exponential(mean=10us)\nb,compute,y,p,exponential(mean=9us)\n"
        "c,compute,x,p,exponential(mean=5us)\nd,compute,y,p,exponential(mean=7us)\n";
    memset(&one, 0, sizeof one);
    celllab_open(&one.lab, yaml, nodes, NULL, NULL, NULL);
    more = one;
    celllab_threads(&more.lab, 3);
    struct sensitivity_lab *both[] = {&one, &more};
    for (int k = 0; k < 2; k++) {
        celllab_run(&both[k]->lab, &both[k]->cell);
        ck_assert(sl_sensitivity_open(&both[k]->result, &both[k]->cell, true, NULL, 0,
                                      &one.lab.err) == SL_OK);
        ck_assert(sl_sensitivity_run(&both[k]->result, &both[k]->lab.options, &one.lab.err) ==
                  SL_OK);
    }
    ck_assert_uint_gt(one.result.simulated, 0);
    for (uint32_t k = 0; k < one.result.lever_count; k++) {
        const struct sl_lever *x = &one.result.levers[k], *y = &more.result.levers[k];
        ck_assert_mem_eq(&x->chain_share, &y->chain_share, sizeof x->chain_share);
        for (uint32_t e = 0; e < x->effect_count; e++)
            for (uint32_t f = 0; f < SL_EFFECT_FIGURES; f++)
                assert_same_difference(&x->effects[e].figures[f], &y->effects[e].figures[f]);
    }
    sl_sensitivity_free(&more.result);
    sl_cell_free(&more.cell);
    sl_pool_free(more.lab.options.pool); /* the rest is that of one.lab */
    close_lab(&one);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sensitivity");
    TCase *tests = tcase_create("sensitivity");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_chain_of_constants);
    tcase_add_test(tests, a_fork_has_a_kink);
    tcase_add_test(tests, kappa_of_two);
    tcase_add_test(tests, capacity_steps);
    tcase_add_test(tests, a_refused_plan_is_named);
    tcase_add_test(tests, an_anomaly_is_named_and_no_derivative_given);
    tcase_add_test(tests, a_turn_is_named);
    tcase_add_test(tests, speedups_act_together);
    tcase_add_test(tests, equal_parts_have_the_same_slope);
    tcase_add_test(tests, threads_do_not_show);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}
