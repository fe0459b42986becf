/* A record's scenario and plan, made again from what the record states. */
#include "config.h"

#include "record_inputs.h"
#include "record_scenario.h"
#include "same_graph.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum sl_status add_override(struct sl_record_scenario *at, const char *text,
                                   struct sl_error *err)
{
    return sl_override_parse(&at->overrides[at->override_count++], text, &at->arena, err);
}

static enum sl_status list_overrides(struct sl_record_scenario *at, const struct sl_record *record,
                                     const char *const *more, struct sl_error *err)
{
    const struct sl_record_environment *environment = &record->environment;
    uint32_t extra = 0;
    while (more && more[extra])
        extra++;
    bool good = true;
    const char *device =
        sl_record_moved_device(record, "scenario", &environment->settings, &at->arena, &good);
    size_t count = (size_t)environment->settings.count + environment->point.count + 1 + extra;
    at->overrides = sl_arena_array(&at->arena, count + 1, sizeof *at->overrides);
    enum sl_status status =
        at->overrides && good ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < environment->settings.count; i++)
        status = add_override(at, environment->settings.items[i], err);
    for (uint32_t i = 0; status == SL_OK && i < environment->point.count; i++) {
        const struct sl_record_axis *axis = &environment->point.items[i];
        const char *text = sl_arena_printf(&at->arena, "%s=%s", axis->axis, axis->value);
        status = text ? add_override(at, text, err) : SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    if (status == SL_OK && device)
        status = add_override(at, device, err);
    for (uint32_t i = 0; status == SL_OK && i < extra; i++)
        /* cppcheck-suppress nullPointer ; `more` is NULL where `extra` is 0 */
        status = add_override(at, more[i], err);
    return status;
}

enum sl_status sl_record_scenario_open(struct sl_record_scenario *at,
                                       const struct sl_record *record, const char *const *more,
                                       struct sl_diags *diags, struct sl_error *err)
{
    *at = (struct sl_record_scenario){0};
    enum sl_status status = list_overrides(at, record, more, err);
    if (status == SL_OK)
        status = sl_record_has_scenario(record, err);
    if (status == SL_OK)
        status = sl_record_check_devices(record, err);
    if (status == SL_OK)
        status = sl_scenario_load(&at->scenario, record->workload.folder, at->overrides,
                                  at->override_count, diags, err);
    if (status == SL_OK) {
        sl_policy_check(&at->scenario, diags);
        status = sl_diags_status(diags, err);
    }
    return status;
}

static uint32_t count_rules(const struct sl_record *record)
{
    uint64_t rules = 0;
    for (uint32_t i = 0; i < record->policy.settings.count; i++)
        if (record->policy.settings.items[i].rule > rules)
            rules = record->policy.settings.items[i].rule;
    return rules < record->policy.settings.count ? (uint32_t)rules : record->policy.settings.count;
}

/* Rule 0 is the top level, which comes last. */
static bool fill_rule(struct sl_policy_rule *rule, const struct sl_record *record, uint32_t number,
                      struct sl_arena *arena)
{
    const uint32_t count = record->policy.settings.count;
    rule->settings = sl_arena_array(arena, (size_t)count + 1, sizeof *rule->settings);
    for (uint32_t i = 0; rule->settings && i < count; i++) {
        const struct sl_record_setting *setting = &record->policy.settings.items[i];
        if (setting->rule == number)
            rule->settings[rule->count++] = (struct sl_setting){
                setting->key, setting->values.items, setting->values.count, {NULL, 0, 0}};
    }
    return rule->settings != NULL;
}

const struct sl_policy_spec *sl_record_policy_spec(const struct sl_record *record,
                                                   const struct sl_scenario *scenario,
                                                   struct sl_arena *arena)
{
    const struct sl_policy_spec *named = sl_scenario_policy(scenario, record->policy.name);
    uint32_t rules = count_rules(record);
    struct sl_policy_spec *spec = sl_arena_alloc(arena, sizeof *spec);
    if (!spec)
        return NULL;
    *spec = named ? *named : (struct sl_policy_spec){.name = record->policy.name};
    spec->rule_count = rules + 1;
    spec->rules = sl_arena_array(arena, (size_t)rules + 1, sizeof *spec->rules);
    for (uint32_t r = 0; spec->rules && r <= rules; r++)
        if (!fill_rule(&spec->rules[r], record, r == rules ? 0 : r + 1, arena))
            return NULL;
    return spec->rules ? spec : NULL;
}

