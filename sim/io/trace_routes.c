/* Fitting routes to the copies of a trace. */
#include <config.h>

#include "quantile.h"
#include "robust_line.h"
#include "trace_objects.h"
#include "trace_routes.h"
#include <stdlib.h>
#include <string.h>

#define PS_PER_S 1e12

/* Sizes that a fit takes; of more, so many evenly spread over them. */
enum { MOST_SIZES = 128 };

struct copy {
    uint32_t route;
    bool beside; /* another one of its direction and device ran at a time */
    int64_t bytes, ps;
};

struct fitter {
    struct sl_trace_routes *routes;
    const struct sl_timeline *timeline;
    struct copy *copies;
    uint32_t count;
    struct sl_names links;
    struct {
        int64_t end_ps;
        uint32_t copy;            /* that ends then */
    } last[SL_TRACE_MOST_ROUTES]; /* by link */
};

/* "FROM>TO"; false where the event moves nothing between two memories. */
static bool ends_of(const struct sl_timeline *t, uint32_t event, char from[SL_TRACE_NAME],
                    char to[SL_TRACE_NAME], char key[2 * SL_TRACE_NAME])
{
    if (!sl_trace_is_move(t, event, from, to))
        return false;
    snprintf(key, 2 * SL_TRACE_NAME, "%s>%s", from, to);
    return true;
}

static bool add_route(struct sl_trace_routes *routes, const char *class, const char *from,
                      const char *to)
{
    if (!sl_grow((void **)&routes->items, &routes->capacity, routes->count + 1,
                 sizeof *routes->items))
        return false;
    struct sl_trace_route *route = &routes->items[routes->count++];
    *route = (struct sl_trace_route){.class = class};
    strcpy(route->from, from);
    strcpy(route->to, to);
    const char *device = strncmp(to, "hbm", 3) == 0     ? to + 3
                         : strncmp(from, "hbm", 3) == 0 ? from + 3
                                                        : "";
    const char *direction = strchr(class, '.');
    snprintf(route->link, sizeof route->link, "gpu%.24s%.8s", device, direction ? direction : "");
    return true;
}

/* Notes which copies of a direction run side by side; events come in the order of start. */
static bool note_beside(struct fitter *f, uint32_t event, uint32_t copy)
{
    const struct sl_timeline *t = f->timeline;
    uint32_t known = f->links.count;
    uint32_t link = sl_names_add(&f->links, f->routes->items[f->copies[copy].route].link);
    if (link == SL_NONE)
        return false;
    if (link < known && t->start_ps[event] < f->last[link].end_ps)
        f->copies[copy].beside = f->copies[f->last[link].copy].beside = true;
    if (link >= known || t->end_ps[event] > f->last[link].end_ps) {
        f->last[link].end_ps = t->end_ps[event];
        f->last[link].copy = copy;
    }
    return true;
}

static bool collect(struct fitter *f)
{
    const struct sl_timeline *t = f->timeline;
    struct sl_trace_routes *routes = f->routes;
    char from[SL_TRACE_NAME], to[SL_TRACE_NAME], key[2 * SL_TRACE_NAME];
    for (uint32_t i = 0; i < t->count; i++) {
        if (!ends_of(t, i, from, to, key))
            continue;
        uint32_t route = sl_names_find(&routes->ends, key);
        if (route == SL_NONE && routes->count == SL_TRACE_MOST_ROUTES) {
            routes->left_out++;
            continue;
        }
        if (route == SL_NONE) {
            route = sl_names_add(&routes->ends, key);
            if (route == SL_NONE || !add_route(routes, sl_trace_work_class(t, i), from, to))
                return false;
        }
        int64_t ps = t->end_ps[i] - t->start_ps[i];
        if (ps == 0)
            continue;
        f->copies[f->count++] = (struct copy){route, false, t->bytes[i], ps};
        if (!note_beside(f, i, f->count - 1))
            return false;
    }
    return true;
}

/* By route; in it those that ran alone first, then by size, then by time. */
static int in_order(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    if (x->route != y->route)
        return x->route < y->route ? -1 : 1;
    if (x->beside != y->beside)
        return x->beside ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->ps > y->ps) - (x->ps < y->ps);
}

struct sizes {
    double bytes[MOST_SIZES], ps[MOST_SIZES]; /* medians */
    uint32_t count;
};

static uint32_t end_of_size(const struct copy *copies, uint32_t from, uint32_t count)
{
    uint32_t to = from;
    while (to < count && copies[to].bytes == copies[from].bytes)
        to++;
    return to;
}

