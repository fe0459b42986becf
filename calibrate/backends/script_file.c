/* The script backend's file: clock, regimes, troubles, fingerprint, and the device's sections. */
#include "config.h"

#include "script_parts.h"
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PS_PER_NS    1000

static const char *const trouble_words[SL_TROUBLE_KINDS] = {
    [SL_TROUBLE_GATE_TIMEOUT] = "gate-timeout",
    [SL_TROUBLE_DROPPED] = "dropped",
    [SL_TROUBLE_STRAY] = "stray",
    [SL_TROUBLE_NO_VICTIM] = "no-victim",
    [SL_TROUBLE_DUPLICATE] = "duplicate",
    [SL_TROUBLE_ZERO_TIME] = "zero-time",
    [SL_TROUBLE_CLOCK_STEP] = "clock-step",
    [SL_TROUBLE_PREEMPTED] = "preempted",
    [SL_TROUBLE_SENTINEL] = "sentinel",
    [SL_TROUBLE_LATE] = "late",
    [SL_TROUBLE_GAP] = "gap",
    [SL_TROUBLE_OVERLAP] = "overlap",
    [SL_TROUBLE_OUT_OF_ORDER] = "out-of-order",
    [SL_TROUBLE_THROTTLED] = "throttled",
    [SL_TROUBLE_OUTLIER] = "outlier",
    [SL_TROUBLE_REGIME] = "regime",
    [SL_TROUBLE_LOST] = "lost",
};

bool sl_script_fits(const struct sl_reader *reader, const struct sl_yaml *node, const char *what,
                    uint32_t most)
{
    if (node->count <= most)
        return true;
    sl_diags_add(reader->diags, SL_ERROR, "too-many", node->place, "%u %s (allowed: %u)",
                 node->count, what, most);
    return false;
}

void *sl_script_array(const struct sl_reader *reader, uint32_t count, size_t size)
{
    void *items = sl_arena_array(reader->arena, (size_t)count + 1, size);
    if (!items)
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", (struct sl_place){0},
                     "out of memory");
    return items;
}

bool sl_script_time(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                    int64_t *ns)
{
    int64_t ps;
    if (!sl_field_time(reader, map, key, &ps))
        return false;
    *ns = ps / PS_PER_NS;
    return true;
}

bool sl_script_flag(const struct sl_reader *reader, const struct sl_yaml *map, const char *key)
{
    const char *text;
    bool value = false;
    return sl_field_text(reader, map, key, &text) &&
           sl_value_bool(reader, text, sl_yaml_get(map, key)->place, key, &value) && value;
}

static void read_clock(struct sl_script *script, const struct sl_reader *reader,
                       const struct sl_yaml *map)
{
    static const char *const keys[] = {"start", "step", "timer", "other_timer", "other_factor"};
    script->start_ns = 1000000000;
    script->step_ns = 100000;
    script->timer = "event";
    script->other_factor = 1;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "clock"))
        return;
    sl_yaml_check_keys(map, keys, COUNT(keys), "clock", reader->diags);
    sl_script_time(reader, map, "start", &script->start_ns);
    sl_script_time(reader, map, "step", &script->step_ns);
    sl_field_text(reader, map, "timer", &script->timer);
    sl_field_text(reader, map, "other_timer", &script->other_timer);
    sl_field_number(reader, map, "other_factor", 0.01, 100, &script->other_factor);
}

static void read_regimes(struct sl_script *script, const struct sl_reader *reader,
                         const struct sl_yaml *map)
{
    if (!sl_field_is(reader, map, SL_YAML_MAP, "regimes") ||
        !sl_script_fits(reader, map, "regimes", SL_SCRIPT_REGIMES_MAX))
        return;
    for (uint32_t i = 0; i < map->count; i++) {
        int64_t ns = 0;
        script->regimes[i] = map->keys[i]; /* even a faulty name is one that rows may mention */
        if (!sl_value_name(reader, map->keys[i], map->key_places[i], "regime", ";+") ||
            !sl_script_time(reader, map, map->keys[i], &ns))
            continue;
        if (ns <= 0)
            sl_diags_add(reader->diags, SL_ERROR, "bad-quantity", map->items[i]->place,
                         "%s: a sentinel takes 1ns at least", map->keys[i]);
        script->sentinels_ns[i] = (double)ns;
    }
    script->regime_count = map->count;
}

