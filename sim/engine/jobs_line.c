/* Fetches of shared blocks in turn: the jobs of which the maker waits for nothing but its blocks
 * and its resource are in a line, in the order of the maker's list, until it starts.  Those among
 * the first ones are called: their blocks are looked up, and fetched, from all tiers at once.
 *
 *     called: place in the line, from 0, < ahead + servers of the maker's resource that are free
 *
 * The first hop of a fetch has all conditions of its maker, so that its readiness is the time of
 * joining; further ones follow it. */
#include "jobs_parts.h"
#include <stdlib.h>
#include <string.h>

static inline bool is_first_hop(const struct cache_use *use)
{
    return use->role == CACHE_FETCH && use->from == use->tier;
}

static const struct cache_use *fetch_of(const struct sl_jobs_worker *w, uint32_t node)
{
    const struct cache_use *uses = job_cache_uses(w->p, node);
    bool fetches = w->p->cache_use_count[node] && is_first_hop(uses);
    return fetches && w->p->caches[uses->cache].ahead != SL_NONE ? uses : NULL;
}

/* Room for one more behind the last one. */
static bool make_room(struct sl_jobs_worker *w, struct job_line *line)
{
    if (line->tail < line->places)
        return true;
    if (line->head > line->places / 2) {
        line->tail -= line->head;
        line->cursor -= line->head;
        memmove(line->items, line->items + line->head, line->tail * sizeof *line->items);
        line->head = 0;
        return true;
    }
    uint32_t places = line->places ? 2 * line->places : 64;
    struct job_item *items = realloc(line->items, (size_t)places * sizeof *items);
    if (!items) {
        if (!w->status)
            w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for jobs that wait in a line");
        return false;
    }
    line->items = items;
    line->places = places;
    return true;
}

bool sl_jobs_line_join(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    const struct cache_use *fetch = fetch_of(w, run->node);
    if (!fetch || run->skip)
        return false;
    struct job_blocks *blocks = job_blocks_of(w, run->job, fetch->cache);
    if (blocks->called)
        return false;
    run->phase = PHASE_TIMER;
    struct job_line *line = &w->caches[fetch->cache].line;
    if (blocks->in_line || !make_room(w, line))
        return true;
    blocks->in_line = true;
    struct job_item item =
        sl_jobs_wait_item(w, w->jobs[run->job].runs + w->p->caches[fetch->cache].maker);
    item.handle = handle;
    uint32_t at = line->tail++;
    for (; at > line->head && sl_jobs_wait_before(w, false, &item, &line->items[at - 1]); at--)
        line->items[at] = line->items[at - 1];
    line->items[at] = item; /* `passed` is 0: not called */
    if (at < line->cursor)
        line->cursor = at;
    return true;
}

/* How many of the line are called at this time. */
static uint64_t width(const struct sl_jobs_worker *w, uint32_t cache)
{
    const struct job_node *maker = &w->p->nodes[w->p->caches[cache].maker];
    uint64_t ahead = w->p->caches[cache].ahead;
    if (maker->resource == SL_NONE)
        return UINT64_MAX;
    return ahead + (uint64_t)w->base->resources[maker->resource].free / maker->units;
}

static bool is_due(const struct sl_jobs_worker *w, uint32_t cache)
{
    const struct job_line *line = &w->caches[cache].line;
    return line->cursor < line->tail && line->cursor - line->head < width(w, cache);
}

bool sl_jobs_line_due(const struct sl_jobs_worker *w)
{
    for (uint32_t c = 0; c < w->p->cache_count; c++)
        if (is_due(w, c))
            return true;
    return false;
}

/* Once for all fetches of a job: they come at the same time, for the same turn. */
static void note_turn(struct sl_jobs_worker *w, uint32_t cache, int64_t wait_ps)
{
    struct sl_cache_totals *totals = &w->caches[cache].totals;
    totals->turns++;
    totals->turn_ps += wait_ps;
    totals->turns_starved += wait_ps > w->p->options.bound_ps;
    if (wait_ps > totals->turn_most_ps)
        totals->turn_most_ps = wait_ps;
}

/* All fetches of the job that have come to the line. */
static void call(struct sl_jobs_worker *w, uint32_t cache, uint32_t job)
{
    const struct job_cache *c = &w->p->caches[cache];
    struct job_blocks *blocks = job_blocks_of(w, job, cache);
    blocks->called = true;
    blocks->called_ps = w->now;
    for (uint32_t k = 0; k < c->hop_count; k++) {
        uint32_t handle = w->jobs[job].runs + c->hops[k].node;
        const struct job_run *run = &w->runs[handle];
        if (is_first_hop(job_cache_uses(w->p, run->node)) && run->phase == PHASE_TIMER &&
            run->ready <= w->now)
            sl_jobs_called(w, handle);
    }
}

void sl_jobs_line_call(struct sl_jobs_worker *w)
{
    for (uint32_t c = 0; c < w->p->cache_count; c++)
        while (is_due(w, c)) {
            struct job_item *item = &w->caches[c].line.items[w->caches[c].line.cursor++];
            if (item->passed++)
                continue;
            note_turn(w, c, w->now - w->runs[item->handle].ready);
            call(w, c, w->runs[item->handle].job);
        }
}

int64_t sl_jobs_line_wait(const struct sl_jobs_worker *w, const struct job_run *run)
{
    const struct cache_use *fetch = fetch_of(w, run->node);
    if (!fetch)
        return 0;
    const struct job_blocks *blocks = job_blocks_of(w, run->job, fetch->cache);
    bool waited = blocks->called && blocks->called_ps > run->ready;
    return waited ? blocks->called_ps - run->ready : 0;
}

void sl_jobs_line_leave(struct sl_jobs_worker *w, uint32_t cache, uint32_t job)
{
    struct job_line *line = &w->caches[cache].line;
    uint32_t at = line->head;
    while (at < line->tail && w->runs[line->items[at].handle].job != job)
        at++;
    if (at == line->tail)
        return; /* its fetch was skipped, or is called by edges alone */
    memmove(line->items + line->head + 1, line->items + line->head,
            (at - line->head) * sizeof *line->items);
    if (++line->head == line->tail)
        line->head = line->tail = line->cursor = 0;
}
