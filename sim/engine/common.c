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
#include "common.h"
#include "classes.h"
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

/* ---- the queues ------------------------------------------------------------------------------ */

/* Queues side by side, SL_COMMON_LANES at a time. */
#define EACH_LANE(q, lanes)                                                                        \
    for (uint32_t block = 0; block < (lanes); block += SL_COMMON_LANES)                            \
    _Pragma("GCC unroll 4") for (uint32_t q = block; q < block + SL_COMMON_LANES; q++)

static inline uint32_t item_node(const struct sl_common *common, uint64_t item)
{
    return (uint32_t)item & common->node_mask;
}

static SL_ALWAYS_INLINE void set_shut(struct common_run *x, uint32_t q)
{
    x->shut[q] = -(uint64_t)(x->queues[q].free < x->queues[q].each); /* SL_COMMON_LAST or 0 */
}

/* Puts an item among the ascending ones that end at `at`, without a branch for every one of them:
 * what has found its place is what the item before it was, and no place changes from there on.  The
 * places before the first item say 0. */
static SL_ALWAYS_INLINE void insert(uint64_t *at, uint64_t item)
{
    uint64_t carried = item;
    do {
#pragma GCC unroll 4
        for (uint32_t k = 0; k < SL_COMMON_LANES; k++, at--) {
            uint64_t before = at[-1];
            *at = before > carried ? before : carried;
            carried = before > carried ? carried : before;
        }
    } while (carried == item);
    *at = carried;
}

static SL_ALWAYS_INLINE void join(struct common_run *x, const struct common_node *node)
{
    uint32_t q = node->queue, at = x->tail[q];
    uint64_t item = node->item | x->instant;
    if (at - x->head[q] >= SL_COMMON_MOVES && item < x->items[at - SL_COMMON_MOVES])
        x->crowded = true;
    if (x->crowded)
        return;
    x->items[at + 1] = SL_COMMON_LAST;
    x->tail[q] = at + 1;
    insert(&x->items[at], item);
    x->first[q] = x->items[x->head[q]];
}

static SL_ALWAYS_INLINE void become_ready(struct sl_worker *w, uint32_t i)
{
    const struct common_node *node = &w->p->common->nodes[i];
    if (node->flags & NODE_FREE)
        w->free_ready[w->free_count++] = i;
    else
        join(w->common, node);
}

static SL_ALWAYS_INLINE void conditions_met(struct sl_worker *w, uint32_t i)
{
    if (w->ready[i] <= w->now)
        become_ready(w, i);
    else
        push_event(w, w->ready[i], EVENT_READY, i);
}

/* The end of `behind` meets a condition of its successor s.  The latest condition binds; ties go by
 * cause, then by node index.  Returns how many are complete: without a branch, the next place is
 * written for all, and taken by those that need no more. */
