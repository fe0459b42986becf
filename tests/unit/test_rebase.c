/* A decision carried over to another device, against a schedule worked out by hand.
 *
 *     f (10 s), m and g (5 s each), b (10 s) on one server; b reads what f wrote.
 *     again:   b's input is computed once more: f + m + g + f + b = 40 s
 *     offload: it leaves beside m and g and comes back before b:
 *              10 s + max(W, o) + i + 10 s
 *
 * s is how long the device takes for a unit of gemm, o and i the copy out and in, and W the time of
 * m and g, slowed down k times while the copy out runs: 10 s + o (1 - 1/k) where o < 10 s k, else
 * 10 s k. */
#include <config.h>

#include "decide.h"
#include "harness.h"
#include "rebase.h"
#include "record_shape.h"
#include "same_graph.h"
#include "tempdir.h"
#include <math.h>
#include <string.h>

static struct tempdir dir, old_device, new_device;
static struct sl_record record;
static struct sl_rebase rebase;
static struct sl_error err;
static struct sl_diags diags;
static char digest[17];

struct device {
    double s, o, i, k; /* us */
    int hbm_gib;
};

/* What a test adds to the old and the new device's files, and to the policies. */
static struct {
    const char *factors, *kappas;
    const char *section, *domain, *order; /* more of kappa, hbm, compute in device.yaml */
} more[2];
static bool with_twin, with_jobs;
static const char *target; /* of the record; NULL: the tail */

static double gap(struct device d)
{
    double w = d.o < 10 * d.s * d.k ? 10 * d.s + d.o * (1 - 1 / d.k) : 10 * d.s * d.k;
    double offload = 10 * d.s + fmax(w, d.o) + d.i + 10 * d.s;
    return 40 * d.s - offload; /* again - offload */
}

/* The time of a copy is all overhead but for 1 ps. */
static void make_device(struct tempdir *to, const char *name, struct device d)
{
    const char *factors = more[to == &new_device].factors, *kappas = more[to == &new_device].kappas;
    const char *section = more[to == &new_device].section, *domain = more[to == &new_device].domain,
               *order = more[to == &new_device].order;
    char text[1600];
    snprintf(text, sizeof text,
             "name: %s\n"
             "resources:\n"
             "  compute: {servers: 1, group: g%s}\n"
             "  in: {servers: 1, group: g}\n"
             "  out: {servers: 1, group: g}\n"
             "domains:\n"
             "  hbm: {capacity: %dGiB, reserve: 0B%s}\n"
             "  pinned: {capacity: 4GiB, reserve: 0B}\n"
             "routes:\n"
             "  - {from: hbm, to: pinned, resource: out, class: copy.out, bandwidth: 1000000GB/s, "
             "overhead: %.9fus}\n"
             "  - {from: pinned, to: hbm, resource: in, class: copy.in, bandwidth: 1000000GB/s, "
             "overhead: %.9fus}\n"
             "kappa: {table: kappa.csv%s}\n"
             "%s",
             name, order ? order : "", d.hbm_gib, domain ? domain : "", d.o, d.i,
             section ? section : "", factors ? factors : "");
    tempdir_make(to);
    tempdir_write(to, "device.yaml", text);
    snprintf(text, sizeof text, "class,size_bytes,dist\ngemm,500,%.9fus\ngemm,1000,%.9fus\n",
             5 * d.s, 10 * d.s);
    tempdir_write(to, "durations.csv", text);
    char row[100] = ""; /* without a number the pair has none */
    if (!isnan(d.k))
        snprintf(row, sizeof row, "gemm,copy.out,%.17g\n", d.k);
    snprintf(text, sizeof text,
             "victim,set,kappa\n%scopy.out,gemm,1\ngemm,copy.in,1\ncopy.in,gemm,1\n%s", row,
             kappas ? kappas : "");
    tempdir_write(to, "kappa.csv", text);
}

