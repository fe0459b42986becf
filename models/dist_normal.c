/* normal(mean, sd | cv | p99), truncated at 0 and renormalised.
 *
 * mean and sd are those of the normal law before truncation, m and s; with Z = Phi(m/s),
 *     cdf(x) = 1 - Phi(-(x-m)/s) / Z,   mean of the truncated law = m + s phi(m/s) / Z.
 * p99 is the 0.99 quantile of the truncated law.  Above m/s = 9 nothing representable is cut off
 * and the plain normal law, which all such scales share, is used. */
#include "dist_family.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

enum { MEAN, SD, CV, P99 };
static const double UNCUT = 9;

/* In units of sd, with shape[0] = m/s. */
static double unit_quantile(const double shape[2], double tail, bool upper)
{
    double r = shape[0], kept = gsl_cdf_ugaussian_P(r);
    if (upper)
        return fmax(0, r + gsl_cdf_ugaussian_Qinv(tail * kept));
    return fmax(0, r + gsl_cdf_ugaussian_Pinv(gsl_cdf_ugaussian_Q(r) + tail * kept));
}

static double unit_pdf(const double shape[2], double x)
{
    return gsl_ran_ugaussian_pdf(x - shape[0]) / gsl_cdf_ugaussian_P(shape[0]);
}

static double plain_quantile(const double shape[2], double tail, bool upper)
{
    (void)shape;
    return upper ? gsl_cdf_ugaussian_Qinv(tail) : gsl_cdf_ugaussian_Pinv(tail);
}

static double plain_pdf(const double shape[2], double z)
{
    (void)shape;
    return gsl_ran_ugaussian_pdf(z);
}

static const double Z99 = 2.3263478740408411; /* 0.99 quantile of the standard normal law */

/* p99 / mean of the truncated law at m/s = r, above context[0]? */
static double p99_excess(double r, const double *context)
{
    double shape[2] = {r};
    return unit_quantile(shape, 0.01, true) / r - context[0];
}

static enum sl_status find_sd(struct sl_dist_reader *reader, double mean, double p99, double *sd)
{
    double ratio = p99 / mean, r;
    if (!(ratio >= 1))
        return sl_dist_fail(reader, reader->call, "normal: p99 is below the mean");
    if (ratio < 1 + Z99 / UNCUT) {
        *sd = (p99 - mean) / Z99;
        return SL_OK;
    }
    if (!sl_dist_solve(p99_excess, &ratio, 1e-3, 2 * UNCUT, &r))
        return sl_dist_fail(reader, reader->call, "normal: p99 of %g times the mean is too wide",
                            ratio);
    *sd = mean / r;
    return SL_OK;
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    static const unsigned spreads[] = {SD, CV, P99};
    unsigned spread;
    enum sl_status status = sl_dist_require(dist, args, reader, 1);
    if (status != SL_OK ||
        (status = sl_dist_choose(dist, args, reader, "spread", spreads, 3, &spread)) != SL_OK ||
        (status = sl_dist_range(dist, args, reader, CV, 0, 1000)) != SL_OK)
        return status;
    double m = args->value[MEAN], s = args->value[spread];
    if (spread == CV)
        s *= m;
    else if (spread == P99 && (status = find_sd(reader, m, s, &s)) != SL_OK)
        return status;
    dist->p[0] = m;
    dist->p[1] = s;
    if (s <= m * 1e-12) {
        sl_dist_set_const(dist, m);
        return SL_OK;
    }
    double r = m / s;
    if (r >= UNCUT) {
        struct sl_qtable_law law = {"normal", {0}, plain_quantile, plain_pdf};
        return sl_dist_tabulate(dist, reader, &law, m, s);
    }
    struct sl_qtable_law law = {"normal truncated", {r}, unit_quantile, unit_pdf};
    return sl_dist_tabulate(dist, reader, &law, 0, s);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    double shape[2] = {dist->p[0] / dist->p[1]};
    return dist->p[1] * unit_quantile(shape, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    double m = dist->p[0], s = dist->p[1];
    if (x <= 0)
        return 0;
    double cut = gsl_cdf_ugaussian_Q(m / s), kept = gsl_cdf_ugaussian_P(m / s);
    if (x < m)
        return (gsl_cdf_ugaussian_P((x - m) / s) - cut) / kept;
    return 1 - gsl_cdf_ugaussian_Q((x - m) / s) / kept;
}

static double mean(const struct sl_dist *dist)
{
    double m = dist->p[0], s = dist->p[1];
    return m + s * gsl_ran_ugaussian_pdf(m / s) / gsl_cdf_ugaussian_P(m / s);
}

const struct sl_dist_family sl_dist_family_normal = {
    .info = {"normal", "normal law of this mean and sd, then truncated at 0", "mean, sd|cv|p99",
             "normal(mean=100us, sd=12us)"},
    .params = {{"mean", SL_PARAM_QUANTITY},
               {"sd", SL_PARAM_QUANTITY},
               {"cv", SL_PARAM_NUMBER},
               {"p99", SL_PARAM_QUANTITY}},
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
