/* The files of a replay: timeline.csv and repetitions.csv while it goes on, verdict.csv, drift.csv,
 * deviations.csv, overlaps.csv, slowdowns.csv, orders.csv and replay.csv at its end. */
#ifndef SL_REPLAY_FILES_H
#define SL_REPLAY_FILES_H
#include "judge.h"
#include "outfile.h"
#include "replay_verdict.h"
#include "results_folder.h"

struct sl_replay_files {
    const char *dir; /* NULL: nothing is written */
    const struct sl_replay_plan *plan;
    struct sl_outfile timeline, repetitions;
    struct sl_folder_lock lock;
};

/* Makes the folder, and opens what is written while the replay goes on.  SL_USAGE when the folder
 * holds anything, but what a killed replay left, and `force` doesn't allow for it; SL_SYSTEM while
 * another process writes into it. */
enum sl_status sl_replay_files_open(struct sl_replay_files *files, bool force,
                                    struct sl_error *err) SL_NODISCARD;
/* A repetition, counted from 1. */
void sl_replay_files_add(struct sl_replay_files *files, uint32_t repetition,
                         const struct sl_replay_log *log, const char *regime,
                         enum sl_reject reject);
/* Puts into place what was written so far. */
enum sl_status sl_replay_files_commit(struct sl_replay_files *files,
                                      struct sl_error *err) SL_NODISCARD;
/* Drops what was not committed, and lets others write into the folder. */
void sl_replay_files_close(struct sl_replay_files *files);
enum sl_status sl_replay_files_verdict(const struct sl_replay_files *files,
                                       const struct sl_replay_verdict *verdict,
                                       const struct sl_cell *cell,
                                       struct sl_error *err) SL_NODISCARD;
/* The verdict for people. */
void sl_replay_report(FILE *out, const struct sl_replay_verdict *verdict,
                      const struct sl_replay_plan *plan, const struct sl_cell *cell);
#endif
