/* Below the table of a sweep: who has won each group, and on what; which cells tie, or stand for
 * different trades. */
#include "config.h"

#include "kept.h"
#include "report_sweep_parts.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct sl_order_item *measure(const struct sl_sweep_report *report, uint32_t level)
{
    return &report->standings->order[level];
}

/* Of the throughput: more is better. */
static bool is_rate(const struct sl_sweep_report *report, const struct sl_order_item *item)
{
    return report->rates && item->measure <= SL_MEASURE_MEAN;
}

const char *sl_sweep_sense(const struct sl_sweep_report *report, uint32_t level, const char *less,
                           const char *more)
{
    return is_rate(report, measure(report, level)) ? more : less;
}

const char *sl_sweep_label(const struct sl_sweep_report *report, uint32_t level, char buffer[16])
{
    if (is_rate(report, measure(report, level)))
        return report->tail_name;
    return sl_order_label(buffer, measure(report, level), report->standings->rule.q);
}

/* "1.54 s [1.53 s, 1.55 s]"; the value alone where it has no interval. */
static const char *estimate_text(struct sl_sweep_report *report, const struct sl_order_item *item,
                                 struct sl_estimate estimate)
{
    bool rate = is_rate(report, item);
    const char *value = rate ? sl_sweep_metric(report, estimate.value)
                             : sl_order_text(&report->arena, item, estimate.value);
    if (isnan(estimate.lo) || isnan(estimate.hi))
        return value;
    const char *text = rate ? sl_arena_printf(&report->arena, "%s %s", value,
                                              sl_sweep_interval(report, estimate.lo, estimate.hi))
                            : sl_arena_printf(&report->arena, "%s [%s, %s]", value,
                                              sl_order_text(&report->arena, item, estimate.lo),
                                              sl_order_text(&report->arena, item, estimate.hi));
    return sl_kept(text);
}

void sl_sweep_print_measures(const struct sl_sweep_report *report, uint32_t count)
{
    char buffer[16];
    for (uint32_t l = 0; l < count; l++)
        fprintf(report->out, "%s%s",
                l == 0          ? ""
                : l + 1 < count ? ", "
                                : " and ",
                sl_sweep_label(report, l, buffer));
}

static void print_cell_name(struct sl_sweep_report *report, uint32_t row)
{
    fputs(sl_sweep_cell_name(&report->arena, report->session, report->frame, row), report->out);
}

const char *sl_sweep_gain(struct sl_sweep_report *report)
{
    double min_gain = report->standings->rule.min_gain;
    const char *text =
        min_gain > 0 ? sl_arena_printf(&report->arena, " by %.6g%%", 100 * min_gain) : "";
    return sl_kept(text);
}

/* Of a cell that is not ok on the fresh seed. */
static void print_fresh_verdict(struct sl_sweep_report *report, uint32_t row, const char *verdict,
                                const char *reason)
{
    if (!verdict || strcmp(verdict, "ok") == 0)
        return;
    fputs("; ", report->out);
    print_cell_name(report, row);
    fprintf(report->out, " is %s on the fresh seed%s%s", *verdict ? verdict : "without a result",
            *reason ? ": " : "", reason);
}

static void print_fresh_verdicts(struct sl_sweep_report *report, const struct sl_standing *standing)
{
    print_fresh_verdict(report, standing->candidate, standing->fresh_verdict,
                        standing->fresh_reason);
    print_fresh_verdict(report, standing->runner_up, standing->fresh_runner_up_verdict,
                        standing->fresh_runner_up_reason);
}

/* "; on a fresh seed 1.54 s [..] against 1.56 s [..] of jit" */
static void print_fresh(struct sl_sweep_report *report, const struct sl_standing *standing)
{
    const struct sl_order_item *decided = measure(report, standing->level);
    fprintf(report->out, " on a fresh seed %s against %s of ",
            estimate_text(report, decided, standing->fresh_figure),
            estimate_text(report, decided, standing->fresh_runner_up_figure));
    print_cell_name(report, standing->runner_up);
}

/* An ok cell has a reason where its constraints are open, or whether a queue grows; the table has
 * its footnote. */
