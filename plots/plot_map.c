/* Who wins where: regions of two axes in the colours of their policies, ties hatched, and the
 * boundaries of boundary.csv with their bands. */
#include "plot_map.h"
#include <math.h>
#include <string.h>

/* Of the break-evens of the map the one in the middle of the list. */
static uint32_t told_crossing(const struct sl_plot_set *set, double number)
{
    uint32_t count = 0, told = SL_NONE;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t middle = count / 2;
        count = 0;
        for (uint32_t row = 0; row < set->boundary.row_count; row++) {
            if (sl_frame_number_of(&set->boundary, row, "map") != number ||
                strcmp(sl_frame_text_of(&set->boundary, row, "kind"), "crossing") != 0)
                continue;
            if (pass == 1 && count == middle)
                told = row;
            count++;
        }
    }
    return told;
}

/* "; recompute and offload break even between 1 and 2 of scale.bandwidth.* (near 1.21) where ... is
 * 1" */
static const char *break_even(struct sl_plot_set *set, const struct sl_map_picture *picture)
{
    const struct sl_frame *boundary = &set->boundary;
    uint32_t row = told_crossing(set, picture->number);
    if (row == SL_NONE)
        return "";
    const char *along = sl_frame_text_of(boundary, row, "along");
    int a = strcmp(along, picture->axes[0].path) == 0 ? 0 : 1;
    const struct sl_map_axis *axis = &picture->axes[a], *other = &picture->axes[1 - a];
    const char *text = sl_arena_printf(
        &set->arena, "; %s and %s break even between %s and %s of %s (near %s) where %s is %s",
        sl_frame_text_of(boundary, row, "from"), sl_frame_text_of(boundary, row, "to"),
        sl_map_value_text(&set->arena, axis, sl_frame_number_of(boundary, row, "from_at")),
        sl_map_value_text(&set->arena, axis, sl_frame_number_of(boundary, row, "to_at")),
        sl_axis_short(along),
        sl_map_value_text(&set->arena, axis, sl_frame_number_of(boundary, row, "at")),
        sl_axis_short(other->path), sl_frame_text_of(boundary, row, other->path));
    return text ? text : "";
}

/* "At 44GiB, of 20 points offload wins 6, keep 1, 4 are ties, 9 were not compared". */
static void put_map_title(struct sl_plot_set *set, const struct sl_map_picture *picture,
                          const char *label)
{
    uint32_t points = 0, ties = 0, untested = 0, blank = 0;
    bool told = false, one_course = false;
    const char *text = "";
    for (uint32_t row = 0; row < set->map.row_count; row++) {
        bool here = sl_frame_number_of(&set->map, row, "map") == picture->number;
        points += here;
        ties += here && sl_map_picture_is(set, row, "tie");
        untested += here && sl_map_picture_untested(set, row);
        one_course |= here && sl_map_picture_is(set, row, "one-course");
        blank += here && sl_map_picture_is(set, row, "none");
    }
    text = sl_arena_printf(&set->arena, "%s%s%s %u points,", *label ? "At " : "", label,
                           *label ? ", of" : "Of", points);
    for (uint32_t p = 0; text && p < set->manifest.policy_count; p++) {
        uint32_t wins = 0;
        for (uint32_t row = 0; row < set->map.row_count; row++)
            wins += sl_frame_number_of(&set->map, row, "map") == picture->number &&
                    sl_map_picture_leader(set, row) == p && !sl_map_picture_is(set, row, "tie") &&
                    !sl_map_picture_untested(set, row);
        if (wins > 0)
            text = sl_arena_printf(&set->arena, "%s%s %.60s wins %u", text, told ? "," : "",
                                   set->manifest.policies[p], wins);
        told = told || wins > 0;
    }
    if (text && ties > 0)
        text = sl_arena_printf(&set->arena, "%s%s %u %s", text, told ? "," : "", ties,
                               ties == 1 ? "is a tie" : "are ties");
    told = told || ties > 0;
    if (text && untested > 0)
        text = sl_arena_printf(&set->arena, "%s%s %u %s not compared (%s)", text, told ? "," : "",
                               untested, untested == 1 ? "was" : "were",
                               one_course ? "one course of events" : "too few trials");
    if (text && blank > 0)
        text = sl_arena_printf(&set->arena, "%s%s %u %s no figure", text,
                               told || untested > 0 ? "," : "", blank, blank == 1 ? "has" : "have");
    sl_gnuplot_title(&set->gnuplot, text ? sl_arena_printf(&set->arena, "%s%s", text, break_even(set, picture))
                            : NULL);
}

