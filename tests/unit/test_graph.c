/* The graph's builder, adjacency, topological order and cycles. */
#include <config.h>

#include "graph.h"
#include "harness.h"
#include "units.h"
#include <math.h>
#include <string.h>

static struct sl_platform platform; /* empty: nothing here looks at it */

static sl_node_id add(struct sl_graph *graph, const char *name)
{
    struct sl_node node = sl_node_default();
    struct sl_error err = {0};
    sl_node_id id;
    node.name = name;
    ck_assert_int_eq(sl_graph_add_node(graph, &node, &id, &err), SL_OK);
    return id;
}

static void join(struct sl_graph *graph, uint32_t from, uint32_t to, int64_t lag, uint32_t next)
{
    struct sl_edge edge = {
        .from = {from}, .to = {to}, .lag_ps = lag, .next = next, .object = {SL_NONE}};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_graph_add_edge(graph, &edge, &err), SL_OK);
}

START_TEST(names_are_unique)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    struct sl_node node = sl_node_default();
    ck_assert_uint_eq(add(graph, "a").i, 0);
    ck_assert_uint_eq(add(graph, "b").i, 1);
    node.name = "a";
    node.place = (struct sl_place){"nodes.csv", 7, 1};
    ck_assert_int_eq(sl_graph_add_node(graph, &node, NULL, &err), SL_INVALID);
    ck_assert_int_eq(err.place.line, 7);
    ck_assert_uint_eq(graph->node_count, 2);
    ck_assert_str_eq(graph->nodes[1].key, "b");
    ck_assert_uint_eq(graph->nodes[1].key_hash, sl_hash_text("b"));
    struct sl_object object = sl_object_default();
    object.name = "x";
    ck_assert_int_eq(sl_graph_add_object(graph, &object, NULL, &err), SL_OK);
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_graph_add_object(graph, &object, NULL, &err), SL_INVALID);
    sl_graph_free(graph);
}
END_TEST

START_TEST(edges_need_two_nodes)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    add(graph, "a");
    struct sl_edge edge = {.from = {0}, .to = {1}};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_graph_add_edge(graph, &edge, &err), SL_INVALID);
    edge.to.i = 0;
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_graph_add_edge(graph, &edge, &err), SL_INVALID);
    edge.next = 1; /* the next iteration's a may wait for this one's */
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_graph_add_edge(graph, &edge, &err), SL_OK);
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_OK);
    sl_graph_free(graph);
}
END_TEST

/* Two lists that grow in turns keep their own elements. */
START_TEST(spans_grow_in_turns)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_span even = {0, 0}, odd = {0, 0};
    struct sl_error err = {0};
    for (uint32_t i = 0; i < 40; i++)
        ck_assert_int_eq(sl_graph_push_domain(graph, i % 2 ? &odd : &even, i, &err), SL_OK);
    ck_assert_uint_eq(even.count, 20);
    for (uint32_t i = 0; i < 20; i++) {
        ck_assert_uint_eq(graph->domains_pool[even.first + i], 2 * i);
        ck_assert_uint_eq(graph->domains_pool[odd.first + i], 2 * i + 1);
    }
    sl_graph_free(graph);
}
END_TEST

START_TEST(duplicate_edges_go)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    add(graph, "a");
    add(graph, "b");
    add(graph, "c");
    join(graph, 0, 1, 0, 0);
    join(graph, 0, 2, 0, 0);
    join(graph, 0, 1, 5, 0); /* another lag: stays */
    join(graph, 0, 1, 0, 0); /* goes */
    join(graph, 0, 1, 0, 1); /* another scope: stays */
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_OK);
    ck_assert_uint_eq(graph->edge_count, 4);
    ck_assert_uint_eq(graph->succ_start[1] - graph->succ_start[0], 4);
    ck_assert_uint_eq(graph->pred_start[2] - graph->pred_start[1], 3);
    ck_assert_uint_eq(graph->pred_start[3], 4);
    for (uint32_t k = graph->pred_start[1]; k < graph->pred_start[2]; k++)
        ck_assert_uint_eq(graph->edges[graph->pred_edges[k]].to.i, 1);
    sl_graph_free(graph);
}
END_TEST

