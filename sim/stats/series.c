/* Pooled figures, and Student's t over groups of values. */
#include "seriesparts.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES     20  /* of all series together, at most */
#define CORRELATION 0.1 /* of a batch's mean with the next one's, at most */
#define LEAST_BATCH 50  /* values of a batch of a mean */

const char *sl_series_method_name(enum sl_series_method method)
{
    static const char *const names[SL_SERIES_METHODS] = {
        [SL_SERIES_NONE] = "none",
        [SL_SERIES_REPLICATIONS] = "replications",
        [SL_SERIES_BATCHES] = "batches",
        [SL_SERIES_BLOCKS] = "blocks-of-trace",
    };
    return names[method];
}

/* Ten values on the side of the quantile that has fewer. */
size_t sl_series_needs(struct sl_series_figure figure)
{
    if (figure.kind == SL_SERIES_MEAN)
        return 1;
    double beyond = figure.q < 0.5 ? figure.q : 1 - figure.q;
    return (size_t)ceil(SL_SERIES_BEYOND / beyond - 1e-6);
}

double sl_series_figure_of(struct sl_series_figure figure, const double *values,
                           const double *sorted, size_t n)
{
    if (n == 0)
        return NAN;
    if (figure.kind == SL_SERIES_MEAN)
        return gsl_stats_mean(values, 1, n);
    size_t rank = sl_quantile_rank(n, figure.q);
    if (figure.kind == SL_SERIES_QUANTILE)
        return sorted[rank - 1];
    /* As sl_cvar: the values above the rank whole, and the rest of its own step. */
    double excess = 0;
    for (size_t i = rank; i < n; i++)
        excess += sorted[i] - sorted[rank - 1];
    return sorted[rank - 1] + excess / ((double)n * (1 - figure.q));
}

/* A copy of all values that is cut into groups. */
struct groups {
    double *values, *sorted; /* the groups one behind the other, each of `sorted` ascending */
    size_t *ends;            /* by group: where it ends */
    uint32_t count;
    size_t n;
    double *figures;  /* by group */
    uint32_t batches; /* of all series together */
    bool short_run;
};

static bool groups_init(struct groups *groups, const struct sl_series *series)
{
    size_t most = series->count > BATCHES ? series->count : BATCHES;
    for (uint32_t r = 0; r < series->count; r++)
        groups->n += series->counts[r];
    groups->values = malloc(groups->n * sizeof *groups->values + 1);
    groups->sorted = malloc(groups->n * sizeof *groups->sorted + 1);
    groups->ends = calloc(most + 1, sizeof *groups->ends);
    groups->figures = calloc(most + 1, sizeof *groups->figures);
    if (!groups->values || !groups->sorted || !groups->ends || !groups->figures)
        return false;
    size_t at = 0;
    for (uint32_t r = 0; r < series->count; r++) {
        memcpy(&groups->values[at], series->values[r], series->counts[r] * sizeof(double));
        at += series->counts[r];
    }
    return true;
}

static void groups_free(struct groups *groups)
{
    free(groups->values);
    free(groups->sorted);
    free(groups->ends);
    free(groups->figures);
}

/* Whole series, as many together as hold `least` values; what is left at the end joins the last. */
static void cut_by_series(struct groups *groups, const struct sl_series *series, size_t least)
{
    size_t at = 0, begin = 0;
    groups->count = 0;
    for (uint32_t r = 0; r < series->count; r++) {
        at += series->counts[r];
        if (at - begin >= least) {
            groups->ends[groups->count++] = at;
            begin = at;
        }
    }
    if (groups->count > 0)
        groups->ends[groups->count - 1] = at;
}

static void cut_by_batches(struct groups *groups, const struct sl_series *series, size_t least,
                           uint32_t all)
{
    size_t at = 0;
    groups->count = 0;
    for (uint32_t r = 0; r < series->count; r++) {
        size_t n = series->counts[r], batches = n / least, most = all / series->count;
        batches = batches < most ? batches : most;
        for (size_t b = 1; b <= batches; b++)
            groups->ends[groups->count++] = at + n * b / batches;
        at += n;
    }
}

static void take_figures(struct groups *groups, struct sl_series_figure figure)
{
    size_t begin = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        size_t n = groups->ends[g] - begin;
        groups->figures[g] =
            sl_series_figure_of(figure, &groups->values[begin], &groups->sorted[begin], n);
        begin = groups->ends[g];
    }
}

static bool correlate(const struct groups *groups)
{
    double mean = gsl_stats_mean(groups->figures, 1, groups->count), all = 0, next = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        double from_mean = groups->figures[g] - mean;
        all += from_mean * from_mean;
        if (g > 0)
            next += from_mean * (groups->figures[g - 1] - mean);
    }
    return next > CORRELATION * all;
}

