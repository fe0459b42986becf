/* Races: limits by hand, decisions from limits, and how often the best one is lost. */
#include "harness.h"
#include "race.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

enum { MOST = 12, N = 4000 };

static double samples[MOST][N];

/* Runs a race of `count` samples as the engine would; the number of trials spent. */
static uint64_t race(struct sl_runner *runners, uint32_t count, const struct sl_race_rule *rule)
{
    struct sl_race_looks looks = sl_race_looks(rule);
    struct sl_error err = {0};
    uint32_t wanted[MOST];
    uint64_t spent = 0;
    bool more = true;
    for (uint32_t i = 0; i < count; i++) {
        runners[i] = sl_runner_new();
        wanted[i] = looks.first;
    }
    for (unsigned rounds = 0; more; rounds++) {
        ck_assert_uint_le(rounds, 2 * looks.count + 2);
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] > runners[i].trials)
                ck_assert_int_eq(
                    sl_runner_look(&runners[i], &looks, rule, samples[i], wanted[i], &err), SL_OK);
        uint32_t leader = sl_race_decide(runners, count, rule);
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            wanted[i] = sl_race_next(runners, count, leader, i, &looks, rule);
            ck_assert_uint_le(wanted[i], rule->trials);
            more = more || wanted[i] > runners[i].trials;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_ne(runners[i].state, SL_RACE_OPEN);
        spent += runners[i].trials;
    }
    return spent;
}

/* 0.05 over 10 runners, 2 limits and L looks.  With L = 10 an error is 2.5e-4, and an upper limit
 * of p99 takes ln(2.5e-4) / ln(0.99) = 825.2, 826 trials; looks begin at 826 / 16 = 51.6, 52, and
 * half as many again each: 52, 78, 117, 175, 262, 393, 589, 883, 1324, 1986, 2979, 4000: 12 looks.
 * With L = 12: 2.083e-4, 844 trials, 53, ..., 53 79 118 177 265 397 595 892 1338 2007 3010
 * 4000: 12. */
START_TEST(looks_by_hand)
{
    struct sl_race_rule rule = {.q = 0.99, .error = 0.05, .runners = 10, .trials = 4000};
    struct sl_race_looks looks = sl_race_looks(&rule);
    ck_assert_uint_eq(looks.count, 12);
    ck_assert_double_eq_tol(looks.error, 0.05 / 240, 1e-12);
    ck_assert_uint_eq(looks.upper, 844);
    ck_assert_uint_eq(looks.first, 53);
    ck_assert_uint_eq(sl_race_trials(&looks, &rule, 3), 177);
    ck_assert_uint_eq(sl_race_trials(&looks, &rule, 10), 3010);
    ck_assert_uint_eq(sl_race_trials(&looks, &rule, 11), 4000);
    rule.trials = 20; /* fewer than a first look */
    looks = sl_race_looks(&rule);
    ck_assert_uint_eq(looks.first, 20);
    ck_assert_uint_eq(looks.count, 1);
}
END_TEST

/* Values 1 .. 1000 in some order.  Of B ~ binomial(1000, 0.99), the number below p99: the lower
 * limit at 2.5% has rank l, largest with P(B <= l-1) <= 2.5%, and P(B <= 982) = 1.38%, P(B <= 983)
 * = 2.64%; the upper one u, least with P(B > u-1) <= 2.5%, and P(B > 995) = 2.87%, P(B > 996)
 * = 1.01%. */
START_TEST(limits_by_hand)
{
    struct sl_race_looks looks = {.error = 0.025};
    struct sl_race_rule rule = {.q = 0.99, .trials = 1000};
    struct sl_runner runner = sl_runner_new();
    struct sl_error err = {0};
    for (int i = 0; i < 1000; i++)
        samples[0][i] = (i * 7) % 1000 + 1;
    ck_assert_int_eq(sl_runner_look(&runner, &looks, &rule, samples[0], 1000, &err), SL_OK);
    ck_assert_double_eq(runner.lo, 983);
    ck_assert_double_eq(runner.hi, 997);
    /* 100 trials have no upper limit (0.99^100 = 0.37), and the earlier one stands. */
    runner = sl_runner_new();
    ck_assert_int_eq(sl_runner_look(&runner, &looks, &rule, samples[0], 100, &err), SL_OK);
    ck_assert(isinf(runner.hi));
    ck_assert(isfinite(runner.lo));
}
END_TEST

/* min_gain 10%: what the limits [lo, hi] of two runners say. */
START_TEST(decisions_by_hand)
{
    struct sl_race_rule rule = {.q = 0.5, .min_gain = 0.1, .trials = 100, .may_settle = true};
    const struct sl_runner fresh = sl_runner_new();
    struct sl_runner r[3] = {fresh, fresh, fresh};
    r[0].lo = 90, r[0].hi = 95;
    r[1].lo = 106, r[1].hi = 130; /* 0.9 x 106 = 95.4 > 95 */
    r[2].lo = 105, r[2].hi = 130; /* 0.9 x 105 = 94.5 */
    r[0].trials = r[1].trials = r[2].trials = 50;
    ck_assert_uint_eq(sl_race_decide(r, 3, &rule), 0);
    ck_assert_int_eq(r[1].state, SL_RACE_DROPPED);
    ck_assert_uint_eq(r[1].against, 0);
    ck_assert_double_eq(r[1].leader_hi, 95);
    ck_assert_int_eq(r[2].state, SL_RACE_OPEN);
    r[2].lo = 88, r[2].hi = 100; /* 0.9 x 100 = 90 <= 90, 0.9 x 95 = 85.5 <= 88 */
    sl_race_decide(r, 3, &rule);
    ck_assert_int_eq(r[2].state, SL_RACE_SETTLED);
    rule.may_settle = false;
    sl_race_decide(r, 3, &rule);
    ck_assert_int_eq(r[2].state, SL_RACE_OPEN);
    /* Without the leader nobody has dropped the second one: it is open again. */
    r[0].state = SL_RACE_OUT;
    ck_assert_uint_eq(sl_race_decide(r, 3, &rule), 2);
    ck_assert_int_eq(r[1].state, SL_RACE_OPEN);
    ck_assert_int_eq(r[0].state, SL_RACE_OUT);
    r[1].barred = r[2].barred = true;
    ck_assert_uint_eq(sl_race_decide(r, 3, &rule), SL_NONE);
}
END_TEST

