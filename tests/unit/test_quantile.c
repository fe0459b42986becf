/* Quantile intervals against sums of binomial probabilities (coverage.h), published tables, and
 * simulated coverage; expected shortfall against its closed form. */
#include "coverage.h"
#include "harness.h"
#include "proportions.h"
#include "quantile.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>

#define MOST 4000

/* The interval's ranks: values that are their own ranks come back as themselves. */
static struct sl_estimate ranks(size_t n, double q)
{
    static double values[MOST];
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i + 1);
    return sl_quantile(values, n, q, 0.95);
}

START_TEST(published_ranks)
{
    /* n = 100: P(B <= 39) = 0.0176 and P(B <= 40) = 0.0284 (binomial tables); the textbook 95%
     * interval of the median is [x_(40), x_(61)].  n = 10: [x_(2), x_(9)] at 97.9%. */
    struct sl_estimate e = ranks(100, 0.5);
    ck_assert_double_eq(e.value, 50);
    ck_assert_double_eq(e.lo, 40);
    ck_assert_double_eq(e.hi, 61);
    e = ranks(10, 0.5);
    ck_assert_double_eq(e.lo, 2);
    ck_assert_double_eq(e.hi, 9);
    e = ranks(6, 0.5);
    ck_assert_double_eq(e.lo, 1);
    ck_assert_double_eq(e.hi, 6);
}
END_TEST

START_TEST(least_sample)
{
    /* 0.99^367 = 0.02501, 0.99^368 = 0.02476; 0.999^3687 = 0.025001, 0.999^3688 = 0.024976. */
    ck_assert_uint_eq(sl_quantile_min_n(0.99, 0.95), 368);
    ck_assert_uint_eq(sl_quantile_min_n(0.01, 0.95), 368);
    ck_assert_uint_eq(sl_quantile_min_n(0.999, 0.95), 3688);
    ck_assert_uint_eq(sl_quantile_min_n(0.5, 0.95), 6);
    ck_assert_uint_eq(sl_quantile_min_n(1, 0.95), SIZE_MAX);
    ck_assert_double_nan(ranks(367, 0.99).value);
    ck_assert_double_eq(ranks(368, 0.99).hi, 368);
    ck_assert_double_nan(ranks(3687, 0.999).hi);
    ck_assert_double_eq(ranks(3688, 0.999).hi, 3688);
    ck_assert_double_eq(ranks(368, 0.01).lo, 1);
}
END_TEST

START_TEST(exact_tails)
{
    const double quantiles[] = {0.01, 0.3, 0.5, 0.9, 0.95, 0.99};
    const size_t sizes[] = {368, 1000, 3999, 4000};
    for (size_t a = 0; a < sizeof quantiles / sizeof *quantiles; a++)
        for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++) {
            double q = quantiles[a];
            size_t n = sizes[b];
            struct sl_estimate e = ranks(n, q);
            size_t l = (size_t)e.lo, u = (size_t)e.hi;
            ck_assert_double_le(coverage_binomial(0, l - 1, n, q), 0.025);
            ck_assert_double_gt(coverage_binomial(0, l, n, q), 0.025);
            ck_assert_double_le(coverage_binomial(u, n, n, q), 0.025);
            ck_assert_double_gt(coverage_binomial(u - 1, n, n, q), 0.025);
            ck_assert_double_ge(coverage_binomial(l, u - 1, n, q), 0.95);
        }
}
END_TEST

START_TEST(point_ranks)
{
    ck_assert_double_eq(ranks(4000, 0.95).value, 3800);
    ck_assert_double_eq(ranks(4000, 0.99).value, 3960);
    ck_assert_double_eq(ranks(4000, 0.9).value, 3600);
    ck_assert_double_eq(ranks(4000, 0.999).value, 3996);
    ck_assert_double_eq(ranks(1001, 0.9).value, 901);
    ck_assert_double_eq(ranks(700, 0.07).value, 49); /* 700 * 0.07 = 49.00000000000001 in double */
}
END_TEST

START_TEST(deadlocked_trials)
{
    double values[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = i < MOST - 20 ? (double)i : INFINITY; /* 0.5% */
    struct sl_estimate e = sl_quantile(values, MOST, 0.99, 0.95);
    ck_assert_double_eq(e.value, 3959);
    ck_assert(isfinite(e.hi));
    ck_assert(isinf(sl_quantile(values, MOST, 0.999, 0.95).value));
    ck_assert_double_nan(sl_mean(values, MOST, 0.95).value);
    ck_assert_double_nan(sl_stddev(values, MOST));
    ck_assert_double_nan(sl_cvar(values, MOST, 0.99, 0.95).value);
}
END_TEST

/* Covered share of 3000 samples against the exact coverage of the ranks: a deviation of four
 * binomial standard errors has a false-alarm rate of 6e-5 per case, and the seed is fixed. */
START_TEST(simulated_coverage)
{
    enum { SAMPLES = 3000, N = 400 };
    const double quantiles[] = {0.5, 0.9, 0.99};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 20240601);
    for (size_t a = 0; a < 3; a++) {
        double values[N], q = quantiles[a], truth = -log1p(-q);
        struct sl_estimate r = ranks(N, q);
        double exact = coverage_binomial((size_t)r.lo, (size_t)r.hi - 1, N, q);
        int covered = 0;
        for (int s = 0; s < SAMPLES; s++) {
            for (size_t i = 0; i < N; i++)
                values[i] = gsl_ran_exponential(rng, 1);
            gsl_sort(values, 1, N);
            struct sl_estimate e = sl_quantile(values, N, q, 0.95);
            covered += e.lo <= truth && truth <= e.hi;
        }
        double error = sqrt(exact * (1 - exact) / SAMPLES);
        ck_assert_double_ge(exact, 0.95);
        ck_assert_double_eq_tol((double)covered / SAMPLES, exact, 4 * error);
    }
    gsl_rng_free(rng);
}
END_TEST

