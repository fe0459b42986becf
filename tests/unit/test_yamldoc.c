/* YAML trees: places, refusals with their messages, changes by path. */
#include "harness.h"
#include "yamldoc.h"
#include <string.h>

static struct sl_arena arena;
static struct sl_yaml *root;
static struct sl_error err;

static void teardown(void)
{
    sl_arena_free(&arena);
}

static struct sl_yaml *parse(const char *text)
{
    struct sl_yaml *tree = NULL;
    err = (struct sl_error){0};
    enum sl_status status = sl_yaml_parse(text, strlen(text), "s.yaml", &arena, &tree, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    return tree;
}

static void refused(const char *text, size_t size, int line, int column, const char *message)
{
    struct sl_yaml *tree = NULL;
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_yaml_parse(text, size, "s.yaml", &arena, &tree, &err), SL_INVALID);
    ck_assert_str_eq(err.message, message);
    ck_assert_str_eq(err.place.file, "s.yaml");
    ck_assert_int_eq(err.place.line, line);
    ck_assert_int_eq(err.place.column, column);
}

static void place_is(struct sl_place place, int line, int column)
{
    ck_assert_int_eq(place.line, line);
    ck_assert_int_eq(place.column, column);
}

START_TEST(tree_with_places)
{
    root =
        parse("# scenario\nname: hello\ndomains:\n  hbm: {capacity: 80GiB, \"reserve\": '2 GiB'}\n"
              "order: [tail, median]\nempty:\n");
    ck_assert_int_eq(root->type, SL_YAML_MAP);
    ck_assert_uint_eq(root->count, 4);
    ck_assert_str_eq(root->keys[1], "domains");
    place_is(root->key_places[1], 3, 1);
    struct sl_yaml *hbm = sl_yaml_get(sl_yaml_get(root, "domains"), "hbm");
    ck_assert_str_eq(sl_yaml_get(hbm, "capacity")->text, "80GiB");
    place_is(sl_yaml_get(hbm, "capacity")->place, 4, 19);
    ck_assert_str_eq(sl_yaml_get(hbm, "reserve")->text, "2 GiB");
    struct sl_yaml *order = sl_yaml_get(root, "order");
    ck_assert_int_eq(order->type, SL_YAML_LIST);
    ck_assert_uint_eq(order->count, 2);
    ck_assert_str_eq(order->items[1]->text, "median");
    place_is(order->items[1]->place, 5, 15);
    ck_assert_str_eq(sl_yaml_get(root, "empty")->text, "");
    ck_assert_ptr_null(sl_yaml_get(root, "absent"));
    ck_assert_ptr_null(sl_yaml_get(order, "tail"));
    ck_assert_ptr_null(sl_yaml_get(NULL, "tail"));
}
END_TEST

START_TEST(refusals)
{
    const struct {
        const char *text;
        int line, column;
        const char *message;
    } cases[] = {
        {"a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a' (first at line 1)"},
        {"a: {b: 1, b: 2}\n", 1, 11, "duplicate key 'b' (first at line 1)"},
        {"a: &x 1\n", 1, 4, "anchors are not allowed (found '&x')"},
        {"a: &x [1]\n", 1, 4, "anchors are not allowed (found '&x')"},
        {"&k a: 1\n", 1, 1, "anchors are not allowed (found '&k')"},
        {"a: *x\n", 1, 4, "aliases are not allowed (found '*x')"},
        {"a: !!int 3\n", 1, 4, "tags are not allowed (found 'tag:yaml.org,2002:int')"},
        {"a: !x {b: 1}\n", 1, 4, "tags are not allowed (found '!x')"},
        {"a: 1\n---\nb: 2\n", 2, 1, "a second document starts here; only one is read"},
        {"? [a, b]\n: 1\n", 1, 3, "a key must be a single word, found a list"},
        {"? {a: b}\n: 1\n", 1, 3, "a key must be a single word, found a map"},
        {"a: \"x\\0y\"\n", 1, 4, "a NUL character in a value"},
        {"", 0, 0, "the file holds no YAML"},
        {"# nothing\n", 0, 0, "the file holds no YAML"},
        {"a: 1\nb: \xFFz\n", 2, 4, "byte 0xFF is not valid UTF-8"},
        {"a: 1\nb: \xC3\xA9\x01\n", 2, 5, "not valid YAML: control characters are not allowed"},
        {"a: [1,\nb: 2", 3, 1,
         "not valid YAML: did not find expected ',' or ']' while parsing a flow sequence"},
        {"\ta: 1\n", 1, 1,
         "not valid YAML: found character that cannot start any token while scanning for the next "
         "token"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].column,
                cases[i].message);
    refused("a: \0b", 5, 1, 4, "not valid YAML: control characters are not allowed");
}
END_TEST

