/* uniform(low, high): Q(p) = low + p (high - low). */
#include "dist_family.h"

enum { LOW, HIGH };

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    enum sl_status status = sl_dist_require(dist, args, reader, 2);
    if (status != SL_OK)
        return status;
    if (args->value[LOW] > args->value[HIGH])
        return sl_dist_fail(reader, reader->call, "uniform: low is above high");
    dist->offset = args->value[LOW];
    dist->scale = args->value[HIGH] - args->value[LOW];
    if (dist->scale == 0)
        sl_dist_set_const(dist, dist->offset);
    return SL_OK;
}

static double value(const struct sl_dist *dist, double u, double u2)
{
    (void)u2;
    return dist->offset + dist->scale * u;
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    return dist->offset + dist->scale * (upper ? 1 - tail : tail);
}

static double cdf(const struct sl_dist *dist, double x)
{
    double p = (x - dist->offset) / dist->scale;
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

static double mean(const struct sl_dist *dist)
{
    return dist->offset + dist->scale / 2;
}

const struct sl_dist_family sl_dist_family_uniform = {
    .info = {"uniform", "every value from low to high alike", "low, high",
             "uniform(low=90us, high=150us)"},
    .params = {{"low", SL_PARAM_QUANTITY}, {"high", SL_PARAM_QUANTITY}},
    .positional = 2,
    .make = make,
    .value = value,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
