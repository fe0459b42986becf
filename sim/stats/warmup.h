/* Where the warm-up of a series ends: MSER-5 (White 1997, Simulation 69:323-334; White, Cobb and
 * Spratt 2000). */
#ifndef SL_WARMUP_H
#define SL_WARMUP_H
#include <stdbool.h>
#include <stddef.h>

#define SL_WARMUP_LEAST 50 /* values that are judged */
#define SL_WARMUP_BATCH 5  /* values that are left out together, or not */

struct sl_warmup {
    size_t dropped; /* first observations to leave out, a multiple of 5 */
    bool settled;   /* false: the rule wants more than half of the series gone, so that it tells no
                     * steady state; dropped is then half of it */
};

/* Of k means Z of 5 observations each (a rest of less is left over) drops the first d for which
 *
 *     sum over j > d of (Z_j - mean of Z_{d+1} .. Z_k)^2 / (k - d)^2
 *
 * is least: what is estimated from the rest has the least squared standard error.  The least d of
 * several.  `values` are finite; fewer than 50 are not judged: nothing is dropped, not settled. */
struct sl_warmup sl_warmup_mser5(const double *values, size_t n);
#endif
