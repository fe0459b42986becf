/* const(value): no spread. */
#include "dist_family.h"

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    enum sl_status status = sl_dist_require(dist, args, reader, 1);
    if (status == SL_OK)
        sl_dist_set_const(dist, args->value[0]);
    return status;
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    (void)tail, (void)upper;
    return dist->offset;
}

static double cdf(const struct sl_dist *dist, double x)
{
    return x >= dist->offset ? 1 : 0;
}

static double mean(const struct sl_dist *dist)
{
    return dist->offset;
}

const struct sl_dist_family sl_dist_family_const = {
    .info = {"const", "always the same value", "value", "120us"},
    .params = {{"value", SL_PARAM_QUANTITY}},
    .positional = 1,
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
