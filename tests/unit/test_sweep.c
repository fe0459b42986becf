/* Sweeps: the order of cells, axes that do not apply, baselines, resuming, warnings. */
#include <config.h>

#include "sweep.h"
#include "tempdir.h"
#include "threads.h"
#include <string.h>

#define MAX_SEEN 32

struct seen {
    uint32_t index;
    char policy[32], axis[2][16];
    enum sl_verdict verdict;
};

struct setup {
    struct tempdir dir;
    struct sl_sweep_request request;
    struct sl_sweep_totals totals;
    struct sl_diags diags;
    struct sl_error err;
    struct seen seen[MAX_SEEN];
    uint32_t count;
    uint32_t skip_below;        /* cells on disk already */
    enum sl_status sink_status; /* from cell fail_at on */
    uint32_t fail_at;
};

/* x (1 GiB) is written by f and read again by b.  In between m needs 1.5 GiB of workspace: with
 * 4 GiB everything fits, with 2 GiB m waits for ever unless x leaves. */
static const char *const NODES = "node,kind,class,resource,duration,inputs,outputs,workspace\n"
                                 "f,compute,gemm,compute,10us,,x,\n"
                                 "m,compute,gemm,compute,10us,,,hbm:1536MiB\n"
                                 "n,compute,gemm,compute,10us,,,\n"
                                 "o,compute,gemm,compute,10us,,,\n"
                                 "b,compute,gemm,compute,10us,x,,\n";
static const char *const EDGES = "from,to,type\nf,m,ordering\nm,n,ordering\nn,o,ordering\n"
                                 "o,b,ordering\nf,b,data-ready\n";
static const char *const HEAD =
    "name: sweep\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n"
    "resources:\n  compute: {servers: 1}\n  h2d: {servers: 1}\n  d2h: {servers: 1}\n"
    "domains:\n  hbm: {capacity: 4GiB}\n  pinned: {capacity: 64GiB}\n"
    "routes:\n"
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 52GB/s}\n"
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 52GB/s}\n"
    "trials: 5\nseed: 1\n";
static const char *const POLICIES =
    "policies:\n"
    "  - {name: keep, action: retain}\n"
    "  - {name: out, action: offload, select: all, prefetch: {when: lookahead, lookahead: 1}}\n";
static const char *const TWO_AXES =
    "baseline: keep\nfallback_baseline: out\n"
    "sweep:\n  policy.prefetch.lookahead: [1, 2]\n  domains.hbm.capacity: [4GiB, 2GiB]\n";

static enum sl_status note(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct setup *s = user;
    ck_assert_uint_lt(s->count, MAX_SEEN);
    struct seen *seen = &s->seen[s->count++];
    seen->index = cell->spec.index;
    seen->verdict = cell->verdict;
    snprintf(seen->policy, sizeof seen->policy, "%s", cell->spec.policy);
    for (uint32_t a = 0; a < cell->spec.axis_count && a < 2; a++)
        snprintf(seen->axis[a], sizeof seen->axis[a], "%s", cell->spec.axis_texts[a]);
    if (s->sink_status != SL_OK && seen->index >= s->fail_at)
        return SL_FAIL(err, s->sink_status, "the disk is full");
    return SL_OK;
}

static bool on_disk(void *user, const struct sl_cell_spec *spec)
{
    return spec->index < ((const struct setup *)user)->skip_below;
}

/* The number of threads shows nowhere: every test is run with each of these. */
static const uint32_t THREADS[] = {1, 2, 3, 7};
#define THREAD_COUNTS 4

static void setup_open(struct setup *s, int threads, const char *policies, const char *axes)
{
    memset(s, 0, sizeof *s);
    tempdir_make(&s->dir);
    char yaml[4096];
    snprintf(yaml, sizeof yaml, "%s%s%s", HEAD, policies, axes);
    tempdir_write(&s->dir, "scenario.yaml", yaml);
    tempdir_write(&s->dir, "nodes.csv", NODES);
    tempdir_write(&s->dir, "edges.csv", EDGES);
    tempdir_write(&s->dir, "objects.csv", "object,size,home\nx,1GiB,hbm\n");
    s->request = (struct sl_sweep_request){.path = s->dir.path,
                                           .sink = note,
                                           .skip = on_disk,
                                           .user = s,
                                           .options = {.pool = make_pool(THREADS[threads])}};
}

