/* Windows of a group's best cell: how long after readiness each of the most urgent nodes may start
 * (mean slack and its 5% quantile), and how long after it the node started in two trials. */
#include "plot_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 14

/* Order of the columns that plot_set.c reads of slack.csv. */
enum { CELL, NODE, KIND, LIMIT, SLACK, SLACK_P5, NEGATIVE };
/* Of gantt.csv. */
enum { GANTT_CELL, GANTT_AT, GANTT_START = 5, GANTT_NODE = 9, GANTT_READY = 10 };

struct window {
    double slack_us, p5_us, negative; /* share of trials */
    uint32_t row;                     /* of slack.csv */
};

/* The least slack first. */
static int less_slack(const void *a, const void *b)
{
    const struct window *x = a, *y = b;
    if (x->slack_us != y->slack_us)
        return x->slack_us < y->slack_us ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Compute without a deadline at or after it is left out: nobody moves it, and its slack is but its
 * distance from the chain.  So are nodes that never have any slack but 0. */
static bool may_move(const struct sl_plot_set *set, uint32_t row)
{
    return strcmp(sl_frame_text(&set->slack, row, KIND), "compute") != 0 ||
           *sl_frame_text(&set->slack, row, LIMIT);
}

static size_t find_windows(const struct sl_plot_set *set, const char *cell, struct window *windows)
{
    size_t count = 0;
    for (uint32_t i = 0; i < set->slack.row_count; i++) {
        if (strcmp(sl_frame_text(&set->slack, i, CELL), cell) != 0 || !may_move(set, i))
            continue;
        double slack = sl_frame_number(&set->slack, i, SLACK);
        double p5 = sl_frame_number(&set->slack, i, SLACK_P5);
        if (isfinite(slack) && isfinite(p5) && slack != 0)
            windows[count++] =
                (struct window){slack, p5, sl_frame_number(&set->slack, i, NEGATIVE), i};
    }
    qsort(windows, count, sizeof *windows, less_slack);
    return count < MAX_ROWS ? count : MAX_ROWS;
}

/* Start less ready of a node in the median or the p99 trial; NAN when it did not run there. */
static double wait_us(const struct sl_plot_set *set, const char *cell, const char *at,
                      const char *node)
{
    for (uint32_t i = 0; i < set->gantt.row_count; i++)
        if (strcmp(sl_frame_text(&set->gantt, i, GANTT_NODE), node) == 0 &&
            strcmp(sl_frame_text(&set->gantt, i, GANTT_AT), at) == 0 &&
            strcmp(sl_frame_text(&set->gantt, i, GANTT_CELL), cell) == 0)
            return sl_frame_number(&set->gantt, i, GANTT_START) -
                   sl_frame_number(&set->gantt, i, GANTT_READY);
    return NAN;
}

/* Rows stand upwards, the least slack on top: row, mean, 5% quantile, the two waits. */
static enum sl_status write_rows(struct sl_plot_set *set, const char *cell,
                                 const struct window *windows, size_t count,
                                 struct sl_plot_unit unit, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "slack.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (size_t k = 0; k < count; k++) {
        const char *node = sl_frame_text(&set->slack, windows[k].row, NODE);
        fprintf(data, "%zu %.17g %.17g %.17g %.17g\n", count - k,
                windows[k].slack_us / unit.divisor, windows[k].p5_us / unit.divisor,
                wait_us(set, cell, "median", node) / unit.divisor,
                wait_us(set, cell, "p99", node) / unit.divisor);
    }
    fclose(data);
    return SL_OK;
}

static void put_title(struct sl_plot_set *set, uint32_t group, const struct window *first)
{
    const char *node = sl_frame_text(&set->slack, first->row, NODE);
    const char *where = sl_plot_at(set, group);
    const char *policy = sl_plot_cell_label(set, set->grouping.groups[group].best_row);
    const char *title;
    if (first->negative > 0)
        title = sl_arena_printf(&set->arena,
                                "%s%s makes %s ready too late for its deadline in %.3g%% of "
                                "trials; its mean slack is %s",
                                where, policy, node, 100 * first->negative,
                                sl_plot_time(set, first->slack_us));
    else
        title = sl_arena_printf(&set->arena,
                                "%s%s: of what may be moved %s has the least slack, %s in the mean "
                                "and %s in 1 of 20 trials",
                                where, policy, node, sl_plot_time(set, first->slack_us),
                                first->p5_us == 0 ? "none" : sl_plot_time(set, first->p5_us));
    sl_gnuplot_title(&set->gnuplot, title);
}

static enum sl_status draw(struct sl_plot_set *set, uint32_t group, const char *cell,
                           const struct window *windows, size_t count, struct sl_error *err)
{
    const char *labels[MAX_ROWS];
    double least = 0, most = 0;
    for (size_t k = 0; k < count; k++) {
        labels[count - 1 - k] = sl_frame_text(&set->slack, windows[k].row, NODE);
        least = fmin(least, fmin(windows[k].slack_us, windows[k].p5_us));
        most = fmax(most, fmax(windows[k].slack_us, windows[k].p5_us));
        /* Starts behind the latest one of the mean must not fall off the picture. */
        const char *node = labels[count - 1 - k];
        most =
            fmax(most, fmax(wait_us(set, cell, "median", node), wait_us(set, cell, "p99", node)));
    }
    struct sl_plot_unit unit = sl_plot_time_unit(fmax(most, -least));
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_rows(set, cell, windows, count, unit, err);
    if (status != SL_OK)
        return status;
    put_title(set, group, &windows[0]);
    sl_gnuplot_number(&set->gnuplot, "ROWS", (double)count);
    sl_gnuplot_number(&set->gnuplot, "BELOW", windows[0].slack_us < 0);
    sl_gnuplot_texts(&set->gnuplot, "LABELS", labels, count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "LEAST", least / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "MOST", most / unit.divisor);
    const char *name = sl_arena_printf(&set->arena, "slack_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "slack.gp", name ? name : "slack", 200 + 36 * (unsigned)count, err);
}

enum sl_status sl_plot_slack(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    const char *cell =
        sl_frame_text_of(&set->summary, set->grouping.groups[group].best_row, "cell");
    struct window *windows = malloc((set->slack.row_count + (size_t)1) * sizeof *windows);
    if (!windows)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    size_t count = find_windows(set, cell, windows);
    enum sl_status status = count > 0 ? draw(set, group, cell, windows, count, err) : SL_OK;
    free(windows);
    return status;
}
