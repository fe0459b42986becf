/* The loop of the plain path.  A round at an instant t is that of the general loop:
 *
 *     1. finishes at t, by node index: places come free, successors' conditions are met
 *     2. lags and releases that expire at t
 *     3. one scan over the queues
 *
 * Where one node alone ends at an instant, as nearly always, a brisk program takes a shorter way
 * through it (lone_finish): the head of the queue that it leaves starts first, since nothing else
 * that happens can change who that is, and so the next finish does not wait for the successors. */
#include "plain.h"
#include "events.h"
#include "isa.h"
#include "waitlist.h"
#include <string.h>

/* What the heap says of a finish: the node, and whether it is the end of a pipelined latency. */
#define LATENCY_END  1u
#define END_OF(node) ((node) << 1)

bool sl_plain_create(struct sl_worker *w)
{
    const struct sl_plain *plain = w->p->plain;
    if (!plain)
        return true;
    struct plain_run *x = w->plain = sl_arena_array(&w->arena, 1, sizeof *x);
    if (!x)
        return false;
    size_t n = (size_t)w->p->n + 1;
    x->state_ps = sl_arena_array(&w->arena, plain->states, sizeof *x->state_ps);
    x->queues = sl_arena_array(&w->arena, plain->queue_count + 1, sizeof *x->queues);
    x->pending = sl_arena_array(&w->arena, n, sizeof *x->pending);
    x->items = sl_arena_array(&w->arena, n, sizeof *x->items);
    x->crowd = sl_arena_array(&w->arena, n, sizeof *x->crowd);
    x->crowd_count = sl_arena_array(&w->arena, plain->queue_count + 1, sizeof *x->crowd_count);
    x->cause = sl_arena_array(&w->arena, n, sizeof *x->cause);
    return x->state_ps && x->queues && x->pending && x->items && x->crowd && x->crowd_count &&
           x->cause;
}

/* ---- the slots ------------------------------------------------------------------------------- */

/* Puts a key among `slots` ascending ones, of which the last is free: without a branch. */
static SL_ALWAYS_INLINE void insert_key(int64_t *key, const uint32_t slots, int64_t new)
{
#pragma GCC unroll 8
    for (uint32_t s = 0; s < slots; s++) {
        int64_t less = key[s] < new ? key[s] : new, more = key[s] < new ? new : key[s];
        key[s] = less;
        new = more;
    }
}

static SL_ALWAYS_INLINE void drop_least_key(int64_t *key, const uint32_t slots)
{
#pragma GCC unroll 8
    for (uint32_t s = 1; s < slots; s++)
        key[s - 1] = key[s];
    key[slots - 1] = INT64_MAX;
}

static inline int64_t slot_key(int64_t finish, uint32_t slot)
{
    return (int64_t)((uint64_t)finish << SL_PLAIN_SLOT_BITS | slot);
}

static inline int64_t time_of(int64_t key)
{
    return key >> SL_PLAIN_SLOT_BITS;
}

static inline uint32_t slot_of(int64_t key)
{
    return (uint32_t)key & (SL_PLAIN_SLOTS - 1);
}

/* ---- the queues: crowd.h says what a long one is ----------------------------------------------
 */

static inline struct wait_item item_of(const struct sl_worker *w, uint32_t node)
{
    return wait_item(w->p->hot[node].key, w->ready[node], node);
}

static inline bool waits_before(const struct sl_worker *w, const struct wait_item *item,
                                uint32_t node)
{
    struct wait_item other = item_of(w, node);
    return item_before(item, &other);
}

static struct wait_item *heap_of(const struct sl_worker *w, uint32_t q)
{
    return w->plain->crowd + w->p->plain->queues[q].head;
}

static void push_crowd(struct sl_worker *w, uint32_t q, struct wait_item item)
{
    sl_crowd_push(heap_of(w, q), &w->plain->crowd_count[q], item);
    w->plain->crowded++;
}

static bool pull_crowd(struct sl_worker *w, uint32_t q)
{
    struct plain_run *x = w->plain;
    if (!x->crowd_count[q])
        return false;
    struct wait_item first = sl_crowd_pop(heap_of(w, q), &x->crowd_count[q]);
    x->items[x->queues[q].tail++] = item_node(&first);
    x->crowded--;
    return true;
}

static void settle_node(struct sl_worker *w, struct plain_queue *queue,
                        const struct wait_item *item)
{
    uint32_t *items = w->plain->items, at = queue->tail++;
    for (; at > queue->head && waits_before(w, item, items[at - 1]); at--)
        items[at] = items[at - 1];
    items[at] = item_node(item);
}

