/* Slowdowns and overlaps of what ran side by side: exact where nothing is noisy, whatever the speed
 * of the machine; intervals that hold the truth as often as they say. */
#include <config.h>

#include "beside.h"
#include "harness.h"

static struct sl_error err;

/* A repetition: four works of class 0, isolated 100 us on a machine that takes `speed` times as
 * long, each beside a work of class 1 for 0, 20, 40 and 60 us of its own isolated time, where it is
 * slowed down 1.5 times.  A work of class 0 in another group runs all along and costs nothing. */
static void add(struct sl_beside *beside, uint32_t part, double speed, const double noise[4])
{
    struct sl_beside_work works[9];
    uint32_t count = 0;
    int64_t at = 0;
    for (int i = 0; i < 4; i++) {
        double slowed = 20000.0 * i * speed * noise[i],
               rest = (100000 - 20000.0 * i) * speed * noise[i];
        int64_t together = (int64_t)(1.5 * slowed), end = at + together + (int64_t)rest;
        works[count++] = (struct sl_beside_work){at, end, 100000, 1, 0};
        if (i > 0)
            works[count++] = (struct sl_beside_work){at, at + together, 20000.0 * i, 1, 1};
        at = end;
    }
    works[count++] = (struct sl_beside_work){0, at, 1e6, 2, 2};
    works[count++] = (struct sl_beside_work){0, at, 1e6, 1, SL_NONE};
    ck_assert_int_eq(sl_beside_add(beside, part, works, count, &err), SL_OK);
}

static const struct sl_slowdown *find(const struct sl_slowdown *all, uint32_t count, uint32_t klass,
                                      uint32_t others)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].klass == klass && all[i].other_count == others)
            return &all[i];
    return NULL;
}

START_TEST(a_slow_machine_is_no_contention)
{
    const double exact[] = {1, 1, 1, 1};
    struct sl_beside *beside;
    struct sl_arena arena = {0};
    uint32_t count;
    ck_assert_int_eq(sl_beside_create(&beside, 3, 4, &err), SL_OK);
    for (uint32_t part = 0; part < 4; part++)
        add(beside, part, 1.25, exact);
    const struct sl_slowdown *all = sl_beside_slowdowns(beside, &arena, &count);
    const struct sl_slowdown *alone = find(all, count, 0, 0), *beside_one = find(all, count, 0, 1);
    ck_assert_ptr_nonnull(alone);
    ck_assert_ptr_nonnull(beside_one);
    ck_assert_double_eq_tol(alone->kappa, 1.25, 1e-6);
    ck_assert_double_eq_tol(alone->slowdown.value, 1, 1e-12);
    ck_assert_double_eq_tol(beside_one->kappa, 1.875, 1e-6);
    ck_assert_double_eq_tol(beside_one->slowdown.value, 1.5, 1e-6);
    ck_assert_double_eq_tol(beside_one->slowdown.lo, 1.5, 1e-6);
    ck_assert_double_eq_tol(beside_one->slowdown.hi, 1.5, 1e-6);
    ck_assert_uint_eq(beside_one->others[1], 1);
    ck_assert_double_eq_tol(beside_one->share, 225000.0 / (225000 + 350000), 1e-6);
    /* 1.25 x 1.5 x (20 + 40 + 60) us; that of class 2 with each of the others is all they do. */
    struct sl_estimate overlap = sl_beside_overlap_ns(beside, 0, 1);
    ck_assert_double_eq_tol(overlap.value, 225000, 1);
    ck_assert_double_eq_tol(overlap.lo, 225000, 1);
    ck_assert_double_eq(sl_beside_overlap_ns(beside, 2, 0).value, 575000);
    ck_assert_double_eq(sl_beside_overlap_ns(beside, 0, 0).value, 0);
    /* The class that only ever runs beside the other has none against itself alone: its slowdown has
     * that of the machine in it. */
    ck_assert(alone->seen_alone && !find(all, count, 1, 1)->seen_alone);
    ck_assert_double_eq_tol(find(all, count, 1, 1)->slowdown.value, 1.875, 1e-6);
    ck_assert_double_eq_tol(find(all, count, 1, 1)->slowdown.hi, 1.875, 1e-6);
    sl_arena_free(&arena);
    sl_beside_free(beside);
}
END_TEST

/* One repetition gives no interval. */
START_TEST(an_interval_takes_two_parts)
{
    const double exact[] = {1, 1, 1, 1};
    struct sl_beside *beside;
    struct sl_arena arena = {0};
    uint32_t count;
    ck_assert_int_eq(sl_beside_create(&beside, 3, 4, &err), SL_OK);
    add(beside, 2, 1, exact);
    const struct sl_slowdown *all = sl_beside_slowdowns(beside, &arena, &count);
    ck_assert_double_eq_tol(find(all, count, 0, 1)->slowdown.value, 1.5, 1e-6);
    ck_assert(isnan(find(all, count, 0, 1)->slowdown.lo));
    ck_assert(isnan(sl_beside_overlap_ns(beside, 0, 1).lo));
    sl_arena_free(&arena);
    sl_beside_free(beside);
}
END_TEST

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* 200 measurements of 60 repetitions each, in which every work takes from 0.8 to 1.2 times as long,
 * and each part has a machine from 0.9 to 1.1 times as slow.  A binomial of 200 at 0.95 is below
 * 180 once in 700 times. */
START_TEST(intervals_hold_the_truth)
{
    uint64_t state = 7;
    int hold = 0;
    for (int m = 0; m < 200; m++) {
        struct sl_beside *beside;
        struct sl_arena arena = {0};
        uint32_t count;
        double speed = 1;
        ck_assert_int_eq(sl_beside_create(&beside, 3, SL_BESIDE_PARTS, &err), SL_OK);
        for (uint32_t r = 0; r < 60; r++) {
            double noise[4];
            if (r % 3 == 0)
                speed = 0.9 + 0.2 * draw(&state);
            for (int i = 0; i < 4; i++)
                noise[i] = 0.8 + 0.4 * draw(&state);
            add(beside, r / 3, speed, noise);
        }
        const struct sl_slowdown *all = sl_beside_slowdowns(beside, &arena, &count);
        struct sl_estimate slowdown = find(all, count, 0, 1)->slowdown;
        hold += slowdown.lo <= 1.5 && 1.5 <= slowdown.hi;
        ck_assert(slowdown.hi - slowdown.lo < 0.4);
        sl_arena_free(&arena);
        sl_beside_free(beside);
    }
    ck_assert_msg(hold >= 180, "%d of 200", hold);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("beside");
    TCase *tc = tcase_create("beside");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_slow_machine_is_no_contention);
    tcase_add_test(tc, an_interval_takes_two_parts);
    tcase_add_test(tc, intervals_hold_the_truth);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
