/* The hand-off against its schema, by a validator that knows nothing of the writer, and against the
 * plan it was made of: every edge, byte, use and window again by other means. */
#include <config.h>

#include "exporter.h"
#include "planlab.h"
#include "schema.h"
#include "windows.h"

static struct sl_scenario scenario;
static struct sl_diags diags;
static struct sl_error err;
static struct sl_plan plan;
static struct tempdir dir;
static struct schema schema_state;
static yajl_val schema, out;
static char *schema_source, *out_text;

static const struct sl_exporter *handoff(void)
{
    for (size_t i = 0; i < sl_exporter_count(); i++)
        if (strcmp(sl_exporter_get(i)->name, "handoff") == 0)
            return sl_exporter_get(i);
    ck_abort_msg("no exporter 'handoff'");
}

static void setup(void)
{
    char path[700];
    tempdir_make(&dir);
    snprintf(path, sizeof path, "%s/doc/handoff.schema.json", getenv("SL_SRCDIR"));
    schema = schema_read(path, &schema_source);
}

static void drop_plan(void)
{
    yajl_tree_free(out);
    free(out_text);
    out = NULL;
    out_text = NULL;
    sl_plan_free(&plan);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    diags = (struct sl_diags){0};
}

static void teardown(void)
{
    drop_plan();
    yajl_tree_free(schema);
    free(schema_source);
    tempdir_remove(&dir);
}

