/* The scenario's metrics of a job, on the nodes of a plan. */
#include "job_metrics.h"
#include "units.h"
#include <math.h>
#include <string.h>

uint32_t sl_job_metric_count(const struct sl_scenario *scenario)
{
    return 1 + scenario->jobs.mark_count + scenario->jobs.per_count;
}

const char *sl_job_metric_name(const struct sl_scenario *scenario, uint32_t metric)
{
    const struct sl_job_mode *jobs = &scenario->jobs;
    if (metric == 0)
        return "latency";
    return metric <= jobs->mark_count ? jobs->marks[metric - 1].name
                                      : jobs->pers[metric - 1 - jobs->mark_count].name;
}

uint32_t sl_job_due_count(const struct sl_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        count += graph->nodes[i].deadline_ps != INT64_MAX;
    return count;
}

static uint32_t node_named(const struct sl_graph *graph, const char *name)
{
    uint32_t i = 0;
    while (i < graph->node_count && strcmp(graph->nodes[i].name, name) != 0)
        i++;
    return i < graph->node_count ? i : SL_NONE;
}

struct maker {
    struct sl_job_metrics *metrics;
    const struct sl_graph *given, *plan;
    struct sl_error *err;
};

/* The mark of a node of the plan, each node once. */
static uint32_t mark_of(struct sl_job_metrics *metrics, uint32_t node)
{
    uint32_t mark = 0;
    while (mark < metrics->mark_count && metrics->marks[mark] != node)
        mark++;
    if (mark == metrics->mark_count)
        metrics->marks[metrics->mark_count++] = node;
    return mark;
}

/* ... of one of the given graph. */
static enum sl_status add_mark(const struct maker *maker, const char *metric, uint32_t given,
                               uint32_t *mark)
{
    const char *name = maker->given->nodes[given].name;
    uint32_t node = node_named(maker->plan, name);
    if (node == SL_NONE)
        return SL_FAIL(maker->err, SL_NO, "the plan has no node '%s', which '%s' is about", name,
                       metric);
    *mark = mark_of(maker->metrics, node);
    return SL_OK;
}

static enum sl_status add_metrics(const struct maker *maker, const struct sl_job_mode *jobs)
{
    struct sl_job_metrics *metrics = maker->metrics;
    enum sl_status status = SL_OK;
    metrics->items[metrics->count++] =
        (struct sl_job_metric){"latency", SL_NONE, SL_NONE, SL_NONE, INT64_MAX};
    for (uint32_t i = 0; status == SL_OK && i < jobs->mark_count; i++) {
        const struct sl_job_mark *mark = &jobs->marks[i];
        struct sl_job_metric *metric = &metrics->items[metrics->count++];
        *metric = (struct sl_job_metric){mark->name, SL_NONE, SL_NONE, SL_NONE, INT64_MAX};
        status = add_mark(maker, mark->name, mark->node, &metric->to);
    }
    for (uint32_t i = 0; status == SL_OK && i < jobs->per_count; i++) {
        const struct sl_job_per *per = &jobs->pers[i];
        struct sl_job_metric *metric = &metrics->items[metrics->count++];
        *metric = (struct sl_job_metric){per->name, SL_NONE, SL_NONE, per->parameter, INT64_MAX};
        status = add_mark(maker, per->name, per->from, &metric->from);
        if (status == SL_OK)
            status = add_mark(maker, per->name, per->to, &metric->to);
    }
    return status;
}

static void add_dues(struct sl_job_metrics *metrics, const struct sl_graph *plan)
{
    for (uint32_t i = 0; i < plan->node_count; i++)
        if (plan->nodes[i].deadline_ps != INT64_MAX)
            metrics->dues[metrics->due_count++] =
                (struct sl_job_due){i, mark_of(metrics, i), plan->nodes[i].deadline_ps};
}

static uint32_t metric_named(const struct sl_job_metrics *metrics, const char *name)
{
    uint32_t i = 0;
    while (i < metrics->count && strcmp(metrics->items[i].name, name) != 0)
        i++;
    return i < metrics->count ? i : 0;
}

enum sl_status sl_job_metrics_make(struct sl_job_metrics *metrics,
                                   const struct sl_scenario *scenario, const struct sl_graph *plan,
                                   struct sl_arena *arena, struct sl_error *err)
{
    const struct sl_job_mode *jobs = &scenario->jobs;
    /* cppcheck-suppress ctuuninitvar ; it is filled here */
    const struct maker maker = {metrics, scenario->graph, plan, err};
    size_t count = sl_job_metric_count(scenario), due = sl_job_due_count(plan);
    *metrics = (struct sl_job_metrics){
        .items = sl_arena_array(arena, count, sizeof *metrics->items),
        .marks = sl_arena_array(arena, 2 * count + due, sizeof *metrics->marks),
        .dues = sl_arena_array(arena, due + 1, sizeof *metrics->dues)};
    if (!metrics->items || !metrics->marks || !metrics->dues)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the metrics of jobs");
    enum sl_status status = add_metrics(&maker, jobs);
    add_dues(metrics, plan);
    for (uint32_t i = 0; status == SL_OK && i < jobs->slo_count; i++) {
        metrics->items[metric_named(metrics, jobs->slos[i].metric)].limit_ps =
            jobs->slos[i].limit_ps;
        metrics->limited = true;
    }
    metrics->main = jobs->metric ? metric_named(metrics, jobs->metric) : 0;
    metrics->throughput = scenario->objective.metric == SL_METRIC_THROUGHPUT;
    return status;
}

double sl_job_metric_us(const struct sl_job_metric *metric, const struct sl_job_record *job)
{
    int64_t from = metric->from == SL_NONE ? job->arrival_ps : job->mark_ps[metric->from];
    int64_t to = metric->to == SL_NONE ? job->finish_ps : job->mark_ps[metric->to];
    if (job->rejected || from < 0 || to < 0)
        return NAN;
    double us = (double)(to - from) / (double)SL_PS_PER_US;
    if (metric->per == SL_NONE)
        return us;
    double tokens = job->parameters[metric->per];
    return tokens > 0 ? us / tokens : NAN;
}

double sl_job_tardiness_us(const struct sl_job_due *due, const struct sl_job_record *job)
{
    int64_t finish = job->mark_ps[due->mark];
    if (job->rejected)
        return NAN;
    int64_t late = finish < 0 ? 0 : finish - job->arrival_ps - due->deadline_ps;
    return late > 0 ? (double)late / (double)SL_PS_PER_US : 0;
}
