/* The report of a search for people. */
#include "config.h"

#include "grouping.h"
#include "kept.h"
#include "memout.h"
#include "order_figures.h"
#include "report_search.h"
#include "report_until.h"
#include "result_parts.h"
#include "table.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_session *session;
    const struct sl_search_result *result;
    const struct sl_finals *finals;
    const struct sl_search_verdict *verdict;
    struct sl_frame frame; /* of the cells */
    size_t pairs_from;     /* trials for intervals that pair them, where some do not; 0: all do */
};

enum sl_status sl_finals_frame(struct sl_frame *frame, const struct sl_finals *finals,
                               const uint32_t *items, uint32_t count,
                               const struct sl_scenario *scenario, struct sl_error *err)
{
    struct sl_memout out;
    *frame = (struct sl_frame){0};
    if (!sl_memout_open(&out))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a report");
    sl_summary_header(out.stream, scenario);
    for (uint32_t i = 0; i < count; i++)
        sl_summary_row(out.stream, &finals->items[items ? items[i] : i].cell);
    char *text = sl_memout_close(&out);
    enum sl_status status = text ? sl_frame_parse(frame, text, out.size, err)
                                 : SL_FAIL(err, SL_SYSTEM, "out of memory for a report");
    free(text);
    return status;
}

/* Orders come on top of the choices that make up the space. */
static void print_exhausted(struct report *report)
{
    const struct sl_search_result *result = report->result;
    uint32_t orders = 0;
    for (uint32_t k = 0; k < result->move_count; k++)
        if (strcmp(result->moves[k].name, "reorder") == 0)
            orders = result->moves[k].tried;
    if (result->space > 1)
        fprintf(report->out, "all %.0f plans of this space were tried", result->space);
    else
        fputs("the only plan of this space was tried", report->out);
    if (orders > 0)
        fprintf(report->out, ", and %u more that order the best anew", orders);
    putc('\n', report->out);
}

static void print_heading(struct report *report, double search_s, double estimates_s)
{
    const struct sl_search_result *result = report->result;
    struct sl_arena *arena = &report->arena;
    uint32_t trials = report->finals->items[0].cell.trials;
    fprintf(report->out,
            "%s: search, %s plan%s made in %.3g s (%s had been run before), %s trials\n",
            report->session->scenario.name, sl_grouped(arena, result->evaluations),
            result->evaluations == 1 ? "" : "s", search_s, sl_grouped(arena, result->repeated),
            sl_grouped(arena, result->trials));
    fprintf(report->out, "  %s gaps between uses are open; ", sl_grouped(arena, result->gaps));
    if (result->exhausted)
        print_exhausted(report);
    else if (isinf(result->space))
        fputs("there are more than 1e300 plans\n", report->out);
    else
        fprintf(report->out, "there %s %.3g plan%s\n", result->space > 1 ? "are" : "is",
                result->space, result->space > 1 ? "s" : "");
    if (result->space <= report->session->scenario.policy_count)
        fputs(
            "  nothing to search: every policy leaves its objects to the graph (as-given) or to a "
            "chain;\n  give one that retains, offloads or recomputes\n",
            report->out);
    fprintf(report->out,
            "estimated anew in %.3g s: %s trials, seed %" PRIu64
            ", draws that the search did not use\n",
            estimates_s, sl_grouped(arena, trials), sl_session_seed(report->session));
}

static const char *with_interval(struct report *report, const struct sl_order_item *item,
                                 struct sl_estimate estimate)
{
    struct sl_arena *arena = &report->arena;
    const char *value = sl_order_text(arena, item, estimate.value), *text = value;
    if (!isnan(estimate.lo))
        text = sl_arena_printf(arena, "%s [%s, %s]", value, sl_order_text(arena, item, estimate.lo),
                               sl_order_text(arena, item, estimate.hi));
    return sl_kept(text);
}

