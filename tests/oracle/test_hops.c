/* Moves over several routes: hbm -> pinned -> host -> nvme and back.
 *
 * An object of 1 GiB, bandwidths in GiB/s, so that a hop of bandwidth 1000 / t takes t ms.  Hops
 * follow each other, so a way of hops t1, t2 ... takes t1 + t2 + ..., and streaming L layers over a
 * way with an engine per hop is a pipeline:
 *
 *     makespan = sum of hops + (L - 1) max(c, hops) + c
 */
#include <config.h>

#include "planlab.h"

#define MS INT64_C(1000000000)
#define GAP                                                                                        \
    "node,kind,resource,lane,duration,inputs,outputs\nmake,compute,compute,s,10ms,,x\n"            \
    "work,compute,compute,s,400ms,,y\nuse,compute,compute,s,10ms,x;y,\n"
#define TWO_OBJECTS "object,size,home,placements\nx,1GiB,hbm,hbm;nvme\ny,1GiB,hbm,hbm\n"
#define HEAD(pinned, host)                                                                         \
    "name: hops\nnodes: nodes.csv\nobjects: objects.csv\n"                                         \
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}, cpu: {servers: 1}, " \
    "nvme: {servers: 1}}\n"                                                                        \
    "domains: {hbm: {capacity: 8GiB, reserve: 0B}, pinned: {capacity: " pinned                     \
    ", reserve: 0B}, host: {capacity: " host ", reserve: 0B}, nvme: {capacity: 64GiB, reserve: "   \
    "0B}}\n"                                                                                       \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
#define PCIE                                                                                       \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 100GiB/s}\n" /* 10 ms */                \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 50GiB/s}\n"  /* 20 ms */
#define HOST                                                                                       \
    "  - {from: pinned, to: host, resource: cpu, bandwidth: 25GiB/s}\n" /* 40 ms */                \
    "  - {from: host, to: pinned, resource: cpu, bandwidth: 20GiB/s}\n" /* 50 ms */
#define DISK                                                                                       \
    "  - {from: host, to: nvme, resource: nvme, bandwidth: 10GiB/s}\n" /* 100 ms */                \
    "  - {from: nvme, to: host, resource: nvme, bandwidth: 20GiB/s}\n" /* 50 ms */
#define POLICIES                                                                                   \
    "policies:\n"                                                                                  \
    "  - {name: demand, action: offload, objects: x, select: list, prefetch: demand}\n"            \
    "  - {name: asap, action: offload, prefetch: asap}\n"                                          \
    "  - {name: window, action: offload, prefetch: window}\n"                                      \
    "  - {name: ahead, action: offload, prefetch: {when: lookahead, lookahead: 2}}\n"              \
    "  - {name: jit, action: offload, prefetch: {when: jit, quantile: 0.5}}\n"

static int64_t start_of(const struct sl_graph *g, const struct sl_trial *trial, const char *name)
{
    ck_assert_msg(planlab_has(g, name), "no node %s", name);
    return trial->start_ps[planlab_node(g, name)];
}

/* What the node takes is given back by the other one, and by no one else. */
static void check_held(const struct sl_graph *g, const char *taker, const char *giver)
{
    const struct sl_node *t = &g->nodes[planlab_node(g, taker)];
    const struct sl_node *b = &g->nodes[planlab_node(g, giver)];
    ck_assert_uint_eq(t->takes.count, 1);
    uint32_t holding = g->holdings_pool[t->takes.first];
    bool gives = false;
    for (uint32_t k = 0; k < b->gives.count; k++)
        gives |= g->holdings_pool[b->gives.first + k] == holding;
    ck_assert_msg(gives, "%s does not give back what %s takes", giver, taker);
}

