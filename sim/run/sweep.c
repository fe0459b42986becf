/* The sweep: loads a scenario per setting of its own axes, runs each cell, hands it on. */
#include "sweepparts.h"
#include <stdlib.h>
#include <string.h>

enum known_verdict { NOT_KNOWN, GOOD, BAD };

/* Adds what `from` has and `diags` has not, so that a repeated load warns once. */
static void merge_diags(struct sl_diags *diags, const struct sl_diags *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct sl_diag *diag = &from->items[i];
        bool known = false;
        for (size_t k = 0; k < diags->count && !known; k++) {
            const struct sl_diag *other = &diags->items[k];
            known = strcmp(other->code, diag->code) == 0 && other->place.line == diag->place.line &&
                    strcmp(other->message, diag->message) == 0;
        }
        if (!known)
            sl_diags_add(diags, diag->severity, diag->code, diag->place, "%s", diag->message);
    }
}

/* Sets one key in the policies that have it as a parameter, in their rules too (the loader knows of
 * the top level alone). */
static bool set_in_policies(struct sl_scenario *scenario, const char *key, const char *value)
{
    for (uint32_t p = 0; p < scenario->policy_count; p++) {
        if (!sl_policy_uses(&scenario->policies[p], key))
            continue;
        const struct sl_policy_spec *policy =
            sl_policy_with(&scenario->policies[p], key, value, &scenario->arena);
        if (!policy)
            return false;
        scenario->policies[p] = *policy;
    }
    return true;
}

static enum sl_status override_policies(const struct sl_sweep_request *request,
                                        struct sl_scenario *scenario, struct sl_error *err)
{
    for (uint32_t i = 0; i < request->override_count; i++) {
        const char *key = sl_axes_policy_key(request->overrides[i].path);
        /* A list stays as the loader put it: rules take single values. */
        if (!key || request->overrides[i].value->type != SL_YAML_SCALAR)
            continue;
        const char *value = sl_axes_text(request->overrides[i].value, &scenario->arena);
        if (!value || !set_in_policies(scenario, key, value))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    return SL_OK;
}

/* Loads the scenario at a setting of its own axes (`choice` NULL: none set). */
static enum sl_status load(struct sl_sweep *sweep, struct sl_scenario *scenario,
                           const uint32_t *choice, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    uint32_t axes = choice ? sweep->base.axis_count : 0;
    uint32_t count = 0;
    struct sl_override *overrides =
        calloc((size_t)request->override_count + axes + 1, sizeof *overrides);
    if (!overrides)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (; count < request->override_count; count++)
        overrides[count] = request->overrides[count];
    for (uint32_t a = 0; a < axes; a++) {
        const struct sl_axis *axis = &sweep->base.axes[a];
        if (choice[a] != SL_NONE && !sl_axes_policy_key(axis->path))
            overrides[count++] =
                (struct sl_override){.path = axis->path, .value = axis->values[choice[a]]};
    }
    struct sl_diags diags = {0};
    enum sl_status status =
        sl_scenario_load(scenario, request->path, overrides, count, &diags, err);
    if (status == SL_OK)
        status = override_policies(request, scenario, err);
    if (status == SL_OK) {
        sl_policy_check(scenario, &diags);
        status = sl_diags_status(&diags, err);
    }
    merge_diags(sweep->diags, &diags);
    sl_diags_free(&diags);
    free(overrides);
    return status;
}

static bool has_scenario_axis(const struct sl_sweep *sweep)
{
    for (uint32_t a = 0; a < sweep->base.axis_count; a++)
        if (!sl_axes_policy_key(sweep->base.axes[a].path))
            return !sweep->request->no_axes;
    return false;
}

/* The scenario of a cell; kept while only axes of policies vary. */
static enum sl_status scenario_of(struct sl_sweep *sweep, const uint32_t *choice,
                                  struct sl_scenario **scenario, struct sl_error *err)
{
    if (!has_scenario_axis(sweep)) {
        *scenario = &sweep->base;
        return SL_OK;
    }
    bool same = sweep->is_loaded;
    for (uint32_t a = 0; a < sweep->base.axis_count && same; a++)
        same = sl_axes_policy_key(sweep->base.axes[a].path) || choice[a] == sweep->loaded_choice[a];
    *scenario = &sweep->loaded;
    if (same)
        return SL_OK;
    if (sweep->is_loaded)
        sl_scenario_free(&sweep->loaded);
    memcpy(sweep->loaded_choice, choice, sweep->base.axis_count * sizeof *choice);
    sweep->is_loaded = true; /* sl_scenario_free releases a failed load too */
    return load(sweep, &sweep->loaded, choice, err);
}

/* Every value of every axis is tried before anything runs, one axis at a time: a sweep should not
 * fail halfway for a typing error in its last value. */
static enum sl_status check_axis(struct sl_sweep *sweep, uint32_t axis, uint32_t *choice,
                                 struct sl_error *err)
{
    bool of_policy = sl_axes_policy_key(sweep->base.axes[axis].path) != NULL;
    bool *applied = sl_arena_array(&sweep->arena, sweep->base.axis_count, sizeof *applied);
    if (!applied)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = SL_OK;
    for (uint32_t v = 0; v < sweep->base.axes[axis].value_count && status == SL_OK; v++) {
        choice[axis] = v;
        struct sl_scenario trial = {0};
        if (!of_policy) {
            status = load(sweep, &trial, choice, err);
            sl_scenario_free(&trial);
            continue;
        }
        struct sl_diags diags = {0};
        trial = sweep->base;
        trial.policies =
            sl_arena_array(&sweep->arena, (size_t)trial.policy_count + 1, sizeof *trial.policies);
        for (uint32_t p = 0; p < trial.policy_count && trial.policies; p++) {
            const struct sl_policy_spec *policy = sl_axes_policy(
                &sweep->base, &sweep->base.policies[p], choice, applied, &sweep->arena);
            trial.policies[p] = policy ? *policy : sweep->base.policies[p];
        }
        if (trial.policies) {
            sl_policy_check(&trial, &diags);
            status = sl_diags_status(&diags, err);
        } else {
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
        }
        merge_diags(sweep->diags, &diags);
        sl_diags_free(&diags);
    }
    return status;
}

static enum sl_status check_axes(struct sl_sweep *sweep, struct sl_error *err)
{
    uint32_t count = sweep->base.axis_count;
    uint32_t *choice = sl_arena_array(&sweep->arena, (size_t)count + 1, sizeof *choice);
    enum sl_status status = choice ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t a = 0; a < count && status == SL_OK; a++) {
        for (uint32_t k = 0; k < count; k++)
            choice[k] = 0;
        status = check_axis(sweep, a, choice, err);
    }
    return status;
}

