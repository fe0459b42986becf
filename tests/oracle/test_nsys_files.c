/* Public Nsight Systems databases of schemas before 3 to 3.24: what the reader makes of them
 * against plain SQL over the same tables.
 *
 *   busy time by stream     SUM(end - start) of kernels, copies and memory sets, GROUP BY stream
 *   time with any of them   starts count +1 and ends -1; the time while the count is above 0
 *   calls that launched     JOIN of works and calls on (process, correlation), by name of the call
 *   copies                  COUNT and SUM(bytes), by the way that the file's own table names
 *
 * Where the folder of public data is absent, the test is skipped. */
#include <config.h>

#include "harness.h"
#include "importer.h"
#include <sqlite3.h>
#include <string.h>

#define TABLE(name) "CUPTI_ACTIVITY_KIND_" name

static const struct {
    const char *name;
    uint32_t works, calls, ranges, waits; /* as counted once by hand */
    const char *device;
} files[] = {{"copies_1", 16, 44, 0, 1, "NVIDIA GeForce RTX 4060 Ti"},
             {"fuser_1", 24, 990, 13513, 3, "NVIDIA H200"},
             {"fuser_3", 21, 968, 652, 1, "NVIDIA H200"},
             {"mordred", 72, 111, 0, 15, "Quadro RTX 6000"},
             {"no_kernel_table", 0, 2307, 0, 81, "NVIDIA GeForce RTX 3060 Laptop GPU"},
             {"openmp_copies", 250, 312, 0, 50, "Tesla T4"}};

static char path[1024];
static sqlite3 *db;
static struct sl_timeline timeline;
static struct sl_diags diags;

static void setup(int i)
{
    struct sl_error err = {0};
    char uri[1100];
    snprintf(path, sizeof path, "%s/data/nsys/%s.sqlite", getenv("SL_SHARED"), files[i].name);
    snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
    ck_assert_int_eq(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
                     SQLITE_OK);
    memset(&timeline, 0, sizeof timeline);
    memset(&diags, 0, sizeof diags);
    const struct sl_importer *importer = NULL;
    enum sl_status status = sl_import(path, &timeline, NULL, &diags, &importer, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    ck_assert_str_eq(importer->name, "nsys");
}

static void teardown(void)
{
    sl_timeline_free(&timeline);
    sl_diags_free(&diags);
    sqlite3_close(db);
}

static bool there(const char *table)
{
    return sqlite3_table_column_metadata(db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* "SELECT columns FROM KERNEL UNION ALL ..." over the tables of works that the file has; NULL:
 * none. */
static char *over_works(const char *columns)
{
    static const char *const tables[] = {TABLE("KERNEL"), TABLE("MEMCPY"), TABLE("MEMSET")};
    char *sql = NULL;
    for (int i = 0; i < 3; i++) {
        if (!there(tables[i]))
            continue;
        char *longer = sqlite3_mprintf("%z%sSELECT %s FROM %s", sql, sql ? " UNION ALL " : "",
                                       columns, tables[i]);
        sql = longer;
    }
    return sql;
}

/* `format` has one %s for a query over works. */
static sqlite3_stmt *query_works(const char *format, const char *columns)
{
    char *works = over_works(columns), *sql = sqlite3_mprintf(format, works);
    sqlite3_stmt *statement;
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(db));
    sqlite3_free(sql);
    sqlite3_free(works);
    return statement;
}

static uint32_t count_kinds(enum sl_event_kind first, enum sl_event_kind last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline.count; i++)
        count += timeline.kind[i] >= first && timeline.kind[i] <= last;
    return count;
}

static void check_streams(void)
{
    sqlite3_stmt *sums =
        query_works("SELECT deviceId, streamId, COUNT(*), SUM(end - start) FROM (%s) "
                    "GROUP BY deviceId, streamId",
                    "deviceId, streamId, start, end");
    uint32_t works = 0;
    while (sqlite3_step(sums) == SQLITE_ROW) {
        uint32_t lane =
            sl_timeline_find_lane(&timeline, SL_LANE_STREAM, sqlite3_column_int64(sums, 0),
                                  sqlite3_column_int64(sums, 1));
        int64_t busy_ps = 0, count = 0;
        for (uint32_t i = 0; i < timeline.count; i++) {
            if (timeline.lane[i] != lane || !sl_event_on_gpu((enum sl_event_kind)timeline.kind[i]))
                continue;
            busy_ps += timeline.end_ps[i] - timeline.start_ps[i];
            count++;
        }
        ck_assert_int_eq(count, sqlite3_column_int64(sums, 2));
        ck_assert_int_eq(busy_ps, 1000 * sqlite3_column_int64(sums, 3));
        works += (uint32_t)count;
    }
    sqlite3_finalize(sums);
    ck_assert_uint_eq(works, count_kinds(SL_EVENT_KERNEL, SL_EVENT_GPU_WORK));
}

/* Time with any work, from events in the order of start. */
static int64_t union_ps(void)
{
    int64_t busy = 0, until = INT64_MIN;
    for (uint32_t i = 0; i < timeline.count; i++) {
        if (!sl_event_on_gpu((enum sl_event_kind)timeline.kind[i]))
            continue;
        int64_t from = timeline.start_ps[i] > until ? timeline.start_ps[i] : until;
        if (timeline.end_ps[i] > from)
            busy += timeline.end_ps[i] - from;
        until = timeline.end_ps[i] > until ? timeline.end_ps[i] : until;
    }
    return busy;
}

static void check_union(void)
{
    char *starts = over_works("start AS t, 1 AS change"),
         *ends = over_works("end AS t, -1 AS change");
    char *sql = sqlite3_mprintf(
        "SELECT t, SUM(change) FROM (%s UNION ALL %s) GROUP BY t ORDER BY t", starts, ends);
    sqlite3_stmt *changes;
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &changes, NULL), SQLITE_OK);
    int64_t at_once = 0, last = 0, busy_ns = 0;
    while (sqlite3_step(changes) == SQLITE_ROW) {
        int64_t t = sqlite3_column_int64(changes, 0);
        busy_ns += at_once > 0 ? t - last : 0;
        at_once += sqlite3_column_int64(changes, 1);
        last = t;
    }
    ck_assert_int_eq(at_once, 0);
    ck_assert_int_eq(union_ps(), 1000 * busy_ns);
    sqlite3_finalize(changes);
    sqlite3_free(sql);
    sqlite3_free(starts);
    sqlite3_free(ends);
}

