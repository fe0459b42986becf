/* The report of a sweep as JSON: the rows of summary.csv, numbers as numbers. */
#include "alternatives.h"
#include "frame.h"
#include "grouping.h"
#include "json_out.h"
#include "kept.h"
#include "race_csv.h"
#include "report_shares.h"
#include "report_sweep.h"
#include "sweep_map.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Columns whose values are words even where they look like numbers. */
static bool is_word(const struct sl_scenario *scenario, const char *column)
{
    if (strcmp(column, "policy") == 0 || strcmp(column, "metric") == 0 ||
        strcmp(column, "verdict") == 0 || strcmp(column, "reason") == 0 ||
        strcmp(column, "not_varied") == 0)
        return true;
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        if (strcmp(column, scenario->axes[i].path) == 0)
            return true;
    return false;
}

static void put_cell(yajl_gen gen, const struct sl_session *session,
                     const struct sl_standings *standings, uint32_t row)
{
    const struct sl_frame *frame = &standings->summary;
    sl_json_open_map(gen, NULL);
    for (uint32_t c = 0; c < frame->column_count; c++) {
        const char *column = frame->columns[c], *text = sl_frame_text(frame, row, c);
        double number = sl_frame_number(frame, row, c);
        if (!*text)
            sl_json_text(gen, column, NULL);
        else if (is_word(&session->scenario, column) || !isfinite(number))
            sl_json_text(gen, column, text);
        else
            sl_json_raw_number(gen, column, text);
    }
    sl_json_bool(gen, "baseline", sl_row_is_baseline(session, standings, row));
    if (sl_scenario_has_jobs(&session->scenario))
        sl_json_bool(gen, "unsteady", sl_row_unsteady(frame, row));
    yajl_gen_map_close(gen);
}

static void put_row_cell(yajl_gen gen, const char *key, const struct sl_frame *frame, uint32_t row)
{
    if (row == SL_NONE)
        sl_json_text(gen, key, NULL);
    else
        sl_json_integer(gen, key, sl_row_cell(frame, row));
}

/* Where the objective has no order: the cells between which it does not choose. */
static void put_alternatives(yajl_gen gen, const struct sl_standings *standings,
                             const struct sl_alternatives *alternatives, uint32_t group)
{
    if (!alternatives->in_set)
        return;
    sl_json_text(gen, "scarcest_domain", alternatives->domains[group]);
    sl_json_open_array(gen, "pareto_cells");
    for (uint32_t row = standings->grouping.groups[group].first_row; row != SL_NONE;
         row = standings->grouping.next_row[row])
        if (alternatives->in_set[row])
            put_row_cell(gen, NULL, &standings->summary, row);
    yajl_gen_array_close(gen);
}

static bool is_tied(const struct sl_standings *standings, uint32_t row)
{
    uint32_t group = standings->grouping.group_of_row[row];
    return row != standings->groups[group].candidate && sl_standings_tied(standings, row);
}

static void put_cells(yajl_gen gen, const struct sl_standings *standings, uint32_t group,
                      const char *key, bool (*has)(const struct sl_standings *, uint32_t))
{
    sl_json_open_array(gen, key);
    for (uint32_t row = standings->grouping.groups[group].first_row; row != SL_NONE;
         row = standings->grouping.next_row[row])
        if (has(standings, row))
            put_row_cell(gen, NULL, &standings->summary, row);
    yajl_gen_array_close(gen);
}

static void put_measure(yajl_gen gen, const char *key, const struct sl_standings *standings,
                        uint32_t level)
{
    sl_json_text(gen, key, level == SL_NONE ? NULL : standings->order[level].name);
}

