/* Memory over time in the best cell of a group: the median and the 5% to 95% band over trials, and
 * the lines that it may not cross.  A panel per domain that holds anything. */
#include "plot_set.h"
#include <math.h>
#include <string.h>

#define MAX_PANELS 3

struct panel {
    const char *domain;
    double top; /* largest level, or the capacity where one is declared */
    double peak, capacity, reserve;
};

static double domain_figure(struct sl_plot_set *set, uint32_t row, const char *what,
                            const char *domain)
{
    const char *column = sl_arena_printf(&set->arena, "%s_%s_bytes", what, domain);
    return column ? sl_frame_number_of(&set->summary, row, column) : NAN;
}

static size_t find_panels(struct sl_plot_set *set, uint32_t row, struct panel *panels)
{
    size_t count = 0;
    for (uint32_t d = 0; d < set->manifest.domain_count && count < MAX_PANELS; d++) {
        struct panel panel = {.domain = set->manifest.domains[d]};
        panel.peak = domain_figure(set, row, "peak", panel.domain);
        panel.capacity = domain_figure(set, row, "capacity", panel.domain);
        panel.reserve = domain_figure(set, row, "reserve", panel.domain);
        panel.top = panel.capacity > panel.peak ? panel.capacity : panel.peak;
        if (panel.peak > 0)
            panels[count++] = panel;
    }
    return count;
}

static enum sl_status write_levels(struct sl_plot_set *set, const char *cell,
                                   const struct panel *panels, size_t count, double *last_us,
                                   size_t *points, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "pressure.dat", &data, err);
    if (status != SL_OK)
        return status;
    const struct sl_frame *frame = &set->pressure;
    uint32_t cells = sl_frame_column(frame, "cell"), domains = sl_frame_column(frame, "domain");
    uint32_t times = sl_frame_column(frame, "t_us"), low = sl_frame_column(frame, "p5_bytes");
    uint32_t middle = sl_frame_column(frame, "median_bytes");
    uint32_t high = sl_frame_column(frame, "p95_bytes");
    for (size_t p = 0; p < count; p++) {
        double divisor = sl_plot_bytes_unit(panels[p].top).divisor;
        for (uint32_t i = 0; i < frame->row_count; i++) {
            if (strcmp(sl_frame_text(frame, i, cells), cell) != 0 ||
                strcmp(sl_frame_text(frame, i, domains), panels[p].domain) != 0)
                continue;
            double at = sl_frame_number(frame, i, times);
            *last_us = at > *last_us ? at : *last_us;
            fprintf(data, "%.17g %.17g %.17g %.17g\n", at, sl_frame_number(frame, i, low) / divisor,
                    sl_frame_number(frame, i, middle) / divisor,
                    sl_frame_number(frame, i, high) / divisor);
            ++*points;
        }
        fputs("\n\n", data);
    }
    fclose(data);
    return SL_OK;
}

static void put_title(struct sl_plot_set *set, uint32_t row, uint32_t group,
                      const struct panel *panels, size_t count)
{
    /* The panel that comes nearest to its limit is the finding. */
    const struct panel *tightest = &panels[0];
    double closest = 0;
    for (size_t p = 0; p < count; p++) {
        double share = panels[p].peak / (panels[p].capacity - panels[p].reserve);
        if (isfinite(share) && share > closest) {
            closest = share;
            tightest = &panels[p];
        }
    }
    const char *use = "no limit declared";
    if (isfinite(tightest->capacity))
        use = sl_arena_printf(&set->arena, "%.1f%% of the %s limit",
                              100 * tightest->peak / (tightest->capacity - tightest->reserve),
                              sl_plot_bytes(set, tightest->capacity - tightest->reserve));
    const char *title =
        sl_arena_printf(&set->arena, "%s%s peaks at %s of %s: %s", sl_plot_at(set, group),
                        sl_plot_cell_label(set, row), sl_plot_bytes(set, tightest->peak),
                        tightest->domain, use ? use : "");
    sl_gnuplot_title(&set->gnuplot, title);
}

enum sl_status sl_plot_pressure(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct panel panels[MAX_PANELS];
    uint32_t row = set->grouping.groups[group].best_row;
    const char *cell = sl_frame_text_of(&set->summary, row, "cell");
    size_t count = find_panels(set, row, panels), points = 0;
    double last_us = 0;
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_levels(set, cell, panels, count, &last_us, &points, err);
    if (status != SL_OK || points == 0)
        return status;
    put_title(set, row, group, panels, count);
    struct sl_plot_unit unit = sl_plot_time_unit(last_us);
    const char *names[MAX_PANELS], *units[MAX_PANELS];
    fprintf(set->gnuplot.input, "array CAPACITY[%d]\narray RESERVE[%d]\narray TOP[%d]\n",
            MAX_PANELS, MAX_PANELS, MAX_PANELS);
    for (size_t p = 0; p < count; p++) {
        struct sl_plot_unit bytes = sl_plot_bytes_unit(panels[p].top);
        names[p] = panels[p].domain;
        units[p] = bytes.name;
        fprintf(set->gnuplot.input,
                "CAPACITY[%zu] = %.17g\nRESERVE[%zu] = %.17g\nTOP[%zu] = %.17g\n", p + 1,
                isfinite(panels[p].capacity) ? panels[p].capacity / bytes.divisor : -1, p + 1,
                isfinite(panels[p].reserve) ? panels[p].reserve / bytes.divisor : 0, p + 1,
                panels[p].top / bytes.divisor);
    }
    sl_gnuplot_number(&set->gnuplot, "PANELS", (double)count);
    sl_gnuplot_texts(&set->gnuplot, "NAMES", names, count);
    sl_gnuplot_texts(&set->gnuplot, "UNITS", units, count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "DIVISOR", unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "LAST", last_us / unit.divisor);
    const char *name =
        sl_arena_printf(&set->arena, "pressure_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "pressure.gp", name ? name : "pressure",
                          count == 1 ? 560 : 160 + 300 * (unsigned)count, err);
}
