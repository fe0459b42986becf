/* Plans whose order is fixed: trials side by side give the records that the loop over events gives,
 * field by field, on every vector target of this machine; and only such plans are taken for fixed.
 */
#include <config.h>

#include "batch.h"
#include "dice.h"
#include "isa.h"
#include "lab.h"

enum {
    PARTS = 2,
    PLANS = 120, /* in each part */
    MOST_NODES = 50,
    TRIALS = 21
};

/* ---- the comparison ----------------------------------------------------------------------------
 */

struct check {
    struct lab *lab;
    struct sl_worker *events;
    const char *what;
    uint64_t seed, plan;
    uint32_t next, deadlocks, waits; /* waits: trials in which bytes were short */
};

#define SAME(field, count)                                                                         \
    ck_assert_msg(memcmp(found->field, wanted->field, (count) * sizeof *found->field) == 0,        \
                  "plan %llu, %s, trial %u: %s differs", (unsigned long long)check->plan,          \
                  check->what, found->trial, #field)
#define EQUAL(field)                                                                               \
    ck_assert_msg(found->field == wanted->field, "plan %llu, %s, trial %u: %s differs",            \
                  (unsigned long long)check->plan, check->what, found->trial, #field)

static const struct sl_trial *by_events(struct check *check, uint32_t trial)
{
    const struct sl_trial *record;
    LAB_OK(check->lab, sl_worker_run(check->events, check->seed, trial, SL_GENERAL_LOOP, &record,
                                     &check->lab->err));
    return record;
}

static enum sl_status compare(void *state, const struct sl_trial *found, struct sl_error *err)
{
    struct check *check = state;
    const struct sl_trial *wanted = by_events(check, found->trial);
    const struct sl_platform *platform = &check->lab->platform;
    size_t n = check->lab->graph->node_count, classes = platform->kappa.classes.count;
    (void)err;
    ck_assert_uint_eq(found->trial, 7 + 2 * check->next++);
    bool waited = false;
    for (size_t i = 0; i < n; i++)
        waited |= wanted->start_ps[i] > wanted->ready_ps[i];
    check->waits += waited;
    check->deadlocks += wanted->outcome == SL_DEADLOCK;
    EQUAL(outcome);
    EQUAL(makespan_ps);
    EQUAL(run_count);
    EQUAL(bypasses);
    EQUAL(all_ran);
    EQUAL(hypothetical);
    EQUAL(livelock);
    EQUAL(step_count);
    ck_assert_ptr_null(found->run_node);
    ck_assert_ptr_null(found->copies);
    ck_assert_ptr_null(found->guard_holds);
    SAME(ready_ps, n);
    SAME(start_ps, n);
    SAME(finish_ps, n);
    SAME(free_ps, n);
    SAME(duration_ps, n);
    SAME(state, n);
    SAME(cause, n);
    SAME(behind, n);
    SAME(behind_run, n);
    SAME(behind_by_free, n);
    SAME(lag_ps, n);
    SAME(bypassed, n);
    SAME(peak_bytes, platform->domain_names.count);
    SAME(pressure_byte_s, platform->domain_names.count);
    SAME(staging_byte_s, platform->domain_names.count);
    SAME(busy_ps, platform->resource_names.count);
    SAME(overlap_ps, classes * classes);
    SAME(class_busy_ps, classes);
    return SL_OK;
}

static enum sl_status compare_makespan(void *state, const struct sl_trial *found,
                                       struct sl_error *err)
{
    struct check *check = state;
    const struct sl_trial *wanted = by_events(check, found->trial);
    (void)err;
    ck_assert_uint_eq(found->trial, 7 + 2 * check->next++);
    EQUAL(outcome);
    EQUAL(makespan_ps);
    return SL_OK;
}

/* Every other trial from 7 on; the last batch has fewer than there is room for. */
static struct check check_plan(struct lab *lab, uint64_t plan)
{
    uint32_t trials[TRIALS], done;
    for (uint32_t k = 0; k < TRIALS; k++)
        trials[k] = 7 + 2 * k;
    struct check check = {.lab = lab, .seed = plan, .plan = plan};
    LAB_OK(lab, sl_worker_create(&check.events, lab->program, &lab->err));
    for (int isa = 0; isa < SL_ISAS; isa++) {
        if (!sl_isa_available((enum sl_isa)isa))
            continue; /* test_isa says so */
        sl_isa_force((enum sl_isa)isa);
        check.what = sl_isa_name((enum sl_isa)isa);
        check.next = check.deadlocks = check.waits = 0;
        LAB_OK(lab, sl_worker_run_all(lab->worker, plan, trials, TRIALS, 0, compare, &check, &done,
                                      &lab->err));
        ck_assert_uint_eq(done, TRIALS);
        ck_assert_uint_eq(check.next, TRIALS);
        check.next = 0;
        LAB_OK(lab, sl_worker_run_all(lab->worker, plan, trials, TRIALS, SL_ONLY_MAKESPAN,
                                      compare_makespan, &check, &done, &lab->err));
        ck_assert_uint_eq(check.next, TRIALS);
    }
    sl_worker_free(check.events);
    return check;
}

/* ---- random plans ------------------------------------------------------------------------------
 */

struct made {
    bool bytes, tight, scattered, latency, several;
    bool one_by_one; /* the users of the wide resource; else it has a server for each */
    bool chained;    /* all nodes are in lanes, and classes keep to one, ... */
    bool doubled;    /* ... two in each */
};

static const char *random_duration(struct dice *dice)
{
    static const char *const durations[] = {"0us",
                                            "1us",
                                            "2us",
                                            "3us",
                                            "uniform(low=0us, high=3us)",
                                            "lognormal(median=2us, sigma=0.5)",
                                            "exponential(mean=1us)"};
    return durations[dice_below(dice, sizeof durations / sizeof *durations)];
}

/* A few single servers with a lane each, of any order, then one with more servers and one without
 * limit. */
static uint32_t add_resources(struct lab *lab, struct dice *dice, bool one_by_one)
{
    static const enum sl_order orders[] = {SL_ORDER_FIFO, SL_ORDER_PRIORITY, SL_ORDER_CRITICAL_PATH,
                                           SL_ORDER_ISSUE};
    static const char *const names[] = {"s0", "s1", "s2", "s3"};
    uint32_t singles = 1 + dice_below(dice, 4);
    for (uint32_t r = 0; r < singles; r++) {
        (void)lab_resource(lab, names[r], 1);
        lab->resources[r].order = orders[dice_below(dice, 4)];
        lab->resources[r].admission = dice_chance(dice, 30) ? SL_STRICT : SL_BACKFILL;
    }
    (void)lab_resource(lab, "wide", one_by_one ? 3 : MOST_NODES);
    (void)lab_resource(lab, "free", SL_UNLIMITED);
    return singles;
}

static void add_edges(struct lab *lab, struct dice *dice, uint32_t node)
{
    uint32_t count = node ? dice_below(dice, 4) : 0;
    for (uint32_t k = 0; k < count; k++) {
        int64_t lag = dice_chance(dice, 25) ? (int64_t)dice_below(dice, 3) * US : 0;
        lab_edge_typed(lab, dice_below(dice, node), node,
                       (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES), lag);
    }
}

/* Bytes that a node takes, for itself or until a later node, which may come to nothing. */
static void add_bytes(struct lab *lab, struct dice *dice, uint32_t node, uint32_t *givers)
{
    if (dice_chance(dice, 40))
        lab_workspace(lab, node, dice_below(dice, 2), 1 + dice_below(dice, 4));
    if (dice_chance(dice, 40)) {
        uint32_t holding =
            lab_holding(lab, dice_chance(dice, 30) ? SL_HOLD_STAGING : SL_HOLD_OBJECT,
                        dice_below(dice, 2), 1 + dice_below(dice, 4), dice_chance(dice, 10));
        lab_takes(lab, node, holding);
        givers[holding] = node + dice_below(dice, 6);
    }
}

static void add_node(struct lab *lab, struct dice *dice, uint32_t singles, const struct made *made,
                     uint32_t *last)
{
    static const char *const lanes[] = {"l0", "l1", "l2", "l3"};
    char name[16];
    uint32_t r = dice_below(dice, made->chained ? singles : singles + 2);
    uint32_t number = lab->graph->node_count;
    snprintf(name, sizeof name, "n%u", number);
    const char *duration = dice_chance(dice, 5) ? NULL : random_duration(dice);
    bool free = dice_chance(dice, 5) && !made->chained;
    uint32_t node = lab_node(lab, name, duration, free ? SL_NONE : r);
    struct sl_node *n = &LAB_NODE(lab, node);
    if (r < singles) /* in a lane even where it demands nothing */
        n->lane = sl_names_add(&lab->graph->lane_names, lanes[r]);
    n->klass = made->scattered ? dice_below(dice, 4) : r;
    if (made->doubled && dice_chance(dice, 50))
        n->klass += 6;
    n->priority = dice_below(dice, 3);
    if (dice_chance(dice, 10))
        n->release_ps = (int64_t)dice_below(dice, 10) * US;
    if (made->latency && dice_chance(dice, 30))
        n->latency_scale = 0.5;
    if (made->several && r < singles && dice_chance(dice, 30) && n->demands.count)
        lab_demand(lab, node, singles + 1, 2);
    add_edges(lab, dice, node);
    if (r == singles && made->one_by_one && *last != SL_NONE)
        lab_edge(lab, *last, node);
    if (r == singles && LAB_NODE(lab, node).demands.count)
        *last = node;
}

/* A plan that is fixed by its making. */
static void make_plan(struct lab *lab, struct dice *dice, struct made *made)
{
    static const char *const classes[] = {"c0", "c1", "c2", "c3", "c4", "c5",
                                          "d0", "d1", "d2", "d3", "d4", "d5"};
    uint32_t last = SL_NONE, givers[MOST_NODES];
    *made = (struct made){.bytes = dice_chance(dice, 60),
                          .tight = dice_chance(dice, 60),
                          .scattered = dice_chance(dice, 30),
                          .latency = dice_chance(dice, 40),
                          .several = dice_chance(dice, 40),
                          .one_by_one = dice_chance(dice, 50)};
    made->chained = dice_chance(dice, 40);
    made->scattered &= !made->chained;
    made->doubled = made->chained && dice_chance(dice, 30);
    lab_open(lab);
    uint32_t singles = add_resources(lab, dice, made->one_by_one),
             n = 1 + dice_below(dice, MOST_NODES);
    for (uint32_t c = 0; c < 12; c++)
        (void)lab_class(lab, classes[c]);
    (void)lab_domain(lab, "hbm", made->tight ? 8 : -1);
    (void)lab_domain(lab, "pinned", 1000);
    lab_graph(lab);
    for (uint32_t i = 0; i < n; i++) {
        add_node(lab, dice, singles, made, &last);
        if (made->bytes)
            add_bytes(lab, dice, i, givers);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t h = 0; h < lab->graph->holding_count; h++)
            if (givers[h] == i)
                lab_gives(lab, i, h);
    LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
    LAB_OK(lab, sl_program_create(&lab->program, lab->graph, &lab->options, &lab->err));
    LAB_OK(lab, sl_worker_create(&lab->worker, lab->program, &lab->err));
}

START_TEST(same_records_as_by_events)
{
    uint64_t plans = sl_test_long() ? 30 * PLANS : PLANS, first = (uint64_t)_i * plans;
    uint32_t deadlocked = 0, waited = 0, mixed = 0, few = 0, many = 0;
    for (uint64_t plan = first; plan < first + plans; plan++) {
        struct lab lab;
        struct dice dice = {.state = plan * 7919 + 1};
        struct made made;
        const char *why;
        make_plan(&lab, &dice, &made);
        ck_assert_msg(sl_program_order_is_fixed(lab.program, &why), "plan %llu: %s",
                      (unsigned long long)plan, why);
        struct check check = check_plan(&lab, plan);
        deadlocked += check.deadlocks > 0;
        waited += check.waits > 0;
        mixed += check.waits > 0 && check.waits < TRIALS;
        few += lab.program->batch->few_chains;
        many += lab.program->batch->classes_by_chain && !lab.program->batch->few_chains;
        lab_close(&lab);
    }
    /* Bytes that the pass supposed were missing, in all trials or in some. */
    ck_assert_uint_gt(deadlocked, 0);
    ck_assert_uint_gt(waited, 2);
    ck_assert_uint_gt(mixed, 0);
    /* Both ways of sweeping over classes. */
    ck_assert_uint_gt(few, 10);
    ck_assert_uint_gt(many, 5);
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------
 */

static enum sl_status fail_at_five(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (*(unsigned *)state)++;
    return record->trial == 5 ? SL_FAIL(err, SL_NO, "five is enough") : SL_OK;
}

START_TEST(a_failing_visit_is_the_last)
{
    struct lab lab;
    uint32_t trials[12], done;
    unsigned visits = 0;
    for (uint32_t k = 0; k < 12; k++)
        trials[k] = k;
    lab_open(&lab);
    (void)lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "exponential(mean=1us)", 0);
    (void)lab_run(&lab, 1, 0);
    ck_assert(sl_program_order_is_fixed(lab.program, NULL));
    ck_assert_int_eq(
        sl_worker_run_all(lab.worker, 1, trials, 12, 0, fail_at_five, &visits, &done, &lab.err),
        SL_NO);
    ck_assert_uint_eq(done, 5);
    ck_assert_uint_eq(visits, 6);
    lab_close(&lab);
}
END_TEST

static enum sl_status count_visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)record, (void)err;
    (*(unsigned *)state)++;
    return SL_OK;
}

