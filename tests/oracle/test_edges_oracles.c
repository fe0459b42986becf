/* Edges that a scenario states, barriers and aliases: timelines computed by hand, from the tables
 * of a scenario to a trial.  The equation stands above each case. */
#include "config.h"

#include "by_hand.h"

/* Every resource is unlimited; hbm has 10 bytes. */
static const char yaml[] = "name: edges\n"
                           "resources: {r: {servers: unlimited}}\n"
                           "domains: {hbm: {capacity: 10B, reserve: 0B}}\n";

static void run_tables(const char *nodes, const char *objects, const char *edges)
{
    timeline_run(yaml, nodes, objects, edges, NULL);
    ck_assert_int_eq(t->outcome, SL_DONE);
}

/* A stated capacity-wait is a condition like others, under its own cause: c starts at p's finish,
 * 5us, and with a lag at 7us, of which 2us are a link of their own, `lag`. */
START_TEST(capacity_wait)
{
    run_tables("node,kind,resource,duration\np,compute,r,5us\nc,compute,r,2us\nd,compute,r,3us\n",
               NULL, "from,to,type,lag\np,c,capacity-wait,\np,d,capacity-wait,2us\n");
    starts("c", 5);
    cause("c", SL_CAUSE_CAPACITY, "p");
    starts("d", 7);
    cause("d", SL_CAUSE_CAPACITY, "p");
    ck_assert_int_eq(t->lag_ps[node("d")], 2 * US);
    struct sl_link links[8];
    ck_assert_uint_eq(sl_trial_chain(run.program, t, links, 8), 3);
    ck_assert(links[1].waiting && links[1].cause == SL_CAUSE_LAG);
    ck_assert_int_eq(links[1].begin_ps, 5 * US);
    ck_assert_int_eq(links[2].end_ps, 10 * US);
}
END_TEST

/* x does not use B (8 bytes); its edge to the reclamation holds them until 7us all the same, when
 * `next` finds room for 8 bytes of 10. */
START_TEST(lifetime_hold_to_a_reclamation)
{
    run_tables("node,kind,resource,duration,inputs,outputs,object\n"
               "use,compute,r,2us,,B,\n"
               "x,compute,r,7us,,,\n"
               "free,reclamation,,,,,B\n"
               "next,compute,r,1us,,C,\n",
               "object,size\nB,8B\nC,8B\n",
               "from,to,type,object\nuse,free,lifetime-hold,B\nx,free,lifetime-hold,B\n");
    starts("free", 7);
    cause("free", SL_CAUSE_LIFETIME, "x");
    starts("next", 7);
    cause("next", SL_CAUSE_CAPACITY, "free");
}
END_TEST

/* Written by w (0 to 1), last read by r (1 to 2); the edge x -> y holds B until y's finish at 7us,
 * although neither uses it.  Where the reader comes last (r: 1 to 9) it decides. */
START_TEST(lifetime_hold_to_any_node)
{
    static const char *const tables[] = {"node,kind,resource,duration,inputs,outputs,release\n"
                                         "w,compute,r,1us,,B,\nr,compute,r,1us,B,,\n"
                                         "x,compute,r,3us,,,\ny,compute,r,4us,,,\n"
                                         "next,compute,r,1us,,C,1us\n",
                                         "node,kind,resource,duration,inputs,outputs,release\n"
                                         "w,compute,r,1us,,B,\nr,compute,r,8us,B,,\n"
                                         "x,compute,r,3us,,,\ny,compute,r,4us,,,\n"
                                         "next,compute,r,1us,,C,1us\n"};
    run_tables(tables[_i], "object,size\nB,8B\nC,8B\n",
               "from,to,type,object\nx,y,lifetime-hold,B\n");
    starts("y", 3);
    cause("y", SL_CAUSE_LIFETIME, "x");
    starts("next", _i ? 9 : 7);
    ck_assert_int_eq(t->cause[node("next")], SL_CAUSE_CAPACITY);
}
END_TEST

/* Two holds between the same nodes: B (4 bytes) and C (4) both stay until 7us; without the second
 * one, next (6 bytes) would start at 2us, beside 4. */
START_TEST(lifetime_holds_of_several_objects)
{
    run_tables("node,kind,resource,duration,inputs,outputs,release\n"
               "w,compute,r,1us,,B;C,\nr,compute,r,1us,B;C,,\n"
               "x,compute,r,3us,,,\ny,compute,r,4us,,,\nnext,compute,r,1us,,D,1us\n",
               "object,size\nB,4B\nC,4B\nD,6B\n",
               "from,to,type,object\nx,y,lifetime-hold,B\nx,y,lifetime-hold,C\n");
    starts("next", 7);
}
END_TEST

/* A policy does not move a held object away: B is used at 0 and from 30us on; free to go it leaves
 * hbm after its writer and is back later; held until y's finish (20us) it stays for all that time,
 * and the gap that is left, from y to r, is the one that is offloaded. */
