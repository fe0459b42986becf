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

/* Adds what the sweep's diagnostics have not yet, so that a repeated load warns once. */
void sl_sweep_tell(struct sl_sweep *sweep, const struct sl_diags *from);
/* Loads the scenario at a setting of its own axes (`choice` NULL: none set). */
enum sl_status sl_sweep_load(struct sl_sweep *sweep, struct sl_scenario *scenario,
                             const uint32_t *choice, struct sl_error *err) SL_NODISCARD;
/* The scenario without any axis set, the caller's where it is given; sl_sweep_close_base releases it in
 * every case. */
enum sl_status sl_sweep_open_base(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
void sl_sweep_close_base(struct sl_sweep *sweep);
/* The scenario of a cell; kept while only axes of policies vary. */
enum sl_status sl_sweep_scenario(struct sl_sweep *sweep, const uint32_t *choice,
                                 struct sl_scenario **scenario, struct sl_error *err) SL_NODISCARD;
/* Every value of every axis is tried before anything runs, one axis at a time: a sweep should not
 * fail halfway for a typing error in its last value. */
enum sl_status sl_sweep_check_axes(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;

/* Plans the cell; the scenario that it uses stays until a cell of another setting is opened. */
enum sl_status sl_sweep_open_cell(struct sl_sweep *sweep, uint32_t i, struct sl_cell *cell,
                                  struct sl_error *err) SL_NODISCARD;
/* Estimates, verdict and pictures. */
enum sl_status sl_sweep_finish_cell(struct sl_sweep *sweep, struct sl_cell *cell,
                                    const struct sl_run_options *options,
                                    struct sl_error *err) SL_NODISCARD;
/* Hands the finished cell on. */
enum sl_status sl_sweep_hand_on(struct sl_sweep *sweep, struct sl_cell *cell,
                                struct sl_error *err) SL_NODISCARD;
/* Where cells come from, and where they go.  `next` is called by any thread that runs cells, by one
 * at a time; `take` by the thread that called sl_sweep_run_cells alone, perhaps during a `next`. */
struct sl_cell_flow {
    /* The index of the next cell to run, in rising order; SL_NONE: none is left. */
    uint32_t (*next)(void *user);
    /* Gets each finished cell in the order of `next`, whatever order they finished in; the cell is
     * freed afterwards.  An error ends the run. */
    enum sl_status (*take)(void *user, struct sl_cell *cell, struct sl_error *err);
    void *user;
};
/* Runs what `next` names.  The error is that of the first cell, in the order of `next`, that has one. */
enum sl_status sl_sweep_run_cells(struct sl_sweep *sweep, const struct sl_cell_flow *flow,
                                  struct sl_error *err) SL_NODISCARD;
/* Runs all cells as races (race_sweep.h), one per setting of the scenario's own axes. */
enum sl_status sl_sweep_race(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
#endif
