/* The order of execution that a plan has in mind, as a linked list. */
#include "attempt.h"
#include <string.h>

static bool grow(uint32_t **array, uint32_t capacity, uint32_t need)
{
    uint32_t room = capacity;
    return sl_grow((void **)array, &room, need, sizeof **array);
}

/* The four arrays grow together: the same capacity gives the same growth. */
static enum sl_status reserve(struct sl_attempt *a, uint32_t need)
{
    uint32_t capacity = a->sequence_capacity;
    if (need <= capacity && capacity > 0)
        return SL_OK;
    if (!grow(&a->next, capacity, need) || !grow(&a->prev, capacity, need) ||
        !grow(&a->label, capacity, need) ||
        !sl_grow((void **)&a->slot, &a->sequence_capacity, need, sizeof *a->slot))
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's order");
    return SL_OK;
}

enum sl_status sl_sequence_open(struct sl_attempt *a)
{
    const struct sl_graph *base = a->facts->graph;
    enum sl_status status = reserve(a, base->node_count + 1);
    a->head = a->tail = SL_NONE;
    for (uint32_t t = 0; t < base->node_count && status == SL_OK; t++)
        status = sl_sequence_insert(a, base->topo[t], a->tail, base->topo[t]);
    if (status == SL_OK)
        sl_sequence_relabel(a);
    return status;
}

void sl_sequence_relabel(struct sl_attempt *a)
{
    uint32_t label = 0;
    for (uint32_t node = a->head; node != SL_NONE; node = a->next[node])
        a->label[node] = label++;
}

enum sl_status sl_sequence_insert(struct sl_attempt *a, uint32_t node, uint32_t behind,
                                  uint32_t slot)
{
    enum sl_status status = reserve(a, node + 1);
    if (status)
        return status;
    uint32_t ahead = behind == SL_NONE ? a->head : a->next[behind];
    a->prev[node] = behind;
    a->next[node] = ahead;
    a->slot[node] = slot;
    a->label[node] = behind == SL_NONE ? 0 : a->label[behind];
    *(behind == SL_NONE ? &a->head : &a->next[behind]) = node;
    *(ahead == SL_NONE ? &a->tail : &a->prev[ahead]) = node;
    return SL_OK;
}
