/* Numbers and bytes on their way from one process to another of the same program on the same kind
 * of machine.  One function describes what travels, for both directions: it is called with a wire
 * that writes on one side, and with one that reads on the other.
 *
 * Zero-initialise to write; sl_wire_reading makes one that reads.  What does not fit the bytes, or
 * memory, breaks the wire: every later call does nothing, and whoever ends looks at `broken`. */
#ifndef SL_WIRE_H
#define SL_WIRE_H
#include "status.h"

struct sl_wire {
    unsigned char *bytes;
    size_t size, capacity; /* of the bytes written, or there to be read */
    size_t at;             /* read up to here */
    bool reading, broken;
};

/* Borrows the bytes. */
struct sl_wire sl_wire_reading(void *bytes, size_t size);
/* Releases what was written. */
void sl_wire_free(struct sl_wire *wire);
/* The value as it is in memory. */
void sl_wire_copy(struct sl_wire *wire, void *value, size_t size);
/* Writing sends `text` (NULL: "") and returns it; reading returns what came, which lives as long as
 * the bytes, and "" from a broken wire. */
const char *sl_wire_text(struct sl_wire *wire, const char *text);
/* Reading: passes over bytes that nobody wants. */
void sl_wire_skip(struct sl_wire *wire, size_t size);
/* Sums: reading adds to what is there. */
void sl_wire_sum_u32(struct sl_wire *wire, uint32_t *sums, size_t count);
void sl_wire_sum_u64(struct sl_wire *wire, uint64_t *sums, size_t count);
void sl_wire_sum_i64(struct sl_wire *wire, int64_t *sums, size_t count);
/* Reading keeps the larger one. */
void sl_wire_max_i64(struct sl_wire *wire, int64_t *value);
/* Reading sets what is set on either side. */
void sl_wire_any(struct sl_wire *wire, bool *flags, size_t count);
/* The bytes not read yet; they are read then. */
const unsigned char *sl_wire_rest(struct sl_wire *wire, size_t *size);
#endif