static uint32_t launched_by(const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline.count; i++)
        if (sl_event_on_gpu((enum sl_event_kind)timeline.kind[i]) && timeline.cause[i] != SL_NONE)
            count += strcmp(timeline.names.names[timeline.name[timeline.cause[i]]], name) == 0;
    return count;
}

static void check_causes(void)
{
    sqlite3_stmt *joined = query_works(
        "SELECT value, COUNT(*) FROM (%s) w JOIN " TABLE(
            "RUNTIME") " r ON w.correlationId = "
                       "r.correlationId AND w.globalPid / 16777216 = r.globalTid / 16777216 "
                       "JOIN StringIds s ON s.id = r.nameId GROUP BY value",
        "correlationId, globalPid");
    while (sqlite3_step(joined) == SQLITE_ROW)
        ck_assert_int_eq(launched_by((const char *)sqlite3_column_text(joined, 0)),
                         sqlite3_column_int64(joined, 1));
    sqlite3_finalize(joined);
}

static void check_kernel_names(void)
{
    sqlite3_stmt *named;
    ck_assert_int_eq(sqlite3_prepare_v2(db,
                                        "SELECT value, COUNT(*), SUM(gridX * blockX) FROM " TABLE(
                                            "KERNEL") " JOIN StringIds ON id = demangledName "
                                                      "GROUP BY demangledName",
                                        -1, &named, NULL),
                     SQLITE_OK);
    while (sqlite3_step(named) == SQLITE_ROW) {
        uint32_t name = sl_names_find(&timeline.names, (const char *)sqlite3_column_text(named, 0));
        int64_t count = 0, size = 0;
        for (uint32_t i = 0; i < timeline.count; i++) {
            if (timeline.kind[i] != SL_EVENT_KERNEL || timeline.name[i] != name)
                continue;
            const struct sl_event_detail *detail = &timeline.details[timeline.detail[i]];
            size += (int64_t)detail->grid[0] * detail->block[0];
            count++;
        }
        ck_assert_int_eq(count, sqlite3_column_int64(named, 1));
        ck_assert_int_eq(size, sqlite3_column_int64(named, 2));
    }
    sqlite3_finalize(named);
}

