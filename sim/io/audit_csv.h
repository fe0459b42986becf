/* An audit's tables: works.csv, gaps.csv, calls.csv, call_times.csv, steps.csv, time_use.csv,
 * devices.csv, side_by_side.csv, memory.csv, memory_changes.csv, import.csv. */
#ifndef SL_AUDIT_CSV_H
#define SL_AUDIT_CSV_H
#include "audit.h"

/* Writes them into the folder `dir`, each whole or not at all. */
enum sl_status sl_audit_write(const struct sl_audit *audit, const char *dir,
                              struct sl_error *err) SL_NODISCARD;
/* Whether the folder is there and holds one of them. */
bool sl_audit_is_written(const char *dir);
#endif
