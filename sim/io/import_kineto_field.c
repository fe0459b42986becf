/* The fields of a Kineto event: which keys they are, and what their values say, exactly. */
#include <config.h>

#include "infile.h"
#include "kineto.h"
#include "units.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* TIME is microseconds with decimals, EITHER an integer or a text. */
enum form { FORM_TEXT, FORM_INTEGER, FORM_EITHER, FORM_TIME, FORM_THREE };

static const struct {
    const char *key;
    enum form form;
} fields[SL_KINETO_FIELDS] = {
    [SL_KINETO_PH] = {"ph", FORM_TEXT},
    [SL_KINETO_CAT] = {"cat", FORM_TEXT},
    [SL_KINETO_NAME] = {"name", FORM_TEXT},
    [SL_KINETO_PID] = {"pid", FORM_EITHER},
    [SL_KINETO_TID] = {"tid", FORM_EITHER},
    [SL_KINETO_TS] = {"ts", FORM_TIME},
    [SL_KINETO_DUR] = {"dur", FORM_TIME},
    [SL_KINETO_ID] = {"id", FORM_EITHER},
    [SL_KINETO_CORRELATION] = {"correlation", FORM_INTEGER},
    [SL_KINETO_DEVICE] = {"device", FORM_INTEGER},
    [SL_KINETO_STREAM] = {"stream", FORM_EITHER},
    [SL_KINETO_BYTES] = {"bytes", FORM_INTEGER},
    [SL_KINETO_REGISTERS] = {"registers per thread", FORM_INTEGER},
    [SL_KINETO_SHARED] = {"shared memory", FORM_INTEGER},
    [SL_KINETO_GRID] = {"grid", FORM_THREE},
    [SL_KINETO_BLOCK] = {"block", FORM_THREE},
    [SL_KINETO_GRAPH_NODE] = {"graph node id", FORM_INTEGER},
    [SL_KINETO_SYNC_KIND] = {"cuda_sync_kind", FORM_TEXT},
    [SL_KINETO_WAIT_STREAM] = {"wait_on_stream", FORM_INTEGER},
    [SL_KINETO_WAIT_RECORD] = {"wait_on_cuda_event_record_corr_id", FORM_INTEGER},
    [SL_KINETO_DEVICE_TYPE] = {"Device Type", FORM_INTEGER},
    [SL_KINETO_DEVICE_ID] = {"Device Id", FORM_INTEGER},
    [SL_KINETO_ADDRESS] = {"Addr", FORM_INTEGER},
    [SL_KINETO_MEMORY_BYTES] = {"Bytes", FORM_INTEGER},
    [SL_KINETO_ALLOCATED] = {"Total Allocated", FORM_INTEGER},
    [SL_KINETO_RESERVED] = {"Total Reserved", FORM_INTEGER},
};

enum sl_kineto_field sl_kineto_find_field(const unsigned char *key, size_t length, bool in_args)
{
    int from = in_args ? SL_KINETO_FIRST_ARG : 0;
    int to = in_args ? SL_KINETO_FIELDS : SL_KINETO_FIRST_ARG;
    for (int i = from; i < to; i++)
        if (fields[i].key[0] == (length > 0 ? key[0] : 0) && strlen(fields[i].key) == length &&
            memcmp(fields[i].key, key, length) == 0)
            return (enum sl_kineto_field)i;
    return SL_KINETO_FIELDS;
}

/* Microseconds with decimals, in ns; a double would lose them on an absolute clock. */
static bool parse_time(struct sl_kineto *kineto, const char *text, size_t length,
                       struct sl_kineto_value *value)
{
    bool negative = length > 0 && *text == '-';
    struct sl_instant instant;
    if (!sl_parse_instant(text + negative, length - negative, -6, &instant) ||
        instant.s > INT64_MAX / 1000000000 - 1)
        return false;
    kineto->rounded |= instant.ps % 1000 != 0;
    int64_t ns = instant.s * 1000000000 + instant.ps / 1000;
    int32_t ps = (int32_t)(instant.ps % 1000);
    if (negative) {
        ns = -ns;
        ps = -ps;
    }
    int32_t nearest = ps >= 500 ? 1 : ps < -500 ? -1 : 0;
    value->number = ns + nearest;
    value->beyond_ps = ps - nearest * 1000;
    return true;
}

