/* Keys of the evidence (record_evidence.h), in the order in which they are written. */
#include "config.h"

#include "record_fields.h"

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

#define T sl_record_outcome
static const struct sl_field constraint_outcome_fields[] = {
    TEXT(T, constraint), ESTIMATE(T, figure), NUMBER(T, limit), FLAG(T, at_least), TEXT(T, state)};
SHAPE(sl_shape_outcome, T, constraint_outcome_fields);
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
                                                MAYBE(T, longest_wait),
                                                MAYBE(T, wait_behind),
                                                COUNT(T, starved),
                                                LIST(T, constraints, outcome),
                                                NUMBER(T, baseline_count),
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
    TEXT(T, wish),  MAYBE(T, mechanism), WORD(T, realizable, sl_truth_words),
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
                                                    WORD(T, holds, sl_truth_words)};
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
                                                   WORD(T, feasible, sl_truth_words),
                                                   MAYBE(T, why),
                                                   MAYBE(T, baseline_why),
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
                                                    WORD(T, agrees, sl_truth_words),
                                                    MAYBE(T, note)};
SHAPE(sl_shape_contention, T, contention_fields);
#undef T

#define T sl_record_measurement
static const struct sl_field measurement_fields[] = {MAYBE(T, backend),
                                                     MAYBE(T, regime),
                                                     WORD(T, representative, sl_truth_words),
                                                     MAYBE(T, representative_why),
                                                     COUNT(T, planned),
                                                     COUNT(T, matched),
                                                     TEXTS(T, missing),
                                                     TEXTS(T, unexpected),
                                                     NUMBER(T, contention_tolerance),
                                                     LIST(T, contention, contention),
                                                     WORD(T, order_agrees, sl_truth_words),
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
                                                  WORD(T, proven, sl_truth_words)};
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
                                                  WORD(T, acyclic, sl_truth_words),
                                                  MAYBE(T, cycle)};
SHAPE(sl_shape_progress, T, progress_fields);
#undef T

#define T sl_record_starvation
static const struct sl_field starvation_fields[] = {NUMBER(T, bound_us), NUMBER(T, max_wait_us),
                                                    MAYBE(T, node), COUNT(T, beyond)};
SHAPE(sl_shape_starvation, T, starvation_fields);
#undef T

#define T sl_record_proofs
static const struct sl_field proofs_fields[] = {
    MAP(T, lifetime, lifetime),     LIST(T, reconstructions, reconstruction),
    LIST(T, capacity, capacity),    MAP(T, progress, progress),
    MAP(T, starvation, starvation), LIST(T, constraints, outcome)};
SHAPE(sl_shape_proofs, T, proofs_fields);
#undef T
