/* Fits: the expressions, the distances, the choice. */
#include <config.h>

#include "fit.h"
#include "fit_laws.h"
#include "quantile.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const names[SL_FIT_FAMILIES] = {
    [SL_FIT_CONST] = "const",
    [SL_FIT_NORMAL] = "normal",
    [SL_FIT_LOGNORMAL] = "lognormal",
    [SL_FIT_GAMMA] = "gamma",
    [SL_FIT_WEIBULL] = "weibull",
    [SL_FIT_SHIFTED_LOGNORMAL] = "shift+lognormal",
    [SL_FIT_SHIFTED_GAMMA] = "shift+gamma",
    [SL_FIT_SHIFTED_WEIBULL] = "shift+weibull",
};

const char *sl_fit_family_name(enum sl_fit_family family)
{
    return names[family];
}

char *sl_fit_text(const struct sl_fit *fit, const char *unit, struct sl_arena *arena)
{
    const double *p = fit->p;
    char law[160], shift[48] = "";
    switch (fit->family) {
    case SL_FIT_CONST:
        return sl_arena_printf(arena, "%.8g%s", p[0], unit);
    case SL_FIT_NORMAL:
        snprintf(law, sizeof law, "normal(mean=%.8g%s, sd=%.8g%s)", p[0], unit, p[1], unit);
        break;
    case SL_FIT_LOGNORMAL:
    case SL_FIT_SHIFTED_LOGNORMAL:
        snprintf(law, sizeof law, "lognormal(median=%.8g%s, sigma=%.8g)", p[0], unit, p[1]);
        break;
    case SL_FIT_GAMMA:
    case SL_FIT_SHIFTED_GAMMA:
        snprintf(law, sizeof law, "gamma(mean=%.8g%s, shape=%.8g)", p[0] * p[1], unit, p[0]);
        break;
    default:
        snprintf(law, sizeof law, "weibull(scale=%.8g%s, shape=%.8g)", p[1], unit, p[0]);
        break;
    }
    if (sl_fit_parameters(fit->family) == 3)
        snprintf(shift, sizeof shift, "%.8g%s + ", fit->shift, unit);
    return sl_arena_printf(arena, "%s%s", shift, law);
}

/* A logarithm of a probability that rounding may have made 0. */
static double log_of(double p)
{
    return log(fmax(p, 1e-300));
}

/* The upper tail by the same cdf, which keeps 1e-16 of it. */
static void measure_distances(struct sl_fit *fit, const double *sorted, size_t n, double *cdf)
{
    double size = (double)n, sum = 0;
    for (size_t i = 0; i < n; i++) {
        cdf[i] = sl_dist_cdf(fit->law, sorted[i]);
        double above = ((double)i + 1) / size - cdf[i], below = cdf[i] - (double)i / size;
        fit->ks = fmax(fit->ks, fmax(above, below));
    }
    for (size_t i = 0; i < n; i++)
        sum += (2 * (double)i + 1) * (log_of(cdf[i]) + log_of(1 - cdf[n - 1 - i]));
    fit->ad = -size - sum / size;
    fit->ad_adjusted = fit->ad * (1 + 0.75 / size + 2.25 / (size * size));
}

/* Makes the law that a simulator would read of the expression; false where it refuses it. */
static enum sl_status make_law(struct sl_fit *fit, struct sl_arena *arena, struct sl_error *err)
{
    struct sl_error refusal = {0};
    const char *text = sl_fit_text(fit, "", arena);
    if (!text)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status =
        sl_dist_parse(&fit->law, text, SL_DIST_NUMBER, NULL, (struct sl_place){0}, arena, &refusal);
    if (status == SL_SYSTEM)
        return SL_FAIL(err, SL_SYSTEM, "%s", refusal.message);
    fit->fitted = status == SL_OK;
    return SL_OK;
}

static enum sl_status fit_one(struct sl_fit *fit, const double *sorted, size_t n, double *scratch,
                              struct sl_arena *arena, struct sl_error *err)
{
    if (!sl_fit_maximise(fit, sorted, n, scratch))
        return SL_OK;
    enum sl_status status = make_law(fit, arena, err);
    if (status != SL_OK || !fit->fitted)
        return status;
    fit->aic = 2.0 * sl_fit_parameters(fit->family) - 2 * fit->log_likelihood;
    fit->p99 = sl_dist_quantile(fit->law, 0.99);
    if (fit->family != SL_FIT_CONST)
        measure_distances(fit, sorted, n, scratch);
    return SL_OK;
}

enum sl_status sl_fit_all(struct sl_fits *fits, const double *sorted, size_t n,
                          struct sl_arena *arena, struct sl_error *err)
{
    *fits = (struct sl_fits){.chosen = SL_NONE};
    double *scratch = calloc(n + 1, sizeof *scratch);
    enum sl_status status = scratch ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    gsl_set_error_handler_off(); /* as for all laws: a likelihood that underflows is no fit */
    for (uint32_t f = 0; status == SL_OK && f < SL_FIT_FAMILIES && n >= SL_FIT_LEAST; f++) {
        struct sl_fit *fit = &fits->all[f];
        fit->family = (enum sl_fit_family)f;
        status = fit_one(fit, sorted, n, scratch, arena, err);
        if (fit->fitted && (fits->chosen == SL_NONE || fit->aic < fits->all[fits->chosen].aic))
            fits->chosen = f;
    }
    free(scratch);
    fits->good = fits->chosen != SL_NONE && fits->all[fits->chosen].ad_adjusted <= SL_FIT_AD_LIMIT;
    return status;
}
