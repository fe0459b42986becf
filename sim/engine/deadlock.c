/* Why a trial cannot go on: a cycle of the wait-for relation by name, or, where there is none, a
 * demand that can never be met.
 *
 * Nothing runs in a deadlock, so all units are free: what is left to wait for is a predecessor, a
 * turn in an issue order or a strict queue, or bytes that some later node would give back. */
#include "evict.h"
#include "units.h"
#include "waits.h"

static bool open_node(const struct sl_worker *w, uint32_t node)
{
    return w->run[node].phase != PHASE_PASSED;
}

/* Who now owes what `node` owed: itself, or the fallback that took its duty over. */
static uint32_t debtor(const struct sl_worker *w, uint32_t node)
{
    while (w->state[node] == SL_CANCELLED)
        node = w->p->fallback[node];
    return node;
}

/* What brings the first of the copies that it gathers. */
static bool next_return(const struct sl_worker *w, uint32_t node, struct wait *wait)
{
    wait->kind = WAIT_RETURN;
    wait->target = wait->cursor++ ? SL_NONE : sl_evict_awaited(w, node);
    return wait->target != SL_NONE;
}

static bool next_condition(const struct sl_worker *w, uint32_t node, struct wait *wait)
{
    if (w->evict && w->evict->gathering[node])
        return next_return(w, node, wait);
    const struct sl_graph *g = w->p->graph;
    uint32_t first = g->pred_start[node], preds = g->pred_start[node + 1] - first;
    while (wait->cursor < preds) {
        const struct sl_edge *edge = &g->edges[g->pred_edges[first + wait->cursor++]];
        wait->kind = WAIT_EDGE;
        wait->target = debtor(w, edge->from.i);
        if (!edge->next && open_node(w, wait->target) && wait->target != node)
            return true;
    }
    if (wait->cursor == preds) {
        wait->cursor++;
        wait->kind = WAIT_LANE;
        wait->target = w->p->lane_before[node];
        if (wait->target != SL_NONE && open_node(w, wait->target))
            return true;
    }
    while (w->p->fallback && wait->cursor - preds - 1 < w->p->n) {
        wait->kind = WAIT_PRIMARY;
        wait->target = wait->cursor++ - preds - 1;
        if (w->p->fallback[wait->target] == node && open_node(w, wait->target))
            return true;
    }
    return false;
}

/* Bytes that `node` lacks in a domain; 0: enough is free. */
static int64_t lacking(const struct sl_worker *w, uint32_t node, uint32_t domain)
{
    const struct range *range = &w->p->amount[node];
    for (uint32_t at = 0, next; at < range->count; at = next) {
        uint32_t m = w->p->amounts[range->first + at].domain;
        int64_t want = sl_capacity_want(w, node, at, &next);
        if (m == domain && want > w->domains[m].limit - w->domains[m].level)
            return want;
    }
    return 0;
}

static bool next_turn(const struct sl_worker *w, uint32_t node, struct wait *wait)
{
    if (wait->cursor++)
        return false;
    wait->target = sl_waiting_blocker(w, node);
    wait->kind = w->p->hot[node].flags & NODE_ISSUE ? WAIT_TURN : WAIT_STRICT;
    return wait->target != SL_NONE;
}

/* A holding that some later node gives back; those that `node` would give back itself come last,
 * since they explain least. */
static bool next_holding(const struct sl_worker *w, uint32_t node, struct wait *wait)
{
    const struct sl_program *p = w->p;
    uint32_t holdings = p->graph->holding_count;
    for (; wait->cursor <= 2 * holdings; wait->cursor++) {
        uint32_t h = (wait->cursor - 1) % holdings;
        bool own = wait->cursor > holdings;
        if (!w->held[h] || !lacking(w, node, p->graph->holdings[h].domain))
            continue;
        for (uint32_t k = 0; k < p->giver[h].count; k++) {
            uint32_t giver = p->givers[p->giver[h].first + k];
            if (!open_node(w, giver) || (giver == node) != own)
                continue;
            wait->kind = WAIT_BYTES;
            wait->target = giver;
            wait->holding = h;
            wait->cursor++;
            return true;
        }
    }
    return false;
}

