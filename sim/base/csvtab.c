/* CSV tables through libcsv.
 *
 * libcsv reports fields without their place.  It is therefore fed pieces that end at a comma or a
 * line end: a field that it reports ends at the last byte fed, and the next one starts behind it.
 * A piece without a quote that starts a cell is that cell as it stands: such, which nearly all are,
 * do not pass through libcsv.
 * A cell's text is never longer than its source, so it is written back over that source. */
#include <config.h>

#include "csvtab.h"
#include "infile.h"
#include "text.h"
#include <csv.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct sl_csv *table;
    const struct sl_column_spec *spec;
    struct sl_diags *diags;
    struct csv_parser parser;
    uint32_t *targets; /* header position -> spec index, SL_NONE for a refused column */
    uint32_t target_count, target_capacity;
    bool in_header, row_done, out_of_memory;
    bool no_columns;    /* the header is broken: nothing below it can be read */
    bool ascii;         /* of the current line: its columns are its bytes */
    uint32_t row_limit; /* rows that the file can hold */
    int line;           /* counts from 1 */
    char *line_start;   /* of the current line */
    char *cell;         /* source of the field that libcsv is reading */
    size_t cells;       /* fields of the current row so far */
};

static int column_at(const struct reader *r, const char *at)
{
    size_t bytes = (size_t)(at - r->line_start);
    size_t column = r->ascii ? bytes : sl_utf8_length(r->line_start, bytes);
    return column >= INT_MAX ? INT_MAX : (int)column + 1;
}

static struct sl_place place_at(const struct reader *r, const char *at)
{
    return (struct sl_place){r->table->file, r->line, column_at(r, at)};
}

static void refuse_column(struct reader *r, const char *name, const char *at)
{
    char hint[600] = "";
    const char **words = malloc((r->table->spec_count + 1) * sizeof *words);
    if (!words) {
        r->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < r->table->spec_count; i++)
        words[i] = r->spec[i].name;
    sl_suggest(hint, sizeof hint, name, words, r->table->spec_count);
    sl_diags_add(r->diags, SL_ERROR, "unknown-column", place_at(r, at), "unknown column '%s'%s",
                 name, hint);
    free(words);
}

/* Takes the next header cell: finds the column that it names. */
static void header_cell(struct reader *r, const char *name, const char *at)
{
    if (!sl_grow((void **)&r->targets, &r->target_capacity, r->target_count + 1,
                 sizeof *r->targets)) {
        r->out_of_memory = true;
        return;
    }
    uint32_t target = 0;
    while (target < r->table->spec_count && strcmp(r->spec[target].name, name) != 0)
        target++;
    if (target == r->table->spec_count) {
        target = SL_NONE;
        refuse_column(r, name, at);
    } else if (r->table->present[target]) {
        target = SL_NONE;
        sl_diags_add(r->diags, SL_ERROR, "duplicate-column", place_at(r, at),
                     "column '%s' is named twice", name);
    } else {
        r->table->present[target] = true;
        r->table->slots[target] = r->table->width++;
    }
    r->targets[r->target_count++] = target;
}

