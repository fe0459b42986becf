/* Any CSV with the times in a column t_ps, t_ns, t_us, t_ms or t_s, which is the only one with such
 * a name; all others are job parameters and hold numbers. */
#include <config.h>

#include "expr.h"
#include "text.h"
#include "trace_format.h"
#include <string.h>

static const char *const time_columns[] = {"t_ps", "t_ns", "t_us", "t_ms", "t_s"};
static const int time_powers[] = {-12, -9, -6, -3, 0};
enum { TIMES = sizeof time_columns / sizeof *time_columns };

static size_t find_time(const char *name)
{
    size_t i = 0;
    while (i < TIMES && strcmp(name, time_columns[i]) != 0)
        i++;
    return i;
}

static enum sl_status take_parameter(struct sl_trace_reader *reader, const char *name,
                                     size_t offset, struct sl_error *err)
{
    const char *why = sl_expr_name_fault(name);
    if (why)
        return sl_trace_fail(reader, offset, err, "column '%.80s': %s", name, why);
    for (uint32_t i = 0; i < reader->parameter_count; i++)
        if (strcmp(reader->parameters[i], name) == 0)
            return sl_trace_fail(reader, offset, err, "column '%s' is named twice", name);
    if (reader->parameter_count == SL_MOST_PARAMETERS)
        return sl_trace_fail(reader, offset, err, "more than %d parameters", SL_MOST_PARAMETERS);
    const char *own = sl_arena_strdup(&reader->texts, name);
    if (!own)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a trace");
    reader->parameters[reader->parameter_count++] = own;
    return SL_OK;
}

static enum sl_status head(struct sl_trace_reader *reader, char *line, struct sl_error *err)
{
    char *cells[SL_MOST_PARAMETERS + 1];
    uint32_t count;
    enum sl_status status = sl_trace_cells(reader, line, cells, 0, &count, err);
    reader->time_column = SL_NONE;
    for (uint32_t i = 0; status == SL_OK && i < count; i++) {
        size_t time = find_time(cells[i]), offset = (size_t)(cells[i] - line);
        if (time == TIMES) {
            status = take_parameter(reader, cells[i], offset, err);
        } else if (reader->time_column != SL_NONE) {
            status = sl_trace_fail(reader, offset, err, "a second column of times, '%s'", cells[i]);
        } else {
            reader->time_column = i;
            reader->time_power = time_powers[time];
        }
    }
    if (status == SL_OK && reader->time_column == SL_NONE)
        status = sl_trace_fail(reader, 0, err,
                               "no column of times: its name says their unit (t_ps, t_ns, t_us, "
                               "t_ms or t_s)");
    return status;
}

static enum sl_status read_row(struct sl_trace_reader *reader, char *line, size_t length,
                               struct sl_error *err)
{
    char *cells[SL_MOST_PARAMETERS + 1];
    uint32_t count, parameter = 0;
    (void)length;
    enum sl_status status =
        sl_trace_cells(reader, line, cells, reader->parameter_count + 1, &count, err);
    for (uint32_t i = 0; status == SL_OK && i < count; i++) {
        size_t offset = (size_t)(cells[i] - line);
        if (i != reader->time_column) {
            status = sl_trace_number(reader, cells[i], offset, reader->parameters[parameter],
                                     &reader->row.parameters[parameter], err);
            parameter++;
        } else if (!sl_parse_instant(cells[i], strlen(cells[i]), reader->time_power,
                                     &reader->row.t)) {
            status = sl_trace_fail(reader, offset, err, "'%.40s' is no time: write a number from 0",
                                   cells[i]);
        }
    }
    return status;
}

const struct sl_trace_format sl_trace_format_csv = {
    .info = {"csv", "CSV with times in a column t_ps, t_ns, t_us, t_ms or t_s",
             "each other column, of numbers", "trace(file=requests.csv)"},
    .head = head,
    .read = read_row,
};