/* The shots at which a trouble happens. */
static void read_shots(const struct sl_reader *reader, const struct sl_yaml *list,
                       struct sl_script_trouble *trouble)
{
    if (!sl_field_is(reader, list, SL_YAML_LIST, "at"))
        return;
    uint32_t *at = sl_script_array(reader, list->count, sizeof *at);
    for (uint32_t i = 0; at && i < list->count; i++) {
        int64_t shot;
        const struct sl_yaml *item = list->items[i];
        if (sl_field_is(reader, item, SL_YAML_SCALAR, "at") &&
            sl_value_integer(reader, item->text, item->place, "at", 0, UINT32_MAX, &shot))
            at[trouble->at_count++] = (uint32_t)shot;
    }
    trouble->at = at;
}

static void read_trouble(const struct sl_script *script, const struct sl_reader *reader,
                         const struct sl_yaml *map, struct sl_script_trouble *trouble)
{
    static const char *const keys[] = {"kind", "at", "every"};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a trouble", reader->diags);
    unsigned kind = 0;
    int64_t every;
    if (sl_field_require(reader, map, "kind", "a trouble"))
        sl_field_choice(reader, map, "kind", trouble_words, COUNT(trouble_words), &kind);
    trouble->kind = (enum sl_script_trouble_kind)kind;
    if (sl_field_integer(reader, map, "every", 1, UINT32_MAX, &every))
        trouble->every = (uint32_t)every;
    read_shots(reader, sl_yaml_get(map, "at"), trouble);
    if (!sl_yaml_get(map, "at") && !sl_yaml_get(map, "every"))
        sl_diags_add(reader->diags, SL_ERROR, "missing-key", map->place,
                     "a trouble needs 'at' or 'every': the shots at which it happens");
    if (script->regime_count == 0 && (kind == SL_TROUBLE_SENTINEL || kind == SL_TROUBLE_REGIME))
        sl_diags_add(reader->diags, SL_ERROR, "missing-key", map->place,
                     "trouble '%s' needs the section 'regimes'", trouble_words[kind]);
}

static void read_troubles(struct sl_script *script, const struct sl_reader *reader,
                          const struct sl_yaml *list)
{
    if (!sl_field_is(reader, list, SL_YAML_LIST, "troubles") ||
        !sl_script_fits(reader, list, "troubles", SL_SCRIPT_TROUBLES_MAX))
        return;
    script->troubles = sl_script_array(reader, list->count, sizeof *script->troubles);
    for (uint32_t i = 0; script->troubles && i < list->count; i++)
        if (sl_field_is(reader, list->items[i], SL_YAML_MAP, "a trouble"))
            read_trouble(script, reader, list->items[i],
                         &script->troubles[script->trouble_count++]);
}

/* Facts of one section, appended. */
static void read_facts(struct sl_script *script, const struct sl_reader *reader,
                       const struct sl_yaml *map, const char *what, struct sl_fact *facts)
{
    if (!sl_field_is(reader, map, SL_YAML_MAP, what))
        return;
    for (uint32_t i = 0; i < map->count; i++) {
        const char *value, *key = map->keys[i];
        if (!*key || strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(key))
            sl_diags_add(reader->diags, SL_ERROR, "bad-name", map->key_places[i],
                         "fact '%s': tables hold facts of small letters, digits and _", key);
        else if (sl_field_text(reader, map, key, &value))
            facts[script->fingerprint.count++] = (struct sl_fact){map->keys[i], value};
    }
}

static void read_fingerprint(struct sl_script *script, const struct sl_reader *reader,
                             const struct sl_yaml *root)
{
    const struct sl_yaml *identity = sl_yaml_get(root, "identity");
    const struct sl_yaml *facts = sl_yaml_get(root, "facts");
    uint32_t most = (identity ? identity->count : 0) + (facts ? facts->count : 0);
    script->fingerprint.facts = sl_script_array(reader, most, sizeof(struct sl_fact));
    if (!script->fingerprint.facts)
        return;
    read_facts(script, reader, identity, "identity", script->fingerprint.facts);
    script->fingerprint.identity_count = script->fingerprint.count;
    read_facts(script, reader, facts, "facts", script->fingerprint.facts);
}

