/* The common path against the general loop, field by field, on random common graphs: bytes that
 * nodes take while they run or for others to give back, in one domain or two; contention in one
 * small island or several; all waiting orders, several servers and demands, ties, durations of
 * zero, lags, releases, lanes, and graphs that deadlock. */
#include <config.h>

#include "common.h"
#include "dice.h"
#include "same_record.h"

#define CASES (sl_test_long() ? 20000u : 1200u)

static struct lab lab;

struct features {
    bool lags, releases, orders, ties, units, contention, groups, holdings;
    bool one_domain; /* from which every node takes bytes */
    uint32_t nodes, resources, domains, classes, capacity;
};

static struct features draw_features(struct dice *dice)
{
    struct features f = {
        .lags = dice_chance(dice, 20),
        .releases = dice_chance(dice, 20),
        .orders = dice_chance(dice, 60),
        .ties = dice_chance(dice, 60),
        .units = dice_chance(dice, 30),
        .contention = dice_chance(dice, 70),
        .groups = dice_chance(dice, 20),
        .holdings = dice_chance(dice, 60),
        .one_domain = dice_chance(dice, 40),
        .nodes = 1 + dice_below(dice, dice_chance(dice, 10) ? 300 : 40),
        .resources = 1 + dice_below(dice, 6),
        .domains = 1 + dice_below(dice, 2),
        .classes = 1 + dice_below(dice, dice_chance(dice, 70) ? 4 : 9),
        .capacity = 5 + dice_below(dice, 16),
    };
    return f;
}

static void add_platform(struct dice *dice, const struct features *f)
{
    static const uint32_t servers[] = {1, 1, 1, 1, 2, 3, 16, SL_UNLIMITED};
    static const char *const rules[] = {"additive", "max", "product"};
    char name[16], other[16];
    for (uint32_t r = 0; r < f->resources; r++) {
        snprintf(name, sizeof name, "r%u", r);
        (void)lab_resource(&lab, name, servers[dice_below(dice, 8)]);
        lab.resources[r].order =
            f->orders ? (enum sl_order)dice_below(dice, SL_ORDER_ISSUE) : SL_ORDER_FIFO;
        if (f->groups)
            lab.resources[r].groups = dice_below(dice, 4);
    }
    for (uint32_t m = 0; m < f->domains; m++) {
        snprintf(name, sizeof name, "d%u", m);
        (void)lab_domain(&lab, name, dice_chance(dice, 10) ? -1 : (int64_t)f->capacity);
        lab.domains[m].rounding = 1 + dice_below(dice, 2);
    }
    lab_rule(&lab, rules[dice_below(dice, 3)]);
    if (dice_chance(dice, 30))
        lab.platform.kappa.unknown = SL_UNKNOWN_BOUND;
    for (uint32_t a = 0; a < f->classes; a++)
        for (uint32_t b = 0; b < f->classes; b++) {
            snprintf(name, sizeof name, "c%u", a);
            snprintf(other, sizeof other, "c%u", b);
            (void)lab_class(&lab, name);
            if (f->contention && dice_chance(dice, 90))
                lab_kappa(&lab, name, other, 1 + dice_below(dice, 10) / 8.0);
        }
}

static const char *draw_duration(struct dice *dice, const struct features *f, char text[64])
{
    if (dice_chance(dice, 8))
        return NULL;
    if (f->ties)
        snprintf(text, 64,
                 dice_chance(dice, 15)   ? "0us"
                 : dice_chance(dice, 50) ? "%uus"
                                         : "mixture(0.5*1us, 0.5*%uus)",
                 dice_below(dice, 4));
    else
        snprintf(text, 64, "lognormal(mean=%uus, cv=0.5)", 1 + dice_below(dice, 9));
    return text;
}

