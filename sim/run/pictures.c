/* What pictures need beyond figures, from trials that are run once more: the band of each domain's
 * level over time, and the bars of the median and the p99 trial. */
#include "cellparts.h"
#include <stdlib.h>

#define BAND_TRIALS 200
#define BAND_POINTS 400

/* Levels of the first trials, sampled on one grid. */
struct band {
    uint32_t trials, domains;
    int64_t end_ps;  /* last instant of the grid */
    int64_t *levels; /* (domain x point) x trial */
};

static int64_t grid_time(const struct band *band, uint32_t point)
{
    return (int64_t)((double)band->end_ps * point / (BAND_POINTS - 1));
}

static int64_t *level_at(const struct band *band, uint32_t domain, uint32_t point, uint32_t trial)
{
    return &band->levels[((size_t)domain * BAND_POINTS + point) * band->trials + trial];
}

/* The level at a grid point is the one after the last step up to it. */
static enum sl_status sample_levels(void *state, const struct sl_trial *record,
                                    struct sl_error *err)
{
    (void)err;
    const struct band *band = state;
    for (uint32_t d = 0; d < band->domains; d++) {
        uint32_t point = 0;
        int64_t level = 0;
        for (size_t k = 0; k < record->step_count; k++) {
            const struct sl_level_step *step = &record->steps[k];
            if (step->domain != d)
                continue;
            for (; point < BAND_POINTS && grid_time(band, point) < step->t_ps; point++)
                *level_at(band, d, point, record->trial) = level;
            level = step->object_bytes + step->workspace_bytes + step->staging_bytes;
        }
        for (; point < BAND_POINTS; point++)
            *level_at(band, d, point, record->trial) = level;
    }
    return SL_OK;
}

static void reduce_band(struct sl_cell *cell, const struct band *band)
{
    /* Deadlocked trials never reach the end; they are left out of the band. */
    for (uint32_t d = 0; d < band->domains; d++) {
        for (uint32_t p = 0; p < BAND_POINTS; p++) {
            int64_t *row = level_at(band, d, p, 0);
            uint32_t n = 0;
            for (uint32_t t = 0; t < band->trials; t++)
                if (cell->metric_ps[t] != INT64_MAX)
                    row[n++] = row[t];
            sl_sort_integers(row, n);
            cell->pressure[(size_t)d * BAND_POINTS + p] = (struct sl_pressure_point){
                .t_us = (double)grid_time(band, p) / 1e6,
                .lo = (double)row[sl_quantile_rank(n, 0.05) - 1],
                .median = (double)row[sl_quantile_rank(n, 0.5) - 1],
                .hi = (double)row[sl_quantile_rank(n, 0.95) - 1],
            };
        }
    }
}

static enum sl_status run_band(struct sl_cell *cell, struct band *band, struct sl_trials_job *job,
                               struct sl_error *err)
{
    uint32_t threads = job->threads < band->trials ? job->threads : band->trials;
    void **states = calloc(threads, sizeof *states);
    if (!states)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t t = 0; t < threads; t++)
        states[t] = band; /* threads write different trials only */
    struct sl_trials_job levels = *job;
    levels.trials = band->trials;
    levels.threads = threads;
    levels.flags = SL_RECORD_LEVELS;
    levels.open = NULL;
    levels.visit = sample_levels;
    levels.states = states;
    levels.progress = NULL;
    enum sl_status status = sl_trials_run(&levels, err);
    if (status == SL_OK)
        reduce_band(cell, band);
    free(states);
    return status;
}

static enum sl_status draw_band(struct sl_cell *cell, struct sl_trials_job *job,
                                struct sl_error *err)
{
    struct band band = {.trials = cell->trials < BAND_TRIALS ? cell->trials : BAND_TRIALS,
                        .domains = cell->plan.graph->platform->domain_names.count};
    bool any = false;
    for (uint32_t t = 0; t < band.trials; t++) {
        if (cell->metric_ps[t] == INT64_MAX)
            continue;
        any = true;
        band.end_ps = cell->metric_ps[t] > band.end_ps ? cell->metric_ps[t] : band.end_ps;
    }
    if (!any || band.domains == 0)
        return SL_OK;
    size_t rows = (size_t)band.domains * BAND_POINTS;
    cell->pressure = sl_arena_array(&cell->arena, rows, sizeof *cell->pressure);
    band.levels = calloc(rows, (size_t)band.trials * sizeof(int64_t));
    enum sl_status status = SL_OK;
    if (!cell->pressure || !band.levels)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the pressure of %u domains",
                         (unsigned)band.domains);
    if (status == SL_OK)
        status = run_band(cell, &band, job, err);
    cell->pressure_points = status == SL_OK ? BAND_POINTS : 0;
    free(band.levels);
    return status;
}

