/* Traces of a GPU as CUPTI gives them, written down by hand, and the sizes of works. */
#include <config.h>

#include "cuda_records.h"
#include "cuda_sizes.h"
#include "harness.h"
#include "judge.h"
#include <math.h>
#include <string.h>

enum { EPOCH = 7 };

/* A victim that took from 1000 to 1400 behind one aggressor whose units follow each other every 300
 * from 400 on; correlation numbers are 100 of the gate, 200 of the victim, 300 + unit. */
struct scene {
    struct sl_cuda_activity activities[64];
    struct sl_cuda_tag tags[64];
    struct sl_cuda_trace trace;
    struct sl_cuda_reading reading;
    struct sl_shot_record records[64];
    struct sl_shot_log log;
};

static void add(struct scene *s, enum sl_cuda_activity_kind kind, uint32_t correlation,
                int64_t start_ns, int64_t end_ns)
{
    s->activities[s->trace.count++] =
        (struct sl_cuda_activity){kind, correlation, 0, start_ns, end_ns};
}

static void name(struct scene *s, uint32_t correlation, uint32_t epoch, uint32_t actor,
                 uint32_t unit)
{
    s->tags[s->trace.tag_count++] =
        (struct sl_cuda_tag){correlation, sl_cuda_id(epoch, actor, unit)};
}

static void begin(struct scene *s, uint32_t aggressors)
{
    memset(s, 0, sizeof *s);
    s->trace.activities = s->activities;
    s->trace.tags = s->tags;
    s->log = (struct sl_shot_log){
        .records = s->records, .sentinel_before_ns = (double)NAN, .sentinel_after_ns = (double)NAN};
    s->reading =
        (struct sl_cuda_reading){.epoch = EPOCH, .aggressor_count = aggressors, .gated = true};
}

static void play(struct scene *s)
{
    begin(s, 1);
    add(s, SL_CUDA_KERNEL, 200, 1000, 1400);
    for (uint32_t u = 0; u < 5; u++)
        add(s, SL_CUDA_MEMCPY, 304 - u, 400 + 300 * (4 - u), 699 + 300 * (4 - u));
    add(s, SL_CUDA_KERNEL, 100, 10, 390);
    name(s, 200, EPOCH, 0, 0);
    name(s, 100, EPOCH, SL_CUDA_GATE, 0);
    for (uint32_t u = 0; u < 5; u++)
        name(s, 300 + u, EPOCH, 1, u);
}

static const struct sl_shot shot = {.aggressor_count = 1, .overlap = 1};

static const struct sl_shot_record *victim_of(const struct scene *s)
{
    for (uint32_t i = 0; i < s->log.count; i++)
        if (s->log.records[i].actor == 0)
            return &s->log.records[i];
    return NULL;
}

/* Records come out of order and are found by their numbers; the victim was held back until unit 1
 * ended at 999. */
START_TEST(units_and_victim_are_told_apart)
{
    struct scene s;
    play(&s);
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_uint_eq(s.log.count, 6);
    ck_assert_int_eq(victim_of(&s)->start_ns, 1000);
    ck_assert_int_eq(victim_of(&s)->end_ns, 1400);
    ck_assert_int_eq(victim_of(&s)->submitted_ns, 999);
    struct sl_sample sample = sl_judge(&shot, &s.log);
    ck_assert_int_eq(sample.reject, SL_REJECT_NONE);
    ck_assert_double_eq(sample.dur_ns, 400);
    ck_assert_double_eq(sample.start_delay_ns, 1);
    ck_assert_double_eq(sample.coverage, 399.0 / 400);
}
END_TEST

/* Clocks of two engines differ a little: a victim that seems to start before what it waited for had
 * ended is no step of the clock. */
START_TEST(a_release_behind_the_start_is_the_start)
{
    struct scene s;
    play(&s);
    s.activities[0].start_ns = 990;
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_int_eq(victim_of(&s)->submitted_ns, 990);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_NONE);
}
END_TEST

/* The victim alone waits for the gate only. */
START_TEST(alone_the_gate_releases)
{
    struct scene s;
    begin(&s, 0);
    add(&s, SL_CUDA_KERNEL, 100, 10, 390);
    add(&s, SL_CUDA_MEMSET, 200, 395, 700);
    name(&s, 100, EPOCH, SL_CUDA_GATE, 0);
    name(&s, 200, EPOCH, 0, 0);
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_uint_eq(s.log.count, 1);
    ck_assert_int_eq(victim_of(&s)->submitted_ns, 390);
}
END_TEST

