/* kappa: paired log-ratios of blocks, by case and regime.
 *
 *     kappa = exp(median of ln(beside / alone))
 *
 * over the pairs whose shots were both accepted in one regime. */
#include "config.h"

#include "estimate_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two neighbours of a block.  `beside` may be one that was rejected for its coverage alone: it
 * tells how they queue, but is no evidence of kappa. */
struct pair {
    const struct sl_measurement *alone, *beside;
};

/* What one case gave in one regime. */
struct pairs {
    const struct sl_estimator *e;
    struct pair *items;
    size_t count;
    uint32_t rejected; /* shots */
};

static bool counts(const struct pair *pair)
{
    return sl_is_usable(pair->beside);
}

static bool has_time(const struct sl_measurement *item)
{
    return sl_is_usable(item) ||
           (item->sample.reject == SL_REJECT_COVERAGE && item->sample.dur_ns > 0);
}

static bool same_slot(const struct sl_measurement *a, const struct sl_measurement *b)
{
    return a->session == b->session && a->block == b->block && a->pair == b->pair;
}

/* The shot that a slot ended with: the accepted one, else the last that has times.  Sets the pair
 * of the slot that begins at *i and moves *i behind it; false when a half is missing. */
static bool next_pair(const struct sl_estimator *e, size_t *i, size_t end, struct pair *pair)
{
    size_t first = *i;
    *pair = (struct pair){0};
    for (; *i < end && same_slot(e->items[first], e->items[*i]); ++*i) {
        const struct sl_measurement *item = e->items[*i];
        bool alone = item->role == SL_ROLE_ALONE;
        const struct sl_measurement **half = alone ? &pair->alone : &pair->beside;
        if (alone ? sl_is_usable(item) : has_time(item) && !(*half && sl_is_usable(*half)))
            *half = item;
    }
    return pair->alone && pair->beside;
}

/* The pairs of a case whose shots are both in `regime`. */
static void collect(struct pairs *pairs, uint32_t case_index, const char *regime)
{
    const struct sl_estimator *e = pairs->e;
    size_t end = e->first[case_index + 1];
    pairs->count = 0;
    pairs->rejected = 0;
    for (size_t i = e->first[case_index]; i < end; i++)
        pairs->rejected += !sl_is_usable(e->items[i]) && strcmp(e->items[i]->regime, regime) == 0;
    for (size_t i = e->first[case_index]; i < end;) {
        struct pair pair;
        if (next_pair(e, &i, end, &pair) && strcmp(pair.alone->regime, regime) == 0 &&
            strcmp(pair.beside->regime, regime) == 0)
            pairs->items[pairs->count++] = pair;
    }
}

static uint64_t count_split(const struct sl_estimator *e, uint32_t case_index)
{
    uint64_t split = 0;
    struct pair pair;
    for (size_t i = e->first[case_index]; i < e->first[case_index + 1];)
        split += next_pair(e, &i, e->first[case_index + 1], &pair) && counts(&pair) &&
                 strcmp(pair.alone->regime, pair.beside->regime) != 0;
    return split;
}

/* Median of a figure over pairs: those that count, or all; NAN values are left out. */
static double median_over(const struct pairs *pairs, bool all,
                          double (*figure)(const struct pair *pair))
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        double value = all || counts(&pairs->items[i]) ? figure(&pairs->items[i]) : (double)NAN;
        if (isfinite(value))
            pairs->e->numbers[n++] = value;
    }
    return sl_median_of(pairs->e->numbers, n);
}

static double time_alone(const struct pair *pair)
{
    return pair->alone->sample.dur_ns;
}

static double time_beside(const struct pair *pair)
{
    return pair->beside->sample.dur_ns;
}

static double log_exec(const struct pair *pair)
{
    return log(pair->beside->sample.exec_ns / pair->alone->sample.exec_ns);
}

static double delay(const struct pair *pair)
{
    return pair->beside->sample.start_delay_ns - pair->alone->sample.start_delay_ns;
}