static void put_group(yajl_gen gen, const struct sl_standings *standings,
                      const struct sl_alternatives *alternatives, const struct sl_shares *shares,
                      uint32_t group)
{
    const struct sl_standing *standing = &standings->groups[group];
    const struct sl_frame *frame = &standings->summary;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "label", standings->grouping.groups[group].label);
    put_alternatives(gen, standings, alternatives, group);
    put_row_cell(gen, "candidate_cell", frame, standing->candidate);
    put_row_cell(gen, "runner_up_cell", frame, standing->runner_up);
    sl_json_bool(gen, "won", standing->won);
    sl_json_bool(gen, "one_course", standing->one_course);
    put_cells(gen, standings, group, "tied_cells", is_tied);
    put_measure(gen, "decided_by", standings, standing->level);
    put_cells(gen, standings, group, "among_cells", sl_standings_was_tied);
    sl_json_estimate_us(gen, "fresh_tail", standing->fresh_candidate);
    sl_json_estimate_us(gen, "fresh_runner_up_tail", standing->fresh_runner_up);
    sl_json_estimate(gen, "fresh_figure", standing->fresh_figure);
    sl_json_estimate(gen, "fresh_runner_up_figure", standing->fresh_runner_up_figure);
    sl_json_text(gen, "fresh_verdict", standing->fresh_verdict);
    sl_json_text(gen, "fresh_reason", standing->fresh_reason);
    sl_json_text(gen, "fresh_runner_up_verdict", standing->fresh_runner_up_verdict);
    sl_json_text(gen, "fresh_runner_up_reason", standing->fresh_runner_up_reason);
    put_measure(gen, "untested", standings, standing->untested);
    if (standing->untested != SL_NONE)
        sl_json_integer(gen, "least_trials",
                        (int64_t)sl_standings_needs(standings, standing->untested));
    put_measure(gen, "refuted_by", standings, standing->refuted_by);
    sl_report_shares_json(gen, shares, frame, group);
    yajl_gen_map_close(gen);
}

/* As race.csv, by cell. */
static void put_race(yajl_gen gen, const struct sl_standings *standings)
{
    sl_json_open_array(gen, "race");
    for (uint32_t row = 0; row < standings->summary.row_count; row++) {
        const struct sl_race_result *result = sl_standings_raced(standings, row);
        const struct sl_runner *runner = &result->runner;
        sl_json_open_map(gen, NULL);
        put_row_cell(gen, "cell", &standings->summary, row);
        sl_json_text(gen, "outcome", sl_race_outcome(result));
        sl_json_integer(gen, "trials", runner->trials);
        sl_json_integer(gen, "simulated", sl_race_simulated(result));
        if (result->same_as != SL_NONE)
            sl_json_integer(gen, "same_as", result->same_as);
        sl_json_number(gen, "lower_us", runner->lo);
        sl_json_number(gen, "upper_us", runner->hi);
        if (sl_race_judged(result)) {
            sl_json_integer(gen, "against_cell", runner->against);
            sl_json_number(gen, "against_lower_us", runner->leader_lo);
            sl_json_number(gen, "against_upper_us", runner->leader_hi);
        }
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_seed(yajl_gen gen, const char *key, uint64_t seed)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    sl_json_raw_number(gen, key, digits);
}

enum sl_status sl_report_sweep_json(FILE *out, const struct sl_session *session,
                                    const struct sl_standings *standings,
                                    const struct sl_shares *shares, const struct sl_map *map,
                                    struct sl_error *err)
{
    const struct sl_frame *frame = &standings->summary;
    struct sl_arena arena = {0};
    struct sl_alternatives alternatives = {0};
    enum sl_status status = SL_OK;
    if (session->scenario.objective.order_count == 0)
        status = sl_alternatives_find(&alternatives, frame, &standings->grouping, &arena, err);
    yajl_gen gen = status == SL_OK ? sl_json_create() : NULL;
    if (!gen) {
        sl_report_free(&arena);
        return status == SL_OK ? SL_FAIL(err, SL_SYSTEM, "out of memory") : status;
    }
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "scenario", session->scenario.name);
    put_seed(gen, "seed", sl_session_seed(session));
    put_seed(gen, "fresh_seed", sl_fresh_seed(standings->rule.seed));
    sl_json_open_array(gen, "order");
    for (uint32_t l = 0; l < session->scenario.objective.order_count; l++)
        sl_json_text(gen, NULL, session->scenario.objective.order[l].name);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "cells");
    for (uint32_t row = 0; row < frame->row_count; row++)
        put_cell(gen, session, standings, row);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "groups");
    for (uint32_t g = 0; g < standings->grouping.group_count; g++)
        put_group(gen, standings, &alternatives, shares, g);
    yajl_gen_array_close(gen);
    if (standings->race)
        put_race(gen, standings);
    if (map)
        sl_report_map_json(gen, map);
    yajl_gen_map_close(gen);
    sl_report_free(&arena);
    return sl_json_finish(gen, out, err);
}
