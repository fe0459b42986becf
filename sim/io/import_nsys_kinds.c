/* Kinds of memory of an Nsight Systems database.  They are called as other profilers call them, so
 * that one copy has one name whatever recorded it. */
#include <config.h>

#include "import_nsys_parts.h"

static const char *const kind_names[] = {
    "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE",       "CUDA_MEMOPR_MEMORY_KIND_PINNED",
    "CUDA_MEMOPR_MEMORY_KIND_DEVICE",         "CUDA_MEMOPR_MEMORY_KIND_ARRAY",
    "CUDA_MEMOPR_MEMORY_KIND_MANAGED",        "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC",
    "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC",
};
enum { KINDS = sizeof kind_names / sizeof *kind_names };
static const enum sl_memory_kind kinds[KINDS] = {
    SL_MEMORY_PAGEABLE, SL_MEMORY_PINNED, SL_MEMORY_DEVICE, SL_MEMORY_ARRAY,
    SL_MEMORY_MANAGED,  SL_MEMORY_DEVICE, SL_MEMORY_MANAGED};

enum sl_memory_kind sl_nsys_memory_kind(const struct sl_nsys_import *import, int64_t id)
{
    uint32_t index = sl_nsys_enum_find(&import->kinds, id);
    return index == SL_NONE ? SL_MEMORY_UNKNOWN : kinds[index];
}

const char *sl_nsys_memory_word(enum sl_memory_kind kind)
{
    static const char *const words[SL_MEMORY_KINDS] = {
        [SL_MEMORY_UNKNOWN] = "Unknown", [SL_MEMORY_PAGEABLE] = "Pageable",
        [SL_MEMORY_PINNED] = "Pinned",   [SL_MEMORY_DEVICE] = "Device",
        [SL_MEMORY_ARRAY] = "Array",     [SL_MEMORY_MANAGED] = "Managed",
        [SL_MEMORY_HOST] = "Host"};
    return words[kind];
}

enum sl_status sl_nsys_read_kinds(struct sl_nsys_import *import, struct sl_error *err)
{
    import->kinds =
        (struct sl_nsys_enum){.table = "ENUM_CUDA_MEM_KIND", .names = kind_names, .count = KINDS};
    return sl_nsys_enum_read(import, &import->kinds, err);
}
