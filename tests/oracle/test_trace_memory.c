/* The memory that audits and imports of long traces take, on files written here with the mix of
 * events that traces of training steps have: what slackline-audit(1) and slackline-import(1) state
 * for 1 GB, and in proportion to the file below that. */
#include <config.h>

#include "harness.h"
#include "nsyslab.h"
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* 12 MB and 588 bytes for each kB of a Kineto file: 600 MB of 1 GB. */
#define BASE_BYTES     INT64_C(12000000)
#define BYTES_PER_BYTE 0.588
#define GROUP_BYTES                                                                                \
    1250 /* of a group below; a database is allowed what its events would take as JSON */
enum { STEP_GROUPS = 2000 };

static int64_t file_bytes(void)
{
    return sl_test_long() ? 1000000000 : 50000000;
}

/* One launch, the arrow, its kernel, and two operators around it: 250 bytes an event on average. */
static int write_group(FILE *out, int64_t i)
{
    static const char host[] = "\"pid\": 4711, \"tid\": 4711, \"ts\"";
    int64_t t = 1700000000000000 + 20 * i;
    int n = 0;
    if (i % STEP_GROUPS == 1)
        n += fprintf(out,
                     "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
                     "\"ProfilerStep#%lld\", %s: %lld.000, \"dur\": %d}\n,",
                     (long long)(i / STEP_GROUPS), host, (long long)t, 20 * STEP_GROUPS - 1);
    for (int k = 0; k < 2; k++)
        n +=
            fprintf(out,
                    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::operator_%d\", %s: "
                    "%lld.%03d, \"dur\": 19.5, \"args\": {\"External id\": %lld, \"Record function "
                    "id\": 0, \"Ev Idx\": %lld, \"Input Dims\": [[64, 1024], [1024]]}},\n",
                    (int)(i % 97), host, (long long)t, k, (long long)i, (long long)i);
    n += fprintf(out,
                 "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", %s: "
                 "%lld.500, \"dur\": 4.25, \"args\": {\"External id\": %lld, \"cbid\": 211, "
                 "\"correlation\": %lld}},\n",
                 host, (long long)t, (long long)i, (long long)i);
    n += fprintf(out,
                 "{\"ph\": \"s\", \"id\": %lld, %s: %lld.500, \"cat\": \"ac2g\", \"name\": "
                 "\"ac2g\"},\n",
                 (long long)i, host, (long long)t);
    n += fprintf(
        out,
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void a_kernel_of_some_length<"
        "%d, float, at::detail::Array<char*, 2>>(int, float*, float*)\", \"pid\": 0, \"tid\": "
        "7, \"ts\": %lld.125, \"dur\": 11.875, \"args\": {\"External id\": %lld, \"queued\": "
        "0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %lld, "
        "\"registers per thread\": 32, \"shared memory\": 0, \"blocks per SM\": 1.5, "
        "\"warps per SM\": 12.0, \"grid\": [256, 1, 1], \"block\": [256, 1, 1]}},\n",
        (int)(i % 31), (long long)(t + 8), (long long)i, (long long)i);
    return n;
}

static void write_trace(const char *path)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    int64_t bytes = fprintf(out, "{\"traceEvents\": [\n");
    for (int64_t i = 1; bytes < file_bytes(); i++)
        bytes += write_group(out, i);
    fprintf(out, "{\"ph\": \"M\", \"name\": \"end\"}]}\n");
    ck_assert_int_eq(fclose(out), 0);
}

/* The same in a database: a call and a kernel of each group, and a range of each step. */
static void write_database(struct nsyslab *lab)
{
    char sql[1024];
    nsyslab_sql(
        lab,
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;"
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass "
        "INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue "
        "INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, "
        "gridX INTEGER, blockX INTEGER);"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
        "globalTid INTEGER);"
        "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel');"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 30) INSERT INTO "
        "StringIds SELECT 2 + i, 'void a_kernel_of_some_length<' || i || '>(float *)' FROM n");
    long long groups = file_bytes() / GROUP_BYTES;
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %lld) INSERT "
        "INTO "
        "CUPTI_ACTIVITY_KIND_RUNTIME SELECT 20000 * i, 20000 * i + 4250, 0, %lld, i, 1, 0 FROM n",
        groups, (long long)TID(1, 1));
    nsyslab_sql(lab, sql);
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %lld) INSERT "
        "INTO "
        "CUPTI_ACTIVITY_KIND_KERNEL SELECT 20000 * i + 8000, 20000 * i + 19875, 0, 7, i, %lld, "
        "2 + i %% 31, 256, 256 FROM n",
        groups, (long long)PID(1));
    nsyslab_sql(lab, sql);
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %lld) "
             "INSERT INTO "
             "NVTX_EVENTS SELECT 20000 + i * 20000 * %d, 19000 + (i + 1) * 20000 * %d, 59, 'step ' "
             "|| i, "
             "%lld FROM n",
             groups / STEP_GROUPS - 1, STEP_GROUPS, STEP_GROUPS, (long long)TID(1, 1));
    nsyslab_sql(lab, sql);
    nsyslab_close(lab);
}

/* The most memory that the command had. */
static void check_memory(const char *what, char *const *words)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execv(getenv("SLACKLINE"), words);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    int64_t most = BASE_BYTES + (int64_t)(BYTES_PER_BYTE * (double)file_bytes());
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s %s: status %d", what, words[1],
                  status);
    printf("# %s, %s%s: %.1f MB at most, of %.1f MB\n", what, words[1],
           words[5] ? " --movable in" : "", (double)usage.ru_maxrss * 1024 / 1e6,
           (double)most / 1e6);
    ck_assert_int_le(usage.ru_maxrss * INT64_C(1024), most);
}

static void remove_scenario(const char *path)
{
    static const char *const names[] = {
        "scenario.yaml", "nodes.csv",          "edges.csv",           "objects.csv",
        "report.csv",    "kappa-observed.csv", "routes-observed.csv", "memory-observed.csv"};
    char file[1200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        ck_assert_int_eq(remove(file), 0);
    }
    ck_assert_int_eq(rmdir(path), 0);
}

static void check_all(const char *what, char *trace, char *scenario)
{
    check_memory(what, (char *[]){"slackline", "audit", trace, NULL, NULL, NULL});
    check_memory(what, (char *[]){"slackline", "import", trace, "-o", scenario, NULL});
    remove_scenario(scenario);
    check_memory(what,
                 (char *[]){"slackline", "import", trace, "-o", scenario, "--movable", "in", NULL});
    remove_scenario(scenario);
}

START_TEST(memory_of_long_traces)
{
    struct nsyslab lab;
    char scenario[1024];
    nsyslab_open(&lab);
    snprintf(scenario, sizeof scenario, "%s/scenario", lab.dir.path);
    write_database(&lab);
    check_all("a database", lab.path, scenario);
    write_trace(lab.path);
    check_all("JSON", lab.path, scenario);
    nsyslab_free(&lab);
}
END_TEST

int main(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return sl_test_skip("memory of sanitizers is not the program's");
#endif
    if (!getenv("SLACKLINE"))
        return sl_test_skip("SLACKLINE names the program; make check");
    Suite *suite = suite_create("trace memory");
    TCase *cases = tcase_create("long traces");
    tcase_set_timeout(cases, 1200);
    tcase_add_test(cases, memory_of_long_traces);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
