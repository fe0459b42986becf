/* Paired comparison against closed forms, hand-counted samples and its own promised coverage. */
#include "harness.h"
#include "paired.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>

#define LEVEL 0.95

static struct sl_paired compare(const double *a, const double *b, size_t n, uint64_t seed)
{
    struct sl_paired paired;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_paired_compare(&paired, a, b, n, seed, LEVEL, &err), SL_OK);
    return paired;
}

static gsl_rng *generator(unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    return rng;
}

/* B = X + c: every difference is -c, whatever X; every trial is faster, by the same.  The joint
 * bootstrap draws the same trials of both, so its intervals have no width. */
START_TEST(shifted_sample)
{
    enum { N = 6000 };
    static double a[N], b[N];
    const double c = 0.75;
    gsl_rng *rng = generator(3);
    for (int i = 0; i < N; i++) {
        a[i] = floor(gsl_ran_exponential(rng, 1) * 0x1p40) * 0x1p-40; /* so that X + c is exact */
        b[i] = a[i] + c;
    }
    gsl_rng_free(rng);
    struct sl_paired p = compare(a, b, N, 1);
    for (int f = 0; f < SL_PAIRED_FIGURES; f++) {
        double tolerance = f == SL_PAIRED_MEAN || f == SL_PAIRED_CVAR99 ? 1e-9 : 1e-15;
        ck_assert_double_eq_tol(p.figures[f].estimate.value, -c, tolerance);
        ck_assert_double_eq_tol(p.figures[f].estimate.lo, -c, tolerance);
        ck_assert_double_eq_tol(p.figures[f].estimate.hi, -c, tolerance);
    }
    ck_assert_int_eq(p.figures[SL_PAIRED_P99].method, SL_PAIRED_BOOTSTRAP);
    ck_assert_int_eq(p.figures[SL_PAIRED_MEAN].method, SL_PAIRED_T);
    ck_assert_uint_eq(p.less, N);
    ck_assert_double_eq(p.wins.value, 1);
    ck_assert_double_eq_tol(p.wins.lo, pow(0.025, 1.0 / N), 1e-9);
    ck_assert_double_eq_tol(p.correlation, 1, 1e-12);
}
END_TEST

/* A = (5, 4, 3, 2, 1, 0), B = (0, 2, 3, 4, 5, 7): the medians are the third values, 2 and 3, and
 * differ by -1; the differences are 5, 2, 0, -2, -4, -7 with median -2 (third of six).  Both counts
 * of P(A < B): 3 of 6 less, 1 tie, 3.5 / 6.  Means 2.5 and 3.5. */
START_TEST(two_kinds_of_difference)
{
    const double a[] = {5, 4, 3, 2, 1, 0}, b[] = {0, 2, 3, 4, 5, 7};
    struct sl_paired p = compare(a, b, 6, 1);
    const struct sl_difference *f = p.figures;
    ck_assert_double_eq(f[SL_PAIRED_OF_MEDIAN].estimate.value, -2);
    ck_assert_double_eq(f[SL_PAIRED_OF_MEDIAN].estimate.lo, -7);
    ck_assert_double_eq(f[SL_PAIRED_OF_MEDIAN].estimate.hi, 5);
    /* Limits at 97.5% each want 0.5^n <= 0.0125: seven trials. */
    ck_assert_int_eq(f[SL_PAIRED_MEDIAN].method, SL_PAIRED_TOO_FEW);
    ck_assert_uint_eq(f[SL_PAIRED_MEDIAN].needs, 7);
    ck_assert_double_nan(f[SL_PAIRED_MEDIAN].estimate.value);
    ck_assert_uint_eq(f[SL_PAIRED_P99].needs, 437); /* 0.99^436 = 0.01251, 0.99^437 = 0.01238 */
    ck_assert_uint_eq(f[SL_PAIRED_OF_P99].needs, 368);
    ck_assert_double_eq_tol(f[SL_PAIRED_MEAN].estimate.value, -1, 1e-12);
    ck_assert_uint_eq(p.less, 3);
    ck_assert_uint_eq(p.ties, 1);
    ck_assert_double_eq_tol(p.wins.value, 3.5 / 6, 1e-12);
    struct sl_estimate three = sl_proportion(3, 6, LEVEL), four = sl_proportion(4, 6, LEVEL);
    ck_assert_double_eq(p.wins.lo, three.lo);
    ck_assert_double_eq(p.wins.hi, four.hi);
}
END_TEST

