/* Policies as flat settings, and the axes of a sweep.
 *
 *     prefetch: {when: jit, quantile: 0.95}   ->   "prefetch.when" = {"jit"}, "prefetch.quantile"
 * ...
 *
 * What the settings mean is the business of the folder policy/; here they only get their shape. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

#define MAX_SETTINGS 256 /* of one rule */
#define MAX_POLICIES 4096
#define MAX_CELLS    1000000.0

/* Settings while they are gathered. */
struct gathered {
    struct sl_setting items[MAX_SETTINGS];
    uint32_t count;
};

static bool starts_new(struct sl_loader *loader, struct gathered *to, struct sl_place place)
{
    if (to->count < MAX_SETTINGS)
        return true;
    sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", place,
                 "more than %d settings of one policy", MAX_SETTINGS);
    return false;
}

/* The values of one setting: a scalar, a list of scalars, or "a;b" of `objects`. */
static void add_setting(struct sl_loader *loader, struct gathered *to, const char *key,
                        const struct sl_yaml *node)
{
    struct sl_arena *arena = loader->reader.arena;
    struct sl_setting setting = {.key = key, .place = node->place};
    if (!starts_new(loader, to, node->place))
        return;
    if (node->type == SL_YAML_SCALAR && strcmp(key, "objects") == 0) {
        size_t count = 0;
        setting.values = (const char **)sl_split(arena, node->text, ';', &count);
        setting.value_count = (uint32_t)count;
    } else if (node->type == SL_YAML_SCALAR) {
        setting.values = sl_arena_array(arena, 1, sizeof *setting.values);
        if (setting.values)
            setting.values[setting.value_count++] = node->text;
    } else {
        setting.values = sl_arena_array(arena, node->count + 1u, sizeof *setting.values);
        for (uint32_t i = 0; setting.values && i < node->count; i++)
            if (sl_field_is(&loader->reader, node->items[i], SL_YAML_SCALAR, key))
                setting.values[setting.value_count++] = node->items[i]->text;
    }
    if (setting.value_count == 0)
        sl_diags_add(loader->reader.diags, SL_ERROR, "missing-value", node->place,
                     "%s has no value", key);
    to->items[to->count++] = setting;
}

static void flatten(struct sl_loader *loader, const struct sl_yaml *map, const char *prefix,
                    struct gathered *to)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const struct sl_yaml *node = map->items[i];
        if (!prefix && (strcmp(map->keys[i], "name") == 0 || strcmp(map->keys[i], "rules") == 0))
            continue;
        const char *key = prefix
                              ? sl_arena_printf(loader->reader.arena, "%s.%s", prefix, map->keys[i])
                              : map->keys[i];
        if (!key)
            return;
        if (node->type == SL_YAML_MAP)
            flatten(loader, node, key, to);
        else
            add_setting(loader, to, key, node);
    }
}

/* Settings of the top level that the rule does not state. */
static void inherit(struct gathered *rule, const struct gathered *top)
{
    uint32_t own = rule->count;
    for (uint32_t i = 0; i < top->count; i++) {
        bool stated = false;
        for (uint32_t k = 0; k < own && !stated; k++)
            stated = strcmp(rule->items[k].key, top->items[i].key) == 0;
        if (!stated && rule->count < MAX_SETTINGS)
            rule->items[rule->count++] = top->items[i];
    }
}

static bool keep_rule(struct sl_loader *loader, struct sl_policy_rule *rule,
                      const struct gathered *from)
{
    rule->settings = sl_arena_array(loader->reader.arena, from->count + 1u, sizeof *rule->settings);
    if (!rule->settings)
        return false;
    memcpy(rule->settings, from->items, from->count * sizeof *rule->settings);
    rule->count = from->count;
    return true;
}

/* Whether its `objects` name one that jobs share by blocks. */
static bool is_for_shared(const struct sl_graph *graph, const struct sl_policy_rule *rule)
{
    bool shared = false;
    for (uint32_t k = 0; k < rule->count; k++)
        for (uint32_t v = 0;
             strcmp(rule->settings[k].key, "objects") == 0 && v < rule->settings[k].value_count;
             v++)
            for (uint32_t o = 0; o < graph->object_count && !shared; o++)
                shared = graph->objects[o].shared &&
                         sl_glob_any(rule->settings[k].values[v], graph->objects[o].name);
    return shared;
}

