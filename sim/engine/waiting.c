/* Waiting lists of nodes that need more than units of one simple resource.
 *
 * Resources of one order share one list, kept as a sorted sublist per first resource and merged
 * while scanning.  What is left out must not show: a sublist whose resource has no unit left fails
 * at `units` as a whole, so nobody in it is tried; a scan between which and the last one nothing
 * was given back, taken or added would end as that one did, so it is not carried out. */
#include "evict.h"

static uint32_t sublist_of(const struct sl_program *p, uint32_t node)
{
    uint32_t r = p->hot[node].resource;
    return r == SL_NONE ? p->resource_count : r;
}

/* priority + floor(wait / aging); aging belongs to the first resource. */
static double aged_priority(const struct sl_worker *w, const struct wait_item *item)
{
    const struct sl_program *p = w->p;
    int64_t aging = p->resources[sublist_of(p, item->node)].aging_ps;
    double priority = p->graph->nodes[item->node].priority;
    return aging ? priority + (double)((w->now - item->ready) / aging) : priority;
}

static bool earlier(const struct sl_worker *w, bool aging, const struct wait_item *a,
                    const struct wait_item *b)
{
    if (aging) {
        double left = aged_priority(w, a), right = aged_priority(w, b);
        if (left != right)
            return left > right;
    } else if (a->key != b->key)
        return a->key < b->key;
    return a->ready != b->ready ? a->ready < b->ready : a->node < b->node;
}

/* Moves the item at `at` back to its place in the sorted stretch that ends before it. */
static void settle(struct sl_worker *w, bool aging, uint32_t first, uint32_t at)
{
    struct wait_item item = w->items[at];
    for (; at > first && earlier(w, aging, &item, &w->items[at - 1]); at--)
        w->items[at] = w->items[at - 1];
    w->items[at] = item;
}

void sl_waiting_insert(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    uint32_t r = sublist_of(p, node);
    struct resource_run *run = &w->resources[r];
    enum sl_order order = p->resources[r].order;
    w->items[run->tail] = (struct wait_item){w->run[node].ready, p->hot[node].key, node};
    settle(w, p->lists[order].aging, run->head, run->tail++);
    w->complex_waiting++;
    w->list_waiting[order]++;
    w->scan_needed = true;
}

static void forget(struct sl_worker *w, enum sl_order order)
{
    w->complex_waiting--;
    w->list_waiting[order]--;
}

void sl_waiting_remove(struct sl_worker *w, uint32_t node)
{
    uint32_t r = sublist_of(w->p, node);
    struct resource_run *run = &w->resources[r];
    uint32_t at = run->head;
    while (at < run->tail && w->items[at].node != node)
        at++;
    if (at == run->tail)
        return;
    for (run->tail--; at < run->tail; at++)
        w->items[at] = w->items[at + 1];
    forget(w, w->p->resources[r].order);
}

/* Advances the head of the issue order over nodes that started, were skipped or cancelled. */
void sl_waiting_pass_issue(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    uint32_t r = sublist_of(p, node);
    const struct range *issue = &p->resources[r].issue;
    struct resource_run *run = &w->resources[r];
    uint32_t head = run->issue_head;
    while (head < issue->count && w->state[p->issue_nodes[issue->first + head]] != SL_UNFINISHED)
        head++;
    if (head == run->issue_head)
        return;
    run->issue_head = head;
    run->issue_round = w->round;
    run->issue_mover = node;
    w->scan_needed = true;
}

/* ---- one attempt ----------------------------------------------------------------------------- */

static bool out_of_turn(const struct sl_worker *w, uint32_t node)
{
    uint32_t r = sublist_of(w->p, node);
    return w->p->issue_nodes[w->p->resources[r].issue.first + w->resources[r].issue_head] != node;
}

static bool strictly_blocked(const struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++)
        if (w->stamp_resource[p->demands[p->demand[node].first + k].resource] == w->stamp)
            return true;
    for (uint32_t k = 0; k < p->amount[node].count; k++)
        if (w->stamp_domain[p->amounts[p->amount[node].first + k].domain] == w->stamp)
            return true;
    return false;
}

