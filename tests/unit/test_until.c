/* Sequential stopping: looks by hand, and how often the interval at which it stops is right. */
#include "harness.h"
#include "until.h"
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

enum { MOST = 20000 };

static double values[MOST];

START_TEST(texts)
{
    struct sl_until until;
    char why[SL_WHY_SIZE];
    ck_assert(sl_until_parse(&until, "p99:1%", why));
    ck_assert_double_eq(until.q, 0.99);
    ck_assert_double_eq_tol(until.width, 0.01, 1e-15);
    ck_assert(sl_until_parse(&until, "p99.9:0.02", why));
    ck_assert_double_eq(until.q, 0.999);
    ck_assert_double_eq(until.width, 0.02);
    ck_assert(sl_until_parse(&until, "median:.5%", why));
    ck_assert_double_eq(until.q, 0.5);
    ck_assert(sl_until_parse(&until, "p99:1e-5%", why));
    ck_assert_double_eq_tol(until.width, 1e-7, 1e-20);
    ck_assert(sl_until_parse(&until, "mean:100%", why));
    ck_assert(isnan(until.q));
}
END_TEST

/* The text says which part is wrong, and how to write it. */
START_TEST(refused_texts)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "is not FIGURE:WIDTH, such as p99:1%"},
        {"p99", "is not FIGURE:WIDTH, such as p99:1%"},
        {":1%", "the figure '' is none of"},
        {"p98:1%", "the figure 'p98' is none of p50 (or median), p90, p95, p99, p99.9 and mean"},
        {"p9:1%", "the figure 'p9' is none of"},
        {"p99 :1%", "the figure 'p99 ' is none of"},
        {"p99:", "the width '' is not a number"},
        {"p99:0", "the width '0' is not above 0%"},
        {"p99:0%", "the width '0%' is not above 0%"},
        {"p99:-1%", "the width '-1%' is negative"},
        {"p99:101%", "the width '101%' is above 100%"},
        {"p99:1", "the width '1' has no %; write 1%"},
        {"median:20", "such as median:1%"},
        {"p99:1%%", "the width '1%%' is not a number"},
        {"p99:nan", "the width 'nan' is not a number"},
        {"p99:inf", "the width 'inf' is not a number"},
        {"p99:1x", "the width '1x' is not a number"},
        {"p99: 1%", "the width ' 1%' is not a number"},
        {"p99:1e", "the width '1e' is not a number"},
        {"p99:%", "the width '%' is not a number"},
        {"p99:0x1p-7", "the width '0x1p-7' is not a number"},
    };
    struct sl_until until;
    char why[SL_WHY_SIZE];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_msg(!sl_until_parse(&until, bad[k].text, why), "%s", bad[k].text);
        ck_assert_msg(strstr(why, bad[k].why), "%s: %s", bad[k].text, why);
    }
}
END_TEST

/* At most 100,000: with 9 looks a tail has 0.05 / 18 = 0.00278, and 0.99^n is below it from
 * ln(0.00278) / ln(0.99) = 585.6 on; 586 x 2^7 = 75,008, so that there are 9 looks.  With 8 the
 * tail is 0.003125, first is 574, and 574 x 2^7 = 73,472 leaves 9, too many. */
START_TEST(looks_by_hand)
{
    struct sl_until until = {.q = 0.99, .width = 0.01};
    struct sl_until_looks looks = sl_until_looks(&until, 0, 100000);
    ck_assert_uint_eq(looks.first, 586);
    ck_assert_uint_eq(looks.count, 9);
    ck_assert_double_eq_tol(looks.level, 1 - 0.05 / 9, 1e-12);
    ck_assert_uint_eq(sl_until_trials(&looks, 100000, 7), 75008);
    ck_assert_uint_eq(sl_until_trials(&looks, 100000, 8), 100000);
    looks = sl_until_looks(&until, 0, 50);
    ck_assert_uint_eq(looks.first, 50);
    ck_assert_uint_eq(looks.count, 1);
    until.q = NAN;
    ck_assert_uint_eq(sl_until_looks(&until, 368, 100000).first, 1000);
    until.q = 0.5; /* 368 and twice as many each: 9 looks, 368 x 2^8 = 94,208, and the most */
    looks = sl_until_looks(&until, 368, 100000);
    ck_assert_uint_eq(looks.first, 368);
    ck_assert_uint_eq(looks.count, 10);
}
END_TEST

START_TEST(widths)
{
    ck_assert_double_eq(sl_relative_half_width((struct sl_estimate){10, 9, 13}), 0.2);
    ck_assert_double_eq(sl_relative_half_width((struct sl_estimate){0, 0, 0}), 0);
    ck_assert(isinf(sl_relative_half_width((struct sl_estimate){0, 0, 1})));
    ck_assert(isnan(sl_relative_half_width((struct sl_estimate){NAN, NAN, NAN})));
    ck_assert(isinf(sl_relative_half_width((struct sl_estimate){10, 9, (double)INFINITY})));
}
END_TEST