static void hand_off(const char *policy)
{
    char path[700];
    const struct sl_policy_spec *spec = sl_scenario_policy(&scenario, policy);
    ck_assert_msg(spec != NULL, "%s", policy);
    enum sl_status status = sl_policy_plan(&plan, &scenario, spec, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    struct sl_export what = {.scenario = scenario.name,
                             .policy = policy,
                             .graph = plan.graph,
                             .source = &scenario,
                             .plan = &plan};
    snprintf(path, sizeof path, "%.600s/handoff.json", dir.path);
    FILE *file = fopen(path, "w");
    status = handoff()->write(&what, file, &err);
    fclose(file);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    out = schema_read(path, &out_text);
}

static void load(const char *name, const char *policy, bool iterates)
{
    char path[700];
    snprintf(path, sizeof path, "%s/scenarios/%s", getenv("SL_SRCDIR"), name);
    struct sl_arena arena = {0};
    struct sl_override few;
    enum sl_status status =
        sl_override_parse(&few, "run={mode: iterate, iterations: 8, warmup: 2}", &arena, &err);
    if (status == SL_OK)
        status = sl_scenario_load(&scenario, path, &few, iterates, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", name, err.message);
    sl_arena_free(&arena);
    hand_off(policy ? policy : scenario.baseline);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static size_t length(yajl_val list)
{
    ck_assert(YAJL_IS_ARRAY(list));
    return list->u.array.len;
}
static yajl_val item(yajl_val list, size_t k)
{
    ck_assert_uint_lt(k, length(list));
    return list->u.array.values[k];
}
static double number(yajl_val map, const char *key)
{
    yajl_val value = schema_member(map, key);
    ck_assert_msg(value && YAJL_IS_NUMBER(value), "no number %s", key);
    return strtod(YAJL_GET_NUMBER(value), NULL);
}
static const char *text(yajl_val map, const char *key)
{
    yajl_val value = schema_member(map, key);
    return value && YAJL_IS_STRING(value) ? schema_text(value) : NULL;
}
static uint32_t node_at(yajl_val map, const char *key)
{
    return sl_names_find(&plan.graph->node_names, text(map, key));
}

/* ---- against the plan -------------------------------------------------------------------------
 */

/* Bytes of all copies, and what every node takes and gives, sum up to the plan's holdings. */
static void check_bytes(void)
{
    double copies = 0, held = 0, takes = 0, taken = 0, gives = 0, given = 0;
    yajl_val objects = schema_member(out, "objects"), nodes = schema_member(out, "nodes");
    for (size_t o = 0; o < length(objects); o++) {
        yajl_val list = schema_member(item(objects, o), "copies");
        for (size_t k = 0; k < length(list); k++)
            copies += number(item(list, k), "bytes");
    }
    for (size_t i = 0; i < length(nodes); i++) {
        yajl_val list = schema_member(item(nodes, i), "capacity_delta");
        for (size_t k = 0; k < length(list); k++) {
            takes += number(item(list, k), "at_start_bytes");
            gives -= number(item(list, k), "at_finish_bytes");
        }
    }
    const struct sl_graph *g = plan.graph;
    for (uint32_t k = 0; k < g->holding_count; k++)
        held += g->holdings[k].kind == SL_HOLD_OBJECT ? (double)g->holdings[k].bytes : 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        for (uint32_t k = 0; k < g->nodes[i].takes.count; k++)
            taken += (double)g->holdings[g->holdings_pool[g->nodes[i].takes.first + k]].bytes;
        for (uint32_t k = 0; k < g->nodes[i].gives.count; k++)
            given += (double)g->holdings[g->holdings_pool[g->nodes[i].gives.first + k]].bytes;
    }
    ck_assert_double_eq(copies, held); /* whole bytes below 2^53, and no domain of these rounds */
    ck_assert_double_eq(takes, taken);
    ck_assert_double_eq(gives, given);
    ck_assert_double_eq(number(schema_member(out, "totals"), "copy_bytes"), held);
}

/* Every edge is named once by the predicate of its consumer. */
static void check_edges(void)
{
    const struct sl_graph *g = plan.graph;
    yajl_val edges = schema_member(out, "edges"), nodes = schema_member(out, "nodes");
    ck_assert_uint_eq(length(edges), g->edge_count);
    ck_assert_uint_eq(length(nodes), g->node_count);
    unsigned char *seen = calloc(g->edge_count + 1, 1);
    for (size_t i = 0; i < length(nodes); i++) {
        ck_assert_uint_eq(node_at(item(nodes, i), "node"), i);
        yajl_val ready = schema_member(item(nodes, i), "ready");
        yajl_val list = schema_member(ready, "predecessors_complete");
        for (size_t k = 0; k < length(list); k++) {
            size_t e = (size_t)YAJL_GET_INTEGER(item(list, k));
            ck_assert_str_eq(text(item(edges, e), "to"), g->nodes[i].name);
            ck_assert_uint_eq(g->edges[e].from.i, node_at(item(edges, e), "from"));
            ck_assert_uint_eq(seen[e]++, 0);
        }
        yajl_val before = schema_member(ready, "sequence_predecessor");
        if (YAJL_IS_STRING(before)) {
            uint32_t p = node_at(ready, "sequence_predecessor");
            ck_assert(p < i && g->nodes[p].lane == g->nodes[i].lane);
        }
    }
    for (uint32_t e = 0; e < g->edge_count; e++)
        ck_assert_uint_eq(seen[e], 1);
    free(seen);
}

/* A user of a copy comes after who takes it and before who gives it back, along the plan's edges.
 */
static void check_reclaims(void)
{
    static const char *const terms[] = {"readers_finished", "alias_uses_finished",
                                        "transfers_finished", "protecting_barriers_finished"};
    const struct sl_graph *g = plan.graph;
    uint32_t *position = calloc(g->node_count + 1, sizeof *position);
    for (uint32_t t = 0; t < g->node_count; t++)
        position[g->topo[t]] = t;
    yajl_val objects = schema_member(out, "objects");
    size_t users = 0;
    for (size_t o = 0; o < length(objects); o++)
        for (size_t c = 0; c < length(schema_member(item(objects, o), "copies")); c++) {
            yajl_val copy = item(schema_member(item(objects, o), "copies"), c);
            yajl_val ready = schema_member(copy, "reclaim_ready");
            yajl_val takers = schema_member(copy, "taken_at_start_of"),
                     givers = schema_member(copy, "given_back_at_finish_of");
            for (int t = 0; t < 4; t++)
                for (size_t k = 0; k < length(schema_member(ready, terms[t])); k++, users++) {
                    const char *name = schema_text(item(schema_member(ready, terms[t]), k));
                    uint32_t user = position[sl_names_find(&g->node_names, name)];
                    if (length(takers) == 1)
                        ck_assert_msg(user >= position[sl_names_find(&g->node_names,
                                                                     schema_text(item(takers, 0)))],
                                      "%s before its copy", name);
                    if (length(givers) == 1)
                        ck_assert_msg(user <= position[sl_names_find(&g->node_names,
                                                                     schema_text(item(givers, 0)))],
                                      "%s after its copy", name);
                }
        }
    ck_assert(users > 0 || length(objects) == 0);
    free(position);
}

/* r_i by its definition, from the edges and durations as they are written. */
static void check_windows(void)
{
    const struct sl_graph *g = plan.graph;
    yajl_val nodes = schema_member(out, "nodes");
    bool *named = calloc(g->node_count + 1, sizeof *named); /* as a fallback: idle */
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->nodes[n].fallback.i != SL_NONE)
            named[g->nodes[n].fallback.i] = true;
    for (size_t i = 0; i < length(nodes); i++) {
        yajl_val window = schema_member(item(nodes, i), "window");
        ck_assert_double_eq_tol(number(window, "latest_start_us") - number(window, "ready_us"),
                                number(window, "slack_us"), 1e-3);
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct sl_edge *edge = &g->edges[e];
        yajl_val from = item(nodes, edge->from.i), to = item(nodes, edge->to.i);
        yajl_val duration = schema_member(from, "duration");
        if (edge->next > 0 || YAJL_IS_TRUE(schema_member(from, "on_demand")))
            continue;
        double takes = YAJL_IS_NULL(duration) || named[edge->from.i]
                           ? 0
                           : number(duration, "mean_us") + number(duration, "latency_mean_us");
        ck_assert_msg(number(schema_member(to, "window"), "ready_us") >=
                          number(schema_member(from, "window"), "ready_us") + takes - 1e-3,
                      "%s -> %s", g->nodes[edge->from.i].name, g->nodes[edge->to.i].name);
    }
    free(named);
}

static void check_all(void)
{
    const char *fault = schema_fault(&schema_state, schema, out);
    ck_assert_msg(!*fault, "%s", fault);
    yajl_val totals = schema_member(out, "totals");
    ck_assert_double_eq(number(totals, "nodes"), plan.graph->node_count);
    ck_assert_double_eq(number(totals, "edges"), plan.graph->edge_count);
    ck_assert_double_eq(number(totals, "objects"), plan.graph->object_count);
    check_bytes();
    check_edges();
    check_reclaims();
    check_windows();
}

static const struct {
    const char *scenario, *policy;
    bool iterates;
} cases[] = {
    {"hello", "fetch-early", false},
    {"hello", "recompute", false},
    {"activation-offload", "offload-jit", false},
    {"activation-offload", "mixed-lookahead", false},
    {"moe-prefetch", NULL, true},
    {"weight-stream", NULL, false},
    {"two-gpu", NULL, false},
    {"train-steady", NULL, true},
    {"optimizer-offload/cpu-step", NULL, false},
    {"counterexamples/speculation-starves-demand", NULL, false},
    {"kv-offload", "ahead", false},
    {"kv-offload", "nvme", false},
    {"azure-conversation/llama-8b", "as-given", false},
    {"counterexamples/requests-admitted-without-memory", "serve", false},
    {"counterexamples/shortest-first-starves-long", "short-first-aging", false},
};

START_TEST(exports_follow_the_schema_and_the_plan)
{
    load(cases[_i].scenario, cases[_i].policy, cases[_i].iterates);
    check_all();
}
END_TEST

/* Every key, number and word by hand, of a plan small enough. */
START_TEST(small_plan_by_hand)
{
    tempdir_write(&dir, "scenario.yaml",
                  "name: tiny\nnodes: nodes.csv\nobjects: objects.csv\noverlap: overlap.csv\n"
                  "resources: {sm: {servers: 1, group: g}, link: {servers: 2, group: g}}\n"
                  "domains: {hbm: {capacity: 1GiB, reserve: 1MiB, rounding: 2MiB}, far: {}}\n"
                  "guards: {hit: {probability: 0.25}}\n"
                  "objective: {tail: 0.9, constraints: [max_wait <= 3ms, tail <= 1s]}\n"
                  "baseline: as-given\npolicies: [{name: as-given, action: as-given}]\n");
    tempdir_write(&dir, "objects.csv", "object,size,home\nx,3MiB,hbm\n");
    tempdir_write(&dir, "overlap.csv", "a,b,allowed,proof\na,b,no,one bank\n");
    tempdir_write(
        &dir, "nodes.csv",
        "node,kind,class,resource,duration,inputs,outputs,guard,workspace,deadline,priority,"
        "fallback,evidence\n"
        "make,compute,a,sm,100us,,x,,hbm:3MiB,,2,,measured: here\n"
        "use,compute,b,sm;link:2,\"uniform(low=10us, high=30us)\",x,,hit,,5ms,,late,\n"
        "late,compute,,sm,1us,x,,,,,,,\n");
    enum sl_status status = sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    hand_off("as-given");
    const char *fault = schema_fault(&schema_state, schema, out);
    ck_assert_msg(!*fault, "%s", fault);
    ck_assert_double_eq(number(schema_member(out, "fairness"), "wait_bound_us"), 3000);
    yajl_val domain = item(schema_member(out, "domains"), 0);
    ck_assert_double_eq(number(domain, "limit_bytes"), 1023. * 1048576);
    ck_assert(YAJL_IS_NULL(schema_member(item(schema_member(out, "domains"), 1), "limit_bytes")));
    yajl_val nodes = schema_member(out, "nodes"), make = item(nodes, 0), use = item(nodes, 1);
    yajl_val need = schema_member(schema_member(make, "ready"), "required_capacity_available");
    ck_assert_double_eq(number(item(need, 0), "bytes"),
                        7. * 1048576); /* 4 rounded, 3 of workspace */
    yajl_val delta = item(schema_member(make, "capacity_delta"), 0);
    ck_assert_double_eq(number(delta, "at_start_bytes"), 4. * 1048576);
    ck_assert_double_eq(number(delta, "while_running_bytes"), 3. * 1048576);
    ck_assert_str_eq(text(make, "evidence"), "measured: here");
    ck_assert_double_eq(number(make, "priority"), 2);
    yajl_val duration = schema_member(use, "duration");
    ck_assert_double_eq_tol(number(duration, "mean_us"), 20, 1e-9);
    ck_assert_double_eq_tol(number(duration, "p90_us"), 28, 1e-9);
    ck_assert_str_eq(text(use, "fallback"), "late");
    ck_assert_double_eq(number(use, "deadline_us"), 5000);
    yajl_val window = schema_member(use, "window");
    ck_assert_double_eq_tol(number(window, "ready_us"), 100, 1e-9);
    yajl_val guard = item(schema_member(use, "guard"), 0);
    ck_assert_str_eq(text(guard, "guard"), "hit");
    ck_assert(YAJL_IS_TRUE(schema_member(guard, "holds")));
    yajl_val overlap = schema_member(out, "overlap");
    yajl_val forbidden = item(schema_member(overlap, "forbidden"), 0);
    ck_assert_str_eq(text(forbidden, "proof"), "one bank");
    ck_assert_uint_gt(length(schema_member(overlap, "hypothetical")), 0); /* there is no table */
    yajl_val fallback = schema_member(out, "fallback");
    ck_assert_str_eq(text(fallback, "policy"), "as-given");
    /* At means the guard fails (1/4), and its fallback runs: 100 us, then 1 us; x goes then. */
    ck_assert_uint_eq(length(schema_member(fallback, "schedule")), 3);
    ck_assert_double_eq(number(out, "planned_makespan_us"), 101);
}
END_TEST

/* The validator itself finds what is wrong. */
/* One job's graph, and all that comes in, by hand. */
START_TEST(jobs_by_hand)
{
    tempdir_write(&dir, "scenario.yaml",
                  "name: queue\nnodes: nodes.csv\nobjects: objects.csv\n"
                  "resources: {sm: {servers: 1, batch: {most: 4, wait: 2ms, per_member: 5%}}}\n"
                  "domains: {hbm: {capacity: 1GiB, reserve: 1MiB}}\n"
                  "run: {mode: open, arrivals: poisson(rate=4/s), jobs: 50, warmup: 5,\n"
                  "  parameters: {n: 'uniform(1, 3)'}, marks: {first: a},\n"
                  "  slo: {first: 3ms}, admission: {jobs: 7, memory: hbm, when_full: reject}}\n"
                  "objective: {metric: first, tail: 0.9}\n"
                  "policies: [{name: as-given, action: as-given}]\n");
    tempdir_write(&dir, "objects.csv", "object,size\nx,1MiB * n\n");
    tempdir_write(&dir, "nodes.csv",
                  "node,kind,resource,duration,steps,inputs,outputs,deadline\n"
                  "a,compute,sm,1ms * n,1,,x,\nb,compute,,2ms,n,x,,9ms\n");
    enum sl_status status = sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err);
    for (size_t i = 0; i < diags.count; i++)
        ck_assert_msg(diags.items[i].severity != SL_ERROR, "%s", diags.items[i].message);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    hand_off("as-given");
    const char *fault = schema_fault(&schema_state, schema, out);
    ck_assert_msg(!*fault, "%s", fault);
    yajl_val jobs = schema_member(out, "jobs");
    ck_assert_str_eq(text(jobs, "mode"), "open");
    ck_assert_str_eq(text(jobs, "arrivals"), "poisson(rate=4/s)");
    ck_assert_double_eq(number(jobs, "rate_per_s"), 4);
    ck_assert(YAJL_IS_NULL(schema_member(jobs, "clients")));
    ck_assert_double_eq(number(jobs, "jobs"), 50);
    ck_assert_double_eq(number(jobs, "warmup"), 5);
    yajl_val n = item(schema_member(jobs, "parameters"), 0);
    ck_assert_str_eq(text(n, "parameter"), "n");
    ck_assert_double_eq(number(n, "mean"), 2);
    yajl_val admission = schema_member(jobs, "admission");
    ck_assert_double_eq(number(admission, "jobs_at_most"), 7);
    ck_assert_str_eq(text(admission, "when_full"), "reject");
    ck_assert_str_eq(text(admission, "by_memory_of"), "hbm");
    ck_assert_str_eq(text(admission, "when_short"), "queue");
    yajl_val batch = item(schema_member(jobs, "batches"), 0);
    ck_assert_str_eq(text(batch, "resource"), "sm");
    ck_assert_double_eq(number(batch, "at_most"), 4);
    ck_assert_double_eq(number(batch, "wait_us"), 2000);
    ck_assert_double_eq(number(batch, "longer_per_member"), 0.05);
    yajl_val first = item(schema_member(jobs, "measures"), 1);
    ck_assert_str_eq(text(first, "measure"), "first");
    ck_assert_str_eq(text(first, "to_finish_of"), "a");
    ck_assert_double_eq(number(first, "limit_us"), 3000);
    yajl_val a = item(schema_member(out, "nodes"), 0), b = item(schema_member(out, "nodes"), 1);
    yajl_val per_job = schema_member(schema_member(a, "duration"), "per_job");
    ck_assert_str_eq(text(per_job, "times"), "1ms * n");
    ck_assert_double_eq(number(schema_member(a, "duration"), "mean_us"), 2000);
    ck_assert_str_eq(text(schema_member(schema_member(b, "duration"), "per_job"), "steps"), "n");
    ck_assert_double_eq(number(schema_member(b, "duration"), "mean_us"), 4000);
    ck_assert_double_eq(number(b, "deadline_us"), 9000);
    ck_assert_str_eq(text(item(schema_member(out, "objects"), 0), "bytes_per_job"), "1MiB * n");
    ck_assert_str_eq(text(schema_member(out, "objective"), "metric"), "first");
}
END_TEST

