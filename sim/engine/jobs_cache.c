/* Shared objects in the loop: a job looks its blocks up once, when the first of its nodes that
 * mentions the object is ready, and has those that it finds, brings or makes pinned until the last
 * such node has passed.
 *
 * A block that another job is just making or bringing is not waited for: both do, and whoever is
 * second gives its bytes back. */
#include "jobs_parts.h"
#include "levels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sl_jobs_cache_no_memory(struct sl_jobs_worker *w)
{
    if (!w->status)
        w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for shared blocks");
    return false;
}

/* ---- a worker, a replication ----------------------------------------------------------------- */

bool sl_jobs_cache_create(struct sl_jobs_worker *w)
{
    uint32_t count = w->p->cache_count;
    w->caches = sl_arena_array(&w->arena, (size_t)count + 1, sizeof *w->caches);
    w->cache_totals = sl_arena_array(&w->arena, (size_t)count + 1, sizeof *w->cache_totals);
    size_t domains = (size_t)w->p->base->domain_count + 1;
    w->leaving = sl_arena_array(&w->arena, domains, sizeof *w->leaving);
    w->coming = sl_arena_array(&w->arena, domains, sizeof *w->coming);
    if (!w->caches || !w->cache_totals || !w->leaving || !w->coming)
        return false;
    for (uint32_t c = 0; c < count; c++)
        sl_store_open(&w->caches[c].store, w->p->caches[c].tiers, w->p->options.engine.cache_order,
                      &w->cache_clock);
    return true;
}

void sl_jobs_cache_free(struct sl_jobs_worker *w)
{
    for (uint32_t c = 0; w->caches && c < w->p->cache_count; c++) {
        sl_store_close(&w->caches[c].store);
        for (uint32_t t = 0; t < SL_CACHE_TIERS; t++)
            free(w->caches[c].leavers[t]);
        free(w->caches[c].writes);
        free(w->caches[c].line.items);
    }
    for (size_t k = 0; w->blocks && k < (size_t)w->job_places * w->p->cache_count; k++)
        free(w->blocks[k].items);
    free(w->blocks);
    free(w->pending);
}

void sl_jobs_cache_begin(struct sl_jobs_worker *w)
{
    w->cache_clock = w->spills = 0;
    w->pending_count = 0;
    w->writes_due = false;
    memset(w->leaving, 0, w->p->base->domain_count * sizeof *w->leaving);
    for (uint32_t c = 0; c < w->p->cache_count; c++) {
        sl_store_clear(&w->caches[c].store);
        w->caches[c].totals = (struct sl_cache_totals){.tiers = w->p->caches[c].tiers};
        w->caches[c].write_count = 0;
        memset(w->caches[c].leaver_count, 0, sizeof w->caches[c].leaver_count);
        w->caches[c].line.head = w->caches[c].line.tail = w->caches[c].line.cursor = 0;
    }
}

void sl_jobs_cache_end(struct sl_jobs_worker *w)
{
    for (uint32_t c = 0; c < w->p->cache_count; c++) {
        const struct job_cache *cache = &w->p->caches[c];
        struct cache_run *run = &w->caches[c];
        for (uint32_t t = 0; t < cache->tiers; t++) {
            run->totals.left_over[t] = run->store.here[t];
            change_level(w->base, cache->domain[t], PART_OBJECTS,
                         -cache->bytes[t] * run->store.here[t]);
        }
        w->cache_totals[c] = run->totals;
    }
    w->totals.caches = w->cache_totals;
    w->totals.cache_count = w->p->cache_count;
}

bool sl_jobs_cache_reserve(struct sl_jobs_worker *w, struct job_blocks *blocks, uint32_t count)
{
    if (count <= blocks->places)
        return true;
    struct job_block *items = realloc(blocks->items, (size_t)count * sizeof *items);
    if (!items)
        return sl_jobs_cache_no_memory(w);
    blocks->items = items;
    blocks->places = count;
    return true;
}

static bool in_range(struct sl_jobs_worker *w, const struct job_cache *cache, uint32_t count)
{
    for (uint32_t t = 0; t < cache->tiers && !w->status; t++)
        if ((double)cache->bytes[t] * count >= 0x1p61)
            w->status =
                SL_FAIL(w->err, SL_INVALID, "job %llu: its %u blocks of '%s' exceed 2^61 bytes",
                        (unsigned long long)w->fetched, count,
                        w->p->base->graph->objects[cache->object].name);
    return !w->status;
}

void sl_jobs_cache_bring(struct sl_jobs_worker *w, uint32_t job,
                         const struct sl_job_arrival *arrival)
{
    double *values = w->parameters + (size_t)job * w->p->value_count;
    for (uint32_t v = w->p->options.parameter_count; v < w->p->value_count; v++)
        values[v] = NAN;
    for (uint32_t c = 0; c < w->p->cache_count; c++) {
        struct job_blocks *blocks = job_blocks_of(w, job, c);
        if (!in_range(w, &w->p->caches[c], arrival->block_count) ||
            !sl_jobs_cache_reserve(w, blocks, arrival->block_count))
            return;
        *blocks = (struct job_blocks){.items = blocks->items,
                                      .places = blocks->places,
                                      .count = arrival->block_count,
                                      .mentions = w->p->caches[c].mentions};
        for (uint32_t k = 0; k < blocks->count; k++)
            blocks->items[k] = (struct job_block){.name = arrival->blocks[k], .block = SL_NONE};
    }
}

