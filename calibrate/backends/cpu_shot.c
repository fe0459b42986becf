/* One shot: sentinel, gate, the victim among aggressors, gate, sentinel, all in one task of the
 * crew, so that cores stay awake from the first to the last.  A seat that has nothing to do spins
 * at the gate: it touches no memory, and its core is no quieter than that of a resource which waits
 * for work. */
#include "config.h"

#include "cpu_bench.h"
#include "cpu_sentinel.h"
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#define START_NS INT64_C(500000000)   /* patience at gates before the victim's work */
#define END_NS   INT64_C(20000000000) /* and with the work itself */
enum { LEAD_UNITS = 2 };              /* of each aggressor before the victim starts */

struct firing {
    struct sl_bench *bench;
    const struct sl_shot *shot;
    struct sl_cpu_gate gate;
    struct sl_cpu_sentinel sentinel;
    double before_ns, after_ns;
    struct sl_shot_record victim;
    bool victim_done;
    _Alignas(SL_CPU_APART) atomic_bool stop; /* aggressors */
    _Atomic int64_t until_ns; /* ... of a partial overlap, by themselves; INT64_MAX: not yet */
};

uint64_t sl_cpu_preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

static bool aggressor_goes_on(void *user)
{
    const struct firing *firing = user;
    return !atomic_load_explicit(&firing->stop, memory_order_relaxed) &&
           !atomic_load_explicit(&firing->gate.broken, memory_order_relaxed) &&
           (firing->shot->overlap >= 1 ||
            sl_cpu_now_ns() < atomic_load_explicit(&firing->until_ns, memory_order_relaxed));
}

static void aggress(struct firing *firing, uint32_t seat)
{
    const struct sl_cpu_watch watch = {aggressor_goes_on, firing};
    const struct sl_work *work = &firing->shot->aggressors[seat - 1];
    struct sl_cpu_lane *lane = &firing->bench->lanes[seat];
    for (uint32_t unit = 0; aggressor_goes_on(firing); unit++) {
        struct sl_shot_record record = {.actor = seat, .unit = unit, .co_resident = (double)NAN};
        record.start_ns = sl_cpu_now_ns();
        sl_cpu_work(&firing->bench->stores[seat], (enum sl_cpu_class)work->klass, work->bytes,
                    &watch);
        record.end_ns = sl_cpu_now_ns();
        if (lane->count < SL_SHOT_RECORDS_MAX / SL_SHOT_AGGRESSORS_MAX)
            lane->records[lane->count++] = record;
        else
            lane->dropped++;
        atomic_store_explicit(&lane->units, unit + 1, memory_order_release);
    }
}

/* Time at which the victim may start: that of the gate, or the end of the last aggressor's lead.
 * -1: one of them never came so far. */
static int64_t await_lead(struct firing *firing)
{
    int64_t due_ns = firing->gate.opened_ns;
    struct sl_cpu_wait wait = {END_NS, &firing->gate.broken, 0, 0};
    for (uint32_t k = 1; k <= firing->shot->aggressor_count; k++) {
        struct sl_cpu_lane *lane = &firing->bench->lanes[k];
        while (atomic_load_explicit(&lane->units, memory_order_acquire) < LEAD_UNITS)
            if (!sl_cpu_wait(&wait)) {
                atomic_store(&firing->gate.broken, true);
                return -1;
            }
        int64_t end_ns = lane->records[LEAD_UNITS - 1].end_ns;
        due_ns = end_ns > due_ns ? end_ns : due_ns;
    }
    return due_ns;
}

static void suffer(struct firing *firing)
{
    const struct sl_shot *shot = firing->shot;
    struct sl_shot_record *record = &firing->victim;
    record->submitted_ns = await_lead(firing);
    if (record->submitted_ns >= 0) {
        record->start_ns = sl_cpu_now_ns();
        if (shot->overlap < 1)
            atomic_store(&firing->until_ns, record->start_ns + shot->cover_ns);
        sl_cpu_work(&firing->bench->stores[0], (enum sl_cpu_class)shot->victim.klass,
                    shot->victim.bytes, NULL);
        record->end_ns = sl_cpu_now_ns();
        firing->victim_done = true;
    }
    atomic_store(&firing->stop, true);
}