static void data_cell(struct reader *r, const char *text, const char *at)
{
    if (r->cells >= r->target_count || r->targets[r->cells] == SL_NONE)
        return;
    const struct sl_csv *table = r->table;
    size_t cell = (size_t)table->row_count * table->width + table->slots[r->targets[r->cells]];
    table->cells[cell] = text;
    table->columns[cell] = (uint32_t)column_at(r, at);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* libcsv's field callback. */
static void take_field(void *field, size_t length, void *data)
{
    struct reader *r = data;
    const char *text = field;
    char *source = r->cell;
    while (blank(*source))
        source++;
    /* libcsv trims around quotes only; a quoted " x" is trimmed here. */
    while (length && blank(*text)) {
        text++;
        length--;
    }
    while (length && blank(text[length - 1]))
        length--;
    if (text != r->cell)
        memmove(r->cell, text, length);
    r->cell[length] = '\0';
    if (r->in_header)
        header_cell(r, r->cell, source);
    else
        data_cell(r, r->cell, source);
    r->cells++;
}

/* libcsv's row callback. */
static void take_row(int terminator, void *data)
{
    (void)terminator;
    ((struct reader *)data)->row_done = true;
}

/* Feeds libcsv a piece of a line; false with a diagnostic when it is no CSV. */
static bool feed_piece(struct reader *r, const char *piece, size_t length)
{
    if (csv_parse(&r->parser, piece, length, take_field, take_row, r) == length)
        return true;
    r->out_of_memory = csv_error(&r->parser) == CSV_ENOMEM;
    sl_diags_add(r->diags, SL_ERROR, "bad-quotes", place_at(r, r->cell),
                 "a quote inside a cell: put the whole cell in quotes and double the quotes inside "
                 "it");
    return false;
}

/* Libcsv forgets the row that it is in. */
static void forget_row(struct reader *r)
{
    csv_fini(&r->parser, NULL, NULL, NULL);
}

/* Feeds one line, terminator included; false with a diagnostic when it is no CSV. */
static bool feed_line(struct reader *r, char *end)
{
    char *from = r->line_start;
    bool quotes = memchr(from, '"', (size_t)(end - from)) != NULL;
    r->cell = from;
    r->cells = 0;
    r->row_done = false;
    while (from < end) {
        char *comma = memchr(from, ',', (size_t)(end - from));
        char *to = comma ? comma + 1 : end;
        size_t before = r->cells, length = (size_t)(to - from);
        if (r->cell == from && !(quotes && memchr(from, '"', length))) {
            take_field(from, length - 1, r);
            r->row_done = to == end;
            if (r->row_done && quotes)
                forget_row(r);
        } else if (!feed_piece(r, from, length)) {
            return false;
        }
        from = to;
        if (r->cells > before)
            r->cell = to;
    }
    if (!r->row_done)
        sl_diags_add(r->diags, SL_ERROR, "bad-quotes", place_at(r, r->cell),
                     "a quoted cell does not end on its line");
    return r->row_done;
}

/* Diagnoses bytes that no table may hold. */
static bool clean_line(struct reader *r, size_t length)
{
    const char *line = r->line_start;
    r->ascii = sl_is_ascii(line, length);
    size_t fault = r->ascii ? length : sl_utf8_fault(line, length);
    if (fault < length) {
        sl_diags_add(r->diags, SL_ERROR, "invalid-utf8", place_at(r, line + fault),
                     "byte 0x%02X is not valid UTF-8", (unsigned char)line[fault]);
        return false;
    }
    const char *nul = memchr(line, '\0', length), *cr = memchr(line, '\r', length);
    if (nul)
        sl_diags_add(r->diags, SL_ERROR, "nul-byte", place_at(r, nul), "a NUL byte");
    if (cr)
        sl_diags_add(r->diags, SL_ERROR, "stray-cr", place_at(r, cr),
                     "a carriage return inside a line");
    return !nul && !cr;
}

/* Room for every row. */
static bool make_room(struct sl_csv *table, uint32_t rows)
{
    size_t cells = (size_t)rows * table->width;
    table->cells = sl_arena_array(&table->arena, cells, sizeof *table->cells);
    table->columns = sl_arena_array(&table->arena, cells, sizeof *table->columns);
    table->lines = sl_arena_array(&table->arena, rows, sizeof *table->lines);
    return table->cells && table->columns && table->lines;
}

static void finish_header(struct reader *r)
{
    r->out_of_memory |= !make_room(r->table, r->row_limit);
    for (uint32_t i = 0; i < r->table->spec_count; i++)
        if (r->spec[i].required && !r->table->present[i])
            sl_diags_add(r->diags, SL_ERROR, "missing-column",
                         (struct sl_place){r->table->file, r->line, 0},
                         "the header names no column '%s', which is required", r->spec[i].name);
    r->in_header = false;
}

static void finish_row(struct reader *r, bool comment)
{
    struct sl_csv *table = r->table;
    if (r->cells != r->target_count)
        sl_diags_add(
            r->diags, SL_ERROR, r->cells < r->target_count ? "too-few-cells" : "too-many-cells",
            (struct sl_place){table->file, r->line, 0}, "row has %zu cell%s, the header names %u%s",
            r->cells, r->cells == 1 ? "" : "s", r->target_count,
            comment ? " (comments stand before the header only)" : "");
    for (uint32_t c = r->cells < r->target_count ? (uint32_t)r->cells : r->target_count;
         c < r->target_count; c++)
        if (r->targets[c] != SL_NONE)
            table->cells[(size_t)table->row_count * table->width + table->slots[r->targets[c]]] =
                "";
    table->lines[table->row_count++] = (uint32_t)r->line;
}

/* One line [r->line_start, end), whose byte at `end` is free for a terminator. */
static void take_line(struct reader *r, char *end)
{
    char *last = end;
    if (last > r->line_start && last[-1] == '\r')
        last--;
    char *first = r->line_start;
    while (first < last && blank(*first))
        first++;
    bool comment = first < last && *first == '#';
    if (!clean_line(r, (size_t)(last - r->line_start))) {
        r->no_columns = r->in_header && !comment;
        return;
    }
    if (first == last || (comment && r->in_header))
        return;
    *last = '\n';
    if (!feed_line(r, last + 1)) {
        forget_row(r);
        r->no_columns = r->in_header;
        return;
    }
    if (r->in_header)
        finish_header(r);
    else
        finish_row(r, comment);
}

/* What the header fills. */
static bool make_columns(struct sl_csv *table)
{
    table->present = sl_arena_array(&table->arena, table->spec_count, sizeof *table->present);
    table->slots = sl_arena_array(&table->arena, table->spec_count, sizeof *table->slots);
    for (uint32_t i = 0; table->slots && i < table->spec_count; i++)
        table->slots[i] = SL_NONE;
    return table->present && table->slots;
}

/* A bound on the rows: lines that hold anything. */
static size_t count_lines(const char *data, size_t size)
{
    size_t lines = 0;
    for (const char *c = data, *end = data + size; c < end; lines++) {
        while (c < end && *c == '\n')
            c++;
        const char *newline = c < end ? memchr(c, '\n', (size_t)(end - c)) : NULL;
        c = newline ? newline + 1 : end;
    }
    return lines;
}

static enum sl_status read_lines(struct reader *r, char *data, size_t size, struct sl_error *err)
{
    struct sl_place place = {.file = r->table->file};
    size_t lines = count_lines(data, size);
    if (lines >= INT_MAX)
        return SL_FAIL_AT(err, SL_INVALID, place, "more than %d lines", INT_MAX - 1);
    if (csv_init(&r->parser, CSV_STRICT) != 0 || !make_columns(r->table))
        return SL_FAIL_AT(err, SL_SYSTEM, place, "out of memory");
    r->row_limit = (uint32_t)lines;
    for (char *c = data, *end = data + size; c < end && !r->out_of_memory && !r->no_columns;) {
        char *newline = memchr(c, '\n', (size_t)(end - c));
        r->line_start = c;
        r->line++;
        c = newline ? newline + 1 : end + 1;
        take_line(r, c - 1);
    }
    csv_free(&r->parser);
    if (r->out_of_memory)
        return SL_FAIL_AT(err, SL_SYSTEM, place, "out of memory for %zu rows", lines);
    if (r->in_header && !r->no_columns)
        sl_diags_add(r->diags, SL_ERROR, "no-header", place,
                     "the table is empty: its first line must name the columns");
    return SL_OK;
}

/* Overwrites `data`, which the table's arena holds. */
static enum sl_status read_data(struct sl_csv *table, char *data, size_t size,
                                const struct sl_column_spec *spec, struct sl_diags *diags,
                                struct sl_error *err)
{
    size_t bom = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    struct reader r = {.table = table, .spec = spec, .diags = diags, .in_header = true};
    enum sl_status status = read_lines(&r, data + bom, size - bom, err);
    free(r.targets);
    return status;
}

enum sl_status sl_csv_read(struct sl_csv *table, const char *path,
                           const struct sl_column_spec *spec, uint32_t spec_count,
                           struct sl_diags *diags, struct sl_error *err)
{
    *table = (struct sl_csv){.spec_count = spec_count};
    table->file = sl_arena_strdup(&table->arena, path);
    if (!table->file)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    char *data = NULL;
    size_t size = 0;
    enum sl_status status =
        sl_infile_read(table->file, SL_CSV_MAX_BYTES, &table->arena, &data, &size, err);
    return status == SL_OK ? read_data(table, data, size, spec, diags, err) : status;
}

enum sl_status sl_csv_parse(struct sl_csv *table, const char *name, const char *text, size_t size,
                            const struct sl_column_spec *spec, uint32_t spec_count,
                            struct sl_diags *diags, struct sl_error *err)
{
    *table = (struct sl_csv){.spec_count = spec_count};
    table->file = sl_arena_strdup(&table->arena, name);
    char *data = sl_arena_alloc(&table->arena, size + 1);
    if (!table->file || !data)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    memcpy(data, text, size);
    data[size] = '\0';
    return read_data(table, data, size, spec, diags, err);
}

void sl_csv_free(struct sl_csv *table)
{
    sl_arena_free(&table->arena);
    *table = (struct sl_csv){0};
}

struct sl_place sl_csv_place(const struct sl_csv *table, uint32_t row, uint32_t column)
{
    uint32_t slot = table->slots[column];
    uint32_t at = slot == SL_NONE ? 0 : table->columns[(size_t)row * table->width + slot];
    return (struct sl_place){table->file, (int)table->lines[row], (int)at};
}

void sl_csv_put(FILE *out, const char *field)
{
    size_t length = strlen(field);
    bool edge_blank = length && (blank(field[0]) || blank(field[length - 1]));
    if (strpbrk(field, ",\"\r\n") || edge_blank || field[0] == '#')
        csv_fwrite(out, field, length);
    else
        fputs(field, out);
}
