/* Preloaded into a program: lets one allocation fail, or all from one on.
 *
 * SL_FAIL_ALLOC=N    the N-th allocation returns NULL, as on a machine without memory
 * SL_FAIL_FROM=N     and so does each one after it
 * SL_FAIL_PLACES=F   at the end, F has a line for each allocation with a place of a call among its
 *                    callers that no earlier one had: its number; and last, the number of all
 *                    in F.seen, places that earlier runs had, and now those of this one
 * SL_FAIL_TRACE=F    F has the callers of the first allocation that failed (for addr2line)
 *
 * Allocations are counted over all threads from the start of main.  Of glibc's own, those that go
 * through malloc (getline, strdup, open_memstream, stdio's buffers) are among them.  In a program
 * that has the arenas in a shared library, each request to an arena is one, too, as if its block
 * ended there. */
#include <config.h>

#include "arena.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEPTH  40
#define PLACES (1u << 16)

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t count, size_t size);
static void *(*real_realloc)(void *old, size_t size);
static void *(*real_aligned_alloc)(size_t alignment, size_t size);
static int (*real_posix_memalign)(void **out, size_t alignment, size_t size);
static void *(*real_arena_alloc)(struct sl_arena *arena, size_t bytes);

static atomic_ulong made;
static atomic_bool counting;
static unsigned long fails, fails_from;
static const char *places_file, *trace_file;
static uint64_t seen[PLACES]; /* keys of return addresses, hashed */
static unsigned long first[PLACES];
static unsigned place_count, first_count;
static _Thread_local bool inside;
static char early[4096]; /* what dlsym asks for before there is a calloc */
static size_t early_used;

static void find_real(void)
{
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&real_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    *(void **)&real_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    *(void **)&real_arena_alloc = dlsym(RTLD_NEXT, "sl_arena_alloc");
}

static unsigned long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

/* Whether a key is a new one; it is noted. */
static bool is_new(uint64_t key)
{
    unsigned slot = (unsigned)(key >> 40) % PLACES;
    while (seen[slot] && seen[slot] != key)
        slot = (slot + 1) % PLACES;
    if (seen[slot] || place_count == PLACES / 2)
        return false;
    seen[slot] = key;
    place_count++;
    return true;
}

static FILE *open_seen(const char *mode)
{
    char name[4096];
    int length = snprintf(name, sizeof name, "%s.seen", places_file);
    return length > 0 && (size_t)length < sizeof name ? fopen(name, mode) : NULL;
}

static void read_seen(void)
{
    FILE *in = open_seen("r");
    uint64_t key;
    while (in && fscanf(in, "%" SCNx64, &key) == 1)
        is_new(key);
    if (in)
        fclose(in);
}

static void write_seen(void)
{
    FILE *out = open_seen("w");
    for (unsigned i = 0; out && i < PLACES; i++)
        if (seen[i])
            fprintf(out, "%" PRIx64 "\n", seen[i]);
    if (out)
        fclose(out);
}

__attribute__((constructor)) static void begin(void)
{
    void *frames[2];
    if (!real_malloc)
        find_real();
    backtrace(frames, 2); /* loads what it needs */
    fails = number_of("SL_FAIL_ALLOC");
    fails_from = number_of("SL_FAIL_FROM");
    places_file = getenv("SL_FAIL_PLACES");
    trace_file = getenv("SL_FAIL_TRACE");
    if (places_file)
        read_seen();
    unsetenv("LD_PRELOAD"); /* not into gnuplot */
    atomic_store(&counting, true);
}

/* The same in each process, wherever its libraries are loaded. */
static uint64_t key_of(const void *place)
{
    Dl_info in;
    if (!dladdr(place, &in))
        return 1;
    uint64_t key = (uint64_t)((uintptr_t)place - (uintptr_t)in.dli_fbase);
    for (const char *c = in.dli_fname; *c; c++)
        key = (key ^ (unsigned char)*c) * 1099511628211u;
    return key * 0x9e3779b97f4a7c15u | 1;
}

/* One thread only: a run that is recorded has one. */
static void note_places(unsigned long number)
{
    void *frames[DEPTH];
    int depth = backtrace(frames, DEPTH);
    bool any = false;
    for (int i = 2; i < depth; i++)
        any |= is_new(key_of(frames[i]));
    if (any && first_count < PLACES)
        first[first_count++] = number;
}

static void trace(void)
{
    void *frames[DEPTH];
    int file = open(trace_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    inside = true;
    backtrace_symbols_fd(frames, backtrace(frames, DEPTH), file);
    inside = false;
    close(file);
    trace_file = NULL;
}

static void stop(void)
{
    atomic_store(&counting, false);
}

static bool fail_now(void)
{
    if (!atomic_load(&counting) || inside)
        return false;
    unsigned long number = atomic_fetch_add(&made, 1) + 1;
    if (number == 1)
        atexit(stop); /* the counters of coverage, which are written later, are not the program's */
    if (places_file) {
        inside = true;
        note_places(number);
        inside = false;
    }
    if (number != fails && (fails_from == 0 || number < fails_from))
        return false;
    if (trace_file)
        trace();
    errno = ENOMEM;
    return true;
}

__attribute__((destructor)) static void end(void)
{
    FILE *out = places_file ? fopen(places_file, "w") : NULL;
    if (!out)
        return;
    for (unsigned i = 0; i < first_count; i++)
        fprintf(out, "%lu\n", first[i]);
    fprintf(out, "%lu\n", atomic_load(&made));
    fclose(out);
    write_seen();
}

void *malloc(size_t size)
{
    if (!real_malloc)
        find_real();
    return fail_now() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!real_calloc) { /* dlsym asks: served from a store that is never given back */
        size_t bytes = (count * size + 15) & ~(size_t)15;
        if (early_used + bytes > sizeof early)
            return NULL;
        early_used += bytes;
        return early + early_used - bytes;
    }
    return fail_now() ? NULL : real_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (!real_realloc)
        find_real();
    return fail_now() ? NULL : real_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (!real_aligned_alloc)
        find_real();
    return fail_now() ? NULL : real_aligned_alloc(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (!real_posix_memalign)
        find_real();
    return fail_now() ? ENOMEM : real_posix_memalign(out, alignment, size);
}

void *sl_arena_alloc(struct sl_arena *arena, size_t bytes)
{
    if (fail_now()) {
        arena->starved = true;
        return NULL;
    }
    return real_arena_alloc(arena, bytes);
}
