/* When a node is ready; guards, fallbacks and latest starts. */
#include "reference_parts.h"
#include <math.h>
#include <stdlib.h>

/* ---- conditions ------------------------------------------------------------------------------ */

/* The latest condition binds; ties go by cause, then by the index of the node behind. */
static void condition(struct ref_readiness *best, int64_t at, int cause, uint32_t behind)
{
    bool later = at > best->at;
    bool tie =
        at == best->at && (cause < best->cause || (cause == best->cause && behind < best->behind));
    if (later || tie)
        *best = (struct ref_readiness){at, cause, behind, best->skip};
}

/* Whose passing lets the successors of `node` go: itself or, once cancelled, the last to pass of
 * the chain of fallbacks down to one that was not cancelled.  SL_NONE: not yet. */
static uint32_t stands_for(const struct ref_sim *s, uint32_t node)
{
    uint32_t last = node;
    for (;;) {
        if (s->runs[node].status != GONE)
            return SL_NONE;
        if (s->runs[node].done_at > s->runs[last].done_at)
            last = node;
        if (s->record[node].state != SL_CANCELLED)
            return last;
        node = s->runs[node].fallback;
    }
}

/* 1: some primary was cancelled, *by the first of them; -1: all passed without need, *by the last;
 * 0: undecided. */
static int decision(const struct ref_sim *s, uint32_t i, uint32_t *by)
{
    bool all = true;
    uint32_t first = SL_NONE, last = SL_NONE;
    for (uint32_t p = 0; p < s->n; p++) {
        if (s->runs[p].fallback != i)
            continue;
        if (s->runs[p].status < HOLDING) {
            all = false;
            continue;
        }
        uint64_t at = s->runs[p].passed_at;
        if (s->record[p].state == SL_CANCELLED &&
            (first == SL_NONE || at < s->runs[first].passed_at))
            first = p;
        if (last == SL_NONE || at > s->runs[last].passed_at)
            last = p;
    }
    *by = first != SL_NONE ? first : last;
    return first != SL_NONE ? 1 : all ? -1 : 0;
}

static bool is_wanted(const struct ref_sim *s, uint32_t i)
{
    uint32_t by;
    return !s->runs[i].is_fallback || decision(s, i, &by) > 0;
}

/* A fallback's further condition; false: it is not decided yet. */
static bool fallback_condition(const struct ref_sim *s, uint32_t i, struct ref_readiness *ready)
{
    uint32_t by;
    int needed = decision(s, i, &by);
    if (!needed)
        return false;
    const struct ref_node *primary = &s->record[by];
    if (needed > 0) {
        condition(ready, primary->finish,
                  primary->cause == SL_CAUSE_GUARD ? SL_CAUSE_GUARD : SL_CAUSE_RELEASE, by);
        return true;
    }
    ready->skip = true;
    condition(ready, primary->state == SL_RAN ? primary->start : primary->finish, REF_DECISION, by);
    return true;
}

bool ref_conditions(const struct ref_sim *s, uint32_t i, struct ref_readiness *ready)
{
    const struct ref_run *run = &s->runs[i];
    *ready = (struct ref_readiness){0, SL_CAUSE_NONE, SL_NONE, !s->record[i].guard_holds};
    for (uint32_t k = 0; k < run->pred_count; k++) {
        uint32_t from = run->preds[k].from;
        /* The own fallback need not wait for itself. */
        bool own = s->runs[from].fallback == i && s->runs[from].status == GONE;
        uint32_t by = own ? from : stands_for(s, from);
        if (by == SL_NONE)
            return false;
        condition(ready, s->record[by].finish + run->preds[k].lag, run->preds[k].cause, by);
    }
    uint32_t lane = run->lane_predecessor;
    if (lane != SL_NONE) {
        if (s->runs[lane].status != GONE)
            return false;
        condition(ready, s->record[lane].finish, SL_CAUSE_LANE, lane);
    }
    if (run->is_fallback && !fallback_condition(s, i, ready))
        return false;
    if (!ready->skip && run->node->release_ps)
        condition(ready, run->node->release_ps, SL_CAUSE_RELEASE, SL_NONE);
    return true;
}

