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
#include "contend_lanes.h"
#include <math.h>
#include <string.h>

#define MEMO_BYTES (256u * 1024)

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

/* A slot for a state that is not known yet; the memo starts afresh when it is half full. */
uint32_t sl_contend_add_row(struct sl_worker *w, uint32_t island, uint64_t state,
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

/* Takes the nodes of a cell that finish at t out of its heap. */
static inline void gather_cell(struct sl_worker *w, void *user, const struct cell_static *cell,
                               int64_t since, int64_t t)
{
    (void)user;
    struct cell_item *heap = w->cell_heap + cell->heap.first;
    do
        w->batch[w->batch_count++] = heap[0].node;
    while (leave_cell(w, cell, heap, since) == t);
    left_cell(w, cell, heap);
}

void sl_contend_gather(struct sl_worker *w, int64_t t)
{
    gather_islands(w, NULL, t, gather_cell);
}

void sl_contend_update(struct sl_worker *w, int64_t t)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < w->starter_count; k++)
        touch(w, &p->cells[p->hot[w->starters[k]].cell]);
    if (!w->touched_count)
        return;
    advance_touched(w, t);
    for (uint32_t k = 0; k < w->starter_count; k++) {
        uint32_t node = w->starters[k];
        const struct cell_static *cell = &p->cells[p->hot[node].cell];
        enter_cell(w, cell, w->cell_heap + cell->heap.first, (double)w->duration[node], node);
    }
    w->starter_count = 0;
    settle_touched(w);
}