/* With seven trials of 1..7 and 11..17 the limits at 97.5% are the extremes: 1 - 17 and 7 - 11. */
START_TEST(combined_limits)
{
    const double a[] = {1, 2, 3, 4, 5, 6, 7}, b[] = {17, 16, 15, 14, 13, 12, 11};
    struct sl_difference d = compare(a, b, 7, 1).figures[SL_PAIRED_MEDIAN];
    ck_assert_int_eq(d.method, SL_PAIRED_LIMITS);
    ck_assert_double_eq(d.estimate.value, 4 - 14);
    ck_assert_double_eq(d.estimate.lo, 1 - 17);
    ck_assert_double_eq(d.estimate.hi, 7 - 11);
}
END_TEST

/* A deadlock on either side is an infinite difference, on both a tie; no mean and no correlation
 * then.  A fifth of A's trials deadlock: its p90 is infinite; a tenth of B's do: its p90 is its
 * largest finite. */
START_TEST(deadlocked_trials)
{
    enum { N = 1000 };
    static double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i % 5 == 0 ? (double)INFINITY : (double)i;
        b[i] = i % 10 == 0 ? (double)INFINITY : i + 0.5;
    }
    struct sl_paired p = compare(a, b, N, 1);
    ck_assert_uint_eq(p.ties, N / 10);
    ck_assert_uint_eq(p.less, N - N / 5);
    ck_assert_double_nan(p.figures[SL_PAIRED_MEAN].estimate.value);
    ck_assert_double_nan(p.correlation);
    ck_assert_double_eq(p.figures[SL_PAIRED_P90].b, N - 0.5); /* rank 900 of 900 finite ones */
    ck_assert(p.figures[SL_PAIRED_P90].estimate.value == (double)INFINITY);
    ck_assert_double_eq(p.figures[SL_PAIRED_P99].estimate.value, 0);
    ck_assert_double_eq(p.figures[SL_PAIRED_OF_MEDIAN].estimate.value, -0.5);
    ck_assert(p.figures[SL_PAIRED_OF_P99].estimate.value == INFINITY);
    ck_assert_int_eq(p.figures[SL_PAIRED_P99].method, SL_PAIRED_LIMITS);
}
END_TEST

/* Values on a grid of ten: ties at every quantile, no bootstrap. */
START_TEST(ties_at_the_quantile)
{
    enum { N = 6000 };
    static double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = i % 10;
        b[i] = (i + 3) % 10;
    }
    struct sl_paired p = compare(a, b, N, 1);
    ck_assert_int_eq(p.figures[SL_PAIRED_MEDIAN].method, SL_PAIRED_LIMITS);
    ck_assert_int_eq(p.figures[SL_PAIRED_P99].method, SL_PAIRED_LIMITS);
    ck_assert_double_eq(p.figures[SL_PAIRED_MEDIAN].estimate.value, 0);
}
END_TEST

/* The tails decide which figures are resampled: 50 values beyond p99 are 5,000 trials, beyond p90
 * 500. */
START_TEST(exceedances_for_resampling)
{
    enum { N = 5000 };
    static double a[N], b[N];
    gsl_rng *rng = generator(5);
    for (int i = 0; i < N; i++) {
        a[i] = gsl_ran_exponential(rng, 1);
        b[i] = gsl_ran_exponential(rng, 1);
    }
    gsl_rng_free(rng);
    struct sl_paired all = compare(a, b, N, 1), fewer = compare(a, b, N - 1, 1),
                     few = compare(a, b, 499, 1);
    ck_assert_int_eq(all.figures[SL_PAIRED_P99].method, SL_PAIRED_BOOTSTRAP);
    ck_assert_int_eq(all.figures[SL_PAIRED_CVAR99].method, SL_PAIRED_BOOTSTRAP);
    ck_assert_int_eq(fewer.figures[SL_PAIRED_P99].method, SL_PAIRED_LIMITS);
    ck_assert_int_eq(fewer.figures[SL_PAIRED_CVAR99].method, SL_PAIRED_LIMITS);
    ck_assert_int_eq(fewer.figures[SL_PAIRED_P90].method, SL_PAIRED_BOOTSTRAP);
    ck_assert_int_eq(few.figures[SL_PAIRED_P90].method, SL_PAIRED_LIMITS);
    ck_assert_int_eq(few.figures[SL_PAIRED_MEDIAN].method, SL_PAIRED_BOOTSTRAP);
    /* The seed alone decides about the resamples. */
    struct sl_paired again = compare(a, b, N, 1), other = compare(a, b, N, 2);
    ck_assert_double_eq(again.figures[SL_PAIRED_P99].estimate.lo,
                        all.figures[SL_PAIRED_P99].estimate.lo);
    ck_assert(other.figures[SL_PAIRED_P99].estimate.lo != all.figures[SL_PAIRED_P99].estimate.lo ||
              other.figures[SL_PAIRED_P99].estimate.hi != all.figures[SL_PAIRED_P99].estimate.hi);
}
END_TEST

