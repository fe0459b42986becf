/* One replication's jobs, as they end. */
#include "job_sample.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024
#define LITTLE         1e-6 /* relative: both are sums of rounded terms */

/* A stated warm-up is one stretch; one that is to be found ends behind one of many. */
static bool reserve_stretches(struct sl_job_sample *sample, int64_t warmup)
{
    bool stated = warmup > 0, found = warmup < 0;
    sample->stretch = stated ? (uint64_t)warmup : SL_WARMUP_BATCH;
    sample->stretch_count = stated ? 1 : found ? sample->expected / 2 / SL_WARMUP_BATCH : 0;
    sample->stretches = calloc(sample->stretch_count + 1, sizeof *sample->stretches);
    return sample->stretches;
}

enum sl_status sl_job_sample_init(struct sl_job_sample *sample,
                                  const struct sl_job_metrics *metrics,
                                  const struct sl_job_shape *shape, uint64_t expected,
                                  int64_t warmup, int64_t bound_ps, bool rows, struct sl_error *err)
{
    *sample = (struct sl_job_sample){.metrics = metrics,
                                     .shape = shape,
                                     .expected = expected,
                                     .bound_ps = bound_ps,
                                     .longest_wait_node = SL_NONE};
    sample->values_us = calloc(metrics->count, sizeof *sample->values_us);
    sample->tardiness_us = calloc(metrics->due_count + 1u, sizeof *sample->tardiness_us);
    sample->counts = calloc(shape->counts + 1u, sizeof *sample->counts);
    if (rows) {
        bool all = expected == 0 || expected > SL_JOB_ROWS;
        sample->row_capacity = all ? SL_JOB_ROWS : (uint32_t)expected;
        sample->rows = calloc(sample->row_capacity, sizeof *sample->rows);
    }
    return reserve_stretches(sample, warmup) && sample->values_us && sample->tardiness_us &&
                   sample->counts && (sample->rows || !rows)
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for the jobs of a replication");
}

void sl_job_sample_free(struct sl_job_sample *sample)
{
    for (uint32_t m = 0; sample->values_us && m < sample->metrics->count; m++)
        free(sample->values_us[m]);
    free(sample->values_us);
    for (uint32_t d = 0; sample->tardiness_us && d < sample->metrics->due_count; d++)
        free(sample->tardiness_us[d]);
    free(sample->tardiness_us);
    for (uint32_t v = 0; sample->counts && v < sample->shape->counts; v++)
        free(sample->counts[v]);
    free(sample->counts);
    free(sample->arrival_ps);
    free(sample->rejected);
    free(sample->slowdown);
    free(sample->rows);
    free(sample->stretches);
    free(sample->unit_s);
    free(sample->window_unit_s);
    free(sample->node_wait_ps);
    free(sample->node_runs);
    free(sample->node_longest_ps);
    free(sample->node_starved);
    free(sample->batches);
    free(sample->caches);
    *sample = (struct sl_job_sample){0};
}

static bool grow(void **array, uint64_t count, size_t size)
{
    void *more = count <= SIZE_MAX / size ? realloc(*array, count * size) : NULL;
    if (more)
        *array = more;
    return more != NULL;
}

/* Room for a job of this number; those in between have not ended yet. */
static bool reserve(struct sl_job_sample *sample, uint64_t job)
{
    if (job < sample->capacity)
        return true;
    uint64_t capacity = sample->capacity ? 2 * sample->capacity : FIRST_CAPACITY;
    if (sample->capacity < sample->expected)
        capacity = sample->expected;
    capacity = capacity > job ? capacity : job + 1;
    bool ok = grow((void **)&sample->arrival_ps, capacity, sizeof *sample->arrival_ps) &&
              grow((void **)&sample->rejected, capacity, sizeof *sample->rejected) &&
              grow((void **)&sample->slowdown, capacity, sizeof *sample->slowdown);
    for (uint32_t m = 0; ok && m < sample->metrics->count; m++)
        ok = grow((void **)&sample->values_us[m], capacity, sizeof **sample->values_us);
    for (uint32_t d = 0; ok && d < sample->metrics->due_count; d++)
        ok = grow((void **)&sample->tardiness_us[d], capacity, sizeof **sample->tardiness_us);
    for (uint32_t v = 0; ok && v < sample->shape->counts; v++)
        ok = grow((void **)&sample->counts[v], capacity, sizeof **sample->counts);
    if (ok)
        sample->capacity = capacity;
    return ok;
}

