/* Queues of waiting runs: who joins, who leaves, who is passed, and what a run waited for.
 *
 * All runs of a queue wait in one list, for the same.  So those behind its first need not be tried
 * when that fails, and they stay in one order even where they age: only those of one priority share
 * a queue then. */
#include "jobs_parts.h"
#include "waitlist.h"
#include <string.h>

/* ---- order ----------------------------------------------------------------------------------- */

static inline bool item_precedes(const struct job_item *a, const struct job_item *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->time != b->time ? a->time < b->time : a->index < b->index;
}

/* priority + floor(wait / aging); aging belongs to the first resource. */
static double aged_priority(const struct sl_jobs_worker *w, const struct job_item *item)
{
    const struct sl_program *base = w->p->base;
    uint32_t node = (uint32_t)(item->index >> 32);
    int64_t aging = base->resources[sublist_of(base, node)].aging_ps;
    double priority = base->graph->nodes[node].priority;
    return aging ? priority + (double)((w->now - item->time) / aging) : priority;
}

bool sl_jobs_wait_before(const struct sl_jobs_worker *w, bool aging, const struct job_item *a,
                         const struct job_item *b)
{
    if (!aging)
        return item_precedes(a, b);
    double before = aged_priority(w, a), after = aged_priority(w, b);
    if (before != after)
        return before > after;
    return a->time != b->time ? a->time < b->time : a->index < b->index;
}

struct job_item sl_jobs_wait_item(const struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    const struct job_node *node = &w->p->nodes[run->node];
    struct job_item item = {node->key, run->ready, job_run_index(w, run), 0, handle, 0};
    switch (w->p->queues[node->queue].order) {
    case SL_ORDER_EDF:
        if (item.key != INT64_MAX)
            item.key += (uint64_t)w->jobs[run->job].arrival;
        break;
    case SL_ORDER_ISSUE: /* it may have been ready before it came in reach of its turn */
        item.time = w->now;
        break;
    case SL_ORDER_CRITICAL_PATH: /* the index comes before the ready time; the key knows the node */
        item.time = (int64_t)w->jobs[run->job].number;
        break;
    default:
        break;
    }
    return item;
}

/* ---- joining and leaving --------------------------------------------------------------------- */

static void list_queue(struct sl_jobs_worker *w, uint32_t queue)
{
    struct job_list_run *list = &w->lists[w->p->queues[queue].order];
    list->filled[list->filled_count++] = queue;
    w->queues[queue].listed = list->filled_count;
}

static void unlist_queue(struct sl_jobs_worker *w, uint32_t queue)
{
    struct job_list_run *list = &w->lists[w->p->queues[queue].order];
    uint32_t at = w->queues[queue].listed - 1, last = list->filled[--list->filled_count];
    list->filled[at] = last;
    w->queues[last].listed = at + 1;
    w->queues[queue].listed = 0;
}

static void insert(struct sl_jobs_worker *w, uint32_t queue, struct job_item item)
{
    struct job_queue_run *run = &w->queues[queue];
    item.passed = -run->passed;
    if (run->tail == run->places) {
        memmove(run->items, run->items + run->head, (run->tail - run->head) * sizeof *run->items);
        run->tail -= run->head;
        run->head = 0;
    }
    run->least = run->head == run->tail || item.bytes < run->least ? item.bytes : run->least;
    uint32_t at = run->tail++;
    for (; at > run->head && item_precedes(&item, &run->items[at - 1]); at--)
        run->items[at] = run->items[at - 1];
    run->items[at] = item;
    if (w->p->queues[queue].simple) {
        job_open(w, queue);
        return;
    }
    w->listed_waiting++;
    w->scan_needed = true;
    if (!run->listed)
        list_queue(w, queue);
}

static void join(struct sl_jobs_worker *w, uint32_t handle)
{
    uint32_t queue = w->p->nodes[w->runs[handle].node].queue;
    struct job_item item = sl_jobs_wait_item(w, handle);
    if (w->p->queues[queue].domain != SL_NONE)
        item.bytes = sl_jobs_bytes_want(w, handle, w->p->queues[queue].domain);
    insert(w, queue, item);
}

void sl_jobs_wait_again(struct sl_jobs_worker *w, uint32_t handle, uint32_t queue)
{
    struct job_item item = sl_jobs_wait_item(w, handle);
    if (w->p->queues[queue].order != SL_ORDER_CRITICAL_PATH)
        item.time = w->now;
    insert(w, queue, item);
}

/* Order of issue: all nodes of the job before this one are ready, or were. */
static bool in_reach(const struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *runs = job_runs(w, &w->jobs[w->runs[handle].job]);
    const uint32_t *before = w->p->issue_before;
    for (uint32_t i = before[w->runs[handle].node]; i != SL_NONE; i = before[i]) {
        if (runs[i].phase < PHASE_WAITING)
            return false;
        if (runs[i].phase > PHASE_WAITING && !runs[i].skip)
            return true;
    }
    return true;
}

void sl_jobs_wait_reach(struct sl_jobs_worker *w, uint32_t handle)
{
    if (!in_reach(w, handle))
        return;
    uint32_t first = w->jobs[w->runs[handle].job].runs, i = w->runs[handle].node;
    for (; i != SL_NONE && w->runs[first + i].phase >= PHASE_WAITING; i = w->p->issue_after[i])
        if (w->runs[first + i].phase == PHASE_WAITING)
            join(w, first + i);
}

