/* `slackline explain`: one trial of a policy in full: its chain, slack, reclamations, and why all
 * trials make progress.  In modes open and closed: one job. */
#include "config.h"

#include "choice_costs_csv.h"
#include "explain.h"
#include "explain_costs.h"
#include "explain_job.h"
#include "kept.h"
#include "progress.h"
#include "session.h"
#include "text.h"

enum {
    SL_KEY_AT = SL_KEY_JSON + 1,
    SL_KEY_TRIAL,
    SL_KEY_JOB,
    SL_KEY_NODE,
    SL_KEY_OBJECT,
    SL_KEY_COSTS
};

struct explain_args {
    struct sl_session session;
    struct sl_explain_at at;
    struct sl_job_pick pick;   /* by number, or trial alone; `at` says which quantile */
    const char *node, *object; /* NULL: the whole report */
    const char *dir;           /* of the picture or costs.csv; NULL: none */
    bool costs, at_given;
    bool force, refuted; /* refuted: a proof failed */
};

static enum sl_status take_number(const char *option, const char *value, int64_t most,
                                  uint64_t *number, struct sl_error *err)
{
    char why[SL_WHY_SIZE];
    int64_t integer;
    if (!sl_parse_integer(value, 0, most, &integer, why))
        return SL_FAIL(err, SL_USAGE, "%s: %s", option, why);
    *number = (uint64_t)integer;
    return SL_OK;
}

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct explain_args *args = user;
    uint64_t trial = SL_NONE;
    enum sl_status status;
    switch (key) {
    case SL_KEY_TRIAL:
        status = take_number("--trial", value, SL_NONE - 1, &trial, err);
        args->pick.trial = (uint32_t)trial;
        return status;
    case SL_KEY_JOB:
        args->pick.is_number = true;
        return take_number("--job", value, UINT32_MAX, &args->pick.number, err);
    case SL_KEY_COSTS:
        args->costs = true;
        return SL_OK;
    case SL_KEY_AT:
        args->at_given = true;
        return sl_explain_at_read(&args->at, value, err);
    case SL_KEY_NODE:
        args->node = value;
        return SL_OK;
    case SL_KEY_OBJECT:
        args->object = value;
        return SL_OK;
    case 'o':
        args->dir = value;
        return SL_OK;
    case SL_KEY_FORCE:
        args->force = true;
        return SL_OK;
    default:
        return sl_run_args_take(&args->session.args, key, value, err);
    }
}

static enum sl_status unknown(const char *what, const char *name, const struct sl_names *names,
                              struct sl_error *err)
{
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, name, names->names, names->count);
    return SL_FAIL(err, SL_USAGE, "the plan has no %s '%s'%s", what, name, hint);
}

/* A name that nobody has is told before thousands of trials are run.  What a policy inserts is
 * known only to its plan. */
static enum sl_status check_names(const struct explain_args *args, const char *policy,
                                  struct sl_error *err)
{
    const struct sl_scenario *scenario = &args->session.scenario;
    const struct sl_names *nodes = &scenario->graph->node_names;
    const struct sl_names *objects = &scenario->graph->object_names;
    if (args->object && !args->costs && sl_names_find(objects, args->object) == SL_NONE)
        return unknown("object", args->object, objects, err);
    if (!args->node || sl_names_find(nodes, args->node) != SL_NONE)
        return SL_OK;
    struct sl_plan plan = {0};
    struct sl_diags diags = {0};
    const struct sl_policy_spec *spec = sl_scenario_policy(scenario, policy);
    enum sl_status status = spec ? sl_policy_plan(&plan, scenario, spec, &diags, NULL) : SL_NO;
    /* What is wrong with the plan is told when the cell is run. */
    if (status == SL_OK && sl_names_find(&plan.graph->node_names, args->node) == SL_NONE)
        status = unknown("node", args->node, &plan.graph->node_names, err);
    else
        status = SL_OK;
    sl_plan_free(&plan);
    sl_diags_free(&diags);
    return status;
}

/* ---- the report ---------------------------------------------------------------------------- */