static void check_copies(void)
{
    static const char *const ways[] = {"", "Memcpy HtoD", "Memcpy DtoH"};
    sqlite3_stmt *sums;
    ck_assert_int_eq(sqlite3_prepare_v2(db,
                                        "SELECT copyKind, COUNT(*), SUM(bytes) FROM " TABLE(
                                            "MEMCPY") " WHERE copyKind IN (1, 2) GROUP BY copyKind",
                                        -1, &sums, NULL),
                     SQLITE_OK);
    while (sqlite3_step(sums) == SQLITE_ROW) {
        const char *way = ways[sqlite3_column_int64(sums, 0)];
        int64_t count = 0, bytes = 0;
        for (uint32_t i = 0; i < timeline.count; i++) {
            if (timeline.kind[i] != SL_EVENT_COPY ||
                strncmp(timeline.names.names[timeline.name[i]], way, strlen(way)) != 0)
                continue;
            bytes += timeline.bytes[i];
            count++;
        }
        ck_assert_int_eq(count, sqlite3_column_int64(sums, 1));
        ck_assert_int_eq(bytes, sqlite3_column_int64(sums, 2));
    }
    sqlite3_finalize(sums);
}

START_TEST(agrees_with_sql)
{
    setup(_i);
    ck_assert_uint_eq(count_kinds(SL_EVENT_KERNEL, SL_EVENT_GPU_WORK), files[_i].works);
    ck_assert_uint_eq(count_kinds(SL_EVENT_CALL, SL_EVENT_CALL), files[_i].calls);
    ck_assert_uint_eq(count_kinds(SL_EVENT_RANGE, SL_EVENT_RANGE), files[_i].ranges);
    ck_assert_uint_eq(count_kinds(SL_EVENT_STREAM_WAIT, SL_EVENT_HOST_WAIT), files[_i].waits);
    ck_assert_str_eq(timeline.device_name, files[_i].device);
    for (int i = 0; i < SL_HAZARDS; i++)
        ck_assert_msg(timeline.hazards[i] == (i == SL_HAZARD_LOST && _i == 0), "%s: %llu",
                      sl_hazard_name(i), (unsigned long long)timeline.hazards[i]);
    if (files[_i].works > 0) {
        check_streams();
        check_union();
        check_causes();
        check_kernel_names();
        check_copies();
    }
    teardown();
}
END_TEST

/* The file whose profiler could not see the GPU says what it has and lacks. */
START_TEST(says_what_it_lacks)
{
    setup(4);
    ck_assert_uint_eq(diags.count, 1);
    ck_assert_str_eq(diags.items[0].code, "no-gpu-work");
    ck_assert_ptr_nonnull(strstr(diags.items[0].message, "2307 calls"));
    ck_assert_ptr_nonnull(strstr(diags.items[0].message, "81 waits"));
    ck_assert_ptr_nonnull(strstr(diags.items[0].message, TABLE("KERNEL")));
    teardown();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("nsys_files");
    TCase *cases = tcase_create("nsys_files");
    tcase_add_loop_test(cases, agrees_with_sql, 0, sizeof files / sizeof *files);
    tcase_add_test(cases, says_what_it_lacks);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    const char *shared = getenv("SL_SHARED");
    char first[1024];
    snprintf(first, sizeof first, "%s/data/nsys/copies_1.sqlite", shared ? shared : "");
    FILE *file = fopen(first, "rb");
    if (!file)
        return sl_test_skip("no public data at $SL_SHARED/data/nsys");
    fclose(file);
    return sl_test_run(suite());
}