static bool parse_integer(const char *text, size_t length, int64_t *number)
{
    char digits[32], *end;
    if (length == 0 || length >= sizeof digits || isspace((unsigned char)*text))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    errno = 0;
    *number = strtoll(digits, &end, 10);
    return errno == 0 && *end == '\0';
}

static void warn_of_value(struct sl_kineto *kineto, enum sl_kineto_field field, const char *text,
                          size_t length)
{
    sl_kineto_warn(kineto, SL_HAZARD_BAD_VALUE, "\"%s\" is '%.*s%s': the value is left out",
                   fields[field].key, length < 40 ? (int)length : 40, text,
                   length < 40 ? "" : "...");
}

/* The field to fill: of a key that is there twice the last value counts, as everywhere. */
static struct sl_kineto_value *value_of(struct sl_kineto *kineto, enum sl_kineto_field field)
{
    struct sl_kineto_value *value = &kineto->fields[field];
    if (value->type != SL_KINETO_ABSENT)
        sl_kineto_warn(kineto, SL_HAZARD_BAD_VALUE, "\"%s\" is there twice: the last one counts",
                       fields[field].key);
    return value;
}

static void take_three(struct sl_kineto *kineto, enum sl_kineto_field field, int three,
                       const char *text, size_t length)
{
    struct sl_kineto_value *value = &kineto->fields[field];
    int64_t number;
    if (three >= 3 || !parse_integer(text, length, &number) || number < 0 || number > UINT32_MAX) {
        warn_of_value(kineto, field, text, length);
        return;
    }
    if (three == 0)
        memset(value->three, 0, sizeof value->three);
    value->type = SL_KINETO_INTEGER;
    value->three[three] = (uint32_t)number;
}

void sl_kineto_take_number(struct sl_kineto *kineto, enum sl_kineto_field field, int three,
                           const char *text, size_t length)
{
    if (three >= 0) {
        take_three(kineto, field, three, text, length);
        return;
    }
    struct sl_kineto_value *value = value_of(kineto, field);
    bool good = fields[field].form == FORM_TIME ? parse_time(kineto, text, length, value)
                : fields[field].form == FORM_INTEGER || fields[field].form == FORM_EITHER
                    ? parse_integer(text, length, &value->number)
                    : false;
    value->type = good ? SL_KINETO_INTEGER : SL_KINETO_WRONG;
    if (!good)
        warn_of_value(kineto, field, text, length);
}

/* Copies what fits, without half a character at the end; NUL would end the name too early. */
static void copy_text(struct sl_kineto *kineto, char *into, size_t room, const unsigned char *text,
                      size_t length)
{
    size_t kept = length < room ? length : room - 1;
    memcpy(into, text, kept);
    into[kept] = '\0';
    size_t at = 0;
    bool mended = kept < length;
    while ((at += sl_utf8_fault(into + at, kept - at)) < kept) {
        into[at] = '?';
        mended = true;
    }
    for (size_t i = 0; i < kept; i++)
        if ((unsigned char)into[i] < 0x20 || into[i] == 0x7F) {
            into[i] = ' ';
            mended = true;
        }
    kineto->mended_text |= mended;
}

void sl_kineto_take_text(struct sl_kineto *kineto, enum sl_kineto_field field,
                         const unsigned char *text, size_t length)
{
    struct sl_kineto_value *value = value_of(kineto, field);
    const char *chars = (const char *)text;
    enum form form = fields[field].form;
    value->type = SL_KINETO_INTEGER; /* written in quotes, as pid and tid often are */
    if (form == FORM_TIME && parse_time(kineto, chars, length, value))
        return;
    if ((form == FORM_INTEGER || form == FORM_EITHER) &&
        parse_integer(chars, length, &value->number))
        return;
    value->type = form == FORM_TEXT || form == FORM_EITHER ? SL_KINETO_TEXT : SL_KINETO_WRONG;
    bool counted = length == 1 && *chars == *SL_JSON_NOT_A_NUMBER; /* when it was mended */
    if (value->type == SL_KINETO_TEXT && field == SL_KINETO_NAME)
        copy_text(kineto, kineto->name, SL_MOST_NAME_BYTES + 1, text, length);
    else if (value->type == SL_KINETO_TEXT)
        copy_text(kineto, value->text, sizeof value->text, text, length);
    else if (!counted)
        warn_of_value(kineto, field, chars, length);
}
