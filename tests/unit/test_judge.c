/* The judge: hand-made records, each reject reason, coverage against a count of single nanoseconds.
 */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "judge.h"
#include <math.h>
#include <string.h>

static struct sl_shot_record records[SL_SHOT_RECORDS_MAX];
static struct sl_shot_log log_of_shot;

static struct sl_shot_record *add(uint32_t actor, uint32_t unit, int64_t start, int64_t end)
{
    struct sl_shot_record *record = &records[log_of_shot.count++];
    *record = (struct sl_shot_record){
        .actor = actor, .unit = unit, .start_ns = start, .end_ns = end, .co_resident = (double)NAN};
    return record;
}

/* A victim of 100 ns, from 1000. */
static void begin(void)
{
    log_of_shot = (struct sl_shot_log){.records = records,
                                       .sentinel_before_ns = (double)NAN,
                                       .sentinel_after_ns = (double)NAN,
                                       .sm_mhz = (double)NAN,
                                       .timer = "host"};
    struct sl_shot_record *victim = add(0, 0, 1000, 1100);
    victim->submitted_ns = 970;
}

static struct sl_sample judged(uint32_t aggressors, double overlap)
{
    struct sl_shot shot = {.aggressor_count = aggressors, .overlap = overlap};
    return sl_judge(&shot, &log_of_shot);
}

static void rejects(uint32_t aggressors, const char *reason)
{
    ck_assert_str_eq(sl_reject_name(judged(aggressors, 1).reject), reason);
}

START_TEST(figures_of_a_victim_alone)
{
    begin();
    records[0].exec_start_ns = 5;
    records[0].exec_end_ns = 65;
    records[0].co_resident = 0.25;
    log_of_shot.sentinel_before_ns = 50;
    log_of_shot.sentinel_after_ns = 60;
    log_of_shot.sm_mhz = 1980;
    log_of_shot.throttled = true;
    struct sl_sample sample = judged(0, 1);
    ck_assert_int_eq(sample.reject, SL_REJECT_NONE);
    ck_assert_double_eq(sample.dur_ns, 100);
    ck_assert_double_eq(sample.exec_ns, 60);
    ck_assert_double_eq(sample.start_delay_ns, 30);
    ck_assert_double_eq(sample.coverage, 1);
    ck_assert_double_eq(sample.co_resident, 0.25);
    ck_assert_double_eq(sample.sentinel_ns, 55);
    ck_assert_double_eq(sample.sm_mhz, 1980);
    ck_assert(sample.throttled);
    ck_assert_str_eq(sample.timer, "host");
    ck_assert_int_eq(sample.submitted_ns, 970);
}
END_TEST

START_TEST(what_is_not_known_is_nan)
{
    begin();
    records[0].submitted_ns = 0;
    log_of_shot.sentinel_before_ns = 50; /* only one side */
    struct sl_sample sample = judged(0, 1);
    ck_assert_int_eq(sample.reject, SL_REJECT_NONE);
    ck_assert(isnan(sample.exec_ns) && isnan(sample.start_delay_ns) && isnan(sample.co_resident));
    ck_assert(isnan(sample.sentinel_ns) && isnan(sample.sm_mhz));
}
END_TEST

START_TEST(coverage_is_of_the_union)
{
    begin(); /* 900 to 1040, 1030 to 1060, a gap of 10, 1070 to 1200 */
    add(1, 2, 1070, 1200);
    add(1, 0, 900, 1040);
    add(1, 1, 1030, 1060);
    struct sl_sample sample = judged(1, 1);
    ck_assert_double_eq_tol(sample.coverage, 0.90, 1e-12);
    ck_assert_int_eq(sample.reject, SL_REJECT_COVERAGE);
}
END_TEST

START_TEST(coverage_is_the_least_of_all_aggressors)
{
    begin();
    add(2, 0, 900, 1050);
    add(1, 0, 900, 1200);
    ck_assert_double_eq_tol(judged(2, 1).coverage, 0.50, 1e-12);
    begin(); /* the second one has no record at all */
    add(1, 0, 900, 1200);
    ck_assert_double_eq(judged(2, 1).coverage, 0);
}
END_TEST

START_TEST(coverage_of_99_percent_is_enough)
{
    begin();
    add(1, 0, 1001, 1200);
    ck_assert_int_eq(judged(1, 1).reject, SL_REJECT_NONE);
    records[0].end_ns = records[0].actor == 0 ? 1099 : records[0].end_ns;
    ck_assert_int_eq(judged(1, 1).reject, SL_REJECT_COVERAGE);
}
END_TEST

START_TEST(partial_overlap_is_met_from_both_sides)
{
    const int64_t ends[] = {1037, 1038, 1050, 1062, 1063};
    const bool met[] = {false, true, true, true, false};
    for (int i = 0; i < 5; i++) {
        begin();
        add(1, 0, 900, ends[i]);
        ck_assert_int_eq(judged(1, 0.5).reject == SL_REJECT_NONE, met[i]);
    }
}
END_TEST

