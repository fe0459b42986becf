/* Chooses a job of a cell, and runs its replication again to tell of it. */
#include <config.h>

#include "job_source.h"
#include "job_telling.h"
#include "quantile.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the choice ------------------------------------------------------------------------------ */

/* Samples that are asked about, and the jobs of them that count. */
struct choosing {
    const struct sl_job_cell *jobs;
    uint32_t first, end; /* trials */
    double *sorted_us;
    size_t count;
};

static bool is_counted(const struct choosing *c, uint32_t trial, uint64_t job)
{
    const struct sl_job_sample *sample = &c->jobs->samples[trial];
    return job >= c->jobs->warmup.jobs && !isnan(sample->values_us[0][job]);
}

static int smaller_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static enum sl_status sort_latencies(struct choosing *c, struct sl_error *err)
{
    size_t places = 1;
    for (uint32_t t = c->first; t < c->end; t++)
        places += c->jobs->samples[t].jobs;
    c->sorted_us = malloc(places * sizeof *c->sorted_us);
    if (!c->sorted_us)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the latencies of %zu jobs", places);
    for (uint32_t t = c->first; t < c->end; t++)
        for (uint64_t j = 0; j < c->jobs->samples[t].jobs; j++)
            if (is_counted(c, t, j))
                c->sorted_us[c->count++] = c->jobs->samples[t].values_us[0][j];
    qsort(c->sorted_us, c->count, sizeof *c->sorted_us, smaller_first);
    return SL_OK;
}

/* Of equal ones that of the smallest trial, and of these the first. */
static enum sl_status choose_by_latency(const struct choosing *c, double q, uint32_t *trial,
                                        uint64_t *job, struct sl_error *err)
{
    if (!c->count)
        return SL_FAIL(err, SL_USAGE,
                       "no job was completed after the warm-up of %" PRIu64
                       "; --job explains one by its number",
                       c->jobs->warmup.jobs);
    double us = c->sorted_us[(q < 1 ? sl_quantile_rank(c->count, q) : c->count) - 1];
    for (*trial = c->first; *trial < c->end; ++*trial)
        for (*job = 0; *job < c->jobs->samples[*trial].jobs; ++*job)
            if (is_counted(c, *trial, *job) && c->jobs->samples[*trial].values_us[0][*job] >= us &&
                c->jobs->samples[*trial].values_us[0][*job] <= us)
                return SL_OK;
    return SL_FAIL(err, SL_SYSTEM, "internal: no job has the latency that was found");
}

static enum sl_status check_number(const struct sl_job_sample *sample, uint32_t trial, uint64_t job,
                                   struct sl_error *err)
{
    if (job >= sample->jobs && !sample->deadlocked)
        return SL_FAIL(err, SL_USAGE,
                       "--job: there is no job %" PRIu64 " in trial %" PRIu32
                       " (allowed: 0 to %" PRIu64 ")",
                       job, trial, sample->jobs ? sample->jobs - 1 : 0);
    if (job >= sample->jobs || sample->arrival_ps[job] < 0)
        return SL_FAIL(err, SL_USAGE,
                       "--job: job %" PRIu64 " of trial %" PRIu32
                       " never ended: the trial deadlocked: %.300s",
                       job, trial, sample->deadlock);
    return SL_OK;
}

/* Fills trial, rank and of. */
static enum sl_status choose(struct sl_job_telling *telling, uint64_t *job,
                             const struct sl_cell *cell, const struct sl_job_pick *pick,
                             struct sl_error *err)
{
    struct choosing c = {.jobs = cell->jobs, .end = cell->trials};
    if (pick->trial != SL_NONE && pick->trial >= cell->trials)
        return SL_FAIL(err, SL_USAGE,
                       "--trial: there is no trial %" PRIu32 " (allowed: 0 to %" PRIu32 ")",
                       pick->trial, cell->trials - 1);
    if (pick->trial != SL_NONE)
        c = (struct choosing){.jobs = cell->jobs, .first = pick->trial, .end = pick->trial + 1};
    telling->trial = c.first;
    *job = pick->number;
    enum sl_status status = sort_latencies(&c, err);
    if (status == SL_OK)
        status = pick->is_number ? check_number(&cell->jobs->samples[c.first], c.first, *job, err)
                                 : choose_by_latency(&c, pick->q, &telling->trial, job, err);
    telling->of = c.count;
    if (status == SL_OK && is_counted(&c, telling->trial, *job)) {
        double us = cell->jobs->samples[telling->trial].values_us[0][*job];
        for (telling->rank = 1; c.sorted_us[telling->rank - 1] < us;)
            telling->rank++;
    }
    free(c.sorted_us);
    return status;
}

/* ---- the second run -------------------------------------------------------------------------- */

struct second_run {
    struct sl_job_telling *telling;
    const struct sl_cell *cell;
    uint64_t job;
};