/* The standard error of a difference of independent medians is sqrt(2) / (2 f sqrt(n)), of
 * exponentials f = 1/2: the bootstrap's interval is 2 x 1.96 of it wide.  Its width varies by 10%
 * or so at this size; a factor of 1.4 either way catches one sample resampled without the other
 * (1 / sqrt 2) and a wrong level. */
START_TEST(width_of_resampling)
{
    enum { N = 4000 };
    static double a[N], b[N];
    gsl_rng *rng = generator(17);
    for (int i = 0; i < N; i++) {
        a[i] = gsl_ran_exponential(rng, 1);
        b[i] = gsl_ran_exponential(rng, 1);
    }
    gsl_rng_free(rng);
    struct sl_estimate e = compare(a, b, N, 9).figures[SL_PAIRED_MEDIAN].estimate;
    double expected = 2 * 1.959964 * sqrt(2.0) / sqrt(N);
    ck_assert_double_gt(e.hi - e.lo, expected / 1.4);
    ck_assert_double_lt(e.hi - e.lo, expected * 1.4);
}
END_TEST

/* Independent exponentials with rates 3 and 1: P(A < B) = 3/4, correlation 0.  Four standard errors
 * at 20,000 trials; each check alarms falsely with 6e-5. */
START_TEST(exponential_race)
{
    enum { N = 20000 };
    static double a[N], b[N];
    gsl_rng *rng = generator(11);
    for (int i = 0; i < N; i++) {
        a[i] = gsl_ran_exponential(rng, 1.0 / 3);
        b[i] = gsl_ran_exponential(rng, 1);
    }
    gsl_rng_free(rng);
    struct sl_paired p = compare(a, b, N, 1);
    ck_assert_double_eq_tol(p.wins.value, 0.75, 4 * sqrt(0.75 * 0.25 / N));
    ck_assert(p.wins.lo < p.wins.value && p.wins.value < p.wins.hi);
    ck_assert_double_eq_tol(p.correlation, 0, 4 / sqrt(N));
}
END_TEST

/* ---- Coverage ----
 * A = G + E, B = (3/2) (G + E') with exponentials of mean 1: G is what a trial's draws share.  A is
 * Erlang(2), B the same times 3/2, so a difference of quantiles is -q/2 with q of Erlang(2), of
 * means -1, and of CVaR99 -ES/2 with ES = (q^2 + 2q + 2) e^-q / 0.01 (integrating x^2 e^-x).  For
 * quantiles of differences B' = G + E': A - B' = E - E' is Laplace, quantile -ln(2 (1 - p)). */

#define REPETITIONS (int)sl_test_cases(sl_test_long() ? 2000 : 300)

struct coverage {
    int covered[SL_PAIRED_FIGURES];
    int method[SL_PAIRED_FIGURES]; /* of the first repetition */
};

static double truth_of(enum sl_paired_figure figure)
{
    double p = sl_paired_quantile(figure);
    if (figure == SL_PAIRED_MEAN)
        return -1;
    double q = gsl_cdf_gamma_Pinv(p, 2, 1);
    if (figure == SL_PAIRED_CVAR99)
        return -(q * q + 2 * q + 2) * exp(-q) / (1 - p) / 2;
    return figure < SL_PAIRED_OF_MEDIAN ? -q / 2 : -log(2 * (1 - p));
}

/* `scale` of B: 1.5, or 1 for quantiles of differences. */
static struct coverage repeat(size_t n, double scale, unsigned long seed)
{
    struct coverage coverage = {{0}, {0}};
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    ck_assert(a && b);
    gsl_rng *rng = generator(seed);
    for (int r = 0; r < REPETITIONS; r++) {
        for (size_t i = 0; i < n; i++) {
            double shared = gsl_ran_exponential(rng, 1);
            a[i] = shared + gsl_ran_exponential(rng, 1);
            b[i] = scale * (shared + gsl_ran_exponential(rng, 1));
        }
        struct sl_paired p = compare(a, b, n, (uint64_t)r);
        for (int f = 0; f < SL_PAIRED_FIGURES; f++) {
            struct sl_estimate e = p.figures[f].estimate;
            double truth = truth_of((enum sl_paired_figure)f);
            coverage.covered[f] += e.lo <= truth && truth <= e.hi;
            coverage.method[f] = (int)p.figures[f].method;
        }
    }
    gsl_rng_free(rng);
    free(a);
    free(b);
    return coverage;
}

