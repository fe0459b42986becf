/* Jobs in the system over time, in the first trial, and below how much of the busiest resource is
 * in use: one curve per policy, at its best cell, or where it has none because its queue grows, at
 * its first. */
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

/* The resource of which some curve has more in use than any has of the others. */
struct busiest {
    const char *column; /* of summary.csv and of jobs_load.csv; NULL: no resource is limited */
    char name[SL_NAME_MAX + 1];
    double least, most; /* share in use, over the curves */
};

static void consider(const struct sl_plot_set *set, const char *column, const struct curve *curves,
                     size_t count, struct busiest *busiest)
{
    static const char prefix[] = "utilisation_", suffix[] = "_share";
    size_t length = strlen(column), around = sizeof prefix - 1 + sizeof suffix - 1;
    double least = INFINITY, most = 0;
    if (length <= around || strncmp(column, prefix, sizeof prefix - 1) != 0 ||
        strcmp(column + length - (sizeof suffix - 1), suffix) != 0)
        return;
    for (size_t c = 0; c < count; c++) {
        double share = sl_frame_number_of(&set->summary, curves[c].row, column);
        least = fmin(least, share);
        most = fmax(most, share);
    }
    if (!(most > busiest->most))
        return;
    *busiest = (struct busiest){.column = column, .least = least, .most = most};
    snprintf(busiest->name, sizeof busiest->name, "%.*s", (int)(length - around),
             column + sizeof prefix - 1);
}

static struct busiest find_busiest(const struct sl_plot_set *set, const struct curve *curves,
                                   size_t count)
{
    struct busiest busiest = {0};
    for (uint32_t k = 0; k < set->load.column_count; k++)
        consider(set, set->load.columns[k], curves, count, &busiest);
    return busiest;
}

/* "; gpu is in use 50% of the time", or "50% to 62%". */
static const char *use_of(struct sl_plot_set *set, const struct busiest *busiest)
{
    char least[16], most[16];
    if (!busiest->column)
        return "";
    snprintf(least, sizeof least, "%.3g%%", 100 * busiest->least);
    snprintf(most, sizeof most, "%.3g%%", 100 * busiest->most);
    bool same = strcmp(least, most) == 0;
    const char *text = sl_arena_printf(&set->arena, "; %s is in use %s%s%s of the time",
                                       busiest->name, same ? "" : least, same ? "" : " to ", most);
    return text ? text : "";
}

/* Largest time and number, for the units and the axis; and the window in which jobs last arrived.
 */
struct reach {
    double end_us, arrived_us, most;
    size_t points;
};

static enum sl_status write_curves(struct sl_plot_set *set, const struct curve *curves,
                                   size_t count, const struct busiest *busiest, struct reach *reach,
                                   struct sl_error *err)
{
    FILE *data = NULL;
    const struct sl_frame *load = &set->load;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "load.dat", &data, err);
    if (status != SL_OK)
        return status;
    uint32_t cells = sl_frame_column(load, "cell"), begins = sl_frame_column(load, "begin_us");
    uint32_t ends = sl_frame_column(load, "end_us"), means = sl_frame_column(load, "in_system");
    uint32_t arrivals = sl_frame_column(load, "arrived");
    uint32_t uses = busiest->column ? sl_frame_column(load, busiest->column) : SL_NONE;
    for (size_t c = 0; c < count; c++) {
        const char *cell = sl_frame_text_of(&set->summary, curves[c].row, "cell");
        for (uint32_t i = 0; i < load->row_count; i++) {
            if (strcmp(sl_frame_text(load, i, cells), cell) != 0)
                continue;
            double mean = sl_frame_number(load, i, means), end = sl_frame_number(load, i, ends);
            fprintf(data, "%.17g %.17g %.17g\n", (sl_frame_number(load, i, begins) + end) / 2, mean,
                    100 * sl_frame_number(load, i, uses));
            reach->end_us = fmax(reach->end_us, end);
            reach->most = fmax(reach->most, mean);
            if (sl_frame_number(load, i, arrivals) > 0)
                reach->arrived_us = fmax(reach->arrived_us, end);
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
                            size_t count, const struct busiest *busiest)
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
    const char *at = sl_plot_at(set, group), *use = use_of(set, busiest);
    const char *rejected = sl_plot_rejected(set, group);
    if (!names || !*names)
        return sl_arena_printf(&set->arena, "%s%so queue grows%s%s", at, *at ? "n" : "N", use,
                               rejected);
    return sl_arena_printf(&set->arena,
                           "%s%she queue grows without end under %s: latency by %s per "
                           "second%s%s%s",
                           at, *at ? "t" : "T", names, sl_plot_time(set, least),
                           strchr(names, ',') ? " or more" : "", use, rejected);
}

enum sl_status sl_plot_load(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct curve curves[MAX_CURVES];
    const char *titles[MAX_CURVES];
    uint32_t policies[MAX_CURVES];
    struct reach reach = {0};
    if (set->load.row_count == 0)
        return SL_OK;
    size_t count = find_curves(set, group, curves);
    for (size_t c = 0; c < count; c++) {
        titles[c] = sl_plot_cell_label(set, curves[c].row);
        policies[c] = curves[c].policy;
    }
    struct busiest busiest = find_busiest(set, curves, count);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_curves(set, curves, count, &busiest, &reach, err);
    if (status != SL_OK || reach.points == 0)
        return status;
    struct sl_plot_unit unit = sl_plot_time_unit(reach.end_us);
    sl_gnuplot_title(&set->gnuplot, title_of(set, group, curves, count, &busiest));
    sl_gnuplot_number(&set->gnuplot, "CURVES", (double)count);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, count);
    sl_plot_put_styles(set, policies, count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "DIVISOR", unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "LAST", reach.end_us / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "ARRIVED", reach.arrived_us / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "TOP", 1.08 * reach.most);
    sl_gnuplot_text(&set->gnuplot, "BUSIEST", busiest.name);
    const char *name = sl_arena_printf(&set->arena, "load_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "load.gp", name ? name : "load", busiest.column ? 760 : 560, err);
}
