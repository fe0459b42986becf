/* A cell's part file in a results folder that is not finished: cells/NNNNN.part,
 *     slackline-part 1
 *     summary.csv BYTES
 *     <that many bytes>
 *     trials.csv BYTES
 *     ...
 * so that one rename makes the whole cell appear. */
#ifndef SL_PARTFILE_H
#define SL_PARTFILE_H
#include "status.h"

#define SL_PARTFILE_MAGIC "slackline-part 1\n"
#define SL_PATH_SIZE      4096

/* DIR/cells/NNNNN.part into `path`, which is returned. */
const char *sl_partfile_path(const char *dir, uint32_t cell, char path[SL_PATH_SIZE]);
/* The stream at the cell's rows of one of the folder's files, or before them: in the part file, or
 * where the folder is finished in the file itself, at `position`.  NULL: they cannot be found. */
FILE *sl_partfile_rows(const char *dir, uint32_t cell, const char *file, long position);
/* Takes a row, "CELL,..." from its beginning, the `row`-th of its cell; false ends the reading. */
typedef bool (*sl_row_taker)(void *user, uint32_t row, const char *line);
/* Reads the cell's rows, which stand together, from such a stream; at most `most`.  Returns how
 * many were taken: fewer where the rows end, or memory. */
uint32_t sl_partfile_take(FILE *in, uint32_t cell, uint32_t most, sl_row_taker take, void *user);
/* The file behind its first line; fclose it.  NULL: errno says why, 0 that it is no such file. */
FILE *sl_partfile_open(const char *dir, uint32_t cell);
/* Reads the head of the next section; the stream is at its bytes then.  False at the end. */
bool sl_partfile_next(FILE *part, char name[32], size_t *size);
#endif
