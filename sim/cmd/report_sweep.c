/* The report of a sweep for people. */
#include "config.h"

#include "frame.h"
#include "grouping.h"
#include "report_sweep.h"
#include "result_parts.h"
#include "table.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REASONS  64
#define REASON_WIDTH 200

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_session *session;
    struct sl_frame frame;
    struct sl_grouping grouping;
    const char **axes;
    const char *reasons[MAX_REASONS]; /* footnotes, each text once */
    unsigned reason_count;
    char tail_name[16];
    bool has_deadlines; /* in any cell */
};

enum sl_status sl_session_frame(const struct sl_session *session, struct sl_frame *frame,
                                struct sl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_summary_header(memory, &session->scenario);
    for (uint32_t i = 0; i < session->line_count; i++)
        if (session->lines[i])
            fputs(session->lines[i], memory);
    if (fclose(memory) != 0) {
        free(text);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    enum sl_status status = sl_frame_parse(frame, text, size, err);
    free(text);
    return status;
}

static bool agrees_on_axes(const struct sl_scenario *scenario, const struct sl_frame *frame,
                           uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < scenario->axis_count; i++) {
        const char *x = sl_frame_text_of(frame, a, scenario->axes[i].path);
        const char *y = sl_frame_text_of(frame, b, scenario->axes[i].path);
        if (*x && *y && strcmp(x, y) != 0)
            return false;
    }
    return true;
}

bool sl_row_is_baseline(const struct sl_session *session, const struct sl_frame *frame,
                        uint32_t row)
{
    const struct sl_scenario *scenario = &session->scenario;
    const char *policy = sl_frame_text_of(frame, row, "policy");
    bool ok = strcmp(sl_frame_text_of(frame, row, "verdict"), "ok") == 0;
    if (scenario->baseline && strcmp(policy, scenario->baseline) == 0)
        return ok;
    if (!ok || !scenario->baseline || !scenario->fallback_baseline ||
        strcmp(policy, scenario->fallback_baseline) != 0)
        return false;
    for (uint32_t other = 0; other < frame->row_count; other++)
        if (strcmp(sl_frame_text_of(frame, other, "policy"), scenario->baseline) == 0 &&
            agrees_on_axes(scenario, frame, row, other))
            return strcmp(sl_frame_text_of(frame, other, "verdict"), "ok") != 0;
    return false;
}

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
    const char *verdict = sl_frame_text_of(&report->frame, row, "verdict");
    const char *reason = sl_frame_text_of(&report->frame, row, "reason");
    const char *mark =
        sl_frame_number_of(&report->frame, row, "hypothetical") > 0 ? " (hypothetical)" : "";
    const char *base =
        sl_row_is_baseline(report->session, &report->frame, row) ? " (baseline)" : "";
    if (*reason)
        sl_table_add(table, "%s [%u]%s%s", verdict, footnote(report, reason), mark, base);
    else
        sl_table_add(table, "%s%s%s", verdict, mark, base);
}

static void add_row(struct report *report, struct sl_table *table, uint32_t row)
{
    const struct sl_frame *frame = &report->frame;
    const struct sl_scenario *scenario = &report->session->scenario;
    uint32_t best = report->grouping.groups[report->grouping.group_of_row[row]].best_row;
    sl_table_add(table, "%s", sl_frame_text_of(frame, row, "cell"));
    sl_table_add(table, "%s", sl_frame_text_of(frame, row, "policy"));
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_table_add(table, "%s", sl_frame_text_of(frame, row, report->axes[i]));
    add_time(report, table, sl_frame_number_of(frame, row, "median_us"));
    add_time(report, table, sl_frame_number_of(frame, row, "tail_us"));
    bool ties = best != SL_NONE && sl_row_ranks(frame, row) && sl_rows_tie(frame, row, best);
    sl_table_add(table, "%s", row == best ? "*" : ties ? "~" : "");
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
    for (uint32_t row = 0; row < report->frame.row_count; row++) {
        if (row > 0 && report->grouping.group_of_row[row] != report->grouping.group_of_row[row - 1])
            for (uint32_t c = 0; c < table.columns; c++)
                sl_table_add(&table, "%s", "");
        add_row(report, &table, row);
    }
    sl_table_print(&table, report->out);
    sl_table_free(&table);
}

/* objective.min_gain: the lowest tail is no winner unless all other policies' are higher by as
 * much. */
