/* Stopping when an interval is narrow. */
#include "until.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY_ERROR   0.05
#define FIRST_OF_MEANS 100
#define MOST_LOOKS     33

bool sl_until_parse(struct sl_until *until, const char *text)
{
    static const struct {
        const char *name;
        double q;
    } figures[] = {{"p50", 0.5},  {"median", 0.5},  {"p90", 0.9}, {"p95", 0.95},
                   {"p99", 0.99}, {"p99.9", 0.999}, {"mean", NAN}};
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    for (size_t k = 0; length > 0 && k < sizeof figures / sizeof *figures; k++) {
        if (strlen(figures[k].name) != length || strncmp(text, figures[k].name, length) != 0)
            continue;
        char why[SL_WHY_SIZE];
        double width;
        if (!sl_parse_number(colon + 1, &width, why))
            return false;
        *until = (struct sl_until){figures[k].q, width, text};
        return width > 0 && width <= 1;
    }
    return false;
}

/* The least number of looks that covers itself: more looks have a higher level, whose interval
 * takes more trials to begin with, so that fewer looks fit. */
struct sl_until_looks sl_until_looks(const struct sl_until *until, uint32_t most)
{
    struct sl_until_looks looks = {0};
    for (uint32_t assumed = 1; assumed <= MOST_LOOKS; assumed++) {
        looks.level = 1 - FAMILY_ERROR / assumed;
        size_t first = isnan(until->q) ? FIRST_OF_MEANS : sl_quantile_min_n(until->q, looks.level);
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
    return isinf(estimate.hi) ? (double)INFINITY
                              : (estimate.hi - estimate.lo) / 2 / fabs(estimate.value);
}

enum sl_status sl_until_look(struct sl_until_result *result, const double *values, size_t n,
                             struct sl_error *err)
{
    double q = result->asked.q;
    if (isnan(q)) {
        result->estimate = sl_mean(values, n, result->looks.level);
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
