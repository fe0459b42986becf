/* The keys of a record, in the order in which they are written. */
#include "config.h"

#include "record_shape.h"

#define COUNT_OF(array)  ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define AT(type, member) offsetof(struct type, member)

#define TEXT(type, member)                                                                         \
    {                                                                                              \
#member, SL_FIELD_TEXT, AT(type, member), false, NULL, 0, NULL                             \
    }
#define MAYBE(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_TEXT, AT(type, member), true, NULL, 0, NULL                              \
    }
#define TEXTS(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_TEXTS, AT(type, member), false, NULL, 0, NULL                            \
    }
#define COUNT(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_COUNT, AT(type, member), false, NULL, 0, NULL                            \
    }
#define NUMBER(type, member)                                                                       \
    {                                                                                              \
#member, SL_FIELD_NUMBER, AT(type, member), true, NULL, 0, NULL                            \
    }
#define FLAG(type, member)                                                                         \
    {                                                                                              \
#member, SL_FIELD_FLAG, AT(type, member), false, NULL, 0, NULL                             \
    }
#define ESTIMATE(type, member)                                                                     \
    {                                                                                              \
#member, SL_FIELD_ESTIMATE, AT(type, member), true, NULL, 0, NULL                          \
    }
#define WORD(type, member, table)                                                                  \
    {                                                                                              \
#member, SL_FIELD_WORD, AT(type, member), false, table, COUNT_OF(table), NULL              \
    }
#define MAP(type, member, kind)                                                                    \
    {                                                                                              \
#member, SL_FIELD_MAP, AT(type, member), false, NULL, 0, &sl_shape_##kind                  \
    }
#define SECTION(type, member, kind)                                                                \
    {                                                                                              \
#member, SL_FIELD_MAP, AT(type, member), true, NULL, 0, &sl_shape_##kind                   \
    }
#define LIST(type, member, kind)                                                                   \
    {                                                                                              \
#member, SL_FIELD_LIST, AT(type, member), false, NULL, 0, &sl_shape_##kind                 \
    }
#define SHAPE(name, type, table)                                                                   \
    const struct sl_shape name = {sizeof(struct type), table, COUNT_OF(table)}

static const char *const status_words[] = {"hypothesis", "policy-selected", "runtime-feasible",
                                           "measured",   "accepted",        "rejected"};
static const char *const truth_words[] = {"unknown", "yes", "no"};
static const char *const outcome_words[] = {"unknown", "pass", "fail"};
static const char *const how_words[] = {"none", "winner", "order", "tied", "given"};

const char *sl_record_status_name(enum sl_record_status status)
{
    return status_words[status];
}

const char *sl_gate_outcome_name(enum sl_gate_outcome_kind kind)
{
    return outcome_words[kind];
}

#define T sl_record_input
static const struct sl_field input_fields[] = {TEXT(T, role), TEXT(T, path), TEXT(T, sha256),
                                               MAYBE(T, from_record)};
SHAPE(sl_shape_input, T, input_fields);
#undef T

#define T sl_record_workload
static const struct sl_field workload_fields[] = {TEXT(T, scenario),
                                                  MAYBE(T, description),
                                                  TEXT(T, folder),
                                                  MAYBE(T, folder_from_record),
                                                  MAYBE(T, baseline_from_record),
                                                  TEXT(T, mode),
                                                  COUNT(T, nodes),
                                                  COUNT(T, edges),
                                                  COUNT(T, objects)};
SHAPE(sl_shape_workload, T, workload_fields);
#undef T

#define T sl_record_axis
static const struct sl_field axis_fields[] = {TEXT(T, axis), TEXT(T, value)};
SHAPE(sl_shape_axis, T, axis_fields);
#undef T

#define T sl_record_domain
static const struct sl_field domain_fields[] = {TEXT(T, domain), NUMBER(T, capacity_bytes),
                                                NUMBER(T, reserve_bytes), FLAG(T, reserve_stated)};
SHAPE(sl_shape_domain, T, domain_fields);
#undef T

