/* Replays: the rules against the engine on random graphs, sizes against durations, what can't be
 * executed, and real repetitions on this machine. */
#include <config.h>

#include "dice.h"
#include "lab.h"
#include "replay.h"
#include "replay_rules.h"
#include "replay_size.h"
#include "replay_tally.h"
#include <math.h>

/* ---- the rules, with time that a test lets pass ---------------------------------------------- */

struct clockwork {
    const struct sl_replay_plan *plan;
    struct sl_replay_rules *rules;
    struct sl_replay_times times[64];
    int64_t now, ends[64]; /* -1: not at work */
};

static void note_start(void *user, uint32_t node)
{
    struct clockwork *clock = user;
    clock->times[node].start_ns = clock->now;
    clock->ends[node] = clock->now + clock->plan->nodes[node].hold_ns;
}

/* Runs the plan as if every node took just its isolated time. */
static void run_clockwork(struct clockwork *clock, const struct sl_replay_plan *plan)
{
    struct sl_error err = {0};
    *clock = (struct clockwork){.plan = plan};
    memset(clock->ends, -1, sizeof clock->ends);
    ck_assert_int_eq(sl_replay_rules_create(&clock->rules, plan, note_start, clock, &err), SL_OK);
    sl_replay_rules_reset(clock->rules, clock->times);
    for (sl_replay_rules_settle(clock->rules, 0);;
         sl_replay_rules_settle(clock->rules, clock->now)) {
        int64_t next = sl_replay_rules_due(clock->rules);
        for (uint32_t i = 0; i < plan->node_count; i++)
            if (clock->ends[i] >= 0 && clock->ends[i] < next)
                next = clock->ends[i];
        if (next == INT64_MAX)
            return;
        clock->now = next;
        for (uint32_t i = 0; i < plan->node_count; i++)
            if (clock->ends[i] == next) {
                clock->ends[i] = -1;
                sl_replay_rules_end(clock->rules, i, next);
            }
    }
}

#define NS 1000 /* ps */

static void build_platform(struct lab *lab, struct dice *dice, uint32_t resources, uint32_t domains)
{
    for (uint32_t k = 0; k < resources; k++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", k);
        uint32_t r =
            lab_resource(lab, name, dice_chance(dice, 10) ? SL_UNLIMITED : 1 + dice_below(dice, 3));
        lab->resources[r].order = (enum sl_order)dice_below(dice, SL_ORDER_ISSUE + 1);
        lab->resources[r].admission = dice_chance(dice, 30) ? SL_STRICT : SL_BACKFILL;
    }
    for (uint32_t k = 0; k < domains; k++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", k);
        lab_domain(lab, name, dice_chance(dice, 10) ? -1 : 8 + (int64_t)dice_below(dice, 8));
    }
}

static void build_node(struct lab *lab, struct dice *dice, uint32_t i, uint32_t resources,
                       uint32_t domains)
{
    char name[16], text[32];
    const char *lanes[] = {"l0", "l1"};
    snprintf(name, sizeof name, "n%u", i);
    snprintf(text, sizeof text, "%uns", dice_below(dice, 7));
    uint32_t resource = dice_chance(dice, 92) ? dice_below(dice, resources) : SL_NONE;
    uint32_t n = lab_node(lab, name, dice_chance(dice, 90) ? text : NULL, SL_NONE);
    if (resource != SL_NONE)
        lab_demand(lab, n, resource, dice_chance(dice, 25) ? 1 + dice_below(dice, 3) : 1);
    uint32_t second = dice_below(dice, resources);
    if (resource != SL_NONE && second != resource && dice_chance(dice, 20))
        lab_demand(lab, n, second, 1);
    struct sl_node *node = &LAB_NODE(lab, n);
    node->priority = dice_below(dice, 3);
    node->deadline_ps = dice_chance(dice, 60) ? (int64_t)dice_below(dice, 20) * NS : INT64_MAX;
    node->release_ps = dice_chance(dice, 20) ? (int64_t)dice_below(dice, 10) * NS : 0;
    if (dice_chance(dice, 25))
        node->lane = sl_names_add(&lab->graph->lane_names, lanes[dice_below(dice, 2)]);
    if (dice_chance(dice, 15))
        node->latency_scale = 1;
    if (dice_chance(dice, 25))
        lab_workspace(lab, n, dice_below(dice, domains), 1 + dice_below(dice, 5));
}

