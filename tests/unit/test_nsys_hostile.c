/* The reader of Nsight Systems databases against files that mean harm or were harmed: each ends
 * with an error that says where, or with rows that are counted and left out; none ends the program,
 * takes long, or makes it write. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "nsyslab.h"
#include <dirent.h>
#include <sys/stat.h>
#include <zlib.h>

#define KERNEL "CUPTI_ACTIVITY_KIND_KERNEL"
#define COLUMNS                                                                                    \
    "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, demangledName INTEGER"

static struct nsyslab lab;

static void setup(void)
{
    nsyslab_open(&lab);
}

static void teardown(void)
{
    nsyslab_free(&lab);
}

static void good_file(int kernels)
{
    char sql[512];
    nsyslab_sql(&lab, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                      "INSERT INTO StringIds VALUES (3, 'k1');"
                      "CREATE TABLE " KERNEL " (" COLUMNS ")");
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
             "INSERT INTO " KERNEL " SELECT i * 10, i * 10 + 9, 0, 7, 3 FROM n",
             kernels);
    nsyslab_sql(&lab, sql);
}

/* What a table's definition can do, and what is said of it. */
static const struct {
    const char *sql;
    enum sl_status status;
    const char *code; /* of a diagnostic, or NULL: the error */
    const char *said;
} definitions[] = {
    /* Views that would run for ever, where a table is expected. */
    {"DROP TABLE " KERNEL "; CREATE VIEW " KERNEL " AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
     "SELECT i + 1 FROM n) SELECT i AS start, i AS end, 0 AS deviceId, 0 AS streamId FROM n",
     SL_INVALID, "not-a-table", KERNEL " is a view"},
    {"DROP TABLE StringIds; CREATE VIEW StringIds AS SELECT 3 AS id, 'k1' AS value", SL_OK,
     "not-a-table", "StringIds is a view"},
    /* A table whose columns are computed by it. */
    {"DROP TABLE " KERNEL "; CREATE TABLE " KERNEL
     " (end INTEGER, deviceId INTEGER, streamId INTEGER,"
     " start AS (length(hex(zeroblob(700000000)))))",
     SL_INVALID, NULL, KERNEL},
    {"DROP TABLE " KERNEL "; CREATE TABLE " KERNEL
     " (end INTEGER, deviceId INTEGER, streamId INTEGER,"
     " start AS (end - 5)); INSERT INTO " KERNEL " VALUES (50, 0, 7)",
     SL_OK, NULL, NULL},
    /* Triggers of its name do nothing where nothing is written. */
    {"CREATE TRIGGER n AFTER INSERT ON " KERNEL " BEGIN DELETE FROM StringIds; END", SL_OK, NULL,
     NULL},
    /* Columns: none, missing, quoted, twice as many as anyone needs. */
    {"DROP TABLE " KERNEL "; CREATE TABLE " KERNEL " (x)", SL_INVALID, NULL,
     KERNEL ": has no column 'start'"},
    {"ALTER TABLE " KERNEL " RENAME COLUMN streamId TO \"stream\"\"Id\"", SL_INVALID, NULL,
     "has no column 'streamId'"},
    {"DROP TABLE StringIds; CREATE TABLE StringIds (value TEXT)", SL_INVALID, NULL,
     "StringIds: has no column 'id'"},
    {"CREATE TABLE DIAGNOSTIC_EVENT (severity, text); INSERT INTO DIAGNOSTIC_EVENT VALUES "
     "(2, x'00'), ('high', 'lost'), (2, printf('%.*c', 100000, 'l') || 'lost')",
     SL_OK, "bad-event", "DIAGNOSTIC_EVENT, row 2"},
    {"CREATE TABLE ENUM_CUDA_MEM_KIND (id, name); INSERT INTO ENUM_CUDA_MEM_KIND VALUES "
     "('x', 'CUDA_MEMOPR_MEMORY_KIND_PINNED'), (NULL, NULL), (1, x'ff')",
     SL_OK, NULL, NULL},
    {"CREATE TABLE META_DATA_EXPORT (name, value); INSERT INTO META_DATA_EXPORT VALUES "
     "('EXPORT_SCHEMA_VERSION', '99999999999999999999.x' || char(7))",
     SL_OK, "new-schema", "99999999999999999999"},
    /* Values of any size. */
    {"UPDATE StringIds SET value = CAST(zeroblob(5000000) AS TEXT)", SL_OK, "bad-text",
     "StringIds, row 3"},
    {"UPDATE StringIds SET value = CAST(zeroblob(18000000) AS TEXT)", SL_INVALID, NULL,
     "StringIds, after row 0: a value of more than 16 MiB"},
    {"UPDATE " KERNEL " SET streamId = zeroblob(5000000) WHERE rowid = 4", SL_OK, "bad-event",
     KERNEL ", row 4: 'streamId'"},
    {"UPDATE " KERNEL
     " SET start = -9223372036854775808, end = 9223372036854775807 WHERE rowid = 4",
     SL_OK, "bad-event", KERNEL ", row 4"},
    /* A schema that lies about itself. */
    {"PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE " KERNEL
     " USING nosuch(a)', rootpage = 0 WHERE name = '" KERNEL "'",
     SL_INVALID, "not-a-table", KERNEL " is a view or a virtual table"},
    {"PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE " KERNEL
     " (((' WHERE "
     "name = '" KERNEL "'",
     SL_INVALID, NULL, "malformed"},
    {"PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 99999 WHERE name = '" KERNEL
     "'",
     SL_INVALID, NULL, KERNEL},
    {"PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 1 WHERE name = '" KERNEL "'",
     SL_INVALID, NULL, ""},
    {"PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM "
     "sqlite_master WHERE name = 'StringIds') WHERE name = '" KERNEL "'",
     SL_OK, "bad-event", KERNEL ", row 3: 'start' is missing"},
    {"PRAGMA encoding = 'UTF-16'", SL_OK, NULL, NULL},
};

