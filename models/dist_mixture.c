/* mixture(w1*expr, w2*expr, ...): the second uniform chooses the component, the first its value.
 * The weights sum to 1.  The exact quantile is found by bisection of the weighted cdf between the
 * components' own quantiles. */
#include "dist_family.h"
#include <math.h>

enum { MAX_PARTS = 1024 };

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    if (args->part_count > MAX_PARTS)
        return sl_dist_fail(reader, reader->call, "mixture: %u components, at most %d",
                            args->part_count, MAX_PARTS);
    double sum = 0;
    for (uint32_t i = 0; i < args->part_count; i++) {
        args->parts[i].below = sum;
        sum += args->parts[i].weight;
    }
    if (!(fabs(sum - 1) <= 1e-9))
        return sl_dist_fail(reader, reader->call, "mixture: the weights sum to %.10g, not to 1",
                            sum);
    dist->parts = args->parts;
    dist->count = args->part_count;
    dist->needs_second = args->part_count > 1 || args->parts[0].dist->needs_second;
    return SL_OK;
}

/* A component that is chosen sees, as its own second uniform, where in its share u2 lies. */
static double value(const struct sl_dist *dist, double u, double u2)
{
    uint32_t i = dist->count - 1;
    while (i > 0 && (u2 < dist->parts[i].below || dist->parts[i].weight == 0))
        i--;
    const struct sl_dist_part *part = &dist->parts[i];
    double inner = (u2 - part->below) / part->weight;
    return part->dist->value(part->dist, u, inner < 1 ? inner : 1);
}

static double cdf(const struct sl_dist *dist, double x)
{
    double sum = 0;
    for (uint32_t i = 0; i < dist->count; i++)
        sum += dist->parts[i].weight * sl_dist_cdf(dist->parts[i].dist, x);
    return sum;
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    double p = upper ? 1 - tail : tail, low = INFINITY, high = 0;
    for (uint32_t i = 0; i < dist->count; i++) {
        const struct sl_dist *part = dist->parts[i].dist;
        double x = part->family->quantile(part, tail, upper);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (cdf(dist, middle) >= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static double mean(const struct sl_dist *dist)
{
    double sum = 0;
    for (uint32_t i = 0; i < dist->count; i++)
        sum += dist->parts[i].weight * sl_dist_mean(dist->parts[i].dist);
    return sum;
}

const struct sl_dist_family sl_dist_family_mixture = {
    .info = {"mixture", "one of several laws, by weights that sum to 1", "weight*expression, ...",
             "mixture(0.95*lognormal(median=100us, sigma=0.1), 0.05*lognormal(median=300us, "
             "sigma=0.3))"},
    .weighted = true,
    .make = make,
    .value = value,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
