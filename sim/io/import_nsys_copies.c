/* Memory copies of an Nsight Systems database.  They are named as other profilers name them, so
 * that one copy has one name whatever recorded it. */
#include <config.h>

#include "import_nsys_parts.h"

enum { BYTES = SL_WORK_COLUMNS, COPY_KIND, FROM_KIND, TO_KIND, FROM_DEVICE, TO_DEVICE, GRAPH_NODE };
static const struct sl_nsys_table copies = {
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    .columns = {SL_WORK_COLUMN_LIST, SL_NSYS_IN("bytes", 0, INT64_MAX), SL_NSYS_INT("copyKind"),
                SL_NSYS_INT("srcKind"), SL_NSYS_INT("dstKind"), SL_NSYS_U32("srcDeviceId"),
                SL_NSYS_U32("dstDeviceId"), SL_NSYS_INT("graphNodeId")}};

/* The ways of ENUM_CUDA_MEMCPY_OPER, in the order of their numbers in schemas without that table.
 */
static const char *const way_names[] = {
    "CUDA_MEMCPY_KIND_UNKNOWN",  "CUDA_MEMCPY_KIND_HTOD",     "CUDA_MEMCPY_KIND_DTOH",
    "CUDA_MEMCPY_KIND_HTOA",     "CUDA_MEMCPY_KIND_ATOH",     "CUDA_MEMCPY_KIND_ATOA",
    "CUDA_MEMCPY_KIND_ATOD",     "CUDA_MEMCPY_KIND_DTOA",     "CUDA_MEMCPY_KIND_DTOD",
    "CUDA_MEMCPY_KIND_HTOH",     "CUDA_MEMCPY_KIND_PTOP",     "CUDA_MEMCPY_KIND_UVM_HTOD",
    "CUDA_MEMCPY_KIND_UVM_DTOH", "CUDA_MEMCPY_KIND_UVM_DTOD",
};
enum { WAYS = sizeof way_names / sizeof *way_names };
static const struct way {
    const char *label;
    char from, to; /* Host, Device, Array; '?' not known */
} ways[WAYS] = {{"Memcpy", '?', '?'},      {"Memcpy HtoD", 'H', 'D'}, {"Memcpy DtoH", 'D', 'H'},
                {"Memcpy HtoA", 'H', 'A'}, {"Memcpy AtoH", 'A', 'H'}, {"Memcpy AtoA", 'A', 'A'},
                {"Memcpy AtoD", 'A', 'D'}, {"Memcpy DtoA", 'D', 'A'}, {"Memcpy DtoD", 'D', 'D'},
                {"Memcpy HtoH", 'H', 'H'}, {"Memcpy PtoP", 'D', 'D'}, {"Memcpy HtoD", 'M', 'M'},
                {"Memcpy DtoH", 'M', 'M'}, {"Memcpy DtoD", 'M', 'M'}};

/* The way says on which side the host is, whatever the kind's number meant in an old export. */
static enum sl_memory_kind end_of(char side, enum sl_memory_kind stated)
{
    bool managed = stated == SL_MEMORY_MANAGED;
    switch (side) {
    case 'H':
        return managed || stated == SL_MEMORY_PAGEABLE || stated == SL_MEMORY_PINNED
                   ? stated
                   : SL_MEMORY_HOST;
    case 'D':
        return managed ? stated : SL_MEMORY_DEVICE;
    case 'A':
        return SL_MEMORY_ARRAY;
    case 'M':
        return SL_MEMORY_MANAGED;
    default:
        return stated;
    }
}

static enum sl_status name_copy(struct sl_nsys_import *import, const char *label,
                                const struct sl_event_detail *detail, uint32_t *name,
                                struct sl_error *err)
{
    char text[64];
    snprintf(text, sizeof text, "%s (%s -> %s)", label, sl_nsys_memory_word(detail->from),
             sl_nsys_memory_word(detail->to));
    return sl_nsys_literal(import, text, name, err);
}

static enum sl_status take_copy(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                struct sl_error *err)
{
    struct sl_event_detail detail = sl_event_detail_none();
    struct sl_timeline_event event = {
        .kind = SL_EVENT_COPY, .bytes = sl_nsys_cell(rows, BYTES, -1), .detail = &detail};
    uint32_t index = sl_nsys_enum_find(&import->ways, sl_nsys_cell(rows, COPY_KIND, -1));
    const struct way *way = &ways[index == SL_NONE ? 0 : index];
    detail.from = end_of(way->from, sl_nsys_memory_kind(import, sl_nsys_cell(rows, FROM_KIND, -1)));
    detail.to = end_of(way->to, sl_nsys_memory_kind(import, sl_nsys_cell(rows, TO_KIND, -1)));
    detail.from_device = sl_nsys_cell(rows, FROM_DEVICE, -1);
    detail.to_device = sl_nsys_cell(rows, TO_DEVICE, -1);
    detail.graph_node = sl_nsys_cell(rows, GRAPH_NODE, -1);
    enum sl_status status = name_copy(import, way->label, &detail, &event.name, err);
    return status ? status : sl_nsys_add_work(import, rows, &event, err);
}

enum sl_status sl_nsys_read_copies(struct sl_nsys_import *import, struct sl_error *err)
{
    import->ways =
        (struct sl_nsys_enum){.table = "ENUM_CUDA_MEMCPY_OPER", .names = way_names, .count = WAYS};
    enum sl_status status = sl_nsys_enum_read(import, &import->ways, err);
    return status ? status : sl_nsys_each(import, &copies, take_copy, &import->works, err);
}
