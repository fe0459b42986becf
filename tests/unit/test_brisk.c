/* The shorter way through instants at which one node ends, against the general loop: the same
 * record in every field, on random contended graphs with ties, durations of zero, several servers,
 * classes that share resources, nodes without a class and measured sets. */
#include <config.h>

#include "dice.h"
#include "lab.h"
#include "worker.h"

#define CASES (sl_test_long() ? 10000u : 600u)

static struct lab lab;

static void add_platform(struct dice *dice, uint32_t resources, uint32_t classes)
{
    static const char *const rules[] = {"additive", "max", "product"};
    static const uint32_t servers[] = {1, 1, 1, 2, 3};
    char name[16], other[16];
    for (uint32_t r = 0; r < resources; r++) {
        snprintf(name, sizeof name, "r%u", r);
        (void)lab_resource(&lab, name, servers[dice_below(dice, 5)]);
    }
    lab_rule(&lab, rules[dice_below(dice, 3)]);
    if (dice_chance(dice, 50))
        lab.platform.kappa.unknown = SL_UNKNOWN_BOUND;
    for (uint32_t a = 0; a < classes; a++)
        for (uint32_t b = 0; b < classes; b++) {
            snprintf(name, sizeof name, "c%u", a);
            snprintf(other, sizeof other, "c%u", b);
            (void)lab_class(&lab, name);
            if (dice_chance(dice, 90))
                lab_kappa(&lab, name, other, 1 + dice_below(dice, 10) / 8.0);
        }
}

static void add_nodes(struct dice *dice, uint32_t nodes, uint32_t resources, uint32_t classes)
{
    bool ties = dice_chance(dice, 60), zeros = dice_chance(dice, 40);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16], text[64];
        snprintf(name, sizeof name, "n%u", i);
        snprintf(text, sizeof text,
                 ties ? "mixture(0.5*1us, 0.5*%uus)" : "lognormal(mean=%uus, cv=0.5)",
                 1 + dice_below(dice, 4));
        bool none = zeros && dice_chance(dice, 15);
        (void)lab_node(&lab, name, none ? (dice_chance(dice, 50) ? "0us" : NULL) : text,
                       dice_below(dice, resources));
        LAB_NODE(&lab, i).klass = dice_below(dice, classes);
        uint32_t from = i;
        for (uint32_t back = 1 + dice_below(dice, 4); from >= back && from + 20 > i;
             back = 1 + dice_below(dice, 8)) {
            from -= back;
            lab_edge_typed(&lab, from, i, (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES), 0);
        }
    }
}

#define SAME(field, count)                                                                         \
    ck_assert_msg(memcmp(a->field, b->field, (count) * sizeof *a->field) == 0,                     \
                  "case %u, trial %u: " #field " differs", number, a->trial)

static void compare(const struct sl_trial *a, const struct sl_trial *b, uint32_t number)
{
    size_t n = a->run_count, classes = lab.platform.kappa.classes.count;
    ck_assert_int_eq(a->outcome, b->outcome);
    ck_assert_int_eq(a->makespan_ps, b->makespan_ps);
    ck_assert_int_eq(a->hypothetical, b->hypothetical);
    ck_assert_int_eq(a->all_ran, b->all_ran);
    ck_assert_uint_eq(n, b->run_count);
    SAME(ready_ps, n);
    SAME(start_ps, n);
    SAME(finish_ps, n);
    SAME(free_ps, n);
    SAME(duration_ps, n);
    SAME(state, n);
    SAME(cause, n);
    SAME(behind_run, n);
    SAME(behind_by_free, n);
    SAME(lag_ps, n);
    SAME(bypassed, n);
    SAME(busy_ps, lab.platform.resource_names.count);
    SAME(overlap_ps, classes * classes);
    SAME(class_busy_ps, classes);
}

/* Returns whether the program is brisk. */
static bool run_case(uint32_t number)
{
    struct dice dice = {.state = number};
    uint32_t resources = 1 + dice_below(&dice, 6), classes = 1 + dice_below(&dice, 4);
    lab_open(&lab);
    add_platform(&dice, resources, classes);
    lab_graph(&lab);
    add_nodes(&dice, 1 + dice_below(&dice, 60), resources, classes);
    (void)lab_run(&lab, number, 0);
    struct sl_program *general;
    struct sl_worker *worker;
    LAB_OK(&lab, sl_program_create(&general, lab.graph, &lab.options, &lab.err));
    bool brisk = general->brisk;
    general->brisk = false;
    LAB_OK(&lab, sl_worker_create(&worker, general, &lab.err));
    for (uint32_t trial = 0; trial < 4; trial++) {
        const struct sl_trial *record;
        LAB_OK(&lab, sl_worker_run(worker, number, trial, 0, &record, &lab.err));
        compare(lab_run(&lab, number, trial), record, number);
    }
    sl_worker_free(worker);
    sl_program_free(general);
    lab_close(&lab);
    return brisk;
}

START_TEST(same_record_as_the_general_loop)
{
    uint32_t brisk = 0;
    for (uint32_t number = 0; number < CASES; number++)
        brisk += run_case(number);
    ck_assert_uint_gt(brisk, CASES / 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("brisk");
    TCase *tc = tcase_create("records");
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, same_record_as_the_general_loop);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
