/* Quantile tables against GSL's exact quantiles, their sharing and their limits. */
#include <config.h>

#include "dist.h"
#include "harness.h"
#include "isa.h"
#include "qtable.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <pthread.h>

static struct sl_arena arena;

static void teardown(void)
{
    sl_arena_free(&arena);
    sl_dist_cache_free();
}

static const struct sl_dist *parse(const char *text)
{
    const struct sl_dist *dist = NULL;
    struct sl_error err = {0};
    enum sl_status status =
        sl_dist_parse(&dist, text, SL_DIST_NUMBER, ".", (struct sl_place){0}, &arena, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", text, err.message);
    return dist;
}

/* Quantiles of laws of location or scale 1, from a tail on either side. */
static double lognormal(const double *p, double tail, bool upper)
{
    return upper ? gsl_cdf_lognormal_Qinv(tail, 0, p[0]) : gsl_cdf_lognormal_Pinv(tail, 0, p[0]);
}

static double gamma_law(const double *p, double tail, bool upper)
{
    return upper ? gsl_cdf_gamma_Qinv(tail, p[0], 1) : gsl_cdf_gamma_Pinv(tail, p[0], 1);
}

static double weibull(const double *p, double tail, bool upper)
{
    return upper ? gsl_cdf_weibull_Qinv(tail, 1, p[0]) : gsl_cdf_weibull_Pinv(tail, 1, p[0]);
}

static double exponential(const double *p, double tail, bool upper)
{
    (void)p;
    return upper ? gsl_cdf_exponential_Qinv(tail, 1) : gsl_cdf_exponential_Pinv(tail, 1);
}

/* Mean 1 and sd p[0] before truncation: the tail is a share of what is kept. */
static double normal(const double *p, double tail, bool upper)
{
    double kept = gsl_cdf_gaussian_Q(-1, p[0]);
    if (upper)
        return 1 + gsl_cdf_gaussian_Qinv(tail * kept, p[0]);
    return 1 + gsl_cdf_gaussian_Pinv(gsl_cdf_gaussian_P(-1, p[0]) + tail * kept, p[0]);
}

/* pert(0, p[0], 1) */
static double pert(const double *p, double tail, bool upper)
{
    double a = 1 + 4 * p[0], b = 5 - 4 * p[0];
    return upper ? gsl_cdf_beta_Qinv(tail, a, b) : gsl_cdf_beta_Pinv(tail, a, b);
}

static const struct {
    const char *format;
    double (*quantile)(const double *p, double tail, bool upper);
    size_t tables;        /* that these parameters need */
    double parameters[9]; /* ends at 0 */
} laws[] = {
    {"lognormal(median=1, sigma=%.17g)", lognormal, 7, {0.01, 0.1, 0.25, 0.5, 1, 2, 3}},
    {"gamma(shape=%.17g, scale=1)", gamma_law, 8, {0.3, 0.5, 1, 1.7, 4, 100, 500, 1e4}},
    {"weibull(shape=%.17g, scale=1)", weibull, 8, {0.1, 0.3, 0.7, 1, 1.5, 5, 50, 1000}},
    {"exponential(mean=%.17g)", exponential, 1, {1}},
    {"normal(mean=1, sd=%.17g)",
     normal,
     5,
     {1e-4, 0.05, 0.11, 0.12, 0.3, 1, 20}}, /* up to 1/9 one table serves all */
    {"pert(0, %.17g, 1)", pert, 6, {0.001, 0.1, 0.25, 0.5, 0.9, 0.999}},
};

/* The error at u, relative to the exact value. */
static double error_at(const struct sl_dist *dist, size_t law, const double *p, double u)
{
    bool upper = u > 0.5;
    double exact = laws[law].quantile(p, upper ? 1 - u : u, upper);
    return fabs(sl_dist_value(dist, u, 0.5) - exact) / exact;
}

START_TEST(error_below_a_millionth)
{
    size_t law = (size_t)_i;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 3);
    for (const double *p = laws[law].parameters; *p > 0; p++) {
        char text[128];
        snprintf(text, sizeof text, laws[law].format, *p);
        const struct sl_dist *dist = parse(text);
        double worst = 0;
        for (int i = 0; i < 4000; i++) {
            double tail = exp2(-1 - i / 180.0); /* both tails, to 2^-23.2 = 1e-7 */
            worst = fmax(worst, error_at(dist, law, p, tail));
            worst = fmax(worst, error_at(dist, law, p, 1 - tail));
            worst = fmax(worst, error_at(dist, law, p, (i + 0.5) / 4000));
            worst =
                fmax(worst, error_at(dist, law, p, 1e-7 + (1 - 2e-7) * gsl_rng_uniform_pos(rng)));
        }
        ck_assert_msg(worst < 1e-6, "%s: %g", text, worst);
    }
    /* Were a table refused, the exact function would hide it from the errors above. */
    ck_assert_uint_eq(sl_qtable_cache_count(), laws[law].tables);
    gsl_rng_free(rng);
}
END_TEST