/* The first group that the resource is in, "" of one in none. */
static const char *group_of(const struct sl_platform *platform, uint32_t resource)
{
    for (uint32_t g = 0; g < platform->group_names.count; g++)
        if (platform->resources[resource].groups >> g & 1)
            return platform->group_names.names[g];
    return "";
}

static void lay_out(struct sl_script *script, const struct sl_reader *reader)
{
    const struct sl_platform *platform = &script->platform;
    struct sl_bench_layout *layout = &script->layout;
    layout->resource_count = platform->resource_names.count;
    layout->domain_count = platform->domain_names.count;
    layout->route_count = platform->route_count;
    struct sl_bench_resource *resources =
        sl_script_array(reader, layout->resource_count, sizeof *resources);
    struct sl_bench_domain *domains =
        sl_script_array(reader, layout->domain_count, sizeof *domains);
    struct sl_bench_route *routes = sl_script_array(reader, layout->route_count, sizeof *routes);
    if (!resources || !domains || !routes)
        return;
    for (uint32_t i = 0; i < layout->resource_count; i++)
        resources[i] =
            (struct sl_bench_resource){platform->resource_names.names[i], group_of(platform, i),
                                       platform->resources[i].servers};
    for (uint32_t i = 0; i < layout->domain_count; i++)
        domains[i] = (struct sl_bench_domain){platform->domain_names.names[i],
                                              platform->domains[i].capacity};
    for (uint32_t i = 0; i < layout->route_count; i++) {
        const struct sl_route *route = &platform->routes[i];
        routes[i] = (struct sl_bench_route){
            platform->domain_names.names[route->from], platform->domain_names.names[route->to],
            platform->resource_names.names[route->resource],
            route->klass == SL_NONE ? "" : platform->kappa.classes.names[route->klass]};
    }
    layout->resources = resources;
    layout->domains = domains;
    layout->routes = routes;
}

static void read_root(struct sl_script *script, const struct sl_reader *reader,
                      const struct sl_yaml *root)
{
    static const char *const keys[] = {"description", "actors", "clock",     "regimes", "identity",
                                       "facts",       "rule",   "resources", "domains", "routes",
                                       "classes",     "drift",  "kappa",     "troubles"};
    sl_yaml_check_keys(root, keys, COUNT(keys), "a script", reader->diags);
    int64_t actors = 3;
    sl_field_integer(reader, root, "actors", 1, 1 + SL_SHOT_AGGRESSORS_MAX, &actors);
    script->layout.actors_max = (uint32_t)actors;
    read_clock(script, reader, sl_yaml_get(root, "clock"));
    read_regimes(script, reader, sl_yaml_get(root, "regimes"));
    read_fingerprint(script, reader, root);
    sl_field_dist(reader, root, "drift", SL_DIST_NUMBER, &script->drift);
    lay_out(script, reader);
    sl_script_read_classes(script, reader, root);
    sl_script_read_kappas(script, reader, root);
    read_troubles(script, reader, sl_yaml_get(root, "troubles"));
}

enum sl_status sl_script_read(struct sl_script *script, const char *path, struct sl_error *err)
{
    struct sl_diags diags = {0};
    struct sl_yaml *root = NULL;
    struct sl_reader reader = {.arena = &script->arena, .diags = &diags, .base_dir = "."};
    enum sl_status status = sl_yaml_read(path, &script->arena, &root, err);
    if (status == SL_OK && sl_field_is(&reader, root, SL_YAML_MAP, "a script"))
        status = sl_platform_read(&script->platform, root, ".", &script->arena, &diags, err);
    if (status == SL_OK && diags.errors == 0)
        read_root(script, &reader, root);
    if (status == SL_OK)
        status = sl_diags_status(&diags, err);
    if (status == SL_OK)
        status = sl_script_prepare_kappas(script, err);
    sl_diags_free(&diags);
    return status;
}

void sl_script_free(struct sl_script *script)
{
    for (int r = 0; r < SL_SCRIPT_REGIMES_MAX; r++)
        for (int s = 0; s < 2; s++)
            sl_kappa_free(&script->tables[r][s]);
    sl_platform_free(&script->platform);
    sl_arena_free(&script->arena);
    *script = (struct sl_script){0};
}
