/* Waiting lists of nodes that need more than units of one simple resource: who joins, who leaves,
 * and why a node that starts had to wait.  waiting_scan.c finds who can start.
 *
 * Resources of one order share one list, kept as a sorted sublist per first resource. */
#include "evict.h"
#include "waitlist.h"

/* priority + floor(wait / aging); aging belongs to the first resource. */
static double aged_priority(const struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    int64_t aging = p->resources[sublist_of(p, node)].aging_ps;
    double priority = p->graph->nodes[node].priority;
    return aging ? priority + (double)((w->now - w->ready[node]) / aging) : priority;
}

bool sl_waiting_aged_before(const struct sl_worker *w, const struct wait_item *a,
                            const struct wait_item *b)
{
    uint32_t left = item_node(a), right = item_node(b);
    double before = aged_priority(w, left), after = aged_priority(w, right);
    if (before != after)
        return before > after;
    return w->ready[left] != w->ready[right] ? w->ready[left] < w->ready[right] : left < right;
}

void sl_waiting_insert(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    uint32_t r = sublist_of(p, node);
    struct resource_run *run = &w->resources[r];
    enum sl_order order = p->resources[r].order;
    w->items[run->tail] = wait_item(p->hot[node].key, w->run[node].ready, node);
    settle(w, p->lists[order].aging, run->head, run->tail++);
    w->complex_waiting++;
    w->list_waiting[order]++;
    w->scan_needed = true;
}

void sl_waiting_remove(struct sl_worker *w, uint32_t node)
{
    uint32_t r = sublist_of(w->p, node);
    struct resource_run *run = &w->resources[r];
    sl_crowd_pull_before(w, r, &SL_LAST_ITEM);
    uint32_t at = run->head;
    while (at < run->tail && item_node(&w->items[at]) != node)
        at++;
    if (at == run->tail)
        return;
    for (; at < run->tail; at++)
        w->items[at] = w->items[at + 1];
    run->tail--;
    w->first[w->p->resources[r].sublist] = w->items[run->head];
    leave_list(w, w->p->resources[r].order);
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

bool sl_waiting_in_common(const struct sl_program *p, uint32_t a, uint32_t b)
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
    struct wait_item item = wait_item(p->hot[node].key, w->ready[node], node);
    for (uint32_t k = 0; k < list->sublists.count; k++) {
        const struct resource_run *r = &w->resources[p->list_resources[list->sublists.first + k]];
        for (uint32_t at = r->head; at < r->tail; at++)
            if (earlier(w, list->aging, &w->items[at], &item) &&
                in_common(p, item_node(&w->items[at]), node))
                return item_node(&w->items[at]);
    }
    return SL_NONE;
}

/* ---- the binding cause of a start after a wait ------------------------------------------------
 */

/* The last release of this round that turned the part (units of a resource, bytes in a domain, a
 * kind that must not run) from unmet to met; `best` is the latest so far, one past its place. */
static inline uint32_t met_by(const struct sl_worker *w, enum release_kind kind, uint32_t index,
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

static __attribute__((noinline)) uint32_t last_releaser(const struct sl_worker *w, uint32_t node,
                                                        enum fail fail)
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

/* One past the release that met the last of the demands that had failed; 0: none did. */
static inline uint32_t releaser(const struct sl_worker *w, uint32_t node, enum fail fail)
{
    const struct node_hot *hot = &w->p->hot[node];
    const struct need *need = &w->p->need[node];
    if (fail == FAIL_UNITS && !(hot->flags & NODE_MANY))
        return met_by(w, RELEASE_UNITS, hot->resource, hot->units, 0);
    if (fail == FAIL_CAPACITY && !(hot->flags & NODE_VARIES))
        return met_by(w, RELEASE_BYTES, need->domain, need->bytes, 0);
    return last_releaser(w, node, fail);
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

void sl_waiting_blame_release(struct sl_worker *w, uint32_t node, enum fail fail, uint32_t behind)
{
    static const uint8_t causes[] = {SL_CAUSE_QUEUE, SL_CAUSE_QUEUE, SL_CAUSE_QUEUE,
                                     SL_CAUSE_CAPACITY, SL_CAUSE_OVERLAP};
    uint32_t best = fail == FAIL_BLOCKED ? 0 : releaser(w, node, fail);
    w->cause[node] = causes[fail];
    if (best)
        blame(w, node, w->log[best - 1].node, w->log[best - 1].by_free, 0);
    /* No release of this instant let it go (a waiting node before it was cancelled, or it aged past
     * it, or an overlap may begin from now on): the wait as a whole is a link of its own, back to
     * what made the node ready. */
    else if (behind == SL_NONE)
        blame(w, node, SL_NONE, 0, w->now);
    else
        blame(w, node, behind, 0, w->now - w->finish[behind]);
}

void sl_waiting_blame(struct sl_worker *w, uint32_t node)
{
    const struct node_run *run = &w->run[node];
    enum fail fail = last_fail(w, run);
    if (w->p->hot[node].flags & NODE_ISSUE &&
        w->resources[sublist_of(w->p, node)].issue_round == w->round)
        fail = FAIL_BLOCKED;
    uint32_t other = fail == FAIL_BLOCKED ? unblocker(w, node) : SL_NONE;
    if (other == SL_NONE) {
        sl_waiting_blame_release(w, node, fail, run->behind);
        return;
    }
    w->cause[node] = SL_CAUSE_QUEUE;
    blame(w, node, w->behind[other], w->by_free[other], w->lag[other]);
}
