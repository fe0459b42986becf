/* Keys of what was decided (record_plan.h), in the order in which they are written. */
#include "config.h"

#include "record_fields.h"

static const char *const how_words[] = {"none", "winner", "order", "tied", "given"};

#define T sl_record_input
static const struct sl_field input_fields[] = {TEXT(T, role), PLACE(T, path), TEXT(T, sha256),
                                               MAYBE_PLACE(T, from_record)};
SHAPE(sl_shape_input, T, input_fields);
#undef T

#define T sl_record_workload
static const struct sl_field workload_fields[] = {TEXT(T, scenario),
                                                  MAYBE(T, description),
                                                  PLACE(T, folder),
                                                  MAYBE_PLACE(T, folder_from_record),
                                                  MAYBE_PLACE(T, baseline_from_record),
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
    MAYBE(T, device), TEXTS(T, settings), SOME_TEXTS(T, baseline_settings), LIST(T, point, axis),
    LIST(T, domains, domain)};
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
    TEXT(T, policy),        MAYBE_PLACE(T, scenario),    TEXT(T, verdict),
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
    TEXT(T, what),          TEXT(T, name),          MAYBE(T, of),
    COUNT(T, uses),         ESTIMATE(T, median_us), NUMBER(T, mean_us),
    NUMBER(T, least_us),    NUMBER(T, most_us),     NUMBER(T, bandwidth_bytes_per_s),
    NUMBER(T, overhead_us), NUMBER(T, latency_us),  ESTIMATE(T, kappa),
    NUMBER(T, factor),      MAYBE(T, law),          MAYBE_PLACE(T, table),
    MAYBE(T, evidence),     MAYBE(T, source),       NUMBER(T, confidence),
    NUMBER(T, chain_share)};
SHAPE(sl_shape_cost, T, cost_fields);
#undef T

#define T sl_record_unknown
static const struct sl_field unknown_fields[] = {TEXT(T, what), TEXT(T, name), TEXT(T, detail)};
SHAPE(sl_shape_unknown, T, unknown_fields);
#undef T
