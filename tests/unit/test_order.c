/* The order search and what it inserts: instances worked out by hand, the best of all lists on
 * small random ones, and runs of the engine that must follow the schedule. */
#include <config.h>

#include "dice.h"
#include "lab.h"
#include "order_insert.h"
#include "order_search.h"

static const unsigned all_forms[] = {SL_ORDER_EDGES,
                                     SL_ORDER_DELAYS,
                                     SL_ORDER_EDGES | SL_ORDER_DELAYS,
                                     SL_ORDER_CLOCK,
                                     SL_ORDER_EDGES | SL_ORDER_CLOCK,
                                     SL_ORDER_EDGES | SL_ORDER_PRIORITIES};
enum { FORMS = sizeof all_forms / sizeof *all_forms };

static struct sl_order_schedule search(struct lab *lab, uint32_t schedules, uint64_t seed)
{
    struct sl_order_options options = {.schedules = schedules, .seed = seed};
    struct sl_order_schedule order;
    if (!lab->graph->finished)
        LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
    LAB_OK(lab, sl_order_search(&order, lab->graph, &options, &lab->err));
    return order;
}

static struct sl_order_times times_of(const struct sl_order_schedule *order)
{
    return (struct sl_order_times){order->start_ps, order->free_ps, order->finish_ps};
}

/* The plan that follows the order; the caller frees it. */
static struct sl_plan insert(struct lab *lab, const struct sl_order_times *times, unsigned what)
{
    struct sl_plan plan = {.graph = lab->graph, .engine = lab->options}, ordered;
    LAB_OK(lab, sl_order_insert(&ordered, &plan, times, what, &lab->err));
    return ordered;
}

struct run {
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *trial;
};

static struct run run_plan(struct lab *lab, const struct sl_plan *plan, uint32_t trial)
{
    struct run run;
    LAB_OK(lab, sl_program_create(&run.program, plan->graph, &plan->engine, &lab->err));
    LAB_OK(lab, sl_worker_create(&run.worker, run.program, &lab->err));
    LAB_OK(lab, sl_worker_run(run.worker, 1, trial, 0, &run.trial, &lab->err));
    return run;
}

static void end_run(struct run *run)
{
    sl_worker_free(run->worker);
    sl_program_free(run->program);
}

static int64_t makespan_with(struct lab *lab, const struct sl_order_schedule *order, unsigned what)
{
    struct sl_order_times times = times_of(order);
    struct sl_plan ordered = insert(lab, &times, what);
    struct run run = run_plan(lab, &ordered, 0);
    int64_t makespan = run.trial->makespan_ps;
    end_run(&run);
    sl_plan_free(&ordered);
    return makespan;
}

/* ---- by hand -------------------------------------------------------------------------------- */

/* One server.  `bulk` (10us) is there at 0, `urgent` (1us) at 1us, and a tail of 20us elsewhere
 * waits for it.  Whatever can start does, so that without a delay bulk runs over [0, 10), urgent
 * over [10, 11) and the tail ends at 31.  Left idle for 1us, urgent runs over [1, 2), bulk over
 * [2, 12) and the tail ends at 22us, which is its path: 1 + 1 + 20. */
static void open_delay(struct lab *lab)
{
    lab_open(lab);
    uint32_t gpu = lab_resource(lab, "gpu", 1), link = lab_resource(lab, "link", 1);
    lab_graph(lab);
    lab_node(lab, "bulk", "10us", gpu);
    uint32_t urgent = lab_node(lab, "urgent", "1us", gpu);
    uint32_t tail = lab_node(lab, "tail", "20us", link);
    LAB_NODE(lab, urgent).release_ps = 1 * US;
    lab_edge(lab, urgent, tail);
}

