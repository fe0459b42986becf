/* Synchronisation of an Nsight Systems database: who waited for what. */
#include <config.h>

#include "import_nsys_parts.h"
#include <stdlib.h>

/* What CUPTI writes where a wait has no stream or no event. */
#define NOT_GIVEN INT64_C(0xffffffff)

/* A recorded event. */
struct record {
    int64_t event;
    int64_t correlation; /* of the recording call */
    uint32_t process;
    int64_t device, stream;
};
struct sl_nsys_records {
    struct record *items;
    uint32_t count, capacity;
};

enum {
    RECORD_PROCESS,
    RECORD_CORRELATION,
    RECORD_DEVICE,
    RECORD_STREAM,
    RECORD_EVENT,
    RECORD_SYNC
};
static const struct sl_nsys_table record_table = {
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT", .columns = {SL_NSYS_INT("globalPid"),
                                                  SL_NSYS_U32("correlationId"),
                                                  {"deviceId", true, false, 0, UINT32_MAX},
                                                  {"streamId", true, false, 0, UINT32_MAX},
                                                  SL_NSYS_NEEDED("eventId"),
                                                  SL_NSYS_IN("eventSyncId", 1, INT64_MAX)}};

/* Events are recorded again and again.  Newer exports number each recording; the number of the
 * event itself has then another sign, so that the two never meet. */
static int64_t event_of(const struct sl_nsys_rows *rows, int event, int sync)
{
    return sl_nsys_has(rows, sync) ? -rows->cells[sync] : rows->cells[event];
}

static enum sl_status take_record(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  struct sl_error *err)
{
    struct sl_nsys_records *records = import->records;
    struct record record = {.event = event_of(rows, RECORD_EVENT, RECORD_SYNC),
                            .device = rows->cells[RECORD_DEVICE],
                            .stream = rows->cells[RECORD_STREAM]};
    enum sl_status status = sl_nsys_process(import, rows, RECORD_PROCESS, &record.process, err);
    if (status)
        return status;
    record.correlation = sl_nsys_correlation(rows, RECORD_CORRELATION, record.process);
    if (!sl_grow((void **)&records->items, &records->capacity, records->count + 1,
                 sizeof *records->items))
        return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = import->db.path},
                          "out of memory for recorded events");
    records->items[records->count++] = record;
    return SL_OK;
}

static int by_event(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* The latest recording of `event` before the call of a wait: calls of a process are numbered in
 * their order, and the process stands in the number's upper half. */
static const struct record *find_record(const struct sl_nsys_records *records, int64_t event,
                                        int64_t correlation)
{
    struct record wanted = {.event = event, .correlation = correlation};
    uint32_t low = 0, high = records->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_event(&records->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct record *found = low > 0 ? &records->items[low - 1] : NULL;
    return found && found->event == event && found->correlation >> 32 == correlation >> 32 ? found
                                                                                           : NULL;
}

enum { START, END, PROCESS, CORRELATION, DEVICE, STREAM, EVENT, SYNC };
static const struct sl_nsys_table wait_table = {
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", .columns = {SL_NSYS_NEEDED("start"),
                                                       SL_NSYS_NEEDED("end"),
                                                       SL_NSYS_INT("globalPid"),
                                                       SL_NSYS_U32("correlationId"),
                                                       {"deviceId", true, false, 0, UINT32_MAX},
                                                       {"streamId", true, false, 0, UINT32_MAX},
                                                       SL_NSYS_INT("eventId"),
                                                       SL_NSYS_IN("eventSyncId", 1, INT64_MAX)}};

/* Exports number the types of waits in more than one way; what a wait names tells them apart. */
static const struct wait_type {
    const char *name;
    enum sl_event_kind kind;
} types[2][2] = {/* [names a stream][names an event] */
                 {{"Context Sync", SL_EVENT_HOST_WAIT}, {"Event Sync", SL_EVENT_HOST_WAIT}},
                 {{"Stream Sync", SL_EVENT_HOST_WAIT},
                  {"Stream Wait Event", SL_EVENT_STREAM_WAIT}}};

/* Says in `detail` what the wait at the current row is for. */
static enum sl_status find_waited(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  const struct sl_timeline_event *wait,
                                  struct sl_event_detail *detail, struct sl_error *err)
{
    bool waits_for_event = sl_nsys_cell(rows, EVENT, NOT_GIVEN) != NOT_GIVEN;
    if (!waits_for_event && rows->cells[STREAM] != NOT_GIVEN)
        detail->waited_lane = wait->lane;
    if (!waits_for_event || wait->correlation < 0)
        return SL_OK;
    const struct record *record =
        find_record(import->records, event_of(rows, EVENT, SYNC), wait->correlation);
    if (!record)
        return SL_OK;
    uint32_t lane;
    enum sl_status status =
        sl_nsys_stream(import, record->process, record->device, record->stream, &lane, err);
    if (status == SL_OK) {
        detail->waited_lane = lane;
        detail->waited_correlation = record->correlation;
    }
    return status;
}

static enum sl_status take_wait(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                struct sl_error *err)
{
    bool stream = rows->cells[STREAM] != NOT_GIVEN;
    bool waits_for_event = sl_nsys_cell(rows, EVENT, NOT_GIVEN) != NOT_GIVEN;
    const struct wait_type *type = &types[stream][waits_for_event];
    struct sl_event_detail detail = sl_event_detail_none();
    struct sl_timeline_event event = {.kind = type->kind, .bytes = -1, .detail = &detail};
    uint32_t process;
    if (!sl_nsys_times(import, rows, START, END, &event))
        return SL_OK;
    enum sl_status status = sl_nsys_process(import, rows, PROCESS, &process, err);
    if (status == SL_OK)
        status = sl_nsys_stream(import, process, rows->cells[DEVICE],
                                stream ? rows->cells[STREAM] : -1, &event.lane, err);
    if (status == SL_OK)
        status = sl_nsys_literal(import, type->name, &event.name, err);
    if (status)
        return status;
    event.correlation = sl_nsys_correlation(rows, CORRELATION, process);
    status = find_waited(import, rows, &event, &detail, err);
    return status ? status : sl_timeline_add(import->timeline, &event, err);
}

enum sl_status sl_nsys_read_waits(struct sl_nsys_import *import, struct sl_error *err)
{
    struct sl_nsys_records records = {0};
    import->records = &records;
    enum sl_status status = sl_nsys_each(import, &record_table, take_record, &import->others, err);
    if (records.count > 0)
        qsort(records.items, records.count, sizeof *records.items, by_event);
    if (status == SL_OK)
        status = sl_nsys_each(import, &wait_table, take_wait, &import->waits, err);
    free(records.items);
    import->records = NULL;
    return status;
}
