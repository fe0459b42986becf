/* The engine's rules one by one, on schedules worked out by hand. */
#include "config.h"

#include "lab.h"

static struct lab lab;

static void open_lab(void)
{
    lab_open(&lab);
}

static void close_lab(void)
{
    lab_close(&lab);
}

#define STARTS(node, us) ck_assert_int_eq(t->start_ps[node], (int64_t)((us)*US))
#define ENDS(node, us)   ck_assert_int_eq(t->finish_ps[node], (int64_t)((us)*US))
#define CAUSE(node, why, who)                                                                      \
    do {                                                                                           \
        ck_assert_str_eq(sl_cause_name((enum sl_cause)t->cause[node]), sl_cause_name(why));        \
        ck_assert_uint_eq(t->behind[node], who);                                                   \
    } while (0)

/* One server, first come first served; equal ready times go by index. */
START_TEST(fifo_on_one_server)
{
    uint32_t r = lab_resource(&lab, "r", 1);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "3us", r), b = lab_node(&lab, "b", "1us", r),
             c = lab_node(&lab, "c", "2us", SL_NONE), d = lab_node(&lab, "d", "1us", r);
    lab_edge(&lab, c, d);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(a, 0);
    STARTS(b, 3);
    STARTS(d, 4);
    CAUSE(a, SL_CAUSE_NONE, SL_NONE);
    CAUSE(b, SL_CAUSE_QUEUE, a);
    CAUSE(d, SL_CAUSE_QUEUE, b);
    ck_assert_int_eq(t->ready_ps[d], 2 * US);
    ck_assert_int_eq(t->busy_ps[r], 5 * US);
    ck_assert_uint_eq(t->bypasses, 0);
    struct sl_link links[8];
    ck_assert_uint_eq(sl_trial_chain(lab.program, t, links, 8), 3);
    ck_assert_uint_eq(links[2].node, d);
}
END_TEST

/* Order by key while the server is taken: x first, then a, b, c as the order says. */
static void ordered(enum sl_order order, const char *expected)
{
    uint32_t r = lab_resource(&lab, "r", 1);
    lab.resources[r].order = order;
    lab_graph(&lab);
    uint32_t x = lab_node(&lab, "x", "10us", r), head = lab_node(&lab, "head", "1us", SL_NONE);
    uint32_t nodes[] = {lab_node(&lab, "a", "3us", r), lab_node(&lab, "b", "1us", r),
                        lab_node(&lab, "c", "2us", r)};
    uint32_t tail = lab_node(&lab, "tail", "50us", SL_NONE);
    for (int i = 0; i < 3; i++)
        lab_edge(&lab, head, nodes[i]);
    lab_edge(&lab, nodes[2], tail); /* c has the longest way to the end */
    LAB_NODE(&lab, nodes[0]).priority = 1;
    LAB_NODE(&lab, nodes[1]).priority = 2;
    LAB_NODE(&lab, nodes[0]).deadline_ps = 30 * US;
    LAB_NODE(&lab, nodes[2]).deadline_ps = 20 * US;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(x, 0);
    char found[4] = "";
    for (int64_t last = 10 * US, k = 0; k < 3; k++)
        for (uint32_t i = 0; i < 3; i++)
            if (t->start_ps[nodes[i]] == last && !strchr(found, "abc"[i])) {
                found[k] = "abc"[i];
                last = t->finish_ps[nodes[i]];
                break;
            }
    ck_assert_str_eq(found, expected);
}

START_TEST(order_fifo)
{
    ordered(SL_ORDER_FIFO, "abc");
}
END_TEST

START_TEST(order_priority)
{
    ordered(SL_ORDER_PRIORITY, "bac");
}
END_TEST

START_TEST(order_edf)
{
    ordered(SL_ORDER_EDF, "cab");
}
END_TEST

START_TEST(order_sjf)
{
    ordered(SL_ORDER_SJF, "bca");
}
END_TEST

START_TEST(order_critical_path)
{
    ordered(SL_ORDER_CRITICAL_PATH, "cab");
}
END_TEST