static void put_axis(struct sl_plot_set *set, const struct sl_map_picture *picture, int a)
{
    static const char *const names[2] = {"X", "Y"};
    FILE *input = set->gnuplot.input;
    const struct sl_map_axis *axis = &picture->axes[a];
    char variable[24];
    snprintf(variable, sizeof variable, "%sTEXTS", names[a]);
    sl_gnuplot_texts(&set->gnuplot, variable, axis->texts, axis->count);
    fprintf(input, "array %sAT[%u]\n", names[a], axis->count);
    for (uint32_t i = 0; i < axis->count; i++)
        fprintf(input, "%sAT[%u] = %.17g\n", names[a], i + 1, picture->places[a][i]);
    snprintf(variable, sizeof variable, "%sVALUES", names[a]);
    sl_gnuplot_number(&set->gnuplot, variable, axis->count);
    snprintf(variable, sizeof variable, "%sLABEL", names[a]);
    sl_gnuplot_text(&set->gnuplot, variable,
                    sl_arena_printf(&set->arena, "%s%s", axis->path, axis->log ? " (log)" : ""));
}

static enum sl_status draw_map(struct sl_plot_set *set, const struct sl_map_picture *picture,
                               const char *name, const char *label, struct sl_error *err)
{
    uint32_t policies = set->manifest.policy_count, ties = 0, untested = 0, bands = 0;
    const char **titles = sl_arena_array(&set->arena, (size_t)policies + 1, sizeof *titles);
    if (!titles)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t p = 0; p < policies; p++)
        titles[p] = "";
    for (uint32_t row = 0; row < set->map.row_count; row++) {
        uint32_t leader = sl_map_picture_leader(set, row);
        if (sl_frame_number_of(&set->map, row, "map") != picture->number)
            continue;
        if (leader != SL_NONE)
            titles[leader] = set->manifest.policies[leader];
        ties += sl_map_picture_is(set, row, "tie");
        untested += sl_map_picture_untested(set, row);
    }
    bands = told_crossing(set, picture->number) != SL_NONE;
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = sl_map_picture_write(set, picture, err);
    if (status != SL_OK)
        return status;
    put_map_title(set, picture, label);
    sl_gnuplot_text(&set->gnuplot, "NOTE1",
                    "Points: cells that were run; the answer changes between two of them.  Dashed: "
                    "where in between is not known.");
    sl_gnuplot_text(&set->gnuplot, "NOTE2",
                    "Solid: break-even on a straight line between points, with the sampling noise "
                    "along it; that line's own error is not in it.");
    sl_gnuplot_number(&set->gnuplot, "POLICIES", policies);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, policies);
    sl_gnuplot_number(&set->gnuplot, "TIED", ties > 0);
    sl_gnuplot_number(&set->gnuplot, "UNTESTED", untested > 0);
    sl_gnuplot_number(&set->gnuplot, "BANDED", bands);
    sl_plot_put_fills(set);
    put_axis(set, picture, 0);
    put_axis(set, picture, 1);
    return sl_plot_finish(set, "map.gp", name, 640, err);
}

enum sl_status sl_plot_maps(struct sl_plot_set *set, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_map_picture *picture = sl_arena_alloc(&set->arena, sizeof *picture);
    double last = -1;
    if (!picture)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t row = 0; row < set->map.row_count && status == SL_OK; row++) {
        double number = sl_frame_number_of(&set->map, row, "map");
        const char *label = sl_frame_text_of(&set->map, row, "label");
        if (!(number > last))
            continue;
        last = number;
        *picture = (struct sl_map_picture){.number = number};
        status = sl_map_picture_read(set, picture, number, err);
        const char *name =
            *label ? sl_arena_printf(&set->arena, "map_%.0f_%.120s", number, label) : "map";
        if (status == SL_OK && picture->axes[0].count > 1 && picture->axes[1].count > 1)
            status = draw_map(set, picture, name ? name : "map", label, err);
        else if (status == SL_OK)
            fputs("slackline plot: no map: an axis has one value\n", stderr);
    }
    return status;
}
