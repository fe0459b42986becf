/* Parts of policies that differ from all others somewhere, by hand computation.
 *
 * One lane: wp and wq write p and q, m needs a workspace, rp and rq read them again.  Copies take 1
 * ms per GiB. */
#include <config.h>

#include "planlab.h"

#define MACHINE(hbm)                                                                               \
    "name: parts\nnodes: nodes.csv\nobjects: objects.csv\n"                                        \
    "resources: {compute: {servers: 1}, aux: {servers: 1}, h2d: {servers: 1}, d2h: {servers: "     \
    "1}}\n"                                                                                        \
    "domains: {hbm: {capacity: " hbm ", reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}}\n"   \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1000GiB/s}\n"                           \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 1000GiB/s}\n"                           \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"

#define SELECTIONS                                                                                 \
    "policies:\n"                                                                                  \
    "  - {name: lru, action: offload, select: lru}\n"                                              \
    "  - {name: belady, action: offload, select: belady}\n"                                        \
    "  - {name: slack, action: offload, select: slack}\n"                                          \
    "  - {name: largest, action: offload, select: largest}\n"
#define NODES_HEAD "node,kind,resource,lane,duration,inputs,outputs,workspace\n"
#define OBJECTS(p, q)                                                                              \
    "object,size,home,placements\np," p ",hbm,hbm;pinned\nq," q ",hbm,hbm;pinned\n"

/* Bytes that a policy's run keeps in pinned memory at most, GiB. */
static double pinned_gib(struct planlab *lab, const char *policy)
{
    struct planlab_run run;
    planlab_plan(lab, policy);
    ck_assert(!planlab_warned(lab, "does-not-fit"));
    const struct sl_trial *trial = planlab_trial(lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    double gib = (double)trial->peak_bytes[1] / (double)(1 << 30);
    planlab_end(&run);
    return gib;
}

/* m runs 30..40 with 1 GiB and 3 GiB in all: one has to go.  p was used last at 10, q at 20: lru
 * takes p (2 GiB), and so does largest.  q is needed last: belady takes q.  slack is 50 - 2 - (10 +
 * 2) = 36 ms for p, 60 - 1 - (20 + 1) = 38 for q: q. */
START_TEST(test_selections_differ)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("3GiB") SELECTIONS,
                 NODES_HEAD "wp,compute,compute,s,10ms,,p,\nwq,compute,compute,s,10ms,,q,\n"
                            "n1,compute,compute,s,10ms,,,\nm,compute,compute,s,10ms,,,hbm:1GiB\n"
                            "n2,compute,compute,s,10ms,,,\nrp,compute,compute,s,10ms,p,,\n"
                            "rq,compute,compute,s,10ms,q,,\n",
                 OBJECTS("2GiB", "1GiB"));
    ck_assert_double_eq(pinned_gib(&lab, "lru"), 2.0);
    ck_assert_double_eq(pinned_gib(&lab, "largest"), 2.0);
    ck_assert_double_eq(pinned_gib(&lab, "belady"), 1.0);
    ck_assert_double_eq(pinned_gib(&lab, "slack"), 1.0);
    planlab_close(&lab);
}
END_TEST

/* rq runs beside the lane, ready at 60 and of 5 ms, while t goes on to 80: it may start up to 75,
 * so q's slack is 75 - 1 - 21 = 53 ms against 50 - 1 - 11 = 38 for p, whose consumer may not wait:
 * at equal sizes p's would be taken by rank, and q's need not be back by its expected start. */
START_TEST(test_slack_counts_what_the_consumer_could_wait)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("2GiB") SELECTIONS,
                 NODES_HEAD "wp,compute,compute,s,10ms,,p,\nwq,compute,compute,s,10ms,,q,\n"
                            "n1,compute,compute,s,10ms,,,\nm,compute,compute,s,10ms,,,hbm:1GiB\n"
                            "n2,compute,compute,s,10ms,,,\nrp,compute,compute,s,10ms,p,z,\n"
                            "rq,compute,aux,,5ms,q;z,,\nt,compute,compute,s,20ms,,,\n",
                 OBJECTS("1GiB", "1GiB") "z,0B,hbm,hbm\n");
    const struct sl_graph *g = planlab_plan(&lab, "slack");
    ck_assert(planlab_has(g, "offload:q"));
    ck_assert(!planlab_has(g, "offload:p"));
    g = planlab_plan(&lab, "lru");
    ck_assert(planlab_has(g, "offload:p"));
    planlab_close(&lab);
}
END_TEST

