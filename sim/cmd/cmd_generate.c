/* `slackline generate`: a scenario folder from a workload template. */
#include "command.h"
#include "templates.h"
#include <stdlib.h>

#define MAX_SETTINGS 64

struct arguments {
    const char *dir;
    const char *settings[MAX_SETTINGS];
    size_t setting_count;
    bool force;
};

enum { KEY_SET = SL_KEY_LONG, KEY_FORCE };

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    struct arguments *arguments = user;
    switch (key) {
    case 'o':
        arguments->dir = value;
        return SL_OK;
    case KEY_FORCE:
        arguments->force = true;
        return SL_OK;
    default:
        if (arguments->setting_count == MAX_SETTINGS)
            return SL_FAIL(err, SL_USAGE, "more than %d settings", MAX_SETTINGS);
        arguments->settings[arguments->setting_count++] = value;
        return SL_OK;
    }
}

static enum sl_status run_generate(const struct sl_command *command, int argc, char **argv)
{
    struct arguments arguments = {0};
    bool done = false;
    int first = 0;
    enum sl_status status =
        sl_options_read(command, argc, argv, take_option, &arguments, &first, &done);
    if (status != SL_OK || done)
        return status;
    if (!arguments.dir)
        return sl_usage_error(command->name, "-o DIR is missing: the folder to write");
    struct sl_error err = {0};
    status = sl_template_generate(argv[first], arguments.dir, arguments.settings,
                                  arguments.setting_count, arguments.force, &err);
    if (status != SL_OK)
        return sl_report_error(command->name, &err);
    printf("%s\n", arguments.dir);
    return SL_OK;
}

static const struct sl_option options[] = {
    {'o', "output", "DIR", "the scenario folder to write (required)"},
    {KEY_SET, "set", "KEY=VALUE", "set a parameter of the template; may be repeated"},
    {KEY_FORCE, "force", NULL, "overwrite a scenario that is already there"},
};

const struct sl_command sl_command_generate = {
    .name = "generate",
    .summary = "Write a scenario folder from a workload template",
    .operands = "TEMPLATE",
    .description =
        "Writes scenario.yaml, nodes.csv, edges.csv, objects.csv and a README into DIR, and\n"
        "prints DIR.  'slackline list templates' shows the templates and parameters.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_generate,
};
