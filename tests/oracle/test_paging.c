/* Replacement at planning time: faults of plans against those of caches (see paging.h). */
#include <config.h>

#include "paging.h"

#define MS INT64_C(1000000000)

static const char policies[] = "  - {name: lru, action: offload, select: lru}\n"
                               "  - {name: belady, action: offload, select: belady}\n";

/* Copies into hbm that one of the first `accesses` nodes reads. */
static int count_fetches(const struct sl_graph *g, int accesses)
{
    int fetches = 0;
    for (uint32_t n = 0; n < g->node_count; n++) {
        bool counts = false;
        for (uint32_t e = 0; e < g->edge_count && g->nodes[n].kind == SL_PREFETCH; e++)
            counts |= g->edges[e].from.i == n && g->edges[e].type == SL_EDGE_DATA &&
                      atoi(g->nodes[g->edges[e].to.i].name + 1) < accesses;
        fetches += counts;
    }
    return fetches;
}

static int plan_and_run(struct planlab *lab, const char *policy, const struct paging *s)
{
    const struct sl_graph *g = planlab_plan(lab, policy);
    ck_assert(!planlab_warned(lab, "does-not-fit"));
    ck_assert_uint_eq(planlab_count(g, "offload:"), 0); /* nothing was written: nothing goes out */
    struct planlab_run run;
    const struct sl_trial *trial = planlab_trial(lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->makespan_ps, (3 * s->length - 2 + count_fetches(g, s->length)) * MS);
    ck_assert_int_le(trial->peak_bytes[0], INT64_C(3) << 30);
    planlab_end(&run);
    return count_fetches(g, s->counted);
}

START_TEST(test_textbook)
{
    struct paging s = paging_textbook();
    struct planlab lab;
    paging_open(&lab, &s, policies);
    ck_assert_int_eq(plan_and_run(&lab, "lru", &s), 12);
    ck_assert_int_eq(plan_and_run(&lab, "belady", &s), 9);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_random_strings)
{
    uint64_t state = 11;
    for (int round = 0; round < (sl_test_long() ? 400 : 40); round++) {
        struct paging s = paging_random(&state);
        struct planlab lab;
        paging_open(&lab, &s, policies);
        ck_assert_int_eq(plan_and_run(&lab, "lru", &s), paging_faults(&s, PAGING_LRU));
        ck_assert_int_eq(plan_and_run(&lab, "belady", &s), paging_faults(&s, PAGING_BELADY));
        planlab_close(&lab);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("paging");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_textbook);
    tcase_add_test(tc, test_random_strings);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
