/* Plans: structure, bookkeeping, and choices that a hand computation gives.
 *
 * The chain: f_i 10 ms, b_i 20 ms in one lane, a_i written by f_i, read by f_(i+1) and b_i.  At
 * means
 *
 *     f0 0..10  f1 ..20  f2 ..30  f3 ..40  b3 ..60  b2 ..80  b1 ..100  b0 ..120
 *
 * so the gaps are a0 f1..b0 (80 ms), a1 f2..b1 (50), a2 f3..b2 (20); a3 has none.  Copies take 10
 * ms per GiB each way. */
#include <config.h>

#include "planlab.h"

#define NODES                                                                                      \
    "node,kind,resource,lane,duration,inputs,outputs\n"                                            \
    "f0,compute,compute,step,10ms,,a0\nf1,compute,compute,step,10ms,a0,a1\n"                       \
    "f2,compute,compute,step,10ms,a1,a2\nf3,compute,compute,step,10ms,a2,a3\n"                     \
    "b3,compute,compute,step,20ms,a3,\nb2,compute,compute,step,20ms,a2,\n"                         \
    "b1,compute,compute,step,20ms,a1,\nb0,compute,compute,step,20ms,a0,\n"
#define OBJECTS_HEAD "object,size,home,placements,reconstruct,equivalence\n"
#define OBJECTS                                                                                    \
    OBJECTS_HEAD "a0,1GiB,hbm,hbm;pinned,f0,bitwise\na1,1GiB,hbm,hbm;pinned,f1,bitwise\n"          \
                 "a2,1GiB,hbm,hbm;pinned,f2,bitwise\na3,1GiB,hbm,hbm;pinned,f3,bitwise\n"
#define MACHINE(hbm, bandwidth)                                                                    \
    "name: chain\nnodes: nodes.csv\nobjects: objects.csv\n"                                        \
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"                   \
    "domains: {hbm: {" hbm "reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}}\n"               \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: " bandwidth "}\n"                       \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: " bandwidth "}\n"                       \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
#define FAST "100GiB/s"

START_TEST(test_retain_gives_back_at_last_reader)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("capacity: 8GiB, ", FAST) "policies: [{name: p, action: retain}]\n",
                 NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_uint_eq(g->node_count, 8);
    ck_assert_uint_eq(g->holding_count, 4);
    ck_assert_uint_eq(lab.plan.retained, 3);
    /* Data flow that the tables left out: f0 -> f1 -> f2 -> f3, f_i -> b_i. */
    ck_assert_uint_eq(g->edge_count, 7);
    ck_assert_int_eq(planlab_edge(g, "f2", "b2")->type, SL_EDGE_DATA);
    ck_assert_uint_eq(lab.plan.edit_count, 7);
    /* a0 is taken by f0 and given back by b0, its last reader in the lane. */
    ck_assert_uint_eq(g->nodes[planlab_node(g, "f0")].takes.count, 1);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "b0")].gives.count, 1);
    ck_assert_uint_eq(g->holdings_pool[g->nodes[planlab_node(g, "f0")].takes.first],
                      g->holdings_pool[g->nodes[planlab_node(g, "b0")].gives.first]);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "f1")].gives.count, 0);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_offload_structure)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ", FAST) "policies: [{name: p, action: offload, select: "
                                                   "list, objects: a0, prefetch: asap}]\n",
                 NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_uint_eq(lab.plan.offloaded, 1);
    ck_assert_uint_eq(g->node_count, 11); /* the copy out, the copy back, a reclamation between */
    const struct sl_node *out = &g->nodes[planlab_node(g, "offload:a0")];
    ck_assert_int_eq(out->kind, SL_OFFLOAD);
    ck_assert_double_eq_tol(sl_node_mean_hold(g, (sl_node_id){planlab_node(g, "offload:a0")}), 10e9,
                            1.0);
    ck_assert_int_eq(planlab_edge(g, "f0", "offload:a0")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "offload:a0", "reclaim:a0@hbm#1")->type, SL_EDGE_LIFETIME);
    ck_assert_int_eq(planlab_edge(g, "f1", "reclaim:a0@hbm#1")->type, SL_EDGE_LIFETIME);
    ck_assert_int_eq(planlab_edge(g, "reclaim:a0@hbm#1", "prefetch:a0")->type, SL_EDGE_STORAGE);
    ck_assert_int_eq(planlab_edge(g, "offload:a0", "prefetch:a0")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "prefetch:a0", "b0")->type, SL_EDGE_DATA);
    char text[128];
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "");
    ck_assert_uint_eq(g->nodes[planlab_node(g, "prefetch:a0")].gives.count, 1); /* pinned's copy */
    /* Rows keep their order. */
    ck_assert_uint_lt(planlab_node(g, "f0"), planlab_node(g, "f1"));
    ck_assert_uint_lt(planlab_node(g, "b1"), planlab_node(g, "b0"));
    planlab_close(&lab);
}
END_TEST