static __attribute__((noinline)) void join_crowd(struct sl_worker *w, uint32_t q,
                                                 const struct wait_item *item, bool moves_many)
{
    struct plain_run *x = w->plain;
    struct plain_queue *queue = &x->queues[q];
    if (x->crowd_count[q] && item_before(heap_of(w, q), item)) {
        push_crowd(w, q, *item);
        return;
    }
    if (moves_many)
        while (queue->tail > queue->head && waits_before(w, item, x->items[queue->tail - 1]))
            push_crowd(w, q, item_of(w, x->items[--queue->tail]));
    settle_node(w, queue, item);
}

static void join_queue(struct sl_worker *w, uint32_t node)
{
    struct plain_run *x = w->plain;
    uint32_t q = w->p->plain->nodes[node].queue;
    struct plain_queue *queue = &x->queues[q];
    struct wait_item item = item_of(w, node);
    x->filled |= UINT64_C(1) << q;
    bool many = queue->tail - queue->head >= SL_CROWD &&
                waits_before(w, &item, x->items[queue->tail - SL_CROWD]);
    if (many || x->crowded)
        join_crowd(w, q, &item, many);
    else
        settle_node(w, queue, &item);
}

/* The shorter way through an instant knows no crowds. */
static void dissolve_crowds(struct sl_worker *w)
{
    for (uint32_t q = 0; w->plain->crowded && q < w->p->plain->queue_count; q++)
        while (pull_crowd(w, q))
            ;
}

/* ---- a round, in full ------------------------------------------------------------------------ */

static void conditions_met(struct sl_worker *w, uint32_t node)
{
    if (w->ready[node] <= w->plain->now)
        join_queue(w, node);
    else
        push_event(w, w->ready[node], EVENT_READY, node);
}

/* The latest condition binds; ties go by cause, then by node index. */
static void satisfy(struct sl_worker *w, const struct plain_succ *succ, int64_t at, uint32_t behind)
{
    struct plain_run *x = w->plain;
    uint32_t node = succ->to;
    if (at > w->ready[node] ||
        (at == w->ready[node] && (succ->cause < x->cause[node] ||
                                  (succ->cause == x->cause[node] && behind < w->behind[node])))) {
        w->ready[node] = at;
        w->behind[node] = behind;
        x->cause[node] = succ->cause;
    }
    if (!--x->pending[node])
        conditions_met(w, node);
}

/* All that ends at t, by node index; returns how many. */
static uint32_t gather(struct sl_worker *w, int64_t t)
{
    struct plain_run *x = w->plain;
    uint32_t count = 0;
    for (; time_of(x->key[0]) == t; drop_least_key(x->key, SL_PLAIN_SLOTS)) {
        uint32_t slot = slot_of(x->key[0]);
        x->idle |= 1u << slot;
        w->batch[count++] = END_OF(x->node[slot]);
    }
    for (; due(w, t, EVENT_FINISH); pop_event(w))
        w->batch[count++] = (uint32_t)w->heap[0].sub;
    for (uint32_t k = 1; k < count; k++) { /* mostly a handful, in order already */
        uint32_t end = w->batch[k], at = k;
        for (; at && w->batch[at - 1] > end; at--)
            w->batch[at] = w->batch[at - 1];
        w->batch[at] = end;
    }
    return count;
}

static void come_free(struct sl_worker *w, uint32_t node, uint64_t *released)
{
    struct plain_run *x = w->plain;
    uint32_t q = w->p->plain->nodes[node].queue;
    uint64_t bit = UINT64_C(1) << q;
    if (!(*released & bit))
        x->queues[q].behind = node;
    *released |= bit;
    x->queues[q].places++;
    x->room |= bit;
    x->state -= w->p->plain->nodes[node].share;
}

static void end_node(struct sl_worker *w, uint32_t end, uint64_t *released)
{
    struct plain_run *x = w->plain;
    const struct sl_plain *plain = w->p->plain;
    uint32_t i = end >> 1;
    if (!(end & LATENCY_END)) {
        come_free(w, i, released);
        if (w->p->any_latency && w->latency[i]) {
            push_event(w, x->now + w->latency[i], EVENT_FINISH, end | LATENCY_END);
            return;
        }
    }
    x->passed++;
    for (uint32_t s = 0; s < plain->nodes[i].succ_count; s++) {
        uint32_t at = plain->nodes[i].succ_first + s;
        satisfy(w, &plain->succ[at], x->now + (plain->lagged ? w->p->succ_lag[at] : 0), i);
    }
}

