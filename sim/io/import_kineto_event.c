/* What a Kineto event means: works of devices, calls, operators, ranges, memory, arrows. */
#include <config.h>

#include "kineto.h"
#include "text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void sl_kineto_warn(struct sl_kineto *kineto, enum sl_trace_hazard hazard, const char *format, ...)
{
    if (kineto->timeline->hazards[hazard]++ >= SL_KINETO_WARNINGS)
        return;
    va_list args;
    va_start(args, format);
    sl_diags_vadd(kineto->diags, SL_WARNING, sl_hazard_name(hazard),
                  sl_json_stream_place(&kineto->stream), format, args);
    va_end(args);
}

static enum sl_status no_memory(struct sl_kineto *kineto)
{
    return SL_FAIL(kineto->err, SL_SYSTEM, "out of memory while reading %s", kineto->stream.path);
}

static enum sl_status count_one(struct sl_kineto *kineto, struct sl_trace_counts *counts,
                                const char *name)
{
    return sl_timeline_count(kineto->timeline, counts, name, 1, kineto->err);
}

static bool is_category(const char *category, const char *name)
{
    for (; *name; name++, category++)
        if (tolower((unsigned char)*category) != *name)
            return false;
    return *category == '\0';
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* SL_EVENT_KINDS: left out.  Names of 2021 (Kernel, Memcpy, Runtime, Operator) and of later. */
static enum sl_event_kind kind_of(const struct sl_kineto *kineto)
{
    static const struct {
        const char *category;
        enum sl_event_kind kind;
    } kinds[] = {
        {"kernel", SL_EVENT_KERNEL},
        {"gpu_memcpy", SL_EVENT_COPY},
        {"memcpy", SL_EVENT_COPY},
        {"gpu_memset", SL_EVENT_SET},
        {"memset", SL_EVENT_SET},
        {"cpu_op", SL_EVENT_OPERATOR},
        {"operator", SL_EVENT_OPERATOR},
        {"user_annotation", SL_EVENT_RANGE},
        {"gpu_user_annotation", SL_EVENT_RANGE},
        {"overhead", SL_EVENT_OVERHEAD},
        {"runtime", SL_EVENT_CALL},
        {"driver", SL_EVENT_CALL},
    };
    const char *category = kineto->fields[SL_KINETO_CAT].text;
    if (kineto->fields[SL_KINETO_CAT].type != SL_KINETO_TEXT)
        return SL_EVENT_KINDS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_category(category, kinds[i].category))
            return kinds[i].kind;
    if (is_category(category, "cuda_sync")) {
        const struct sl_kineto_value *sync = &kineto->fields[SL_KINETO_SYNC_KIND];
        bool stream = sync->type == SL_KINETO_TEXT && strcmp(sync->text, "Stream Wait Event") == 0;
        return stream ? SL_EVENT_STREAM_WAIT : SL_EVENT_HOST_WAIT;
    }
    /* cuda_runtime, cuda_driver, xpu_runtime, mtia_runtime ... */
    return ends_with(category, "_runtime") || ends_with(category, "_driver") ? SL_EVENT_CALL
                                                                             : SL_EVENT_KINDS;
}

/* The number of a process, thread, device or stream.  One that has a text instead gets a number
 * that no other has; "stream 7" is 7 of a stream. */
static enum sl_status number_of(struct sl_kineto *kineto, const struct sl_kineto_value *value,
                                bool of_stream, int64_t *number)
{
    *number = value->type == SL_KINETO_INTEGER ? value->number : -1;
    if (value->type != SL_KINETO_TEXT)
        return SL_OK;
    size_t digits = strlen(value->text);
    while (digits > 0 && isdigit((unsigned char)value->text[digits - 1]))
        digits--;
    if (of_stream && value->text[digits] != '\0') {
        *number = strtoll(value->text + digits, NULL, 10);
        return SL_OK;
    }
    uint32_t name = sl_names_add(&kineto->timeline->names, value->text);
    if (name == SL_NONE)
        return no_memory(kineto);
    *number = INT64_MIN + name;
    return SL_OK;
}

static enum sl_status find_lane(struct sl_kineto *kineto, enum sl_lane_kind kind,
                                const struct sl_kineto_value *process,
                                const struct sl_kineto_value *number, uint32_t *lane)
{
    bool stream = kind == SL_LANE_STREAM;
    int64_t first, second;
    enum sl_status status = number_of(kineto, process, stream, &first);
    if (status == SL_OK)
        status = number_of(kineto, number, stream, &second);
    if (status == SL_OK)
        status = sl_timeline_lane(kineto->timeline, kind, first, second, lane, kineto->err);
    return status;
}

