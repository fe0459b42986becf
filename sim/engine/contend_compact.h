/* What an instant does to a compact island: nodes leave its cells and enter them, the clocks go on,
 * and the rates are those of what runs now.  Inline, as each loop is one piece of code with it;
 * contend_compact.c has the rest and says what compact means. */
#ifndef SL_CONTEND_COMPACT_H
#define SL_CONTEND_COMPACT_H
#include "contend_heap.h"
#include "isa.h"

/* The widest vector that every x86-64 machine has. */
typedef double pair __attribute__((vector_size(2 * sizeof(double)), may_alias));
typedef int64_t word_pair __attribute__((vector_size(2 * sizeof(int64_t)), may_alias));
/* The cells of an island that has no more than `cells`, 4 or 8. */
#define EACH_PAIR(i, cells) _Pragma("GCC unroll 4") for (uint32_t i = 0; i < (cells); i += 2)

/* A state that no trial of this worker met before. */
void sl_compact_learn(struct sl_worker *w, struct compact_run *c);
/* Enters a cell in which somebody runs. */
void sl_compact_enter_beside(struct sl_worker *w, struct compact_run *c, uint32_t lane,
                             uint32_t node, double duration);
/* Takes out the first of several nodes, which leaves at t, and whoever leaves with it; returns the
 * cell's bit when it is empty then. */
uint32_t sl_compact_leave_others(struct sl_worker *w, struct compact_run *c, uint32_t lane,
                                 int64_t t);

/* array[lane] = value, by rewriting the pair: a narrow store that a wide load follows at once would
 * stall until it has reached the cache. */
static inline void compact_set(double *array, uint32_t lane, double value)
{
    static const word_pair masks[2] = {{-1, 0}, {0, -1}};
    pair *both = (pair *)(array + (lane & ~1u));
    word_pair mask = masks[lane & 1u];
    pair all = {value, value};
    *both = (pair)(((word_pair)all & mask) | ((word_pair)*both & ~mask));
}

/* The old rates up to t; the clocks of the cells `emptied`, bit by bit, go back to 0. */
static SL_ALWAYS_INLINE void compact_advance(struct compact_run *c, int64_t t, uint32_t emptied,
                                             const uint32_t cells)
{
    static const word_pair keep[4] = {{-1, -1}, {0, -1}, {-1, 0}, {0, 0}};
    if (c->since == t && !emptied)
        return;
    int64_t elapsed = t - c->since;
    c->since = t;
    c->states[c->state].time += elapsed;
    pair dt = {(double)elapsed, (double)elapsed};
    EACH_PAIR(i, cells)
    *(word_pair *)(c->clock + i) =
        (word_pair)(*(pair *)(c->clock + i) + dt / *(const pair *)(c->row + i)) &
        keep[emptied >> i & 3];
}

/* Takes the nodes of a cell that finish at t; the clock is still at `since`. */
static inline uint32_t compact_leave(struct sl_worker *w, struct compact_run *c, uint32_t lane,
                                     int64_t t)
{
    if (c->count[lane] > 1)
        return sl_compact_leave_others(w, c, lane, t);
    w->batch[w->batch_count++] = c->node[lane];
    c->state_next -= c->share[lane];
    c->count[lane] = 0;
    compact_set(c->target, lane, INFINITY);
    return 1u << lane;
}

static SL_ALWAYS_INLINE void compact_gather(struct sl_worker *w, int64_t t, const uint32_t cells)
{
    struct compact_run *c = w->compact;
    uint32_t near = c->near, emptied = 0;
    if (!(near & (near - 1)))
        emptied = compact_leave(w, c, (uint32_t)__builtin_ctz(near), t);
    else
        for (; near; near &= near - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(near);
            if (finish_at(w, c->since, c->left[lane]) == t)
                emptied |= compact_leave(w, c, lane, t);
        }
    /* Now, so that the divisions pass behind what the finishes bring about. */
    compact_advance(c, t, emptied, cells);
    w->cell_next = INT64_MAX; /* until the update: nothing more ends at t */
}

