/* The loop of the common path.  A round at an instant t is that of the general loop:
 *
 *     1. finishes at t, by node index: units and bytes come back, successors' conditions are met
 *     2. lags and releases that expire at t
 *     3. one scan over the queues
 *
 * until nothing more happens at t; then the contention clocks are brought to t once.
 *
 * A scan is carried out in every round.  The general loop leaves those out that can change nothing;
 * what a start is blamed on is the same, since a node that lacked bytes in the last scan that
 * counted lacks them in all that follow it. */
#include "classes.h"
#include "common_queue.h"
#include "contend_compact.h"
#include "events.h"
#include "isa.h"
#include "levels.h"
#include <string.h>

/* Why a node became ready or had to wait, in one word: of conditions met at once the least counts.
 */
#define WHY(cause, behind) ((uint64_t)(cause) << 32 | (behind))
#define BY_FREE            (UINT64_C(1) << 40)

bool sl_common_create(struct sl_worker *w)
{
    const struct sl_common *common = w->p->common;
    if (!common)
        return true;
    struct common_run *x = w->common = sl_arena_array(&w->arena, 1, sizeof *x);
    if (!x)
        return false;
    size_t n = w->p->n;
    x->why = sl_arena_array(&w->arena, n + 1, sizeof *x->why);
    x->starved = sl_arena_array(&w->arena, n, sizeof *x->starved);
    x->pending = sl_arena_array(&w->arena, n + 1, sizeof *x->pending);
    x->complete = sl_arena_array(&w->arena, n + 1, sizeof *x->complete);
    x->items = sl_arena_array(&w->arena, common->places, sizeof *x->items);
    return x->why && x->starved && x->pending && x->complete && x->items;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static SL_ALWAYS_INLINE void become_ready(struct sl_worker *w, struct common_run *x, uint32_t i)
{
    const struct common_node *node = &w->p->common->nodes[i];
    if (node->flags & NODE_FREE)
        w->free_ready[w->free_count++] = i;
    else
        join(x, node);
}

static SL_ALWAYS_INLINE void conditions_met(struct sl_worker *w, struct common_run *x, uint32_t i)
{
    if (w->ready[i] <= w->now)
        become_ready(w, x, i);
    else
        push_event(w, w->ready[i], EVENT_READY, i);
}

/* The end of `behind` meets a condition of its successor s.  The latest condition binds; ties go by
 * cause, then by node index.  Returns how many are complete: without a branch, the next place is
 * written for all, and taken by those that need no more. */
static SL_ALWAYS_INLINE uint32_t satisfy(struct sl_worker *w, struct common_run *x, uint32_t behind,
                                         const struct succ *succ, uint32_t s, uint32_t complete)
{
    uint32_t i = succ[s].to;
    uint64_t why = WHY(succ[s].cause, behind);
    int64_t at = w->now;
    if (w->p->common->late && succ[s].lagged)
        at += w->p->succ_lag[w->p->hot[behind].succ_first + s];
    if (at > w->ready[i] || (at == w->ready[i] && why < x->why[i])) {
        w->ready[i] = at;
        x->why[i] = why;
    }
    x->complete[complete] = i;
    return complete + !--x->pending[i];
}

/* ---- finishes -------------------------------------------------------------------------------- */

static SL_ALWAYS_INLINE void give_units(struct sl_worker *w, struct common_run *x, uint32_t i,
                                        const struct common_node *node)
{
    struct common_queue *queue = &x->queues[node->queue];
    if (x->lone == SL_NONE)
        w->log[w->log_count++] = (struct release){
            queue->resource, i, RELEASE_UNITS, true, queue->free, queue->free + node->units};
    queue->free += node->units;
    if (!--queue->users)
        w->busy[queue->resource] += w->now - queue->busy_since;
    set_shut(x, node->queue);
}

/* The log of a round says who gave back what; it is asked where that may have been several nodes,
 * or where one may have given too little. */
static SL_ALWAYS_INLINE void give_bytes(struct sl_worker *w, struct common_run *x, uint32_t i,
                                        const struct common_node *node)
{
    if (x->lone == SL_NONE || w->p->common->varies)
        return_bytes(w, i, node->domain, PART_WORKSPACE, node->bytes);
    else
        change_level(w, node->domain, PART_WORKSPACE, -node->bytes);
}

static SL_ALWAYS_INLINE void end_node(struct sl_worker *w, struct common_run *x, uint32_t i)
{
    const struct common_node *node = &w->p->common->nodes[i];
    const struct succ *succ = w->p->common->succ + node->succ_first;
    if (!(node->flags & NODE_FREE))
        give_units(w, x, i, node);
    if (node->klass != SL_NONE && w->duration[i])
        class_stopped(w, node->klass);
    if (node->flags & (NODE_VARIES | NODE_TAKES))
        sl_capacity_give_workspace(w, i);
    else if (node->flags & NODE_BYTES)
        give_bytes(w, x, i, node);
    if (node->flags & NODE_GIVES)
        sl_capacity_give(w, i, false);
    w->finish[i] = w->now;
    w->passed++;
    uint32_t complete = x->complete_count;
    for (uint32_t s = 0; s < node->succ_count; s += 2) {
        complete = satisfy(w, x, i, succ, s, complete);
        complete = satisfy(w, x, i, succ, s + 1, complete);
    }
    x->complete_count = complete;
}

/* All that ends at t, by node index. */
static SL_ALWAYS_INLINE void gather(struct sl_worker *w, int64_t t)
{
    if (w->cell_next == t)
        contend_gather(w, t);
    for (; due(w, t, EVENT_FINISH); pop_event(w))
        w->batch[w->batch_count++] = (uint32_t)w->heap[0].sub;
    sort_batch(w, w->batch_count);
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* A node that starts as it becomes ready: the last condition is behind it. */
static SL_ALWAYS_INLINE void blame_condition(struct sl_worker *w, struct common_run *x, uint32_t i)
{
    uint32_t behind = (uint32_t)x->why[i];
    if (w->p->common->late)
        w->lag[i] = behind == SL_NONE ? w->now : w->now - w->finish[behind];
}

/* A node that had to wait, or one that starts as it becomes ready, without a branch between them.
 * What one that had to wait lacked in the last scan it has now; where one node alone ended since,
 * that one gave it back, unless what the node has to find is less by now. */
static SL_ALWAYS_INLINE void blame(struct sl_worker *w, struct common_run *x, uint32_t i,
                                   const struct common_node *node)
{
    uint64_t by_units = WHY(SL_CAUSE_QUEUE, x->lone) | BY_FREE;
    uint64_t by_bytes = WHY(SL_CAUSE_CAPACITY, x->lone), why = x->why[i];
    bool starved = x->starved[i] == x->scan - 1, waited = w->ready[i] != w->now;
    bool asks = x->lone == SL_NONE || (starved && node->flags & NODE_VARIES);
    if (waited & asks) {
        sl_waiting_blame_release(w, i, starved ? FAIL_CAPACITY : FAIL_UNITS, (uint32_t)why);
        x->why[i] = WHY(w->cause[i], w->behind[i]) | (w->by_free[i] ? BY_FREE : 0);
        return;
    }
    if (w->p->common->late && !waited)
        blame_condition(w, x, i);
    uint64_t by = starved ? by_bytes : by_units;
    x->why[i] = waited ? by : why;
}

static SL_ALWAYS_INLINE void hold(struct sl_worker *w, uint32_t i, const struct common_node *node)
{
    int64_t duration = w->duration[i];
    w->start[i] = w->now;
    if (node->klass != SL_NONE && duration)
        class_started(w, node->klass);
    if (duration && node->cell != SL_NONE)
        w->starters[w->starter_count++] = i;
    else
        push_event(w, w->now + duration, EVENT_FINISH, i);
}

/* What the start of the next one in a queue will read; beyond the arrays when nobody waits. */
static SL_ALWAYS_INLINE void prefetch_next(const struct sl_worker *w, const struct common_run *x,
                                           uint32_t q)
{
    uint32_t next = item_node(w->p->common, x->first[q]);
    __builtin_prefetch(&w->p->common->nodes[next]);
    __builtin_prefetch(&w->p->hot[next]);
    __builtin_prefetch(&w->duration[next]);
}

/* What the end of a node will read, by when it is there. */
static SL_ALWAYS_INLINE void prefetch_successors(const struct sl_worker *w,
                                                 const struct common_run *x,
                                                 const struct common_node *node)
{
    const struct succ *succ = w->p->common->succ + node->succ_first;
    for (uint32_t s = 0; s < 2; s++) {
        uint32_t to = succ[s].to;
        __builtin_prefetch(&w->p->common->nodes[to]);
        __builtin_prefetch(&x->why[to]);
        __builtin_prefetch(&w->ready[to]);
        __builtin_prefetch(&x->pending[to]);
    }
}

static SL_ALWAYS_INLINE void start(struct sl_worker *w, struct common_run *x, uint32_t i,
                                   const struct common_node *node)
{
    struct common_queue *queue = &x->queues[node->queue];
    blame(w, x, i, node);
    prefetch_successors(w, x, node);
    queue->free -= node->units;
    if (!queue->users++)
        queue->busy_since = w->now;
    if (node->flags & (NODE_VARIES | NODE_TAKES))
        sl_capacity_take(w, i);
    else if (node->flags & NODE_BYTES)
        change_level(w, node->domain, PART_WORKSPACE, node->bytes);
    hold(w, i, node);
}

/* ---- the scan -------------------------------------------------------------------------------- */

static SL_ALWAYS_INLINE bool bytes_free(const struct sl_worker *w, uint32_t i,
                                        const struct common_node *node)
{
    if (node->flags & NODE_VARIES)
        return sl_capacity_fits(w, i);
    const struct domain_run *domain = &w->domains[node->domain];
    return !(node->flags & NODE_BYTES) || node->bytes <= domain->limit - domain->level;
}

static SL_ALWAYS_INLINE void try(struct sl_worker *w, struct common_run *x, uint64_t item,
                                 const uint32_t lanes)
{
    uint32_t i = item_node(w->p->common, item);
    const struct common_node *node = &w->p->common->nodes[i];
    uint32_t q = node->queue;
    bool has_units = x->queues[q].free >= node->units;
    if (has_units && bytes_free(w, i, node)) {
        pass_by(w, x, item, node, lanes);
        leave_queue(x, q);
        prefetch_next(w, x, q);
        start(w, x, i, node);
        set_shut(x, q);
    } else {
        if (has_units)
            x->starved[i] = x->scan;
        x->cursor[q]++;
    }
    x->next[q] = x->items[x->cursor[q]] | x->shut[q];
}

/* Whoever can start does, in the order of the lists. */
static SL_ALWAYS_INLINE void scan(struct sl_worker *w, struct common_run *x, const uint32_t lanes)
{
    x->scan++;
    memcpy(x->cursor, x->head, lanes * sizeof *x->cursor);
    EACH_LANE(q, lanes)
    x->next[q] = x->first[q] | x->shut[q];
    for (uint64_t item; (item = earliest(x->next, lanes)) != SL_COMMON_LAST;)
        try(w, x, item, lanes);
}

/* ---- instants -------------------------------------------------------------------------------- */

static SL_ALWAYS_INLINE void play_round(struct sl_worker *w, struct common_run *x, int64_t t,
                                        const uint32_t lanes)
{
    w->log_count = 0;
    gather(w, t);
    x->lone = w->batch_count == 1 ? w->batch[0] : SL_NONE;
    for (uint32_t k = 0; k < w->batch_count; k++)
        end_node(w, x, w->batch[k]);
    w->batch_count = 0;
    for (uint32_t k = 0; k < x->complete_count; k++)
        conditions_met(w, x, x->complete[k]);
    x->complete_count = 0;
    for (; due(w, t, EVENT_READY); pop_event(w))
        become_ready(w, x, (uint32_t)w->heap[0].sub);
    for (uint32_t k = 0; k < w->free_count; k++) {
        uint32_t i = w->free_ready[k];
        blame_condition(w, x, i);
        hold(w, i, &w->p->common->nodes[i]);
    }
    w->free_count = 0;
    scan(w, x, lanes);
}

/* What has nothing left to run when it starts ends in an instant of its own, at the same time. */
static SL_ALWAYS_INLINE void instant(struct sl_worker *w, struct common_run *x, int64_t t,
                                     const uint32_t lanes)
{
    if (t != w->now)
        x->instant += UINT64_C(1) << w->p->common->instant_shift;
    w->now = t;
    do
        play_round(w, x, t, lanes);
    while (w->heap[0].t == t);
    contend_update(w, t);
    close_classes(w);
}

/* ---- a pass over arrays, of which the compiler makes vectors -------------------------------- */

#pragma GCC push_options
#pragma GCC optimize("O3")
static SL_ALWAYS_INLINE void fill_whys_body(struct sl_worker *w, uint32_t n)
{
    const uint64_t *restrict why = w->common->why;
    uint32_t *restrict behind = w->behind;
    uint8_t *restrict cause = w->cause, *restrict by_free = w->by_free;
    for (uint32_t i = 0; i < n; i++)
        behind[i] = (uint32_t)why[i];
    for (uint32_t i = 0; i < n; i++) {
        cause[i] = (uint8_t)(why[i] >> 32);
        by_free[i] = (uint8_t)(why[i] >> 40);
    }
}
SL_FOR_EACH_ISA(fill_whys, (struct sl_worker * w, uint32_t n), (w, n))
#pragma GCC pop_options

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    const struct sl_common *common = p->common;
    struct common_run *x = w->common;
    memcpy(x->queues, common->queues, sizeof x->queues);
    memcpy(x->pending, common->pending, ((size_t)p->n + 1) * sizeof *x->pending);
    memset(x->starved, 0, p->n * sizeof *x->starved);
    /* Whoever comes first is later than that. */
    memset(w->ready, -1, ((size_t)p->n + 1) * sizeof *w->ready);
    memset(w->lag, 0, p->n * sizeof *w->lag);
    for (uint32_t q = 0; q < SL_COMMON_QUEUES; q++) {
        x->first[q] = SL_COMMON_LAST;
        x->head[q] = x->tail[q] = x->queues[q].first;
        set_shut(x, q);
    }
    memset(x->items, -1, common->places * sizeof *x->items);
    for (uint32_t q = 0; q < common->queue_count; q++)
        memset(x->items + x->head[q] - SL_COMMON_LANES, 0, SL_COMMON_LANES * sizeof *x->items);
    x->complete_count = 0;
    x->instant = UINT64_C(1) << common->instant_shift; /* no item is 0 */
    x->scan = 1; /* no node has starved before the first one */
}

static void begin(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->common->begun_count; k++) {
        uint32_t i = p->common->begun[k];
        w->ready[i] = p->template[i].ready;
        w->common->why[i] = WHY(p->template[i].cause, SL_NONE);
        if (!p->template[i].pending)
            conditions_met(w, w->common, i);
    }
}

static SL_ALWAYS_INLINE void play(struct sl_worker *w, const uint32_t lanes)
{
    struct common_run *x = w->common;
    for (int64_t t = 0; t < SL_TIME_LIMIT && !w->fault && !x->crowded;
         t = w->cell_next < w->heap[0].t ? w->cell_next : w->heap[0].t)
        instant(w, x, t, lanes);
}

bool sl_common_run(struct sl_worker *w)
{
    const struct sl_common *common = w->p->common;
    struct common_run *x = w->common;
    if (x->crowded)
        return false;
    reset(w);
    sl_contend_begin(w);
    begin(w);
    if (common->queue_count <= SL_COMMON_LANES)
        play(w, SL_COMMON_LANES);
    else
        play(w, SL_COMMON_QUEUES);
    if (w->passed < w->p->n || w->fault)
        return false;
    for (uint32_t q = 0; q < common->queue_count; q++)
        if (x->queues[q].free != common->queues[q].free)
            sl_worker_fault(w, "internal: units of queue %u were lost", q);
    if (w->p->class_states)
        sl_compact_end(w);
    sl_worker_record_all(w);
    fill_whys(w, w->p->n);
    return true;
}