/* ---- lookup ---------------------------------------------------------------------------------- */

double sl_jobs_cache_ratio(const struct sl_jobs_worker *w, const struct job_cache *cache,
                           uint32_t node, uint32_t count)
{
    const struct sl_graph *g = w->p->base->graph;
    const struct sl_node *move = &g->nodes[node];
    const struct sl_route *route = sl_platform_route(g->platform, move->from, move->to);
    int64_t bytes = g->objects[cache->object].bytes * count;
    return move->scale > 0 ? sl_route_hold(g->platform, route, bytes) / move->scale : 0;
}

/* What fetches blocks lasts as long as they take, or is skipped where there are none. */
static void set_fetch(struct sl_jobs_worker *w, const struct job *job,
                      const struct job_cache *cache, uint32_t node, uint32_t count)
{
    uint32_t handle = job->runs + node;
    struct job_run *run = &w->runs[handle];
    if (!count) {
        run->skip = RUN_SKIP;
        return;
    }
    double ratio = sl_jobs_cache_ratio(w, cache, node, count);
    double duration = (double)run->duration * ratio;
    if (w->p->base->fixed_duration[node]) { /* not random, and known without rounding */
        const struct sl_node *move = &w->p->base->graph->nodes[node];
        duration = sl_dist_value(move->dist, 0.5, 0.5) * move->scale * ratio;
    }
    if (w->p->base->regime_count)
        w->raw[handle] *= ratio;
    if (duration < 0x1p61)
        run->duration = sl_round_ps(duration);
    else
        sl_worker_fault(w->base, "the duration of '%s' in job %llu is out of range",
                        w->p->base->graph->nodes[node].name, (unsigned long long)job->number);
}

/* The longest prefix of the job's blocks that lie somewhere. */
static void find_prefix(struct sl_jobs_worker *w, uint32_t c, struct job_blocks *blocks)
{
    struct block_store *store = &w->caches[c].store;
    for (; blocks->found < blocks->count; blocks->found++) {
        struct job_block *item = &blocks->items[blocks->found];
        uint32_t block = sl_store_find(store, item->name);
        if (block == SL_NONE || !store->blocks[block].copies)
            break;
        item->block = sl_store_pin(store, item->name);
        item->tier = store_tier(store, block);
        blocks->found_in[item->tier]++;
    }
    blocks->pinned = blocks->found;
}

static void look_up(struct sl_jobs_worker *w, const struct job *job, uint32_t c)
{
    const struct job_cache *cache = &w->p->caches[c];
    struct sl_cache_totals *totals = &w->caches[c].totals;
    struct job_blocks *blocks = job_blocks_of(w, (uint32_t)(job - w->jobs), c);
    blocks->looked_up = true;
    find_prefix(w, c, blocks);
    double *values =
        w->parameters + (size_t)(job - w->jobs) * w->p->value_count + cache->first_value;
    *values++ = blocks->count;
    for (uint32_t t = 0; t < cache->tiers; t++) {
        *values++ = blocks->found_in[t];
        totals->found[t] += blocks->found_in[t];
    }
    for (uint32_t k = 0; k < cache->hop_count; k++)
        set_fetch(w, job, cache, cache->hops[k].node, blocks->found_in[cache->hops[k].tier]);
    *values = blocks->count - blocks->found;
    totals->looked_up += blocks->count;
    totals->missing += blocks->count - blocks->found;
}

