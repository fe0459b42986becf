/* Who did what when: processes, streams, threads and times of an Nsight Systems database. */
#include <config.h>

#include "import_nsys_parts.h"
#include <inttypes.h>
#include <stdlib.h>

/* A global number, from its low bits: thread, process id, virtual machine. */
enum { THREAD_BITS = 24, THREAD_MASK = (1 << 24) - 1, PID_MASK = (1 << 24) - 1 };

static enum sl_status no_memory(struct sl_nsys_import *import, struct sl_error *err)
{
    return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = import->db.path},
                      "out of memory for processes and lanes");
}

enum sl_status sl_nsys_process(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                               int column, uint32_t *process, struct sl_error *err)
{
    *process = 0;
    if (!sl_nsys_has(rows, column))
        return SL_OK;
    int64_t global = rows->cells[column] >> THREAD_BITS;
    if (import->processes.count == 0 || global != import->last_process) {
        char key[24];
        snprintf(key, sizeof key, "%" PRId64, global);
        import->last_process = global;
        import->last_index = sl_names_add(&import->processes, key);
        if (import->last_index == SL_NONE)
            return no_memory(import, err);
    }
    *process = import->last_index;
    return SL_OK;
}

int64_t sl_nsys_correlation(const struct sl_nsys_rows *rows, int column, uint32_t process)
{
    int64_t correlation = sl_nsys_cell(rows, column, 0);
    return correlation > 0 ? (int64_t)process << 32 | correlation : -1;
}

/* A process numbers the devices that it may see from 0; the machine's numbers tell them apart. */
static enum sl_status take_gpu(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                               struct sl_error *err)
{
    char key[48];
    snprintf(key, sizeof key, "%" PRId64 ":%" PRId64, rows->cells[2], rows->cells[1]);
    uint32_t index = sl_names_add(&import->gpu_keys, key);
    if (index == SL_NONE ||
        !sl_grow((void **)&import->gpus, &import->gpu_capacity, index + 1, sizeof *import->gpus))
        return no_memory(import, err);
    import->gpus[index] = rows->cells[0];
    return SL_OK;
}

enum sl_status sl_nsys_read_gpus(struct sl_nsys_import *import, struct sl_error *err)
{
    static const struct sl_nsys_table table = {
        "TARGET_INFO_CUDA_DEVICE",
        .columns = {SL_NSYS_NEEDED("gpuId"), SL_NSYS_NEEDED("cudaId"), SL_NSYS_NEEDED("pid")}};
    return sl_nsys_each(import, &table, take_gpu, NULL, err);
}

static int64_t pid_of_process(const struct sl_nsys_import *import, uint32_t process)
{
    return process < import->processes.count
               ? strtoll(import->processes.names[process], NULL, 10) & PID_MASK
               : 0;
}

int64_t sl_nsys_gpu(const struct sl_nsys_import *import, uint32_t process, int64_t device)
{
    if (import->gpu_keys.count == 0)
        return device;
    char key[48];
    snprintf(key, sizeof key, "%" PRId64 ":%" PRId64, pid_of_process(import, process), device);
    uint32_t index = sl_names_find(&import->gpu_keys, key);
    return index == SL_NONE ? device : import->gpus[index];
}

static enum sl_status name_stream(struct sl_nsys_import *import, uint32_t process, int64_t stream,
                                  struct sl_lane *lane, struct sl_error *err)
{
    char name[80];
    snprintf(name, sizeof name, "stream %" PRId64 " of process %" PRId64, stream,
             pid_of_process(import, process));
    lane->name = sl_names_add(&import->timeline->names, name);
    return lane->name == SL_NONE ? no_memory(import, err) : SL_OK;
}

enum sl_status sl_nsys_stream(struct sl_nsys_import *import, uint32_t process, int64_t device,
                              int64_t stream, uint32_t *lane, struct sl_error *err)
{
    int64_t number = stream < 0 ? -1 : (int64_t)process << 32 | stream;
    enum sl_status status = sl_timeline_lane(
        import->timeline, SL_LANE_STREAM, sl_nsys_gpu(import, process, device), number, lane, err);
    if (status == SL_OK && process > 0 && stream >= 0 &&
        import->timeline->lanes[*lane].name == SL_NONE)
        status = name_stream(import, process, stream, &import->timeline->lanes[*lane], err);
    return status;
}

#define STREAM_TYPE "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_"

