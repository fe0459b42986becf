/* Pareto sets. */
#include "pareto.h"
#include <math.h>

static bool is_complete(const double *point, size_t k)
{
    for (size_t j = 0; j < k; j++)
        if (isnan(point[j]))
            return false;
    return true;
}

static bool dominates(const double *a, const double *b, size_t k)
{
    bool below = false;
    for (size_t j = 0; j < k; j++) {
        if (!(a[j] <= b[j]))
            return false;
        below |= a[j] < b[j];
    }
    return below;
}

void sl_pareto_set(const double *points, size_t n, size_t k, bool *in_set)
{
    for (size_t i = 0; i < n; i++) {
        in_set[i] = is_complete(&points[i * k], k);
        for (size_t other = 0; in_set[i] && other < n; other++)
            in_set[i] = !dominates(&points[other * k], &points[i * k], k);
    }
}
