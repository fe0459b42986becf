/* The jobs of a cell as JSON. */
#include "job_cell.h"
#include "json_out.h"
#include "report_batches.h"
#include "report_caches.h"
#include "report_job_lateness.h"
#include "report_job_waits.h"
#include "report_jobs.h"
#include "units.h"
#include <math.h>

static void put_warmup(yajl_gen gen, const struct sl_job_warmup *warmup)
{
    sl_json_open_map(gen, "warmup");
    sl_json_integer(gen, "jobs", (int64_t)warmup->jobs);
    sl_json_bool(gen, "stated", warmup->stated);
    if (warmup->judged) {
        sl_json_integer(gen, "detected", (int64_t)warmup->detected);
        sl_json_bool(gen, "settled", warmup->settled);
    }
    yajl_gen_map_close(gen);
}

static void put_figure(yajl_gen gen, const char *name, const struct sl_series_result *result)
{
    sl_json_open_map(gen, name);
    sl_json_number(gen, "value_us", result->estimate.value);
    sl_json_number(gen, "lo_us", result->estimate.lo);
    sl_json_number(gen, "hi_us", result->estimate.hi);
    sl_json_text(gen, "method", sl_series_method_name(result->method));
    sl_json_integer(gen, "groups", result->groups);
    if (isnan(result->estimate.value))
        sl_json_integer(gen, "needs_jobs", (int64_t)result->needs);
    if (!isnan(result->effective))
        sl_json_number(gen, "effective_jobs", result->effective);
    if (result->method == SL_SERIES_BATCHES)
        sl_json_bool(gen, "batches_correlate", result->short_run);
    yajl_gen_map_close(gen);
}

static void put_metric(yajl_gen gen, const struct sl_job_metric *metric,
                       const struct sl_job_estimates *estimates)
{
    static const char *const names[] = {
        [SL_JOB_MEAN] = "mean",     [SL_JOB_MEDIAN] = "median", [SL_JOB_P90] = "p90",
        [SL_JOB_P95] = "p95",       [SL_JOB_P99] = "p99",       [SL_JOB_P999] = "p999",
        [SL_JOB_CVAR99] = "cvar99", [SL_JOB_TAIL] = "tail",
    };
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "metric", metric->name);
    sl_json_integer(gen, "jobs", (int64_t)estimates->figures[SL_JOB_MEAN].n);
    for (uint32_t f = 0; f < SL_JOB_FIGURES; f++)
        put_figure(gen, names[f], &estimates->figures[f]);
    sl_json_number(gen, "max_us", estimates->max);
    sl_json_number(gen, "sd_us", estimates->sd);
    if (metric->limit_ps != INT64_MAX) {
        sl_json_us(gen, "slo_us", metric->limit_ps);
        sl_json_estimate(gen, "slo_attainment", estimates->kept);
    }
    yajl_gen_map_close(gen);
}

static double mean_us(double ps, const struct sl_job_parts *parts)
{
    return parts->jobs > 0 ? ps / (double)parts->jobs / (double)SL_PS_PER_US : NAN;
}

static void put_parts(yajl_gen gen, const struct sl_job_parts *parts)
{
    sl_json_open_map(gen, "latency_parts");
    sl_json_number(gen, "latency_us", mean_us(parts->latency, parts));
    sl_json_number(gen, "admission_us", mean_us(parts->admission, parts));
    for (unsigned c = 0; c < SL_CAUSES; c++) {
        char key[64];
        snprintf(key, sizeof key, "wait_%s_us", sl_cause_name((enum sl_cause)c));
        if (parts->wait[c] > 0)
            sl_json_number(gen, key, mean_us(parts->wait[c], parts));
    }
    sl_json_number(gen, "contention_us", mean_us(parts->contention, parts));
    sl_json_number(gen, "isolated_us", mean_us(parts->isolated, parts));
    yajl_gen_map_close(gen);
}

static void put_loads(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_names *names = &cell->scenario->platform.resource_names;
    sl_json_open_array(gen, "resources");
    for (uint32_t r = 0; r < names->count; r++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "resource", names->names[r]);
        sl_json_estimate(gen, "utilisation", cell->jobs->loads[r].utilisation);
        sl_json_number(gen, "offered_load", cell->jobs->loads[r].offered.value);
        sl_json_number(gen, "offered_load_lo", cell->jobs->loads[r].offered.lo);
        sl_json_number(gen, "offered_load_hi", cell->jobs->loads[r].offered.hi);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_figures(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    sl_json_integer(gen, "arrived", (int64_t)jobs->arrived);
    sl_json_integer(gen, "completed", (int64_t)jobs->completed);
    sl_json_integer(gen, "rejected", (int64_t)jobs->rejected);
    sl_json_open_map(gen, "rejected_for");
    for (unsigned r = SL_NOT_REJECTED + 1; r < SL_REJECTIONS; r++)
        sl_json_integer(gen, sl_rejection_name((enum sl_rejection)r),
                        (int64_t)jobs->rejected_for[r]);
    yajl_gen_map_close(gen);
    sl_json_integer(gen, "counted", (int64_t)jobs->counted);
    put_warmup(gen, &jobs->warmup);
    sl_json_bool(gen, "grows", jobs->growth.grows);
    sl_json_estimate(gen, "growth_us_per_s", jobs->growth.slope);
    sl_json_open_array(gen, "metrics");
    for (uint32_t m = 0; m < jobs->metrics.count; m++)
        put_metric(gen, &jobs->metrics.items[m], &jobs->estimates[m]);
    yajl_gen_array_close(gen);
    sl_report_job_lateness_json(gen, cell);
    if (jobs->metrics.limited)
        sl_json_estimate(gen, "slo_attainment", jobs->kept);
    sl_json_estimate(gen, "throughput_per_s", jobs->throughput);
    if (jobs->metrics.limited)
        sl_json_estimate(gen, "goodput_per_s", jobs->goodput);
    sl_json_estimate(gen, "in_system", jobs->in_system);
    sl_json_integer(gen, "most_in_system", jobs->most_jobs);
    put_parts(gen, &jobs->parts);
    put_loads(gen, cell);
    sl_report_job_waits_json(gen, cell);
    sl_report_batches_json(gen, cell);
    sl_report_caches_json(gen, cell);
}

void sl_report_jobs_json(yajl_gen gen, const struct sl_cell *cell)
{
    sl_json_open_map(gen, "jobs");
    sl_json_bool(gen, "estimated", cell->jobs->estimated);
    if (cell->jobs->estimated)
        put_figures(gen, cell);
    yajl_gen_map_close(gen);
}
