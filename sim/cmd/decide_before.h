/* The record that there is before `slackline decide`: the same decision goes on with it, another
 * one does not overwrite it unasked, and one that --force replaces stays beside. */
#ifndef SL_DECIDE_BEFORE_H
#define SL_DECIDE_BEFORE_H
#include "record.h"

/* Reads the record at `path` into `record`; an empty one where there is none, or with `force`.
 * SL_USAGE where it is a decision on another policy.  Faults of the file are printed;
 * sl_record_free releases in every case. */
enum sl_status sl_decide_open_before(struct sl_record *record, const char *path, bool force,
                                     const char *policy, struct sl_error *err) SL_NODISCARD;
/* What was decided `before` must have been decided from the same files as the record's inputs are
 * now, else SL_INVALID in `file`, naming one; inputs of a runtime's answer and of a measurement
 * stay with what they said: they are added. */
enum sl_status sl_decide_check_inputs(struct sl_record *record, const char *file,
                                      const struct sl_record_input *before, uint32_t count,
                                      struct sl_error *err) SL_NODISCARD;
/* Renames the record at `path` and the page beside it to the first free decision-N.yaml and
 * decision-N.md, and notes it among the new record's inputs as its "predecessor".  Nothing where
 * there is no file. */
enum sl_status sl_decide_set_aside(struct sl_record *record, const char *path,
                                   struct sl_error *err) SL_NODISCARD;
/* A record goes on only with the decision that it holds: what a runtime answered or somebody
 * measured is not about another point, baseline or other trials.  SL_USAGE, naming which it is of.
 */
enum sl_status sl_decide_check_same(const struct sl_record *was, const struct sl_record *now,
                                    const char *path, struct sl_error *err) SL_NODISCARD;
#endif
