/* The loop of the job engine.  An instant is that of the general loop (instant.c), with jobs:
 *
 *     repeat   1. finishes at t, by (node, job): units, bytes, successors; jobs end
 *              2. jobs that waited for admission are admitted, jobs that come at t arrive; then
 * lags and releases that expire at t, then skips, to a fixpoint
 *              3. one scan over the waiting runs
 *     until nothing more happens at t; then the contention clocks are brought to t once. */
#include "classes.h"
#include "jobs_events.h"
#include <string.h>

/* ---- readiness ------------------------------------------------------------------------------- */

/* It joins those that wait, or is skipped. */
static HOT void proceed(struct sl_jobs_worker *w, uint32_t handle, struct job_run *run)
{
    if (w->p->nodes[run->node].flags & NODE_SHARED)
        sl_jobs_cache_ready(w, handle);
    if (run->skip) {
        w->skips[w->skip_count++] = handle;
        return;
    }
    run->phase = PHASE_WAITING;
    if (run->job == w->story.at)
        sl_jobs_story_wait(w, handle);
    if (w->p->nodes[run->node].queue == SL_NONE)
        w->unhindered[w->unhindered_count++] = handle;
    else
        sl_jobs_wait_join(w, handle);
}

static HOT void become_ready(struct sl_jobs_worker *w, uint32_t handle, struct job_run *run)
{
    if (w->p->nodes[run->node].flags & NODE_SHARED && sl_jobs_line_join(w, handle))
        return;
    proceed(w, handle, run);
}

void sl_jobs_called(struct sl_jobs_worker *w, uint32_t handle)
{
    proceed(w, handle, &w->runs[handle]);
}

static HOT void conditions_met(struct sl_jobs_worker *w, uint32_t handle, struct job_run *run)
{
    if (run->ready <= w->now) {
        become_ready(w, handle, run);
        return;
    }
    run->phase = PHASE_TIMER;
    job_push(w, run->ready, JOB_READY, job_run_index(w, run), handle);
}

void sl_jobs_conditions_met(struct sl_jobs_worker *w, uint32_t handle)
{
    conditions_met(w, handle, &w->runs[handle]);
}

/* The latest condition binds; ties go by cause, then by node. */
static HOT void satisfy(struct sl_jobs_worker *w, uint32_t handle, int64_t at, uint8_t cause,
                        uint32_t behind)
{
    struct job_run *run = &w->runs[handle];
    if (at > run->ready || (at == run->ready && (cause < run->cause ||
                                                 (cause == run->cause && behind < run->behind)))) {
        run->ready = at;
        run->cause = cause;
        run->behind = behind;
    }
    if (!--run->pending)
        conditions_met(w, handle, run);
}

static HOT void node_passed(struct sl_jobs_worker *w, struct job_run *run)
{
    const struct job_node *node = &w->p->nodes[run->node];
    const struct succ *succ = w->p->base->succ + node->succ_first;
    const int64_t *lag = w->p->base->succ_lag + node->succ_first;
    struct job *job = &w->jobs[run->job];
    run->finish = w->now;
    run->phase = PHASE_PASSED;
    if (w->p->needs.on)
        sl_jobs_needs_passed(w, job, run->node);
    for (uint32_t s = 0; s < node->succ_count; s++)
        satisfy(w, job->runs + succ[s].to, succ[s].lagged ? w->now + lag[s] : w->now, succ[s].cause,
                run->node);
    if (!--job->left)
        sl_jobs_flow_end(w, run->job);
}

/* ---- finishes -------------------------------------------------------------------------------- */

static HOT void give_units(struct sl_jobs_worker *w, uint32_t resource, uint32_t units,
                           int64_t since)
{
    struct resource_run *r = &w->base->resources[resource];
    r->free += units;
    job_units_used(w, resource, units, since);
    if (!--r->users)
        w->base->busy[resource] += w->now - r->busy_since;
    job_units_freed(w, resource);
}

