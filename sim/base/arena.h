/* A bump allocator: many allocations, one release.
 *
 *     block:  [ header | used ............ | free ............ ]
 *
 * Blocks grow geometrically; memory is zeroed and 16-byte aligned. */
#ifndef SL_ARENA_H
#define SL_ARENA_H
#include "status.h"

struct sl_arena_block;
struct sl_arena_release;
struct sl_arena {
    struct sl_arena_block *head;
    struct sl_arena_release *releases; /* the latest first */
    size_t total; /* bytes obtained from the system */
    size_t limit; /* refuse to grow past this many bytes; 0: no limit */
    bool starved; /* it was the system that had no memory for it, at least once, not the limit */
};

/* Returns zeroed memory owned by the arena, NULL when memory or the limit is exhausted. */
void *sl_arena_alloc(struct sl_arena *arena, size_t bytes);
/* Like sl_arena_alloc for count * size, NULL on overflow. */
void *sl_arena_array(struct sl_arena *arena, size_t count, size_t size);
char *sl_arena_strdup(struct sl_arena *arena, const char *text);
char *sl_arena_printf(struct sl_arena *arena, const char *format, ...) SL_PRINTF(2, 3);
/* What the arena's memory refers to: sl_arena_free calls release(what), the latest first.  False, and
 * nothing is called, when memory or the limit is exhausted. */
bool sl_arena_on_free(struct sl_arena *arena, void (*release)(void *what),
                      void *what) SL_NODISCARD;
void sl_arena_free(struct sl_arena *arena);

/* Grows a malloc'ed array so that it holds at least `need` elements; false when out of memory. */
bool sl_grow(void **items, uint32_t *capacity, uint32_t need, size_t size) SL_NODISCARD;
#endif
