/* See reference_sim.h.  Everything is recomputed from scratch at every step. */
#include "reference_sim.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum status { NOT_READY, WAITING, HOLDING, IN_LATENCY, GONE };
enum reason { MET, OUT_OF_TURN, BEHIND_ONE, NO_UNITS, NO_BYTES, NOT_BESIDE };

struct cell {
    uint32_t klass;
    uint64_t groups;
    double clock, kappa;
    int64_t since;
};

/* What is free after each node of this round's first two steps has given back. */
struct snapshot {
    uint32_t node;
    int64_t units[REF_MOST], room[REF_MOST];
    bool running[REF_NODES];
};

struct sim {
    const struct sl_graph *g;
    const struct sl_platform *platform;
    const struct sl_engine_options *options;
    struct ref_result *out;
    uint32_t base, n; /* nodes of one iteration, and of all: i is node i % base of iteration i / base */
    int64_t now;
    enum status status[REF_NODES];
    enum reason reason[REF_NODES], last_reason[REF_NODES];
    int64_t end[REF_NODES]; /* of a fixed hold or latency; -1: contended */
    double target[REF_NODES];
    bool entering[REF_NODES]; /* started at this instant, not yet in its cell */
    bool once; /* edges of scope next do not count */
    uint64_t passed_at[REF_NODES], done_at[REF_NODES], passes; /* order of starts, and of ends */
    double rank[REF_NODES]; /* upward; -1: not known yet */
    bool held[REF_HOLDINGS];
    int64_t level[REF_MOST];
    struct cell cells[REF_NODES];
    uint32_t cell_count;
    uint64_t touched;
    struct snapshot shots[2 * REF_NODES + 1];
    uint32_t shot_count;
    uint32_t started[REF_NODES], started_count; /* by this scan of one list */
};

/* ---- facts about nodes ------------------------------------------------------------------------
 */

static const struct sl_node *node_of(const struct sim *s, uint32_t i)
{
    return &s->g->nodes[i % s->base];
}

static uint32_t fallback_of(const struct sim *s, uint32_t i)
{
    uint32_t fallback = node_of(s, i)->fallback.i;
    return fallback == SL_NONE ? SL_NONE : i / s->base * s->base + fallback;
}

/* The node that an edge into `i` comes from; SL_NONE: it does not end there, or comes from before the
 * first iteration. */
static uint32_t source(const struct sim *s, const struct sl_edge *edge, uint32_t i)
{
    uint32_t iteration = i / s->base;
    if (edge->to.i != i % s->base || edge->next > iteration || (edge->next && s->once))
        return SL_NONE;
    return (iteration - edge->next) * s->base + edge->from.i;
}

/* Every iteration has holdings of its own, but for those that nobody ever gives back. */
static uint32_t holding_of(const struct sim *s, uint32_t i, uint32_t h)
{
    for (uint32_t j = 0; j < s->base; j++)
        for (uint32_t k = 0; k < s->g->nodes[j].gives.count; k++)
            if (s->g->holdings_pool[s->g->nodes[j].gives.first + k] == h)
                return i / s->base * s->g->holding_count + h;
    return h;
}

static uint32_t first_resource(const struct sim *s, uint32_t i)
{
    const struct sl_node *node = node_of(s, i);
    return node->demands.count ? s->g->demands[node->demands.first].resource : SL_NONE;
}

static enum sl_order order_of(const struct sim *s, uint32_t i)
{
    uint32_t r = first_resource(s, i);
    if (r == SL_NONE)
        return SL_ORDER_FIFO;
    return s->options->dispatch_given ? s->options->dispatch : s->platform->resources[r].order;
}

static uint64_t groups_of(const struct sim *s, uint32_t i)
{
    uint64_t groups = 0;
    for (uint32_t k = 0; k < node_of(s, i)->demands.count; k++)
        groups |=
            s->platform->resources[s->g->demands[node_of(s, i)->demands.first + k].resource].groups;
    return groups;
}

static bool contends(const struct sim *s, uint32_t i)
{
    return node_of(s, i)->klass != SL_NONE && groups_of(s, i) && s->out->nodes[i].duration > 0 &&
           !sl_kappa_is_trivial(&s->platform->kappa);
}

