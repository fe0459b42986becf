/* The job that is told of in full (jobs_story.c). */
#ifndef SL_JOBS_STORY_H
#define SL_JOBS_STORY_H
#include "jobs.h"

struct job;
/* Of a batch each member has one. */
struct job_hold {
    uint32_t handle;
    int64_t since;
};

/* An admitted job, since so long in the wait for admission of the one that is told of. */
struct job_place {
    uint32_t at;
    int64_t since, need;
};

struct job_story_run {
    bool on;
    uint64_t job;
    uint32_t at; /* its place while it is admitted; SL_NONE */
    struct sl_job_link *links;
    bool *on_chain; /* per node */
    struct sl_job_holder *holders;
    uint32_t places;
    uint32_t *waiting, waiting_count; /* its runs that wait in lists */
    struct job_hold *holding;         /* runs of all jobs that hold units of limited resources */
    uint32_t holding_count, holding_places;
    bool queued; /* it has come and is not admitted */
    struct job_place *placed;
    uint32_t placed_count, placed_places;
    struct sl_job_admitted *admitted;
    uint32_t admitted_places;
    struct sl_job_story told;
};

bool sl_jobs_story_create(struct sl_jobs_worker *w) SL_NODISCARD;
void sl_jobs_story_begin(struct sl_jobs_worker *w);
/* The job has come, and waits for admission behind all that do.  While it is queued: another one is
 * admitted; has ended. */
void sl_jobs_story_queue(struct sl_jobs_worker *w);
void sl_jobs_story_placed(struct sl_jobs_worker *w, uint32_t at);
void sl_jobs_story_left(struct sl_jobs_worker *w, uint32_t at);
/* The job is admitted.  What happens to or beside it while it is: a run of it waits, for its start
 * or its next step; any run starts, or goes on with its next step; any has come free (of a batch
 * the first member); bytes are given back by that node (SL_NONE: at the job's end). */
void sl_jobs_story_admit(struct sl_jobs_worker *w, const struct job *job);
void sl_jobs_story_wait(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_story_start(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_story_freed(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_story_given(struct sl_jobs_worker *w, const struct job *job, uint32_t node,
                         uint32_t domain, int64_t bytes);
/* Of the job whose record is made: NULL for any other one. */
const struct sl_job_story *sl_jobs_story_end(struct sl_jobs_worker *w, const struct job *job);
#endif
