/* What durations share: residuals, products of neighbours by session, and what sessions say. */
#include "config.h"

#include "common_fit.h"
#include "estimate_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A shot by what is left of its duration when its case's median is taken away. */
struct residual {
    uint32_t session, seq, case_index, klass; /* session from 0, of those that there are */
    int64_t begin_ns;
    double x;
};

/* Sums over the classes a and b of session s stand at (s count + a) count + b, a <= b. */
struct covariances {
    uint32_t count, sessions;
    double *sum;
    uint32_t *pairs;
    double *mean; /* count x count, over sessions */
};

static bool takes_part(const struct sl_estimator *e, const struct sl_measurement *item)
{
    return sl_is_usable(item) && item->role == SL_ROLE_ALONE && !item->other_timer &&
           item->sample.dur_ns >= SL_SHARED_FLOOR_NS &&
           strcmp(item->regime, e->out->regimes[0].name) == 0;
}

/* Appends the residuals of items [first, end), one case in one session, where they are enough. */
static size_t add_residuals(struct sl_estimator *e, size_t first, size_t end, uint32_t session,
                            struct residual *to)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (takes_part(e, e->items[i]))
            e->numbers[n++] = log(e->items[i]->sample.dur_ns);
    if (n < SL_SESSION_SHOTS)
        return 0;
    double median = sl_median_of(e->numbers, n);
    n = 0;
    for (size_t i = first; i < end; i++) {
        const struct sl_measurement *item = e->items[i];
        if (!takes_part(e, item))
            continue;
        double x = log(item->sample.dur_ns) - median;
        to[n++] = (struct residual){
            .session = session,
            .seq = item->seq,
            .case_index = item->case_index,
            .klass = sl_estimator_case(e, item->case_index)->shot.victim.klass,
            .begin_ns = item->begin_ns,
            .x = fmin(fmax(x, -SL_SHARED_CLIP), SL_SHARED_CLIP),
        };
    }
    return n;
}

static int by_time(const void *left, const void *right)
{
    const struct residual *a = left, *b = right;
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

/* Numbers the sessions that there are; numbers[session - 1]. */
static uint32_t number_sessions(const struct sl_estimator *e, uint32_t *numbers)
{
    uint32_t count = 0;
    memset(numbers, 0, SL_SESSIONS_MOST * sizeof *numbers);
    for (size_t i = 0; i < e->measured->count; i++)
        numbers[e->measured->items[i].session - 1] = 1;
    for (uint32_t s = 0; s < SL_SESSIONS_MOST; s++)
        if (numbers[s])
            numbers[s] = count++;
    return count;
}

/* The residuals of all cases, in the order of time. */
static size_t collect(struct sl_estimator *e, const uint32_t *numbers, struct residual *residuals)
{
    size_t count = 0;
    for (size_t first = 0, end; first < e->measured->count; first = end) {
        const struct sl_measurement *item = e->items[first];
        for (end = first + 1; end < e->measured->count &&
                              e->items[end]->case_index == item->case_index &&
                              e->items[end]->session == item->session;)
            end++;
        count += add_residuals(e, first, end, numbers[item->session - 1], &residuals[count]);
    }
    qsort(residuals, count, sizeof *residuals, by_time);
    return count;
}

static size_t place(const struct covariances *c, uint32_t session, uint32_t a, uint32_t b)
{
    return ((size_t)session * c->count + (a < b ? a : b)) * c->count + (a < b ? b : a);
}

static bool are_neighbours(const struct residual *one, const struct residual *two)
{
    return one->session == two->session && two->begin_ns - one->begin_ns <= SL_SHARED_WINDOW_NS;
}

/* Shots take their time, so that a window holds a limited number of them. */
static void add_products(struct covariances *c, const struct residual *residuals, size_t count)
{
    enum { MOST = SL_SHARED_WINDOW_NS / SL_SHARED_FLOOR_NS };
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1;
             k < count && k <= i + MOST && are_neighbours(&residuals[i], &residuals[k]); k++) {
            if (residuals[i].case_index == residuals[k].case_index)
                continue;
            size_t at = place(c, residuals[i].session, residuals[i].klass, residuals[k].klass);
            c->sum[at] += residuals[i].x * residuals[k].x;
            c->pairs[at]++;
        }
}

