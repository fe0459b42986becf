/* A trace of 1 GB is audited in at most 600 MB: the bound that slackline-audit(1) states, on a file
 * written here with the mix of events that traces of training steps have. */
#include <config.h>

#include "harness.h"
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES INT64_C(1000000000)
#define MOST_KIB   600000 /* 600 MB, in what ru_maxrss counts */

/* One launch, the arrow, its kernel, and two operators around it: 250 bytes an event on average. */
static int write_group(FILE *out, int64_t i)
{
    static const char host[] = "\"pid\": 4711, \"tid\": 4711, \"ts\"";
    int64_t t = 1700000000000000 + 20 * i;
    int n = 0;
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
    for (int64_t i = 1; bytes < FILE_BYTES; i++)
        bytes += write_group(out, i);
    fprintf(out, "{\"ph\": \"M\", \"name\": \"end\"}]}\n");
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(a_gigabyte)
{
    const char *base = getenv("TMPDIR");
    char path[1024];
    snprintf(path, sizeof path, "%.900s/slackline-trace-%d.json", base ? base : "/tmp",
             (int)getpid());
    write_trace(path);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execl(getenv("SLACKLINE"), "slackline", "audit", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    remove(path);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    printf("# %ld KiB at most\n", usage.ru_maxrss);
    ck_assert_int_le(usage.ru_maxrss, MOST_KIB);
}
END_TEST

int main(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return sl_test_skip("memory of sanitizers is not the program's");
#endif
    if (!sl_test_long())
        return sl_test_skip("a trace of 1 GB is written in the long suite (SL_LONG=1)");
    Suite *suite = suite_create("trace memory");
    TCase *cases = tcase_create("gigabyte");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, a_gigabyte);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
