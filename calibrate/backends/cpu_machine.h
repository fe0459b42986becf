/* What the cpu backend knows of the machine before it measures: usable cores, caches, memory. */
#ifndef SL_CPU_MACHINE_H
#define SL_CPU_MACHINE_H
#include "arena.h"

struct sl_cpu_machine {
    /* Logical CPUs that this process may use, one per physical core, those that share the
     * last-level cache with the first before the others. */
    uint32_t *cpus;
    uint32_t cpu_count;
    /* In bytes; the last level is the outermost data cache of the first core. */
    int64_t l1_bytes, l2_bytes, last_level_bytes;
    bool last_level_shared; /* it is a level of its own behind L2 */
    bool caches_known;      /* false: the system doesn't tell and usual sizes stand in */
    int64_t line_bytes, page_bytes;
    int64_t total_bytes, available_bytes; /* memory, the limit of the control group counted */
    const char *model, *kernel;
    const char *microcode, *governor, *huge_pages; /* "" where the system doesn't tell */
};

/* Texts and the list go into the arena.  SL_SYSTEM where the system refuses its list of cores. */
enum sl_status sl_cpu_machine_read(struct sl_cpu_machine *machine, struct sl_arena *arena,
                                   struct sl_error *err) SL_NODISCARD;
#endif
