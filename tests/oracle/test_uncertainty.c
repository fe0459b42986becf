/* Draws of the calibration against closed forms.
 *
 * A figure F in [lo, hi] has P(F <= x) = Phi(1.96 ln(x / F) / ln(F / lo)) below it and
 * Phi(1.96 ln(x / F) / ln(hi / F)) above.  Where durations are constant the tail of a draw is a
 * function of such figures, so that its law over draws is known.  It is held by the distance of
 * Kolmogorov and Smirnov: P(D > t) <= 2 exp(-2 n t^2) (Massart 1990), at t = 0.0602 and n = 2000 a
 * false alarm of 1e-6.  Shares are held within 5 standard errors, a false alarm of 6e-7. */
#include <config.h>

#include "celllab.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

#define DRAWS   2000
#define KS_DIST 0.0602
#define YAML                                                                                       \
    "name: u\ndevice: .\nnodes: nodes.csv\nrun: {uncertainty: sample, outer: 2000}\n" CELLLAB_TAIL \
    "368\n"
#define DEVICE                                                                                     \
    "name: d\nresources:\n  compute: {servers: 1, group: g}\n  link: {servers: 1, group: g}\n"

static double law(double x, double value, double lo, double hi)
{
    double ratio = x < value ? value / lo : hi / value;
    if (ratio == 1)
        return x < value ? 0 : 1;
    return gsl_cdf_ugaussian_P(1.959963984540054 * log(x / value) / log(ratio));
}

/* What a case computes of a tail in us: P(tail <= this). */
typedef double (*tail_law)(double us);

static void assert_law(const struct sl_cell *cell, tail_law expected)
{
    static double sorted[DRAWS];
    double distance = 0;
    ck_assert_uint_eq(cell->outer.draws, DRAWS);
    memcpy(sorted, cell->outer.tail_us, sizeof sorted);
    sl_sort_doubles(sorted, DRAWS);
    for (int d = 0; d < DRAWS; d++) {
        double p = expected(sorted[d]);
        distance = fmax(distance, fmax(p - (double)d / DRAWS, (double)(d + 1) / DRAWS - p));
    }
    ck_assert_double_lt(distance, KS_DIST);
}

static void open_lab(struct celllab *lab, const char *yaml, const char *nodes,
                     const char *durations, const char *kappa)
{
    celllab_begin(lab);
    celllab_write(lab, "scenario.yaml", yaml);
    celllab_write(lab, "device.yaml", DEVICE);
    celllab_write(lab, "nodes.csv", nodes);
    if (durations)
        celllab_write(lab, "durations.csv", durations);
    if (kappa)
        celllab_write(lab, "kappa.csv", kappa);
    celllab_load(lab);
}

/* One node of 100 us in [90, 125]. */
static double one_duration(double us)
{
    return law(us, 100, 90, 125);
}

