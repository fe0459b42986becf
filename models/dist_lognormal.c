/* lognormal(median | mean, sigma | cv | sd | p99): ln X is normal with mean ln(median) and standard
 * deviation sigma.  With w = exp(sigma^2): mean = median sqrt(w), cv = sqrt(w - 1). */
#include "dist_family.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

enum { MEDIAN, MEAN, SIGMA, CV, SD, P99 };
static const double Z99 = 2.3263478740408411; /* 0.99 quantile of the standard normal law */
static const double SIGMA_MAX = 10;

static double unit_quantile(const double shape[2], double tail, bool upper)
{
    double z = upper ? gsl_cdf_ugaussian_Qinv(tail) : gsl_cdf_ugaussian_Pinv(tail);
    return exp(shape[0] * z);
}

static double unit_pdf(const double shape[2], double x)
{
    return gsl_ran_ugaussian_pdf(log(x) / shape[0]) / (shape[0] * x);
}

/* From p99 and the mean: ln(p99/mean) = Z99 sigma - sigma^2/2, the smaller root, as p99 falls again
 * beyond the vertex sigma = Z99. */
static enum sl_status sigma_of_p99(struct sl_dist_reader *reader, bool by_mean, double location,
                                   double p99, double *sigma)
{
    double excess = log(p99 / location);
    if (!(excess >= 0))
        return sl_dist_fail(reader, reader->call, "lognormal: p99 is below the %s",
                            by_mean ? "mean" : "median");
    *sigma = excess / Z99;
    if (!by_mean)
        return SL_OK;
    double root = Z99 * Z99 - 2 * excess;
    if (root < 0)
        return sl_dist_fail(reader, reader->call,
                            "lognormal: no law has a p99 of %.4g times its mean (at most %.4g)",
                            p99 / location, exp(Z99 * Z99 / 2));
    *sigma = 2 * excess / (Z99 + sqrt(root));
    return SL_OK;
}

static enum sl_status find_sigma(const struct sl_dist_args *args, struct sl_dist_reader *reader,
                                 unsigned location, unsigned spread, double *sigma)
{
    double center = args->value[location], v = args->value[spread];
    double ratio = spread == CV ? v : v / center;
    switch (spread) {
    case SIGMA:
        *sigma = v;
        return SL_OK;
    case P99:
        return sigma_of_p99(reader, location == MEAN, center, v, sigma);
    default:
        /* (sd/median)^2 = w (w - 1) when sd goes with the median; cv^2 = w - 1 otherwise. */
        if (spread == SD && location == MEDIAN)
            *sigma = sqrt(log1p(2 * ratio * ratio / (1 + sqrt(1 + 4 * ratio * ratio))));
        else
            *sigma = sqrt(log1p(ratio * ratio));
        return SL_OK;
    }
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    static const unsigned locations[] = {MEDIAN, MEAN}, spreads[] = {SIGMA, CV, SD, P99};
    unsigned location, spread;
    double sigma = 0;
    enum sl_status status = sl_dist_choose(dist, args, reader, "location", locations, 2, &location);
    if (status != SL_OK ||
        (status = sl_dist_choose(dist, args, reader, "spread", spreads, 4, &spread)) != SL_OK)
        return status;
    double center = args->value[location];
    if (!(center > 0))
        return sl_dist_fail(reader, reader->call, "lognormal: %s must be above 0",
                            dist->family->params[location].name);
    if ((status = find_sigma(args, reader, location, spread, &sigma)) != SL_OK)
        return status;
    if (!(sigma <= SIGMA_MAX))
        return sl_dist_fail(reader, reader->call, "lognormal: sigma would be %.4g, at most %g",
                            sigma, SIGMA_MAX);
    double median = location == MEAN ? center * exp(-sigma * sigma / 2) : center;
    dist->p[0] = median;
    dist->p[1] = sigma;
    if (sigma < 1e-12) {
        sl_dist_set_const(dist, median);
        return SL_OK;
    }
    struct sl_qtable_law law = {"lognormal", {sigma}, unit_quantile, unit_pdf};
    return sl_dist_tabulate(dist, reader, &law, 0, median);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    double shape[2] = {dist->p[1]};
    return dist->p[0] * unit_quantile(shape, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    return x > 0 ? gsl_cdf_ugaussian_P(log(x / dist->p[0]) / dist->p[1]) : 0;
}

static double mean(const struct sl_dist *dist)
{
    return dist->p[0] * exp(dist->p[1] * dist->p[1] / 2);
}

const struct sl_dist_family sl_dist_family_lognormal = {
    .info = {"lognormal", "the logarithm is normal with standard deviation sigma",
             "median|mean, sigma|cv|sd|p99", "lognormal(median=120us, sigma=0.25)"},
    .params = {{"median", SL_PARAM_QUANTITY},
               {"mean", SL_PARAM_QUANTITY},
               {"sigma", SL_PARAM_NUMBER},
               {"cv", SL_PARAM_NUMBER},
               {"sd", SL_PARAM_QUANTITY},
               {"p99", SL_PARAM_QUANTITY}},
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
