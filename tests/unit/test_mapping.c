/* The built-in CUDA mapping: what holds of every plan that it maps, and small plans by hand.
 *
 * At mean durations streams change nothing, as they follow the plan's own order there; with any
 * durations the events that it inserts keep bytes within the limit and forbidden pairs apart, even
 * where the simulator is told of neither. */
#include <config.h>

#include "engine.h"
#include "evictor.h"
#include "mapping.h"
#include "mean_run.h"
#include "planlab.h"
#include "recompute.h"
#include "schema.h"

static struct sl_scenario scenario;
static struct sl_diags diags;
static struct sl_error err;
static struct sl_plan plan;
static struct sl_reply reply, again;
static struct sl_recomputed made;
static struct tempdir dir;

static void setup(void)
{
    tempdir_make(&dir);
}

static void teardown(void)
{
    sl_recomputed_free(&made);
    sl_reply_free(&reply);
    sl_reply_free(&again);
    sl_plan_free(&plan);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}

static void map_policy(const char *policy)
{
    const struct sl_policy_spec *spec = sl_scenario_policy(&scenario, policy);
    ck_assert_msg(spec != NULL, "%s", policy);
    enum sl_status status = sl_policy_plan(&plan, &scenario, spec, &diags, &err);
    if (status == SL_OK)
        status = sl_mapping_answer(&reply, sl_mapping_get(0), &scenario, policy, &plan, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
}

static void load(const char *path, bool iterates, const char *policy)
{
    struct sl_arena arena = {0};
    struct sl_override few;
    enum sl_status status =
        sl_override_parse(&few, "run={mode: iterate, iterations: 6, warmup: 2}", &arena, &err);
    if (status == SL_OK)
        status = sl_scenario_load(&scenario, path, &few, iterates, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", path, err.message);
    sl_arena_free(&arena);
    map_policy(policy ? policy : scenario.baseline);
}

static void load_tables(const char *yaml, const char *nodes, const char *overlap)
{
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", nodes);
    tempdir_write(&dir, "objects.csv", "object,size,home\nx,3MiB,hbm\ny,3MiB,hbm\nz,3MiB,hbm\n");
    if (overlap)
        tempdir_write(&dir, "overlap.csv", overlap);
    load(dir.path, false, "p");
}

static const struct sl_reply_mechanism *wish(const char *words)
{
    for (uint32_t k = 0; k < reply.mechanisms.count; k++)
        if (strstr(reply.mechanisms.items[k].wish, words))
            return &reply.mechanisms.items[k];
    return NULL;
}

static void recompute(void)
{
    enum sl_status status = sl_recompute(&made, &plan, &reply, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
}

/* ---- of every plan ----------------------------------------------------------------------------
 */

static const struct {
    const char *scenario, *policy;
    bool iterates;
} cases[] = {
    {"hello", "fetch-early", false},
    {"hello", "recompute", false},
    {"activation-offload", "offload-jit", false},
    {"activation-offload", "mixed-lookahead", false},
    {"weight-stream", NULL, false},
    {"train-steady", NULL, true},
    {"counterexamples/maximize-overlap", "as-given", false},
};

static void load_case(int k)
{
    char path[700];
    snprintf(path, sizeof path, "%s/scenarios/%s", getenv("SL_SRCDIR"), cases[k].scenario);
    load(path, cases[k].iterates, cases[k].policy);
}

START_TEST(nothing_changes_at_means)
{
    struct sl_mean_run before, after;
    load_case(_i);
    ck_assert_int_ne(reply.feasible, SL_REPLY_NO);
    recompute();
    ck_assert_uint_eq(made.inversions, 0);
    ck_assert_int_eq(sl_mean_run(&before, plan.graph, &plan.engine, &err), SL_OK);
    ck_assert_int_eq(sl_mean_run(&after, made.plan.graph, &made.plan.engine, &err), SL_OK);
    ck_assert_int_eq(after.makespan_ps, before.makespan_ps);
    for (uint32_t i = 0; i < plan.graph->node_count; i++)
        ck_assert_msg(after.start_ps[i] == before.start_ps[i], "%s", plan.graph->nodes[i].name);
    sl_mean_run_free(&before);
    sl_mean_run_free(&after);
}
END_TEST

/* The same trials, in which the simulator knows no limit of bytes: the events alone hold it. */
START_TEST(events_keep_bytes_within_the_limit)
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    load_case(_i);
    recompute();
    uint32_t domains = made.platform.domain_names.count;
    int64_t limit[16];
    ck_assert_uint_le(domains, 16);
    for (uint32_t d = 0; d < domains; d++) {
        limit[d] = made.platform.domains[d].capacity < 0
                       ? INT64_MAX
                       : made.platform.domains[d].capacity - made.platform.domains[d].reserve;
        made.platform.domains[d].capacity = -1;
    }
    for (uint32_t i = 0; i < made.plan.graph->node_count; i++) { /* wilder than they are */
        struct sl_node *node = sl_graph_edit_node(made.plan.graph, i, &err);
        if (node->dist && !sl_dist_is_const(node->dist))
            node->scale *= i % 3 == 0 ? 4 : i % 3 == 1 ? 0.25 : 1;
    }
    sl_graph_drop_lists(made.plan.graph);
    ck_assert_int_eq(sl_graph_finish(made.plan.graph, &err), SL_OK);
    enum sl_status status = sl_program_create(&program, made.plan.graph, &made.plan.engine, &err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, &err);
    for (uint32_t t = 0; status == SL_OK && t < 50; t++) {
        status = sl_worker_run(worker, 7, t, 0, &trial, &err);
        ck_assert_int_eq(trial->outcome, SL_DONE);
        for (uint32_t d = 0; status == SL_OK && d < domains; d++)
            ck_assert_msg(trial->peak_bytes[d] <= limit[d], "%s: %lld of %lld",
                          made.platform.domain_names.names[d], (long long)trial->peak_bytes[d],
                          (long long)limit[d]);
    }
    ck_assert_msg(status == SL_OK, "%s", err.message);
    sl_worker_free(worker);
    sl_program_free(program);
}
END_TEST

static void check_schema(const char *path)
{
    struct schema state;
    char *texts[2], file[700];
    snprintf(file, sizeof file, "%s/doc/reply.schema.json", getenv("SL_SRCDIR"));
    yajl_val schema = schema_read(file, &texts[0]), answer = schema_read(path, &texts[1]);
    const char *fault = schema_fault(&state, schema, answer);
    ck_assert_msg(!*fault, "%s", fault);
    yajl_tree_free(schema);
    yajl_tree_free(answer);
    free(texts[0]);
    free(texts[1]);
}

/* What is written follows the schema, is read back, and written the same again. */
START_TEST(an_answer_is_a_reply)
{
    char path[700];
    load_case(_i);
    for (int pass = 0; pass < 2; pass++) {
        snprintf(path, sizeof path, "%.600s/reply.%d", dir.path, pass);
        FILE *file = fopen(path, "w");
        ck_assert_int_eq(sl_reply_write(pass ? &again : &reply, plan.graph, file, &err), SL_OK);
        fclose(file);
        check_schema(path);
        sl_reply_free(&again);
        enum sl_status status = sl_reply_read(&again, path, plan.graph, &diags, &err);
        ck_assert_msg(status == SL_OK, "%s %s", err.message,
                      diags.count ? diags.items[diags.count - 1].message : "");
        ck_assert_str_eq(again.sha256, reply.sha256);
    }
    ck_assert_uint_eq(again.edges.count, reply.edges.count);
    ck_assert_uint_eq(again.queues.count, reply.queues.count);
    ck_assert_uint_eq(again.mechanisms.count, reply.mechanisms.count);
}
END_TEST

/* ---- by hand ----------------------------------------------------------------------------------
 */

#define MACHINE                                                                                    \
    "name: t\nnodes: nodes.csv\nobjects: objects.csv\n"                                            \
    "resources: {sm: {servers: 2, group: g}, h2d: {servers: 2}, host: {servers: 4}}\n"             \
    "domains: {hbm: {capacity: 8MiB, reserve: 1MiB}, pinned: {}, dram: {}}\n"                      \
    "routes: [{from: pinned, to: hbm, resource: h2d, bandwidth: 10GB/s},\n"                        \
    "         {from: dram, to: hbm, resource: h2d, bandwidth: 10GB/s}]\n"                          \
    "policies: [{name: p, action: as-given}]\n"

/* Three kernels on two servers, all ready at 0: two streams, the third behind the one that is free
 * first, a (10 us) or b (20 us).  Copies have one engine.  The host has no stream. */
START_TEST(streams_of_servers)
{
    load_tables(MACHINE,
                "node,kind,class,resource,duration,inputs,outputs\n"
                "a,compute,k,sm,10us,,\nb,compute,k,sm,20us,,\nc,compute,k,sm,5us,,\n"
                "d,compute,h,host,5us,,\ne,compute,l,h2d,5us,,\nf,compute,l,h2d,5us,,\n",
                NULL);
    ck_assert_uint_eq(reply.queues.count, 3);
    const struct sl_reply_queue *first = &reply.queues.items[0];
    ck_assert_str_eq(first->name, "stream sm.0");
    ck_assert_uint_eq(first->count, 2);
    ck_assert_str_eq(plan.graph->nodes[first->nodes[1]].name, "c");
    ck_assert_uint_eq(reply.limits.count, 1);
    ck_assert_uint_eq(reply.limits.items[0].servers, 1);
    ck_assert_ptr_nonnull(wish("sm serves its waiting nodes by fifo"));
    ck_assert_int_eq(reply.feasible, SL_REPLY_CONSTRAINED);
}
END_TEST

/* Of a1 a2 b1 a3, in that order at means, b1 is kept apart from every a by edges alone. */
START_TEST(forbidden_pairs_are_ordered)
{
    load_tables(MACHINE "overlap: overlap.csv\nkappa: {unknown_kappa: 1}\n",
                "node,kind,class,resource,duration,release\n"
                "a1,compute,k,sm,10us,0us\na2,compute,k,sm,10us,0us\nb1,compute,l,sm,5us,2us\n"
                "a3,compute,k,sm,10us,11us\n",
                "a,b,allowed,proof\nk,l,no,one bank\n");
    recompute();
    const struct sl_graph *g = made.plan.graph;
    uint32_t b1 = sl_names_find(&g->node_names, "b1");
    bool before[2] = {false, false}, after = false;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        before[0] |= g->edges[e].from.i == 0 && g->edges[e].to.i == b1;
        before[1] |= g->edges[e].from.i == 1 && g->edges[e].to.i == b1;
        after |= g->edges[e].from.i == b1 && g->edges[e].to.i == 3;
    }
    ck_assert(before[0] && before[1] && after);
    ck_assert_int_eq(wish("never run together")->realizable, SL_TRUTH_YES);
}
END_TEST

/* What CUDA cannot do is said, and why. */
START_TEST(what_cannot_be_realized)
{
    load_tables(
        MACHINE "overlap: overlap.csv\n",
        "node,kind,class,resource,duration,inputs,outputs,object,from,to,deadline,fallback,"
        "priority\n"
        "a,compute,k,sm,100us,,x,,,,,,1\nb,compute,k,sm,20us,x,,,,,50us,f,2\n"
        "f,compute,k,sm,1us,,,,,,,,3\ng,compute,k,sm,1us,,,,,,,,4\nh,compute,k,sm,1us,,,,,,,,5\n"
        "i,compute,k,sm,1us,,,,,,,,6\nj,compute,l,sm,1us,,,,,,,,7\n",
        "a,b,allowed,proof,earliest,latest\nk,l,yes,ok,10us,20us\n");
    const struct sl_reply_mechanism *cancel = wish("is cancelled");
    ck_assert(cancel && cancel->realizable == SL_TRUTH_NO && strstr(cancel->note, "late"));
    ck_assert_uint_eq(reply.kept.count, 1);
    ck_assert_int_eq(wish("window of time")->realizable, SL_TRUTH_NO);
    ck_assert_int_eq(wish("higher priority")->realizable, SL_TRUTH_NO);
    ck_assert_uint_eq(wish("higher priority")->count, 7);
    ck_assert_uint_gt(reply.deviations.count, 0);
}
END_TEST

/* x and y lie in 7 MiB, z waits for x: its event is behind the reclamation of x.  Nothing maps, so
 * that no granularity is stated; with a mapping node it is. */
START_TEST(waits_for_bytes_and_granularity)
{
    load_tables(MACHINE,
                "node,kind,class,resource,duration,inputs,outputs\n"
                "a,compute,k,sm,10us,,x\nb,compute,k,sm,50us,,y\nc,compute,h,host,10us,,z\n",
                NULL);
    ck_assert_ptr_nonnull(wish("waits for bytes of hbm"));
    ck_assert_uint_eq(reply.edges.count, 1);
    ck_assert_int_eq(reply.edges.items[0].type, SL_EDGE_CAPACITY);
    ck_assert_str_eq(plan.graph->nodes[reply.edges.items[0].to].name, "c");
    ck_assert_ptr_nonnull(strstr(wish("copies of objects")->mechanism, "cudaMallocAsync"));
    for (uint32_t k = 0; k < reply.limits.count; k++)
        ck_assert_int_eq(reply.limits.items[k].rounding, 0);
}
END_TEST

START_TEST(mapped_memory_comes_in_pieces)
{
    load_tables(MACHINE,
                "node,kind,class,resource,duration,inputs,outputs,object\n"
                "m,mapping,,,1us,,,x\na,compute,k,sm,10us,,x,\n",
                NULL);
    const struct sl_reply_limit *last = &reply.limits.items[reply.limits.count - 1];
    ck_assert_int_eq(last->rounding, 2 << 20);
    ck_assert_ptr_nonnull(strstr(wish("copies of objects")->mechanism, "cuMemMap"));
}
END_TEST

/* In the loop on a CPU both domains are pageable, and two cores copy: no engine, nothing that is
 * page-locked.  In hello copies come from page-locked memory to the device, by an engine. */
START_TEST(host_to_host_is_a_memcpy)
{
    char path[700];
    snprintf(path, sizeof path, "%s/scenarios/cpu-loop/activations", getenv("SL_SRCDIR"));
    load(path, false, "ahead");
    const struct sl_reply_mechanism *move = wish("moves from arena to store");
    ck_assert_ptr_nonnull(move);
    ck_assert_int_eq(move->realizable, SL_TRUTH_YES);
    ck_assert_int_eq(strncmp(move->mechanism, "memcpy by a thread of the host", 30), 0);
    ck_assert_ptr_nonnull(strstr(move->note, "synchronous to the host"));
    ck_assert_ptr_null(wish("copies of different directions"));
    for (uint32_t k = 0; k < reply.mechanisms.count; k++)
        ck_assert_ptr_null(strstr(reply.mechanisms.items[k].mechanism, "page-locked"));
}
END_TEST

START_TEST(page_locked_to_device_is_asynchronous)
{
    load_case(0);
    ck_assert_ptr_nonnull(strstr(wish("moves from pinned to hbm")->mechanism,
                                 "cudaMemcpyAsync of page-locked memory"));
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("mapping");
    TCase *tc = tcase_create("cuda");
    int count = (int)(sizeof cases / sizeof *cases);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, nothing_changes_at_means, 0, count);
    tcase_add_loop_test(tc, events_keep_bytes_within_the_limit, 0, count);
    tcase_add_loop_test(tc, an_answer_is_a_reply, 0, count);
    tcase_add_test(tc, streams_of_servers);
    tcase_add_test(tc, forbidden_pairs_are_ordered);
    tcase_add_test(tc, what_cannot_be_realized);
    tcase_add_test(tc, waits_for_bytes_and_granularity);
    tcase_add_test(tc, mapped_memory_comes_in_pieces);
    tcase_add_test(tc, host_to_host_is_a_memcpy);
    tcase_add_test(tc, page_locked_to_device_is_asynchronous);
    suite_add_tcase(all, tc);
    return all;
}

int main(void)
{
    return sl_test_run(suite());
}