static void print_text(const struct explain_args *args, struct sl_explain *x)
{
    sl_explain_head(x, stdout);
    if (args->node)
        sl_explain_node(x, sl_names_find(&x->graph->node_names, args->node), stdout, NULL);
    if (args->object)
        sl_explain_object(x, sl_names_find(&x->graph->object_names, args->object), stdout, NULL);
    if (args->node || args->object)
        return;
    sl_explain_story(x, stdout);
    sl_explain_edits(x, stdout);
    sl_explain_chain(x, stdout);
    sl_explain_slack(x, stdout);
    sl_explain_reclaim(x, stdout);
    sl_explain_progress(x, stdout);
    fputs("\nwhat it would cost to retain, move or recompute each object: --costs\n", stdout);
}

static enum sl_status print_json(const struct explain_args *args, struct sl_explain *x,
                                 struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_json_open_map(gen, NULL);
    sl_explain_head_json(x, gen);
    if (args->node)
        sl_explain_node(x, sl_names_find(&x->graph->node_names, args->node), NULL, gen);
    if (args->object)
        sl_explain_object(x, sl_names_find(&x->graph->object_names, args->object), NULL, gen);
    if (!args->node && !args->object) {
        sl_explain_story_json(x, gen);
        sl_explain_edits_json(x, gen);
        sl_explain_chain_json(x, gen);
        sl_explain_slack_json(x, gen);
        sl_explain_reclaim_json(x, gen);
        sl_explain_progress_json(x, gen);
    }
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, stdout, err);
}

/* A policy without a legal plan has nothing to explain but why. */
static enum sl_status print_illegal(const struct explain_args *args, const struct sl_cell *cell,
                                    struct sl_error *err)
{
    if (!args->session.args.json) {
        printf("%s: policy %s has no legal plan: %s\n", cell->scenario->name, cell->spec.policy,
               cell->reason);
        return SL_OK;
    }
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "scenario", cell->scenario->name);
    sl_json_text(gen, "policy", cell->spec.policy);
    sl_json_text(gen, "verdict", "illegal");
    sl_json_text(gen, "reason", cell->reason);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, stdout, err);
}

static bool is_refuted(const struct sl_explain *x)
{
    bool refuted = x->all.violations > 0 || x->all.waits.cyclic_trials > 0;
    for (uint32_t k = 0; k < x->reclaim_count; k++)
        refuted |= x->reclaims[k].verdict == SL_RECLAIM_VIOLATED;
    return refuted;
}

/* The picture; its title has the settings that are not the scenario's. */
static enum sl_status draw(const struct explain_args *args, struct sl_explain *x,
                           struct sl_error *err)
{
    const struct sl_run_args *run = &args->session.args;
    const char *settings = "";
    for (uint32_t i = 0; settings && i < run->override_count; i++)
        settings = sl_arena_printf(&x->arena, "%s, %s", settings, run->settings[i]);
    if (!settings)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_explain_draw(x, args->dir, settings, err);
    if (status == SL_OK && !run->json)
        printf("\npicture: %s/gantt.png\n", args->dir);
    return status;
}

static enum sl_status print_job_json(struct sl_explained_job *x, struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_json_open_map(gen, NULL);
    sl_explain_job_json(x, gen);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, stdout, err);
}

static enum sl_status explain_job(const struct explain_args *args, const struct sl_cell *cell,
                                  struct sl_error *err)
{
    struct sl_job_telling telling;
    struct sl_job_pick pick = args->pick;
    struct sl_explained_job x = {.cell = cell,
                                 .telling = &telling,
                                 .seed = sl_session_seed(&args->session),
                                 .one_trial = pick.trial != SL_NONE,
                                 .at = pick.is_number ? NULL : args->at.text};
    pick.q = args->at.q;
    enum sl_status status = sl_job_telling_make(&telling, cell, x.seed, &pick, err);
    sl_progress_end();
    if (status == SL_OK && args->session.args.json)
        status = print_job_json(&x, err);
    else if (status == SL_OK)
        sl_explain_job(&x, stdout);
    sl_job_telling_free(&telling);
    sl_report_free(&x.arena);
    return status;
}

