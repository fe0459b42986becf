/* The parts of a cell's report about the batches of modes open and closed. */
#ifndef SL_REPORT_BATCHES_H
#define SL_REPORT_BATCHES_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* After an empty line; nothing where no resource batches. */
void sl_report_batches(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* A member of an open map, there only where a resource batches: "batches". */
void sl_report_batches_json(yajl_gen gen, const struct sl_cell *cell);
#endif
