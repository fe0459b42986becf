/* Trials on a pool: an interrupt acts between two of them where they are long. */
#include <config.h>

#include "lab.h"
#include "trials.h"
#include <stdio.h>
#include <time.h>

/* Longer than the time between two calls of progress. */
static enum sl_status visit_slowly(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)record;
    (void)err;
    ++*(uint32_t *)state;
    nanosleep(&(struct timespec){.tv_nsec = SL_PROGRESS_WAIT_NS + 20000000}, NULL);
    return SL_OK;
}

static bool stop(void *user, uint64_t done)
{
    (void)user;
    (void)done;
    return false;
}

/* Nodes in any order on one resource: their trials run one by one, eight to a look while they are
 * short. */
static const struct {
    uint32_t nodes, before_stop;
} CASES[] = {{40000, 1}, {20000, 3}, {10, 8}};

START_TEST(long_trials_are_interrupted_one_by_one)
{
    struct lab lab;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1), visited = 0;
    lab_graph(&lab);
    for (uint32_t i = 0; i < CASES[_i].nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        lab_node(&lab, name, "1us", gpu);
    }
    lab_run(&lab, 1, 0);
    void *states[] = {&visited};
    const struct sl_trials_job job = {.program = lab.program,
                                      .trials = 30,
                                      .threads = 1,
                                      .visit = visit_slowly,
                                      .states = states,
                                      .progress = stop};
    ck_assert_int_eq(sl_trials_run(&job, &lab.err), SL_INTERRUPTED);
    ck_assert_uint_eq(visited, CASES[_i].before_stop);
    lab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trials");
    TCase *tests = tcase_create("trials");
    tcase_add_loop_test(tests, long_trials_are_interrupted_one_by_one, 0,
                        sizeof CASES / sizeof *CASES);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}