#define T sl_record_environment
static const struct sl_field environment_fields[] = {
    MAYBE(T, device), TEXTS(T, settings), LIST(T, point, axis), LIST(T, domains, domain)};
SHAPE(sl_shape_environment, T, environment_fields);
#undef T

#define T sl_record_objective
static const struct sl_field objective_fields[] = {
    TEXT(T, metric), NUMBER(T, tail), FLAG(T, tail_stated),  NUMBER(T, min_gain),
    MAYBE(T, busy),  TEXTS(T, order), TEXTS(T, constraints), NUMBER(T, wait_bound_us)};
SHAPE(sl_shape_objective, T, objective_fields);
#undef T

#define T sl_record_change
static const struct sl_field change_fields[] = {TEXT(T, change), TEXT(T, what), MAYBE(T, reason),
                                                MAYBE(T, node), MAYBE(T, object)};
SHAPE(sl_shape_change, T, change_fields);
#undef T

#define T sl_record_graph
static const struct sl_field graph_fields[] = {
    MAYBE(T, baseline_digest), MAYBE(T, plan_digest),   COUNT(T, nodes),         COUNT(T, edges),
    COUNT(T, objects),         COUNT(T, changes_total), LIST(T, changes, change)};
SHAPE(sl_shape_graph, T, graph_fields);
#undef T

#define T sl_record_finding
static const struct sl_field finding_fields[] = {TEXT(T, code), TEXT(T, severity), COUNT(T, count),
                                                 TEXT(T, first)};
SHAPE(sl_shape_finding, T, finding_fields);
#undef T

#define T sl_record_chain
static const struct sl_field chain_fields[] = {TEXT(T, kind), TEXT(T, cause), NUMBER(T, us),
                                               NUMBER(T, share)};
SHAPE(sl_shape_chain, T, chain_fields);
#undef T

#define T sl_record_stall
static const struct sl_field stall_fields[] = {TEXT(T, cause), NUMBER(T, us)};
SHAPE(sl_shape_stall, T, stall_fields);
#undef T

#define T sl_record_pressure
static const struct sl_field pressure_fields[] = {
    TEXT(T, domain), NUMBER(T, peak_bytes), NUMBER(T, pressure_byte_s), NUMBER(T, staging_byte_s)};
SHAPE(sl_shape_pressure, T, pressure_fields);
#undef T

#define T sl_record_schedule
static const struct sl_field schedule_fields[] = {
    TEXT(T, policy),        MAYBE(T, scenario),          TEXT(T, verdict),
    MAYBE(T, reason),       NUMBER(T, bound_us),         ESTIMATE(T, mean_us),
    ESTIMATE(T, median_us), ESTIMATE(T, tail_us),        LIST(T, chain, chain),
    LIST(T, stalls, stall), LIST(T, pressure, pressure), NUMBER(T, max_wait_us),
    MAYBE(T, longest_wait), COUNT(T, bypasses),          COUNT(T, starved),
    COUNT(T, trials),       COUNT(T, deadlocked)};
SHAPE(sl_shape_schedule, T, schedule_fields);
#undef T

#define T sl_record_selection
static const struct sl_field selection_fields[] = {WORD(T, how, how_words), MAYBE(T, policy),
                                                   TEXT(T, why), TEXTS(T, tied), MAYBE(T, winner)};
SHAPE(sl_shape_selection, T, selection_fields);
#undef T

#define T sl_record_alternative
static const struct sl_field alternative_fields[] = {TEXT(T, policy),
                                                     MAYBE(T, point),
                                                     TEXT(T, standing),
                                                     TEXT(T, evidence),
                                                     ESTIMATE(T, median_us),
                                                     ESTIMATE(T, tail_us),
                                                     ESTIMATE(T, against_baseline_us),
                                                     MAYBE(T, against_draws),
                                                     ESTIMATE(T, regret_us),
                                                     NUMBER(T, peak_bytes)};
SHAPE(sl_shape_alternative, T, alternative_fields);
#undef T

