/* Figures of dependent values: by hand, and the coverage of their intervals on the queue M/M/1,
 * whose figures are known.  Seeds are fixed; over other seeds the suite would fail with less than
 * 0.9%, if the coverage were the least that is wanted. */
#include "coverage.h"
#include "lindley.h"
#include "ratio.h"
#include "series.h"
#include "trend.h"
#include <string.h>

#define LEVEL 0.95
#define T4    2.7764451051977934 /* 97.5% point of Student's t with 4 degrees of freedom */

static const struct sl_series_figure mean_of = {SL_SERIES_MEAN, 0};

static struct sl_series_result one(const double *const *values, const size_t *counts,
                                   uint32_t count, bool one_course, struct sl_series_figure figure)
{
    const struct sl_series series = {
        .values = values, .counts = counts, .count = count, .one_course = one_course};
    struct sl_series_result result;
    ck_assert_int_eq(sl_series_estimate(&series, &figure, 1, LEVEL, &result, NULL), SL_OK);
    return result;
}

START_TEST(means_of_five_replications)
{
    /* Means 1, 2, 3, 4, 5: sd sqrt(2.5), error sqrt(2.5 / 5). */
    const double a[] = {0, 2}, b[] = {2, 2}, c[] = {3, 3}, d[] = {5, 3}, e[] = {1, 9};
    const double *const values[] = {a, b, c, d, e};
    const size_t counts[] = {2, 2, 2, 2, 2};
    struct sl_series_result got = one(values, counts, 5, false, mean_of);
    ck_assert_int_eq(got.method, SL_SERIES_REPLICATIONS);
    ck_assert_uint_eq(got.groups, 5);
    ck_assert_double_eq_tol(got.estimate.value, 3, 1e-12);
    ck_assert_double_eq_tol(got.estimate.hi, 3 + T4 * sqrt(0.5), 1e-9);
    ck_assert_double_eq_tol(got.estimate.lo, 3 - T4 * sqrt(0.5), 1e-9);
}
END_TEST

/* Between groups from 1 to 100 a symmetric interval would reach below 0. */
START_TEST(times_are_not_below_0)
{
    double store[5][1000];
    const double *values[5];
    size_t counts[5];
    static const double level[] = {1, 1, 1, 1, 100};
    for (int r = 0; r < 5; r++) {
        for (int i = 0; i < 1000; i++)
            store[r][i] = level[r];
        values[r] = store[r];
        counts[r] = 1000;
    }
    const struct sl_series_figure figures[] = {mean_of, {SL_SERIES_QUANTILE, 0.5}};
    struct sl_series series = {.values = values, .counts = counts, .count = 5};
    struct sl_series_result got[2];
    ck_assert_int_eq(sl_series_estimate(&series, figures, 2, LEVEL, got, NULL), SL_OK);
    ck_assert_double_lt(got[1].estimate.lo, 0);
    series.times = true;
    ck_assert_int_eq(sl_series_estimate(&series, figures, 2, LEVEL, got, NULL), SL_OK);
    /* One of five logarithms is l = ln 100: their deviation is l / sqrt(5), the error l / 5. */
    double factor = exp(T4 * log(100) / 5);
    ck_assert_double_eq_tol(got[1].estimate.value, 1, 1e-9);
    ck_assert_double_eq_tol(got[1].estimate.lo, 1 / factor, 1e-9);
    ck_assert_double_eq_tol(got[1].estimate.hi, factor, 1e-6);
    ck_assert_double_eq_tol(got[0].estimate.lo, 20.8 / factor, 1e-9);
}
END_TEST

START_TEST(short_replications_tell_a_quantile_together)
{
    /* p90 takes 100 values: of 60 replications of 10 values ten at a time do, six groups.  Group g
     * has 100 times the value g + 1, so that its p90 is that. */
    double store[60][10];
    const double *values[60];
    size_t counts[60];
    for (int r = 0; r < 60; r++) {
        for (int i = 0; i < 10; i++)
            store[r][i] = r / 10 + 1;
        values[r] = store[r];
        counts[r] = 10;
    }
    struct sl_series_figure p90 = {SL_SERIES_QUANTILE, 0.9};
    struct sl_series_result got = one(values, counts, 60, false, p90);
    ck_assert_int_eq(got.method, SL_SERIES_REPLICATIONS);
    ck_assert_uint_eq(got.groups, 6);
    ck_assert_double_eq(got.estimate.value, 6); /* rank 540 of 600 */
    ck_assert_uint_eq(got.needs, 100);
    /* Of 40 replications four groups are too few for an interval, of 9 there is not even a value.
     */
    got = one(values, counts, 40, false, p90);
    ck_assert_int_eq(got.method, SL_SERIES_NONE);
    ck_assert_double_eq(got.estimate.value, 4);
    ck_assert(isnan(got.estimate.lo));
    ck_assert(isnan(one(values, counts, 9, false, p90).estimate.value));
}
END_TEST

