/* `slackline compare`: policies on common draws, every one against the first. */
#include "compare_csv.h"
#include "measured.h"
#include "order_figures.h"
#include "progress.h"
#include "rank_check_csv.h"
#include "report_compare.h"
#include "report_rank_check.h"
#include "report_robustness.h"
#include "report_until.h"
#include "robustness_csv.h"
#include "session.h"
#include "units.h"
#include <math.h>

/* `user` of the session. */
struct compare {
    struct sl_contest contest;
    double within; /* of --robustness; 0: not asked for */
    bool replan;
    struct sl_robustness robustness;
    struct sl_measured measured;
};

enum { KEY_ROBUSTNESS = SL_KEY_LONG + 128, KEY_REPLAN, KEY_MEASURED };

#define MAX_WITHIN 100

static const struct sl_order_item *first_measure(const struct sl_scenario *scenario)
{
    return scenario->objective.order_count > 0 ? &scenario->objective.order[0] : &sl_order_tail;
}

/* Of the first measure; NAN: it is the mean. */
static double first_quantile(const struct sl_scenario *scenario)
{
    const struct sl_order_item *first = first_measure(scenario);
    return first->measure == SL_MEASURE_MEAN ? (double)NAN
                                             : sl_order_quantile(first, scenario->objective.tail);
}

/* While the scenario that the cells ran on is there: at the last of them. */
static enum sl_status find_robustness(struct sl_session *session, const struct sl_cell *cell,
                                      struct sl_error *err)
{
    struct compare *compare = session->user;
    struct sl_run_options options = session->args.options;
    compare->robustness = (struct sl_robustness){
        .scenario = cell->scenario,
        .policies = session->args.policies,
        .policy_count = session->args.policy_count,
        .within = compare->within,
        .replanned = compare->replan,
        .q = first_quantile(cell->scenario),
        .trials = sl_asked_trials(&session->args.options, cell->scenario),
    };
    options.progress = sl_progress;
    sl_progress_end();
    sl_progress_start("runs");
    return sl_robustness_run(&compare->robustness, &options, err);
}

static enum sl_status take_cell(struct sl_session *session, const struct sl_cell *cell,
                                struct sl_error *err)
{
    struct compare *compare = session->user;
    enum sl_status status = sl_contest_add(&compare->contest, cell, err);
    if (status == SL_OK && compare->within > 0 &&
        compare->contest.count == session->args.policy_count)
        status = find_robustness(session, cell, err);
    return status;
}

static enum sl_status before_cell(struct sl_session *session, const struct sl_cell *cell,
                                  struct sl_error *err)
{
    const struct compare *compare = session->user;
    const char *const instead = "compare the policies without it";
    enum sl_status status = SL_OK;
    if (compare->within > 0)
        status = sl_session_lacks_jobs(session, "--robustness", instead, err);
    if (status == SL_OK && compare->measured.dir_count > 0)
        status = sl_session_lacks_jobs(session, "--measured", instead, err);
    if (status != SL_OK)
        return status;
    return compare->measured.dir_count == 0
               ? SL_OK
               : sl_measured_check_plan(&compare->measured, compare->contest.count, cell, err);
}

static enum sl_status judge_measured(struct sl_session *session, struct sl_error *err)
{
    struct compare *compare = session->user;
    struct sl_measured *measured = &compare->measured;
    enum sl_status status =
        sl_measured_rank(measured, &compare->contest, first_quantile(&session->scenario),
                         sl_session_seed(session), session->scenario.objective.min_gain, err);
    return status == SL_OK && session->results
               ? sl_rank_check_csv_write(session->args.dir, &measured->check, &compare->contest,
                                         measured->of_policy, err)
               : status;
}

static enum sl_status judge(struct sl_session *session, struct sl_error *err)
{
    struct compare *compare = session->user;
    struct sl_contest *contest = &compare->contest;
    enum sl_status status = SL_OK;
    for (uint32_t i = 1; status == SL_OK && i < contest->count; i++)
        status = sl_contest_match(contest, i, 0, sl_session_seed(session),
                                  session->scenario.objective.min_gain, err);
    if (status == SL_OK && session->results)
        status = sl_compare_csv_write(session->args.dir, contest, err);
    if (status == SL_OK && session->results && compare->within > 0)
        status = sl_robustness_csv_write(session->args.dir, &compare->robustness, err);
    if (status == SL_OK && compare->measured.dir_count > 0)
        status = judge_measured(session, err);
    return status;
}

static enum sl_status report_text(struct sl_session *session, struct sl_error *err)
{
    const struct compare *compare = session->user;
    sl_report_compare(stdout, &session->scenario, &compare->contest, sl_session_seed(session));
    enum sl_status status = sl_report_until(stdout, session, err);
    if (status == SL_OK && compare->within > 0)
        sl_report_robustness(stdout, &compare->robustness);
    if (status == SL_OK && compare->measured.dir_count > 0)
        sl_report_rank_check(stdout, &session->scenario, &compare->measured, &compare->contest);
    if (status == SL_OK && session->args.dir)
        printf("\nresults: %s\n", session->args.dir);
    return status;
}

