/* Routes of copies whose times are known, and copies of random schedules that policies may move,
 * against a plain search over all pairs. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "robust_line.h"
#include "trace_movable.h"
#include <string.h>

#define US INT64_C(1000000) /* ps */

enum { MOST = 60, STREAMS = 3 };

static struct sl_timeline t;
static struct sl_trace_graph g;
static struct sl_trace_routes routes;
static struct sl_trace_movable m;
static struct sl_error err;

static void teardown(void)
{
    sl_trace_movable_free(&m);
    sl_trace_routes_free(&routes);
    sl_trace_graph_free(&g);
    sl_timeline_free(&t);
    err = (struct sl_error){0};
}

static uint32_t stream(int64_t number)
{
    uint32_t lane;
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, number, &lane, &err), SL_OK);
    return lane;
}

static void add(enum sl_event_kind kind, const char *name, uint32_t lane, int64_t start_ps,
                int64_t ps, int64_t bytes, bool out)
{
    struct sl_event_detail detail = sl_event_detail_none();
    detail.from = out ? SL_MEMORY_DEVICE : SL_MEMORY_PINNED;
    detail.to = out ? SL_MEMORY_PINNED : SL_MEMORY_DEVICE;
    struct sl_timeline_event event = {start_ps, start_ps + ps,
                                      kind,     sl_names_add(&t.names, name),
                                      lane,     -1,
                                      bytes,    kind == SL_EVENT_COPY ? &detail : NULL};
    ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
}

static void add_copy(uint32_t lane, int64_t start_ps, int64_t ps, int64_t bytes, bool out)
{
    add(SL_EVENT_COPY, "copy", lane, start_ps, ps, bytes, out);
}

/* 2 us and 10 GB/s. */
static int64_t time_of_bytes(int64_t bytes)
{
    return 2 * US + bytes * 100;
}

START_TEST(a_route)
{
    uint32_t one = stream(1), two = stream(2);
    int64_t at = 0;
    for (int64_t bytes = 1000; bytes <= 16000000; bytes *= 2)
        for (int i = 0; i < 5; i++, at += 10000 * US) /* of each size one is slow */
            add_copy(one, at, time_of_bytes(bytes) * (i == 0 ? 3 : 1), bytes, false);
    add_copy(one, at, 900 * US, 1000000, false); /* beside each other */
    add_copy(two, at + US, 900 * US, 1000000, false);
    add_copy(one, at, 50 * US, 4096, true); /* the other direction is no company */
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_int_eq(sl_trace_routes_make(&routes, &t, &err), SL_OK);
    ck_assert_uint_eq(routes.count, 2);
    const struct sl_trace_route *in = &routes.items[0], *out = &routes.items[1];
    ck_assert_str_eq(in->from, "pinned");
    ck_assert_str_eq(in->to, "hbm0");
    ck_assert_str_eq(in->link, "gpu0.h2d");
    ck_assert_double_eq_tol(in->bytes_per_s, 1e10, 1e10 * 1e-9);
    ck_assert_int_ge(in->overhead_ps, 2 * US - 1);
    ck_assert_int_le(in->overhead_ps, 2 * US + 1);
    ck_assert_uint_eq(in->copies, 14 * 5);
    ck_assert_uint_eq(in->sizes, 14);
    ck_assert_uint_eq(in->beside, 2);
    ck_assert_double_le(in->worst, 1e-6);
    /* The largest size holds half of all bytes: 5 copies, of which one is slow. */
    ck_assert_uint_eq(in->factor_count, 5);
    ck_assert_double_eq_tol(in->factors[3], 1, 1e-6);
    ck_assert_double_eq_tol(in->factors[4], 3, 1e-6);
    /* One size: its time is all that is known. */
    ck_assert_uint_eq(out->sizes, 1);
    ck_assert_int_eq(out->overhead_ps, 0);
    ck_assert_double_eq_tol(out->bytes_per_s, 4096 / 50e-6, 1);
    ck_assert_ptr_null(out->factors);
}
END_TEST

/* Times that do not follow the sizes are no route. */
START_TEST(no_route)
{
    uint32_t one = stream(1);
    for (int64_t i = 0; i < 6; i++)
        add_copy(one, i * 100 * US, i < 3 ? 50 * US : US, i < 3 ? 100 : 1000000, false);
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_int_eq(sl_trace_routes_make(&routes, &t, &err), SL_OK);
    ck_assert_uint_eq(routes.count, 1);
    char text[SL_TRACE_EVIDENCE];
    ck_assert(!(routes.items[0].bytes_per_s > 0));
    ck_assert_int_eq(strncmp(sl_trace_route_evidence(&routes.items[0], text), "unknown", 7), 0);
}
END_TEST

