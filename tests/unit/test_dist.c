/* Distributions: a sweep over the registry, parameters against numerical integrals, and faults. */
#include <config.h>

#include "dist.h"
#include "harness.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static struct sl_arena arena;
static char dir[64];

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs(text, out), 0);
    ck_assert_int_eq(fclose(out), 0);
}

static void setup(void)
{
    snprintf(dir, sizeof dir, "/tmp/slackline-dist-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    write_file("durations.csv", "value\n3us\n1us\n2.5us\n7us\n4us\n");
    write_file("bare.csv", "value\n3us\n17\n");
    write_file("header.csv", "vale\n3us\n");
    write_file("one.csv", "value\n3us\n");
}

static void teardown(void)
{
    static const char *const names[] = {"durations.csv", "bare.csv", "header.csv", "one.csv"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    sl_arena_free(&arena);
    sl_dist_cache_free();
}

static enum sl_status try_parse(const struct sl_dist **dist, const char *text,
                                enum sl_dist_dimension dimension, struct sl_error *err)
{
    return sl_dist_parse(dist, text, dimension, dir, (struct sl_place){"nodes.csv", 3, 7}, &arena,
                         err);
}

static const struct sl_dist *parse(const char *text)
{
    const struct sl_dist *dist = NULL;
    struct sl_error err = {0};
    enum sl_status status = try_parse(&dist, text, SL_DIST_TIME, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", text, err.message);
    return dist;
}

static const struct sl_dist *example(int family)
{
    return parse(sl_dist_family_info((size_t)family).example);
}

/* Kolmogorov-Smirnov at a false-alarm rate of 1e-6 per family (fixed seed): the critical distance
 * is sqrt(ln(2/1e-6) / 2n). */
START_TEST(sampler_follows_cdf)
{
    enum { N = 20000 };
    static double x[N], u[N], u2[N], ones[N];
    const struct sl_dist *dist = example(_i);
    if (sl_dist_is_const(dist))
        return;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 1);
    for (int i = 0; i < N; i++) {
        u[i] = gsl_rng_uniform_pos(rng);
        u2[i] = gsl_rng_uniform_pos(rng);
        ones[i] = 1;
    }
    gsl_rng_free(rng);
    sl_dist_values(dist, u, u2, ones, x, N);
    double distance = 0;
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(x[i], sl_dist_value(dist, u[i], u2[i]));
    gsl_sort(x, 1, N);
    for (double p = 0.0005, below = 0; p < 1; p += 0.001) {
        double at = sl_dist_quantile(dist, p);
        while (below < N && x[(int)below] <= at)
            below++;
        distance = fmax(distance, fabs(below / N - sl_dist_cdf(dist, at)));
    }
    ck_assert_double_lt(distance, sqrt(log(2 / 1e-6) / (2.0 * N)));
}
END_TEST

START_TEST(cdf_inverts_quantile)
{
    const struct sl_dist *dist = example(_i);
    if (sl_dist_is_const(dist))
        return;
    for (int i = 1; i < 1000; i++)
        ck_assert_double_eq_tol(sl_dist_cdf(dist, sl_dist_quantile(dist, i / 1000.0)), i / 1000.0,
                                1e-9);
    for (int e = 4; e <= 8; e++) {
        double p = pow(10, -e);
        ck_assert_double_eq_tol(sl_dist_cdf(dist, sl_dist_quantile(dist, p)), p, 1e-3 * p);
        ck_assert_double_eq_tol(sl_dist_cdf(dist, sl_dist_quantile(dist, 1 - p)), 1 - p, 1e-3 * p);
    }
}
END_TEST

struct moment {
    const struct sl_dist *dist;
    double center;
    int power;
};

static double moment_at(double p, void *params)
{
    const struct moment *m = params;
    return pow(sl_dist_quantile(m->dist, p) - m->center, m->power);
}

/* The integral of (Q(p) - center)^power over (0, 1). */
static double integrate(const struct sl_dist *dist, double center, int power)
{
    struct moment moment = {dist, center, power};
    gsl_function f = {moment_at, &moment};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(2000);
    double low, high, error;
    gsl_integration_qags(&f, 0, 0.5, 0, 1e-9, 2000, workspace, &low, &error);
    gsl_integration_qags(&f, 0.5, 1, 0, 1e-9, 2000, workspace, &high, &error);
    gsl_integration_workspace_free(workspace);
    return low + high;
}

START_TEST(mean_is_the_integral_of_quantiles)
{
    const struct sl_dist *dist = example(_i);
    double mean = sl_dist_mean(dist);
    ck_assert_double_eq_tol(integrate(dist, 0, 1), mean, 1e-6 * mean);
}
END_TEST

START_TEST(monotone_and_never_negative)
{
    const struct sl_dist *dist = example(_i);
    double before = sl_dist_value(dist, 0, 0.5);
    ck_assert_double_ge(before, 0);
    for (int i = 0; i < 101000; i++) {
        /* 2^-63 to 2^-17 in steps of a tenth of a binade, then even steps, then towards 1 itself.
         */
        double u = i < 460      ? exp2(-63 + i / 10.0)
                   : i < 100460 ? (i - 460 + 0.8) / 1e5
                                : 1 - exp2(-19 - (i - 100460) / 15.0);
        double value = sl_dist_value(dist, u, 0.5);
        ck_assert(isfinite(value));
        ck_assert_msg(value >= before * (1 - 1e-15), "at u = %g", u);
        before = value;
    }
    ck_assert(isfinite(sl_dist_value(dist, 1, 0.5)));
}
END_TEST

/* What each parametrisation promises, by integration and by the cdf. */
struct promise {
    const char *text;
    double mean, median, sd, p99; /* in us; 0: not stated */
};
static const struct promise promises[] = {
    {"lognormal(median=100us, sigma=0.25)", 0, 100, 0, 178.88751}, /* 100 exp(0.25 x 2.326348) */
    {"lognormal(mean=100us, sigma=1)", 100, 60.653066, 0, 0},      /* 100 exp(-1/2) */
    {"lognormal(mean=100us, cv=0.5)", 100, 0, 50, 0},
    {"lognormal(mean=100us, sd=80us)", 100, 0, 80, 0},
    {"lognormal(median=100us, sd=80us)", 0, 100, 80, 0},
    {"lognormal(median=100us, p99=250us)", 0, 100, 0, 250},
    {"lognormal(mean=100us, p99=250us)", 100, 0, 0, 250},
    {"gamma(shape=10, scale=1us)", 10, 0, 3.1622777, 18.783}, /* Erlang, 10 stages */
    {"gamma(mean=100us, cv=0.5)", 100, 0, 50, 0},
    {"gamma(mean=100us, sd=120us)", 100, 0, 120, 0},
    {"gamma(mean=100us, shape=4)", 100, 0, 50, 0},
    {"gamma(shape=0.05, scale=1us)", 0.05, 0, 0, 1.0876274}, /* mpmath's incomplete gamma */
    {"gamma(shape=0.2, scale=1us)", 0.2, 0, 0, 2.2023049},
    {"gamma(shape=1e6, scale=1ns)", 1000, 999.99967, 1, 1002.3278}, /* Cornish and Fisher */
    {"gamma(median=100us, shape=1)", 144.26950, 100, 0, 664.38562}, /* exponential */
    {"gamma(median=100us, cv=1)", 144.26950, 100, 0, 0},
    {"gamma(median=100us, sd=30us)", 0, 100, 30, 0},
    {"gamma(median=100us, p99=300us)", 0, 100, 0, 300},
    {"gamma(mean=100us, p99=300us)", 100, 0, 0, 300},
    {"weibull(shape=1, scale=100us)", 100, 69.314718, 100, 460.51702},             /* exponential */
    {"weibull(shape=2, scale=100us)", 88.622693, 83.255461, 46.325138, 214.59660}, /* Rayleigh */
    {"weibull(mean=100us, shape=0.7)", 100, 0, 0, 0},
    {"weibull(median=100us, shape=3)", 0, 100, 0, 0},
    {"weibull(mean=100us, cv=1.5)", 100, 0, 150, 0},
    {"weibull(mean=100us, sd=20us)", 100, 0, 20, 0},
    {"weibull(median=100us, sd=20us)", 0, 100, 20, 0},
    {"weibull(mean=100us, p99=300us)", 100, 0, 0, 300},
    {"weibull(median=100us, p99=300us)", 0, 100, 0, 300},
    {"exponential(mean=100us)", 100, 69.314718, 100, 460.51702},
    {"exponential(median=69.314718us)", 100, 0, 0, 0},
    {"normal(mean=0us, sd=100us)", 79.788456, 67.448975, 60.281, 257.58293}, /* half-normal */
    {"normal(mean=100us, cv=0.1)", 100, 100, 10, 123.26348},
    {"normal(mean=100us, p99=150us)", 0, 0, 0, 150},
    {"normal(mean=100us, p99=600us)", 0, 0, 0, 600},
    {"uniform(100us, 220us)", 160, 160, 34.641016, 218.8},
    {"triangular(0us, 100us, 200us)", 100, 100, 40.824829, 185.85786}, /* 200 - 100 sqrt(0.02) */
    {"pert(0us, 100us, 200us)", 100, 100, 37.796447, 0}, /* beta(3,3): sd 200 sqrt(1/28) */
    {"pert(min=0us, mode=50us, max=200us)", 66.666667, 0, 0, 0},
    {"pert(min=0us, mode=100us, max=200us, lambda=0.01)", 100, 100, 0, 0},
    {"50us + exponential(mean=100us)", 150, 119.314718, 100, 510.51702},
    {"1us + 2us + 3us", 6, 6, 0, 6},
    {"mixture(0.5*const(100us), 0.5*300us)", 200, 0, 100, 300},
    {"mixture(25%*mixture(0.5*1us, 0.5*3us), 75% * 10us + uniform(0us, 4us))", 9.5, 0, 0, 0},
    {"empirical(file=durations.csv)", 3.375, 3, 0, 6.88}, /* trapezoids of 1 2.5 3 4 7 */
    {"empirical(\"durations.csv\")", 3.375, 3, 0, 6.88},
};

START_TEST(parameters_keep_their_promise)
{
    const struct promise *want = &promises[_i];
    const struct sl_dist *dist = parse(want->text);
    double mean = sl_dist_mean(dist);
    ck_assert_str_eq(sl_dist_text(dist), want->text);
    ck_assert_double_eq_tol(integrate(dist, 0, 1), mean, 2e-6 * mean);
    if (want->mean > 0)
        ck_assert_double_eq_tol(mean / 1e6, want->mean, 1e-6 * want->mean);
    if (want->median > 0)
        ck_assert_double_eq_tol(sl_dist_quantile(dist, 0.5) / 1e6, want->median,
                                1e-6 * want->median);
    if (want->sd > 0)
        ck_assert_double_eq_tol(sqrt(integrate(dist, mean, 2)) / 1e6, want->sd, 1e-4 * want->sd);
    if (want->p99 > 0) {
        ck_assert_double_eq_tol(sl_dist_quantile(dist, 0.99) / 1e6, want->p99, 2e-5 * want->p99);
        if (!sl_dist_needs_second(dist))
            ck_assert_double_eq_tol(sl_dist_value(dist, 0.99, 0.5) / 1e6, want->p99,
                                    2e-5 * want->p99);
    }
}
END_TEST

/* The truncated law against integrals of the plain normal density over x > 0. */
static double density(double x, void *params)
{
    const double *p = params; /* mean, sd, power */
    double z = (x - p[0]) / p[1];
    return pow(x, p[2]) * exp(-z * z / 2);
}

START_TEST(normal_is_truncated_not_clamped)
{
    const struct sl_dist *dist = parse("normal(mean=10us, sd=8us)");
    double mass, first, below, error;
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(1000);
    double p[3] = {10, 8, 0};
    gsl_function f = {density, p};
    gsl_integration_qags(&f, 0, 120, 0, 1e-12, 1000, workspace, &mass, &error);
    gsl_integration_qags(&f, 0, 5, 0, 1e-12, 1000, workspace, &below, &error);
    p[2] = 1;
    gsl_integration_qags(&f, 0, 120, 0, 1e-12, 1000, workspace, &first, &error);
    gsl_integration_workspace_free(workspace);
    ck_assert_double_eq_tol(sl_dist_mean(dist) / 1e6, first / mass, 1e-9);
    ck_assert_double_eq_tol(sl_dist_cdf(dist, 5e6), below / mass, 1e-9);
    ck_assert_double_gt(sl_dist_value(dist, 1e-6, 0.5), 0);
}
END_TEST

START_TEST(mixture_chooses_by_second)
{
    const struct sl_dist *dist =
        parse("mixture(0.25*1us, 0.25*mixture(0.5*2us, 0.5*3us), 0.5*uniform(4us, 6us))");
    ck_assert(sl_dist_needs_second(dist));
    ck_assert_double_eq_tol(sl_dist_value(dist, 0.9, 0.1), 1e6, 1e-6);
    ck_assert_double_eq_tol(sl_dist_value(dist, 0.9, 0.3), 2e6, 1e-6);
    ck_assert_double_eq_tol(sl_dist_value(dist, 0.9, 0.4), 3e6, 1e-6);
    ck_assert_double_eq_tol(sl_dist_value(dist, 0.5, 0.7), 5e6, 1e-6);
    ck_assert_double_eq_tol(sl_dist_value(dist, 0.5, 1), 5e6, 1e-6);
    ck_assert_double_eq_tol(sl_dist_quantile(dist, 0.25), 1e6, 1e-3);
    ck_assert_double_eq_tol(sl_dist_quantile(dist, 0.75), 5e6, 1e-3);
}
END_TEST

START_TEST(no_spread_is_const)
{
    static const char *const texts[] = {"120us",
                                        "const(120us)",
                                        "const(value=120us)",
                                        "20us + 100us",
                                        "lognormal(median=120us, sigma=0)",
                                        "lognormal(mean=120us, p99=120us)",
                                        "gamma(mean=120us, cv=0)",
                                        "gamma(mean=120us, p99=120us)",
                                        "weibull(mean=120us, sd=0us)",
                                        "normal(mean=120us, cv=0)",
                                        "uniform(120us, 120us)",
                                        "triangular(120us, 120us, 120us)",
                                        "pert(120us, 120us, 120us)",
                                        " 1.2e+2us "};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct sl_dist *dist = parse(texts[i]);
        ck_assert_msg(sl_dist_is_const(dist), "%s", texts[i]);
        ck_assert_double_eq_tol(sl_dist_value(dist, 0.3, 0.6), 120e6, 1e-3);
        ck_assert_double_eq_tol(sl_dist_mean(dist), 120e6, 1e-3);
        ck_assert_double_eq(sl_dist_cdf(dist, 119e6), 0);
        ck_assert_double_eq(sl_dist_cdf(dist, 121e6), 1);
    }
    ck_assert(!sl_dist_is_const(parse("uniform(1us, 2us)")));
}
END_TEST

START_TEST(numbers_refuse_units)
{
    const struct sl_dist *dist = NULL;
    struct sl_error err = {0};
    ck_assert_int_eq(try_parse(&dist, "lognormal(mean=1, cv=3%)", SL_DIST_NUMBER, &err), SL_OK);
    ck_assert_double_eq_tol(sl_dist_mean(dist), 1, 1e-12);
    ck_assert_int_eq(try_parse(&dist, "0.5 + uniform(0, 50%)", SL_DIST_NUMBER, &err), SL_OK);
    ck_assert_double_eq_tol(sl_dist_mean(dist), 0.75, 1e-12);
    ck_assert_int_eq(try_parse(&dist, "lognormal(mean=1us, cv=0.1)", SL_DIST_NUMBER, &err),
                     SL_INVALID);
}
END_TEST

static const struct {
    const char *text, *message;
} faults[] = {
    {"", "empty"},
    {"120", "character 1: '120' has no unit"},
    {"120parsec", "unit"},
    {"-5us", "negative"},
    {"gama(mean=1us, cv=1)", "character 1: unknown distribution 'gama' (did you mean 'gamma'?)"},
    {"shift(1us)", "unknown distribution 'shift'"},
    {"gamma", "character 6: gamma needs its parameters"},
    {"gamma()", "gamma needs a location: mean, median or scale"},
    {"gamma(mean=1us)", "gamma needs a spread: cv, sd, p99 or shape"},
    {"gamma(mean=1us, vc=1)", "character 17: gamma has no parameter 'vc' (did you mean 'cv'?)"},
    {"gamma(mean=1us, mean=2us, cv=1)", "character 17: mean is given twice"},
    {"gamma(mean=1us, median=1us, cv=1)", "gamma takes one location, found both mean and median"},
    {"gamma(mean=1us, cv=1, sd=1us)", "gamma takes one spread, found both cv and sd"},
    {"gamma(scale=1us, cv=1)", "gamma: scale goes with shape"},
    {"gamma(mean=1us, cv=-1)", "negative"},
    {"gamma(mean=1us, cv=1us)", "character 20: "},
    {"gamma(mean=1us, cv=200)", "gamma: shape would be"},
    {"gamma(mean=1us, p99=0.5us)", "gamma: p99 is below the mean"},
    {"gamma(mean=1us, p99=1ms)", "gamma: no law has a ratio of 1000 between p99 and mean"},
    {"gamma(mean=0us, cv=1)", "mean must be above 0"},
    {"gamma(mean=1us, cv=1", "expected ')' or ',' after a value, found the end"},
    {"gamma(mean=1us cv=1)", "character 12: "},
    {"gamma(mean=1us, cv=1) x", "character 23: unexpected 'x'"},
    {"gamma(mean=gamma(mean=1us, cv=1), cv=1)", "character 12: "},
    {"gamma(1us, cv=1)", "parameters of gamma are written name=value"},
    {"gamma(mean=, cv=1)", "a value is missing"},
    {"lognormal(median=1us, sigma=11)", "lognormal: sigma would be 11, at most 10"},
    {"lognormal(mean=1us, p99=20us)", "no law has a p99 of 20 times its mean (at most 14.97)"},
    {"lognormal(median=2us, p99=1us)", "lognormal: p99 is below the median"},
    {"normal(sd=1us)", "normal needs 'mean'"},
    {"normal(mean=1us, p99=0.1us)", "normal: p99 is below the mean"},
    {"weibull(mean=1us, shape=0)", "weibull: shape must be from 0.1 to 10000, found 0"},
    {"weibull(scale=1us, cv=1)", "weibull: scale goes with shape"},
    {"exponential(mean=0us)", "exponential: mean must be above 0"},
    {"uniform(2us, 1us)", "uniform: low is above high"},
    {"uniform(1us, 2us, 3us)", "parameters of uniform are written name=value (low, high)"},
    {"triangular(1us, 3us, 2us)", "triangular: min <= mode <= max does not hold"},
    {"pert(min=1us, mode=2us)", "pert needs 'max'"},
    {"pert(1us, 2us, 3us, lambda=0)", "pert: lambda must be from 0.01 to 100, found 0"},
    {"mixture(0.5*1us, 0.4*2us)", "mixture: the weights sum to 0.9, not to 1"},
    {"mixture(1us)", "character 9: "},
    {"mixture(0.5, 0.5*1us)", "expected '*' between a weight and its distribution, found ','"},
    {"mixture()", "a value is missing"},
    {"1us + ", "a value is missing"},
    {"1us+1us+1us+1us+1us+1us+1us+1us+1us", "nested deeper than 8"},
    {"empirical()", "empirical needs 'file'"},
    {"empirical(file=absent.csv)", "No such file"},
    {"empirical(file=)", "a file name is missing"},
    {"empirical(file=\"durations.csv)", "not closed"},
    {"empirical(file=bare.csv)", "bare.csv:3:1: '17' has no unit"},
    {"empirical(file=header.csv)", "unknown column 'vale' (did you mean 'value'?)"},
    {"empirical(file=one.csv)", "1 values; an empirical law takes 2 to"},
    {"empirical(file=/tmp)", "not a regular file"},
};

START_TEST(faults_are_located)
{
    const struct sl_dist *dist = NULL;
    struct sl_error err = {0};
    ck_assert_int_eq(try_parse(&dist, faults[_i].text, SL_DIST_TIME, &err), SL_INVALID);
    ck_assert_msg(strstr(err.message, faults[_i].message) != NULL, "'%s' says: %s", faults[_i].text,
                  err.message);
    ck_assert_int_eq(err.place.line, 3);
    ck_assert_int_eq(err.place.column, 7);
    ck_assert_ptr_null(dist);
}
END_TEST

START_TEST(long_texts_are_refused)
{
    enum { SIZE = 70000 };
    static char text[SIZE + 1];
    const struct sl_dist *dist = NULL;
    struct sl_error err = {0};
    memset(text, '1', SIZE);
    ck_assert_int_eq(try_parse(&dist, text, SL_DIST_TIME, &err), SL_INVALID);
    text[5000] = 0;
    err = (struct sl_error){0};
    ck_assert_int_eq(try_parse(&dist, text, SL_DIST_TIME, &err), SL_INVALID);
}
END_TEST

/* Damaged examples never crash and never yield a law with a value that is not finite. */
START_TEST(damaged_texts_are_survived)
{
    static const char alphabet[] = "(),*+=.%-eE us0123456789abgmx\"";
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 7);
    for (int i = 0; i < 5000; i++) {
        char text[256];
        size_t family = gsl_rng_uniform_int(rng, sl_dist_family_count());
        snprintf(text, sizeof text, "%s", sl_dist_family_info(family).example);
        for (unsigned long edits = 1 + gsl_rng_uniform_int(rng, 3); edits > 0; edits--)
            text[gsl_rng_uniform_int(rng, strlen(text))] =
                alphabet[gsl_rng_uniform_int(rng, sizeof alphabet - 1)];
        const struct sl_dist *dist = NULL;
        struct sl_error err = {0};
        if (try_parse(&dist, text, SL_DIST_TIME, &err) == SL_OK)
            ck_assert_msg(isfinite(sl_dist_value(dist, 0.999, 0.5)) &&
                              sl_dist_value(dist, 0.001, 0.5) >= 0,
                          "%s", text);
        else
            ck_assert_int_eq(err.status, SL_INVALID);
    }
    gsl_rng_free(rng);
}
END_TEST

