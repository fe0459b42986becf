/* The report of a comparison for people.  Every table says which policy is which, and which of the
 * two kinds of difference a row is. */
#include "report_compare.h"
#include "grouping.h"
#include "kept.h"
#include "result_parts.h"
#include "series.h"
#include "table.h"
#include <inttypes.h>
#include <math.h>

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_scenario *scenario;
    const struct sl_contest *contest;
    bool rates;       /* the metric is the throughput, whose time per job has no quantiles */
    bool tables;      /* any match was worth one */
    bool limits_used; /* some interval is a conservative one */
};

static const char *interval_text(struct report *report, struct sl_estimate estimate)
{
    if (isnan(estimate.lo) || isnan(estimate.hi))
        return "";
    const char *text =
        sl_arena_printf(&report->arena, "[%s, %s]", sl_estimate_text(&report->arena, estimate.lo),
                        sl_estimate_text(&report->arena, estimate.hi));
    return sl_kept(text);
}

/* "4,000 trials each", or from the fewest to the most; those without a legal plan have none. */
static const char *trials_text(struct report *report)
{
    const struct sl_contest *contest = report->contest;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < contest->count; i++) {
        uint32_t trials = contest->contenders[i].trials;
        most = trials > most ? trials : most;
        least = trials > 0 && trials < least ? trials : least;
    }
    const char *high = sl_grouped(&report->arena, most), *text;
    if (least >= most)
        text = sl_arena_printf(&report->arena, "%s trial%s each", high, most == 1 ? "" : "s");
    else
        text = sl_arena_printf(&report->arena, "%s to %s trials", sl_grouped(&report->arena, least),
                               high);
    return sl_kept(text);
}

static void print_heading(struct report *report, uint64_t seed)
{
    const struct sl_contest *contest = report->contest;
    fprintf(report->out, "%s: %u policies on the same draws, %s, seed %" PRIu64 "\n",
            report->scenario->name, contest->count, trials_text(report), seed);
    for (uint32_t i = 0; i < contest->count; i++) {
        const struct sl_contender *contender = &contest->contenders[i];
        if (contender->verdict != SL_VERDICT_OK)
            fprintf(report->out, "%s: %s: %s\n", contender->policy,
                    sl_verdict_name(contender->verdict), contender->reason);
        if (contender->hypothetical)
            fprintf(report->out,
                    "%s: hypothetical: classes without measured contention ran together; "
                    "compared at the pessimistic corner\n",
                    contender->policy);
    }
}

/* Whoever rejects jobs serves the others sooner. */
static void print_rejected(struct report *report)
{
    const struct sl_contest *contest = report->contest;
    const char *separator = "rejected, of the jobs that arrived: ";
    double most = 0;
    for (uint32_t i = 0; i < contest->count; i++)
        most = fmax(most, contest->contenders[i].rejected);
    for (uint32_t i = 0; most > 0 && i < contest->count; i++) {
        const struct sl_contender *contender = &contest->contenders[i];
        if (isnan(contender->rejected))
            continue;
        fprintf(report->out, "%s%s %.3g%%", separator, contender->policy,
                100 * contender->rejected);
        separator = ", ";
    }
    fputs(most > 0 ? "; figures are of completed jobs\n" : "", report->out);
}

static bool is_told(const struct sl_difference *difference)
{
    return difference->method != SL_PAIRED_TOO_FEW && difference->method != SL_PAIRED_NOT_GIVEN;
}

/* The tail that was asked for, which some trial has too few jobs to have. */
static bool lacks_tail(const struct report *report, const struct sl_match *match,
                       enum sl_paired_figure figure)
{
    const struct sl_contender *contenders = report->contest->contenders;
    bool quantile = figure >= SL_PAIRED_MEDIAN && figure <= SL_PAIRED_P99;
    bool ended = !contenders[match->policy].deadlocked && !contenders[match->reference].deadlocked;
    return quantile && ended && !report->rates &&
           match->paired.figures[figure].method == SL_PAIRED_NOT_GIVEN &&
           sl_paired_quantile(figure) == report->scenario->objective.tail;
}