/* 10 ms; out 10 + 40 + 100 beside 400 ms of work; back on demand 50 + 50 + 20; 10 ms. */
START_TEST(test_three_hops)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(&lab, HEAD("4GiB", "4GiB") "routes:\n" PCIE HOST DISK POLICIES, GAP, TWO_OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "demand");
    ck_assert_uint_eq(planlab_count(g, "offload:x@"), 3);
    ck_assert_uint_eq(planlab_count(g, "prefetch:x@"), 3);
    check_held(g, "offload:x@pinned", "offload:x@host");
    check_held(g, "offload:x@host", "offload:x@nvme");
    check_held(g, "offload:x@nvme", "prefetch:x@host");
    check_held(g, "prefetch:x@host", "prefetch:x@pinned");
    check_held(g, "prefetch:x@pinned", "prefetch:x@hbm");
    check_held(g, "make", "offload:x@pinned"); /* home bytes go with the first hop */
    ck_assert_int_eq(planlab_edge(g, "offload:x@pinned", "offload:x@host")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "prefetch:x@hbm", "use")->type, SL_EDGE_DATA);
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(start_of(g, trial, "offload:x@nvme"), (10 + 10 + 40) * MS);
    ck_assert_int_eq(start_of(g, trial, "prefetch:x@host"), 410 * MS);
    ck_assert_int_eq(trial->makespan_ps, (410 + 50 + 50 + 20 + 10) * MS);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* jit: the first hop starts at 410 - 20 - 50 - 50; nothing is exposed. */
START_TEST(test_jit_counts_every_hop)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(&lab, HEAD("4GiB", "4GiB") "routes:\n" PCIE HOST DISK POLICIES, GAP, TWO_OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "jit");
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(start_of(g, trial, "prefetch:x@host"), (410 - 120) * MS);
    ck_assert_int_eq(start_of(g, trial, "prefetch:x@hbm"), (410 - 20) * MS);
    ck_assert_int_eq(trial->makespan_ps, 420 * MS);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* Two that are used at once queue on every engine, the slower hop (50 ms on two of them) twice:
 * the last one's hops begin at 410 - 20, - 70, - 120, those before it 20, 50 and 50 ms earlier, and
 * a hop no later than the one behind it on its way allows. */
START_TEST(test_jit_queues_on_every_engine)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(
        &lab, HEAD("4GiB", "4GiB") "routes:\n" PCIE HOST DISK POLICIES,
        "node,kind,resource,lane,duration,inputs,outputs\nmake,compute,compute,s,10ms,,x;z\n"
        "work,compute,compute,s,800ms,,y\nuse,compute,compute,s,10ms,x;y;z,\n",
        TWO_OBJECTS "z,1GiB,hbm,hbm;nvme\n");
    const struct sl_graph *g = planlab_plan(&lab, "jit");
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(start_of(g, trial, "prefetch:z@host"), (810 - 120) * MS);
    ck_assert_int_eq(start_of(g, trial, "prefetch:x@host"), (810 - 170) * MS);
    ck_assert_int_eq(trial->makespan_ps, 820 * MS);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* Weights begin on the disk; c = 60 and hops of 50, 50 and 20 ms with an engine each. */
START_TEST(test_streaming_from_disk)
{
    enum { LAYERS = 6 };
    static const char *const policies[] = {"asap", "window"};
    char nodes[800] = "node,kind,resource,lane,duration,inputs\n",
         objects[800] = "object,size,home,initial\n";
    static const int compute_ms[] = {60, 30};
    for (int i = 0; i < LAYERS; i++) {
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes),
                 "layer%d,compute,compute,s,%dms,w%d\n", i, compute_ms[_i], i);
        snprintf(objects + strlen(objects), sizeof objects - strlen(objects), "w%d,1GiB,hbm,nvme\n",
                 i);
    }
    int64_t slowest = compute_ms[_i] > 50 ? compute_ms[_i] : 50;
    for (int p = 0; p < 2; p++) {
        struct planlab lab;
        struct planlab_run run;
        planlab_open(&lab, HEAD("8GiB", "8GiB") "routes:\n" PCIE HOST DISK POLICIES, nodes,
                     objects);
        planlab_plan(&lab, policies[p]);
        ck_assert_int_eq(planlab_trial(&lab, &run)->makespan_ps,
                         (50 + 50 + 20 + (LAYERS - 1) * slowest + compute_ms[_i]) * MS);
        planlab_end(&run);
        planlab_close(&lab);
    }
}
END_TEST

