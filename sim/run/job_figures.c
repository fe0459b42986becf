/* From the samples of replications to figures with intervals. */
#include "job_cell.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95

/* The values of one metric, without warm-up and gaps, of all replications. */
struct gathered {
    double *pool, **values;
    size_t *counts;
    size_t n;
};

static void gathered_free(struct gathered *gathered)
{
    free(gathered->pool);
    free(gathered->values);
    free(gathered->counts);
}

static bool gathered_init(struct gathered *gathered, const struct sl_job_cell *jobs)
{
    uint64_t all = 0;
    for (uint32_t r = 0; r < jobs->sample_count; r++)
        all += jobs->samples[r].jobs;
    gathered->pool = malloc(all * sizeof *gathered->pool + 1);
    gathered->values = calloc((size_t)jobs->sample_count + 1, sizeof *gathered->values);
    gathered->counts = calloc((size_t)jobs->sample_count + 1, sizeof *gathered->counts);
    return gathered->pool && gathered->values && gathered->counts;
}

/* What a counted job gives to a series; NAN: nothing. */
typedef double value_of(const struct sl_job_sample *sample, uint32_t metric, uint64_t job);

static double metric_value(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    return sample->values_us[metric][job];
}

static double slowdown_value(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    (void)metric;
    return sample->slowdown[job];
}

/* What the chain takes alone. */
static double alone_value(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    return sample->values_us[metric][job] / sample->slowdown[job];
}

static double tardiness_value(const struct sl_job_sample *sample, uint32_t due, uint64_t job)
{
    return sample->tardiness_us[due][job];
}

static double late_value(const struct sl_job_sample *sample, uint32_t due, uint64_t job)
{
    double us = sample->tardiness_us[due][job];
    return us > 0 ? us : NAN;
}

static double missed_value(const struct sl_job_sample *sample, uint32_t due, uint64_t job)
{
    return sample->rejected[job] || sample->tardiness_us[due][job] > 0;
}

static double any_missed_value(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    bool missed = false;
    (void)metric;
    for (uint32_t d = 0; !missed && d < sample->metrics->due_count; d++)
        missed = missed_value(sample, d, job) > 0;
    return missed;
}

static bool keeps(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    int64_t limit = sample->metrics->items[metric].limit_ps;
    return limit == INT64_MAX || !(sample->values_us[metric][job] > sl_us_of(limit));
}

static double kept_value(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    return !sample->rejected[job] && keeps(sample, metric, job);
}

bool sl_job_keeps_all(const struct sl_job_sample *sample, uint64_t job)
{
    bool kept = !sample->rejected[job];
    for (uint32_t m = 0; kept && m < sample->metrics->count; m++)
        kept = keeps(sample, m, job);
    return kept;
}

static double all_kept_value(const struct sl_job_sample *sample, uint32_t metric, uint64_t job)
{
    (void)metric;
    return sl_job_keeps_all(sample, job);
}

static void gather(struct gathered *gathered, const struct sl_job_cell *jobs, uint32_t metric,
                   value_of *value)
{
    gathered->n = 0;
    for (uint32_t r = 0; r < jobs->distinct; r++) {
        const struct sl_job_sample *sample = &jobs->samples[r];
        size_t begin = gathered->n;
        gathered->values[r] = &gathered->pool[begin];
        for (uint64_t j = jobs->warmup.jobs; j < sample->jobs; j++) {
            double x = value(sample, metric, j);
            if (!isnan(x))
                gathered->pool[gathered->n++] = x;
        }
        gathered->counts[r] = gathered->n - begin;
    }
}

static struct sl_series series_of(const struct gathered *gathered, const struct sl_job_cell *jobs,
                                  bool one_course)
{
    return (struct sl_series){.values = (const double *const *)gathered->values,
                              .counts = gathered->counts,
                              .count = jobs->distinct,
                              .one_course = one_course};
}

