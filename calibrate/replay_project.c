/* The projection that a replay is held against. */
#include "config.h"

#include "progress.h"
#include "replay_parts.h"
#include "replay_seen.h"
#include "text.h"
#include "thread_pool.h"
#include <unistd.h>

enum sl_status sl_replay_load(struct sl_replay_run *r, const char *path, struct sl_error *err)
{
    enum sl_status status =
        sl_scenario_load(&r->scenario, path, r->overrides, r->override_count, &r->diags, err);
    if (status == SL_OK) {
        sl_policy_check(&r->scenario, &r->diags);
        status = sl_diags_status(&r->diags, err);
    }
    sl_diags_print(&r->diags, stderr);
    return status;
}

/* The policy named, the baseline, or the only one. */
static enum sl_status find_policy(const struct sl_replay_run *r,
                                  const struct sl_policy_spec **policy, struct sl_error *err)
{
    const struct sl_scenario *scenario = &r->scenario;
    const char *name = r->policy ? r->policy : scenario->baseline;
    if (!name && scenario->policy_count == 1)
        name = scenario->policies[0].name;
    if (!name)
        return SL_FAIL(err, SL_USAGE, "the scenario names no baseline; choose one with --policy");
    *policy = sl_scenario_policy(scenario, name);
    if (*policy)
        return SL_OK;
    const char *names[SL_REPLAY_SETTINGS];
    char hint[256] = "";
    uint32_t count = 0;
    for (; count < scenario->policy_count && count < SL_REPLAY_SETTINGS; count++)
        names[count] = scenario->policies[count].name;
    sl_suggest(hint, sizeof hint, name, names, count);
    return SL_FAIL(err, SL_USAGE, "the scenario has no policy '%s'%s", name, hint);
}

static enum sl_status run_cell(struct sl_replay_run *r, const struct sl_policy_spec *policy,
                               struct sl_diags *found, struct sl_error *err)
{
    const struct sl_cell_spec spec = {.policy = policy->name};
    enum sl_status status = sl_pool_create(&r->options.pool, r->threads, err);
    if (status != SL_OK)
        return status;
    r->options.progress = sl_progress;
    status = sl_cell_run(&r->cell, &r->scenario, policy, &spec, &r->options, found, err);
    sl_progress_end();
    sl_pool_free(r->options.pool);
    r->options.pool = NULL;
    return status;
}

enum sl_status sl_replay_project(struct sl_replay_run *r, struct sl_error *err)
{
    const struct sl_policy_spec *policy = NULL;
    struct sl_diags found = {0};
    enum sl_status status = find_policy(r, &policy, err);
    if (status != SL_OK)
        return status;
    status = run_cell(r, policy, &found, err);
    sl_diags_print(&found, stderr);
    sl_diags_free(&found);
    if (status != SL_OK)
        return status;
    if (!r->cell.plan.graph)
        return SL_FAIL(err, SL_NO, "policy '%s' has no legal plan: %s", policy->name,
                       r->cell.reason);
    if (r->cell.deadlocked > 0)
        return SL_FAIL(err, SL_NO, "policy '%s' deadlocks in %u of %u projected trials",
                       policy->name, r->cell.deadlocked, r->cell.trials);
    return SL_OK;
}

enum sl_status sl_replay_check_machine(struct sl_replay_run *r, struct sl_error *err)
{
    const char *dir = r->scenario.platform.device_dir;
    struct sl_table_head head;
    const char *path = dir ? sl_arena_printf(&r->arena, "%s/durations.csv", dir) : NULL;
    if (dir && !path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!path || access(path, F_OK) != 0)
        return SL_OK;
    enum sl_status status = sl_table_head_read(&head, path, &r->arena, err);
    return status == SL_OK ? sl_calibration_check_machine(&r->calibration, &head, r->accept, err)
                           : status;
}

enum sl_status sl_replay_project_again(struct sl_replay_run *r, struct sl_replay_beside *beside,
                                       struct sl_error *err)
{
    enum sl_status status = sl_pool_create(&r->options.pool, r->threads, err);
    if (status != SL_OK)
        return status;
    status = sl_replay_project_seen(beside, &r->cell, &r->options, err);
    sl_pool_free(r->options.pool);
    r->options.pool = NULL;
    return status;
}
