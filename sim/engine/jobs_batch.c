/* Batches: runs of one node, of different jobs, that hold one server together (doc/semantics.md,
 * "Batches").
 *
 *     time of m of them = max of their own times x (1 + per_member (m - 1))
 *
 * The first member holds the unit and its place in the running set, for all; the others hang on it.
 * Static batches last as long as that.  Of a continuous one that is a step: who has more steps to
 * make waits again, in a queue of its own right behind that of the node's newcomers. */
#include "jobs_parts.h"
#include <math.h>

/* ---- what a plan may ask for ----------------------------------------------------------------- */

static enum sl_status check_node(const struct sl_program *base, uint32_t i, struct sl_error *err)
{
    const struct sl_node *node = &base->graph->nodes[i];
    const struct sl_platform *platform = base->graph->platform;
    const char *name = NULL;
    for (uint32_t k = 0; k < base->demand[i].count && !name; k++) {
        const struct sl_demand *d = &base->demands[base->demand[i].first + k];
        if (platform->resources[d->resource].batch.most)
            name = platform->resource_names.names[d->resource];
    }
    const struct sl_batching *batching = sl_jobs_batching(base, i);
    if ((node->steps || node->steps_mean != 1) && !(batching && batching->continuous))
        return SL_FAIL_AT(err, SL_NO, node->place,
                          "'%s' makes steps, for which its first resource has to batch with "
                          "continuous: true",
                          node->name);
    if (!name)
        return SL_OK;
    if (base->demand[i].count > 1 || base->hot[i].units != 1)
        return SL_FAIL_AT(err, SL_NO, node->place,
                          "'%s' demands more than one server of '%s', which batches: such a node "
                          "demands one unit of it and of no other resource",
                          node->name, name);
    if (base->hot[i].flags & (NODE_ISSUE | NODE_STRICT))
        return SL_FAIL_AT(err, SL_NO, node->place,
                          "'%s' waits for '%s', which batches: that resource cannot serve in order "
                          "of issue or admit strictly (set its order, or admission: backfill)",
                          node->name, name);
    if (base->hot[i].flags & NODE_OVERLAP)
        return SL_FAIL_AT(err, SL_NO, node->place,
                          "'%s' must not run beside others, which batches of '%s' cannot obey",
                          node->name, name);
    return SL_OK;
}

const struct sl_batching *sl_jobs_batching(const struct sl_program *base, uint32_t node)
{
    uint32_t r = base->hot[node].resource;
    const struct sl_batching *batching =
        r == SL_NONE ? NULL : &base->graph->platform->resources[r].batch;
    return batching && batching->most ? batching : NULL;
}

