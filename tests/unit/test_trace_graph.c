/* The graph of a trace against timelines whose edges and lags a hand computes; and on random ones:
 * every node starts when it did in the record, by an independent longest path. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "trace_graph.h"
#include "trace_names.h"
#include <string.h>

#define US INT64_C(1000000) /* ps */

static struct sl_timeline t;
static struct sl_trace_graph g;
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
    sl_trace_graph_free(&g);
    sl_timeline_free(&t);
    err = (struct sl_error){0};
}

static void add_ps(uint32_t lane, enum sl_event_kind kind, const char *name, int64_t from_ps,
                   int64_t to_ps, int64_t correlation, const struct sl_event_detail *detail)
{
    struct sl_timeline_event event = {.start_ps = from_ps,
                                      .end_ps = to_ps,
                                      .kind = kind,
                                      .name = sl_names_add(&t.names, name),
                                      .lane = lane,
                                      .correlation = correlation,
                                      .bytes = kind == SL_EVENT_COPY ? 1000 : -1,
                                      .detail = detail};
    ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
}

/* Times in us. */
static void add(uint32_t lane, enum sl_event_kind kind, const char *name, int64_t from, int64_t to,
                int64_t correlation, const struct sl_event_detail *detail)
{
    add_ps(lane, kind, name, from * US, to * US, correlation, detail);
}

static void call(const char *name, int64_t from, int64_t to, int64_t correlation)
{
    add(thread, SL_EVENT_CALL, name, from, to, correlation, NULL);
}

static void kernel(uint32_t lane, const char *name, int64_t from, int64_t to, int64_t correlation)
{
    add(lane, SL_EVENT_KERNEL, name, from, to, correlation, NULL);
}

static const struct sl_trace_scope everything = {0, INT64_MAX, SL_NONE};

static void make(const struct sl_trace_scope *scope)
{
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_msg(sl_trace_graph_make(&g, &t, scope, &err) == SL_OK, "%s", err.message);
}

/* The node of a role that stands for the event of this name; SL_NONE. */
static uint32_t find(enum sl_trace_role role, const char *name)
{
    for (uint32_t i = 0; i < g.node_count; i++)
        if (g.nodes[i].role == role && g.nodes[i].event != SL_NONE &&
            strcmp(t.names.names[t.name[g.nodes[i].event]], name) == 0)
            return i;
    return SL_NONE;
}

static const struct sl_trace_edge *edge(uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < g.edge_count; i++)
        if (g.edges[i].from == from && g.edges[i].to == to)
            return &g.edges[i];
    return NULL;
}

static void has_edge(uint32_t from, uint32_t to, enum sl_trace_reason reason, int64_t lag_us)
{
    ck_assert_uint_ne(from, SL_NONE);
    ck_assert_uint_ne(to, SL_NONE);
    const struct sl_trace_edge *found = edge(from, to);
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found->reason, reason);
    ck_assert_int_eq(found->lag_ps, lag_us * US);
}

/* Recorded starts from the graph alone: a longest path that shares no code with the module. */
static void starts_as_recorded(void)
{
    int64_t *end = calloc(g.node_count + 1u, sizeof *end);
    int64_t span = 0;
    for (uint32_t i = 0; i < g.node_count; i++) {
        int64_t start = g.nodes[i].released ? g.nodes[i].start_ps : 0;
        for (uint32_t k = 0; k < i; k++)
            if (g.nodes[k].lane == g.nodes[i].lane && g.nodes[i].lane != SL_NONE && end[k] > start)
                start = end[k];
        for (uint32_t k = 0; k < g.edge_count; k++)
            if (g.edges[k].to == i) {
                ck_assert_uint_lt(g.edges[k].from, i);
                ck_assert_int_ge(g.edges[k].lag_ps, 0);
                if (end[g.edges[k].from] + g.edges[k].lag_ps > start)
                    start = end[g.edges[k].from] + g.edges[k].lag_ps;
            }
        ck_assert_int_eq(start, g.nodes[i].start_ps);
        end[i] = g.nodes[i].end_ps;
        span = end[i] > span ? end[i] : span;
    }
    ck_assert_int_eq(g.recorded.span_ps, span);
    ck_assert_int_eq(g.replayed.span_ps, span);
    ck_assert_int_eq(g.replayed.busy_ps, g.recorded.busy_ps);
    free(end);
}

