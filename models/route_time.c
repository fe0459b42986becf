/* How long a copy holds the engine of its route, in how many pieces, and how many buckets of a
 * staging pool it takes. */
#include <config.h>

#include "platform.h"
#include <math.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t sl_route_buckets(const struct sl_platform *platform, const struct sl_route *route,
                         int64_t bytes)
{
    const struct sl_staging *staging = &route->staging;
    if (staging->domain == SL_NONE || bytes <= 0)
        return 0;
    const struct sl_domain *pool = &platform->domains[staging->domain];
    int64_t count = least(staging->buckets, (bytes - 1) / staging->bucket + 1);
    if (pool->capacity >= 0)
        count = least(count, (pool->capacity - pool->reserve) / staging->bucket);
    return count;
}

int64_t sl_route_pieces(const struct sl_route *route, int64_t bytes)
{
    int64_t piece = route->chunk > 0 ? route->chunk : INT64_MAX;
    if (route->staging.domain != SL_NONE)
        piece = least(piece, route->staging.bucket);
    return bytes > 0 ? (bytes - 1) / piece + 1 : 1;
}

double sl_route_hold(const struct sl_platform *platform, const struct sl_route *route,
                     int64_t bytes)
{
    const struct sl_staging *staging = &route->staging;
    double pieces = (double)sl_route_pieces(route, bytes);
    double engine = (double)route->overhead_ps * pieces + (double)bytes / route->bandwidth * 1e12;
    if (staging->domain == SL_NONE || staging->fill <= 0.0)
        return engine;
    double filling = (double)bytes / staging->fill * 1e12;
    if (sl_route_buckets(platform, route, bytes) < 2)
        return filling + engine;
    return (filling + engine) / pieces + (pieces - 1.0) / pieces * fmax(filling, engine);
}
