/* Contention: one virtual clock per cell (class, set of groups).
 *
 * While the running set stays, every node of a cell progresses at 1/kappa_c, so the cell's clock
 * V_c does, and a node that enters at V_c with isolated duration d ends when the clock reads F =
 * V_c + d:
 *
 *     at each instant that changes the running set in a group of c:
 *         V_c += (t - t_c) / kappa_c (the old kappa), t_c = t, V_c = 0 when the cell is empty
 *         finish = t_c + max(0, llround((F - V_c) kappa_c)) with the new kappa
 *
 * A change costs O(cells) whatever runs.  kappa depends on the counts of an island's cells alone.
 * This file is the general form; contend_compact.c is that of a single small island. */
#include "contend_heap.h"
#include <math.h>
#include <string.h>

#define MEMO_BYTES (256u * 1024)

/* Vectors of doubles: the compiler maps them to what the machine has; the arithmetic is IEEE's. */
typedef double doubles
    __attribute__((vector_size(SL_LANES * sizeof(double)), aligned(16), may_alias));
typedef int64_t words
    __attribute__((vector_size(SL_LANES * sizeof(int64_t)), aligned(16), may_alias));

/* array[lane] = value, by rewriting the whole vector: a narrow store that a wide load follows at
 * once would stall until it has reached the cache. */
static inline void set_lane(double *array, uint32_t lane, double value)
{
    static const words masks[SL_LANES] = {
        {-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}};
    doubles *vector = (doubles *)(array + (lane & ~(SL_LANES - 1u)));
    words mask = masks[lane & (SL_LANES - 1u)];
    doubles all = {value, value, value, value};
    *vector = (doubles)(((words)all & mask) | ((words)*vector & ~mask));
}

/* ---- memo ------------------------------------------------------------------------------------ */

/* Rows are padded like the cells' arrays, so that a row is copied whole. */
static bool memo_create(struct sl_worker *w, struct kappa_memo *memo, uint32_t cells)
{
    uint32_t lanes = (cells + SL_LANES - 1) / SL_LANES * SL_LANES;
    size_t row = lanes * (sizeof *memo->kappa + sizeof *memo->counts) + sizeof *memo->hash + 1;
    memo->lanes = lanes;
    memo->slots = 64;
    while (memo->slots * 2 * row <= MEMO_BYTES)
        memo->slots *= 2;
    size_t places = (size_t)memo->slots * lanes;
    memo->hash = sl_arena_array(&w->arena, memo->slots, sizeof *memo->hash);
    memo->counts = sl_arena_array(&w->arena, places, sizeof *memo->counts);
    memo->kappa = sl_arena_array(&w->arena, places, sizeof *memo->kappa);
    memo->hypothetical = sl_arena_array(&w->arena, memo->slots, sizeof *memo->hypothetical);
    return memo->hash && memo->counts && memo->kappa && memo->hypothetical;
}

/* From the other nodes in each cell's groups. */
static void evaluate_cells(struct sl_worker *w, const struct range *cells, const uint32_t *counts,
                           double *kappa, bool *hypothetical)
{
    const struct sl_program *p = w->p;
    *hypothetical = false;
    for (uint32_t k = 0; k < cells->count; k++) {
        const struct cell_static *cell = &p->cells[cells->first + k];
        if (!counts[k])
            continue;
        memset(w->class_counts, 0, p->class_count * sizeof *w->class_counts);
        for (uint32_t j = 0; j < cells->count; j++)
            if (p->cells[cells->first + j].groups & cell->groups)
                w->class_counts[p->cells[cells->first + j].klass] += counts[j];
        w->class_counts[cell->klass]--;
        kappa[k] = sl_kappa_eval(&p->graph->platform->kappa, cell->klass, w->class_counts,
                                 p->options.corner, hypothetical);
    }
}

void sl_contend_evaluate(struct sl_worker *w, const struct island_static *island,
                         const uint32_t *counts, double *kappa, bool *hypothetical)
{
    const struct sl_program *p = w->p;
    if (!island->crowd || !sl_kappa_crowd_eval(island->crowd, counts, kappa, hypothetical))
        evaluate_cells(w, &island->cells, counts, kappa, hypothetical);
    for (uint32_t k = 0; k < island->cells.count; k++)
        if (counts[k] && !(kappa[k] >= 1 && kappa[k] < 1e15)) {
            uint32_t klass = p->cells[island->cells.first + k].klass;
            sl_worker_fault(w, "internal: kappa of class '%s' is %g",
                            p->graph->platform->kappa.classes.names[klass], kappa[k]);
            kappa[k] = 1;
        }
}

