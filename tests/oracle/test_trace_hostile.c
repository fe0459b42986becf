/* Files that mean harm, or were harmed, given to `slackline audit` and `slackline import`: each
 * ends with exit 3 and an error that names the file, or with exit 0 and a count of what was left
 * out. None ends the program otherwise, and none takes memory without bound. */
#include <config.h>

#include "harness.h"
#include "nsyslab.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>

/* A variant is HEAD, `before`, `count` times `piece`, `after`, TAIL; both ends hold good events. */
#define HEAD                                                                                       \
    "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","     \
    "\"pid\":1,\"tid\":2,\"ts\":1000.5,\"dur\":2,\"args\":{\"correlation\":9}},\n"
#define TAIL                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1004,\"dur\":3,"   \
    "\"args\":{\"device\":0,\"stream\":7,\"correlation\":9}}\n]}"
#define EVENT "{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":0,\"tid\":7,"
#define MB    1000000

/* How a variant's text becomes the file. */
enum form {
    WHOLE,
    CUT,    /* without TAIL */
    ALONE,  /* without HEAD and TAIL */
    PACKED, /* whole, as .gz */
    UTF16,  /* whole, two bytes each */
};

struct variant {
    const char *what, *before, *piece;
    uint64_t count;
    const char *after;
    enum form form;
    int exit;         /* wanted */
    const char *said; /* on standard error: a hazard's name or part of the error */
    int most_mb;      /* of memory; 0: 40 */
};