static const char *time_difference_text(struct sl_arena *arena, struct sl_estimate difference)
{
    const char *text = sl_arena_printf(
        arena, "%s [%s, %s]", sl_estimate_text(arena, difference.value),
        sl_estimate_text(arena, difference.lo), sl_estimate_text(arena, difference.hi));
    return sl_kept(text);
}

static const char *mean_difference_text(struct report *report, uint32_t other)
{
    const struct sl_contest *contest = &report->finals->contest;
    for (uint32_t k = 0; k < contest->match_count; k++) {
        const struct sl_difference *mean = &contest->matches[k].paired.figures[SL_PAIRED_MEAN];
        if (contest->matches[k].reference == other)
            return mean->method == SL_PAIRED_TOO_FEW
                       ? "too few trials"
                       : time_difference_text(&report->arena, mean->estimate);
    }
    return "";
}

/* Of what has no interval: the largest of all trials, or what is summed over them. */
static const char *plain_difference_text(struct report *report, const struct sl_order_item *item,
                                         uint32_t other)
{
    double difference = sl_order_estimate(&report->frame, 0, item).value -
                        sl_order_estimate(&report->frame, other, item).value;
    if (isnan(difference))
        return "";
    const char *text = sl_arena_printf(&report->arena, "%s%s", difference < 0 ? "-" : "",
                                       sl_order_text(&report->arena, item, fabs(difference)));
    return sl_kept(text);
}

/* The first plan's figure less another's, with a paired interval where trials have one. */
static const char *difference_text(struct report *report, const struct sl_order_item *item,
                                   uint32_t other)
{
    const struct sl_contest *contest = &report->finals->contest;
    const struct sl_contender *a = &contest->contenders[0], *b = &contest->contenders[other];
    struct sl_arena *arena = &report->arena;
    double q = sl_order_quantile(item, report->session->scenario.objective.tail);
    struct sl_difference difference;
    struct sl_error unheard = {0};
    if (item->measure == SL_MEASURE_MEAN)
        return mean_difference_text(report, other);
    if (item->measure > SL_MEASURE_MEAN)
        return plain_difference_text(report, item, other);
    if (!a->metric_us || !b->metric_us)
        return "";
    uint32_t n = a->trials < b->trials ? a->trials : b->trials, same = 0;
    while (same < n && a->metric_us[same] == b->metric_us[same])
        same++;
    if (same == n)
        return "the same in every trial";
    if (sl_paired_at(&difference, a->metric_us, b->metric_us, n, q,
                     sl_session_seed(report->session), 0.95, &unheard) != SL_OK ||
        difference.method == SL_PAIRED_TOO_FEW)
        return "too few trials";
    if (difference.method == SL_PAIRED_LIMITS && sl_paired_bootstrap_min_n(q) > n &&
        sl_paired_bootstrap_min_n(q) != SIZE_MAX)
        report->pairs_from = sl_paired_bootstrap_min_n(q);
    return time_difference_text(arena, difference.estimate);
}

static const char *role_of(const struct report *report, uint32_t i)
{
    bool named = i == report->finals->named, second = i == report->finals->runner_up;
    if (i == 0 && report->verdict->finding == SL_FINDING_INFEASIBLE)
        return "best so far";
    if (report->result->pareto)
        return named ? "best policy" : "of the Pareto set";
    if (i == 0 && report->finals->items[0].plan->named)
        return sl_search_has_winner(report->verdict) ? "winner, a policy's own plan"
                                                     : "best, a policy's own plan";
    if (i == 0)
        return sl_search_has_winner(report->verdict) ? "winner" : "best found";
    return !named ? "runner-up" : second ? "runner-up, best policy" : "best policy";
}

