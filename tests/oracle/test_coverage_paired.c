/* Intervals of paired differences through the engine: two graphs run on the same seeds, whose true
 * differences have closed forms.  Nodes with one key share their draws, those marked with a prime
 * have keys of their own; x, y, e are exponential of mean 1ms: long enough for no two trials of a
 * sample to tie at a picosecond, which would forbid resampling.
 *
 *     pair           A      B       difference of quantiles           A - B
 *     one scaled     x + y  x + 2y  Erlang(2) - B's                   -y
 *     one redrawn    x + e  x + e'  0                                 Laplace
 *     all redrawn    x      2x'     ln(1 - q)                         two-sided exponential
 *     one added      x + y  x + y + 1ms                               -1ms, always
 */
#include "coverage.h"
#include "lab.h"
#include "paired.h"
#include <gsl/gsl_cdf.h>

#define LEVEL 0.95
#define MS    1e9 /* ps */

static struct lab sides[2];

/* A chain of nodes by their keys and durations; NULL ends it. */
static void build(struct lab *lab, const char *const chain[][2])
{
    lab_open(lab);
    lab_graph(lab);
    for (uint32_t i = 0; chain[i][0]; i++) {
        lab_node(lab, chain[i][0], chain[i][1], SL_NONE);
        if (i)
            lab_edge(lab, i - 1, i);
    }
}

static double erlang_quantile(double q)
{
    return gsl_cdf_gamma_Pinv(q, 2, 1);
}

/* x + 2y is distributed as the larger of two exponentials of mean 2: (1 - e^(-t/2))^2. */
static double scaled_difference(double q)
{
    return erlang_quantile(q) + 2 * log1p(-sqrt(q));
}

/* The mean beyond a quantile v is the integral of t f(t) from v, over 1 - q.  Erlang(2), t e^-t:
 * (v^2 + 2v + 2) e^-v.  B, e^(-t/2) - e^-t: (2v + 4) e^(-v/2) - (v + 1) e^-v. */
static double scaled_cvar(double q)
{
    double v = erlang_quantile(q), w = -2 * log1p(-sqrt(q));
    return ((v * v + 2 * v + 2) * exp(-v) - (2 * w + 4) * exp(-w / 2) + (w + 1) * exp(-w)) /
           (1 - q);
}

/* P(-y <= t) = e^t. */
static double minus_exponential(double q)
{
    return log(q);
}

static double zero(double q)
{
    (void)q;
    return 0;
}

/* e - e' above its median. */
static double laplace(double q)
{
    return -log(2 * (1 - q));
}

/* -ln(1 - q) less twice that. */
static double exponential_difference(double q)
{
    return log1p(-q);
}

/* Of an exponential the mean beyond v is v + 1; B has twice that. */
static double exponential_cvar(double q)
{
    return log1p(-q) - 1;
}

/* x > 2x' with probability 1/3, and what is over is exponential of mean 1; otherwise what is under
 * is of mean 2. */
static double two_sided(double q)
{
    return q < 2.0 / 3 ? 2 * log(1.5 * q) : -log(3 * (1 - q));
}

