/* The handles of slackline.h inside. */
#ifndef SL_EMBED_PARTS_H
#define SL_EMBED_PARTS_H
#include "cell.h"
#include <stdatomic.h>

/* A scenario as it was read, which a model and its results share: the last one to let go of it
 * frees it. */
struct sl_shared_scenario {
    struct sl_scenario scenario;
    atomic_uint holders;
};
void sl_shared_scenario_release(struct sl_shared_scenario *shared); /* NULL: nothing */

struct sl_result {
    struct sl_shared_scenario *shared;
    struct sl_cell cell;
};

/* Rows of a table that a model got one by one, and the text of a CSV file that they make. */
struct sl_row_table {
    struct sl_names columns; /* in the order in which rows named them */
    struct sl_row_cell *cells;
    uint32_t cell_count, cell_capacity;
    uint32_t *ends; /* by row: cells up to its last */
    uint32_t row_count, row_capacity;
};
struct sl_row_cell {
    uint32_t column;
    const char *text; /* in the table's arena, or whoever's was given */
};
/* Adds a row of column, value, ... NULL; texts go into `arena`.  On failure the table is as before,
 * but for the names of columns. */
enum sl_status sl_row_table_add(struct sl_row_table *table, const char *const *cells,
                                struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* malloc'ed, the caller's. */
enum sl_status sl_row_table_text(const struct sl_row_table *table, char **text, size_t *size,
                                 struct sl_error *err) SL_NODISCARD;
void sl_row_table_free(struct sl_row_table *table);
#endif
