/* Settings of a policy against its scenario: what names nothing, and what changes nothing. */
#include "settings.h"
#include <stdarg.h>
#include <string.h>

void sl_policy_warn(struct sl_diags *diags, const char *code, struct sl_place place,
                    const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!diags)
        return;
    for (size_t i = 0; i < diags->count; i++)
        if (strcmp(diags->items[i].code, code) == 0 && diags->items[i].place.line == place.line &&
            diags->items[i].message && strcmp(diags->items[i].message, message) == 0)
            return;
    sl_diags_add(diags, SL_WARNING, code, place, "%s", message);
}

/* Warns of a key of --set that no policy has; all hold it, so the first tells. */
static void warn_unused_override(const struct sl_scenario *scenario, struct sl_diags *diags)
{
    const char *keys[SL_SETTING_KEYS];
    size_t key_count = scenario->policy_count ? sl_setting_keys(keys) : 0;
    for (size_t k = 0; k < key_count; k++) {
        const struct sl_setting *setting =
            sl_setting_find(&scenario->policies[0].rules[0], keys[k]);
        bool used = !setting || !sl_setting_from_override(setting);
        for (uint32_t i = 0; i < scenario->policy_count && !used; i++)
            used = sl_policy_uses(&scenario->policies[i], keys[k]);
        if (!used)
            sl_policy_warn(diags, "unused-parameter", setting->place,
                           "%s changes nothing: no policy has this parameter", setting->key);
    }
}

/* Warns of each name or glob of `objects` that no object answers to. */
static void warn_unmatched(const struct sl_scenario *scenario, const struct sl_policy_spec *policy,
                           struct sl_diags *diags)
{
    for (uint32_t r = 0; r < policy->rule_count; r++) {
        const struct sl_setting *setting = sl_setting_find(&policy->rules[r], "objects");
        for (uint32_t v = 0; setting && v < setting->value_count; v++)
            for (const char *at = setting->values[v]; *at; at += strspn(at, ";")) {
                char glob[300];
                size_t length = strcspn(at, ";");
                bool matched = length == 0;
                snprintf(glob, sizeof glob, "%.*s", (int)length, at);
                for (uint32_t o = 0; o < scenario->graph->object_count && !matched; o++)
                    matched = sl_glob_any(glob, scenario->graph->objects[o].name);
                if (!matched && length < sizeof glob)
                    sl_policy_warn(diags, "unused-parameter", setting->place,
                                   "policy '%s': no object matches '%s'", policy->name, glob);
                at += length;
            }
    }
}

/* Aging raises priorities, so it takes a list that is ordered by them. */
static bool orders_by_priority(const struct sl_platform *platform,
                               const struct sl_engine_options *engine)
{
    if (engine->dispatch_given)
        return engine->dispatch == SL_ORDER_PRIORITY;
    for (uint32_t r = 0; r < platform->resource_names.count; r++)
        if (platform->resources[r].order == SL_ORDER_PRIORITY)
            return true;
    return false;
}

static void warn_aging(const struct sl_platform *platform, const struct sl_policy_spec *policy,
                       const struct sl_engine_options *engine, struct sl_diags *diags)
{
    if (!engine->aging_given || engine->aging_ps <= 0 || orders_by_priority(platform, engine))
        return;
    const struct sl_setting *setting =
        sl_setting_find(&policy->rules[policy->rule_count - 1], "aging");
    if (!sl_setting_from_override(setting))
        sl_policy_warn(diags, "unused-parameter", setting->place,
                       "policy '%s': aging changes nothing without dispatch: priority, or a "
                       "resource of order: priority",
                       policy->name);
}

/* `list`: names with ';' between them; NULL: the parameter has none. */
static void check_domain(const struct sl_platform *platform, const struct sl_setting *setting,
                         const char *list, struct sl_diags *diags)
{
    const struct sl_names *names = &platform->domain_names;
    for (const char *at = setting && list ? list : ""; *at; at += strspn(at, ";")) {
        char hint[400] = "", domain[SL_NAME_MAX + 1];
        size_t length = strcspn(at, ";");
        snprintf(domain, sizeof domain, "%.*s", (int)length, at);
        at += length;
        if (sl_names_find(names, domain) != SL_NONE)
            continue;
        sl_suggest(hint, sizeof hint, domain, (const char *const *)names->names, names->count);
        sl_diags_add(diags, SL_ERROR, "unknown-domain", setting->place, "%s: no domain '%s'%s",
                     setting->key, domain, hint);
    }
}

/* Domains that parameters name must be there. */
static void check_domains(const struct sl_platform *platform, const struct sl_policy_spec *policy,
                          const struct sl_rules *rules, struct sl_diags *diags)
{
    for (uint32_t r = 0; r < rules->count; r++) {
        const struct sl_policy_rule *from = &policy->rules[r];
        check_domain(platform, sl_setting_find(from, "action.to"), rules->items[r].to, diags);
        if (policy->caches && r + 1 == rules->count && sl_rule_spills(from))
            check_domain(platform, sl_setting_find(from, "cache.spill"), rules->items[r].spill,
                         diags);
    }
}

void sl_policy_check(const struct sl_scenario *scenario, struct sl_diags *diags)
{
    warn_unused_override(scenario, diags);
    for (uint32_t i = 0; i < scenario->policy_count; i++) {
        struct sl_rules rules;
        if (sl_rules_read(&rules, &scenario->policies[i], diags, NULL) == SL_SYSTEM)
            sl_diags_add(diags, SL_ERROR, "out-of-memory", scenario->policies[i].place,
                         "out of memory for a policy");
        warn_aging(&scenario->platform, &scenario->policies[i], &rules.engine, diags);
        check_domains(&scenario->platform, &scenario->policies[i], &rules, diags);
        sl_rules_free(&rules);
        sl_tuning_check(&scenario->policies[i], diags);
        warn_unmatched(scenario, &scenario->policies[i], diags);
    }
    sl_shared_check(scenario, diags);
}