static void stamp_demands(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++)
        w->stamp_resource[p->demands[p->demand[node].first + k].resource] = w->stamp;
    for (uint32_t k = 0; k < p->amount[node].count; k++)
        w->stamp_domain[p->amounts[p->amount[node].first + k].domain] = w->stamp;
}

static bool units_free(const struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++) {
        const struct sl_demand *d = &p->demands[p->demand[node].first + k];
        if (w->resources[d->resource].free < d->units)
            return false;
    }
    return true;
}

static bool overlap_allowed(const struct sl_worker *w, uint32_t node)
{
    const struct range *forbid = &w->p->overlap_forbid[w->p->overlap_kind[node]];
    for (uint32_t k = 0; k < forbid->count; k++) {
        const struct overlap_peer *peer = &w->p->overlap_peers[forbid->first + k];
        if (w->overlap_running[peer->kind] && overlap_forbidden(peer, w->now))
            return false;
    }
    return true;
}

static enum fail attempt(const struct sl_worker *w, uint32_t node)
{
    uint32_t flags = w->p->hot[node].flags;
    if (flags & NODE_ISSUE && out_of_turn(w, node))
        return FAIL_BLOCKED;
    if (flags & NODE_EVICT && w->evict->robbed[node])
        return FAIL_BLOCKED; /* it will not be here after this scan */
    if (flags & NODE_STRICT && strictly_blocked(w, node))
        return FAIL_BLOCKED;
    if (!units_free(w, node))
        return FAIL_UNITS;
    if (flags & NODE_BYTES && !sl_capacity_fits(w, node))
        return FAIL_CAPACITY;
    if (flags & NODE_OVERLAP && w->duration[node] && !overlap_allowed(w, node))
        return FAIL_OVERLAP;
    return FAIL_NONE;
}

/* True when the nodes demand a common resource or domain. */
static bool in_common(const struct sl_program *p, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < p->demand[a].count; i++)
        for (uint32_t j = 0; j < p->demand[b].count; j++)
            if (p->demands[p->demand[a].first + i].resource ==
                p->demands[p->demand[b].first + j].resource)
                return true;
    for (uint32_t i = 0; i < p->amount[a].count; i++)
        for (uint32_t j = 0; j < p->amount[b].count; j++)
            if (p->amounts[p->amount[a].first + i].domain ==
                p->amounts[p->amount[b].first + j].domain)
                return true;
    return false;
}

uint32_t sl_waiting_blocker(const struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    uint32_t flags = p->hot[node].flags, own = sublist_of(p, node);
    const struct resource_static *res = &p->resources[own];
    if (flags & NODE_ISSUE && out_of_turn(w, node))
        return p->issue_nodes[res->issue.first + w->resources[own].issue_head];
    if (!(flags & NODE_STRICT))
        return SL_NONE;
    const struct list_static *list = &p->lists[res->order];
    struct wait_item item = {w->ready[node], p->hot[node].key, node};
    for (uint32_t k = 0; k < list->sublists.count; k++) {
        const struct resource_run *r = &w->resources[p->list_resources[list->sublists.first + k]];
        for (uint32_t at = r->head; at < r->tail; at++)
            if (earlier(w, list->aging, &w->items[at], &item) &&
                in_common(p, w->items[at].node, node))
                return w->items[at].node;
    }
    return SL_NONE;
}

/* ---- bypasses -------------------------------------------------------------------------------- */

/* `item` starts: every earlier member that stays behind and competes with it has been passed. */
static void count_bypasses(struct sl_worker *w, const struct list_static *list,
                           const struct wait_item *item)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < list->sublists.count; k++) {
        uint32_t r = p->list_resources[list->sublists.first + k];
        for (uint32_t at = w->resources[r].head; at < w->write[r]; at++) {
            const struct wait_item *other = &w->items[at];
            if (!earlier(w, list->aging, other, item))
                break;
            if (in_common(p, other->node, item->node)) {
                w->bypassed[other->node]++;
                w->record.bypasses++;
            }
        }
    }
}

/* ---- one scan -------------------------------------------------------------------------------- */

