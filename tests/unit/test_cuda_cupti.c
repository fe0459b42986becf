/* The cuda backend timed by CUPTI's records, which come from a library beside the driver without a
 * GPU (support/fake_cupti.c). */
#include <config.h>

#include "cudalab.h"
#include <math.h>

/* Every work has one record with a time; calls are timed as the driver sees them. */
START_TEST(all_works_have_records)
{
    struct desk desk = set_up();
    for (uint32_t c = 0; c < desk.class_count; c++) {
        const struct sl_work_class *klass = &desk.classes[c];
        for (uint32_t f = 0; f < klass->form_count && !klass->waived; f++) {
            const struct sl_shot shot = {
                .victim = {c, f, klass->sizes[0]}, .shape = SL_SHAPE_FILL, .overlap = 1};
            struct sl_sample sample = shoot(&desk, &shot);
            if (sample.reject == SL_REJECT_PREEMPTED)
                continue; /* this machine is busy: nothing of the backend's */
            ck_assert_msg(sample.reject == SL_REJECT_NONE, "%s: %s", klass->name,
                          sl_reject_name(sample.reject));
            ck_assert_str_eq(desk.log.timer, "cupti");
            ck_assert_uint_eq(desk.log.count, 1);
            ck_assert_double_gt(sample.dur_ns, 0);
            ck_assert(!isnan(sample.start_delay_ns));
        }
    }
    tear_down(&desk);
}
END_TEST

/* By the driver that stands in: 10 us to create, 4 to map, 6 to set access. */
START_TEST(calls_add_up)
{
    struct desk desk = set_up();
    const struct sl_shot shot = {.victim = victim_of(&desk, "map"), .overlap = 1};
    ck_assert_double_eq(shoot(&desk, &shot).dur_ns, 20000);
    tear_down(&desk);
}
END_TEST

/* The same shot by events, which CUPTI does not see. */
START_TEST(the_other_timer_is_events)
{
    struct desk desk = set_up();
    struct sl_shot shot = {.victim = unit_of(&desk, "copy.d2h"), .overlap = 1};
    double by_cupti = shoot(&desk, &shot).dur_ns;
    shot.other_timer = true;
    struct sl_sample sample = shoot(&desk, &shot);
    ck_assert_str_eq(sample.timer, "event");
    ck_assert_double_eq_tol(sample.dur_ns, by_cupti, 2);
    shot.other_timer = false;
    ck_assert_double_eq(shoot(&desk, &shot).dur_ns, by_cupti);
    tear_down(&desk);
}
END_TEST

START_TEST(a_victim_is_slowed_by_what_covers_it)
{
    struct desk desk = set_up();
    struct sl_shot shot = {.victim = victim_of(&desk, "stream"),
                           .aggressors = {unit_of(&desk, "latency")},
                           .overlap = 1};
    struct sl_sample alone = shoot(&desk, &shot);
    shot.aggressor_count = 1;
    shot.cover_ns = (int64_t)(2 * alone.dur_ns);
    struct sl_sample beside = shoot(&desk, &shot);
    ck_assert_int_eq(beside.reject, SL_REJECT_NONE);
    ck_assert_double_eq_tol(beside.dur_ns / alone.dur_ns, 1.5, 1e-3);
    ck_assert_double_eq_tol(beside.co_resident, 1, 1e-3);
    ck_assert_double_eq(beside.start_delay_ns, alone.start_delay_ns);
    tear_down(&desk);
}
END_TEST

/* A copy behind copies of the same direction was free to start when two of them had ended, and
 * waits for the engine. */
START_TEST(the_wait_for_an_engine_is_no_duration)
{
    struct desk desk = set_up();
    struct sl_shot shot = {.victim = victim_of(&desk, "copy.h2d"),
                           .aggressors = {unit_of(&desk, "copy.h2d")},
                           .overlap = 1};
    struct sl_sample alone = shoot(&desk, &shot);
    shot.aggressor_count = 1;
    shot.cover_ns = (int64_t)(2 * alone.dur_ns);
    struct sl_sample beside = shoot(&desk, &shot);
    ck_assert_double_eq(beside.dur_ns, alone.dur_ns);
    ck_assert_double_ge(beside.start_delay_ns, (double)shot.cover_ns);
    tear_down(&desk);
}
END_TEST

START_TEST(lost_and_untimed_records_are_seen)
{
    struct desk desk = set_up();
    const struct sl_shot shot = {.victim = unit_of(&desk, "memset"), .overlap = 1};
    setenv("SL_FAKE_CUPTI", "drops", 1);
    ck_assert_int_eq(shoot(&desk, &shot).reject, SL_REJECT_DROPPED);
    setenv("SL_FAKE_CUPTI", "untimed", 1);
    ck_assert_int_eq(shoot(&desk, &shot).reject, SL_REJECT_ZERO_TIME);
    unsetenv("SL_FAKE_CUPTI");
    ck_assert_int_eq(shoot(&desk, &shot).reject, SL_REJECT_NONE);
    tear_down(&desk);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cuda by cupti");
    TCase *c = tcase_create("cuda by cupti");
    tcase_add_test(c, all_works_have_records);
    tcase_add_test(c, calls_add_up);
    tcase_add_test(c, the_other_timer_is_events);
    tcase_add_test(c, a_victim_is_slowed_by_what_covers_it);
    tcase_add_test(c, the_wait_for_an_engine_is_no_duration);
    tcase_add_test(c, lost_and_untimed_records_are_seen);
    suite_add_tcase(s, c);
    return s;
}

int main(int argc, char **argv)
{
    (void)argc;
    return run_on_fake(SL_FAKE_DIR, argv, suite);
}
