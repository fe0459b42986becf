/* All policies of a scenario at all settings of its axes. */
#ifndef SL_SWEEP_H
#define SL_SWEEP_H
#include "cell.h"
#include "race_sweep.h"
#include "ranks.h"
#include "wire.h"

/* Called with each finished cell before it is freed, in the order of cell indices; in a race, in
 * that order within each setting of the scenario's own axes. */
typedef enum sl_status (*sl_cell_sink)(void *user, const struct sl_cell *cell,
                                       struct sl_error *err);
/* True when the cell is already there (resume). NULL: none is. */
typedef bool (*sl_cell_skip)(void *user, const struct sl_cell_spec *spec);

/* How finished cells travel between ranks: one writes to the wire what the sink of the other needs,
 * which that one reads; cells arrive in any order.  `form` is the leader's, for commands that sweep
 * in several ways. */
typedef enum sl_status (*sl_cell_pack)(void *user, const struct sl_cell *cell, uint32_t form,
                                       struct sl_wire *wire, struct sl_error *err);
typedef enum sl_status (*sl_cell_take)(void *user, const struct sl_cell_spec *spec,
                                       struct sl_wire *wire, struct sl_error *err);

struct sl_sweep_request {
    const char *path; /* scenario folder */
    const struct sl_override *overrides;
    uint32_t override_count;
    const struct sl_scenario *loaded; /* what these give, where the caller has it; NULL: read here */
    const char *const *policies; /* the cells of these, in this order */
    uint32_t policy_count;       /* 0: of all, in the order of the scenario */
    bool no_axes;            /* `run`: the scenario's own values, no sweep */
    struct sl_run_options options;
    /* Told the number of cells to run, before the first.  NULL: nobody. */
    void (*begin)(void *user, uint32_t cells);
    struct sl_race_report *race; /* filled, and its arrays put into race_arena; NULL: no race */
    struct sl_arena *race_arena;
    sl_cell_sink sink;
    sl_cell_skip skip;
    struct sl_ranks *ranks; /* who shares the work; NULL: this process does all */
    sl_cell_pack pack;      /* with ranks; called on any of them, on rank 0 from a thread of its own */
    sl_cell_take take;
    uint32_t form;
    void *user;
};

struct sl_sweep_totals {
    uint32_t cells, failed, skipped;
    uint64_t trials, nodes; /* simulated trials, and node executions */
    double seconds;         /* wall time of the trials alone */
};

/* Warnings of the runs, each once: `limit-never-reached` (a capacity that no cell waited for or came
 * near, when every policy ran), `unused-axis` (a policy axis that no policy has as a parameter).
 *
 * Cells are ordered by axes (first axis slowest), then policy, so that a picture's neighbours are
 * neighbours in the table.  Policies that an axis does not apply to give one cell for it.  SL_NO when every cell failed.
 *
 * With ranks every one calls this; on those that do not lead it returns when the leader lets them
 * go, which is after all its sweeps. */
enum sl_status sl_sweep_run(const struct sl_sweep_request *request, struct sl_sweep_totals *totals,
                            struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* The number of cells without running them, and their specs in `arena`.  Every axis value is
 * checked, and axes that change nothing are warned about. */
enum sl_status sl_sweep_cells(const struct sl_sweep_request *request, struct sl_arena *arena,
                              struct sl_cell_spec **specs, uint32_t *count, struct sl_diags *diags,
                              struct sl_error *err) SL_NODISCARD;
#endif
