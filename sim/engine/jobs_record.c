/* What one job did, and what a whole replication did. */
#include "jobs_parts.h"
#include "waitlist.h"
#include <string.h>

/* Allocates `count` elements into *pointer; false when out of memory. */
static bool take(struct sl_jobs_worker *w, void *pointer, uint64_t count, size_t size)
{
    void *memory = sl_arena_array(&w->arena, (size_t)count + 1, size);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}
#define TAKE(field, count) take(w, &w->field, (count), sizeof *w->field)

bool sl_jobs_record_create(struct sl_jobs_worker *w)
{
    uint32_t n = w->p->n;
    return TAKE(mark_ps, w->p->options.mark_count) && TAKE(unit_s, w->p->base->resource_count) &&
           TAKE(node_wait_ps, n) && TAKE(node_wait_most_ps, n) && TAKE(node_starved, n) &&
           TAKE(node_runs, n) && TAKE(node_skips, n) && TAKE(watch.overtakers, n) &&
           TAKE(batches, w->p->any_batch ? n : 0) && sl_jobs_story_create(w);
}

void sl_jobs_record_begin(struct sl_jobs_worker *w)
{
    size_t n = w->p->n;
    memset(w->unit_s, 0, w->p->base->resource_count * sizeof *w->unit_s);
    memset(w->node_wait_ps, 0, n * sizeof *w->node_wait_ps);
    memset(w->node_wait_most_ps, 0, n * sizeof *w->node_wait_most_ps);
    memset(w->node_starved, 0, n * sizeof *w->node_starved);
    memset(w->node_runs, 0, n * sizeof *w->node_runs);
    memset(w->node_skips, 0, n * sizeof *w->node_skips);
    memset(w->watch.overtakers, 0, n * sizeof *w->watch.overtakers);
    w->watch.handle = SL_NONE;
    sl_jobs_story_begin(w);
    w->record = (struct sl_job_record){.longest_wait_node = SL_NONE, .mark_ps = w->mark_ps};
    if (w->p->any_batch)
        memset(w->batches, 0, n * sizeof *w->batches);
    w->totals = (struct sl_jobs_totals){
        .busy_ps = w->base->busy,
        .unit_s = w->unit_s,
        .peak_bytes = w->base->peak,
        .pressure_byte_s = w->base->pressure,
        .staging_byte_s = w->base->staging_pressure,
        .class_busy_ps = w->base->class_busy,
        .overlap_ps = w->base->overlap,
        .node_wait_ps = w->node_wait_ps,
        .node_wait_most_ps = w->node_wait_most_ps,
        .node_starved = w->node_starved,
        .node_runs = w->node_runs,
        .node_skips = w->node_skips,
        .overtakers = w->watch.node == SL_NONE ? NULL : w->watch.overtakers,
        .batches = w->p->any_batch ? w->batches : NULL,
    };
}

/* ---- one job --------------------------------------------------------------------------------- */

uint32_t sl_jobs_record_last(const struct sl_jobs_worker *w, const struct job *job)
{
    const struct job_run *runs = job_runs(w, job);
    uint32_t last = 0;
    for (uint32_t i = 1; i < w->p->n; i++)
        last = runs[i].finish > runs[last].finish ? i : last;
    return last;
}

struct sl_job_link sl_jobs_record_link(const struct sl_jobs_worker *w, const struct job *job,
                                       uint32_t node)
{
    const struct job_run *runs = job_runs(w, job), *run = &runs[node];
    struct sl_job_link link = {
        .node = node,
        .behind = run->behind,
        .skipped = run->skip,
        .condition = run->cause,
        .cause = SL_CAUSE_QUEUE,
        .origin_ps = run->behind == SL_NONE ? job->admitted : runs[run->behind].finish,
        .ready_ps = run->ready,
        .start_ps = run->finish, /* when it was ready, or a fetch of nothing when its turn came */
        .finish_ps = run->finish,
    };
    if (run->skip)
        return link;
    link.cause = run->fail;
    link.start_ps = run->start;
    link.isolated_ps = run->duration + run->latency;
    if (w->p->nodes[node].flags & NODE_BATCH)
        link.paused_ps = w->members[job->runs + node].paused;
    return link;
}

/* Back from the node that finished last to the admission: what it waited for when it was ready,
 * then the lag behind the condition that made it so, or a release.  False: the links do not meet.
 */
static bool walk_chain(const struct sl_jobs_worker *w, const struct job *job,
                       struct sl_job_record *record)
{
    int64_t covered = job->admitted - job->arrival;
    for (uint32_t i = sl_jobs_record_last(w, job), steps = 0; i != SL_NONE; steps++) {
        const struct sl_job_link link = sl_jobs_record_link(w, job, i);
        int64_t lag = link.ready_ps - link.origin_ps;
        if (lag < 0 || steps == w->p->n)
            return false;
        record->run_ps += link.finish_ps - link.start_ps - link.paused_ps;
        record->isolated_ps += link.isolated_ps;
        record->wait_ps[SL_CAUSE_QUEUE] += link.paused_ps;
        record->wait_ps[link.cause] += link.start_ps - link.ready_ps;
        record->wait_ps[link.behind == SL_NONE ? link.condition : SL_CAUSE_LAG] += lag;
        covered += link.finish_ps - link.origin_ps;
        i = link.behind;
    }
    return covered == record->finish_ps - record->arrival_ps;
}