/* "needs 1,000 counted jobs in each trial" */
static const char *jobs_needed(struct report *report)
{
    const struct sl_series_figure tail = {SL_SERIES_QUANTILE, report->scenario->objective.tail};
    const char *text = sl_arena_printf(&report->arena, "needs %s counted jobs in each trial",
                                       sl_grouped(&report->arena, sl_series_needs(tail)));
    return sl_kept(text);
}

/* The figure that the sentence is about: p99, or what the trials are enough for. */
static enum sl_paired_figure headline(const struct report *report, const struct sl_match *match)
{
    static const enum sl_paired_figure choices[] = {SL_PAIRED_P99, SL_PAIRED_P90, SL_PAIRED_MEDIAN};
    for (size_t i = 0; !report->rates && i < sizeof choices / sizeof *choices; i++)
        if (is_told(&match->paired.figures[choices[i]]))
            return choices[i];
    return SL_PAIRED_MEAN;
}

/* Three digits, upwards: the estimate is no better than that. */
static const char *count_text(struct report *report, double trials)
{
    if (!isfinite(trials))
        return "more than 1e9";
    double step = fmax(1, pow(10, floor(log10(trials)) - 2));
    const char *text = sl_grouped(&report->arena, (uint64_t)(ceil(trials / step) * step));
    text = sl_arena_printf(&report->arena, "about %s", text);
    return sl_kept(text);
}

/* "jit is 4.61 ms [3.9 ms, 5.2 ms] faster than retain at p99". */
static void print_sentence(struct report *report, const struct sl_match *match)
{
    static const char *const at[SL_PAIRED_FIGURES] = {
        [SL_PAIRED_MEAN] = "on average",
        [SL_PAIRED_MEDIAN] = "at the median",
        [SL_PAIRED_P90] = "at p90",
        [SL_PAIRED_P99] = "at p99",
    };
    enum sl_paired_figure figure = headline(report, match);
    const char *policy = report->contest->contenders[match->policy].policy;
    const char *reference = report->contest->contenders[match->reference].policy;
    struct sl_estimate e = match->paired.figures[figure].estimate;
    enum sl_paired_verdict verdict = sl_match_verdict(match, figure);
    fprintf(report->out, "\n%s against %s: ", policy, reference);
    if (match->paired.figures[figure].method == SL_PAIRED_TOO_FEW) {
        fputs("too few trials for any interval\n", report->out);
    } else if (isinf(e.value)) {
        fprintf(report->out, "%s deadlocks %s\n", e.value > 0 ? policy : reference, at[figure]);
    } else if (verdict == SL_PAIRED_FASTER || verdict == SL_PAIRED_SLOWER) {
        struct sl_estimate gain = {-e.value, -e.hi, -e.lo};
        bool faster = verdict == SL_PAIRED_FASTER;
        fprintf(report->out, "%s is %s %s %s %s\n", policy,
                sl_estimate_text(&report->arena, fabs(e.value)),
                interval_text(report, faster ? gain : e), faster ? "faster" : "slower", at[figure]);
    } else if (verdict == SL_PAIRED_EQUAL) {
        fprintf(report->out, "%s %s\n",
                match->margin_us[figure] > 0 ? "less than min_gain apart" : "equal", at[figure]);
    } else {
        fprintf(report->out,
                "which is faster %s is not settled; %s trials would do if the difference stays as "
                "estimated\n",
                at[figure], count_text(report, sl_match_trials_to_settle(match, figure)));
    }
    if (lacks_tail(report, match, SL_PAIRED_P90) || lacks_tail(report, match, SL_PAIRED_P99))
        fprintf(report->out, "  not at p%g, the tail that is asked for: it %s\n",
                100 * report->scenario->objective.tail, jobs_needed(report));
}

