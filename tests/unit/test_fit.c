/* Fits against what was planted, GSL's own densities and distributions, and simulated rates.
 *
 * Samples come from GSL's samplers with fixed seeds.  A fitted parameter is off by more than 4.5
 * standard errors (Fisher information) with probability 7e-6; shares state their binomial
 * false-alarm rates (coverage.h), 2e-2 for each test at most. */
#include <config.h>

#include "coverage.h"
#include "fit.h"
#include "harness.h"
#include "quantile.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

enum { MOST = 4000 };
#define ERRORS 4.5

static struct sl_arena arena;
static gsl_rng *rng;
static double sample[MOST];

static void begin(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 20261130);
}

static void end(void)
{
    gsl_rng_free(rng);
    sl_arena_free(&arena);
}

/* n draws of a family around 100 us, in ns, sorted. */
static void draw(enum sl_fit_family family, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (family) {
        case SL_FIT_NORMAL:
            sample[i] = 1e5 + gsl_ran_gaussian(rng, 4e3);
            break;
        case SL_FIT_LOGNORMAL:
            sample[i] = gsl_ran_lognormal(rng, log(1e5), 0.3);
            break;
        case SL_FIT_GAMMA:
            sample[i] = gsl_ran_gamma(rng, 3, 3e4);
            break;
        case SL_FIT_WEIBULL:
            sample[i] = gsl_ran_weibull(rng, 1e5, 2);
            break;
        case SL_FIT_SHIFTED_LOGNORMAL:
            sample[i] = 9e4 + gsl_ran_lognormal(rng, log(5e3), 0.5);
            break;
        case SL_FIT_SHIFTED_GAMMA:
            sample[i] = 9e4 + gsl_ran_gamma(rng, 4, 2e3);
            break;
        default:
            sample[i] = 9e4 + gsl_ran_weibull(rng, 5e3, 1.8);
            break;
        }
    sl_sort_doubles(sample, n);
}

static struct sl_fits fit(size_t n)
{
    struct sl_fits fits;
    struct sl_error err = {0};
    ck_assert_msg(sl_fit_all(&fits, sample, n, &arena, &err) == SL_OK, "%s", err.message);
    return fits;
}

static void is_near(const char *what, double found, double planted, double error)
{
    ck_assert_msg(fabs(found - planted) <= ERRORS * error, "%s: %g, planted %g, standard error %g",
                  what, found, planted, error);
}

/* Standard errors at n: sigma / sqrt(2n) of a normal's sd, and of the shape k 0.78 k / sqrt(n) for
 * weibull, k / sqrt(n (k psi'(k) - 1)) sqrt(k / k) for gamma: 1 / sqrt(n (psi'(k) - 1/k)). */
START_TEST(planted_parameters)
{
    double root = sqrt(MOST);
    draw(SL_FIT_NORMAL, MOST);
    struct sl_fits fits = fit(MOST);
    is_near("mean", fits.all[SL_FIT_NORMAL].p[0], 1e5, 4e3 / root);
    is_near("sd", fits.all[SL_FIT_NORMAL].p[1], 4e3, 4e3 / root / M_SQRT2);
    draw(SL_FIT_LOGNORMAL, MOST);
    fits = fit(MOST);
    is_near("median", fits.all[SL_FIT_LOGNORMAL].p[0], 1e5, 1e5 * 0.3 / root);
    is_near("sigma", fits.all[SL_FIT_LOGNORMAL].p[1], 0.3, 0.3 / root / M_SQRT2);
    draw(SL_FIT_GAMMA, MOST);
    fits = fit(MOST);
    /* psi'(3) = pi^2/6 - 1 - 1/4 = 0.394934 */
    is_near("gamma shape", fits.all[SL_FIT_GAMMA].p[0], 3, 1 / sqrt(0.394934 - 1.0 / 3) / root);
    is_near("gamma mean", fits.all[SL_FIT_GAMMA].p[0] * fits.all[SL_FIT_GAMMA].p[1], 9e4,
            9e4 / sqrt(3) / root);
    draw(SL_FIT_WEIBULL, MOST);
    fits = fit(MOST);
    is_near("weibull shape", fits.all[SL_FIT_WEIBULL].p[0], 2, 0.78 * 2 / root);
    is_near("weibull scale", fits.all[SL_FIT_WEIBULL].p[1], 1e5, 1.053 * 1e5 / 2 / root);
}
END_TEST

