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
#include <math.h>
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
    bool deadlocked;
    int64_t makespan_ns, peak_bytes; /* of a run that ended */
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
    struct engine_run result = {trial->outcome == SL_DEADLOCK, trial->makespan_ps / PS_PER_NS,
                                trial->peak_bytes[0]};
    ck_assert(result.deadlocked || trial->makespan_ps % PS_PER_NS == 0);
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
    ck_assert(!run.deadlocked);
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
    open_fixture(&log, "choice.jsonl");
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
    open_fixture(&log, "views.jsonl");
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

/* The engine's heuristics, and how much the recorded rules may differ from the engine's once names
 * and ties are told alike.  Of many storages of one size it hangs on the last difference which
 * goes. */
static const struct {
    const char *evict;
    enum dtr_score score;
    double most;
} evictions[] = {{"dtr", DTR_FULL, 0.01}, {"lru", DTR_LRU, 0.001}, {"largest", DTR_LARGEST, 0.08}};
#define EVICTIONS (sizeof evictions / sizeof *evictions)

static struct engine_run run_evicting(const struct dtr_log *log, int64_t budget, const char *evict)
{
    char policy[200];
    snprintf(policy, sizeof policy, "action: retain, evict: {how: %s, by: remat}", evict);
    return run_scenario(log, budget, policy);
}

