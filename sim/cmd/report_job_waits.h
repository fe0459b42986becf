/* The parts of a cell's report about the nodes that waited in modes open and closed, and
 * starvation.
 */
#ifndef SL_REPORT_JOB_WAITS_H
#define SL_REPORT_JOB_WAITS_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* After an empty line. */
void sl_report_job_waits(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Members of an open map: "node_waits", "longest_wait" and, of a declared bound, "starved". */
void sl_report_job_waits_json(yajl_gen gen, const struct sl_cell *cell);
#endif
