/* Dynamic tensor rematerialization: logs of two training steps, and what the simulator of the
 * method's authors gives on them under five heuristics and eight budgets (Kirisame et al., ICLR
 * 2021).
 *
 * The small simulator of this test (dtr_reference.c) gives the same time, to the nanosecond, in all
 * 80 runs, also where a run is cut off: so its rules are those that were used. */
#include "config.h"

#include "dtr_reference.h"
#include "dtr_scenario.h"
#include "planlab.h"
#include <yajl/yajl_tree.h>

#define PS_PER_NS 1000

static char data_dir[4000];

/* ---- by hand -----------------------------------------------------------------------------------
 */

static void open_fixture(struct dtr_log *log, const char *name)
{
    char path[4300];
    snprintf(path, sizeof path, "%.4000s/tests/fixtures/dtr/%s", getenv("SL_SRCDIR"), name);
    dtr_log_open(log, path);
}

/* One run of the log's scenario under a policy, in ns and bytes. */
struct engine_run {
    int64_t makespan_ns, peak_bytes;
};

static struct engine_run run_scenario(const struct dtr_log *log, int64_t budget, const char *policy)
{
    struct dtr_tables tables;
    struct planlab lab;
    struct planlab_run run;
    char policies[300];
    snprintf(policies, sizeof policies, "[{name: p, %s}]", policy);
    dtr_tables_make(&tables, log, budget, policies);
    planlab_open(&lab, tables.yaml, tables.nodes, tables.objects);
    dtr_tables_free(&tables);
    planlab_plan(&lab, "p");
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_msg(trial->outcome == SL_DONE, "%s", trial->deadlock);
    ck_assert_int_eq(trial->makespan_ps % PS_PER_NS, 0);
    struct engine_run result = {trial->makespan_ps / PS_PER_NS, trial->peak_bytes[0]};
    planlab_end(&run);
    planlab_close(&lab);
    return result;
}

/* With room for everything: the operators one after the other, and the same bytes.  Changes the
 * log. */
static void check_retained(struct dtr_log *log)
{
    dtr_log_release_early(log);
    struct dtr_outcome out = dtr_simulate(log, &(struct dtr_rules){0}, INT64_MAX, 0);
    struct engine_run run = run_scenario(log, out.peak_bytes, "action: retain");
    ck_assert_int_eq(out.remat_ns, 0);
    ck_assert_int_eq(run.makespan_ns, out.model_ns);
    ck_assert_int_eq(run.peak_bytes, out.peak_bytes);
}

/* p is 4 bytes; a = f(p) 4, 100 ns; b = g(a) 6, 20 ns; e = m(p) 8, 15 ns; c = h(p) 6, 40 ns; then
 * d = k(b, e, a) 2, 5 ns.  First runs take 180 ns, and the clock starts at 1.
 *
 * With 24 bytes, c does not fit beside p, a, b, e (22) at 136.  a was last used at 101 (by g), b at
 * 121, e at 136:
 *     LRU      a                                        k then runs f again, which evicts c:   100
 *     DTR      a: 100 / (4 x 35) = 0.71, b: 20 / (6 x 15) = 0.22, e: not stale; so b: g again:  20
 *     largest  e                                        m again:                                15
 *     MSPS     a: 100 / 4, b: 20 / 6, e: 15 / 8; so e
 * k needs all but c, so that c goes each time, and as an output it is made again (40) at the end.
 */
START_TEST(choices_by_hand)
{
    static const int64_t again_ns[DTR_SCORES] = {
        [DTR_FULL] = 60, [DTR_LOCAL] = 60, [DTR_MSPS] = 55, [DTR_LRU] = 140, [DTR_LARGEST] = 55};
    struct dtr_log log;
    open_fixture(&log, "choice.log");
    ck_assert_uint_eq(log.tensor_count, 6);
    ck_assert_int_eq(dtr_baseline(&log), 30); /* all six are there when d is made */
    for (int score = 0; score < DTR_SCORES; score++) {
        struct dtr_rules rules = {.score = (enum dtr_score)score};
        struct dtr_outcome out = dtr_simulate(&log, &rules, 24, 1000);
        ck_assert(!out.out_of_memory && !out.cut_off);
        ck_assert_int_eq(out.model_ns, 180);
        ck_assert_int_eq(out.remat_ns, again_ns[score]);
        ck_assert_int_eq(out.clock_ns, 1 + 180 + again_ns[score]);
        ck_assert_uint_eq(out.evictions, 2);
        ck_assert_int_le(out.peak_bytes, 24);
        out = dtr_simulate(&log, &rules, 30, 1000);
        ck_assert_int_eq(out.remat_ns, 0);
        /* k alone needs p, a, b, e, d. */
        ck_assert(dtr_simulate(&log, &rules, 23, 1000).out_of_memory);
    }
    /* Cut off when f has run again, before k. */
    struct dtr_outcome cut = dtr_simulate(&log, &(struct dtr_rules){.score = DTR_LRU}, 24, 99);
    ck_assert(cut.cut_off);
    ck_assert_int_eq(cut.clock_ns, 1 + 175 + 100);
    check_retained(&log);
    dtr_log_free(&log);
}
END_TEST

/* p 2 bytes; a = f(p) 6, 10 ns; v a view of a, 1 ns; c = h(p) 6, 40 ns; d = k(v) 2, 5 ns; d += c, 3
 * ns, counts as a new d of 2 bytes.  With 12 bytes there is one choice each time: c drops a and
 * with it v; k has f and view run again (11), for which c goes; the sum has h run again (40), for
 * which a goes. */
