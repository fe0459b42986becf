/* An audit against timelines whose figures a hand computes, and sets of times against counting. */
#include <config.h>

#include "audit.h"
#include "dice.h"
#include "harness.h"
#include <string.h>

#define US INT64_C(1000000) /* ps */

static struct sl_timeline t;
static struct sl_audit audit;
static struct sl_error err;
static uint32_t thread, stream7, stream9;

static void setup(void)
{
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_THREAD, 1, 1, &thread, &err), SL_OK);
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, 7, &stream7, &err), SL_OK);
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, 9, &stream9, &err), SL_OK);
}

static void teardown(void)
{
    sl_audit_free(&audit);
    sl_timeline_free(&t);
    err = (struct sl_error){0};
}

static void add_to(uint32_t lane, enum sl_event_kind kind, const char *name, int64_t from_us,
                   int64_t to_us, int64_t correlation)
{
    struct sl_event_detail detail = sl_event_detail_none();
    detail.from = SL_MEMORY_PINNED;
    detail.to = SL_MEMORY_DEVICE;
    struct sl_timeline_event event = {.start_ps = from_us * US,
                                      .end_ps = to_us * US,
                                      .kind = kind,
                                      .name = sl_names_add(&t.names, name),
                                      .lane = lane,
                                      .correlation = correlation,
                                      .bytes = kind == SL_EVENT_COPY ? 1000 : -1,
                                      .detail = &detail};
    ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
}

/* A call of 1 us that launches a work. */
static void launch(int64_t at_us, uint32_t lane, enum sl_event_kind kind, const char *name,
                   int64_t from_us, int64_t to_us)
{
    static int64_t correlation = 100;
    add_to(thread, SL_EVENT_CALL, "cudaLaunchKernel", at_us, at_us + 1, ++correlation);
    add_to(lane, kind, name, from_us, to_us, correlation);
}

static void allocate(int64_t at_us, uint64_t address, int64_t bytes)
{
    struct sl_memory_event event = {.t_ps = at_us * US,
                                    .device_type = 1,
                                    .address = address,
                                    .bytes = bytes,
                                    .allocated_bytes = -1,
                                    .reserved_bytes = -1};
    ck_assert_int_eq(sl_timeline_memory(&t, &event, &err), SL_OK);
}

static const struct sl_audit_options everything = {.to_ps = INT64_MAX};

static void make(const struct sl_audit_options *options)
{
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_msg(sl_audit_make(&audit, &t, options, &err) == SL_OK, "%s", err.message);
}

/*  us        0         10        20        30        40
 *  stream 7  .....AAAAAAAAAA.....BBBBB..............KKKKK     compute
 *  stream 9  ............CCCCCCCCCC...................        a copy in, from 12 to 22
 *  launches  A 0-1  B 2-3  C 4-5; K 33-34 */
static void add_picture(void)
{
    launch(0, stream7, SL_EVENT_KERNEL, "a", 5, 15);
    launch(2, stream7, SL_EVENT_KERNEL, "b", 20, 25);
    launch(4, stream9, SL_EVENT_COPY, "Memcpy HtoD (Pinned -> Device)", 12, 22);
    launch(33, stream7, SL_EVENT_KERNEL, "k", 39, 44);
}

/* Everything that a stretch of time went to, in us; its parts sum up to its length. */
static void use_is(uint32_t i, int64_t from, int64_t to, const int64_t parts[9])
{
    const struct sl_audit_use *use = &audit.uses[i];
    const int64_t found[] = {use->compute_ps,     use->exposed_transfers_ps, use->exposed_comm_ps,
                             use->exposed_d2d_ps, use->exposed_other_ps,     use->unlaunched_ps,
                             use->launched_ps,    use->unknown_ps,           use->outside_ps};
    int64_t sum = 0;
    ck_assert_int_eq(use->from_ps, from * US);
    ck_assert_int_eq(use->to_ps, to * US);
    for (int k = 0; k < 9; k++) {
        ck_assert_msg(found[k] == parts[k] * US, "use %u, part %d: %g us", i, k,
                      (double)found[k] / (double)US);
        sum += found[k];
    }
    ck_assert_int_eq(sum, (to - from) * US);
}

