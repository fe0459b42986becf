/* A timeline against what a hand puts in: order, origin, causes, duplicates and what is counted. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "timeline.h"

#define NS INT64_C(1000) /* ps */

static struct sl_timeline t;
static struct sl_error err;

static void setup(void)
{
    t = (struct sl_timeline){0};
    err = (struct sl_error){0};
}

static void teardown(void)
{
    sl_timeline_free(&t);
}

static uint32_t lane(enum sl_lane_kind kind, int64_t process, int64_t number)
{
    uint32_t index = SL_NONE;
    ck_assert_int_eq(sl_timeline_lane(&t, kind, process, number, &index, &err), SL_OK);
    return index;
}

/* Times in ns of a clock that is 10^18 ns from its zero. */
static void add(enum sl_event_kind kind, const char *name, uint32_t on, int64_t start_ns,
                int64_t end_ns, int64_t correlation)
{
    struct sl_timeline_event event = {.kind = kind,
                                      .name = sl_names_add(&t.names, name),
                                      .lane = on,
                                      .correlation = correlation,
                                      .bytes = kind == SL_EVENT_COPY && *name == '?' ? -1 : 64};
    ck_assert(sl_timeline_at_ns(&t, INT64_C(1000000000000000000) + start_ns, &event.start_ps));
    ck_assert(sl_timeline_at_ns(&t, INT64_C(1000000000000000000) + end_ns, &event.end_ps));
    ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
}

static const char *name_of(uint32_t i)
{
    return t.names.names[t.name[i]];
}

START_TEST(order_origin_and_causes)
{
    uint32_t thread = lane(SL_LANE_THREAD, 17, 17), stream = lane(SL_LANE_STREAM, 0, 7);
    add(SL_EVENT_KERNEL, "late", stream, 90, 99, 2);
    add(SL_EVENT_CALL, "launch2", thread, 70, 75, 2);
    add(SL_EVENT_KERNEL, "short", stream, 60, 62, 1);
    add(SL_EVENT_OPERATOR, "long", thread, 60, 80, -1);
    add(SL_EVENT_KERNEL, "same as short", stream, 60, 62, 3);
    add(SL_EVENT_CALL, "launch1", thread, 50, 55, 1);
    struct sl_memory_event memory = {.t_ps = -10 * NS, .bytes = 5};
    ck_assert_int_eq(sl_timeline_memory(&t, &memory, &err), SL_OK);
    memory = (struct sl_memory_event){.t_ps = -70 * NS, .bytes = 6};
    ck_assert_int_eq(sl_timeline_memory(&t, &memory, &err), SL_OK);
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);

    /* The origin was 90 (the first that was read); the earliest is the memory event at 20. */
    ck_assert_int_eq(t.origin_ns, INT64_C(1000000000000000020));
    ck_assert_int_eq(t.memory[0].bytes, 6);
    ck_assert_int_eq(t.memory[0].t_ps, 0);
    ck_assert_int_eq(t.memory[1].t_ps, 60 * NS);
    static const char *const names[] = {"launch1",       "long",    "short",
                                        "same as short", "launch2", "late"};
    static const int64_t starts_ns[] = {30, 40, 40, 40, 50, 70};
    static const uint32_t causes[] = {SL_NONE, SL_NONE, 0, SL_NONE, SL_NONE, 4};
    ck_assert_uint_eq(t.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_str_eq(name_of(i), names[i]);
        ck_assert_int_eq(t.start_ps[i], starts_ns[i] * NS);
        ck_assert_uint_eq(t.cause[i], causes[i]);
    }
    ck_assert_uint_eq(t.hazards[SL_HAZARD_NO_LAUNCH], 1);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_DUPLICATE], 0);
}
END_TEST

START_TEST(hazards_are_counted)
{
    uint32_t thread = lane(SL_LANE_THREAD, 1, 1), stream = lane(SL_LANE_STREAM, 0, 7);
    uint32_t other = lane(SL_LANE_STREAM, 0, 8);
    add(SL_EVENT_CALL, "graph launch", thread, 100, 110, 5);
    add(SL_EVENT_CALL, "graph launch", thread, 100, 110, 5); /* the same once more */
    add(SL_EVENT_CALL, "later of that number", thread, 500, 510, 5);
    add(SL_EVENT_KERNEL, "a", stream, 90, 120, 5);  /* before its launch */
    add(SL_EVENT_KERNEL, "b", stream, 119, 130, 5); /* overlaps a */
    add(SL_EVENT_KERNEL, "b", stream, 119, 130, 5); /* a duplicate */
    add(SL_EVENT_KERNEL, "b", stream, 119, 130, 6); /* of another number: not one; no launch */
    add(SL_EVENT_KERNEL, "c", other, 119, 119, 5);  /* no time, another stream */
    add(SL_EVENT_KERNEL, "c", other, 119, 119, 5);  /* no time: may be two */
    add(SL_EVENT_COPY, "? bytes", other, 130, 140, -1);
    add(SL_EVENT_COPY, "bytes", other, 140, 150, -1);
    add(SL_EVENT_OPERATOR, "op", thread, 1, 1, -1);
    add(SL_EVENT_OPERATOR, "op", thread, 1, 1, -1); /* of a host: may be two */
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_uint_eq(t.count, 11);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_DUPLICATE], 2);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_MANY_PER_LAUNCH], 1);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_BEFORE_LAUNCH], 1);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_OVERLAP], 2);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_NO_LAUNCH], 3);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_ZERO_TIME], 2);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_NO_BYTES], 1);
    for (uint32_t i = 0; i < t.count; i++)
        if (t.cause[i] != SL_NONE)
            ck_assert_str_eq(name_of(t.cause[i]), "graph launch");
}
END_TEST