/* At least `nominal` less 3.5 standard errors: an interval that just keeps it alarms falsely with
 * 2.3e-4, per case. */
static void keeps(const struct coverage *coverage, enum sl_paired_figure figure,
                  enum sl_paired_method method, double nominal)
{
    double share = (double)coverage->covered[figure] / REPETITIONS;
    ck_assert_int_eq(coverage->method[figure], (int)method);
    ck_assert_msg(share >= nominal - 3.5 * sqrt(nominal * (1 - nominal) / REPETITIONS),
                  "%s: %g of %d intervals cover the truth, below %g", sl_paired_figure_name(figure),
                  share, REPETITIONS, nominal);
}

/* Limits of each promise 95%, whatever the dependence; so does t here, nearly. */
START_TEST(coverage_of_limits)
{
    struct coverage c = repeat(480, 1.5, 101);
    keeps(&c, SL_PAIRED_P90, SL_PAIRED_LIMITS, 0.95);
    keeps(&c, SL_PAIRED_P99, SL_PAIRED_LIMITS, 0.95);
    keeps(&c, SL_PAIRED_MEAN, SL_PAIRED_T, 0.945); /* skewness 2 at 480 trials: a little less */
}
END_TEST

/* The binomial probability of l <= B < u. */
static double exact_coverage(size_t n, double q)
{
    struct sl_quantile_ranks ranks = sl_quantile_ranks(n, q, LEVEL);
    return gsl_cdf_binomial_P((unsigned)ranks.hi - 1, q, (unsigned)n) -
           gsl_cdf_binomial_P((unsigned)ranks.lo - 1, q, (unsigned)n);
}

/* Order statistics of the differences have the exact binomial coverage: 3.5 standard errors either
 * way, 4.7e-4 per case. */
START_TEST(coverage_of_order_statistics)
{
    enum { N = 400 };
    struct coverage c = repeat(N, 1, 103);
    for (int f = SL_PAIRED_OF_MEDIAN; f <= SL_PAIRED_OF_P99; f++) {
        double exact = exact_coverage(N, sl_paired_quantile((enum sl_paired_figure)f));
        double error = sqrt(exact * (1 - exact) / REPETITIONS);
        ck_assert_double_ge(exact, LEVEL);
        ck_assert_double_eq_tol((double)c.covered[f] / REPETITIONS, exact, 3.5 * error);
    }
}
END_TEST

/* The joint bootstrap is asymptotic: 93% is asked of it, of the tail at 10,000 trials (long). */
START_TEST(coverage_of_resampling)
{
    struct coverage c = repeat(sl_test_long() ? 10000 : 600, 1.5, 107);
    keeps(&c, SL_PAIRED_MEDIAN, SL_PAIRED_BOOTSTRAP, 0.93);
    keeps(&c, SL_PAIRED_P90, SL_PAIRED_BOOTSTRAP, 0.93);
    if (!sl_test_long())
        return;
    keeps(&c, SL_PAIRED_P99, SL_PAIRED_BOOTSTRAP, 0.93);
    keeps(&c, SL_PAIRED_CVAR99, SL_PAIRED_BOOTSTRAP, 0.93);
}
END_TEST

/* What an answer takes, as doc/statistics.md has it: q^n <= 0.0125, so n >= 4.38202 / -ln q (of the
 * median 4.38202 / ln 2); and 50 trials beyond the quantile. */
START_TEST(least_trials)
{
    static const struct {
        double q;
        size_t interval, paired;
    } takes[] = {
        {0.5, 7, 100}, {0.9, 42, 500}, {0.95, 86, 1000}, {0.99, 437, 5000}, {0.999, 4380, 50000}};
    for (size_t k = 0; k < sizeof takes / sizeof *takes; k++) {
        ck_assert_uint_eq(sl_paired_min_n(takes[k].q, 0.95), takes[k].interval);
        ck_assert_uint_eq(sl_paired_bootstrap_min_n(takes[k].q), takes[k].paired);
    }
    ck_assert_uint_eq(sl_paired_bootstrap_min_n(0.9999), SIZE_MAX); /* 999 times 500,000 draws */
    ck_assert_uint_eq(sl_paired_upper_needs(0.99, 0.05 / 2 / 2),
                      505); /* ln 0.00625 / ln 0.99 = 504.98 */
}
END_TEST