/* Every waiting order, strict and backfill, several units and resources, lanes, lags, releases,
 * latency, workspace, and holdings that make some graphs deadlock. */
static void build(struct lab *lab, struct dice *dice)
{
    uint32_t resources = 1 + dice_below(dice, 4), domains = 1 + dice_below(dice, 2);
    uint32_t nodes = 4 + dice_below(dice, 20);
    lab_open(lab);
    build_platform(lab, dice, resources, domains);
    lab_graph(lab);
    for (uint32_t i = 0; i < nodes; i++)
        build_node(lab, dice, i, resources, domains);
    for (uint32_t i = 1; i < nodes; i++)
        for (unsigned k = dice_below(dice, 3); k > 0; k--)
            lab_edge_typed(lab, dice_below(dice, i), i, SL_EDGE_ORDERING,
                           dice_chance(dice, 15) ? (int64_t)dice_below(dice, 4) * NS : 0);
    for (unsigned k = dice_below(dice, nodes / 2); k > 0; k--) {
        bool initial = dice_chance(dice, 10);
        uint32_t h = lab_holding(lab, SL_HOLD_OBJECT, dice_below(dice, domains),
                                 1 + dice_below(dice, initial ? 1 : 5), initial);
        uint32_t taker = dice_below(dice, nodes);
        if (!initial || dice_chance(dice, 30))
            lab_takes(lab, taker, h);
        if (dice_chance(dice, 85))
            lab_gives(lab, taker + dice_below(dice, nodes - taker), h);
    }
    if (dice_chance(dice, 20)) {
        lab->options.dispatch_given = true;
        lab->options.dispatch = (enum sl_order)dice_below(dice, SL_ORDER_ISSUE + 1);
    }
}

static void make(struct sl_replay_plan *replay, struct lab *lab,
                 const struct sl_replay_machine *machine)
{
    const struct sl_plan plan = {.graph = lab->graph, .engine = lab->options};
    ck_assert_msg(sl_replay_plan_make(replay, &plan, machine, &lab->err) == SL_OK, "%s",
                  lab->err.message);
}

#define SAME(what, found, expected)                                                                \
    ck_assert_msg((found) == (expected), "graph %u, node %u: " what " is %lld, the engine's %lld", \
                  graph, i, (long long)(found), (long long)(expected))

START_TEST(the_rules_are_the_engine_s)
{
    static struct lab lab;
    static struct clockwork clock;
    const struct sl_replay_machine machine = {.seats_max = 1000};
    uint32_t deadlocks = 0, graphs = sl_test_long() ? 20000 : 2000;
    for (uint32_t graph = 0; graph < graphs; graph++) {
        struct dice dice = {.state = UINT64_C(0x9e3779b97f4a7c15) * (graph + 1)};
        struct sl_replay_plan replay;
        build(&lab, &dice);
        const struct sl_trial *trial = lab_run(&lab, 1, 0);
        make(&replay, &lab, &machine);
        run_clockwork(&clock, &replay);
        for (uint32_t i = 0; i < replay.node_count; i++) {
            int64_t start = trial->start_ps[i];
            SAME("the start", clock.times[i].start_ns, start < 0 ? -1 : start / NS);
            if (start < 0)
                continue;
            SAME("ready", clock.times[i].ready_ns, trial->ready_ps[i] / NS);
            SAME("the end", clock.times[i].end_ns, trial->free_ps[i] / NS);
        }
        bool stuck = sl_replay_rules_left(clock.rules) > 0;
        ck_assert_int_eq(stuck, trial->outcome == SL_DEADLOCK);
        if (!stuck)
            ck_assert_int_eq(sl_replay_rules_makespan(clock.rules), trial->makespan_ps / NS);
        deadlocks += stuck;
        sl_replay_rules_free(clock.rules);
        sl_replay_plan_free(&replay);
        lab_close(&lab);
    }
    /* Both endings must have been compared. */
    ck_assert_uint_gt(deadlocks, graphs / 50);
    ck_assert_uint_lt(deadlocks, graphs - graphs / 5);
}
END_TEST

