/* A CSV file of a results folder, read back through libcsv. */
#include "config.h"

#include "frame.h"
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 4096

struct reader {
    struct sl_frame *frame;
    const char *const *wanted;
    uint32_t wanted_count;
    uint32_t *slot; /* column of the file -> column of the frame, SL_NONE: not wanted */
    uint32_t file_columns, slot_capacity;
    uint32_t field; /* of the current line */
    uint32_t line;
    bool in_header;
    const char *fault; /* the first one */
    bool starved;      /* it is that memory ran out */
};

static void fail(struct reader *reader, const char *fault)
{
    if (!reader->fault)
        reader->fault = fault;
}

static void fail_memory(struct reader *reader)
{
    reader->starved |= !reader->fault;
    fail(reader, "out of memory");
}

static void fail_parser(struct reader *reader, struct csv_parser *parser)
{
    if (csv_error(parser) == CSV_ENOMEM)
        fail_memory(reader);
    else
        fail(reader, csv_strerror(csv_error(parser)));
}

static uint32_t wanted_slot(const struct reader *reader, const char *name)
{
    if (!reader->wanted)
        return reader->frame->column_count;
    for (uint32_t i = 0; i < reader->wanted_count; i++)
        if (strcmp(reader->wanted[i], name) == 0)
            return i;
    return SL_NONE;
}

static void take_header(struct reader *reader, const char *name)
{
    struct sl_frame *frame = reader->frame;
    if (reader->field >= MAX_COLUMNS) {
        fail(reader, "too many columns");
        return;
    }
    if (!sl_grow((void **)&reader->slot, &reader->slot_capacity, reader->field + 1,
                 sizeof *reader->slot)) {
        fail_memory(reader);
        return;
    }
    uint32_t slot = wanted_slot(reader, name);
    reader->slot[reader->field] = slot;
    if (slot == SL_NONE)
        return;
    if (frame->columns[slot])
        fail(reader, "a column appears twice");
    frame->columns[slot] = sl_arena_strdup(&frame->arena, name);
    if (!frame->columns[slot])
        fail_memory(reader);
    if (!reader->wanted)
        frame->column_count++;
}

static void take_field(void *bytes, size_t size, void *user)
{
    struct reader *reader = user;
    const char *text = bytes ? bytes : "";
    if (reader->fault)
        return;
    if (memchr(text, '\0', size))
        fail(reader, "a NUL byte");
    else if (reader->in_header)
        take_header(reader, text);
    else if (reader->field >= reader->file_columns)
        fail(reader, "more fields than columns");
    else if (reader->slot[reader->field] != SL_NONE) {
        struct sl_frame *frame = reader->frame;
        size_t at = (size_t)frame->row_count * frame->column_count + reader->slot[reader->field];
        frame->cells[at] = size ? sl_arena_strdup(&frame->arena, text) : "";
        if (!frame->cells[at])
            fail_memory(reader);
    }
    reader->field++;
}

/* Makes room for one more row behind the present ones. */
static void reserve_row(struct reader *reader)
{
    struct sl_frame *frame = reader->frame;
    uint64_t need = ((uint64_t)frame->row_count + 1) * frame->column_count;
    if (need > UINT32_MAX || !sl_grow((void **)&frame->cells, &frame->cell_capacity, (uint32_t)need,
                                      sizeof *frame->cells))
        fail_memory(reader);
}

static void finish_header(struct reader *reader)
{
    struct sl_frame *frame = reader->frame;
    reader->in_header = false;
    reader->file_columns = reader->field;
    if (reader->wanted)
        frame->column_count = reader->wanted_count;
    for (uint32_t i = 0; i < frame->column_count; i++)
        if (!frame->columns[i])
            fail(reader, "a column is missing");
    if (frame->column_count == 0)
        fail(reader, "no columns");
}

static void take_line(int end, void *user)
{
    struct reader *reader = user;
    (void)end;
    if (reader->fault)
        return;
    if (reader->in_header)
        finish_header(reader);
    else if (reader->field != reader->file_columns)
        fail(reader, "fewer fields than columns");
    else
        reader->frame->row_count++;
    reader->field = 0;
    if (!reader->fault) {
        reserve_row(reader);
        reader->line++;
    }
}

