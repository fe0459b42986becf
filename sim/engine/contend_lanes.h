/* The arithmetic of virtual clocks (contend.c), cell by cell in vectors, whoever runs in the cells.
 */
#ifndef SL_CONTEND_LANES_H
#define SL_CONTEND_LANES_H
#include "contend_heap.h"
#include "isa.h"

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

/* Multiplication spreads exact states, which are small numbers; hashes are spread already. */
static inline uint32_t slot_of(const struct kappa_memo *memo, uint64_t state)
{
    return (uint32_t)(state * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (memo->slots - 1);
}

/* A slot for a state that is not known yet. */
uint32_t sl_contend_add_row(struct sl_worker *w, uint32_t island, uint64_t state,
                            const uint32_t *counts);

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
            slot = sl_contend_add_row(w, island, state, counts);
            break;
        }
    }
    w->record.hypothetical |= memo->hypothetical[slot];
    return memo->kappa + (size_t)slot * memo->lanes;
}

static inline void touch(struct sl_worker *w, const struct cell_static *cell)
{
    struct island_run *island = &w->islands[cell->island];
    if (!island->touched)
        w->touched[w->touched_count++] = cell->island;
    island->touched |= cell->groups;
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

/* Takes the first to end out of a cell's heap; returns when the next one does. */
static inline int64_t leave_cell(struct sl_worker *w, const struct cell_static *cell,
                                 struct cell_item *heap, int64_t since)
{
    struct cells_run *run = &w->cells;
    uint32_t lane = cell->lane;
    sift_down(heap, --run->count[lane]);
    w->islands[cell->island].hash -= cell->hash;
    double left =
        run->count[lane] ? (heap[0].target - run->clock[lane]) * run->kappa[lane] : INFINITY;
    run->left[lane] = left;
    return finish_at(w, since, left);
}

/* ... and all who end now are out. */
static inline void left_cell(struct sl_worker *w, const struct cell_static *cell,
                             const struct cell_item *heap)
{
    set_lane(w->cells.target, cell->lane, w->cells.count[cell->lane] ? heap[0].target : INFINITY);
    touch(w, cell);
}

/* An empty cell's clock is read by nobody until its next node sets it back to 0. */
static inline void enter_cell(struct sl_worker *w, const struct cell_static *cell,
                              struct cell_item *heap, double duration, uint32_t node)
{
    struct cells_run *cells = &w->cells;
    uint32_t lane = cell->lane;
    if (!cells->count[lane])
        set_lane(cells->clock, lane, 0);
    double clock = cells->count[lane] ? cells->clock[lane] : 0;
    sift_up(heap, cells->count[lane]++, (struct cell_item){clock + duration, node});
    set_lane(cells->target, lane, heap[0].target);
    w->islands[cell->island].hash += cell->hash;
}

/* Takes all that end at t out of a cell. */
typedef void gather_from(struct sl_worker *w, void *user, const struct cell_static *cell,
                         int64_t since, int64_t t);

/* Nearly always one cell of many: found without a branch per cell.  Nothing that has more than
 * t + 1 left can round to t. */
static SL_ALWAYS_INLINE void gather_uniform(struct sl_worker *w, void *user, uint32_t k, int64_t t,
                                            gather_from *gather)
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
                gather(w, user, &w->p->cells[island->cells.first + j + i], since, t);
        }
    }
}

static SL_ALWAYS_INLINE void gather_islands(struct sl_worker *w, void *user, int64_t t,
                                            gather_from *gather)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->island_count; k++) {
        if (w->islands[k].next != t)
            continue;
        const struct island_static *island = &p->islands[k];
        if (island->uniform)
            gather_uniform(w, user, k, t, gather);
        else
            for (uint32_t j = 0; j < island->cells.count; j++) {
                uint32_t lane = island->first_lane + j;
                int64_t since = w->cells.since[lane];
                if (finish_at(w, since, w->cells.left[lane]) == t)
                    gather(w, user, &p->cells[island->cells.first + j], since, t);
            }
    }
    w->cell_next = INT64_MAX; /* until the update: nothing more ends at t */
}

static inline void advance_touched(struct sl_worker *w, int64_t t)
{
    for (uint32_t k = 0; k < w->touched_count; k++)
        advance_clocks(w, w->touched[k], t);
}

/* New rates, and who ends next, once all who start have entered. */
static inline void settle_touched(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
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
#endif
