/* How jobs come and go: they are fetched from their source, arrive, are admitted in the order of
 * arrival or rejected, and end. */
#include "jobs_events.h"
#include <string.h>

#define MOST_JOBS UINT32_MAX /* a job's number is a word of the counter of its draws */

static void stop(struct sl_jobs_worker *w, enum sl_status status)
{
    if (!w->status)
        w->status = status;
}

/* Asks the source for the next job: open, when the one before it arrives; closed, when its client
 * is done with the last one, of which `t_ps` is then the time of thinking before it. */
static void fetch(struct sl_jobs_worker *w)
{
    const struct sl_jobs_options *options = &w->p->options;
    struct sl_job_arrival arrival = {0};
    bool more = false;
    if (w->source_ended || w->status)
        return;
    stop(w, w->source->next(w->source->user, &arrival, &more, w->err));
    w->source_ended = !more;
    if (w->status || !more)
        return;
    int64_t earliest = options->clients ? 0 : w->now;
    if (w->fetched == MOST_JOBS || arrival.t_ps < earliest || arrival.t_ps >= SL_TIME_LIMIT) {
        stop(w, SL_FAIL(w->err, SL_INVALID, "job %llu: its time, %lld ps, is out of range",
                        (unsigned long long)w->fetched, (long long)arrival.t_ps));
        return;
    }
    if (w->free_job == SL_NONE && !sl_jobs_memory_jobs(w, w->job_places + 1))
        return;
    uint32_t at = w->free_job, values = options->parameter_count;
    struct job *job = &w->jobs[at];
    w->free_job = job->next;
    job->runs = job->next = SL_NONE;
    job->place = arrival.place;
    if (values)
        memcpy(w->parameters + (size_t)at * w->p->value_count, arrival.parameters,
               values * sizeof *w->parameters);
    if (w->p->cache_count)
        sl_jobs_cache_bring(w, at, &arrival);
    job_push(w, options->clients ? w->now + arrival.t_ps : arrival.t_ps, JOB_ARRIVAL, w->fetched++,
             at);
}

/* One more or one less is in the system from now on. */
static inline void count_job(struct sl_jobs_worker *w, uint32_t change)
{
    w->totals.jobs_s += (double)w->in_system * ((double)(w->now - w->counted) * 1e-12);
    w->counted = w->now;
    w->in_system += change;
}

void sl_jobs_flow_begin(struct sl_jobs_worker *w)
{
    for (uint32_t k = 0; k < (w->p->options.clients ? w->p->options.clients : 1); k++)
        fetch(w);
}

/* The job's place is free; closed: its client thinks about the next one. */
static void leave(struct sl_jobs_worker *w, uint32_t at)
{
    w->jobs[at].next = w->free_job;
    w->free_job = at;
    if (w->p->options.clients)
        fetch(w);
}

static bool is_full(const struct sl_jobs_worker *w)
{
    uint32_t most = w->p->options.admitted_most;
    return most && w->admitted >= most;
}

/* From now on the job has runs; false: no memory. */
static bool take_place(struct sl_jobs_worker *w, struct job *job)
{
    if (!w->free_run_count && !sl_jobs_memory_runs(w, w->run_places + 1))
        return false;
    w->admitted++;
    job->admitted = w->now;
    job->runs = w->free_runs[--w->free_run_count];
    return true;
}

static void admit(struct sl_jobs_worker *w, uint32_t at)
{
    const struct sl_jobs_program *p = w->p;
    struct job *job = &w->jobs[at];
    if (!take_place(w, job))
        return;
    struct job_run *runs = job_runs(w, job);
    memcpy(runs, p->template, p->n * sizeof *runs);
    for (uint32_t i = 0; i < p->n; i++) {
        runs[i].job = at;
        int64_t release = runs[i].ready ? job->arrival + runs[i].ready : 0;
        bool released = release >= w->now && release;
        runs[i].ready = released ? release : w->now;
        runs[i].cause = released ? SL_CAUSE_RELEASE : SL_CAUSE_ARRIVAL;
    }
    sl_jobs_draws_fill(w, job);
    if (p->sized_count)
        sl_jobs_sizes_fill(w, job, job_sizes(w, job));
    if (p->needs.on)
        sl_jobs_needs_admit(w, job);
    if (w->watch.node != SL_NONE && job->number == w->watch.job)
        sl_jobs_watch_admit(w, job);
    if (w->story.on && job->number == w->story.job)
        sl_jobs_story_admit(w, job);
    else if (w->story.queued)
        sl_jobs_story_placed(w, at);
    if (p->any_batch)
        sl_jobs_batch_admit(w, job);
    for (uint32_t k = 0; k < p->base->root_count; k++)
        sl_jobs_conditions_met(w, job->runs + p->base->roots[k]);
}

