/* Numbers and texts of machine-readable files. */
#include "figures.h"
#include "csvtab.h"
#include "fields.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sl_figure(char buffer[SL_FIGURE_SIZE], double value)
{
    if (isnan(value))
        return strcpy(buffer, "");
    if (isinf(value))
        return strcpy(buffer, value > 0 ? "inf" : "-inf");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, SL_FIGURE_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

const char *sl_figure_us(char buffer[SL_FIGURE_SIZE], int64_t ps)
{
    if (ps == INT64_MAX)
        return strcpy(buffer, "inf");
    uint64_t magnitude = ps < 0 ? 0 - (uint64_t)ps : (uint64_t)ps;
    int length = snprintf(buffer, SL_FIGURE_SIZE, "%s%" PRIu64 ".%06" PRIu64, ps < 0 ? "-" : "",
                          magnitude / (uint64_t)SL_PS_PER_US, magnitude % (uint64_t)SL_PS_PER_US);
    while (buffer[length - 1] == '0')
        buffer[--length] = '\0';
    if (buffer[length - 1] == '.')
        buffer[--length] = '\0';
    return buffer;
}

void sl_put_number(FILE *out, double value)
{
    char buffer[SL_FIGURE_SIZE];
    fprintf(out, ",%s", sl_figure(buffer, value));
}

void sl_put_interval(FILE *out, struct sl_estimate estimate)
{
    sl_put_number(out, estimate.lo);
    sl_put_number(out, estimate.hi);
}

void sl_put_estimate(FILE *out, struct sl_estimate estimate)
{
    sl_put_number(out, estimate.value);
    sl_put_interval(out, estimate);
}

void sl_put_us(FILE *out, int64_t ps)
{
    char buffer[SL_FIGURE_SIZE];
    fprintf(out, ",%s", sl_figure_us(buffer, ps));
}

void sl_put_integer(FILE *out, int64_t value)
{
    fprintf(out, ",%" PRId64, value);
}

void sl_put_text(FILE *out, const char *text)
{
    putc(',', out);
    if (text && *text)
        sl_csv_put(out, text);
}

void sl_put_column(FILE *out, const char *prefix, const char *name, const char *unit)
{
    char column[SL_NAME_MAX + 64]; /* the name may hold what a CSV field must quote */
    snprintf(column, sizeof column, "%s_%s_%s", prefix, name, unit);
    sl_put_text(out, column);
}
