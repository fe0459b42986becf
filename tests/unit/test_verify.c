/* By how much one more session may differ: by hand, and how often it does. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "verify.h"
#include <math.h>

/* t(2, 0.975) = 4.30265 and t(2, 0.9875) = 6.20535 (tables of Student's t). */
START_TEST(by_hand)
{
    ck_assert_double_eq_tol(sl_verify_allowed(100, 100 / 1.1, 110, 3, 1), 2 * log(1.1), 1e-12);
    ck_assert_double_eq_tol(sl_verify_allowed(100, 100 / 1.1, 110, 3, 2),
                            2 * log(1.1) * 6.20535 / 4.30265, 1e-5);
    /* The farther end counts. */
    ck_assert_double_eq_tol(sl_verify_allowed(100, 80, 110, 8, 1), 3 * log(1.25), 1e-12);
}
END_TEST

START_TEST(without_an_interval_nothing_is_said)
{
    ck_assert(isnan(sl_verify_allowed(100, (double)NAN, (double)NAN, 3, 1)));
    ck_assert(isnan(sl_verify_allowed(100, 100, 100, 1, 1)));
    struct sl_verify_row row = {.value = 100, .now = 500, .allowed = (double)NAN};
    ck_assert(!sl_verify_moved(&row));
    row.allowed = 0.1;
    ck_assert(sl_verify_moved(&row));
    row.now = 105;
    ck_assert(!sl_verify_moved(&row));
    row.now = (double)NAN;
    ck_assert(!sl_verify_moved(&row));
}
END_TEST

/* Standard normal, by Box and Muller. */
static double normal(struct dice *dice)
{
    double u = (dice_below(dice, 1 << 30) + 0.5) * 0x1p-30;
    double v = (dice_below(dice, 1 << 30) + 0.5) * 0x1p-30;
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Sessions' logarithms are normal: of 20,000 tables of 3 sessions, the fourth session lies beyond
 * what is allowed in 5%.  Four standard deviations of that count are 123. */
START_TEST(one_more_session_lies_within_in_95_percent)
{
    struct dice dice = {.state = 3};
    int beyond = 0;
    for (int table = 0; table < 20000; table++) {
        double x[3], mean = 0, sum = 0;
        for (int i = 0; i < 3; i++)
            mean += (x[i] = 0.02 * normal(&dice)) / 3;
        for (int i = 0; i < 3; i++)
            sum += (x[i] - mean) * (x[i] - mean);
        double half = 4.302653 * sqrt(sum / 2 / 3);
        struct sl_verify_row row = {.value = exp(mean), .now = exp(0.02 * normal(&dice))};
        row.allowed = sl_verify_allowed(row.value, exp(mean - half), exp(mean + half), 3, 1);
        beyond += sl_verify_moved(&row);
    }
    ck_assert_int_ge(beyond, 1000 - 123);
    ck_assert_int_le(beyond, 1000 + 123);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("verify");
    TCase *t = tcase_create("allowed");
    tcase_add_test(t, by_hand);
    tcase_add_test(t, without_an_interval_nothing_is_said);
    tcase_add_test(t, one_more_session_lies_within_in_95_percent);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