#define T sl_record_setting
static const struct sl_field setting_fields[] = {COUNT(T, rule), TEXT(T, key), TEXTS(T, values)};
SHAPE(sl_shape_setting, T, setting_fields);
#undef T

#define T sl_record_policy
static const struct sl_field policy_fields[] = {
    MAYBE(T, name),           LIST(T, settings, setting), COUNT(T, gap_choices),
    COUNT(T, node_choices),   COUNT(T, retained),         COUNT(T, offloaded),
    COUNT(T, rematerialized), TEXTS(T, mechanisms)};
SHAPE(sl_shape_policy, T, policy_fields);
#undef T

#define T sl_record_cost
static const struct sl_field cost_fields[] = {
    TEXT(T, what),    TEXT(T, name),         COUNT(T, uses),        MAYBE(T, evidence),
    MAYBE(T, source), NUMBER(T, confidence), NUMBER(T, chain_share)};
SHAPE(sl_shape_cost, T, cost_fields);
#undef T

#define T sl_record_unknown
static const struct sl_field unknown_fields[] = {TEXT(T, what), TEXT(T, name), TEXT(T, detail)};
SHAPE(sl_shape_unknown, T, unknown_fields);
#undef T

#define T sl_record_source
static const struct sl_field source_fields[] = {TEXT(T, kind),         MAYBE(T, path),
                                                MAYBE(T, sha256),      MAYBE(T, command),
                                                MAYBE(T, plan_digest), MAYBE(T, seed)};
SHAPE(sl_shape_source, T, source_fields);
#undef T

#define T sl_record_peak
static const struct sl_field peak_fields[] = {TEXT(T, domain), NUMBER(T, bytes)};
SHAPE(sl_shape_peak, T, peak_fields);
#undef T

#define T sl_record_result
static const struct sl_field result_fields[] = {MAP(T, source, source),
                                                TEXT(T, metric),
                                                TEXT(T, unit),
                                                TEXT(T, counted),
                                                COUNT(T, count),
                                                COUNT(T, failed),
                                                NUMBER(T, tail_quantile),
                                                ESTIMATE(T, median),
                                                ESTIMATE(T, tail),
                                                NUMBER(T, worst),
                                                LIST(T, peaks, peak),
                                                NUMBER(T, max_wait_us),
                                                COUNT(T, starved),
                                                ESTIMATE(T, baseline_median),
                                                ESTIMATE(T, baseline_tail),
                                                ESTIMATE(T, median_difference),
                                                ESTIMATE(T, tail_difference),
                                                FLAG(T, paired),
                                                MAYBE(T, target),
                                                MAYBE(T, target_unit),
                                                ESTIMATE(T, target_baseline),
                                                ESTIMATE(T, target_difference)};
SHAPE(sl_shape_result, T, result_fields);
#undef T

#define T sl_record_mapping
static const struct sl_field mapping_fields[] = {
    TEXT(T, wish),  MAYBE(T, mechanism), WORD(T, realizable, truth_words),
    MAYBE(T, note), MAYBE(T, node),      MAYBE(T, object),
    COUNT(T, count)};
SHAPE(sl_shape_mapping, T, mapping_fields);
#undef T

#define T sl_record_constraint
static const struct sl_field constraint_fields[] = {
    MAYBE(T, from),    MAYBE(T, to),     TEXT(T, type),   NUMBER(T, lag_us),
    MAYBE(T, subject), NUMBER(T, value), TEXT(T, reason), FLAG(T, applied)};
SHAPE(sl_shape_constraint, T, constraint_fields);
#undef T

#define T sl_record_assumption
static const struct sl_field assumption_fields[] = {TEXT(T, assumption), MAYBE(T, detail),
                                                    WORD(T, holds, truth_words)};
SHAPE(sl_shape_assumption, T, assumption_fields);
#undef T

#define T sl_record_deviation
static const struct sl_field deviation_fields[] = {TEXT(T, what), MAYBE(T, expected),
                                                   MAYBE(T, realized)};
SHAPE(sl_shape_deviation, T, deviation_fields);
#undef T

