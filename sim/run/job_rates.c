/* Rates, loads and the number in the system: one figure by replication, and Student's t over them.
 */
#include "job_cell.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define LEVEL  0.95
#define NORMAL 1.959964 /* standard normal quantile of its upper limit */

/* From the arrival of the first counted job (from the start, if none is left out) to the end of the
 * last one, s. */
static double counted_s(const struct sl_job_sample *sample, uint64_t warmup)
{
    uint64_t first = warmup;
    while (first < sample->jobs && sample->arrival_ps[first] < 0)
        first++;
    if (first >= sample->jobs)
        return NAN;
    int64_t begin = warmup == 0 ? 0 : sample->arrival_ps[first];
    return (double)(sample->last_finish_ps - begin) / 1e12;
}

static double throughput(const struct sl_job_sample *sample, uint64_t warmup, bool good)
{
    uint64_t jobs = 0;
    for (uint64_t j = warmup; j < sample->jobs; j++)
        jobs += (good ? sl_job_keeps_all(sample, j) : !isnan(sample->values_us[0][j])) ? 1 : 0;
    double s = counted_s(sample, warmup);
    return s > 0 ? (double)jobs / s : NAN;
}

/* The mean of figures by replication, which cannot be negative. */
static struct sl_estimate mean_above_0(const double *values, uint32_t count)
{
    return sl_positive(sl_mean(values, count, LEVEL).value, values, count, LEVEL);
}

/* What a replication says of a resource: units in use, or wanted, over those there are. */
static double share_of(const struct sl_job_sample *sample, uint32_t resource, uint32_t servers,
                       int64_t over_ps)
{
    return over_ps > 0 ? sample->unit_s[resource] / servers / ((double)over_ps / 1e12) : NAN;
}

/* `values` by replication.  Over n jobs the load of gaps and times that vary as exponential ones do
 * is the ratio of two sums of n, whose logarithm varies by sqrt(2 / n). */
static struct sl_estimate load_of(const struct sl_job_cell *jobs, const double *values)
{
    double n = 0, value = sl_mean(values, jobs->distinct, LEVEL).value;
    if (jobs->one_course)
        return (struct sl_estimate){value, NAN, NAN};
    if (jobs->distinct >= SL_SERIES_LEAST_GROUPS)
        return sl_positive(value, values, jobs->distinct, LEVEL);
    for (uint32_t r = 0; r < jobs->distinct; r++)
        n += (double)jobs->samples[r].jobs;
    double factor = exp(NORMAL * sqrt(2 / n));
    return (struct sl_estimate){value, value / factor, value * factor};
}

/* A server that batches is busy while anybody is there, and takes more with little more time: how
 * long it is busy says nothing of how many more jobs it could serve. */
static void estimate_loads(struct sl_job_cell *jobs, const struct sl_job_question *question,
                           double *values)
{
    jobs->bottleneck = SL_NONE;
    for (uint32_t i = 0; i < question->platform->resource_names.count; i++) {
        const struct sl_resource *resource = &question->platform->resources[i];
        uint32_t servers = resource->servers;
        bool batches = resource->batch.most > 0;
        struct sl_job_load *load = &jobs->loads[i];
        *load = (struct sl_job_load){SL_NO_ESTIMATE, SL_NO_ESTIMATE};
        if (servers == SL_UNLIMITED)
            continue;
        for (uint32_t r = 0; r < jobs->sample_count; r++)
            values[r] = share_of(&jobs->samples[r], i, servers, jobs->samples[r].last_arrival_ps);
        if (question->open && !batches)
            load->offered = load_of(jobs, values);
        for (uint32_t r = 0; r < jobs->sample_count; r++)
            values[r] = share_of(&jobs->samples[r], i, servers, jobs->samples[r].end_ps);
        load->utilisation = mean_above_0(values, jobs->distinct);
        if (load->utilisation.hi > 1)
            load->utilisation.hi = 1;
        uint32_t most = jobs->bottleneck;
        if (load->utilisation.value > 0 && !batches &&
            (most == SL_NONE || load->utilisation.value > jobs->loads[most].utilisation.value))
            jobs->bottleneck = i;
    }
}

/* The objective is a throughput: the time per completed job stands in the place of the metric.  It
 * has no distribution over jobs, so that tail and median are its mean. */
static void put_time_per_job(struct sl_job_cell *jobs, double *values)
{
    for (uint32_t r = 0; r < jobs->sample_count; r++) {
        struct sl_job_trial *trial = &jobs->trials[r];
        values[r] = 1e6 / trial->throughput;
        trial->mean = trial->median = trial->p90 = trial->p99 = trial->tail = values[r];
    }
    jobs->time_per_job = mean_above_0(values, jobs->distinct);
}

/* Jobs that hold the busiest resource as long as these did cannot be completed faster. */
static double time_at_bottleneck_us(const struct sl_job_cell *jobs,
                                    const struct sl_job_question *question)
{
    double held_s = 0, completed = 0;
    for (uint32_t r = 0; jobs->bottleneck != SL_NONE && r < jobs->distinct; r++) {
        held_s += jobs->samples[r].unit_s[jobs->bottleneck];
        completed += (double)jobs->samples[r].completed;
    }
    return completed > 0
               ? 1e6 * held_s / completed / question->platform->resources[jobs->bottleneck].servers
               : NAN;
}

/* The mean over replications of the number at `offset` of struct sl_job_trial. */
static struct sl_estimate mean_of(const struct sl_job_cell *jobs, size_t offset, double *values)
{
    for (uint32_t r = 0; r < jobs->sample_count; r++)
        values[r] = *(const double *)((const char *)&jobs->trials[r] + offset);
    return mean_above_0(values, jobs->distinct);
}

enum sl_status sl_job_estimate_rates(struct sl_job_cell *jobs,
                                     const struct sl_job_question *question, struct sl_error *err)
{
    double *values = malloc(jobs->sample_count * sizeof *values + 1);
    if (!values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for rates");
    estimate_loads(jobs, question, values);
    for (uint32_t r = 0; r < jobs->sample_count; r++) {
        const struct sl_job_sample *sample = &jobs->samples[r];
        struct sl_job_trial *trial = &jobs->trials[r];
        trial->throughput = throughput(sample, jobs->warmup.jobs, false);
        trial->goodput = jobs->metrics.limited ? throughput(sample, jobs->warmup.jobs, true) : NAN;
        trial->in_system = sample->jobs_s / ((double)sample->end_ps / 1e12);
    }
    jobs->throughput = mean_of(jobs, offsetof(struct sl_job_trial, throughput), values);
    jobs->goodput = mean_of(jobs, offsetof(struct sl_job_trial, goodput), values);
    jobs->in_system = mean_of(jobs, offsetof(struct sl_job_trial, in_system), values);
    jobs->time_per_job = SL_NO_ESTIMATE;
    if (jobs->metrics.throughput) {
        put_time_per_job(jobs, values);
        jobs->bound_us = time_at_bottleneck_us(jobs, question);
    }
    free(values);
    return SL_OK;
}
