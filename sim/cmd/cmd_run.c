/* `slackline run`: one policy at the scenario's own settings, reported in full. */
#include "report_cell.h"
#include "session.h"
#include <stdlib.h>

/* `user` of the session: where the one cell's verdict goes. */
static enum sl_status report(struct sl_session *session, const struct sl_cell *cell,
                             struct sl_error *err)
{
    *(enum sl_verdict *)session->user = cell->verdict;
    return session->args.json ? sl_report_cell_json(stdout, cell, sl_session_seed(session), err)
                              : sl_report_cell(stdout, cell, sl_session_seed(session), err);
}

static enum sl_status run_policy(struct sl_session *session, const char *path)
{
    const char *policy;
    enum sl_verdict verdict = SL_VERDICT_OK;
    session->user = &verdict;
    enum sl_status status = sl_session_policy(session, &policy);
    if (status != SL_OK)
        return status;
    status = sl_session_run(session, path, &policy, policy ? 1 : 0, true);
    if (status == SL_OK && session->args.dir && !session->args.json)
        printf("\nresults: %s\n", session->args.dir);
    if (status == SL_NO)
        fprintf(stderr, "slackline run: policy '%s' %s\n", policy ? policy : "as-given",
                verdict == SL_VERDICT_INFEASIBLE ? "breaks a declared constraint"
                                                 : "has no completed trial");
    return status;
}

static enum sl_status run_run(const struct sl_command *command, int argc, char **argv)
{
    struct sl_session session = {.command = command, .on_cell = report};
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&session.args, argc, argv);
    enum sl_status status =
        sl_options_read(command, argc, argv, sl_run_args_take, &session.args, &first, &done);
    if (status == SL_OK && !done) {
        status = sl_session_open(&session, argv[first], line);
        if (status == SL_OK)
            status = run_policy(&session, argv[first]);
    }
    sl_session_close(&session);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "simulate this policy (default: the baseline)"},
    SL_RUN_OPTIONS,
};

const struct sl_command sl_command_run = {
    .name = "run",
    .summary = "Simulate one policy and report its tail and why",
    .operands = "SCENARIO",
    .description =
        "Simulates the baseline, or the policy P, at the scenario's own settings (no sweep\n"
        "axes), and prints quantiles with 95% intervals, stalls by cause, the realized\n"
        "critical chain, memory peaks, waits and contention.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_run,
};
