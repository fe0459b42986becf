/* Preloaded into a program: lets one allocation fail, or all from one on.
 *
 * SL_FAIL_ALLOC=N    the N-th allocation returns NULL, as on a machine without memory
 * SL_FAIL_FROM=N     and so does each one after it
 * SL_FAIL_STACKS=F   at the end, F has a line for each distinct stack of callers: the number of the
 * first allocation that it made; and last, the number of all SL_FAIL_TRACE=F    F has the callers
 * of the first allocation that failed (for addr2line)
 *
 * Allocations are counted over all threads from the start of main.  Of glibc's own, those that go
 * through malloc (getline, strdup, open_memstream, stdio's buffers) are among them. */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEPTH  24
#define STACKS (1u << 16)

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t count, size_t size);
static void *(*real_realloc)(void *old, size_t size);
static void *(*real_aligned_alloc)(size_t alignment, size_t size);
static int (*real_posix_memalign)(void **out, size_t alignment, size_t size);

static atomic_ulong made;
static atomic_bool counting;
static unsigned long fails, fails_from;
static const char *stacks_file, *trace_file;
static uint64_t seen[STACKS];
static unsigned long first[STACKS];
static unsigned stack_count;
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
}

static unsigned long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    void *frames[2];
    if (!real_malloc)
        find_real();
    backtrace(frames, 2); /* loads what it needs */
    fails = number_of("SL_FAIL_ALLOC");
    fails_from = number_of("SL_FAIL_FROM");
    stacks_file = getenv("SL_FAIL_STACKS");
    trace_file = getenv("SL_FAIL_TRACE");
    unsetenv("LD_PRELOAD"); /* not into gnuplot */
    atomic_store(&counting, true);
}

/* One thread only: a run that is recorded has one. */
static void note_stack(unsigned long number)
{
    void *frames[DEPTH];
    int depth = backtrace(frames, DEPTH);
    uint64_t hash = 1469598103934665603u;
    for (int i = 2; i < depth; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211u;
    unsigned slot = (unsigned)(hash % STACKS);
    while (first[slot] != 0 && seen[slot] != hash)
        slot = (slot + 1) % STACKS;
    if (first[slot] == 0 && stack_count < STACKS / 2) {
        seen[slot] = hash;
        first[slot] = number;
        stack_count++;
    }
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

static bool fail_now(void)
{
    if (!atomic_load(&counting) || inside)
        return false;
    unsigned long number = atomic_fetch_add(&made, 1) + 1;
    if (stacks_file) {
        inside = true;
        note_stack(number);
        inside = false;
    }
    if (number != fails && (fails_from == 0 || number < fails_from))
        return false;
    if (trace_file)
        trace();
    errno = ENOMEM;
    return true;
}

static int by_number(const void *a, const void *b)
{
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
    return (x > y) - (x < y);
}

__attribute__((destructor)) static void end(void)
{
    atomic_store(&counting, false);
    FILE *out = stacks_file ? fopen(stacks_file, "w") : NULL;
    if (!out)
        return;
    qsort(first, STACKS, sizeof first[0], by_number);
    for (unsigned i = 0; i < STACKS; i++)
        if (first[i] != 0)
            fprintf(out, "%lu\n", first[i]);
    fprintf(out, "%lu\n", atomic_load(&made));
    fclose(out);
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
