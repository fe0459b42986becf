/* Waits beyond the declared bound, and the longest wait of a cell: where, and who overtook it. */
#ifndef SL_JOB_STARVATION_H
#define SL_JOB_STARVATION_H
#include "job_sample.h"

struct sl_job_starvation {
    uint32_t trial; /* with the longest wait; SL_NONE: nobody waited */
    uint32_t node;  /* of the plan, that waited so long */
    uint64_t job;
    int64_t wait_ps;
    const uint64_t *overtakers; /* per node, its runs that were ready later and started before it;
                                 * NULL: no wait passed the bound, so that nobody looked */
};

/* The longest wait, the first of several equal ones. */
void sl_job_starvation_find(struct sl_job_starvation *starvation,
                            const struct sl_job_sample *samples, uint32_t count);
#endif
