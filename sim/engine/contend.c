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
 */
#include "program.h"
#include <string.h>

#define MEMO_BYTES (256u * 1024)

/* ---- memo ------------------------------------------------------------------------------------ */

static bool memo_create(struct sl_worker *w, struct kappa_memo *memo, uint32_t cells)
{
    size_t row = cells * (sizeof *memo->kappa + sizeof *memo->counts) + sizeof *memo->hash + 1;
    memo->slots = 64;
    while (memo->slots * 2 * row <= MEMO_BYTES)
        memo->slots *= 2;
    size_t places = (size_t)memo->slots * cells;
    memo->hash = sl_arena_array(&w->arena, memo->slots, sizeof *memo->hash);
    memo->counts = sl_arena_array(&w->arena, places, sizeof *memo->counts);
    memo->kappa = sl_arena_array(&w->arena, places, sizeof *memo->kappa);
    memo->hypothetical = sl_arena_array(&w->arena, memo->slots, sizeof *memo->hypothetical);
    return memo->hash && memo->counts && memo->kappa && memo->hypothetical;
}

static bool same_counts(const struct sl_worker *w, const struct range *cells,
                        const uint32_t *counts)
{
    for (uint32_t k = 0; k < cells->count; k++)
        if (counts[k] != w->cells[cells->first + k].count)
            return false;
    return true;
}

/* kappa of each running cell of the island, from the other nodes in its groups. */
static void evaluate(struct sl_worker *w, const struct range *cells, uint32_t *counts,
                     double *kappa, bool *hypothetical)
{
    const struct sl_program *p = w->p;
    *hypothetical = false;
    for (uint32_t k = 0; k < cells->count; k++) {
        const struct cell_static *cell = &p->cells[cells->first + k];
        counts[k] = w->cells[cells->first + k].count;
        kappa[k] = 1;
        if (!counts[k])
            continue;
        memset(w->class_counts, 0, p->class_count * sizeof *w->class_counts);
        for (uint32_t j = 0; j < cells->count; j++)
            if (p->cells[cells->first + j].groups & cell->groups)
                w->class_counts[p->cells[cells->first + j].klass] +=
                    w->cells[cells->first + j].count;
        w->class_counts[cell->klass]--;
        kappa[k] = sl_kappa_eval(&p->graph->platform->kappa, cell->klass, w->class_counts,
                                 p->options.corner, hypothetical);
        if (!(kappa[k] >= 1 && kappa[k] < 1e15)) {
            sl_worker_fault(w, "internal: kappa of class '%s' is %g",
                            p->graph->platform->kappa.classes.names[cell->klass], kappa[k]);
            kappa[k] = 1;
        }
    }
}

static const double *kappa_row(struct sl_worker *w, uint32_t island)
{
    const struct range *cells = &w->p->islands[island].cells;
    struct kappa_memo *memo = &w->islands[island].memo;
    uint64_t hash = w->islands[island].hash | 1;
    uint32_t slot = (uint32_t)(hash >> 32) & (memo->slots - 1);
    while (memo->hash[slot]) {
        size_t at = (size_t)slot * cells->count;
        if (memo->hash[slot] == hash && same_counts(w, cells, memo->counts + at)) {
            w->record.hypothetical |= memo->hypothetical[slot];
            return memo->kappa + at;
        }
        slot = (slot + 1) & (memo->slots - 1);
    }
    if (memo->used >= memo->slots / 2) {
        memset(memo->hash, 0, memo->slots * sizeof *memo->hash);
        memo->used = 0;
        slot = (uint32_t)(hash >> 32) & (memo->slots - 1);
    }
    size_t at = (size_t)slot * cells->count;
    memo->used++;
    memo->hash[slot] = hash;
    evaluate(w, cells, memo->counts + at, memo->kappa + at, &memo->hypothetical[slot]);
    w->record.hypothetical |= memo->hypothetical[slot];
    return memo->kappa + at;
}

/* ---- heaps of virtual finish targets ----------------------------------------------------------
 */

static inline bool item_before(struct cell_item a, struct cell_item b)
{
    return a.target < b.target || (a.target == b.target && a.node < b.node);
}

static void push_item(struct cell_item *heap, uint32_t count, struct cell_item new)
{
    uint32_t i = count;
    while (i && item_before(new, heap[(i - 1) >> 1])) {
        heap[i] = heap[(i - 1) >> 1];
        i = (i - 1) >> 1;
    }
    heap[i] = new;
}

