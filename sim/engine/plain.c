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
    x->items = sl_arena_array(&w->arena, n, sizeof *x->items);
    x->crowd = sl_arena_array(&w->arena, n, sizeof *x->crowd);
    x->crowd_count = sl_arena_array(&w->arena, plain->queue_count + 1, sizeof *x->crowd_count);
    x->waits = sl_arena_array(&w->arena, n, sizeof *x->waits);
    x->freed_by = sl_arena_array(&w->arena, n, sizeof *x->freed_by);
    return x->state_ps && x->items && x->crowd && x->crowd_count && x->waits && x->freed_by;
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

static inline int64_t ready_of(const struct sl_worker *w, uint32_t node)
{
    const struct sl_plain *plain = w->p->plain;
    if (!plain->brisk)
        return w->ready[node];
    uint32_t met_by = plain->from[w->plain->waits[node].latest];
    return met_by == SL_NONE ? 0 : w->start[met_by] + w->duration[met_by];
}

static inline struct wait_item item_of(const struct sl_worker *w, uint32_t node)
{
    return wait_item(w->p->hot[node].key, ready_of(w, node), node);
}

static inline bool waits_before(const struct sl_worker *w, const struct wait_item *item,
                                uint32_t node)
{
    struct wait_item other = item_of(w, node);
    return item_before(item, &other);
}

static struct wait_item *heap_of(const struct sl_worker *w, uint32_t q)
{
    return w->plain->crowd + w->p->plain->queues[q].first;
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
    x->items[x->tail[q]++] = item_node(&first);
    x->crowded--;
    return true;
}

static void settle_node(struct plain_run *x, const struct sl_worker *w, uint32_t q,
                        const struct wait_item *item)
{
    uint32_t at = x->tail[q]++;
    for (; at > x->head[q] && waits_before(w, item, x->items[at - 1]); at--)
        x->items[at] = x->items[at - 1];
    x->items[at] = item_node(item);
}

static __attribute__((noinline)) void join_crowd(struct sl_worker *w, uint32_t q,
                                                 const struct wait_item *item, bool moves_many)
{
    struct plain_run *x = w->plain;
    if (x->crowd_count[q] && item_before(heap_of(w, q), item)) {
        push_crowd(w, q, *item);
        return;
    }
    if (moves_many)
        while (x->tail[q] > x->head[q] && waits_before(w, item, x->items[x->tail[q] - 1]))
            push_crowd(w, q, item_of(w, x->items[--x->tail[q]]));
    settle_node(x, w, q, item);
}

static void join_queue(struct sl_worker *w, uint32_t node)
{
    struct plain_run *x = w->plain;
    uint32_t q = w->p->plain->queue_of[node];
    struct wait_item item = item_of(w, node);
    x->filled |= UINT64_C(1) << q;
    bool many = x->tail[q] - x->head[q] >= SL_CROWD &&
                waits_before(w, &item, x->items[x->tail[q] - SL_CROWD]);
    if (many || x->crowded)
        join_crowd(w, q, &item, many);
    else
        settle_node(x, w, q, &item);
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
    if (w->p->plain->brisk || w->ready[node] <= w->plain->now)
        join_queue(w, node);
    else
        push_event(w, w->ready[node], EVENT_READY, node);
}

/* True when a condition that is met at a time comes later than the latest so far: ties go by cause,
 * then by node index. */
static bool binds(const struct sl_worker *w, uint32_t condition, int64_t at, uint32_t latest,
                  int64_t ready)
{
    const struct sl_plain *plain = w->p->plain;
    uint8_t cause = plain->cause[condition], other = plain->cause[latest];
    return at > ready ||
           (at == ready &&
            (cause < other || (cause == other && plain->from[condition] < plain->from[latest])));
}