/* Priority 1 against 0 with aging 2us: the first has waited 5us at t = 5 (floor 2), the second,
 * ready at 4, none: 0 + 2 > 1 + 0. */
START_TEST(aging_raises_priority)
{
    uint32_t r = lab_resource(&lab, "r", 1);
    lab.resources[r].order = SL_ORDER_PRIORITY;
    lab.resources[r].aging_ps = 2 * US;
    lab_graph(&lab);
    uint32_t x = lab_node(&lab, "x", "5us", r), old = lab_node(&lab, "old", "1us", r),
             young = lab_node(&lab, "young", "1us", r);
    LAB_NODE(&lab, x).priority = 5;
    LAB_NODE(&lab, young).priority = 1;
    LAB_NODE(&lab, young).release_ps = 4 * US;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(old, 5);
    STARTS(young, 6);
}
END_TEST

/* Two of two units wanted while one is free: backfill lets the later pass, strict does not. */
static uint32_t wide_then_narrow(enum sl_admission admission)
{
    uint32_t r = lab_resource(&lab, "r", 2);
    lab.resources[r].admission = admission;
    lab_graph(&lab);
    uint32_t x = lab_node(&lab, "x", "4us", r), wide = lab_node(&lab, "wide", "1us", SL_NONE),
             narrow = lab_node(&lab, "narrow", "6us", r);
    lab_demand(&lab, wide, r, 2);
    (void)x;
    (void)narrow;
    return wide;
}

START_TEST(backfill_passes_and_counts)
{
    uint32_t wide = wide_then_narrow(SL_BACKFILL);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(wide + 1, 0);
    STARTS(wide, 6);
    CAUSE(wide, SL_CAUSE_QUEUE, wide + 1);
    ck_assert_uint_eq(t->bypassed[wide], 1);
    ck_assert_uint_eq(t->bypasses, 1);
}
END_TEST

START_TEST(strict_blocks)
{
    uint32_t wide = wide_then_narrow(SL_STRICT);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(wide, 4);
    CAUSE(wide, SL_CAUSE_QUEUE, wide - 1);
    STARTS(wide + 1, 5);
    ck_assert_uint_eq(t->bypasses, 0);
}
END_TEST

/* Nothing is held while waiting: a node that needs both waits without either. */
START_TEST(both_resources_at_once)
{
    uint32_t r = lab_resource(&lab, "r", 1), s = lab_resource(&lab, "s", 1);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "5us", s), both = lab_node(&lab, "both", "1us", r),
             c = lab_node(&lab, "c", "3us", r);
    lab_demand(&lab, both, s, 1);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(c, 0);
    STARTS(both, 5);
    CAUSE(both, SL_CAUSE_QUEUE, a);
    ck_assert_uint_eq(t->bypassed[both], 1);
}
END_TEST

START_TEST(capacity_waits_for_the_release)
{
    uint32_t r = lab_resource(&lab, "r", 4), hbm = lab_domain(&lab, "hbm", 3 * GIB);
    lab.domains[hbm].reserve = GIB;
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "2us", r), b = lab_node(&lab, "b", "5us", r),
             c = lab_node(&lab, "c", "1us", r);
    for (uint32_t i = a; i <= c; i++)
        lab_workspace(&lab, i, hbm, GIB);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, 0);
    STARTS(c, 2);
    CAUSE(c, SL_CAUSE_CAPACITY, a);
    ck_assert_uint_eq(t->behind_by_free[c], 0);
    ck_assert_int_eq(t->peak_bytes[hbm], 2 * GIB);
}
END_TEST

START_TEST(lags_releases_and_lanes)
{
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "2us", SL_NONE), b = lab_node(&lab, "b", "1us", SL_NONE),
             c = lab_node(&lab, "c", "1us", SL_NONE), d = lab_node(&lab, "d", "1us", SL_NONE);
    lab_edge_typed(&lab, a, b, SL_EDGE_STORAGE, 3 * US);
    LAB_NODE(&lab, c).release_ps = 9 * US;
    lab_edge(&lab, b, c);
    uint32_t lane = sl_names_add(&lab.graph->lane_names, "stream");
    LAB_NODE(&lab, c).lane = LAB_NODE(&lab, d).lane = lane;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, 5);
    CAUSE(b, SL_CAUSE_STORAGE, a);
    ck_assert_int_eq(t->lag_ps[b], 3 * US);
    STARTS(c, 9);
    CAUSE(c, SL_CAUSE_RELEASE, SL_NONE);
    STARTS(d, 10);
    CAUSE(d, SL_CAUSE_LANE, c);
    struct sl_link links[8];
    ck_assert_uint_eq(sl_trial_chain(lab.program, t, links, 8), 3);
    ck_assert(links[0].waiting && links[0].begin_ps == 0 && links[0].end_ps == 9 * US);
}
END_TEST