/*  us        0         10        20        30
 *  thread    LLL..MMM.....................SSSSSS      L, M launch a and b; S waits for the device
 *  stream 7  .......aaaaaaaaaaaa.bbbbbbbbbbb
 * a starts 7 after its call began, 4 after it ended; b one after a; S, called at 29, waits until 31
 * and returns at 35. */
static void add_picture(void)
{
    call("cudaLaunchKernel", 0, 3, 1);
    kernel(stream7, "a", 7, 19, 1);
    call("cuLaunchKernel", 5, 8, 2);
    kernel(stream7, "b", 20, 31, 2);
    call("cudaDeviceSynchronize", 29, 35, 3);
}

START_TEST(launch_queue_and_synchronisation)
{
    add_picture();
    make(&everything);
    uint32_t a = find(SL_TRACE_WORK, "a"), b = find(SL_TRACE_WORK, "b");
    uint32_t sync = find(SL_TRACE_WAIT, "cudaDeviceSynchronize");
    /* Two launches, the work a, host time 3 to 5 and 8 to 29, the work b, the wait from 31 on. */
    ck_assert_uint_eq(g.node_count, 7);
    ck_assert_int_eq(g.launch_ps, 7 * US);
    ck_assert_int_eq(g.gap_ps, 1 * US);
    has_edge(find(SL_TRACE_LAUNCH, "cudaLaunchKernel"), a, SL_REASON_LAUNCH, 4);
    has_edge(a, b, SL_REASON_STREAM, 1);
    /* b could have started 7 after its call: the launch keeps what is usual. */
    has_edge(find(SL_TRACE_LAUNCH, "cuLaunchKernel"), b, SL_REASON_LAUNCH, 4);
    has_edge(b, sync, SL_REASON_SYNC, 0);
    ck_assert_int_eq(g.nodes[sync].start_ps, 31 * US);
    ck_assert_int_eq(g.nodes[sync].end_ps, 35 * US);
    ck_assert_int_eq(g.recorded.span_ps, 35 * US);
    ck_assert_int_eq(g.recorded.busy_ps, 23 * US);
    for (int i = 0; i < SL_DOUBTS; i++)
        ck_assert_msg(g.doubts[i].count == 0, "%s", sl_doubt_name((enum sl_trace_doubt)i));
    starts_as_recorded();
}
END_TEST

START_TEST(a_launch_ends_where_its_work_starts)
{
    call("cudaLaunchKernel", 10, 20, 1);
    kernel(stream7, "a", 14, 16, 1);
    make(&everything);
    uint32_t launch = find(SL_TRACE_LAUNCH, "cudaLaunchKernel");
    ck_assert_int_eq(g.nodes[launch].end_ps - g.nodes[launch].start_ps, 4 * US);
    has_edge(launch, find(SL_TRACE_WORK, "a"), SL_REASON_LAUNCH, 0);
    ck_assert_uint_eq(g.nodes_of[SL_TRACE_HOST], 1); /* the rest of the call */
    ck_assert_int_eq(g.recorded.span_ps, 10 * US);   /* from the first node on */
    starts_as_recorded();
}
END_TEST

START_TEST(a_pageable_copy_holds_the_host)
{
    struct sl_event_detail detail = sl_event_detail_none();
    detail.from = SL_MEMORY_PAGEABLE;
    detail.to = SL_MEMORY_DEVICE;
    call("cudaMemcpyAsync", 0, 12, 1);
    add(stream7, SL_EVENT_COPY, "Memcpy HtoD", 3, 10, 1, &detail);
    make(&everything);
    uint32_t copy = find(SL_TRACE_WORK, "Memcpy HtoD");
    uint32_t rest = find(SL_TRACE_WAIT, "cudaMemcpyAsync");
    has_edge(copy, rest, SL_REASON_COPY, 0);
    ck_assert_int_eq(g.nodes[rest].start_ps, 10 * US);
    ck_assert_str_eq(sl_trace_class(&g, copy), "copy.h2d");
    starts_as_recorded();
}
END_TEST