static bool demands_resource(const struct sim *s, uint32_t i, uint32_t r)
{
    for (uint32_t k = 0; k < node_of(s, i)->demands.count; k++)
        if (s->g->demands[node_of(s, i)->demands.first + k].resource == r)
            return true;
    return false;
}

static int64_t holding_bytes(const struct sim *s, uint32_t h)
{
    const struct sl_holding *holding = &s->g->holdings[h];
    int64_t unit = s->platform->domains[holding->domain].rounding;
    if (holding->kind == SL_HOLD_STAGING || unit <= 1)
        return holding->bytes;
    return (holding->bytes + unit - 1) / unit * unit;
}

static bool demands_domain(const struct sim *s, uint32_t i, uint32_t m)
{
    const struct sl_node *node = node_of(s, i);
    for (uint32_t k = 0; k < node->workspace.count; k++)
        if (s->g->amounts[node->workspace.first + k].domain == m)
            return true;
    for (uint32_t k = 0; k < node->takes.count; k++)
        if (s->g->holdings[s->g->holdings_pool[node->takes.first + k]].domain == m)
            return true;
    return false;
}

static int64_t bytes_wanted(const struct sim *s, uint32_t i, uint32_t m)
{
    const struct sl_node *node = node_of(s, i);
    int64_t want = 0;
    for (uint32_t k = 0; k < node->workspace.count; k++)
        if (s->g->amounts[node->workspace.first + k].domain == m)
            want += s->g->amounts[node->workspace.first + k].bytes;
    for (uint32_t k = 0; k < node->takes.count; k++) {
        uint32_t h = s->g->holdings_pool[node->takes.first + k];
        if (s->g->holdings[h].domain == m && !s->held[holding_of(s, i, h)])
            want += holding_bytes(s, h);
    }
    return want;
}

static bool compete(const struct sim *s, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < s->platform->resource_names.count; r++)
        if (demands_resource(s, a, r) && demands_resource(s, b, r))
            return true;
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        if (demands_domain(s, a, m) && demands_domain(s, b, m))
            return true;
    return false;
}

static bool names(const struct sim *s, uint32_t i, const char *name)
{
    const struct sl_node *node = node_of(s, i);
    return !strcmp(node->name, name) ||
           (node->klass != SL_NONE && !strcmp(s->platform->kappa.classes.names[node->klass], name));
}

/* Does the row keep its pair apart for starts at t? */
static bool row_forbids(const struct sl_overlap *row, int64_t t)
{
    return !row->allowed || t < row->earliest_ps || t > row->latest_ps;
}

/* Must neither of the two start now while the other runs? */
static bool must_not_overlap(const struct sim *s, uint32_t a, uint32_t b)
{
    const struct sl_kappa *kappa = &s->platform->kappa;
    uint32_t x = node_of(s, a)->klass, y = node_of(s, b)->klass;
    if (kappa->unknown == SL_UNKNOWN_FORBID && x != SL_NONE && y != SL_NONE &&
        groups_of(s, a) & groups_of(s, b) &&
        (sl_kappa_unknown_pair(kappa, x, y) || sl_kappa_unknown_pair(kappa, y, x)))
        return true;
    for (uint32_t o = 0; o < s->g->overlap_count; o++) {
        const struct sl_overlap *row = &s->g->overlaps[o];
        if (row_forbids(row, s->now) && ((names(s, a, row->a) && names(s, b, row->b)) ||
                                         (names(s, a, row->b) && names(s, b, row->a))))
            return true;
    }
    return false;
}

static double mean_of(const struct sim *s, uint32_t i)
{
    sl_node_id node = {i % s->base};
    return sl_node_mean_hold(s->g, node) + sl_node_mean_latency(s->g, node);
}

static uint32_t lane_predecessor(const struct sim *s, uint32_t i)
{
    for (uint32_t j = i; j-- > 0;)
        if (node_of(s, i)->lane != SL_NONE && node_of(s, j)->lane == node_of(s, i)->lane)
            return j;
    return SL_NONE;
}

static double upward_rank(struct sim *s, uint32_t i)
{
    double longest = 0;
    if (s->rank[i] >= 0)
        return s->rank[i];
    for (uint32_t e = 0; e < s->g->edge_count; e++)
        for (uint32_t j = 0; j < s->n; j++)
            if (source(s, &s->g->edges[e], j) == i)
                longest = fmax(longest, (double)s->g->edges[e].lag_ps + upward_rank(s, j));
    for (uint32_t j = i + 1; j < s->n; j++)
        if (lane_predecessor(s, j) == i)
            longest = fmax(longest, upward_rank(s, j));
    return s->rank[i] = mean_of(s, i) + longest;
}

