/* Pareto sets: by hand, and against the definition on random points with many ties. */
#include "harness.h"
#include "pareto.h"
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

enum { MOST = 60, K = 3, ROUNDS = 400 };

/* (1,3) (2,2) (3,1) trade off; (2,3) is above (2,2), (3,3) above all; (2,2) twice stands twice. */
START_TEST(by_hand)
{
    const double points[] = {1, 3, 2, 2, 3, 1, 2, 3, 3, 3, 2, 2};
    const bool expected[] = {true, true, true, false, false, true};
    bool in_set[6];
    sl_pareto_set(points, 6, 2, in_set);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(in_set[i], expected[i]);
    const double holes[] = {NAN, 0, 1, 1, INFINITY, 0};
    sl_pareto_set(holes, 3, 2, in_set);
    ck_assert(!in_set[0] && in_set[1] && in_set[2]);
    sl_pareto_set(points, 1, 2, in_set);
    ck_assert(in_set[0]);
}
END_TEST

/* Of points in the set, each other one is equal or above in some objective; a point outside has one
 * in the set (not merely any one) that is nowhere above it and somewhere below. */
static void check(double (*points)[K], size_t n, const bool *in_set)
{
    for (size_t i = 0; i < n; i++) {
        size_t dominators_in_set = 0, dominators = 0;
        for (size_t other = 0; other < n; other++) {
            int above = 0, below = 0;
            for (int j = 0; j < K; j++) {
                above += points[other][j] > points[i][j];
                below += points[other][j] < points[i][j];
            }
            dominators += above == 0 && below > 0;
            dominators_in_set += above == 0 && below > 0 && in_set[other];
        }
        ck_assert_int_eq(in_set[i], dominators == 0);
        ck_assert(in_set[i] || dominators_in_set > 0);
    }
}

START_TEST(random_points)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    static double points[MOST][K];
    static bool in_set[MOST];
    gsl_rng_set(rng, 7);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = gsl_rng_uniform_int(rng, MOST + 1);
        for (size_t i = 0; i < n; i++)
            for (int j = 0; j < K; j++)
                points[i][j] = (double)gsl_rng_uniform_int(rng, 6);
        sl_pareto_set(&points[0][0], n, K, in_set);
        check(points, n, in_set);
    }
    gsl_rng_free(rng);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("pareto");
    TCase *tcase = tcase_create("pareto");
    tcase_add_test(tcase, by_hand);
    tcase_add_test(tcase, random_points);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
