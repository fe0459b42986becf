/* The sentinel: how long a cache line takes from one core to another and back.
 *
 * Cores that share their last-level cache exchange a line within it; others through the fabric
 * between caches.  That decides whether two actors contend for a cache and its way to memory or
 * not, and on a virtual machine it changes while one looks, when a virtual core is moved. */
#ifndef SL_CPU_SENTINEL_H
#define SL_CPU_SENTINEL_H
#include "cpu_crew.h"

/* Between what caches of one kind of machine take within (20 to 80 ns) and across (120 to 500 ns).
 */
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
