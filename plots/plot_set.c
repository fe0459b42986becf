/* What the pictures of one results folder share: colours, units, texts of titles and notes. */
#include "config.h"

#include "kept.h"
#include "plot_set.h"
#include "units.h"
#include <math.h>
#include <string.h>

#define NOTE_WIDTH 150 /* characters of a note that fit 1200 pixels */

const char *const sl_plot_colours[SL_PLOT_COLOURS] = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7A4A12",
};

void sl_plot_put_styles(struct sl_plot_set *set, const uint32_t *policies, size_t count)
{
    FILE *input = set->gnuplot.input;
    size_t length = count > 0 ? count : 1;
    fprintf(input, "array COLOUR[%zu]\narray DASH[%zu]\narray POINT[%zu]\n", length, length,
            length);
    for (size_t i = 0; i < count; i++)
        fprintf(input, "COLOUR[%zu] = '%s'\nDASH[%zu] = %u\nPOINT[%zu] = %u\n", i + 1,
                sl_plot_colours[policies[i] % SL_PLOT_COLOURS], i + 1,
                1 + policies[i] / SL_PLOT_COLOURS, i + 1,
                (policies[i] / SL_PLOT_COLOURS) % 2 ? 9u : 7u);
}

void sl_plot_put_fills(struct sl_plot_set *set)
{
    FILE *input = set->gnuplot.input;
    uint32_t policies = set->manifest.policy_count;
    fprintf(input, "array FILL[%u]\n", policies);
    for (uint32_t p = 0; p < policies; p++) {
        unsigned red, green, blue;
        if (sscanf(sl_plot_colours[p % SL_PLOT_COLOURS], "#%2x%2x%2x", &red, &green, &blue) == 3)
            fprintf(input, "FILL[%u] = '#%02x%02x%02x'\n", p + 1, (red + 255) / 2,
                    (green + 255) / 2, (blue + 255) / 2);
    }
}

struct sl_plot_unit sl_plot_time_unit(double us)
{
    if (us >= 1e6)
        return (struct sl_plot_unit){"s", 1e6};
    if (us >= 1e3)
        return (struct sl_plot_unit){"ms", 1e3};
    return us >= 1 ? (struct sl_plot_unit){"us", 1} : (struct sl_plot_unit){"ns", 1e-3};
}

