/* Which policy a results folder selects at a point: the sweep's winner, what decided a tie, the
 * lowest of a tie set, or the one that the command line names. */
#include "config.h"

#include "decide_source.h"
#include "grouping.h"
#include "order_figures.h"
#include "quantile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct sl_arena *arena_of(struct sl_decide_source *source)
{
    return &source->session->args.arena;
}

static bool row_is_at_point(const struct sl_decide_source *source, uint32_t row)
{
    for (uint32_t a = 0; a < source->axis_count; a++) {
        const char *text = sl_frame_text_of(&source->summary, row, source->axis_paths[a]);
        bool policys = sl_axis_is_policys(source->axis_paths[a]);
        if (source->point_texts[a] && strcmp(text, source->point_texts[a]) != 0 &&
            !(policys && !*text)) /* the axis does not apply to the policy */
            return false;
    }
    return true;
}

/* By the number of its cell; SL_NONE. */
static uint32_t row_of_cell(const struct sl_frame *summary, double cell)
{
    for (uint32_t row = 0; row < summary->row_count; row++)
        if (sl_frame_number_of(summary, row, "cell") == cell)
            return row;
    return SL_NONE;
}

/* The selected cell's values of policies' axes. */
static enum sl_status take_axes(struct sl_decide_source *source, uint32_t row, struct sl_error *err)
{
    source->policy_axes =
        sl_arena_array(arena_of(source), (size_t)source->axis_count + 1, sizeof(char *));
    if (!source->policy_axes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t a = 0; a < source->axis_count; a++)
        if (sl_axis_is_policys(source->axis_paths[a]))
            source->policy_axes[a] =
                row == SL_NONE ? source->point_texts[a]
                               : sl_frame_text_of(&source->summary, row, source->axis_paths[a]);
    return SL_OK;
}

/* The row of a policy at the point with the lowest tail; without one any row of it; SL_NONE. */
static uint32_t best_row(const struct sl_decide_source *source, const char *policy)
{
    uint32_t best = SL_NONE;
    double lowest = INFINITY;
    for (uint32_t row = 0; row < source->summary.row_count; row++) {
        double tail = sl_frame_number_of(&source->summary, row, "tail_us");
        if (!row_is_at_point(source, row) ||
            (policy && strcmp(sl_frame_text_of(&source->summary, row, "policy"), policy) != 0))
            continue;
        if (best == SL_NONE || tail < lowest) {
            best = row;
            lowest = isnan(tail) ? INFINITY : tail;
        }
    }
    return best;
}

static uint32_t count_policies(const struct sl_decide_source *source)
{
    uint32_t count = 0;
    const char *first = NULL;
    for (uint32_t row = 0; row < source->summary.row_count; row++) {
        const char *policy = sl_frame_text_of(&source->summary, row, "policy");
        if (!row_is_at_point(source, row) || (first && strcmp(first, policy) == 0))
            continue;
        first = policy;
        count++;
    }
    return count;
}

/* "3;7;12": the policies of the tie set, in record form. */
static enum sl_status take_tied(struct sl_decide_source *source, const char *cells,
                                double candidate, struct sl_error *err)
{
    struct sl_record_texts *tied = &source->selection.tied;
    size_t count = 0;
    char **numbers = sl_split(arena_of(source), cells, ';', &count);
    tied->items = sl_arena_array(arena_of(source), count + 1, sizeof *tied->items);
    if (!numbers || !tied->items)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        double cell = strtod(numbers[i], NULL);
        uint32_t row = row_of_cell(&source->summary, cell);
        if (row != SL_NONE && cell != candidate)
            tied->items[tied->count++] = sl_frame_text_of(&source->summary, row, "policy");
    }
    return SL_OK;
}

/* The group of winners.csv whose candidate lies at the point; SL_NONE. */
static uint32_t find_group(const struct sl_decide_source *source)
{
    for (uint32_t g = 0; g < source->winners.row_count; g++) {
        uint32_t row = row_of_cell(&source->summary,
                                   sl_frame_number_of(&source->winners, g, "candidate_cell"));
        if (row != SL_NONE && row_is_at_point(source, row))
            return g;
    }
    return SL_NONE;
}

/* Why the sweep has no candidate at the point: nothing completes, or the trials are too few for the
 * first measure of the order. */
static const char *why_none(const struct sl_decide_source *source, struct sl_arena *arena)
{
    const struct sl_scenario *scenario = &source->session->scenario;
    const struct sl_order_item *first =
        scenario->objective.order_count > 0 ? &scenario->objective.order[0] : &sl_order_tail;
    uint32_t complete = 0;
    for (uint32_t row = 0; row < source->summary.row_count; row++)
        complete += row_is_at_point(source, row) &&
                    strcmp(sl_frame_text_of(&source->summary, row, "verdict"), "ok") == 0;
    if (complete == 0)
        return "no policy completes every trial within the constraints at this point";
    if (sl_order_figure(first, sl_scenario_has_jobs(scenario)) != SL_FIGURE_QUANTILE)
        return sl_arena_printf(arena,
                               "%u cells complete every trial at this point, and the sweep's "
                               "trials are too few for their %s; --policy names one",
                               complete, first->name);
    double q = sl_order_quantile(first, scenario->objective.tail);
    return sl_arena_printf(arena,
                           "%u cells complete every trial at this point, and the sweep's %u trials "
                           "are too few for a p%.4g, which takes %zu; --policy names one",
                           complete, source->manifest.trials, 100 * q, sl_quantile_min_n(q, 0.95));
}