/* By hand: halfwidth 2, |d| = 1, no margin: n (2/1)^2; with a margin of 0.5 n (2/0.5)^2; where d is
 * at the margin no number settles it. */
/* Differences 1, 2, 3, 4, 5 of figures that trials have of their own: mean 3, error sqrt(2.5 / 5), and
 * 2.776445 is the 97.5% point of Student's t with 4 degrees. */
START_TEST(figures_of_trials)
{
    const double a[] = {11, 12, 13, 14, 15}, b[] = {10, 10, 10, 10, 10}, few[] = {1, NAN, 1, 1, 1};
    struct sl_paired p = compare(a, b, 5, 1);
    struct sl_difference *p99 = &p.figures[SL_PAIRED_P99];
    ck_assert_int_eq(sl_paired_own(&p, SL_PAIRED_P99, a, b, LEVEL, NULL), SL_OK);
    ck_assert_int_eq(p99->method, SL_PAIRED_T);
    ck_assert_double_eq_tol(p99->a, 13, 1e-12);
    ck_assert_double_eq_tol(p99->b, 10, 1e-12);
    ck_assert_double_eq_tol(p99->estimate.value, 3, 1e-12);
    ck_assert_double_eq_tol(p99->estimate.hi, 3 + 2.7764451052 * sqrt(0.5), 1e-9);
    ck_assert_int_eq(sl_paired_own(&p, SL_PAIRED_P99, a, few, LEVEL, NULL), SL_OK);
    ck_assert_int_eq(p99->method, SL_PAIRED_NOT_GIVEN);
    ck_assert(isnan(p99->estimate.value));
    ck_assert_int_eq(sl_paired_own(&p, SL_PAIRED_CVAR99, NULL, NULL, LEVEL, NULL), SL_OK);
    ck_assert_int_eq(p.figures[SL_PAIRED_CVAR99].method, SL_PAIRED_NOT_GIVEN);
}
END_TEST

START_TEST(trials_to_settle)
{
    struct sl_estimate d = {-1, -3, 1}, sure = {-3, -4, -2}, still = {0, 0, 0};
    ck_assert_double_eq(sl_paired_trials_to_settle(d, 0, 1000), 4000);
    ck_assert_double_eq(sl_paired_trials_to_settle(d, 0.5, 1000), 16000);
    ck_assert(sl_paired_trials_to_settle(d, 1, 1000) == INFINITY);
    ck_assert(sl_paired_trials_to_settle(d, 1.0001, 1000) > 1e9 - 1);
    ck_assert_int_eq(sl_paired_judge(d, 0), SL_PAIRED_OPEN);
    ck_assert_int_eq(sl_paired_judge(d, 3), SL_PAIRED_EQUAL);
    ck_assert_int_eq(sl_paired_judge(sure, 1.5), SL_PAIRED_FASTER);
    ck_assert_int_eq(sl_paired_judge(sure, 2), SL_PAIRED_OPEN);
    ck_assert_int_eq(sl_paired_judge((struct sl_estimate){3, 2, 4}, 1), SL_PAIRED_SLOWER);
    ck_assert_int_eq(sl_paired_judge(still, 0), SL_PAIRED_EQUAL);
    ck_assert_int_eq(sl_paired_judge((struct sl_estimate){NAN, NAN, NAN}, 0), SL_PAIRED_OPEN);
    ck_assert_double_nan(sl_paired_trials_to_settle((struct sl_estimate){NAN, NAN, NAN}, 0, 9));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paired");
    TCase *tc = tcase_create("paired");
    tcase_set_timeout(tc, sl_test_long() ? 3600 : 120);
    tcase_add_test(tc, shifted_sample);
    tcase_add_test(tc, two_kinds_of_difference);
    tcase_add_test(tc, combined_limits);
    tcase_add_test(tc, deadlocked_trials);
    tcase_add_test(tc, ties_at_the_quantile);
    tcase_add_test(tc, exceedances_for_resampling);
    tcase_add_test(tc, width_of_resampling);
    tcase_add_test(tc, exponential_race);
    tcase_add_test(tc, coverage_of_limits);
    tcase_add_test(tc, coverage_of_order_statistics);
    tcase_add_test(tc, coverage_of_resampling);
    tcase_add_test(tc, figures_of_trials);
    tcase_add_test(tc, trials_to_settle);
    tcase_add_test(tc, least_trials);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