static void start_head(struct sl_worker *w, uint32_t q)
{
    struct plain_run *x = w->plain;
    struct plain_queue *queue = &x->queues[q];
    uint32_t node = x->items[queue->head++];
    if (w->ready[node] != x->now)
        w->behind[node] = queue->behind;
    w->start[node] = x->now;
    x->state += w->p->plain->nodes[node].share;
    if (!--queue->places)
        x->room &= ~(UINT64_C(1) << q);
    if (queue->head == queue->tail && !pull_crowd(w, q))
        x->filled &= ~(UINT64_C(1) << q);
    int64_t finish = x->now + w->duration[node];
    if (!queue->slots) {
        push_event(w, finish, EVENT_FINISH, END_OF(node));
        return;
    }
    uint32_t slot = (uint32_t)__builtin_ctz(x->idle & queue->slots);
    x->idle &= ~(1u << slot);
    x->node[slot] = node;
    insert_key(x->key, SL_PLAIN_SLOTS, slot_key(finish, slot));
}

static void scan(struct sl_worker *w)
{
    struct plain_run *x = w->plain;
    for (uint64_t can; (can = x->room & x->filled);)
        start_head(w, (uint32_t)__builtin_ctzll(can));
    if (x->crowded && w->p->plain->brisk)
        dissolve_crowds(w);
}

/* The next round; false: there is nothing left that will happen. */
static __attribute__((noinline)) bool next_round(struct sl_worker *w)
{
    struct plain_run *x = w->plain;
    int64_t t = time_of(x->key[0]);
    t = w->heap[0].t < t ? w->heap[0].t : t;
    if (t >= SL_PLAIN_TIME_LIMIT)
        return false;
    x->state_ps[x->state] += t - x->now;
    x->now = t;
    uint64_t released = 0;
    uint32_t count = gather(w, t);
    for (uint32_t k = 0; k < count; k++)
        end_node(w, w->batch[k], &released);
    for (; due(w, t, EVENT_READY); pop_event(w))
        join_queue(w, (uint32_t)w->heap[0].sub);
    scan(w);
    return true;
}

/* ---- a round in which one node ends ---------------------------------------------------------- */

/* What the brisk loop keeps in registers: the first `slots` keys and the words of plain_run. */
struct brisk {
    int64_t key[SL_PLAIN_SLOTS], now;
    uint64_t room, filled;
    uint32_t idle, state, passed;
};

static SL_ALWAYS_INLINE void load(struct brisk *b, const struct plain_run *x, const uint32_t slots)
{
#pragma GCC unroll 8
    for (uint32_t s = 0; s < slots; s++)
        b->key[s] = x->key[s];
    b->now = x->now;
    b->room = x->room;
    b->filled = x->filled;
    b->idle = x->idle;
    b->state = x->state;
    b->passed = x->passed;
}

static SL_ALWAYS_INLINE void store(struct plain_run *x, const struct brisk *b, const uint32_t slots)
{
#pragma GCC unroll 8
    for (uint32_t s = 0; s < slots; s++)
        x->key[s] = b->key[s];
    x->now = b->now;
    x->room = b->room;
    x->filled = b->filled;
    x->idle = b->idle;
    x->state = b->state;
    x->passed = b->passed;
}

/* One more condition is met; a node that needs no other stands at the end of its queue now, and if
 * it does, its place was written in vain. */
static SL_ALWAYS_INLINE void satisfy_last(struct sl_worker *w, struct plain_run *x, struct brisk *b,
                                          struct plain_succ succ, uint32_t behind)
{
    struct plain_queue *queue = &x->queues[succ.queue];
    uint32_t complete = --x->pending[succ.to] == 0;
    w->ready[succ.to] = b->now;
    w->behind[succ.to] = behind;
    x->cause[succ.to] = succ.cause;
    x->items[queue->tail] = succ.to;
    queue->tail += complete;
    b->filled |= (uint64_t)complete << succ.queue;
}

/* Starts `node` where its queue has no slots. */
static SL_ALWAYS_INLINE void start_beside(struct sl_worker *w, struct brisk *b, uint32_t node)
{
    w->start[node] = b->now;
    b->state += w->p->plain->nodes[node].share;
    push_event(w, b->now + w->duration[node], EVENT_FINISH, END_OF(node));
}

/* Starts `node` in a slot; returns the key. */
static SL_ALWAYS_INLINE int64_t occupy(struct sl_worker *w, struct plain_run *x, struct brisk *b,
                                       uint32_t node, uint32_t slot)
{
    x->node[slot] = node;
    w->start[node] = b->now;
    b->state += w->p->plain->nodes[node].share;
    return slot_key(b->now + w->duration[node], slot);
}

/* A queue with room and somebody who has just become ready. */
static SL_ALWAYS_INLINE void start_ready(struct sl_worker *w, struct plain_run *x, struct brisk *b,
                                         const uint32_t slots, uint32_t q)
{
    struct plain_queue *queue = &x->queues[q];
    uint32_t node = x->items[queue->head++];
    b->room &= ~((uint64_t)(--queue->places == 0) << q);
    b->filled &= ~((uint64_t)(queue->head == queue->tail) << q);
    if (!queue->slots) {
        start_beside(w, b, node);
        return;
    }
    uint32_t slot = (uint32_t)__builtin_ctz(b->idle & queue->slots);
    b->idle &= ~(1u << slot);
    insert_key(b->key, slots, occupy(w, x, b, node, slot));
}