static enum sl_status by_sweep(struct sl_decide_source *source, struct sl_error *err)
{
    struct sl_record_selection *selection = &source->selection;
    const struct sl_frame *winners = &source->winners;
    struct sl_arena *arena = arena_of(source);
    uint32_t group = find_group(source);
    if (group == SL_NONE) {
        selection->why = why_none(source, arena);
        return selection->why ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    double candidate = sl_frame_number_of(winners, group, "candidate_cell");
    uint32_t row = row_of_cell(&source->summary, candidate);
    const char *decided = sl_frame_text_of(winners, group, "decided_by");
    const char *order = sl_frame_text_of(winners, group, "order");
    const char *untested = sl_frame_text_of(winners, group, "untested");
    bool won = strcmp(sl_frame_text_of(winners, group, "won"), "1") == 0;
    bool first = strncmp(order, decided, strlen(decided)) == 0;
    selection->policy = sl_frame_text_of(&source->summary, row, "policy");
    if (won) {
        selection->how = first ? SL_SELECTION_WINNER : SL_SELECTION_ORDER;
        selection->why =
            sl_arena_printf(arena,
                            first ? "the sweep's winner in %s, confirmed on a fresh seed"
                                  : "tied before, it wins in %s, confirmed on a fresh seed",
                            decided);
    } else {
        selection->how = SL_SELECTION_TIED;
        double needs = sl_frame_number_of(winners, group, "least_trials");
        if (*untested && needs > 0)
            selection->why = sl_arena_printf(
                arena,
                "the lowest tail; the sweep's %.0f trials are too few to compare "
                "its %s, which takes %.0f of each cell",
                sl_frame_number_of(&source->summary, row, "trials"), untested, needs);
        else
            selection->why =
                sl_arena_printf(arena,
                                "the lowest tail of a tie set: no measure of the order (%s) "
                                "tells them apart",
                                order);
    }
    if (!selection->why)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = SL_OK;
    if (!won)
        status = take_tied(source, sl_frame_text_of(winners, group, "tied_cells"), candidate, err);
    return status == SL_OK ? take_axes(source, row, err) : status;
}

static enum sl_status given(struct sl_decide_source *source, const char *policy, const char *why,
                            struct sl_error *err)
{
    struct sl_record_selection *selection = &source->selection;
    uint32_t row = source->is_results ? best_row(source, policy) : SL_NONE;
    if (source->is_results && row == SL_NONE && source->session->more_count == 0) {
        char hint[256] = "";
        if (!sl_scenario_policy(&source->session->scenario, policy))
            sl_scenario_hint_policy(&source->session->scenario, policy, hint, sizeof hint);
        return SL_FAIL(err, SL_USAGE, "the results have no cell of policy '%s' at this point%s",
                       policy, hint);
    }
    enum sl_status status = source->winners.row_count > 0 ? by_sweep(source, err) : SL_OK;
    if (status != SL_OK)
        return status;
    bool same = selection->policy && strcmp(selection->policy, policy) == 0;
    const char *winner = same || selection->how == SL_SELECTION_TIED ? NULL : selection->policy;
    *selection = (struct sl_record_selection){
        .how = SL_SELECTION_GIVEN, .policy = policy, .why = why, .winner = winner};
    return take_axes(source, row, err);
}

enum sl_status sl_decide_source_select(struct sl_decide_source *source, struct sl_error *err)
{
    const struct sl_scenario *scenario = &source->session->scenario;
    source->selection = (struct sl_record_selection){.why = "nothing was selected"};
    if (source->policy)
        return given(source, source->policy, "named on the command line", err);
    if (source->winners.row_count > 0)
        return by_sweep(source, err);
    if (source->is_results && source->session->more_count > 0 && scenario->policy_count > 0)
        return given(source, scenario->policies[scenario->policy_count - 1].name,
                     "the plan that the search puts first", err);
    if (source->is_results && count_policies(source) == 1)
        return given(source, sl_frame_text_of(&source->summary, best_row(source, NULL), "policy"),
                     "the only policy of the results", err);
    if (!source->is_results && scenario->policy_count == 1)
        return given(source, scenario->policies[0].name, "the only policy of the scenario", err);
    return SL_FAIL(err, SL_USAGE,
                   source->is_results
                       ? "these results choose no policy: name one with --policy, or sweep"
                       : "a scenario chooses no policy: name one with --policy, or sweep it first");
}
