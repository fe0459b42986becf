/* Writing map.csv, a row per point, and boundary.csv, a row per edge. */
#include "figures.h"
#include "grouping.h"
#include "outfile.h"
#include "win_map.h"
#include <math.h>
#include <string.h>

static void put_row_name(FILE *out, const struct sl_map *map, uint32_t row)
{
    const struct sl_frame *summary = &map->standings->summary;
    sl_put_text(out, row == SL_NONE ? NULL : sl_frame_text_of(summary, row, "cell"));
    sl_put_text(out, row == SL_NONE ? NULL : sl_frame_text_of(summary, row, "policy"));
}

/* Whoever rejects jobs serves the others sooner. */
static void put_rejected(FILE *out, const struct sl_map *map, uint32_t row)
{
    sl_put_number(out, row == SL_NONE ? NAN : sl_row_rejected(&map->standings->summary, row));
}

/* Policies of the tie set, each once: "offload;remat"; false: out of memory. */
static bool put_ties(FILE *out, const struct sl_map *map, uint32_t group)
{
    const struct sl_standings *standings = map->standings;
    struct sl_arena arena = {0};
    const char *text = "", *last = "";
    bool won = standings->groups[group].won;
    for (uint32_t row = standings->grouping.groups[group].first_row; text && !won && row != SL_NONE;
         row = standings->grouping.next_row[row]) {
        const char *policy = sl_frame_text_of(&standings->summary, row, "policy");
        if (!(sl_standings_tied(standings, row) || sl_standings_uncompared(standings, row)) ||
            strcmp(policy, last) == 0)
            continue;
        text = sl_arena_printf(&arena, "%s%s%s", text, *text ? ";" : "", policy);
        last = policy;
    }
    sl_put_text(out, text);
    sl_arena_free(&arena);
    return text;
}

/* A column per axis of the machine. */
static void put_axes(FILE *out, const struct sl_scenario *scenario)
{
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        if (!sl_axis_is_policys(scenario->axes[a].path))
            sl_put_text(out, scenario->axes[a].path);
}

/* The group's values of them; empty of the axis `but` (SL_NONE: of none). */
static void put_values(FILE *out, const struct sl_map *map, const struct sl_scenario *scenario,
                       uint32_t group, uint32_t but)
{
    const struct sl_standings *standings = map->standings;
    uint32_t row = standings->grouping.groups[group].first_row;
    for (uint32_t a = 0; a < scenario->axis_count; a++) {
        const char *path = scenario->axes[a].path;
        if (!sl_axis_is_policys(path))
            sl_put_text(out, a == but ? NULL : sl_frame_text_of(&standings->summary, row, path));
    }
}

static bool put_point(FILE *out, const struct sl_map *map, const struct sl_scenario *scenario,
                      uint32_t m, uint32_t group, const double at[2])
{
    const struct sl_standing *standing = &map->standings->groups[group];
    fprintf(out, "%u", m);
    sl_put_text(out, map->labels[m]);
    sl_put_integer(out, group);
    put_values(out, map, scenario, group, SL_NONE);
    sl_put_number(out, at[0]);
    sl_put_number(out, at[1]);
    sl_put_text(out, sl_map_verdict(map, group));
    put_row_name(out, map, standing->candidate);
    bool whole = put_ties(out, map, group);
    put_row_name(out, map, standing->runner_up);
    sl_put_text(out, map->measure->name);
    sl_put_estimate(out, map->margins[group]);
    put_rejected(out, map, standing->candidate);
    put_rejected(out, map, standing->runner_up);
    putc('\n', out);
    return whole;
}

static enum sl_status write_points(const struct sl_map *map, const struct sl_scenario *scenario,
                                   const char *dir, struct sl_error *err)
{
    struct sl_outfile file;
    uint32_t columns = map->axes[0].count, points = columns * map->axes[1].count;
    enum sl_status status = sl_outfile_open_in(&file, dir, "map.csv", err);
    if (status != SL_OK)
        return status;
    fputs("map,label,group", file.stream);
    put_axes(file.stream, scenario);
    fputs(",across,up,verdict,leader_cell,leader,tied,runner_up_cell,runner_up,measure,margin_us,"
          "margin_lo_us,margin_hi_us,leader_rejected,runner_up_rejected\n",
          file.stream);
    bool whole = true;
    for (uint32_t m = 0; m < map->count; m++)
        for (uint32_t k = 0; k < points; k++) {
            uint32_t group = map->groups[(size_t)m * points + k];
            const double at[2] = {map->axes[0].values[k % columns],
                                  map->axes[1].values[k / columns]};
            if (group != SL_NONE)
                whole &= put_point(file.stream, map, scenario, m, group, at);
        }
    if (whole)
        return sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return SL_FAIL(err, SL_SYSTEM, "out of memory for map.csv");
}

static uint32_t map_of(const struct sl_map *map, uint32_t group)
{
    uint32_t points = map->axes[0].count * map->axes[1].count, k = 0;
    while (map->groups[k] != group)
        k++;
    return k / points;
}

static void put_edge(FILE *out, const struct sl_map *map, const struct sl_scenario *scenario,
                     const struct sl_map_edge *edge)
{
    const struct sl_map_axis *axis = &map->axes[edge->along];
    fprintf(out, "%u", map_of(map, edge->groups[0]));
    sl_put_text(out, axis->path);
    put_values(out, map, scenario, edge->groups[0], axis->index);
    sl_put_integer(out, edge->groups[0]);
    sl_put_integer(out, edge->groups[1]);
    for (int end = 0; end < 2; end++)
        put_row_name(out, map, map->standings->groups[edge->groups[end]].candidate);
    sl_put_text(out, sl_map_kind_name(edge->kind));
    sl_put_text(out, axis->unit);
    sl_put_number(out, edge->at);
    sl_put_number(out, edge->lo);
    sl_put_number(out, edge->hi);
    sl_put_integer(out, edge->lo_open);
    sl_put_integer(out, edge->hi_open);
    sl_put_integer(out, edge->halvings);
    for (int end = 0; end < 2; end++) {
        sl_put_number(out, edge->ends[end].value);
        sl_put_estimate(out, edge->ends[end].difference);
    }
    putc('\n', out);
}

static enum sl_status write_edges(const struct sl_map *map, const struct sl_scenario *scenario,
                                  const char *dir, struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "boundary.csv", err);
    if (status != SL_OK)
        return status;
    fputs("map,along", file.stream);
    put_axes(file.stream, scenario);
    fputs(",from_group,to_group,from_cell,from,to_cell,to,kind,unit,at,lo,hi,lo_open,hi_open,"
          "halvings,from_at,from_difference_us,from_difference_lo_us,from_difference_hi_us,to_at,"
          "to_difference_us,to_difference_lo_us,to_difference_hi_us\n",
          file.stream);
    for (uint32_t e = 0; e < map->edge_count; e++)
        put_edge(file.stream, map, scenario, &map->edges[e]);
    return sl_outfile_commit(&file, err);
}

enum sl_status sl_map_write(const struct sl_map *map, const struct sl_scenario *scenario,
                            const char *dir, struct sl_error *err)
{
    enum sl_status status = write_points(map, scenario, dir, err);
    return status == SL_OK ? write_edges(map, scenario, dir, err) : status;
}
