/* A decision record on a terminal. */
#ifndef SL_DECIDE_REPORT_H
#define SL_DECIDE_REPORT_H
#include "record.h"

/* The finding, the gate, and which conditions are open; `path` is the record's. */
void sl_report_decision(FILE *out, const struct sl_record *record, const char *path);
/* The lines at the end of it: what it took the place of, how one goes on from a record that is final,
 * where it lies, its status, and the gate's outcomes by number and name. */
void sl_report_status(FILE *out, const struct sl_record *record, const char *path);
#endif
