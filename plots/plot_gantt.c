/* Gantt chart of one trial of a group's best cell: a row per resource, a bar per node, coloured by
 * kind; nodes on the realized critical chain have full colour and an outline, and stand once more
 * in a row of their own. */
#include "plot_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS     40
#define MAX_KINDS    16
#define MAX_OUTLINES 160 /* more bars than this would be all outline */

/* Order of the columns that plot_set.c reads. */
enum { CELL, AT, TRIAL, KIND, RESOURCE, START, FREE, FINISH, ON_CHAIN };

struct bar {
    double start_us, free_us;
    uint32_t row; /* of gantt.csv */
};

struct gantt {
    struct bar *bars; /* by start */
    size_t bar_count;
    const char *resources[MAX_ROWS];
    size_t resource_count;
    const char *kinds[MAX_KINDS];
    size_t kind_count;
    double end_us;
};

/* Index of a text in a list, appended when new; `limit` when full. */
static size_t intern(const char **list, size_t *count, size_t limit, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    if (*count == limit)
        return limit;
    list[*count] = text;
    return (*count)++;
}

static double figure(const struct sl_plot_set *set, uint32_t bar, uint32_t column)
{
    return sl_frame_number(&set->gantt, bar, column);
}

/* Bars that took time on a resource. */
static void find_bars(const struct sl_plot_set *set, struct gantt *gantt, const char *cell,
                      const char *at)
{
    for (uint32_t i = 0; i < set->gantt.row_count; i++) {
        if (strcmp(sl_frame_text(&set->gantt, i, CELL), cell) != 0 ||
            strcmp(sl_frame_text(&set->gantt, i, AT), at) != 0)
            continue;
        double start = figure(set, i, START), finish = figure(set, i, FINISH);
        if (isfinite(finish) && finish > gantt->end_us)
            gantt->end_us = finish;
        const char *resource = sl_frame_text(&set->gantt, i, RESOURCE);
        if (!*resource || !(start >= 0) || !(figure(set, i, FREE) > start))
            continue;
        intern(gantt->resources, &gantt->resource_count, MAX_ROWS, resource);
        intern(gantt->kinds, &gantt->kind_count, MAX_KINDS, sl_frame_text(&set->gantt, i, KIND));
        gantt->bars[gantt->bar_count++] = (struct bar){start, figure(set, i, FREE), i};
    }
}

/* The rows stand upwards from 1, so the first resource goes on top, and the chain above it. */
static void write_bar(FILE *data, const struct bar *bar, double row, double divisor)
{
    double start = bar->start_us / divisor, end = bar->free_us / divisor;
    fprintf(data, "%.17g %.17g %.17g %.17g %.17g %.17g\n", start, row, start, end, row - 0.38,
            row + 0.38);
}

static enum sl_status write_bars(struct sl_plot_set *set, struct gantt *gantt,
                                 struct sl_plot_unit unit, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "bars.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (size_t k = 0; k < gantt->kind_count; k++) {
        for (int chain = 0; chain < 2; chain++) {
            /* A block may be empty; an unplottable bar keeps its index valid. */
            fputs("nan nan nan nan nan nan\n", data);
            for (size_t b = 0; b < gantt->bar_count; b++) {
                const struct bar *bar = &gantt->bars[b];
                bool on_chain = figure(set, bar->row, ON_CHAIN) > 0;
                if (on_chain != (chain == 1) ||
                    strcmp(sl_frame_text(&set->gantt, bar->row, KIND), gantt->kinds[k]) != 0)
                    continue;
                size_t resource = intern(gantt->resources, &gantt->resource_count, MAX_ROWS,
                                         sl_frame_text(&set->gantt, bar->row, RESOURCE));
                if (resource < MAX_ROWS)
                    write_bar(data, bar, (double)(gantt->resource_count - resource), unit.divisor);
                if (on_chain)
                    write_bar(data, bar, (double)(gantt->resource_count + 1), unit.divisor);
            }
            fputs("\n\n", data);
        }
    }
    fclose(data);
    return SL_OK;
}