static enum sl_status run(struct setup *s)
{
    s->count = 0;
    enum sl_status status = sl_sweep_run(&s->request, &s->totals, &s->diags, &s->err);
    sl_diags_print(&s->diags, stderr);
    if (status != SL_OK && s->err.status != SL_OK)
        fprintf(stderr, "%s\n", s->err.message);
    return status;
}

static void setup_close(struct setup *s)
{
    sl_pool_free(s->request.options.pool);
    sl_diags_free(&s->diags);
    tempdir_remove(&s->dir);
}

static size_t warnings(const struct setup *s, const char *code, const char *about)
{
    size_t n = 0;
    for (size_t i = 0; i < s->diags.count; i++)
        n += strcmp(s->diags.items[i].code, code) == 0 &&
             strstr(s->diags.items[i].message, about) != NULL;
    return n;
}

struct expected {
    const char *policy, *lookahead, *capacity;
    bool ok;
};

static void assert_cells(const struct setup *s, const struct expected *expected, uint32_t count,
                         uint32_t first)
{
    ck_assert_uint_eq(s->count, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct seen *seen = &s->seen[i];
        ck_assert_uint_eq(seen->index, first + i);
        ck_assert_str_eq(seen->policy, expected[i].policy);
        ck_assert_str_eq(seen->axis[0], expected[i].lookahead);
        ck_assert_str_eq(seen->axis[1], expected[i].capacity);
        ck_assert_msg((seen->verdict == SL_VERDICT_OK) == expected[i].ok, "cell %u", seen->index);
    }
}

static const struct expected SIX[] = {
    {"keep", "", "4GiB", true}, {"out", "1", "4GiB", true}, {"keep", "", "2GiB", false},
    {"out", "1", "2GiB", true}, {"out", "2", "4GiB", true}, {"out", "2", "2GiB", true},
};

START_TEST(first_axis_slowest_and_one_cell_where_it_does_not_apply)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    ck_assert_int_eq(run(&s), SL_OK);
    assert_cells(&s, SIX, 6, 0);
    ck_assert_uint_eq(s.totals.cells, 6);
    ck_assert_uint_eq(s.totals.failed, 1);
    ck_assert_uint_eq(s.totals.skipped, 0);
    ck_assert_uint_eq(s.totals.trials, 30);
    setup_close(&s);
}
END_TEST

START_TEST(cells_are_known_without_running)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    struct sl_arena arena = {0};
    struct sl_cell_spec *specs = NULL;
    uint32_t count = 0;
    ck_assert_int_eq(sl_sweep_cells(&s.request, &arena, &specs, &count, &s.diags, &s.err), SL_OK);
    ck_assert_uint_eq(count, 6);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_str_eq(specs[i].policy, SIX[i].policy);
        ck_assert_str_eq(specs[i].axis_texts[1], SIX[i].capacity);
    }
    sl_arena_free(&arena);
    setup_close(&s);
}
END_TEST

/* The caller's scenario is enough without its folder, and stays as it was. */
START_TEST(a_scenario_that_is_loaded_is_not_read_again)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    static const struct expected two[] = {{"keep", "", "", true}, {"out", "", "", true}};
    struct sl_scenario scenario;
    struct sl_override set;
    struct sl_arena arena = {0};
    ck_assert_int_eq(sl_override_parse(&set, "policy.prefetch.lookahead=2", &arena, &s.err), SL_OK);
    ck_assert_int_eq(sl_scenario_load(&scenario, s.dir.path, &set, 1, &s.diags, &s.err), SL_OK);
    tempdir_remove(&s.dir);
    const struct sl_policy_spec *policies = scenario.policies, first = policies[0];
    s.request.overrides = &set;
    s.request.override_count = 1;
    s.request.loaded = &scenario;
    s.request.no_axes = true;
    ck_assert_int_eq(run(&s), SL_OK);
    assert_cells(&s, two, 2, 0);
    ck_assert_ptr_eq(scenario.policies, policies);
    ck_assert_mem_eq(&scenario.policies[0], &first, sizeof first);
    sl_scenario_free(&scenario);
    sl_arena_free(&arena);
    sl_pool_free(s.request.options.pool);
    sl_diags_free(&s.diags);
}
END_TEST

