/* Databases of unknown origin.  What SQLite's authors advise for them (sqlite.org/security.html) is
 * done here: schema functions, views and triggers are off, statements may only read, and a count of
 * the virtual machine's steps ends what a crooked file would make run for ever. */
#include <config.h>

#include "import_nsys_db.h"
#include "infile.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 100,
    STEPS_BETWEEN_CHECKS = 10000,
    LONGEST_VALUE = 16 << 20, /* bytes of a text or blob that is read */
    PROBE_BYTES = 4 << 20     /* memory that a machine has which is not out of it */
};
#define LISTING "reading the list of tables"
/* A row of a real export takes about one step per byte; a table is read at most twice. */
#define MOST_STEPS_PER_BYTE 16
#define MOST_STEPS_AT_LEAST 4000000

static struct sl_place place_of(const struct sl_nsys_db *db)
{
    return (struct sl_place){.file = db->path};
}

static enum sl_status fail(struct sl_nsys_db *db, const char *doing, struct sl_error *err)
{
    int code = sqlite3_errcode(db->handle);
    if (code == SQLITE_NOMEM)
        return SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "%s: out of memory", doing);
    if (code == SQLITE_INTERRUPT)
        return SL_FAIL_AT(err, SL_INVALID, place_of(db),
                          "%s: takes more steps than an export of %llu bytes can; its tables are "
                          "damaged: export the report again",
                          doing, (unsigned long long)db->file_bytes);
    if (code == SQLITE_TOOBIG)
        return SL_FAIL_AT(err, SL_INVALID, place_of(db), "%s: a value of more than %d MiB", doing,
                          LONGEST_VALUE >> 20);
    return SL_FAIL_AT(err, code == SQLITE_IOERR ? SL_SYSTEM : SL_INVALID, place_of(db), "%s: %s%s",
                      doing, sqlite3_errmsg(db->handle),
                      code == SQLITE_CORRUPT ? ": export the report again" : "");
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* SQLite would read missing pages as if they were empty, so the file's own count of pages is held
 * against its size.  (Layout of the header: sqlite.org/fileformat.html, 1.3.) */
static enum sl_status check_header(struct sl_nsys_db *db, const unsigned char *header,
                                   struct sl_error *err)
{
    if (header[0] == 0x1f && header[1] == 0x8b)
        return SL_FAIL_AT(err, SL_INVALID, place_of(db),
                          "a packed database; unpack it first (gunzip)");
    db->page_bytes = (uint32_t)header[16] << 8 | header[17];
    if (db->page_bytes == 1)
        db->page_bytes = 65536;
    uint64_t bytes = (uint64_t)big_endian(header + 28) * db->page_bytes;
    bool counted = big_endian(header + 24) == big_endian(header + 92);
    if (counted && bytes > db->file_bytes)
        return SL_FAIL_AT(
            err, SL_INVALID, place_of(db),
            "cut off: it should have %llu bytes and has %llu; copy or export it again",
            (unsigned long long)bytes, (unsigned long long)db->file_bytes);
    return SL_OK;
}

static enum sl_status look_at_file(struct sl_nsys_db *db, struct sl_error *err)
{
    int fd;
    enum sl_status status = sl_infile_open(db->path, &fd, err);
    if (status)
        return status;
    unsigned char header[HEADER_BYTES];
    struct stat info;
    ssize_t got = pread(fd, header, sizeof header, 0);
    if (got < 0 || fstat(fd, &info) != 0)
        status = SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "cannot be read");
    else if (got < HEADER_BYTES)
        status = SL_FAIL_AT(err, SL_INVALID, place_of(db), "too short for an SQLite database");
    close(fd);
    if (status)
        return status;
    db->file_bytes = (uint64_t)info.st_size;
    db->most_steps = MOST_STEPS_AT_LEAST + MOST_STEPS_PER_BYTE * db->file_bytes;
    return check_header(db, header, err);
}

/* Where an export or a later tool was stopped, changes wait in a file beside the database; nothing
 * is written beside a user's file, so they stay there. */