static double density(enum sl_fit_family family, const double p[2], double y)
{
    switch (family) {
    case SL_FIT_NORMAL:
        return gsl_ran_gaussian_pdf(y - p[0], p[1]);
    case SL_FIT_LOGNORMAL:
        return gsl_ran_lognormal_pdf(y, log(p[0]), p[1]);
    case SL_FIT_GAMMA:
        return gsl_ran_gamma_pdf(y, p[0], p[1]);
    default:
        return gsl_ran_weibull_pdf(y, p[1], p[0]);
    }
}

static double likelihood(enum sl_fit_family family, const double p[2], double shift, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(density(family, p, sample[i] - shift));
    return sum;
}

/* The likelihood is that of GSL's densities, and no step of 1% away is higher. */
START_TEST(is_a_maximum)
{
    const enum sl_fit_family bases[] = {SL_FIT_LOGNORMAL, SL_FIT_GAMMA, SL_FIT_WEIBULL};
    const enum sl_fit_family shifted[] = {SL_FIT_SHIFTED_LOGNORMAL, SL_FIT_SHIFTED_GAMMA,
                                          SL_FIT_SHIFTED_WEIBULL};
    size_t n = 500;
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < 3; f++) {
            draw(s ? shifted[f] : bases[f], n);
            struct sl_fits fits = fit(n);
            const struct sl_fit *found = &fits.all[s ? shifted[f] : bases[f]];
            ck_assert(found->fitted);
            double best = likelihood(bases[f], found->p, found->shift, n);
            ck_assert_double_eq_tol(best, found->log_likelihood, 1e-6 * fabs(best));
            ck_assert_double_eq_tol(found->aic, 2 * (s ? 3 : 2) - 2 * best, 1e-6 * fabs(best));
            for (int k = 0; k < 6; k++) {
                double p[2] = {found->p[0], found->p[1]}, factor = k % 2 ? 1.01 : 0.99;
                double shift = found->shift;
                if (k / 2 < 2)
                    p[k / 2] *= factor;
                else if (s)
                    shift = sample[0] - (sample[0] - shift) * factor;
                else
                    continue;
                ck_assert_double_lt(likelihood(bases[f], p, shift, n), best + 1e-9 * fabs(best));
            }
        }
}
END_TEST

/* What the simulator would read has GSL's cdf: a gamma law of shape 3 shifted. */
START_TEST(distances_by_definition)
{
    size_t n = 200;
    draw(SL_FIT_GAMMA, n);
    struct sl_fits fits = fit(n);
    const struct sl_fit *found = &fits.all[SL_FIT_GAMMA];
    double ks = 0, ad = 0, size = (double)n;
    for (size_t i = 0; i < n; i++) {
        double rank = (double)i + 1, f = gsl_cdf_gamma_P(sample[i], found->p[0], found->p[1]);
        double upper = gsl_cdf_gamma_Q(sample[n - 1 - i], found->p[0], found->p[1]);
        ks = fmax(ks, fmax(rank / size - f, f - (rank - 1) / size));
        ad -= (2 * rank - 1) / size * (log(f) + log(upper));
    }
    ck_assert_double_eq_tol(found->ks, ks, 1e-6);
    ck_assert_double_eq_tol(found->ad, ad - size, 1e-4);
    ck_assert_double_eq_tol(found->p99, gsl_cdf_gamma_Qinv(0.01, found->p[0], found->p[1]),
                            1e-6 * found->p99);
}
END_TEST

/* Of the families without a shift, Akaike's criterion names the planted one of 600 values; with a
 * shift allowed a neighbour may win, but the law that does passes the limit on AD and its p99 is
 * the planted one within 10%, three standard errors of a p99 of 600 values or more. */
START_TEST(chosen_family)
{
    const enum sl_fit_family plain[] = {SL_FIT_LOGNORMAL, SL_FIT_GAMMA, SL_FIT_WEIBULL};
    const double p99[] = {1e5 * exp(0.3 * 2.326348), gsl_cdf_gamma_Qinv(0.01, 3, 3e4),
                          gsl_cdf_weibull_Qinv(0.01, 1e5, 2)};
    size_t repetitions = 24;
    double alarm = 0;
    for (int f = 0; f < 3; f++) {
        size_t right = 0, near = 0;
        for (size_t r = 0; r < repetitions; r++) {
            draw(plain[f], 600);
            struct sl_fits fits = fit(600);
            uint32_t best = SL_FIT_NORMAL;
            for (uint32_t k = SL_FIT_LOGNORMAL; k <= SL_FIT_WEIBULL; k++)
                if (!fits.all[best].fitted || fits.all[k].aic < fits.all[best].aic)
                    best = k;
            right += best == (uint32_t)plain[f];
            near += fits.good && fabs(fits.all[fits.chosen].p99 / p99[f] - 1) < 0.1;
        }
        alarm += coverage_keeps(sl_fit_family_name(plain[f]), right, repetitions, 0.9);
        alarm += coverage_keeps("p99", near, repetitions, 0.9);
    }
    ck_assert_double_lt(alarm, 2e-2);
}
END_TEST