static const struct variant variants[] = {
    /* Truncation; test_kineto.c cuts at every byte. */
    {"an empty file", "", "", 0, "", ALONE, 3, "empty", 0},
    {"cut before the events", "{\"traceEvents\"", "", 0, "", ALONE, 3, "traceEvents", 0},
    {"cut in the array", "", "", 0, "", CUT, 0, "truncated", 0},
    {"cut in an event", "{\"ph\":\"X\",\"cat\":\"ker", "", 0, "", CUT, 0, "truncated", 0},
    {"cut in a number", EVENT "\"ts\":10", "", 0, "", CUT, 0, "truncated", 0},
    {"cut in an escape", EVENT "\"a\":\"\\u00", "", 0, "", CUT, 0, "truncated", 0},
    {"cut in a character", EVENT "\"a\":\"\xC3", "", 0, "", CUT, 0, "truncated", 0},
    /* What is no number. */
    {"NaN as ts", EVENT "\"ts\":NaN,\"dur\":1},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"nan as dur", EVENT "\"ts\":1001,\"dur\":nan},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"bare inf", EVENT "\"ts\":1001,\"dur\":inf},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"-Infinity in args", EVENT "\"ts\":1001,\"dur\":1,\"args\":{\"bytes\":-Infinity}},", "", 0, "",
     WHOLE, 0, "bad-value", 0},
    {"a word that is none", EVENT "\"ts\":nil,\"dur\":1},", "", 0, "", WHOLE, 3, ":2:", 0},
    /* Keys. */
    {"a key twice", EVENT "\"ts\":5,\"ts\":1001,\"dur\":1},", "", 0, "", WHOLE, 0, "bad-value", 0},
    {"args twice", EVENT "\"ts\":1001,\"dur\":1,\"args\":{\"stream\":7},\"args\":{\"stream\":8}},",
     "", 0, "", WHOLE, 0, "", 0},
    {"traceEvents twice", "7],\"traceEvents\":[", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"a million keys", EVENT "\"ts\":1001,\"dur\":1,", "\"a\":1,", MB, "\"b\":2},", WHOLE, 0, "",
     0},
    /* Texts. */
    {"raw control characters", EVENT "\"ts\":1001,\"dur\":1,\"x\":\"a\nb\tc\001d\"},", "", 0, "",
     WHOLE, 0, "bad-text", 0},
    {"2 MB of raw control characters", "\"", "\x01\x02", MB, "\",", WHOLE, 0, "bad-text", 0},
    {"500,000 times NaN", "", "NaN,", MB / 2, "", WHOLE, 0, "bad-value", 0},
    {"a raw NUL", "", "", 0, "", WHOLE, 0, "", 0}, /* its byte is put in below */
    {"an escaped NUL",
     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\\u0000b\",\"ts\":1001,\"dur\":1},", "", 0, "",
     WHOLE, 0, "bad-text", 0},
    {"Latin-1", "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"caf\xE9\",\"ts\":1001,\"dur\":1},", "",
     0, "", WHOLE, 0, "bad-text", 0},
    {"half a surrogate",
     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\\ud83d\",\"ts\":1001,\"dur\":1},", "", 0, "",
     WHOLE, 0, "", 0},
    {"UTF-16", "", "", 0, "", UTF16, 3, "UTF-16", 0},
    {"UTF-8 with its mark", "\xEF\xBB\xBF" HEAD TAIL, "", 0, "", ALONE, 0, "", 0},
    {"a name of 5 MB", "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"ts\":1001,\"dur\":1,\"name\":\"",
     "abcde", MB, "\"},", WHOLE, 0, "bad-text", 0},
    {"a key of 5 MB", EVENT "\"ts\":1001,\"dur\":1,\"", "abcde", MB, "\":1},", WHOLE, 0, "", 0},
    {"a text without end", EVENT "\"x\":\"", "abcdefgh", 3 * MB, "", CUT, 3, "more than", 0},
    /* Times. */
    {"string ts", EVENT "\"ts\":\"1001.5\",\"dur\":\"1\"},", "", 0, "", WHOLE, 0, "", 0},
    {"a word as ts", EVENT "\"ts\":\"noon\",\"dur\":1},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"an array as ts", EVENT "\"ts\":[1001],\"dur\":1},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"no ts", EVENT "\"dur\":1},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"1e300", EVENT "\"ts\":1e300,\"dur\":1},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"1e-400", EVENT "\"ts\":1001,\"dur\":1e-400},", "", 0, "", WHOLE, 0, "", 0},
    {"a year off", EVENT "\"ts\":3e13,\"dur\":1},", "", 0, "", WHOLE, 0, "bad-event", 0},
    {"a negative duration", EVENT "\"ts\":1001,\"dur\":-5},", "", 0, "", WHOLE, 0, "reversed", 0},
    {"2^63 bytes",
     "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> "
     "Device)\",\"pid\":0,\"tid\":7,"
     "\"ts\":1010,\"dur\":1,\"args\":{\"bytes\":9223372036854775808,\"stream\":7}},",
     "", 0, "", WHOLE, 0, "bad-value", 0},
    {"2^63 - 1 bytes, twice", "",
     "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> "
     "Device)\",\"pid\":0,\"tid\":7,"
     "\"ts\":1010,\"dur\":1,\"args\":{\"bytes\":9223372036854775807,\"stream\":7}},",
     2, "", WHOLE, 0, "", 0},
    {"a number of 10 MB", EVENT "\"dur\":1,\"ts\":", "1234567890", MB, "},", WHOLE, 3, "more than",
     0},
    {"the largest streams and correlations",
     EVENT "\"ts\":1001,\"dur\":1,\"args\":{\"device\":9223372036854775807,\"stream\":-"
           "9223372036854775808,"
           "\"correlation\":9223372036854775807}},",
     "", 0, "", WHOLE, 0, "", 0},
    /* Depth. */
    {"a million arrays", "", "[", MB, "", CUT, 3, "nested deeper", 0},
    {"a million objects", "", "{\"a\":", MB, "", CUT, 3, "nested deeper", 0},
    {"a million arrays in args", EVENT "\"args\":{\"grid\":", "[", MB, "", CUT, 3, "nested deeper",
     0},
    /* Bombs: what they unpack to is read, not kept. */
    {"100 MB of blanks", "", "          ", 10 * MB, "", PACKED, 0, "", 0},
    {"20 MB of no events", "", "{}, 7, [], ", 2 * MB, "", PACKED, 0, "bad-event", 0},
    {"a packed text without end", EVENT "\"x\":\"", "abcdefgh", 8 * MB, "\"},", PACKED, 3,
     "more than", 0},
    {"packed depth", "", "[", 20 * MB, "", PACKED, 3, "nested deeper", 0},
    {"hidden events without end", "", "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":1,\"args\":{}},",
     MB / 2, "", PACKED, 0, "", 100},
    {"names without end", "", "", 0, "", PACKED, 3, "different names", 250}, /* written below */
    /* Schemas. */
    {"another JSON", "{\"a\": [1]}", "", 0, "", ALONE, 3, "traceEvents", 0},
    {"an object of events", "{\"traceEvents\": {\"ph\":\"X\"}}", "", 0, "", ALONE, 3, "traceEvents",
     0},
    {"no JSON", "ELF, or what", "", 0, "", ALONE, 3, "no known format", 0},
    {"elements that are no events", "7, null, \"x\", true, [[]],", "", 0, "", WHOLE, 0, "bad-event",
     0},
    {"args that are none", EVENT "\"ts\":1001,\"dur\":1,\"args\":[{\"ts\":4}]},", "", 0, "", WHOLE,
     0, "", 0},
    {"a bare array", "[" EVENT "\"ts\":1001,\"dur\":1}]", "", 0, "", ALONE, 0, "", 0},
    {"text behind the end", HEAD TAIL "}", "", 0, "", ALONE, 3, ":3:", 0},
};