/* Lognormal samples scale x exp(0.01 (u + v)), u common to all: the log's deviation is 0.01 sqrt 2.
 */
static void draw(gsl_rng *rng, const double *scales, uint32_t count)
{
    for (int t = 0; t < N; t++) {
        double common = gsl_ran_gaussian(rng, 1);
        for (uint32_t i = 0; i < count; i++)
            samples[i][t] = scales[i] * exp(0.01 * (common + gsl_ran_gaussian(rng, 1)));
    }
}

/* 10% above is clear at once: of 53 values the lower limit is about p88, 1.1 exp(0.0166) = 1.118,
 * and p99 of the best 1.033.  3% above is further than 2%, which takes more.  Equal ones are within
 * 5%. */
START_TEST(losers_and_ties)
{
    const double losers[] = {1.1, 1.03, 1, 1.1, 1.1, 1.2, 1.1, 1.1, 1.1, 1.1};
    const double equals[] = {1, 1, 1, 1};
    struct sl_race_rule rule = {
        .q = 0.99, .min_gain = 0.02, .error = 0.05, .runners = 10, .trials = N, .may_settle = true};
    struct sl_runner runners[MOST];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 11);
    draw(rng, losers, 10);
    uint64_t spent = race(runners, 10, &rule);
    ck_assert_uint_eq(runners[2].trials, N);
    for (uint32_t i = 0; i < 10; i++)
        if (i != 2)
            ck_assert_int_eq(runners[i].state, SL_RACE_DROPPED);
    ck_assert_uint_eq(runners[0].trials, 53);
    ck_assert_uint_gt(runners[1].trials, 53);
    ck_assert_uint_lt(spent, 10 * N / 5);
    draw(rng, equals, 4);
    rule.min_gain = 0.05;
    spent = race(runners, 4, &rule);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert(runners[i].state == SL_RACE_SETTLED || runners[i].trials == N);
    ck_assert_uint_lt(spent, 4 * N);
    rule.may_settle = false;
    ck_assert_uint_eq(race(runners, 4, &rule), 4 * N);
    gsl_rng_free(rng);
}
END_TEST

#define REPETITIONS (sl_test_long() ? 1000 : 100)

/* Repetitions in which a limit was wrong, and in which an equal one was dropped. */
static void count_errors(const struct sl_race_rule *rule, uint32_t count, double truth,
                         unsigned long seed, int *wrong, int *dropped)
{
    const double equals[MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    *wrong = *dropped = 0;
    for (int k = 0; k < REPETITIONS; k++) {
        struct sl_runner runners[MOST];
        bool any_wrong = false, any_dropped = false;
        draw(rng, equals, count);
        race(runners, count, rule);
        for (uint32_t i = 0; i < count; i++) {
            any_wrong |= runners[i].lo > truth || runners[i].hi < truth;
            any_dropped |= runners[i].state == SL_RACE_DROPPED;
        }
        *wrong += any_wrong;
        *dropped += any_dropped;
    }
    gsl_rng_free(rng);
}

/* Equal samples of a known quantile, min_gain 0: every drop is false.  The declared error bounds
 * both shares; 3.5 standard errors are allowed (false alarm 2.3e-4).  An error of 0.5 over two
 * runners leaves the bound little slack, 0.05 over five is what a sweep has. */
START_TEST(errors_stay_declared)
{
    static const double errors[] = {0.5, 0.05}, quantiles[] = {0.99, 0.5, NAN};
    static const uint32_t counts[] = {2, 5};
    double sd = 0.01 * sqrt(2);
    for (size_t e = 0; e < 2; e++) {
        double allowed = errors[e] + 3.5 * sqrt(errors[e] * (1 - errors[e]) / REPETITIONS);
        for (size_t k = 0; k < 3; k++) {
            struct sl_race_rule rule = {
                .q = quantiles[k], .error = errors[e], .runners = counts[e], .trials = N};
            double truth =
                isnan(rule.q) ? exp(sd * sd / 2) : exp(sd * gsl_cdf_ugaussian_Pinv(rule.q));
            int wrong, dropped;
            count_errors(&rule, counts[e], truth, 100 + 10 * e + k, &wrong, &dropped);
            ck_assert_double_le((double)wrong / REPETITIONS, allowed);
            ck_assert_double_le((double)dropped / REPETITIONS, allowed);
            ck_assert_int_le(dropped, wrong); /* no drop without a wrong limit */
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("race");
    TCase *tc = tcase_create("race");
    tcase_set_timeout(tc, sl_test_long() ? 3600 : 120);
    tcase_add_test(tc, looks_by_hand);
    tcase_add_test(tc, limits_by_hand);
    tcase_add_test(tc, decisions_by_hand);
    tcase_add_test(tc, losers_and_ties);
    tcase_add_test(tc, errors_stay_declared);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