/* The medians of sizes that are evenly spread over all of them, the first and the last included. */
static void take_medians(const struct copy *copies, uint32_t count, uint32_t all,
                         struct sizes *sizes)
{
    uint32_t wanted = all < MOST_SIZES ? all : MOST_SIZES, seen = 0;
    for (uint32_t from = 0, to; from < count; from = to, seen++) {
        to = end_of_size(copies, from, count);
        if (wanted > 1 && seen != (uint64_t)sizes->count * (all - 1) / (wanted - 1))
            continue;
        uint32_t low = from + (to - from - 1) / 2, high = from + (to - from) / 2;
        sizes->bytes[sizes->count] = (double)copies[from].bytes;
        sizes->ps[sizes->count++] = ((double)copies[low].ps + (double)copies[high].ps) / 2;
    }
}

static bool all_equal(const struct copy *copies, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (copies[i].bytes != copies[0].bytes || copies[i].ps != copies[0].ps)
            return false;
    return true;
}

/* Of the largest copies that together hold half of the bytes, their times over the fit. */
static bool take_factors(struct sl_trace_route *route, const struct copy *copies, uint32_t count)
{
    double all = 0, sum = 0;
    uint32_t first = count;
    for (uint32_t i = 0; i < count; i++)
        all += (double)copies[i].bytes;
    while (first > 0 && (sum < all / 2 || copies[first - 1].bytes == copies[first].bytes))
        sum += (double)copies[--first].bytes;
    if (count - first < SL_TRACE_LEAST_FACTORS || all_equal(&copies[first], count - first))
        return true;
    route->factors = malloc((count - first) * sizeof *route->factors);
    if (!route->factors)
        return false;
    for (uint32_t i = first; i < count; i++)
        route->factors[route->factor_count++] =
            (double)copies[i].ps /
            ((double)route->overhead_ps + (double)copies[i].bytes / route->bytes_per_s * PS_PER_S);
    sl_sort_doubles(route->factors, route->factor_count);
    return true;
}

/* `copies` are those of the route that have a time, in order. */
static bool fit(struct sl_trace_route *route, const struct copy *copies, uint32_t count)
{
    struct sizes sizes = {.count = 0};
    for (uint32_t from = 0; from < count; from = end_of_size(copies, from, count))
        route->sizes++;
    take_medians(copies, count, route->sizes, &sizes);
    route->copies = count;
    route->least = copies[0].bytes;
    route->most = copies[count - 1].bytes;
    struct sl_robust_line line = sl_robust_line_fit(sizes.bytes, sizes.ps, sizes.count);
    for (uint32_t i = 0; i < sizes.count && sizes.count > 1; i++)
        route->worst = fmax(route->worst,
                            fabs(sizes.ps[i] / (line.intercept + line.slope * sizes.bytes[i]) - 1));
    if (!(line.slope > 0 && route->worst <= SL_TRACE_WORST_MISFIT))
        return true;
    route->bytes_per_s = PS_PER_S / line.slope;
    route->overhead_ps = (int64_t)line.intercept;
    return take_factors(route, copies, count);
}

/* The copies that ran alone; where there are none, those that did not. */
static bool fit_all(struct fitter *f)
{
    bool made = true;
    qsort(f->copies, f->count, sizeof *f->copies, in_order);
    for (uint32_t from = 0, to; made && from < f->count; from = to) {
        struct sl_trace_route *route = &f->routes->items[f->copies[from].route];
        uint32_t alone = from;
        for (to = from; to < f->count && f->copies[to].route == f->copies[from].route; to++)
            alone += !f->copies[to].beside;
        route->shared = alone == from;
        route->beside = route->shared ? 0 : to - alone;
        uint32_t until = route->shared ? to : alone;
        made = fit(route, &f->copies[from], until - from);
    }
    return made;
}

enum sl_status sl_trace_routes_make(struct sl_trace_routes *routes,
                                    const struct sl_timeline *timeline, struct sl_error *err)
{
    struct fitter f = {.routes = routes, .timeline = timeline};
    size_t room = 1;
    for (uint32_t i = 0; i < timeline->count; i++)
        room += timeline->kind[i] == SL_EVENT_COPY;
    f.copies = malloc(room * sizeof *f.copies);
    bool made = f.copies && collect(&f) && fit_all(&f);
    free(f.copies);
    sl_names_free(&f.links);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the routes of the trace");
}

const struct sl_trace_route *sl_trace_route_of(const struct sl_trace_routes *routes,
                                               const struct sl_timeline *timeline, uint32_t event)
{
    char from[SL_TRACE_NAME], to[SL_TRACE_NAME], key[2 * SL_TRACE_NAME];
    uint32_t index =
        ends_of(timeline, event, from, to, key) ? sl_names_find(&routes->ends, key) : SL_NONE;
    return index == SL_NONE ? NULL : &routes->items[index];
}

void sl_trace_routes_free(struct sl_trace_routes *routes)
{
    for (uint32_t i = 0; i < routes->count; i++)
        free(routes->items[i].factors);
    free(routes->items);
    sl_names_free(&routes->ends);
    *routes = (struct sl_trace_routes){0};
}
