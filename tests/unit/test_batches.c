/* Batches by hand, what they cannot have, and how they are read. */
#include <config.h>

#include "jobs_parts.h"
#include "lab.h"
#include "scenario.h"
#include "tempdir.h"

enum { MOST = 16 };

static struct lab lab;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;
static struct sl_job_record seen[MOST];

struct script {
    const int64_t *t_us;
    const double *steps;
    uint64_t count, next;
};

static enum sl_status next_of_script(void *user, struct sl_job_arrival *arrival, bool *more,
                                     struct sl_error *err)
{
    struct script *script = user;
    (void)err;
    *more = script->next < script->count;
    if (!*more)
        return SL_OK;
    arrival->t_ps = script->t_us[script->next] * US;
    arrival->parameters = &script->steps[script->next++];
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)user;
    (void)err;
    ck_assert_uint_lt(record->job, MOST);
    seen[record->job] = *record;
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
}

static void teardown(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    program = NULL;
    worker = NULL;
    lab_close(&lab);
}

static enum sl_status try_jobs(struct script script, struct sl_error *err)
{
    const struct sl_jobs_options options = {.parameter_count = 1};
    const struct sl_job_source source = {next_of_script, &script};
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    return sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, err);
}

static void run_jobs(uint64_t count, const int64_t *t_us, const double *steps)
{
    LAB_OK(&lab, try_jobs((struct script){t_us, steps, count, 0}, &lab.err));
    ck_assert_uint_eq(totals->completed, count);
}

static const double no_steps[MOST];
#define TIMES(...)                                                                                 \
    sizeof((const int64_t[]){__VA_ARGS__}) / 8, (const int64_t[])                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static uint32_t batching_gpu(struct sl_batching batching)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab.resources[gpu].batch = batching;
    return gpu;
}

static void make_steps(uint32_t node, const char *text)
{
    static struct sl_names names;
    if (!names.count)
        (void)sl_names_add(&names, "tokens");
    LAB_OK(&lab, sl_expr_parse(&LAB_NODE(&lab, node).steps, text, SL_EXPR_NUMBER, &names,
                               (struct sl_place){0}, &lab.arena, &lab.err));
}

/* 10us each, half as long again for each further one: alone from 0 to 10us; jobs 1 to 3, of which
 * three fit, to 30us; then the last one. */
START_TEST(a_static_batch_takes_who_waits)
{
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 3, .per_member = 0.5});
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
    run_jobs(TIMES(0, 1, 2, 3, 4), no_steps);
    static const int64_t finish_us[] = {10, 30, 30, 30, 40};
    for (uint32_t k = 0; k < 5; k++)
        ck_assert_int_eq(seen[k].finish_ps, finish_us[k] * US);
    ck_assert_int_eq(seen[2].run_ps, 20 * US);
    ck_assert_int_eq(seen[2].isolated_ps, 20 * US);
    ck_assert_int_eq(seen[2].wait_ps[SL_CAUSE_QUEUE], 8 * US);
    ck_assert_uint_eq(totals->batches[0].batches, 3);
    ck_assert_uint_eq(totals->batches[0].steps, 5);
    ck_assert_uint_eq(totals->batches[0].most, 3);
    ck_assert_uint_eq(totals->batches[0].sizes[0], 2);
    ck_assert_uint_eq(totals->batches[0].sizes[1], 1);
    ck_assert_int_eq(totals->busy_ps[gpu], 40 * US);
    ck_assert_double_eq_tol(totals->unit_s[gpu], 40e-6, 1e-15);
}
END_TEST

/* The first waits for 5us: two at 5us; the next three are enough at 22us, before 20 + 5us. */
START_TEST(a_static_batch_waits_for_members)
{
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 3, .wait_ps = 5 * US});
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
    run_jobs(TIMES(0, 4, 20, 21, 22), no_steps);
    static const int64_t finish_us[] = {15, 15, 32, 32, 32};
    for (uint32_t k = 0; k < 5; k++)
        ck_assert_int_eq(seen[k].finish_ps, finish_us[k] * US);
    ck_assert_int_eq(seen[0].wait_ps[SL_CAUSE_QUEUE], 5 * US);
    ck_assert_int_eq(totals->end_ps, 32 * US);
}
END_TEST

