/* Which rule is said to compose: sets made by a rule from planted pairs name it, sets made by none
 * are accepted by none. */
#include "kappa.h"
#include "measuredlab.h"
#include <string.h>

enum { SESSIONS = 4, PAIRS = 12 };

static struct lab *lab;
static struct sl_estimates found;

static void begin(void)
{
    lab = lab_create(11);
    lab->noise = lab->between = 0.01;
    found = (struct sl_estimates){0};
}

static void end(void)
{
    sl_estimates_free(&found);
    lab_free(lab);
}

/* kappa(victim | other), from 1.1 to 2. */
static double planted_pair(uint32_t victim, uint32_t other)
{
    return 1.1 + 0.9 * ((victim * 7 + other * 3) % 10) / 9.0;
}

static void plant_pairs(void)
{
    for (uint32_t v = 0; v < LAB_CLASSES; v++)
        for (uint32_t o = 0; o < LAB_CLASSES; o++)
            lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, v, &o, 1), SESSIONS, PAIRS,
                         planted_pair(v, o));
}

/* A third of all sets of two, composed from their pairs; returns how many. */
static uint32_t plant_sets(double (*compose)(double a, double b))
{
    uint32_t count = 0, others[2];
    for (uint32_t v = 0; v < LAB_CLASSES; v++)
        for (others[0] = 0; others[0] < LAB_CLASSES; others[0]++)
            for (others[1] = others[0]; others[1] < LAB_CLASSES; others[1]++)
                if ((v + others[0] + others[1]) % 3 == 0) {
                    lab_sessions(lab, lab_case(lab, SL_CASE_SET, v, others, 2), SESSIONS, PAIRS,
                                 compose(planted_pair(v, others[0]), planted_pair(v, others[1])));
                    count++;
                }
    return count;
}

static double additive(double a, double b)
{
    return a + b - 1;
}

static double product(double a, double b)
{
    return a * b;
}

static double largest(double a, double b)
{
    return fmax(a, b);
}

static double no_rule(double a, double b)
{
    return a * a * b * b;
}

static const struct sl_composition_estimate *rule_named(const char *name)
{
    for (uint32_t r = 0; r < found.rule_count; r++)
        if (strcmp(found.rules[r].rule, name) == 0)
            return &found.rules[r];
    ck_abort_msg("no rule '%s'", name);
    return NULL;
}

/* The planted rule is best and accepted, the others are behind it by an interval above 0.  Its
 * errors are noise of both sides: within 1.5 times what sessions differ by. */
static void picks(double (*compose)(double a, double b), const char *name)
{
    plant_pairs();
    uint32_t sets = plant_sets(compose);
    lab_estimate(lab, &found);
    ck_assert_str_eq(found.rules[found.best].rule, name);
    const char *const rules[] = {"additive", "product", "max"};
    for (size_t r = 0; r < 3; r++) {
        const struct sl_composition_estimate *rule = rule_named(rules[r]);
        ck_assert_ptr_null(rule->untested);
        ck_assert_uint_eq(rule->sets, sets);
        ck_assert_double_eq_tol(rule->noise, 0.01, 0.005);
        ck_assert_int_eq(rule->accepted, strcmp(rules[r], name) == 0);
        if (strcmp(rules[r], name) != 0)
            ck_assert_double_gt(rule->above_best.lo, 0);
    }
    ck_assert_ptr_nonnull(rule_named("bandwidth")->untested);
}

START_TEST(picks_additive)
{
    picks(additive, "additive");
}
END_TEST

START_TEST(picks_product)
{
    picks(product, "product");
}
END_TEST

START_TEST(picks_max)
{
    picks(largest, "max");
}
END_TEST

START_TEST(accepts_none)
{
    plant_pairs();
    plant_sets(no_rule);
    lab_estimate(lab, &found);
    for (uint32_t r = 0; r < found.rule_count; r++)
        ck_assert(!found.rules[r].accepted);
    ck_assert_str_eq(found.rules[found.best].rule, "product"); /* the nearest, not good enough */
}
END_TEST

START_TEST(without_sets)
{
    plant_pairs();
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.best, SL_NONE);
    ck_assert_str_eq(rule_named("additive")->untested, "no set was measured");
    ck_assert_ptr_nonnull(found.linear.untested);
}
END_TEST

