/* Room for a run whose bytes are not free: blocks of shared objects that nobody has pinned leave,
 * of all that lie in the domain the one worth least first, and only where that is enough.
 *
 * A block that leaves a tier from which its object spills, and is neither in the next lower one nor
 * in a higher one, goes there (jobs_spill.c), for which others leave that tier in turn.  Everything
 * else is dropped at once.
 *
 * Where blocks are written through, those that are made go to the next lower tier as soon as they
 * can, and on from there, and stay, so that they can be dropped when they have to leave. */
#include "jobs_parts.h"
#include "levels.h"
#include "stretch.h"
#include <string.h>

static inline int64_t room_in(const struct sl_jobs_worker *w, uint32_t domain)
{
    return w->base->domains[domain].limit - w->base->domains[domain].level;
}

/* ---- who leaves ------------------------------------------------------------------------------ */

struct leaver {
    uint32_t cache, tier, block; /* block: SL_NONE where nobody may leave */
    uint64_t key;
};

/* Of the copies in the domain that are at least so many spills below their home, the one that
 * leaves first. */
static struct leaver first_leaver(const struct sl_jobs_worker *w, uint32_t domain, uint32_t depth)
{
    struct leaver best = {.block = SL_NONE};
    for (uint32_t c = 0; c < w->p->cache_count; c++)
        for (uint32_t t = 0; t < w->p->caches[c].tiers; t++) {
            const struct block_store *store = &w->caches[c].store;
            bool may = w->p->caches[c].domain[t] == domain && w->p->caches[c].depth[t] >= depth;
            uint32_t block = may ? sl_store_first_to_leave(store, t) : SL_NONE;
            if (block == SL_NONE)
                continue;
            uint64_t key = store_copy(store, block, t)->key;
            if (best.block == SL_NONE || key < best.key)
                best = (struct leaver){c, t, block, key};
        }
    return best;
}

static int64_t may_leave(const struct sl_jobs_worker *w, uint32_t domain)
{
    int64_t bytes = 0;
    for (uint32_t c = 0; c < w->p->cache_count; c++)
        for (uint32_t t = 0; t < w->p->caches[c].tiers; t++)
            if (w->p->caches[c].domain[t] == domain &&
                sl_store_first_to_leave(&w->caches[c].store, t) != SL_NONE)
                bytes += w->p->caches[c].bytes[t] * w->caches[c].store.may_leave[t];
    return bytes;
}

int64_t sl_jobs_room_more(const struct sl_jobs_worker *w, uint32_t domain)
{
    return w->leaving[domain] + may_leave(w, domain);
}

/* ---- leaving --------------------------------------------------------------------------------- */

static void drop(struct sl_jobs_worker *w, const struct leaver *leaver)
{
    const struct job_cache *cache = &w->p->caches[leaver->cache];
    struct cache_run *run = &w->caches[leaver->cache];
    run->totals.lost[leaver->tier] += run->store.blocks[leaver->block].copies == 1;
    sl_store_take(&run->store, leaver->block, leaver->tier);
    change_level(w->base, cache->domain[leaver->tier], PART_OBJECTS, -cache->bytes[leaver->tier]);
    w->scan_needed = true;
}

static void leave(struct sl_jobs_worker *w, const struct leaver *leaver, uint32_t flags);

/* Finds the bytes of one block in the tier to which it will be spilled, where others may leave for
 * it: they are taken if they are free now, or owed by those that are spilled from there in turn.
 * Those are further from their homes than it, so that no two spills wait for each other. */
enum reserved { NO_ROOM, ROOM_TAKEN, ROOM_OWED };
static enum reserved reserve(struct sl_jobs_worker *w, const struct job_cache *cache, uint32_t tier)
{
    uint32_t domain = cache->domain[tier];
    int64_t bytes = cache->bytes[tier];
    if (bytes > w->base->domains[domain].limit)
        return NO_ROOM;
    while (room_in(w, domain) < bytes) {
        if (w->coming[domain] >= bytes) {
            w->coming[domain] -= bytes;
            return ROOM_OWED;
        }
        struct leaver leaver = first_leaver(w, domain, cache->depth[tier]);
        if (leaver.block == SL_NONE || w->status)
            return NO_ROOM;
        leave(w, &leaver, 0);
    }
    change_level(w->base, domain, PART_OBJECTS, bytes);
    return ROOM_TAKEN;
}

