/* One scan over the waiting runs: who can start does, in the order of its list.  What is left out
 * must not show: runs behind the first of their queue fail as that one does, or for want of units
 * that others took meanwhile, and a scan between which and the last one nothing was given back,
 * taken or added would end as that one did. */
#include "attempts.h"
#include "jobs_parts.h"

static void scan_simple(struct sl_jobs_worker *w)
{
    for (uint32_t k = 0; k < w->dirty_count; k++) {
        uint32_t queue = w->dirty[k];
        const struct job_queue *q = &w->p->queues[queue];
        const struct resource_run *r = &w->base->resources[q->resource];
        struct job_queue_run *run = &w->queues[queue];
        run->listed = 0;
        while (r->free >= r->each && run->head < run->tail) {
            uint32_t handle = run->items[run->head].handle;
            sl_jobs_wait_leave(w, queue, run->head);
            sl_jobs_start(w, handle);
        }
    }
    w->dirty_count = 0;
}

static inline bool bytes_free(const struct sl_jobs_worker *w, uint32_t handle, uint32_t node,
                              uint32_t flags)
{
    const struct need *need = &w->p->base->need[node];
    if (flags & (NODE_VARIES | NODE_TAKES))
        return sl_jobs_bytes_fit(w, handle);
    return need->bytes <=
           w->base->domains[need->domain].limit - w->base->domains[need->domain].level;
}

static enum fail attempt(struct sl_jobs_worker *w, const struct job_item *item)
{
    uint32_t handle = item->handle, node = (uint32_t)(item->index >> 32);
    uint32_t flags = w->p->nodes[node].flags;
    if (flags & NODE_ISSUE && sl_jobs_wait_turn(w, handle) != SL_NONE)
        return FAIL_BLOCKED;
    if (flags & NODE_STRICT && strictly_blocked(w->base, node))
        return FAIL_BLOCKED;
    if (!units_free(w->base, node, &w->p->base->hot[node]))
        return FAIL_UNITS;
    if (item->bytes > job_room(w, w->p->nodes[node].queue))
        return FAIL_CAPACITY;
    if (flags & NODE_BYTES && !bytes_free(w, handle, node, flags) &&
        !(w->p->cache_count && sl_jobs_room_make(w, handle)))
        return FAIL_CAPACITY;
    if (flags & NODE_OVERLAP && w->runs[handle].duration && !overlap_allowed(w->base, node))
        return FAIL_OVERLAP;
    return FAIL_NONE;
}

/* Of a queue that batches: who has begun needs no more than a server. */
static enum fail attempt_batch(struct sl_jobs_worker *w, uint32_t queue,
                               const struct job_item *item)
{
    uint32_t node = w->p->queues[queue].node;
    if (!sl_jobs_batch_open(w, queue))
        return FAIL_BLOCKED;
    if (w->p->queues[queue].again)
        return units_free(w->base, node, &w->p->base->hot[node]) ? FAIL_NONE : FAIL_UNITS;
    return attempt(w, item);
}

/* Queues that have somebody to try; where no unit is left, all fail, and only a strict list has to
 * know what they demand. */
static uint32_t open_queues(struct sl_jobs_worker *w, const struct job_list_run *list)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < list->filled_count; k++) {
        uint32_t queue = list->filled[k], r = w->p->queues[queue].resource;
        w->queues[queue].cursor = w->queues[queue].head;
        w->queues[queue].least_seen = INT64_MAX;
        if (list->every || r == SL_NONE || w->base->resources[r].free >= w->base->resources[r].each)
            list->open[count++] = queue;
    }
    return count;
}

static inline const struct job_item *next_item(const struct sl_jobs_worker *w, uint32_t queue)
{
    return &w->queues[queue].items[w->queues[queue].cursor];
}

/* Of the open queues, the place of the one whose next run comes first. */
static uint32_t first_queue(const struct sl_jobs_worker *w, const struct job_list_run *list,
                            uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < count; k++)
        if (sl_jobs_wait_before(w, list->aging, next_item(w, list->open[k]),
                                next_item(w, list->open[best])))
            best = k;
    return best;
}

