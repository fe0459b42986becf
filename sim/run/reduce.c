/* From a cell's trials to its figures: estimates, bound, verdict. */
#include "cellparts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metric in us by trial, and the same ascending. */
struct sample {
    double *values, *sorted;
    size_t n;
};

/* `sorted_ps`: the same times ascending, which they are in us, too. */
static bool sample_init(struct sample *sample, const int64_t *metric_ps, const int64_t *sorted_ps,
                        uint32_t trials)
{
    sample->n = trials;
    sample->values = malloc((size_t)trials * sizeof(double));
    sample->sorted = malloc((size_t)trials * sizeof(double));
    if (!sample->values || !sample->sorted || !sorted_ps)
        return false;
    for (uint32_t t = 0; t < trials; t++) {
        sample->values[t] = sl_us_of(metric_ps[t]);
        sample->sorted[t] = sl_us_of(sorted_ps[t]);
    }
    return true;
}

static int64_t *sort(const int64_t *metric_ps, uint32_t trials, struct sl_arena *arena)
{
    int64_t *sorted = sl_arena_array(arena, trials, sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, metric_ps, trials * sizeof *sorted);
    sl_sort_integers(sorted, trials);
    return sorted;
}

static void sample_free(struct sample *sample)
{
    free(sample->values);
    free(sample->sorted);
}

static struct sl_estimate quantile(const struct sample *sample, double q)
{
    return sl_quantile(sample->sorted, sample->n, q, SL_LEVEL_CONFIDENCE);
}

static void estimate(struct sl_cell *cell, const struct sample *sample)
{
    bool finite = cell->deadlocked == 0;
    cell->mean = sl_mean(sample->values, sample->n, SL_LEVEL_CONFIDENCE);
    cell->median = quantile(sample, 0.5);
    cell->p90 = quantile(sample, 0.9);
    cell->p95 = quantile(sample, 0.95);
    cell->p99 = quantile(sample, 0.99);
    cell->p999 = quantile(sample, 0.999);
    cell->cvar99 = sl_cvar(sample->sorted, sample->n, 0.99, SL_LEVEL_CONFIDENCE);
    cell->max_us = sample->sorted[sample->n - 1];
    cell->sd_us = finite ? sl_stddev(sample->values, sample->n) : NAN;
}

/* Means over the trials that completed, summed in trial order. */
static void average(struct sl_cell *cell)
{
    uint32_t completed = cell->trials - cell->deadlocked;
    int64_t sums[SL_STALLS] = {0}; /* at most the sum of makespans, which was checked */
    double bound = 0;
    for (uint32_t t = 0; t < cell->trials; t++) {
        int64_t path = cell->bound_path_ps[t], load = cell->bound_load_ps[t];
        bound += sl_us_of(path > load ? path : load);
        for (size_t s = 0; s < SL_STALLS; s++)
            sums[s] += cell->stall_ps[(size_t)t * SL_STALLS + s];
    }
    cell->bound_us = completed ? bound / completed : NAN;
    for (size_t s = 0; s < SL_STALLS; s++)
        cell->stall_mean_ps[s] = completed ? sums[s] / completed : 0;
}

int64_t sl_cell_largest_peak(const struct sl_cell *cell, uint32_t domain)
{
    size_t domains = cell->plan.graph->platform->domain_names.count;
    int64_t largest = 0;
    for (uint32_t t = 0; t < cell->trials; t++) {
        int64_t peak = cell->peak_bytes[(size_t)t * domains + domain];
        largest = peak > largest ? peak : largest;
    }
    return largest;
}

#define NEAR_LIMIT 0.9

void sl_cell_mark_limits(struct sl_cell *cell)
{
    const struct sl_platform *platform = cell->plan.graph->platform;
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        double limit = (double)domain->capacity - (double)domain->reserve;
        if (domain->capacity >= 0 && (double)sl_cell_largest_peak(cell, d) >= NEAR_LIMIT * limit)
            cell->limit_mattered[d] = true;
    }
}

enum sl_status sl_cell_judge(struct sl_cell *cell, double tail_us, struct sl_diags *diags,
                             struct sl_error *err)
{
    cell->verdict = SL_VERDICT_OK;
    if (cell->deadlocked == cell->trials) {
        cell->verdict = SL_VERDICT_DEADLOCK;
        return SL_OK;
    }
    if (cell->deadlocked > 0) {
        char first[sizeof cell->reason];
        memcpy(first, cell->reason, sizeof first);
        cell->verdict = SL_VERDICT_SOME_DEADLOCK;
        snprintf(cell->reason, sizeof cell->reason, "%u of %u trials deadlocked; %.440s",
                 (unsigned)cell->deadlocked, (unsigned)cell->trials, first);
        return SL_OK;
    }
    return sl_cell_judge_constraints(cell, tail_us, diags, err);
}

static enum sl_status reduce_optimistic(struct sl_cell *cell, struct sl_error *err)
{
    cell->median_optimistic = cell->p99_optimistic = SL_NO_ESTIMATE;
    if (!cell->metric_optimistic_ps)
        return SL_OK;
    struct sample sample = {0};
    struct sl_arena arena = {0};
    const int64_t *sorted = sort(cell->metric_optimistic_ps, cell->trials, &arena);
    bool ok = sample_init(&sample, cell->metric_optimistic_ps, sorted, cell->trials);
    if (ok) {
        cell->median_optimistic = quantile(&sample, 0.5);
        cell->p99_optimistic = quantile(&sample, 0.99);
    }
    sample_free(&sample);
    sl_arena_free(&arena);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

enum sl_status sl_cell_reduce(struct sl_cell *cell, struct sl_diags *diags, struct sl_error *err)
{
    struct sample sample = {0};
    cell->sorted_ps = sort(cell->metric_ps, cell->trials, &cell->arena);
    if (!sample_init(&sample, cell->metric_ps, cell->sorted_ps, cell->trials)) {
        sample_free(&sample);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    estimate(cell, &sample);
    average(cell);
    sl_cell_mark_limits(cell);
    double tail_us = quantile(&sample, cell->scenario->objective.tail).value;
    enum sl_status status = sl_cell_judge(cell, tail_us, diags, err);
    sample_free(&sample);
    return status == SL_OK ? reduce_optimistic(cell, err) : status;
}
