/* What the commands that run cells do alike. */
#include "config.h"

#include "kept.h"
#include "progress.h"
#include "result_parts.h"
#include "session.h"
#include "table.h"
#include "text.h"
#include "thread_pool.h"
#include <stdlib.h>
#include <string.h>

static bool same_diag(const struct sl_diag *a, const struct sl_diag *b)
{
    return a->place.line == b->place.line && a->place.column == b->place.column &&
           strcmp(a->code, b->code) == 0 && a->message && b->message &&
           strcmp(a->message, b->message) == 0;
}

/* Adds to `to` what is in `from` and not yet in `to`: a sweep loads the scenario again at the
 * settings of its axes, and every cell may say the same. */
static void add_new(struct sl_diags *to, const struct sl_diags *from, const struct sl_diags *known)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct sl_diag *diag = &from->items[i];
        bool seen = diag->message == NULL;
        for (size_t k = 0; !seen && k < known->count; k++)
            seen = same_diag(diag, &known->items[k]);
        for (size_t k = 0; !seen && k < to->count; k++)
            seen = same_diag(diag, &to->items[k]);
        if (!seen)
            sl_diags_add(to, diag->severity, diag->code, diag->place, "%s", diag->message);
    }
}

static enum sl_status load(struct sl_session *session, const char *path, struct sl_error *err)
{
    struct sl_run_args *args = &session->args;
    enum sl_status status = sl_scenario_load(&session->scenario, path, args->overrides,
                                             args->override_count, &session->diags, err);
    for (uint32_t i = 0; status == SL_OK && i < session->more_count; i++)
        status = sl_scenario_add_policies(&session->scenario, session->more_policies[i],
                                          &session->diags, err);
    if (status == SL_OK) {
        sl_policy_check(&session->scenario, &session->diags);
        status = sl_diags_status(&session->diags, err);
    }
    if (args->options.until.width > 0 && args->options.trials == 0)
        args->options.trials = sl_until_most(&session->scenario);
    sl_diags_print(&session->diags, stderr);
    return status;
}

static enum sl_status check_policies(const struct sl_session *session, struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    const char *wanted = NULL;
    for (uint32_t i = 0; !wanted && i < session->args.policy_count; i++)
        if (!sl_scenario_policy(scenario, session->args.policies[i]))
            wanted = session->args.policies[i];
    if (!wanted)
        return SL_OK;
    char hint[256];
    sl_scenario_hint_policy(scenario, wanted, hint, sizeof hint);
    return SL_FAIL(err, SL_USAGE, "the scenario has no policy '%s'%s", wanted, hint);
}

enum sl_status sl_session_lacks_jobs(const struct sl_session *session, const char *what,
                                     const char *instead, struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    if (!sl_scenario_has_jobs(scenario))
        return SL_OK;
    return SL_FAIL(err, SL_USAGE, "%s is not supported in mode %s; %s", what,
                   sl_mode_words[scenario->mode], instead);
}

/* What looks at trials of a plan has nothing to look at where trials are replications of jobs. */
static enum sl_status check_mode(const struct sl_session *session, struct sl_error *err)
{
    const struct sl_run_args *args = &session->args;
    enum sl_status status = SL_OK;
    if (session->instead_of_jobs)
        status =
            sl_session_lacks_jobs(session, session->command->name, session->instead_of_jobs, err);
    if (status == SL_OK && args->race)
        status = sl_session_lacks_jobs(session, "--race", "sweep without it", err);
    if (status == SL_OK && args->options.until.width > 0)
        status = sl_session_lacks_jobs(session, "--until", "give more --trials or run.jobs", err);
    if (status == SL_OK && session->scenario.outer > 0)
        status = sl_session_lacks_jobs(session, "run.uncertainty: sample",
                                       "compare runs under several calibrations", err);
    return status;
}

