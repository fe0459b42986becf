/* Runs of a plan as decided and with what a runtime inserts, on the same draws. */
#include "config.h"

#include "feasibility_parts.h"
#include "order_figures.h"
#include <math.h>
#include <string.h>

static struct sl_run_options options_of(const struct sl_feasibility_work *w)
{
    struct sl_run_options options = w->request->options;
    options.trials = (uint32_t)w->record->trials;
    options.seed_given = true;
    options.seed = w->record->fresh_seed;
    options.nominal = true;
    return options;
}

static const double *by_trial(struct sl_feasibility_work *w, const struct sl_cell *cell,
                              enum sl_measure measure)
{
    const struct sl_order_item item = {.measure = measure, .domain = SL_NONE};
    double *us = sl_arena_array(&w->arena, (size_t)cell->trials + 1, sizeof *us);
    for (uint32_t t = 0; us && t < cell->trials; t++)
        us[t] = sl_order_trial_value(&item, cell, t);
    return us;
}

/* Trials have one figure each, replications of jobs quantiles of their own. */
static enum sl_status keep_figures(struct sl_feasibility_work *w, const struct sl_cell *cell,
                                   struct sl_feasibility_figures *figures, struct sl_error *err)
{
    bool has = cell->metric_ps && (!cell->jobs || cell->jobs->estimated);
    *figures = (struct sl_feasibility_figures){.jobs = cell->jobs};
    if (!has)
        return SL_OK;
    figures->trials = cell->trials;
    figures->mean_us = by_trial(w, cell, SL_MEASURE_MEAN);
    figures->tail_us = cell->jobs ? by_trial(w, cell, SL_MEASURE_TAIL) : figures->mean_us;
    figures->median_us = cell->jobs ? by_trial(w, cell, SL_MEASURE_MEDIAN) : figures->mean_us;
    return figures->mean_us && figures->tail_us && figures->median_us ? SL_OK
                                                                      : sl_decide_no_memory(err);
}

static bool is_recorded(double now, double recorded)
{
    return (isnan(now) && isnan(recorded)) || fabs(now - recorded) <= 1e-9 * fabs(recorded);
}

static enum sl_status check_projected(const struct sl_feasibility_work *w,
                                      const struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_record_result *recorded = &w->record->projected;
    if (is_recorded(cell->median.value, recorded->median.value) &&
        is_recorded(sl_decide_tail(cell).value, recorded->tail.value))
        return SL_OK;
    return SL_FAIL(
        err, SL_INVALID,
        "the projection, run again, has the median %.9g us and the tail %.9g us, and the "
        "record says %.9g and %.9g: it was changed, or made by another version",
        cell->median.value, sl_decide_tail(cell).value, recorded->median.value,
        recorded->tail.value);
}

/* The projection once more: its trials are not in the record. */
enum sl_status sl_feasibility_projected(struct sl_feasibility_work *w,
                                        struct sl_feasibility_figures *figures,
                                        struct sl_error *err)
{
    struct sl_cell cell;
    struct sl_diags ignored = {0}; /* told when it was decided */
    struct sl_cell_spec spec = {.policy = w->at->policy->name};
    struct sl_run_options options = options_of(w);
    enum sl_status status =
        sl_cell_run(&cell, &w->at->scenario, w->at->policy, &spec, &options, &ignored, err);
    if (status == SL_OK)
        status = check_projected(w, &cell, err);
    if (status == SL_OK)
        status = keep_figures(w, &cell, figures, err);
    sl_cell_free(&cell);
    sl_diags_free(&ignored);
    return status;
}

/* Takes the recomputed plan over.  The cell is the caller's to free, in every case. */
enum sl_status sl_feasibility_run(struct sl_feasibility_work *w, struct sl_recomputed *made,
                                  const char *policy, struct sl_cell *cell,
                                  struct sl_feasibility_figures *figures, struct sl_error *err)
{
    struct sl_diags ignored = {0};
    struct sl_cell_spec spec = {.policy = policy};
    struct sl_run_options options = options_of(w);
    enum sl_status status = sl_cell_open_plan(cell, &w->at->scenario, &made->plan, &spec, err);
    if (status == SL_OK)
        status = sl_cell_run_trials(cell, &options, err);
    if (status == SL_OK)
        status = sl_cell_finish(cell, &options, &ignored, err);
    if (status == SL_OK)
        status = keep_figures(w, cell, figures, err);
    sl_diags_free(&ignored);
    return status;
}

enum sl_status sl_feasibility_difference(const struct sl_feasibility_work *w,
                                         const struct sl_feasibility_figures *a,
                                         const struct sl_feasibility_figures *b,
                                         enum sl_measure measure, struct sl_estimate *estimate,
                                         struct sl_error *err)
{
    struct sl_difference difference;
    uint32_t n = a->trials < b->trials ? a->trials : b->trials;
    bool tail = measure == SL_MEASURE_TAIL, mean = measure == SL_MEASURE_MEAN;
    const double *x = mean ? a->mean_us : tail ? a->tail_us : a->median_us;
    const double *y = mean ? b->mean_us : tail ? b->tail_us : b->median_us;
    *estimate = SL_NO_ESTIMATE;
    if (n == 0)
        return SL_OK;
    bool exact = !mean && !a->jobs && sl_decide_is_exact(x, y, n, &difference);
    enum sl_status status =
        exact ? SL_OK
        : mean || a->jobs
            ? sl_decide_mean_difference(x, y, n, &difference, err)
            : sl_paired_at(&difference, x, y, n, tail ? w->record->objective.tail : 0.5,
                           w->record->fresh_seed, SL_DECIDE_LEVEL, err);
    if (status == SL_OK)
        *estimate = difference.estimate;
    return status;
}
