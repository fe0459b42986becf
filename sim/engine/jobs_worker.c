/* A worker for jobs, and the frame of a replication: reset, the loop, then what must hold at its
 * end. */
#include "jobs_parts.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_jobs_worker_create(struct sl_jobs_worker **worker,
                                     const struct sl_jobs_program *program, struct sl_error *err)
{
    *worker = NULL;
    struct sl_jobs_worker *w = calloc(1, sizeof *w);
    if (!w)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    w->p = program;
    w->watch.node = SL_NONE;
    w->err = err;
    enum sl_status status = sl_worker_create(&w->base, program->base, err);
    if (!status && !sl_jobs_memory_create(w))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for jobs of %u nodes", program->n);
    if (status) {
        sl_jobs_worker_free(w);
        return status;
    }
    *worker = w;
    return SL_OK;
}

void sl_jobs_worker_free(struct sl_jobs_worker *worker)
{
    if (!worker)
        return;
    sl_jobs_memory_free(worker);
    sl_worker_free(worker->base);
    free(worker);
}

/* Places keep their memory; what an earlier replication left in them is forgotten. */
static void reset(struct sl_jobs_worker *w)
{
    w->now = w->counted = 0;
    w->status = SL_OK;
    w->in_system = w->admitted = 0;
    w->fetched = w->arrived = 0;
    w->source_ended = false;
    w->first_waiting = w->last_waiting = w->free_job = SL_NONE;
    for (uint32_t k = w->job_places; k-- > 0;) {
        w->jobs[k].next = w->free_job;
        w->jobs[k].runs = SL_NONE;
        w->free_job = k;
    }
    for (w->free_run_count = 0; w->free_run_count < w->run_places; w->free_run_count++)
        w->free_runs[w->free_run_count] = (w->run_places - 1 - w->free_run_count) * w->p->n;
    memset(w->held, 0, (size_t)w->run_places * w->p->holdings);
    w->heap[0].t = INT64_MAX;
    w->heap_count = w->batch_count = w->skip_count = w->unhindered_count = 0;
    w->starter_count = w->dirty_count = w->scan = w->listed_waiting = 0;
    w->scan_needed = false;
    w->batch_next = INT64_MAX;
    for (uint32_t q = 0; q < w->p->queue_count; q++) {
        struct job_queue_run *queue = &w->queues[q];
        *queue = (struct job_queue_run){.items = queue->items, .places = queue->places};
    }
    for (unsigned order = 0; order <= SL_ORDER_ISSUE; order++)
        w->lists[order].filled_count = 0;
}

static void begin(struct sl_jobs_worker *w, uint64_t seed, uint32_t trial)
{
    sl_worker_reset(w->base, trial, 0);
    w->base->seed = seed;
    sl_capacity_begin(w->base);
    sl_contend_begin(w->base);
    sl_jobs_sharing_begin(w);
    reset(w);
    sl_jobs_draws_begin(w);
    sl_jobs_record_begin(w);
    sl_jobs_use_begin(w);
    sl_jobs_cache_begin(w);
    sl_jobs_needs_begin(w);
}

/* Everything borrowed is back: units here, bytes in sl_capacity_end. */
static void check_returned(struct sl_jobs_worker *w)
{
    const struct sl_program *base = w->p->base;
    for (uint32_t r = 0; r < base->resource_count; r++)
        if (w->base->resources[r].free != base->resources[r].units || w->base->resources[r].users)
            sl_worker_fault(w->base, "internal: units of '%s' were lost",
                            base->graph->platform->resource_names.names[r]);
    if (w->totals.arrived != w->totals.completed + w->totals.rejected)
        sl_worker_fault(w->base, "internal: jobs were lost");
}

static void end(struct sl_jobs_worker *w)
{
    sl_jobs_record_end(w);
    sl_jobs_use_end(w);
    if (w->totals.outcome == SL_DEADLOCK) {
        w->base->stopped = true; /* what is held stays held */
        sl_jobs_deadlock_report(w);
    } else
        check_returned(w);
    sl_jobs_cache_end(w);
    sl_capacity_end(w->base);
}

enum sl_status sl_jobs_run(struct sl_jobs_worker *worker, uint64_t seed, uint32_t trial,
                           const struct sl_job_source *source, sl_job_visit visit, void *user,
                           const struct sl_jobs_totals **totals, struct sl_error *err)
{
    struct sl_jobs_worker *w = worker;
    *totals = NULL;
    w->source = source;
    w->visit = visit;
    w->user = user;
    w->err = err;
    begin(w, seed, trial);
    if (w->p->lone && !w->story.on)
        sl_jobs_lone_loop(w);
    else
        sl_jobs_loop(w);
    if (!w->status && !w->base->fault)
        end(w);
    if (w->status)
        return w->status;
    const char *fault = w->base->fault;
    if (fault)
        return SL_FAIL(err, strncmp(fault, "internal:", 9) == 0 ? SL_SYSTEM : SL_INVALID,
                       "%s (trial %u)", fault, trial);
    *totals = &w->totals;
    return SL_OK;
}
