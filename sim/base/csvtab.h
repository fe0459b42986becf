/* A CSV table read whole through libcsv, with the place of every cell.
 *
 * Lines that start with '#' before the header are comments ("# key=value"); blank lines are
 * skipped.  A header names the columns.  A byte order mark and CRLF are accepted.  Refused with a
 * place and a code: unknown, duplicate or missing columns, rows with fewer or more cells than the
 * header, quotes inside a cell, a quoted cell that does not end on its line, stray carriage
 * returns, NUL bytes, invalid UTF-8, a file without a header, one above the size limit. */
#ifndef SL_CSVTAB_H
#define SL_CSVTAB_H
#include "arena.h"

#define SL_CSV_MAX_BYTES (1LL << 32)

struct sl_column_spec {
    const char *name;
    bool required;
};

struct sl_csv {
    const char *file;        /* as named to the user */
    uint32_t row_count;      /* data rows */
    uint32_t spec_count;
    uint32_t width;          /* columns of the spec that the header names: only they take room */
    uint32_t *slots;         /* by spec index: the column's place in a row, SL_NONE when absent */
    const char **cells;      /* row_count * width; trimmed; "" where a row lacks the cell */
    uint32_t *columns;       /* text column of each cell, row_count * width; 0 where lacking */
    uint32_t *lines;         /* line of each row (of its first cell) */
    bool *present;           /* by spec index: the header names this column */
    struct sl_arena arena;   /* owns all of the above */
};

/* Reads `path`.  Faults in the content go to `diags`; an unreadable file is an error.  On success
 * with diags->errors unchanged the table is complete.  sl_csv_free releases in every case. */
enum sl_status sl_csv_read(struct sl_csv *table, const char *path, const struct sl_column_spec *spec,
                           uint32_t spec_count, struct sl_diags *diags,
                           struct sl_error *err) SL_NODISCARD;
/* The same for a text in memory, which is copied; `name` stands for the file in places. */
enum sl_status sl_csv_parse(struct sl_csv *table, const char *name, const char *text, size_t size,
                            const struct sl_column_spec *spec, uint32_t spec_count,
                            struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_csv_free(struct sl_csv *table);

static inline const char *sl_csv_cell(const struct sl_csv *table, uint32_t row, uint32_t column)
{
    uint32_t slot = table->slots[column];
    return slot == SL_NONE ? "" : table->cells[(size_t)row * table->width + slot];
}
/* Where that cell stands; column 0 when the row or the header lacks it. */
struct sl_place sl_csv_place(const struct sl_csv *table, uint32_t row, uint32_t column);

/* Writes one CSV field, quoted through libcsv where its content needs it; sl_csv_read gives it back
 * when it holds no line end. */
void sl_csv_put(FILE *out, const char *field);
#endif
