/* The works of the cpu backend, and the memory in which one seat does them.
 *
 * | class   | what its bytes are                       | where the data come from |
 * |---------|------------------------------------------|----------------------------------------------|
 * | stream  | read and written by a[i] = b[i] + s c[i] | memory: the ring | | read    | summed |
 * memory: the ring                             | | memcpy  | copied | memory: the ring | | l3read
 * | summed                                   | the shared cache                             | |
 * chase   | one line per load, each needs the last   | memory: a random cycle through all its lines
 * | | compute | doubles with 32 multiply-adds each       | the core's first cache | | map     |
 * mapped, a page fault each, unmapped      | fresh pages                                  | | alloc
 * | mapped and unmapped, never touched       | none                                         |
 *
 * The ring is larger than the caches, and every work that uses it goes on where the last one ended,
 * so that its data are never cached and a work's time is proportional to its size. */
#ifndef SL_CPU_WORKS_H
#define SL_CPU_WORKS_H
#include "cpu_machine.h"
#include "work.h"

enum sl_cpu_class {
    SL_CPU_STREAM,
    SL_CPU_READ,
    SL_CPU_MEMCPY,
    SL_CPU_L3READ,
    SL_CPU_CHASE,
    SL_CPU_COMPUTE,
    SL_CPU_MAP,
    SL_CPU_ALLOC,
    SL_CPU_CLASSES
};

enum { SL_CPU_MULTIPLY_ADDS = 32 /* per double of compute */ };
#define SL_CPU_FLOP_PER_BYTE (2.0 * SL_CPU_MULTIPLY_ADDS / sizeof(double))

/* The classes with their forms and sizes, from the machine's caches; in the arena, NULL: out of
 * memory. */
const struct sl_work_class *sl_cpu_classes(const struct sl_cpu_machine *machine,
                                           struct sl_arena *arena);

/* A piece of memory with small pages, so that it doesn't matter when the system finds large ones.
 */
struct sl_cpu_piece {
    char *at;           /* NULL: not there yet */
    size_t bytes, next; /* next: offset at which the next work goes on */
};

/* Memory of one seat. */
struct sl_cpu_store {
    struct sl_cpu_piece ring, links, shared, block;
    size_t line_bytes, page_bytes;
    uint64_t sink; /* takes results, so that no work is optimised away */
    bool failed;   /* the system refused a mapping */
};

/* Sizes of the pieces of each of `seats` seats.  SL_SYSTEM when memory is too small for a ring
 * beyond the caches. */
enum sl_status sl_cpu_store_size(struct sl_cpu_store *store, const struct sl_cpu_machine *machine,
                                 uint32_t seats, struct sl_error *err) SL_NODISCARD;
/* Takes and touches what `klass` needs, by the thread that will use it; false: refused. */
bool sl_cpu_store_prepare(struct sl_cpu_store *store, enum sl_cpu_class klass) SL_NODISCARD;
/* Does the work once with all the memory of a class that works in a cache. */
void sl_cpu_store_warm(struct sl_cpu_store *store, enum sl_cpu_class klass);
/* Reads the ring once, which leaves nothing else in the caches. */
void sl_cpu_store_evict(struct sl_cpu_store *store);
void sl_cpu_store_free(struct sl_cpu_store *store);

/* Asked between steps of some microseconds; false ends the work. */
struct sl_cpu_watch {
    bool (*go_on)(void *user);
    void *user;
};
/* Does `bytes` of work; watch NULL: to its end.  A mapping that the system refuses sets
 * store->failed. */
void sl_cpu_work(struct sl_cpu_store *store, enum sl_cpu_class klass, int64_t bytes,
                 const struct sl_cpu_watch *watch);
#endif
