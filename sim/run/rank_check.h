/* Policies ranked twice, by their projection and by a measurement, and how far the two agree.
 *
 * Each pair of policies is told apart, or not, by the 95% interval of the difference of one figure
 * of the makespan: projected trials are paired, measured repetitions are not.  A policy's rank is 1
 * and the number of those that are shown to be faster. */
#ifndef SL_RANK_CHECK_H
#define SL_RANK_CHECK_H
#include "agreement.h"
#include "contest.h"

enum { SL_STANDING_FIGURES = 3 /* median, p90, p99 */ };
extern const double sl_standing_quantiles[SL_STANDING_FIGURES];

struct sl_standing {
    struct sl_estimate figures[SL_STANDING_FIGURES]; /* us, order statistics */
    struct sl_estimate ranked;                       /* the figure that ranks */
    uint32_t rank;                                   /* from 1; equal where not told apart */
};

struct sl_rank_pair {
    uint32_t policy, reference;                                 /* contenders; policy - reference */
    struct sl_difference projected, measured;                   /* us */
    enum sl_paired_verdict projected_verdict, measured_verdict; /* beyond min_gain, or not */
};

struct sl_measured_sample {
    const double *makespans_us; /* ascending, finite */
    size_t count;
};

/* Zero-initialise; sl_rank_check_free releases. */
struct sl_rank_check {
    double q;       /* the quantile that ranks; NAN: the mean */
    uint32_t count; /* policies */
    struct sl_standing *projected, *measured;
    struct sl_rank_pair *pairs;    /* every later contender with every earlier one */
    struct sl_agreement agreement; /* first: projection, second: measurement */
};

/* `measured` has a sample for each contender, all of which have trials.  `min_gain` is the
 * objective's: a share of the reference's figure that a difference must exceed. */
enum sl_status sl_rank_check_make(struct sl_rank_check *check, const struct sl_contest *contest,
                                  const struct sl_measured_sample *measured, double q,
                                  uint64_t seed, double min_gain,
                                  struct sl_error *err) SL_NODISCARD;
void sl_rank_check_free(struct sl_rank_check *check);
#endif
