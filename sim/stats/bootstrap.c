/* A resample is how often each trial was drawn: counts, not a sorted copy.  A walk from the largest
 * value down, the order of the samples given once, finds every quantile of it. */
#include "bootstrap.h"
#include <gsl/gsl_sort.h>
#include <math.h>
#include <Random123/philox.h>
#include <stdlib.h>
#include <string.h>

static void draw_counts(const struct sl_bootstrap *bootstrap, uint32_t resample, uint32_t *counts)
{
    philox4x32_key_t key = {{(uint32_t)bootstrap->key, (uint32_t)(bootstrap->key >> 32)}};
    uint32_t n = bootstrap->n;
    memset(counts, 0, n * sizeof *counts);
    for (uint32_t i = 0; i < n; i += 4) {
        philox4x32_ctr_t counter = {{i / 4, resample, 0, 0}};
        philox4x32_ctr_t r = philox4x32(counter, key);
        for (uint32_t k = 0; k < 4 && i + k < n; k++)
            counts[(uint64_t)r.v[k] * n >> 32]++; /* even to n / 2^32 */
    }
}

/* The figures of one sample as drawn: its quantiles at `ranks`, and the mean beyond the tail as
 * sl_cvar has it.  `below` counts the values that the walk has not passed. */
static void measure(const struct sl_bootstrap *bootstrap, const size_t *ranks, const double *values,
                    const uint32_t *order, const uint32_t *counts, double *out)
{
    uint32_t left = bootstrap->count;
    size_t n = bootstrap->n, below = n, tail = ranks[left];
    double sum = 0, weight = (double)n * (1 - bootstrap->tail);
    for (size_t at = n; at-- > 0 && left > 0;) {
        uint32_t times = counts[order[at]];
        if (times == 0)
            continue;
        double value = values[order[at]];
        if (below > tail) {
            size_t beyond = below - tail;
            sum += value * (double)(times < beyond ? times : beyond);
        }
        if (below >= tail && below - times < tail)
            out[bootstrap->count] = (sum + (weight - (double)(n - tail)) * value) / weight;
        below -= times;
        while (left > 0 && below < ranks[left - 1])
            out[--left] = value;
    }
}

/* The percentile interval of a column of replicates, which gets sorted. */
static void percentiles(double *replicates, uint32_t resamples, double level,
                        struct sl_estimate *interval)
{
    gsl_sort(replicates, 1, resamples);
    double rank = rint((resamples + 1) * (1 - level) / 2 * 1e6) / 1e6;
    uint32_t low = rank < 1 ? 1 : (uint32_t)rank;
    interval->lo = replicates[low - 1];
    interval->hi = replicates[resamples - low];
}

enum sl_status sl_bootstrap_run(const struct sl_bootstrap *bootstrap, struct sl_estimate *intervals,
                                struct sl_error *err)
{
    uint32_t columns = bootstrap->count + 1, resamples = bootstrap->resamples;
    size_t *ranks = malloc(columns * sizeof *ranks);
    uint32_t *counts = malloc((size_t)bootstrap->n * sizeof *counts);
    double *replicates = malloc((size_t)columns * resamples * sizeof *replicates);
    double *both = malloc(2 * (size_t)columns * sizeof *both);
    enum sl_status status = ranks && counts && replicates && both
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for resampling");
    for (uint32_t c = 0; status == SL_OK && c < columns; c++)
        ranks[c] = sl_quantile_rank(bootstrap->n, c < bootstrap->count ? bootstrap->quantiles[c]
                                                                       : bootstrap->tail);
    for (uint32_t r = 0; status == SL_OK && r < resamples; r++) {
        draw_counts(bootstrap, r, counts);
        measure(bootstrap, ranks, bootstrap->a, bootstrap->order_a, counts, both);
        measure(bootstrap, ranks, bootstrap->b, bootstrap->order_b, counts, both + columns);
        for (uint32_t c = 0; c < columns; c++)
            replicates[(size_t)c * resamples + r] = both[c] - both[columns + c];
    }
    for (uint32_t c = 0; status == SL_OK && c < columns; c++)
        percentiles(replicates + (size_t)c * resamples, resamples, bootstrap->level, &intervals[c]);
    free(ranks);
    free(counts);
    free(replicates);
    free(both);
    return status;
}
