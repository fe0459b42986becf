/* Overrides, of --set and of sweep axes: they change the YAML tree before anything is read, so that
 * a wrong value is reported like one in the file. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

/* A copy of an override's value: later overrides may set a part of it, and the caller keeps his. */
static struct sl_yaml *copy_tree(const struct sl_yaml *tree, struct sl_arena *arena)
{
    struct sl_yaml *copy = sl_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *tree;
    if (tree->count == 0)
        return copy;
    copy->items = sl_arena_array(arena, tree->count, sizeof *copy->items);
    for (uint32_t i = 0; copy->items && i < tree->count; i++)
        if (!(copy->items[i] = copy_tree(tree->items[i], arena)))
            return NULL;
    if (tree->type == SL_YAML_MAP) {
        copy->keys = sl_arena_array(arena, tree->count, sizeof *copy->keys);
        copy->key_places = sl_arena_array(arena, tree->count, sizeof *copy->key_places);
        if (!copy->keys || !copy->key_places)
            return NULL;
        memcpy((void *)copy->keys, (const void *)tree->keys, tree->count * sizeof *copy->keys);
        memcpy(copy->key_places, tree->key_places, tree->count * sizeof *copy->key_places);
    }
    return copy->items ? copy : NULL;
}

/* `select: belady` is short for {how: belady}, `prefetch: jit` for {when: jit}: a parameter set
 * from outside needs the map.  False when out of memory. */
static bool unfold_word(const struct sl_yaml *policy, const char *key, struct sl_arena *arena)
{
    static const char *const words[][2] = {{"select", "how"}, {"prefetch", "when"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i][0]);
        struct sl_yaml *node = sl_yaml_get(policy, words[i][0]);
        if (strncmp(key, words[i][0], length) != 0 || key[length] != '.' || !node ||
            node->type != SL_YAML_SCALAR || !*node->text)
            continue;
        struct sl_yaml *word = sl_arena_alloc(arena, sizeof *word);
        struct sl_yaml **items = sl_arena_array(arena, 1, sizeof *items);
        const char **keys = sl_arena_array(arena, 1, sizeof *keys);
        struct sl_place *places = sl_arena_array(arena, 1, sizeof *places);
        if (!word || !items || !keys || !places)
            return false;
        *word = *node;
        items[0] = word;
        keys[0] = words[i][1];
        places[0] = node->place;
        *node = (struct sl_yaml){.type = SL_YAML_MAP, .place = node->place, .count = 1};
        node->items = items;
        node->keys = keys;
        node->key_places = places;
    }
    return true;
}

/* "policy.KEY" stands for the key of every policy. */
static enum sl_status set_in_policies(struct sl_loader *loader, const char *key,
                                      const struct sl_yaml *value, struct sl_error *err)
{
    struct sl_yaml *policies = sl_yaml_get(loader->root, "policies");
    for (uint32_t i = 0; policies && i < policies->count; i++) {
        struct sl_yaml *copy = copy_tree(value, loader->reader.arena);
        if (!copy || !unfold_word(policies->items[i], key, loader->reader.arena))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        enum sl_status status = SL_OK;
        if (policies->items[i]->type == SL_YAML_MAP)
            status = sl_yaml_set(policies->items[i], key, copy, loader->reader.arena, err);
        if (status)
            return status;
    }
    return SL_OK;
}

/* "scale.bandwidth.GLOB": what follows the second point is one key, whatever points it holds. */
static enum sl_status set_scale(struct sl_loader *loader, const char *path, struct sl_yaml *value,
                                struct sl_error *err)
{
    struct sl_arena *arena = loader->reader.arena;
    const char *glob = sl_scale_path(path);
    const char *head = sl_arena_printf(arena, "%.*s", (int)(glob - path - 1), path);
    if (!head)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_yaml *map = sl_yaml_get(sl_yaml_get(loader->root, "scale"), strchr(head, '.') + 1);
    if (!map || map->type != SL_YAML_MAP) {
        map = sl_arena_alloc(arena, sizeof *map);
        if (!map)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        *map = (struct sl_yaml){.type = SL_YAML_MAP, .place = value->place};
        enum sl_status status = sl_yaml_set(loader->root, head, map, arena, err);
        if (status != SL_OK)
            return status;
    }
    return sl_yaml_put(map, glob, value, arena, err);
}

enum sl_status sl_apply_overrides(struct sl_loader *loader, const struct sl_override *overrides,
                                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_override *one = &overrides[i];
        enum sl_status status;
        struct sl_error local = {0};
        struct sl_yaml *copy = copy_tree(one->value, loader->reader.arena);
        if (!copy)
            return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
        if (strncmp(one->path, "policy.", 7) == 0)
            status = set_in_policies(loader, one->path + 7, copy, &local);
        else if (sl_scale_path(one->path))
            status = set_scale(loader, one->path, copy, &local);
        else
            status = sl_yaml_set(loader->root, one->path, copy, loader->reader.arena, &local);
        if (status)
            return SL_FAIL_AT(loader->err, status, one->value->place, "%s", local.message);
    }
    return SL_OK;
}

enum sl_status sl_override_parse(struct sl_override *override, const char *text,
                                 struct sl_arena *arena, struct sl_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return SL_FAIL(err, SL_USAGE, "expected KEY=VALUE");
    struct sl_yaml *value;
    enum sl_status status =
        sl_yaml_parse(equals + 1, strlen(equals + 1), SL_OVERRIDE_FILE, arena, &value, err);
    if (status)
        return status;
    override->path = sl_arena_printf(arena, "%.*s", (int)(equals - text), text);
    override->value = value;
    return override->path ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
