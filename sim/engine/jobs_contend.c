/* Contention of jobs: the clocks of contend.c, whose cells hold runs here; any number of them, so
 * that each cell has a heap of its own. */
#include "contend_lanes.h"
#include "jobs_sharing.h"

/* Adds kappas up to that of `count` runs. */
static bool extend_kappas(struct sl_jobs_worker *w, uint32_t count)
{
    struct job_sharing *s = &w->sharing;
    uint32_t places = s->places;
    if (!sl_grow((void **)&s->kappa, &places, count + 1, sizeof *s->kappa) ||
        !sl_grow((void **)&s->hypothetical, &s->places, count + 1, sizeof *s->hypothetical)) {
        if (!w->status)
            w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for %u runs at once", count);
        return false;
    }
    for (; s->known <= count; s->known++) {
        uint32_t counts[SL_LANES] = {s->known};
        double kappa[SL_LANES] = {1};
        s->hypothetical[s->known] = false;
        if (s->known)
            sl_contend_evaluate(w->base, &w->p->base->islands[0], counts, kappa,
                                &s->hypothetical[s->known]);
        s->kappa[s->known] = kappa[0];
    }
    return true;
}

double sl_jobs_sharing_kappa(struct sl_jobs_worker *w, uint32_t count)
{
    return extend_kappas(w, count) ? w->sharing.kappa[count] : 1;
}

void sl_jobs_sharing_begin(struct sl_jobs_worker *w)
{
    w->sharing.clock = 0;
    w->sharing.rate = 1;
    w->sharing.since = 0;
    w->sharing.count = 0;
    w->sharing.touched = false;
    w->sharing.busy_ps = w->sharing.twice_ps = 0;
}

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
        sharing_gather(w, t);
    else
        gather_islands(w->base, w, t, gather_cell);
}

void sl_jobs_contend_update(struct sl_jobs_worker *w, int64_t t)
{
    if (w->p->base->cell_count == 1)
        sharing_update(w, t);
    else
        update_cells(w, t);
}