/* Smaller first. */
static double key_of(const struct sim *s, uint32_t i)
{
    const struct sl_node *node = node_of(s, i);
    switch (order_of(s, i)) {
    case SL_ORDER_PRIORITY: {
        uint32_t r = first_resource(s, i);
        int64_t aging =
            s->options->aging_given ? s->options->aging_ps : s->platform->resources[r].aging_ps;
        double more =
            aging > 0 ? floor((double)(s->now - s->out->nodes[i].ready) / (double)aging) : 0;
        return -(node->priority + more);
    }
    case SL_ORDER_EDF:
        return (double)node->deadline_ps;
    case SL_ORDER_SJF:
        return mean_of(s, i);
    case SL_ORDER_CRITICAL_PATH:
        return -s->rank[i];
    case SL_ORDER_ISSUE:
        return i;
    default:
        return 0;
    }
}

static bool comes_before(const struct sim *s, uint32_t a, uint32_t b)
{
    double x = key_of(s, a), y = key_of(s, b);
    if (x != y)
        return x < y;
    if (order_of(s, a) == SL_ORDER_CRITICAL_PATH)
        return a < b;
    if (s->out->nodes[a].ready != s->out->nodes[b].ready)
        return s->out->nodes[a].ready < s->out->nodes[b].ready;
    return a < b;
}

/* ---- what is free ------------------------------------------------------------------------------
 */

static int64_t units_free(const struct sim *s, uint32_t r)
{
    const struct sl_resource *resource = &s->platform->resources[r];
    int64_t used = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; s->status[i] == HOLDING && k < node_of(s, i)->demands.count; k++) {
            const struct sl_demand *d = &s->g->demands[node_of(s, i)->demands.first + k];
            used += d->resource == r ? d->units : 0;
        }
    return resource->servers == SL_UNLIMITED ? INT64_MAX / 4 : (int64_t)resource->servers - used;
}

static int64_t room(const struct sim *s, uint32_t m)
{
    const struct sl_domain *domain = &s->platform->domains[m];
    return domain->capacity < 0 ? INT64_MAX / 4 : domain->capacity - domain->reserve - s->level[m];
}

static void take_snapshot(struct sim *s, uint32_t node)
{
    struct snapshot *shot = &s->shots[s->shot_count++];
    shot->node = node;
    for (uint32_t r = 0; r < s->platform->resource_names.count; r++)
        shot->units[r] = units_free(s, r);
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        shot->room[m] = room(s, m);
    for (uint32_t i = 0; i < s->n; i++)
        shot->running[i] = s->status[i] == HOLDING && s->out->nodes[i].duration > 0;
}

/* ---- readiness ---------------------------------------------------------------------------------
 */

static int cause_of_edge(const struct sim *s, const struct sl_edge *edge)
{
    static const int causes[] = {SL_CAUSE_DATA,     SL_CAUSE_STORAGE, SL_CAUSE_ORDERING,
                                 SL_CAUSE_LIFETIME, SL_CAUSE_BARRIER, SL_CAUSE_CAPACITY};
    if (edge->type == SL_EDGE_DATA && node_of(s, edge->from.i)->kind == SL_BARRIER)
        return SL_CAUSE_BARRIER;
    return causes[edge->type];
}

struct readiness {
    int64_t at;
    int cause;
    uint32_t behind;
};

static void condition(struct readiness *best, int64_t at, int cause, uint32_t behind)
{
    bool later = at > best->at;
    bool tie =
        at == best->at && (cause < best->cause || (cause == best->cause && behind < best->behind));
    if (later || tie)
        *best = (struct readiness){at, cause, behind};
}

/* Whose passing lets the successors of `node` go: itself or, once cancelled, the last to pass of
 * the chain of fallbacks down to one that was not cancelled.  SL_NONE: not yet. */
static uint32_t stands_for(const struct sim *s, uint32_t node)
{
    uint32_t last = node;
    for (;;) {
        if (s->status[node] != GONE)
            return SL_NONE;
        if (s->done_at[node] > s->done_at[last])
            last = node;
        if (s->out->nodes[node].state != SL_CANCELLED)
            return last;
        node = fallback_of(s, node);
    }
}