/* Many lanes keep their numbers; many events keep order and columns. */
START_TEST(many_lanes_and_events)
{
    enum { LANES = 500, EVENTS = 5000 };
    uint32_t index[LANES];
    for (int i = 0; i < LANES; i++)
        index[i] =
            lane(i % 2 ? SL_LANE_THREAD : SL_LANE_STREAM, i / 50 - 3, i * INT64_C(9999999999));
    for (int i = 0; i < LANES; i++) {
        ck_assert_uint_eq(index[i], (uint32_t)i);
        ck_assert_uint_eq(
            lane(i % 2 ? SL_LANE_THREAD : SL_LANE_STREAM, i / 50 - 3, i * INT64_C(9999999999)),
            (uint32_t)i);
    }
    struct dice dice = {.state = 7};
    for (int i = 0; i < EVENTS; i++) {
        int64_t start = dice_below(&dice, 3000);
        add(SL_EVENT_KERNEL, "k", (uint32_t)start % LANES, start, start + dice_below(&dice, 9), i);
        struct sl_memory_event memory = {.t_ps = (start - 1500) * NS, .bytes = start};
        ck_assert_int_eq(sl_timeline_memory(&t, &memory, &err), SL_OK);
    }
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_uint_eq(t.count, EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++) {
        ck_assert_int_eq(t.memory[i].t_ps - t.memory[0].t_ps,
                         (t.memory[i].bytes - t.memory[0].bytes) * NS);
        ck_assert(i == 0 || t.memory[i].bytes >= t.memory[i - 1].bytes);
    }
    int64_t first = t.origin_ns - INT64_C(1000000000000000000);
    for (uint32_t i = 0; i < EVENTS; i++) {
        ck_assert_uint_eq(t.lane[i], (uint32_t)(t.start_ps[i] / NS + first) % LANES);
        if (i == 0)
            continue;
        int64_t gap = t.start_ps[i] - t.start_ps[i - 1], longer = t.end_ps[i - 1] - t.end_ps[i];
        ck_assert(gap > 0 || (gap == 0 && longer > 0) ||
                  (gap == 0 && longer == 0 && t.correlation[i] > t.correlation[i - 1]));
    }
}
END_TEST

START_TEST(limits)
{
    ck_assert_uint_eq(sl_timeline_find_lane(&t, SL_LANE_STREAM, 0, 7), SL_NONE);
    uint32_t stream = lane(SL_LANE_STREAM, 0, 7);
    ck_assert_uint_eq(sl_timeline_find_lane(&t, SL_LANE_STREAM, 0, 7), stream);
    ck_assert_uint_eq(sl_timeline_find_lane(&t, SL_LANE_THREAD, 0, 7), SL_NONE);
    int64_t ps = 0;
    ck_assert(sl_timeline_at_ns(&t, INT64_MIN, &ps));
    ck_assert_int_eq(ps, 0);
    ck_assert(!sl_timeline_at_ns(&t, 0, &ps));
    ck_assert(!sl_timeline_at_ns(&t, INT64_MAX, &ps));
    for (int i = 0; i < 200; i++) {
        char text[32];
        snprintf(text, sizeof text, "kind %d", i);
        ck_assert_int_eq(sl_timeline_count(&t, &t.flows, text, 1, &err), SL_OK);
        ck_assert_int_eq(sl_timeline_count(&t, &t.flows, "kind 3", 1, &err), SL_OK);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t.flows.count; i++)
        sum += t.flows.items[i].count;
    ck_assert_uint_eq(sum, 400);
    ck_assert_int_eq(sl_timeline_count(&t, &t.left_out, "rows", 5, &err), SL_OK);
    ck_assert_int_eq(sl_timeline_count(&t, &t.left_out, "rows", 7, &err), SL_OK);
    ck_assert_uint_eq(t.left_out.items[0].count, 12);
    ck_assert_uint_le(t.flows.count, 65);
    ck_assert_uint_eq(t.flows.items[1].count, 201);
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK); /* nothing at all */
    for (int i = 0; i < SL_HAZARDS; i++)
        ck_assert(sl_hazard_name((enum sl_trace_hazard)i) &&
                  sl_hazard_text((enum sl_trace_hazard)i));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("timeline");
    TCase *cases = tcase_create("timeline");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, order_origin_and_causes);
    tcase_add_test(cases, hazards_are_counted);
    tcase_add_test(cases, many_lanes_and_events);
    tcase_add_test(cases, limits);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