START_TEST(time_goes_to)
{
    add_picture();
    add_to(thread, SL_EVENT_RANGE, "ProfilerStep#0", 0, 28, -1);
    add_to(thread, SL_EVENT_RANGE, "ProfilerStep#1", 30, 36, -1);
    make(&everything);
    ck_assert_uint_eq(audit.use_count, 3);
    /* Compute, exposed transfers, communication, d2d, other; not launched, launched, unknown,
     * outside. */
    use_is(0, 5, 44, (const int64_t[]){20, 5, 0, 0, 0, 9, 5, 0, 0});
    use_is(1, 0, 30, (const int64_t[]){15, 5, 0, 0, 0, 5, 0, 0, 5});
    use_is(2, 30, 44, (const int64_t[]){5, 0, 0, 0, 0, 4, 5, 0, 0});
    ck_assert_uint_eq(audit.uses[0].step, SL_NONE);
    ck_assert_uint_eq(audit.uses[2].step, 1);
    ck_assert_int_eq(audit.uses[0].transfers_ps, 10 * US);
}
END_TEST

/* Transfers go before communication, and that before other work; a launch that is not known. */
START_TEST(time_counts_once)
{
    add_to(stream7, SL_EVENT_KERNEL, "ncclAllReduce", 0, 10, -1);
    add_to(stream9, SL_EVENT_COPY, "Memcpy HtoD", 4, 6, -1);
    add_to(stream9, SL_EVENT_SET, "Memset", 8, 13, -1);
    add_to(stream9, SL_EVENT_KERNEL, "a", 20, 21, -1);
    make(&everything);
    ck_assert_uint_eq(audit.use_count, 1);
    use_is(0, 0, 21, (const int64_t[]){1, 2, 8, 0, 3, 0, 0, 7, 0});
}
END_TEST

START_TEST(devices_apart)
{
    uint32_t other, same;
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 3, 7, &other, &err), SL_OK);
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 3, 8, &same, &err), SL_OK);
    add_picture();
    launch(6, other, SL_EVENT_KERNEL, "c", 10, 30);
    launch(8, same, SL_EVENT_COPY, "Memcpy HtoD", 25, 32);
    make(&everything);
    ck_assert_uint_eq(audit.device_count, 2);
    ck_assert_int_eq(audit.devices[0].number, 0);
    ck_assert_uint_eq(audit.devices[0].works, 4);
    ck_assert_int_eq(audit.devices[0].busy_ps, 25 * US);
    ck_assert_int_eq(audit.devices[0].compute_ps, 20 * US);
    ck_assert_int_eq(audit.devices[1].number, 3);
    ck_assert_int_eq(audit.devices[1].busy_ps, 22 * US);
    ck_assert_int_eq(audit.devices[1].compute_ps, 20 * US);
    /* On any: [5, 32) and [39, 44). */
    ck_assert_int_eq(sl_intervals_length(&audit.busy), 32 * US);
}
END_TEST

