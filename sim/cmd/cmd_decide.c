/* `slackline decide`: a decision record from a sweep, or of a policy that somebody names. */
#include "config.h"

#include "decide_before.h"
#include "decide_more.h"
#include "decide_report.h"
#include "decide_source.h"
#include "gate.h"
#include "outfile.h"
#include "progress.h"
#include "record_shape.h"
#include "standings.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_WITHIN 2.0
#define MOST_WITHIN    100

enum { KEY_AT = SL_KEY_LONG + 192, KEY_BASELINE, KEY_BASELINE_SET, KEY_WITHIN, KEY_SCENARIO };

/* `user` of the session's option taker. */
struct decide {
    struct sl_session session;
    struct sl_decide_source source;
    const char *dir;      /* of -o; NULL: the results folder */
    const char *baseline; /* a policy, or FOLDER[:POLICY] of another scenario; NULL */
    const char *baseline_policy;
    struct sl_override other[SL_MAX_SETTINGS];
    const char *other_texts[SL_MAX_SETTINGS];
    uint32_t other_count;
    struct sl_scenario other_scenario;
    double within;
    bool force;
    struct sl_decide_more more;
    struct sl_record record, was; /* was: as read, in the arena of the first */
    struct sl_decision decision;
    struct sl_record_lock lock;
    char path[4096]; /* of the record */
};

/* ---- the record there is
 * ------------------------------------------------------------------------- */

static const char *out_dir(const struct decide *decide)
{
    return decide->dir ? decide->dir : decide->source.is_results ? decide->source.path : NULL;
}

static enum sl_status set_path(struct decide *decide, struct sl_error *err)
{
    const char *dir = out_dir(decide);
    if (!dir)
        return SL_FAIL(err, SL_USAGE,
                       "a record of a scenario needs a folder to be written to (-o DIR)");
    int length = snprintf(decide->path, sizeof decide->path, "%s/%s", dir, SL_RECORD_FILE);
    return length < (int)sizeof decide->path
               ? SL_OK
               : SL_FAIL(err, SL_USAGE, "the path of the record is too long");
}

/* ---- identity
 * ------------------------------------------------------------------------------------ */

