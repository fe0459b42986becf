/* Tables of a model in memory: rows that name their columns, and the CSV text that they make. */
#include <config.h>

#include "csvtab.h"
#include "embed_parts.h"
#include "memout.h"
#include <stdlib.h>
#include <string.h>

/* Index of the column, also of one that is new; SL_NONE: *err says why. */
static uint32_t find_column(struct sl_row_table *table, const char *name, uint32_t row_first,
                            struct sl_error *err)
{
    uint32_t column = sl_names_add(&table->columns, name);
    if (column == SL_NONE) {
        (void)!SL_FAIL(err, SL_SYSTEM, "out of memory");
        return SL_NONE;
    }
    for (uint32_t i = row_first; i < table->cell_count; i++) {
        if (table->cells[i].column != column)
            continue;
        (void)!SL_FAIL(err, SL_USAGE, "a row names the column '%s' twice", name);
        return SL_NONE;
    }
    return column;
}

static enum sl_status add_cell(struct sl_row_table *table, const char *name, const char *text,
                               uint32_t row_first, struct sl_arena *arena, struct sl_error *err)
{
    if (!text)
        return SL_FAIL(err, SL_USAGE, "a row names the column '%s' without a value", name);
    if (strpbrk(name, "\r\n") || strpbrk(text, "\r\n"))
        return SL_FAIL(err, SL_USAGE, "a cell of the column '%s' holds a line end", name);
    uint32_t column = find_column(table, name, row_first, err);
    if (column == SL_NONE)
        return err->status;
    const char *copy = sl_arena_strdup(arena, text);
    if (!copy || !sl_grow((void **)&table->cells, &table->cell_capacity, table->cell_count + 1,
                          sizeof *table->cells))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    table->cells[table->cell_count++] = (struct sl_row_cell){column, copy};
    return SL_OK;
}

enum sl_status sl_row_table_add(struct sl_row_table *table, const char *const *cells,
                                struct sl_arena *arena, struct sl_error *err)
{
    uint32_t first = table->cell_count;
    enum sl_status status = SL_OK;
    bool blank = true; /* the reader of a table skips blank lines, and this would be one */
    for (size_t i = 0; status == SL_OK && cells[i]; i += 2) {
        status = add_cell(table, cells[i], cells[i + 1], first, arena, err);
        blank &= status != SL_OK || cells[i + 1][strspn(cells[i + 1], " \t")] == '\0';
    }
    if (status == SL_OK && blank)
        status = SL_FAIL(err, SL_USAGE, "a row has no content");
    if (status == SL_OK && !sl_grow((void **)&table->ends, &table->row_capacity,
                                    table->row_count + 1, sizeof *table->ends))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        table->ends[table->row_count++] = table->cell_count;
    else
        table->cell_count = first;
    return status;
}

static void put_line(FILE *out, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            putc(',', out);
        sl_csv_put(out, texts[i] ? texts[i] : "");
    }
    putc('\n', out);
}

enum sl_status sl_row_table_text(const struct sl_row_table *table, char **text, size_t *size,
                                 struct sl_error *err)
{
    uint32_t width = table->columns.count;
    struct sl_memout out = {0};
    const char **line = calloc((size_t)width + 1, sizeof *line);
    bool open = line && sl_memout_open(&out);
    if (open)
        put_line(out.stream, table->columns.names, width);
    for (uint32_t row = 0, i = 0; open && row < table->row_count; row++) {
        memset((void *)line, 0, width * sizeof *line);
        for (; i < table->ends[row]; i++)
            line[table->cells[i].column] = table->cells[i].text;
        put_line(out.stream, line, width);
    }
    *text = sl_memout_close(&out);
    *size = out.size;
    free((void *)line);
    return *text ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

void sl_row_table_free(struct sl_row_table *table)
{
    sl_names_free(&table->columns);
    free(table->cells);
    free(table->ends);
    *table = (struct sl_row_table){0};
}
