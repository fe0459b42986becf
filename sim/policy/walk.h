/* Replacement along the plan: where it runs out of room, something that is not needed at once
 * leaves. Private to policy/. */
#ifndef SL_WALK_H
#define SL_WALK_H
#include "attempt.h"

/* A walk through one domain.  The nodes run one after the other in plan order; a candidate that is
 * taken relieves the places that its action's `relief` gives, rounded as the domain rounds. */
struct sl_walk {
    const struct sl_facts *facts;
    const struct sl_candidate *candidates; /* of one rule, in order of objects and gaps */
    uint32_t count, domain;
    int64_t limit;          /* bytes */
    const int64_t *levels;  /* bytes by place, with nothing of `taken` in it that is not to stay */
    sl_order_gaps *compare; /* the first leaves */
    bool *taken; /* per candidate: those that are set beforehand are left out; the walk adds to them
                  */
};

/* At every place above the limit takes candidates that relieve it, in order, until it is not or
 * none is left.  *added: how many. */
enum sl_status sl_walk_through(const struct sl_walk *walk, uint32_t *added,
                               struct sl_error *err) SL_NODISCARD;
#endif
