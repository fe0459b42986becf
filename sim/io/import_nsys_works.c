/* Kernels, memory sets and whole graphs of an Nsight Systems database. */
#include <config.h>

#include "import_nsys_parts.h"
#include <inttypes.h>

enum sl_status sl_nsys_add_work(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                struct sl_timeline_event *event, struct sl_error *err)
{
    uint32_t process;
    if (!sl_nsys_times(import, rows, SL_WORK_START, SL_WORK_END, event))
        return SL_OK;
    enum sl_status status = sl_nsys_process(import, rows, SL_WORK_PROCESS, &process, err);
    if (status == SL_OK)
        status = sl_nsys_stream(import, process, rows->cells[SL_WORK_DEVICE],
                                rows->cells[SL_WORK_STREAM], &event->lane, err);
    event->correlation = sl_nsys_correlation(rows, SL_WORK_CORRELATION, process);
    return status ? status : sl_timeline_add(import->timeline, event, err);
}

enum {
    KERNEL_NAME = SL_WORK_COLUMNS,
    SHORT_NAME,
    GRAPH_NODE,
    REGISTERS,
    STATIC_SHARED,
    DYNAMIC_SHARED,
    GRID,
    BLOCK = GRID + 3
};
static const struct sl_nsys_table kernels = {
    "CUPTI_ACTIVITY_KIND_KERNEL",
    .columns = {SL_WORK_COLUMN_LIST, SL_NSYS_INT("demangledName"), SL_NSYS_INT("shortName"),
                SL_NSYS_INT("graphNodeId"), SL_NSYS_U32("registersPerThread"),
                SL_NSYS_U32("staticSharedMemory"), SL_NSYS_U32("dynamicSharedMemory"),
                SL_NSYS_U32("gridX"), SL_NSYS_U32("gridY"), SL_NSYS_U32("gridZ"),
                SL_NSYS_U32("blockX"), SL_NSYS_U32("blockY"), SL_NSYS_U32("blockZ")}};

static enum sl_status take_kernel(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                  struct sl_error *err)
{
    struct sl_event_detail detail = sl_event_detail_none();
    struct sl_timeline_event event = {.kind = SL_EVENT_KERNEL, .bytes = -1, .detail = &detail};
    for (int i = 0; i < 3; i++) {
        detail.grid[i] = (uint32_t)sl_nsys_cell(rows, GRID + i, 0);
        detail.block[i] = (uint32_t)sl_nsys_cell(rows, BLOCK + i, 0);
    }
    detail.registers = (uint32_t)sl_nsys_cell(rows, REGISTERS, 0);
    detail.shared_bytes =
        (uint32_t)(sl_nsys_cell(rows, STATIC_SHARED, 0) + sl_nsys_cell(rows, DYNAMIC_SHARED, 0));
    detail.graph_node = sl_nsys_cell(rows, GRAPH_NODE, -1);
    int name = sl_nsys_has(rows, KERNEL_NAME) ? KERNEL_NAME : SHORT_NAME;
    enum sl_status status = sl_nsys_name(import, rows, name, &event.name, err);
    return status ? status : sl_nsys_add_work(import, rows, &event, err);
}

enum { SET_BYTES = SL_WORK_COLUMNS, SET_KIND, SET_GRAPH_NODE };
static const struct sl_nsys_table sets = {
    "CUPTI_ACTIVITY_KIND_MEMSET",
    .columns = {SL_WORK_COLUMN_LIST, SL_NSYS_IN("bytes", 0, INT64_MAX), SL_NSYS_INT("memKind"),
                SL_NSYS_INT("graphNodeId")}};

static enum sl_status take_set(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                               struct sl_error *err)
{
    struct sl_event_detail detail = sl_event_detail_none();
    struct sl_timeline_event event = {.kind = SL_EVENT_SET,
                                      .bytes = sl_nsys_cell(rows, SET_BYTES, -1)};
    detail.graph_node = sl_nsys_cell(rows, SET_GRAPH_NODE, -1);
    if (detail.graph_node >= 0)
        event.detail = &detail;
    char name[32];
    enum sl_memory_kind kind = sl_nsys_memory_kind(import, sl_nsys_cell(rows, SET_KIND, -1));
    snprintf(name, sizeof name, "Memset (%s)", sl_nsys_memory_word(kind));
    enum sl_status status = sl_nsys_literal(import, name, &event.name, err);
    return status ? status : sl_nsys_add_work(import, rows, &event, err);
}

/* With `--cuda-graph-trace=graph` a launched graph is one record and its kernels have none. */
enum { GRAPH = SL_WORK_COLUMNS };
static const struct sl_nsys_table graphs = {
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", .columns = {SL_WORK_COLUMN_LIST, SL_NSYS_INT("graphId")}};

static enum sl_status take_graph(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                 struct sl_error *err)
{
    struct sl_timeline_event event = {.kind = SL_EVENT_GPU_WORK, .bytes = -1};
    char name[48];
    snprintf(name, sizeof name, "CUDA graph %" PRId64, sl_nsys_cell(rows, GRAPH, 0));
    enum sl_status status = sl_nsys_literal(import, name, &event.name, err);
    return status ? status : sl_nsys_add_work(import, rows, &event, err);
}

enum sl_status sl_nsys_read_works(struct sl_nsys_import *import, struct sl_error *err)
{
    uint64_t *read = &import->works;
    enum sl_status status = sl_nsys_each(import, &kernels, take_kernel, read, err);
    if (status == SL_OK)
        status = sl_nsys_each(import, &sets, take_set, read, err);
    return status ? status : sl_nsys_each(import, &graphs, take_graph, read, err);
}