/* The end of the hold phase: units and the place in the running set come free. */
static HOT void come_free(struct sl_jobs_worker *w, const struct job_run *run,
                          const struct job_node *node, int64_t since)
{
    const struct sl_program *base = w->p->base;
    if (node->klass != SL_NONE && run->duration)
        class_stopped(w->base, node->klass);
    if (node->flags & NODE_MANY)
        for (uint32_t k = 0; k < base->demand[run->node].count; k++) {
            const struct sl_demand *d = &base->demands[base->demand[run->node].first + k];
            give_units(w, d->resource, d->units, since);
        }
    else if (node->resource != SL_NONE)
        give_units(w, node->resource, node->units, since);
    if (node->flags & NODE_OVERLAP && run->duration) {
        w->base->overlap_running[base->overlap_kind[run->node]]--;
        w->scan_needed = true;
    }
    if (w->story.at != SL_NONE)
        sl_jobs_story_freed(w, (uint32_t)(run - w->runs));
}

/* What follows the hold: the latency, and then its end. */
static HOT void pass_on(struct sl_jobs_worker *w, uint32_t handle, struct job_run *run,
                        const struct job_node *node)
{
    if (run->phase == PHASE_HOLDING && node->flags & NODE_LATENCY && run->latency) {
        run->phase = PHASE_LATENCY;
        job_push(w, w->now + run->latency, JOB_FINISH, job_run_index(w, run), handle);
        return;
    }
    if (node->flags & (NODE_BYTES | NODE_GIVES))
        sl_jobs_bytes_give(w, handle, false);
    node_passed(w, run);
}

void sl_jobs_finish(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    pass_on(w, handle, run, &w->p->nodes[run->node]);
}

static HOT void finish_run(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    const struct job_node *node = &w->p->nodes[run->node];
    bool batch = node->flags & NODE_BATCH && run->phase == PHASE_HOLDING;
    if (run->phase == PHASE_HOLDING)
        come_free(w, run, node, batch ? w->members[handle].since : run->start);
    if (batch)
        sl_jobs_batch_end(w, handle);
    else
        pass_on(w, handle, run, node);
}

/* Finishes with fixed times come from the heap, contended ones from the cells; both by index. */
static void merged_finishes(struct sl_jobs_worker *w, int64_t t)
{
    sl_jobs_contend_gather(w, t);
    while (job_due(w, t, JOB_FINISH)) {
        uint64_t index = w->heap[0].sub;
        w->batch[w->batch_count++] = (struct job_ending){index, job_pop(w)};
    }
    job_endings_in_order(w);
    for (uint32_t k = 0; k < w->batch_count; k++)
        finish_run(w, w->batch[k].handle);
    w->batch_count = 0;
}

static inline void finishes(struct sl_jobs_worker *w, int64_t t)
{
    if (w->base->cell_next == t) {
        merged_finishes(w, t);
        return;
    }
    while (job_due(w, t, JOB_FINISH))
        finish_run(w, job_pop(w));
}

/* ---- arrivals, readiness, skips -------------------------------------------------------------- */

static HOT void note_wait(struct sl_jobs_worker *w, const struct job_run *run)
{
    int64_t wait = w->now - run->ready;
    struct job *job = &w->jobs[run->job];
    if (!wait)
        return;
    if (wait > job->longest_wait || (wait == job->longest_wait && run->node < job->longest_node)) {
        job->longest_wait = wait;
        job->longest_node = run->node;
    }
    if (w->p->nodes[run->node].flags & NODE_SHARED)
        wait -= sl_jobs_line_wait(w, run);
    w->node_wait_ps[run->node] += wait;
    if (wait > w->node_wait_most_ps[run->node])
        w->node_wait_most_ps[run->node] = wait;
    w->node_starved[run->node] += wait > w->p->options.bound_ps;
}