/* p is used three times with a run of 1 GiB of workspace between: in 1 GiB it leaves twice.  It is
 * not written in between, and still goes out twice, since its first copy in pinned memory was given
 * back when it returned. */
START_TEST(test_every_gap_counts)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("1GiB") SELECTIONS,
                 NODES_HEAD "w,compute,compute,s,10ms,,p,\nn1,compute,compute,s,10ms,,,\n"
                            "m1,compute,compute,s,10ms,,,hbm:1GiB\nn2,compute,compute,s,10ms,,,\n"
                            "r1,compute,compute,s,10ms,p,,\nn3,compute,compute,s,10ms,,,\n"
                            "m2,compute,compute,s,10ms,,,hbm:1GiB\nn4,compute,compute,s,10ms,,,\n"
                            "r2,compute,compute,s,10ms,p,,\n",
                 "object,size,home,placements\np,1GiB,hbm,hbm;pinned\n");
    const struct sl_graph *g = planlab_plan(&lab, "lru");
    ck_assert_uint_eq(planlab_count(g, "offload:"), 2);
    ck_assert_uint_eq(planlab_count(g, "prefetch:"), 2);
    ck_assert_int_eq(planlab_edge(g, "prefetch:p", "offload:p~2")->type, SL_EDGE_DATA);
    ck_assert_double_eq(pinned_gib(&lab, "belady"), 1.0);
    ck_assert(planlab_warned(&lab, "does-not-fit") == false);
    planlab_plan(&lab, "largest"); /* takes one gap of each object */
    ck_assert(planlab_warned(&lab, "does-not-fit"));
    planlab_close(&lab);
}
END_TEST

/* x is what u made of it: running f again would give what was there before.  So x stays in the gap
 * behind u; in the one before, f is right. */
START_TEST(test_remat_of_what_was_updated)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("1GiB") "policies:\n  - {name: all, action: remat}\n"
                                 "  - {name: lru, action: remat, select: lru}\n",
                 NODES_HEAD "f,compute,compute,s,10ms,,x,\nn1,compute,compute,s,1ms,,,\n"
                            "m1,compute,compute,s,1ms,,,hbm:1GiB\nu,compute,compute,s,10ms,x,x,\n"
                            "n2,compute,compute,s,10ms,,,\nr,compute,compute,s,10ms,x,,\n",
                 "object,size,home,reconstruct,equivalence\nx,1GiB,hbm,f,bitwise\n");
    ck_assert_uint_eq(planlab_count(planlab_plan(&lab, "all"), "remat:"), 0);
    const struct sl_graph *g = planlab_plan(&lab, "lru");
    ck_assert_uint_eq(planlab_count(g, "remat:"), 1);
    ck_assert_int_eq(planlab_edge(g, "remat:f#1", "u")->type, SL_EDGE_DATA);
    planlab_close(&lab);
}
END_TEST

/* ---- factors in planning ------------------------------------------------------------------------
 */

#define LINK_FACTOR(targets)                                                                       \
    "factors: {link: {draw: const(0.125), per: trial, " targets "}}\n"                             \
    "policies:\n  - {name: largest, action: offload, select: largest}\n"

/* p leaves for m, which begins at 20 and wants all memory.  Its 16 GiB are out at 10 + 16 = 26, too
 * late for the plan; at an eighth of the time, at 12. */
static bool is_too_late(const char *policies)
{
    struct planlab lab;
    planlab_open(&lab, policies,
                 NODES_HEAD "w,compute,compute,s,10ms,,p,\nn1,compute,compute,s,10ms,,,\n"
                            "m,compute,compute,s,10ms,,,hbm:16GiB\nn2,compute,compute,s,20ms,,,\n"
                            "r,compute,compute,s,10ms,p,,\n",
                 "object,size,home,placements\np,16GiB,hbm,hbm;pinned\n");
    planlab_plan(&lab, "largest");
    bool late = planlab_warned(&lab, "does-not-fit");
    planlab_close(&lab);
    return late;
}

START_TEST(test_factors_change_expected_moves)
{
    ck_assert(is_too_late(MACHINE("16GiB") LINK_FACTOR("nodes: r")));
    ck_assert(is_too_late(MACHINE("16GiB") LINK_FACTOR("routes: pinned->hbm")));
    ck_assert(!is_too_late(MACHINE("16GiB") LINK_FACTOR("routes: \"*\"")));
    ck_assert(!is_too_late(MACHINE("16GiB") LINK_FACTOR("nodes: \"offload:*\"")));
}
END_TEST

