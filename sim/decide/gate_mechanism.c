/* Runtime mechanisms can realize the policy without invalidating assumptions: a runtime answered,
 * every wish has a mechanism, and one is named at all, no assumption falls, and the schedule was
 * computed again with whatever it inserts. */
#include "config.h"

#include "gate.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A yes that names no mechanism says nothing of what the policy wishes. */
static void judge_silence(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    const struct sl_record_policy *policy = &record->policy;
    char choices[160] = "";
    if (mechanism->feasible != SL_TRUTH_YES || mechanism->mappings.count > 0 ||
        record->graph.nodes == 0)
        return;
    if (policy->offloaded + policy->retained + policy->rematerialized > 0)
        snprintf(choices, sizeof choices,
                 ", with %" PRIu64 " objects to offload, %" PRIu64 " to retain and %" PRIu64
                 " to compute again",
                 policy->offloaded, policy->retained, policy->rematerialized);
    sl_gate_claim(claims, SL_GATE_UNKNOWN, "mechanism.mappings",
                  "%.100s names a mechanism for none of the plan's %" PRIu64 " nodes%s",
                  mechanism->by, record->graph.nodes, choices);
}

static void judge_mappings(const struct sl_record_mechanism *mechanism,
                           struct sl_gate_claims *claims)
{
    for (uint32_t i = 0; i < mechanism->mappings.count; i++) {
        const struct sl_record_mapping *mapping = &mechanism->mappings.items[i];
        if (mapping->realizable != SL_TRUTH_YES)
            sl_gate_claim(
                claims, mapping->realizable == SL_TRUTH_NO ? SL_GATE_FAIL : SL_GATE_UNKNOWN,
                "mechanism.mappings", "%.200s: %s%s%.200s", mapping->wish,
                mapping->realizable == SL_TRUTH_NO ? "cannot be realized" : "may not be realizable",
                mapping->note ? ": " : "", mapping->note ? mapping->note : "");
    }
}

/* The time of a whole run, from its first work to its last, holds what calls take between them:
 * where it is of all works of the plan and no others, as they run in practice. */
static bool holds_overheads(const struct sl_record *record)
{
    const struct sl_record_measurement *measurement = &record->measurement;
    return record->measured.present && measurement->present &&
           !isnan(record->measured.median.value) && measurement->representative == SL_TRUTH_YES &&
           measurement->planned > 0 && measurement->matched == measurement->planned &&
           measurement->unexpected.count == 0;
}

bool sl_gate_is_open(const struct sl_record *record, const struct sl_record_assumption *assumption)
{
    bool settled =
        strcmp(assumption->assumption, SL_GATE_FREE_CALLS) == 0 && holds_overheads(record);
    return assumption->holds == SL_TRUTH_UNKNOWN && !settled;
}

static void judge_assumptions(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    for (uint32_t i = 0; i < mechanism->assumptions.count; i++) {
        const struct sl_record_assumption *assumption = &mechanism->assumptions.items[i];
        if (assumption->holds == SL_TRUTH_NO || sl_gate_is_open(record, assumption))
            sl_gate_claim(claims, assumption->holds == SL_TRUTH_NO ? SL_GATE_FAIL : SL_GATE_UNKNOWN,
                          "mechanism.assumptions", "%.200s: %s%s%.200s", assumption->assumption,
                          assumption->holds == SL_TRUTH_NO ? "does not hold" : "is not settled",
                          assumption->detail ? ": " : "",
                          assumption->detail ? assumption->detail : "");
    }
}

bool sl_gate_is_unsettled(const struct sl_record *record,
                          const struct sl_record_deviation *deviation)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    if (!deviation->expected || strcmp(deviation->expected, SL_GATE_AS_DECIDED) != 0)
        return false;
    for (uint32_t i = 0; i < mechanism->mappings.count; i++) {
        const struct sl_record_mapping *mapping = &mechanism->mappings.items[i];
        if (strcmp(mapping->wish, deviation->what) == 0 ||
            (mapping->node && strcmp(mapping->node, deviation->what) == 0))
            return false; /* it is judged by what that says */
    }
    return true;
}

static void judge_deviations(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    for (uint32_t i = 0; i < mechanism->deviations.count; i++) {
        const struct sl_record_deviation *deviation = &mechanism->deviations.items[i];
        if (sl_gate_is_unsettled(record, deviation))
            sl_gate_claim(claims, SL_GATE_UNKNOWN, "mechanism.deviations",
                          "%.200s: the runtime does something else, and no mechanism says that "
                          "this realizes it: %.250s",
                          deviation->what, deviation->realized ? deviation->realized : "");
    }
}

static void judge_constraints(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    uint32_t open = 0;
    for (uint32_t i = 0; i < mechanism->constraints.count; i++)
        open += !mechanism->constraints.items[i].applied;
    if (!mechanism->recomputed || !record->runtime_feasible.present)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "mechanism.recomputed",
                      "the schedule was not computed again with what the runtime inserts");
    else if (open > 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "mechanism.constraints",
                      "%u of %u inserted constraints were not applied", open,
                      mechanism->constraints.count);
}

void sl_gate_mechanism(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_mechanism *mechanism = &record->mechanism;
    if (!mechanism->present) {
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "mechanism",
                      "no runtime has answered ('slackline feasibility')");
        return;
    }
    if (mechanism->feasible == SL_TRUTH_NO)
        sl_gate_claim(claims, SL_GATE_FAIL, "mechanism.feasible", "%.100s says no: %.300s",
                      mechanism->by, mechanism->why ? mechanism->why : "no reason given");
    else if (mechanism->feasible == SL_TRUTH_UNKNOWN)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "mechanism.feasible", "%.100s does not say",
                      mechanism->by);
    else
        sl_gate_claim(claims, SL_GATE_PASS, "mechanism.feasible",
                      "%.100s realizes it with %u inserted constraints", mechanism->by,
                      mechanism->constraints.count);
    judge_silence(record, claims);
    judge_mappings(mechanism, claims);
    judge_assumptions(record, claims);
    judge_deviations(record, claims);
    judge_constraints(record, claims);
}
