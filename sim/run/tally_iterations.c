/* Times per iteration.
 *
 *     T_k = the time at which iteration k and all before it are done;  T_N is the makespan
 *     time of iteration k = T_k - T_{k-1},   per iteration after warm-up W = (T_N - T_W) / (N - W)
 *
 * Warm-up iterations count for nothing but the state in which they leave the machine.  W is stated,
 * or found by MSER-5 on the mean over trials.  The iterations of one trial depend on each other;
 * trials do not. */
#include <config.h>

#include "cellparts.h"
#include "series.h"
#include "tallies.h"
#include "units.h"
#include "warmup.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SL_LEAST_DETECTED == SL_WARMUP_LEAST, "what is loaded can be judged");

struct part {
    struct sl_cell *cell;
    int64_t *done_ps; /* by iteration, in the trial at hand */
};

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    (void)err;
    cell->iteration_mean = cell->iteration_median = cell->iteration_p99 = SL_NO_ESTIMATE;
    return SL_OK;
}

static enum sl_status grow(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    struct sl_iterations *all = &cell->iterations;
    uint32_t n = cell->scenario->iterations;
    if (n <= 1)
        return SL_OK;
    all->count = n;
    all->warmup = cell->scenario->warmup;
    all->kept = sl_tally_kept_trials(cell->trials, n);
    cell->iteration_us =
        sl_cell_more_rows(cell, cell->iteration_us, had, cell->trials, sizeof *cell->iteration_us);
    all->times_us = sl_cell_more_rows(cell, all->times_us, sl_tally_kept_trials(had, n), all->kept,
                                      n * sizeof *all->times_us);
    return cell->iteration_us && all->times_us
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for times per iteration");
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    if (!cell->iteration_us)
        return SL_OK;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        *part = (struct part){cell, sl_arena_array(arena, cell->iterations.count, sizeof(int64_t))};
    return part && part->done_ps ? SL_OK
                                 : SL_FAIL(err, SL_SYSTEM, "out of memory for times per iteration");
}

