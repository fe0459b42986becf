/* Measurements set beside a record's projection: a plan whose times are worked out by hand,
 * "executed" with other slowdowns, orders, works and speeds; what is told is what was put in. */
#include <config.h>

#include "audit.h"
#include "audit_csv.h"
#include "decide.h"
#include "harness.h"
#include "importer.h"
#include "measuring.h"
#include "record_shape.h"
#include "same_graph.h"
#include "tempdir.h"
#include <math.h>

enum { RUNS = 40 };

static struct tempdir dir, replay, base;
static struct sl_record record;
static struct sl_error err;
static struct sl_diags diags;
static char digest[17];

/* c0 to c3, 100 us each, one after the other; as one ends, a copy of 20, 40, 60 us starts beside
 * the next.  y, in nobody's way, starts at 250 us.  By the model gemm beside copy takes 1.5 times
 * as long and copy beside gemm 1.2 times: copies take 24, 48, 72 us, and c1 to c3 108, 116, 124 us.
 */
static const char scenario_text[] = "name: w\n"
                                    "nodes: nodes.csv\n"
                                    "edges: edges.csv\n"
                                    "objects: objects.csv\n"
                                    "resources:\n"
                                    "  compute: {servers: 1, group: g}\n"
                                    "  h2d: {servers: 1, group: g}\n"
                                    "  d2h: {servers: 1}\n"
                                    "domains: {hbm: {capacity: 1GiB, reserve: 0B}}\n"
                                    "kappa: {table: kappa.csv}\n"
                                    "objective: {metric: makespan, tail: 0.9}\n"
                                    "policies: [{name: given, action: as-given}]\n"
                                    "baseline: given\n"
                                    "trials: 100\n";
static const char nodes_text[] =
    "node,kind,class,resource,duration,release,inputs,outputs,workspace\n"
    "c0,compute,gemm,compute,100us,,,p,\n"
    "c1,compute,gemm,compute,100us,,p,q,\n"
    "c2,compute,gemm,compute,100us,,q,,\n"
    "c3,compute,gemm,compute,100us,,,,\n"
    "x0,compute,copy,h2d,20us,,,,\n"
    "x1,compute,copy,h2d,40us,,,,\n"
    "x2,compute,copy,h2d,60us,,,,\n"
    "y,compute,,d2h,10us,250us,,,hbm:16B\n"
    "meet,barrier,,,,,,,\n";
static const char edges_text[] = "from,to,type\n"
                                 "c0,c1,ordering\nc1,c2,ordering\nc2,c3,ordering\n"
                                 "c0,x0,ordering\nc1,x1,ordering\nc2,x2,ordering\n"
                                 "c3,meet,barrier\n";

/* What an execution does otherwise. */
struct machine {
    double gemm, copy; /* slowdowns */
    double speed;      /* times that everything takes */
    double y_at[2];    /* of even and odd repetitions */
    double early;      /* by how much x2 starts before c2 has ended */
    const char *extra; /* a work that is not planned; NULL */
    bool lacks_x2;
    double cold; /* times that the first repetition takes */
    bool late;   /* copies come last, the first of them 2 us beside c3 */
};
static const struct machine exact = {1.5, 1.2, 1, {250, 250}, 0, NULL, false, 1, false};

static void put(FILE *out, int run, const char *node, const char *resource, double start,
                double end)
{
    fprintf(out, "%d,%s,%s,%.3f,%.3f,%.3f,,\n", run, node, resource, start, start, end);
}

