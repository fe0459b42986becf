/* Gantt chart of one trial: a row per resource, a bar per node on each resource that it holds,
 * coloured by kind, those at the same time one below the other; nodes on the realized critical
 * chain have full colour and an outline, and stand once more in a row of their own. */
#include "kept.h"
#include "plot.h"
#include "plot_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS     40
#define MAX_KINDS    16
#define MAX_TRACKS   8     /* bars one below the other in a row; more lie upon each other */
#define MAX_OUTLINES 160   /* more bars than this would be all outline */
#define LEAST_WIDTH  0.002 /* of the time axis: two of about a thousand pixels */

const char *const sl_plot_gantt_columns[SL_PLOT_GANTT_COLUMNS] = {
    "cell",    "at",        "trial",    "kind", "resource", "start_us",
    "free_us", "finish_us", "on_chain", "node", "ready_us", "resources"};
enum { CELL, AT, TRIAL, KIND, RESOURCE, START, FREE, FINISH, ON_CHAIN, NODE, READY, RESOURCES };

struct bar {
    double start_us, free_us;
    size_t resource; /* MAX_ROWS: beyond those that are drawn */
    unsigned track;  /* in its row, from the top */
    bool first;      /* of its node */
    uint32_t row;    /* of gantt.csv */
};

struct gantt {
    struct bar *bars; /* by start */
    size_t bar_count;
    const char *resources[MAX_ROWS];
    unsigned tracks[MAX_ROWS]; /* of each row */
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

static size_t count_resources(const struct sl_plot_set *set)
{
    size_t count = 0;
    for (uint32_t i = 0; i < set->gantt.row_count; i++) {
        count++;
        for (const char *at = sl_frame_text(&set->gantt, i, RESOURCES); *at; at++)
            count += *at == ';';
    }
    return count;
}

/* A bar on each resource of a row that took time. */
static void add_bars(struct sl_plot_set *set, struct gantt *gantt, uint32_t row)
{
    double start = figure(set, row, START), end = figure(set, row, FREE);
    const char *names = sl_frame_text(&set->gantt, row, RESOURCES);
    if (!*names || !(start >= 0) || !(end > start))
        return;
    intern(gantt->kinds, &gantt->kind_count, MAX_KINDS, sl_frame_text(&set->gantt, row, KIND));
    for (bool first = true; *names; first = false) {
        size_t length = strcspn(names, ";");
        const char *name = sl_arena_printf(&set->arena, "%.*s", (int)length, names);
        gantt->bars[gantt->bar_count++] = (struct bar){
            .start_us = start,
            .free_us = end,
            .resource = intern(gantt->resources, &gantt->resource_count, MAX_ROWS, sl_kept(name)),
            .first = first,
            .row = row,
        };
        names += length + (names[length] == ';');
    }
}

/* The bars of one trial; of all rows where `cell` is NULL. */
static void find_bars(struct sl_plot_set *set, struct gantt *gantt, const char *cell,
                      const char *at)
{
    for (uint32_t i = 0; i < set->gantt.row_count; i++) {
        if (cell && (strcmp(sl_frame_text(&set->gantt, i, CELL), cell) != 0 ||
                     strcmp(sl_frame_text(&set->gantt, i, AT), at) != 0))
            continue;
        double finish = figure(set, i, FINISH);
        if (isfinite(finish) && finish > gantt->end_us)
            gantt->end_us = finish;
        add_bars(set, gantt, i);
    }
}

/* The rows stand upwards from 1, so the first resource goes on top, and the chain above it.  What
 * is too short to be seen is drawn as wide as can be. */
static void write_bar(FILE *data, const struct gantt *gantt, const struct bar *bar, double row,
                      unsigned tracks, double divisor)
{
    double height = 0.76 / tracks, top = row + 0.38 - height * (tracks > 1 ? bar->track : 0);
    double least = LEAST_WIDTH * gantt->end_us, start = bar->start_us, end = bar->free_us;
    if (end - start < least) {
        start = fmin(start, gantt->end_us - least);
        end = start + least;
    }
    fprintf(data, "%.17g %.17g %.17g %.17g %.17g %.17g\n", start / divisor, row, start / divisor,
            end / divisor, top - height, top);
}

static void write_block(const struct sl_plot_set *set, const struct gantt *gantt, FILE *data,
                        const char *kind, bool chain, double divisor)
{
    /* A block may be empty; an unplottable bar keeps its index valid. */
    fputs("nan nan nan nan nan nan\n", data);
    for (size_t b = 0; b < gantt->bar_count; b++) {
        const struct bar *bar = &gantt->bars[b];
        bool on_chain = figure(set, bar->row, ON_CHAIN) > 0;
        if (on_chain != chain || strcmp(sl_frame_text(&set->gantt, bar->row, KIND), kind) != 0)
            continue;
        if (bar->resource < MAX_ROWS)
            write_bar(data, gantt, bar, (double)(gantt->resource_count - bar->resource),
                      gantt->tracks[bar->resource], divisor);
        if (on_chain && bar->first)
            write_bar(data, gantt, bar, (double)(gantt->resource_count + 1), 1, divisor);
    }
    fputs("\n\n", data);
}

static enum sl_status write_bars(struct sl_plot_set *set, const struct gantt *gantt,
                                 struct sl_plot_unit unit, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "bars.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (size_t k = 0; k < gantt->kind_count; k++)
        for (int chain = 0; chain < 2; chain++)
            write_block(set, gantt, data, gantt->kinds[k], chain == 1, unit.divisor);
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
        if (bar->resource == MAX_ROWS || !set->manifest.busy ||
            strcmp(gantt->resources[bar->resource], set->manifest.busy) != 0)
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

static const char *title_of(struct sl_plot_set *set, uint32_t group, const struct gantt *gantt,
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
    return sl_kept(title);
}

static enum sl_status draw(struct sl_plot_set *set, const struct gantt *gantt, const char *title,
                           const char *name, struct sl_error *err)
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
    sl_gnuplot_title(&set->gnuplot, title);
    sl_gnuplot_number(&set->gnuplot, "OUTLINE", gantt->bar_count <= MAX_OUTLINES);
    sl_gnuplot_number(&set->gnuplot, "KINDS", (double)gantt->kind_count);
    sl_gnuplot_texts(&set->gnuplot, "NAMES", gantt->kinds, gantt->kind_count);
    sl_gnuplot_texts(&set->gnuplot, "COLOUR", colours, gantt->kind_count);
    sl_gnuplot_number(&set->gnuplot, "ROWS", (double)gantt->resource_count);
    sl_gnuplot_texts(&set->gnuplot, "RESOURCES", gantt->resources, gantt->resource_count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "END", gantt->end_us / unit.divisor);
    return sl_plot_finish(set, "gantt.gp", name, 230 + 64 * (unsigned)gantt->resource_count, err);
}

/* Each bar, by start, takes the first track of its row that is free; the last, when none is. */
static void find_tracks(struct gantt *gantt)
{
    double until[MAX_ROWS][MAX_TRACKS] = {0};
    for (size_t b = 0; b < gantt->bar_count; b++) {
        struct bar *bar = &gantt->bars[b];
        if (bar->resource == MAX_ROWS)
            continue;
        while (bar->track < MAX_TRACKS - 1 && until[bar->resource][bar->track] > bar->start_us)
            bar->track++;
        until[bar->resource][bar->track] = bar->free_us;
        if (bar->track >= gantt->tracks[bar->resource])
            gantt->tracks[bar->resource] = bar->track + 1;
    }
}

/* The bars of one trial, sorted; free gantt->bars. */
static enum sl_status gather(struct sl_plot_set *set, struct gantt *gantt, const char *cell,
                             const char *at, struct sl_error *err)
{
    gantt->bars = malloc((count_resources(set) + 1) * sizeof *gantt->bars);
    if (!gantt->bars)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    find_bars(set, gantt, cell, at);
    qsort(gantt->bars, gantt->bar_count, sizeof *gantt->bars, by_start);
    find_tracks(gantt);
    return SL_OK;
}

enum sl_status sl_plot_gantt(struct sl_plot_set *set, uint32_t group, const char *at,
                             struct sl_error *err)
{
    struct gantt gantt = {0};
    uint32_t row = set->grouping.groups[group].best_row;
    const char *name =
        sl_arena_printf(&set->arena, "gantt_%s_%s", at, set->grouping.groups[group].slug);
    enum sl_status status =
        gather(set, &gantt, sl_frame_text_of(&set->summary, row, "cell"), at, err);
    if (status == SL_OK && gantt.bar_count > 0)
        status = draw(set, &gantt, title_of(set, group, &gantt, at), name ? name : "gantt", err);
    free(gantt.bars);
    return status;
}

enum sl_status sl_plot_trial(const char *gantt_csv, const char *dir, const char *title,
                             struct sl_error *err)
{
    struct gantt gantt = {0};
    struct sl_plot_set *set = calloc(1, sizeof *set);
    if (!set)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status =
        sl_frame_read(&set->gantt, gantt_csv, sl_plot_gantt_columns, SL_PLOT_GANTT_COLUMNS, err);
    if (status == SL_OK)
        status = gather(set, &gantt, NULL, NULL, err);
    if (status == SL_OK && gantt.bar_count == 0)
        status = SL_FAIL(err, SL_NO, "nothing to draw: no node held a resource for any time");
    if (status == SL_OK)
        status = sl_gnuplot_open(&set->gnuplot, dir, err);
    if (status == SL_OK)
        status = draw(set, &gantt, title, "gantt", err);
    sl_gnuplot_close(&set->gnuplot);
    free(gantt.bars);
    sl_frame_free(&set->gantt);
    sl_arena_free(&set->arena);
    free(set);
    return status;
}
