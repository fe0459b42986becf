/* Same plans: what a policy makes twice is one plan, and is not once one thing about it differs. */
#include <config.h>

#include "harness.h"
#include "planlab.h"
#include "same_graph.h"

static const char *const YAML =
    "name: same\nnodes: nodes.csv\nobjects: objects.csv\nedges: edges.csv\n"
    "resources:\n  compute: {servers: 2}\n  link: {servers: 1}\n"
    "domains:\n  hbm: {capacity: 8GiB}\n  host: {capacity: 8GiB}\n"
    "routes:\n  - {from: hbm, to: host, resource: link, bandwidth: 10GB/s}\n"
    "  - {from: host, to: hbm, resource: link, bandwidth: 10GB/s}\n"
    "guards: {hit: {probability: 0.5, scope: job}}\n"
    "policies:\n  - {name: keep, action: retain}\n  - {name: move, action: offload}\n"
    "  - {name: move-all, action: offload, select: all}\nbaseline: keep\ntrials: 10\nseed: 1\n";
static const char *const NODES = "node,kind,resource,duration,inputs,outputs,workspace,guard\n"
                                 "f,compute,compute,10us,,x,hbm:1GiB,\n"
                                 "g,compute,compute,20us,,y,,\n"
                                 "h,compute,compute,5us,y,,,hit\n"
                                 "b,compute,compute,10us,x;y,,,\n";

static void make(struct planlab *lab, struct sl_plan *plan, const char *policy)
{
    enum sl_status status = sl_policy_plan(
        plan, &lab->scenario, sl_scenario_policy(&lab->scenario, policy), &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
}

/* With the field at another value the graphs are not the same, and are again with the old one. */
#define DIFFERS(field, other)                                                                      \
    do {                                                                                           \
        __typeof__(field) kept = (field);                                                          \
        (field) = (other);                                                                         \
        ck_assert_msg(!sl_graph_same(a, b), "%s", #field);                                         \
        (field) = kept;                                                                            \
        ck_assert(sl_graph_same(a, b));                                                            \
    } while (0)

START_TEST(one_field_differs)
{
    struct planlab lab;
    struct sl_plan first = {0}, second = {0};
    planlab_open_tables(&lab, YAML, NODES, "object,size,home\nx,1GiB,hbm\ny,1GiB,hbm\n",
                        "from,to,type,lag\nf,g,ordering,1us\n", NULL);
    make(&lab, &first, "move");
    make(&lab, &second, "move");
    const struct sl_graph *a = first.graph;
    struct sl_graph *b = second.graph;
    ck_assert(sl_graph_same(a, b));
    ck_assert_uint_eq(sl_graph_digest(a), sl_graph_digest(b));
    struct sl_node *node = sl_graph_edit_node(b, 0, NULL);
    DIFFERS(node->name, "another");
    DIFFERS(node->key_hash, 1);
    DIFFERS(node->dist, NULL);
    DIFFERS(node->scale, 2);
    DIFFERS(node->release_ps, 1);
    DIFFERS(node->deadline_ps, 1);
    DIFFERS(node->priority, 1);
    DIFFERS(node->lane, 0);
    DIFFERS(b->guard_terms[0].negated, true);
    DIFFERS(b->guards[0].persistence, 0.5);
    DIFFERS(b->guards[0].rho, 0.5);
    DIFFERS(b->guards[0].factor, "clock");
    DIFFERS(node->workspace.count, 0);
    DIFFERS(node->outputs.count, 0);
    DIFFERS(b->amounts[node->workspace.first].bytes, 1);
    DIFFERS(b->demands[node->demands.first].units, 2);
    ck_assert_int_eq(sl_graph_edit_edges(b, NULL), SL_OK);
    DIFFERS(b->own_edges[0].lag_ps, 2);
    DIFFERS(b->own_edges[0].type, SL_EDGE_BARRIER);
    DIFFERS(b->objects[0].bytes, 1);
    DIFFERS(b->holdings[0].bytes, 1);
    DIFFERS(b->holdings[0].initial, !b->holdings[0].initial);
    DIFFERS(b->guards[0].probability, 0.6);
    DIFFERS(b->edge_count, b->edge_count - 1);
    /* Where it stands in its file, and why it is believed, does not matter. */
    node->place.line = 99;
    node->evidence = SL_MEASURED;
    ck_assert(sl_graph_same(a, b));
    sl_plan_free(&first);
    sl_plan_free(&second);
    planlab_close(&lab);
}
END_TEST

START_TEST(policies_that_do_the_same)
{
    struct planlab lab;
    struct sl_plan keep = {0}, move = {0}, all = {0};
    planlab_open_tables(&lab, YAML, NODES, "object,size,home\nx,1GiB,hbm\ny,1GiB,hbm\n",
                        "from,to,type,lag\nf,g,ordering,1us\n", NULL);
    make(&lab, &keep, "keep");
    make(&lab, &move, "move");
    make(&lab, &all, "move-all");
    ck_assert(!sl_graph_same(keep.graph, all.graph));
    ck_assert(sl_graph_same(move.graph, all.graph) == (move.offloaded == all.offloaded));
    sl_plan_free(&keep);
    sl_plan_free(&move);
    sl_plan_free(&all);
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("same_graph");
    TCase *tc = tcase_create("same_graph");
    tcase_add_test(tc, one_field_differs);
    tcase_add_test(tc, policies_that_do_the_same);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
