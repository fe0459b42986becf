/* The thread pool: an atomic block counter, one worker per thread, progress from the caller. */
#include <config.h>

#include "trials.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS      1024
#define BLOCKS_PER_CORE  16
#define MAX_BLOCK        64
#define SOME             8 /* trials between two looks at the stop */
#define PROGRESS_WAIT_NS 100000000L

struct pool {
    const struct sl_trials_job *job;
    uint32_t block;        /* trials drawn at once */
    _Atomic uint64_t next; /* first trial not drawn yet */
    _Atomic uint64_t done;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards `running` */
    pthread_cond_t all_done;
    uint32_t running;
};

struct member {
    struct pool *pool;
    void *state;
    pthread_t thread;
    enum sl_status status;
    struct sl_error err;
    uint64_t failed_trial;
};

uint32_t sl_trials_threads(uint32_t wanted, uint32_t trials)
{
    if (wanted == 0) {
        cpu_set_t usable;
        CPU_ZERO(&usable);
        int count = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
        wanted = count > 0 ? (uint32_t)count : 1;
    }
    wanted = wanted > MAX_THREADS ? MAX_THREADS : wanted;
    return wanted < trials ? wanted : (trials > 0 ? trials : 1);
}

/* Some of a block, so that a stop does not wait for long. */
static enum sl_status run_some(struct member *member, struct sl_worker *worker, uint64_t first,
                               uint32_t count)
{
    struct pool *pool = member->pool;
    const struct sl_trials_job *job = pool->job;
    uint32_t trials[SOME], done;
    for (uint32_t k = 0; k < count; k++)
        trials[k] = job->numbers ? job->numbers[first + k] : job->first + (uint32_t)first + k;
    enum sl_status status = sl_worker_run_all(worker, job->seed, trials, count, job->flags,
                                              job->visit, member->state, &done, &member->err);
    if (status != SL_OK)
        member->failed_trial = trials[done];
    atomic_fetch_add_explicit(&pool->done, done, memory_order_relaxed);
    return status;
}

static enum sl_status run_block(struct member *member, struct sl_worker *worker, uint64_t first)
{
    struct pool *pool = member->pool;
    uint64_t end = first + pool->block;
    end = end < pool->job->trials ? end : pool->job->trials;
    enum sl_status status = SL_OK;
    for (uint64_t k = first; k < end && status == SL_OK; k += SOME) {
        if (atomic_load_explicit(&pool->stop, memory_order_relaxed))
            return SL_OK;
        status = run_some(member, worker, k, end - k < SOME ? (uint32_t)(end - k) : SOME);
    }
    return status;
}

static void *run_member(void *argument)
{
    struct member *member = argument;
    struct pool *pool = member->pool;
    struct sl_worker *worker = NULL;
    member->status = sl_worker_create(&worker, pool->job->program, &member->err);
    while (member->status == SL_OK && !atomic_load(&pool->stop)) {
        uint64_t first = atomic_fetch_add(&pool->next, pool->block);
        if (first >= pool->job->trials)
            break;
        member->status = run_block(member, worker, first);
    }
    sl_worker_free(worker);
    if (member->status != SL_OK)
        atomic_store(&pool->stop, true);
    pthread_mutex_lock(&pool->lock);
    if (--pool->running == 0)
        pthread_cond_signal(&pool->all_done);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Waits for all members, calling progress meanwhile; false when it asked to stop. */
static bool wait_for_members(struct pool *pool)
{
    const struct sl_trials_job *job = pool->job;
    bool go_on = true;
    pthread_mutex_lock(&pool->lock);
    while (pool->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PROGRESS_WAIT_NS;
        if (until.tv_nsec >= 1000000000L) {
            until.tv_nsec -= 1000000000L;
            until.tv_sec++;
        }
        int rc = pthread_cond_timedwait(&pool->all_done, &pool->lock, &until);
        if (rc == ETIMEDOUT && job->progress && go_on) {
            pthread_mutex_unlock(&pool->lock);
            go_on = job->progress(job->user, atomic_load(&pool->done));
            if (!go_on)
                atomic_store(&pool->stop, true);
            pthread_mutex_lock(&pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    /* Also at the end, so that an interrupt during the last short cell is not lost. */
    return go_on && (!job->progress || job->progress(job->user, atomic_load(&pool->done)));
}

static bool pool_init(struct pool *pool, const struct sl_trials_job *job)
{
    *pool = (struct pool){.job = job};
    uint32_t block = job->trials / (job->threads * BLOCKS_PER_CORE);
    pool->block = block < 1 ? 1 : (block > MAX_BLOCK ? MAX_BLOCK : block);
    pthread_condattr_t clock;
    if (pthread_condattr_init(&clock) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&pool->all_done, &clock) == 0;
    pthread_condattr_destroy(&clock);
    if (ok && pthread_mutex_init(&pool->lock, NULL) != 0) {
        pthread_cond_destroy(&pool->all_done);
        ok = false;
    }
    return ok;
}

static enum sl_status first_failure(const struct member *members, uint32_t count,
                                    struct sl_error *err)
{
    const struct member *first = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (members[i].status != SL_OK && (!first || members[i].failed_trial < first->failed_trial))
            first = &members[i];
    if (!first)
        return SL_OK;
    if (err && err->status == SL_OK)
        *err = first->err;
    return first->status;
}

enum sl_status sl_trials_run(const struct sl_trials_job *job, struct sl_error *err)
{
    struct pool pool;
    struct member *members = calloc(job->threads, sizeof *members);
    if (!members || !pool_init(&pool, job)) {
        free(members);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u threads", (unsigned)job->threads);
    }
    uint32_t started = 0;
    int rc = 0;
    pool.running = job->threads;
    for (; started < job->threads; started++) {
        members[started].pool = &pool;
        members[started].state = job->states[started];
        rc = pthread_create(&members[started].thread, NULL, run_member, &members[started]);
        if (rc != 0)
            break;
    }
    if (rc != 0) {
        atomic_store(&pool.stop, true);
        pthread_mutex_lock(&pool.lock);
        pool.running -= job->threads - started;
        pthread_mutex_unlock(&pool.lock);
    }
    bool go_on = wait_for_members(&pool);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    enum sl_status status = first_failure(members, started, err);
    if (status == SL_OK && rc != 0)
        status = SL_FAIL(err, SL_SYSTEM, "cannot start a thread: %s", strerror(rc));
    if (status == SL_OK && !go_on)
        status = SL_FAIL(err, SL_INTERRUPTED, "interrupted");
    pthread_cond_destroy(&pool.all_done);
    pthread_mutex_destroy(&pool.lock);
    free(members);
    return status;
}
