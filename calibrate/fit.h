/* Laws fitted to a sample by maximum likelihood, the best by Akaike's criterion, and how well it
 * fits.
 *
 * AIC = 2 k - 2 ln L, k the number of parameters; the least is chosen.  Two distances say how far
 * it is from the sample, with F the fitted cdf at the i-th of n sorted values:
 *
 *     KS = max_i max(i/n - F_i, F_i - (i-1)/n)
 *     AD = -n - sum_i (2i-1)/n (ln F_i + ln(1 - F_{n+1-i}))
 *
 * Parameters that were fitted to the same sample make both smaller than the tables for a known law
 * say.  AD (1 + 0.75/n + 2.25/n^2) exceeds 1.035 with probability 1% where a normal or lognormal
 * law is true (Stephens 1974, case 3); gamma and weibull have points within 0.03 of it.  Above, the
 * law is not taken and the sample's own quantiles are. */
#ifndef SL_FIT_H
#define SL_FIT_H
#include "dist.h"

enum sl_fit_family {
    SL_FIT_CONST, /* all values are one */
    SL_FIT_NORMAL,
    SL_FIT_LOGNORMAL,
    SL_FIT_GAMMA,
    SL_FIT_WEIBULL,
    SL_FIT_SHIFTED_LOGNORMAL,
    SL_FIT_SHIFTED_GAMMA,
    SL_FIT_SHIFTED_WEIBULL,
    SL_FIT_FAMILIES
};
const char *sl_fit_family_name(enum sl_fit_family family);

#define SL_FIT_AD_LIMIT 1.035
#define SL_FIT_LEAST    20 /* values; below, no law is fitted */

struct sl_fit {
    enum sl_fit_family family;
    bool fitted; /* false: the sample allows none (a spread of 0, values of 0, no maximum) */
    /* lognormal: ln median, sigma; gamma and weibull: shape, scale; normal: mean, sd; const: value.
     */
    double p[2];
    double shift; /* 0 of families without */
    double log_likelihood, aic;
    double ad, ad_adjusted, ks;
    double p99;
    const struct sl_dist *law; /* as a simulator reads its expression; in the arena */
};

struct sl_fits {
    struct sl_fit all[SL_FIT_FAMILIES];
    uint32_t chosen; /* family of the least AIC; SL_NONE: none could be fitted */
    bool good;       /* and it passes the limit on AD */
};

/* `sorted` ascends, none below 0.  Equal samples give equal laws, to the last bit.  Below
 * SL_FIT_LEAST values none is fitted.  SL_SYSTEM: out of memory. */
enum sl_status sl_fit_all(struct sl_fits *fits, const double *sorted, size_t n,
                          struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* The expression that simulators read; `unit` stands behind each quantity: "ns", or "" of factors.
 */
char *sl_fit_text(const struct sl_fit *fit, const char *unit, struct sl_arena *arena);
#endif