/* One repetition; returns its end. */
static double execute(FILE *out, int run, const struct machine *m)
{
    static const char *const gemms[] = {"c0", "c1", "c2", "c3"}, *const copies[] = {"x0", "x1",
                                                                                    "x2"};
    double speed = m->speed * (run == 1 ? m->cold : 1), at = 0;
    if (m->late) {
        for (int i = 0; i < 4; i++)
            put(out, run, gemms[i], "compute", 100 * i, 100 * (i + 1));
        put(out, run, "x0", "h2d", 398, 418);
        put(out, run, "x1", "h2d", 418, 458);
        put(out, run, "x2", "h2d", 458, 518);
        return 518;
    }
    for (int i = 0; i < 4; i++) {
        double together = i > 0 ? m->copy * 20 * i : 0;
        double end = at + speed * (100 + together * (1 - 1 / m->gemm));
        if (i == 3 && m->lacks_x2)
            end = at + speed * 100;
        else if (i > 0)
            put(out, run, copies[i - 1], "h2d", at - (i == 3 ? m->early : 0),
                at + speed * together);
        put(out, run, gemms[i], "compute", at, end);
        at = end;
    }
    put(out, run, "y", "d2h", m->y_at[run % 2], m->y_at[run % 2] + 10);
    if (m->extra)
        put(out, run, m->extra, "d2h", 400, 401);
    return at;
}

/* Makespans are what the executions take, and 0.01 us more each. */
static void make_replay(struct tempdir *to, const struct machine *m, const char *plan)
{
    char *timeline = NULL, *repetitions = NULL, identity[300];
    size_t size;
    FILE *out = open_memstream(&timeline, &size);
    FILE *list = open_memstream(&repetitions, &size);
    fputs("repetition,node,resource,ready_us,start_us,end_us,class,bytes\n", out);
    fputs("repetition,makespan_us,sentinel_before_ns,sentinel_after_ns,regime,preemptions,"
          "reject_reason\n",
          list);
    for (int run = 1; run <= RUNS + 2; run++) {
        bool judged = run != 7 && run != 9;
        double end = execute(out, run, m);
        fprintf(list, "%d,%.3f,,,,0,%s\n", run, end + 0.01 * run, judged ? "" : "preempted");
    }
    fclose(out);
    fclose(list);
    snprintf(identity, sizeof identity,
             "scenario,policy,backend,plan,regime,repetitions,judged\nw,given,cpu,%s,,%d,%d\n",
             plan, RUNS + 2, RUNS);
    tempdir_make(to);
    tempdir_write(to, "timeline.csv", timeline);
    tempdir_write(to, "repetitions.csv", repetitions);
    tempdir_write(to, "replay.csv", identity);
    free(timeline);
    free(repetitions);
}

static void find_digest(void)
{
    struct sl_record_scenario at;
    ck_assert_int_eq(sl_record_scenario_open(&at, &record, NULL, &diags, &err), SL_OK);
    ck_assert_int_eq(sl_record_scenario_plan(&at, &record, &diags, &err), SL_OK);
    snprintf(digest, sizeof digest, "%016llx", (unsigned long long)sl_graph_digest(at.plan.graph));
    ck_assert_int_eq(sl_record_add_inputs(&record, &at.scenario, "scenario", &err), SL_OK);
    sl_record_scenario_close(&at);
}

static void setup(void)
{
    err = (struct sl_error){0};
    diags = (struct sl_diags){0};
    tempdir_make(&dir);
    tempdir_write(&dir, "scenario.yaml", scenario_text);
    tempdir_write(&dir, "nodes.csv", nodes_text);
    tempdir_write(&dir, "edges.csv", edges_text);
    tempdir_write(&dir, "objects.csv", "object,size,home\np,100B,hbm\nq,10B,hbm\n");
    tempdir_write(&dir, "kappa.csv", "victim,set,kappa\ngemm,copy,1.5\ncopy,gemm,1.2\n");
    sl_record_init(&record);
    record.workload.scenario = "w";
    record.workload.folder = dir.path;
    record.policy.name = "given";
    struct sl_record_setting *setting =
        sl_record_add(&record, &record.policy.settings, &sl_shape_setting);
    setting->key = "action";
    ck_assert(sl_record_add_text(&record, &setting->values, "as-given"));
    record.objective.tail = 0.9;
    record.projected.metric = "makespan";
    record.projected.target = "median";
    record.trials = 100;
    record.fresh_seed = 1;
    find_digest();
    record.graph.plan_digest = digest;
}

