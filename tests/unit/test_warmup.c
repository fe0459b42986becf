/* MSER-5 against a search over every truncation, and on series whose warm-up is known. */
#include "dice.h"
#include "harness.h"
#include "warmup.h"
#include <math.h>

#define MOST 2000

static double unit(struct dice *dice)
{
    return dice_below(dice, 1000003) / 1000003.0;
}

/* The rule as it is stated: every d by two passes over what it keeps. */
static size_t by_search(const double *values, size_t n)
{
    size_t k = n / 5, best = 0;
    double least = INFINITY;
    for (size_t d = 0; d + 5 <= k; d++) {
        double mean = 0, squares = 0;
        for (size_t i = 5 * d; i < 5 * k; i++)
            mean += values[i] / (double)(5 * (k - d));
        for (size_t j = d; j < k; j++) {
            double z = 0;
            for (size_t i = 0; i < 5; i++)
                z += values[5 * j + i] / 5;
            squares += (z - mean) * (z - mean);
        }
        double error = squares / (double)((k - d) * (k - d));
        if (error < least) {
            least = error;
            best = d;
        }
    }
    return 5 * best;
}

START_TEST(it_is_the_least_of_all_truncations)
{
    double values[MOST];
    for (uint32_t c = 0; c < 40; c++) {
        struct dice dice = {.state = c};
        size_t n = 50 + dice_below(&dice, 400);
        double decay = 2 + unit(&dice) * 60;
        for (size_t i = 0; i < n; i++)
            values[i] = unit(&dice) + 3 * exp(-(double)i / decay);
        size_t wanted = by_search(values, n);
        struct sl_warmup got = sl_warmup_mser5(values, n);
        ck_assert_msg(got.settled == (wanted / 5 <= n / 5 / 2), "case %u", c);
        if (got.settled)
            ck_assert_uint_eq(got.dropped, wanted);
    }
}
END_TEST

START_TEST(a_step_is_cut_where_it_is)
{
    double values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = i < 130 ? 10 : 1 + 0.01 * (double)(i % 7);
    struct sl_warmup got = sl_warmup_mser5(values, 1000);
    ck_assert(got.settled);
    ck_assert_uint_eq(got.dropped, 130);
}
END_TEST

START_TEST(what_does_not_vary_loses_nothing)
{
    double values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = 4.25;
    struct sl_warmup got = sl_warmup_mser5(values, 100);
    ck_assert(got.settled);
    ck_assert_uint_eq(got.dropped, 0);
}
END_TEST

START_TEST(what_grows_does_not_settle)
{
    double values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = (double)i;
    struct sl_warmup got = sl_warmup_mser5(values, 1000);
    ck_assert(!got.settled);
    ck_assert_uint_eq(got.dropped, 500);
    ck_assert(!sl_warmup_mser5(values, 49).settled);
    ck_assert_uint_eq(sl_warmup_mser5(values, 49).dropped, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("warmup");
    TCase *c = tcase_create("mser-5");
    tcase_add_test(c, it_is_the_least_of_all_truncations);
    tcase_add_test(c, a_step_is_cut_where_it_is);
    tcase_add_test(c, what_does_not_vary_loses_nothing);
    tcase_add_test(c, what_grows_does_not_settle);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
