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

/* The longest wait for admission. */
struct sl_job_admission_wait {
    uint32_t trial; /* SL_NONE: nobody waited */
    uint64_t job;
    int64_t wait_ps;
    uint64_t starved; /* jobs of all trials that waited longer than the bound for it */
    /* Jobs that were admitted meanwhile, the longest of them first, and those that waited before
     * it.  NULL: the wait did not pass the bound, so that nobody looked. */
    const struct sl_job_admitted *admitted;
    uint32_t admitted_count;
    uint64_t before;
};

/* The longest wait, the first of several equal ones. */
void sl_job_starvation_find(struct sl_job_starvation *starvation,
                            const struct sl_job_sample *samples, uint32_t count);
void sl_job_admission_find(struct sl_job_admission_wait *longest,
                           const struct sl_job_sample *samples, uint32_t count);
#endif
