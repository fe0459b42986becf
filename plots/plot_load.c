/* Jobs in the system over time, in the first trial: one curve per policy, at its best cell, or
 * where it has none because its queue grows, at its first. */
#include "plot_set.h"
#include "quantile.h"
#include <math.h>
#include <string.h>

#define MAX_CURVES 64

struct curve {
    uint32_t row, policy;
    bool grows;
};

static bool grows(const struct sl_plot_set *set, uint32_t row)
{
    return strcmp(sl_frame_text_of(&set->summary, row, "verdict"), "grows") == 0;
}

static uint32_t growing_row(const struct sl_plot_set *set, uint32_t group, const char *policy)
{
    uint32_t row = set->grouping.groups[group].first_row;
    while (row != SL_NONE && (!grows(set, row) ||
                              strcmp(sl_frame_text_of(&set->summary, row, "policy"), policy) != 0))
        row = set->grouping.next_row[row];
    return row;
}

static size_t find_curves(const struct sl_plot_set *set, uint32_t group, struct curve *curves)
{
    size_t count = 0;
    for (uint32_t p = 0; p < set->manifest.policy_count && count < MAX_CURVES; p++) {
        const char *policy = set->manifest.policies[p];
        uint32_t row = sl_group_policy_row(&set->summary, &set->grouping, group, policy);
        row = row == SL_NONE ? growing_row(set, group, policy) : row;
        if (row != SL_NONE)
            curves[count++] = (struct curve){row, p, grows(set, row)};
    }
    return count;
}

/* Largest time and number, for the units and the axis. */
struct reach {
    double end_us, most;
    size_t points;
};

static enum sl_status write_curves(struct sl_plot_set *set, const struct curve *curves,
                                   size_t count, struct reach *reach, struct sl_error *err)
{
    FILE *data = NULL;
    const struct sl_frame *load = &set->load;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "load.dat", &data, err);
    if (status != SL_OK)
        return status;
    uint32_t cells = sl_frame_column(load, "cell"), begins = sl_frame_column(load, "begin_us");
    uint32_t ends = sl_frame_column(load, "end_us"), means = sl_frame_column(load, "in_system");
    for (size_t c = 0; c < count; c++) {
        const char *cell = sl_frame_text_of(&set->summary, curves[c].row, "cell");
        for (uint32_t i = 0; i < load->row_count; i++) {
            if (strcmp(sl_frame_text(load, i, cells), cell) != 0)
                continue;
            double mean = sl_frame_number(load, i, means), end = sl_frame_number(load, i, ends);
            fprintf(data, "%.17g %.17g\n", (sl_frame_number(load, i, begins) + end) / 2, mean);
            reach->end_us = fmax(reach->end_us, end);
            reach->most = fmax(reach->most, mean);
            reach->points++;
        }
        fputs("\n\n", data);
    }
    fclose(data);
    return SL_OK;
}

/* "At 6/s, the queue grows under a, b: their latency by 0.209 s per second of arrivals at least".
 */
static const char *title_of(struct sl_plot_set *set, uint32_t group, const struct curve *curves,
                            size_t count)
{
    const char *names = "", *separator = "";
    double least = INFINITY;
    for (size_t c = 0; c < count && names; c++) {
        if (!curves[c].grows)
            continue;
        double slope = sl_frame_number_of(&set->summary, curves[c].row, "growth_us_per_s");
        least = fmin(least, slope);
        names = sl_arena_printf(&set->arena, "%s%s%s", names, separator,
                                sl_plot_cell_label(set, curves[c].row));
        separator = ", ";
    }
    if (!names || !*names)
        return sl_arena_printf(&set->arena, "%sno queue grows: jobs in the system, first trial",
                               sl_plot_at(set, group));
    return sl_arena_printf(&set->arena,
                           "%sthe queue grows without end under %s: latency by %s per second%s",
                           sl_plot_at(set, group), names, sl_plot_time(set, least),
                           strchr(names, ',') ? " or more" : "");
}

enum sl_status sl_plot_load(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct curve curves[MAX_CURVES];
    const char *titles[MAX_CURVES];
    uint32_t policies[MAX_CURVES];
    struct reach reach = {0, 0, 0};
    if (set->load.row_count == 0)
        return SL_OK;
    size_t count = find_curves(set, group, curves);
    for (size_t c = 0; c < count; c++) {
        titles[c] = sl_plot_cell_label(set, curves[c].row);
        policies[c] = curves[c].policy;
    }
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_curves(set, curves, count, &reach, err);
    if (status != SL_OK || reach.points == 0)
        return status;
    struct sl_plot_unit unit = sl_plot_time_unit(reach.end_us);
    sl_gnuplot_title(&set->gnuplot, title_of(set, group, curves, count));
    sl_gnuplot_number(&set->gnuplot, "CURVES", (double)count);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, count);
    sl_plot_put_styles(set, policies, count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "DIVISOR", unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "LAST", reach.end_us / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "TOP", 1.08 * reach.most);
    const char *name = sl_arena_printf(&set->arena, "load_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "load.gp", name ? name : "load", 560, err);
}