static void teardown(void)
{
    sl_record_free(&record);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
    tempdir_remove(&replay);
    if (base.count)
        tempdir_remove(&base);
    replay.count = base.count = 0;
    replay.path[0] = base.path[0] = '\0';
}

static enum sl_status measure(const char *path, const char *baseline)
{
    const struct sl_measure_request request = {path, baseline, SL_MEASURE_TOLERANCE};
    return sl_record_measure(&record, &request, &diags, &err);
}

static void measure_machine(const struct machine *m)
{
    make_replay(&replay, m, digest);
    enum sl_status status = measure(replay.path, NULL);
    ck_assert_msg(status == SL_OK, "%s", err.message);
}

static const struct sl_record_contention *pair(const char *name)
{
    for (uint32_t i = 0; i < record.measurement.contention.count; i++)
        if (strcmp(record.measurement.contention.items[i].pair, name) == 0)
            return &record.measurement.contention.items[i];
    ck_abort_msg("no pair '%s'", name);
}

/* ---- a plan that is executed as projected ------------------------------------------------------
 */

START_TEST(what_was_planned_is_measured)
{
    measure_machine(&exact);
    const struct sl_record_measurement *m = &record.measurement;
    ck_assert_uint_eq(m->planned, 8); /* the barrier is no work */
    ck_assert_uint_eq(m->matched, 8);
    ck_assert_uint_eq(m->missing.count + m->unexpected.count, 0);
    ck_assert_uint_eq(m->contention.count, 2);
    const struct sl_record_contention *gemm = pair("gemm beside copy"),
                                      *copy = pair("copy beside gemm");
    ck_assert_double_eq(gemm->model, 1.5);
    ck_assert_double_eq(copy->model, 1.2);
    ck_assert_double_eq_tol(gemm->measured.value, 1.5, 1e-4);
    ck_assert_double_eq_tol(copy->measured.value, 1.2, 1e-4);
    ck_assert_double_eq_tol(gemm->model_overlap_us, 144, 1e-6);
    ck_assert_double_eq_tol(gemm->measured_overlap_us, 144, 0.01);
    ck_assert_int_eq(gemm->agrees, SL_TRUTH_YES);
    ck_assert_int_eq(copy->agrees, SL_TRUTH_YES);
    /* 28 pairs of 8 works, of which three start together. */
    ck_assert_uint_eq(m->order_pairs, 25);
    ck_assert_uint_eq(m->order_inversions, 0);
    ck_assert_int_eq(m->order_agrees, SL_TRUTH_YES);
    ck_assert_int_eq(m->representative, SL_TRUTH_YES);
    ck_assert(isnan(m->projection_error) && isnan(m->cold_us));
}
END_TEST

/* Makespans 448.01 to 448.42 us, those of repetitions 7 and 9 left out: of 40 the 20th is the 22nd
 * of 42, and p90, the 36th, the 38th. */
START_TEST(the_target_is_that_of_the_judged)
{
    measure_machine(&exact);
    const struct sl_record_result *measured = &record.measured;
    ck_assert(measured->present);
    ck_assert_str_eq(measured->source.kind, "replay");
    ck_assert_str_eq(measured->source.plan_digest, digest);
    ck_assert_uint_eq(measured->count, RUNS);
    ck_assert_uint_eq(measured->failed, 2);
    ck_assert_double_eq_tol(measured->median.value, 448.22, 1e-9);
    ck_assert_double_eq_tol(measured->tail.value, 448.38, 1e-9);
    ck_assert_double_eq_tol(measured->worst, 448.42, 1e-9);
    ck_assert_double_eq(measured->max_wait_us, 0);
    ck_assert(isnan(measured->target_difference.value));
    uint32_t files = 0;
    for (uint32_t i = 0; i < record.inputs.count; i++)
        files += strcmp(record.inputs.items[i].role, "measurement") == 0;
    ck_assert_uint_eq(files, 3);
    /* Again: nothing is there twice. */
    ck_assert_int_eq(measure(replay.path, NULL), SL_OK);
    ck_assert_uint_eq(record.inputs.count, 3 + 5); /* beside the scenario's */
    ck_assert_uint_eq(record.measurement.contention.count, 2);
}
END_TEST

