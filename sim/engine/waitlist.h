/* The order of waiting nodes, and what inserting, scanning and explaining have in common. */
#ifndef SL_WAITLIST_H
#define SL_WAITLIST_H
#include "crowd.h"

static inline struct wait_item wait_item(uint32_t key, int64_t ready, uint32_t node)
{
    return (struct wait_item){(uint64_t)key << 31 | (uint64_t)ready >> 31,
                              ((uint64_t)ready & 0x7fffffff) << 32 | node};
}

static inline uint32_t item_node(const struct wait_item *item)
{
    return (uint32_t)item->low;
}

/* Without a branch: what comes next is anybody's guess. */
static inline bool item_before(const struct wait_item *a, const struct wait_item *b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 whole;
    return ((whole)a->high << 64 | a->low) < ((whole)b->high << 64 | b->low);
#else
    return (a->high < b->high) | ((a->high == b->high) & (a->low < b->low));
#endif
}

/* The resource in whose sublist a node waits. */
static inline uint32_t sublist_of(const struct sl_program *p, uint32_t node)
{
    uint32_t r = p->hot[node].resource;
    return r == SL_NONE ? p->resource_count : r;
}

/* A sublist has got members or units: where it now has both, the next scan tries it. */
static inline void open_sublist(struct sl_worker *w, uint32_t r, struct resource_run *run)
{
    if (run->dirty | (run->free < run->each) | (run->head == run->tail))
        return;
    enum sl_order order = w->p->resources[r].order;
    const struct list_static *list = &w->p->lists[order];
    if (!list->tracked)
        return;
    run->dirty = true;
    w->open[list->sublists.first + w->open_count[order]++] = r;
}

static inline bool in_common(const struct sl_program *p, uint32_t a, uint32_t b)
{
    if (!(p->need[a].mask & p->need[b].mask))
        return false;
    return p->separate_needs || sl_waiting_in_common(p, a, b);
}

/* Issue order: somebody before `node` has neither started nor left. */
static inline bool out_of_turn(const struct sl_worker *w, uint32_t node)
{
    uint32_t r = sublist_of(w->p, node);
    return w->p->issue_nodes[w->p->resources[r].issue.first + w->resources[r].issue_head] != node;
}

/* True when `a` comes before `b` in a list; aging: by what their priorities have become. */
bool sl_waiting_aged_before(const struct sl_worker *w, const struct wait_item *a,
                            const struct wait_item *b);

static inline bool earlier(const struct sl_worker *w, bool aging, const struct wait_item *a,
                           const struct wait_item *b)
{
    return aging ? sl_waiting_aged_before(w, a, b) : item_before(a, b);
}

/* Moves the item at `at` back to its place in the sorted stretch that ends before it. */
static inline void settle(struct sl_worker *w, bool aging, uint32_t first, uint32_t at)
{
    struct wait_item item = w->items[at];
    for (; at > first && earlier(w, aging, &item, &w->items[at - 1]); at--)
        w->items[at] = w->items[at - 1];
    w->items[at] = item;
}

/* Whether `item` comes before more than a few of the queue. */
static inline bool moves_many(const struct sl_worker *w, const struct resource_run *run,
                              const struct wait_item *item)
{
    return run->tail - run->head >= SL_CROWD && item_before(item, &w->items[run->tail - SL_CROWD]);
}

/* `item` joins a queue whose order stays as it is while it waits. */
static inline void join_sorted(struct sl_worker *w, uint32_t r, struct resource_run *run,
                               struct wait_item item)
{
    if (w->crowded || moves_many(w, run, &item)) {
        sl_crowd_join(w, r, item);
        return;
    }
    w->items[run->tail] = item;
    settle(w, false, run->head, run->tail++);
}

/* The first of a simple resource's queue leaves it. */
static inline uint32_t take_first(struct sl_worker *w, uint32_t r, struct resource_run *run)
{
    uint32_t node = item_node(&w->items[run->head++]);
    if (w->crowded && run->head == run->tail)
        sl_crowd_pull(w, r);
    return node;
}

/* A node of a tracked list waits from now on. */
static inline void join_tracked(struct sl_worker *w, uint32_t node, const struct node_hot *hot,
                                int64_t ready)
{
    uint32_t r = sublist_of(w->p, node);
    const struct resource_static *res = &w->p->resources[r];
    struct resource_run *run = &w->resources[r];
    join_sorted(w, r, run, wait_item(hot->key, ready, node));
    w->items[run->tail] = SL_LAST_ITEM;
    w->first[res->sublist] = w->items[run->head];
    w->complex_waiting++;
    w->list_waiting[res->order]++;
    w->scan_needed = true;
    open_sublist(w, r, run);
}

static inline void leave_list(struct sl_worker *w, enum sl_order order)
{
    w->complex_waiting--;
    w->list_waiting[order]--;
}
#endif
