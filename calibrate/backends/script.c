/* The script backend: plays a machine whose truth is written down, by a clock of its own, with the
 * troubles that the script plants.  No time passes and nothing is measured: it is for tests, and
 * for trying out what a calibration says.
 *
 * A shot beside others: the aggressors run unit after unit, the victim starts behind the second
 * unit of each, and units are added for cover_ns from then on.  A victim of T ns alone is done at
 * the time t of which
 *
 *     T = integral from 0 to t of 1 / kappa(victim | those that still run at s) ds
 */
#include "config.h"

#include "program.h"
#include "script_bench.h"
#include "script_trouble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORK_MOST_NS   1e15
#define SM_MHZ         1980
#define SM_MHZ_LOW     1410
#define SENTINEL_MOVED 10

/* What one shot comes to while it is played. */
struct play {
    struct sl_bench *bench;
    const struct sl_shot *shot;
    struct sl_shot_log *log;
    int64_t victim_start_ns;
    int64_t ends_ns[SL_SHOT_AGGRESSORS_MAX]; /* of each one's last unit */
};

static void close_bench(struct sl_bench *bench)
{
    sl_script_free(&bench->script);
    free(bench);
}

static enum sl_status open_bench(struct sl_bench **opened, const struct sl_bench_options *options,
                                 struct sl_error *err)
{
    if (!options->script)
        return SL_FAIL(err, SL_USAGE, "the script backend plays a file: name it with --script");
    struct sl_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    bench->seed = options->seed;
    *opened = bench;
    enum sl_status status = sl_script_read(&bench->script, options->script, err);
    bench->now_ns = bench->script.start_ns;
    if (status != SL_OK) {
        close_bench(bench);
        *opened = NULL;
    }
    return status;
}

static const struct sl_work_class *classes(const struct sl_bench *bench, uint32_t *count)
{
    *count = bench->script.class_count;
    return bench->script.classes;
}

static const struct sl_bench_layout *layout(const struct sl_bench *bench)
{
    return &bench->script.layout;
}

static const struct sl_fingerprint *fingerprint(const struct sl_bench *bench)
{
    return &bench->script.fingerprint;
}

static enum sl_status prepare(struct sl_bench *bench, const struct sl_work *work,
                              struct sl_error *err)
{
    (void)bench;
    (void)work;
    (void)err;
    return SL_OK;
}

double sl_script_sentinel_ns(const struct sl_bench *bench)
{
    return bench->script.regime_count > 0 ? bench->script.sentinels_ns[bench->regime] : (double)NAN;
}

/* A draw of the law for this key within the `event`-th shot or replay. */
static double drawn(const struct sl_bench *bench, const struct sl_dist *law, uint32_t event,
                    uint64_t key)
{
    double u, u2;
    if (!law)
        return 1;
    sl_draws_uniforms(bench->seed, event, sl_hash_index(key), 0, &u, &u2);
    return sl_dist_value(law, u, u2);
}

int64_t sl_script_work_ns(const struct sl_bench *bench, const struct sl_work *work, uint32_t event,
                          uint64_t key)
{
    const struct sl_script_class *truth = &bench->script.truths[work->klass];
    double ns = truth->overhead_ns + (double)work->bytes / truth->bytes_per_s * 1e9;
    ns *= truth->form_factors[work->form];
    ns *= drawn(bench, truth->noise, event, key);
    return (int64_t)fmin(fmax(ns, 1), WORK_MOST_NS);
}

/* Of a unit in this shot. */
static int64_t work_ns(const struct sl_bench *bench, const struct sl_work *work, uint32_t actor,
                       uint32_t unit)
{
    return sl_script_work_ns(bench, work, bench->shots, (uint64_t)actor << 32 | unit);
}

static void count_others(const struct sl_shot *shot, uint32_t *counts)
{
    memset(counts, 0, SL_SCRIPT_CLASSES_MAX * sizeof *counts);
    for (uint32_t k = 0; k < shot->aggressor_count; k++)
        counts[shot->aggressors[k].klass]++;
}