START_TEST(student_mean)
{
    /* t_(0.975, 9) = 2.262157 (tables); 1..10 has mean 5.5 and sd sqrt(55/6) = 3.027650. */
    double values[10];
    for (int i = 0; i < 10; i++)
        values[i] = i + 1;
    struct sl_estimate e = sl_mean(values, 10, 0.95);
    ck_assert_double_eq_tol(e.value, 5.5, 1e-12);
    ck_assert_double_eq_tol(sl_stddev(values, 10), sqrt(55.0 / 6), 1e-12);
    ck_assert_double_eq_tol(e.hi - e.value, 2.262157 * sqrt(55.0 / 6) / sqrt(10), 1e-5);
    ck_assert_double_eq_tol(e.value - e.lo, e.hi - e.value, 1e-12);
    ck_assert_double_nan(sl_mean(values, 0, 0.95).value);
    ck_assert_double_eq(sl_mean(values, 1, 0.95).value, 1);
    ck_assert_double_nan(sl_mean(values, 1, 0.95).lo);
    ck_assert_double_nan(sl_stddev(values, 1));
}
END_TEST

/* Logarithms -1, 0 and 1 have the deviation 1. */
START_TEST(limits_above_0)
{
    const double figures[] = {exp(-1), 1, exp(1)};
    double factor = exp(4.302652729911275 / sqrt(3));
    struct sl_estimate got = sl_positive(2, figures, 3, 0.95);
    ck_assert_double_eq_tol(got.lo, 2 / factor, 1e-6);
    ck_assert_double_eq_tol(got.hi, 2 * factor, 1e-6);
    /* A figure of 0 has no logarithm: 1 +- t sqrt(1) / sqrt(3), cut off. */
    const double zero[] = {0, 1, 2};
    got = sl_positive(1, zero, 3, 0.95);
    ck_assert_double_eq(got.lo, 0);
    ck_assert_double_eq_tol(got.hi, 1 + 4.302652729911275 / sqrt(3), 1e-6);
    const double same[] = {3, 3};
    got = sl_positive(3, same, 2, 0.95);
    ck_assert_double_eq(got.lo, 3);
    ck_assert_double_eq(got.hi, 3);
    ck_assert(isnan(sl_positive(3, same, 1, 0.95).lo));
    const double endless[] = {1, INFINITY};
    ck_assert(isnan(sl_positive(3, endless, 2, 0.95).hi));
}
END_TEST

START_TEST(shortfall_weights)
{
    /* By hand: the top 15% of 1..100 at q = 0.85 are 86..100, mean 93; at q = 0.855 the step of
     * x_(86) is cut in half: (87 + ... + 100 + 86/2) / 14.5. */
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = i + 1;
    ck_assert_double_eq_tol(sl_cvar(values, 100, 0.85, 0.95).value, 93, 1e-9);
    ck_assert_double_eq_tol(sl_cvar(values, 100, 0.855, 0.95).value, (14 * 93.5 + 43) / 14.5, 1e-9);
    ck_assert_double_nan(sl_cvar(values, 100, 0.99, 0.95).value);
}
END_TEST

/* Exponential with mean 1: ES_q = 1 - ln(1-q), Var (X-v)+ / (1-q)^2 = 2/(1-q) - 1. */
START_TEST(shortfall_of_exponential)
{
    enum { SAMPLES = 400, N = 4000 };
    const double q = 0.95, truth = 1 - log(0.05), sd = sqrt((2 / 0.05 - 1) / N);
    static double values[N];
    double sum = 0, widths = 0;
    int covered = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 7);
    for (int s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < N; i++)
            values[i] = gsl_ran_exponential(rng, 1);
        gsl_sort(values, 1, N);
        struct sl_estimate e = sl_cvar(values, N, q, 0.95);
        sum += e.value;
        widths += (e.hi - e.lo) / SAMPLES;
        covered += e.lo <= truth && truth <= e.hi;
    }
    gsl_rng_free(rng);
    /* Mean of the estimates: four standard errors (6e-5), plus the bias of order 1/(n(1-q)). */
    ck_assert_double_eq_tol(sum / SAMPLES, truth, 4 * sd / sqrt(SAMPLES) + 1.0 / (N * (1 - q)));
    ck_assert_double_eq_tol(widths, 2 * 1.959964 * sd, 0.03 * widths);
    /* Nominal 0.95 less skewness; below 0.90 would be 4.5 standard errors away. */
    ck_assert_double_ge((double)covered / SAMPLES, 0.90);
    ck_assert_double_le((double)covered / SAMPLES, 0.99);
}
END_TEST

