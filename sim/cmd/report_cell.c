/* The report of one cell for people.  Three significant digits; the folder and --json hold all. */
#include "report_cell.h"
#include "kept.h"
#include "report_critical.h"
#include "report_jobs.h"
#include "report_outcomes.h"
#include "report_shares.h"
#include "report_use.h"
#include "report_waits.h"
#include "result_parts.h"
#include "table.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>

#define SHOWN_SHARES 12

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_cell *cell;
};

static void print_heading(struct report *report, uint64_t seed)
{
    const struct sl_cell *cell = report->cell;
    fprintf(report->out, "%s: policy %s, %s trials, seed %" PRIu64 "\n", cell->scenario->name,
            cell->spec.policy, sl_grouped(&report->arena, cell->trials), seed);
    if (cell->verdict != SL_VERDICT_OK)
        fprintf(report->out, "verdict: %s: %s\n", sl_verdict_name(cell->verdict), cell->reason);
    if (cell->deadlocked > 0 && !cell->jobs)
        fprintf(
            report->out, "%s of %s trials deadlocked; they count as infinite in the quantiles\n",
            sl_grouped(&report->arena, cell->deadlocked), sl_grouped(&report->arena, cell->trials));
}

static void add_estimate(struct report *report, struct sl_table *table, const char *name,
                         struct sl_estimate estimate, double q)
{
    sl_table_add(table, "  %s", name);
    if (isnan(estimate.value) && q > 0) {
        sl_table_add(table, "-");
        sl_table_add(table, "needs %s trials",
                     sl_grouped(&report->arena, sl_quantile_min_n(q, 0.95)));
        return;
    }
    sl_table_add(table, "%s", sl_estimate_text(&report->arena, estimate.value));
    if (isnan(estimate.lo) || isnan(estimate.hi))
        sl_table_add(table, "%s", "");
    else
        sl_table_add(table, "[%s, %s]", sl_estimate_text(&report->arena, estimate.lo),
                     sl_estimate_text(&report->arena, estimate.hi));
}

static void print_quantiles(struct report *report)
{
    const struct sl_cell *cell = report->cell;
    struct sl_table table = sl_table_make(&report->arena, "lrl");
    sl_table_add(&table, "%s", sl_metric_name(cell->scenario));
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    add_estimate(report, &table, "median", cell->median, 0.5);
    add_estimate(report, &table, "p90", cell->p90, 0.9);
    add_estimate(report, &table, "p95", cell->p95, 0.95);
    add_estimate(report, &table, "p99", cell->p99, 0.99);
    add_estimate(report, &table, "p99.9", cell->p999, 0.999);
    add_estimate(report, &table, "mean", cell->mean, 0);
    struct sl_estimate bound = {cell->bound_us, NAN, NAN};
    add_estimate(report, &table, "lower bound", bound, 0);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    if (cell->bound_us > 0 && isfinite(cell->mean.value))
        fprintf(report->out,
                "  the mean is %.3f times the lower bound (longest path or resource load)\n",
                cell->mean.value / cell->bound_us);
    if (cell->hypothetical) {
        fputs("  hypothetical: a pair of classes without measured contention ran together\n",
              report->out);
        if (cell->metric_optimistic_ps)
            fprintf(report->out,
                    "  above is the pessimistic corner; optimistic: median %s, p99 %s (corners, "
                    "not bounds)\n",
                    sl_estimate_text(&report->arena, cell->median_optimistic.value),
                    sl_estimate_text(&report->arena, cell->p99_optimistic.value));
    }
}

/* What the iterations after warm-up took, each. */
static void print_iterations(struct report *report)
{
    const struct sl_cell *cell = report->cell;
    uint32_t iterations = cell->iterations.count, warmup = cell->iterations.warmup;
    if (!cell->iteration_us)
        return;
    struct sl_table table = sl_table_make(&report->arena, "lrl");
    sl_table_add(&table, "per iteration");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    add_estimate(report, &table, "median", cell->iteration_median, 0.5);
    add_estimate(report, &table, "p99", cell->iteration_p99, 0.99);
    add_estimate(report, &table, "mean", cell->iteration_mean, 0);
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
    fprintf(report->out, "  over %s of %s iterations: %s of warm-up left out\n",
            sl_grouped(&report->arena, iterations - warmup), sl_grouped(&report->arena, iterations),
            sl_grouped(&report->arena, warmup));
    sl_report_iterations(report->out, &report->arena, cell);
}

