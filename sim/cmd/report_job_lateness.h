/* How long jobs took against what they had to take. */
#ifndef SL_REPORT_JOB_LATENESS_H
#define SL_REPORT_JOB_LATENESS_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* Of a cell in mode open or closed that has figures: the slowdown of its jobs, and how many miss deadlines. */
void sl_report_job_lateness(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Into the open map of the cell's jobs. */
void sl_report_job_lateness_json(yajl_gen gen, const struct sl_cell *cell);
#endif
