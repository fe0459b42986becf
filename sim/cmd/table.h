/* Tables for people: columns as wide as their widest cell, and numbers with thousands separators.
 */
#ifndef SL_TABLE_H
#define SL_TABLE_H
#include "arena.h"
#include "quantile.h"

#define SL_TABLE_COLUMNS 24

struct sl_table {
    struct sl_arena *arena;
    const char **cells;
    uint32_t columns, count, capacity;
    bool left[SL_TABLE_COLUMNS]; /* aligned to the left */
    bool failed;                 /* out of memory: printing says so, and by sl_report_lost */
};

/* `alignments` has an 'l' or 'r' per column. */
struct sl_table sl_table_make(struct sl_arena *arena, const char *alignments);
void sl_table_add(struct sl_table *table, const char *format, ...) SL_PRINTF(2, 3);
/* "[0.41, 0.47]" by a printf format of scaled numbers; empty where the estimate has no limits. */
void sl_table_add_interval(struct sl_table *table, struct sl_estimate estimate, double scale,
                           const char *format);
/* A row of empty cells becomes an empty line. */
void sl_table_print(const struct sl_table *table, FILE *out);
void sl_table_free(struct sl_table *table);

/* "1,234,567" in the arena. */
const char *sl_grouped(struct sl_arena *arena, uint64_t value);
/* By a printf format of one number; "-" for NaN. */
const char *sl_number_text(struct sl_arena *arena, double value, const char *format);
/* "14.5 ms" from microseconds; "-" for NaN. */
const char *sl_time_text(struct sl_arena *arena, double us);
const char *sl_estimate_text(struct sl_arena *arena, double us); /* four digits */
const char *sl_bytes_text(struct sl_arena *arena, double bytes);
#endif
