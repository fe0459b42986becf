/* Planning with choices: a policy's own choices lead to its own plan, and single choices to what a
 * hand computation gives.
 *
 * The chain of test_policy.c: f_i 10 ms, b_i 20 ms in one lane, a_i written by f_i, read by f_(i+1)
 * and b_i: a0, a1 and a2 have one gap each, a3 none. */
#include <config.h>

#include "planlab.h"
#include "planner.h"
#include "same_graph.h"
#include <stdlib.h>

#define NODES                                                                                      \
    "node,kind,resource,lane,duration,inputs,outputs\n"                                            \
    "f0,compute,compute,step,10ms,,a0\nf1,compute,compute,step,10ms,a0,a1\n"                       \
    "f2,compute,compute,step,10ms,a1,a2\nf3,compute,compute,step,10ms,a2,a3\n"                     \
    "b3,compute,compute,step,20ms,a3,\nb2,compute,compute,step,20ms,a2,\n"                         \
    "b1,compute,compute,step,20ms,a1,\nb0,compute,compute,step,20ms,a0;w,\n"
#define OBJECTS                                                                                    \
    "object,size,home,placements,initial,reconstruct,equivalence\n"                                \
    "a0,1GiB,hbm,hbm;pinned,,f0,bitwise\na1,1GiB,hbm,hbm;pinned,,f1,bitwise\n"                     \
    "a2,1GiB,hbm,hbm;pinned,,,\na3,1GiB,hbm,hbm;pinned,,f3,bitwise\n"                              \
    "w,1GiB,hbm,hbm;pinned,pinned,,\n"
#define YAML(policy)                                                                               \
    "name: chain\nnodes: nodes.csv\nobjects: objects.csv\n"                                        \
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"                   \
    "domains: {hbm: {capacity: 8GiB, reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}}\n"      \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 100GiB/s}\n"                            \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 100GiB/s}\n"                            \
    "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"                              \
    "policies: [{name: p, " policy "}]\n"

/* A laboratory whose policy p has this table of choices. */
static enum sl_status open_with(struct planlab *lab, const char *policy, const char *choices)
{
    memset(lab, 0, sizeof *lab);
    tempdir_make(&lab->dir);
    tempdir_write(&lab->dir, "scenario.yaml", policy);
    tempdir_write(&lab->dir, "nodes.csv", NODES);
    tempdir_write(&lab->dir, "objects.csv", OBJECTS);
    tempdir_write(&lab->dir, "choices.csv", choices);
    enum sl_status status =
        sl_scenario_load(&lab->scenario, lab->dir.path, NULL, 0, &lab->diags, &lab->err);
    if (status == SL_OK) {
        sl_policy_check(&lab->scenario, &lab->diags);
        status = sl_diags_status(&lab->diags, &lab->err);
    }
    return status;
}

#define RETAIN YAML("action: retain, choices: choices.csv")

START_TEST(test_single_choices)
{
    struct planlab lab;
    ck_assert_int_eq(open_with(&lab, RETAIN,
                               "object,gap,action,prefetch,node,priority,after,release\n"
                               "a0,1,offload,lookahead:1,,,,\na1,1,remat,,,,,\n"
                               "w,0,,lookahead:2,,,,\n,,,,offload:a0,3,f2,5ms\n"),
                     SL_OK);
    const struct sl_graph *g = planlab_plan(&lab, "p");
    char text[128];
    ck_assert_uint_eq(lab.plan.offloaded, 1);
    ck_assert_uint_eq(lab.plan.rematerialized, 1);
    ck_assert_uint_eq(lab.plan.retained, 1);
    /* The recomputation of a1 in front of b1 reads a0, so a0 is back for it.  Consumers in order:
     * b2, that one, b1, b0.  One ahead of the second there is none: the turning point, f3; two
     * ahead of b0, its move waits for b2. */
    ck_assert_str_eq(planlab_trigger(g, "prefetch:a0", text), "f3");
    ck_assert_str_eq(planlab_trigger(g, "prefetch:w", text), "b2");
    ck_assert(planlab_has(g, "remat:f1#1"));
    const struct sl_node *out = &g->nodes[planlab_node(g, "offload:a0")];
    ck_assert_double_eq(out->priority, 3.0);
    ck_assert_int_eq(out->release_ps, 5000000000);
    ck_assert_int_eq(planlab_edge(g, "f2", "offload:a0")->type, SL_EDGE_ORDERING);
    planlab_close(&lab);
}
END_TEST

