/* `run --json` and `sweep --json` are JSON, at the precision of summary.csv; `check --json` has
 * every field of a diagnostic. */
#include "config.h"

#include "frame.h"
#include "harness.h"
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <yajl/yajl_tree.h>

#define MAX_TEXT (1 << 20)

static char work[] = "/tmp/sl_json_XXXXXX";

/* The JSON that a command line prints when it ends with `exit_code`; the caller frees the tree. */
static yajl_val json_of(const char *arguments, int exit_code)
{
    char command[2048], why[256] = "";
    char *text = calloc(1, MAX_TEXT);
    snprintf(command, sizeof command, "\"$SLACKLINE\" %s 2>/dev/null", arguments);
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    size_t size = fread(text, 1, MAX_TEXT - 1, out);
    int ended = pclose(out);
    ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == exit_code, "%s: %d", arguments, ended);
    text[size] = '\0';
    yajl_val root = yajl_tree_parse(text, why, sizeof why);
    ck_assert_msg(root != NULL, "%s", why);
    free(text);
    return root;
}

static yajl_val run_json(const char *arguments)
{
    return json_of(arguments, 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
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

static const char *text_at(yajl_val map, const char *key)
{
    const char *path[] = {key, NULL};
    yajl_val value = yajl_tree_get(map, path, yajl_t_string);
    ck_assert_msg(value != NULL, "%s", key);
    return YAJL_GET_STRING(value);
}

static const char *element(yajl_val map, const char *key, size_t index, size_t count)
{
    const char *path[] = {key, NULL};
    yajl_val list = yajl_tree_get(map, path, yajl_t_array);
    ck_assert_ptr_nonnull(list);
    ck_assert_uint_eq(YAJL_GET_ARRAY(list)->len, count);
    return YAJL_GET_STRING(YAJL_GET_ARRAY(list)->values[index]);
}

/* In that fixture the gather of layer 1, row 4 of nodes.csv, fills buf.1 while mlp.0 may still read
 * buf.0, another name of the same bytes. */
START_TEST(check_has_every_field)
{
    yajl_val root =
        json_of("check --json \"$SL_SRCDIR/tests/fixtures/illegal/alias-conflict-4\"", 1);
    const char *path[] = {"diagnostics", NULL};
    yajl_val list = yajl_tree_get(root, path, yajl_t_array);
    ck_assert_str_eq(text_at(root, "verdict"), "illegal");
    ck_assert(number(root, "errors", NULL) == 1 && number(root, "warnings", NULL) == 0);
    ck_assert(number(root, "nodes", NULL) == 4 && number(root, "objects", NULL) == 6);
    ck_assert(list && YAJL_GET_ARRAY(list)->len == 1);
    yajl_val item = YAJL_GET_ARRAY(list)->values[0];
    ck_assert_str_eq(text_at(item, "severity"), "error");
    ck_assert_str_eq(text_at(item, "code"), "alias-conflict");
    ck_assert_ptr_nonnull(strstr(text_at(item, "file"), "nodes.csv"));
    ck_assert(number(item, "line", NULL) == 4 && number(item, "column", NULL) == 1);
    ck_assert_ptr_nonnull(strstr(text_at(item, "message"), "'gather.1'"));
    ck_assert_ptr_nonnull(strstr(text_at(item, "suggestion"), "from 'mlp.0' to 'gather.1'"));
    ck_assert_str_eq(element(item, "nodes", 0, 2), "gather.1");
    ck_assert_str_eq(element(item, "nodes", 1, 2), "mlp.0");
    ck_assert_str_eq(element(item, "objects", 0, 2), "buf.0");
    ck_assert_str_eq(element(item, "objects", 1, 2), "buf.1");
    yajl_tree_free(root);
}
END_TEST

START_TEST(check_says_legal_and_invalid)
{
    yajl_val root = json_of("check --json \"$SL_SRCDIR/scenarios/hello\"", 0);
    ck_assert_str_eq(text_at(root, "scenario"), "hello");
    ck_assert_str_eq(text_at(root, "verdict"), "legal");
    ck_assert(number(root, "policies", NULL) == 4);
    ck_assert(number(root, "legal_plans", NULL) >= 1 && number(root, "legal_plans", NULL) <= 4);
    yajl_tree_free(root);
    root = json_of("check --json \"$SL_SRCDIR/tests/fixtures/broken/05-misspelt-kind\"", 3);
    ck_assert_str_eq(text_at(root, "verdict"), "invalid");
    yajl_tree_free(root);
    root = json_of("check --json /nowhere", 3);
    ck_assert_str_eq(text_at(root, "verdict"), "invalid");
    yajl_tree_free(root);
}
END_TEST

/* All rows of overlap.csv, in its order. */
START_TEST(class_pairs_agree_with_the_folder)
{
    static const char *const columns[][2] = {{"overlap_us", "attributed_overlap_us"},
                                             {"saved_us", "saved_us"},
                                             {"a_inflation_us", "a_inflation_us"},
                                             {"b_inflation_us", "b_inflation_us"}};
    char arguments[1024], path[256];
    snprintf(arguments, sizeof arguments,
             "run \"$SL_SRCDIR/scenarios/activation-offload\" -p offload-jit --trials 20 "
             "--set domains.hbm.capacity=44GiB --json -o %s/pairs",
             work);
    yajl_val root = run_json(arguments);
    struct sl_frame frame;
    struct sl_error err = {0};
    const char *array[] = {"class_pairs", NULL};
    snprintf(path, sizeof path, "%s/pairs/overlap.csv", work);
    ck_assert_int_eq(sl_frame_read(&frame, path, NULL, 0, &err), SL_OK);
    yajl_val pairs = yajl_tree_get(root, array, yajl_t_array);
    ck_assert_ptr_nonnull(pairs);
    ck_assert_uint_gt(frame.row_count, 0);
    ck_assert_uint_eq(YAJL_GET_ARRAY(pairs)->len, frame.row_count);
    for (uint32_t row = 0; row < frame.row_count; row++) {
        yajl_val pair = YAJL_GET_ARRAY(pairs)->values[row];
        ck_assert_str_eq(text_at(pair, "a"), sl_frame_text_of(&frame, row, "a"));
        ck_assert_str_eq(text_at(pair, "b"), sl_frame_text_of(&frame, row, "b"));
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            double expected = sl_frame_number_of(&frame, row, columns[k][1]);
            ck_assert_double_eq_tol(number(pair, columns[k][0], NULL), expected, 1e-9);
        }
    }
    sl_frame_free(&frame);
    yajl_tree_free(root);
}
END_TEST

/* A deadline, a fallback and a guard: the figures of deadlines.csv, fallbacks.csv and slack.csv. */
START_TEST(outcomes_agree_with_the_folder)
{
    char path[256], arguments[1024];
    snprintf(path, sizeof path, "%s/due", work);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/due/scenario.yaml", work);
    write_file(path, "name: due\nnodes: nodes.csv\nresources: {compute: {servers: unlimited}}\n"
                     "guards:\n  hit: {probability: 0.7, scope: job}\n"
                     "policies:\n  - {name: p, action: as-given}\ntrials: 500\n");
    snprintf(path, sizeof path, "%s/due/nodes.csv", work);
    write_file(path, "node,kind,resource,duration,deadline,guard,fallback\n"
                     "a,compute,compute,exponential(mean=100us),120us,hit,b\n"
                     "b,compute,compute,exponential(mean=50us),,,\n");
    snprintf(arguments, sizeof arguments, "run %s/due --json -o %s/due-results", work, work);
    yajl_val root = run_json(arguments);
    static const struct {
        const char *file, *array, *map, *member, *column;
    } figures[] = {
        {"deadlines", "deadlines", "miss", "hi", "miss_hi"},
        {"deadlines", "deadlines", "tardiness_mean", "value_us", "tardiness_mean_us"},
        {"deadlines", "deadlines", "tardiness_p99", "lo_us", "tardiness_p99_lo_us"},
        {"deadlines", "deadlines", "tardiness_max_us", NULL, "tardiness_max_us"},
        {"fallbacks", "fallbacks", "cancelled", "lo", "cancelled_lo"},
        {"fallbacks", "fallbacks", "guard_failed", NULL, "guard_failed"},
        {"guards", "guards", "failed", "value", "failed_p"},
    };
    for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
        struct sl_frame frame;
        struct sl_error err = {0};
        const char *array[] = {figures[k].array, NULL};
        snprintf(path, sizeof path, "%s/due-results/%s.csv", work, figures[k].file);
        ck_assert_int_eq(sl_frame_read(&frame, path, NULL, 0, &err), SL_OK);
        yajl_val rows = yajl_tree_get(root, array, yajl_t_array);
        ck_assert_ptr_nonnull(rows);
        ck_assert_uint_eq(YAJL_GET_ARRAY(rows)->len, frame.row_count);
        ck_assert(number(YAJL_GET_ARRAY(rows)->values[0], figures[k].map, figures[k].member) ==
                  sl_frame_number_of(&frame, 0, figures[k].column));
        sl_frame_free(&frame);
    }
    ck_assert(number(root, "deadline_miss", "value") > 0);
    ck_assert(number(root, "windows", "trials") == 500);
    struct sl_frame stalls;
    struct sl_error err = {0};
    const char *resources[] = {"resources", NULL};
    snprintf(path, sizeof path, "%s/due-results/stalls.csv", work);
    ck_assert_int_eq(sl_frame_read(&stalls, path, NULL, 0, &err), SL_OK);
    ck_assert_str_eq(sl_frame_text_of(&stalls, 0, "cause"), "busy");
    yajl_val used = yajl_tree_get(root, resources, yajl_t_array);
    ck_assert(number(YAJL_GET_ARRAY(used)->values[0], "busy_us", NULL) ==
              sl_frame_number_of(&stalls, 0, "mean_us"));
    sl_frame_free(&stalls);
    yajl_tree_free(root);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("json_report");
    TCase *tcase = tcase_create("all");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, run_agrees_with_the_folder);
    tcase_add_test(tcase, class_pairs_agree_with_the_folder);
    tcase_add_test(tcase, sweep_has_every_cell);
    tcase_add_test(tcase, check_has_every_field);
    tcase_add_test(tcase, check_says_legal_and_invalid);
    tcase_add_test(tcase, outcomes_agree_with_the_folder);
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
