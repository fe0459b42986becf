/* What is free, and the binding cause of a start. */
#include "reference_parts.h"

int64_t ref_units_free(const struct ref_sim *s, uint32_t r)
{
    const struct sl_resource *resource = &s->platform->resources[r];
    int64_t used = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sl_span *demands = &s->runs[i].node->demands;
        for (uint32_t k = 0; s->runs[i].status == HOLDING && k < demands->count; k++) {
            const struct sl_demand *d = &s->g->demands[demands->first + k];
            used += d->resource == r ? d->units : 0;
        }
    }
    return resource->servers == SL_UNLIMITED ? INT64_MAX / 4 : (int64_t)resource->servers - used;
}

/* Effective capacity is capacity - reserve, over the fragmentation, for every node. */
int64_t ref_room(const struct ref_sim *s, uint32_t m)
{
    const struct sl_domain *domain = &s->platform->domains[m];
    double limit = (double)(domain->capacity - domain->reserve);
    if (domain->capacity < 0)
        return INT64_MAX / 4;
    if (s->out->fragmentation[m] > 1)
        return (int64_t)(limit / s->out->fragmentation[m]) - s->level[m];
    return domain->capacity - domain->reserve - s->level[m];
}

void ref_snapshot(struct ref_sim *s, uint32_t node)
{
    struct ref_snapshot *shot = &s->shots[s->shot_count++];
    shot->node = node;
    for (uint32_t r = 0; r < s->platform->resource_names.count; r++)
        shot->units[r] = ref_units_free(s, r);
    for (uint32_t m = 0; m < s->platform->domain_names.count; m++)
        shot->room[m] = ref_room(s, m);
    for (uint32_t i = 0; i < s->n; i++)
        shot->running[i] = s->runs[i].status == HOLDING && s->record[i].duration > 0;
}

/* ---- blame ----------------------------------------------------------------------------------- */

void ref_blame(struct ref_sim *s, uint32_t i, int cause, uint32_t behind, int by_free)
{
    struct ref_node *node = &s->record[i];
    node->cause = cause;
    node->behind = behind;
    node->by_free = by_free;
    int64_t end = 0;
    if (behind != SL_NONE)
        end = by_free ? s->record[behind].free : s->record[behind].finish;
    node->lag = s->now - end;
}

void ref_blame_like(struct ref_sim *s, uint32_t i, int cause, uint32_t other)
{
    const struct ref_node *like = &s->record[other];
    ref_blame(s, i, cause, like->behind, like->by_free);
}

/* Part k of the demand that failed is met in `shot`. */
static bool part_met(const struct ref_sim *s, uint32_t i, enum ref_reason reason, uint32_t k,
                     const struct ref_snapshot *shot)
{
    if (reason == NO_UNITS) {
        const struct sl_demand *d = &s->g->demands[s->runs[i].node->demands.first + k];
        return shot->units[d->resource] >= d->units;
    }
    return !ref_demands_domain(s, i, k) || ref_bytes_wanted(s, i, k) <= shot->room[k];
}

static bool kind_runs(const struct ref_sim *s, uint32_t like, const struct ref_snapshot *shot)
{
    for (uint32_t j = 0; j < s->n; j++)
        if (shot->running[j] && ref_same_kind(s, j, like))
            return true;
    return false;
}

/* Some part of the demand went from unmet to met between the two. */
static bool met_between(const struct ref_sim *s, uint32_t i, enum ref_reason reason,
                        const struct ref_snapshot *before, const struct ref_snapshot *after)
{
    if (reason == NOT_BESIDE) {
        for (uint32_t j = 0; j < s->n; j++)
            if (ref_kept_apart(s, i, j) && kind_runs(s, j, before) && !kind_runs(s, j, after))
                return true;
        return false;
    }
    uint32_t parts =
        reason == NO_UNITS ? s->runs[i].node->demands.count : s->platform->domain_names.count;
    for (uint32_t k = 0; k < parts; k++)
        if (!part_met(s, i, reason, k, before) && part_met(s, i, reason, k, after))
            return true;
    return false;
}

/* The last release of this round that met a part; SL_NONE: none did. */
static uint32_t releaser(const struct ref_sim *s, uint32_t i, enum ref_reason reason)
{
    for (uint32_t k = s->shot_count; k-- > 1;)
        if (met_between(s, i, reason, &s->shots[k - 1], &s->shots[k]))
            return s->shots[k].node;
    return SL_NONE;
}

/* Who let `i` go, of those that stood before it; SL_NONE: nobody that started or left just now. */
static uint32_t unblocker(const struct ref_sim *s, uint32_t i)
{
    uint32_t last = SL_NONE;
    if (s->runs[i].last_reason == OUT_OF_TURN) {
        for (uint32_t j = 0; j < i; j++)
            if (s->runs[j].first == s->runs[i].first &&
                (last == SL_NONE || s->runs[j].passed_at > s->runs[last].passed_at))
                last = j;
        return last;
    }
    for (uint32_t k = s->started_count; k-- > 0;)
        if (ref_compete(s, s->started[k], i))
            return s->started[k];
    return SL_NONE;
}

static void blame_wait(struct ref_sim *s, uint32_t i, const struct ref_readiness *ready)
{
    static const int causes[] = {[OUT_OF_TURN] = SL_CAUSE_QUEUE,
                                 [BEHIND_ONE] = SL_CAUSE_QUEUE,
                                 [NO_UNITS] = SL_CAUSE_QUEUE,
                                 [NO_BYTES] = SL_CAUSE_CAPACITY,
                                 [NOT_BESIDE] = SL_CAUSE_OVERLAP};
    static const enum ref_event events[] = {[OUT_OF_TURN] = REF_WAITED_TURN,
                                            [BEHIND_ONE] = REF_WAITED_STRICT,
                                            [NO_UNITS] = REF_WAITED_UNITS,
                                            [NO_BYTES] = REF_WAITED_BYTES,
                                            [NOT_BESIDE] = REF_WAITED_OVERLAP};
    enum ref_reason reason = s->runs[i].last_reason;
    bool of_turn = reason == OUT_OF_TURN || reason == BEHIND_ONE;
    uint32_t by = of_turn ? unblocker(s, i) : releaser(s, i, reason);
    ref_saw(s, events[reason]);
    if (by == SL_NONE) {
        if (reason == NOT_BESIDE)
            ref_saw(s, REF_WINDOW_OPENED);
        ref_blame(s, i, causes[reason], ready->behind, 0);
    } else if (of_turn)
        ref_blame_like(s, i, causes[reason], by);
    else
        ref_blame(s, i, causes[reason], by, reason != NO_BYTES);
}

/* If start = ready, the latest condition; otherwise the test at which the last attempt failed. */
void ref_blame_start(struct ref_sim *s, uint32_t i)
{
    struct ref_readiness ready;
    (void)ref_conditions(s, i, &ready);
    if (s->record[i].ready == s->now)
        ref_blame(s, i, ready.cause, ready.behind, 0);
    else
        blame_wait(s, i, &ready);
    if (s->record[i].cause == SL_CAUSE_LANE)
        ref_saw(s, REF_LANE);
    if (s->record[i].cause == SL_CAUSE_RELEASE)
        ref_saw(s, REF_RELEASE);
    if (s->record[i].lag > 0 && s->record[i].behind != SL_NONE)
        ref_saw(s, REF_LAG);
}