/* A number of two contexts that make it of different types is of none. */
static enum sl_status take_stream(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  struct sl_error *err)
{
    char key[48];
    snprintf(key, sizeof key, "%" PRId64 ":%" PRId64, rows->cells[0], rows->cells[1]);
    uint32_t known = import->stream_keys.count, index = sl_names_add(&import->stream_keys, key);
    if (index == SL_NONE ||
        !sl_grow((void **)&import->types, &import->type_capacity, index + 1, sizeof *import->types))
        return no_memory(import, err);
    uint32_t type = sl_nsys_enum_find(&import->stream_types, rows->cells[2]);
    uint8_t found = type == SL_NONE ? SL_STREAM_UNKNOWN : (uint8_t)type;
    import->types[index] =
        index == known || import->types[index] == found ? found : SL_STREAM_UNKNOWN;
    return SL_OK;
}

enum sl_status sl_nsys_read_streams(struct sl_nsys_import *import, struct sl_error *err)
{
    static const char *const names[] = {[SL_STREAM_UNKNOWN] = STREAM_TYPE "UNKNOWN",
                                        [SL_STREAM_BLOCKING] = STREAM_TYPE "DEFAULT",
                                        [SL_STREAM_NON_BLOCKING] = STREAM_TYPE "NON_BLOCKING",
                                        [SL_STREAM_LEGACY] = STREAM_TYPE "NULL"};
    static const struct sl_nsys_table table = {
        "TARGET_INFO_CUDA_STREAM", .columns = {SL_NSYS_NEEDED("processId"),
                                               SL_NSYS_NEEDED("streamId"), SL_NSYS_NEEDED("flag")}};
    import->stream_types = (struct sl_nsys_enum){
        .table = "ENUM_CUPTI_STREAM_TYPE", .names = names, .count = sizeof names / sizeof *names};
    enum sl_status status = sl_nsys_enum_read(import, &import->stream_types, err);
    if (status == SL_OK)
        status = sl_nsys_each(import, &table, take_stream, NULL, err);
    for (uint32_t i = 0; i < import->timeline->lane_count && status == SL_OK; i++) {
        struct sl_lane *lane = &import->timeline->lanes[i];
        if (lane->kind != SL_LANE_STREAM || lane->number < 0)
            continue;
        char key[48];
        snprintf(key, sizeof key, "%" PRId64 ":%" PRId64,
                 pid_of_process(import, (uint32_t)(lane->number >> 32)),
                 lane->number & INT64_C(0xffffffff));
        uint32_t index = sl_names_find(&import->stream_keys, key);
        if (index != SL_NONE)
            lane->stream_type = (enum sl_stream_type)import->types[index];
    }
    return status;
}

enum sl_status sl_nsys_thread(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                              int column, uint32_t *lane, struct sl_error *err)
{
    int64_t global = sl_nsys_cell(rows, column, 0);
    return sl_timeline_lane(import->timeline, SL_LANE_THREAD, global >> THREAD_BITS & PID_MASK,
                            global & THREAD_MASK, lane, err);
}

/* Names only threads that did something: a machine has many more. */
static enum sl_status take_thread(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  struct sl_error *err)
{
    int64_t global = rows->cells[1];
    uint32_t lane = sl_timeline_find_lane(import->timeline, SL_LANE_THREAD,
                                          global >> THREAD_BITS & PID_MASK, global & THREAD_MASK);
    if (lane == SL_NONE)
        return SL_OK;
    return sl_nsys_name(import, rows, 0, &import->timeline->lanes[lane].name, err);
}

enum sl_status sl_nsys_read_threads(struct sl_nsys_import *import, struct sl_error *err)
{
    static const struct sl_nsys_table table = {
        "ThreadNames", .columns = {SL_NSYS_NEEDED("nameId"), SL_NSYS_NEEDED("globalTid")}};
    return sl_nsys_each(import, &table, take_thread, NULL, err);
}

bool sl_nsys_times(struct sl_nsys_import *import, const struct sl_nsys_rows *rows, int start,
                   int end, struct sl_timeline_event *event)
{
    int64_t start_ns = rows->cells[start], end_ns = rows->cells[end];
    if (end_ns < start_ns) {
        sl_nsys_fault(import, rows, SL_HAZARD_REVERSED,
                      "ends at %" PRId64 " ns, before it starts at %" PRId64 " ns", end_ns,
                      start_ns);
        return false;
    }
    if (!sl_timeline_at_ns(import->timeline, start_ns, &event->start_ps) ||
        !sl_timeline_at_ns(import->timeline, end_ns, &event->end_ps)) {
        sl_nsys_fault(import, rows, SL_HAZARD_BAD_EVENT,
                      "from %" PRId64 " to %" PRId64 " ns is weeks away from the first record",
                      start_ns, end_ns);
        return false;
    }
    return true;
}
