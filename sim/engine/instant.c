/* The loop over instants.  The order inside an instant is part of the rules (doc/semantics.md):
 *
 *     repeat   1. finishes at t, by node index: units, bytes and successors
 *              2. lags and releases that expire at t, then skips, to a fixpoint
 *              3. one scan over the waiting nodes
 *     until nothing more happens at t; then latest starts cancel (and it loops again);
 *     then the contention clocks are brought to t once.
 *
 * All finishes come first so that whoever waits sees everything that t gives back; contention is
 * last because only the final running set of an instant lasts for a positive time. */
#include "classes.h"
#include "contend_compact.h"
#include "events.h"
#include "levels.h"
#include "waitlist.h"
#include <string.h>

void sl_instant_push(struct sl_worker *w, int64_t t, enum event_kind kind, uint32_t node)
{
    push_event(w, t, kind, node);
}

/* ---- readiness ------------------------------------------------------------------------------- */

/* The queue of a simple resource is sorted by (key, ready, node); most arrivals go to its end. */
static HOT void join_simple(struct sl_worker *w, uint32_t node, const struct node_hot *hot,
                            int64_t ready)
{
    struct resource_run *r = &w->resources[hot->resource];
    join_sorted(w, hot->resource, r, wait_item(hot->key, ready, node));
    /* Without free units nobody starts here before a release, which looks at the queue itself. */
    if (r->free >= hot->units && !r->dirty) {
        r->dirty = true;
        w->dirty[w->dirty_count++] = hot->resource;
    }
}

static __attribute__((noinline)) void become_ready_otherwise(struct sl_worker *w, uint32_t node)
{
    struct node_run *run = &w->run[node];
    if (node == w->p->n) { /* stands for the openings of overlap windows: look at who waits */
        w->scan_needed = true;
        return;
    }
    if (run->skip) {
        w->skips[w->skip_count++] = node;
        return;
    }
    if (w->evict && !sl_evict_gather(w, node))
        return;
    run->phase = PHASE_WAITING;
    w->ready[node] = run->ready;
    if (w->p->hot[node].flags & NODE_FREE)
        w->free_ready[w->free_count++] = node;
    else
        sl_waiting_insert(w, node);
}

static HOT void become_ready(struct sl_worker *w, uint32_t node, struct node_run *run)
{
    const struct node_hot *hot = &w->p->hot[node];
    if (run->skip || !(hot->flags & (NODE_SIMPLE | NODE_TRACKED))) {
        become_ready_otherwise(w, node);
        return;
    }
    run->phase = PHASE_WAITING;
    w->ready[node] = run->ready;
    if (hot->flags & NODE_SIMPLE)
        join_simple(w, node, hot, run->ready);
    else
        join_tracked(w, node, hot, run->ready);
}

/* The last condition of `node` has been met. */
static HOT void conditions_met(struct sl_worker *w, uint32_t node, struct node_run *run)
{
    if (run->phase == PHASE_PASSED)
        return; /* cancelled before it was ready */
    if (run->ready <= w->now) {
        become_ready(w, node, run);
        return;
    }
    run->phase = PHASE_TIMER;
    push_event(w, run->ready, EVENT_READY, node);
}

static HOT void satisfy(struct sl_worker *w, uint32_t node, int64_t at, uint8_t cause,
                        uint32_t behind)
{
    struct node_run *run = &w->run[node];
    /* The latest condition binds; ties go by cause, then by node index. */
    if (at > run->ready || (at == run->ready && (cause < run->cause ||
                                                 (cause == run->cause && behind < run->behind)))) {
        run->ready = at;
        run->cause = cause;
        run->behind = behind;
    }
    if (!--run->pending)
        conditions_met(w, node, run);
}

void sl_instant_satisfy(struct sl_worker *w, uint32_t node, int64_t at, uint8_t cause,
                        uint32_t behind)
{
    satisfy(w, node, at, cause, behind);
}

static HOT void node_passed(struct sl_worker *w, uint32_t node)
{
    const struct node_hot *hot = &w->p->hot[node];
    const struct succ *succ = w->p->succ + hot->succ_first;
    const int64_t *lag = w->p->succ_lag + hot->succ_first;
    w->finish[node] = w->now;
    w->run[node].phase = PHASE_PASSED;
    w->passed++;
    for (uint32_t s = 0; s < hot->succ_count; s++)
        satisfy(w, succ[s].to, succ[s].lagged ? w->now + lag[s] : w->now, succ[s].cause, node);
    if (hot->flags & NODE_FALLBACK)
        sl_fallback_deliver(w, node);
}

/* ---- finishes -------------------------------------------------------------------------------- */

