/* The sentinel: how long a cache line takes from one core to another and back.
 *
 * SMT siblings exchange a line within their core, cores that share their last-level cache within
 * that, others through the fabric between caches.  That decides what two actors contend for: a
 * core's arithmetic, a cache and its way to memory, or hardly anything.  On a virtual machine it
 * changes while one looks, when a virtual core is moved. */
#ifndef SL_CPU_SENTINEL_H
#define SL_CPU_SENTINEL_H
#include "cpu_crew.h"

/* Between what a trip takes within a core (30 to 36 ns on an EPYC, a virtual core each), within a
 * last-level cache (50 to 96 ns there; 46 to 80 elsewhere) and across (120 to 500 ns). */
#define SL_CPU_SMT_NS  45
#define SL_CPU_NEAR_NS 100

struct sl_cpu_sentinel {
    struct sl_cpu_gate *gate; /* of all seats */
    double ns; /* of the farthest from seat 0; NAN: broken off, or there is no other */
    _Alignas(SL_CPU_APART) _Atomic uint32_t ball;
    char apart[SL_CPU_APART];
};
/* To be called by all seats of the gate, each with its own number; seat 0 plays with one after the
 * other.  `ns` is set when the gate has been passed the next time. */
void sl_cpu_sentinel_play(struct sl_cpu_sentinel *sentinel, uint32_t seat);
#endif
