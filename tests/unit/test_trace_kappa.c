/* Equal works of a trace, and the slowdowns that their overlaps show, against hand computation. */
#include <config.h>

#include "harness.h"
#include "trace_kappa.h"
#include <string.h>

#define US INT64_C(1000000) /* ps */

static struct sl_timeline t;
static struct sl_trace_graph g;
static struct sl_trace_durations d;
static struct sl_trace_kappa kappa;
static struct sl_error err;
static uint32_t stream7, stream9;

static void setup(void)
{
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, 7, &stream7, &err), SL_OK);
    ck_assert_int_eq(sl_timeline_lane(&t, SL_LANE_STREAM, 0, 9, &stream9, &err), SL_OK);
}

static void teardown(void)
{
    sl_trace_kappa_free(&kappa);
    sl_trace_durations_free(&d);
    sl_trace_graph_free(&g);
    sl_timeline_free(&t);
    memset(&kappa, 0, sizeof kappa);
    err = (struct sl_error){0};
}

/* Times in us; `grid` is the launch shape of a kernel. */
static void add(uint32_t lane, const char *name, uint32_t grid, int64_t from, int64_t to)
{
    struct sl_event_detail detail = sl_event_detail_none();
    detail.grid[0] = grid;
    struct sl_timeline_event event = {.start_ps = from * US,
                                      .end_ps = to * US,
                                      .kind = SL_EVENT_KERNEL,
                                      .name = sl_names_add(&t.names, name),
                                      .lane = lane,
                                      .correlation = -1,
                                      .bytes = -1,
                                      .detail = &detail};
    ck_assert_int_eq(sl_timeline_add(&t, &event, &err), SL_OK);
}

static void make(int64_t cold_from_us, int64_t cold_to_us)
{
    struct sl_trace_scope scope = {0, INT64_MAX, SL_NONE};
    ck_assert_int_eq(sl_timeline_finish(&t, &err), SL_OK);
    ck_assert_int_eq(sl_trace_graph_make(&g, &t, &scope, &err), SL_OK);
    ck_assert_int_eq(sl_trace_durations_make(&d, &g, cold_from_us * US, cold_to_us * US, &err),
                     SL_OK);
    ck_assert_int_eq(sl_trace_kappa_make(&kappa, &d, &err), SL_OK);
}

static const struct sl_trace_pair *pair_of(const char *victim, const char *set)
{
    uint32_t a = sl_names_find(&kappa.classes, victim), b = sl_names_find(&kappa.classes, set);
    ck_assert(a != SL_NONE && b != SL_NONE);
    return &kappa.pairs[a][b];
}

/* Alone 10, 10, 11; beside a reduction 13, 14, 14, of which it covers 80% or all: 14 / 10. */
START_TEST(beside_against_alone)
{
    add(stream7, "sgemm", 1, 0, 10);
    add(stream7, "sgemm", 1, 20, 30);
    add(stream7, "sgemm", 1, 40, 51);
    add(stream7, "sgemm", 1, 100, 113);
    add(stream9, "reduce_kernel", 1, 100, 150);
    add(stream7, "sgemm", 1, 120, 134);
    add(stream7, "sgemm", 1, 136, 150);
    make(0, 0);
    const struct sl_trace_pair *pair = pair_of("gemm", "reduce");
    ck_assert_uint_eq(kappa.pair_count, 1);
    ck_assert_uint_eq(pair->kinds, 1);
    ck_assert_uint_eq(pair->beside, 3);
    ck_assert_uint_eq(pair->alone, 3);
    ck_assert_double_eq_tol(pair->beside_ps / pair->alone_ps, 1.4, 1e-12);
}
END_TEST

/* None of these is an example: half covered, beside two classes, beside two works, another shape.
 */
START_TEST(what_is_no_example)
{
    for (int64_t at = 0; at < 600; at += 100)
        add(stream7, "sgemm", 1, at, at + 10);
    for (int64_t at = 1000; at < 1600; at += 100) { /* covered by half */
        add(stream7, "sgemm", 1, at, at + 20);
        add(stream9, "reduce_kernel", 1, at + 10, at + 30);
    }
    for (int64_t at = 2000; at < 2600; at += 100) { /* two classes, one after the other */
        add(stream7, "sgemm", 1, at, at + 20);
        add(stream9, "reduce_kernel", 1, at, at + 10);
        add(stream9, "softmax", 1, at + 10, at + 20);
    }
    for (int64_t at = 3000; at < 3600; at += 100) { /* another shape, never alone */
        add(stream7, "sgemm", 2, at, at + 20);
        add(stream9, "conv", 1, at, at + 20);
    }
    make(0, 0);
    uint32_t gemm = sl_names_find(&kappa.classes, "gemm");
    for (uint32_t b = 0; b < kappa.classes.count; b++)
        ck_assert_uint_eq(kappa.pairs[gemm][b].kinds, 0);
}
END_TEST

/* Kinds go by name and shape; what a cold step launched is no example; 5 make a file. */
START_TEST(kinds_of_works)
{
    for (int64_t at = 0; at < 60; at += 10)
        add(stream7, "sgemm", 1, at, at + 5);
    for (int64_t at = 100; at < 140; at += 10)
        add(stream7, "sgemm", 2, at, at + 5);
    make(0, 10);
    ck_assert_uint_eq(d.file_count, 1);
    ck_assert_uint_eq(d.drawn_nodes, 5);
    ck_assert_uint_eq(d.kept_nodes, 5);
    ck_assert_uint_eq(sl_trace_durations_file(&d, &g, 0), SL_NONE); /* cold */
    ck_assert_uint_eq(sl_trace_durations_file(&d, &g, 1), 0);
    ck_assert_uint_eq(sl_trace_durations_file(&d, &g, 6), SL_NONE); /* four of the other shape */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace kappa");
    TCase *cases = tcase_create("kappa");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, beside_against_alone);
    tcase_add_test(cases, what_is_no_example);
    tcase_add_test(cases, kinds_of_works);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
