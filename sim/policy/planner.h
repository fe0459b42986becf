/* Planning many times on one scenario: what there is to decide, what a policy decides, and the plan
 * of choices that somebody else made.
 *
 * A policy spec whose `tuning` lists gaps gets the plan that they lead to; what it does not list is
 * up to the spec's rules, as is everything that is no gap (headroom, reclaim, dispatch). */
#ifndef SL_PLANNER_H
#define SL_PLANNER_H
#include "policy.h"

/* A gap of an object, or its first arrival (gap 0) where it begins elsewhere. */
struct sl_open_gap {
    uint32_t object, gap;
    uint32_t before, after; /* rows of the scenario's nodes: the uses around it; SL_NONE: arrival */
    uint32_t home;          /* domain, SL_NONE */
    int64_t bytes;
    double length_ps; /* between the uses, expected; of an arrival 0 */
    bool may_offload, may_remat;
};

/* Gathers once what every plan of the scenario needs; the scenario must outlive it.  Read-only from
 * then on: threads may plan from one planner at once. */
struct sl_planner;
enum sl_status sl_planner_create(struct sl_planner **planner, const struct sl_scenario *scenario,
                                 struct sl_error *err) SL_NODISCARD;
void sl_planner_free(struct sl_planner *planner);
/* By object, and in plan order. */
const struct sl_open_gap *sl_planner_gaps(const struct sl_planner *planner, uint32_t *count);
/* As sl_policy_plan. */
enum sl_status sl_planner_plan(const struct sl_planner *planner, struct sl_plan *plan,
                               const struct sl_policy_spec *policy, struct sl_diags *diags,
                               struct sl_error *err) SL_NODISCARD;
/* What the policy does in each gap, so that a tuning of all those rows leads to its very plan.
 * `action` is "retain", "offload" or "remat"; NULL of an arrival, and where nothing is open
 * because the rule that takes the object leaves it to the graph or to a chain.  `prefetch` is what
 * its table says, NULL: its rules' own. */
enum sl_status sl_planner_choices(const struct sl_planner *planner,
                                  const struct sl_policy_spec *policy,
                                  struct sl_gap_choice *choices, struct sl_diags *diags,
                                  struct sl_error *err) SL_NODISCARD;
#endif