/* The job that was fetched is there; open: the next one is fetched. */
static void come(struct sl_jobs_worker *w, uint32_t at)
{
    struct job *job = &w->jobs[at];
    /* All but its row in a trace, one by one: to clear a structure of this size the compiler takes
     * an instruction (rep stos) that lasts longer than all that is needed here. */
    job->number = w->arrived++;
    job->arrival = w->now;
    job->bypassed = 0;
    job->admitted = job->longest_wait = 0;
    job->need = job->need_alone = 0;
    job->runs = job->next = job->longest_node = SL_NONE;
    job->spill = false;
    job->left = w->p->job_nodes;
    w->totals.last_arrival_ps = w->now;
    if (!w->p->options.clients)
        fetch(w);
}

static inline void count_in(struct sl_jobs_worker *w)
{
    count_job(w, 1);
    if (w->in_system > w->totals.most_jobs)
        w->totals.most_jobs = w->in_system;
}

struct job *sl_jobs_flow_enter(struct sl_jobs_worker *w, uint32_t at)
{
    come(w, at);
    count_in(w);
    return take_place(w, &w->jobs[at]) ? &w->jobs[at] : NULL;
}

static bool is_short(const struct sl_jobs_worker *w, uint32_t at)
{
    return w->p->needs.on && sl_jobs_needs_short(w, &w->jobs[at]);
}

static enum sl_rejection turned_away(const struct sl_jobs_worker *w, uint32_t at)
{
    const struct sl_jobs_options *options = &w->p->options;
    if (w->p->needs.on && sl_jobs_needs_too_large(w, &w->jobs[at]))
        return SL_REJECTED_TOO_LARGE;
    if (is_full(w) && options->when_full == SL_WHEN_FULL_REJECT)
        return SL_REJECTED_FULL;
    if (is_short(w, at) && options->when_short == SL_WHEN_FULL_REJECT)
        return SL_REJECTED_MEMORY;
    return SL_NOT_REJECTED;
}

void sl_jobs_flow_arrive(struct sl_jobs_worker *w, uint32_t at)
{
    come(w, at);
    if (w->p->needs.on)
        sl_jobs_needs_arrive(w, &w->jobs[at]);
    enum sl_rejection rejection = turned_away(w, at);
    if (rejection) {
        sl_jobs_record_job(w, &w->jobs[at], rejection);
        leave(w, at);
        return;
    }
    count_in(w);
    if (w->first_waiting == SL_NONE && !is_full(w) && !is_short(w, at)) {
        admit(w, at);
        return;
    }
    if (w->story.on && w->jobs[at].number == w->story.job)
        sl_jobs_story_queue(w);
    if (w->first_waiting == SL_NONE)
        w->first_waiting = at;
    else
        w->jobs[w->last_waiting].next = at;
    w->last_waiting = at;
}

bool sl_jobs_flow_may_admit(const struct sl_jobs_worker *w)
{
    return w->first_waiting != SL_NONE && !is_full(w) && !is_short(w, w->first_waiting);
}

void sl_jobs_flow_admit(struct sl_jobs_worker *w)
{
    while (sl_jobs_flow_may_admit(w) && !w->status) {
        uint32_t at = w->first_waiting;
        w->first_waiting = w->jobs[at].next;
        admit(w, at);
    }
}

void sl_jobs_flow_leave(struct sl_jobs_worker *w, uint32_t at)
{
    if (w->story.queued)
        sl_jobs_story_left(w, at);
    w->free_runs[w->free_run_count++] = w->jobs[at].runs;
    w->jobs[at].runs = SL_NONE;
    w->admitted--;
    count_job(w, -1u);
    leave(w, at);
}

void sl_jobs_flow_end(struct sl_jobs_worker *w, uint32_t at)
{
    if (w->jobs[at].spill) {
        sl_jobs_spill_end(w, at);
        return;
    }
    sl_jobs_record_job(w, &w->jobs[at], SL_NOT_REJECTED);
    if (w->p->holdings)
        sl_jobs_bytes_give_rest(w, &w->jobs[at]);
    sl_jobs_flow_leave(w, at);
}
