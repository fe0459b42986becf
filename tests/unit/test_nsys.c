/* The reader of Nsight Systems databases on databases that are built here: every schema, every kind
 * of record, every hazard.  What is expected was put in by hand. */
#include <config.h>

#include "harness.h"
#include "nsyslab.h"

#define KERNEL "CUPTI_ACTIVITY_KIND_KERNEL"
#define MEMCPY "CUPTI_ACTIVITY_KIND_MEMCPY"
#define CALLS  "CUPTI_ACTIVITY_KIND_RUNTIME"
#define US     INT64_C(1000000) /* ps */

static struct nsyslab lab;

static void setup(void)
{
    nsyslab_open(&lab);
    nsyslab_sql(&lab,
                "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
                "INSERT INTO StringIds VALUES (1, 'launch'), (2, 'copy'), (3, 'k1'), (4, 'k2'),"
                " (5, 'wait'), (6, 'step')");
}

static void teardown(void)
{
    nsyslab_free(&lab);
}

static void calls_table(void)
{
    nsyslab_sql(&lab, "CREATE TABLE " CALLS " (start INTEGER NOT NULL, end INTEGER NOT NULL, "
                      "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "
                      "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL)");
}

static void call(int64_t start, int64_t end, int64_t tid, int64_t correlation, int name)
{
    char sql[256];
    snprintf(sql, sizeof sql, "INSERT INTO " CALLS " VALUES (%lld, %lld, 0, %lld, %lld, %d, 0)",
             (long long)start, (long long)end, (long long)tid, (long long)correlation, name);
    nsyslab_sql(&lab, sql);
}

static void kernels_table(void)
{
    nsyslab_sql(&lab, "CREATE TABLE " KERNEL " (start INTEGER, end INTEGER, deviceId INTEGER, "
                      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
                      "demangledName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
                      "blockX INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, "
                      "dynamicSharedMemory INTEGER, graphNodeId INTEGER)");
}

static void kernel(const char *values)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "INSERT INTO " KERNEL " (start, end, deviceId, streamId, correlationId, globalPid, "
             "demangledName) VALUES (%s)",
             values);
    nsyslab_sql(&lab, sql);
}

static void imported(uint32_t events)
{
    nsyslab_import(&lab);
    ck_assert_msg(lab.status == SL_OK, "%s", lab.err.message);
    ck_assert_uint_eq(lab.timeline.count, events);
}

static uint64_t hazard(enum sl_trace_hazard which)
{
    return lab.timeline.hazards[which];
}

static void no_hazards_but(enum sl_trace_hazard which, uint64_t count)
{
    for (int i = 0; i < SL_HAZARDS; i++)
        ck_assert_msg(hazard(i) == (i == (int)which ? count : 0), "%s: %llu", sl_hazard_name(i),
                      (unsigned long long)hazard(i));
}

