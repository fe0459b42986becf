/* summary.csv: a row per cell.  Names and order of the columns are the contract with users; new
 * columns go behind `verdict`. */
#include "config.h"

#include "figures.h"
#include "job_cell.h"
#include "memout.h"
#include "result_parts.h"
#include "summary_jobs.h"
#include "units.h"
#include <math.h>

#define INTERVAL_LEVEL 0.95

const char *sl_verdict_name(enum sl_verdict verdict)
{
    static const char *const names[] = {
        [SL_VERDICT_OK] = "ok",
        [SL_VERDICT_DEADLOCK] = "deadlock",
        [SL_VERDICT_SOME_DEADLOCK] = "some-deadlock",
        [SL_VERDICT_ILLEGAL] = "illegal",
        [SL_VERDICT_INFEASIBLE] = "infeasible",
        [SL_VERDICT_GROWS] = "grows",
    };
    return names[verdict];
}

const char *sl_metric_name(const struct sl_scenario *scenario)
{
    static const char *const names[] = {
        [SL_METRIC_MAKESPAN] = "makespan",
        [SL_METRIC_LATENCY] = "latency",
        [SL_METRIC_THROUGHPUT] = "throughput",
    };
    return sl_scenario_has_jobs(scenario) ? scenario->jobs.metric
                                          : names[scenario->objective.metric];
}

static double mean_us(double sum_ps, uint32_t count)
{
    return count > 0 ? sum_ps / count / SL_PS_PER_US : NAN;
}

double sl_busy_mean_us(const struct sl_cell *cell)
{
    if (!cell->metric_ps || cell->jobs || cell->scenario->objective.busy == SL_NONE)
        return NAN;
    double sum = 0, idle = 0;
    uint32_t finished = 0;
    for (uint32_t i = 0; i < cell->trials; i++) {
        if (cell->metric_ps[i] == INT64_MAX)
            continue;
        finished++;
        sum += (double)cell->metric_ps[i];
    }
    for (size_t i = 0; i < SL_STALLS; i++)
        idle += (double)cell->stall_mean_ps[i];
    return finished > 0 ? mean_us(sum - idle * finished, finished) : NAN;
}

/* The order statistics are picked where they lie: the metrics are sorted already. */
struct sl_estimate sl_trials_quantile(const struct sl_cell *cell, double q)
{
    struct sl_quantile_ranks ranks = sl_quantile_ranks(cell->trials, q, INTERVAL_LEVEL);
    if (!cell->sorted_ps || ranks.value == 0)
        return SL_NO_ESTIMATE;
    return (struct sl_estimate){sl_us_of(cell->sorted_ps[ranks.value - 1]),
                                sl_us_of(cell->sorted_ps[ranks.lo - 1]),
                                sl_us_of(cell->sorted_ps[ranks.hi - 1])};
}

struct sl_estimate sl_tail_estimate(const struct sl_cell *cell)
{
    double q = cell->scenario->objective.tail;
    if (cell->jobs)
        return sl_job_cell_tail(cell->jobs);
    return q == 0.99 ? cell->p99 : sl_trials_quantile(cell, q);
}

struct sl_estimate sl_deadline_miss(const struct sl_cell *cell)
{
    if (cell->jobs)
        return cell->jobs->estimated ? cell->jobs->deadline_miss : SL_NO_ESTIMATE;
    if (cell->deadline_count == 0 || cell->trials == 0)
        return SL_NO_ESTIMATE;
    return sl_proportion(cell->deadline_missed, cell->trials, INTERVAL_LEVEL);
}

static void put_domain_columns(FILE *out, const struct sl_platform *platform, const char *prefix,
                               const char *unit)
{
    for (uint32_t i = 0; i < platform->domain_names.count; i++)
        sl_put_column(out, prefix, platform->domain_names.names[i], unit);
}

void sl_summary_header(FILE *out, const struct sl_scenario *scenario)
{
    fputs("cell,policy", out);
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_put_text(out, scenario->axes[i].path);
    fputs(",trials,deadlocked,metric,mean_us,median_us,median_lo_us,median_hi_us,p90_us,p95_us,"
          "p99_us,p99_lo_us,p99_hi_us,p999_us,max_us,cvar99_us,sd_us,bound_us,mean_lo_us,"
          "mean_hi_us,p90_lo_us,p90_hi_us,p95_lo_us,p95_hi_us,p999_lo_us,p999_hi_us,cvar99_lo_us,"
          "cvar99_hi_us,throughput_per_s,deadline_miss",
          out);
    put_domain_columns(out, &scenario->platform, "peak", "bytes");
    put_domain_columns(out, &scenario->platform, "staging", "byte_s");
    for (unsigned i = 0; i < SL_STALLS; i++)
        fprintf(out, ",stall_%s_us", sl_stall_name(i));
    fputs(",max_wait_us,starved,hypothetical,verdict,reason,median_optimistic_us,"
          "p99_optimistic_us,busy_us,tail_quantile,tail_us,tail_lo_us,tail_hi_us",
          out);
    put_domain_columns(out, &scenario->platform, "capacity", "bytes");
    put_domain_columns(out, &scenario->platform, "reserve", "bytes");
    fputs(",deadline_miss_lo,deadline_miss_hi,iterations,warmup,iteration_mean_us,"
          "iteration_mean_lo_us,iteration_mean_hi_us,iteration_median_us,iteration_median_lo_us,"
          "iteration_median_hi_us,iteration_p99_us,iteration_p99_lo_us,iteration_p99_hi_us,"
          "outer_draws,inner_trials,tail_band_p5_us,tail_band_p5_lo_us,tail_band_p5_hi_us,"
          "tail_band_p50_us,tail_band_p50_lo_us,tail_band_p50_hi_us,tail_band_p95_us,"
          "tail_band_p95_lo_us,tail_band_p95_hi_us,tail_band_min_us,tail_band_max_us,"
          "tail_band_noise,deadlocked_draws,not_varied,until_look,until_looks,until_us,until_lo_us,"
          "until_hi_us,until_half_width,until_reached",
          out);
    sl_summary_jobs_header(out, scenario);
    putc('\n', out);
}