static void *copied(struct sl_arena *arena, const void *items, size_t count, size_t size)
{
    void *copy = sl_arena_array(arena, count + 1, size);
    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

/* The record's arrays last until the next one. */
static bool keep(struct second_run *run, const struct sl_job_record *record)
{
    struct sl_job_telling *telling = run->telling;
    const struct sl_job_metrics *metrics = &run->cell->jobs->metrics;
    struct sl_arena *arena = &telling->arena;
    telling->record = *record;
    telling->record.parameters =
        copied(arena, record->parameters, run->cell->scenario->jobs.values.count, sizeof(double));
    telling->record.mark_ps =
        copied(arena, record->mark_ps, metrics->mark_count, sizeof *record->mark_ps);
    telling->metrics_us = sl_arena_array(arena, metrics->count, sizeof *telling->metrics_us);
    if (!telling->record.parameters || !telling->record.mark_ps || !telling->metrics_us)
        return false;
    for (uint32_t m = 0; m < metrics->count; m++)
        telling->metrics_us[m] = sl_job_metric_us(&metrics->items[m], record);
    if (!record->story)
        return true;
    telling->story = *record->story;
    telling->story.links = copied(arena, record->story->links, record->story->link_count,
                                  sizeof *record->story->links);
    telling->story.holders = copied(arena, record->story->holders, record->story->holder_count,
                                    sizeof *record->story->holders);
    telling->story.admitted = copied(arena, record->story->admitted, record->story->admitted_count,
                                     sizeof *record->story->admitted);
    telling->record.story = &telling->story;
    return telling->story.links && telling->story.holders && telling->story.admitted;
}

static enum sl_status visit(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct second_run *run = user;
    const struct sl_job_sample *sample = &run->cell->jobs->samples[run->telling->trial];
    bool known = record->job < sample->jobs && sample->arrival_ps[record->job] >= 0;
    double us = sl_job_metric_us(&run->cell->jobs->metrics.items[0], record);
    if (!known || record->arrival_ps != sample->arrival_ps[record->job] ||
        memcmp(&us, &sample->values_us[0][record->job], sizeof us) != 0)
        return SL_FAIL(err, SL_SYSTEM,
                       "internal: job %" PRIu64 " is another one when its trial is run again",
                       record->job);
    if (record->job == run->job && !keep(run, record))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the story of a job");
    return SL_OK;
}

static enum sl_status check_parts(const struct sl_job_record *record, struct sl_error *err)
{
    int64_t sum = record->admitted_ps - record->arrival_ps + record->run_ps;
    for (unsigned c = 0; c < SL_CAUSES; c++)
        sum += record->wait_ps[c];
    if (!record->rejected && sum != record->finish_ps - record->arrival_ps)
        return SL_FAIL(err, SL_SYSTEM,
                       "internal: the parts of the latency of job %" PRIu64 " do not sum to it",
                       record->job);
    return SL_OK;
}

static enum sl_status run_again(struct second_run *run, uint64_t seed, struct sl_error *err)
{
    const struct sl_cell *cell = run->cell;
    const struct sl_jobs_totals *totals;
    struct sl_jobs_worker *worker = NULL;
    struct sl_job_source source = {0};
    uint32_t trial = run->telling->trial;
    enum sl_status status = sl_jobs_worker_create(&worker, cell->jobs->program, err);
    if (status == SL_OK)
        status = sl_job_source_open(&source, cell->scenario, seed, trial, err);
    if (status == SL_OK) {
        sl_jobs_worker_tell(worker, run->job, true);
        status = sl_jobs_run(worker, seed, trial, &source, visit, run, &totals, err);
        sl_job_source_close(&source);
    }
    sl_jobs_worker_free(worker);
    return status;
}

enum sl_status sl_job_telling_make(struct sl_job_telling *telling, const struct sl_cell *cell,
                                   uint64_t seed, const struct sl_job_pick *pick,
                                   struct sl_error *err)
{
    *telling = (struct sl_job_telling){0};
    struct second_run run = {.telling = telling, .cell = cell};
    enum sl_status status = choose(telling, &run.job, cell, pick, err);
    if (status == SL_OK)
        status = run_again(&run, seed, err);
    if (status == SL_OK)
        status = check_parts(&telling->record, err);
    return status;
}

void sl_job_telling_free(struct sl_job_telling *telling)
{
    sl_arena_free(&telling->arena);
}

/* ---- the longest wait for admission ---------------------------------------------------------- */

static int longest_hold_first(const void *a, const void *b)
{
    const struct sl_job_admitted *x = a, *y = b;
    int64_t one = x->to_ps - x->from_ps, other = y->to_ps - y->from_ps;
    if (one != other)
        return one > other ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

void sl_job_admitted_sort(struct sl_job_admitted *list, uint32_t count)
{
    qsort(list, count, sizeof *list, longest_hold_first);
}

enum sl_status sl_job_admission_tell(struct sl_cell *cell, uint64_t seed, struct sl_error *err)
{
    struct sl_job_admission_wait *longest = &cell->jobs->admission;
    int64_t bound_ps = cell->scenario->starvation_bound_ps;
    sl_job_admission_find(longest, cell->jobs->samples, cell->trials);
    if (cell->deadlocked || bound_ps < 0 || longest->wait_ps <= bound_ps)
        return SL_OK;
    const struct sl_job_pick pick = {
        .trial = longest->trial, .is_number = true, .number = longest->job};
    struct sl_job_telling telling;
    enum sl_status status = sl_job_telling_make(&telling, cell, seed, &pick, err);
    uint32_t count = status == SL_OK ? telling.story.admitted_count : 0;
    struct sl_job_admitted *admitted = sl_arena_array(&cell->arena, count + 1u, sizeof *admitted);
    if (status == SL_OK && !admitted)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the longest wait for admission");
    if (status == SL_OK) {
        memcpy(admitted, telling.story.admitted, count * sizeof *admitted);
        sl_job_admitted_sort(admitted, count);
        longest->admitted = admitted;
        longest->admitted_count = count;
        longest->before = telling.story.before;
    }
    sl_job_telling_free(&telling);
    return status;
}
