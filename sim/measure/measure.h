/* What one trial's record says: stalls, waits, bounds. */
#ifndef SL_MEASURE_H
#define SL_MEASURE_H
#include "engine.h"

/* Idle time of `resource` by the cause of the node that ended it; after its last node it is DRAIN.
 * Busy time and all stalls sum to the makespan. */
#define SL_STALL_DRAIN SL_CAUSES
#define SL_STALLS      (SL_CAUSES + 1)
const char *sl_stall_name(unsigned stall); /* cause name, or "drain" */
struct sl_stalls {
    int64_t busy_ps;
    int64_t idle_ps[SL_STALLS];
};

struct sl_measurer; /* scratch of one worker */
enum sl_status sl_measurer_create(struct sl_measurer **measurer, const struct sl_program *program,
                                  struct sl_error *err) SL_NODISCARD;
void sl_measurer_free(struct sl_measurer *measurer);

/* `resource` SL_NONE gives zeros. */
void sl_measure_stalls(struct sl_measurer *measurer, const struct sl_trial *trial,
                       uint32_t resource, struct sl_stalls *stalls);

/* Lower bounds on this trial's makespan with its own drawn durations: the longest path of
 * precedence (durations, latencies, lags, releases, lanes), and the largest resource load (work /
 * servers). */
struct sl_bounds {
    int64_t path_ps, load_ps;
};
void sl_measure_bounds(struct sl_measurer *measurer, const struct sl_trial *trial,
                       struct sl_bounds *bounds);
#endif
