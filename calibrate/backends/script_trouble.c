/* What goes wrong with the records of a shot that a script plays. */
#include "config.h"

#include "script_trouble.h"
#include <math.h>

#define OUTLIER 20

struct sl_shot_record *sl_script_record(struct sl_shot_log *log, uint32_t actor, uint32_t unit)
{
    if (log->count == SL_SHOT_RECORDS_MAX) {
        log->dropped++;
        return NULL;
    }
    struct sl_shot_record *made = &log->records[log->count++];
    *made = (struct sl_shot_record){.actor = actor, .unit = unit, .co_resident = (double)NAN};
    return made;
}

/* The last record of a shot is the victim's. */
static struct sl_shot_record *victim_of(struct sl_shot_log *log)
{
    return &log->records[log->count - 1];
}

static void begin_late(struct sl_shot_log *log)
{
    const struct sl_shot_record *victim = victim_of(log);
    int64_t late = victim->start_ns + (victim->end_ns - victim->start_ns) / 2;
    for (uint32_t i = 0; i + 1 < log->count; i++) {
        struct sl_shot_record *unit = &log->records[i];
        unit->start_ns = unit->start_ns < late ? late : unit->start_ns;
        unit->end_ns = unit->end_ns < late ? late : unit->end_ns;
    }
}

/* Takes out the units that run in the victim's midst. */
static void leave_gap(struct sl_shot_log *log)
{
    const struct sl_shot_record victim = *victim_of(log);
    int64_t midst = victim.start_ns + (victim.end_ns - victim.start_ns) / 2;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        const struct sl_shot_record unit = log->records[i];
        if (unit.actor == 0 || unit.end_ns <= midst || unit.start_ns > midst)
            log->records[kept++] = unit;
    }
    log->count = kept;
}

static void overlap_units(struct sl_shot_log *log)
{
    for (uint32_t i = 0; i + 1 < log->count; i++)
        log->records[i].end_ns += (log->records[i].end_ns - log->records[i].start_ns) / 2;
}

static void reverse(struct sl_shot_log *log)
{
    for (uint32_t i = 0, k = log->count; i + 1 < k--; i++) {
        struct sl_shot_record swap = log->records[i];
        log->records[i] = log->records[k];
        log->records[k] = swap;
    }
}

/* Another record like the last one. */
static void repeat(struct sl_shot_log *log, uint32_t actor)
{
    struct sl_shot_record last = *victim_of(log);
    struct sl_shot_record *made = sl_script_record(log, actor, last.unit);
    if (!made)
        return;
    last.actor = actor;
    *made = last;
}

void sl_script_trouble_records(struct sl_shot_log *log, enum sl_script_trouble_kind kind)
{
    struct sl_shot_record *victim = victim_of(log);
    switch (kind) {
    case SL_TROUBLE_STRAY:
        repeat(log, SL_SHOT_AGGRESSORS_MAX + 1);
        break;
    case SL_TROUBLE_NO_VICTIM:
        log->count--;
        break;
    case SL_TROUBLE_DUPLICATE:
        repeat(log, 0);
        break;
    case SL_TROUBLE_ZERO_TIME:
        victim->start_ns = victim->end_ns = 0;
        break;
    case SL_TROUBLE_CLOCK_STEP:
        victim->end_ns = victim->start_ns - 1000;
        break;
    case SL_TROUBLE_LATE:
        begin_late(log);
        break;
    case SL_TROUBLE_GAP:
        leave_gap(log);
        break;
    case SL_TROUBLE_OVERLAP:
        overlap_units(log);
        break;
    case SL_TROUBLE_OUT_OF_ORDER:
        reverse(log);
        break;
    case SL_TROUBLE_OUTLIER:
        victim->end_ns += (OUTLIER - 1) * (victim->end_ns - victim->start_ns);
        break;
    default:
        break;
    }
}
