/* Named fields for people and for machines. */
#include <config.h>

#include "kept.h"
#include "sheet.h"
#include "text.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_ITEMS 12 /* of a list, for people */

struct sl_sheet sl_sheet_begin(struct sl_arena *arena, yajl_gen gen)
{
    return (struct sl_sheet){.arena = arena, .table = sl_table_make(arena, "ll"), .gen = gen};
}

void sl_sheet_end(struct sl_sheet *sheet, FILE *out)
{
    if (!sheet->gen)
        sl_table_print(&sheet->table, out);
    sl_table_free(&sheet->table);
}

static void add_label(struct sl_sheet *sheet, const char *key)
{
    char label[64];
    snprintf(label, sizeof label, "  %s", key);
    for (char *c = label; *c; c++)
        if (*c == '_')
            *c = ' ';
    sl_table_add(&sheet->table, "%s", label);
}

static const char *clean(struct sl_sheet *sheet, const char *text)
{
    return sl_kept(text ? sl_clean_text(sheet->arena, text) : NULL);
}

void sl_sheet_text(struct sl_sheet *sheet, const char *key, const char *text)
{
    if (sheet->gen) {
        sl_json_text(sheet->gen, key, text);
        return;
    }
    add_label(sheet, key);
    sl_table_add(&sheet->table, "%s", text ? clean(sheet, text) : "-");
}

static const char *with_unit(char buffer[96], const char *key, const char *unit)
{
    snprintf(buffer, 96, "%s_%s", key, unit);
    return buffer;
}

void sl_sheet_time(struct sl_sheet *sheet, const char *key, int64_t ps)
{
    char name[96];
    if (sheet->gen && ps < 0)
        sl_json_text(sheet->gen, with_unit(name, key, "us"), NULL);
    else if (sheet->gen)
        sl_json_us(sheet->gen, with_unit(name, key, "us"), ps);
    else if (ps < 0 || ps == INT64_MAX)
        sl_sheet_text(sheet, key, ps < 0 ? NULL : "never");
    else
        sl_sheet_signed_time(sheet, key, ps);
}

void sl_sheet_signed_time(struct sl_sheet *sheet, const char *key, int64_t ps)
{
    char name[96];
    if (sheet->gen) {
        sl_json_us(sheet->gen, with_unit(name, key, "us"), ps);
        return;
    }
    add_label(sheet, key);
    sl_table_add(&sheet->table, "%s%s", ps < 0 ? "-" : "",
                 sl_estimate_text(sheet->arena, fabs((double)ps) / (double)SL_PS_PER_US));
}

void sl_sheet_bytes(struct sl_sheet *sheet, const char *key, int64_t bytes)
{
    char name[96];
    if (sheet->gen) {
        sl_json_integer(sheet->gen, with_unit(name, key, "bytes"), bytes);
        return;
    }
    add_label(sheet, key);
    sl_table_add(&sheet->table, "%s", sl_bytes_text(sheet->arena, (double)bytes));
}

void sl_sheet_number(struct sl_sheet *sheet, const char *key, double value)
{
    if (sheet->gen) {
        sl_json_number(sheet->gen, key, value);
    } else if (isnan(value)) {
        sl_sheet_text(sheet, key, NULL);
    } else {
        add_label(sheet, key);
        sl_table_add(&sheet->table, "%.6g", value);
    }
}

void sl_sheet_bool(struct sl_sheet *sheet, const char *key, bool value)
{
    if (sheet->gen)
        sl_json_bool(sheet->gen, key, value);
    else
        sl_sheet_text(sheet, key, value ? "yes" : "no");
}

void sl_sheet_open(struct sl_sheet *sheet, const char *key)
{
    sheet->items = 0;
    if (sheet->gen)
        sl_json_open_array(sheet->gen, key);
    else
        add_label(sheet, key);
}

/* The first item stands beside the label, the others below it. */
void sl_sheet_item(struct sl_sheet *sheet, const char *text)
{
    if (sheet->gen) {
        sl_json_text(sheet->gen, NULL, text);
    } else if (sheet->items < SHOWN_ITEMS) {
        if (sheet->items > 0)
            sl_table_add(&sheet->table, "%s", "");
        sl_table_add(&sheet->table, "%s", clean(sheet, text));
    }
    sheet->items++;
}

void sl_sheet_close(struct sl_sheet *sheet)
{
    if (sheet->gen) {
        yajl_gen_array_close(sheet->gen);
    } else if (sheet->items == 0) {
        sl_table_add(&sheet->table, "%s", "-");
    } else if (sheet->items > SHOWN_ITEMS) {
        sl_table_add(&sheet->table, "%s", "");
        sl_table_add(&sheet->table, "and %u more: --json has all",
                     (unsigned)(sheet->items - SHOWN_ITEMS));
    }
}