static struct nsyslab lab; /* its folder, path and database */
static char errors[1 << 16];

static void setup(void)
{
    nsyslab_open(&lab);
}

static void teardown(void)
{
    nsyslab_free(&lab);
}

struct sink {
    FILE *plain;
    gzFile packed;
    bool wide;
};

static void put(struct sink *sink, const char *bytes, size_t size)
{
    if (sink->packed)
        ck_assert_int_eq(gzwrite(sink->packed, bytes, (unsigned)size), (int)size);
    for (size_t i = 0; sink->wide && i < size; i++)
        fprintf(sink->plain, "%c%c", bytes[i], 0);
    if (!sink->packed && !sink->wide)
        ck_assert_uint_eq(fwrite(bytes, 1, size, sink->plain), size);
}

/* The piece in blocks: writing one at a time would take most of the test's time. */
static void put_pieces(struct sink *sink, const char *piece, uint64_t count)
{
    char block[1 << 16];
    size_t length = strlen(piece), fit = length > 0 ? sizeof block / length : 0;
    for (size_t i = 0; i < fit; i++)
        memcpy(block + i * length, piece, length);
    for (; length > 0 && count > 0; count -= count < fit ? count : fit)
        put(sink, block, length * (count < fit ? (size_t)count : fit));
}

/* 14,000 events with a name of 10 kB each. */
static void put_names(struct sink *sink)
{
    char text[10400];
    for (int i = 0; i < 14000; i++)
        put(sink, text,
            (size_t)snprintf(text, sizeof text, EVENT "\"ts\":%d,\"dur\":1,\"name\":\"%010000d\"},",
                             2000 + i, i));
}

static void write_variant(const struct variant *v)
{
    struct sink sink = {.wide = v->form == UTF16};
    nsyslab_close(&lab);
    if (v->form == PACKED)
        sink.packed = gzopen(lab.path, "wb1");
    else
        sink.plain = fopen(lab.path, "wb");
    ck_assert(sink.packed || sink.plain);
    if (v->form != ALONE)
        put(&sink, HEAD, strlen(HEAD));
    if (strcmp(v->what, "a raw NUL") == 0)
        put(&sink, "{\"ph\":\"M\",\"x\":\"a\0b\"},", 21);
    put(&sink, v->before, strlen(v->before));
    put_pieces(&sink, v->piece, v->count);
    if (strcmp(v->what, "names without end") == 0)
        put_names(&sink);
    put(&sink, v->after, strlen(v->after));
    if (v->form != ALONE && v->form != CUT)
        put(&sink, TAIL, strlen(TAIL));
    ck_assert_int_eq(sink.packed ? gzclose(sink.packed) : fclose(sink.plain), 0);
}

static void read_errors(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    errors[fread(errors, 1, sizeof errors - 1, file)] = '\0';
    fclose(file);
    remove(path);
}

static void remove_scenario(const char *path)
{
    char command[1200];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    ck_assert_int_eq(system(command), 0);
}

/* Runs `audit` or `import` on the file and holds exit, message and memory against what is wanted.
 */
static void check_command(const char *command, const char *what, int wanted, const char *said,
                          int most_mb)
{
    char into[700], scenario[700];
    bool imports = strcmp(command, "import") == 0;
    snprintf(into, sizeof into, "%s/errors", lab.dir.path);
    snprintf(scenario, sizeof scenario, "%s/scenario", lab.dir.path);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen(into, "w", stderr))
            _exit(127);
        execl(getenv("SLACKLINE"), "slackline", command, lab.path, imports ? "-o" : NULL, scenario,
              "--movable", "both", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    read_errors(into);
    remove_scenario(scenario);
    ck_assert_msg(WIFEXITED(status), "%s, %s: signal %d", what, command, WTERMSIG(status));
    ck_assert_msg(WEXITSTATUS(status) == wanted, "%s, %s: exit %d\n%s", what, command,
                  WEXITSTATUS(status), errors);
    ck_assert_msg(wanted != 3 || strstr(errors, lab.path), "%s, %s: no file named\n%s", what,
                  command, errors);
    ck_assert_msg(strstr(errors, said) != NULL, "%s, %s: '%s' is not in\n%s", what, command, said,
                  errors);
#if !defined(__SANITIZE_ADDRESS__)
    ck_assert_msg(usage.ru_maxrss <= (most_mb > 0 ? most_mb : 40) * 1000L, "%s, %s: %ld KiB", what,
                  command, usage.ru_maxrss);
#else
    (void)most_mb;
#endif
}

START_TEST(kineto)
{
    const struct variant *v = &variants[_i];
    write_variant(v);
    check_command("audit", v->what, v->exit, v->said, v->most_mb);
    check_command("import", v->what, v->exit, v->said, v->most_mb);
}
END_TEST

