/* Reading replays for a comparison, and refusing those that measured something else. */
#include "measured.h"
#include "same_graph.h"
#include <inttypes.h>
#include <string.h>

enum sl_status sl_measured_take(struct sl_measured *measured, const char *dir, struct sl_error *err)
{
    if (measured->dir_count == SL_MAX_POLICIES)
        return SL_FAIL(err, SL_USAGE, "more than %d --measured options", SL_MAX_POLICIES);
    measured->dirs[measured->dir_count++] = dir;
    return SL_OK;
}

static uint32_t policy_at(const struct sl_run_args *args, const char *name)
{
    for (uint32_t p = 0; p < args->policy_count; p++)
        if (strcmp(args->policies[p], name) == 0)
            return p;
    return SL_NONE;
}

/* One folder for each policy, and none for others. */
static enum sl_status assign(struct sl_measured *measured, const struct sl_run_args *args,
                             struct sl_error *err)
{
    for (uint32_t i = 0; i < measured->dir_count; i++) {
        const struct sl_replay_record *record = &measured->records[i];
        const char *policy = record->identity.policy;
        uint32_t p = policy_at(args, policy);
        if (p == SL_NONE)
            return SL_FAIL_AT(err, SL_INVALID, record->policy_at,
                              "this replay is of policy '%s', which is not compared; add --policy "
                              "%s, or leave the folder out",
                              policy, policy);
        if (measured->of_policy[p])
            return SL_FAIL_AT(err, SL_INVALID, record->policy_at,
                              "policy '%s' was measured in '%s' already; give one folder a policy",
                              policy, measured->of_policy[p]->dir);
        measured->of_policy[p] = record;
    }
    for (uint32_t p = 0; p < args->policy_count; p++)
        if (!measured->of_policy[p])
            return SL_FAIL(err, SL_USAGE,
                           "no --measured folder is of policy '%s': each policy compared needs its "
                           "replay",
                           args->policies[p]);
    return SL_OK;
}

/* Policies are ranked by what one machine did in one regime. */
static enum sl_status alike(const struct sl_measured *measured, struct sl_diags *diags,
                            struct sl_error *err)
{
    const struct sl_replay_record *first = &measured->records[0];
    for (uint32_t i = 1; i < measured->dir_count; i++) {
        const struct sl_replay_record *record = &measured->records[i];
        const struct sl_replay_identity *a = &first->identity, *b = &record->identity;
        if (strcmp(a->backend, b->backend) != 0)
            return SL_FAIL_AT(err, SL_INVALID, record->policy_at,
                              "this replay is of backend '%s', that of '%s' is of '%s'", b->backend,
                              first->dir, a->backend);
        if (strcmp(a->regime, b->regime) != 0)
            sl_diags_add(
                diags, SL_WARNING, "other-regime", record->policy_at,
                "this replay was judged in regime '%s', that of '%s' in '%s': a difference "
                "may be the regime's",
                b->regime, first->dir, a->regime);
    }
    return SL_OK;
}

enum sl_status sl_measured_read(struct sl_measured *measured, const struct sl_run_args *args)
{
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status = SL_OK;
    if (measured->dir_count == 0)
        return SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < measured->dir_count; i++) {
        struct sl_error local = {0};
        status = sl_replay_record_read(&measured->records[i], measured->dirs[i], &measured->arena,
                                       &diags, &local);
        if (status != SL_OK)
            status = SL_FAIL_AT(&err, status, local.place,
                                "%s; '%s' is not the folder of a finished replay", local.message,
                                measured->dirs[i]);
    }
    if (status == SL_OK && diags.errors == 0)
        status = alike(measured, &diags, &err);
    sl_diags_print(&diags, stderr);
    if (status == SL_OK && diags.errors > 0)
        status = sl_diags_status(&diags, NULL);
    else if (status == SL_OK)
        status = assign(measured, args, &err);
    sl_diags_free(&diags);
    if (err.status != SL_OK)
        sl_report_error("compare", &err);
    return status;
}

enum sl_status sl_measured_check(const struct sl_measured *measured,
                                 const struct sl_scenario *scenario, struct sl_error *err)
{
    for (uint32_t i = 0; i < measured->dir_count; i++) {
        const struct sl_replay_record *record = &measured->records[i];
        if (strcmp(record->identity.scenario, scenario->name) != 0)
            return SL_FAIL_AT(err, SL_INVALID, record->scenario_at,
                              "this replay is of scenario '%s', not '%s'",
                              record->identity.scenario, scenario->name);
    }
    return SL_OK;
}

enum sl_status sl_measured_check_plan(const struct sl_measured *measured, uint32_t policy,
                                      const struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_replay_record *record = measured->of_policy[policy];
    if (!cell->plan.graph)
        return SL_FAIL_AT(err, SL_INVALID, record->plan_at,
                          "policy '%s' was executed, but has no legal plan here: %s",
                          cell->spec.policy, cell->reason);
    uint64_t plan = sl_graph_digest(cell->plan.graph);
    if (plan != record->identity.plan)
        return SL_FAIL_AT(err, SL_INVALID, record->plan_at,
                          "policy '%s' has another plan now (%016" PRIx64
                          "): replay it again, or compare with the --set that it was replayed with",
                          cell->spec.policy, plan);
    return SL_OK;
}

enum sl_status sl_measured_rank(struct sl_measured *measured, const struct sl_contest *contest,
                                double q, uint64_t seed, double min_gain, struct sl_error *err)
{
    struct sl_measured_sample samples[SL_MAX_POLICIES];
    for (uint32_t p = 0; p < contest->count; p++)
        samples[p] = (struct sl_measured_sample){measured->of_policy[p]->makespans_us,
                                                 measured->of_policy[p]->identity.judged};
    return sl_rank_check_make(&measured->check, contest, samples, q, seed, min_gain, err);
}

void sl_measured_free(struct sl_measured *measured)
{
    sl_rank_check_free(&measured->check);
    sl_arena_free(&measured->arena);
}
