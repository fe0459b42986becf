/* `slackline export`: a trial or a plan in a format of other tools. */
#include "config.h"

#include "explain.h"
#include "export_record.h"
#include "exporter.h"
#include "outfile.h"
#include "progress.h"
#include "session.h"
#include "text.h"
#include "trace_input.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SL_KEY_AT = SL_KEY_JSON + 1, SL_KEY_FORMAT, SL_KEY_WINDOW, KEY_SCENARIO };

struct export_args {
    struct sl_session session;
    const struct sl_exporter *exporter;
    struct sl_explain_at at;
    int64_t from_ps, to_ps;
    const char *file;     /* NULL: standard output */
    const char *scenario; /* of a record: where its scenario lies now; NULL: as it says */
    bool at_given, window_given, force;
};

static enum sl_status take_format(struct export_args *args, const char *value, struct sl_error *err)
{
    const char *names[16];
    size_t count = 0;
    for (; count < sl_exporter_count() && count < 16; count++) {
        names[count] = sl_exporter_get(count)->name;
        if (strcmp(names[count], value) == 0) {
            args->exporter = sl_exporter_get(count);
            return SL_OK;
        }
    }
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, value, names, count);
    return SL_FAIL(err, SL_USAGE, "--format: unknown format '%s'%s", value, hint);
}

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct export_args *args = user;
    switch (key) {
    case SL_KEY_FORMAT:
        return take_format(args, value, err);
    case SL_KEY_AT:
        args->at_given = true;
        return sl_explain_at_read(&args->at, value, err);
    case SL_KEY_WINDOW:
        args->window_given = true;
        return sl_window_parse(value, &args->from_ps, &args->to_ps, err);
    case KEY_SCENARIO:
        args->scenario = value;
        return SL_OK;
    case 'o':
        args->file = value;
        return SL_OK;
    case SL_KEY_FORCE:
        args->force = true;
        return SL_OK;
    default:
        return sl_run_args_take(&args->session.args, key, value, err);
    }
}

static enum sl_status check(const struct export_args *args, struct sl_error *err)
{
    if (!args->exporter)
        return SL_FAIL(err, SL_USAGE, "--format is missing; 'slackline list exporters' shows all");
    if (!args->exporter->of_trial && (args->at_given || args->window_given))
        return SL_FAIL(err, SL_USAGE, "--format %s shows a plan: it goes without --at and --window",
                       args->exporter->name);
    if (args->force && !args->file)
        return SL_FAIL(err, SL_USAGE, "--force needs a file (-o FILE)");
    if (args->file && !args->force && access(args->file, F_OK) == 0)
        return SL_FAIL(err, SL_USAGE, "'%s' exists already (--force replaces it)", args->file);
    return SL_OK;
}

/* To the file, whole or not at all, or to standard output. */
static enum sl_status write_out(const struct export_args *args, const struct sl_export *what,
                                struct sl_error *err)
{
    if (!args->file) {
        enum sl_status status = args->exporter->write(what, stdout, err);
        if (status == SL_OK && fflush(stdout) != 0)
            status = SL_FAIL(err, SL_SYSTEM, "standard output: %s", strerror(errno));
        return status;
    }
    struct sl_outfile file = {0};
    enum sl_status status = sl_outfile_open(&file, args->file, err);
    if (status == SL_OK)
        status = args->exporter->write(what, file.stream, err);
    bool lost = file.stream && ferror(file.stream);
    if (lost)
        *err = (struct sl_error){0}; /* the commit says which file it was, and why */
    if (status == SL_OK || lost)
        return sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return status;
}

static enum sl_status export_trial(const struct export_args *args, const struct sl_cell *cell,
                                   struct sl_export *what, struct sl_error *err)
{
    struct sl_explain x;
    enum sl_status status =
        sl_explain_gather(&x, cell, sl_session_seed(&args->session), &args->at, err);
    if (status == SL_OK) {
        what->trial = x.trial;
        what->links = x.links;
        what->link_count = x.link_count;
        status = write_out(args, what, err);
    }
    sl_explain_free(&x);
    return status;
}

static enum sl_status export_cell(struct sl_session *session, const struct sl_cell *cell,
                                  struct sl_error *err)
{
    struct export_args *args = session->user;
    sl_progress_end();
    if (!cell->plan.graph) {
        fprintf(stderr, "slackline export: policy %s has no legal plan: %s\n", cell->spec.policy,
                cell->reason);
        return SL_OK;
    }
    struct sl_export what = {.scenario = cell->scenario->name,
                             .policy = cell->spec.policy,
                             .graph = cell->plan.graph,
                             .source = cell->scenario,
                             .plan = &cell->plan,
                             .from_ps = args->from_ps,
                             .to_ps = args->to_ps};
    return args->exporter->of_trial ? export_trial(args, cell, &what, err)
                                    : write_out(args, &what, err);
}