static void end_sentence(struct sl_sweep_report *report, uint32_t row)
{
    const char *reason = sl_frame_text_of(report->frame, row, "reason");
    bool grows = strstr(reason, "whether a queue grows"), open = strstr(reason, "constraint '");
    if (*reason)
        fprintf(report->out, "; whether %s is not settled",
                !grows ? "it keeps the constraints"
                : open ? "a queue grows, and whether it keeps the constraints,"
                       : "a queue grows");
    for (unsigned i = 0; *reason && i < report->reason_count; i++)
        if (strcmp(report->reasons[i], reason) == 0)
            fprintf(report->out, " [%u]", i + 1);
    putc('\n', report->out);
}

static void print_win(struct sl_sweep_report *report, const struct sl_standing *standing)
{
    char buffer[16];
    const char *where =
        sl_sweep_unsteady(report, report->grouping->group_of_row[standing->candidate]) > 0
            ? " on this horizon"
            : "";
    print_cell_name(report, standing->candidate);
    if (standing->level == 0) {
        fprintf(report->out, " wins%s: %s every other cell's %s%s;", where,
                sl_sweep_sense(report, 0, "below", "above"), sl_sweep_label(report, 0, buffer),
                sl_sweep_gain(report));
    } else {
        fprintf(report->out, " wins%s on %s among %u tied on ", where,
                sl_sweep_label(report, standing->level, buffer), standing->among);
        sl_sweep_print_measures(report, standing->level);
        fprintf(report->out, ": %s the other%s%s;",
                sl_sweep_sense(report, standing->level, "below", "above"),
                standing->among > 2 ? "s" : "", sl_sweep_gain(report));
    }
    print_fresh(report, standing);
    if (measure(report, standing->level)->measure != SL_MEASURE_TAIL &&
        !is_rate(report, measure(report, standing->level)))
        fprintf(report->out, " (%s %s against %s)", report->tail_name,
                estimate_text(report, &sl_order_tail, standing->fresh_candidate),
                estimate_text(report, &sl_order_tail, standing->fresh_runner_up));
    print_fresh_verdicts(report, standing);
    end_sentence(report, standing->candidate);
}

/* Also those that cannot be compared with it. */
static bool ties_with_candidate(const struct sl_sweep_report *report, uint32_t group, uint32_t row)
{
    return row != report->standings->groups[group].candidate &&
           (sl_standings_tied(report->standings, row) ||
            sl_standings_uncompared(report->standings, row));
}

/* The tied cells of the row's policy, 0 unless the row is the first of them. */
static unsigned tied_cells(const struct sl_sweep_report *report, uint32_t group, uint32_t row)
{
    const char *policy = sl_frame_text_of(report->frame, row, "policy");
    unsigned count = 0;
    for (uint32_t other = report->grouping->groups[group].first_row; other != SL_NONE;
         other = report->grouping->next_row[other]) {
        if (!ties_with_candidate(report, group, other) ||
            strcmp(sl_frame_text_of(report->frame, other, "policy"), policy) != 0)
            continue;
        if (other < row)
            return 0;
        count++;
    }
    return count;
}

/* The cells that are left with the candidate, by policy; the table marks each. */
static void print_others(struct sl_sweep_report *report, uint32_t group)
{
    const char *separator = "";
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row]) {
        unsigned count =
            ties_with_candidate(report, group, row) ? tied_cells(report, group, row) : 0;
        if (count == 0)
            continue;
        fputs(separator, report->out);
        separator = ", ";
        if (count == 1)
            print_cell_name(report, row);
        else
            fprintf(report->out, "%u cells of %s", count,
                    sl_frame_text_of(report->frame, row, "policy"));
    }
}

/* What ends the order of measures: too few trials for a test of this one. */
static void print_untested(struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_standing *standing = &report->standings->groups[group];
    char buffer[16];
    const char *name = sl_sweep_label(report, standing->untested, buffer);
    if (standing->untested == 0) {
        fprintf(report->out, "; no winner: too few trials to compare its %s with that of ", name);
        print_others(report, group);
    } else {
        fputs("; no winner: it ties with ", report->out);
        print_others(report, group);
        fputs(" in ", report->out);
        sl_sweep_print_measures(report, standing->untested);
        fprintf(report->out, ", and the trials are too few to compare their %s", name);
    }
    fprintf(report->out, " (%s are needed for %u cells)",
            sl_grouped(&report->arena, sl_standings_needs(report->standings, standing->untested)),
            report->standings->ranked);
}

