/* `slackline export RECORD`: the decided plan straight from its record. */
#ifndef SL_EXPORT_RECORD_H
#define SL_EXPORT_RECORD_H
#include "exporter.h"

struct sl_export_record {
    const char *operand;  /* the record, or the folder that holds one */
    const char *scenario; /* where its scenario lies now; NULL: as in the record */
    const char *policy;   /* the selected one or the baseline; NULL: the selected one */
};

/* Whether the operand is a decision record by its content, or a folder with one and no scenario. */
bool sl_export_is_record(const char *operand);
/* Plans it again, checked by the hashes of the record's inputs and plan, and hands it to `write`.
 * Faults of the record or scenario are printed. */
enum sl_status sl_export_record(const struct sl_export_record *from,
                                enum sl_status (*write)(void *user, const struct sl_export *what,
                                                        struct sl_error *err),
                                void *user, struct sl_error *err) SL_NODISCARD;
#endif
