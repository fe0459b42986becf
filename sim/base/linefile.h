/* A text file read line by line in bounded memory: files of any length, lines of at most 1 MiB. */
#ifndef SL_LINEFILE_H
#define SL_LINEFILE_H
#include "status.h"

#define SL_LINE_MOST ((size_t)1 << 20)

struct sl_linefile {
    const char *path; /* borrowed */
    int fd;
    int line;     /* of the one read last, from 1 */
    char *buffer; /* what was read and not yet given out is [begin, end) */
    size_t begin, end, capacity;
    bool ended;
};

/* Opens the regular file `path`, which has to outlive the reader; errors as of sl_infile_read.
 * After SL_OK, sl_linefile_close releases. */
enum sl_status sl_linefile_open(struct sl_linefile *file, const char *path,
                                struct sl_error *err) SL_NODISCARD;
/* The next line, NUL-terminated, without its end (LF or CRLF) and without a byte order mark; NULL
 * at the end of the file.  It may be changed, and lasts until the next call.  A NUL byte and a line
 * above the limit are SL_INVALID at their line. */
enum sl_status sl_linefile_next(struct sl_linefile *file, char **line, size_t *length,
                                struct sl_error *err) SL_NODISCARD;
void sl_linefile_close(struct sl_linefile *file);

static inline struct sl_place sl_linefile_place(const struct sl_linefile *file, size_t offset)
{
    return (struct sl_place){file->path, file->line, (int)offset + 1};
}
#endif