START_TEST(offload_respects_a_hold)
{
    static const char policies[] =
        "name: holds\n"
        "resources: {r: {servers: 1}, link: {servers: 1}}\n"
        "domains: {hbm: {capacity: 10B, reserve: 0B}, host: {capacity: 10B, reserve: 0B}}\n"
        "routes:\n"
        "  - {from: hbm, to: host, resource: link, bandwidth: 8MB/s}\n"
        "  - {from: host, to: hbm, resource: link, bandwidth: 8MB/s}\n"
        "policies: [{name: out, action: offload, select: all}]\n";
    planlab_open_tables(&lab, policies,
                        "node,kind,resource,duration,inputs,outputs,lane\n"
                        "w,compute,r,1us,,B,s\nx,compute,r,9us,,,s\ny,compute,r,10us,,,s\n"
                        "z,compute,r,10us,,,s\nr,compute,r,1us,B,,s\n",
                        "object,size,home\nB,8B,hbm\n",
                        _i ? "from,to,type,object\nx,y,lifetime-hold,B\n" : NULL, NULL);
    graph = planlab_plan(&lab, "out");
    run = (struct planlab_run){0};
    t = planlab_trial(&lab, &run);
    ck_assert_uint_eq(planlab_count(graph, "offload:B"), 1);
    /* 8 bytes at 8 MB/s: out from 1 to 2us, so that B is held for 2us; else for 20us.  It comes
     * back when its consumer could start but for it, at 30us, for 1us, and is read for another. */
    ck_assert_double_eq_tol(t->pressure_byte_s[0], 8e-6 * ((_i ? 20 : 2) + 2), 1e-12);
}
END_TEST

/* All come in (3, 5, 7us), all go out at once: at 7us, because of the last. */
START_TEST(barrier_is_a_rendezvous)
{
    run_tables("node,kind,resource,duration\n"
               "a,compute,r,3us\nb,compute,r,7us\nc,compute,r,5us\nmeet,barrier,,\n"
               "d,compute,r,1us\ne,compute,r,2us\n",
               NULL,
               "from,to,type\na,meet,barrier\nb,meet,barrier\nc,meet,barrier\n"
               "meet,d,\nmeet,e,barrier\n");
    starts("meet", 7);
    cause("meet", SL_CAUSE_BARRIER, "b");
    ck_assert_int_eq(t->finish_ps[node("meet")], 7 * US);
    starts("d", 7);
    cause("d", SL_CAUSE_BARRIER, "meet");
    starts("e", 7);
    cause("e", SL_CAUSE_BARRIER, "meet");
}
END_TEST

/* V is another name of B: 8 bytes once, through both names at once too; alive until the reader
 * through V is done at 6us, though the root's own reader ended at 2us. */
START_TEST(alias_shares_bytes_and_life)
{
    run_tables("node,kind,resource,duration,inputs,outputs,release\n"
               "w,compute,r,1us,,B,\nr,compute,r,1us,B,,\nv,compute,r,5us,V;B,,\n"
               "next,compute,r,1us,,C,1us\n",
               "object,size,alias_of\nB,8B,\nV,8B,B\nC,8B,\n", NULL);
    starts("v", 1);
    cause("v", SL_CAUSE_DATA, "w");
    starts("next", 6);
    ck_assert_int_eq(t->peak_bytes[0], 8);
}
END_TEST

/* Written through the alias, read through the root: a data edge all the same. */
START_TEST(alias_carries_the_root_value)
{
    run_tables("node,kind,resource,duration,inputs,outputs\n"
               "w,compute,r,4us,,V\nr,compute,r,1us,B,\n",
               "object,size,alias_of\nB,8B,\nV,8B,B\n", NULL);
    starts("r", 4);
    cause("r", SL_CAUSE_DATA, "w");
}
END_TEST

/* A hold that names the alias holds the root's bytes. */
START_TEST(a_hold_of_an_alias)
{
    run_tables("node,kind,resource,duration,inputs,outputs,release\n"
               "w,compute,r,1us,,B,\nx,compute,r,3us,,,\ny,compute,r,4us,,,\n"
               "next,compute,r,1us,,C,1us\n",
               "object,size,alias_of\nB,8B,\nV,8B,B\nC,8B,\n",
               "from,to,type,object\nx,y,lifetime-hold,V\n");
    starts("next", 7);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("edges_oracles");
    TCase *c = tcase_create("edges");
    tcase_add_checked_fixture(c, NULL, timeline_close);
    tcase_add_test(c, capacity_wait);
    tcase_add_test(c, lifetime_hold_to_a_reclamation);
    tcase_add_loop_test(c, lifetime_hold_to_any_node, 0, 2);
    tcase_add_test(c, lifetime_holds_of_several_objects);
    tcase_add_loop_test(c, offload_respects_a_hold, 0, 2);
    tcase_add_test(c, barrier_is_a_rendezvous);
    tcase_add_test(c, alias_shares_bytes_and_life);
    tcase_add_test(c, alias_carries_the_root_value);
    tcase_add_test(c, a_hold_of_an_alias);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