static void print_cells(struct report *report)
{
    const struct sl_finals *finals = report->finals;
    struct sl_table table = sl_table_make(&report->arena, "lllll");
    char label[16];
    double tail = report->session->scenario.objective.tail;
    for (uint32_t i = 0; i < finals->count; i++) {
        const struct sl_final *item = &finals->items[i];
        sl_table_add(&table, "%s", item->name);
        sl_table_add(&table, "%s", role_of(report, i));
        sl_table_add(&table, "%s", "");
        if (i == 0)
            sl_table_add(&table, "%s", "");
        else
            sl_table_add(&table, "%s less this one", finals->items[0].name);
        sl_table_add(&table, "%s",
                     item->cell.verdict == SL_VERDICT_OK ? ""
                                                         : sl_verdict_name(item->cell.verdict));
        for (uint32_t k = 0; k < report->result->levels; k++) {
            const struct sl_order_item *order = &report->result->order[k];
            sl_table_add(&table, "%s", "");
            sl_table_add(&table, "  %s", sl_order_label(label, order, tail));
            sl_table_add(&table, "%s",
                         with_interval(report, order, sl_order_estimate(&report->frame, i, order)));
            sl_table_add(&table, "%s", i == 0 ? "" : difference_text(report, order, i));
            sl_table_add(&table, "%s", "");
        }
    }
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
}

/* Whether the first plan's first measure is not shown to be above the bound of all plans. */
static bool reaches_bound(const struct report *report)
{
    const struct sl_order_item *first = &report->result->order[0];
    if (first->measure > SL_MEASURE_MEAN)
        return false;
    struct sl_estimate own = sl_order_estimate(&report->frame, 0, first);
    return isfinite(own.value) &&
           fmin(own.value, own.lo) <= report->finals->bounds[first->measure].value;
}

/* Of the first measure, where it is one of the run's time. */
static void print_bound(struct report *report)
{
    const struct sl_finals *finals = report->finals;
    const struct sl_order_item *first = &report->result->order[0];
    char buffer[16];
    if (first->measure > SL_MEASURE_MEAN)
        return;
    struct sl_estimate bound = finals->bounds[first->measure];
    double value = sl_order_estimate(&report->frame, 0, first).value;
    const char *label = sl_order_label(buffer, first, report->session->scenario.objective.tail);
    if (finals->bound_broken)
        fprintf(report->out,
                "no lower bound on the %s: a plan is below the one that was computed, which is a "
                "defect of slackline\n",
                label);
    else if (isnan(finals->bounds[SL_MEASURE_MEAN].value))
        fputs("no lower bound: the plan that keeps everything does not run\n", report->out);
    else if (isnan(bound.value))
        fprintf(report->out, "no lower bound on the %s: too few trials\n", label);
    if (!(bound.value > 0))
        return;
    fprintf(report->out,
            "lower bound on the %s of every plan: %s (longest path or largest load of what all of "
            "them run)",
            label, with_interval(report, first, bound));
    if (isfinite(value))
        fprintf(report->out, "; %s's is %.4g times that%s", finals->items[0].name,
                value / bound.value,
                reaches_bound(report) ? ": no plan is shown to have a lower one" : "");
    putc('\n', report->out);
}

/* What its table says about nodes: the order that it was given. */
static void print_order(struct report *report, const struct sl_tuning *tuning)
{
    uint32_t edges = 0, releases = 0;
    for (uint32_t i = 0; tuning && i < tuning->node_count; i++) {
        edges += tuning->nodes[i].after != NULL;
        releases += tuning->nodes[i].release_ps >= 0;
    }
    if (edges + releases > 0)
        fprintf(report->out, "its order: %u ordering edges, %u releases\n", edges, releases);
}

/* What the first plan's policy said about gaps. */
static void print_choices(struct report *report)
{
    const struct sl_final *first = &report->finals->items[0];
    const struct sl_plan *plan = &first->cell.plan;
    const struct sl_tuning *tuning = first->plan->policy.tuning;
    uint32_t timed = 0;
    for (uint32_t i = 0; tuning && i < tuning->gap_count; i++)
        timed += tuning->gaps[i].prefetch != NULL;
    fprintf(report->out,
            "%s: %u object%s kept, %u moved away and back, %u computed again; "
            "over the rules of %s, %u move%s timed by themselves\n",
            first->name, plan->retained, plan->retained == 1 ? "" : "s", plan->offloaded,
            plan->rematerialized, first->plan->base, timed, timed == 1 ? "" : "s");
    print_order(report, tuning);
}