/* Takes the sublist out of the scan; what was not tried stays, right behind what was. */
static void close_sublist(struct sl_worker *w, uint32_t k, uint32_t *open_count)
{
    uint32_t r = w->open[k];
    struct resource_run *run = &w->resources[r];
    if (w->write[r] != w->cursor[r])
        for (uint32_t at = w->cursor[r]; at < run->tail; at++)
            w->items[w->write[r] + at - w->cursor[r]] = w->items[at];
    run->tail -= w->cursor[r] - w->write[r];
    w->write[r] = run->tail;
    w->open[k] = w->open[--*open_count];
}

static uint32_t open_sublists(struct sl_worker *w, const struct list_static *list)
{
    const struct sl_program *p = w->p;
    uint32_t open_count = 0;
    for (uint32_t k = 0; k < list->sublists.count; k++) {
        uint32_t r = p->list_resources[list->sublists.first + k];
        struct resource_run *run = &w->resources[r];
        w->cursor[r] = w->write[r] = run->head;
        if (run->head == run->tail)
            continue;
        for (uint32_t at = run->head + 1; list->aging && at < run->tail; at++)
            settle(w, true, run->head, at);
        if (list->every || run->free >= p->resources[r].min_units)
            w->open[open_count++] = r;
        else
            w->write[r] = run->tail;
    }
    return open_count;
}

static uint32_t next_sublist(const struct sl_worker *w, bool aging, uint32_t open_count)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < open_count; k++)
        if (earlier(w, aging, &w->items[w->cursor[w->open[k]]],
                    &w->items[w->cursor[w->open[best]]]))
            best = k;
    return best;
}

static void scan_list(struct sl_worker *w, enum sl_order order)
{
    const struct sl_program *p = w->p;
    const struct list_static *list = &p->lists[order];
    w->stamp++;
    w->started_count = 0;
    for (uint32_t open_count = open_sublists(w, list); open_count;) {
        uint32_t k = next_sublist(w, list->aging, open_count), r = w->open[k];
        struct wait_item item = w->items[w->cursor[r]];
        if (!list->every && w->resources[r].free < p->resources[r].min_units) {
            close_sublist(w, k, &open_count);
            continue;
        }
        enum fail fail = attempt(w, item.node);
        if (fail == FAIL_CAPACITY && w->evict && sl_evict_make_room(w, item.node))
            fail = attempt(w, item.node);
        w->cursor[r]++;
        if (fail == FAIL_NONE) {
            count_bypasses(w, list, &item);
            sl_instant_start(w, item.node);
            w->started[w->started_count++] = item.node;
            forget(w, order);
            w->scan_needed = true; /* what it took may change why others wait */
        } else {
            w->run[item.node].fail = (uint8_t)fail;
            w->run[item.node].tried = w->scan;
            w->items[w->write[r]++] = item;
            if (list->every)
                stamp_demands(w, item.node);
        }
        bool rest_blocked = fail == FAIL_BLOCKED && order == SL_ORDER_ISSUE && !list->every;
        if (rest_blocked || w->cursor[r] == w->resources[r].tail)
            close_sublist(w, k, &open_count);
    }
}

void sl_waiting_scan(struct sl_worker *w)
{
    bool aging = w->list_waiting[SL_ORDER_PRIORITY] && w->p->lists[SL_ORDER_PRIORITY].aging;
    if (!w->scan_needed && !aging)
        return;
    w->scan_needed = false;
    w->scan++;
    for (unsigned order = 0; order <= SL_ORDER_ISSUE; order++)
        if (w->list_waiting[order])
            scan_list(w, (enum sl_order)order);
    if (w->evict)
        sl_evict_settle(w);
}

/* ---- the binding cause of a start after a wait ------------------------------------------------
 */

/* The last release of this round that turned the part (units of a resource, bytes in a domain, a
 * kind that must not run) from unmet to met; `best` is the latest so far, one past its place. */
static uint32_t met_by(const struct sl_worker *w, enum release_kind kind, uint32_t index,
                       int64_t want, uint32_t best)
{
    for (uint32_t k = w->log_count; k-- > best;) {
        const struct release *release = &w->log[k];
        if (release->kind == kind && release->index == index && release->before < want &&
            release->after >= want)
            return k + 1;
    }
    return best;
}