/* Names of the offloaded objects, in row order. */
static const char *offloaded(const struct sl_graph *g, char text[128])
{
    text[0] = '\0';
    for (uint32_t o = 0; o < g->object_count; o++) {
        char name[64];
        snprintf(name, sizeof name, "prefetch:%s", g->objects[o].name);
        if (planlab_has(g, name))
            snprintf(text + strlen(text), 128 - strlen(text), "%s ", g->objects[o].name);
    }
    return text;
}

#define RANKED                                                                                     \
    "policies:\n"                                                                                  \
    "  - {name: largest, action: offload, select: largest}\n"                                      \
    "  - {name: belady, action: offload, select: belady}\n"                                        \
    "  - {name: cost, action: offload, select: cost-benefit}\n"                                    \
    "  - {name: room, action: offload, select: {how: belady, headroom: 1GiB}}\n"                   \
    "  - {name: none, action: offload, select: none}\n"                                            \
    "  - {name: all, action: offload, select: all}\n"

/* Static peak 4 GiB.  a0 is away from f2 (its copy out takes 10..20) until b1 (needed from 90 on);
 * a1 from f3 (20..30) until b2.  So one of them brings the peak to 3, both to 2. */
START_TEST(test_ranked_selection_equal_sizes)
{
    struct planlab lab;
    char text[128];
    planlab_open(&lab, MACHINE("capacity: 3GiB, ", FAST) RANKED, NODES, OBJECTS);
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "largest"), text), "a0 ");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "belady"), text), "a0 ");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "cost"), text), "a0 ");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "room"), text), "a0 a1 ");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "none"), text), "");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "all"), text), "a0 a1 a2 ");
    ck_assert(!planlab_warned(&lab, "does-not-fit"));
    planlab_close(&lab);
    planlab_open(&lab, MACHINE("capacity: 4GiB, ", FAST) RANKED, NODES, OBJECTS);
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "largest"), text), "");
    ck_assert_uint_eq(lab.plan.retained, 3);
    planlab_close(&lab);
    planlab_open(&lab, MACHINE("capacity: 2GiB, ", FAST) RANKED, NODES, OBJECTS);
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "largest"), text), "a0 a1 ");
    ck_assert(!planlab_warned(&lab, "does-not-fit"));
    /* 1 GiB cannot be reached; a2, whose copies take its whole gap, would not help. */
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "room"), text), "a0 a1 ");
    ck_assert(planlab_warned(&lab, "does-not-fit"));
    planlab_close(&lab);
    planlab_open(&lab, MACHINE("", FAST) RANKED, NODES, OBJECTS);
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "largest"), text), "");
    ck_assert(planlab_warned(&lab, "no-capacity"));
    planlab_close(&lab);
}
END_TEST

/* a2 has 2 GiB: static peak 5 GiB at f3.  Its copies take 20 ms each way, out until 50, back from
 * 40 on: it never leaves.  So `largest` needs a0 behind it, and the others take a0 at once
 * (cost-benefit in GiB ms / ms: a0 80/20 = 4, a1 50/20 = 2.5, a2 2 x 20/(40 + 20) = 0.67). */
START_TEST(test_ranked_selection_sizes)
{
    struct planlab lab;
    char text[128];
    planlab_open(&lab, MACHINE("capacity: 4GiB, ", FAST) RANKED, NODES,
                 OBJECTS_HEAD "a0,1GiB,hbm,hbm;pinned,,\na1,1GiB,hbm,hbm;pinned,,\n"
                              "a2,2GiB,hbm,hbm;pinned,,\na3,1GiB,hbm,hbm;pinned,,\n");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "largest"), text), "a0 a2 ");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "belady"), text), "a0 ");
    ck_assert_str_eq(offloaded(planlab_plan(&lab, "cost"), text), "a0 ");
    planlab_close(&lab);
}
END_TEST