/* Draws of more than 2^61 ps: the trial that has them is named, as by events. */
START_TEST(draws_out_of_range_fail_in_turn)
{
    struct lab lab;
    uint32_t trials[64], done, first = 0;
    unsigned visits = 0;
    const struct sl_trial *record;
    struct sl_error err = {0};
    for (uint32_t k = 0; k < 64; k++)
        trials[k] = k;
    lab_open(&lab);
    (void)lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "exponential(mean=1000000s)", 0);
    (void)lab_run(&lab, 1, 0);
    while (first < 64 && sl_worker_run(lab.worker, 1, first, 0, &record, &err) == SL_OK)
        first++;
    ck_assert_uint_lt(first, 64);
    ck_assert_uint_gt(first, 0);
    ck_assert_int_eq(
        sl_worker_run_all(lab.worker, 1, trials, 64, 0, count_visit, &visits, &done, &lab.err),
        SL_INVALID);
    ck_assert_uint_eq(done, first);
    ck_assert_uint_eq(visits, first);
    ck_assert_str_eq(lab.err.message, err.message);
    lab_close(&lab);
}
END_TEST

/* ---- what is not fixed -------------------------------------------------------------------------
 */

static void refused(struct lab *lab, const char *wanted)
{
    const char *why = NULL;
    (void)lab_run(lab, 1, 0);
    ck_assert_msg(!sl_program_order_is_fixed(lab->program, &why), "taken for fixed, not: %s",
                  wanted);
    ck_assert_str_eq(why, wanted);
    lab_close(lab);
}

