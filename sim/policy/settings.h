/* Settings of a rule by key: what settings_keys.c gives to those who read and check them.  Private
 * to policy/. */
#ifndef SL_SETTINGS_H
#define SL_SETTINGS_H
#include "parts.h"

/* A role that a rule names a part for; `initial` where it names none, `offset` in struct sl_rule.
 */
struct sl_role {
    const char *key, *role, *initial;
    size_t offset;
};
#define SL_ROLE_COUNT 5
extern const struct sl_role sl_roles[SL_ROLE_COUNT];
/* The parameters of blocks that jobs share, as if they were a part's. */
extern const struct sl_part sl_cache_part;

#define SL_SETTING_KEYS 64 /* at most so many keys are known to parts and roles */

/* The long form of a key. */
const char *sl_setting_key(const char *key);
/* The rule's setting of that key in its long form, NULL where it has none. */
const struct sl_setting *sl_setting_find(const struct sl_policy_rule *rule, const char *key);
/* Every key that some part or role knows, in the long form; returns how many. */
size_t sl_setting_keys(const char *keys[SL_SETTING_KEYS]);
/* --set writes its key into every policy, meant for those that have it. */
bool sl_setting_from_override(const struct sl_setting *setting);
/* Whether the rule's shared blocks go to a tier when they leave. */
bool sl_rule_spills(const struct sl_policy_rule *rule);
/* Whether `key` (long form) changes anything in this rule. */
bool sl_rule_uses(const struct sl_policy_spec *policy, const struct sl_policy_rule *rule,
                  const char *key);
#endif