static bool pass_progress(void *user, uint64_t done, uint64_t total, uint32_t cells_done,
                          uint32_t cells_total)
{
    (void)cells_done;
    (void)cells_total;
    const struct sl_sweep *sweep = user;
    const struct sl_run_options *options = &sweep->request->options;
    uint64_t share =
        total ? (uint64_t)((double)sweep->cell_trials * (double)done / (double)total) : 0;
    return options->progress(options->user, sweep->trials_before + share, sweep->trials_total,
                             sweep->cells_before, sweep->cells_total);
}

enum sl_status sl_sweep_open_cell(struct sl_sweep *sweep, uint32_t i, struct sl_cell *cell,
                                  struct sl_error *err)
{
    struct sl_scenario *scenario = NULL;
    const uint32_t *choice = sl_axes_choice(&sweep->table, i);
    enum sl_status status = scenario_of(sweep, choice, &scenario, err);
    if (status != SL_OK)
        return status;
    struct sl_arena scratch = {0};
    struct sl_diags diags = {0};
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
        status = sl_cell_open(cell, scenario, policy, &sweep->table.specs[i], &diags, err);
    merge_diags(sweep->diags, &diags);
    sl_diags_free(&diags);
    sl_arena_free(&scratch);
    return status;
}

enum sl_status sl_sweep_finish_cell(struct sl_sweep *sweep, struct sl_cell *cell,
                                    const struct sl_run_options *options, struct sl_error *err)
{
    struct sl_diags diags = {0};
    enum sl_status status = sl_cell_finish(cell, options, &diags, err);
    merge_diags(sweep->diags, &diags);
    sl_diags_free(&diags);
    if (status == SL_OK)
        sweep->verdicts[cell->spec.index] = cell->verdict == SL_VERDICT_OK ? GOOD : BAD;
    return status;
}

static enum sl_status run_cell(struct sl_sweep *sweep, uint32_t i, struct sl_cell *cell,
                               struct sl_error *err)
{
    struct sl_run_options options = sweep->request->options;
    options.user = sweep;
    options.progress = options.progress ? pass_progress : NULL;
    enum sl_status status = sl_sweep_open_cell(sweep, i, cell, err);
    if (status == SL_OK)
        status = sl_cell_run_trials(cell, &options, err);
    if (status == SL_OK)
        status = sl_sweep_finish_cell(sweep, cell, &options, err);
    return status;
}

/* Whether a baseline cell is ok; run now, and dropped, when its turn has not come or when it is on
 * disk from an earlier run. */
static enum sl_status baseline_verdict(struct sl_sweep *sweep, uint32_t i, bool *good,
                                       struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (sweep->verdicts[i] == NOT_KNOWN) {
        struct sl_cell cell = {0};
        status = run_cell(sweep, i, &cell, err);
        sl_cell_free(&cell);
    }
    *good = sweep->verdicts[i] == GOOD;
    return status;
}

static bool has_policy(const struct sl_sweep *sweep, uint32_t i, const char *name)
{
    return name && strcmp(sweep->table.specs[i].policy, name) == 0;
}

