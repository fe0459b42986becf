/* Cheapest ways by the recurrence of Bellman and Ford: with at most h hops,
 *
 *     time(h, d) = min(time(h - 1, d), min over routes r into d of time(h - 1, from(r)) + t(r))
 */
#include <config.h>

#include "way.h"
#include <math.h>
#include <stdlib.h>

static bool could_hold(const struct sl_platform *platform, uint32_t domain, int64_t bytes)
{
    const struct sl_domain *d = &platform->domains[domain];
    return d->capacity < 0 || bytes <= d->capacity - d->reserve;
}

/* One more hop: time[hops][d] and by which route, UINT16_MAX where a hop less does as well.  False
 * when nothing got better. */
static bool add_hop(const struct sl_platform *platform, int64_t bytes, const double *route_ps,
                    uint32_t start, const double *before, double *time, uint16_t *by)
{
    bool better = false;
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        time[d] = before[d];
        by[d] = UINT16_MAX;
    }
    for (uint32_t r = 0; r < platform->route_count; r++) {
        const struct sl_route *route = &platform->routes[r];
        if (!isfinite(before[route->from]) ||
            (route->from != start && !could_hold(platform, route->from, bytes)))
            continue;
        double sum = before[route->from] + route_ps[r];
        if (sum < time[route->to]) {
            time[route->to] = sum;
            by[route->to] = (uint16_t)r;
            better = true;
        }
    }
    return better;
}

static void trace_back(const struct sl_platform *platform, const uint16_t *by, uint32_t hops,
                       uint32_t to, struct sl_way *way)
{
    uint32_t domains = platform->domain_names.count;
    uint16_t routes[SL_MOST_HOPS];
    uint32_t count = 0;
    for (uint32_t h = hops; h-- > 0;) {
        uint16_t route = by[(size_t)h * domains + to];
        if (route == UINT16_MAX)
            continue;
        routes[count++] = route;
        to = platform->routes[route].from;
    }
    for (uint32_t i = 0; i < count; i++)
        way->routes[i] = routes[count - 1 - i];
    way->hops = (uint16_t)count;
}

enum sl_status sl_way_find(const struct sl_platform *platform, int64_t bytes,
                           const double *route_ps, uint32_t from, uint32_t to, struct sl_way *way,
                           struct sl_error *err)
{
    size_t domains = platform->domain_names.count;
    uint32_t hops = 0;
    way->hops = 0;
    if (from == SL_NONE || to == SL_NONE || from == to)
        return SL_OK;
    double *time = malloc((SL_MOST_HOPS + 1) * domains * sizeof *time);
    uint16_t *by = malloc(SL_MOST_HOPS * domains * sizeof *by);
    enum sl_status status = SL_OK;
    if (time && by) {
        for (uint32_t d = 0; d < domains; d++)
            time[d] = d == from ? 0.0 : INFINITY;
        while (hops < SL_MOST_HOPS &&
               add_hop(platform, bytes, route_ps, from, &time[hops * domains],
                       &time[(hops + 1) * domains], &by[hops * domains]))
            hops++;
        if (isfinite(time[hops * domains + to]))
            trace_back(platform, by, hops, to, way);
    } else {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the ways of objects");
    }
    free(time);
    free(by);
    return status;
}