static void fill_ended(struct sl_jobs_worker *w, const struct job *job)
{
    struct sl_job_record *record = &w->record;
    const struct job_run *runs = job_runs(w, job);
    record->admitted_ps = job->admitted;
    record->finish_ps = w->now;
    record->longest_wait_ps = job->longest_wait;
    record->longest_wait_node = job->longest_node;
    record->bypassed = job->bypassed;
    for (uint32_t k = 0; k < w->p->options.mark_count; k++) {
        const struct job_run *run = &runs[w->p->options.marks[k]];
        w->mark_ps[k] = run->skip ? -1 : run->finish;
    }
    if (w->story.at != SL_NONE)
        record->story = sl_jobs_story_end(w, job);
    if (!walk_chain(w, job, record))
        sl_worker_fault(w->base, "internal: the chain of job %llu does not cover its latency",
                        (unsigned long long)job->number);
    w->totals.completed++;
}

const char *sl_rejection_name(enum sl_rejection rejection)
{
    static const char *const names[SL_REJECTIONS] = {
        [SL_NOT_REJECTED] = "",
        [SL_REJECTED_FULL] = "full",
        [SL_REJECTED_MEMORY] = "memory",
        [SL_REJECTED_TOO_LARGE] = "too-large",
    };
    return names[rejection];
}

void sl_jobs_record_job(struct sl_jobs_worker *w, const struct job *job,
                        enum sl_rejection rejection)
{
    struct sl_job_record *record = &w->record;
    memset(record, 0, sizeof *record);
    record->job = job->number;
    record->arrival_ps = job->arrival;
    record->admitted_ps = record->finish_ps = -1;
    record->rejected = rejection != SL_NOT_REJECTED;
    record->rejection = rejection;
    record->parameters = job_parameters(w, job);
    record->mark_ps = w->mark_ps;
    record->longest_wait_node = SL_NONE;
    if (!record->rejected)
        fill_ended(w, job);
    else {
        w->totals.rejected++;
        w->totals.rejected_for[rejection]++;
        for (uint32_t k = 0; k < w->p->options.mark_count; k++)
            w->mark_ps[k] = -1;
    }
    if (w->visit && !w->status)
        w->status = w->visit(w->user, record, w->err);
}

void sl_jobs_record_lone(struct sl_jobs_worker *w, const struct job *job)
{
    struct sl_job_record *record = &w->record; /* all else is zero from the beginning */
    const struct job_run *run = &w->runs[job->runs];
    record->job = job->number;
    record->arrival_ps = record->admitted_ps = job->arrival;
    record->finish_ps = w->now;
    record->parameters = job_parameters(w, job);
    record->run_ps = w->now - job->arrival;
    record->isolated_ps = run->duration;
    for (uint32_t k = 0; k < w->p->options.mark_count; k++)
        w->mark_ps[k] = w->now;
    w->totals.completed++;
    if (w->visit && !w->status)
        w->status = w->visit(w->user, record, w->err);
}

/* ---- one run --------------------------------------------------------------------------------- */

void sl_jobs_worker_watch(struct sl_jobs_worker *worker, uint64_t job, uint32_t node)
{
    worker->watch.job = job;
    worker->watch.node = node;
}

void sl_jobs_watch_admit(struct sl_jobs_worker *w, const struct job *job)
{
    w->watch.handle = job->runs + w->watch.node;
}

void sl_jobs_watch_start(struct sl_jobs_worker *w, const struct job_run *run)
{
    if (w->story.at != SL_NONE)
        sl_jobs_story_start(w, (uint32_t)(run - w->runs));
    if (w->watch.handle == SL_NONE)
        return;
    const struct job_run *watched = &w->runs[w->watch.handle];
    if (w->jobs[watched->job].number != w->watch.job || watched->phase > PHASE_WAITING)
        w->watch.handle = SL_NONE; /* it has started or was skipped */
    else if (watched->phase == PHASE_WAITING && run->ready > watched->ready &&
             in_common(w->p->base, run->node, watched->node))
        w->watch.overtakers[run->node]++;
}

/* ---- the replication ------------------------------------------------------------------------- */

void sl_jobs_record_end(struct sl_jobs_worker *w)
{
    w->totals.arrived = w->arrived;
    w->totals.end_ps = w->now;
    w->totals.hypothetical = w->base->record.hypothetical;
    w->totals.outcome = w->in_system ? SL_DEADLOCK : SL_DONE;
    w->totals.jobs_s += (double)w->in_system * ((double)(w->now - w->counted) * 1e-12);
    sl_worker_mirror_overlaps(w->base, w->base->overlap);
}
