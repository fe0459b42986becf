/* `slackline sweep`: all policies at all settings of the axes. */
#include "launch.h"
#include "report_shares.h"
#include "report_sweep.h"
#include "report_until.h"
#include "sweep_judge.h"
#include "sweep_map.h"

static enum sl_status report_text(const struct sl_session *session,
                                  const struct sl_sweep_judge *judge, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (session->args.map)
        sl_report_map(stdout, session, &judge->map);
    else
        status = sl_report_sweep(stdout, session, &judge->standings, err);
    if (status == SL_OK)
        status = sl_report_until(stdout, session, err);
    if (status != SL_OK)
        return status;
    sl_report_shares(stdout, session, &judge->shares, &judge->standings.summary,
                     &judge->standings.grouping);
    if (session->args.dir)
        printf("results: %s\n", session->args.dir);
    return SL_OK;
}

static enum sl_status report(const struct sl_session *session, const struct sl_sweep_judge *judge)
{
    struct sl_error err = {0};
    const struct sl_map *map = session->args.map ? &judge->map : NULL;
    enum sl_status status =
        session->args.json
            ? sl_report_sweep_json(stdout, session, &judge->standings, &judge->shares, map, &err)
            : report_text(session, judge, &err);
    return status == SL_OK ? SL_OK : sl_report_error("sweep", &err);
}

/* Before anything runs: a map of too few axes should not cost a sweep. */
static enum sl_status open_map(const struct sl_session *session, struct sl_sweep_judge *judge)
{
    struct sl_error err = {0};
    if (!session->args.map)
        return SL_OK;
    return sl_map_open(&judge->map, &session->scenario, &err) == SL_OK
               ? SL_OK
               : sl_report_error("sweep", &err);
}

static enum sl_status join_ranks(struct sl_session *session, struct sl_launch *launch)
{
    struct sl_error err = {0};
    enum sl_status status = sl_launch_join(launch, &session->args.threads, &err);
    session->ranks = launch->ranks;
    return status == SL_OK ? SL_OK : sl_report_error("sweep", &err);
}

static enum sl_status sweep(struct sl_session *session, struct sl_sweep_judge *judge,
                            const char *line)
{
    enum sl_status status = sl_session_open(session, judge->path, line);
    if (status == SL_OK)
        status = open_map(session, judge);
    if (status == SL_OK)
        status = sl_session_run(session, judge->path, session->args.policies,
                                session->args.policy_count, false);
    if (!sl_session_leads(session))
        return status;
    if (status == SL_OK || (status == SL_NO && session->line_count > 0)) {
        enum sl_status printed = report(session, judge);
        status = printed != SL_OK ? printed : status;
    }
    if (status == SL_NO)
        fputs("slackline sweep: every cell failed\n", stderr);
    return status;
}

static enum sl_status run_sweep(const struct sl_command *command, int argc, char **argv)
{
    struct sl_sweep_judge judge = {0};
    struct sl_launch launch = {0};
    struct sl_session session = {.command = command,
                                 .on_cell = sl_sweep_judge_keep,
                                 .pack_cell = sl_sweep_judge_pack,
                                 .take_cell = sl_sweep_judge_take,
                                 .on_complete = sl_sweep_judge_all,
                                 .user = &judge};
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&session.args, argc, argv);
    enum sl_status status =
        sl_options_read(command, argc, argv, sl_run_args_take, &session.args, &first, &done);
    if (status == SL_OK && !done) {
        judge.path = argv[first];
        status = join_ranks(&session, &launch);
        if (status == SL_OK)
            status = sweep(&session, &judge, line);
    }
    status = sl_launch_part(&launch, status);
    sl_session_close(&session);
    sl_sweep_judge_free(&judge);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "simulate this policy, not all; may be repeated"},
    SL_RUN_OPTIONS,
    {SL_KEY_AXIS, "axis", "KEY=V1,V2,...", "sweep this axis, not the scenario's; may be repeated"},
    {SL_KEY_MAP, "map", NULL, "map who wins over two axes, with the boundaries"},
    {SL_KEY_REFINE, "refine", "N", "halve the edges that a boundary crosses N times"},
    {SL_KEY_RACE, "race", NULL, "give cells that cannot win no more trials"},
    {SL_KEY_RESUME, "resume", NULL, "run only the cells that DIR does not hold yet"},
};

const struct sl_command sl_command_sweep = {
    .name = "sweep",
    .summary = "Simulate all policies at all settings of the sweep axes",
    .operands = "SCENARIO",
    .description =
        "Simulates every policy (or those named) at every combination of the scenario's sweep\n"
        "axes and prints a row per cell, and who has won each combination or which cells tie.\n"
        "--map prints instead who wins over two axes, and where two policies break even.\n"
        "Without -o nothing is written.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .on_ranks = true,
    .run = run_sweep,
};
