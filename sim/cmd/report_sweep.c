/* The report of a sweep for people. */
#include "config.h"

#include "kept.h"
#include "report_sweep_parts.h"
#include "result_parts.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define REASON_WIDTH 200

/* The number of a footnote, the same for the same text; 0 when there is no room. */
static unsigned footnote(struct sl_sweep_report *report, const char *reason)
{
    for (unsigned i = 0; i < report->reason_count; i++)
        if (strcmp(report->reasons[i], reason) == 0)
            return i + 1;
    if (report->reason_count == SL_MAX_REASONS)
        return 0;
    report->reasons[report->reason_count++] = reason;
    return report->reason_count;
}

static void add_head(struct sl_sweep_report *report, struct sl_table *table)
{
    const struct sl_scenario *scenario = &report->session->scenario;
    sl_table_add(table, "cell");
    sl_table_add(table, "policy");
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_table_add(table, "%s", sl_axis_short(report->axes[i]));
    if (!report->rates)
        sl_table_add(table, "median");
    sl_table_add(table, "%s", report->tail_name);
    sl_table_add(table, "%s", "");
    sl_table_add(table, "95%% interval");
    if (report->has_bounds)
        sl_table_add(table, "x bound");
    for (uint32_t d = 0; d < scenario->platform.domain_names.count; d++)
        sl_table_add(table, "peak %s", scenario->platform.domain_names.names[d]);
    if (report->has_deadlines)
        sl_table_add(table, "late");
    if (report->has_rejections)
        sl_table_add(table, "rejected");
    sl_table_add(table, "verdict");
}

const char *sl_sweep_metric(struct sl_sweep_report *report, double us)
{
    return report->rates && isfinite(us) ? sl_number_text(&report->arena, 1e6 / us, "%.4g/s")
                                         : sl_estimate_text(&report->arena, us);
}

const char *sl_sweep_interval(struct sl_sweep_report *report, double lo_us, double hi_us)
{
    if (isnan(lo_us) || isnan(hi_us))
        return "";
    const char *text = sl_arena_printf(&report->arena, "[%s, %s]",
                                       sl_sweep_metric(report, report->rates ? hi_us : lo_us),
                                       sl_sweep_metric(report, report->rates ? lo_us : hi_us));
    return sl_kept(text);
}

static const char *kept(const char *text)
{
    return sl_kept(text);
}

static void add_verdict(struct sl_sweep_report *report, struct sl_table *table, uint32_t row)
{
    const char *verdict = sl_frame_text_of(report->frame, row, "verdict");
    const char *reason = sl_frame_text_of(report->frame, row, "reason");
    const char *mark =
        sl_frame_number_of(report->frame, row, "hypothetical") > 0 ? " (hypothetical)" : "";
    const char *base =
        sl_row_is_baseline(report->session, report->standings, row) ? " (baseline)" : "";
    const char *unsteady = "", *open = "";
    if (*reason)
        open = kept(sl_arena_printf(&report->arena, " [%u]", footnote(report, reason)));
    if (sl_row_unsteady(report->frame, row))
        unsteady = kept(sl_arena_printf(&report->arena, " (unsteady [%u])",
                                        footnote(report, sl_sweep_unsteady_note(report, row))));
    sl_table_add(table, "%s%s%s%s%s", verdict, open, unsteady, mark, base);
}

/* The mark behind the tail; sl_sweep_print_legend tells what it means. */
static const char *mark_of(const struct sl_sweep_report *report, uint32_t row)
{
    const struct sl_standings *standings = report->standings;
    const struct sl_standing *standing = &standings->groups[report->grouping->group_of_row[row]];
    if (report->alternatives.in_set)
        return report->alternatives.in_set[row] ? "P" : "";
    if (standing->runner_up == SL_NONE)
        return "";
    if (sl_standings_uncompared(standings, row))
        return "?";
    if (row == standing->candidate)
        return standing->won ? "*" : "~";
    if (standing->won)
        return standing->level > 0 && sl_standings_was_tied(standings, row) ? "=" : "";
    return sl_standings_tied(standings, row) ? "~" : "";
}

static double over_bound(const struct sl_frame *frame, uint32_t row)
{
    return sl_frame_number_of(frame, row, "mean_us") / sl_frame_number_of(frame, row, "bound_us");
}