/* What the victim's form says that is in the caches when it starts. */
static void set_caches(const struct firing *firing)
{
    const struct sl_work *victim = &firing->shot->victim;
    const char *cache = firing->bench->classes[victim->klass].forms[victim->form].cache;
    if (strcmp(cache, "warm") == 0)
        sl_cpu_store_warm(&firing->bench->stores[0], (enum sl_cpu_class)victim->klass);
    else if (strcmp(cache, "cold") == 0)
        sl_cpu_store_evict(&firing->bench->stores[0]);
}

static void take_part(void *user, uint32_t seat)
{
    struct firing *firing = user;
    struct sl_cpu_lane *lane = &firing->bench->lanes[seat];
    sl_cpu_sentinel_play(&firing->sentinel, seat);
    if (seat == 0) {
        firing->before_ns = firing->sentinel.ns;
        set_caches(firing);
    }
    if (!sl_cpu_gate_pass(&firing->gate, START_NS))
        return;
    uint64_t switches = sl_cpu_preemptions();
    if (seat == 0)
        suffer(firing);
    else if (seat <= firing->shot->aggressor_count)
        aggress(firing, seat);
    lane->preemptions = sl_cpu_preemptions() - switches;
    if (!sl_cpu_gate_pass(&firing->gate, END_NS))
        return;
    sl_cpu_sentinel_play(&firing->sentinel, seat);
    if (seat == 0)
        firing->after_ns = firing->sentinel.ns;
}

static void add_record(struct sl_shot_log *log, const struct sl_shot_record *record)
{
    if (log->count < SL_SHOT_RECORDS_MAX)
        log->records[log->count++] = *record;
    else
        log->dropped++;
}

static void write_log(const struct firing *firing, struct sl_shot_log *log)
{
    struct sl_bench *bench = firing->bench;
    log->gate_timeout = atomic_load(&firing->gate.broken);
    log->sentinel_before_ns = firing->before_ns;
    log->sentinel_after_ns = firing->after_ns;
    if (firing->victim_done)
        add_record(log, &firing->victim);
    for (uint32_t seat = 0; seat <= firing->shot->aggressor_count; seat++) {
        const struct sl_cpu_lane *lane = &bench->lanes[seat];
        for (uint32_t i = 0; i < lane->count; i++)
            add_record(log, &lane->records[i]);
        log->dropped += lane->dropped;
        log->preemptions += lane->preemptions;
    }
}

enum sl_status sl_cpu_shoot(struct sl_bench *bench, const struct sl_shot *shot,
                            struct sl_shot_log *log, struct sl_error *err)
{
    struct firing firing = {.bench = bench, .shot = shot, .gate.count = bench->seats};
    firing.sentinel.gate = &firing.gate;
    firing.before_ns = firing.after_ns = (double)NAN;
    firing.victim.co_resident = (double)NAN;
    firing.until_ns = INT64_MAX;
    for (uint32_t seat = 0; seat < bench->seats; seat++) {
        struct sl_cpu_lane *lane = &bench->lanes[seat];
        lane->count = 0;
        lane->dropped = lane->preemptions = 0;
        atomic_store(&lane->units, 0);
    }
    *log = (struct sl_shot_log){.records = log->records,
                                .begin_ns = sl_cpu_now_ns(),
                                .sm_mhz = (double)NAN,
                                .timer = "host"};
    sl_cpu_crew_run(bench->crew, take_part, &firing);
    write_log(&firing, log);
    for (uint32_t seat = 0; seat < bench->seats; seat++)
        if (bench->stores[seat].failed)
            return SL_FAIL(err, SL_SYSTEM, "the system refused to map %lld bytes",
                           (long long)(seat ? shot->aggressors[seat - 1] : shot->victim).bytes);
    return SL_OK;
}
