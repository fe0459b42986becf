/* An result: what a program reads of the trials of one policy. */
#include <config.h>

#include "cellparts.h"
#include "embed_parts.h"
#include "job_cell.h"
#include "result_parts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sl_result_free(struct sl_result *result)
{
    if (!result)
        return;
    sl_cell_free(&result->cell);
    sl_shared_scenario_release(result->shared);
    free(result);
}

const char *sl_result_verdict(const struct sl_result *result)
{
    return sl_verdict_name(result->cell.verdict);
}

const char *sl_result_reason(const struct sl_result *result)
{
    return result->cell.reason;
}

uint32_t sl_result_trials(const struct sl_result *result)
{
    return result->cell.metric_ps ? result->cell.trials : 0;
}

uint32_t sl_result_deadlocked(const struct sl_result *result)
{
    return result->cell.deadlocked;
}

/* Figures of jobs pool many replications, and are made for these quantiles. */
static const struct sl_estimate *quantile_of_jobs(const struct sl_cell *cell, double q)
{
    const struct {
        double q;
        const struct sl_estimate *estimate;
    } known[] = {{0.5, &cell->median},
                 {0.9, &cell->p90},
                 {0.95, &cell->p95},
                 {0.99, &cell->p99},
                 {0.999, &cell->p999}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (fabs(q - known[i].q) < 1e-9)
            return known[i].estimate;
    return NULL;
}

enum sl_status sl_result_quantile(const struct sl_result *result, double q,
                                  struct sl_estimate *figure)
{
    const struct sl_cell *cell = &result->cell;
    *figure = SL_NO_ESTIMATE;
    if (!(q > 0 && q < 1))
        return SL_USAGE;
    if (!cell->jobs) {
        *figure = sl_trials_quantile(cell, q);
        return SL_OK;
    }
    const struct sl_estimate *estimate = quantile_of_jobs(cell, q);
    if (estimate)
        *figure = *estimate;
    else if (fabs(q - cell->scenario->objective.tail) < 1e-9)
        *figure = sl_tail_estimate(cell);
    else
        return SL_USAGE;
    return SL_OK;
}

struct sl_estimate sl_result_mean(const struct sl_result *result)
{
    return result->cell.mean;
}

const int64_t *sl_result_times_ps(const struct sl_result *result)
{
    return result->cell.metric_ps;
}

enum sl_status sl_result_peak(const struct sl_result *result, const char *domain, int64_t *bytes)
{
    const struct sl_cell *cell = &result->cell;
    uint32_t index = sl_names_find(&cell->scenario->platform.domain_names, domain);
    *bytes = 0;
    if (index == SL_NONE || !cell->peak_bytes)
        return SL_USAGE;
    *bytes = sl_cell_largest_peak(cell, index);
    return SL_OK;
}

int64_t sl_result_longest_wait_ps(const struct sl_result *result)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < sl_result_trials(result); i++)
        if (result->cell.max_wait_ps[i] > longest)
            longest = result->cell.max_wait_ps[i];
    return longest;
}

uint32_t sl_result_node_count(const struct sl_result *result)
{
    return result->cell.plan.graph ? result->cell.plan.graph->node_count : 0;
}

const char *sl_result_node_name(const struct sl_result *result, uint32_t node)
{
    return node < sl_result_node_count(result) ? result->cell.plan.graph->nodes[node].name : NULL;
}

/* Over the replications, each with many jobs, that completed. */
static void wait_of_jobs(const struct sl_job_cell *jobs, uint32_t node, struct sl_node_wait *wait)
{
    double wait_ps = 0, runs = 0;
    for (uint32_t trial = 0; trial < jobs->sample_count; trial++) {
        const struct sl_job_sample *sample = &jobs->samples[trial];
        if (sample->deadlocked || sample->node_runs[node] <= 0)
            continue;
        wait->trials++;
        wait_ps += sample->node_wait_ps[node];
        runs += sample->node_runs[node];
        if (sample->node_longest_ps[node] <= wait->longest_ps)
            continue;
        wait->longest_ps = sample->node_longest_ps[node];
        wait->trial = trial;
    }
    if (runs > 0)
        wait->mean_us = wait_ps / runs / (double)SL_PS_PER_US;
}

enum sl_status sl_result_wait(const struct sl_result *result, const char *node,
                              struct sl_node_wait *wait)
{
    const struct sl_cell *cell = &result->cell;
    const struct sl_graph *graph = cell->plan.graph;
    *wait = (struct sl_node_wait){.mean_us = (double)NAN};
    uint32_t index = graph ? sl_names_find(&graph->node_names, node) : SL_NONE;
    if (index == SL_NONE || sl_result_trials(result) == 0)
        return SL_USAGE;
    if (cell->jobs) {
        wait_of_jobs(cell->jobs, index, wait);
        return SL_OK;
    }
    const struct sl_node_totals *totals = &cell->nodes;
    const struct sl_wait *longest = &totals->longest_wait[index];
    wait->trials = totals->ran[index];
    if (wait->trials > 0)
        wait->mean_us = sl_us_of(totals->wait_ps[index]) / wait->trials;
    wait->longest_ps = longest->wait_ps;
    if (longest->wait_ps == 0)
        return SL_OK;
    wait->trial = longest->trial;
    wait->cause = sl_cause_name(longest->cause);
    wait->behind = sl_result_node_name(result, longest->behind);
    return SL_OK;
}
