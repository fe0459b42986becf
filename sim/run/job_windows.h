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

/* `count` windows of equal length from 0 to the end of the last job, which belongs to the last of
 * them. */
enum sl_status sl_job_windows(const struct sl_job_sample *sample, struct sl_job_window *windows,
                              uint32_t count, struct sl_error *err) SL_NODISCARD;
#endif
