/* Public traces of the PyTorch profiler through `slackline audit --json`, against totals that an
 * independent decimal parse of the same files gives (expected_totals.jsonl): each stated figure is
 * there under its name, equal to the last nanosecond and byte; streams, copies and arrows are
 * exactly those. */
#include <config.h>

#include "harness.h"
#include <string.h>
#include <yajl/yajl_tree.h>

static char folder[3072];

static char *read_stream(FILE *in)
{
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t got; text && (got = fread(text + size, 1, room - size - 1, in)) > 0;) {
        size += got;
        if (size + 1 == room)
            text = realloc(text, room *= 2);
    }
    ck_assert_ptr_nonnull(text);
    text[size] = '\0';
    return text;
}

static yajl_val parse(const char *text)
{
    char why[256] = "";
    yajl_val value = yajl_tree_parse(text, why, sizeof why);
    ck_assert_msg(value != NULL, "%s in %.200s", why, text);
    return value;
}

static yajl_val get(yajl_val map, const char *key)
{
    const char *path[] = {key, NULL};
    return yajl_tree_get(map, path, yajl_t_any);
}

static void compare(yajl_val expected, yajl_val found, const char *trace, const char *where)
{
    ck_assert_msg(found != NULL, "%s: no %s", trace, where);
    if (YAJL_IS_OBJECT(expected)) {
        ck_assert_msg(YAJL_IS_OBJECT(found), "%s: %s", trace, where);
        for (size_t i = 0; i < expected->u.object.len; i++) {
            char path[512];
            snprintf(path, sizeof path, "%s.%s", where, expected->u.object.keys[i]);
            compare(expected->u.object.values[i], get(found, expected->u.object.keys[i]), trace,
                    path);
        }
        return;
    }
    const char *a =
        YAJL_IS_NUMBER(expected) ? YAJL_GET_NUMBER(expected) : YAJL_GET_STRING(expected);
    const char *b = YAJL_IS_NUMBER(found) ? YAJL_GET_NUMBER(found) : YAJL_GET_STRING(found);
    ck_assert_msg(a && b && strcmp(a, b) == 0, "%s: %s is %s, not %s", trace, where, b ? b : "?",
                  a ? a : "?");
}

static void check_trace(const char *line)
{
    static const char *const whole[] = {"streams", "memcpy", "flows", "peak_total_allocated",
                                        "peak_delta_sum"};
    yajl_val expected = parse(line);
    const char *trace = YAJL_GET_STRING(get(expected, "trace"));
    char command[4096 + 256];
    ck_assert_ptr_nonnull(trace);
    snprintf(command, sizeof command, "'%s' audit --json '%s/%s'", getenv("SLACKLINE"), folder,
             trace);
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    char *text = read_stream(out);
    ck_assert_int_eq(pclose(out), 0);
    yajl_val found = parse(text);
    compare(expected, found, trace, "");
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        yajl_val a = get(expected, whole[i]), b = get(found, whole[i]);
        ck_assert_msg(!a || a->u.object.len == b->u.object.len, "%s: %s", trace, whole[i]);
    }
    yajl_tree_free(found);
    yajl_tree_free(expected);
    free(text);
}

START_TEST(totals)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/expected_totals.jsonl", folder);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *line = NULL;
    size_t room = 0;
    int number = 0, traces = 0;
    /* Small traces always, all of them in the long suite: the large ones take seconds. */
    for (; getline(&line, &room, file) > 0; number++) {
        if (!sl_test_long() && strtoll(strstr(line, "\"events\": ") + 10, NULL, 10) > 50000)
            continue;
        check_trace(line);
        traces++;
    }
    free(line);
    fclose(file);
    ck_assert_int_eq(number, 17);
    ck_assert_int_ge(traces, sl_test_long() ? 17 : 7);
}
END_TEST

int main(void)
{
    const char *shared = getenv("SL_SHARED");
    char path[4096];
    snprintf(folder, sizeof folder, "%.3000s/data/kineto", shared ? shared : "");
    snprintf(path, sizeof path, "%s/expected_totals.jsonl", folder);
    FILE *there = shared ? fopen(path, "r") : NULL;
    if (!there)
        return sl_test_skip("the public traces (../shared/data/kineto) are not here");
    fclose(there);
    Suite *suite = suite_create("trace totals");
    TCase *cases = tcase_create("totals");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, totals);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
