/* Winners and tie sets of a sweep. */
#include "standings.h"
#include "figures.h"
#include "outfile.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY_ERROR 0.05 /* of naming any false winner in the whole sweep */

uint64_t sl_fresh_seed(uint64_t seed)
{
    char text[48];
    snprintf(text, sizeof text, "re-estimate %llu", (unsigned long long)seed);
    return sl_hash_text(text) >> 1; /* --seed takes 63 bits */
}

const struct sl_race_result *sl_standings_raced(const struct sl_standings *standings, uint32_t row)
{
    uint32_t cell = sl_row_cell(&standings->summary, row);
    return standings->race && cell < standings->race->cells ? &standings->race->results[cell]
                                                            : NULL;
}

static bool raced_to(const struct sl_standings *standings, uint32_t row, enum sl_race_state state)
{
    const struct sl_race_result *result = sl_standings_raced(standings, row);
    return result && result->ran && result->runner.state == state;
}

bool sl_standings_competes(const struct sl_standings *standings, uint32_t row)
{
    const struct sl_frame *summary = &standings->summary;
    return strcmp(sl_frame_text_of(summary, row, "verdict"), "ok") == 0 &&
           (raced_to(standings, row, SL_RACE_DROPPED) ||
            isfinite(sl_order_estimate(summary, row, &standings->order[0]).value));
}

static const struct sl_standing *standing_of(const struct sl_standings *standings, uint32_t row)
{
    return &standings->groups[standings->grouping.group_of_row[row]];
}

static bool is_left(const struct sl_standings *standings, uint32_t row)
{
    return sl_standings_competes(standings, row) && standings->dropped_at[row] == SL_NONE;
}

bool sl_standings_tied(const struct sl_standings *standings, uint32_t row)
{
    return is_left(standings, row) && standing_of(standings, row)->untested == SL_NONE;
}

bool sl_standings_uncompared(const struct sl_standings *standings, uint32_t row)
{
    return is_left(standings, row) && standing_of(standings, row)->untested != SL_NONE;
}

bool sl_standings_was_tied(const struct sl_standings *standings, uint32_t row)
{
    const struct sl_standing *standing = standing_of(standings, row);
    uint32_t level = standing->untested == SL_NONE ? standing->level : standing->untested;
    return sl_standings_competes(standings, row) && level != SL_NONE &&
           standings->dropped_at[row] >= level;
}

/* What the judge of one group works on: the rows that compete, and by level their values. */
struct field {
    uint32_t *rows, *dropped_at;
    struct sl_level *levels;
    const double **samples; /* of all levels */
    double *figures;
    uint32_t count;
};

static bool field_init(struct field *field, size_t rows, size_t levels)
{
    field->rows = calloc(rows + 1, sizeof *field->rows);
    field->dropped_at = calloc(rows + 1, sizeof *field->dropped_at);
    field->levels = calloc(levels + 1, sizeof *field->levels);
    field->samples = calloc(rows * levels + 1, sizeof *field->samples);
    field->figures = calloc(rows * levels + 1, sizeof *field->figures);
    return field->rows && field->dropped_at && field->levels && field->samples && field->figures;
}

static void field_free(struct field *field)
{
    free(field->rows);
    free(field->dropped_at);
    free(field->levels);
    free(field->samples);
    free(field->figures);
}

static void gather(struct field *field, const struct sl_standings *standings, uint32_t group,
                   const struct sl_metric_store *store)
{
    const struct sl_frame *summary = &standings->summary;
    field->count = 0;
    for (uint32_t row = standings->grouping.groups[group].first_row; row != SL_NONE;
         row = standings->grouping.next_row[row])
        if (sl_standings_competes(standings, row) && !raced_to(standings, row, SL_RACE_DROPPED) &&
            !raced_to(standings, row, SL_RACE_SETTLED))
            field->rows[field->count++] = row;
    for (uint32_t l = 0; l < standings->order_count; l++) {
        const struct sl_order_item *item = &standings->order[l];
        const double **samples = &field->samples[(size_t)l * field->count];
        double *figures = &field->figures[(size_t)l * field->count];
        for (uint32_t i = 0; i < field->count; i++) {
            samples[i] = sl_metric_store_get_of(store, sl_row_cell(summary, field->rows[i]), item);
            figures[i] = sl_order_estimate(summary, field->rows[i], item).value;
        }
        field->levels[l] = (struct sl_level){
            .figure = sl_order_figure(item, standings->jobs),
            .q = sl_order_quantile(item, standings->rule.q),
            .samples = samples,
            .figures = figures,
        };
    }
}