/* While room is made for it, none of its other copies leaves. */
static void leave(struct sl_jobs_worker *w, const struct leaver *leaver, uint32_t flags)
{
    const struct job_cache *cache = &w->p->caches[leaver->cache];
    struct block_store *store = &w->caches[leaver->cache].store;
    uint32_t t = leaver->tier;
    w->caches[leaver->cache].totals.evicted[t]++;
    if (cache->spill[t] == SL_NONE || store_tier(store, leaver->block) < t ||
        store_copy(store, leaver->block, cache->below[t])->here) {
        drop(w, leaver);
        return;
    }
    (void)sl_store_pin(store, store->blocks[leaver->block].name);
    enum reserved reserved = reserve(w, cache, cache->below[t]);
    if (reserved == NO_ROOM) {
        sl_store_put_back(store, leaver->block);
        drop(w, leaver);
        return;
    }
    flags |= reserved == ROOM_OWED ? SPILL_OWED : 0;
    if (sl_jobs_spill_add(w, leaver->cache, t, leaver->block, flags))
        (flags & SPILL_FOR_RUN ? w->leaving : w->coming)[cache->domain[t]] += cache->bytes[t];
}

/* ---- room ------------------------------------------------------------------------------------ */

/* Bytes that have to leave the domain, beside those that are on their way out. */
static int64_t short_of(const struct sl_jobs_worker *w, uint32_t handle, uint32_t domain)
{
    return sl_jobs_bytes_want(w, handle, domain) - room_in(w, domain) - w->leaving[domain];
}

bool sl_jobs_room_make(struct sl_jobs_worker *w, uint32_t handle)
{
    uint32_t domains = w->p->base->domain_count;
    for (uint32_t m = 0; m < domains; m++) {
        int64_t lack = short_of(w, handle, m);
        if (lack > 0 && lack > may_leave(w, m))
            return false;
    }
    memset(w->coming, 0, domains * sizeof *w->coming);
    for (uint32_t m = 0; m < domains; m++)
        while (!w->status && short_of(w, handle, m) > 0) {
            struct leaver leaver = first_leaver(w, m, 0);
            if (leaver.block == SL_NONE)
                break; /* what was spilled took its place in this domain, too */
            leave(w, &leaver, SPILL_FOR_RUN);
        }
    sl_jobs_spill_send(w);
    return !w->status && sl_jobs_bytes_fit(w, handle);
}

/* ---- writing through ------------------------------------------------------------------------- */

void sl_jobs_room_note(struct sl_jobs_worker *w, uint32_t cache, uint32_t tier, uint32_t block)
{
    struct cache_run *run = &w->caches[cache];
    if (!w->p->options.engine.cache_through || w->p->caches[cache].spill[tier] == SL_NONE)
        return;
    if (run->write_count == run->write_places) {
        uint32_t places = run->write_places ? 2 * run->write_places : 64;
        if (!stretch(&run->writes, places, sizeof *run->writes)) {
            (void)sl_jobs_cache_no_memory(w);
            return;
        }
        run->write_places = places;
    }
    run->writes[run->write_count++] = (struct job_block){.block = block, .tier = tier};
    w->writes_due = true;
}

static void write_block(struct sl_jobs_worker *w, uint32_t c, const struct job_block *item)
{
    const struct job_cache *cache = &w->p->caches[c];
    struct block_store *store = &w->caches[c].store;
    uint32_t below = cache->below[item->tier];
    if (store_copy(store, item->block, below)->here)
        return;
    (void)sl_store_pin(store, store->blocks[item->block].name);
    enum reserved reserved = reserve(w, cache, below);
    if (reserved == NO_ROOM)
        sl_store_put_back(store, item->block);
    else
        (void)sl_jobs_spill_add(w, c, item->tier, item->block,
                                SPILL_STAYS | (reserved == ROOM_OWED ? SPILL_OWED : 0));
}

void sl_jobs_room_write(struct sl_jobs_worker *w)
{
    w->writes_due = false;
    memset(w->coming, 0, w->p->base->domain_count * sizeof *w->coming);
    for (uint32_t c = 0; c < w->p->cache_count; c++) {
        struct cache_run *run = &w->caches[c];
        for (uint32_t k = 0; k < run->write_count && !w->status; k++)
            write_block(w, c, &run->writes[k]);
        run->write_count = 0;
    }
    if (!w->status)
        sl_jobs_spill_send(w);
}
