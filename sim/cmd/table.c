/* Tables for people. */
#include "table.h"
#include "kept.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct sl_table sl_table_make(struct sl_arena *arena, const char *alignments)
{
    struct sl_table table = {.arena = arena};
    for (; alignments[table.columns] && table.columns < SL_TABLE_COLUMNS; table.columns++)
        table.left[table.columns] = alignments[table.columns] == 'l';
    return table;
}

void sl_table_add(struct sl_table *table, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *copy = sl_arena_strdup(table->arena, text);
    if (!copy || !sl_grow((void **)&table->cells, &table->capacity, table->count + 1,
                          sizeof *table->cells)) {
        table->failed = true;
        return;
    }
    table->cells[table->count++] = copy;
}

static void print_row(const struct sl_table *table, uint32_t row, const int *widths, FILE *out)
{
    const char **cells = &table->cells[(size_t)row * table->columns];
    uint32_t last = table->columns;
    while (last > 0 && !*cells[last - 1])
        last--; /* no blanks at the end of a line */
    for (uint32_t c = 0; c < last; c++) {
        const char *gap = c > 0 ? "  " : "";
        if (table->left[c])
            fprintf(out, "%s%-*s", gap, c + 1 < last ? widths[c] : 0, cells[c]);
        else
            fprintf(out, "%s%*s", gap, widths[c], cells[c]);
    }
    putc('\n', out);
}

void sl_table_print(const struct sl_table *table, FILE *out)
{
    int widths[SL_TABLE_COLUMNS] = {0};
    if (table->failed) {
        fputs("(out of memory)\n", out);
        sl_report_lost();
        return;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        int width = (int)strlen(table->cells[i]);
        int *column = &widths[i % table->columns];
        *column = width > *column ? width : *column;
    }
    for (uint32_t row = 0; row < table->count / table->columns; row++)
        print_row(table, row, widths, out);
}

void sl_table_free(struct sl_table *table)
{
    free(table->cells);
    table->cells = NULL;
}

const char *sl_grouped(struct sl_arena *arena, uint64_t value)
{
    char text[32];
    const char *copy = sl_arena_strdup(arena, sl_format_count(text, sizeof text, value));
    return sl_kept(copy);
}

const char *sl_number_text(struct sl_arena *arena, double value, const char *format)
{
    const char *text = isnan(value) ? "-" : sl_arena_printf(arena, format, value);
    return sl_kept(text);
}

void sl_table_add_interval(struct sl_table *table, struct sl_estimate estimate, double scale,
                           const char *format)
{
    if (isnan(estimate.lo) || isnan(estimate.hi))
        sl_table_add(table, "%s", "");
    else
        sl_table_add(table, "[%s, %s]", sl_number_text(table->arena, scale * estimate.lo, format),
                     sl_number_text(table->arena, scale * estimate.hi, format));
}

const char *sl_time_text(struct sl_arena *arena, double us)
{
    char buffer[48];
    const char *copy =
        sl_arena_strdup(arena, sl_format_time(buffer, sizeof buffer, us * (double)SL_PS_PER_US));
    return sl_kept(copy);
}

const char *sl_estimate_text(struct sl_arena *arena, double us)
{
    char buffer[48];
    const char *copy = sl_arena_strdup(
        arena, sl_format_estimate(buffer, sizeof buffer, us * (double)SL_PS_PER_US));
    return sl_kept(copy);
}

const char *sl_bytes_text(struct sl_arena *arena, double bytes)
{
    char buffer[48];
    const char *copy = sl_arena_strdup(arena, sl_format_bytes(buffer, sizeof buffer, bytes));
    return sl_kept(copy);
}
