/* Which of several samples on common draws has the lowest figure, if that can be said at all.
 *
 * The candidate is the lowest one.  It wins when it is shown to be below every other by min_gain:
 * one-sided paired tests of figure(candidate) < (1 - min_gain) figure(other), each at `error`.  Of k
 * equal samples one wins with probability k x error at most: it would have to beat a given other
 * one, and there are k that might.  So error = 0.05 / cells keeps 95% over all cells of a sweep. */
#ifndef SL_WINNER_H
#define SL_WINNER_H
#include "paired.h"

/* What is compared, and by which test. */
enum sl_winner_figure {
    SL_FIGURE_QUANTILE, /* the q-quantile: sl_paired_upper */
    SL_FIGURE_MEAN,     /* sl_paired_mean_upper */
    /* The largest value.  No sample bounds what larger ones may come, so besides being lower by
     * min_gain itself its q-quantile must be shown to be; values that are the same in every trial
     * are compared exactly. */
    SL_FIGURE_LARGEST,
    SL_FIGURE_SHARE,    /* share of trials, without values: exact binomial limits of each */
};

struct sl_winner_rule {
    double q, min_gain, error;
    uint64_t seed; /* the trials' */
    enum sl_winner_figure figure;
};

struct sl_winner {
    uint32_t candidate, runner_up; /* lowest and next lowest figure; SL_NONE: there is none */
    bool won;
};

/* samples[i] has n finite values by trial (NULL of a share), figures[i] is its figure.  worse[i] is
 * set where sample i is shown to be above the candidate by min_gain; the others are the tie set. */
enum sl_status sl_winner_judge(struct sl_winner *winner, const double *const *samples,
                               const double *figures, uint32_t count, size_t n,
                               const struct sl_winner_rule *rule, bool *worse,
                               struct sl_error *err) SL_NODISCARD;
/* Trials below which no test can show anything (of the largest: unless it never varies). */
size_t sl_winner_needs(enum sl_winner_figure figure, double q, double error);
/* Whether the n trials of all samples allow `rule`'s test of its figure. */
bool sl_winner_testable(const double *const *samples, uint32_t count, size_t n,
                        const struct sl_winner_rule *rule);
#endif