START_TEST(works_of_a_graph_follow_each_other)
{
    call("cudaGraphLaunch", 0, 2, 1);
    kernel(stream7, "a", 5, 8, 1);
    kernel(stream7, "b", 9, 12, 1);
    kernel(stream9, "c", 6, 20, 1);
    make(&everything);
    uint32_t launch = find(SL_TRACE_LAUNCH, "cudaGraphLaunch"), b = find(SL_TRACE_WORK, "b");
    has_edge(launch, find(SL_TRACE_WORK, "a"), SL_REASON_LAUNCH, 3);
    has_edge(launch, find(SL_TRACE_WORK, "c"), SL_REASON_LAUNCH, 4);
    has_edge(find(SL_TRACE_WORK, "a"), b, SL_REASON_STREAM, 1);
    ck_assert_ptr_null(edge(launch, b));
    starts_as_recorded();
}
END_TEST

/* a and b overlap, c follows b: b runs on a lane of its own, and waits for nothing but its call. */
START_TEST(works_of_a_stream_that_overlap)
{
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "a", 5, 15, 1);
    call("cudaLaunchKernel", 2, 3, 2);
    kernel(stream7, "b", 12, 20, 2);
    call("cudaLaunchKernel", 4, 5, 3);
    kernel(stream7, "c", 20, 25, 3);
    make(&everything);
    char name[SL_TRACE_NAME];
    uint32_t b = find(SL_TRACE_WORK, "b");
    ck_assert_str_eq(sl_trace_lane_name(&g, g.nodes[b].lane, name), "gpu0 stream 7 (2)");
    ck_assert_uint_eq(g.nodes[find(SL_TRACE_WORK, "c")].lane, g.nodes[b].lane);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_OVERLAP].count, 1);
    ck_assert_int_eq(g.doubts[SL_DOUBT_OVERLAP].time_ps, 3 * US);
    ck_assert_int_eq(g.replayed.busy_ps, 20 * US);
    starts_as_recorded();
}
END_TEST

/* The host is back at 5 from waiting for what ends at 9, and x starts before its call: no edge can
 * say so, and both are counted with their time. */
/* Times are whole microseconds, and b starts one before a has ended: that is rounding.  c overlaps
 * by as much as it takes, so that nothing of it lies behind b. */
START_TEST(works_of_a_stream_that_touch)
{
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "a", 5, 15, 1);
    call("cudaLaunchKernel", 2, 3, 2);
    kernel(stream7, "b", 14, 20, 2);
    call("cudaLaunchKernel", 4, 5, 3);
    kernel(stream7, "c", 19, 20, 3);
    make(&everything);
    uint32_t a = find(SL_TRACE_WORK, "a"), b = find(SL_TRACE_WORK, "b");
    uint32_t c = find(SL_TRACE_WORK, "c");
    ck_assert_int_eq(g.nodes[a].end_ps, 14 * US);
    ck_assert_int_eq(g.nodes[b].end_ps, 19 * US);
    ck_assert_uint_eq(g.nodes[b].lane, g.nodes[a].lane);
    ck_assert_uint_eq(g.nodes[c].lane, g.nodes[a].lane);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_TOUCH].count, 2);
    ck_assert_int_eq(g.doubts[SL_DOUBT_TOUCH].time_ps, 2 * US);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_OVERLAP].count, 0);
    ck_assert_int_eq(g.recorded.busy_ps, 15 * US);
    starts_as_recorded();
}
END_TEST