static const char nodes_text[] = "node,kind,class,resource,inputs,outputs,work\n"
                                 "f,compute,gemm,compute,,a,bytes=1000B\n"
                                 "m,compute,gemm,compute,a,t,bytes=500B\n"
                                 "g,compute,gemm,compute,t,u,bytes=500B\n"
                                 "b,compute,gemm,compute,a;u,,bytes=1000B\n";
static const char objects_text[] = "object,size,home,reconstruct,equivalence\n"
                                   "a,1KiB,hbm,f,bitwise\n"
                                   "t,1KiB,hbm,,\n"
                                   "u,1KiB,hbm,,\n";

static void make_scenario(void)
{
    char text[1200];
    snprintf(text, sizeof text,
             "name: w\ndevice: %s\nnodes: nodes.csv\nobjects: objects.csv\n"
             "objective: {metric: %s, tail: 0.9}\n%s"
             "policies:\n"
             "  - {name: offload, action: offload, select: list, objects: a}\n"
             "  - {name: again, action: remat, select: list, objects: a}\n"
             "%s"
             "baseline: again\ntrials: 100\n",
             old_device.path, with_jobs ? "latency" : "makespan",
             with_jobs ? "run: {mode: closed, concurrency: 1, jobs: 150, warmup: 20}\n" : "",
             with_twin ? "  - {name: twin, action: offload, select: list, objects: a}\n" : "");
    tempdir_make(&dir);
    tempdir_write(&dir, "scenario.yaml", text);
    tempdir_write(&dir, "nodes.csv", nodes_text);
    tempdir_write(&dir, "objects.csv", objects_text);
}

static void put_setting(const char *key, const char *value)
{
    struct sl_record_setting *setting =
        sl_record_add(&record, &record.policy.settings, &sl_shape_setting);
    setting->key = key;
    ck_assert(sl_record_add_text(&record, &setting->values, value));
}

static void make_record(void)
{
    static const char *const policies[] = {"offload", "twin", "again"};
    sl_record_init(&record);
    record.workload.scenario = "w";
    record.workload.folder = dir.path;
    record.selection.policy = record.policy.name = "offload";
    put_setting("action", "offload");
    put_setting("select", "list");
    put_setting("objects", "a");
    for (int i = 0; i < 3; i++) {
        if (i == 1 && !with_twin)
            continue;
        struct sl_record_alternative *alternative =
            sl_record_add(&record, &record.alternatives, &sl_shape_alternative);
        alternative->policy = policies[i];
        alternative->standing = i == 0 ? "selected" : "slower";
    }
    record.projected.target = target;
    record.objective.tail = 0.9;
    record.objective.min_gain = 0.001;
    record.trials = with_jobs ? 3 : 100;
    record.fresh_seed = 3;
    struct sl_record_scenario at;
    ck_assert_msg(sl_record_scenario_open(&at, &record, NULL, &diags, &err) == SL_OK, "%s",
                  err.message);
    ck_assert_int_eq(sl_record_scenario_plan(&at, &record, &diags, &err), SL_OK);
    snprintf(digest, sizeof digest, "%016llx", (unsigned long long)sl_graph_digest(at.plan.graph));
    ck_assert_int_eq(sl_record_add_inputs(&record, &at.scenario, "scenario", &err), SL_OK);
    sl_record_scenario_close(&at);
    record.graph.plan_digest = digest;
}