/* Of gamma laws of small shapes, whose lower quantiles (down to 1e-141) GSL does not invert, the
 * cdf tells whether the quantile is within a millionth of the value. */
START_TEST(small_gamma_shapes)
{
    static const double shapes[] = {0.05, 0.1, 0.2};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char text[64];
        snprintf(text, sizeof text, "gamma(shape=%g, scale=1)", shapes[k]);
        const struct sl_dist *dist = parse(text);
        ck_assert_uint_eq(sl_qtable_cache_count(), k + 1);
        for (int i = 0; i < 4000; i++) {
            double tail = exp2(-1 - i / 180.0);
            double low = sl_dist_value(dist, tail, 0.5), high = sl_dist_value(dist, 1 - tail, 0.5);
            double below = gsl_cdf_gamma_P(low * (1 - 1e-6), shapes[k], 1),
                   above = gsl_cdf_gamma_P(low * (1 + 1e-6), shapes[k], 1);
            ck_assert_msg(below < tail && tail < above, "%s at %g", text, tail);
            above = gsl_cdf_gamma_Q(high * (1 - 1e-6), shapes[k], 1);
            below = gsl_cdf_gamma_Q(high * (1 + 1e-6), shapes[k], 1);
            ck_assert_msg(below < tail && tail < above, "%s at 1 - %g", text, tail);
        }
    }
}
END_TEST

/* Bulk evaluation on every vector target: tails beyond the table, u = 1/2 and odd counts included.
 */
START_TEST(bulk_is_one_by_one_on_every_target)
{
    enum { N = 1003 };
    double u[N], values[N];
    enum sl_isa isa = (enum sl_isa)_i;
    if (!sl_isa_available(isa)) {
        printf("# skipped: this machine has no %s\n", sl_isa_name(isa));
        return;
    }
    sl_isa_force(isa);
    static const char *const texts[] = {"lognormal(median=1, sigma=0.3)", /* 5 bits, more bits */
                                        "weibull(shape=0.1, scale=1)"};
    for (int i = 0; i < N; i++)
        u[i] = i % 2 ? exp2(-i / 25.0) : 1 - exp2(-1 - i / 25.0);
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        double unused;
        const struct sl_qtable *table = sl_dist_table(parse(texts[t]), &unused);
        for (size_t count = N; count > N - 5; count--) {
            sl_qtable_values(table, u + (N - count), values, count);
            for (size_t i = 0; i < count; i++) {
                double expected = sl_qtable_value(table, u[N - count + i]);
                ck_assert_mem_eq(&values[i], &expected, sizeof expected);
            }
        }
    }
}
END_TEST

START_TEST(far_tails_are_exact)
{
    const struct sl_dist *dist = parse("lognormal(median=1, sigma=0.5)");
    double p = 0.5;
    for (int e = 31; e <= 53; e++) {
        double tail = exp2(-e);
        ck_assert_double_eq_tol(sl_dist_value(dist, tail, 0.5) / lognormal(&p, tail, false), 1,
                                1e-14);
        ck_assert_double_eq_tol(sl_dist_value(dist, 1 - tail, 0.5) / lognormal(&p, tail, true), 1,
                                1e-14);
    }
}
END_TEST

START_TEST(one_table_for_one_shape)
{
    sl_dist_cache_free();
    parse("lognormal(median=1, sigma=0.25)");
    ck_assert_uint_eq(sl_qtable_cache_count(), 1);
    for (int i = 1; i < 1000; i++) {
        char text[128];
        snprintf(text, sizeof text, "lognormal(median=%d, sigma=0.25)", i);
        const struct sl_dist *dist = parse(text);
        ck_assert_double_eq_tol(sl_dist_value(dist, 0.9, 0.5), i * exp(0.25 * 1.2815515655446),
                                1e-6 * i);
    }
    ck_assert_uint_eq(sl_qtable_cache_count(), 1);
    parse("gamma(mean=1, cv=0.25)");
    ck_assert_uint_eq(sl_qtable_cache_count(), 2);
    sl_dist_cache_free();
    ck_assert_uint_eq(sl_qtable_cache_count(), 0);
}
END_TEST

START_TEST(table_and_scale_are_the_law)
{
    double scale[2], unused;
    const struct sl_dist *dist = parse("lognormal(median=7, sigma=0.3)");
    const struct sl_qtable *table = sl_dist_table(dist, &scale[0]);
    ck_assert_ptr_nonnull(table);
    ck_assert_ptr_eq(sl_dist_table(parse("lognormal(median=3, sigma=0.3)"), &scale[1]), table);
    ck_assert_double_eq_tol(scale[0] / scale[1], 7.0 / 3, 1e-12);
    for (int i = 0; i < 1000; i++) {
        double u = (i + 0.5) / 1000;
        ck_assert_double_eq(sl_dist_value(dist, u, 0.5), scale[0] * sl_qtable_value(table, u));
    }
    ck_assert_ptr_null(sl_dist_table(parse("1 + lognormal(median=7, sigma=0.3)"), &unused));
    ck_assert_ptr_null(sl_dist_table(parse("uniform(1, 2)"), &unused));
}
END_TEST

