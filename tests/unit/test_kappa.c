/* Contention: a sweep over the composition rules, published answers, corners, and table faults. */
#include <config.h>

#include "harness.h"
#include "kappa.h"
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static struct sl_arena arena;
static struct sl_kappa kappa;
static struct sl_diags diags;
static char path[64];

static void setup(void)
{
    arena = (struct sl_arena){0};
    kappa = (struct sl_kappa){0};
    diags = (struct sl_diags){0};
    path[0] = 0;
}

static void teardown(void)
{
    sl_kappa_free(&kappa);
    sl_diags_free(&diags);
    sl_arena_free(&arena);
    if (path[0])
        unlink(path);
}

static uint32_t class_of(const char *name)
{
    return sl_names_add(&kappa.classes, name);
}

/* Adds the row "victim | set" with `set` written as in a table. */
static void add(const char *victim, const char *set, double value)
{
    uint32_t members[SL_KAPPA_SET_MAX];
    size_t count;
    char **names = sl_split(&arena, set, '+', &count);
    for (size_t i = 0; i < count; i++)
        members[i] = class_of(names[i]);
    struct sl_kappa_row row = {
        class_of(victim), (uint32_t)count, members, value, value, value, NULL, {0}};
    ck_assert_int_eq(sl_kappa_add_row(&kappa, row, &arena, &diags, NULL), SL_OK);
}

static void demand(const char *klass, const char *link, double fraction)
{
    ck_assert(sl_grow((void **)&kappa.demands, &kappa.demand_capacity, kappa.demand_count + 1,
                      sizeof *kappa.demands));
    kappa.demands[kappa.demand_count++] =
        (struct sl_kappa_demand){class_of(klass), sl_names_add(&kappa.links, link), fraction};
}

static void prepare(const char *rule)
{
    struct sl_error err = {0};
    kappa.rule = sl_kappa_rule_find(rule);
    ck_assert_ptr_nonnull(kappa.rule);
    ck_assert_msg(sl_kappa_prepare(&kappa, &arena, &err) == SL_OK, "%s", err.message);
}

/* kappa of `victim` among `others`, written as in a table ("" for none). */
static double eval(const char *victim, const char *others, enum sl_corner corner, bool *unknown)
{
    uint32_t counts[64] = {0};
    size_t count = 0;
    char **names = others[0] ? sl_split(&arena, others, '+', &count) : NULL;
    for (size_t i = 0; i < count; i++)
        counts[sl_names_find(&kappa.classes, names[i])]++;
    return sl_kappa_eval(&kappa, sl_names_find(&kappa.classes, victim), counts, corner, unknown);
}

static double known(const char *victim, const char *others)
{
    bool unknown = false;
    double value = eval(victim, others, SL_CORNER_PESSIMISTIC, &unknown);
    ck_assert_msg(!unknown, "%s | %s", victim, others);
    return value;
}

/* Random pairs for three classes a, b, c, and demands of each on two links. */
static void random_table(gsl_rng *rng)
{
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            add(names[i], names[j], 1 + 2 * gsl_rng_uniform(rng));
        demand(names[i], "hbm", gsl_rng_uniform(rng));
        demand(names[i], "link", gsl_rng_uniform(rng));
    }
}

/* Alone 1; never below 1; more company never speeds a node up; the order of classes means nothing.
 */
START_TEST(rules_keep_their_laws)
{
    const struct sl_kappa_rule *rule = sl_kappa_rule_get((size_t)_i);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 5);
    for (int round = 0; round < 50; round++) {
        sl_kappa_free(&kappa);
        random_table(rng);
        prepare(rule->name);
        ck_assert_double_eq(known("a", ""), 1);
        double before = 1;
        char others[128] = "";
        for (int n = 0; n < 8; n++) {
            const char *more = gsl_rng_uniform(rng) < 0.5 ? "b" : n % 2 ? "a" : "c";
            snprintf(others + strlen(others), 8, n ? "+%s" : "%s", more);
            double value = known("a", others);
            ck_assert_double_ge(value, 1);
            ck_assert(!rule->uses_pairs || value >= before * (1 - 1e-12));
            before = value;
        }
        ck_assert_double_eq(known("a", "b+c+b+a"), known("a", "a+b+b+c"));
    }
    gsl_rng_free(rng);
}
END_TEST