/* Each has 40 of 100: two at a time, whatever the batch would hold. */
START_TEST(a_member_without_room_is_left_out)
{
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 8}),
             hbm = lab_domain(&lab, "hbm", 100);
    lab_graph(&lab);
    lab_workspace(&lab, lab_node(&lab, "a", "10us", gpu), hbm, 40);
    run_jobs(TIMES(0, 0, 0), no_steps);
    ck_assert_int_eq(seen[1].finish_ps, 10 * US);
    ck_assert_int_eq(seen[2].finish_ps, 20 * US);
    ck_assert_int_eq(totals->peak_bytes[hbm], 80);
}
END_TEST

/* Three of class x at once would slow each other down; a batch of them is one. */
START_TEST(a_batch_runs_once_beside_others)
{
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 4});
    lab_kappa(&lab, "x", "x", 3);
    lab_graph(&lab);
    LAB_NODE(&lab, lab_node(&lab, "a", "10us", gpu)).klass = 0;
    run_jobs(TIMES(0, 0, 0), no_steps);
    ck_assert_int_eq(totals->end_ps, 10 * US);
    ck_assert_int_eq(totals->class_busy_ps[0], 10 * US);
    ck_assert_int_eq(totals->overlap_ps[0], 0);
}
END_TEST

/* Prefill 4us and steps of 2us on one server, in order of time; m members take 1 + (m - 1) / 2 as
 * long.  Job 0 (3 steps): prefill 0-4, step 4-6.  Job 1 came at 5us, so that its prefill is before
 * job 0's second step: 6-10.  That step's place is of 6us, before job 1's first of 10us, and takes
 * it along: 10-13, 13-16.  Job 0 ends there, job 1 has 2 more: 16-18, 18-20. */
START_TEST(a_continuous_batch_yields_and_is_joined)
{
    uint32_t gpu =
        batching_gpu((struct sl_batching){.most = 4, .continuous = true, .per_member = 0.5});
    lab_graph(&lab);
    uint32_t prefill = lab_node(&lab, "prefill", "4us", gpu);
    uint32_t decode = lab_node(&lab, "decode", "2us", gpu);
    lab_edge(&lab, prefill, decode);
    make_steps(decode, "tokens");
    run_jobs(TIMES(0, 5), (const double[]){3, 4});
    ck_assert_int_eq(seen[0].finish_ps, 16 * US);
    ck_assert_int_eq(seen[1].finish_ps, 20 * US);
    ck_assert_int_eq(seen[0].wait_ps[SL_CAUSE_QUEUE], 4 * US); /* for job 1's prefill */
    ck_assert_int_eq(seen[0].run_ps, 12 * US);
    ck_assert_int_eq(seen[0].isolated_ps, (4 + 2 + 3 + 3) * US);
    ck_assert_int_eq(totals->batches[decode].pause_ps, 4 * US);
    ck_assert_uint_eq(totals->batches[decode].batches, 5);
    ck_assert_uint_eq(totals->batches[decode].steps, 7);
    ck_assert_int_eq(totals->busy_ps[gpu], 20 * US);
}
END_TEST

/* One member at a time: the second one begins when the first has made all its steps. */
START_TEST(members_are_not_displaced)
{
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 1, .continuous = true});
    lab_graph(&lab);
    make_steps(lab_node(&lab, "decode", "2us", gpu), "tokens");
    run_jobs(TIMES(0, 1), (const double[]){3, 2});
    ck_assert_int_eq(seen[0].finish_ps, 6 * US);
    ck_assert_int_eq(seen[1].finish_ps, 10 * US);
    ck_assert_int_eq(seen[1].wait_ps[SL_CAUSE_QUEUE], 5 * US);
}
END_TEST

START_TEST(steps_have_a_range)
{
    struct sl_error err = {0};
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 1, .continuous = true});
    lab_graph(&lab);
    make_steps(lab_node(&lab, "decode", "2us", gpu), "tokens - 1");
    const struct script script = {(const int64_t[]){0, 1}, (const double[]){2, 1}, 2, 0};
    ck_assert_int_eq(try_jobs(script, &err), SL_INVALID);
    ck_assert_msg(strstr(err.message, "job 1: 'decode' makes 0 steps") != NULL, "%s", err.message);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(const char *words)
{
    const struct sl_jobs_options options = {0};
    struct sl_error err = {0};
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &options, &err), SL_NO);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
    teardown();
    setup();
}