static double co_resident(const struct pair *pair)
{
    return pair->beside->sample.co_resident;
}

static double coverage(const struct pair *pair)
{
    return pair->beside->sample.coverage;
}

static struct sl_session_median log_ratio(const struct pairs *pairs, double *medians)
{
    const struct sl_estimator *e = pairs->e;
    size_t n = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (counts(&pairs->items[i]))
            e->values[n++] = (struct sl_session_value){
                log(time_beside(&pairs->items[i]) / time_alone(&pairs->items[i])),
                pairs->items[i].alone->session};
    return sl_session_median(e->values, n, medians, e->out->session_most);
}

static enum sl_contention_mode mode_of(double delay_ns, double alone_ns, double cover)
{
    bool apart = cover < SL_SHARE_COVER, waits = delay_ns >= SL_QUEUE_DELAY * alone_ns;
    if (apart && (waits || isnan(delay_ns)))
        return SL_MODE_QUEUE;
    return waits && !apart ? SL_MODE_MIXED : SL_MODE_SHARE;
}

static enum sl_row_status status_of(const struct sl_kappa_estimate *row)
{
    if (row->pairs == 0)
        return row->mode == SL_MODE_QUEUE ? SL_ROW_QUEUED : SL_ROW_REJECTED;
    if (row->sessions == 0)
        return SL_ROW_TOO_FEW;
    return row->sessions < SL_SESSIONS_LEAST ? SL_ROW_ONE_SESSION : SL_ROW_OK;
}

/* 1 where the control, in which nothing ran beside, is as far from it. */
static void apply_bound(struct sl_kappa_estimate *row, const struct sl_estimates *out,
                        uint32_t klass)
{
    row->kappa = row->raw;
    for (uint32_t i = 0; i < out->control_count; i++) {
        const struct sl_control_estimate *control = &out->controls[i];
        if (control->klass == klass && strcmp(control->regime, row->regime) == 0)
            row->is_one = fabs(row->raw.value - 1) < control->bound;
    }
    if (!row->is_one)
        return;
    row->kappa.value = 1;
    row->kappa.lo = fmin(row->raw.lo, 1);
    row->kappa.hi = fmax(row->raw.hi, 1);
}

static void describe(struct sl_kappa_estimate *row, const struct pairs *pairs)
{
    uint32_t throttled = 0;
    row->coverage_least = (double)NAN;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->items[i];
        if (!counts(pair))
            continue;
        throttled += pair->alone->sample.throttled || pair->beside->sample.throttled;
        row->coverage_least = fmin(row->coverage_least, coverage(pair));
    }
    row->throttled = row->pairs > 0 ? throttled / (double)row->pairs : (double)NAN;
    row->ratio_of_medians =
        median_over(pairs, false, time_beside) / median_over(pairs, false, time_alone);
    row->exec = exp(median_over(pairs, false, log_exec));
    row->start_delay_ns = median_over(pairs, true, delay);
    row->co_resident = median_over(pairs, true, co_resident);
    row->coverage_median = median_over(pairs, true, coverage);
    row->mode =
        mode_of(row->start_delay_ns, median_over(pairs, true, time_alone), row->coverage_median);
    row->rejected = pairs->rejected;
}

static enum sl_status make_row(struct sl_kappa_estimate *row, const struct pairs *pairs,
                               uint32_t case_index, const char *regime, struct sl_error *err)
{
    struct sl_estimates *out = pairs->e->out;
    *row = (struct sl_kappa_estimate){.case_index = case_index, .regime = regime};
    row->session_logs =
        sl_arena_array(&out->arena, (size_t)out->session_most + 1, sizeof *row->session_logs);
    if (!row->session_logs)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_session_median log_kappa = log_ratio(pairs, row->session_logs);
    row->raw = (struct sl_estimate){exp(log_kappa.estimate.value), exp(log_kappa.estimate.lo),
                                    exp(log_kappa.estimate.hi)};
    row->sd = log_kappa.sd;
    row->pairs = log_kappa.n;
    row->sessions = log_kappa.sessions;
    describe(row, pairs);
    row->status = status_of(row);
    apply_bound(row, out, sl_estimator_case(pairs->e, case_index)->shot.victim.klass);
    return SL_OK;
}