static inline void compact_enter(struct sl_worker *w, struct compact_run *c, uint32_t node)
{
    uint32_t lane = w->p->hot[node].cell;
    double duration = (double)w->duration[node];
    c->state_next += c->share[lane];
    if (c->count[lane]) {
        sl_compact_enter_beside(w, c, lane, node, duration);
        return;
    }
    c->count[lane] = 1;
    c->node[lane] = node;
    compact_set(c->target, lane, duration);
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static SL_ALWAYS_INLINE double least_of(const double *left, const uint32_t cells)
{
    double least = lesser(lesser(left[0], left[2]), lesser(left[1], left[3]));
    if (cells == 4)
        return least;
    return lesser(least, lesser(lesser(left[4], left[6]), lesser(left[5], left[7])));
}

/* Bit k: cell k has no more than `bound` left. */
static SL_ALWAYS_INLINE uint32_t within(const double *left, double bound, const uint32_t cells)
{
    static const word_pair bits[SL_COMPACT_CELLS / 2] = {{1, 2}, {4, 8}, {16, 32}, {64, 128}};
    pair bounds = {bound, bound};
    word_pair near = {0, 0};
    EACH_PAIR(i, cells)
    near |= (*(const pair *)(left + i) <= bounds) & bits[i / 2];
    return (uint32_t)(near[0] | near[1]);
}

/* Rates of what runs now, and when the first of it ends. */
static SL_ALWAYS_INLINE void compact_rates(struct sl_worker *w, struct compact_run *c, int64_t t,
                                           const uint32_t cells)
{
    struct compact_state *state = &c->states[c->state = c->state_next];
    if (!state->known)
        sl_compact_learn(w, c);
    w->record.hypothetical |= state->hypothetical;
    const double *row = c->row = c->kappa + c->state * SL_COMPACT_CELLS;
    EACH_PAIR(i, cells)
    *(pair *)(c->left + i) =
        (*(pair *)(c->target + i) - *(pair *)(c->clock + i)) * *(const pair *)(row + i);
    /* All finishes round from one `since`, so the least of them is that of the least time left;
     * nothing that has one more than that left can round to it. */
    double least = least_of(c->left, cells);
    c->near = within(c->left, (least > 0 ? least : 0) + 1, cells);
    w->cell_next = finish_at(w, t, least);
}

static SL_ALWAYS_INLINE void compact_update(struct sl_worker *w, int64_t t, const uint32_t cells)
{
    struct compact_run *c = w->compact;
    compact_advance(c, t, 0, cells);
    for (uint32_t k = 0; k < w->starter_count; k++)
        compact_enter(w, c, w->starters[k]);
    w->starter_count = 0;
    compact_rates(w, c, t, cells);
}

/* ---- either form of contention ----------------------------------------------------------------
 */

/* The nodes of cells that finish at t, into the batch. */
static SL_ALWAYS_INLINE void contend_gather(struct sl_worker *w, int64_t t)
{
    if (!w->compact)
        sl_contend_gather(w, t);
    else if (w->p->cell_count <= SL_COMPACT_CELLS / 2)
        compact_gather(w, t, SL_COMPACT_CELLS / 2);
    else
        compact_gather(w, t, SL_COMPACT_CELLS);
}

/* What started and finished in the instant t enters into the rates, if anything did. */
static SL_ALWAYS_INLINE void contend_update(struct sl_worker *w, int64_t t)
{
    if (!w->compact) {
        if (w->starter_count || w->touched_count)
            sl_contend_update(w, t);
    } else if (w->starter_count || w->cell_next == INT64_MAX) {
        if (w->p->cell_count <= SL_COMPACT_CELLS / 2)
            compact_update(w, t, SL_COMPACT_CELLS / 2);
        else
            compact_update(w, t, SL_COMPACT_CELLS);
    }
}
#endif