START_TEST(a_delayed_start_is_found_and_followed)
{
    struct lab lab;
    open_delay(&lab);
    ck_assert_int_eq(lab_run(&lab, 1, 0)->makespan_ps, 31 * US);
    struct sl_order_schedule order = search(&lab, 100, 1);
    ck_assert_int_eq(order.makespan_ps, 22 * US);
    ck_assert_int_eq(order.bound_ps, 22 * US);
    ck_assert_int_eq(order.tardiness_ps, 0);
    ck_assert_uint_lt(order.schedules, 100); /* the bound is reached */
    for (int f = 0; f < FORMS; f++)
        ck_assert_int_eq(makespan_with(&lab, &order, all_forms[f]), 22 * US);
    ck_assert_int_eq(makespan_with(&lab, &order, SL_ORDER_PRIORITIES),
                     31 * US); /* priorities delay nothing */
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

START_TEST(what_is_inserted_is_listed)
{
    struct lab lab;
    open_delay(&lab);
    struct sl_order_schedule order = search(&lab, 100, 1);
    struct sl_order_times times = times_of(&order);
    struct sl_plan ordered = insert(&lab, &times, SL_ORDER_EDGES | SL_ORDER_PRIORITIES);
    ck_assert_uint_eq(ordered.edit_count, 2);
    ck_assert_int_eq(ordered.edits[0].what, SL_EDIT_SET_PRIORITY);
    ck_assert_int_eq(ordered.edits[1].what, SL_EDIT_ADD_EDGE);
    ck_assert_str_eq(ordered.edits[1].text, "ordering edge from urgent to bulk");
    ck_assert_str_eq(ordered.edits[1].reason, "order: takes over units of gpu from urgent");
    ck_assert_uint_eq(ordered.graph->edge_count, 2);
    ck_assert_int_eq(ordered.graph->edges[1].type, SL_EDGE_ORDERING);
    sl_plan_free(&ordered);
    ordered = insert(&lab, &times, SL_ORDER_DELAYS); /* urgent's own release is there already */
    ck_assert_uint_eq(ordered.edit_count, 1);
    ck_assert_int_eq(ordered.edits[0].what, SL_EDIT_SET_RELEASE);
    ck_assert_str_eq(ordered.edits[0].reason, "order: delayed beyond its readiness");
    ck_assert_int_eq(ordered.graph->nodes[0].release_ps, 2 * US);
    ck_assert_int_eq(lab.graph->nodes[0].release_ps, 0); /* the given plan stays as it is */
    sl_plan_free(&ordered);
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

/* 3 GiB.  `keep` (1us) takes 2 GiB that `drop` gives back once `use` (4us, behind keep) is done;
 * `big` (10us) has a workspace of 2 GiB.  keep first: [0, 1) and [1, 5), big over [5, 15).  big
 * first: [0, 10), keep over [10, 11), use until 15, and a tail of 8us behind use ends at 23; keep
 * first it ends at 13, and all at 15us. */
START_TEST(bytes_are_handed_on)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t hbm = lab_domain(&lab, "hbm", 3 * GIB);
    lab_graph(&lab);
    uint32_t big = lab_node(&lab, "big", "10us", SL_NONE);
    uint32_t keep = lab_node(&lab, "keep", "1us", SL_NONE);
    uint32_t use = lab_node(&lab, "use", "4us", SL_NONE);
    uint32_t drop = lab_node(&lab, "drop", NULL, SL_NONE);
    uint32_t tail = lab_node(&lab, "tail", "8us", SL_NONE);
    lab_workspace(&lab, big, hbm, 2 * GIB);
    uint32_t held = lab_holding(&lab, SL_HOLD_OBJECT, hbm, 2 * GIB, false);
    lab_takes(&lab, keep, held);
    lab_gives(&lab, drop, held);
    lab_edge(&lab, keep, use);
    lab_edge(&lab, use, drop);
    lab_edge(&lab, use, tail);
    ck_assert_int_eq(lab_run(&lab, 1, 0)->makespan_ps, 23 * US);
    struct sl_order_schedule order = search(&lab, 200, 1);
    ck_assert_int_eq(order.makespan_ps, 15 * US);
    ck_assert_int_eq(order.start_ps[big], 5 * US);
    ck_assert_int_eq(order.start_ps[keep], 0);
    for (int f = 0; f < FORMS; f++)
        ck_assert_int_eq(makespan_with(&lab, &order, all_forms[f]), 15 * US);
    struct sl_order_times times = times_of(&order);
    struct sl_plan ordered = insert(&lab, &times, SL_ORDER_EDGES);
    ck_assert_uint_eq(ordered.edit_count, 1);
    ck_assert_str_eq(ordered.edits[0].text, "ordering edge from drop to big");
    ck_assert_str_eq(ordered.edits[0].reason, "order: takes bytes of hbm that drop gives back");
    sl_plan_free(&ordered);
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

/* One server.  `first` (3us, then a tail of 10us elsewhere) and `due` (2us, due at 2us).  first
 * first: 13us, but due ends at 5us, 3us late.  due first: in time, and all ends at 15us. */
START_TEST(deadlines_come_before_the_makespan)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    uint32_t first = lab_node(&lab, "first", "3us", gpu);
    uint32_t due = lab_node(&lab, "due", "2us", gpu);
    lab_edge(&lab, first, lab_node(&lab, "tail", "10us", SL_NONE));
    struct sl_order_schedule order = search(&lab, 50, 1);
    ck_assert_int_eq(order.makespan_ps, 13 * US);
    sl_order_schedule_free(&order);
    LAB_NODE(&lab, due).deadline_ps = 2 * US;
    order = search(&lab, 50, 1);
    ck_assert_int_eq(order.tardiness_ps, 0);
    ck_assert_int_eq(order.makespan_ps, 15 * US);
    sl_order_schedule_free(&order);
    LAB_NODE(&lab, due).deadline_ps = 1 * US; /* cannot be met: late by 1us at least */
    order = search(&lab, 50, 1);
    ck_assert_int_eq(order.tardiness_ps, 1 * US);
    ck_assert_uint_eq(order.schedules, 50);
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

/* A link of one server is free again 4us into a copy, which arrives 6us later: two copies take
 * 4 + 4 + 6 = 14us, and no edge may make the second wait for the first one's arrival. */
START_TEST(pipelined_latency_holds_no_units)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t link = lab_resource(&lab, "link", 1);
    lab_graph(&lab);
    for (int i = 0; i < 2; i++) {
        uint32_t copy = lab_node(&lab, i ? "second" : "first", "4us", link);
        LAB_NODE(&lab, copy).latency_scale = 1.5;
    }
    struct sl_order_schedule order = search(&lab, 50, 1);
    ck_assert_int_eq(order.makespan_ps, 14 * US);
    for (int f = 0; f < FORMS; f++)
        ck_assert_int_eq(makespan_with(&lab, &order, all_forms[f]), 14 * US);
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

/* A link of one server in order of submission: `late` (1us, behind a kernel of 5us) before `early`
 * (2us, then a kernel of 10us).  In that order early runs over [6, 8) and all ends at 18us; early
 * first, it ends at 12us, which takes another waiting order. */
START_TEST(issue_order_is_kept_where_it_has_to_be)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t link = lab_resource(&lab, "link", 1);
    lab.resources[link].order = SL_ORDER_ISSUE;
    lab_graph(&lab);
    uint32_t late = lab_node(&lab, "late", "1us", link);
    uint32_t early = lab_node(&lab, "early", "2us", link);
    lab_edge(&lab, lab_node(&lab, "before", "5us", SL_NONE), late);
    lab_edge(&lab, early, lab_node(&lab, "after", "10us", SL_NONE));
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    struct sl_order_options options = {.schedules = 50, .keep_issue = true};
    struct sl_order_schedule order;
    LAB_OK(&lab, sl_order_search(&order, lab.graph, &options, &lab.err));
    ck_assert_int_eq(order.makespan_ps, 18 * US);
    ck_assert_int_eq(order.bound_ps, 18 * US);
    struct sl_order_times times = times_of(&order);
    struct sl_plan ordered = insert(&lab, &times, SL_ORDER_EDGES);
    ck_assert_uint_eq(ordered.edit_count, 0); /* the engine keeps that order by itself */
    sl_plan_free(&ordered);
    ck_assert_int_eq(makespan_with(&lab, &order, SL_ORDER_EDGES | SL_ORDER_DELAYS), 18 * US);
    sl_order_schedule_free(&order);
    order = search(&lab, 50, 1);
    ck_assert_int_eq(order.makespan_ps, 12 * US);
    ck_assert_int_eq(makespan_with(&lab, &order, SL_ORDER_EDGES | SL_ORDER_PRIORITIES), 12 * US);
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

START_TEST(bytes_that_never_fit_are_told)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t hbm = lab_domain(&lab, "hbm", 1 * GIB);
    lab_graph(&lab);
    lab_workspace(&lab, lab_node(&lab, "big", "1us", SL_NONE), hbm, 2 * GIB);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    struct sl_order_options options = {.schedules = 20};
    struct sl_order_schedule order;
    ck_assert_int_eq(sl_order_search(&order, lab.graph, &options, &lab.err), SL_NO);
    ck_assert_str_eq(lab.err.message, "no order was met in which the bytes fit");
    sl_order_schedule_free(&order);
    lab_close(&lab);
}
END_TEST

/* ---- random instances ------------------------------------------------------------------------ */

enum { NODES = 7, INSTANCES = 60, HORIZON = 200 };

struct instance {
    int duration[NODES], units[NODES], bytes[NODES], release[NODES];
    bool before[NODES][NODES]; /* before[i][j] only for i < j */
    int servers, capacity;
};

static struct instance draw_instance(struct dice *dice)
{
    struct instance x = {.servers = 3, .capacity = 4};
    for (int j = 0; j < NODES; j++) {
        x.duration[j] = 1 + (int)dice_below(dice, 9);
        x.units[j] = 1 + (int)dice_below(dice, 3);
        x.bytes[j] = (int)dice_below(dice, 4);
        x.release[j] = dice_chance(dice, 30) ? (int)dice_below(dice, 8) : 0;
        for (int i = 0; i < j; i++)
            x.before[i][j] = dice_chance(dice, 20);
    }
    return x;
}

static void open_instance(struct lab *lab, const struct instance *x, const char *shape)
{
    lab_open(lab);
    uint32_t gpu = lab_resource(lab, "gpu", (uint32_t)x->servers);
    uint32_t hbm = lab_domain(lab, "hbm", x->capacity * GIB);
    lab_graph(lab);
    for (int j = 0; j < NODES; j++) {
        char name[16], duration[64];
        snprintf(name, sizeof name, "n%d", j);
        snprintf(duration, sizeof duration, shape, x->duration[j]);
        uint32_t node = lab_node(lab, name, duration, SL_NONE);
        lab_demand(lab, node, gpu, (uint32_t)x->units[j]);
        if (x->bytes[j] > 0)
            lab_workspace(lab, node, hbm, x->bytes[j] * GIB);
        LAB_NODE(lab, node).release_ps = x->release[j] * US;
        for (int i = 0; i < j; i++)
            if (x->before[i][j])
                lab_edge(lab, (uint32_t)i, node);
    }
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
}

/* The end of the schedule of a list, whole us by whole us. */
static int list_makespan(const struct instance *x, const int *list)
{
    int units[HORIZON] = {0}, bytes[HORIZON] = {0}, finish[NODES] = {0}, end = 0;
    for (int k = 0; k < NODES; k++) {
        int j = list[k], start = x->release[j];
        for (int i = 0; i < j; i++)
            if (x->before[i][j] && finish[i] > start)
                start = finish[i];
        for (int t = start; t < start + x->duration[j]; t++)
            if (units[t] + x->units[j] > x->servers || bytes[t] + x->bytes[j] > x->capacity)
                start = t + 1;
        for (int t = start; t < start + x->duration[j]; t++) {
            units[t] += x->units[j];
            bytes[t] += x->bytes[j];
        }
        finish[j] = start + x->duration[j];
        end = finish[j] > end ? finish[j] : end;
    }
    return end;
}

/* The least over all lists that keep precedence: some list gives a shortest schedule. */
static int best_of_lists(const struct instance *x, int *list, bool *taken, int count)
{
    if (count == NODES)
        return list_makespan(x, list);
    int best = HORIZON;
    for (int j = 0; j < NODES; j++) {
        bool waits = taken[j];
        for (int i = 0; i < j; i++)
            waits |= x->before[i][j] && !taken[i];
        if (waits)
            continue;
        taken[j] = true;
        list[count] = j;
        int end = best_of_lists(x, list, taken, count + 1);
        best = end < best ? end : best;
        taken[j] = false;
    }
    return best;
}

START_TEST(small_instances_are_solved)
{
    struct dice dice = {.state = 1};
    for (int k = 0; k < INSTANCES; k++) {
        struct instance x = draw_instance(&dice);
        struct lab lab;
        open_instance(&lab, &x, "%dus");
        int list[NODES];
        bool taken[NODES] = {false};
        int64_t optimum = best_of_lists(&x, list, taken, 0) * US;
        struct sl_order_schedule order = search(&lab, 500, 1);
        if (order.makespan_ps != optimum || order.bound_ps > optimum)
            ck_abort_msg("instance %d: %lld, bound %lld, optimum %lld", k,
                         (long long)order.makespan_ps, (long long)order.bound_ps,
                         (long long)optimum);
        for (int f = 0; f < FORMS; f++)
            if (makespan_with(&lab, &order, all_forms[f]) != optimum)
                ck_abort_msg("instance %d: the run with form %u differs", k, all_forms[f]);
        sl_order_schedule_free(&order);
        lab_close(&lab);
    }
}
END_TEST

/* With edges the order is that of the schedule on any durations: no node waits for units or bytes.
 */
START_TEST(edges_leave_nothing_to_wait_for)
{
    struct dice dice = {.state = 2};
    for (int k = 0; k < INSTANCES; k++) {
        struct instance x = draw_instance(&dice);
        struct lab lab;
        open_instance(&lab, &x, "lognormal(mean=%dus, cv=0.7)");
        struct sl_order_schedule order = search(&lab, 200, 1);
        struct sl_order_times times = times_of(&order);
        struct sl_plan ordered = insert(&lab, &times, SL_ORDER_EDGES);
        for (uint32_t trial = 0; trial < 5; trial++) {
            struct run run = run_plan(&lab, &ordered, trial);
            if (run.trial->outcome != SL_DONE)
                ck_abort_msg("instance %d deadlocks", k);
            for (uint32_t i = 0; i < NODES; i++)
                if (run.trial->start_ps[i] != run.trial->ready_ps[i])
                    ck_abort_msg("instance %d, trial %u: n%u waits", k, trial, i);
            end_run(&run);
        }
        sl_plan_free(&ordered);
        sl_order_schedule_free(&order);
        lab_close(&lab);
    }
}
END_TEST

static bool stop_at_once(void *user, uint32_t schedules, int64_t makespan_ps)
{
    *(int64_t *)user = makespan_ps;
    (void)schedules;
    return false;
}

/* 40 nodes of 1 to 9us that take two of three servers each, so that none run together and nothing
 * reaches the bound, which is two thirds of their sum. */
START_TEST(same_seed_same_order_and_the_budget_holds)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 3);
    lab_graph(&lab);
    struct dice dice = {.state = 3};
    for (int j = 0; j < 40; j++) {
        char name[16], duration[16];
        snprintf(name, sizeof name, "n%d", j);
        snprintf(duration, sizeof duration, "%uus", 1 + dice_below(&dice, 9));
        lab_demand(&lab, lab_node(&lab, name, duration, SL_NONE), gpu, 2);
    }
    struct sl_order_schedule a = search(&lab, 300, 7), b = search(&lab, 300, 7);
    ck_assert_int_eq(a.makespan_ps, b.makespan_ps);
    ck_assert_uint_eq(a.schedules, b.schedules);
    ck_assert_mem_eq(a.start_ps, b.start_ps, 40 * sizeof *a.start_ps);
    ck_assert_uint_le(a.schedules, 300);
    struct sl_order_schedule one = search(&lab, 1, 7);
    ck_assert_uint_eq(one.schedules, 1);
    ck_assert_int_ge(one.makespan_ps, a.makespan_ps);
    int64_t told = 0;
    struct sl_order_options options = {
        .schedules = 100000, .progress = stop_at_once, .user = &told, .start_ps = one.start_ps};
    struct sl_order_schedule stopped;
    LAB_OK(&lab, sl_order_search(&stopped, lab.graph, &options, &lab.err));
    ck_assert_uint_lt(stopped.schedules, 1000);
    ck_assert_int_eq(stopped.makespan_ps, told);
    ck_assert_int_le(stopped.makespan_ps, one.makespan_ps); /* it began with that one */
    sl_order_schedule_free(&stopped);
    sl_order_schedule_free(&one);
    sl_order_schedule_free(&a);
    sl_order_schedule_free(&b);
    lab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order");
    TCase *hand = tcase_create("by hand");
    tcase_add_test(hand, a_delayed_start_is_found_and_followed);
    tcase_add_test(hand, what_is_inserted_is_listed);
    tcase_add_test(hand, bytes_are_handed_on);
    tcase_add_test(hand, deadlines_come_before_the_makespan);
    tcase_add_test(hand, pipelined_latency_holds_no_units);
    tcase_add_test(hand, issue_order_is_kept_where_it_has_to_be);
    tcase_add_test(hand, bytes_that_never_fit_are_told);
    suite_add_tcase(suite, hand);
    TCase *random = tcase_create("random");
    tcase_set_timeout(random, 60);
    tcase_add_test(random, small_instances_are_solved);
    tcase_add_test(random, edges_leave_nothing_to_wait_for);
    tcase_add_test(random, same_seed_same_order_and_the_budget_holds);
    suite_add_tcase(suite, random);
    return sl_test_run(suite);
}