static const char *verdict_text(struct report *report, const struct sl_match *match,
                                enum sl_paired_figure figure)
{
    const struct sl_difference *difference = &match->paired.figures[figure];
    enum sl_paired_verdict verdict = sl_match_verdict(match, figure);
    bool of_differences = figure >= SL_PAIRED_OF_MEDIAN;
    double percent = 100 * sl_paired_quantile(figure);
    const char *text = "equal";
    if (difference->method == SL_PAIRED_NOT_GIVEN)
        text = jobs_needed(report);
    else if (difference->method == SL_PAIRED_TOO_FEW && match->paired.n < difference->needs)
        text = sl_arena_printf(&report->arena, "needs %s trials",
                               sl_grouped(&report->arena, difference->needs));
    else if (difference->method == SL_PAIRED_TOO_FEW)
        text = "no mean: trials deadlocked";
    else if (verdict == SL_PAIRED_OPEN)
        text = sl_arena_printf(&report->arena, "not settled; %s trials might do",
                               count_text(report, sl_match_trials_to_settle(match, figure)));
    else if (verdict == SL_PAIRED_EQUAL)
        text = match->margin_us[figure] > 0 ? "less than min_gain apart" : "equal";
    else if (of_differences)
        text = verdict == SL_PAIRED_FASTER
                   ? sl_arena_printf(&report->arena, "faster in at least %g%% of trials", percent)
                   : sl_arena_printf(&report->arena, "slower in at least %g%% of trials",
                                     100 - percent);
    else
        text = sl_paired_verdict_name(verdict);
    return sl_kept(text);
}

static void print_table(struct report *report, const struct sl_match *match)
{
    const char *policy = report->contest->contenders[match->policy].policy;
    const char *reference = report->contest->contenders[match->reference].policy;
    struct sl_table table = sl_table_make(&report->arena, "lrrrlll");
    sl_table_add(&table, "%s - %s", policy, reference);
    sl_table_add(&table, "%s", policy);
    sl_table_add(&table, "%s", reference);
    sl_table_add(&table, "difference");
    sl_table_add(&table, "95%% interval");
    sl_table_add(&table, "verdict");
    sl_table_add(&table, "method");
    for (int f = 0; f < SL_PAIRED_FIGURES; f++) {
        enum sl_paired_figure figure = (enum sl_paired_figure)f;
        const struct sl_difference *difference = &match->paired.figures[f];
        bool of_differences = figure >= SL_PAIRED_OF_MEDIAN;
        if ((difference->method == SL_PAIRED_NOT_GIVEN && !lacks_tail(report, match, figure)) ||
            (report->rates && figure != SL_PAIRED_MEAN))
            continue;
        sl_table_add(&table, "  %s",
                     report->rates ? "time per job" : sl_paired_figure_name(figure));
        sl_table_add(&table, "%s",
                     of_differences ? "" : sl_estimate_text(&report->arena, difference->a));
        sl_table_add(&table, "%s",
                     of_differences ? "" : sl_estimate_text(&report->arena, difference->b));
        sl_table_add(&table, "%s", sl_estimate_text(&report->arena, difference->estimate.value));
        sl_table_add(&table, "%s", interval_text(report, difference->estimate));
        sl_table_add(&table, "%s", verdict_text(report, match, figure));
        sl_table_add(&table, "%s", sl_paired_method_name(difference->method));
        report->limits_used |= difference->method == SL_PAIRED_LIMITS;
    }
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    report->tables = true;
}

/* Policies may stop at numbers of trials of their own; pairs there are only of the first ones. */
static void print_pairs(struct report *report, const struct sl_match *match)
{
    const struct sl_contender *contenders = report->contest->contenders;
    const struct sl_contender *a = &contenders[match->policy], *b = &contenders[match->reference];
    const struct sl_contender *longer = a->trials > b->trials ? a : b;
    if (a->trials != b->trials)
        fprintf(report->out,
                "  over the first %s trials, which both have; %s's own figures are over its %s\n",
                sl_grouped(&report->arena, match->paired.n), longer->policy,
                sl_grouped(&report->arena, longer->trials));
}

