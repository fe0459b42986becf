/* Traces of the PyTorch profiler (Kineto): JSON in Chrome's Trace Event Format, from its first
 * category names (2021) on.  This file knows where in the JSON text an event stands; the fields are
 * in import_kineto_field.c, what an event means in import_kineto_event.c. */
#include <config.h>

#include "kineto.h"
#include <stdlib.h>
#include <string.h>

/* What is open.  Everything else is passed over, however deep. */
enum scope {
    SCOPE_FILE, /* nothing is */
    SCOPE_TOP,  /* the object of the file */
    SCOPE_EVENTS,
    SCOPE_EVENT,
    SCOPE_ARGS,
    SCOPE_THREE, /* an array of an event's args */
    SCOPE_DEVICES,
    SCOPE_DEVICE,
};
enum { MOST_OPEN = 8 };

struct reader {
    struct sl_kineto kineto;
    enum scope open[MOST_OPEN];
    int depth;        /* of `open`; the innermost is open[depth] */
    uint32_t passing; /* containers that are passed over, from the outermost */
    char key[32];     /* the last of the top object, or of a device */
    enum sl_kineto_field field;
    int three;
    bool has_events, has_device;
};

static enum scope innermost(const struct reader *reader)
{
    return reader->passing > 0 ? SCOPE_FILE : reader->open[reader->depth];
}

static int enter(struct reader *reader, enum scope scope)
{
    reader->open[++reader->depth] = scope;
    return 1;
}

static int leave(struct reader *reader)
{
    if (reader->passing > 0)
        reader->passing--;
    else
        reader->depth--;
    return 1;
}

static int pass_over(struct reader *reader)
{
    reader->passing++;
    return 1;
}

/* An element of the events' array that is no object. */
static void take_no_event(struct reader *reader)
{
    reader->kineto.timeline->read++;
    sl_kineto_warn(&reader->kineto, SL_HAZARD_BAD_EVENT, "an event has to be an object: left out");
}

static bool in_value(const struct reader *reader)
{
    enum scope scope = innermost(reader);
    return (scope == SCOPE_EVENT || scope == SCOPE_ARGS || scope == SCOPE_THREE) &&
           reader->field < SL_KINETO_FIELDS;
}

static int on_number(void *user, const char *text, size_t length)
{
    struct reader *reader = user;
    if (in_value(reader)) {
        bool inside = innermost(reader) == SCOPE_THREE;
        sl_kineto_take_number(&reader->kineto, reader->field, inside ? reader->three : -1, text,
                              length);
        reader->three += inside;
    } else if (innermost(reader) == SCOPE_TOP && strcmp(reader->key, "baseTimeNanoseconds") == 0) {
        char digits[32] = "";
        memcpy(digits, text, length < sizeof digits ? length : 0);
        reader->kineto.timeline->clock_ns = strtoll(digits, NULL, 10);
    } else if (innermost(reader) == SCOPE_EVENTS) {
        take_no_event(reader);
    }
    return 1;
}

static enum sl_status take_device_name(struct reader *reader, const unsigned char *text,
                                       size_t length)
{
    struct sl_timeline *timeline = reader->kineto.timeline;
    char name[256] = "";
    if (length == 0 || length >= sizeof name || memchr(text, 0, length))
        return SL_OK;
    memcpy(name, text, length);
    uint32_t index = sl_names_add(&timeline->names, name);
    if (index == SL_NONE)
        return SL_FAIL(reader->kineto.err, SL_SYSTEM, "out of memory for names");
    timeline->device_name = timeline->names.names[index];
    return SL_OK;
}

static int on_text(void *user, const unsigned char *text, size_t length)
{
    struct reader *reader = user;
    if (in_value(reader))
        sl_kineto_take_text(&reader->kineto, reader->field, text, length);
    else if (innermost(reader) == SCOPE_DEVICE && strcmp(reader->key, "name") == 0 &&
             !reader->kineto.timeline->device_name)
        return take_device_name(reader, text, length) == SL_OK;
    else if (innermost(reader) == SCOPE_EVENTS)
        take_no_event(reader);
    return 1;
}

static int on_other(struct reader *reader)
{
    if (innermost(reader) == SCOPE_EVENTS)
        take_no_event(reader);
    return 1;
}

static int on_null(void *user)
{
    return on_other(user);
}

static int on_boolean(void *user, int value)
{
    (void)value;
    return on_other(user);
}

static int on_key(void *user, const unsigned char *key, size_t length)
{
    struct reader *reader = user;
    enum scope scope = innermost(reader);
    reader->field = SL_KINETO_FIELDS;
    if (scope == SCOPE_EVENT || scope == SCOPE_ARGS)
        reader->field = sl_kineto_find_field(key, length, scope == SCOPE_ARGS);
    if (scope == SCOPE_TOP || scope == SCOPE_DEVICE || scope == SCOPE_EVENT) {
        size_t kept = length < sizeof reader->key ? length : 0;
        memcpy(reader->key, key, kept);
        reader->key[kept] = '\0';
    }
    return 1;
}