/* The same table with its classes numbered otherwise. */
START_TEST(class_numbers_mean_nothing)
{
    const struct sl_kappa_rule *rule = sl_kappa_rule_get((size_t)_i);
    double values[2];
    for (int turn = 0; turn < 2; turn++) {
        sl_kappa_free(&kappa);
        class_of(turn ? "c" : "a");
        class_of(turn ? "a" : "b");
        add("a", "a", 1.25);
        add("a", "b", 1.5);
        add("a", "c", 1.75);
        demand("a", "hbm", 0.6);
        demand("b", "hbm", 0.5);
        demand("c", "hbm", 0.2);
        demand("c", "link", 0.9);
        prepare(rule->name);
        values[turn] = known("a", "a+b+c+c");
    }
    ck_assert_double_eq_tol(values[0], values[1], 1e-12);
    ck_assert_double_gt(values[0], 1);
}
END_TEST

/* Two equal others of kappa 2: additive 1 + 1 + 1, product 2 x 2, max 2. */
START_TEST(three_equal_nodes)
{
    static const struct {
        const char *rule;
        double want;
    } cases[] = {{"additive", 3}, {"product", 4}, {"max", 2}};
    add("x", "x", 2);
    for (size_t i = 0; i < 3; i++) {
        prepare(cases[i].rule);
        ck_assert_double_eq(known("x", "x"), 2);
        ck_assert_double_eq(known("x", "x+x"), cases[i].want);
    }
    prepare("additive");
    ck_assert_double_eq(known("x", "x+x+x+x+x+x+x"), 8);
}
END_TEST

START_TEST(pairs_are_directed)
{
    add("A", "B", 1.5);
    add("B", "A", 2);
    prepare("additive");
    ck_assert_double_eq(known("A", "B"), 1.5);
    ck_assert_double_eq(known("B", "A"), 2);
}
END_TEST

/* n nodes of demand 1/2 on one link: each gets 2/n of it, so kappa = max(1, n/2). */
START_TEST(bandwidth_shares_one_link)
{
    static const char *const all = "c1+c2+c3+c4+c5+c6+c7";
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        demand(name, "hbm", 0.5);
    }
    prepare("bandwidth");
    for (int n = 1; n <= 8; n++) {
        char others[64];
        snprintf(others, sizeof others, "%.*s", n > 1 ? 3 * (n - 1) - 1 : 0, all);
        ck_assert_double_eq_tol(known("c0", others), fmax(1, n / 2.0), 1e-12);
    }
}
END_TEST

/* Max-min by hand.  Link L: demands copy 1, gemm 0.2, two copies.  Rates rise together until L is
 * full at 2r + 0.2r = 1.  Link H: gemm 0.5, stream 1: with gemm frozen at r = 1/2.2, stream gets 1
 * - 0.5/2.2. */
START_TEST(bandwidth_freezes_in_turn)
{
    demand("copy", "L", 1);
    demand("gemm", "L", 0.2);
    demand("gemm", "H", 0.5);
    demand("stream", "H", 1);
    demand("idle", "H", 0);
    prepare("bandwidth");
    ck_assert_double_eq_tol(known("copy", "copy+gemm+stream"), 2.2, 1e-12);
    ck_assert_double_eq_tol(known("gemm", "copy+copy+stream"), 2.2, 1e-12);
    ck_assert_double_eq_tol(known("stream", "copy+copy+gemm"), 1 / (1 - 0.5 / 2.2), 1e-12);
    ck_assert_double_eq(known("idle", "copy+copy+gemm+stream"), 1);
    ck_assert_double_eq(known("gemm", ""), 1);
    ck_assert(!sl_kappa_is_trivial(&kappa));
    ck_assert(sl_kappa_has_evidence(&kappa));
    ck_assert(!sl_kappa_unknown_pair(&kappa, 0, 1));
}
END_TEST

/* The certificate of max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2): no link is
 * overloaded, and whoever is below rate 1 uses a full link on which nobody is faster. */
