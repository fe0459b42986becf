/* The history of a record as its reader checks it.  Private to decide/. */
#ifndef SL_RECORD_HISTORY_H
#define SL_RECORD_HISTORY_H
#include "record.h"
#include "yamldoc.h"

/* Diagnoses, at the entries of the list `places`, what no sl_record_advance has made: seals that do
 * not fit, leaps, and a status that is not the last entry's. */
void sl_record_check_history(const struct sl_record *record, const struct sl_yaml *places,
                             struct sl_diags *diags);
#endif
