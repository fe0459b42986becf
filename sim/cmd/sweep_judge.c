/* Judging a sweep. */
#include "config.h"

#include "compare_csv.h"
#include "progress.h"
#include "race_csv.h"
#include "report_sweep.h"
#include "result_parts.h"
#include "sweep_judge.h"
#include "sweep_map.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_sweep_judge_keep(struct sl_session *session, const struct sl_cell *cell,
                                   struct sl_error *err)
{
    struct sl_sweep_judge *judge = session->user;
    enum sl_status status = sl_draw_store_keep(&judge->draws, cell, err);
    if (status == SL_OK && !judge->store.items)
        status = sl_metric_store_open(&judge->store, &session->scenario, err);
    return status == SL_OK ? sl_metric_store_keep(&judge->store, cell, err) : status;
}

enum sl_status sl_sweep_judge_pack(const struct sl_session *session, const struct sl_cell *cell,
                                   struct sl_wire *wire, struct sl_error *err)
{
    struct sl_draw_store draws = {0};
    struct sl_metric_store store = {0};
    struct sl_cell only = *cell; /* of stores that hold one cell */
    only.spec.index = 0;
    enum sl_status status = sl_draw_store_keep(&draws, &only, err);
    if (status == SL_OK)
        status = sl_draw_store_exchange(&draws, 0, wire, err);
    if (status == SL_OK)
        status = sl_metric_store_open(&store, &session->scenario, err);
    if (status == SL_OK)
        status = sl_metric_store_keep(&store, &only, err);
    if (status == SL_OK)
        status = sl_metric_store_exchange(&store, 0, wire, err);
    sl_metric_store_free(&store);
    sl_draw_store_free(&draws);
    return status;
}

enum sl_status sl_sweep_judge_take(struct sl_session *session, uint32_t cell, struct sl_wire *wire,
                                   struct sl_error *err)
{
    struct sl_sweep_judge *judge = session->user;
    enum sl_status status = sl_draw_store_exchange(&judge->draws, cell, wire, err);
    if (status == SL_OK && !judge->store.items)
        status = sl_metric_store_open(&judge->store, &session->scenario, err);
    return status == SL_OK ? sl_metric_store_exchange(&judge->store, cell, wire, err) : status;
}

static bool row_is_ok(const struct sl_frame *summary, uint32_t row)
{
    return strcmp(sl_frame_text_of(summary, row, "verdict"), "ok") == 0;
}

/* Kept rows come from files: what they say of cells and trials becomes indices. */
static enum sl_status check_rows(const struct sl_session *session, const struct sl_frame *summary,
                                 struct sl_error *err)
{
    const struct sl_run_options *options = &session->args.options;
    double trials = sl_asked_trials(options, &session->scenario);
    for (uint32_t row = 0; row < summary->row_count; row++) {
        double cell = sl_frame_number_of(summary, row, "cell");
        bool known = cell >= 0 && cell < session->line_count;
        double got = sl_frame_number_of(summary, row, "trials");
        bool may_be_fewer = session->args.race || options->until.width > 0;
        if (!known || (row_is_ok(summary, row) &&
                       (may_be_fewer ? !(got >= 1 && got <= trials) : got != trials)))
            return SL_FAIL(err, SL_SYSTEM, "%s: row %u of summary.csv is damaged",
                           session->args.dir ? session->args.dir : "the sweep", row + 1);
    }
    return SL_OK;
}