START_TEST(busy_exposed_and_waits)
{
    add_picture();
    make(&everything);
    ck_assert_uint_eq(audit.work_count, 4);
    ck_assert_uint_eq(audit.launched_count, 4);
    /* [5, 25) and [39, 44); compute [5, 15), [20, 25), [39, 44); the copy [12, 22). */
    ck_assert_int_eq(sl_intervals_length(&audit.busy), 25 * US);
    ck_assert_int_eq(sl_intervals_length(&audit.busy_of[SL_WORK_COMPUTE]), 20 * US);
    ck_assert_int_eq(sl_intervals_length(&audit.busy_of[SL_WORK_H2D]), 10 * US);
    ck_assert_int_eq(audit.together_ps[SL_WORK_H2D][SL_WORK_COMPUTE], 5 * US);
    ck_assert_int_eq(audit.together_ps[SL_WORK_COMPUTE][SL_WORK_COMPUTE], 0);
    /* a: ready at its launch's end, 1, waits 4.  b: launched at 3, behind a until 15, then 5 more.
     * copy: launched at 5, waits 7.  k: launched at 34, waits 5. */
    static const struct {
        const char *name;
        int64_t ready, behind, delay;
    } expected[] = {{"a", 1, 0, 4},
                    {"Memcpy HtoD (Pinned -> Device)", 5, 0, 7},
                    {"b", 15, 12, 5},
                    {"k", 34, 0, 5}};
    for (uint32_t i = 0; i < 4; i++) {
        const struct sl_audit_work *work = &audit.works[i];
        ck_assert_str_eq(t.names.names[t.name[work->event]], expected[i].name);
        ck_assert_int_eq(work->ready_ps, expected[i].ready * US);
        ck_assert_int_eq(work->behind_ps, expected[i].behind * US);
        ck_assert_int_eq(work->delay_ps, expected[i].delay * US);
    }
    /* Waits of 4, 7, 17 and 5: the nearest ranks. */
    ck_assert_int_eq(audit.queue.sum_ps, 33 * US);
    ck_assert_int_eq(audit.queue.median_ps, 5 * US);
    ck_assert_int_eq(audit.queue.p95_ps, 17 * US);
    ck_assert_int_eq(audit.behind.most_ps, 12 * US);
    /* One gap, [25, 39): k was not launched before 34. */
    ck_assert_uint_eq(audit.gap_count, 1);
    ck_assert_int_eq(audit.gaps[0].from_ps, 25 * US);
    ck_assert_int_eq(audit.idle_unlaunched_ps, 9 * US);
    ck_assert_int_eq(audit.idle_launched_ps, 5 * US);
    ck_assert_uint_eq(audit.copies_count, 1);
    ck_assert_int_eq(audit.copies[0].bytes, 1000);
    ck_assert_uint_eq(audit.stream_count, 2);
    ck_assert_int_eq(audit.streams[0].busy_sum_ps, 20 * US);
    ck_assert_uint_eq(audit.step_count, 0);
}
END_TEST

/* Stream 7 waits for an event of stream 9, which is done when c ends, at 30; c2 is launched later.
 * The first kernel is ready at 14, waits until 30 for the event, and until 33 for something else;
 * the second is ready at 40, when the event is long done.  Where the recording call is not known
 * the event may be as late as the wait, so that c2 belongs to it, which ends at 60. */
