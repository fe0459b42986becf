/* Agreement of two judges, and differences of unpaired samples, by hand. */
#include "agreement.h"
#include "harness.h"
#include "unpaired.h"
#include <math.h>

/* Six pairs of four things: told apart by the first in five, the second in four, both in three, of
 * which two are alike: (2 - 1) / sqrt(5 x 4). */
START_TEST(counts_by_hand)
{
    const signed char first[] = {-1, -1, 1, 1, 0, -1}, second[] = {-1, 1, 1, 0, -1, 0};
    struct sl_agreement a = sl_agreement_of(first, second, 6);
    ck_assert_uint_eq(a.pairs, 6);
    ck_assert_uint_eq(a.first, 5);
    ck_assert_uint_eq(a.second, 4);
    ck_assert_uint_eq(a.both, 3);
    ck_assert_uint_eq(a.concordant, 2);
    ck_assert_double_eq_tol(a.tau_b, 1 / sqrt(20), 1e-15);
}
END_TEST

START_TEST(nothing_told)
{
    const signed char first[] = {0, 0}, second[] = {1, -1};
    ck_assert_double_nan(sl_agreement_of(first, second, 2).tau_b);
    ck_assert_uint_eq(sl_agreement_of(first, second, 2).both, 0);
    ck_assert_double_nan(sl_agreement_of(first, second, 0).tau_b);
}
END_TEST

/* 2^-7 and 2^-8 leave 0.0125 on a side from seven values on: the limits of a median of seven are
 * its extremes.  B has eight values, whose median is the fourth; P(B <= 0) = 2^-8. */
START_TEST(unpaired_medians)
{
    const double a[] = {11, 12, 13, 14, 15, 16, 17}, b[] = {1, 2, 3, 4, 5, 6, 7, 9};
    struct sl_difference d = sl_unpaired_at(a, 7, b, 8, 0.5, 0.95);
    ck_assert_int_eq(d.method, SL_PAIRED_LIMITS);
    ck_assert_double_eq(d.estimate.value, 10);
    ck_assert_double_eq(d.estimate.lo, 11 - 9);
    ck_assert_double_eq(d.estimate.hi, 17 - 1);
    ck_assert_uint_eq(d.needs, 7);
    d = sl_unpaired_at(a, 6, b, 8, 0.5, 0.95);
    ck_assert_int_eq(d.method, SL_PAIRED_TOO_FEW);
    ck_assert_int_eq(sl_paired_judge(d.estimate, 0), SL_PAIRED_OPEN);
}
END_TEST

/* Three values 1 apart have the standard error 1 / sqrt 3; Student t with 2 degrees at a tail of
 * 0.0125 is x with x / sqrt(2 + x^2) = 0.975. */
START_TEST(unpaired_means)
{
    const double a[] = {9, 10, 11}, b[] = {1, 2, 3};
    double t = sqrt(2 * 0.975 * 0.975 / (1 - 0.975 * 0.975)), half = t / sqrt(3);
    struct sl_difference d = sl_unpaired_at(a, 3, b, 3, NAN, 0.95);
    ck_assert_double_eq_tol(d.estimate.value, 8, 1e-12);
    ck_assert_double_eq_tol(d.estimate.lo, 8 - 2 * half, 1e-9);
    ck_assert_double_eq_tol(d.estimate.hi, 8 + 2 * half, 1e-9);
    ck_assert_int_eq(sl_unpaired_at(a, 1, b, 3, NAN, 0.95).method, SL_PAIRED_TOO_FEW);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("agreement");
    TCase *tc = tcase_create("agreement");
    tcase_add_test(tc, counts_by_hand);
    tcase_add_test(tc, nothing_told);
    tcase_add_test(tc, unpaired_medians);
    tcase_add_test(tc, unpaired_means);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
