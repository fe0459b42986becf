/* The event heap of a worker and the batch of what ends at once: (time, kind, node), a total order.  The first place of an empty heap
 * says INT64_MAX, so that its time needs no count. */
#ifndef SL_EVENTS_H
#define SL_EVENTS_H
#include "worker.h"

static inline bool event_before(struct event a, struct event b)
{
    return a.t < b.t || (a.t == b.t && a.sub < b.sub);
}

static inline void push_event(struct sl_worker *w, int64_t t, enum event_kind kind, uint32_t node)
{
    struct event *heap = w->heap, new = {t, (uint64_t)kind << 32 | node};
    uint32_t i = w->heap_count++;
    while (i) {
        uint32_t parent = (i - 1) >> 1;
        if (!event_before(new, heap[parent]))
            break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = new;
}

static inline void pop_event(struct sl_worker *w)
{
    struct event *heap = w->heap;
    uint32_t count = --w->heap_count, i = 0;
    struct event last = heap[count];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            break;
        child += child + 1 < count && event_before(heap[child + 1], heap[child]);
        if (!event_before(heap[child], last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    if (!count)
        heap[0].t = INT64_MAX;
}

static inline void clear_events(struct sl_worker *w)
{
    w->heap_count = 0;
    w->heap[0].t = INT64_MAX;
}

static inline bool due(const struct sl_worker *w, int64_t t, enum event_kind kind)
{
    return w->heap[0].t == t && w->heap[0].sub >> 32 == (uint64_t)kind;
}

/* Batches are a handful of nodes, mostly in order already. */
static inline void sort_batch(struct sl_worker *w, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        uint32_t node = w->batch[k], at = k;
        for (; at && w->batch[at - 1] > node; at--)
            w->batch[at] = w->batch[at - 1];
        w->batch[at] = node;
    }
}
#endif