static void add_row(struct sl_sweep_report *report, struct sl_table *table, uint32_t row)
{
    const struct sl_frame *frame = report->frame;
    const struct sl_scenario *scenario = &report->session->scenario;
    sl_table_add(table, "%s", sl_frame_text_of(frame, row, "cell"));
    sl_table_add(table, "%s", sl_frame_text_of(frame, row, "policy"));
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_table_add(table, "%s", sl_frame_text_of(frame, row, report->axes[i]));
    if (!report->rates)
        sl_table_add(table, "%s",
                     sl_sweep_metric(report, sl_frame_number_of(frame, row, "median_us")));
    sl_table_add(table, "%s", sl_sweep_metric(report, sl_frame_number_of(frame, row, "tail_us")));
    sl_table_add(table, "%s", mark_of(report, row));
    sl_table_add(table, "%s",
                 sl_sweep_interval(report, sl_frame_number_of(frame, row, "tail_lo_us"),
                                   sl_frame_number_of(frame, row, "tail_hi_us")));
    double ratio = over_bound(frame, row);
    if (report->has_bounds)
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
    if (report->has_rejections) {
        double rejected = sl_row_rejected(frame, row);
        sl_table_add(table, isnan(rejected) ? "-" : "%.3g%%", 100 * rejected);
    }
    add_verdict(report, table, row);
}

static void print_rows(struct sl_sweep_report *report)
{
    const struct sl_scenario *scenario = &report->session->scenario;
    char alignments[SL_TABLE_COLUMNS + 1] = "rl";
    size_t at = 2, axes = scenario->axis_count, domains = scenario->platform.domain_names.count;
    if (axes + domains + 10 > SL_TABLE_COLUMNS) {
        fputs("(too many axes and domains for a table; use --json)\n", report->out);
        return;
    }
    while (at < 2 + axes + (report->rates ? 1 : 2))
        alignments[at++] = 'r';
    alignments[at++] = 'l';
    alignments[at++] = 'l';
    if (report->has_bounds)
        alignments[at++] = 'r';
    for (size_t d = 0; d < domains; d++)
        alignments[at++] = 'r';
    if (report->has_deadlines)
        alignments[at++] = 'r';
    if (report->has_rejections)
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

static void print_report(struct sl_sweep_report *report)
{
    const struct sl_session *session = report->session;
    fprintf(report->out, "%s: %u cells, %s trials %s, seed %" PRIu64 "\n\n", session->scenario.name,
            report->frame->row_count,
            sl_grouped(&report->arena, session->args.options.trials ? session->args.options.trials
                                                                    : session->scenario.trials),
            report->standings->race || session->args.options.until.width > 0 ? "at the most"
                                                                             : "each",
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
        sl_sweep_print_group(report, g);
    sl_sweep_print_legend(report);
    if (report->standings->race)
        sl_sweep_print_race(report);
    if (session->totals.nodes > 0 && session->totals.seconds > 0)
        fprintf(report->out, "%s trials in %.1f s (%.0f trials/s, %.1f ns per node)\n",
                sl_grouped(&report->arena, session->totals.trials), session->totals.seconds,
                (double)session->totals.trials / session->totals.seconds,
                session->totals.seconds * 1e9 / (double)session->totals.nodes);
}

const char *sl_sweep_cell_name(struct sl_arena *arena, const struct sl_session *session,
                               const struct sl_frame *summary, uint32_t row)
{
    const char *name = sl_frame_text_of(summary, row, "policy"), *separator = " (";
    for (uint32_t a = 0; name && a < session->scenario.axis_count; a++) {
        const char *path = session->scenario.axes[a].path;
        const char *value = sl_frame_text_of(summary, row, path);
        if (!sl_axis_is_policys(path) || !*value)
            continue;
        name = sl_arena_printf(arena, "%s%s%s %s", name, separator, sl_axis_short(path), value);
        separator = ", ";
    }
    if (name && *separator == ',')
        name = sl_arena_printf(arena, "%s)", name);
    return sl_kept(name);
}

enum sl_status sl_report_sweep(FILE *out, const struct sl_session *session,
                               const struct sl_standings *standings, struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    struct sl_sweep_report report = {.out = out,
                                     .session = session,
                                     .standings = standings,
                                     .frame = &standings->summary,
                                     .grouping = &standings->grouping};
    report.rates = scenario->objective.metric == SL_METRIC_THROUGHPUT;
    if (report.rates)
        snprintf(report.tail_name, sizeof report.tail_name, "throughput");
    else
        sl_quantile_name(report.tail_name, scenario->objective.tail);
    report.axes = sl_arena_array(&report.arena, scenario->axis_count + 1, sizeof *report.axes);
    if (!report.axes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        report.axes[i] = scenario->axes[i].path;
    for (uint32_t row = 0; row < report.frame->row_count; row++) {
        report.has_deadlines |= !isnan(sl_frame_number_of(report.frame, row, "deadline_miss"));
        report.has_rejections |= sl_row_rejected(report.frame, row) > 0;
        report.has_bounds |= isfinite(over_bound(report.frame, row));
        report.has_unsteady |= sl_row_unsteady(report.frame, row);
    }
    enum sl_status status = SL_OK;
    if (scenario->objective.order_count == 0)
        status = sl_alternatives_find(&report.alternatives, report.frame, report.grouping,
                                      &report.arena, err);
    if (status == SL_OK)
        print_report(&report);
    sl_report_free(&report.arena);
    return status;
}