void sl_jobs_cache_ready(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    const struct cache_use *uses = job_cache_uses(w->p, run->node);
    if (run->skip)
        return;
    for (uint32_t k = 0; k < w->p->cache_use_count[run->node]; k++)
        if (uses[k].role != CACHE_SPILL && !job_blocks_of(w, run->job, uses[k].cache)->looked_up)
            look_up(w, &w->jobs[run->job], uses[k].cache);
    if (w->p->any_late)
        sl_jobs_draws_late(w, handle);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Blocks for which a run takes bytes, where it makes or brings them. */
static uint32_t wanted_blocks(const struct sl_jobs_worker *w, const struct job_run *run,
                              const struct cache_use *use)
{
    const struct job_blocks *blocks = job_blocks_of(w, run->job, use->cache);
    switch (use->role) {
    case CACHE_MAKE:
        return blocks->count - blocks->found;
    case CACHE_FETCH:
        return blocks->found_in[use->tier];
    default:
        return 0;
    }
}

int64_t sl_jobs_cache_want(const struct sl_jobs_worker *w, uint32_t handle, uint32_t domain)
{
    const struct job_run *run = &w->runs[handle];
    const struct cache_use *uses = job_cache_uses(w->p, run->node);
    int64_t want = 0;
    for (uint32_t k = 0; k < w->p->cache_use_count[run->node]; k++) {
        const struct job_cache *cache = &w->p->caches[uses[k].cache];
        if (cache->domain[uses[k].to] == domain)
            want += cache->bytes[uses[k].to] * wanted_blocks(w, run, &uses[k]);
    }
    return want;
}

bool sl_jobs_cache_fits(const struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    const struct cache_use *uses = job_cache_uses(w->p, run->node);
    for (uint32_t k = 0; k < w->p->cache_use_count[run->node]; k++) {
        uint32_t m = w->p->caches[uses[k].cache].domain[uses[k].to];
        const struct domain_run *domain = &w->base->domains[m];
        if (sl_jobs_bytes_want(w, handle, m) > domain->limit - domain->level)
            return false;
    }
    return true;
}

void sl_jobs_cache_started(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    const struct cache_use *uses = job_cache_uses(w->p, run->node);
    for (uint32_t k = 0; k < w->p->cache_use_count[run->node]; k++) {
        const struct job_cache *cache = &w->p->caches[uses[k].cache];
        if (uses[k].role == CACHE_SPILL)
            continue; /* its bytes were taken when it was called */
        change_level(w->base, cache->domain[uses[k].to], PART_OBJECTS,
                     cache->bytes[uses[k].to] * wanted_blocks(w, run, &uses[k]));
        job_blocks_of(w, run->job, uses[k].cache)->used |= uses[k].role != CACHE_FETCH;
        if (uses[k].role == CACHE_MAKE)
            sl_jobs_line_leave(w, uses[k].cache, run->job);
    }
}

/* ---- finishes -------------------------------------------------------------------------------- */

/* A pinned block has come to the tier; its bytes were taken.  False: it had come before. */
static bool come_to(struct sl_jobs_worker *w, uint32_t c, uint32_t tier, uint32_t block)
{
    const struct job_cache *cache = &w->p->caches[c];
    if (sl_store_put(&w->caches[c].store, block, tier))
        return true;
    change_level(w->base, cache->domain[tier], PART_OBJECTS, -cache->bytes[tier]);
    w->scan_needed = true;
    return false;
}

static void end_fetch(struct sl_jobs_worker *w, const struct cache_use *use,
                      struct job_blocks *blocks)
{
    struct sl_cache_totals *totals = &w->caches[use->cache].totals;
    uint32_t count = blocks->found_in[use->tier], twice = 0;
    for (uint32_t k = 0; k < blocks->found; k++)
        if (blocks->items[k].tier == use->tier)
            twice += !come_to(w, use->cache, use->to, blocks->items[k].block);
    totals->raised[use->from] += count;
    totals->raised_twice[use->from] += twice;
    if (use->to)
        return;
    totals->fetched += count;
    totals->fetched_twice += twice;
    blocks->fetched += count;
}

static void end_making(struct sl_jobs_worker *w, uint32_t c, struct job_blocks *blocks)
{
    struct sl_cache_totals *totals = &w->caches[c].totals;
    for (uint32_t k = blocks->found; k < blocks->count; k++) {
        uint32_t block = sl_store_pin(&w->caches[c].store, blocks->items[k].name);
        if (block == SL_NONE) {
            (void)sl_jobs_cache_no_memory(w);
            return;
        }
        blocks->items[k].block = block;
        blocks->pinned++;
        totals->made++;
        if (come_to(w, c, 0, block))
            sl_jobs_room_note(w, c, 0, block);
        else
            totals->made_twice++;
    }
}

/* The last first: so the end of a prefix leaves before its beginning. */
static void unpin_all(struct sl_jobs_worker *w, uint32_t c, struct job_blocks *blocks)
{
    for (uint32_t k = blocks->pinned; k-- > 0;)
        sl_store_unpin(&w->caches[c].store, blocks->items[k].block);
    w->scan_needed |= blocks->pinned > 0;
    blocks->pinned = 0;
    if (!blocks->used)
        w->caches[c].totals.fetched_unused += blocks->fetched;
}

void sl_jobs_cache_finished(struct sl_jobs_worker *w, uint32_t handle, bool skipped)
{
    const struct job_run *run = &w->runs[handle];
    const struct cache_use *uses = job_cache_uses(w->p, run->node);
    for (uint32_t k = 0; k < w->p->cache_use_count[run->node]; k++) {
        uint32_t c = uses[k].cache;
        struct job_blocks *blocks = job_blocks_of(w, run->job, c);
        if (uses[k].role == CACHE_SPILL) {
            sl_jobs_spill_finished(w, handle);
            continue;
        }
        if (uses[k].role == CACHE_FETCH && !skipped)
            end_fetch(w, &uses[k], blocks);
        else if (uses[k].role == CACHE_MAKE && !skipped)
            end_making(w, c, blocks);
        else if (uses[k].role == CACHE_MAKE)
            sl_jobs_line_leave(w, c, run->job);
        if (!--blocks->mentions)
            unpin_all(w, c, blocks);
    }
}
