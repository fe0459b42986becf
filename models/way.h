/* Ways between two domains: over one route, or over several where no single one leads there or a
 * detour takes less time. */
#ifndef SL_WAY_H
#define SL_WAY_H
#include "platform.h"

#define SL_MOST_HOPS 8

/* Routes of a platform, in order; each one begins where the one before ends. */
struct sl_way {
    uint16_t routes[SL_MOST_HOPS]; /* SL_MOST_ROUTES fit */
    uint16_t hops;                 /* 0: there is none */
};

/* The way of least time from one domain to another for an object of `bytes`, where route r takes
 * route_ps[r] >= 0; of equal ones that with fewer hops, then the one whose last routes were
 * declared first.  It passes only through domains that could hold the object.  way->hops is 0 where
 * there is none, an end is SL_NONE or both are the same.  SL_SYSTEM: out of memory. */
enum sl_status sl_way_find(const struct sl_platform *platform, int64_t bytes,
                           const double *route_ps, uint32_t from, uint32_t to, struct sl_way *way,
                           struct sl_error *err) SL_NODISCARD;
#endif
