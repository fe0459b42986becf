/* What a policy decides, gap by gap, and plans in which one of these decisions differs.
 *
 * A gap lies between two uses of an object, where it may stay, leave and come back, or be dropped
 * and made again.  Deciding can be much dearer than planning (action best runs candidates), so it
 * is done once for all plans. */
#ifndef SL_DECISION_H
#define SL_DECISION_H
#include "policy.h"

struct sl_decision; /* borrows the scenario and the policy */

/* Errors and diagnostics are those of sl_policy_plan.  *decision is NULL after a failure. */
enum sl_status sl_decision_make(struct sl_decision **decision, const struct sl_scenario *scenario,
                                const struct sl_policy_spec *policy, struct sl_diags *diags,
                                struct sl_error *err) SL_NODISCARD;
void sl_decision_free(struct sl_decision *decision); /* NULL is fine */

/* A gap of an object whose copies the graph leaves to planning. */
struct sl_decided_gap {
    uint32_t object;
    uint32_t number,
        gaps; /* the how manyth of the object's, from 1, in plan order; and of how many */
    uint32_t before, after; /* the uses around it: nodes of the scenario's graph */
    double length_ps;       /* between them, expected */
    const char *action;     /* what the policy does there: an action's name */
    uint32_t refuge;        /* where a copy that leaves there goes: a domain; SL_NONE: nowhere */
    const char *timing;     /* when a copy that leaves there comes back: a prefetch.when */
};
uint32_t sl_decision_gap_count(const struct sl_decision *decision);
struct sl_decided_gap sl_decision_gap(const struct sl_decision *decision, uint32_t gap);
/* Why "offload" or "remat" cannot be done in the gap; NULL: it can, as can "retain". */
const char *sl_decision_obstacle(const struct sl_decision *decision, uint32_t gap,
                                 const char *action);

/* Other domains to which the object could go, in the order of the scenario; at most `most` of them.
 * None where the copy with which it began still holds its value: it need not go anywhere. */
enum sl_status sl_decision_refuges(const struct sl_decision *decision, uint32_t gap,
                                   uint32_t *domains, uint32_t most, uint32_t *count,
                                   struct sl_error *err) SL_NODISCARD;

/* The policy's plan (`gap` SL_NONE), or the one that does `action` ("retain", "offload", "remat") in
 * one gap and what was decided in all others.  A copy that leaves comes back as its rule says, else
 * as the policy's first rule that moves anything, else on demand.  With a `refuge` (else SL_NONE) the
 * object goes there, from every gap in which it leaves.  Errors as of sl_policy_plan. */
enum sl_status sl_decision_plan(const struct sl_decision *decision, uint32_t gap,
                                const char *action, uint32_t refuge, struct sl_plan *plan,
                                struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
#endif
