/* What host threads did, in an Nsight Systems database: calls of the CUDA API, NVTX ranges and the
 * profiler's own work. */
#include <config.h>

#include "import_nsys_parts.h"

enum { START, END, THREAD, NAME, CORRELATION };
#define HOST_COLUMNS                                                                               \
    SL_NSYS_NEEDED("start"), SL_NSYS_NEEDED("end"), SL_NSYS_INT("globalTid"), SL_NSYS_INT("nameId")

static const struct sl_nsys_table calls = {"CUPTI_ACTIVITY_KIND_RUNTIME",
                                           .columns = {HOST_COLUMNS, SL_NSYS_U32("correlationId")}};

static enum sl_status add_host(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                               struct sl_timeline_event *event, struct sl_error *err)
{
    if (!sl_nsys_times(import, rows, START, END, event))
        return SL_OK;
    enum sl_status status = sl_nsys_thread(import, rows, THREAD, &event->lane, err);
    return status ? status : sl_timeline_add(import->timeline, event, err);
}

static enum sl_status take_call(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                struct sl_error *err)
{
    struct sl_timeline_event event = {.kind = SL_EVENT_CALL, .bytes = -1};
    uint32_t process;
    enum sl_status status = sl_nsys_process(import, rows, THREAD, &process, err);
    event.correlation = sl_nsys_correlation(rows, CORRELATION, process);
    if (status == SL_OK)
        status = sl_nsys_name(import, rows, NAME, &event.name, err);
    return status ? status : add_host(import, rows, &event, err);
}

/* Two tables, by version and by what was overhead. */
static const struct sl_nsys_table overheads[] = {
    {"PROFILER_OVERHEAD", .columns = {HOST_COLUMNS}},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", .columns = {HOST_COLUMNS}}};

static enum sl_status take_overhead(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                    struct sl_error *err)
{
    struct sl_timeline_event event = {.kind = SL_EVENT_OVERHEAD, .correlation = -1, .bytes = -1};
    enum sl_status status = sl_nsys_name(import, rows, NAME, &event.name, err);
    return status ? status : add_host(import, rows, &event, err);
}

enum { TYPE = NAME, TEXT, TEXT_NUMBER };
static const struct sl_nsys_table ranges = {
    "NVTX_EVENTS",
    .columns = {SL_NSYS_NEEDED("start"), SL_NSYS_INT("end"), SL_NSYS_INT("globalTid"),
                SL_NSYS_NEEDED("eventType"), SL_NSYS_TEXT("text"), SL_NSYS_INT("textId")}};

/* Ranges that nest on a thread, ranges that start and end anywhere, and marks.  Other types name
 * domains, categories and threads. */
enum { MARK, PUSH_POP, START_END, T_MARK, T_PUSH_POP, T_START_END, TYPES };
static const char *const type_names[TYPES] = {"NvtxMark",          "NvtxPushPopRange",
                                              "NvtxStartEndRange", "NvtxtMark",
                                              "NvtxtPushPopRange", "NvtxtStartEndRange"};
static const int64_t usual_types[TYPES] = {34, 59, 60, 65, 70, 71};

static enum sl_status name_range(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                 uint32_t *name, struct sl_error *err)
{
    size_t bytes;
    const char *text = sl_nsys_text(rows, TEXT, &bytes);
    return text ? sl_nsys_add_name(import, rows, text, bytes, name, err)
                : sl_nsys_name(import, rows, TEXT_NUMBER, name, err);
}

static enum sl_status take_range(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                 struct sl_error *err)
{
    struct sl_timeline_event event = {.kind = SL_EVENT_RANGE, .correlation = -1, .bytes = -1};
    uint32_t type = sl_nsys_enum_find(&import->range_types, rows->cells[TYPE]);
    if (type == SL_NONE)
        return SL_OK;
    bool mark = type == MARK || type == T_MARK;
    if (!mark && !sl_nsys_has(rows, END)) {
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_EVENT, "a range that never ends; it is left out");
        return SL_OK;
    }
    enum sl_status status = name_range(import, rows, &event.name, err);
    if (status || !sl_nsys_times(import, rows, START, mark ? START : END, &event))
        return status;
    status = sl_nsys_thread(import, rows, THREAD, &event.lane, err);
    return status ? status : sl_timeline_add(import->timeline, &event, err);
}

enum sl_status sl_nsys_read_calls(struct sl_nsys_import *import, struct sl_error *err)
{
    import->range_types = (struct sl_nsys_enum){
        .table = "ENUM_NSYS_EVENT_TYPE", .names = type_names, .count = TYPES, .usual = usual_types};
    enum sl_status status = sl_nsys_enum_read(import, &import->range_types, err);
    if (status == SL_OK)
        status = sl_nsys_each(import, &calls, take_call, &import->calls, err);
    for (int i = 0; i < 2 && status == SL_OK; i++)
        status = sl_nsys_each(import, &overheads[i], take_overhead, &import->others, err);
    return status ? status : sl_nsys_each(import, &ranges, take_range, &import->ranges, err);
}