static double throughput_per_s(const struct sl_cell *cell)
{
    if (cell->jobs)
        return cell->jobs->estimated ? cell->jobs->throughput.value : NAN;
    double job_us = cell->iteration_us ? cell->iteration_mean.value : cell->mean.value;
    return job_us > 0 ? 1e6 / job_us : NAN;
}

/* The metric's columns: empty for a cell without trials (an illegal plan). */
static void put_metric(FILE *out, const struct sl_cell *cell)
{
    bool ran = cell->metric_ps && cell->trials > 0;
#define SHOWN(estimate) (ran ? (estimate) : SL_NO_ESTIMATE)
    sl_put_number(out, SHOWN(cell->mean).value);
    sl_put_number(out, SHOWN(cell->median).value);
    sl_put_interval(out, SHOWN(cell->median));
    sl_put_number(out, SHOWN(cell->p90).value);
    sl_put_number(out, SHOWN(cell->p95).value);
    sl_put_number(out, SHOWN(cell->p99).value);
    sl_put_interval(out, SHOWN(cell->p99));
    sl_put_number(out, SHOWN(cell->p999).value);
    sl_put_number(out, ran ? cell->max_us : NAN);
    sl_put_number(out, SHOWN(cell->cvar99).value);
    sl_put_number(out, ran ? cell->sd_us : NAN);
    sl_put_number(out, ran ? cell->bound_us : NAN);
    sl_put_interval(out, SHOWN(cell->mean));
    sl_put_interval(out, SHOWN(cell->p90));
    sl_put_interval(out, SHOWN(cell->p95));
    sl_put_interval(out, SHOWN(cell->p999));
    sl_put_interval(out, SHOWN(cell->cvar99));
    sl_put_number(out, ran ? throughput_per_s(cell) : NAN);
    sl_put_number(out, sl_deadline_miss(cell).value);
#undef SHOWN
}

static void put_domains(FILE *out, const struct sl_cell *cell, uint32_t domains)
{
    for (uint32_t d = 0; d < domains; d++) {
        if (!cell->peak_bytes || cell->trials == 0) {
            sl_put_text(out, NULL);
            continue;
        }
        int64_t peak = 0;
        for (uint32_t i = 0; i < cell->trials; i++) {
            int64_t bytes = cell->peak_bytes[(size_t)i * domains + d];
            peak = bytes > peak ? bytes : peak;
        }
        sl_put_integer(out, peak);
    }
    for (uint32_t d = 0; d < domains; d++) {
        double sum = 0;
        for (uint32_t i = 0; cell->staging_byte_s && i < cell->trials; i++)
            sum += cell->staging_byte_s[(size_t)i * domains + d];
        sl_put_number(out, cell->staging_byte_s && cell->trials > 0 ? sum / cell->trials : NAN);
    }
}

static void put_stalls_and_waits(FILE *out, const struct sl_cell *cell)
{
    bool attributed = !isnan(sl_busy_mean_us(cell));
    for (size_t i = 0; i < SL_STALLS; i++) {
        if (attributed)
            sl_put_us(out, cell->stall_mean_ps[i]);
        else
            sl_put_text(out, NULL);
    }
    if (!cell->max_wait_ps || cell->trials == 0) {
        fputs(",,", out);
        return;
    }
    int64_t wait = 0, starved = 0;
    for (uint32_t i = 0; i < cell->trials; i++) {
        wait = cell->max_wait_ps[i] > wait ? cell->max_wait_ps[i] : wait;
        starved += cell->starved ? cell->starved[i] : 0;
    }
    sl_put_us(out, wait);
    if (cell->starved && cell->scenario->starvation_bound_ps >= 0)
        sl_put_integer(out, starved);
    else
        sl_put_text(out, NULL); /* no bound established */
}