static SL_ALWAYS_INLINE void lone_finish(struct sl_worker *w, struct plain_run *x, struct brisk *b,
                                         const uint32_t slots)
{
    const struct sl_plain *plain = w->p->plain;
    uint32_t slot = slot_of(b->key[0]), i = x->node[slot];
    const struct plain_node *node = &plain->nodes[i];
    const struct plain_succ *succ = plain->succ + node->succ_first;
    struct plain_queue *queue = &x->queues[node->queue];
    int64_t new = INT64_MAX;
    b->state -= node->share;
    b->passed++;
    if (queue->head < queue->tail) {
        uint32_t next = x->items[queue->head++];
        w->behind[next] = i;
        new = occupy(w, x, b, next, slot);
    } else {
        queue->places++;
        b->room |= UINT64_C(1) << node->queue;
        b->idle |= 1u << slot;
    }
    b->filled &= ~((uint64_t)(queue->head == queue->tail) << node->queue);
    drop_least_key(b->key, slots);
    insert_key(b->key, slots, new);
    satisfy_last(w, x, b, succ[0], i);
    satisfy_last(w, x, b, succ[1], i);
    for (uint32_t s = 2; s < node->succ_count; s += 2) {
        satisfy_last(w, x, b, succ[s], i);
        satisfy_last(w, x, b, succ[s + 1], i);
    }
    for (uint64_t can; (can = b->room & b->filled);)
        start_ready(w, x, b, slots, (uint32_t)__builtin_ctzll(can));
}

static SL_ALWAYS_INLINE void brisk_loop(struct sl_worker *w, const uint32_t slots)
{
    struct plain_run *x = w->plain;
    struct brisk b;
    load(&b, x, slots);
    for (;;) {
        int64_t t = time_of(b.key[0]);
        if (t == b.now || t == time_of(b.key[1]) || t >= w->heap[0].t) {
            store(x, &b, slots);
            if (!next_round(w))
                return;
            load(&b, x, slots);
            continue;
        }
        x->state_ps[b.state] += t - b.now;
        b.now = t;
        lone_finish(w, x, &b, slots);
    }
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    const struct sl_plain *plain = p->plain;
    struct plain_run *x = w->plain;
    memcpy(x->queues, plain->queues, (plain->queue_count + 1) * sizeof *x->queues);
    memcpy(x->pending, plain->pending, ((size_t)p->n + 1) * sizeof *x->pending);
    memset(x->state_ps, 0, plain->states * sizeof *x->state_ps);
    memset(w->ready, -1, p->n * sizeof *w->ready); /* whoever comes first is later than that */
    for (uint32_t s = 0; s < SL_PLAIN_SLOTS; s++)
        x->key[s] = INT64_MAX;
    x->idle = (1u << plain->slot_count) - 1;
    x->now = 0;
    x->state = x->passed = 0;
    x->room = x->filled = 0;
    memset(x->crowd_count, 0, plain->queue_count * sizeof *x->crowd_count);
    x->crowded = 0;
    for (uint32_t q = 0; q < plain->queue_count; q++)
        x->room |= (uint64_t)(x->queues[q].places > 0) << q;
    clear_events(w);
}

static void begin(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->plain->begun_count; k++) {
        uint32_t node = p->plain->begun[k];
        w->ready[node] = p->template[node].ready;
        w->behind[node] = SL_NONE;
        w->plain->cause[node] = p->template[node].cause;
        if (!p->template[node].pending)
            conditions_met(w, node);
    }
    scan(w);
}

bool sl_plain_run(struct sl_worker *w)
{
    const struct sl_plain *plain = w->p->plain;
    struct plain_run *x = w->plain;
    if (!(w->longest_ps < (double)SL_PLAIN_TIME_LIMIT))
        return false;
    reset(w);
    begin(w);
    if (!plain->brisk)
        while (next_round(w))
            ;
    else if (plain->slot_count <= SL_PLAIN_SLOTS / 2)
        brisk_loop(w, SL_PLAIN_SLOTS / 2);
    else
        brisk_loop(w, SL_PLAIN_SLOTS);
    if (x->passed < w->p->n)
        return false;
    for (uint32_t q = 0; q < plain->queue_count; q++)
        if (x->queues[q].places != plain->queues[q].places)
            sl_worker_fault(w, "internal: places of queue %u were lost", q);
    w->now = x->now;
    w->passed = x->passed;
    sl_plain_record(w);
    return true;
}