/* A regime in which a case has no pair has no row, but that a case has one at all. */
static enum sl_status add_rows(struct sl_estimator *e, struct pairs *pairs, uint32_t case_index,
                               struct sl_kappa_estimate *rows, uint32_t *count,
                               struct sl_error *err)
{
    uint32_t before = *count;
    enum sl_status status = SL_OK;
    if (e->first[case_index] == e->first[case_index + 1])
        return SL_OK;
    e->out->split_pairs += count_split(e, case_index);
    for (uint32_t r = 0; status == SL_OK && r < e->out->regime_count; r++) {
        collect(pairs, case_index, e->out->regimes[r].name);
        if (pairs->count > 0)
            status = make_row(&rows[(*count)++], pairs, case_index, e->out->regimes[r].name, err);
    }
    if (status != SL_OK || *count > before)
        return status;
    const char *regime =
        e->out->regime_count > 0 ? e->out->regimes[0].name : e->items[e->first[case_index]]->regime;
    collect(pairs, case_index, regime);
    return make_row(&rows[(*count)++], pairs, case_index, regime, err);
}

static bool is_contention(enum sl_case_kind kind)
{
    return kind == SL_CASE_PAIR || kind == SL_CASE_SET;
}

enum sl_status sl_estimate_kappas(struct sl_estimator *e, struct sl_error *err)
{
    struct sl_estimates *out = e->out;
    size_t most = (size_t)e->measured->cases->count * (out->regime_count + 1u) + 1;
    struct pairs pairs = {.e = e, .items = calloc(e->measured->count + 1, sizeof *pairs.items)};
    out->kappas = sl_arena_array(&out->arena, most, sizeof *out->kappas);
    out->partials = sl_arena_array(&out->arena, most, sizeof *out->partials);
    enum sl_status status = pairs.items && out->kappas && out->partials
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t c = 0; status == SL_OK && c < e->measured->cases->count; c++) {
        enum sl_case_kind kind = sl_estimator_case(e, c)->kind;
        if (is_contention(kind))
            status = add_rows(e, &pairs, c, out->kappas, &out->kappa_count, err);
        else if (kind == SL_CASE_PARTIAL)
            status = add_rows(e, &pairs, c, out->partials, &out->partial_count, err);
    }
    free(pairs.items);
    return status;
}

enum sl_status sl_estimate_controls(struct sl_estimator *e, struct sl_error *err)
{
    struct sl_estimates *out = e->out;
    size_t most = (size_t)e->measured->cases->count * out->regime_count + 1;
    struct pairs pairs = {.e = e, .items = calloc(e->measured->count + 1, sizeof *pairs.items)};
    out->controls = sl_arena_array(&out->arena, most, sizeof *out->controls);
    enum sl_status status =
        pairs.items && out->controls ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t c = 0; status == SL_OK && c < e->measured->cases->count; c++) {
        if (sl_estimator_case(e, c)->kind != SL_CASE_CONTROL)
            continue;
        out->split_pairs += count_split(e, c);
        for (uint32_t r = 0; r < out->regime_count; r++) {
            collect(&pairs, c, out->regimes[r].name);
            if (pairs.count == 0)
                continue;
            struct sl_session_median found = log_ratio(&pairs, e->medians);
            out->controls[out->control_count++] = (struct sl_control_estimate){
                .klass = sl_estimator_case(e, c)->shot.victim.klass,
                .regime = out->regimes[r].name,
                .log_ratio = found,
                .bound = fmax(fabs(expm1(found.estimate.lo)), fabs(expm1(found.estimate.hi))),
            };
        }
    }
    free(pairs.items);
    return status;
}
