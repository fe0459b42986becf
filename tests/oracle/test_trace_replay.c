/* Public traces of the PyTorch profiler and of Nsight Systems through `slackline import` and
 * `slackline run`: the span is the recorded one within 1%, the GPU is busy exactly as long, and for
 * the former that is what an independent decimal parse of the same file says
 * (expected_totals.jsonl, gpu_union_busy_ns); so is the peak of its memory, where it was recorded
 * (peak_total_allocated). */
#include <config.h>

#include "harness.h"
#include <math.h>
#include <string.h>
#include <yajl/yajl_tree.h>

static char folder[3072];

static yajl_val run(const char *command)
{
    static char text[1 << 25];
    char why[256] = "";
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    ck_assert_msg(pclose(out) == 0, "%s", command);
    yajl_val value = yajl_tree_parse(text, why, sizeof why);
    ck_assert_msg(value != NULL, "%s in %.200s", why, text);
    return value;
}

static double number(yajl_val map, const char *outer, const char *inner)
{
    const char *path[] = {outer, inner, NULL};
    yajl_val value = yajl_tree_get(map, path, yajl_t_number);
    ck_assert_msg(value != NULL, "no %s.%s", outer, inner);
    return YAJL_GET_DOUBLE(value);
}

/* What a domain holds at most; NAN: there is no such domain. */
static double peak_of(yajl_val replay, const char *domain)
{
    const char *name[] = {"domain", NULL}, *bytes[] = {"peak_bytes", NULL};
    const char *path[] = {"domains", NULL};
    yajl_val domains = yajl_tree_get(replay, path, yajl_t_array);
    for (size_t i = 0; domains && i < domains->u.array.len; i++) {
        yajl_val row = domains->u.array.values[i], found = yajl_tree_get(row, name, yajl_t_string);
        const char *text = YAJL_GET_STRING(found);
        if (text && strcmp(text, domain) == 0)
            return YAJL_GET_DOUBLE(yajl_tree_get(row, bytes, yajl_t_number));
    }
    return NAN;
}

/* `line` states the peak of each device as "1:DEVICE": BYTES behind peak_total_allocated. */
static void check_peak(yajl_val replay, const char *line)
{
    const char *stated = strstr(line, "\"peak_total_allocated\": {"), *at;
    const char *end = stated ? strchr(stated, '}') : NULL;
    int device;
    double bytes;
    char domain[32];
    for (at = stated; at && (at = strstr(at, "\"1:")) && at < end; at++)
        if (sscanf(at, "\"1:%d\": %lf", &device, &bytes) == 2) {
            snprintf(domain, sizeof domain, "hbm%d", device);
            ck_assert_double_eq(peak_of(replay, domain), bytes);
        }
}

/* Imports the whole trace and runs it; *busy_us is the recorded busy time.  `line`: what is
 * expected of it; NULL. */
static void check_file(const char *path, const char *line, double *busy_us)
{
    const char *work = getenv("SL_BUILDDIR");
    char command[9000], dir[4096];
    snprintf(dir, sizeof dir, "%s/tests/oracle/trace_replay.tmp", work ? work : ".");
    snprintf(command, sizeof command,
             "'%s' import --json --force --window 0ns: '%s' -o '%s' 2>/dev/null",
             getenv("SLACKLINE"), path, dir);
    yajl_val import = run(command);
    double recorded_us = number(import, "recorded", "span_us");
    *busy_us = number(import, "recorded", "busy_us");
    snprintf(command, sizeof command, "'%s' run --json '%s' 2>/dev/null", getenv("SLACKLINE"), dir);
    yajl_val replay = run(command);
    double span_us = number(replay, "mean", "value_us");
    ck_assert_msg(fabs(span_us / recorded_us - 1) < 0.01, "%s: %g us, recorded %g us", path,
                  span_us, recorded_us);
    ck_assert_msg(fabs(span_us - number(import, "replayed", "span_us")) < 1e-5, "%s", path);
    if (*busy_us > 0)
        ck_assert_msg(fabs(number(replay, "time_of_busy_resource", "busy_us") - *busy_us) < 1e-6,
                      "%s", path);
    if (line)
        check_peak(replay, line);
    yajl_tree_free(replay);
    yajl_tree_free(import);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}

static void check_trace(const char *line)
{
    char trace[256], path[4096];
    double expected_us = strtod(strstr(line, "\"gpu_union_busy_ns\": ") + 21, NULL) / 1e3, busy_us;
    ck_assert_int_eq(sscanf(line, "{\"trace\": \"%255[^\"]\"", trace), 1);
    snprintf(path, sizeof path, "%s/kineto/%s", folder, trace);
    check_file(path, line, &busy_us);
    ck_assert_msg(fabs(busy_us - expected_us) < 1e-6, "%s: busy %g us", trace, busy_us);
}

START_TEST(replays)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/kineto/expected_totals.jsonl", folder);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *line = NULL;
    size_t room = 0;
    int traces = 0;
    /* Small traces always, all of them in the long suite: the large ones take seconds. */
    while (getline(&line, &room, file) > 0) {
        if (!sl_test_long() && strtoll(strstr(line, "\"events\": ") + 10, NULL, 10) > 20000)
            continue;
        check_trace(line);
        traces++;
    }
    free(line);
    fclose(file);
    ck_assert_int_ge(traces, sl_test_long() ? 17 : 7);
}
END_TEST

START_TEST(replays_of_databases)
{
    static const char *const files[] = {"copies_1", "fuser_1",         "fuser_3",
                                        "mordred",  "no_kernel_table", "openmp_copies"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        double busy_us;
        snprintf(path, sizeof path, "%s/nsys/%s.sqlite", folder, files[i]);
        check_file(path, NULL, &busy_us);
    }
}
END_TEST

int main(void)
{
    const char *shared = getenv("SL_SHARED");
    char path[4096];
    snprintf(folder, sizeof folder, "%.3000s/data", shared ? shared : "");
    snprintf(path, sizeof path, "%s/kineto/expected_totals.jsonl", folder);
    FILE *there = shared ? fopen(path, "r") : NULL;
    if (!there)
        return sl_test_skip("the public traces (../shared/data) are not here");
    fclose(there);
    Suite *suite = suite_create("trace replay");
    TCase *cases = tcase_create("replay");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, replays);
    tcase_add_test(cases, replays_of_databases);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
