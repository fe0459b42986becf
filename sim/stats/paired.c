/* Paired comparison of two samples. */
#include "paired.h"
#include "bootstrap.h"
#include "text.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define MOST_DRAWS 1e8 /* beyond, resampling would take longer than simulating */
#define HOPELESS   1e9

static const struct {
    const char *name;
    double quantile;
} figure_facts[SL_PAIRED_FIGURES] = {
    [SL_PAIRED_MEAN] = {"difference of means", NAN},
    [SL_PAIRED_MEDIAN] = {"difference of medians", 0.5},
    [SL_PAIRED_P90] = {"difference of p90", 0.9},
    [SL_PAIRED_P99] = {"difference of p99", 0.99},
    [SL_PAIRED_CVAR99] = {"difference of CVaR99", 0.99},
    [SL_PAIRED_OF_MEDIAN] = {"median of differences", 0.5},
    [SL_PAIRED_OF_P90] = {"p90 of differences", 0.9},
    [SL_PAIRED_OF_P99] = {"p99 of differences", 0.99},
};

const char *sl_paired_figure_name(enum sl_paired_figure figure)
{
    return figure_facts[figure].name;
}

double sl_paired_quantile(enum sl_paired_figure figure)
{
    return figure_facts[figure].quantile;
}

const char *sl_paired_method_name(enum sl_paired_method method)
{
    static const char *const names[SL_PAIRED_METHODS] = {
        "too-few-trials", "paired-t",         "paired-bootstrap",
        "limits-of-each", "order-statistics", "not-given",
    };
    return names[method];
}

const char *sl_paired_verdict_name(enum sl_paired_verdict verdict)
{
    static const char *const names[SL_PAIRED_VERDICTS] = {"faster", "slower", "equal",
                                                          "not-settled"};
    return names[verdict];
}

/* Of two infinities neither is larger. */
static double minus(double x, double y)
{
    return x == y ? 0 : x - y;
}

/* One sample: by trial, ascending, and the trial numbers in that order. */
struct sample {
    const double *values;
    double *sorted;
    uint32_t *order;
    size_t n;
};

static bool sample_init(struct sample *sample, const double *values, size_t n)
{
    *sample = (struct sample){.values = values, .n = n};
    sample->sorted = malloc(n * sizeof *sample->sorted);
    sample->order = malloc(n * sizeof *sample->order);
    size_t *sorting = malloc(n * sizeof *sorting);
    bool ok = sample->sorted && sample->order && sorting;
    if (ok)
        gsl_sort_index(sorting, values, 1, n);
    for (size_t i = 0; ok && i < n; i++) {
        sample->sorted[i] = values[sorting[i]];
        sample->order[i] = (uint32_t)sorting[i];
    }
    free(sorting);
    return ok;
}

static void sample_free(struct sample *sample)
{
    free(sample->sorted);
    free(sample->order);
}

/* Whether resampling may speak about this quantile: enough values in both tails, and no two equal
 * ones (infinite ones are) among those that bound the quantile. */
static bool is_smooth(const struct sample *sample, double q, double level)
{
    if ((double)sample->n * fmin(q, 1 - q) < SL_PAIRED_EXCEEDANCES * (1 - 1e-12))
        return false;
    struct sl_quantile_ranks ranks = sl_quantile_ranks(sample->n, q, level);
    for (size_t i = ranks.lo; i < ranks.hi; i++)
        if (sample->sorted[i - 1] == sample->sorted[i])
            return false;
    return ranks.value > 0;
}

static struct sl_estimate figure_of(const struct sample *sample, enum sl_paired_figure figure,
                                    double level)
{
    double q = sl_paired_quantile(figure);
    if (figure == SL_PAIRED_MEAN)
        return sl_mean(sample->values, sample->n, level);
    return figure == SL_PAIRED_CVAR99 ? sl_cvar(sample->sorted, sample->n, q, level)
                                      : sl_quantile(sample->sorted, sample->n, q, level);
}

struct sl_difference sl_difference_by_limits(struct sl_estimate x, struct sl_estimate y,
                                             size_t needs)
{
    struct sl_difference difference = {
        .estimate = SL_NO_ESTIMATE, .needs = needs, .a = x.value, .b = y.value};
    if (isnan(x.value) || isnan(y.value))
        return difference;
    difference.method = SL_PAIRED_LIMITS;
    difference.estimate =
        (struct sl_estimate){minus(x.value, y.value), minus(x.lo, y.hi), minus(x.hi, y.lo)};
    return difference;
}