static void add_nodes(struct dice *dice, const struct features *f)
{
    static const char *const lanes[] = {"l0", "l1"};
    for (uint32_t i = 0; i < f->nodes; i++) {
        char name[16], text[64];
        snprintf(name, sizeof name, "n%u", i);
        uint32_t node = lab_node(&lab, name, draw_duration(dice, f, text), SL_NONE);
        if (dice_chance(dice, 90))
            lab_demand(&lab, node, dice_below(dice, f->resources),
                       f->units && dice_chance(dice, 30) ? 1 + dice_below(dice, 2) : 1);
        if (f->one_domain || dice_chance(dice, 70))
            lab_workspace(&lab, node, f->one_domain ? 0 : dice_below(dice, f->domains),
                          1 + dice_below(dice, 4));
        struct sl_node *n = &LAB_NODE(&lab, node);
        n->klass = dice_chance(dice, 90) ? dice_below(dice, f->classes) : SL_NONE;
        n->kind = dice_chance(dice, 10) ? SL_BARRIER : SL_COMPUTE;
        n->priority = dice_below(dice, 3);
        if (dice_chance(dice, 50))
            n->deadline_ps = (int64_t)dice_below(dice, 9) * US;
        if (f->releases && dice_chance(dice, 20))
            n->release_ps = (int64_t)dice_below(dice, 9) * US;
        if (dice_chance(dice, 10))
            n->lane = sl_names_add(&lab.graph->lane_names, lanes[dice_below(dice, 2)]);
    }
}

/* Lanes go by index, so all edges do. */
static void add_edges(struct dice *dice, const struct features *f)
{
    uint32_t wanted = f->nodes * dice_below(dice, 4);
    for (uint32_t e = 0; e < wanted && f->nodes > 1; e++) {
        uint32_t from = dice_below(dice, f->nodes - 1), ahead = f->nodes - 1 - from;
        uint32_t to = from + 1 + dice_below(dice, ahead < 8 ? ahead : 8);
        lab_edge_typed(&lab, from, to, (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES),
                       f->lags && dice_chance(dice, 20) ? (int64_t)dice_below(dice, 4) * US : 0);
    }
}

/* Taken by one node, sometimes by a second one unless it is there, and given back by a later one.
 */
static void add_holdings(struct dice *dice, const struct features *f)
{
    uint32_t count = f->holdings ? dice_below(dice, f->nodes) : 0;
    for (uint32_t k = 0; k < count; k++) {
        bool initial = k < 2 && dice_chance(dice, 30);
        uint32_t taker = dice_below(dice, f->nodes);
        uint32_t giver = taker + dice_below(dice, f->nodes - taker < 9 ? f->nodes - taker : 9);
        uint32_t h = lab_holding(&lab, dice_chance(dice, 30) ? SL_HOLD_STAGING : SL_HOLD_OBJECT,
                                 dice_below(dice, f->domains), 1, initial);
        if (!initial || dice_chance(dice, 50))
            lab_takes(&lab, taker, h);
        if (dice_chance(dice, 15) && taker + 1 < f->nodes)
            lab_takes(&lab, taker + 1, h);
        if (dice_chance(dice, 95))
            lab_gives(&lab, giver, h);
    }
}

static void pack_case(void)
{
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_program_create(&lab.program, lab.graph, &lab.options, &lab.err));
    LAB_OK(&lab, sl_worker_create(&lab.worker, lab.program, &lab.err));
}

static void make_case(uint64_t seed)
{
    struct dice dice = {.state = seed};
    for (int k = 0; k < 4; k++)
        (void)dice_below(&dice, 2);
    struct features f = draw_features(&dice);
    lab_open(&lab);
    add_platform(&dice, &f);
    lab_graph(&lab);
    add_nodes(&dice, &f);
    add_edges(&dice, &f);
    add_holdings(&dice, &f);
    pack_case();
}

START_TEST(common_programs_have_the_records_of_the_general_loop)
{
    uint32_t common = 0, compact = 0, ended = 0, starved = 0, passed = 0, competing = 0;
    for (case_seed = 1; case_seed <= CASES; case_seed++) {
        make_case(case_seed);
        compare_ways(&lab);
        const struct sl_trial *t = lab_run(&lab, case_seed, case_trial);
        bool is_common = lab.program->common != NULL;
        common += is_common;
        compact += is_common && lab.program->compact;
        ended += is_common && t->outcome == SL_DONE;
        passed += is_common && t->bypasses;
        competing += is_common && lab.program->common->all_compete && t->bypasses;
        bool bytes = false;
        for (uint32_t i = 0; i < t->run_count; i++)
            bytes |= t->cause[i] == SL_CAUSE_CAPACITY;
        starved += is_common && bytes;
        lab_close(&lab);
    }
    /* The comparison means something: the cases are common, and have what it is about. */
    ck_assert_uint_gt(common, CASES * 3 / 4);
    ck_assert_uint_gt(compact, CASES / 5);
    ck_assert_uint_gt(ended, CASES / 3);
    ck_assert_uint_lt(ended, common);
    ck_assert_uint_gt(starved, CASES / 5);
    ck_assert_uint_gt(passed, CASES / 4);
    ck_assert_uint_gt(competing, CASES / 10);
}
END_TEST