/* Cell 3 needs to know that the baseline of its combination failed, although that is on disk. */
START_TEST(resume_runs_what_is_missing)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    s.skip_below = 3;
    ck_assert_int_eq(run(&s), SL_OK);
    assert_cells(&s, SIX + 3, 3, 3);
    ck_assert_uint_eq(s.totals.skipped, 3);
    ck_assert_uint_eq(s.totals.trials, 15);
    s.skip_below = 6;
    ck_assert_int_eq(run(&s), SL_OK);
    ck_assert_uint_eq(s.count, 0);
    setup_close(&s);
}
END_TEST

/* Without a policy that it applies to there is one cell for all its values. */
START_TEST(an_axis_that_no_policy_has)
{
    static const struct expected four[] = {
        {"out", "", "4GiB", true},
        {"keep", "", "4GiB", true},
        {"out", "", "2GiB", true},
        {"keep", "", "2GiB", false},
    };
    struct setup s;
    setup_open(&s, _i,
               "policies:\n  - {name: out, action: offload, select: all, prefetch: {when: asap}}\n"
               "  - {name: keep, action: retain}\n",
               TWO_AXES);
    ck_assert_int_eq(run(&s), SL_OK);
    assert_cells(&s, four, 4, 0);
    ck_assert_uint_eq(warnings(&s, "unused-axis", "policy.prefetch.lookahead"), 1);
    setup_close(&s);
}
END_TEST

START_TEST(a_limit_that_binds_nothing_is_named_once)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    ck_assert_int_eq(run(&s), SL_OK);
    ck_assert_uint_eq(warnings(&s, "limit-never-reached", "'pinned'"), 1);
    ck_assert_uint_eq(warnings(&s, "limit-never-reached", "64"), 1);
    ck_assert_uint_eq(warnings(&s, "limit-never-reached", "'hbm'"), 0);
    ck_assert_uint_eq(warnings(&s, "unused-axis", ""), 0);
    setup_close(&s);
}
END_TEST

START_TEST(run_leaves_the_axes_alone)
{
    static const struct expected one[] = {{"out", "", "", true}};
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    s.request.no_axes = true;
    s.request.policies = (const char *const[]){"out"};
    s.request.policy_count = 1;
    ck_assert_int_eq(run(&s), SL_OK);
    assert_cells(&s, one, 1, 0);
    ck_assert_uint_eq(warnings(&s, "limit-never-reached", ""), 0); /* others may need it */
    s.request.policies = (const char *const[]){"outt"};
    s.request.policy_count = 1;
    ck_assert_int_eq(run(&s), SL_USAGE);
    ck_assert_ptr_nonnull(strstr(s.err.message, "did you mean 'out'"));
    setup_close(&s);
}
END_TEST

static enum sl_status run_with(struct setup *s, const char *setting)
{
    struct sl_arena arena = {0};
    struct sl_override override;
    ck_assert_int_eq(sl_override_parse(&override, setting, &arena, &s->err), SL_OK);
    s->request.overrides = &override;
    s->request.override_count = 1;
    enum sl_status status = run(s);
    s->request.overrides = NULL;
    s->request.override_count = 0;
    sl_arena_free(&arena);
    return status;
}

START_TEST(no_when_every_cell_fails)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    s.request.policies = (const char *const[]){"keep"};
    s.request.policy_count = 1;
    s.request.no_axes = true;
    ck_assert_int_eq(run_with(&s, "domains.hbm.capacity=2GiB"), SL_NO);
    ck_assert_uint_eq(s.totals.failed, 1);
    setup_close(&s);
}
END_TEST

/* A key of --set is meant for the policies that have it: `keep` is not warned about.  Setting what
 * nobody has is, once; a wrong value or an unknown key stops everything. */
