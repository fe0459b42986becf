/* The judge: from the records of one shot to a sample.
 *
 * Coverage by an aggressor is the length of the union of its units within the victim's interval,
 * over that interval's length: units that overlap or come twice count once, gaps between them count
 * as gaps. */
#include "config.h"

#include "judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YEAR_NS (365LL * 24 * 3600 * 1000000000)

static const char *const reject_names[SL_REJECT_COUNT] = {
    [SL_REJECT_NONE] = "",
    [SL_REJECT_GATE_TIMEOUT] = "gate-timeout",
    [SL_REJECT_DROPPED] = "dropped",
    [SL_REJECT_STRAY] = "stray",
    [SL_REJECT_NO_VICTIM] = "no-victim",
    [SL_REJECT_DUPLICATE] = "duplicate",
    [SL_REJECT_ZERO_TIME] = "zero-time",
    [SL_REJECT_CLOCK_STEP] = "clock-step",
    [SL_REJECT_PREEMPTED] = "preempted",
    [SL_REJECT_SENTINEL] = "sentinel",
    [SL_REJECT_COVERAGE] = "coverage",
};

const char *sl_reject_name(enum sl_reject reject)
{
    return reject_names[reject];
}

enum sl_reject sl_reject_find(const char *name)
{
    for (int i = 0; i < SL_REJECT_COUNT; i++)
        if (strcmp(reject_names[i], name) == 0)
            return (enum sl_reject)i;
    return SL_REJECT_COUNT;
}

double sl_interval_ns(int64_t start_ns, int64_t end_ns)
{
    int64_t length;
    if (end_ns < start_ns || __builtin_sub_overflow(end_ns, start_ns, &length) || length >= YEAR_NS)
        return (double)NAN;
    return (double)length;
}