/* Settles whether the cell is a baseline: the scenario's, or the fallback where that one fails. */
static enum sl_status settle_baseline(struct sl_sweep *sweep, struct sl_cell *cell,
                                      struct sl_error *err)
{
    const struct sl_scenario *base = &sweep->base;
    uint32_t i = cell->spec.index;
    bool ok = cell->verdict == SL_VERDICT_OK;
    if (has_policy(sweep, i, base->baseline)) {
        cell->spec.is_baseline = ok;
        return SL_OK;
    }
    cell->spec.is_baseline = false;
    if (!ok || !base->baseline || !has_policy(sweep, i, base->fallback_baseline))
        return SL_OK;
    for (uint32_t k = 0; k < sweep->table.count; k++) {
        if (!has_policy(sweep, k, base->baseline) || !sl_axes_agree(&sweep->table, i, k))
            continue;
        bool good = true;
        enum sl_status status = baseline_verdict(sweep, k, &good, err);
        if (status != SL_OK)
            return status;
        if (!good)
            cell->spec.is_baseline = true;
    }
    return SL_OK;
}

static void count_cell(struct sl_sweep *sweep, const struct sl_cell *cell)
{
    struct sl_sweep_totals *totals = sweep->totals;
    totals->failed += cell->verdict == SL_VERDICT_DEADLOCK || cell->verdict == SL_VERDICT_ILLEGAL ||
                      cell->verdict == SL_VERDICT_INFEASIBLE;
    totals->trials += cell->trials;
    totals->nodes += cell->node_runs;
    totals->seconds += cell->seconds;
}

enum sl_status sl_sweep_hand_on(struct sl_sweep *sweep, struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    if (!sl_limits_note(&sweep->limits, cell))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = settle_baseline(sweep, cell, err);
    if (status == SL_OK && request->sink)
        status = request->sink(request->user, cell, err);
    if (status == SL_OK)
        count_cell(sweep, cell);
    return status;
}

static enum sl_status run_cells(struct sl_sweep *sweep, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < sweep->table.count && status == SL_OK; i++) {
        if (sweep->skipped[i])
            continue;
        struct sl_cell cell = {0};
        status = run_cell(sweep, i, &cell, err);
        if (status == SL_OK)
            status = sl_sweep_hand_on(sweep, &cell, err);
        sl_cell_free(&cell);
        sweep->trials_before += sweep->cell_trials;
        sweep->cells_before++;
    }
    return status;
}

static enum sl_status prepare(struct sl_sweep *sweep, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    enum sl_status status = load(sweep, &sweep->base, NULL, err);
    if (status == SL_OK)
        status = sl_axes_cells(&sweep->table, &sweep->base, request, &sweep->arena, err);
    if (status == SL_OK && !request->no_axes)
        status = check_axes(sweep, err);
    if (status != SL_OK)
        return status;
    uint32_t count = sweep->table.count;
    sweep->verdicts = sl_arena_array(&sweep->arena, (size_t)count + 1, sizeof *sweep->verdicts);
    sweep->skipped = sl_arena_array(&sweep->arena, (size_t)count + 1, sizeof *sweep->skipped);
    sweep->loaded_choice = sl_arena_array(&sweep->arena, (size_t)sweep->base.axis_count + 1,
                                          sizeof *sweep->loaded_choice);
    if (!sweep->verdicts || !sweep->skipped || !sweep->loaded_choice)
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

static void sweep_free(struct sl_sweep *sweep)
{
    if (sweep->is_loaded)
        sl_scenario_free(&sweep->loaded);
    sl_scenario_free(&sweep->base);
    sl_limits_free(&sweep->limits);
    sl_arena_free(&sweep->arena);
}

enum sl_status sl_sweep_run(const struct sl_sweep_request *request, struct sl_sweep_totals *totals,
                            struct sl_diags *diags, struct sl_error *err)
{
    struct sl_sweep sweep = {.request = request, .totals = totals, .diags = diags};
    *totals = (struct sl_sweep_totals){0};
    enum sl_status status = prepare(&sweep, err);
    if (status == SL_OK && request->begin)
        request->begin(request->user, sweep.cells_total);
    if (status == SL_OK)
        status = request->race ? sl_sweep_race(&sweep, err) : run_cells(&sweep, err);
    if (status == SL_OK && !request->no_axes)
        status = report_unused_axes(&sweep, err);
    if (status == SL_OK && totals->skipped == 0 && runs_every_policy(&sweep))
        sl_limits_report(&sweep.limits, diags);
    sweep_free(&sweep);
    if (status == SL_OK && totals->cells > 0 && totals->failed == totals->cells)
        return SL_NO;
    return status;
}

enum sl_status sl_sweep_cells(const struct sl_sweep_request *request, struct sl_arena *arena,
                              struct sl_cell_spec **specs, uint32_t *count, struct sl_diags *diags,
                              struct sl_error *err)
{
    struct sl_sweep sweep = {.request = request, .diags = diags};
    enum sl_status status = load(&sweep, &sweep.base, NULL, err);
    if (status == SL_OK)
        status = sl_axes_cells(&sweep.table, &sweep.base, request, arena, err);
    if (status == SL_OK && !request->no_axes)
        status = check_axes(&sweep, err);
    if (status == SL_OK && !request->no_axes)
        status = report_unused_axes(&sweep, err);
    *specs = sweep.table.specs;
    *count = sweep.table.count;
    sweep_free(&sweep);
    return status;
}
