/* Robustness of an answer: how far each calibrated figure may drift before another policy is best.
 *
 * Figures are the durations of a class, the time that a route takes, and the rows of kappa, each
 * scaled alone by a factor (change.h), on common draws, of all policies that compete.  From 1
 * outwards the leader is looked for at four factors, evenly spaced in their logarithm, up to `within`
 * and down to its inverse; where it is another one than at 1, the stretch is halved SL_DRIFT_HALVINGS
 * times, and the flip is where the paired difference of the two is zero, taken as linear in the
 * logarithm on what is left.  A leader that changes and changes back between two looks is missed. */
#ifndef SL_ROBUSTNESS_H
#define SL_ROBUSTNESS_H
#include "cell.h"
#include "sensitivity.h"

#define SL_DRIFT_HALVINGS 5

enum sl_drift_state {
    SL_DRIFT_FLIPS,
    SL_DRIFT_NONE,  /* the leader is the same at every factor looked at */
    SL_DRIFT_IDLE,  /* no trial of any policy changes */
    SL_DRIFT_LIMIT, /* kappa is 1 already: it cannot be lower */
    SL_DRIFT_STATES
};
const char *sl_drift_state_name(enum sl_drift_state state);

/* One figure in one direction. */
struct sl_drift {
    enum sl_lever_kind kind; /* class, route or kappa */
    uint32_t index;
    const char *name;
    double value;            /* 1, or the row's kappa: what the factors are of */
    bool up;
    enum sl_drift_state state;
    double flip, lo, hi;     /* factors; the band is where the difference's 95% interval holds zero */
    bool lo_open, hi_open;   /* `lo` is the nearer to 1; open: beyond what was looked at */
    uint32_t to;             /* index of the policy that leads then */
    uint32_t looks;          /* factors at which all policies ran */
};

struct sl_robustness {
    struct sl_arena arena;
    const struct sl_scenario *scenario; /* borrowed while it runs */
    const char *const *policies;        /* borrowed */
    uint32_t policy_count;
    double within;  /* largest factor, above 1 */
    bool replanned; /* policies plan with the drifted figure; else plans are kept */
    double q;       /* of the figure; NAN: the mean */
    uint32_t trials;
    double *figures_us;   /* by policy, at 1; INFINITY: no plan, or it deadlocks */
    uint32_t leader, runner_up;
    struct sl_estimate margin; /* runner-up - leader, us */
    struct sl_drift *drifts;
    uint32_t drift_count, drift_capacity;
};

/* Fills all of it from what is set above `figures_us`; the arena and the rest are zero.  Progress
 * counts the simulated plans of one look as cells.  SL_USAGE: the trials are too few, or fewer than
 * two policies have a figure.  sl_robustness_free releases always. */
enum sl_status sl_robustness_run(struct sl_robustness *robustness,
                                 const struct sl_run_options *options,
                                 struct sl_error *err) SL_NODISCARD;
void sl_robustness_free(struct sl_robustness *robustness);
#endif
