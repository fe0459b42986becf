/* The bump allocator.  Under AddressSanitizer the free part of a block and a gap after each
 * allocation are poisoned, so that an overrun inside a block is caught like one of malloc's. */
#include <config.h>

#include "arena.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define REDZONE        16u
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define REDZONE        0u
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#define ALIGN        16u
#define LINE         64u /* bytes of a cache line: where arrays begin, so that their elements ... */
#define ARRAY        1024u /* ... of 32 and 64 bytes lie in one; smaller requests stay dense */
#define FIRST_BLOCK  4096u
#define LARGEST_STEP ((size_t)64 << 20) /* beyond this, doubling wastes more than it saves */

struct sl_arena_block {
    struct sl_arena_block *next;
    size_t size, used; /* of the bytes after the header */
    size_t pad;        /* keeps the header a multiple of ALIGN */
};

struct sl_arena_release {
    struct sl_arena_release *next;
    void (*release)(void *what);
    void *what;
};

static char *block_bytes(struct sl_arena_block *block)
{
    return (char *)(block + 1);
}

static bool within_limit(const struct sl_arena *arena, size_t whole)
{
    return !arena->limit || (whole <= arena->limit && arena->total <= arena->limit - whole);
}

static struct sl_arena_block *new_block(struct sl_arena *arena, size_t size)
{
    size_t whole = sizeof(struct sl_arena_block) + size;
    if (!within_limit(arena, whole))
        return NULL;
    struct sl_arena_block *block = calloc(1, whole);
    if (!block)
        return NULL;
    block->size = size;
    arena->total += whole;
    POISON(block_bytes(block), size);
    return block;
}

/* A block with room for `need` bytes.  A large request gets a block of its own behind the head, so
 * that the head's free rest stays in use. */
static struct sl_arena_block *block_for(struct sl_arena *arena, size_t need)
{
    struct sl_arena_block *head = arena->head;
    if (head && head->size - head->used >= need)
        return head;
    size_t step = head ? 2 * head->size : FIRST_BLOCK - sizeof(struct sl_arena_block);
    if (step > LARGEST_STEP)
        step = LARGEST_STEP;
    struct sl_arena_block *block = need <= step ? new_block(arena, step) : NULL;
    if (!block)
        block = new_block(arena, need);
    if (!block)
        return NULL;
    if (head && need > step / 2 && block->size == need) {
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    return block;
}

void *sl_arena_alloc(struct sl_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t need = ((bytes ? bytes : 1) + ALIGN - 1) / ALIGN * ALIGN + REDZONE;
    if (bytes >= ARRAY)
        need += LINE - ALIGN;
    struct sl_arena_block *block = block_for(arena, need);
    if (!block) {
        arena->starved |= within_limit(arena, sizeof *block + need);
        return NULL;
    }
    char *memory = block_bytes(block) + block->used;
    block->used += need;
    if (bytes >= ARRAY)
        memory += -(uintptr_t)memory % LINE;
    UNPOISON(memory, bytes);
    return memory;
}

void *sl_arena_array(struct sl_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return sl_arena_alloc(arena, count * size);
}

char *sl_arena_strdup(struct sl_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = sl_arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *sl_arena_printf(struct sl_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : sl_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

bool sl_arena_on_free(struct sl_arena *arena, void (*release)(void *what), void *what)
{
    struct sl_arena_release *node = sl_arena_alloc(arena, sizeof *node);
    if (!node)
        return false;
    *node = (struct sl_arena_release){arena->releases, release, what};
    arena->releases = node;
    return true;
}

void sl_arena_free(struct sl_arena *arena)
{
    for (const struct sl_arena_release *r = arena->releases; r; r = r->next)
        r->release(r->what);
    arena->releases = NULL;
    struct sl_arena_block *block = arena->head;
    while (block) {
        struct sl_arena_block *next = block->next;
        UNPOISON(block_bytes(block), block->size);
        free(block);
        block = next;
    }
    arena->head = NULL;
    arena->total = 0;
}

bool sl_grow(void **items, uint32_t *capacity, uint32_t need, size_t size)
{
    if (need <= *capacity)
        return true;
    uint32_t wanted = *capacity > UINT32_MAX / 2 ? UINT32_MAX : 2 * *capacity;
    if (wanted < 8)
        wanted = 8;
    if (wanted < need)
        wanted = need;
    if (size && wanted > SIZE_MAX / size)
        return false;
    void *grown = realloc(*items, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}