static inline void give_units(struct sl_worker *w, uint32_t node, uint32_t resource, int64_t units)
{
    struct resource_run *r = &w->resources[resource];
    w->log[w->log_count++] =
        (struct release){resource, sl_run_of(w, node), RELEASE_UNITS, true, r->free, r->free + units};
    r->free += units;
    if (!--r->users)
        w->busy[resource] += w->now - r->busy_since;
    w->scan_needed = true;
    open_sublist(w, resource, r);
}

static void give_all_units(struct sl_worker *w, uint32_t node)
{
    const struct range *demand = &w->p->demand[node];
    for (uint32_t k = 0; k < demand->count; k++) {
        const struct sl_demand *d = &w->p->demands[demand->first + k];
        give_units(w, node, d->resource, d->units);
    }
}

/* Workspace in one domain is the usual case. */
static inline void give_workspace(struct sl_worker *w, uint32_t node, uint32_t flags)
{
    const struct need *need = &w->p->need[node];
    if (flags & (NODE_VARIES | NODE_TAKES))
        sl_capacity_give_workspace(w, node);
    else
        return_bytes(w, sl_run_of(w, node), need->domain, PART_WORKSPACE, need->bytes);
}

static inline void take_bytes(struct sl_worker *w, uint32_t node, uint32_t flags)
{
    const struct need *need = &w->p->need[node];
    if (flags & (NODE_VARIES | NODE_TAKES))
        sl_capacity_take(w, node);
    else
        change_level(w, need->domain, PART_WORKSPACE, need->bytes);
}

static HOT void give_simple(struct sl_worker *w, uint32_t node, const struct node_hot *hot)
{
    struct resource_run *r = &w->resources[hot->resource];
    r->free += hot->units;
    if (!--r->users)
        w->busy[hot->resource] += w->now - r->busy_since;
    if (r->release_round != w->round) {
        r->release_round = w->round;
        r->release_node = node;
    }
    if (!r->dirty && r->head < r->tail) {
        r->dirty = true;
        w->dirty[w->dirty_count++] = hot->resource;
    }
}

/* The end of the hold phase: units and the place in S come free. */
static HOT void come_free(struct sl_worker *w, uint32_t node)
{
    const struct node_hot *hot = &w->p->hot[node];
    w->free[node] = w->now;
    if (hot->flags & NODE_LATENT)
        sl_run_freed(w, node);
    if (hot->klass != SL_NONE && w->duration[node])
        class_stopped(w, hot->klass);
    if (hot->flags & NODE_SIMPLE) {
        give_simple(w, node, hot);
        return;
    }
    if (!(hot->flags & NODE_MANY)) {
        if (hot->resource != SL_NONE)
            give_units(w, node, hot->resource, hot->units);
    } else
        give_all_units(w, node);
    if (hot->flags & NODE_OVERLAP && w->duration[node]) {
        uint32_t kind = w->p->overlap_kind[node];
        int64_t running = w->overlap_running[kind]--;
        w->log[w->log_count++] =
            (struct release){kind, sl_run_of(w, node), RELEASE_OVERLAP, true, -running, -running + 1};
        w->scan_needed = true;
    }
}

static HOT void finish_node(struct sl_worker *w, uint32_t node)
{
    struct node_run *run = &w->run[node];
    uint32_t flags = w->p->hot[node].flags;
    if (run->phase == PHASE_HOLDING) {
        come_free(w, node);
        if (flags & NODE_LATENCY && w->latency[node]) {
            run->phase = PHASE_LATENCY;
            push_event(w, w->now + w->latency[node], EVENT_FINISH, node);
            return;
        }
    }
    if (flags & NODE_BYTES)
        give_workspace(w, node, flags);
    if (flags & NODE_GIVES)
        sl_capacity_give(w, node, false);
    if (flags & NODE_EVICT)
        sl_evict_finished(w, node);
    if (!(flags & NODE_LATENT))
        node_passed(w, node);
}

/* Finishes with fixed times come from the heap, contended ones from the cells; both by index. */
static void merged_finishes(struct sl_worker *w, int64_t t)
{
    contend_gather(w, t);
    while (due(w, t, EVENT_FINISH)) {
        w->batch[w->batch_count++] = (uint32_t)w->heap[0].sub;
        pop_event(w);
    }
    sort_batch(w, w->batch_count);
    for (uint32_t k = 0; k < w->batch_count; k++)
        finish_node(w, w->batch[k]);
    w->batch_count = 0;
}

static inline void finishes(struct sl_worker *w, int64_t t)
{
    if (w->cell_next == t) {
        merged_finishes(w, t);
        return;
    }
    while (due(w, t, EVENT_FINISH)) {
        uint32_t node = (uint32_t)w->heap[0].sub;
        pop_event(w);
        finish_node(w, node);
    }
}

/* ---- expiries and skips ---------------------------------------------------------------------- */

