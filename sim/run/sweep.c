/* The sweep: cell after cell, from a source to where finished ones go. */
#include "ranksparts.h"
#include "sweepparts.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_sweep_open_cell(const struct sl_sweep *sweep, uint32_t i,
                                  struct sl_scenario *scenario, struct sl_cell *cell,
                                  struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_error *why = sl_sweep_illegal_setting(sweep, scenario);
    if (why) {
        sl_cell_refuse(cell, scenario, &sweep->table.specs[i], why);
        return SL_OK;
    }
    struct sl_arena scratch = {0};
    enum sl_status status = SL_OK;
    const uint32_t *choice = sl_axes_choice(&sweep->table, i);
    const struct sl_policy_spec *policy =
        sl_scenario_policy(scenario, sweep->table.specs[i].policy);
    bool *applied = sl_arena_array(&scratch, (size_t)sweep->base.axis_count + 1, sizeof *applied);
    if (!policy)
        status = SL_FAIL(err, SL_INVALID, "an axis removes the policy '%s'",
                         sweep->table.specs[i].policy);
    else if (!applied ||
             !(policy = sl_axes_policy(&sweep->base, policy, choice, applied, &scratch)))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = sl_cell_open(cell, scenario, policy, &sweep->table.specs[i], diags, err);
    sl_arena_free(&scratch);
    return status;
}

void sl_sweep_count(struct sl_sweep *sweep, enum sl_verdict verdict, uint64_t trials,
                    uint64_t node_runs, double seconds)
{
    struct sl_sweep_totals *totals = sweep->totals;
    totals->failed += verdict == SL_VERDICT_DEADLOCK || verdict == SL_VERDICT_ILLEGAL ||
                      verdict == SL_VERDICT_INFEASIBLE;
    totals->trials += trials;
    totals->nodes += node_runs;
    totals->seconds += seconds;
}

enum sl_status sl_sweep_hand_on(struct sl_sweep *sweep, struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    if (!sl_limits_note(&sweep->limits, cell))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = request->sink ? request->sink(request->user, cell, err) : SL_OK;
    if (status == SL_OK)
        sl_sweep_count(sweep, cell->verdict, cell->trials, cell->node_runs, cell->seconds);
    return status;
}

/* All cells that are not there yet, each handed on. */
struct whole_sweep {
    struct sl_sweep *sweep;
    uint32_t next;
};

static uint32_t next_cell(void *user)
{
    struct whole_sweep *whole = user;
    const struct sl_sweep *sweep = whole->sweep;
    while (whole->next < sweep->table.count && sweep->skipped[whole->next])
        whole->next++;
    return whole->next < sweep->table.count ? whole->next++ : SL_NONE;
}

static enum sl_status take_cell(void *user, struct sl_cell *cell, struct sl_error *err)
{
    struct whole_sweep *whole = user;
    return sl_sweep_hand_on(whole->sweep, cell, err);
}

static enum sl_status run_whole(struct sl_sweep *sweep, struct sl_error *err)
{
    struct whole_sweep whole = {.sweep = sweep};
    const struct sl_cell_flow flow = {
        .most = sweep->table.count, .next = next_cell, .take = take_cell, .user = &whole};
    return sl_sweep_run_cells(sweep, &flow, err);
}

static enum sl_status prepare(struct sl_sweep *sweep, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    enum sl_status status = sl_sweep_open_base(sweep, err);
    if (status == SL_OK)
        status = sl_axes_cells(&sweep->table, &sweep->base, request, &sweep->arena, err);
    if (status == SL_OK && !request->no_axes)
        status = sl_sweep_check_axes(sweep, err);
    if (status != SL_OK)
        return status;
    uint32_t count = sweep->table.count;
    sweep->skipped = sl_arena_array(&sweep->arena, (size_t)count + 1, sizeof *sweep->skipped);
    if (!sweep->skipped)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u cells", (unsigned)count);
    sweep->cell_trials = request->options.trials ? request->options.trials : sweep->base.trials;
    if (sweep->cell_trials == 0)
        return SL_FAIL(err, SL_INVALID, "the number of trials is 0; it must be at least 1");
    sweep->totals->cells = count;
    for (uint32_t i = 0; i < count; i++) {
        sweep->skipped[i] = request->skip && request->skip(request->user, &sweep->table.specs[i]);
        sweep->totals->skipped += sweep->skipped[i];
    }
    sweep->cells_total = count - sweep->totals->skipped;
    sweep->trials_total = sweep->cells_total * sweep->cell_trials;
    return SL_OK;
}

