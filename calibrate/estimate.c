/* Estimates: counts and regimes, then the parts in the order in which they need each other. */
#include "config.h"

#include "estimate_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[SL_ROW_STATUSES] = {
    [SL_ROW_OK] = "ok",
    [SL_ROW_ONE_SESSION] = "one-session",
    [SL_ROW_TOO_FEW] = "too-few",
    [SL_ROW_REJECTED] = "rejected",
    [SL_ROW_QUEUED] = "queued",
    [SL_ROW_OTHER_REGIME] = "other-regime",
    [SL_ROW_OTHER_TIMER] = "other-timer",
    [SL_ROW_OTHER_FORM] = "other-form",
};

const char *sl_row_status_name(enum sl_row_status status)
{
    return status_names[status];
}

const char *sl_contention_mode_name(enum sl_contention_mode mode)
{
    static const char *const names[] = {
        [SL_MODE_SHARE] = "share", [SL_MODE_QUEUE] = "queue", [SL_MODE_MIXED] = "mixed"};
    return names[mode];
}

const struct sl_case *sl_estimator_case(const struct sl_estimator *e, uint32_t index)
{
    return &e->measured->cases->cases[index];
}

double sl_own_part(const struct sl_duration_estimate *row, double ns)
{
    return row->own_share == 1
               ? ns
               : row->median_ns.value * pow(ns / row->median_ns.value, row->own_share);
}

bool sl_duration_states_sample(const struct sl_duration_estimate *row)
{
    return (row->status == SL_ROW_OK || row->status == SL_ROW_ONE_SESSION) && row->n >= 2 &&
           !row->fits.good;
}

bool sl_duration_tail_misses(const struct sl_duration_estimate *row)
{
    if (!row->fits.good)
        return false; /* the sample itself is stated */
    double p99 = row->fits.all[row->fits.chosen].p99;
    return p99 < sl_own_part(row, row->p99_ns.lo) || p99 > sl_own_part(row, row->p99_ns.hi);
}

double sl_relative_width(struct sl_estimate estimate)
{
    return (estimate.hi - estimate.lo) / 2 / estimate.value;
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int in_order(const void *left, const void *right)
{
    const struct sl_measurement *a = *(const struct sl_measurement *const *)left,
                                *b = *(const struct sl_measurement *const *)right;
    int order = compare(a->case_index, b->case_index);
    order = order ? order : compare(a->session, b->session);
    order = order ? order : compare(a->block, b->block);
    order = order ? order : compare(a->pair, b->pair);
    order = order ? order : compare(a->role, b->role);
    return order ? order : compare(a->seq, b->seq);
}

/* Sorts pointers to the measurements and finds where each case begins. */
static enum sl_status put_in_order(struct sl_estimator *e, struct sl_error *err)
{
    size_t count = e->measured->count, cases = e->measured->cases->count;
    e->items = calloc(count + 1, sizeof *e->items);
    e->first = calloc(cases + 1, sizeof *e->first);
    e->numbers = calloc(count + SL_SESSIONS_MOST, sizeof *e->numbers);
    e->values = calloc(count + 1, sizeof *e->values);
    e->medians = calloc(SL_SESSIONS_MOST, sizeof *e->medians);
    if (!e->items || !e->first || !e->numbers || !e->values || !e->medians)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        e->items[i] = &e->measured->items[i];
        e->first[e->items[i]->case_index + 1]++;
    }
    for (size_t c = 0; c < cases; c++)
        e->first[c + 1] += e->first[c];
    qsort(e->items, count, sizeof *e->items, in_order);
    return SL_OK;
}

static enum sl_status count_sessions(struct sl_estimator *e, struct sl_error *err)
{
    for (size_t i = 0; i < e->measured->count; i++) {
        uint32_t session = e->measured->items[i].session;
        if (session < 1 || session > SL_SESSIONS_MOST)
            return SL_FAIL(err, SL_INVALID, "session %u (allowed: 1 to %d)", session,
                           SL_SESSIONS_MOST);
        if (session > e->out->session_most)
            e->out->session_most = session;
        e->medians[session - 1] = 1;
    }
    for (uint32_t s = 0; s < e->out->session_most; s++)
        e->out->sessions += e->medians[s] > 0;
    return SL_OK;
}

static uint32_t find_regime(const struct sl_estimates *out, const char *regime)
{
    uint32_t r = 0;
    while (r < out->regime_count && strcmp(out->regimes[r].name, regime) != 0)
        r++;
    return r;
}

/* Of equally frequent ones the first by name, whatever the order of the measurements. */
static int more_frequent(const void *left, const void *right)
{
    const struct sl_regime_count *a = left, *b = right;
    if (a->shots != b->shots)
        return a->shots > b->shots ? -1 : 1;
    return strcmp(a->name, b->name);
}

static enum sl_status count_shots(struct sl_estimator *e, struct sl_error *err)
{
    struct sl_estimates *out = e->out;
    uint32_t capacity = 0;
    struct sl_regime_count *regimes = NULL;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < e->measured->count; i++) {
        const struct sl_measurement *item = &e->measured->items[i];
        out->shots++;
        out->rejects[item->sample.reject]++;
        if (!sl_is_usable(item))
            continue;
        out->throttled += item->sample.throttled;
        uint32_t r = find_regime(out, item->regime);
        if (r == out->regime_count) {
            if (!sl_grow((void **)&regimes, &capacity, r + 1, sizeof *regimes)) {
                status = SL_FAIL(err, SL_SYSTEM, "out of memory");
                goto out;
            }
            regimes[r] = (struct sl_regime_count){item->regime, 0};
            out->regimes = regimes;
            out->regime_count++;
        }
        regimes[r].shots++;
    }
    if (regimes)
        qsort(regimes, out->regime_count, sizeof *regimes, more_frequent);
    out->regimes = sl_arena_array(&out->arena, (size_t)out->regime_count + 1, sizeof *regimes);
    if (!out->regimes)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    else if (out->regime_count > 0)
        memcpy(out->regimes, regimes, out->regime_count * sizeof *regimes);
    else
        out->regimes[0] = (struct sl_regime_count){"", 0};
out:
    free(regimes);
    return status;
}

enum sl_status sl_estimate(struct sl_estimates *estimates, const struct sl_measured *measured,
                           struct sl_error *err)
{
    static enum sl_status (*const parts[])(struct sl_estimator *, struct sl_error *) = {
        put_in_order,         count_sessions,        count_shots,
        sl_estimate_shared,   sl_estimate_durations, sl_estimate_routes,
        sl_estimate_controls, sl_estimate_kappas,    sl_estimate_composition,
    };
    struct sl_estimator e = {.out = estimates, .measured = measured};
    enum sl_status status = SL_OK;
    estimates->measured = measured;
    for (size_t i = 0; status == SL_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](&e, err);
    free(e.items);
    free(e.first);
    free(e.numbers);
    free(e.values);
    free(e.medians);
    return status;
}

void sl_estimates_free(struct sl_estimates *estimates)
{
    sl_arena_free(&estimates->arena);
}