static void name_companions(const struct sl_nsys_db *db, struct sl_diags *diags)
{
    static const char *const suffixes[] = {"-wal", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char beside[4096];
        struct stat info;
        int length = snprintf(beside, sizeof beside, "%s%s", db->path, suffixes[i]);
        if (length < (int)sizeof beside && stat(beside, &info) == 0 && info.st_size > 0) {
            sl_diags_add(diags, SL_WARNING, "unfinished-export", place_of(db),
                         "%s holds changes that are not in the database yet: the export was "
                         "stopped, or a program still writes",
                         beside);
            sl_diags_suggest(diags, "export the report again");
        }
    }
}

static int may(void *user, int action, const char *first, const char *second, const char *database,
               const char *within)
{
    (void)user, (void)first, (void)database;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
        return within ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
        return second && strcmp(second, "count") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Pages that were not in the cache are what was read. */
static void tell_progress(const struct sl_nsys_db *db)
{
    int pages = 0, unused = 0;
    sqlite3_db_status(db->handle, SQLITE_DBSTATUS_CACHE_MISS, &pages, &unused, 0);
    uint64_t bytes = (uint64_t)pages * db->page_bytes;
    db->progress->tell(db->progress->user, bytes < db->file_bytes ? bytes : db->file_bytes,
                       db->file_bytes);
}

static int count_steps(void *user)
{
    struct sl_nsys_db *db = user;
    db->steps += STEPS_BETWEEN_CHECKS;
    if (db->progress)
        tell_progress(db);
    return db->steps > db->most_steps;
}

/* The path as a URI, in which '%', '?' and '#' would mean something. */
static char *uri_of(const char *path)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, *path == '/' ? "file://" : "file:");
    for (const char *c = path; *c; c++) {
        if (strchr("%?#", *c))
            sqlite3_str_appendf(text, "%%%02X", *c);
        else
            sqlite3_str_appendchar(text, 1, *c);
    }
    sqlite3_str_appendall(text, "?mode=ro&immutable=1");
    return sqlite3_str_finish(text);
}

static enum sl_status guard(struct sl_nsys_db *db, struct sl_error *err)
{
    static const struct {
        int option, value;
    } settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0}, {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                    {SQLITE_DBCONFIG_DQS_DML, 0},     {SQLITE_DBCONFIG_DQS_DDL, 0}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(db->handle, settings[i].option, settings[i].value, NULL);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_progress_handler(db->handle, STEPS_BETWEEN_CHECKS, count_steps, db);
    if (sqlite3_exec(db->handle, "PRAGMA cell_size_check=1; PRAGMA mmap_size=0", NULL, NULL, NULL))
        return fail(db, "opening", err);
    sqlite3_set_authorizer(db->handle, may, NULL);
    return SL_OK;
}

static enum sl_status prepare(struct sl_nsys_db *db, const char *sql, sqlite3_stmt **statement,
                              const char *doing, struct sl_error *err)
{
    if (sqlite3_prepare_v2(db->handle, sql, -1, statement, NULL) != SQLITE_OK)
        return fail(db, doing, err);
    return SL_OK;
}

/* The first statement makes SQLite read the list of tables. */
static enum sl_status open_and_list(struct sl_nsys_db *db, const char *uri, struct sl_error *err)
{
    sqlite3_stmt *statement = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(uri, &db->handle, flags, NULL) != SQLITE_OK)
        return db->handle ? fail(db, "opening", err)
                          : SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "out of memory");
    enum sl_status status = guard(db, err);
    if (status == SL_OK)
        status = prepare(db, "SELECT 1 FROM sqlite_master", &statement, LISTING, err);
    sqlite3_finalize(statement);
    return status;
}

/* SQLite is "out of memory", too, where a damaged row of the list claims to be longer than any
 * memory; but then it is so again, while there is memory to be had. */