static void print_moves(struct report *report)
{
    const struct sl_search_result *result = report->result;
    struct sl_table table = sl_table_make(&report->arena, "lrrrr");
    char label[16];
    sl_table_add(&table, "move");
    sl_table_add(&table, "tried");
    sl_table_add(&table, "went on");
    sl_table_add(&table, "best so far");
    sl_table_add(
        &table, "gain in %s",
        sl_order_label(label, &result->order[0], report->session->scenario.objective.tail));
    for (uint32_t k = 0; k < result->move_count; k++) {
        const struct sl_search_move *move = &result->moves[k];
        const struct sl_order_item *first = &result->order[0];
        bool of_time = first->measure <= SL_MEASURE_MAX_WAIT;
        if (move->tried == 0)
            continue;
        sl_table_add(&table, "%s", move->name);
        sl_table_add(&table, "%s", sl_grouped(&report->arena, move->tried));
        sl_table_add(&table, "%s", sl_grouped(&report->arena, move->accepted));
        sl_table_add(&table, "%s", sl_grouped(&report->arena, move->best));
        sl_table_add(&table, "%s",
                     move->gain <= 0
                         ? "-"
                         : sl_order_text(&report->arena, first,
                                         of_time ? move->gain / (double)SL_PS_PER_US : move->gain));
    }
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
}

static void print_hypothetical(struct report *report)
{
    for (uint32_t i = 0; i < report->finals->count; i++) {
        const struct sl_cell *cell = &report->finals->items[i].cell;
        if (!cell->hypothetical)
            continue;
        fprintf(report->out,
                "%s is hypothetical: classes without measured contention ran together; its figures "
                "are of the pessimistic corner",
                report->finals->items[i].name);
        if (cell->metric_optimistic_ps)
            fprintf(report->out, ", optimistic: median %s, p99 %s",
                    sl_estimate_text(&report->arena, cell->median_optimistic.value),
                    sl_estimate_text(&report->arena, cell->p99_optimistic.value));
        putc('\n', report->out);
    }
}

static void print_notes(struct report *report)
{
    const struct sl_search_result *result = report->result;
    if (report->pairs_from > 0)
        fprintf(report->out,
                "the trials are too few to pair them in every difference, whose intervals are "
                "wide then: --trials %s does\n",
                sl_grouped(&report->arena, report->pairs_from));
    if (result->hurried)
        fputs("time was over before all policies' plans had their trials: some of them were judged "
              "by "
              "few\n",
              report->out);
    else if (result->interrupted)
        fprintf(report->out,
                "the interrupt left out the longer look at the best plans: --evaluations %u makes "
                "the same plans, but may put another one first\n",
                result->evaluations);
    else if (!result->exhausted)
        fprintf(report->out, "--evaluations %u gives the same again%s\n", result->evaluations,
                reaches_bound(report) ? "" : "; more may find better");
}

enum sl_status sl_report_search(FILE *out, const struct sl_session *session,
                                const struct sl_search_result *result,
                                const struct sl_finals *finals,
                                const struct sl_search_verdict *verdict, double search_s,
                                double estimates_s, struct sl_error *err)
{
    struct report report = {
        .out = out, .session = session, .result = result, .finals = finals, .verdict = verdict};
    enum sl_status status =
        sl_finals_frame(&report.frame, finals, NULL, finals->count, &session->scenario, err);
    if (status == SL_OK) {
        print_heading(&report, search_s, estimates_s);
        print_cells(&report);
        sl_search_verdict_print(out, verdict, session, finals);
        print_hypothetical(&report);
        print_bound(&report);
        print_choices(&report);
        print_moves(&report);
        print_notes(&report);
        sl_report_until_rows(out, &session->args.options.until, &report.frame);
    }
    sl_frame_free(&report.frame);
    sl_report_free(&report.arena);
    return status;
}