static enum sl_status lane_of(struct sl_kineto *kineto, enum sl_event_kind kind, uint32_t *lane)
{
    const struct sl_kineto_value *f = kineto->fields;
    const struct sl_kineto_value *process = &f[SL_KINETO_PID], *number = &f[SL_KINETO_TID];
    bool stream =
        kind <= SL_EVENT_HOST_WAIT || is_category(f[SL_KINETO_CAT].text, "gpu_user_annotation");
    if (stream && f[SL_KINETO_DEVICE].type == SL_KINETO_INTEGER)
        process = &f[SL_KINETO_DEVICE];
    if (stream && (f[SL_KINETO_STREAM].type == SL_KINETO_INTEGER ||
                   f[SL_KINETO_STREAM].type == SL_KINETO_TEXT))
        number = &f[SL_KINETO_STREAM];
    return find_lane(kineto, stream ? SL_LANE_STREAM : SL_LANE_THREAD, process, number, lane);
}

static int64_t integer_of(const struct sl_kineto *kineto, enum sl_kineto_field field, int64_t low,
                          int64_t high, int64_t otherwise)
{
    const struct sl_kineto_value *value = &kineto->fields[field];
    bool good = value->type == SL_KINETO_INTEGER && value->number >= low && value->number <= high;
    return good ? value->number : otherwise;
}

/* "Memcpy HtoD (Pinned -> Device)": the words in brackets. */
static void places_of_copy(const char *name, struct sl_event_detail *detail)
{
    static const char *const words[SL_MEMORY_KINDS] = {
        [SL_MEMORY_PAGEABLE] = "Pageable", [SL_MEMORY_PINNED] = "Pinned",
        [SL_MEMORY_DEVICE] = "Device",     [SL_MEMORY_ARRAY] = "Array",
        [SL_MEMORY_MANAGED] = "Managed",   [SL_MEMORY_HOST] = "Host",
    };
    const char *bracket = strchr(name, '('), *arrow = strstr(name, " -> ");
    if (!bracket || !arrow || arrow < bracket)
        return;
    for (int i = 0; i < SL_MEMORY_KINDS; i++) {
        if (!words[i])
            continue;
        if (strncmp(bracket + 1, words[i], strlen(words[i])) == 0)
            detail->from = (enum sl_memory_kind)i;
        if (strncmp(arrow + 4, words[i], strlen(words[i])) == 0)
            detail->to = (enum sl_memory_kind)i;
    }
}

static enum sl_status fill_detail(struct sl_kineto *kineto, enum sl_event_kind kind,
                                  uint32_t own_lane, struct sl_event_detail *detail)
{
    *detail = sl_event_detail_none();
    const struct sl_kineto_value *f = kineto->fields;
    if (kind == SL_EVENT_KERNEL) {
        if (f[SL_KINETO_GRID].type == SL_KINETO_INTEGER)
            memcpy(detail->grid, f[SL_KINETO_GRID].three, sizeof detail->grid);
        if (f[SL_KINETO_BLOCK].type == SL_KINETO_INTEGER)
            memcpy(detail->block, f[SL_KINETO_BLOCK].three, sizeof detail->block);
        detail->registers = (uint32_t)integer_of(kineto, SL_KINETO_REGISTERS, 0, UINT32_MAX, 0);
        detail->shared_bytes = (uint32_t)integer_of(kineto, SL_KINETO_SHARED, 0, UINT32_MAX, 0);
    }
    detail->graph_node = integer_of(kineto, SL_KINETO_GRAPH_NODE, 1, INT64_MAX, -1);
    if (kind == SL_EVENT_COPY && f[SL_KINETO_NAME].type == SL_KINETO_TEXT)
        places_of_copy(kineto->name, detail);
    detail->waited_correlation = integer_of(kineto, SL_KINETO_WAIT_RECORD, 0, UINT32_MAX - 1, -1);
    int64_t stream = integer_of(kineto, SL_KINETO_WAIT_STREAM, 0, UINT32_MAX - 1, -1);
    if (stream < 0)
        return SL_OK;
    uint32_t lane;
    enum sl_status status =
        sl_timeline_lane(kineto->timeline, SL_LANE_STREAM,
                         kineto->timeline->lanes[own_lane].process, stream, &lane, kineto->err);
    detail->waited_lane = lane;
    return status;
}

