/* What an attempt to start a node looks at beside its bytes: units, who stands before it in a
 * strict list, and what must not run beside it. */
#ifndef SL_ATTEMPTS_H
#define SL_ATTEMPTS_H
#include "worker.h"

static inline bool strictly_blocked(const struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++)
        if (w->stamp_resource[p->demands[p->demand[node].first + k].resource] == w->stamp)
            return true;
    for (uint32_t k = 0; k < p->amount[node].count; k++)
        if (w->stamp_domain[p->amounts[p->amount[node].first + k].domain] == w->stamp)
            return true;
    return false;
}

static inline void stamp_demands(struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++)
        w->stamp_resource[p->demands[p->demand[node].first + k].resource] = w->stamp;
    for (uint32_t k = 0; k < p->amount[node].count; k++)
        w->stamp_domain[p->amounts[p->amount[node].first + k].domain] = w->stamp;
}

static inline bool all_units_free(const struct sl_worker *w, uint32_t node)
{
    const struct sl_program *p = w->p;
    for (uint32_t k = 0; k < p->demand[node].count; k++) {
        const struct sl_demand *d = &p->demands[p->demand[node].first + k];
        if (w->resources[d->resource].free < d->units)
            return false;
    }
    return true;
}

static inline bool units_free(const struct sl_worker *w, uint32_t node, const struct node_hot *hot)
{
    if (hot->flags & NODE_MANY)
        return all_units_free(w, node);
    return hot->resource == SL_NONE || w->resources[hot->resource].free >= hot->units;
}

static inline bool overlap_allowed(const struct sl_worker *w, uint32_t node)
{
    const struct range *forbid = &w->p->overlap_forbid[w->p->overlap_kind[node]];
    for (uint32_t k = 0; k < forbid->count; k++) {
        const struct overlap_peer *peer = &w->p->overlap_peers[forbid->first + k];
        if (w->overlap_running[peer->kind] && overlap_forbidden(peer, w->now))
            return false;
    }
    return true;
}

#endif