START_TEST(the_mean_beyond_a_quantile)
{
    /* 1 .. 1000: above p99, rank 990, are 991 .. 1000. */
    static double all[1000];
    for (int i = 0; i < 1000; i++)
        all[i] = 1000 - i;
    const double *const values[] = {all};
    const size_t counts[] = {1000};
    struct sl_series_figure cvar = {SL_SERIES_CVAR, 0.99};
    ck_assert_double_eq_tol(one(values, counts, 1, false, cvar).estimate.value, 995.5, 1e-9);
    ck_assert_double_eq_tol(one(values, counts, 1, true, cvar).estimate.value, 995.5, 1e-9);
}
END_TEST

START_TEST(independent_values_count_whole)
{
    /* 20 batches of independent values: as many effective ones as there are, give or take what an
     * estimate of a variance from 20 has (chi-square of 19 degrees: 0.1% below 0.28, above 2.3). */
    static double all[20000];
    struct dice dice = {.state = 5};
    for (size_t i = 0; i < 20000; i++)
        all[i] = lindley_exponential(&dice, 1);
    const double *const values[] = {all};
    const size_t counts[] = {20000};
    struct sl_series_result got = one(values, counts, 1, false, mean_of);
    ck_assert_int_eq(got.method, SL_SERIES_BATCHES);
    ck_assert_uint_eq(got.groups, 20);
    ck_assert_double_gt(got.effective, 20000 / 2.31);
    ck_assert_double_le(got.effective, 20000);
    /* Each value ten times over is worth a tenth. */
    for (size_t i = 0; i < 20000; i++)
        all[i] = all[i / 10 * 10];
    got = one(values, counts, 1, false, mean_of);
    ck_assert_double_gt(got.effective, 2000 / 2.31);
    ck_assert_double_lt(got.effective, 2000 / 0.28);
}
END_TEST

/* ---- coverage -------------------------------------------------------------------------------- */

#define MOST_VALUES 40000

struct shape {
    const char *name;
    uint32_t replications;
    size_t jobs;
    bool one_course;
    double q;
    double least_mean, least_q; /* coverage that the method keeps on this queue; 0: not asked */
};

/* The first job meets the steady state: its time in the system is drawn from it. */
static void fill(double *values, size_t n, uint64_t seed, struct lindley *queue)
{
    *queue = (struct lindley){.dice = {.state = seed}, .arrivals = 0.5, .services = 1};
    double in_system = lindley_exponential(&queue->dice, 0.5);
    lindley_next(queue);
    queue->service = in_system;
    values[0] = in_system;
    for (size_t i = 1; i < n; i++)
        values[i] = lindley_next(queue);
}

static double cover(const struct shape *shape, size_t repetitions)
{
    static double store[MOST_VALUES];
    const double *values[64];
    size_t counts[64], covered[2] = {0, 0};
    const struct sl_series_figure figures[] = {mean_of, {SL_SERIES_QUANTILE, shape->q}};
    for (size_t k = 0; k < repetitions; k++) {
        struct lindley queue;
        for (uint32_t r = 0; r < shape->replications; r++) {
            values[r] = &store[r * shape->jobs];
            counts[r] = shape->jobs;
            fill(&store[r * shape->jobs], shape->jobs, 1000003 * k + 7919 * r + 17, &queue);
        }
        const struct sl_series series = {.values = values,
                                         .counts = counts,
                                         .count = shape->replications,
                                         .one_course = shape->one_course,
                                         .times = true};
        struct sl_series_result got[2];
        ck_assert_int_eq(sl_series_estimate(&series, figures, 2, LEVEL, got, NULL), SL_OK);
        double truth[] = {lindley_mean(&queue), lindley_quantile(&queue, shape->q)};
        for (int f = 0; f < 2; f++)
            covered[f] += got[f].estimate.lo <= truth[f] && truth[f] <= got[f].estimate.hi;
        ck_assert(got[0].estimate.lo > 0 && got[1].estimate.lo > 0);
    }
    char name[100];
    snprintf(name, sizeof name, "%s, mean", shape->name);
    double false_alarm = coverage_keeps(name, covered[0], repetitions, shape->least_mean);
    snprintf(name, sizeof name, "%s, p%g", shape->name, 100 * shape->q);
    return false_alarm + coverage_keeps(name, covered[1], repetitions, shape->least_q);
}

