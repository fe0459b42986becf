/* The objective's tail against a sweep axis, a line per policy with its 95% intervals.  An axis of
 * the machine gives one picture (each policy at its best parameters); a policy's parameter gives
 * one per setting of the machine, with the policies it does not apply to as level lines. */
#include "plot_set.h"
#include <math.h>
#include <string.h>

#define MAX_LINES    64
#define MAX_VALUES   64
#define MAX_CONTEXTS 8

struct axis_picture {
    const char *axis;
    uint32_t context; /* a row: other axes of the machine must agree with it */
    const char *values[MAX_VALUES];
    size_t value_count;
    uint32_t policies[MAX_LINES];
    size_t line_count;
    uint32_t rows[MAX_LINES][MAX_VALUES]; /* best row, SL_NONE: none */
    bool level[MAX_LINES];                /* the axis does not apply to the policy */
};

/* The values in the order of the scenario: cells are ordered by them. */
static size_t find_values(const struct sl_plot_set *set, const char *axis, const char **values)
{
    size_t count = 0;
    for (uint32_t row = 0; row < set->summary.row_count; row++) {
        const char *text = sl_frame_text_of(&set->summary, row, axis);
        bool seen = !*text;
        for (size_t i = 0; i < count && !seen; i++)
            seen = strcmp(values[i], text) == 0;
        if (!seen && count < MAX_VALUES)
            values[count++] = text;
    }
    return count;
}

/* Whether two rows agree on the machine's axes other than `axis`. */
static bool same_context(const struct sl_plot_set *set, const char *axis, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < set->manifest.axis_count; i++) {
        const char *other = set->manifest.axes[i];
        if (sl_axis_is_policys(other) || strcmp(other, axis) == 0)
            continue;
        if (strcmp(sl_frame_text_of(&set->summary, a, other),
                   sl_frame_text_of(&set->summary, b, other)) != 0)
            return false;
    }
    return true;
}

static uint32_t best_row(const struct sl_plot_set *set, const struct axis_picture *picture,
                         const char *policy, const char *value)
{
    uint32_t best = SL_NONE;
    for (uint32_t row = 0; row < set->summary.row_count; row++) {
        if (!sl_row_ranks(&set->summary, row) ||
            strcmp(sl_frame_text_of(&set->summary, row, "policy"), policy) != 0 ||
            strcmp(sl_frame_text_of(&set->summary, row, picture->axis), value) != 0 ||
            !same_context(set, picture->axis, row, picture->context))
            continue;
        if (best == SL_NONE || sl_frame_number_of(&set->summary, row, "tail_us") <
                                   sl_frame_number_of(&set->summary, best, "tail_us"))
            best = row;
    }
    return best;
}

static void find_lines(const struct sl_plot_set *set, struct axis_picture *picture)
{
    for (uint32_t p = 0; p < set->manifest.policy_count && picture->line_count < MAX_LINES; p++) {
        size_t line = picture->line_count, found = 0;
        for (size_t v = 0; v < picture->value_count; v++) {
            picture->rows[line][v] =
                best_row(set, picture, set->manifest.policies[p], picture->values[v]);
            found += picture->rows[line][v] != SL_NONE;
        }
        picture->level[line] = false;
        if (found == 0) {
            uint32_t row = best_row(set, picture, set->manifest.policies[p], "");
            for (size_t v = 0; v < picture->value_count; v++)
                picture->rows[line][v] = row;
            picture->level[line] = true;
            found = row != SL_NONE;
        }
        if (found > 0)
            picture->policies[picture->line_count++] = p;
    }
}

/* The line with the lowest tail at a value, SL_NONE when no policy has a cell there. */
static uint32_t lowest_line(const struct sl_plot_set *set, const struct axis_picture *picture,
                            size_t v)
{
    uint32_t best = SL_NONE;
    double lowest = INFINITY;
    for (uint32_t line = 0; line < picture->line_count; line++) {
        uint32_t row = picture->rows[line][v];
        double tail = row == SL_NONE ? NAN : sl_frame_number_of(&set->summary, row, "tail_us");
        if (tail < lowest) {
            lowest = tail;
            best = line;
        }
    }
    return best;
}

/* "; intervals of others overlap at 52GiB, 44GiB": of the groups of the values' lowest cells. */
static const char *overlaps(struct sl_plot_set *set, const struct axis_picture *picture)
{
    const char *text = "", *separator = "; intervals of others overlap at ";
    for (size_t v = 0; v < picture->value_count && text; v++) {
        uint32_t line = lowest_line(set, picture, v);
        if (line == SL_NONE ||
            !*sl_plot_ties(set, set->grouping.group_of_row[picture->rows[line][v]]))
            continue;
        text = sl_arena_printf(&set->arena, "%s%s%.40s", text, separator, picture->values[v]);
        separator = ", ";
    }
    return text ? text : "";
}

