/* Steady state of mode iterate, against processes of which everything is known.
 *
 * A node of 1us that a guard with persistence r leaves out makes iteration times 1 + I_k us with
 *
 *     corr(I_i, I_{i+k}) = r^k,  Var(mean of n) = p (1 - p) / n (1 + 2 sum over k < n of (1 - k/n)
 * r^k)
 */
#include "config.h"

#include "celllab.h"
#include <math.h>

#define ITERATIONS 60

static struct celllab lab;
static struct sl_cell cell;

static void load(const char *run, const char *more, const char *nodes)
{
    char yaml[800];
    snprintf(
        yaml, sizeof yaml,
        "name: steady\nresources: {a: {servers: 1}, b: {servers: 1}}\nrun: {mode: iterate, %s}\n"
        "policies: [{name: p, action: as-given}]\nseed: 1\n%s",
        run, more);
    celllab_open(&lab, yaml, nodes, NULL, NULL, NULL);
}

static void run_seed(uint64_t seed, uint32_t trials)
{
    lab.options.seed_given = true;
    lab.options.seed = seed;
    lab.options.trials = trials;
    celllab_run(&lab, &cell);
}

static void load_markov(double p, double r)
{
    char guards[200], run[80];
    snprintf(guards, sizeof guards,
             "guards: {g: {probability: %g, scope: iteration, persistence: %g}}\n", p, r);
    snprintf(run, sizeof run, "iterations: %d, warmup: 0", ITERATIONS);
    load(run, guards,
         "node,kind,resource,duration,lane,guard\nx,compute,a,1us,s,\ny,compute,a,1us,s,g\n");
}

/* 1 + 2 sum of (1 - k/n) r^k */
static double inflation(double r, int n)
{
    double sum = 1;
    for (int k = 1; k < n; k++)
        sum += 2 * (1 - (double)k / n) * pow(r, k);
    return sum;
}

/* Of 4000 trials: the lag-1 autocorrelation is r, and a trial's n iterations are worth n /
 * inflation independent ones.  The tolerances are five standard errors: of a correlation of 240,000
 * dependent values below 0.002 sqrt((1 + r^2) / (1 - r^2)) < 0.005, of a variance of 4000
 * means 2.3%. */
START_TEST(dependence_is_told)
{
    static const double rs[] = {0, 0.5, 0.8};
    double r = rs[_i], n = ITERATIONS;
    load_markov(0.4, r);
    run_seed(7, 4000);
    const struct sl_iterations *all = &cell.iterations;
    ck_assert_uint_eq(all->kept, 4000);
    ck_assert_double_eq_tol(all->lag1, r, 0.025);
    ck_assert_double_eq_tol(all->effective / (n / inflation(r, ITERATIONS)), 1, 0.12);
    ck_assert_double_eq_tol(all->warm.estimate.value, 1.4,
                            5 * sqrt(0.24 / n * inflation(r, ITERATIONS) / 4000));
    ck_assert_int_eq(all->warm.method, SL_SERIES_REPLICATIONS);
    /* It is the mean of the trials' means, and so is its interval. */
    ck_assert_double_eq_tol(all->warm.estimate.value, cell.iteration_mean.value, 1e-9);
    ck_assert_double_eq_tol(all->warm.estimate.hi, cell.iteration_mean.hi, 1e-6);
    sl_cell_free(&cell);
}
END_TEST

/* The 95% interval of 10 trials holds the true mean, 1 + p, in 95% of 300 runs: binomial, 5 sd
 * below is 266.  An interval that took all 600 iterations for independent would hold it in 62% of
 * them at r = 0.8 (half-width 1.96 / 3 sd). */
START_TEST(intervals_cover)
{
    uint32_t covered = 0;
    load_markov(0.4, 0.8);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        run_seed(seed, 10);
        struct sl_estimate mean = cell.iterations.warm.estimate;
        covered += mean.lo <= 1.4 && 1.4 <= mean.hi;
        sl_cell_free(&cell);
    }
    ck_assert_msg(covered >= 266, "%u of 300", covered);
}
END_TEST

/* z is done at 30us whatever iteration it is of, y in turn every 1us: T_k = max(30, k) us.  The
 * first iteration takes 30us, the next 29 none and all others 1us, so the warm-up is 30. */
START_TEST(a_planted_transient)
{
    static const struct {
        const char *run;
        uint32_t warmup;
    } cases[] = {{"iterations: 100, warmup: 2", 2}, {"iterations: 100, warmup: auto", 30}};
    load(cases[_i].run, "",
         "node,kind,resource,duration,lane,release\nz,compute,,0us,,30us\ny,compute,a,1us,s,\n");
    run_seed(1, 8);
    const struct sl_iterations *all = &cell.iterations;
    ck_assert(all->judged && all->settled);
    ck_assert_uint_eq(all->detected, 30);
    ck_assert_uint_eq(all->warmup, cases[_i].warmup);
    if (_i == 0) /* iterations 3 to 30 take nothing, later ones 1us */
        ck_assert_double_eq_tol(all->excess.hi, -1, 1e-9);
    else
        ck_assert(isnan(all->excess.value));
    ck_assert_double_eq_tol(all->first.value, 30, 1e-9);
    ck_assert_double_eq_tol(all->warming.value, 0, 1e-9);
    double warm = _i == 1 ? 1 : 70.0 / 98;
    ck_assert_double_eq_tol(all->warm.estimate.value, warm, 1e-9);
    ck_assert_double_eq_tol(cell.iteration_mean.value, warm, 1e-9);
    ck_assert_double_eq_tol(all->rows[0].mean.value, 30, 1e-9);
    ck_assert_double_eq_tol(all->rows[15].median, 0, 1e-9);
    ck_assert_double_eq_tol(all->rows[99].mean.value, 1, 1e-9);
    ck_assert(isnan(all->lag1) == (_i == 1)); /* constant after the warm-up */
    sl_cell_free(&cell);
}
END_TEST

static enum sl_status try_load(const char *warmup)
{
    char yaml[300];
    snprintf(yaml, sizeof yaml, "name: s\nrun: {mode: iterate, iterations: 49, warmup: %s}\n",
             warmup);
    celllab_begin(&lab);
    celllab_write(&lab, "scenario.yaml", yaml);
    celllab_write(&lab, "nodes.csv", "node,kind\na,compute\n");
    return sl_scenario_load(&lab.scenario, lab.dir.path, NULL, 0, &lab.diags, &lab.err);
}

/* Too few iterations to find a warm-up in, and a word that is none. */
START_TEST(what_cannot_be_detected)
{
    ck_assert_int_eq(try_load(_i == 0 ? "auto" : "automatic"), SL_INVALID);
}
END_TEST

static void close_lab(void)
{
    celllab_close(&lab);
}

static Suite *suite(void)
{
    Suite *s = suite_create("steady");
    TCase *c = tcase_create("steady");
    tcase_add_checked_fixture(c, NULL, close_lab);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, dependence_is_told, 0, 3);
    tcase_add_test(c, intervals_cover);
    tcase_add_loop_test(c, a_planted_transient, 0, 2);
    tcase_add_loop_test(c, what_cannot_be_detected, 0, 2);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
