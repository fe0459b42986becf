/* Which settings a rule of a policy has, by key, and which of them change anything.
 *
 * A rule holds its own settings first and inherited ones behind them, so the first match counts.
 * `select: largest` and `select: {how: largest}` are one setting, as are `prefetch: jit` and
 * `prefetch: {when: jit}`; inside policy/ every key has its long form. */
#include "settings.h"
#include <string.h>

static const struct {
    const char *given, *canonical;
} synonyms[] = {
    {"select", "select.how"},      {"action.how", "action"},    {"select.objects", "objects"},
    {"prefetch", "prefetch.when"}, {"reclaim.when", "reclaim"}, {"evict", "evict.how"},
};

const char *sl_setting_key(const char *key)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(key, synonyms[i].given) == 0)
            return synonyms[i].canonical;
    return key;
}

/* Roles that a rule names a part for. */
const struct sl_role sl_roles[SL_ROLE_COUNT] = {
    {"action", "action", "retain", offsetof(struct sl_rule, action)},
    {"select.how", "select", "all", offsetof(struct sl_rule, select)},
    {"prefetch.when", "prefetch.when", "demand", offsetof(struct sl_rule, when)},
    {"reclaim", "reclaim", "immediate", offsetof(struct sl_rule, reclaim)},
    {"evict.how", "evict", "none", offsetof(struct sl_rule, evict)},
};

/* What becomes of blocks that jobs share, which is no part's matter. */
static const char *const cache_orders[] = {"lru", "fifo", "none", NULL}; /* enum sl_cache_order */
static const char *const cache_writes[] = {"back", "through", NULL};
static const struct sl_param cache_params[] = {
    {.key = "cache.spill", .type = SL_PARAM_DOMAINS, .offset = offsetof(struct sl_rule, spill)},
    {.key = "cache.evict",
     .type = SL_PARAM_WORD,
     .offset = offsetof(struct sl_rule, cache_order),
     .words = cache_orders},
    {.key = "cache.write",
     .type = SL_PARAM_WORD,
     .offset = offsetof(struct sl_rule, cache_write),
     .words = cache_writes},
};
const struct sl_part sl_cache_part = {
    .params = cache_params,
    .param_count = sizeof cache_params / sizeof cache_params[0],
};

static const char *const plain_keys[] = {"objects", "dispatch", "aging", "choices"};
#define PLAIN_COUNT (sizeof plain_keys / sizeof plain_keys[0])

const struct sl_setting *sl_setting_find(const struct sl_policy_rule *rule, const char *key)
{
    for (uint32_t i = 0; i < rule->count; i++)
        if (strcmp(sl_setting_key(rule->settings[i].key), key) == 0)
            return &rule->settings[i];
    return NULL;
}

static const struct sl_param *find_param(const struct sl_part *part, const char *key)
{
    for (size_t i = 0; part && i < part->param_count; i++)
        if (strcmp(part->params[i].key, key) == 0)
            return &part->params[i];
    return NULL;
}

/* The part that a rule has in a role, the default where it names none; NULL when unknown. */
static const struct sl_part *part_of(const struct sl_policy_rule *rule, const struct sl_role *role)
{
    const struct sl_setting *setting = sl_setting_find(rule, role->key);
    bool named = setting && setting->value_count == 1;
    return sl_part_find(role->role, named ? setting->values[0] : role->initial);
}

bool sl_rule_spills(const struct sl_policy_rule *rule)
{
    const struct sl_setting *spill = sl_setting_find(rule, "cache.spill");
    return !spill || spill->value_count != 1 || strcmp(spill->values[0], "none") != 0;
}

/* True when `key` (long form) changes anything in this rule. */
bool sl_rule_uses(const struct sl_policy_spec *policy, const struct sl_policy_rule *rule,
                  const char *key)
{
    bool caches = policy->caches && rule == &policy->rules[policy->rule_count - 1];
    bool fetches = (caches || rule->shared) && sl_rule_spills(rule);
    const struct sl_part *action = part_of(rule, &sl_roles[0]),
                         *select = part_of(rule, &sl_roles[1]), *when = part_of(rule, &sl_roles[2]),
                         *reclaim = part_of(rule, &sl_roles[3]),
                         *evict = part_of(rule, &sl_roles[4]);
    bool selects = action && action->selects;
    bool moves = (action && action->moves) || fetches;
    if (strcmp(key, "select.how") == 0)
        return selects;
    if (strcmp(key, "prefetch.when") == 0)
        return moves;
    if (find_param(select, key))
        return selects;
    if (find_param(when, key))
        return moves;
    if (strcmp(key, "cache.write") == 0)
        return caches && sl_rule_spills(rule);
    if (find_param(&sl_cache_part, key))
        return caches;
    if (strcmp(key, "objects") == 0)
        return (action && strcmp(action->name, "as-given") != 0) || rule->shared;
    if (find_param(action, key))
        return true;
    if (find_param(reclaim, key) || (strcmp(key, "reclaim") == 0 && reclaim && reclaim->keeps))
        return selects;
    if (strcmp(key, "action") == 0 || strcmp(key, "reclaim") == 0 ||
        strcmp(key, "evict.how") == 0 || find_param(evict, key))
        return true;
    for (size_t i = 0; i < PLAIN_COUNT; i++)
        if (strcmp(key, plain_keys[i]) == 0)
            return true;
    return false;
}

/* Every key that some part or role knows. */
size_t sl_setting_keys(const char *keys[SL_SETTING_KEYS])
{
    size_t count = 0;
    for (size_t i = 0; i < SL_ROLE_COUNT; i++)
        keys[count++] = sl_roles[i].key;
    for (size_t i = 0; i < PLAIN_COUNT; i++)
        keys[count++] = plain_keys[i];
    for (size_t i = 0; i < sl_cache_part.param_count; i++)
        keys[count++] = sl_cache_part.params[i].key;
    for (size_t i = 0; sl_part_get(i); i++)
        for (size_t k = 0; k < sl_part_get(i)->param_count && count < SL_SETTING_KEYS; k++) {
            const char *key = sl_part_get(i)->params[k].key;
            bool there = false;
            for (size_t j = 0; j < count && !there; j++)
                there = strcmp(keys[j], key) == 0;
            if (!there)
                keys[count++] = key;
        }
    return count;
}

/* --set writes its key into every policy, meant for those that have it. */
bool sl_setting_from_override(const struct sl_setting *setting)
{
    return setting->place.file && strcmp(setting->place.file, SL_OVERRIDE_FILE) == 0;
}

bool sl_policy_spills(const struct sl_policy_spec *policy, const char *domain)
{
    const struct sl_setting *spill =
        sl_setting_find(&policy->rules[policy->rule_count - 1], "cache.spill");
    bool any = !spill;
    for (uint32_t v = 0; spill && v < spill->value_count && !any; v++)
        any = sl_list_has(spill->values[v], domain);
    return any;
}

bool sl_policy_uses(const struct sl_policy_spec *policy, const char *key)
{
    for (uint32_t r = 0; r < policy->rule_count; r++)
        if (sl_rule_uses(policy, &policy->rules[r], sl_setting_key(key)))
            return true;
    return false;
}