/* The trial whose metric is the q-quantile; the smallest number of several; SL_NONE when that is a
 * deadlock. */
static uint32_t trial_at(const struct sl_cell *cell, double q)
{
    int64_t metric = cell->sorted_ps[sl_quantile_rank(cell->trials, q) - 1];
    return metric == INT64_MAX ? SL_NONE : sl_cell_trial_with(cell, metric);
}

/* Sets marks[i] to 1 for the runs on the realized chain. */
static void mark_chain(const struct sl_program *program, const struct sl_trial *trial,
                       struct sl_link *links, size_t capacity, uint8_t *marks)
{
    size_t count = sl_trial_chain(program, trial, links, capacity);
    for (size_t k = 0; k < count; k++)
        if (!links[k].waiting)
            marks[links[k].run] = 1;
}

static uint32_t fill_bars(struct sl_bar *bars, const struct sl_trial *record, uint32_t n,
                          const uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->run_count; i++)
        if (record->state[i] == SL_RAN)
            bars[count++] = (struct sl_bar){.node = sl_trial_node(record, n, i),
                                            .ready_ps = record->ready_ps[i],
                                            .start_ps = record->start_ps[i],
                                            .free_ps = record->free_ps[i],
                                            .finish_ps = record->finish_ps[i],
                                            .cause = record->cause[i],
                                            .on_chain = marks[i]};
    return count;
}

enum sl_status sl_trial_bars(struct sl_bar **bars, uint32_t *count,
                             const struct sl_program *program, const struct sl_trial *trial,
                             struct sl_arena *arena, struct sl_error *err)
{
    uint32_t n = sl_program_graph(program)->node_count;
    struct sl_arena scratch = {0};
    struct sl_link *links = NULL;
    size_t capacity = 0;
    uint8_t *marks = sl_arena_array(&scratch, (size_t)trial->run_count + 1, 1);
    *count = 0;
    *bars = sl_arena_array(arena, (size_t)trial->run_count + 1, sizeof **bars);
    enum sl_status status = SL_OK;
    if (!sl_trial_chain_room(&links, &capacity, trial, &scratch) || !marks || !*bars)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the bars of %u nodes", (unsigned)n);
    if (status == SL_OK) {
        mark_chain(program, trial, links, capacity, marks);
        *count = fill_bars(*bars, trial, n, marks);
    }
    sl_arena_free(&scratch);
    return status;
}

/* Runs one trial again and keeps its bars. */
static enum sl_status draw_bars(struct sl_cell *cell, const struct sl_trials_job *job,
                                uint32_t trial, struct sl_bar **bars, uint32_t *count,
                                struct sl_error *err)
{
    struct sl_worker *worker = NULL;
    const struct sl_trial *record = NULL;
    *count = 0;
    if (trial == SL_NONE)
        return SL_OK;
    enum sl_status status = sl_worker_create(&worker, job->program, err);
    if (status == SL_OK)
        status = sl_worker_run(worker, job->seed, trial, 0, &record, err);
    if (status == SL_OK)
        status = sl_trial_bars(bars, count, job->program, record, &cell->arena, err);
    sl_worker_free(worker);
    return status;
}

enum sl_status sl_cell_pictures(struct sl_cell *cell, const struct sl_program *program,
                                struct sl_trials_job *job, struct sl_error *err)
{
    job->program = program;
    cell->median_trial = trial_at(cell, 0.5);
    cell->p99_trial = trial_at(cell, 0.99);
    enum sl_status status = draw_band(cell, job, err);
    if (status == SL_OK)
        status = draw_bars(cell, job, cell->median_trial, &cell->median_bars,
                           &cell->median_bar_count, err);
    if (status == SL_OK)
        status = draw_bars(cell, job, cell->p99_trial, &cell->p99_bars, &cell->p99_bar_count, err);
    return status;
}