/* Launched into an idle stream: CUPTI's own time of submission, else that of the call. */
START_TEST(a_direct_launch_has_its_latency)
{
    struct scene s;
    for (int known = 0; known < 2; known++) {
        begin(&s, 0);
        s.reading.gated = false;
        add(&s, SL_CUDA_API, 200, 100, 130);
        add(&s, SL_CUDA_KERNEL, 200, 150, 152);
        s.activities[1].submitted_ns = known ? 120 : 0;
        name(&s, 200, EPOCH, 0, 0);
        sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
        ck_assert_uint_eq(s.log.count, 1);
        ck_assert_int_eq(victim_of(&s)->submitted_ns, known ? 120 : 100);
        ck_assert_int_eq(victim_of(&s)->start_ns, 150);
    }
}
END_TEST

/* Activities that nobody named, and those of another shot that come late, are nobody's. */
START_TEST(strangers_are_left_out)
{
    struct scene s;
    play(&s);
    add(&s, SL_CUDA_KERNEL, 900, 1000, 1100);
    add(&s, SL_CUDA_KERNEL, 901, 1000, 1100);
    name(&s, 901, EPOCH - 1, 0, 0);
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_uint_eq(s.log.count, 6);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_NONE);
}
END_TEST

/* What the judge must reject reaches it. */
START_TEST(faults_reach_the_judge)
{
    struct scene s;
    play(&s);
    s.activities[3].start_ns = s.activities[3].end_ns = 0;
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_ZERO_TIME);

    play(&s);
    s.trace.dropped = 3;
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_uint_eq(s.log.dropped, 3);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_DROPPED);

    play(&s); /* the victim's record is the first one */
    s.trace.activities++;
    s.trace.count--;
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_NO_VICTIM);

    play(&s);
    add(&s, SL_CUDA_MEMCPY, 302, 1000, 1299);
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_DUPLICATE);

    play(&s); /* without the last two units */
    s.activities[1] = s.activities[6];
    s.activities[2] = s.activities[6] = (struct sl_cuda_activity){.correlation = 900};
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_int_eq(sl_judge(&shot, &s.log).reject, SL_REJECT_COVERAGE);
}
END_TEST

/* A victim of three calls lasts from the first one's start to the last one's end; what they launch
 * and when memory came are not its time. */
START_TEST(calls_are_one_victim)
{
    struct scene s;
    begin(&s, 0);
    s.reading.call = true;
    add(&s, SL_CUDA_MEMORY, 201, 525, 525);
    add(&s, SL_CUDA_API, 202, 560, 600);
    add(&s, SL_CUDA_API, 200, 500, 520);
    add(&s, SL_CUDA_API, 201, 521, 550);
    add(&s, SL_CUDA_KERNEL, 202, 590, 900);
    add(&s, SL_CUDA_KERNEL, 100, 10, 390);
    name(&s, 100, EPOCH, SL_CUDA_GATE, 0);
    for (uint32_t c = 200; c < 203; c++)
        name(&s, c, EPOCH, 0, 0);
    sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
    ck_assert_uint_eq(s.log.count, 1);
    ck_assert_int_eq(victim_of(&s)->start_ns, 500);
    ck_assert_int_eq(victim_of(&s)->end_ns, 600);
    ck_assert_int_eq(victim_of(&s)->submitted_ns, 390);
}
END_TEST

/* Of a call whose record was lost, or has no time, no time may be made up. */
START_TEST(calls_without_time_have_none)
{
    for (int lost = 0; lost < 2; lost++) {
        struct scene s;
        begin(&s, 0);
        s.reading.call = true;
        add(&s, SL_CUDA_MEMORY, 200, 525, 525);
        if (!lost) {
            add(&s, SL_CUDA_API, 201, 500, 520);
            add(&s, SL_CUDA_API, 202, 0, 0);
        }
        for (uint32_t c = 200; c < 203; c++)
            name(&s, c, EPOCH, 0, 0);
        sl_cuda_read_trace(&s.trace, &s.reading, &s.log);
        ck_assert_uint_eq(s.log.count, 1);
        const struct sl_shot alone = {.overlap = 1};
        ck_assert_int_eq(sl_judge(&alone, &s.log).reject, SL_REJECT_ZERO_TIME);
    }
}
END_TEST