/* None is shown to be worse than the candidate. */
static void print_tie(struct sl_sweep_report *report, uint32_t group)
{
    fputs("; no winner: it ties with ", report->out);
    print_others(report, group);
    if (report->standings->order_count == 1) {
        fprintf(report->out, " (not shown to be %s it%s)",
                sl_sweep_sense(report, 0, "above", "below"), sl_sweep_gain(report));
        return;
    }
    fputs(" in ", report->out);
    sl_sweep_print_measures(report, report->standings->order_count);
    fprintf(report->out, " (not shown to be %s the %s%s)",
            sl_sweep_sense(report, 0, "above", "below"),
            sl_sweep_sense(report, 0, "lowest", "highest"), sl_sweep_gain(report));
}

/* A cell that a later measure dropped may be lower in the first one. */
static bool is_lowest(const struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_order_item *first = measure(report, 0);
    uint32_t candidate = report->standings->groups[group].candidate;
    double lowest = sl_order_estimate(report->frame, candidate, first).value;
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row])
        if (sl_standings_competes(report->standings, row) &&
            sl_order_estimate(report->frame, row, first).value < lowest)
            return false;
    return true;
}

/* A win on a later measure, which the fresh seed did not bear out. */
static void print_not_confirmed(struct sl_sweep_report *report, const struct sl_standing *standing)
{
    char buffer[16];
    fputs("no winner: ", report->out);
    print_cell_name(report, standing->candidate);
    fprintf(report->out, " is %s in %s among %u tied on ",
            sl_sweep_sense(report, standing->level, "lowest", "highest"),
            sl_sweep_label(report, standing->level, buffer), standing->among);
    sl_sweep_print_measures(report, standing->level);
    fputs(", but", report->out);
    if (standing->refuted_by == SL_NONE) {
        print_fresh(report, standing);
    } else {
        const struct sl_order_item *earlier = measure(report, standing->refuted_by);
        fprintf(report->out, " on a fresh seed its %s is %s against %s of ",
                sl_sweep_label(report, standing->refuted_by, buffer),
                estimate_text(report, earlier, standing->refuting),
                estimate_text(report, earlier, standing->refuting_runner_up));
        print_cell_name(report, standing->runner_up);
    }
    print_fresh_verdicts(report, standing);
    end_sentence(report, standing->candidate);
}

static bool is_only_row(const struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_grouping *grouping = report->grouping;
    return grouping->next_row[grouping->groups[group].first_row] == SL_NONE;
}

static void print_only(struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_order_item *first = measure(report, 0);
    uint32_t row = report->standings->groups[group].candidate;
    char buffer[16];
    print_cell_name(report, row);
    fprintf(report->out, " is the only cell%s: %s %s",
            is_only_row(report, group) ? "" : " that is ok", sl_sweep_label(report, 0, buffer),
            estimate_text(report, first, sl_order_estimate(report->frame, row, first)));
    end_sentence(report, row);
}

static void print_no_win(struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_standings *standings = report->standings;
    const struct sl_standing *standing = &standings->groups[group];
    const struct sl_order_item *first = measure(report, 0);
    char buffer[16];
    print_cell_name(report, standing->candidate);
    fprintf(
        report->out, " has the %s %s%s: %s", sl_sweep_sense(report, 0, "lowest", "highest"),
        sl_sweep_label(report, 0, buffer), is_lowest(report, group) ? "" : " of the tied cells",
        estimate_text(report, first, sl_order_estimate(report->frame, standing->candidate, first)));
    if (standings->too_large)
        fputs("; not judged: the trials of all cells do not fit in memory", report->out);
    else if (standing->one_course)
        fputs("; no winner: the trials are one course of events, and tests across trials say "
              "nothing of another one",
              report->out);
    else if (standing->untested != SL_NONE)
        print_untested(report, group);
    else if (standing->not_confirmed) {
        fprintf(report->out, "; no winner: in %s", sl_sweep_label(report, standing->level, buffer));
        print_fresh(report, standing);
    } else
        print_tie(report, group);
    end_sentence(report, standing->candidate);
}