static uint32_t releaser(const struct sl_worker *w, uint32_t node, enum fail fail)
{
    const struct sl_program *p = w->p;
    uint32_t best = 0;
    if (fail == FAIL_UNITS)
        for (uint32_t k = 0; k < p->demand[node].count; k++) {
            const struct sl_demand *d = &p->demands[p->demand[node].first + k];
            best = met_by(w, RELEASE_UNITS, d->resource, d->units, best);
        }
    if (fail == FAIL_CAPACITY)
        for (uint32_t at = 0, next; at < p->amount[node].count; at = next) {
            uint32_t domain = p->amounts[p->amount[node].first + at].domain;
            int64_t want = sl_capacity_want(w, node, at, &next);
            best = met_by(w, RELEASE_BYTES, domain, want, best);
        }
    if (fail == FAIL_OVERLAP) {
        const struct range *forbid = &p->overlap_forbid[p->overlap_kind[node]];
        for (uint32_t k = 0; k < forbid->count; k++) {
            const struct overlap_peer *peer = &p->overlap_peers[forbid->first + k];
            if (overlap_forbidden(peer, w->now))
                best = met_by(w, RELEASE_OVERLAP, peer->kind, 0, best);
        }
    }
    return best;
}

/* Whoever stood before `node` in its list and has just started or left; SL_NONE: nobody. */
static uint32_t unblocker(const struct sl_worker *w, uint32_t node)
{
    const struct resource_run *run = &w->resources[sublist_of(w->p, node)];
    if (w->p->hot[node].flags & NODE_ISSUE && run->issue_round == w->round)
        return run->issue_mover;
    for (uint32_t k = w->started_count; k-- > 0;)
        if (in_common(w->p, w->started[k], node))
            return w->started[k];
    return SL_NONE;
}

static void blame(struct sl_worker *w, uint32_t node, uint32_t behind, uint8_t by_free, int64_t lag)
{
    w->behind[node] = behind;
    w->by_free[node] = by_free;
    w->lag[node] = lag;
}

/* Not tried in the last scan: its sublist had no unit left then. */
static enum fail last_fail(const struct sl_worker *w, const struct node_run *run)
{
    return run->tried == w->scan - 1 ? (enum fail)run->fail : FAIL_UNITS;
}

uint32_t sl_waiting_freed_by(const struct sl_worker *w, uint32_t node)
{
    if (last_fail(w, &w->run[node]) != FAIL_UNITS)
        return SL_NONE;
    uint32_t best = releaser(w, node, FAIL_UNITS);
    uint32_t run = best ? w->log[best - 1].node : SL_NONE;
    bool ended = run != SL_NONE && (run >= w->p->n || w->run[run].phase == PHASE_PASSED) &&
                 w->finish[run] == w->now;
    return ended ? run : SL_NONE;
}

void sl_waiting_blame(struct sl_worker *w, uint32_t node)
{
    static const uint8_t causes[] = {SL_CAUSE_QUEUE, SL_CAUSE_QUEUE, SL_CAUSE_QUEUE,
                                     SL_CAUSE_CAPACITY, SL_CAUSE_OVERLAP};
    const struct node_run *run = &w->run[node];
    enum fail fail = last_fail(w, run);
    if (w->p->hot[node].flags & NODE_ISSUE &&
        w->resources[sublist_of(w->p, node)].issue_round == w->round)
        fail = FAIL_BLOCKED;
    w->cause[node] = causes[fail];
    if (fail == FAIL_BLOCKED) {
        uint32_t other = unblocker(w, node);
        if (other != SL_NONE) {
            blame(w, node, w->behind[other], w->by_free[other], w->lag[other]);
            return;
        }
    } else {
        uint32_t best = releaser(w, node, fail);
        if (best) {
            blame(w, node, w->log[best - 1].node, w->log[best - 1].by_free, 0);
            return;
        }
    }
    /* No release of this instant let it go (a waiting node before it was cancelled, or it aged past
     * it, or an overlap may begin from now on): the wait as a whole is a link of its own, back to what made the node ready. */
    if (run->behind == SL_NONE)
        blame(w, node, SL_NONE, 0, w->now);
    else
        blame(w, node, run->behind, 0, w->now - w->finish[run->behind]);
}
