/* Checks of a call's arguments, and root finding for spreads given by cv, sd or p99. */
#include "dist_family.h"
#include <gsl/gsl_roots.h>
#include <math.h>

/* "mean, median or p99" */
static void list_options(char *buffer, size_t size, const struct sl_dist_param *params,
                         const unsigned *options, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++) {
        const char *separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        int n = snprintf(buffer + used, size - used, "%s%s", separator, params[options[i]].name);
        used += n > 0 ? (size_t)n : 0;
    }
}

enum sl_status sl_dist_choose(const struct sl_dist *dist, const struct sl_dist_args *args,
                              struct sl_dist_reader *reader, const char *what,
                              const unsigned *options, size_t count, unsigned *chosen)
{
    const struct sl_dist_param *params = dist->family->params;
    const char *name = dist->family->info.name;
    unsigned first = SL_DIST_MAX_PARAMS;
    for (size_t i = 0; i < count; i++) {
        if (!args->given[options[i]])
            continue;
        if (first < SL_DIST_MAX_PARAMS)
            return sl_dist_fail(reader, reader->call, "%s takes one %s, found both %s and %s", name,
                                what, params[first].name, params[options[i]].name);
        first = options[i];
    }
    if (first == SL_DIST_MAX_PARAMS) {
        char list[128];
        list_options(list, sizeof list, params, options, count);
        return sl_dist_fail(reader, reader->call, "%s needs a %s: %s", name, what, list);
    }
    *chosen = first;
    return SL_OK;
}

enum sl_status sl_dist_require(const struct sl_dist *dist, const struct sl_dist_args *args,
                               struct sl_dist_reader *reader, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!args->given[i])
            return sl_dist_fail(reader, reader->call, "%s needs '%s' (parameters: %s)",
                                dist->family->info.name, dist->family->params[i].name,
                                dist->family->info.parameters);
    return SL_OK;
}

enum sl_status sl_dist_range(const struct sl_dist *dist, const struct sl_dist_args *args,
                             struct sl_dist_reader *reader, unsigned param, double low, double high)
{
    if (!args->given[param] || (args->value[param] >= low && args->value[param] <= high))
        return SL_OK;
    return sl_dist_fail(reader, reader->call, "%s: %s must be from %g to %g, found %g",
                        dist->family->info.name, dist->family->params[param].name, low, high,
                        args->value[param]);
}

struct log_function {
    double (*f)(double x, const double *context);
    const double *context;
};

static double at_log(double log_x, void *params)
{
    const struct log_function *function = params;
    return function->f(exp(log_x), function->context);
}

bool sl_dist_solve(double (*f)(double x, const double *context), const double *context, double low,
                   double high, double *root)
{
    struct log_function function = {f, context};
    double f_low = f(low, context), f_high = f(high, context);
    if (f_low == 0 || f_high == 0) {
        *root = f_low == 0 ? low : high;
        return true;
    }
    if (!isfinite(f_low) || !isfinite(f_high) || (f_low < 0) == (f_high < 0))
        return false;
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!solver)
        return false;
    gsl_function gf = {at_log, &function};
    bool done = gsl_root_fsolver_set(solver, &gf, log(low), log(high)) == 0;
    for (int i = 0; done && i < 200; i++) {
        done = gsl_root_fsolver_iterate(solver) == 0;
        double a = gsl_root_fsolver_x_lower(solver), b = gsl_root_fsolver_x_upper(solver);
        if (fabs(b - a) < 1e-14)
            break;
    }
    *root = exp(gsl_root_fsolver_root(solver));
    gsl_root_fsolver_free(solver);
    return done && isfinite(*root);
}
