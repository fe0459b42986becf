/* Figures of jobs: by hand, and of queues M/M/1 whose records come from Lindley's recursion instead
 * of the engine (Kleinrock, Queueing Systems I, 3.2).  Seeds are fixed; over other seeds the suite
 * would fail with less than 1.2%. */
#include "coverage.h"
#include "job_cell.h"
#include "lindley.h"
#include <string.h>

#define S INT64_C(1000000000000) /* ps */

/* ---- a machine of one server and a plan of one node -------------------------------------------
 */

#define MOST_TRIALS 40

struct lab {
    struct sl_arena arena;
    struct sl_platform platform;
    struct sl_resource server;
    struct sl_job_cell jobs;
    struct sl_job_sample samples[MOST_TRIALS];
    struct sl_job_metric metrics[4];
    uint32_t marks[2];
};

static void lab_open(struct lab *lab, uint32_t metrics)
{
    static const struct sl_job_metric all[] = {
        {"latency", SL_NONE, SL_NONE, SL_NONE, INT64_MAX},
        {"ttft", SL_NONE, 0, SL_NONE, INT64_MAX},
        {"tpot", 0, 1, 0, INT64_MAX},
    };
    *lab = (struct lab){.server = {.servers = 1}, .marks = {0, 1}};
    memcpy(lab->metrics, all, sizeof all);
    lab->platform.resources = &lab->server;
    ck_assert_uint_ne(sl_names_add(&lab->platform.resource_names, "gpu"), SL_NONE);
    lab->jobs.metrics = (struct sl_job_metrics){
        .items = lab->metrics, .count = metrics, .marks = lab->marks, .mark_count = 2};
    lab->jobs.shape = (struct sl_job_shape){.resources = 1, .nodes = 1, .parameters = 1};
    lab->jobs.samples = lab->samples;
}

static void lab_close(struct lab *lab)
{
    for (uint32_t r = 0; r < lab->jobs.sample_count; r++)
        sl_job_sample_free(&lab->samples[r]);
    sl_names_free(&lab->platform.resource_names);
    sl_arena_free(&lab->arena);
}

/* `warmup` as of lab_estimate, which must be told the same. */
static struct sl_job_sample *lab_sample(struct lab *lab, uint64_t expected, int64_t warmup,
                                        bool rows)
{
    struct sl_job_sample *sample = &lab->samples[lab->jobs.sample_count++];
    ck_assert_int_eq(sl_job_sample_init(sample, &lab->jobs.metrics, &lab->jobs.shape, expected,
                                        warmup, 2 * S, rows, NULL),
                     SL_OK);
    return sample;
}

static enum sl_status lab_finish(struct sl_job_sample *sample, struct sl_jobs_totals totals,
                                 struct sl_error *err)
{
    static const int64_t waits[1] = {0};
    static const uint64_t runs[1] = {0};
    totals.node_wait_ps = totals.node_wait_most_ps = waits;
    totals.node_runs = totals.node_starved = runs;
    totals.arrived = sample->jobs;
    totals.completed = sample->completed;
    totals.rejected = sample->rejections;
    memcpy(totals.rejected_for, sample->rejected_for, sizeof totals.rejected_for);
    return sl_job_sample_close(sample, &totals, err);
}

static void lab_estimate(struct lab *lab, int64_t warmup)
{
    const struct sl_job_question question = {
        .platform = &lab->platform, .tail = 0.95, .warmup = warmup, .open = true};
    ck_assert_int_eq(sl_job_estimate(&lab->jobs, &question, &lab->arena, NULL), SL_OK);
}

/* ---- shared objects by hand ------------------------------------------------------------------ */