static void carry(struct device old, struct device new)
{
    make_device(&old_device, "old", old);
    make_device(&new_device, "new", new);
    make_scenario();
    make_record();
    const struct sl_rebase_request request = {.device = new_device.path};
    enum sl_status status = sl_rebase_make(&rebase, &record, &request, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
}

static void setup(void)
{
    err = (struct sl_error){0};
    diags = (struct sl_diags){0};
    memset(more, 0, sizeof more);
    with_twin = with_jobs = false;
    target = NULL;
}

static void teardown(void)
{
    sl_rebase_free(&rebase);
    sl_record_free(&record);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
    tempdir_remove(&old_device);
    tempdir_remove(&new_device);
}

static struct sl_estimate effect(const char *name)
{
    for (uint32_t i = 0; i < rebase.effect_count; i++)
        if (strcmp(rebase.effects[i].name, name) == 0)
            return rebase.effects[i].effect;
    ck_abort_msg("no effect of '%s'", name);
}

static const struct device old = {1, 8, 8, 1, 8};

/* Each row alone, all together, and what is left, by the formula above. */
START_TEST(rows_and_their_interaction)
{
    const struct device new = {0.5, 16, 16, 1.5, 16};
    const struct {
        const char *name;
        struct device with;
    } rows[] = {{"durations of gemm", {0.5, 8, 8, 1, 8}},
                {"route hbm->pinned", {1, 16, 8, 1, 8}},
                {"route pinned->hbm", {1, 8, 16, 1, 8}},
                {"kappa of gemm beside copy.out", {1, 8, 8, 1.5, 8}}};
    double sum = 0;
    carry(old, new);
    ck_assert_int_eq(rebase.outcome, SL_REBASE_FLIPPED);
    ck_assert_str_eq(rebase.devices[1], "new");
    ck_assert_uint_eq(rebase.count, 2);
    ck_assert_uint_eq(rebase.rival, 1);
    ck_assert_double_eq_tol(rebase.difference[0].value, 2, 1e-3); /* 40 - 38 */
    ck_assert_double_eq_tol(rebase.difference[1].value, gap(new), 1e-3);
    ck_assert_uint_eq(rebase.effect_count, 4);
    for (int i = 0; i < 4; i++) {
        double expected = gap(rows[i].with) - gap(old);
        ck_assert_double_eq_tol(effect(rows[i].name).value, expected, 1e-3);
        ck_assert_double_eq_tol(effect(rows[i].name).lo, expected, 1e-3);
        sum += expected;
    }
    /* The largest comes first; each of these alone is enough but kappa, by which 2 becomes -0.67.
     */
    ck_assert(rebase.effects[0].effect.value <= rebase.effects[1].effect.value);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert(rebase.effects[i].flips);
    ck_assert_double_eq_tol(rebase.together.value, gap(new) - gap(old), 1e-3);
    ck_assert_double_eq_tol(rebase.interaction.value, gap(new) - gap(old) - sum, 2e-3);
    ck_assert_double_eq_tol(rebase.others.value, 0, 1e-3);
    ck_assert_uint_eq(rebase.swaps.other_count, 1);
    ck_assert_str_eq(rebase.swaps.others[0], "bytes of hbm");
}
END_TEST

/* One job at a time takes what the graph takes alone: the same rows, by means over replications. */
START_TEST(rows_of_jobs)
{
    const struct device new = {0.5, 16, 16, 1.5, 8};
    with_jobs = true;
    carry(old, new);
    ck_assert(rebase.jobs);
    ck_assert_int_eq(rebase.outcome, SL_REBASE_FLIPPED);
    ck_assert_double_eq_tol(rebase.candidates[1].figure[0].value, 40, 1e-3);
    ck_assert_double_eq_tol(rebase.difference[0].value, gap(old), 1e-3);
    ck_assert_double_eq_tol(rebase.difference[1].value, gap(new), 1e-3);
    ck_assert_uint_eq(rebase.effect_count, 4);
    ck_assert_double_eq_tol(effect("durations of gemm").value,
                            gap((struct device){0.5, 8, 8, 1, 8}) - gap(old), 1e-3);
    ck_assert_double_eq_tol(effect("route pinned->hbm").value,
                            gap((struct device){1, 8, 16, 1, 8}) - gap(old), 1e-3);
    ck_assert_double_eq_tol(rebase.together.value, gap(new) - gap(old), 1e-3);
    ck_assert_double_eq_tol(rebase.others.value, 0, 1e-3);
}
END_TEST

/* What stands for a pair without a slowdown is a row: with 1.5 for that of gemm beside the copy out
 * the plan takes what it takes with a measured 1.5. */
START_TEST(a_stand_in_is_a_row)
{
    more[0].section = ", unknown_kappa: 1";
    more[1].section = ", unknown_kappa: 1.5, rule: product";
    carry((struct device){1, 8, 8, NAN, 8}, (struct device){1, 8, 8, NAN, 8});
    double expected = gap((struct device){1, 8, 8, 1.5, 8}) - gap(old);
    ck_assert_uint_eq(rebase.effect_count, 2);
    ck_assert_double_eq_tol(effect("pairs without a slowdown: 1.5 instead of 1").value, expected,
                            1e-3);
    ck_assert_double_eq_tol(effect("composition by product instead of additive").value, 0, 1e-3);
    ck_assert_double_eq_tol(rebase.together.value, expected, 1e-3);
    ck_assert_double_eq_tol(rebase.others.value, 0, 1e-3);
    ck_assert_uint_eq(rebase.swaps.other_count, 0);
}
END_TEST

/* What is in no row is named: here bytes in multiples of 2 MiB, the order in which works wait, and
 * what a call costs. */
START_TEST(what_is_in_no_row_is_named)
{
    static const char *const expected[] = {"rounding and fragmentation of hbm",
                                           "waiting order of compute",
                                           "what calls cost (section costs)"};
    more[1].factors = "costs:\n  - {what: allocation, domain: pinned, duration: 1ns}\n";
    more[1].domain = ", rounding: 2MiB";
    more[1].order = ", order: sjf";
    carry(old, old);
    ck_assert_uint_eq(rebase.swaps.count, 0);
    ck_assert_uint_eq(rebase.swaps.other_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(rebase.swaps.others[i], expected[i]);
}
END_TEST

/* The mean, where that is the target: of trials that are all alike it is any of them. */
START_TEST(by_the_mean)
{
    char buffer[16];
    target = "mean";
    carry(old, (struct device){1, 8, 6, 1, 8});
    ck_assert_str_eq(sl_rebase_figure_name(&rebase, buffer), "mean");
    ck_assert_int_eq(rebase.outcome, SL_REBASE_KEPT);
    ck_assert_double_eq_tol(rebase.candidates[0].figure[1].value, 36, 1e-3);
    ck_assert_double_eq_tol(effect("route pinned->hbm").value, 2, 1e-3);
}
END_TEST

START_TEST(a_winner_is_kept)
{
    carry(old, (struct device){1, 8, 6, 1, 8});
    ck_assert_int_eq(rebase.outcome, SL_REBASE_KEPT);
    ck_assert_uint_eq(rebase.effect_count, 1);
    ck_assert_double_eq_tol(effect("route pinned->hbm").value, 2, 1e-3);
    ck_assert(!rebase.effects[0].flips);
    ck_assert_double_eq_tol(rebase.interaction.value, 0, 1e-6);
}
END_TEST

START_TEST(the_same_device_changes_nothing)
{
    carry(old, old);
    ck_assert_int_eq(rebase.outcome, SL_REBASE_KEPT);
    ck_assert_uint_eq(rebase.effect_count + rebase.swaps.other_count, 0);
    ck_assert_double_eq(rebase.difference[0].value, rebase.difference[1].value);
}
END_TEST

START_TEST(a_tie_is_open)
{
    carry(old, (struct device){1, 8, 10, 1, 8}); /* 40 and 40 */
    ck_assert_int_eq(rebase.outcome, SL_REBASE_OPEN);
}
END_TEST

/* A constant factor on a class is a device that takes so much longer for it: the formula again. One
 * that the old device has alone counts as 1 on the new one; one of no class that is used has no
 * row. */
START_TEST(factors_are_rows)
{
    more[0].factors = "factors:\n"
                      "  both: {draw: 1.5, per: trial, classes: copy.in, evidence: assumed}\n"
                      "  gone: {draw: 2, per: trial, classes: copy.out, evidence: assumed}\n"
                      "  like: {draw: 1, per: trial, classes: gemm, evidence: assumed}\n";
    more[1].factors = "factors:\n"
                      "  like: {draw: 1, per: trial, classes: gemm, evidence: unknown}\n"
                      "  chip: {draw: 0.5, per: trial, classes: gemm, evidence: assumed}\n"
                      "  none: {draw: 3, per: trial, classes: l3read, evidence: assumed}\n"
                      "  both: {draw: 0.5, per: trial, classes: copy.in, evidence: assumed}\n";
    const struct device base = {1, 16, 12, 1, 8}, end = {0.5, 8, 4, 1, 8};
    const struct {
        const char *name;
        struct device with;
    } rows[] = {{"factor both", {1, 16, 4, 1, 8}},
                {"factor gone", {1, 8, 12, 1, 8}},
                {"factor chip", {0.5, 16, 12, 1, 8}}};
    carry(old, old);
    ck_assert_uint_eq(rebase.effect_count, 3);
    ck_assert_double_eq_tol(rebase.difference[0].value, gap(base), 1e-3);
    ck_assert_double_eq_tol(rebase.difference[1].value, gap(end), 1e-3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(effect(rows[i].name).value, gap(rows[i].with) - gap(base), 1e-3);
    ck_assert_double_eq_tol(rebase.together.value, gap(end) - gap(base), 1e-3);
    ck_assert_double_eq_tol(rebase.others.value, 0, 1e-6);
    ck_assert_uint_eq(rebase.swaps.other_count, 0);
}
END_TEST

START_TEST(a_slowdown_that_only_the_new_device_knows_is_named)
{
    more[1].kappas = "copy.out,copy.in,1.5\nl3read,gemm,2\n"; /* l3read: of no node */
    carry(old, old);
    ck_assert_uint_eq(rebase.effect_count, 0);
    ck_assert_uint_eq(rebase.swaps.other_count, 1);
    ck_assert_str_eq(rebase.swaps.others[0],
                     "kappa of copy.out beside copy.in (not in the old device's table)");
}
END_TEST

/* Another name for the same plan is not a rival: it ties at 0, and rows compare with what differs.
 */
START_TEST(an_identical_plan_is_no_rival)
{
    with_twin = true;
    carry(old, (struct device){1, 8, 6, 1, 8});
    ck_assert_int_eq(rebase.outcome, SL_REBASE_KEPT);
    ck_assert_uint_eq(rebase.count, 3);
    ck_assert_str_eq(rebase.candidates[1].policy, "twin");
    for (int side = 0; side < 2; side++) {
        struct sl_estimate tie = rebase.candidates[1].against[side];
        ck_assert(rebase.candidates[1].same[side] && !rebase.candidates[2].same[side]);
        ck_assert(tie.value == 0 && tie.lo == 0 && tie.hi == 0);
    }
    ck_assert_uint_eq(rebase.rival, 2);
    ck_assert_double_eq_tol(effect("route pinned->hbm").value, 2, 1e-3);
}
END_TEST

START_TEST(what_has_changed_is_refused)
{
    carry(old, old);
    sl_rebase_free(&rebase);
    const struct sl_rebase_request request = {.device = new_device.path};
    record.graph.plan_digest = "0000000000000000";
    ck_assert_int_eq(sl_rebase_make(&rebase, &record, &request, &diags, &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "has changed since the decision"));
    sl_rebase_free(&rebase);
    err = (struct sl_error){0};
    const struct sl_rebase_request none = {.device = "/no/such/folder"};
    record.graph.plan_digest = digest;
    ck_assert_int_eq(sl_rebase_make(&rebase, &record, &none, &diags, &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "no device folder"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("rebase");
    TCase *tc = tcase_create("rebase");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, rows_and_their_interaction);
    tcase_add_test(tc, rows_of_jobs);
    tcase_add_test(tc, a_stand_in_is_a_row);
    tcase_add_test(tc, what_is_in_no_row_is_named);
    tcase_add_test(tc, by_the_mean);
    tcase_add_test(tc, a_winner_is_kept);
    tcase_add_test(tc, the_same_device_changes_nothing);
    tcase_add_test(tc, a_tie_is_open);
    tcase_add_test(tc, factors_are_rows);
    tcase_add_test(tc, a_slowdown_that_only_the_new_device_knows_is_named);
    tcase_add_test(tc, an_identical_plan_is_no_rival);
    tcase_add_test(tc, what_has_changed_is_refused);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
