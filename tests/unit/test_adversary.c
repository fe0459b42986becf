/* The adversary on plans whose deadlocks are known by hand. */
#include "adversary.h"
#include "lab.h"

/* f runs first and gives 1 back; p1, p2 fetch 3 each for c1, c2, which need 4 of workspace and run
 * in a row.  With room for `capacity`: while f is slow, both fetches pass it, and c1 finds 6 held.
 */
struct fetches {
    struct lab lab;
    uint32_t f, p[2], c[2];
};

static void open_fetches(struct fetches *t, int64_t capacity)
{
    struct lab *lab = &t->lab;
    lab_open(lab);
    uint32_t gpu = lab_resource(lab, "gpu", 1), link = lab_resource(lab, "link", 1);
    lab->resources[link].order = SL_ORDER_ISSUE; /* served after gpu at each instant */
    lab_domain(lab, "hbm", capacity);
    lab_graph(lab);
    t->f = lab_node(lab, "f", "5us", gpu);
    uint32_t x = lab_holding(lab, SL_HOLD_OBJECT, 0, 1, true);
    lab_gives(lab, t->f, x);
    const char *fetch[] = {"p1", "p2"}, *use[] = {"c1", "c2"};
    for (uint32_t i = 0; i < 2; i++)
        t->p[i] = lab_node(lab, fetch[i], "5us", link);
    for (uint32_t i = 0; i < 2; i++) {
        t->c[i] = lab_node(lab, use[i], "5us", gpu);
        uint32_t weight = lab_holding(lab, SL_HOLD_OBJECT, 0, 3, false);
        lab_takes(lab, t->p[i], weight);
        lab_gives(lab, t->c[i], weight);
        lab_workspace(lab, t->c[i], 0, 4);
        lab_edge(lab, t->p[i], t->c[i]);
        lab_edge(lab, i ? t->c[0] : t->f, t->c[i]);
    }
}

static const char *provoke(struct fetches *t, char cycle[SL_ADVERSARY_TEXT])
{
    LAB_OK(&t->lab, sl_graph_finish(t->lab.graph, &t->lab.err));
    LAB_OK(&t->lab, sl_adversary_run(t->lab.graph, &t->lab.options, cycle, &t->lab.err));
    return cycle;
}

/* 9 are enough as stated: f and p1 end together at 5 us, c1 takes 4 beside 3, p2 waits for it. */
START_TEST(the_stated_durations_do_not_lock)
{
    struct fetches t;
    open_fetches(&t, 9);
    const struct sl_trial *trial = lab_run(&t.lab, 1, 0);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->makespan_ps, 20 * US);
    lab_close(&t.lab);
}
END_TEST

/* A slow f lets p2 pass: 3 + 3 + 4 exceed 9. */
START_TEST(an_early_fetch_can_lock)
{
    struct fetches t;
    char cycle[SL_ADVERSARY_TEXT];
    open_fetches(&t, 9);
    ck_assert_str_eq(provoke(&t, cycle),
                     "c1 waits for 4 B of hbm held by p2 (reclaimed by c2), which waits for c1");
    lab_close(&t.lab);
}
END_TEST

START_TEST(it_does_not_where_both_fit)
{
    struct fetches t;
    char cycle[SL_ADVERSARY_TEXT];
    open_fetches(&t, 10);
    ck_assert_str_eq(provoke(&t, cycle), "");
    lab_close(&t.lab);
}
END_TEST

START_TEST(it_does_not_where_the_fetch_is_ordered)
{
    struct fetches t;
    char cycle[SL_ADVERSARY_TEXT];
    open_fetches(&t, 9);
    lab_edge(&t.lab, t.c[0], t.p[1]);
    ck_assert_str_eq(provoke(&t, cycle), "");
    lab_close(&t.lab);
}
END_TEST

/* p2 comes at 20 us, when f is over unless it takes longer than that. */
START_TEST(a_release_is_no_proof)
{
    struct fetches t;
    char cycle[SL_ADVERSARY_TEXT];
    open_fetches(&t, 9);
    LAB_NODE(&t.lab, t.p[1]).release_ps = 20 * US;
    ck_assert_str_eq(provoke(&t, cycle),
                     "c1 waits for 4 B of hbm held by p2 (reclaimed by c2), which waits for c1");
    lab_close(&t.lab);
}
END_TEST

/* The stated durations are left alone: a run after it is the run before it. */
START_TEST(the_graph_stays_as_it_is)
{
    struct fetches t;
    char cycle[SL_ADVERSARY_TEXT];
    open_fetches(&t, 9);
    LAB_NODE(&t.lab, t.p[1]).release_ps = 20 * US; /* late enough: c1 is over at 15 us */
    provoke(&t, cycle);
    const struct sl_trial *trial = lab_run(&t.lab, 1, 0);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->makespan_ps, 30 * US);
    lab_close(&t.lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("adversary");
    TCase *c = tcase_create("deadlocks");
    tcase_add_test(c, the_stated_durations_do_not_lock);
    tcase_add_test(c, an_early_fetch_can_lock);
    tcase_add_test(c, it_does_not_where_both_fit);
    tcase_add_test(c, it_does_not_where_the_fetch_is_ordered);
    tcase_add_test(c, a_release_is_no_proof);
    tcase_add_test(c, the_graph_stays_as_it_is);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
