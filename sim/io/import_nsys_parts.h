/* Inside of the reader of Nsight Systems databases: what its files share. */
#ifndef SL_IMPORT_NSYS_PARTS_H
#define SL_IMPORT_NSYS_PARTS_H
#include "import_nsys_db.h"

/* Numbers that a table of the file gives names to (ENUM_...). */
enum { SL_NSYS_MOST_IDS = 16 };
struct sl_nsys_enum {
    const char *table;
    const char *const *names;
    uint32_t count;
    const int64_t *usual; /* numbers in files without the table; NULL: 0, 1, 2 ... */
    int64_t
        ids[SL_NSYS_MOST_IDS]; /* the file's number of the i-th name; from sl_nsys_enum_read on */
};
/* The index of `id`, SL_NONE when it is none of ours. */
static inline uint32_t sl_nsys_enum_find(const struct sl_nsys_enum *e, int64_t id)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->ids[i] == id)
            return i;
    return SL_NONE;
}

/* StringIds.  Names of the timeline by the number of the string, found when first asked for. */
struct sl_nsys_strings {
    struct sl_nsys_rows find;
    uint32_t *names; /* SL_NONE: not asked for yet */
    uint32_t capacity;
};

struct sl_nsys_import {
    struct sl_nsys_db db;
    struct sl_timeline *timeline;
    struct sl_diags *diags;
    struct sl_nsys_strings strings;
    struct sl_names processes; /* their global numbers in decimal */
    int64_t last_process;      /* the global number that was asked for last, and its index */
    uint32_t last_index;
    struct sl_names gpu_keys; /* "process:device", as TARGET_INFO_CUDA_DEVICE pairs them */
    int64_t *gpus;            /* the machine's number of that device */
    uint32_t gpu_capacity;
    struct sl_nsys_enum ways, kinds; /* of copies and of memory */
    struct sl_nsys_enum stream_types;
    struct sl_names stream_keys; /* "process:stream", as TARGET_INFO_CUDA_STREAM pairs them */
    uint8_t *types;              /* enum sl_stream_type of that stream */
    uint32_t type_capacity;
    struct sl_nsys_enum range_types, memory_operations, severities;
    struct sl_nsys_records *records; /* of events, while waits are read */
    struct sl_names messages;        /* of the profiler, that were quoted */
    bool has_device;
    int64_t first_device;                         /* the lowest number of a named GPU so far */
    uint64_t works, calls, ranges, waits, others; /* rows read */
};

/* import_nsys.c.  Counts a hazard at the current row; the first of each are said. */
void sl_nsys_fault(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                   enum sl_trace_hazard hazard, const char *format, ...) SL_PRINTF(4, 5);
/* Counts the bad cells of the current row.  False: one of them is needed, the row is left out. */
bool sl_nsys_row_good(struct sl_nsys_import *import, const struct sl_nsys_rows *rows);
/* Calls `take` with every row of a table; *rows_read (may be NULL) counts them. */
typedef enum sl_status sl_nsys_take(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                    struct sl_error *err);
enum sl_status sl_nsys_each(struct sl_nsys_import *import, const struct sl_nsys_table *table,
                            sl_nsys_take *take, uint64_t *rows_read,
                            struct sl_error *err) SL_NODISCARD;

