/* One scan over the waiting lists: who can start does, in the order of its list.
 *
 * The sublists of a list are merged while scanning.  What is left out must not show: a sublist
 * whose resource has no unit left fails at `units` as a whole, so nobody in it is tried; a scan
 * between which and the last one nothing was given back, taken or added would end as that one did,
 * so it is not carried out.
 *
 * In a *tracked* list the sublists that have to be tried, those with both members and free units,
 * are known from what happened since: w->open.  A list in which every member is tried in every scan
 * (strict, aging), or that may change during a scan (eviction), looks through all its sublists. */
#include "attempts.h"
#include "evict.h"
#include "waitlist.h"

/* ---- one attempt ----------------------------------------------------------------------------- */

static inline bool bytes_free(const struct sl_worker *w, uint32_t node, uint32_t flags)
{
    const struct need *need = &w->p->need[node];
    if (flags & NODE_VARIES)
        return sl_capacity_fits(w, node);
    return need->bytes <= w->domains[need->domain].limit - w->domains[need->domain].level;
}

static inline __attribute__((always_inline)) enum fail attempt(const struct sl_worker *w,
                                                               uint32_t node)
{
    const struct node_hot *hot = &w->p->hot[node];
    uint32_t flags = hot->flags;
    if (flags & NODE_ISSUE && out_of_turn(w, node))
        return FAIL_BLOCKED;
    if (flags & NODE_EVICT && w->evict->robbed[node])
        return FAIL_BLOCKED; /* it will not be here after this scan */
    if (flags & NODE_STRICT && strictly_blocked(w, node))
        return FAIL_BLOCKED;
    if (!units_free(w, node, hot))
        return FAIL_UNITS;
    if (flags & NODE_BYTES && !bytes_free(w, node, flags))
        return FAIL_CAPACITY;
    if (flags & NODE_OVERLAP && w->duration[node] && !overlap_allowed(w, node))
        return FAIL_OVERLAP;
    return FAIL_NONE;
}

static void note_failure(struct sl_worker *w, uint32_t node, enum fail fail)
{
    w->run[node].fail = (uint8_t)fail;
    w->run[node].tried = w->scan;
}

static inline void start(struct sl_worker *w, uint32_t node, enum sl_order order)
{
    sl_instant_start(w, node);
    w->started[w->started_count++] = node;
    leave_list(w, order);
    w->scan_needed = true; /* what it took may change why others wait */
}

/* ---- bypasses -------------------------------------------------------------------------------- */

static inline bool speculates(const struct sl_program *p, uint32_t node)
{
    return p->hot[node].flags & NODE_SPECULATIVE;
}

/* Counts those of items[at .. end) that come before `item`, which starts, and compete with it. */
static inline void pass_by(struct sl_worker *w, bool aging, uint32_t at, uint32_t end,
                           const struct wait_item *item)
{
    for (; at < end && earlier(w, aging, &w->items[at], item); at++)
        if (in_common(w->p, item_node(&w->items[at]), item_node(item))) {
            w->bypassed[item_node(&w->items[at])]++;
            w->record.bypasses++;
            w->record.speculative_bypasses += speculates(w->p, item_node(item)) &&
                                              !speculates(w->p, item_node(&w->items[at]));
        }
}

/* Whom a scan tries next in the sublist. */
static inline const struct wait_item *next_item(const struct sl_worker *w, uint32_t r)
{
    return &w->items[w->resources[r].cursor];
}

/* Of the sublists in open[0 .. count), the one whose next member comes first. */
static inline uint32_t next_sublist(const struct sl_worker *w, bool aging, const uint32_t *open,
                                    uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < count; k++)
        if (earlier(w, aging, next_item(w, open[k]), next_item(w, open[best])))
            best = k;
    return best;
}

/* ---- tracked lists --------------------------------------------------------------------------- */

/* The next member of the sublist, `item`, starts: every earlier member of the list is passed. */
static inline void leave_tracked(struct sl_worker *w, const struct list_static *list, uint32_t r,
                                 const struct wait_item *item)
{
    uint32_t end = list->sublists.first + list->sublists.count;
    for (uint32_t k = list->sublists.first; k < end; k++)
        if (item_before(&w->first[k], item)) {
            uint32_t other = w->p->list_resources[k];
            if (w->crowded)
                sl_crowd_pull_before(w, other, item);
            /* the place behind the last stops it */
            pass_by(w, false, w->resources[other].head, UINT32_MAX, item);
        }
    struct resource_run *run = &w->resources[r];
    uint32_t at = run->cursor++, head = run->head++;
    for (; at > head; at--)
        w->items[at] = w->items[at - 1];
    if (w->crowded && run->head == run->tail)
        sl_crowd_pull(w, r);
    w->first[w->p->resources[r].sublist] = w->items[head + 1];
}

/* Nobody else in the sublist can start in this scan. */
static inline bool is_through(struct sl_worker *w, uint32_t r, const struct resource_run *run)
{
    if (run->free < run->each)
        return true;
    return run->cursor == run->tail && !(w->crowded && sl_crowd_pull(w, r));
}