/* No cell is ok, or the trials are too few for the first measure. */
static void print_no_candidate(struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_order_item *first = measure(report, 0);
    char buffer[16];
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row]) {
        if (strcmp(sl_frame_text_of(report->frame, row, "verdict"), "ok") != 0)
            continue;
        fprintf(report->out, "too few trials for a %s", sl_sweep_label(report, 0, buffer));
        if (sl_order_figure(first, report->standings->jobs) == SL_FIGURE_QUANTILE)
            fprintf(report->out, ", which takes %s",
                    sl_grouped(&report->arena,
                               sl_quantile_min_n(
                                   sl_order_quantile(first, report->standings->rule.q), 0.95)));
        putc('\n', report->out);
        return;
    }
    fputs("no cell is ok\n", report->out);
}

/* "p99, peak of hbm" */
static const char *objectives_text(struct sl_sweep_report *report, uint32_t group)
{
    const char *domain = report->alternatives.domains[group];
    const char *text =
        domain ? sl_arena_printf(&report->arena, "%s, peak of %s", report->tail_name, domain)
               : report->tail_name;
    return sl_kept(text);
}

/* The members with their objectives, in the order of the table. */
static void print_alternatives(struct sl_sweep_report *report, uint32_t group)
{
    const char *domain = report->alternatives.domains[group];
    const bool *in_set = report->alternatives.in_set;
    uint32_t members = 0;
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row])
        members += in_set[row];
    fprintf(report->out, "the Pareto set over %s and staging x time is %u of %u cells\n",
            objectives_text(report, group), members, report->standings->groups[group].ranked);
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row]) {
        if (!in_set[row])
            continue;
        fputs("  ", report->out);
        print_cell_name(report, row);
        fprintf(report->out, ": %s",
                sl_sweep_metric(report, sl_frame_number_of(report->frame, row, "tail_us")));
        if (domain)
            fprintf(report->out, ", %s",
                    sl_bytes_text(&report->arena, sl_row_peak(report->frame, row, domain)));
        fprintf(report->out, ", %s s\n",
                sl_bytes_text(&report->arena, sl_row_staging(report->frame, row)));
    }
}

/* Whoever rejects jobs serves the others sooner: beside the figures of those, how many. */
static void print_rejected(struct sl_sweep_report *report, uint32_t group)
{
    uint32_t candidate = report->standings->groups[group].candidate;
    double own = sl_row_rejected(report->frame, candidate), least = INFINITY, most = 0;
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row]) {
        if (row == candidate || !sl_standings_competes(report->standings, row))
            continue;
        double share = sl_row_rejected(report->frame, row);
        least = fmin(least, share);
        most = fmax(most, share);
    }
    if (!(own > 0) && !(most > 0))
        return;
    fputs("  these are figures of completed jobs: of those that arrived, ", report->out);
    print_cell_name(report, candidate);
    fprintf(report->out, " rejected %.3g%%", 100 * own);
    if (isfinite(least) && least < most)
        fprintf(report->out, ", the others %.3g%% to %.3g%%", 100 * least, 100 * most);
    else if (isfinite(least))
        fprintf(report->out, ", the others %.3g%%", 100 * least);
    putc('\n', report->out);
}

void sl_sweep_print_group(struct sl_sweep_report *report, uint32_t g)
{
    const struct sl_group *group = &report->grouping->groups[g];
    const struct sl_standing *standing = &report->standings->groups[g];
    if (*group->label)
        fprintf(report->out, "at %s: ", group->label);
    if (standing->candidate == SL_NONE)
        print_no_candidate(report, g);
    else if (report->alternatives.in_set)
        print_alternatives(report, g);
    else if (standing->runner_up == SL_NONE)
        print_only(report, g);
    else if (standing->won)
        print_win(report, standing);
    else if (standing->not_confirmed && standing->level > 0)
        print_not_confirmed(report, standing);
    else
        print_no_win(report, g);
    if (standing->candidate != SL_NONE)
        print_rejected(report, g);
    if (standing->candidate != SL_NONE && standing->runner_up != SL_NONE)
        sl_sweep_print_unsteady(report, g);
}