/* Takes in what the race decided: cells that it settled tie with the candidate, and where it left
 * one alone, that one wins.  Dropped rows come behind, by their lower limits. */
static void add_raced(struct sl_standings *standings, uint32_t group, uint32_t in_field)
{
    struct sl_standing *standing = &standings->groups[group];
    double lowest = (double)INFINITY;
    uint32_t next = SL_NONE, dropped = 0;
    bool settled = false;
    for (uint32_t row = standings->grouping.groups[group].first_row; row != SL_NONE;
         row = standings->grouping.next_row[row]) {
        if (!sl_standings_competes(standings, row))
            continue;
        settled = settled || raced_to(standings, row, SL_RACE_SETTLED);
        if (!raced_to(standings, row, SL_RACE_DROPPED))
            continue;
        dropped++;
        standings->dropped_at[row] = 0;
        if (sl_standings_raced(standings, row)->runner.lo < lowest) {
            lowest = sl_standings_raced(standings, row)->runner.lo;
            next = row;
        }
    }
    if (settled) {
        standing->won = false;
        standing->level = SL_NONE;
    }
    if (in_field == 1)
        standing->runner_up = next;
    if (standing->level == 0)
        standing->among += dropped;
}

/* Whether the trials of a cell that competes are one course of events. */
static bool has_one_course(const struct sl_standings *standings, const struct field *field,
                           const struct sl_metric_store *store, size_t trials)
{
    static const struct sl_order_item mean = {SL_MEASURE_MEAN, SL_NONE, "mean"};
    const char *blocks = sl_series_method_name(SL_SERIES_BLOCKS);
    bool found = false;
    for (uint32_t i = 0; store->jobs && !found && i < field->count; i++) {
        uint32_t row = field->rows[i];
        const double *means =
            sl_metric_store_get_of(store, sl_row_cell(&standings->summary, row), &mean);
        found = (means && trials > 1 && sl_paired_is_constant(means, trials)) ||
                strcmp(sl_frame_text_of(&standings->summary, row, "interval_method"), blocks) == 0;
    }
    return found;
}

/* The first trials, which all of them have. */
static size_t common_trials(const struct sl_frame *summary, const struct field *field)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < field->count; i++)
        least = fmin(least, sl_frame_number_of(summary, field->rows[i], "trials"));
    return (size_t)least;
}

static enum sl_status judge_group(struct sl_standings *standings, uint32_t group,
                                  struct field *field, const struct sl_metric_store *store,
                                  struct sl_error *err)
{
    struct sl_lexicographic result;
    struct sl_standing *standing = &standings->groups[group];
    gather(field, standings, group, store);
    if (field->count == 0)
        return SL_OK;
    size_t trials = common_trials(&standings->summary, field);
    standing->one_course = has_one_course(standings, field, store, trials);
    bool judged = !standings->too_large && !standing->one_course;
    uint32_t levels = judged ? standings->order_count : 0;
    enum sl_status status =
        sl_lexicographic_judge(&result, field->levels, levels, field->count, trials,
                               &standings->rule, field->dropped_at, err);
    if (status != SL_OK)
        return status;
    standing->candidate = field->rows[result.candidate];
    standing->runner_up = result.runner_up == SL_NONE ? SL_NONE : field->rows[result.runner_up];
    standing->won = result.won;
    standing->level = result.level;
    standing->untested = result.untested;
    standing->among = result.among;
    for (uint32_t i = 0; i < field->count; i++)
        standings->dropped_at[field->rows[i]] = field->dropped_at[i];
    if (standings->race)
        add_raced(standings, group, field->count);
    if (standing->runner_up == SL_NONE) { /* alone: nothing is shown */
        standing->won = false;
        standing->level = SL_NONE;
    }
    return SL_OK;
}