/* Where one neighbour of two does nothing, every rule is right: nothing is tested. */
START_TEST(nothing_to_compose)
{
    uint32_t others[2] = {1, 2}, quiet = 2;
    lab_sessions(lab, lab_case(lab, SL_CASE_CONTROL, 0, NULL, 0), SESSIONS, PAIRS, 1);
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 0, others, 1), SESSIONS, PAIRS, 1.3);
    lab->between = lab->noise = 0.001;
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 0, &quiet, 1), SESSIONS, PAIRS, 1);
    lab_sessions(lab, lab_case(lab, SL_CASE_SET, 0, others, 2), SESSIONS, PAIRS, 1.3);
    lab_estimate(lab, &found);
    ck_assert_str_eq(rule_named("additive")->untested, "no set has two slowdowns to compose");
    ck_assert_uint_eq(found.best, SL_NONE);
}
END_TEST

/* A set whose pair is missing is not predicted. */
START_TEST(without_pairs)
{
    uint32_t others[2] = {1, 2};
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 0, others, 1), SESSIONS, PAIRS, 1.3);
    lab_sessions(lab, lab_case(lab, SL_CASE_SET, 0, others, 2), SESSIONS, PAIRS, 1.6);
    lab_estimate(lab, &found);
    ck_assert_str_eq(rule_named("additive")->untested, "no set has all of its pairs");
}
END_TEST

/* A victim of 1 ms, alone at first, is covered for f of the time T that it takes: it gets
 * (1 - f) T + f T / kappa of its work done, which is 1 ms. */
static void plant_partial(double bend)
{
    const double shares[] = {0.25, 0.5, 0.75};
    for (uint32_t o = 3; o < LAB_CLASSES; o++)
        for (size_t k = 0; k < 3; k++) {
            double f = shares[k], kappa = planted_pair(0, o);
            uint32_t c = lab_case(lab, SL_CASE_PARTIAL, 0, &o, 1);
            size_t first = lab->count;
            lab_sessions(lab, c, SESSIONS, PAIRS, bend / ((1 - f) + f / kappa));
            for (size_t i = first; i < lab->count; i++)
                lab->items[i].sample.coverage = lab->items[i].role == SL_ROLE_BESIDE ? f : 1;
        }
}

START_TEST(linear_overlap)
{
    plant_pairs();
    plant_partial(1);
    lab_estimate(lab, &found);
    ck_assert_uint_eq(found.linear.sets, 9);
    ck_assert(found.linear.accepted);
}
END_TEST

START_TEST(bent_overlap)
{
    plant_pairs();
    plant_partial(1.1);
    lab_estimate(lab, &found);
    ck_assert(!found.linear.accepted);
    ck_assert_double_eq_tol(found.linear.median_error, log(1.1), 0.02);
}
END_TEST

/* Aggressors that fill the machine make rows of another shape: the one with more usable rows is
 * named, and sets are predicted from those that leave room. */
START_TEST(shapes)
{
    uint32_t others[2] = {1, 2};
    for (uint32_t v = 0; v < 3; v++) {
        uint32_t c = lab_case(lab, SL_CASE_PAIR, v, others, 1);
        lab->cases[c].shot.shape = v == 0 ? SL_SHAPE_ROOM : SL_SHAPE_FILL;
        lab_sessions(lab, c, SESSIONS, PAIRS, 1.5);
    }
    lab_estimate(lab, &found);
    ck_assert_str_eq(found.shape, "fill");
    sl_estimates_free(&found);
    lab->count = 0;
    uint32_t copy = 0;
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 0, &copy, 1), SESSIONS, PAIRS, 1.5);
    lab_estimate(lab, &found);
    ck_assert_ptr_null(found.shape);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("composition");
    TCase *tests = tcase_create("composition");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, picks_additive);
    tcase_add_test(tests, picks_product);
    tcase_add_test(tests, picks_max);
    tcase_add_test(tests, accepts_none);
    tcase_add_test(tests, without_sets);
    tcase_add_test(tests, without_pairs);
    tcase_add_test(tests, nothing_to_compose);
    tcase_add_test(tests, linear_overlap);
    tcase_add_test(tests, bent_overlap);
    tcase_add_test(tests, shapes);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}
