/* What a results folder consists of besides the cells' contents: which files are ours, what of them
 * is removed when, and which process writes.  Files of others stay, whatever is removed. */
#ifndef SL_RESULTS_FOLDER_H
#define SL_RESULTS_FOLDER_H
#include "status.h"

struct sl_folder_lock {
    int fd;            /* the folder; -1: not locked */
    bool held;         /* false on a file system without locks, or a folder that cannot be read */
    const char *owner; /* the file that names who writes */
};

/* *empty: the folder is absent, or holds nothing but what a run leaves that was killed before its
 * manifest stood. */
enum sl_status sl_folder_look(const char *dir, bool *empty, struct sl_error *err) SL_NODISCARD;

/* Each is false when a file could not be removed, and errno says why. */
bool sl_folder_clear(const char *dir) SL_NODISCARD; /* all but the manifest and the cells' files */
bool sl_folder_clear_cells(const char *dir) SL_NODISCARD; /* the files of single cells */
bool sl_folder_clear_left(const char *dir) SL_NODISCARD;  /* these, and what killed runs left */
/* Of any folder, what ours() is true for; a folder that is not there has nothing. */
bool sl_folder_remove(const char *path, bool (*ours)(const char *name)) SL_NODISCARD;

/* Who writes into the folder, while it is locked: results, or the record in it, whose folder may
 * be anybody's. */
#define SL_FOLDER_OWNER   "running"
#define SL_FOLDER_DECIDER "decision.running"

/* One run at a time writes into a folder: two would mix their cells.  A second one is refused with
 * SL_SYSTEM, and the process and host of the first, from the file DIR/running.  The system drops
 * the lock with the process, however it ends; a file that it leaves then refuses nobody.  A file
 * system without locks gets none. */
enum sl_status sl_folder_lock(const char *dir, struct sl_folder_lock *lock,
                              struct sl_error *err) SL_NODISCARD;
/* The same lock for who writes a record there: the file is DIR/decision.running. */
enum sl_status sl_folder_lock_record(const char *dir, struct sl_folder_lock *lock,
                                     struct sl_error *err) SL_NODISCARD;
void sl_folder_unlock(const char *dir, struct sl_folder_lock *lock);
#endif
