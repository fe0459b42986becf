/* The loop over instants: see reference_sim.h.  Everything is recomputed from scratch at every
 * step. */
#include "reference_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ref_event_names[REF_EVENTS] = {
    [REF_GUARD_FAILED] = "guard failed",
    [REF_CANCELLED_BY_GUARD] = "cancelled by its guard",
    [REF_CANCELLED_LATE] = "cancelled at its latest start",
    [REF_FALLBACK_RAN] = "fallback ran",
    [REF_FALLBACK_IDLE] = "fallback not needed",
    [REF_FALLBACK_TOO_LATE] = "fallback called too late",
    [REF_WAITED_UNITS] = "waited for units",
    [REF_WAITED_TURN] = "waited for its turn in order of issue",
    [REF_WAITED_STRICT] = "waited behind a strict list",
    [REF_WAITED_BYTES] = "waited for bytes",
    [REF_WAITED_OVERLAP] = "waited for an overlap",
    [REF_WINDOW_OPENED] = "a window of overlap opened",
    [REF_LANE] = "bound by its lane",
    [REF_LAG] = "bound with a lag",
    [REF_RELEASE] = "bound by its release",
    [REF_LATENCY] = "pipelined latency",
    [REF_BYPASSED] = "bypassed",
    [REF_OVERTOOK] = "went first by priority",
    [REF_AGED] = "priority raised by aging",
    [REF_SLOWED] = "slowed beside one",
    [REF_SLOWED_BY_TWO] = "slowed beside two or more",
    [REF_SET_ROW] = "kappa of a measured set",
    [REF_UNKNOWN_PAIR] = "a pair without evidence",
    [REF_BANDWIDTH] = "slowed by a full link",
    [REF_ROUNDS] = "several rounds in an instant",
    [REF_DEADLOCK] = "deadlock",
};

/* ---- bytes ----------------------------------------------------------------------------------- */

enum { OBJECTS, WORKSPACE, STAGING };

void ref_change(struct ref_sim *s, uint32_t m, int part, int64_t bytes)
{
    s->level[m] += bytes;
    s->part[m][part] += bytes;
    if (s->level[m] > s->out->peak[m])
        s->out->peak[m] = s->level[m];
}

static int part_of(const struct ref_sim *s, uint32_t h)
{
    return s->g->holdings[h].kind == SL_HOLD_STAGING ? STAGING : OBJECTS;
}

static void take_bytes(struct ref_sim *s, uint32_t i)
{
    const struct sl_node *node = s->runs[i].node;
    for (uint32_t k = 0; k < node->workspace.count; k++) {
        const struct sl_amount *amount = &s->g->amounts[node->workspace.first + k];
        ref_change(s, amount->domain, WORKSPACE, amount->bytes);
    }
    for (uint32_t k = 0; k < node->takes.count; k++) {
        uint32_t h = s->g->holdings_pool[node->takes.first + k];
        bool *held = &s->held[ref_holding(s, i, h)];
        if (!*held)
            ref_change(s, s->g->holdings[h].domain, part_of(s, h), ref_holding_bytes(s, h));
        *held = true;
    }
}

/* A skipped node gives back staging that waits for its end, but no object. */
void ref_give_bytes(struct ref_sim *s, uint32_t i, bool skipped)
{
    const struct sl_node *node = s->runs[i].node;
    for (uint32_t k = 0; !skipped && k < node->workspace.count; k++) {
        const struct sl_amount *amount = &s->g->amounts[node->workspace.first + k];
        ref_change(s, amount->domain, WORKSPACE, -amount->bytes);
    }
    for (uint32_t k = 0; k < node->gives.count; k++) {
        uint32_t h = s->g->holdings_pool[node->gives.first + k];
        bool *held = &s->held[ref_holding(s, i, h)];
        if (!*held || (skipped && part_of(s, h) == OBJECTS))
            continue;
        *held = false;
        ref_change(s, s->g->holdings[h].domain, part_of(s, h), -ref_holding_bytes(s, h));
    }
}

/* Notes the levels that this time has changed. */
static void note_levels(struct ref_sim *s)
{
    struct ref_result *out = s->out;
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++) {
        if (!memcmp(s->part[m], s->noted[m], sizeof s->part[m]))
            continue;
        memcpy(s->noted[m], s->part[m], sizeof s->part[m]);
        if (out->level_count == out->level_capacity) {
            out->level_capacity = 2 * out->level_capacity + 64;
            out->levels = realloc(out->levels, out->level_capacity * sizeof *out->levels);
            if (!out->levels)
                abort();
        }
        out->levels[out->level_count++] = (struct ref_level){
            s->now, m, s->part[m][OBJECTS], s->part[m][WORKSPACE], s->part[m][STAGING]};
    }
}

