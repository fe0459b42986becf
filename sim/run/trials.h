/* The trials of one program, on the threads of a pool.
 *
 * Each thread has its own worker and its own state, so nothing but the number of the next trial is
 * shared. */
#ifndef SL_TRIALS_H
#define SL_TRIALS_H
#include "engine.h"
#include "thread_pool.h"

struct sl_trials_job {
    const struct sl_program *program;
    uint64_t seed;
    uint32_t trials;
    uint32_t first;          /* the trials are first .. first + trials - 1 ... */
    const uint32_t *numbers; /* ... or these; NULL: not */
    unsigned flags;  /* of sl_worker_run_all */
    struct sl_pool *pool; /* NULL: the caller runs them alone */
    uint32_t threads;     /* the most to work at once */
    /* After each trial, on the thread that ran it, with that thread's state, which sees its trials in
     * rising order. */
    sl_trial_visit visit;
    void **states; /* one per thread */
    /* Makes a state ready before its first trial; called for one state at a time, and only for
     * those that get a trial.  NULL: they are ready. */
    enum sl_status (*open)(void *state, struct sl_error *err);
    /* Called from the calling thread about ten times a second; false stops.  NULL: none. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
};

/* How many threads of the pool are worth using: all, but never more than trials. */
uint32_t sl_trials_threads(const struct sl_pool *pool, uint32_t trials);
/* SL_INTERRUPTED when progress says so; otherwise the error of the first trial that fails, as if one
 * thread ran them in order. */
enum sl_status sl_trials_run(const struct sl_trials_job *job, struct sl_error *err) SL_NODISCARD;
#endif
