/* `slackline plot`: the pictures of a results folder, or of an audit's. */
#include "audit_csv.h"
#include "command.h"
#include "manifest.h"
#include "plot.h"

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    (void)user, (void)key, (void)value, (void)err;
    return SL_OK;
}

static enum sl_status run_plot(const struct sl_command *command, int argc, char **argv)
{
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take_option, NULL, &first, &done);
    if (status != SL_OK || done)
        return status;
    struct sl_error err = {0};
    bool audit = sl_audit_is_written(argv[first]);
    status = audit ? sl_plot_audit(argv[first], stdout, stderr, &err)
                   : sl_plot_results(argv[first], stdout, &err);
    if (audit && sl_manifest_is_there(argv[first])) /* pictures of both would have one name */
        fprintf(stderr,
                "%s: the folder holds results beside the audit, which are not drawn; write either "
                "into a folder of its own\n",
                argv[first]);
    return status == SL_OK ? SL_OK : sl_report_error(command->name, &err);
}

const struct sl_command sl_command_plot = {
    .name = "plot",
    .summary = "Draw the pictures of a results folder or an audit",
    .operands = "DIR",
    .description =
        "Draws DIR/plots/*.png and *.svg with gnuplot and prints the path of each PNG: tail\n"
        "latency, stalls, memory pressure, Gantt charts and slack per setting of the machine, the\n"
        "tail against each sweep axis, and a tornado of sensitivities.  Of an audit's folder:\n"
        "what ran when, time without computation by cause, and memory.  SLACKLINE_DATA names the\n"
        "folder that holds plots/*.gp when they are not installed.",
    .operand_min = 1,
    .operand_max = 1,
    .run = run_plot,
};