/* 1: some primary was cancelled; -1: all passed without need; 0: undecided or no fallback. */
static int decision(const struct sim *s, uint32_t i, uint32_t *by)
{
    bool all = true;
    *by = SL_NONE;
    for (uint32_t p = 0; p < s->n; p++) {
        if (fallback_of(s, p) != i)
            continue;
        bool passed = s->status[p] >= HOLDING;
        bool cancelled = passed && s->out->nodes[p].state == SL_CANCELLED;
        all &= passed;
        if (cancelled && (*by == SL_NONE || s->passed_at[p] < s->passed_at[*by]))
            *by = p;
    }
    if (*by != SL_NONE)
        return 1;
    for (uint32_t p = 0; all && p < s->n; p++)
        if (fallback_of(s, p) == i &&
            (*by == SL_NONE || s->passed_at[p] > s->passed_at[*by]))
            *by = p;
    return all ? -1 : 0;
}

static bool is_fallback(const struct sim *s, uint32_t i)
{
    for (uint32_t p = 0; p < s->n; p++)
        if (fallback_of(s, p) == i)
            return true;
    return false;
}

/* True when every condition of `i` has a time; *skip: it will be skipped. */
static bool conditions(const struct sim *s, uint32_t i, struct readiness *best, bool *skip)
{
    *best = (struct readiness){0, SL_CAUSE_NONE, SL_NONE};
    *skip = !s->out->nodes[i].guard_holds;
    for (uint32_t e = 0; e < s->g->edge_count; e++) {
        const struct sl_edge *edge = &s->g->edges[e];
        uint32_t from = source(s, edge, i);
        if (from == SL_NONE)
            continue;
        uint32_t by = fallback_of(s, from) == i && s->status[from] == GONE
                          ? from
                          : stands_for(s, from);
        if (by == SL_NONE)
            return false;
        condition(best, s->out->nodes[by].finish + edge->lag_ps, cause_of_edge(s, edge), by);
    }
    uint32_t lane = lane_predecessor(s, i);
    if (lane != SL_NONE) {
        if (s->status[lane] != GONE)
            return false;
        condition(best, s->out->nodes[lane].finish, SL_CAUSE_LANE, lane);
    }
    if (is_fallback(s, i)) {
        uint32_t by;
        int needed = decision(s, i, &by);
        if (!needed)
            return false;
        const struct ref_node *primary = &s->out->nodes[by];
        if (needed > 0)
            condition(best, primary->finish,
                      primary->cause == SL_CAUSE_GUARD ? SL_CAUSE_GUARD : SL_CAUSE_RELEASE, by);
        else {
            *skip = true;
            condition(best, primary->state == SL_RAN ? primary->start : primary->finish, 254, by);
        }
    }
    if (!*skip && node_of(s, i)->release_ps)
        condition(best, node_of(s, i)->release_ps, SL_CAUSE_RELEASE, SL_NONE);
    return true;
}

static void blame(struct sim *s, uint32_t i, int cause, uint32_t behind, int by_free)
{
    struct ref_node *node = &s->out->nodes[i];
    node->cause = cause;
    node->behind = behind;
    node->by_free = by_free;
    int64_t end = 0;
    if (behind != SL_NONE)
        end = by_free ? s->out->nodes[behind].free : s->out->nodes[behind].finish;
    node->lag = s->now - end;
}

static void blame_like(struct sim *s, uint32_t i, int cause, uint32_t other)
{
    const struct ref_node *like = &s->out->nodes[other];
    blame(s, i, cause, like->behind, like->by_free);
}

static void pass(struct sim *s, uint32_t i)
{
    s->passed_at[i] = ++s->passes;
}

/* ---- steps of an instant ------------------------------------------------------------------------
 */

static struct cell *cell_of(struct sim *s, uint32_t i)
{
    for (uint32_t c = 0; c < s->cell_count; c++)
        if (s->cells[c].klass == node_of(s, i)->klass && s->cells[c].groups == groups_of(s, i))
            return &s->cells[c];
    s->cells[s->cell_count] = (struct cell){node_of(s, i)->klass, groups_of(s, i), 0, 1, s->now};
    return &s->cells[s->cell_count++];
}

