/* Eviction while running: paging against caches simulated access by access, and small runs worked
 * out by hand.  Copies are of 1 GiB and take 1 ms either way; nodes take 1 ms. */
#include <config.h>

#include "paging.h"

#define MS INT64_C(1000000000)

/* ---- paging -----------------------------------------------------------------------------------
 */

static const char *const rule_names[] = {"fifo", "lru", "belady"};
static const char policies[] = "  - {name: fifo, action: retain, evict: fifo}\n"
                               "  - {name: lru, action: retain, evict: lru}\n"
                               "  - {name: belady, action: retain, evict: belady}\n";

/* Copies into hbm that began before `end`: the plan's first ones, and those that returned. */
static int count_fetches(const struct sl_graph *g, const struct sl_trial *t, int64_t end)
{
    int fetches = 0;
    for (uint32_t r = 0; r < t->run_count; r++)
        fetches += t->state[r] == SL_RAN && t->start_ps[r] < end &&
                   g->nodes[sl_trial_node(t, g->node_count, r)].kind == SL_PREFETCH;
    return fetches;
}

/* Pages were not written: none is ever moved out. */
static void check_string(struct planlab *lab, const struct paging *s, enum paging_rule rule)
{
    const struct sl_graph *g = planlab_plan(lab, rule_names[rule]);
    struct planlab_run run;
    const struct sl_trial *t = planlab_trial(lab, &run);
    ck_assert_int_eq(t->outcome, SL_DONE);
    char last[16];
    snprintf(last, sizeof last, "r%02d", s->counted - 1);
    ck_assert_int_eq(count_fetches(g, t, t->start_ps[planlab_node(g, last)]),
                     paging_faults(s, rule));
    ck_assert_int_eq(t->makespan_ps, (3 * s->length - 2 + count_fetches(g, t, INT64_MAX)) * MS);
    ck_assert_int_le(t->peak_bytes[0], INT64_C(3) << 30);
    for (uint32_t c = 0; c < g->evictor->copy_count; c++)
        ck_assert_uint_eq(t->copies[c].moved, 0);
    planlab_end(&run);
}

START_TEST(test_textbook)
{
    struct paging s = paging_textbook();
    struct planlab lab;
    ck_assert_int_eq(paging_faults(&s, PAGING_FIFO), 15);
    ck_assert_int_eq(paging_faults(&s, PAGING_LRU), 12);
    ck_assert_int_eq(paging_faults(&s, PAGING_BELADY), 9);
    paging_open(&lab, &s, policies);
    for (enum paging_rule rule = PAGING_FIFO; rule <= PAGING_BELADY; rule++)
        check_string(&lab, &s, rule);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_random_strings)
{
    uint64_t state = 12;
    for (int round = 0; round < (sl_test_long() ? 400 : 30); round++) {
        struct paging s = paging_random(&state);
        struct planlab lab;
        paging_open(&lab, &s, policies);
        for (enum paging_rule rule = PAGING_FIFO; rule <= PAGING_BELADY; rule++)
            check_string(&lab, &s, rule);
        planlab_close(&lab);
    }
}
END_TEST

/* ---- by hand -----------------------------------------------------------------------------------
 */

#define MACHINE                                                                                    \
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"                   \
    "routes:\n  - {from: pinned, to: hbm, resource: h2d, bandwidth: 1000GiB/s}\n"                  \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1000GiB/s}\n"                           \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"

static void open_by_hand(struct planlab *lab, const char *nodes, const char *objects,
                         const char *hbm, const char *policy)
{
    char yaml[2000];
    snprintf(yaml, sizeof yaml,
             "name: hand\nnodes: nodes.csv\nobjects: objects.csv\n"
             "domains: {hbm: {capacity: %s, reserve: 0B}, pinned: {capacity: 16GiB, reserve: 0B}}\n"
             "%spolicies:\n  - {name: p, action: retain, %s}\n",
             hbm, MACHINE, policy);
    planlab_open(lab, yaml, nodes, objects);
    planlab_plan(lab, "p");
}

static const struct sl_copy_record *record_of(const struct sl_graph *g, const struct sl_trial *t,
                                              const char *object)
{
    for (uint32_t c = 0; c < g->evictor->copy_count; c++) {
        uint32_t o = g->holdings[g->evictor->copies[c].holding].object.i;
        if (strcmp(g->objects[o].name, object) == 0)
            return &t->copies[c];
    }
    ck_abort_msg("no copy of %s", object);
}

static int64_t start_of(const struct sl_graph *g, const struct sl_trial *t, const char *node)
{
    return t->start_ps[planlab_node(g, node)] / MS;
}

