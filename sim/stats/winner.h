/* Which of several samples on common draws has the lowest quantile, if that can be said at all.
 *
 * The candidate is the lowest one.  It wins when it is shown to be below every other by min_gain:
 * one-sided paired tests of q(candidate) < (1 - min_gain) q(other), each at `error`.  Of k equal
 * samples one wins with probability k x error at most: it would have to beat a given other one, and
 * there are k that might.  So error = 0.05 / cells keeps 95% over all cells of a sweep. */
#ifndef SL_WINNER_H
#define SL_WINNER_H
#include "paired.h"

struct sl_winner_rule {
    double q, min_gain, error;
    uint64_t seed; /* the trials' */
};

struct sl_winner {
    uint32_t candidate, runner_up; /* lowest and next lowest quantile; SL_NONE: there is none */
    bool won;
};

/* samples[i] has n finite values by trial, quantiles[i] its q-quantile.  worse[i] is set where
 * sample i is shown to be above the candidate by min_gain; the others are the tie set. */
enum sl_status sl_winner_judge(struct sl_winner *winner, const double *const *samples,
                               const double *quantiles, uint32_t count, size_t n,
                               const struct sl_winner_rule *rule, bool *worse,
                               struct sl_error *err) SL_NODISCARD;
#endif
