/* One walk through arrivals and ends, both in order of time. */
#include "job_windows.h"
#include "quantile.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

struct walk {
    double *arrivals, *ends; /* of completed jobs, ascending, us */
    size_t jobs, arrived, ended;
    double now;
};

static bool walk_init(struct walk *walk, const struct sl_job_sample *sample)
{
    walk->arrivals = malloc(sample->jobs * sizeof *walk->arrivals + 1);
    walk->ends = malloc(sample->jobs * sizeof *walk->ends + 1);
    if (!walk->arrivals || !walk->ends)
        return false;
    for (uint64_t j = 0; j < sample->jobs; j++) {
        if (isnan(sample->values_us[0][j]))
            continue;
        walk->arrivals[walk->jobs] = sl_us_of(sample->arrival_ps[j]);
        walk->ends[walk->jobs] = walk->arrivals[walk->jobs] + sample->values_us[0][j];
        walk->jobs++;
    }
    /* In mode closed a client's next job may arrive before one of a smaller number. */
    sl_sort_doubles(walk->arrivals, walk->jobs);
    sl_sort_doubles(walk->ends, walk->jobs);
    return true;
}

static void spend(struct walk *walk, struct sl_job_window *window, double until)
{
    uint64_t present = walk->arrived - walk->ended;
    window->in_system += (double)present * (until - walk->now);
    walk->now = until;
}

/* An end comes before an arrival at the same instant. */
static void fill(struct walk *walk, struct sl_job_window *window, bool last)
{
    window->most = walk->arrived - walk->ended;
    for (;;) {
        double arrival =
            walk->arrived < walk->jobs ? walk->arrivals[walk->arrived] : (double)INFINITY;
        double end = walk->ended < walk->arrived ? walk->ends[walk->ended] : (double)INFINITY;
        double next = arrival < end ? arrival : end;
        if (next > window->end_us || (next == window->end_us && !last))
            break;
        spend(walk, window, next);
        if (end <= arrival) {
            walk->ended++;
            window->completed++;
            continue;
        }
        walk->arrived++;
        if (walk->arrived - walk->ended > window->most)
            window->most = walk->arrived - walk->ended;
    }
    spend(walk, window, window->end_us);
    window->in_system /= window->end_us - window->begin_us;
}

/* The window that an arrival falls into. */
static uint32_t window_at(const struct sl_job_sample *sample, uint64_t job, double width,
                          uint32_t count)
{
    double at = sl_us_of(sample->arrival_ps[job]) / width;
    return at < count ? (uint32_t)at : count - 1;
}

uint32_t sl_job_window_count(const struct sl_job_sample *sample, int64_t width_ps)
{
    return (uint32_t)((sample->end_ps + width_ps - 1) / width_ps);
}

enum sl_status sl_job_windows(const struct sl_job_sample *sample, int64_t width_ps,
                              struct sl_job_window *windows, struct sl_error *err)
{
    struct walk walk = {0};
    double end = sl_us_of(sample->end_ps), width = sl_us_of(width_ps);
    uint32_t count = sl_job_window_count(sample, width_ps);
    if (!walk_init(&walk, sample)) {
        free(walk.arrivals);
        free(walk.ends);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for windows of %llu jobs",
                       (unsigned long long)sample->jobs);
    }
    for (uint32_t w = 0; w < count; w++) {
        windows[w] = (struct sl_job_window){.begin_us = width * w,
                                            .end_us = w + 1 < count ? width * (w + 1) : end};
        fill(&walk, &windows[w], w + 1 == count);
    }
    for (uint64_t j = 0; j < sample->jobs && count > 0; j++) {
        if (sample->arrival_ps[j] < 0)
            continue;
        struct sl_job_window *window = &windows[window_at(sample, j, width, count)];
        window->arrived++;
        window->rejected += sample->rejected[j];
    }
    free(walk.arrivals);
    free(walk.ends);
    return SL_OK;
}

double sl_job_window_share(const struct sl_job_sample *sample, const struct sl_job_window *windows,
                           uint32_t window, uint32_t resource, uint32_t servers)
{
    double length_s = (windows[window].end_us - windows[window].begin_us) / 1e6;
    return sample->window_unit_s[(size_t)resource * SL_JOBS_WINDOWS + window] / servers / length_s;
}
