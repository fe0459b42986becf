/* What the gate's evidence says where a runtime deviates, and where there are too few trials or
 * repetitions; the least numbers are worked out by hand. */
#include <config.h>

#include "gate.h"
#include "harness.h"
#include "record_shape.h"
#include <math.h>
#include <string.h>

static struct sl_record record;
static struct sl_error err;

static void teardown(void)
{
    sl_record_free(&record);
    err = (struct sl_error){0};
}

static void make_result(struct sl_record_result *result)
{
    result->present = true;
    result->unit = result->target_unit = "us";
    result->counted = "trials";
    result->count = 1000;
    result->baseline_count = 1000;
    result->tail_quantile = 0.99;
    result->tail = (struct sl_estimate){120, 118, 122};
    result->tail_difference = (struct sl_estimate){-5, -9, -1};
    result->target = "tail";
    result->target_difference = result->tail_difference;
}

/* As much as the conditions need that are looked at. */
static void make(void)
{
    sl_record_init(&record);
    record.objective.tail_stated = true;
    record.proofs.present = true;
    make_result(&record.projected);
    make_result(&record.runtime_feasible);
    make_result(&record.measured);
    record.mechanism.present = record.mechanism.recomputed = true;
    record.mechanism.by = "a runtime";
    record.mechanism.feasible = SL_TRUTH_YES;
    struct sl_record_mapping *mapping =
        sl_record_add(&record, &record.mechanism.mappings, &sl_shape_mapping);
    mapping->wish = "copy beside compute";
    mapping->node = "n7";
    mapping->realizable = SL_TRUTH_YES;
}

static void judge(struct sl_gate_outcome out[SL_GATE_CONDITIONS])
{
    ck_assert_int_eq(sl_gate_judge(&record, &record.arena, out, &err), SL_OK);
}

static void deviate(const char *expected, const char *from)
{
    struct sl_record_deviation *deviation =
        sl_record_add(&record, &record.mechanism.deviations, &sl_shape_deviation);
    *deviation = (struct sl_record_deviation){from, expected, "fixed order"};
}

/* A deviation from a wish is judged by the mechanism of that wish, or of its node; one of the order
 * is in the schedule that was computed again. */
START_TEST(deviations)
{
    static const struct {
        const char *expected, *from;
        enum sl_truth realizable;
        enum sl_gate_outcome_kind outcome;
    } cases[] = {{SL_GATE_AS_DECIDED, "aging", SL_TRUTH_YES, SL_GATE_UNKNOWN},
                 {SL_GATE_AS_DECIDED, "copy beside compute", SL_TRUTH_YES, SL_GATE_PASS},
                 {SL_GATE_AS_DECIDED, "copy beside compute", SL_TRUTH_NO, SL_GATE_FAIL},
                 {SL_GATE_AS_DECIDED, "n7", SL_TRUTH_YES, SL_GATE_PASS},
                 {SL_GATE_AS_DECIDED, "n8", SL_TRUTH_YES, SL_GATE_UNKNOWN},
                 {"n7 before n8", "n8", SL_TRUTH_YES, SL_GATE_PASS}};
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make();
    record.mechanism.mappings.items[0].realizable = cases[_i].realizable;
    deviate(cases[_i].expected, cases[_i].from);
    judge(out);
    ck_assert_int_eq(out[4].outcome, cases[_i].outcome);
    if (cases[_i].outcome == SL_GATE_UNKNOWN)
        ck_assert_ptr_nonnull(strstr(out[4].evidence, cases[_i].from));
}
END_TEST

/* Too few to say something are told with their number and the least.  Of n values both sides of a
 * p99 hold their share of the error with 0.99^n at most 0.025: 368 (at 367 it is 0.02501); of a
 * difference, whose parts have half the error each, 0.0125: 437.  Of the median 2^-n at most
 * 0.0125: 7. */
START_TEST(too_few_are_counted)
{
    static const struct {
        uint64_t count;
        double base;
        bool tail_known;
        const char *target, *bounds_say, *target_says; /* NULL: nothing of numbers */
    } cases[] = {
        {50, 1000, false, "tail",
         "there is no measured tail: 50 trials are too few, a p99 takes 368",
         "the measured tail is not compared: 50 trials of the policy are too few, p99s take 437 of "
         "each"},
        {1000, 60, true, "tail",
         "the measured tail is not compared: 60 trials of the baseline are too few, p99s take 437 "
         "of "
         "each",
         "60 trials of the baseline are too few"},
        {436, 436, true, "tail", "436 trials of each are too few, p99s take 437", "p99s take 437"},
        {437, 437, true, "tail", "there is no measured tail of the baseline",
         "there is no measured baseline"},
        {437, NAN, true, NULL, "there is no measured tail of the baseline",
         "there is no measured baseline"},
        {6, 5, false, "median", "there is no measured tail: 6 trials are too few",
         "6 trials of the policy and 5 of the baseline are too few, medians take 7 of each"},
    };
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make();
    struct sl_record_result *measured = &record.measured;
    measured->count = cases[_i].count;
    measured->baseline_count = cases[_i].base;
    measured->target = cases[_i].target;
    measured->target_difference = measured->tail_difference = SL_NO_ESTIMATE;
    if (!cases[_i].tail_known)
        measured->tail = SL_NO_ESTIMATE;
    judge(out);
    ck_assert_int_eq(out[6].outcome, SL_GATE_UNKNOWN);
    ck_assert_int_eq(out[8].outcome, SL_GATE_UNKNOWN);
    ck_assert_msg(strstr(out[6].evidence, cases[_i].bounds_say) != NULL, "%s", out[6].evidence);
    ck_assert_msg(strstr(out[8].evidence, cases[_i].target_says) != NULL, "%s", out[8].evidence);
}
END_TEST

/* Jobs' tails are means over replications, of which two tell a spread. */
START_TEST(few_replications)
{
    char few[SL_GATE_FEW];
    make();
    struct sl_record_result *projected = &record.projected;
    projected->counted = "replications";
    projected->count = 2;
    projected->baseline_count = 2;
    ck_assert_ptr_null(sl_gate_too_few(few, projected, "tail", true));
    projected->count = 1;
    ck_assert_str_eq(sl_gate_too_few(few, projected, "tail", true),
                     "1 replications of the policy are too few, means take 2 of each");
    projected->counted = "trials";
    ck_assert_ptr_null(sl_gate_too_few(few, projected, "peak.hbm", true));
}
END_TEST

/* Where nothing waits, that is what is said, and no longest wait of 0. */
START_TEST(nothing_waits)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    make();
    record.proofs.starvation.bound_us = _i == 0 ? (double)NAN : 10;
    record.proofs.starvation.max_wait_us = 0;
    record.runtime_feasible.max_wait_us = 0;
    judge(out);
    ck_assert_ptr_nonnull(strstr(out[6].evidence, _i == 0 ? "is established; nothing waits"
                                                          : "nothing waits, of at most 10.00 us"));
    ck_assert_ptr_nonnull(strstr(out[6].evidence, "with what the runtime inserts nothing waits"));
    ck_assert_ptr_null(strstr(out[6].evidence, "longest"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gate_evidence");
    TCase *tc = tcase_create("gate_evidence");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_loop_test(tc, deviations, 0, 6);
    tcase_add_loop_test(tc, too_few_are_counted, 0, 6);
    tcase_add_test(tc, few_replications);
    tcase_add_loop_test(tc, nothing_waits, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
