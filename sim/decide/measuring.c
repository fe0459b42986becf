/* A measurement into a record. */
#include "config.h"

#include "measuring.h"
#include "outfile.h"
#include "record_shape.h"
#include "same_graph.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_TRIALS = 400 };

/* Inputs of a measurement of before are forgotten. */
static void drop_inputs(struct sl_record *record)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, "measurement") != 0 &&
            strcmp(input->role, "baseline-measurement") != 0)
            record->inputs.items[kept++] = *input;
    }
    record->inputs.count = kept;
}

static bool note_inputs(struct sl_record *record, const struct sl_realized *realized,
                        const char *role)
{
    for (uint32_t i = 0; i < realized->file_count; i++) {
        struct sl_record_input *input = sl_record_add(record, &record->inputs, &sl_shape_input);
        if (!input)
            return false;
        input->role = role;
        input->path = sl_arena_strdup(&record->arena, realized->files[i]);
        input->sha256 = sl_arena_strdup(&record->arena, realized->sha256s[i]);
        if (!input->path || !input->sha256)
            return false;
    }
    return true;
}

/* The speeds of works alone beside the replay, at which it is held against the projection. */
static bool note_speeds(struct sl_record *record, const struct sl_realized *realized)
{
    char hex[65];
    struct sl_error ignored = {0};
    const char *path = sl_measuring_speeds(&realized->replay, &record->arena);
    if (!path || sl_file_sha256(path, hex, &ignored) != SL_OK)
        return true; /* there are none; a file that cannot be read is told where it is used */
    struct sl_record_input *input = sl_record_add(record, &record->inputs, &sl_shape_input);
    if (!input)
        return false;
    input->role = "measurement";
    input->path = path;
    input->sha256 = sl_arena_strdup(&record->arena, hex);
    return input->sha256 != NULL;
}

static uint64_t digest_of(const char *hex)
{
    return hex ? strtoull(hex, NULL, 16) : 0;
}

/* A replay says what it executed. */
static enum sl_status check_identity(const struct sl_record *record,
                                     const struct sl_realized *realized, const char *policy,
                                     const char *digest, struct sl_error *err)
{
    const struct sl_replay_record *replay = &realized->replay;
    const struct sl_replay_identity *of = &replay->identity;
    if (!replay->dir)
        return SL_OK;
    if (strcmp(of->scenario, record->workload.scenario) != 0)
        return SL_FAIL_AT(err, SL_INVALID, replay->scenario_at,
                          "this replay is of scenario '%s', not '%s'", of->scenario,
                          record->workload.scenario);
    if (!digest || of->plan != digest_of(digest))
        return SL_FAIL_AT(err, SL_INVALID, replay->plan_at,
                          "this replay is of plan %016" PRIx64
                          " (policy '%s'), and the decision of "
                          "plan %s (policy '%s'); replay that one, with the --set of the decision",
                          of->plan, of->policy, digest ? digest : "none", policy);
    return SL_OK;
}

static enum sl_status compare(struct sl_measuring *measure, const struct sl_record_scenario *at,
                              const struct sl_realized *baseline, struct sl_diags *diags,
                              struct sl_error *err)
{
    enum sl_status status = sl_measuring_match(measure, err);
    if (status == SL_OK && measure->realized->has_works)
        status = sl_measuring_contention(measure, err);
    if (status == SL_OK)
        status = sl_measuring_order(measure, err);
    if (status != SL_OK)
        return status;
    bool good = sl_measuring_result(measure);
    if (good && baseline)
        sl_measuring_against(measure, baseline);
    good = good && sl_measuring_conditions(measure, baseline, at->scenario.platform.kappa.regime);
    if (!good)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (measure->realized->has_works)
        status = sl_measuring_peaks(measure, err);
    return status == SL_OK ? sl_measuring_speed(measure, at, diags, err) : status;
}

static enum sl_status measure_plan(struct sl_record *record, const struct sl_record_scenario *at,
                                   const struct sl_measure_request *request,
                                   const struct sl_realized *realized,
                                   const struct sl_realized *baseline, struct sl_diags *diags,
                                   struct sl_error *err)
{
    struct sl_planned planned = {0};
    struct sl_measuring measure = {.record = record,
                                   .planned = &planned,
                                   .realized = realized,
                                   .tolerance = request->tolerance};
    uint32_t trials = record->trials < PLAN_TRIALS ? (uint32_t)record->trials : PLAN_TRIALS;
    enum sl_status status =
        sl_planned_make(&planned, at->program, record->fresh_seed, trials > 0 ? trials : 1, err);
    if (status == SL_OK) {
        record->measurement.present = true;
        record->measurement.contention_tolerance = request->tolerance;
        status = compare(&measure, at, baseline, diags, err);
    }
    /* A figure that had no memory would be one that is not known. */
    if (status == SL_OK && (measure.arena.starved || record->arena.starved))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_planned_free(&planned);
    sl_arena_free(&measure.arena);
    return status;
}

/* Both measurements, each checked against what the decision is about. */
static enum sl_status read_both(const struct sl_record *record,
                                const struct sl_measure_request *request,
                                struct sl_realized *realized, struct sl_realized *baseline,
                                struct sl_diags *diags, struct sl_error *err)
{
    enum sl_status status = sl_realized_read(realized, request->path, diags, err);
    if (status == SL_OK)
        status =
            check_identity(record, realized, record->policy.name, record->graph.plan_digest, err);
    if (status != SL_OK || !request->baseline_path)
        return status;
    if (!record->baseline.present)
        return SL_FAIL(err, SL_USAGE, "the decision has no baseline that could be measured");
    status = sl_realized_read(baseline, request->baseline_path, diags, err);
    return status == SL_OK ? check_identity(record, baseline, record->baseline.policy,
                                            record->graph.baseline_digest, err)
                           : status;
}

enum sl_status sl_record_measure(struct sl_record *record, const struct sl_measure_request *request,
                                 struct sl_diags *diags, struct sl_error *err)
{
    struct sl_record_scenario at;
    struct sl_realized realized = {0}, baseline = {0};
    enum sl_status status = sl_record_scenario_decided(&at, record, diags, err);
    if (status == SL_OK)
        status = sl_record_scenario_once(&at, "--measured", err);
    if (status == SL_OK)
        status = read_both(record, request, &realized, &baseline, diags, err);
    if (status == SL_OK) {
        drop_inputs(record);
        sl_record_clear(&record->measured, &sl_shape_result);
        sl_record_clear(&record->measurement, &sl_shape_measurement);
        bool good =
            note_inputs(record, &realized, "measurement") && note_speeds(record, &realized) &&
            (!request->baseline_path || note_inputs(record, &baseline, "baseline-measurement"));
        status = good ? measure_plan(record, &at, request, &realized,
                                     request->baseline_path ? &baseline : NULL, diags, err)
                      : SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    sl_realized_free(&realized);
    sl_realized_free(&baseline);
    sl_record_scenario_close(&at);
    return status;
}