/* Gap-ending nodes are b2, b1, b0; the turning point is f3, the last use of a2 before its gap. */
START_TEST(test_lookahead_edges)
{
    struct planlab lab;
    char text[128];
    planlab_open(
        &lab,
        MACHINE(
            "capacity: 8GiB, ",
            FAST) "policies:\n"
                  "  - {name: k0, action: offload, prefetch: {when: lookahead, lookahead: 0}}\n"
                  "  - {name: k1, action: offload, prefetch: {when: lookahead}}\n"
                  "  - {name: one, action: offload, objects: a0, prefetch: {when: lookahead}}\n",
        NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "k0");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a2", text), "f3");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a1", text), "b2");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "b1");
    g = planlab_plan(&lab, "k1");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a2", text), "f3");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a1", text), "f3");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "b2");
    /* In order of their consumers, for engines that work in order of submission. */
    ck_assert_uint_lt(planlab_node(g, "prefetch:a2"), planlab_node(g, "prefetch:a1"));
    ck_assert_uint_lt(planlab_node(g, "prefetch:a1"), planlab_node(g, "prefetch:a0"));
    /* k counts the same whatever is selected. */
    ck_assert_str_eq(planlab_trigger(planlab_plan(&lab, "one"), "prefetch:a0", text), "b2");
    planlab_close(&lab);
}
END_TEST

START_TEST(test_demand_edges)
{
    struct planlab lab;
    planlab_open(&lab, MACHINE("capacity: 8GiB, ", FAST) "policies: [{name: p, action: offload}]\n",
                 NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_int_eq(planlab_edge(g, "b3", "prefetch:a2")->type, SL_EDGE_ORDERING);
    ck_assert_int_eq(planlab_edge(g, "b2", "prefetch:a1")->type, SL_EDGE_ORDERING);
    ck_assert_ptr_null(planlab_edge(g, "b3", "prefetch:a1"));
    planlab_close(&lab);
}
END_TEST

#define JIT                                                                                        \
    "policies:\n"                                                                                  \
    "  - {name: jit, action: offload, prefetch: jit}\n"                                            \
    "  - {name: margin, action: offload, prefetch: {when: jit, margin: 5ms}}\n"

/* Latest starts are 100 - 10, 80 - 10 and 60 - 10 ms; the nodes before them end at 80, 60, 40. */
START_TEST(test_jit_anchors)
{
    struct planlab lab;
    char text[128];
    planlab_open(&lab, MACHINE("capacity: 8GiB, ", FAST) JIT, NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "jit");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "b2+10");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a1", text), "b3+10");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a2", text), "f3+10");
    g = planlab_plan(&lab, "margin");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "b2+5");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a2", text), "f3+5");
    planlab_close(&lab);
}
END_TEST

/* Copies of 25 ms queue on the engine: latest starts 75, min(80, 75) - 25 = 50, min(60, 50) - 25 =
 * 25 ms; the nodes before end at 60, 40 and 20. */
START_TEST(test_jit_queue)
{
    struct planlab lab;
    char text[128];
    planlab_open(&lab, MACHINE("capacity: 8GiB, ", "40GiB/s") JIT, NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "jit");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "b3+15");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a1", text), "f3+10");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a2", text), "f1+5");
    planlab_close(&lab);
}
END_TEST

/* A margin of 65 ms puts the latest start to 25 ms, between f1 and f3.  With 3 GiB a copy at home
 * then would leave no room for a3: the plan has some from the end of b3 on. */