START_TEST(limit_of_anderson_and_darling)
{
    const enum sl_fit_family families[] = {SL_FIT_NORMAL, SL_FIT_LOGNORMAL, SL_FIT_GAMMA,
                                           SL_FIT_WEIBULL};
    double alarm = 0;
    for (int f = 0; f < 4; f++) {
        size_t repetitions = 150, passed = 0;
        for (size_t r = 0; r < repetitions; r++) {
            draw(families[f], 40);
            passed += fit(40).all[families[f]].ad_adjusted <= SL_FIT_AD_LIMIT;
        }
        alarm += coverage_is(sl_fit_family_name(families[f]), passed, repetitions, 0.99);
    }
    ck_assert_double_lt(alarm, 2e-2);
}
END_TEST

/* Two modes, or one gross outlier: no family fits, and it is said. */
START_TEST(bad_fits)
{
    draw(SL_FIT_NORMAL, 200);
    for (size_t i = 0; i < 100; i++)
        sample[i] += 5e4;
    sl_sort_doubles(sample, 200);
    ck_assert(!fit(200).good);
    draw(SL_FIT_LOGNORMAL, 300);
    ck_assert(fit(300).good);
    sample[299] = 1e9;
    struct sl_fits fits = fit(300);
    ck_assert(!fits.all[SL_FIT_NORMAL].fitted || fits.all[SL_FIT_NORMAL].ad_adjusted > 10);
}
END_TEST

START_TEST(edges)
{
    for (size_t i = 0; i < 30; i++)
        sample[i] = 12345;
    struct sl_fits fits = fit(30);
    ck_assert_uint_eq(fits.chosen, SL_FIT_CONST);
    ck_assert(fits.good);
    ck_assert_str_eq(sl_fit_text(&fits.all[SL_FIT_CONST], "ns", &arena), "12345ns");
    ck_assert_double_eq(fits.all[SL_FIT_CONST].p99, 12345);
    ck_assert_uint_eq(fit(SL_FIT_LEAST - 1).chosen, SL_NONE);
    ck_assert_uint_eq(fit(0).chosen, SL_NONE);
    for (size_t i = 0; i < 15; i++)
        sample[i] = 0; /* a clock too coarse */
    fits = fit(30);
    ck_assert(!fits.good);
    for (size_t i = 0; i < 30; i++) /* one in a billion: what doubles barely tell apart */
        sample[i] = 1e9 + (double)i;
    fits = fit(30);
    ck_assert_uint_ne(fits.chosen, SL_NONE);
    ck_assert_double_eq_tol(fits.all[fits.chosen].p99, 1e9 + 15, 100);
}
END_TEST

/* Every expression is one that durations.csv may hold, and means the fitted law. */
START_TEST(expressions)
{
    for (int family = SL_FIT_NORMAL; family < SL_FIT_FAMILIES; family++) {
        draw((enum sl_fit_family)family, 1000);
        struct sl_fits fits = fit(1000);
        const struct sl_fit *found = &fits.all[family];
        ck_assert_msg(found->fitted, "%s", sl_fit_family_name((enum sl_fit_family)family));
        const char *text = sl_fit_text(found, "ns", &arena);
        const struct sl_dist *law;
        struct sl_error err = {0};
        ck_assert_msg(sl_dist_parse(&law, text, SL_DIST_TIME, NULL, (struct sl_place){0}, &arena,
                                    &err) == SL_OK,
                      "%s: %s", text, err.message);
        ck_assert_double_eq_tol(sl_dist_quantile(law, 0.99) / 1e3, found->p99, 1e-9 * found->p99);
        ck_assert_double_eq_tol(sl_dist_quantile(law, 0.5) / 1e3, sample[500], 0.1 * sample[500]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit");
    TCase *tests = tcase_create("fit");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, planted_parameters);
    tcase_add_test(tests, is_a_maximum);
    tcase_add_test(tests, distances_by_definition);
    tcase_add_test(tests, chosen_family);
    tcase_add_test(tests, limit_of_anderson_and_darling);
    tcase_add_test(tests, bad_fits);
    tcase_add_test(tests, edges);
    tcase_add_test(tests, expressions);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}
