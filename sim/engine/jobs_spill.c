/* Spills: what leaves a tier goes to the next lower one, with all of its object that leave that
 * tier in the same round of making room, as the run of one node in a place of a job that is none.
 *
 * Its bytes above come free when that has finished, unless a job has pinned the block meanwhile.
 * Where bytes below are owed by other spills of the round, it waits until those have ended; what
 * they free is its own at once, and a block for which that is too little is dropped.  As spills
 * wait for deeper ones only, which wait for nothing but their resource, each of them ends. */
#include "jobs_events.h"
#include "levels.h"
#include "stretch.h"

static const struct cache_use *use_of(const struct sl_jobs_worker *w, uint32_t handle)
{
    return job_cache_uses(w->p, w->runs[handle].node);
}

static struct job_blocks *load_of(const struct sl_jobs_worker *w, uint32_t handle)
{
    return job_blocks_of(w, w->runs[handle].job, use_of(w, handle)->cache);
}

/* ---- who goes -------------------------------------------------------------------------------- */

bool sl_jobs_spill_add(struct sl_jobs_worker *w, uint32_t cache, uint32_t tier, uint32_t block,
                       uint32_t flags)
{
    struct cache_run *run = &w->caches[cache];
    uint32_t count = run->leaver_count[tier], *places = &run->leaver_places[tier];
    if (count == *places) {
        if (!stretch(&run->leavers[tier], *places ? 2 * *places : 64, sizeof **run->leavers))
            return sl_jobs_cache_no_memory(w);
        *places = *places ? 2 * *places : 64;
    }
    run->leavers[tier][count] = (struct job_block){.block = block, .tier = flags};
    run->leaver_count[tier]++;
    return true;
}

/* A block has left its tier, or stays there: a job has pinned it, or it was only written. */
static void release(struct sl_jobs_worker *w, const struct cache_use *use, uint32_t job,
                    const struct job_block *item)
{
    const struct job_cache *cache = &w->p->caches[use->cache];
    struct cache_run *run = &w->caches[use->cache];
    uint32_t domain = cache->domain[use->from], block = item->block;
    int64_t bytes = cache->bytes[use->from];
    if (item->tier & SPILL_FOR_RUN)
        w->leaving[domain] -= bytes;
    if (item->tier & SPILL_STAYS) {
        sl_store_put_back(&run->store, block);
        return;
    }
    sl_store_unpin(&run->store, block);
    if (run->store.blocks[block].pins) {
        run->totals.kept[use->from]++;
        return;
    }
    run->totals.lost[use->from] += run->store.blocks[block].copies == 1;
    sl_store_take(&run->store, block, use->from);
    change_level(w->base, domain, PART_OBJECTS, -bytes);
    if (w->story.at != SL_NONE)
        sl_jobs_story_given(w, &w->jobs[job], w->p->caches[use->cache].spill[use->from], domain,
                            bytes);
}

/* ---- a place --------------------------------------------------------------------------------- */

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

void sl_jobs_spill_end(struct sl_jobs_worker *w, uint32_t job)
{
    w->free_runs[w->free_run_count++] = w->jobs[job].runs;
    w->jobs[job].runs = SL_NONE;
    w->jobs[job].next = w->free_job;
    w->free_job = job;
}

/* As that of a job's node would be drawn, with the number of the spill in place of the job's. */
static void draw(struct sl_jobs_worker *w, uint32_t handle, uint32_t count)
{
    const struct sl_program *base = w->p->base;
    struct job_run *run = &w->runs[handle];
    const struct sl_node *node = &base->graph->nodes[run->node];
    uint32_t spill = UINT32_MAX - (uint32_t)w->jobs[run->job].number;
    double u, u2;
    double ratio =
        sl_jobs_cache_ratio(w, &w->p->caches[use_of(w, handle)->cache], run->node, count);
    sl_draws_uniforms(w->base->seed, w->base->record.trial, node->key_hash, spill, &u, &u2);
    double raw = sl_dist_value(node->dist, u, u2) * ratio;
    if (base->regime_count)
        w->raw[handle] = raw;
    if (raw * node->scale < 0x1p61)
        run->duration = sl_round_ps(raw * node->scale);
    else
        sl_worker_fault(w->base, "the duration of '%s' is out of range", node->name);
}

/* It joins its queue in the next round of this instant: the scan that makes room may have read that
 * queue already. */
static void begin(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    run->ready = w->now;
    draw(w, handle, load_of(w, handle)->count);
    job_push(w, w->now, JOB_READY, job_run_index(w, run), handle);
}

/* ---- spills that wait for others ------------------------------------------------------------- */

/* Takes bytes that are owed, as far as they are free. */
static void collect(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct cache_use *use = use_of(w, handle);
    const struct job_cache *cache = &w->p->caches[use->cache];
    struct domain_run *below = &w->base->domains[cache->domain[use->to]];
    struct job_blocks *load = load_of(w, handle);
    for (uint32_t k = 0; k < load->count; k++)
        if (load->items[k].tier & SPILL_OWED &&
            below->limit - below->level >= cache->bytes[use->to]) {
            load->items[k].tier &= ~(uint32_t)SPILL_OWED;
            change_level(w->base, cache->domain[use->to], PART_OBJECTS, cache->bytes[use->to]);
        }
}

