/* The record that `slackline decide --force` replaces: it stays beside the new one. */
#ifndef SL_DECIDE_BEFORE_H
#define SL_DECIDE_BEFORE_H
#include "record.h"

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