/* The session's covariance; NAN where it has too few neighbours to count. */
static double of_session(const struct covariances *c, uint32_t session, uint32_t a, uint32_t b)
{
    size_t at = place(c, session, a, b);
    return c->pairs[at] >= SL_SESSION_SHOTS ? c->sum[at] / c->pairs[at] : (double)NAN;
}

/* Those of the sessions that count, into `values`. */
static uint32_t gather(const struct covariances *c, uint32_t a, uint32_t b, double *values)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < c->sessions; s++) {
        double value = of_session(c, s, a, b);
        if (!isnan(value))
            values[n++] = value;
    }
    return n;
}

/* Means over the sessions but `without` (SL_NONE: all), both halves. */
static void find_means(struct covariances *c, uint32_t without)
{
    for (uint32_t a = 0; a < c->count; a++)
        for (uint32_t b = a; b < c->count; b++) {
            double sum = 0, n = 0;
            for (uint32_t s = 0; s < c->sessions; s++) {
                double value = s == without ? (double)NAN : of_session(c, s, a, b);
                if (isnan(value))
                    continue;
                sum += value;
                n++;
            }
            c->mean[(size_t)a * c->count + b] = c->mean[(size_t)b * c->count + a] =
                n > 0 ? sum / n : (double)NAN;
        }
}

/* Above 0 with a chance of at most `alarm` where the truth is 0. */
static bool is_above_zero(const double *values, uint32_t n, double alarm)
{
    return n >= SL_SESSIONS_LEAST && sl_mean(values, n, 1 - 2 * alarm).lo > 0;
}

static void describe_class(struct sl_estimator *e, const struct covariances *c, uint32_t klass,
                           const struct residual *residuals, size_t count)
{
    struct sl_shared_estimate *row = &e->out->shared[e->out->shared_count];
    double square = 0;
    size_t shots = 0;
    *row = (struct sl_shared_estimate){.klass = klass, .variance = SL_NO_ESTIMATE};
    for (uint32_t s = 0; s < c->sessions; s++)
        row->pairs += c->pairs[place(c, s, klass, klass)];
    for (size_t i = 0; i < count; i++)
        if (residuals[i].klass == klass) {
            square += residuals[i].x * residuals[i].x;
            shots++;
        }
    if (shots == 0)
        return;
    e->out->shared_count++;
    row->total_sd = sqrt(square / (double)shots);
    row->sessions = gather(c, klass, klass, e->medians);
    if (row->sessions > 0)
        row->variance = sl_mean(e->medians, row->sessions, SL_CONFIDENCE);
}

/* Which of the classes share: Holm's procedure, of all of which the chance is at most the alarm
 * that one counts which does not share.  As many hypotheses as are left divide it. */
static void find_classes(struct sl_estimator *e, const struct covariances *c)
{
    uint32_t left = e->out->shared_count;
    for (uint32_t before = left + 1; left > 0 && left < before;) {
        before = left;
        for (uint32_t k = 0; k < e->out->shared_count; k++) {
            struct sl_shared_estimate *row = &e->out->shared[k];
            uint32_t n = gather(c, row->klass, row->klass, e->medians);
            if (row->counts || !is_above_zero(e->medians, n, SL_SHARED_ALARM / before))
                continue;
            row->counts = true;
            row->alone_sd = sqrt(row->variance.value);
            left--;
        }
    }
}

/* The mean correlation of the classes that count, by session: is there a common factor at all? */
static void find_correlation(struct sl_estimator *e, const struct covariances *c)
{
    uint32_t n = 0;
    e->out->correlation = SL_NO_ESTIMATE;
    for (uint32_t s = 0; s < c->sessions; s++) {
        double sum = 0, pairs = 0;
        for (uint32_t i = 0; i < e->out->shared_count; i++)
            for (uint32_t k = 0; k < i; k++) {
                const struct sl_shared_estimate *a = &e->out->shared[i], *b = &e->out->shared[k];
                double value = of_session(c, s, a->klass, b->klass);
                if (!a->counts || !b->counts || isnan(value))
                    continue;
                sum += value / (a->alone_sd * b->alone_sd);
                pairs++;
            }
        if (pairs > 0)
            e->medians[n++] = sum / pairs;
    }
    if (n > 0)
        e->out->correlation = sl_mean(e->medians, n, SL_CONFIDENCE);
    e->out->is_common = is_above_zero(e->medians, n, SL_SHARED_ALARM);
}

