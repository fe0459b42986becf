/* Descent in one loading after the other: with the others held, the sum is a parabola in each.  It
 * begins with the one loading that all would share, which also settles two classes, of whose two
 * loadings one correlation tells only the product. */
#include "config.h"

#include "common_fit.h"
#include <math.h>

#define MOST_SWEEPS 500
#define SETTLED     1e-9

double sl_correlation(const double *covariance, uint32_t count, uint32_t a, uint32_t b)
{
    double both = covariance[(size_t)a * count + a] * covariance[(size_t)b * count + b];
    return covariance[(size_t)a * count + a] > 0 && both > 0
               ? covariance[(size_t)a * count + b] / sqrt(both)
               : (double)NAN;
}

static double within(double r)
{
    return fmin(fmax(r, 0), 1);
}

static double even_loading(const double *covariance, const bool *takes_part, uint32_t count)
{
    double sum = 0, pairs = 0;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++) {
            double r = sl_correlation(covariance, count, a, b);
            if (!takes_part[a] || !takes_part[b] || isnan(r))
                continue;
            sum += r;
            pairs++;
        }
    return pairs > 0 ? sqrt(within(sum / pairs)) : 0;
}

static double best_loading(const double *covariance, const bool *takes_part, uint32_t count,
                           uint32_t a, const double *loadings)
{
    double product = 0, square = 0;
    for (uint32_t b = 0; b < count; b++) {
        double r = sl_correlation(covariance, count, a, b);
        if (b == a || !takes_part[b] || isnan(r))
            continue;
        product += r * loadings[b];
        square += loadings[b] * loadings[b];
    }
    return square > 0 ? within(product / square) : 0;
}

void sl_common_fit(const double *covariance, const bool *takes_part, uint32_t count, double *sds)
{
    double even = even_loading(covariance, takes_part, count), moved = even;
    for (uint32_t a = 0; a < count; a++)
        sds[a] = takes_part[a] ? even : 0;
    for (int sweep = 0; moved > SETTLED && sweep < MOST_SWEEPS; sweep++) {
        moved = 0;
        for (uint32_t a = 0; a < count; a++) {
            double before = sds[a];
            if (takes_part[a])
                sds[a] = best_loading(covariance, takes_part, count, a, sds);
            moved = fmax(moved, fabs(sds[a] - before));
        }
    }
    for (uint32_t a = 0; a < count; a++)
        sds[a] *= takes_part[a] ? sqrt(fmax(covariance[(size_t)a * count + a], 0)) : 0;
}
