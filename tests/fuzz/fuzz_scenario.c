/* A scenario's folder as one input, and its tables one by one.  What is sound and small is run
 * under its first policies. */
#include <config.h>

#include "cell.h"
#include "fuzz.h"
#include <stdlib.h>

enum { MOST_NODES = 400, MOST_JOBS = 200, MOST_POLICIES = 4, MOST_AXES = 16 };

static bool is_small(const struct sl_scenario *scenario)
{
    uint64_t nodes = (uint64_t)scenario->graph->node_count * scenario->iterations;
    return nodes <= MOST_NODES && scenario->jobs.concurrency <= MOST_JOBS &&
           sl_job_mode_count(&scenario->jobs) <= MOST_JOBS && scenario->axis_count <= MOST_AXES;
}

static void run_policy(struct sl_scenario *scenario, const struct sl_policy_spec *policy)
{
    static const char *axis_texts[MOST_AXES];
    for (int i = 0; i < MOST_AXES; i++)
        axis_texts[i] = "";
    struct sl_cell_spec spec = {0, policy->name, axis_texts, scenario->axis_count};
    struct sl_run_options options = {.trials = 2, .nominal = true};
    struct sl_cell cell;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_cell_run(&cell, scenario, policy, &spec, &options, &diags, &err);
    fuzz_judge(status, &diags, &err);
    sl_cell_free(&cell);
}

static void run_folder(void)
{
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_scenario_load(&scenario, fuzz_dir(), NULL, 0, &diags, &err);
    FUZZ_CHECK(status != SL_OK || diags.errors == 0, "errors, and yet it loads");
    fuzz_judge(status, &diags, &err);
    for (uint32_t p = 0;
         status == SL_OK && is_small(&scenario) && p < MOST_POLICIES && p < scenario.policy_count;
         p++)
        run_policy(&scenario, &scenario.policies[p]);
    sl_scenario_free(&scenario);
    fuzz_clean();
}

static void run_scenario(const uint8_t *data, size_t size)
{
    fuzz_unframe(data, size);
    run_folder();
}

static void seed_scenario(const struct fuzz_seeds *seeds)
{
    fuzz_seed_folder(seeds, "tests/fuzz/base", NULL);
    fuzz_seed_folder(seeds, "tests/fixtures/anomaly", NULL);
    fuzz_seed_folder(seeds, "tests/fixtures/order", NULL);
    fuzz_seed_folder(seeds, "tests/fixtures/replay", NULL);
    fuzz_seed_folders(seeds, "tests/fixtures/broken", NULL);
    fuzz_seed_folders(seeds, "tests/fixtures/illegal", NULL);
    fuzz_seed_folders(seeds, "scenarios", NULL);
    fuzz_seed_folders(seeds, "scenarios/counterexamples", NULL);
}

const struct fuzz_target fuzz_target_scenario = {
    .name = "scenario",
    .description = "a scenario's folder: YAML and tables, and runs of what is sound",
    .run = run_scenario,
    .seeds = seed_scenario,
};

/* The base scenario, of which the input's files replace those of the same names. */
static void run_tables(const uint8_t *data, size_t size)
{
    fuzz_write_base();
    fuzz_unframe(data, size);
    run_folder();
}

static void seed_tables(const struct fuzz_seeds *seeds)
{
    static const char *const names[] = {"nodes.csv",     "edges.csv",   "objects.csv",
                                        "overlap.csv",   "choices.csv", "samples.txt",
                                        "durations.csv", "kappa.csv"};
    for (size_t i = 0; i < FUZZ_COUNT(names); i++)
        fuzz_seed_folder(seeds, "tests/fuzz/base", names[i]);
    for (size_t i = 0; i < 4; i++) {
        fuzz_seed_folders(seeds, "tests/fixtures/broken", names[i]);
        fuzz_seed_folders(seeds, "scenarios", names[i]);
    }
}

const struct fuzz_target fuzz_target_tables = {
    .name = "tables",
    .description = "single tables (nodes, edges, objects, overlap, choices, kappa, durations)",
    .run = run_tables,
    .seeds = seed_tables,
};
