/* Exposed stalls: idle time of the busy resource by cause, stacked, a bar per policy. */
#include "plot_set.h"
#include <math.h>
#include <string.h>

#define MAX_BARS   64
#define MAX_CAUSES 32

struct stalls {
    uint32_t rows[MAX_BARS];
    size_t row_count;
    uint32_t columns[MAX_CAUSES]; /* of causes with time in any bar */
    const char *names[MAX_CAUSES];
    size_t cause_count;
    double longest_us; /* bar */
};

static double value(const struct sl_plot_set *set, uint32_t row, uint32_t column)
{
    double us = sl_frame_number(&set->summary, row, column);
    return isfinite(us) && us > 0 ? us : 0;
}

/* Keeps the columns stall_CAUSE_us that are not zero everywhere. */
static void find_causes(struct sl_plot_set *set, struct stalls *stalls)
{
    for (uint32_t c = 0; c < set->summary.column_count; c++) {
        const char *column = set->summary.columns[c];
        size_t length = strlen(column);
        double total = 0;
        if (strncmp(column, "stall_", 6) != 0 || length < 10 ||
            strcmp(column + length - 3, "_us") != 0 || stalls->cause_count == MAX_CAUSES)
            continue;
        for (size_t r = 0; r < stalls->row_count; r++)
            total += value(set, stalls->rows[r], c);
        const char *name = sl_arena_printf(&set->arena, "%.*s", (int)length - 9, column + 6);
        if (total <= 0 || !name)
            continue;
        stalls->names[stalls->cause_count] = name;
        stalls->columns[stalls->cause_count++] = c;
    }
    for (size_t r = 0; r < stalls->row_count; r++) {
        double bar = 0;
        for (size_t c = 0; c < stalls->cause_count; c++)
            bar += value(set, stalls->rows[r], stalls->columns[c]);
        stalls->longest_us = bar > stalls->longest_us ? bar : stalls->longest_us;
    }
}

static enum sl_status write_bars(struct sl_plot_set *set, const struct stalls *stalls,
                                 struct sl_plot_unit unit, struct sl_error *err)
{
    FILE *data = NULL;
    double left[MAX_BARS] = {0};
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "stalls.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (size_t c = 0; c < stalls->cause_count; c++) {
        for (size_t r = 0; r < stalls->row_count; r++) {
            double us = value(set, stalls->rows[r], stalls->columns[c]);
            fprintf(data, "%.17g %zu %.17g %.17g\n", left[r] / unit.divisor, r + 1,
                    left[r] / unit.divisor, (left[r] + us) / unit.divisor);
            left[r] += us;
        }
        fputs("\n\n", data);
    }
    fclose(data);
    status = sl_gnuplot_data(&set->gnuplot, "ends.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (size_t r = 0; r < stalls->row_count; r++)
        fprintf(data, "%.17g %zu \"busy %s\"\n", left[r] / unit.divisor, r + 1,
                sl_plot_time(set, sl_frame_number_of(&set->summary, stalls->rows[r], "busy_us")));
    fclose(data);
    return SL_OK;
}

/* A cause has the same colour in every picture; the rarer ones share. */
static const char *cause_colour(const char *cause)
{
    static const struct {
        const char *cause, *colour;
    } colours[] = {
        {"data", "#0072B2"},    {"capacity", "#D55E00"}, {"queue", "#E69F00"},
        {"lane", "#009E73"},    {"overlap", "#000000"},  {"ordering", "#CC79A7"},
        {"drain", "#999999"},   {"lifetime", "#56B4E9"}, {"storage", "#F0E442"},
        {"barrier", "#8C6D00"}, {"release", "#7A3E9D"},
    };
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (strcmp(colours[i].cause, cause) == 0)
            return colours[i].colour;
    return "#444444";
}

static void put_title(struct sl_plot_set *set, const struct stalls *stalls, uint32_t group)
{
    uint32_t best = set->grouping.groups[group].best_row;
    size_t largest = 0;
    double total = 0;
    for (size_t c = 0; c < stalls->cause_count; c++) {
        double us = value(set, best, stalls->columns[c]);
        total += us;
        if (us > value(set, best, stalls->columns[largest]))
            largest = c;
    }
    const char *title = sl_arena_printf(
        &set->arena, "%s%s leaves %s idle for %s of %s, mostly waiting for %s (%s)",
        sl_plot_at(set, group), sl_plot_cell_label(set, best), set->manifest.busy,
        sl_plot_time(set, total),
        sl_plot_time(set, sl_frame_number_of(&set->summary, best, "mean_us")),
        stalls->names[largest], sl_plot_time(set, value(set, best, stalls->columns[largest])));
    if (total <= 0)
        title = sl_arena_printf(&set->arena, "%s%s never leaves %s idle", sl_plot_at(set, group),
                                sl_plot_cell_label(set, best), set->manifest.busy);
    sl_gnuplot_title(&set->gnuplot, title);
}

enum sl_status sl_plot_stalls(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct stalls stalls = {0};
    const char *labels[MAX_BARS];
    for (uint32_t p = set->manifest.policy_count; p-- > 0 && stalls.row_count < MAX_BARS;) {
        uint32_t row =
            sl_group_policy_row(&set->summary, &set->grouping, group, set->manifest.policies[p]);
        if (row != SL_NONE)
            stalls.rows[stalls.row_count++] = row; /* upwards: the first policy on top */
    }
    find_causes(set, &stalls);
    if (stalls.cause_count == 0 || !set->manifest.busy)
        return SL_OK;
    for (size_t r = 0; r < stalls.row_count; r++)
        labels[r] = sl_plot_cell_label(set, stalls.rows[r]);
    struct sl_plot_unit unit = sl_plot_time_unit(stalls.longest_us);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_bars(set, &stalls, unit, err);
    if (status != SL_OK)
        return status;
    put_title(set, &stalls, group);
    sl_plot_note_absent(set, group);
    sl_gnuplot_number(&set->gnuplot, "BARS", (double)stalls.row_count);
    sl_gnuplot_texts(&set->gnuplot, "LABELS", labels, stalls.row_count);
    sl_gnuplot_number(&set->gnuplot, "CAUSES", (double)stalls.cause_count);
    sl_gnuplot_texts(&set->gnuplot, "NAMES", stalls.names, stalls.cause_count);
    const char *colours[MAX_CAUSES];
    for (size_t c = 0; c < stalls.cause_count; c++)
        colours[c] = cause_colour(stalls.names[c]);
    sl_gnuplot_texts(&set->gnuplot, "COLOUR", colours, stalls.cause_count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_text(&set->gnuplot, "BUSY", set->manifest.busy);
    sl_gnuplot_number(&set->gnuplot, "LONGEST", stalls.longest_us / unit.divisor);
    const char *name = sl_arena_printf(&set->arena, "stalls_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "stalls.gp", name ? name : "stalls",
                          200 + 44 * (unsigned)stalls.row_count, err);
}