/* The cells of all groups and the levels share the error (lexicographic.h). */
static void share_error(struct sl_standings *standings)
{
    for (uint32_t row = 0; row < standings->summary.row_count; row++)
        if (sl_standings_competes(standings, row))
            standings->groups[standings->grouping.group_of_row[row]].ranked++;
    for (uint32_t g = 0; g < standings->grouping.group_count; g++)
        if (standings->groups[g].ranked > 1)
            standings->ranked += standings->groups[g].ranked;
    double tests = (double)standings->order_count * standings->ranked;
    double error = FAMILY_ERROR - (standings->race ? standings->race->rule.error : 0);
    standings->rule.error = error / (standings->ranked ? tests : 1);
}

size_t sl_standings_needs(const struct sl_standings *standings, uint32_t level)
{
    const struct sl_order_item *item = &standings->order[level];
    return sl_winner_needs(sl_order_figure(item, standings->jobs),
                           sl_order_quantile(item, standings->rule.q), standings->rule.error);
}

static enum sl_status prepare(struct sl_standings *standings, struct sl_error *err)
{
    uint32_t groups = standings->grouping.group_count, rows = standings->summary.row_count;
    if (standings->order_count == 0) {
        standings->order = &sl_order_tail;
        standings->order_count = 1;
    }
    standings->groups =
        sl_arena_array(&standings->arena, (size_t)groups + 1, sizeof *standings->groups);
    standings->dropped_at =
        sl_arena_array(&standings->arena, (size_t)rows + 1, sizeof *standings->dropped_at);
    if (!standings->groups || !standings->dropped_at)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t row = 0; row < rows; row++)
        standings->dropped_at[row] = SL_NONE;
    for (uint32_t g = 0; g < groups; g++)
        standings->groups[g] = (struct sl_standing){
            .candidate = SL_NONE,
            .runner_up = SL_NONE,
            .level = SL_NONE,
            .untested = SL_NONE,
            .refuted_by = SL_NONE,
            .fresh_candidate = SL_NO_ESTIMATE,
            .fresh_runner_up = SL_NO_ESTIMATE,
            .fresh_figure = SL_NO_ESTIMATE,
            .fresh_runner_up_figure = SL_NO_ESTIMATE,
        };
    share_error(standings);
    return SL_OK;
}

enum sl_status sl_standings_judge(struct sl_standings *standings, const struct sl_winner_rule *rule,
                                  const struct sl_metric_store *store, struct sl_error *err)
{
    struct field field = {0};
    standings->too_large = store->full;
    standings->jobs = store->jobs;
    standings->rule = *rule;
    enum sl_status status = prepare(standings, err);
    if (status == SL_OK &&
        !field_init(&field, standings->summary.row_count, standings->order_count))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t g = 0; status == SL_OK && g < standings->grouping.group_count; g++)
        status = judge_group(standings, g, &field, store, err);
    field_free(&field);
    return status;
}

bool sl_standings_awaits(const struct sl_standings *standings, uint32_t group)
{
    return standings->groups[group].won;
}

/* A cell without a figure on the fresh seed, as it deadlocks there, has an infinite one. */
static struct sl_estimate fresh_estimate(const struct sl_frame *fresh, uint32_t row,
                                         const struct sl_order_item *item)
{
    const struct sl_estimate lost = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
    struct sl_estimate estimate = row == SL_NONE ? lost : sl_order_estimate(fresh, row, item);
    return isnan(estimate.value) ? lost : estimate;
}

