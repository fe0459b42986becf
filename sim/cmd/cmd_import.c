/* `slackline import`: a scenario that replays a recorded trace. */
#include "report_import.h"
#include "trace_input.h"
#include <string.h>

enum { KEY_JSON = SL_TRACE_KEYS, KEY_FORCE, KEY_DURATIONS, KEY_MOVABLE };

struct args {
    struct sl_trace_choice choice;
    const char *dir;
    bool json, force, drawn, movable, both;
};

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct args *args = user;
    switch (key) {
    case KEY_JSON:
        args->json = true;
        return SL_OK;
    case KEY_FORCE:
        args->force = true;
        return SL_OK;
    case KEY_MOVABLE:
        args->movable = true;
        args->both = strcmp(value, "both") == 0;
        if (args->both || strcmp(value, "in") == 0)
            return SL_OK;
        return SL_FAIL(err, SL_USAGE, "--movable is in or both, not '%.80s'", value);
    case KEY_DURATIONS:
        args->drawn = strcmp(value, "empirical") == 0;
        if (args->drawn || strcmp(value, "recorded") == 0)
            return SL_OK;
        return SL_FAIL(err, SL_USAGE, "--durations is recorded or empirical, not '%.80s'", value);
    case 'o':
        args->dir = value;
        return SL_OK;
    default:
        return sl_trace_choice_take(&args->choice, key, value, err);
    }
}

static enum sl_status check_args(const struct args *args, struct sl_error *err)
{
    if (!args->dir)
        return SL_FAIL(err, SL_USAGE, "-o DIR is missing: the folder to write");
    if (sl_trace_choice_check(&args->choice, err) != SL_OK)
        return SL_USAGE;
    if (!args->force && sl_trace_scenario_is_there(args->dir))
        return SL_FAIL(err, SL_USAGE, "'%s' holds a scenario already (--force replaces it)",
                       args->dir);
    return SL_OK;
}

/* The step whose time is nearest to the median of those that are not cold; NULL where steps launch
 * less than half of the works, so that none of them stands for the trace. */
static const struct sl_audit_step *usual_step(const struct sl_audit *audit)
{
    const struct sl_audit_step *best = NULL;
    int64_t nearest = INT64_MAX;
    uint64_t works = 0;
    for (uint32_t i = 0; i < audit->step_count; i++)
        works += audit->steps[i].works;
    if (2 * works < audit->work_count)
        return NULL;
    for (uint32_t i = audit->cold ? 1 : 0; i < audit->step_count; i++) {
        const struct sl_audit_step *step = &audit->steps[i];
        if (step->works == 0 && works > 0)
            continue;
        int64_t off = step->finish_ps - step->from_ps - audit->warm.median_ps;
        off = off < 0 ? -off : off;
        if (off < nearest) {
            nearest = off;
            best = step;
        }
    }
    return best;
}

/* A window; the step that was asked for; else the usual one; else all. */
static struct sl_trace_scope choose_scope(const struct args *args, const struct sl_audit *audit,
                                          char *text, size_t room)
{
    const struct sl_timeline *t = audit->timeline;
    const struct sl_audit_step *step = NULL;
    if (args->choice.options.step && audit->step_count > 0)
        step = &audit->steps[0];
    else if (!args->choice.windowed)
        step = usual_step(audit);
    struct sl_trace_scope scope = {audit->from_ps, audit->to_ps, SL_NONE};
    if (!step) {
        snprintf(text, room, args->choice.windowed ? "a window" : "the whole trace");
        return scope;
    }
    scope = (struct sl_trace_scope){step->from_ps, step->to_ps, step->event};
    snprintf(text, room, "step %.80s%s%s", t->names.names[t->name[step->event]],
             args->choice.options.step ? "" : " (the usual one",
             args->choice.options.step ? ""
             : audit->cold             ? "; the first is cold, and set apart)"
                                       : ")");
    return scope;
}

/* What is in a scenario besides the graph. */
struct extras {
    struct sl_trace_durations durations;
    struct sl_trace_kappa kappa;
    struct sl_trace_memory memory;
    struct sl_trace_routes routes;
    struct sl_trace_movable movable;
};

static void free_extras(struct extras *extras)
{
    sl_trace_movable_free(&extras->movable);
    sl_trace_routes_free(&extras->routes);
    sl_trace_memory_free(&extras->memory);
    sl_trace_kappa_free(&extras->kappa);
    sl_trace_durations_free(&extras->durations);
}