START_TEST(test_jit_waits_for_room)
{
    static const char *const policy = "policies: [{name: p, action: offload, objects: a0, "
                                      "prefetch: {when: jit, margin: 65ms}}]\n";
    struct planlab lab;
    char text[128], yaml[2000];
    snprintf(yaml, sizeof yaml, "%s%s", MACHINE("capacity: 8GiB, ", FAST), policy);
    planlab_open(&lab, yaml, NODES, OBJECTS);
    ck_assert_str_eq(planlab_trigger(planlab_plan(&lab, "p"), "prefetch:a0", text), "f1+5");
    planlab_close(&lab);
    snprintf(yaml, sizeof yaml, "%s%s", MACHINE("capacity: 3GiB, ", FAST), policy);
    planlab_open(&lab, yaml, NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_int_eq(planlab_edge(g, "f1", "prefetch:a0")->lag_ps, INT64_C(5000000000));
    ck_assert_int_eq(planlab_edge(g, "b3", "prefetch:a0")->type, SL_EDGE_ORDERING);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_remat_chain)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ",
                         FAST) "policies:\n  - {name: all, action: remat}\n"
                               "  - {name: one, action: remat, select: list, objects: a2}\n",
                 NODES, OBJECTS);
    /* b2 needs a2, which needs a1, which needs a0: the whole chain is run again before b2. */
    const struct sl_graph *g = planlab_plan(&lab, "all");
    ck_assert_uint_eq(planlab_count(g, "remat:"), 3);
    ck_assert_uint_eq(lab.plan.rematerialized, 3);
    ck_assert_int_eq(planlab_edge(g, "remat:f0#1", "remat:f1#1")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "remat:f1#1", "remat:f2#1")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "remat:f2#1", "b2")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "remat:f0#1", "b0")->type, SL_EDGE_DATA);
    const struct sl_node *clone = &g->nodes[planlab_node(g, "remat:f1#1")];
    ck_assert_int_eq(clone->kind, SL_REMATERIALIZATION);
    ck_assert_str_eq(clone->key, "f1#1");
    ck_assert_uint_eq(planlab_node(g, "remat:f2#1") + 1, planlab_node(g, "b2"));
    /* One alone: its input a1 is still there. */
    g = planlab_plan(&lab, "one");
    ck_assert_uint_eq(planlab_count(g, "remat:"), 1);
    ck_assert_uint_eq(planlab_node(g, "b3") + 1, planlab_node(g, "remat:f2#1"));
    planlab_close(&lab);
}
END_TEST

/* A temporary that only the clone would keep alive is recomputed too under `all`, kept under
 * `list` of another object. */
START_TEST(test_remat_temporary)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ",
                         FAST) "policies:\n  - {name: all, action: remat}\n"
                               "  - {name: y, action: remat, select: list, objects: y}\n",
                 "node,kind,resource,lane,duration,inputs,outputs\n"
                 "ft,compute,compute,step,10ms,x,t\nfy,compute,compute,step,10ms,t,y\n"
                 "fz,compute,compute,step,10ms,y,z\nbz,compute,compute,step,10ms,z,\n"
                 "by,compute,compute,step,10ms,y,\n",
                 "object,size,home,initial,persist,reconstruct,equivalence\n"
                 "x,1GiB,hbm,hbm,yes,,\nt,1GiB,hbm,,,ft,tolerance\ny,1GiB,hbm,,,fy,tolerance\n"
                 "z,1GiB,hbm,,,fz,tolerance\n");
    const struct sl_graph *g = planlab_plan(&lab, "all");
    ck_assert_uint_eq(planlab_count(g, "remat:"), 2);
    ck_assert(planlab_has(g, "remat:ft#1"));
    g = planlab_plan(&lab, "y");
    ck_assert_uint_eq(planlab_count(g, "remat:"), 1);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_remat_refusals)
{
    struct planlab lab;
    planlab_open(
        &lab,
        MACHINE("capacity: 8GiB, ",
                FAST) "policies:\n  - {name: p, action: remat, select: list, objects: [a0, a1]}\n"
                      "  - {name: q, action: offload, select: list, objects: a2}\n",
        NODES,
        OBJECTS_HEAD "a0,1GiB,hbm,hbm;pinned,f0,unknown\na1,1GiB,hbm,hbm;pinned,,\n"
                     "a2,1GiB,hbm,hbm,f2,bitwise\na3,1GiB,hbm,hbm,f3,bitwise\n");
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_uint_eq(g->node_count, 8);
    ck_assert(planlab_warned(&lab, "not-rematerializable"));
    ck_assert(!planlab_warned(&lab, "no-route"));
    g = planlab_plan(&lab, "q");
    ck_assert_uint_eq(g->node_count, 8);
    ck_assert(planlab_warned(&lab, "no-route"));
    planlab_close(&lab);
}
END_TEST

/* a1 is recomputed by f1 before b1, which reads a0 earlier than b0 does: a0 comes back for that. */
START_TEST(test_mixture)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ",
                         FAST) "policies:\n  - name: mix\n    action: retain\n    rules:\n"
                               "      - {objects: a0, action: offload, prefetch: demand}\n"
                               "      - {objects: a1, action: remat}\n",
                 NODES, OBJECTS);
    const struct sl_graph *g = planlab_plan(&lab, "mix");
    ck_assert_uint_eq(lab.plan.offloaded, 1);
    ck_assert_uint_eq(lab.plan.rematerialized, 1);
    ck_assert_uint_eq(lab.plan.retained, 1);
    ck_assert_int_eq(planlab_edge(g, "prefetch:a0", "remat:f1#1")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "remat:f1#1", "b1")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "b2", "prefetch:a0")->type, SL_EDGE_ORDERING);
    ck_assert_ptr_null(planlab_edge(g, "b1", "prefetch:a0"));
    planlab_close(&lab);
}
END_TEST

