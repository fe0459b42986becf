/* Trials as items of a pool: a worker per seat. */
#include <config.h>

#include "trials.h"
#include <pthread.h>
#include <stdlib.h>

#define MOST_AT_ONCE 64
#define TOGETHER     8     /* the most trials between two looks at whether to stop ... */
#define NODES_A_LOOK 65536 /* ... and about the most nodes, where trials run one by one */

struct run {
    const struct sl_trials_job *job;
    struct sl_worker **workers; /* by seat; NULL: it had no trial yet */
    pthread_mutex_t opening;
};

uint32_t sl_trials_threads(const struct sl_pool *pool, uint32_t trials)
{
    uint32_t threads = sl_pool_threads(pool);
    return threads < trials ? threads : (trials > 0 ? trials : 1);
}

static enum sl_status open_seat(struct run *run, uint32_t seat, struct sl_error *err)
{
    const struct sl_trials_job *job = run->job;
    enum sl_status status = SL_OK;
    if (job->open) {
        pthread_mutex_lock(&run->opening);
        status = job->open(job->states[seat], err);
        pthread_mutex_unlock(&run->opening);
    }
    return status == SL_OK ? sl_worker_create(&run->workers[seat], job->program, err) : status;
}

static enum sl_status run_some(void *user, uint32_t seat, uint64_t first, uint32_t count,
                               uint32_t *done, struct sl_error *err)
{
    struct run *run = user;
    const struct sl_trials_job *job = run->job;
    uint32_t trials[TOGETHER];
    enum sl_status status = run->workers[seat] ? SL_OK : open_seat(run, seat, err);
    if (status != SL_OK)
        return status;
    for (uint32_t k = 0; k < count; k++)
        trials[k] = job->numbers ? job->numbers[first + k] : job->first + (uint32_t)first + k;
    return sl_worker_run_all(run->workers[seat], job->seed, trials, count, job->flags, job->visit,
                             job->states[seat], done, err);
}

static uint32_t trials_a_look(const struct sl_program *program)
{
    uint32_t few = NODES_A_LOOK / (sl_program_graph(program)->node_count + 1);
    if (few >= TOGETHER || sl_program_order_is_fixed(program, NULL))
        return TOGETHER;
    return few > 0 ? few : 1;
}

static bool pass_progress(void *user, uint64_t done)
{
    const struct run *run = user;
    return run->job->progress(run->job->user, done);
}

static enum sl_status run_items(struct run *run, struct sl_error *err)
{
    const struct sl_items items = {
        .count = run->job->trials,
        .seats = run->job->threads,
        .most_at_once = MOST_AT_ONCE,
        .together = trials_a_look(run->job->program),
        .run = run_some,
        .progress = run->job->progress ? pass_progress : NULL,
        .user = run,
    };
    return sl_pool_each(run->job->pool, &items, err);
}

enum sl_status sl_trials_run(const struct sl_trials_job *job, struct sl_error *err)
{
    struct run run = {.job = job, .opening = PTHREAD_MUTEX_INITIALIZER};
    run.workers = calloc(job->threads, sizeof *run.workers);
    if (!run.workers)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u threads", (unsigned)job->threads);
    enum sl_status status = run_items(&run, err);
    for (uint32_t t = 0; t < job->threads; t++)
        sl_worker_free(run.workers[t]);
    free(run.workers);
    pthread_mutex_destroy(&run.opening);
    return status;
}
