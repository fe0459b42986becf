/* Medians over sessions: Student's t of the sessions' own. */
#include "config.h"

#include "session_median.h"
#include <math.h>
#include <stdlib.h>

static int by_session(const void *left, const void *right)
{
    const struct sl_session_value *a = left, *b = right;
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static int by_value(const void *left, const void *right)
{
    const struct sl_session_value *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

/* Of values in order; halfway between the two in the middle of an even number. */
static double middle(const struct sl_session_value *values, size_t n)
{
    return n % 2 ? values[n / 2].value : (values[n / 2 - 1].value + values[n / 2].value) / 2;
}

double sl_median_of(double *values, size_t n)
{
    sl_sort_doubles(values, n);
    if (n == 0)
        return (double)NAN;
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Mean, limits and sd of the medians that are there. */
static void summarise(struct sl_session_median *result, const double *medians, uint32_t sessions)
{
    double counted[SL_SESSIONS_MOST];
    for (uint32_t s = 0; s < sessions; s++)
        if (!isnan(medians[s]))
            counted[result->sessions++] = medians[s];
    result->sd = sl_stddev(counted, result->sessions);
    if (result->sessions < SL_SESSIONS_LEAST)
        return;
    struct sl_estimate mean = sl_mean(counted, result->sessions, SL_CONFIDENCE);
    result->estimate.lo = fmin(mean.lo, result->estimate.value);
    result->estimate.hi = fmax(mean.hi, result->estimate.value);
}

struct sl_session_median sl_session_median(struct sl_session_value *values, size_t n,
                                           double *medians, uint32_t sessions)
{
    struct sl_session_median result = {SL_NO_ESTIMATE, (double)NAN, (uint32_t)n, 0};
    for (uint32_t s = 0; s < sessions; s++)
        medians[s] = (double)NAN;
    if (n == 0)
        return result;
    qsort(values, n, sizeof *values, by_session);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && values[end].session == values[first].session;)
            end++;
        if (end - first >= SL_SESSION_SHOTS)
            medians[values[first].session - 1] = middle(&values[first], end - first);
    }
    qsort(values, n, sizeof *values, by_value);
    result.estimate.value = middle(values, n);
    summarise(&result, medians, sessions);
    return result;
}