static int by_unit(const void *left, const void *right)
{
    const struct sl_shot_record *a = left, *b = right;
    if (a->actor != b->actor)
        return a->actor < b->actor ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static int by_start(const void *left, const void *right)
{
    const struct sl_shot_record *a = left, *b = right;
    if (a->actor != b->actor)
        return a->actor < b->actor ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Of records sorted by unit. */
static bool has_duplicates(const struct sl_shot_record *records, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (by_unit(&records[i - 1], &records[i]) == 0)
            return true;
    return false;
}

static bool has_no_time(const struct sl_shot_record *record)
{
    return (record->start_ns == 0 && record->end_ns == 0) ||
           (record->actor == 0 && record->start_ns == record->end_ns);
}

static bool steps(const struct sl_shot_record *record)
{
    return isnan(sl_interval_ns(record->start_ns, record->end_ns)) ||
           isnan(sl_interval_ns(record->exec_start_ns, record->exec_end_ns)) ||
           (record->submitted_ns != 0 &&
            isnan(sl_interval_ns(record->submitted_ns, record->start_ns)));
}

/* Length of the union of the units of one aggressor, sorted by start, within [from, to]. */
static int64_t covered_ns(const struct sl_shot_record *units, uint32_t count, int64_t from,
                          int64_t to)
{
    int64_t covered = 0, reached = from; /* all before `reached` is counted */
    for (uint32_t i = 0; i < count; i++) {
        int64_t start = units[i].start_ns > reached ? units[i].start_ns : reached;
        int64_t end = units[i].end_ns < to ? units[i].end_ns : to;
        if (end <= start)
            continue;
        covered += end - start;
        reached = end;
    }
    return covered;
}

/* The least coverage by one of the aggressors; sorts the records. */
static double coverage(const struct sl_shot *shot, struct sl_shot_record *records, uint32_t count,
                       int64_t from, int64_t to)
{
    double least = 1;
    qsort(records, count, sizeof *records, by_start);
    uint32_t first = 0;
    for (uint32_t actor = 1; actor <= shot->aggressor_count; actor++) {
        while (first < count && records[first].actor < actor)
            first++;
        uint32_t end = first;
        while (end < count && records[end].actor == actor)
            end++;
        double share =
            (double)covered_ns(&records[first], end - first, from, to) / (double)(to - from);
        least = share < least ? share : least;
        first = end;
    }
    return least;
}

static bool covered_as_asked(const struct sl_shot *shot, double share)
{
    if (shot->aggressor_count == 0)
        return true;
    if (shot->overlap < 1)
        return fabs(share - shot->overlap) <= SL_COVERAGE_SLACK;
    return share >= SL_COVERAGE_LEAST;
}

static bool is_time(double ns)
{
    return isfinite(ns) && ns > 0;
}

double sl_sentinel_mean(double before, double after)
{
    return is_time(before) && is_time(after) ? before / 2 + after / 2 : (double)NAN;
}

bool sl_sentinel_moved(double before, double after)
{
    return !isnan(sl_sentinel_mean(before, after)) &&
           fmax(before, after) > SL_SENTINEL_STEP * fmin(before, after);
}

/* Takes the victim's own figures into the sample. */
static void take_victim(struct sl_sample *sample, const struct sl_shot_record *victim)
{
    sample->submitted_ns = victim->submitted_ns;
    sample->start_ns = victim->start_ns;
    sample->end_ns = victim->end_ns;
    sample->dur_ns = sl_interval_ns(victim->start_ns, victim->end_ns);
    if (victim->exec_start_ns != 0 || victim->exec_end_ns != 0)
        sample->exec_ns = sl_interval_ns(victim->exec_start_ns, victim->exec_end_ns);
    if (victim->submitted_ns != 0)
        sample->start_delay_ns = sl_interval_ns(victim->submitted_ns, victim->start_ns);
    sample->co_resident = victim->co_resident;
}

/* What can be wrong with records one by one, or by their number. */
static enum sl_reject judge_records(const struct sl_shot *shot,
                                    const struct sl_shot_record *records, uint32_t count)
{
    bool untimed = false, stepped = false;
    for (uint32_t i = 0; i < count; i++) {
        untimed |= has_no_time(&records[i]);
        stepped |= steps(&records[i]);
    }
    if (count > 0 && records[count - 1].actor > shot->aggressor_count)
        return SL_REJECT_STRAY;
    if (count == 0 || records[0].actor != 0)
        return SL_REJECT_NO_VICTIM;
    if (has_duplicates(records, count) || (count > 1 && records[1].actor == 0))
        return SL_REJECT_DUPLICATE;
    if (untimed)
        return SL_REJECT_ZERO_TIME;
    return stepped ? SL_REJECT_CLOCK_STEP : SL_REJECT_NONE;
}

struct sl_sample sl_judge(const struct sl_shot *shot, struct sl_shot_log *log)
{
    struct sl_sample sample = {
        .dur_ns = (double)NAN,
        .exec_ns = (double)NAN,
        .start_delay_ns = (double)NAN,
        .coverage = shot->aggressor_count == 0,
        .co_resident = (double)NAN,
        .sentinel_ns = sl_sentinel_mean(log->sentinel_before_ns, log->sentinel_after_ns),
        .sm_mhz = log->sm_mhz,
        .throttled = log->throttled,
        .timer = log->timer,
    };
    bool overflown = log->count > SL_SHOT_RECORDS_MAX;
    uint32_t count = overflown ? SL_SHOT_RECORDS_MAX : log->count;
    if (count > 0)
        qsort(log->records, count, sizeof *log->records, by_unit);
    enum sl_reject reject = judge_records(shot, log->records, count);
    if (count > 0 && log->records[0].actor == 0)
        take_victim(&sample, &log->records[0]);
    if (reject == SL_REJECT_NONE && shot->aggressor_count > 0)
        sample.coverage = coverage(shot, log->records, count, sample.start_ns, sample.end_ns);

    if (log->gate_timeout)
        reject = SL_REJECT_GATE_TIMEOUT;
    else if (log->dropped > 0 || overflown)
        reject = SL_REJECT_DROPPED;
    else if (reject == SL_REJECT_NONE && log->preemptions > 0)
        reject = SL_REJECT_PREEMPTED;
    else if (reject == SL_REJECT_NONE &&
             sl_sentinel_moved(log->sentinel_before_ns, log->sentinel_after_ns))
        reject = SL_REJECT_SENTINEL;
    else if (reject == SL_REJECT_NONE && !covered_as_asked(shot, sample.coverage))
        reject = SL_REJECT_COVERAGE;
    sample.reject = reject;
    return sample;
}