static void pop_item(struct cell_item *heap, uint32_t count)
{
    struct cell_item last = heap[--count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && item_before(heap[child + 1], heap[child]);
        if (!item_before(heap[child], last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
}

static inline int64_t finish_of(struct sl_worker *w, const struct cell_run *cell, double target)
{
    double left = (target - cell->clock) * cell->kappa;
    if (left <= 0)
        return cell->since;
    if (left >= 0x1p61) {
        sl_worker_fault(w, "a contended duration exceeds 2^61 ps");
        return cell->since;
    }
    return cell->since + round_ps(left);
}

/* ---- life of a trial --------------------------------------------------------------------------
 */

enum sl_status sl_contend_create(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    w->cells = sl_arena_array(&w->arena, (size_t)p->cell_count + 1, sizeof *w->cells);
    w->cell_heap = sl_arena_array(&w->arena, (size_t)p->heap_places + 1, sizeof *w->cell_heap);
    w->islands = sl_arena_array(&w->arena, (size_t)p->island_count + 1, sizeof *w->islands);
    w->touched = sl_arena_array(&w->arena, (size_t)p->island_count + 1, sizeof *w->touched);
    if (!w->cells || !w->cell_heap || !w->islands || !w->touched)
        return SL_SYSTEM;
    for (uint32_t k = 0; k < p->island_count; k++)
        if (!memo_create(w, &w->islands[k].memo, p->islands[k].cells.count))
            return SL_SYSTEM;
    return SL_OK;
}

void sl_contend_begin(struct sl_worker *w)
{
    for (uint32_t c = 0; c < w->p->cell_count; c++)
        w->cells[c] = (struct cell_run){.kappa = 1, .next = INT64_MAX};
    for (uint32_t k = 0; k < w->p->island_count; k++) {
        w->islands[k].hash = w->islands[k].touched = 0;
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

void sl_contend_gather(struct sl_worker *w, int64_t t)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->island_count; k++) {
        if (w->islands[k].next != t)
            continue;
        const struct range *cells = &p->islands[k].cells;
        for (uint32_t c = cells->first; c < cells->first + cells->count; c++) {
            struct cell_run *cell = &w->cells[c];
            if (cell->next != t)
                continue;
            struct cell_item *heap = w->cell_heap + p->cells[c].heap.first;
            while (cell->count && finish_of(w, cell, heap[0].target) == t) {
                w->batch[w->batch_count++] = heap[0].node;
                pop_item(heap, cell->count--);
                w->islands[k].hash -= p->cells[c].hash;
            }
            touch(w, &p->cells[c]);
        }
    }
    w->cell_next = INT64_MAX; /* until the update: nothing more ends at t */
}

/* Old rates up to t, in every cell that shares a touched group. */
static inline void advance_clocks(struct sl_worker *w, uint32_t island, int64_t t)
{
    const struct range *cells = &w->p->islands[island].cells;
    uint64_t touched = w->islands[island].touched;
    for (uint32_t c = cells->first; c < cells->first + cells->count; c++) {
        struct cell_run *cell = &w->cells[c];
        if (!(w->p->cells[c].groups & touched))
            continue;
        if (cell->count)
            cell->clock += (double)(t - cell->since) / cell->kappa;
        else
            cell->clock = 0;
        cell->since = t;
    }
}

static inline void new_rates(struct sl_worker *w, uint32_t island)
{
    const struct range *cells = &w->p->islands[island].cells;
    uint64_t touched = w->islands[island].touched;
    const double *kappa = kappa_row(w, island);
    int64_t next = INT64_MAX;
    for (uint32_t k = 0; k < cells->count; k++) {
        struct cell_run *cell = &w->cells[cells->first + k];
        const struct cell_static *fixed = &w->p->cells[cells->first + k];
        if (!cell->count) {
            cell->next = INT64_MAX;
            continue;
        }
        if (fixed->groups & touched) {
            cell->kappa = kappa[k];
            cell->next = finish_of(w, cell, w->cell_heap[fixed->heap.first].target);
        }
        next = cell->next < next ? cell->next : next;
    }
    w->islands[island].next = next;
    w->islands[island].touched = 0;
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
    for (uint32_t k = 0; k < w->starter_count; k++) {
        uint32_t node = w->starters[k], c = p->hot[node].cell;
        struct cell_run *cell = &w->cells[c];
        struct cell_item item = {cell->clock + (double)w->duration[node], node};
        push_item(w->cell_heap + p->cells[c].heap.first, cell->count++, item);
        w->islands[p->cells[c].island].hash += p->cells[c].hash;
    }
    w->starter_count = 0;
    for (uint32_t k = 0; k < w->touched_count; k++)
        new_rates(w, w->touched[k]);
    w->touched_count = 0;
    w->cell_next = INT64_MAX;
    for (uint32_t k = 0; k < p->island_count; k++)
        w->cell_next = w->islands[k].next < w->cell_next ? w->islands[k].next : w->cell_next;
}