static const char write_nodes[] = "node,kind,resource,lane,duration,inputs,outputs\n"
                                  "A,compute,compute,s,1ms,,a\nB,compute,compute,s,1ms,,b\n"
                                  "C,compute,compute,s,1ms,,c\nRA,compute,compute,s,1ms,a,\n"
                                  "RB,compute,compute,s,1ms,b,\nRC,compute,compute,s,1ms,c,\n";
static const char write_objects[] = "object,size,home,placements\na,1GiB,hbm,hbm;pinned\n"
                                    "b,1GiB,hbm,hbm;pinned\nc,1GiB,hbm,hbm;pinned\n";

/* Three objects in two places, read in the order in which they were written.  Ends, in ms:
 *     A 1, B 2, a out 3, C 4;  RA needs a: b out 5, a back 6, RA 7: a is done
 *     RB needs b: back 8, RB 9, RC 10 */
START_TEST(test_dirty_copies_move)
{
    struct planlab lab;
    struct planlab_run run;
    open_by_hand(&lab, write_nodes, write_objects, "2GiB", "evict: lru");
    const struct sl_graph *g = lab.plan.graph;
    const struct sl_trial *t = planlab_trial(&lab, &run);
    ck_assert_int_eq(start_of(g, t, "C"), 3);
    ck_assert_int_eq(start_of(g, t, "RA"), 6);
    ck_assert_int_eq(start_of(g, t, "RB"), 8);
    ck_assert_int_eq(t->makespan_ps, 10 * MS);
    ck_assert_int_eq(t->cause[planlab_node(g, "C")], SL_CAUSE_CAPACITY);
    ck_assert_str_eq(g->nodes[t->behind[planlab_node(g, "C")]].name, "evict:a");
    ck_assert_int_eq(t->cause[planlab_node(g, "RA")], SL_CAUSE_DATA);
    ck_assert_str_eq(g->nodes[t->behind[planlab_node(g, "RA")]].name, "refetch:a");
    ck_assert_uint_eq(record_of(g, t, "a")->moved, 1);
    ck_assert_uint_eq(record_of(g, t, "b")->moved, 1);
    ck_assert_uint_eq(record_of(g, t, "b")->returned, 1);
    ck_assert_uint_eq(record_of(g, t, "c")->evicted, 0);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* A chain in two places, whose states are dropped and computed again, ends in ms:
 *     A 1, B 2 (drops nothing), C 3 (drops a)
 *     D reads a: b is dropped (older than c by its number), A again 4, D 5
 *     E reads b: A again 5 to 6, c is dropped, B again 7, E 8
 *     F reads c: A again 9, B again 10, C again 11, F 12 */
START_TEST(test_recomputation_is_recursive)
{
    struct planlab lab;
    struct planlab_run run;
    open_by_hand(&lab,
                 "node,kind,resource,lane,duration,inputs,outputs\n"
                 "A,compute,compute,s,1ms,,a\nB,compute,compute,s,1ms,a,b\n"
                 "C,compute,compute,s,1ms,b,c\nD,compute,compute,s,1ms,a,\n"
                 "E,compute,compute,s,1ms,b,\nF,compute,compute,s,1ms,c,\n",
                 "object,size,home,reconstruct,equivalence\na,1GiB,hbm,A,bitwise\n"
                 "b,1GiB,hbm,B,bitwise\nc,1GiB,hbm,C,bitwise\n",
                 "2GiB", "evict: {how: lru, by: remat}");
    const struct sl_graph *g = lab.plan.graph;
    const struct sl_trial *t = planlab_trial(&lab, &run);
    ck_assert_int_eq(start_of(g, t, "C"), 2);
    ck_assert_int_eq(start_of(g, t, "D"), 4);
    ck_assert_int_eq(start_of(g, t, "E"), 7);
    ck_assert_int_eq(t->makespan_ps, 12 * MS);
    ck_assert_uint_eq(record_of(g, t, "a")->returned, 3);
    ck_assert_uint_eq(record_of(g, t, "b")->returned, 2);
    ck_assert_uint_eq(record_of(g, t, "c")->returned, 1);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* X reads a and Y reads b where there is room for one, while Z keeps both from starting until 1 s.
 * At 1 ms b takes the place of a, at 2 ms a that of b, and so on; since the plan's own copy of b
 * ended at 2 ms nothing of the plan has started or ended, and b is the first to leave for the 21st
 * time. */
static const char wait_nodes[] =
    "node,kind,resource,duration,inputs\nZ,compute,compute,1s,\nX,compute,compute,1ms,a\n"
    "Y,compute,compute,1ms,b\n";
static const char wait_objects[] = "object,size,home,initial,placements\n"
                                   "a,1GiB,hbm,pinned,hbm;pinned\nb,1GiB,hbm,pinned,hbm;pinned\n";

START_TEST(test_livelock_names_the_pair)
{
    struct planlab lab;
    struct planlab_run run;
    open_by_hand(&lab, wait_nodes, wait_objects, "1GiB",
                 "evict: {how: lru, pins: running, livelock: 20}");
    const struct sl_trial *t = planlab_trial(&lab, &run);
    ck_assert_int_eq(t->outcome, SL_DEADLOCK);
    ck_assert(t->livelock);
    ck_assert_int_eq(t->makespan_ps, INT64_MAX);
    ck_assert_msg(strstr(t->deadlock, "livelock: b and a evict each other: b left 21 times, last "
                                      "for a") != NULL,
                  "%s", t->deadlock);
    ck_assert_uint_eq(record_of(lab.plan.graph, t, "a")->thrashed, 20);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* The same where nodes keep what they gathered: X began before Y, so that b waits for X's end at
 * 1001 ms, comes until 1002, and Y ends at 1003. */
START_TEST(test_gathered_copies_stay)
{
    struct planlab lab;
    struct planlab_run run;
    open_by_hand(&lab, wait_nodes, wait_objects, "1GiB", "evict: {how: lru, livelock: 20}");
    const struct sl_graph *g = lab.plan.graph;
    const struct sl_trial *t = planlab_trial(&lab, &run);
    ck_assert_int_eq(t->outcome, SL_DONE);
    ck_assert_int_eq(start_of(g, t, "X"), 1000);
    ck_assert_int_eq(t->makespan_ps, 1003 * MS);
    ck_assert_uint_eq(record_of(g, t, "a")->evicted, 1);
    ck_assert_uint_eq(record_of(g, t, "b")->evicted, 1);
    ck_assert_uint_eq(record_of(g, t, "b")->thrashed, 0);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* Nothing says how to compute a or b again. */
START_TEST(test_nothing_to_evict_is_a_deadlock)
{
    struct planlab lab;
    struct planlab_run run;
    open_by_hand(&lab, write_nodes, write_objects, "2GiB", "evict: {how: lru, by: remat}");
    const struct sl_trial *t = planlab_trial(&lab, &run);
    ck_assert_int_eq(t->outcome, SL_DEADLOCK);
    ck_assert(!t->livelock);
    ck_assert_msg(strstr(t->deadlock, "C waits for 1.00 GiB of hbm held by A (reclaimed by RA)") !=
                      NULL,
                  "%s", t->deadlock);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* C is evicted and comes back just before the plan itself moves it out: the plan's copy takes the
 * place of the evicted one.  With at most one copy each, four objects of 1 GiB never have more than
 * 4 GiB in pinned. */
START_TEST(test_one_copy_per_domain)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(
        &lab,
        "name: twice\nnodes: nodes.csv\nobjects: objects.csv\n"
        "domains: {hbm: {capacity: 2GiB, reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}}\n"
        "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
        "routes:\n  - {from: pinned, to: hbm, resource: h2d, bandwidth: 50GB/s}\n"
        "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 50GB/s}\n"
        "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
        "policies: [{name: p, action: offload, select: all, prefetch: asap, evict: lru}]\n",
        "node,kind,resource,lane,duration,inputs,outputs\n"
        "w1,compute,compute,s,10ms,,A\nw2,compute,compute,s,10ms,,B\n"
        "w3,compute,compute,s,10ms,,C\nw4,compute,compute,s,10ms,,D\n"
        "r1,compute,compute,s,10ms,A,\nr2,compute,compute,s,10ms,B,\n"
        "r3,compute,compute,s,10ms,C,\nr4,compute,compute,s,10ms,D,\n"
        "r5,compute,compute,s,10ms,A,\nr6,compute,compute,s,10ms,B,\n",
        "object,size,home,placements\nA,1GiB,hbm,hbm;pinned\nB,1GiB,hbm,hbm;pinned\n"
        "C,1GiB,hbm,hbm;pinned\nD,1GiB,hbm,hbm;pinned\n");
    (void)planlab_plan(&lab, "p");
    const struct sl_trial *t = planlab_trial(&lab, &run);
    ck_assert_int_eq(t->outcome, SL_DONE);
    for (uint32_t m = 0; m < 2; m++)
        if (strcmp(lab.plan.graph->platform->domain_names.names[m], "pinned") == 0)
            ck_assert_int_le(t->peak_bytes[m], INT64_C(4) << 30);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* Where the policy's rule sends objects, they go while running, too: not to the first placement. */
START_TEST(test_goes_where_the_rule_says)
{
    static const struct {
        const char *action, *refuge;
    } cases[] = {
        {"retain", "pinned"},
        {"{how: offload, to: far}, select: none", "far"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char yaml[1500];
        snprintf(
            yaml, sizeof yaml,
            "name: two\nnodes: nodes.csv\nobjects: objects.csv\n"
            "domains: {hbm: {capacity: 2GiB, reserve: 0B}, pinned: {capacity: 8GiB, reserve: 0B}, "
            "far: {capacity: 8GiB, reserve: 0B}}\n" MACHINE
            "policies: [{name: p, action: %s, evict: lru}]\n",
            cases[k].action);
        char *routes = strstr(yaml, "routes:\n"), with[2000];
        snprintf(with, sizeof with,
                 "%.*sroutes:\n  - {from: hbm, to: far, resource: d2h, bandwidth: 1000GiB/s}\n"
                 "  - {from: far, to: hbm, resource: h2d, bandwidth: 1000GiB/s}\n%s",
                 (int)(routes - yaml), yaml, routes + strlen("routes:\n"));
        struct planlab lab;
        struct planlab_run run;
        planlab_open(&lab, with, write_nodes,
                     "object,size,home,placements\na,1GiB,hbm,hbm;pinned;far\n"
                     "b,1GiB,hbm,hbm;pinned;far\nc,1GiB,hbm,hbm;pinned;far\n");
        const struct sl_graph *g = planlab_plan(&lab, "p");
        const struct sl_trial *t = planlab_trial(&lab, &run);
        ck_assert_int_eq(t->outcome, SL_DONE);
        ck_assert_uint_eq(record_of(g, t, "a")->moved, 1);
        ck_assert_str_eq(g->platform->domain_names.names[g->nodes[planlab_node(g, "evict:a")].to],
                         cases[k].refuge);
        planlab_end(&run);
        planlab_close(&lab);
    }
}
END_TEST

/* Two objects of 1 GiB; routes lead between hbm and pinned alone. */
START_TEST(test_says_why_nothing_can_leave)
{
    static const struct {
        const char *evict, *placements, *pinned, *code, *why;
    } cases[] = {
        {"lru", "hbm", "8GiB", "no-route", "another placement with direct routes"},
        {"lru", "hbm;far", "8GiB", "no-route", "another placement with direct routes"},
        {"lru", "hbm;pinned", "1023MiB", "does-not-fit", "no object that may leave fits"},
        {"{how: lru, by: remat}", "hbm", "8GiB", "not-rematerializable", "computed again"},
        {"lru", "hbm;pinned", "1GiB", NULL, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char yaml[1500], objects[200];
        snprintf(
            yaml, sizeof yaml,
            "name: stuck\nnodes: nodes.csv\nobjects: objects.csv\n"
            "domains: {hbm: {capacity: 2GiB, reserve: 0B}, pinned: {capacity: %s, reserve: 0B}, "
            "far: {capacity: 8GiB, reserve: 0B}}\n" MACHINE
            "policies: [{name: p, action: retain, evict: %s}]\n",
            cases[k].pinned, cases[k].evict);
        snprintf(objects, sizeof objects,
                 "object,size,home,placements\nA,1GiB,hbm,%s\nB,1GiB,hbm,%s\n", cases[k].placements,
                 cases[k].placements);
        struct planlab lab;
        planlab_open(&lab, yaml,
                     "node,kind,resource,lane,duration,inputs,outputs\n"
                     "a,compute,compute,s,1ms,,A\nb,compute,compute,s,1ms,,B\n"
                     "c,compute,compute,s,1ms,A;B,\n",
                     objects);
        (void)planlab_plan(&lab, "p");
        const struct sl_diag *said = NULL;
        for (size_t i = 0; i < lab.diags.count; i++)
            if (strstr(lab.diags.items[i].message, "evict changes nothing"))
                said = &lab.diags.items[i];
        ck_assert_msg((said != NULL) == (cases[k].code != NULL), "case %zu", k);
        if (said) {
            ck_assert_str_eq(said->code, cases[k].code);
            ck_assert_msg(strstr(said->message, cases[k].why) != NULL, "%s", said->message);
        }
        planlab_close(&lab);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("evict");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_textbook);
    tcase_add_test(tc, test_random_strings);
    tcase_add_test(tc, test_dirty_copies_move);
    tcase_add_test(tc, test_recomputation_is_recursive);
    tcase_add_test(tc, test_livelock_names_the_pair);
    tcase_add_test(tc, test_gathered_copies_stay);
    tcase_add_test(tc, test_nothing_to_evict_is_a_deadlock);
    tcase_add_test(tc, test_one_copy_per_domain);
    tcase_add_test(tc, test_goes_where_the_rule_says);
    tcase_add_test(tc, test_says_why_nothing_can_leave);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
