/* Records as YAML, through libyaml's emitter. */
#include "config.h"

#include "figures.h"
#include "outfile.h"
#include "record_shape.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#define INDENT     2
#define FLOW_WIDTH 70 /* shorter lists of texts stay on their key's line */

struct writer {
    yaml_emitter_t emitter;
    FILE *out;
    bool failed;
};

static void emit(struct writer *w, yaml_event_t *event, int made)
{
    if (!made || (!w->failed && !yaml_emitter_emit(&w->emitter, event)))
        w->failed = true;
    else if (w->failed)
        yaml_event_delete(event);
}

static void put_scalar(struct writer *w, const char *text, yaml_scalar_style_t style)
{
    yaml_event_t event;
    emit(w, &event,
         yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
                                      (int)strlen(text), 1, 1, style));
}

/* What readers without our tables would take for something else than a text. */
static bool is_ambiguous(const char *text)
{
    static const char *const words[] = {"",    "~", "null", "true", "false", "yes",  "no", "on",
                                        "off", "y", "n",    ".inf", "-.inf", ".nan", "="};
    char *end;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    (void)strtod(text, &end);
    return *end == '\0' || (*text >= '0' && *text <= '9');
}

static void put_text(struct writer *w, const char *text)
{
    yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;
    if (strchr(text, '\n'))
        style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    else if (is_ambiguous(text))
        style = YAML_SINGLE_QUOTED_SCALAR_STYLE;
    put_scalar(w, text, style);
}

static void put_number(struct writer *w, double value)
{
    char text[SL_FIGURE_SIZE];
    if (isinf(value))
        snprintf(text, sizeof text, "%s", value > 0 ? ".inf" : "-.inf");
    else
        sl_figure(text, value);
    put_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

static void put_count(struct writer *w, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

static void open_map(struct writer *w, yaml_mapping_style_t style)
{
    yaml_event_t event;
    emit(w, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, style));
}

static void close_map(struct writer *w)
{
    yaml_event_t event;
    emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

static void open_list(struct writer *w, yaml_sequence_style_t style)
{
    yaml_event_t event;
    emit(w, &event, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style));
}

static void close_list(struct writer *w)
{
    yaml_event_t event;
    emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

static void put_estimate(struct writer *w, const struct sl_estimate *estimate)
{
    open_map(w, YAML_FLOW_MAPPING_STYLE);
    put_text(w, "value");
    put_number(w, estimate->value);
    if (!isnan(estimate->lo)) {
        put_text(w, "lo");
        put_number(w, estimate->lo);
    }
    if (!isnan(estimate->hi)) {
        put_text(w, "hi");
        put_number(w, estimate->hi);
    }
    close_map(w);
}

static void put_texts(struct writer *w, const struct sl_record_texts *texts)
{
    size_t length = 0;
    for (uint32_t i = 0; i < texts->count; i++)
        length += strlen(texts->items[i]) + 2;
    open_list(w, length < FLOW_WIDTH ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    for (uint32_t i = 0; i < texts->count; i++)
        put_text(w, texts->items[i]);
    close_list(w);
}

static void put_map(struct writer *w, const void *item, const struct sl_shape *shape);

static void put_items(struct writer *w, const void *list, const struct sl_shape *shape)
{
    struct sl_record_list view = sl_record_list_get(list);
    open_list(w, view.count == 0 ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    for (uint32_t i = 0; i < view.count; i++)
        put_map(w, sl_record_item(&view, shape, i), shape);
    close_list(w);
}

static void put_field(struct writer *w, const struct sl_field *field, const void *at)
{
    int word;
    switch (field->type) {
    case SL_FIELD_TEXT: {
        const char *text = *(const char *const *)at;
        put_text(w, text ? text : "");
        break;
    }
    case SL_FIELD_TEXTS:
        put_texts(w, at);
        break;
    case SL_FIELD_COUNT:
        put_count(w, *(const uint64_t *)at);
        break;
    case SL_FIELD_NUMBER:
        put_number(w, *(const double *)at);
        break;
    case SL_FIELD_FLAG:
        put_scalar(w, *(const bool *)at ? "true" : "false", YAML_PLAIN_SCALAR_STYLE);
        break;
    case SL_FIELD_WORD:
        memcpy(&word, at, sizeof word);
        put_scalar(w, field->words[word], YAML_ANY_SCALAR_STYLE);
        break;
    case SL_FIELD_ESTIMATE:
        put_estimate(w, at);
        break;
    case SL_FIELD_MAP:
        put_map(w, at, field->shape);
        break;
    case SL_FIELD_LIST:
        put_items(w, at, field->shape);
        break;
    }
}

static void put_map(struct writer *w, const void *item, const struct sl_shape *shape)
{
    open_map(w, YAML_BLOCK_MAPPING_STYLE);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct sl_field *field = &shape->fields[i];
        if (sl_field_is_absent(field, item))
            continue;
        put_text(w, field->key);
        put_field(w, field, (const char *)item + field->offset);
    }
    close_map(w);
}

static int write_bytes(void *data, unsigned char *buffer, size_t size)
{
    const struct writer *w = data;
    return fwrite(buffer, 1, size, w->out) == size;
}

static void put_document(struct writer *w, const struct sl_record *record)
{
    yaml_event_t event;
    emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    put_map(w, record, &sl_record_shape);
    emit(w, &event, yaml_document_end_event_initialize(&event, 1));
    emit(w, &event, yaml_stream_end_event_initialize(&event));
}

enum sl_status sl_record_print(const struct sl_record *record, FILE *out, struct sl_error *err)
{
    struct writer w = {.out = out};
    if (!yaml_emitter_initialize(&w.emitter))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    yaml_emitter_set_output(&w.emitter, write_bytes, &w);
    yaml_emitter_set_unicode(&w.emitter, 1);
    yaml_emitter_set_width(&w.emitter, -1);
    yaml_emitter_set_indent(&w.emitter, INDENT);
    put_document(&w, record);
    enum sl_status status = SL_OK;
    if (w.failed)
        status = SL_FAIL(err, SL_SYSTEM, "the record cannot be written: %s",
                         w.emitter.problem ? w.emitter.problem : "out of memory");
    yaml_emitter_delete(&w.emitter);
    return status;
}

enum sl_status sl_record_write(struct sl_record *record, const char *path, struct sl_error *err)
{
    struct sl_outfile file;
    if (!sl_record_note_places(record, path) || record->arena.starved)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_outfile_open(&file, path, err);
    if (status != SL_OK)
        return status;
    fputs("# A schedule decision record of slackline; its keys are described in "
          "doc/decision-record.md.\n",
          file.stream);
    status = sl_record_print(record, file.stream, err);
    bool lost = ferror(file.stream) != 0;
    if (lost && err)
        *err = (struct sl_error){0}; /* the commit says which file it was, and why */
    if (status == SL_OK || lost)
        return sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return status;
}