/* ---- sizes ----------------------------------------------------------------------------------- */

enum { KIB = 1024 };

/* Class x takes 1 us for each 16 KiB between 64 KiB and 1 MiB; class y is not measured. */
static void open_sized(struct lab *lab)
{
    static struct sl_duration_row rows[2];
    lab_open(lab);
    lab_resource(lab, "r", 1);
    lab_domain(lab, "near", 1 << 30);
    lab_domain(lab, "far", 1 << 30);
    for (int i = 0; i < 2; i++)
        rows[i] = (struct sl_duration_row){
            .klass = lab_class(lab, "x"),
            .variant = "",
            .size_bytes = i ? 1024.0 * KIB : 64.0 * KIB,
            .flop = (double)NAN,
            .dist = lab_dist(lab, i ? "64us" : "4us", SL_DIST_TIME),
        };
    lab_class(lab, "y");
    lab->platform.durations = rows;
    lab->platform.duration_count = 2;
    lab_graph(lab);
}

static void close_sized(struct lab *lab)
{
    lab->platform.durations = NULL; /* not the platform's own */
    lab->platform.routes = NULL;
    lab_close(lab);
}

static int64_t size_of(struct lab *lab, const char *name, const char *duration)
{
    int64_t bytes = 0;
    uint32_t node = lab_node(lab, name, duration, 0);
    LAB_NODE(lab, node).klass = lab_class(lab, "x");
    LAB_OK(lab, sl_replay_size(lab->graph, node, &bytes, &lab->err));
    return bytes;
}