/* Tries the next member of the sublist; true when it was the last one in this scan. */
static inline bool try_next(struct sl_worker *w, const struct list_static *list,
                            enum sl_order order, uint32_t r)
{
    struct resource_run *run = &w->resources[r];
    if (is_through(w, r, run))
        return true; /* others have taken the units, or the members have left */
    struct wait_item item = *next_item(w, r);
    uint32_t node = item_node(&item);
    enum fail fail = attempt(w, node);
    if (fail == FAIL_NONE) {
        leave_tracked(w, list, r, &item);
        start(w, node, order);
        return is_through(w, r, run);
    }
    note_failure(w, node, fail);
    run->cursor++;
    return is_through(w, r, run) || (fail == FAIL_BLOCKED && order == SL_ORDER_ISSUE);
}

static void scan_tracked(struct sl_worker *w, const struct list_static *list, enum sl_order order)
{
    uint32_t *open = w->open + list->sublists.first, *count = &w->open_count[order];
    for (uint32_t k = 0; k < *count; k++)
        w->resources[open[k]].cursor = w->resources[open[k]].head;
    w->started_count = 0;
    for (uint32_t left = *count; left;) {
        uint32_t k = left > 1 ? next_sublist(w, false, open, left) : 0, r = open[k];
        if (!try_next(w, list, order, r))
            continue;
        open[k] = open[--left];
        open[left] = r;
        struct resource_run *run = &w->resources[r];
        run->cursor = run->head; /* where no scan stands */
        if (run->free >= run->each && run->head < run->tail)
            continue; /* to be tried again in the next scan */
        run->dirty = false;
        open[left] = open[--*count];
    }
}

/* ---- other lists ----------------------------------------------------------------------------- */

/* `item` starts: every earlier member that stays behind and competes with it has been passed. */
static void count_bypasses(struct sl_worker *w, const struct list_static *list,
                           const struct wait_item *item)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < list->sublists.count; k++) {
        uint32_t r = p->list_resources[list->sublists.first + k];
        pass_by(w, list->aging, w->resources[r].head, w->write[r], item);
    }
}

/* Takes the sublist out of the scan; what was not tried stays, right behind what was. */
static void close_sublist(struct sl_worker *w, uint32_t *open, uint32_t k, uint32_t *open_count)
{
    uint32_t r = open[k];
    struct resource_run *run = &w->resources[r];
    if (w->write[r] != run->cursor)
        for (uint32_t at = run->cursor; at < run->tail; at++)
            w->items[w->write[r] + at - run->cursor] = w->items[at];
    run->tail -= run->cursor - w->write[r];
    w->write[r] = run->tail;
    open[k] = open[--*open_count];
}

static uint32_t open_sublists(struct sl_worker *w, const struct list_static *list, uint32_t *open)
{
    const struct sl_program *p = w->p;
    uint32_t open_count = 0;
    for (uint32_t k = 0; k < list->sublists.count; k++) {
        uint32_t r = p->list_resources[list->sublists.first + k];
        struct resource_run *run = &w->resources[r];
        run->cursor = w->write[r] = run->head;
        if (run->head == run->tail)
            continue;
        for (uint32_t at = run->head + 1; list->aging && at < run->tail; at++)
            settle(w, true, run->head, at);
        if (list->every || run->free >= run->each)
            open[open_count++] = r;
        else
            w->write[r] = run->tail;
    }
    return open_count;
}

static void scan_list(struct sl_worker *w, const struct list_static *list,
                                                enum sl_order order)
{
    uint32_t *open = w->open + list->sublists.first;
    w->stamp++;
    w->started_count = 0;
    for (uint32_t open_count = open_sublists(w, list, open); open_count;) {
        uint32_t k = next_sublist(w, list->aging, open, open_count), r = open[k];
        struct resource_run *run = &w->resources[r];
        struct wait_item item = *next_item(w, r);
        uint32_t node = item_node(&item);
        if (!list->every && run->free < run->each) {
            close_sublist(w, open, k, &open_count);
            continue;
        }
        enum fail fail = attempt(w, node);
        if (fail == FAIL_CAPACITY && w->evict && sl_evict_make_room(w, node))
            fail = attempt(w, node);
        run->cursor++;
        if (fail == FAIL_NONE) {
            count_bypasses(w, list, &item);
            start(w, node, order);
        } else {
            note_failure(w, node, fail);
            w->items[w->write[r]++] = item;
            if (list->every)
                stamp_demands(w, node);
        }
        bool rest_blocked = fail == FAIL_BLOCKED && order == SL_ORDER_ISSUE && !list->every;
        if (rest_blocked || run->cursor == run->tail)
            close_sublist(w, open, k, &open_count);
    }
}

void sl_waiting_scan(struct sl_worker *w)
{
    const struct list_static *lists = w->p->lists;
    bool aging = w->list_waiting[SL_ORDER_PRIORITY] && lists[SL_ORDER_PRIORITY].aging;
    if (!w->scan_needed && !aging)
        return;
    w->scan_needed = false;
    w->scan++;
    for (uint32_t k = 0; k < w->p->order_count; k++) {
        enum sl_order order = w->p->orders[k];
        if (!w->list_waiting[order])
            continue;
        if (lists[order].tracked)
            scan_tracked(w, &lists[order], order);
        else
            scan_list(w, &lists[order], order);
    }
    if (w->evict)
        sl_evict_settle(w);
}
