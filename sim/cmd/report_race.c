/* What a race spent, and why cells got no more trials. */
#include "config.h"

#include "race_csv.h"
#include "report_sweep_parts.h"
#include <math.h>

static const struct sl_race_report *race_of(const struct sl_sweep_report *report)
{
    return report->standings->race;
}

static const char *figure_name(const struct sl_sweep_report *report, char buffer[16])
{
    double q = race_of(report)->rule.q;
    return isnan(q) ? "mean" : sl_quantile_name(buffer, q);
}

/* The number of the look, from 1. */
static uint32_t look_number(const struct sl_race_report *race, uint32_t trials)
{
    uint32_t k = 0;
    while (k + 1 < race->looks.count && sl_race_trials(&race->looks, &race->rule, k) < trials)
        k++;
    return k + 1;
}

static void add_evidence(struct sl_sweep_report *report, struct sl_table *table,
                         const struct sl_race_result *result)
{
    const struct sl_runner *runner = &result->runner;
    char buffer[16];
    const char *name = figure_name(report, buffer);
    if (result->same_as != SL_NONE)
        sl_table_add(table, "same plan as cell %u, which ran for both", result->same_as);
    else if (runner->state == SL_RACE_DROPPED)
        sl_table_add(table, "%s at least %s, cell %u's at most %s", name,
                     sl_estimate_text(&report->arena, runner->lo), runner->against,
                     sl_estimate_text(&report->arena, runner->leader_hi));
    else if (runner->state == SL_RACE_SETTLED)
        sl_table_add(table, "%s within [%s, %s], cell %u's within [%s, %s]", name,
                     sl_estimate_text(&report->arena, runner->lo),
                     sl_estimate_text(&report->arena, runner->hi), runner->against,
                     sl_estimate_text(&report->arena, runner->leader_lo),
                     sl_estimate_text(&report->arena, runner->leader_hi));
    else
        sl_table_add(table, "%s", "its verdict");
}

static void add_row(struct sl_sweep_report *report, struct sl_table *table, uint32_t row)
{
    const struct sl_race_result *result = sl_standings_raced(report->standings, row);
    sl_table_add(table, "%s", sl_frame_text_of(report->frame, row, "cell"));
    sl_table_add(table, "%s", sl_frame_text_of(report->frame, row, "policy"));
    sl_table_add(table, "%s", sl_race_outcome(result));
    sl_table_add(table, "%s", sl_grouped(&report->arena, result->runner.trials));
    sl_table_add(table, "%u", look_number(race_of(report), result->runner.trials));
    add_evidence(report, table, result);
}

static bool is_told(const struct sl_race_result *result)
{
    return result->ran && (result->same_as != SL_NONE || result->runner.state != SL_RACE_DONE);
}

static void print_group(struct sl_sweep_report *report, uint32_t group)
{
    struct sl_table table = sl_table_make(&report->arena, "rllrrl");
    uint64_t spent = 0, full = 0;
    static const char *const head[] = {"cell", "policy", "outcome", "trials", "look", "evidence"};
    for (size_t c = 0; c < sizeof head / sizeof *head; c++)
        sl_table_add(&table, "%s", head[c]);
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row]) {
        const struct sl_race_result *result = sl_standings_raced(report->standings, row);
        if (!result->ran)
            continue;
        full += race_of(report)->rule.trials;
        spent += sl_race_simulated(result);
        if (is_told(result))
            add_row(report, &table, row);
    }
    const char *label = report->grouping->groups[group].label;
    fprintf(report->out, "\nrace%s%s: %s of %s trials (%.3g%%)\n", *label ? " at " : "", label,
            sl_grouped(&report->arena, spent), sl_grouped(&report->arena, full),
            full ? 100 * (double)spent / (double)full : 0);
    if (table.count > table.columns)
        sl_table_print(&table, report->out);
    sl_table_free(&table);
}

void sl_sweep_print_race(struct sl_sweep_report *report)
{
    const struct sl_race_report *race = race_of(report);
    for (uint32_t g = 0; g < report->grouping->group_count; g++)
        print_group(report, g);
    fprintf(report->out,
            "race: all limits above hold together with %.4g%%, by looks at %s to %s trials; the "
            "winner's test has the rest of the 5%%\n",
            100 * (1 - race->rule.error), sl_grouped(&report->arena, race->looks.first),
            sl_grouped(&report->arena, race->rule.trials));
    if (race->looks.upper > race->rule.trials)
        fprintf(report->out,
                "race: no cell can be dropped: an upper limit takes %s trials, and there are %s\n",
                sl_grouped(&report->arena, race->looks.upper),
                sl_grouped(&report->arena, race->rule.trials));
}