static int64_t ends_at(struct sim *s, uint32_t i)
{
    if (s->status[i] != HOLDING && s->status[i] != IN_LATENCY)
        return INT64_MAX;
    if (s->end[i] >= 0)
        return s->end[i];
    if (s->entering[i])
        return INT64_MAX;
    const struct cell *cell = cell_of(s, i);
    long long left = llround((s->target[i] - cell->clock) * cell->kappa);
    return cell->since + (left > 0 ? left : 0);
}

static void give_bytes(struct sim *s, uint32_t i, bool skipped)
{
    const struct sl_node *node = node_of(s, i);
    for (uint32_t k = 0; !skipped && k < node->workspace.count; k++) {
        const struct sl_amount *amount = &s->g->amounts[node->workspace.first + k];
        s->level[amount->domain] -= amount->bytes;
    }
    for (uint32_t k = 0; k < node->gives.count; k++) {
        uint32_t h = s->g->holdings_pool[node->gives.first + k];
        bool *held = &s->held[holding_of(s, i, h)];
        if (!*held || (skipped && s->g->holdings[h].kind == SL_HOLD_OBJECT))
            continue;
        *held = false;
        s->level[s->g->holdings[h].domain] -= holding_bytes(s, h);
    }
}

static void end_phase(struct sim *s, uint32_t i)
{
    struct ref_node *node = &s->out->nodes[i];
    if (s->status[i] == HOLDING) {
        node->free = s->now;
        if (contends(s, i))
            s->touched |= groups_of(s, i);
        if (node->latency > 0) {
            s->status[i] = IN_LATENCY;
            s->end[i] = s->now + node->latency;
            take_snapshot(s, i);
            return;
        }
    }
    s->status[i] = GONE;
    node->finish = s->now;
    s->done_at[i] = ++s->passes;
    give_bytes(s, i, false);
    take_snapshot(s, i);
}

static void finishes(struct sim *s)
{
    bool due[REF_NODES];
    for (uint32_t i = 0; i < s->n; i++)
        due[i] = ends_at(s, i) == s->now;
    for (uint32_t i = 0; i < s->n; i++)
        if (due[i])
            end_phase(s, i);
}

/* deadline - isolated mean of a node with a fallback. */
static int64_t latest_start(const struct sim *s, uint32_t i)
{
    const struct sl_node *node = node_of(s, i);
    if (node->fallback.i == SL_NONE || node->deadline_ps == INT64_MAX || s->status[i] >= HOLDING)
        return INT64_MAX;
    int64_t at = node->deadline_ps - llround(mean_of(s, i));
    return at > 0 ? at : 0;
}

static void cancel(struct sim *s, uint32_t i)
{
    uint32_t fallback = fallback_of(s, i);
    s->out->nodes[i].state = SL_CANCELLED;
    s->out->nodes[i].finish = s->now;
    s->status[i] = GONE;
    pass(s, i);
    s->done_at[i] = s->passes;
    if (latest_start(s, fallback) < s->now) { /* called too late */
        blame(s, fallback, SL_CAUSE_RELEASE, SL_NONE, 0);
        cancel(s, fallback);
    }
}

static void skip(struct sim *s, uint32_t i, const struct readiness *best)
{
    uint32_t by;
    if (best->cause == 254)
        blame_like(s, i, SL_CAUSE_GUARD, best->behind);
    else
        blame(s, i, SL_CAUSE_GUARD, best->behind, 0);
    if (fallback_of(s, i) != SL_NONE && (!is_fallback(s, i) || decision(s, i, &by) > 0)) {
        cancel(s, i);
        return;
    }
    s->out->nodes[i].state = SL_SKIPPED;
    s->out->nodes[i].finish = s->now;
    s->status[i] = GONE;
    pass(s, i);
    s->done_at[i] = s->passes;
    give_bytes(s, i, true);
    take_snapshot(s, i);
}

/* Generation by generation: whoever became ready by skips of one is looked at in the next. */
static void expiries(struct sim *s)
{
    for (bool again = true; again;) {
        struct readiness best[REF_NODES];
        bool met[REF_NODES], skipped[REF_NODES];
        for (uint32_t i = 0; i < s->n; i++)
            met[i] = s->status[i] == NOT_READY && conditions(s, i, &best[i], &skipped[i]) &&
                     best[i].at <= s->now;
        again = false;
        for (uint32_t i = 0; i < s->n; i++) {
            if (!met[i])
                continue;
            again = true;
            if (skipped[i]) {
                skip(s, i, &best[i]);
                continue;
            }
            s->status[i] = WAITING;
            s->out->nodes[i].ready = best[i].at;
        }
    }
}

