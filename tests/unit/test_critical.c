/* Criticality, overall and in the worst trials, on graphs whose chains have closed forms. */
#include <config.h>

#include "celllab.h"
#include "result_parts.h"
#include <math.h>

#define HEAD "name: paths\nnodes: nodes.csv\nresources:\n  gpu: {servers: 1}\n  dma: {servers: 1}\n"

/* A constant of 100us beside an exponential of mean 100us, a server each: the exponential is the
 * chain when it is longer, with probability 1/e, and the constant otherwise.  4,000 trials, 3.9
 * standard deviations: a false alarm in 10,000 seeds. */
START_TEST(longer_of_two)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, HEAD CELLLAB_TAIL "4000\n",
                 "node,kind,resource,duration\nfixed,compute,gpu,100us\n"
                 "wild,compute,dma,exponential(mean=100us)\n",
                 NULL, NULL, NULL);
    celllab_run(&lab, &cell);
    double p = exp(-1), spread = 3.9 * sqrt(p * (1 - p) / 4000);
    uint32_t fixed = celllab_node(&cell, "fixed"), wild = celllab_node(&cell, "wild"), longer = 0;
    for (uint32_t t = 0; t < cell.trials; t++)
        longer += cell.metric_ps[t] > 100000000;
    struct sl_estimate share = sl_criticality(&cell, wild);
    ck_assert_double_eq_tol(share.value, p, spread);
    ck_assert_uint_eq(cell.nodes.on_chain[wild], longer);
    ck_assert_uint_eq(cell.nodes.on_chain[fixed], 4000 - longer);
    /* The normal interval, to which the exact one is close at such a share: 0.1 percentage points.
     */
    double half = 1.96 * sqrt(share.value * (1 - share.value) / 4000);
    ck_assert_double_eq_tol(share.lo, share.value - half, 0.001);
    ck_assert_double_eq_tol(share.hi, share.value + half, 0.001);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* A constant of 100us beside an exponential of mean 50us: the latter is the chain above 100us, with
 * probability exp(-2), so in all of the worst 1% and in none of the middle, which is 100us exactly.
 * n of n trials have the exact interval [0.0125^(1/n), 1] at 97.5%, 0 of m [0, 1 - 0.0125^(1/m)].
 */