static void print_trials(struct report *report, const struct sl_match *match)
{
    const char *policy = report->contest->contenders[match->policy].policy;
    const char *reference = report->contest->contenders[match->reference].policy;
    const struct sl_paired *paired = &match->paired;
    fprintf(report->out, "  %s beats %s in %.3g%% of trials [%.3g%%, %.3g%%]", policy, reference,
            100 * paired->wins.value, 100 * paired->wins.lo, 100 * paired->wins.hi);
    if (paired->ties > 0)
        fprintf(report->out, "; %s ties count half", sl_grouped(&report->arena, paired->ties));
    if (isnan(paired->correlation))
        fputs("; no correlation: one of them is constant, or deadlocked\n", report->out);
    else
        fprintf(report->out, "; correlation of the paired trials %.3g\n", paired->correlation);
    const struct sl_estimate *share = &match->draw_wins.share;
    char name[16];
    if (match->draws > 0)
        fprintf(report->out,
                "  its %s is the lower one in %.3g%% of %s draws of the calibration [%.3g%%, "
                "%.3g%%]\n",
                sl_quantile_name(name, report->scenario->objective.tail), 100 * share->value,
                sl_grouped(&report->arena, match->draws), 100 * share->lo, 100 * share->hi);
}

static const char *rate_verdict_text(struct report *report, const struct sl_match *match,
                                     enum sl_rate rate)
{
    double trials = sl_match_rate_trials(match, rate);
    if (match->paired.n < 2)
        return "needs 2 trials";
    if (isnan(trials))
        return sl_match_rate_verdict(match, rate);
    const char *text = sl_arena_printf(&report->arena, "not settled; %s trials might do",
                                       count_text(report, trials));
    return sl_kept(text);
}

/* Jobs per s, of which more is better. */
static void print_rates(struct report *report, const struct sl_match *match)
{
    struct sl_arena *arena = &report->arena;
    struct sl_table table = sl_table_make(arena, "lrrrll");
    sl_table_add(&table, "rates");
    sl_table_add(&table, "%s", report->contest->contenders[match->policy].policy);
    sl_table_add(&table, "%s", report->contest->contenders[match->reference].policy);
    sl_table_add(&table, "difference");
    sl_table_add(&table, "95%% interval");
    sl_table_add(&table, "verdict");
    for (int r = 0; r < SL_RATES; r++) {
        const struct sl_rate_match *rate = &match->rates[r];
        if (isnan(rate->difference.value))
            continue;
        sl_table_add(&table, "  %s", sl_rate_name((enum sl_rate)r));
        sl_table_add(&table, "%s", sl_number_text(arena, rate->policy, "%.4g/s"));
        sl_table_add(&table, "%s", sl_number_text(arena, rate->reference, "%.4g/s"));
        sl_table_add(&table, "%s", sl_number_text(arena, rate->difference.value, "%.3g/s"));
        sl_table_add_interval(&table, rate->difference, 1, "%.3g/s");
        sl_table_add(&table, "%s", rate_verdict_text(report, match, (enum sl_rate)r));
    }
    if (table.count > 6)
        sl_table_print(&table, report->out);
    sl_table_free(&table);
}

/* Where both have the same in every trial. */
static void print_throughputs(const struct report *report, const struct sl_match *match)
{
    const struct sl_contender *contenders = report->contest->contenders;
    const struct sl_rate_match *rate = &match->rates[SL_RATE_THROUGHPUT];
    if (!isnan(rate->difference.value))
        fprintf(report->out, "  throughput, of which more is better: %s %.4g/s, %s %.4g/s\n",
                contenders[match->policy].policy, rate->policy, contenders[match->reference].policy,
                rate->reference);
}

/* No trial differs (and none deadlocked: there are means). */
static bool are_twins(const struct sl_match *match)
{
    return match->paired.ties == match->paired.n && !isnan(match->paired.figures[SL_PAIRED_MEAN].a);
}

/* Every difference is 0, and conservative intervals around that would only blur it. */
static void print_twins(struct report *report, const struct sl_match *match)
{
    const struct sl_contender *contenders = report->contest->contenders;
    fprintf(report->out,
            "\n%s against %s: the same time in each of %s trials; these draws do not "
            "tell the two apart\n",
            contenders[match->policy].policy, contenders[match->reference].policy,
            sl_grouped(&report->arena, match->paired.n));
}