static uint32_t lcg(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Random graphs with lanes: the order is the one that takes, at each step, the smallest node whose
 * predecessors are all taken (found here by looking at everything each time). */
START_TEST(order_is_the_smallest_first)
{
    enum { NODES = 40 };
    uint32_t state = (uint32_t)_i * 77u + 5u, hidden[NODES];
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    bool before[NODES][NODES] = {{false}};
    uint32_t lane_last[3] = {SL_NONE, SL_NONE, SL_NONE};
    for (uint32_t i = 0; i < NODES; i++)
        hidden[i] = lcg(&state) % 1000 * NODES + i; /* edges go up in this rank */
    sl_names_add(&graph->lane_names, "s0");
    sl_names_add(&graph->lane_names, "s1");
    sl_names_add(&graph->lane_names, "s2");
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        add(graph, name);
        uint32_t lane = lcg(&state) % 9;
        /* A lane goes by row; it must not contradict the hidden rank. */
        if (lane < 3 && (lane_last[lane] == SL_NONE || hidden[lane_last[lane]] < hidden[i])) {
            graph->own_nodes[i].lane = lane;
            if (lane_last[lane] != SL_NONE)
                before[lane_last[lane]][i] = true;
            lane_last[lane] = i;
        }
    }
    for (int e = 0; e < 80; e++) {
        uint32_t a = lcg(&state) % NODES, b = lcg(&state) % NODES;
        if (hidden[a] < hidden[b]) {
            join(graph, a, b, 0, 0);
            before[a][b] = true;
        } else if (a != b) {
            join(graph, a, b, 0, 1); /* against the order, but an iteration later */
        }
    }
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_OK);
    bool taken[NODES] = {false};
    for (uint32_t step = 0; step < NODES; step++) {
        uint32_t best = SL_NONE;
        for (uint32_t i = NODES; i-- > 0;) {
            bool ready = !taken[i];
            for (uint32_t j = 0; j < NODES; j++)
                ready = ready && (!before[j][i] || taken[j]);
            best = ready ? i : best;
        }
        ck_assert_uint_eq(graph->topo[step], best);
        taken[best] = true;
    }
    sl_graph_free(graph);
}
END_TEST

START_TEST(a_cycle_is_named_whole)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    add(graph, "start");
    add(graph, "a");
    add(graph, "b");
    add(graph, "c");
    add(graph, "end");
    join(graph, 0, 3, 0, 0);
    join(graph, 3, 1, 0, 0);
    join(graph, 1, 2, 0, 0);
    join(graph, 2, 3, 0, 0);
    join(graph, 2, 4, 0, 0);
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_NO);
    ck_assert_str_eq(err.message, "precedence cycle: a -> b -> c -> a");
    ck_assert(!graph->finished);
    sl_graph_free(graph);
}
END_TEST

START_TEST(a_lane_can_close_a_cycle)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    add(graph, "first");
    add(graph, "second");
    graph->own_nodes[0].lane = graph->own_nodes[1].lane = sl_names_add(&graph->lane_names, "s");
    join(graph, 1, 0, 0, 0);
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_NO);
    ck_assert_str_eq(err.message, "precedence cycle: first -> second -> first");
    sl_graph_free(graph);
}
END_TEST

START_TEST(a_copy_is_its_own)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    add(graph, "a");
    add(graph, "b");
    join(graph, 0, 1, 0, 0);
    ck_assert_int_eq(
        sl_graph_push_demand(graph, &graph->own_nodes[0].demands, (struct sl_demand){3, 2}, &err),
        SL_OK);
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_OK);
    struct sl_graph *copy = sl_graph_copy(graph);
    ck_assert_ptr_nonnull(copy);
    ck_assert(!copy->finished);
    copy->demands[0].units = 9;
    sl_graph_edit_node(copy, 1, NULL)->priority = 5;
    add(copy, "c");
    join(copy, 1, 2, 0, 0);
    ck_assert_int_eq(sl_graph_finish(copy, &err), SL_OK);
    ck_assert_uint_eq(graph->node_count, 2);
    ck_assert_uint_eq(graph->edge_count, 1);
    ck_assert_uint_eq(graph->demands[0].units, 2);
    ck_assert(graph->nodes[1].priority == 0);
    ck_assert_uint_eq(sl_names_find(&graph->node_names, "c"), SL_NONE);
    ck_assert_uint_eq(sl_names_find(&copy->node_names, "c"), 2);
    sl_graph_free(copy);
    sl_graph_free(graph);
}
END_TEST

