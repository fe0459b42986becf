/* Nsight Systems databases: a file of any bytes, and a sound one with some rows changed. */
#include <config.h>

#include "fuzz.h"
#include "fuzz_timeline.h"
#include "importer.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "CUPTI_ACTIVITY_KIND_KERNEL"
#define MEMCPY "CUPTI_ACTIVITY_KIND_MEMCPY"
#define SYNC   "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
#define CALLS  "CUPTI_ACTIVITY_KIND_RUNTIME"

static void import(const void *data, size_t size)
{
    struct sl_timeline timeline = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    const char *path = fuzz_write("report.sqlite", data, size);
    enum sl_status status = sl_importer_nsys.read(path, &timeline, NULL, &diags, &err);
    if (status == SL_OK)
        status = sl_timeline_finish(&timeline, &err);
    fuzz_judge(status, &diags, &err);
    if (status == SL_OK)
        fuzz_use_timeline(&timeline);
    sl_timeline_free(&timeline);
    fuzz_clean();
}

/* Two threads of one process: launches, a copy, a wait, memory, an annotation. */
static const char schema[] =
    "PRAGMA page_size = 512;"
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'cudaMemcpyAsync'), (3, 'k1'), "
    "(4, 'k2'), (5, 'cudaStreamSynchronize'), (6, 'step'), (7, 'cudaEventRecord'), "
    "(8, 'cudaStreamWaitEvent'), (9, 'cudaMalloc');"
    "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.14');"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'first');"
    "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
    "INSERT INTO ThreadNames VALUES (6, 20, 1694498835);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER, name TEXT, label TEXT);"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');"
    "CREATE TABLE " CALLS " (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER);"
    "INSERT INTO " CALLS " VALUES (1000, 1500, 0, 1694498835, 11, 2, 0), "
    "(1600, 1700, 0, 1694498835, 12, 1, 0), (1750, 1760, 0, 1694498835, 13, 7, 0), "
    "(1770, 1780, 0, 1694498836, 14, 8, 0), (1800, 1900, 0, 1694498836, 15, 1, 0), "
    "(2000, 9500, 0, 1694498835, 16, 5, 0), (9600, 9700, 0, 1694498835, 17, 9, 0);"
    "CREATE TABLE " KERNEL " (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, gridX INTEGER, gridY "
    "INTEGER, "
    "gridZ INTEGER, blockX INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, "
    "dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
    "INSERT INTO " KERNEL " VALUES (5000, 9000, 0, 7, 12, 1694498816, 3, 10, 2, 1, 256, 40, 1024, "
    "512, NULL), (9100, 9400, 0, 8, 15, 1694498816, 4, 1, 1, 1, 32, 8, 0, 0, NULL);"
    "CREATE TABLE " MEMCPY " (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, "
    "dstKind INTEGER, srcDeviceId INTEGER, dstDeviceId INTEGER);"
    "INSERT INTO " MEMCPY " VALUES (3000, 4000, 0, 7, 11, 1694498816, 4096, 1, 1, 2, NULL, NULL);"
    "CREATE TABLE " SYNC " (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
    "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId "
    "INTEGER);"
    "INSERT INTO " SYNC " VALUES (2000, 9500, 0, 1, 7, 16, 1694498816, 3, 0), "
    "(1770, 1780, 0, 1, 8, 14, 1694498816, 2, 5);"
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId "
    "INTEGER, "
    "contextId INTEGER, address INTEGER, pc INTEGER, bytes INTEGER, memKind INTEGER, "
    "memoryOperationType INTEGER, name INTEGER, correlationId INTEGER, streamId INTEGER);"
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (9650, 1694498816, 0, 1, 4096, 0, 1024, 2, 0, "
    "NULL, 17, 0);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, "
    "text TEXT, textId INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES (900, 9900, 59, NULL, 'step', NULL, 1694498835, NULL, 0);"
    "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
    "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 2, 'lost some');";

static const char *const tables[] = {KERNEL,
                                     MEMCPY,
                                     SYNC,
                                     CALLS,
                                     "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                     "NVTX_EVENTS",
                                     "StringIds",
                                     "META_DATA_EXPORT",
                                     "TARGET_INFO_GPU",
                                     "ThreadNames",
                                     "ENUM_CUDA_MEMCPY_OPER",
                                     "DIAGNOSTIC_EVENT"};

static void must(int code, sqlite3 *db)
{
    FUZZ_CHECK(code == SQLITE_OK, "SQLite: %s", sqlite3_errmsg(db));
}

/* The bytes of the sound database, once; SQLite owns no part of them. */
static const unsigned char *sound_file(sqlite3_int64 *size)
{
    static unsigned char *bytes;
    static sqlite3_int64 length;
    if (!bytes) {
        sqlite3 *db;
        must(sqlite3_open(":memory:", &db), db);
        must(sqlite3_exec(db, schema, NULL, NULL, NULL), db);
        bytes = sqlite3_serialize(db, "main", &length, 0);
        FUZZ_CHECK(bytes, "out of memory");
        sqlite3_close(db);
    }
    *size = length;
    return bytes;
}

static void run_file(const uint8_t *data, size_t size)
{
    import(data, size);
}

static void seed_file(const struct fuzz_seeds *seeds)
{
    sqlite3_int64 size;
    const unsigned char *bytes = sound_file(&size);
    seeds->add(seeds->user, "sound", bytes, (size_t)size);
}

const struct fuzz_target fuzz_target_nsys = {
    .name = "nsys",
    .description = "Nsight Systems databases of any bytes",
    .run = run_file,
    .seeds = seed_file,
};

/* ---- rows ----------------------------------------------------------------------------------- */

struct bytes {
    const uint8_t *at, *end;
};

static unsigned next(struct bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static int64_t next_number(struct bytes *bytes)
{
    static const int64_t limits[] = {0,         1,         -1,         INT64_MAX,
                                     INT64_MIN, INT32_MAX, UINT32_MAX, 1 << 24};
    unsigned form = next(bytes);
    int64_t value = 0;
    if (form < 64)
        return limits[form % FUZZ_COUNT(limits)];
    for (unsigned i = 0; i <= form % 4; i++)
        value = value * 256 + next(bytes);
    return value;
}

/* A value of any type. */
static void bind(sqlite3_stmt *statement, struct bytes *bytes)
{
    unsigned type = next(bytes);
    size_t length;
    switch (type % 8) {
    case 0:
        sqlite3_bind_null(statement, 1);
        break;
    case 1:
        sqlite3_bind_double(statement, 1, (double)next_number(bytes) / 3);
        break;
    case 2:
    case 3:
        length = next(bytes) % 32;
        if (length > (size_t)(bytes->end - bytes->at))
            length = (size_t)(bytes->end - bytes->at);
        (type % 8 == 2 ? sqlite3_bind_text(statement, 1, (const char *)bytes->at, (int)length,
                                           SQLITE_TRANSIENT)
                       : sqlite3_bind_blob(statement, 1, bytes->at, (int)length, SQLITE_TRANSIENT));
        bytes->at += length;
        break;
    default:
        sqlite3_bind_int64(statement, 1, next_number(bytes));
    }
}

/* Column `number` of the table, counted around; false: it has none. */
static bool column_name(sqlite3 *db, const char *table, unsigned number, char name[64])
{
    char sql[160];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    int count = sqlite3_column_count(statement);
    snprintf(name, 64, "%.60s", sqlite3_column_name(statement, (int)(number % (unsigned)count)));
    sqlite3_finalize(statement);
    return true;
}

/* One change: a value, a row more (a copy of another) or less, a table or a column less. */
static void change(sqlite3 *db, struct bytes *bytes)
{
    const char *table = tables[next(bytes) % FUZZ_COUNT(tables)];
    unsigned what = next(bytes), row = 1 + next(bytes) % 8;
    char sql[300], column[64];
    sqlite3_stmt *statement;
    if (!column_name(db, table, next(bytes), column))
        return;
    if (what < 192)
        snprintf(sql, sizeof sql, "UPDATE \"%s\" SET \"%s\" = ?1 WHERE rowid = %u", table, column,
                 row);
    else if (what < 232)
        snprintf(sql, sizeof sql, "INSERT INTO \"%s\" SELECT * FROM \"%s\" WHERE rowid = %u", table,
                 table, row);
    else if (what < 248)
        snprintf(sql, sizeof sql, "DELETE FROM \"%s\" WHERE rowid = %u", table, row);
    else if (what < 252)
        snprintf(sql, sizeof sql, "DROP TABLE \"%s\"", table);
    else
        snprintf(sql, sizeof sql, "ALTER TABLE \"%s\" DROP COLUMN \"%s\"", table, column);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return;
    if (what < 192)
        bind(statement, bytes);
    sqlite3_step(statement); /* what SQLite refuses is not changed */
    sqlite3_finalize(statement);
}

static void run_rows(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    sqlite3_int64 length;
    const unsigned char *sound = sound_file(&length);
    sqlite3 *db;
    must(sqlite3_open(":memory:", &db), db);
    unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)length);
    FUZZ_CHECK(copy, "out of memory");
    memcpy(copy, sound, (size_t)length);
    must(sqlite3_deserialize(db, "main", copy, length, length,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
         db);
    for (int changes = 0; bytes.at < bytes.end && changes < 60; changes++)
        change(db, &bytes);
    unsigned char *file = sqlite3_serialize(db, "main", &length, 0);
    FUZZ_CHECK(file, "out of memory");
    import(file, (size_t)length);
    sqlite3_free(file);
    sqlite3_close(db);
}

static void seed_rows(const struct fuzz_seeds *seeds)
{
    static const uint8_t kinds[][6] = {{0, 10, 1, 0, 4, 8},  {3, 200, 2, 0, 0, 0},
                                       {4, 240, 1, 0, 0, 0}, {5, 50, 1, 4, 2, 0},
                                       {6, 20, 3, 1, 3, 4},  {1, 250, 0, 0, 0, 0}};
    for (size_t i = 0; i < FUZZ_COUNT(kinds); i++) {
        char name[20];
        snprintf(name, sizeof name, "change-%zu", i);
        seeds->add(seeds->user, name, kinds[i], sizeof kinds[i]);
    }
}

const struct fuzz_target fuzz_target_nsys_rows = {
    .name = "nsys_rows",
    .description = "an Nsight Systems database with values, rows and columns changed",
    .run = run_rows,
    .seeds = seed_rows,
};
