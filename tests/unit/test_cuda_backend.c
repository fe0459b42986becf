/* The cuda backend from shots to records, timed by events and the host's clock. */
#include <config.h>

#include "cudalab.h"
#include <math.h>

START_TEST(the_machine_is_described)
{
    struct desk desk = set_up();
    const struct sl_fingerprint *print = sl_backend_cuda.fingerprint(desk.bench);
    ck_assert_uint_eq(print->identity_count, 2);
    ck_assert_str_eq(print->facts[0].key, "gpu_uuid");
    ck_assert_str_eq(print->facts[0].value, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
    ck_assert_str_eq(print->facts[1].key, "driver");
    const struct sl_bench_layout *layout = sl_backend_cuda.layout(desk.bench);
    ck_assert_uint_eq(layout->route_count, 2);
    ck_assert_int_eq(layout->domains[0].capacity_bytes, 256 << 20);
    ck_assert_str_eq(desk.classes[class_of(&desk, "copy.p2p")].waived, "there is one GPU");
    tear_down(&desk);
}
END_TEST

/* Every work that is measured alone gives one victim with a time, by the clock that fits it. */
START_TEST(all_works_run_alone)
{
    struct desk desk = set_up();
    uint32_t works = 0;
    for (uint32_t c = 0; c < desk.class_count; c++) {
        const struct sl_work_class *klass = &desk.classes[c];
        for (uint32_t f = 0; f < klass->form_count && !klass->waived; f++)
            for (uint32_t s = 0; s < klass->size_count; s++, works++) {
                const struct sl_shot shot = {
                    .victim = {c, f, klass->sizes[s]}, .shape = SL_SHAPE_FILL, .overlap = 1};
                struct sl_sample sample = shoot(&desk, &shot);
                if (sample.reject == SL_REJECT_PREEMPTED)
                    continue; /* this machine is busy: nothing of the backend's */
                ck_assert_msg(sample.reject == SL_REJECT_NONE, "%s: %s", klass->name,
                              sl_reject_name(sample.reject));
                ck_assert_uint_eq(desk.log.count, 1);
                ck_assert_double_gt(sample.dur_ns, 0);
                ck_assert_str_ne(desk.log.timer, "cupti");
            }
    }
    ck_assert_uint_gt(works, 60);
    tear_down(&desk);
}
END_TEST

/* 4 MiB at 50 GB/s are 83,886 ns; events count in ns of a float's ms. */
START_TEST(copies_take_what_the_link_takes)
{
    struct desk desk = set_up();
    const struct sl_shot shot = {.victim = unit_of(&desk, "copy.h2d"), .overlap = 1};
    ck_assert_int_eq(shot.victim.bytes, 4 << 20);
    ck_assert_double_eq_tol(shoot(&desk, &shot).dur_ns, 83886, 2);
    ck_assert_str_eq(desk.log.timer, "event");
    tear_down(&desk);
}
END_TEST

/* One busy stream beside it makes a work half as long again; both kernels are on all
 * multiprocessors, and their own clocks say the same. */
START_TEST(a_victim_is_slowed_by_what_covers_it)
{
    struct desk desk = set_up();
    struct sl_shot shot = {.victim = victim_of(&desk, "latency"),
                           .aggressors = {unit_of(&desk, "stream")},
                           .overlap = 1};
    struct sl_sample alone = shoot(&desk, &shot);
    shot.aggressor_count = 1;
    shot.cover_ns = (int64_t)(2 * alone.dur_ns);
    ck_assert(isnan(alone.co_resident));
    struct sl_sample beside = shoot(&desk, &shot);
    ck_assert_int_eq(beside.reject, SL_REJECT_COVERAGE); /* 512 units of 1.4 us are too few */

    shot.victim = victim_of(&desk, "stream");
    shot.aggressors[0] = unit_of(&desk, "latency");
    shot.aggressor_count = 0;
    alone = shoot(&desk, &shot);
    shot.aggressor_count = 1;
    shot.cover_ns = (int64_t)(2 * alone.dur_ns);
    beside = shoot(&desk, &shot);
    ck_assert_int_eq(beside.reject, SL_REJECT_NONE);
    ck_assert_double_eq_tol(beside.dur_ns / alone.dur_ns, 1.5, 1e-3);
    ck_assert_double_eq_tol(beside.exec_ns / alone.exec_ns, 1.5, 1e-3);
    ck_assert_double_eq_tol(beside.co_resident, 1, 1e-3);
    ck_assert_double_ge(beside.coverage, 0.99);
    tear_down(&desk);
}
END_TEST

/* Where two aggressors lead unlike long, the shorter one's units still cover the victim. */
START_TEST(all_aggressors_cover)
{
    struct desk desk = set_up();
    struct sl_shot shot = {.victim = victim_of(&desk, "gemm"),
                           .aggressors = {unit_of(&desk, "latency"), unit_of(&desk, "copy.h2d")},
                           .overlap = 1};
    struct sl_sample alone = shoot(&desk, &shot);
    shot.aggressor_count = 2;
    shot.cover_ns = (int64_t)(2 * alone.dur_ns);
    struct sl_sample beside = shoot(&desk, &shot);
    ck_assert_int_eq(beside.reject, SL_REJECT_NONE);
    ck_assert_double_eq_tol(beside.dur_ns / alone.dur_ns, 2, 1e-3);
    tear_down(&desk);
}
END_TEST

/* The aggressor ends when the asked share of the victim is over: its last unit is cut. */
START_TEST(a_partial_overlap_is_partial)
{
    struct desk desk = set_up();
    struct sl_shot shot = {.victim = victim_of(&desk, "latency"),
                           .aggressors = {unit_of(&desk, "copy.d2h")}};
    struct sl_sample alone = shoot(&desk, &shot);
    shot.aggressor_count = 1;
    for (double share = 0.25; share < 1; share += 0.25) {
        shot.overlap = share;
        shot.cover_ns = (int64_t)(share * 1.5 * alone.dur_ns);
        struct sl_sample beside = shoot(&desk, &shot);
        ck_assert_int_eq(beside.reject, SL_REJECT_NONE);
        ck_assert_double_eq_tol(beside.coverage, share, 0.02);
    }
    tear_down(&desk);
}
END_TEST

START_TEST(a_gate_that_gave_up_is_seen)
{
    struct desk desk = set_up();
    const struct sl_shot shot = {.victim = victim_of(&desk, "stream"), .overlap = 1};
    ck_assert_int_eq(shoot(&desk, &shot).reject, SL_REJECT_NONE);
    setenv("SL_FAKE_CUDA", "stuck", 1);
    ck_assert_int_eq(shoot(&desk, &shot).reject, SL_REJECT_GATE_TIMEOUT);
    unsetenv("SL_FAKE_CUDA");
    ck_assert_int_eq(shoot(&desk, &shot).reject, SL_REJECT_NONE);
    tear_down(&desk);
}
END_TEST

START_TEST(memory_that_is_not_there_is_an_error)
{
    struct desk desk = set_up();
    setenv("SL_FAKE_CUDA", "no-memory", 1);
    for (uint32_t c = 0; c < desk.class_count; c++) {
        const struct sl_work work = {c, 0, 128 << 10};
        desk.err = (struct sl_error){0};
        if (strcmp(desk.classes[c].name, "launch") == 0 || desk.classes[c].waived ||
            strcmp(desk.classes[c].name, "gemm") == 0)
            continue; /* need none */
        ck_assert_int_eq(sl_backend_cuda.prepare(desk.bench, &work, &desk.err), SL_SYSTEM);
        ck_assert_ptr_nonnull(strstr(desk.err.message, "out of memory"));
    }
    tear_down(&desk);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cuda backend");
    TCase *c = tcase_create("cuda backend");
    tcase_add_test(c, the_machine_is_described);
    tcase_add_test(c, all_works_run_alone);
    tcase_add_test(c, copies_take_what_the_link_takes);
    tcase_add_test(c, a_victim_is_slowed_by_what_covers_it);
    tcase_add_test(c, all_aggressors_cover);
    tcase_add_test(c, a_partial_overlap_is_partial);
    tcase_add_test(c, a_gate_that_gave_up_is_seen);
    tcase_add_test(c, memory_that_is_not_there_is_an_error);
    suite_add_tcase(s, c);
    return s;
}

int main(int argc, char **argv)
{
    (void)argc;
    return run_on_fake(SL_FAKE_DIR, argv, suite);
}
