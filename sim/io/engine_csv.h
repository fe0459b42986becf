/* By which of its ways the engine runs the trials of a cell (engine.h, sl_program_order_is_fixed).
 */
#ifndef SL_ENGINE_CSV_H
#define SL_ENGINE_CSV_H
#include "cell.h"

/* "fixed-order" or "events"; NULL: there is no plan to run. */
const char *sl_cell_way(const struct sl_cell *cell);

struct sl_engine_ways {
    uint32_t fixed_order, events; /* cells */
};
/* Reads DIR/engine.csv. */
enum sl_status sl_engine_count(const char *dir, struct sl_engine_ways *ways,
                               struct sl_error *err) SL_NODISCARD;
#endif
