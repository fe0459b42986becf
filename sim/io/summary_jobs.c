/* Jobs in summary.csv. */
#include "summary_jobs.h"
#include "figures.h"
#include "job_cell.h"
#include <math.h>
#include <string.h>

/* Of every metric, behind its name. */
static const struct {
    const char *suffix;
    enum sl_job_figure figure;
    bool interval;
} metric_columns[] = {
    {"mean", SL_JOB_MEAN, true}, {"median", SL_JOB_MEDIAN, true}, {"p90", SL_JOB_P90, false},
    {"p95", SL_JOB_P95, false},  {"p99", SL_JOB_P99, true},       {"p999", SL_JOB_P999, false},
    {"tail", SL_JOB_TAIL, true},
};
#define METRIC_COLUMNS (sizeof metric_columns / sizeof *metric_columns)

static void put_metric_header(FILE *out, const char *name)
{
    for (size_t k = 0; k < METRIC_COLUMNS; k++) {
        char stem[24];
        sl_put_column(out, name, metric_columns[k].suffix, "us");
        if (!metric_columns[k].interval)
            continue;
        snprintf(stem, sizeof stem, "%s_lo", metric_columns[k].suffix);
        sl_put_column(out, name, stem, "us");
        snprintf(stem, sizeof stem, "%s_hi", metric_columns[k].suffix);
        sl_put_column(out, name, stem, "us");
    }
    sl_put_column(out, name, "slo", "attainment");
    sl_put_column(out, name, "slo", "lo");
    sl_put_column(out, name, "slo", "hi");
}

static bool is_cache(const struct sl_graph *graph, uint32_t object)
{
    return graph->objects[object].shared && graph->objects[object].alias_of.i == SL_NONE;
}

#define CACHE_COLUMNS 5 /* of put_cache_header */
static void put_cache_header(FILE *out, const char *object)
{
    sl_put_column(out, "found", object, "share");
    sl_put_column(out, "found", object, "share_lo");
    sl_put_column(out, "found", object, "share_hi");
    sl_put_column(out, "home", object, "share");
    sl_put_column(out, "wasted", object, "bytes");
}

void sl_summary_jobs_header(FILE *out, const struct sl_scenario *scenario)
{
    const struct sl_names *resources = &scenario->platform.resource_names;
    if (!sl_scenario_has_jobs(scenario))
        return;
    fputs(",jobs,completed,rejected,counted_jobs,warmup_jobs,warmup_detected,warmup_settled,"
          "interval_method,interval_groups,effective_jobs,growth_us_per_s,growth_lo_us_per_s,"
          "growth_hi_us_per_s,bottleneck,offered_load,throughput_lo_per_s,throughput_hi_per_s,"
          "slo_attainment,slo_attainment_lo,slo_attainment_hi,goodput_per_s,goodput_lo_per_s,"
          "goodput_hi_per_s,in_system,in_system_lo,in_system_hi,most_in_system,starved_jobs,"
          "rejected_full,"
          "rejected_memory,rejected_too_large",
          out);
    for (uint32_t m = 0; m < sl_job_metric_count(scenario); m++)
        put_metric_header(out, sl_job_metric_name(scenario, m));
    for (uint32_t r = 0; r < resources->count; r++) {
        sl_put_column(out, "utilisation", resources->names[r], "share");
        sl_put_column(out, "offered", resources->names[r], "load");
    }
    for (uint32_t r = 0; r < resources->count; r++)
        sl_put_column(out, "batch", resources->names[r], "size");
    for (uint32_t o = 0; o < scenario->graph->object_count; o++)
        if (is_cache(scenario->graph, o))
            put_cache_header(out, scenario->graph->objects[o].name);
    fputs(",slowdown_mean,slowdown_mean_lo,slowdown_mean_hi,slowdown_median,slowdown_median_lo,"
          "slowdown_median_hi,slowdown_tail,slowdown_tail_lo,slowdown_tail_hi,offered_load_lo,"
          "offered_load_hi",
          out);
}

static void put_warmup(FILE *out, const struct sl_job_warmup *warmup)
{
    sl_put_integer(out, (int64_t)warmup->jobs);
    if (warmup->judged) {
        sl_put_integer(out, (int64_t)warmup->detected);
        sl_put_integer(out, warmup->settled);
    } else {
        fputs(",,", out);
    }
}

static void put_method(FILE *out, const struct sl_series_result *mean)
{
    sl_put_text(out, sl_series_method_name(mean->method));
    sl_put_integer(out, mean->groups);
    sl_put_number(out, mean->effective);
}

