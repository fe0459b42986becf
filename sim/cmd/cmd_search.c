/* `slackline search`: a better plan than the named policies', and how much better it is. */
#include "clock.h"
#include "compare_csv.h"
#include "progress.h"
#include "report_search.h"
#include "search_csv.h"
#include "units.h"
#include <string.h>

#define MOST_EVALUATIONS 100000000

enum { KEY_EVALUATIONS = SL_KEY_LONG + 128, KEY_BUDGET, KEY_LOOK_TRIALS, KEY_START };

/* `user` of the session. */
struct hunt {
    struct sl_search_options options;
    const char *budget;
    struct sl_search_result result;
    struct sl_finals finals;
    struct sl_search_verdict verdict;
    double search_s, estimates_s;
};

static enum sl_status take_count(const char *option, const char *text, int64_t most,
                                 uint32_t *value, struct sl_error *err)
{
    char why[SL_WHY_SIZE] = "";
    int64_t number;
    if (!sl_parse_integer(text, 1, most, &number, why))
        return SL_FAIL(err, SL_USAGE, "--%s: %s", option, why);
    *value = (uint32_t)number;
    return SL_OK;
}

static enum sl_status take_budget(struct hunt *hunt, const char *text, struct sl_error *err)
{
    char why[SL_WHY_SIZE] = "";
    int64_t ps = 0;
    if (!sl_parse_time(text, &ps, why))
        return SL_FAIL(err, SL_USAGE, "--budget: %s", why);
    if (ps == 0)
        return SL_FAIL(err, SL_USAGE, "--budget: the time must be longer than 0");
    hunt->options.budget_s = (double)ps * 1e-12;
    hunt->budget = text;
    return SL_OK;
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    struct sl_session *session = user;
    struct hunt *hunt = session->user;
    switch (key) {
    case KEY_EVALUATIONS:
        return take_count("evaluations", value, MOST_EVALUATIONS, &hunt->options.evaluations, err);
    case KEY_LOOK_TRIALS:
        return take_count("search-trials", value, 1000000, &hunt->options.trials, err);
    case KEY_BUDGET:
        return take_budget(hunt, value, err);
    case KEY_START:
        if (session->more_count == sizeof session->more_policies / sizeof(const char *))
            return SL_FAIL(err, SL_USAGE, "more than %u --start files", session->more_count);
        session->more_policies[session->more_count++] = value;
        return SL_OK;
    default:
        return sl_run_args_take(&session->args, key, value, err);
    }
}

/* What determines the results besides the scenario: not a budget, but what was made of it. */
static enum sl_status note_settings(struct sl_session *session, struct sl_error *err)
{
    struct hunt *hunt = session->user;
    struct sl_arena *arena = &session->args.arena;
    uint32_t trials = hunt->options.trials ? hunt->options.trials : SL_SEARCH_TRIALS;
    const char *text = sl_arena_printf(arena, "search-trials=%u", trials);
    if (!text)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_session_note(session, text, err);
    if (status == SL_OK && hunt->budget)
        status = sl_session_note(session, sl_arena_printf(arena, "budget=%s", hunt->budget), err);
    if (status == SL_OK && hunt->options.evaluations)
        status = sl_session_note(
            session, sl_arena_printf(arena, "evaluations=%u", hunt->options.evaluations), err);
    return status;
}

static bool progress(void *user, uint32_t evaluations, uint32_t most)
{
    const struct sl_search_result *result = user;
    return sl_progress(NULL, result->trials, result->trials, evaluations, most);
}

static enum sl_status look_for(struct sl_session *session, struct sl_error *err)
{
    struct hunt *hunt = session->user;
    struct sl_search_options options = hunt->options;
    struct sl_diags found = {0};
    options.pool = session->args.options.pool;
    options.seed_given = session->args.options.seed_given;
    options.seed = session->args.options.seed;
    /* With a budget it is the time that ends the search. */
    if (options.budget_s > 0 && options.evaluations == 0)
        options.evaluations = MOST_EVALUATIONS;
    options.progress = progress;
    options.user = &hunt->result;
    sl_progress_start("plans");
    double begin = sl_clock_s();
    enum sl_status status = sl_search_run(&hunt->result, &session->scenario, &options, &found, err);
    hunt->search_s = sl_clock_s() - begin;
    sl_progress_end();
    sl_diags_free(&found); /* what the policies' plans warn about is told by their own runs */
    for (uint32_t i = 0; i < hunt->result.refusal_count; i++)
        fprintf(stderr, "slackline search: policy '%s' has no legal plan to begin with: %s\n",
                hunt->result.refusals[i].policy, hunt->result.refusals[i].why);
    return status;
}

/* A report needs the last estimates, so they go on; who interrupts is told so. */
static bool go_on(void *user, uint64_t trials_done, uint64_t trials_total, uint32_t cells_done,
                  uint32_t cells_total)
{
    bool *told = user;
    (void)trials_done;
    (void)trials_total;
    (void)cells_done;
    (void)cells_total;
    if (!*told && sl_progress_stop_wanted()) {
        fputs("slackline search: interrupted: the plans so far get their last estimates; a second "
              "interrupt ends without them\n",
              stderr);
        *told = true;
    }
    return true;
}

