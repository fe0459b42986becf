/* One common factor behind the covariances of several classes. */
#ifndef SL_COMMON_FIT_H
#define SL_COMMON_FIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loadings r_a in [0, 1] with the least sum over pairs a < b of
 *
 *     (C_ab / sqrt(C_aa C_bb) - r_a r_b)^2
 *
 * over the classes with `takes_part`, C being `covariance`, count x count, both halves filled; NAN:
 * a pair of which nothing is known.  sds[a] gets r_a sqrt(C_aa), the standard deviation of what the
 * class has of the factor, and 0 of others.  What is left, C_aa (1 - r_a^2), is the class's alone.
 */
void sl_common_fit(const double *covariance, const bool *takes_part, uint32_t count, double *sds);
/* C_ab / sqrt(C_aa C_bb); NAN where it isn't known, or a variance is not above 0. */
double sl_correlation(const double *covariance, uint32_t count, uint32_t a, uint32_t b);
#endif
