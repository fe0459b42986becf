/* The CSV of the Azure LLM inference traces: TIMESTAMP,ContextTokens,GeneratedTokens, of which the
 * first is YYYY-MM-DD HH:MM:SS.FRACTION, UTC ("Z" or "+00:00" may say so). */
#include <config.h>

#include "trace_format.h"
#include <string.h>

static const char *const columns[] = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static enum sl_status head(struct sl_trace_reader *reader, char *line, struct sl_error *err)
{
    char *cells[SL_MOST_PARAMETERS + 1];
    uint32_t count;
    enum sl_status status = sl_trace_cells(reader, line, cells, 0, &count, err);
    if (status)
        return status;
    bool same = count == COLUMNS;
    for (uint32_t i = 0; same && i < COLUMNS; i++)
        same = strcmp(cells[i], columns[i]) == 0;
    if (!same)
        return sl_trace_fail(reader, 0, err,
                             "a trace of format azure begins with "
                             "TIMESTAMP,ContextTokens,GeneratedTokens (any other CSV: format=csv)");
    reader->parameters[0] = "context_tokens";
    reader->parameters[1] = "generated_tokens";
    reader->parameter_count = 2;
    return SL_OK;
}

/* Digits within `most` characters up to `end`, as a number of at most that many; -1: none. */
static int field(const char **text, size_t digits, char end)
{
    int value = 0;
    for (size_t i = 0; i < digits; i++, ++*text) {
        if (**text < '0' || **text > '9')
            return -1;
        value = value * 10 + (**text - '0');
    }
    if (end && *(*text)++ != end)
        return -1;
    return value;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar; years begin in March, so that a leap
 * day is a year's last, and month m of such a year begins after (153 m + 2) / 5 days. */
static int64_t days_since_1970(int year, int month, int day)
{
    int64_t y = year - (month <= 2), m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static int month_days(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool parse_timestamp(const char *text, struct sl_instant *t)
{
    int year = field(&text, 4, '-'), month = year < 0 ? -1 : field(&text, 2, '-');
    int day = month < 0 ? -1 : field(&text, 2, 0);
    if (day < 1 || month < 1 || month > 12 || day > month_days(year, month) ||
        (*text != ' ' && *text != 'T'))
        return false;
    text++;
    int hour = field(&text, 2, ':'), minute = hour < 0 ? -1 : field(&text, 2, ':');
    if (minute < 0 || hour > 23 || minute > 59)
        return false;
    size_t length = strspn(text, "0123456789.");
    const char *zone = text + length;
    if ((*zone && strcmp(zone, "Z") != 0 && strcmp(zone, "+00:00") != 0) ||
        strspn(text, "0123456789") != 2 || !sl_parse_instant(text, length, 0, t) || t->s > 60)
        return false;
    t->s += days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60;
    return true;
}

static enum sl_status read_row(struct sl_trace_reader *reader, char *line, size_t length,
                               struct sl_error *err)
{
    char *cells[COLUMNS];
    uint32_t count;
    (void)length;
    enum sl_status status = sl_trace_cells(reader, line, cells, COLUMNS, &count, err);
    if (status == SL_OK && !parse_timestamp(cells[0], &reader->row.t))
        status = sl_trace_fail(reader, (size_t)(cells[0] - line), err,
                               "'%.40s' is no time such as 2023-11-16 18:15:46.6805900", cells[0]);
    for (uint32_t i = 1; i < COLUMNS && status == SL_OK; i++)
        status = sl_trace_number(reader, cells[i], (size_t)(cells[i] - line), columns[i],
                                 &reader->row.parameters[i - 1], err);
    return status;
}

const struct sl_trace_format sl_trace_format_azure = {
    .info = {"azure", "CSV of the Azure LLM inference traces",
             "context_tokens, generated_tokens of each job", "trace(file=azure.csv, format=azure)"},
    .head = head,
    .read = read_row,
};