/* Beyond the cap the exact function takes over: slower, same values. */
START_TEST(cache_is_capped)
{
    for (int i = 0; i < 2 * SL_QTABLE_CACHE; i++) {
        char text[128];
        double sigma = 0.1 + i / 1000.0;
        snprintf(text, sizeof text, "3 + lognormal(median=1, sigma=%.3f)", sigma);
        double value = sl_dist_value(parse(text), 0.99, 0.5);
        ck_assert_double_eq_tol(value, 3 + exp(sigma * 2.3263478740408), 1e-6 * value);
    }
    ck_assert_uint_le(sl_qtable_cache_count(), SL_QTABLE_CACHE);
}
END_TEST

START_TEST(bulk_is_one_by_one)
{
    enum { N = 1000 };
    double u[N], scale[N], values[N];
    static const char *const texts[] = {"0.5 + lognormal(median=2, sigma=0.3)",
                                        "triangular(1, 2, 4)", "7"};
    for (int i = 0; i < N; i++) {
        u[i] = (i + 0.5) / N;
        scale[i] = 1 + i % 7;
    }
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        const struct sl_dist *dist = parse(texts[t]);
        sl_dist_values(dist, u, NULL, scale, values, N);
        for (int i = 0; i < N; i++)
            ck_assert_double_eq(values[i], sl_dist_value(dist, u[i], 0.5) * scale[i]);
    }
}
END_TEST

/* A law whose slope is not that of its quantile, and one that falls, must be refused. */
static double steep(const double shape[2], double tail, bool upper)
{
    (void)shape;
    return upper ? 2 - tail : 1 + tail;
}

static double falling(const double shape[2], double tail, bool upper)
{
    (void)shape;
    return upper ? 1 + tail : 2 - tail;
}

static double flat_pdf(const double shape[2], double x)
{
    (void)x;
    return shape[0];
}

START_TEST(bad_laws_get_no_table)
{
    bool starved;
    struct sl_qtable_law law = {"test steep", {0.1, 0}, steep, flat_pdf};
    ck_assert_ptr_null(sl_qtable_get(&law, &starved));
    ck_assert(!starved);
    law = (struct sl_qtable_law){"test falling", {1, 0}, falling, flat_pdf};
    ck_assert_ptr_null(sl_qtable_get(&law, &starved));
    ck_assert(!starved);
    law = (struct sl_qtable_law){"test uniform", {1, 0}, steep, flat_pdf};
    ck_assert_ptr_nonnull(sl_qtable_get(&law, &starved));
}
END_TEST

static void *parse_many(void *context)
{
    struct sl_arena own = {0};
    size_t *bad = context;
    for (int i = 0; i < 200; i++) {
        char text[128];
        snprintf(text, sizeof text, "weibull(shape=%d, scale=1)", 1 + i % 20);
        const struct sl_dist *dist;
        if (sl_dist_parse(&dist, text, SL_DIST_NUMBER, ".", (struct sl_place){0}, &own, NULL) !=
                SL_OK ||
            fabs(sl_dist_value(dist, 1 - exp(-1), 0.5) - 1) > 1e-6)
            ++*bad;
    }
    sl_arena_free(&own);
    return NULL;
}

START_TEST(threads_share_tables)
{
    pthread_t threads[4];
    size_t bad[4] = {0};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, parse_many, &bad[i]), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(bad[0] + bad[1] + bad[2] + bad[3], 0);
}
END_TEST

static Suite *suite(void)
{
    gsl_set_error_handler_off();
    Suite *s = suite_create("qtable");
    TCase *tables = tcase_create("tables");
    tcase_add_checked_fixture(tables, NULL, teardown);
    tcase_set_timeout(tables, 120);
    tcase_add_loop_test(tables, error_below_a_millionth, 0, (int)(sizeof laws / sizeof laws[0]));
    tcase_add_test(tables, small_gamma_shapes);
    tcase_add_loop_test(tables, bulk_is_one_by_one_on_every_target, 0, SL_ISAS);
    tcase_add_test(tables, far_tails_are_exact);
    tcase_add_test(tables, one_table_for_one_shape);
    tcase_add_test(tables, table_and_scale_are_the_law);
    tcase_add_test(tables, cache_is_capped);
    tcase_add_test(tables, bulk_is_one_by_one);
    tcase_add_test(tables, bad_laws_get_no_table);
    tcase_add_test(tables, threads_share_tables);
    suite_add_tcase(s, tables);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