/* Two gaps of 40 ms and 1 GiB: the tie goes to p, the first row, unless its two copies take 8 ms
 * instead of 2: 5 GiB against 20. */
START_TEST(test_factors_change_ranks)
{
    struct planlab lab;
    for (int slow = 0; slow < 2; slow++) {
        planlab_open(&lab,
                     slow ? MACHINE("2GiB") "factors: {p: {draw: const(4), per: trial, nodes: "
                                            "\"*:p\"}}\n"
                                            "policies:\n  - {name: pays, action: offload, select: "
                                            "cost-benefit}\n"
                          : MACHINE("2GiB") "policies:\n  - {name: pays, action: offload, select: "
                                            "cost-benefit}\n",
                     NODES_HEAD
                     "wp,compute,compute,s,10ms,,p,\nwq,compute,compute,s,10ms,,q,\n"
                     "n1,compute,compute,s,10ms,,,\nm,compute,compute,s,10ms,,,hbm:1GiB\n"
                     "n2,compute,compute,s,10ms,,,\nrp,compute,compute,s,10ms,p,,\n"
                     "rq,compute,compute,s,10ms,q,,\n",
                     OBJECTS("1GiB", "1GiB"));
        const struct sl_graph *g = planlab_plan(&lab, "pays");
        ck_assert(planlab_has(g, "offload:p") == !slow);
        ck_assert(planlab_has(g, "offload:q") == slow);
        planlab_close(&lab);
    }
}
END_TEST

/* ---- prefetch window ------------------------------------------------------------------------- */

#define WINDOW                                                                                     \
    "policies:\n"                                                                                  \
    "  - {name: window, action: offload, select: list, objects: p, prefetch: window}\n"            \
    "  - {name: asap, action: offload, select: list, objects: p, prefetch: asap}\n"                \
    "  - {name: demand, action: offload, select: list, objects: p, prefetch: demand}\n"

static int64_t makespan_ms(struct planlab *lab, const char *policy)
{
    struct planlab_run run;
    planlab_plan(lab, policy);
    const struct sl_trial *trial = planlab_trial(lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    int64_t ms = trial->makespan_ps / 1000000000;
    planlab_end(&run);
    return ms;
}

/* p is away from w (0..10) to r and there is room for it from the end of m on, at 40: so it waits
 * for m, comes while n2 runs, and nothing is exposed.  On demand its 1 ms is. */
START_TEST(test_window_waits_for_room)
{
    struct planlab lab;
    char text[128];
    planlab_open(&lab, MACHINE("1GiB") WINDOW,
                 NODES_HEAD "w,compute,compute,s,10ms,,p,\nn1,compute,compute,s,20ms,,,\n"
                            "m,compute,compute,s,10ms,,,hbm:1GiB\nn2,compute,compute,s,10ms,,,\n"
                            "r,compute,compute,s,10ms,p,,\n",
                 "object,size,home,placements\np,1GiB,hbm,hbm;pinned\n");
    ck_assert_str_eq(planlab_trigger(planlab_plan(&lab, "window"), "prefetch:p", text), "m");
    ck_assert_int_eq(makespan_ms(&lab, "window"), 60);
    ck_assert_int_eq(makespan_ms(&lab, "demand"), 61);
    planlab_close(&lab);
}
END_TEST

/* The same on two lanes, and m waits for a slow node: p may not take the gibibyte before m has had
 * it, although everything before m in p's own lane is done.  asap does, and nothing runs any more,
 * since m is before r. */
START_TEST(test_window_waits_for_other_lanes)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(
        &lab, MACHINE("1GiB") WINDOW,
        NODES_HEAD "w,compute,compute,s,10ms,,p,\nslow,compute,aux,a,100ms,,z,\n"
                   "m,compute,aux,a,10ms,,y,hbm:1GiB\nn2,compute,compute,s,10ms,,,\n"
                   "r,compute,compute,s,10ms,p;y,,\n",
        "object,size,home,placements\np,1GiB,hbm,hbm;pinned\nz,0B,hbm,hbm\ny,0B,hbm,hbm\n");
    ck_assert_ptr_nonnull(planlab_edge(planlab_plan(&lab, "window"), "m", "prefetch:p"));
    ck_assert_int_eq(makespan_ms(&lab, "window"), 121);
    planlab_plan(&lab, "asap");
    ck_assert_int_eq(planlab_trial(&lab, &run)->outcome, SL_DEADLOCK);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* ---- reclaim lazy and on-pressure -------------------------------------------------------------
 */

#define RECLAIMS                                                                                   \
    "policies:\n"                                                                                  \
    "  - {name: immediate, action: offload}\n"                                                     \
    "  - {name: lazy, action: offload, reclaim: lazy}\n"                                           \
    "  - {name: half, action: offload, reclaim: {when: on-pressure, threshold: 0.5}}\n"            \
    "  - {name: most, action: offload, reclaim: {when: on-pressure, threshold: 0.7}}\n"            \
    "  - {name: lru, action: offload, select: lru}\n"                                              \
    "  - {name: lazy-lru, action: offload, select: lru, reclaim: lazy}\n"
#define TWO_GAPS                                                                                   \
    NODES_HEAD "wp,compute,compute,s,10ms,,p,\nwq,compute,compute,s,10ms,,q,\n"                    \
               "n1,compute,compute,s,10ms,,,\nm,compute,compute,s,10ms,,,hbm:1GiB\n"               \
               "n2,compute,compute,s,10ms,,,\nrp,compute,compute,s,10ms,p,,\n"                     \
               "rq,compute,compute,s,10ms,q,,\n"

/* p and q are 1 GiB, m needs one more: 3 GiB in all.  In 2 GiB one must go, the one used last
 * at 10. In 3 GiB both may stay; below 1.5 of them (half) none fits beside m, below 2.1 one does.
 */
START_TEST(test_lazy_gives_up_what_is_needed)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("2GiB") RECLAIMS, TWO_GAPS, OBJECTS("1GiB", "1GiB"));
    ck_assert_double_eq(pinned_gib(&lab, "immediate"), 2.0);
    ck_assert_double_eq(pinned_gib(&lab, "lazy"), 1.0);
    ck_assert(planlab_has(lab.plan.graph, "offload:p"));
    ck_assert_uint_eq(lab.plan.retained, 1);
    planlab_close(&lab);
    planlab_open(&lab, MACHINE("3GiB") RECLAIMS, TWO_GAPS, OBJECTS("1GiB", "1GiB"));
    ck_assert_double_eq(pinned_gib(&lab, "lazy"), 0.0);
    ck_assert_double_eq(pinned_gib(&lab, "half"), 2.0);
    ck_assert_double_eq(pinned_gib(&lab, "most"), 1.0);
    planlab_close(&lab);
}
END_TEST

