/* Strings and enumerations of an Nsight Systems database. */
#include <config.h>

#include "import_nsys_parts.h"
#include "infile.h"
#include <stdlib.h>
#include <string.h>

/* Exports number their strings from 0; a number beyond this is looked up each time. */
enum { MOST_KEPT = 1 << 24 };

static enum sl_status no_memory(struct sl_nsys_import *import, struct sl_error *err)
{
    return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = import->db.path},
                      "out of memory for names");
}

enum sl_status sl_nsys_strings_open(struct sl_nsys_import *import, struct sl_error *err)
{
    static const struct sl_nsys_table strings = {
        "StringIds", .key = "id", .columns = {SL_NSYS_NEEDED("id"), SL_NSYS_TEXT("value")}};
    return sl_nsys_rows_open(&import->db, &strings, &import->strings.find, import->diags, err);
}

void sl_nsys_strings_close(struct sl_nsys_strings *strings)
{
    sl_nsys_rows_close(&strings->find);
    free(strings->names);
    *strings = (struct sl_nsys_strings){0};
}

/* Bytes of the character that starts at `text`, 0 when none does. */
static size_t character_at(const char *text, size_t bytes)
{
    size_t length = 1;
    while (length < 4 && length < bytes && ((unsigned char)text[length] & 0xC0) == 0x80)
        length++;
    return sl_utf8_fault(text, length) == length ? length : 0;
}

bool sl_nsys_mend(char *copy, const char *text, size_t bytes)
{
    bool whole = true;
    for (size_t i = 0; i < bytes;) {
        size_t length = character_at(text + i, bytes - i);
        if (length == 0 || (unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            *copy++ = '?';
            whole = false;
            i++;
            continue;
        }
        memcpy(copy, text + i, length);
        copy += length;
        i += length;
    }
    *copy = '\0';
    return whole;
}

enum sl_status sl_nsys_add_name(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                const char *text, size_t bytes, uint32_t *name,
                                struct sl_error *err)
{
    if (bytes > SL_MOST_NAME_BYTES) {
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_TEXT, "a text of more than %d KiB; it is cut",
                      SL_MOST_NAME_BYTES >> 10);
        bytes = SL_MOST_NAME_BYTES;
        while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0) == 0x80)
            bytes--;
    }
    char *copy = malloc(bytes + 1);
    if (!copy)
        return no_memory(import, err);
    if (!sl_nsys_mend(copy, text, bytes))
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_TEXT,
                      "a text holds control characters or is no UTF-8; they became '?'");
    *name = sl_names_add(&import->timeline->names, copy);
    free(copy);
    return *name == SL_NONE ? no_memory(import, err) : SL_OK;
}

enum sl_status sl_nsys_literal(struct sl_nsys_import *import, const char *text, uint32_t *name,
                               struct sl_error *err)
{
    *name = sl_names_add(&import->timeline->names, text);
    return *name == SL_NONE ? no_memory(import, err) : SL_OK;
}

static bool keep(struct sl_nsys_strings *strings, int64_t id, uint32_t name)
{
    if (id < 0 || id >= MOST_KEPT)
        return true;
    uint32_t before = strings->capacity;
    if (!sl_grow((void **)&strings->names, &strings->capacity, (uint32_t)id + 1,
                 sizeof *strings->names))
        return false;
    for (uint32_t i = before; i < strings->capacity; i++)
        strings->names[i] = SL_NONE;
    strings->names[id] = name;
    return true;
}

static enum sl_status look_up(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                              int64_t id, uint32_t *name, struct sl_error *err)
{
    struct sl_nsys_rows *find = &import->strings.find;
    bool found = false;
    enum sl_status status = sl_nsys_find(find, id, &found, err);
    size_t bytes = 0;
    const char *text = found ? sl_nsys_text(find, 1, &bytes) : NULL;
    if (status == SL_OK && text) {
        status = sl_nsys_add_name(import, find, text, bytes, name, err);
    } else if (status == SL_OK) {
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_VALUE, "StringIds has no text of number %lld",
                      (long long)id);
        status = sl_nsys_literal(import, "?", name, err);
    }
    if (status == SL_OK && !keep(&import->strings, id, *name))
        status = no_memory(import, err);
    return status;
}

enum sl_status sl_nsys_name(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                            int column, uint32_t *name, struct sl_error *err)
{
    if (!sl_nsys_has(rows, column))
        return sl_nsys_literal(import, "?", name, err);
    int64_t id = rows->cells[column];
    const struct sl_nsys_strings *strings = &import->strings;
    if (id >= 0 && id < strings->capacity && strings->names[id] != SL_NONE) {
        *name = strings->names[id];
        return SL_OK;
    }
    return look_up(import, rows, id, name, err);
}

enum sl_status sl_nsys_enum_read(struct sl_nsys_import *import, struct sl_nsys_enum *e,
                                 struct sl_error *err)
{
    for (uint32_t i = 0; i < e->count; i++)
        e->ids[i] = e->usual ? e->usual[i] : i;
    const struct sl_nsys_table table = {e->table,
                                        .columns = {SL_NSYS_NEEDED("id"), SL_NSYS_TEXT("name")}};
    struct sl_nsys_rows rows;
    enum sl_status status = sl_nsys_rows_open(&import->db, &table, &rows, import->diags, err);
    bool first = true, more = false;
    while (status == SL_OK && (status = sl_nsys_rows_next(&rows, &more, err)) == SL_OK && more) {
        for (uint32_t i = 0; first && i < e->count; i++)
            e->ids[i] = INT64_MIN;
        first = false;
        size_t bytes;
        const char *name = sl_nsys_text(&rows, 1, &bytes);
        for (uint32_t i = 0; i < e->count && name && sl_nsys_has(&rows, 0); i++)
            if (strcmp(e->names[i], name) == 0)
                e->ids[i] = rows.cells[0];
    }
    sl_nsys_rows_close(&rows);
    return status;
}