enum sl_status sl_record_scenario_plan(struct sl_record_scenario *at,
                                       const struct sl_record *record, struct sl_diags *diags,
                                       struct sl_error *err)
{
    if (!record->policy.name)
        return SL_FAIL(err, SL_NO, "the record selects no policy");
    at->policy = sl_record_policy_spec(record, &at->scenario, &at->arena);
    if (!at->policy)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_policy_plan(&at->plan, &at->scenario, at->policy, diags, err);
    return status == SL_OK && !sl_scenario_has_jobs(&at->scenario)
               ? sl_program_create(&at->program, at->plan.graph, &at->plan.engine, err)
               : status;
}

enum sl_status sl_record_scenario_once(const struct sl_record_scenario *at, const char *what,
                                       struct sl_error *err)
{
    return sl_scenario_has_jobs(&at->scenario) ? SL_FAIL(err, SL_USAGE,
                                                         "%s is not supported in mode %s: what is "
                                                         "measured is a run of the plan by itself, "
                                                         "and jobs share the machine",
                                                         what, sl_mode_words[at->scenario.mode])
                                               : SL_OK;
}

enum sl_status sl_record_scenario_baseline(const struct sl_record_scenario *at,
                                           const struct sl_record *record, struct sl_plan *plan,
                                           struct sl_diags *diags, struct sl_error *err)
{
    const char *name = record->baseline.present ? record->baseline.policy : NULL;
    const struct sl_policy_spec *policy = name ? sl_scenario_policy(&at->scenario, name) : NULL;
    const char *decided = record->graph.baseline_digest;
    *plan = (struct sl_plan){0};
    if (!name)
        return SL_FAIL(err, SL_NO, "the record has no baseline");
    if (!policy || record->baseline.scenario)
        return SL_FAIL(err, SL_NO, "the baseline '%s' is none of the scenario's policies", name);
    enum sl_status status = sl_policy_plan(plan, &at->scenario, policy, diags, err);
    if (status == SL_OK && decided && strtoull(decided, NULL, 16) != sl_graph_digest(plan->graph))
        status =
            SL_FAIL(err, SL_NO,
                    "the baseline '%s' was decided at another point of the policies' axes", name);
    return status;
}

static enum sl_status check_plan(const struct sl_record_scenario *at,
                                 const struct sl_record *record, struct sl_error *err)
{
    const char *decided = record->graph.plan_digest;
    uint64_t digest = sl_graph_digest(at->plan.graph);
    if (decided && strtoull(decided, NULL, 16) == digest)
        return SL_OK;
    return SL_FAIL(err, SL_INVALID,
                   "the scenario '%s' has changed since the decision: policy '%s' has the plan "
                   "%016" PRIx64 " now, not %s; decide again",
                   record->workload.folder, record->policy.name, digest,
                   decided ? decided : "none");
}

enum sl_status sl_record_scenario_decided(struct sl_record_scenario *at,
                                          const struct sl_record *record, struct sl_diags *diags,
                                          struct sl_error *err)
{
    enum sl_status status = sl_record_scenario_open(at, record, NULL, diags, err);
    if (status == SL_OK)
        status = sl_record_check_inputs(record, &at->scenario, "scenario", err);
    if (status == SL_OK)
        status = sl_record_scenario_plan(at, record, diags, err);
    return status == SL_OK ? check_plan(at, record, err) : status;
}

void sl_record_scenario_close(struct sl_record_scenario *at)
{
    sl_program_free(at->program);
    sl_plan_free(&at->plan);
    sl_scenario_free(&at->scenario);
    sl_arena_free(&at->arena);
}
