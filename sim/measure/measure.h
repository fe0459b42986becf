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
int64_t sl_stalls_total(const struct sl_stalls *stalls); /* busy and idle: the makespan */

struct sl_measurer; /* scratch of one worker; `graph` is what its trials ran, and outlives it */
enum sl_status sl_measurer_create(struct sl_measurer **measurer, const struct sl_graph *graph,
                                  struct sl_error *err) SL_NODISCARD;
void sl_measurer_free(struct sl_measurer *measurer);

/* Idle: no unit of the resource is in use.  Nodes that were skipped or whose hold is zero end no
 * idle interval; of several that end one at the same instant the first by index gives the cause.
 * `resource` SL_NONE and deadlocked trials give zeros.  SL_SYSTEM when the busy time found here is
 * not the engine's, or busy and idle time do not sum to the makespan. */
enum sl_status sl_measure_stalls(struct sl_measurer *measurer, const struct sl_trial *trial,
                                 uint32_t resource, struct sl_stalls *stalls,
                                 struct sl_error *err) SL_NODISCARD;

/* The same, and adds each idle time to the node behind the start that ended it (`behind_ps`, by node;
 * NULL: nowhere). */
enum sl_status sl_measure_stalls_behind(struct sl_measurer *measurer, const struct sl_trial *trial,
                                        uint32_t resource, struct sl_stalls *stalls,
                                        int64_t *behind_ps, struct sl_error *err) SL_NODISCARD;

/* Lower bounds on this trial's makespan with its own drawn durations (regimes as this run met
 * them): the longest path of precedence (durations, latencies, lags, releases, lanes; a node whose
 * guard failed takes no time; cancelled nodes and fallbacks that stayed idle bind nothing), and the
 * largest resource load (work / servers, rounded up).  Zeros for a deadlocked trial. */
struct sl_bounds {
    int64_t path_ps, load_ps;
};
void sl_measure_bounds(struct sl_measurer *measurer, const struct sl_trial *trial,
                       struct sl_bounds *bounds);

/* Fills hit[i] of every speculative movement i of the program's plan (sl_program_speculation): it ran,
 * and so did a user of what it brought; where the user is a speculative movement, that one hit. */
void sl_speculation_hits(const struct sl_speculation *speculation, const struct sl_trial *trial,
                         bool *hit);
#endif