/* With nothing but time to gain: on demand each return is exposed, 1 ms each. */
START_TEST(test_kept_copies_save_their_return)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("2GiB") RECLAIMS, TWO_GAPS, OBJECTS("1GiB", "1GiB"));
    ck_assert_int_eq(makespan_ms(&lab, "immediate"), 72);
    ck_assert_int_eq(makespan_ms(&lab, "lazy"), 71);
    planlab_close(&lab);
}
END_TEST

/* p leaves twice.  Nobody writes it in between: a lazy policy still has its copy in pinned memory.
 * If r1 writes it, the copy is stale and another one goes out. */
START_TEST(test_lazy_keeps_valid_copies)
{
    static const char *const rows[] = {"p,,", "p,p,"};
    for (int written = 0; written < 2; written++) {
        struct planlab lab;
        char nodes[1000];
        snprintf(nodes, sizeof nodes,
                 NODES_HEAD "w,compute,compute,s,10ms,,p,\nn1,compute,compute,s,10ms,,,\n"
                            "m1,compute,compute,s,10ms,,,hbm:1GiB\n"
                            "n2,compute,compute,s,10ms,,,\nr1,compute,compute,s,10ms,%s\n"
                            "n3,compute,compute,s,10ms,,,\nm2,compute,compute,s,10ms,,,hbm:1GiB\n"
                            "n4,compute,compute,s,10ms,,,\nr2,compute,compute,s,10ms,p,,\n",
                 rows[written]);
        planlab_open(&lab, MACHINE("1GiB") RECLAIMS, nodes,
                     "object,size,home,placements\np,1GiB,hbm,hbm;pinned\n");
        const struct sl_graph *g = planlab_plan(&lab, "lazy-lru");
        ck_assert_uint_eq(planlab_count(g, "offload:"), written ? 2 : 1);
        ck_assert_uint_eq(planlab_count(g, "prefetch:"), 2);
        ck_assert_int_eq(makespan_ms(&lab, "lazy-lru"), 92);
        ck_assert_uint_eq(planlab_count(planlab_plan(&lab, "lru"), "offload:"), 2);
        planlab_close(&lab);
    }
}
END_TEST