/* "as-given: p95 from 1.2 s at 4 to 3.5 s at 1": the extremes of the only line. */
static const char *alone(struct sl_plot_set *set, const struct axis_picture *picture)
{
    size_t low = SIZE_MAX, high = SIZE_MAX;
    double tails[MAX_VALUES];
    for (size_t v = 0; v < picture->value_count; v++) {
        uint32_t row = picture->rows[0][v];
        tails[v] = row == SL_NONE ? NAN : sl_frame_number_of(&set->summary, row, "tail_us");
        if (isnan(tails[v]))
            continue;
        low = low == SIZE_MAX || tails[v] < tails[low] ? v : low;
        high = high == SIZE_MAX || tails[v] > tails[high] ? v : high;
    }
    if (low == SIZE_MAX)
        return "";
    const char *axis = sl_axis_short(picture->axis);
    return sl_arena_printf(&set->arena, "%s: %s from %s at %s %s to %s at %s%s",
                           set->manifest.policies[picture->policies[0]], set->tail_name,
                           sl_plot_estimate(set, tails[low]), axis, picture->values[low],
                           sl_plot_estimate(set, tails[high]), picture->values[high],
                           sl_plot_rejected(set, SL_NONE));
}

/* Of an axis of the machine: who is lowest at its values. */
static void put_title(struct sl_plot_set *set, const struct axis_picture *picture)
{
    char finding[400] = "";
    const char *axis = sl_axis_short(picture->axis);
    uint32_t first = lowest_line(set, picture, 0), before = SL_NONE;
    bool same = true;
    for (size_t v = 0; v < picture->value_count; v++) {
        uint32_t line = lowest_line(set, picture, v);
        size_t length = strlen(finding);
        same = same && line == first;
        if (line == SL_NONE)
            continue;
        if (line != before)
            snprintf(finding + length, sizeof finding - length, "%s%.80s at %.40s",
                     length ? "; " : "", set->manifest.policies[picture->policies[line]],
                     picture->values[v]);
        else
            snprintf(finding + length, sizeof finding - length, ", %.40s", picture->values[v]);
        before = line;
    }
    const char *title;
    if (picture->line_count == 1)
        title = alone(set, picture);
    else if (same && first != SL_NONE)
        title = sl_arena_printf(&set->arena, "%s has the lowest %s at every %s%s%s",
                                set->manifest.policies[picture->policies[first]], set->tail_name,
                                axis, overlaps(set, picture), sl_plot_rejected(set, SL_NONE));
    else
        title = sl_arena_printf(&set->arena, "The lowest %s by %s: %s%s%s", set->tail_name, axis,
                                finding, overlaps(set, picture), sl_plot_rejected(set, SL_NONE));
    sl_gnuplot_title(&set->gnuplot, title);
}

static void write_point(const struct sl_plot_set *set, FILE *data, uint32_t row, double x,
                        struct sl_plot_unit unit)
{
    fprintf(data, "%.17g %.17g %.17g %.17g\n", x,
            sl_frame_number_of(&set->summary, row, "tail_us") / unit.divisor,
            sl_frame_number_of(&set->summary, row, "tail_lo_us") / unit.divisor,
            sl_frame_number_of(&set->summary, row, "tail_hi_us") / unit.divisor);
}

/* A level line across the picture; its interval stands once, behind the last value. */
static void write_level(const struct sl_plot_set *set, FILE *data,
                        const struct axis_picture *picture, size_t line, double level,
                        struct sl_plot_unit unit)
{
    uint32_t row = picture->rows[line][0];
    double tail = sl_frame_number_of(&set->summary, row, "tail_us") / unit.divisor;
    fprintf(data, "%.17g %.17g %.17g %.17g\n", 0.7, tail, tail, tail);
    write_point(set, data, row, (double)picture->value_count + 0.25 + 0.08 * level, unit);
    fputs("\n\n", data);
}

static enum sl_status write_lines(struct sl_plot_set *set, const struct axis_picture *picture,
                                  struct sl_plot_unit unit, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "axis.dat", &data, err);
    if (status != SL_OK)
        return status;
    double levels = 0;
    for (size_t line = 0; line < picture->line_count; line++) {
        if (picture->level[line]) {
            levels += 1;
            write_level(set, data, picture, line, levels, unit);
            continue;
        }
        /* Side by side, so that intervals at one value do not hide each other. */
        double shift = 0.3 * ((double)line + 0.5 - (double)picture->line_count / 2) /
                       (double)picture->line_count;
        for (size_t v = 0; v < picture->value_count; v++) {
            uint32_t row = picture->rows[line][v];
            if (row == SL_NONE) {
                fputs("\n", data); /* a gap in the line */
                continue;
            }
            write_point(set, data, row, (double)v + 1 + shift, unit);
        }
        fputs("\n\n", data);
    }
    fclose(data);
    return SL_OK;
}