/* Nodes and edges are the original's until they change; a copy of a copy outlives the one between.
 */
START_TEST(copies_share_what_they_do_not_change)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    add(graph, "a");
    add(graph, "b");
    join(graph, 0, 1, 0, 0);
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_OK);
    struct sl_graph *between = sl_graph_copy(graph);
    ck_assert_int_eq(sl_graph_finish(between, &err), SL_OK);
    ck_assert_ptr_eq(between->nodes, graph->nodes);
    ck_assert_ptr_eq(between->topo, graph->topo);
    struct sl_graph *untouched = sl_graph_copy(between);
    join(between, 0, 1, 7, 0);
    sl_graph_edit_node(between, 0, &err)->priority = 3;
    struct sl_graph *changed = sl_graph_copy(between);
    ck_assert_int_eq(sl_graph_finish(between, &err), SL_OK);
    ck_assert_uint_eq(between->succ_start[1], 2);
    sl_graph_free(between);
    ck_assert_int_eq(sl_graph_finish(untouched, &err), SL_OK);
    ck_assert_uint_eq(untouched->succ_start[1], 1);
    ck_assert(untouched->nodes[0].priority == 0);
    ck_assert_int_eq(sl_graph_finish(changed, &err), SL_OK);
    ck_assert_uint_eq(changed->succ_start[1], 2);
    ck_assert_int_eq(changed->edges[1].lag_ps, 7);
    ck_assert(changed->nodes[0].priority == 3);
    ck_assert_uint_eq(graph->edge_count, 1);
    ck_assert(graph->nodes[0].priority == 0);
    sl_graph_free(changed);
    sl_graph_free(untouched);
    sl_graph_free(graph);
}
END_TEST

START_TEST(a_copy_for_edges_takes_nothing_else)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    add(graph, "a");
    add(graph, "b");
    add(graph, "c");
    join(graph, 1, 2, 0, 0);
    ck_assert_int_eq(sl_graph_finish(graph, &err), SL_OK);
    struct sl_graph *copy = sl_graph_copy_edges(graph);
    ck_assert_ptr_nonnull(copy);
    ck_assert(!copy->finished);
    join(copy, 2, 0, 0, 0);
    ck_assert_int_eq(sl_graph_finish(copy, &err), SL_OK);
    static const uint32_t before[] = {0, 1, 2}, after[] = {1, 2, 0};
    ck_assert_mem_eq(graph->topo, before, sizeof before);
    ck_assert_mem_eq(copy->topo, after, sizeof after);
    ck_assert_uint_eq(graph->edge_count, 1);
    struct sl_node node = sl_node_default();
    struct sl_object object = sl_object_default();
    node.name = object.name = "new";
    struct sl_error refused = {0};
    ck_assert_int_eq(sl_graph_add_node(copy, &node, NULL, &refused), SL_USAGE);
    ck_assert_int_eq(sl_graph_add_object(copy, &object, NULL, &refused), SL_USAGE);
    ck_assert_int_eq(sl_graph_push_object(copy, &node.inputs, (sl_object_id){0}, &refused),
                     SL_USAGE);
    struct sl_holding holding = {.bytes = 1};
    ck_assert_int_eq(sl_graph_add_holding(copy, &holding, NULL, &refused), SL_USAGE);
    ck_assert_uint_eq(graph->node_count, 3);
    /* A copy of it needs the first original only. */
    struct sl_graph *plan = sl_graph_copy(copy);
    ck_assert_ptr_nonnull(plan);
    sl_graph_free(copy);
    add(plan, "d");
    ck_assert_uint_eq(plan->edge_count, 2);
    ck_assert_uint_eq(sl_names_find(&plan->node_names, "b"), 1);
    ck_assert_uint_eq(sl_names_find(&plan->node_names, "d"), 3);
    ck_assert_str_eq(plan->nodes[2].name, "c");
    sl_graph_free(plan);
    ck_assert_uint_eq(sl_names_find(&graph->node_names, "d"), SL_NONE);
    ck_assert_str_eq(graph->nodes[2].name, "c");
    sl_graph_free(graph);
}
END_TEST