START_TEST(a_duration_has_its_law)
{
    struct celllab lab;
    struct sl_cell cell;
    open_lab(&lab, YAML, "node,kind,class,resource,work\na,compute,x,compute,bytes=1MiB\n",
             "class,size_bytes,dist,dur_med_ns,ci_lo_ns,ci_hi_ns\nx,1048576,100us,100000,90000,"
             "125000\n",
             NULL);
    celllab_run(&lab, &cell);
    assert_law(&cell, one_duration);
    /* The nominal figures know nothing of it, and no inner noise is in the band. */
    ck_assert_double_eq(cell.p99.value, 100);
    ck_assert_double_eq(cell.max_us, 100);
    ck_assert_double_eq(cell.outer.band.noise, 0);
    ck_assert_uint_eq(cell.outer.source_count, 1);
    ck_assert_uint_eq(cell.outer.sources[0].figures, 1);
    ck_assert_double_eq_tol(cell.outer.sources[0].lo, 0.9, 1e-12);
    ck_assert_double_eq_tol(cell.outer.sources[0].hi, 1.25, 1e-12);
    ck_assert_double_eq_tol(cell.outer.correlation[0], 1, 1e-9);
    ck_assert_str_eq(cell.outer.exact, "");
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* Half way between 10 us in [9, 12] and 40 us in [30, 60] on a log scale: sqrt(10 x 40) = 20 us,
 * and the ends likewise, since the rows of a class move together. */
static double interpolated(double us)
{
    return law(us, 20, sqrt(9 * 30.0), sqrt(12 * 60.0));
}

START_TEST(rows_of_a_class_move_together)
{
    struct celllab lab;
    struct sl_cell cell;
    open_lab(&lab, YAML, "node,kind,class,resource,work\na,compute,x,compute,bytes=2MiB\n",
             "class,size_bytes,dist,ci_lo_ns,ci_hi_ns\nx,1048576,10us,9000,12000\n"
             "x,4194304,40us,30000,60000\n",
             NULL);
    celllab_run(&lab, &cell);
    assert_law(&cell, interpolated);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* a (1000 us) beside b (400 us, which feels nothing): a does 400 / kappa while b runs and the rest
 * alone, so that T = 400 + 1000 - 400 / kappa, and T <= t where kappa <= 400 / (1400 - t). */
#define TWO_NODES                                                                                  \
    "node,kind,class,resource,duration\na,compute,x,compute,1000us\nb,compute,y,link,400us\n"

static double overlap(double us)
{
    return law(400 / (1400 - us), 2, 1.5, 3);
}

START_TEST(a_kappa_has_its_law)
{
    struct celllab lab;
    struct sl_cell cell;
    open_lab(&lab, YAML, TWO_NODES, NULL, "victim,set,kappa,ci_lo,ci_hi\nx,y,2,1.5,3\ny,x,1,1,1\n");
    celllab_run(&lab, &cell);
    assert_law(&cell, overlap);
    ck_assert_double_eq(cell.p99.value, 1200);
    ck_assert_str_eq(cell.outer.exact,
                     "durations written out: 2 nodes; kappa without an interval: y beside x");
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* kappa 1 in [1, 1.5]: half of all draws are 1 itself, T = 1000 us. */
START_TEST(an_interval_may_touch_one)
{
    struct celllab lab;
    struct sl_cell cell;
    uint32_t at_one = 0;
    open_lab(&lab, YAML, TWO_NODES, NULL, "victim,set,kappa,ci_lo,ci_hi\nx,y,1,1,1.5\ny,x,1,,\n");
    celllab_run(&lab, &cell);
    for (int d = 0; d < DRAWS; d++) {
        ck_assert_double_ge(cell.outer.tail_us[d], 1000);
        at_one += cell.outer.tail_us[d] == 1000;
    }
    ck_assert_double_eq_tol(at_one, DRAWS / 2.0, 5 * sqrt(DRAWS / 4.0));
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* Beside a plan that always takes 1250 us the overlap wins where 1400 - 400 / kappa < 1250, that is
 * kappa < 8/3: a share of Phi(1.96 ln(4/3) / ln(3/2)) = 0.918. */
START_TEST(the_share_of_wins_is_the_probability_of_the_threshold)
{
    struct celllab lab, other;
    struct sl_cell cell, rival;
    struct sl_win_share shares[2];
    open_lab(&lab, YAML, TWO_NODES, NULL, "victim,set,kappa,ci_lo,ci_hi\nx,y,2,1.5,3\ny,x,1,1,1\n");
    open_lab(&other, YAML, "node,kind,class,resource,duration\na,compute,x,compute,1250us\n", NULL,
             "victim,set,kappa,ci_lo,ci_hi\nx,y,2,1.5,3\n");
    celllab_run(&lab, &cell);
    celllab_run(&other, &rival);
    const double *const tails[] = {cell.outer.tail_us, rival.outer.tail_us};
    ck_assert_uint_eq(sl_win_shares(shares, tails, 2, DRAWS), 0);
    double p = law(8.0 / 3, 2, 1.5, 3);
    ck_assert_double_eq_tol(p, 0.918, 0.0005);
    ck_assert_double_eq_tol(shares[0].share.value, p, 5 * sqrt(p * (1 - p) / DRAWS));
    ck_assert_double_eq_tol(shares[0].share.value + shares[1].share.value, 1, 1e-12);
    /* The rival meets kappa as little as its band moves. */
    ck_assert_double_eq(rival.outer.band.max, 1250);
    ck_assert_uint_eq(rival.outer.sources[0].figures, 0);
    sl_cell_free(&cell);
    sl_cell_free(&rival);
    celllab_close(&lab);
    celllab_close(&other);
}
END_TEST

/* Draws are named by class: another table with further classes before it meets the same ones. */
START_TEST(draws_are_common)
{
    struct celllab lab, other;
    struct sl_cell cell, rival;
    open_lab(&lab, YAML, TWO_NODES, NULL, "victim,set,kappa,ci_lo,ci_hi\nx,y,2,1.5,3\ny,x,1,1,1\n");
    open_lab(&other, YAML,
             "node,kind,class,resource,duration\nq,compute,q,compute,1ps\n"
             "a,compute,x,compute,1000us\nb,compute,y,link,400us\n",
             NULL, "victim,set,kappa,ci_lo,ci_hi\nq,q,3,2,4\ny,x,1,1,1\nx,y,2,1.5,3\n");
    celllab_run(&lab, &cell);
    celllab_threads(&other, 3);
    celllab_run(&other, &rival);
    for (int d = 0; d < DRAWS; d++)
        ck_assert_double_eq_tol(cell.outer.tail_us[d], rival.outer.tail_us[d], 1e-4);
    sl_cell_free(&cell);
    sl_cell_free(&rival);
    celllab_close(&lab);
    celllab_close(&other);
}
END_TEST

/* Without any width the tail of draw d is that of the nominal trials d x inner and following, bit
 * for bit, and all of the band is sampling noise. */
#define RANDOM_NODES                                                                               \
    "node,kind,class,resource,duration\na,compute,x,compute,exponential(mean=10us)\n"              \
    "b,compute,y,link,exponential(mean=5us)\n"
#define NO_WIDTH "victim,set,kappa,ci_lo,ci_hi\nx,y,1.3,1.3,1.3\ny,x,1.1,,\n"

START_TEST(no_width_is_the_nominal_plan)
{
    enum { INNER = 368, FEW = 100 };
    struct celllab lab, plain;
    struct sl_cell cell, nominal;
    open_lab(&lab,
             "name: u\ndevice: .\nnodes: nodes.csv\nrun: {uncertainty: sample}\n" CELLLAB_TAIL
             "500\n",
             RANDOM_NODES, NULL, NO_WIDTH);
    uint32_t told = 0;
    for (uint32_t i = 0; i < lab.diags.count; i++)
        told += strcmp(lab.diags.items[i].code, "nothing-to-sample") == 0;
    ck_assert_uint_eq(told, 1);
    ck_assert_uint_eq(lab.scenario.outer, 0); /* the loader asks for no draws; the test does */
    lab.scenario.outer = FEW;
    open_lab(&plain, "name: u\ndevice: .\nnodes: nodes.csv\n" CELLLAB_TAIL "36800\n", RANDOM_NODES,
             NULL, NO_WIDTH);
    celllab_threads(&lab, 2);
    celllab_run(&lab, &cell);
    celllab_run(&plain, &nominal);
    ck_assert_uint_eq(cell.outer.draws, FEW);
    ck_assert_uint_eq(cell.outer.inner, INNER);
    for (int d = 0; d < FEW; d++) {
        int64_t sorted[INNER];
        memcpy(sorted, &nominal.metric_ps[(size_t)d * INNER], sizeof sorted);
        sl_sort_integers(sorted, INNER);
        ck_assert_double_eq(cell.outer.tail_us[d],
                            (double)sorted[sl_quantile_rank(INNER, 0.99) - 1] / 1e6);
        ck_assert_double_eq(cell.outer.median_us[d],
                            (double)sorted[sl_quantile_rank(INNER, 0.5) - 1] / 1e6);
    }
    /* The share of two estimates of one variance, each within some 25%. */
    ck_assert_double_gt(cell.outer.band.noise, 0.5);
    ck_assert_mem_eq(cell.metric_ps, nominal.metric_ps, 500 * sizeof *cell.metric_ps);
    sl_cell_free(&cell);
    sl_cell_free(&nominal);
    celllab_close(&lab);
    celllab_close(&plain);
}
END_TEST

/* Draws of the calibration change nothing of the nominal figures. */
START_TEST(nominal_columns_stay)
{
    static const char *const kappa = "victim,set,kappa,ci_lo,ci_hi\nx,y,1.3,1.1,2\ny,x,1.1,1,1.4\n";
    struct celllab lab, plain;
    struct sl_cell cell, nominal;
    open_lab(&lab,
             "name: u\ndevice: .\nnodes: nodes.csv\nrun: {uncertainty: sample}\n" CELLLAB_TAIL
             "500\n",
             RANDOM_NODES, NULL, kappa);
    open_lab(&plain, "name: u\ndevice: .\nnodes: nodes.csv\n" CELLLAB_TAIL "500\n", RANDOM_NODES,
             NULL, kappa);
    celllab_run(&lab, &cell);
    celllab_run(&plain, &nominal);
    ck_assert_mem_eq(cell.metric_ps, nominal.metric_ps, 500 * sizeof *cell.metric_ps);
    ck_assert_mem_eq(&cell.mean, &nominal.mean, sizeof cell.mean);
    ck_assert_mem_eq(&cell.p99, &nominal.p99, sizeof cell.p99);
    ck_assert_uint_eq(nominal.outer.draws, 0);
    sl_cell_free(&cell);
    sl_cell_free(&nominal);
    celllab_close(&lab);
    celllab_close(&plain);
}
END_TEST

/* a writes 1 GiB that c reads, c wants 1 GiB more; so do b (from 100 us on) and d with their own;
 * the capacity is 2 GiB.  a takes 95 us in [80, 130].  Up to 100 us c runs before b can start;
 * beyond, both hold 1 GiB and want one: a deadlock, in a share of 1 - Phi(1.96 ln(100/95) /
 * ln(130/95)). */
START_TEST(deadlocks_of_some_draws_are_counted)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_begin(&lab);
    celllab_write(&lab, "scenario.yaml",
                  "name: u\ndevice: .\nnodes: nodes.csv\nobjects: objects.csv\n"
                  "domains:\n  hbm: {capacity: 2GiB, reserve: 0B}\n"
                  "run: {uncertainty: sample, outer: 2000}\n" CELLLAB_TAIL "368\n");
    celllab_write(&lab, "device.yaml",
                  "name: d\nresources:\n  r1: {servers: 1}\n  r2: {servers: 1}\n");
    celllab_write(&lab, "durations.csv",
                  "class,size_bytes,dist,ci_lo_ns,ci_hi_ns\nx,1048576,95us,80000,130000\n");
    celllab_write(&lab, "objects.csv", "object,size,home\no,1GiB,hbm\np,1GiB,hbm\n");
    celllab_write(&lab, "nodes.csv",
                  "node,kind,class,resource,duration,work,inputs,outputs,workspace,release\n"
                  "a,compute,x,r1,,bytes=1MiB,,o,,\n"
                  "c,compute,,r1,50us,,o,,hbm:1GiB,\n"
                  "b,compute,,r2,1000us,,,p,,100us\n"
                  "d,compute,,r2,10us,,p,,hbm:1GiB,\n");
    celllab_load(&lab);
    celllab_run(&lab, &cell);
    double p = 1 - law(100, 95, 80, 130);
    ck_assert_uint_eq(cell.deadlocked, 0);
    ck_assert_double_eq_tol(cell.outer.deadlocked_draws, p * DRAWS, 5 * sqrt(p * (1 - p) * DRAWS));
    for (int d = 0; d < DRAWS; d++)
        ck_assert_uint_eq(cell.outer.deadlocked[d], isinf(cell.outer.tail_us[d]) ? 368 : 0);
    ck_assert_uint_eq(cell.outer.deadlocked[cell.outer.first_deadlocked], 368);
    ck_assert_ptr_nonnull(strstr(cell.outer.deadlock, "waits for"));
    ck_assert(isinf(cell.outer.band.max));
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("uncertainty");
    TCase *tcase = tcase_create("all");
    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, a_duration_has_its_law);
    tcase_add_test(tcase, rows_of_a_class_move_together);
    tcase_add_test(tcase, a_kappa_has_its_law);
    tcase_add_test(tcase, an_interval_may_touch_one);
    tcase_add_test(tcase, the_share_of_wins_is_the_probability_of_the_threshold);
    tcase_add_test(tcase, draws_are_common);
    tcase_add_test(tcase, no_width_is_the_nominal_plan);
    tcase_add_test(tcase, nominal_columns_stay);
    tcase_add_test(tcase, deadlocks_of_some_draws_are_counted);
    return sl_test_run(suite);
}