static enum sl_status estimate(struct sl_session *session, struct sl_error *err)
{
    struct hunt *hunt = session->user;
    struct sl_run_options options = session->args.options;
    struct sl_diags found = {0};
    bool told = false;
    options.progress = go_on;
    options.user = &told;
    double begin = sl_clock_s();
    enum sl_status status =
        sl_finals_run(&hunt->finals, &hunt->result, &session->scenario, &options, &found, err);
    hunt->estimates_s = sl_clock_s() - begin;
    sl_diags_print(&found, stderr);
    sl_diags_free(&found);
    return status;
}

static enum sl_status write_results(struct sl_session *session, struct sl_error *err)
{
    struct hunt *hunt = session->user;
    const struct sl_finals *finals = &hunt->finals;
    const char *dir = session->args.dir;
    enum sl_status status = SL_OK;
    if (!session->results)
        return SL_OK;
    for (uint32_t i = 0; i < finals->count && status == SL_OK; i++)
        status = sl_results_put(session->results, &finals->items[i].cell, err);
    if (status == SL_OK)
        status = sl_compare_csv_write(dir, &finals->contest, err);
    if (status == SL_OK)
        status = sl_search_csv_write(dir, &hunt->result, err);
    if (status == SL_OK)
        status = sl_search_policy_write(dir, &session->scenario, finals, err);
    return status == SL_OK ? sl_results_finish(session->results, finals->count, err) : status;
}

static enum sl_status report(struct sl_session *session, struct sl_error *err)
{
    struct hunt *hunt = session->user;
    enum sl_status status =
        session->args.json
            ? sl_report_search_json(stdout, session, &hunt->result, &hunt->finals, &hunt->verdict,
                                    err)
            : sl_report_search(stdout, session, &hunt->result, &hunt->finals, &hunt->verdict,
                               hunt->search_s, hunt->estimates_s, err);
    if (status == SL_OK && session->args.dir && !session->args.json)
        printf("\nresults: %s (%s as a policy: policy.yaml, choices.csv)\n", session->args.dir,
               hunt->finals.items[0].name);
    return status;
}

static enum sl_status search(struct sl_session *session)
{
    struct hunt *hunt = session->user;
    struct sl_error err = {0};
    enum sl_status status = look_for(session, &err);
    if (status == SL_OK)
        status = estimate(session, &err);
    if (status == SL_OK)
        status =
            sl_search_verdict_find(&hunt->verdict, session, &hunt->result, &hunt->finals, &err);
    if (status == SL_OK)
        status = write_results(session, &err);
    if (status == SL_OK)
        status = report(session, &err);
    if (status != SL_OK)
        return sl_report_error("search", &err);
    if (hunt->result.interrupted) {
        fputs("slackline search: interrupted: the best so far is told\n", stderr);
        return SL_INTERRUPTED;
    }
    if (hunt->finals.items[0].cell.verdict != SL_VERDICT_OK) {
        fputs("slackline search: no plan was found that keeps the objective's constraints and "
              "completes every trial\n",
              stderr);
        return SL_NO;
    }
    return SL_OK;
}

static enum sl_status run_search(const struct sl_command *command, int argc, char **argv)
{
    struct hunt hunt = {0};
    struct sl_session session = {
        .command = command,
        .instead_of_jobs = "'slackline sweep' compares the policies that the scenario names",
        .user = &hunt};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    const char *line = sl_run_args_command(&session.args, argc, argv);
    enum sl_status status =
        sl_options_read(command, argc, argv, take_option, &session, &first, &done);
    if (status == SL_OK && !done) {
        status = note_settings(&session, &err);
        if (status != SL_OK)
            sl_report_error("search", &err);
        else
            status = sl_session_open(&session, argv[first], line);
        if (status == SL_OK)
            status = search(&session);
    }
    sl_search_verdict_free(&hunt.verdict);
    sl_finals_free(&hunt.finals);
    sl_search_free(&hunt.result);
    sl_session_close(&session);
    return status;
}

static const struct sl_option options[] = {
    {KEY_EVALUATIONS, "evaluations", "N", "plans to make (default: 2000)"},
    {KEY_BUDGET, "budget", "TIME", "search for so much time (60s) instead"},
    {KEY_LOOK_TRIALS, "search-trials", "N", "trials of a plan while searching (default: 512)"},
    {KEY_START, "start", "FILE", "begin with the policies of FILE, too; repeat it"},
    SL_RUN_OPTIONS,
};

const struct sl_command sl_command_search = {
    .name = "search",
    .summary = "Search for a better plan than the named policies'",
    .operands = "SCENARIO",
    .description =
        "Begins with the plans of all policies at the scenario's own settings, and changes\n"
        "what happens to objects between their uses and when they return, judging each plan\n"
        "on common draws.  Winner, runner-up and the best policy are then estimated on draws\n"
        "that the search did not use, and compared trial by trial.  With -o the winner is\n"
        "written as a policy.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_search,
};