/* Nodes a, b and c on `servers` servers, in the order of `edges`. */
static void three_nodes(struct lab *lab, uint32_t servers)
{
    static const char *const names[] = {"a", "b", "c"};
    lab_open(lab);
    (void)lab_resource(lab, "gpu", servers);
    (void)lab_class(lab, "k");
    lab_graph(lab);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t node = lab_node(lab, names[i], "2us", 0);
        LAB_NODE(lab, node).klass = 0;
    }
}

START_TEST(users_in_no_order)
{
    struct lab lab;
    three_nodes(&lab, 1);
    lab_edge(&lab, 0, 1);
    lab_edge(&lab, 0, 2);
    refused(&lab, "on 'gpu' 'b' need not end before 'c' may start");
    three_nodes(&lab, 2);
    lab_edge(&lab, 0, 1);
    refused(&lab, "on 'gpu' 'b' need not end before 'c' may start");
    three_nodes(&lab, 3); /* one for each */
    (void)lab_run(&lab, 1, 0);
    ck_assert(sl_program_order_is_fixed(lab.program, NULL));
    lab_close(&lab);
}
END_TEST

/* c may not start before b is issued, which waits for c. */
START_TEST(issue_order_against_the_path)
{
    struct lab lab;
    three_nodes(&lab, 1);
    lab.resources[0].order = SL_ORDER_ISSUE;
    lab_edge(&lab, 0, 2);
    lab_edge(&lab, 2, 1);
    refused(&lab, "on 'gpu' 'c' need not end before 'b' may start");
}
END_TEST