/* Jobs that have not ended have neither values nor an arrival: only a deadlock leaves some. */
static void open_jobs(struct sl_job_sample *sample, uint64_t upto)
{
    for (; sample->jobs < upto; sample->jobs++) {
        sample->arrival_ps[sample->jobs] = -1;
        sample->rejected[sample->jobs] = false;
        sample->slowdown[sample->jobs] = NAN;
        for (uint32_t m = 0; m < sample->metrics->count; m++)
            sample->values_us[m][sample->jobs] = NAN;
        for (uint32_t d = 0; d < sample->metrics->due_count; d++)
            sample->tardiness_us[d][sample->jobs] = NAN;
        for (uint32_t v = 0; v < sample->shape->counts; v++)
            sample->counts[v][sample->jobs] = NAN;
    }
}

static struct sl_job_parts *stretch_of(struct sl_job_sample *sample, uint64_t job)
{
    uint64_t stretch = job / sample->stretch;
    return stretch < sample->stretch_count ? &sample->stretches[stretch] : &sample->behind;
}

static void add_parts(struct sl_job_parts *parts, const struct sl_job_record *job)
{
    parts->jobs++;
    parts->latency += (double)(job->finish_ps - job->arrival_ps);
    parts->admission += (double)(job->admitted_ps - job->arrival_ps);
    parts->isolated += (double)job->isolated_ps;
    parts->contention += (double)(job->run_ps - job->isolated_ps);
    for (unsigned c = 0; c < SL_CAUSES; c++)
        parts->wait[c] += (double)job->wait_ps[c];
}

/* Lags and releases are of the job's own graph, too; a batch lasts as long as its members make it.
 */
static double slowdown(const struct sl_job_record *job)
{
    int64_t own_ps = job->isolated_ps + job->wait_ps[SL_CAUSE_LAG] + job->wait_ps[SL_CAUSE_RELEASE];
    double latency_ps = (double)(job->finish_ps - job->arrival_ps);
    return own_ps > 0 ? latency_ps / (double)own_ps : NAN;
}

/* Of equal ones the first job's. */
static void note_admission(struct sl_job_sample *sample, const struct sl_job_record *job)
{
    int64_t wait = job->admitted_ps - job->arrival_ps, longest = sample->longest_admission_ps;
    sample->admission_starved += sample->bound_ps >= 0 && wait > sample->bound_ps;
    if (wait <= 0 || wait < longest ||
        (wait == longest && job->job > sample->longest_admission_job))
        return;
    sample->longest_admission_ps = wait;
    sample->longest_admission_job = job->job;
}

static void note_wait(struct sl_job_sample *sample, const struct sl_job_record *job)
{
    int64_t wait = job->longest_wait_ps, longest = sample->longest_wait_ps;
    sample->starved += sample->bound_ps >= 0 && wait > sample->bound_ps;
    if (wait <= 0 || wait < longest || (wait == longest && job->job > sample->longest_wait_job))
        return;
    sample->longest_wait_ps = wait;
    sample->longest_wait_node = job->longest_wait_node;
    sample->longest_wait_job = job->job;
}

static void keep_row(struct sl_job_sample *sample, const struct sl_job_record *job)
{
    if (job->job >= sample->row_capacity)
        return;
    struct sl_job_row *row = &sample->rows[job->job];
    *row = (struct sl_job_row){.arrival_ps = job->arrival_ps,
                               .admitted_ps = job->admitted_ps,
                               .finish_ps = job->finish_ps,
                               .run_ps = job->run_ps,
                               .isolated_ps = job->isolated_ps,
                               .rejection = job->rejection};
    memcpy(row->wait_ps, job->wait_ps, sizeof row->wait_ps);
}