START_TEST(a_line)
{
    /* By hand: a line through (1, 3) and (3, 7) is 1 + 2 x; (2, 50) is off and does not bend it. */
    struct sl_robust_line line =
        sl_robust_line_fit((double[]){1, 2, 3, 4}, (double[]){3, 50, 7, 9}, 4);
    ck_assert_double_eq_tol(line.slope, 2, 1e-12);
    ck_assert_double_eq_tol(line.intercept, 1, 1e-12);
    line = sl_robust_line_fit((double[]){4}, (double[]){2}, 1);
    ck_assert_double_eq(line.slope, 0.5);
    ck_assert_double_eq(line.intercept, 0);
    ck_assert_double_nan(sl_robust_line_fit(NULL, NULL, 0).slope);
}
END_TEST

static bool is(uint32_t node, enum sl_event_kind kind)
{
    return g.nodes[node].role == SL_TRACE_WORK && t.kind[g.nodes[node].event] == kind;
}
static uint32_t stream_of(uint32_t node)
{
    return t.lane[g.nodes[node].event];
}
static bool is_copy(uint32_t node, bool out)
{
    return is(node, SL_EVENT_COPY) &&
           (t.details[t.detail[g.nodes[node].event]].from == SL_MEMORY_DEVICE) == out;
}

/* A schedule whose node i is event i: works of streams, and threads that wait. */
static void make_schedule(struct dice *dice)
{
    uint32_t count = 2 + dice_below(dice, MOST - 2), thread;
    uint32_t last[STREAMS + 1] = {SL_NONE, SL_NONE, SL_NONE, SL_NONE};
    for (int i = 0; i < STREAMS; i++)
        stream(i + 1);
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_THREAD, 1, 1, &thread, &err), SL_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = dice_below(dice, 10), lane = dice_below(dice, STREAMS);
        int64_t bytes = 10000 << dice_below(dice, 3);
        if (kind < 7 && kind > 0)
            add_copy(lane, i * US, time_of_bytes(bytes), bytes, kind > 4);
        else if (kind > 0)
            add(SL_EVENT_KERNEL, "kernel", lane, i * US, 3 * US / 2, -1, false);
        else
            add(SL_EVENT_CALL,
                dice_chance(dice, 50) ? "cudaStreamSynchronize" : "cudaDeviceSynchronize", thread,
                i * US, US / 2, -1, false);
    }
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    g.timeline = &t;
    g.nodes = calloc(count, sizeof *g.nodes);
    g.edges = calloc(count, sizeof *g.edges);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = t.lane[i];
        uint8_t role = lane == thread ? SL_TRACE_WAIT : SL_TRACE_WORK;
        g.nodes[g.node_count++] =
            (struct sl_trace_node){t.start_ps[i], t.end_ps[i], i, lane, role, false};
        uint32_t from = i > 0 ? dice_below(dice, i) : 0;
        enum sl_trace_reason reason =
            role == SL_TRACE_WAIT ? SL_REASON_SYNC : SL_REASON_STREAM_WAIT;
        if (last[lane] != SL_NONE && role == SL_TRACE_WORK && dice_chance(dice, 30)) {
            from = last[lane];
            reason = SL_REASON_STREAM;
        }
        if (i > 0 && g.nodes[from].role == SL_TRACE_WORK && dice_chance(dice, 60))
            g.edges[g.edge_count++] = (struct sl_trace_edge){from, i, US, 0, (uint8_t)reason};
        last[lane] = i;
    }
    g.lane_count = t.lane_count;
    g.recorded.span_ps = (int64_t)count * US;
}

struct expected {
    uint32_t first, out, writer; /* reader of a copy to the device; what it brings back */
    bool taken;
    uint8_t reads[MOST]; /* by copy */
};
static struct expected e[MOST];

static uint32_t edge_to(uint32_t node)
{
    for (uint32_t k = 0; k < g.edge_count; k++)
        if (g.edges[k].to == node)
            return k;
    return SL_NONE;
}

static uint32_t find_writer(uint32_t node)
{
    uint32_t k = edge_to(node), writer = SL_NONE;
    for (uint32_t i = 0; i < node; i++)
        if (is(i, SL_EVENT_KERNEL) && stream_of(i) == stream_of(node))
            writer = i;
    return k != SL_NONE && g.edges[k].reason == SL_REASON_STREAM_WAIT &&
                   is(g.edges[k].from, SL_EVENT_KERNEL)
               ? g.edges[k].from
               : writer;
}

static bool was_seen_by_host(uint32_t out, uint32_t until)
{
    for (uint32_t k = 0; k < g.edge_count; k++)
        if (g.edges[k].to < until && g.edges[k].reason == SL_REASON_SYNC &&
            strcmp(t.names.names[t.name[g.edges[k].to]], "cudaStreamSynchronize") == 0 &&
            g.edges[k].from >= out && stream_of(g.edges[k].from) == stream_of(out))
            return true;
    return false;
}

/* The last one out of its size that is not taken. */
static void expect_pair(uint32_t in)
{
    for (uint32_t out = in; out-- > 0;) {
        if (!is_copy(out, true) || e[out].taken || e[out].writer == SL_NONE ||
            t.bytes[out] != t.bytes[in])
            continue;
        if (t.end_ps[out] > t.start_ps[in])
            return;
        e[out].taken = true;
        if (!was_seen_by_host(out, in))
            e[in].out = out;
        return;
    }
}