/* Movements that the graph itself holds: copies end where they imply it. */
START_TEST(test_as_given_movements)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ", FAST) "policies:\n  - {name: p, action: as-given}\n"
                                                   "  - {name: q, action: offload}\n",
                 "node,kind,resource,duration,inputs,outputs,object,from,to,staging,staging_until\n"
                 "w,compute,compute,10ms,,x,,,,,\nr,compute,compute,10ms,x,,,,,,\n"
                 "out,offload,,,,,x,hbm,pinned,hbm:4MiB,back\n"
                 "back,prefetch,,,,,x,pinned,hbm,,\n"
                 "late,compute,compute,10ms,x,,,,,,\n",
                 "object,size,home\nx,1GiB,hbm\n");
    const struct sl_graph *g = planlab_plan(&lab, "p");
    /* hbm's first copy ends with r and out, pinned's with back, hbm's second with late. */
    ck_assert_uint_eq(g->holding_count, 4);
    ck_assert_int_eq(planlab_edge(g, "reclaim:x@hbm#1", "back")->type, SL_EDGE_STORAGE);
    ck_assert_int_eq(planlab_edge(g, "r", "reclaim:x@hbm#1")->type, SL_EDGE_LIFETIME);
    ck_assert_int_eq(planlab_edge(g, "w", "out")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "back", "late")->type, SL_EDGE_DATA);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "back")].gives.count, 2); /* pinned's, staging */
    uint32_t count = g->node_count;
    ck_assert_uint_eq(planlab_plan(&lab, "q")->node_count, count); /* left alone */
    planlab_close(&lab);
}
END_TEST

/* Explicit allocation and reclamation, an alias and two writers. */
START_TEST(test_explicit_lifetime)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ", FAST) "policies: [{name: p, action: as-given}]\n",
                 "node,kind,resource,lane,duration,inputs,outputs,object\n"
                 "make,allocation,,s,,,,x\nw1,compute,compute,s,1ms,,x,\n"
                 "r1,compute,compute,s,1ms,view,,\nw2,compute,compute,s,1ms,,x,\n"
                 "r2,compute,compute,s,1ms,x,,\nfree,reclamation,,s,,,,x\n",
                 "object,size,home,alias_of\nx,1GiB,hbm,\nview,1GiB,,x\n");
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_uint_eq(g->node_count, 6);
    ck_assert_uint_eq(g->holding_count, 1);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "make")].takes.count, 1);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "free")].gives.count, 1);
    ck_assert_int_eq(planlab_edge(g, "make", "w1")->type, SL_EDGE_STORAGE);
    ck_assert_int_eq(planlab_edge(g, "w1", "r1")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "r1", "w2")->type, SL_EDGE_ORDERING);
    ck_assert_int_eq(planlab_edge(g, "w2", "r2")->type, SL_EDGE_DATA);
    ck_assert_int_eq(planlab_edge(g, "r2", "free")->type, SL_EDGE_LIFETIME);
    planlab_close(&lab);
}
END_TEST

START_TEST(test_declared_costs)
{
    struct planlab lab;
    planlab_open(
        &lab,
        MACHINE("capacity: 8GiB, ",
                FAST) "costs:\n"
                      "  - {what: allocation, duration: 3us, domain: hbm, resource: compute}\n"
                      "  - {what: mapping, duration: 2us, domain: hbm}\n"
                      "  - {what: reclamation, duration: 1us}\n"
                      "policies: [{name: p, action: retain}]\n",
        "node,kind,resource,lane,duration,inputs,outputs\n"
        "u,compute,compute,s,1ms,,\nw,compute,compute,s,1ms,,x\n"
        "r,compute,compute,s,1ms,x,\n",
        "object,size,home\nx,1GiB,hbm\n");
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_uint_eq(g->nodes[planlab_node(g, "alloc:x@hbm")].takes.count, 1);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "w")].takes.count, 0);
    ck_assert_int_eq(planlab_edge(g, "u", "alloc:x@hbm")->type, SL_EDGE_ORDERING);
    ck_assert_int_eq(planlab_edge(g, "alloc:x@hbm", "map:x@hbm")->type, SL_EDGE_STORAGE);
    ck_assert_int_eq(planlab_edge(g, "map:x@hbm", "w")->type, SL_EDGE_STORAGE);
    ck_assert_int_eq(planlab_edge(g, "r", "reclaim:x@hbm")->type, SL_EDGE_LIFETIME);
    ck_assert_uint_eq(g->nodes[planlab_node(g, "reclaim:x@hbm")].gives.count, 1);
    planlab_close(&lab);
}
END_TEST

