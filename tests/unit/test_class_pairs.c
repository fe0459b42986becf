/* What overlaps saved and cost, by pair of classes: timelines computed by hand, and sums that must
 * close on random ones. */
#include <config.h>

#include "class_pairs.h"
#include "lab.h"

static struct lab lab;
static struct sl_pair_sums sums[16];

static void open_lab(void)
{
    lab_open(&lab);
    memset(sums, 0, sizeof sums);
}

static void close_lab(void)
{
    lab_close(&lab);
}

static void add_node(const char *name, const char *duration, uint32_t resource, const char *class)
{
    uint32_t node = lab_node(&lab, name, duration, resource);
    LAB_NODE(&lab, node).klass = lab_class(&lab, class);
}

static const struct sl_trial *measure(uint64_t seed, uint32_t trial)
{
    struct sl_class_pairs *pairs;
    const struct sl_trial *record = lab_run(&lab, seed, trial);
    LAB_OK(&lab, sl_class_pairs_create(&pairs, lab.graph, SL_CORNER_PESSIMISTIC, &lab.err));
    LAB_OK(&lab, sl_class_pairs_measure(pairs, record, sums, &lab.err));
    sl_class_pairs_free(pairs);
    return record;
}

static const struct sl_pair_sums *of(const char *a, const char *b)
{
    return &sums[lab_class(&lab, a) * lab.platform.kappa.classes.count + lab_class(&lab, b)];
}

#define NEAR(value, us) ck_assert_int_le(llabs((value) - (int64_t)((us)*US)), 2)

static void two_nodes(double ab, double ba, const char *a, const char *b)
{
    uint32_t r = lab_resource(&lab, "r", SL_UNLIMITED);
    lab_kappa(&lab, "a", "b", ab);
    lab_kappa(&lab, "b", "a", ba);
    lab_graph(&lab);
    add_node("A", a, r, "a");
    add_node("B", b, r, "b");
}

/* A 10us, B 6us, kappa(A|B) = 1.5, kappa(B|A) = 2: B ends at 12, A at 14.  One after the other
 * takes 16, so the overlap of 12 saved 2: 12 (1/1.5 + 1/2 - 1).  A took 4 too long and B 6. */
START_TEST(overlap_is_not_what_it_saved)
{
    two_nodes(1.5, 2, "10us", "6us");
    ck_assert_int_eq(measure(1, 0)->makespan_ps, 14 * US);
    ck_assert_int_eq(of("a", "b")->overlap_ps, 12 * US);
    NEAR(of("a", "b")->saved_ps, 2);
    ck_assert_int_eq(of("b", "a")->saved_ps, of("a", "b")->saved_ps);
    NEAR(of("a", "b")->inflation_ps, 4);
    NEAR(of("b", "a")->inflation_ps, 6);
    ck_assert_int_eq(of("a", "a")->overlap_ps + of("a", "a")->inflation_ps, 0);
}
END_TEST

/* kappa 3 both ways, 2us each: both end at 6, one after the other at 4. */
START_TEST(an_overlap_can_cost_time)
{
    two_nodes(3, 3, "2us", "2us");
    ck_assert_int_eq(measure(1, 0)->makespan_ps, 6 * US);
    ck_assert_int_eq(of("a", "b")->overlap_ps, 6 * US);
    NEAR(of("a", "b")->saved_ps, -2);
}
END_TEST

/* Three of one class, 10us, kappa(x|x) = 2, additive: each at kappa 3, all end at 30us, which is
 * what they take one after the other.  Each took 20us too long. */
START_TEST(a_class_beside_itself)
{
    uint32_t r = lab_resource(&lab, "r", SL_UNLIMITED);
    lab_kappa(&lab, "x", "x", 2);
    lab_graph(&lab);
    add_node("A", "10us", r, "x");
    add_node("B", "10us", r, "x");
    add_node("C", "10us", r, "x");
    measure(1, 0);
    ck_assert_int_eq(of("x", "x")->overlap_ps, 30 * US);
    NEAR(of("x", "x")->saved_ps, 0);
    NEAR(of("x", "x")->inflation_ps, 60);
}
END_TEST

