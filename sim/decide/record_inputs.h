/* The files that a record was made from, held against those that a scenario is read from now, by
 * what they hold. */
#ifndef SL_RECORD_INPUTS_H
#define SL_RECORD_INPUTS_H
#include "record.h"
#include "scenario.h"

/* A file of a scenario (role "scenario" or "baseline"), as against those that a runtime, a
 * measurement or a search brought. */
bool sl_record_is_scenarios(const struct sl_record_input *input);
/* The input of the record in the role of `like` that is the same file: the same name in the
 * scenario's folder; of a file that lies outside of it, which may have moved, also the last part of
 * the path with the same contents.  NULL: there is none. */
const struct sl_record_input *sl_record_find_input(const struct sl_record *record,
                                                   const struct sl_record_input *like);
/* SL_INVALID unless the files that the scenario was read from are the record's inputs in that role,
 * each of them and no others, naming the first that is not. */
enum sl_status sl_record_check_inputs(const struct sl_record *record,
                                      const struct sl_scenario *scenario, const char *role,
                                      struct sl_error *err) SL_NODISCARD;
/* SL_INVALID where a file of a scenario that was given by an absolute path, as a device, is not there
 * any more, neither with that path nor seen from the record with the same contents. */
enum sl_status sl_record_check_devices(const struct sl_record *record,
                                       struct sl_error *err) SL_NODISCARD;
/* "device=FOLDER" of a device that was given by an absolute path: where its file was found by its
 * contents, if not where the settings say (`settings` of that role).  NULL: nothing to override, or
 * out of memory, which *good says. */
const char *sl_record_moved_device(const struct sl_record *record, const char *role,
                                   const struct sl_record_texts *settings, struct sl_arena *arena,
                                   bool *good);
#endif
