/* Deciding once, planning more than once. */
#include "decision.h"
#include "attempt.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_rules_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                               const struct sl_policy_spec *policy, struct sl_choice *choices,
                               struct sl_diags *diags, struct sl_error *err)
{
    for (uint32_t r = 0; r < rules->count; r++)
        if (rules->items[r].action == &sl_action_best)
            return sl_best_decide(facts, rules, policy, choices, diags, err);
    return sl_selection_decide(facts, rules, policy, NULL, choices, diags, err);
}

/* Reads the rules. */
static enum sl_status begin(struct sl_decision **decision, const struct sl_policy_spec *policy,
                            struct sl_diags *diags, struct sl_error *err)
{
    struct sl_decision *d = *decision = calloc(1, sizeof *d);
    if (!d)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan");
    d->policy = policy;
    return sl_rules_read(&d->rules, policy, diags, err);
}

/* Decides by its facts. */
static enum sl_status decide(struct sl_decision *d, struct sl_diags *diags, struct sl_error *err)
{
    d->choices = calloc((size_t)sl_decision_gap_count(d) + 1, sizeof *d->choices);
    if (!d->choices)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status =
        sl_tuning_choose(&d->facts, &d->rules, d->policy, d->choices, diags, err);
    return status == SL_OK ? sl_chain_fit(&d->facts, &d->rules, d->policy, d->choices, diags, err)
                           : status;
}

/* There is no decision after a failure. */
static enum sl_status settle(struct sl_decision **decision, enum sl_status status)
{
    if (status != SL_OK) {
        sl_decision_free(*decision);
        *decision = NULL;
    }
    return status;
}

enum sl_status sl_decision_make(struct sl_decision **decision, const struct sl_scenario *scenario,
                                const struct sl_policy_spec *policy, struct sl_diags *diags,
                                struct sl_error *err)
{
    enum sl_status status = begin(decision, policy, diags, err);
    if (status == SL_OK)
        status = sl_facts_gather(&(*decision)->facts, scenario, &(*decision)->rules, err);
    if (status == SL_OK)
        status = decide(*decision, diags, err);
    return settle(decision, status);
}

static bool names_refuge(const struct sl_rules *rules)
{
    for (uint32_t r = 0; r < rules->count; r++)
        if (rules->items[r].to)
            return true;
    return false;
}

enum sl_status sl_decision_over(struct sl_decision **decision, const struct sl_facts *facts,
                                const struct sl_policy_spec *policy, struct sl_diags *diags,
                                struct sl_error *err)
{
    enum sl_status status = begin(decision, policy, diags, err);
    if (status == SL_OK) {
        struct sl_decision *d = *decision;
        d->facts = *facts;
        d->lender = facts;
        if (names_refuge(&d->rules))
            status = sl_journeys_find(&d->facts, &d->rules, err);
    }
    if (status == SL_OK)
        status = decide(*decision, diags, err);
    return settle(decision, status);
}

void sl_decision_free(struct sl_decision *d)
{
    if (!d)
        return;
    if (!d->lender)
        sl_facts_free(&d->facts);
    else if (d->facts.journeys != d->lender->journeys)
        free(d->facts.journeys);
    sl_rules_free(&d->rules);
    free(d->choices);
    free(d);
}

uint32_t sl_decision_gap_count(const struct sl_decision *d)
{
    return d->facts.gap_start ? d->facts.gap_start[d->facts.object_count] : 0;
}

/* Whole chains are decided at once, whatever stands in `choices`. */
static bool is_of_chain(const struct sl_decision *d, uint32_t gap)
{
    const struct sl_rule *rule = sl_rule_for(&d->rules, d->facts.graph, d->facts.gaps[gap].object);
    return rule && rule->action == &sl_action_chain_optimal;
}

const struct sl_rule *sl_rule_that_moves(const struct sl_rules *rules, const struct sl_rule *own)
{
    static const struct sl_rule plain = {.action = &sl_action_offload,
                                         .select = &sl_select_all,
                                         .when = &sl_prefetch_demand,
                                         .reclaim = &sl_reclaim_immediate,
                                         .quantile = 0.95};
    if (own && own->action->moves)
        return own;
    for (uint32_t r = 0; r < rules->count; r++)
        if (rules->items[r].action->moves)
            return &rules->items[r];
    return &plain;
}