/* The union against a count of single nanoseconds, on random units in random order. */
START_TEST(coverage_agrees_with_counting)
{
    struct dice dice = {.state = 7};
    for (int round = 0; round < 2000; round++) {
        begin();
        uint32_t aggressors = 1 + dice_below(&dice, 3), unit = 0;
        double least = 1;
        for (uint32_t actor = 1; actor <= aggressors; actor++) {
            bool covered[100] = {false};
            int covered_count = 0;
            for (uint32_t k = dice_below(&dice, 6); k > 0; k--) {
                int64_t start = 950 + dice_below(&dice, 170), end = start + dice_below(&dice, 60);
                add(actor, unit++, start, end);
                for (int64_t t = start; t < end; t++)
                    if (t >= 1000 && t < 1100)
                        covered[t - 1000] = true;
            }
            for (int t = 0; t < 100; t++)
                covered_count += covered[t];
            least = fmin(least, covered_count / 100.0);
        }
        for (uint32_t i = log_of_shot.count - 1; i > 0; i--) { /* any order */
            uint32_t k = dice_below(&dice, i + 1);
            struct sl_shot_record swap = records[i];
            records[i] = records[k];
            records[k] = swap;
        }
        struct sl_sample sample = judged(aggressors, 1);
        ck_assert_double_eq_tol(sample.coverage, least, 1e-12);
        ck_assert_int_eq(sample.reject == SL_REJECT_NONE, least >= 0.99);
    }
}
END_TEST

START_TEST(each_reason_by_itself)
{
    begin();
    log_of_shot.gate_timeout = true;
    rejects(0, "gate-timeout");
    begin();
    log_of_shot.dropped = 1;
    rejects(0, "dropped");
    begin();
    add(3, 0, 900, 1200);
    rejects(2, "stray");
    begin();
    records[0].actor = 1;
    rejects(1, "no-victim");
    begin();
    log_of_shot.count = 0;
    rejects(0, "no-victim");
    begin();
    add(0, 1, 1200, 1300);
    rejects(0, "duplicate");
    begin();
    add(1, 4, 900, 1000);
    add(1, 5, 1000, 1100);
    add(1, 4, 1000, 1200);
    rejects(1, "duplicate");
    begin();
    add(1, 0, 0, 0);
    add(1, 1, 900, 1200);
    rejects(1, "zero-time");
    begin();
    records[0].end_ns = records[0].start_ns;
    rejects(0, "zero-time");
    begin();
    log_of_shot.preemptions = 1;
    rejects(0, "preempted");
    begin();
    log_of_shot.sentinel_before_ns = 50;
    log_of_shot.sentinel_after_ns = 310;
    rejects(0, "sentinel");
    log_of_shot.sentinel_after_ns = 75; /* a factor of 1.5 is not above it */
    rejects(0, "");
    begin();
    rejects(1, "coverage");
}
END_TEST

START_TEST(clock_steps)
{
    begin();
    records[0].end_ns = 999;
    rejects(0, "clock-step");
    ck_assert(isnan(judged(0, 1).dur_ns));
    begin();
    records[0].submitted_ns = 1001;
    rejects(0, "clock-step");
    begin();
    records[0].end_ns = INT64_MAX;
    records[0].start_ns = INT64_MIN + 1;
    rejects(0, "clock-step");
    begin();
    records[0].exec_start_ns = 10;
    records[0].exec_end_ns = 9;
    rejects(0, "clock-step");
    begin();
    add(1, 0, 1200, 900);
    rejects(1, "clock-step");
}
END_TEST

/* Of several reasons the first of enum sl_reject is logged. */
START_TEST(the_first_reason_is_logged)
{
    begin();
    log_of_shot.gate_timeout = true;
    log_of_shot.dropped = 3;
    log_of_shot.preemptions = 2;
    records[0].end_ns = 0;
    rejects(1, "gate-timeout");
    log_of_shot.gate_timeout = false;
    rejects(1, "dropped");
    log_of_shot.dropped = 0;
    rejects(1, "clock-step");
}
END_TEST

START_TEST(more_records_than_fit_are_lost_ones)
{
    begin();
    for (uint32_t i = 1; i < SL_SHOT_RECORDS_MAX; i++)
        records[i] = records[0];
    log_of_shot.count = UINT32_MAX;
    rejects(7, "dropped");
}
END_TEST

START_TEST(names_are_found_again)
{
    for (int i = 0; i < SL_REJECT_COUNT; i++)
        ck_assert_int_eq(sl_reject_find(sl_reject_name((enum sl_reject)i)), i);
    ck_assert_int_eq(sl_reject_find("no such"), SL_REJECT_COUNT);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("judge");
    TCase *t = tcase_create("judge");
    tcase_add_test(t, figures_of_a_victim_alone);
    tcase_add_test(t, what_is_not_known_is_nan);
    tcase_add_test(t, coverage_is_of_the_union);
    tcase_add_test(t, coverage_is_the_least_of_all_aggressors);
    tcase_add_test(t, coverage_of_99_percent_is_enough);
    tcase_add_test(t, partial_overlap_is_met_from_both_sides);
    tcase_add_test(t, coverage_agrees_with_counting);
    tcase_add_test(t, each_reason_by_itself);
    tcase_add_test(t, clock_steps);
    tcase_add_test(t, the_first_reason_is_logged);
    tcase_add_test(t, more_records_than_fit_are_lost_ones);
    tcase_add_test(t, names_are_found_again);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