/* Blocks of 100 bytes in two tiers; the second job is rejected and looks nothing up. */
static const struct sl_job_shared two_tiers[] = {{.bytes = 100, .tiers = 2, .domains = {0, 1}}};
static const double looked_up[4][5] = {
    /* the parameter; blocks, found at home, found below, missing */
    {10, 4, 0, 0, 4},
    {10, NAN, NAN, NAN, NAN},
    {10, 4, 2, 1, 1},
    {10, 2, 2, 0, 0},
};

static struct sl_job_sample *visit_shared(struct lab *lab)
{
    lab_open(lab, 1);
    lab->jobs.shape.shared = two_tiers;
    lab->jobs.shape.shared_count = 1;
    lab->jobs.shape.counts = 4;
    struct sl_job_sample *sample = lab_sample(lab, 4, 0, false);
    for (uint64_t j = 0; j < 4; j++) {
        int64_t at = (int64_t)j * S, end = j == 1 ? -1 : at + S;
        struct sl_job_record job = {j, at, end < 0 ? -1 : at, end, .parameters = looked_up[j]};
        job.rejected = j == 1;
        job.run_ps = job.isolated_ps = S;
        ck_assert_int_eq(sl_job_sample_visit(sample, &job, NULL), SL_OK);
    }
    return sample;
}

START_TEST(blocks_by_hand)
{
    static const double unit_s[] = {3};
    static const struct sl_cache_totals caches[] = {
        {.tiers = 2, .looked_up = 10, .missing = 5, .found = {4, 1}, .fetched_unused = 3}};
    const struct sl_jobs_totals totals = {.end_ps = 4 * S,
                                          .last_arrival_ps = 3 * S,
                                          .jobs_s = 3,
                                          .unit_s = unit_s,
                                          .caches = caches,
                                          .cache_count = 1};
    struct lab lab;
    ck_assert_int_eq(lab_finish(visit_shared(&lab), totals, NULL), SL_OK);
    lab_estimate(&lab, 0);
    const struct sl_job_cache_use *use = lab.jobs.caches;
    ck_assert_double_eq_tol(use->found.estimate.value, 0.5, 1e-12);
    ck_assert_double_eq_tol(use->found_in[0].estimate.value, 0.4, 1e-12);
    ck_assert_double_eq_tol(use->found_in[1].estimate.value, 0.1, 1e-12);
    ck_assert_double_eq_tol(use->wasted_bytes, 300, 1e-9);
    ck_assert_uint_eq(use->sum.looked_up, 10);
    lab_estimate(&lab, 2); /* without the cold first job */
    ck_assert_double_eq_tol(lab.jobs.caches->found.estimate.value, 5.0 / 6, 1e-12);
    ck_assert_double_eq_tol(lab.jobs.caches->found_in[0].estimate.value, 4.0 / 6, 1e-12);
    lab_estimate(&lab, 3); /* one job, which finds all: [2.5%, 100%], exactly */
    ck_assert_double_eq_tol(lab.jobs.caches->found.estimate.lo, 0.025, 1e-9);
    ck_assert_double_eq_tol(lab.jobs.caches->found.estimate.hi, 1, 1e-12);
    lab_close(&lab);
}
END_TEST

/* Records that are of other blocks than the engine counted are a fault of one of them. */
START_TEST(blocks_are_held_against_the_records)
{
    static const double unit_s[] = {3};
    static const struct sl_cache_totals caches[] = {{.tiers = 2, .looked_up = 11, .missing = 5}};
    const struct sl_jobs_totals totals = {
        .end_ps = 4 * S, .jobs_s = 3, .unit_s = unit_s, .caches = caches, .cache_count = 1};
    struct sl_error err = {0};
    struct lab lab;
    ck_assert_int_eq(lab_finish(visit_shared(&lab), totals, &err), SL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(err.message, "11 blocks looked up"));
    lab_close(&lab);
}
END_TEST

/* ---- by hand --------------------------------------------------------------------------------- */

/* Four jobs on one server: arrivals at 0, 1, 2, 3 s; the second is rejected; service takes 2 s
 * each, of which 0.5 s is contention: ends at 2, -, 4, 6 s.  Marks at the start of service plus 1 s
 * and at its end; 10 tokens each. */
