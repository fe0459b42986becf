/* Stopping when an interval is narrow. */
#include "until.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY_ERROR 0.05
#define MOST_LOOKS   33

static bool parse_figure(double *q, const char *text, size_t length)
{
    static const struct {
        const char *name;
        double q;
    } figures[] = {{"p50", 0.5},  {"median", 0.5},  {"p90", 0.9}, {"p95", 0.95},
                   {"p99", 0.99}, {"p99.9", 0.999}, {"mean", NAN}};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        if (strlen(figures[k].name) == length && strncmp(text, figures[k].name, length) == 0) {
            *q = figures[k].q;
            return true;
        }
    return false;
}

bool sl_until_parse(struct sl_until *until, const char *text, char why[SL_WHY_SIZE])
{
    const char *colon = strchr(text, ':');
    char reason[SL_WHY_SIZE];
    double q, width;
    if (!colon) {
        snprintf(why, SL_WHY_SIZE, "'%.60s' is not FIGURE:WIDTH, such as p99:1%%", text);
        return false;
    }
    if (!parse_figure(&q, text, (size_t)(colon - text))) {
        snprintf(why, SL_WHY_SIZE,
                 "the figure '%.*s' is none of p50 (or median), p90, p95, p99, p99.9 and mean",
                 (int)(colon - text < 60 ? colon - text : 60), text);
        return false;
    }
    if (!sl_parse_share(colon + 1, &width, reason)) {
        snprintf(why, SL_WHY_SIZE,
                 "the width %.110s; it is half of the interval over the estimate, above 0%% and at "
                 "most 100%%, such as %.*s:1%%",
                 reason, (int)(colon - text), text);
        return false;
    }
    *until = (struct sl_until){q, width, text};
    return true;
}

/* The least number of looks that covers itself: more looks have a higher level, whose interval
 * takes more trials to begin with, so that fewer looks fit. */
struct sl_until_looks sl_until_looks(const struct sl_until *until, uint32_t least, uint32_t most)
{
    struct sl_until_looks looks = {0};
    for (uint32_t assumed = 1; assumed <= MOST_LOOKS; assumed++) {
        looks.level = 1 - FAMILY_ERROR / assumed;
        size_t first =
            isnan(until->q) ? SL_UNTIL_LEAST_OF_MEAN : sl_quantile_min_n(until->q, looks.level);
        first = first > least ? first : least;
        looks.first = first < most ? (uint32_t)first : most;
        looks.count = 1;
        for (uint64_t n = looks.first; n < most; n *= 2)
            looks.count++;
        if (looks.count <= assumed)
            break;
    }
    return looks;
}

uint32_t sl_until_trials(const struct sl_until_looks *looks, uint32_t most, uint32_t k)
{
    uint64_t n = looks->first;
    for (; k > 0 && n < most; k--)
        n *= 2;
    return n < most ? (uint32_t)n : most;
}

double sl_relative_half_width(struct sl_estimate estimate)
{
    if (isnan(estimate.lo) || isnan(estimate.hi))
        return NAN;
    if (isinf(estimate.hi))
        return (double)INFINITY;
    if (estimate.hi == estimate.lo) /* of 0 us, too */
        return 0;
    return (estimate.hi - estimate.lo) / 2 / fabs(estimate.value);
}

static struct sl_estimate mean_of(const double *values, size_t n, double level)
{
    struct sl_estimate mean = sl_mean(values, n, level);
    if (n < SL_UNTIL_LEAST_OF_MEAN || mean.lo == mean.hi)
        mean.lo = mean.hi = NAN;
    return mean;
}

enum sl_status sl_until_look(struct sl_until_result *result, const double *values, size_t n,
                             struct sl_error *err)
{
    double q = result->asked.q;
    if (result->exact) {
        result->estimate = (struct sl_estimate){values[0], values[0], values[0]};
    } else if (isnan(q)) {
        result->estimate = mean_of(values, n, result->looks.level);
    } else {
        double *sorted = malloc(n * sizeof *sorted);
        if (!sorted)
            return SL_FAIL(err, SL_SYSTEM, "out of memory for a look at %zu trials", n);
        memcpy(sorted, values, n * sizeof *sorted);
        sl_sort_doubles(sorted, n);
        result->estimate = sl_quantile(sorted, n, q, result->looks.level);
        free(sorted);
    }
    result->look++;
    result->reached = sl_relative_half_width(result->estimate) <= result->asked.width;
    return SL_OK;
}