static struct sl_until_result run(gsl_rng *rng, struct sl_until until, uint32_t most)
{
    struct sl_until_result result = {.asked = until, .looks = sl_until_looks(&until, 0, most)};
    struct sl_error err = {0};
    for (uint32_t t = 0; t < most; t++)
        values[t] = gsl_ran_exponential(rng, 1);
    for (uint32_t n = 0; !result.reached && n < most;) {
        n = sl_until_trials(&result.looks, most, result.look);
        ck_assert_int_eq(sl_until_look(&result, values, n, &err), SL_OK);
    }
    return result;
}

/* One look of `n` equal values at 5 us. */
static struct sl_until_result look_at_equal(double q, uint32_t n, bool exact)
{
    struct sl_until until = {.q = q, .width = 0.01};
    struct sl_until_result result = {
        .asked = until, .looks = sl_until_looks(&until, 0, n), .exact = exact};
    struct sl_error err = {0};
    for (uint32_t t = 0; t < n; t++)
        values[t] = 5;
    ck_assert_int_eq(sl_until_look(&result, values, n, &err), SL_OK);
    return result;
}

/* 0.999 of 100 us and 0.001 of 1 s: 1,000 trials miss the second with 0.999^1000 = 37%, and are
 * then all equal; their mean is a tenth of the truth.  Order statistics hold whatever is beyond
 * them. */
START_TEST(equal_values_tell_no_mean)
{
    struct sl_until_result result = look_at_equal(NAN, 5000, false);
    ck_assert(!result.reached && isnan(result.estimate.lo) && isnan(result.estimate.hi));
    result = look_at_equal(0.5, 5000, false);
    ck_assert(result.reached);
    ck_assert_double_eq(result.estimate.hi, 5);
    result = look_at_equal(NAN, 1, true);
    ck_assert(result.reached);
    ck_assert_double_eq(result.estimate.lo, 5);
}
END_TEST

/* Two values of much the same size have a narrow interval, and no tail. */
START_TEST(few_values_tell_no_mean)
{
    struct sl_until until = {.q = NAN, .width = 0.5};
    struct sl_error err = {0};
    for (uint32_t n = 999; n <= 1000; n++) {
        struct sl_until_result result = {.asked = until, .looks = sl_until_looks(&until, 0, n)};
        for (uint32_t t = 0; t < n; t++)
            values[t] = 5 + t % 2;
        ck_assert_int_eq(sl_until_look(&result, values, n, &err), SL_OK);
        ck_assert(result.reached == (n == 1000));
    }
}
END_TEST

#define REPETITIONS (sl_test_long() ? 2000 : 300)

/* Exponential of mean 1: p50 ln 2, p99 ln 100, mean 1.  Widths at which runs stop at several looks.
 * The interval covers with 95% at least; 3.5 standard errors are allowed (false alarm 2.3e-4). */
START_TEST(coverage)
{
    static const struct {
        double q, width, truth;
    } cases[] = {{0.5, 0.1, 0.6931471806}, {0.99, 0.1, 4.605170186}, {NAN, 0.06, 1}};
    double least = 0.95 - 3.5 * sqrt(0.95 * 0.05 / REPETITIONS);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(rng, 200 + k);
        int covered = 0, reached = 0;
        uint32_t first = UINT32_MAX, last = 0;
        for (int r = 0; r < REPETITIONS; r++) {
            struct sl_until until = {.q = cases[k].q, .width = cases[k].width};
            struct sl_until_result result = run(rng, until, MOST);
            reached += result.reached;
            covered += result.estimate.lo <= cases[k].truth && cases[k].truth <= result.estimate.hi;
            first = result.look < first ? result.look : first;
            last = result.look > last ? result.look : last;
        }
        gsl_rng_free(rng);
        ck_assert_int_eq(reached, REPETITIONS);
        ck_assert_uint_lt(first, last);
        ck_assert_double_ge((double)covered / REPETITIONS, least);
    }
}
END_TEST

/* Too few at the most: it has looked as often as it could, and says so. */
START_TEST(not_reached)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    struct sl_until until = {.q = 0.99, .width = 0.001};
    struct sl_until_result result = run(rng, until, 5000);
    ck_assert(!result.reached);
    ck_assert_uint_eq(result.look, result.looks.count);
    gsl_rng_free(rng);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("until");
    TCase *tc = tcase_create("until");
    tcase_set_timeout(tc, sl_test_long() ? 3600 : 120);
    tcase_add_test(tc, texts);
    tcase_add_test(tc, refused_texts);
    tcase_add_test(tc, looks_by_hand);
    tcase_add_test(tc, widths);
    tcase_add_test(tc, equal_values_tell_no_mean);
    tcase_add_test(tc, few_values_tell_no_mean);
    tcase_add_test(tc, coverage);
    tcase_add_test(tc, not_reached);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