static const struct sl_job_record hand[] = {
    {.job = 0, .arrival_ps = 0, .admitted_ps = 0, .finish_ps = 2 * S},
    {.job = 1,
     .arrival_ps = 1 * S,
     .admitted_ps = -1,
     .finish_ps = -1,
     .rejected = true,
     .rejection = SL_REJECTED_MEMORY},
    {.job = 2, .arrival_ps = 2 * S, .admitted_ps = 2 * S, .finish_ps = 4 * S},
    {.job = 3, .arrival_ps = 3 * S, .admitted_ps = 3 * S, .finish_ps = 6 * S},
};

static void visit_by_hand(struct sl_job_sample *sample)
{
    static const double tokens[] = {10};
    static const uint32_t order[] = {1, 0, 2, 3}; /* as they end */
    for (size_t k = 0; k < 4; k++) {
        struct sl_job_record job = hand[order[k]];
        int64_t marks[] = {job.finish_ps - S, job.finish_ps};
        job.parameters = tokens;
        job.mark_ps = marks;
        if (!job.rejected) {
            job.run_ps = 2 * S;
            job.isolated_ps = 3 * S / 2;
            job.wait_ps[SL_CAUSE_QUEUE] = job.finish_ps - 2 * S - job.arrival_ps;
            job.longest_wait_ps = job.wait_ps[SL_CAUSE_QUEUE];
        }
        ck_assert_int_eq(sl_job_sample_visit(sample, &job, NULL), SL_OK);
    }
}

static const double hand_unit_s[] = {6};
static const struct sl_jobs_totals hand_totals = {
    .end_ps = 6 * S, .last_arrival_ps = 3 * S, .jobs_s = 7, .most_jobs = 2, .unit_s = hand_unit_s};

START_TEST(four_jobs)
{
    struct lab lab;
    lab_open(&lab, 3);
    lab.metrics[0].limit_ps = 5 * S / 2; /* jobs 0 and 2 keep it, of four */
    lab.jobs.metrics.limited = true;
    struct sl_job_sample *sample = lab_sample(&lab, 4, 0, true);
    visit_by_hand(sample);
    ck_assert_int_eq(lab_finish(sample, hand_totals, NULL), SL_OK);
    lab_estimate(&lab, 0);
    const struct sl_job_cell *jobs = &lab.jobs;
    ck_assert_uint_eq(jobs->arrived, 4);
    ck_assert_uint_eq(jobs->completed, 3);
    ck_assert_uint_eq(jobs->rejected, 1);
    ck_assert_uint_eq(jobs->rejected_for[SL_REJECTED_MEMORY], 1);
    ck_assert_uint_eq(jobs->rejected_for[SL_REJECTED_FULL], 0);
    ck_assert_double_eq_tol(jobs->estimates[0].figures[SL_JOB_MEAN].estimate.value, 7e6 / 3, 1e-3);
    ck_assert_double_eq_tol(jobs->estimates[0].max, 3e6, 1e-6);
    ck_assert_double_eq_tol(jobs->estimates[1].figures[SL_JOB_MEAN].estimate.value, 4e6 / 3, 1e-3);
    ck_assert_double_eq_tol(jobs->estimates[2].figures[SL_JOB_MEAN].estimate.value, 1e5, 1e-6);
    ck_assert(isnan(jobs->estimates[0].figures[SL_JOB_P99].estimate.value));
    /* Alone a job takes 1.5 s. */
    ck_assert_double_eq_tol(jobs->slowdown.figures[SL_JOB_MEAN].estimate.value, 14.0 / 9, 1e-12);
    ck_assert_double_eq_tol(jobs->slowdown.max, 2, 1e-12);
    ck_assert(isnan(sample->slowdown[1]));
    ck_assert_double_eq_tol(jobs->bound_us, 1.5e6, 1e-6);
    ck_assert_double_eq_tol(jobs->estimates[0].kept.value, 0.5, 1e-12);
    ck_assert_double_eq_tol(jobs->throughput.value, 0.5, 1e-12);
    ck_assert_double_eq_tol(jobs->goodput.value, 2.0 / 6, 1e-12);
    ck_assert_double_eq_tol(jobs->in_system.value, 7.0 / 6, 1e-12);
    ck_assert_double_eq_tol(jobs->loads[0].utilisation.value, 1, 1e-12);
    ck_assert_double_eq_tol(jobs->loads[0].offered.value, 2, 1e-12);
    ck_assert_double_eq_tol(jobs->parts.latency, 7e12, 1);
    ck_assert_double_eq_tol(jobs->parts.wait[SL_CAUSE_QUEUE], 1e12, 1);
    ck_assert_double_eq_tol(jobs->parts.contention, 1.5e12, 1);
    ck_assert_double_eq_tol(jobs->parts.isolated, 4.5e12, 1);
    ck_assert_int_eq(sample->longest_wait_ps, S);
    ck_assert_uint_eq(sample->longest_wait_job, 3);
    ck_assert_uint_eq(jobs->starved, 0); /* the bound is 2 s */
    ck_assert_int_eq(sample->rows[3].finish_ps, 6 * S);
    ck_assert_int_eq(sample->rows[1].finish_ps, -1);
    lab_close(&lab);
}
END_TEST

