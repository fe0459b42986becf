/* Named fields of one thing, as a table of two columns for people or as keys of a JSON map: written
 * once, printed either way.  A key "max_wait" is the label "max wait"; JSON keys name their unit
 * ("max_wait_us", "size_bytes"). */
#ifndef SL_SHEET_H
#define SL_SHEET_H
#include "json_out.h"
#include "table.h"

struct sl_sheet {
    struct sl_arena *arena;
    struct sl_table table; /* of the text form */
    yajl_gen gen;          /* NULL: the text form; else a map is open */
    uint32_t items;        /* of the list that is open */
};

struct sl_sheet sl_sheet_begin(struct sl_arena *arena, yajl_gen gen);
/* Prints the table of the text form and frees it. */
void sl_sheet_end(struct sl_sheet *sheet, FILE *out);

/* NULL is "-" (null).  Control characters of the text become '?'. */
void sl_sheet_text(struct sl_sheet *sheet, const char *key, const char *text);
/* -1 is "-" (null), INT64_MAX "never" ("inf"). */
void sl_sheet_time(struct sl_sheet *sheet, const char *key, int64_t ps);
/* A time of any sign. */
void sl_sheet_signed_time(struct sl_sheet *sheet, const char *key, int64_t ps);
void sl_sheet_bytes(struct sl_sheet *sheet, const char *key, int64_t bytes);
void sl_sheet_number(struct sl_sheet *sheet, const char *key, double value); /* NAN: "-" */
void sl_sheet_bool(struct sl_sheet *sheet, const char *key, bool value);
/* A list: each item follows by sl_sheet_item, and sl_sheet_close ends it. */
void sl_sheet_open(struct sl_sheet *sheet, const char *key);
void sl_sheet_item(struct sl_sheet *sheet, const char *text);
void sl_sheet_close(struct sl_sheet *sheet);
#endif