/* A skipped fallback that learned of it from its primary's start shares that start's reason. */
static void blame_readiness(struct sl_worker *w, uint32_t node)
{
    const struct node_run *run = &w->run[node];
    if (run->cause == CAUSE_DECISION) {
        w->behind[node] = w->behind[run->behind];
        w->by_free[node] = w->by_free[run->behind];
        w->lag[node] = w->lag[run->behind];
        return;
    }
    w->behind[node] = run->behind;
    w->by_free[node] = 0;
    w->lag[node] = run->behind == SL_NONE ? w->now : w->now - w->finish[run->behind];
}

static void skip_node(struct sl_worker *w, uint32_t node)
{
    uint32_t flags = w->p->hot[node].flags;
    blame_readiness(w, node);
    w->cause[node] = SL_CAUSE_GUARD;
    /* A fallback that is not wanted does not hand its duty on; a failed guard does. */
    bool wanted = !(flags & NODE_FALLBACK) || w->activated[node];
    if (flags & NODE_PRIMARY && wanted) {
        sl_fallback_cancel(w, node, true);
        return;
    }
    w->state[node] = SL_SKIPPED;
    if (flags & NODE_GIVES)
        sl_capacity_give(w, node, true);
    if (flags & NODE_ISSUE)
        sl_waiting_pass_issue(w, node);
    node_passed(w, node);
    if (flags & NODE_PRIMARY)
        sl_fallback_primary_passed(w, node);
}

/* Skips all that are due now, by index; what they bring about is of the next generation. */
static void skip_generation(struct sl_worker *w)
{
    uint32_t count = w->skip_count;
    memcpy(w->batch, w->skips, count * sizeof *w->batch);
    w->skip_count = 0;
    sort_batch(w, count);
    for (uint32_t k = 0; k < count; k++)
        if (w->run[w->batch[k]].phase != PHASE_PASSED) /* cancelled at its latest start meanwhile */
            skip_node(w, w->batch[k]);
}

static inline void expiries(struct sl_worker *w, int64_t t)
{
    while (due(w, t, EVENT_READY)) {
        uint32_t node = (uint32_t)w->heap[0].sub;
        pop_event(w);
        if (w->run[node].phase == PHASE_TIMER)
            become_ready(w, node, &w->run[node]);
    }
    while (w->skip_count)
        skip_generation(w);
}

/* ---- starts ---------------------------------------------------------------------------------- */

static HOT void run_node(struct sl_worker *w, uint32_t node, const struct node_hot *hot)
{
    struct node_run *run = &w->run[node];
    run->phase = PHASE_HOLDING;
    w->state[node] = SL_RAN;
    w->start[node] = w->now;
    if (hot->flags & NODE_REGIME)
        sl_draws_complete(w, node);
    int64_t duration = w->duration[node];
    if (hot->klass != SL_NONE && duration)
        class_started(w, hot->klass);
    if (duration && hot->cell != SL_NONE)
        w->starters[w->starter_count++] = node;
    else
        push_event(w, w->now + duration, EVENT_FINISH, node);
}

static HOT void blame_ready_start(struct sl_worker *w, uint32_t node)
{
    const struct node_run *run = &w->run[node];
    w->cause[node] = run->cause;
    w->behind[node] = run->behind;
    w->by_free[node] = 0;
    w->lag[node] = run->behind == SL_NONE ? w->now : w->now - w->finish[run->behind];
}

static inline void take_units(struct sl_worker *w, struct resource_run *r, int64_t units)
{
    r->free -= units;
    if (!r->users++)
        r->busy_since = w->now;
}

/* Full form, for nodes whose demands sl_waiting_scan has found to be met. */
void sl_instant_start(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    const struct node_hot *hot = &p->hot[node];
    if (w->ready[node] == w->now)
        blame_ready_start(w, node);
    else
        sl_waiting_blame(w, node);
    if (!(hot->flags & NODE_MANY)) {
        if (hot->resource != SL_NONE)
            take_units(w, &w->resources[hot->resource], hot->units);
    } else
        for (uint32_t k = 0; k < p->demand[node].count; k++) {
            const struct sl_demand *d = &p->demands[p->demand[node].first + k];
            take_units(w, &w->resources[d->resource], d->units);
        }
    if (hot->flags & NODE_OVERLAP && w->duration[node])
        w->overlap_running[p->overlap_kind[node]]++;
    if (hot->flags & NODE_EVICT)
        sl_evict_replace(w, node);
    if (hot->flags & NODE_BYTES)
        take_bytes(w, node, hot->flags);
    run_node(w, node, hot);
    if (hot->flags & NODE_EVICT)
        sl_evict_started(w, node);
    if (hot->flags & NODE_ISSUE)
        sl_waiting_pass_issue(w, node);
    if (hot->flags & NODE_PRIMARY)
        sl_fallback_primary_passed(w, node);
}