/* A clock of ns, told by some other event: 1 us is rounding beside 10 us, not beside 9. */
START_TEST(works_that_touch_beside_their_length)
{
    for (int64_t length = 9; length <= 10; length++) {
        call("cudaLaunchKernel", 0, 1, 1);
        kernel(stream7, "a", 10, 10 + length, 1);
        call("cudaLaunchKernel", 2, 3, 2);
        kernel(stream7, "b", 9 + length, 40, 2);
        add_ps(thread, SL_EVENT_OPERATOR, "op", 3 * US, 4 * US + 7000, -1, NULL);
        make(&everything);
        ck_assert_uint_eq(g.doubts[SL_DOUBT_TOUCH].count, length == 10);
        ck_assert_uint_eq(g.doubts[SL_DOUBT_OVERLAP].count, length == 9);
        starts_as_recorded();
        teardown();
        setup();
    }
}
END_TEST

START_TEST(what_cannot_be_is_left_out)
{
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "a", 2, 9, 1);
    call("cudaStreamSynchronize", 3, 5, 2);
    add(stream7, SL_EVENT_HOST_WAIT, "Stream Sync", 3, 5, 2, NULL);
    call("cudaLaunchKernel", 20, 22, 3);
    kernel(stream9, "x", 17, 30, 3);
    make(&everything);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_EARLY_RETURN].count, 1);
    ck_assert_int_eq(g.doubts[SL_DOUBT_EARLY_RETURN].time_ps, 4 * US);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_EARLY_START].count, 1);
    ck_assert_int_eq(g.doubts[SL_DOUBT_EARLY_START].time_ps, 5 * US);
    ck_assert_uint_eq(g.edges_of[SL_REASON_SYNC], 0);
    starts_as_recorded();
}
END_TEST

/* Stream 9 waits for an event that stream 7 recorded behind a; b, launched later on 7, is not
 * waited for. */
START_TEST(streams_wait_for_events)
{
    struct sl_event_detail detail = sl_event_detail_none();
    detail.waited_correlation = 2;
    detail.waited_lane = (int64_t)stream7;
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "a", 4, 40, 1);
    call("cudaEventRecord", 2, 3, 2);
    call("cudaLaunchKernel", 4, 5, 3);
    kernel(stream7, "b", 41, 60, 3);
    call("cudaStreamWaitEvent", 6, 7, 4);
    add(stream9, SL_EVENT_STREAM_WAIT, "Stream Wait Event", 6, 7, 4, &detail);
    call("cudaLaunchKernel", 8, 9, 5);
    kernel(stream9, "c", 42, 50, 5);
    make(&everything);
    uint32_t c = find(SL_TRACE_WORK, "c");
    has_edge(find(SL_TRACE_WORK, "a"), c, SL_REASON_STREAM_WAIT, 2);
    ck_assert_ptr_null(edge(find(SL_TRACE_WORK, "b"), c));
    ck_assert_uint_eq(g.doubts[SL_DOUBT_LATE].count, 0);
    starts_as_recorded();
}
END_TEST

/* The same without the record of who waits for whom: c starts 2 after the end of a, and before it
 * was launched some stream was told to wait. */
/* An event of the legacy default stream, which has no work itself, follows the works of the
 * blocking stream 9, but not those of stream 8, nor what comes later; returning takes 120 more. */
