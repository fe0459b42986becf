/* Filling a timeline: columns grow together, lanes are found by a hash of their numbers. */
#include <config.h>

#include "text.h"
#include "timeline.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
} hazards[SL_HAZARDS] = {
    [SL_HAZARD_NO_LAUNCH] = {"no-launch", "works of a device without the call that launched them"},
    [SL_HAZARD_MANY_PER_LAUNCH] = {"many-per-launch",
                                   "calls that launched several works (CUDA graphs)"},
    [SL_HAZARD_DUPLICATE] = {"duplicate", "events that are there twice; one is kept"},
    [SL_HAZARD_OVERLAP] = {"overlap",
                           "works that start before an earlier one of their stream ends"},
    [SL_HAZARD_NO_BYTES] = {"no-bytes", "copies that do not say how many bytes they moved"},
    [SL_HAZARD_ZERO_TIME] = {"zero-time", "works that took no time"},
    [SL_HAZARD_REVERSED] = {"reversed", "events that end before they start; left out"},
    [SL_HAZARD_BEFORE_LAUNCH] = {"before-launch",
                                 "works that start before the call that launched them"},
    [SL_HAZARD_FLOW_ORPHAN] = {"flow-orphan", "arrows of which one end is missing"},
    [SL_HAZARD_BAD_EVENT] = {"bad-event",
                             "events without a time, or with one that is no number; left out"},
    [SL_HAZARD_BAD_VALUE] = {"bad-value", "values of a wrong type or out of range; left out"},
    [SL_HAZARD_BAD_TEXT] = {"bad-text",
                            "texts that are no UTF-8, hold control characters or are cut; mended"},
    [SL_HAZARD_ROUNDED] = {"rounded", "times finer than a nanosecond; rounded"},
    [SL_HAZARD_TRUNCATED] = {"truncated",
                             "ends of the file before its time; what stood before is kept"},
    [SL_HAZARD_LOST] = {"lost", "records that the profiler says it lost"},
};

const char *sl_hazard_name(enum sl_trace_hazard hazard)
{
    return hazards[hazard].name;
}

const char *sl_hazard_text(enum sl_trace_hazard hazard)
{
    return hazards[hazard].text;
}

/* Names that are counted one by one; a file may bring any number. */
enum { MOST_COUNTS = 64 };

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the timeline");
}

bool sl_timeline_at_ns(struct sl_timeline *timeline, int64_t t_ns, int64_t *t_ps)
{
    static const int64_t most_ns = (INT64_C(1) << 61) / 1000;
    if (!timeline->has_origin) {
        timeline->has_origin = true;
        timeline->origin_ns = t_ns;
    }
    int64_t since;
    if (__builtin_sub_overflow(t_ns, timeline->origin_ns, &since) || since > most_ns ||
        since < -most_ns)
        return false;
    *t_ps = since * 1000;
    return true;
}

/* Makes room for half as many events again: doubling would hold twice the memory of a long trace.
 */
static bool grow_events(struct sl_timeline *t)
{
    uint32_t wanted = t->capacity < 1024 ? 1024 : t->capacity + t->capacity / 2;
    struct {
        void **column;
        size_t size;
    } columns[] = {
        {(void **)&t->start_ps, sizeof *t->start_ps},
        {(void **)&t->end_ps, sizeof *t->end_ps},
        {(void **)&t->kind, sizeof *t->kind},
        {(void **)&t->name, sizeof *t->name},
        {(void **)&t->lane, sizeof *t->lane},
        {(void **)&t->correlation, sizeof *t->correlation},
        {(void **)&t->bytes, sizeof *t->bytes},
        {(void **)&t->detail, sizeof *t->detail},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        void *grown = realloc(*columns[i].column, wanted * columns[i].size);
        if (!grown)
            return false;
        *columns[i].column = grown;
    }
    t->capacity = wanted;
    return true;
}

enum sl_status sl_timeline_add(struct sl_timeline *timeline, const struct sl_timeline_event *event,
                               struct sl_error *err)
{
    struct sl_timeline *t = timeline;
    if (t->count >= SL_MOST_EVENTS)
        return SL_FAIL(err, SL_INVALID,
                       "the trace has more than %d events; record fewer steps, or cut it",
                       SL_MOST_EVENTS);
    if (t->count == t->capacity && !grow_events(t))
        return no_memory(err);
    uint32_t i = t->count, detail = SL_NONE;
    if (event->detail) {
        if (!sl_grow((void **)&t->details, &t->detail_capacity, t->detail_count + 1,
                     sizeof *t->details))
            return no_memory(err);
        detail = t->detail_count++;
        t->details[detail] = *event->detail;
    }
    t->start_ps[i] = event->start_ps;
    t->end_ps[i] = event->end_ps;
    t->kind[i] = (uint8_t)event->kind;
    t->name[i] = event->name;
    t->lane[i] = event->lane;
    t->correlation[i] = event->correlation;
    t->bytes[i] = event->bytes;
    t->detail[i] = detail;
    t->count++;
    return SL_OK;
}