static const enum sl_paired_figure quantile_figures[] = {SL_PAIRED_MEDIAN, SL_PAIRED_P90,
                                                         SL_PAIRED_P99, SL_PAIRED_CVAR99};
enum { QUANTILE_FIGURES = sizeof quantile_figures / sizeof *quantile_figures };

static bool may_resample(const struct sample *a, const struct sample *b, double q, double resamples,
                         double level)
{
    return (double)a->n * resamples <= MOST_DRAWS && is_smooth(a, q, level) &&
           is_smooth(b, q, level);
}

/* Its quantiles and tail are still to be set. */
static struct sl_bootstrap bootstrap_of(const struct sample *a, const struct sample *b,
                                        uint32_t resamples, uint64_t seed, double level)
{
    return (struct sl_bootstrap){
        .a = a->values,
        .b = b->values,
        .order_a = a->order,
        .order_b = b->order,
        .n = (uint32_t)a->n,
        .resamples = resamples,
        .key = seed ^ sl_hash_text("paired bootstrap"),
        .level = level,
    };
}

/* Replaces the limits of each figure that may be resampled. */
static enum sl_status resample(struct sl_paired *paired, const struct sample *a,
                               const struct sample *b, uint64_t seed, double level,
                               struct sl_error *err)
{
    static const double quantiles[] = {0.5, 0.9, 0.99};
    struct sl_estimate intervals[QUANTILE_FIGURES];
    bool smooth[QUANTILE_FIGURES], any = false;
    for (size_t k = 0; k < QUANTILE_FIGURES; k++) {
        double q = sl_paired_quantile(quantile_figures[k]);
        smooth[k] = may_resample(a, b, q, SL_PAIRED_RESAMPLES, level) &&
                    paired->figures[quantile_figures[k]].method == SL_PAIRED_LIMITS;
        any |= smooth[k];
    }
    if (!any)
        return SL_OK;
    struct sl_bootstrap bootstrap = bootstrap_of(a, b, SL_PAIRED_RESAMPLES, seed, level);
    bootstrap.quantiles = quantiles;
    bootstrap.count = sizeof quantiles / sizeof *quantiles;
    bootstrap.tail = sl_paired_quantile(SL_PAIRED_CVAR99);
    enum sl_status status = sl_bootstrap_run(&bootstrap, intervals, err);
    for (size_t k = 0; status == SL_OK && k < QUANTILE_FIGURES; k++) {
        struct sl_difference *difference = &paired->figures[quantile_figures[k]];
        if (!smooth[k])
            continue;
        difference->estimate.lo = intervals[k].lo;
        difference->estimate.hi = intervals[k].hi;
        difference->method = SL_PAIRED_BOOTSTRAP;
    }
    return status;
}

/* Means, quantiles of differences, and who was faster. */
static void compare_trials(struct sl_paired *paired, const struct sample *a, const struct sample *b,
                           const struct sample *differences, double level)
{
    struct sl_difference *mean = &paired->figures[SL_PAIRED_MEAN];
    mean->a = figure_of(a, SL_PAIRED_MEAN, level).value;
    mean->b = figure_of(b, SL_PAIRED_MEAN, level).value;
    mean->needs = 2;
    bool finite = !isnan(mean->a) && !isnan(mean->b);
    mean->estimate = finite ? sl_mean(differences->values, differences->n, level) : SL_NO_ESTIMATE;
    mean->method = isnan(mean->estimate.lo) ? SL_PAIRED_TOO_FEW : SL_PAIRED_T;
    for (enum sl_paired_figure f = SL_PAIRED_OF_MEDIAN; f <= SL_PAIRED_OF_P99; f++) {
        struct sl_estimate estimate = figure_of(differences, f, level);
        paired->figures[f] = (struct sl_difference){
            .estimate = estimate,
            .method = isnan(estimate.value) ? SL_PAIRED_TOO_FEW : SL_PAIRED_ORDER,
            .needs = sl_quantile_min_n(sl_paired_quantile(f), level),
            .a = NAN,
            .b = NAN,
        };
    }
    for (size_t i = 0; i < a->n; i++) {
        paired->less += a->values[i] < b->values[i];
        paired->ties += a->values[i] == b->values[i];
    }
    paired->wins = sl_proportion(paired->less + paired->ties / 2, a->n, level);
    if (paired->ties % 2 == 1) /* the half that a count cannot hold widens the interval */
        paired->wins.hi = sl_proportion(paired->less + paired->ties / 2 + 1, a->n, level).hi;
    paired->wins.value = ((double)paired->less + (double)paired->ties / 2) / (double)a->n;
    paired->correlation = finite && sl_stddev(a->values, a->n) > 0 && sl_stddev(b->values, b->n) > 0
                              ? gsl_stats_correlation(a->values, 1, b->values, 1, a->n)
                              : NAN;
}