/* ---- finishes -------------------------------------------------------------------------------- */

int64_t ref_ends_at(struct ref_sim *s, uint32_t i)
{
    const struct ref_run *run = &s->runs[i];
    if ((run->status != HOLDING && run->status != IN_LATENCY) || run->entering)
        return INT64_MAX;
    return run->end >= 0 ? run->end : ref_contended_end(s, i);
}

/* A hold ends, and with it the node unless a latency follows. */
static void end_phase(struct ref_sim *s, uint32_t i)
{
    struct ref_node *node = &s->record[i];
    struct ref_run *run = &s->runs[i];
    if (run->status == HOLDING) {
        node->free = s->now;
        if (ref_contends(s, i))
            s->touched |= run->groups;
        if (node->latency > 0) {
            ref_saw(s, REF_LATENCY);
            run->status = IN_LATENCY;
            run->end = s->now + node->latency;
            ref_snapshot(s, i);
            return;
        }
    }
    run->status = GONE;
    node->finish = s->now;
    run->done_at = ++s->passes;
    ref_give_bytes(s, i, false);
    ref_snapshot(s, i);
}

/* All finishes at t, by node index. */
static void finishes(struct ref_sim *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (ref_ends_at(s, i) == s->now)
            s->list[count++] = i;
    for (uint32_t k = 0; k < count; k++)
        end_phase(s, s->list[k]);
}

/* ---- the scan -------------------------------------------------------------------------------- */

/* All demands must be met at once; the first that is not is the reason. */
static enum ref_reason attempt(const struct ref_sim *s, uint32_t i, uint32_t failures)
{
    const struct ref_run *run = &s->runs[i];
    for (uint32_t j = 0; run->order == SL_ORDER_ISSUE && j < i; j++)
        if (s->runs[j].first == run->first && s->runs[j].status < HOLDING)
            return OUT_OF_TURN;
    if (run->first != SL_NONE && s->platform->resources[run->first].admission == SL_STRICT)
        for (uint32_t k = 0; k < failures; k++)
            if (ref_compete(s, s->failed[k], i))
                return BEHIND_ONE;
    for (uint32_t k = 0; k < run->node->demands.count; k++) {
        const struct sl_demand *d = &s->g->demands[run->node->demands.first + k];
        if (ref_units_free(s, d->resource) < d->units)
            return NO_UNITS;
    }
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        if (ref_demands_domain(s, i, m) && ref_bytes_wanted(s, i, m) > ref_room(s, m))
            return NO_BYTES;
    for (uint32_t j = 0; s->record[i].duration > 0 && j < s->n; j++)
        if (s->runs[j].status == HOLDING && s->record[j].duration > 0 && ref_kept_apart(s, i, j))
            return NOT_BESIDE;
    return MET;
}

static void start(struct ref_sim *s, uint32_t i)
{
    struct ref_run *run = &s->runs[i];
    ref_blame_start(s, i);
    take_bytes(s, i);
    s->record[i].state = SL_RAN;
    s->record[i].start = s->now;
    run->status = HOLDING;
    run->entering = ref_contends(s, i);
    run->end = run->entering ? -1 : s->now + s->record[i].duration;
    if (run->entering)
        s->touched |= run->groups;
    if (run->is_fallback)
        ref_saw(s, REF_FALLBACK_RAN);
    ref_pass(s, i);
    s->started[s->started_count++] = i;
}

/* For coverage: `i` goes ahead of one that became ready before it, or by index would come first. */
static void note_order(struct ref_sim *s, uint32_t i, const uint32_t *rest, uint32_t count)
{
    if (s->runs[i].order != SL_ORDER_PRIORITY)
        return;
    if (ref_priority(s, i) > s->runs[i].node->priority)
        ref_saw(s, REF_AGED);
    for (uint32_t k = 0; k < count; k++)
        if (s->record[rest[k]].ready < s->record[i].ready && ref_compete(s, i, rest[k])) {
            ref_saw(s, REF_OVERTOOK);
            return;
        }
}

/* Sorted by (key, ready time, node index). */
static uint32_t make_list(struct ref_sim *s, enum sl_order order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->runs[i].status != WAITING || s->runs[i].order != order)
            continue;
        uint32_t at = count++;
        for (; at && ref_before(s, i, s->list[at - 1]); at--)
            s->list[at] = s->list[at - 1];
        s->list[at] = i;
    }
    return count;
}

