/* Reads the settings of a policy: names to parts, texts to numbers; faults told, a setting replaced. */
#include "settings.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* The one value of a setting that takes one; NULL with a fault otherwise. */
static const char *one_value(const struct sl_setting *setting, struct sl_diags *diags)
{
    if (setting->value_count == 1)
        return setting->values[0];
    sl_diags_add(diags, SL_ERROR, "wrong-type", setting->place, "%s takes one value, found %u",
                 setting->key, setting->value_count);
    return NULL;
}

static void unknown_word(const char *role, const char *word, struct sl_place place,
                         struct sl_diags *diags)
{
    const char *words[32];
    size_t count;
    char hint[400] = "";
    sl_part_words(role, words, &count);
    sl_suggest(hint, sizeof hint, word, words, count);
    sl_diags_add(diags, SL_ERROR, "unknown-part", place, "unknown %s '%s'%s", role, word, hint);
}

/* Streams, queues, events, captures: how the runtime makes an order happen. */
static bool is_mechanism(const char *key)
{
    static const char *const words[] = {"stream", "queue",    "event", "capture", "graph",
                                        "launch", "callback", "sync",  "fence",   "semaphore"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(key, words[i]))
            return true;
    return false;
}

static void check_keys(const struct sl_policy_rule *rule, struct sl_diags *diags)
{
    const char *keys[SL_SETTING_KEYS];
    size_t count = sl_setting_keys(keys);
    for (uint32_t i = 0; i < rule->count; i++) {
        const struct sl_setting *setting = &rule->settings[i];
        bool known = false;
        for (size_t k = 0; k < count && !known; k++)
            known = strcmp(sl_setting_key(setting->key), keys[k]) == 0;
        if (known)
            continue;
        char hint[500] = "";
        if (is_mechanism(setting->key))
            snprintf(hint, sizeof hint,
                     ": it names a mechanism. A policy states which order is wanted; by which "
                     "streams, queues, events or captures, the runtime chooses");
        else
            sl_suggest(hint, sizeof hint, setting->key, keys, count);
        sl_diags_add(diags, SL_ERROR, "unknown-key", setting->place,
                     "unknown setting '%s' of a policy%s", setting->key, hint);
    }
}

static bool parse_word(const char *const *words, const char *text, int64_t *index,
                       char why[SL_WHY_SIZE])
{
    size_t count = 0;
    for (; words[count]; count++)
        if (strcmp(words[count], text) == 0) {
            *index = (int64_t)count;
            return true;
        }
    char hint[SL_WHY_SIZE / 2] = "";
    sl_suggest(hint, sizeof hint, text, words, count);
    snprintf(why, SL_WHY_SIZE, "unknown word '%.60s'%s", text, hint);
    return false;
}

static bool parse_param(const struct sl_param *param, const char *text, void *field,
                        char why[SL_WHY_SIZE])
{
    double value;
    switch (param->type) {
    case SL_PARAM_BYTES:
        if (!sl_parse_bytes(text, field, why))
            return false;
        if ((double)*(const int64_t *)field < param->min) {
            snprintf(why, SL_WHY_SIZE, "'%s' is too small (allowed: %.0f B and more)", text,
                     param->min);
            return false;
        }
        return true;
    case SL_PARAM_TIME:
        return sl_parse_time(text, field, why);
    case SL_PARAM_INTEGER:
        return sl_parse_integer(text, (int64_t)param->min, (int64_t)param->max, field, why);
    case SL_PARAM_NUMBER:
        if (!sl_parse_number(text, &value, why))
            return false;
        if (!(value > param->min && value < param->max)) {
            snprintf(why, SL_WHY_SIZE, "'%s' is outside (%g, %g)", text, param->min, param->max);
            return false;
        }
        memcpy(field, &value, sizeof value);
        return true;
    case SL_PARAM_DOMAIN:
    case SL_PARAM_DOMAINS:
        memcpy(field, &text, sizeof text);
        return true;
    case SL_PARAM_WORD:
        return parse_word(param->words, text, field, why);
    }
    return false;
}