START_TEST(tail_of_one_path)
{
    struct celllab lab;
    struct sl_cell cell;
    celllab_open(&lab, HEAD CELLLAB_TAIL "4000\n",
                 "node,kind,resource,duration\nfixed,compute,gpu,100us\n"
                 "wild,compute,dma,exponential(mean=50us)\n",
                 NULL, NULL, NULL);
    celllab_run(&lab, &cell);
    const struct sl_tail_chain *tail = &cell.tail_chain;
    ck_assert(tail->apart);
    ck_assert_uint_eq(tail->tail_trials, 41); /* ranks 3960 to 4000 */
    ck_assert_uint_eq(tail->middle_trials, 164);
    int64_t worst = 0;
    for (uint32_t t = 0; t < cell.trials; t++)
        worst += cell.metric_ps[t] >= tail->from_ps ? cell.metric_ps[t] : 0;
    const struct sl_chain_contrast *wild = &tail->nodes[celllab_node(&cell, "wild")];
    const struct sl_chain_contrast *fixed = &tail->nodes[celllab_node(&cell, "fixed")];
    double least = pow(0.0125, 1.0 / 41), most = 1 - pow(0.0125, 1.0 / 164);
    ck_assert_uint_eq(wild->tail.trials, 41);
    ck_assert_uint_eq(wild->middle.trials, 0);
    ck_assert_int_eq(wild->tail.ps, worst);
    ck_assert_int_eq(fixed->middle.ps, INT64_C(164) * 100000000);
    ck_assert_double_eq(wild->difference.value, 1);
    ck_assert_double_eq_tol(wild->difference.lo, least - most, 1e-9);
    ck_assert_double_eq(wild->difference.hi, 1);
    ck_assert_double_eq_tol(fixed->difference.hi, most - least, 1e-9);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* Exponentials of rates a (the heavy one) and b beside each other: the longer is above t and the
 * heavy one with probability exp(-at) - a/(a+b) exp(-(a+b)t). */
static double heavy_above(double a, double b, double t)
{
    return exp(-a * t) - a / (a + b) * exp(-(a + b) * t);
}

/* Where the longer of the two has probability p of being below. */
static double longer_quantile(double a, double b, double p)
{
    double lo = 0, hi = 1e6;
    for (int k = 0; k < 100; k++) {
        double t = (lo + hi) / 2;
        *((1 - exp(-a * t)) * (1 - exp(-b * t)) < p ? &lo : &hi) = t;
    }
    return lo;
}

/* The interval of the heavy path's difference covers the true one: at most 7 misses of 40 seeds,
 * which an interval of exactly 95% exceeds twice in 1,000. */
START_TEST(difference_is_covered)
{
    const double a = 1 / 150.0, b = 1 / 100.0;
    double wanted = heavy_above(a, b, longer_quantile(a, b, 0.99)) / 0.01 -
                    (heavy_above(a, b, longer_quantile(a, b, 0.4)) -
                     heavy_above(a, b, longer_quantile(a, b, 0.6))) /
                        0.2;
    struct celllab lab;
    struct sl_cell cell;
    int misses = 0;
    celllab_open(&lab, HEAD CELLLAB_TAIL "3000\n",
                 "node,kind,resource,duration\nheavy,compute,gpu,exponential(mean=150us)\n"
                 "light,compute,dma,exponential(mean=100us)\n",
                 NULL, NULL, NULL);
    lab.options.seed_given = true;
    for (lab.options.seed = 1; lab.options.seed <= 40; lab.options.seed++) {
        celllab_run(&lab, &cell);
        struct sl_estimate got = cell.tail_chain.nodes[celllab_node(&cell, "heavy")].difference;
        misses += wanted < got.lo || wanted > got.hi;
        ck_assert_double_lt(got.hi - got.lo, 0.6); /* it says something */
        sl_cell_free(&cell);
    }
    ck_assert_int_le(misses, 7);
    celllab_close(&lab);
}
END_TEST

/* By parts, lags and all, the times of a group sum to its makespans; whatever the threads. */
START_TEST(parts_sum_to_the_makespans)
{
    struct celllab lab;
    struct sl_cell cell, threads;
    celllab_open(&lab, HEAD "edges: edges.csv\n" CELLLAB_TAIL "2500\n",
                 "node,kind,resource,duration\na,compute,gpu,exponential(mean=150us)\n"
                 "b,compute,dma,exponential(mean=100us)\nc,compute,gpu,exponential(mean=10us)\n",
                 "from,to,type,lag\na,c,data-ready,5us\nb,c,data-ready,\n", NULL, NULL);
    celllab_run(&lab, &cell);
    const struct sl_tail_chain *tail = &cell.tail_chain;
    ck_assert_uint_eq(tail->tail_trials, 26); /* ranks 2475 to 2500 */
    int64_t worst = 0, middle = 0;
    for (uint32_t t = 0, seen = 0; t < cell.trials; t++) {
        int64_t metric = cell.metric_ps[t];
        worst += metric >= tail->from_ps ? metric : 0;
        if (metric >= tail->middle_from_ps && metric <= tail->middle_to_ps && seen < 104) {
            middle += metric;
            seen++;
        }
    }
    for (size_t k = 0; k < SL_CHAIN_PARTS; k++) {
        worst -= tail->parts[k].tail.ps;
        middle -= tail->parts[k].middle.ps;
    }
    ck_assert_int_eq(worst, 0);
    ck_assert_int_eq(middle, 0);
    celllab_threads(&lab, 2);
    celllab_run(&lab, &threads);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(tail->nodes[i].tail.ps, threads.tail_chain.nodes[i].tail.ps);
        ck_assert_uint_eq(tail->nodes[i].middle.trials, threads.tail_chain.nodes[i].middle.trials);
    }
    sl_cell_free(&threads);
    sl_cell_free(&cell);
    celllab_close(&lab);
}
END_TEST

/* 1,899 trials leave 19 of the worst 1% (rank 1,881 on), and constants no tail at all. */
START_TEST(too_few_or_equal)
{
    static const char *const tails[] = {"1899\n", "3000\n"};
    static const char *const nodes[] = {
        "node,kind,resource,duration\na,compute,gpu,exponential(mean=150us)\n",
        "node,kind,resource,duration\na,compute,gpu,150us\n"};
    for (int k = 0; k < 2; k++) {
        struct celllab lab;
        struct sl_cell cell;
        char yaml[512];
        snprintf(yaml, sizeof yaml, "%s%s", HEAD CELLLAB_TAIL, tails[k]);
        celllab_open(&lab, yaml, nodes[k], NULL, NULL, NULL);
        celllab_run(&lab, &cell);
        ck_assert(cell.tail_chain.apart == (k == 0));
        ck_assert_uint_eq(cell.tail_chain.tail_trials, k == 0 ? 19 : 0);
        ck_assert_ptr_null(cell.tail_chain.parts);
        sl_cell_free(&cell);
        celllab_close(&lab);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("critical");
    TCase *tcase = tcase_create("critical");
    tcase_add_test(tcase, longer_of_two);
    tcase_add_test(tcase, tail_of_one_path);
    tcase_add_test(tcase, difference_is_covered);
    tcase_add_test(tcase, parts_sum_to_the_makespans);
    tcase_add_test(tcase, too_few_or_equal);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
