/* The binary heap that one would write by hand, for the plain loops: the earliest event first. Room
 * is the caller's. */
#ifndef SL_PLAIN_HEAP_H
#define SL_PLAIN_HEAP_H
#include <stdint.h>

struct event {
    double t;
    uint32_t item; /* a node, or a job */
};

struct plain_heap {
    struct event *events;
    uint32_t count;
};

static inline void plain_heap_push(struct plain_heap *heap, double t, uint32_t item)
{
    uint32_t i = heap->count++;
    while (i && heap->events[(i - 1) / 2].t > t) {
        heap->events[i] = heap->events[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->events[i] = (struct event){t, item};
}

static inline struct event plain_heap_pop(struct plain_heap *heap)
{
    struct event top = heap->events[0], last = heap->events[--heap->count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < heap->count) {
        if (child + 1 < heap->count && heap->events[child + 1].t < heap->events[child].t)
            child++;
        if (heap->events[child].t >= last.t)
            break;
        heap->events[i] = heap->events[child];
        i = child;
    }
    heap->events[i] = last;
    return top;
}
#endif
