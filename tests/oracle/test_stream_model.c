/* The stream model (tests/support/stream_model.h), by which searches are judged, agrees with the
 * simulator on every choice that it is given: same makespan, same deadlocks. */
#include <config.h>

#include "stream_draft.h"

static void choose(const struct sm_problem *p, struct dice *dice, struct sm_choice *choices)
{
    struct sm_run run;
    for (int o = 0; o < p->object_count; o++) {
        enum sm_what what = p->objects[o].after < 0 ? SM_STAYS : (enum sm_what)dice_below(dice, 3);
        if (what == SM_DROPS && !p->objects[o].remakes)
            what = SM_STAYS;
        choices[o] = (struct sm_choice){what, SM_ASAP};
    }
    sm_sequence(p, choices, &run);
    for (int o = 0; o < p->object_count; o++) {
        if (choices[o].what != SM_MOVES)
            continue;
        int consumer = sm_consumer(p, choices, &run, o);
        choices[o].trigger = (int)dice_below(dice, (unsigned)consumer + 1) - 1;
    }
}

static void compare(const struct sm_problem *p, struct dice *dice, int rounds)
{
    struct planlab lab;
    struct sl_planner *planner = NULL;
    if (draft_open(&lab, p, "  - {name: keep, action: retain}\n") == SL_OK) {
        ck_assert_int_eq(sl_planner_create(&planner, &lab.scenario, &lab.err), SL_OK);
        for (int i = 0; i < rounds; i++) {
            struct sm_choice choices[SM_OBJECTS];
            struct sm_run run;
            choose(p, dice, choices);
            sm_sequence(p, choices, &run);
            ck_assert_int_eq(draft_run(&lab, planner, "keep", p, choices),
                             sm_makespan(p, choices, &run));
        }
        sl_planner_free(planner);
    }
    planlab_close(&lab);
}

START_TEST(test_chains)
{
    struct dice dice = {.state = (uint64_t)_i + 1};
    for (int i = 0; i < (sl_test_long() ? 500 : 40); i++) {
        struct sm_problem problem;
        draft_chain(&problem, &dice, 8);
        compare(&problem, &dice, 20);
    }
}
END_TEST

START_TEST(test_dags)
{
    struct dice dice = {.state = (uint64_t)_i + 101};
    for (int i = 0; i < (sl_test_long() ? 500 : 40); i++) {
        struct sm_problem problem;
        draft_dag(&problem, &dice, 2 + (int)dice_below(&dice, 8));
        compare(&problem, &dice, 20);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("stream model");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_chains, 0, 2);
    tcase_add_loop_test(tc, test_dags, 0, 2);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
