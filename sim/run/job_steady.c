/* Is there a steady state, and where does it begin? */
#include "job_cell.h"
#include "units.h"
#include "warmup.h"
#include <math.h>
#include <stdlib.h>

#define WINDOWS     20 /* of equally many jobs; the second half of them is looked at */
#define HALF        (WINDOWS / 2)
#define LEVEL       0.998
#define SHOWN_LEVEL 0.95
/* A queue that grows evenly from nothing rises by 2/3 of its mean over the second half. */
#define LEAST_RISE  0.25
#define PLAIN_RISE  0.5 /* ... from which few replications tell it without an overload */
#define NEARLY_FULL 0.95
#define LEAST_PILE  0.1 /* of the jobs that arrived: one in ten is in excess of what is served */

static uint64_t fewest_jobs(const struct sl_job_sample *samples, uint32_t count)
{
    uint64_t fewest = UINT64_MAX;
    for (uint32_t r = 0; r < count; r++)
        fewest = samples[r].jobs < fewest ? samples[r].jobs : fewest;
    return fewest;
}

/* The mean latency by job number over the replications in which that job completed; a number that
 * completed in none has that of the number before. */
static double *mean_latencies(const struct sl_job_sample *samples, uint32_t count, uint64_t jobs)
{
    double *means = malloc(jobs * sizeof *means + 1), before = 0;
    for (uint64_t j = 0; means && j < jobs; j++) {
        double sum = 0;
        uint32_t of = 0;
        for (uint32_t r = 0; r < count; r++) {
            double value = samples[r].values_us[0][j];
            sum += isnan(value) ? 0 : value;
            of += isnan(value) ? 0 : 1;
        }
        before = means[j] = of > 0 ? sum / of : before;
    }
    return means;
}

enum sl_status sl_job_warmup_of(struct sl_job_warmup *warmup, const struct sl_job_sample *samples,
                                uint32_t count, const struct sl_job_question *question,
                                struct sl_error *err)
{
    uint64_t jobs = fewest_jobs(samples, count);
    *warmup = (struct sl_job_warmup){.stated = question->warmup >= 0, .settled = true};
    if (!question->one_course) {
        double *means = mean_latencies(samples, count, jobs);
        if (!means)
            return SL_FAIL(err, SL_SYSTEM, "out of memory for the warm-up of %llu jobs",
                           (unsigned long long)jobs);
        struct sl_warmup found = sl_warmup_mser5(means, jobs);
        free(means);
        warmup->judged = found.settled || found.dropped > 0;
        warmup->detected = found.dropped;
        warmup->settled = found.settled;
    }
    warmup->jobs = warmup->stated ? (uint64_t)question->warmup : warmup->detected;
    return SL_OK;
}

/* Means over the completed jobs of a window of the second half. */
struct window {
    double t_s, us;
};

static struct window window_of(const struct sl_job_sample *sample, uint32_t k)
{
    uint64_t begin = sample->jobs * (HALF + k) / WINDOWS;
    uint64_t end = sample->jobs * (HALF + k + 1) / WINDOWS;
    double t = 0, us = 0, jobs = 0;
    for (uint64_t j = begin; j < end; j++) {
        if (isnan(sample->values_us[0][j]))
            continue;
        t += (double)sample->arrival_ps[j] / 1e12;
        us += sample->values_us[0][j];
        jobs++;
    }
    return (struct window){t / jobs, us / jobs};
}

struct curve {
    double t[HALF], y[HALF];
};

static void add_curve(struct curve *mean, const struct curve *curve, uint32_t count)
{
    for (uint32_t k = 0; k < HALF; k++) {
        mean->t[k] += curve->t[k] / count;
        mean->y[k] += curve->y[k] / count;
    }
}

/* The slope's interval at `level`: over replications, or, of few, that of the line through the mean
 * curve. */
static struct sl_estimate slope_of(const struct curve *mean, const double *slopes, uint32_t count,
                                   double level)
{
    return count >= SL_SERIES_LEAST_GROUPS ? sl_mean(slopes, count, level)
                                           : sl_trend_of(mean->t, mean->y, HALF, level).slope;
}

/* The share of the first `count` jobs that are still there when the last of them arrives. */
static double piled_share(const struct sl_job_sample *sample, uint64_t count)
{
    double last_us = sl_us_of(sample->arrival_ps[count - 1]), there = 0;
    for (uint64_t j = 0; j < count; j++) /* false of a job without a latency */
        there += sl_us_of(sample->arrival_ps[j]) + sample->values_us[0][j] > last_us ? 1 : 0;
    return there / (double)count;
}

/* At an overload L the share 1 - 1 / L of what arrived waits, at any time.  A burst is over before
 * the course is: so it is looked at from the middle on, and the least counts. */
static bool piles_up(const struct sl_job_sample *samples, uint32_t count)
{
    bool piled = true;
    for (uint32_t r = 0; piled && r < count; r++)
        for (uint64_t quarters = 2; piled && quarters <= 4; quarters++)
            piled = piled_share(&samples[r], samples[r].jobs * quarters / 4) >= LEAST_PILE;
    return piled;
}

/* The offered load from which no queue keeps up.  That of random arrivals is itself an estimate:
 * over n jobs whose gaps and times vary as exponential ones do it varies by sqrt(2 / n) of itself,
 * and two of that are left to it.  A course that is the only one has the load that it has. */
static double overload(const struct sl_job_sample *samples, uint32_t count, bool one_course)
{
    double jobs = 0;
    for (uint32_t r = 0; r < count; r++)
        jobs += (double)samples[r].jobs;
    return one_course ? 1 : 1 + 2 * sqrt(2 / jobs);
}

enum sl_status sl_job_growth_of(struct sl_job_growth *growth, const struct sl_job_sample *samples,
                                uint32_t count, struct sl_estimate load, bool one_course,
                                struct sl_error *err)
{
    struct curve mean = {0};
    *growth = (struct sl_job_growth){.slope = SL_NO_ESTIMATE, .rise = NAN};
    growth->too_few = fewest_jobs(samples, count) < SL_JOB_GROWTH_JOBS;
    if (growth->too_few) {
        growth->too_few = load.value >= 1 || load.hi >= 1;
        return SL_OK;
    }
    double *slopes = calloc(count, sizeof *slopes);
    if (!slopes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the growth of %u replications", count);
    for (uint32_t r = 0; r < count; r++) {
        struct curve curve;
        for (uint32_t k = 0; k < HALF; k++) {
            struct window window = window_of(&samples[r], k);
            curve.t[k] = window.t_s;
            curve.y[k] = window.us;
        }
        slopes[r] = sl_trend_of(curve.t, curve.y, HALF, LEVEL).slope.value;
        add_curve(&mean, &curve, count);
    }
    growth->slope = slope_of(&mean, slopes, count, SHOWN_LEVEL);
    growth->rise = sl_trend_of(mean.t, mean.y, HALF, LEVEL).rise;
    bool rises = growth->rise >= LEAST_RISE && slope_of(&mean, slopes, count, LEVEL).lo > 0;
    bool plain =
        count >= SL_SERIES_LEAST_GROUPS || load.value >= NEARLY_FULL || growth->rise >= PLAIN_RISE;
    growth->seen = growth->rise >= LEAST_RISE && growth->slope.lo > 0;
    growth->grows = load.value >= overload(samples, count, one_course) ||
                    (rises && ((plain && !one_course) || piles_up(samples, count)));
    free(slopes);
    return SL_OK;
}
