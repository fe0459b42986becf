/* gamma(mean | median, cv | sd | p99 | shape) or gamma(shape, scale), shape k:
 *     mean = k scale, cv = 1/sqrt(k), cdf(x) = P(k, x/scale) (regularised incomplete gamma). */
#include "dist_family.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

enum { MEAN, MEDIAN, SCALE, CV, SD, P99, SHAPE };
static const double SHAPE_MIN = 0.01, SHAPE_MAX = 1e8;
/* Below this shape p99/mean falls again with the spread: the other root, which nobody means; and
 * the median soon underflows. */
static const double SOLVE_SHAPE_MIN = 0.05;
/* Above, (X/k)^(1/3) is taken as normal with mean 1 - 1/(9k) and variance 1/(9k) (Wilson and
 * Hilferty 1931), which errs by less than 3e-8 there, while GSL's incomplete gamma fails. */
static const double CUBE_ROOT_SHAPE = 1e5;

static double cube_root_quantile(double k, double z)
{
    double root = 1 - 1 / (9 * k) + z / (3 * sqrt(k));
    return root > 0 ? k * root * root * root : 0;
}

static double unit_cdf(double k, double x)
{
    if (k <= CUBE_ROOT_SHAPE)
        return gsl_cdf_gamma_P(x, k, 1);
    return gsl_cdf_ugaussian_P(3 * sqrt(k) * (cbrt(x / k) - 1 + 1 / (9 * k)));
}

static double unit_pdf(const double shape[2], double x)
{
    return x == 0 && shape[0] < 1 ? INFINITY : gsl_ran_gamma_pdf(x, shape[0], 1);
}

/* ln x of a first guess: by cube root, or by P(x) ~ x^k / Gamma(k+1) near 0. */
static double log_guess(double k, double tail, bool upper, double z)
{
    double x = cube_root_quantile(k, z);
    if (k >= 1 && x > 0.1 * k)
        return log(x);
    return ((upper ? log1p(-tail) : log(tail)) + lgamma(k + 1)) / k;
}

/* Newton's method for ln P(e^y) = ln(tail), or Q for the upper tail, kept inside a bracket.
 * (gsl_cdf_gamma_Pinv gives NaN in the lower tails of small shapes.) */
static double unit_quantile(const double shape[2], double tail, bool upper)
{
    double k = shape[0], low = -INFINITY, high = INFINITY;
    double z = upper ? gsl_cdf_ugaussian_Qinv(tail) : gsl_cdf_ugaussian_Pinv(tail);
    if (k > CUBE_ROOT_SHAPE)
        return cube_root_quantile(k, z);
    double y = log_guess(k, tail, upper, z);
    for (int i = 0; i < 200 && y > -700; i++) {
        double x = exp(y), p = upper ? gsl_cdf_gamma_Q(x, k, 1) : gsl_cdf_gamma_P(x, k, 1);
        if (upper ? p > tail : p < tail)
            low = y;
        else
            high = y;
        double slope = x * unit_pdf(shape, x) / p;
        double next = y - log(p / tail) / (upper ? -slope : slope);
        bool done = fabs(next - y) <= 1e-15 * fmax(1, fabs(y));
        if (!done && !(next > low && next < high))
            next = isinf(low) ? y - 1 : isinf(high) ? y + 1 : low + (high - low) / 2;
        y = next;
        if (done)
            break;
    }
    return y > -700 ? exp(y) : 0;
}

static double unit_location(double k, double by_mean)
{
    double shape[2] = {k};
    return by_mean != 0 ? k : unit_quantile(shape, 0.5, false);
}

/* context: target ratio, by mean? */
static double sd_excess(double k, const double *context)
{
    return sqrt(k) / unit_location(k, context[1]) - context[0];
}

static double p99_excess(double k, const double *context)
{
    double shape[2] = {k};
    return unit_quantile(shape, 0.01, true) / unit_location(k, context[1]) - context[0];
}

