/* Nsight Systems, exported with `nsys export --type sqlite`: one table per kind of record, made
 * only when there is one, its columns as many as the version knew.  So columns are asked for by
 * name, and what an old export lacks reads as not known. */
#include <config.h>

#include "import_nsys_parts.h"
#include <stdlib.h>
#include <string.h>

/* Of each hazard so many are shown one by one. */
enum { SHOWN = 3 };

void sl_nsys_fault(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                   enum sl_trace_hazard hazard, const char *format, ...)
{
    if (++import->timeline->hazards[hazard] > SHOWN)
        return;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sl_diags_add(import->diags, SL_WARNING, sl_hazard_name(hazard),
                 (struct sl_place){.file = import->db.path}, "%s, row %lld: %s", rows->table->name,
                 (long long)rows->row, message);
}

bool sl_nsys_row_good(struct sl_nsys_import *import, const struct sl_nsys_rows *rows)
{
    bool good = true;
    for (int i = 0; i < SL_NSYS_MOST_COLUMNS && rows->table->columns[i].name; i++) {
        if (!(rows->bad >> i & 1))
            continue;
        bool needed = rows->table->columns[i].needed;
        good &= !needed;
        sl_nsys_fault(import, rows, needed ? SL_HAZARD_BAD_EVENT : SL_HAZARD_BAD_VALUE,
                      "'%s' is missing, of a wrong type or out of range; %s",
                      rows->table->columns[i].name,
                      needed ? "the row is left out" : "the value is left out");
    }
    return good;
}

enum sl_status sl_nsys_each(struct sl_nsys_import *import, const struct sl_nsys_table *table,
                            sl_nsys_take *take, uint64_t *rows_read, struct sl_error *err)
{
    struct sl_nsys_rows rows;
    enum sl_status status = sl_nsys_rows_open(&import->db, table, &rows, import->diags, err);
    bool more = false;
    while (status == SL_OK) {
        status = sl_nsys_rows_next(&rows, &more, err);
        if (status || !more)
            break;
        if (rows_read)
            ++*rows_read;
        if (sl_nsys_row_good(import, &rows))
            status = take(import, &rows, err);
    }
    sl_nsys_rows_close(&rows);
    return status;
}

static bool probe(const unsigned char *head, size_t size)
{
    static const char magic[16] = "SQLite format 3"; /* and its NUL */
    return size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

static enum sl_status read_nsys(const char *path, struct sl_timeline *timeline,
                                const struct sl_import_progress *progress, struct sl_diags *diags,
                                struct sl_error *err)
{
    /* Calls come before works, so that the first process of the file is the one that launches. */
    static enum sl_status (*const parts[])(struct sl_nsys_import *, struct sl_error *) = {
        sl_nsys_read_version, sl_nsys_read_devices,  sl_nsys_strings_open, sl_nsys_read_gpus,
        sl_nsys_read_kinds,   sl_nsys_read_calls,    sl_nsys_read_works,   sl_nsys_read_copies,
        sl_nsys_read_waits,   sl_nsys_read_streams,  sl_nsys_read_memory,  sl_nsys_read_threads,
        sl_nsys_say_no_works, sl_nsys_read_messages, sl_nsys_count_others};
    struct sl_nsys_import import = {.timeline = timeline, .diags = diags, .last_process = -1};
    enum sl_status status = sl_nsys_db_open(&import.db, path, progress, diags, err);
    for (size_t i = 0; status == SL_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](&import, err);
    timeline->read = import.works + import.calls + import.ranges + import.waits + import.others;
    sl_nsys_strings_close(&import.strings);
    sl_names_free(&import.processes);
    sl_names_free(&import.gpu_keys);
    sl_names_free(&import.stream_keys);
    sl_names_free(&import.messages);
    free(import.gpus);
    free(import.types);
    sl_nsys_db_close(&import.db);
    return status;
}

const struct sl_importer sl_importer_nsys = {
    .name = "nsys",
    .description = "Nsight Systems, exported as an SQLite database (schemas up to 3.24)",
    .example = "nsys export --type sqlite report.nsys-rep",
    .probe = probe,
    .read = read_nsys,
};
