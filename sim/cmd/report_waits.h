/* Liveness of a cell: the longest wait with its story, bypasses, and starvation against the declared
 * bound. */
#ifndef SL_REPORT_WAITS_H
#define SL_REPORT_WAITS_H
#include "cell.h"
#include "json_out.h"

void sl_report_waits(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_waits_json(yajl_gen gen, const struct sl_cell *cell);
#endif