static enum reason attempt(const struct sim *s, uint32_t i, const uint32_t *failed, uint32_t count)
{
    uint32_t first = first_resource(s, i);
    for (uint32_t j = 0; order_of(s, i) == SL_ORDER_ISSUE && j < i; j++)
        if (first_resource(s, j) == first && s->status[j] < HOLDING)
            return OUT_OF_TURN;
    if (first != SL_NONE && s->platform->resources[first].admission == SL_STRICT)
        for (uint32_t k = 0; k < count; k++)
            if (compete(s, failed[k], i))
                return BEHIND_ONE;
    for (uint32_t k = 0; k < node_of(s, i)->demands.count; k++) {
        const struct sl_demand *d = &s->g->demands[node_of(s, i)->demands.first + k];
        if (units_free(s, d->resource) < d->units)
            return NO_UNITS;
    }
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        if (demands_domain(s, i, m) && bytes_wanted(s, i, m) > room(s, m))
            return NO_BYTES;
    for (uint32_t j = 0; s->out->nodes[i].duration > 0 && j < s->n; j++)
        if (s->status[j] == HOLDING && s->out->nodes[j].duration > 0 && must_not_overlap(s, i, j))
            return NOT_BESIDE;
    return MET;
}

/* Is the demand that failed met part by part in `shot`?  Returns the number of unmet parts. */
static bool part_met(const struct sim *s, uint32_t i, enum reason reason, uint32_t part,
                     const struct snapshot *shot)
{
    if (reason == NO_UNITS) {
        const struct sl_demand *d = &s->g->demands[node_of(s, i)->demands.first + part];
        return shot->units[d->resource] >= d->units;
    }
    if (reason == NO_BYTES)
        return !demands_domain(s, i, part) || bytes_wanted(s, i, part) <= shot->room[part];
    return true;
}

/* Parts of an overlap demand are the kinds of nodes that must not run beside it: equal class and
 * groups, or one node that a rule names. */
static bool same_kind(const struct sim *s, uint32_t a, uint32_t b)
{
    for (uint32_t o = 0; a % s->base != b % s->base && o < s->g->overlap_count; o++) {
        const struct sl_overlap *row = &s->g->overlaps[o];
        const char *x = node_of(s, a)->name, *y = node_of(s, b)->name;
        bool is_rule = !row->allowed || row->earliest_ps > 0 || row->latest_ps < INT64_MAX;
        if (is_rule &&
            (!strcmp(row->a, x) || !strcmp(row->b, x) || !strcmp(row->a, y) || !strcmp(row->b, y)))
            return false;
    }
    return a % s->base == b % s->base ||
           (node_of(s, a)->klass == node_of(s, b)->klass && groups_of(s, a) == groups_of(s, b));
}

static bool kind_runs(const struct sim *s, uint32_t like, const struct snapshot *shot)
{
    for (uint32_t j = 0; j < s->n; j++)
        if (shot->running[j] && same_kind(s, j, like))
            return true;
    return false;
}

static uint32_t releaser(const struct sim *s, uint32_t i, enum reason reason)
{
    for (uint32_t k = s->shot_count; k-- > 1;) {
        const struct snapshot *before = &s->shots[k - 1], *after = &s->shots[k];
        if (reason == NOT_BESIDE) {
            for (uint32_t j = 0; j < s->n; j++)
                if (must_not_overlap(s, i, j) && kind_runs(s, j, before) && !kind_runs(s, j, after))
                    return after->node;
            continue;
        }
        uint32_t parts =
            reason == NO_UNITS ? node_of(s, i)->demands.count : s->platform->domain_names.count;
        for (uint32_t part = 0; part < parts; part++)
            if (!part_met(s, i, reason, part, before) && part_met(s, i, reason, part, after))
                return after->node;
    }
    return SL_NONE;
}

/* Who let `i` go, of those that stood before it; SL_NONE: nobody that started or left just now. */
static uint32_t unblocker(const struct sim *s, uint32_t i)
{
    uint32_t last = SL_NONE;
    if (s->last_reason[i] == OUT_OF_TURN) {
        for (uint32_t j = 0; j < i; j++)
            if (first_resource(s, j) == first_resource(s, i) &&
                (last == SL_NONE || s->passed_at[j] > s->passed_at[last]))
                last = j;
        return last;
    }
    for (uint32_t k = s->started_count; k-- > 0;)
        if (compete(s, s->started[k], i))
            return s->started[k];
    return SL_NONE;
}