static enum sl_status open_again(struct sl_nsys_db *db, const char *uri, struct sl_error *err)
{
    sl_nsys_db_close(db);
    *err = (struct sl_error){0};
    enum sl_status status = open_and_list(db, uri, err);
    if (status == SL_OK || sqlite3_errcode(db->handle) != SQLITE_NOMEM)
        return status;
    void *probe = sqlite3_malloc64(PROBE_BYTES);
    if (probe) {
        *err = (struct sl_error){0};
        status = SL_FAIL_AT(
            err, SL_INVALID, place_of(db),
            "%s: it is damaged, a row is longer than any memory; export the report again", LISTING);
    }
    sqlite3_free(probe);
    return status;
}

enum sl_status sl_nsys_db_open(struct sl_nsys_db *db, const char *path,
                               const struct sl_import_progress *progress, struct sl_diags *diags,
                               struct sl_error *err)
{
    *db = (struct sl_nsys_db){.path = path, .progress = progress};
    enum sl_status status = look_at_file(db, err);
    if (status)
        return status;
    name_companions(db, diags);
    char *uri = uri_of(path);
    if (!uri)
        return SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "out of memory");
    status = open_and_list(db, uri, err);
    if (status != SL_OK && sqlite3_errcode(db->handle) == SQLITE_NOMEM)
        status = open_again(db, uri, err);
    sqlite3_free(uri);
    return status;
}

void sl_nsys_db_close(struct sl_nsys_db *db)
{
    sqlite3_close(db->handle);
    db->handle = NULL;
}

/* Views and virtual tables have no pages of their own: their root page is 0. */
enum shape { MISSING, PLAIN_TABLE, NO_TABLE };
static enum sl_status find_table(struct sl_nsys_db *db, const char *name, enum shape *shape,
                                 struct sl_error *err)
{
    sqlite3_stmt *statement;
    enum sl_status status = prepare(db,
                                    "SELECT rootpage FROM sqlite_master "
                                    "WHERE name = ?1 AND type IN ('table', 'view')",
                                    &statement, LISTING, err);
    if (status)
        return status;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    *shape = MISSING;
    if (code == SQLITE_ROW)
        *shape = sqlite3_column_int64(statement, 0) > 0 ? PLAIN_TABLE : NO_TABLE;
    else if (code != SQLITE_DONE)
        status = fail(db, LISTING, err);
    sqlite3_finalize(statement);
    return status;
}

static bool has_column(sqlite3_stmt *all, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(all); i++)
        if (strcmp(sqlite3_column_name(all, i), name) == 0)
            return true;
    return false;
}

/* SELECT rowid, "start", NULL ... : a column that the table lacks keeps its place. */
static enum sl_status write_select(struct sl_nsys_db *db, const struct sl_nsys_table *table,
                                   char **sql, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    sqlite3_stmt *all = NULL;
    char *look = sqlite3_mprintf("SELECT * FROM \"%w\"", table->name);
    sqlite3_str *text = sqlite3_str_new(db->handle);
    if (!look)
        status = SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "out of memory");
    else
        status = prepare(db, look, &all, table->name, err);
    /* A table WITHOUT ROWID has no number to show. */
    bool numbered = sqlite3_table_column_metadata(db->handle, "main", table->name, "rowid", NULL,
                                                  NULL, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_str_appendf(text, "SELECT %s", numbered ? "rowid" : "0");
    for (const struct sl_nsys_column *c = table->columns; status == SL_OK && c->name; c++) {
        bool there = has_column(all, c->name);
        if (c->needed && !there)
            status = SL_FAIL_AT(err, SL_INVALID, place_of(db),
                                "%s: has no column '%s'; not a table of Nsight Systems",
                                table->name, c->name);
        sqlite3_str_appendf(text, there ? ", \"%w\"" : ", NULL", c->name);
    }
    sqlite3_str_appendf(text, " FROM \"%w\"", table->name);
    if (table->key)
        sqlite3_str_appendf(text, " WHERE \"%w\" = ?1", table->key);
    *sql = sqlite3_str_finish(text);
    if (!*sql && status == SL_OK)
        status = SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "out of memory");
    sqlite3_finalize(all);
    sqlite3_free(look);
    return status;
}

