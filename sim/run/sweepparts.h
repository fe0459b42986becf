/* What the files that make up a sweep share: cell after cell, and racing. */
#ifndef SL_SWEEPPARTS_H
#define SL_SWEEPPARTS_H
#include "axes.h"
#include "capacity_limits.h"
#include "thread_pool.h"
#include <pthread.h>

struct sl_sweep {
    const struct sl_sweep_request *request;
    struct sl_sweep_totals *totals;
    struct sl_diags *diags;
    struct sl_arena arena;
    struct sl_scenario base; /* without any axis set */
    struct sl_axes_table table;
    bool *skipped;
    struct sl_loaded *settings; /* scenarios in use, and the one used last */
    pthread_mutex_t lock;        /* guards settings */
    pthread_cond_t loaded;       /* one of them */
    struct sl_limits limits;
    uint64_t cell_trials; /* of each cell */
    const struct sl_cell_helpers *helpers; /* of cells; NULL: nobody */
    /* Progress. */
    uint64_t trials_before, trials_total; /* of cells that were taken, of all */
    uint32_t cells_before, cells_total;
};

/* Adds what `diags` has not yet, so that a repeated load warns once. */
void sl_sweep_tell(struct sl_diags *diags, const struct sl_diags *from);
/* Loads the scenario at a setting of its own axes (`choice` NULL: none set). */
enum sl_status sl_sweep_load(const struct sl_sweep *sweep, struct sl_scenario *scenario,
                             const uint32_t *choice, struct sl_diags *diags,
                             struct sl_error *err) SL_NODISCARD;
/* The scenario without any axis set, the caller's where it is given; sl_sweep_close_base releases it in
 * every case. */
enum sl_status sl_sweep_open_base(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
void sl_sweep_close_base(struct sl_sweep *sweep);
/* Every value of every axis is tried before anything runs, one axis at a time: a sweep should not
 * fail halfway for a typing error in its last value. */
enum sl_status sl_sweep_check_axes(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
bool sl_sweep_open_settings(struct sl_sweep *sweep);
void sl_sweep_close_settings(struct sl_sweep *sweep);
/* The scenario of cell i, which other cells of its setting share; by any thread.  To be given back
 * in every case, NULL too.  SL_OK, too, where its graph is not legal: a cell opened on it says so. */
enum sl_status sl_sweep_take_scenario(struct sl_sweep *sweep, uint32_t i,
                                      struct sl_scenario **scenario, struct sl_diags *diags,
                                      struct sl_error *err) SL_NODISCARD;
void sl_sweep_give_scenario(struct sl_sweep *sweep, struct sl_scenario *scenario);
/* Why the graph of a scenario that was taken is not legal; NULL: it is. */
const struct sl_error *sl_sweep_illegal_setting(const struct sl_sweep *sweep,
                                                const struct sl_scenario *scenario);

/* Plans the cell; by any thread. */
enum sl_status sl_sweep_open_cell(const struct sl_sweep *sweep, uint32_t i,
                                  struct sl_scenario *scenario, struct sl_cell *cell,
                                  struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Hands the finished cell on. */
enum sl_status sl_sweep_hand_on(struct sl_sweep *sweep, struct sl_cell *cell,
                                struct sl_error *err) SL_NODISCARD;

/* Counts a finished cell in the totals. */
void sl_sweep_count(struct sl_sweep *sweep, enum sl_verdict verdict, uint64_t trials,
                    uint64_t node_runs, double seconds);
/* Where cells come from, and where they go.  `next` is called by any thread that runs cells, by one
 * at a time; `take` by the thread that called sl_sweep_run_cells alone, perhaps during a `next`. */
struct sl_cell_flow {
    uint32_t most; /* cells, at the most */
    /* The index of the next cell to run, in rising order; SL_NONE: none is left. */
    uint32_t (*next)(void *user);
    /* Gets each finished cell in the order of `next`, whatever order they finished in; the cell is
     * freed afterwards.  An error ends the run. */
    enum sl_status (*take)(void *user, struct sl_cell *cell, struct sl_error *err);
    void *user;
};
/* Runs what `next` names, cells side by side: a thread of the pool opens the next one, runs it and
 * finishes it; threads that find none help with the trials of others.  Of T threads at most 2 T - 1
 * cells are in memory, and fewer where they would take half of the machine's.  Progress goes to the
 * request's options, by the calling thread.  The error is that of the first cell, in the order of
 * `next`, that has one. */
enum sl_status sl_sweep_run_cells(struct sl_sweep *sweep, const struct sl_cell_flow *flow,
                                  struct sl_error *err) SL_NODISCARD;
/* Runs all cells as races (race_sweep.h), one per setting of the scenario's own axes. */
enum sl_status sl_sweep_race(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
#endif