/* ---- queues ---------------------------------------------------------------------------------- */

/* Each node goes before all that wait already. */
static void make_crowd(uint32_t nodes)
{
    lab_open(&lab);
    (void)lab_resource(&lab, "r", 1);
    lab.resources[0].order = SL_ORDER_PRIORITY;
    (void)lab_domain(&lab, "hbm", GIB);
    lab_graph(&lab);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lab_workspace(&lab, lab_node(&lab, name, "exponential(mean=1us)", 0), 0, 1);
        LAB_NODE(&lab, i).priority = (int32_t)(i / 2);
    }
    pack_case();
    ck_assert_ptr_nonnull(lab.program->common);
}

START_TEST(a_long_queue_is_left_to_the_general_loop)
{
    for (case_seed = 0; case_seed < 2; case_seed++) {
        make_crowd(SL_COMMON_MOVES + (case_seed ? 100 : 0));
        compare_ways(&lab);
        ck_assert_uint_eq(lab.worker->common->crowded, case_seed);
        lab_close(&lab);
    }
}
END_TEST

/* ---- what is not common ---------------------------------------------------------------------- */

static void one_node(void)
{
    lab_open(&lab);
    lab_resource(&lab, "r", 2);
    lab_resource(&lab, "s", 1);
    lab_domain(&lab, "hbm", GIB);
    lab_graph(&lab);
    lab_node(&lab, "a", "1us", 0);
    lab_workspace(&lab, 0, 0, 10);
}

static bool is_common(void)
{
    (void)lab_run(&lab, 1, 0);
    bool common = lab.program->common != NULL;
    lab_close(&lab);
    return common;
}

START_TEST(whatever_else_a_node_may_wait_for_is_not_common)
{
    one_node();
    ck_assert(is_common());
    one_node();
    lab_demand(&lab, 0, 1, 1);
    ck_assert(!is_common());
    one_node();
    lab.resources[0].order = SL_ORDER_ISSUE;
    ck_assert(!is_common());
    one_node();
    lab.resources[0].admission = SL_STRICT;
    ck_assert(!is_common());
    one_node();
    lab.resources[0].order = SL_ORDER_PRIORITY;
    lab.resources[0].aging_ps = US;
    ck_assert(!is_common());
    one_node();
    LAB_NODE(&lab, 0).latency_scale = 1;
    ck_assert(!is_common());
}
END_TEST

START_TEST(more_queues_than_a_mask_has_bits_are_not_common)
{
    for (uint32_t queues = SL_COMMON_QUEUES; queues <= SL_COMMON_QUEUES + 1; queues++) {
        lab_open(&lab);
        char name[16];
        for (uint32_t r = 0; r < queues; r++) {
            snprintf(name, sizeof name, "r%u", r);
            (void)lab_resource(&lab, name, 1);
        }
        (void)lab_domain(&lab, "hbm", 4);
        lab_graph(&lab);
        for (uint32_t i = 0; i < 4 * queues; i++) {
            snprintf(name, sizeof name, "n%u", i);
            lab_workspace(&lab, lab_node(&lab, name, "exponential(mean=1us)", i % queues), 0,
                          1 + i % 3);
        }
        pack_case();
        compare_ways(&lab);
        ck_assert_int_eq(lab.program->common != NULL, queues == SL_COMMON_QUEUES);
        lab_close(&lab);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("common");
    TCase *c = tcase_create("common");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, common_programs_have_the_records_of_the_general_loop);
    tcase_add_test(c, a_long_queue_is_left_to_the_general_loop);
    tcase_add_test(c, whatever_else_a_node_may_wait_for_is_not_common);
    tcase_add_test(c, more_queues_than_a_mask_has_bits_are_not_common);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