/* A mean of 500 dependent exponentials is nearly normal; a quantile of 500, p99 of 2,000, and
 * stretches that are short against the queue's memory, keep a little less. */
START_TEST(intervals_cover)
{
    static const struct shape shapes[] = {
        {"10 replications", 10, 500, false, 0.95, 0.94, 0.93},
        {"batches", 1, 10000, false, 0.95, 0.94, 0.93},
        {"50 stretches", 1, 4000, true, 0.95, 0.90, 0.90},
        {"5 replications", 5, 2000, false, 0.99, 0, 0.92},
        {"10 replications", 10, 2000, false, 0.99, 0, 0.92},
        {"20 replications", 20, 2000, false, 0.99, 0, 0.92},
    };
    double false_alarms = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        false_alarms += cover(&shapes[s], shapes[s].one_course && !sl_test_long() ? 40
                                          : sl_test_long()                        ? 2000
                                                                                  : 150);
    ck_assert_double_lt(false_alarms, 0.009);
}
END_TEST

/* ---- trend ----------------------------------------------------------------------------------- */

START_TEST(a_line_is_found)
{
    /* y = 2 t + 1 with residuals +-1 that are orthogonal to t: the slope is 2, its variance
     * squares / (n - 2) / sum (t - mean)^2 = (4 / 2) / 5. */
    const double t[] = {0, 1, 2, 3, 4, 5}, y[] = {1, 3, 5, 7, 9, 11};
    struct sl_trend exact = sl_trend_of(t, y, 6, LEVEL);
    ck_assert_double_eq_tol(exact.slope.value, 2, 1e-12);
    ck_assert_double_eq_tol(exact.slope.hi, 2, 1e-6);
    ck_assert_double_eq_tol(exact.rise, 10.0 / 6, 1e-12);
    const double x[] = {-2, -1, 0, 0, 1, 2}, z[] = {-4, -2, 1, -1, 2, 4};
    struct sl_trend noisy = sl_trend_of(x, z, 6, LEVEL);
    ck_assert_double_eq_tol(noisy.slope.value, 2, 1e-12);
    ck_assert_double_eq_tol(noisy.slope.hi - 2, T4 * sqrt(2.0 / 4 / 10), 1e-9);
    ck_assert(isnan(sl_trend_of(t, y, 4, LEVEL).slope.value));
    const double still[] = {1, 1, 1, 1, 1, 1};
    ck_assert(isnan(sl_trend_of(still, y, 6, LEVEL).slope.value));
}
END_TEST

/* ---- ratio ----------------------------------------------------------------------------------- */

START_TEST(a_ratio_varies_as_its_pairs)
{
    /* R = 12 / 4; of a_i - 3 b_i over the mean 4 / 3 there are -3/4, -3/2 and 9/4, whose squares
     * sum to 63/8: s / sqrt(3) = sqrt(63 / 8 / 2 / 3), times Student's t of 2 degrees of freedom.
     */
    double a[] = {2, 4, 6}, none[] = {0, 0};
    const double b[] = {1, 2, 1};
    struct sl_estimate ratio = sl_ratio(a, b, 3, LEVEL);
    ck_assert_double_eq_tol(ratio.value, 3, 1e-12);
    ck_assert_double_eq_tol(ratio.hi - 3, 4.302652729911275 * sqrt(63.0 / 48), 1e-9);
    ck_assert_double_eq_tol(a[2], 5.25, 1e-12);
    ck_assert(isnan(sl_ratio(none, none, 2, LEVEL).value));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("series");
    TCase *c = tcase_create("by hand");
    tcase_add_test(c, means_of_five_replications);
    tcase_add_test(c, times_are_not_below_0);
    tcase_add_test(c, short_replications_tell_a_quantile_together);
    tcase_add_test(c, the_mean_beyond_a_quantile);
    tcase_add_test(c, independent_values_count_whole);
    tcase_add_test(c, a_line_is_found);
    tcase_add_test(c, a_ratio_varies_as_its_pairs);
    suite_add_tcase(s, c);
    c = tcase_create("coverage");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, intervals_cover);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