/* Ties between conditions: data before ordering, then the lower index. */
START_TEST(ties_of_conditions)
{
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "2us", SL_NONE), b = lab_node(&lab, "b", "2us", SL_NONE),
             c = lab_node(&lab, "c", "2us", SL_NONE), d = lab_node(&lab, "d", "1us", SL_NONE);
    lab_edge_typed(&lab, a, d, SL_EDGE_ORDERING, 0);
    lab_edge(&lab, c, d);
    lab_edge(&lab, b, d);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    CAUSE(d, SL_CAUSE_DATA, b);
}
END_TEST

/* A copy engine serves in issue order: its blocked head blocks it. */
START_TEST(issue_order_blocks_the_engine)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 1);
    lab.resources[h2d].order = SL_ORDER_ISSUE;
    lab_graph(&lab);
    uint32_t late = lab_node(&lab, "late", "4us", SL_NONE),
             head = lab_node(&lab, "head", "2us", h2d),
             second = lab_node(&lab, "second", "2us", h2d);
    lab_edge(&lab, late, head);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->ready_ps[second], 0);
    STARTS(head, 4);
    STARTS(second, 6);
    CAUSE(second, SL_CAUSE_QUEUE, head);
}
END_TEST

/* With two engines the second may go once the head has started: it shares the head's reason. */
START_TEST(issue_order_passes_the_reason_on)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 2);
    lab.resources[h2d].order = SL_ORDER_ISSUE;
    lab_graph(&lab);
    uint32_t late = lab_node(&lab, "late", "4us", SL_NONE),
             head = lab_node(&lab, "head", "2us", h2d),
             second = lab_node(&lab, "second", "2us", h2d);
    lab_edge(&lab, late, head);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(second, 4);
    CAUSE(second, SL_CAUSE_QUEUE, late);
}
END_TEST

/* The latency of a copy is pipelined: the engine is free before the copy has finished. */
START_TEST(latency_holds_no_engine)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 1);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "2us", h2d), b = lab_node(&lab, "b", "2us", h2d),
             use = lab_node(&lab, "use", "1us", SL_NONE);
    LAB_NODE(&lab, a).latency_scale = LAB_NODE(&lab, b).latency_scale = 4; /* x 2us */
    lab_edge(&lab, b, use);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_int_eq(t->free_ps[a], 2 * US);
    ENDS(a, 10);
    STARTS(b, 2);
    CAUSE(b, SL_CAUSE_QUEUE, a);
    ck_assert_uint_eq(t->behind_by_free[b], 1);
    STARTS(use, 12);
    ck_assert_int_eq(t->busy_ps[h2d], 4 * US);
}
END_TEST

/* Nodes of zero duration take and give within an instant, one round after the other. */
START_TEST(zero_duration_nodes)
{
    uint32_t r = lab_resource(&lab, "r", 1);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", NULL, r), b = lab_node(&lab, "b", NULL, r),
             c = lab_node(&lab, "c", "1us", r);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ENDS(a, 0);
    STARTS(b, 0);
    CAUSE(b, SL_CAUSE_NONE, SL_NONE);
    STARTS(c, 0);
    ck_assert_int_eq(t->makespan_ps, US);
}
END_TEST

