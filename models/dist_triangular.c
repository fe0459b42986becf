/* triangular(min, mode, max): a, c, b with density rising linearly to c and falling to b.
 * Q(p) = a + sqrt(p (b-a)(c-a)) below p = (c-a)/(b-a), b - sqrt((1-p)(b-a)(b-c)) above. */
#include "dist_family.h"
#include <math.h>

enum { MIN, MODE, MAX };

static enum sl_status make(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader)
{
    enum sl_status status = sl_dist_require(dist, args, reader, 3);
    if (status != SL_OK)
        return status;
    const double *v = args->value;
    if (v[MIN] > v[MODE] || v[MODE] > v[MAX])
        return sl_dist_fail(reader, reader->call, "triangular: min <= mode <= max does not hold");
    for (int i = MIN; i <= MAX; i++)
        dist->p[i] = v[i];
    if (v[MIN] == v[MAX])
        sl_dist_set_const(dist, v[MIN]);
    return SL_OK;
}

static double quantile(const struct sl_dist *dist, double tail, bool upper)
{
    double a = dist->p[MIN], c = dist->p[MODE], b = dist->p[MAX];
    double left = upper ? 1 - tail : tail, right = upper ? tail : 1 - tail;
    bool rising = left * (b - a) < c - a;
    double root = sqrt((rising ? left * (c - a) : right * (b - c)) * (b - a));
    return rising ? a + root : b - root;
}

static double cdf(const struct sl_dist *dist, double x)
{
    double a = dist->p[MIN], c = dist->p[MODE], b = dist->p[MAX];
    if (x <= a)
        return 0;
    if (x >= b)
        return 1;
    if (x < c)
        return (x - a) * (x - a) / ((b - a) * (c - a));
    return 1 - (b - x) * (b - x) / ((b - a) * (b - c));
}

static double mean(const struct sl_dist *dist)
{
    return (dist->p[MIN] + dist->p[MODE] + dist->p[MAX]) / 3;
}

const struct sl_dist_family sl_dist_family_triangular = {
    .info = {"triangular", "from min to max, most likely at mode", "min, mode, max",
             "triangular(min=90us, mode=100us, max=180us)"},
    .params = {{"min", SL_PARAM_QUANTITY}, {"mode", SL_PARAM_QUANTITY}, {"max", SL_PARAM_QUANTITY}},
    .positional = 3,
    .make = make,
    .quantile = quantile,
    .cdf = cdf,
    .mean = mean,
};
