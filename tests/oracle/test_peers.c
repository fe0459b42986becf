/* Two GPUs: objects that lie on the other one while they are not needed.
 *
 * Each GPU makes two objects of 1 GiB in 10 ms, works for 400 ms, half of it with workspace, and
 * uses both for 10 ms.  Copies of 1 GiB take 10 ms to a peer, 40 ms to the host and 50 ms back. */
#include <config.h>

#include "planlab.h"

#define MS  INT64_C(1000000000)
#define GIB (INT64_C(1) << 30)
#define HEAD                                                                                       \
    "name: peers\nnodes: nodes.csv\nobjects: objects.csv\n"                                        \
    "resources: {compute0: {servers: 1}, compute1: {servers: 1}, p2p01: {servers: 1}, p2p10: "     \
    "{servers: 1}, d2h0: {servers: 1}, d2h1: {servers: 1}, h2d0: {servers: 1}, h2d1: {servers: "   \
    "1}}\n"                                                                                        \
    "domains: {hbm0: {capacity: 3GiB, reserve: 0B}, hbm1: {capacity: 3GiB, reserve: 0B}, host: "   \
    "{capacity: 64GiB, reserve: 0B}}\n"                                                            \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\nroutes:\n"                     \
    "  - {from: hbm0, to: host, resource: d2h0, bandwidth: 25GiB/s}\n"                             \
    "  - {from: hbm1, to: host, resource: d2h1, bandwidth: 25GiB/s}\n"                             \
    "  - {from: host, to: hbm0, resource: h2d0, bandwidth: 20GiB/s}\n"                             \
    "  - {from: host, to: hbm1, resource: h2d1, bandwidth: 20GiB/s}\n"
#define P2P                                                                                        \
    "  - {from: hbm0, to: hbm1, resource: p2p01, bandwidth: 100GiB/s}\n"                           \
    "  - {from: hbm1, to: hbm0, resource: p2p10, bandwidth: 100GiB/s}\n"
#define POLICIES                                                                                   \
    "policies:\n  - {name: retain, action: retain}\n"                                              \
    "  - {name: placements, action: offload, objects: a1}\n"                                       \
    "  - {name: peer, action: {how: offload, to: hbm1}, objects: a1}\n"                            \
    "  - {name: host, action: {how: offload, to: host}, objects: a1}\n"                            \
    "  - {name: nowhere, action: {how: offload, to: hbm0}, objects: b1}\n"                         \
    "  - {name: ranked, action: offload, select: largest}\n"                                       \
    "  - {name: walked, action: offload, select: belady}\n"
#define NODES(work0, work1)                                                                        \
    "node,kind,resource,lane,duration,inputs,outputs,workspace\n"                                  \
    "make0,compute,compute0,s0,10ms,,a1;a2,\nmake1,compute,compute1,s1,10ms,,b1;b2,\n"             \
    "before0,compute,compute0,s0,100ms,,,\nbefore1,compute,compute1,s1,100ms,,,\n"                 \
    "work0,compute,compute0,s0,200ms,,,hbm0:" work0 "\n"                                           \
    "work1,compute,compute1,s1,200ms,,,hbm1:" work1 "\n"                                           \
    "after0,compute,compute0,s0,100ms,,,\nafter1,compute,compute1,s1,100ms,,,\n"                   \
    "use0,compute,compute0,s0,10ms,a1;a2,,\nuse1,compute,compute1,s1,10ms,b1;b2,,\n"
#define OBJECTS(a, b)                                                                              \
    "object,size,home,placements\na1,1GiB,hbm0," a "\na2,1GiB,hbm0," a "\nb1,1GiB,hbm1," b         \
    "\nb2,1GiB,hbm1," b "\n"