/* The rule by which a copy that leaves in the gap comes back. */
static const struct sl_rule *moving_rule(const struct sl_decision *d, uint32_t gap)
{
    const struct sl_rule *own = sl_rule_for(&d->rules, d->facts.graph, d->facts.gaps[gap].object);
    return sl_rule_that_moves(&d->rules, d->choices[gap].rule ? d->choices[gap].rule : own);
}

struct sl_decided_gap sl_decision_gap(const struct sl_decision *d, uint32_t gap)
{
    const struct sl_gap *g = &d->facts.gaps[gap];
    const uint32_t *start = &d->facts.gap_start[g->object];
    const struct sl_part *action =
        is_of_chain(d, gap) ? &sl_action_chain_optimal : d->choices[gap].action;
    return (struct sl_decided_gap){.object = g->object,
                                   .number = gap - start[0] + 1,
                                   .gaps = start[1] - start[0],
                                   .before = g->before,
                                   .after = g->after,
                                   .length_ps = g->length_ps,
                                   .action = action ? action->name : sl_action_retain.name,
                                   .refuge = sl_gap_refuge(&d->facts, g),
                                   .timing = moving_rule(d, gap)->when->name};
}

const char *sl_decision_obstacle(const struct sl_decision *d, uint32_t gap, const char *action)
{
    const struct sl_part *part = sl_part_find("action", action);
    if (is_of_chain(d, gap))
        return "its rule decides a whole chain at once (chain-optimal)";
    if (part == &sl_action_retain)
        return NULL;
    return part->eligible(&d->facts, &d->facts.gaps[gap]);
}

enum sl_status sl_decision_refuges(const struct sl_decision *d, uint32_t gap, uint32_t *domains,
                                   uint32_t most, uint32_t *count, struct sl_error *err)
{
    const struct sl_gap *g = &d->facts.gaps[gap];
    enum sl_status status = SL_OK;
    *count = 0;
    if (sl_gap_has_origin(&d->facts, g) || is_of_chain(d, gap))
        return SL_OK;
    for (uint32_t m = 0; m < d->facts.domain_count && *count < most && status == SL_OK; m++) {
        struct sl_journey journey;
        if (m == sl_gap_refuge(&d->facts, g))
            continue;
        status = sl_journey_to(&d->facts, g->object, m, &journey, err);
        if (status == SL_OK && journey.refuge != SL_NONE)
            domains[(*count)++] = m;
    }
    return status;
}

/* The plan of the choices with the object's journeys to another refuge. */
static enum sl_status plan_to(const struct sl_decision *d, uint32_t object, uint32_t refuge,
                              const struct sl_choice *choices, struct sl_plan *plan,
                              struct sl_diags *diags, struct sl_error *err)
{
    struct sl_facts facts = d->facts; /* shares everything but the journeys */
    size_t count = (size_t)facts.object_count + 1;
    facts.journeys = malloc(count * sizeof *facts.journeys);
    if (!facts.journeys)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan");
    memcpy(facts.journeys, d->facts.journeys, count * sizeof *facts.journeys);
    enum sl_status status = sl_journey_to(&d->facts, object, refuge, &facts.journeys[object], err);
    if (status == SL_OK)
        status = sl_plan_make(plan, &facts, &d->rules, d->policy, choices, diags, err);
    free(facts.journeys);
    return status;
}

enum sl_status sl_decision_plan(const struct sl_decision *d, uint32_t gap, const char *action,
                                uint32_t refuge, struct sl_plan *plan, struct sl_diags *diags,
                                struct sl_error *err)
{
    size_t count = (size_t)sl_decision_gap_count(d) + 1;
    struct sl_choice *choices = malloc(count * sizeof *choices);
    if (!choices)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan");
    memcpy(choices, d->choices, count * sizeof *choices);
    const struct sl_part *part = gap == SL_NONE ? NULL : sl_part_find("action", action);
    if (part == &sl_action_retain)
        choices[gap] = (struct sl_choice){0};
    else if (part)
        choices[gap] = (struct sl_choice){part, moving_rule(d, gap)};
    enum sl_status status =
        gap != SL_NONE && refuge != SL_NONE
            ? plan_to(d, d->facts.gaps[gap].object, refuge, choices, plan, diags, err)
            : sl_plan_make(plan, &d->facts, &d->rules, d->policy, choices, diags, err);
    free(choices);
    return status;
}