START_TEST(hostile_definitions)
{
    good_file(20);
    nsyslab_sql(&lab, definitions[_i].sql);
    nsyslab_import(&lab);
    ck_assert_msg(lab.status == definitions[_i].status, "%s: status %d, %s", definitions[_i].sql,
                  (int)lab.status, lab.err.message);
    if (lab.status)
        ck_assert_str_eq(lab.err.place.file, lab.path);
    const char *text = definitions[_i].code ? said(&lab, definitions[_i].code) : lab.err.message;
    if (definitions[_i].said)
        ck_assert_msg(strstr(text, definitions[_i].said) != NULL, "%s: %s", definitions[_i].sql,
                      text);
}
END_TEST

/* The file's bytes, for changes that SQL cannot make. */
static unsigned char *slurp(size_t *size)
{
    struct stat info;
    FILE *file = fopen(lab.path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fstat(fileno(file), &info), 0);
    unsigned char *bytes = malloc((size_t)info.st_size + 1);
    ck_assert_ptr_nonnull(bytes);
    *size = fread(bytes, 1, (size_t)info.st_size, file);
    ck_assert_uint_eq(*size, (size_t)info.st_size);
    fclose(file);
    return bytes;
}

static void spill(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(lab.path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* Reads, and wants an answer: all there, or an error with its place. */
static void survives(const char *what, size_t at)
{
    nsyslab_import(&lab);
    ck_assert_msg(lab.status == SL_OK || lab.status == SL_INVALID, "%s at %zu: %s", what, at,
                  lab.err.message);
    if (lab.status)
        ck_assert_msg(lab.err.place.file && *lab.err.message, "%s at %zu", what, at);
}

START_TEST(cut_anywhere)
{
    good_file(200);
    nsyslab_close(&lab);
    size_t size;
    unsigned char *bytes = slurp(&size);
    for (size_t kept = 0; kept < size; kept += kept < 110 ? 1 : 997) {
        spill(bytes, kept);
        nsyslab_import(&lab);
        ck_assert_int_eq(lab.status, SL_INVALID);
        ck_assert_ptr_nonnull(strstr(lab.err.message, kept < 100 ? "too short" : "cut off"));
    }
    free(bytes);
}
END_TEST

START_TEST(changed_bytes)
{
    nsyslab_sql(&lab, "PRAGMA page_size = 512");
    good_file(100);
    nsyslab_close(&lab);
    size_t size;
    unsigned char *bytes = slurp(&size), *changed = malloc(size);
    struct dice dice = {.state = (uint64_t)_i + 1};
    for (int round = 0; round < (sl_test_long() ? 3000 : 150); round++) {
        memcpy(changed, bytes, size);
        size_t at = 0;
        for (int i = 0; i <= round % 4; i++) {
            at = dice_below(&dice, (unsigned)size);
            changed[at] =
                (unsigned char)(dice_chance(&dice, 50) ? dice_below(&dice, 256)
                                                       : changed[at] ^ 1u << dice_below(&dice, 8));
        }
        spill(changed, size);
        survives("changed bytes", at);
    }
    free(changed);
    free(bytes);
}
END_TEST

/* Every inner page of a table leads to the next inner page, by all of its 60 or so ways: the rows
 * that such a file seems to have would take years. */
START_TEST(pages_that_lead_to_each_other)
{
    enum { PAGE = 512 };
    nsyslab_sql(&lab, "PRAGMA page_size = 512");
    good_file(12000);
    nsyslab_close(&lab);
    size_t size;
    unsigned char *bytes = slurp(&size);
    uint32_t inner[64], count = 0;
    for (size_t page = PAGE; page < size && count < 64; page += PAGE)
        if (bytes[page] == 5) /* fileformat.html, 1.6: an interior page of a table */
            inner[count++] = (uint32_t)(page / PAGE + 1);
    ck_assert_uint_ge(count, 6);
    for (uint32_t i = 0; i + 1 < count && i < 8; i++) {
        unsigned char *page = bytes + (size_t)(inner[i] - 1) * PAGE;
        uint32_t cells = (uint32_t)page[3] << 8 | page[4], next = inner[i + 1];
        for (uint32_t c = 0; c <= cells; c++) {
            const unsigned char *offset = page + 12 + 2 * c;
            unsigned char *way =
                c == cells ? page + 8 : page + ((uint32_t)offset[0] << 8 | offset[1]);
            for (int byte = 0; byte < 4; byte++)
                way[byte] = (unsigned char)(next >> (24 - 8 * byte));
        }
    }
    spill(bytes, size);
    free(bytes);
    nsyslab_import(&lab);
    ck_assert_int_eq(lab.status, SL_INVALID);
    ck_assert_msg(strstr(lab.err.message, "takes more steps") != NULL, "%s", lab.err.message);
}
END_TEST

static int files_in(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += *entry->d_name != '.';
    closedir(dir);
    return count;
}

/* Neither the file nor its folder is touched, whatever the file's journal mode; and what waits
 * beside it is named. */
START_TEST(nothing_is_written)
{
    struct stat before, after;
    nsyslab_sql(&lab, _i == 1 ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
    good_file(20);
    nsyslab_close(&lab);
    ck_assert_int_eq(stat(lab.path, &before), 0);
    nsyslab_import(&lab);
    ck_assert_int_eq(lab.status, SL_OK);
    ck_assert_uint_eq(lab.timeline.count, 20);
    ck_assert_int_eq(stat(lab.path, &after), 0);
    ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    ck_assert_int_eq(files_in(lab.dir.path), 1);
    ck_assert_str_eq(said(&lab, "unfinished-export"), "");
    const char *beside = _i == 1 ? "report.sqlite-wal" : "report.sqlite-journal";
    tempdir_write(&lab.dir, beside, "not empty");
    nsyslab_import(&lab);
    ck_assert_int_eq(lab.status, SL_OK);
    ck_assert_ptr_nonnull(strstr(said(&lab, "unfinished-export"), beside));
    ck_assert_int_eq(files_in(lab.dir.path), 2);
}
END_TEST

/* Characters that mean something in SQLite's own names of files. */
START_TEST(odd_names_of_files)
{
    good_file(20);
    nsyslab_close(&lab);
    char odd[sizeof lab.path];
    snprintf(odd, sizeof odd, "%.500s/a?mode=rwc&b#c%%20%%zz.sqlite", lab.dir.path);
    ck_assert_int_eq(rename(lab.path, odd), 0);
    memcpy(lab.path, odd, sizeof odd);
    nsyslab_import(&lab);
    ck_assert_msg(lab.status == SL_OK, "%s", lab.err.message);
    ck_assert_uint_eq(lab.timeline.count, 20);
    ck_assert_int_eq(files_in(lab.dir.path), 1);
}
END_TEST

/* Recognised by what is in it, so it comes this far. */
START_TEST(packed)
{
    good_file(20);
    nsyslab_close(&lab);
    size_t size;
    unsigned char *bytes = slurp(&size);
    gzFile file = gzopen(lab.path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(gzwrite(file, bytes, (unsigned)size), (int)size);
    ck_assert_int_eq(gzclose(file), Z_OK);
    free(bytes);
    ck_assert_int_eq(sl_import(lab.path, &lab.timeline, NULL, &lab.diags, NULL, &lab.err),
                     SL_INVALID);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "gunzip"));
}
END_TEST

START_TEST(no_such_file)
{
    static const char *const names[] = {"/nowhere/report.sqlite", "/dev/null", "/", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sl_error err = {0};
        struct sl_timeline timeline = {0};
        ck_assert_int_eq(sl_importer_nsys.read(names[i], &timeline, NULL, &lab.diags, &err),
                         SL_INVALID);
        ck_assert_str_eq(err.place.file, names[i]);
        sl_timeline_free(&timeline);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("nsys_hostile");
    TCase *cases = tcase_create("nsys_hostile");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, hostile_definitions, 0, sizeof definitions / sizeof *definitions);
    tcase_add_test(cases, cut_anywhere);
    tcase_add_loop_test(cases, changed_bytes, 0, 2);
    tcase_add_test(cases, pages_that_lead_to_each_other);
    tcase_add_loop_test(cases, nothing_is_written, 0, 2);
    tcase_add_test(cases, odd_names_of_files);
    tcase_add_test(cases, packed);
    tcase_add_test(cases, no_such_file);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
