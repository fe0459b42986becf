/* Contention where one small set of cells shares all its groups: the usual case, one device's
 * memory system.  The arithmetic is that of contend.c; what is different is how it is kept:
 *
 *   - at most SL_COMPACT_CELLS cells, every array of theirs one aligned block of a fixed size;
 *   - the counts of running nodes, side by side, number the state in at most SL_COMPACT_BITS bits:
 *     a state's kappas are found by index, without a search;
 *   - how long each state lasted is all that the times of classes, alone and together, need; they
 *     are summed up once, at the end of the trial. */
#include "contend_compact.h"
#include "events.h"
#include "waitlist.h"
#include <math.h>
#include <string.h>

#define RARE __attribute__((noinline, cold))

/* ---- states ---------------------------------------------------------------------------------- */

static uint32_t count_in(const struct cell_static *cell, uint64_t state)
{
    return (uint32_t)((state & cell->state_bits) / cell->hash);
}

/* A state that no trial of this worker met before. */
RARE void sl_compact_learn(struct sl_worker *w, struct compact_run *c)
{
    const struct island_static *island = &w->p->islands[0];
    uint32_t counts[SL_COMPACT_CELLS] = {0};
    struct compact_state *known = &c->states[c->state];
    double *kappa = c->kappa + c->state * SL_COMPACT_CELLS;
    known->known = true;
    for (uint32_t k = 0; k < island->cells.count; k++) {
        counts[k] = count_in(&w->p->cells[k], c->state);
        known->running |= (uint8_t)((counts[k] > 0) << k);
        known->twice |= (uint8_t)((counts[k] > 1) << k);
    }
    sl_contend_evaluate(w, island, counts, kappa, &known->hypothetical);
    for (uint32_t k = 0; k < SL_COMPACT_CELLS; k++)
        if (!counts[k])
            kappa[k] = INFINITY; /* the clock of an empty cell stands still at 0 */
    c->known[c->known_count++] = (uint16_t)c->state;
}

/* sum[set] += sum of all supersets of it, which turns the times of exact sets of running classes
 * into times in which at least these ran. */
static void add_supersets(int64_t *sum, uint32_t bits)
{
    for (uint32_t bit = 1; bit < 1u << bits; bit *= 2)
        for (uint32_t block = 0; block < 1u << bits; block += 2 * bit)
            for (uint32_t set = block; set < block + bit; set++)
                sum[set] += sum[set + bit];
}

void sl_compact_end(struct sl_worker *w)
{
    struct compact_run *c = w->compact;
    const struct cell_static *cells = w->p->cells;
    uint32_t count = w->p->islands[0].cells.count, classes = w->p->class_count;
    int64_t together[1u << SL_COMPACT_CELLS];
    memset(together, 0, sizeof *together << count);
    for (uint32_t k = 0; k < c->known_count; k++) {
        struct compact_state *state = &c->states[c->known[k]];
        together[state->running] += state->time;
        for (uint32_t twice = state->twice; twice; twice &= twice - 1) {
            size_t klass = cells[__builtin_ctz(twice)].klass;
            w->overlap[klass * classes + klass] += state->time;
        }
    }
    add_supersets(together, count);
    for (uint32_t a = 0; a < count; a++) {
        w->class_busy[cells[a].klass] = together[1u << a];
        for (uint32_t b = 0; b < a; b++)
            w->overlap[(size_t)cells[a].klass * classes + cells[b].klass] =
                together[1u << a | 1u << b];
    }
}

/* ---- life of a trial --------------------------------------------------------------------------
 */

enum sl_status sl_compact_create(struct sl_worker *w)
{
    size_t states = (size_t)1 << SL_COMPACT_BITS;
    struct compact_run *c = sl_arena_array(&w->arena, 2, sizeof *c); /* room to align one */
    if (!c)
        return SL_SYSTEM;
    uintptr_t past = (uintptr_t)c % _Alignof(struct compact_run);
    w->compact = c = (struct compact_run *)((char *)c + (past ? sizeof *c - past : 0));
    c->kappa = sl_arena_array(&w->arena, states * SL_COMPACT_CELLS, sizeof *c->kappa);
    c->states = sl_arena_array(&w->arena, states, sizeof *c->states);
    c->known = sl_arena_array(&w->arena, states, sizeof *c->known);
    for (uint32_t k = 0; k < w->p->cell_count; k++)
        c->share[k] = (uint32_t)w->p->cells[k].hash;
    return c->kappa && c->states && c->known ? SL_OK : SL_SYSTEM;
}

void sl_compact_begin(struct sl_worker *w)
{
    struct compact_run *c = w->compact;
    for (uint32_t k = 0; k < SL_COMPACT_CELLS; k++) {
        c->clock[k] = 0;
        c->target[k] = c->left[k] = INFINITY;
        c->count[k] = 0;
    }
    for (uint32_t k = 0; k < c->known_count; k++)
        c->states[c->known[k]].time = 0;
    c->state = c->state_next = 0;
    c->since = 0;
    c->near = 0;
    if (!c->states[0].known)
        sl_compact_learn(w, c);
    c->row = c->kappa;
    w->cell_next = INT64_MAX;
}

/* ---- cells with several nodes -----------------------------------------------------------------
 */

/* The heap of a cell is in use while it has two nodes at least; its first is always in the block.
 */
RARE void sl_compact_enter_beside(struct sl_worker *w, struct compact_run *c, uint32_t lane,
                                  uint32_t node, double duration)
{
    struct cell_item *heap = w->cell_heap + w->p->cells[lane].heap.first;
    if (c->count[lane] == 1)
        heap[0] = (struct cell_item){c->target[lane], c->node[lane]};
    sift_up(heap, c->count[lane]++, (struct cell_item){c->clock[lane] + duration, node});
    c->node[lane] = heap[0].node;
    compact_set(c->target, lane, heap[0].target);
}