/* The next thing that `node` waits for; false: there is no further one. */
static bool next_wait(const struct sl_waits *waits, uint32_t node, struct wait *wait)
{
    const struct sl_worker *w = waits->user;
    if (w->run[node].phase == PHASE_PENDING)
        return next_condition(w, node, wait);
    if (w->run[node].phase != PHASE_WAITING)
        return false;
    if (!wait->cursor && next_turn(w, node, wait))
        return true;
    return next_holding(w, node, wait);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void say_name(struct sl_waits *waits, uint32_t node)
{
    const struct sl_worker *w = waits->user;
    sl_waits_say(waits, "%s", w->p->graph->nodes[node].name);
}

static const char *list_name(const struct sl_waits *waits, uint32_t node)
{
    const struct sl_worker *w = waits->user;
    uint32_t r = w->p->hot[node].resource;
    return r == SL_NONE ? "the fifo list" : w->p->graph->platform->resource_names.names[r];
}

static void say_bytes(struct sl_waits *waits, uint32_t node, const struct wait *wait)
{
    const struct sl_worker *w = waits->user;
    const struct sl_graph *g = w->p->graph;
    const struct sl_holding *holding = &g->holdings[wait->holding];
    char text[32];
    sl_format_bytes(text, sizeof text, (double)lacking(w, node, holding->domain));
    sl_waits_say(waits, "waits for %s of %s held by ", text,
        g->platform->domain_names.names[holding->domain]);
    uint32_t holder = w->holder[wait->holding];
    if (holder != SL_NONE)
        sl_waits_say(waits, "%s", g->nodes[holder].name);
    else
        sl_waits_say(waits, "%s since the start",
            holding->object.i == SL_NONE ? "staging" : g->objects[holding->object.i].name);
    sl_waits_say(waits, " (%s by %s)", holding->kind == SL_HOLD_STAGING ? "released" : "reclaimed",
        g->nodes[wait->target].name);
}

/* A demand beyond what the machine has; with `held` also beyond what will ever be given back. */
static bool say_impossible(struct sl_waits *waits, uint32_t node, bool held)
{
    const struct sl_worker *w = waits->user;
    const struct sl_program *p = w->p;
    const struct sl_graph *g = p->graph;
    const char *name = g->nodes[node].name;
    for (uint32_t k = 0; k < p->demand[node].count; k++) {
        const struct sl_demand *d = &p->demands[p->demand[node].first + k];
        if (d->units > p->resources[d->resource].units) {
            sl_waits_say(waits, "%s demands %u units of %s, which has %lld: this can never be met", name,
                d->units, g->platform->resource_names.names[d->resource],
                (long long)p->resources[d->resource].units);
            return true;
        }
    }
    for (uint32_t m = 0; m < p->domain_count; m++) {
        int64_t want = lacking(w, node, m);
        if (!want || (!held && want <= w->domains[m].limit))
            continue;
        char wanted[32], limit[32], level[32];
        sl_format_bytes(wanted, sizeof wanted, (double)want);
        sl_format_bytes(limit, sizeof limit, (double)w->domains[m].limit);
        sl_format_bytes(level, sizeof level, (double)w->domains[m].level);
        sl_waits_say(waits, "%s demands %s of %s, of which %s are usable and %s are held", name, wanted,
            g->platform->domain_names.names[m], limit, level);
        sl_waits_say(waits, "%s: this can never be met",
            want > w->domains[m].limit ? "" : " with nothing left to give them back");
        return true;
    }
    return false;
}

static bool is_open(const struct sl_waits *waits, uint32_t node)
{
    return open_node(waits->user, node);
}

static bool is_waiting(const struct sl_waits *waits, uint32_t node)
{
    const struct sl_worker *w = waits->user;
    return w->run[node].phase == PHASE_WAITING;
}

void sl_deadlock_report(struct sl_worker *w)
{
    struct sl_waits waits = {
        .user = w,
        .count = w->p->n,
        .next = next_wait,
        .is_open = is_open,
        .is_waiting = is_waiting,
        .say_name = say_name,
        .say_bytes = say_bytes,
        .list_name = list_name,
        .waits = w->waits,
        .mark = w->mark,
        .queue = w->queue,
        .origin = w->origin,
        .text = w->deadlock,
    };
    w->deadlock[0] = '\0';
    w->record.deadlock = w->deadlock;
    if (w->stopped) {
        w->record.livelock = true;
        snprintf(w->deadlock, SL_DEADLOCK_TEXT, "%s", w->evict->livelock);
        return;
    }
    /* A demand that can never be met is the root of whatever waits for it. */
    for (uint32_t i = 0; i < w->p->n; i++)
        if (w->run[i].phase == PHASE_WAITING && say_impossible(&waits, i, false))
            return;
    if (sl_waits_report(&waits))
        return;
    for (uint32_t i = 0; i < w->p->n; i++)
        if (w->run[i].phase == PHASE_WAITING && say_impossible(&waits, i, true))
            return;
    sl_waits_say(&waits, "nothing can run, and %u nodes are unfinished", w->p->planned - w->passed);
}
