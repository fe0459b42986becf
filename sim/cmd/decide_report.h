/* A decision record on a terminal. */
#ifndef SL_DECIDE_REPORT_H
#define SL_DECIDE_REPORT_H
#include "record.h"

/* The finding, the gate, and which conditions are open; `path` is the record's. */
void sl_report_decision(FILE *out, const struct sl_record *record, const char *path);
/* What it took the place of, and how one goes on from a record that is final; nothing otherwise. */
void sl_report_end(FILE *out, const struct sl_record *record);
#endif