START_TEST(bandwidth_is_max_min)
{
    enum { CLASSES = 5, LINKS = 3 };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 11);
    for (int round = 0; round < 300; round++) {
        double use[CLASSES][LINKS], rate[CLASSES] = {0}, load[LINKS] = {0};
        uint32_t counts[CLASSES] = {0};
        sl_kappa_free(&kappa);
        for (int c = 0; c < CLASSES; c++) {
            char klass[16], link[16];
            snprintf(klass, sizeof klass, "c%d", c);
            counts[c] = (uint32_t)gsl_rng_uniform_int(rng, 4);
            for (int l = 0; l < LINKS; l++) {
                use[c][l] = gsl_rng_uniform(rng) < 0.4 ? 0 : gsl_rng_uniform(rng);
                snprintf(link, sizeof link, "l%d", l);
                demand(klass, link, use[c][l]);
            }
        }
        prepare("bandwidth");
        bool unknown = false;
        for (uint32_t c = 0; c < CLASSES; c++) {
            if (counts[c] == 0)
                continue;
            counts[c]--; /* compose counts the others */
            rate[c] = 1 / sl_kappa_eval(&kappa, c, counts, SL_CORNER_PESSIMISTIC, &unknown);
            counts[c]++;
            for (int l = 0; l < LINKS; l++)
                load[l] += counts[c] * use[c][l] * rate[c];
        }
        for (int c = 0; c < CLASSES; c++) {
            bool free_to_rise = counts[c] > 0 && rate[c] < 1 - 1e-9;
            for (int l = 0; l < LINKS; l++) {
                ck_assert_double_le(load[l], 1 + 1e-9);
                bool bottleneck = use[c][l] > 0 && load[l] > 1 - 1e-9;
                for (int d = 0; d < CLASSES; d++)
                    bottleneck &= counts[d] == 0 || use[d][l] == 0 || rate[d] <= rate[c] + 1e-9;
                free_to_rise &= !bottleneck;
            }
            ck_assert(!free_to_rise);
        }
    }
    gsl_rng_free(rng);
}
END_TEST

START_TEST(bandwidth_refuses_bad_demands)
{
    struct sl_error err = {0};
    demand("copy", "L", 1.5);
    ck_assert_int_eq(sl_kappa_prepare(&kappa, &arena, &err), SL_INVALID);
    kappa.demands[0].fraction = 0.5;
    demand("copy", "L", 0.5);
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_kappa_prepare(&kappa, &arena, &err), SL_INVALID);
    ck_assert_str_eq(err.message, "two demands of class 'copy' on link 'L'");
}
END_TEST

START_TEST(measured_set_wins)
{
    add("a", "b", 1.5);
    add("a", "c", 1.2);
    add("a", "c+b+b", 1.9);
    prepare("additive");
    ck_assert_double_eq(known("a", "b+b+c"), 1.9);
    ck_assert_double_eq(known("a", "b+c+b"), 1.9);
    ck_assert_double_eq_tol(known("a", "b+c"), 1.7, 1e-12);
    ck_assert_double_eq_tol(known("a", "b+c+c"), 1.9 - 1.5 + 1.5, 1e-12);
    ck_assert_double_eq_tol(known("a", "b+b+b+c"), 2.7, 1e-12);
    ck_assert_double_eq(kappa.largest, 1.9);
}
END_TEST

/* A set row is evidence even where its pairs were not measured, under every rule. */
START_TEST(measured_set_is_evidence)
{
    add("a", "b+d", 1.25);
    demand("a", "hbm", 1);
    demand("b", "hbm", 1);
    prepare(sl_kappa_rule_get((size_t)_i)->name);
    ck_assert_double_eq(known("a", "d+b"), 1.25);
}
END_TEST

START_TEST(unknown_pairs_at_both_corners)
{
    add("a", "b", 1.5);
    add("b", "b", 3);
    class_of("c");
    prepare("additive");
    bool unknown = false;
    ck_assert_double_eq(eval("a", "b", SL_CORNER_OPTIMISTIC, &unknown), 1.5);
    ck_assert(!unknown);
    ck_assert_double_eq(eval("a", "b+c", SL_CORNER_OPTIMISTIC, &unknown), 1.5);
    ck_assert(unknown);
    ck_assert_double_eq(eval("a", "b+c", SL_CORNER_PESSIMISTIC, &unknown), 1 + 0.5 + 2);
    unknown = false;
    ck_assert_double_eq(eval("a", "a", SL_CORNER_PESSIMISTIC, &unknown),
                        3); /* itself unknown too */
    ck_assert(unknown);
    ck_assert(sl_kappa_unknown_pair(&kappa, class_of("b"), class_of("a"))); /* directed */
    ck_assert(!sl_kappa_unknown_pair(&kappa, class_of("a"), class_of("b")));
    kappa.unknown = SL_UNKNOWN_NUMBER;
    kappa.unknown_value = 1.25;
    unknown = false;
    ck_assert_double_eq(eval("a", "c", SL_CORNER_PESSIMISTIC, &unknown), 1.25);
    ck_assert_double_eq(eval("a", "c", SL_CORNER_OPTIMISTIC, &unknown), 1.25);
    ck_assert(unknown);
    ck_assert(!sl_kappa_is_trivial(&kappa));
}
END_TEST