START_TEST(forbidden_overlap_waits)
{
    uint32_t r = lab_resource(&lab, "r", SL_UNLIMITED);
    lab_class(&lab, "gemm");
    lab_class(&lab, "alloc");
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "3us", r), b = lab_node(&lab, "b", "1us", r);
    LAB_NODE(&lab, a).klass = 0;
    LAB_NODE(&lab, b).klass = 1;
    struct sl_overlap row = {.a = "alloc", .b = "gemm"};
    ck_assert(sl_grow((void **)&lab.graph->overlaps, &lab.graph->overlap_capacity, 1, sizeof row));
    lab.graph->overlaps[lab.graph->overlap_count++] = row;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, 3);
    CAUSE(b, SL_CAUSE_OVERLAP, a);
}
END_TEST

/* Latest start 10 - 4 = 6: unstarted by then, the copy is given up and recomputation runs. */
START_TEST(latest_start_calls_the_fallback)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 1), gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    uint32_t busy = lab_node(&lab, "busy", "9us", h2d), copy = lab_node(&lab, "copy", "4us", h2d),
             remat = lab_node(&lab, "remat", "2us", gpu), use = lab_node(&lab, "use", "1us", gpu);
    lab_edge(&lab, copy, use);
    LAB_NODE(&lab, copy).deadline_ps = 10 * US;
    LAB_NODE(&lab, copy).fallback.i = remat;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ENDS(busy, 9);
    ck_assert_uint_eq(t->state[copy], SL_CANCELLED);
    ck_assert_int_eq(t->start_ps[copy], -1);
    STARTS(remat, 6);
    STARTS(use, 8);
    CAUSE(use, SL_CAUSE_DATA, remat);
}
END_TEST

START_TEST(fallback_not_needed_is_skipped)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 1), gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    uint32_t copy = lab_node(&lab, "copy", "4us", h2d), remat = lab_node(&lab, "remat", "2us", gpu),
             use = lab_node(&lab, "use", "1us", gpu);
    lab_edge(&lab, copy, use);
    LAB_NODE(&lab, copy).deadline_ps = 10 * US;
    LAB_NODE(&lab, copy).fallback.i = remat;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_uint_eq(t->state[remat], SL_SKIPPED);
    ck_assert_int_eq(t->makespan_ps, 5 * US);
    STARTS(use, 4);
}
END_TEST

/* Reserved = allocated x draw, capacity binds on reserved: 1 GiB x 1.5 fits once into 2 GiB. */
START_TEST(fragmentation_binds)
{
    uint32_t r = lab_resource(&lab, "r", 2), hbm = lab_domain(&lab, "hbm", 2 * GIB);
    lab.domains[hbm].fragmentation = lab_dist(&lab, "1.5", SL_DIST_NUMBER);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "1us", r), b = lab_node(&lab, "b", "1us", r);
    lab_workspace(&lab, a, hbm, GIB);
    lab_workspace(&lab, b, hbm, GIB);
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    STARTS(b, 1);
    ck_assert_int_eq(t->peak_bytes[hbm], GIB + GIB / 2);
}
END_TEST

/* Faults of a graph are refused with a reason, not run. */
START_TEST(what_cannot_run_is_refused)
{
    uint32_t hbm = lab_domain(&lab, "hbm", GIB);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "1us", SL_NONE);
    (void)lab_holding(&lab, SL_HOLD_OBJECT, hbm, 2 * GIB, true);
    struct sl_program *program;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_program_create(&program, lab.graph, NULL, &err), SL_USAGE);
    ck_assert_int_eq(sl_graph_finish(lab.graph, NULL), SL_OK);
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_program_create(&program, lab.graph, NULL, &err), SL_NO);
    ck_assert_msg(strstr(err.message, "hbm") != NULL, "%s", err.message);
    ck_assert_ptr_null(program);
}
END_TEST

START_TEST(durations_that_overflow_are_refused)
{
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "1h", SL_NONE);
    LAB_NODE(&lab, a).scale = 1e9;
    ck_assert_int_eq(sl_graph_finish(lab.graph, NULL), SL_OK);
    struct sl_program *program;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_program_create(&program, lab.graph, NULL, &err), SL_INVALID);
}
END_TEST

/* `copy` is cancelled at 6 = 10 - 4 and calls `other`, whose guard fails and whose latest start is
 * past: that is cancelled at once, and counts once.  `never` demands two units of one. */