static enum sl_status find_shape(const struct sl_dist_args *args, struct sl_dist_reader *reader,
                                 unsigned location, unsigned spread, double *k)
{
    double center = args->value[location], v = args->value[spread];
    double context[2] = {v / center, location == MEAN};
    bool found = true;
    if (spread == SHAPE)
        *k = v;
    else if (spread == CV)
        *k = 1 / (v * v);
    else if (spread == SD && location == MEAN)
        *k = 1 / (context[0] * context[0]);
    else if (spread == SD)
        found = sl_dist_solve(sd_excess, context, SOLVE_SHAPE_MIN, SHAPE_MAX, k);
    else if (context[0] < 1)
        return sl_dist_fail(reader, reader->call, "gamma: p99 is below the %s",
                            location == MEAN ? "mean" : "median");
    else
        found = sl_dist_solve(p99_excess, context, SOLVE_SHAPE_MIN, SHAPE_MAX, k);
    if (!found)
        return sl_dist_fail(reader, reader->call,
                            "gamma: no law has a ratio of %.4g between %s and %s", context[0],
                            spread == SD ? "sd" : "p99", location == MEAN ? "mean" : "median");
    if (!(*k >= SHAPE_MIN && *k <= SHAPE_MAX))
        return sl_dist_fail(reader, reader->call,
                            "gamma: shape would be %.4g, must be from %g to %g (cv from %g to %g)",
                            *k, SHAPE_MIN, SHAPE_MAX, 1 / sqrt(SHAPE_MAX), 1 / sqrt(SHAPE_MIN));
    return SL_OK;
}

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    static const unsigned locations[] = {MEAN, MEDIAN, SCALE}, spreads[] = {CV, SD, P99, SHAPE};
    unsigned location, spread;
    enum sl_status status = sl_dist_choose(dist, args, reader, "location", locations, 3, &location);
    if (status != SL_OK ||
        (status = sl_dist_choose(dist, args, reader, "spread", spreads, 4, &spread)) != SL_OK)
        return status;
    double center = args->value[location], k = 1;
    if (!(center > 0))
        return sl_dist_fail(reader, reader->call, "gamma: %s must be above 0",
                            dist->family->params[location].name);
    if (location == SCALE && spread != SHAPE)
        return sl_dist_fail(reader, reader->call, "gamma: scale goes with shape");
    if (spread != SHAPE && args->value[spread] == (spread == P99 ? center : 0)) {
        sl_dist_set_const(dist, center);
        return SL_OK;
    }
    if ((status = find_shape(args, reader, location, spread, &k)) != SL_OK)
        return status;
    dist->p[0] = location == SCALE ? center : center / unit_location(k, location == MEAN);
    dist->p[1] = k;
    struct sl_qtable_law law = {"gamma", {k}, unit_quantile, unit_pdf};
    return sl_dist_tabulate(dist, reader, &law, 0, dist->p[0]);
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    double shape[2] = {dist->p[1]};
    return dist->p[0] * unit_quantile(shape, tail, upper);
}

static double cdf(const struct sl_dist *dist, double x)
{
    return x > 0 ? unit_cdf(dist->p[1], x / dist->p[0]) : 0;
}

static double mean(const struct sl_dist *dist)
{
    return dist->p[0] * dist->p[1];
}

const struct sl_dist_family sl_dist_family_gamma = {
    .info = {"gamma", "gamma law: sums of exponential stages and what lies between",
             "mean|median, cv|sd|p99|shape; or shape, scale", "gamma(mean=100us, cv=0.5)"},
    .params = {{"mean", SL_PARAM_QUANTITY},
               {"median", SL_PARAM_QUANTITY},
               {"scale", SL_PARAM_QUANTITY},
               {"cv", SL_PARAM_NUMBER},
               {"sd", SL_PARAM_QUANTITY},
               {"p99", SL_PARAM_QUANTITY},
               {"shape", SL_PARAM_NUMBER}},
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