/* Where those of the queue end that come before the next run of every other open queue. */
static uint32_t end_of_turn(const struct sl_jobs_worker *w, const struct job_list_run *list,
                            uint32_t count, uint32_t queue)
{
    const struct job_queue_run *q = &w->queues[queue];
    uint32_t end = q->tail;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t other = list->open[k];
        uint32_t at = other == queue ? q->tail
                                     : q->head + sl_jobs_wait_count_before(w, list->aging, q,
                                                                           next_item(w, other));
        end = at < end ? at : end;
    }
    return end;
}

/* The next run of a queue with a domain has failed, and with it all behind it that fail for the
 * same reason: of units all; of bytes, in this turn of the queue, those that take as much or too
 * much.  Where even the least is too much nobody is looked at: what a scan costs must not grow with
 * the number that wait.  False: it was the last one to try. */
static bool pass_over(struct sl_jobs_worker *w, const struct job_list_run *list, uint32_t count,
                      uint32_t queue, enum fail fail)
{
    struct job_queue_run *q = &w->queues[queue];
    if (fail != FAIL_CAPACITY)
        return false;
    uint32_t end = end_of_turn(w, list, count, queue);
    int64_t room = job_room(w, queue);
    if (!w->p->queues[queue].singly || q->least > room) {
        q->least_seen = q->least;
        q->cursor = end;
    } else
        do {
            int64_t bytes = q->items[q->cursor++].bytes;
            q->least_seen = bytes < q->least_seen ? bytes : q->least_seen;
        } while (q->cursor < end && q->items[q->cursor].bytes > room);
    q->short_in[w->scan & 1] = (struct job_short){w->scan, q->items[q->cursor - 1]};
    if (q->cursor == q->tail)
        q->least = q->least_seen;
    return q->cursor < q->tail;
}

/* Tries the next run of a queue; false: it was the last one of it in this scan. */
static bool try_next(struct sl_jobs_worker *w, const struct job_list_run *list, uint32_t count,
                     uint32_t queue)
{
    struct job_queue_run *q = &w->queues[queue];
    const struct job_item item = q->items[q->cursor];
    bool batches = w->p->queues[queue].batching;
    enum fail fail = batches ? attempt_batch(w, queue, &item) : attempt(w, &item);
    struct job_run *run = &w->runs[item.handle];
    if (fail == FAIL_NONE) {
        if (batches)
            sl_jobs_batch_start(w, queue);
        else {
            sl_jobs_wait_leave(w, queue, q->cursor++);
            sl_jobs_wait_pass(w, queue, &item);
            sl_jobs_start(w, item.handle);
        }
        w->scan_needed = true; /* what it took may change why others wait */
        return q->cursor < q->tail;
    }
    if (list->every)
        stamp_demands(w->base, run->node);
    if (w->p->queues[queue].domain != SL_NONE)
        return pass_over(w, list, count, queue, fail);
    if (!w->p->queues[queue].singly) {
        q->tried = w->scan;
        q->tried_run = item.handle;
        q->fail = (uint8_t)fail;
        return false;
    }
    run->tried = w->scan;
    run->fail = (uint8_t)fail;
    return fail != FAIL_UNITS && ++q->cursor < q->tail;
}

/* Without the queues that a batch of another one has emptied. */
static uint32_t still_open(const struct sl_jobs_worker *w, const struct job_list_run *list,
                           uint32_t count)
{
    for (uint32_t k = count; k-- > 0;)
        if (w->queues[list->open[k]].cursor >= w->queues[list->open[k]].tail)
            list->open[k] = list->open[--count];
    return count;
}

static void scan_list(struct sl_jobs_worker *w, const struct job_list_run *list)
{
    uint32_t count = open_queues(w, list);
    w->base->stamp++;
    while (count) {
        uint32_t k = count > 1 ? first_queue(w, list, count) : 0;
        if (!try_next(w, list, count, list->open[k]))
            list->open[k] = list->open[--count];
        if (w->p->any_batch)
            count = still_open(w, list, count);
    }
}

void sl_jobs_scan(struct sl_jobs_worker *w)
{
    scan_simple(w);
    if (!w->listed_waiting || (!w->scan_needed && !sl_jobs_wait_ages(w)))
        return;
    w->scan_needed = false;
    w->scan++;
    for (uint32_t order = 0; order <= SL_ORDER_ISSUE; order++)
        if (w->lists[order].filled_count)
            scan_list(w, &w->lists[order]);
}