static void list_figures(struct sl_series_figure figures[SL_JOB_FIGURES], double tail)
{
    const struct sl_series_figure list[SL_JOB_FIGURES] = {
        [SL_JOB_MEAN] = {SL_SERIES_MEAN, 0},       [SL_JOB_MEDIAN] = {SL_SERIES_QUANTILE, 0.5},
        [SL_JOB_P90] = {SL_SERIES_QUANTILE, 0.9},  [SL_JOB_P95] = {SL_SERIES_QUANTILE, 0.95},
        [SL_JOB_P99] = {SL_SERIES_QUANTILE, 0.99}, [SL_JOB_P999] = {SL_SERIES_QUANTILE, 0.999},
        [SL_JOB_CVAR99] = {SL_SERIES_CVAR, 0.99},  [SL_JOB_TAIL] = {SL_SERIES_QUANTILE, tail},
    };
    memcpy(figures, list, sizeof list);
}

/* A share is not known better than from as many independent jobs: jobs that all keep a limit do not
 * vary, and that alone would leave no interval. */
static enum sl_status estimate_share(struct sl_estimate *share, struct gathered *gathered,
                                     const struct sl_job_cell *jobs, uint32_t metric,
                                     value_of *value, bool one_course, struct sl_error *err)
{
    const struct sl_series_figure mean = {SL_SERIES_MEAN, 0};
    struct sl_series_result result;
    gather(gathered, jobs, metric, value);
    struct sl_series series = series_of(gathered, jobs, one_course);
    enum sl_status status = sl_series_estimate(&series, &mean, 1, LEVEL, &result, err);
    size_t hits = (size_t)llround(result.estimate.value * (double)gathered->n);
    struct sl_estimate exact = sl_proportion(hits, gathered->n, LEVEL);
    *share = (struct sl_estimate){result.estimate.value, fmin(exact.lo, result.estimate.lo),
                                  fmax(exact.hi, result.estimate.hi)};
    share->lo = fmax(share->lo, 0);
    share->hi = fmin(share->hi, 1);
    return status;
}

/* Figures of what `gathered` holds, which cannot be negative. */
static enum sl_status estimate_values(struct sl_job_estimates *estimates,
                                      const struct gathered *gathered,
                                      const struct sl_job_cell *jobs,
                                      const struct sl_job_question *question, struct sl_error *err)
{
    struct sl_series_figure figures[SL_JOB_FIGURES];
    list_figures(figures, question->tail);
    struct sl_series series = series_of(gathered, jobs, jobs->one_course);
    series.times = true;
    enum sl_status status =
        sl_series_estimate(&series, figures, SL_JOB_FIGURES, LEVEL, estimates->figures, err);
    estimates->sd = sl_stddev(gathered->pool, gathered->n);
    estimates->max = gathered->n > 0 ? gathered->pool[0] : NAN;
    for (size_t i = 1; i < gathered->n; i++)
        estimates->max = fmax(estimates->max, gathered->pool[i]);
    estimates->kept = SL_NO_ESTIMATE;
    return status;
}

static enum sl_status estimate_metric(struct sl_job_estimates *estimates, struct gathered *gathered,
                                      const struct sl_job_cell *jobs, uint32_t metric,
                                      const struct sl_job_question *question, struct sl_error *err)
{
    gather(gathered, jobs, metric, metric_value);
    enum sl_status status = estimate_values(estimates, gathered, jobs, question, err);
    if (status == SL_OK && jobs->metrics.items[metric].limit_ps != INT64_MAX)
        status = estimate_share(&estimates->kept, gathered, jobs, metric, kept_value,
                                jobs->one_course, err);
    return status;
}

/* ... and the mean of what the latencies are compared with. */
static enum sl_status estimate_slowdown(struct sl_job_cell *jobs, struct gathered *gathered,
                                        const struct sl_job_question *question,
                                        struct sl_error *err)
{
    gather(gathered, jobs, 0, alone_value);
    bool latency = jobs->metrics.main == 0;
    jobs->bound_us = latency ? sl_mean(gathered->pool, gathered->n, LEVEL).value : NAN;
    gather(gathered, jobs, 0, slowdown_value);
    return estimate_values(&jobs->slowdown, gathered, jobs, question, err);
}

static void count_misses(struct sl_job_deadline *deadline, const struct sl_job_cell *jobs,
                         uint32_t due)
{
    for (uint32_t r = 0; r < jobs->sample_count; r++)
        for (uint64_t j = jobs->warmup.jobs; j < jobs->samples[r].jobs; j++) {
            deadline->never += jobs->samples[r].rejected[j];
            deadline->completed += !jobs->samples[r].rejected[j];
            deadline->misses += missed_value(&jobs->samples[r], due, j) > 0;
        }
}