static bool reader_open(struct reader *reader, struct csv_parser *parser)
{
    reader->in_header = true;
    reader->line = 1;
    reader->frame->columns =
        sl_arena_array(&reader->frame->arena, MAX_COLUMNS + 1, sizeof *reader->frame->columns);
    return reader->frame->columns &&
           csv_init(parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) == 0;
}

static enum sl_status reader_close(struct reader *reader, struct csv_parser *parser,
                                   const char *name, struct sl_error *err)
{
    if (!reader->fault && csv_fini(parser, take_field, take_line, reader) != 0)
        fail(reader, "unbalanced quotes");
    if (!reader->fault && reader->in_header)
        fail(reader, "the file is empty");
    csv_free(parser);
    free(reader->slot);
    if (!reader->fault)
        return SL_OK;
    if (reader->starved)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_place place = {name, (int)reader->line, 1};
    return SL_FAIL_AT(err, SL_INVALID, place, "not a table of a results folder: %s", reader->fault);
}

enum sl_status sl_frame_parse(struct sl_frame *frame, const char *text, size_t size,
                              struct sl_error *err)
{
    *frame = (struct sl_frame){0};
    struct reader reader = {.frame = frame};
    struct csv_parser parser;
    if (!reader_open(&reader, &parser))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (csv_parse(&parser, text, size, take_field, take_line, &reader) != size)
        fail_parser(&reader, &parser);
    return reader_close(&reader, &parser, NULL, err);
}

enum sl_status sl_frame_read(struct sl_frame *frame, const char *path, const char *const *wanted,
                             uint32_t wanted_count, struct sl_error *err)
{
    *frame = (struct sl_frame){0};
    FILE *in = fopen(path, "rb");
    if (!in)
        return SL_FAIL(err, errno == ENOENT ? SL_INVALID : SL_SYSTEM, "%s: %s", path,
                       strerror(errno));
    struct reader reader = {.frame = frame, .wanted = wanted, .wanted_count = wanted_count};
    struct csv_parser parser;
    enum sl_status status = SL_OK;
    if (wanted_count > MAX_COLUMNS || !reader_open(&reader, &parser)) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    } else {
        char buffer[1 << 16];
        size_t size;
        while (!reader.fault && (size = fread(buffer, 1, sizeof buffer, in)) > 0)
            if (csv_parse(&parser, buffer, size, take_field, take_line, &reader) != size)
                fail_parser(&reader, &parser);
        bool broken = ferror(in);
        status = reader_close(&reader, &parser, sl_arena_strdup(&frame->arena, path), err);
        if (status == SL_OK && broken)
            status = SL_FAIL(err, SL_SYSTEM, "%s: read error", path);
    }
    fclose(in);
    return status;
}

void sl_frame_free(struct sl_frame *frame)
{
    free(frame->cells);
    sl_arena_free(&frame->arena);
    *frame = (struct sl_frame){0};
}

uint32_t sl_frame_column(const struct sl_frame *frame, const char *name)
{
    for (uint32_t i = 0; i < frame->column_count; i++)
        if (strcmp(frame->columns[i], name) == 0)
            return i;
    return SL_NONE;
}

const char *sl_frame_text(const struct sl_frame *frame, uint32_t row, uint32_t column)
{
    return column == SL_NONE ? "" : frame->cells[(size_t)row * frame->column_count + column];
}

double sl_frame_number(const struct sl_frame *frame, uint32_t row, uint32_t column)
{
    const char *text = sl_frame_text(frame, row, column);
    char *end = NULL;
    double value = strtod(text, &end);
    return end == text || *end ? NAN : value;
}

const char *sl_frame_text_of(const struct sl_frame *frame, uint32_t row, const char *column)
{
    return sl_frame_text(frame, row, sl_frame_column(frame, column));
}

double sl_frame_number_of(const struct sl_frame *frame, uint32_t row, const char *column)
{
    return sl_frame_number(frame, row, sl_frame_column(frame, column));
}