/* Left out are jobs 0 and 1: 3 and 2 are left, from 2 s to 6 s. */
START_TEST(a_stated_warm_up)
{
    struct lab lab;
    lab_open(&lab, 1);
    struct sl_job_sample *sample = lab_sample(&lab, 4, 2, false);
    visit_by_hand(sample);
    ck_assert_int_eq(lab_finish(sample, hand_totals, NULL), SL_OK);
    lab_estimate(&lab, 2);
    ck_assert_uint_eq(lab.jobs.counted, 2);
    ck_assert_double_eq_tol(lab.jobs.estimates[0].figures[SL_JOB_MEAN].estimate.value, 2.5e6, 1e-3);
    ck_assert_double_eq_tol(lab.jobs.throughput.value, 0.5, 1e-12);
    ck_assert_double_eq_tol(lab.jobs.parts.latency, 5e12, 1);
    lab_close(&lab);
}
END_TEST

START_TEST(littles_law_is_held)
{
    struct lab lab;
    struct sl_error err = {0};
    lab_open(&lab, 1);
    struct sl_job_sample *sample = lab_sample(&lab, 4, 0, false);
    visit_by_hand(sample);
    struct sl_jobs_totals wrong = hand_totals;
    wrong.jobs_s = 7.001;
    ck_assert_int_eq(lab_finish(sample, wrong, &err), SL_SYSTEM);
    ck_assert_msg(strstr(err.message, "Little"), "%s", err.message);
    lab_close(&lab);
}
END_TEST

/* Three windows of 2 s.  In the system: jobs 0 over [0, 2], 2 over [2, 4], 3 over [3, 6]. */
START_TEST(the_number_in_the_system)
{
    struct lab lab;
    struct sl_job_window windows[3];
    lab_open(&lab, 1);
    struct sl_job_sample *sample = lab_sample(&lab, 4, 0, false);
    visit_by_hand(sample);
    ck_assert_int_eq(lab_finish(sample, hand_totals, NULL), SL_OK);
    ck_assert_uint_eq(sl_job_window_count(sample, 2 * S), 3);
    ck_assert_int_eq(sl_job_windows(sample, 2 * S, windows, NULL), SL_OK);
    const double mean[] = {1, 1.5, 1};
    const uint64_t most[] = {1, 2, 2}, arrived[] = {2, 2, 0}, completed[] = {0, 1, 2};
    for (int w = 0; w < 3; w++) {
        ck_assert_double_eq_tol(windows[w].in_system, mean[w], 1e-9);
        ck_assert_uint_eq(windows[w].most, most[w]);
        ck_assert_uint_eq(windows[w].arrived, arrived[w]);
        ck_assert_uint_eq(windows[w].completed, completed[w]);
        ck_assert_uint_eq(windows[w].rejected, w == 0);
    }
    lab_close(&lab);
}
END_TEST