START_TEST(a_fallback_called_too_late_is_done_once)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 1);
    lab_graph(&lab);
    struct sl_guard guard = {.name = "no", .probability = 0, .scope = SL_SCOPE_JOB};
    ck_assert(sl_grow((void **)&lab.graph->guards, &lab.graph->guard_capacity, 1, sizeof guard));
    lab.graph->guards[lab.graph->guard_count++] = guard;
    (void)lab_node(&lab, "busy", "9us", h2d);
    uint32_t copy = lab_node(&lab, "copy", "4us", h2d), other = lab_node(&lab, "other", "1us", h2d),
             last = lab_node(&lab, "last", "1us", SL_NONE),
             never = lab_node(&lab, "never", NULL, h2d);
    LAB_NODE(&lab, copy).deadline_ps = 10 * US;
    LAB_NODE(&lab, copy).fallback.i = other;
    LAB_NODE(&lab, other).deadline_ps = 5 * US;
    lab_guard(&lab, other, 0, false);
    LAB_NODE(&lab, other).fallback.i = last;
    lab.graph->demands[LAB_NODE(&lab, never).demands.first].units = 2;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_uint_eq(t->state[copy], SL_CANCELLED);
    ck_assert_uint_eq(t->state[other], SL_CANCELLED);
    ck_assert_int_eq(t->cause[other], SL_CAUSE_RELEASE);
    STARTS(last, 6);
    ck_assert_int_eq(t->outcome, SL_DEADLOCK);
}
END_TEST

/* It is ready in the very round that cancels it, and demands nothing that it could wait for. */
START_TEST(a_fallback_without_demands_called_too_late_does_not_run)
{
    uint32_t h2d = lab_resource(&lab, "h2d", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "busy", "9us", h2d);
    uint32_t copy = lab_node(&lab, "copy", "4us", h2d),
             other = lab_node(&lab, "other", "1us", SL_NONE),
             last = lab_node(&lab, "last", "1us", h2d);
    LAB_NODE(&lab, copy).deadline_ps = 10 * US;
    LAB_NODE(&lab, copy).fallback.i = other;
    LAB_NODE(&lab, other).deadline_ps = 5 * US;
    LAB_NODE(&lab, other).fallback.i = last;
    const struct sl_trial *t = lab_run(&lab, 1, 0);
    ck_assert_uint_eq(t->state[other], SL_CANCELLED);
    ck_assert_int_eq(t->start_ps[other], -1);
    STARTS(last, 9);
    ck_assert_int_eq(t->makespan_ps, 10 * US);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("engine");
    TCase *c = tcase_create("rules");
    tcase_add_checked_fixture(c, open_lab, close_lab);
    tcase_add_test(c, fifo_on_one_server);
    tcase_add_test(c, order_fifo);
    tcase_add_test(c, order_priority);
    tcase_add_test(c, order_edf);
    tcase_add_test(c, order_sjf);
    tcase_add_test(c, order_critical_path);
    tcase_add_test(c, aging_raises_priority);
    tcase_add_test(c, backfill_passes_and_counts);
    tcase_add_test(c, strict_blocks);
    tcase_add_test(c, both_resources_at_once);
    tcase_add_test(c, capacity_waits_for_the_release);
    tcase_add_test(c, lags_releases_and_lanes);
    tcase_add_test(c, ties_of_conditions);
    tcase_add_test(c, issue_order_blocks_the_engine);
    tcase_add_test(c, issue_order_passes_the_reason_on);
    tcase_add_test(c, latency_holds_no_engine);
    tcase_add_test(c, zero_duration_nodes);
    tcase_add_test(c, forbidden_overlap_waits);
    tcase_add_test(c, a_fallback_called_too_late_is_done_once);
    tcase_add_test(c, a_fallback_without_demands_called_too_late_does_not_run);
    tcase_add_test(c, latest_start_calls_the_fallback);
    tcase_add_test(c, fallback_not_needed_is_skipped);
    tcase_add_test(c, fragmentation_binds);
    tcase_add_test(c, what_cannot_run_is_refused);
    tcase_add_test(c, durations_that_overflow_are_refused);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
