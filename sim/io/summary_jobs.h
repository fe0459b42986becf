/* The columns of summary.csv that modes open and closed have behind all others. */
#ifndef SL_SUMMARY_JOBS_H
#define SL_SUMMARY_JOBS_H
#include "cell.h"

/* Nothing in other modes. */
void sl_summary_jobs_header(FILE *out, const struct sl_scenario *scenario);
void sl_summary_jobs_row(FILE *out, const struct sl_cell *cell);
#endif
