/* Time without computation by cause, stacked: a bar per step, or one for the whole scope. */
#include "kept.h"
#include "plot_audit.h"
#include <math.h>
#include <string.h>

enum { MOST_BARS = 24, CAUSES = 8 };

static const struct {
    const char *column, *label, *colour;
} causes[CAUSES] = {
    {"exposed_transfers_us", "exposed transfers", "#009E73"},
    {"exposed_comm_us", "exposed communication", "#CC79A7"},
    {"exposed_d2d_us", "copies within (d2d)", "#56B4E9"},
    {"exposed_other_us", "other work", "#999999"},
    {"not_launched_us", "idle: not launched yet", "#D55E00"},
    {"launched_us", "idle: launched, waits", "#E69F00"},
    {"unknown_us", "idle: launch unknown", "#7A4A12"},
    {"outside_us", "before and after all works", "#d9d9d9"},
};

/* The mean of rows [first, last] of time_use.csv. */
struct bar {
    uint32_t first, last;
    double cause_us[CAUSES], compute_us, whole_us;
};
struct bars {
    struct bar items[MOST_BARS + 1];
    uint32_t count;
    double longest_us; /* without computation */
    bool used[CAUSES];
};

static double mean(const struct sl_frame *uses, const struct bar *bar, const char *column)
{
    uint32_t at = sl_frame_column(uses, column);
    double sum = 0;
    for (uint32_t i = bar->first; i <= bar->last; i++) {
        double us = sl_frame_number(uses, i, at);
        sum += isfinite(us) ? us : 0;
    }
    return sum / (bar->last - bar->first + 1);
}

static double without_computation(const struct bar *bar)
{
    double sum = 0;
    for (int c = 0; c < CAUSES; c++)
        sum += bar->cause_us[c];
    return sum;
}

static struct bar bar_of(const struct sl_frame *uses, uint32_t first, uint32_t last)
{
    struct bar bar = {.first = first, .last = last};
    for (int c = 0; c < CAUSES; c++)
        bar.cause_us[c] = mean(uses, &bar, causes[c].column);
    bar.compute_us = mean(uses, &bar, "compute_us");
    bar.whole_us = mean(uses, &bar, "to_us") - mean(uses, &bar, "from_us");
    return bar;
}

/* Row 0 is the whole scope, the others are steps.  More than fit are drawn as means of as many that
 * follow each other, a cold first one alone. */
static void find_bars(const struct sl_plot_audit *audit, struct bars *bars)
{
    uint32_t rows = audit->uses.row_count, next = rows > 1 ? 1 : 0;
    if (rows > 1 && audit->cold) {
        bars->items[bars->count++] = bar_of(&audit->uses, 1, 1);
        next = 2;
    }
    uint32_t room = MOST_BARS - bars->count, each = (rows - next + room - 1) / room;
    for (; next < rows; next += each) {
        uint32_t last = rows - next > each ? next + each - 1 : rows - 1;
        bars->items[bars->count++] = bar_of(&audit->uses, next, last);
    }
    for (uint32_t b = 0; b < bars->count; b++) {
        bars->longest_us = fmax(bars->longest_us, without_computation(&bars->items[b]));
        for (int c = 0; c < CAUSES; c++)
            bars->used[c] = bars->used[c] || bars->items[b].cause_us[c] > 0;
    }
}

/* Bars stand upwards from 1: the first on top. */
static enum sl_status write_bars(struct sl_plot_audit *audit, const struct bars *bars,
                                 double divisor, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&audit->set->gnuplot, "time.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (int c = 0; c < CAUSES; c++) {
        for (uint32_t b = 0; bars->used[c] && b < bars->count; b++) {
            double left = 0;
            for (int below = 0; below < c; below++)
                left += bars->items[b].cause_us[below];
            fprintf(data, "%.17g %u %.17g %.17g\n", left / divisor, bars->count - b, left / divisor,
                    (left + bars->items[b].cause_us[c]) / divisor);
        }
        if (bars->used[c])
            fputs("\n\n", data);
    }
    fclose(data);
    status = sl_gnuplot_data(&audit->set->gnuplot, "ends.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t b = 0; b < bars->count; b++)
        fprintf(data, "%.17g %u \"computes %s of %s\"\n",
                without_computation(&bars->items[b]) / divisor, bars->count - b,
                sl_plot_time(audit->set, bars->items[b].compute_us),
                sl_plot_time(audit->set, bars->items[b].whole_us));
    fclose(data);
    return SL_OK;
}

