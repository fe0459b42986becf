/* Random legal scenarios whose choices the input makes, each run under some of all policies, and
 * with copies that may leave: all invariants of the audits and proofs must hold. */
#include <config.h>

#include "fuzz.h"
#include "random_runs.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 4 };

static const char *const heuristics[] = {"fifo", "lru", "belady", "largest", "dtr", "cost-benefit"};
static const char *const ways[] = {"offload", "remat", "cheapest"};

/* Trials of a policy whose copies may leave end, or are a deadlock by name. */
static void run_evicting(const struct sl_scenario *scenario, const struct sl_policy_spec *base,
                         struct dice *dice)
{
    struct sl_arena arena = {0};
    struct sl_plan plan;
    struct sl_error err = {0};
    const struct sl_policy_spec *policy =
        sl_policy_with(base, "evict", heuristics[dice_below(dice, FUZZ_COUNT(heuristics))], &arena);
    policy = sl_policy_with(policy, "evict.by", ways[dice_below(dice, FUZZ_COUNT(ways))], &arena);
    enum sl_status status = sl_policy_plan(&plan, scenario, policy, NULL, &err);
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    if (status == SL_OK)
        status = sl_program_create(&program, plan.graph, &plan.engine, &err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, &err);
    for (uint32_t t = 0; status == SL_OK && t < 2; t++) {
        status = sl_worker_run(worker, 1, t, SL_RECORD_LEVELS, &trial, &err);
        FUZZ_CHECK(status != SL_OK || trial->outcome == SL_DONE || trial->deadlock,
                   "a deadlock without a name");
    }
    fuzz_judge(status, NULL, &err);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_plan_free(&plan);
    sl_arena_free(&arena);
}

static void run(const uint8_t *data, size_t size)
{
    static struct random_scenario made;
    if (size < 4)
        return;
    struct dice dice = {.state = size, .bytes = data + 4, .byte_count = size - 4};
    struct dice choice = {.state = data[0], .bytes = data + 1, .byte_count = 3};
    struct tempdir dir = {.count = 0};
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct random_tally tally = {0};
    random_scenario_draw(&made, dice, data[0] % 16 == 15);
    if (data[0] % 4 == 3)
        random_scenario_send_far(&made, data[0] % 8 == 7 ? 6 : 0);
    snprintf(dir.path, sizeof dir.path, "%s", fuzz_dir());
    draft_write(&made.draft, &dir);
    enum sl_status status = sl_scenario_load(&scenario, fuzz_dir(), NULL, 0, &diags, &err);
    if (status != SL_OK)
        sl_diags_print(&diags, stderr);
    FUZZ_CHECK(status == SL_OK, "a legal scenario does not load: %s", err.message);
    scenario.iterations = data[0] & 16 ? 3 : 1;
    for (int r = 0; r < MOST_RUNS; r++) {
        const struct sl_policy_spec *policy =
            &scenario.policies[dice_below(&choice, scenario.policy_count)];
        if (r == MOST_RUNS - 1)
            run_evicting(&scenario, policy, &choice);
        else
            random_policy_run(&made, &scenario, policy, data[0], &tally);
    }
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    fuzz_clean();
}

static void seed(const struct fuzz_seeds *seeds)
{
    uint8_t bytes[400];
    for (int s = 0; s < 24; s++) {
        struct dice dice = {.state = (uint64_t)s};
        char name[20];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)dice_below(&dice, 256);
        bytes[0] = (uint8_t)(s * 11);
        snprintf(name, sizeof name, "dice-%d", s);
        seeds->add(seeds->user, name, bytes, 40 + (size_t)s * 15);
    }
}

const struct fuzz_target fuzz_target_legal = {
    .name = "legal",
    .description = "random legal scenarios under every policy, with audits and proofs",
    .run = run,
    .seeds = seed,
};
