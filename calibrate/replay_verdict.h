/* What a replay says about the projection of the same plan. */
#ifndef SL_REPLAY_VERDICT_H
#define SL_REPLAY_VERDICT_H
#include "cell.h"
#include "replay_drift.h"
#include "replay_tally.h"

/* How a projected makespan compares with a measured one. */
struct sl_replay_match {
    struct sl_estimate projected;
    double error; /* projected / measured - 1 */
    bool agree;   /* the intervals overlap; false where one is not known, too */
};
/* Makespans in us, each with its order-statistic interval; NAN where there are too few. */
struct sl_replay_quantile {
    const char *name;
    struct sl_estimate measured;
    struct sl_replay_match calibrated; /* by the tables */
    struct sl_replay_match seen; /* at the speeds seen beside (replay_seen.h); NAN: not projected */
    double drift; /* calibrated / seen - 1: (1 + drift) (1 + seen.error) = 1 + calibrated.error */
};
enum { SL_REPLAY_QUANTILES = 3 /* median, p90, p99 */ };
extern const double sl_replay_quantile_of[SL_REPLAY_QUANTILES];

/* What was seen of works alone between the repetitions, and the projection at those speeds. */
struct sl_replay_beside {
    const struct sl_replay_speed *speeds;
    uint32_t speed_count;
    const char *regime;                           /* whose speeds hold for the projection */
    struct sl_estimate seen[SL_REPLAY_QUANTILES]; /* replay_seen.h */
};

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
    struct sl_slowdown seen;
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
    const struct sl_replay_beside *beside;  /* NULL: the backend takes no shots of works alone */
    struct sl_replay_deviation *deviations; /* of works, the largest share first */
    struct sl_replay_overlap *overlaps;
    struct sl_replay_slowdown *slowdowns;
    struct sl_replay_order *orders; /* of resources that work */
    uint32_t deviation_count, overlap_count, slowdown_count, order_count;
};

/* The place of each node among the starts of its resource in the median trial, for
 * sl_replay_tally_create; malloc'ed, NULL: out of memory. */
uint32_t *sl_replay_planned_order(const struct sl_replay_plan *plan, const struct sl_cell *cell);
/* Sorts the tally's makespans.  The tally holds a repetition at least; `beside`, which may be NULL,
 * outlives the verdict; sl_replay_verdict_free releases in every case. */
enum sl_status sl_replay_verdict_make(struct sl_replay_verdict *verdict,
                                      struct sl_replay_tally *tally,
                                      const struct sl_replay_plan *plan, const struct sl_cell *cell,
                                      const struct sl_replay_beside *beside,
                                      struct sl_error *err) SL_NODISCARD;
void sl_replay_verdict_free(struct sl_replay_verdict *verdict);
#endif