/* Multiplication spreads exact states, which are small numbers; hashes are spread already. */
static inline uint32_t slot_of(const struct kappa_memo *memo, uint64_t state)
{
    return (uint32_t)(state * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (memo->slots - 1);
}

/* A slot for a state that is not known yet; the memo starts afresh when it is half full. */
static uint32_t add_row(struct sl_worker *w, uint32_t island, uint64_t state,
                        const uint32_t *counts)
{
    struct kappa_memo *memo = &w->islands[island].memo;
    if (memo->used >= memo->slots / 2) {
        memset(memo->hash, 0, memo->slots * sizeof *memo->hash);
        memo->used = 0;
    }
    uint32_t slot = slot_of(memo, state);
    while (memo->hash[slot])
        slot = (slot + 1) & (memo->slots - 1);
    size_t at = (size_t)slot * memo->lanes;
    memo->used++;
    memo->hash[slot] = state;
    memcpy(memo->counts + at, counts, memo->lanes * sizeof *counts);
    for (uint32_t k = 0; k < memo->lanes; k++)
        memo->kappa[at + k] = 1;
    sl_contend_evaluate(w, &w->p->islands[island], counts, memo->kappa + at,
                        &memo->hypothetical[slot]);
    return slot;
}

static inline bool same_counts(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint32_t difference = 0;
    for (uint32_t k = 0; k < count; k++)
        difference |= a[k] ^ b[k];
    return !difference;
}

static inline const double *kappa_row(struct sl_worker *w, uint32_t island)
{
    const struct kappa_memo *memo = &w->islands[island].memo;
    const uint32_t *counts = w->cells.count + w->p->islands[island].first_lane;
    bool exact = w->p->islands[island].exact;
    uint64_t state = w->islands[island].hash + 1;
    state += !state; /* 0 marks an empty slot */
    uint32_t slot = slot_of(memo, state);
    for (;; slot = (slot + 1) & (memo->slots - 1)) {
        if (memo->hash[slot] == state &&
            (exact || same_counts(memo->counts + (size_t)slot * memo->lanes, counts, memo->lanes)))
            break;
        if (!memo->hash[slot]) {
            slot = add_row(w, island, state, counts);
            break;
        }
    }
    w->record.hypothetical |= memo->hypothetical[slot];
    return memo->kappa + (size_t)slot * memo->lanes;
}

/* ---- life of a trial --------------------------------------------------------------------------
 */

enum sl_status sl_contend_create(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    size_t lanes = (size_t)p->lane_count + 1;
    w->cells.clock = sl_arena_array(&w->arena, lanes, sizeof *w->cells.clock);
    w->cells.kappa = sl_arena_array(&w->arena, lanes, sizeof *w->cells.kappa);
    w->cells.target = sl_arena_array(&w->arena, lanes, sizeof *w->cells.target);
    w->cells.left = sl_arena_array(&w->arena, lanes, sizeof *w->cells.left);
    w->cells.since = sl_arena_array(&w->arena, lanes, sizeof *w->cells.since);
    w->cells.count = sl_arena_array(&w->arena, lanes, sizeof *w->cells.count);
    w->cell_heap = sl_arena_array(&w->arena, (size_t)p->heap_places + 1, sizeof *w->cell_heap);
    w->islands = sl_arena_array(&w->arena, (size_t)p->island_count + 1, sizeof *w->islands);
    w->touched = sl_arena_array(&w->arena, (size_t)p->island_count + 1, sizeof *w->touched);
    if (!w->cells.clock || !w->cells.kappa || !w->cells.target || !w->cells.left ||
        !w->cells.since || !w->cells.count || !w->cell_heap || !w->islands || !w->touched)
        return SL_SYSTEM;
    if (p->compact)
        return sl_compact_create(w);
    for (uint32_t k = 0; k < p->island_count; k++)
        if (!memo_create(w, &w->islands[k].memo, p->islands[k].cells.count))
            return SL_SYSTEM;
    return SL_OK;
}

void sl_contend_begin(struct sl_worker *w)
{
    if (w->compact) {
        sl_compact_begin(w);
        return;
    }
    for (uint32_t k = 0; k < w->p->lane_count; k++) {
        w->cells.clock[k] = 0;
        w->cells.kappa[k] = 1;
        w->cells.target[k] = w->cells.left[k] = INFINITY;
        w->cells.since[k] = 0;
        w->cells.count[k] = 0;
    }
    for (uint32_t k = 0; k < w->p->island_count; k++) {
        w->islands[k].hash = w->islands[k].touched = 0;
        w->islands[k].since = 0;
        w->islands[k].next = INT64_MAX;
    }
    w->touched_count = 0;
    w->cell_next = INT64_MAX;
}

static inline void touch(struct sl_worker *w, const struct cell_static *cell)
{
    struct island_run *island = &w->islands[cell->island];
    if (!island->touched)
        w->touched[w->touched_count++] = cell->island;
    island->touched |= cell->groups;
}

/* Takes the nodes of a cell that finish at t out of its heap. */
static void gather_cell(struct sl_worker *w, const struct cell_static *cell, int64_t since,
                        int64_t t)
{
    struct cells_run *run = &w->cells;
    uint32_t lane = cell->lane;
    struct cell_item *heap = w->cell_heap + cell->heap.first;
    double left;
    do {
        w->batch[w->batch_count++] = heap[0].node;
        sift_down(heap, --run->count[lane]);
        w->islands[cell->island].hash -= cell->hash;
        left = run->count[lane] ? (heap[0].target - run->clock[lane]) * run->kappa[lane] : INFINITY;
    } while (finish_at(w, since, left) == t);
    set_lane(run->target, lane, run->count[lane] ? heap[0].target : INFINITY);
    run->left[lane] = left;
    touch(w, cell);
}

/* Nearly always one cell of many: found without a branch per cell.  Nothing that has more than
 * t + 1 left can round to t. */
static inline void gather_uniform(struct sl_worker *w, uint32_t k, int64_t t)
{
    const struct island_static *island = &w->p->islands[k];
    int64_t since = w->islands[k].since;
    double bound = (double)(t - since) + 1;
    for (uint32_t j = 0; j < w->islands[k].memo.lanes; j += 8 * SL_LANES) {
        const double *left = w->cells.left + island->first_lane + j;
        uint32_t end = w->islands[k].memo.lanes - j;
        uint32_t near = 0;
        for (uint32_t i = 0; i < end && i < 8 * SL_LANES; i += SL_LANES)
            near |= ((uint32_t)(left[i] <= bound) | (uint32_t)(left[i + 1] <= bound) << 1 |
                     (uint32_t)(left[i + 2] <= bound) << 2 | (uint32_t)(left[i + 3] <= bound) << 3)
                    << i;
        for (; near; near &= near - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(near);
            if (finish_at(w, since, left[i]) == t)
                gather_cell(w, &w->p->cells[island->cells.first + j + i], since, t);
        }
    }
}

void sl_contend_gather(struct sl_worker *w, int64_t t)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->island_count; k++) {
        if (w->islands[k].next != t)
            continue;
        const struct island_static *island = &p->islands[k];
        if (island->uniform)
            gather_uniform(w, k, t);
        else
            for (uint32_t j = 0; j < island->cells.count; j++) {
                uint32_t lane = island->first_lane + j;
                int64_t since = w->cells.since[lane];
                if (finish_at(w, since, w->cells.left[lane]) == t)
                    gather_cell(w, &p->cells[island->cells.first + j], since, t);
            }
    }
    w->cell_next = INT64_MAX; /* until the update: nothing more ends at t */
}