START_TEST(validator_finds_faults)
{
    load("hello", "fetch-early", false);
    static const struct {
        const char *from, *to;
    } breaks[] = {
        {"\"kind\": \"offload\"", "\"kind\": \"off-load\""},
        {"\"format\": \"slackline-handoff\"", "\"format\": \"slackline-reply\""},
        {"\"lag_us\": 0", "\"lag_us\": -1"},
        {"\"copy_bytes\": ", "\"copy_bytes\": \"\", \"x\": "},
        {"\"derived\": false", "\"derived\": 0"},
        {"\"sequence\": null", "\"sequences\": null"},
    };
    for (size_t k = 0; k < sizeof breaks / sizeof *breaks; k++) {
        char why[100];
        char *broken = calloc(1, strlen(out_text) + 100), *at = strstr(out_text, breaks[k].from);
        ck_assert_msg(broken && at, "%s", breaks[k].from);
        memcpy(broken, out_text, (size_t)(at - out_text));
        strcat(broken, breaks[k].to);
        strcat(broken, at + strlen(breaks[k].from));
        yajl_val tree = yajl_tree_parse(broken, why, sizeof why);
        ck_assert_msg(tree != NULL, "%s", why);
        ck_assert_msg(*schema_fault(&schema_state, schema, tree), "%s", breaks[k].to);
        yajl_tree_free(tree);
        free(broken);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("handoff");
    TCase *tc = tcase_create("handoff");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, exports_follow_the_schema_and_the_plan, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tc, small_plan_by_hand);
    tcase_add_test(tc, jobs_by_hand);
    tcase_add_test(tc, validator_finds_faults);
    suite_add_tcase(all, tc);
    return all;
}

int main(void)
{
    return sl_test_run(suite());
}