/* The estimates are empty in mode once, and for a cell without trials. */
static void put_iterations(FILE *out, const struct sl_cell *cell)
{
    const struct sl_estimate estimates[] = {cell->iteration_mean, cell->iteration_median,
                                            cell->iteration_p99};
    sl_put_integer(out, cell->scenario->iterations);
    sl_put_integer(out, cell->scenario->warmup_detected ? cell->iterations.warmup
                                                        : cell->scenario->warmup);
    for (size_t k = 0; k < sizeof estimates / sizeof *estimates; k++) {
        struct sl_estimate shown = cell->iteration_us ? estimates[k] : SL_NO_ESTIMATE;
        sl_put_estimate(out, shown);
    }
}

/* Empty where no calibration was drawn. */
static void put_outer(FILE *out, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    if (outer->draws == 0) {
        fputs(",,,,,,,,,,,,,,,,", out);
        return;
    }
    sl_put_integer(out, outer->draws);
    sl_put_integer(out, outer->inner);
    sl_put_estimate(out, outer->band.p5);
    sl_put_estimate(out, outer->band.p50);
    sl_put_estimate(out, outer->band.p95);
    sl_put_number(out, outer->band.min);
    sl_put_number(out, outer->band.max);
    sl_put_number(out, outer->band.noise);
    sl_put_integer(out, outer->deadlocked_draws);
    sl_put_text(out, outer->exact);
}

/* Empty without --until, and for a cell without trials. */
static void put_until(FILE *out, const struct sl_cell *cell)
{
    const struct sl_until_result *until = &cell->until;
    if (until->look == 0) {
        fputs(",,,,,,,", out);
        return;
    }
    sl_put_integer(out, until->look);
    sl_put_integer(out, until->looks.count);
    sl_put_estimate(out, until->estimate);
    sl_put_number(out, sl_relative_half_width(until->estimate));
    sl_put_integer(out, until->reached);
}

void sl_summary_row(FILE *out, const struct sl_cell *cell)
{
    const struct sl_platform *platform = &cell->scenario->platform;
    uint32_t domains = platform->domain_names.count;
    bool ran = cell->metric_ps && cell->trials > 0;
    fprintf(out, "%u", cell->spec.index);
    sl_put_text(out, cell->spec.policy);
    for (uint32_t i = 0; i < cell->spec.axis_count; i++)
        sl_put_text(out, cell->spec.axis_texts[i]);
    sl_put_integer(out, cell->trials);
    sl_put_integer(out, cell->deadlocked);
    sl_put_text(out, sl_metric_name(cell->scenario));
    put_metric(out, cell);
    put_domains(out, cell, domains);
    put_stalls_and_waits(out, cell);
    sl_put_integer(out, cell->hypothetical);
    sl_put_text(out, sl_verdict_name(cell->verdict));
    sl_put_text(out, cell->reason);
    bool corners = ran && cell->metric_optimistic_ps;
    sl_put_number(out, corners ? cell->median_optimistic.value : NAN);
    sl_put_number(out, corners ? cell->p99_optimistic.value : NAN);
    sl_put_number(out, sl_busy_mean_us(cell));
    sl_put_number(out, cell->scenario->objective.tail);
    struct sl_estimate tail = ran ? sl_tail_estimate(cell) : SL_NO_ESTIMATE;
    sl_put_estimate(out, tail);
    for (uint32_t d = 0; d < domains; d++) {
        if (platform->domains[d].capacity < 0)
            sl_put_text(out, NULL);
        else
            sl_put_integer(out, platform->domains[d].capacity);
    }
    for (uint32_t d = 0; d < domains; d++)
        sl_put_integer(out, platform->domains[d].reserve);
    sl_put_interval(out, sl_deadline_miss(cell));
    put_iterations(out, cell);
    put_outer(out, cell);
    put_until(out, cell);
    sl_summary_jobs_row(out, cell);
    putc('\n', out);
}

enum sl_status sl_summary_line(char **line, const struct sl_cell *cell, struct sl_error *err)
{
    struct sl_memout memory;
    if (sl_memout_open(&memory))
        sl_summary_row(memory.stream, cell);
    *line = sl_memout_close(&memory);
    return *line ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

const struct sl_part sl_part_summary = {"summary.csv", sl_summary_header, sl_summary_row,
                                        SL_PART_OF_BOTH};

const struct sl_part *const sl_parts[SL_PART_FILES] = {
    &sl_part_summary,     &sl_part_trials,      &sl_part_chain,
    &sl_part_criticality, &sl_part_waits,       &sl_part_overlap,
    &sl_part_forbidden,   &sl_part_pressure,    &sl_part_gantt,
    &sl_part_edits,       &sl_part_deadlines,   &sl_part_fallbacks,
    &sl_part_guards,      &sl_part_slack,       &sl_part_stalls,
    &sl_part_tail_chain,  &sl_part_uncertainty, &sl_part_uncertain_figures,
    &sl_part_evictions,   &sl_part_engine,      &sl_part_speculation,
    &sl_part_iterations,  &sl_part_jobs,        &sl_part_jobs_load,
    &sl_part_batches,     &sl_part_caches,
};
