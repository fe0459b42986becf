/* Overlap that is forbidden, permitted within a window of starts, or slowed down by an estimate:
 * timelines computed by hand.  The equation stands above each case. */
#include "config.h"

#include "lab.h"
#include "peer_waits.h"
#include "planlab.h"

static struct lab lab;
static uint32_t a, b;

static void open_lab(void)
{
    lab_open(&lab);
}

static void close_lab(void)
{
    lab_close(&lab);
}

static void add_row(struct sl_overlap row)
{
    struct sl_graph *g = lab.graph;
    ck_assert(
        sl_grow((void **)&g->overlaps, &g->overlap_capacity, g->overlap_count + 1, sizeof row));
    g->overlaps[g->overlap_count++] = row;
}

static void allow(const char *x, const char *y, int64_t earliest_us, int64_t latest_us)
{
    add_row((struct sl_overlap){.a = x,
                                .b = y,
                                .allowed = true,
                                .earliest_ps = earliest_us * US,
                                .latest_ps = latest_us < 0 ? INT64_MAX : latest_us * US});
}

/* a (class x) runs from 0 to 10us; b (class y, 4us) is ready at `release_us`. */
static void two_nodes(int64_t release_us)
{
    uint32_t r = lab_resource(&lab, "r", SL_UNLIMITED);
    lab_class(&lab, "x");
    lab_class(&lab, "y");
    lab_graph(&lab);
    a = lab_node(&lab, "a", "10us", r);
    b = lab_node(&lab, "b", "4us", r);
    LAB_NODE(&lab, a).klass = 0;
    LAB_NODE(&lab, b).klass = 1;
    LAB_NODE(&lab, b).release_ps = release_us * US;
}

#define STARTS(node, us) ck_assert_int_eq(t->start_ps[node], (us)*US)

/* The overlap may begin from 3 to 5us: ready at 1, b starts at 3, having waited for nobody. */
START_TEST(a_window_opens)
{
    two_nodes(1);
    allow("y", "x", 3, 5);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, 3);
    ck_assert_int_eq(t->cause[b], SL_CAUSE_OVERLAP);
    ck_assert_uint_eq(t->behind[b], SL_NONE);
    ck_assert_int_eq(t->makespan_ps, 10 * US);
}
END_TEST

/* Ready within the window, both ends included, b starts at once; ready after it, when a is done. */
START_TEST(a_window_holds_its_ends)
{
    static const int64_t ready[] = {3, 4, 5, 6}, start[] = {3, 4, 5, 10};
    two_nodes(ready[_i]);
    allow("x", "y", 3, 5);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, start[_i]);
    ck_assert_int_eq(t->cause[b], _i < 3 ? SL_CAUSE_RELEASE : SL_CAUSE_OVERLAP);
    if (_i == 3)
        ck_assert_uint_eq(t->behind[b], a);
}
END_TEST

/* What runs already is not stopped when the window ends: begun at 4, b runs to 8. */
START_TEST(an_overlap_goes_on_after_its_window)
{
    two_nodes(4);
    allow("x", "y", 4, 4);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->finish_ps[b], 8 * US);
}
END_TEST

/* Two rows about one pair hold at once: [2, 9] and [5, 12] leave [5, 9]; a forbidden third none. */
START_TEST(rows_of_one_pair_hold_at_once)
{
    two_nodes(0);
    LAB_NODE(&lab, b).release_ps = 1 * US;
    allow("x", "y", 2, 9);
    allow("b", "a", 5, 12);
    if (_i == 1)
        add_row((struct sl_overlap){.a = "x", .b = "b"});
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, _i == 0 ? 5 : 10);
}
END_TEST

/* Of one class: at most one may start outside [6, inf), so three nodes of 5us start at 0, 5 and 6
 * (the third may not join the second at 5). */
START_TEST(a_class_beside_itself)
{
    uint32_t r = lab_resource(&lab, "r", SL_UNLIMITED);
    lab_class(&lab, "x");
    lab_graph(&lab);
    const char *names[] = {"n0", "n1", "n2"};
    for (uint32_t i = 0; i < 3; i++) {
        (void)lab_node(&lab, names[i], "5us", r);
        LAB_NODE(&lab, i).klass = 0;
    }
    allow("x", "x", 6, -1);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(0, 0);
    STARTS(1, 5);
    STARTS(2, 6);
    ck_assert_int_eq(t->makespan_ps, 11 * US);
}
END_TEST