START_TEST(a_baseline_gives_the_difference)
{
    struct machine slow = exact;
    slow.speed = 1.5;
    record.baseline.present = true;
    record.baseline.policy = "keep";
    record.graph.baseline_digest = "00000000000000aa";
    make_replay(&base, &slow, "00000000000000aa");
    make_replay(&replay, &exact, digest);
    ck_assert_msg(measure(replay.path, base.path) == SL_OK, "%s", err.message);
    const struct sl_record_result *measured = &record.measured;
    ck_assert_double_eq_tol(measured->baseline_median.value, 672.22, 1e-6);
    ck_assert_double_eq_tol(measured->median_difference.value, -224, 1e-6);
    ck_assert(measured->median_difference.lo > -224.5 && measured->median_difference.hi < -223.5);
    ck_assert(!measured->paired);
    ck_assert_str_eq(measured->target, "median");
    ck_assert_double_eq_tol(measured->target_difference.value, -224, 1e-6);
    ck_assert_double_eq_tol(measured->target_baseline.value, 672.22, 1e-6);
}
END_TEST

/* ---- a machine that differs --------------------------------------------------------------------
 */

START_TEST(a_slower_machine_still_contends_as_modelled)
{
    struct machine m = exact;
    m.speed = 1.3;
    measure_machine(&m);
    ck_assert_double_eq_tol(pair("gemm beside copy")->measured.value, 1.5, 1e-3);
    ck_assert_int_eq(pair("gemm beside copy")->agrees, SL_TRUTH_YES);
    /* Never alone: its slowdown has the machine in it, and says so. */
    ck_assert_double_eq_tol(pair("copy beside gemm")->measured.value, 1.56, 1e-3);
    ck_assert_int_eq(pair("copy beside gemm")->agrees, SL_TRUTH_NO);
    ck_assert_ptr_nonnull(strstr(pair("copy beside gemm")->note, "never alone"));
}
END_TEST

START_TEST(another_contention_is_told)
{
    struct machine m = exact;
    m.gemm = 2;
    measure_machine(&m);
    ck_assert_double_eq_tol(pair("gemm beside copy")->measured.value, 2, 1e-3);
    ck_assert_int_eq(pair("gemm beside copy")->agrees, SL_TRUTH_NO);
    ck_assert_int_eq(pair("copy beside gemm")->agrees, SL_TRUTH_YES);
}
END_TEST

/* 2 us are 1.7% of the copies' time and 0.5% of the products', too little to tell their slowdown:
 * one direction has a figure, and the other one a row without. */
START_TEST(a_direction_without_a_slowdown_is_told)
{
    struct machine m = exact;
    m.late = true;
    measure_machine(&m);
    ck_assert(!isnan(pair("copy beside gemm")->measured.value));
    ck_assert(isnan(pair("gemm beside copy")->measured.value));
    ck_assert_double_eq(pair("gemm beside copy")->model, 1.5);
    ck_assert_int_ne(pair("gemm beside copy")->agrees, SL_TRUTH_YES);
    ck_assert_ptr_nonnull(strstr(pair("gemm beside copy")->note, "no slowdown was measured"));
    ck_assert_uint_eq(record.measurement.contention.count, 2);
}
END_TEST

START_TEST(other_orders_are_told)
{
    static const struct {
        double y_at[2], early;
        uint64_t inversions;
        enum sl_truth agrees;
    } cases[] = {
        {{250, 250}, 0, 0, SL_TRUTH_YES}, {{250, 249}, 0, 0, SL_TRUTH_YES},
        {{250, 150}, 0, 2, SL_TRUTH_YES}, /* before c2 and x1: 8% */
        {{250, 50}, 0, 4, SL_TRUTH_NO},   /* before c1 and x0, too: 16% */
        {{250, 250}, 50, 0, SL_TRUTH_NO}, /* x2 before c2 has ended */
    };
    struct machine m = exact;
    m.y_at[0] = cases[_i].y_at[0];
    m.y_at[1] = cases[_i].y_at[1];
    m.early = cases[_i].early;
    measure_machine(&m);
    ck_assert_uint_eq(record.measurement.order_pairs, 25);
    ck_assert_int_eq(record.measurement.order_agrees, cases[_i].agrees);
    if (cases[_i].early > 0)
        ck_assert_str_eq(record.measurement.deviations.items[0],
                         "x2 starts before c2 has ended, which it depends on, in 100% of the "
                         "repetitions");
    else
        ck_assert_uint_eq(record.measurement.order_inversions, cases[_i].inversions);
}
END_TEST

