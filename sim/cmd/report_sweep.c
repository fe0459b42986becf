/* The report of a sweep for people. */
#include "config.h"

#include "alternatives.h"
#include "frame.h"
#include "grouping.h"
#include "report_sweep.h"
#include "result_parts.h"
#include "table.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_REASONS  64
#define REASON_WIDTH 200

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_session *session;
    const struct sl_standings *standings;
    const struct sl_frame *frame;
    const struct sl_grouping *grouping;
    struct sl_alternatives alternatives; /* in_set NULL where the objective has an order */
    const char **axes;
    const char *reasons[MAX_REASONS]; /* footnotes, each text once */
    unsigned reason_count;
    char tail_name[16];
    bool has_deadlines; /* in any cell */
};

/* The number of a footnote, the same for the same text; 0 when there is no room. */
static unsigned footnote(struct report *report, const char *reason)
{
    for (unsigned i = 0; i < report->reason_count; i++)
        if (strcmp(report->reasons[i], reason) == 0)
            return i + 1;
    if (report->reason_count == MAX_REASONS)
        return 0;
    report->reasons[report->reason_count++] = reason;
    return report->reason_count;
}

static void add_head(struct report *report, struct sl_table *table)
{
    const struct sl_scenario *scenario = &report->session->scenario;
    sl_table_add(table, "cell");
    sl_table_add(table, "policy");
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_table_add(table, "%s", sl_axis_short(report->axes[i]));
    sl_table_add(table, "median");
    sl_table_add(table, "%s", report->tail_name);
    sl_table_add(table, "%s", "");
    sl_table_add(table, "95%% interval");
    sl_table_add(table, "x bound");
    for (uint32_t d = 0; d < scenario->platform.domain_names.count; d++)
        sl_table_add(table, "peak %s", scenario->platform.domain_names.names[d]);
    if (report->has_deadlines)
        sl_table_add(table, "late");
    sl_table_add(table, "verdict");
}

static void add_time(struct report *report, struct sl_table *table, double us)
{
    sl_table_add(table, "%s", sl_estimate_text(&report->arena, us));
}

static void add_verdict(struct report *report, struct sl_table *table, uint32_t row)
{
    const char *verdict = sl_frame_text_of(report->frame, row, "verdict");
    const char *reason = sl_frame_text_of(report->frame, row, "reason");
    const char *mark =
        sl_frame_number_of(report->frame, row, "hypothetical") > 0 ? " (hypothetical)" : "";
    const char *base = sl_row_is_baseline(report->session, report->frame, row) ? " (baseline)" : "";
    if (*reason)
        sl_table_add(table, "%s [%u]%s%s", verdict, footnote(report, reason), mark, base);
    else
        sl_table_add(table, "%s%s%s", verdict, mark, base);
}

static void add_row(struct report *report, struct sl_table *table, uint32_t row)
{
    const struct sl_frame *frame = report->frame;
    const struct sl_scenario *scenario = &report->session->scenario;
    const struct sl_standing *standing =
        &report->standings->groups[report->grouping->group_of_row[row]];
    sl_table_add(table, "%s", sl_frame_text_of(frame, row, "cell"));
    sl_table_add(table, "%s", sl_frame_text_of(frame, row, "policy"));
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_table_add(table, "%s", sl_frame_text_of(frame, row, report->axes[i]));
    add_time(report, table, sl_frame_number_of(frame, row, "median_us"));
    add_time(report, table, sl_frame_number_of(frame, row, "tail_us"));
    bool ties = !standing->won && sl_standings_tied(report->standings, row);
    if (report->alternatives.in_set)
        sl_table_add(table, "%s", report->alternatives.in_set[row] ? "P" : "");
    else
        sl_table_add(table, "%s",
                     row != standing->candidate ? ties ? "~" : ""
                     : standing->won            ? "*"
                                                : "~");
    double lo = sl_frame_number_of(frame, row, "tail_lo_us");
    double hi = sl_frame_number_of(frame, row, "tail_hi_us");
    if (isnan(lo) || isnan(hi))
        sl_table_add(table, "%s", "");
    else
        sl_table_add(table, "[%s, %s]", sl_estimate_text(&report->arena, lo),
                     sl_estimate_text(&report->arena, hi));
    double ratio =
        sl_frame_number_of(frame, row, "mean_us") / sl_frame_number_of(frame, row, "bound_us");
    sl_table_add(table, isfinite(ratio) ? "%.2f" : "-", ratio);
    for (uint32_t d = 0; d < scenario->platform.domain_names.count; d++) {
        char column[300];
        snprintf(column, sizeof column, "peak_%.200s_bytes",
                 scenario->platform.domain_names.names[d]);
        sl_table_add(table, "%s",
                     sl_bytes_text(&report->arena, sl_frame_number_of(frame, row, column)));
    }
    if (report->has_deadlines) {
        double missed = sl_frame_number_of(frame, row, "deadline_miss");
        sl_table_add(table, isnan(missed) ? "-" : "%.3g%%", 100 * missed);
    }
    add_verdict(report, table, row);
}