START_TEST(bounds)
{
    char deep[200];
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    refused(deep, 200, 1, 65, "nested more than 64 deep");
    ck_assert_int_eq(sl_yaml_parse(deep + 36, 128, "s.yaml", &arena, &root, NULL), SL_OK);
    size_t size = 4u << 20;
    char *many = malloc(size);
    for (size_t i = 0; i < size; i++) /* short lines: libyaml's columns stay small */
        many[i] = "[a,\n"[i == 0 ? 0 : 1 + (i - 1) % 3];
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_yaml_parse(many, size, "s.yaml", &arena, &root, &err), SL_INVALID);
    ck_assert_str_eq(err.message, "more than 1048576 values");
    free(many);
    struct sl_arena tiny = {.limit = 1500};
    ck_assert_int_eq(sl_yaml_parse("a: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22]",
                                   61, "s.yaml", &tiny, &root, NULL),
                     SL_SYSTEM);
    sl_arena_free(&tiny);
}
END_TEST

START_TEST(files)
{
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_yaml_read("/nonexistent/s.yaml", &arena, &root, &err), SL_INVALID);
    ck_assert_str_eq(err.message, "cannot open: No such file or directory");
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_yaml_read("/tmp", &arena, &root, &err), SL_INVALID);
    ck_assert_str_eq(err.message, "not a regular file");
}
END_TEST