/* The reclamation of an object that is skipped did not happen; staging comes back all the same. */
static void skip_run(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    uint32_t flags = w->p->nodes[run->node].flags;
    if (flags & NODE_GIVES)
        sl_jobs_bytes_give(w, handle, true);
    w->node_skips[run->node]++;
    note_wait(w, run);
    run->phase = PHASE_PASSED;
    if (flags & NODE_ISSUE) {
        w->scan_needed = true;
        sl_jobs_wait_reach(w, handle);
    }
    node_passed(w, run);
}

/* Skips all that are due now, by index; what they bring about is of the next generation. */
static void skip_generation(struct sl_jobs_worker *w)
{
    uint32_t count = w->skip_count;
    memcpy(w->generation, w->skips, count * sizeof *w->skips);
    w->skip_count = 0;
    for (uint32_t k = 1; k < count; k++) {
        uint32_t handle = w->generation[k], at = k;
        uint64_t index = job_run_index(w, &w->runs[handle]);
        for (; at && job_run_index(w, &w->runs[w->generation[at - 1]]) > index; at--)
            w->generation[at] = w->generation[at - 1];
        w->generation[at] = handle;
    }
    for (uint32_t k = 0; k < count; k++)
        skip_run(w, w->generation[k]);
}

static inline bool turn_has_come(const struct sl_jobs_worker *w)
{
    return w->p->cache_count && sl_jobs_line_due(w);
}

static inline void expiries(struct sl_jobs_worker *w, int64_t t)
{
    if (w->writes_due)
        sl_jobs_room_write(w);
    if (w->first_waiting != SL_NONE)
        sl_jobs_flow_admit(w);
    while (job_due(w, t, JOB_ARRIVAL) && !w->status)
        sl_jobs_flow_arrive(w, job_pop(w));
    while (job_due(w, t, JOB_READY)) {
        uint32_t handle = job_pop(w);
        become_ready(w, handle, &w->runs[handle]);
    }
    while (w->skip_count)
        skip_generation(w);
    while (turn_has_come(w)) {
        sl_jobs_line_call(w);
        while (w->skip_count)
            skip_generation(w);
    }
}

/* ---- starts ---------------------------------------------------------------------------------- */

static HOT void take_units(struct sl_jobs_worker *w, uint32_t resource, uint32_t units)
{
    struct resource_run *r = &w->base->resources[resource];
    r->free -= units;
    if (!r->users++)
        r->busy_since = w->now;
}

static HOT void begin(struct sl_jobs_worker *w, struct job_run *run, enum sl_cause cause)
{
    run->phase = PHASE_HOLDING;
    run->start = w->now;
    run->fail = (uint8_t)cause;
    w->node_runs[run->node]++;
    note_wait(w, run);
    if ((w->watch.handle & w->story.at) != SL_NONE) /* either is watched */
        sl_jobs_watch_start(w, run);
}

/* From now on for its duration, in the running set. */
static HOT void hold(struct sl_jobs_worker *w, uint32_t handle, const struct job_run *run,
                     const struct job_node *node)
{
    if (node->klass != SL_NONE && run->duration)
        class_started(w->base, node->klass);
    if (run->duration && node->cell != SL_NONE)
        w->starters[w->starter_count++] = handle;
    else
        job_push(w, w->now + run->duration, JOB_FINISH, job_run_index(w, run), handle);
}

