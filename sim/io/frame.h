/* A CSV file of a results folder, read back: named columns of texts and numbers. */
#ifndef SL_FRAME_H
#define SL_FRAME_H
#include "arena.h"

struct sl_frame {
    struct sl_arena arena;
    const char **columns;
    uint32_t column_count;
    const char **cells; /* row by row */
    uint32_t row_count, cell_capacity;
};

/* Reads `path`, keeping only the columns `wanted` (NULL: all), which must all be there.  A file
 * that is not such a table is SL_INVALID with file and line.  sl_frame_free releases always. */
enum sl_status sl_frame_read(struct sl_frame *frame, const char *path, const char *const *wanted,
                             uint32_t wanted_count, struct sl_error *err) SL_NODISCARD;
/* The same for a text in memory. */
enum sl_status sl_frame_parse(struct sl_frame *frame, const char *text, size_t size,
                              struct sl_error *err) SL_NODISCARD;
void sl_frame_free(struct sl_frame *frame);

uint32_t sl_frame_column(const struct sl_frame *frame, const char *name); /* SL_NONE: absent */
/* "" for an absent column (SL_NONE). */
const char *sl_frame_text(const struct sl_frame *frame, uint32_t row, uint32_t column);
/* NAN where empty or absent, INFINITY for "inf". */
double sl_frame_number(const struct sl_frame *frame, uint32_t row, uint32_t column);
/* By column name. */
const char *sl_frame_text_of(const struct sl_frame *frame, uint32_t row, const char *column);
double sl_frame_number_of(const struct sl_frame *frame, uint32_t row, const char *column);
#endif
