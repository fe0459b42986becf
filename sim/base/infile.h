/* An input file read whole into memory. */
#ifndef SL_INFILE_H
#define SL_INFILE_H
#include "arena.h"

/* Opens `path` to read it; *fd is the caller's.  Errors as of sl_infile_read. */
enum sl_status sl_infile_open(const char *path, int *fd, struct sl_error *err) SL_NODISCARD;
/* Reads the regular file `path` into `arena`; (*data)[*size] exists and is 0, so a reader may look
 * one byte past the end or overwrite that byte.  A file that does not exist, is no regular file or
 * is above `limit` bytes is SL_INVALID, one that cannot be read SL_SYSTEM. */
enum sl_status sl_infile_read(const char *path, int64_t limit, struct sl_arena *arena, char **data,
                              size_t *size, struct sl_error *err) SL_NODISCARD;

bool sl_is_ascii(const char *text, size_t size);
/* Offset of the first byte that is not valid UTF-8 (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF), `size` when all of it is. */
size_t sl_utf8_fault(const char *text, size_t size);
/* Characters in valid UTF-8 text: bytes that do not continue a character. */
size_t sl_utf8_length(const char *text, size_t size);
#endif
