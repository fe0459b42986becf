/* The queues of the common path, side by side: who waits joins in its place, whoever starts leaves
 * and passes by those before it.  Inline, as the loop is one piece of code with them. */
#ifndef SL_COMMON_QUEUE_H
#define SL_COMMON_QUEUE_H
#include "common.h"
#include "isa.h"

/* Queues side by side, SL_COMMON_LANES at a time. */
#define EACH_LANE(q, lanes)                                                                        \
    for (uint32_t block = 0; block < (lanes); block += SL_COMMON_LANES)                            \
    _Pragma("GCC unroll 4") for (uint32_t q = block; q < block + SL_COMMON_LANES; q++)

static inline uint32_t item_node(const struct sl_common *common, uint64_t item)
{
    return (uint32_t)item & common->node_mask;
}

static SL_ALWAYS_INLINE void set_shut(struct common_run *x, uint32_t q)
{
    x->shut[q] = -(uint64_t)(x->queues[q].free < x->queues[q].each); /* SL_COMMON_LAST or 0 */
}

/* Puts an item among the ascending ones that end at `at`, without a branch for every one of them:
 * what has found its place is what the item before it was, and no place changes from there on.  The
 * places before the first item say 0. */
static SL_ALWAYS_INLINE void insert(uint64_t *at, uint64_t item)
{
    uint64_t carried = item;
    do {
#pragma GCC unroll 4
        for (uint32_t k = 0; k < SL_COMMON_LANES; k++, at--) {
            uint64_t before = at[-1];
            *at = before > carried ? before : carried;
            carried = before > carried ? carried : before;
        }
    } while (carried == item);
    *at = carried;
}

static SL_ALWAYS_INLINE void join(struct common_run *x, const struct common_node *node)
{
    uint32_t q = node->queue, at = x->tail[q];
    uint64_t item = node->item | x->instant;
    if (at - x->head[q] >= SL_COMMON_MOVES && item < x->items[at - SL_COMMON_MOVES])
        x->crowded = true;
    if (x->crowded)
        return;
    x->tail[q] = at + 1;
    insert(&x->items[at], item);
    x->first[q] = x->items[x->head[q]];
}

static SL_ALWAYS_INLINE uint64_t earliest(const uint64_t *item, const uint32_t lanes)
{
    uint64_t least = SL_COMMON_LAST;
    EACH_LANE(q, lanes)
    least = item[q] < least ? item[q] : least;
    return least;
}

/* Those that wait before `item`, which starts, but for the first `skipped` of each queue, are
 * passed if they compete with it. */
static SL_ALWAYS_INLINE void pass_rivals(struct sl_worker *w, struct common_run *x, uint64_t item,
                                         const struct common_node *node, const uint32_t skipped,
                                         const uint32_t lanes)
{
    const struct sl_common *common = w->p->common;
    uint32_t at[SL_COMMON_QUEUES], before = 0;
    EACH_LANE(q, lanes)
    {
        at[q] = x->head[q] + skipped;
        before |= (uint32_t)(x->items[at[q]] < item) << q;
    }
    for (before &= node->rivals; before;) {
        uint32_t q = (uint32_t)__builtin_ctz(before);
        uint32_t other = item_node(common, x->items[at[q]++]);
        if (skipped || (common->nodes[other].mask & node->mask &&
                        (w->p->separate_needs ||
                         sl_waiting_in_common(w->p, other, item_node(common, item))))) {
            w->bypassed[other]++;
            w->record.bypasses++;
        }
        before &= ~((uint32_t)(x->items[at[q]] >= item) << q);
    }
}

/* Everybody before `item`, which starts, is passed if it competes with it.  Mostly that is nobody
 * or one in each queue: where all compete, those are counted without a branch for each. */
static SL_ALWAYS_INLINE void pass_by(struct sl_worker *w, struct common_run *x, uint64_t item,
                                     const struct common_node *node, const uint32_t lanes)
{
    const struct sl_common *common = w->p->common;
    uint32_t passed = 0, more = 0;
    if (!common->all_compete) {
        pass_rivals(w, x, item, node, 0, lanes);
        return;
    }
    EACH_LANE(q, lanes)
    {
        uint64_t first = x->first[q];
        uint32_t one = first < item;
        w->bypassed[item_node(common, one ? first : item)] += one;
        passed += one;
        more |= x->items[x->head[q] + 1] < item;
    }
    w->record.bypasses += passed;
    if (more)
        pass_rivals(w, x, item, node, 1, lanes);
}

/* The one at the cursor leaves its queue. */
static SL_ALWAYS_INLINE void leave_queue(struct common_run *x, uint32_t q)
{
    uint64_t *items = x->items;
    uint32_t at = x->cursor[q]++, head = x->head[q]++;
    for (; at > head; at--)
        items[at] = items[at - 1];
    items[head] = 0;
    x->first[q] = items[head + 1];
}
#endif
