/* Maximum likelihood, with y_i = x_i - shift:
 *
 *     lognormal   ln median = mean(ln y), sigma = sd_n(ln y)
 *     normal      mean and sd_n; only where 4 sd fit above 0, as the simulator's law is cut off
 * there gamma       ln k - psi(k) = ln mean(y) - mean(ln y), scale = mean(y) / k weibull     sum
 * y^k ln y / sum y^k - 1/k = mean(ln y), scale^k = mean(y^k)
 *
 * With a shift that is fitted too, the likelihood of these has no highest value: it grows without
 * bound as the shift comes up to the least value.  What is taken is its highest local maximum over
 * the gap between the two (Cohen 1951 for the lognormal); a sample without one has no such fit. */
#include <config.h>

#include "fit_laws.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>

enum { GAPS = 24, STEPS = 60 };
#define LARGE_SHAPE 1e3 /* where ln k - psi(k) is its series, else digits cancel */

/* y and what all families want of it. */
struct moments {
    const double *logs; /* ln y_i */
    size_t n;
    double mean, mean_log, sd_log;
    double log_gap; /* ln mean(y) - mean(ln y), above 0 */
};

/* False where a value is not above the shift, or all are one. */
static bool find_moments(struct moments *m, const double *x, size_t n, double shift, double *logs)
{
    double sum = 0, sum_log = 0, squares = 0, gap = 0;
    if (!(x[0] - shift > 0))
        return false;
    for (size_t i = 0; i < n; i++) {
        logs[i] = log(x[i] - shift);
        sum += x[i] - shift;
        sum_log += logs[i];
    }
    *m = (struct moments){.logs = logs, .n = n, .mean = sum / (double)n};
    m->mean_log = sum_log / (double)n;
    for (size_t i = 0; i < n; i++) {
        squares += (logs[i] - m->mean_log) * (logs[i] - m->mean_log);
        gap -= log1p((x[i] - shift - m->mean) / m->mean);
    }
    m->sd_log = sqrt(squares / (double)n);
    m->log_gap = gap / (double)n;
    return m->sd_log > 0 && m->log_gap > 0;
}

static bool maximise_lognormal(const struct moments *m, double p[2], double *likelihood)
{
    p[0] = m->mean_log;
    p[1] = m->sd_log;
    *likelihood = -(double)m->n * (log(p[1]) + 0.5 * log(2 * M_PI) + 0.5 + m->mean_log);
    return true;
}

/* ln k - psi(k) falls from infinity to 0. */
static double log_less_psi(double k)
{
    if (k > LARGE_SHAPE)
        return 1 / (2 * k) + 1 / (12 * k * k);
    return log(k) - gsl_sf_psi(k);
}

static double slope_of_it(double k)
{
    return k > LARGE_SHAPE ? -1 / (2 * k * k) - 1 / (6 * k * k * k) : 1 / k - gsl_sf_psi_1(k);
}

static bool maximise_gamma(const struct moments *m, double p[2], double *likelihood)
{
    double s = m->log_gap, n = (double)m->n;
    double k = (3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s); /* within 1.5% of it */
    if (!(k > 1e-3 && k < 1e8))
        return false;
    for (int i = 0; i < STEPS; i++) {
        double step = (log_less_psi(k) - s) / slope_of_it(k);
        k = step < k ? k - step : k / 2;
        if (fabs(step) <= 1e-13 * k)
            break;
    }
    p[0] = k;
    p[1] = m->mean / k;
    *likelihood = n * ((k - 1) * m->mean_log - k * log(p[1]) - lgamma(k) - k);
    return true;
}

/* With w_i = (y_i / max y)^k: the equation's left side less its right, rising in k. */
static double weibull_excess(const struct moments *m, double k, double *slope)
{
    double top = m->logs[m->n - 1], sum = 0, first = 0, second = 0;
    for (size_t i = 0; i < m->n; i++) {
        double below = m->logs[i] - top, w = exp(k * below);
        sum += w;
        first += w * below;
        second += w * below * below;
    }
    *slope = second / sum - first / sum * (first / sum) + 1 / (k * k);
    return first / sum + top - 1 / k - m->mean_log;
}

static bool maximise_weibull(const struct moments *m, double p[2], double *likelihood)
{
    double n = (double)m->n, k = 1.28 / m->sd_log; /* ln y has sd 1.28 / k */
    double low = 0, high = INFINITY;
    for (int i = 0; i < STEPS; i++) { /* the last step squares what is left of the error */
        double slope, excess = weibull_excess(m, k, &slope);
        if (excess > 0)
            high = k;
        else
            low = k;
        double next = k - excess / slope;
        if (!(next > low && next < high))
            next = isinf(high) ? 2 * k : (low + high) / 2;
        bool done = fabs(next - k) <= 1e-8 * k;
        k = next;
        if (done)
            break;
    }
    if (!isfinite(k))
        return false;
    double top = m->logs[m->n - 1], sum = 0;
    for (size_t i = 0; i < m->n; i++)
        sum += exp(k * (m->logs[i] - top));
    double log_scale = top + log(sum / n) / k;
    p[0] = k;
    p[1] = exp(log_scale);
    *likelihood = n * (log(k) - k * log_scale + (k - 1) * m->mean_log - 1);
    return true;
}

