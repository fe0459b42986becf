/* Expressions: values worked out by hand, random ones against the tree that they were written from,
 * dimensions, and hostile texts. */
#include <config.h>

#include "dice.h"
#include "expr.h"
#include "harness.h"
#include <math.h>
#include <string.h>

static struct sl_arena arena;
static struct sl_names names;

static void setup(void)
{
    static const char *const words[] = {"context_tokens", "generated_tokens", "x", "kv.missing"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_uint_eq(sl_names_add(&names, words[i]), i);
}

static void teardown(void)
{
    sl_arena_free(&arena);
    sl_names_free(&names);
    names = (struct sl_names){0};
}

static enum sl_status try_parse(const struct sl_expr **expr, const char *text,
                                enum sl_expr_dimension dimension, struct sl_error *err)
{
    return sl_expr_parse(expr, text, dimension, &names, (struct sl_place){"nodes.csv", 3, 7},
                         &arena, err);
}

static const struct sl_expr *parse(const char *text, enum sl_expr_dimension dimension)
{
    const struct sl_expr *expr = NULL;
    struct sl_error err = {0};
    ck_assert_msg(try_parse(&expr, text, dimension, &err) == SL_OK, "%s", err.message);
    return expr;
}

/* context_tokens = 1000, generated_tokens = 200, x = 2.5, kv.missing = 7 */
static const double values[] = {1000, 200, 2.5, 7};

START_TEST(values_by_hand)
{
    static const struct {
        const char *text;
        enum sl_expr_dimension dimension;
        double value;
    } cases[] = {
        {"0.3us * context_tokens + 2ms", SL_EXPR_TIME, 2.3e9}, /* 300 us + 2000 us, in ps */
        {"160KiB * context_tokens", SL_EXPR_BYTES, 163840000},
        {"160.5B*context_tokens", SL_EXPR_BYTES, 160500},
        {"max(1, ceil(context_tokens / 512)) * 64MiB", SL_EXPR_BYTES, 2 * 67108864.0},
        {"max(1, floor(x / 512), x) * 1 MiB", SL_EXPR_BYTES, 2621440},
        {"min(context_tokens, 512) * 1ns", SL_EXPR_TIME, 512000},
        {"min(3ms, 1us * generated_tokens)", SL_EXPR_TIME, 2e8},
        {"2 + 3 * 4 - 10 / 4", SL_EXPR_NUMBER, 11.5},
        {"10 - 4 - 3", SL_EXPR_NUMBER, 3},
        {"64 / 4 / 2", SL_EXPR_NUMBER, 8},
        {"-(2 - 5) * - -2", SL_EXPR_NUMBER, 6},
        {"3us / 1.5us", SL_EXPR_NUMBER, 2},
        {"1GiB / 1MiB * 1s", SL_EXPR_TIME, 1.024e15},
        {"context_tokens * 5%", SL_EXPR_NUMBER, 50},
        {"1e3 * .5 * 2.", SL_EXPR_NUMBER, 1000},
        {"x - 1e+0", SL_EXPR_NUMBER, 1.5},
        {"4us*kv.missing+1us", SL_EXPR_TIME, 2.9e7},
        {"1us * (context_tokens - 2 * context_tokens)", SL_EXPR_TIME, -1e9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(sl_expr_value(parse(cases[i].text, cases[i].dimension), values) ==
                          cases[i].value,
                      "%s", cases[i].text);
    ck_assert(isnan(sl_expr_value(parse("max(1, 0 / (x - x))", SL_EXPR_NUMBER), values)));
    ck_assert(isnan(sl_expr_value(parse("min(0 / (x - x), 1)", SL_EXPR_NUMBER), values)));
    ck_assert(isinf(sl_expr_value(parse("1us / (x - 2.5)", SL_EXPR_TIME), values)));
}
END_TEST

START_TEST(tells_what_varies)
{
    ck_assert(!sl_expr_varies(parse("2 * (3us + 1ms)", SL_EXPR_TIME)));
    ck_assert(sl_expr_varies(parse("0 * x", SL_EXPR_NUMBER)));
    ck_assert_str_eq(sl_expr_text(parse(" 2us *x ", SL_EXPR_TIME)), " 2us *x ");
    ck_assert(sl_expr_is_function("ceil") && !sl_expr_is_function("x"));
}
END_TEST

START_TEST(derived_expressions)
{
    const struct sl_expr *size = parse("160KiB * context_tokens", SL_EXPR_BYTES);
    const struct sl_expr *half = sl_expr_scaled(size, 0.5, &arena);
    ck_assert_double_eq(sl_expr_value(half, values), 81920000);
    ck_assert(sl_expr_varies(half));
    ck_assert_str_eq(sl_expr_text(half), "160KiB * context_tokens");
    /* 163.84 MB at 16.384 GB/s are 10 ms; in pieces of 64 MiB there are three. */
    const struct sl_expr *whole = sl_expr_copy_time(size, 1e6, 0, 16.384e9, &arena);
    ck_assert_double_eq_tol(sl_expr_value(whole, values), 1e10 + 1e6, 1e-4);
    const struct sl_expr *pieces = sl_expr_copy_time(size, 1e6, 67108864, 16.384e9, &arena);
    ck_assert_double_eq_tol(sl_expr_value(pieces, values), 1e10 + 3e6, 1e-4);
    static const double nothing[] = {0, 0, 0};
    ck_assert_double_eq(sl_expr_value(pieces, nothing), 1e6);
}
END_TEST

START_TEST(faults_are_named)
{
    static const struct {
        const char *text;
        enum sl_expr_dimension dimension;
        const char *says;
    } cases[] = {
        {"0.3us * context_token", SL_EXPR_TIME,
         "character 9: unknown job parameter "
         "'context_token' (did you mean 'context_tokens'?)"},
        {"0.3us * context_tokens + 2", SL_EXPR_TIME,
         "character 24: '+' of a time and a number: both need the same unit"},
        {"2us * 3us", SL_EXPR_TIME, "'*' of a time and a time: one of them has to be a number"},
        {"2 / 3us", SL_EXPR_TIME, "'/' of a number by a time"},
        {"2MiB / 3us", SL_EXPR_TIME, "'/' of a size by a time"},
        {"2 * x", SL_EXPR_TIME, "it is a number, and a time is needed, such as 1us * x"},
        {"2us * x", SL_EXPR_BYTES, "it is a time, and a size is needed, such as 1KiB * x"},
        {"2us * x", SL_EXPR_NUMBER, "it is a time, and a number is needed"},
        {"ceil(2us)", SL_EXPR_TIME, "ceil takes a number, not a time: divide by a unit first"},
        {"max(2us, 1)", SL_EXPR_TIME, "max of a time and a number"},
        {"max(2us)", SL_EXPR_TIME, "max takes two values or more"},
        {"ceil(1, 2)", SL_EXPR_NUMBER, "character 7: expected ')', found ','"},
        {"mix(1, 2)", SL_EXPR_NUMBER, "unknown function 'mix' (did you mean 'm"},
        {"2 parsec * x", SL_EXPR_TIME, "unknown unit 'parsec'"},
        {"2kb * x", SL_EXPR_BYTES, "unknown unit 'kb' (did you mean 'kB'?)"},
        {"2us * x)", SL_EXPR_TIME, "character 8: expected an operator or the end, found ')'"},
        {"2us * (x", SL_EXPR_TIME, "expected an operator or ')', found the end"},
        {"2us * ", SL_EXPR_TIME, "expected a quantity, a job parameter or '(', found the end"},
        {"", SL_EXPR_TIME, "found the end"},
        {"2us * \xc3\xa9", SL_EXPR_TIME, "found '\xc3\xa9'"},
        {"2us x", SL_EXPR_TIME, "'2us x', character 5: expected an operator or the end, found 'x'"},
        {"max * 2us", SL_EXPR_TIME, "unknown job parameter 'max'"},
        {"x ^ 2 * 1us", SL_EXPR_TIME, "found '^'"},
        {"1e400 * 1us", SL_EXPR_TIME, "is too large"},
        {"+x * 1us", SL_EXPR_TIME, "found '+'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sl_expr *expr = NULL;
        struct sl_error err = {0};
        ck_assert_int_eq(try_parse(&expr, cases[i].text, cases[i].dimension, &err), SL_INVALID);
        ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "%s: %s", cases[i].text,
                      err.message);
        ck_assert_str_eq(err.place.file, "nodes.csv");
    }
    struct sl_error err = {0};
    const struct sl_expr *expr = NULL;
    ck_assert_int_eq(
        sl_expr_parse(&expr, "1us * x", SL_EXPR_TIME, NULL, (struct sl_place){0}, &arena, &err),
        SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "there are no job parameters"));
}
END_TEST

/* ---- random expressions: a tree, its text and its value ----------------------------------------
 */

struct tree {
    char op; /* '+' '-' '*' '/' 'n' (minus) 'm' 'M' (min, max) 'c' 'f' (ceil, floor) '#' 'p' */
    enum sl_expr_dimension dimension;
    double value;
    const char *text; /* of a leaf */
    const struct tree *left, *right;
};

static const struct tree *leaf(struct dice *dice, enum sl_expr_dimension dimension)
{
    static const struct {
        const char *unit;
        double scale;
    } units[3][3] = {{{"", 1}, {"", 1}, {"", 1}},
                     {{"ns", 1e3}, {"us", 1e6}, {" ms", 1e9}},
                     {{"B", 1}, {"KiB", 1024}, {"MB", 1e6}}};
    struct tree *t = sl_arena_alloc(&arena, sizeof *t);
    *t = (struct tree){.op = '#', .dimension = dimension};
    unsigned quarters = dice_below(dice, 400), unit = dice_below(dice, 3);
    if (dimension == SL_EXPR_NUMBER && dice_chance(dice, 60)) {
        uint32_t p = dice_below(dice, 3);
        *t = (struct tree){.op = 'p', .value = values[p], .text = names.names[p]};
        return t;
    }
    t->value = quarters / 4.0 * units[dimension][unit].scale;
    t->text = sl_arena_printf(&arena, "%g%s", quarters / 4.0, units[dimension][unit].unit);
    return t;
}

static double value_of(char op, double a, double b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case 'n':
        return -a;
    case 'c':
        return ceil(a);
    case 'f':
        return floor(a);
    case 'm':
        return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    default:
        return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    }
}

static const struct tree *grow(struct dice *dice, enum sl_expr_dimension dimension, int depth)
{
    static const char with_unit[] = "+-*/nmM", plain[] = "+-*/nmMcf";
    if (depth == 0 || dice_chance(dice, 15))
        return leaf(dice, dimension);
    struct tree *t = sl_arena_alloc(&arena, sizeof *t);
    bool number = dimension == SL_EXPR_NUMBER;
    char op = number ? plain[dice_below(dice, 9)] : with_unit[dice_below(dice, 7)];
    enum sl_expr_dimension left = dimension, right = dimension;
    if (!number && op == '*' && dice_chance(dice, 50))
        left = SL_EXPR_NUMBER;
    else if (op == '*' || (!number && op == '/'))
        right = SL_EXPR_NUMBER;
    else if (op == '/')
        left = right = (enum sl_expr_dimension)dice_below(dice, 3);
    *t = (struct tree){.op = op, .dimension = dimension};
    t->left = grow(dice, left, depth - 1);
    if (!strchr("ncf", op))
        t->right = grow(dice, right, depth - 1);
    t->value = value_of(op, t->left->value, t->right ? t->right->value : 0);
    return t;
}

static int strength(const struct tree *t)
{
    return t->op == '+' || t->op == '-' ? 1 : t->op == '*' || t->op == '/' ? 2 : 3;
}

/* With the parentheses that it needs, and some that it does not. */
static const char *write_tree(struct dice *dice, const struct tree *t, int least)
{
    const char *space = dice_chance(dice, 50) ? " " : "", *text = t->text;
    if (strchr("+-*/", t->op))
        text = sl_arena_printf(&arena, "%s%s%c%s%s", write_tree(dice, t->left, strength(t)), space,
                               t->op, space, write_tree(dice, t->right, strength(t) + 1));
    else if (t->op == 'n')
        text = sl_arena_printf(&arena, "-%s", write_tree(dice, t->left, 3));
    else if (t->op == 'c' || t->op == 'f')
        text = sl_arena_printf(&arena, "%s(%s)", t->op == 'c' ? "ceil" : "floor",
                               write_tree(dice, t->left, 1));
    else if (t->op == 'm' || t->op == 'M')
        text = sl_arena_printf(&arena, "%s(%s,%s%s)", t->op == 'm' ? "min" : "max",
                               write_tree(dice, t->left, 1), space, write_tree(dice, t->right, 1));
    return strength(t) < least || dice_chance(dice, 10) ? sl_arena_printf(&arena, "(%s)", text)
                                                        : text;
}

START_TEST(random_expressions_have_their_trees_value)
{
    struct dice dice = {.state = 1};
    for (int i = 0; i < 20000; i++) {
        enum sl_expr_dimension dimension = (enum sl_expr_dimension)dice_below(&dice, 3);
        const struct tree *t = grow(&dice, dimension, 1 + (int)dice_below(&dice, 6));
        const char *text = write_tree(&dice, t, 1);
        const struct sl_expr *expr = NULL;
        struct sl_error err = {0};
        ck_assert_msg(try_parse(&expr, text, dimension, &err) == SL_OK, "%s", err.message);
        double value = sl_expr_value(expr, values);
        ck_assert_msg(value == t->value || (isnan(value) && isnan(t->value)),
                      "%s: %.17g, not %.17g", text, value, t->value);
        sl_arena_free(&arena);
    }
}
END_TEST

/* ---- hostile texts ------------------------------------------------------------------------------
 */

START_TEST(random_text_is_read_or_refused)
{
    static const char *const pieces[] = {"(",
                                         ")",
                                         "min(",
                                         "ceil(",
                                         ",",
                                         "*",
                                         "/",
                                         "+",
                                         "-",
                                         "1us",
                                         "2MiB",
                                         "3",
                                         "x",
                                         "e",
                                         "1e",
                                         "1e+",
                                         ".",
                                         "%",
                                         "\xff",
                                         "\n",
                                         "\t",
                                         "_",
                                         "999999999999999999999",
                                         "''",
                                         "=",
                                         "0.3 us"};
    struct dice dice = {.state = 7};
    for (int i = 0; i < 50000; i++) {
        char text[256] = "";
        for (unsigned k = dice_below(&dice, 12); k > 0; k--)
            strcat(text, pieces[dice_below(&dice, sizeof pieces / sizeof *pieces)]);
        const struct sl_expr *expr = NULL;
        struct sl_error err = {0};
        enum sl_status status =
            try_parse(&expr, text, (enum sl_expr_dimension)dice_below(&dice, 3), &err);
        ck_assert(status == SL_OK ? expr != NULL : status == SL_INVALID && err.message[0]);
        if (expr)
            (void)sl_expr_value(expr, values);
        sl_arena_free(&arena);
    }
}
END_TEST

static char *repeated(const char *piece, size_t times, const char *rest)
{
    char *text = malloc(strlen(piece) * times + strlen(rest) + 1);
    ck_assert_ptr_nonnull(text);
    text[0] = '\0';
    for (size_t i = 0; i < times; i++)
        strcat(text, piece);
    strcat(text, rest);
    return text;
}

START_TEST(depth_and_length_are_bounded)
{
    static const char *const deep[] = {"(", "-", "min(1, 2 + 3 * ", "ceil("};
    const struct sl_expr *expr = NULL;
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        struct sl_error err = {0};
        char *text = repeated(deep[i], 200, "x");
        ck_assert_int_eq(try_parse(&expr, text, SL_EXPR_NUMBER, &err), SL_INVALID);
        ck_assert_ptr_nonnull(strstr(err.message, "more than 32 levels"));
        free(text);
    }
    struct sl_error err = {0};
    char *text = repeated("x + ", 2000, "x");
    ck_assert_int_eq(try_parse(&expr, text, SL_EXPR_NUMBER, &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "8001 characters is too long (allowed: 4096)"));
    free(text);
    text = repeated("x + ", 1000, "x"); /* 1001 x 2.5 */
    ck_assert_double_eq(sl_expr_value(parse(text, SL_EXPR_NUMBER), values), 2502.5);
    free(text);
    /* The deepest stack that there can be: three numbers wait at each level of a call. */
    text = repeated("max(1, 2 + 3 * ", 31, "x");
    char *closed = repeated(")", 31, "");
    text = realloc(text, strlen(text) + 32);
    ck_assert_ptr_nonnull(text);
    strcat(text, closed);
    double value = 2.5;
    for (int i = 0; i < 31; i++)
        value = fmax(1, 2 + 3 * value);
    ck_assert_double_eq(sl_expr_value(parse(text, SL_EXPR_NUMBER), values), value);
    free(closed);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expr");
    TCase *tcase = tcase_create("expr");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, values_by_hand);
    tcase_add_test(tcase, tells_what_varies);
    tcase_add_test(tcase, derived_expressions);
    tcase_add_test(tcase, faults_are_named);
    tcase_add_test(tcase, random_expressions_have_their_trees_value);
    tcase_add_test(tcase, random_text_is_read_or_refused);
    tcase_add_test(tcase, depth_and_length_are_bounded);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