/* A host process may read any number of samples, one after the other: those in use, at most 256,
 * keep their values, and the others make room. */
START_TEST(samples_make_room)
{
    enum { IN_USE = 256, FILES = 600 };
    static struct sl_arena arenas[FILES];
    const struct sl_dist *dists[FILES];
    for (int i = 0; i < FILES; i++) {
        char name[20], text[60], rows[60];
        struct sl_error err = {0};
        snprintf(name, sizeof name, "s%d.csv", i);
        snprintf(rows, sizeof rows, "value\n%dus\n%dus\n", i, i + 2);
        snprintf(text, sizeof text, "empirical(file=%s)", name);
        write_file(name, rows);
        if (i >= IN_USE) { /* refused while all others are in use, taken as soon as one is not */
            ck_assert_int_eq(sl_dist_parse(&dists[i], text, SL_DIST_TIME, dir, (struct sl_place){0},
                                           &arenas[i], &err),
                             SL_INVALID);
            ck_assert_ptr_nonnull(strstr(err.message, "more than 256 files at a time"));
            sl_arena_free(&arenas[i - IN_USE]);
        }
        ck_assert_int_eq(sl_dist_parse(&dists[i], text, SL_DIST_TIME, dir, (struct sl_place){0},
                                       &arenas[i], &err),
                         SL_OK);
    }
    for (int i = FILES - IN_USE; i < FILES; i++)
        ck_assert_double_eq_tol(sl_dist_mean(dists[i]), (i + 1) * 1e6, 1e-3);
    for (int i = 0; i < FILES; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/s%d.csv", dir, i);
        unlink(path);
        sl_arena_free(&arenas[i]);
    }
}
END_TEST

