/* The crew's threads sleep on a condition between tasks, so that they disturb nobody then; within a
 * task they meet at gates by spinning, because being woken takes longer than what is measured. */
#include "config.h"

#include "cpu_crew.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct seat {
    struct sl_cpu_crew *crew;
    uint32_t index;
    pthread_t thread;
};

struct sl_cpu_crew {
    pthread_mutex_t lock; /* guards what follows, but for the seats */
    pthread_cond_t called, done;
    void (*task)(void *user, uint32_t seat); /* NULL: go home */
    void *user;
    uint64_t tasks; /* called so far */
    uint32_t working;
    uint32_t started;
    struct seat seats[];
};

static void *work(void *user)
{
    struct seat *seat = user;
    struct sl_cpu_crew *crew = seat->crew;
    uint64_t seen = 0;
    for (;;) {
        pthread_mutex_lock(&crew->lock);
        while (crew->tasks == seen)
            pthread_cond_wait(&crew->called, &crew->lock);
        seen = crew->tasks;
        void (*task)(void *, uint32_t) = crew->task;
        void *task_user = crew->user;
        pthread_mutex_unlock(&crew->lock);
        if (!task)
            return NULL;
        task(task_user, seat->index);
        pthread_mutex_lock(&crew->lock);
        if (--crew->working == 0)
            pthread_cond_signal(&crew->done);
        pthread_mutex_unlock(&crew->lock);
    }
}

static int start_pinned(struct seat *seat, uint32_t cpu)
{
    pthread_attr_t attr;
    cpu_set_t set;
    int fault = pthread_attr_init(&attr);
    if (fault)
        return fault;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    fault = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
    if (!fault)
        fault = pthread_create(&seat->thread, &attr, work, seat);
    pthread_attr_destroy(&attr);
    return fault;
}

enum sl_status sl_cpu_crew_create(struct sl_cpu_crew **made, const uint32_t *cpus, uint32_t seats,
                                  struct sl_error *err)
{
    struct sl_cpu_crew *crew = calloc(1, sizeof *crew + seats * sizeof crew->seats[0]);
    sigset_t all, before;
    int fault = 0;
    uint32_t cpu = 0;
    *made = crew;
    if (!crew)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->called, NULL);
    pthread_cond_init(&crew->done, NULL);
    /* Signals are the main thread's matter: one of these would be woken in the midst of a shot. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew->started < seats && !fault) {
        struct seat *seat = &crew->seats[crew->started];
        cpu = cpus[crew->started];
        *seat = (struct seat){.crew = crew, .index = crew->started};
        fault = start_pinned(seat, cpu);
        crew->started += fault == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!fault)
        return SL_OK;
    sl_cpu_crew_free(crew);
    *made = NULL;
    return SL_FAIL(err, SL_SYSTEM, "can't start a thread on core %u: %s", cpu, strerror(fault));
}

static void call(struct sl_cpu_crew *crew, void (*task)(void *, uint32_t), void *user)
{
    pthread_mutex_lock(&crew->lock);
    crew->task = task;
    crew->user = user;
    crew->working = crew->started;
    crew->tasks++;
    pthread_cond_broadcast(&crew->called);
    while (task && crew->working > 0)
        pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void sl_cpu_crew_run(struct sl_cpu_crew *crew, void (*task)(void *user, uint32_t seat), void *user)
{
    call(crew, task, user);
}

void sl_cpu_crew_free(struct sl_cpu_crew *crew)
{
    if (!crew)
        return;
    call(crew, NULL, NULL);
    for (uint32_t i = 0; i < crew->started; i++)
        pthread_join(crew->seats[i].thread, NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->called);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

bool sl_cpu_gate_pass(struct sl_cpu_gate *gate, int64_t patience_ns)
{
    struct sl_cpu_wait wait = {patience_ns, &gate->broken, 0, 0};
    uint32_t round = atomic_load(&gate->rounds);
    if (atomic_fetch_add(&gate->arrived, 1) + 1 == gate->count) {
        atomic_store(&gate->arrived, 0);
        gate->opened_ns = sl_cpu_now_ns();
        atomic_store(&gate->rounds, round + 1);
        return !atomic_load(&gate->broken);
    }
    while (atomic_load_explicit(&gate->rounds, memory_order_acquire) == round)
        if (!sl_cpu_wait(&wait)) {
            atomic_store(&gate->broken, true);
            return false;
        }
    return true;
}