/* ---- action best ------------------------------------------------------------------------------
 */

#define BEST                                                                                       \
    "policies:\n"                                                                                  \
    "  - {name: best, action: best, prefetch: window}\n"                                           \
    "  - {name: offload, action: offload, select: largest, prefetch: window}\n"                    \
    "  - {name: remat, action: remat, select: largest}\n"
#define SLOWER(hbm)                                                                                \
    "name: best\nnodes: nodes.csv\nobjects: objects.csv\n"                                         \
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"                   \
    "domains: {hbm: {capacity: " hbm ", reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}}\n"   \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 100GiB/s}\n"                            \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 100GiB/s}\n"                            \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"

/* fa 5 ms makes a (2 GiB, copies of 20 ms), fb 50 ms makes b (1 GiB, 10 ms); after 20 ms of n, m
 * has a workspace of 3 GiB for 10 ms, n2 takes 10 more, then ra and rb read: 115 ms if everything
 * stays, for which 6 GiB are needed.  Nothing can come back before m has ended at 85.
 *
 * In 3 GiB both must go.
 *     both moved:       a back at 105, b at 115; ra 105..115, rb ..125
 *     both recomputed:  fa ..100, ra ..110, fb ..160, rb ..170
 *     a recomputed, b moved:  b back at 95; fa ..100, ra ..110, rb ..120
 *     a moved, b recomputed:  ra 105..115, fb ..165, rb ..175
 * In 5 GiB it is enough that b goes: moved, it is back at 95 in no time that shows: 115.  By size a
 * goes first: recomputed, 120.  Moved, it would have to be on its way back while m runs, so b goes
 * as well, and that leaves the room for it: 115, with twice as many moves. */
START_TEST(test_best_mixes)
{
    static const struct {
        const char *yaml;
        int64_t best, offload, remat;
        uint32_t retained, offloaded, rematerialized;
    } cases[] = {{SLOWER("3GiB") BEST, 120, 125, 170, 0, 1, 1},
                 {SLOWER("5GiB") BEST, 115, 115, 120, 1, 1, 0},
                 {SLOWER("6GiB") BEST, 115, 115, 115, 2, 0, 0}};
    struct planlab lab;
    planlab_open(&lab, cases[_i].yaml,
                 NODES_HEAD "fa,compute,compute,s,5ms,,a,\nfb,compute,compute,s,50ms,,b,\n"
                            "n,compute,compute,s,20ms,,,\nm,compute,compute,s,10ms,,,hbm:3GiB\n"
                            "n2,compute,compute,s,10ms,,,\nra,compute,compute,s,10ms,a,,\n"
                            "rb,compute,compute,s,10ms,b,,\n",
                 "object,size,home,placements,reconstruct,equivalence\n"
                 "a,2GiB,hbm,hbm;pinned,fa,bitwise\nb,1GiB,hbm,hbm;pinned,fb,bitwise\n");
    ck_assert_int_eq(makespan_ms(&lab, "best"), cases[_i].best);
    ck_assert_uint_eq(lab.plan.retained, cases[_i].retained);
    ck_assert_uint_eq(lab.plan.offloaded, cases[_i].offloaded);
    ck_assert_uint_eq(lab.plan.rematerialized, cases[_i].rematerialized);
    ck_assert_int_eq(makespan_ms(&lab, "offload"), cases[_i].offload);
    ck_assert_int_eq(makespan_ms(&lab, "remat"), cases[_i].remat);
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("policy-parts");
    TCase *tc = tcase_create("parts");
    tcase_add_test(tc, test_selections_differ);
    tcase_add_test(tc, test_slack_counts_what_the_consumer_could_wait);
    tcase_add_test(tc, test_every_gap_counts);
    tcase_add_test(tc, test_remat_of_what_was_updated);
    tcase_add_test(tc, test_factors_change_expected_moves);
    tcase_add_test(tc, test_factors_change_ranks);
    tcase_add_test(tc, test_window_waits_for_room);
    tcase_add_test(tc, test_window_waits_for_other_lanes);
    tcase_add_test(tc, test_lazy_gives_up_what_is_needed);
    tcase_add_test(tc, test_kept_copies_save_their_return);
    tcase_add_test(tc, test_lazy_keeps_valid_copies);
    tcase_add_loop_test(tc, test_best_mixes, 0, 3);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
