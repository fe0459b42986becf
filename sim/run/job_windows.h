/* The number of jobs in the system over time, in one replication. */
#ifndef SL_JOB_WINDOWS_H
#define SL_JOB_WINDOWS_H
#include "job_sample.h"

struct sl_job_window {
    double begin_us, end_us;
    uint64_t arrived, completed, rejected;
    double in_system; /* mean number; rejected jobs never are */
    uint64_t most;
};

/* As many windows of such a length, from 0 on, as reach the end of the replication: 0 of one that
 * ends at 0. */
uint32_t sl_job_window_count(const struct sl_job_sample *sample, int64_t width_ps);
/* Fills them; the last one ends with the replication, and what happens there belongs to it. */
enum sl_status sl_job_windows(const struct sl_job_sample *sample, int64_t width_ps,
                              struct sl_job_window *windows, struct sl_error *err) SL_NODISCARD;
/* Mean share of `servers` units of a resource in use in a window of the first replication. */
double sl_job_window_share(const struct sl_job_sample *sample, const struct sl_job_window *windows,
                           uint32_t window, uint32_t resource, uint32_t servers);
#endif
