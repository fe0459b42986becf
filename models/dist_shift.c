/* quantity + expression: the law moved to the right. */
#include "dist_family.h"

static double value(const struct sl_dist *dist, double u, double u2)
{
    return dist->p[0] + dist->inner->value(dist->inner, u, u2);
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    (void)reader;
    const struct sl_dist *inner = args->parts[0].dist;
    dist->p[0] = args->value[0];
    dist->inner = inner;
    dist->needs_second = inner->needs_second;
    if (sl_dist_is_const(inner)) {
        sl_dist_set_const(dist, dist->p[0] + inner->offset);
    } else if (inner->table) {
        /* The table's own offset takes the shift, so that it costs nothing. */
        dist->value = inner->value;
        dist->table = inner->table;
        dist->offset = inner->offset + dist->p[0];
        dist->scale = inner->scale;
    }
    return SL_OK;
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    return dist->p[0] + dist->inner->family->quantile(dist->inner, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    return sl_dist_cdf(dist->inner, x - dist->p[0]);
}

static double mean(const struct sl_dist *dist)
{
    return dist->p[0] + sl_dist_mean(dist->inner);
}

const struct sl_dist_family sl_dist_family_shift = {
    .info = {"shift+", "a fixed part before a random one", "quantity + expression",
             "10us + gamma(mean=5us, cv=0.5)"},
    .infix = true,
    .make = make,
    .value = value,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
