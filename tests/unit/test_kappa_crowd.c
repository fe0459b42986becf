/* Kappas of a whole crowd at once against sl_kappa_eval, one member after the other: the same bits,
 * for every rule that composes crowds, on every vector target, with unknown pairs, measured sets
 * and classes that are not in the crowd. */
#include <config.h>

#include "harness.h"
#include "isa.h"
#include "kappa_crowd.h"
#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES = 24, ROUNDS = 60, STATES = 40 };

static struct sl_arena arena;
static struct sl_kappa kappa;
static struct sl_diags diags;
static gsl_rng *rng;

static uint32_t below(uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(rng, n);
}

static void setup(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 11);
}

static void teardown(void)
{
    gsl_rng_free(rng);
    sl_diags_free(&diags);
}

static void add_row(uint32_t victim, const uint32_t *set, uint32_t size)
{
    struct sl_kappa_row row = {.victim = victim, .set_size = size, .set = set};
    row.kappa = row.lo = row.hi = 1 + gsl_rng_uniform(rng) * (below(4) ? 0.1 : 3);
    ck_assert_int_eq(sl_kappa_add_row(&kappa, row, &arena, &diags, NULL), SL_OK);
}

static void add_demands(uint32_t klass)
{
    uint32_t links = 1 + below(3);
    for (uint32_t l = 0; l < links && below(5); l++) {
        ck_assert(sl_grow((void **)&kappa.demands, &kappa.demand_capacity, kappa.demand_count + 1,
                          sizeof *kappa.demands));
        /* Few values, so that links fill at the same level. */
        kappa.demands[kappa.demand_count++] =
            (struct sl_kappa_demand){klass, l, 0.1 * (double)below(8)};
    }
}

static void name_classes(void)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        char name[16];
        snprintf(name, sizeof name, "c%u", c);
        sl_names_add(&kappa.classes, name);
    }
}

static void random_table(const struct sl_kappa_rule *rule)
{
    uint32_t known = 70 + below(31);
    name_classes();
    for (uint32_t l = 0; l < 3; l++)
        sl_names_add(&kappa.links, (const char *[]){"hbm", "l2", "link"}[l]);
    for (uint32_t a = 0; a < CLASSES; a++) {
        for (uint32_t b = 0; b < CLASSES && rule->uses_pairs; b++)
            if (below(100) < known)
                add_row(a, &b, 1);
        for (uint32_t s = below(3); s > 0; s--)
            add_row(a, (const uint32_t[]){s, s + 1, 2 * s + 1}, 3);
        add_demands(a);
    }
    kappa.rule = rule;
    kappa.unknown = below(2) ? SL_UNKNOWN_BOUND : SL_UNKNOWN_NUMBER;
    kappa.unknown_value = 1.25;
    struct sl_error err = {0};
    ck_assert_msg(sl_kappa_prepare(&kappa, &arena, &err) == SL_OK, "%s", err.message);
}

static uint32_t choose_classes(uint32_t *classes)
{
    uint32_t count = 0, share = 10 + below(91);
    for (uint32_t c = 0; c < CLASSES; c++)
        if (below(100) < share || (c + 1 == CLASSES && !count))
            classes[count++] = c;
    return count;
}

/* Every member from its own company; returns whether an unknown pair entered. */
static bool one_by_one(const struct sl_kappa_crowd *crowd, const uint32_t *counts,
                       enum sl_corner corner, double *expected)
{
    uint32_t others[CLASSES] = {0};
    bool hypothetical = false;
    for (uint32_t k = 0; k < crowd->count; k++)
        others[crowd->classes[k]] = counts[k];
    for (uint32_t k = 0; k < crowd->lanes; k++) {
        expected[k] = 1;
        if (k >= crowd->count || !counts[k])
            continue;
        others[crowd->classes[k]]--;
        expected[k] = sl_kappa_eval(&kappa, crowd->classes[k], others, corner, &hypothetical);
        others[crowd->classes[k]]++;
    }
    return hypothetical;
}

/* Returns how many sets were composed at once. */
static uint32_t compare_states(const struct sl_kappa_crowd *crowd, enum sl_corner corner)
{
    uint32_t composed = 0;
    for (uint32_t state = 0; state < STATES; state++) {
        uint32_t counts[CLASSES] = {0}, most = 1 + below(40);
        double found[CLASSES], expected[CLASSES];
        for (uint32_t k = 0; k < crowd->count; k++)
            counts[k] = below(3) ? below(most) : 0;
        bool flag = false;
        bool known = one_by_one(crowd, counts, corner, expected);
        if (!sl_kappa_crowd_eval(crowd, counts, found, &flag))
            continue;
        composed++;
        ck_assert_mem_eq(found, expected, crowd->lanes * sizeof *found);
        ck_assert_int_eq(flag, known);
    }
    return composed;
}

START_TEST(the_same_bits_as_one_by_one)
{
    const struct sl_kappa_rule *rule = sl_kappa_rule_get((size_t)_i);
    uint32_t composed = 0;
    if (!rule->compose_crowd)
        return;
    for (int isa = 0; isa < SL_ISAS; isa++) {
        if (!sl_isa_available((enum sl_isa)isa)) {
            printf("# skipped: this machine has no %s\n", sl_isa_name((enum sl_isa)isa));
            continue;
        }
        sl_isa_force((enum sl_isa)isa);
        for (int round = 0; round < ROUNDS; round++) {
            uint32_t classes[CLASSES];
            struct sl_kappa_crowd crowd;
            random_table(rule);
            uint32_t count = choose_classes(classes);
            enum sl_corner corner = below(2) ? SL_CORNER_PESSIMISTIC : SL_CORNER_OPTIMISTIC;
            ck_assert(sl_kappa_crowd_serves(&kappa, count));
            ck_assert(sl_kappa_crowd_create(&crowd, &kappa, classes, count, corner, &arena));
            composed += compare_states(&crowd, corner);
            sl_kappa_free(&kappa);
            sl_arena_free(&arena);
        }
    }
    ck_assert_uint_gt(composed, ROUNDS * STATES / 2);
}
END_TEST

/* Where a row of the table may be that of the very set, only sl_kappa_eval knows. */
START_TEST(small_sets_are_left_to_the_table)
{
    static const uint32_t set[] = {1, 1};
    uint32_t classes[] = {0, 1};
    struct sl_kappa_crowd crowd;
    name_classes();
    add_row(0, set, 2);
    kappa.rule = sl_kappa_rule_find("additive");
    ck_assert_int_eq(sl_kappa_prepare(&kappa, &arena, NULL), SL_OK);
    double found[SL_CROWD_LANES];
    bool flag;
    ck_assert(sl_kappa_crowd_create(&crowd, &kappa, classes, 2, SL_CORNER_PESSIMISTIC, &arena));
    ck_assert(!sl_kappa_crowd_eval(&crowd, (const uint32_t[]){1, 2}, found, &flag));
    ck_assert(sl_kappa_crowd_eval(&crowd, (const uint32_t[]){2, 2}, found, &flag));
    ck_assert(!sl_kappa_crowd_serves(&kappa, SL_CROWD_MOST + 1));
    sl_kappa_free(&kappa);
    sl_arena_free(&arena);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("kappa_crowd");
    TCase *tc = tcase_create("crowds");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, the_same_bits_as_one_by_one, 0, (int)sl_kappa_rule_count());
    tcase_add_test(tc, small_sets_are_left_to_the_table);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