static void load_rules(struct sl_loader *loader, const struct sl_yaml *map,
                       struct sl_policy_spec *policy)
{
    struct gathered top = {.count = 0}, rule;
    flatten(loader, map, NULL, &top);
    const struct sl_yaml *rules = sl_yaml_get(map, "rules");
    uint32_t given = sl_field_is(&loader->reader, rules, SL_YAML_LIST, "rules") ? rules->count : 0;
    policy->rules = sl_arena_array(loader->reader.arena, given + 1u, sizeof *policy->rules);
    if (!policy->rules)
        return;
    for (uint32_t i = 0; i < given; i++) {
        const struct sl_yaml *item = rules->items[i];
        if (!sl_field_is(&loader->reader, item, SL_YAML_MAP, "a rule") ||
            !sl_field_require(&loader->reader, item, "objects", "a rule"))
            continue;
        rule.count = 0;
        flatten(loader, item, NULL, &rule);
        inherit(&rule, &top);
        struct sl_policy_rule *kept = &policy->rules[policy->rule_count++];
        if (!keep_rule(loader, kept, &rule))
            return;
        kept->shared = is_for_shared(loader->graph, kept);
    }
    if (keep_rule(loader, &policy->rules[policy->rule_count], &top))
        policy->rule_count++;
}

static bool load_policy(struct sl_loader *loader, const struct sl_yaml *map,
                        struct sl_policy_spec *policy)
{
    const struct sl_reader *reader = &loader->reader;
    const char *name = NULL;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "a policy") ||
        !sl_field_require(reader, map, "name", "a policy") ||
        !sl_field_text(reader, map, "name", &name) ||
        !sl_value_name(reader, name, sl_yaml_get(map, "name")->place, "policy", ",/"))
        return false;
    const struct sl_policy_spec *known = sl_scenario_policy(loader->scenario, name);
    if (known) {
        sl_diags_add(reader->diags, SL_ERROR, "duplicate-name", sl_yaml_get(map, "name")->place,
                     "policy '%s' is already defined at %s:%d", name, known->place.file,
                     known->place.line);
        return false;
    }
    *policy = (struct sl_policy_spec){
        .name = name, .caches = sl_has_shared(loader->graph), .place = map->place};
    load_rules(loader, map, policy);
    return policy->rule_count > 0;
}

/* Without policies a scenario runs as it is written. */
static void add_as_given(struct sl_loader *loader)
{
    struct sl_scenario *scenario = loader->scenario;
    struct sl_arena *arena = loader->reader.arena;
    struct sl_policy_rule *rule = sl_arena_alloc(arena, sizeof *rule);
    struct sl_setting *action = sl_arena_alloc(arena, sizeof *action);
    const char **value = sl_arena_array(arena, 1, sizeof *value);
    if (!scenario->policies || !rule || !action || !value)
        return;
    struct sl_place place = loader->root->place;
    value[0] = "as-given";
    *action = (struct sl_setting){"action", value, 1, place};
    *rule = (struct sl_policy_rule){.settings = action, .count = 1};
    scenario->policies[0] = (struct sl_policy_spec){.name = "as-given",
                                                    .rules = rule,
                                                    .rule_count = 1,
                                                    .caches = sl_has_shared(loader->graph),
                                                    .place = place};
    scenario->policy_count = 1;
}

void sl_load_policies(struct sl_loader *loader)
{
    struct sl_scenario *scenario = loader->scenario;
    const struct sl_yaml *list = sl_yaml_get(loader->root, "policies");
    uint32_t count = sl_field_is(&loader->reader, list, SL_YAML_LIST, "policies") ? list->count : 0;
    if (count > MAX_POLICIES) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", list->place,
                     "%u policies (allowed: %d)", count, MAX_POLICIES);
        return;
    }
    scenario->policies =
        sl_arena_array(loader->reader.arena, count + 1u, sizeof *scenario->policies);
    for (uint32_t i = 0; scenario->policies && i < count; i++)
        if (load_policy(loader, list->items[i], &scenario->policies[scenario->policy_count]))
            scenario->policy_count++;
    if (!list)
        add_as_given(loader);
}

