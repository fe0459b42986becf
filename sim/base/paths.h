/* Paths from one folder to another, so that what moves together is found again. */
#ifndef SL_PATHS_H
#define SL_PATHS_H
#include "arena.h"

/* The folder that a file lies in: "." where its path names none.  NULL: out of memory. */
const char *sl_path_folder(struct sl_arena *arena, const char *file);
/* Where `path` lies seen from `folder` ("../scenario", "."), symbolic links resolved in both; *from
 * is NULL where one of them does not exist.  False: out of memory. */
bool sl_path_from(struct sl_arena *arena, const char *folder, const char *path, const char **from);
#endif