void sl_jobs_wait_join(struct sl_jobs_worker *w, uint32_t handle)
{
    if (w->p->nodes[w->runs[handle].node].flags & NODE_ISSUE)
        sl_jobs_wait_reach(w, handle);
    else
        join(w, handle);
}

void sl_jobs_wait_leave(struct sl_jobs_worker *w, uint32_t queue, uint32_t at)
{
    struct job_queue_run *run = &w->queues[queue];
    const struct job_item item = run->items[at];
    for (; at > run->head; at--)
        run->items[at] = run->items[at - 1];
    if (++run->head == run->tail)
        run->head = run->tail = 0;
    if (w->p->queues[queue].simple)
        return;
    w->jobs[w->runs[item.handle].job].bypassed += (uint32_t)(item.passed + run->passed);
    w->listed_waiting--;
    if (run->head == run->tail)
        unlist_queue(w, queue);
}

bool sl_jobs_wait_ages(const struct sl_jobs_worker *w)
{
    const struct job_list_run *list = &w->lists[SL_ORDER_PRIORITY];
    return list->filled_count && list->aging;
}

/* ---- passing --------------------------------------------------------------------------------- */

uint32_t sl_jobs_wait_count_before(const struct sl_jobs_worker *w, bool aging,
                                   const struct job_queue_run *run, const struct job_item *item)
{
    uint32_t low = run->head, high = run->tail;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sl_jobs_wait_before(w, aging, &run->items[middle], item))
            low = middle + 1;
        else
            high = middle;
    }
    return low - run->head;
}

/* The first `count` of the queue have been passed: counted one by one, or for all less the rest. */
static void pass(struct sl_jobs_worker *w, struct job_queue_run *run, uint32_t count)
{
    uint32_t members = run->tail - run->head, rest = members - count;
    w->totals.bypasses += count;
    if (count <= rest) {
        for (uint32_t k = 0; k < count; k++)
            run->items[run->head + k].passed++;
        return;
    }
    run->passed++;
    for (uint32_t k = count; k < members; k++)
        run->items[run->head + k].passed--;
}

void sl_jobs_wait_pass(struct sl_jobs_worker *w, uint32_t queue, const struct job_item *item)
{
    const struct job_queue *queues = w->p->queues;
    const struct job_list_run *list = &w->lists[queues[queue].order];
    uint32_t node = (uint32_t)(item->index >> 32);
    for (uint32_t k = 0; k < list->filled_count; k++) {
        uint32_t other = list->filled[k];
        struct job_queue_run *run = &w->queues[other];
        if (in_common(w->p->base, queues[other].node, node))
            pass(w, run, sl_jobs_wait_count_before(w, list->aging, run, item));
    }
}

/* ---- what a run waits for -------------------------------------------------------------------- */

/* A node that was skipped has not waited for its turn: those before it may still wait. */
uint32_t sl_jobs_wait_turn(const struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *runs = job_runs(w, &w->jobs[w->runs[handle].job]);
    const uint32_t *before = w->p->issue_before;
    for (uint32_t i = before[w->runs[handle].node]; i != SL_NONE; i = before[i]) {
        if (runs[i].phase <= PHASE_WAITING)
            return i;
        if (!runs[i].skip)
            return SL_NONE;
    }
    return SL_NONE;
}

static enum fail last_fail_of_bytes(const struct sl_jobs_worker *w, uint32_t handle, uint32_t queue)
{
    const struct job_short *last = &w->queues[queue].short_in[(w->scan - 1) & 1];
    const struct job_item item = sl_jobs_wait_item(w, handle);
    bool was_short = last->scan == w->scan - 1 && !item_precedes(&last->last, &item);
    return was_short ? FAIL_CAPACITY : FAIL_UNITS;
}

/* Why its attempt of the last scan failed.  A run that was not tried itself failed as the first of
 * its queue did, but that in a strict list it had that one before it; nobody was tried where no
 * unit was left. */
static enum fail last_fail(const struct sl_jobs_worker *w, uint32_t handle)
{
    const struct job_run *run = &w->runs[handle];
    uint32_t queue = w->p->nodes[run->node].queue;
    const struct job_queue_run *q = &w->queues[queue];
    if (w->p->queues[queue].domain != SL_NONE)
        return last_fail_of_bytes(w, handle, queue);
    if (w->p->queues[queue].singly)
        return run->tried == w->scan - 1 ? (enum fail)run->fail : FAIL_UNITS;
    if (q->tried != w->scan - 1)
        return FAIL_UNITS;
    bool behind = q->tried_run != handle && w->p->nodes[run->node].flags & NODE_STRICT;
    return behind ? FAIL_BLOCKED : (enum fail)q->fail;
}

enum sl_cause sl_jobs_wait_cause(const struct sl_jobs_worker *w, uint32_t handle)
{
    if (w->p->queues[w->p->nodes[w->runs[handle].node].queue].simple)
        return SL_CAUSE_QUEUE;
    switch (last_fail(w, handle)) {
    case FAIL_CAPACITY:
        return SL_CAUSE_CAPACITY;
    case FAIL_OVERLAP:
        return SL_CAUSE_OVERLAP;
    default:
        return SL_CAUSE_QUEUE;
    }
}