static struct sl_cuda_stamp stamp(uint32_t sm, uint64_t start_ns, uint64_t end_ns)
{
    return (struct sl_cuda_stamp){.sm = sm, .start_ns = start_ns, .end_ns = end_ns};
}

/* Two waves of 100 each on one multiprocessor are 100 of work, however late the second one came. */
START_TEST(waiting_blocks_do_not_lengthen_work)
{
    const struct sl_cuda_stamp stamps[] = {stamp(0, 1000, 1100), stamp(0, 5000, 5100), {0}};
    struct sl_cuda_blocks blocks = {stamps, 3};
    ck_assert_double_eq(sl_cuda_block_time(&blocks), 100);
    blocks.count = 0;
    ck_assert(isnan(sl_cuda_block_time(&blocks)));
}
END_TEST

/* Of two blocks of 100 each, the one on multiprocessor 3 has company for 10 + 40 (two blocks that
 * overlap count once), the one on 4 for none, though one touches it: 50 of 200. */
START_TEST(co_residency_is_by_multiprocessor_and_time)
{
    const struct sl_cuda_stamp own[] = {stamp(3, 1000, 1100), stamp(4, 1000, 1100)};
    struct sl_cuda_stamp others[] = {
        stamp(3, 1060, 1100), stamp(5, 1000, 1100), stamp(4, 1100, 1200),
        stamp(3, 900, 1010),  stamp(3, 1070, 1090), stamp(2, 0, 9000),
    };
    const struct sl_cuda_blocks victim = {own, 2};
    ck_assert_double_eq(sl_cuda_co_residency(&victim, others, 6), 0.25);
    ck_assert_double_eq(sl_cuda_co_residency(&victim, NULL, 0), 0);
}
END_TEST

/* An H100 SXM5 by its data sheet: 3.35 TB/s of 80 GB, 132 multiprocessors at 1.98 GHz. */
static const struct sl_cuda_capacity h100 = {.memory_bytes = 80ll << 30,
                                             .memory_bytes_per_s = 3.35e12,
                                             .clock_hz = 1.98e9,
                                             .multiprocessors = 132,
                                             .major = 9};

/* 3.35 TB/s x 300 us = 1005 MB, and 64 GB/s x 300 us = 19.2 MB, to the next power of two. */
START_TEST(units_last_long_enough)
{
    ck_assert_int_eq(sl_cuda_memory_unit(&h100), 1 << 30);
    ck_assert_int_eq(sl_cuda_link_unit(&h100), 32 << 20);
    struct sl_cuda_capacity slice = h100;
    slice.memory_bytes = 10ll << 30; /* a seventh of it as an instance of its own */
    ck_assert_int_eq(sl_cuda_memory_unit(&slice), 128 << 20);
    struct sl_cuda_capacity unknown = h100; /* 8 TB/s are assumed: no shorter than it should be */
    unknown.memory_bytes_per_s = 0;
    ck_assert_int_ge(sl_cuda_memory_unit(&unknown), 1 << 30);
    struct sl_cuda_capacity coherent = h100;
    coherent.coherent_link = true;
    ck_assert_int_eq(sl_cuda_link_unit(&coherent), 256 << 20);
}
END_TEST

/* Half of the 1070 TFLOP/s that 132 x 1.98 GHz x 4096 make, for 300 us, is 160 GFLOP: a side of
 * 4313, to the next 128. */
START_TEST(products_are_of_whole_tiles)
{
    ck_assert_uint_eq(sl_cuda_gemm_side(&h100, 300e-6), 4352);
    for (uint32_t side = 128; side <= 16384; side += 128)
        ck_assert_uint_eq(sl_cuda_gemm_side_of(sl_cuda_gemm_bytes(side)), side);
    ck_assert_uint_eq(sl_cuda_gemm_side_of(1), 128);
}
END_TEST

START_TEST(room_is_at_most_half)
{
    for (uint32_t per_sm = 1; per_sm <= 32; per_sm++) {
        uint32_t room = sl_cuda_blocks(132, per_sm, SL_SHAPE_ROOM);
        ck_assert_uint_eq(sl_cuda_blocks(132, per_sm, SL_SHAPE_FILL), 132 * per_sm);
        ck_assert_uint_ge(room, 1);
        ck_assert_uint_le(2 * room, 132 * per_sm);
        if (per_sm >= 4)
            ck_assert_uint_le(4 * room, 132 * per_sm);
    }
    ck_assert_uint_eq(sl_cuda_blocks(1, 1, SL_SHAPE_ROOM), 1);
}
END_TEST

