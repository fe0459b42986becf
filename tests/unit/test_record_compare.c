/* Two records that differ in known places: each is told once, in its kind, and whether the decision
 * is another one follows from policy, settings, plan and failures of the gate alone. */
#include <config.h>

#include "harness.h"
#include "record_compare.h"
#include "record_shape.h"
#include <math.h>

static struct sl_record before, after;
static struct sl_record_comparison comparison;
static struct sl_error err;

#define ADD(record, list, kind) sl_record_add(record, &(record)->list, &sl_shape_##kind)

static void make(struct sl_record *record)
{
    sl_record_init(record);
    record->version = "1";
    record->trials = 1000;
    record->selection.policy = record->policy.name = "offload";
    record->graph.plan_digest = "aa";
    struct sl_record_input *input = ADD(record, inputs, input);
    *input = (struct sl_record_input){.role = "scenario", .path = "nodes.csv", .sha256 = "h1"};
    input = ADD(record, inputs, input);
    *input = (struct sl_record_input){.role = "scenario", .path = "kappa.csv", .sha256 = "h2"};
    struct sl_record_cost *cost = ADD(record, costs, cost);
    cost->what = "duration";
    cost->name = "gemm";
    cost->of = "f0";
    cost->uses = 8;
    cost->median_us = (struct sl_estimate){20, 19, 21};
    cost->table = "nodes.csv";
    cost->evidence = "measured";
    cost->source = "h100";
    cost->confidence = 0.9;
    cost->chain_share = 0.5;
    cost = ADD(record, costs, cost);
    cost->what = "kappa";
    cost->name = "gemm beside copy";
    cost->uses = 2;
    cost->kappa.value = 1.25;
    cost->table = "kappa.csv";
    cost->evidence = "assumed";
    struct sl_record_setting *setting = ADD(record, policy.settings, setting);
    setting->key = "action";
    ck_assert(sl_record_add_text(record, &setting->values, "offload"));
    record->projected.present = true;
    record->projected.median = (struct sl_estimate){100, 99, 101};
    record->projected.tail = (struct sl_estimate){120, 118, 122};
    struct sl_record_alternative *alternative = ADD(record, alternatives, alternative);
    alternative->policy = "keep";
    alternative->standing = "slower";
    alternative->tail_us = (struct sl_estimate){140, 138, 142};
    static const char *const names[] = {"costs", "capacity", "target"};
    for (int i = 0; i < 3; i++) {
        struct sl_gate_outcome *outcome = ADD(record, gate, gate_outcome);
        outcome->condition = names[i];
        outcome->outcome = i < 2 ? SL_GATE_PASS : SL_GATE_UNKNOWN;
    }
    record->status = SL_RECORD_POLICY_SELECTED;
}

static void setup(void)
{
    make(&before);
    make(&after);
}

static void teardown(void)
{
    sl_record_comparison_free(&comparison);
    sl_record_free(&before);
    sl_record_free(&after);
}

static void compare(void)
{
    ck_assert_int_eq(sl_record_compare(&comparison, &before, &after, &err), SL_OK);
}

/* The only difference. */
static const struct sl_record_difference *only(enum sl_change_kind kind)
{
    compare();
    ck_assert_msg(comparison.count == 1, "%u differences", comparison.count);
    ck_assert_int_eq(comparison.items[0].kind, kind);
    return &comparison.items[0];
}

START_TEST(equal_records_do_not_differ)
{
    compare();
    ck_assert_uint_eq(comparison.count, 0);
    ck_assert_uint_eq(comparison.same_figures, 3);
    ck_assert(!comparison.decision_changed);
}
END_TEST

START_TEST(a_hash_and_a_row_are_told_by_name)
{
    after.inputs.items[1].sha256 = "h3";
    const struct sl_record_difference *item = only(SL_CHANGE_INPUT);
    ck_assert_str_eq(item->what, "scenario kappa.csv");
    ck_assert_str_eq(item->before, "h2");
    ck_assert_str_eq(item->after, "h3");
    sl_record_comparison_free(&comparison);
    after.inputs.items[1].sha256 = "h2";
    after.costs.items[1].evidence = "measured";
    item = only(SL_CHANGE_COST);
    ck_assert_str_eq(item->what, "kappa gemm beside copy");
    ck_assert_str_eq(item->key, "evidence");
    ck_assert_str_eq(item->before, "assumed");
    ck_assert_str_eq(item->after, "measured");
    ck_assert(!comparison.decision_changed);
}
END_TEST

/* A figure with its unit, whether intervals lie apart, and the file where its hash is another one.
 */
