/* Least absolute relative deviations, by trying all lines that can be the best. */
#include <config.h>

#include "robust_line.h"
#include <math.h>

struct points {
    const double *x, *y;
    uint32_t count;
};

static double misfit(const struct points *points, struct sl_robust_line line)
{
    double sum = 0;
    for (uint32_t i = 0; i < points->count; i++)
        sum += fabs(points->y[i] - line.intercept - line.slope * points->x[i]) / points->y[i];
    return sum;
}

static void consider(const struct points *points, struct sl_robust_line line,
                     struct sl_robust_line *best, double *least)
{
    if (!(line.intercept >= 0 && line.slope > 0))
        return;
    double sum = misfit(points, line);
    if (sum < *least) {
        *best = line;
        *least = sum;
    }
}

struct sl_robust_line sl_robust_line_fit(const double *x, const double *y, uint32_t count)
{
    struct points points = {x, y, count};
    struct sl_robust_line best = {(double)NAN, (double)NAN};
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        consider(&points, (struct sl_robust_line){0, y[i] / x[i]}, &best, &least);
        for (uint32_t k = 0; k < i; k++) {
            double slope = (y[i] - y[k]) / (x[i] - x[k]);
            consider(&points, (struct sl_robust_line){y[i] - slope * x[i], slope}, &best, &least);
        }
    }
    return best;
}
