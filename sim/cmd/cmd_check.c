/* `slackline check`: is the scenario valid, is its graph legal, and can each policy be planned? */
#include "adversary.h"
#include "command.h"
#include "engine.h"
#include "peak_bound.h"
#include "policy.h"
#include "sweep.h"
#include <stdlib.h>
#include <string.h>

/* Bytes that no order avoids make a plan illegal; bytes that some durations lock are a warning. */
static enum sl_status judge_capacity(const struct sl_plan *plan,
                                     const struct sl_policy_spec *policy, struct sl_diags *diags,
                                     struct sl_error *err)
{
    char cycle[SL_ADVERSARY_TEXT];
    enum sl_status status = sl_plan_peaks(plan->graph, err);
    if (status == SL_OK)
        status = sl_adversary_run(plan->graph, &plan->engine, cycle, err);
    if (status != SL_OK || !cycle[0])
        return status;
    sl_diags_add(diags, SL_WARNING, "wait-cycle", policy->place,
                 "policy '%s' can deadlock, as durations decide: %s", policy->name, cycle);
    sl_diags_suggest(
        diags,
        "'run --policy %s' tells how often; to rule it out, order what takes bytes early "
        "after what waits for them",
        policy->name);
    return SL_OK;
}

/* A plan, and the engine's own checks of it: what `run` would refuse, `check` refuses. */
static enum sl_status try_policy(const struct sl_scenario *scenario,
                                 const struct sl_policy_spec *policy, struct sl_diags *diags,
                                 struct sl_error *err)
{
    struct sl_plan plan = {0};
    struct sl_program *program = NULL;
    enum sl_status status = sl_policy_plan(&plan, scenario, policy, diags, err);
    if (status == SL_OK)
        status = sl_program_create(&program, plan.graph, &plan.engine, err);
    if (status == SL_OK)
        status = judge_capacity(&plan, policy, diags, err);
    sl_program_free(program);
    sl_plan_free(&plan);
    return status;
}

/* Plans every policy on the scenario as it stands.  A plan that cannot be legal is a note: another
 * policy, or another point of the sweep, may still be fine.  Returns the number of legal plans. */
static uint32_t plan_policies(const struct sl_scenario *scenario, struct sl_diags *diags)
{
    uint32_t legal = 0;
    for (uint32_t i = 0; i < scenario->policy_count; i++) {
        const struct sl_policy_spec *policy = &scenario->policies[i];
        struct sl_error err = {0};
        enum sl_status status = try_policy(scenario, policy, diags, &err);
        if (status == SL_INVALID && err.place.file) {
            /* A fault of a row: every policy would say the same. */
            sl_diags_add(diags, SL_ERROR, "cannot-run", err.place, "%s", err.message);
            break;
        }
        if (status == SL_OK)
            legal++;
        else
            sl_diags_add(diags, status == SL_NO ? SL_NOTE : SL_ERROR,
                         status == SL_NO       ? "illegal-plan"
                         : status == SL_SYSTEM ? "out-of-memory"
                                               : "plan-failed",
                         policy->place, "policy '%s': %s", policy->name, err.message);
    }
    return legal;
}

/* Every value of every sweep axis; the warnings of the scenario itself have been given already. */
static enum sl_status check_sweep(const char *path, struct sl_diags *diags, struct sl_error *err)
{
    struct sl_sweep_request request = {.path = path};
    struct sl_arena arena = {0};
    struct sl_diags own = {0};
    struct sl_cell_spec *specs;
    uint32_t count;
    enum sl_status status = sl_sweep_cells(&request, &arena, &specs, &count, &own, err);
    for (size_t i = 0; i < own.count; i++)
        if (own.items[i].severity == SL_ERROR || strcmp(own.items[i].code, "unused-axis") == 0)
            sl_diags_add(diags, own.items[i].severity, own.items[i].code, own.items[i].place, "%s",
                         own.items[i].message);
    sl_diags_free(&own);
    sl_arena_free(&arena);
    return status;
}

static void print_verdict(const struct sl_scenario *scenario, const struct sl_diags *diags,
                          uint32_t legal)
{
    const struct sl_graph *graph = scenario->graph;
    printf("%s: %s: %u nodes, %u edges, %u objects; %u of %u policies have a legal plan; "
           "%zu warning%s\n",
           scenario->name, legal > 0 || scenario->policy_count == 0 ? "legal" : "illegal",
           graph->node_count, graph->edge_count, graph->object_count, legal, scenario->policy_count,
           diags->warnings, diags->warnings == 1 ? "" : "s");
}

static enum sl_status check_scenario(const char *path, struct sl_scenario *scenario,
                                     struct sl_diags *diags)
{
    struct sl_error err = {0};
    uint32_t legal = 0;
    enum sl_status status = sl_scenario_load(scenario, path, NULL, 0, diags, &err);
    if (status == SL_OK) {
        sl_policy_check(scenario, diags);
        status = sl_diags_status(diags, &err);
    }
    if (status == SL_OK) {
        legal = plan_policies(scenario, diags);
        status = sl_diags_status(diags, &err);
    }
    if (status == SL_OK && scenario->axis_count > 0)
        status = check_sweep(path, diags, &err);
    sl_diags_print(diags, stderr);
    if (status == SL_OK) {
        print_verdict(scenario, diags, legal);
        return legal > 0 || scenario->policy_count == 0 ? SL_OK : SL_NO;
    }
    /* A fault that is not among the diagnostics still has to be told. */
    if (diags->errors == 0 || status == SL_SYSTEM)
        sl_report_error("check", &err);
    if (status == SL_NO)
        printf("%s: illegal\n", path);
    else if (diags->errors > 0)
        printf("%s: invalid: %zu error%s, %zu warning%s\n", path, diags->errors,
               diags->errors == 1 ? "" : "s", diags->warnings, diags->warnings == 1 ? "" : "s");
    return status;
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    (void)user, (void)key, (void)value, (void)err;
    return SL_OK;
}

static enum sl_status run_check(const struct sl_command *command, int argc, char **argv)
{
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take_option, NULL, &first, &done);
    if (status != SL_OK || done)
        return status;
    struct sl_scenario scenario = {0};
    struct sl_diags diags = {0};
    status = check_scenario(argv[first], &scenario, &diags);
    sl_diags_free(&diags);
    sl_scenario_free(&scenario);
    return status;
}

const struct sl_command sl_command_check = {
    .name = "check",
    .summary = "Check a scenario: validity, legality, and a plan of every policy",
    .operands = "SCENARIO",
    .description =
        "Prints every fault, warning and note as 'file:line:column: severity: text [code]'\n"
        "on stderr, with files relative to the scenario, and a one-line verdict on stdout.",
    .operand_min = 1,
    .operand_max = 1,
    .run = run_check,
};