/* Axes that no policy has as a parameter; told from all policies, whichever are run. */
static enum sl_status report_unused_axes(struct sl_sweep *sweep, struct sl_error *err)
{
    struct sl_axes_table all;
    const struct sl_sweep_request every = {0};
    enum sl_status status = sl_axes_cells(&all, &sweep->base, &every, &sweep->arena, err);
    for (uint32_t a = 0; a < sweep->base.axis_count && status == SL_OK; a++) {
        const struct sl_axis *axis = &sweep->base.axes[a];
        if (sl_axes_policy_key(axis->path) && !sl_axes_used(&all, a))
            sl_diags_add(sweep->diags, SL_WARNING, "unused-axis", axis->place,
                         "axis '%s' changes nothing: no policy has this parameter", axis->path);
    }
    return status;
}

/* Of capacities some policies alone say little: others may need them. */
static bool runs_every_policy(const struct sl_sweep *sweep)
{
    uint32_t count = sweep->request->policy_count;
    return count == 0 || count == sweep->base.policy_count;
}

/* The cells, and what can be said when all are there. */
static enum sl_status run_all(struct sl_sweep *sweep, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    if (request->begin)
        request->begin(request->user, sweep->cells_total);
    enum sl_status status;
    if (request->ranks)
        status = request->race ? sl_ranks_lead_race(sweep, err) : sl_ranks_lead(sweep, err);
    else
        status = request->race ? sl_sweep_race(sweep, err) : run_whole(sweep, err);
    if (status == SL_OK && !request->no_axes)
        status = report_unused_axes(sweep, err);
    if (status == SL_OK && sweep->totals->skipped == 0 && runs_every_policy(sweep))
        sl_limits_report(&sweep->limits, sweep->diags);
    return status;
}

static void sweep_free(struct sl_sweep *sweep)
{
    sl_sweep_close_base(sweep);
    sl_limits_free(&sweep->limits);
    sl_arena_free(&sweep->arena);
}

enum sl_status sl_sweep_run(const struct sl_sweep_request *request, struct sl_sweep_totals *totals,
                            struct sl_diags *diags, struct sl_error *err)
{
    struct sl_sweep sweep = {.request = request, .totals = totals, .diags = diags};
    *totals = (struct sl_sweep_totals){0};
    if (!sl_sweep_open_settings(&sweep))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = prepare(&sweep, err);
    bool works = request->ranks && !sl_ranks_leads(request->ranks);
    if (works)
        status = sl_ranks_work(&sweep, status, err);
    else if (status == SL_OK)
        status = run_all(&sweep, err);
    sl_sweep_close_settings(&sweep);
    sweep_free(&sweep);
    if (status == SL_OK && !works && totals->cells > 0 && totals->failed == totals->cells)
        return SL_NO;
    return status;
}

enum sl_status sl_sweep_cells(const struct sl_sweep_request *request, struct sl_arena *arena,
                              struct sl_cell_spec **specs, uint32_t *count, struct sl_diags *diags,
                              struct sl_error *err)
{
    struct sl_sweep sweep = {.request = request, .diags = diags};
    enum sl_status status = sl_sweep_open_base(&sweep, err);
    if (status == SL_OK)
        status = sl_axes_cells(&sweep.table, &sweep.base, request, arena, err);
    if (status == SL_OK && !request->no_axes)
        status = sl_sweep_check_axes(&sweep, err);
    if (status == SL_OK && !request->no_axes)
        status = report_unused_axes(&sweep, err);
    *specs = sweep.table.specs;
    *count = sweep.table.count;
    sweep_free(&sweep);
    return status;
}
