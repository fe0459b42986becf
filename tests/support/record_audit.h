/* An audit of what one trial did, from its record and the plan alone: it shares no code with the
 * engine and knows only what must hold of any schedule, however it came about. */
#ifndef SL_TEST_RECORD_AUDIT_H
#define SL_TEST_RECORD_AUDIT_H
#include "engine.h"

struct audit {
    const struct sl_graph *graph;
    const struct sl_trial *trial; /* with SL_RECORD_LEVELS */
    uint32_t iterations;          /* of the plan, one behind the other */
    char fault[400];              /* the first one; "" while there is none */
};

/* Order, units, forbidden pairs, guards and fallbacks. */
void audit_order(struct audit *audit);
/* Copies of objects (there and valid while they are used) and levels of every domain. */
void audit_copies(struct audit *audit);
/* Windows of sim/graph/windows.h at the trial's own durations. */
void audit_windows(struct audit *audit);

/* Busy and idle time of every resource, interval by interval, against sl_measure_stalls. */
void audit_stalls(struct audit *audit);
/* The realized chain: no gap, and links where their nodes ran. */
void audit_chain(struct audit *audit, const struct sl_program *program);

void audit_fault(struct audit *audit, const char *format, ...) SL_PRINTF(2, 3);
static inline bool audit_ran(const struct audit *audit, uint32_t node)
{
    return audit->trial->state[node] == SL_RAN;
}
static inline uint32_t audit_iteration(const struct audit *audit, uint32_t node)
{
    return node / (audit->graph->node_count / audit->iterations);
}
#endif