START_TEST(an_event_of_the_legacy_stream)
{
    uint32_t stream8;
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, 8, &stream8, &err), SL_OK);
    for (unsigned typed = 0; typed < 2; typed++) {
        struct sl_event_detail detail = sl_event_detail_none();
        detail.waited_correlation = 2;
        detail.waited_lane = (int64_t)stream7;
        if (typed) {
            ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, 8, &stream8, &err), SL_OK);
            t.lanes[stream7].stream_type = SL_STREAM_LEGACY;
            t.lanes[stream8].stream_type = SL_STREAM_NON_BLOCKING;
            t.lanes[stream9].stream_type = SL_STREAM_BLOCKING;
        }
        call("cudaLaunchKernel", 0, 1, 1);
        kernel(stream9, "a", 4, 40, 1);
        call("cudaLaunchKernel", 1, 2, 3);
        kernel(stream8, "b", 4, 30, 3);
        call("cudaEventRecord", 2, 3, 2);
        call("cudaLaunchKernel", 4, 5, 4);
        kernel(stream9, "c", 41, 45, 4);
        call("cudaEventSynchronize", 6, 160, 5);
        add(stream7, SL_EVENT_HOST_WAIT, "Event Sync", 6, 160, 5, &detail);
        make(&everything);
        uint32_t sync = find(SL_TRACE_WAIT, "cudaEventSynchronize");
        ck_assert_uint_eq(g.edges_of[SL_REASON_SYNC], typed);
        if (typed)
            has_edge(find(SL_TRACE_WORK, "a"), sync, SL_REASON_SYNC, 0);
        ck_assert_uint_eq(g.doubts[SL_DOUBT_LONG_WAIT].count, 1);
        ck_assert_int_eq(g.doubts[SL_DOUBT_LONG_WAIT].time_ps, (typed ? 120 : 154) * US);
        starts_as_recorded();
        teardown();
        setup();
    }
}
END_TEST

START_TEST(a_wait_without_its_ends_is_assumed)
{
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "a", 4, 40, 1);
    call("cudaStreamWaitEvent", 6, 7, 4);
    call("cudaLaunchKernel", 8, 9, 5);
    kernel(stream9, "c", 42, 50, 5);
    make(&everything);
    has_edge(find(SL_TRACE_WORK, "a"), find(SL_TRACE_WORK, "c"), SL_REASON_STREAM_WAIT, 2);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_BLIND_WAIT].count, 1);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_ASSUMED_WAIT].count, 1);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_LATE].count, 0);
    starts_as_recorded();
}
END_TEST

/* Nobody was told to wait: c is late by all but the usual 4. */
START_TEST(late_works_are_counted)
{
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "a", 4, 40, 1);
    call("cudaLaunchKernel", 8, 9, 5);
    kernel(stream9, "c", 42, 50, 5);
    make(&everything);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_LATE].count, 1);
    ck_assert_int_eq(g.launch_ps, 4 * US);
    ck_assert_int_eq(g.doubts[SL_DOUBT_LATE].time_ps, 30 * US);
    ck_assert_int_eq(g.explained.span_ps, 40 * US); /* c from 12 to 20, a until 40 */
    starts_as_recorded();
}
END_TEST

/*  us        0     100   250     700  900  1000
 *  thread 1  [---------------------------]       an operator around all, others 0-100 and 900-1000
 *  thread 2              [BBBBBBB]               operators, one after the other
 * Thread 2 begins when thread 1 has become quiet, which goes on when thread 2 has. */
START_TEST(threads_take_turns)
{
    uint32_t other;
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_THREAD, 1, 2, &other, &err), SL_OK);
    add(thread, SL_EVENT_OPERATOR, "all", 0, 1000, -1, NULL);
    add(thread, SL_EVENT_OPERATOR, "forward", 0, 100, -1, NULL);
    for (int64_t at = 250; at < 700; at += 50)
        add(other, SL_EVENT_OPERATOR, "backward", at, at + 50, -1, NULL);
    add(thread, SL_EVENT_OPERATOR, "optimizer", 900, 1000, -1, NULL);
    make(&everything);
    /* 0 to 100; 100 to 250, which is thread 2's; to 700; 700 to 900, thread 1's again; to 1000. */
    ck_assert_uint_eq(g.node_count, 5);
    static const int64_t times[5][2] = {{0, 100}, {100, 250}, {250, 700}, {700, 900}, {900, 1000}};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(g.nodes[i].start_ps, times[i][0] * US);
        ck_assert_int_eq(g.nodes[i].end_ps, times[i][1] * US);
        ck_assert(!g.nodes[i].released);
    }
    has_edge(0, 1, SL_REASON_THREAD, 0);
    has_edge(2, 3, SL_REASON_THREAD, 0);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_ASSUMED_TURN].count, 2);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_THREAD_START].count, 0);
    starts_as_recorded();
}
END_TEST