double sl_script_slowdown(const struct sl_bench *bench, uint32_t victim, enum sl_work_shape shape,
                          const uint32_t counts[SL_SCRIPT_CLASSES_MAX])
{
    bool hypothetical = false;
    uint64_t key = victim;
    uint32_t others = 0;
    for (uint32_t c = 0; c < bench->script.class_count; c++) {
        key = sl_hash_index(key) + counts[c];
        others += counts[c];
    }
    const struct sl_kappa *table = &bench->script.tables[bench->regime][shape];
    double kappa = sl_kappa_eval(table, victim, counts, SL_CORNER_PESSIMISTIC, &hypothetical);
    return others == 0 ? 1 : kappa * drawn(bench, bench->script.drift, UINT32_MAX, key);
}

/* The planted row of exactly this shot, NULL without one. */
static const struct sl_script_row *planted_row(const struct sl_bench *bench,
                                               const struct sl_shot *shot)
{
    uint32_t counts[SL_SCRIPT_CLASSES_MAX];
    for (uint32_t i = 0; i < bench->script.row_count; i++) {
        const struct sl_script_row *row = &bench->script.rows[i];
        if (row->kappa.victim != shot->victim.klass ||
            row->kappa.set_size != shot->aggressor_count ||
            (row->shape >= 0 && row->shape != (int)shot->shape) ||
            (row->regime != SL_NONE && row->regime != bench->regime))
            continue;
        count_others(shot, counts);
        uint32_t met = 0;
        for (; met < row->kappa.set_size && counts[row->kappa.set[met]] > 0; met++)
            counts[row->kappa.set[met]]--;
        if (met == row->kappa.set_size)
            return row;
    }
    return NULL;
}

/* Units of aggressor k until they cover the victim for as long as is asked. */
static void play_aggressor(struct play *play, uint32_t k)
{
    const struct sl_shot *shot = play->shot;
    int64_t until = play->victim_start_ns + shot->cover_ns;
    int64_t at = play->bench->now_ns;
    for (uint32_t unit = 0;; unit++) {
        int64_t length = work_ns(play->bench, &shot->aggressors[k], k + 1, unit);
        bool enough = shot->overlap < 1 ? at + length / 2 > until : at >= until;
        if (unit >= 2 && enough)
            break;
        struct sl_shot_record *made = sl_script_record(play->log, k + 1, unit);
        if (!made)
            break;
        made->submitted_ns = play->bench->now_ns;
        made->start_ns = at;
        made->end_ns = at += length;
    }
    play->ends_ns[k] = at;
}

/* When a victim of `alone_ns` is done, from its start. */
static double finish_ns(const struct play *play, double alone_ns)
{
    uint32_t counts[SL_SCRIPT_CLASSES_MAX];
    double left = alone_ns, at = 0;
    for (;;) {
        double until = (double)INFINITY;
        memset(counts, 0, sizeof counts);
        for (uint32_t k = 0; k < play->shot->aggressor_count; k++) {
            double end = (double)(play->ends_ns[k] - play->victim_start_ns);
            if (end <= at)
                continue;
            counts[play->shot->aggressors[k].klass]++;
            until = fmin(until, end);
        }
        double kappa =
            sl_script_slowdown(play->bench, play->shot->victim.klass, play->shot->shape, counts);
        if (at + left * kappa <= until)
            return at + left * kappa;
        left -= (until - at) / kappa;
        at = until;
    }
}

static void play_victim(struct play *play, const struct sl_script_row *row, int64_t submitted_ns)
{
    const struct sl_bench *bench = play->bench;
    const struct sl_script *script = &bench->script;
    struct sl_shot_record *victim = sl_script_record(play->log, 0, 0);
    if (!victim)
        return;
    double alone_ns = (double)work_ns(bench, &play->shot->victim, 0, 0);
    double ns = finish_ns(play, alone_ns);
    if (play->shot->other_timer && script->other_timer)
        ns *= script->other_factor;
    victim->submitted_ns = submitted_ns;
    victim->start_ns = play->victim_start_ns;
    victim->end_ns = victim->start_ns + (int64_t)fmax(ns, 1);
    if (script->truths[play->shot->victim.klass].stamps) {
        double exec_ns = row && !isnan(row->exec) ? alone_ns * row->exec : ns;
        victim->exec_start_ns = victim->start_ns;
        victim->exec_end_ns = victim->start_ns + (int64_t)fmax(exec_ns, 1);
    }
    if (row)
        victim->co_resident = row->co_resident;
}

