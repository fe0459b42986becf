/* Racing the cells of a sweep, setting by setting. */
#include <config.h>

#include "cellparts.h"
#include "same_graph.h"
#include "sweepparts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

/* The cells of one setting. */
struct field {
    struct sl_sweep *sweep;
    uint32_t count;
    uint32_t *index; /* in the sweep */
    struct sl_scenario *scenario;
    struct sl_cell *cells; /* opened; freed with the field */
    uint32_t *runner_of;   /* by cell, that of the first cell with this plan; SL_NONE: illegal */
    uint32_t runner_count;
    struct sl_runner *runners;
    uint32_t *cell_of; /* by runner */
    uint32_t leader;
    uint32_t later; /* cells of settings to come */
    struct sl_arena arena;
    /* Progress: trials before the lot at hand, those of its cell before it. */
    uint64_t spent;
    uint32_t had;
};

static enum sl_status race_quantile(const struct sl_scenario *scenario, double *q,
                                    struct sl_error *err)
{
    if (scenario->objective.order_count == 0)
        return SL_FAIL(err, SL_USAGE,
                       "--race needs an objective.order: without one the Pareto set is the answer, "
                       "which no cell can be dropped from by one figure");
    switch (scenario->objective.order[0].measure) {
    case SL_MEASURE_TAIL:
        *q = scenario->objective.tail;
        return SL_OK;
    case SL_MEASURE_MEDIAN:
        *q = 0.5;
        return SL_OK;
    case SL_MEASURE_MEAN:
        *q = NAN;
        return SL_OK;
    default:
        return SL_FAIL(err, SL_USAGE,
                       "--race cannot race on '%s', which is first in objective.order; it can on "
                       "tail, median and mean",
                       scenario->objective.order[0].name);
    }
}

static bool same_setting(const struct sl_sweep *sweep, uint32_t i, uint32_t k)
{
    const uint32_t *x = sl_axes_choice(&sweep->table, i), *y = sl_axes_choice(&sweep->table, k);
    for (uint32_t a = 0; a < sweep->base.axis_count; a++)
        if (!sl_axes_policy_key(sweep->base.axes[a].path) && x[a] != y[a])
            return false;
    return true;
}

static bool field_init(struct field *field, struct sl_sweep *sweep, uint32_t first)
{
    uint32_t most = sweep->table.count - first;
    struct sl_arena *arena = &field->arena;
    field->sweep = sweep;
    field->index = sl_arena_array(arena, most, sizeof *field->index);
    for (uint32_t i = first; field->index && i < sweep->table.count; i++)
        if (same_setting(sweep, first, i))
            field->index[field->count++] = i;
    uint32_t count = field->count;
    field->cells = sl_arena_array(arena, count, sizeof *field->cells);
    field->runner_of = sl_arena_array(arena, count, sizeof *field->runner_of);
    field->runners = sl_arena_array(arena, count, sizeof *field->runners);
    field->cell_of = sl_arena_array(arena, count, sizeof *field->cell_of);
    return field->index && field->cells && field->runner_of && field->runners && field->cell_of;
}

static void field_free(struct field *field)
{
    for (uint32_t i = 0; field->cells && i < field->count; i++)
        sl_cell_free(&field->cells[i]);
    sl_sweep_give_scenario(field->sweep, field->scenario);
    sl_arena_free(&field->arena);
}

static bool same_engine(const struct sl_engine_options *a, const struct sl_engine_options *b)
{
    return a->corner == b->corner && a->dispatch_given == b->dispatch_given &&
           a->dispatch == b->dispatch && a->aging_given == b->aging_given &&
           a->aging_ps == b->aging_ps && a->cache_order == b->cache_order &&
           a->cache_through == b->cache_through && a->evict.worth == b->evict.worth &&
           a->evict.neighbours == b->evict.neighbours &&
           a->evict.pins_running == b->evict.pins_running && a->evict.livelock == b->evict.livelock;
}

/* The runner with this plan, SL_NONE: none yet. */
static uint32_t find_same(const struct field *field, const uint64_t *digests, uint32_t i)
{
    const struct sl_plan *plan = &field->cells[i].plan;
    for (uint32_t r = 0; r < field->runner_count; r++) {
        const struct sl_plan *other = &field->cells[field->cell_of[r]].plan;
        if (digests[field->cell_of[r]] == digests[i] &&
            same_engine(&plan->engine, &other->engine) && sl_graph_same(plan->graph, other->graph))
            return r;
    }
    return SL_NONE;
}

