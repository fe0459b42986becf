/* The short way of a plan whose only node nothing holds up: it starts when its job arrives, and
 * those that run share the machine.  The records are those of the general loop (jobs.c), bit by
 * bit:
 *
 *     1. finishes at t, by job
 *     2. jobs that come at t start; those that take no time end, by job
 *     3. the clock is brought to t */
#include "jobs_events.h"
#include "jobs_sharing.h"

bool sl_jobs_lone_serves(const struct sl_jobs_program *p)
{
    const uint32_t plain = NODE_SIMPLE | NODE_STRICT;
    return p->n == 1 && p->nodes[0].queue == SL_NONE && p->nodes[0].cell != SL_NONE &&
           !(p->nodes[0].flags & ~plain) && !p->any_release && !p->times_count && !p->holdings &&
           !p->options.clients && !p->options.admitted_most && !p->options.by_memory;
}

static inline void end(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_node *node = &w->p->nodes[0];
    uint32_t at = w->runs[handle].job;
    job_units_used(w, node->resource, node->units, w->jobs[at].arrival);
    sl_jobs_record_lone(w, &w->jobs[at]);
    sl_jobs_flow_leave(w, at);
}

/* Ends the batch, nearly always a single run, by job. */
static void end_batch(struct sl_jobs_worker *w)
{
    job_endings_in_order(w);
    for (uint32_t k = 0; k < w->batch_count; k++)
        end(w, w->batch[k].handle);
    w->batch_count = 0;
}

static inline void start(struct sl_jobs_worker *w, uint32_t at)
{
    const struct sl_program *base = w->p->base;
    struct job *job = sl_jobs_flow_enter(w, at);
    if (!job)
        return;
    struct job_run *run = &w->runs[job->runs];
    run->node = 0;
    run->job = at;
    run->duration =
        base->draw_count ? w->draws.duration[job_column(w, job->number)] : base->fixed_duration[0];
    w->node_runs[0]++;
    if (run->duration < 0)
        sl_jobs_draws_out_of_range(w, job, 0);
    else if (run->duration)
        w->starters[w->starter_count++] = job->runs;
    else
        w->batch[w->batch_count++] = (struct job_ending){job->number, job->runs};
}

/* Time in which one runs, and two; before the number changes. */
static inline void count_time(struct sl_jobs_worker *w, int64_t t)
{
    int64_t elapsed = t - w->now;
    w->sharing.busy_ps += w->sharing.count ? elapsed : 0;
    w->sharing.twice_ps += w->sharing.count > 1 ? elapsed : 0;
}

static void tell_times(struct sl_jobs_worker *w)
{
    const struct job_node *node = &w->p->nodes[0];
    w->base->busy[node->resource] += w->sharing.busy_ps;
    w->base->class_busy[node->klass] += w->sharing.busy_ps;
    w->base->overlap[(size_t)node->klass * (w->p->base->class_count + 1)] += w->sharing.twice_ps;
}

static inline void instant(struct sl_jobs_worker *w, int64_t t)
{
    count_time(w, t);
    w->now = t;
    if (w->base->cell_next == t) {
        sharing_gather(w, t);
        end_batch(w);
    }
    while (w->heap[0].t == t && !w->status)
        start(w, job_pop(w));
    if (w->batch_count)
        end_batch(w);
    sharing_update(w, t);
}

void sl_jobs_lone_loop(struct sl_jobs_worker *w)
{
    sl_jobs_flow_begin(w);
    while (!w->status && !w->base->fault) {
        int64_t t = w->heap[0].t < w->base->cell_next ? w->heap[0].t : w->base->cell_next;
        if (t == INT64_MAX)
            break;
        if (t >= SL_TIME_LIMIT)
            sl_jobs_out_of_time(w);
        else
            instant(w, t);
    }
    tell_times(w);
}
