/* The parts of a cell's report about the jobs of modes open and closed. */
#ifndef SL_REPORT_JOBS_H
#define SL_REPORT_JOBS_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* Tables for people, each after an empty line. */
void sl_report_jobs(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* A line or more: where the intervals come from, by those of `mean`; one_course: the trials have
 * the arrivals of one trace. */
void sl_report_method(FILE *out, struct sl_arena *arena, const struct sl_series_result *mean,
                      bool one_course);
/* A member of an open map: "jobs". */
void sl_report_jobs_json(yajl_gen gen, const struct sl_cell *cell);
#endif
