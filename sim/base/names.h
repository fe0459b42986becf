/* Names and their indices. */
#ifndef SL_NAMES_H
#define SL_NAMES_H
#include "arena.h"

/* Maps names to dense indices 0, 1, 2 ... in order of first appearance.  Zero-initialise. */
struct sl_names {
    const char **names; /* index -> name */
    uint32_t count, capacity;
    struct sl_name_slot *slots; /* hash table; without the names of the base */
    uint32_t slot_count;        /* 0, or a power of 2 */
    struct sl_arena texts;
    const struct sl_names *base; /* whose names it shares (sl_names_share); NULL: none */
    uint32_t base_count;         /* names below this index are the base's */
};

/* The index of `name`, added when new; SL_NONE when out of memory. */
uint32_t sl_names_add(struct sl_names *names, const char *name);
/* The index of `name` or SL_NONE. */
uint32_t sl_names_find(const struct sl_names *names, const char *name);
/* Makes *copy (zero-initialised) a map that starts with the names of `names` and takes further ones
 * of its own; false when out of memory.  A plan adds few names to many, so the texts and the table
 * stay where they are: `names`, or what that one shares from, has to outlive the copy. */
bool sl_names_share(struct sl_names *copy, const struct sl_names *names) SL_NODISCARD;
void sl_names_free(struct sl_names *names);
#endif