/* import_nsys_names.c */
enum sl_status sl_nsys_strings_open(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
void sl_nsys_strings_close(struct sl_nsys_strings *strings);
/* The timeline's name for a string of the file; `column` holds its number.  A string that is not
 * there is a hazard and named "?". */
enum sl_status sl_nsys_name(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                            int column, uint32_t *name, struct sl_error *err) SL_NODISCARD;
/* Copies `bytes` bytes and ends them with a NUL; what is no character of UTF-8, or is a control
 * character, becomes '?'.  False: something did. */
bool sl_nsys_mend(char *copy, const char *text, size_t bytes);
/* The timeline's name for a text of ours. */
enum sl_status sl_nsys_literal(struct sl_nsys_import *import, const char *text, uint32_t *name,
                               struct sl_error *err) SL_NODISCARD;
/* The timeline's name for a text of the file, mended where it is no UTF-8 or holds control
 * characters. */
enum sl_status sl_nsys_add_name(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                const char *text, size_t bytes, uint32_t *name,
                                struct sl_error *err) SL_NODISCARD;
/* Fills the file's numbers, from its own table where it has one; a number that this does not name
 * is then none of ours. */
enum sl_status sl_nsys_enum_read(struct sl_nsys_import *import, struct sl_nsys_enum *e,
                                 struct sl_error *err) SL_NODISCARD;

/* import_nsys_lanes.c.  Global numbers hold a process in their bits from 24 on and a thread in the
 * 24 below. */
enum sl_status sl_nsys_read_gpus(struct sl_nsys_import *import, struct sl_error *err) SL_NODISCARD;
/* Types of the streams that are lanes by then. */
enum sl_status sl_nsys_read_streams(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_threads(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
/* The cell `column` is a globalPid or globalTid. */
enum sl_status sl_nsys_process(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                               int column, uint32_t *process, struct sl_error *err) SL_NODISCARD;
/* Correlations are numbered per process; those of the first are kept as they are. */
int64_t sl_nsys_correlation(const struct sl_nsys_rows *rows, int column, uint32_t process);
/* The machine's number of the device that a process calls `device`. */
int64_t sl_nsys_gpu(const struct sl_nsys_import *import, uint32_t process, int64_t device);
/* `stream` negative: any stream of the device.  Streams are numbered per process; those of the
 * first are kept as they are, and lanes of others say in their names whose they are. */
enum sl_status sl_nsys_stream(struct sl_nsys_import *import, uint32_t process, int64_t device,
                              int64_t stream, uint32_t *lane, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_thread(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                              int column, uint32_t *lane, struct sl_error *err) SL_NODISCARD;
/* Fills start and end; false: the row is left out and counted. */
bool sl_nsys_times(struct sl_nsys_import *import, const struct sl_nsys_rows *rows, int start,
                   int end, struct sl_timeline_event *event);

/* import_nsys_works.c.  Columns that every table of works has, before its own. */
enum {
    SL_WORK_START,
    SL_WORK_END,
    SL_WORK_PROCESS,
    SL_WORK_CORRELATION,
    SL_WORK_DEVICE,
    SL_WORK_STREAM,
    SL_WORK_COLUMNS
};
#define SL_WORK_COLUMN_LIST                                                                        \
    SL_NSYS_NEEDED("start"), SL_NSYS_NEEDED("end"), SL_NSYS_INT("globalPid"),                      \
        SL_NSYS_U32("correlationId"), {"deviceId", true, false, 0, UINT32_MAX},                    \
    {                                                                                              \
        "streamId", true, false, 0, UINT32_MAX                                                     \
    }
/* Adds an event that has its kind and name, at the row's times and stream. */
enum sl_status sl_nsys_add_work(struct sl_nsys_import *import, const struct sl_nsys_rows *rows,
                                struct sl_timeline_event *event, struct sl_error *err) SL_NODISCARD;
/* import_nsys_kinds.c.  Kinds of memory by the file's numbers, and their words in names. */
enum sl_status sl_nsys_read_kinds(struct sl_nsys_import *import, struct sl_error *err) SL_NODISCARD;
enum sl_memory_kind sl_nsys_memory_kind(const struct sl_nsys_import *import, int64_t id);
const char *sl_nsys_memory_word(enum sl_memory_kind kind);

/* One file each: tables of one subject. */
enum sl_status sl_nsys_read_works(struct sl_nsys_import *import, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_copies(struct sl_nsys_import *import,
                                   struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_calls(struct sl_nsys_import *import, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_waits(struct sl_nsys_import *import, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_memory(struct sl_nsys_import *import,
                                   struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_version(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_devices(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_nsys_read_messages(struct sl_nsys_import *import,
                                     struct sl_error *err) SL_NODISCARD;
/* Counts the rows of tables that no reader of a timeline asks for. */
enum sl_status sl_nsys_count_others(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
/* Says what a file without works of a GPU has; SL_INVALID when it has nothing. */
enum sl_status sl_nsys_say_no_works(struct sl_nsys_import *import,
                                    struct sl_error *err) SL_NODISCARD;
#endif