/* The other thread is in a call, which may wait for a device, or becomes active again at once. */
START_TEST(threads_that_go_on_by_themselves)
{
    uint32_t other;
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_THREAD, 1, 2, &other, &err), SL_OK);
    call("cudaDeviceSynchronize", 0, 900, 1);
    add(other, SL_EVENT_OPERATOR, "b", 250, 300, -1, NULL);
    add(thread, SL_EVENT_OPERATOR, "c", 950, 1000, -1, NULL);
    add(thread, SL_EVENT_OPERATOR, "d", 1040, 1050, -1, NULL);
    add(other, SL_EVENT_OPERATOR, "e", 1010, 1030, -1, NULL);
    make(&everything);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_ASSUMED_TURN].count, 0);
    ck_assert_uint_eq(g.doubts[SL_DOUBT_THREAD_START].count, 1);
    starts_as_recorded();
}
END_TEST

/* A step from 100 on: what still runs from before is a backlog of its stream, and the step's own
 * works are there to their end. */
START_TEST(a_step_with_a_backlog)
{
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "before", 90, 130, 1);
    add(thread, SL_EVENT_RANGE, "ProfilerStep#2", 100, 200, -1, NULL);
    call("cudaLaunchKernel", 110, 112, 2);
    kernel(stream7, "own", 131, 250, 2);
    call("cudaLaunchKernel", 210, 212, 3);
    kernel(stream7, "after", 251, 260, 3);
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    struct sl_trace_scope scope = {100 * US, 200 * US, SL_NONE};
    for (uint32_t i = 0; i < t.count; i++)
        if (t.kind[i] == SL_EVENT_RANGE)
            scope.range = i;
    ck_assert_int_eq(sl_trace_graph_make(&g, &t, &scope, &err), SL_OK);
    ck_assert_uint_eq(g.nodes_of[SL_TRACE_BACKLOG], 1);
    ck_assert_uint_eq(g.nodes_of[SL_TRACE_WORK], 1);
    ck_assert_int_eq(g.recorded.span_ps, 150 * US);
    ck_assert_int_eq(g.recorded.busy_ps, 119 * US); /* the backlog is none of the step's work */
    starts_as_recorded();
}
END_TEST

START_TEST(nothing_to_import)
{
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_int_eq(sl_trace_graph_make(&g, &t, &everything, &err), SL_INVALID);
}
END_TEST

static void add_random(struct dice *dice, unsigned events)
{
    static const char *const names[] = {
        "cudaLaunchKernel", "cudaDeviceSynchronize", "cudaStreamSynchronize",
        "cudaEventRecord",  "cudaStreamWaitEvent",   "cudaMalloc",
        "cudaMemcpy",       "cudaEventQuery"};
    uint32_t other;
    int64_t stretch = dice_chance(dice, 50) ? 1 : 37; /* so that threads become quiet */
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_THREAD, 1, 2, &other, &err), SL_OK);
    for (unsigned i = 0; i < events; i++) {
        struct sl_event_detail detail = sl_event_detail_none();
        int64_t from = dice_below(dice, 200) * stretch, length = dice_below(dice, 20) * stretch;
        int64_t correlation = (int64_t)dice_below(dice, events) - 1;
        uint32_t host = dice_chance(dice, 70) ? thread : other;
        uint32_t stream = dice_chance(dice, 60) ? stream7 : stream9;
        detail.waited_lane = dice_chance(dice, 70) ? (int64_t)stream9 : -1;
        detail.waited_correlation = dice_chance(dice, 70) ? (int64_t)dice_below(dice, events) : -1;
        detail.from = dice_chance(dice, 50) ? SL_MEMORY_PAGEABLE : SL_MEMORY_DEVICE;
        detail.to = SL_MEMORY_DEVICE;
        switch (dice_below(dice, 6)) {
        case 0:
        case 1:
            add(host, SL_EVENT_CALL, names[dice_below(dice, 8)], from, from + length, correlation,
                NULL);
            break;
        case 2:
        case 3:
            add(stream, dice_chance(dice, 80) ? SL_EVENT_KERNEL : SL_EVENT_COPY, "work", from,
                from + length, correlation, &detail);
            break;
        case 4:
            add(stream, dice_chance(dice, 50) ? SL_EVENT_HOST_WAIT : SL_EVENT_STREAM_WAIT, "wait",
                from, from + length, correlation, &detail);
            break;
        default:
            add(host, SL_EVENT_OPERATOR, "operator", from, from + length, -1, NULL);
        }
    }
}