START_TEST(views_by_hand)
{
    struct dtr_log log;
    open_fixture(&log, "views.log");
    ck_assert_int_eq(dtr_baseline(&log), 18); /* p, a, c and both d */
    for (int score = 0; score < DTR_SCORES; score++) {
        struct dtr_rules rules = {.score = (enum dtr_score)score};
        struct dtr_outcome out = dtr_simulate(&log, &rules, 12, 1000);
        ck_assert(!out.out_of_memory && !out.cut_off);
        ck_assert_int_eq(out.model_ns, 59);
        ck_assert_int_eq(out.remat_ns, 51);
        ck_assert_uint_eq(out.evictions, 3);
    }
    check_retained(&log);
    dtr_log_free(&log);
}
END_TEST

/* ---- recorded ----------------------------------------------------------------------------------
 */

static const struct {
    const char *log, *results;
} recorded[] = {
    {"resnet32-56-9000000000.0-2020-10-1-13-3-30-default.log.gz", "oracle_simrd_ResNet_32.json"},
    {"transformer-10-8000000000.0-2020-10-1-10-56-5-default.log.gz",
     "oracle_simrd_Transformer.json"},
};

static yajl_val read_json(const char *name)
{
    static char text[1 << 17];
    char path[4300], why[200];
    snprintf(path, sizeof path, "%s/%s", data_dir, name);
    FILE *in = fopen(path, "r");
    ck_assert_msg(in != NULL, "cannot open %s", path);
    size_t length = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    ck_assert_uint_lt(length, sizeof text - 1);
    text[length] = '\0';
    yajl_val root = yajl_tree_parse(text, why, sizeof why);
    ck_assert_msg(root != NULL, "%s: %s", name, why);
    return root;
}

/* The first model of the file: an object of its own or the file itself. */
static yajl_val model_of(yajl_val root)
{
    bool direct = yajl_tree_get(root, (const char *[]){"runs", NULL}, yajl_t_array) != NULL;
    return direct ? root : YAJL_GET_OBJECT(root)->values[0];
}

static int64_t integer(yajl_val object, const char *key)
{
    yajl_val value = yajl_tree_get(object, (const char *[]){key, NULL}, yajl_t_number);
    ck_assert_msg(value && YAJL_IS_INTEGER(value), "no integer %s", key);
    return YAJL_GET_INTEGER(value);
}

static bool is_true(yajl_val object, const char *key)
{
    return YAJL_IS_TRUE(yajl_tree_get(object, (const char *[]){key, NULL}, yajl_t_any));
}

/* False: a heuristic that the small simulator has not. */
static bool check_run(const struct dtr_log *log, yajl_val run, int64_t model_ns)
{
    const char *name =
        YAJL_GET_STRING(yajl_tree_get(run, (const char *[]){"h", NULL}, yajl_t_string));
    int score = 0;
    while (score < DTR_SCORES && strcmp(dtr_score_names[score], name) != 0)
        score++;
    if (score == DTR_SCORES)
        return false;
    struct dtr_rules rules = {.score = (enum dtr_score)score};
    int64_t budget = integer(run, "budget");
    struct dtr_outcome out = dtr_simulate(log, &rules, budget, model_ns);
    ck_assert_msg(out.clock_ns == integer(run, "clock"), "%s with %lld bytes: %lld ns, not %lld",
                  name, (long long)budget, (long long)out.clock_ns,
                  (long long)integer(run, "clock"));
    ck_assert_int_eq(out.out_of_memory, is_true(run, "OOM"));
    ck_assert_int_eq(out.cut_off, is_true(run, "remat_exceeded"));
    ck_assert_int_le(out.peak_bytes, budget);
    return true;
}

START_TEST(recorded_runs)
{
    struct dtr_log log;
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", data_dir, recorded[_i].log);
    dtr_log_open(&log, path);
    yajl_val root = read_json(recorded[_i].results), model = model_of(root);
    yajl_val baseline = yajl_tree_get(model, (const char *[]){"baseline", NULL}, yajl_t_object);
    yajl_val runs = yajl_tree_get(model, (const char *[]){"runs", NULL}, yajl_t_array);
    int64_t model_ns = 0, checked = 0;
    ck_assert(baseline && runs);
    for (uint32_t i = 0; i < log.op_count; i++)
        model_ns += log.ops[i].cost_ns;
    ck_assert_int_eq(model_ns, integer(baseline, "model_compute"));
    ck_assert_int_eq(dtr_baseline(&log), integer(baseline, "max_memory"));
    for (size_t k = 0; k < YAJL_GET_ARRAY(runs)->len; k++)
        checked += check_run(&log, YAJL_GET_ARRAY(runs)->values[k], model_ns);
    ck_assert_int_eq(checked, 40);
    check_retained(&log);
    yajl_tree_free(root);
    dtr_log_free(&log);
}
END_TEST

int main(void)
{
    const char *shared = getenv("SL_SHARED");
    if (!getenv("SL_SRCDIR"))
        return sl_test_skip("SL_SRCDIR names the source; make check");
    snprintf(data_dir, sizeof data_dir, "%.3900s/data/dtr", shared ? shared : "../shared");
    Suite *suite = suite_create("dtr");
    TCase *cases = tcase_create("logs");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, choices_by_hand);
    tcase_add_test(cases, views_by_hand);
    if (access(data_dir, R_OK) == 0)
        tcase_add_loop_test(cases, recorded_runs, 0, sizeof recorded / sizeof *recorded);
    else
        printf("# the recorded logs are not beside the checkout: by hand only\n");
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