struct sl_plot_unit sl_plot_bytes_unit(double bytes)
{
    static const struct sl_plot_unit units[] = {
        {"TiB", 1099511627776.0}, {"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (bytes >= units[i].divisor)
            return units[i];
    return (struct sl_plot_unit){"B", 1};
}

static const char *kept(struct sl_plot_set *set, const char *text)
{
    const char *copy = sl_arena_strdup(&set->arena, text);
    return sl_kept(copy);
}

const char *sl_plot_time(struct sl_plot_set *set, double us)
{
    char buffer[48];
    return kept(set, sl_format_time(buffer, sizeof buffer, us * (double)SL_PS_PER_US));
}

const char *sl_plot_estimate(struct sl_plot_set *set, double us)
{
    char buffer[48];
    return kept(set, sl_format_estimate(buffer, sizeof buffer, us * (double)SL_PS_PER_US));
}

const char *sl_plot_bytes(struct sl_plot_set *set, double bytes)
{
    char buffer[48];
    return kept(set, sl_format_bytes(buffer, sizeof buffer, bytes));
}

/* "prefetch.lookahead" is plainly the lookahead here. */
static const char *last_word(const char *axis)
{
    const char *dot = strrchr(axis, '.');
    return dot ? dot + 1 : axis;
}

const char *sl_plot_cell_label(struct sl_plot_set *set, uint32_t row)
{
    char label[512];
    const char *separator = " (", *close = "";
    snprintf(label, sizeof label, "%.200s", sl_frame_text_of(&set->summary, row, "policy"));
    for (uint32_t i = 0; i < set->manifest.axis_count; i++) {
        const char *axis = set->manifest.axes[i];
        const char *text = sl_frame_text_of(&set->summary, row, axis);
        if (!sl_axis_is_policys(axis) || !*text)
            continue;
        size_t used = strlen(label);
        snprintf(&label[used], sizeof label - used, "%s%.60s %.60s", separator, last_word(axis),
                 text);
        separator = ", ";
        close = ")";
    }
    size_t used = strlen(label);
    snprintf(&label[used], sizeof label - used, "%s", close);
    return kept(set, label);
}

const char *sl_plot_at(struct sl_plot_set *set, uint32_t group)
{
    const struct sl_group *at = &set->grouping.groups[group];
    char text[600];
    uint32_t axes = 0;
    if (!*at->values)
        return "";
    for (uint32_t i = 0; i < set->manifest.axis_count; i++)
        axes += !sl_axis_is_policys(set->manifest.axes[i]);
    snprintf(text, sizeof text, "At %.250s, ", axes == 1 ? at->values : at->label);
    return kept(set, text);
}

static uint32_t row_of_cell(const struct sl_frame *summary, double cell)
{
    uint32_t row = 0;
    while (row < summary->row_count && sl_frame_number_of(summary, row, "cell") != cell)
        row++;
    return row;
}

/* The group's row of winners.csv; row_count: it has none. */
static uint32_t winners_row(const struct sl_plot_set *set, uint32_t group)
{
    uint32_t i = 0;
    while (i < set->winners.row_count && sl_frame_number_of(&set->winners, i, "group") != group)
        i++;
    return i;
}

/* "; jit wins on peak.hbm among 4 tied"; "; a test takes 916 trials"; else "". */
static const char *decision(struct sl_plot_set *set, uint32_t group)
{
    const struct sl_frame *winners = &set->winners;
    uint32_t i = winners_row(set, group), count = 1;
    if (i == winners->row_count)
        return "";
    const char *decided = sl_frame_text_of(winners, i, "decided_by");
    const char *text = "";
    if (strcmp(sl_frame_text_of(winners, i, "untested"), "tail") == 0)
        text = sl_arena_printf(&set->arena, "; not compared, which takes %.0f trials",
                               sl_frame_number_of(winners, i, "least_trials"));
    if (!*decided || sl_frame_number_of(winners, i, "won") != 1 || strcmp(decided, "tail") == 0)
        return text ? text : "";
    for (const char *among = sl_frame_text_of(winners, i, "among_cells"); *among; among++)
        count += *among == ';';
    uint32_t row = row_of_cell(&set->summary, sl_frame_number_of(winners, i, "candidate_cell"));
    if (row < set->summary.row_count)
        text = sl_arena_printf(&set->arena, "; %s wins on %.60s among %u tied",
                               sl_plot_cell_label(set, row), decided, count);
    return text ? text : "";
}

static bool won_by_tail(const struct sl_plot_set *set, uint32_t group)
{
    uint32_t i = winners_row(set, group);
    return i < set->winners.row_count && sl_frame_number_of(&set->winners, i, "won") == 1 &&
           strcmp(sl_frame_text_of(&set->winners, i, "decided_by"), "tail") == 0;
}

const char *sl_plot_ties(struct sl_plot_set *set, uint32_t group)
{
    uint32_t tied = set->grouping.groups[group].tied;
    if (tied == 0 || won_by_tail(set, group))
        return "";
    const char *text =
        sl_arena_printf(&set->arena, "; the interval%s of %u other%s overlap%s",
                        tied == 1 ? "" : "s", tied, tied == 1 ? "" : "s", tied == 1 ? "s" : "");
    return text ? text : "";
}

const char *sl_plot_rejected(struct sl_plot_set *set, uint32_t group)
{
    uint32_t most = SL_NONE;
    double largest = 0;
    for (uint32_t row = 0; row < set->summary.row_count; row++) {
        double share = sl_row_rejected(&set->summary, row);
        if ((group != SL_NONE && set->grouping.group_of_row[row] != group) || !(share > largest))
            continue;
        largest = share;
        most = row;
    }
    if (most == SL_NONE)
        return "";
    const char *text = sl_arena_printf(&set->arena, "; %s rejects the most jobs, %.3g%%",
                                       sl_plot_cell_label(set, most), 100 * largest);
    return text ? text : "";
}

const char *sl_plot_lowest(struct sl_plot_set *set, uint32_t group)
{
    uint32_t row = set->grouping.groups[group].best_row;
    double lo = sl_frame_number_of(&set->summary, row, "tail_lo_us");
    double hi = sl_frame_number_of(&set->summary, row, "tail_hi_us");
    const char *interval = "";
    if (!isnan(lo) && !isnan(hi))
        interval = sl_arena_printf(&set->arena, " [%s, %s]", sl_plot_estimate(set, lo),
                                   sl_plot_estimate(set, hi));
    const char *text =
        sl_arena_printf(&set->arena, "%s%s has the lowest %s: %s%s%s%s%s", sl_plot_at(set, group),
                        sl_plot_cell_label(set, row), set->tail_name,
                        sl_plot_estimate(set, sl_frame_number_of(&set->summary, row, "tail_us")),
                        interval ? interval : "", sl_plot_ties(set, group), decision(set, group),
                        sl_plot_rejected(set, group));
    return text ? text : "";
}

/* By the verdict "ok": why the row has no tail. */
static const char *why_no_tail(const struct sl_plot_set *set, uint32_t row)
{
    uint32_t i = row_of_cell(&set->race, sl_frame_number_of(&set->summary, row, "cell"));
    return i < set->race.row_count &&
                   strcmp(sl_frame_text_of(&set->race, i, "outcome"), "dropped") == 0
               ? "dropped by the race"
               : "too few trials";
}

/* The verdict of a policy that has no ranked cell in the group, NULL when it has one or no cell. */
static const char *absence(const struct sl_plot_set *set, uint32_t group, const char *policy)
{
    const char *verdict = NULL;
    for (uint32_t row = 0; row < set->summary.row_count; row++) {
        if (set->grouping.group_of_row[row] != group ||
            strcmp(sl_frame_text_of(&set->summary, row, "policy"), policy) != 0)
            continue;
        if (sl_row_ranks(&set->summary, row))
            return NULL;
        if (!verdict)
            verdict = sl_frame_text_of(&set->summary, row, "verdict");
        if (strcmp(verdict, "ok") == 0)
            verdict = why_no_tail(set, row);
    }
    return verdict;
}

/* " at 4.25GiB, 3.25GiB": where the policy is absent for that reason, "" when
 * everywhere, NULL when an earlier group has told it. */
static const char *where_absent(struct sl_plot_set *set, uint32_t group, const char *policy,
                                const char *why)
{
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t g = 0; g < set->grouping.group_count && text; g++) {
        const char *here = absence(set, g, policy);
        if (!here || strcmp(here, why) != 0)
            continue;
        if (g < group)
            return NULL;
        text = sl_arena_printf(&set->arena, "%s%s%.40s", text, count++ ? ", " : " at ",
                               set->grouping.groups[g].values);
    }
    return count == set->grouping.group_count || !text ? "" : text;
}

void sl_plot_note_absent(struct sl_plot_set *set, uint32_t group)
{
    char note[800] = "";
    uint32_t first = group == SL_NONE ? 0 : group;
    uint32_t last = group == SL_NONE ? set->grouping.group_count : group + 1;
    for (uint32_t p = 0; p < set->manifest.policy_count; p++)
        for (uint32_t g = first; g < last; g++) {
            const char *policy = set->manifest.policies[p], *why = absence(set, g, policy);
            const char *where = why && group == SL_NONE ? where_absent(set, g, policy, why) : "";
            size_t length = strlen(note);
            if (why && where && length < sizeof note - 1)
                snprintf(note + length, sizeof note - length, "%s%.80s (%s%.200s)",
                         length ? ", " : "Not shown: ", policy, why, where);
        }
    if (strlen(note) > NOTE_WIDTH)
        memcpy(&note[NOTE_WIDTH - 3], "...", 4);
    sl_gnuplot_text(&set->gnuplot, "NOTE", note);
}

enum sl_status sl_plot_finish(struct sl_plot_set *set, const char *script, const char *name,
                              unsigned height, struct sl_error *err)
{
    /* Names of axes and values are the user's: one may hold a slash. */
    char file[200];
    snprintf(file, sizeof file, "%s", name);
    for (char *at = file; *at; at++)
        if (*at == '/' || (unsigned char)*at <= ' ')
            *at = '-';
    if (set->arena.starved) /* a text of it is missing */
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %s", file);
    enum sl_status status = sl_gnuplot_draw(&set->gnuplot, script, file, height, err);
    if (status == SL_OK) {
        if (set->out)
            fprintf(set->out, "%s/%s.png\n", set->gnuplot.out, file);
        set->drawn++;
    }
    return status;
}