/* What the table does not list is up to the rules. */
START_TEST(test_rest_is_the_rules)
{
    struct planlab lab;
    ck_assert_int_eq(open_with(&lab, YAML("action: offload, prefetch: asap, choices: choices.csv"),
                               "object,gap,action\na0,1,retain\n"),
                     SL_OK);
    const struct sl_graph *g = planlab_plan(&lab, "p");
    ck_assert_uint_eq(lab.plan.offloaded, 2);
    ck_assert(!planlab_has(g, "prefetch:a0"));
    ck_assert(planlab_has(g, "prefetch:a1"));
    planlab_close(&lab);
}
END_TEST

static const struct {
    const char *row, *says;
} refused[] = {
    {"a9,1,offload,,,,,", "unknown object 'a9'"},
    {"a0,2,offload,,,,,", "the object has fewer gaps"},
    {"a0,0,,asap,,,,", "the object does not arrive from elsewhere"},
    {"a0,0,offload,,,,,", "gap 0 is the first arrival, which has no action"},
    {"a0,1,,,,,,", "the gap has no action"},
    {"a0,1,swap,,,,,", "unknown action 'swap'"},
    {"a0,1,offload,soon,,,,", "unknown prefetch 'soon'"},
    {"a0,1,offload,jit:1.5,,,,", "outside (0, 1)"},
    {"a0,1,offload,asap:3,,,,", "takes no number"},
    {"a0,1,offload,lookahead:-1,,,,", "-1"},
    {"a2,1,remat,,,,,", "no node is stated that reconstructs it"},
    {"a0,1,offload,,,,,\na0,1,retain,,,,,", "listed twice"},
    {"a0,1,offload,,f1,,,", "name one of them"},
    {"a0,1,offload,,,2,,", "priority, after and release are a node's"},
    {",1,,,f1,2,,", "gap, action and prefetch are an object's"},
    {"a0,,retain,,,,,", "the row names no gap"},
    {"w,0,,,,,,", "the first arrival has no prefetch"},
    {"a0,1,retain,jit:0.9,,,,", "prefetch 'jit:0.9' has no effect"},
    {"a0,1,remat,asap,,,,", "prefetch 'asap' has no effect"},
    {",,,,f1,,,", "the row says nothing of the node"},
    {",,,,f9,2,,", "the plan has no node 'f9'"},
    {",,,,f0,,f1,", "cycle"},
};

START_TEST(test_faults)
{
    struct planlab lab;
    char table[256], said[2000] = "";
    snprintf(table, sizeof table, "object,gap,action,prefetch,node,priority,after,release\n%s\n",
             refused[_i].row);
    enum sl_status status = open_with(&lab, RETAIN, table);
    for (size_t k = 0; k < lab.diags.count; k++)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s; ",
                 lab.diags.items[k].message);
    if (status == SL_OK) {
        status = sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[0], &lab.diags,
                                &lab.err);
        snprintf(said, sizeof said, "%s", lab.err.message);
    }
    ck_assert_int_ne(status, SL_OK);
    ck_assert_msg(strstr(said, refused[_i].says) != NULL, "%s: %s", refused[_i].row, said);
    planlab_close(&lab);
}
END_TEST