/* p, 100 B, lives from the start of c0 to the end of c1, q, 10 B, from that of c1 to the end of c2,
 * and y takes 16 B while it runs: at 250 us, beside q, at 150 us, beside both. */
START_TEST(peaks_are_of_the_measured_times)
{
    struct machine m = exact;
    m.y_at[1] = _i == 0 ? 250 : 150;
    measure_machine(&m);
    ck_assert_uint_eq(record.measured.peaks.count, 1);
    ck_assert_str_eq(record.measured.peaks.items[0].domain, "hbm");
    ck_assert_double_eq(record.measured.peaks.items[0].bytes, _i == 0 ? 110 : 126);
}
END_TEST

START_TEST(works_that_lack_or_are_new_are_named)
{
    struct machine m = exact;
    m.extra = "spill";
    m.lacks_x2 = true;
    measure_machine(&m);
    ck_assert_uint_eq(record.measurement.matched, 7);
    ck_assert_uint_eq(record.measured.peaks.count, 0); /* no run shows all works */
    ck_assert_uint_eq(record.measurement.missing.count, 1);
    ck_assert_str_eq(record.measurement.missing.items[0], "x2");
    ck_assert_uint_eq(record.measurement.unexpected.count, 1);
    ck_assert_str_eq(record.measurement.unexpected.items[0], "spill");
    /* 72 of 144 us of overlap are gone. */
    ck_assert_double_eq_tol(pair("gemm beside copy")->measured_overlap_us, 72, 0.01);
    ck_assert_int_eq(pair("gemm beside copy")->agrees, SL_TRUTH_NO);
}
END_TEST

START_TEST(a_cold_repetition_is_set_apart)
{
    struct machine m = exact;
    m.cold = 2;
    measure_machine(&m);
    ck_assert_uint_eq(record.measured.count, RUNS - 1);
    ck_assert_double_eq_tol(record.measurement.cold_us, 896.01, 1e-6);
    ck_assert_double_eq_tol(record.measured.worst, 448.42, 1e-9);
}
END_TEST

/* ---- refusals ----------------------------------------------------------------------------------
 */

START_TEST(another_plan_is_refused)
{
    make_replay(&replay, &exact, "0123456789abcdef");
    ck_assert_int_eq(measure(replay.path, NULL), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "plan 0123456789abcdef"));
    ck_assert(!record.measured.present && !record.measurement.present);
    err = (struct sl_error){0};
    record.graph.plan_digest = "0123456789abcdef";
    ck_assert_int_eq(measure(replay.path, NULL), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "has changed since the decision"));
    err = (struct sl_error){0};
    record.graph.plan_digest = digest;
    ck_assert_int_eq(measure(dir.path, NULL), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "holds no measurement"));
}
END_TEST

