/* The moving-block bootstrap of series that share one course of events.
 *
 * A resample is a set of stretches, drawn with replacement at any place, the same places in every
 * series: how often each value is in it.  One walk through the values in ascending order, found
 * once, gives all of its figures. */
#include "seriesparts.h"
#include <gsl/gsl_sort.h>
#include <Random123/philox.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STRETCHES  50 /* of a series: so many, or as many as each has values */
#define LEAST_STRETCHES 10
#define RESAMPLES       999
#define LEAST_RESAMPLES 199
#define MOST_STEPS      1e8                      /* values looked at, about */
#define KEY             UINT64_C(0x626c6f636b73) /* fixed: the same values, the same interval */

struct walk {
    const struct sl_series *series;
    const struct sl_series_figure *figures;
    uint32_t figure_count;
    size_t n;
    double *values;   /* of all series, one behind the other */
    size_t *order;    /* ascending */
    int32_t *changes; /* by value: of the number of stretches that hold it */
    uint32_t *times;  /* ... and that number */
    size_t *ranks;    /* by figure, in the resample at hand; 0 of a mean */
    uint32_t stretches;
};

static bool walk_init(struct walk *walk)
{
    const struct sl_series *series = walk->series;
    size_t least = SIZE_MAX, at = 0;
    for (uint32_t r = 0; r < series->count; r++) {
        walk->n += series->counts[r];
        least = series->counts[r] < least ? series->counts[r] : least;
    }
    double stretches = sqrt((double)least);
    walk->stretches = stretches < MOST_STRETCHES ? (uint32_t)stretches : MOST_STRETCHES;
    walk->values = malloc(walk->n * sizeof *walk->values + 1);
    walk->order = malloc(walk->n * sizeof *walk->order + 1);
    walk->changes = malloc((walk->n + 1) * sizeof *walk->changes);
    walk->times = malloc(walk->n * sizeof *walk->times + 1);
    walk->ranks = malloc(walk->figure_count * sizeof *walk->ranks + 1);
    if (!walk->values || !walk->order || !walk->changes || !walk->times || !walk->ranks)
        return false;
    for (uint32_t r = 0; r < series->count; r++) {
        memcpy(&walk->values[at], series->values[r], series->counts[r] * sizeof(double));
        at += series->counts[r];
    }
    gsl_sort_index(walk->order, walk->values, 1, walk->n);
    return true;
}

static void walk_free(struct walk *walk)
{
    free(walk->values);
    free(walk->order);
    free(walk->changes);
    free(walk->times);
    free(walk->ranks);
}

/* Draws the stretches of a resample; returns how many values it has. */
static size_t draw(struct walk *walk, uint32_t resample)
{
    const philox4x32_key_t key = {{(uint32_t)KEY, (uint32_t)(KEY >> 32)}};
    memset(walk->changes, 0, (walk->n + 1) * sizeof *walk->changes);
    for (uint32_t s = 0; s < walk->stretches; s++) {
        const philox4x32_ctr_t counter = {{s, resample, 0, 0}};
        philox4x32_ctr_t u = philox4x32(counter, key);
        size_t at = 0;
        for (uint32_t r = 0; r < walk->series->count; r++) {
            size_t n = walk->series->counts[r], length = n / walk->stretches;
            size_t begin = at + (size_t)(((uint64_t)u.v[0] * (n - length + 1)) >> 32);
            walk->changes[begin]++;
            walk->changes[begin + length]--;
            at += n;
        }
    }
    size_t all = 0;
    int32_t held = 0;
    for (size_t i = 0; i < walk->n; i++) {
        held += walk->changes[i];
        walk->times[i] = (uint32_t)held;
        all += (uint32_t)held;
    }
    return all;
}

/* A figure whose rank has come up in the walk: `upto` values, of the sum `sum`, are not above it.
 */
static double at_rank(struct sl_series_figure figure, double value, size_t upto, double sum,
                      size_t all, double total)
{
    if (figure.kind == SL_SERIES_QUANTILE)
        return value;
    double excess = total - sum - (double)(all - upto) * value;
    return value + excess / ((double)all * (1 - figure.q));
}

/* The figures of the resample, into out[figure]. */
static void measure(struct walk *walk, size_t all, double *out)
{
    double total = 0, sum = 0;
    size_t upto = 0;
    for (size_t i = 0; i < walk->n; i++)
        total += walk->times[i] * walk->values[i];
    for (uint32_t f = 0; f < walk->figure_count; f++) {
        bool mean = walk->figures[f].kind == SL_SERIES_MEAN;
        walk->ranks[f] = mean ? 0 : sl_quantile_rank(all, walk->figures[f].q);
        if (mean)
            out[f] = total / (double)all;
    }
    for (size_t k = 0; k < walk->n; k++) {
        size_t i = walk->order[k], before = upto;
        upto += walk->times[i];
        sum += walk->times[i] * walk->values[i];
        for (uint32_t f = 0; f < walk->figure_count; f++)
            if (before < walk->ranks[f] && walk->ranks[f] <= upto)
                out[f] = at_rank(walk->figures[f], walk->values[i], upto, sum, all, total);
    }
}

static void set_limits(const struct walk *walk, double *replicates, uint32_t resamples,
                       double level, struct sl_series_result *results)
{
    for (uint32_t f = 0; f < walk->figure_count; f++) {
        if (isnan(results[f].estimate.value))
            continue;
        double *column = &replicates[(size_t)f * resamples];
        gsl_sort(column, 1, resamples);
        size_t low = (size_t)floor((resamples + 1) * (1 - level) / 2 + 1e-6);
        low = low > 0 ? low : 1;
        results[f].estimate.lo = column[low - 1];
        results[f].estimate.hi = column[resamples - low];
        results[f].method = SL_SERIES_BLOCKS;
        results[f].groups = walk->stretches;
    }
}

enum sl_status sl_series_bootstrap(const struct sl_series *series,
                                   const struct sl_series_figure *figures, uint32_t figure_count,
                                   double level, struct sl_series_result *results,
                                   struct sl_error *err)
{
    struct walk walk = {.series = series, .figures = figures, .figure_count = figure_count};
    double *replicates = NULL, *out = NULL;
    bool ok = walk_init(&walk);
    double room = MOST_STEPS / (double)(walk.n + 1);
    uint32_t resamples = room > RESAMPLES         ? RESAMPLES
                         : room < LEAST_RESAMPLES ? LEAST_RESAMPLES
                                                  : (uint32_t)room;
    if (ok && walk.stretches >= LEAST_STRETCHES) {
        replicates = malloc((size_t)figure_count * resamples * sizeof *replicates + 1);
        out = calloc(figure_count + 1, sizeof *out);
        ok = replicates && out;
        for (uint32_t r = 0; ok && r < resamples; r++) {
            measure(&walk, draw(&walk, r), out);
            for (uint32_t f = 0; f < figure_count; f++)
                replicates[(size_t)f * resamples + r] = out[f];
        }
        if (ok)
            set_limits(&walk, replicates, resamples, level, results);
    }
    walk_free(&walk);
    free(replicates);
    free(out);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for resampling %zu values", walk.n);
}
