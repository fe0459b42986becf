/* Reading trace files line by line, whatever their format. */
#include <config.h>

#include "trace_format.h"
#include <stdlib.h>
#include <string.h>

static const struct sl_trace_format *const formats[] = {
#define SL_TRACE_FORMAT(name) &sl_trace_format_##name,
#include "trace_formats.def"
#undef SL_TRACE_FORMAT
};

size_t sl_trace_format_count(void)
{
    return sizeof formats / sizeof *formats;
}

const struct sl_trace_format *sl_trace_format_get(size_t index)
{
    return formats[index];
}

struct sl_arrivals_info sl_trace_format_info(size_t index)
{
    return formats[index]->info;
}

enum sl_status sl_trace_fail(const struct sl_trace_reader *reader, size_t offset,
                             struct sl_error *err, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return SL_FAIL_AT(err, SL_INVALID, sl_linefile_place(&reader->lines, offset), "%s", message);
}

/* The next line that is not blank and, before the header, no comment; NULL at the end. */
static enum sl_status next_line(struct sl_trace_reader *reader, bool comments, char **line,
                                size_t *length, struct sl_error *err)
{
    enum sl_status status;
    do
        status = sl_linefile_next(&reader->lines, line, length, err);
    while (status == SL_OK && *line &&
           ((*line)[strspn(*line, " \t")] == '\0' || (comments && **line == '#')));
    return status;
}

static enum sl_status read_head(struct sl_trace_reader *reader, struct sl_error *err)
{
    const struct sl_trace_format *format = reader->format;
    char *line;
    size_t length;
    if (!format->head) {
        for (uint32_t i = 0; i < format->parameter_count; i++)
            reader->parameters[i] = format->parameters[i];
        reader->parameter_count = format->parameter_count;
        return SL_OK;
    }
    enum sl_status status = next_line(reader, true, &line, &length, err);
    if (status)
        return status;
    return line ? format->head(reader, line, err)
                : sl_trace_fail(reader, 0, err, "no header: this file is empty");
}

enum sl_status sl_trace_open(struct sl_trace_reader *reader, const char *path,
                             const struct sl_trace_format *format, struct sl_error *err)
{
    *reader = (struct sl_trace_reader){.format = format};
    enum sl_status status = sl_linefile_open(&reader->lines, path, err);
    if (status)
        return status;
    status = read_head(reader, err);
    if (status)
        sl_trace_close(reader);
    return status;
}

enum sl_status sl_trace_next(struct sl_trace_reader *reader, bool *more, struct sl_error *err)
{
    char *line;
    size_t length;
    enum sl_status status = next_line(reader, false, &line, &length, err);
    *more = status == SL_OK && line;
    reader->row.block_count = 0;
    return *more ? reader->format->read(reader, line, length, err) : status;
}

void sl_trace_close(struct sl_trace_reader *reader)
{
    sl_linefile_close(&reader->lines);
    sl_arena_free(&reader->texts);
    free(reader->row.blocks);
}

/* ---- cells --------------------------------------------------------------------------------------
 */

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *trim(char *text, char *end)
{
    while (text < end && blank(*text))
        text++;
    while (end > text && blank(end[-1]))
        end--;
    if (end - text >= 2 && *text == '"' && end[-1] == '"') {
        text++;
        end--;
    }
    *end = '\0';
    return text;
}

enum sl_status sl_trace_cells(const struct sl_trace_reader *reader, char *line, char **cells,
                              uint32_t wanted, uint32_t *count, struct sl_error *err)
{
    uint32_t most = wanted ? wanted : SL_MOST_PARAMETERS + 1;
    char *cell = line;
    *count = 0;
    for (bool last = false; !last;) {
        char *end = cell + strcspn(cell, ",");
        last = *end == '\0';
        if (*count == most)
            return sl_trace_fail(
                reader, (size_t)(cell - line), err,
                wanted ? "more cells than the %u of the header" : "more than %u columns", most);
        *end = '\0';
        cells[(*count)++] = trim(cell, end);
        cell = end + 1;
    }
    return *count == wanted || wanted == 0
               ? SL_OK
               : sl_trace_fail(reader, (size_t)(cell - 1 - line), err,
                               "%u cells, and %u are needed: the line is incomplete", *count,
                               wanted);
}

enum sl_status sl_trace_number(const struct sl_trace_reader *reader, const char *text,
                               size_t offset, const char *what, double *value, struct sl_error *err)
{
    size_t digits = strspn(text, "0123456789");
    char why[SL_WHY_SIZE];
    if (digits > 0 && digits <= 15 && !text[digits]) { /* nearly all are; exact in a double */
        int64_t sum = 0;
        for (size_t i = 0; i < digits; i++)
            sum = sum * 10 + (text[i] - '0');
        *value = (double)sum;
        return SL_OK;
    }
    return sl_parse_number(text, value, why)
               ? SL_OK
               : sl_trace_fail(reader, offset, err, "%s: %s", what, why);
}