enum sl_status sl_paired_compare(struct sl_paired *paired, const double *a, const double *b,
                                 size_t n, uint64_t seed, double level, struct sl_error *err)
{
    *paired = (struct sl_paired){.n = n, .wins = SL_NO_ESTIMATE, .correlation = NAN};
    if (n == 0 || n > UINT32_MAX)
        return SL_FAIL(err, SL_INVALID, "%zu trials cannot be compared", n);
    struct sample x = {0}, y = {0}, differences = {0};
    double *d = malloc(n * sizeof *d);
    for (size_t i = 0; d && i < n; i++)
        d[i] = minus(a[i], b[i]);
    enum sl_status status = SL_OK;
    if (d && sample_init(&x, a, n) && sample_init(&y, b, n) && sample_init(&differences, d, n)) {
        compare_trials(paired, &x, &y, &differences, level);
        double each = 1 - (1 - level) / 2;
        for (size_t k = 0; k < QUANTILE_FIGURES; k++) {
            enum sl_paired_figure f = quantile_figures[k];
            paired->figures[f] =
                sl_difference_by_limits(figure_of(&x, f, each), figure_of(&y, f, each),
                                        sl_paired_min_n(sl_paired_quantile(f), level));
        }
        status = resample(paired, &x, &y, seed, level, err);
    } else {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the comparison of %zu trials", n);
    }
    sample_free(&x);
    sample_free(&y);
    sample_free(&differences);
    free(d);
    return status;
}

enum sl_status sl_paired_own(struct sl_paired *paired, enum sl_paired_figure figure,
                             const double *a, const double *b, double level, struct sl_error *err)
{
    struct sl_difference *difference = &paired->figures[figure];
    *difference = (struct sl_difference){
        .estimate = SL_NO_ESTIMATE, .method = SL_PAIRED_NOT_GIVEN, .needs = 2, .a = NAN, .b = NAN};
    if (!a || !b)
        return SL_OK;
    double *d = malloc(paired->n * sizeof *d + 1);
    if (!d)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the comparison of %zu trials", paired->n);
    for (size_t i = 0; i < paired->n; i++)
        d[i] = a[i] - b[i];
    difference->estimate = sl_mean(d, paired->n, level);
    difference->a = sl_mean(a, paired->n, level).value;
    difference->b = sl_mean(b, paired->n, level).value;
    if (!isnan(difference->estimate.value))
        difference->method = paired->n < difference->needs ? SL_PAIRED_TOO_FEW : SL_PAIRED_T;
    free(d);
    return SL_OK;
}

/* The interval of one quantile's difference. */
static enum sl_status resample_one(struct sl_estimate *interval, const struct sample *a,
                                   const struct sample *b, double q, uint32_t resamples,
                                   uint64_t seed, double level, struct sl_error *err)
{
    struct sl_estimate intervals[2]; /* of the quantile, and of the mean beyond it */
    struct sl_bootstrap bootstrap = bootstrap_of(a, b, resamples, seed, level);
    bootstrap.quantiles = &q;
    bootstrap.count = 1;
    bootstrap.tail = q;
    enum sl_status status = sl_bootstrap_run(&bootstrap, intervals, err);
    if (status == SL_OK) {
        interval->lo = intervals[0].lo;
        interval->hi = intervals[0].hi;
    }
    return status;
}

