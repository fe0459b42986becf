/* Contention of jobs: the clocks of contend.c, whose cells hold runs here; any number of them, so
 * that each cell has a heap of its own. */
#include "contend_lanes.h"
#include "jobs_parts.h"

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

void sl_jobs_contend_gather(struct sl_jobs_worker *w, int64_t t)
{
    gather_islands(w->base, w, t, gather_cell);
}

void sl_jobs_contend_update(struct sl_jobs_worker *w, int64_t t)
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