#define T sl_record_mechanism
static const struct sl_field mechanism_fields[] = {TEXT(T, by),
                                                   MAYBE(T, path),
                                                   TEXT(T, sha256),
                                                   MAYBE(T, handoff),
                                                   WORD(T, feasible, truth_words),
                                                   MAYBE(T, why),
                                                   NUMBER(T, overhead_us),
                                                   ESTIMATE(T, median_change_us),
                                                   ESTIMATE(T, tail_change_us),
                                                   LIST(T, mappings, mapping),
                                                   LIST(T, constraints, constraint),
                                                   LIST(T, assumptions, assumption),
                                                   LIST(T, deviations, deviation),
                                                   TEXTS(T, order),
                                                   FLAG(T, recomputed)};
SHAPE(sl_shape_mechanism, T, mechanism_fields);
#undef T

#define T sl_record_contention
static const struct sl_field contention_fields[] = {TEXT(T, pair),
                                                    NUMBER(T, model),
                                                    ESTIMATE(T, measured),
                                                    NUMBER(T, model_overlap_us),
                                                    NUMBER(T, measured_overlap_us),
                                                    WORD(T, agrees, truth_words),
                                                    MAYBE(T, note)};
SHAPE(sl_shape_contention, T, contention_fields);
#undef T

#define T sl_record_measurement
static const struct sl_field measurement_fields[] = {MAYBE(T, backend),
                                                     MAYBE(T, regime),
                                                     WORD(T, representative, truth_words),
                                                     MAYBE(T, representative_why),
                                                     COUNT(T, planned),
                                                     COUNT(T, matched),
                                                     TEXTS(T, missing),
                                                     TEXTS(T, unexpected),
                                                     NUMBER(T, contention_tolerance),
                                                     LIST(T, contention, contention),
                                                     WORD(T, order_agrees, truth_words),
                                                     COUNT(T, order_pairs),
                                                     COUNT(T, order_inversions),
                                                     TEXTS(T, deviations),
                                                     NUMBER(T, projection_error),
                                                     NUMBER(T, cold_us)};
SHAPE(sl_shape_measurement, T, measurement_fields);
#undef T

#define T sl_record_lifetime
static const struct sl_field lifetime_fields[] = {COUNT(T, trials), COUNT(T, reclamations),
                                                  COUNT(T, violations), NUMBER(T, first_violation),
                                                  WORD(T, proven, truth_words)};
SHAPE(sl_shape_lifetime, T, lifetime_fields);
#undef T

#define T sl_record_reconstruction
static const struct sl_field reconstruction_fields[] = {TEXT(T, object), TEXT(T, node),
                                                        TEXT(T, equivalence)};
SHAPE(sl_shape_reconstruction, T, reconstruction_fields);
#undef T

#define T sl_record_capacity
static const struct sl_field capacity_fields[] = {
    TEXT(T, domain),        NUMBER(T, capacity_bytes), NUMBER(T, reserve_bytes),
    NUMBER(T, limit_bytes), FLAG(T, reserve_stated),   NUMBER(T, projected_peak_bytes),
    FLAG(T, can_wait)};
SHAPE(sl_shape_capacity, T, capacity_fields);
#undef T

#define T sl_record_progress
static const struct sl_field progress_fields[] = {COUNT(T, trials),
                                                  COUNT(T, deadlocked),
                                                  COUNT(T, livelocked),
                                                  ESTIMATE(T, deadlock_share),
                                                  MAYBE(T, deadlock),
                                                  MAYBE(T, possible),
                                                  COUNT(T, wait_edges),
                                                  COUNT(T, cyclic_trials),
                                                  WORD(T, acyclic, truth_words),
                                                  MAYBE(T, cycle)};
SHAPE(sl_shape_progress, T, progress_fields);
#undef T

#define T sl_record_starvation
static const struct sl_field starvation_fields[] = {NUMBER(T, bound_us), NUMBER(T, max_wait_us),
                                                    MAYBE(T, node), COUNT(T, beyond)};
SHAPE(sl_shape_starvation, T, starvation_fields);
#undef T