static enum sl_status add_name(struct sl_kineto *kineto, uint32_t *name)
{
    bool named = kineto->fields[SL_KINETO_NAME].type == SL_KINETO_TEXT;
    struct sl_names *names = &kineto->timeline->names;
    names->texts.limit = SL_KINETO_NAMES;
    *name = sl_names_add(names, named ? kineto->name : "(no name)");
    if (*name == SL_NONE && names->texts.total > SL_KINETO_NAMES / 2)
        return SL_FAIL_AT(kineto->err, SL_INVALID, sl_json_stream_place(&kineto->stream),
                          "different names of more than %d MiB: no trace has so many",
                          SL_KINETO_NAMES >> 20);
    return *name == SL_NONE ? no_memory(kineto) : SL_OK;
}

/* The end of what starts at `ts`, in ns.  Rounded as a whole: where one ends when the next starts,
 * as the file has it, both round to the same. */
static bool end_of(const struct sl_kineto_value *ts, const struct sl_kineto_value *dur, int64_t *ns)
{
    int32_t beyond = ts->beyond_ps + dur->beyond_ps; /* -1000 to 998 */
    int32_t nearest = beyond >= 500 ? 1 : beyond < -500 ? -1 : 0;
    return !__builtin_add_overflow(ts->number, dur->number, ns) &&
           !__builtin_add_overflow(*ns, nearest, ns);
}

/* False when the event says no usable time; that is counted. */
static bool take_times(struct sl_kineto *kineto, bool lasting, int64_t *start_ps, int64_t *end_ps)
{
    const struct sl_kineto_value *ts = &kineto->fields[SL_KINETO_TS];
    const struct sl_kineto_value *dur = &kineto->fields[SL_KINETO_DUR];
    if (ts->type != SL_KINETO_INTEGER || (lasting && dur->type != SL_KINETO_INTEGER)) {
        sl_kineto_warn(kineto, SL_HAZARD_BAD_EVENT, "an event without a number as \"%s\": left out",
                       ts->type != SL_KINETO_INTEGER ? "ts" : "dur");
        return false;
    }
    int64_t end = ts->number;
    if (lasting && (dur->number < 0 || (dur->number == 0 && dur->beyond_ps < 0))) {
        sl_kineto_warn(kineto, SL_HAZARD_REVERSED, "an event of negative duration: left out");
        return false;
    }
    if ((lasting && !end_of(ts, dur, &end)) ||
        !sl_timeline_at_ns(kineto->timeline, ts->number, start_ps) ||
        !sl_timeline_at_ns(kineto->timeline, end, end_ps)) {
        sl_kineto_warn(kineto, SL_HAZARD_BAD_EVENT,
                       "an event more than 26 days from the first one: left out");
        return false;
    }
    return true;
}

static enum sl_status take_slice(struct sl_kineto *kineto)
{
    struct sl_timeline_event event = {.correlation = -1, .bytes = -1};
    event.kind = kind_of(kineto);
    if (event.kind == SL_EVENT_KINDS) {
        bool named = kineto->fields[SL_KINETO_CAT].type == SL_KINETO_TEXT;
        return count_one(kineto, &kineto->timeline->left_out,
                         named ? kineto->fields[SL_KINETO_CAT].text : "without a category");
    }
    if (!take_times(kineto, true, &event.start_ps, &event.end_ps))
        return SL_OK;
    struct sl_event_detail detail;
    enum sl_status status = add_name(kineto, &event.name);
    if (status == SL_OK)
        status = lane_of(kineto, event.kind, &event.lane);
    if (status == SL_OK && event.kind <= SL_EVENT_HOST_WAIT) {
        status = fill_detail(kineto, event.kind, event.lane, &detail);
        event.detail = event.kind == SL_EVENT_SET ? NULL : &detail;
    }
    if (status != SL_OK)
        return status;
    event.correlation = integer_of(kineto, SL_KINETO_CORRELATION, 0, INT64_MAX, -1);
    event.bytes = integer_of(kineto, SL_KINETO_BYTES, 0, INT64_MAX, -1);
    return sl_timeline_add(kineto->timeline, &event, kineto->err);
}

