/* The plain path against the general loop, field by field, on random plain graphs: one server or
 * several or no limit, all waiting orders, ties, durations of zero, lags, releases, latencies,
 * nodes that demand nothing, several edges between two nodes, lanes, and demands that nobody can
 * meet. */
#include <config.h>

#include "dice.h"
#include "plain.h"
#include "same_record.h"

#define CASES (sl_test_long() ? 20000u : 1000u)

static struct lab lab;

struct features {
    bool lags, releases, latencies, orders, ties, doubles, impossible;
    uint32_t nodes, resources, classes;
};

static struct features draw_features(struct dice *dice)
{
    struct features f = {
        .lags = dice_chance(dice, 25),
        .releases = dice_chance(dice, 25),
        .latencies = dice_chance(dice, 15),
        .orders = dice_chance(dice, 30),
        .ties = dice_chance(dice, 70),
        .doubles = dice_chance(dice, 30),
        .impossible = dice_chance(dice, 4),
        .nodes = 1 + dice_below(dice, dice_chance(dice, 10) ? 400 : 40),
        .resources = 1 + dice_below(dice, 6),
        .classes = dice_below(dice, 4),
    };
    return f;
}

static void add_resources(struct dice *dice, const struct features *f)
{
    static const uint32_t servers[] = {1, 1, 1, 1, 2, 3, 16, SL_UNLIMITED};
    char name[16];
    for (uint32_t r = 0; r < f->resources; r++) {
        snprintf(name, sizeof name, "r%u", r);
        (void)lab_resource(&lab, name, servers[dice_below(dice, 8)]);
        lab.resources[r].order =
            f->orders ? (enum sl_order)dice_below(dice, SL_ORDER_ISSUE) : SL_ORDER_FIFO;
        if (lab.resources[r].servers == 1 && dice_chance(dice, 20))
            lab.resources[r].admission = SL_STRICT;
    }
    for (uint32_t k = 0; k < f->classes; k++) {
        snprintf(name, sizeof name, "c%u", k);
        (void)lab_class(&lab, name);
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
    uint32_t units[6];
    for (uint32_t r = 0; r < f->resources; r++)
        units[r] = lab.resources[r].servers > 1 && dice_chance(dice, 30) ? 2 : 1;
    if (f->impossible)
        units[0] = 20;
    for (uint32_t i = 0; i < f->nodes; i++) {
        char name[16], text[64];
        snprintf(name, sizeof name, "n%u", i);
        uint32_t node = lab_node(&lab, name, draw_duration(dice, f, text), SL_NONE);
        if (dice_chance(dice, 90)) {
            uint32_t r = dice_below(dice, f->resources);
            lab_demand(&lab, node, r, units[r]);
        }
        struct sl_node *n = &LAB_NODE(&lab, node);
        n->klass = f->classes && dice_chance(dice, 80) ? dice_below(dice, f->classes) : SL_NONE;
        n->kind = dice_chance(dice, 10) ? SL_BARRIER : SL_COMPUTE;
        n->priority = dice_below(dice, 3);
        if (dice_chance(dice, 50))
            n->deadline_ps = (int64_t)dice_below(dice, 9) * US;
        if (f->releases && dice_chance(dice, 20))
            n->release_ps = (int64_t)dice_below(dice, 9) * US;
        if (f->latencies && dice_chance(dice, 40))
            n->latency_scale = dice_chance(dice, 50) ? 1 : 0.5;
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
        uint32_t copies = f->doubles && dice_chance(dice, 20) ? 2 + dice_below(dice, 2) : 1;
        while (copies--)
            lab_edge_typed(&lab, from, to, (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES),
                           f->lags && dice_chance(dice, 20) ? (int64_t)dice_below(dice, 4) * US
                                                            : 0);
    }
}

static void make_case(uint64_t seed)
{
    struct dice dice = {.state = seed};
    for (int k = 0; k < 4; k++)
        (void)dice_below(&dice, 2);
    struct features f = draw_features(&dice);
    lab_open(&lab);
    add_resources(&dice, &f);
    uint32_t domain = lab_domain(&lab, "hbm", GIB);
    lab_graph(&lab);
    (void)lab_holding(&lab, SL_HOLD_OBJECT, domain, 100, true);
    add_nodes(&dice, &f);
    add_edges(&dice, &f);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_program_create(&lab.program, lab.graph, &lab.options, &lab.err));
    LAB_OK(&lab, sl_worker_create(&lab.worker, lab.program, &lab.err));
}

START_TEST(plain_programs_have_the_records_of_the_general_loop)
{
    uint32_t plain = 0, brisk = 0, deadlocks = 0;
    for (case_seed = 1; case_seed <= CASES; case_seed++) {
        make_case(case_seed);
        plain += lab.program->plain != NULL;
        brisk += lab.program->plain && lab.program->plain->brisk;
        compare_ways(&lab);
        deadlocks += lab_run(&lab, case_seed, case_trial)->outcome == SL_DEADLOCK;
        lab_close(&lab);
    }
    /* The comparison means something: most cases are plain, many go the shortest way. */
    ck_assert_uint_gt(plain, CASES / 2);
    ck_assert_uint_gt(brisk, CASES / 4);
    ck_assert_uint_gt(deadlocks, CASES / 100);
}
END_TEST

/* ---- what is not plain ----------------------------------------------------------------------- */

static void one_node(void)
{
    lab_open(&lab);
    lab_resource(&lab, "r", 2);
    lab_resource(&lab, "s", 1);
    lab_domain(&lab, "hbm", GIB);
    lab_graph(&lab);
    lab_node(&lab, "a", "1us", 0);
}

static bool is_plain(void)
{
    (void)lab_run(&lab, 1, 0);
    bool plain = lab.program->plain != NULL;
    lab_close(&lab);
    return plain;
}

START_TEST(whatever_else_a_node_may_wait_for_is_not_plain)
{
    one_node();
    ck_assert(is_plain());
    one_node();
    lab_demand(&lab, 0, 1, 1);
    ck_assert(!is_plain());
    one_node();
    lab_workspace(&lab, 0, 0, 10);
    ck_assert(!is_plain());
    one_node();
    lab.resources[0].order = SL_ORDER_ISSUE;
    ck_assert(!is_plain());
    one_node();
    lab.resources[0].admission = SL_STRICT;
    ck_assert(!is_plain());
    one_node();
    lab.resources[0].order = SL_ORDER_PRIORITY;
    lab.resources[0].aging_ps = US;
    ck_assert(!is_plain());
    one_node();
    lab_demand(&lab, lab_node(&lab, "b", "1us", SL_NONE), 0, 2);
    ck_assert(!is_plain());
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("plain");
    TCase *c = tcase_create("plain");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, plain_programs_have_the_records_of_the_general_loop);
    tcase_add_test(c, whatever_else_a_node_may_wait_for_is_not_plain);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