/* What a course of events gave, without a word of another one. */
static void print_one_course(struct report *report, const struct sl_match *match)
{
    static const char *const names[] = {
        [SL_PAIRED_MEAN] = "mean",
        [SL_PAIRED_MEDIAN] = "median",
        [SL_PAIRED_P90] = "p90",
        [SL_PAIRED_P99] = "p99",
    };
    const struct sl_contender *contenders = report->contest->contenders;
    const char *separator = "";
    fprintf(report->out,
            "\n%s against %s: no conclusion: the trials are one course of events, and tests across "
            "trials say\n  nothing of another one; in this one ",
            contenders[match->policy].policy, contenders[match->reference].policy);
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const struct sl_difference *difference = &match->paired.figures[f];
        if (isnan(difference->estimate.value))
            continue;
        fprintf(report->out, "%s%s %s against %s", separator, names[f],
                sl_estimate_text(&report->arena, difference->a),
                sl_estimate_text(&report->arena, difference->b));
        separator = ", ";
    }
    putc('\n', report->out);
}

static void print_notes(const struct report *report)
{
    double min_gain = report->scenario->objective.min_gain;
    fputs(sl_scenario_has_jobs(report->scenario)
              ? "\nA trial is a replication of the same jobs under each policy.  Figures are those "
                "of each trial's\njobs by themselves, averaged over the trials, and so are their "
                "differences.\n"
              : "\nA difference of quantiles says how far apart the two are there; a quantile of "
                "differences says\nwhat replacing one by the other does to a trial.\n",
          report->out);
    if (min_gain > 0)
        fprintf(report->out,
                "faster, slower: by more than min_gain, %.6g%% of the reference's figure\n",
                100 * min_gain);
    if (report->limits_used)
        fprintf(report->out,
                "limits-of-each: conservative; fewer than %d trials beyond the quantile, or ties "
                "there\n",
                SL_PAIRED_EXCEEDANCES);
}

/* Side by side: what explains a difference, but is none that was tested. */
static void print_traits(struct report *report)
{
    const struct sl_contest *contest = report->contest;
    struct sl_table table = sl_table_make(&report->arena, "llrl");
    sl_table_add(&table, "batches and shared objects");
    sl_table_add(&table, "policy");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    for (uint32_t i = 0; i < contest->count; i++)
        for (uint32_t k = 0; k < contest->contenders[i].trait_count; k++) {
            const struct sl_job_trait *trait = &contest->contenders[i].traits[k];
            const char *format = trait->share ? "%.3g%%" : "%.3g";
            double scale = trait->share ? 100 : 1;
            sl_table_add(&table, "  %s", trait->name);
            sl_table_add(&table, "%s", contest->contenders[i].policy);
            sl_table_add(&table, "%s",
                         sl_number_text(&report->arena, scale * trait->estimate.value, format));
            sl_table_add_interval(&table, trait->estimate, scale, format);
        }
    if (table.count > 4) {
        putc('\n', report->out);
        sl_table_print(&table, report->out);
        fputs("  batch: mean members; found: share of the blocks that jobs looked up\n",
              report->out);
    }
    sl_table_free(&table);
}

void sl_report_compare(FILE *out, const struct sl_scenario *scenario,
                       const struct sl_contest *contest, uint64_t seed)
{
    struct report report = {.out = out,
                            .scenario = scenario,
                            .contest = contest,
                            .rates = scenario->objective.metric == SL_METRIC_THROUGHPUT};
    print_heading(&report, seed);
    print_rejected(&report);
    for (uint32_t i = 0; i < contest->match_count; i++) {
        const struct sl_match *match = &contest->matches[i];
        if (are_twins(match)) {
            print_twins(&report, match);
            print_pairs(&report, match);
            print_throughputs(&report, match);
            continue;
        }
        if (match->one_course) {
            print_one_course(&report, match);
            print_throughputs(&report, match);
            continue;
        }
        print_sentence(&report, match);
        print_pairs(&report, match);
        print_table(&report, match);
        print_rates(&report, match);
        print_trials(&report, match);
    }
    print_traits(&report);
    if (report.tables)
        print_notes(&report);
    sl_report_free(&report.arena);
}