static void expect_reads(uint32_t node)
{
    uint32_t k = edge_to(node), from = SL_NONE;
    if (k != SL_NONE && g.edges[k].reason == SL_REASON_STREAM_WAIT)
        from = g.edges[k].from;
    for (uint32_t c = 0; c < node; c++) {
        bool waits = stream_of(c) == stream_of(node) ||
                     (from != SL_NONE && c <= from && stream_of(c) == stream_of(from));
        if (!is_copy(c, false) || !(c == from || (waits && e[c].first == SL_NONE)))
            continue;
        e[node].reads[c] = 1;
        if (e[c].first == SL_NONE)
            e[c].first = node;
    }
}

static void expect(bool both)
{
    for (uint32_t i = 0; i < g.node_count; i++) {
        e[i] = (struct expected){SL_NONE, SL_NONE, SL_NONE, false, {0}};
        if (is(i, SL_EVENT_KERNEL))
            expect_reads(i);
        else if (is_copy(i, true))
            e[i].writer = find_writer(i);
        else if (both && is_copy(i, false))
            expect_pair(i);
    }
}

/* Bytes held at a time: between the first take and the last read. */
static int64_t held_at(int64_t t_ps)
{
    int64_t sum = 0;
    for (uint32_t c = 0; c < g.node_count; c++) {
        if (e[c].first == SL_NONE)
            continue;
        int64_t until = 0;
        for (uint32_t n = 0; n < g.node_count; n++)
            if (e[n].reads[c] && t.end_ps[n] > until)
                until = t.end_ps[n];
        if (t.start_ps[c] <= t_ps && t_ps < until)
            sum += t.bytes[c];
        uint32_t out = e[c].out;
        if (out != SL_NONE && t.start_ps[e[out].writer] <= t_ps && t_ps < t.end_ps[out])
            sum += t.bytes[c];
    }
    return sum;
}

static void check_buffers(void)
{
    uint32_t reads = 0, count = 0;
    int64_t most = 0, all = 0;
    for (uint32_t i = 0; i < m.read_count; i++) {
        uint32_t in = m.buffers[m.reads[i].value].in;
        ck_assert(i == 0 || m.reads[i].key >= m.reads[i - 1].key);
        ck_assert_uint_eq(e[m.reads[i].key].reads[in], 1);
    }
    for (uint32_t c = 0; c < g.node_count; c++) {
        for (uint32_t n = 0; n < g.node_count; n++)
            reads += e[n].reads[c];
        most = held_at(t.start_ps[c]) > most ? held_at(t.start_ps[c]) : most;
        if (e[c].first == SL_NONE) {
            ck_assert(!is_copy(c, false) || m.buffer_of[c] == SL_NONE);
            continue;
        }
        count++;
        all += t.bytes[c];
        const struct sl_trace_buffer *buffer = &m.buffers[m.buffer_of[c]];
        ck_assert_uint_eq(buffer->in, c);
        ck_assert_int_eq(buffer->bytes, t.bytes[c]);
        ck_assert_uint_eq(buffer->out, e[c].out);
        ck_assert_uint_eq(buffer->writer, e[c].out == SL_NONE ? SL_NONE : e[e[c].out].writer);
    }
    ck_assert_uint_eq(m.read_count, reads);
    ck_assert_uint_eq(m.count, count);
    ck_assert_int_eq(m.held_bytes, most);
    ck_assert_int_eq(m.all_bytes, all);
}

static void check_edges(void)
{
    for (uint32_t k = 0; k < g.edge_count; k++) {
        uint32_t from = g.edges[k].from, lane = g.nodes[from].lane;
        bool gone = m.buffer_of[from] != SL_NONE;
        while (gone && g.edges[k].reason == SL_REASON_STREAM && from > 0 &&
               (g.nodes[from].lane != lane || m.buffer_of[from] != SL_NONE))
            from--;
        bool found = g.nodes[from].lane == lane && m.buffer_of[from] == SL_NONE &&
                     m.buffer_of[g.edges[k].to] == SL_NONE;
        ck_assert_uint_eq(sl_trace_edge_from(&m, &g.edges[k]), found ? from : SL_NONE);
    }
}

START_TEST(random_schedules)
{
    struct dice dice = {.state = 11};
    uint32_t pairs = 0;
    for (int round = 0; round < 2000; round++) {
        bool both = round % 2 == 1;
        make_schedule(&dice);
        expect(both);
        ck_assert_int_eq(sl_trace_routes_make(&routes, &t, &err), SL_OK);
        ck_assert_int_eq(sl_trace_movable_make(&m, &g, &routes, both, &err), SL_OK);
        check_buffers();
        check_edges();
        pairs += m.pair_count;
        teardown();
    }
    ck_assert_uint_ge(pairs, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace movable");
    TCase *cases = tcase_create("movable");
    tcase_add_checked_fixture(cases, NULL, teardown);
    tcase_add_test(cases, a_line);
    tcase_add_test(cases, a_route);
    tcase_add_test(cases, no_route);
    tcase_add_test(cases, random_schedules);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
