/* Quantiles over outer draws: sampling variance, band, shares of wins; and the law of a figure. */
#include "harness.h"
#include "known.h"
#include "nested.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#define Z975 1.959963984540054

START_TEST(the_ends_are_quantiles)
{
    /* The median is the figure, the 2.5% and 97.5% points are the ends; between, log F is linear in
     * z on each side. */
    struct sl_known kappa = {1.42, 1.08, 2.25};
    ck_assert_double_eq(sl_known_at(kappa, 0), 1.42);
    ck_assert_double_eq_tol(sl_known_at(kappa, -Z975), 1.08, 1e-12);
    ck_assert_double_eq_tol(sl_known_at(kappa, Z975), 2.25, 1e-12);
    ck_assert_double_eq_tol(sl_known_at(kappa, -Z975 / 2), sqrt(1.42 * 1.08), 1e-12);
    ck_assert_double_eq_tol(sl_known_at(kappa, Z975 / 2), sqrt(1.42 * 2.25), 1e-12);
    ck_assert(sl_known_varies(kappa));
}
END_TEST

START_TEST(an_end_may_touch_the_figure)
{
    struct sl_known from_one = {1, 1, 1.14}, to_itself = {1.45, 1.04, 1.45};
    ck_assert_double_eq(sl_known_at(from_one, -3), 1);
    ck_assert_double_eq(sl_known_at(from_one, -0.1), 1);
    ck_assert_double_eq_tol(sl_known_at(from_one, Z975), 1.14, 1e-12);
    ck_assert_double_eq(sl_known_at(to_itself, 2.5), 1.45);
    ck_assert_double_eq_tol(sl_known_at(to_itself, -Z975), 1.04, 1e-12);
}
END_TEST

START_TEST(no_width_is_exact)
{
    struct sl_known figure = {0.1, 0.1, 0.1};
    ck_assert(!sl_known_varies(figure));
    for (double z = -6; z <= 6; z += 0.37)
        ck_assert_double_eq(sl_known_at(figure, z), 0.1);
}
END_TEST

/* Renyi: the k-th of n exponentials is a sum of independent E_j / (n - j + 1), so that its variance
 * is the sum over j = n - k + 1 .. n of 1 / j^2. */
START_TEST(sampling_variance_of_an_order_statistic)
{
    enum { N = 1000, REPEATS = 400 };
    static double sample[N], weights[N];
    double exact = 0, mean = 0, sum = 0;
    size_t k = sl_quantile_rank(N, 0.9);
    for (size_t j = N - k + 1; j <= N; j++)
        exact += 1.0 / (double)(j * j);
    sl_quantile_weights(weights, N, 0.9);
    for (size_t i = 0; i < N; i++)
        sum += weights[i];
    ck_assert_double_eq_tol(sum, 1, 1e-12);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 7);
    for (int r = 0; r < REPEATS; r++) {
        for (size_t i = 0; i < N; i++)
            sample[i] = gsl_ran_exponential(rng, 1);
        sl_sort_doubles(sample, N);
        mean += sl_quantile_variance(sample, weights, N) / REPEATS;
    }
    gsl_rng_free(rng);
    /* The estimate's own spread is near 40%, of the mean of 400 thus 2%; its bias at n = 1000 is of
     * the same size. */
    ck_assert_double_eq_tol(mean / exact, 1, 0.12);
}
END_TEST

START_TEST(a_variance_with_deadlocks)
{
    double sorted[100], weights[100];
    for (int i = 0; i < 100; i++)
        sorted[i] = i < 90 ? i : (double)INFINITY;
    sl_quantile_weights(weights, 100, 0.5);
    ck_assert(isfinite(sl_quantile_variance(sorted, weights, 100)));
    sl_quantile_weights(weights, 100, 0.95);
    ck_assert(isnan(sl_quantile_variance(sorted, weights, 100)));
}
END_TEST

