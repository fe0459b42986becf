/* --sensitivity and --speedup: reading them, and simulating what they ask for. */
#include "whatif.h"
#include "grouping.h"
#include "kept.h"
#include "progress.h"
#include "table.h"
#include "units.h"
#include <string.h>

enum sl_status sl_whatif_speedup(struct sl_whatif *whatif, const char *text, struct sl_arena *arena,
                                 struct sl_error *err)
{
    const char *equals = strrchr(text, '=');
    char why[SL_WHY_SIZE] = "";
    double share = 0;
    if (!equals || equals == text)
        return SL_FAIL(err, SL_USAGE,
                       "--speedup %s: write NAME=PERCENT, such as copy.h2d=20%% for a class or "
                       "route that takes 20%% less time",
                       text);
    if (!sl_parse_share(equals + 1, &share, why))
        return SL_FAIL(err, SL_USAGE,
                       "--speedup %s: %s; the time taken off is above 0%% and at most 100%%", text,
                       why);
    char *name = sl_arena_printf(arena, "%.*s", (int)(equals - text), text);
    if (!name)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t k = 0; k < whatif->speedup_count; k++)
        if (strcmp(whatif->speedups[k].name, name) == 0)
            return SL_FAIL(err, SL_USAGE, "--speedup %s: '%s' is given twice", text, name);
    if (whatif->speedup_count == SL_MAX_SPEEDUPS)
        return SL_FAIL(err, SL_USAGE, "more than %d --speedup options", SL_MAX_SPEEDUPS);
    whatif->speedups[whatif->speedup_count++] = (struct sl_speedup){name, share};
    return SL_OK;
}

/* Names of all classes, then of all routes; NULL: out of memory. */
static const char **list_names(const struct sl_platform *platform, struct sl_arena *arena,
                               size_t *count)
{
    size_t classes = platform->kappa.classes.count, routes = platform->route_count;
    const char **names = sl_arena_array(arena, classes + routes + 1, sizeof *names);
    *count = 0;
    for (uint32_t c = 0; names && c < classes; c++)
        names[(*count)++] = platform->kappa.classes.names[c];
    for (uint32_t r = 0; names && r < routes; r++) {
        const char *name = sl_route_name(platform, r, arena);
        if (name)
            names[(*count)++] = name;
    }
    return names;
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return true;
    return false;
}

enum sl_status sl_whatif_check(const struct sl_whatif *whatif, const struct sl_session *session)
{
    struct sl_arena arena = {0};
    size_t count;
    enum sl_status status = SL_OK;
    const char **names = list_names(&session->scenario.platform, &arena, &count);
    if (!names) {
        struct sl_error err = {0};
        status = SL_FAIL(&err, SL_SYSTEM, "out of memory for --speedup");
        sl_report_error(session->command->name, &err);
    }
    for (uint32_t k = 0; names && k < whatif->speedup_count && status == SL_OK; k++) {
        const char *name = whatif->speedups[k].name;
        if (is_listed(names, count, name))
            continue;
        char hint[256] = "";
        sl_suggest(hint, sizeof hint, name, names, count);
        status = sl_usage_error(session->command->name,
                                "--speedup: '%s' is neither a class nor a route%s", name, hint);
    }
    sl_report_free(&arena);
    return status;
}

/* Means and medians take few trials; the tail of a difference may stay without a figure. */
static void warn_of_few(const struct sl_sensitivity *s, struct sl_arena *arena)
{
    size_t needs = sl_paired_min_n(s->tail, 0.95), pairs = sl_paired_bootstrap_min_n(s->tail);
    char tail[16];
    sl_quantile_name(tail, s->tail);
    if (s->simulated == 0 || s->cell->trials >= needs)
        return;
    fprintf(stderr,
            "slackline run: warning: a difference of %s needs %s trials: no change will have one; "
            "give --trials %zu",
            tail, sl_grouped(arena, needs), needs);
    if (pairs < SIZE_MAX)
        fprintf(stderr, ", or %zu, which pairs the trials and has narrow intervals", pairs);
    fputs("\n", stderr);
}

enum sl_status sl_whatif_run(struct sl_whatif *whatif, const struct sl_session *session,
                             const struct sl_cell *cell, struct sl_error *err)
{
    if (!whatif->steps && whatif->speedup_count == 0)
        return SL_OK;
    if (!cell->plan.graph || cell->deadlocked == cell->trials) {
        fputs("slackline run: nothing is changed: the policy has no completed trial\n", stderr);
        return SL_OK;
    }
    whatif->done = true;
    enum sl_status status = sl_sensitivity_open(&whatif->result, cell, whatif->steps,
                                                whatif->speedups, whatif->speedup_count, err);
    if (status != SL_OK)
        return status;
    struct sl_arena arena = {0};
    fprintf(stderr, "slackline run: %u changes to simulate, %s trials each; %u more cannot act\n",
            whatif->result.simulated, sl_grouped(&arena, cell->trials), whatif->result.cannot);
    warn_of_few(&whatif->result, &arena);
    sl_report_free(&arena);
    struct sl_run_options options = session->args.options;
    options.progress = sl_progress;
    sl_progress_end();
    sl_progress_start("changes");
    return sl_sensitivity_run(&whatif->result, &options, err);
}