/* What cannot be run together, or not at all, is refused before anything runs. */
static enum sl_status check_options(const struct sl_session *session, struct sl_error *err)
{
    const struct sl_scenario *scenario = &session->scenario;
    const struct sl_run_args *args = &session->args;
    if (!args->dir && (args->force || args->resume))
        return SL_FAIL(err, SL_USAGE, "--force and --resume need a results folder (-o DIR)");
    if (args->race && scenario->outer > 0)
        return SL_FAIL(err, SL_USAGE,
                       "--race and run.uncertainty: sample exclude each other: a cell that is "
                       "dropped as calibrated may win under another calibration");
    if (args->refine > 0 && !args->map)
        return SL_FAIL(err, SL_USAGE, "--refine is about the boundaries of --map");
    if (args->race && args->resume)
        return SL_FAIL(err, SL_USAGE,
                       "--race cannot be resumed: which trials a cell gets depends on the others; "
                       "--force runs the race again");
    if (args->race && args->options.until.width > 0)
        return SL_FAIL(
            err, SL_USAGE,
            "--race and --until exclude each other: each says which cells get more trials");
    if (args->force && args->resume)
        return SL_FAIL(err, SL_USAGE, "--force and --resume exclude each other");
    enum sl_status status = check_mode(session, err);
    if (status != SL_OK)
        return status;
    return sl_outer_check(scenario->outer, sl_asked_inner(&args->options, scenario), err);
}

/* What besides the scenario determines the results. */
static enum sl_status note_settings(struct sl_session *session, struct sl_error *err)
{
    struct sl_run_args *args = &session->args;
    for (uint32_t i = 0; i < args->policy_count; i++) {
        const char *text = sl_arena_printf(&args->arena, "policy=%s", args->policies[i]);
        if (!text)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        args->settings[args->setting_count++] = text;
    }
    if (session->command != &sl_command_sweep)
        args->settings[args->setting_count++] = "no-axes";
    if (args->race)
        args->settings[args->setting_count++] = "race";
    if (args->map) {
        const char *text = sl_arena_printf(&args->arena, "map refine=%u", args->refine);
        if (!text)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        args->settings[args->setting_count++] = text;
    }
    if (args->options.until.width > 0) {
        const char *text = sl_arena_printf(&args->arena, "until=%s", args->options.until.text);
        if (!text)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        args->settings[args->setting_count++] = text;
    }
    return SL_OK;
}

enum sl_status sl_session_note(struct sl_session *session, const char *setting,
                               struct sl_error *err)
{
    struct sl_run_args *args = &session->args;
    if (!setting)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (args->setting_count == sizeof args->settings / sizeof *args->settings)
        return SL_FAIL(err, SL_USAGE, "too many options");
    args->settings[args->setting_count++] = setting;
    return SL_OK;
}

static enum sl_status open_results(struct sl_session *session, const char *command_line,
                                   struct sl_error *err)
{
    struct sl_run_args *args = &session->args;
    if (!args->dir || !sl_session_leads(session))
        return SL_OK;
    enum sl_status status =
        command_line ? note_settings(session, err) : SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status != SL_OK)
        return status;
    struct sl_results_request request = {
        .dir = args->dir,
        .mode = args->force    ? SL_RESULTS_FORCE
                : args->resume ? SL_RESULTS_RESUME
                               : SL_RESULTS_NEW,
        .scenario = &session->scenario,
        .options = &args->options,
        .command_line = command_line,
        .settings = args->settings,
        .setting_count = args->setting_count,
    };
    return sl_results_open(&session->results, &request, err);
}

enum sl_status sl_session_open(struct sl_session *session, const char *path,
                               const char *command_line)
{
    struct sl_error err = {0};
    enum sl_status status = load(session, path, &err);
    if (status == SL_OK)
        status = check_policies(session, &err);
    if (status == SL_OK)
        status = check_options(session, &err);
    if (status == SL_OK && session->on_loaded)
        status = session->on_loaded(session, &err);
    if (status == SL_OK)
        status = sl_pool_create(&session->args.options.pool, session->args.threads, &err);
    if (status == SL_OK)
        status = open_results(session, command_line, &err);
    /* Faults of the input were printed as diagnostics. */
    if (status != SL_OK && (session->diags.errors == 0 || status == SL_SYSTEM))
        sl_report_error(session->command->name, &err);
    return status;
}