START_TEST(band_of_known_values)
{
    /* 1 .. 100: order statistics 5, 50, 95; the variance of 1 .. n is n (n + 1) / 12, and a quarter
     * of it in each quantile is a noise of 25%. */
    double values[100], variances[100];
    struct sl_band band;
    struct sl_error err = {0};
    for (int i = 0; i < 100; i++) {
        values[(i * 37) % 100] = i + 1;
        variances[i] = 100 * 101 / 12.0 / 4;
    }
    ck_assert_int_eq(sl_band_of(&band, values, variances, 100, &err), SL_OK);
    ck_assert_double_eq(band.p5.value, 5);
    ck_assert_double_eq(band.p50.value, 50);
    ck_assert_double_eq(band.p95.value, 95);
    ck_assert_double_eq(band.min, 1);
    ck_assert_double_eq(band.max, 100);
    ck_assert_double_eq_tol(band.noise, 0.25, 1e-12);
    ck_assert(band.p5.lo <= 5 && band.p5.hi >= 5 && isfinite(band.p5.lo));
}
END_TEST

START_TEST(shares_by_hand)
{
    /* Draws: A alone; A and B together; C alone; all deadlock; B and C together. */
    const double a[] = {1, 2, 5, INFINITY, 9}, b[] = {2, 2, 4, INFINITY, 1},
                 c[] = {3, 3, 3, INFINITY, 1};
    const double *const values[] = {a, b, c};
    struct sl_win_share shares[3];
    ck_assert_uint_eq(sl_win_shares(shares, values, 3, 5), 1);
    ck_assert_uint_eq(shares[0].wins, 1);
    ck_assert_uint_eq(shares[0].ties, 1);
    ck_assert_double_eq_tol(shares[0].share.value, 1.5 / 5, 1e-15);
    ck_assert_double_eq_tol(shares[1].share.value, 1.0 / 5, 1e-15);
    ck_assert_double_eq_tol(shares[2].share.value, 1.5 / 5, 1e-15);
    /* Clopper and Pearson: of 1 in 5 from below, P(B >= 1) = 1 - (1 - p)^5 = 2.5%; of 2 in 5 from
     * above 0.85337 (tables). */
    ck_assert_double_eq_tol(shares[0].share.lo, 1 - pow(0.975, 0.2), 1e-9);
    ck_assert_double_eq_tol(shares[0].share.hi, 0.85337, 1e-4);
    /* A leads in draw 0 by half of B's 2. */
    ck_assert_double_eq_tol(sl_lead_share(values, 3, 5, 0, 0).value, 0.2, 1e-15);
    ck_assert_double_eq_tol(sl_lead_share(values, 3, 5, 0, 0.49).value, 0.2, 1e-15);
    ck_assert_double_eq(sl_lead_share(values, 3, 5, 0, 0.5).value, 0);
    ck_assert_double_eq_tol(sl_lead_share(values, 1, 5, 0, 0.5).value, 0.8, 1e-15);
}
END_TEST

START_TEST(rank_correlation_by_hand)
{
    const double x[] = {1, 2, 3, 4, 5}, up[] = {1, 4, 9, 16, INFINITY}, flat[] = {2, 2, 2, 2, 2},
                 mixed[] = {2, 1, 4, 3, 5}; /* 1 - 6 x 4 / (5 x 24) = 0.8 */
    double work[10];
    ck_assert_double_eq_tol(sl_rank_correlation(x, up, 5, work), 1, 1e-15);
    ck_assert_double_eq_tol(sl_rank_correlation(x, mixed, 5, work), 0.8, 1e-12);
    ck_assert(isnan(sl_rank_correlation(x, flat, 5, work)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nested");
    TCase *tcase = tcase_create("all");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, the_ends_are_quantiles);
    tcase_add_test(tcase, an_end_may_touch_the_figure);
    tcase_add_test(tcase, no_width_is_exact);
    tcase_add_test(tcase, sampling_variance_of_an_order_statistic);
    tcase_add_test(tcase, a_variance_with_deadlocks);
    tcase_add_test(tcase, band_of_known_values);
    tcase_add_test(tcase, shares_by_hand);
    tcase_add_test(tcase, rank_correlation_by_hand);
    return sl_test_run(suite);
}
