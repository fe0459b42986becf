/* Contention of jobs: the clocks of contend.c, whose cells hold runs here; any number of them, so
 * that each cell has a heap of its own.
 *
 * Where the plan has one cell (processor sharing) its state is the number of its runs, and kappa a
 * table by that: the same arithmetic without what it takes to tell cells and islands apart. */
#include "contend_lanes.h"
#include "jobs_parts.h"

/* ---- one cell -------------------------------------------------------------------------------- */

/* Adds kappas up to that of `count` runs; false: out of memory, kappa counts as 1. */
static bool extend_kappas(struct sl_jobs_worker *w, uint32_t count)
{
    struct job_sharing *s = &w->sharing;
    uint32_t places = s->places;
    if (!sl_grow((void **)&s->kappa, &places, count + 1, sizeof *s->kappa) ||
        !sl_grow((void **)&s->hypothetical, &s->places, count + 1, sizeof *s->hypothetical)) {
        w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for %u runs at once", count);
        return false;
    }
    for (; s->known <= count; s->known++) {
        uint32_t counts[SL_LANES] = {s->known};
        double kappa[SL_LANES] = {1};
        if (s->known)
            sl_contend_evaluate(w->base, &w->p->base->islands[0], counts, kappa,
                                &s->hypothetical[s->known]);
        s->kappa[s->known] = kappa[0];
    }
    return true;
}

void sl_jobs_sharing_begin(struct sl_jobs_worker *w)
{
    w->sharing.clock = 0;
    w->sharing.rate = 1;
    w->sharing.since = 0;
    w->sharing.count = 0;
    w->sharing.touched = false;
}

static void gather_shared(struct sl_jobs_worker *w, int64_t t)
{
    struct job_sharing *s = &w->sharing;
    struct cell_item *heap = w->cell_heaps[0];
    do {
        uint32_t handle = heap[0].node;
        w->batch[w->batch_count++] =
            (struct job_ending){job_run_index(w, &w->runs[handle]), handle};
        sift_down(heap, --s->count);
    } while (s->count && finish_at(w->base, s->since, (heap[0].target - s->clock) * s->rate) == t);
    s->touched = true;
    w->base->cell_next = INT64_MAX;
}

static void update_shared(struct sl_jobs_worker *w, int64_t t)
{
    struct job_sharing *s = &w->sharing;
    struct cell_item *heap = w->cell_heaps[0];
    if (!w->starter_count && !s->touched)
        return;
    s->clock = s->count ? s->clock + (double)(t - s->since) / s->rate : 0;
    s->since = t;
    s->touched = false;
    for (uint32_t k = 0; k < w->starter_count; k++) {
        uint32_t handle = w->starters[k];
        double target = s->clock + (double)w->runs[handle].duration;
        sift_up(heap, s->count++, (struct cell_item){target, handle});
    }
    w->starter_count = 0;
    w->base->cell_next = INT64_MAX;
    if (!s->count || (s->count >= s->known && !extend_kappas(w, s->count)))
        return;
    s->rate = s->kappa[s->count];
    w->base->record.hypothetical |= s->hypothetical[s->count];
    w->base->cell_next = finish_at(w->base, t, (heap[0].target - s->clock) * s->rate);
}

/* ---- any cells ------------------------------------------------------------------------------- */

static inline void gather_cell(struct sl_worker *base, void *user, const struct cell_static *cell,
                               int64_t since, int64_t t)
{
    struct sl_jobs_worker *w = user;
    struct cell_item *heap = w->cell_heaps[cell - base->p->cells];
    do {
        uint32_t handle = heap[0].node;
        w->batch[w->batch_count++] =
            (struct job_ending){job_run_index(w, &w->runs[handle]), handle};
    } while (leave_cell(base, cell, heap, since) == t);
    left_cell(base, cell, heap);
}

static void update_cells(struct sl_jobs_worker *w, int64_t t)
{
    const struct sl_program *base = w->p->base;
    const struct job_node *nodes = w->p->nodes;
    for (uint32_t k = 0; k < w->starter_count; k++)
        touch(w->base, &base->cells[nodes[w->runs[w->starters[k]].node].cell]);
    if (!w->base->touched_count)
        return;
    advance_touched(w->base, t);
    for (uint32_t k = 0; k < w->starter_count; k++) {
        const struct job_run *run = &w->runs[w->starters[k]];
        uint32_t cell = nodes[run->node].cell;
        enter_cell(w->base, &base->cells[cell], w->cell_heaps[cell], (double)run->duration,
                   w->starters[k]);
    }
    w->starter_count = 0;
    settle_touched(w->base);
}

void sl_jobs_contend_gather(struct sl_jobs_worker *w, int64_t t)
{
    if (w->p->base->cell_count == 1)
        gather_shared(w, t);
    else
        gather_islands(w->base, w, t, gather_cell);
}

void sl_jobs_contend_update(struct sl_jobs_worker *w, int64_t t)
{
    if (w->p->base->cell_count == 1)
        update_shared(w, t);
    else
        update_cells(w, t);
}
