/* What the files that make up a sweep share: cell after cell, and racing. */
#ifndef SL_SWEEPPARTS_H
#define SL_SWEEPPARTS_H
#include "axes.h"
#include "capacity_limits.h"

struct sl_sweep {
    const struct sl_sweep_request *request;
    struct sl_sweep_totals *totals;
    struct sl_diags *diags;
    struct sl_arena arena;
    struct sl_scenario base; /* without any axis set */
    struct sl_axes_table table;
    uint8_t *verdicts; /* enum known_verdict by cell */
    bool *skipped;
    /* The scenario at the setting of its own axes that is in use. */
    struct sl_scenario loaded;
    uint32_t *loaded_choice;
    bool is_loaded;
    struct sl_limits limits;
    /* Progress. */
    uint64_t trials_before, trials_total, cell_trials;
    uint32_t cells_before, cells_total;
};

/* Plans the cell; the scenario that it uses stays until a cell of another setting is opened. */
enum sl_status sl_sweep_open_cell(struct sl_sweep *sweep, uint32_t i, struct sl_cell *cell,
                                  struct sl_error *err) SL_NODISCARD;
/* Estimates, verdict and pictures. */
enum sl_status sl_sweep_finish_cell(struct sl_sweep *sweep, struct sl_cell *cell,
                                    const struct sl_run_options *options,
                                    struct sl_error *err) SL_NODISCARD;
/* Settles whether the finished cell is a baseline, and hands it on. */
enum sl_status sl_sweep_hand_on(struct sl_sweep *sweep, struct sl_cell *cell,
                                struct sl_error *err) SL_NODISCARD;
/* Runs all cells as races (race_sweep.h), one per setting of the scenario's own axes. */
enum sl_status sl_sweep_race(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
#endif