/* A replay of which one thing cannot be, each at a place of its own. */
START_TEST(impossible_timelines_are_refused)
{
    static const struct {
        const char *row;
        int column;
        const char *says;
    } cases[] = {
        {"42,z,d2h,0,0,inf,,", 14, "'inf' is not a number"},
        {"42,z,d2h,0,200,100,,", 16, "before its start at 200 us"},
        {"42,z,d2h,0,-500,100,,", 12, "is negative"},
        {"42,z,d2h,0,0,900,,", 14, "after the makespan of repetition 42"},
        {"42,y,d2h,0,0,5,,", 4, "'y' is in repetition 42 twice"},
    };
    char path[700];
    make_replay(&replay, &exact, digest);
    snprintf(path, sizeof path, "%s/timeline.csv", replay.path);
    FILE *file = fopen(path, "a");
    fprintf(file, "%s\n", cases[_i].row);
    fclose(file);
    int line = 1 + 8 * (RUNS + 2) + 1;
    ck_assert_int_eq(measure(replay.path, NULL), SL_INVALID);
    ck_assert_msg(strstr(err.message, cases[_i].says) != NULL, "%s", err.message);
    const struct sl_diag *fault = diags.items;
    while (fault->severity != SL_ERROR)
        fault++;
    ck_assert(strstr(fault->place.file, "/timeline.csv") != NULL);
    ck_assert_int_eq(fault->place.line, line);
    ck_assert_int_eq(fault->place.column, cases[_i].column);
    ck_assert(!record.measured.present);
}
END_TEST

/* A makespan that is not that of the last end, 448.01 us of the first: either way round. */
START_TEST(makespans_contradict_no_timeline)
{
    static const struct {
        double makespan_us;
        const char *says;
    } cases[] = {
        {224, "after the makespan of repetition 1 in repetitions.csv, 224 us"},
        {4480, "the last end of repetition 1 is at 448 us, but its makespan"},
    };
    char path[700], text[20000], *cell;
    make_replay(&replay, &exact, digest);
    snprintf(path, sizeof path, "%s/repetitions.csv", replay.path);
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_ptr_nonnull(cell = strstr(text, "\n1,448.010,"));
    file = fopen(path, "w");
    fprintf(file, "%.*s\n1,%g,%s", (int)(cell - text), text, cases[_i].makespan_us,
            cell + strlen("\n1,448.010,"));
    fclose(file);
    ck_assert_int_eq(measure(replay.path, NULL), SL_INVALID);
    ck_assert_msg(strstr(err.message, cases[_i].says) != NULL, "%s", err.message);
}
END_TEST

/* Each of two steps of one number would have the works of both; and a list is a list. */
START_TEST(broken_audits_are_refused)
{
    tempdir_make(&base);
    tempdir_write(&base, "works.csv", "name,step,start_us,finish_us\nf0,1,0,5\nf0,1,7,9\n");
    tempdir_write(&base, "steps.csv", "step,from_us,finish_us\n1,0,5\n1,6,9\n");
    ck_assert_int_eq(measure(base.path, NULL), SL_INVALID);
    ck_assert_msg(strstr(err.message, "step '1': there is one before") != NULL, "%s", err.message);
    sl_diags_free(&diags);
    diags = (struct sl_diags){0};
    err = (struct sl_error){0};
    char path[700];
    snprintf(path, sizeof path, "%s/audit.json", base.path);
    tempdir_write(&base, "audit.json",
                  "{\"trace\": \"t\", \"importer\": \"kineto\", \"gpu_span_ns\": 9, \"steps\": 5}");
    ck_assert_int_eq(measure(path, NULL), SL_INVALID);
    ck_assert_msg(strstr(err.message, "must be a list") != NULL, "%s", err.message);
}
END_TEST

/* ---- the same by an audit, and by a trace ------------------------------------------------------
 */