/* Columns as schema 3.24 has them, with the file's own numbers for kinds. */
START_TEST(new_schema)
{
    calls_table();
    kernels_table();
    nsyslab_sql(
        &lab,
        "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.14');"
        "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 1, 'second'), (0, 0, 'first'), (0, 2, 'third');"
        "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
        "INSERT INTO ThreadNames VALUES (6, 20, 1694498835), (6, 20, 5);"
        "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER, name TEXT, label TEXT);"
        "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (7, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');"
        "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER, name TEXT, label TEXT);"
        "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (40, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), "
        "(41, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device');"
        "CREATE TABLE " MEMCPY " (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
        "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, "
        "srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, dstDeviceId INTEGER);"
        "INSERT INTO " MEMCPY " VALUES (3000, 4000, 0, 7, 11, 1694498816, 4096, 7, 40, 41, "
        "NULL, NULL);"
        "INSERT INTO " KERNEL " VALUES (5000, 9000, 0, 7, 12, 1694498816, 3, 10, 2, 1, 256, 40, "
        "1024, 512, NULL)");
    call(1000, 1500, TID(101, 19), 11, 2);
    call(1600, 1700, TID(101, 19), 12, 1);
    imported(4);
    no_hazards_but(SL_HAZARDS, 0);
    ck_assert_str_eq(lab.timeline.device_name, "first");
    ck_assert_uint_eq(lab.diags.count, 0);
    ck_assert_uint_eq(lab.timeline.read, 4);
    uint32_t copy = find_event(&lab, "Memcpy HtoD (Pinned -> Device)"), k = find_event(&lab, "k1");
    ck_assert_uint_ne(copy, SL_NONE);
    ck_assert_int_eq(lab.timeline.start_ps[copy], 2 * 1000 * US / 1000);
    ck_assert_int_eq(lab.timeline.end_ps[copy] - lab.timeline.start_ps[copy], US);
    ck_assert_int_eq(lab.timeline.bytes[copy], 4096);
    ck_assert_str_eq(event_name(&lab, lab.timeline.cause[copy]), "copy");
    ck_assert_str_eq(event_name(&lab, lab.timeline.cause[k]), "launch");
    const struct sl_event_detail *detail = &lab.timeline.details[lab.timeline.detail[k]];
    ck_assert_uint_eq(detail->grid[0], 10);
    ck_assert_uint_eq(detail->grid[1], 2);
    ck_assert_uint_eq(detail->block[0], 256);
    ck_assert_uint_eq(detail->block[1], 0); /* the table has no such column */
    ck_assert_uint_eq(detail->registers, 40);
    ck_assert_uint_eq(detail->shared_bytes, 1536);
    ck_assert_int_eq(detail->graph_node, -1);
    uint32_t thread = sl_timeline_find_lane(&lab.timeline, SL_LANE_THREAD, 101, 19);
    ck_assert_uint_ne(thread, SL_NONE);
    ck_assert_str_eq(lab.timeline.names.names[lab.timeline.lanes[thread].name], "step");
    ck_assert_uint_eq(sl_timeline_find_lane(&lab.timeline, SL_LANE_THREAD, 0, 5), SL_NONE);
    ck_assert_uint_eq(lab.timeline.lane_count, 2);
}
END_TEST

/* Without any ENUM table and version, as before schema 3: numbers are the profiler's usual ones,
 * and the end on a device says what the other kind's number cannot. */
START_TEST(old_schema)
{
    nsyslab_sql(&lab,
                "CREATE TABLE " MEMCPY " (start INTEGER, end INTEGER, deviceId INTEGER, "
                "streamId INTEGER, correlationId INTEGER, bytes INTEGER, copyKind INTEGER, "
                "srcKind INTEGER, dstKind INTEGER);"
                "INSERT INTO " MEMCPY " VALUES (10, 20, 0, 7, 1, 8, 1, 0, 2), (20, 30, 0, 7, 2, 8, "
                "2, 3, 2), (30, 40, 0, 7, 3, 8, 8, 2, 2), (40, 50, 0, 7, 4, 8, 99, NULL, NULL), "
                "(50, 60, 0, 7, 5, 8, 11, 2, 2), (60, 70, 0, 7, 6, 8, 3, 1, NULL);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, "
                "deviceId INTEGER, streamId INTEGER, bytes INTEGER, memKind INTEGER);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (70, 80, 0, 7, 64, 2)");
    imported(7);
    no_hazards_but(SL_HAZARD_NO_LAUNCH, 7);
    static const char *const names[] = {"Memcpy HtoD (Pageable -> Device)",
                                        "Memcpy DtoH (Device -> Host)",
                                        "Memcpy DtoD (Device -> Device)",
                                        "Memcpy (Unknown -> Unknown)",
                                        "Memcpy HtoD (Managed -> Managed)",
                                        "Memcpy HtoA (Pinned -> Array)",
                                        "Memset (Device)"};
    for (uint32_t i = 0; i < 7; i++)
        ck_assert_str_eq(event_name(&lab, i), names[i]);
    ck_assert_int_eq(lab.timeline.bytes[6], 64);
}
END_TEST

/* Two processes number their calls, streams and devices alike. */
START_TEST(two_processes)
{
    calls_table();
    kernels_table();
    call(10, 20, TID(101, 1), 5, 1);
    call(11, 21, TID(102, 1), 5, 2);
    kernel("30, 40, 0, 7, 5, 1694498816, 3"); /* of 101 */
    kernel("31, 41, 0, 7, 5, 1711276032, 4"); /* of 102, at the same time */
    imported(4);
    no_hazards_but(SL_HAZARDS, 0);
    uint32_t k1 = find_event(&lab, "k1"), k2 = find_event(&lab, "k2");
    ck_assert_str_eq(event_name(&lab, lab.timeline.cause[k1]), "launch");
    ck_assert_str_eq(event_name(&lab, lab.timeline.cause[k2]), "copy");
    const struct sl_lane *lane = &lab.timeline.lanes[lab.timeline.lane[k2]];
    ck_assert_str_eq(lab.timeline.names.names[lane->name], "stream 7 of process 102");
    ck_assert_uint_ne(lab.timeline.lane[k1], lab.timeline.lane[k2]);
}
END_TEST

