/* Blocks by name: a hash table of chains, and for each tier a heap of the copies that may leave. */
#include "block_store.h"
#include "stretch.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_PLACES 64

/* ---- heaps ----------------------------------------------------------------------------------- */

static inline bool leaves_before(const struct block_store *s, uint32_t tier, uint32_t a, uint32_t b)
{
    return store_copy(s, a, tier)->key < store_copy(s, b, tier)->key;
}

static inline void heap_set(struct block_store *s, uint32_t tier, uint32_t at, uint32_t block)
{
    s->heaps[tier][at] = block;
    store_copy(s, block, tier)->place = at;
}

static void heap_rise(struct block_store *s, uint32_t tier, uint32_t at, uint32_t block)
{
    const uint32_t *heap = s->heaps[tier];
    for (; at && leaves_before(s, tier, block, heap[(at - 1) >> 1]); at = (at - 1) >> 1)
        heap_set(s, tier, at, heap[(at - 1) >> 1]);
    heap_set(s, tier, at, block);
}

static void heap_sink(struct block_store *s, uint32_t tier, uint32_t at, uint32_t block)
{
    const uint32_t *heap = s->heaps[tier];
    uint32_t count = s->may_leave[tier];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && leaves_before(s, tier, heap[child + 1], heap[child]);
        if (!leaves_before(s, tier, heap[child], block))
            break;
        heap_set(s, tier, at, heap[child]);
    }
    heap_rise(s, tier, at, block);
}

static void heap_add(struct block_store *s, uint32_t tier, uint32_t block)
{
    heap_rise(s, tier, s->may_leave[tier]++, block);
}

static void heap_remove(struct block_store *s, uint32_t tier, uint32_t block)
{
    uint32_t at = store_copy(s, block, tier)->place;
    uint32_t last = s->heaps[tier][--s->may_leave[tier]];
    store_copy(s, block, tier)->place = SL_NONE;
    if (last != block)
        heap_sink(s, tier, at, last);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void sl_store_open(struct block_store *store, uint32_t tiers, enum sl_cache_order order,
                   uint64_t *clock)
{
    *store = (struct block_store){.tiers = tiers, .order = order, .clock = clock, .free = SL_NONE};
}

void sl_store_close(struct block_store *store)
{
    free(store->blocks);
    free(store->copies);
    free(store->buckets);
    for (uint32_t t = 0; t < store->tiers; t++)
        free(store->heaps[t]);
}

static void make_free(struct block_store *s, uint32_t block)
{
    s->blocks[block] = (struct stored_block){.next = s->free};
    for (uint32_t t = 0; t < s->tiers; t++)
        *store_copy(s, block, t) = (struct stored_copy){.place = SL_NONE};
    s->free = block;
}

void sl_store_clear(struct block_store *store)
{
    memset(store->may_leave, 0, sizeof store->may_leave);
    memset(store->here, 0, sizeof store->here);
    store->free = SL_NONE;
    for (uint32_t b = store->places; b-- > 0;) {
        store->buckets[b] = SL_NONE;
        make_free(store, b);
    }
}

static inline uint32_t *bucket_of(const struct block_store *s, uint64_t name)
{
    return &s->buckets[sl_hash_index(name) & (s->places - 1)];
}

static bool grow(struct block_store *s)
{
    uint32_t old = s->places, places = old ? 2 * old : FIRST_PLACES;
    if (places > UINT32_MAX / 2 || !stretch(&s->blocks, places, sizeof *s->blocks) ||
        !stretch(&s->copies, (size_t)places * s->tiers, sizeof *s->copies) ||
        !stretch(&s->buckets, places, sizeof *s->buckets))
        return false;
    for (uint32_t t = 0; t < s->tiers; t++)
        if (!stretch(&s->heaps[t], places, sizeof *s->heaps[t]))
            return false;
    s->places = places;
    for (uint32_t b = 0; b < places; b++)
        s->buckets[b] = SL_NONE;
    for (uint32_t b = 0; b < old; b++) { /* none was free */
        uint32_t *bucket = bucket_of(s, s->blocks[b].name);
        s->blocks[b].next = *bucket;
        *bucket = b;
    }
    for (uint32_t b = places; b-- > old;)
        make_free(s, b);
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

uint32_t sl_store_find(const struct block_store *store, uint64_t name)
{
    uint32_t b = store->places ? *bucket_of(store, name) : SL_NONE;
    while (b != SL_NONE && store->blocks[b].name != name)
        b = store->blocks[b].next;
    return b;
}

static void forget_unused(struct block_store *s, uint32_t block)
{
    if (s->blocks[block].pins || s->blocks[block].copies)
        return;
    uint32_t *at = bucket_of(s, s->blocks[block].name);
    while (*at != block)
        at = &s->blocks[*at].next;
    *at = s->blocks[block].next;
    make_free(s, block);
}

uint32_t sl_store_pin(struct block_store *store, uint64_t name)
{
    uint32_t block = sl_store_find(store, name);
    if (block == SL_NONE) {
        if (store->free == SL_NONE && !grow(store))
            return SL_NONE;
        block = store->free;
        store->free = store->blocks[block].next;
        uint32_t *bucket = bucket_of(store, name);
        store->blocks[block] = (struct stored_block){.name = name, .next = *bucket};
        *bucket = block;
    }
    if (!store->blocks[block].pins++)
        for (uint32_t t = 0; t < store->tiers; t++)
            if (store_copy(store, block, t)->here)
                heap_remove(store, t, block);
    return block;
}

/* `used`: when it was, and SL_CACHE_LRU goes by that. */
static void unpin(struct block_store *s, uint32_t block, const uint64_t *used)
{
    if (--s->blocks[block].pins)
        return;
    for (uint32_t t = 0; t < s->tiers; t++) {
        struct stored_copy *copy = store_copy(s, block, t);
        if (!copy->here)
            continue;
        if (used)
            copy->key = *used;
        heap_add(s, t, block);
    }
    forget_unused(s, block);
}

void sl_store_unpin(struct block_store *store, uint32_t block)
{
    uint64_t now = *store->clock + 1;
    if (store->blocks[block].pins == 1)
        *store->clock = now;
    unpin(store, block, store->order == SL_CACHE_LRU ? &now : NULL);
}

void sl_store_put_back(struct block_store *store, uint32_t block)
{
    unpin(store, block, NULL);
}

bool sl_store_put(struct block_store *store, uint32_t block, uint32_t tier)
{
    struct stored_copy *copy = store_copy(store, block, tier);
    if (copy->here)
        return false;
    copy->here = true;
    copy->key = ++*store->clock;
    store->blocks[block].copies++;
    store->here[tier]++;
    return true;
}

bool sl_store_put_like(struct block_store *store, uint32_t block, uint32_t tier, uint32_t from)
{
    bool fresh = sl_store_put(store, block, tier);
    if (fresh && store->order == SL_CACHE_LRU)
        store_copy(store, block, tier)->key = store_copy(store, block, from)->key;
    return fresh;
}

void sl_store_take(struct block_store *store, uint32_t block, uint32_t tier)
{
    struct stored_copy *copy = store_copy(store, block, tier);
    if (copy->place != SL_NONE)
        heap_remove(store, tier, block);
    copy->here = false;
    store->blocks[block].copies--;
    store->here[tier]--;
    forget_unused(store, block);
}

uint32_t sl_store_first_to_leave(const struct block_store *store, uint32_t tier)
{
    bool any = store->order != SL_CACHE_NONE && store->may_leave[tier];
    return any ? store->heaps[tier][0] : SL_NONE;
}
