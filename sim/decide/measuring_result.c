/* The measured target, and how it differs from the measured baseline's. */
#include "config.h"

#include "measuring.h"
#include "record_shape.h"
#include "unpaired.h"
#include <string.h>

#define LEVEL 0.95
enum { REPRESENTATIVE_RUNS = 20 };

/* The longest wait of a planned work, and those beyond the declared bound; NAN: no wait is known.
 */
static void measure_waits(struct sl_measuring *measure)
{
    const struct sl_realized *realized = measure->realized;
    struct sl_record_result *result = &measure->record->measured;
    for (uint32_t r = 0; r < realized->run_count; r++)
        for (uint32_t k = 0; k < realized->runs[r].count; k++) {
            const struct sl_realized_work *work = &realized->works[realized->runs[r].first + k];
            double wait_us = (double)work->wait_ps / 1e6;
            if (work->wait_ps < 0 || measure->work_of[work->name] == SL_NONE)
                continue;
            if (!(wait_us <= result->max_wait_us)) /* NAN at first */
                result->max_wait_us = wait_us;
            result->starved += wait_us > measure->record->objective.wait_bound_us;
        }
}

/* Of the times of runs; NAN where they do not have it. */
static struct sl_estimate figure(const struct sl_realized *realized, const char *name, double tail)
{
    if (strcmp(name, "mean") == 0)
        return sl_mean(realized->times_us, realized->run_count, LEVEL);
    if (strcmp(name, "median") != 0 && strcmp(name, "tail") != 0)
        return SL_NO_ESTIMATE;
    return sl_quantile(realized->times_us, realized->run_count,
                       strcmp(name, "median") == 0 ? 0.5 : tail, LEVEL);
}

static struct sl_estimate difference(const struct sl_realized *a, const struct sl_realized *b,
                                     const char *name, double tail)
{
    bool mean = strcmp(name, "mean") == 0, median = strcmp(name, "median") == 0;
    if (!mean && !median && strcmp(name, "tail") != 0)
        return SL_NO_ESTIMATE;
    double q = mean ? (double)NAN : median ? 0.5 : tail;
    return sl_unpaired_at(a->times_us, a->run_count, b->times_us, b->run_count, q, LEVEL).estimate;
}

bool sl_measuring_result(struct sl_measuring *measure)
{
    const struct sl_realized *realized = measure->realized;
    struct sl_record *record = measure->record;
    struct sl_record_result *result = &record->measured;
    double tail = record->objective.tail;
    result->present = true;
    result->source.kind = realized->kind;
    result->source.path = sl_arena_strdup(&record->arena, realized->path);
    result->source.sha256 = sl_arena_strdup(&record->arena, realized->sha256s[0]);
    if (realized->replay.dir)
        result->source.plan_digest = sl_arena_printf(
            &record->arena, "%016llx", (unsigned long long)realized->replay.identity.plan);
    result->metric = record->projected.metric;
    result->unit = "us";
    result->counted = realized->replay.dir ? "repetitions" : "steps";
    result->count = realized->run_count;
    result->failed = realized->rejected;
    result->tail_quantile = tail;
    result->median = figure(realized, "median", tail);
    result->tail = figure(realized, "tail", tail);
    result->worst = realized->times_us[realized->run_count - 1];
    measure_waits(measure);
    return result->source.path && result->source.sha256 &&
           (!realized->replay.dir || result->source.plan_digest);
}

/* The target is the projection's, so that nobody chooses it by what was measured. */
void sl_measuring_against(struct sl_measuring *measure, const struct sl_realized *baseline)
{
    struct sl_record *record = measure->record;
    struct sl_record_result *result = &record->measured;
    const struct sl_realized *realized = measure->realized;
    const char *target = record->projected.target ? record->projected.target : "tail";
    double tail = record->objective.tail;
    result->baseline_count = baseline->run_count;
    result->baseline_median = figure(baseline, "median", tail);
    result->baseline_tail = figure(baseline, "tail", tail);
    result->median_difference = difference(realized, baseline, "median", tail);
    result->tail_difference = difference(realized, baseline, "tail", tail);
    result->target = target;
    result->target_unit = "us";
    result->target_baseline = figure(baseline, target, tail);
    result->target_difference = difference(realized, baseline, target, tail);
}

bool sl_measuring_conditions(struct sl_measuring *measure, const struct sl_realized *baseline,
                             const char *regime)
{
    const struct sl_realized *realized = measure->realized;
    const struct sl_replay_identity *of = &realized->replay.identity;
    struct sl_record *record = measure->record;
    struct sl_record_measurement *out = &record->measurement;
    struct sl_arena *arena = &record->arena;
    bool replay = realized->replay.dir;
    out->backend = replay ? sl_arena_strdup(arena, of->backend) : NULL;
    out->regime = replay && *of->regime ? sl_arena_strdup(arena, of->regime) : NULL;
    out->cold_us = realized->cold ? realized->cold_us : (double)NAN;
    out->representative = SL_TRUTH_NO;
    if (replay && regime && *of->regime && strcmp(regime, of->regime) != 0)
        out->representative_why =
            sl_arena_printf(arena,
                            "judged in regime %s of the machine, while the model's slowdowns "
                            "are of regime %s",
                            of->regime, regime);
    else if (realized->run_count < REPRESENTATIVE_RUNS) {
        out->representative = SL_TRUTH_UNKNOWN;
        out->representative_why =
            sl_arena_printf(arena, "only %u %s count; it takes %d", realized->run_count,
                            record->measured.counted, REPRESENTATIVE_RUNS);
    } else if (baseline && baseline->replay.dir && replay &&
               strcmp(baseline->replay.identity.regime, of->regime) != 0)
        out->representative_why = sl_arena_printf(
            arena,
            "the baseline was judged in regime %s, this in regime %s: the difference may be "
            "the regime's",
            baseline->replay.identity.regime, of->regime);
    else if (!replay && (out->matched < out->planned || out->unexpected.count > 0)) {
        out->representative = SL_TRUTH_UNKNOWN;
        out->representative_why = "the trace does not show the plan, and no other";
    } else {
        out->representative = SL_TRUTH_YES;
        out->representative_why =
            sl_arena_printf(arena, "%u %s of the whole plan, warm%s%s", realized->run_count,
                            record->measured.counted, replay ? ", executed on backend " : "",
                            replay ? of->backend : "");
    }
    return out->representative_why && (!replay || out->backend);
}
