/* pert(min, mode, max, lambda = 4): a beta law stretched to [min, max], with
 *     alpha = 1 + lambda (mode-min)/(max-min), beta = 1 + lambda (max-mode)/(max-min),
 *     mean = (min + lambda mode + max) / (lambda + 2)           (Vose, Risk Analysis, 2008). */
#include "dist_family.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

enum { MIN, MODE, MAX, LAMBDA };

static double unit_quantile(const double shape[2], double tail, bool upper)
{
    return upper ? gsl_cdf_beta_Qinv(tail, shape[0], shape[1])
                 : gsl_cdf_beta_Pinv(tail, shape[0], shape[1]);
}

static double unit_pdf(const double shape[2], double x)
{
    return gsl_ran_beta_pdf(x, shape[0], shape[1]);
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    enum sl_status status = sl_dist_require(dist, args, reader, 3);
    if (status != SL_OK || (status = sl_dist_range(dist, args, reader, LAMBDA, 0.01, 100)) != SL_OK)
        return status;
    const double *v = args->value;
    double lambda = args->given[LAMBDA] ? v[LAMBDA] : 4, width = v[MAX] - v[MIN];
    if (v[MIN] > v[MODE] || v[MODE] > v[MAX])
        return sl_dist_fail(reader, reader->call, "pert: min <= mode <= max does not hold");
    if (width == 0) {
        sl_dist_set_const(dist, v[MIN]);
        return SL_OK;
    }
    dist->p[0] = 1 + lambda * (v[MODE] - v[MIN]) / width;
    dist->p[1] = 1 + lambda * (v[MAX] - v[MODE]) / width;
    dist->offset = v[MIN];
    dist->scale = width;
    struct sl_qtable_law law = {"pert", {dist->p[0], dist->p[1]}, unit_quantile, unit_pdf};
    return sl_dist_tabulate(dist, reader, &law, v[MIN], width);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    return dist->offset + dist->scale * unit_quantile(dist->p, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    double y = (x - dist->offset) / dist->scale;
    return y <= 0 ? 0 : y >= 1 ? 1 : gsl_cdf_beta_P(y, dist->p[0], dist->p[1]);
}

static double mean(const struct sl_dist *dist)
{
    return dist->offset + dist->scale * dist->p[0] / (dist->p[0] + dist->p[1]);
}

const struct sl_dist_family sl_dist_family_pert = {
    .info = {"pert", "smooth law from min to max, most likely at mode",
             "min, mode, max, [lambda=4]", "pert(min=90us, mode=100us, max=180us)"},
    .params = {{"min", SL_PARAM_QUANTITY},
               {"mode", SL_PARAM_QUANTITY},
               {"max", SL_PARAM_QUANTITY},
               {"lambda", SL_PARAM_NUMBER}},
    .positional = 3,
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