static int64_t makespan(const char *routes, const char *policy, uint32_t hops)
{
    struct planlab lab;
    struct planlab_run run;
    char yaml[4000];
    snprintf(yaml, sizeof yaml, "%s%s%s", HEAD, routes, POLICIES);
    planlab_open(&lab, yaml, NODES("1GiB", "0B"), OBJECTS("hbm0;hbm1;host", "hbm1;host"));
    ck_assert_uint_eq(planlab_count(planlab_plan(&lab, policy), "prefetch:"), hops);
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    int64_t result = trial->makespan_ps;
    planlab_end(&run);
    planlab_close(&lab);
    return result;
}

/* On demand the way back is exposed in full: 10 ms from the peer, 50 from the host, 40 + 50 from a
 * peer that only the host joins with. */
START_TEST(test_where_it_lies)
{
    ck_assert_int_eq(makespan(P2P, "placements", 1), (420 + 10) * MS);
    ck_assert_int_eq(makespan(P2P, "peer", 1), (420 + 10) * MS);
    ck_assert_int_eq(makespan(P2P, "host", 1), (420 + 50) * MS);
    ck_assert_int_eq(makespan("", "placements", 2), (420 + 90) * MS);
    ck_assert_int_eq(makespan("", "host", 1), (420 + 50) * MS);
    ck_assert_int_eq(makespan(P2P, "retain", 0), 420 * MS);
}
END_TEST

START_TEST(test_placements_bind)
{
    struct planlab lab;
    planlab_open(&lab, HEAD P2P POLICIES, NODES("1GiB", "0B"),
                 OBJECTS("hbm0;hbm1;host", "hbm1;host"));
    ck_assert_uint_eq(planlab_count(planlab_plan(&lab, "nowhere"), "prefetch:"), 0);
    ck_assert(planlab_warned(&lab, "no-route"));
    planlab_close(&lab);
}
END_TEST

/* The domain in which the move puts the object. */
static uint32_t refuge_of(const struct sl_graph *g, const char *move)
{
    ck_assert_msg(planlab_has(g, move), "no %s", move);
    return g->nodes[planlab_node(g, move)].to;
}

/* GPU 1 needs 4 of 3 GiB, GPU 0 just its 3.  What GPU 1 sends over is too much there, so that
 * something of GPU 0 must go to the host: both homes keep their limits, and one each has gone. */
START_TEST(test_both_homes_fit)
{
    const char *policy = _i ? "walked" : "ranked";
    struct planlab lab;
    struct planlab_run run;
    planlab_open(&lab, HEAD P2P POLICIES, NODES("1GiB", "2GiB"),
                 OBJECTS("hbm0;host", "hbm1;hbm0;host"));
    const struct sl_graph *g = planlab_plan(&lab, policy);
    ck_assert(!planlab_warned(&lab, "does-not-fit"));
    ck_assert_uint_eq(planlab_count(g, "offload:"), 2);
    ck_assert_uint_eq(refuge_of(g, planlab_has(g, "offload:b1") ? "offload:b1" : "offload:b2"), 0);
    ck_assert_uint_eq(refuge_of(g, planlab_has(g, "offload:a1") ? "offload:a1" : "offload:a2"), 2);
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_le(trial->peak_bytes[0], 3 * GIB);
    ck_assert_int_le(trial->peak_bytes[1], 3 * GIB);
    planlab_end(&run);
    planlab_close(&lab);
}
END_TEST

/* Where both need 4 GiB and can only go to each other, the plan says that it does not fit. */
START_TEST(test_no_room_on_either)
{
    struct planlab lab;
    planlab_open(&lab, HEAD P2P POLICIES, NODES("2GiB", "2GiB"), OBJECTS("hbm0;hbm1", "hbm1;hbm0"));
    planlab_plan(&lab, "ranked");
    ck_assert(planlab_warned(&lab, "does-not-fit"));
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("peers");
    TCase *tc = tcase_create("oracle");
    tcase_add_test(tc, test_where_it_lies);
    tcase_add_test(tc, test_placements_bind);
    tcase_add_loop_test(tc, test_both_homes_fit, 0, 2);
    tcase_add_test(tc, test_no_room_on_either);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
