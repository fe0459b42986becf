/* What coverage a distribution-free interval has, from binomial probabilities alone, and whether
 * repetitions agree with it.  Apart from the library on purpose: nothing of it is used here.
 *
 * Every test of a covered share returns the probability of its own false alarm, so that a suite can
 * sum them and state the rate that it has. */
#ifndef SL_TEST_COVERAGE_H
#define SL_TEST_COVERAGE_H
#include "harness.h"
#include <math.h>

#define COVERAGE_ERRORS 3.5 /* standard errors that a share may be off */

/* P(low <= B <= high) of B ~ binomial(n, p). */
static inline double coverage_binomial(size_t low, size_t high, size_t n, double p)
{
    double sum = 0, size = (double)n;
    for (size_t k = low; k <= high && k <= n; k++) {
        double hits = (double)k;
        sum += exp(lgamma(size + 1) - lgamma(hits + 1) - lgamma(size - hits + 1) + hits * log(p) +
                   (size - hits) * log1p(-p));
    }
    return sum;
}

/* Of n values B ~ binomial(n, q) are below the q-quantile, and [x_(l), x_(u)] covers it when
 * l <= B < u.  l is the largest rank with P(B < l) <= 2.5%, u the least with P(B >= u) <= 2.5%: the
 * shortest interval whose tails both keep their half of 5%. */
static inline double coverage_exact(size_t n, double q)
{
    double below = 0, above = 0;
    size_t l = 0, u = n + 1;
    for (; below + coverage_binomial(l, l, n, q) <= 0.025; l++)
        below += coverage_binomial(l, l, n, q);
    for (; above + coverage_binomial(u - 1, u - 1, n, q) <= 0.025; u--)
        above += coverage_binomial(u - 1, u - 1, n, q);
    ck_assert(l >= 1 && u <= n);
    return 1 - below - above;
}

static inline double coverage_slack(double share, size_t repetitions)
{
    return COVERAGE_ERRORS * sqrt(share * (1 - share) / (double)repetitions);
}

static inline void coverage_print(const char *what, size_t covered, size_t repetitions,
                                  const char *relation, double share)
{
    printf("# %s: %.2f%% of %zu, %s %.2f%%\n", what, 100 * (double)covered / (double)repetitions,
           repetitions, relation, 100 * share);
    fflush(stdout);
}

/* The covered share is the exact one within 3.5 standard errors either way.  Returns the binomial
 * probability that it would not be. */
static inline double coverage_is(const char *what, size_t covered, size_t repetitions, double exact)
{
    double size = (double)repetitions, slack = coverage_slack(exact, repetitions);
    coverage_print(what, covered, repetitions, "exactly", exact);
    ck_assert_msg(fabs((double)covered / size - exact) <= slack,
                  "%s: a share of %g of %zu, not %g +- %g", what, (double)covered / size,
                  repetitions, exact, slack);
    size_t low = (size_t)ceil(size * fmax(0, exact - slack)),
           high = (size_t)floor(size * fmin(1, exact + slack));
    return fmax(0, 1 - coverage_binomial(low, high, repetitions, exact));
}

/* The covered share is at least `least` less 3.5 standard errors.  Returns the binomial probability
 * that it would not be if the coverage were just that. */
static inline double coverage_keeps(const char *what, size_t covered, size_t repetitions,
                                    double least)
{
    double size = (double)repetitions, slack = coverage_slack(least, repetitions);
    coverage_print(what, covered, repetitions, "at least", least);
    ck_assert_msg((double)covered / size >= least - slack,
                  "%s: a share of %g of %zu, below %g - %g", what, (double)covered / size,
                  repetitions, least, slack);
    size_t low = (size_t)ceil(size * (least - slack));
    return low == 0 ? 0 : coverage_binomial(0, low - 1, repetitions, least);
}
#endif