enum sl_status sl_job_sample_visit(void *user, const struct sl_job_record *job,
                                   struct sl_error *err)
{
    struct sl_job_sample *sample = user;
    if (!reserve(sample, job->job))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %llu jobs of a replication",
                       (unsigned long long)job->job + 1);
    open_jobs(sample, job->job + 1);
    sample->arrival_ps[job->job] = job->arrival_ps;
    sample->rejected[job->job] = job->rejected;
    for (uint32_t m = 0; m < sample->metrics->count; m++)
        sample->values_us[m][job->job] = sl_job_metric_us(&sample->metrics->items[m], job);
    for (uint32_t d = 0; d < sample->metrics->due_count; d++)
        sample->tardiness_us[d][job->job] = sl_job_tardiness_us(&sample->metrics->dues[d], job);
    for (uint32_t v = 0; v < sample->shape->counts; v++)
        sample->counts[v][job->job] = job->parameters[sample->shape->parameters + v];
    if (sample->rows)
        keep_row(sample, job);
    sample->completed += !job->rejected;
    sample->rejections += job->rejected;
    sample->rejected_for[job->rejection] += job->rejected ? 1 : 0;
    if (job->rejected)
        return SL_OK;
    sample->slowdown[job->job] = slowdown(job);
    sample->latency_ps += (double)(job->finish_ps - job->arrival_ps);
    if (job->finish_ps > sample->last_finish_ps)
        sample->last_finish_ps = job->finish_ps;
    add_parts(stretch_of(sample, job->job), job);
    note_wait(sample, job);
    note_admission(sample, job);
    return SL_OK;
}

static double *widened(const int64_t *values, uint32_t count)
{
    double *copy = malloc(count * sizeof *copy + 1);
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = (double)values[i];
    return copy;
}

static enum sl_status audit(const struct sl_job_sample *sample, const struct sl_jobs_totals *totals,
                            struct sl_error *err)
{
    if (sample->completed != totals->completed || sample->rejections != totals->rejected)
        return SL_FAIL(err, SL_SYSTEM,
                       "the engine counts %llu jobs completed and %llu rejected, and its records "
                       "are of %llu and %llu",
                       (unsigned long long)totals->completed, (unsigned long long)totals->rejected,
                       (unsigned long long)sample->completed,
                       (unsigned long long)sample->rejections);
    for (unsigned r = 0; r < SL_REJECTIONS; r++)
        if (sample->rejected_for[r] != totals->rejected_for[r])
            return SL_FAIL(err, SL_SYSTEM,
                           "the engine rejected %llu jobs as '%s', its records %llu",
                           (unsigned long long)totals->rejected_for[r],
                           sl_rejection_name((enum sl_rejection)r),
                           (unsigned long long)sample->rejected_for[r]);
    double spent = sample->latency_ps / 1e12, held = totals->jobs_s;
    if (!sample->deadlocked && fabs(spent - held) > LITTLE * fmax(spent, held))
        return SL_FAIL(err, SL_SYSTEM,
                       "Little's law is broken: the number in the system integrates to %.17g job "
                       "seconds, and jobs spent %.17g s there",
                       held, spent);
    return SL_OK;
}

static double sum_of(const struct sl_job_sample *sample, uint32_t count)
{
    double sum = 0;
    for (uint64_t j = 0; j < sample->jobs; j++)
        sum += isnan(sample->counts[count][j]) ? 0 : sample->counts[count][j];
    return sum;
}

static enum sl_status audit_shared(const struct sl_job_sample *sample, struct sl_error *err)
{
    for (uint32_t k = 0; k < sample->shape->shared_count && !sample->deadlocked; k++) {
        const struct sl_job_shared *shared = &sample->shape->shared[k];
        const struct sl_cache_totals *totals = &sample->caches[k];
        double asked = sum_of(sample, shared->first_count);
        double missing = sum_of(sample, shared->first_count + shared->tiers + 1);
        if (asked != (double)totals->looked_up || missing != (double)totals->missing)
            return SL_FAIL(err, SL_SYSTEM,
                           "the engine counts %llu blocks looked up and %llu missing, and its "
                           "records have %.0f and %.0f",
                           (unsigned long long)totals->looked_up,
                           (unsigned long long)totals->missing, asked, missing);
    }
    return SL_OK;
}

