/* Files written whole or not at all: temporary name, fsync, rename; and SHA-256 of inputs. */
#ifndef SL_OUTFILE_H
#define SL_OUTFILE_H
#include "status.h"

struct sl_outfile {
    FILE *stream;    /* write here */
    char path[4096]; /* final name */
    char temp[4096 + 16];
};

enum sl_status sl_outfile_open(struct sl_outfile *file, const char *path,
                               struct sl_error *err) SL_NODISCARD;
/* The same for DIR/NAME. */
enum sl_status sl_outfile_open_in(struct sl_outfile *file, const char *dir, const char *name,
                                  struct sl_error *err) SL_NODISCARD;
/* Flushes and syncs, so that the disk has all of it: a full one shows here, before anything is
 * renamed. SL_SYSTEM with the file and the reason; the file stays open. */
enum sl_status sl_outfile_flush(struct sl_outfile *file, struct sl_error *err) SL_NODISCARD;
/* Flushes, syncs and renames into place; on failure the temporary file is removed. */
enum sl_status sl_outfile_commit(struct sl_outfile *file, struct sl_error *err) SL_NODISCARD;
/* Drops the temporary file.  Harmless after a commit. */
void sl_outfile_abandon(struct sl_outfile *file);

/* Whether a folder's entry of that name is what a killed process left of a file that was not
 * committed. */
bool sl_outfile_is_left(const char *name);

/* Lower-case hexadecimal SHA-256 of a file (libmd). */
enum sl_status sl_file_sha256(const char *path, char hex[65], struct sl_error *err) SL_NODISCARD;
/* Creates `path` and its parents; an existing directory is fine. */
enum sl_status sl_make_dirs(const char *path, struct sl_error *err) SL_NODISCARD;
#endif