START_TEST(what_batches_cannot_have_is_refused)
{
    uint32_t gpu = batching_gpu((struct sl_batching){.most = 2});
    uint32_t cpu = lab_resource(&lab, "cpu", 1);
    lab_graph(&lab);
    lab_demand(&lab, lab_node(&lab, "a", "1us", cpu), gpu, 1);
    refused("'a' demands more than one server of 'gpu', which batches");
    gpu = batching_gpu((struct sl_batching){.most = 2});
    lab.resources[gpu].order = SL_ORDER_ISSUE;
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "1us", gpu);
    refused("cannot serve in order of issue");
    gpu = batching_gpu((struct sl_batching){.most = 2});
    lab_graph(&lab);
    LAB_NODE(&lab, lab_node(&lab, "a", "1us", gpu)).steps_mean = 2;
    refused("'a' makes steps");
}
END_TEST

/* ---- tables ---------------------------------------------------------------------------------- */

static struct tempdir dir;
static struct sl_scenario scenario;
static struct sl_diags diags;

static void open_dir(void)
{
    tempdir_make(&dir);
    diags = (struct sl_diags){0};
}

static void close_dir(void)
{
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}

static void load(const char *mode, const char *batch, const char *steps)
{
    char yaml[1000], nodes[200];
    struct sl_error err = {0};
    snprintf(yaml, sizeof yaml, "name: batches\nresources: {gpu: {batch: %s}}\n%s\n", batch, mode);
    snprintf(nodes, sizeof nodes, "node,kind,resource,duration,steps\ndecode,compute,gpu,2us,%s\n",
             steps);
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", nodes);
    (void)!sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err);
}

static void says(const char *text)
{
    bool said = false;
    for (uint32_t i = 0; i < diags.count; i++)
        said |= strstr(diags.items[i].message, text) != NULL;
    if (!said)
        sl_diags_print(&diags, stdout);
    ck_assert_msg(said, "%s", text);
    close_dir();
    open_dir();
    memset(&scenario, 0, sizeof scenario);
}

#define OPEN_MODE                                                                                  \
    "run: {mode: open, arrivals: poisson(rate=4/s), jobs: 10, parameters: {tokens: "               \
    "'uniform(low=0, high=40)'}}"

START_TEST(a_batch_is_read)
{
    load(OPEN_MODE, "{most: 64, continuous: true, per_member: 2%}", "tokens");
    ck_assert_uint_eq(diags.errors, 0);
    const struct sl_batching *batch = &scenario.platform.resources[0].batch;
    ck_assert_uint_eq(batch->most, 64);
    ck_assert(batch->continuous);
    ck_assert_double_eq(batch->per_member, 0.02);
    ck_assert_ptr_nonnull(scenario.graph->nodes[0].steps);
    /* What plans go by: 20 steps of 2us. */
    ck_assert_double_eq_tol(sl_node_mean_hold(scenario.graph, (sl_node_id){0}), 40e6, 1e-3);
}
END_TEST

START_TEST(faults_of_batches_are_named)
{
    load(OPEN_MODE, "{wait: 5ms}", "");
    says("most");
    load(OPEN_MODE, "{most: 0}", "");
    says("most: '0' is out of range");
    load(OPEN_MODE, "{most: 4, wait: 1ms, continuous: true}", "tokens");
    says("wait: a continuous batch");
    load(OPEN_MODE, "{most: 4, continuous: true}", "tokns");
    says("tokns");
    load(OPEN_MODE, "{most: 4, continuous: true}", "2.5");
    says("steps '2.5'");
    load("run: {mode: once}", "{most: 4, continuous: true}", "3");
    says("steps of node 'decode' change nothing in mode once");
    load("run: {mode: once}", "{most: 4}", "");
    says("resource 'gpu': batch changes nothing in mode once");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("batches");
    TCase *tcase = tcase_create("by hand");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_static_batch_takes_who_waits);
    tcase_add_test(tcase, a_static_batch_waits_for_members);
    tcase_add_test(tcase, a_member_without_room_is_left_out);
    tcase_add_test(tcase, a_batch_runs_once_beside_others);
    tcase_add_test(tcase, a_continuous_batch_yields_and_is_joined);
    tcase_add_test(tcase, members_are_not_displaced);
    tcase_add_test(tcase, steps_have_a_range);
    tcase_add_test(tcase, what_batches_cannot_have_is_refused);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("tables");
    tcase_add_checked_fixture(tcase, open_dir, close_dir);
    tcase_add_test(tcase, a_batch_is_read);
    tcase_add_test(tcase, faults_of_batches_are_named);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