static const char *join_names(const struct sl_setting *setting, struct sl_arena *arena)
{
    size_t length = 1;
    for (uint32_t i = 0; i < setting->value_count; i++)
        length += strlen(setting->values[i]) + 1;
    char *text = sl_arena_alloc(arena, length);
    for (uint32_t i = 0; text && i < setting->value_count; i++) {
        if (i > 0)
            strcat(text, ";");
        strcat(text, setting->values[i]);
    }
    return text;
}

static void read_params(const struct sl_policy_rule *from, const struct sl_part *part,
                        struct sl_rule *rule, struct sl_arena *arena, struct sl_diags *diags)
{
    for (size_t i = 0; part && i < part->param_count; i++) {
        const struct sl_param *param = &part->params[i];
        const struct sl_setting *setting = sl_setting_find(from, param->key);
        bool many = setting && param->type == SL_PARAM_DOMAINS && setting->value_count > 0;
        const char *text = many      ? join_names(setting, arena)
                           : setting ? one_value(setting, diags)
                                     : NULL;
        char why[SL_WHY_SIZE];
        if (text && !parse_param(param, text, (char *)rule + param->offset, why))
            sl_diags_add(diags, SL_ERROR, "bad-value", setting->place, "%s: %s", param->key, why);
    }
}

static void read_engine(const struct sl_policy_rule *rule, struct sl_engine_options *engine,
                        struct sl_diags *diags)
{
    const struct sl_setting *setting = sl_setting_find(rule, "dispatch");
    const char *text = setting ? one_value(setting, diags) : NULL;
    if (text && !sl_dispatch_parse(text, &engine->dispatch))
        unknown_word("dispatch", text, setting->place, diags);
    engine->dispatch_given = text != NULL;
    setting = sl_setting_find(rule, "aging");
    text = setting ? one_value(setting, diags) : NULL;
    char why[SL_WHY_SIZE];
    if (text && !sl_parse_time(text, &engine->aging_ps, why))
        sl_diags_add(diags, SL_ERROR, "bad-value", setting->place, "aging: %s", why);
    engine->aging_given = text != NULL;
}

static void set_evict(const struct sl_rule *rule, struct sl_evict_options *evict)
{
    if (!rule->evict || !rule->evict->worth)
        return;
    evict->worth = rule->evict->worth;
    evict->neighbours = rule->evict->neighbours;
    evict->pins_running = rule->evict_pins == 1;
    evict->livelock = (uint32_t)rule->livelock;
}

static void set_cache(const struct sl_rule *rule, struct sl_engine_options *engine)
{
    engine->cache_order = (enum sl_cache_order)rule->cache_order;
    engine->cache_through = rule->cache_write == 1;
}

/* Settings that concern the whole policy. */
static const char *const whole_keys[] = {
    "dispatch", "aging",      "reclaim",        "reclaim.threshold", "choices",     "evict.how",
    "evict.by", "evict.pins", "evict.livelock", "cache.spill",       "cache.evict", "cache.write"};
#define WHOLE_COUNT (sizeof whole_keys / sizeof whole_keys[0])

static bool is_whole(const char *key)
{
    for (size_t k = 0; k < WHOLE_COUNT; k++)
        if (strcmp(key, whole_keys[k]) == 0)
            return true;
    return false;
}

/* A rule that states its own of those means something else. */
static void refuse_in_rules(const struct sl_policy_spec *policy, struct sl_diags *diags)
{
    const struct sl_policy_rule *whole = &policy->rules[policy->rule_count - 1];
    for (uint32_t r = 0; r + 1 < policy->rule_count; r++)
        for (size_t k = 0; k < WHOLE_COUNT; k++) {
            const struct sl_setting *own = sl_setting_find(&policy->rules[r], whole_keys[k]);
            const struct sl_setting *shared = sl_setting_find(whole, whole_keys[k]);
            if (own && (!shared || shared->values != own->values))
                sl_diags_add(diags, SL_ERROR, "bad-value", own->place,
                             "%s concerns the whole policy: write it beside `rules`", own->key);
        }
}

