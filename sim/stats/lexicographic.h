/* Several figures in order: the first ranks, and what it leaves tied goes on to the next.
 *
 * At each level the lowest of those that are left is the candidate, and those that are shown to be
 * above it by min_gain drop out (winner.h).  The first level that leaves one alone has chosen the
 * winner; what the last level leaves is the tie set.  A level that the trials are too few to test
 * ends the order without a winner: not told apart there is no tie, so later levels may not decide.
 *
 * A given sample is dropped wrongly, by one that is not lower than it by min_gain, with probability
 * levels x (count - 1) x error at most: at each level one of count - 1 others must be shown to be
 * lower.  So error = 0.05 / (levels x cells) keeps, for all groups of a sweep together, the truly
 * best cell of each with 95% wherever it is not rightly beaten; and where all cells of a group are
 * alike, a winner is named with the group's part of the 5% at most: each of k is the one with the
 * same probability p, any other than a given one with (k - 1) p, which that bound limits. */
#ifndef SL_LEXICOGRAPHIC_H
#define SL_LEXICOGRAPHIC_H
#include "winner.h"

struct sl_level {
    enum sl_winner_figure figure;
    double q;                     /* of a quantile or the largest */
    const double *const *samples; /* as for sl_winner_judge; NULL of a share */
    const double *figures;        /* a NAN among those left: the level tells none apart */
};

struct sl_lexicographic {
    /* The winner, or of the tie set the lowest on the first level; and the next lowest on the level
     * that decided, or on the first.  SL_NONE: there is none. */
    uint32_t candidate, runner_up;
    uint32_t level; /* that left one alone; SL_NONE: none did */
    uint32_t untested; /* that the trials do not allow to test; SL_NONE: all that were looked at */
    uint32_t among;    /* samples that came to the level that decided, or was not tested */
    bool won;
};

/* `rule` gives min_gain, error and seed.  dropped_at[i] is the level that dropped sample i, SL_NONE
 * if none did.  One sample alone wins at level 0. */
enum sl_status sl_lexicographic_judge(struct sl_lexicographic *result,
                                      const struct sl_level *levels, uint32_t level_count,
                                      uint32_t count, size_t n, const struct sl_winner_rule *rule,
                                      uint32_t *dropped_at, struct sl_error *err) SL_NODISCARD;
#endif