static enum sl_status keep_selection(struct decide *decide, struct sl_error *err)
{
    const struct sl_record_selection *from = &decide->source.selection;
    struct sl_record *record = &decide->record;
    struct sl_record_selection *to = &record->selection;
    struct sl_arena *arena = &record->arena;
    to->how = from->how;
    to->policy = from->policy ? sl_arena_strdup(arena, from->policy) : NULL;
    to->winner = from->winner ? sl_arena_strdup(arena, from->winner) : NULL;
    to->why = sl_arena_strdup(arena, from->why);
    bool good = to->why && (!from->policy || to->policy) && (!from->winner || to->winner);
    for (uint32_t i = 0; good && i < from->tied.count; i++)
        good = sl_record_add_text(record, &to->tied, from->tied.items[i]);
    return good ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

static bool keep_point(struct decide *decide)
{
    const struct sl_decide_source *source = &decide->source;
    struct sl_record *record = &decide->record;
    const struct sl_run_args *args = &decide->session.args;
    bool good = true;
    for (uint32_t i = 0; good && i < args->setting_count; i++)
        if (strncmp(args->settings[i], "axis=", 5) != 0)
            good = sl_record_add_text(record, &record->environment.settings, args->settings[i]);
    for (uint32_t i = 0; good && i < decide->other_count; i++)
        good = sl_record_add_text(record, &record->environment.baseline_settings,
                                  decide->other_texts[i]);
    for (uint32_t a = 0; good && a < source->axis_count; a++) {
        if (!source->point_texts[a] || strncmp(source->axis_paths[a], "policy.", 7) == 0)
            continue;
        struct sl_record_axis *axis =
            sl_record_add(record, &record->environment.point, &sl_shape_axis);
        if (axis)
            *axis =
                (struct sl_record_axis){sl_arena_strdup(&record->arena, source->axis_paths[a]),
                                        sl_arena_strdup(&record->arena, source->point_texts[a])};
        good = axis && axis->axis && axis->value;
    }
    return good;
}

static enum sl_status identify(struct decide *decide, struct sl_error *err)
{
    struct sl_record *record = &decide->record;
    const struct sl_decide_source *source = &decide->source;
    const struct sl_run_args *args = &decide->session.args;
    decide->was = *record; /* its texts and lists stay in the arena */
    struct sl_record_input *before = record->inputs.items;
    uint32_t count = record->inputs.count;
    record->inputs.items = NULL; /* the old ones are compared with the new */
    record->inputs.capacity = 0;
    sl_record_forget(record);
    record->version = PACKAGE_VERSION;
    record->results = sl_arena_strdup(&record->arena, source->path);
    record->seed = source->seed;
    record->fresh_seed = sl_fresh_seed(sl_fresh_seed(source->seed));
    record->trials = args->options.trials > 0 ? args->options.trials : source->trials;
    record->within = decide->within;
    if (!record->results)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status =
        sl_record_identify(record, &decide->session.scenario, source->scenario, err);
    for (uint32_t i = 0; status == SL_OK && i < decide->session.more_count; i++)
        sl_record_mark_policies(record, decide->session.more_policies[i]);
    if (status == SL_OK && decide->decision.other.path)
        status = sl_record_add_inputs(record, &decide->other_scenario, "baseline", err);
    if (status == SL_OK && !keep_point(decide))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = sl_record_note_findings(record, &decide->session.diags, err);
    if (status == SL_OK)
        status = keep_selection(decide, err);
    return status == SL_OK ? sl_decide_check_inputs(record, decide->path, before, count, err)
                           : status;
}

/* ---- another baseline
 * ---------------------------------------------------------------------------- */

/* A policy of the scenario, or another scenario with a policy behind a colon. */
static enum sl_status find_baseline(struct decide *decide, struct sl_error *err)
{
    struct sl_decision *decision = &decide->decision;
    struct sl_scenario *other = &decide->other_scenario;
    const char *name = decide->baseline;
    struct sl_diags diags = {0};
    if (!name || sl_scenario_policy(&decide->session.scenario, name)) {
        decision->baseline = name;
        return decide->other_count == 0
                   ? SL_OK
                   : SL_FAIL(err, SL_USAGE,
                             "--baseline-set is about a --baseline that is a folder");
    }
    const char *colon = strrchr(name, ':');
    const char *path =
        colon ? sl_arena_printf(&decide->session.args.arena, "%.*s", (int)(colon - name), name)
              : name;
    if (!path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status =
        sl_scenario_load(other, path, decide->other, decide->other_count, &diags, err);
    if (status != SL_OK)
        sl_diags_print(&diags, stderr);
    sl_diags_free(&diags);
    if (status != SL_OK)
        return status;
    decide->baseline_policy = colon ? colon + 1 : other->baseline;
    if (!decide->baseline_policy && other->policy_count == 1)
        decide->baseline_policy = other->policies[0].name;
    if (!decide->baseline_policy || !sl_scenario_policy(other, decide->baseline_policy))
        return SL_FAIL(err, SL_USAGE, "--baseline %s: which policy? Write %s:POLICY", name, path);
    decision->other = (struct sl_sweep_request){
        .path = path,
        .overrides = decide->other,
        .override_count = decide->other_count,
        .loaded = other,
        .policies = &decide->baseline_policy,
        .policy_count = 1,
        .no_axes = true,
    };
    return SL_OK;
}

/* ---- running
 * ------------------------------------------------------------------------------------- */

/* Results of some policies alone are decided on beside the baseline all the same. */
static void add_policy(struct decide *decide, const char *name)
{
    struct sl_run_args *args = &decide->session.args;
    bool known = !name || args->policy_count == 0 || args->policy_count == SL_MAX_POLICIES;
    for (uint32_t i = 0; !known && i < args->policy_count; i++)
        known = strcmp(args->policies[i], name) == 0;
    if (!known)
        args->policies[args->policy_count++] = name;
}

static void prepare(struct decide *decide)
{
    struct sl_session *session = &decide->session;
    struct sl_decision *decision = &decide->decision;
    const struct sl_decide_source *source = &decide->source;
    struct sl_run_options options = session->args.options;
    add_policy(decide, decision->baseline ? decision->baseline : session->scenario.baseline);
    if (!decision->baseline)
        add_policy(decide, session->scenario.fallback_baseline);
    add_policy(decide, source->selection.policy);
    options.trials = (uint32_t)decide->record.trials;
    options.seed_given = true;
    options.seed = decide->record.fresh_seed;
    options.nominal = true;
    options.progress = sl_progress;
    decision->scenario = &session->scenario;
    decision->policy = source->selection.policy;
    decision->policy_axes = source->policy_axes;
    decision->within = decide->within;
    decision->record = &decide->record;
    decision->other.options = options;
    decision->request = (struct sl_sweep_request){
        .path = source->scenario,
        .overrides = session->args.overrides,
        .override_count = session->args.override_count,
        .loaded = &session->scenario,
        .policies = session->args.policies,
        .policy_count = session->args.policy_count,
        .no_axes = source->axis_count == 0,
        .options = options,
    };
}

static enum sl_status simulate(struct decide *decide, struct sl_error *err)
{
    prepare(decide);
    sl_progress_start("runs");
    enum sl_status status = sl_decide_simulate(&decide->decision, err);
    sl_progress_end();
    return status;
}

/* A folder that was not there when this began could not be locked, and may have a record now. */
static enum sl_status lock_new_folder(struct decide *decide, struct sl_error *err)
{
    if (decide->lock.dir[0])
        return SL_OK;
    enum sl_status status = sl_make_dirs(out_dir(decide), err);
    if (status == SL_OK)
        status = sl_decide_lock(&decide->lock, out_dir(decide), err);
    if (status == SL_OK && !decide->force && access(decide->path, F_OK) == 0)
        return SL_FAIL(err, SL_SYSTEM, "another run has written into '%s'", out_dir(decide));
    return status;
}

static enum sl_status write_all(struct decide *decide, const char *line, struct sl_error *err)
{
    struct sl_record *record = &decide->record;
    char page[sizeof decide->path];
    enum sl_status status = lock_new_folder(decide, err);
    if (status == SL_OK && decide->force)
        status = sl_decide_set_aside(record, decide->path, err);
    if (status == SL_OK)
        status = sl_decide_conclude(record, err);
    if (status == SL_OK)
        status = sl_decide_settle(record, line, err);
    if (status == SL_OK)
        status = sl_record_write(record, decide->path, err);
    if (status != SL_OK)
        return status;
    if (snprintf(page, sizeof page, "%s/decision.md", out_dir(decide)) >= (int)sizeof page)
        return SL_FAIL(err, SL_USAGE, "the path of the page is too long");
    return sl_decision_page_write(record, page, err);
}

static enum sl_status report(const struct decide *decide, struct sl_error *err)
{
    const struct sl_record *record = &decide->record;
    enum sl_status status = SL_OK;
    if (decide->session.args.json)
        status = sl_record_print_json(record, stdout, err);
    else
        sl_report_decision(stdout, record, decide->path);
    if (status != SL_OK)
        return status;
    return sl_gate_count(record, SL_GATE_PASS) == SL_GATE_CONDITIONS ? SL_OK : SL_NO;
}

/* After the session is open, or its graph was found illegal. */
static enum sl_status decide_on(struct decide *decide, bool legal, const char *line,
                                struct sl_error *err)
{
    enum sl_status status = sl_decide_source_check(&decide->source, err);
    if (status == SL_OK)
        status = sl_decide_source_select(&decide->source, err);
    if (status == SL_OK && access(out_dir(decide), F_OK) == 0)
        status = sl_decide_lock(&decide->lock, out_dir(decide), err);
    if (status == SL_OK)
        status = sl_decide_open_before(&decide->record, decide->path, decide->force,
                                       decide->source.selection.policy, err);
    if (status == SL_OK && legal)
        status = find_baseline(decide, err);
    if (status == SL_OK)
        status = identify(decide, err);
    if (status == SL_OK && legal)
        status = simulate(decide, err);
    if (status == SL_OK)
        status = sl_decide_check_same(&decide->was, &decide->record, decide->path, err);
    if (status == SL_OK)
        status = write_all(decide, line, err);
    return status == SL_OK ? report(decide, err) : status;
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    struct decide *decide = user;
    struct sl_decide_source *source = &decide->source;
    char why[SL_WHY_SIZE] = "";
    switch (key) {
    case 'p':
        source->policy = value;
        return SL_OK;
    case 'o':
        decide->dir = value;
        return SL_OK;
    case SL_KEY_FORCE:
        decide->force = true;
        return SL_OK;
    case KEY_AT:
        if (!strchr(value, '=') || source->at_count == SL_MOST_AT)
            return SL_FAIL(err, SL_USAGE, "--at %s: expected AXIS=VALUE, %d at most", value,
                           SL_MOST_AT);
        source->at[source->at_count++] = value;
        return SL_OK;
    case KEY_SCENARIO:
        source->folder = decide->more.scenario = value;
        return SL_OK;
    case KEY_BASELINE:
        decide->baseline = value;
        return SL_OK;
    case KEY_BASELINE_SET:
        if (decide->other_count == SL_MAX_SETTINGS)
            return SL_FAIL(err, SL_USAGE, "more than %d settings", SL_MAX_SETTINGS);
        decide->other_texts[decide->other_count] = value;
        return sl_override_parse(&decide->other[decide->other_count++], value,
                                 &decide->session.args.arena, err);
    case KEY_WITHIN:
        if (!sl_parse_number(value, &decide->within, why))
            return SL_FAIL(err, SL_USAGE, "--within: %s", why);
        return decide->within >= 1 && decide->within <= MOST_WITHIN
                   ? SL_OK
                   : SL_FAIL(err, SL_USAGE,
                             "--within: '%s' is out of range; write a factor from 1 (no drift is "
                             "looked for) to %d",
                             value, MOST_WITHIN);
    default:
        return sl_decide_more_owns(key) ? sl_decide_more_take(&decide->more, key, value, err)
                                        : sl_run_args_take(&decide->session.args, key, value, err);
    }
}

static enum sl_status decide_all(struct decide *decide, const char *path, const char *line)
{
    struct sl_error err = {0};
    decide->source.path = path;
    decide->source.session = &decide->session;
    enum sl_status status = sl_decide_source_open(&decide->source);
    if (status != SL_OK)
        return status;
    status = set_path(decide, &err);
    if (status != SL_OK)
        return sl_report_error("decide", &err);
    status = sl_session_open(&decide->session, decide->source.scenario, line);
    bool illegal = status == SL_NO;
    if (status != SL_OK && !illegal)
        return status;
    status = decide_on(decide, !illegal, line, &err);
    return err.status == SL_OK ? status : sl_report_error("decide", &err);
}

static enum sl_status run_decide(const struct sl_command *command, int argc, char **argv)
{
    struct decide *decide = calloc(1, sizeof *decide);
    bool done = false;
    int first = 0;
    if (!decide) {
        fputs("slackline decide: out of memory\n", stderr);
        return SL_SYSTEM;
    }
    decide->session.command = command;
    decide->within = DEFAULT_WITHIN;
    const char *line = sl_run_args_command(&decide->session.args, argc, argv);
    enum sl_status status = SL_SYSTEM;
    if (line)
        status = sl_options_read(command, argc, argv, take_option, decide, &first, &done);
    else
        fputs("slackline decide: out of memory\n", stderr);
    if (status == SL_OK && !done)
        status = sl_decide_more_asked(&decide->more)
                     ? sl_decide_more_run(&decide->more, &decide->session.args, argv[first], line)
                     : decide_all(decide, argv[first], line);
    sl_decide_unlock(&decide->lock);
    sl_decide_free(&decide->decision);
    sl_record_free(&decide->record);
    sl_scenario_free(&decide->other_scenario);
    sl_decide_source_free(&decide->source);
    sl_session_close(&decide->session);
    free(decide);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "decide on this policy, whatever the sweep selects"},
    {KEY_AT, "at", "AXIS=VALUE", "the point of the sweep to decide at; may be repeated"},
    {KEY_BASELINE, "baseline", "B", "compare with policy B, or with FOLDER[:POLICY]"},
    {KEY_BASELINE_SET, "baseline-set", "KEY=VALUE", "a setting of the baseline's folder"},
    {KEY_WITHIN, "within", "FACTOR", "drifts of figures to look for (default: 2; 1: none)"},
    {KEY_SCENARIO, "scenario", "DIR", "where the scenario of the results or record lies now"},
    {SL_KEY_SET, "set", "KEY=VALUE", "of a scenario: override a key; may be repeated"},
    {SL_KEY_TRIALS, "trials", "N", "trials of each run (default: the results')"},
    {SL_KEY_THREADS, "threads", "T", "worker threads (default: one per core)"},
    {'o', "output", "DIR", "write the record there (default: RESULTS)"},
    {SL_KEY_FORCE, "force", NULL,
     "decide anew; the record before is kept beside as decision-N.yaml"},
    {SL_KEY_JSON, "json", NULL, "print the record as JSON"},
    SL_DECIDE_MORE_OPTIONS,
};

const struct sl_command sl_command_decide = {
    .name = "decide",
    .summary = "Write a decision record and judge it by the acceptance gate",
    .operands = "RESULTS|RECORD",
    .description =
        "Takes the policy that a sweep's results select, or the one that --policy names, runs it,\n"
        "the baseline and every alternative once more on draws that chose nothing, and writes\n"
        "decision.yaml and decision.md: evidence, proofs, regrets, what would falsify it, the\n"
        "fallback, and the ten conditions of the acceptance gate.  A later decide on the same\n"
        "folder goes on with the record.  RESULTS may also be a scenario (with -o DIR and one\n"
        "policy).  Exits with 1 unless all ten conditions pass, which takes a measurement.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_decide,
};