enum sl_status sl_paired_at(struct sl_difference *difference, const double *a, const double *b,
                            size_t n, double q, uint64_t seed, double level, struct sl_error *err)
{
    double each = 1 - (1 - level) / 2;
    struct sample x = {0}, y = {0};
    enum sl_status status = SL_OK;
    *difference = (struct sl_difference){.estimate = SL_NO_ESTIMATE, .a = NAN, .b = NAN};
    if (sample_init(&x, a, n) && sample_init(&y, b, n)) {
        *difference =
            sl_difference_by_limits(sl_quantile(x.sorted, n, q, each),
                                    sl_quantile(y.sorted, n, q, each), sl_paired_min_n(q, level));
        if (difference->method == SL_PAIRED_LIMITS &&
            may_resample(&x, &y, q, SL_PAIRED_RESAMPLES, level)) {
            difference->method = SL_PAIRED_BOOTSTRAP;
            status = resample_one(&difference->estimate, &x, &y, q, SL_PAIRED_RESAMPLES, seed,
                                  level, err);
        }
    } else {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the comparison of %zu trials", n);
    }
    sample_free(&x);
    sample_free(&y);
    return status;
}

size_t sl_paired_min_n(double q, double level)
{
    return sl_quantile_min_n(q, 1 - (1 - level) / 2); /* each limit takes half of the error */
}

size_t sl_paired_bootstrap_min_n(double q)
{
    double n = ceil(SL_PAIRED_EXCEEDANCES * (1 - 1e-12) / fmin(q, 1 - q));
    return n * SL_PAIRED_RESAMPLES <= MOST_DRAWS ? (size_t)n : SIZE_MAX;
}

size_t sl_paired_upper_needs(double q, double error)
{
    return sl_quantile_min_n(q, 1 - error); /* each limit takes half of the error */
}

/* Enough resamples for ten of them to lie beyond the limit. */
static double upper_resamples(double error)
{
    return fmax(SL_PAIRED_RESAMPLES, ceil(10 / error) - 1);
}

enum sl_status sl_paired_upper(double *upper, const double *a, const double *b, size_t n, double q,
                               double error, uint64_t seed, struct sl_error *err)
{
    struct sample x = {0}, y = {0};
    enum sl_status status = SL_OK;
    *upper = NAN;
    if (n < sl_paired_upper_needs(q, error))
        return SL_OK;
    if (sample_init(&x, a, n) && sample_init(&y, b, n)) {
        double level = 1 - 2 * error, resamples = upper_resamples(error);
        struct sl_estimate interval = SL_NO_ESTIMATE;
        *upper = minus(sl_quantile(x.sorted, n, q, 1 - error).hi,
                       sl_quantile(y.sorted, n, q, 1 - error).lo);
        if (may_resample(&x, &y, q, resamples, level)) {
            status = resample_one(&interval, &x, &y, q, (uint32_t)resamples, seed, level, err);
            *upper = interval.hi;
        }
    } else {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the comparison of %zu trials", n);
    }
    sample_free(&x);
    sample_free(&y);
    return status;
}

enum sl_status sl_paired_mean_upper(double *upper, const double *a, const double *b, size_t n,
                                    double error, struct sl_error *err)
{
    double *differences = malloc(n * sizeof *differences + 1);
    if (!differences)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the comparison of %zu trials", n);
    for (size_t i = 0; i < n; i++)
        differences[i] = minus(a[i], b[i]);
    *upper = sl_mean(differences, n, 1 - 2 * error).hi;
    free(differences);
    return SL_OK;
}

bool sl_paired_is_constant(const double *values, size_t n)
{
    for (size_t t = 1; t < n; t++)
        if (values[t] != values[0])
            return false;
    return true;
}

enum sl_paired_verdict sl_paired_judge(struct sl_estimate difference, double margin)
{
    if (difference.hi < -margin)
        return SL_PAIRED_FASTER;
    if (difference.lo > margin)
        return SL_PAIRED_SLOWER;
    if (difference.lo >= -margin && difference.hi <= margin)
        return SL_PAIRED_EQUAL;
    return SL_PAIRED_OPEN;
}

double sl_paired_trials_to_settle(struct sl_estimate difference, double margin, size_t n)
{
    double halfwidth = (difference.hi - difference.lo) / 2;
    double room = fabs(fabs(difference.value) - margin);
    if (isnan(halfwidth) || isnan(difference.value))
        return NAN;
    double needed = ceil((double)n * (halfwidth / room) * (halfwidth / room));
    return needed <= HOPELESS ? fmax(needed, (double)n + 1) : INFINITY;
}