/* Among all sides the one whose product is nearest in length. */
START_TEST(the_nearest_side_is_taken)
{
    for (int64_t bytes = 1000; bytes < 1 << 30; bytes += bytes / 7) {
        uint32_t nearest = 128;
        double flop = 2 * pow((double)bytes / 8, 1.5);
        for (uint32_t side = 128; side <= 16384; side += 128)
            if (fabs(2 * pow(side, 3) - flop) < fabs(2 * pow(nearest, 3) - flop))
                nearest = side;
        ck_assert_uint_eq(sl_cuda_gemm_side_near(bytes), nearest);
    }
}
END_TEST

/* 10^6 bytes take 1; what takes 3.4 of them is four pieces of 0.85 each, or three of 1. */
START_TEST(pieces_take_as_long_as_the_whole)
{
    const double growths[] = {1, 1.5, 0};
    for (int i = 0; i < 3; i++) {
        struct sl_cuda_pieces pieces = sl_cuda_split(3400000, 1000000, growths[i]);
        ck_assert_uint_eq(pieces.count, i < 2 ? 4 : 3);
        ck_assert_int_le(pieces.bytes, 1000000);
        ck_assert_double_eq_tol(pow((double)pieces.bytes / 1e6, growths[i]), i < 2 ? 0.85 : 1,
                                1e-5);
        pieces = sl_cuda_split(777, 1000000, growths[i]);
        ck_assert_uint_eq(pieces.count, 1);
        ck_assert_int_eq(pieces.bytes, 777);
    }
    ck_assert_uint_eq(sl_cuda_split(INT64_C(1) << 60, 1, 0).count, UINT64_C(1) << 60);
}
END_TEST

/* Node 2 had three works, of which one carries no timing; node 0 one of another epoch. */
START_TEST(spans_are_from_the_first_work_to_the_last)
{
    struct scene s = {0};
    struct sl_cuda_span spans[3];
    s.trace = (struct sl_cuda_trace){.activities = s.activities, .tags = s.tags};
    name(&s, 40, EPOCH, 0, 2);
    name(&s, 41, EPOCH, 0, 2);
    name(&s, 42, EPOCH, 0, 2);
    name(&s, 10, EPOCH - 1, 0, 0);
    name(&s, 50, EPOCH, 0, 3); /* there is no node 3 */
    add(&s, SL_CUDA_KERNEL, 42, 0, 0);
    add(&s, SL_CUDA_KERNEL, 41, 900, 1000);
    add(&s, SL_CUDA_API, 40, 300, 5000);
    add(&s, SL_CUDA_MEMCPY, 40, 700, 800);
    add(&s, SL_CUDA_MEMSET, 10, 1, 2);
    add(&s, SL_CUDA_MEMSET, 50, 1, 2);
    add(&s, SL_CUDA_MEMSET, 77, 1, 2); /* nobody's */
    sl_cuda_read_spans(&s.trace, EPOCH, spans, 3);
    ck_assert_uint_eq(spans[0].works, 0);
    ck_assert_uint_eq(spans[1].works, 0);
    ck_assert_uint_eq(spans[2].works, 3);
    ck_assert_uint_eq(spans[2].untimed, 1);
    ck_assert_int_eq(spans[2].start_ns, 700);
    ck_assert_int_eq(spans[2].end_ns, 1000);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cuda records");
    TCase *c = tcase_create("cuda records");
    tcase_add_test(c, units_and_victim_are_told_apart);
    tcase_add_test(c, a_release_behind_the_start_is_the_start);
    tcase_add_test(c, alone_the_gate_releases);
    tcase_add_test(c, a_direct_launch_has_its_latency);
    tcase_add_test(c, strangers_are_left_out);
    tcase_add_test(c, faults_reach_the_judge);
    tcase_add_test(c, calls_are_one_victim);
    tcase_add_test(c, calls_without_time_have_none);
    tcase_add_test(c, waiting_blocks_do_not_lengthen_work);
    tcase_add_test(c, co_residency_is_by_multiprocessor_and_time);
    tcase_add_test(c, units_last_long_enough);
    tcase_add_test(c, products_are_of_whole_tiles);
    tcase_add_test(c, room_is_at_most_half);
    tcase_add_test(c, the_nearest_side_is_taken);
    tcase_add_test(c, pieces_take_as_long_as_the_whole);
    tcase_add_test(c, spans_are_from_the_first_work_to_the_last);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