/* A copy in the arena that outlives the frame; NULL: out of memory. */
static const char *fresh_text(struct sl_standings *standings, const struct sl_frame *fresh,
                              uint32_t row, const char *column)
{
    return sl_arena_printf(&standings->arena, "%s",
                           row == SL_NONE ? "" : sl_frame_text_of(fresh, row, column));
}

/* A is above b by min_gain, also where both intervals have them closest. */
static bool is_above(struct sl_estimate a, struct sl_estimate b, double min_gain)
{
    double least = isnan(a.lo) ? a.value : a.lo, most = isnan(b.hi) ? b.value : b.hi;
    return most < (1 - min_gain) * least;
}

static bool take_verdicts(struct sl_standings *standings, struct sl_standing *standing,
                          const struct sl_frame *fresh, uint32_t candidate, uint32_t runner_up)
{
    standing->fresh_verdict = fresh_text(standings, fresh, candidate, "verdict");
    standing->fresh_reason = fresh_text(standings, fresh, candidate, "reason");
    standing->fresh_runner_up_verdict = fresh_text(standings, fresh, runner_up, "verdict");
    standing->fresh_runner_up_reason = fresh_text(standings, fresh, runner_up, "reason");
    return standing->fresh_verdict && standing->fresh_reason && standing->fresh_runner_up_verdict &&
           standing->fresh_runner_up_reason;
}

static void find_refutation(const struct sl_standings *standings, struct sl_standing *standing,
                            const struct sl_frame *fresh, uint32_t candidate, uint32_t runner_up)
{
    for (uint32_t l = 0; l < standing->level && standing->refuted_by == SL_NONE; l++) {
        standing->refuting = fresh_estimate(fresh, candidate, &standings->order[l]);
        standing->refuting_runner_up = fresh_estimate(fresh, runner_up, &standings->order[l]);
        if (is_above(standing->refuting, standing->refuting_runner_up, standings->rule.min_gain))
            standing->refuted_by = l;
    }
}

enum sl_status sl_standings_confirm(struct sl_standings *standings, uint32_t group,
                                    const struct sl_frame *fresh, uint32_t candidate,
                                    uint32_t runner_up, struct sl_error *err)
{
    struct sl_standing *standing = &standings->groups[group];
    const struct sl_order_item *decided = &standings->order[standing->level];
    if (!take_verdicts(standings, standing, fresh, candidate, runner_up))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    standing->fresh_candidate = fresh_estimate(fresh, candidate, &sl_order_tail);
    standing->fresh_runner_up = fresh_estimate(fresh, runner_up, &sl_order_tail);
    standing->fresh_figure = fresh_estimate(fresh, candidate, decided);
    standing->fresh_runner_up_figure = fresh_estimate(fresh, runner_up, decided);
    bool ok = strcmp(standing->fresh_verdict, "ok") == 0;
    if (ok && strcmp(standing->fresh_runner_up_verdict, "ok") == 0) {
        standing->won = standing->fresh_figure.value <
                        (1 - standings->rule.min_gain) * standing->fresh_runner_up_figure.value;
        find_refutation(standings, standing, fresh, candidate, runner_up);
    } else {
        standing->won = ok;
    }
    standing->won = standing->won && standing->refuted_by == SL_NONE;
    standing->not_confirmed = !standing->won;
    return SL_OK;
}

static void put_row_name(FILE *out, const struct sl_frame *summary, uint32_t row)
{
    sl_put_text(out, row == SL_NONE ? NULL : sl_frame_text_of(summary, row, "cell"));
    sl_put_text(out, row == SL_NONE ? NULL : sl_frame_text_of(summary, row, "policy"));
}

/* Of a group the cells besides the candidate that are tied at the end, or all cells that came to
 * the level that decided, or was not tested. */
