/* A measurement set beside a record's projection: the target, what ran side by side and what that
 * cost, the order, and what was missed.  Nothing of it fills in for a projection, or is filled in
 * by one. */
#ifndef SL_MEASURING_H
#define SL_MEASURING_H
#include "planned.h"
#include "realized.h"
#include "record_scenario.h"

/* What "closely enough" is, unless a command says otherwise: a share. */
#define SL_MEASURE_TOLERANCE 0.1

struct sl_measure_request {
    const char *path;          /* of the measurement */
    const char *baseline_path; /* that of the baseline; NULL: none */
    double tolerance;          /* share; SL_MEASURE_TOLERANCE */
};

/* Fills record->measured and record->measurement anew, and notes the files as inputs in the roles
 * "measurement" and "baseline-measurement".  Status, gate and history are left to the caller.
 * SL_INVALID: the measurement is of another plan, or the scenario has changed since the decision.
 * Faults go to `diags`. */
enum sl_status sl_record_measure(struct sl_record *record, const struct sl_measure_request *request,
                                 struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;

/* ---- parts ----------------------------------------------------------------------------------- */

/* Plan and measurement, side by side. */
struct sl_measuring {
    struct sl_record *record;
    const struct sl_planned *planned;
    const struct sl_realized *realized;
    double tolerance;
    uint32_t *work_of; /* by name of the realized: planned work; SL_NONE: none is named so */
    struct sl_arena arena;
};
/* Planned works and measured actions by name: missing, unexpected, matched. */
enum sl_status sl_measuring_match(struct sl_measuring *measure, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_measuring_contention(struct sl_measuring *measure,
                                       struct sl_error *err) SL_NODISCARD;
enum sl_status sl_measuring_order(struct sl_measuring *measure, struct sl_error *err) SL_NODISCARD;
/* The target and what surrounds it; differences against a measured baseline; whether the conditions
 * are representative (`regime`: of the model's slowdowns, NULL: none).  False: out of memory. */
bool sl_measuring_result(struct sl_measuring *measure) SL_NODISCARD;
void sl_measuring_against(struct sl_measuring *measure, const struct sl_realized *baseline);
bool sl_measuring_conditions(struct sl_measuring *measure, const struct sl_realized *baseline,
                             const char *regime) SL_NODISCARD;
/* Peaks of each domain at the measured times, of runs in which all planned works were seen. */
enum sl_status sl_measuring_peaks(struct sl_measuring *measure, struct sl_error *err) SL_NODISCARD;
/* The file of the speeds that works alone had beside a replay; NULL: it has none. */
const char *sl_measuring_speeds(const struct sl_replay_record *replay, struct sl_arena *arena);
/* The error of the projection at the speeds that works alone had beside a replay. */
enum sl_status sl_measuring_speed(struct sl_measuring *measure, const struct sl_record_scenario *at,
                                  struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Whether the figure is the model's closely enough.
 *
 * yes      it lies within the tolerance of the model (by ratio, or `least` apart), and its whole
 *          interval within twice that
 * no       its whole interval lies beyond the tolerance
 * unknown  neither is shown, or something is not known */
enum sl_truth sl_measuring_agrees(double model, struct sl_estimate measured, double tolerance,
                                  double least);
#endif