enum sl_status sl_session_policy(const struct sl_session *session, const char **policy)
{
    const struct sl_scenario *scenario = &session->scenario;
    if (session->args.policy_count > 1)
        return sl_usage_error(session->command->name,
                              "one --policy at a time; 'slackline compare' takes several");
    *policy = session->args.policy_count ? session->args.policies[0] : scenario->baseline;
    if (!*policy && scenario->policy_count == 1)
        *policy = scenario->policies[0].name;
    if (!*policy && scenario->policy_count > 0)
        return sl_usage_error(session->command->name,
                              "the scenario names no baseline; choose one with --policy");
    return SL_OK;
}

uint64_t sl_session_seed(const struct sl_session *session)
{
    return session->args.options.seed_given ? session->args.options.seed : session->scenario.seed;
}

static enum sl_status keep_line(struct sl_session *session, uint32_t cell, char *line,
                                struct sl_error *err)
{
    uint32_t count = session->line_count;
    if (cell == UINT32_MAX || !sl_grow((void **)&session->lines, &session->line_capacity, cell + 1,
                                       sizeof *session->lines)) {
        free(line);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    for (; count <= cell; count++)
        session->lines[count] = NULL;
    session->line_count = count;
    free(session->lines[cell]);
    session->lines[cell] = line;
    return SL_OK;
}

static enum sl_status on_cell(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct sl_session *session = user;
    enum sl_status status = session->before_cell ? session->before_cell(session, cell, err) : SL_OK;
    if (status == SL_OK && session->results)
        status = sl_results_put(session->results, cell, err);
    if (status != SL_OK)
        return status;
    session->done++;
    char *line;
    status = sl_summary_line(&line, cell, err);
    if (status == SL_OK)
        status = keep_line(session, cell->spec.index, line, err);
    return status == SL_OK && session->on_cell ? session->on_cell(session, cell, err) : status;
}

enum sl_status sl_session_pack(void *user, const struct sl_cell *cell, uint32_t form,
                               struct sl_wire *wire, struct sl_error *err)
{
    const struct sl_session *session = user;
    char *line = NULL, *bytes = NULL;
    size_t size = 0;
    enum sl_status status = sl_summary_line(&line, cell, err);
    if (status == SL_OK)
        sl_wire_text(wire, line);
    free(line);
    if (form == SL_SESSION_LINE)
        return status;
    if (status == SL_OK)
        status = session->pack_cell(session, cell, wire, err);
    if (status == SL_OK && session->args.dir)
        status = sl_results_pack(cell, &bytes, &size, err);
    if (status == SL_OK)
        sl_wire_copy(wire, bytes, size);
    free(bytes);
    return status;
}

static enum sl_status take_packed(void *user, const struct sl_cell_spec *spec, struct sl_wire *wire,
                                  struct sl_error *err)
{
    struct sl_session *session = user;
    size_t size = 0;
    char *line = strdup(sl_wire_text(wire, NULL));
    if (!line)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = session->take_cell(session, spec->index, wire, err);
    const unsigned char *bytes = sl_wire_rest(wire, &size);
    if (status == SL_OK && session->results && !wire->broken)
        status =
            sl_results_put_packed(session->results, spec->index, (const char *)bytes, size, err);
    if (status != SL_OK) {
        free(line);
        return status;
    }
    session->done++;
    return keep_line(session, spec->index, line, err);
}

bool sl_session_leads(const struct sl_session *session)
{
    return !session->ranks || sl_ranks_leads(session->ranks);
}

static bool is_kept(void *user, const struct sl_cell_spec *spec)
{
    struct sl_session *session = user;
    char *line = NULL;
    enum sl_kept kept = session->results ? sl_results_has(session->results, spec) : SL_KEPT_NOT;
    if (kept == SL_KEPT_DAMAGED)
        fprintf(stderr, "slackline %s: the file of cell %u is damaged: it is run again\n",
                session->command->name, spec->index);
    if (kept != SL_KEPT)
        return false;
    if (sl_results_line(session->results, spec->index, &line, NULL) != SL_OK ||
        keep_line(session, spec->index, line, NULL) != SL_OK)
        return false;
    session->kept++;
    return true;
}

/* Calibration draws multiply the work: their number is told before it starts. */
static void announce(void *user, uint32_t cells)
{
    struct sl_session *session = user;
    const struct sl_scenario *scenario = &session->scenario;
    const struct sl_run_options *options = &session->args.options;
    uint32_t trials = sl_asked_trials(options, scenario);
    uint32_t inner = sl_asked_inner(options, scenario);
    struct sl_arena *arena = &session->args.arena;
    if (scenario->outer == 0 || cells == 0)
        return;
    fprintf(
        stderr,
        "slackline %s: uncertainty: %s calibration draws x %s trials x %u cell%s = %s trials, "
        "beside %s%s as calibrated\n",
        session->command->name, sl_grouped(arena, scenario->outer), sl_grouped(arena, inner), cells,
        cells == 1 ? "" : "s", sl_grouped(arena, (uint64_t)scenario->outer * inner * cells),
        options->until.width > 0 ? "at most " : "", sl_grouped(arena, (uint64_t)trials * cells));
}

static void report_interruption(const struct sl_session *session)
{
    if (session->results && session->done + session->kept > 0)
        fprintf(stderr, "slackline %s: interrupted: %u cells are in %s; %s\n",
                session->command->name, session->done + session->kept, session->args.dir,
                session->args.race ? "a race cannot be resumed" : "--resume continues");
    else
        fprintf(stderr, "slackline %s: interrupted: nothing was written\n", session->command->name);
}

/* Of a run on many machines much may be there already. */
static void report_what_is_safe(const struct sl_session *session)
{
    uint32_t cells = session->done + session->kept;
    if (session->results && cells > 0)
        fprintf(stderr, "slackline %s: %u finished cell%s in %s; %s\n", session->command->name,
                cells, cells == 1 ? " is" : "s are", session->args.dir,
                session->args.race ? "a race cannot be resumed" : "--resume continues");
}

static enum sl_status finish(struct sl_session *session, struct sl_error *err)
{
    enum sl_status status = session->on_complete ? session->on_complete(session, err) : SL_OK;
    if (status == SL_OK && session->results)
        status = sl_results_finish(session->results, session->kept + session->done, err);
    return status;
}

size_t sl_session_tell(const struct sl_session *session, const struct sl_diags *found)
{
    struct sl_diags fresh = {0};
    add_new(&fresh, found, &session->diags);
    sl_diags_print(&fresh, stderr);
    size_t errors = fresh.errors;
    sl_diags_free(&fresh);
    return errors;
}

enum sl_status sl_session_run(struct sl_session *session, const char *path,
                              const char *const *policies, uint32_t policy_count, bool no_axes)
{
    struct sl_diags found = {0};
    struct sl_error err = {0};
    struct sl_sweep_request request = {
        .path = path,
        .overrides = session->args.overrides,
        .override_count = session->args.override_count,
        .loaded = &session->scenario,
        .policies = policies,
        .policy_count = policy_count,
        .no_axes = no_axes,
        .options = session->args.options,
        .begin = announce,
        .race = session->args.race ? &session->race : NULL,
        .race_arena = &session->args.arena,
        .sink = on_cell,
        .skip = is_kept,
        .ranks = session->ranks,
        .pack = sl_session_pack,
        .take = take_packed,
        .form = SL_SESSION_CELL,
        .user = session,
    };
    request.options.progress = sl_progress;
    sl_progress_start("cells");
    enum sl_status status = sl_sweep_run(&request, &session->totals, &found, &err);
    sl_progress_end();
    if (!sl_session_leads(session)) {
        sl_diags_free(&found);
        return status;
    }
    size_t told = sl_session_tell(session, &found);
    bool complete = status == SL_OK || status == SL_NO;
    if (complete) {
        struct sl_error late = {0};
        enum sl_status finished = finish(session, &late);
        if (finished != SL_OK) {
            status = finished;
            err = late;
            complete = false;
        }
    }
    if (status == SL_INTERRUPTED)
        report_interruption(session);
    else if (!complete && (told == 0 || status == SL_SYSTEM))
        sl_report_error(session->command->name, &err);
    if (!complete && status != SL_INTERRUPTED && session->ranks)
        report_what_is_safe(session);
    sl_diags_free(&found);
    return status;
}

void sl_session_close(struct sl_session *session)
{
    sl_pool_free(session->args.options.pool);
    sl_results_free(session->results);
    for (uint32_t i = 0; i < session->line_count; i++)
        free(session->lines[i]);
    free(session->lines);
    sl_diags_free(&session->diags);
    sl_scenario_free(&session->scenario);
    sl_report_free(&session->args.arena);
}