static void put_cells(FILE *out, const struct sl_standings *standings, uint32_t group,
                      bool at_the_end)
{
    const char *separator = "";
    putc(',', out);
    for (uint32_t row = standings->grouping.groups[group].first_row; row != SL_NONE;
         row = standings->grouping.next_row[row]) {
        bool listed = at_the_end ? row != standings->groups[group].candidate &&
                                       sl_standings_tied(standings, row)
                                 : sl_standings_was_tied(standings, row);
        if (!listed)
            continue;
        fprintf(out, "%s%s", separator, sl_frame_text_of(&standings->summary, row, "cell"));
        separator = ";";
    }
}

/* "tail;peak.hbm" */
static const char *order_text(const struct sl_standings *standings, struct sl_arena *arena)
{
    const char *names = "";
    for (uint32_t l = 0; names && l < standings->order_count; l++)
        names = sl_arena_printf(arena, "%s%s%s", names, l > 0 ? ";" : "", standings->order[l].name);
    return names;
}

static void put_measure(FILE *out, const struct sl_standings *standings, uint32_t level)
{
    sl_put_text(out, level == SL_NONE ? NULL : standings->order[level].name);
}

static void put_group(FILE *out, const struct sl_standings *standings, uint32_t group,
                      const char *order)
{
    const struct sl_standing *standing = &standings->groups[group];
    fprintf(out, "%u", group);
    sl_put_text(out, standings->grouping.groups[group].label);
    sl_put_integer(out, standing->ranked);
    put_row_name(out, &standings->summary, standing->candidate);
    sl_put_integer(out, standing->won);
    put_cells(out, standings, group, true);
    put_row_name(out, &standings->summary, standing->runner_up);
    sl_put_number(out, standings->rule.error);
    sl_put_number(out, standings->rule.min_gain);
    sl_put_estimate(out, standing->fresh_candidate);
    sl_put_estimate(out, standing->fresh_runner_up);
    sl_put_text(out, order);
    put_measure(out, standings, standing->level);
    put_cells(out, standings, group, false);
    sl_put_estimate(out, standing->fresh_figure);
    sl_put_estimate(out, standing->fresh_runner_up_figure);
    sl_put_text(out, standing->fresh_verdict);
    sl_put_text(out, standing->fresh_runner_up_verdict);
    put_measure(out, standings, standing->untested);
    if (standing->untested == SL_NONE)
        sl_put_text(out, NULL);
    else
        sl_put_integer(out, (int64_t)sl_standings_needs(standings, standing->untested));
    put_measure(out, standings, standing->refuted_by);
    sl_put_integer(out, standing->one_course);
    putc('\n', out);
}

enum sl_status sl_standings_write(const struct sl_standings *standings, const char *dir,
                                  struct sl_error *err)
{
    struct sl_arena arena = {0};
    const char *order = order_text(standings, &arena);
    struct sl_outfile file;
    enum sl_status status = order ? sl_outfile_open_in(&file, dir, "winners.csv", err)
                                  : SL_FAIL(err, SL_SYSTEM, "out of memory for winners.csv");
    if (status != SL_OK) {
        sl_arena_free(&arena);
        return status;
    }
    fputs(
        "group,label,cells,candidate_cell,candidate,won,tied_cells,runner_up_cell,runner_up,error,"
        "min_gain,fresh_tail_us,fresh_tail_lo_us,fresh_tail_hi_us,fresh_runner_up_us,"
        "fresh_runner_up_lo_us,fresh_runner_up_hi_us,order,decided_by,among_cells,fresh_figure,"
        "fresh_figure_lo,fresh_figure_hi,fresh_runner_up_figure,fresh_runner_up_figure_lo,"
        "fresh_runner_up_figure_hi,fresh_verdict,fresh_runner_up_verdict,untested,least_trials,"
        "refuted_by,one_course\n",
        file.stream);
    for (uint32_t g = 0; g < standings->grouping.group_count; g++)
        put_group(file.stream, standings, g, order);
    sl_arena_free(&arena);
    return sl_outfile_commit(&file, err);
}

void sl_standings_free(struct sl_standings *standings)
{
    sl_frame_free(&standings->summary);
    sl_arena_free(&standings->arena);
    *standings = (struct sl_standings){0};
}