/* ---- M/M/1 ----------------------------------------------------------------------------------- */

/* One replication from an empty queue, services of mean 1 s; `warmup` as of lab_sample. */
static void run_queue(struct lab *lab, double load, uint64_t jobs, int64_t warmup, uint64_t seed)
{
    struct lindley queue = {.dice = {.state = seed}, .arrivals = load, .services = 1};
    struct sl_job_sample *sample = lab_sample(lab, jobs, warmup, false);
    double busy = 0, spent = 0;
    int64_t end = 0;
    for (int k = 0; k < 10; k++)
        dice_below(&queue.dice, 2);
    for (uint64_t j = 0; j < jobs; j++) {
        int64_t latency = llround(lindley_next(&queue) * 1e12), at = llround(queue.t * 1e12);
        int64_t marks[2] = {-1, -1};
        struct sl_job_record job = {.job = j,
                                    .arrival_ps = at,
                                    .admitted_ps = at,
                                    .finish_ps = at + latency,
                                    .run_ps = llround(queue.service * 1e12),
                                    .mark_ps = marks};
        job.isolated_ps = job.run_ps;
        job.wait_ps[SL_CAUSE_QUEUE] = latency - job.run_ps;
        ck_assert_int_eq(sl_job_sample_visit(sample, &job, NULL), SL_OK);
        busy += queue.service;
        spent += (double)latency / 1e12;
        end = at + latency > end ? at + latency : end;
    }
    const struct sl_jobs_totals totals = {.end_ps = end,
                                          .last_arrival_ps = llround(queue.t * 1e12),
                                          .jobs_s = spent,
                                          .most_jobs = 1,
                                          .unit_s = &busy};
    ck_assert_int_eq(lab_finish(sample, totals, NULL), SL_OK);
}

/* The truth is within twice the 95% half-width: P(|t| > 2 x 2.02) with 39 degrees is 0.03%. */
static void is_near(const char *what, struct sl_estimate estimate, double truth)
{
    double half = (estimate.hi - estimate.lo) / 2;
    printf("# %s: %.4g [%.4g, %.4g], exactly %.4g\n", what, estimate.value, estimate.lo,
           estimate.hi, truth);
    ck_assert_msg(half > 0 && fabs(estimate.value - truth) <= 2 * half, "%s: %g, not %g +- %g",
                  what, estimate.value, truth, 2 * half);
}

START_TEST(a_queue_at_80_percent)
{
    struct lab lab;
    lab_open(&lab, 1);
    for (uint32_t r = 0; r < 40; r++)
        run_queue(&lab, 0.8, 4000, -1, 7919 * r + 1);
    lab_estimate(&lab, -1);
    const struct sl_series_result *figures = lab.jobs.estimates[0].figures;
    ck_assert(lab.jobs.warmup.judged && lab.jobs.warmup.settled);
    ck_assert(!lab.jobs.growth.grows);
    is_near("mean, us", figures[SL_JOB_MEAN].estimate, 5e6);
    is_near("median, us", figures[SL_JOB_MEDIAN].estimate, 5e6 * log(2));
    is_near("p99, us", figures[SL_JOB_P99].estimate, 5e6 * log(100));
    is_near("utilisation", lab.jobs.loads[0].utilisation, 0.8);
    is_near("throughput, jobs/s", lab.jobs.throughput, 0.8);
    is_near("in the system", lab.jobs.in_system, 4);
    ck_assert_double_eq_tol(lab.jobs.loads[0].offered.value, 0.8, 0.02);
    lab_close(&lab);
}
END_TEST

