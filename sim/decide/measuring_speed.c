/* The projection at the speeds that works alone had beside a replay (drift.csv), so that what has
 * changed since the calibration is not taken for an error of the model. */
#include "config.h"

#include "changed_run.h"
#include "csvtab.h"
#include "measuring.h"
#include "units.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define LEVEL       0.95
#define MOST_TRIALS 4000u
#define MOST_RATIO  1e6

enum { CLASS, REGIME, RATIO, COLUMNS = 14 };
static const struct sl_column_spec columns[COLUMNS] = {
    [CLASS] = {"class", true},
    [REGIME] = {"regime", true},
    [RATIO] = {"ratio", true},
    /* These say nothing here. */
    {"size_bytes", false},
    {"calibrated_us", false},
    {"seen_us", false},
    {"seen_lo_us", false},
    {"seen_hi_us", false},
    {"ratio_lo", false},
    {"ratio_hi", false},
    {"sessions_factor", false},
    {"within_sessions", false},
    {"shots", false},
    {"rejected", false},
};

/* False: no class has a ratio in the judged regime. */
static bool set_classes(struct sl_change *change, const struct sl_csv *table,
                        const struct sl_names *classes, const char *regime)
{
    bool any = false;
    for (uint32_t row = 0; row < table->row_count; row++) {
        char why[SL_WHY_SIZE];
        double ratio = NAN;
        uint32_t klass = sl_names_find(classes, sl_csv_cell(table, row, CLASS));
        bool good = klass != SL_NONE && strcmp(sl_csv_cell(table, row, REGIME), regime) == 0 &&
                    sl_parse_number(sl_csv_cell(table, row, RATIO), &ratio, why);
        if (!good || !(ratio > 1 / MOST_RATIO && ratio < MOST_RATIO))
            continue;
        change->classes[klass] = ratio;
        any = true;
    }
    return any;
}

static enum sl_status project(const struct sl_record_scenario *at, const struct sl_record *record,
                              const struct sl_change *change, double *median_us,
                              struct sl_arena *arena, struct sl_error *err)
{
    const struct sl_changed_run run = {
        .scenario = &at->scenario,
        .policy = record->policy.name,
        .plan = &at->plan,
        .seed = record->fresh_seed,
        .trials = record->trials < MOST_TRIALS ? (uint32_t)record->trials : MOST_TRIALS,
    };
    double *metric = sl_arena_array(arena, (size_t)run.trials + 1, sizeof *metric);
    if (!metric)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_changed_run(&run, change, false, metric, err);
    if (status == SL_OK) {
        sl_sort_doubles(metric, run.trials);
        *median_us = sl_quantile(metric, run.trials, 0.5, LEVEL).value;
    }
    return status;
}

const char *sl_measuring_speeds(const struct sl_replay_record *replay, struct sl_arena *arena)
{
    const char *path = replay->dir ? sl_arena_printf(arena, "%s/drift.csv", replay->dir) : NULL;
    return path && access(path, F_OK) == 0 ? path : NULL;
}

enum sl_status sl_measuring_speed(struct sl_measuring *measure, const struct sl_record_scenario *at,
                                  struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_replay_record *replay = &measure->realized->replay;
    const struct sl_platform *platform = measure->planned->graph->platform;
    struct sl_csv table = {0};
    struct sl_change change;
    double median_us = NAN;
    const char *path = sl_measuring_speeds(replay, &measure->arena);
    if (!path)
        return SL_OK; /* no shots of works alone were taken: not known */
    size_t errors = diags->errors;
    enum sl_status status = sl_csv_read(&table, path, columns, COLUMNS, diags, err);
    if (status == SL_OK && diags->errors > errors)
        status = sl_diags_status(diags, err);
    if (status == SL_OK)
        status = sl_change_init(&change, platform, err);
    if (status == SL_OK) {
        if (set_classes(&change, &table, &platform->kappa.classes, replay->identity.regime))
            status = project(at, measure->record, &change, &median_us, &measure->arena, err);
        sl_change_free(&change);
    }
    measure->record->measurement.projection_error =
        measure->record->measured.median.value / median_us - 1;
    sl_csv_free(&table);
    return status;
}
