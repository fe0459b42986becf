/* The serial scheme on step profiles. */
#include "order_scheme.h"
#include <string.h>

#define NEVER INT64_MAX

enum sl_status sl_order_scheme_make(struct sl_order_scheme *scheme,
                                    const struct sl_order_model *model, struct sl_error *err)
{
    *scheme = (struct sl_order_scheme){.model = model};
    struct sl_arena *arena = &scheme->arena;
    size_t n = (size_t)model->node_count + 1, stocks = (size_t)model->stock_count + 1;
    scheme->start_ps = sl_arena_array(arena, n, sizeof *scheme->start_ps);
    scheme->ready_ps = sl_arena_array(arena, n, sizeof *scheme->ready_ps);
    scheme->before = sl_arena_array(arena, n, sizeof *scheme->before);
    scheme->heap = sl_arena_array(arena, n, sizeof *scheme->heap);
    scheme->parked = sl_arena_array(arena, n, sizeof *scheme->parked);
    scheme->profiles = sl_arena_array(arena, stocks, sizeof *scheme->profiles);
    uint32_t *users = sl_arena_array(arena, stocks, sizeof *users);
    bool ok = scheme->start_ps && scheme->ready_ps && scheme->before && scheme->heap &&
              scheme->parked && scheme->profiles && users;
    for (uint32_t u = 0; ok && u < model->use_start[model->node_count]; u++)
        users[model->uses[u].stock]++;
    for (uint32_t s = 0; ok && s < model->stock_count; s++) {
        struct sl_order_profile *profile = &scheme->profiles[s];
        size_t steps = 2 * (size_t)users[s] + 1;
        profile->times = sl_arena_array(arena, steps, sizeof *profile->times);
        profile->levels = sl_arena_array(arena, steps, sizeof *profile->levels);
        ok = profile->times && profile->levels;
    }
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for a schedule");
}

void sl_order_scheme_free(struct sl_order_scheme *scheme)
{
    sl_arena_free(&scheme->arena);
    *scheme = (struct sl_order_scheme){0};
}

/* ---- profiles ------------------------------------------------------------------------------- */

