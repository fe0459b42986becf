/* Allocations of random changes of memory, against a list that is searched from its end. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "trace_memory.h"

#define US INT64_C(1000000) /* ps */

enum { MOST = 400 };

static struct sl_timeline t;
static struct sl_trace_graph g;
static struct sl_trace_memory m;
static struct sl_error err;

static void teardown(void)
{
    sl_trace_memory_free(&m);
    sl_trace_graph_free(&g);
    sl_timeline_free(&t);
    err = (struct sl_error){0};
}

/* A thread that is active from 0 to 1000 us, with a call now and then. */
static void add_thread(struct dice *dice)
{
    uint32_t thread;
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_THREAD, 1, 1, &thread, &err), SL_OK);
    struct sl_timeline_event event = {.end_ps = 1000 * US,
                                      .kind = SL_EVENT_OPERATOR,
                                      .name = sl_names_add(&t.names, "operator"),
                                      .lane = thread,
                                      .correlation = -1,
                                      .bytes = -1};
    ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
    event.kind = SL_EVENT_CALL;
    event.name = sl_names_add(&t.names, "cudaMalloc");
    for (int64_t at = 0; at < 990; at += 1 + dice_below(dice, 100)) {
        event.start_ps = at * US;
        event.end_ps = (at + 1) * US;
        ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
    }
}

static void add_changes(struct dice *dice, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t bytes = 1 + dice_below(dice, 1000);
        struct sl_memory_event event = {.t_ps = dice_below(dice, 1000) * US,
                                        .device_type = dice_chance(dice, 90) ? 1 : 0,
                                        .device = (int32_t)dice_below(dice, 2),
                                        .address = dice_below(dice, 12),
                                        .bytes = dice_chance(dice, 50) ? bytes : -bytes,
                                        .allocated_bytes = -1,
                                        .reserved_bytes = -1};
        ck_assert_int_eq(sl_timeline_memory(&t, &event, &err), SL_OK);
    }
}

struct expected {
    int64_t bytes, taken_ps, given_ps; /* -1: never */
    uint64_t address;
    int32_t device;
};

/* In the order in which they are first known; *left_out counts the others. */
static uint32_t expect(struct expected *list, uint64_t *left_out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t.memory_count; i++) {
        const struct sl_memory_event *event = &t.memory[i];
        uint32_t open = count;
        for (uint32_t k = 0; k < count; k++)
            if (list[k].given_ps < 0 && list[k].address == event->address &&
                list[k].device == event->device)
                open = k;
        if (event->device_type != 1 || event->address == 0 || (event->bytes > 0 && open < count)) {
            ++*left_out;
            continue;
        }
        if (open == count)
            list[count++] =
                (struct expected){llabs(event->bytes), -1, -1, event->address, event->device};
        *(event->bytes > 0 ? &list[open].taken_ps : &list[open].given_ps) = event->t_ps;
    }
    return count;
}

static int64_t time_of(uint32_t change)
{
    if (change == SL_NONE)
        return -1;
    const struct sl_trace_change *c = &m.changes[change];
    ck_assert_int_ge(c->lag_ps, 0);
    return c->lag_ps + (c->after == SL_NONE ? 0 : g.nodes[c->after].end_ps);
}

START_TEST(random_changes)
{
    struct dice dice = {.state = 7};
    struct sl_trace_scope everything = {0, INT64_MAX, SL_NONE};
    static struct expected list[MOST];
    for (int round = 0; round < 200; round++) {
        uint64_t left_out = 0;
        add_thread(&dice);
        add_changes(&dice, dice_below(&dice, MOST));
        ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
        ck_assert_int_eq(sl_trace_graph_make(&g, &t, &everything, &err), SL_OK);
        ck_assert_int_eq(sl_trace_memory_make(&m, &g, &err), SL_OK);
        uint32_t count = expect(list, &left_out);
        ck_assert_uint_eq(m.count, count);
        ck_assert_uint_eq(m.left_out, left_out);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_int_eq(m.items[i].bytes, list[i].bytes);
            ck_assert_int_eq(m.items[i].device, list[i].device);
            ck_assert_int_eq(time_of(m.items[i].taken), list[i].taken_ps);
            ck_assert_int_eq(time_of(m.items[i].given), list[i].given_ps);
        }
        teardown();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace memory");
    TCase *cases = tcase_create("memory");
    tcase_add_checked_fixture(cases, NULL, teardown);
    tcase_add_test(cases, random_changes);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
