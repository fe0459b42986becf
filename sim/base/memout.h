/* A stream into memory that knows when it lost something.
 *
 * open_memstream of glibc does not: neither a print that had no room nor a close that had none sets
 * an error, and the text ends early, or is NULL. */
#ifndef SL_MEMOUT_H
#define SL_MEMOUT_H
#include "status.h"

struct sl_memout {
    FILE *stream; /* write here; ftell tells how much there is */
    char *text;
    size_t size, capacity;
    bool lost;
};

/* False: out of memory, and nothing is open. */
bool sl_memout_open(struct sl_memout *out) SL_NODISCARD;
/* Closes the stream.  All that was written, with a NUL behind `size` bytes: malloc'ed, the
 * caller's. NULL: some of it was lost, for want of memory. */
char *sl_memout_close(struct sl_memout *out) SL_NODISCARD;
/* Closes the stream and drops what was written.  Harmless after a close. */
void sl_memout_drop(struct sl_memout *out);
#endif
