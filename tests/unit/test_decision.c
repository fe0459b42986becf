/* Plans in which one decision of a policy differs.
 *
 * One lane: wp and wq write p and q, m needs all memory but one gibibyte, rp and rq read them
 * again. One of p and q has to leave; `largest` takes p. */
#include <config.h>

#include "decision.h"
#include "planlab.h"

static const char yaml[] =
    "name: decision\nnodes: nodes.csv\nobjects: objects.csv\n"
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
    "domains: {hbm: {capacity: 3GiB, reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}, host: "
    "{capacity: 64GiB, reserve: 0B}}\n"
    "routes:\n"
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1000GiB/s}\n"
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 1000GiB/s}\n"
    "  - {from: hbm, to: host, resource: d2h, bandwidth: 500GiB/s}\n"
    "  - {from: host, to: hbm, resource: h2d, bandwidth: 500GiB/s}\n"
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
    "policies:\n"
    "  - {name: keep, action: retain}\n"
    "  - {name: largest, action: offload, select: largest, prefetch: jit}\n"
    "  - name: mixed\n    action: retain\n    rules:\n"
    "      - {objects: q, action: offload, prefetch: {when: lookahead, lookahead: 2}}\n";

static const char nodes[] = "node,kind,resource,lane,duration,inputs,outputs,workspace\n"
                            "wp,compute,compute,s,10ms,,p,\nwq,compute,compute,s,10ms,,q,\n"
                            "n1,compute,compute,s,10ms,,,\nm,compute,compute,s,10ms,,,hbm:1GiB\n"
                            "n2,compute,compute,s,10ms,,,\nrp,compute,compute,s,10ms,p,,\n"
                            "rq,compute,compute,s,10ms,q,,\n";

static const char objects[] = "object,size,home,placements,reconstruct,equivalence\n"
                              "p,2GiB,hbm,hbm;pinned;host,,\nq,1GiB,hbm,hbm,wq,bitwise\n";

static struct sl_decision *decide(struct planlab *lab, const char *policy)
{
    struct sl_decision *decision;
    enum sl_status status =
        sl_decision_make(&decision, &lab->scenario, sl_scenario_policy(&lab->scenario, policy),
                         &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    ck_assert_uint_eq(sl_decision_gap_count(decision), 2);
    return decision;
}

static const struct sl_graph *plan(struct planlab *lab, const struct sl_decision *decision,
                                   uint32_t gap, const char *action, uint32_t refuge)
{
    sl_plan_free(&lab->plan);
    enum sl_status status =
        sl_decision_plan(decision, gap, action, refuge, &lab->plan, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    planlab_check(&lab->plan);
    return lab->plan.graph;
}

/* The gap of p goes from wp, done at 10 ms, to rp, which begins at 50.  That q is dropped too does
 * not make p stay, although then it would fit. */
START_TEST(test_other_choices_stay)
{
    struct planlab lab;
    planlab_open(&lab, yaml, nodes, objects);
    struct sl_decision *decision = decide(&lab, "largest");
    struct sl_decided_gap p = sl_decision_gap(decision, 0), q = sl_decision_gap(decision, 1);
    ck_assert_str_eq(lab.scenario.graph->nodes[p.before].name, "wp");
    ck_assert_str_eq(lab.scenario.graph->nodes[p.after].name, "rp");
    ck_assert_double_eq(p.length_ps, 40e9);
    ck_assert_uint_eq(p.number, 1);
    ck_assert_uint_eq(p.gaps, 1);
    ck_assert_str_eq(p.action, "offload");
    ck_assert_str_eq(p.timing, "jit");
    ck_assert_str_eq(q.action, "retain");
    ck_assert_ptr_nonnull(sl_decision_obstacle(decision, 0, "remat"));
    ck_assert_ptr_null(sl_decision_obstacle(decision, 0, "offload"));
    ck_assert_ptr_nonnull(sl_decision_obstacle(decision, 1, "offload"));
    ck_assert_ptr_null(sl_decision_obstacle(decision, 1, "remat"));
    ck_assert_ptr_null(sl_decision_obstacle(decision, 1, "retain"));
    const struct sl_graph *g = plan(&lab, decision, SL_NONE, NULL, SL_NONE);
    ck_assert(planlab_has(g, "offload:p") && !planlab_has(g, "remat:wq#1"));
    g = plan(&lab, decision, 1, "remat", SL_NONE);
    ck_assert(planlab_has(g, "offload:p") && planlab_has(g, "remat:wq#1"));
    g = plan(&lab, decision, 0, "retain", SL_NONE);
    ck_assert(!planlab_has(g, "offload:p") && !planlab_has(g, "remat:wq#1"));
    g = plan(&lab, decision, SL_NONE, NULL, SL_NONE);
    ck_assert(planlab_has(g, "offload:p"));
    sl_decision_free(decision);
    planlab_close(&lab);
}
END_TEST

/* Where its own rule moves nothing, a copy comes back as the first rule that does says. */
START_TEST(test_timing)
{
    struct planlab lab;
    planlab_open(&lab, yaml, nodes, objects);
    struct sl_decision *decision = decide(&lab, "keep");
    ck_assert_str_eq(sl_decision_gap(decision, 0).action, "retain");
    ck_assert_str_eq(sl_decision_gap(decision, 0).timing, "demand");
    ck_assert(planlab_has(plan(&lab, decision, 0, "offload", SL_NONE), "prefetch:p"));
    sl_decision_free(decision);
    decision = decide(&lab, "mixed");
    ck_assert_str_eq(sl_decision_gap(decision, 0).timing, "lookahead");
    sl_decision_free(decision);
    planlab_close(&lab);
}
END_TEST

/* q may lie at home alone; p in host memory as well as in pinned. */
START_TEST(test_refuges)
{
    struct planlab lab;
    uint32_t domains[4], count;
    planlab_open(&lab, yaml, nodes, objects);
    struct sl_decision *decision = decide(&lab, "largest");
    const struct sl_names *names = &lab.scenario.platform.domain_names;
    uint32_t host = sl_names_find(names, "host");
    ck_assert_uint_eq(sl_decision_gap(decision, 0).refuge, sl_names_find(names, "pinned"));
    ck_assert_uint_eq(sl_decision_gap(decision, 1).refuge, SL_NONE);
    ck_assert_int_eq(sl_decision_refuges(decision, 0, domains, 4, &count, &lab.err), SL_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(domains[0], host);
    ck_assert_int_eq(sl_decision_refuges(decision, 0, domains, 0, &count, &lab.err), SL_OK);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(sl_decision_refuges(decision, 1, domains, 4, &count, &lab.err), SL_OK);
    ck_assert_uint_eq(count, 0);
    const struct sl_graph *g = plan(&lab, decision, 0, "offload", host);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "offload:p")].to, host);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "prefetch:p")].from, host);
    g = plan(&lab, decision, SL_NONE, NULL, SL_NONE);
    ck_assert_uint_ne(g->nodes[planlab_node(g, "offload:p")].to, host);
    sl_decision_free(decision);
    planlab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decision");
    TCase *tc = tcase_create("decision");
    tcase_add_test(tc, test_other_choices_stay);
    tcase_add_test(tc, test_timing);
    tcase_add_test(tc, test_refuges);
    suite_add_tcase(suite, tc);
    return sl_test_run(suite);
}