static void find_ends(const struct sl_graph *graph, const struct sl_trial *record, uint32_t count,
                      int64_t *done_ps)
{
    memset(done_ps, 0, count * sizeof *done_ps);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t k = graph->nodes[i].iteration;
        if (record->finish_ps[i] > done_ps[k])
            done_ps[k] = record->finish_ps[i];
    }
    for (uint32_t k = 1; k < count; k++)
        done_ps[k] = done_ps[k] > done_ps[k - 1] ? done_ps[k] : done_ps[k - 1];
    done_ps[count - 1] = record->makespan_ps;
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    struct sl_cell *cell = part->cell;
    struct sl_iterations *all = &cell->iterations;
    uint32_t n = all->count, warmup = all->warmup, trial = record->trial;
    if (record->outcome == SL_DEADLOCK) {
        cell->iteration_us[trial] = INFINITY;
        return SL_OK;
    }
    find_ends(cell->plan.graph, record, n, part->done_ps);
    int64_t warm_ps = warmup > 0 ? part->done_ps[warmup - 1] : 0;
    cell->iteration_us[trial] =
        (double)(record->makespan_ps - warm_ps) / (double)SL_PS_PER_US / (double)(n - warmup);
    for (uint32_t k = 0; trial < all->kept && k < n; k++) {
        int64_t ps = part->done_ps[k] - (k > 0 ? part->done_ps[k - 1] : 0);
        all->times_us[(size_t)trial * n + k] = (double)ps / (double)SL_PS_PER_US;
    }
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *part, struct sl_error *err)
{
    (void)cell;
    (void)part;
    (void)err;
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    struct sl_iterations *all = &cell->iterations;
    if (!cell->iteration_us)
        return;
    sl_portion_rows(portion, cell->iteration_us, cell->trials, sizeof *cell->iteration_us);
    sl_portion_rows(portion, all->times_us, all->kept, all->count * sizeof *all->times_us);
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* The series of the trials that are kept and completed. */
struct courses {
    const double **times;
    size_t *counts;
    uint32_t count;
    double *values; /* scratch: one per kept trial, or per iteration */
};

static void summarize_rows(struct sl_iterations *all, const struct courses *courses)
{
    for (uint32_t k = 0; k < all->count; k++) {
        struct sl_iteration_row *row = &all->rows[k];
        for (uint32_t c = 0; c < courses->count; c++)
            courses->values[c] = courses->times[c][k];
        row->mean = sl_mean(courses->values, courses->count, SL_LEVEL_CONFIDENCE);
        sl_sort_doubles(courses->values, courses->count);
        row->median = sl_quantile(courses->values, courses->count, 0.5, SL_LEVEL_CONFIDENCE).value;
        row->p99 = sl_quantile(courses->values, courses->count, 0.99, SL_LEVEL_CONFIDENCE).value;
    }
}

static void detect_warmup(struct sl_cell *cell, const struct courses *courses)
{
    struct sl_iterations *all = &cell->iterations;
    for (uint32_t k = 0; k < all->count; k++)
        courses->values[k] = all->rows[k].mean.value;
    struct sl_warmup found = sl_warmup_mser5(courses->values, courses->count > 0 ? all->count : 0);
    all->judged = courses->count > 0 && all->count >= SL_WARMUP_LEAST;
    all->settled = found.settled;
    all->detected = (uint32_t)found.dropped;
    if (cell->scenario->warmup_detected)
        all->warmup = all->detected;
}

/* Mean of iterations first .. end - 1 less that of those from `warm` on, trial by trial. */
static struct sl_estimate difference(const struct courses *courses, uint32_t first, uint32_t end,
                                     uint32_t warm, uint32_t count, double level)
{
    for (uint32_t c = 0; c < courses->count; c++) {
        double early = 0, late = 0;
        for (uint32_t k = first; k < end; k++)
            early += courses->times[c][k];
        for (uint32_t k = warm; k < count; k++)
            late += courses->times[c][k];
        courses->values[c] = early / (end - first) - late / (count - warm);
    }
    return sl_mean(courses->values, courses->count, level);
}

/* Whether what MSER-5 would drop besides is different at all: in a series without a warm-up it
 * often drops something by chance, what looks the most different of n / 10 numbers of iterations
 * (Bonferroni).  The first one alone tells a short warm-up, all of them tell a slow one. */
static struct sl_estimate find_excess(const struct sl_iterations *all,
                                      const struct courses *courses)
{
    uint32_t first = all->warmup, end = all->detected, n = all->count;
    double level = 1 - (1 - SL_LEVEL_CONFIDENCE) / (2 * (n / 10));
    if (!all->judged || !all->settled || end <= first)
        return SL_NO_ESTIMATE;
    struct sl_estimate alone = difference(courses, first, first + 1, end, n, level);
    return alone.lo > 0 || alone.hi < 0 ? alone : difference(courses, first, end, end, n, level);
}

/* The mean of iterations first .. end - 1 of a trial, over trials. */
static struct sl_estimate mean_of(const struct courses *courses, uint32_t first, uint32_t end)
{
    for (uint32_t c = 0; c < courses->count; c++) {
        double sum = 0;
        for (uint32_t k = first; k < end; k++)
            sum += courses->times[c][k];
        courses->values[c] = sum / (end - first);
    }
    return end > first ? sl_mean(courses->values, courses->count, SL_LEVEL_CONFIDENCE)
                       : SL_NO_ESTIMATE;
}

/* How far one warm iteration tells of the next, around the mean of all trials; and of how many
 * independent ones the mean of a trial's n would vary as much: variance of one by that of the
 * trials' means, which holds all correlations within a trial (n / (1 + 2 sum of those), if trials
 * are long). */
static void find_dependence(struct sl_iterations *all, const struct courses *courses)
{
    uint32_t n = all->count - all->warmup;
    double mean = all->warm.estimate.value, squares = 0, products = 0, means = 0;
    for (uint32_t c = 0; c < courses->count; c++) {
        const double *times = courses->times[c] + all->warmup;
        double sum = 0;
        for (uint32_t k = 0; k < n; k++) {
            squares += (times[k] - mean) * (times[k] - mean);
            products += k > 0 ? (times[k] - mean) * (times[k - 1] - mean) : 0;
            sum += times[k] - mean;
        }
        means += sum / n * (sum / n);
    }
    double variance = squares / ((double)courses->count * n);
    bool varies = variance > 1e-24 * mean * mean;
    all->lag1 = varies && n > 1 ? products / ((double)courses->count * (n - 1)) / variance : NAN;
    all->effective = NAN;
    if (varies && courses->count >= SL_SERIES_LEAST_GROUPS && means > 0)
        all->effective = variance / (means / (courses->count - 1));
    else if (varies)
        all->effective = all->warm.effective / courses->count;
}

static enum sl_status estimate_warm(struct sl_iterations *all, const struct courses *courses,
                                    struct sl_error *err)
{
    const struct sl_series_figure figures[] = {
        {SL_SERIES_MEAN, 0}, {SL_SERIES_QUANTILE, 0.5}, {SL_SERIES_QUANTILE, 0.99}};
    struct sl_series_result results[3];
    struct sl_series series = {
        .values = courses->times, .counts = courses->counts, .count = courses->count};
    for (uint32_t c = 0; c < courses->count; c++)
        courses->times[c] += all->warmup;
    enum sl_status status =
        sl_series_estimate(&series, figures, 3, SL_LEVEL_CONFIDENCE, results, err);
    for (uint32_t c = 0; c < courses->count; c++)
        courses->times[c] -= all->warmup;
    all->warm = results[0];
    all->warm_median = results[1].estimate;
    all->warm_p99 = results[2].estimate;
    return status;
}

/* With a warm-up that was found only now, of the trials that are kept. */
static uint32_t fill_means(struct sl_cell *cell)
{
    struct sl_iterations *all = &cell->iterations;
    uint32_t n = all->count;
    if (!cell->scenario->warmup_detected)
        return cell->trials;
    for (uint32_t t = 0; t < cell->trials; t++) {
        const double *times = all->times_us + (size_t)t * n;
        double sum = 0;
        for (uint32_t k = all->warmup; t < all->kept && k < n; k++)
            sum += times[k];
        if (isfinite(cell->iteration_us[t]))
            cell->iteration_us[t] = t < all->kept ? sum / (n - all->warmup) : NAN;
    }
    return all->kept;
}

static enum sl_status estimate_means(struct sl_cell *cell, struct sl_error *err)
{
    size_t n = fill_means(cell);
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for times per iteration");
    memcpy(sorted, cell->iteration_us, n * sizeof *sorted);
    sl_sort_doubles(sorted, n);
    cell->iteration_mean = sl_mean(cell->iteration_us, n, SL_LEVEL_CONFIDENCE);
    cell->iteration_median = sl_quantile(sorted, n, 0.5, SL_LEVEL_CONFIDENCE);
    cell->iteration_p99 = sl_quantile(sorted, n, 0.99, SL_LEVEL_CONFIDENCE);
    free(sorted);
    return SL_OK;
}

static enum sl_status estimate(struct sl_cell *cell, struct courses *courses, struct sl_error *err)
{
    struct sl_iterations *all = &cell->iterations;
    for (uint32_t t = 0; t < all->kept; t++)
        if (isfinite(cell->iteration_us[t]))
            courses->times[courses->count++] = all->times_us + (size_t)t * all->count;
    summarize_rows(all, courses);
    detect_warmup(cell, courses);
    all->excess = find_excess(all, courses);
    for (uint32_t c = 0; c < courses->count; c++)
        courses->counts[c] = all->count - all->warmup;
    all->first = mean_of(courses, 0, 1);
    all->warming = mean_of(courses, 1, all->warmup);
    all->lag1 = all->effective = NAN;
    enum sl_status status = SL_OK;
    all->warm = (struct sl_series_result){.estimate = SL_NO_ESTIMATE, .effective = NAN};
    all->warm_median = all->warm_p99 = SL_NO_ESTIMATE;
    if (courses->count > 0) {
        status = estimate_warm(all, courses, err);
        if (status == SL_OK)
            find_dependence(all, courses);
    }
    return status == SL_OK ? estimate_means(cell, err) : status;
}

static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    struct sl_iterations *all = &cell->iterations;
    if (!cell->iteration_us)
        return SL_OK;
    size_t most = all->kept > all->count ? all->kept : all->count;
    struct courses courses = {.times = malloc(all->kept * sizeof *courses.times),
                              .counts = malloc(all->kept * sizeof *courses.counts),
                              .values = malloc(most * sizeof *courses.values)};
    all->rows = sl_arena_array(&cell->arena, all->count, sizeof *all->rows);
    enum sl_status status = courses.times && courses.counts && courses.values && all->rows
                                ? estimate(cell, &courses, err)
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for times per iteration");
    free(courses.times);
    free(courses.counts);
    free(courses.values);
    return status;
}

const struct sl_tally sl_tally_iterations = {.begin = begin,
                                             .grow = grow,
                                             .open = open_part,
                                             .visit = visit,
                                             .add = add,
                                             .exchange = exchange,
                                             .finish = finish};