static enum sl_status explain_cell(struct sl_session *session, const struct sl_cell *cell,
                                   struct sl_error *err)
{
    struct explain_args *args = session->user;
    if (!cell->plan.graph)
        return print_illegal(args, cell, err);
    if (cell->jobs)
        return explain_job(args, cell, err);
    struct sl_explain x;
    enum sl_status status = sl_explain_gather(&x, cell, sl_session_seed(session), &args->at, err);
    if (status == SL_OK && !args->node && !args->object) {
        struct sl_run_options options = session->args.options;
        options.progress = sl_progress;
        status = sl_proofs_gather(&x.all, cell, x.program, &options, err);
    }
    if (status == SL_OK) {
        sl_progress_end();
        args->refuted = is_refuted(&x);
        if (session->args.json)
            status = print_json(args, &x, err);
        else
            print_text(args, &x);
        if (status == SL_OK && args->dir)
            status = draw(args, &x, err);
    }
    sl_explain_free(&x);
    return status;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static enum sl_status check_costs(const struct explain_args *args, struct sl_error *err)
{
    const struct sl_graph *graph = args->session.scenario.graph;
    if (args->at_given || args->node)
        return SL_FAIL(err, SL_USAGE,
                       "--costs is about all trials: it goes without --at and --node");
    bool matched = !args->object;
    for (uint32_t o = 0; o < graph->object_count && !matched; o++)
        matched = sl_glob_any(args->object, graph->objects[o].name);
    return matched ? SL_OK
                   : SL_FAIL(err, SL_USAGE, "--object: no object matches '%s'", args->object);
}

static enum sl_status show_costs(const struct explain_args *args,
                                 const struct sl_choice_costs *costs, const char *policy,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (args->session.args.json) {
        yajl_gen gen = sl_json_create();
        if (!gen)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        sl_json_open_map(gen, NULL);
        sl_explain_costs_json(costs, policy, gen);
        yajl_gen_map_close(gen);
        status = sl_json_finish(gen, stdout, err);
    } else {
        sl_explain_costs(costs, policy, stdout);
    }
    if (status == SL_OK && args->dir)
        status = sl_choice_costs_csv_write(args->dir, policy, costs, err);
    return status;
}

static enum sl_status explain_costs(struct explain_args *args, const char *policy)
{
    const struct sl_session *session = &args->session;
    const struct sl_scenario *scenario = &session->scenario;
    struct sl_run_options options = session->args.options;
    uint32_t most = scenario->trials < SL_COSTS_TRIALS ? scenario->trials : SL_COSTS_TRIALS;
    struct sl_costs_request request = {.objects = args->object,
                                       .gaps = args->object ? SL_NONE : SL_COSTS_GAPS,
                                       .trials = options.trials ? options.trials : most,
                                       .seed = sl_session_seed(session)};
    struct sl_choice_costs costs;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    options.progress = sl_progress;
    sl_progress_start("plans");
    enum sl_status status = sl_choice_costs_make(
        &costs, scenario, sl_scenario_policy(scenario, policy), &request, &options, &diags, &err);
    sl_progress_end();
    size_t told = sl_session_tell(session, &diags);
    if (status == SL_OK)
        status = show_costs(args, &costs, policy, &err);
    if (status == SL_INTERRUPTED)
        fputs("slackline explain: interrupted: nothing was written\n", stderr);
    else if (status != SL_OK && (told == 0 || status == SL_SYSTEM))
        sl_report_error("explain", &err);
    if (status == SL_OK && costs.deadlocked == costs.trials)
        status = SL_NO;
    sl_choice_costs_free(&costs);
    sl_diags_free(&diags);
    return status;
}

/* What is asked for in this mode is a job, or a trial. */
static enum sl_status check_mode(const struct explain_args *args, struct sl_error *err)
{
    const struct sl_session *session = &args->session;
    enum sl_status status = SL_OK;
    if (!sl_scenario_has_jobs(&session->scenario)) {
        if (args->pick.is_number || args->pick.trial != SL_NONE)
            return SL_FAIL(err, SL_USAGE,
                           "%s is about the jobs of modes open and closed; --at explains a trial",
                           args->pick.is_number ? "--job" : "--trial");
        return SL_OK;
    }
    if (args->at_given && args->at.is_trial)
        return SL_FAIL(
            err, SL_USAGE,
            "--at: in mode %s it says which job, by latency (allowed: median, worst, or "
            "a quantile such as p99); --trial chooses a trial, --job a job by its number",
            sl_mode_words[session->scenario.mode]);
    if (args->at_given && args->pick.is_number)
        return SL_FAIL(err, SL_USAGE, "--at and --job both choose the job: give one of them");
    if (args->costs)
        status = sl_session_lacks_jobs(session, "--costs", "compare policies instead", err);
    if (status == SL_OK && args->node)
        status =
            sl_session_lacks_jobs(session, "--node", "'slackline run' reports waits by node", err);
    if (status == SL_OK && args->object)
        status = sl_session_lacks_jobs(
            session, "--object", "'slackline run' reports what became of shared objects", err);
    if (status == SL_OK && args->dir)
        status = sl_session_lacks_jobs(session, "-o DIR", "--json has all of a job", err);
    return status;
}

static enum sl_status explain(struct explain_args *args, const char *path)
{
    const char *policy;
    struct sl_error err = {0};
    enum sl_status status = sl_session_policy(&args->session, &policy);
    if (status != SL_OK)
        return status;
    status = check_mode(args, &err);
    if (status == SL_OK)
        status = check_names(args, policy, &err);
    if (status == SL_OK && args->costs)
        status = check_costs(args, &err);
    if (status == SL_OK && args->force && !args->dir)
        status = SL_FAIL(&err, SL_USAGE, "--force needs a folder (-o DIR)");
    if (status == SL_OK && args->dir)
        status = sl_explain_check_folder(args->dir, args->force, &err);
    if (status != SL_OK)
        return sl_report_error("explain", &err);
    if (args->costs && policy)
        return explain_costs(args, policy);
    status = sl_session_run(&args->session, path, &policy, policy ? 1 : 0, true);
    if (status == SL_OK && args->refuted) {
        fputs("slackline explain: a proof failed\n", stderr);
        status = SL_NO;
    }
    return status;
}

static enum sl_status run_explain(const struct sl_command *command, int argc, char **argv)
{
    struct explain_args args = {.session = {.command = command, .on_cell = explain_cell},
                                .at = {.text = "median", .q = 0.5},
                                .pick = {.trial = SL_NONE}};
    args.session.user = &args;
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    if (status == SL_OK && !done) {
        status = sl_session_open(&args.session, argv[first], "");
        if (status == SL_OK)
            status = explain(&args, argv[first]);
    }
    sl_session_close(&args.session);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "explain this policy (default: the baseline)"},
    {SL_KEY_AT, "at", "TRIAL", "median (default), worst, a quantile (p99), or a trial's number"},
    {SL_KEY_TRIAL, "trial", "K", "modes open, closed: --at or --job within this trial"},
    {SL_KEY_JOB, "job", "N", "modes open, closed: explain this job (default: --at by latency)"},
    {SL_KEY_NODE, "node", "NAME", "every field of this node instead of the report"},
    {SL_KEY_OBJECT, "object", "NAME", "every field of this object instead of the report"},
    {SL_KEY_COSTS, "costs", NULL, "what each choice costs instead of the report; --object: globs"},
    {SL_KEY_SET, "set", "KEY=VALUE", "override a key of the scenario; may be repeated"},
    {SL_KEY_TRIALS, "trials", "N", "trials to choose from (default: the scenario's)"},
    {SL_KEY_SEED, "seed", "S", "seed of every draw (default: the scenario's)"},
    {SL_KEY_THREADS, "threads", "T", "worker threads (default: one per core)"},
    {'o', "output", "DIR", "draw the trial's Gantt chart (or write costs.csv) here"},
    {SL_KEY_FORCE, "force", NULL, "replace an earlier picture"},
    {SL_KEY_JSON, "json", NULL, "print JSON, everything at full precision"},
};

const struct sl_command sl_command_explain = {
    .name = "explain",
    .summary = "Explain one trial of a policy, with proofs of reclamation and progress, or one job "
               "of many",
    .operands = "SCENARIO",
    .description =
        "Runs the policy's trials, runs the one asked for again, and prints its story in\n"
        "sentences, what the policy changed, the realized critical chain, readiness and\n"
        "slack, for every reclamation the terms of reclaim_ready, and whether waits can end\n"
        "in a cycle.  With --costs, instead, what it would cost to retain, offload or recompute\n"
        "each object, each by runs of the plan in which only that choice differs.\n"
        "In modes open and closed it explains one job: where its latency went, along its chain,\n"
        "and who held what it waited for.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_explain,
};