/* ---- nodes that do not run ------------------------------------------------------------------- */

void ref_pass(struct ref_sim *s, uint32_t i)
{
    s->runs[i].passed_at = ++s->passes;
}

static void gone(struct ref_sim *s, uint32_t i, enum sl_node_state state)
{
    s->record[i].state = state;
    s->record[i].finish = s->now;
    s->runs[i].status = GONE;
    ref_pass(s, i);
    s->runs[i].done_at = s->passes;
}

/* deadline - isolated mean, rounded, at least 0: of a node that names a fallback. */
static int64_t latest_start(const struct ref_sim *s, uint32_t i)
{
    const struct ref_run *run = &s->runs[i];
    if (run->fallback == SL_NONE || run->node->deadline_ps == INT64_MAX || run->status >= HOLDING)
        return INT64_MAX;
    int64_t at = run->node->deadline_ps - llround(s->record[i].mean);
    return at > 0 ? at : 0;
}

static void cancel(struct ref_sim *s, uint32_t i)
{
    uint32_t fallback = s->runs[i].fallback;
    gone(s, i, SL_CANCELLED);
    if (latest_start(s, fallback) < s->now) { /* called too late */
        ref_saw(s, REF_FALLBACK_TOO_LATE);
        ref_blame(s, fallback, SL_CAUSE_RELEASE, SL_NONE, 0);
        cancel(s, fallback);
    }
}

/* A node whose guard fails, or a fallback that nobody needs: done, holding nothing. */
static void skip(struct ref_sim *s, uint32_t i, const struct ref_readiness *ready)
{
    if (ready->cause == REF_DECISION)
        ref_blame_like(s, i, SL_CAUSE_GUARD, ready->behind);
    else
        ref_blame(s, i, SL_CAUSE_GUARD, ready->behind, 0);
    ref_saw(s, s->record[i].guard_holds ? REF_FALLBACK_IDLE : REF_GUARD_FAILED);
    if (s->runs[i].fallback != SL_NONE && is_wanted(s, i)) {
        ref_saw(s, REF_CANCELLED_BY_GUARD);
        cancel(s, i);
        return;
    }
    gone(s, i, SL_SKIPPED);
    ref_give_bytes(s, i, true);
    ref_snapshot(s, i);
}

/* Generation by generation: whoever became ready by skips of one is looked at in the next. */
void ref_expiries(struct ref_sim *s)
{
    struct ref_readiness *ready = calloc(s->n + 1u, sizeof *ready);
    bool *met = calloc(s->n + 1u, sizeof *met);
    if (!ready || !met)
        abort();
    for (bool again = true; again;) {
        for (uint32_t i = 0; i < s->n; i++)
            met[i] = s->runs[i].status == NOT_READY && ref_conditions(s, i, &ready[i]) &&
                     ready[i].at <= s->now;
        again = false;
        for (uint32_t i = 0; i < s->n; i++) {
            if (!met[i] || s->runs[i].status != NOT_READY) /* cancelled in this generation */
                continue;
            again = true;
            if (ready[i].skip) {
                skip(s, i, &ready[i]);
                continue;
            }
            s->runs[i].status = WAITING;
            s->record[i].ready = ready[i].at;
        }
    }
    free(ready);
    free(met);
}

int64_t ref_cancelled_at(const struct ref_sim *s, uint32_t i)
{
    return is_wanted(s, i) ? latest_start(s, i) : INT64_MAX;
}

/* At its latest start, after dispatch, an unstarted node is cancelled, the lowest index first. */
bool ref_latest_starts(struct ref_sim *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->n;) {
        if (ref_cancelled_at(s, i) != s->now) {
            i++;
            continue;
        }
        ref_saw(s, REF_CANCELLED_LATE);
        ref_blame(s, i, SL_CAUSE_RELEASE, SL_NONE, 0);
        cancel(s, i);
        any = true;
        i = 0; /* it may have called a fallback just in time to be cancelled */
    }
    return any;
}