/* An audit's times of steps are the replay's own works', first start to last end: 448 us. */
START_TEST(traces_and_audits_tell_the_same)
{
    struct sl_timeline timeline = {0};
    struct sl_audit audit = {0};
    struct sl_audit_options options = {.to_ps = INT64_MAX};
    char path[700];
    make_replay(&replay, &exact, digest);
    snprintf(path, sizeof path, "%s/timeline.csv", replay.path);
    if (_i == 1) {
        static const char *const files[] = {"works.csv",   "gaps.csv",          "calls.csv",
                                            "steps.csv",   "side_by_side.csv",  "memory.csv",
                                            "devices.csv", "call_times.csv",    "time_use.csv",
                                            "import.csv",  "memory_changes.csv"};
        tempdir_make(&base);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            tempdir_write(&base, files[i], ""); /* to be removed with the folder */
        ck_assert_int_eq(sl_import(path, &timeline, NULL, &diags, NULL, &err), SL_OK);
        ck_assert_int_eq(sl_audit_make(&audit, &timeline, &options, &err), SL_OK);
        ck_assert_int_eq(sl_audit_write(&audit, base.path, &err), SL_OK);
        sl_audit_free(&audit);
        sl_timeline_free(&timeline);
    }
    ck_assert_msg(measure(_i == 1 ? base.path : path, NULL) == SL_OK, "%s", err.message);
    ck_assert_str_eq(record.measured.source.kind, _i == 1 ? "audit" : "trace");
    ck_assert_uint_eq(record.measured.count, RUNS + 2);
    ck_assert_double_eq_tol(record.measured.median.value, 448, 1e-3);
    ck_assert_double_eq_tol(pair("gemm beside copy")->measured.value, 1.5, 1e-4);
    ck_assert_double_eq_tol(pair("gemm beside copy")->measured_overlap_us, 144, 0.01);
    ck_assert_uint_eq(record.measurement.order_inversions, 0);
    ck_assert_uint_eq(record.measurement.matched, 8);
    ck_assert_ptr_null(record.measured.source.plan_digest);
}
END_TEST

/* ---- closely enough ----------------------------------------------------------------------------
 */

START_TEST(closely_enough)
{
    static const struct {
        double model;
        struct sl_estimate measured;
        double least;
        enum sl_truth agrees;
    } cases[] = {
        {1.5, {1.5, 1.49, 1.51}, 0, SL_TRUTH_YES},      {1.5, {1.64, 1.6, 1.7}, 0, SL_TRUTH_YES},
        {1.5, {1.64, 1.4, 1.9}, 0, SL_TRUTH_UNKNOWN}, /* reaches beyond 1.815 */
        {1.5, {1.7, 1.6, 1.8}, 0, SL_TRUTH_UNKNOWN},  /* beyond, and its interval is not */
        {1.5, {1.7, 1.66, 1.8}, 0, SL_TRUTH_NO},      /* 1.65 is the most */
        {1.5, {1.3, 1.25, 1.35}, 0, SL_TRUTH_NO},     /* 1.364 is the least */
        {1.5, {1.5, NAN, NAN}, 0, SL_TRUTH_UNKNOWN},    {NAN, {1.5, 1.4, 1.6}, 0, SL_TRUTH_UNKNOWN},
        {0, {0.005, 0.004, 0.006}, 0.01, SL_TRUTH_YES}, /* a hundredth of the run is nothing */
        {0, {0.05, 0.04, 0.06}, 0.01, SL_TRUTH_NO},
    };
    ck_assert_int_eq(sl_measuring_agrees(cases[_i].model, cases[_i].measured, 0.1, cases[_i].least),
                     cases[_i].agrees);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("measuring");
    TCase *tc = tcase_create("measuring");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, what_was_planned_is_measured);
    tcase_add_test(tc, the_target_is_that_of_the_judged);
    tcase_add_test(tc, a_baseline_gives_the_difference);
    tcase_add_test(tc, a_slower_machine_still_contends_as_modelled);
    tcase_add_test(tc, another_contention_is_told);
    tcase_add_test(tc, a_direction_without_a_slowdown_is_told);
    tcase_add_loop_test(tc, other_orders_are_told, 0, 5);
    tcase_add_loop_test(tc, peaks_are_of_the_measured_times, 0, 2);
    tcase_add_test(tc, works_that_lack_or_are_new_are_named);
    tcase_add_test(tc, a_cold_repetition_is_set_apart);
    tcase_add_test(tc, another_plan_is_refused);
    tcase_add_loop_test(tc, impossible_timelines_are_refused, 0, 5);
    tcase_add_loop_test(tc, makespans_contradict_no_timeline, 0, 2);
    tcase_add_test(tc, broken_audits_are_refused);
    tcase_add_loop_test(tc, traces_and_audits_tell_the_same, 0, 2);
    TCase *figures = tcase_create("figures");
    tcase_add_loop_test(figures, closely_enough, 0, 10);
    suite_add_tcase(s, tc);
    suite_add_tcase(s, figures);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
