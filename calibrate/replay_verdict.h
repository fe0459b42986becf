/* What a replay says about the projection of the same plan. */
#ifndef SL_REPLAY_VERDICT_H
#define SL_REPLAY_VERDICT_H
#include "cell.h"
#include "replay_tally.h"

/* Makespans in us, each with its order-statistic interval; NAN where there are too few. */
struct sl_replay_quantile {
    const char *name;
    struct sl_estimate measured, projected;
    double error; /* projected / measured - 1 */
    bool agree;   /* the intervals overlap; false where one is not known, too */
};
enum { SL_REPLAY_QUANTILES = 3 /* median, p90, p99 */ };

/* How long a node holds its server, on average. */
struct sl_replay_deviation {
    uint32_t node;
    double projected_us, measured_us;
    double share; /* (measured - projected) / measured median makespan */
};
struct sl_replay_overlap {
    uint32_t a, b; /* classes of the scenario */
    double projected_us, measured_us;
};
struct sl_replay_slowdown {
    struct sl_replay_kappa seen;
    const char *others; /* "memcpy+stream"; "" beside nobody */
    double used;        /* the simulator's */
};
struct sl_replay_order {
    uint32_t resource, nodes;
    double in_order, misplaced; /* sl_replay_tally_in_order, _misplaced */
};

struct sl_replay_verdict {
    struct sl_arena arena;
    struct sl_replay_quantile quantiles[SL_REPLAY_QUANTILES];
    struct sl_replay_deviation *deviations; /* of works, the largest share first */
    struct sl_replay_overlap *overlaps;
    struct sl_replay_slowdown *slowdowns;
    struct sl_replay_order *orders; /* of resources that work */
    uint32_t deviation_count, overlap_count, slowdown_count, order_count;
};

/* The place of each node among the starts of its resource in the median trial, for
 * sl_replay_tally_create; malloc'ed, NULL: out of memory. */
uint32_t *sl_replay_planned_order(const struct sl_replay_plan *plan, const struct sl_cell *cell);
/* Sorts the tally's makespans.  The tally holds a repetition at least; sl_replay_verdict_free
 * releases in every case. */
enum sl_status sl_replay_verdict_make(struct sl_replay_verdict *verdict,
                                      struct sl_replay_tally *tally,
                                      const struct sl_replay_plan *plan, const struct sl_cell *cell,
                                      struct sl_error *err) SL_NODISCARD;
void sl_replay_verdict_free(struct sl_replay_verdict *verdict);
#endif