/* Whatever the record says, however little sense it makes. */
START_TEST(random_traces_replay_as_recorded)
{
    struct dice dice = {.state = 20261130};
    unsigned rounds = sl_test_long() ? 20000 : 500, made = 0;
    for (unsigned round = 0; round < rounds; round++) {
        add_random(&dice, 1 + dice_below(&dice, 60));
        ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
        struct sl_trace_scope scope = everything;
        if (dice_chance(&dice, 30)) {
            scope.from_ps = dice_below(&dice, 100) * US;
            scope.to_ps = scope.from_ps + (1 + dice_below(&dice, 100)) * US;
        }
        enum sl_status status = sl_trace_graph_make(&g, &t, &scope, &err);
        if (status == SL_OK) {
            starts_as_recorded();
            made++;
        }
        ck_assert(status == SL_OK || status == SL_INVALID);
        teardown();
        setup();
    }
    ck_assert_uint_gt(made, rounds * 9 / 10);
}
END_TEST

START_TEST(names_and_classes)
{
    char name[SL_TRACE_NAME];
    call("cudaLaunchKernel", 0, 1, 1);
    kernel(stream7, "void at::native::(anonymous namespace)::cat_kernel<float, 4>(int, void*)", 4,
           5, 1);
    make(&everything);
    ck_assert_str_eq(sl_trace_node_name(&g, 1, name), "s7.000001.cat_kernel");
    ck_assert_str_eq(sl_trace_lane_name(&g, g.nodes[0].lane, name), "t1 thread 1/1");
    ck_assert_str_eq(sl_kernel_class("ampere_sgemm_128x64_tn"), "gemm");
    ck_assert_str_eq(sl_kernel_class("Cijk_Ailk_Bljk_BBS_BH"), "gemm");
    ck_assert_str_eq(sl_kernel_class("ncclDevKernel_AllReduce_Sum_f32"), "comm");
    ck_assert_str_eq(sl_kernel_class("flash_fwd_kernel"), "attention");
    ck_assert_str_eq(sl_kernel_class("void at::native::vectorized_elementwise_kernel"),
                     "elementwise");
    ck_assert_str_eq(sl_kernel_class("spin"), "kernel");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace graph");
    TCase *cases = tcase_create("graphs");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, launch_queue_and_synchronisation);
    tcase_add_test(cases, a_launch_ends_where_its_work_starts);
    tcase_add_test(cases, a_pageable_copy_holds_the_host);
    tcase_add_test(cases, works_of_a_graph_follow_each_other);
    tcase_add_test(cases, works_of_a_stream_that_overlap);
    tcase_add_test(cases, works_of_a_stream_that_touch);
    tcase_add_test(cases, works_that_touch_beside_their_length);
    tcase_add_test(cases, what_cannot_be_is_left_out);
    tcase_add_test(cases, streams_wait_for_events);
    tcase_add_test(cases, an_event_of_the_legacy_stream);
    tcase_add_test(cases, a_wait_without_its_ends_is_assumed);
    tcase_add_test(cases, late_works_are_counted);
    tcase_add_test(cases, threads_take_turns);
    tcase_add_test(cases, threads_that_go_on_by_themselves);
    tcase_add_test(cases, a_step_with_a_backlog);
    tcase_add_test(cases, nothing_to_import);
    tcase_add_test(cases, random_traces_replay_as_recorded);
    tcase_add_test(cases, names_and_classes);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
