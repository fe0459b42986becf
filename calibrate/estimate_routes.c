/* Bandwidth and overhead of copies, from their medians t_i at sizes b_i:
 *
 *     t = overhead + bytes / bandwidth,   least sum of |t_i - t(b_i)| / t_i,   overhead >= 0
 *
 * Absolute values, so that one size at which the machine does something else does not bend the
 * line; relative ones, so that small copies count as much as large ones.  The least sum is reached
 * on a line through two of the points, or through one and an overhead of 0: all of them are tried.
 */
#include "config.h"

#include "estimate_parts.h"
#include <math.h>

enum { MOST_SIZES = 64 };

struct line {
    double overhead_ns, ns_per_byte;
};

struct points {
    double bytes[MOST_SIZES], ns[MOST_SIZES];
    uint32_t count;
};

static double misfit(const struct points *points, struct line line)
{
    double sum = 0;
    for (uint32_t i = 0; i < points->count; i++)
        sum += fabs(points->ns[i] - line.overhead_ns - line.ns_per_byte * points->bytes[i]) /
               points->ns[i];
    return sum;
}

static void consider(const struct points *points, struct line line, struct line *best,
                     double *least)
{
    double sum = misfit(points, line);
    if (line.overhead_ns >= 0 && line.ns_per_byte > 0 && sum < *least) {
        *best = line;
        *least = sum;
    }
}

/* A line of NAN without points. */
static struct line fit_line(const struct points *points)
{
    struct line best = {(double)NAN, (double)NAN};
    double least = INFINITY;
    for (uint32_t i = 0; i < points->count; i++) {
        consider(points, (struct line){0, points->ns[i] / points->bytes[i]}, &best, &least);
        for (uint32_t k = 0; k < i; k++) {
            double slope = (points->ns[i] - points->ns[k]) / (points->bytes[i] - points->bytes[k]);
            consider(points, (struct line){points->ns[i] - slope * points->bytes[i], slope}, &best,
                     &least);
        }
    }
    return best;
}

/* Whether the row is of the class as it contends, in the machine's usual regime. */
static bool is_of(const struct sl_estimator *e, const struct sl_duration_estimate *row,
                  uint32_t klass)
{
    const struct sl_work *work = &sl_estimator_case(e, row->case_index)->shot.victim;
    return work->klass == klass && work->form == 0 && work->bytes > 0 &&
           (row->status == SL_ROW_OK || row->status == SL_ROW_ONE_SESSION);
}

/* Medians of the session with that index, SL_NONE: of all together. */
static struct points gather(const struct sl_estimator *e, uint32_t klass, uint32_t session)
{
    struct points points = {.count = 0};
    for (uint32_t i = 0; i < e->out->duration_count && points.count < MOST_SIZES; i++) {
        const struct sl_duration_estimate *row = &e->out->durations[i];
        double ns = session == SL_NONE ? row->median_ns.value : exp(row->session_logs[session]);
        if (!is_of(e, row, klass) || !(ns > 0))
            continue;
        points.bytes[points.count] =
            (double)sl_estimator_case(e, row->case_index)->shot.victim.bytes;
        points.ns[points.count++] = ns;
    }
    return points;
}

static uint32_t largest_row(const struct sl_estimator *e, uint32_t klass)
{
    uint32_t found = SL_NONE;
    int64_t most = 0;
    for (uint32_t i = 0; i < e->out->duration_count; i++) {
        const struct sl_duration_estimate *row = &e->out->durations[i];
        int64_t bytes = sl_estimator_case(e, row->case_index)->shot.victim.bytes;
        if (is_of(e, row, klass) && bytes > most) {
            most = bytes;
            found = i;
        }
    }
    return found;
}

static void widen(struct sl_estimate *estimate, struct sl_estimate mean)
{
    estimate->lo = fmin(mean.lo, estimate->value);
    estimate->hi = fmax(mean.hi, estimate->value);
}

/* The line of each session that measured all of the sizes. */
static void add_limits(struct sl_estimator *e, struct sl_route_estimate *route)
{
    uint32_t n = 0;
    double *logs = e->medians, *overheads = e->numbers;
    for (uint32_t s = 0; s < e->out->session_most; s++) {
        struct points points = gather(e, route->klass, s);
        if (points.count < route->sizes)
            continue;
        struct line line = fit_line(&points);
        logs[n] = -log(line.ns_per_byte);
        overheads[n++] = line.overhead_ns;
    }
    if (n < SL_SESSIONS_LEAST)
        return;
    struct sl_estimate rate = sl_mean(logs, n, SL_CONFIDENCE);
    widen(&route->bytes_per_s, (struct sl_estimate){0, 1e9 * exp(rate.lo), 1e9 * exp(rate.hi)});
    struct sl_estimate overhead = sl_mean(overheads, n, SL_CONFIDENCE);
    overhead.lo = fmax(overhead.lo, 0);
    widen(&route->overhead_ns, overhead);
}

static struct sl_route_estimate make_route(struct sl_estimator *e, uint32_t klass)
{
    struct points points = gather(e, klass, SL_NONE);
    struct line line = fit_line(&points);
    struct sl_route_estimate route = {
        .klass = klass,
        .bytes_per_s = {1e9 / line.ns_per_byte, (double)NAN, (double)NAN},
        .overhead_ns = {line.overhead_ns, (double)NAN, (double)NAN},
        .sizes = points.count,
        .largest = largest_row(e, klass),
    };
    for (uint32_t i = 0; i < points.count; i++) {
        double ns = line.overhead_ns + line.ns_per_byte * points.bytes[i];
        route.worst = fmax(route.worst, fabs(ns / points.ns[i] - 1));
    }
    if (points.count > 0)
        add_limits(e, &route);
    return route;
}

/* The noise that a simulator puts on copies: the spread of the largest ones, of their own. */
static enum sl_status fit_noise(struct sl_estimator *e, struct sl_route_estimate *route,
                                struct sl_error *err)
{
    const struct sl_duration_estimate *row = &e->out->durations[route->largest];
    route->factors = sl_arena_array(&e->out->arena, row->n, sizeof *route->factors);
    if (!route->factors)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < row->n; i++)
        route->factors[i] = row->own_ns[i] / row->median_ns.value;
    return sl_fit_all(&route->noise, route->factors, row->n, &e->out->arena, err);
}

enum sl_status sl_estimate_routes(struct sl_estimator *e, struct sl_error *err)
{
    struct sl_estimates *out = e->out;
    uint32_t classes = e->measured->cases->class_count;
    out->routes = sl_arena_array(&out->arena, (size_t)classes + 1, sizeof *out->routes);
    if (!out->routes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = SL_OK;
    for (uint32_t c = 0; status == SL_OK && c < classes; c++) {
        struct sl_route_estimate *route = &out->routes[out->route_count];
        *route = make_route(e, c);
        if (route->sizes > 0) {
            status = fit_noise(e, route, err);
            out->route_count++;
        }
    }
    return status;
}
