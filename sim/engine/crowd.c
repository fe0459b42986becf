/* The crowds of the general loop's queues; the heap is also the plain path's. */
#include "crowd.h"
#include "waitlist.h"
#include <string.h>

void sl_crowd_push(struct wait_item *heap, uint32_t *count, struct wait_item item)
{
    uint32_t i = (*count)++;
    while (i) {
        uint32_t parent = (i - 1) >> 1;
        if (!item_before(&item, &heap[parent]))
            break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = item;
}

struct wait_item sl_crowd_pop(struct wait_item *heap, uint32_t *count)
{
    uint32_t left = --*count, i = 0;
    struct wait_item first = heap[0], last = heap[left];
    for (uint32_t child = 1; child < left; child = 2 * i + 1) {
        child += child + 1 < left && item_before(&heap[child + 1], &heap[child]);
        if (!item_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

bool sl_crowd_create(struct sl_worker *w)
{
    w->crowd = sl_arena_array(&w->arena, w->p->queue_places, sizeof *w->crowd);
    w->crowd_count = sl_arena_array(&w->arena, w->p->resource_count + 1, sizeof *w->crowd_count);
    return w->crowd && w->crowd_count;
}

void sl_crowd_begin(struct sl_worker *w)
{
    memset(w->crowd_count, 0, (w->p->resource_count + 1) * sizeof *w->crowd_count);
    w->crowded = 0;
}

static struct wait_item *heap_of(const struct sl_worker *w, uint32_t r)
{
    return w->crowd + w->p->resources[r].queue.first;
}

static void push(struct sl_worker *w, uint32_t r, struct wait_item item)
{
    sl_crowd_push(heap_of(w, r), &w->crowd_count[r], item);
    w->crowded++;
}

void sl_crowd_join(struct sl_worker *w, uint32_t r, struct wait_item item)
{
    struct resource_run *run = &w->resources[r];
    if (w->crowd_count[r] && item_before(heap_of(w, r), &item)) {
        push(w, r, item);
        return;
    }
    /* What a scan has passed already stays in the stretch. */
    uint32_t floor = run->cursor > run->head ? run->cursor : run->head;
    if (moves_many(w, run, &item))
        while (run->tail > floor && item_before(&item, &w->items[run->tail - 1]))
            push(w, r, w->items[--run->tail]);
    w->items[run->tail] = item;
    settle(w, false, run->head, run->tail++);
}

bool sl_crowd_pull(struct sl_worker *w, uint32_t r)
{
    struct resource_run *run = &w->resources[r];
    if (!w->crowd_count[r])
        return false;
    w->items[run->tail++] = sl_crowd_pop(heap_of(w, r), &w->crowd_count[r]);
    w->items[run->tail] = SL_LAST_ITEM;
    w->crowded--;
    return true;
}

void sl_crowd_pull_before(struct sl_worker *w, uint32_t r, const struct wait_item *item)
{
    while (w->crowd_count[r] && item_before(heap_of(w, r), item) && sl_crowd_pull(w, r))
        ;
}

void sl_crowd_dissolve(struct sl_worker *w)
{
    for (uint32_t r = 0; w->crowded && r <= w->p->resource_count; r++)
        sl_crowd_pull_before(w, r, &SL_LAST_ITEM);
}