static SL_ALWAYS_INLINE uint32_t satisfy(struct sl_worker *w, uint32_t behind,
                                         const struct succ *succ, uint32_t s, uint32_t complete)
{
    struct common_run *x = w->common;
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

static SL_ALWAYS_INLINE void give_units(struct sl_worker *w, uint32_t i,
                                        const struct common_node *node)
{
    struct common_run *x = w->common;
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
static SL_ALWAYS_INLINE void give_bytes(struct sl_worker *w, uint32_t i,
                                        const struct common_node *node)
{
    if (w->common->lone == SL_NONE || w->p->common->varies)
        return_bytes(w, i, node->domain, PART_WORKSPACE, node->bytes);
    else
        change_level(w, node->domain, PART_WORKSPACE, -node->bytes);
}

static SL_ALWAYS_INLINE void end_node(struct sl_worker *w, uint32_t i)
{
    const struct common_node *node = &w->p->common->nodes[i];
    const struct succ *succ = w->p->common->succ + node->succ_first;
    if (!(node->flags & NODE_FREE))
        give_units(w, i, node);
    if (node->klass != SL_NONE && w->duration[i])
        class_stopped(w, node->klass);
    if (node->flags & (NODE_VARIES | NODE_TAKES))
        sl_capacity_give_workspace(w, i);
    else if (node->flags & NODE_BYTES)
        give_bytes(w, i, node);
    if (node->flags & NODE_GIVES)
        sl_capacity_give(w, i, false);
    w->finish[i] = w->now;
    w->passed++;
    uint32_t complete = w->common->complete_count;
    for (uint32_t s = 0; s < node->succ_count; s += 2) {
        complete = satisfy(w, i, succ, s, complete);
        complete = satisfy(w, i, succ, s + 1, complete);
    }
    w->common->complete_count = complete;
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
static SL_ALWAYS_INLINE void blame_condition(struct sl_worker *w, uint32_t i)
{
    uint32_t behind = (uint32_t)w->common->why[i];
    if (w->p->common->late)
        w->lag[i] = behind == SL_NONE ? w->now : w->now - w->finish[behind];
}

/* A node that had to wait.  What it lacked in the last scan it has now; where one node alone ended
 * since, that one gave it back, unless what the node has to find is less by now. */
static SL_ALWAYS_INLINE void blame_wait(struct sl_worker *w, uint32_t i,
                                        const struct common_node *node)
{
    struct common_run *x = w->common;
    enum fail fail = x->starved[i] == x->scan - 1 ? FAIL_CAPACITY : FAIL_UNITS;
    if (x->lone == SL_NONE || (fail == FAIL_CAPACITY && node->flags & NODE_VARIES)) {
        sl_waiting_blame_release(w, i, fail, (uint32_t)x->why[i]);
        x->why[i] = WHY(w->cause[i], w->behind[i]) | (w->by_free[i] ? BY_FREE : 0);
    } else if (fail == FAIL_UNITS)
        x->why[i] = WHY(SL_CAUSE_QUEUE, x->lone) | BY_FREE;
    else
        x->why[i] = WHY(SL_CAUSE_CAPACITY, x->lone);
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

static SL_ALWAYS_INLINE void start(struct sl_worker *w, uint32_t i, const struct common_node *node)
{
    struct common_queue *queue = &w->common->queues[node->queue];
    if (w->ready[i] == w->now)
        blame_condition(w, i);
    else
        blame_wait(w, i, node);
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

/* Everybody before `item`, which starts, is passed if it competes with it. */
static SL_ALWAYS_INLINE void pass_by(struct sl_worker *w, uint64_t item,
                                     const struct common_node *node, const uint32_t lanes)
{
    const struct sl_common *common = w->p->common;
    const struct common_run *x = w->common;
    uint32_t at[SL_COMMON_QUEUES], before = 0;
    memcpy(at, x->head, lanes * sizeof *at);
    EACH_LANE(q, lanes)
    before |= (uint32_t)(x->first[q] < item) << q;
    for (before &= node->rivals; before;) {
        uint32_t q = (uint32_t)__builtin_ctz(before);
        uint32_t other = item_node(common, x->items[at[q]++]);
        if (common->nodes[other].mask & node->mask &&
            (w->p->separate_needs || sl_waiting_in_common(w->p, other, item_node(common, item)))) {
            w->bypassed[other]++;
            w->record.bypasses++;
        }
        before &= ~((uint32_t)(x->items[at[q]] >= item) << q);
    }
}

/* The one at the cursor leaves its queue. */
static SL_ALWAYS_INLINE void leave_queue(struct common_run *x, uint32_t q)
{
    uint64_t *items = x->items;
    uint32_t at = x->cursor[q]++, head = x->head[q]++;
    for (; at > head; at--)
        items[at] = items[at - 1];
    items[head] = 0;
    x->first[q] = items[head + 1];
}

static SL_ALWAYS_INLINE bool bytes_free(const struct sl_worker *w, uint32_t i,
                                        const struct common_node *node)
{
    if (node->flags & NODE_VARIES)
        return sl_capacity_fits(w, i);
    const struct domain_run *domain = &w->domains[node->domain];
    return !(node->flags & NODE_BYTES) || node->bytes <= domain->limit - domain->level;
}

static SL_ALWAYS_INLINE void try(struct sl_worker *w, uint64_t item, const uint32_t lanes)
{
    struct common_run *x = w->common;
    uint32_t i = item_node(w->p->common, item);
    const struct common_node *node = &w->p->common->nodes[i];
    uint32_t q = node->queue;
    bool has_units = x->queues[q].free >= node->units;
    if (has_units && bytes_free(w, i, node)) {
        pass_by(w, item, node, lanes);
        leave_queue(x, q);
        start(w, i, node);
        set_shut(x, q);
    } else {
        if (has_units)
            x->starved[i] = x->scan;
        x->cursor[q]++;
    }
    x->next[q] = x->items[x->cursor[q]] | x->shut[q];
}

static SL_ALWAYS_INLINE uint64_t earliest(const uint64_t *item, const uint32_t lanes)
{
    uint64_t least = SL_COMMON_LAST;
    EACH_LANE(q, lanes)
    least = item[q] < least ? item[q] : least;
    return least;
}

/* Whoever can start does, in the order of the lists. */
static SL_ALWAYS_INLINE void scan(struct sl_worker *w, const uint32_t lanes)
{
    struct common_run *x = w->common;
    x->scan++;
    memcpy(x->cursor, x->head, lanes * sizeof *x->cursor);
    EACH_LANE(q, lanes)
    x->next[q] = x->first[q] | x->shut[q];
    for (uint64_t item; (item = earliest(x->next, lanes)) != SL_COMMON_LAST;)
        try(w, item, lanes);
}

/* ---- instants -------------------------------------------------------------------------------- */

static SL_ALWAYS_INLINE void play_round(struct sl_worker *w, int64_t t, const uint32_t lanes)
{
    struct common_run *x = w->common;
    w->log_count = 0;
    gather(w, t);
    x->lone = w->batch_count == 1 ? w->batch[0] : SL_NONE;
    for (uint32_t k = 0; k < w->batch_count; k++)
        end_node(w, w->batch[k]);
    w->batch_count = 0;
    for (uint32_t k = 0; k < x->complete_count; k++)
        conditions_met(w, x->complete[k]);
    x->complete_count = 0;
    for (; due(w, t, EVENT_READY); pop_event(w))
        become_ready(w, (uint32_t)w->heap[0].sub);
    for (uint32_t k = 0; k < w->free_count; k++) {
        uint32_t i = w->free_ready[k];
        blame_condition(w, i);
        hold(w, i, &w->p->common->nodes[i]);
    }
    w->free_count = 0;
    scan(w, lanes);
}

/* What has nothing left to run when it starts ends in an instant of its own, at the same time. */
static SL_ALWAYS_INLINE void instant(struct sl_worker *w, int64_t t, const uint32_t lanes)
{
    if (t != w->now)
        w->common->instant += UINT64_C(1) << w->p->common->instant_shift;
    w->now = t;
    do
        play_round(w, t, lanes);
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
    for (uint32_t q = 0; q < common->queue_count; q++)
        x->items[x->head[q]] = SL_COMMON_LAST;
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
            conditions_met(w, i);
    }
}

static SL_ALWAYS_INLINE void play(struct sl_worker *w, const uint32_t lanes)
{
    for (int64_t t = 0; t < SL_TIME_LIMIT && !w->fault && !w->common->crowded;
         t = w->cell_next < w->heap[0].t ? w->cell_next : w->heap[0].t)
        instant(w, t, lanes);
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