/* The list of a file, behind the policies that there are. */
static void append_policies(struct sl_loader *loader, const struct sl_yaml *list)
{
    struct sl_scenario *scenario = loader->scenario;
    uint32_t count = scenario->policy_count;
    if (!sl_field_is(&loader->reader, list, SL_YAML_LIST, "a file of policies"))
        return;
    if (list->count > MAX_POLICIES - count) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", list->place,
                     "%u policies (allowed: %d)", count + list->count, MAX_POLICIES);
        return;
    }
    struct sl_policy_spec *all =
        sl_arena_array(loader->reader.arena, count + list->count + 1u, sizeof *all);
    if (!all)
        return;
    memcpy(all, scenario->policies, count * sizeof *all);
    scenario->policies = all;
    for (uint32_t i = 0; i < list->count; i++)
        if (load_policy(loader, list->items[i], &scenario->policies[scenario->policy_count]))
            scenario->policy_count++;
}

enum sl_status sl_scenario_add_policies(struct sl_scenario *scenario, const char *path,
                                        struct sl_diags *diags, struct sl_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash ? sl_arena_printf(&scenario->arena, "%.*s",
                                              slash == path ? 1 : (int)(slash - path), path)
                            : ".";
    const char *file = sl_arena_strdup(&scenario->arena, path); /* places name it */
    if (!dir || !file)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for policies");
    struct sl_loader loader = {.scenario = scenario,
                               .graph = scenario->graph,
                               .reader = {&scenario->arena, diags, dir},
                               .err = err,
                               .yaml_file = file,
                               .errors_before = diags->errors,
                               .platform_known = true,
                               .routes_known = true,
                               .objects_known = true,
                               .nodes_known = true};
    uint32_t first = scenario->policy_count;
    enum sl_status status = sl_yaml_read(file, &scenario->arena, &loader.root, err);
    if (status != SL_OK)
        return status;
    if (!sl_platform_note_input(&scenario->platform, file, &scenario->arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for policies");
    append_policies(&loader, loader.root);
    status = sl_load_choices(&loader, first);
    return status == SL_OK && diags->errors > loader.errors_before ? sl_diags_status(diags, err)
                                                                   : status;
}

static void load_baseline(struct sl_loader *loader, const char *key, const char **name)
{
    const struct sl_scenario *scenario = loader->scenario;
    const char *text;
    if (!sl_field_text(&loader->reader, loader->root, key, &text))
        return;
    *name = text;
    if (sl_scenario_policy(scenario, text))
        return;
    const char *words[MAX_POLICIES];
    for (uint32_t i = 0; i < scenario->policy_count; i++)
        words[i] = scenario->policies[i].name;
    char hint[512] = "";
    sl_suggest(hint, sizeof hint, text, words, scenario->policy_count);
    sl_diags_add(loader->reader.diags, SL_ERROR, "unknown-policy",
                 sl_yaml_get(loader->root, key)->place, "%s: unknown policy '%s'%s", key, text,
                 hint);
}

void sl_load_baselines(struct sl_loader *loader)
{
    load_baseline(loader, "baseline", &loader->scenario->baseline);
    load_baseline(loader, "fallback_baseline", &loader->scenario->fallback_baseline);
}

/* The child of `node` under a key, a list position or the `name` of a list's map. */
static const struct sl_yaml *child(const struct sl_yaml *node, const char *key)
{
    if (node->type == SL_YAML_MAP)
        return sl_yaml_get(node, key);
    for (uint32_t i = 0; node->type == SL_YAML_LIST && i < node->count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        const struct sl_yaml *name = sl_yaml_get(node->items[i], "name");
        if (strcmp(number, key) == 0 || (name && name->text && strcmp(name->text, key) == 0))
            return node->items[i];
    }
    return NULL;
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* True for "SECTION.NAME.FIELD" of a thing that the device declares. */
static bool is_device_field(const struct sl_platform *platform, char **parts, size_t count)
{
    static const char *const resource[] = {"servers", "order", "admission",
                                           "aging",   "group", "batch"};
    static const char *const domain[] = {"capacity", "reserve", "rounding", "fragmentation"};
    if (count != 3)
        return false;
    if (strcmp(parts[0], "resources") == 0)
        return sl_names_find(&platform->resource_names, parts[1]) != SL_NONE &&
               is_one_of(parts[2], resource, SL_COUNT(resource));
    return strcmp(parts[0], "domains") == 0 &&
           sl_names_find(&platform->domain_names, parts[1]) != SL_NONE &&
           is_one_of(parts[2], domain, SL_COUNT(domain));
}

/* An axis changes what is written, what the device declares, or a scalar with a default. */
/* Whether the path parts[i..count) leads anywhere below the node; `*` before others is any child.
 */
static bool leads_on(struct sl_loader *loader, const struct sl_yaml *node, char *const *parts,
                     size_t i, size_t count)
{
    /* Names may hold dots ("copy.h2d"), so each step takes as many parts as it needs. */
    while (node && i < count) {
        const char *key = parts[i++];
        const struct sl_yaml *next = child(node, key);
        if (!next && i < count && strcmp(key, "*") == 0) {
            for (uint32_t k = 0; k < node->count; k++)
                if (leads_on(loader, node->items[k], parts, i, count))
                    return true;
            return false;
        }
        while (!next && i < count) {
            key = sl_arena_printf(loader->reader.arena, "%s.%s", key, parts[i++]);
            next = key ? child(node, key) : NULL;
        }
        node = next;
    }
    return node != NULL;
}

static bool path_exists(struct sl_loader *loader, const char *path)
{
    static const char *const defaults[] = {
        "trials",      "seed",        "device",       "kappa.rule",     "kappa.unknown_kappa",
        "kappa.table", "kappa.shape", "kappa.regime", "objective.tail", "objective.metric"};
    if (strncmp(path, "policy.", 7) == 0)
        return path[7] != '\0';
    if (is_one_of(path, defaults, SL_COUNT(defaults)) || sl_scale_path(path))
        return true;
    size_t count = 0;
    char **parts = sl_split(loader->reader.arena, path, '.', &count);
    if (!parts || count == 0 || strcmp(parts[0], "sweep") == 0)
        return false;
    return is_device_field(&loader->scenario->platform, parts, count) ||
           leads_on(loader, loader->root, parts, 0, count);
}

static void load_axis(struct sl_loader *loader, const struct sl_yaml *sweep, uint32_t at,
                      double *cells)
{
    struct sl_scenario *scenario = loader->scenario;
    const struct sl_reader *reader = &loader->reader;
    const struct sl_yaml *values = sweep->items[at];
    const char *path = sweep->keys[at];
    if (!path_exists(loader, path))
        sl_diags_add(reader->diags, SL_ERROR, "bad-axis", sweep->key_places[at],
                     "sweep: nothing is called '%s' (allowed: a path to something in this file, "
                     "such as domains.hbm.capacity, policy.KEY, or scale.KIND.GLOB with kind "
                     "bandwidth, size, duration or slack)",
                     path);
    if (!sl_field_is(reader, values, SL_YAML_LIST, path))
        return;
    for (uint32_t i = 0; i < values->count; i++)
        sl_field_is(reader, values->items[i], SL_YAML_SCALAR, path);
    if (values->count == 0)
        sl_diags_add(reader->diags, SL_ERROR, "missing-value", values->place, "%s has no value",
                     path);
    *cells *= (double)values->count;
    scenario->axes[scenario->axis_count++] =
        (struct sl_axis){path, values->items, values->count, sweep->key_places[at]};
}

void sl_load_sweep(struct sl_loader *loader)
{
    struct sl_scenario *scenario = loader->scenario;
    const struct sl_yaml *sweep = sl_yaml_get(loader->root, "sweep");
    if (!sl_field_is(&loader->reader, sweep, SL_YAML_MAP, "sweep"))
        return;
    scenario->axes =
        sl_arena_array(loader->reader.arena, sweep->count + 1u, sizeof *scenario->axes);
    double cells = scenario->policy_count > 0 ? (double)scenario->policy_count : 1.0;
    for (uint32_t i = 0; scenario->axes && i < sweep->count; i++)
        load_axis(loader, sweep, i, &cells);
    if (cells > MAX_CELLS)
        sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", sweep->place,
                     "the sweep has %.0f cells (allowed: %.0f)", cells, MAX_CELLS);
}