/* A window that opens after the end is no event of the trial: pressure = 8 bytes x 10us. */
START_TEST(openings_after_the_end_do_not_count)
{
    uint32_t m = lab_domain(&lab, "hbm", 100);
    two_nodes(10);
    lab_holding(&lab, SL_HOLD_OBJECT, m, 8, true);
    LAB_NODE(&lab, b).dist = NULL;
    allow("x", "y", 1000, -1);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->makespan_ps, 10 * US);
    ck_assert_double_eq_tol(t->pressure_byte_s[m], 80e-6, 1e-15);
}
END_TEST

/* b waits 9us for a; c, called by a rule's name, 4us until its overlap with a may begin (t = 5). */
START_TEST(waits_are_summed_by_pair)
{
    two_nodes(1);
    uint32_t c = lab_node(&lab, "c", "1us", 0);
    LAB_NODE(&lab, c).klass = 1;
    LAB_NODE(&lab, c).release_ps = 1 * US;
    add_row((struct sl_overlap){.a = "x", .b = "b"});
    allow("a", "c", 5, -1);
    struct sl_peer_waits waits;
    struct sl_arena arena = {0};
    struct sl_peer_wait *list;
    uint32_t count;
    for (uint32_t trial = 0; trial < 2; trial++) {
        const struct sl_trial *t = lab_run(&lab, 1, trial);
        if (!trial)
            LAB_OK(&lab, sl_peer_waits_open(&waits, lab.graph, &lab.err));
        LAB_OK(&lab, sl_peer_waits_add(&waits, t, &lab.err));
    }
    LAB_OK(&lab, sl_peer_waits_list(&waits, &arena, &list, &count, &lab.err));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(list[0].waiter, "b");
    ck_assert_str_eq(list[0].peer, "a");
    ck_assert_uint_eq(list[0].waits, 2);
    ck_assert_int_eq(list[0].wait_ps, 2 * 9 * US);
    ck_assert_str_eq(list[1].waiter, "c");
    ck_assert_ptr_null(list[1].peer);
    ck_assert_int_eq(list[1].wait_ps, 2 * 4 * US);
    sl_arena_free(&arena);
    sl_peer_waits_free(&waits);
}
END_TEST

/* The estimate stands for kappa(A|B) = 1.5 and kappa(B|A) = 2: B ends at 12us, A, of which
 * 12 / 1.5 = 8us are done by then, at 14us; one number holds both ways: 6 x 2 = 12, then 4 more. */
START_TEST(contention_of_a_pair_is_an_estimate)
{
    static const char *const tables[] = {"a,b,contention\nA,B,1.5;2\n", "a,b,contention\nB,A,2\n"};
    static const int64_t ends_us[] = {14, 16};
    struct planlab plan;
    const char yaml[] = "name: pair\nkappa: {unknown_kappa: forbid}\n"
                        "resources: {ra: {servers: 1, group: g}, rb: {servers: 1, group: g}}\n";
    const char nodes[] = "node,kind,class,resource,duration\n"
                         "a,compute,A,ra,10us\nb,compute,B,rb,6us\n";
    planlab_open_tables(&plan, yaml, nodes, NULL, NULL, tables[_i]);
    (void)planlab_plan(&plan, "as-given");
    struct planlab_run run = {0};
    const struct sl_trial *t = planlab_trial(&plan, &run);
    ck_assert_int_eq(t->finish_ps[1], 12 * US);
    ck_assert_int_eq(t->finish_ps[0], ends_us[_i] * US);
    ck_assert(!t->hypothetical);
    planlab_end(&run);
    planlab_close(&plan);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("overlap_oracles");
    TCase *c = tcase_create("overlap");
    tcase_add_checked_fixture(c, open_lab, close_lab);
    tcase_add_test(c, a_window_opens);
    tcase_add_loop_test(c, a_window_holds_its_ends, 0, 4);
    tcase_add_test(c, an_overlap_goes_on_after_its_window);
    tcase_add_loop_test(c, rows_of_one_pair_hold_at_once, 0, 2);
    tcase_add_test(c, a_class_beside_itself);
    tcase_add_test(c, openings_after_the_end_do_not_count);
    tcase_add_test(c, waits_are_summed_by_pair);
    tcase_add_loop_test(c, contention_of_a_pair_is_an_estimate, 0, 2);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