static enum sl_status open_cells(struct field *field, struct sl_error *err)
{
    uint64_t *digests = sl_arena_array(&field->arena, field->count, sizeof *digests);
    enum sl_status status = digests ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_diags diags = {0};
    if (status == SL_OK)
        status =
            sl_sweep_take_scenario(field->sweep, field->index[0], &field->scenario, &diags, err);
    for (uint32_t i = 0; status == SL_OK && i < field->count; i++) {
        struct sl_cell *cell = &field->cells[i];
        status =
            sl_sweep_open_cell(field->sweep, field->index[i], field->scenario, cell, &diags, err);
        field->runner_of[i] = SL_NONE;
        if (status != SL_OK || !cell->plan.graph)
            continue;
        digests[i] = sl_graph_digest(cell->plan.graph);
        field->runner_of[i] = find_same(field, digests, i);
        if (field->runner_of[i] == SL_NONE) {
            field->runner_of[i] = field->runner_count++;
            field->cell_of[field->runner_of[i]] = i;
            field->runners[field->runner_of[i]] = sl_runner_new();
        }
    }
    sl_sweep_tell(field->sweep->diags, &diags);
    sl_diags_free(&diags);
    return status;
}

/* Trials that the race may still take at the most, those of settings to come included. */
static uint64_t most_left(const struct field *field)
{
    uint64_t most = field->sweep->cell_trials, left = field->later * most;
    for (uint32_t r = 0; r < field->runner_count; r++)
        if (field->runners[r].state == SL_RACE_OPEN)
            left += most - field->runners[r].trials;
    return left;
}

static bool race_progress(void *user, uint64_t done, uint64_t total, uint32_t cells_done,
                          uint32_t cells_total)
{
    const struct field *field = user;
    const struct sl_sweep *sweep = field->sweep;
    const struct sl_run_options *options = &sweep->request->options;
    uint64_t spent = field->spent + (done > field->had ? done - field->had : 0);
    uint64_t most = field->spent + most_left(field);
    (void)total;
    (void)cells_total;
    cells_done = sweep->cells_total - field->later;
    for (uint32_t r = 0; r < field->runner_count; r++)
        cells_done -= field->runners[r].state == SL_RACE_OPEN;
    return options->progress(options->user, spent < most ? spent : most, most, cells_done,
                             sweep->cells_total);
}

static struct sl_run_options options_of(struct field *field)
{
    struct sl_run_options options = field->sweep->request->options;
    options.user = field;
    options.progress = options.progress ? race_progress : NULL;
    options.helpers = field->sweep->helpers;
    return options;
}

/* Brings a runner to `trials` and takes a look. */
static enum sl_status look(struct field *field, uint32_t r, uint32_t trials, struct sl_error *err)
{
    struct sl_race_report *report = field->sweep->request->race;
    struct sl_cell *cell = &field->cells[field->cell_of[r]];
    struct sl_runner *runner = &field->runners[r];
    struct sl_run_options options = options_of(field);
    bool for_good = false;
    field->had = cell->trials;
    enum sl_status status = sl_cell_extend(cell, trials, &options, err);
    field->spent += cell->trials - field->had;
    field->had = UINT32_MAX;
    if (status != SL_OK)
        return status;
    runner->trials = cell->trials;
    runner->barred = cell->deadlocked == 0 && sl_cell_breaks(cell, &for_good);
    if (cell->deadlocked > 0 || for_good) {
        runner->state = SL_RACE_OUT;
        return SL_OK;
    }
    double *values = malloc((size_t)trials * sizeof *values);
    if (!values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u trials", (unsigned)trials);
    for (uint32_t t = 0; t < trials; t++)
        values[t] = sl_us_of(cell->metric_ps[t]);
    status = sl_runner_look(runner, &report->looks, &report->rule, values, trials, err);
    free(values);
    return status;
}

static enum sl_status run_race(struct field *field, struct sl_error *err)
{
    const struct sl_race_report *report = field->sweep->request->race;
    uint32_t count = field->runner_count;
    uint32_t *wanted = sl_arena_array(&field->arena, (size_t)count + 1, sizeof *wanted);
    enum sl_status status = wanted ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t r = 0; wanted && r < count; r++)
        wanted[r] = report->looks.first;
    for (bool more = count > 0; more && status == SL_OK;) {
        for (uint32_t r = 0; status == SL_OK && r < count; r++)
            if (wanted[r] > field->runners[r].trials)
                status = look(field, r, wanted[r], err);
        field->leader = sl_race_decide(field->runners, count, &report->rule);
        more = false;
        for (uint32_t r = 0; r < count; r++) {
            wanted[r] = sl_race_next(field->runners, count, field->leader, r, &report->looks,
                                     &report->rule);
            more = more || wanted[r] > field->runners[r].trials;
        }
    }
    return status;
}