START_TEST(no_table_no_evidence)
{
    class_of("a");
    class_of("b");
    prepare("additive");
    bool unknown = false;
    ck_assert(!sl_kappa_has_evidence(&kappa));
    ck_assert(sl_kappa_is_trivial(&kappa));
    ck_assert_double_eq(eval("a", "b", SL_CORNER_PESSIMISTIC, &unknown), 1);
    ck_assert(unknown);
    kappa.unknown = SL_UNKNOWN_FORBID;
    ck_assert(!sl_kappa_is_trivial(&kappa));
    ck_assert(sl_kappa_unknown_pair(&kappa, 0, 1));
    kappa.unknown = SL_UNKNOWN_NUMBER;
    kappa.unknown_value = 2;
    unknown = false;
    ck_assert(!sl_kappa_is_trivial(&kappa));
    ck_assert_double_eq(eval("a", "a+b", SL_CORNER_PESSIMISTIC, &unknown), 3);
    ck_assert(!unknown);
    kappa.unknown_value = 1;
    ck_assert(sl_kappa_is_trivial(&kappa));
}
END_TEST

/* Reads `text` as a table. */
static enum sl_status read_table(const char *text, const char *shape, const char *regime)
{
    snprintf(path, sizeof path, "/tmp/slackline-kappa-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *out = fdopen(fd, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs(text, out), 0);
    ck_assert_int_eq(fclose(out), 0);
    struct sl_error err = {0};
    enum sl_status status = sl_kappa_read_table(&kappa, path, shape, regime, &arena, &diags, &err);
    unlink(path);
    return status;
}

static const char *const calibrated =
    "# schema_version=1\n"
    "# tool=slackline-calibrate\n"
    "victim,set,set_size,shape,mode,kappa,ci_lo,ci_hi,regime,source,status\n"
    "gemm,copy.h2d,1,room,share,1.1,1.05,1.15,near,measured,ok\n"
    "gemm,copy.h2d,1,fill,share,1.4,1.35,1.45,near,measured,ok\n"
    "gemm,copy.h2d,1,room,share,1.02,1.01,1.03,far,measured,ok\n"
    "copy.h2d,copy.h2d,1,room,queue,2,2,2,near,measured,ok\n"
    "gemm,gemm,1,room,share,,,,near,measured,rejected\n"
    "gemm,gemm+copy.h2d,2,room,share,2.5,2.4,2.6,near,measured,ok\n";

START_TEST(calibrated_rows_are_filtered)
{
    ck_assert_int_eq(read_table(calibrated, "room", "near"), SL_OK);
    ck_assert_uint_eq(diags.count, 0);
    ck_assert_uint_eq(kappa.row_count, 2);
    ck_assert_str_eq(kappa.regime, "near");
    prepare("max");
    ck_assert_double_eq(known("gemm", "copy.h2d"), 1.1);
    ck_assert_double_eq(known("gemm", "copy.h2d+gemm"), 2.5);
    ck_assert_double_eq(kappa.rows[0].lo, 1.05);
    ck_assert_double_eq(kappa.rows[0].hi, 1.15);
    ck_assert_int_eq(kappa.rows[0].place.line, 4);
    ck_assert_str_eq(kappa.rows[0].place.file, path);
    ck_assert(sl_kappa_unknown_pair(&kappa, class_of("copy.h2d"), class_of("copy.h2d")));
}
END_TEST

START_TEST(hand_written_table)
{
    ck_assert_int_eq(
        read_table("victim,set,kappa\n# not a comment here is a row,x,2\n", NULL, NULL), SL_OK);
    ck_assert_ptr_null(kappa.regime);
    sl_kappa_free(&kappa);
    ck_assert_int_eq(read_table("victim,set,kappa\na,b,1.5\na,b + b,0.9\n", NULL, NULL), SL_OK);
    ck_assert_uint_eq(diags.errors, 0);
    ck_assert_uint_eq(kappa.row_count, 2);
    ck_assert_double_eq(kappa.rows[1].kappa, 1);
    ck_assert_uint_ge(diags.warnings, 1);
    ck_assert_str_eq(diags.items[diags.count - 1].code, "kappa-below-one");
    ck_assert_int_eq(diags.items[diags.count - 1].place.line, 3);
}
END_TEST

static const struct {
    const char *text, *shape, *regime, *code, *message;
    int line;
} faults[] = {
    {"victim,set,kappa\na,b,1.5\na,b,1.6\n", NULL, NULL, "duplicate-kappa", ":2", 3},
    {"victim,set,kappa\na,b+c,1.5\na,c+b,1.6\n", NULL, NULL, "duplicate-kappa", ":2", 3},
    {"victim,set,kappa\na,b,fast\n", NULL, NULL, "bad-value", "fast", 2},
    {"victim,set,kappa\na,b,-2\n", NULL, NULL, "bad-value", "", 2},
    {"victim,set,kappa\na,b,0\n", NULL, NULL, "bad-value", "above 0", 2},
    {"victim,set,kappa\na,b,1e300\n", NULL, NULL, "bad-value", "at most 1000000000", 2},
    {"victim,set,kappa\na,,2\n", NULL, NULL, "bad-set", "", 2},
    {"victim,set,kappa\na,b++c,2\n", NULL, NULL, "bad-set", "empty class name in 'b++c'", 2},
    {"victim,set,kappa\n,b,2\n", NULL, NULL, "missing-value", "victim, set and kappa", 2},
    {"victim,set,kappa\na,b,\n", NULL, NULL, "missing-value", "victim, set and kappa", 2},
    {"victim,set,set_size,kappa\na,b,2,2\n", NULL, NULL, "bad-set", "set_size 2", 2},
    {"victim,set,kappa,ci_lo,ci_hi\na,b,2,2.5,3\n", NULL, NULL, "bad-value", "interval", 2},
    {"victim,set,kappa,mode\na,b,2,shared\n", NULL, NULL, "unknown-word", "'share'", 2},
    {"victim,set,kappa,status\na,b,2,to-few\n", NULL, NULL, "unknown-word", "'too-few'", 2},
    {"victim,set,kapa\na,b,2\n", NULL, NULL, "unknown-column", "'kappa'", 1},
    {NULL, NULL, "near", "several-variants", "declare which one with kappa.shape", 5},
    {NULL, "room", NULL, "several-variants", "declare which one with kappa.regime", 6},
    {NULL, "room", "middle", "unknown-variant", "no usable row has regime 'middle'", 0},
};

START_TEST(faults_are_located)
{
    enum sl_status status = read_table(faults[_i].text ? faults[_i].text : calibrated,
                                       faults[_i].shape, faults[_i].regime);
    ck_assert_int_eq(status, SL_OK);
    ck_assert_uint_ge(diags.errors, 1);
    for (size_t i = 0; i < diags.count; i++) {
        const struct sl_diag *item = &diags.items[i];
        if (strcmp(item->code, faults[_i].code) != 0)
            continue;
        ck_assert_msg(strstr(item->message, faults[_i].message) != NULL, "%s", item->message);
        ck_assert_int_eq(item->place.line, faults[_i].line);
        return;
    }
    ck_abort_msg("no %s: %s", faults[_i].code, diags.items[0].message);
}
END_TEST

START_TEST(every_fault_is_reported)
{
    ck_assert_int_eq(read_table("victim,set,kappa\na,b,x\na,,2\na,c,1.5\na,c,2\n", NULL, NULL),
                     SL_OK);
    ck_assert_uint_eq(diags.errors, 3);
}
END_TEST

static Suite *suite(void)
{
    int rules = (int)sl_kappa_rule_count();
    Suite *s = suite_create("kappa");
    TCase *composition = tcase_create("rules"), *table = tcase_create("table");
    tcase_add_checked_fixture(composition, setup, teardown);
    tcase_add_checked_fixture(table, setup, teardown);
    tcase_add_loop_test(composition, rules_keep_their_laws, 0, rules);
    tcase_add_loop_test(composition, class_numbers_mean_nothing, 0, rules);
    tcase_add_loop_test(composition, measured_set_is_evidence, 0, rules);
    tcase_add_test(composition, three_equal_nodes);
    tcase_add_test(composition, pairs_are_directed);
    tcase_add_test(composition, bandwidth_shares_one_link);
    tcase_add_test(composition, bandwidth_freezes_in_turn);
    tcase_add_test(composition, bandwidth_is_max_min);
    tcase_add_test(composition, bandwidth_refuses_bad_demands);
    tcase_add_test(composition, measured_set_wins);
    tcase_add_test(composition, unknown_pairs_at_both_corners);
    tcase_add_test(composition, no_table_no_evidence);
    tcase_add_test(table, calibrated_rows_are_filtered);
    tcase_add_test(table, hand_written_table);
    tcase_add_loop_test(table, faults_are_located, 0, (int)(sizeof faults / sizeof faults[0]));
    tcase_add_test(table, every_fault_is_reported);
    suite_add_tcase(s, composition);
    suite_add_tcase(s, table);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