static const char *label_of(struct sl_plot_audit *audit, const struct bar *bar)
{
    struct sl_arena *arena = &audit->set->arena;
    const char *first = sl_frame_text_of(&audit->uses, bar->first, "step"), *label;
    if (!*first)
        label = "all of the scope";
    else if (bar->last == bar->first)
        label = sl_arena_printf(arena, "step %s%s", first,
                                audit->cold && bar->first == 1 ? " (cold)" : "");
    else
        label = sl_arena_printf(arena, "steps %s to %s, mean", first,
                                sl_frame_text_of(&audit->uses, bar->last, "step"));
    return sl_kept(label);
}

/* Of all steps but a cold one; of the scope where there are none. */
static void put_title(struct sl_plot_audit *audit)
{
    struct sl_plot_set *set = audit->set;
    uint32_t rows = audit->uses.row_count;
    uint32_t first = rows > 2 && audit->cold ? 2 : rows > 1 ? 1 : 0;
    struct bar all = bar_of(&audit->uses, first, rows - 1);
    int largest = 0;
    for (int c = 1; c < CAUSES; c++)
        if (all.cause_us[c] > all.cause_us[largest])
            largest = c;
    const char *what = rows == 1    ? "the scope's"
                       : first == 2 ? "a warm step's"
                       : rows == 2  ? "the step's"
                                    : "a mean step's";
    const char *title = sl_arena_printf(
        &set->arena, "%s of %s %s pass without computation, the most as '%s' (%s)",
        sl_plot_time(set, without_computation(&all)), what, sl_plot_time(set, all.whole_us),
        causes[largest].label, sl_plot_time(set, all.cause_us[largest]));
    sl_gnuplot_title(&set->gnuplot, title);
}

enum sl_status sl_plot_audit_time(struct sl_plot_audit *audit, struct sl_error *err)
{
    struct sl_gnuplot *gnuplot = &audit->set->gnuplot;
    struct bars bars = {0};
    if (audit->uses.row_count == 0)
        return SL_OK;
    find_bars(audit, &bars);
    if (!(bars.longest_us > 0))
        return SL_OK;
    struct sl_plot_unit unit = sl_plot_time_unit(bars.longest_us);
    enum sl_status status = sl_gnuplot_begin(gnuplot, err);
    if (status == SL_OK)
        status = write_bars(audit, &bars, unit.divisor, err);
    if (status != SL_OK)
        return status;
    const char *labels[MOST_BARS + 1], *names[CAUSES], *colours[CAUSES];
    for (uint32_t b = 0; b < bars.count; b++)
        labels[bars.count - 1 - b] = label_of(audit, &bars.items[b]);
    size_t used = 0;
    for (int c = 0; c < CAUSES; c++)
        if (bars.used[c]) {
            names[used] = causes[c].label;
            colours[used++] = causes[c].colour;
        }
    put_title(audit);
    sl_gnuplot_number(gnuplot, "BARS", bars.count);
    sl_gnuplot_texts(gnuplot, "LABELS", labels, bars.count);
    sl_gnuplot_number(gnuplot, "CAUSES", (double)used);
    sl_gnuplot_texts(gnuplot, "NAMES", names, used);
    sl_gnuplot_texts(gnuplot, "COLOUR", colours, used);
    sl_gnuplot_text(gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(gnuplot, "LONGEST", bars.longest_us / unit.divisor);
    return sl_plot_finish(audit->set, "audit_time.gp", "time", 260 + 40 * bars.count, err);
}
