/* Corners where several things fall on one instant, by hand: each was once decided otherwise by one
 * of the engine's ways of leaving out work, and found by comparing it with the reference simulator.
 */
#include "config.h"

#include "lab.h"

static struct lab lab;

static void open_lab(void)
{
    lab_open(&lab);
}

static void close_lab(void)
{
    lab_close(&lab);
}

/* A guard that never holds. */
static void add_never(void)
{
    struct sl_graph *graph = lab.graph;
    ck_assert(sl_grow((void **)&graph->guards, &graph->guard_capacity, 1, sizeof *graph->guards));
    graph->guards[graph->guard_count++] =
        (struct sl_guard){.name = "never", .probability = 0, .scope = SL_SCOPE_JOB};
}

static void expect(const struct sl_trial *t, uint32_t node, enum sl_cause cause, uint32_t behind,
                   int64_t lag_ps)
{
    ck_assert_str_eq(sl_cause_name((enum sl_cause)t->cause[node]), sl_cause_name(cause));
    ck_assert_uint_eq(t->behind[node], behind);
    ck_assert_int_eq(t->lag_ps[node], lag_ps);
}

/* At 10us `primary` is cancelled, and at once `spare`, which should have started by 5us; `last`,
 * for which they both stand, has been skipped at 0.  So `spare` is the last of the three to pass.
 */
START_TEST(behind_the_last_of_a_chain_of_fallbacks)
{
    lab_graph(&lab);
    add_never();
    uint32_t other = lab_node(&lab, "other", "1us", SL_NONE);
    uint32_t primary = lab_node(&lab, "primary", "1us", SL_NONE);
    uint32_t spare = lab_node(&lab, "spare", "1us", SL_NONE);
    uint32_t last = lab_node(&lab, "last", "1us", SL_NONE);
    uint32_t after = lab_node(&lab, "after", "1us", SL_NONE);
    lab_guard(&lab, other, 0, false);
    lab_guard(&lab, last, 0, false);
    LAB_NODE(&lab, other).fallback.i = last;
    LAB_NODE(&lab, primary).fallback.i = spare;
    LAB_NODE(&lab, spare).fallback.i = last;
    LAB_NODE(&lab, primary).release_ps = 20 * US;
    LAB_NODE(&lab, primary).deadline_ps = 11 * US;
    LAB_NODE(&lab, spare).deadline_ps = 6 * US;
    lab_edge(&lab, primary, after);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->finish_ps[last], 0);
    ck_assert_int_eq(t->finish_ps[spare], 10 * US);
    ck_assert_int_eq(t->start_ps[after], 10 * US);
    expect(t, after, SL_CAUSE_DATA, spare, 0);
}
END_TEST

/* A fallback's release counts from the call on.  At 10us it ties with a capacity-wait edge, and
 * comes before it in the order of ties; the call itself, by a guard, comes last. */
START_TEST(release_of_a_called_fallback_wins_its_tie)
{
    lab_graph(&lab);
    add_never();
    uint32_t first = lab_node(&lab, "first", "10us", SL_NONE);
    uint32_t primary = lab_node(&lab, "primary", "1us", SL_NONE);
    uint32_t spare = lab_node(&lab, "spare", "1us", SL_NONE);
    lab_guard(&lab, primary, 0, false);
    lab_edge(&lab, first, primary);
    lab_edge_typed(&lab, first, spare, SL_EDGE_CAPACITY, 0);
    LAB_NODE(&lab, primary).fallback.i = spare;
    LAB_NODE(&lab, spare).release_ps = 10 * US;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->start_ps[spare], 10 * US);
    expect(t, spare, SL_CAUSE_RELEASE, SL_NONE, 10 * US);
}
END_TEST

/* Both primaries start at 4us.  `waiting` is ready since 0, and so before `ready` in their list:
 * the last one to start is `ready`, whose record the idle fallback shares. */
START_TEST(idle_fallback_shares_the_last_start)
{
    uint32_t r = lab_resource(&lab, "r", 1);
    lab_graph(&lab);
    uint32_t first = lab_node(&lab, "first", "4us", r);
    uint32_t ready = lab_node(&lab, "ready", "3us", SL_NONE);
    uint32_t waiting = lab_node(&lab, "waiting", "6us", r);
    uint32_t spare = lab_node(&lab, "spare", "1us", SL_NONE);
    lab_edge_typed(&lab, first, ready, SL_EDGE_ORDERING, 0);
    LAB_NODE(&lab, ready).fallback.i = spare;
    LAB_NODE(&lab, waiting).fallback.i = spare;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->start_ps[waiting], 4 * US);
    ck_assert_int_eq(t->start_ps[ready], 4 * US);
    ck_assert_int_eq(t->state[spare], SL_SKIPPED);
    expect(t, spare, SL_CAUSE_GUARD, first, 0);
    ck_assert_int_eq(t->behind_by_free[spare], 0);
}
END_TEST

/* d does 3 of 6 ps alone, from 3 to 6, and then at 1/2.9 beside e: 6 + 8.7, so it ends at 15.  By
 * then e has done 9/3.2 of its 3 ps; the 0.19 ps left are rounded to none: it ends at 15, too, in a
 * second instant.  Whoever waits for both is bound by the edge of type data, although that end came
 * first; and it has not waited for a unit. */
START_TEST(ends_that_rounding_puts_on_one_time_tie)
{
    uint32_t r = lab_resource(&lab, "r", 2);
    lab_kappa(&lab, "y", "z", 3.2);
    lab_kappa(&lab, "z", "y", 2.9);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "3ps", r), b = lab_node(&lab, "b", "6ps", r);
    uint32_t d = lab_node(&lab, "d", "6ps", r), e = lab_node(&lab, "e", "3ps", r);
    uint32_t both = lab_node(&lab, "both", "1ps", r);
    LAB_NODE(&lab, a).klass = LAB_NODE(&lab, e).klass = lab_class(&lab, "y");
    LAB_NODE(&lab, d).klass = lab_class(&lab, "z");
    lab_edge_typed(&lab, a, d, SL_EDGE_STORAGE, 0);
    lab_edge_typed(&lab, a, e, SL_EDGE_ORDERING, 0);
    lab_edge_typed(&lab, d, both, SL_EDGE_DATA, 0);
    lab_edge_typed(&lab, e, both, SL_EDGE_CAPACITY, 0);
    for (unsigned way = 0; way < 2; way++) {
        const struct sl_trial *t = lab_run_flags(&lab, 1, 0, way ? SL_GENERAL_LOOP : 0);
        ck_assert_int_eq(t->finish_ps[b], 6);
        ck_assert_int_eq(t->start_ps[e], 6);
        ck_assert_int_eq(t->finish_ps[d], 15);
        ck_assert_int_eq(t->finish_ps[e], 15);
        ck_assert_int_eq(t->start_ps[both], 15);
        expect(t, both, SL_CAUSE_DATA, d, 0);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("engine_ties");
    TCase *c = tcase_create("ties");
    tcase_add_checked_fixture(c, open_lab, close_lab);
    tcase_add_test(c, behind_the_last_of_a_chain_of_fallbacks);
    tcase_add_test(c, release_of_a_called_fallback_wins_its_tie);
    tcase_add_test(c, idle_fallback_shares_the_last_start);
    tcase_add_test(c, ends_that_rounding_puts_on_one_time_tie);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
