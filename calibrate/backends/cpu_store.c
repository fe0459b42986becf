/* The memory in which a seat works: how much of it, and its first touch. */
#include "config.h"

#include "cpu_works.h"
#include "text.h"
#include <string.h>
#include <sys/mman.h>

#define RING_CACHES                                                                                \
    4                 /* the ring is so many last-level caches; half of it where memory is scarce  \
                       */
#define MEMORY_PART 4 /* all seats together take at most this part of what is available */

static size_t floor_power(int64_t bytes)
{
    size_t power = 1;
    while ((int64_t)(2 * power) <= bytes)
        power *= 2;
    return power;
}

enum sl_status sl_cpu_store_size(struct sl_cpu_store *store, const struct sl_cpu_machine *machine,
                                 uint32_t seats, struct sl_error *err)
{
    size_t cache = floor_power(machine->last_level_bytes), l2 = (size_t)machine->l2_bytes;
    *store = (struct sl_cpu_store){.line_bytes = (size_t)machine->line_bytes,
                                   .page_bytes = (size_t)machine->page_bytes};
    store->block.bytes = floor_power(machine->l1_bytes) / 2;
    store->links.bytes = 2 * cache;
    /* Beyond a core's own caches, and with room for another seat's beside it. */
    store->shared.bytes = cache / 4 > 2 * l2 ? cache / 4 : cache / 2;
    store->ring.bytes = RING_CACHES * cache;
    size_t most = (size_t)machine->available_bytes / MEMORY_PART / seats;
    size_t others = store->links.bytes + store->shared.bytes + store->block.bytes;
    if (others + store->ring.bytes > most)
        store->ring.bytes /= 2;
    if (others + store->ring.bytes <= most)
        return SL_OK;
    return SL_FAIL(err, SL_SYSTEM,
                   "%lld MiB of memory are available, and %u threads that go beyond a cache of "
                   "%lld MiB want a quarter of %lld MiB",
                   (long long)machine->available_bytes >> 20, seats,
                   (long long)machine->last_level_bytes >> 20,
                   (long long)(seats * MEMORY_PART * (others + store->ring.bytes)) >> 20);
}

static bool take_piece(struct sl_cpu_piece *piece)
{
    void *at = mmap(NULL, piece->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    (void)madvise(at, piece->bytes, MADV_NOHUGEPAGE);
    memset(at, 1, piece->bytes);
    piece->at = at;
    return true;
}

/* Links all lines of the piece into one cycle in random order (Sattolo 1986): no prefetcher follows
 * it, and it never comes to a line again before it has been at all others. */
static void link_lines(struct sl_cpu_store *store)
{
    size_t count = store->links.bytes / store->line_bytes;
    char *at = store->links.at;
    for (size_t i = 0; i < count; i++)
        *(size_t *)(void *)(at + i * store->line_bytes) = i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t *a = (size_t *)(void *)(at + i * store->line_bytes);
        size_t *b = (size_t *)(void *)(at + sl_hash_index(i) % i * store->line_bytes);
        size_t kept = *a;
        *a = *b;
        *b = kept;
    }
    for (size_t i = 0; i < count; i++) {
        size_t *link = (size_t *)(void *)(at + i * store->line_bytes);
        *(void **)(void *)link = at + *link * store->line_bytes;
    }
}

static struct sl_cpu_piece *piece_of(struct sl_cpu_store *store, enum sl_cpu_class klass)
{
    switch (klass) {
    case SL_CPU_STREAM:
    case SL_CPU_READ:
    case SL_CPU_MEMCPY:
        return &store->ring;
    case SL_CPU_L3READ:
        return &store->shared;
    case SL_CPU_CHASE:
        return &store->links;
    case SL_CPU_COMPUTE:
        return &store->block;
    default:
        return NULL;
    }
}

bool sl_cpu_store_prepare(struct sl_cpu_store *store, enum sl_cpu_class klass)
{
    struct sl_cpu_piece *piece = piece_of(store, klass);
    if (!piece || piece->at)
        return true;
    if (!take_piece(piece))
        return false;
    if (klass == SL_CPU_CHASE)
        link_lines(store);
    if (klass == SL_CPU_COMPUTE)
        for (size_t i = 0; i < piece->bytes / sizeof(double); i++)
            ((double *)(void *)piece->at)[i] = 1;
    return true;
}

void sl_cpu_store_warm(struct sl_cpu_store *store, enum sl_cpu_class klass)
{
    sl_cpu_work(store, klass, (int64_t)piece_of(store, klass)->bytes, NULL);
}

void sl_cpu_store_evict(struct sl_cpu_store *store)
{
    sl_cpu_work(store, SL_CPU_READ, (int64_t)store->ring.bytes, NULL);
}

void sl_cpu_store_free(struct sl_cpu_store *store)
{
    struct sl_cpu_piece *pieces[] = {&store->ring, &store->links, &store->shared, &store->block};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        if (pieces[i]->at) {
            munmap(pieces[i]->at, pieces[i]->bytes);
            pieces[i]->at = NULL;
        }
}