/* The cheapest way, not the shortest; of equal ones the one of fewer hops. */
START_TEST(test_cheapest_way)
{
    static const struct {
        const char *direct;
        uint32_t hops;
    } cases[] = {{"6GiB/s", 3}, {"8GiB/s", 1}};
    /* 10 + 40 + 100 ms against 166.7 and 125 ms. */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct planlab lab;
        char yaml[3000];
        snprintf(yaml, sizeof yaml,
                 "%sroutes:\n%s  - {from: hbm, to: nvme, resource: nvme, bandwidth: %s}\n%s",
                 HEAD("4GiB", "4GiB"), PCIE HOST DISK, cases[i].direct, POLICIES);
        planlab_open(&lab, yaml, GAP, TWO_OBJECTS);
        const struct sl_graph *g = planlab_plan(&lab, "demand");
        ck_assert_uint_eq(planlab_count(g, "offload:x"), cases[i].hops);
        ck_assert_uint_eq(planlab_count(g, "prefetch:x"), 3);
        planlab_close(&lab);
    }
}
END_TEST

/* Twice 62.5 ms against 125 ms. */
START_TEST(test_fewer_hops_of_equals)
{
    struct planlab lab;
    planlab_open(
        &lab,
        HEAD("4GiB",
             "4GiB") "routes:\n"
                     "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 16GiB/s}\n"
                     "  - {from: pinned, to: nvme, resource: nvme, bandwidth: 16GiB/s}\n"
                     "  - {from: hbm, to: nvme, resource: nvme, bandwidth: 8GiB/s}\n"
                     "  - {from: nvme, to: hbm, resource: h2d, bandwidth: 8GiB/s}\n" POLICIES,
        GAP, TWO_OBJECTS);
    ck_assert_uint_eq(planlab_count(planlab_plan(&lab, "demand"), "offload:x"), 1);
    planlab_close(&lab);
}
END_TEST

/* The warning names the hop that is missing, or what is too small on the way. */
START_TEST(test_missing_hop)
{
    static const struct {
        const char *pinned, *routes, *says;
    } cases[] = {
        {"4GiB", PCIE DISK, "to 'nvme' it lacks a route from one of 'hbm', 'pinned'"},
        {"4GiB", PCIE HOST "  - {from: host, to: nvme, resource: nvme, bandwidth: 1GiB/s}\n",
         "back from 'nvme' it lacks a route to one of 'hbm', 'pinned', 'host'"},
        {"512MiB", PCIE HOST DISK, "it fits into no domain on the way"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct planlab lab;
        char yaml[3000];
        bool small = strcmp(cases[i].pinned, "4GiB") != 0, found = false;
        snprintf(yaml, sizeof yaml, "%sroutes:\n%s%s",
                 small ? HEAD("512MiB", "4GiB") : HEAD("4GiB", "4GiB"), cases[i].routes, POLICIES);
        planlab_open(&lab, yaml, GAP, TWO_OBJECTS);
        const struct sl_graph *g = planlab_plan(&lab, "demand");
        ck_assert_uint_eq(planlab_count(g, "offload:"), 0);
        for (size_t k = 0; k < lab.diags.count; k++)
            found |= strcmp(lab.diags.items[k].code, "no-route") == 0 &&
                     strstr(lab.diags.items[k].message, cases[i].says) != NULL;
        ck_assert_msg(found, "case %zu", i);
        planlab_close(&lab);
    }
}
END_TEST

/* Copies on the way count where they pass: two of 1 GiB on their way through 1 GiB at once are
 * foreseen, and the run makes them wait. */
START_TEST(test_passage_is_projected)
{
    struct planlab lab;
    struct planlab_run run;
    planlab_open(
        &lab, HEAD("1GiB", "8GiB") "routes:\n" PCIE HOST DISK POLICIES,
        "node,kind,resource,lane,duration,inputs,outputs\nmake,compute,compute,s,10ms,,x;z\n"
        "work,compute,compute,s,400ms,,y\nuse,compute,compute,s,10ms,x;y;z,\n",
        TWO_OBJECTS "z,1GiB,hbm,hbm;nvme\n");
    planlab_plan(&lab, "ahead");
    ck_assert(planlab_warned(&lab, "does-not-fit"));
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->peak_bytes[1], INT64_C(1) << 30);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("hops");
    TCase *tc = tcase_create("oracle");
    tcase_add_test(tc, test_three_hops);
    tcase_add_test(tc, test_jit_counts_every_hop);
    tcase_add_test(tc, test_jit_queues_on_every_engine);
    tcase_add_loop_test(tc, test_streaming_from_disk, 0, 2);
    tcase_add_test(tc, test_cheapest_way);
    tcase_add_test(tc, test_fewer_hops_of_equals);
    tcase_add_test(tc, test_missing_hop);
    tcase_add_test(tc, test_passage_is_projected);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