/* Starts a run whose demands are met; `cause`: of its wait, where it waited. */
static HOT void start(struct sl_jobs_worker *w, uint32_t handle, enum sl_cause cause)
{
    const struct sl_program *base = w->p->base;
    struct job_run *run = &w->runs[handle];
    const struct job_node *node = &w->p->nodes[run->node];
    begin(w, run, cause);
    if (node->flags & NODE_MANY)
        for (uint32_t k = 0; k < base->demand[run->node].count; k++) {
            const struct sl_demand *d = &base->demands[base->demand[run->node].first + k];
            take_units(w, d->resource, d->units);
        }
    else if (node->resource != SL_NONE)
        take_units(w, node->resource, node->units);
    if (node->flags & NODE_OVERLAP && run->duration)
        w->base->overlap_running[base->overlap_kind[run->node]]++;
    if (node->flags & NODE_BYTES)
        sl_jobs_bytes_take(w, handle);
    w->scan_needed |= (node->flags & NODE_ISSUE) != 0;
    if (node->flags & NODE_REGIME)
        sl_jobs_draws_complete(w, handle);
    hold(w, handle, run, node);
}

static enum sl_cause cause_of_wait(const struct sl_jobs_worker *w, uint32_t handle)
{
    return w->runs[handle].ready == w->now ? SL_CAUSE_NONE : sl_jobs_wait_cause(w, handle);
}

void sl_jobs_start(struct sl_jobs_worker *w, uint32_t handle)
{
    start(w, handle, cause_of_wait(w, handle));
}

void sl_jobs_begin(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_run *run = &w->runs[handle];
    uint32_t flags = w->p->nodes[run->node].flags;
    begin(w, run, cause_of_wait(w, handle));
    if (flags & NODE_BYTES)
        sl_jobs_bytes_take(w, handle);
    if (flags & NODE_REGIME)
        sl_jobs_draws_complete(w, handle);
}

void sl_jobs_hold(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    const struct job_node *node = &w->p->nodes[run->node];
    take_units(w, node->resource, 1);
    hold(w, handle, run, node);
}

static inline void scan(struct sl_jobs_worker *w)
{
    for (uint32_t k = 0; k < w->unhindered_count; k++)
        start(w, w->unhindered[k], SL_CAUSE_NONE);
    w->unhindered_count = 0;
    if (w->dirty_count || w->listed_waiting)
        sl_jobs_scan(w);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static inline bool more_at(const struct sl_jobs_worker *w, int64_t t)
{
    return w->heap[0].t == t || turn_has_come(w) ||
           (w->first_waiting != SL_NONE && sl_jobs_flow_may_admit(w));
}

static inline void instant(struct sl_jobs_worker *w, int64_t t)
{
    w->now = w->base->now = t;
    do {
        finishes(w, t);
        expiries(w, t);
        scan(w);
    } while (more_at(w, t) && !w->status);
    sl_jobs_contend_update(w, t);
    if (w->base->quiet_count)
        close_classes(w->base);
}

static inline int64_t next_time(const struct sl_jobs_worker *w)
{
    int64_t t = w->heap[0].t < w->batch_next ? w->heap[0].t : w->batch_next;
    return w->base->cell_next < t ? w->base->cell_next : t;
}

/* Nothing runs or becomes ready by itself, and jobs that come later give nothing back to those that
 * are stuck.  Only where runs age may time alone change who is next. */
static inline bool is_stuck(const struct sl_jobs_worker *w)
{
    return w->base->cell_next == INT64_MAX && w->heap_count == w->fetched - w->arrived &&
           w->batch_next == INT64_MAX && w->admitted && !sl_jobs_wait_ages(w);
}

void sl_jobs_out_of_time(struct sl_jobs_worker *w)
{
    sl_worker_fault(w->base, "simulated time exceeds 2^62 ps (53 days)");
}

void sl_jobs_loop(struct sl_jobs_worker *w)
{
    sl_jobs_flow_begin(w);
    for (int64_t t = next_time(w); t != INT64_MAX && !w->status && !w->base->fault;
         t = next_time(w)) {
        if (t >= SL_TIME_LIMIT) {
            sl_jobs_out_of_time(w);
            return;
        }
        w->scan_needed |= w->batch_next == t;
        instant(w, t);
        if (w->p->any_batch_waits)
            w->batch_next = sl_jobs_batch_next(w);
        if (is_stuck(w))
            return;
    }
}