static void print_rows(struct report *report)
{
    const struct sl_scenario *scenario = &report->session->scenario;
    char alignments[SL_TABLE_COLUMNS + 1] = "rl";
    size_t at = 2, axes = scenario->axis_count, domains = scenario->platform.domain_names.count;
    if (axes + domains + 9 > SL_TABLE_COLUMNS) {
        fputs("(too many axes and domains for a table; use --json)\n", report->out);
        return;
    }
    while (at < 2 + axes + 2)
        alignments[at++] = 'r';
    memcpy(&alignments[at], "llr", 3);
    at += 3;
    for (size_t d = 0; d < domains; d++)
        alignments[at++] = 'r';
    if (report->has_deadlines)
        alignments[at++] = 'r';
    alignments[at++] = 'l';
    alignments[at] = '\0';
    struct sl_table table = sl_table_make(&report->arena, alignments);
    add_head(report, &table);
    for (uint32_t row = 0; row < report->frame->row_count; row++) {
        if (row > 0 &&
            report->grouping->group_of_row[row] != report->grouping->group_of_row[row - 1])
            for (uint32_t c = 0; c < table.columns; c++)
                sl_table_add(&table, "%s", "");
        add_row(report, &table, row);
    }
    sl_table_print(&table, report->out);
    sl_table_free(&table);
}

static const char *estimate_text(struct report *report, struct sl_estimate estimate)
{
    const char *text = sl_arena_printf(&report->arena, "%s [%s, %s]",
                                       sl_estimate_text(&report->arena, estimate.value),
                                       sl_estimate_text(&report->arena, estimate.lo),
                                       sl_estimate_text(&report->arena, estimate.hi));
    return text ? text : "?";
}

/* "jit (lookahead 4)": the policy, and the axes that are its own. */
static void print_cell_name(struct report *report, uint32_t row)
{
    const struct sl_scenario *scenario = &report->session->scenario;
    const char *separator = " (";
    fputs(sl_frame_text_of(report->frame, row, "policy"), report->out);
    for (uint32_t i = 0; i < scenario->axis_count; i++) {
        const char *value = sl_frame_text_of(report->frame, row, report->axes[i]);
        if (!sl_axis_is_policys(report->axes[i]) || !*value)
            continue;
        fprintf(report->out, "%s%s %s", separator, sl_axis_short(report->axes[i]), value);
        separator = ", ";
    }
    fputs(*separator == ',' ? ")" : "", report->out);
}

static const char *gain_text(struct report *report)
{
    double min_gain = report->standings->rule.min_gain;
    const char *text =
        min_gain > 0 ? sl_arena_printf(&report->arena, " by %.6g%%", 100 * min_gain) : "";
    return text ? text : "?";
}

static void print_win(struct report *report, const struct sl_standing *standing)
{
    print_cell_name(report, standing->candidate);
    fprintf(report->out, " wins: below every other cell's %s%s; on a fresh seed %s against %s of ",
            report->tail_name, gain_text(report), estimate_text(report, standing->fresh_candidate),
            estimate_text(report, standing->fresh_runner_up));
    print_cell_name(report, standing->runner_up);
    putc('\n', report->out);
}

static bool ties_with_candidate(const struct report *report, uint32_t group, uint32_t row)
{
    return report->grouping->group_of_row[row] == group &&
           row != report->standings->groups[group].candidate &&
           sl_standings_tied(report->standings, row);
}

