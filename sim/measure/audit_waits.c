/* Waits of an audit: how long works waited between their launch and their start, and why devices
 * stood still. */
#include <config.h>

#include "audit_parts.h"
#include <stdlib.h>

static int64_t queue_of(const struct sl_audit_work *work)
{
    return work->behind_ps + work->delay_ps;
}

static int64_t behind_of(const struct sl_audit_work *work)
{
    return work->behind_ps;
}

static int64_t delay_of(const struct sl_audit_work *work)
{
    return work->delay_ps;
}

static int64_t event_of(const struct sl_audit_work *work)
{
    return work->event_ps;
}

static bool spread_waits(struct sl_audit *audit)
{
    const struct {
        struct sl_spread *spread;
        int64_t (*of)(const struct sl_audit_work *work);
    } waits[] = {{&audit->queue, queue_of},
                 {&audit->behind, behind_of},
                 {&audit->delay, delay_of},
                 {&audit->event, event_of}};
    int64_t *times = malloc((audit->work_count + 1u) * sizeof *times);
    for (size_t k = 0; times && k < sizeof waits / sizeof *waits; k++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < audit->work_count; i++)
            if (audit->works[i].delay_ps >= 0)
                times[count++] = waits[k].of(&audit->works[i]);
        *waits[k].spread = sl_spread_of(times, count);
    }
    bool made = times != NULL;
    free(times);
    return made;
}

/* A gap ends where a work begins: until that work's launch call has returned the host is behind it.
 */
static struct sl_audit_gap gap_before(const struct sl_audit *audit, int64_t from, uint32_t next)
{
    const struct sl_timeline *t = audit->timeline;
    uint32_t event = audit->works[next].event, call = t->cause[event];
    struct sl_audit_gap gap = {from, t->start_ps[event], -1, next};
    if (call == SL_NONE)
        return gap;
    int64_t launched = t->end_ps[call];
    if (launched > gap.to_ps)
        launched = gap.to_ps;
    gap.unlaunched_ps = launched > from ? launched - from : 0;
    return gap;
}

static void add_gap(struct sl_audit *audit, struct sl_audit_gap gap)
{
    int64_t length = gap.to_ps - gap.from_ps;
    audit->gaps[audit->gap_count++] = gap;
    if (gap.unlaunched_ps < 0) {
        audit->idle_unknown_ps += length;
        return;
    }
    audit->idle_unlaunched_ps += gap.unlaunched_ps;
    audit->idle_launched_ps += length - gap.unlaunched_ps;
}

static bool find_gaps(struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    audit->gaps = sl_arena_array(&audit->arena, audit->work_count + 1u, sizeof *audit->gaps);
    int64_t until = 0;
    for (uint32_t i = 0; audit->gaps && i < audit->work_count; i++) {
        uint32_t event = audit->works[i].event;
        if (i > 0 && t->start_ps[event] > until)
            add_gap(audit, gap_before(audit, until, i));
        if (t->end_ps[event] > until)
            until = t->end_ps[event];
    }
    return audit->gaps != NULL;
}

enum sl_status sl_audit_waits(struct sl_audit *audit, struct sl_error *err)
{
    return spread_waits(audit) && find_gaps(audit) ? SL_OK : sl_audit_no_memory(err);
}