static void satisfy(struct sl_worker *w, uint32_t condition, int64_t at)
{
    const struct sl_plain *plain = w->p->plain;
    uint32_t node = succ_to(plain->succ[condition]);
    struct plain_wait *wait = &w->plain->waits[node];
    if (binds(w, condition, at, wait->latest, ready_of(w, node))) {
        wait->latest = condition;
        w->ready[node] = at;
    }
    if (!--wait->pending)
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
    uint32_t q = w->p->plain->queue_of[node];
    uint64_t bit = UINT64_C(1) << q;
    if (!(*released & bit))
        x->behind[q] = node;
    *released |= bit;
    x->places[q]++;
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
    for (uint32_t s = 0; s < plain->nodes[i].succ_count; s++) {
        uint32_t condition = plain->nodes[i].succ_first + s;
        if (succ_to(plain->succ[condition]) < w->p->n)
            satisfy(w, condition, x->now + (plain->lagged ? w->p->succ_lag[condition] : 0));
    }
}

/* Starts a node that has a place in a queue with slots; returns the key of its end. */
static SL_ALWAYS_INLINE int64_t occupy(struct sl_worker *w, struct plain_run *x, int64_t now,
                                       uint32_t node, uint32_t slot, uint32_t *state)
{
    struct plain_node run = w->p->plain->nodes[node];
    x->node[slot] = node;
    x->runs[slot] = run;
    w->start[node] = now;
    *state += run.share;
    return slot_key(now + w->duration[node], slot);
}

/* ... and one of a queue without. */
static SL_ALWAYS_INLINE void start_beside(struct sl_worker *w, int64_t now, uint32_t node,
                                          uint32_t *state)
{
    w->start[node] = now;
    *state += w->p->plain->nodes[node].share;
    push_event(w, now + w->duration[node], EVENT_FINISH, END_OF(node));
}

static void start_head(struct sl_worker *w, uint32_t q)
{
    struct plain_run *x = w->plain;
    uint32_t node = x->items[x->head[q]++], slots = w->p->plain->queues[q].slots;
    x->freed_by[node] = x->behind[q];
    if (!--x->places[q])
        x->room &= ~(UINT64_C(1) << q);
    if (x->head[q] == x->tail[q] && !pull_crowd(w, q))
        x->filled &= ~(UINT64_C(1) << q);
    if (!slots) {
        start_beside(w, x->now, node, &x->state);
        return;
    }
    uint32_t slot = (uint32_t)__builtin_ctz(x->idle & slots);
    x->idle &= ~(1u << slot);
    insert_key(x->key, SL_PLAIN_SLOTS, occupy(w, x, x->now, node, slot, &x->state));
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
    uint64_t room;
    uint64_t filled; /* queues in which somebody became ready in this round */
    uint32_t idle, state;
};

static SL_ALWAYS_INLINE void load(struct brisk *b, const struct plain_run *x, const uint32_t slots)
{
#pragma GCC unroll 8
    for (uint32_t s = 0; s < slots; s++)
        b->key[s] = x->key[s];
    b->now = x->now;
    b->room = x->room;
    b->filled = 0;
    b->idle = x->idle;
    b->state = x->state;
}

static SL_ALWAYS_INLINE void store(struct plain_run *x, const struct brisk *b, const uint32_t slots,
                                   uint32_t queues)
{
#pragma GCC unroll 8
    for (uint32_t s = 0; s < slots; s++)
        x->key[s] = b->key[s];
    x->now = b->now;
    x->room = b->room;
    x->filled = 0;
    for (uint32_t q = 0; q < queues; q++)
        x->filled |= (uint64_t)(x->head[q] < x->tail[q]) << q;
    x->idle = b->idle;
    x->state = b->state;
}

/* One more condition is met; a node that needs no other stands at the end of its queue now, and if
 * it does, its place was written in vain. */
static SL_ALWAYS_INLINE void satisfy_last(struct plain_run *x, struct brisk *b, uint32_t succ,
                                          uint32_t condition)
{
    uint32_t to = succ_to(succ), q = succ_queue(succ), tail = x->tail[q];
    uint64_t complete = --x->waits[to].pending == 0;
    x->waits[to].latest = condition;
    x->items[tail] = to;
    x->tail[q] = tail + (uint32_t)complete;
    b->filled |= complete << q;
}

