/* What a record holds, by section, under seals.  Private to decide/.
 *
 * A seal is the SHA-256 over the keys and values of a section as they are written, whatever the
 * layout of the file.  The hash over all of them, the body's, stands in the entries of the history,
 * whose own seals chain them.  So a section that was changed by hand is told by name; somebody who
 * makes all hashes anew is not. */
#ifndef SL_RECORD_SEAL_H
#define SL_RECORD_SEAL_H
#include "record.h"
#include "yamldoc.h"

/* Makes record->seals anew; false: out of memory. */
bool sl_record_seal(struct sl_record *record) SL_NODISCARD;
/* Adds the history's: the seal of its last entry, so that one that is taken out is missed.
 * `last` is not copied. */
bool sl_record_seal_end(struct sl_record *record, const char *last) SL_NODISCARD;
/* Over record->seals, but the history's. */
void sl_record_body(const struct sl_record *record, char hex[65]);
/* Diagnoses the sections of the file that are not what their seals say, and seals that the last
 * entry of the history does not hold. */
void sl_record_check_seals(const struct sl_record *record, const struct sl_yaml *root,
                           struct sl_diags *diags);
#endif
