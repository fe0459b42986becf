/* Threads pinned to a core each, which do one task together, and the gate at which they meet. */
#ifndef SL_CPU_CREW_H
#define SL_CPU_CREW_H
#include "status.h"
#include <stdatomic.h>
#include <time.h>

#define SL_CPU_APART 128 /* bytes between what two cores write: lines are fetched in pairs */

/* The backend's one clock: no daemon slews it. */
static inline int64_t sl_cpu_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A wait by spinning for what another core writes.  Zero-initialise but for the first two.
 *
 *     while (!condition)
 *         if (!sl_cpu_wait(&wait))
 *             return false;
 */
struct sl_cpu_wait {
    int64_t patience_ns;
    const atomic_bool *broken; /* set: nobody need wait any more; NULL: none */
    int64_t until_ns;
    uint32_t turn;
};

/* False when `broken` is set or patience is at its end; both are looked at now and then only, so
 * that what is waited for is seen at once. */
static inline bool sl_cpu_wait(struct sl_cpu_wait *wait)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
    if (++wait->turn % 1024 != 0)
        return true;
    int64_t now_ns = sl_cpu_now_ns();
    if (wait->until_ns == 0)
        wait->until_ns = now_ns + wait->patience_ns;
    return now_ns < wait->until_ns &&
           !(wait->broken && atomic_load_explicit(wait->broken, memory_order_relaxed));
}

/* A gate that `count` threads pass together, again and again.  Set `count`, zero the rest. */
struct sl_cpu_gate {
    uint32_t count;
    int64_t opened_ns; /* when it last opened */
    _Alignas(SL_CPU_APART) _Atomic uint32_t arrived;
    _Alignas(SL_CPU_APART) _Atomic uint32_t rounds;
    atomic_bool broken;
};
/* False when somebody did not come in time: the gate is broken then and holds nobody any more. */
bool sl_cpu_gate_pass(struct sl_cpu_gate *gate, int64_t patience_ns) SL_NODISCARD;

/* Seat s of the crew is a thread that runs on cpus[s] alone, asleep between tasks. */
struct sl_cpu_crew;
enum sl_status sl_cpu_crew_create(struct sl_cpu_crew **crew, const uint32_t *cpus, uint32_t seats,
                                  struct sl_error *err) SL_NODISCARD;
void sl_cpu_crew_free(struct sl_cpu_crew *crew); /* NULL: nothing */
/* Every seat runs the task once; returns when all have. */
void sl_cpu_crew_run(struct sl_cpu_crew *crew, void (*task)(void *user, uint32_t seat), void *user);
#endif