/* A queue with room and somebody who has just become ready. */
static SL_ALWAYS_INLINE void start_ready(struct sl_worker *w, struct plain_run *x, struct brisk *b,
                                         const uint32_t slots, uint32_t q)
{
    uint32_t head = x->head[q]++, node = x->items[head], own = w->p->plain->queues[q].slots;
    b->room &= ~((uint64_t)(--x->places[q] == 0) << q);
    b->filled &= ~((uint64_t)(head + 1 == x->tail[q]) << q);
    if (!own) {
        start_beside(w, b->now, node, &b->state);
        return;
    }
    uint32_t slot = (uint32_t)__builtin_ctz(b->idle & own);
    b->idle &= ~(1u << slot);
    insert_key(b->key, slots, occupy(w, x, b->now, node, slot, &b->state));
}

static SL_ALWAYS_INLINE void lone_finish(struct sl_worker *w, struct plain_run *x, struct brisk *b,
                                         const uint32_t slots)
{
    const struct sl_plain *plain = w->p->plain;
    uint32_t slot = slot_of(b->key[0]), q = plain->slot_queue[slot], head = x->head[q];
    struct plain_node done = x->runs[slot];
    int64_t new = INT64_MAX;
    b->state -= done.share;
    if (head < x->tail[q]) {
        uint32_t next = x->items[head];
        x->head[q] = head + 1;
        x->freed_by[next] = x->node[slot];
        new = occupy(w, x, b->now, next, slot, &b->state);
    } else {
        x->places[q]++;
        b->room |= UINT64_C(1) << q;
        b->idle |= 1u << slot;
    }
    drop_least_key(b->key, slots);
    insert_key(b->key, slots, new);
    uint32_t s = done.succ_first, end = s + done.succ_count;
    do {
        satisfy_last(x, b, plain->succ[s], s);
        satisfy_last(x, b, plain->succ[s + 1], s + 1);
    } while ((s += 2) < end);
    for (uint64_t can; (can = b->room & b->filled);)
        start_ready(w, x, b, slots, (uint32_t)__builtin_ctzll(can));
    b->filled = 0;
}

static SL_ALWAYS_INLINE void brisk_loop(struct sl_worker *w, const uint32_t slots)
{
    struct plain_run *x = w->plain;
    struct brisk b;
    load(&b, x, slots);
    for (;;) {
        int64_t t = time_of(b.key[0]);
        if (t == b.now || t == time_of(b.key[1]) || t >= w->heap[0].t) {
            store(x, &b, slots, w->p->plain->queue_count);
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
    memcpy(x->waits, plain->waits, ((size_t)p->n + 1) * sizeof *x->waits);
    memset(x->state_ps, 0, plain->states * sizeof *x->state_ps);
    if (!plain->brisk) /* whoever comes first is later than that */
        memset(w->ready, -1, p->n * sizeof *w->ready);
    for (uint32_t s = 0; s < SL_PLAIN_SLOTS; s++)
        x->key[s] = INT64_MAX;
    x->idle = (1u << plain->slot_count) - 1;
    x->now = 0;
    x->state = 0;
    x->room = x->filled = 0;
    memset(x->crowd_count, 0, plain->queue_count * sizeof *x->crowd_count);
    x->crowded = 0;
    for (uint32_t q = 0; q <= plain->queue_count; q++) {
        x->head[q] = x->tail[q] = plain->queues[q].first;
        x->places[q] = plain->queues[q].places;
        x->room |= (uint64_t)(x->places[q] > 0) << q;
    }
    clear_events(w);
}

static void begin(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->plain->begun_count; k++) {
        uint32_t node = p->plain->begun[k];
        w->ready[node] = p->template[node].ready;
        if (!p->template[node].pending)
            conditions_met(w, node);
    }
    scan(w);
}

/* All nodes had their turn; then whoever started has ended. */
static bool all_started(const struct sl_worker *w)
{
    const struct sl_plain *plain = w->p->plain;
    uint32_t started = 0;
    for (uint32_t q = 0; q < plain->queue_count; q++)
        started += w->plain->head[q] - plain->queues[q].first;
    return started == w->p->n;
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
    if (!all_started(w))
        return false;
    for (uint32_t q = 0; q < plain->queue_count; q++)
        if (x->places[q] != plain->queues[q].places)
            sl_worker_fault(w, "internal: places of queue %u were lost", q);
    w->now = x->now;
    w->passed = w->p->n;
    sl_plain_record(w);
    return true;
}