/* BOTTOM and TOP: all intervals, and room around them. */
static void put_range(struct sl_plot_set *set, const struct axis_picture *picture,
                      struct sl_plot_unit unit)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t line = 0; line < picture->line_count; line++)
        for (size_t v = 0; v < picture->value_count; v++) {
            uint32_t row = picture->rows[line][v];
            if (row == SL_NONE)
                continue;
            low = fmin(low, sl_frame_number_of(&set->summary, row, "tail_lo_us"));
            low = fmin(low, sl_frame_number_of(&set->summary, row, "tail_us"));
            high = fmax(high, sl_frame_number_of(&set->summary, row, "tail_hi_us"));
            high = fmax(high, sl_frame_number_of(&set->summary, row, "tail_us"));
        }
    double room = high > low ? 0.05 * (high - low) : 0.05 * fabs(high) + 1e-6;
    sl_gnuplot_number(&set->gnuplot, "BOTTOM", (low - room) / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "TOP", (high + room) / unit.divisor);
}

static enum sl_status draw(struct sl_plot_set *set, struct axis_picture *picture, const char *slug,
                           struct sl_error *err)
{
    const char *titles[MAX_LINES];
    double largest = 0;
    find_lines(set, picture);
    for (size_t line = 0; line < picture->line_count; line++) {
        titles[line] = set->manifest.policies[picture->policies[line]];
        for (size_t v = 0; v < picture->value_count; v++) {
            uint32_t row = picture->rows[line][v];
            double tail = row == SL_NONE ? 0 : sl_frame_number_of(&set->summary, row, "tail_us");
            largest = tail > largest ? tail : largest;
        }
    }
    if (picture->line_count == 0)
        return SL_OK;
    struct sl_plot_unit unit = sl_plot_time_unit(largest);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_lines(set, picture, unit, err);
    if (status != SL_OK)
        return status;
    uint32_t group = SL_NONE;
    if (sl_axis_is_policys(picture->axis)) {
        group = set->grouping.group_of_row[picture->context];
        sl_gnuplot_title(&set->gnuplot, sl_plot_lowest(set, group));
    } else {
        put_title(set, picture);
    }
    sl_plot_note_absent(set, group);
    put_range(set, picture, unit);
    sl_gnuplot_number(&set->gnuplot, "LINES", (double)picture->line_count);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, picture->line_count);
    sl_plot_put_styles(set, picture->policies, picture->line_count);
    fprintf(set->gnuplot.input, "array LEVEL[%zu]\n", picture->line_count);
    for (size_t line = 0; line < picture->line_count; line++)
        fprintf(set->gnuplot.input, "LEVEL[%zu] = %d\n", line + 1, picture->level[line]);
    double levels = 0;
    for (size_t line = 0; line < picture->line_count; line++)
        levels += picture->level[line];
    sl_gnuplot_number(&set->gnuplot, "RIGHT",
                      (double)picture->value_count + 0.3 + (levels > 0 ? 0.08 * levels + 0.03 : 0));
    sl_gnuplot_number(&set->gnuplot, "VALUES", (double)picture->value_count);
    sl_gnuplot_texts(&set->gnuplot, "VALUE", picture->values, picture->value_count);
    sl_gnuplot_text(&set->gnuplot, "AXIS", sl_axis_short(picture->axis));
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_text(&set->gnuplot, "TAIL_NAME", set->tail_name);
    sl_gnuplot_text(&set->gnuplot, "METRIC", set->manifest.metric);
    const char *name = sl_arena_printf(&set->arena, "axis_%s%s%s", sl_axis_short(picture->axis),
                                       *slug ? "_" : "", slug);
    return sl_plot_finish(set, "axis.gp", name ? name : "axis", 640, err);
}

static enum sl_status draw_axis(struct sl_plot_set *set, const char *axis, struct sl_error *err)
{
    uint32_t contexts[MAX_CONTEXTS];
    size_t count = 0;
    enum sl_status status = SL_OK;
    for (uint32_t row = 0; status == SL_OK && row < set->summary.row_count; row++) {
        bool seen = false;
        for (size_t i = 0; i < count && !seen; i++)
            seen = same_context(set, axis, contexts[i], row);
        if (seen || count == MAX_CONTEXTS)
            continue;
        contexts[count++] = row;
        struct axis_picture picture = {.axis = axis, .context = row};
        picture.value_count = find_values(set, axis, picture.values);
        if (picture.value_count < 2)
            return SL_OK;
        uint32_t group = set->grouping.group_of_row[row];
        bool whole = sl_axis_is_policys(axis); /* then the context is the group */
        char slug[24] = "";
        if (whole)
            status = draw(
                set, &picture,
                *set->grouping.groups[group].values ? set->grouping.groups[group].slug : "", err);
        else {
            if (count > 1)
                snprintf(slug, sizeof slug, "%zu", count);
            status = draw(set, &picture, slug, err);
        }
    }
    return status;
}

enum sl_status sl_plot_axes(struct sl_plot_set *set, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < set->manifest.axis_count; i++)
        status = draw_axis(set, set->manifest.axes[i], err);
    return status;
}
