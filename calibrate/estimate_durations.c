/* Durations of works measured alone, by case, regime and timer. */
#include "config.h"

#include "estimate_parts.h"
#include <math.h>
#include <string.h>

/* Which of a case's shots make one row. */
struct part {
    const char *regime, *timer;
};

static const char *timer_of(const struct sl_measurement *item)
{
    return item->sample.timer ? item->sample.timer : "";
}

static bool is_of(const struct sl_measurement *item, const struct part *part)
{
    return sl_is_usable(item) && strcmp(item->regime, part->regime) == 0 &&
           strcmp(timer_of(item), part->timer) == 0;
}

/* The timer of the shots that did not ask for the other one. */
static const char *main_timer(const struct sl_estimator *e, uint32_t case_index)
{
    for (size_t i = e->first[case_index]; i < e->first[case_index + 1]; i++)
        if (sl_is_usable(e->items[i]) && !e->items[i]->other_timer)
            return timer_of(e->items[i]);
    return "";
}

static double median_over(const struct sl_estimator *e, uint32_t case_index,
                          const struct part *part, double (*figure)(const struct sl_sample *))
{
    size_t n = 0;
    for (size_t i = e->first[case_index]; i < e->first[case_index + 1]; i++) {
        double value = figure(&e->items[i]->sample);
        if (is_of(e->items[i], part) && isfinite(value))
            e->numbers[n++] = value;
    }
    return sl_median_of(e->numbers, n);
}

static double start_delay(const struct sl_sample *sample)
{
    return sample->start_delay_ns;
}

static double clock_rate(const struct sl_sample *sample)
{
    return sample->sm_mhz;
}

static enum sl_row_status status_of(const struct sl_estimator *e,
                                    const struct sl_duration_estimate *row, const char *timer)
{
    if (row->n == 0)
        return SL_ROW_REJECTED;
    if (strcmp(row->timer, timer) != 0)
        return SL_ROW_OTHER_TIMER;
    if (strcmp(row->regime, e->out->regimes[0].name) != 0)
        return SL_ROW_OTHER_REGIME;
    if (row->sessions == 0)
        return SL_ROW_TOO_FEW;
    return row->sessions < SL_SESSIONS_LEAST ? SL_ROW_ONE_SESSION : SL_ROW_OK;
}

/* Of the row, the variance of ln around its median, clipped as what is shared is. */
static double log_variance(const struct sl_duration_estimate *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        double x = log(row->sorted_ns[i] / row->median_ns.value);
        x = fmin(fmax(x, -SL_SHARED_CLIP), SL_SHARED_CLIP);
        sum += x * x;
    }
    return sum / row->n;
}

/* Leaves of the spread what the class does not share (estimate.h). */
static enum sl_status take_own_part(struct sl_duration_estimate *row, struct sl_arena *arena,
                                    struct sl_error *err)
{
    row->own_ns = row->sorted_ns;
    row->own_share = 1;
    if (!(row->shared_sd > 0) || row->n == 0)
        return SL_OK;
    double variance = log_variance(row), shared = row->shared_sd * row->shared_sd;
    row->own_share = variance > shared ? sqrt(1 - shared / variance) : 0;
    row->own_ns = sl_arena_array(arena, row->n, sizeof *row->own_ns);
    if (!row->own_ns)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < row->n; i++)
        row->own_ns[i] = sl_own_part(row, row->sorted_ns[i]);
    return SL_OK;
}

/* The quantiles of the sample and the law that is fitted to what is its own. */
static enum sl_status describe(struct sl_duration_estimate *row, struct sl_arena *arena,
                               struct sl_error *err)
{
    sl_sort_doubles(row->sorted_ns, row->n);
    row->p05_ns = sl_quantile(row->sorted_ns, row->n, 0.05, SL_CONFIDENCE);
    row->p95_ns = sl_quantile(row->sorted_ns, row->n, 0.95, SL_CONFIDENCE);
    row->p99_ns = sl_quantile(row->sorted_ns, row->n, 0.99, SL_CONFIDENCE);
    for (uint32_t i = row->n; i > 0 && row->sorted_ns[i - 1] > SL_FAR_OUT * row->median_ns.value;)
        row->far = row->n - --i;
    enum sl_status status = take_own_part(row, arena, err);
    return status == SL_OK ? sl_fit_all(&row->fits, row->own_ns, row->n, arena, err) : status;
}

