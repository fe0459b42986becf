/* The report of a map. */
#include "grouping.h"
#include "kept.h"
#include "sweep_map.h"
#include "table.h"
#include <math.h>
#include <string.h>

#define MAX_BOUNDARIES 40

/* "offload", "offload~" of a tie, "offload?" where nothing could be compared, "-". */
static void add_point(struct sl_table *table, const struct sl_map *map, uint32_t group)
{
    if (group == SL_NONE || map->standings->groups[group].candidate == SL_NONE) {
        sl_table_add(table, "-");
        return;
    }
    const char *verdict = sl_map_verdict(map, group);
    bool open = strcmp(verdict, "not-compared") == 0 || strcmp(verdict, "one-course") == 0;
    const char *mark = strcmp(verdict, "tie") == 0 ? "~" : open ? "?" : "";
    sl_table_add(table, "%s%s",
                 sl_frame_text_of(&map->standings->summary, map->standings->groups[group].candidate,
                                  "policy"),
                 mark);
}

static void print_grid(FILE *out, struct sl_arena *arena, const struct sl_map *map, uint32_t m)
{
    const struct sl_map_axis *across = &map->axes[0], *up = &map->axes[1];
    char alignments[SL_TABLE_COLUMNS + 1] = "r";
    if (across->count + 1 > SL_TABLE_COLUMNS) {
        fprintf(out, "(%u values of %s are too many for a table; see map.csv)\n", across->count,
                across->path);
        return;
    }
    memset(alignments + 1, 'l', across->count);
    struct sl_table table = sl_table_make(arena, alignments);
    for (uint32_t y = up->count; y-- > 0;) {
        sl_table_add(&table, "%s", up->texts[y]);
        for (uint32_t x = 0; x < across->count; x++)
            add_point(&table, map, map->groups[((size_t)m * up->count + y) * across->count + x]);
    }
    sl_table_add(&table, "%s", "");
    for (uint32_t x = 0; x < across->count; x++)
        sl_table_add(&table, "%s", across->texts[x]);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static const char *name_of(const struct sl_map *map, uint32_t group)
{
    uint32_t row = map->standings->groups[group].candidate;
    return row == SL_NONE ? "none" : sl_frame_text_of(&map->standings->summary, row, "policy");
}

static void add_break_even(struct sl_table *table, struct sl_arena *arena,
                           const struct sl_map_axis *axis, const struct sl_map_edge *edge)
{
    const char *from = sl_map_value_text(arena, axis, edge->ends[0].value);
    const char *to = sl_map_value_text(arena, axis, edge->ends[1].value);
    if (edge->kind == SL_MAP_CROSSING) {
        sl_table_add(table, "[%s%s, %s%s]", edge->lo_open ? "<" : "", from,
                     edge->hi_open ? ">" : "", to);
        sl_table_add(table, "%s", sl_map_value_text(arena, axis, edge->at));
        sl_table_add(table, "[%s, %s]", sl_map_value_text(arena, axis, edge->lo),
                     sl_map_value_text(arena, axis, edge->hi));
        return;
    }
    const char *why = edge->kind == SL_MAP_FEASIBILITY ? "one of the two does not run at both"
                      : edge->kind == SL_MAP_UNTESTED  ? "too few trials for an interval"
                                                       : "no quantity lies in between";
    if (axis->numeric)
        sl_table_add(table, "[%s, %s]", from, to);
    else
        sl_table_add(table, "-");
    sl_table_add(table, "-");
    sl_table_add(table, "%s", why);
}

/* "scale.size.x 2, hbm.capacity 44GiB": what does not change along the edge. */
static const char *where(struct sl_arena *arena, const struct sl_session *session,
                         const struct sl_map *map, const struct sl_map_edge *edge)
{
    const struct sl_standings *standings = map->standings;
    const char *text = "";
    uint32_t row = standings->grouping.groups[edge->groups[0]].first_row;
    for (uint32_t a = 0; text && a < session->scenario.axis_count; a++) {
        const char *path = session->scenario.axes[a].path;
        if (!sl_axis_is_policys(path) && a != map->axes[edge->along].index)
            text = sl_arena_printf(arena, "%s%s%s %s", text, *text ? ", " : "", sl_axis_short(path),
                                   sl_frame_text_of(&standings->summary, row, path));
    }
    return sl_kept(text);
}

static void print_edges(FILE *out, struct sl_arena *arena, const struct sl_session *session,
                        const struct sl_map *map)
{
    struct sl_table table = sl_table_make(arena, "lllrl");
    uint32_t shown = map->edge_count < MAX_BOUNDARIES ? map->edge_count : MAX_BOUNDARIES;
    if (map->edge_count == 0) {
        fputs("no boundary: no two neighbouring points have different leaders\n", out);
        return;
    }
    sl_table_add(&table, "from | to");
    sl_table_add(&table, "along");
    sl_table_add(&table, "changes in");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "sampling noise");
    for (uint32_t e = 0; e < shown; e++) {
        const struct sl_map_edge *edge = &map->edges[e];
        const struct sl_map_axis *axis = &map->axes[edge->along];
        sl_table_add(&table, "%s | %s", name_of(map, edge->groups[0]),
                     name_of(map, edge->groups[1]));
        sl_table_add(&table, "%s at %s", sl_axis_short(axis->path),
                     where(arena, session, map, edge));
        add_break_even(&table, arena, axis, edge);
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (shown < map->edge_count)
        fprintf(out, "(%u more; all are in boundary.csv and with --json)\n",
                map->edge_count - shown);
}

static void print_legend(FILE *out, const struct sl_session *session, const struct sl_map *map)
{
    bool tie = false, open = false, one_course = false;
    uint32_t untested = SL_NONE;
    for (uint32_t g = 0; g < map->standings->grouping.group_count; g++) {
        tie = tie || strcmp(sl_map_verdict(map, g), "tie") == 0;
        one_course = one_course || strcmp(sl_map_verdict(map, g), "one-course") == 0;
        if (strcmp(sl_map_verdict(map, g), "not-compared") == 0)
            untested = map->standings->groups[g].untested;
    }
    for (uint32_t e = 0; e < map->edge_count; e++)
        open = open || (map->edges[e].kind == SL_MAP_CROSSING &&
                        (map->edges[e].lo_open || map->edges[e].hi_open));
    putc('\n', out);
    fprintf(out,
            "a name wins: below every other by %.3g%%, at 95%% for all points together%s; "
            "-: no policy has a figure\n",
            100 * session->scenario.objective.min_gain,
            tie ? "; ~: it has the lowest figure of a tie" : "");
    if (untested != SL_NONE)
        fprintf(out, "?: not compared: a test of %s takes %zu trials\n",
                map->standings->order[untested].name, sl_standings_needs(map->standings, untested));
    if (one_course)
        fputs(
            "?: not compared: the trials are one course of events, the lowest of which is named\n",
            out);
    if (map->edge_count == 0)
        return;
    fprintf(
        out,
        "changes in: between the last run where the first is ahead in %s and the first run where "
        "it is not%s%s\n",
        map->measure->name,
        open ? "; < and >: that run's own 95% interval holds zero, it may lie beyond" : "",
        session->args.refine > 0 ? "" : "; --refine N shrinks it");
    fputs("estimate: where the paired difference would be zero on a straight line between the two; "
          "its\nsampling noise (95%, each by itself) is not the interpolation error: the range is "
          "what was run\n",
          out);
}

void sl_report_map(FILE *out, const struct sl_session *session, const struct sl_map *map)
{
    struct sl_arena arena = {0};
    for (uint32_t m = 0; m < map->count; m++) {
        fprintf(out, "%s: who wins over %s (across) and %s (up)%s%s\n\n", session->scenario.name,
                map->axes[0].path, map->axes[1].path, *map->labels[m] ? ", at " : "",
                map->labels[m]);
        print_grid(out, &arena, map, m);
        putc('\n', out);
    }
    print_edges(out, &arena, session, map);
    print_legend(out, session, map);
    sl_report_free(&arena);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_edge(yajl_gen gen, const struct sl_map *map, const struct sl_map_edge *edge)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "along", map->axes[edge->along].path);
    sl_json_integer(gen, "from_group", edge->groups[0]);
    sl_json_integer(gen, "to_group", edge->groups[1]);
    sl_json_text(gen, "from", name_of(map, edge->groups[0]));
    sl_json_text(gen, "to", name_of(map, edge->groups[1]));
    sl_json_text(gen, "kind", sl_map_kind_name(edge->kind));
    sl_json_text(gen, "unit", map->axes[edge->along].unit);
    sl_json_number(gen, "from_at", edge->ends[0].value);
    sl_json_number(gen, "to_at", edge->ends[1].value);
    sl_json_number(gen, "at", edge->at);
    sl_json_number(gen, "lo", edge->lo);
    sl_json_number(gen, "hi", edge->hi);
    sl_json_bool(gen, "lo_open", edge->lo_open);
    sl_json_bool(gen, "hi_open", edge->hi_open);
    sl_json_integer(gen, "halvings", edge->halvings);
    yajl_gen_map_close(gen);
}