#define T sl_record_outcome
static const struct sl_field constraint_outcome_fields[] = {
    TEXT(T, constraint), ESTIMATE(T, figure), NUMBER(T, limit), FLAG(T, at_least), TEXT(T, state)};
SHAPE(sl_shape_outcome, T, constraint_outcome_fields);
#undef T

#define T sl_record_proofs
static const struct sl_field proofs_fields[] = {
    MAP(T, lifetime, lifetime),     LIST(T, reconstructions, reconstruction),
    LIST(T, capacity, capacity),    MAP(T, progress, progress),
    MAP(T, starvation, starvation), LIST(T, constraints, outcome)};
SHAPE(sl_shape_proofs, T, proofs_fields);
#undef T

#define T sl_record_falsifier
static const struct sl_field falsifier_fields[] = {
    TEXT(T, measurement), TEXT(T, kind), MAYBE(T, name), NUMBER(T, threshold),
    NUMBER(T, lo),        NUMBER(T, hi), MAYBE(T, unit), MAYBE(T, then)};
SHAPE(sl_shape_falsifier, T, falsifier_fields);
#undef T

#define T sl_record_fallback
static const struct sl_field fallback_fields[] = {MAYBE(T, policy), MAYBE(T, why),
                                                  ESTIMATE(T, cost_us)};
SHAPE(sl_shape_fallback, T, fallback_fields);
#undef T

#define T sl_record_risk
static const struct sl_field risk_fields[] = {TEXT(T, risk), TEXT(T, detail)};
SHAPE(sl_shape_risk, T, risk_fields);
#undef T

#define T sl_gate_outcome
static const struct sl_field gate_fields[] = {TEXT(T, condition), WORD(T, outcome, outcome_words),
                                              TEXT(T, evidence), TEXTS(T, keys)};
SHAPE(sl_shape_gate_outcome, T, gate_fields);
#undef T

#define T sl_record_step
static const struct sl_field step_fields[] = {TEXT(T, step), WORD(T, done, truth_words),
                                              MAYBE(T, by), MAYBE(T, note)};
SHAPE(sl_shape_step, T, step_fields);
#undef T

#define T sl_record_event
static const struct sl_field event_fields[] = {
    TEXT(T, date), WORD(T, from, status_words), WORD(T, to, status_words),
    TEXT(T, by),   TEXT(T, evidence),           MAYBE(T, sha256),
    TEXT(T, seal)};
SHAPE(sl_shape_event, T, event_fields);
#undef T

#define T sl_record
static const struct sl_field record_fields[] = {COUNT(T, format),
                                                TEXT(T, version),
                                                MAYBE(T, finding),
                                                WORD(T, status, status_words),
                                                MAP(T, workload, workload),
                                                MAP(T, environment, environment),
                                                MAP(T, objective, objective),
                                                TEXT(T, results),
                                                COUNT(T, seed),
                                                COUNT(T, fresh_seed),
                                                COUNT(T, trials),
                                                LIST(T, inputs, input),
                                                LIST(T, findings, finding),
                                                MAP(T, graph, graph),
                                                SECTION(T, baseline, schedule),
                                                SECTION(T, selected, schedule),
                                                MAP(T, selection, selection),
                                                LIST(T, alternatives, alternative),
                                                MAP(T, policy, policy),
                                                LIST(T, costs, cost),
                                                LIST(T, unknowns, unknown),
                                                SECTION(T, projected, result),
                                                SECTION(T, runtime_feasible, result),
                                                SECTION(T, measured, result),
                                                SECTION(T, mechanism, mechanism),
                                                SECTION(T, measurement, measurement),
                                                SECTION(T, proofs, proofs),
                                                LIST(T, falsifiers, falsifier),
                                                MAYBE(T, drifts),
                                                MAP(T, fallback, fallback),
                                                LIST(T, risks, risk),
                                                LIST(T, gate, gate_outcome),
                                                LIST(T, workflow, step),
                                                LIST(T, history, event)};
SHAPE(sl_record_shape, T, record_fields);
#undef T
