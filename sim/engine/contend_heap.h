/* What both forms of contention share: a cell's heap of virtual finish targets, and rounding. */
#ifndef SL_CONTEND_HEAP_H
#define SL_CONTEND_HEAP_H
#include "worker.h"
#include <math.h>

static inline bool target_before(struct cell_item a, struct cell_item b)
{
    return a.target < b.target || (a.target == b.target && a.node < b.node);
}

/* Adds an item to the `count` that are there. */
static inline void sift_up(struct cell_item *heap, uint32_t count, struct cell_item new)
{
    uint32_t i = count;
    while (i && target_before(new, heap[(i - 1) >> 1])) {
        heap[i] = heap[(i - 1) >> 1];
        i = (i - 1) >> 1;
    }
    heap[i] = new;
}

/* Takes out the first item; `count` are left. */
static inline void sift_down(struct cell_item *heap, uint32_t count)
{
    struct cell_item last = heap[count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && target_before(heap[child + 1], heap[child]);
        if (!target_before(heap[child], last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
}

/* since + max(0, llround(left)). */
static inline int64_t finish_at(struct sl_worker *w, int64_t since, double left)
{
    if (!(left > 0))
        return since;
    if (left < 0x1p61)
        return since + sl_round_ps(left);
    if (left != INFINITY)
        sl_worker_fault(w, "a contended duration exceeds 2^61 ps");
    return INT64_MAX;
}
#endif