START_TEST(sizes_take_as_long_as_their_nodes)
{
    struct lab lab;
    open_sized(&lab);
    ck_assert_int_eq(size_of(&lab, "least", "4us"), 64 * KIB);
    ck_assert_int_le(llabs(size_of(&lab, "within", "16us") - 256 * KIB), 1);
    ck_assert_int_le(llabs(size_of(&lab, "uniform", "uniform(8us, 24us)") - 256 * KIB), 1);
    ck_assert_int_eq(size_of(&lab, "below", "1us"), 16 * KIB); /* in proportion */
    ck_assert_int_eq(size_of(&lab, "above", "256us"), 4096 * KIB);
    uint32_t other = lab_node(&lab, "other", "5us", 0);
    int64_t bytes;
    LAB_NODE(&lab, other).klass = lab_class(&lab, "y");
    ck_assert_int_eq(sl_replay_size(lab.graph, other, &bytes, &lab.err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(lab.err.message, "'y'"));
    close_sized(&lab);
}
END_TEST

/* 2 us and 10 GB/s, with noise of mean 1: an object of 300000 bytes and its last chunk of 100000.
 */
START_TEST(movements_copy_what_their_route_moves)
{
    struct lab lab;
    open_sized(&lab);
    struct sl_route route = {.from = 0,
                             .to = 1,
                             .resource = 0,
                             .klass = lab_class(&lab, "y"),
                             .bandwidth = 1e10,
                             .overhead_ps = 2 * US,
                             .staging.domain = SL_NONE,
                             .noise = lab_dist(&lab, "lognormal(mean=1, cv=0.1)", SL_DIST_NUMBER)};
    lab.platform.routes = &route;
    lab.platform.route_count = 1;
    struct sl_object object = sl_object_default();
    object.name = "o";
    object.bytes = 300000;
    sl_object_id id;
    LAB_OK(&lab, sl_graph_add_object(lab.graph, &object, &id, &lab.err));
    for (int chunk = 0; chunk < 2; chunk++) {
        int64_t bytes, moved = chunk ? 100000 : 300000;
        uint32_t n = lab_node(&lab, chunk ? "chunk" : "whole", NULL, SL_NONE);
        struct sl_node *node = &LAB_NODE(&lab, n);
        node->kind = SL_OFFLOAD;
        node->object = id;
        LAB_OK(&lab, sl_graph_route_node(lab.graph, node, &route, moved, &lab.err));
        LAB_OK(&lab, sl_replay_size(lab.graph, n, &bytes, &lab.err));
        ck_assert_int_le(llabs(bytes - moved), 1);
    }
    close_sized(&lab);
}
END_TEST

/* ---- what can't be executed ------------------------------------------------------------------ */

static const int64_t one_size[] = {1024};
static const struct sl_work_form one_form = {"", "", "", "", ""};
static const struct sl_work_class x_only[] = {
    {.name = "x", .forms = &one_form, .form_count = 1, .sizes = one_size, .size_count = 1}};

/* The message with which a plan of one node of class x, after `change`, is refused. */
static void refused(void (*change)(struct lab *lab, struct sl_node *node), uint32_t seats,
                    enum sl_status expected, const char *why)
{
    struct lab lab;
    struct sl_replay_plan replay;
    const struct sl_replay_machine machine = {
        .classes = x_only, .class_count = 1, .seats_max = seats};
    open_sized(&lab);
    uint32_t n = lab_node(&lab, "n", "8us", 0);
    LAB_NODE(&lab, n).klass = lab_class(&lab, "x");
    if (change)
        change(&lab, &LAB_NODE(&lab, n));
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    const struct sl_plan plan = {.graph = lab.graph, .engine = lab.options};
    ck_assert_int_eq(sl_replay_plan_make(&replay, &plan, &machine, &lab.err), expected);
    if (expected == SL_OK)
        ck_assert_int_eq(replay.nodes[0].work.bytes, 128 * KIB);
    else
        ck_assert_msg(strstr(lab.err.message, why) != NULL, "%s", lab.err.message);
    sl_replay_plan_free(&replay);
    close_sized(&lab);
}

static void guard(struct lab *lab, struct sl_node *node)
{
    static struct sl_guard certain = {.name = "g", .probability = 1, .scope = SL_SCOPE_JOB};
    ck_assert(
        sl_grow((void **)&lab->graph->guards, &lab->graph->guard_capacity, 1, sizeof certain));
    lab->graph->guards[lab->graph->guard_count++] = certain;
    ck_assert(!sl_graph_push_guard(lab->graph, &node->guards, (struct sl_guard_term){0, false},
                                   &lab->err));
}

static void other_class(struct lab *lab, struct sl_node *node)
{
    node->klass = lab_class(lab, "y");
}

static void unlimited(struct lab *lab, struct sl_node *node)
{
    (void)node;
    lab->resources[0].servers = SL_UNLIMITED;
}

static void aging(struct lab *lab, struct sl_node *node)
{
    (void)node;
    lab->resources[0].order = SL_ORDER_PRIORITY;
    lab->resources[0].aging_ps = US;
}

static void drawn_capacity(struct lab *lab, struct sl_node *node)
{
    (void)node;
    lab->domains[0].fragmentation = lab_dist(lab, "uniform(1, 1.1)", SL_DIST_NUMBER);
}

static void kept_apart(struct lab *lab, struct sl_node *node)
{
    struct sl_overlap row = {.a = "x", .b = "x", .latest_ps = INT64_MAX};
    (void)node;
    ck_assert(
        sl_grow((void **)&lab->graph->overlaps, &lab->graph->overlap_capacity, 1, sizeof row));
    lab->graph->overlaps[lab->graph->overlap_count++] = row;
}

START_TEST(what_cannot_be_executed_is_refused)
{
    refused(NULL, 1, SL_OK, NULL);
    refused(NULL, 0, SL_SYSTEM, "1 servers that work at once");
    refused(guard, 1, SL_INVALID, "guard");
    refused(other_class, 1, SL_INVALID, "no class 'y'");
    refused(unlimited, 1, SL_INVALID, "unlimited");
    refused(aging, 1, SL_INVALID, "age");
    refused(drawn_capacity, 1, SL_INVALID, "fragmentation");
    refused(kept_apart, 1, SL_INVALID, "kept apart");
}
END_TEST

/* A machine of which one work is so many bytes at most: 128 KiB are 2 pieces of 64, or too many. */
static int64_t most_bytes;

static uint64_t cut(const struct sl_bench *bench, struct sl_work *work)
{
    uint64_t pieces = (uint64_t)(work->bytes / most_bytes);
    (void)bench;
    work->bytes = most_bytes;
    return pieces;
}

START_TEST(large_works_are_cut)
{
    const struct sl_replay_machine machine = {
        .classes = x_only, .class_count = 1, .seats_max = 1, .cut = cut};
    for (most_bytes = 64 * KIB; most_bytes > 0; most_bytes = most_bytes > 128 ? 128 : 0) {
        struct lab lab;
        struct sl_replay_plan replay;
        open_sized(&lab);
        uint32_t n = lab_node(&lab, "n", "8us", 0);
        LAB_NODE(&lab, n).klass = lab_class(&lab, "x");
        LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
        const struct sl_plan plan = {.graph = lab.graph, .engine = lab.options};
        enum sl_status status = sl_replay_plan_make(&replay, &plan, &machine, &lab.err);
        ck_assert_int_eq(status, most_bytes > 128 ? SL_OK : SL_INVALID);
        if (status == SL_OK) {
            ck_assert_uint_eq(replay.nodes[0].pieces, 2);
            ck_assert_int_eq(replay.nodes[0].work.bytes, 64 * KIB);
        } else {
            ck_assert_ptr_nonnull(strstr(lab.err.message, "as long as 1024 works of class 'x'"));
        }
        sl_replay_plan_free(&replay);
        close_sized(&lab);
    }
}
END_TEST

/* ---- what repetitions come to ---------------------------------------------------------------- */

enum { RUNS = 4 };

/* Four nodes of class x on r0, 100 us each, and four of class y on r1, which begin with them and
 * last for a quarter, a half ... of that at x's side: kappa(x | y) = 1.5, kappa(y | x) = 1.2, and
 * what x does alone takes 1.1 times as long as planned. */
static void build_runs(struct lab *lab, struct sl_replay_plan *plan, struct sl_replay_times *times)
{
    static struct sl_replay_node nodes[2 * RUNS];
    static struct sl_demand demands[2] = {{0, 1}, {1, 1}};
    static struct sl_replay_resource resources[2] = {{"r0", 1, 1}, {"r1", 1, 1}};
    lab_open(lab);
    lab_resource(lab, "r0", 1);
    lab_resource(lab, "r1", 1);
    uint32_t x = lab_class(lab, "x"), y = lab_class(lab, "y");
    lab_graph(lab);
    for (uint32_t i = 0; i < 2 * RUNS; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(lab, name, "1us", i / RUNS);
        nodes[i] = (struct sl_replay_node){.name = "n",
                                           .act = SL_REPLAY_WORK,
                                           .klass = i < RUNS ? x : y,
                                           .demands = {i / RUNS, 1}};
    }
    *plan = (struct sl_replay_plan){.nodes = nodes,
                                    .node_count = 2 * RUNS,
                                    .demands = demands,
                                    .resources = resources,
                                    .resource_count = 2};
    for (int run = 0; run < RUNS; run++) {
        int64_t begin = 1000000 * run, beside = 30000 * (run + 1);
        nodes[run].hold_ns = 100000;
        nodes[RUNS + run].hold_ns = beside * 10 / 12;
        times[RUNS + run] = (struct sl_replay_times){begin, begin, begin + beside};
        times[run] = (struct sl_replay_times){
            begin, begin, begin + beside + (100000 - beside * 10 / 15) * 11 / 10};
    }
}

START_TEST(slowdowns_overlap_and_order_are_seen)
{
    struct lab lab;
    struct sl_replay_plan plan;
    struct sl_replay_times times[2 * RUNS];
    struct sl_replay_log log = {.times = times, .makespan_ns = 5000000};
    struct sl_replay_tally *tally;
    const uint32_t order[2 * RUNS] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct sl_arena arena = {0};
    uint32_t count;
    build_runs(&lab, &plan, times);
    LAB_OK(&lab, sl_replay_tally_create(&tally, &plan, lab.graph, order, &lab.err));
    LAB_OK(&lab, sl_replay_tally_add(tally, &log, &lab.err));
    const struct sl_slowdown *kappas = sl_replay_tally_kappas(tally, &arena, &count);
    ck_assert_uint_eq(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        double expected = kappas[i].klass != lab_class(&lab, "x") ? 1.2
                          : kappas[i].other_count                 ? 1.5
                                                                  : 1.1;
        ck_assert_double_eq_tol(kappas[i].kappa, expected, 1e-3);
    }
    ck_assert_double_eq(sl_replay_tally_overlap_ns(tally, 0, 1), 30000.0 * (1 + 2 + 3 + 4));
    ck_assert_double_eq(sl_replay_tally_overlap_ns(tally, 1, 1), 0);
    /* A second repetition in which the last two of r1 change places. */
    struct sl_replay_times kept = times[RUNS + 2];
    times[RUNS + 2] = times[RUNS + 3];
    times[RUNS + 3] = kept;
    log.makespan_ns = 3000000;
    LAB_OK(&lab, sl_replay_tally_add(tally, &log, &lab.err));
    ck_assert_double_eq(sl_replay_tally_in_order(tally, 0), 1);
    ck_assert_double_eq(sl_replay_tally_in_order(tally, 1), 0.5);
    ck_assert_double_eq(sl_replay_tally_misplaced(tally, 1), 1);
    ck_assert_double_eq(sl_replay_tally_hold_ns(tally, RUNS), 30000);
    sl_replay_tally_sort(tally);
    ck_assert_double_eq(sl_replay_tally_makespans_us(tally)[0], 3000);
    sl_replay_tally_free(tally);
    sl_arena_free(&arena);
    lab_close(&lab);
}
END_TEST

/* Sets that always come in the same proportion can't be told apart. */
START_TEST(what_cannot_be_told_apart_is_not_told)
{
    struct lab lab;
    struct sl_replay_plan plan;
    struct sl_replay_times times[2 * RUNS];
    struct sl_replay_log log = {.times = times, .makespan_ns = 1};
    struct sl_replay_tally *tally;
    const uint32_t order[2 * RUNS] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct sl_arena arena = {0};
    uint32_t count;
    build_runs(&lab, &plan, times);
    for (int run = 0; run < RUNS; run++) {
        times[run].end_ns = times[run].start_ns + 100000;
        times[RUNS + run].end_ns = times[run].start_ns + 50000;
    }
    LAB_OK(&lab, sl_replay_tally_create(&tally, &plan, lab.graph, order, &lab.err));
    LAB_OK(&lab, sl_replay_tally_add(tally, &log, &lab.err));
    const struct sl_slowdown *kappas = sl_replay_tally_kappas(tally, &arena, &count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert(kappas[i].klass != lab_class(&lab, "x") || isnan(kappas[i].kappa));
    sl_replay_tally_free(tally);
    sl_arena_free(&arena);
    lab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("replay");
    TCase *rules = tcase_create("rules"), *plans = tcase_create("plans");
    TCase *tallies = tcase_create("tallies");
    tcase_add_test(rules, the_rules_are_the_engine_s);
    tcase_add_test(plans, sizes_take_as_long_as_their_nodes);
    tcase_add_test(plans, movements_copy_what_their_route_moves);
    tcase_add_test(plans, what_cannot_be_executed_is_refused);
    tcase_add_test(plans, large_works_are_cut);
    tcase_add_test(tallies, slowdowns_overlap_and_order_are_seen);
    tcase_add_test(tallies, what_cannot_be_told_apart_is_not_told);
    suite_add_tcase(s, rules);
    suite_add_tcase(s, plans);
    suite_add_tcase(s, tallies);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