#define KERNEL "CUPTI_ACTIVITY_KIND_KERNEL"
/* Databases: what is done to a good one of 20 kernels. */
static const struct {
    const char *what, *sql;
    int exit;
    const char *said;
} databases[] = {
    {"no table of kernels", "DROP TABLE " KERNEL, 3, ""},
    {"no table at all", "DROP TABLE " KERNEL "; DROP TABLE StringIds", 3, ""},
    {"a table of another schema", "DROP TABLE " KERNEL "; CREATE TABLE " KERNEL " (x)", 3,
     "has no column 'start'"},
    {"a column less", "ALTER TABLE " KERNEL " RENAME COLUMN streamId TO y", 3,
     "has no column 'streamId'"},
    {"a view that does not end",
     "DROP TABLE " KERNEL "; CREATE VIEW " KERNEL " AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
     "SELECT i + 1 FROM n) SELECT i AS start, i AS end, 0 AS deviceId, 0 AS streamId FROM n",
     3, "is a view"},
    {"texts as times", "UPDATE " KERNEL " SET start = 'noon' WHERE rowid < 4", 0, "bad-event"},
    {"NaN as a time", "UPDATE " KERNEL " SET start = 0.0 / 0.0 WHERE rowid = 3", 0, "bad-event"},
    {"infinity as a time", "UPDATE " KERNEL " SET end = 9e999 WHERE rowid = 3", 0, "bad-event"},
    {"huge times",
     "UPDATE " KERNEL
     " SET start = -9223372036854775808, end = 9223372036854775807 WHERE rowid = 3",
     0, "bad-event"},
    {"reversed times", "UPDATE " KERNEL " SET end = start - 5 WHERE rowid = 3", 0, "reversed"},
    {"blobs as numbers", "UPDATE " KERNEL " SET streamId = zeroblob(5000000) WHERE rowid = 4", 0,
     "bad-event"},
    {"huge numbers of streams",
     "UPDATE " KERNEL " SET streamId = 9223372036854775807 WHERE rowid = 4", 0, ""},
    {"rows twice", "INSERT INTO " KERNEL " SELECT * FROM " KERNEL, 0, ""},
    {"a name of 5 MB", "UPDATE StringIds SET value = CAST(zeroblob(5000000) AS TEXT)", 0,
     "bad-text"},
    {"a name of 18 MB", "UPDATE StringIds SET value = CAST(zeroblob(18000000) AS TEXT)", 3,
     "a value of more than 16 MiB"},
    {"Latin-1", "UPDATE StringIds SET value = CAST(x'636166E9' AS TEXT)", 0, "bad-text"},
    {"control characters", "UPDATE StringIds SET value = 'a' || char(10) || char(1) || 'b'", 0, ""},
    {"the schema table as a table",
     "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 1 WHERE name = '" KERNEL "'",
     3, ""},
    {"a page beyond the file",
     "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 99999 WHERE name = '" KERNEL
     "'",
     3, KERNEL},
    {"a definition that is none",
     "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE " KERNEL
     " (((' WHERE name = '" KERNEL "'",
     3, "malformed"},
};

static void good_database(void)
{
    nsyslab_sql(&lab, "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                      "INSERT INTO StringIds VALUES (3, 'k1');"
                      "CREATE TABLE " KERNEL
                      " (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
                      "demangledName INTEGER);"
                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                      "20) INSERT INTO " KERNEL " SELECT i * 10, i * 10 + 9, 0, 7, 3 FROM n");
}

START_TEST(nsys)
{
    good_database();
    nsyslab_sql(&lab, databases[_i].sql);
    nsyslab_close(&lab);
    check_command("audit", databases[_i].what, databases[_i].exit, databases[_i].said, 60);
    check_command("import", databases[_i].what, databases[_i].exit, databases[_i].said, 60);
}
END_TEST

/* Cut at the ends of pages and within them; test_nsys_hostile.c cuts everywhere. */
START_TEST(nsys_cut)
{
    good_database();
    nsyslab_close(&lab);
    for (long size = 8192; size > 0; size -= 1 + size / 3) {
        ck_assert_int_eq(truncate(lab.path, size), 0);
        check_command("audit", "cut", 3, "", 0);
        check_command("import", "cut", 3, "", 0);
    }
}
END_TEST

int main(void)
{
    if (!getenv("SLACKLINE"))
        return sl_test_skip("SLACKLINE names the program; make check");
    Suite *suite = suite_create("trace hostile");
    TCase *cases = tcase_create("hostile");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, kineto, 0, (int)(sizeof variants / sizeof *variants));
    tcase_add_loop_test(cases, nsys, 0, (int)(sizeof databases / sizeof *databases));
    tcase_add_test(cases, nsys_cut);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