/* Old rates up to t, in every cell that shares a touched group. */
static inline void advance_clocks(struct sl_worker *w, uint32_t k, int64_t t)
{
    const struct island_static *island = &w->p->islands[k];
    struct cells_run *cells = &w->cells;
    uint32_t first = island->first_lane, end = first + w->islands[k].memo.lanes;
    if (island->uniform) {
        double elapsed = (double)(t - w->islands[k].since);
        w->islands[k].since = t;
        for (uint32_t lane = first; lane < end; lane += SL_LANES)
            *(doubles *)(cells->clock + lane) += elapsed / *(doubles *)(cells->kappa + lane);
        return;
    }
    for (uint32_t j = 0; j < island->cells.count; j++) {
        uint32_t lane = first + j;
        if (!(w->p->cells[island->cells.first + j].groups & w->islands[k].touched))
            continue;
        cells->clock[lane] += (double)(t - cells->since[lane]) / cells->kappa[lane];
        cells->since[lane] = t;
    }
}

/* An empty cell's clock is read by nobody until its next node sets it back to 0. */
static inline void enter(struct sl_worker *w, uint32_t node)
{
    const struct cell_static *cell = &w->p->cells[w->p->hot[node].cell];
    struct cells_run *cells = &w->cells;
    uint32_t lane = cell->lane;
    struct cell_item *heap = w->cell_heap + cell->heap.first;
    if (!cells->count[lane])
        set_lane(cells->clock, lane, 0);
    double clock = cells->count[lane] ? cells->clock[lane] : 0;
    sift_up(heap, cells->count[lane]++,
            (struct cell_item){clock + (double)w->duration[node], node});
    set_lane(cells->target, lane, heap[0].target);
    w->islands[cell->island].hash += cell->hash;
}

