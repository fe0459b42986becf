/* Which copies of a finished plan may leave while it runs, and how.  Private to policy/. */
#ifndef SL_EVICTIONS_H
#define SL_EVICTIONS_H
#include "attempt.h"
#include "evictor.h"

/* What is known of a holding of the plan. */
struct sl_leaver {
    uint32_t taker, taker_count, giver, giver_count; /* nodes; the last of several */
    struct sl_span users;                            /* in leavers->users */
    uint32_t
        needed_until; /* place of the last node for which it, or what is made from it, is needed */
    uint32_t refuge;  /* domain; SL_NONE: it does not leave for another one */
    uint32_t maker;   /* the node that is run again; SL_NONE: it is not computed again */
    bool stays;       /* whatever the policy says */
};

struct sl_leavers {
    struct sl_plan *plan;
    const struct sl_facts *facts;
    const struct sl_rule *rule;
    const struct sl_policy_spec *policy;
    struct sl_error *err;
    uint32_t *place;         /* per node: in plan order */
    struct sl_leaver *items; /* per holding */
    struct sl_evict_user *users;
    uint32_t *copies_at_home; /* per object: holdings there */
};

/* Sets refuge or maker of every holding that may leave (evict_ways.c). */
enum sl_status sl_leavers_decide(struct sl_leavers *leavers) SL_NODISCARD;
/* Says so, and why, when nothing can leave. */
void sl_leavers_warn(const struct sl_leavers *leavers, struct sl_diags *diags);
/* The holding of the object among those that `node` uses; SL_NONE. */
uint32_t sl_leavers_used_by(const struct sl_leavers *leavers, uint32_t node, uint32_t object);
#endif
