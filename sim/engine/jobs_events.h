/* The event heap of jobs: (time, kind, index), a total order.  The first place of an empty heap
 * says INT64_MAX, so that its time needs no count. */
#ifndef SL_JOBS_EVENTS_H
#define SL_JOBS_EVENTS_H
#include "jobs_parts.h"

#define JOB_KIND_SHIFT 61 /* above a node of 29 bits and a job of 32 */

static inline bool job_event_before(const struct job_event *a, const struct job_event *b)
{
    return a->t < b->t || (a->t == b->t && a->sub < b->sub);
}

static inline void job_push(struct sl_jobs_worker *w, int64_t t, enum job_event_kind kind,
                            uint64_t index, uint32_t handle)
{
    struct job_event *heap = w->heap, new = {t, (uint64_t)kind << JOB_KIND_SHIFT | index, handle};
    uint32_t i = w->heap_count++;
    while (i && job_event_before(&new, &heap[(i - 1) >> 1])) {
        heap[i] = heap[(i - 1) >> 1];
        i = (i - 1) >> 1;
    }
    heap[i] = new;
}

static inline uint32_t job_pop(struct sl_jobs_worker *w)
{
    struct job_event *heap = w->heap;
    uint32_t handle = heap[0].handle, count = --w->heap_count, i = 0;
    struct job_event last = heap[count];
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && job_event_before(&heap[child + 1], &heap[child]);
        if (!job_event_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    if (!count)
        heap[0].t = INT64_MAX; /* so that its time needs no count */
    return handle;
}

static inline bool job_due(const struct sl_jobs_worker *w, int64_t t, enum job_event_kind kind)
{
    return w->heap[0].t == t && w->heap[0].sub >> JOB_KIND_SHIFT == (uint64_t)kind;
}

/* What ends at this instant, by index; nearly always it is a single run. */
static inline void job_endings_in_order(struct sl_jobs_worker *w)
{
    for (uint32_t k = 1; k < w->batch_count; k++) {
        struct job_ending ending = w->batch[k];
        uint32_t at = k;
        for (; at && w->batch[at - 1].index > ending.index; at--)
            w->batch[at] = w->batch[at - 1];
        w->batch[at] = ending;
    }
}
#endif