/* Each sees one device, which it calls 0. */
START_TEST(devices_of_processes)
{
    kernels_table();
    kernel("30, 40, 0, 7, 5, 1694498816, 3");
    kernel("31, 41, 0, 7, 5, 1711276032, 4");
    nsyslab_sql(&lab, "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, "
                      "pid INTEGER);"
                      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 101), (6, 0, 102)");
    imported(2);
    ck_assert_int_eq(lab.timeline.lanes[lab.timeline.lane[find_event(&lab, "k1")]].process, 3);
    ck_assert_int_eq(lab.timeline.lanes[lab.timeline.lane[find_event(&lab, "k2")]].process, 6);
}
END_TEST

START_TEST(graphs)
{
    calls_table();
    kernels_table();
    call(10, 20, TID(101, 1), 5, 1);
    for (int i = 0; i < 3; i++) {
        char values[128];
        snprintf(values, sizeof values, "%d, %d, 0, 7, 5, 1694498816, 3", 30 + 10 * i, 35 + 10 * i);
        kernel(values);
    }
    nsyslab_sql(&lab, "UPDATE " KERNEL " SET graphNodeId = 70 + rowid;"
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, "
                      "deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
                      "globalPid INTEGER, graphId INTEGER);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (90, 99, 0, 8, 6, "
                      "1694498816, 109)");
    call(80, 85, TID(101, 1), 6, 1);
    imported(6);
    no_hazards_but(SL_HAZARD_MANY_PER_LAUNCH, 1);
    uint32_t first = find_event(&lab, "k1"), whole = find_event(&lab, "CUDA graph 109");
    ck_assert_int_eq(lab.timeline.details[lab.timeline.detail[first]].graph_node, 71);
    ck_assert_int_eq(lab.timeline.kind[whole], SL_EVENT_GPU_WORK);
    ck_assert_int_eq(lab.timeline.start_ps[lab.timeline.cause[whole]], 70 * US / 1000);
}
END_TEST

/* Event 9 is recorded on stream 7, then on stream 8; a wait means the latest recording before it.
 */
static void waits_on_9(bool numbered)
{
    calls_table();
    kernels_table();
    kernel("5, 6, 0, 7, 1, 1694498816, 3");
    nsyslab_sql(&lab,
                "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, "
                "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, eventId INTEGER);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES "
                "(0, 8, 20, 1694498816, 9), (0, 7, 10, 1694498816, 9), "
                "(0, 6, 14, 1694498816, 4), (0, 5, 14, 1711276032, 9);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, "
                "end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
                "globalPid INTEGER, syncType INTEGER, eventId INTEGER);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
                "(110, 111, 0, 13, 15, 1694498816, 2, 9), "
                "(120, 121, 0, 4294967295, 25, 1694498816, 2, 9), "
                "(130, 131, 0, 8, 30, 1694498816, 2, 4294967295), "
                "(140, 141, 0, 4294967295, 35, 1694498816, 1, 4294967295), "
                "(150, 151, 0, 13, 5, 1694498816, 2, 9)");
    if (numbered)
        nsyslab_sql(&lab, "ALTER TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT ADD eventSyncId INTEGER;"
                          "UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET eventSyncId = rowid;"
                          "ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ADD eventSyncId INTEGER;"
                          "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = 2 "
                          "WHERE rowid = 1;"
                          "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = 1 "
                          "WHERE rowid = 2");
    call(100, 105, TID(101, 1), 15, 5);
    imported(7);
}