RARE uint32_t sl_compact_leave_others(struct sl_worker *w, struct compact_run *c, uint32_t lane,
                                      int64_t t)
{
    struct cell_item *heap = w->cell_heap + w->p->cells[lane].heap.first;
    double left;
    do {
        w->batch[w->batch_count++] = heap[0].node;
        c->state_next -= c->share[lane];
        sift_down(heap, --c->count[lane]);
        left = c->count[lane] ? (heap[0].target - c->clock[lane]) * c->row[lane] : INFINITY;
    } while (finish_at(w, c->since, left) == t);
    c->node[lane] = heap[0].node;
    compact_set(c->target, lane, c->count[lane] ? heap[0].target : INFINITY);
    return (uint32_t)(c->count[lane] == 0) << lane;
}

/* ---- instants at which one node ends ----------------------------------------------------------
 *
 * Nearly all instants are such, and in a brisk program they leave nothing to decide but who starts:
 * whoever becomes ready does so now, behind the node that ends, and goes to the end of its queue.
 */

bool sl_compact_is_brisk(const struct sl_program *p)
{
    if (!p->class_states || p->resource_count > 64)
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct node_hot *hot = &p->hot[i];
        if (hot->flags != NODE_SIMPLE || p->resources[hot->resource].order != SL_ORDER_FIFO ||
            p->template[i].ready)
            return false;
        /* Ascending: whoever becomes ready queues by index, and no node has two edges to another.
         */
        for (uint32_t s = hot->succ_first; s < hot->succ_first + hot->succ_count; s++)
            if (p->succ[s].lagged || (s > hot->succ_first && p->succ[s].to <= p->succ[s - 1].to))
                return false;
    }
    return true;
}

static inline void start(struct sl_worker *w, struct compact_run *c, uint32_t node, uint8_t cause,
                         uint32_t behind, bool by_free)
{
    w->cause[node] = cause;
    w->behind[node] = behind;
    w->by_free[node] = by_free;
    w->lag[node] = 0;
    w->start[node] = w->now;
    w->state[node] = SL_RAN;
    w->run[node].phase = PHASE_HOLDING;
    if (w->duration[node] && w->p->hot[node].cell != SL_NONE)
        compact_enter(w, c, node);
    else
        push_event(w, w->now + w->duration[node], EVENT_FINISH, node);
}

/* One condition less for each successor; returns the resources where somebody is ready now, bit by
 * bit.  The place at the end of a queue is written for all, and taken by those that need no more.
 */
static inline uint64_t satisfy_all(struct sl_worker *w, uint32_t node)
{
    const struct node_hot *hot = &w->p->hot[node];
    const struct succ *succ = w->p->succ + hot->succ_first;
    uint64_t joined = 0;
    for (uint32_t s = 0; s < hot->succ_count; s++) {
        uint32_t to = succ[s].to, resource = w->p->hot[to].resource;
        struct node_run *run = &w->run[to];
        struct resource_run *r = &w->resources[resource];
        bool complete = --run->pending == 0;
        run->ready = w->ready[to] = w->now;
        run->behind = node;
        run->cause = succ[s].cause;
        run->phase = complete ? PHASE_WAITING : PHASE_PENDING;
        w->items[r->tail] = wait_item(w->p->hot[to].key, w->now, to);
        r->tail += complete;
        joined |= (uint64_t)complete << resource;
    }
    return joined;
}

static inline void start_ready(struct sl_worker *w, struct compact_run *c, struct resource_run *r)
{
    while (r->free >= r->each && r->head < r->tail) {
        uint32_t node = item_node(&w->items[r->head++]);
        r->free -= r->each;
        if (!r->users++)
            r->busy_since = w->now;
        start(w, c, node, w->run[node].cause, w->run[node].behind, false);
    }
}

static inline void lone_finish(struct sl_worker *w, struct compact_run *c, uint32_t lane)
{
    uint32_t node = c->node[lane], resource = w->p->hot[node].resource;
    struct resource_run *r = &w->resources[resource];
    c->state_next -= c->share[lane];
    c->count[lane] = 0;
    compact_set(c->target, lane, INFINITY);
    compact_advance(c, w->now, 1u << lane, SL_COMPACT_CELLS);
    w->finish[node] = w->free[node] = w->now;
    w->run[node].phase = PHASE_PASSED;
    w->passed++;
    if (r->head < r->tail)
        start(w, c, item_node(&w->items[r->head++]), SL_CAUSE_QUEUE, node, true);
    else {
        r->free += r->each;
        if (!--r->users)
            w->busy[resource] += w->now - r->busy_since;
    }
    for (uint64_t joined = satisfy_all(w, node); joined; joined &= joined - 1)
        start_ready(w, c, &w->resources[__builtin_ctzll(joined)]);
}

void sl_compact_run_brisk(struct sl_worker *w)
{
    struct compact_run *c = w->compact;
    if (w->crowded)
        sl_crowd_dissolve(w);
    for (;;) {
        int64_t t = w->cell_next;
        uint32_t lane = (uint32_t)__builtin_ctz(c->near);
        /* A second finish that has come to lie on this same time shares its ties. */
        if (t == w->now || t >= w->heap[0].t || t >= SL_TIME_LIMIT || c->near & (c->near - 1) ||
            c->count[lane] != 1)
            return;
        w->now = t;
        lone_finish(w, c, lane);
        if (w->heap[0].t == t) { /* it goes on with nodes that take no time */
            w->cell_next = INT64_MAX;
            return;
        }
        compact_rates(w, c, t, SL_COMPACT_CELLS);
    }
}