/* Where the latency of the jobs went of which figures are given, and of no others: those counted
 * one by one have that mean. */
START_TEST(parts_are_of_the_counted_jobs)
{
    static const int64_t stated[] = {-1, 0, 1, 433, 2801};
    for (size_t k = 0; k < sizeof stated / sizeof *stated; k++) {
        struct lab lab;
        lab_open(&lab, 1);
        for (uint32_t r = 0; r < 5; r++)
            run_queue(&lab, 0.8, 2999, stated[k], 7919 * r + 1);
        lab_estimate(&lab, stated[k]);
        const struct sl_job_cell *jobs = &lab.jobs;
        const struct sl_job_parts *parts = &jobs->parts;
        double mean = jobs->estimates[0].figures[SL_JOB_MEAN].estimate.value;
        ck_assert(stated[k] >= 0 || (jobs->warmup.judged && jobs->warmup.jobs > 0));
        ck_assert_uint_eq(parts->jobs, 5 * (2999 - jobs->warmup.jobs));
        ck_assert_uint_eq(parts->jobs, jobs->counted);
        ck_assert_double_eq_tol(parts->latency / (double)parts->jobs / 1e6, mean, 1e-6 * mean);
        ck_assert_double_eq_tol(parts->wait[SL_CAUSE_QUEUE] + parts->isolated, parts->latency,
                                1e-9 * parts->latency);
        lab_close(&lab);
    }
}
END_TEST

static bool grows(double load, uint32_t trials, uint64_t jobs, uint64_t seed)
{
    struct lab lab;
    lab_open(&lab, 1);
    for (uint32_t r = 0; r < trials; r++)
        run_queue(&lab, load, jobs, -1, seed + 104729 * r);
    lab_estimate(&lab, -1);
    bool found = lab.jobs.growth.grows;
    /* A queue gains load - 1 services of 1 s each second; 10 slopes of them vary by 0.03 or so. */
    if (found && load > 1 && trials == 10)
        ck_assert_double_eq_tol(lab.jobs.growth.slope.value / 1e6, load - 1, 0.15);
    lab_close(&lab);
    return found;
}

/* Of 200 queues each: at 80% hardly one is said to grow, at 120% none is missed. */
START_TEST(growth_is_told)
{
    static const uint32_t trials[] = {1, 10};
    size_t repetitions = sl_test_cases(sl_test_long() ? 1000 : 50);
    for (size_t k = 0; k < 2; k++) {
        size_t false_alarms = 0, missed = 0;
        for (size_t s = 0; s < repetitions; s++) {
            false_alarms += grows(0.8, trials[k], 1000, 31 * s + 7);
            missed += !grows(1.2, trials[k], 1000, 31 * s + 7);
        }
        printf("# %u trials of 1000 jobs: %zu false alarms at 80%%, %zu missed at 120%%, of %zu\n",
               trials[k], false_alarms, missed, repetitions);
        ck_assert_uint_le(false_alarms, repetitions * (trials[k] == 1 ? 15 : 1) / 100);
        ck_assert_uint_le(missed, repetitions * (trials[k] == 1 ? 15 : 0) / 100);
    }
}
END_TEST

/* Fewer than 200 jobs: no verdict, but the load with an interval that has the truth in it.  False
 * alarms: 0.1% if it covers just 93%. */
