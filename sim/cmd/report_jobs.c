/* What jobs took, where their time went, and what the machine did meanwhile. */
#include "report_jobs.h"
#include "job_cell.h"
#include "report_batches.h"
#include "report_caches.h"
#include "report_job_lateness.h"
#include "report_job_waits.h"
#include "table.h"
#include "units.h"
#include <math.h>

struct report {
    FILE *out;
    struct sl_arena *arena;
    const struct sl_cell *cell;
    const struct sl_job_cell *jobs;
};

static const char *us_text(const struct report *report, double us)
{
    return sl_estimate_text(report->arena, us);
}

/* ---- how many, and whether it settles -------------------------------------------------------- */

static void print_counts(const struct report *report)
{
    const struct sl_job_cell *jobs = report->jobs;
    const char *before = " (";
    fprintf(report->out, "\njobs: %s arrived, %s completed, %s rejected",
            sl_grouped(report->arena, jobs->arrived), sl_grouped(report->arena, jobs->completed),
            sl_grouped(report->arena, jobs->rejected));
    for (unsigned r = SL_NOT_REJECTED + 1; r < SL_REJECTIONS; r++) {
        if (!jobs->rejected_for[r])
            continue;
        fprintf(report->out, "%s%s: %s", before, sl_rejection_name((enum sl_rejection)r),
                sl_grouped(report->arena, jobs->rejected_for[r]));
        before = ", ";
    }
    fputs(jobs->rejected > 0 ? ")\n" : "\n", report->out);
}

static void print_warmup(const struct report *report)
{
    const struct sl_job_warmup *warmup = &report->jobs->warmup;
    const char *jobs = sl_grouped(report->arena, warmup->jobs);
    const char *found = sl_grouped(report->arena, warmup->detected);
    fputs("warm-up: ", report->out);
    if (warmup->stated)
        fprintf(report->out, "the first %s jobs of each trial are left out, as stated", jobs);
    else if (warmup->judged && warmup->jobs == 0)
        fputs("no job is left out: MSER-5 finds none to leave out", report->out);
    else if (warmup->judged)
        fprintf(report->out, "the first %s jobs of each trial are left out, by MSER-5", jobs);
    else
        fputs("no job is left out", report->out);
    if (!warmup->judged)
        fputs(warmup->stated ? "" : " (a trace, or too few jobs to tell)", report->out);
    else if (!warmup->settled)
        fputs("; it finds no steady state: more jobs per trial (run.jobs) would tell", report->out);
    else if (warmup->stated)
        fprintf(report->out, "; MSER-5 would leave out %s", found);
    fprintf(report->out, "\n  %s jobs are counted\n",
            sl_grouped(report->arena, report->jobs->counted));
    if (report->jobs->distinct < report->jobs->sample_count)
        fputs(
            "  the trials are the same: one course of events, from which figures are taken once\n",
            report->out);
}

/* "offered load 1.12 [0.81, 1.55] at gpu" */
static void print_load(const struct report *report)
{
    const struct sl_job_cell *jobs = report->jobs;
    struct sl_estimate load = jobs->loads[jobs->bottleneck].offered;
    fprintf(report->out, "offered load %.3g", load.value);
    if (!isnan(load.lo))
        fprintf(report->out, " [%.3g, %.3g]", load.lo, load.hi);
    fprintf(report->out, " at %s",
            report->cell->scenario->platform.resource_names.names[jobs->bottleneck]);
}

/* More may be offered than can be served, and yet the latency was not seen to grow. */
static void print_overload(const struct report *report)
{
    const struct sl_job_cell *jobs = report->jobs;
    uint32_t most = jobs->bottleneck;
    bool few = jobs->growth.too_few;
    if (most == SL_NONE || jobs->rejected > 0 || !(few || jobs->loads[most].offered.value >= 1))
        return;
    print_load(report);
    fputs(few ? ": too few jobs to tell whether a queue grows, as one does from 1 on;\n"
              : ": whether a queue grows, as one does from 1 on, these jobs do not settle;\n",
          report->out);
    if (few)
        fprintf(report->out,
                "  figures below are of this horizon, and %u jobs per trial (run.jobs) "
                "would tell\n",
                SL_JOB_GROWTH_JOBS);
    else
        fputs("  figures below are of this horizon, and more jobs (run.jobs) would tell\n",
              report->out);
}

static void print_slope(const struct report *report)
{
    struct sl_estimate slope = report->jobs->growth.slope;
    fprintf(report->out, "a job that arrives a second later takes %s [%s, %s] longer\n",
            us_text(report, slope.value), us_text(report, slope.lo), us_text(report, slope.hi));
}

/* The latency is seen to rise, though not enough to say that it grows without end.  A trace rises
 * and falls by itself. */
static void print_rise(const struct report *report)
{
    if (report->jobs->one_course || !(report->jobs->growth.slope.lo > 0))
        return;
    fputs("rises: ", report->out);
    print_slope(report);
    fputs("  figures below are of this horizon, and more jobs (run.jobs) would tell\n",
          report->out);
}

