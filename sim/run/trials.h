/* A pool of threads that runs the trials of one program.
 *
 * Threads draw blocks of consecutive trial numbers from one counter; each has its own worker and
 * its own state, so nothing but that counter is shared. */
#ifndef SL_TRIALS_H
#define SL_TRIALS_H
#include "engine.h"

struct sl_trials_job {
    const struct sl_program *program;
    uint64_t seed;
    uint32_t trials;
    uint32_t first;          /* the trials are first .. first + trials - 1 ... */
    const uint32_t *numbers; /* ... or these; NULL: not */
    unsigned flags;  /* of sl_worker_run_all */
    uint32_t threads;
    sl_trial_visit visit; /* after each trial, on the thread that ran it, with that thread's state */
    void **states; /* one per thread */
    /* Called from the calling thread about ten times a second; false stops.  NULL: none. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
};

/* How many threads are worth starting: `wanted`, or one per usable core for 0; never more than
 * trials. */
uint32_t sl_trials_threads(uint32_t wanted, uint32_t trials);
/* SL_INTERRUPTED when progress says so; otherwise the error of the smallest failed trial. */
enum sl_status sl_trials_run(const struct sl_trials_job *job, struct sl_error *err) SL_NODISCARD;
#endif