static enum sl_status report(struct sl_session *session)
{
    const struct compare *compare = session->user;
    struct sl_error err = {0};
    const struct sl_robustness *robustness = compare->within > 0 ? &compare->robustness : NULL;
    const struct sl_measured *measured =
        compare->measured.dir_count > 0 ? &compare->measured : NULL;
    enum sl_status status =
        session->args.json
            ? sl_report_compare_json(stdout, &session->scenario, &compare->contest,
                                     sl_session_seed(session), robustness, measured, &err)
            : report_text(session, &err);
    if (status != SL_OK)
        return sl_report_error("compare", &err);
    if (compare->contest.match_count == 0) {
        fputs("slackline compare: nothing to compare: a policy has no legal plan\n", stderr);
        return SL_NO;
    }
    return SL_OK;
}

static enum sl_status check_times(const struct sl_scenario *scenario, const char *option)
{
    const struct sl_order_item *first = first_measure(scenario);
    return first->measure <= SL_MEASURE_MEAN
               ? SL_OK
               : sl_usage_error("compare",
                                "%s is about times, but objective.order begins with '%s' "
                                "(allowed: tail, median, mean)",
                                option, first->name);
}

/* What --robustness cannot go with. */
static enum sl_status check_robustness(const struct sl_session *session)
{
    const struct compare *compare = session->user;
    const struct sl_scenario *scenario = &session->scenario;
    if (compare->replan && compare->within == 0)
        return sl_usage_error("compare", "--replan is about --robustness");
    if (compare->within > 0 && session->args.options.until.width > 0)
        return sl_usage_error("compare", "--robustness and --until exclude each other: a drift is "
                                         "judged on one number of trials");
    return compare->within > 0 ? check_times(scenario, "--robustness") : SL_OK;
}

/* Refused before anything is written: what the mode does not have, and a --measured folder that is
 * another scenario's. */
static enum sl_status on_loaded(struct sl_session *session, struct sl_error *err)
{
    const struct compare *compare = session->user;
    return compare->measured.dir_count == 0
               ? SL_OK
               : sl_measured_check(&compare->measured, &session->scenario, err);
}

static enum sl_status compare_all(struct sl_session *session, const char *path, const char *line)
{
    if (session->args.policy_count < 2)
        return sl_usage_error("compare", "name two or more policies with --policy; the first is "
                                         "what the others are compared with");
    struct compare *compare = session->user;
    enum sl_status status = sl_measured_read(&compare->measured, &session->args);
    if (status == SL_OK)
        status = sl_session_open(session, path, line);
    if (status == SL_OK)
        status = check_robustness(session);
    if (status == SL_OK && compare->measured.dir_count > 0)
        status = check_times(&session->scenario, "--measured");
    if (status == SL_OK)
        status =
            sl_session_run(session, path, session->args.policies, session->args.policy_count, true);
    if (status != SL_OK && status != SL_NO)
        return status;
    enum sl_status printed = report(session);
    return printed == SL_OK ? status : printed;
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    struct sl_session *session = user;
    struct compare *compare = session->user;
    char why[SL_WHY_SIZE] = "";
    if (key == KEY_MEASURED)
        return sl_measured_take(&compare->measured, value, err);
    if (key == KEY_REPLAN)
        compare->replan = true;
    else if (key != KEY_ROBUSTNESS)
        return sl_run_args_take(&session->args, key, value, err);
    else if (!sl_parse_number(value, &compare->within, why))
        return SL_FAIL(err, SL_USAGE, "--robustness: %s", why);
    else if (!(compare->within > 1 && compare->within <= MAX_WITHIN))
        return SL_FAIL(err, SL_USAGE,
                       "--robustness: '%s' is out of range; write a factor above 1 and at most %d, "
                       "such as 2 for drifts from half to twice",
                       value, MAX_WITHIN);
    return SL_OK;
}

static enum sl_status run_compare(const struct sl_command *command, int argc, char **argv)
{
    struct compare compare = {0};
    struct sl_session session = {
        .command = command,
        .on_loaded = on_loaded,
        .before_cell = before_cell,
        .on_cell = take_cell,
        .on_complete = judge,
        .user = &compare,
    };
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&session.args, argc, argv);
    enum sl_status status =
        sl_options_read(command, argc, argv, take_option, &session, &first, &done);
    if (status == SL_OK && !done)
        status = compare_all(&session, argv[first], line);
    sl_session_close(&session);
    sl_contest_free(&compare.contest);
    sl_robustness_free(&compare.robustness);
    sl_measured_free(&compare.measured);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "a policy to compare, the first one with the others; repeat it"},
    SL_RUN_OPTIONS,
    {KEY_ROBUSTNESS, "robustness", "FACTOR", "how far each figure may drift before another leads"},
    {KEY_MEASURED, "measured", "DIR", "a replay of one of them; ranks by both.  Repeat it"},
    {KEY_REPLAN, "replan", NULL, "there, policies plan with the drifted figure"},
};

const struct sl_command sl_command_compare = {
    .name = "compare",
    .summary = "Compare policies trial by trial on common draws",
    .operands = "SCENARIO",
    .description =
        "Simulates each policy on the same draws at the scenario's own settings, and prints\n"
        "paired differences of every one against the first, with 95% intervals, how often it\n"
        "beats it, and how many trials would settle what is open.  --robustness also tells how "
        "far\n"
        "each calibrated figure may drift before another of them has the lowest.  --measured also\n"
        "ranks the policies by replays (slackline-calibrate replay -o DIR) and tells how far the\n"
        "two rankings agree.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_compare,
};