static void set(const char *path, const char *value)
{
    err = (struct sl_error){0};
    enum sl_status status = sl_yaml_set(root, path, parse(value), &arena, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", path, err.message);
}

START_TEST(set_by_path)
{
    root = parse("domains: {hbm: {capacity: 80GiB}}\nsweep:\n"
                 "policies: [{name: retain, action: retain}, {name: jit.v2, action: offload}]\n"
                 "kappa: {demands: {copy.h2d: {hbm: 0.1}}}\n");
    set("domains.hbm.capacity", "44GiB");
    set("domains.pinned.capacity", "8GiB");
    set("policies.0.action", "remat");
    set("policies.jit.v2.prefetch.lookahead", "[1, 2]");
    set("kappa.demands.copy.h2d.hbm", "0.4");
    set("sweep.trials", "[1]");
    set("seed", "7");
    set("\"", "a lone quote is a key");
    set("factors.\"machine.copy\"", "none");
    set("factors.\"machine.copy\"", "{}");
    set("factors.\"machine.copy\".draw", "const(2)");
    struct sl_yaml *domains = sl_yaml_get(root, "domains"),
                   *policies = sl_yaml_get(root, "policies");
    ck_assert_uint_eq(domains->count, 2);
    ck_assert_str_eq(sl_yaml_get(domains->items[0], "capacity")->text, "44GiB");
    ck_assert_str_eq(sl_yaml_get(domains->items[1], "capacity")->text, "8GiB");
    ck_assert_str_eq(sl_yaml_get(policies->items[0], "action")->text, "remat");
    ck_assert_uint_eq(sl_yaml_get(sl_yaml_get(policies->items[1], "prefetch"), "lookahead")->count,
                      2);
    struct sl_yaml *demands = sl_yaml_get(sl_yaml_get(root, "kappa"), "demands");
    ck_assert_uint_eq(demands->count, 1);
    ck_assert_str_eq(sl_yaml_get(demands->items[0], "hbm")->text, "0.4");
    ck_assert_uint_eq(sl_yaml_get(sl_yaml_get(root, "sweep"), "trials")->count, 1);
    ck_assert_str_eq(sl_yaml_get(root, "seed")->text, "7");
    struct sl_yaml *factors = sl_yaml_get(root, "factors");
    ck_assert_uint_eq(factors->count, 1);
    ck_assert_str_eq(factors->keys[0], "machine.copy");
    ck_assert_str_eq(sl_yaml_get(factors->items[0], "draw")->text, "const(2)");
}
END_TEST

START_TEST(set_refused)
{
    const struct {
        const char *path, *message;
    } cases[] = {
        {"list.2", "'list.2': the list has 2 elements, counted from 0"},
        {"list.99999999999999999999.x",
         "'list.99999999999999999999.x': the list has 2 elements, counted from 0"},
        {"list.z.x", "'list.z.x': no element of the list is named 'z'; use a name or a number"},
        {"a.b", "'a.b': there is a value, not a map, above 'b'"},
        {"", "'' is not a path such as domains.hbm.capacity"},
        {"a..b", "'a..b' is not a path such as domains.hbm.capacity"},
        {".a", "'.a' is not a path such as domains.hbm.capacity"},
        {"a.", "'a.' is not a path such as domains.hbm.capacity"},
    };
    root = parse("a: 1\nlist: [{name: x}, {name: y}]\n");
    struct sl_yaml *value = parse("1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err = (struct sl_error){0};
        ck_assert_int_eq(sl_yaml_set(root, cases[i].path, value, &arena, &err), SL_INVALID);
        ck_assert_str_eq(err.message, cases[i].message);
    }
    char deep[200];
    for (size_t i = 0; i < sizeof deep; i++)
        deep[i] = i % 2 ? '.' : 'q';
    deep[199] = '\0';
    ck_assert_int_eq(sl_yaml_set(root, deep, value, &arena, NULL), SL_INVALID);
    ck_assert_uint_eq(root->count, 2);
}
END_TEST

START_TEST(keys_and_scalars)
{
    static const char *const allowed[] = {"capacity", "reserve"};
    struct sl_diags diags = {0};
    root = parse("capcity: 1\nreserve: [2]\nprice: 3\n");
    sl_yaml_check_keys(root, allowed, 2, "domain 'hbm'", &diags);
    ck_assert_uint_eq(diags.count, 2);
    ck_assert_str_eq(diags.items[0].message,
                     "unknown key 'capcity' in domain 'hbm' (did you mean 'capacity'?)");
    ck_assert_str_eq(diags.items[0].code, "unknown-key");
    ck_assert_str_eq(diags.items[1].message,
                     "unknown key 'price' in domain 'hbm' (allowed: capacity, reserve)");
    place_is(diags.items[1].place, 3, 1);
    ck_assert_ptr_null(sl_yaml_scalar(sl_yaml_get(root, "reserve"), "the reserve", &diags));
    ck_assert_str_eq(diags.items[2].message, "the reserve must be a single value, found a list");
    ck_assert_str_eq(diags.items[2].code, "wrong-type");
    ck_assert_str_eq(sl_yaml_scalar(sl_yaml_get(root, "price"), "the price", &diags), "3");
    ck_assert_ptr_null(sl_yaml_scalar(NULL, "nothing", &diags));
    ck_assert_uint_eq(diags.count, 3);
    sl_diags_free(&diags);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("yamldoc");
    TCase *tc = tcase_create("yamldoc");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, tree_with_places);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, bounds);
    tcase_add_test(tc, files);
    tcase_add_test(tc, set_by_path);
    tcase_add_test(tc, set_refused);
    tcase_add_test(tc, keys_and_scalars);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