static void add_part(struct report *report, struct sl_table *table, const char *name, double us,
                     double total)
{
    sl_table_add(table, "  %s", name);
    sl_table_add(table, "%s", sl_time_text(&report->arena, us));
    sl_table_add(table, "%.1f%%", 100 * us / total);
}

static void print_stalls(struct report *report)
{
    const struct sl_cell *cell = report->cell;
    double busy = sl_busy_mean_us(cell), total = busy;
    if (isnan(busy))
        return;
    for (size_t i = 0; i < SL_STALLS; i++)
        total += (double)cell->stall_mean_ps[i] / (double)SL_PS_PER_US;
    if (total <= 0)
        return;
    struct sl_table table = sl_table_make(&report->arena, "lrr");
    sl_table_add(&table, "time of %s",
                 cell->scenario->platform.resource_names.names[cell->scenario->objective.busy]);
    sl_table_add(&table, "mean");
    sl_table_add(&table, "share");
    add_part(report, &table, "busy", busy, total);
    for (unsigned i = 0; i < SL_STALLS; i++) {
        char name[48];
        if (cell->stall_mean_ps[i] == 0)
            continue;
        snprintf(name, sizeof name, i == SL_STALL_DRAIN ? "%s" : "stall: %s", sl_stall_name(i));
        add_part(report, &table, name, (double)cell->stall_mean_ps[i] / (double)SL_PS_PER_US,
                 total);
    }
    add_part(report, &table, "makespan", total, total);
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
}

static void print_chain(struct report *report)
{
    struct sl_chain_share shares[SL_MAX_SHARES];
    size_t count = sl_chain_shares(report->cell, shares, SL_MAX_SHARES);
    if (count == 0)
        return;
    struct sl_table table = sl_table_make(&report->arena, "llrr");
    sl_table_add(&table, "realized chain");
    sl_table_add(&table, "started after");
    sl_table_add(&table, "mean");
    sl_table_add(&table, "share");
    double rest_us = 0, rest = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= SHOWN_SHARES) {
            rest_us += shares[i].us;
            rest += shares[i].share;
            continue;
        }
        sl_table_add(&table, "  %s", sl_chain_row_name(shares[i].row));
        sl_table_add(&table, "%s", sl_cause_name((enum sl_cause)shares[i].cause));
        sl_table_add(&table, "%s", sl_time_text(&report->arena, shares[i].us));
        sl_table_add(&table, "%.1f%%", 100 * shares[i].share);
    }
    if (rest > 0) {
        sl_table_add(&table, "  %zu others", count - SHOWN_SHARES);
        sl_table_add(&table, "%s", "");
        sl_table_add(&table, "%s", sl_time_text(&report->arena, rest_us));
        sl_table_add(&table, "%.1f%%", 100 * rest);
    }
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    sl_table_free(&table);
}

static void print_memory(struct report *report)
{
    const struct sl_platform *platform = &report->cell->scenario->platform;
    if (platform->domain_names.count == 0)
        return;
    struct sl_table table = sl_table_make(&report->arena, "lrrrr");
    sl_table_add(&table, "memory");
    sl_table_add(&table, "peak");
    sl_table_add(&table, "limit");
    sl_table_add(&table, "share");
    sl_table_add(&table, "staging x time");
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        double peak = (double)sl_peak_of(report->cell, d);
        double limit = (double)(domain->capacity - domain->reserve);
        bool limited = domain->capacity >= 0;
        sl_table_add(&table, "  %s", platform->domain_names.names[d]);
        sl_table_add(&table, "%s", sl_bytes_text(&report->arena, peak));
        sl_table_add(&table, "%s", limited ? sl_bytes_text(&report->arena, limit) : "none");
        if (limited && limit > 0)
            sl_table_add(&table, "%.1f%%", 100 * peak / limit);
        else
            sl_table_add(&table, "%s", "");
        sl_table_add(&table, "%s s", sl_bytes_text(&report->arena, sl_staging_of(report->cell, d)));
    }
    putc('\n', report->out);
    sl_table_print(&table, report->out);
    fputs("  limit: capacity less reserve\n", report->out);
    sl_table_free(&table);
}

