/* The records of a shot that a script plays, and what goes wrong with them. */
#ifndef SL_SCRIPT_TROUBLE_H
#define SL_SCRIPT_TROUBLE_H
#include "script_file.h"

/* The next record, NULL when the log is full: it is lost then. */
struct sl_shot_record *sl_script_record(struct sl_shot_log *log, uint32_t actor, uint32_t unit);
/* Does a trouble of that kind to the log's records, of which the last one is the victim's; nothing
 * where the trouble is not one of records. */
void sl_script_trouble_records(struct sl_shot_log *log, enum sl_script_trouble_kind kind);
#endif