START_TEST(override_of_policies)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, "baseline: keep\n");
    ck_assert_int_eq(run_with(&s, "policy.prefetch.lookahead=2"), SL_OK);
    ck_assert_uint_eq(warnings(&s, "unused-parameter", ""), 0);
    ck_assert_int_eq(run_with(&s, "policy.prefetch.quantile=0.9"), SL_OK);
    ck_assert_uint_eq(warnings(&s, "unused-parameter", ""), 1);
    ck_assert_int_eq(run_with(&s, "policy.prefetch.when=never"), SL_INVALID);
    ck_assert_uint_eq(s.count, 0);
    ck_assert_int_eq(run_with(&s, "policy.foo=1"), SL_INVALID);
    ck_assert_uint_eq(warnings(&s, "unused-parameter", "foo"), 0);
    setup_close(&s);
}
END_TEST

/* The last value of the last axis is wrong: nothing may have run, or been handed on, before. */
START_TEST(wrong_axis_values_are_found_before_anything_runs)
{
    struct setup s;
    setup_open(&s, _i, POLICIES,
               "baseline: keep\nsweep:\n  domains.hbm.capacity: [4GiB, 2GB, 44]\n");
    ck_assert_int_eq(run(&s), SL_INVALID);
    ck_assert_uint_eq(s.count, 0);
    setup_close(&s);
    setup_open(&s, _i, POLICIES,
               "baseline: keep\nsweep:\n  policy.prefetch.lookahead: [1, many]\n");
    ck_assert_int_eq(run(&s), SL_INVALID);
    ck_assert_uint_eq(s.count, 0);
    setup_close(&s);
}
END_TEST

START_TEST(a_sink_that_fails_stops_the_sweep)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    s.sink_status = SL_SYSTEM;
    ck_assert_int_eq(run(&s), SL_SYSTEM);
    ck_assert_uint_eq(s.count, 1);
    ck_assert_str_eq(s.err.message, "the disk is full");
    setup_close(&s);
}
END_TEST

/* Those before it, that is, and none after it. */
START_TEST(cells_before_one_that_fails_are_handed_on)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    s.fail_at = 2;
    s.sink_status = SL_SYSTEM;
    ck_assert_int_eq(run(&s), SL_SYSTEM);
    assert_cells(&s, SIX, 3, 0);
    ck_assert_uint_eq(s.totals.trials, 10);
    setup_close(&s);
}
END_TEST

/* Interrupted at once or somewhere between: what was handed on is a beginning of the whole. */
static bool never_go_on(void *user, uint64_t trials_done, uint64_t trials_total,
                        uint32_t cells_done, uint32_t cells_total)
{
    struct setup *s = user;
    (void)trials_done;
    ck_assert_uint_eq(trials_total, 30);
    ck_assert_uint_eq(cells_total, 6);
    ck_assert_uint_eq(cells_done, s->count);
    return false;
}

START_TEST(an_interrupt_leaves_a_beginning)
{
    struct setup s;
    setup_open(&s, _i, POLICIES, TWO_AXES);
    s.request.options.progress = never_go_on;
    s.request.options.user = &s;
    ck_assert_int_eq(run(&s), SL_INTERRUPTED);
    ck_assert_uint_le(s.count, 6); /* other threads may have run them all by then */
    assert_cells(&s, SIX, s.count, 0);
    setup_close(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("sweep");
    TCase *tcase = tcase_create("sweep");
    tcase_add_loop_test(tcase, first_axis_slowest_and_one_cell_where_it_does_not_apply, 0,
                        THREAD_COUNTS);
    tcase_add_loop_test(tcase, cells_are_known_without_running, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, a_scenario_that_is_loaded_is_not_read_again, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, resume_runs_what_is_missing, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, an_axis_that_no_policy_has, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, a_limit_that_binds_nothing_is_named_once, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, run_leaves_the_axes_alone, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, no_when_every_cell_fails, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, override_of_policies, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, wrong_axis_values_are_found_before_anything_runs, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, a_sink_that_fails_stops_the_sweep, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, cells_before_one_that_fails_are_handed_on, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, an_interrupt_leaves_a_beginning, 0, THREAD_COUNTS);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
