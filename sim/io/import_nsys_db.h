/* A database of unknown origin, read row by row: opened so that nothing beside it is written, only
 * plain tables are read, and work is bounded by the size of the file. */
#ifndef SL_IMPORT_NSYS_DB_H
#define SL_IMPORT_NSYS_DB_H
#include "importer.h"
#include <sqlite3.h>

struct sl_nsys_db {
    sqlite3 *handle;
    const char *path; /* borrowed */
    uint64_t file_bytes;
    uint32_t page_bytes;
    uint64_t steps, most_steps; /* of SQLite's virtual machine */
    const struct sl_import_progress *progress;
};

/* Opens the database at `path` (borrowed); a file that is cut off, in the middle of a change or no
 * database is SL_INVALID.  Files beside it whose changes are not in it yet are named in `diags`.
 * sl_nsys_db_close releases in any state. */
enum sl_status sl_nsys_db_open(struct sl_nsys_db *db, const char *path,
                               const struct sl_import_progress *progress, struct sl_diags *diags,
                               struct sl_error *err) SL_NODISCARD;
void sl_nsys_db_close(struct sl_nsys_db *db);

enum { SL_NSYS_MOST_COLUMNS = 24 };

/* A column that is read as an integer from `low` to `high`, or (text) as it is. */
struct sl_nsys_column {
    const char *name;
    bool needed; /* a row where it is NULL is faulty; a table without it is an error */
    bool text;
    int64_t low, high;
};
#define SL_NSYS_INT(name)                                                                          \
    {                                                                                              \
        (name), false, false, INT64_MIN, INT64_MAX                                                 \
    }
#define SL_NSYS_NEEDED(name)                                                                       \
    {                                                                                              \
        (name), true, false, INT64_MIN, INT64_MAX                                                  \
    }
#define SL_NSYS_IN(name, low, high)                                                                \
    {                                                                                              \
        (name), false, false, (low), (high)                                                        \
    }
#define SL_NSYS_U32(name) SL_NSYS_IN(name, 0, UINT32_MAX)
#define SL_NSYS_TEXT(name)                                                                         \
    {                                                                                              \
        (name), false, true, 0, 0                                                                  \
    }

struct sl_nsys_table {
    const char *name;
    const char *key; /* rows are looked up by this column (sl_nsys_find); NULL: they are scanned */
    struct sl_nsys_column columns[SL_NSYS_MOST_COLUMNS]; /* up to the first without a name */
};

/* A scan of a table.  Columns that the table lacks read as NULL. */
struct sl_nsys_rows {
    struct sl_nsys_db *db;
    const struct sl_nsys_table *table;
    sqlite3_stmt *statement; /* NULL: there is no such table */
    int64_t row;             /* number of the current row */
    int64_t cells[SL_NSYS_MOST_COLUMNS];
    uint32_t given; /* bit per column: it has a value of its type and within its range */
    uint32_t bad;   /* bit per column: it has another value, or needs one and is NULL */
};

/* Starts a scan; of a table that is not there it ends at once.  A view or virtual table of its name
 * is not read, and `diags` says so; a needed column that it lacks is SL_INVALID. */
enum sl_status sl_nsys_rows_open(struct sl_nsys_db *db, const struct sl_nsys_table *table,
                                 struct sl_nsys_rows *rows, struct sl_diags *diags,
                                 struct sl_error *err) SL_NODISCARD;
/* Steps to the next row; *more false at the end. */
enum sl_status sl_nsys_rows_next(struct sl_nsys_rows *rows, bool *more,
                                 struct sl_error *err) SL_NODISCARD;
/* Of a table with a key: the first row where it is `value`. */
enum sl_status sl_nsys_find(struct sl_nsys_rows *rows, int64_t value, bool *found,
                            struct sl_error *err) SL_NODISCARD;
void sl_nsys_rows_close(struct sl_nsys_rows *rows);

/* A cell of the current row, `absent` where it has no value. */
static inline int64_t sl_nsys_cell(const struct sl_nsys_rows *rows, int column, int64_t absent)
{
    return rows->given >> column & 1 ? rows->cells[column] : absent;
}
static inline bool sl_nsys_has(const struct sl_nsys_rows *rows, int column)
{
    return rows->given >> column & 1;
}
/* The text of a cell, which holds until the next step; *bytes long.  NULL: it has none. */
const char *sl_nsys_text(const struct sl_nsys_rows *rows, int column, size_t *bytes);

/* Counts the rows of a table that is not read otherwise; 0 where there is none. */
enum sl_status sl_nsys_row_count(struct sl_nsys_db *db, const char *table, uint64_t *count,
                                 struct sl_error *err) SL_NODISCARD;
#endif
