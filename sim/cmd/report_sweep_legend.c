/* Below the groups of a sweep: what its marks and the word "wins" rest on. */
#include "config.h"

#include "report_sweep_parts.h"
#include <inttypes.h>
#include <math.h>

/* A group's candidate won at first, and was estimated again. */
static bool any_fresh(const struct sl_sweep_report *report)
{
    for (uint32_t g = 0; g < report->grouping->group_count; g++)
        if (!isnan(report->standings->groups[g].fresh_candidate.value))
            return true;
    return false;
}

/* Groups in which two or more compete: whose trials are too few, or all. */
static uint32_t contested(const struct sl_sweep_report *report, bool untested)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < report->grouping->group_count; g++)
        count += report->standings->groups[g].runner_up != SL_NONE &&
                 (!untested || report->standings->groups[g].untested != SL_NONE);
    return count;
}

static void print_marks(struct sl_sweep_report *report)
{
    const struct sl_standings *standings = report->standings;
    char buffer[16];
    fprintf(report->out,
            "* winner: shown by paired tests on common draws, at 95%% for the %u cells that "
            "compete together",
            standings->ranked);
    if (any_fresh(report))
        fprintf(report->out,
                ";\n  its figures and the runner-up's are from seed %" PRIu64
                ", which did not choose",
                sl_fresh_seed(standings->rule.seed));
    putc('\n', report->out);
    if (standings->order_count == 1) {
        fprintf(report->out, "~ %s %s of its group, or not shown to be %s it%s\n",
                sl_sweep_sense(report, 0, "lowest", "highest"), sl_sweep_label(report, 0, buffer),
                sl_sweep_sense(report, 0, "above", "below"), sl_sweep_gain(report));
        return;
    }
    for (uint32_t g = 0; g < report->grouping->group_count; g++)
        if (standings->groups[g].won && standings->groups[g].level > 0) {
            fputs("= tied with the winner until the measure on which it won\n", report->out);
            break;
        }
    fprintf(report->out, "~ tied: not shown to be %s the %s of its group",
            sl_sweep_sense(report, 0, "above", "below"),
            sl_sweep_sense(report, 0, "lowest", "highest"));
    fprintf(report->out, "%s in ", sl_sweep_gain(report));
    sl_sweep_print_measures(report, standings->order_count);
    putc('\n', report->out);
}

void sl_sweep_print_legend(struct sl_sweep_report *report)
{
    if (report->alternatives.in_set)
        fputs("P Pareto set: no cell of its group is better in one of these and worse in none, by "
              "estimates;\n  objective.order absent: state it to have one winner\n",
              report->out);
    else if (contested(report, true) < contested(report, false))
        print_marks(report);
    if (!report->alternatives.in_set && contested(report, true) > 0)
        fputs("? not compared: the trials are too few for a test\n", report->out);
    if (report->rates)
        fputs("throughput: completed jobs per s, one over the mean time per job; more is better\n",
              report->out);
    if (report->has_unsteady)
        fputs("unsteady: jobs show no steady state, and figures are of this horizon; more jobs "
              "(run.jobs) would tell\n",
              report->out);
    bool jobs = sl_scenario_has_jobs(&report->session->scenario);
    const char *separator = "";
    if (report->has_bounds) {
        fputs(!jobs           ? "x bound: mean over lower bound"
              : report->rates ? "x bound: mean over what the busiest resource needs per job"
                              : "x bound: mean over that of the jobs' own chains alone",
              report->out);
        separator = "; ";
    }
    if (report->has_deadlines) {
        fprintf(report->out, "%slate: %s that missed a deadline", separator,
                jobs ? "jobs" : "trials");
        separator = "; ";
    }
    if (report->has_rejections)
        fprintf(report->out, "%srejected: of all jobs that arrived", separator);
    if (report->has_bounds || report->has_deadlines || report->has_rejections)
        putc('\n', report->out);
}