/* The figures of the two tests above, but that a view stays a view: 1 ns less. */
START_TEST(engine_by_hand)
{
    static const int64_t again_ns[EVICTIONS] = {60, 140, 55};
    struct dtr_log choice, views;
    open_fixture(&choice, "choice.jsonl");
    open_fixture(&views, "views.jsonl");
    for (size_t e = 0; e < EVICTIONS; e++) {
        struct engine_run run = run_evicting(&choice, 24, evictions[e].evict);
        ck_assert(!run.deadlocked);
        ck_assert_int_eq(run.makespan_ns, 180 + again_ns[e]);
        ck_assert_int_eq(run.peak_bytes, 24);
        ck_assert_int_eq(run_evicting(&choice, 30, evictions[e].evict).makespan_ns, 180);
        run = run_evicting(&views, 12, evictions[e].evict);
        ck_assert(!run.deadlocked);
        ck_assert_int_eq(run.makespan_ns, 59 + 50);
        ck_assert_int_eq(run.peak_bytes, 12);
    }
    dtr_log_free(&choice);
    dtr_log_free(&views);
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

struct record {
    struct dtr_log log;
    yajl_val root, baseline, runs;
    int64_t model_ns;
};

static void open_record(struct record *record, int which)
{
    char path[4300];
    *record = (struct record){0};
    snprintf(path, sizeof path, "%s/%s", data_dir, recorded[which].log);
    dtr_log_open(&record->log, path);
    record->root = read_json(recorded[which].results);
    yajl_val model = model_of(record->root);
    record->baseline = yajl_tree_get(model, (const char *[]){"baseline", NULL}, yajl_t_object);
    record->runs = yajl_tree_get(model, (const char *[]){"runs", NULL}, yajl_t_array);
    ck_assert(record->baseline && record->runs);
    for (uint32_t i = 0; i < record->log.op_count; i++)
        record->model_ns += record->log.ops[i].cost_ns;
}

static void close_record(struct record *record)
{
    yajl_tree_free(record->root);
    dtr_log_free(&record->log);
}

START_TEST(recorded_runs)
{
    struct record record;
    int64_t checked = 0;
    open_record(&record, _i);
    ck_assert_int_eq(record.model_ns, integer(record.baseline, "model_compute"));
    ck_assert_int_eq(dtr_baseline(&record.log), integer(record.baseline, "max_memory"));
    for (size_t k = 0; k < YAJL_GET_ARRAY(record.runs)->len; k++)
        checked += check_run(&record.log, YAJL_GET_ARRAY(record.runs)->values[k], record.model_ns);
    ck_assert_int_eq(checked, 40);
    check_retained(&record.log);
    close_record(&record);
}
END_TEST

/* Logs as the scenario tells them: names end with their last reader; and, for the engine's rules,
 * views stay and the outputs are wanted at once. */
static void tell_as_scenario(struct dtr_log *log, bool engine)
{
    if (engine)
        dtr_log_keep_views(log);
    dtr_log_release_early(log);
    if (engine)
        dtr_log_want_outputs_at_once(log);
}

struct told {
    struct record record;        /* as recorded */
    struct record early, engine; /* names end early; and with the engine's views and outputs */
};

static void compare_run(const struct told *told, yajl_val run, size_t e)
{
    const struct record *record = &told->record;
    int64_t budget = integer(run, "budget");
    double model = (double)record->model_ns, was = (double)integer(run, "clock") / model;
    struct dtr_rules near = {.score = evictions[e].score, .first_of_equals = true};
    struct dtr_rules own = {evictions[e].score, true, true, true};
    struct dtr_outcome nearly = dtr_simulate(&told->early.log, &near, budget, record->model_ns);
    struct dtr_outcome same = dtr_simulate(&told->engine.log, &own, budget, INT64_MAX);
    struct engine_run got = run_evicting(&record->log, budget, evictions[e].evict);
    const char *cut = is_true(run, "remat_exceeded") ? " cut off" : "";
    ck_assert_int_eq(got.deadlocked, same.out_of_memory);
    if (got.deadlocked) {
        printf("# | %s | %lld | %.4f%s | deadlock |\n", evictions[e].evict, (long long)budget, was,
               cut);
        return;
    }
    double ratio = (double)got.makespan_ns / model, close = (double)nearly.clock_ns / model;
    printf("# | %s | %lld | %.4f%s | %.4f | %+.2f%% | %+.2f%%%s |\n", evictions[e].evict,
           (long long)budget, was, cut, ratio, 100 * (ratio / was - 1), 100 * (ratio / close - 1),
           nearly.cut_off ? " cut off" : "");
    ck_assert_int_eq(got.makespan_ns, same.clock_ns - 1);
    ck_assert_int_le(got.peak_bytes, budget);
    if (evictions[e].score == DTR_FULL)
        ck_assert_double_le(fabs(ratio / was - 1), 0.01);
    if (!nearly.cut_off)
        ck_assert_double_le(fabs(ratio / close - 1), evictions[e].most);
}

/* Budgets below the recorded ones, by the engine's rules. */
static void compare_tight(const struct told *told, size_t e)
{
    int64_t most = integer(told->record.baseline, "max_memory");
    struct dtr_rules own = {evictions[e].score, true, true, true};
    for (int64_t percent = 25; percent >= 15; percent -= 5) {
        int64_t budget = most * percent / 100;
        struct dtr_outcome same = dtr_simulate(&told->engine.log, &own, budget, INT64_MAX);
        struct engine_run got = run_evicting(&told->record.log, budget, evictions[e].evict);
        ck_assert_int_eq(got.deadlocked, same.out_of_memory);
        if (!got.deadlocked)
            ck_assert_int_eq(got.makespan_ns, same.clock_ns - 1);
    }
}

/* Budget, recorded overhead, the engine's, the difference, and that to the recorded rules with
 * names and ties as in the engine.  Half of the large log's budgets, all with SL_LONG. */
START_TEST(engine_runs)
{
    struct told told;
    open_record(&told.record, _i);
    open_record(&told.early, _i);
    open_record(&told.engine, _i);
    tell_as_scenario(&told.early.log, false);
    tell_as_scenario(&told.engine.log, true);
    size_t stride = _i == 1 && !sl_test_long() ? 2 : 1;
    for (size_t e = 0; e < EVICTIONS; e++)
        for (size_t k = 0; k < YAJL_GET_ARRAY(told.record.runs)->len; k += stride) {
            yajl_val run = YAJL_GET_ARRAY(told.record.runs)->values[k];
            const char *name =
                YAJL_GET_STRING(yajl_tree_get(run, (const char *[]){"h", NULL}, yajl_t_string));
            if (strcmp(name, dtr_score_names[evictions[e].score]) == 0)
                compare_run(&told, run, e);
        }
    for (size_t e = 0; e < EVICTIONS && stride == 1; e++)
        compare_tight(&told, e);
    close_record(&told.record);
    close_record(&told.early);
    close_record(&told.engine);
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
    tcase_add_test(cases, engine_by_hand);
    if (access(data_dir, R_OK) == 0) {
        tcase_add_loop_test(cases, recorded_runs, 0, sizeof recorded / sizeof *recorded);
        tcase_add_loop_test(cases, engine_runs, 0, sizeof recorded / sizeof *recorded);
    } else {
        printf("# the recorded logs are not beside the checkout: by hand only\n");
    }
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