START_TEST(few_jobs_do_not_tell_growth)
{
    static const uint32_t trials[] = {1, 5};
    size_t repetitions = sl_test_long() ? 4000 : 400;
    double false_alarms = 0;
    for (size_t k = 0; k < 2; k++) {
        size_t covered = 0;
        for (size_t s = 0; s < repetitions; s++) {
            struct lab lab;
            lab_open(&lab, 1);
            for (uint32_t r = 0; r < trials[k]; r++)
                run_queue(&lab, 1.1, 100, 0, 7919 * s + 104729 * r + 3);
            lab_estimate(&lab, 0);
            struct sl_estimate load = lab.jobs.loads[0].offered;
            covered += load.lo <= 1.1 && 1.1 <= load.hi;
            ck_assert(!lab.jobs.growth.grows);
            ck_assert(lab.jobs.growth.too_few == (load.hi >= 1));
            lab_close(&lab);
        }
        false_alarms += coverage_keeps(k ? "load of 5 trials" : "load of one trial", covered,
                                       repetitions, 0.93);
    }
    ck_assert_double_lt(false_alarms, 0.002);
}
END_TEST

/* Of one trace, before a server that batches, of which no offered load is known: M/M/1 by number.
 */
static bool trace_grows(double load, uint64_t seed)
{
    struct lab lab;
    lab_open(&lab, 1);
    lab.server.batch.most = 2;
    run_queue(&lab, load, 4000, 0, seed);
    const struct sl_job_question question = {
        .platform = &lab.platform, .tail = 0.95, .warmup = 0, .one_course = true, .open = true};
    ck_assert_int_eq(sl_job_estimate(&lab.jobs, &question, &lab.arena, NULL), SL_OK);
    ck_assert(isnan(lab.jobs.loads[0].offered.value));
    bool found = lab.jobs.growth.grows;
    lab_close(&lab);
    return found;
}

/* At a load of 1.5 a third of what arrived waits, at any time; at 0.9 a tenth of 2,000 jobs does
 * with 0.9^200, below 1e-9. */
START_TEST(jobs_of_a_trace_that_pile_up_grow)
{
    for (uint64_t s = 0; s < 20; s++) {
        ck_assert(trace_grows(1.5, 31 * s + 7));
        ck_assert(!trace_grows(0.9, 31 * s + 7));
    }
}
END_TEST

/* Five copies of one replication are worth one: as many values, and an interval within it. */
START_TEST(copies_are_one_course)
{
    struct lab once, copies;
    lab_open(&once, 1);
    lab_open(&copies, 1);
    run_queue(&once, 0.5, 2000, 0, 7);
    for (uint32_t r = 0; r < 5; r++)
        run_queue(&copies, 0.5, 2000, 0, 7);
    lab_estimate(&once, 0);
    lab_estimate(&copies, 0);
    const struct sl_series_result *p99 = &copies.jobs.estimates[0].figures[SL_JOB_P99];
    ck_assert(copies.jobs.distinct == 1 && copies.jobs.one_course && !once.jobs.one_course);
    ck_assert(p99->method == SL_SERIES_BLOCKS && p99->n == 2000);
    ck_assert(p99->estimate.lo < p99->estimate.value && p99->estimate.value < p99->estimate.hi);
    ck_assert(p99->estimate.value == once.jobs.estimates[0].figures[SL_JOB_P99].estimate.value);
    ck_assert(isnan(copies.jobs.throughput.lo));
    lab_close(&once);
    lab_close(&copies);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("job_figures");
    TCase *c = tcase_create("by hand");
    tcase_add_test(c, four_jobs);
    tcase_add_test(c, blocks_by_hand);
    tcase_add_test(c, blocks_are_held_against_the_records);
    tcase_add_test(c, a_stated_warm_up);
    tcase_add_test(c, littles_law_is_held);
    tcase_add_test(c, the_number_in_the_system);
    suite_add_tcase(s, c);
    c = tcase_create("queues");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, a_queue_at_80_percent);
    tcase_add_test(c, parts_are_of_the_counted_jobs);
    tcase_add_test(c, growth_is_told);
    tcase_add_test(c, few_jobs_do_not_tell_growth);
    tcase_add_test(c, jobs_of_a_trace_that_pile_up_grow);
    tcase_add_test(c, copies_are_one_course);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
