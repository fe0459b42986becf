/* Keys of a record and of its conclusions, in the order in which they are written. */
#include "config.h"

#include "record_fields.h"

static const char *const status_words[] = {"hypothesis", "policy-selected", "runtime-feasible",
                                           "measured",   "accepted",        "rejected"};
const char *const sl_truth_words[SL_TRUTHS] = {"unknown", "yes", "no"};
static const char *const outcome_words[] = {"unknown", "pass", "fail"};

const char *sl_record_status_name(enum sl_record_status status)
{
    return status_words[status];
}

const char *sl_gate_outcome_name(enum sl_gate_outcome_kind kind)
{
    return outcome_words[kind];
}

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
static const struct sl_field step_fields[] = {TEXT(T, step), WORD(T, done, sl_truth_words),
                                              MAYBE(T, by), MAYBE(T, note)};
SHAPE(sl_shape_step, T, step_fields);
#undef T

#define T sl_record_event
static const struct sl_field event_fields[] = {TEXT(T, date),
                                               WORD(T, from, status_words),
                                               WORD(T, to, status_words),
                                               TEXT(T, by),
                                               TEXT(T, evidence),
                                               MAYBE(T, sha256),
                                               TEXT(T, body),
                                               TEXT(T, seal)};
SHAPE(sl_shape_event, T, event_fields);
#undef T

#define T sl_record_seal
static const struct sl_field seal_fields[] = {TEXT(T, section), TEXT(T, sha256)};
SHAPE(sl_shape_seal, T, seal_fields);
#undef T

#define T sl_record
static const struct sl_field record_fields[] = {COUNT(T, format),
                                                TEXT(T, version),
                                                MAYBE(T, finding),
                                                WORD(T, status, status_words),
                                                MAP(T, workload, workload),
                                                MAP(T, environment, environment),
                                                MAP(T, objective, objective),
                                                PLACE(T, results),
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
                                                NUMBER(T, within),
                                                MAYBE(T, drifts),
                                                MAP(T, fallback, fallback),
                                                LIST(T, risks, risk),
                                                LIST(T, gate, gate_outcome),
                                                LIST(T, workflow, step),
                                                LIST(T, seals, seal),
                                                LIST(T, history, event)};
SHAPE(sl_record_shape, T, record_fields);
#undef T