/* Drops what has no room below. */
static void drop_owed(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_blocks *load = load_of(w, handle);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < load->count; k++)
        if (load->items[k].tier & SPILL_OWED)
            release(w, use_of(w, handle), w->runs[handle].job, &load->items[k]);
        else
            load->items[kept++] = load->items[k];
    w->scan_needed |= kept < load->count;
    load->count = kept;
}

static bool waits_for(const struct sl_jobs_worker *w, uint32_t handle, uint64_t round,
                      const struct job_cache *cache, uint32_t tier)
{
    const struct cache_use *use = use_of(w, handle);
    const struct job_cache *own = &w->p->caches[use->cache];
    return load_of(w, handle)->round == round && own->domain[use->to] == cache->domain[tier] &&
           own->depth[use->from] < cache->depth[tier];
}

static void hand_on(struct sl_jobs_worker *w, const struct cache_use *use, uint64_t round,
                    bool ended);

/* Nothing more will come free for it: it begins with what has room. */
static void settle(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_blocks *load = load_of(w, handle);
    uint32_t count = load->count;
    drop_owed(w, handle);
    if (load->count)
        begin(w, handle);
    else
        sl_jobs_spill_end(w, w->runs[handle].job);
    if (load->count < count)
        hand_on(w, use_of(w, handle), load->round, !load->count);
}

/* What a spill of the round has freed is for those that wait for it; ended: it frees no more. */
static void hand_on(struct sl_jobs_worker *w, const struct cache_use *use, uint64_t round,
                    bool ended)
{
    for (uint32_t k = 0; k < w->pending_count; k++) {
        uint32_t handle = w->pending[k];
        if (!waits_for(w, handle, round, &w->p->caches[use->cache], use->from))
            continue;
        collect(w, handle);
        load_of(w, handle)->waits -= ended;
    }
    for (uint32_t k = 0; k < w->pending_count;) {
        uint32_t handle = w->pending[k];
        if (load_of(w, handle)->waits) {
            k++;
            continue;
        }
        w->pending_count--;
        memmove(w->pending + k, w->pending + k + 1, (w->pending_count - k) * sizeof *w->pending);
        settle(w, handle);
        k = 0; /* others may be gone with it */
    }
}

static void add_pending(struct sl_jobs_worker *w, uint32_t handle)
{
    if (w->pending_count == w->pending_places) {
        uint32_t places = w->pending_places ? 2 * w->pending_places : 16;
        if (!stretch(&w->pending, places, sizeof *w->pending)) {
            (void)sl_jobs_cache_no_memory(w);
            return;
        }
        w->pending_places = places;
    }
    w->pending[w->pending_count++] = handle;
}

/* ---- all that leaves in a round -------------------------------------------------------------- */

/* Sends away what leaves one tier of one object, after all that may wait for it. */
static void send(struct sl_jobs_worker *w, uint32_t c, uint32_t tier, uint64_t round)
{
    const struct job_cache *cache = &w->p->caches[c];
    struct cache_run *run = &w->caches[c];
    struct job *job = open_place(w, cache->spill[tier]);
    if (!job)
        return;
    uint32_t handle = job->runs + cache->spill[tier], count = run->leaver_count[tier];
    struct job_blocks *load = load_of(w, handle);
    bool owed = false;
    if (!sl_jobs_cache_reserve(w, load, count))
        return;
    memcpy(load->items, run->leavers[tier], count * sizeof *load->items);
    run->leaver_count[tier] = 0;
    load->count = count;
    load->round = round;
    load->waits = 0;
    for (uint32_t k = 0; k < count; k++)
        owed |= (load->items[k].tier & SPILL_OWED) != 0;
    for (uint32_t k = 0; k < w->pending_count; k++)
        load_of(w, w->pending[k])->waits += waits_for(w, w->pending[k], round, cache, tier);
    if (!owed)
        begin(w, handle);
    else
        add_pending(w, handle);
}

void sl_jobs_spill_send(struct sl_jobs_worker *w)
{
    uint64_t round = w->spills; /* of the first of them */
    for (uint32_t depth = 0; depth < SL_CACHE_TIERS; depth++)
        for (uint32_t c = 0; c < w->p->cache_count; c++)
            for (uint32_t t = 0; t < w->p->caches[c].tiers && !w->status; t++)
                if (w->caches[c].leaver_count[t] && w->p->caches[c].depth[t] == depth)
                    send(w, c, t, round);
}

void sl_jobs_spill_finished(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct cache_use *use = use_of(w, handle);
    struct cache_run *run = &w->caches[use->cache];
    const struct job_blocks *load = load_of(w, handle);
    for (uint32_t k = 0; k < load->count; k++) {
        const struct job_block *item = &load->items[k];
        bool stays = item->tier & SPILL_STAYS;
        /* Nobody can have brought it there: whoever looked it up since has found it above. */
        if (stays)
            (void)sl_store_put_like(&run->store, item->block, use->to, use->from);
        else
            (void)sl_store_put(&run->store, item->block, use->to);
        (stays ? run->totals.written : run->totals.spilled)[use->from]++;
        release(w, use, w->runs[handle].job, item);
        if (stays)
            sl_jobs_room_note(w, use->cache, use->to, item->block);
    }
    w->scan_needed = true;
    if (w->pending_count)
        hand_on(w, use, load->round, true);
}