/* Opposite guards, and a node with its fallback: at most one of the two writers runs, so either
 * takes the copy, neither waits for the other, and readers wait for both. */
START_TEST(test_alternative_writers)
{
    static const char *const pairs[][2] = {{"miss", "hit"}, {"main", "spare"}};
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ", FAST) "guards: {hit: {probability: 0.5, scope: job}}\n"
                                                   "policies: [{name: p, action: retain}]\n",
                 "node,kind,resource,duration,inputs,outputs,guard,deadline,fallback\n"
                 "miss,compute,compute,5ms,,w,!hit,,\nhit,compute,compute,1ms,,w,hit,,\n"
                 "main,compute,compute,5ms,w,x,,20ms,spare\nspare,compute,compute,1ms,,x,,,\n"
                 "last,compute,compute,1ms,x,,,,\n",
                 "object,size,home\nw,1GiB,hbm\nx,1GiB,hbm\n");
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[0], &lab.diags, &lab.err),
        SL_OK);
    const struct sl_graph *g = lab.plan.graph;
    for (int i = 0; i < 2; i++) {
        const struct sl_node *a = &g->nodes[planlab_node(g, pairs[i][0])];
        const struct sl_node *b = &g->nodes[planlab_node(g, pairs[i][1])];
        ck_assert_uint_eq(a->takes.count, 1);
        ck_assert_uint_eq(b->takes.count, 1);
        ck_assert_uint_eq(g->holdings_pool[a->takes.first], g->holdings_pool[b->takes.first]);
        ck_assert_ptr_null(planlab_edge(g, a->name, b->name));
        const char *reader = i == 0 ? "main" : "last";
        ck_assert_int_eq(planlab_edge(g, a->name, reader)->type, SL_EDGE_DATA);
        ck_assert_int_eq(planlab_edge(g, b->name, reader)->type, SL_EDGE_DATA);
    }
    /* `main` may not run, so it cannot be what gives w back. */
    ck_assert_uint_eq(g->nodes[planlab_node(g, "reclaim:w@hbm")].gives.count, 1);
    planlab_close(&lab);
}
END_TEST

/* Whether the early reclamation runs is drawn: the copy is there for who reads it if not, and the
 * last reclamation gives back what the early one left. */
START_TEST(test_guarded_reclamation)
{
    struct planlab lab;
    planlab_open(&lab,
                 MACHINE("capacity: 8GiB, ", FAST) "policies: [{name: p, action: as-given}]\n"
                                                   "guards: {hit: {probability: 0.5}}\n",
                 "node,kind,resource,lane,duration,inputs,outputs,object,guard\n"
                 "w,compute,compute,s,1ms,,x,,\nearly,reclamation,,s,,,,x,hit\n"
                 "u,compute,compute,s,1ms,x,y,,!hit\nv,compute,compute,s,1ms,,x,,\n"
                 "last,reclamation,,s,,,,x,\n",
                 "object,size,home\nx,1GiB,hbm\ny,1GiB,hbm\n");
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[0], &lab.diags, &lab.err),
        SL_OK);
    const struct sl_graph *g = lab.plan.graph;
    const char *const takers[] = {"w", "v"}, *const givers[] = {"early", "last"};
    for (int i = 0; i < 2; i++) {
        const struct sl_node *taker = &g->nodes[planlab_node(g, takers[i])];
        const struct sl_node *giver = &g->nodes[planlab_node(g, givers[i])];
        ck_assert_uint_eq(taker->takes.count, 1);
        ck_assert_uint_eq(giver->gives.count, 1);
        ck_assert_uint_eq(g->holdings_pool[taker->takes.first],
                          g->holdings_pool[giver->gives.first]);
    }
    planlab_close(&lab);
}
END_TEST

