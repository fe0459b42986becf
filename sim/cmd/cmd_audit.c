/* `slackline audit`: what a recorded trace did, and what it waited for. */
#include "config.h"

#include "audit_csv.h"
#include "report_audit.h"
#include "trace_input.h"

enum { KEY_JSON = SL_TRACE_KEYS, KEY_FORCE };

struct args {
    struct sl_trace_choice choice;
    const char *dir;
    bool json, force;
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
    case 'o':
        args->dir = value;
        return SL_OK;
    default:
        return sl_trace_choice_take(&args->choice, key, value, err);
    }
}

static enum sl_status check_args(const struct args *args, struct sl_error *err)
{
    if (sl_trace_choice_check(&args->choice, err) != SL_OK)
        return SL_USAGE;
    if (args->force && !args->dir)
        return SL_FAIL(err, SL_USAGE, "--force needs a folder (-o DIR)");
    if (args->dir && !args->force && sl_audit_is_written(args->dir))
        return SL_FAIL(err, SL_USAGE, "'%s' holds an audit already (--force replaces it)",
                       args->dir);
    return SL_OK;
}

static enum sl_status report(const struct args *args, const char *path,
                             const struct sl_importer *importer, const struct sl_audit *audit,
                             struct sl_error *err)
{
    struct sl_report_audit facts = {
        .trace = sl_trace_base_name(path), .importer = importer, .audit = audit};
    enum sl_status status = args->dir ? sl_audit_write(audit, args->dir, err) : SL_OK;
    if (status != SL_OK)
        return status;
    if (args->json)
        return sl_report_audit_json(stdout, &facts, err);
    sl_report_audit(stdout, &facts);
    return SL_OK;
}

static enum sl_status audit_trace(const struct args *args, const char *path)
{
    struct sl_timeline timeline = {0};
    struct sl_audit audit = {0};
    struct sl_error err = {0};
    const struct sl_importer *importer = NULL;
    enum sl_status status = check_args(args, &err);
    if (status == SL_OK)
        status = sl_trace_read(path, &timeline, &importer, &err);
    if (status == SL_OK)
        status = sl_audit_make(&audit, &timeline, &args->choice.options, &err);
    if (status == SL_OK)
        status = report(args, path, importer, &audit, &err);
    if (status != SL_OK)
        sl_report_error("audit", &err);
    sl_audit_free(&audit);
    sl_timeline_free(&timeline);
    return status;
}

static enum sl_status run_audit(const struct sl_command *command, int argc, char **argv)
{
    struct args args = {.choice = SL_TRACE_CHOICE};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    return status == SL_OK && !done ? audit_trace(&args, argv[first]) : status;
}

static const struct sl_option options[] = {
    {SL_TRACE_STEP, "step", "STEP", "only what one step launches: its name, or its number from 0"},
    {SL_TRACE_WINDOW, "window", "FROM:TO",
     "only what is launched then, from the trace's beginning"},
    {SL_TRACE_RANGE, "range", "NAME", "the annotation that is a step (default: ProfilerStep)"},
    {'o', "output", "DIR", "write the tables, works and gaps one by one, into this folder"},
    {KEY_FORCE, "force", NULL, "replace earlier tables"},
    {KEY_JSON, "json", NULL, "print JSON, everything at full precision"},
};

const struct sl_command sl_command_audit = {
    .name = "audit",
    .summary = "Audit a recorded trace: what ran, what waited, and for what",
    .operands = "TRACE",
    .description =
        "Reads a trace of a profiler and reports what its devices did: busy and idle time,\n"
        "exposed copies, waits between launch and start, what ran side by side, calls that\n"
        "hold the host up, memory, and repeated steps with their order.  One scope at a\n"
        "time: the whole trace, a step, or a window.  'slackline list importers' names the\n"
        "formats.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_audit,
};