static enum sl_status make_groups(const struct sl_session *session, struct sl_standings *standings,
                                  struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    const char **axes =
        sl_arena_array(&standings->arena, (size_t)scenario->axis_count + 1, sizeof *axes);
    if (!axes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        axes[i] = scenario->axes[i].path;
    enum sl_status status = sl_session_frame(session, &standings->summary, err);
    if (status == SL_OK)
        status = check_rows(session, &standings->summary, err);
    return status == SL_OK ? sl_grouping_make(&standings->grouping, &standings->summary, axes,
                                              scenario->axis_count, &standings->arena, err)
                           : status;
}

/* The cells that an earlier run left in the folder. */
static enum sl_status load_kept(const struct sl_session *session, struct sl_sweep_judge *judge,
                                struct sl_error *err)
{
    const struct sl_frame *summary = &judge->standings.summary;
    enum sl_status status = SL_OK;
    long position = 0;
    for (uint32_t row = 0; status == SL_OK && row < summary->row_count; row++) {
        uint32_t cell = sl_row_cell(summary, row);
        uint32_t trials = (uint32_t)sl_frame_number_of(summary, row, "trials");
        if (row_is_ok(summary, row) && !sl_metric_store_get(&judge->store, cell) &&
            !judge->store.full)
            status = sl_metric_store_load(&judge->store, session->args.dir, cell, trials, &position,
                                          err);
    }
    return status;
}

static enum sl_status count_shares(const struct sl_session *session, struct sl_sweep_judge *judge,
                                   struct sl_error *err)
{
    const struct sl_frame *summary = &judge->standings.summary;
    enum sl_status status = SL_OK;
    for (uint32_t row = 0; status == SL_OK && row < summary->row_count; row++) {
        double draws = sl_frame_number_of(summary, row, "outer_draws");
        uint32_t cell = sl_row_cell(summary, row);
        if (draws > 0 && !sl_draw_store_get(&judge->draws, cell).tail_us)
            status =
                sl_draw_store_load(&judge->draws, session->args.dir, cell, (uint32_t)draws, err);
    }
    return status == SL_OK
               ? sl_shares_count(&judge->shares, summary, &judge->standings.grouping, &judge->draws,
                                 session->scenario.objective.min_gain, err)
               : status;
}

/* Cells to run again, and their lines of summary.csv. */
struct rerun {
    bool *wanted;
    char **lines;
    uint32_t count;
    const struct sl_scenario *scenario;
};

static bool is_unwanted(void *user, const struct sl_cell_spec *spec)
{
    const struct rerun *rerun = user;
    return spec->index >= rerun->count || !rerun->wanted[spec->index];
}

static enum sl_status take_line(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct rerun *rerun = user;
    return sl_summary_line(&rerun->lines[cell->spec.index], cell, err);
}

static enum sl_status take_packed_line(void *user, const struct sl_cell_spec *spec,
                                       struct sl_wire *wire, struct sl_error *err)
{
    struct rerun *rerun = user;
    rerun->lines[spec->index] = strdup(sl_wire_text(wire, NULL));
    return rerun->lines[spec->index] ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

static enum sl_status run_again(const struct sl_session *session, const char *path,
                                struct rerun *rerun, struct sl_error *err)
{
    struct sl_diags again = {0}; /* said before */
    struct sl_sweep_totals totals;
    struct sl_sweep_request request = {
        .path = path,
        .overrides = session->args.overrides,
        .override_count = session->args.override_count,
        .loaded = &session->scenario,
        .policies = session->args.policies,
        .policy_count = session->args.policy_count,
        .options = session->args.options,
        .sink = take_line,
        .skip = is_unwanted,
        .ranks = session->ranks,
        .take = take_packed_line,
        .form = SL_SESSION_LINE,
        .user = rerun,
    };
    request.options.nominal = true;
    request.options.seed_given = true;
    request.options.seed = sl_fresh_seed(sl_session_seed(session));
    request.options.progress = sl_progress;
    sl_progress_start("cells");
    enum sl_status status = sl_sweep_run(&request, &totals, &again, err);
    sl_progress_end();
    sl_diags_free(&again);
    return status == SL_NO ? SL_OK : status;
}

/* Rows are in the order of their cells. */
static uint32_t row_of_cell(const struct sl_frame *frame, uint32_t cell)
{
    uint32_t low = 0, high = frame->row_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sl_row_cell(frame, middle) < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < frame->row_count && sl_row_cell(frame, low) == cell ? low : SL_NONE;
}

static enum sl_status confirm(const struct rerun *rerun, struct sl_standings *standings,
                              struct sl_error *err)
{
    struct sl_frame fresh = {0};
    enum sl_status status =
        sl_lines_frame(rerun->scenario, rerun->lines, rerun->count, &fresh, err);
    for (uint32_t g = 0; status == SL_OK && g < standings->grouping.group_count; g++) {
        const struct sl_standing *standing = &standings->groups[g];
        if (sl_standings_awaits(standings, g))
            status = sl_standings_confirm(
                standings, g, &fresh,
                row_of_cell(&fresh, sl_row_cell(&standings->summary, standing->candidate)),
                row_of_cell(&fresh, sl_row_cell(&standings->summary, standing->runner_up)), err);
    }
    sl_frame_free(&fresh);
    return status;
}

/* Winners were chosen for their low figures on the first seed: what is told of them and their
 * runners-up comes from draws that did not choose. */
static enum sl_status reestimate(const struct sl_session *session, struct sl_sweep_judge *judge,
                                 struct sl_error *err)
{
    struct sl_standings *standings = &judge->standings;
    const struct sl_frame *summary = &standings->summary;
    struct rerun rerun = {.count = session->line_count, .scenario = &session->scenario};
    bool any = false;
    rerun.wanted = sl_arena_array(&standings->arena, (size_t)rerun.count + 1, sizeof(bool));
    rerun.lines = sl_arena_array(&standings->arena, (size_t)rerun.count + 1, sizeof(char *));
    if (!rerun.wanted || !rerun.lines)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t g = 0; g < standings->grouping.group_count; g++) {
        if (!sl_standings_awaits(standings, g))
            continue;
        any = true;
        rerun.wanted[sl_row_cell(summary, standings->groups[g].candidate)] = true;
        rerun.wanted[sl_row_cell(summary, standings->groups[g].runner_up)] = true;
    }
    enum sl_status status = any ? run_again(session, judge->path, &rerun, err) : SL_OK;
    if (status == SL_OK && any)
        status = confirm(&rerun, standings, err);
    for (uint32_t i = 0; i < rerun.count; i++)
        free(rerun.lines[i]);
    return status;
}

/* Of replications of jobs: the mean of each, its median, and its tail where that is p90 or p99. */
static void enter_jobs(struct sl_contender *contender, const struct sl_metric_store *store,
                       double tail)
{
    static const struct sl_order_item mean = {SL_MEASURE_MEAN, SL_NONE, "mean"};
    static const struct sl_order_item median = {SL_MEASURE_MEDIAN, SL_NONE, "median"};
    uint32_t cell = contender->cell;
    contender->jobs = true;
    contender->metric_us = sl_metric_store_get_of(store, cell, &mean);
    contender->own_us[SL_PAIRED_MEDIAN] = sl_metric_store_get_of(store, cell, &median);
    for (int f = SL_PAIRED_P90; f <= SL_PAIRED_P99; f++)
        if (sl_paired_quantile((enum sl_paired_figure)f) == tail)
            contender->own_us[f] = sl_metric_store_get_of(store, cell, &sl_order_tail);
}

static enum sl_status enter(const struct sl_session *session, struct sl_contest *contest,
                            const struct sl_sweep_judge *judge, uint32_t row, struct sl_error *err)
{
    const struct sl_frame *summary = &judge->standings.summary;
    struct sl_draw_tails tails = sl_draw_store_get(&judge->draws, sl_row_cell(summary, row));
    struct sl_contender contender = {
        .draw_tails_us = tails.tail_us,
        .draws = tails.draws,
        .policy = sl_frame_text_of(summary, row, "policy"),
        .reason = "",
        .cell = sl_row_cell(summary, row),
        .trials = (uint32_t)sl_frame_number_of(summary, row, "trials"),
        .verdict = SL_VERDICT_OK,
        .metric_us = sl_metric_store_get(&judge->store, sl_row_cell(summary, row)),
    };
    if (sl_scenario_has_jobs(&session->scenario))
        enter_jobs(&contender, &judge->store, session->scenario.objective.tail);
    return sl_contest_enter(contest, &contender, err);
}

/* compare.csv: every cell that is ok against the baseline of its group. */
static enum sl_status compare_with_baseline(const struct sl_session *session,
                                            const struct sl_sweep_judge *judge, uint32_t group,
                                            struct sl_contest *contest, struct sl_error *err)
{
    const struct sl_frame *summary = &judge->standings.summary;
    const struct sl_grouping *grouping = &judge->standings.grouping;
    uint32_t first = grouping->groups[group].first_row, base = first, reference = contest->count;
    while (base != SL_NONE && !sl_row_is_baseline(session, &judge->standings, base))
        base = grouping->next_row[base];
    if (base == SL_NONE)
        return SL_OK;
    enum sl_status status = enter(session, contest, judge, base, err);
    for (uint32_t row = first; status == SL_OK && row != SL_NONE; row = grouping->next_row[row]) {
        if (row == base || !sl_row_ranks(summary, row))
            continue;
        status = enter(session, contest, judge, row, err);
        if (status == SL_OK)
            status =
                sl_contest_match(contest, contest->count - 1, reference, sl_session_seed(session),
                                 session->scenario.objective.min_gain, err);
    }
    return status;
}

static enum sl_status write_files(const struct sl_session *session,
                                  const struct sl_sweep_judge *judge, struct sl_error *err)
{
    struct sl_contest contest = {0};
    enum sl_status status = SL_OK;
    for (uint32_t g = 0; status == SL_OK && g < judge->standings.grouping.group_count; g++)
        if (!judge->standings.too_large)
            status = compare_with_baseline(session, judge, g, &contest, err);
    if (status == SL_OK)
        status = sl_compare_csv_write(session->args.dir, &contest, err);
    if (status == SL_OK)
        status = sl_standings_write(&judge->standings, session->args.dir, err);
    if (status == SL_OK && judge->shares.groups)
        status = sl_shares_write(&judge->shares, &judge->standings.summary,
                                 &judge->standings.grouping, session->args.dir, err);
    if (status == SL_OK && session->args.race)
        status = sl_race_csv_write(&judge->standings, session->args.dir, err);
    if (status == SL_OK && session->args.map)
        status = sl_map_write(&judge->map, &session->scenario, session->args.dir, err);
    sl_contest_free(&contest);
    return status;
}

enum sl_status sl_sweep_judge_all(struct sl_session *session, struct sl_error *err)
{
    struct sl_sweep_judge *judge = session->user;
    struct sl_winner_rule rule = {
        .q = session->scenario.objective.tail,
        .min_gain = session->scenario.objective.min_gain,
        .seed = sl_session_seed(session),
    };
    judge->standings.race = session->args.race ? &session->race : NULL;
    judge->standings.order = session->scenario.objective.order;
    judge->standings.order_count = session->scenario.objective.order_count;
    enum sl_status status =
        judge->store.items ? SL_OK : sl_metric_store_open(&judge->store, &session->scenario, err);
    if (status == SL_OK)
        status = make_groups(session, &judge->standings, err);
    if (status == SL_OK)
        status = load_kept(session, judge, err);
    if (status == SL_OK)
        status = sl_standings_judge(&judge->standings, &rule, &judge->store, err);
    if (status == SL_OK)
        status = count_shares(session, judge, err);
    if (status == SL_OK)
        status = reestimate(session, judge, err);
    if (status == SL_OK && session->args.map && judge->standings.too_large)
        status = SL_FAIL(err, SL_SYSTEM,
                         "the trials of all cells do not fit in memory, and a map "
                         "compares them; give fewer --trials or cells");
    if (status == SL_OK && session->args.map)
        status = sl_sweep_map_make(&judge->map, session, judge->path, &judge->standings,
                                   &judge->store, err);
    if (status == SL_OK && session->results && !sl_results_finished(session->results))
        status = write_files(session, judge, err);
    return status;
}

void sl_sweep_judge_free(struct sl_sweep_judge *judge)
{
    sl_metric_store_free(&judge->store);
    sl_standings_free(&judge->standings);
    sl_draw_store_free(&judge->draws);
    sl_shares_free(&judge->shares);
    sl_map_free(&judge->map);
}