static Suite *suite(void)
{
    gsl_set_error_handler_off(); /* a quadrature that wants more digits is judged by its result */
    int families = (int)sl_dist_family_count();
    Suite *s = suite_create("dist");
    TCase *sweep = tcase_create("sweep"), *laws = tcase_create("laws");
    TCase *reader = tcase_create("reader");
    TCase *const cases[] = {sweep, laws, reader};
    for (size_t i = 0; i < 3; i++) {
        tcase_add_unchecked_fixture(cases[i], setup, teardown);
        tcase_set_timeout(cases[i], 120);
        suite_add_tcase(s, cases[i]);
    }
    tcase_add_loop_test(sweep, sampler_follows_cdf, 0, families);
    tcase_add_loop_test(sweep, cdf_inverts_quantile, 0, families);
    tcase_add_loop_test(sweep, mean_is_the_integral_of_quantiles, 0, families);
    tcase_add_loop_test(sweep, monotone_and_never_negative, 0, families);
    tcase_add_loop_test(laws, parameters_keep_their_promise, 0,
                        (int)(sizeof promises / sizeof promises[0]));
    tcase_add_test(laws, normal_is_truncated_not_clamped);
    tcase_add_test(laws, mixture_chooses_by_second);
    tcase_add_test(laws, no_spread_is_const);
    tcase_add_test(reader, numbers_refuse_units);
    tcase_add_loop_test(reader, faults_are_located, 0, (int)(sizeof faults / sizeof faults[0]));
    tcase_add_test(reader, long_texts_are_refused);
    tcase_add_test(reader, damaged_texts_are_survived);
    tcase_add_test(reader, samples_make_room);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