static void scan_list(struct ref_sim *s, enum sl_order order)
{
    uint32_t count = make_list(s, order), failures = 0;
    s->started_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = s->list[k];
        s->runs[i].last_reason = s->runs[i].reason;
        s->runs[i].reason = attempt(s, i, failures);
        if (s->runs[i].reason != MET) {
            s->failed[failures++] = i;
            continue;
        }
        note_order(s, i, s->list + k + 1, count - k - 1);
        start(s, i);
        for (uint32_t f = 0; f < failures; f++)
            if (ref_compete(s, s->failed[f], i)) {
                s->record[s->failed[f]].bypassed++;
                s->out->bypasses++;
                ref_saw(s, REF_BYPASSED);
            }
    }
}

/* ---- instants -------------------------------------------------------------------------------- */

static bool more_now(struct ref_sim *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        struct ref_readiness ready;
        if (ref_ends_at(s, i) == s->now)
            return true;
        if (s->runs[i].status == NOT_READY && ref_conditions(s, i, &ready) && ready.at <= s->now)
            return true;
    }
    return false;
}

static void instant(struct ref_sim *s)
{
    uint32_t rounds = 0;
    do {
        do {
            s->shot_count = 0;
            ref_snapshot(s, SL_NONE);
            finishes(s);
            ref_expiries(s);
            for (int order = 0; order <= SL_ORDER_ISSUE; order++)
                scan_list(s, (enum sl_order)order);
            rounds++;
        } while (more_now(s));
    } while (ref_latest_starts(s));
    ref_update_contention(s);
    if (rounds > 1)
        ref_saw(s, REF_ROUNDS);
}

static int64_t next_time(struct ref_sim *s)
{
    int64_t next = INT64_MAX;
    bool unfinished = false;
    for (uint32_t i = 0; i < s->n; i++)
        unfinished |= s->runs[i].status != GONE;
    for (uint32_t o = 0; unfinished && o < s->g->overlap_count; o++) {
        const struct sl_overlap *row = &s->g->overlaps[o];
        if (row->allowed && row->earliest_ps > s->now && row->earliest_ps < next)
            next = row->earliest_ps;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        struct ref_readiness ready;
        int64_t ends = ref_ends_at(s, i), cancelled = ref_cancelled_at(s, i);
        next = ends < next ? ends : next;
        next = cancelled < next ? cancelled : next;
        if (s->runs[i].status == NOT_READY && ref_conditions(s, i, &ready) && ready.at < next)
            next = ready.at;
    }
    return next;
}

static void begin(struct ref_sim *s)
{
    struct ref_result *out = s->out;
    out->deadlock = out->hypothetical = false;
    out->bypasses = out->level_count = 0;
    memset(out->peak, 0, sizeof out->peak);
    memset(out->seen, 0, sizeof out->seen);
    for (uint32_t i = 0; i < s->n; i++) {
        struct ref_node *node = &s->record[i];
        node->ready = node->start = node->free = node->finish = -1;
        node->state = SL_UNFINISHED;
        node->bypassed = 0;
    }
    for (uint32_t h = 0; h < s->g->holding_count; h++)
        if (s->g->holdings[h].initial) {
            s->held[h] = true;
            ref_change(s, s->g->holdings[h].domain, part_of(s, h), ref_holding_bytes(s, h));
        }
}

static void end(struct ref_sim *s)
{
    struct ref_result *out = s->out;
    out->makespan = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        out->deadlock |= s->runs[i].status != GONE;
        if (s->record[i].finish > out->makespan)
            out->makespan = s->record[i].finish;
    }
    if (out->deadlock)
        ref_saw(s, REF_DEADLOCK);
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        if (out->fragmentation[m] > 1) /* reserved bytes */
            out->peak[m] = (int64_t)ceil((double)out->peak[m] * out->fragmentation[m]);
}

void ref_simulate(const struct sl_graph *graph, const struct sl_engine_options *options,
                  uint32_t iterations, struct ref_result *result)
{
    struct ref_sim s = {.g = graph,
                        .platform = graph->platform,
                        .options = options,
                        .out = result,
                        .record = result->nodes};
    ref_open(&s, iterations);
    begin(&s);
    for (int64_t t = 0; t != INT64_MAX;) {
        s.now = t;
        instant(&s);
        t = next_time(&s);
        if (t > s.now) /* it may have put a finish on the instant itself */
            note_levels(&s);
    }
    end(&s);
    ref_close(&s);
}

void ref_free(struct ref_result *result)
{
    free(result->levels);
    result->levels = NULL;
    result->level_count = result->level_capacity = 0;
}
