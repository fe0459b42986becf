/* weibull(scale | mean | median, shape | cv | sd | p99), shape k:
 *     cdf(x) = 1 - exp(-(x/scale)^k), mean = scale Gamma(1 + 1/k),
 *     cv^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2 - 1. */
#include <config.h>

#include "dist_family.h"
#include <math.h>

enum { SCALE, MEAN, MEDIAN, SHAPE, CV, SD, P99 };
static const double SHAPE_MIN = 0.1, SHAPE_MAX = 1e4;
/* Below this shape p99/mean falls again with the spread: the other root, which nobody means. */
static const double P99_SHAPE_MIN = 0.25;

static double unit_quantile(const double shape[2], double tail, bool upper)
{
    double hazard = upper ? -log(tail) : -log1p(-tail);
    return pow(hazard, 1 / shape[0]);
}

static double unit_pdf(const double shape[2], double x)
{
    double power = pow(x, shape[0]);
    return shape[0] * power / x * exp(-power);
}

static double unit_location(double k, double location)
{
    if (location == MEAN)
        return tgamma(1 + 1 / k);
    return location == MEDIAN ? pow(M_LN2, 1 / k) : 1;
}

/* context: target ratio, location. */
static double sd_excess(double k, const double *context)
{
    double m = lgamma(1 + 1 / k), cv = sqrt(expm1(lgamma(1 + 2 / k) - 2 * m));
    return cv * exp(m) / unit_location(k, context[1]) - context[0];
}

static double p99_excess(double k, const double *context)
{
    return pow(-log(0.01), 1 / k) / unit_location(k, context[1]) - context[0];
}

static enum sl_status find_shape(const struct sl_dist_args *args, struct sl_dist_reader *reader,
                                 unsigned location, unsigned spread, double *k)
{
    double center = args->value[location], v = args->value[spread];
    if (spread == SHAPE) {
        *k = v;
        if (!(v >= SHAPE_MIN && v <= SHAPE_MAX))
            return sl_dist_fail(reader, reader->call,
                                "weibull: shape must be from %g to %g, found %g", SHAPE_MIN,
                                SHAPE_MAX, v);
        return SL_OK;
    }
    if (location == SCALE)
        return sl_dist_fail(reader, reader->call, "weibull: scale goes with shape");
    double context[2] = {spread == CV ? v : v / center, spread == CV ? MEAN : location};
    if (spread == P99 && context[0] < 1)
        return sl_dist_fail(reader, reader->call, "weibull: p99 is below the %s",
                            location == MEAN ? "mean" : "median");
    bool found = spread == P99 ? sl_dist_solve(p99_excess, context, P99_SHAPE_MIN, SHAPE_MAX, k)
                               : sl_dist_solve(sd_excess, context, SHAPE_MIN, SHAPE_MAX, k);
    if (!found)
        return sl_dist_fail(
            reader, reader->call, "weibull: no law of shape %g to %g has %s of %.4g", SHAPE_MIN,
            SHAPE_MAX, spread == P99 ? "a ratio of p99 to location" : "a relative sd", context[0]);
    return SL_OK;
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    static const unsigned locations[] = {SCALE, MEAN, MEDIAN}, spreads[] = {SHAPE, CV, SD, P99};
    unsigned location, spread;
    enum sl_status status = sl_dist_choose(dist, args, reader, "location", locations, 3, &location);
    if (status != SL_OK ||
        (status = sl_dist_choose(dist, args, reader, "spread", spreads, 4, &spread)) != SL_OK)
        return status;
    double center = args->value[location], k = 1;
    if (!(center > 0))
        return sl_dist_fail(reader, reader->call, "weibull: %s must be above 0",
                            dist->family->params[location].name);
    if (spread != SHAPE && location != SCALE &&
        args->value[spread] == (spread == P99 ? center : 0)) {
        sl_dist_set_const(dist, center);
        return SL_OK;
    }
    if ((status = find_shape(args, reader, location, spread, &k)) != SL_OK)
        return status;
    dist->p[0] = center / unit_location(k, location);
    dist->p[1] = k;
    struct sl_qtable_law law = {"weibull", {k}, unit_quantile, unit_pdf};
    return sl_dist_tabulate(dist, reader, &law, 0, dist->p[0]);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    double shape[2] = {dist->p[1]};
    return dist->p[0] * unit_quantile(shape, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    return x > 0 ? -expm1(-pow(x / dist->p[0], dist->p[1])) : 0;
}

static double mean(const struct sl_dist *dist)
{
    return dist->p[0] * tgamma(1 + 1 / dist->p[1]);
}

const struct sl_dist_family sl_dist_family_weibull = {
    .info = {"weibull", "Weibull law: heavier than exponential below shape 1, lighter above",
             "scale|mean|median, shape|cv|sd|p99 (scale with shape only)",
             "weibull(shape=1.5, scale=100us)"},
    .params = {{"scale", SL_PARAM_QUANTITY},
               {"mean", SL_PARAM_QUANTITY},
               {"median", SL_PARAM_QUANTITY},
               {"shape", SL_PARAM_NUMBER},
               {"cv", SL_PARAM_NUMBER},
               {"sd", SL_PARAM_QUANTITY},
               {"p99", SL_PARAM_QUANTITY}},
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