/* Tukey's jackknife: from the fits without one session each. */
static void add_limits(struct sl_shared_estimate *row, double *fits, uint32_t sessions)
{
    struct sl_estimate mean = sl_mean(fits, sessions, SL_CONFIDENCE);
    double wide = (mean.hi - mean.value) * (sessions - 1.0);
    row->common_sd.lo = fmax(row->common_sd.value - wide, 0);
    row->common_sd.hi = row->common_sd.value + wide;
}

/* Parts of what counts into what is common and what is the class's alone. */
static enum sl_status split(struct sl_estimator *e, struct covariances *c, struct sl_error *err)
{
    bool *counts = calloc(c->count + 1u, sizeof *counts);
    double *sds = calloc(((size_t)c->sessions + 1) * c->count + 1, sizeof *sds);
    enum sl_status status = counts && sds ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t k = 0; status == SL_OK && k < e->out->shared_count; k++)
        counts[e->out->shared[k].klass] = e->out->shared[k].counts;
    for (uint32_t s = 0; status == SL_OK && s <= c->sessions; s++) {
        find_means(c, s < c->sessions ? s : SL_NONE);
        sl_common_fit(c->mean, counts, c->count, &sds[(size_t)s * c->count]);
    }
    for (uint32_t k = 0; status == SL_OK && k < e->out->shared_count; k++) {
        struct sl_shared_estimate *row = &e->out->shared[k];
        if (!row->counts)
            continue;
        row->common_sd.value = sds[(size_t)c->sessions * c->count + row->klass];
        row->alone_sd =
            sqrt(fmax(row->variance.value - row->common_sd.value * row->common_sd.value, 0));
        for (uint32_t s = 0; s < c->sessions; s++)
            e->medians[s] = sds[(size_t)s * c->count + row->klass];
        add_limits(row, e->medians, c->sessions);
    }
    free(counts);
    free(sds);
    return status;
}

static enum sl_status describe(struct sl_estimator *e, struct covariances *c,
                               struct residual *residuals, uint32_t *numbers, struct sl_error *err)
{
    c->sessions = number_sessions(e, numbers);
    size_t cells = (size_t)c->count * c->count, most = cells * c->sessions + 1;
    c->sum = calloc(most, sizeof *c->sum);
    c->pairs = calloc(most, sizeof *c->pairs);
    c->mean = calloc(cells + 1, sizeof *c->mean);
    e->out->shared = sl_arena_array(&e->out->arena, (size_t)c->count + 1, sizeof *e->out->shared);
    if (!c->sum || !c->pairs || !c->mean || !e->out->shared)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    size_t count = collect(e, numbers, residuals);
    add_products(c, residuals, count);
    for (uint32_t k = 0; k < c->count; k++)
        describe_class(e, c, k, residuals, count);
    find_classes(e, c);
    find_correlation(e, c);
    return e->out->is_common ? split(e, c, err) : SL_OK;
}

enum sl_status sl_estimate_shared(struct sl_estimator *e, struct sl_error *err)
{
    struct covariances c = {.count = e->measured->cases->class_count};
    struct residual *residuals = calloc(e->measured->count + 1, sizeof *residuals);
    uint32_t *numbers = calloc(SL_SESSIONS_MOST, sizeof *numbers);
    enum sl_status status = residuals && numbers ? describe(e, &c, residuals, numbers, err)
                                                 : SL_FAIL(err, SL_SYSTEM, "out of memory");
    free(residuals);
    free(numbers);
    free(c.sum);
    free(c.pairs);
    free(c.mean);
    return status;
}

double sl_shared_sd(const struct sl_estimates *estimates, uint32_t klass)
{
    for (uint32_t k = 0; k < estimates->shared_count; k++)
        if (estimates->shared[k].klass == klass && estimates->shared[k].counts)
            return sqrt(estimates->shared[k].variance.value);
    return 0;
}
