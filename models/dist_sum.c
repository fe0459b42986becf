/* The sum of two laws, independent of each other, each times a factor: work and an overhead that a
 * runtime adds to it.  It is made from laws, not from text, and so not in the registry. */
#include <config.h>

#include "dist_family.h"
#include <math.h>
#include <string.h>

/* Points of the second law over which its probabilities are summed up. */
enum { POINTS = 4096 };

/* The first law sees the first uniform, so that it draws what it would alone.  The second sees the
 * second one; where the first needs that one too, the digits behind those that it decides by. */
static double value(const struct sl_dist *dist, double u, double u2)
{
    const struct sl_dist_part *a = &dist->parts[0], *b = &dist->parts[1];
    double own = u2;
    if (a->dist->needs_second) {
        own = u2 * 65536;
        own = fmin(fmax(own - floor(own), 0x1p-37), 1 - 0x1p-37);
    }
    return a->weight * a->dist->value(a->dist, u, u2) +
           b->weight * b->dist->value(b->dist, own, own);
}

static double cdf(const struct sl_dist *dist, double x)
{
    const struct sl_dist_part *a = &dist->parts[0], *b = &dist->parts[1];
    double sum = 0;
    for (int k = 0; k < POINTS; k++) {
        double other = b->weight * sl_dist_quantile(b->dist, (k + 0.5) / POINTS);
        double left = (x - other) / a->weight;
        sum += left >= 0 ? sl_dist_cdf(a->dist, left) : 0;
    }
    return sum / POINTS;
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    const struct sl_dist_part *a = &dist->parts[0], *b = &dist->parts[1];
    double p = upper ? 1 - tail : tail, low = 0;
    double most = 1 - (1 - p) / 2;
    double high =
        a->weight * sl_dist_quantile(a->dist, most) + b->weight * sl_dist_quantile(b->dist, most);
    for (int i = 0; i < 60 && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (cdf(dist, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double mean(const struct sl_dist *dist)
{
    return dist->parts[0].weight * sl_dist_mean(dist->parts[0].dist) +
           dist->parts[1].weight * sl_dist_mean(dist->parts[1].dist);
}

static const struct sl_dist_family family = {
    .info = {"sum", "the sum of two laws", "", ""},
    .infix = true,
    .value = value,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};

const struct sl_dist *sl_dist_sum(const struct sl_dist *a, double a_times, const struct sl_dist *b,
                                  double b_times, const char *text, struct sl_arena *arena)
{
    size_t length = strlen(text) + 1;
    struct sl_dist *sum = sl_arena_alloc(arena, sizeof *sum + length);
    struct sl_dist_part *parts = sl_arena_array(arena, 2, sizeof *parts);
    if (!sum || !parts)
        return NULL;
    memcpy(sum->text, text, length);
    parts[0] = (struct sl_dist_part){.dist = a, .weight = a_times};
    parts[1] = (struct sl_dist_part){.dist = b, .weight = b_times};
    sum->family = &family;
    sum->value = value;
    sum->parts = parts;
    sum->count = 2;
    sum->needs_second = a->needs_second || !sl_dist_is_const(b);
    if (sl_dist_is_const(a) && sl_dist_is_const(b))
        sl_dist_set_const(sum, a_times * a->offset + b_times * b->offset);
    return sum;
}