START_TEST(events_of_other_streams)
{
    add_to(thread, SL_EVENT_OPERATOR, "at 0", 0, 1, -1);
    launch(2, stream9, SL_EVENT_COPY, "c", 10, 30);
    add_to(thread, SL_EVENT_CALL, "cudaEventRecord", 3, 4, 900);
    launch(8, stream9, SL_EVENT_COPY, "c2", 30, 60);
    add_to(thread, SL_EVENT_CALL, "cudaStreamWaitEvent", 11, 12, 901);
    struct sl_event_detail detail = sl_event_detail_none();
    detail.waited_lane = stream9;
    detail.waited_correlation = _i ? 900 : -1;
    struct sl_timeline_event wait = {.start_ps = 11 * US,
                                     .end_ps = 12 * US,
                                     .kind = SL_EVENT_STREAM_WAIT,
                                     .name = sl_names_add(&t.names, "Stream Wait Event"),
                                     .lane = stream7,
                                     .correlation = 901,
                                     .bytes = -1,
                                     .detail = &detail};
    ck_assert_int_eq(sl_timeline_add(&t, &wait, &err), SL_OK);
    launch(13, stream7, SL_EVENT_KERNEL, "k", 33, 40);
    launch(14, stream7, SL_EVENT_KERNEL, "k", 70, 80);
    make(&everything);
    ck_assert(audit.has_stream_waits);
    static const int64_t ready[] = {3, 30, 14, 40}, event[2][4] = {{0, 0, 19, 20}, {0, 0, 16, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(audit.works[i].ready_ps, ready[i] * US);
        ck_assert_int_eq(audit.works[i].event_ps, event[_i][i] * US);
    }
}
END_TEST

/* Three works of one class at once: time in which two or more ran counts once. */
START_TEST(one_class_beside_itself)
{
    launch(0, stream7, SL_EVENT_KERNEL, "a", 10, 20);
    launch(1, stream9, SL_EVENT_KERNEL, "b", 10, 20);
    add_to(stream9, SL_EVENT_KERNEL, "c", 12, 30, -1);
    add_to(stream7, SL_EVENT_KERNEL, "ncclKernel_AllReduce", 28, 31, -1);
    make(&everything);
    ck_assert_int_eq(audit.together_ps[SL_WORK_COMPUTE][SL_WORK_COMPUTE], 10 * US);
    ck_assert_int_eq(audit.together_ps[SL_WORK_COMPUTE][SL_WORK_COMM], 2 * US);
    ck_assert_uint_eq(audit.launched_count, 2);
    ck_assert_int_eq(audit.works[2].delay_ps, -1);
    ck_assert_int_eq(audit.idle_unknown_ps, 0);
}
END_TEST

START_TEST(calls_that_hold_up)
{
    add_picture();
    add_to(thread, SL_EVENT_CALL, "cudaMalloc", 5, 10, -1);  /* all of it beside work */
    add_to(thread, SL_EVENT_CALL, "cudaMalloc", 24, 30, -1); /* 5 us in the gap */
    add_to(thread, SL_EVENT_CALL, "hipDeviceSynchronize", 44, 50, -1);
    add_to(thread, SL_EVENT_CALL, "cuMemAlloc_v2", 50, 51, -1);
    make(&everything);
    ck_assert_uint_eq(audit.call_count, 3);
    ck_assert_str_eq(t.names.names[audit.calls[0].name], "cudaMalloc");
    ck_assert_int_eq(audit.calls[0].class, SL_CALL_ALLOC);
    ck_assert_int_eq(audit.calls[0].spread.sum_ps, 11 * US);
    ck_assert_int_eq(audit.calls[0].idle_ps, 5 * US);
    ck_assert_int_eq(audit.calls[1].class, SL_CALL_ALLOC);
    ck_assert_int_eq(audit.calls[2].class, SL_CALL_SYNC_DEVICE);
    ck_assert_int_eq(audit.calls[2].idle_ps, 6 * US);
}
END_TEST

START_TEST(names_of_calls)
{
    static const struct {
        const char *name;
        enum sl_call_class class;
    } names[] = {{"cudaMallocAsync_v11020", SL_CALL_ALLOC},
                 {"cudaMallocHost", SL_CALL_ALLOC},
                 {"cuMemFree_v2", SL_CALL_FREE},
                 {"cudaHostRegister", SL_CALL_MAP},
                 {"cuMemSetAccess", SL_CALL_MAP},
                 {"cuCtxSynchronize", SL_CALL_SYNC_DEVICE},
                 {"cudaStreamSynchronize_ptsz", SL_CALL_SYNC_STREAM},
                 {"hipEventSynchronize", SL_CALL_SYNC_EVENT},
                 {"hipMemcpyWithStream", SL_CALL_BLOCKING_COPY},
                 {"cudaStreamWaitEvent", SL_CALL_STREAM_WAIT},
                 {"cudaMemcpyAsync", SL_CALL_CLASSES},
                 {"cudaLaunchKernel", SL_CALL_CLASSES},
                 {"Malloc", SL_CALL_CLASSES},
                 {"cuda", SL_CALL_CLASSES},
                 {"", SL_CALL_CLASSES}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(sl_call_class_of(names[i].name) == names[i].class, "%s", names[i].name);
}
END_TEST

/* us: 10 bytes from 0 to 30, 20 more from 10 to 20, 5 at 25 that stay. */
START_TEST(peaks_and_lifetimes)
{
    allocate(0, 1, 10);
    allocate(10, 2, 20);
    allocate(20, 2, -20);
    allocate(25, 2, 5);
    allocate(30, 1, -10);
    allocate(40, 3, -7); /* of before the trace */
    make(&everything);
    ck_assert_uint_eq(audit.memory_count, 1);
    const struct sl_audit_memory *memory = &audit.memories[0];
    ck_assert_int_eq(memory->peak_delta_bytes, 30);
    ck_assert_int_eq(memory->peak_delta_ps, 10 * US);
    ck_assert_int_eq(memory->peak_allocated_bytes, -1);
    ck_assert_uint_eq(memory->allocations, 3);
    ck_assert_uint_eq(memory->lifetimes.count, 2);
    ck_assert_int_eq(memory->lifetimes.median_ps, 10 * US);
    ck_assert_int_eq(memory->lifetimes.most_ps, 30 * US);
    ck_assert(memory->kept == 1 && memory->kept_bytes == 5);
    /* 10 * 10 + 30 * 10 + 10 * 5 + 15 * 5 + 5 * 10 bytes times us. */
    ck_assert_double_eq_tol(memory->byte_s, 575e-6, 1e-15);
}
END_TEST

/* A step of 100 us: two kernels in the usual order, or the other one; the last kernel ends late. */
static void add_step(int number, bool usual, int64_t ends)
{
    char name[32];
    int64_t from = number * 100;
    snprintf(name, sizeof name, "ProfilerStep#%d", number + 7);
    add_to(thread, SL_EVENT_RANGE, name, from, from + 90, -1);
    launch(from + 1, stream7, SL_EVENT_KERNEL, usual ? "x" : "y", from + 10, from + 20);
    launch(from + 3, stream7, SL_EVENT_KERNEL, usual ? "y" : "x", from + 20, from + ends);
}

START_TEST(steps_cold_and_odd)
{
    static const int64_t ends[] = {600, 95, 50, 97, 60};
    for (int i = 0; i < 5; i++)
        add_step(i, i != 3, ends[i]);
    add_to(thread, SL_EVENT_RANGE, "all of it", 0, 500, -1);
    make(&everything);
    ck_assert_str_eq(audit.steps_name, "ProfilerStep");
    ck_assert_uint_eq(audit.step_count, 5);
    /* 600, 95, 90 (its host's range), 97, 90. */
    ck_assert(audit.cold);
    ck_assert_uint_eq(audit.warm.count, 4);
    ck_assert_int_eq(audit.warm.median_ps, 90 * US);
    ck_assert_int_eq(audit.warm.most_ps, 97 * US);
    ck_assert_uint_eq(audit.alike_count, 4);
    for (uint32_t i = 0; i < 5; i++) {
        const struct sl_audit_step *step = &audit.steps[i];
        ck_assert_uint_eq(step->works, 2);
        ck_assert(i == 3 || step->odd_lane == SL_NONE);
    }
    const struct sl_audit_step *odd = &audit.steps[3];
    ck_assert_uint_eq(odd->odd_lane, stream7);
    ck_assert_uint_eq(odd->odd_at, 0);
    ck_assert_str_eq(t.names.names[odd->odd_found], "y");
    ck_assert_str_eq(t.names.names[odd->odd_expected], "x");
    ck_assert_int_eq(odd->busy_ps, 87 * US);
    /* One step, by name and by number: what it launched, wherever that ran. */
    for (int by_name = 0; by_name < 2; by_name++) {
        sl_audit_free(&audit);
        struct sl_audit_options one = everything;
        one.step = by_name ? "ProfilerStep#7" : "0";
        ck_assert_int_eq(sl_audit_make(&audit, &t, &one, &err), SL_OK);
        ck_assert_uint_eq(audit.work_count, 2);
        ck_assert_int_eq(sl_intervals_length(&audit.busy), 590 * US);
        ck_assert_uint_eq(audit.step_count, 1);
    }
    sl_audit_free(&audit);
    struct sl_audit_options none = everything;
    none.step = "ProfilerStep#99";
    ck_assert_int_eq(sl_audit_make(&audit, &t, &none, &err), SL_USAGE);
    ck_assert_ptr_nonnull(strstr(err.message, "ProfilerStep#7"));
    sl_audit_free(&audit);
    err = (struct sl_error){0};
    none = (struct sl_audit_options){.to_ps = INT64_MAX, .range = "ProfilerStop"};
    ck_assert_int_eq(sl_audit_make(&audit, &t, &none, &err), SL_USAGE);
    ck_assert_ptr_nonnull(strstr(err.message, "did you mean 'ProfilerStep'"));
}
END_TEST

START_TEST(a_window)
{
    add_picture();
    struct sl_audit_options window = {.from_ps = 2 * US, .to_ps = 5 * US};
    make(&window);
    ck_assert_uint_eq(audit.work_count, 2); /* b and the copy, which are launched in it */
    ck_assert_int_eq(sl_intervals_length(&audit.busy), 13 * US);
    ck_assert_int_eq(audit.works[1].behind_ps, 12 * US); /* behind a, which is outside */
}
END_TEST

/* Random sets of whole numbers below 64, counted one by one. */
START_TEST(sets_against_counting)
{
    enum { SPAN = 64, SETS = 400 };
    struct dice dice = {.state = (uint64_t)_i + 1};
    for (int round = 0; round < SETS; round++) {
        struct sl_intervals sets[2] = {0};
        bool has[2][SPAN] = {0};
        for (int s = 0; s < 2; s++)
            for (int64_t from = 0; from < SPAN; from += dice_below(&dice, 9)) {
                int64_t to = from + dice_below(&dice, 7);
                to = to > SPAN ? SPAN : to;
                ck_assert(sl_intervals_add(&sets[s], from, to));
                for (int64_t i = from; i < to; i++)
                    has[s][i] = true;
            }
        int64_t low = dice_below(&dice, SPAN), high = low + dice_below(&dice, SPAN);
        int64_t length = 0, both = 0, within = 0;
        for (int64_t i = 0; i < SPAN; i++) {
            length += has[0][i];
            both += has[0][i] && has[1][i];
            within += has[0][i] && i >= low && i < high;
        }
        ck_assert_int_eq(sl_intervals_length(&sets[0]), length);
        ck_assert_int_eq(sl_intervals_common(&sets[0], &sets[1]), both);
        ck_assert_int_eq(sl_intervals_common(&sets[1], &sets[0]), both);
        ck_assert_int_eq(sl_intervals_within(&sets[0], low, high), within);
        sl_intervals_free(&sets[0]);
        sl_intervals_free(&sets[1]);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("audit");
    TCase *cases = tcase_create("audit");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, busy_exposed_and_waits);
    tcase_add_test(cases, time_goes_to);
    tcase_add_test(cases, time_counts_once);
    tcase_add_test(cases, devices_apart);
    tcase_add_loop_test(cases, events_of_other_streams, 0, 2);
    tcase_add_test(cases, one_class_beside_itself);
    tcase_add_test(cases, calls_that_hold_up);
    tcase_add_test(cases, names_of_calls);
    tcase_add_test(cases, peaks_and_lifetimes);
    tcase_add_test(cases, steps_cold_and_odd);
    tcase_add_test(cases, a_window);
    tcase_add_loop_test(cases, sets_against_counting, 0, 3);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
