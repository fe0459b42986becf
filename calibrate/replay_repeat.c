/* The repetitions of a replay. */
#include "config.h"

#include "progress.h"
#include "replay_parts.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WARM_UPS = 3,     /* not counted: they touch what is touched for the first time */
    SHOWN_EVERY = 50, /* repetitions between two looks at the terminal */
};

enum sl_status sl_replay_make_plan(struct sl_replay_run *r, struct sl_error *err)
{
    const struct sl_backend *backend = r->calibration.backend;
    struct sl_bench *bench = r->calibration.bench;
    struct sl_replay_machine machine = {
        .seats_max = backend->layout(bench)->actors_max, .cut = backend->cut, .bench = bench};
    if (!backend->replay)
        return SL_FAIL(err, SL_USAGE, "backend %s can't execute a plan", backend->name);
    machine.classes = backend->classes(bench, &machine.class_count);
    enum sl_status status = sl_replay_plan_make(&r->plan, &r->cell.plan, &machine, err);
    if (status != SL_OK)
        return status;
    r->order = sl_replay_planned_order(&r->plan, &r->cell);
    r->log.times = calloc((size_t)r->plan.node_count + 1, sizeof *r->log.times);
    return r->order && r->log.times ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* The largest work of each class. */
static enum sl_status prepare(struct sl_replay_run *r, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    uint32_t classes;
    r->calibration.backend->classes(r->calibration.bench, &classes);
    for (uint32_t c = 0; status == SL_OK && c < classes; c++) {
        struct sl_work largest = {.klass = c};
        for (uint32_t i = 0; i < r->plan.node_count; i++) {
            const struct sl_work *work = &r->plan.nodes[i].work;
            if (r->plan.nodes[i].act == SL_REPLAY_WORK && work->klass == c &&
                work->bytes > largest.bytes)
                largest = *work;
        }
        if (largest.bytes > 0)
            status = r->calibration.backend->prepare(r->calibration.bench, &largest, err);
    }
    return status;
}

static enum sl_reject judge(const struct sl_replay_log *log)
{
    if (log->gate_timeout)
        return SL_REJECT_GATE_TIMEOUT;
    if (log->dropped > 0)
        return SL_REJECT_DROPPED;
    if (log->untimed > 0)
        return SL_REJECT_ZERO_TIME;
    if (log->clock_step)
        return SL_REJECT_CLOCK_STEP;
    if (log->preemptions > 0)
        return SL_REJECT_PREEMPTED;
    return sl_sentinel_moved(log->sentinel_before_ns, log->sentinel_after_ns) ? SL_REJECT_SENTINEL
                                                                              : SL_REJECT_NONE;
}

static enum sl_status stopped(const struct sl_replay_run *r, struct sl_error *err)
{
    uint32_t at = 0;
    while (at + 1 < r->plan.node_count && r->log.times[at].start_ns >= 0)
        at++;
    return SL_FAIL(err, SL_NO, "the replay came to a stop: nothing runs, and '%s' has not started",
                   r->plan.nodes[at].name);
}

static enum sl_status add_to_regime(struct sl_replay_run *r, const char *name, struct sl_error *err)
{
    uint32_t at = 0;
    while (at < r->regime_count && strcmp(r->regimes[at].name, name) != 0)
        at++;
    if (at == SL_REPLAY_REGIMES)
        return SL_FAIL(err, SL_SYSTEM, "more than %d regimes", SL_REPLAY_REGIMES);
    if (at == r->regime_count) {
        enum sl_status status = sl_replay_tally_create(&r->regimes[at].tally, &r->plan,
                                                       r->cell.plan.graph, r->order, err);
        if (status != SL_OK)
            return status;
        r->regimes[at].name = name;
        r->regime_count++;
    }
    return sl_replay_tally_add(r->regimes[at].tally, &r->log, err);
}

static enum sl_status repeat(struct sl_replay_run *r, struct sl_error *err)
{
    const struct sl_backend *backend = r->calibration.backend;
    enum sl_status status = backend->replay(r->calibration.bench, &r->plan, &r->log, err);
    if (status != SL_OK)
        return status;
    return r->log.stuck ? stopped(r, err) : SL_OK;
}

static void show_progress(const struct sl_replay_run *r)
{
    if (r->done % SHOWN_EVERY == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\rrepetition %" PRIu32 " of %" PRIu32 "\033[K", r->done, r->repetitions);
}

enum sl_status sl_replay_repeat(struct sl_replay_run *r, struct sl_error *err)
{
    const struct sl_backend *backend = r->calibration.backend;
    enum sl_status status = prepare(r, err);
    if (status == SL_OK && backend->stage)
        status = backend->stage(r->calibration.bench, &r->plan, err);
    for (uint32_t i = 0; status == SL_OK && i < WARM_UPS; i++)
        status = repeat(r, err);
    if (status == SL_OK)
        status = sl_replay_drift_open(&r->drift, &r->plan, r->cell.plan.graph, backend,
                                      r->calibration.bench, err);
    while (status == SL_OK && r->done < r->repetitions && !sl_progress_stop_wanted()) {
        status = repeat(r, err);
        if (status != SL_OK)
            break;
        enum sl_reject reject = judge(&r->log);
        const char *regime =
            backend->regime(r->calibration.bench,
                            sl_sentinel_mean(r->log.sentinel_before_ns, r->log.sentinel_after_ns));
        sl_replay_files_add(&r->files, ++r->done, &r->log, regime, reject);
        r->rejects[reject]++;
        r->throttled += reject == SL_REJECT_NONE && r->log.throttled;
        if (reject == SL_REJECT_NONE)
            status = add_to_regime(r, regime, err);
        if (status == SL_OK && r->drift)
            status = sl_replay_drift_shoot(r->drift, err);
        show_progress(r);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return status;
}