static int on_start_map(void *user)
{
    struct reader *reader = user;
    switch (innermost(reader)) {
    case SCOPE_EVENTS:
        return enter(reader, SCOPE_EVENT);
    case SCOPE_EVENT:
        return strcmp(reader->key, "args") == 0 ? enter(reader, SCOPE_ARGS) : pass_over(reader);
    case SCOPE_DEVICES:
        return enter(reader, SCOPE_DEVICE);
    case SCOPE_FILE:
        if (reader->passing == 0)
            return enter(reader, SCOPE_TOP);
        return pass_over(reader);
    default:
        return pass_over(reader);
    }
}

static int on_end_map(void *user)
{
    struct reader *reader = user;
    enum scope scope = innermost(reader);
    leave(reader);
    reader->key[0] = '\0';
    return scope != SCOPE_EVENT || sl_kineto_take_event(&reader->kineto) == SL_OK;
}

static int on_start_array(void *user)
{
    struct reader *reader = user;
    enum scope scope = innermost(reader);
    if ((scope == SCOPE_TOP && strcmp(reader->key, "traceEvents") == 0) ||
        (scope == SCOPE_FILE && reader->passing == 0)) { /* a bare array is a trace, too */
        reader->has_events = true;
        return enter(reader, SCOPE_EVENTS);
    }
    if (scope == SCOPE_TOP && strcmp(reader->key, "deviceProperties") == 0)
        return enter(reader, SCOPE_DEVICES);
    if (scope == SCOPE_ARGS &&
        (reader->field == SL_KINETO_GRID || reader->field == SL_KINETO_BLOCK)) {
        reader->three = 0;
        return enter(reader, SCOPE_THREE);
    }
    if (scope == SCOPE_EVENTS)
        take_no_event(reader);
    return pass_over(reader);
}

static int on_end_array(void *user)
{
    return leave(user);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_text,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end_map,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

static void on_mended(void *user, enum sl_json_mend what, struct sl_place place)
{
    struct reader *reader = user;
    enum sl_trace_hazard hazard =
        what == SL_JSON_CONTROL ? SL_HAZARD_BAD_TEXT : SL_HAZARD_BAD_VALUE;
    if (reader->kineto.timeline->hazards[hazard]++ < SL_KINETO_WARNINGS)
        sl_diags_add(reader->kineto.diags, SL_WARNING, sl_hazard_name(hazard), place,
                     what == SL_JSON_CONTROL
                         ? "a raw control character in a text: read as a blank"
                         : "NaN or infinity, which JSON does not have: the value is left out");
}

static enum sl_status finish(struct reader *reader)
{
    struct sl_kineto *kineto = &reader->kineto;
    struct sl_place file = {.file = kineto->stream.path};
    if (!reader->has_events)
        return SL_FAIL_AT(kineto->err, SL_INVALID, file,
                          "JSON, but no trace: it has no array \"traceEvents\"%s",
                          kineto->stream.truncated ? " before the file ends too early" : "");
    if (kineto->stream.truncated) {
        kineto->timeline->hazards[SL_HAZARD_TRUNCATED]++;
        sl_diags_add(kineto->diags, SL_WARNING, sl_hazard_name(SL_HAZARD_TRUNCATED), file,
                     "the file ends in the middle; %llu records before that are kept",
                     (unsigned long long)kineto->timeline->read);
    }
    return sl_kineto_count_orphans(kineto);
}

static enum sl_status read_kineto(const char *path, struct sl_timeline *timeline,
                                  const struct sl_import_progress *progress, struct sl_diags *diags,
                                  struct sl_error *err)
{
    struct reader reader = {.kineto = {.timeline = timeline, .diags = diags, .err = err}};
    struct sl_kineto *kineto = &reader.kineto;
    kineto->stream = (struct sl_json_stream){.path = path,
                                             .callbacks = &callbacks,
                                             .user = &reader,
                                             .mended = on_mended,
                                             .progress = progress};
    kineto->name = malloc(SL_MOST_NAME_BYTES + 1);
    if (!kineto->name)
        return SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", path);
    enum sl_status status = sl_json_stream_read(&kineto->stream, err);
    if (status == SL_OK)
        status = finish(&reader);
    free(kineto->name);
    free(kineto->flows);
    return status;
}

/* JSON text begins with a bracket; which JSON it is shows further on. */
static bool probe(const unsigned char *head, size_t size)
{
    size_t at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && head[at] && strchr(" \t\r\n", head[at]))
        at++;
    return at + 1 < size && (head[at] == '{' || head[at] == '[') && head[at + 1];
}

const struct sl_importer sl_importer_kineto = {
    .name = "kineto",
    .description =
        "PyTorch profiler (Kineto) traces, CUDA and ROCm, from 2021 on: JSON, plain or gzip",
    .example = "trace.json.gz",
    .probe = probe,
    .read = read_kineto,
};