/* The tied cells of the row's policy, 0 unless the row is the first of them. */
static unsigned tied_cells(const struct report *report, uint32_t group, uint32_t row)
{
    const char *policy = sl_frame_text_of(report->frame, row, "policy");
    unsigned count = 0;
    for (uint32_t other = 0; other < report->frame->row_count; other++) {
        if (!ties_with_candidate(report, group, other) ||
            strcmp(sl_frame_text_of(report->frame, other, "policy"), policy) != 0)
            continue;
        if (other < row)
            return 0;
        count++;
    }
    return count;
}

/* The cells that are not shown to be worse than the candidate, by policy; the table marks each. */
static void print_tie(struct report *report, uint32_t group)
{
    const char *separator = "; no winner: it ties with ";
    for (uint32_t row = 0; row < report->frame->row_count; row++) {
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
    fprintf(report->out, " (not shown to be above it%s)", gain_text(report));
}

static void print_no_win(struct report *report, uint32_t group)
{
    const struct sl_standings *standings = report->standings;
    const struct sl_standing *standing = &standings->groups[group];
    uint32_t row = standing->candidate;
    struct sl_estimate tail = {sl_frame_number_of(report->frame, row, "tail_us"),
                               sl_frame_number_of(report->frame, row, "tail_lo_us"),
                               sl_frame_number_of(report->frame, row, "tail_hi_us")};
    print_cell_name(report, row);
    fprintf(report->out, " has the lowest %s: %s", report->tail_name, estimate_text(report, tail));
    if (standings->too_large)
        fputs("; not judged: the trials of all cells do not fit in memory", report->out);
    else if (standing->runner_up == SL_NONE)
        fputs("; no other cell is ok", report->out);
    else if (standing->not_confirmed)
        fprintf(report->out, "; no winner: on a fresh seed %s against %s of %s",
                estimate_text(report, standing->fresh_candidate),
                estimate_text(report, standing->fresh_runner_up),
                sl_frame_text_of(report->frame, standing->runner_up, "policy"));
    else
        print_tie(report, group);
    if (!standings->too_large &&
        sl_frame_number_of(report->frame, row, "trials") < (double)standings->needs &&
        standing->runner_up != SL_NONE)
        fprintf(report->out, " (%s trials are needed to tell %u cells apart)",
                sl_grouped(&report->arena, standings->needs), standings->ranked);
    putc('\n', report->out);
}

/* No cell is ok, or the trials are too few for a tail. */
static void print_no_candidate(struct report *report, uint32_t group)
{
    for (uint32_t row = 0; row < report->frame->row_count; row++) {
        if (report->grouping->group_of_row[row] != group ||
            strcmp(sl_frame_text_of(report->frame, row, "verdict"), "ok") != 0)
            continue;
        double q = report->session->scenario.objective.tail;
        fprintf(report->out, "too few trials for a %s, which takes %s\n", report->tail_name,
                sl_grouped(&report->arena, sl_quantile_min_n(q, 0.95)));
        return;
    }
    fputs("no cell is ok\n", report->out);
}

/* "p99, peak of hbm" */
static const char *objectives_text(struct report *report, uint32_t group)
{
    const char *domain = report->alternatives.domains[group];
    const char *text =
        domain ? sl_arena_printf(&report->arena, "%s, peak of %s", report->tail_name, domain)
               : report->tail_name;
    return text ? text : "?";
}

/* The members with their objectives, in the order of the table. */
static void print_alternatives(struct report *report, uint32_t group)
{
    const char *domain = report->alternatives.domains[group];
    const bool *in_set = report->alternatives.in_set;
    uint32_t members = 0;
    for (uint32_t row = 0; row < report->frame->row_count; row++)
        members += in_set[row] && report->grouping->group_of_row[row] == group;
    fprintf(report->out, "the Pareto set over %s and staging x time is %u of %u cells\n",
            objectives_text(report, group), members, report->standings->groups[group].ranked);
    for (uint32_t row = 0; row < report->frame->row_count; row++) {
        if (!in_set[row] || report->grouping->group_of_row[row] != group)
            continue;
        fputs("  ", report->out);
        print_cell_name(report, row);
        fprintf(
            report->out, ": %s",
            sl_estimate_text(&report->arena, sl_frame_number_of(report->frame, row, "tail_us")));
        if (domain)
            fprintf(report->out, ", %s",
                    sl_bytes_text(&report->arena, sl_row_peak(report->frame, row, domain)));
        fprintf(report->out, ", %s s\n",
                sl_bytes_text(&report->arena, sl_row_staging(report->frame, row)));
    }
}

/* One honest sentence per group. */
static void print_group(struct report *report, uint32_t g)
{
    const struct sl_group *group = &report->grouping->groups[g];
    const struct sl_standing *standing = &report->standings->groups[g];
    if (*group->label)
        fprintf(report->out, "at %s: ", group->label);
    if (standing->candidate == SL_NONE)
        print_no_candidate(report, g);
    else if (report->alternatives.in_set)
        print_alternatives(report, g);
    else if (standing->won && standing->runner_up != SL_NONE)
        print_win(report, standing);
    else
        print_no_win(report, g);
}

/* What the marks and the word "wins" rest on. */
static void print_legend(struct report *report)
{
    if (report->alternatives.in_set)
        fputs("P Pareto set: no cell of its group is lower in one of these and higher in none, by "
              "estimates;\n  objective.order absent: state it to have one winner\n",
              report->out);
    else if (report->standings->ranked > 0)
        fprintf(report->out,
                "* winner: shown by paired tests on common draws, at 95%% for the %u cells that "
                "compete together;\n  its figures and the runner-up's are from seed %" PRIu64
                ", which did not choose\n~ lowest %s of its group, or not shown to be above it%s\n",
                report->standings->ranked, sl_fresh_seed(report->standings->rule.seed),
                report->tail_name, gain_text(report));
    fprintf(report->out, "x bound: mean over lower bound%s\n",
            report->has_deadlines ? "; late: trials that missed a deadline" : "");
}

static void print_report(struct report *report)
{
    const struct sl_session *session = report->session;
    fprintf(report->out, "%s: %u cells, %s trials each, seed %" PRIu64 "\n\n",
            session->scenario.name, report->frame->row_count,
            sl_grouped(&report->arena, session->args.options.trials ? session->args.options.trials
                                                                    : session->scenario.trials),
            session->args.options.seed_given ? session->args.options.seed : session->scenario.seed);
    print_rows(report);
    putc('\n', report->out);
    for (unsigned i = 0; i < report->reason_count; i++) {
        bool is_long = strlen(report->reasons[i]) > REASON_WIDTH;
        fprintf(report->out, "[%u] %.*s%s\n", i + 1, REASON_WIDTH, report->reasons[i],
                is_long ? "... (in full: --json, or summary.csv)" : "");
    }
    if (report->reason_count > 0)
        putc('\n', report->out);
    for (uint32_t g = 0; g < report->grouping->group_count; g++)
        print_group(report, g);
    print_legend(report);
    if (session->totals.seconds > 0)
        fprintf(report->out, "%s trials in %.1f s (%.0f trials/s, %.1f ns per node)\n",
                sl_grouped(&report->arena, session->totals.trials), session->totals.seconds,
                (double)session->totals.trials / session->totals.seconds,
                session->totals.nodes > 0
                    ? session->totals.seconds * 1e9 / (double)session->totals.nodes
                    : 0.0);
}

enum sl_status sl_report_sweep(FILE *out, const struct sl_session *session,
                               const struct sl_standings *standings, struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    struct report report = {.out = out,
                            .session = session,
                            .standings = standings,
                            .frame = &standings->summary,
                            .grouping = &standings->grouping};
    sl_quantile_name(report.tail_name, scenario->objective.tail);
    report.axes = sl_arena_array(&report.arena, scenario->axis_count + 1, sizeof *report.axes);
    if (!report.axes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        report.axes[i] = scenario->axes[i].path;
    for (uint32_t row = 0; row < report.frame->row_count; row++)
        report.has_deadlines |= !isnan(sl_frame_number_of(report.frame, row, "deadline_miss"));
    enum sl_status status = SL_OK;
    if (scenario->objective.order_count == 0)
        status = sl_alternatives_find(&report.alternatives, report.frame, report.grouping,
                                      &report.arena, err);
    if (status == SL_OK)
        print_report(&report);
    sl_arena_free(&report.arena);
    return status;
}