START_TEST(a_figure_of_a_cost)
{
    after.costs.items[0].median_us = (struct sl_estimate){22, 21.5, 23};
    const struct sl_record_difference *item = only(SL_CHANGE_COST);
    ck_assert_str_eq(item->what, "duration gemm of f0");
    ck_assert_str_eq(item->key, "median_us");
    ck_assert_str_eq(item->unit, "us");
    ck_assert(item->old.value == 20 && item->new.value == 22);
    ck_assert_int_eq(item->apart, SL_TRUTH_YES);
    ck_assert_ptr_null(item->changed_in); /* no input differs */
    sl_record_comparison_free(&comparison);
    after.inputs.items[0].sha256 = "h4";
    compare();
    ck_assert_uint_eq(comparison.count, 2);
    ck_assert_int_eq(comparison.items[1].kind, SL_CHANGE_COST);
    ck_assert_str_eq(comparison.items[1].changed_in, "nodes.csv");
    sl_record_comparison_free(&comparison);
    after.inputs.items[0].sha256 = "h1"; /* of another file it is not */
    after.inputs.items[1].sha256 = "h5";
    compare();
    ck_assert_ptr_null(comparison.items[1].changed_in);
}
END_TEST

/* Rows of one name are told apart by what they belong to; another one is another row. */
START_TEST(rows_of_one_name)
{
    static const char *const names[] = {"duration gemm of f0", "duration gemm of f1"};
    after.costs.items[0].of = "f1";
    compare();
    ck_assert_uint_eq(comparison.count, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(comparison.items[i].kind, SL_CHANGE_COST);
        ck_assert_str_eq(comparison.items[i].what, names[i]);
        ck_assert_ptr_null(comparison.items[i].key);
    }
    ck_assert_str_eq(comparison.items[0].before, "20.00 us [19.00 us, 21.00 us]; measured, 8 uses");
    ck_assert_ptr_null(comparison.items[0].after);
    ck_assert_ptr_null(comparison.items[1].before);
}
END_TEST

/* Order does not matter, absence does. */
START_TEST(items_are_matched_by_name)
{
    struct sl_record_input first = after.inputs.items[0];
    after.inputs.items[0] = after.inputs.items[1];
    after.inputs.items[1] = first;
    compare();
    ck_assert_uint_eq(comparison.count, 0);
    sl_record_comparison_free(&comparison);
    after.inputs.count = 1;
    const struct sl_record_difference *item = only(SL_CHANGE_INPUT);
    ck_assert_str_eq(item->what, "scenario nodes.csv");
    ck_assert_ptr_null(item->after);
    sl_record_comparison_free(&comparison);
    after.inputs.count = 2;
    before.inputs.count = 1; /* nodes.csv is left, kappa.csv is new */
    item = only(SL_CHANGE_INPUT);
    ck_assert_str_eq(item->what, "scenario kappa.csv");
    ck_assert_ptr_null(item->before);
}
END_TEST

START_TEST(intervals_overlap_or_lie_apart)
{
    static const struct {
        struct sl_estimate tail;
        enum sl_truth apart;
    } cases[] = {
        {{121, 119, 123}, SL_TRUTH_NO},      {{124, 122, 126}, SL_TRUTH_NO}, /* they touch */
        {{125, 123, 127}, SL_TRUTH_YES},     {{110, 108, 112}, SL_TRUTH_YES},
        {{125, NAN, NAN}, SL_TRUTH_UNKNOWN},
    };
    after.projected.tail = cases[_i].tail;
    const struct sl_record_difference *item = only(SL_CHANGE_FIGURE);
    ck_assert_str_eq(item->what, "projected tail");
    ck_assert_int_eq(item->apart, cases[_i].apart);
    ck_assert_uint_eq(comparison.overlapping, cases[_i].apart == SL_TRUTH_NO);
    ck_assert(!comparison.decision_changed);
}
END_TEST

START_TEST(what_makes_another_decision)
{
    static const struct {
        int change;
        bool changed;
    } cases[] = {{0, true}, {1, true}, {2, true}, {3, true}, {4, false}, {5, false}, {6, false}};
    switch (cases[_i].change) {
    case 0:
        after.selection.policy = "keep";
        break;
    case 1:
        after.policy.settings.items[0].values.items[0] = "remat";
        break;
    case 2:
        after.graph.plan_digest = "bb";
        break;
    case 3:
        after.gate.items[1].outcome = SL_GATE_FAIL;
        break;
    case 4:
        after.gate.items[2].outcome = SL_GATE_PASS; /* what was open is known */
        break;
    case 5:
        after.status = SL_RECORD_RUNTIME_FEASIBLE;
        break;
    default:
        after.alternatives.items[0].standing = "tie";
    }
    compare();
    ck_assert_uint_eq(comparison.count, 1);
    ck_assert_int_eq(comparison.decision_changed, cases[_i].changed);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("record_compare");
    TCase *tc = tcase_create("record_compare");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, equal_records_do_not_differ);
    tcase_add_test(tc, a_hash_and_a_row_are_told_by_name);
    tcase_add_test(tc, a_figure_of_a_cost);
    tcase_add_test(tc, rows_of_one_name);
    tcase_add_test(tc, items_are_matched_by_name);
    tcase_add_loop_test(tc, intervals_overlap_or_lie_apart, 0, 5);
    tcase_add_loop_test(tc, what_makes_another_decision, 0, 7);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
