/* Room for a run whose bytes are not free: blocks of shared objects that nobody has pinned leave,
 * of all that lie in the domain the one worth least first, and only where that is enough.
 *
 * A block that leaves its home, and is not in the tier to which its object spills, goes there with
 * the others that leave for the same run: in a **spill**, the run of one node in a place of a job
 * that is none.  Its bytes at home come free when that has finished, unless a job has pinned the
 * block meanwhile.  Everything else is dropped at once. */
#include "jobs_events.h"
#include "levels.h"
#include <stdlib.h>

static inline int64_t room_in(const struct sl_jobs_worker *w, uint32_t domain)
{
    return w->base->domains[domain].limit - w->base->domains[domain].level;
}

/* ---- who leaves ------------------------------------------------------------------------------ */

struct leaver {
    uint32_t cache, tier, block; /* block: SL_NONE where nobody may leave */
    uint64_t key;
};

/* Of the copies in the domain, in `lowest` or a lower tier of theirs, the one that leaves first. */
static struct leaver first_leaver(const struct sl_jobs_worker *w, uint32_t domain, uint32_t lowest)
{
    struct leaver best = {.block = SL_NONE};
    for (uint32_t c = 0; c < w->p->cache_count; c++)
        for (uint32_t t = lowest; t < w->p->caches[c].tiers; t++) {
            const struct block_store *store = &w->caches[c].store;
            uint32_t block =
                w->p->caches[c].domain[t] == domain ? sl_store_first_to_leave(store, t) : SL_NONE;
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

/* ---- leaving --------------------------------------------------------------------------------- */

static void drop(struct sl_jobs_worker *w, const struct leaver *leaver)
{
    const struct job_cache *cache = &w->p->caches[leaver->cache];
    struct cache_run *run = &w->caches[leaver->cache];
    run->totals.lost += run->store.blocks[leaver->block].copies == 1;
    sl_store_take(&run->store, leaver->block, leaver->tier);
    change_level(w->base, cache->domain[leaver->tier], PART_OBJECTS, -cache->bytes[leaver->tier]);
    w->scan_needed = true;
}

/* Takes the bytes of one block in the tier to which it will be spilled, where others may be dropped
 * for it. */
static bool reserve(struct sl_jobs_worker *w, const struct job_cache *cache)
{
    uint32_t domain = cache->domain[cache->spill_tier];
    int64_t bytes = cache->bytes[cache->spill_tier];
    if (bytes > w->base->domains[domain].limit)
        return false;
    while (room_in(w, domain) < bytes) {
        struct leaver leaver = first_leaver(w, domain, 1);
        if (leaver.block == SL_NONE)
            return false;
        drop(w, &leaver);
    }
    change_level(w->base, domain, PART_OBJECTS, bytes);
    return true;
}

static bool remember_leaver(struct sl_jobs_worker *w, struct cache_run *run, uint32_t block)
{
    if (run->leaver_count == run->leaver_places) {
        uint32_t places = run->leaver_places ? 2 * run->leaver_places : 64;
        uint32_t *leavers = realloc(run->leavers, places * sizeof *leavers);
        if (!leavers) {
            if (!w->status)
                w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for shared blocks");
            return false;
        }
        run->leavers = leavers;
        run->leaver_places = places;
    }
    run->leavers[run->leaver_count++] = block;
    return true;
}

static void leave(struct sl_jobs_worker *w, const struct leaver *leaver)
{
    const struct job_cache *cache = &w->p->caches[leaver->cache];
    struct cache_run *run = &w->caches[leaver->cache];
    run->totals.evicted += !leaver->tier;
    bool spills = !leaver->tier && cache->spill != SL_NONE &&
                  !store_copy(&run->store, leaver->block, cache->spill_tier)->here;
    if (!spills || !reserve(w, cache)) {
        drop(w, leaver);
        return;
    }
    if (!remember_leaver(w, run, leaver->block))
        return;
    (void)sl_store_pin(&run->store, run->store.blocks[leaver->block].name);
    w->leaving[cache->domain[0]] += cache->bytes[0];
}

/* ---- spills ---------------------------------------------------------------------------------- */

/* A place among the jobs, with one run that has not passed: that of `node`. */
static struct job *open_place(struct sl_jobs_worker *w, uint32_t node)
{
    if ((w->free_job == SL_NONE && !sl_jobs_memory_jobs(w, w->job_places + 1)) ||
        (!w->free_run_count && !sl_jobs_memory_runs(w, w->run_places + 1)))
        return NULL;
    uint32_t at = w->free_job;
    struct job *job = &w->jobs[at];
    w->free_job = job->next;
    *job = (struct job){.number = UINT32_MAX - (uint32_t)w->spills++,
                        .arrival = w->now,
                        .admitted = w->now,
                        .left = 1,
                        .next = SL_NONE,
                        .spill = true};
    job->runs = w->free_runs[--w->free_run_count];
    for (uint32_t i = 0; i < w->p->n; i++)
        w->runs[job->runs + i] = (struct job_run){.node = i,
                                                  .job = at,
                                                  .ready = w->now,
                                                  .behind = SL_NONE,
                                                  .cause = SL_CAUSE_CAPACITY,
                                                  .phase = PHASE_PASSED,
                                                  .skip = RUN_SKIP};
    w->runs[job->runs + node].phase = PHASE_TIMER;
    w->runs[job->runs + node].skip = 0;
    return job;
}

/* As that of a job's node would be drawn, with the number of the spill in place of the job's. */
static void draw_spill(struct sl_jobs_worker *w, const struct job_cache *cache, uint32_t handle,
                       uint32_t count)
{
    const struct sl_program *base = w->p->base;
    const struct sl_node *node = &base->graph->nodes[cache->spill];
    double u, u2, ratio = sl_jobs_cache_ratio(w, cache, cache->spill, count);
    sl_draws_uniforms(w->base->seed, w->base->record.trial, node->key_hash,
                      (uint32_t)(w->spills - 1), &u, &u2);
    double raw = sl_dist_value(node->dist, u, u2) * ratio;
    if (base->regime_count)
        w->raw[handle] = raw;
    if (raw * node->scale < 0x1p61)
        w->runs[handle].duration = round_ps(raw * node->scale);
    else
        sl_worker_fault(w->base, "the duration of '%s' is out of range", node->name);
}

/* Sends away what has been pinned for it.  It joins its queue in the next round of this instant:
 * the scan that makes room may have read that queue already. */
static void spill(struct sl_jobs_worker *w, uint32_t c)
{
    const struct job_cache *cache = &w->p->caches[c];
    struct cache_run *run = &w->caches[c];
    struct job *job = open_place(w, cache->spill);
    if (!job)
        return;
    struct job_blocks *blocks = &w->blocks[(size_t)(job - w->jobs) * w->p->cache_count + c];
    if (!sl_jobs_cache_reserve(w, blocks, run->leaver_count))
        return;
    blocks->count = run->leaver_count;
    for (uint32_t k = 0; k < blocks->count; k++)
        blocks->items[k] = (struct job_block){.block = run->leavers[k]};
    run->leaver_count = 0;
    uint32_t handle = job->runs + cache->spill;
    draw_spill(w, cache, handle, blocks->count);
    job_push(w, w->now, JOB_READY, job_run_index(w, &w->runs[handle]), handle);
}

void sl_jobs_room_spilled(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    uint32_t c = job_cache_uses(w->p, run->node)->cache;
    const struct job_cache *cache = &w->p->caches[c];
    struct block_store *store = &w->caches[c].store;
    const struct job_blocks *blocks = &w->blocks[(size_t)run->job * w->p->cache_count + c];
    for (uint32_t k = 0; k < blocks->count; k++) {
        uint32_t block = blocks->items[k].block;
        (void)sl_store_put(store, block, cache->spill_tier);
        sl_store_unpin(store, block);
        if (store->blocks[block].pins) {
            w->caches[c].totals.kept++;
            continue;
        }
        sl_store_take(store, block, 0);
        change_level(w->base, cache->domain[0], PART_OBJECTS, -cache->bytes[0]);
        if (w->story.at != SL_NONE)
            sl_jobs_story_given(w, &w->jobs[run->job], run->node, cache->domain[0],
                                cache->bytes[0]);
    }
    w->leaving[cache->domain[0]] -= cache->bytes[0] * blocks->count;
    w->caches[c].totals.spilled += blocks->count;
    w->scan_needed = true;
}

void sl_jobs_room_spill_end(struct sl_jobs_worker *w, uint32_t job)
{
    w->free_runs[w->free_run_count++] = w->jobs[job].runs;
    w->jobs[job].runs = SL_NONE;
    w->jobs[job].next = w->free_job;
    w->free_job = job;
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
    for (uint32_t m = 0; m < domains; m++)
        while (!w->status && short_of(w, handle, m) > 0) {
            struct leaver leaver = first_leaver(w, m, 0);
            if (leaver.block == SL_NONE)
                break; /* what was spilled took its place in this domain, too */
            leave(w, &leaver);
        }
    for (uint32_t c = 0; c < w->p->cache_count && !w->status; c++)
        if (w->caches[c].leaver_count)
            spill(w, c);
    return !w->status && sl_jobs_bytes_fit(w, handle);
}