START_TEST(rules_that_change_what_runs)
{
    struct lab lab;
    struct sl_guard guard = {.name = "maybe", .probability = 0.5, .scope = SL_SCOPE_JOB};
    struct sl_overlap overlap = {.a = "a", .b = "b", .latest_ps = INT64_MAX};
    three_nodes(&lab, 3);
    ck_assert(sl_grow((void **)&lab.graph->guards, &lab.graph->guard_capacity, 1, sizeof guard));
    lab.graph->guards[lab.graph->guard_count++] = guard;
    lab_guard(&lab, 1, 0, false);
    refused(&lab, "guards may skip nodes");
    three_nodes(&lab, 3);
    LAB_NODE(&lab, 1).fallback = (sl_node_id){2};
    refused(&lab, "fallbacks may take over");
    three_nodes(&lab, 3);
    ck_assert(
        sl_grow((void **)&lab.graph->overlaps, &lab.graph->overlap_capacity, 1, sizeof overlap));
    lab.graph->overlaps[lab.graph->overlap_count++] = overlap;
    refused(&lab, "some nodes must not run beside others");
}
END_TEST

START_TEST(contention_stretches_nodes)
{
    struct lab lab;
    lab_open(&lab);
    (void)lab_resource(&lab, "gpu", 2);
    lab_kappa(&lab, "k", "k", 1.5);
    lab_graph(&lab);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t node = lab_node(&lab, i ? "b" : "a", "2us", 0);
        LAB_NODE(&lab, node).klass = 0;
    }
    refused(&lab, "nodes contend");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("batch");
    TCase *tcase = tcase_create("batch");
    tcase_set_timeout(tcase, sl_test_long() ? 600 : 60);
    tcase_add_loop_test(tcase, same_records_as_by_events, 0, PARTS);
    tcase_add_test(tcase, a_failing_visit_is_the_last);
    tcase_add_test(tcase, draws_out_of_range_fail_in_turn);
    tcase_add_test(tcase, users_in_no_order);
    tcase_add_test(tcase, issue_order_against_the_path);
    tcase_add_test(tcase, rules_that_change_what_runs);
    tcase_add_test(tcase, contention_stretches_nodes);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