/* Blocks are fetched when their job's turn comes, which no plan knows. */
static void check_fetches(const struct sl_policy_rule *from, const struct sl_rule *rule,
                          struct sl_diags *diags)
{
    const struct sl_setting *setting = sl_setting_find(from, "prefetch.when");
    if (setting && rule->when && sl_rule_spills(from) && !sl_shared_when(rule->when))
        sl_diags_add(diags, SL_ERROR, "not-supported", setting->place,
                     "prefetch '%s' is not for objects that jobs share by blocks (allowed: demand, "
                     "lookahead, asap)",
                     rule->when->name);
}

static void read_rule(const struct sl_policy_spec *policy, const struct sl_policy_rule *from,
                      struct sl_rule *rule, struct sl_arena *arena, struct sl_diags *diags)
{
    *rule = (struct sl_rule){.lookahead = 1,
                             .quantile = 0.95,
                             .threshold = 0.9,
                             .livelock = 1000,
                             .place = policy->place};
    check_keys(from, diags);
    for (size_t i = 0; i < SL_ROLE_COUNT; i++) {
        const struct sl_setting *setting = sl_setting_find(from, sl_roles[i].key);
        const char *word = setting ? one_value(setting, diags) : sl_roles[i].initial;
        const struct sl_part *part = word ? sl_part_find(sl_roles[i].role, word) : NULL;
        if (word && !part)
            unknown_word(sl_roles[i].role, word, setting->place, diags);
        memcpy((char *)rule + sl_roles[i].offset, &part, sizeof part);
    }
    const struct sl_setting *action = sl_setting_find(from, "action"),
                            *objects = sl_setting_find(from, "objects");
    if (action)
        rule->place = action->place;
    else if (policy->rule_count == 1)
        sl_diags_add(diags, SL_ERROR, "missing-key", policy->place,
                     "policy '%s' states no action (allowed: as-given, retain, offload, remat, "
                     "best, chain-optimal)",
                     policy->name);
    if (objects && objects->value_count > 0)
        rule->objects = join_names(objects, arena);
    read_params(from, rule->action, rule, arena, diags);
    read_params(from, rule->select, rule, arena, diags);
    read_params(from, rule->when, rule, arena, diags);
    read_params(from, rule->reclaim, rule, arena, diags);
    read_params(from, rule->evict, rule, arena, diags);
    read_params(from, &sl_cache_part, rule, arena, diags);
    if (from->shared || (policy->caches && from == &policy->rules[policy->rule_count - 1]))
        check_fetches(from, rule, diags);
    if (rule->action && rule->action->selects && rule->select && rule->select->needs_objects &&
        !rule->objects)
        sl_diags_add(diags, SL_ERROR, "missing-key", rule->place,
                     "select '%s' needs `objects`: names or globs such as [x_in.*]",
                     rule->select->name);
}

/* Warns of every setting that changes nothing in any rule that holds it. */
static void warn_unused(const struct sl_policy_spec *policy, struct sl_diags *diags)
{
    const char *keys[SL_SETTING_KEYS];
    size_t key_count = sl_setting_keys(keys);
    for (size_t k = 0; k < key_count; k++)
        for (uint32_t r = 0; r < policy->rule_count; r++) {
            const struct sl_setting *setting = sl_setting_find(&policy->rules[r], keys[k]);
            bool used = !setting || sl_setting_from_override(setting);
            for (uint32_t q = 0; q < policy->rule_count && !used; q++) {
                const struct sl_setting *same = sl_setting_find(&policy->rules[q], keys[k]);
                used = same && same->values == setting->values &&
                       sl_rule_uses(policy, &policy->rules[q], keys[k]);
            }
            if (!used)
                sl_policy_warn(diags, "unused-parameter", setting->place,
                               "policy '%s': %s changes nothing here", policy->name, setting->key);
        }
}