static enum sl_status find_extras(const struct args *args, const struct sl_audit *audit,
                                  const struct sl_trace_graph *graph, struct extras *extras,
                                  struct sl_error *err)
{
    bool cold = audit->cold && !args->choice.windowed && !args->choice.options.step;
    enum sl_status status =
        sl_trace_durations_make(&extras->durations, graph, cold ? audit->steps[0].from_ps : 0,
                                cold ? audit->steps[0].to_ps : 0, err);
    if (status == SL_OK)
        status = sl_trace_kappa_make(&extras->kappa, &extras->durations, err);
    if (status == SL_OK)
        status = sl_trace_routes_make(&extras->routes, graph->timeline, err);
    if (status != SL_OK)
        return status;
    if (!args->movable)
        return sl_trace_memory_make(&extras->memory, graph, err);
    sl_trace_memory_skip(&extras->memory, graph);
    return sl_trace_movable_make(&extras->movable, graph, &extras->routes, args->both, err);
}

static enum sl_status write_scenario(const struct args *args, const struct sl_audit *audit,
                                     const struct sl_trace_graph *graph,
                                     const struct sl_trace_source *begun, struct sl_error *err)
{
    struct extras extras = {0};
    struct sl_trace_source source = *begun;
    enum sl_status status = find_extras(args, audit, graph, &extras, err);
    source.memory = &extras.memory;
    source.durations = args->drawn ? &extras.durations : NULL;
    source.kappa = &extras.kappa;
    source.routes = &extras.routes;
    source.movable = args->movable ? &extras.movable : NULL;
    if (status == SL_OK)
        status = sl_trace_scenario_write(graph, &source, args->dir, err);
    if (status == SL_OK)
        status = args->json ? sl_report_import_json(stdout, graph, &source, args->dir, err)
                            : sl_report_import(stdout, graph, &source, args->dir, err);
    free_extras(&extras);
    return status;
}

static enum sl_status import(const struct args *args, const struct sl_timeline *timeline,
                             const struct sl_trace_source *begun, struct sl_error *err)
{
    struct sl_audit audit = {0};
    struct sl_trace_graph graph = {0};
    struct sl_trace_source source = *begun;
    char text[200];
    enum sl_status status = sl_audit_make(&audit, timeline, &args->choice.options, err);
    if (status == SL_OK) {
        struct sl_trace_scope scope = choose_scope(args, &audit, text, sizeof text);
        source.scope = text;
        status = sl_trace_graph_make(&graph, timeline, &scope, err);
    }
    if (status == SL_OK)
        status = write_scenario(args, &audit, &graph, &source, err);
    sl_audit_free(&audit);
    sl_trace_graph_free(&graph);
    return status;
}

static enum sl_status import_trace(const struct args *args, const char *path)
{
    struct sl_timeline timeline = {0};
    struct sl_error err = {0};
    const struct sl_importer *importer = NULL;
    enum sl_status status = check_args(args, &err);
    if (status == SL_OK)
        status = sl_trace_read(path, &timeline, &importer, &err);
    if (status == SL_OK) {
        struct sl_trace_source source = {.trace = sl_trace_base_name(path),
                                         .importer = importer->name};
        status = import(args, &timeline, &source, &err);
    }
    if (status == SL_INVALID && !err.place.file)
        err.place.file = path;
    if (status != SL_OK)
        sl_report_error("import", &err);
    sl_timeline_free(&timeline);
    return status;
}

static enum sl_status run_import(const struct sl_command *command, int argc, char **argv)
{
    struct args args = {.choice = SL_TRACE_CHOICE};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    return status == SL_OK && !done ? import_trace(&args, argv[first]) : status;
}

static const struct sl_option options[] = {
    {'o', "output", "DIR", "the scenario folder to write (required)"},
    {SL_TRACE_STEP, "step", "STEP",
     "one step: its name, or its number from 0 (default: the usual one)"},
    {SL_TRACE_WINDOW, "window", "FROM:TO",
     "only what is launched then, from the trace's beginning"},
    {SL_TRACE_RANGE, "range", "NAME", "the annotation that is a step (default: ProfilerStep)"},
    {KEY_DURATIONS, "durations", "KIND",
     "recorded (default), or empirical: drawn from what equal works took"},
    {KEY_MOVABLE, "movable", "WHICH",
     "policies move what copies bring: in, or both: also what leaves and comes back"},
    {KEY_FORCE, "force", NULL, "replace a scenario that is already there"},
    {KEY_JSON, "json", NULL, "print JSON, everything at full precision"},
};

const struct sl_command sl_command_import = {
    .name = "import",
    .summary = "Turn a recorded trace into a scenario that replays it",
    .operands = "TRACE",
    .description =
        "Reads a trace of a profiler and writes a scenario: streams and threads as lanes,\n"
        "launches and synchronisations as edges, and the host's time between calls as\n"
        "nodes.  'slackline run DIR' replays it at recorded durations.  One scope at a time:\n"
        "the usual step, another one, a window, or where nothing repeats the whole trace.\n"
        "The report says what of the trace is in the scenario, and what is in doubt.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_import,
};
