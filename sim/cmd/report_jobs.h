/* The parts of a cell's report about the jobs of modes open and closed. */
#ifndef SL_REPORT_JOBS_H
#define SL_REPORT_JOBS_H
#include "cell.h"
#include "job_cell.h"
#include <yajl/yajl_gen.h>

/* The lines of a table of job figures, in their order. */
enum { SL_JOB_LINES = 6 };
struct sl_job_line {
    enum sl_job_figure figure;
    const char *name, *key; /* for people, "p99.9"; in JSON, "p999" */
};
extern const struct sl_job_line sl_job_lines[SL_JOB_LINES];

/* Tables for people, each after an empty line. */
void sl_report_jobs(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* A line or more: where the intervals come from, by those of `mean`; one_course: the trials have
 * the arrivals of one trace. */
void sl_report_method(FILE *out, struct sl_arena *arena, const struct sl_series_result *mean,
                      bool one_course);
/* A member of an open map: "jobs". */
void sl_report_jobs_json(yajl_gen gen, const struct sl_cell *cell);
#endif
