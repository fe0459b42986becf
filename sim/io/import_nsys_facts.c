/* What an Nsight Systems database says about itself: version, devices, what its profiler lost, and
 * what it has that no timeline shows. */
#include <config.h>

#include "import_nsys_parts.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The newest schema whose columns were looked at. */
enum { KNOWN_MAJOR = 3, KNOWN_MINOR = 24 };

static struct sl_place place_of(const struct sl_nsys_import *import)
{
    return (struct sl_place){.file = import->db.path};
}

static enum sl_status take_version(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                   struct sl_error *err)
{
    (void)err;
    size_t bytes;
    const char *name = sl_nsys_text(rows, 0, &bytes), *value = sl_nsys_text(rows, 1, &bytes);
    if (!name || !value || strcmp(name, "EXPORT_SCHEMA_VERSION") != 0)
        return SL_OK;
    char *rest;
    long major = strtol(value, &rest, 10), minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;
    if (major > KNOWN_MAJOR || (major == KNOWN_MAJOR && minor > KNOWN_MINOR))
        sl_diags_add(import->diags, SL_NOTE, "new-schema", place_of(import),
                     "its schema %.40s is newer than %d.%d; columns are found by their names",
                     value, KNOWN_MAJOR, KNOWN_MINOR);
    return SL_OK;
}

enum sl_status sl_nsys_read_version(struct sl_nsys_import *import, struct sl_error *err)
{
    /* By the name of old exports and of new ones. */
    static const struct sl_nsys_table tables[] = {
        {"EXPORT_META_DATA", .columns = {SL_NSYS_TEXT("name"), SL_NSYS_TEXT("value")}},
        {"META_DATA_EXPORT", .columns = {SL_NSYS_TEXT("name"), SL_NSYS_TEXT("value")}}};
    enum sl_status status = sl_nsys_each(import, &tables[0], take_version, NULL, err);
    return status ? status : sl_nsys_each(import, &tables[1], take_version, NULL, err);
}

static enum sl_status take_device(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  struct sl_error *err)
{
    size_t bytes;
    const char *text = sl_nsys_text(rows, 1, &bytes);
    if (!text || (import->has_device && rows->cells[0] >= import->first_device))
        return SL_OK;
    uint32_t name;
    enum sl_status status = sl_nsys_add_name(import, rows, text, bytes, &name, err);
    if (status)
        return status;
    import->has_device = true;
    import->first_device = rows->cells[0];
    import->timeline->device_name = import->timeline->names.names[name];
    return SL_OK;
}

enum sl_status sl_nsys_read_devices(struct sl_nsys_import *import, struct sl_error *err)
{
    static const struct sl_nsys_table table = {
        "TARGET_INFO_GPU", .columns = {SL_NSYS_NEEDED("id"), SL_NSYS_TEXT("name")}};
    return sl_nsys_each(import, &table, take_device, NULL, err);
}

