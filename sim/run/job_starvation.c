/* The longest wait of a cell. */
#include "job_starvation.h"

void sl_job_starvation_find(struct sl_job_starvation *starvation,
                            const struct sl_job_sample *samples, uint32_t count)
{
    *starvation = (struct sl_job_starvation){.trial = SL_NONE, .node = SL_NONE};
    for (uint32_t r = 0; r < count; r++) {
        const struct sl_job_sample *sample = &samples[r];
        if (sample->longest_wait_node == SL_NONE || sample->longest_wait_ps <= starvation->wait_ps)
            continue;
        *starvation = (struct sl_job_starvation){.trial = r,
                                                 .node = sample->longest_wait_node,
                                                 .job = sample->longest_wait_job,
                                                 .wait_ps = sample->longest_wait_ps};
    }
}

void sl_job_admission_find(struct sl_job_admission_wait *longest,
                           const struct sl_job_sample *samples, uint32_t count)
{
    *longest = (struct sl_job_admission_wait){.trial = SL_NONE};
    for (uint32_t r = 0; r < count; r++) {
        longest->starved += samples[r].admission_starved;
        if (samples[r].longest_admission_ps <= longest->wait_ps)
            continue;
        longest->trial = r;
        longest->job = samples[r].longest_admission_job;
        longest->wait_ps = samples[r].longest_admission_ps;
    }
}