static void print_inflation(struct report *report)
{
    const struct sl_names *classes = &report->cell->scenario->platform.kappa.classes;
    struct sl_table table = sl_table_make(&report->arena, "lr");
    sl_table_add(&table, "contention");
    sl_table_add(&table, "run / isolated");
    for (uint32_t c = 0; c < classes->count; c++) {
        double inflation = sl_class_inflation(report->cell, c);
        if (isnan(inflation))
            continue;
        sl_table_add(&table, "  %s", classes->names[c]);
        sl_table_add(&table, "%.3f", inflation);
    }
    if (table.count > 2) {
        putc('\n', report->out);
        sl_table_print(&table, report->out);
    }
    sl_table_free(&table);
}

/* What forbidden overlap cost; nothing where nobody waited for it. */
static void print_forbidden(struct report *report)
{
    const struct sl_cell *cell = report->cell;
    uint32_t completed = cell->trials - cell->deadlocked;
    struct sl_table table = sl_table_make(&report->arena, "llrr");
    sl_table_add(&table, "kept apart");
    sl_table_add(&table, "waited for");
    sl_table_add(&table, "waits per trial");
    sl_table_add(&table, "mean per trial");
    for (uint32_t k = 0; k < cell->peer_wait_count && k < SHOWN_SHARES; k++) {
        const struct sl_peer_wait *wait = &cell->peer_waits[k];
        sl_table_add(&table, "  %s", wait->waiter);
        sl_table_add(&table, "%s", wait->peer ? wait->peer : "(the earliest start)");
        sl_table_add(&table, "%.3g", (double)wait->waits / completed);
        sl_table_add(
            &table, "%s",
            sl_time_text(&report->arena, (double)wait->wait_ps / completed / (double)SL_PS_PER_US));
    }
    if (cell->peer_wait_count > 0) {
        putc('\n', report->out);
        sl_table_print(&table, report->out);
    }
    if (cell->peer_wait_count > SHOWN_SHARES)
        fprintf(report->out, "  and %u other pairs\n", cell->peer_wait_count - SHOWN_SHARES);
    sl_table_free(&table);
}

enum sl_status sl_report_cell(FILE *out, const struct sl_cell *cell, uint64_t seed,
                              struct sl_error *err)
{
    struct report report = {.out = out, .cell = cell};
    print_heading(&report, seed);
    if (cell->jobs) {
        sl_report_jobs(out, &report.arena, cell);
        print_memory(&report);
        sl_report_constraints(out, &report.arena, cell);
    } else if (cell->metric_ps && cell->trials > 0) {
        putc('\n', out);
        print_quantiles(&report);
        sl_report_band(out, &report.arena, cell);
        print_iterations(&report);
        print_stalls(&report);
        sl_report_resources(out, &report.arena, cell);
        print_chain(&report);
        sl_report_critical(out, &report.arena, cell);
        sl_report_tail_chain(out, &report.arena, cell);
        print_memory(&report);
        print_inflation(&report);
        sl_report_pairs(out, &report.arena, cell);
        print_forbidden(&report);
        sl_report_constraints(out, &report.arena, cell);
        sl_report_outcomes(out, &report.arena, cell);
        sl_report_windows(out, &report.arena, cell);
        sl_report_evictions(out, &report.arena, cell);
        sl_report_speculation(out, &report.arena, cell);
        sl_report_waits(out, &report.arena, cell);
    }
    sl_report_free(&report.arena);
    return ferror(out) ? SL_FAIL(err, SL_SYSTEM, "standard output: write error") : SL_OK;
}