/* Whether a message of the profiler says that records are missing. */
static bool says_lost(const char *text)
{
    static const char *const words[] = {"lost",    "drop",     "not all",
                                        "discard", "overflow", "incomplete"};
    char lower[512];
    size_t i = 0;
    for (; text[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    lower[i] = '\0';
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strstr(lower, words[w]))
            return true;
    return false;
}

enum { SEVERITY, TEXT };
enum { WARNING, ERROR, SEVERITIES };
/* So many different messages are quoted, each up to so many bytes. */
enum { MOST_QUOTED = 5, QUOTED_BYTES = 300 };

static enum sl_status take_message(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                   struct sl_error *err)
{
    size_t bytes;
    const char *text = sl_nsys_text(rows, TEXT, &bytes);
    if (!text || sl_nsys_enum_find(&import->severities, rows->cells[SEVERITY]) == SL_NONE)
        return SL_OK;
    bool lost = says_lost(text);
    import->timeline->hazards[SL_HAZARD_LOST] += lost;
    char quote[QUOTED_BYTES + 1];
    sl_nsys_mend(quote, text, bytes < QUOTED_BYTES ? bytes : QUOTED_BYTES);
    if (import->messages.count >= MOST_QUOTED || sl_names_find(&import->messages, quote) != SL_NONE)
        return SL_OK;
    if (sl_names_add(&import->messages, quote) == SL_NONE)
        return SL_FAIL_AT(err, SL_SYSTEM, place_of(import), "out of memory for messages");
    sl_diags_add(import->diags, lost ? SL_WARNING : SL_NOTE,
                 lost ? sl_hazard_name(SL_HAZARD_LOST) : "profiler-says", place_of(import),
                 "%s, row %lld: the profiler says: %s", rows->table->name, (long long)rows->row,
                 quote);
    return SL_OK;
}

enum sl_status sl_nsys_read_messages(struct sl_nsys_import *import, struct sl_error *err)
{
    static const char *const names[SEVERITIES] = {"Warning", "Error"};
    static const int64_t usual[SEVERITIES] = {2, 3};
    static const struct sl_nsys_table table = {
        "DIAGNOSTIC_EVENT", .columns = {SL_NSYS_NEEDED("severity"), SL_NSYS_TEXT("text")}};
    import->severities = (struct sl_nsys_enum){.table = "ENUM_DIAGNOSTIC_SEVERITY_LEVEL",
                                               .names = names,
                                               .count = SEVERITIES,
                                               .usual = usual};
    enum sl_status status = sl_nsys_enum_read(import, &import->severities, err);
    return status ? status : sl_nsys_each(import, &table, take_message, NULL, err);
}

enum sl_status sl_nsys_count_others(struct sl_nsys_import *import, struct sl_error *err)
{
    static const char *const tables[] = {"OSRT_API",
                                         "SCHED_EVENTS",
                                         "COMPOSITE_EVENTS",
                                         "GPU_METRICS",
                                         "CUDNN_EVENTS",
                                         "CUBLAS_EVENTS",
                                         "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
                                         "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
                                         "GPU_CONTEXT_SWITCH_EVENTS",
                                         "MPI_P2P_EVENTS",
                                         "MPI_COLLECTIVES_EVENTS",
                                         "CUDA_GRAPH_NODE_EVENTS",
                                         "CUDA_GPU_MEMORY_POOL_EVENTS"};
    enum sl_status status = SL_OK;
    for (size_t i = 0; status == SL_OK && i < sizeof tables / sizeof *tables; i++) {
        uint64_t count;
        status = sl_nsys_row_count(&import->db, tables[i], &count, err);
        if (status == SL_OK && count > 0)
            status = sl_timeline_count(import->timeline, &import->timeline->left_out, tables[i],
                                       count, err);
    }
    return status;
}

enum sl_status sl_nsys_say_no_works(struct sl_nsys_import *import, struct sl_error *err)
{
    if (import->works > 0)
        return SL_OK;
    static const char lacks[] = "CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET, _GRAPH_TRACE";
    if (import->calls + import->ranges + import->waits == 0)
        return SL_FAIL_AT(
            err, SL_INVALID, place_of(import),
            "an SQLite database without work of a GPU, calls or ranges as Nsight Systems "
            "exports them (%s, _RUNTIME, _SYNCHRONIZATION; NVTX_EVENTS)",
            lacks);
    sl_diags_add(import->diags, SL_WARNING, "no-gpu-work", place_of(import),
                 "no work of a GPU: it has %llu calls of the CUDA API, %llu waits and %llu ranges, "
                 "but no row in any of %s",
                 (unsigned long long)import->calls, (unsigned long long)import->waits,
                 (unsigned long long)import->ranges, lacks);
    sl_diags_suggest(import->diags,
                     "record it again with `nsys profile --trace=cuda,nvtx`, on a machine whose "
                     "driver lets CUPTI trace the GPU");
    return SL_OK;
}
