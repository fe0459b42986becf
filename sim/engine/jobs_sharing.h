/* Where a plan has one contention cell (processor sharing), its state is the number of its runs,
 * and kappa a table by that: the arithmetic of contend.c without what tells cells and islands
 * apart. */
#ifndef SL_JOBS_SHARING_H
#define SL_JOBS_SHARING_H
#include "contend_heap.h"
#include "jobs_parts.h"

/* kappa of `count` runs that is not in the table yet. */
double sl_jobs_sharing_kappa(struct sl_jobs_worker *w, uint32_t count);

/* Takes the runs that finish at t, of which there is one, into the batch. */
static inline void sharing_gather(struct sl_jobs_worker *w, int64_t t)
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

/* Who started enters, and a new rate holds from t on. */
static inline void sharing_update(struct sl_jobs_worker *w, int64_t t)
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
    if (!s->count)
        return;
    s->rate = s->count < s->known ? s->kappa[s->count] : sl_jobs_sharing_kappa(w, s->count);
    w->base->record.hypothetical |= s->hypothetical[s->count];
    w->base->cell_next = finish_at(w->base, t, (heap[0].target - s->clock) * s->rate);
}
#endif