/* hold = overhead x chunks + bytes / bandwidth: 100 MB in chunks of 32 MB at 25 GB/s, 2 us each. */
START_TEST(a_route_gives_hold_and_latency)
{
    struct sl_graph *graph = sl_graph_create(&platform);
    struct sl_error err = {0};
    struct sl_place nowhere = {0};
    const struct sl_dist *noise;
    ck_assert_int_eq(sl_dist_parse(&noise, "uniform(low=1, high=1.5)", SL_DIST_NUMBER, ".", nowhere,
                                   &graph->arena, &err),
                     SL_OK);
    struct sl_route route = {.from = 1,
                             .to = 0,
                             .resource = 4,
                             .klass = 2,
                             .bandwidth = 25e9,
                             .overhead_ps = 2 * SL_PS_PER_US,
                             .latency_ps = 8 * SL_PS_PER_US,
                             .chunk = 32000000,
                             .noise = noise,
                             .staging = {.domain = SL_NONE}};
    struct sl_node node = sl_node_default();
    node.name = "move";
    node.kind = SL_TRANSFER;
    ck_assert_int_eq(sl_graph_route_node(graph, &node, &route, 100000000, &err), SL_OK);
    ck_assert(fabs(node.scale - (4 * 2e6 + 4000e6)) < 1);
    ck_assert(node.latency_scale == 8e6);
    ck_assert_uint_eq(node.klass, 2);
    ck_assert_uint_eq(node.from, 1);
    ck_assert_uint_eq(node.to, 0);
    ck_assert_uint_eq(graph->demands[node.demands.first].resource, 4);
    sl_node_id id;
    ck_assert_int_eq(sl_graph_add_node(graph, &node, &id, &err), SL_OK);
    ck_assert(fabs(sl_node_mean_hold(graph, id) / (1.25 * 4008e6) - 1) < 1e-9);
    ck_assert(fabs(sl_node_mean_latency(graph, id) / (1.25 * 8e6) - 1) < 1e-9);
    sl_graph_free(graph);
}
END_TEST

START_TEST(words_round_trip)
{
    for (unsigned k = 0; k < SL_NODE_KINDS; k++) {
        enum sl_node_kind kind;
        ck_assert(sl_node_kind_parse(sl_node_kind_name((enum sl_node_kind)k), &kind));
        ck_assert_uint_eq(kind, k);
    }
    for (unsigned k = 0; k < SL_EDGE_TYPES; k++) {
        enum sl_edge_type type;
        ck_assert(sl_edge_type_parse(sl_edge_type_name((enum sl_edge_type)k), &type));
        ck_assert_uint_eq(type, k);
    }
    enum sl_node_kind kind;
    ck_assert(!sl_node_kind_parse("", &kind));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("graph");
    TCase *c = tcase_create("graph");
    tcase_add_test(c, names_are_unique);
    tcase_add_test(c, edges_need_two_nodes);
    tcase_add_test(c, spans_grow_in_turns);
    tcase_add_test(c, duplicate_edges_go);
    tcase_add_loop_test(c, order_is_the_smallest_first, 0, 20);
    tcase_add_test(c, a_cycle_is_named_whole);
    tcase_add_test(c, a_lane_can_close_a_cycle);
    tcase_add_test(c, a_copy_is_its_own);
    tcase_add_test(c, copies_share_what_they_do_not_change);
    tcase_add_test(c, a_copy_for_edges_takes_nothing_else);
    tcase_add_test(c, a_route_gives_hold_and_latency);
    tcase_add_test(c, words_round_trip);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