static bool keep_windows(struct sl_job_sample *sample, const struct sl_jobs_totals *totals)
{
    size_t bytes =
        (size_t)sample->shape->resources * SL_JOBS_WINDOWS * sizeof *sample->window_unit_s;
    if (totals->window_ps == 0)
        return true;
    sample->window_ps = totals->window_ps;
    sample->window_unit_s = malloc(bytes + 1);
    if (sample->window_unit_s)
        memcpy(sample->window_unit_s, totals->window_unit_s, bytes);
    return sample->window_unit_s;
}

/* The arrays that the engine's next replication overwrites; false when out of memory. */
static bool keep_totals(struct sl_job_sample *sample, const struct sl_jobs_totals *totals)
{
    const struct sl_job_shape *shape = sample->shape;
    sample->unit_s = malloc(shape->resources * sizeof *sample->unit_s + 1);
    sample->node_wait_ps = widened(totals->node_wait_ps, shape->nodes);
    sample->node_runs = malloc(shape->nodes * sizeof *sample->node_runs + 1);
    sample->node_longest_ps = malloc(shape->nodes * sizeof *sample->node_longest_ps + 1);
    sample->node_starved = malloc(shape->nodes * sizeof *sample->node_starved + 1);
    sample->batches = malloc(shape->batch_count * sizeof *sample->batches + 1);
    sample->caches = malloc(shape->shared_count * sizeof *sample->caches + 1);
    if (!sample->unit_s || !sample->node_wait_ps || !sample->node_runs ||
        !sample->node_longest_ps || !sample->node_starved || !sample->batches || !sample->caches)
        return false;
    memcpy(sample->unit_s, totals->unit_s, shape->resources * sizeof *sample->unit_s);
    for (uint32_t i = 0; i < shape->nodes; i++)
        sample->node_runs[i] = (double)totals->node_runs[i];
    memcpy(sample->node_longest_ps, totals->node_wait_most_ps,
           shape->nodes * sizeof *sample->node_longest_ps);
    memcpy(sample->node_starved, totals->node_starved, shape->nodes * sizeof *sample->node_starved);
    for (uint32_t k = 0; k < shape->batch_count; k++)
        sample->batches[k] = totals->batches[shape->batch_nodes[k]];
    for (uint32_t k = 0; k < shape->shared_count; k++)
        sample->caches[k] = totals->caches[k];
    return true;
}

enum sl_status sl_job_sample_close(struct sl_job_sample *sample,
                                   const struct sl_jobs_totals *totals, struct sl_error *err)
{
    sample->deadlocked = totals->outcome == SL_DEADLOCK;
    snprintf(sample->deadlock, sizeof sample->deadlock, "%s",
             totals->deadlock ? totals->deadlock : "");
    sample->jobs_s = totals->jobs_s;
    sample->most_jobs = totals->most_jobs;
    sample->end_ps = totals->end_ps;
    sample->last_arrival_ps = totals->last_arrival_ps;
    sample->hypothetical = totals->hypothetical;
    if (!keep_totals(sample, totals) || !keep_windows(sample, totals))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the totals of a replication");
    enum sl_status status = audit(sample, totals, err);
    return status == SL_OK ? audit_shared(sample, err) : status;
}

void sl_job_parts_add(struct sl_job_parts *sums, const struct sl_job_parts *more)
{
    sums->jobs += more->jobs;
    sums->latency += more->latency;
    sums->admission += more->admission;
    sums->isolated += more->isolated;
    sums->contention += more->contention;
    for (unsigned c = 0; c < SL_CAUSES; c++)
        sums->wait[c] += more->wait[c];
}

struct sl_job_parts sl_job_sample_parts(const struct sl_job_sample *sample, uint64_t warmup)
{
    struct sl_job_parts all = sample->behind;
    for (uint64_t s = warmup / sample->stretch; s < sample->stretch_count; s++)
        sl_job_parts_add(&all, &sample->stretches[s]);
    return all;
}
