/* `slackline run`: one policy at the scenario's own settings, reported in full. */
#include "report_cell.h"
#include "report_sensitivity.h"
#include "report_until.h"
#include "sensitivity_csv.h"
#include "whatif.h"

/* `user` of the session. */
struct run {
    enum sl_verdict verdict; /* of the one cell */
    struct sl_whatif whatif;
};

enum { KEY_SENSITIVITY = SL_KEY_LONG + 128, KEY_SPEEDUP };

static enum sl_status ask_whatif(struct sl_session *session, const struct sl_cell *cell,
                                 struct sl_error *err)
{
    struct run *run = session->user;
    return sl_whatif_run(&run->whatif, session, cell, err);
}

static enum sl_status on_loaded(struct sl_session *session, struct sl_error *err)
{
    const struct run *run = session->user;
    const char *what = run->whatif.steps ? "--sensitivity" : "--speedup";
    return run->whatif.steps || run->whatif.speedup_count > 0
               ? sl_session_lacks_jobs(session, what, "sweep the axis scale.duration.NAME", err)
               : SL_OK;
}

static enum sl_status report(struct sl_session *session, const struct sl_cell *cell,
                             struct sl_error *err)
{
    struct run *run = session->user;
    const struct sl_sensitivity *result = run->whatif.done ? &run->whatif.result : NULL;
    uint64_t seed = sl_session_seed(session);
    enum sl_status status = SL_OK;
    run->verdict = cell->verdict;
    if (result && session->results)
        status = sl_sensitivity_csv_write(session->args.dir, result, err);
    if (status != SL_OK)
        return status;
    if (session->args.json)
        return sl_report_cell_json(stdout, cell, result, seed, err);
    status = sl_report_cell(stdout, cell, seed, err);
    return status == SL_OK && result ? sl_report_sensitivity(stdout, result, err) : status;
}

static enum sl_status run_policy(struct sl_session *session, const char *path)
{
    const char *policy;
    const struct run *run = session->user;
    enum sl_status status = sl_session_policy(session, &policy);
    if (status == SL_OK)
        status = sl_whatif_check(&run->whatif, session);
    if (status != SL_OK)
        return status;
    status = sl_session_run(session, path, &policy, policy ? 1 : 0, true);
    struct sl_error err = {0};
    bool ran = status == SL_OK || status == SL_NO;
    if (ran && !session->args.json && sl_report_until(stdout, session, &err) != SL_OK)
        return sl_report_error("run", &err);
    if (status == SL_OK && session->args.dir && !session->args.json)
        printf("\nresults: %s\n", session->args.dir);
    if (status == SL_NO)
        fprintf(stderr, "slackline run: policy '%s' %s\n", policy ? policy : "as-given",
                run->verdict == SL_VERDICT_INFEASIBLE ? "breaks a declared constraint"
                                                      : "has no completed trial");
    return status;
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    struct sl_session *session = user;
    struct run *run = session->user;
    if (key == KEY_SENSITIVITY)
        run->whatif.steps = true;
    else if (key == KEY_SPEEDUP)
        return sl_whatif_speedup(&run->whatif, value, &session->args.arena, err);
    else
        return sl_run_args_take(&session->args, key, value, err);
    return SL_OK;
}

static enum sl_status run_run(const struct sl_command *command, int argc, char **argv)
{
    struct run run = {.verdict = SL_VERDICT_OK};
    struct sl_session session = {.command = command,
                                 .on_loaded = on_loaded,
                                 .before_cell = ask_whatif,
                                 .on_cell = report,
                                 .user = &run};
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&session.args, argc, argv);
    enum sl_status status =
        sl_options_read(command, argc, argv, take_option, &session, &first, &done);
    if (status == SL_OK && !done) {
        status = sl_session_open(&session, argv[first], line);
        if (status == SL_OK)
            status = run_policy(&session, argv[first]);
    }
    sl_sensitivity_free(&run.whatif.result);
    sl_session_close(&session);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "simulate this policy (default: the baseline)"},
    {KEY_SENSITIVITY, "sensitivity", NULL, "change every part by 1, 5 and 20% and simulate again"},
    {KEY_SPEEDUP, "speedup", "NAME=PERCENT", "a class or route takes so much less time; repeat it"},
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