static void choose_batches(struct groups *groups, const struct sl_series *series)
{
    const struct sl_series_figure mean = {SL_SERIES_MEAN, 0};
    for (groups->batches = BATCHES;; groups->batches /= 2) {
        cut_by_batches(groups, series, LEAST_BATCH, groups->batches);
        take_figures(groups, mean);
        groups->short_run = groups->count > 1 && correlate(groups);
        if (!groups->short_run || groups->batches == SL_SERIES_LEAST_GROUPS)
            break;
    }
    groups->count = 0;
}

/* Cuts the values for a figure; *same: as they were for the one before. */
static enum sl_series_method cut(struct groups *groups, const struct sl_series *series,
                                 size_t least, bool *same)
{
    bool whole = series->count >= SL_SERIES_LEAST_GROUPS;
    size_t size = groups->count * sizeof *groups->ends;
    size_t *before = malloc(size + 1);
    uint32_t count = groups->count;
    if (before)
        memcpy(before, groups->ends, size);
    if (whole)
        cut_by_series(groups, series, least);
    else
        cut_by_batches(groups, series, least, groups->batches);
    *same =
        before && count > 0 && count == groups->count && memcmp(before, groups->ends, size) == 0;
    free(before);
    if (groups->count < SL_SERIES_LEAST_GROUPS)
        return SL_SERIES_NONE;
    return whole ? SL_SERIES_REPLICATIONS : SL_SERIES_BATCHES;
}

static void sort_groups(struct groups *groups)
{
    size_t begin = 0;
    memcpy(groups->sorted, groups->values, groups->n * sizeof *groups->sorted);
    for (uint32_t g = 0; g < groups->count; g++) {
        sl_sort_doubles(&groups->sorted[begin], groups->ends[g] - begin);
        begin = groups->ends[g];
    }
}

static void set_interval(struct sl_series_result *result, const struct groups *groups, bool times,
                         double level)
{
    double g = (double)groups->count, value = result->estimate.value;
    double t = gsl_cdf_tdist_Qinv((1 - level) / 2, g - 1);
    double error = sl_stddev(groups->figures, groups->count) / sqrt(g);
    result->groups = groups->count;
    result->estimate = times ? sl_positive(value, groups->figures, groups->count, level)
                             : (struct sl_estimate){value, value - t * error, value + t * error};
    if (result->method == SL_SERIES_BATCHES && error > 0)
        result->effective = fmin(gsl_stats_variance(groups->values, 1, groups->n) / (error * error),
                                 (double)groups->n);
}

static void estimate_by_groups(struct groups *groups, const struct sl_series *series,
                               struct sl_series_figure figure, double level, bool *sorted,
                               struct sl_series_result *result)
{
    bool mean = figure.kind == SL_SERIES_MEAN, same;
    size_t least = result->needs;
    if (mean)
        least = series->count < SL_SERIES_LEAST_GROUPS ? LEAST_BATCH : 1;
    result->method = cut(groups, series, least, &same);
    if (result->method == SL_SERIES_NONE)
        return;
    *sorted = *sorted && same;
    if (!mean && !*sorted) {
        sort_groups(groups);
        *sorted = true;
    }
    take_figures(groups, figure);
    set_interval(result, groups, series->times, level);
    result->short_run = result->method == SL_SERIES_BATCHES && groups->short_run;
    if (!mean)
        result->effective = NAN;
}

static void estimate_pooled(struct groups *groups, const struct sl_series_figure *figures,
                            uint32_t figure_count, struct sl_series_result *results)
{
    memcpy(groups->sorted, groups->values, groups->n * sizeof *groups->sorted);
    sl_sort_doubles(groups->sorted, groups->n);
    for (uint32_t f = 0; f < figure_count; f++) {
        results[f] = (struct sl_series_result){.estimate = SL_NO_ESTIMATE,
                                               .n = groups->n,
                                               .needs = sl_series_needs(figures[f]),
                                               .effective = NAN};
        if (groups->n >= results[f].needs)
            results[f].estimate.value =
                sl_series_figure_of(figures[f], groups->values, groups->sorted, groups->n);
    }
}

enum sl_status sl_series_estimate(const struct sl_series *series,
                                  const struct sl_series_figure *figures, uint32_t figure_count,
                                  double level, struct sl_series_result *results,
                                  struct sl_error *err)
{
    struct groups groups = {0};
    if (!groups_init(&groups, series)) {
        groups_free(&groups);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the figures of %zu values", groups.n);
    }
    estimate_pooled(&groups, figures, figure_count, results);
    bool few = series->count < SL_SERIES_LEAST_GROUPS, sorted = false;
    bool by_blocks = few && series->one_course;
    if (few && !by_blocks)
        choose_batches(&groups, series);
    for (uint32_t f = 0; !by_blocks && f < figure_count; f++)
        if (!isnan(results[f].estimate.value))
            estimate_by_groups(&groups, series, figures[f], level, &sorted, &results[f]);
    groups_free(&groups);
    return by_blocks ? sl_series_bootstrap(series, figures, figure_count, level, results, err)
                     : SL_OK;
}
