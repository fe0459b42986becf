/* `slackline compare`: policies on common draws, every one against the first. */
#include "compare_csv.h"
#include "report_compare.h"
#include "report_until.h"
#include "session.h"

static enum sl_status take_cell(struct sl_session *session, const struct sl_cell *cell,
                                struct sl_error *err)
{
    return sl_contest_add(session->user, cell, err);
}

static enum sl_status judge(struct sl_session *session, struct sl_error *err)
{
    struct sl_contest *contest = session->user;
    enum sl_status status = SL_OK;
    for (uint32_t i = 1; status == SL_OK && i < contest->count; i++)
        status = sl_contest_match(contest, i, 0, sl_session_seed(session),
                                  session->scenario.objective.min_gain, err);
    if (status == SL_OK && session->results)
        status = sl_compare_csv_write(session->args.dir, contest, err);
    return status;
}

static enum sl_status report(struct sl_session *session)
{
    const struct sl_contest *contest = session->user;
    struct sl_error err = {0};
    uint64_t seed = sl_session_seed(session);
    if (!session->args.json)
        sl_report_compare(stdout, &session->scenario, contest, seed);
    else if (sl_report_compare_json(stdout, &session->scenario, contest, seed, &err) != SL_OK)
        return sl_report_error("compare", &err);
    if (!session->args.json && sl_report_until(stdout, session, &err) != SL_OK)
        return sl_report_error("compare", &err);
    if (session->args.dir && !session->args.json)
        printf("\nresults: %s\n", session->args.dir);
    if (contest->match_count == 0) {
        fputs("slackline compare: nothing to compare: a policy has no legal plan\n", stderr);
        return SL_NO;
    }
    return SL_OK;
}

static enum sl_status compare(struct sl_session *session, const char *path, const char *line)
{
    if (session->args.policy_count < 2)
        return sl_usage_error("compare", "name two or more policies with --policy; the first is "
                                         "what the others are compared with");
    enum sl_status status = sl_session_open(session, path, line);
    if (status == SL_OK)
        status =
            sl_session_run(session, path, session->args.policies, session->args.policy_count, true);
    if (status != SL_OK && status != SL_NO)
        return status;
    enum sl_status printed = report(session);
    return printed == SL_OK ? status : printed;
}

static enum sl_status run_compare(const struct sl_command *command, int argc, char **argv)
{
    struct sl_contest contest = {0};
    struct sl_session session = {
        .command = command, .on_cell = take_cell, .on_complete = judge, .user = &contest};
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&session.args, argc, argv);
    enum sl_status status =
        sl_options_read(command, argc, argv, sl_run_args_take, &session.args, &first, &done);
    if (status == SL_OK && !done)
        status = compare(&session, argv[first], line);
    sl_session_close(&session);
    sl_contest_free(&contest);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "a policy to compare, the first one with the others; repeat it"},
    SL_RUN_OPTIONS,
};

const struct sl_command sl_command_compare = {
    .name = "compare",
    .summary = "Compare policies trial by trial on common draws",
    .operands = "SCENARIO",
    .description =
        "Simulates each policy on the same draws at the scenario's own settings, and prints\n"
        "paired differences of every one against the first, with 95% intervals, how often it\n"
        "beats it, and how many trials would settle what is open.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_compare,
};