static bool maximise_normal(const double *x, size_t n, double p[2], double *likelihood)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    p[0] = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - p[0]) * (x[i] - p[0]);
    p[1] = sqrt(squares / (double)n);
    *likelihood = -(double)n * (log(p[1]) + 0.5 * log(2 * M_PI) + 0.5);
    return p[1] > 0 && p[0] > 4 * p[1];
}

/* The family without its shift. */
static enum sl_fit_family base_of(enum sl_fit_family family)
{
    switch (family) {
    case SL_FIT_SHIFTED_LOGNORMAL:
        return SL_FIT_LOGNORMAL;
    case SL_FIT_SHIFTED_GAMMA:
        return SL_FIT_GAMMA;
    case SL_FIT_SHIFTED_WEIBULL:
        return SL_FIT_WEIBULL;
    default:
        return family;
    }
}

struct profile {
    enum sl_fit_family base;
    const double *x;
    size_t n;
    double *scratch;
};

static bool maximise_at(const struct profile *profile, double shift, double p[2],
                        double *likelihood)
{
    struct moments m;
    if (!find_moments(&m, profile->x, profile->n, shift, profile->scratch))
        return false;
    switch (profile->base) {
    case SL_FIT_LOGNORMAL:
        return maximise_lognormal(&m, p, likelihood);
    case SL_FIT_GAMMA:
        return maximise_gamma(&m, p, likelihood);
    default:
        return maximise_weibull(&m, p, likelihood);
    }
}

/* The profile of the shift, for a minimiser: minus the likelihood at the logarithm of the gap. */
static double loss_at(double log_gap, void *context)
{
    const struct profile *profile = context;
    double p[2], likelihood;
    if (!maximise_at(profile, profile->x[0] - exp(log_gap), p, &likelihood))
        return HUGE_VAL;
    return -likelihood;
}

/* Brent's method from a bracket whose middle is lowest. */
static double refine(struct profile *profile, const double at[3], const double loss[3])
{
    gsl_function function = {loss_at, profile};
    gsl_min_fminimizer *minimizer = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    double best = at[1];
    if (!minimizer)
        return best;
    if (gsl_min_fminimizer_set_with_values(minimizer, &function, at[1], loss[1], at[0], loss[0],
                                           at[2], loss[2]) == GSL_SUCCESS) {
        for (int i = 0; i < STEPS; i++)
            if (gsl_min_fminimizer_iterate(minimizer) != GSL_SUCCESS ||
                gsl_min_fminimizer_x_upper(minimizer) - gsl_min_fminimizer_x_lower(minimizer) <
                    1e-6)
                break;
        best = gsl_min_fminimizer_x_minimum(minimizer);
    }
    gsl_min_fminimizer_free(minimizer);
    return best;
}

/* Gaps from a fraction of the mean spacing up to a shift of 0, whose ends are no maximum. */
static bool find_shift(struct profile *profile, double *shift)
{
    const double *x = profile->x;
    double least = log((x[profile->n - 1] - x[0]) / (10 * (double)profile->n)), most = log(x[0]);
    double at[GAPS], loss[GAPS], lowest = HUGE_VAL;
    int found = 0;
    if (!(least < most))
        return false;
    for (int i = 0; i < GAPS; i++) {
        at[i] = least + (most - least) * i / (GAPS - 1);
        loss[i] = loss_at(at[i], profile);
    }
    for (int i = 1; i + 1 < GAPS; i++)
        if (loss[i] < loss[i - 1] && loss[i] < loss[i + 1] && loss[i] < lowest) {
            found = i;
            lowest = loss[i];
        }
    if (!found)
        return false;
    *shift = x[0] - exp(refine(profile, at + found - 1, loss + found - 1));
    return *shift > 0;
}

bool sl_fit_maximise(struct sl_fit *fit, const double *sorted, size_t n, double *scratch)
{
    if (sorted[0] == sorted[n - 1]) {
        fit->p[0] = sorted[0];
        fit->log_likelihood = INFINITY;
        return fit->family == SL_FIT_CONST;
    }
    if (fit->family == SL_FIT_CONST)
        return false;
    if (fit->family == SL_FIT_NORMAL)
        return maximise_normal(sorted, n, fit->p, &fit->log_likelihood);
    struct profile profile = {base_of(fit->family), sorted, n, scratch};
    if (profile.base != fit->family && (!(sorted[0] > 0) || !find_shift(&profile, &fit->shift)))
        return false;
    if (!maximise_at(&profile, fit->shift, fit->p, &fit->log_likelihood))
        return false;
    if (profile.base == SL_FIT_LOGNORMAL)
        fit->p[0] = exp(fit->p[0]);
    return isfinite(fit->log_likelihood);
}

uint32_t sl_fit_parameters(enum sl_fit_family family)
{
    if (family == SL_FIT_CONST)
        return 1;
    return base_of(family) == family ? 2 : 3;
}