static enum sl_status estimate_deadline(struct sl_job_deadline *deadline, struct gathered *gathered,
                                        const struct sl_job_cell *jobs, uint32_t due,
                                        struct sl_error *err)
{
    const struct sl_series_figure figures[] = {{SL_SERIES_MEAN, 0}, {SL_SERIES_QUANTILE, 0.99}};
    struct sl_series_result results[2], late;
    *deadline = (struct sl_job_deadline){.due = jobs->metrics.dues[due], .tardiness_max_us = NAN};
    count_misses(deadline, jobs, due);
    gather(gathered, jobs, due, tardiness_value);
    struct sl_series series = series_of(gathered, jobs, jobs->one_course);
    series.times = true;
    for (size_t i = 0; i < gathered->n; i++)
        deadline->tardiness_max_us = fmax(deadline->tardiness_max_us, gathered->pool[i]);
    enum sl_status status = sl_series_estimate(&series, figures, 2, LEVEL, results, err);
    gather(gathered, jobs, due, late_value);
    if (status == SL_OK)
        status = sl_series_estimate(&series, figures, 1, LEVEL, &late, err);
    if (status != SL_OK)
        return status;
    deadline->tardiness_mean = results[0].estimate;
    deadline->tardiness_p99 = results[1].estimate;
    deadline->tardiness_when_missed = late.estimate;
    return estimate_share(&deadline->miss, gathered, jobs, due, missed_value, jobs->one_course,
                          err);
}

static enum sl_status estimate_deadlines(struct sl_job_cell *jobs, struct gathered *gathered,
                                         struct sl_error *err)
{
    enum sl_status status = SL_OK;
    jobs->deadline_miss = SL_NO_ESTIMATE;
    for (uint32_t d = 0; status == SL_OK && d < jobs->metrics.due_count; d++)
        status = estimate_deadline(&jobs->deadlines[d], gathered, jobs, d, err);
    if (status == SL_OK && jobs->metrics.due_count > 0)
        status = estimate_share(&jobs->deadline_miss, gathered, jobs, 0, any_missed_value,
                                jobs->one_course, err);
    return status;
}

/* The figures of each replication by itself, of the objective's metric.  Differences of them are
 * averaged over replications, so that one value beyond a quantile is enough. */
static enum sl_status estimate_trials(struct sl_job_cell *jobs, struct gathered *gathered,
                                      double tail, struct sl_error *err)
{
    double *sorted = malloc(gathered->n * sizeof *sorted + 1);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the figures of replications");
    for (uint32_t r = 0; r < jobs->distinct; r++) {
        const double *values = gathered->values[r];
        size_t n = gathered->counts[r];
        struct sl_job_trial *trial = &jobs->trials[r];
        double *const at[] = {&trial->median, &trial->p90, &trial->p99, &trial->tail};
        const double quantiles[] = {0.5, 0.9, 0.99, tail};
        const struct sl_series_figure mean = {SL_SERIES_MEAN, 0};
        memcpy(sorted, values, n * sizeof *sorted);
        sl_sort_doubles(sorted, n);
        trial->mean = sl_series_figure_of(mean, values, sorted, n);
        for (size_t q = 0; q < sizeof at / sizeof *at; q++) {
            struct sl_series_figure figure = {SL_SERIES_QUANTILE, quantiles[q]};
            *at[q] =
                n >= sl_series_needs(figure) ? sl_series_figure_of(figure, values, sorted, n) : NAN;
        }
    }
    for (uint32_t r = jobs->distinct; r < jobs->sample_count; r++)
        jobs->trials[r] = jobs->trials[0];
    free(sorted);
    return SL_OK;
}

static bool same_course(const struct sl_job_sample *a, const struct sl_job_sample *b)
{
    bool same = a->jobs == b->jobs &&
                memcmp(a->arrival_ps, b->arrival_ps, a->jobs * sizeof *a->arrival_ps) == 0 &&
                memcmp(a->rejected, b->rejected, a->jobs * sizeof *a->rejected) == 0;
    for (uint32_t m = 0; same && m < a->metrics->count; m++)
        same = memcmp(a->values_us[m], b->values_us[m], a->jobs * sizeof(double)) == 0;
    return same;
}