static enum sl_status take_memory(struct sl_kineto *kineto)
{
    struct sl_memory_event event = {
        .device_type = (int32_t)integer_of(kineto, SL_KINETO_DEVICE_TYPE, 0, 1000, 0),
        .device = (int32_t)integer_of(kineto, SL_KINETO_DEVICE_ID, -1, INT32_MAX, -1),
        .address = (uint64_t)integer_of(kineto, SL_KINETO_ADDRESS, INT64_MIN, INT64_MAX, 0),
        .bytes = integer_of(kineto, SL_KINETO_MEMORY_BYTES, -SL_KINETO_MOST_BYTES,
                            SL_KINETO_MOST_BYTES, 0),
        .allocated_bytes = integer_of(kineto, SL_KINETO_ALLOCATED, 0, SL_KINETO_MOST_BYTES, -1),
        .reserved_bytes = integer_of(kineto, SL_KINETO_RESERVED, 0, SL_KINETO_MOST_BYTES, -1)};
    int64_t end_ps;
    if (!take_times(kineto, false, &event.t_ps, &end_ps))
        return SL_OK;
    return sl_timeline_memory(kineto->timeline, &event, kineto->err);
}

/* An arrow's end; `starts` where it is the first one. */
static enum sl_status take_flow(struct sl_kineto *kineto, bool starts)
{
    const struct sl_kineto_value *category = &kineto->fields[SL_KINETO_CAT];
    const struct sl_kineto_value *id = &kineto->fields[SL_KINETO_ID];
    const char *name = category->type == SL_KINETO_TEXT ? category->text : "flow";
    uint64_t hash = sl_hash_text(name);
    hash ^=
        id->type == SL_KINETO_TEXT ? sl_hash_text(id->text) : sl_hash_index((uint64_t)id->number);
    if (!sl_grow((void **)&kineto->flows, &kineto->flow_capacity, kineto->flow_count + 1,
                 sizeof *kineto->flows))
        return no_memory(kineto);
    if (kineto->flow_count < SL_MOST_EVENTS)
        kineto->flows[kineto->flow_count++] = (struct sl_keyed){(int64_t)(hash >> 1), starts};
    char text[SL_KINETO_SHORT + 4];
    snprintf(text, sizeof text, "%s/%c", name, starts ? 's' : 'f');
    return count_one(kineto, &kineto->timeline->flows, text);
}

static enum sl_status take_by_phase(struct sl_kineto *kineto, const char *phase)
{
    switch (phase[0]) {
    case 'X':
        return take_slice(kineto);
    case 'i':
    case 'I':
        if (kineto->fields[SL_KINETO_NAME].type == SL_KINETO_TEXT &&
            strcmp(kineto->name, "[memory]") == 0)
            return take_memory(kineto);
        return count_one(kineto, &kineto->timeline->left_out, "instants");
    case 's':
    case 'f':
        return take_flow(kineto, phase[0] == 's');
    case 'M':
        return count_one(kineto, &kineto->timeline->left_out, "metadata");
    default: {
        char text[32];
        snprintf(text, sizeof text, "phase %.8s", phase);
        return count_one(kineto, &kineto->timeline->left_out, text);
    }
    }
}

enum sl_status sl_kineto_take_event(struct sl_kineto *kineto)
{
    kineto->timeline->read++;
    if (kineto->mended_text)
        sl_kineto_warn(kineto, SL_HAZARD_BAD_TEXT,
                       "a text that is no UTF-8, holds control characters, or is too long: mended");
    if (kineto->rounded)
        sl_kineto_warn(kineto, SL_HAZARD_ROUNDED, "a time finer than a nanosecond: rounded");
    enum sl_status status = SL_OK;
    const struct sl_kineto_value *phase = &kineto->fields[SL_KINETO_PH];
    if (phase->type == SL_KINETO_TEXT && phase->text[0] != '\0')
        status = take_by_phase(kineto, phase->text);
    else
        sl_kineto_warn(kineto, SL_HAZARD_BAD_EVENT, "an event without a \"ph\": left out");
    for (int i = 0; i < SL_KINETO_FIELDS; i++)
        kineto->fields[i].type = SL_KINETO_ABSENT;
    kineto->mended_text = kineto->rounded = false;
    return status;
}

enum sl_status sl_kineto_count_orphans(struct sl_kineto *kineto)
{
    uint32_t count = kineto->flow_count;
    struct sl_keyed *flows = kineto->flows, *scratch = malloc((count + 1u) * sizeof *scratch);
    if (!scratch)
        return no_memory(kineto);
    sl_sort_keyed(flows, scratch, count);
    free(scratch);
    for (uint32_t from = 0, to; from < count; from = to) {
        uint32_t starts = 0;
        for (to = from; to < count && flows[to].key == flows[from].key; to++)
            starts += flows[to].value;
        if (starts == 0 || starts == to - from)
            kineto->timeline->hazards[SL_HAZARD_FLOW_ORPHAN] += to - from;
    }
    return SL_OK;
}
