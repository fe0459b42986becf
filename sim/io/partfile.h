/* A cell's part file in a results folder that is not finished: cells/NNNNN.part,
 *     slackline-part 2
 *     summary.csv BYTES CRC
 *     <that many bytes, of that CRC-32>
 *     trials.csv BYTES CRC
 *     ...
 * so that one rename makes the whole cell appear. */
#ifndef SL_PARTFILE_H
#define SL_PARTFILE_H
#include "status.h"

#define SL_PARTFILE_MAGIC "slackline-part 2\n"
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
struct sl_section {
    char name[32];
    size_t size;  /* bytes */
    uint32_t crc; /* of those, as zlib's crc32 */
};
/* Writes the section: its head, with the CRC of the bytes, and them; false: errno says why. */
bool sl_partfile_put(FILE *out, const char *name, const char *bytes, size_t size) SL_NODISCARD;
/* Reads the head of the next section; the stream is at its bytes then.  False at the end. */
bool sl_partfile_next(FILE *part, struct sl_section *section);
enum sl_copied { SL_COPIED, SL_COPY_DAMAGED, SL_COPY_NOT_WRITTEN };
/* Copies the section's bytes into `out` (NULL: nowhere) and holds them against its CRC. */
enum sl_copied sl_partfile_copy(FILE *part, const struct sl_section *section, FILE *out);
/* The cell has a file, and each section of it is what was written. */
bool sl_partfile_is_sound(const char *dir, uint32_t cell);
#endif