static void put_metric(FILE *out, const struct sl_job_estimates *estimates)
{
    for (size_t k = 0; k < METRIC_COLUMNS; k++) {
        struct sl_estimate estimate = estimates->figures[metric_columns[k].figure].estimate;
        sl_put_number(out, estimate.value);
        if (metric_columns[k].interval)
            sl_put_interval(out, estimate);
    }
    sl_put_estimate(out, estimates->kept);
}

/* Mean members of the batches of all nodes of a resource; NAN: none started. */
static double batch_size(const struct sl_cell *cell, uint32_t resource)
{
    double members = 0, batches = 0;
    for (uint32_t k = 0; k < cell->jobs->shape.batch_count; k++) {
        const struct sl_job_batch_use *use = &cell->jobs->batches[k];
        if (sl_job_batch_resource(cell->plan.graph, use->node) != resource)
            continue;
        members += (double)use->sum.steps;
        batches += (double)use->sum.batches;
    }
    return batches > 0 ? members / batches : NAN;
}

static void put_figures(FILE *out, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    const struct sl_names *resources = &cell->scenario->platform.resource_names;
    bool known = jobs->bottleneck != SL_NONE;
    sl_put_integer(out, (int64_t)jobs->arrived);
    sl_put_integer(out, (int64_t)jobs->completed);
    sl_put_integer(out, (int64_t)jobs->rejected);
    sl_put_integer(out, (int64_t)jobs->counted);
    put_warmup(out, &jobs->warmup);
    put_method(out, &jobs->estimates[jobs->metrics.main].figures[SL_JOB_MEAN]);
    sl_put_estimate(out, jobs->growth.slope);
    sl_put_text(out, known ? resources->names[jobs->bottleneck] : NULL);
    sl_put_number(out, known ? jobs->loads[jobs->bottleneck].offered.value : NAN);
    sl_put_interval(out, jobs->throughput);
    sl_put_estimate(out, jobs->kept);
    sl_put_estimate(out, jobs->goodput);
    sl_put_estimate(out, jobs->in_system);
    sl_put_integer(out, jobs->most_jobs);
    sl_put_integer(out, (int64_t)jobs->starved);
    for (unsigned r = SL_NOT_REJECTED + 1; r < SL_REJECTIONS; r++)
        sl_put_integer(out, (int64_t)jobs->rejected_for[r]);
    for (uint32_t m = 0; m < jobs->metrics.count; m++)
        put_metric(out, &jobs->estimates[m]);
    for (uint32_t r = 0; r < resources->count; r++) {
        sl_put_number(out, jobs->loads[r].utilisation.value);
        sl_put_number(out, jobs->loads[r].offered.value);
    }
    for (uint32_t r = 0; r < resources->count; r++)
        sl_put_number(out, batch_size(cell, r));
    for (uint32_t k = 0; k < jobs->shape.shared_count; k++) {
        sl_put_estimate(out, jobs->caches[k].found.estimate);
        sl_put_number(out, jobs->caches[k].found_in[0].estimate.value);
        sl_put_number(out, jobs->caches[k].wasted_bytes);
    }
    sl_put_estimate(out, jobs->slowdown.figures[SL_JOB_MEAN].estimate);
    sl_put_estimate(out, jobs->slowdown.figures[SL_JOB_MEDIAN].estimate);
    sl_put_estimate(out, jobs->slowdown.figures[SL_JOB_TAIL].estimate);
    sl_put_interval(out, known ? jobs->loads[jobs->bottleneck].offered : SL_NO_ESTIMATE);
}

/* Columns of a cell that has none of these figures. */
static void put_nothing(FILE *out, const struct sl_scenario *scenario)
{
    enum { COMMON = 31, SLOWDOWN = 9, LOAD = 2, OF_LIMIT = 3 };
    uint32_t columns = OF_LIMIT;
    for (size_t k = 0; k < METRIC_COLUMNS; k++)
        columns += metric_columns[k].interval ? 3 : 1;
    columns = COMMON + SLOWDOWN + LOAD + columns * sl_job_metric_count(scenario) +
              3 * scenario->platform.resource_names.count;
    for (uint32_t o = 0; o < scenario->graph->object_count; o++)
        columns += is_cache(scenario->graph, o) ? CACHE_COLUMNS : 0;
    while (columns-- > 0)
        putc(',', out);
}

void sl_summary_jobs_row(FILE *out, const struct sl_cell *cell)
{
    if (!sl_scenario_has_jobs(cell->scenario))
        return;
    if (cell->jobs && cell->jobs->estimated)
        put_figures(out, cell);
    else
        put_nothing(out, cell->scenario);
}