static void blame_wait(struct sim *s, uint32_t i, const struct readiness *best)
{
    static const int causes[] = {[OUT_OF_TURN] = SL_CAUSE_QUEUE,
                                 [BEHIND_ONE] = SL_CAUSE_QUEUE,
                                 [NO_UNITS] = SL_CAUSE_QUEUE,
                                 [NO_BYTES] = SL_CAUSE_CAPACITY,
                                 [NOT_BESIDE] = SL_CAUSE_OVERLAP};
    enum reason reason = s->last_reason[i];
    if (reason == OUT_OF_TURN || reason == BEHIND_ONE) {
        uint32_t other = unblocker(s, i);
        if (other != SL_NONE)
            blame_like(s, i, causes[reason], other);
        else
            blame(s, i, causes[reason], best->behind, 0);
        return;
    }
    uint32_t by = releaser(s, i, reason);
    if (by != SL_NONE)
        blame(s, i, causes[reason], by, reason != NO_BYTES);
    else
        blame(s, i, causes[reason], best->behind, 0);
}

static void start(struct sim *s, uint32_t i)
{
    struct ref_node *node = &s->out->nodes[i];
    struct readiness best;
    bool skipped;
    (void)conditions(s, i, &best, &skipped);
    if (node->ready == s->now)
        blame(s, i, best.cause, best.behind, 0);
    else
        blame_wait(s, i, &best);
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++) {
        s->level[m] += bytes_wanted(s, i, m);
        if (s->level[m] > s->out->peak[m])
            s->out->peak[m] = s->level[m];
    }
    for (uint32_t k = 0; k < node_of(s, i)->takes.count; k++)
        s->held[holding_of(s, i, s->g->holdings_pool[node_of(s, i)->takes.first + k])] = true;
    node->state = SL_RAN;
    node->start = s->now;
    s->status[i] = HOLDING;
    s->entering[i] = contends(s, i);
    s->end[i] = s->entering[i] ? -1 : s->now + node->duration;
    if (s->entering[i])
        s->touched |= groups_of(s, i);
    pass(s, i);
    s->started[s->started_count++] = i;
}

static void scan_list(struct sim *s, enum sl_order order)
{
    uint32_t list[REF_NODES], count = 0, failed[REF_NODES], failures = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->status[i] != WAITING || order_of(s, i) != order)
            continue;
        uint32_t at = count++;
        for (; at && comes_before(s, i, list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = i;
    }
    s->started_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = list[k];
        s->last_reason[i] = s->reason[i];
        s->reason[i] = attempt(s, i, failed, failures);
        if (s->reason[i] != MET) {
            failed[failures++] = i;
            continue;
        }
        start(s, i);
        for (uint32_t f = 0; f < failures; f++)
            if (compete(s, failed[f], i)) {
                s->out->nodes[failed[f]].bypassed++;
                s->out->bypasses++;
            }
    }
}

/* A fallback has a latest start once it is needed. */
static int64_t cancelled_at(const struct sim *s, uint32_t i)
{
    uint32_t by;
    return is_fallback(s, i) && decision(s, i, &by) <= 0 ? INT64_MAX : latest_start(s, i);
}

static bool latest_starts(struct sim *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->n;) {
        if (cancelled_at(s, i) != s->now) {
            i++;
            continue;
        }
        blame(s, i, SL_CAUSE_RELEASE, SL_NONE, 0);
        cancel(s, i);
        any = true;
        i = 0; /* it may have called a fallback just in time to be cancelled */
    }
    return any;
}

static bool in_cell(const struct sim *s, uint32_t i, const struct cell *cell)
{
    return s->status[i] == HOLDING && contends(s, i) && !s->entering[i] &&
           node_of(s, i)->klass == cell->klass && groups_of(s, i) == cell->groups;
}

static double kappa_of(const struct sim *s, const struct cell *cell)
{
    uint32_t counts[64] = {0};
    bool hypothetical = false;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->status[i] == HOLDING && contends(s, i) && groups_of(s, i) & cell->groups)
            counts[node_of(s, i)->klass]++;
    counts[cell->klass]--;
    return sl_kappa_eval(&s->platform->kappa, cell->klass, counts, s->options->corner,
                         &hypothetical);
}