enum sl_status sl_rules_read(struct sl_rules *rules, const struct sl_policy_spec *policy,
                             struct sl_diags *diags, struct sl_error *err)
{
    *rules = (struct sl_rules){0};
    struct sl_diags faults = {0};
    rules->items = sl_arena_array(&rules->arena, policy->rule_count + 1u, sizeof *rules->items);
    if (!rules->items)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for policy '%s'", policy->name);
    rules->count = policy->rule_count;
    for (uint32_t r = 0; r < policy->rule_count; r++)
        read_rule(policy, &policy->rules[r], &rules->items[r], &rules->arena, &faults);
    if (policy->rule_count > 0) {
        refuse_in_rules(policy, &faults);
        read_engine(&policy->rules[policy->rule_count - 1], &rules->engine, &faults);
        set_evict(&rules->items[policy->rule_count - 1], &rules->engine.evict);
        set_cache(&rules->items[policy->rule_count - 1], &rules->engine);
    }
    enum sl_status status = sl_diags_status(&faults, err);
    /* Inherited settings are read once per rule: the same fault counts once. */
    for (size_t i = 0; diags && i < faults.count; i++) {
        const struct sl_diag *fault = &faults.items[i];
        bool known = false;
        for (size_t k = 0; k < diags->count && !known; k++)
            known = strcmp(diags->items[k].code, fault->code) == 0 &&
                    diags->items[k].place.line == fault->place.line &&
                    diags->items[k].place.column == fault->place.column &&
                    strcmp(diags->items[k].message ? diags->items[k].message : "",
                           fault->message ? fault->message : "") == 0;
        if (!known)
            sl_diags_add(diags, fault->severity, fault->code, fault->place, "%s",
                         fault->message ? fault->message : "out of memory");
    }
    if (status == SL_OK)
        warn_unused(policy, diags);
    sl_diags_free(&faults);
    return status;
}

void sl_rules_free(struct sl_rules *rules)
{
    sl_arena_free(&rules->arena);
    *rules = (struct sl_rules){0};
}

/* Replaces the setting, or puts it in front. */
static bool set(struct sl_policy_rule *rule, const struct sl_setting *setting,
                struct sl_arena *arena)
{
    struct sl_setting *settings = sl_arena_array(arena, rule->count + 1u, sizeof *settings);
    uint32_t count = 0;
    if (!settings)
        return false;
    settings[count++] = *setting;
    for (uint32_t i = 0; i < rule->count; i++)
        if (strcmp(sl_setting_key(rule->settings[i].key), sl_setting_key(setting->key)) != 0)
            settings[count++] = rule->settings[i];
        else
            settings[0].place = rule->settings[i].place;
    rule->settings = settings;
    rule->count = count;
    return true;
}

const struct sl_policy_spec *sl_policy_with(const struct sl_policy_spec *policy, const char *key,
                                            const char *value, struct sl_arena *arena)
{
    struct sl_policy_spec *copy = sl_arena_alloc(arena, sizeof *copy);
    const char **values = sl_arena_array(arena, 1, sizeof *values);
    char *own_key = sl_arena_strdup(arena, sl_setting_key(key));
    if (!copy || !values || !own_key || !(values[0] = sl_arena_strdup(arena, value)))
        return NULL;
    *copy = *policy;
    copy->rules = sl_arena_array(arena, policy->rule_count + 1u, sizeof *copy->rules);
    if (!copy->rules)
        return NULL;
    struct sl_setting setting = {own_key, values, 1, policy->place};
    bool whole = is_whole(own_key) && sl_policy_uses(policy, own_key);
    for (uint32_t r = 0; r < policy->rule_count; r++) {
        copy->rules[r] = policy->rules[r];
        if ((whole || sl_rule_uses(policy, &policy->rules[r], own_key)) &&
            !set(&copy->rules[r], &setting, arena))
            return NULL;
    }
    return copy;
}
