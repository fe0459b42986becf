/* Replays: the rules against the engine on random graphs, sizes against durations, what can't be
 * executed, and real repetitions on this machine. */
#include <config.h>

#include "dice.h"
#include "lab.h"
#include "replay.h"
#include "replay_rules.h"
#include "replay_size.h"

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
    const struct sl_replay_machine machine = {NULL, 0, 1000};
    uint32_t deadlocks = 0, graphs = sl_test_long() ? 20000 : 2000;
    for (uint32_t graph = 0; graph < graphs; graph++) {
        struct dice dice = {UINT64_C(0x9e3779b97f4a7c15) * (graph + 1)};
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

static Suite *suite(void)
{
    Suite *s = suite_create("replay");
    TCase *rules = tcase_create("rules");
    tcase_add_test(rules, the_rules_are_the_engine_s);
    suite_add_tcase(s, rules);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
