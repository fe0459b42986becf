/* Laying out a map: axes, points, and the edges between them. */
#include "win_map.h"
#include "order_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sl_map_kind_name(enum sl_map_kind kind)
{
    static const char *const names[SL_MAP_KINDS] = {"crossing", "feasibility", "untested", "words"};
    return names[kind];
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* A quantity in its base unit; NULL: it is none. */
static const char *read_quantity(const char *text, double *value)
{
    char why[SL_WHY_SIZE];
    int64_t whole;
    if (sl_parse_number(text, value, why))
        return "";
    if (sl_parse_bandwidth(text, value, why))
        return "B/s";
    if (sl_parse_rate(text, value, why))
        return "/s";
    if (sl_parse_bytes(text, &whole, why))
        *value = (double)whole;
    else
        return sl_parse_time_real(text, value, why) ? "ps" : NULL;
    return "B";
}

/* By insertion: an axis has few values. */
static void sort_axis(struct sl_map_axis *axis)
{
    for (uint32_t i = 1; i < axis->count; i++)
        for (uint32_t k = i; k > 0 && axis->values[k] < axis->values[k - 1]; k--) {
            double value = axis->values[k];
            const char *text = axis->texts[k];
            axis->values[k] = axis->values[k - 1];
            axis->texts[k] = axis->texts[k - 1];
            axis->values[k - 1] = value;
            axis->texts[k - 1] = text;
        }
}

static enum sl_status check_distinct(const struct sl_map_axis *axis, struct sl_place place,
                                     struct sl_error *err)
{
    for (uint32_t i = 1; i < axis->count; i++)
        if (axis->values[i] == axis->values[i - 1])
            return SL_FAIL_AT(err, SL_INVALID, place,
                              "a map needs distinct values: '%s' has %s and %s", axis->path,
                              axis->texts[i - 1], axis->texts[i]);
    return SL_OK;
}

static enum sl_status read_axis(struct sl_map *map, struct sl_map_axis *axis,
                                const struct sl_scenario *scenario, uint32_t index,
                                struct sl_error *err)
{
    const struct sl_axis *from = &scenario->axes[index];
    size_t room = (size_t)from->value_count + 1;
    *axis = (struct sl_map_axis){.path = from->path,
                                 .index = index,
                                 .count = from->value_count,
                                 .texts = sl_arena_array(&map->arena, room, sizeof(char *)),
                                 .values = sl_arena_array(&map->arena, room, sizeof(double)),
                                 .unit = "",
                                 .numeric = true,
                                 .log = true};
    if (!axis->texts || !axis->values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
    for (uint32_t i = 0; i < axis->count; i++) {
        const char *unit = read_quantity(from->values[i]->text, &axis->values[i]);
        axis->texts[i] = from->values[i]->text;
        axis->unit = i == 0 && unit ? unit : axis->unit;
        axis->numeric = axis->numeric && unit && strcmp(unit, axis->unit) == 0;
    }
    for (uint32_t i = 0; i < axis->count; i++) {
        if (!axis->numeric)
            axis->values[i] = i;
        axis->log = axis->log && axis->numeric && axis->values[i] > 0;
    }
    sort_axis(axis);
    return check_distinct(axis, from->place, err);
}

static bool is_of_metric(const struct sl_order_item *item)
{
    return item->measure == SL_MEASURE_TAIL || item->measure == SL_MEASURE_MEDIAN ||
           item->measure == SL_MEASURE_MEAN;
}

enum sl_status sl_map_open(struct sl_map *map, const struct sl_scenario *scenario,
                           struct sl_error *err)
{
    *map =
        (struct sl_map){.measure = scenario->objective.order_count ? &scenario->objective.order[0]
                                                                   : &sl_order_tail};
    uint32_t found = 0;
    enum sl_status status = SL_OK;
    for (uint32_t a = 0; a < scenario->axis_count && found < 2 && status == SL_OK; a++)
        if (!sl_axis_is_policys(scenario->axes[a].path))
            status = read_axis(map, &map->axes[found++], scenario, a, err);
    if (status == SL_OK && found < 2)
        return SL_FAIL(err, SL_USAGE,
                       "--map needs two axes that are not a policy's, and there %s; give two, such "
                       "as --axis 'scale.bandwidth.*=0.5,1,2' --axis 'scale.size.*=0.5,1,2'",
                       found == 1 ? "is one" : "is none");
    if (status == SL_OK && !is_of_metric(map->measure))
        return SL_FAIL(err, SL_USAGE,
                       "--map draws where times break even, but objective.order begins with '%s' "
                       "(allowed: tail, median, mean)",
                       map->measure->name);
    return status;
}

void sl_map_free(struct sl_map *map)
{
    free(map->edges);
    sl_arena_free(&map->arena);
    *map = (struct sl_map){0};
}

/* ---- points ---------------------------------------------------------------------------------- */

static uint32_t place_on(const struct sl_map_axis *axis, const struct sl_frame *summary,
                         uint32_t row)
{
    const char *text = sl_frame_text_of(summary, row, axis->path);
    uint32_t i = 0;
    while (i < axis->count && strcmp(axis->texts[i], text) != 0)
        i++;
    return i;
}

/* The setting of the axes that are neither a policy's nor the map's. */
static const char *label_of(struct sl_map *map, const struct sl_scenario *scenario, uint32_t row)
{
    const struct sl_frame *summary = &map->standings->summary;
    const char *label = "";
    for (uint32_t a = 0; label && a < scenario->axis_count; a++) {
        const char *path = scenario->axes[a].path;
        if (!sl_axis_is_policys(path) && a != map->axes[0].index && a != map->axes[1].index)
            label = sl_arena_printf(&map->arena, "%s%s%s %s", label, *label ? ", " : "",
                                    sl_axis_short(path), sl_frame_text_of(summary, row, path));
    }
    return label;
}

static enum sl_status place_groups(struct sl_map *map, const struct sl_scenario *scenario,
                                   struct sl_error *err)
{
    const struct sl_standings *standings = map->standings;
    const struct sl_grouping *grouping = &standings->grouping;
    size_t points = (size_t)map->axes[0].count * map->axes[1].count;
    size_t most = grouping->group_count + (size_t)1;
    map->labels = sl_arena_array(&map->arena, most, sizeof *map->labels);
    map->groups = sl_arena_array(&map->arena, most * points, sizeof *map->groups);
    map->margins = sl_arena_array(&map->arena, most, sizeof *map->margins);
    if (!map->labels || !map->groups || !map->margins)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
    memset(map->groups, 0xff, most * points * sizeof *map->groups);
    for (uint32_t g = 0; g < grouping->group_count; g++)
        map->margins[g] = SL_NO_ESTIMATE;
    for (uint32_t row = 0; row < standings->summary.row_count; row++) {
        uint32_t x = place_on(&map->axes[0], &standings->summary, row), m = 0;
        uint32_t y = place_on(&map->axes[1], &standings->summary, row);
        const char *label = label_of(map, scenario, row);
        if (!label)
            return SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
        if (x == map->axes[0].count || y == map->axes[1].count)
            continue;
        while (m < map->count && strcmp(map->labels[m], label) != 0)
            m++;
        if (m == map->count)
            map->labels[map->count++] = label;
        map->groups[m * points + (size_t)y * map->axes[0].count + x] = grouping->group_of_row[row];
    }
    return SL_OK;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The policy's best cell in a group: by the measure, and where a race left none with a figure, the
 * one that came furthest. */
static uint32_t row_of(const struct sl_map *map, uint32_t group, const char *policy)
{
    const struct sl_frame *summary = &map->standings->summary;
    const struct sl_grouping *grouping = &map->standings->grouping;
    uint32_t best = SL_NONE;
    double lowest = NAN, longest = 0;
    for (uint32_t row = grouping->groups[group].first_row; row != SL_NONE;
         row = grouping->next_row[row]) {
        if (strcmp(sl_frame_text_of(summary, row, "policy"), policy) != 0 ||
            !sl_standings_competes(map->standings, row))
            continue;
        double figure = sl_order_estimate(summary, row, map->measure).value;
        double trials = sl_frame_number_of(summary, row, "trials");
        bool better = best == SL_NONE || figure < lowest || (isnan(lowest) && !isnan(figure)) ||
                      (isnan(lowest) && isnan(figure) && trials > longest);
        if (!better)
            continue;
        best = row;
        lowest = figure;
        longest = trials;
    }
    return best;
}

static enum sl_map_kind first_kind(const struct sl_map *map, const struct sl_map_edge *edge)
{
    for (int leader = 0; leader < 2; leader++)
        for (int end = 0; end < 2; end++)
            if (edge->rows[leader][end] == SL_NONE)
                return SL_MAP_FEASIBILITY;
    return map->axes[edge->along].numeric ? SL_MAP_CROSSING : SL_MAP_WORDS;
}

static enum sl_status add_edge(struct sl_map *map, uint32_t along, const uint32_t groups[2],
                               const double values[2], struct sl_error *err)
{
    const struct sl_standings *standings = map->standings;
    const char *names[2] = {"", ""};
    if (groups[0] == SL_NONE || groups[1] == SL_NONE)
        return SL_OK;
    for (int end = 0; end < 2; end++) {
        uint32_t row = standings->groups[groups[end]].candidate;
        if (row != SL_NONE)
            names[end] = sl_frame_text_of(&standings->summary, row, "policy");
    }
    if (strcmp(names[0], names[1]) == 0)
        return SL_OK;
    if (!sl_grow((void **)&map->edges, &map->edge_capacity, map->edge_count + 1,
                 sizeof *map->edges))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
    struct sl_map_edge *edge = &map->edges[map->edge_count++];
    *edge = (struct sl_map_edge){.groups = {groups[0], groups[1]},
                                 .along = along,
                                 .ends = {{values[0], SL_NO_ESTIMATE}, {values[1], SL_NO_ESTIMATE}},
                                 .at = NAN,
                                 .lo = NAN,
                                 .hi = NAN};
    for (int leader = 0; leader < 2; leader++)
        for (int end = 0; end < 2; end++)
            edge->rows[leader][end] =
                *names[leader] ? row_of(map, groups[end], names[leader]) : SL_NONE;
    edge->kind = first_kind(map, edge);
    return SL_OK;
}

static enum sl_status find_edges(struct sl_map *map, struct sl_error *err)
{
    const struct sl_map_axis *across = &map->axes[0], *up = &map->axes[1];
    enum sl_status status = SL_OK;
    for (uint32_t m = 0; m < map->count; m++)
        for (uint32_t y = 0; y < up->count; y++)
            for (uint32_t x = 0; x < across->count && status == SL_OK; x++) {
                const uint32_t *at = &map->groups[((size_t)m * up->count + y) * across->count + x];
                if (x + 1 < across->count)
                    status = add_edge(map, 0, (uint32_t[]){at[0], at[1]}, &across->values[x], err);
                if (status == SL_OK && y + 1 < up->count)
                    status = add_edge(map, 1, (uint32_t[]){at[0], at[across->count]},
                                      &up->values[y], err);
            }
    return status;
}

enum sl_status sl_map_lay(struct sl_map *map, const struct sl_scenario *scenario,
                          const struct sl_standings *standings, struct sl_error *err)
{
    map->standings = standings;
    enum sl_status status = place_groups(map, scenario, err);
    return status == SL_OK ? find_edges(map, err) : status;
}

const char *sl_map_verdict(const struct sl_map *map, uint32_t group)
{
    const struct sl_standing *standing = &map->standings->groups[group];
    if (standing->candidate == SL_NONE)
        return "none";
    if (standing->won)
        return "won";
    if (standing->runner_up == SL_NONE)
        return "alone";
    if (standing->one_course)
        return "one-course";
    return standing->untested == SL_NONE ? "tie" : "not-compared";
}
