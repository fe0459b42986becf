/* Why a trial cannot go on: a cycle of the wait-for relation by name, or, where there is none, a
 * demand that can never be met.
 *
 * Nothing runs in a deadlock, so all units are free: what is left to wait for is a predecessor, a
 * turn in an issue order or a strict queue, or bytes that some later node would give back. */
#include "evict.h"
#include "units.h"
#include <stdarg.h>
#include <string.h>

#define MUTUAL_TRIES 64 /* nodes from which a mutual wait is searched; each search is linear */

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
static bool next_wait(const struct sl_worker *w, uint32_t node, struct wait *wait)
{
    if (w->run[node].phase == PHASE_PENDING)
        return next_condition(w, node, wait);
    if (w->run[node].phase != PHASE_WAITING)
        return false;
    if (!wait->cursor && next_turn(w, node, wait))
        return true;
    return next_holding(w, node, wait);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void say(struct sl_worker *w, size_t *length, const char *format, ...) SL_PRINTF(3, 4);
static void say(struct sl_worker *w, size_t *length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(w->deadlock + *length, SL_DEADLOCK_TEXT - *length, format, args);
    va_end(args);
    if (more > 0)
        *length += (size_t)more;
    if (*length > SL_DEADLOCK_TEXT - 1)
        *length = SL_DEADLOCK_TEXT - 1;
}

static void say_bytes(struct sl_worker *w, size_t *length, uint32_t node, const struct wait *wait)
{
    const struct sl_graph *g = w->p->graph;
    const struct sl_holding *holding = &g->holdings[wait->holding];
    char text[32];
    sl_format_bytes(text, sizeof text, (double)lacking(w, node, holding->domain));
    say(w, length, "waits for %s of %s held by ", text,
        g->platform->domain_names.names[holding->domain]);
    uint32_t holder = w->holder[wait->holding];
    if (holder != SL_NONE)
        say(w, length, "%s", g->nodes[holder].name);
    else
        say(w, length, "%s since the start",
            holding->object.i == SL_NONE ? "staging" : g->objects[holding->object.i].name);
    say(w, length, " (%s by %s)", holding->kind == SL_HOLD_STAGING ? "released" : "reclaimed",
        g->nodes[wait->target].name);
}

static void say_wait(struct sl_worker *w, size_t *length, uint32_t node, const struct wait *wait)
{
    const struct sl_graph *g = w->p->graph;
    const char *target = g->nodes[wait->target].name;
    uint32_t r = w->p->hot[node].resource;
    const char *resource = r == SL_NONE ? "the fifo list" : g->platform->resource_names.names[r];
    switch (wait->kind) {
    case WAIT_EDGE:
        say(w, length, "waits for %s", target);
        break;
    case WAIT_RETURN:
        say(w, length, "waits for what %s brings", target);
        break;
    case WAIT_LANE:
        say(w, length, "waits for %s in its lane", target);
        break;
    case WAIT_PRIMARY:
        say(w, length, "waits to know whether %s runs", target);
        break;
    case WAIT_TURN:
        say(w, length, "waits for its turn on %s after %s", resource, target);
        break;
    case WAIT_STRICT:
        say(w, length, "waits in the strict queue of %s behind %s", resource, target);
        break;
    case WAIT_BYTES:
        say_bytes(w, length, node, wait);
        break;
    }
}

/* Waits for edges and lanes in a row: a longer one is told by its ends. */
enum { TOLD_IN_FULL = 3 };
struct telling {
    size_t said;
    uint32_t count; /* of the row */
    uint32_t nodes[TOLD_IN_FULL];
    const struct wait *waits[TOLD_IN_FULL], *last;
};

static void say_next(struct sl_worker *w, struct telling *t, uint32_t node, const struct wait *wait)
{
    if (t->said == 0)
        say(w, &t->said, "%s ", w->p->graph->nodes[node].name);
    else
        say(w, &t->said, ", which ");
    say_wait(w, &t->said, node, wait);
}

static void end_row(struct sl_worker *w, struct telling *t)
{
    if (t->count > TOLD_IN_FULL)
        say(w, &t->said, ", which waits, over %u nodes between, for %s", t->count - 1,
            w->p->graph->nodes[t->last->target].name);
    for (uint32_t k = 0; k < t->count && t->count <= TOLD_IN_FULL; k++)
        say_next(w, t, t->nodes[k], t->waits[k]);
    t->count = 0;
}

static void tell(struct sl_worker *w, struct telling *t, uint32_t node, const struct wait *wait)
{
    bool in_row = t->said > 0 && (wait->kind == WAIT_EDGE || wait->kind == WAIT_LANE);
    if (!in_row) {
        end_row(w, t);
        say_next(w, t, node, wait);
        return;
    }
    if (t->count < TOLD_IN_FULL) {
        t->nodes[t->count] = node;
        t->waits[t->count] = wait;
    }
    t->last = wait;
    t->count++;
}

/* path[k] waits for path[k + 1] for the reason waits[k], the last for the first.  The text begins,
 * if it can, with a node that waits for bytes. */
static void say_cycle(struct sl_worker *w, const uint32_t *path, const struct wait *waits,
                      uint32_t length)
{
    uint32_t begin = 0;
    struct telling telling = {0};
    for (uint32_t k = length; k-- > 0;)
        if (waits[k].kind == WAIT_BYTES)
            begin = k;
    for (uint32_t k = 0; k < length; k++)
        tell(w, &telling, path[(begin + k) % length], &waits[(begin + k) % length]);
    end_row(w, &telling);
}

/* The way that the breadth-first search found from `start` to the state `last`. */
static void say_way(struct sl_worker *w, uint32_t start, uint32_t last)
{
    uint32_t n = w->p->n, length = 0;
    struct telling telling = {0};
    for (uint32_t state = last; state != start; state = w->origin[state])
        w->queue[length++] = state; /* the search is over: its queue is free */
    for (uint32_t k = length; k-- > 0;)
        tell(w, &telling, w->origin[w->queue[k]] % n, &w->waits[w->queue[k]]);
    end_row(w, &telling);
}

/* A demand beyond what the machine has; with `held` also beyond what will ever be given back. */
static bool say_impossible(struct sl_worker *w, uint32_t node, bool held)
{
    const struct sl_program *p = w->p;
    const struct sl_graph *g = p->graph;
    const char *name = g->nodes[node].name;
    size_t said = 0;
    for (uint32_t k = 0; k < p->demand[node].count; k++) {
        const struct sl_demand *d = &p->demands[p->demand[node].first + k];
        if (d->units > p->resources[d->resource].units) {
            say(w, &said, "%s demands %u units of %s, which has %lld: this can never be met", name,
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
        say(w, &said, "%s demands %s of %s, of which %s are usable and %s are held", name, wanted,
            g->platform->domain_names.names[m], limit, level);
        say(w, &said, "%s: this can never be met",
            want > w->domains[m].limit ? "" : " with nothing left to give them back");
        return true;
    }
    return false;
}

/* ---- search ---------------------------------------------------------------------------------- */

/* Breadth first from `start` back to it through at least one other node that waits for bytes or a
 * turn: who waits for bytes would be content with any of several givers, and the giver that itself
 * waits for `start` explains nothing.  A state is (node, whether another waiting node lies behind).
 */
static bool find_mutual(struct sl_worker *w, uint32_t start)
{
    uint32_t head = 0, tail = 1, n = w->p->n;
    memset(w->mark, 0, 2 * (size_t)n);
    w->queue[0] = start;
    w->mark[start] = 1;
    while (head < tail) {
        uint32_t state = w->queue[head++], node = state % n;
        struct wait wait = {0};
        while (next_wait(w, node, &wait)) {
            bool other = state >= n || (node != start && w->run[node].phase == PHASE_WAITING);
            uint32_t next = wait.target + (other ? n : 0);
            if (w->mark[next])
                continue;
            w->mark[next] = 1;
            w->origin[next] = state;
            w->waits[next] = wait;
            if (next == start + n) {
                say_way(w, start, next);
                return true;
            }
            w->queue[tail++] = next;
        }
    }
    return false;
}

/* Depth first along the wait-for relation; reports the first cycle met. */
static bool find_cycle(struct sl_worker *w, uint32_t start)
{
    enum { UNSEEN, ON_PATH, LEFT };
    uint32_t *path = w->queue, count = 1;
    struct wait *waits = w->waits;
    path[0] = start;
    waits[0] = (struct wait){0};
    w->mark[start] = ON_PATH;
    while (count) {
        uint32_t node = path[count - 1];
        if (!next_wait(w, node, &waits[count - 1])) {
            w->mark[node] = LEFT;
            count--;
            continue;
        }
        uint32_t target = waits[count - 1].target;
        if (w->mark[target] == UNSEEN) {
            w->mark[target] = ON_PATH;
            path[count] = target;
            waits[count++] = (struct wait){0};
        } else if (w->mark[target] == ON_PATH) {
            uint32_t first = count - 1;
            while (path[first] != target)
                first--;
            say_cycle(w, path + first, waits + first, count - first);
            return true;
        }
    }
    return false;
}

static bool report_cycle(struct sl_worker *w)
{
    uint32_t tries = 0;
    for (uint32_t i = 0; i < w->p->n && tries < MUTUAL_TRIES; i++)
        if (w->run[i].phase == PHASE_WAITING && tries++ < MUTUAL_TRIES && find_mutual(w, i))
            return true;
    memset(w->mark, 0, w->p->n);
    for (unsigned waiting = 2; waiting-- > 0;)
        for (uint32_t i = 0; i < w->p->n; i++)
            if (!w->mark[i] && open_node(w, i) &&
                (w->run[i].phase == PHASE_WAITING) == (waiting == 1) && find_cycle(w, i))
                return true;
    return false;
}

void sl_deadlock_report(struct sl_worker *w)
{
    w->deadlock[0] = '\0';
    w->record.deadlock = w->deadlock;
    if (w->stopped) {
        w->record.livelock = true;
        snprintf(w->deadlock, SL_DEADLOCK_TEXT, "%s", w->evict->livelock);
        return;
    }
    /* A demand that can never be met is the root of whatever waits for it. */
    for (uint32_t i = 0; i < w->p->n; i++)
        if (w->run[i].phase == PHASE_WAITING && say_impossible(w, i, false))
            return;
    if (report_cycle(w))
        return;
    for (uint32_t i = 0; i < w->p->n; i++)
        if (w->run[i].phase == PHASE_WAITING && say_impossible(w, i, true))
            return;
    size_t said = 0;
    say(w, &said, "nothing can run, and %u nodes are unfinished", w->p->planned - w->passed);
}
