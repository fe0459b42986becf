/* Allocations of an Nsight Systems database (`nsys profile --cuda-memory-usage=true`). */
#include <config.h>

#include "import_nsys_parts.h"

enum { START, PROCESS, DEVICE, ADDRESS, BYTES, KIND, OPERATION };
static const struct sl_nsys_table table = {"CUDA_GPU_MEMORY_USAGE_EVENTS",
                                           .columns = {SL_NSYS_NEEDED("start"),
                                                       SL_NSYS_INT("globalPid"),
                                                       {"deviceId", true, false, 0, INT32_MAX},
                                                       SL_NSYS_INT("address"),
                                                       {"bytes", true, false, 0, INT64_MAX},
                                                       SL_NSYS_INT("memKind"),
                                                       SL_NSYS_NEEDED("memoryOperationType")}};

static const char *const operation_names[] = {"CUDA_DEV_MEM_EVENT_OPR_ALLOCATION",
                                              "CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION"};

static enum sl_status take_change(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  struct sl_error *err)
{
    uint32_t operation = sl_nsys_enum_find(&import->memory_operations, rows->cells[OPERATION]);
    if (operation == SL_NONE) {
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_EVENT,
                      "'memoryOperationType' %lld is neither an allocation nor a deallocation",
                      (long long)rows->cells[OPERATION]);
        return SL_OK;
    }
    struct sl_memory_event change = {.address = (uint64_t)sl_nsys_cell(rows, ADDRESS, 0),
                                     .bytes = rows->cells[BYTES],
                                     .allocated_bytes = -1,
                                     .reserved_bytes = -1};
    if (operation == 1)
        change.bytes = -change.bytes;
    if (!sl_timeline_at_ns(import->timeline, rows->cells[START], &change.t_ps)) {
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_EVENT,
                      "%lld ns is weeks away from the first record", (long long)rows->cells[START]);
        return SL_OK;
    }
    uint32_t process;
    enum sl_status status = sl_nsys_process(import, rows, PROCESS, &process, err);
    enum sl_memory_kind kind = sl_nsys_memory_kind(import, sl_nsys_cell(rows, KIND, -1));
    bool host = kind == SL_MEMORY_PAGEABLE || kind == SL_MEMORY_PINNED;
    change.device_type = !host;
    change.device = host ? -1 : (int32_t)sl_nsys_gpu(import, process, rows->cells[DEVICE]);
    return status ? status : sl_timeline_memory(import->timeline, &change, err);
}

enum sl_status sl_nsys_read_memory(struct sl_nsys_import *import, struct sl_error *err)
{
    import->memory_operations = (struct sl_nsys_enum){
        .table = "ENUM_CUDA_DEV_MEM_EVENT_OPER", .names = operation_names, .count = 2};
    enum sl_status status = sl_nsys_enum_read(import, &import->memory_operations, err);
    return status ? status : sl_nsys_each(import, &table, take_change, &import->others, err);
}
