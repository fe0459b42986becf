/* `run --json` and `sweep --json` are JSON, at the precision of summary.csv. */
#include "config.h"

#include "frame.h"
#include "harness.h"
#include <string.h>
#include <yajl/yajl_tree.h>

#define MAX_TEXT (1 << 20)

static char work[] = "/tmp/sl_json_XXXXXX";

/* The JSON that a command line prints; the caller frees the tree. */
static yajl_val run_json(const char *arguments)
{
    char command[2048], why[256] = "";
    char *text = calloc(1, MAX_TEXT);
    snprintf(command, sizeof command, "\"$SLACKLINE\" %s 2>/dev/null", arguments);
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    size_t size = fread(text, 1, MAX_TEXT - 1, out);
    ck_assert_int_eq(pclose(out), 0);
    text[size] = '\0';
    yajl_val root = yajl_tree_parse(text, why, sizeof why);
    ck_assert_msg(root != NULL, "%s", why);
    free(text);
    return root;
}

static double number(yajl_val map, const char *a, const char *b)
{
    const char *path[] = {a, b, NULL};
    yajl_val value = yajl_tree_get(map, path, yajl_t_number);
    ck_assert_msg(value != NULL, "%s.%s", a, b ? b : "");
    return YAJL_GET_DOUBLE(value);
}

START_TEST(run_agrees_with_the_folder)
{
    char arguments[1024], path[256];
    snprintf(arguments, sizeof arguments,
             "run \"$SL_SRCDIR/scenarios/hello\" --trials 400 --json -o %s/run", work);
    yajl_val root = run_json(arguments);
    struct sl_frame frame;
    struct sl_error err = {0};
    snprintf(path, sizeof path, "%s/run/summary.csv", work);
    ck_assert_int_eq(sl_frame_read(&frame, path, NULL, 0, &err), SL_OK);
    ck_assert_uint_eq(frame.row_count, 1);
    ck_assert(number(root, "median", "value_us") == sl_frame_number_of(&frame, 0, "median_us"));
    ck_assert(number(root, "p99", "lo_us") == sl_frame_number_of(&frame, 0, "p99_lo_us"));
    ck_assert(number(root, "p99", "hi_us") == sl_frame_number_of(&frame, 0, "p99_hi_us"));
    ck_assert(number(root, "max_wait_us", NULL) == sl_frame_number_of(&frame, 0, "max_wait_us"));
    ck_assert(number(root, "p999", "needs_trials") == 3688);
    ck_assert(number(root, "trials", NULL) == 400);
    sl_frame_free(&frame);
    yajl_tree_free(root);
}
END_TEST

START_TEST(sweep_has_every_cell)
{
    yajl_val root = run_json("sweep \"$SL_SRCDIR/scenarios/hello\" --trials 400 --json");
    const char *path[] = {"cells", NULL};
    yajl_val cells = yajl_tree_get(root, path, yajl_t_array);
    ck_assert_ptr_nonnull(cells);
    size_t count = YAJL_GET_ARRAY(cells)->len, ok = 0;
    ck_assert_uint_eq(count, 8); /* four policies at two capacities */
    for (size_t i = 0; i < count; i++) {
        yajl_val cell = YAJL_GET_ARRAY(cells)->values[i];
        const char *verdict[] = {"verdict", NULL};
        ck_assert(number(cell, "cell", NULL) == (double)i);
        yajl_val text = yajl_tree_get(cell, verdict, yajl_t_string);
        ck_assert_ptr_nonnull(text);
        if (strcmp(text->u.string, "ok") == 0) {
            ck_assert(number(cell, "p99_us", NULL) >= number(cell, "median_us", NULL));
            ok++;
        }
    }
    ck_assert_uint_ge(ok, 1);
    yajl_tree_free(root);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("json_report");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, run_agrees_with_the_folder);
    tcase_add_test(tcase, sweep_has_every_cell);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    if (!getenv("SLACKLINE") || !getenv("SL_SRCDIR"))
        return sl_test_skip("SLACKLINE and SL_SRCDIR name the program and its source; make check");
    if (!mkdtemp(work))
        return EXIT_FAILURE;
    int result = sl_test_run(suite());
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", work);
    return system(command) == 0 ? result : EXIT_FAILURE;
}