/* Its verdict is in the heading. */
static void print_growth(const struct report *report)
{
    const struct sl_job_growth *growth = &report->jobs->growth;
    if (!growth->grows) {
        print_rise(report);
        print_overload(report);
        return;
    }
    fputs("grows: no steady state: ", report->out);
    if (growth->seen)
        print_slope(report);
    else {
        print_load(report);
        fputs("; from 1 on a queue grows as long as jobs arrive\n", report->out);
    }
    fputs("  figures below are of this horizon; more jobs would make them larger\n", report->out);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void add_figure(const struct report *report, struct sl_table *table, const char *name,
                       const struct sl_series_result *result)
{
    struct sl_estimate estimate = result->estimate;
    sl_table_add(table, "  %s", name);
    if (isnan(estimate.value)) {
        sl_table_add(table, "-");
        sl_table_add(table, "needs %s jobs", sl_grouped(report->arena, result->needs));
        return;
    }
    sl_table_add(table, "%s", us_text(report, estimate.value));
    if (isnan(estimate.lo))
        sl_table_add(table, "too few jobs for one");
    else
        sl_table_add(table, "[%s, %s]", us_text(report, estimate.lo), us_text(report, estimate.hi));
}

void sl_report_method(FILE *out, struct sl_arena *arena, const struct sl_series_result *mean,
                      bool one_course)
{
    switch (mean->method) {
    case SL_SERIES_REPLICATIONS:
        fprintf(out, "  intervals: Student's t over %u trials%s\n", mean->groups,
                one_course ? " with the same arrivals: given this trace" : "");
        break;
    case SL_SERIES_BATCHES:
        fprintf(out,
                "  intervals: Student's t over %u batches of consecutive jobs; for the mean they "
                "are worth\n  %s independent jobs\n",
                mean->groups, sl_grouped(arena, (uint64_t)fmax(0, mean->effective)));
        if (mean->short_run)
            fputs("  batches still depend on each other, so that the intervals are too narrow: "
                  "run 5 trials or more,\n  or more jobs\n",
                  out);
        break;
    case SL_SERIES_BLOCKS:
        fprintf(out,
                "  intervals: within this trace, one course of events, by resampling %u stretches "
                "of it; another trace\n  is another matter\n",
                mean->groups);
        break;
    case SL_SERIES_NONE:
    case SL_SERIES_METHODS:
        fputs("  no intervals: more trials (5 or more), or more jobs, would give them\n", out);
    }
}

const struct sl_job_line sl_job_lines[SL_JOB_LINES] = {
    {SL_JOB_MEDIAN, "median", "median"}, {SL_JOB_P90, "p90", "p90"},
    {SL_JOB_P95, "p95", "p95"},          {SL_JOB_P99, "p99", "p99"},
    {SL_JOB_P999, "p99.9", "p999"},      {SL_JOB_MEAN, "mean", "mean"},
};

static void print_metric(const struct report *report, uint32_t metric)
{
    const struct sl_job_estimates *estimates = &report->jobs->estimates[metric];
    struct sl_table table = sl_table_make(report->arena, "lrl");
    sl_table_add(&table, "%s%s", report->jobs->metrics.items[metric].name,
                 report->jobs->growth.grows ? " (this horizon)" : "");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    for (size_t r = 0; r < SL_JOB_LINES; r++)
        add_figure(report, &table, sl_job_lines[r].name,
                   &estimates->figures[sl_job_lines[r].figure]);
    sl_table_add(&table, "  longest");
    sl_table_add(&table, "%s", us_text(report, estimates->max));
    sl_table_add(&table, "%s", "");
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    if (metric == 0)
        sl_report_method(report->out, report->arena, &estimates->figures[SL_JOB_MEAN],
                         report->jobs->one_course);
}

/* ---- where the latency goes ------------------------------------------------------------------ */

static void add_part(const struct report *report, struct sl_table *table, const char *name,
                     double ps)
{
    const struct sl_job_parts *parts = &report->jobs->parts;
    if (ps == 0)
        return;
    sl_table_add(table, "  %s", name);
    sl_table_add(table, "%s",
                 sl_time_text(report->arena, ps / (double)parts->jobs / (double)SL_PS_PER_US));
    sl_table_add(table, "%.1f%%", 100 * ps / parts->latency);
}

static void print_parts(const struct report *report)
{
    const struct sl_job_parts *parts = &report->jobs->parts;
    if (parts->jobs == 0 || parts->latency <= 0)
        return;
    struct sl_table table = sl_table_make(report->arena, "lrr");
    sl_table_add(&table, "latency goes to");
    sl_table_add(&table, "mean");
    sl_table_add(&table, "share");
    add_part(report, &table, "admission", parts->admission);
    for (unsigned c = 0; c < SL_CAUSES; c++) {
        char name[64];
        snprintf(name, sizeof name, "wait: %s", sl_cause_name((enum sl_cause)c));
        add_part(report, &table, name, parts->wait[c]);
    }
    add_part(report, &table, "contention", parts->contention);
    add_part(report, &table, "run, isolated", parts->isolated);
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    fputs("  along the chain of each job, from its end back to its arrival\n", report->out);
}

/* ---- rates, loads, limits -------------------------------------------------------------------- */

static void add_rate(const struct report *report, struct sl_table *table, const char *name,
                     struct sl_estimate rate, const char *format)
{
    if (isnan(rate.value))
        return;
    sl_table_add(table, "  %s", name);
    sl_table_add(table, "%s", sl_number_text(report->arena, rate.value, format));
    sl_table_add_interval(table, rate, 1, format);
}

static void print_rates(const struct report *report)
{
    const struct sl_job_cell *jobs = report->jobs;
    struct sl_table table = sl_table_make(report->arena, "lrl");
    sl_table_add(&table, "rates");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    add_rate(report, &table, "throughput", jobs->throughput, "%.4g/s");
    add_rate(report, &table, "goodput", jobs->goodput, "%.4g/s");
    add_rate(report, &table, "jobs in the system", jobs->in_system, "%.4g");
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    fprintf(report->out, "  at most %s in the system at once%s\n",
            sl_grouped(report->arena, jobs->most_jobs),
            jobs->warmup.jobs > 0 ? "; the numbers in the system are over all jobs, warm-up too"
                                  : "");
}

static void print_limits(const struct report *report)
{
    const struct sl_job_cell *jobs = report->jobs;
    if (!jobs->metrics.limited)
        return;
    struct sl_table table = sl_table_make(report->arena, "lrl");
    sl_table_add(&table, "slo");
    sl_table_add(&table, "jobs that keep it");
    sl_table_add(&table, "95%% interval");
    for (uint32_t m = 0; m < jobs->metrics.count; m++) {
        const struct sl_job_metric *metric = &jobs->metrics.items[m];
        struct sl_estimate kept = jobs->estimates[m].kept;
        if (metric->limit_ps == INT64_MAX)
            continue;
        sl_table_add(&table, "  %s <= %s", metric->name,
                     sl_time_text(report->arena, sl_us_of(metric->limit_ps)));
        sl_table_add(&table, "%.4g%%", 100 * kept.value);
        sl_table_add_interval(&table, kept, 100, "%.4g%%");
    }
    sl_table_add(&table, "  all of them");
    sl_table_add(&table, "%.4g%%", 100 * jobs->kept.value);
    sl_table_add_interval(&table, jobs->kept, 100, "%.4g%%");
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    if (jobs->rejected > 0)
        fputs("  a rejected job keeps none\n", report->out);
}

static void print_loads(const struct report *report)
{
    const struct sl_names *names = &report->cell->scenario->platform.resource_names;
    bool open = report->cell->scenario->mode == SL_MODE_OPEN;
    struct sl_table table = sl_table_make(report->arena, "lrlr");
    sl_table_add(&table, "resource");
    sl_table_add(&table, "utilisation");
    sl_table_add(&table, "95%% interval");
    sl_table_add(&table, open ? "offered load" : "");
    for (uint32_t r = 0; r < names->count; r++) {
        const struct sl_job_load *load = &report->jobs->loads[r];
        if (!(load->utilisation.value > 0))
            continue;
        sl_table_add(&table, "  %s", names->names[r]);
        sl_table_add(&table, "%.1f%%", 100 * load->utilisation.value);
        sl_table_add_interval(&table, load->utilisation, 100, "%.1f%%");
        sl_table_add(&table, "%s",
                     open ? sl_number_text(report->arena, load->offered.value, "%.3f") : "");
    }
    if (table.count > 4) {
        putc('\n', report->out);
        sl_table_print(&table, report->out);
        if (report->jobs->warmup.jobs > 0)
            fputs("  over all jobs, warm-up too\n", report->out);
        if (open)
            fputs("  offered load: time for which the jobs held units, as they ran (with "
                  "contention, and as "
                  "drawn),\n  over what there is until the last one arrives; from 1 on the queue "
                  "grows; what batches has none\n",
                  report->out);
    }
    sl_table_free(&table);
}

void sl_report_jobs(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct report report = {out, arena, cell, cell->jobs};
    if (!cell->jobs->estimated) {
        fputs("\na trial deadlocked, so that jobs never ended: no figures are given\n", out);
        return;
    }
    print_counts(&report);
    print_warmup(&report);
    print_growth(&report);
    if (cell->hypothetical)
        fputs(
            "hypothetical: a pair of classes without measured contention ran together; this is the "
            "pessimistic corner\n",
            out);
    for (uint32_t m = 0; m < cell->jobs->metrics.count; m++)
        print_metric(&report, m);
    sl_report_job_lateness(out, arena, cell);
    print_limits(&report);
    print_rates(&report);
    print_parts(&report);
    print_loads(&report);
    sl_report_batches(out, arena, cell);
    sl_report_caches(out, arena, cell);
    sl_report_job_waits(out, arena, cell);
}
