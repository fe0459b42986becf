/* What the works of each class do, step by step. */
#include "config.h"

#include "cpu_works.h"
#include "text.h"
#include <string.h>
#include <sys/mman.h>

#define STEP_BYTES                                                                                 \
    ((size_t)1 << 16) /* between two looks at the watch; some microseconds of most works */

/* Vectors that every machine of today has in registers; several of them in flight hide latency. */
typedef double reals __attribute__((vector_size(16), aligned(8)));
typedef uint64_t words __attribute__((vector_size(16), aligned(8)));
enum { FLIGHT = 8, LINE = 64 /* slices begin at lines of this or a smaller size */ };

/* What is in flight is in registers only where its loop is unrolled. */
#define UNROLL _Pragma("GCC unroll 8")

/* The compiler must take the memory behind the pointer for used and changed. */
static inline void keep(void *at)
{
    __asm__ volatile("" : : "r"(at) : "memory");
}

/* The next `bytes` of a piece, at most all of it, from its start again where its end is near.
 * Pieces are whole lines, and so is what is taken. */
static char *take_slice(struct sl_cpu_piece *piece, size_t bytes)
{
    if (bytes > piece->bytes - piece->next)
        piece->next = 0;
    char *slice = piece->at + piece->next;
    piece->next += (bytes + LINE - 1) / LINE * LINE;
    return slice;
}

static void step_stream(struct sl_cpu_store *store, size_t bytes)
{
    size_t third = bytes / (3 * LINE) * LINE;
    char *slice = take_slice(&store->ring, bytes);
    reals *a = (reals *)(void *)slice;
    const reals *b = (const reals *)(void *)(slice + third);
    const reals *c = (const reals *)(void *)(slice + 2 * third);
    for (size_t i = 0; i < third / sizeof *a; i++)
        a[i] = b[i] + 3.0 * c[i];
    keep(slice);
}

static void sum_words(struct sl_cpu_store *store, const char *at, size_t bytes)
{
    const words *from = (const words *)(const void *)at;
    words sums[FLIGHT] = {{0}};
    for (size_t i = 0; i + FLIGHT <= bytes / sizeof *from; i += FLIGHT)
        UNROLL for (size_t k = 0; k < FLIGHT; k++) sums[k] += from[i + k];
    UNROLL for (size_t k = 0; k < FLIGHT; k++) store->sink += sums[k][0] + sums[k][1];
}

static void step_read(struct sl_cpu_store *store, size_t bytes)
{
    sum_words(store, take_slice(&store->ring, bytes), bytes);
}

static void step_l3read(struct sl_cpu_store *store, size_t bytes)
{
    sum_words(store, take_slice(&store->shared, bytes), bytes);
}

static void step_memcpy(struct sl_cpu_store *store, size_t bytes)
{
    char *slice = take_slice(&store->ring, 2 * bytes);
    memcpy(slice + bytes, slice, bytes);
    keep(slice);
}

static void step_chase(struct sl_cpu_store *store, size_t bytes)
{
    void *at = store->links.at + store->links.next;
    for (size_t hops = bytes / store->line_bytes; hops > 0; hops--)
        at = *(void **)at;
    keep(at);
    store->links.next = (size_t)((char *)at - store->links.at);
}

/* x = x / 2 + 1 / 2 goes to 1 and stays there: no overflow, no denormal. */
static void polish(reals *x, size_t n)
{
    for (size_t i = 0; i + FLIGHT <= n; i += FLIGHT) {
        reals kept[FLIGHT];
        UNROLL for (size_t k = 0; k < FLIGHT; k++) kept[k] = x[i + k];
        for (int times = 0; times < SL_CPU_MULTIPLY_ADDS; times++)
            UNROLL for (size_t k = 0; k < FLIGHT; k++) kept[k] = kept[k] * 0.5 + 0.5;
        UNROLL for (size_t k = 0; k < FLIGHT; k++) x[i + k] = kept[k];
    }
}

static void step_compute(struct sl_cpu_store *store, size_t bytes)
{
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < store->block.bytes ? bytes - done : store->block.bytes;
        polish((reals *)(void *)store->block.at, n / sizeof(reals));
        keep(store->block.at);
    }
}

/* NULL: refused. */
static char *map_small_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    /* Refused where the kernel has no large pages: then all are small anyway. */
    (void)madvise(at, bytes, MADV_NOHUGEPAGE);
    return at;
}

static void work_map(struct sl_cpu_store *store, size_t bytes, const struct sl_cpu_watch *watch)
{
    char *at = map_small_pages(bytes);
    if (!at) {
        store->failed = true;
        return;
    }
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < STEP_BYTES ? bytes - done : STEP_BYTES;
        for (size_t page = done; page < done + n; page += store->page_bytes)
            at[page] = 1;
        keep(at);
        if (watch && !watch->go_on(watch->user))
            break;
    }
    munmap(at, bytes);
}

static void work_alloc(struct sl_cpu_store *store, size_t bytes, const struct sl_cpu_watch *watch)
{
    (void)watch; /* nothing to stop at */
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        store->failed = true;
    else
        munmap(at, bytes);
}

/* A work is done in steps, or all by a function of its own. */
static const struct {
    void (*step)(struct sl_cpu_store *store, size_t bytes);
    void (*whole)(struct sl_cpu_store *store, size_t bytes, const struct sl_cpu_watch *watch);
} kinds[SL_CPU_CLASSES] = {
    [SL_CPU_STREAM] = {.step = step_stream}, [SL_CPU_READ] = {.step = step_read},
    [SL_CPU_MEMCPY] = {.step = step_memcpy}, [SL_CPU_L3READ] = {.step = step_l3read},
    [SL_CPU_CHASE] = {.step = step_chase},   [SL_CPU_COMPUTE] = {.step = step_compute},
    [SL_CPU_MAP] = {.whole = work_map},      [SL_CPU_ALLOC] = {.whole = work_alloc},
};

/* A step of chased lines takes as long as one of fifty times the bytes in order. */
static size_t step_bytes(enum sl_cpu_class klass)
{
    return klass == SL_CPU_CHASE ? STEP_BYTES / 32 : STEP_BYTES;
}

void sl_cpu_work(struct sl_cpu_store *store, enum sl_cpu_class klass, int64_t bytes,
                 const struct sl_cpu_watch *watch)
{
    size_t all = (size_t)bytes, step = step_bytes(klass);
    if (kinds[klass].whole) {
        kinds[klass].whole(store, all, watch);
        return;
    }
    for (size_t done = 0, n; done < all; done += n) {
        n = all - done < step ? all - done : step;
        kinds[klass].step(store, n);
        if (watch && !watch->go_on(watch->user))
            return;
    }
}