enum sl_status sl_jobs_batch_check(const struct sl_program *base, struct sl_error *err)
{
    for (uint32_t i = 0; i < base->n; i++) {
        enum sl_status status = check_node(base, i, err);
        if (status)
            return status;
    }
    return SL_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void sl_jobs_batch_admit(struct sl_jobs_worker *w, const struct job *job)
{
    const struct sl_graph *g = w->p->base->graph;
    for (uint32_t q = 0; q < w->p->queue_count; q++) {
        const struct job_queue *queue = &w->p->queues[q];
        if (!queue->batching || queue->again)
            continue;
        const struct sl_node *node = &g->nodes[queue->node];
        double steps = node->steps
                           ? sl_jobs_expression(w, job, node->steps, "number of steps", node->name)
                           : node->steps_mean;
        if (!(steps >= 0.5 && steps <= SL_MOST_STEPS)) {
            sl_jobs_fault(w, job, "'%s' makes %g steps, where 1 to %d are possible%s", node->name,
                          steps, SL_MOST_STEPS,
                          steps < 0.5 ? ": steps of max(1, ...) allow for that" : "");
            steps = 1;
        }
        w->members[job->runs + queue->node] = (struct job_member){.steps = (uint32_t)lround(steps)};
    }
}

/* ---- who may start --------------------------------------------------------------------------- */

/* When the first that waits has waited long enough. */
static int64_t opens_at(const struct sl_jobs_worker *w, uint32_t queue)
{
    const struct job_queue_run *run = &w->queues[queue];
    return w->runs[run->items[run->head].handle].ready + w->p->queues[queue].batching->wait_ps;
}

static bool is_filled(const struct sl_jobs_worker *w, uint32_t queue)
{
    const struct job_queue_run *run = &w->queues[queue];
    return run->tail - run->head >= w->p->queues[queue].batching->most;
}

/* Members of a continuous batch keep their places until their last step. */
static bool has_place(const struct sl_jobs_worker *w, uint32_t queue)
{
    const struct job_queue *q = &w->p->queues[queue];
    int64_t servers = w->p->base->resources[q->resource].units;
    return w->queues[queue].begun / q->batching->most < servers;
}

bool sl_jobs_batch_open(const struct sl_jobs_worker *w, uint32_t queue)
{
    const struct job_queue *q = &w->p->queues[queue];
    if (q->batching->continuous)
        return q->again || has_place(w, queue);
    return is_filled(w, queue) || w->now >= opens_at(w, queue);
}

int64_t sl_jobs_batch_next(const struct sl_jobs_worker *w)
{
    int64_t next = INT64_MAX;
    for (uint32_t q = 0; q < w->p->queue_count; q++) {
        if (!w->p->queues[q].batching || w->queues[q].head == w->queues[q].tail)
            continue;
        int64_t at = opens_at(w, q);
        next = at > w->now && at < next ? at : next;
    }
    return next;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* A batch that is being put together. */
struct gathering {
    uint32_t newcomers; /* their queue */
    uint32_t first, last, count;
    int64_t longest; /* of its members' own times */
};

/* The one at that place of its queue becomes a member. */
static void gather(struct sl_jobs_worker *w, struct gathering *g, uint32_t queue, uint32_t at)
{
    struct job_queue_run *q = &w->queues[queue];
    const struct job_item item = q->items[at];
    struct job_member *member = &w->members[item.handle];
    struct job_run *run = &w->runs[item.handle];
    q->cursor += at >= q->cursor; /* those before it, or all up to it, move up by one place */
    sl_jobs_wait_leave(w, queue, at);
    sl_jobs_wait_pass(w, queue, &item);
    if (queue == g->newcomers) {
        sl_jobs_begin(w, item.handle);
        member->alone = run->duration;
        q->begun++;
    } else {
        run->phase = PHASE_HOLDING;
        if (w->story.at != SL_NONE)
            sl_jobs_story_start(w, item.handle);
        member->paused += w->now - member->since;
        w->batches[run->node].pause_ps += w->now - member->since;
    }
    member->since = w->now;
    member->next = SL_NONE;
    if (g->count++)
        w->members[g->last].next = item.handle;
    else
        g->first = item.handle;
    g->last = item.handle;
    g->longest = member->alone > g->longest ? member->alone : g->longest;
}

static void gather_newcomers(struct sl_jobs_worker *w, struct gathering *g)
{
    const struct job_queue *q = &w->p->queues[g->newcomers];
    struct job_queue_run *run = &w->queues[g->newcomers];
    bool bytes = w->p->nodes[q->node].flags & NODE_BYTES;
    if (run->least > job_room(w, g->newcomers))
        return;
    for (uint32_t at = run->head; at < run->tail && g->count < q->batching->most; at++) {
        if (q->batching->continuous && !has_place(w, g->newcomers))
            return;
        uint32_t handle = run->items[at].handle;
        if (run->items[at].bytes > job_room(w, g->newcomers))
            continue;
        if (!bytes || sl_jobs_bytes_fit(w, handle) ||
            (w->p->cache_count && sl_jobs_room_make(w, handle)))
            gather(w, g, g->newcomers, at);
        else if (!q->singly)
            return;
    }
}

static void count_batch(struct sl_jobs_worker *w, uint32_t node, uint32_t members)
{
    struct sl_batch_totals *totals = &w->batches[node];
    uint32_t bin = 0;
    while (members >> (bin + 1))
        bin++;
    totals->batches++;
    totals->steps += members;
    totals->most = members > totals->most ? members : totals->most;
    totals->sizes[bin]++;
}

/* Its time; every member has its share in the record. */
static int64_t time_of(struct sl_jobs_worker *w, const struct gathering *g, double per_member)
{
    double time = (double)g->longest * (1 + per_member * (g->count - 1));
    if (time < 0x1p61)
        return llround(time);
    sl_worker_fault(w->base, "a batch of %u of '%s' takes more than 2^61 ps", g->count,
                    w->p->base->graph->nodes[w->runs[g->first].node].name);
    return 0;
}

void sl_jobs_batch_start(struct sl_jobs_worker *w, uint32_t queue)
{
    const struct job_queue *q = &w->p->queues[queue];
    const struct sl_batching *batching = q->batching;
    struct gathering g = {.newcomers = queue - q->again};
    uint32_t again = g.newcomers + 1;
    while (batching->continuous && g.count < batching->most &&
           w->queues[again].head < w->queues[again].tail)
        gather(w, &g, again, w->queues[again].head);
    gather_newcomers(w, &g);
    int64_t time = time_of(w, &g, batching->per_member);
    for (uint32_t handle = g.first; handle != SL_NONE; handle = w->members[handle].next)
        w->members[handle].spent += time;
    w->runs[g.first].duration = time;
    count_batch(w, q->node, g.count);
    sl_jobs_hold(w, g.first);
}

/* ---- ends ------------------------------------------------------------------------------------ */

void sl_jobs_batch_end(struct sl_jobs_worker *w, uint32_t first)
{
    uint32_t queue = w->p->nodes[w->runs[first].node].queue;
    for (uint32_t handle = first, next; handle != SL_NONE; handle = next) {
        struct job_member *member = &w->members[handle];
        struct job_run *run = &w->runs[handle];
        next = member->next;
        if (--member->steps) {
            run->phase = PHASE_WAITING;
            member->since = w->now;
            if (run->job == w->story.at)
                sl_jobs_story_wait(w, handle);
            sl_jobs_wait_again(w, handle, queue + 1);
            continue;
        }
        run->duration = member->spent;
        w->queues[queue].begun--;
        sl_jobs_finish(w, handle);
    }
}