/* a 10us beside b and c, which nothing slows: kappa = 1 + 0.5 + 1, so a ends at 25us, 15us late:
 * equal parts.  In these 25us a did 10us of work beside b's 25us.  e, in a group of its own,
 * neither slows nor is slowed, but overlaps all the same: its 20us beside a save the 8us that a
 * did. */
START_TEST(inflation_is_split_among_those_that_contend)
{
    uint32_t r = lab_resource(&lab, "r", SL_UNLIMITED);
    uint32_t alone = lab_resource(&lab, "alone", SL_UNLIMITED);
    lab.resources[alone].groups = 2;
    lab_kappa(&lab, "a", "b", 1.5);
    lab_kappa(&lab, "a", "c", 2);
    lab_kappa(&lab, "a", "e", 7);
    lab_graph(&lab);
    add_node("A", "10us", r, "a");
    add_node("B", "100us", r, "b");
    add_node("C", "100us", r, "c");
    add_node("E", "20us", alone, "e");
    measure(1, 0);
    NEAR(of("a", "b")->inflation_ps, 7.5);
    NEAR(of("a", "c")->inflation_ps, 7.5);
    ck_assert_int_eq(of("a", "e")->inflation_ps + of("b", "a")->inflation_ps, 0);
    NEAR(of("a", "b")->saved_ps, 10);
    NEAR(of("b", "c")->saved_ps, 100);
    ck_assert_int_eq(of("a", "e")->overlap_ps, 20 * US);
    NEAR(of("a", "e")->saved_ps, 8);
}
END_TEST

/* 90 nodes of three classes on two resources that share a group in part.  What the classes owe to
 * each other sums to what their nodes took beyond their isolated durations, within the rounding of
 * finishes to picoseconds; overlaps are held against the engine's on the way. */
START_TEST(inflation_sums_to_the_total)
{
    static const char *const classes[] = {"a", "b", "c"};
    uint32_t r[] = {lab_resource(&lab, "r", 6), lab_resource(&lab, "s", 5)};
    lab.resources[r[1]].groups = 3;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            lab_kappa(&lab, classes[a], classes[b], 1 + 0.3 * a + 0.2 * b);
    lab_graph(&lab);
    char name[16];
    for (int i = 0; i < 90; i++) {
        snprintf(name, sizeof name, "n%d", i);
        add_node(name, "exponential(mean=10us)", r[i % 7 > 3], classes[i % 3]);
    }
    for (uint32_t trial = 0; trial < 20; trial++) {
        memset(sums, 0, sizeof sums);
        const struct sl_trial *t = measure(3, trial);
        for (uint32_t a = 0; a < 3; a++) {
            int64_t late = 0, owed = 0;
            for (uint32_t i = 0; i < 90; i++)
                if (LAB_NODE(&lab, i).klass == a)
                    late += t->free_ps[i] - t->start_ps[i] - t->duration_ps[i];
            for (uint32_t b = 0; b < 3; b++)
                owed += sums[a * 3 + b].inflation_ps;
            ck_assert_int_gt(late, 10 * US);
            ck_assert_int_le(llabs(late - owed), 90);
        }
    }
}
END_TEST

START_TEST(an_overlap_that_is_not_the_engines_is_refused)
{
    two_nodes(1.5, 2, "10us", "6us");
    struct sl_trial record = *measure(1, 0);
    int64_t overlap[4] = {0, 12 * US, 12 * US + 1, 0};
    record.overlap_ps = overlap;
    struct sl_class_pairs *pairs;
    LAB_OK(&lab, sl_class_pairs_create(&pairs, lab.graph, SL_CORNER_PESSIMISTIC, &lab.err));
    ck_assert_int_eq(sl_class_pairs_measure(pairs, &record, sums, &lab.err), SL_SYSTEM);
    sl_class_pairs_free(pairs);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("pairs");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, open_lab, close_lab);
    tcase_add_test(tcase, overlap_is_not_what_it_saved);
    tcase_add_test(tcase, an_overlap_can_cost_time);
    tcase_add_test(tcase, a_class_beside_itself);
    tcase_add_test(tcase, inflation_is_split_among_those_that_contend);
    tcase_add_test(tcase, inflation_sums_to_the_total);
    tcase_add_test(tcase, an_overlap_that_is_not_the_engines_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
