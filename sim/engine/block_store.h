/* Where the blocks of one shared object lie: a set of named blocks over tiers, each of which may
 * have a copy of any block.  Knows nothing of time or bytes.
 *
 * A block is **pinned** by those who use it: no copy of it may leave then.  Of the others, each
 * tier knows whom to give up first: with SL_CACHE_LRU the one whose last pin was removed the
 * longest time ago, with SL_CACHE_FIFO the one that came first, whoever used it since. */
#ifndef SL_BLOCK_STORE_H
#define SL_BLOCK_STORE_H
#include "jobs.h"

struct stored_block {
    uint64_t name;
    uint32_t pins;
    uint32_t copies; /* tiers that have it */
    uint32_t next;   /* behind it in its bucket, or among the free ones; SL_NONE */
};

/* A block's copy in one tier. */
struct stored_copy {
    uint64_t key;   /* the least leaves first */
    uint32_t place; /* in the tier's heap of those that may leave; SL_NONE: not in it */
    bool here;
};

struct block_store {
    uint32_t tiers;
    enum sl_cache_order order;
    uint64_t *clock; /* of keys; shared by stores, so that they compare */
    struct stored_block *blocks;
    struct stored_copy *copies; /* per block, `tiers` of them */
    uint32_t *buckets;
    uint32_t places, free; /* places: a power of two, or 0 */
    uint32_t *heaps[SL_CACHE_TIERS];
    uint32_t may_leave[SL_CACHE_TIERS]; /* blocks in each heap */
    uint32_t here[SL_CACHE_TIERS];      /* copies in each tier */
};

void sl_store_open(struct block_store *store, uint32_t tiers, enum sl_cache_order order,
                   uint64_t *clock);
void sl_store_close(struct block_store *store);
/* Forgets all blocks, and keeps the memory. */
void sl_store_clear(struct block_store *store);

/* The block of that name; SL_NONE: it lies nowhere, and nobody has pinned it. */
uint32_t sl_store_find(const struct block_store *store, uint64_t name);
/* Pins the block of that name, which need not lie anywhere yet; SL_NONE: out of memory. */
uint32_t sl_store_pin(struct block_store *store, uint64_t name);
void sl_store_unpin(struct block_store *store, uint32_t block);
/* Unpins it as if nobody had used it. */
void sl_store_put_back(struct block_store *store, uint32_t block);
/* The (pinned) block has a copy in that tier from now on; false: it had one. */
bool sl_store_put(struct block_store *store, uint32_t block, uint32_t tier);
/* ... as old as that in `from`, where the order is SL_CACHE_LRU. */
bool sl_store_put_like(struct block_store *store, uint32_t block, uint32_t tier, uint32_t from);
/* ... has none any more; what lies nowhere and nobody has pinned is forgotten. */
void sl_store_take(struct block_store *store, uint32_t block, uint32_t tier);
/* Who leaves that tier first; SL_NONE: nobody may. */
uint32_t sl_store_first_to_leave(const struct block_store *store, uint32_t tier);

static inline struct stored_copy *store_copy(const struct block_store *store, uint32_t block,
                                             uint32_t tier)
{
    return &store->copies[(size_t)block * store->tiers + tier];
}
/* The first tier that has the block. */
static inline uint32_t store_tier(const struct block_store *store, uint32_t block)
{
    uint32_t tier = 0;
    while (!store_copy(store, block, tier)->here)
        tier++;
    return tier;
}
#endif
