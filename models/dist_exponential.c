/* exponential(mean | median): cdf(x) = 1 - exp(-x/mean), median = mean ln 2. */
#include <config.h>

#include "dist_family.h"
#include <math.h>

enum { MEAN, MEDIAN };

static double unit_quantile(const double shape[2], double tail, bool upper)
{
    (void)shape;
    return upper ? -log(tail) : -log1p(-tail);
}

static double unit_pdf(const double shape[2], double x)
{
    (void)shape;
    return exp(-x);
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    static const unsigned locations[] = {MEAN, MEDIAN};
    unsigned location;
    enum sl_status status = sl_dist_choose(dist, args, reader, "location", locations, 2, &location);
    if (status != SL_OK)
        return status;
    dist->p[0] = location == MEAN ? args->value[MEAN] : args->value[MEDIAN] / M_LN2;
    if (!(dist->p[0] > 0))
        return sl_dist_fail(reader, reader->call, "exponential: %s must be above 0",
                            dist->family->params[location].name);
    struct sl_qtable_law law = {"exponential", {0}, unit_quantile, unit_pdf};
    return sl_dist_tabulate(dist, reader, &law, 0, dist->p[0]);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    return dist->p[0] * unit_quantile(NULL, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    return x > 0 ? -expm1(-x / dist->p[0]) : 0;
}

static double mean(const struct sl_dist *dist)
{
    return dist->p[0];
}

const struct sl_dist_family sl_dist_family_exponential = {
    .info = {"exponential", "memoryless", "mean|median", "exponential(mean=100us)"},
    .params = {{"mean", SL_PARAM_QUANTITY}, {"median", SL_PARAM_QUANTITY}},
    .positional = 1,
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