/* The slot of these numbers, or the free one where they belong. */
static uint32_t *slot_of(const struct sl_timeline *t, enum sl_lane_kind kind, int64_t process,
                         int64_t number)
{
    uint64_t hash = sl_hash_index((uint64_t)process * 2 + (uint64_t)kind);
    uint32_t mask = t->lane_slot_count - 1;
    uint32_t at = (uint32_t)sl_hash_index(hash ^ (uint64_t)number) & mask;
    for (;; at = (at + 1) & mask) {
        uint32_t *slot = &t->lane_slots[at];
        const struct sl_lane *lane = &t->lanes[*slot > 0 ? *slot - 1 : 0];
        if (*slot == 0 ||
            (lane->kind == kind && lane->process == process && lane->number == number))
            return slot;
    }
}

/* At most half of the slots are taken. */
static bool grow_lanes(struct sl_timeline *t)
{
    if (!sl_grow((void **)&t->lanes, &t->lane_capacity, t->lane_count + 1, sizeof *t->lanes))
        return false;
    if (t->lane_count < t->lane_slot_count / 2)
        return true;
    uint32_t count = t->lane_slot_count ? 2 * t->lane_slot_count : 16;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(t->lane_slots);
    t->lane_slots = slots;
    t->lane_slot_count = count;
    for (uint32_t i = 0; i < t->lane_count; i++)
        *slot_of(t, t->lanes[i].kind, t->lanes[i].process, t->lanes[i].number) = i + 1;
    return true;
}

enum sl_status sl_timeline_lane(struct sl_timeline *timeline, enum sl_lane_kind kind,
                                int64_t process, int64_t number, uint32_t *lane,
                                struct sl_error *err)
{
    struct sl_timeline *t = timeline;
    if (!grow_lanes(t))
        return no_memory(err);
    uint32_t *slot = slot_of(t, kind, process, number);
    if (*slot == 0) {
        t->lanes[t->lane_count] =
            (struct sl_lane){kind, SL_STREAM_UNKNOWN, process, number, SL_NONE};
        *slot = ++t->lane_count;
    }
    *lane = *slot - 1;
    return SL_OK;
}

uint32_t sl_timeline_find_lane(const struct sl_timeline *timeline, enum sl_lane_kind kind,
                               int64_t process, int64_t number)
{
    uint32_t found = timeline->lane_slot_count ? *slot_of(timeline, kind, process, number) : 0;
    return found > 0 ? found - 1 : SL_NONE;
}

enum sl_status sl_timeline_memory(struct sl_timeline *timeline, const struct sl_memory_event *event,
                                  struct sl_error *err)
{
    struct sl_timeline *t = timeline;
    if (t->memory_count >= SL_MOST_EVENTS)
        return SL_FAIL(err, SL_INVALID, "the trace has more than %d changes of memory",
                       SL_MOST_EVENTS);
    if (!sl_grow((void **)&t->memory, &t->memory_capacity, t->memory_count + 1, sizeof *t->memory))
        return no_memory(err);
    t->memory[t->memory_count++] = *event;
    return SL_OK;
}

static struct sl_trace_count *find_count(const struct sl_timeline *timeline,
                                         const struct sl_trace_counts *counts, const char *name)
{
    uint32_t index = sl_names_find(&timeline->names, name);
    for (uint32_t i = 0; i < counts->count && index != SL_NONE; i++)
        if (counts->items[i].name == index)
            return &counts->items[i];
    return NULL;
}

enum sl_status sl_timeline_count(struct sl_timeline *timeline, struct sl_trace_counts *counts,
                                 const char *name, uint64_t more, struct sl_error *err)
{
    struct sl_trace_count *item = find_count(timeline, counts, name);
    if (!item && counts->count >= MOST_COUNTS) {
        name = "all others";
        item = find_count(timeline, counts, name);
    }
    if (!item) {
        uint32_t index = sl_names_add(&timeline->names, name);
        if (index == SL_NONE || !sl_grow((void **)&counts->items, &counts->capacity,
                                         counts->count + 1, sizeof *counts->items))
            return no_memory(err);
        item = &counts->items[counts->count++];
        *item = (struct sl_trace_count){index, 0};
    }
    item->count += more;
    return SL_OK;
}

void sl_timeline_free(struct sl_timeline *timeline)
{
    struct sl_timeline *t = timeline;
    void *const owned[] = {t->start_ps, t->end_ps,      t->kind,          t->name,
                           t->lane,     t->correlation, t->bytes,         t->detail,
                           t->cause,    t->details,     t->lanes,         t->lane_slots,
                           t->memory,   t->flows.items, t->left_out.items};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sl_names_free(&t->names);
    *t = (struct sl_timeline){0};
}
