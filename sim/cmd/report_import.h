/* What `slackline import` prints. */
#ifndef SL_REPORT_IMPORT_H
#define SL_REPORT_IMPORT_H
#include "trace_scenario.h"

/* For people: what the scenario holds, whether it replays as recorded, and what is in doubt; items
 * that did not occur are left out. */
enum sl_status sl_report_import(FILE *out, const struct sl_trace_graph *graph,
                                const struct sl_trace_source *source, const char *dir,
                                struct sl_error *err) SL_NODISCARD;
/* JSON: all items of report.csv. */
enum sl_status sl_report_import_json(FILE *out, const struct sl_trace_graph *graph,
                                     const struct sl_trace_source *source, const char *dir,
                                     struct sl_error *err) SL_NODISCARD;
#endif