static void put_rejected(yajl_gen gen, const struct sl_map *map, const char *key, uint32_t row)
{
    double share = row == SL_NONE ? NAN : sl_row_rejected(&map->standings->summary, row);
    if (!isnan(share))
        sl_json_number(gen, key, share);
}

void sl_report_map_json(yajl_gen gen, const struct sl_map *map)
{
    sl_json_open_map(gen, "map");
    sl_json_text(gen, "across", map->axes[0].path);
    sl_json_text(gen, "up", map->axes[1].path);
    sl_json_text(gen, "measure", map->measure->name);
    sl_json_open_array(gen, "points");
    for (uint32_t g = 0; g < map->standings->grouping.group_count; g++) {
        sl_json_open_map(gen, NULL);
        sl_json_integer(gen, "group", g);
        sl_json_text(gen, "verdict", sl_map_verdict(map, g));
        sl_json_text(gen, "leader", name_of(map, g));
        sl_json_estimate_us(gen, "margin", map->margins[g]);
        put_rejected(gen, map, "leader_rejected", map->standings->groups[g].candidate);
        put_rejected(gen, map, "runner_up_rejected", map->standings->groups[g].runner_up);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "boundary");
    for (uint32_t e = 0; e < map->edge_count; e++)
        put_edge(gen, map, &map->edges[e]);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}