/* All records of a shot without troubles. */
static void play_shot(struct play *play)
{
    struct sl_bench *bench = play->bench;
    const struct sl_shot *shot = play->shot;
    const struct sl_script_row *row = planted_row(bench, shot);
    int64_t submitted = bench->now_ns;
    for (uint32_t k = 0; k < shot->aggressor_count; k++) {
        int64_t second = bench->now_ns + work_ns(bench, &shot->aggressors[k], k + 1, 0) +
                         work_ns(bench, &shot->aggressors[k], k + 1, 1);
        submitted = second > submitted ? second : submitted;
    }
    play->victim_start_ns =
        submitted + bench->script.truths[shot->victim.klass].launch_ns + (row ? row->delay_ns : 0);
    for (uint32_t k = 0; k < shot->aggressor_count; k++) {
        play_aggressor(play, k);
        if (row && row->queues && play->ends_ns[k] > play->victim_start_ns)
            play->victim_start_ns = play->ends_ns[k];
    }
    play_victim(play, row, submitted);
}

static enum sl_status trouble(struct sl_bench *bench, struct sl_shot_log *log,
                              enum sl_script_trouble_kind kind, struct sl_error *err)
{
    switch (kind) {
    case SL_TROUBLE_GATE_TIMEOUT:
        log->gate_timeout = true;
        break;
    case SL_TROUBLE_DROPPED:
        log->dropped++;
        break;
    case SL_TROUBLE_PREEMPTED:
        log->preemptions++;
        break;
    case SL_TROUBLE_SENTINEL:
        log->sentinel_after_ns *= SENTINEL_MOVED;
        break;
    case SL_TROUBLE_THROTTLED:
        log->throttled = true;
        log->sm_mhz = SM_MHZ_LOW;
        break;
    case SL_TROUBLE_REGIME:
        bench->regime = (bench->regime + 1) % bench->script.regime_count;
        break;
    case SL_TROUBLE_LOST:
        return SL_FAIL(err, SL_SYSTEM, "shot %u: the script says that the device is lost",
                       bench->shots);
    default:
        if (log->count > 0)
            sl_script_trouble_records(log, kind);
        break;
    }
    return SL_OK;
}

static bool happens(const struct sl_script_trouble *trouble, uint32_t shot)
{
    if (trouble->every > 0 && shot % trouble->every == trouble->every - 1)
        return true;
    for (uint32_t i = 0; i < trouble->at_count; i++)
        if (trouble->at[i] == shot)
            return true;
    return false;
}

static int64_t last_end_ns(const struct sl_shot_log *log, int64_t least)
{
    for (uint32_t i = 0; i < log->count; i++)
        least = log->records[i].end_ns > least ? log->records[i].end_ns : least;
    return least;
}

static enum sl_status shoot(struct sl_bench *bench, const struct sl_shot *shot,
                            struct sl_shot_log *log, struct sl_error *err)
{
    const struct sl_script *script = &bench->script;
    struct sl_shot_record *records = log->records;
    bool other = shot->other_timer && script->other_timer;
    *log = (struct sl_shot_log){.records = records, .begin_ns = bench->now_ns, .sm_mhz = SM_MHZ};
    log->timer = other ? script->other_timer : script->timer;
    log->sentinel_before_ns = log->sentinel_after_ns = sl_script_sentinel_ns(bench);
    struct play play = {.bench = bench, .shot = shot, .log = log};
    play_shot(&play);
    int64_t end = last_end_ns(log, bench->now_ns);
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < script->trouble_count; i++)
        if (happens(&script->troubles[i], bench->shots))
            status = trouble(bench, log, script->troubles[i].kind, err);
    bench->now_ns = end + script->step_ns;
    bench->shots++;
    return status;
}

/* The regime whose sentinel is the nearest one by ratio. */
static const char *regime(const struct sl_bench *bench, double sentinel_ns)
{
    const struct sl_script *script = &bench->script;
    uint32_t nearest = 0;
    for (uint32_t r = 1; r < script->regime_count; r++)
        if (fabs(log(sentinel_ns / script->sentinels_ns[r])) <
            fabs(log(sentinel_ns / script->sentinels_ns[nearest])))
            nearest = r;
    return script->regime_count > 0 ? script->regimes[nearest] : "";
}

const struct sl_backend sl_backend_script = {
    .name = "script",
    .description = "plays a file that says what a machine does: for tests and for trying out",
    .open = open_bench,
    .close = close_bench,
    .classes = classes,
    .layout = layout,
    .fingerprint = fingerprint,
    .prepare = prepare,
    .shoot = shoot,
    .replay = sl_script_replay,
    .regime = regime,
};