/* Copies of one course of events say nothing of how figures vary. */
static void find_distinct(struct sl_job_cell *jobs)
{
    bool same = jobs->sample_count > 1 && jobs->samples[0].jobs > 0;
    for (uint32_t r = 1; same && r < jobs->sample_count; r++)
        same = same_course(&jobs->samples[0], &jobs->samples[r]);
    jobs->distinct = same ? 1 : jobs->sample_count;
}

static void sum_up(struct sl_job_cell *jobs)
{
    for (uint32_t r = 0; r < jobs->sample_count; r++) {
        const struct sl_job_sample *sample = &jobs->samples[r];
        struct sl_job_parts parts = sl_job_sample_parts(sample, jobs->warmup.jobs);
        jobs->arrived += sample->jobs;
        jobs->completed += sample->completed;
        jobs->rejected += sample->rejections;
        for (unsigned reason = 0; reason < SL_REJECTIONS; reason++)
            jobs->rejected_for[reason] += sample->rejected_for[reason];
        jobs->starved += sample->starved;
        jobs->counted += sample->jobs > jobs->warmup.jobs ? sample->jobs - jobs->warmup.jobs : 0;
        if (sample->most_jobs > jobs->most_jobs)
            jobs->most_jobs = sample->most_jobs;
        sl_job_parts_add(&jobs->parts, &parts);
    }
}

static bool reserve(struct sl_job_cell *jobs, const struct sl_job_question *question,
                    struct sl_arena *arena)
{
    size_t resources = question->platform->resource_names.count;
    jobs->estimates = sl_arena_array(arena, jobs->metrics.count, sizeof *jobs->estimates);
    jobs->trials = sl_arena_array(arena, (size_t)jobs->sample_count + 1, sizeof *jobs->trials);
    jobs->loads = sl_arena_array(arena, resources + 1, sizeof *jobs->loads);
    jobs->deadlines =
        sl_arena_array(arena, (size_t)jobs->metrics.due_count + 1, sizeof *jobs->deadlines);
    return jobs->estimates && jobs->trials && jobs->loads && jobs->deadlines;
}

enum sl_status sl_job_estimate(struct sl_job_cell *jobs, const struct sl_job_question *question,
                               struct sl_arena *arena, struct sl_error *err)
{
    struct gathered gathered = {0};
    enum sl_status status = SL_OK;
    find_distinct(jobs);
    jobs->one_course = question->one_course || jobs->distinct < jobs->sample_count;
    if (!reserve(jobs, question, arena) || !gathered_init(&gathered, jobs))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the figures of jobs");
    if (status == SL_OK)
        status = sl_job_warmup_of(&jobs->warmup, jobs->samples, jobs->sample_count, question, err);
    for (uint32_t m = 0; status == SL_OK && m < jobs->metrics.count; m++) {
        status = estimate_metric(&jobs->estimates[m], &gathered, jobs, m, question, err);
        if (status == SL_OK && m == jobs->metrics.main) {
            gather(&gathered, jobs, m, metric_value);
            status = estimate_trials(jobs, &gathered, question->tail, err);
        }
    }
    if (status == SL_OK)
        status = estimate_slowdown(jobs, &gathered, question, err);
    if (status == SL_OK)
        status = estimate_deadlines(jobs, &gathered, err);
    jobs->kept = SL_NO_ESTIMATE;
    if (status == SL_OK && jobs->metrics.limited)
        status =
            estimate_share(&jobs->kept, &gathered, jobs, 0, all_kept_value, jobs->one_course, err);
    gathered_free(&gathered);
    if (status == SL_OK)
        status = sl_job_estimate_rates(jobs, question, err);
    if (status == SL_OK)
        status = sl_job_batches(jobs, arena, err);
    if (status == SL_OK)
        status = sl_job_caches(jobs, arena, err);
    if (status != SL_OK)
        return status;
    sum_up(jobs);
    bool loaded = jobs->bottleneck != SL_NONE && jobs->rejected == 0;
    struct sl_estimate load = loaded ? jobs->loads[jobs->bottleneck].offered : SL_NO_ESTIMATE;
    if (question->open)
        status = sl_job_growth_of(&jobs->growth, jobs->samples, jobs->distinct, load,
                                  question->one_course, err);
    jobs->estimated = status == SL_OK;
    return status;
}