/* At the ends of the interval the binomial tails hold 2.5% each; without a hit (all hits) the other
 * end has the closed form 1 - 0.025^(1/n) (0.025^(1/n)). */
START_TEST(exact_shares)
{
    const size_t n[] = {1, 10, 100, 4000}, hits[] = {1, 3, 37, 11};
    for (int i = 0; i < 4; i++) {
        struct sl_estimate none = sl_proportion(0, n[i], 0.95),
                           all = sl_proportion(n[i], n[i], 0.95);
        double end = pow(0.025, 1 / (double)n[i]);
        ck_assert(none.value == 0 && none.lo == 0 && all.value == 1 && all.hi == 1);
        ck_assert_double_eq_tol(none.hi, 1 - end, 1e-12);
        ck_assert_double_eq_tol(all.lo, end, 1e-12);
        if (hits[i] == n[i])
            continue;
        struct sl_estimate share = sl_proportion(hits[i], n[i], 0.95);
        size_t k = hits[i], size = n[i];
        ck_assert_double_eq_tol(coverage_binomial(k, size, size, share.lo), 0.025, 1e-9);
        ck_assert_double_eq_tol(coverage_binomial(0, k, size, share.hi), 0.025, 1e-9);
    }
    ck_assert_double_nan(sl_proportion(0, 0, 0.95).value);
    ck_assert_double_nan(sl_proportion(2, 1, 0.95).value);
}
END_TEST

/* A table gives what each alone gives, asked for in any order and again. */
START_TEST(tables_of_shares)
{
    const uint32_t hits[] = {17, 0, 40, 17, 3, 40, 0};
    struct sl_arena arena = {0};
    struct sl_proportions table;
    ck_assert(sl_proportions_open(&table, 40, 0.95, &arena));
    for (size_t k = 0; k < sizeof hits / sizeof *hits; k++) {
        struct sl_estimate alone = sl_proportion(hits[k], 40, 0.95);
        struct sl_estimate share = sl_proportions_at(&table, hits[k]);
        ck_assert_mem_eq(&share, &alone, sizeof share);
    }
    ck_assert(sl_proportions_open(&table, 0, 0.95, &arena));
    ck_assert_double_nan(sl_proportions_at(&table, 0).value);
    sl_arena_free(&arena);
}
END_TEST

/* Closed forms: n trials that all hit show 0.025^(1/n), so 0.999 takes ln 0.025 / ln 0.999 =
 * 3687.03 of them, and 0.99 (none hits: below 0.01) 367.04.  Elsewhere the binomial tail at the
 * bound itself has fallen to 2.5% there, and not yet at half as many. */
START_TEST(trials_that_settle_a_share)
{
    ck_assert_double_eq(sl_proportion_trials_to_settle(1000, 1000, 0.999, 0.95), 3688);
    ck_assert_double_eq(sl_proportion_trials_to_settle(0, 50, 0.01, 0.95), 368);
    ck_assert(isinf(sl_proportion_trials_to_settle(90, 100, 0.9, 0.95)));
    ck_assert(isinf(sl_proportion_trials_to_settle(900001, 1000000, 0.9, 0.95))); /* 3.5e11 */
    /* In the normal limit, 1.96^2 0.9 x 0.1 / 0.001^2 = 345,744. */
    ck_assert_double_eq_tol(sl_proportion_trials_to_settle(901, 1000, 0.9, 0.95), 345744, 2000);
    ck_assert_double_nan(sl_proportion_trials_to_settle(0, 0, 0.9, 0.95));
    size_t n = (size_t)sl_proportion_trials_to_settle(95, 100, 0.9, 0.95);
    size_t hits = (size_t)floor(0.95 * (double)n + 1e-6), half = n / 2;
    ck_assert_double_le(coverage_binomial(hits, n, n, 0.9), 0.025);
    ck_assert_double_gt(coverage_binomial((size_t)(0.95 * (double)half), half, half, 0.9), 0.025);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("quantile");
    TCase *tc = tcase_create("quantile");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, published_ranks);
    tcase_add_test(tc, least_sample);
    tcase_add_test(tc, exact_tails);
    tcase_add_test(tc, point_ranks);
    tcase_add_test(tc, deadlocked_trials);
    tcase_add_test(tc, simulated_coverage);
    tcase_add_test(tc, student_mean);
    tcase_add_test(tc, limits_above_0);
    tcase_add_test(tc, shortfall_weights);
    tcase_add_test(tc, shortfall_of_exponential);
    tcase_add_test(tc, exact_shares);
    tcase_add_test(tc, tables_of_shares);
    tcase_add_test(tc, trials_that_settle_a_share);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