static const char *kind_colour(const char *kind)
{
    static const struct {
        const char *kind, *colour;
    } colours[] = {
        {"compute", "#0072B2"},  {"rematerialization", "#CC79A7"}, {"offload", "#E69F00"},
        {"prefetch", "#009E73"}, {"transfer", "#56B4E9"},          {"allocation", "#000000"},
        {"mapping", "#666666"},  {"reclamation", "#999999"},       {"barrier", "#D55E00"},
    };
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (strcmp(colours[i].kind, kind) == 0)
            return colours[i].colour;
    return "#D55E00";
}

/* Share of the makespan in which the busy resource has a bar (bars sorted by start). */
static double busy_share(const struct sl_plot_set *set, const struct gantt *gantt)
{
    double busy = 0, until = 0;
    for (size_t b = 0; b < gantt->bar_count; b++) {
        const struct bar *bar = &gantt->bars[b];
        if (!set->manifest.busy ||
            strcmp(sl_frame_text(&set->gantt, bar->row, RESOURCE), set->manifest.busy) != 0)
            continue;
        double start = bar->start_us, end = bar->free_us;
        start = start > until ? start : until;
        busy += end > start ? end - start : 0;
        until = end > until ? end : until;
    }
    return gantt->end_us > 0 ? busy / gantt->end_us : 0;
}

static int by_start(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (x->start_us != y->start_us)
        return x->start_us < y->start_us ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void put_title(struct sl_plot_set *set, uint32_t group, const struct gantt *gantt,
                      const char *at)
{
    uint32_t row = set->grouping.groups[group].best_row;
    const char *where = sl_plot_at(set, group);
    const char *busy = "";
    if (set->manifest.busy)
        busy = sl_arena_printf(&set->arena, ": %s is busy %.1f%% of %s", set->manifest.busy,
                               100 * busy_share(set, gantt), sl_plot_time(set, gantt->end_us));
    const char *title = sl_arena_printf(
        &set->arena, "%s%s, %s trial (#%s)%s", where, sl_plot_cell_label(set, row), at,
        sl_frame_text(&set->gantt, gantt->bars[0].row, TRIAL), busy ? busy : "");
    sl_plot_title(set, title);
}

static enum sl_status draw(struct sl_plot_set *set, uint32_t group, struct gantt *gantt,
                           const char *at, struct sl_error *err)
{
    struct sl_plot_unit unit = sl_plot_time_unit(gantt->end_us);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_bars(set, gantt, unit, err);
    if (status != SL_OK)
        return status;
    const char *colours[MAX_KINDS];
    for (size_t k = 0; k < gantt->kind_count; k++)
        colours[k] = kind_colour(gantt->kinds[k]);
    put_title(set, group, gantt, at);
    sl_gnuplot_number(&set->gnuplot, "OUTLINE", gantt->bar_count <= MAX_OUTLINES);
    sl_gnuplot_number(&set->gnuplot, "KINDS", (double)gantt->kind_count);
    sl_gnuplot_texts(&set->gnuplot, "NAMES", gantt->kinds, gantt->kind_count);
    sl_gnuplot_texts(&set->gnuplot, "COLOUR", colours, gantt->kind_count);
    sl_gnuplot_number(&set->gnuplot, "ROWS", (double)gantt->resource_count);
    sl_gnuplot_texts(&set->gnuplot, "RESOURCES", gantt->resources, gantt->resource_count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "END", gantt->end_us / unit.divisor);
    const char *name =
        sl_arena_printf(&set->arena, "gantt_%s_%s", at, set->grouping.groups[group].slug);
    return sl_plot_finish(set, "gantt.gp", name ? name : "gantt",
                          230 + 64 * (unsigned)gantt->resource_count, err);
}

enum sl_status sl_plot_gantt(struct sl_plot_set *set, uint32_t group, const char *at,
                             struct sl_error *err)
{
    struct gantt gantt = {0};
    uint32_t row = set->grouping.groups[group].best_row;
    gantt.bars = malloc((set->gantt.row_count + (size_t)1) * sizeof *gantt.bars);
    if (!gantt.bars)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    find_bars(set, &gantt, sl_frame_text_of(&set->summary, row, "cell"), at);
    qsort(gantt.bars, gantt.bar_count, sizeof *gantt.bars, by_start);
    enum sl_status status = gantt.bar_count > 0 ? draw(set, group, &gantt, at, err) : SL_OK;
    free(gantt.bars);
    return status;
}