/* All finishes round from one `since`, so the least of them is that of the least time left. */
static inline int64_t uniform_rates(struct sl_worker *w, uint32_t k, const double *kappa)
{
    struct cells_run *cells = &w->cells;
    uint32_t first = w->p->islands[k].first_lane, count = w->islands[k].memo.lanes;
    double least[SL_LANES] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (uint32_t j = 0; j < count; j += SL_LANES) {
        uint32_t lane = first + j;
        doubles rate = *(const doubles *)(kappa + j);
        doubles left =
            (*(doubles *)(cells->target + lane) - *(doubles *)(cells->clock + lane)) * rate;
        *(doubles *)(cells->kappa + lane) = rate;
        *(doubles *)(cells->left + lane) = left;
        for (uint32_t i = 0; i < SL_LANES; i++)
            least[i] = left[i] < least[i] ? left[i] : least[i];
    }
    double low = least[0] < least[1] ? least[0] : least[1];
    double high = least[2] < least[3] ? least[2] : least[3];
    return finish_at(w, w->islands[k].since, low < high ? low : high);
}

static inline int64_t mixed_rates(struct sl_worker *w, uint32_t k, const double *kappa)
{
    const struct island_static *island = &w->p->islands[k];
    struct cells_run *cells = &w->cells;
    int64_t next = INT64_MAX;
    for (uint32_t j = 0; j < island->cells.count; j++) {
        uint32_t lane = island->first_lane + j;
        if (w->p->cells[island->cells.first + j].groups & w->islands[k].touched) {
            cells->kappa[lane] = kappa[j];
            cells->left[lane] = (cells->target[lane] - cells->clock[lane]) * kappa[j];
        }
        int64_t at = finish_at(w, cells->since[lane], cells->left[lane]);
        next = at < next ? at : next;
    }
    return next;
}

void sl_contend_update(struct sl_worker *w, int64_t t)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < w->starter_count; k++)
        touch(w, &p->cells[p->hot[w->starters[k]].cell]);
    if (!w->touched_count)
        return;
    for (uint32_t k = 0; k < w->touched_count; k++)
        advance_clocks(w, w->touched[k], t);
    for (uint32_t k = 0; k < w->starter_count; k++)
        enter(w, w->starters[k]);
    w->starter_count = 0;
    for (uint32_t k = 0; k < w->touched_count; k++) {
        uint32_t island = w->touched[k];
        const double *kappa = kappa_row(w, island);
        w->islands[island].next = p->islands[island].uniform ? uniform_rates(w, island, kappa)
                                                             : mixed_rates(w, island, kappa);
        w->islands[island].touched = 0;
    }
    w->touched_count = 0;
    w->cell_next = INT64_MAX;
    for (uint32_t k = 0; k < p->island_count; k++)
        w->cell_next = w->islands[k].next < w->cell_next ? w->islands[k].next : w->cell_next;
}