static enum sl_status export_it(struct export_args *args, const char *path)
{
    const char *policy;
    enum sl_status status = sl_session_policy(&args->session, &policy);
    if (status != SL_OK)
        return status;
    if (!args->exporter->of_trial)
        args->session.args.options.trials = 1;
    return sl_session_run(&args->session, path, &policy, policy ? 1 : 0, true);
}

/* ---- of a record ------------------------------------------------------------------------------
 */

static enum sl_status check_record(const struct export_args *args, struct sl_error *err)
{
    const struct sl_run_args *run = &args->session.args;
    if (args->exporter->of_trial)
        return SL_FAIL(err, SL_USAGE,
                       "--format %s shows a trial of a scenario, and a record has a plan: it goes "
                       "with --format handoff or dot",
                       args->exporter->name);
    if (run->override_count > 0 || run->options.trials > 0 || run->options.seed_given)
        return SL_FAIL(err, SL_USAGE,
                       "--set, --trials and --seed go with a scenario; a record has its settings");
    if (run->policy_count > 1)
        return SL_FAIL(err, SL_USAGE, "one --policy is exported");
    return SL_OK;
}

static enum sl_status write_plan(void *user, const struct sl_export *what, struct sl_error *err)
{
    return write_out(user, what, err);
}

static enum sl_status export_record(struct export_args *args, const char *operand)
{
    struct sl_error err = {0};
    const struct sl_run_args *run = &args->session.args;
    const struct sl_export_record from = {operand, args->scenario,
                                          run->policy_count > 0 ? run->policies[0] : NULL};
    enum sl_status status = check_record(args, &err);
    if (status == SL_OK)
        status = sl_export_record(&from, write_plan, args, &err);
    return err.status == SL_OK ? status : sl_report_error("export", &err);
}

/* ---- of a scenario ----------------------------------------------------------------------------
 */

static enum sl_status export_scenario(struct export_args *args, const char *path)
{
    if (args->scenario)
        return sl_usage_error("export", "--scenario is about a record, and '%s' is none", path);
    if (args->exporter->of_trial)
        args->session.instead_of_jobs =
            "'slackline run -o DIR' writes the jobs of all trials to jobs.csv";
    enum sl_status status = sl_session_open(&args->session, path, "");
    return status == SL_OK ? export_it(args, path) : status;
}

static enum sl_status run_export(const struct sl_command *command, int argc, char **argv)
{
    struct export_args args = {.session = {.command = command, .on_cell = export_cell},
                               .at = {.text = "median", .q = 0.5},
                               .to_ps = INT64_MAX};
    args.session.user = &args;
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    if (status == SL_OK && !done) {
        status = check(&args, &err);
        if (status != SL_OK)
            status = sl_report_error(command->name, &err);
        if (status == SL_OK)
            status = sl_export_is_record(argv[first]) ? export_record(&args, argv[first])
                                                      : export_scenario(&args, argv[first]);
    }
    sl_session_close(&args.session);
    return status;
}

static const struct sl_option options[] = {
    {SL_KEY_FORMAT, "format", "NAME", "perfetto (a trial), dot or handoff (the plan)"},
    {'p', "policy", "P",
     "export this policy (default: the baseline; of a record: the selected one)"},
    {KEY_SCENARIO, "scenario", "DIR", "of a record: where its scenario lies now"},
    {SL_KEY_AT, "at", "TRIAL", "median (default), worst, a quantile (p99), or a trial's number"},
    {SL_KEY_WINDOW, "window", "FROM:TO", "only what runs then, from the trial's beginning"},
    {SL_KEY_SET, "set", "KEY=VALUE", "override a key of the scenario; may be repeated"},
    {SL_KEY_TRIALS, "trials", "N", "trials to choose from (default: the scenario's)"},
    {SL_KEY_SEED, "seed", "S", "seed of every draw (default: the scenario's)"},
    {SL_KEY_THREADS, "threads", "T", "worker threads (default: one per core)"},
    {'o', "output", "FILE", "write this file (default: standard output)"},
    {SL_KEY_FORCE, "force", NULL, "replace an earlier file"},
};

const struct sl_command sl_command_export = {
    .name = "export",
    .summary = "Write a trial or a plan for other tools",
    .operands = "SCENARIO|RECORD",
    .description =
        "Runs the policy's trials and writes the one asked for as JSON that Perfetto shows:\n"
        "tracks of resources, bytes of domains, arrows along the critical chain.  Or writes\n"
        "the policy's plan: its graph for Graphviz, or all that a runtime needs to say whether\n"
        "it can run it.  'slackline list exporters' names the formats.  Of a decision record the\n"
        "decided plan is written, at the record's settings; its inputs are checked by their\n"
        "hashes.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_export,
};