static void print_gain(struct report *report, const struct sl_group *group)
{
    const struct sl_frame *frame = &report->frame;
    double wanted = report->session->scenario.objective.min_gain, next = INFINITY;
    const char *winner = sl_frame_text_of(frame, group->best_row, "policy"), *second = NULL;
    for (uint32_t row = 0; row < frame->row_count; row++) {
        const char *policy = sl_frame_text_of(frame, row, "policy");
        double tail = sl_frame_number_of(frame, row, "tail_us");
        if (&report->grouping.groups[report->grouping.group_of_row[row]] == group &&
            sl_row_ranks(frame, row) && strcmp(policy, winner) != 0 && tail < next) {
            next = tail;
            second = policy;
        }
    }
    double gain = 1 - sl_frame_number_of(frame, group->best_row, "tail_us") / next;
    if (second && gain < wanted)
        fprintf(report->out, "; no winner: it gains %.2g%% over %s, less than min_gain %.6g%%",
                100 * gain, second, 100 * wanted);
}

/* One honest sentence per group. */
static void print_group(struct report *report, const struct sl_group *group)
{
    const struct sl_frame *frame = &report->frame;
    fputs(*group->label ? "at " : "", report->out);
    fputs(group->label, report->out);
    fputs(*group->label ? ": " : "", report->out);
    if (group->best_row == SL_NONE) {
        fputs("no cell is ok\n", report->out);
        return;
    }
    fprintf(
        report->out, "%s has the lowest %s: %s [%s, %s]",
        sl_frame_text_of(frame, group->best_row, "policy"), report->tail_name,
        sl_estimate_text(&report->arena, sl_frame_number_of(frame, group->best_row, "tail_us")),
        sl_estimate_text(&report->arena, sl_frame_number_of(frame, group->best_row, "tail_lo_us")),
        sl_estimate_text(&report->arena, sl_frame_number_of(frame, group->best_row, "tail_hi_us")));
    if (group->tied == 0)
        fputs("; no other policy's interval overlaps it", report->out);
    else
        fprintf(report->out, "; tie: the intervals of %u other polic%s overlap it", group->tied,
                group->tied == 1 ? "y" : "ies");
    print_gain(report, group);
    putc('\n', report->out);
}

static void print_report(struct report *report)
{
    const struct sl_session *session = report->session;
    fprintf(report->out, "%s: %u cells, %s trials each, seed %" PRIu64 "\n\n",
            session->scenario.name, report->frame.row_count,
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
    for (uint32_t g = 0; g < report->grouping.group_count; g++)
        print_group(report, &report->grouping.groups[g]);
    fprintf(report->out,
            "* lowest %s of its group, ~ its 95%% interval overlaps that one's (not told apart); "
            "x bound: mean over lower bound%s\n",
            report->tail_name,
            report->has_deadlines ? "; late: trials that missed a deadline" : "");
    if (session->totals.seconds > 0)
        fprintf(report->out, "%s trials in %.1f s (%.0f trials/s, %.1f ns per node)\n",
                sl_grouped(&report->arena, session->totals.trials), session->totals.seconds,
                (double)session->totals.trials / session->totals.seconds,
                session->totals.nodes > 0
                    ? session->totals.seconds * 1e9 / (double)session->totals.nodes
                    : 0.0);
}

enum sl_status sl_report_sweep(FILE *out, const struct sl_session *session, struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    struct report report = {.out = out, .session = session};
    sl_quantile_name(report.tail_name, scenario->objective.tail);
    report.axes = sl_arena_array(&report.arena, scenario->axis_count + 1, sizeof *report.axes);
    enum sl_status status = report.axes ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < scenario->axis_count; i++)
        report.axes[i] = scenario->axes[i].path;
    if (status == SL_OK)
        status = sl_session_frame(session, &report.frame, err);
    if (status == SL_OK)
        status = sl_grouping_make(&report.grouping, &report.frame, report.axes,
                                  scenario->axis_count, &report.arena, err);
    for (uint32_t row = 0; status == SL_OK && row < report.frame.row_count; row++)
        report.has_deadlines |= !isnan(sl_frame_number_of(&report.frame, row, "deadline_miss"));
    if (status == SL_OK)
        print_report(&report);
    sl_frame_free(&report.frame);
    sl_arena_free(&report.arena);
    return status;
}