static enum sl_status finish_cells(struct field *field, struct sl_error *err)
{
    struct sl_run_options options = options_of(field);
    struct sl_diags diags = {0};
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < field->count; i++) {
        uint32_t r = field->runner_of[i];
        if (r != SL_NONE && field->cell_of[r] != i)
            continue;
        status = sl_cell_finish(&field->cells[i], &options, &diags, err);
    }
    sl_sweep_tell(field->sweep->diags, &diags);
    sl_diags_free(&diags);
    return status;
}

/* The results of a plan under the name of another cell that has the same: everything but the spec
 * and what planning did is borrowed. */
static struct sl_cell borrow(const struct sl_cell *from, const struct sl_cell *by)
{
    struct sl_cell cell = *from;
    cell.spec = by->spec;
    cell.plan = by->plan;
    cell.seconds = 0;
    cell.node_runs = 0;
    return cell;
}

static enum sl_status hand_on(struct field *field, struct sl_error *err)
{
    struct sl_sweep *sweep = field->sweep;
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < field->count; i++) {
        uint32_t r = field->runner_of[i], of = r == SL_NONE ? i : field->cell_of[r];
        struct sl_race_result *result = &sweep->request->race->results[field->index[i]];
        *result = (struct sl_race_result){.runner = sl_runner_new(), .same_as = SL_NONE};
        if (r != SL_NONE) {
            result->ran = true;
            result->runner = field->runners[r];
            if (result->runner.against != SL_NONE)
                result->runner.against = field->index[field->cell_of[result->runner.against]];
        }
        if (of == i) {
            status = sl_sweep_hand_on(sweep, &field->cells[i], err);
            continue;
        }
        result->same_as = field->index[of];
        struct sl_cell cell = borrow(&field->cells[of], &field->cells[i]);
        status = sl_sweep_hand_on(sweep, &cell, err);
    }
    return status;
}

static enum sl_status race_setting(struct sl_sweep *sweep, uint32_t first, bool *raced,
                                   uint32_t *later, struct sl_error *err)
{
    struct sl_race_report *report = sweep->request->race;
    struct field field = {.spent = report->spent, .had = UINT32_MAX, .leader = SL_NONE};
    enum sl_status status = field_init(&field, sweep, first)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for a race");
    if (status == SL_OK) {
        *later -= field.count;
        field.later = *later;
        for (uint32_t i = 0; i < field.count; i++)
            raced[field.index[i]] = true;
        status = open_cells(&field, err);
    }
    if (status == SL_OK)
        status = run_race(&field, err);
    report->spent = field.spent;
    if (status == SL_OK)
        status = finish_cells(&field, err);
    if (status == SL_OK)
        status = hand_on(&field, err);
    field_free(&field);
    return status;
}

enum sl_status sl_sweep_race(struct sl_sweep *sweep, struct sl_error *err)
{
    struct sl_race_report *report = sweep->request->race;
    uint32_t count = sweep->table.count, later = count;
    double q = NAN;
    *report = (struct sl_race_report){.cells = count};
    enum sl_status status = race_quantile(&sweep->base, &q, err);
    if (status != SL_OK)
        return status;
    report->rule = (struct sl_race_rule){
        .q = q,
        .min_gain = sweep->base.objective.min_gain,
        .error = SL_RACE_ERROR,
        .runners = count,
        .trials = (uint32_t)sweep->cell_trials,
        /* A constraint is judged over all trials, and what ties goes on to the next measure. */
        .may_settle =
            sweep->base.objective.constraint_count == 0 && sweep->base.objective.order_count == 1,
    };
    report->looks = sl_race_looks(&report->rule);
    report->results =
        sl_arena_array(sweep->request->race_arena, (size_t)count + 1, sizeof *report->results);
    bool *raced = sl_arena_array(&sweep->arena, (size_t)count + 1, sizeof *raced);
    if (!report->results || !raced)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u cells", (unsigned)count);
    for (uint32_t i = 0; status == SL_OK && i < count; i++)
        if (!raced[i])
            status = race_setting(sweep, i, raced, &later, err);
    sweep->totals->trials = report->spent;
    return status;
}
