/* Policies: from a scenario's graph and a policy's settings to a plan, by small registered parts.
 *
 * A part (select, action, prefetch.when, reclaim, evict) is one file ending in a struct and one line in
 * policies.def.  A plan is a new graph (every derived allocation, mapping and reclamation in it)
 * and the list of edits that made it. */
#ifndef SL_POLICY_H
#define SL_POLICY_H
#include "engine.h"
#include "scenario.h"

/* What planning inserted or changed, and why. */
struct sl_edit {
    enum { SL_EDIT_ADD_NODE, SL_EDIT_ADD_EDGE, SL_EDIT_DROP_EDGE, SL_EDIT_CHANGE_INPUT,
           SL_EDIT_CHANGE_OUTPUT, SL_EDIT_SET_RELEASE, SL_EDIT_SET_PRIORITY } what;
    const char *text;    /* "offload x_in.3 from hbm to pinned" */
    const char *reason;  /* "select largest: 128 MiB, gap of 1.2 s" */
    sl_node_id node;     /* SL_NONE when not a node */
    sl_object_id object; /* SL_NONE when not about one */
};

struct sl_plan {
    struct sl_graph *graph; /* finished; owned */
    struct sl_engine_options engine;
    struct sl_edit *edits;  /* in the graph's arena */
    uint32_t edit_count, edit_capacity;
    uint32_t retained, offloaded, rematerialized; /* objects with a gap, by choice */
};

/* Makes the plan of one policy.  Unknown names and parameters are SL_INVALID at their place;
 * parameters that the chosen parts do not use are warnings ("unused-parameter").  A plan that
 * cannot be legal (an object no route can move, a cycle) is SL_NO. */
enum sl_status sl_policy_plan(struct sl_plan *plan, const struct sl_scenario *scenario,
                              const struct sl_policy_spec *policy, struct sl_diags *diags,
                              struct sl_error *err) SL_NODISCARD;
void sl_plan_free(struct sl_plan *plan);

/* True when `key` ("prefetch.lookahead") is a parameter of a part that the policy uses, so that a
 * sweep axis over it applies. */
bool sl_policy_uses(const struct sl_policy_spec *policy, const char *key);
/* A copy of `policy` in `arena` with `key` set (in the top level and wherever a rule uses it). */
const struct sl_policy_spec *sl_policy_with(const struct sl_policy_spec *policy, const char *key,
                                            const char *value, struct sl_arena *arena);
/* Checks names and parameters of every policy of a scenario, for loading-time errors. */
void sl_policy_check(const struct sl_scenario *scenario, struct sl_diags *diags);

/* Registry access for `slackline list`. */
struct sl_part_info {
    const char *role; /* "select", "action", "prefetch.when", "reclaim", "evict", "dispatch" */
    const char *name, *description, *parameters, *example;
};
size_t sl_part_count(void);
struct sl_part_info sl_part_info_get(size_t index);
#endif
