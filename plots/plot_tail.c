/* Tail latency: the share of trials, or of the jobs of the first trial, above each value, one curve
 * per policy at its best cell, with the 95% interval of the objective's tail quantile as a bar on
 * the curve. */
#include "plot_set.h"
#include "quantile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CURVES 64

struct curve {
    uint32_t row, policy;
};

static size_t find_curves(const struct sl_plot_set *set, uint32_t group, struct curve *curves)
{
    size_t count = 0;
    for (uint32_t p = 0; p < set->manifest.policy_count && count < MAX_CURVES; p++) {
        uint32_t row =
            sl_group_policy_row(&set->summary, &set->grouping, group, set->manifest.policies[p]);
        if (row != SL_NONE)
            curves[count++] = (struct curve){row, p};
    }
    return count;
}

static bool is_about_jobs(const struct sl_plot_set *set)
{
    return set->load.row_count > 0;
}

/* The finite metrics of a cell, sorted; *all counts the deadlocked ones too.  Of jobs those behind
 * the warm-up, and of them those that have the metric. */
static double *cell_metrics(const struct sl_plot_set *set, uint32_t row, size_t *finite,
                            size_t *all)
{
    bool jobs = is_about_jobs(set);
    const struct sl_frame *frame = jobs ? &set->jobs : &set->trials;
    const char *cell = sl_frame_text_of(&set->summary, row, "cell");
    double warmup = jobs ? sl_frame_number_of(&set->summary, row, "warmup_jobs") : 0;
    double *values = malloc((frame->row_count + (size_t)1) * sizeof *values);
    *finite = *all = 0;
    for (uint32_t i = 0; values && i < frame->row_count; i++) {
        double value = sl_frame_number(frame, i, jobs ? 2 : 1);
        if (strcmp(sl_frame_text(frame, i, 0), cell) != 0 ||
            (jobs && (isnan(value) || sl_frame_number(frame, i, 1) < warmup)))
            continue;
        (*all)++;
        if (isfinite(value))
            values[(*finite)++] = value;
    }
    if (values)
        sl_sort_doubles(values, *finite);
    return values;
}

static enum sl_status write_curves(struct sl_plot_set *set, const struct curve *curves,
                                   size_t count, struct sl_plot_unit unit, size_t *trials,
                                   struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "tail.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (size_t c = 0; status == SL_OK && c < count; c++) {
        size_t finite = 0, all = 0;
        double *values = cell_metrics(set, curves[c].row, &finite, &all);
        if (!values)
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
        else if (finite > 0)
            fprintf(data, "%.17g 1\n", values[0] / unit.divisor);
        for (size_t i = 0; values && i < finite; i++) /* none is above the last one */
            if (i + 1 < all)
                fprintf(data, "%.17g %.17g\n", values[i] / unit.divisor,
                        1 - (double)(i + 1) / (double)all);
        fputs("\n\n", data);
        *trials = all > *trials ? all : *trials;
        free(values);
    }
    fclose(data);
    return status;
}

static enum sl_status write_bars(struct sl_plot_set *set, const struct curve *curves, size_t count,
                                 struct sl_plot_unit unit, bool *bars, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "bars.dat", &data, err);
    for (size_t c = 0; status == SL_OK && c < count; c++) {
        double lo = sl_frame_number_of(&set->summary, curves[c].row, "tail_lo_us");
        double hi = sl_frame_number_of(&set->summary, curves[c].row, "tail_hi_us");
        if (isnan(lo) || isnan(hi)) { /* gnuplot skips an empty index */
            fputs("NaN NaN NaN NaN\n\n\n", data);
            continue;
        }
        *bars = true;
        fprintf(data, "%.17g %.17g %.17g %.17g\n\n\n",
                sl_frame_number_of(&set->summary, curves[c].row, "tail_us") / unit.divisor,
                1 - set->manifest.tail_quantile, lo / unit.divisor, hi / unit.divisor);
    }
    if (data)
        fclose(data);
    return status;
}

enum sl_status sl_plot_tail(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct curve curves[MAX_CURVES];
    const char *titles[MAX_CURVES];
    uint32_t policies[MAX_CURVES];
    size_t count = find_curves(set, group, curves), trials = 1;
    if (is_about_jobs(set) && set->jobs.row_count == 0)
        return SL_OK; /* a throughput is no job's */
    double largest = 0;
    bool bars = false; /* any curve has an interval */
    for (size_t c = 0; c < count; c++) {
        double tail = sl_frame_number_of(&set->summary, curves[c].row, "tail_us");
        largest = tail > largest ? tail : largest;
        titles[c] = sl_plot_cell_label(set, curves[c].row);
        policies[c] = curves[c].policy;
    }
    struct sl_plot_unit unit = sl_plot_time_unit(largest);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_curves(set, curves, count, unit, &trials, err);
    if (status == SL_OK)
        status = write_bars(set, curves, count, unit, &bars, err);
    if (status != SL_OK)
        return status;
    sl_gnuplot_title(&set->gnuplot, sl_plot_lowest(set, group));
    sl_plot_note_absent(set, group);
    sl_gnuplot_number(&set->gnuplot, "CURVES", (double)count);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, count);
    sl_plot_put_styles(set, policies, count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_text(&set->gnuplot, "METRIC", set->manifest.metric);
    sl_gnuplot_text(&set->gnuplot, "WHAT",
                    is_about_jobs(set) ? "the first trial's jobs" : "trials");
    sl_gnuplot_text(
        &set->gnuplot, "BARS",
        bars ? sl_arena_printf(&set->arena, "%s, 95%% interval (spread)", set->tail_name) : "");
    sl_gnuplot_text(&set->gnuplot, "TAIL_NAME", set->tail_name);
    sl_gnuplot_number(&set->gnuplot, "TAIL", 1 - set->manifest.tail_quantile);
    sl_gnuplot_number(&set->gnuplot, "LOWEST", 0.9 / (double)trials);
    const char *name = sl_arena_printf(&set->arena, "tail_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "tail.gp", name ? name : "tail", 640, err);
}
