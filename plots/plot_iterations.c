/* Time per iteration in the best cell of a group: mean with its interval, median and p99 over
 * trials, and where the warm-up ends. */
#include "plot_set.h"
#include <math.h>
#include <string.h>

struct course {
    size_t count, cold;
    double highest_us, first_us, last_us;
    bool p99; /* trials are enough for one */
};

/* Iteration, mean, its interval, median, p99, in the unit. */
static enum sl_status write_course(struct sl_plot_set *set, const char *cell,
                                   struct sl_plot_unit unit, struct course *course,
                                   struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "iterations.dat", &data, err);
    if (status != SL_OK)
        return status;
    static const char *const columns[] = {"mean_us", "mean_lo_us", "mean_hi_us", "median_us",
                                          "p99_us"};
    const struct sl_frame *frame = &set->iterations;
    for (uint32_t i = 0; i < frame->row_count; i++) {
        if (strcmp(sl_frame_text_of(frame, i, "cell"), cell) != 0)
            continue;
        fprintf(data, "%s", sl_frame_text_of(frame, i, "iteration"));
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            double us = sl_frame_number_of(frame, i, columns[c]);
            fprintf(data, isfinite(us) ? " %.17g" : " NaN", us / unit.divisor);
            course->p99 |= c == 4 && isfinite(us);
            course->highest_us = us > course->highest_us ? us : course->highest_us;
        }
        putc('\n', data);
        course->last_us = sl_frame_number_of(frame, i, "mean_us");
        if (course->count++ == 0)
            course->first_us = course->last_us;
        course->cold += strcmp(sl_frame_text_of(frame, i, "phase"), "cold") == 0;
    }
    fclose(data);
    return SL_OK;
}

enum sl_status sl_plot_iterations(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    uint32_t row = set->grouping.groups[group].best_row;
    double warm_us = sl_frame_number_of(&set->summary, row, "iteration_mean_us");
    struct sl_plot_unit unit = sl_plot_time_unit(warm_us);
    struct course course = {0};
    if (!isfinite(warm_us) || set->iterations.row_count == 0)
        return SL_OK;
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status =
            write_course(set, sl_frame_text_of(&set->summary, row, "cell"), unit, &course, err);
    if (status != SL_OK || course.count == 0)
        return status;
    const char *title = sl_arena_printf(
        &set->arena, "%s%s: the first iteration takes %s, one after %zu of warm-up %s on average",
        sl_plot_at(set, group), sl_plot_cell_label(set, row), sl_plot_time(set, course.first_us),
        course.cold, sl_plot_time(set, warm_us));
    sl_gnuplot_title(&set->gnuplot, title);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(&set->gnuplot, "COUNT", (double)course.count);
    sl_gnuplot_number(&set->gnuplot, "COLD", (double)course.cold);
    sl_gnuplot_number(&set->gnuplot, "P99", course.p99);
    sl_gnuplot_number(&set->gnuplot, "WARM", warm_us / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "TOP", course.highest_us / unit.divisor);
    const char *name =
        sl_arena_printf(&set->arena, "iterations_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "iterations.gp", name ? name : "iterations", 560, err);
}
