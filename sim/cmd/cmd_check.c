/* `slackline check`: is the scenario valid, is its graph legal, and can each policy be planned? */
#include "adversary.h"
#include "cell.h"
#include "command.h"
#include "engine.h"
#include "job_cell.h"
#include "json_out.h"
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
    char cycle[SL_ADVERSARY_TEXT] = "";
    bool complete;
    enum sl_status status = sl_plan_peaks(plan->graph, &complete, err);
    if (status == SL_OK && !complete)
        sl_diags_add(diags, SL_WARNING, "not-checked", policy->place,
                     "policy '%s': the plan is too large to bound its peaks by all that it holds",
                     policy->name);
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

/* As a cell would be opened on the plan. */
static enum sl_status try_jobs(struct sl_scenario *scenario, const struct sl_plan *plan,
                               struct sl_error *err)
{
    struct sl_cell cell = {.scenario = scenario, .plan = *plan};
    enum sl_status status = sl_job_cell_open(&cell, err);
    sl_job_cell_free(cell.jobs);
    sl_arena_free(&cell.arena);
    return status;
}

/* A plan, and the engine's own checks of it: what `run` would refuse, `check` refuses. */
static enum sl_status try_policy(struct sl_scenario *scenario, const struct sl_policy_spec *policy,
                                 struct sl_diags *diags, struct sl_error *err)
{
    struct sl_plan plan = {0};
    struct sl_program *program = NULL;
    enum sl_status status = sl_policy_plan(&plan, scenario, policy, diags, err);
    if (status == SL_OK && sl_scenario_has_jobs(scenario)) {
        status = try_jobs(scenario, &plan, err);
        sl_plan_free(&plan);
        return status;
    }
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
static uint32_t plan_policies(struct sl_scenario *scenario, struct sl_diags *diags)
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
static enum sl_status check_sweep(const char *path, const struct sl_scenario *scenario,
                                  struct sl_diags *diags, struct sl_error *err)
{
    struct sl_sweep_request request = {.path = path, .loaded = scenario};
    struct sl_arena arena = {0};
    struct sl_diags own = {0};
    struct sl_cell_spec *specs;
    uint32_t count;
    enum sl_status status = sl_sweep_cells(&request, &arena, &specs, &count, &own, err);
    for (size_t i = 0; i < own.count; i++)
        if (own.items[i].severity == SL_ERROR || strcmp(own.items[i].code, "unused-axis") == 0) {
            sl_diags_add(diags, own.items[i].severity, own.items[i].code, own.items[i].place, "%s",
                         own.items[i].message);
            if (own.items[i].suggestion)
                sl_diags_suggest(diags, "%s", own.items[i].suggestion);
        }
    sl_diags_free(&own);
    sl_arena_free(&arena);
    return status;
}

/* What a check found. */
struct findings {
    const char *path;
    struct sl_scenario scenario;
    struct sl_diags diags;
    struct sl_error err;
    uint32_t legal_plans;
    enum sl_status status; /* SL_OK, SL_NO or why there is no answer */
};

static void examine(struct findings *f)
{
    struct sl_diags *diags = &f->diags;
    f->status = sl_scenario_load(&f->scenario, f->path, NULL, 0, diags, &f->err);
    if (f->status == SL_OK) {
        sl_policy_check(&f->scenario, diags);
        f->status = sl_diags_status(diags, &f->err);
    }
    if (f->status == SL_OK) {
        f->legal_plans = plan_policies(&f->scenario, diags);
        f->status = sl_diags_status(diags, &f->err);
    }
    if (f->status == SL_OK && f->scenario.axis_count > 0)
        f->status = check_sweep(f->path, &f->scenario, diags, &f->err);
    if (f->status == SL_OK && f->scenario.policy_count > 0 && f->legal_plans == 0)
        f->status = SL_NO;
}

static const char *verdict_of(const struct findings *f)
{
    return f->status == SL_OK        ? "legal"
           : f->status == SL_NO      ? "illegal"
           : f->status == SL_INVALID ? "invalid"
                                     : "failed";
}

/* "1 node", "2 nodes". */
static void print_count(const char *before, size_t count, const char *what)
{
    printf("%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

static void print_verdict(const struct findings *f)
{
    const struct sl_graph *graph = f->scenario.graph;
    printf("%s: %s: ", f->scenario.name, verdict_of(f));
    print_count("", graph->node_count, "node");
    print_count(", ", graph->edge_count, "edge");
    print_count(", ", graph->object_count, "object");
    printf("; legal plans: %u of %u", f->legal_plans, f->scenario.policy_count);
    print_count("; ", f->diags.warnings, "warning");
    putchar('\n');
}

static void print_findings(const struct findings *f)
{
    size_t errors = f->diags.errors;
    sl_diags_print(&f->diags, stderr);
    if (f->status == SL_OK || (f->status == SL_NO && errors == 0 && f->err.status == SL_OK)) {
        print_verdict(f);
        return;
    }
    /* A fault that is not among the diagnostics still has to be told. */
    if (errors == 0 || f->status == SL_SYSTEM)
        sl_report_error("check", &f->err);
    if (errors == 0)
        return;
    printf("%s: %s", f->path, verdict_of(f));
    print_count(": ", errors, f->status == SL_NO ? "violation" : "error");
    print_count(", ", f->diags.warnings, "warning");
    putchar('\n');
}

static void put_subjects(yajl_gen gen, const char *key, const struct sl_diag *item,
                         enum sl_subject_kind kind)
{
    sl_json_open_array(gen, key);
    for (size_t i = 0; i < item->subject_count; i++)
        if (item->subjects[i].kind == kind)
            sl_json_text(gen, NULL, item->subjects[i].name);
    yajl_gen_array_close(gen);
}

static void put_diagnostic(yajl_gen gen, const struct sl_diag *item)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "severity", sl_severity_name(item->severity));
    sl_json_text(gen, "code", item->code);
    sl_json_text(gen, "file", item->place.file);
    sl_json_integer(gen, "line", item->place.line);
    sl_json_integer(gen, "column", item->place.column);
    sl_json_text(gen, "message", item->message);
    sl_json_text(gen, "suggestion", item->suggestion);
    put_subjects(gen, "nodes", item, SL_SUBJECT_NODE);
    put_subjects(gen, "objects", item, SL_SUBJECT_OBJECT);
    yajl_gen_map_close(gen);
}

static enum sl_status put_findings(const struct findings *f, struct sl_error *err)
{
    const struct sl_graph *graph = f->scenario.graph;
    const struct sl_diag **order = sl_diags_in_order(&f->diags);
    yajl_gen gen = sl_json_create();
    if (!gen || (f->diags.count > 0 && !order)) {
        free(order);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a report");
    }
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "scenario", f->scenario.name);
    sl_json_text(gen, "verdict", verdict_of(f));
    sl_json_text(gen, "reason", f->err.status != SL_OK ? f->err.message : NULL);
    sl_json_integer(gen, "errors", (int64_t)f->diags.errors);
    sl_json_integer(gen, "warnings", (int64_t)f->diags.warnings);
    sl_json_integer(gen, "nodes", graph ? graph->node_count : 0);
    sl_json_integer(gen, "edges", graph ? graph->edge_count : 0);
    sl_json_integer(gen, "objects", graph ? graph->object_count : 0);
    sl_json_integer(gen, "policies", f->scenario.policy_count);
    sl_json_integer(gen, "legal_plans", f->legal_plans);
    sl_json_open_array(gen, "diagnostics");
    for (size_t i = 0; i < f->diags.count; i++)
        put_diagnostic(gen, order[i]);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
    free(order);
    return sl_json_finish(gen, stdout, err);
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    (void)key, (void)value, (void)err;
    *(bool *)user = true;
    return SL_OK;
}

static enum sl_status run_check(const struct sl_command *command, int argc, char **argv)
{
    bool json = false, done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take_option, &json, &first, &done);
    if (status != SL_OK || done)
        return status;
    struct findings findings = {.path = argv[first]};
    struct sl_error err = {0};
    examine(&findings);
    status = findings.status;
    if (!json)
        print_findings(&findings);
    else if (put_findings(&findings, &err))
        status = sl_report_error(command->name, &err);
    sl_diags_free(&findings.diags);
    sl_scenario_free(&findings.scenario);
    return status;
}

static const struct sl_option options[] = {
    {SL_KEY_LONG, "json", NULL, "print the verdict and all diagnostics as JSON on stdout"},
};

const struct sl_command sl_command_check = {
    .name = "check",
    .summary = "Check a scenario: validity, legality, and a plan of every policy",
    .operands = "SCENARIO",
    .description =
        "Prints every fault, warning and note as 'file:line:column: severity: text [code]'\n"
        "on stderr, with files relative to the scenario, and a one-line verdict on stdout.\n"
        "A second line suggests what to do. 'slackline list legality' shows the rules.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_check,
};