static HOT void start_simple(struct sl_worker *w, uint32_t node, const struct node_hot *hot,
                             struct resource_run *r)
{
    if (w->ready[node] == w->now)
        blame_ready_start(w, node);
    else {
        w->cause[node] = SL_CAUSE_QUEUE;
        w->behind[node] = r->release_node;
        w->by_free[node] = 1;
        w->lag[node] = 0;
    }
    take_units(w, r, hot->units);
    run_node(w, node, hot);
}

static inline void scan(struct sl_worker *w)
{
    for (uint32_t k = 0; k < w->dirty_count; k++) {
        struct resource_run *r = &w->resources[w->dirty[k]];
        r->dirty = false;
        /* All demand equally much; usually there is room for just one. */
        while (r->free >= r->each && r->head < r->tail) {
            uint32_t node = take_first(w, w->dirty[k], r);
            start_simple(w, node, &w->p->hot[node], r);
        }
    }
    w->dirty_count = 0;
    for (uint32_t k = 0; k < w->free_count; k++) {
        uint32_t node = w->free_ready[k];
        blame_ready_start(w, node);
        run_node(w, node, &w->p->hot[node]);
    }
    w->free_count = 0;
    if (w->complex_waiting)
        sl_waiting_scan(w);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static inline bool more_at(const struct sl_worker *w, int64_t t)
{
    return w->skip_count ||
           (w->heap[0].t == t && w->heap[0].sub >> 32 != (uint64_t)EVENT_LATEST_START);
}

/* Cancels unstarted nodes whose latest start has come, by index; true when there was one. */
static bool latest_starts(struct sl_worker *w, int64_t t)
{
    bool any = false;
    while (due(w, t, EVENT_LATEST_START)) {
        uint32_t node = (uint32_t)w->heap[0].sub;
        pop_event(w);
        if (w->run[node].phase > PHASE_WAITING)
            continue;
        sl_fallback_cancel(w, node, false);
        any = true;
    }
    return any;
}

static void instant(struct sl_worker *w, int64_t t)
{
    w->now = t;
    do {
        do {
            w->log_count = 0;
            finishes(w, t);
            expiries(w, t);
            scan(w);
            w->round++; /* cancellations belong to the round that sees their effect */
        } while (more_at(w, t));
    } while (latest_starts(w, t));
    contend_update(w, t);
    close_classes(w);
}

/* A latest start of a node that has started, the readiness of one that was cancelled, or an opening
 * after the end. */
static inline bool stale(const struct sl_worker *w, struct event event)
{
    uint32_t node = (uint32_t)event.sub;
    if (event.sub >> 32 == EVENT_FINISH)
        return false;
    return w->run[node].phase > PHASE_WAITING || (node == w->p->n && w->passed == w->p->planned);
}

/* The next time at which something happens; INT64_MAX: never. */
static inline int64_t next_time(struct sl_worker *w)
{
    while (w->heap_count && stale(w, w->heap[0]))
        pop_event(w);
    int64_t t = w->heap[0].t;
    return w->cell_next < t ? w->cell_next : t;
}

static void begin(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    for (uint32_t i = 0; p->fallback && i < p->n; i++)
        if (p->latest_start[i] != INT64_MAX && !(p->hot[i].flags & NODE_FALLBACK))
            push_event(w, p->latest_start[i], EVENT_LATEST_START, i);
    w->run[p->n] = (struct node_run){.phase = PHASE_TIMER};
    for (uint32_t k = 0; k < p->opening_count; k++)
        push_event(w, p->openings[k], EVENT_READY, p->n);
    for (uint32_t k = 0; k < p->root_count; k++)
        conditions_met(w, p->roots[k], &w->run[p->roots[k]]);
}

/* Names the node whose event is past the end of time; a contended one has none in the heap. */
static void out_of_time(struct sl_worker *w)
{
    uint32_t node = w->heap_count ? (uint32_t)w->heap[0].sub : w->p->n;
    bool named = w->heap_count && w->heap[0].t >= SL_TIME_LIMIT && node < w->p->n;
    sl_worker_fault(w, "simulated time exceeds 2^62 ps (53 days)%s%s%s",
                    named ? " with node '" : "", named ? w->p->graph->nodes[node].name : "",
                    named ? "'" : "");
}

void sl_instant_loop(struct sl_worker *w)
{
    begin(w);
    int64_t t = 0;
    while (t != INT64_MAX && !w->fault && !w->stopped) {
        if (t >= SL_TIME_LIMIT) {
            out_of_time(w);
            return;
        }
        instant(w, t);
        if (w->p->brisk)
            sl_compact_run_brisk(w);
        t = next_time(w);
    }
}