static const struct sl_event_detail *wait_at(int64_t ns, const char *name, enum sl_event_kind kind,
                                             int64_t stream)
{
    for (uint32_t i = 0; i < lab.timeline.count; i++) {
        if (lab.timeline.start_ps[i] != (ns - 5) * 1000)
            continue;
        ck_assert_str_eq(event_name(&lab, i), name);
        ck_assert_int_eq(lab.timeline.kind[i], kind);
        ck_assert_int_eq(lab.timeline.lanes[lab.timeline.lane[i]].number, stream);
        return &lab.timeline.details[lab.timeline.detail[i]];
    }
    ck_abort_msg("nothing at %lld ns", (long long)ns);
}

static int64_t waited_stream(const struct sl_event_detail *detail)
{
    return detail->waited_lane < 0 ? -2 : lab.timeline.lanes[detail->waited_lane].number;
}

START_TEST(waits)
{
    waits_on_9(_i == 1);
    const struct sl_event_detail *wait =
        wait_at(110, "Stream Wait Event", SL_EVENT_STREAM_WAIT, 13);
    ck_assert_int_eq(waited_stream(wait), 7);
    ck_assert_int_eq(wait->waited_correlation, 10);
    wait = wait_at(120, "Event Sync", SL_EVENT_HOST_WAIT, -1);
    ck_assert_int_eq(waited_stream(wait), 8);
    ck_assert_int_eq(wait->waited_correlation, 20);
    ck_assert_int_eq(waited_stream(wait_at(130, "Stream Sync", SL_EVENT_HOST_WAIT, 8)), 8);
    ck_assert_int_eq(waited_stream(wait_at(140, "Context Sync", SL_EVENT_HOST_WAIT, -1)), -2);
    wait = wait_at(150, "Stream Wait Event", SL_EVENT_STREAM_WAIT, 13); /* recorded only later */
    ck_assert_int_eq(waited_stream(wait), -2);
    ck_assert_int_eq(wait->waited_correlation, -1);
}
END_TEST

/* Types of streams by the file's numbers, of the process that has them. */
START_TEST(types_of_streams)
{
    kernels_table();
    for (int stream = 6; stream <= 10; stream++) {
        char values[64];
        snprintf(values, sizeof values, "%d, %d, 0, %d, 1, 1694498816, 3", stream, stream + 1,
                 stream);
        kernel(values);
    }
    nsyslab_sql(&lab, "CREATE TABLE ENUM_CUPTI_STREAM_TYPE (id INTEGER, name TEXT, label TEXT);"
                      "INSERT INTO ENUM_CUPTI_STREAM_TYPE VALUES "
                      "(11, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT', ''), "
                      "(12, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING', ''), "
                      "(13, 'CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL', '');"
                      "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER, processId INTEGER, "
                      "flag INTEGER);"
                      "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (6, 101, 11), (7, 101, 13), "
                      "(8, 101, 12), (9, 101, 11), (9, 101, 12), (10, 102, 11)");
    imported(5);
    static const enum sl_stream_type types[] = {SL_STREAM_BLOCKING, SL_STREAM_LEGACY,
                                                SL_STREAM_NON_BLOCKING, SL_STREAM_UNKNOWN,
                                                SL_STREAM_UNKNOWN};
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_int_eq(lab.timeline.lanes[lab.timeline.lane[i]].number, 6 + i);
        ck_assert_int_eq(lab.timeline.lanes[lab.timeline.lane[i]].stream_type, types[i]);
    }
}
END_TEST