enum sl_status sl_nsys_rows_open(struct sl_nsys_db *db, const struct sl_nsys_table *table,
                                 struct sl_nsys_rows *rows, struct sl_diags *diags,
                                 struct sl_error *err)
{
    *rows = (struct sl_nsys_rows){.db = db, .table = table};
    enum shape shape;
    enum sl_status status = find_table(db, table->name, &shape, err);
    if (status == SL_OK && shape == NO_TABLE)
        sl_diags_add(diags, SL_WARNING, "not-a-table", place_of(db),
                     "%s is a view or a virtual table, which is not read: no export makes one",
                     table->name);
    if (status || shape != PLAIN_TABLE)
        return status;
    char *sql = NULL;
    status = write_select(db, table, &sql, err);
    if (status == SL_OK)
        status = prepare(db, sql, &rows->statement, table->name, err);
    sqlite3_free(sql);
    return status;
}

static void read_cell(struct sl_nsys_rows *rows, int column)
{
    const struct sl_nsys_column *spec = &rows->table->columns[column];
    int type = sqlite3_column_type(rows->statement, column + 1);
    bool good = type == (spec->text ? SQLITE_TEXT : SQLITE_INTEGER);
    if (good && !spec->text) {
        rows->cells[column] = sqlite3_column_int64(rows->statement, column + 1);
        good = rows->cells[column] >= spec->low && rows->cells[column] <= spec->high;
    }
    if (good)
        rows->given |= 1u << column;
    else if (type != SQLITE_NULL || spec->needed)
        rows->bad |= 1u << column;
}

enum sl_status sl_nsys_rows_next(struct sl_nsys_rows *rows, bool *more, struct sl_error *err)
{
    *more = false;
    if (!rows->statement)
        return SL_OK;
    int code = sqlite3_step(rows->statement);
    if (code == SQLITE_DONE)
        return SL_OK;
    if (code != SQLITE_ROW) {
        char doing[128];
        snprintf(doing, sizeof doing, "%s, after row %lld", rows->table->name,
                 (long long)rows->row);
        return fail(rows->db, doing, err);
    }
    rows->row = sqlite3_column_int64(rows->statement, 0);
    rows->given = rows->bad = 0;
    for (int column = 0; column < SL_NSYS_MOST_COLUMNS && rows->table->columns[column].name;
         column++)
        read_cell(rows, column);
    *more = true;
    return SL_OK;
}

enum sl_status sl_nsys_find(struct sl_nsys_rows *rows, int64_t value, bool *found,
                            struct sl_error *err)
{
    if (rows->statement) {
        sqlite3_reset(rows->statement);
        sqlite3_bind_int64(rows->statement, 1, value);
    }
    return sl_nsys_rows_next(rows, found, err);
}

void sl_nsys_rows_close(struct sl_nsys_rows *rows)
{
    sqlite3_finalize(rows->statement);
    rows->statement = NULL;
}

const char *sl_nsys_text(const struct sl_nsys_rows *rows, int column, size_t *bytes)
{
    *bytes = 0;
    if (!sl_nsys_has(rows, column))
        return NULL;
    const char *text = (const char *)sqlite3_column_text(rows->statement, column + 1);
    *bytes = (size_t)sqlite3_column_bytes(rows->statement, column + 1);
    return text;
}

enum sl_status sl_nsys_row_count(struct sl_nsys_db *db, const char *table, uint64_t *count,
                                 struct sl_error *err)
{
    *count = 0;
    enum shape shape;
    enum sl_status status = find_table(db, table, &shape, err);
    if (status || shape != PLAIN_TABLE)
        return status;
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", table);
    if (!sql)
        return SL_FAIL_AT(err, SL_SYSTEM, place_of(db), "out of memory");
    status = prepare(db, sql, &statement, table, err);
    sqlite3_free(sql);
    if (status)
        return status;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *count = (uint64_t)sqlite3_column_int64(statement, 0);
    else
        status = fail(db, table, err);
    sqlite3_finalize(statement);
    return status;
}