/* The step that holds at `t` >= 0. */
static uint32_t step_at(const struct sl_order_profile *profile, int64_t t)
{
    uint32_t low = 0, high = profile->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (profile->times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The earliest start at or after `t` at which the use fits; NEVER. */
static int64_t earliest(const struct sl_order_profile *profile, const struct sl_order_use *use,
                        int64_t limit, int64_t t)
{
    if (use->after > 0) { /* stays: it has to fit from then on for good */
        uint32_t k = profile->count;
        while (k > 0 && profile->levels[k - 1] <= limit - use->after)
            k--;
        if (k == profile->count)
            return NEVER;
        if (k > 0 && profile->times[k] - use->end_ps > t)
            t = profile->times[k] - use->end_ps;
    }
    if (use->during <= 0)
        return t;
    for (uint32_t k = step_at(profile, t + use->begin_ps); k < profile->count; k++) {
        if (profile->times[k] >= t + use->end_ps && profile->times[k] > t + use->begin_ps)
            break;
        if (profile->levels[k] <= limit - use->during)
            continue;
        if (k + 1 == profile->count)
            return NEVER;
        t = profile->times[k + 1] - use->begin_ps;
    }
    return t;
}

/* The index of the step that begins at `t`, made when there is none. */
static uint32_t split_at(struct sl_order_profile *profile, int64_t t)
{
    uint32_t k = step_at(profile, t);
    if (profile->times[k] == t)
        return k;
    size_t rest = profile->count - ++k;
    memmove(&profile->times[k + 1], &profile->times[k], rest * sizeof *profile->times);
    memmove(&profile->levels[k + 1], &profile->levels[k], rest * sizeof *profile->levels);
    profile->times[k] = t;
    profile->levels[k] = profile->levels[k - 1];
    profile->count++;
    return k;
}

static void add(struct sl_order_profile *profile, const struct sl_order_use *use, int64_t t)
{
    uint32_t first = split_at(profile, t + use->begin_ps);
    uint32_t end = split_at(profile, t + use->end_ps);
    for (uint32_t k = first; k < end; k++)
        profile->levels[k] += use->during;
    for (uint32_t k = end; use->after != 0 && k < profile->count; k++)
        profile->levels[k] += use->after;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void push(struct sl_order_scheme *scheme, uint32_t rank)
{
    uint32_t at = scheme->heap_count++;
    for (; at > 0 && scheme->heap[(at - 1) / 2] > rank; at = (at - 1) / 2)
        scheme->heap[at] = scheme->heap[(at - 1) / 2];
    scheme->heap[at] = rank;
}

static uint32_t pop(struct sl_order_scheme *scheme)
{
    uint32_t least = scheme->heap[0], last = scheme->heap[--scheme->heap_count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < scheme->heap_count; at = child) {
        if (child + 1 < scheme->heap_count && scheme->heap[child + 1] < scheme->heap[child])
            child++;
        if (scheme->heap[child] >= last)
            break;
        scheme->heap[at] = scheme->heap[child];
    }
    scheme->heap[at] = last;
    return least;
}

static int64_t earliest_start(const struct sl_order_scheme *scheme, uint32_t node)
{
    const struct sl_order_model *m = scheme->model;
    int64_t t = scheme->ready_ps[node], before;
    do {
        before = t;
        for (uint32_t u = m->use_start[node]; u < m->use_start[node + 1] && t != NEVER; u++) {
            const struct sl_order_use *use = &m->uses[u];
            t = earliest(&scheme->profiles[use->stock], use, m->limit[use->stock], t);
        }
    } while (t != before && t != NEVER);
    return t;
}

/* Places the node; true where it gives back bytes, so that what is parked may fit. */
static bool place(struct sl_order_scheme *scheme, uint32_t node, int64_t t, const uint32_t *rank)
{
    const struct sl_order_model *m = scheme->model;
    bool gives = false;
    scheme->start_ps[node] = t;
    for (uint32_t u = m->use_start[node]; u < m->use_start[node + 1]; u++) {
        add(&scheme->profiles[m->uses[u].stock], &m->uses[u], t);
        gives |= m->uses[u].after < 0;
    }
    for (uint32_t l = m->link_start[node]; l < m->link_start[node + 1]; l++) {
        uint32_t next = m->links[l].node;
        int64_t ready = t + m->span_ps[node] + m->links[l].lag_ps;
        if (ready > scheme->ready_ps[next])
            scheme->ready_ps[next] = ready;
        if (--scheme->before[next] == 0)
            push(scheme, rank[next]);
    }
    return gives;
}

static void begin(struct sl_order_scheme *scheme, const uint32_t *rank)
{
    const struct sl_order_model *m = scheme->model;
    memcpy(scheme->ready_ps, m->release_ps, m->node_count * sizeof *scheme->ready_ps);
    memcpy(scheme->before, m->before, m->node_count * sizeof *scheme->before);
    for (uint32_t s = 0; s < m->stock_count; s++) {
        scheme->profiles[s].count = 1;
        scheme->profiles[s].times[0] = 0;
        scheme->profiles[s].levels[0] = m->initial[s];
    }
    scheme->heap_count = scheme->parked_count = 0;
    for (uint32_t i = 0; i < m->node_count; i++)
        if (m->before[i] == 0)
            push(scheme, rank[i]);
}

bool sl_order_generate(struct sl_order_scheme *scheme, const uint32_t *list, uint32_t *rank)
{
    uint32_t n = scheme->model->node_count, placed = 0;
    for (uint32_t k = 0; k < n; k++)
        rank[list[k]] = k;
    begin(scheme, rank);
    while (scheme->heap_count > 0) {
        uint32_t node = list[pop(scheme)];
        int64_t t = earliest_start(scheme, node);
        if (t == NEVER) {
            scheme->parked[scheme->parked_count++] = rank[node];
            continue;
        }
        placed++;
        if (place(scheme, node, t, rank))
            while (scheme->parked_count > 0)
                push(scheme, scheme->parked[--scheme->parked_count]);
    }
    return placed == n;
}