START_TEST(ranges)
{
    nsyslab_sql(&lab,
                "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, "
                "text TEXT, globalTid INTEGER, textId INTEGER);"
                "INSERT INTO NVTX_EVENTS VALUES (10, 90, 59, 'outer', 1694498817, NULL), "
                "(20, 30, 59, NULL, 1694498817, 6), (25, 95, 60, 'across', 1694498818, NULL), "
                "(40, NULL, 34, 'mark', 1694498817, NULL), "
                "(50, NULL, 59, 'never ends', 1694498817, NULL), "
                "(5, NULL, 75, 'a domain', 1694498817, NULL)");
    imported(4);
    no_hazards_but(SL_HAZARD_BAD_EVENT, 1);
    static const struct {
        const char *name;
        int64_t start, end, thread;
    } wanted[] = {
        {"outer", 0, 80, 1}, {"step", 10, 20, 1}, {"across", 15, 85, 2}, {"mark", 30, 30, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_str_eq(event_name(&lab, i), wanted[i].name);
        ck_assert_int_eq(lab.timeline.kind[i], SL_EVENT_RANGE);
        ck_assert_int_eq(lab.timeline.start_ps[i], wanted[i].start * 1000);
        ck_assert_int_eq(lab.timeline.end_ps[i], wanted[i].end * 1000);
        ck_assert_int_eq(lab.timeline.lanes[lab.timeline.lane[i]].number, wanted[i].thread);
    }
    ck_assert_ptr_nonnull(strstr(said(&lab, "no-gpu-work"), "6 ranges"));
}
END_TEST

START_TEST(memory)
{
    kernels_table();
    kernel("0, 6, 0, 7, 1, 1694498816, 3");
    nsyslab_sql(&lab,
                "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, "
                "deviceId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER, "
                "memoryOperationType INTEGER);"
                "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES "
                "(30, 1694498816, 1, 4096, 512, 2, 1), (10, 1694498816, 1, 4096, 512, 2, 0), "
                "(20, 1694498816, 1, 8192, 64, 1, 0), (25, 1694498816, 1, 0, 64, 2, 9)");
    imported(1);
    ck_assert_uint_eq(lab.timeline.memory_count, 3);
    static const struct {
        int64_t t, bytes;
        int32_t type, device;
        uint64_t address;
    } wanted[] = {{10, 512, 1, 1, 4096}, {20, 64, 0, -1, 8192}, {30, -512, 1, 1, 4096}};
    for (uint32_t i = 0; i < 3; i++) {
        const struct sl_memory_event *event = &lab.timeline.memory[i];
        ck_assert_int_eq(event->t_ps, wanted[i].t * 1000);
        ck_assert_int_eq(event->bytes, wanted[i].bytes);
        ck_assert_int_eq(event->device_type, wanted[i].type);
        ck_assert_int_eq(event->device, wanted[i].device);
        ck_assert_uint_eq(event->address, wanted[i].address);
        ck_assert_int_eq(event->allocated_bytes, -1);
    }
    ck_assert_uint_eq(hazard(SL_HAZARD_BAD_EVENT), 1);
    ck_assert_ptr_nonnull(strstr(said(&lab, "bad-event"), "row 4"));
}
END_TEST

START_TEST(messages_and_tables_left_out)
{
    kernels_table();
    kernel("0, 6, 0, 7, 1, 1694498816, 3");
    nsyslab_sql(&lab, "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, "
                      "text TEXT);"
                      "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 'Profiling has started.'), "
                      "(2, 2, '12 CUDA activity records were dropped.'), "
                      "(3, 2, 'Not all NVTX events might have been collected.'), "
                      "(4, 3, 'cannot sample'), (5, 3, 'cannot sample');"
                      "CREATE TABLE OSRT_API (start INTEGER);"
                      "INSERT INTO OSRT_API VALUES (1), (2), (3);"
                      "CREATE TABLE SCHED_EVENTS (start INTEGER);"
                      "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
                      "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '4.1.0')");
    imported(1);
    ck_assert_uint_eq(hazard(SL_HAZARD_LOST), 2);
    ck_assert_ptr_nonnull(strstr(said(&lab, "lost"), "row 2"));
    ck_assert_ptr_nonnull(strstr(said(&lab, "lost"), "12 CUDA activity records were dropped"));
    ck_assert_ptr_nonnull(strstr(said(&lab, "profiler-says"), "cannot sample"));
    ck_assert_ptr_nonnull(strstr(said(&lab, "new-schema"), "4.1.0"));
    ck_assert_uint_eq(lab.diags.count, 4);
    ck_assert_uint_eq(lab.timeline.left_out.count, 1);
    ck_assert_uint_eq(lab.timeline.left_out.items[0].count, 3);
}
END_TEST

/* One bad row between two good ones; what becomes of it, and what is said. */
static const struct {
    const char *row; /* start, end, device, stream, correlation, process, name */
    uint32_t kept;
    enum sl_trace_hazard hazard;
    const char *said;
} rows[] = {
    {"50, 40, 0, 7, 2, 0, 3", 2, SL_HAZARD_REVERSED, "row 2: ends at 40 ns, before"},
    {"NULL, 60, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "row 2: 'start' is missing"},
    {"'soon', 60, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'start'"},
    {"50.5, 60, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'start'"},
    {"50, x'00', 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'end'"},
    {"50, 9e999, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'end'"},
    {"50, 9e999 - 9e999, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'end'"}, /* NaN is NULL */
    {"50, 9223372036854775807, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "weeks away"},
    {"-9223372036854775808, 60, 0, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "weeks away"},
    {"50, 60, -1, 7, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'deviceId'"},
    {"50, 60, 0, 99999999999, 2, 0, 3", 2, SL_HAZARD_BAD_EVENT, "'streamId'"},
    {"50, 60, 0, 7, 'two', 0, 3", 3, SL_HAZARD_BAD_VALUE, "'correlationId'"},
    {"50, 60, 0, 7, 2, x'01', 3", 3, SL_HAZARD_BAD_VALUE, "'globalPid'"},
    {"50, 60, 0, 7, 2, 0, 77", 3, SL_HAZARD_BAD_VALUE, "no text of number 77"},
    {"50, 60, 0, 7, 2, 0, -5000000000", 3, SL_HAZARD_BAD_VALUE, "no text of number -5000000000"},
    {"50, 60, 0, 7, 2, 0, 8", 3, SL_HAZARD_BAD_TEXT, "StringIds, row 8: a text holds"},
    {"50, 60, 0, 7, 2, 0, 9", 3, SL_HAZARD_BAD_TEXT, "StringIds, row 9"},
    {"50, 50, 0, 7, 2, 0, 3", 3, SL_HAZARD_ZERO_TIME, NULL},
    {"-50, -40, 0, 7, 2, 0, 3", 3, SL_HAZARDS, NULL},
    {"15, 60, 0, 7, 2, 0, 3", 3, SL_HAZARD_OVERLAP, NULL},
};

START_TEST(bad_rows)
{
    kernels_table();
    nsyslab_sql(&lab, "INSERT INTO StringIds VALUES (8, CAST(x'61ff62' AS TEXT)), "
                      "(9, 'line' || char(10) || 'feed')");
    kernel("10, 20, 0, 7, 1, 0, 3");
    kernel(rows[_i].row);
    kernel("70, 80, 0, 7, 3, 0, 4");
    imported(rows[_i].kept);
    ck_assert_uint_eq(hazard(SL_HAZARD_NO_LAUNCH), rows[_i].kept);
    lab.timeline.hazards[SL_HAZARD_NO_LAUNCH] = 0;
    no_hazards_but(rows[_i].hazard, 1);
    if (rows[_i].said)
        ck_assert_msg(strstr(said(&lab, sl_hazard_name(rows[_i].hazard)), rows[_i].said) != NULL,
                      "%s", said(&lab, sl_hazard_name(rows[_i].hazard)));
    if (rows[_i].hazard == SL_HAZARD_BAD_TEXT)
        ck_assert_uint_ne(find_event(&lab, _i == 15 ? "a?b" : "line?feed"), SL_NONE);
}
END_TEST

/* A flood of one fault is counted in full and shown in part. */
START_TEST(many_bad_rows)
{
    kernels_table();
    kernel("10, 20, 0, 7, 1, 0, 3");
    nsyslab_sql(&lab,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
                "INSERT INTO " KERNEL " (start, end, deviceId, streamId, demangledName) "
                "SELECT 100 + i, i, 0, 7, 3 FROM n");
    imported(1);
    ck_assert_uint_eq(hazard(SL_HAZARD_REVERSED), 999);
    ck_assert_uint_eq(lab.timeline.read, 1000);
    ck_assert_uint_eq(lab.diags.count, 3);
}
END_TEST

/* Absolute clocks, in ns since 1970, are exact. */
START_TEST(absolute_clock)
{
    kernels_table();
    kernel("1712195495519689047, 1712195495519689050, 0, 7, 1, 0, 3");
    kernel("1712195495519688001, 1712195495519688004, 0, 7, 1, 0, 4");
    imported(2);
    ck_assert_int_eq(lab.timeline.origin_ns, INT64_C(1712195495519688001));
    ck_assert_int_eq(lab.timeline.start_ps[1], 1046000);
    ck_assert_int_eq(lab.timeline.end_ps[1], 1049000);
}
END_TEST

/* Copies that other tools make lose keys, row numbers and their order. */
START_TEST(without_keys)
{
    kernels_table();
    kernel("10, 20, 0, 7, 1, 0, 3");
    kernel("30, 25, 0, 7, 1, 0, 3");
    nsyslab_sql(&lab,
                "CREATE TABLE c AS SELECT * FROM StringIds ORDER BY id DESC;"
                "DROP TABLE StringIds; ALTER TABLE c RENAME TO StringIds;"
                "CREATE TABLE k (start INTEGER PRIMARY KEY, end INTEGER, deviceId INTEGER, "
                "streamId INTEGER, correlationId INTEGER, demangledName INTEGER) WITHOUT ROWID;"
                "INSERT INTO k SELECT start, end, deviceId, streamId, correlationId, "
                "demangledName FROM " KERNEL ";"
                "DROP TABLE " KERNEL "; ALTER TABLE k RENAME TO " KERNEL);
    imported(1);
    ck_assert_str_eq(event_name(&lab, 0), "k1");
    ck_assert_uint_eq(hazard(SL_HAZARD_REVERSED), 1);
}
END_TEST

START_TEST(no_strings)
{
    kernels_table();
    kernel("10, 20, 0, 7, 1, 0, 3");
    kernel("30, 40, 0, 7, 1, 0, 3");
    nsyslab_sql(&lab, "DROP TABLE StringIds");
    imported(2);
    ck_assert_str_eq(event_name(&lab, 0), "?");
    ck_assert_uint_eq(hazard(SL_HAZARD_BAD_VALUE), 1); /* one name, however many ask for it */
}
END_TEST

START_TEST(no_work_of_a_gpu)
{
    calls_table();
    call(10, 20, TID(101, 1), 5, 1);
    imported(1);
    ck_assert_ptr_nonnull(strstr(said(&lab, "no-gpu-work"), "1 calls"));
    ck_assert_ptr_nonnull(strstr(said(&lab, "no-gpu-work"), KERNEL));
}
END_TEST

START_TEST(nothing_at_all)
{
    if (_i == 1) {
        calls_table();
        kernels_table();
    }
    nsyslab_import(&lab);
    ck_assert_int_eq(lab.status, SL_INVALID);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "as Nsight Systems exports them"));
    ck_assert_str_eq(lab.err.place.file, lab.path);
}
END_TEST

/* user: bytes read, bytes of the file, times told. */
static void tell(void *user, uint64_t bytes_read, uint64_t bytes_of_file)
{
    uint64_t *last = user;
    ck_assert_uint_ge(bytes_read, last[0]);
    last[0] = bytes_read;
    last[1] = bytes_of_file;
    last[2]++;
}

START_TEST(told_how_far)
{
    kernels_table();
    nsyslab_sql(&lab,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
                "INSERT INTO " KERNEL " (start, end, deviceId, streamId, demangledName) "
                "SELECT i * 10, i * 10 + 9, 0, 7, 3 FROM n");
    nsyslab_close(&lab);
    uint64_t last[3] = {0};
    struct sl_import_progress progress = {tell, last};
    ck_assert_int_eq(
        sl_importer_nsys.read(lab.path, &lab.timeline, &progress, &lab.diags, &lab.err), SL_OK);
    ck_assert_uint_gt(last[2], 3);           /* times */
    ck_assert_uint_gt(2 * last[0], last[1]); /* more than half of the file */
    ck_assert_uint_le(last[0], last[1]);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("nsys");
    TCase *cases = tcase_create("nsys");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, new_schema);
    tcase_add_test(cases, old_schema);
    tcase_add_test(cases, two_processes);
    tcase_add_test(cases, devices_of_processes);
    tcase_add_test(cases, graphs);
    tcase_add_loop_test(cases, waits, 0, 2);
    tcase_add_test(cases, types_of_streams);
    tcase_add_test(cases, ranges);
    tcase_add_test(cases, memory);
    tcase_add_test(cases, messages_and_tables_left_out);
    tcase_add_loop_test(cases, bad_rows, 0, sizeof rows / sizeof *rows);
    tcase_add_test(cases, many_bad_rows);
    tcase_add_test(cases, absolute_clock);
    tcase_add_test(cases, without_keys);
    tcase_add_test(cases, no_strings);
    tcase_add_test(cases, no_work_of_a_gpu);
    tcase_add_loop_test(cases, nothing_at_all, 0, 2);
    tcase_add_test(cases, told_how_far);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