static void update_contention(struct sim *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->entering[i])
            (void)cell_of(s, i);
    for (uint32_t c = 0; c < s->cell_count; c++) {
        struct cell *cell = &s->cells[c];
        if (!(cell->groups & s->touched))
            continue;
        bool empty = true;
        for (uint32_t i = 0; i < s->n; i++)
            empty &= !in_cell(s, i, cell);
        if (empty)
            cell->clock = 0;
        else
            cell->clock += (double)(s->now - cell->since) / cell->kappa;
        cell->since = s->now;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (s->entering[i]) {
            s->target[i] = cell_of(s, i)->clock + (double)s->out->nodes[i].duration;
            s->entering[i] = false;
        }
    for (uint32_t c = 0; c < s->cell_count; c++) {
        bool empty = true;
        for (uint32_t i = 0; i < s->n; i++)
            empty &= !in_cell(s, i, &s->cells[c]);
        if (s->cells[c].groups & s->touched && !empty)
            s->cells[c].kappa = kappa_of(s, &s->cells[c]);
    }
    s->touched = 0;
}

/* ---- the loop ----------------------------------------------------------------------------------
 */

static bool more_now(struct sim *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct readiness best;
        bool skipped;
        if (ends_at(s, i) == s->now)
            return true;
        if (s->status[i] == NOT_READY && conditions(s, i, &best, &skipped) && best.at <= s->now)
            return true;
    }
    return false;
}

static void instant(struct sim *s)
{
    do {
        do {
            s->shot_count = 0;
            take_snapshot(s, SL_NONE);
            finishes(s);
            expiries(s);
            for (int order = 0; order <= SL_ORDER_ISSUE; order++)
                scan_list(s, (enum sl_order)order);
        } while (more_now(s));
    } while (latest_starts(s));
    update_contention(s);
}

static int64_t next_time(struct sim *s)
{
    int64_t next = INT64_MAX;
    bool unfinished = false;
    for (uint32_t i = 0; i < s->n; i++)
        unfinished |= s->status[i] != GONE;
    for (uint32_t o = 0; unfinished && o < s->g->overlap_count; o++) {
        const struct sl_overlap *row = &s->g->overlaps[o];
        if (row->allowed && row->earliest_ps > s->now && row->earliest_ps < next)
            next = row->earliest_ps;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        struct readiness best;
        bool skipped;
        int64_t at = ends_at(s, i);
        next = at < next ? at : next;
        at = cancelled_at(s, i);
        next = at < next ? at : next;
        if (s->status[i] == NOT_READY && conditions(s, i, &best, &skipped) && best.at < next)
            next = best.at;
    }
    return next;
}

void ref_simulate(const struct sl_graph *graph, const struct sl_engine_options *options,
                  uint32_t iterations, struct ref_result *result)
{
    struct sim *s = calloc(1, sizeof *s);
    *s = (struct sim){.g = graph, .platform = graph->platform, .options = options, .out = result};
    s->base = graph->node_count;
    s->n = graph->node_count * iterations;
    s->once = iterations == 1;
    for (uint32_t i = 0; i < s->n; i++)
        s->rank[i] = -1;
    for (uint32_t i = 0; i < s->n; i++)
        (void)upward_rank(s, i);
    memset(result->peak, 0, sizeof result->peak);
    result->bypasses = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        struct ref_node *node = &result->nodes[i];
        node->ready = node->start = node->free = node->finish = -1;
        node->state = SL_UNFINISHED;
        node->bypassed = 0;
    }
    for (uint32_t h = 0; h < graph->holding_count; h++)
        if (graph->holdings[h].initial) {
            s->held[h] = true;
            s->level[graph->holdings[h].domain] += holding_bytes(s, h);
        }
    memcpy(result->peak, s->level, sizeof result->peak);
    for (int64_t t = 0; t != INT64_MAX; t = next_time(s)) {
        s->now = t;
        instant(s);
    }
    result->deadlock = false;
    result->makespan = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        result->deadlock |= s->status[i] != GONE;
        if (result->nodes[i].finish > result->makespan)
            result->makespan = result->nodes[i].finish;
    }
    free(s);
}