static enum sl_status make_row(struct sl_estimator *e, struct sl_duration_estimate *row,
                               uint32_t case_index, const struct part *part, struct sl_error *err)
{
    struct sl_estimates *out = e->out;
    size_t shots = e->first[case_index + 1] - e->first[case_index], throttled = 0;
    *row = (struct sl_duration_estimate){
        .case_index = case_index, .regime = part->regime, .timer = part->timer};
    row->sorted_ns = sl_arena_array(&out->arena, shots + 1, sizeof *row->sorted_ns);
    row->session_logs =
        sl_arena_array(&out->arena, (size_t)out->session_most + 1, sizeof *row->session_logs);
    if (!row->sorted_ns || !row->session_logs)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (size_t i = e->first[case_index]; i < e->first[case_index + 1]; i++) {
        const struct sl_measurement *item = e->items[i];
        row->rejected += !sl_is_usable(item) && strcmp(item->regime, part->regime) == 0;
        if (!is_of(item, part))
            continue;
        throttled += item->sample.throttled;
        row->sorted_ns[row->n] = item->sample.dur_ns;
        e->values[row->n++] = (struct sl_session_value){log(item->sample.dur_ns), item->session};
    }
    struct sl_session_median log_ns =
        sl_session_median(e->values, row->n, row->session_logs, out->session_most);
    row->median_ns = (struct sl_estimate){exp(log_ns.estimate.value), exp(log_ns.estimate.lo),
                                          exp(log_ns.estimate.hi)};
    row->sd = log_ns.sd;
    row->sessions = log_ns.sessions;
    row->throttled = row->n > 0 ? (double)throttled / row->n : (double)NAN;
    row->launch_latency_ns = median_over(e, case_index, part, start_delay);
    row->sm_mhz = median_over(e, case_index, part, clock_rate);
    row->timer_factor = (double)NAN;
    if (strcmp(part->regime, out->regimes[0].name) == 0)
        row->shared_sd = sl_shared_sd(out, sl_estimator_case(e, case_index)->shot.victim.klass);
    row->status = status_of(e, row, main_timer(e, case_index));
    return describe(row, &out->arena, err);
}

static const struct sl_duration_estimate *find_row(const struct sl_duration_estimate *rows,
                                                   uint32_t count, const struct part *part)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rows[i].regime, part->regime) == 0 && strcmp(rows[i].timer, part->timer) == 0)
            return &rows[i];
    return NULL;
}

/* What a timer costs is seen where another one timed the same work in the same regime. */
static void compare_timers(struct sl_duration_estimate *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (rows[i].status != SL_ROW_OTHER_TIMER && rows[k].status == SL_ROW_OTHER_TIMER &&
                strcmp(rows[i].regime, rows[k].regime) == 0)
                rows[i].timer_factor = rows[i].median_ns.value / rows[k].median_ns.value;
}

/* A row of each regime and timer that occurs; a case without one usable shot has a row that says
 * so. */
static enum sl_status add_rows(struct sl_estimator *e, uint32_t case_index, struct sl_error *err)
{
    struct sl_estimates *out = e->out;
    struct sl_duration_estimate *rows = &out->durations[out->duration_count];
    uint32_t count = 0;
    enum sl_status status = SL_OK;
    for (size_t i = e->first[case_index]; i < e->first[case_index + 1]; i++) {
        struct part part = {e->items[i]->regime, timer_of(e->items[i])};
        if (!sl_is_usable(e->items[i]) || find_row(rows, count, &part))
            continue;
        if ((status = make_row(e, &rows[count++], case_index, &part, err)) != SL_OK)
            return status;
    }
    if (count == 0) {
        struct part part = {e->items[e->first[case_index]]->regime, ""};
        status = make_row(e, &rows[count++], case_index, &part, err);
    }
    compare_timers(rows, count);
    out->duration_count += count;
    return status;
}

/* Whether simulators would take the form at all (durations_csv.c). */
static bool is_simulated(const struct sl_work_form *form)
{
    return strcmp(form->cache, "cold") != 0 && strcmp(form->launch, "graph") != 0 &&
           strcmp(form->mem_kind, "pageable") != 0;
}

/* Of two forms that only people tell apart, simulators get the one that is named first. */
static void mark_other_forms(struct sl_estimator *e)
{
    for (uint32_t i = 0; i < e->out->duration_count; i++) {
        struct sl_duration_estimate *row = &e->out->durations[i];
        const struct sl_work *work = &sl_estimator_case(e, row->case_index)->shot.victim;
        const struct sl_work_form *forms = e->measured->cases->classes[work->klass].forms;
        for (uint32_t k = 0; k < i && row->status == SL_ROW_OK; k++) {
            const struct sl_duration_estimate *earlier = &e->out->durations[k];
            const struct sl_work *same = &sl_estimator_case(e, earlier->case_index)->shot.victim;
            if (earlier->status == SL_ROW_OK && same->klass == work->klass &&
                same->bytes == work->bytes && is_simulated(&forms[work->form]) &&
                is_simulated(&forms[same->form]) &&
                strcmp(forms[work->form].variant, forms[same->form].variant) == 0)
                row->status = SL_ROW_OTHER_FORM;
        }
    }
}

/* Of one case at most as many rows as it has shots. */
static size_t rows_at_most(const struct sl_estimator *e)
{
    size_t most = 1;
    for (uint32_t c = 0; c < e->measured->cases->count; c++)
        if (sl_estimator_case(e, c)->kind == SL_CASE_ALONE)
            for (size_t i = e->first[c]; i < e->first[c + 1]; i++)
                most += i == e->first[c] || strcmp(e->items[i]->regime, e->items[i - 1]->regime) ||
                        strcmp(timer_of(e->items[i]), timer_of(e->items[i - 1]));
    return most;
}

enum sl_status sl_estimate_durations(struct sl_estimator *e, struct sl_error *err)
{
    e->out->durations = sl_arena_array(&e->out->arena, rows_at_most(e), sizeof *e->out->durations);
    enum sl_status status = e->out->durations ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t c = 0; status == SL_OK && c < e->measured->cases->count; c++)
        if (sl_estimator_case(e, c)->kind == SL_CASE_ALONE && e->first[c] < e->first[c + 1])
            status = add_rows(e, c, err);
    mark_other_forms(e);
    return status;
}