/* One policy brings it, so the graph is legal; as-given does not. */
START_TEST(test_read_before_anything)
{
    struct planlab lab;
    planlab_open(
        &lab,
        MACHINE("capacity: 8GiB, ",
                FAST) "policies: [{name: p, action: as-given}, {name: brings, action: retain}]\n",
        "node,kind,resource,duration,inputs\nr,compute,compute,1ms,x\n",
        "object,size,home,initial\nx,1GiB,hbm,pinned\n");
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[0], &lab.diags, &lab.err),
        SL_NO);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "reads object 'x' in 'hbm'"));
    ck_assert_ptr_null(lab.plan.graph);
    planlab_close(&lab);
}
END_TEST

/* Every action with every selection and every timing: legal, the same twice, nothing without a
 * place to go, and every byte in its place (planlab_plan checks that). */
START_TEST(test_sweep_registry)
{
    static const char *const sizes[] = {"capacity: 8GiB, ", "capacity: 3GiB, ", ""};
    for (size_t s = 0; s < 3; s++)
        for (size_t a = 0; a < sl_part_count(); a++)
            for (size_t b = 0; b < sl_part_count(); b++)
                for (size_t c = 0; c < sl_part_count(); c++) {
                    struct sl_part_info action = sl_part_info_get(a), select = sl_part_info_get(b),
                                        when = sl_part_info_get(c);
                    if (strcmp(action.role, "action") != 0 || strcmp(select.role, "select") != 0 ||
                        strcmp(when.role, "prefetch.when") != 0)
                        continue;
                    char yaml[2000];
                    snprintf(yaml, sizeof yaml,
                             MACHINE("%s", FAST) "policies: [{name: p, action: %s, select: %s, "
                                                 "objects: a*, prefetch: %s}]\n",
                             sizes[s], action.name, select.name, when.name);
                    struct planlab lab;
                    planlab_open(&lab, yaml, NODES, OBJECTS);
                    planlab_plan(&lab, "p");
                    uint32_t nodes = lab.plan.graph->node_count, edges = lab.plan.graph->edge_count;
                    char names[2000] = "";
                    for (uint32_t n = 0; n < nodes; n++)
                        snprintf(names + strlen(names), sizeof names - strlen(names), "%s ",
                                 lab.plan.graph->nodes[n].name);
                    planlab_plan(&lab, "p");
                    ck_assert_uint_eq(lab.plan.graph->edge_count, edges);
                    for (uint32_t n = 0, at = 0; n < nodes; n++) {
                        size_t length = strlen(lab.plan.graph->nodes[n].name);
                        ck_assert_int_eq(strncmp(names + at, lab.plan.graph->nodes[n].name, length),
                                         0);
                        at += (uint32_t)length + 1;
                    }
                    planlab_close(&lab);
                    planlab_open(&lab, yaml, NODES,
                                 "object,size,home,placements\na0,1GiB,hbm,hbm\na1,1GiB,hbm,hbm\n"
                                 "a2,1GiB,hbm,hbm\na3,1GiB,hbm,hbm\n");
                    ck_assert_uint_eq(planlab_plan(&lab, "p")->node_count, 8);
                    planlab_close(&lab);
                }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("policy");
    TCase *tc = tcase_create("plans");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, test_retain_gives_back_at_last_reader);
    tcase_add_test(tc, test_offload_structure);
    tcase_add_test(tc, test_ranked_selection_equal_sizes);
    tcase_add_test(tc, test_ranked_selection_sizes);
    tcase_add_test(tc, test_lookahead_edges);
    tcase_add_test(tc, test_demand_edges);
    tcase_add_test(tc, test_jit_anchors);
    tcase_add_test(tc, test_jit_queue);
    tcase_add_test(tc, test_jit_waits_for_room);
    tcase_add_test(tc, test_remat_chain);
    tcase_add_test(tc, test_remat_temporary);
    tcase_add_test(tc, test_remat_refusals);
    tcase_add_test(tc, test_mixture);
    tcase_add_test(tc, test_as_given_movements);
    tcase_add_test(tc, test_explicit_lifetime);
    tcase_add_test(tc, test_declared_costs);
    tcase_add_test(tc, test_alternative_writers);
    tcase_add_test(tc, test_guarded_reclamation);
    tcase_add_test(tc, test_read_before_anything);
    tcase_add_test(tc, test_sweep_registry);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