/* Faults stand where they are: the column of what is wrong, and the line of a node that is not. */
START_TEST(test_places)
{
    struct planlab lab;
    const char *head = "object,gap,action,prefetch,node,priority,after,release\n";
    char table[256];
    snprintf(table, sizeof table, "%sa0,1,retain,asap,,,,\na1,1,offload,soon,,,,\n", head);
    ck_assert_int_eq(open_with(&lab, RETAIN, table), SL_INVALID);
    struct sl_place errors[2] = {{0}};
    size_t count = 0;
    for (size_t i = 0; i < lab.diags.count; i++)
        if (lab.diags.items[i].severity == SL_ERROR && count < 2)
            errors[count++] = lab.diags.items[i].place;
    ck_assert_int_eq(errors[0].line, 2);
    ck_assert_int_eq(errors[0].column, 13);
    ck_assert_int_eq(errors[1].line, 3);
    ck_assert_int_eq(errors[1].column, 14);
    planlab_close(&lab);
    snprintf(table, sizeof table, "%s,,,,f1,1,,\n,,,,f1,,f9,\n", head);
    ck_assert_int_eq(open_with(&lab, RETAIN, table), SL_OK);
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &lab.scenario.policies[0], &lab.diags, &lab.err),
        SL_INVALID);
    ck_assert_int_eq(lab.err.place.line, 3);
    ck_assert_int_eq(lab.err.place.column, 9);
    planlab_close(&lab);
}
END_TEST

static const char *const scenarios[] = {"hello",
                                        "weight-stream",
                                        "activation-remat",
                                        "optimizer-offload/gpu-step",
                                        "activation-offload",
                                        "two-gpu"};

/* The plan of the policy's listed choices is the policy's plan, node by node, and so is the one of
 * the facts that all plans share. */
static void check_policy(const struct sl_planner *planner, const struct sl_scenario *scenario,
                         const struct sl_policy_spec *policy)
{
    struct sl_plan own, tuned;
    struct sl_error err = {0};
    uint32_t count, listed = 0;
    sl_planner_gaps(planner, &count);
    struct sl_gap_choice *choices = calloc(count + 1, sizeof *choices);
    enum sl_status status = sl_policy_plan(&own, scenario, policy, NULL, &err);
    if (status == SL_OK) {
        ck_assert_int_eq(sl_planner_plan(planner, &tuned, policy, NULL, &err), SL_OK);
        ck_assert_msg(sl_graph_same(own.graph, tuned.graph), "%s: not its own plan", policy->name);
        sl_plan_free(&tuned);
        ck_assert_int_eq(sl_planner_choices(planner, policy, choices, NULL, &err), SL_OK);
        for (uint32_t i = 0; i < count; i++)
            if (choices[i].action || choices[i].gap == 0)
                choices[listed++] = choices[i];
        const struct sl_tuning tuning = {.gaps = choices, .gap_count = listed};
        struct sl_policy_spec spec = *policy;
        spec.tuning = &tuning;
        status = sl_planner_plan(planner, &tuned, &spec, NULL, &err);
        ck_assert_msg(status == SL_OK, "%s: %s", policy->name, err.message);
        ck_assert_msg(sl_graph_same(own.graph, tuned.graph), "%s: another plan", policy->name);
        sl_plan_free(&tuned);
    }
    sl_plan_free(&own);
    free(choices);
}

START_TEST(test_own_choices)
{
    char path[1024];
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct sl_planner *planner;
    snprintf(path, sizeof path, "%s/scenarios/%s", getenv("SL_SRCDIR"), scenarios[_i]);
    ck_assert_msg(sl_scenario_load(&scenario, path, NULL, 0, &diags, &err) == SL_OK, "%s",
                  err.message);
    ck_assert_int_eq(sl_planner_create(&planner, &scenario, &err), SL_OK);
    for (uint32_t i = 0; i < scenario.policy_count; i++)
        check_policy(planner, &scenario, &scenario.policies[i]);
    sl_planner_free(planner);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("planner");
    TCase *tests = tcase_create("planner");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, test_single_choices);
    tcase_add_test(tests, test_rest_is_the_rules);
    tcase_add_loop_test(tests, test_faults, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, test_places);
    tcase_add_loop_test(tests, test_own_choices, 0, sizeof scenarios / sizeof *scenarios);
    suite_add_tcase(s, tests);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
