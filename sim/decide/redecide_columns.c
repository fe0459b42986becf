/* What a runtime answered and what was measured, made again from the recorded files, and the gate's
 * outcomes from all of it. */
#include "config.h"

#include "decide_parts.h"
#include "feasibility.h"
#include "measuring.h"
#include "paths.h"
#include "redecide_parts.h"
#include <math.h>
#include <string.h>

static const struct sl_record_input *input_in(const struct sl_record *record, const char *role)
{
    for (uint32_t i = 0; i < record->inputs.count; i++)
        if (strcmp(record->inputs.items[i].role, role) == 0)
            return &record->inputs.items[i];
    return NULL;
}

static bool has_changed(const struct sl_redecide *again, const char *role)
{
    for (uint32_t i = 0; i < again->change_count; i++)
        if (strcmp(again->changes[i].role, role) == 0)
            return true;
    return false;
}

/* ---- what a runtime answered --------------------------------------------------------------------
 */

/* The mapping that calls itself so; NULL: none, or no longer. */
static const struct sl_mapping *mapping_by(const char *by)
{
    char name[80];
    for (size_t i = 0; i < sl_mapping_count(); i++) {
        snprintf(name, sizeof name, "%s (built in)", sl_mapping_get(i)->name);
        if (strcmp(name, by) == 0)
            return sl_mapping_get(i);
    }
    return NULL;
}

static enum sl_status answer(struct sl_redecide *again, const struct sl_record *record,
                             const struct sl_run_options *options, struct sl_diags *diags,
                             struct sl_error *err)
{
    const struct sl_record_input *reply = input_in(record, "reply");
    const struct sl_record_input *base = input_in(record, "baseline-reply");
    struct sl_feasibility found;
    const struct sl_feasibility_request request = {
        .reply = reply ? reply->path : NULL,
        .mapping = reply ? NULL : mapping_by(record->mechanism.by),
        .baseline_reply = base ? base->path : NULL,
        .options = *options};
    if (!reply && !request.mapping)
        return SL_FAIL(err, SL_INVALID, "the answer is by '%s', which no file of the record holds",
                       record->mechanism.by);
    return sl_record_feasibility(&again->record, &request, &found, diags, err);
}

static enum sl_status redo_feasible(struct sl_redecide *again, const struct sl_record *record,
                                    const struct sl_run_options *options, struct sl_diags *diags,
                                    struct sl_error *err)
{
    struct sl_record_result then = record->runtime_feasible;
    struct sl_record_mechanism was = record->mechanism;
    enum sl_status status = answer(again, record, options, diags, err);
    then.source.path =
        again->record.runtime_feasible.source.path; /* where a file lies is no figure */
    was.path = again->record.mechanism.path;
    if (status != SL_OK)
        return status;
    sl_record_same(&again->same, "mechanism", &was, &again->record.mechanism, &sl_shape_mechanism);
    sl_record_same(&again->same, "runtime_feasible", &then, &again->record.runtime_feasible,
                   &sl_shape_result);
    return SL_OK;
}

/* ---- what was measured --------------------------------------------------------------------------
 */

/* What was given: the folder that holds all of its files, or the only file. */
static const char *measured_path(struct sl_redecide *again, const struct sl_record *record,
                                 const char *role)
{
    const struct sl_record_input *first = input_in(record, role);
    uint32_t files = 0;
    for (uint32_t i = 0; i < record->inputs.count; i++)
        files += strcmp(record->inputs.items[i].role, role) == 0;
    if (files <= 1)
        return first ? first->path : NULL;
    return sl_path_folder(&again->arena, first->path);
}

static enum sl_status redo_measured(struct sl_redecide *again, const struct sl_record *record,
                                    struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_measure_request request = {
        .path = measured_path(again, record, "measurement"),
        .baseline_path = measured_path(again, record, "baseline-measurement"),
        .tolerance = record->measurement.contention_tolerance};
    struct sl_record_result then = record->measured;
    if (again->arena.starved)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!request.path)
        return SL_FAIL(err, SL_INVALID, "the record names no file of what was measured");
    enum sl_status status = sl_record_measure(&again->record, &request, diags, err);
    if (status != SL_OK)
        return status;
    then.source.path = again->record.measured.source.path; /* where it lies is no figure */
    sl_record_same(&again->same, "measured", &then, &again->record.measured, &sl_shape_result);
    sl_record_same(&again->same, "measurement", &record->measurement, &again->record.measurement,
                   &sl_shape_measurement);
    return SL_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

/* The gate is a function of the record: of one made again it says the same. */
static enum sl_status redo_gate(struct sl_redecide *again, const struct sl_record *record,
                                struct sl_error *err)
{
    enum sl_status status = sl_decide_conclude(&again->record, err);
    if (status != SL_OK)
        return status;
    sl_record_same_list(&again->same, "unknowns", &record->unknowns, &again->record.unknowns,
                        &sl_shape_unknown);
    sl_record_same_list(&again->same, "risks", &record->risks, &again->record.risks,
                        &sl_shape_risk);
    sl_record_same_list(&again->same, "gate", &record->gate, &again->record.gate,
                        &sl_shape_gate_outcome);
    return SL_OK;
}

static enum sl_column_state state_of(const struct sl_redecide *again, bool differed)
{
    return *again->same.key && !differed ? SL_COLUMN_DIFFERS : SL_COLUMN_EQUAL;
}

enum sl_status sl_redecide_columns(struct sl_redecide *again, const struct sl_record *record,
                                   const struct sl_run_options *options, struct sl_diags *diags,
                                   struct sl_error *err)
{
    enum sl_status status = SL_OK;
    bool differed = *again->same.key;
    again->columns[SL_COLUMN_PROJECTED] = state_of(again, false);
    if (has_changed(again, "reply") || has_changed(again, "baseline-reply")) {
        again->columns[SL_COLUMN_FEASIBLE] = SL_COLUMN_INPUT;
    } else if (record->mechanism.present) {
        status = redo_feasible(again, record, options, diags, err);
        again->columns[SL_COLUMN_FEASIBLE] = state_of(again, differed);
        differed |= *again->same.key != '\0';
    }
    if (has_changed(again, "measurement") || has_changed(again, "baseline-measurement")) {
        again->columns[SL_COLUMN_MEASURED] = SL_COLUMN_INPUT;
    } else if (status == SL_OK && record->measurement.present) {
        status = redo_measured(again, record, diags, err);
        again->columns[SL_COLUMN_MEASURED] = state_of(again, differed);
    }
    return status == SL_OK && again->change_count == 0 ? redo_gate(again, record, err) : status;
}