static const struct pair {
    const char *name;
    const char *chains[2][3][2];
    double mean;
    double (*of_quantiles)(double q), (*of_cvar)(double q), (*of_differences)(double q);
} pairs[] = {
    {"one scaled",
     {{{"x", "exponential(mean=1ms)"}, {"y", "exponential(mean=1ms)"}},
      {{"x", "exponential(mean=1ms)"}, {"y", "exponential(mean=2ms)"}}},
     -1,
     scaled_difference,
     scaled_cvar,
     minus_exponential},
    {"one redrawn",
     {{{"x", "exponential(mean=1ms)"}, {"e", "exponential(mean=1ms)"}},
      {{"x", "exponential(mean=1ms)"}, {"e'", "exponential(mean=1ms)"}}},
     0,
     zero,
     zero,
     laplace},
    {"all redrawn",
     {{{"x", "exponential(mean=1ms)"}}, {{"x'", "exponential(mean=2ms)"}}},
     -1,
     exponential_difference,
     exponential_cvar,
     two_sided},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void open_pair(const struct pair *pair)
{
    for (int side = 0; side < 2; side++)
        build(&sides[side], pair->chains[side]);
}

static void close_pair(void)
{
    for (int side = 0; side < 2; side++)
        lab_close(&sides[side]);
}

static void compare(struct sl_paired *paired, double *const ms[2], size_t n, uint64_t seed)
{
    struct sl_error err = {0};
    for (int side = 0; side < 2; side++)
        for (size_t t = 0; t < n; t++)
            ms[side][t] = (double)lab_run(&sides[side], seed, (uint32_t)t)->makespan_ps / MS;
    ck_assert_int_eq(sl_paired_compare(paired, ms[0], ms[1], n, seed, LEVEL, &err), SL_OK);
}

static double truth_of(const struct pair *pair, enum sl_paired_figure figure)
{
    double q = sl_paired_quantile(figure);
    if (figure == SL_PAIRED_MEAN)
        return pair->mean;
    if (figure == SL_PAIRED_CVAR99)
        return pair->of_cvar(q);
    return figure < SL_PAIRED_OF_MEDIAN ? pair->of_quantiles(q) : pair->of_differences(q);
}

struct tally {
    size_t covered[SL_PAIRED_FIGURES];
    enum sl_paired_method method[SL_PAIRED_FIGURES]; /* of the last repetition */
};

static void repeat(struct tally *tally, const struct pair *pair, size_t n, size_t repetitions)
{
    double *ms[2] = {calloc(n, sizeof **ms), calloc(n, sizeof **ms)};
    ck_assert(ms[0] && ms[1]);
    *tally = (struct tally){{0}, {0}};
    open_pair(pair);
    for (uint64_t seed = 1; seed <= repetitions; seed++) {
        struct sl_paired paired;
        compare(&paired, ms, n, seed);
        for (int f = 0; f < SL_PAIRED_FIGURES; f++) {
            struct sl_estimate e = paired.figures[f].estimate;
            double truth = truth_of(pair, (enum sl_paired_figure)f);
            tally->covered[f] += e.lo <= truth && truth <= e.hi;
            tally->method[f] = paired.figures[f].method;
        }
    }
    close_pair();
    free(ms[0]);
    free(ms[1]);
}

/* What each way to an interval promises.  Order statistics have their exact coverage.  Combined
 * limits keep 95% at least, by Bonferroni.  The t interval of a skewed difference has a little less
 * than 95% at hundreds of trials.  The percentile bootstrap is asymptotic: 93% is asked of it.
 * Returns the rate of false alarms. */
static double judge(const struct tally *tally, const struct pair *pair, enum sl_paired_figure f,
                    size_t n, size_t repetitions)
{
    static const double least[SL_PAIRED_METHODS] = {
        [SL_PAIRED_LIMITS] = 0.95, [SL_PAIRED_T] = 0.945, [SL_PAIRED_BOOTSTRAP] = 0.93};
    char what[128];
    snprintf(what, sizeof what, "%s, %zu trials, %s by %s", pair->name, n, sl_paired_figure_name(f),
             sl_paired_method_name(tally->method[f]));
    if (tally->method[f] == SL_PAIRED_ORDER)
        return coverage_is(what, tally->covered[f], repetitions,
                           coverage_exact(n, sl_paired_quantile(f)));
    ck_assert_double_gt(least[tally->method[f]], 0);
    return coverage_keeps(what, tally->covered[f], repetitions, least[tally->method[f]]);
}

/* All figures of a pair.  Its false alarms sum to 0.74% over 200 repetitions, and less over more.
 */
static void cover(const struct pair *pair, size_t n, size_t repetitions)
{
    struct tally tally;
    double alarms = 0;
    repeat(&tally, pair, n, repetitions);
    for (int f = 0; f < SL_PAIRED_FIGURES; f++)
        alarms += judge(&tally, pair, (enum sl_paired_figure)f, n, repetitions);
    printf("# %s, %zu trials: false alarms %.2g%%\n", pair->name, n, 100 * alarms);
    fflush(stdout);
    ck_assert_double_lt(alarms, 0.0075);
    bool tail_resampled = n >= 100 * SL_PAIRED_EXCEEDANCES;
    ck_assert_int_eq(tally.method[SL_PAIRED_P90], SL_PAIRED_BOOTSTRAP);
    ck_assert_int_eq(tally.method[SL_PAIRED_P99],
                     tail_resampled ? SL_PAIRED_BOOTSTRAP : SL_PAIRED_LIMITS);
}

/* 600 trials resample the median and p90, and bound the tail by the limits of each. */
START_TEST(differences_of_a_pair)
{
    cover(&pairs[_i], 600, sl_test_long() ? 2000 : 200);
}
END_TEST

/* 10,000 trials resample the tail too; 2,000 times that takes minutes. */
START_TEST(differences_of_a_long_pair)
{
    cover(&pairs[_i], 10000, 2000);
}
END_TEST

/* B takes a node of 1ms more: whatever the draws, every figure differs by just that, and the
 * intervals of all but combined limits have no width. */
START_TEST(one_node_more)
{
    enum { N = 1000 };
    static const char *const chains[2][4][2] = {
        {{"x", "exponential(mean=1ms)"}, {"y", "exponential(mean=1ms)"}},
        {{"x", "exponential(mean=1ms)"}, {"y", "exponential(mean=1ms)"}, {"more", "1ms"}}};
    static double a[N], b[N];
    double *const ms[2] = {a, b};
    struct sl_paired paired;
    for (int side = 0; side < 2; side++)
        build(&sides[side], chains[side]);
    compare(&paired, ms, N, 7);
    for (int f = 0; f < SL_PAIRED_FIGURES; f++) {
        struct sl_estimate e = paired.figures[f].estimate;
        bool exact = paired.figures[f].method != SL_PAIRED_LIMITS;
        ck_assert_double_eq_tol(e.value, -1, 1e-9);
        ck_assert(e.lo <= e.value + 1e-9 && e.value <= e.hi + 1e-9);
        ck_assert(!exact || e.hi - e.lo < 1e-9);
    }
    ck_assert_uint_eq(paired.less, N);
    ck_assert_double_eq_tol(paired.correlation, 1, 1e-9);
    close_pair();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("coverage of paired differences");
    TCase *tc = tcase_create("coverage");
    tcase_set_timeout(tc, sl_test_long() ? 7200 : 300);
    tcase_add_test(tc, one_node_more);
    tcase_add_loop_test(tc, differences_of_a_pair, 0, PAIRS);
    if (sl_test_long())
        tcase_add_loop_test(tc, differences_of_a_long_pair, 0, PAIRS);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run_statistics(suite());
}
