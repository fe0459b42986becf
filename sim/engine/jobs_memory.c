/* What a replication changes, and how it grows: by doubling, with the largest number of jobs in the
 * system and of runs of admitted jobs, so that the loop itself never looks for room. */
#include "jobs_parts.h"
#include "stretch.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_JOBS 64
#define FIRST_RUNS 256

static bool fail(struct sl_jobs_worker *w)
{
    if (!w->status)
        w->status =
            SL_FAIL(w->err, SL_SYSTEM, "out of memory for %u jobs in the system", w->in_system);
    return false;
}

#define STRETCH(field, count) stretch(&(field), (count), sizeof *(field))

static bool stretch_events(struct sl_jobs_worker *w, uint64_t jobs, uint64_t runs)
{
    uint64_t places = jobs + runs * w->p->n + 1; /* a job's arrival, a run's end or readiness */
    if (places <= w->heap_places)
        return true;
    if (places > UINT32_MAX || !STRETCH(w->heap, places))
        return fail(w);
    w->heap_places = (uint32_t)places;
    return true;
}

bool sl_jobs_memory_jobs(struct sl_jobs_worker *w, uint32_t places)
{
    if (places <= w->job_places)
        return true;
    uint32_t wanted = places > UINT32_MAX / 4 ? places : 2 * places;
    wanted = wanted < FIRST_JOBS ? FIRST_JOBS : wanted;
    uint64_t values = (uint64_t)wanted * w->p->value_count + 1;
    if (!stretch_events(w, wanted, w->run_places) || !STRETCH(w->jobs, wanted) ||
        !STRETCH(w->parameters, values))
        return fail(w);
    size_t caches = w->p->cache_count;
    if (caches && !STRETCH(w->blocks, wanted * caches))
        return fail(w);
    if (caches)
        memset(w->blocks + w->job_places * caches, 0,
               (wanted - w->job_places) * caches * sizeof *w->blocks);
    for (uint32_t k = wanted; k-- > w->job_places;) {
        w->jobs[k].next = w->free_job;
        w->jobs[k].runs = SL_NONE;
        w->free_job = k;
    }
    w->job_places = wanted;
    return true;
}

static bool stretch_waiting(struct sl_jobs_worker *w, uint64_t jobs)
{
    for (uint32_t q = 0; q < w->p->queue_count; q++) {
        /* Twice as many as can wait: those that remain move to the front when the end is reached.
         */
        uint64_t places = 2 * jobs * w->p->queues[q].nodes + 1;
        if (places > UINT32_MAX || !STRETCH(w->queues[q].items, places))
            return false;
        w->queues[q].places = (uint32_t)places;
    }
    for (uint32_t c = 0; c < w->p->base->cell_count; c++)
        if (!STRETCH(w->cell_heaps[c], jobs * w->p->base->cells[c].heap.count + 1))
            return false;
    return true;
}

bool sl_jobs_memory_runs(struct sl_jobs_worker *w, uint32_t places)
{
    const struct sl_jobs_program *p = w->p;
    if (places <= w->run_places)
        return true;
    uint64_t wanted = 2 * (uint64_t)places;
    if (wanted * p->n < FIRST_RUNS)
        wanted = FIRST_RUNS / p->n;
    uint64_t runs = wanted * p->n;
    if (runs > UINT32_MAX / 2) {
        if (!w->status)
            w->status = SL_FAIL(w->err, SL_INVALID,
                                "%u jobs of %u nodes are in the system at once, which is too many: "
                                "do they arrive faster than they can be served?",
                                places, p->n);
        return false;
    }
    if (!stretch_events(w, w->job_places, wanted) || !STRETCH(w->runs, runs) ||
        !STRETCH(w->members, p->any_batch ? runs : 1) ||
        !STRETCH(w->raw, p->base->regime_count ? runs : 1) ||
        !STRETCH(w->drawn, p->any_late ? runs : 1) || !STRETCH(w->held, wanted * p->holdings + 1) ||
        !STRETCH(w->bytes, p->sized_count ? wanted * p->holdings : 1) ||
        !STRETCH(w->free_runs, wanted) || !STRETCH(w->batch, runs) || !STRETCH(w->skips, runs) ||
        !STRETCH(w->generation, runs) || !STRETCH(w->unhindered, runs) ||
        !STRETCH(w->starters, runs) || !stretch_waiting(w, wanted) ||
        (p->needs.on && !sl_jobs_needs_stretch(w, wanted)))
        return fail(w);
    memset(w->held + (uint64_t)w->run_places * p->holdings, 0,
           (wanted - w->run_places) * p->holdings);
    for (uint32_t k = (uint32_t)wanted; k-- > w->run_places;)
        w->free_runs[w->free_run_count++] = k * p->n;
    w->run_places = (uint32_t)wanted;
    return true;
}

/* Allocates `count` elements into *pointer; false when out of memory. */
static bool take(struct sl_jobs_worker *w, void *pointer, uint64_t count, size_t size)
{
    void *memory = sl_arena_array(&w->arena, (size_t)count + 1, size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}
#define TAKE(field, count) take(w, &w->field, (count), sizeof *w->field)

static bool create_lists(struct sl_jobs_worker *w)
{
    const struct sl_jobs_program *p = w->p;
    uint32_t queues[SL_ORDER_ISSUE + 1] = {0};
    for (uint32_t q = 0; q < p->queue_count; q++)
        queues[p->queues[q].order] += !p->queues[q].simple;
    for (uint32_t k = 0; k <= SL_ORDER_ISSUE; k++) {
        w->lists[k].every = p->base->lists[k].every;
        w->lists[k].aging = p->base->lists[k].aging;
        if (!TAKE(lists[k].filled, queues[k]) || !TAKE(lists[k].open, queues[k]))
            return false;
    }
    return true;
}

bool sl_jobs_memory_create(struct sl_jobs_worker *w)
{
    const struct sl_jobs_program *p = w->p;
    w->free_job = w->first_waiting = w->last_waiting = SL_NONE;
    return TAKE(queues, p->queue_count) && TAKE(dirty, p->queue_count) &&
           TAKE(cell_heaps, p->base->cell_count) && create_lists(w) && sl_jobs_draws_create(w) &&
           sl_jobs_record_create(w) && sl_jobs_cache_create(w) && sl_jobs_needs_create(w) &&
           sl_jobs_memory_jobs(w, 1) && sl_jobs_memory_runs(w, 1);
}

void sl_jobs_memory_free(struct sl_jobs_worker *w)
{
    for (uint32_t q = 0; w->queues && q < w->p->queue_count; q++)
        free(w->queues[q].items);
    for (uint32_t c = 0; w->cell_heaps && c < w->p->base->cell_count; c++)
        free(w->cell_heaps[c]);
    free(w->sharing.kappa);
    free(w->sharing.hypothetical);
    sl_jobs_cache_free(w);
    free(w->jobs);
    free(w->parameters);
    free(w->runs);
    free(w->members);
    free(w->raw);
    free(w->drawn);
    free(w->held);
    free(w->bytes);
    free(w->needs.left);
    free(w->needs.bytes);
    free(w->free_runs);
    free(w->heap);
    free(w->batch);
    free(w->skips);
    free(w->generation);
    free(w->unhindered);
    free(w->starters);
    free(w->story.holders);
    free(w->story.holding);
    free(w->story.placed);
    free(w->story.admitted);
    sl_arena_free(&w->arena);
}
