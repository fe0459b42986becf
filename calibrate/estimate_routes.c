/* Bandwidth and overhead of copies, from their medians t_i at sizes b_i:
 *
 *     t = overhead + bytes / bandwidth
 *
 * by the line that one odd size does not bend (sl_robust_line_fit). */
#include "config.h"

#include "estimate_parts.h"
#include "robust_line.h"
#include <math.h>

enum { MOST_SIZES = 64 };

struct points {
    double bytes[MOST_SIZES], ns[MOST_SIZES];
    uint32_t count;
};

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
        struct sl_robust_line line = sl_robust_line_fit(points.bytes, points.ns, points.count);
        logs[n] = -log(line.slope);
        overheads[n++] = line.intercept;
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
    struct sl_robust_line line = sl_robust_line_fit(points.bytes, points.ns, points.count);
    struct sl_route_estimate route = {
        .klass = klass,
        .bytes_per_s = {1e9 / line.slope, (double)NAN, (double)NAN},
        .overhead_ns = {line.intercept, (double)NAN, (double)NAN},
        .sizes = points.count,
        .largest = largest_row(e, klass),
    };
    for (uint32_t i = 0; i < points.count; i++) {
        double ns = line.intercept + line.slope * points.bytes[i];
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
