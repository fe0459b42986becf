/* Waits of an audit for events of other streams: how much of the time from ready to start they
 * explain.
 *
 * An event is done when the works that were launched on its stream before it was recorded are.
 * Where the trace does not say which call recorded it, the wait itself stands for that: the latest
 * it can have been. */
#include <config.h>

#include "audit_parts.h"
#include "keysort.h"
#include <stdlib.h>

/* On a lane, at a time of the host, something that ends at `until`. */
struct mark {
    uint32_t lane;
    int64_t at_ps, until_ps;
};
/* Marks by lane, then by time, each with the latest end of its lane so far. */
struct marks {
    struct mark *items;
    uint32_t count, capacity;
    uint32_t *first; /* by lane, and one behind the last */
};

static bool add_mark(struct marks *marks, uint32_t lane, int64_t at_ps, int64_t until_ps)
{
    if (!sl_grow((void **)&marks->items, &marks->capacity, marks->count + 1, sizeof *marks->items))
        return false;
    marks->items[marks->count++] = (struct mark){lane, at_ps, until_ps};
    return true;
}

static bool order_marks(struct marks *marks, uint32_t lanes)
{
    uint32_t count = marks->count;
    struct sl_keyed *keys = malloc((count + 1u) * sizeof *keys);
    struct sl_keyed *scratch = malloc((count + 1u) * sizeof *scratch);
    struct mark *sorted = malloc((count + 1u) * sizeof *sorted);
    marks->first = calloc(lanes + 2u, sizeof *marks->first);
    bool made = keys && scratch && sorted && marks->first;
    if (made) {
        for (uint32_t i = 0; i < count; i++)
            keys[i] = (struct sl_keyed){marks->items[i].at_ps, i};
        sl_sort_keyed(keys, scratch, count);
        for (uint32_t i = 0; i < count; i++)
            keys[i].key = marks->items[keys[i].value].lane;
        sl_sort_keyed(keys, scratch, count);
        for (uint32_t i = 0; i < count; i++) {
            sorted[i] = marks->items[keys[i].value];
            marks->first[sorted[i].lane + 1]++;
            bool follows = i > 0 && sorted[i - 1].lane == sorted[i].lane;
            if (follows && sorted[i - 1].until_ps > sorted[i].until_ps)
                sorted[i].until_ps = sorted[i - 1].until_ps;
        }
        for (uint32_t lane = 0; lane < lanes; lane++)
            marks->first[lane + 1] += marks->first[lane];
        free(marks->items);
        marks->items = sorted;
        sorted = NULL;
    }
    free(keys);
    free(scratch);
    free(sorted);
    return made;
}

/* The latest end of what the lane has before a time; 0: it has nothing. */
static int64_t latest_end(const struct marks *marks, uint32_t lane, int64_t before_ps)
{
    uint32_t low = marks->first[lane], high = marks->first[lane + 1], first = low;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (marks->items[middle].at_ps < before_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? marks->items[low - 1].until_ps : 0;
}

/* Works by the time of their launch. */
static bool mark_works(const struct sl_timeline *t, struct marks *launches)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (sl_event_on_gpu((enum sl_event_kind)t->kind[i]) && t->cause[i] != SL_NONE &&
            !add_mark(launches, t->lane[i], t->start_ps[t->cause[i]], t->end_ps[i]))
            return false;
    return order_marks(launches, t->lane_count);
}

/* When the event was recorded that a stream waits for. */
static int64_t recorded_at(const struct sl_timeline *t, uint32_t wait)
{
    uint32_t call = t->details[t->detail[wait]].waited_call;
    if (call == SL_NONE)
        call = t->cause[wait];
    return t->start_ps[call == SL_NONE ? wait : call];
}

/* Waits by the time of the call that made their stream wait. */
static bool mark_waits(struct sl_audit *audit, const struct marks *launches, struct marks *waits)
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->kind[i] != SL_EVENT_STREAM_WAIT || t->detail[i] == SL_NONE)
            continue;
        int64_t waited = t->details[t->detail[i]].waited_lane;
        if (waited < 0)
            continue;
        int64_t until = latest_end(launches, (uint32_t)waited, recorded_at(t, i));
        int64_t at = t->start_ps[t->cause[i] == SL_NONE ? i : t->cause[i]];
        if (!add_mark(waits, t->lane[i], at, until))
            return false;
    }
    audit->has_stream_waits = waits->count > 0;
    return order_marks(waits, t->lane_count);
}

static void split_delays(struct sl_audit *audit, const struct marks *waits)
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        struct sl_audit_work *work = &audit->works[i];
        uint32_t call = t->cause[work->event];
        if (work->delay_ps <= 0)
            continue;
        int64_t until = latest_end(waits, t->lane[work->event], t->start_ps[call]);
        int64_t waited = until - work->ready_ps;
        work->event_ps = waited < 0 ? 0 : waited < work->delay_ps ? waited : work->delay_ps;
    }
}

enum sl_status sl_audit_events(struct sl_audit *audit, struct sl_error *err)
{
    struct marks launches = {0}, waits = {0};
    bool made = mark_works(audit->timeline, &launches) && mark_waits(audit, &launches, &waits);
    if (made)
        split_delays(audit, &waits);
    free(launches.items);
    free(launches.first);
    free(waits.items);
    free(waits.first);
    return made ? SL_OK : sl_audit_no_memory(err);
}
