/* The classes of the cpu backend and their sizes.
 *
 * Sizes follow from the machine's caches and pages alone, so that all sessions on one machine
 * measure the same cases.  A unit takes 200 us or more on any of today's machines (60 GB/s a core
 * from memory, 100 GB/s from the shared cache, 50 ns a hop, 60 GFLOP/s, 0.2 us a page fault). */
#include "config.h"

#include "cpu_works.h"
#include <string.h>

enum { SIZES_MOST = 6 };

static const struct sl_work_form plain[] = {{"", "", "", "", ""}};
/* What is in a cache when the work begins; cold: after more than the caches hold has been read. */
static const struct sl_work_form cached[] = {{"", "", "", "", "warm"}, {"", "", "", "", "cold"}};

/* What a class counts its sizes in: a part of the last-level cache that makes good sizes of works
 * in memory or in that cache, half the first cache, a line, a page. */
enum base { BASE_MEMORY, BASE_SHARED, BASE_BLOCK, BASE_LINE, BASE_PAGE, BASES };
static const struct {
    const char *name, *description;
    enum base base;
    int64_t sizes[SIZES_MOST];
    int64_t victim, unit; /* 0: never one */
    bool cached;
} specs[SL_CPU_CLASSES] = {
    /* clang-format off */
    [SL_CPU_STREAM] = {"stream", "triad a = b + s c through memory",
                       BASE_MEMORY, {1, 4, 16, 64, 256, 1024}, 64, 256, false},
    [SL_CPU_READ] = {"read", "a sum over memory",
                     BASE_MEMORY, {1, 4, 16, 64, 256, 1024}, 64, 256, false},
    [SL_CPU_MEMCPY] = {"memcpy", "a copy from memory to memory",
                       BASE_MEMORY, {1, 4, 16, 64, 256, 1024}, 64, 128, false},
    [SL_CPU_L3READ] = {"l3read", "a sum over what lies in the shared cache",
                       BASE_SHARED, {1, 4, 16, 64}, 16, 64, true},
    [SL_CPU_CHASE] = {"chase", "dependent loads from memory, a line each",
                      BASE_LINE, {256, 1024, 4096, 16384}, 4096, 4096, false},
    [SL_CPU_COMPUTE] = {"compute", "multiply-adds on what lies in the first cache",
                        BASE_BLOCK, {2, 8, 32, 128}, 32, 128, true},
    [SL_CPU_MAP] = {"map", "memory mapped, touched page by page and unmapped",
                    BASE_PAGE, {16, 64, 256, 1024}, 256, 512, false},
    [SL_CPU_ALLOC] = {"alloc", "memory mapped and unmapped, untouched",
                      BASE_PAGE, {16, 256, 4096}, 0, 0, false},
    /* clang-format on */
};

static int64_t base_bytes(const struct sl_cpu_machine *machine, enum base base)
{
    int64_t cache = 1, block = 1;
    while (2 * cache <= machine->last_level_bytes)
        cache *= 2;
    while (4 * block <= machine->l1_bytes)
        block *= 2;
    const int64_t bases[BASES] = {
        [BASE_MEMORY] = cache / 512,       [BASE_SHARED] = cache / 256,
        [BASE_LINE] = machine->line_bytes, [BASE_BLOCK] = block,
        [BASE_PAGE] = machine->page_bytes,
    };
    return bases[base];
}

const struct sl_work_class *sl_cpu_classes(const struct sl_cpu_machine *machine,
                                           struct sl_arena *arena)
{
    struct sl_work_class *classes = sl_arena_array(arena, SL_CPU_CLASSES, sizeof *classes);
    int64_t *sizes = sl_arena_array(arena, (size_t)SL_CPU_CLASSES * SIZES_MOST, sizeof *sizes);
    double *flops = sl_arena_array(arena, SIZES_MOST, sizeof *flops);
    if (!classes || !sizes || !flops)
        return NULL;
    for (uint32_t c = 0; c < SL_CPU_CLASSES; c++, sizes += SIZES_MOST) {
        int64_t base = base_bytes(machine, specs[c].base);
        classes[c] = (struct sl_work_class){
            .name = specs[c].name,
            .description = specs[c].description,
            .forms = specs[c].cached ? cached : plain,
            .form_count = specs[c].cached ? 2 : 1,
            .sizes = sizes,
            .victim_bytes = specs[c].victim * base,
            .unit_bytes = specs[c].unit * base,
        };
        for (uint32_t i = 0; i < SIZES_MOST && specs[c].sizes[i] > 0; i++)
            sizes[classes[c].size_count++] = specs[c].sizes[i] * base;
    }
    for (uint32_t i = 0; i < classes[SL_CPU_COMPUTE].size_count; i++)
        flops[i] = SL_CPU_FLOP_PER_BYTE * (double)classes[SL_CPU_COMPUTE].sizes[i];
    classes[SL_CPU_COMPUTE].flops = flops;
    if (!machine->last_level_shared)
        classes[SL_CPU_L3READ].waived = "the system shows no cache behind the cores' own";
    return classes;
}
